/* Creating and ending bodies, and reporting about their trees. */
#include "body/body.h"

#include "body/sweep.h"
#include "core/timer.h"
#include "core/version.h"
#include "mesh/mesh.h"
#include "update/choice.h"
#include "update/spheres.h"

#include <string.h>

pl_status body_check_numbers(pl_context *context, const pl_body_def *d)
{
  if ((unsigned)d->builder >= PL_BUILDER_COUNT || (unsigned)d->cut >= PL_CUT_COUNT ||
      (unsigned)d->strategy >= PL_STRATEGY_COUNT || (unsigned)d->volume >= PL_VOLUME_COUNT)
    return fail(context, PL_ERROR_ARGUMENT, "unknown builder, cut, strategy or volume");
  if (d->arity != 2 && d->arity != 4 && d->arity != 8)
    return fail(context, PL_ERROR_ARGUMENT, "arity %d: it must be 2, 4 or 8", d->arity);
  if (d->leaf_size < 1 || d->leaf_size > 8)
    return fail(context, PL_ERROR_ARGUMENT, "leaf size %d: it must be 1 to 8", d->leaf_size);
  if (d->eager_levels < -1) return fail(context, PL_ERROR_ARGUMENT, "eager levels %d: -1 or more", d->eager_levels);
  const pl_inflate_def *f = &d->inflate;
  if ((unsigned)f->criterion >= PL_CRITERION_COUNT)
    return fail(context, PL_ERROR_ARGUMENT, "unknown criterion of inflation");
  if ((unsigned)f->growth >= PL_GROWTH_COUNT) return fail(context, PL_ERROR_ARGUMENT, "unknown growth of inflation");
  if (!(f->p_max >= 0 && f->k >= 0 && f->k <= 1 && f->gamma >= 0))
    return fail(context, PL_ERROR_ARGUMENT, "inflation: p_max %g and gamma %g must be 0 or more, k %g in [0, 1]",
                f->p_max, f->gamma, f->k);
  if (d->repair < -1) return fail(context, PL_ERROR_ARGUMENT, "repair %d: -1 or more", d->repair);
  if (d->lazy_levels < 1) return fail(context, PL_ERROR_ARGUMENT, "lazy levels %d: 1 or more", d->lazy_levels);
  return PL_OK;
}

/* ----------------------------------------------------------------------------------- changes -- */

/* Leaves the scenes from `first` up to `end`. */
static void leave_guards(body_scene *first, const body_scene *end, void (*leave)(guard *g))
{
  for (; first != end; first = first->next) leave(first->guard);
}

/* Enters the body alone, and the scenes that it belongs to by `enter`. */
static pl_status enter(pl_body *body, bool (*enter_scene)(guard *g), void (*leave_scene)(guard *g))
{
  pl_status status = call_check(body->context);
  if (status != PL_OK) return status;
  if (!guard_alone(&body->guard)) return call_refuse_change(body->context, &body->guard);
  for (body_scene *s = body->scenes; s; s = s->next) {
    if (enter_scene(s->guard)) continue;
    leave_guards(body->scenes, s, leave_scene);
    guard_alone_end(&body->guard);
    return call_refuse_change(body->context, s->guard);
  }
  return PL_OK;
}

pl_status body_change(pl_body *body) { return body ? enter(body, guard_member, guard_member_end) : fail_null("body"); }

void body_change_end(pl_body *body)
{
  if (body->sweep) body->sweep->made = false;
  leave_guards(body->scenes, NULL, guard_member_end);
  guard_alone_end(&body->guard);
}

bool body_is_alone(const pl_body *body)
{
  int queries = atomic_load(&body->guard.state);
  for (const body_scene *s = body->scenes; s; s = s->next) queries += atomic_load(&s->guard->state);
  return queries == 1;
}

/* ------------------------------------------------------------------------------- create, end -- */

