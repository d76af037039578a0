/* Volumes from the maps of clusters: the box of an inner node in O(clusters of its vertices),
 * whatever their number. A vertex is within its cluster's deviation of where the map takes it,
 * and the map of a box is around the map of its middle: for each axis the derivative there times
 * the half sides, and the quadratic terms of the half sides. A leaf's box is that of its
 * vertices, evaluated. Rounding: everything is computed in double, and 2^-40 of what takes part
 * is added. */
#include "motion/match.h"
#include "update/update.h"

#include <string.h>

/* The vertices of a node at rest that are at home in one cluster. */
typedef struct match_part {
  uint32_t cluster;         /* MERGED: of the first part of an edited node, whose box is that of its children's */
  float middle[3], half[3]; /* relative to the cluster's rest centre; half sides are rounded up */
} match_part;

enum { MERGED = UINT32_MAX };

typedef struct match_state {
  uint32_t *first; /* by node + 1: the parts of each inner node */
  match_part *parts;
} match_state;

static aabb part_box(const match *m, const match_part *p)
{
  const match_cluster *c = &m->clusters[p->cluster];
  double middle[3], at[3], j[3][3], half[3], size[3];
  aabb box;
  for (int k = 0; k < 3; ++k) {
    middle[k] = (double)p->middle[k];
    half[k] = (double)p->half[k];
  }
  match_apply(&c->map, m->terms, middle, at);
  match_jacobian(&c->map, m->terms, middle, j);
  match_size(m, c, size);
  for (int i = 0; i < 3; ++i) {
    const double *t = c->map.m[i];
    double reach = c->deviation + 0x1p-40 * size[i];
    for (int k = 0; k < 3; ++k) {
      int next = (k + 1) % 3;
      reach += fabs(j[i][k]) * half[k];
      if (m->terms > 3) reach += fabs(t[3 + k]) * half[k] * half[k] + fabs(t[6 + k]) * half[k] * half[next];
    }
    box.lower[i] = round_down(at[i] - reach);
    box.upper[i] = round_up(at[i] + reach);
  }
  return box;
}

/* The boxes in the space of volumes. A scale of 2^-exponent; 1 mostly. */
static aabb scaled(const aabb *b, const points *p)
{
  aabb box = *b;
  const double scale = points_scale(p);
  for (int k = 0; p->exponent && k < 3; ++k) {
    box.lower[k] = round_down((double)b->lower[k] * scale);
    box.upper[k] = round_up((double)b->upper[k] * scale);
  }
  return box;
}

static aabb node_box(const update *u, uint32_t node);

static aabb child_box(const update *u, int32_t child)
{
  return child < 0 ? update_leaf_box(u, (uint32_t)~child) : node_box(u, (uint32_t)child);
}

static aabb node_box(const update *u, uint32_t node)
{
  const match_state *s = u->state;
  aabb box = aabb_empty();
  const bool merged = s->parts[s->first[node]].cluster == MERGED;
  for (int lane = 0; merged && lane < u->tree->nodes.children[node]; ++lane) {
    aabb b = child_box(u, tree_children(u->tree, node)[lane]);
    box = aabb_merge(&box, &b);
  }
  if (merged) return box;
  for (uint32_t i = s->first[node]; i < s->first[node + 1]; ++i) {
    aabb b = part_box(u->controls, &s->parts[i]);
    box = aabb_merge(&box, &b);
  }
  return scaled(&box, u->points);
}

static uint64_t block(update *u, int in, uint32_t node)
{
  tree *t = u->tree;
  if (in != LAYER_BOXES) return update_fit_shapes(u, node);
  const int width = t->nodes.width, count = t->nodes.children[node];
  for (int lane = 0; lane < width; ++lane) {
    int32_t child = lane < count ? tree_children(t, node)[lane] : 0;
    aabb box = lane >= count ? aabb_empty() : child_box(u, child);
    aabb_set_lane(tree_block(t, node), width, lane, &box);
  }
  return (uint64_t)count;
}

/* ------------------------------------------------------------------------------------ create -- */

typedef struct extent {
  double low[3], high[3];
  uint32_t node; /* that it is of, plus 1 */
} extent;

static void extend(const match *m, uint32_t vertex, extent *of, uint32_t node)
{
  uint32_t home = m->home[vertex];
  const double *x = m->rest + 3 * (size_t)vertex;
  extent *e = &of[home];
  for (int k = 0; k < 3; ++k) {
    double q = x[k] - m->clusters[home].about.rest_centre[k];
    e->low[k] = e->node == node + 1 ? fmin(e->low[k], q) : q;
    e->high[k] = e->node == node + 1 ? fmax(e->high[k], q) : q;
  }
  e->node = node + 1;
}

