/* Stored volumes of a morphing tree after an edit: those above the leaves that were touched, of
 * every stored shape, children first. Cost: O(vertices of the leaves beside them + nodes) for
 * each. */
#include "motion/between.h"
#include "update/references.h"

#include <string.h>

/* A stored shape as points: a reference, or a knot, evaluated. */
typedef struct knot_view {
  const morph *morph;
  const knot_pair *pair;
  const knot *knot;
} knot_view;

static void evaluate_knot(const void *controls, const uint32_t *list, uint32_t first, uint32_t count, double (*out)[3])
{
  const knot_view *k = controls;
  for (uint32_t i = 0; i < count; ++i) between_point(k->morph, k->pair, k->knot, list ? list[i] : first + i, out[i]);
}

static aabb leaf_box(const tree *t, const points *p, uint32_t leaf)
{
  const update view = {.tree = (tree *)(uintptr_t)t, .points = p};
  return update_leaf_box(&view, leaf);
}

static void store_boxes(update *u, const points *p, int stored, uint32_t node)
{
  const blend *b = u->state;
  const tree *t = u->tree;
  float *to = (float *)(uintptr_t)blend_block(b, t, node, stored);
  for (int lane = 0; lane < t->nodes.children[node]; ++lane) {
    const int32_t child = tree_children(t, node)[lane];
    const aabb box = child < 0 ? leaf_box(t, p, (uint32_t)~child)
                               : aabb_merge_block(blend_block(b, t, (uint32_t)child, stored), t->nodes.width);
    aabb_set_lane(to, t->nodes.width, lane, &box);
  }
}

static void store_shapes(update *u, const points *p, int stored, uint32_t node)
{
  const blend *b = u->state;
  const tree *t = u->tree;
  float *to = (float *)(uintptr_t)blend_shape(b, t, node, stored);
  for (int lane = 0; lane < t->nodes.children[node]; ++lane) {
    const int32_t child = tree_children(t, node)[lane];
    if (child >= 0 && u->shape->merge) {
      u->shape->merge(blend_shape(b, t, (uint32_t)child, stored), t->nodes.width, t->nodes.children[child], to + lane,
                      t->nodes.width);
      continue;
    }
    const bounded vertices = shapes_vertices(t, p, child);
    u->shape->fit(&vertices, to + lane, t->nodes.width);
  }
}

static void store_again(update *u, const points *p, int stored, const uint32_t *nodes, size_t count)
{
  blend *b = u->state;
  const tree *t = u->tree;
  for (size_t i = 0; i < count; ++i) {
    const size_t at = (size_t)nodes[i] * (size_t)b->stored + (size_t)stored;
    const int children = t->nodes.children[nodes[i]], width = t->nodes.width;
    store_boxes(u, p, stored, nodes[i]);
    b->most[at] = blend_greatest(blend_block(b, t, nodes[i], stored), AABB_COMPONENTS, width, children);
    if (!b->shapes) continue;
    store_shapes(u, p, stored, nodes[i]);
    b->shape_most[at] =
        blend_greatest(blend_shape(b, t, nodes[i], stored), t->layers[LAYER_SHAPES].floats, width, children);
  }
}

static void store_knot(update *u, const knot_pair *pair, const knot *at, const uint32_t *nodes, size_t count)
{
  blend *b = u->state;
  const knot_view view = {u->controls, pair, at};
  const points p = {.type = PL_F64, .evaluate = evaluate_knot, .controls = &view, .exponent = u->points->exponent};
  store_again(u, &p, at->stored, nodes, count);
  for (size_t i = 0; i < count; ++i) {
    blend_keep_size(b->most + (size_t)nodes[i] * (size_t)b->stored, pair, at);
    if (b->shapes) blend_keep_size(b->shape_most + (size_t)nodes[i] * (size_t)b->stored, pair, at);
  }
}

void references_edited(update *u, const uint32_t *leaves, size_t count)
{
  const morph *m = u->controls;
  size_t above = 0;
  const uint32_t *nodes = update_ancestors(u, leaves, count, &above);
  for (int i = 0; i < m->count; ++i) {
    const pl_positions r = morph_reference(m, i);
    const points p = {.data = r.data, .stride = r.stride, .type = r.type, .exponent = u->points->exponent};
    store_again(u, &p, i, nodes, above);
  }
  for (int i = 0; i < m->knots.pair_count; ++i) {
    const knot_pair *pair = &m->knots.pairs[i];
    for (int e = pair->first; e < pair->first + pair->count; ++e)
      if (m->knots.knots[e].stored >= m->count) store_knot(u, pair, &m->knots.knots[e], nodes, above);
  }
}
