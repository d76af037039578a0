/* Features of two leaves whose volumes overlap: each vertex and each edge is tested by the
 * triangle that owns it (mesh/owners.h), against the triangles and edges of the other leaf.
 * Boxes of features over the segment come first, then the exact decision: the first contact
 * since the pairs began. */
#include "core/heap.h"
#include "exact/crossing.h"
#include "mesh/owners.h"
#include "query/time/separation.h"

#include <string.h>

/* ----------------------------------------------------------------------------------- touches -- */

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

#define TOUCHES_BEFORE(o, x, y) ((void)(o), compare(&(x), &(y)) < 0)
HEAP(touches, touch, void, TOUCHES_BEFORE, HEAP_PUT)

bool separation_same(const touch *x, const touch *y) { return compare(x, y) == 0; }

static void keep(pl_separation *list, const touch *t)
{
  if (!array_reserve(&list->context->def.allocator, &list->touches, list->touches.count + 1)) {
    list->status = PL_ERROR_MEMORY;
    return;
  }
  touches_push(NULL, list->touches.data, &list->touches.count, *t);
}

touch separation_next_touch(pl_separation *list) { return touches_pop(NULL, list->touches.data, &list->touches.count); }

double separation_time(const flight *plans, double s)
{
  double start = plans->times.data[plans->segment], end = plans->times.data[plans->segment + 1];
  if (start == 0 && end == 1) return s;
  double t = start + s * (end - start), room = 0x1p-51 * fmax(fabs(start), fabs(end));
  return s == 0 ? start : fmax(start, t - room);
}

/* ---------------------------------------------------------------------------------- contacts -- */

/* Four points of a test, as in exact/crossing.h: the vertex and the face, or both edges. */
typedef struct moving {
  double start[4][3], end[4][3];
} moving;

/* The points of a test over the whole segment, or from a parameter on, rounded. */
static void take(moving *m, const pl_separation *list, const feature_pair *pair, const uint32_t *const of[2],
                 double from)
{
  const int first = pair->kind == PL_FEATURE_FACE_VERTEX; /* the side whose points come first */
  for (int i = 0; i < FEATURE_VERTICES; ++i) {
    const int leading = separation_corners(pair->kind, first), side = i < leading ? first : !first;
    const flight *plans = &list->side[list->self ? 0 : side].plans;
    for (int k = 0; k < 3; ++k) {
      const double *path = flight_path(plans, of[side][i < leading ? i : i - leading], k);
      m->start[i][k] = from > 0 ? path_value(path, 1, from) : path[0];
      m->end[i][k] = path[1];
    }
  }
}

static void cross(const double a[3], const double b[3], double out[3])
{
  for (int k = 0; k < 3; ++k) out[k] = a[(k + 1) % 3] * b[(k + 2) % 3] - a[(k + 2) % 3] * b[(k + 1) % 3];
}

static double dot(const double a[3], const double b[3]) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }

/* Normal and point in double: from the face, or from both edges; the normal is against the
 * relative motion of a. `first` says whose points come first. */
static void describe(pl_impact *impact, const moving *m, double t, bool a_first)
{
  const bool edges = impact->kind == PL_FEATURE_EDGE_EDGE;
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

static void exchange_if_less(uint32_t *x, uint32_t *y)
{
  if (*x <= *y) return;
  const uint32_t less = *y;
  *y = *x;
  *x = less;
}

static feature_pair pair_of(pl_feature kind, const uint32_t *const of[2])
{
  feature_pair p = {.kind = kind};
  const int of_a = separation_corners(kind, 0);
  for (int i = 0; i < FEATURE_VERTICES; ++i) p.vertex[i] = i < of_a ? of[0][i] : of[1][i - of_a];
  if (kind == PL_FEATURE_EDGE_EDGE) return p;
  uint32_t *face = p.vertex + (kind == PL_FEATURE_VERTEX_FACE);
  exchange_if_less(&face[0], &face[1]);
  exchange_if_less(&face[1], &face[2]);
  exchange_if_less(&face[0], &face[1]);
  return p;
}

/* Normal and point of a contact at parameter s: from where the features were when the pairs
 * began, since a plan that has changed begins anywhere. */
static void describe_since(pl_separation *list, touch *t, const uint32_t *const of[2])
{
  moving m;
  take(&m, list, &t->pair, of, list->begun);
  describe(&t->impact, &m, list->begun < 1 ? (t->s - list->begun) / (1 - list->begun) : 0,
           t->pair.kind != PL_FEATURE_FACE_VERTEX);
}

/* Tests two features by the numbers of their vertices: 1 and 3, 3 and 1, or 2 and 2. */
static void test(pl_separation *list, pl_feature kind, const uint32_t *a, const uint32_t *b, uint32_t id_a,
                 uint32_t id_b)
{
  const uint32_t *const of[2] = {a, b};
  const bool edges = kind == PL_FEATURE_EDGE_EDGE;
  touch found = {.pair = pair_of(kind, of),
                 .impact = {.a = list->side[0].body, .b = side_of(list, 1)->body, .kind = kind}};
  moving m;
  take(&m, list, &found.pair, of, 0);
  ++list->tests;
  if (!crossing_since(edges ? CROSSING_EDGE_EDGE : CROSSING_VERTEX_FACE, (const double(*)[3])m.start,
                      (const double(*)[3])m.end, list->begun, &found.s))
    return;
  found.impact.time = separation_time(&side_of(list, 0)->plans, found.s);
  for (int i = 0; i < 2; ++i) {
    found.impact.feature_a[i] = edges ? a[i] : id_a;
    found.impact.feature_b[i] = edges ? b[i] : id_b;
  }
  /* these leaves have been tested before */
  if (list->has_last && compare(&found, &list->last) <= 0) return;
  if (separation_is_known(list, &found.pair)) return;
  describe_since(list, &found, of);
  keep(list, &found);
}

/* ------------------------------------------------------------------------------------- boxes -- */

/* The extents of some vertices at both ends of a segment, lower and upper. Between them lower
 * extents are above and upper ones below the chord: with a gap at both ends there is one all the
 * time. */
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

/* -------------------------------------------------------------------------------- two leaves -- */

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
      test(list, PL_FEATURE_FACE_VERTEX, y->corner, &v, y->id, v);
    else
      test(list, PL_FEATURE_VERTEX_FACE, &v, y->corner, v, y->id);
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
      test(list, PL_FEATURE_EDGE_EDGE, turn ? f : e, turn ? e : f, 0, 0);
    }
  }
}

void separation_leaves(pl_separation *list, uint32_t x, uint32_t y)
{
  separation_side *a = side_of(list, 0), *b = side_of(list, 1);
  const primitives *pa = &a->body->tree->prims, *pb = &b->body->tree->prims;
  const bool same = list->self && x == y;
  ++list->leaf_pairs;
  if (list->leaves_only) return;
  face other[8];
  uint32_t first = pb->tri_first[y], count = pb->tri_end[y] - first;
  for (uint32_t j = 0; j < count; ++j) face_of(b, first + j, &other[j]);
  for (uint32_t i = pa->tri_first[x]; i < pa->tri_end[x]; ++i) {
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
