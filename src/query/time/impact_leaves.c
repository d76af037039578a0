/* Features of two leaves: boxes of features in lanes; those that come near each other are
 * decided in impact_exact.c. */
#include "query/time/impact.h"

#include <math.h>
#include <string.h>

static moving_groups groups_of(const sweep_groups *g, uint32_t leaf, bool moving)
{
  const size_t first = g->first[leaf];
  return (moving_groups){.block = moving ? g->block + SWEEP_BLOCK * first : NULL,
                         .swept = g->swept + SWEEP_SWEPT * first,
                         .around = g->around[leaf],
                         .id = g->id ? g->id + 8 * (size_t)g->corners * first : NULL,
                         .count = g->first[leaf + 1] - (uint32_t)first};
}

void impact_take_side(impact_side *side, const impact_view *view, int32_t reference, bool moving)
{
  const sweep_tree *over = view->over;
  side->view = view;
  side->leaf = (uint32_t)~reference;
  sweep_open(view->body, over, side->leaf, moving);
  if (moving) impact_box(view, reference, side->boxes.around);
  side->boxes.of[MOVING_VERTICES] = groups_of(&over->vertices, side->leaf, moving);
  side->boxes.of[MOVING_EDGES] = groups_of(&over->edges, side->leaf, moving);
  side->boxes.of[MOVING_FACES] = groups_of(&over->faces, side->leaf, moving);
}

/* Moves groups of boxes to another space. Boxes around the whole way alone move as boxes that
 * stand still. Returns where more can be put. */
static float *move_groups(moving_groups *g, int shift, float *room)
{
  float *around = room, *swept = around + SWEEP_AROUND, *block = swept + SWEEP_SWEPT * g->count;
  for (int c = 0; c < SWEEP_AROUND; ++c) around[c] = -INFINITY;
  for (uint32_t i = 0; i < g->count; ++i) {
    float *to = block + SWEEP_BLOCK * i;
    if (g->block) memcpy(to, g->block + SWEEP_BLOCK * i, SWEEP_BLOCK * sizeof *to);
    for (int half = 0; half < 2 && !g->block; ++half)
      memcpy(to + SWEEP_SWEPT * half, g->swept + SWEEP_SWEPT * i, SWEEP_SWEPT * sizeof *to);
    sweep_to_space(to, 8, 8, shift);
    for (int c = 0; c < SWEEP_SWEPT; ++c) {
      swept[SWEEP_SWEPT * i + (uint32_t)c] = fmaxf(to[c], to[c + SWEEP_SWEPT]);
      around[c / 8] = fmaxf(around[c / 8], fmaxf(to[c], to[c + SWEEP_SWEPT]));
    }
  }
  g->around = around;
  g->swept = swept;
  g->block = g->block ? block : NULL;
  return block + SWEEP_BLOCK * g->count;
}

const moving_side *impact_side_in(const impact_side *side, const impact_view *other, impact_copy *copy)
{
  const int shift = side->view->over->exponent - other->over->exponent;
  if (!shift) return &side->boxes;
  float *room = copy->room;
  copy->boxes = side->boxes;
  if (side->boxes.of[0].block) sweep_to_space(copy->boxes.around, 1, 1, shift);
  for (int i = 0; i < MOVING_FEATURES; ++i) room = move_groups(&copy->boxes.of[i], shift, room);
  return &copy->boxes;
}

impact_features impact_features_of(const impact_side *x, const impact_side *y, int kind)
{
  const bool edges = kind == MOVING_EDGE_EDGE;
  const impact_side *one = kind == MOVING_FACE_VERTEX ? y : x, *other = kind == MOVING_FACE_VERTEX ? x : y;
  impact_features f = {.first = edges ? &one->view->over->edges : &one->view->over->vertices,
                       .second = edges ? &other->view->over->edges : &other->view->over->faces};
  f.first_group = f.first->first[one->leaf];
  f.second_group = f.second->first[other->leaf];
  return f;
}

