/* Positions, and the volumes of a level as their layers store them, for viewers. */
#include "pliant/tuning.h"

#include "mesh/mesh.h"
#include "query/query.h"

#include <string.h>

/* --------------------------------------------------------------------------------- positions -- */

static pl_status check_positions(const pl_body *body, const uint32_t *vertices, size_t count, pl_scalar type,
                                 const void *data, size_t stride)
{
  pl_context *context = body->context;
  const size_t all = body->motion.vertex_count;
  if (!data && count) return query_refuse_null(context, "data");
  pl_status status =
      positions_check_place(context, pl_positions_strided(type, data, count, stride ? stride : 3 * scalar_size(type)));
  if (status != PL_OK) return status;
  if (!vertices && count != all)
    return fail(context, PL_ERROR_MISMATCH, "room for %zu of %zu vertices: give all, or a list of vertices", count,
                all);
  for (size_t i = 0; vertices && i < count; ++i)
    if (vertices[i] >= all)
      return fail(context, PL_ERROR_MISMATCH, "vertex %u (entry %zu of the list) is out of range: the body has %zu",
                  vertices[i], i, all);
  return PL_OK;
}

pl_status pl_body_positions(pl_body *body, const uint32_t *vertices, size_t count, pl_scalar type, void *data,
                            size_t stride)
{
  if (!body) return fail_null("body");
  call c;
  pl_status status = check_positions(body, vertices, count, type, data, stride);
  if (status == PL_OK) status = query_enter(&c, body, NULL);
  if (status != PL_OK) return status;
  if (!stride) stride = 3 * scalar_size(type);
  for (size_t i = 0; i < count; ++i) {
    double q[3];
    points_world(&body->motion.now, vertices ? vertices[i] : (uint32_t)i, q);
    positions_put(type, (char *)data + i * stride, q);
  }
  call_query_end(&c);
  return PL_OK;
}

/* ----------------------------------------------------------------------------------- volumes -- */

/* An inner node, and its place among all nodes of its level. */
typedef struct inner_node {
  uint32_t node, place;
} inner_node;

typedef struct volume_scratch {
  ARRAY(pl_node_volume) volumes;
  ARRAY(float) components;
  ARRAY(inner_node) nodes[2]; /* inner nodes of a level, in the order of the tree */
  pl_volumes answer;
} volume_scratch;

static void destroy(pl_context *context, void *scratch)
{
  volume_scratch *s = scratch;
  const pl_allocator *allocator = &context->def.allocator;
  array_free_all(allocator, &s->volumes, &s->components, &s->nodes[0], &s->nodes[1]);
}

const query_slot pl_inside_query_VOLUMES = {sizeof(volume_scratch), NULL, destroy};

/* The eager pass computes the blocks of all nodes, or of those above and at its border. */
static pl_fresh freshness(const pl_body *body, int in, uint32_t node)
{
  const update *u = body->update;
  if (!tree_is_true(body->tree, in, node)) return PL_FRESH_STALE;
  bool eager = update_is_eager(u) || u->whole_done || (int)body->tree->nodes.level[node] < u->eager_levels;
  return eager ? PL_FRESH_EAGER : PL_FRESH_DEMAND;
}

static bool was_computed(const tree *t, int in, uint32_t node)
{
  return atomic_load_explicit(&t->layers[in].stamp[node], memory_order_acquire) != 0;
}

static uint32_t triangles_below(const tree *t, int32_t child)
{
  if (child < 0) return t->prims.tri_end[~child] - t->prims.tri_first[~child];
  uint32_t sum = 0;
  for (uint32_t i = (uint32_t)child; i < t->nodes.end[child]; ++i)
    for (int lane = 0; lane < t->nodes.children[i]; ++lane)
      if (tree_children(t, i)[lane] < 0) sum += triangles_below(t, tree_children(t, i)[lane]);
  return sum;
}

static bool room_for(pl_context *context, volume_scratch *s, size_t more, int floats)
{
  const pl_allocator *allocator = &context->def.allocator;
  return array_reserve(allocator, &s->volumes, s->volumes.count + more) &&
         array_reserve(allocator, &s->components, s->components.count + more * (size_t)floats);
}

/* The volume of a node from its lane in its parent's block. */
static void add_child(const pl_body *body, volume_scratch *s, uint32_t parent, uint32_t node, int lane)
{
  const tree *t = body->tree;
  int32_t child = tree_children(t, node)[lane];
  const shape_kind *shape = body->update->shape;
  pl_node_volume v = {.parent = parent, .leaf = child < 0, .triangles = triangles_below(t, child)};
  v.fresh = v.shape_fresh = freshness(body, LAYER_BOXES, node);
  if (was_computed(t, LAYER_BOXES, node)) {
    aabb box = aabb_lane(tree_block(t, node), t->nodes.width, lane);
    memcpy(v.lower, box.lower, sizeof v.lower);
    memcpy(v.upper, box.upper, sizeof v.upper);
  }
  if (shape) {
    v.shape_fresh = freshness(body, LAYER_SHAPES, node);
    bool known = was_computed(t, LAYER_SHAPES, node);
    for (int k = 0; k < shape->floats; ++k)
      s->components.data[s->components.count++] = known ? tree_shapes(t, node)[k * t->nodes.width + lane] : 0;
  }
  s->volumes.data[s->volumes.count++] = v;
}

