/* Features of two leaves: boxes of features in lanes, then the exact decision. */
#include "query/impact.h"

#include "exact/approach.h"

#include <math.h>
#include <string.h>

/* ------------------------------------------------------------------------------------------------- two features -- */

static int order(uint32_t x, uint32_t y) { return (x > y) - (x < y); }

int impact_compare(const impact_found *x, const impact_found *y)
{
  const pl_impact *a = &x->impact, *b = &y->impact;
  if (a->time != b->time) return a->time < b->time ? -1 : 1;
  if (x->job != y->job) return order(x->job, y->job);
  if (a->kind != b->kind) return a->kind < b->kind ? -1 : 1;
  for (int i = 0; i < 2; ++i)
    if (a->feature_a[i] != b->feature_a[i]) return order(a->feature_a[i], b->feature_a[i]);
  for (int i = 0; i < 2; ++i)
    if (a->feature_b[i] != b->feature_b[i]) return order(a->feature_b[i], b->feature_b[i]);
  return 0;
}

/* Four points of a query at both ends of time, as crossing.h has them. */
typedef struct moving {
  double start[4][3], end[4][3];
} moving;

static void take(moving *m, int at, const sweep *s, const uint32_t *vertices, int count)
{
  for (int i = 0; i < count; ++i) {
    memcpy(m->start[at + i], s->start[vertices[i]], sizeof m->start[0]);
    memcpy(m->end[at + i], s->end[vertices[i]], sizeof m->end[0]);
  }
}

static void at_time(const moving *m, int i, double t, double out[3])
{
  for (int k = 0; k < 3; ++k) out[k] = t == 1 ? m->end[i][k] : m->start[i][k] + t * (m->end[i][k] - m->start[i][k]);
}

static void cross(const double a[3], const double b[3], double out[3])
{
  for (int k = 0; k < 3; ++k) out[k] = a[(k + 1) % 3] * b[(k + 2) % 3] - a[(k + 2) % 3] * b[(k + 1) % 3];
}

static double dot(const double a[3], const double b[3]) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }

/* To length 1; false: it has no direction. Scaled first: squares may leave the range of double. */
static bool normalize(double v[3])
{
  double most = fmax(fabs(v[0]), fmax(fabs(v[1]), fabs(v[2])));
  if (!(most > 0) || isinf(most)) return false;
  int exponent;
  frexp(most, &exponent);
  for (int k = 0; k < 3; ++k) v[k] = ldexp(v[k], -exponent);
  double length = sqrt(dot(v, v));
  for (int k = 0; k < 3; ++k) v[k] /= length;
  return true;
}

/* Where along the first edge it is nearest to the second's line, in [0, 1]. */
static double along(const double u[3], const double v[3], const double w[3])
{
  double n[3], x[3];
  cross(u, v, n);
  cross(w, v, x);
  double nn = dot(n, n), s = nn > 0 ? dot(x, n) / nn : 0;
  return s > 0 ? s < 1 ? s : 1 : 0;
}

/* The normal and the point of a contact; m has the features of a, then those of b, or for a face of a the other way round. */
static void describe(pl_impact *impact, const moving *m)
{
  bool edges = impact->kind == PL_IMPACT_EDGE_EDGE;
  double at[4][3], e1[3], e2[3], way[3], from[3];
  for (int i = 0; i < 4; ++i) at_time(m, i, impact->time, at[i]);
  for (int k = 0; k < 3; ++k) {
    e1[k] = edges ? at[1][k] - at[0][k] : at[2][k] - at[1][k];
    e2[k] = edges ? at[3][k] - at[2][k] : at[3][k] - at[1][k];
    way[k] = at[2][k] - at[0][k];
  }
  double s = edges ? along(e1, e2, way) : 0;
  for (int k = 0; k < 3; ++k) impact->point[k] = edges ? at[0][k] + s * e1[k] : at[0][k];
  cross(e1, e2, impact->normal);
  if (!normalize(impact->normal)) {
    memset(impact->normal, 0, sizeof impact->normal);
    return;
  }
  for (int k = 0; k < 3; ++k) { /* how the first feature moves relative to the second, and where it came from */
    int i = edges ? 2 : 1;
    way[k] = (m->end[0][k] - m->start[0][k]) - (m->end[i][k] - m->start[i][k]);
    from[k] = m->start[0][k] - m->start[i][k];
  }
  double toward = dot(impact->normal, way), side = toward != 0 ? -toward : dot(impact->normal, from);
  bool turn = (side < 0) != (impact->kind == PL_IMPACT_FACE_VERTEX);
  for (int k = 0; k < 3 && turn; ++k) impact->normal[k] = -impact->normal[k];
}

