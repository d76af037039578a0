/* How near a body comes to itself, over its patches: cones and borders that leave room for the
 * margin prove that whole patches keep clear of themselves (theorem 3 of
 * docs/self-collision.md), and only what they leave is measured. Cost: one pass over the
 * triangles; where the last query proved the whole body, one that tries the same axis, and no
 * boxes. */
#include "query/query.h"

#include "update/patches.h"

enum {
  SMALL = 256,       /* triangles of a body that has little to cull */
  PARTS = 64,        /* tasks of a pass over all leaves */
  ALONE = 20000,     /* triangles that one thread does faster */
  FEW_HUB_PAIRS = 4, /* for each triangle; other vertices have 16 */
};

typedef struct thick_run {
  const patches *patches;
  thick_cones *cones;
  atomic_bool other_way; /* some triangle does not face the axis */
} thick_run;

static void face_task(void *data, int task, int worker)
{
  thick_run *r = data;
  const patches *p = r->patches;
  const uint64_t leaves = p->tree.nodes.leaf_count;
  (void)worker;
  if (atomic_load_explicit(&r->other_way, memory_order_relaxed)) return;
  const uint32_t begin = (uint32_t)(leaves * (uint64_t)task / PARTS),
                 end = (uint32_t)(leaves * (uint64_t)(task + 1) / PARTS);
  if (!kernels_of(p->context->isa)->self->faces(p, begin, end, r->cones->front, r->cones->by.tau))
    atomic_store_explicit(&r->other_way, true, memory_order_relaxed);
}

static void cone_task(void *data, int task, int worker)
{
  const thick_run *r = data;
  const patches *p = r->patches;
  const uint32_t node = p->update->border[task];
  (void)worker;
  kernels_of(p->context->isa)->self->thick_refit(p, r->cones->by.tau, r->cones->cone, node, p->tree.nodes.end[node]);
}

/* Does the axis that proved the whole body last time prove it again? */
static pl_status try_front(patches *p, thick_cones *c, float *room)
{
  thick_run r = {.patches = p, .cones = c};
  c->proven = false;
  if (!c->front) return PL_OK;
  pl_status status = parallel_for(p->context, p->tree.prims.triangle_count > ALONE, face_task, &r, PARTS);
  if (status != PL_OK || atomic_load(&r.other_way)) return status;
  c->proven = kernels_of(p->context->isa)->self->front_is_simple(p, room, c->front, c->by);
  return PL_OK;
}

static pl_status refit_cones(patches *p, thick_cones *c)
{
  thick_run r = {.patches = p, .cones = c};
  const self_kernels *k = kernels_of(p->context->isa)->self;
  if (p->context->threads == 1) {
    k->thick_refit(p, c->by.tau, c->cone, 0, p->tree.nodes.inner_count);
    return PL_OK;
  }
  pl_status status =
      parallel_for(p->context, p->tree.prims.triangle_count > ALONE, cone_task, &r, (int)p->update->border_count);
  for (uint32_t i = 0; status == PL_OK && i < p->update->above_count; ++i)
    k->thick_refit(p, c->by.tau, c->cone, p->update->above[i], p->update->above[i] + 1);
  return status;
}

/* The margin in the space of the patches, rounded up. false: it is beyond the range of float, or
 * as large as bodies are at most. */
static bool set_clearance(const patches *p, double margin, uint32_t rings, clearance *by)
{
  const double least = 0x1p-80, most = 0x1p40; /* products of three lengths stay within range */
  const double here = p->tree.tight ? margin : margin * (0.5 * p->twice);
  if (!(here < most)) return false;
  by->margin = round_up(fmax(here * (1 + 0x1p-17), least));
  by->tau = round_up(fmax(here / rings * (1 + 0x1p-17), least));
  return true;
}

/* Contours of the whole surface or of two patches, and one step of a walk, in every worker. */
static bool make_room(pl_context *context, query *walks, const patches *p, near_patches *n)
{
  const size_t inner = p->tree.nodes.inner_count;
  for (int i = 0; i < context->threads; ++i) {
    walk *w = &walks->workers[i]->walk;
    if (!array_reserve(&context->locked, &w->contour, contour_room(2 * (size_t)p->longest))) return false;
    if (!array_reserve(&context->locked, &w->stack, WALK_STEP)) return false;
  }
  if (n->room >= inner) return true;
  mem_free(&context->def.allocator, n->cones.cone);
  n->cones.cone = mem_raw(&context->def.allocator, inner, 8 * sizeof *n->cones.cone);
  n->room = n->cones.cone ? inner : 0;
  return n->room > 0;
}

/* Would trying all pairs of triangles at hubs count beside those at other vertices? */
static bool has_great_hubs(const tree *t)
{
  return t->hubs && t->hub_pairs > (uint64_t)FEW_HUB_PAIRS * t->prims.triangle_count;
}

/* Patches of governed bodies are on demand, and their cones have no margins. */
static bool patches_suit(const pl_body *body)
{
  if (body->tree->prims.triangle_count <= SMALL || body->motion.now.exponent) return false;
  if (has_great_hubs(body->tree)) return false; /* the walk of its own tree leaves out what shares one */
  if (body->motion.kind->traits & MOTION_GOVERNED && body->motion.now.evaluate) return false;
  if (body->patches && !body->patches->longest) return false; /* nothing is culled: see self.c */
  return !body->patches || body->patches->update->source == &source_cones;
}

pl_status near_patches_prepare(near_patches *n, pl_body *body, query *walks, double margin, uint32_t rings,
                               uint64_t *made)
{
  pl_context *context = body->context;
  pl_status status = PL_OK;
  n->good = false;
  if (!patches_suit(body) || body_lacks_patches(body)) return PL_OK;
  if (!body->patches) status = patches_create(context, body->tree, &body->motion, &body->patches);
  if (status != PL_OK) return status;
  patches *p = body->patches;
  patches_move(p, body->moves);
  if (patches_are_coarse(p) || !set_clearance(p, margin, rings, &n->cones.by)) return PL_OK;
  if (!make_room(context, walks, p, n)) return fail(context, PL_ERROR_MEMORY, "no memory for the borders of patches");
  if (n->serial != body->serial) n->cones.front = 0;
  n->serial = body->serial;
  status = try_front(p, &n->cones, walks->workers[0]->walk.contour.data);
  if (status == PL_OK && !n->cones.proven) {
    status = patches_refit(p, made);
    if (status == PL_OK) status = refit_cones(p, &n->cones);
    *made += (uint64_t)p->tree.nodes.inner_count + p->tree.nodes.leaf_count - 1;
  }
  place_make_patches(&n->at, body, false); /* the body's own tree is not updated */
  n->good = status == PL_OK;
  return status;
}

void near_patches_plan(near_patches *n, pl_body *body, distance_plan *p)
{
  p->walk.patches = body->patches;
  p->walk.contours = true;
  p->walk.thick = &n->cones;
  p->walk.leaves = kernels_of(body->context->isa)->distance->patch_leaves;
}
