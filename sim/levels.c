/* The spheres of every level of a shape: a balanced binary tree that halves the points along their widest axis, a ball around the
 * points of each node, and the ball inside the shape that touches the surface at the node's middle point.
 * The inner ball is found by shrinking (Ma, Bae and Choi, 3D medial axis point approximation using nearest neighbors and the normal field,
 * 2012) against the points at rest. */
#include "world.h"

#include <stdlib.h>

/* What the tree is over: the points, and on large triangles samples between them, so that also the middle of a face has nodes. */
typedef struct work {
  shape *s;
  size_t count, room;
  float *points;   /* 3 * count, from the centre of mass */
  float *normals;  /* 3 * count, outward */
  uint32_t *order; /* in the order of the tree */
} work;

enum { MOST_SAMPLES = 20000, MOST_CUTS = 16 };

/* --------------------------------------------------------------------------------------------------------- tree -- */

static int widest(const work *s, size_t begin, size_t end)
{
  float lower[3] = {INFINITY, INFINITY, INFINITY}, upper[3] = {-INFINITY, -INFINITY, -INFINITY};
  for (size_t i = begin; i < end; ++i)
    for (int k = 0; k < 3; ++k) {
      float x = s->points[3 * s->order[i] + k];
      lower[k] = fminf(lower[k], x), upper[k] = fmaxf(upper[k], x);
    }
  int axis = 0;
  for (int k = 1; k < 3; ++k)
    if (upper[k] - lower[k] > upper[axis] - lower[axis]) axis = k;
  return axis;
}

static bool before(const work *s, int axis, uint32_t a, uint32_t b)
{
  float x = s->points[3 * a + axis], y = s->points[3 * b + axis];
  return x < y || (x == y && a < b);
}

/* Puts the points with the least coordinates before `middle`: quickselect, ties by index. */
static void halve(work *s, int axis, size_t begin, size_t middle, size_t end)
{
  while (end - begin > 1) {
    uint32_t pivot = s->order[begin + (end - begin) / 2];
    size_t i = begin, j = end - 1;
    for (;;) {
      while (before(s, axis, s->order[i], pivot)) ++i;
      while (before(s, axis, pivot, s->order[j])) --j;
      if (i >= j) break;
      uint32_t t = s->order[i];
      s->order[i] = s->order[j], s->order[j] = t;
      ++i, --j;
    }
    size_t cut = j + 1;
    if (middle < cut && j > begin) {
      if (cut == end) cut = end - 1;
      end = cut;
    } else if (middle >= cut) {
      begin = cut;
    } else
      return;
  }
}

/* ------------------------------------------------------------------------------------------------------- normals -- */

/* -1 if the triangles of a closed shape face inwards, else 1. */
static double facing(const shape *s)
{
  double volume = 0;
  for (size_t t = 0; t < s->triangle_count; ++t) {
    double m[3][3];
    for (int k = 0; k < 3; ++k)
      for (int x = 0; x < 3; ++x) m[k][x] = s->points[3 * s->triangles[3 * t + k] + x];
    volume += det3((const double(*)[3])m);
  }
  return volume < 0 ? -1 : 1;
}

static double face_normal(const shape *s, size_t triangle, double out[3])
{
  const uint32_t *v = &s->triangles[3 * triangle];
  const float *a = &s->points[3 * v[0]], *b = &s->points[3 * v[1]], *c = &s->points[3 * v[2]];
  double u[3] = {b[0] - a[0], b[1] - a[1], b[2] - a[2]}, d[3] = {c[0] - a[0], c[1] - a[1], c[2] - a[2]};
  cross3(u, d, out);
  return length3(out);
}

/* Normals of unit length at the points; where there is none, away from the centre. */
static void set_normals(work *w, double sign)
{
  const shape *s = w->s;
  for (size_t t = 0; t < s->triangle_count; ++t) {
    double n[3];
    face_normal(s, t, n);
    for (int k = 0; k < 3; ++k)
      for (int x = 0; x < 3; ++x) w->normals[3 * s->triangles[3 * t + k] + x] += (float)(sign * n[x]);
  }
  for (size_t i = 0; i < s->point_count; ++i) {
    float *n = &w->normals[3 * i];
    const float *p = &w->points[3 * i];
    double d[3] = {n[0], n[1], n[2]}, length = length3(d);
    if (!(length > 0)) d[0] = p[0], d[1] = p[1], d[2] = p[2], length = length3(d);
    if (!(length > 0)) d[1] = length = 1;
    for (int k = 0; k < 3; ++k) n[k] = (float)(d[k] / length);
  }
}

