/* Volumes from the positions of their six realizing vertices, or of one and the volume above,
 * which events keep up to date (update/kinetic.h); and the schedule that goes with it: the eager
 * pass handles the events since the last one, and a volume is computed where a walk opens its
 * parent. Zachmann and Weller 2006. Cost: O(log n) for each event; O(1) for a volume. */
#include "update/kinetic.h"
#include "update/update.h"

static pl_status create_as(update *u, bool box_tree)
{
  kinetic *k = u->state;
  pl_status status = kinetic_create(u->context, u->tree, u->controls, box_tree, k);
  if (status == PL_OK) u->tree->bytes += kinetic_bytes(k);
  return status;
}

static pl_status create(update *u, const pl_body_def *def)
{
  (void)def;
  return create_as(u, false);
}

static pl_status create_planes(update *u, const pl_body_def *def)
{
  (void)def;
  return create_as(u, true);
}

static void destroy(update *u) { kinetic_free(u->state); }

/* The end of the eager pass: alone, with the lock of updates held. */
static void eager_done(update *u)
{
  kinetic *k = u->state;
  u->count += kinetic_go(k, k->plans->s);
}

static void vertices_moved(update *u, const uint32_t *vertices, size_t count)
{
  kinetic *k = u->state;
  if (k->started && k->version == k->plans->version) kinetic_change(k, vertices, count);
}

static void edited(update *u, const uint32_t *leaves, size_t count)
{
  kinetic *k = u->state;
  if (k->started && k->version == k->plans->version) kinetic_edit(k, leaves, count);
}

/* The position of an extent, rounded as a refit rounds: the model's space may be scaled, and a
 * denormal product is right to its last bit only. */
static float value_of(const update *u, uint32_t extent)
{
  const kinetic *k = u->state;
  double at = path_value(kinetic_path(k, extent), k->plans->degree, k->plans->s), least = 0;
  if (u->points->exponent) {
    at *= points_scale(u->points);
    least = 0x1p-1074;
  }
  return kinetic_component(k, extent) < 3 ? round_down(at - least) : round_up(at + least);
}

static uint64_t boxes(update *u, uint32_t node)
{
  tree *t = u->tree;
  const int width = t->nodes.width, children = t->nodes.children[node];
  const aabb none = aabb_empty();
  float *block = tree_block(t, node);
  for (int lane = 0; lane < width; ++lane) {
    if (lane >= children) {
      aabb_set_lane(block, width, lane, &none);
      continue;
    }
    uint32_t first = (1 + node * (uint32_t)width + (uint32_t)lane) * EXTENTS;
    for (uint32_t c = 0; c < EXTENTS; ++c) block[c * (uint32_t)width + (uint32_t)lane] = value_of(u, first + c);
  }
  return (uint64_t)children;
}

/* Box trees: the box above, cut by each child's plane. The blocks of all ancestors are current. */
static uint64_t cut_boxes(update *u, uint32_t node)
{
  const kinetic *k = u->state;
  tree *t = u->tree;
  const int width = t->nodes.width, children = t->nodes.children[node];
  float *block = tree_block(t, node), above[EXTENTS];
  if (node == TREE_ROOT) {
    for (uint32_t c = 0; c < EXTENTS; ++c) above[c] = value_of(u, c);
  } else {
    aabb box = tree_volume(t, (int32_t)node);
    for (int c = 0; c < 3; ++c) above[c] = box.lower[c], above[c + 3] = box.upper[c];
  }
  for (int lane = 0; lane < width; ++lane) {
    for (int c = 0; c < (int)EXTENTS; ++c)
      block[c * width + lane] = lane < children ? above[c] : c < 3 ? INFINITY : -INFINITY;
    if (lane >= children) continue;
    uint32_t extent = kinetic_extent(k, 1 + node * (uint32_t)width + (uint32_t)lane);
    float *at = &block[(int)kinetic_component(k, extent) * width + lane], plane = value_of(u, extent);
    if (kinetic_component(k, extent) < 3 ? plane > *at : plane < *at) *at = plane;
  }
  return (uint64_t)children;
}

static uint64_t block_of_planes(update *u, int in, uint32_t node)
{
  if (in == LAYER_BOXES) return cut_boxes(u, node);
  return update_fit_shapes(u, node);
}

static uint64_t block(update *u, int in, uint32_t node)
{
  if (in == LAYER_BOXES) return boxes(u, node);
  return update_fit_shapes(u, node);
}

static void info(const update *u, pl_body_info *out)
{
  const kinetic *k = u->state;
  out->events = k->events;
  out->updates = k->updates;
  out->starts = k->starts;
  out->certificates = k->queued;
  out->kinetic_bytes = kinetic_bytes(k);
}

const source_kind source_realizers = {.reads = MOTION_PLANS,
                                      .from_vertices = true,
                                      .tight = true,
                                      .state_size = sizeof(kinetic),
                                      .create = create,
                                      .destroy = destroy,
                                      .block = block,
                                      .vertices_moved = vertices_moved,
                                      .eager_done = eager_done,
                                      .edited = edited,
                                      .info = info};

const source_kind source_planes = {.reads = MOTION_PLANS,
                                   .from_vertices = true,
                                   .state_size = sizeof(kinetic),
                                   .create = create_planes,
                                   .destroy = destroy,
                                   .block = block_of_planes,
                                   .vertices_moved = vertices_moved,
                                   .eager_done = eager_done,
                                   .info = info};

/* ------------------------------------------------------------------------------ the schedule -- */

static int no_border(update *u, const pl_body_def *def)
{
  (void)u, (void)def;
  return -1;
}

static uint64_t piece(update *u, uint32_t index) { return update_node(u, u->border[index]); }

/* Walks open stale nodes one by one: everything that a block needs is already computed. */
const schedule_kind schedule_events = {
    .border_level = no_border, .piece = piece, .above = update_node, .demand = demand_levels};