bool impact_joined(const impact_features *f, unsigned first, unsigned second)
{
  uint32_t p[3], q[3];
  impact_corners(f->first, f->first_group, first, p);
  impact_corners(f->second, f->second_group, second, q);
  for (int i = 0; i < f->first->corners; ++i)
    for (int k = 0; k < f->second->corners; ++k)
      if (p[i] == q[k]) return true;
  return false;
}

/* The pair of a vertex and a face; `turned`: the vertex is of body b. */
static void take_vertex_face(const impact_features *f, unsigned x, unsigned y, bool turned, impact_pair *out)
{
  const uint32_t vertex = f->first->number[8 * f->first_group + x], face = f->second->number[8 * f->second_group + y];
  out->kind = turned ? PL_FEATURE_FACE_VERTEX : PL_FEATURE_VERTEX_FACE;
  impact_corners(f->second, f->second_group, y, turned ? out->a : out->b);
  *(turned ? out->b : out->a) = vertex;
  out->id_a = turned ? face : vertex;
  out->id_b = turned ? vertex : face;
}

/* The pair of two edges; of one body the lesser vertices first. */
static void take_edges(const impact_features *f, unsigned x, unsigned y, bool self, impact_pair *out)
{
  uint32_t edge[3], other[3];
  impact_corners(f->first, f->first_group, x, edge);
  impact_corners(f->second, f->second_group, y, other);
  bool turn = self && (other[0] < edge[0] || (other[0] == edge[0] && other[1] < edge[1]));
  out->kind = PL_FEATURE_EDGE_EDGE;
  memcpy(out->a, turn ? other : edge, 2 * sizeof *edge);
  memcpy(out->b, turn ? edge : other, 2 * sizeof *edge);
}

/* Two leaves whose features are tested. */
typedef struct meeting {
  uint32_t job;
  /* of one body; kernels leave features with a common vertex among the pairs */
  bool self, unmasked;
  const impact_side *x, *y;
  moving_sides sides;
} meeting;

static void meet(impact_search *s, meeting *m, int kind)
{
  moving_hit hits[MOVING_HITS];
  const impact_features f = impact_features_of(m->x, m->y, kind);
  /* windows that begin later are of no interest */
  const double most = s->jobs[m->job].shrinks ? 0 : 1;
  m->sides.limit = s->limit;
  int count = s->kernels->windows(&m->sides, kind, hits);
  for (int h = 0; h < count; ++h)
    for (unsigned near = hits[h].near; near; near &= near - 1) {
      const unsigned lane = (unsigned)__builtin_ctz(near), other = 8u * hits[h].group + lane;
      if ((double)hits[h].from[lane] > fmin(most, s->most) || (m->unmasked && impact_joined(&f, hits[h].x, other)))
        continue;
      impact_pair pair = {.job = m->job, .sequence = s->sequence++};
      if (kind == MOVING_EDGE_EDGE)
        take_edges(&f, hits[h].x, other, m->self, &pair);
      else
        take_vertex_face(&f, hits[h].x, other, kind == MOVING_FACE_VERTEX && !m->self, &pair);
      impact_put(s, &pair, hits[h].from[lane], hits[h].to[lane]);
    }
}

void impact_leaves(impact_search *s, const impact_item *item)
{
  const impact_job *j = &s->jobs[item->job];
  impact_side x, y;
  impact_copy copy;
  impact_take_side(&x, &j->view_a, item->a, true);
  impact_take_side(&y, &j->view_b, item->b, true);
  meeting m = {.job = item->job, .self = j->a == j->b, .x = &x, .y = &y};
  const bool same = m.self && item->a == item->b;
  m.unmasked = m.self && !j->view_a.over->edges.id;
  m.sides = (moving_sides){.x = impact_side_in(&x, &j->view_b, &copy),
                           .y = &y.boxes,
                           .join = m.self && !m.unmasked,
                           .same = same,
                           .separation = impact_wide(j->wide, j->view_b.over)};
  meet(s, &m, MOVING_VERTEX_FACE);
  if (!same) meet(s, &m, MOVING_FACE_VERTEX);
  meet(s, &m, MOVING_EDGE_EDGE);
  s->counters.n_v += m.sides.tests;
}
