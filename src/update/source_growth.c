/* Volumes that grow by the displacements of their vertices, so that all are right before every
 * query and none is refitted during one; those that have become unfit are refitted. After F.
 * Bitar's thesis, sections III.4.2 to 4.5.
 *
 * The thesis keeps two displacements per triangle. Here a vertex has the latest one (measured
 * once, however many triangles share it) and a leaf the overall one, from where its vertices
 * were when it was refitted: the greatest over a leaf's triangles is the greatest over its
 * vertices, so this bounds the same with less memory and work. Inner nodes add up the latest
 * ones, as in the thesis. A leaf's growth is not taken back when its vertices return, as in the
 * thesis.
 *
 * Cost of an update: O(vertices + nodes) additions; a refit costs the vertices of a volume, or
 * the boxes of its children where those have just been refitted. */
#include "update/update.h"

#include <string.h>

/* What kernels read, and how many entries of the leaves' lists `origin` has room for. */
typedef struct grown_state {
  inflation in;
  size_t listed;
} grown_state;

/* Bit A + 2 B + 4 C. C alone does not happen: a volume that passes C has been entered by a walk. */
static uint8_t truth_of(pl_criterion criterion)
{
  uint8_t table = 0;
  for (unsigned i = 0; i < 8; ++i) {
    bool a = i & 1, b = i & 2, c = i & 4;
    bool unfit[PL_CRITERION_COUNT] = {[PL_CRITERION_A] = a,
                                      [PL_CRITERION_B] = b,
                                      [PL_CRITERION_A_AND_B] = a && b,
                                      [PL_CRITERION_B_AND_C] = b && c,
                                      [PL_CRITERION_A_AND_B_AND_C] = a && b && c,
                                      [PL_CRITERION_A_OR_BC] = a || (b && c),
                                      [PL_CRITERION_AB_OR_BC] = (a && b) || (b && c),
                                      [PL_CRITERION_REFIT_ALL] = true,
                                      [PL_CRITERION_REFIT_NONE] = false};
    table = (uint8_t)(table | unfit[criterion] << i);
  }
  return table;
}

/* The test of child distances for an inner node: `own` is its distance from some volume,
 * `children` the least of its children's. */
static void compare(watch *self, const tree *t, uint32_t node, float own, float children)
{
  inflation *in = (inflation *)(void *)self; /* its first member */
  size_t lane = (size_t)(t->nodes.slot[node] >> 3) * (size_t)t->nodes.width + (t->nodes.slot[node] & 7);
  double grown = (double)in->grown[lane];
  if (!(grown > 0 && grown >= in->def.gamma * (double)in->size[lane])) return;
  if ((double)children - (double)own > in->def.k * grown)
    atomic_store_explicit(&in->apart[node], t->frame, memory_order_relaxed);
}

static pl_status create(update *u, const pl_body_def *body_def)
{
  const pl_inflate_def *def = &body_def->inflate;
  const pl_allocator *allocator = &u->context->def.allocator;
  tree *t = u->tree;
  size_t vertices = (size_t)t->prims.vertex_count + 1, lanes = (size_t)t->nodes.inner_count * (size_t)t->nodes.width;
  size_t nodes = (size_t)t->nodes.inner_count + t->nodes.leaf_count, list = t->prims.list_first[t->nodes.leaf_count];
  bool follow = def->growth == PL_GROWTH_FOLLOW;
  inflation *in = u->state;
  in->def = *def;
  in->unfit = truth_of(def->criterion);
  in->all = true;
  in->grow = u->shape ? u->shape->grow : NULL;
  in->centred = u->shape && u->shape->centred;
  in->now = mem_new(allocator, vertices, 3 * sizeof *in->now);
  in->last = mem_new(allocator, vertices, 3 * sizeof *in->last);
  in->moved = mem_new(allocator, vertices, (follow ? 4 : 1) * sizeof *in->moved);
  in->grown = mem_new(allocator, lanes, sizeof *in->grown);
  in->size = mem_new(allocator, lanes, sizeof *in->size);
  if (follow) {
    in->drift = mem_new(allocator, t->nodes.inner_count, 8 * sizeof *in->drift);
  } else {
    in->origin = mem_new(allocator, list + 1, 3 * sizeof *in->origin);
    in->latest = mem_new(allocator, t->nodes.inner_count, sizeof *in->latest);
  }
  ((grown_state *)u->state)->listed = list;
  in->slots = mem_raw(allocator, lanes, sizeof *in->slots);
  in->watch = (watch){mem_new(allocator, nodes, sizeof *in->watch.seen), compare};
  in->apart = mem_new(allocator, t->nodes.inner_count, sizeof *in->apart);
  bool ways = follow ? in->drift != NULL : in->origin && in->latest;
  if (!(in->now && in->last && in->moved && ways && in->grown && in->size && in->slots && in->watch.seen && in->apart))
    return fail(u->context, PL_ERROR_MEMORY, "no memory for the displacements of %u vertices", t->prims.vertex_count);
  size_t own =
      follow ? 10 * vertices + 8 * (size_t)t->nodes.inner_count : 7 * vertices + 3 * list + t->nodes.inner_count;
  t->bytes += (own + 3 * lanes + nodes + t->nodes.inner_count) * sizeof(float);
  t->watch = &in->watch;
  return PL_OK;
}