/* Into how many parts the edges of a triangle are cut: none where points are close enough. */
static int cuts_of(const shape *s, size_t triangle)
{
  double longest = 0, apart = s->reach / 4;
  for (int k = 0; k < 3; ++k) {
    const float *a = &s->points[3 * s->triangles[3 * triangle + k]],
                *b = &s->points[3 * s->triangles[3 * triangle + (k + 1) % 3]];
    double d[3] = {b[0] - a[0], b[1] - a[1], b[2] - a[2]};
    longest = fmax(longest, length3(d));
  }
  if (!(longest > 1.5 * apart)) return 0;
  return (int)fmin(ceil(longest / apart), MOST_CUTS);
}

/* The middles of the parts of a triangle whose edges are cut. */
static void add_samples(work *w, size_t triangle, double sign)
{
  const shape *s = w->s;
  const uint32_t *v = &s->triangles[3 * triangle];
  double n[3], length = face_normal(s, triangle, n);
  int cuts = cuts_of(s, triangle);
  for (int i = 0; i < cuts && length > 0; ++i)
    for (int j = 0; j < 2 * (cuts - i) - 1 && w->count < w->room; ++j) {
      double up = j % 2 ? 2.0 / 3 : 1.0 / 3, a = (i + up) / cuts, b = (j / 2 + up) / cuts;
      for (int k = 0; k < 3; ++k) {
        w->points[3 * w->count + k] =
            (float)(s->points[3 * v[0] + k] * (1 - a - b) + s->points[3 * v[1] + k] * a + s->points[3 * v[2] + k] * b);
        w->normals[3 * w->count + k] = (float)(sign * n[k] / length);
      }
      ++w->count;
    }
}

static bool make_points(work *w)
{
  const shape *s = w->s;
  w->room = w->count = s->point_count;
  for (size_t t = 0; t < s->triangle_count && w->room < s->point_count + MOST_SAMPLES; ++t)
    w->room += (size_t)(cuts_of(s, t) * cuts_of(s, t));
  w->points = malloc(3 * w->room * sizeof *w->points);
  w->normals = calloc(3 * w->room, sizeof *w->normals);
  w->order = malloc(w->room * sizeof *w->order);
  if (!w->points || !w->normals || !w->order) return false;
  double sign = facing(s);
  memcpy(w->points, s->points, 3 * s->point_count * sizeof *w->points);
  set_normals(w, sign);
  for (size_t t = 0; t < s->triangle_count; ++t) add_samples(w, t, sign);
  for (size_t i = 0; i < w->count; ++i) w->order[i] = (uint32_t)i;
  return true;
}

/* ------------------------------------------------------------------------------------------------------- spheres -- */

/* A ball around the points of a node: towards the farthest point, ever shorter steps (Badoiu and Clarkson), then the true radius. */
static void bound_node(const work *s, size_t begin, size_t end, double centre[3], double *radius)
{
  double most = 0;
  for (int k = 0; k < 3; ++k) centre[k] = 0;
  for (size_t i = begin; i < end; ++i)
    for (int k = 0; k < 3; ++k) centre[k] += s->points[3 * s->order[i] + k] / (double)(end - begin);
  for (int round = 1; round <= 65; ++round) {
    const float *far = NULL;
    most = -1;
    for (size_t i = begin; i < end; ++i) {
      const float *p = &s->points[3 * s->order[i]];
      double d[3] = {p[0] - centre[0], p[1] - centre[1], p[2] - centre[2]}, l = dot3(d, d);
      if (l > most) most = l, far = p;
    }
    if (round == 65 || !far) break;
    for (int k = 0; k < 3; ++k) centre[k] += (far[k] - centre[k]) / (round + 1);
  }
  *radius = sqrt(fmax(most, 0)) * (1 + 1e-6) + 1e-30;
}

