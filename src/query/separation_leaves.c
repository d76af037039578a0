/* Features of two leaves whose volumes overlap: each vertex and each edge is tested by the triangle that owns it (mesh/owners.h), against
 * the triangles and edges of the other leaf. Boxes of features over the segment come first, then the exact decision. */
#include "mesh/owners.h"
#include "query/separation.h"

#include <string.h>

/* ---------------------------------------------------------------------------------------------------------- touches -- */

static int order(uint32_t x, uint32_t y) { return (x > y) - (x < y); }

/* By time, kind, features. */
static int compare(const touch *x, const touch *y)
{
  const pl_impact *a = &x->impact, *b = &y->impact;
  if (x->s != y->s) return x->s < y->s ? -1 : 1;
  if (a->kind != b->kind) return a->kind < b->kind ? -1 : 1;
  for (int i = 0; i < 2; ++i)
    if (a->feature_a[i] != b->feature_a[i]) return order(a->feature_a[i], b->feature_a[i]);
  for (int i = 0; i < 2; ++i)
    if (a->feature_b[i] != b->feature_b[i]) return order(a->feature_b[i], b->feature_b[i]);
  return 0;
}

bool separation_same(const touch *x, const touch *y) { return compare(x, y) == 0; }

static void keep(pl_separation *list, const touch *t)
{
  if (!array_reserve(&list->context->def.allocator, &list->touches, list->touches.count + 1)) {
    list->status = PL_ERROR_MEMORY;
    return;
  }
  touch *heap = list->touches.data;
  size_t at = list->touches.count++;
  for (; at && compare(t, &heap[(at - 1) / 2]) < 0; at = (at - 1) / 2) heap[at] = heap[(at - 1) / 2];
  heap[at] = *t;
}

touch separation_next_touch(pl_separation *list)
{
  touch *heap = list->touches.data, top = heap[0], last = heap[--list->touches.count];
  size_t at = 0, count = list->touches.count;
  for (size_t child; (child = 2 * at + 1) < count; at = child) {
    if (child + 1 < count && compare(&heap[child + 1], &heap[child]) < 0) ++child;
    if (compare(&last, &heap[child]) <= 0) break;
    heap[at] = heap[child];
  }
  heap[at] = last;
  return top;
}

double separation_time(const flight *plans, double s)
{
  double start = plans->times.data[plans->segment], end = plans->times.data[plans->segment + 1];
  if (start == 0 && end == 1) return s;
  double t = start + s * (end - start), room = 0x1p-51 * fmax(fabs(start), fabs(end));
  return s == 0 ? start : fmax(start, t - room);
}

/* --------------------------------------------------------------------------------------------------------- contacts -- */

/* Four points of a test, as pl_vertex_face_time() and pl_edge_edge_time() have them. */
typedef struct moving {
  double start[4][3], end[4][3];
  double since; /* parameter of the start */
} moving;

static void take(moving *m, int at, const flight *plans, const uint32_t *vertices, int count)
{
  for (int i = 0; i < count; ++i)
    for (int k = 0; k < 3; ++k) {
      const double *path = flight_path(plans, vertices[i], k);
      m->start[at + i][k] = path_value(path, 1, m->since);
      m->end[at + i][k] = path[1];
    }
}

static double since(const flight *plans, const uint32_t *vertices, int count, double least)
{
  for (int i = 0; plans->since && i < count; ++i) least = fmax(least, plans->since[vertices[i]]);
  return least;
}

static void cross(const double a[3], const double b[3], double out[3])
{
  for (int k = 0; k < 3; ++k) out[k] = a[(k + 1) % 3] * b[(k + 2) % 3] - a[(k + 2) % 3] * b[(k + 1) % 3];
}

static double dot(const double a[3], const double b[3]) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }

/* Normal and point in double: from the face, or from both edges; the normal is against the relative motion of a.
 * `first` says whose points come first. */