/* Its scenes have been entered alone, or the context is being destroyed. */
static void body_destroy(owned *link)
{
  pl_body *body = (pl_body *)(void *)link;
  pl_context *context = body->context;
  if (body->scenes) body->leave(body->scenes);
  owned_unlink(context, link);
  sweep_destroy(body);
  thickness_free(&context->def.allocator, &body->thickness);
  if (body->spheres) spheres_free(context, body->spheres);
  mem_free(&context->def.allocator, body->spheres);
  patches_destroy(body->patches);
  forest_free(&body->trees);
  motion_free(context, &body->motion);
  closure_free(&context->locked, atomic_load(&body->closure));
  mem_free(&context->locked, atomic_load(&body->owners));
  vertex_rings_free(&context->locked, atomic_load(&body->rings));
  mesh_fans_free(&context->locked, atomic_load(&body->fans));
  owned_end(context, link, &body->guard);
}

void pl_body_destroy(pl_body *body)
{
  if (!body) return;
  if (enter(body, guard_alone, guard_alone_end) == PL_OK) body_destroy(&body->link);
}

/* Of triangles alone. */
static pl_status build_merged(pl_body *body, const pl_mesh_def *mesh, int leaf_size, bool packed, tree *out)
{
  pl_context *context = body->context;
  const pl_body_def *d = &body->def;
  double *xyz = mem_raw(&context->def.allocator, mesh->positions.count, 3 * sizeof *xyz);
  if (!xyz) return fail(context, PL_ERROR_MEMORY, "no memory for %zu positions", mesh->positions.count);
  for (size_t v = 0; v < mesh->positions.count; ++v) positions_get(mesh->positions, v, xyz + 3 * v);
  build_input in = {context,   xyz, mesh->positions.count, mesh->triangles, mesh->triangle_count, d->cut, d->arity,
                    leaf_size, 0};
  build_result built = {0};
  pl_status status = build_structure(d->builder, &in, &built);
  const shape_kind *shape = shape_kind_of(d->volume);
  const bool from_vertices = strategy_row_of(d->strategy)->source->from_vertices || (shape && !shape->merge);
  tree_parts parts = {.from_vertices = packed && from_vertices,
                      .shape_floats = shape ? shape->floats : 0,
                      .corners = body->motion.kind->evaluate || body->motion.transforms};
  if (status == PL_OK) status = tree_create(&in, &built, parts, out);
  build_free(context, &built);
  mem_free(&context->def.allocator, xyz);
  return status;
}

static pl_status build_tree(pl_body *body, const pl_mesh_def *mesh, int leaf_size, bool packed, tree *out)
{
  pl_mesh_def merged;
  uint32_t *made;
  pl_status status = mesh_merge(body->context, mesh, &merged, &made);
  if (status == PL_OK) status = build_merged(body, &merged, leaf_size, packed, out);
  mem_free(&body->context->def.allocator, made);
  return status;
}

pl_status body_build_tree(pl_body *body, const pl_mesh_def *mesh, tree *out)
{
  return build_tree(body, mesh, body->def.leaf_size, true, out);
}

pl_status body_build_roomy(pl_body *body, const pl_mesh_def *mesh, const uint32_t *ids, uint32_t id_count, tree *out)
{
  pl_status status = build_tree(body, mesh, PLACES_BUILT, false, out);
  if (status != PL_OK || places_make(body->context, out, ids, id_count)) return status;
  tree_free(body->context, out);
  return fail(body->context, PL_ERROR_MEMORY, "no memory for room in %zu triangles", mesh->triangle_count);
}

pl_status body_check_def(pl_context *context, const pl_body_def *def, pl_motion name, pl_body_def *out)
{
  pl_status status = def_take(context, pl_body_def, def, out);
  if (status == PL_OK) status = body_check_numbers(context, out);
  if (status != PL_OK) return status;
  return update_check(context, name, out);
}

pl_status body_build(pl_body *body, const pl_mesh_def *mesh, int index)
{
  planted *p = &body->trees.trees[index];
  motion *m = &body->motion;
  pl_status status = body_build_tree(body, mesh, &p->tree);
  if (status == PL_OK && m->kind->attach)
    status = m->kind->attach(body->context, m->controls,
                             (leaf_lists){p->tree.prims.list_first, p->tree.prims.list, p->tree.nodes.leaf_count},
                             &p->tree.bytes);
  return status == PL_OK ? update_create(body->context, &p->update, &p->tree, m, &body->def) : status;
}

pl_status body_begin(pl_context *context, pl_motion name, const pl_body_def *def, pl_body_def *full, pl_body **out)
{
  if (out) *out = NULL;
  if (!context) return fail_null("context");
  if (!out) return fail(context, PL_ERROR_ARGUMENT, "out is NULL");
  return body_check_def(context, def, name, full);
}

