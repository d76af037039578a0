/* A body against itself on its way: patches that are proven not to touch themselves are not
 * opened. The proof holds for all times of the step (docs/self-collision.md). With a separation
 * cones and borders leave room for it. Cost: a set operation for patches that curve; a pass over
 * the border for others. */
#include "bounds/cone.h"
#include "kernels/cycle_run.h"
#include "query/time/impact.h"

#include "math/round.h"

#include <math.h>

/* ------------------------------------------------------------------------------- separations -- */

/* The separation in the space of the cones' positions, rounded up. false: beyond the range of
 * float, or larger than bodies are there. */
static bool set_clearance(const sweep *s, double separation, clearance *by)
{
  const double least = 0x1p-80, most = 0x1p10;
  const double here = ldexp(separation, -s->exponent) * (double)s->cone_scale;
  if (!(here < most)) return false;
  /* contacts may be early by that much */
  by->margin = by->tau = round_up(fmax(here * (1 + 0x1p-9), least));
  return true;
}

static impact_thick *next_thick(const pl_allocator *allocator, impact_scratch *q, size_t inner)
{
  if (q->thick_count == q->thick.count) {
    if (!array_reserve(allocator, &q->thick, q->thick.count + 1)) return NULL;
    impact_thick *more = mem_new(allocator, 1, sizeof *more);
    if (!more) return NULL;
    q->thick.data[q->thick.count++] = more;
  }
  impact_thick *t = q->thick.data[q->thick_count++];
  if (t->room < inner) {
    mem_free(allocator, t->cones.cone);
    t->cones.cone = mem_new(allocator, inner, 8 * sizeof *t->cones.cone);
    t->room = t->cones.cone ? inner : 0;
  }
  return t->room ? t : NULL;
}

pl_status impact_thick_cones(impact_scratch *q, const pl_body *body, double separation, const swept_patches **out)
{
  const sweep *s = body->sweep;
  clearance by;
  *out = NULL;
  if (!set_clearance(s, separation, &by)) return PL_OK;
  impact_thick *t = next_thick(&body->context->def.allocator, q, body->patches->tree.nodes.inner_count);
  if (!t) return fail(body->context, PL_ERROR_MEMORY, "no memory for the cones of a body");
  uint32_t *cone = t->cones.cone;
  t->cones = s->cones;
  t->cones.cone = cone;
  t->cones.by = by;
  *out = &t->cones;
  return sweep_refit_cones(&t->cones);
}

void impact_thick_free(const pl_allocator *allocator, impact_scratch *q)
{
  for (size_t i = 0; i < q->thick.count; ++i) {
    mem_free(allocator, q->thick.data[i]->cones.cone);
    mem_free(allocator, q->thick.data[i]);
  }
  array_free(allocator, &q->thick);
}

/* ------------------------------------------------------------------------------------ proofs -- */

/* The cone of a patch. */
static uint32_t cone_of(const swept_patches *c, int32_t reference)
{
  const structure *n = &c->of->tree.nodes;
  if (reference == TREE_ROOT) {
    uint32_t set = CONE_ALL;
    for (int k = 0; k < n->children[TREE_ROOT]; ++k) set &= c->cone[k];
    return set;
  }
  const uint32_t slot = reference >= 0 ? n->slot[reference] : n->leaf_slot[~reference];
  return c->cone[8 * (size_t)(slot >> 3) + (slot & 7)];
}

/* The longest side of the box around two patches in both poses, in the space of the cones'
 * positions. */
static float size_of(const impact_view *view, int32_t a, int32_t b)
{
  float one[SWEEP_BOX], other[SWEEP_BOX], size = 0;
  impact_box(view, a, one);
  impact_box(view, b, other);
  sweep_merge(one, other, one);
  for (int k = 0; k < 3; ++k) size = fmaxf(size, fmaxf(one[k], one[k + 6]) + fmaxf(one[k + 3], one[k + 9]));
  return size * view->sweep->cone_scale * (1 + 0x1p-20f) + 4 * view->cones->error;
}

static bool is_simple(impact_search *s, const impact_view *view, const swept_border *border)
{
  ++s->counters.n_v;
  return kernels_of(s->context->isa)->self->swept_simple(view->cones, border, s->room.data);
}

bool impact_patch_is_simple(impact_search *s, const impact_view *view, int32_t a)
{
  const swept_patches *c = view->cones;
  const patch *q = patch_of(c->of, a);
  const uint32_t set = cone_of(c, a);
  if (!set || q->count < 3) return false;
  swept_border border = {c->of->corners.vertex + q->first, q->count, set, size_of(view, a, a)};
  return is_simple(s, view, &border);
}

bool impact_union_is_simple(impact_search *s, const impact_view *view, int32_t a, int32_t b)
{
  const swept_patches *c = view->cones;
  const uint32_t set = cone_of(c, a) & cone_of(c, b);
  patch_union u;
  if (!set || !union_find(c->of, patch_of(c->of, a), patch_of(c->of, b), &u)) return false;
  uint32_t *vertex = (uint32_t *)(void *)(s->room.data + 4 * (u.count + CONTOUR_MORE));
  union_border(c->of, &u, vertex);
  swept_border border = {vertex, u.count, set, size_of(view, a, b)};
  return is_simple(s, view, &border);
}
