/* Volumes as weighted sums of stored ones: for each reference and each knot between two, all
 * blocks (and shapes) as a refit computes them, stored beside each other. Larsson and
 * Akenine-Moeller 2003 (thesis, paper B, sections 6.3 and 6.5). Cost: one refit per stored
 * shape, once; 24 bytes per volume and stored shape, and the bytes of the shapes. */
#include "motion/between.h"
#include "update/references.h"

#include <string.h>

/* Writes all blocks of the tree, refitted to these positions, to the places of a stored shape. */
static void store(update *u, const points *p, int stored)
{
  blend *b = u->state;
  tree *t = u->tree;
  size_t size = (size_t)AABB_COMPONENTS * (size_t)t->nodes.width,
         shape_size = (size_t)t->layers[LAYER_SHAPES].floats * (size_t)t->nodes.width;
  u->kernels->refit->range(t, p, 0, t->nodes.inner_count);
  if (b->shapes) shapes_refit(t, u->shape, p, 0, t->nodes.inner_count);
  for (uint32_t node = 0; node < t->nodes.inner_count; ++node) {
    size_t at = (size_t)node * (size_t)b->stored + (size_t)stored;
    memcpy(b->blocks + at * size, tree_block(t, node), size * sizeof *b->blocks);
    b->most[at] = blend_greatest(tree_block(t, node), AABB_COMPONENTS, t->nodes.width, t->nodes.children[node]);
    if (!b->shapes) continue;
    memcpy(b->shapes + at * shape_size, tree_shapes(t, node), shape_size * sizeof *b->shapes);
    b->shape_most[at] =
        blend_greatest(tree_shapes(t, node), t->layers[LAYER_SHAPES].floats, t->nodes.width, t->nodes.children[node]);
  }
}

static void keep_size(float *most, int stored, uint32_t nodes, const knot_pair *pair, const knot *k)
{
  for (uint32_t node = 0; node < nodes; ++node, most += stored) blend_keep_size(most, pair, k);
}

static pl_status store_knots(update *u)
{
  blend *b = u->state;
  const morph *m = u->controls;
  const pl_allocator *allocator = &u->context->def.allocator;
  double *xyz = mem_raw(allocator, m->vertex_count + 1, 3 * sizeof *xyz);
  if (!xyz) return fail(u->context, PL_ERROR_MEMORY, "no memory for %zu positions", m->vertex_count);
  points p = {.data = (const char *)xyz, .stride = 3 * sizeof *xyz, .type = PL_F64, .exponent = u->points->exponent};
  for (int i = 0; i < m->knots.pair_count; ++i) {
    const knot_pair *pair = &m->knots.pairs[i];
    for (int e = pair->first; e < pair->first + pair->count; ++e) {
      const knot *at = &m->knots.knots[e];
      if (at->stored < m->count) continue; /* a reference */
      for (size_t v = 0; v < m->vertex_count; ++v) between_point(m, pair, at, v, xyz + 3 * v);
      store(u, &p, at->stored);
      keep_size(b->most, b->stored, u->tree->nodes.inner_count, pair, at);
      if (b->shapes) keep_size(b->shape_most, b->stored, u->tree->nodes.inner_count, pair, at);
    }
  }
  mem_free(allocator, xyz);
  return PL_OK;
}

static bool allocate(update *u)
{
  blend *b = u->state;
  tree *t = u->tree;
  const morph *m = u->controls;
  const pl_allocator *allocator = &u->context->def.allocator;
  size_t n = (size_t)t->nodes.inner_count * (size_t)b->stored, terms = m->count < 2 ? 2 : (size_t)m->count;
  size_t size = (size_t)AABB_COMPONENTS * (size_t)t->nodes.width,
         shape_size = (size_t)t->layers[LAYER_SHAPES].floats * (size_t)t->nodes.width;
  b->blocks = mem_raw(allocator, n, size * sizeof *b->blocks);
  b->most = mem_raw(allocator, n, sizeof *b->most);
  b->now.stored = mem_raw(allocator, terms, sizeof *b->now.stored);
  b->now.weight = mem_raw(allocator, terms, sizeof *b->now.weight);
  if (!b->blocks || !b->most || !b->now.stored || !b->now.weight) return false;
  t->bytes += n * (size + 1) * sizeof(float);
  if (!u->shape || !u->shape->blends) return true;
  b->intervals = u->shape->intervals;
  b->shapes = mem_raw(allocator, n, shape_size * sizeof *b->shapes);
  b->shape_most = mem_raw(allocator, n, sizeof *b->shape_most);
  t->bytes += n * (shape_size + 1) * sizeof(float);
  return b->shapes && b->shape_most;
}

static void moved(update *u)
{
  blend *b = u->state;
  between_choose(u->controls, &b->now);
}

static pl_status create(update *u, const pl_body_def *def)
{
  (void)def;
  blend *b = u->state;
  const morph *m = u->controls;
  b->stored = m->count + m->knots.extra;
  b->least = u->points->exponent < 0 ? round_up(0x1p-1074 * points_scale(u->points)) : 0;
  if (!allocate(u)) return fail(u->context, PL_ERROR_MEMORY, "no memory for the volumes of %d references", m->count);
  for (int i = 0; i < m->count; ++i) {
    pl_positions r = morph_reference(m, i);
    points p = {.data = r.data, .stride = r.stride, .type = r.type, .exponent = u->points->exponent};
    store(u, &p, i);
  }
  pl_status status = m->knots.extra ? store_knots(u) : PL_OK;
  tree_next_frame(u->tree);
  moved(u);
  return status;
}

static void destroy(update *u)
{
  blend *b = u->state;
  void *parts[] = {b->blocks, b->most, b->shapes, b->shape_most, b->now.stored, b->now.weight};
  for (size_t i = 0; i < sizeof parts / sizeof *parts; ++i) mem_free(&u->context->def.allocator, parts[i]);
}

static uint64_t block(update *u, int in, uint32_t node)
{
  const blend *b = u->state;
  if (in == LAYER_BOXES) return u->kernels->refit->blend(u->tree, b, node);
  if (b->shapes)
    u->kernels->refit->blend_shapes(u->tree, b, node);
  else
    shapes_fit(u->tree, u->shape, u->points, node, node + 1); /* shapes that do not blend: from evaluated vertices */
  return 0;
}

static void fetch(const update *u, uint32_t node)
{
  const blend *b = u->state;
  const tree *t = u->tree;
  const size_t size = (size_t)AABB_COMPONENTS * (size_t)t->nodes.width;
  __builtin_prefetch(b->most + (size_t)node * (size_t)b->stored);
  __builtin_prefetch(tree_children(t, node));
  for (int k = 0; k < b->now.count; ++k) {
    const float *from = blend_block(b, t, node, b->now.stored[k]);
    for (size_t i = 0; i < size; i += 16) __builtin_prefetch(from + i);
  }
}

const source_kind source_references = {.reads = MOTION_SUMS,
                                       .state_size = sizeof(blend),
                                       .create = create,
                                       .destroy = destroy,
                                       .block = block,
                                       .fetch = fetch,
                                       .moved = moved,
                                       .edited = references_edited};