void body_replaced(pl_body *body)
{
  ++body->moves;
  body->serial =
      atomic_fetch_add(&body->context->serial, 1) + 1; /* leaves that queries remember are valid for this tree only */
}

static void use_tree(pl_body *body)
{
  body->tree = &forest_active(&body->trees)->tree;
  body->update = &forest_active(&body->trees)->update;
  body_replaced(body);
}

/* Is the strategy `auto`? Older definitions may be too short to have one. */
static bool is_auto(const pl_body_def *given)
{
  const size_t enough = offsetof(pl_body_def, strategy) + sizeof given->strategy;
  return !given || given->struct_size < enough || given->strategy == PL_STRATEGY_AUTO;
}

pl_status body_may_choose(pl_body **body, const pl_body_def *given)
{
  pl_body *b = *body;
  bool room = true;
  for (int i = 0; is_auto(given) && room && i < b->trees.count; ++i)
    room = update_choose(&b->trees.trees[i].update, &b->motion, &b->def);
  if (room) return PL_OK;
  pl_context *context = b->context;
  pl_body_destroy(b);
  *body = NULL;
  return fail(context, PL_ERROR_MEMORY, "no memory for the choice of a strategy");
}

pl_status body_restructure(pl_body *body, tree *by)
{
  planted *slot = forest_active(&body->trees), old = *slot;
  motion *m = &body->motion;
  slot->tree = *by;
  slot->tree.nodes.version = old.tree.nodes.version + 1;
  pl_status status = update_create(body->context, &slot->update, &slot->tree, m, &body->def);
  if (status == PL_OK && old.update.choice && !update_choose(&slot->update, m, &body->def)) {
    update_free(&slot->update);
    status = fail(body->context, PL_ERROR_MEMORY, "no memory for the choice of a strategy");
  }
  if (status == PL_OK && m->kind->attach) {
    const tree *t = &slot->tree;
    status = m->kind->attach(body->context, m->controls,
                             (leaf_lists){t->prims.list_first, t->prims.list, t->nodes.leaf_count}, &slot->tree.bytes);
    if (status != PL_OK) update_free(&slot->update);
  }
  if (status != PL_OK) {
    *slot = old;
    return status;
  }
  old.update.tree = &old.tree; /* its watch is in the old tree */
  update_free(&old.update);
  tree_free(body->context, &old.tree);
  memset(by, 0, sizeof *by);
  use_tree(body);
  forest_moved(&body->trees);
  update_invalidate(body->update);
  return PL_OK;
}

void body_moved(pl_body *body)
{
  ++body->moves;
  body_repair_some(body);
  if (forest_choose(&body->trees, &body->motion.now)) use_tree(body);
  forest_moved(&body->trees);
  update_invalidate(body->update);
}

void body_chosen(pl_body *body)
{
  if (!forest_choose(&body->trees, &body->motion.now)) return;
  use_tree(body);
  forest_moved(&body->trees);
  update_invalidate(body->update);
}

pl_status body_create(pl_context *context, const pl_mesh_def *mesh, const pl_body_def *def, motion *m, int trees,
                      pl_body **out)
{
  *out = NULL;
  pl_body *body = mem_new(&context->def.allocator, 1, sizeof *body);
  if (!body) {
    motion_free(context, m);
    return fail(context, PL_ERROR_MEMORY, "no memory for a body");
  }
  body->context = context;
  body->def = *def;
  body->motion = *m;
  body->motion.transforms = m->transforms || strategy_row_of(def->strategy)->model_space;
  owned_link(context, &body->link, body_destroy);
  pl_status status = forest_create(context, &body->trees, trees);
  if (status == PL_OK) status = body_build(body, mesh, 0);
  if (status != PL_OK) {
    pl_body_destroy(body);
    return status;
  }
  use_tree(body);
  body->identity = body->serial;
  *out = body;
  return PL_OK;
}

/* Free and rigid bodies begin with the mesh's positions. */
pl_status body_created(pl_status status, pl_body *body, const pl_body_def *given, pl_body **out)
{
  if (status == PL_OK) status = body_repair_created(body);
  if (status == PL_OK) {
    *out = body;
    return body_may_choose(out, given);
  }
  pl_body_destroy(body);
  return status;
}