static void destroy(update *u)
{
  inflation *in = u->state;
  void *parts[] = {in->now,          in->last,   in->moved, in->origin, in->grown,
                   in->size,         in->latest, in->drift, in->slots,  (void *)in->watch.seen,
                   (void *)in->apart};
  for (size_t i = 0; i < sizeof parts / sizeof *parts; ++i) mem_free(&u->context->def.allocator, parts[i]);
  if (u->tree) u->tree->watch = NULL;
}

static void moved(update *u)
{
  inflation *in = u->state;
  if (!u->pending) { /* the last update is done: what queries saw of it counts now */
    float *last = in->last;
    in->last = in->now;
    in->now = last;
    in->seen_frame = u->tree->frame;
  }
  /* volumes of float positions have no room for roundings */
  if (in->type != u->points->type) in->all = true;
  if (in->exponent != u->points->exponent) in->all = true; /* they stand in another space */
  in->type = u->points->type;
  in->exponent = u->points->exponent;
  in->refitted = in->inflated = 0;
  in->most_grown = 0;
  in->moving = false;
  if (in->def.criterion != PL_CRITERION_REFIT_ALL)
    u->kernels->inflate->measure(in, u->points, 0, u->tree->prims.vertex_count);
}

/* -------------------------------------------------------------------------- refitted volumes -- */

/* What rounding positions to float may hide, now and later: 2^-24 of the coordinates, along
 * three axes, twice. */
static float slack_of(const aabb *box)
{
  float most = 0;
  for (int k = 0; k < 3; ++k) {
    most = fmaxf(most, fabsf(box->lower[k]));
    most = fmaxf(most, fabsf(box->upper[k]));
  }
  return most * 0x1p-22f + 0x1p-140f;
}

static float size_of(const update *u, uint32_t node, int lane, const aabb *box)
{
  if (u->shape) {
    bool extent = ((const inflation *)u->state)->drift && u->shape->extent;
    return (extent ? u->shape->extent : u->shape->size)(tree_shapes(u->tree, node) + lane, u->tree->nodes.width);
  }
  double sum = 0;
  for (int k = 0; k < 3; ++k) sum += (double)box->upper[k] - (double)box->lower[k];
  return (float)(sum / 6);
}

static void lane_refitted(update *u, uint32_t node, int lane)
{
  tree *t = u->tree;
  inflation *in = u->state;
  size_t place = (size_t)node * (size_t)t->nodes.width + (size_t)lane;
  int32_t child = tree_children(t, node)[lane];
  aabb box = aabb_lane(tree_block(t, node), t->nodes.width, lane);
  in->size[place] = size_of(u, node, lane, &box);
  in->grown[place] = 0;
  if (u->points->type == PL_F64) u->kernels->inflate->lane(t, in, node, lane, slack_of(&box));
  if (child >= 0 || !in->origin) return;
  for (uint32_t k = t->prims.list_first[~child]; k < t->prims.list_first[~child + 1]; ++k)
    memcpy(in->origin + 3 * (size_t)k, in->now + 3 * (size_t)t->prims.list[k], 3 * sizeof(float));
}

/* Have all children of a node just been refitted, or not moved since? */
static bool children_are_fresh(const tree *t, const inflation *in, int32_t child)
{
  if (child < 0) return false;
  const float *grown = in->grown + (size_t)child * (size_t)t->nodes.width;
  for (int lane = 0; lane < t->nodes.children[child]; ++lane)
    if (grown[lane] > 0) return false;
  return true;
}