static void describe(pl_impact *impact, const moving *m, double t, bool a_first)
{
  const bool edges = impact->kind == PL_IMPACT_EDGE_EDGE;
  double at[4][3], e[3], f[3], d[3], way[3], size = 0;
  for (int i = 0; i < 4; ++i)
    for (int k = 0; k < 3; ++k) at[i][k] = m->start[i][k] + t * (m->end[i][k] - m->start[i][k]);
  for (int k = 0; k < 3; ++k) {
    e[k] = edges ? at[1][k] - at[0][k] : at[2][k] - at[1][k];
    f[k] = edges ? at[3][k] - at[2][k] : at[3][k] - at[1][k];
    d[k] = at[2][k] - at[0][k];
    way[k] = (m->end[0][k] - m->start[0][k]) - (m->end[edges ? 2 : 1][k] - m->start[edges ? 2 : 1][k]);
  }
  cross(e, f, impact->normal);
  for (int k = 0; k < 3; ++k) size = fmax(size, fabs(impact->normal[k]));
  double along = 0, length = 0;
  if (size > 0 && size < INFINITY) {
    for (int k = 0; k < 3; ++k) impact->normal[k] /= size;
    length = sqrt(dot(impact->normal, impact->normal));
    double other[3];
    cross(d, f, other);
    along = edges ? dot(other, impact->normal) / (size * length * length) : 0;
    along = along > 0 ? along < 1 ? along : 1 : 0;
  }
  double side = -dot(impact->normal, way);
  bool turn = (side < 0) == a_first && side != 0;
  for (int k = 0; k < 3; ++k) {
    impact->point[k] = at[0][k] + (edges ? along * e[k] : 0);
    impact->normal[k] = length > 0 ? (turn ? -1 : 1) * impact->normal[k] / length : 0;
  }
}

/* The parameter of time t from `since` to the end, rounded down, but never before the moment of the test. */
static double since_time(const pl_separation *list, double start, double t)
{
  double s = fmax(start, (start + t * (1 - start)) * (1 - 0x1p-51));
  return s < list->s && s >= list->s * (1 - 0x1p-49) ? list->s : s;
}

/* Tests two features by the numbers of their vertices: 1 and 3, 3 and 1, or 2 and 2. */
static void test(pl_separation *list, pl_impact_kind kind, const uint32_t *a, const uint32_t *b, uint32_t id_a,
                 uint32_t id_b)
{
  static const int corners[PL_IMPACT_COUNT][2] = {{1, 3}, {3, 1}, {2, 2}};
  const flight *of_a = &side_of(list, 0)->plans, *of_b = &side_of(list, 1)->plans;
  const bool turned = kind == PL_IMPACT_FACE_VERTEX, edges = kind == PL_IMPACT_EDGE_EDGE;
  moving m;
  m.since = since(of_b, b, corners[kind][1], since(of_a, a, corners[kind][0], 0));
  take(&m, turned ? 1 : 0, of_a, a, corners[kind][0]);
  take(&m, turned ? 0 : corners[kind][0], of_b, b, corners[kind][1]);
  const double(*start)[3] = (const double(*)[3])m.start, (*end)[3] = (const double(*)[3])m.end;
  double t;
  ++list->tests;
  if (!(edges ? pl_edge_edge_time(start, end, &t) : pl_vertex_face_time(start, end, &t))) return;
  touch found = {.s = t, .impact = {.a = list->side[0].body, .b = side_of(list, 1)->body, .kind = kind}};
  if (m.since > 0) found.s = since_time(list, m.since, t);
  if (found.s <= list->reported || found.s < list->s) return; /* reported already, or before a change of plans */
  found.impact.time = separation_time(of_a, found.s);
  for (int i = 0; i < 2; ++i) {
    found.impact.feature_a[i] = edges ? a[i] : id_a;
    found.impact.feature_b[i] = edges ? b[i] : id_b;
  }
  if (list->has_last && compare(&found, &list->last) <= 0) return; /* these leaves have been tested before */
  describe(&found.impact, &m, t, !turned);
  keep(list, &found);
}

/* ----------------------------------------------------------------------------------------------------------- boxes -- */

/* The extents of some vertices at both ends of a segment, lower and upper. Between them lower extents are above and upper ones below
 * the chord: with a gap at both ends there is one all the time. */
typedef struct span {
  double lower[3][2], upper[3][2];
} span;

static void span_of(const flight *plans, const uint32_t *vertices, int count, span *out)
{
  for (int k = 0; k < 3; ++k)
    for (int end = 0; end < 2; ++end) {
      double low = INFINITY, high = -INFINITY;
      for (int i = 0; i < count; ++i) {
        double x = flight_path(plans, vertices[i], k)[end];
        low = x < low ? x : low;
        high = x > high ? x : high;
      }
      out->lower[k][end] = low;
      out->upper[k][end] = high;
    }
}