static pl_status create_stored(pl_context *context, const pl_mesh_def *mesh, const pl_body_def *def, pl_motion name,
                               pl_body **out)
{
  pl_body_def d;
  pl_mesh_def shape;
  pl_body *body = NULL;
  motion m;
  pl_status status = body_begin(context, name, def, &d, out);
  if (status == PL_OK) status = mesh_take(context, mesh, &shape);
  if (status == PL_OK) {
    motion_init(&m, name, shape.positions.count, &d);
    status = body_create(context, &shape, &d, &m, 1, &body);
  }
  if (status == PL_OK) status = body_set_positions(body, shape.positions);
  return body_created(status, body, def, out);
}

pl_status pl_body_create_free(pl_context *context, const pl_mesh_def *mesh, const pl_body_def *def, pl_body **out)
{
  return create_stored(context, mesh, def, PL_MOTION_FREE, out);
}

pl_status pl_body_create_rigid(pl_context *context, const pl_mesh_def *mesh, const pl_body_def *def, pl_body **out)
{
  return create_stored(context, mesh, def, PL_MOTION_RIGID, out);
}

/* ------------------------------------------------------------------------------------ update -- */

pl_status pl_body_update(pl_body *body, pl_counters *counters)
{
  if (!body) return fail_null("body");
  double start = counters ? timer_ms() : 0;
  uint64_t made = 0;
  call c;
  pl_status status = body_query(&c, body);
  if (status != PL_OK) return status;
  status = forest_rays_begin(&body->trees, &body->motion.now, &made);
  call_query_end(&c);
  if (counters) *counters = (pl_counters){.n_u = made, .ms_update = timer_ms() - start};
  return status;
}

/* ------------------------------------------------------------------------------------- facts -- */

void pl_body_set_user(pl_body *body, void *user)
{
  if (body) body->user = user;
}

void *pl_body_user(const pl_body *body) { return body ? body->user : NULL; }

size_t pl_body_vertex_count(const pl_body *body) { return body ? body->motion.vertex_count : 0; }
size_t pl_body_triangle_count(const pl_body *body) { return body ? prims_ids(&body->tree->prims) : 0; }
pl_motion pl_body_motion(const pl_body *body) { return body ? body->motion.name : PL_MOTION_FREE; }
pl_strategy pl_body_strategy(const pl_body *body) { return body ? body->def.strategy : PL_STRATEGY_AUTO; }

pl_volume pl_body_volume(const pl_body *body) { return body ? body->def.volume : PL_VOLUME_AABB; }

pl_status pl_body_vertex_order(const pl_body *body, uint32_t *order, size_t capacity)
{
  if (!body) return fail_null("body");
  if (!order) return fail(body->context, PL_ERROR_ARGUMENT, "order is NULL");
  if (capacity < body->motion.vertex_count)
    return fail(body->context, PL_ERROR_BUFFER, "room for %zu vertices, %zu are needed", capacity,
                body->motion.vertex_count);
  return tree_vertex_order(body->context, body->tree, order);
}

aabb body_world_box(const pl_body *body)
{
  aabb model = body_model_box(body);
  return space_box_to_world(motion_space(&body->motion), &model);
}

void body_space(const pl_body *body, space *out)
{
  aabb model = body_model_box(body);
  space_make(out, &body->motion, &model, body->tree->loose);
}

/* Refits every stale block, also those that the strategy leaves for later. */
static pl_status update_all(pl_body *body)
{
  uint64_t made = 0;
  pl_status status = body_update(body, &made);
  if (status != PL_OK) return status;
  const int in = body->update->shape ? LAYER_SHAPES : LAYER_BOXES;
  const uint64_t demanded = choice_demanded(body->update);
  for (uint32_t i = 0; i < body->tree->nodes.inner_count; ++i) update_ensure(body->update, in, i);
  choice_forget(body->update, demanded); /* no question has asked for these */
  return PL_OK;
}

/* What the structure alone says; the volumes too, if they are refitted. */
static pl_status tree_facts(pl_body *body, bool refit, pl_body_info *out)
{
  pl_status status = refit ? update_all(body) : PL_OK;
  if (status != PL_OK) return status;
  tree_info(body->tree, refit, out);
  out->bytes = forest_bytes(&body->trees);
  out->bytes_per_triangle = (double)out->bytes / (double)prims_live(&body->tree->prims);
  return PL_OK;
}