static uint32_t middle_point(const work *s, size_t begin, size_t end)
{
  double mean[3] = {0}, least = INFINITY;
  uint32_t best = s->order[begin];
  for (size_t i = begin; i < end; ++i)
    for (int k = 0; k < 3; ++k) mean[k] += s->points[3 * s->order[i] + k] / (double)(end - begin);
  for (size_t i = begin; i < end; ++i) {
    const float *p = &s->points[3 * s->order[i]];
    double d[3] = {p[0] - mean[0], p[1] - mean[1], p[2] - mean[2]}, l = dot3(d, d);
    if (l < least) least = l, best = s->order[i];
  }
  return best;
}

/* The largest ball that touches the surface at a point from inside: begins too large and shrinks to the nearest point. */
static double inner_ball(const work *w, uint32_t at, double centre[3])
{
  const float *p = &w->points[3 * at], *n = &w->normals[3 * at];
  double reach = w->s->reach, radius = reach > 0 ? reach : 1e-6;
  for (int round = 0; round < 30; ++round) {
    double least = radius * radius * (1 - 1e-6), smaller = radius;
    for (int k = 0; k < 3; ++k) centre[k] = p[k] - radius * n[k];
    for (size_t i = 0; i < w->count; ++i) {
      const float *o = &w->points[3 * i];
      double d[3] = {o[0] - centre[0], o[1] - centre[1], o[2] - centre[2]}, l = dot3(d, d);
      if (l >= least || i == at) continue;
      double e[3] = {p[0] - o[0], p[1] - o[1], p[2] - o[2]}, along = e[0] * n[0] + e[1] * n[1] + e[2] * n[2];
      if (!(along > 0)) continue;
      least = l;
      smaller = dot3(e, e) / (2 * along);
    }
    if (smaller >= radius) break;
    radius = fmax(smaller, 1e-3 * reach);
  }
  for (int k = 0; k < 3; ++k) centre[k] = p[k] - radius * n[k];
  return radius;
}

static bool make_level(const work *w, int level, const size_t *cuts, int nodes)
{
  shape_level *v = &w->s->levels[level];
  size_t bytes = (size_t)nodes * sizeof(float);
  bool good = true;
  v->count = nodes;
  for (int k = 0; k < 3; ++k) {
    good = (v->inner[k] = malloc(bytes)) && good;
    good = (v->surface[k] = malloc(bytes)) && good;
    good = (v->bound[k] = malloc(bytes)) && good;
  }
  v->radius = malloc(bytes);
  if (!good || !v->radius) return false;
  for (int i = 0; i < nodes; ++i) {
    double bound[3], inner[3], radius;
    bound_node(w, cuts[i], cuts[i + 1], bound, &radius);
    uint32_t at = middle_point(w, cuts[i], cuts[i + 1]);
    inner_ball(w, at, inner);
    for (int k = 0; k < 3; ++k) {
      v->bound[k][i] = (float)bound[k], v->inner[k][i] = (float)inner[k];
      v->surface[k][i] = w->points[3 * at + k];
    }
    v->radius[i] = (float)radius;
  }
  return true;
}

/* Nodes of one point stay as they are at deeper levels. */
bool shape_build_levels(shape *s)
{
  work w = {.s = s};
  bool good = make_points(&w);
  size_t cuts[(1 << SIM_LEVEL_MOST) + 1] = {0, w.count};
  int nodes = 1;
  for (int level = 0; level <= SIM_LEVEL_MOST && good; ++level) {
    good = make_level(&w, level, cuts, nodes);
    if (level == SIM_LEVEL_MOST) break;
    size_t next[(1 << SIM_LEVEL_MOST) + 1];
    int count = 0;
    for (int i = 0; i < nodes; ++i) {
      size_t middle = cuts[i] + (cuts[i + 1] - cuts[i]) / 2;
      next[count++] = cuts[i];
      if (middle == cuts[i]) continue;
      halve(&w, widest(&w, cuts[i], cuts[i + 1]), cuts[i], middle, cuts[i + 1]);
      next[count++] = middle;
    }
    next[count] = w.count;
    memcpy(cuts, next, sizeof cuts);
    nodes = count;
  }
  free(w.points), free(w.normals), free(w.order);
  return good;
}