static bool are_apart(const span *x, const span *y)
{
  for (int k = 0; k < 3; ++k)
    if ((x->lower[k][0] > y->upper[k][0] && x->lower[k][1] > y->upper[k][1]) ||
        (y->lower[k][0] > x->upper[k][0] && y->lower[k][1] > x->upper[k][1]))
      return true;
  return false;
}

/* ------------------------------------------------------------------------------------------------------- two leaves -- */

/* A triangle with its features. */
typedef struct face {
  uint32_t corner[3], id, edge[3][2]; /* the lesser vertex of an edge first */
  unsigned owns;
  span box, corner_box[3], edge_box[3];
} face;

static void face_of(separation_side *side, uint32_t place, face *out)
{
  const primitives *p = &side->body->tree->prims;
  const flight *plans = &side->plans;
  memcpy(out->corner, p->tri + 3 * (size_t)place, sizeof out->corner);
  out->id = p->tri_id[place];
  out->owns = side->owners[out->id];
  span_of(plans, out->corner, 3, &out->box);
  for (int i = 0; i < 3; ++i) {
    uint32_t x = out->corner[i], y = out->corner[(i + 1) % 3];
    out->edge[i][0] = x < y ? x : y;
    out->edge[i][1] = x < y ? y : x;
    span_of(plans, &x, 1, &out->corner_box[i]);
    span_of(plans, out->edge[i], 2, &out->edge_box[i]);
  }
}

/* The vertices of x against the face of y; `turned`: x is of body b. */
static void vertices_face(pl_separation *list, const face *x, const face *y, bool turned)
{
  for (int i = 0; i < 3; ++i) {
    uint32_t v = x->corner[i];
    if (!(x->owns & (unsigned)OWNS_CORNER << i) || are_apart(&x->corner_box[i], &y->box)) continue;
    if (list->self && (v == y->corner[0] || v == y->corner[1] || v == y->corner[2])) continue;
    if (turned)
      test(list, PL_IMPACT_FACE_VERTEX, y->corner, &v, y->id, v);
    else
      test(list, PL_IMPACT_VERTEX_FACE, &v, y->corner, v, y->id);
  }
}

static void edges_edges(pl_separation *list, const face *x, const face *y)
{
  for (int i = 0; i < 3; ++i) {
    if (!(x->owns & (unsigned)OWNS_EDGE << i) || are_apart(&x->edge_box[i], &y->box)) continue;
    for (int j = 0; j < 3; ++j) {
      const uint32_t *e = x->edge[i], *f = y->edge[j];
      if (!(y->owns & (unsigned)OWNS_EDGE << j) || are_apart(&x->edge_box[i], &y->edge_box[j])) continue;
      if (list->self && (e[0] == f[0] || e[0] == f[1] || e[1] == f[0] || e[1] == f[1])) continue;
      bool turn = list->self && (f[0] < e[0] || (f[0] == e[0] && f[1] < e[1]));
      test(list, PL_IMPACT_EDGE_EDGE, turn ? f : e, turn ? e : f, 0, 0);
    }
  }
}

void separation_leaves(pl_separation *list, uint32_t x, uint32_t y)
{
  separation_side *a = side_of(list, 0), *b = side_of(list, 1);
  const primitives *pa = &a->body->tree->prims, *pb = &b->body->tree->prims;
  const bool same = list->self && x == y;
  ++list->leaf_pairs;
  if (list->def.leaves_only) return;
  face other[8];
  uint32_t first = pb->tri_first[y], count = pb->tri_first[y + 1] - first;
  for (uint32_t j = 0; j < count; ++j) face_of(b, first + j, &other[j]);
  for (uint32_t i = pa->tri_first[x]; i < pa->tri_first[x + 1]; ++i) {
    face own;
    face_of(a, i, &own);
    for (uint32_t j = 0; j < count; ++j) {
      if (same && first + j <= i) continue;
      if (are_apart(&own.box, &other[j].box)) continue;
      vertices_face(list, &own, &other[j], false);
      vertices_face(list, &other[j], &own, !list->self);
      edges_edges(list, &own, &other[j]);
    }
  }
}