pl_status pl_body_get_info_sized(pl_body *body, bool refit, pl_body_info *out, size_t out_size)
{
  if (!body) return fail_null("body");
  if (!out) return fail(body->context, PL_ERROR_ARGUMENT, "out is NULL");
  call c;
  pl_status status = body_query(&c, body);
  if (status != PL_OK) return status;
  pl_body_info info = {0};
  status = tree_facts(body, refit, &info);
  if (status == PL_OK && body->update->source->info) body->update->source->info(body->update, &info);
  if (status == PL_OK) choice_info(body->update, &info);
  if (status == PL_OK) flight_facts(body, &info);
  if (status == PL_OK) body_repair_facts(body, &info);
  call_query_end(&c);
  if (status == PL_OK) result_give(out, out_size, &info, sizeof info);
  return status;
}

static bool contains(const aabb *b, const double q[3])
{
  for (int k = 0; k < 3; ++k)
    if (!((double)b->lower[k] <= q[k] && q[k] <= (double)b->upper[k])) return false;
  return true;
}

/* Checks the volumes of a leaf and of all its ancestors whose blocks are current against the
 * leaf's vertices. */
static bool leaf_is_bounded(const pl_body *body, uint32_t leaf)
{
  const tree *t = body->tree;
  for (size_t k = 3 * (size_t)t->prims.tri_first[leaf]; k < 3 * (size_t)t->prims.tri_end[leaf]; ++k) {
    double q[3];
    points_model(&body->motion.now, t->prims.tri[k], q);
    for (uint32_t slot = t->nodes.leaf_slot[leaf];; slot = t->nodes.slot[slot >> 3]) {
      aabb b = aabb_lane(tree_block(t, slot >> 3), t->nodes.width, (int)(slot & 7));
      const shape_kind *shape = body->update->shape;
      if (tree_is_true(t, LAYER_BOXES, slot >> 3) && !contains(&b, q)) return false;
      if (shape && tree_is_true(t, LAYER_SHAPES, slot >> 3) &&
          !shape->contains(tree_shapes(t, slot >> 3) + (slot & 7), t->nodes.width, q))
        return false;
      if (slot >> 3 == TREE_ROOT) break;
    }
  }
  return true;
}

/* Checks that a layer is current at a node only if it is current at the parent and the boxes are
 * current. */
static bool stamps_descend(const tree *t, int in)
{
  for (uint32_t i = 0; t->layers[in].floats && i < t->nodes.inner_count; ++i) {
    if (!tree_is_true(t, in, i)) continue;
    if (!tree_is_true(t, LAYER_BOXES, i)) return false;
    if (i != TREE_ROOT && !tree_is_true(t, in, t->nodes.slot[i] >> 3)) return false;
  }
  return true;
}

static pl_status validate(pl_body *body)
{
  uint32_t where;
  const char *wrong = tree_check(body->tree, &where);
  if (wrong) return fail(body->context, PL_ERROR_MISMATCH, "node %u: %s", where, wrong);
  uint64_t made = 0;
  pl_status status = body_update(body, &made);
  if (status != PL_OK) return status;
  if (!stamps_descend(body->tree, LAYER_BOXES) || !stamps_descend(body->tree, LAYER_SHAPES))
    return fail(body->context, PL_ERROR_MISMATCH, "a current block has a stale parent");
  for (int pass = 0; pass < 2; ++pass) { /* as queries left the tree, then with every block refitted */
    for (uint32_t leaf = 0; leaf < body->tree->nodes.leaf_count; ++leaf)
      if (!leaf_is_bounded(body, leaf))
        return fail(body->context, PL_ERROR_MISMATCH, "a volume above leaf %u does not contain its vertices", leaf);
    if (!pass && (status = update_all(body)) != PL_OK) return status;
  }
  return PL_OK;
}

pl_status pl_body_validate(pl_body *body)
{
  if (!body) return fail_null("body");
  pl_status status = body_change(body); /* queries might refit the volumes that are read here */
  if (status != PL_OK) return status;
  return body_changed(body, validate(body));
}