static void refit_lane(update *u, uint32_t slot)
{
  tree *t = u->tree;
  uint32_t node = slot >> 3;
  int lane = (int)(slot & 7);
  int32_t child = tree_children(t, node)[lane];
  bool fresh = children_are_fresh(t, u->state, child);
  if (fresh) {
    aabb box = aabb_merge_block(tree_block(t, (uint32_t)child), t->nodes.width);
    aabb_set_lane(tree_block(t, node), t->nodes.width, lane, &box);
  } else {
    u->kernels->refit->lane(t, u->points, node, lane);
  }
  if (u->shape && fresh) shapes_refit_lane(t, u->shape, u->points, node, lane);
  if (u->shape && !fresh) shapes_fit_lane(t, u->shape, u->points, node, lane);
  lane_refitted(u, node, lane);
}

static uint64_t refit_all(update *u, uint32_t begin, uint32_t end)
{
  uint64_t made = source_children.range(u, begin, end);
  /* nothing ever grows */
  if (((const inflation *)u->state)->def.criterion == PL_CRITERION_REFIT_ALL) return made;
  for (uint32_t node = begin; node < end; ++node)
    for (int lane = 0; lane < u->tree->nodes.children[node]; ++lane) lane_refitted(u, node, lane);
  return made;
}

static uint64_t range(update *u, uint32_t begin, uint32_t end)
{
  inflation *in = u->state;
  uint64_t made = 0, inflated = 0;
  float most = 0;
  if (in->all || in->def.criterion == PL_CRITERION_REFIT_ALL) {
    made = refit_all(u, begin, end);
  } else {
    made = u->kernels->inflate->range(u->tree, in, begin, end, &inflated, &most);
    for (uint32_t node = begin; u->shape && node < end; ++node) tree_stamp(u->tree, LAYER_SHAPES, node);
    const uint32_t *slots = in->slots + (size_t)begin * (size_t)u->tree->nodes.width;
    for (uint32_t i = 0; i < made; ++i) refit_lane(u, slots[i]);
  }
  in->refitted += made;
  in->inflated += inflated;
  float seen = in->most_grown;
  while (most > seen && !atomic_compare_exchange_weak(&in->most_grown, &seen, most)) continue;
  return made;
}

static void vertices_moved(update *u, const uint32_t *vertices, size_t count)
{
  for (size_t i = 0; i < count; ++i) u->kernels->inflate->measure(u->state, u->points, vertices[i], vertices[i] + 1);
}

static void eager_done(update *u)
{
  inflation *in = u->state;
  in->all = false;
  u->tree->loose =
      2.001f *
      in->most_grown; /* the contents of a volume at its last refit are within its growth of the present ones */
}

static void info(const update *u, pl_body_info *out)
{
  const inflation *in = u->state;
  out->volumes = (uint64_t)u->tree->nodes.inner_count - 1 + u->tree->nodes.leaf_count;
  out->refitted = in->refitted;
  out->inflated = in->inflated;
}

static uint64_t block(update *u, int in, uint32_t node) { return in == LAYER_BOXES ? range(u, node, node + 1) : 0; }

static void forget(update *u) { ((inflation *)u->state)->all = true; }

/* Triangles are in other leaves, whose lists may be longer (tree/resort.h): all volumes are
 * refitted next time, and where their vertices were is noted again. Out of memory: from then on all
 * are refitted each time. */
static void resorted(update *u)
{
  grown_state *state = u->state;
  inflation *in = &state->in;
  const pl_allocator *allocator = &u->context->def.allocator;
  const size_t list = u->tree->prims.list_first[u->tree->nodes.leaf_count];
  in->all = true;
  if (!in->origin || list <= state->listed) return;
  mem_free(allocator, in->origin);
  u->tree->bytes += 3 * (list - state->listed) * sizeof *in->origin;
  state->listed = list;
  in->origin = mem_new(allocator, list + 1, 3 * sizeof *in->origin);
  if (!in->origin) in->def.criterion = PL_CRITERION_REFIT_ALL;
}

const source_kind source_growth = {.reads = MOTION_STORED,
                                   .from_vertices = true,
                                   .grows = true,
                                   .state_size = sizeof(grown_state),
                                   .create = create,
                                   .destroy = destroy,
                                   .block = block,
                                   .range = range,
                                   .moved = moved,
                                   .forget = forget,
                                   .vertices_moved = vertices_moved,
                                   .lane_refitted = lane_refitted,
                                   .eager_done = eager_done,
                                   .resorted = resorted,
                                   .info = info};
