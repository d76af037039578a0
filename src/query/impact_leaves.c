/* Features of two leaves: boxes of features in lanes; those that come near each other are decided in impact_exact.c. */
#include "query/impact.h"

#include <math.h>
#include <string.h>

void impact_take_side(impact_side *side, const pl_body *body, int32_t reference)
{
  side->body = body;
  side->sweep = body->sweep;
  side->leaf = (uint32_t)~reference;
  sweep_open(body, side->leaf);
  impact_box(body, reference, side->around);
}

moving_groups impact_faces(const impact_side *side)
{
  return (moving_groups){side->sweep->triangle_block + (size_t)SWEEP_GROUP * side->leaf, 1};
}

static moving_groups groups_of(const float *blocks, const uint32_t *group, uint32_t leaf)
{
  const uint32_t first = group[leaf];
  return (moving_groups){.block = blocks + (size_t)SWEEP_GROUP * first, .count = group[leaf + 1] - first};
}

moving_groups impact_vertices(const impact_side *side)
{
  return groups_of(side->sweep->vertex_block, side->sweep->vertex_group, side->leaf);
}

moving_groups impact_edges(const impact_side *side)
{
  return groups_of(side->sweep->edge_block, side->sweep->edge_group, side->leaf);
}

moving_groups impact_to_space(moving_groups boxes, const sweep *from, const sweep *to, float copy[IMPACT_COPY])
{
  const int shift = from->exponent - to->exponent;
  if (!shift) return boxes;
  memcpy(copy, boxes.block, boxes.count * SWEEP_GROUP * sizeof *copy);
  for (uint32_t g = 0; g < boxes.count; ++g) {
    float *group = copy + (size_t)SWEEP_GROUP * g;
    sweep_to_space(group, 8, 8, shift);
    for (int c = 0; c < SWEEP_BLOCK / 2; ++c) group[SWEEP_BLOCK + c] = fmaxf(group[c], group[c + SWEEP_BLOCK / 2]);
  }
  return (moving_groups){copy, boxes.count};
}

/* The boxes of x against those of y, in the space of y. */
static int hits_of(impact_search *s, const impact_side *x, moving_groups boxes_x, const impact_side *y,
                   moving_groups boxes_y, moving_hit hits[MOVING_HITS])
{
  float copy[IMPACT_COPY];
  moving_sides sides = {.x = impact_to_space(boxes_x, x->sweep, y->sweep, copy),
                        .y = boxes_y,
                        .around = y->around,
                        .separation = impact_wide(s->separation, y->sweep),
                        .limit = s->limit};
  int count = s->kernels->window_sides(&sides, hits);
  s->counters.n_v += sides.tests;
  return count;
}

/* Own vertices of leaf x against the triangles of leaf y; `turned`: the vertices are of body b. */
static void vertices_faces(impact_search *s, uint32_t number, const impact_side *x, const impact_side *y, bool turned)
{
  const primitives *p = &y->body->tree->prims;
  const uint32_t first = p->tri_first[y->leaf],
                 *vertex = x->sweep->vertex + 8 * (size_t)x->sweep->vertex_group[x->leaf];
  const bool self = x->body == y->body;
  moving_hit hits[MOVING_HITS];
  int count = hits_of(s, x, impact_vertices(x), y, impact_faces(y), hits);
  for (int h = 0; h < count; ++h) {
    const uint32_t v = vertex[hits[h].x];
    for (unsigned near = hits[h].near; near; near &= near - 1) {
      int i = __builtin_ctz(near);
      const uint32_t t = first + (uint32_t)i, *corner = p->tri + 3 * (size_t)t;
      if ((double)hits[h].from[i] > s->most || (self && (corner[0] == v || corner[1] == v || corner[2] == v))) continue;
      impact_pair pair = {.job = number, .sequence = s->sequence++};
      pair.kind = turned ? PL_IMPACT_FACE_VERTEX : PL_IMPACT_VERTEX_FACE;
      memcpy(turned ? pair.a : pair.b, corner, 3 * sizeof *corner);
      *(turned ? pair.b : pair.a) = v;
      pair.id_a = turned ? p->tri_id[t] : v;
      pair.id_b = turned ? v : p->tri_id[t];
      impact_put(s, &pair, hits[h].from[i], hits[h].to[i]);
    }
  }
}

static void edges_edges(impact_search *s, uint32_t number, const impact_side *x, const impact_side *y)
{
  const sweep *sx = x->sweep, *sy = y->sweep;
  const uint32_t *edge_x = sx->edge + 8 * (size_t)sx->edge_group[x->leaf],
                 *edge_y = sy->edge + 8 * (size_t)sy->edge_group[y->leaf];
  const bool self = sx == sy, same = self && x->leaf == y->leaf;
  moving_hit hits[MOVING_HITS];
  int count = hits_of(s, x, impact_edges(x), y, impact_edges(y), hits);
  for (int h = 0; h < count; ++h) {
    const uint32_t *edge = sx->edges[edge_x[hits[h].x]];
    for (unsigned near = hits[h].near; near; near &= near - 1) {
      int i = __builtin_ctz(near), at = 8 * hits[h].group + i;
      if ((same && at <= hits[h].x) || (double)hits[h].from[i] > s->most) continue;
      const uint32_t *other = sy->edges[edge_y[at]];
      if (self && impact_edges_join(edge, other)) continue;
      bool turn = self && (other[0] < edge[0] || (other[0] == edge[0] && other[1] < edge[1]));
      impact_pair pair = {.job = number, .kind = PL_IMPACT_EDGE_EDGE, .sequence = s->sequence++};
      memcpy(pair.a, turn ? other : edge, 2 * sizeof *edge);
      memcpy(pair.b, turn ? edge : other, 2 * sizeof *edge);
      impact_put(s, &pair, hits[h].from[i], hits[h].to[i]);
    }
  }
}

void impact_leaves(impact_search *s, const impact_item *item)
{
  const impact_job *j = &s->jobs[item->job];
  const bool self = j->a == j->b;
  impact_side x, y;
  impact_take_side(&x, j->a, item->a);
  impact_take_side(&y, j->b, item->b);
  vertices_faces(s, item->job, &x, &y, false);
  if (!self || item->a != item->b) vertices_faces(s, item->job, &y, &x, !self);
  edges_edges(s, item->job, &x, &y);
}