static void keep(impact_search *s, const impact_found *f)
{
  if (!s->all && s->found.count && impact_compare(f, &s->found.data[0]) >= 0) return;
  size_t count = s->all ? s->found.count : 0;
  if (!array_reserve(s->allocator, &s->found, count + 1)) {
    s->status = PL_ERROR_MEMORY;
    return;
  }
  s->found.data[count] = *f;
  s->found.count = count + 1;
  if (s->all) return;
  s->most = f->impact.time;
  s->limit = round_up(s->most);
}

void impact_test(impact_search *s, uint32_t number, pl_impact_kind kind, const uint32_t *a, const uint32_t *b,
                 uint32_t id_a, uint32_t id_b)
{
  static const int corners[PL_IMPACT_COUNT][2] = {{1, 3}, {3, 1}, {2, 2}};
  const impact_job *j = &s->jobs[number];
  const sweep *sa = j->a->sweep, *sb = j->b->sweep;
  bool turned = kind == PL_IMPACT_FACE_VERTEX, edges = kind == PL_IMPACT_EDGE_EDGE;
  crossing_kind crossing = edges ? CROSSING_EDGE_EDGE : CROSSING_VERTEX_FACE;
  moving m;
  take(&m, turned ? 1 : 0, sa, a, corners[kind][0]);
  take(&m, turned ? 0 : corners[kind][0], sb, b, corners[kind][1]);
  ++s->counters.n_p;
  const double(*start)[3] = (const double(*)[3])m.start, (*end)[3] = (const double(*)[3])m.end;
  double time;
  if (!(s->separation > 0 ? approach_first(crossing, start, end, s->separation, s->most, &time)
                          : crossing_first(crossing, start, end, s->most, &time)))
    return;
  if (time > s->most) return;
  impact_found f = {.impact = {.a = j->a, .b = j->b, .time = time, .kind = kind}, .job = number};
  for (int i = 0; i < 2; ++i) {
    f.impact.feature_a[i] = edges ? a[i] : id_a;
    f.impact.feature_b[i] = edges ? b[i] : id_b;
  }
  describe(&f.impact, &m);
  keep(s, &f);
}

/* ---------------------------------------------------------------------------------------------------- two leaves -- */

/* Own vertices of leaf x against the triangles of leaf y; `turned`: the vertices are of body b. */
static void vertices_faces(impact_search *s, const impact_item *item, const pl_body *vertex_body, uint32_t x,
                           const pl_body *face_body, uint32_t y, const float face_box[SWEEP_BOX], bool turned)
{
  const sweep *sx = vertex_body->sweep, *sy = face_body->sweep;
  const primitives *p = &face_body->tree->prims;
  const float *triangles = sy->triangle_block + (size_t)SWEEP_BLOCK * y;
  const bool self = vertex_body == face_body;
  unsigned faces = (1u << (p->tri_first[y + 1] - p->tri_first[y])) - 1;
  float start[8];
  for (uint32_t g = sx->vertex_group[x]; g < sx->vertex_group[x + 1]; ++g) {
    const float *block = sx->vertex_block + (size_t)SWEEP_BLOCK * g;
    unsigned open = s->kernels->windows(face_box, block, s->wide, s->limit, start);
    s->counters.n_v += 8;
    for (; open; open &= open - 1) {
      int lane = __builtin_ctz(open);
      uint32_t v = sx->vertex[8 * g + (uint32_t)lane];
      if (v == UINT32_MAX) break; /* empty lanes are the last */
      unsigned near = s->kernels->windows(sx->reach[v], triangles, s->wide, s->limit, start) & faces;
      s->counters.n_v += 8;
      for (; near; near &= near - 1) {
        int i = __builtin_ctz(near);
        uint32_t t = p->tri_first[y] + (uint32_t)i;
        const uint32_t *corner = p->tri + 3 * (size_t)t;
        if ((double)start[i] > s->most || (self && (corner[0] == v || corner[1] == v || corner[2] == v))) continue;
        if (turned)
          impact_test(s, item->job, PL_IMPACT_FACE_VERTEX, corner, &v, p->tri_id[t], v);
        else
          impact_test(s, item->job, PL_IMPACT_VERTEX_FACE, &v, corner, v, p->tri_id[t]);
      }
    }
  }
}