static void add_root(const pl_body *body, volume_scratch *s)
{
  pl_node_volume v = {.triangles = prims_live(&body->tree->prims)};
  v.fresh = v.shape_fresh = freshness(body, LAYER_BOXES, TREE_ROOT);
  if (was_computed(body->tree, LAYER_BOXES, TREE_ROOT)) {
    aabb box = body_model_box(body);
    memcpy(v.lower, box.lower, sizeof v.lower);
    memcpy(v.upper, box.upper, sizeof v.upper);
  }
  s->volumes.data[s->volumes.count++] = v;
}

/* Goes to the next level: the children of the inner nodes of this one. Their volumes are listed
 * if the caller wants that level. */
static bool step_down(pl_body *body, volume_scratch *s, int from, bool wanted, bool refit)
{
  pl_context *context = body->context;
  const tree *t = body->tree;
  const shape_kind *shape = body->update->shape;
  size_t width = (size_t)t->nodes.width;
  uint32_t index = 0;
  s->nodes[!from].count = 0;
  for (size_t i = 0; i < s->nodes[from].count; ++i) {
    inner_node above = s->nodes[from].data[i];
    if (refit) update_ensure(body->update, shape ? LAYER_SHAPES : LAYER_BOXES, above.node);
    if ((wanted && !room_for(context, s, width, shape ? shape->floats : 0)) ||
        !array_reserve(&context->def.allocator, &s->nodes[!from], s->nodes[!from].count + width))
      return false;
    for (int lane = 0; lane < t->nodes.children[above.node]; ++lane, ++index) {
      int32_t child = tree_children(t, above.node)[lane];
      if (wanted) add_child(body, s, above.place, above.node, lane);
      if (child >= 0) s->nodes[!from].data[s->nodes[!from].count++] = (inner_node){(uint32_t)child, index};
    }
  }
  return true;
}

static pl_status list_level(pl_body *body, volume_scratch *s, int level, bool refit)
{
  pl_context *context = body->context;
  s->volumes.count = s->components.count = s->nodes[0].count = 0;
  bool room = room_for(context, s, 1, 0) && array_reserve(&context->def.allocator, &s->nodes[0], 1);
  if (room) s->nodes[0].data[s->nodes[0].count++] = (inner_node){TREE_ROOT, 0};
  if (refit) body_ensure_root(body);
  if (room && level == 0) add_root(body, s);
  for (int at = 1; room && at <= level; ++at) room = step_down(body, s, (at - 1) & 1, at == level, refit);
  return room ? PL_OK : fail(context, PL_ERROR_MEMORY, "no memory for the volumes of level %d", level);
}

static pl_status report(pl_body *body, int level, bool refit, const pl_volumes **out)
{
  pl_context *context = body->context;
  const int levels = body->tree->nodes.depth + 1;
  if (level < 0 || level >= levels)
    return fail(context, PL_ERROR_ARGUMENT, "level %d: the tree has the levels 0 to %d", level, levels - 1);
  volume_scratch *s = query_scratch(context, QUERY_VOLUMES);
  if (!s) return PL_ERROR_MEMORY;
  uint64_t made = 0;
  pl_status status = refit ? body_update(body, &made) : PL_OK;
  if (status == PL_OK) status = list_level(body, s, level, refit);
  if (status != PL_OK) return status;
  const shape_kind *shape = body->update->shape;
  s->answer = (pl_volumes){.volumes = s->volumes.data,
                           .count = s->volumes.count,
                           .level = level,
                           .levels = levels,
                           .kind = shape && level ? body->def.volume : PL_VOLUME_AABB,
                           .components = shape && level ? s->components.data : NULL,
                           .component_count = shape && level ? shape->floats : 0,
                           .to_world = pl_transform_identity()};
  if (motion_space(&body->motion)) s->answer.to_world = *motion_space(&body->motion);
  *out = &s->answer;
  return PL_OK;
}

pl_status pl_body_volumes(pl_body *body, int level, bool refit, const pl_volumes **out)
{
  if (out) *out = NULL;
  if (!body || !out) return query_refuse_null(body ? body->context : NULL, body ? "out" : "body");
  pl_status status = body_change(body); /* walks of other threads might write what is read here */
  if (status != PL_OK) return status;
  return body_changed(body, report(body, level, refit, out));
}