static match_part part_of(const match *m, uint32_t cluster, const extent *e)
{
  match_part p = {.cluster = cluster};
  for (int k = 0; k < 3; ++k) {
    double off = 1e-15 * m->clusters[cluster].reach[k];
    p.middle[k] = round_near(0.5 * (e->low[k] + e->high[k]));
    p.half[k] = round_up(fmax(e->high[k] - (double)p.middle[k], (double)p.middle[k] - e->low[k]) + off);
  }
  return p;
}

static pl_status fill(update *u, extent *of)
{
  const match *m = u->controls;
  const tree *t = u->tree;
  match_state *s = u->state;
  const pl_allocator *allocator = &u->context->def.allocator;
  ARRAY(match_part) parts = {0};
  for (uint32_t node = 0; node < t->nodes.inner_count; ++node) {
    s->first[node] = (uint32_t)parts.count;
    const node_vertices from = tree_vertices(t, node);
    for (int i = 0; i < 2; ++i)
      for (uint32_t k = 0; k < from.count[i]; ++k) extend(m, from.list[i][k], of, node);
    if (!array_reserve(allocator, &parts, parts.count + (size_t)m->cluster_count)) {
      array_free(allocator, &parts);
      return fail(u->context, PL_ERROR_MEMORY, "no memory for the boxes of clusters at rest");
    }
    for (uint32_t k = 0; k < (uint32_t)m->cluster_count; ++k)
      if (of[k].node == node + 1) parts.data[parts.count++] = part_of(m, k, &of[k]);
  }
  s->first[t->nodes.inner_count] = (uint32_t)parts.count;
  s->parts = parts.data;
  u->tree->bytes += parts.capacity * sizeof *s->parts + ((size_t)t->nodes.inner_count + 1) * sizeof *s->first;
  return PL_OK;
}

static pl_status create(update *u, const pl_body_def *def)
{
  const match *m = u->controls;
  match_state *s = u->state;
  const pl_allocator *allocator = &u->context->def.allocator;
  (void)def;
  s->first = mem_new(allocator, (size_t)u->tree->nodes.inner_count + 1, sizeof *s->first);
  extent *of = mem_new(allocator, (size_t)m->cluster_count, sizeof *of);
  pl_status status =
      s->first && of ? fill(u, of) : fail(u->context, PL_ERROR_MEMORY, "no memory for the boxes of clusters at rest");
  mem_free(allocator, of);
  return status;
}

/* Extends the part of a vertex's home by the vertex. */
static void extend_parts(const match *m, match_part *parts, uint32_t count, uint32_t vertex)
{
  const uint32_t home = m->home[vertex];
  uint32_t i = 0;
  if (parts->cluster == MERGED) return;
  while (i < count && parts[i].cluster != home) ++i;
  if (i == count) {
    parts->cluster = MERGED;
    return;
  }
  for (int k = 0; k < 3; ++k) {
    const double q = m->rest[3 * (size_t)vertex + (size_t)k] - m->clusters[home].about.rest_centre[k];
    const float half = round_up(fabs(q - (double)parts[i].middle[k]) + 1e-15 * m->clusters[home].reach[k]);
    if (parts[i].half[k] < half) parts[i].half[k] = half;
  }
}

static void edited(update *u, const uint32_t *leaves, size_t count)
{
  const match_state *s = u->state;
  const tree *t = u->tree;
  for (size_t i = 0; i < count; ++i)
    for (uint32_t slot = t->nodes.leaf_slot[leaves[i]]; slot >> 3 != TREE_ROOT; slot = t->nodes.slot[slot >> 3])
      for (uint32_t k = t->prims.list_first[leaves[i]]; k < t->prims.list_first[leaves[i] + 1]; ++k)
        extend_parts(u->controls, s->parts + s->first[slot >> 3], s->first[(slot >> 3) + 1] - s->first[slot >> 3],
                     t->prims.list[k]);
}

static void destroy(update *u)
{
  match_state *s = u->state;
  mem_free(&u->context->def.allocator, s->first);
  mem_free(&u->context->def.allocator, s->parts);
}

const source_kind source_match = {.reads = MOTION_MATCHED,
                                  .from_vertices = true,
                                  .state_size = sizeof(match_state),
                                  .create = create,
                                  .destroy = destroy,
                                  .block = block,
                                  .edited = edited};