/* One edge, group g lane of leaf x, against the edges of leaf y from place `from` on. */
static void edge_edges(impact_search *s, const impact_item *item, const uint32_t edge[2], const float box[SWEEP_BOX],
                       const sweep *sy, uint32_t y, uint32_t from, bool self)
{
  float start[8];
  for (uint32_t g = from / 8 > sy->edge_group[y] ? from / 8 : sy->edge_group[y]; g < sy->edge_group[y + 1]; ++g) {
    unsigned near = s->kernels->windows(box, sy->edge_block + (size_t)SWEEP_BLOCK * g, s->wide, s->limit, start);
    s->counters.n_v += 8;
    for (; near; near &= near - 1) {
      int i = __builtin_ctz(near);
      const uint32_t *other = sy->edge[8 * g + (uint32_t)i];
      if (other[0] == UINT32_MAX) break;
      if (8 * g + (uint32_t)i < from || (double)start[i] > s->most) continue;
      if (self && (edge[0] == other[0] || edge[0] == other[1] || edge[1] == other[0] || edge[1] == other[1])) continue;
      bool turn = self && (other[0] < edge[0] || (other[0] == edge[0] && other[1] < edge[1]));
      impact_test(s, item->job, PL_IMPACT_EDGE_EDGE, turn ? other : edge, turn ? edge : other, 0, 0);
    }
  }
}

static void edges_edges(impact_search *s, const impact_item *item, const sweep *sx, uint32_t x, const sweep *sy,
                        uint32_t y, const float box_y[SWEEP_BOX])
{
  float start[8];
  for (uint32_t g = sx->edge_group[x]; g < sx->edge_group[x + 1]; ++g) {
    const float *block = sx->edge_block + (size_t)SWEEP_BLOCK * g;
    unsigned open = s->kernels->windows(box_y, block, s->wide, s->limit, start);
    s->counters.n_v += 8;
    for (; open; open &= open - 1) {
      int lane = __builtin_ctz(open);
      uint32_t at = 8 * g + (uint32_t)lane;
      if (sx->edge[at][0] == UINT32_MAX) break;
      float box[SWEEP_BOX];
      sweep_merge(sx->reach[sx->edge[at][0]], sx->reach[sx->edge[at][1]], box);
      edge_edges(s, item, sx->edge[at], box, sy, y, sx == sy && x == y ? at + 1 : 0, sx == sy);
    }
  }
}

static void leaf_box(const pl_body *body, uint32_t leaf, float box[SWEEP_BOX])
{
  uint32_t slot = body->tree->nodes.leaf_slot[leaf];
  sweep_lane(body->sweep->blocks + (size_t)SWEEP_BLOCK * (slot >> 3), (int)(slot & 7), box);
}

void impact_leaves(impact_search *s, const impact_item *item)
{
  const impact_job *j = &s->jobs[item->job];
  uint32_t x = (uint32_t)~item->a, y = (uint32_t)~item->b;
  const bool self = j->a == j->b;
  float box_x[SWEEP_BOX], box_y[SWEEP_BOX];
  sweep_open(j->a, x);
  sweep_open(j->b, y);
  leaf_box(j->a, x, box_x);
  leaf_box(j->b, y, box_y);
  vertices_faces(s, item, j->a, x, j->b, y, box_y, false);
  if (!self || x != y) vertices_faces(s, item, j->b, y, j->a, x, box_x, !self);
  edges_edges(s, item, j->a->sweep, x, j->b->sweep, y, box_y);
}
