/* The spheres of every level of a shape: a balanced binary tree that halves the points along their widest axis, a ball around the
 * points of each node, and the ball inside the shape that touches the surface at the node's middle point.
 * The inner ball is found by shrinking (Ma, Bae and Choi, 3D medial axis point approximation using nearest neighbors and the normal field,
 * 2012) against the points at rest. */
#include "world.h"

#include <stdlib.h>

typedef struct work {
  shape *s;
  float *normals; /* 3 * point_count, outward */
} work;

/* --------------------------------------------------------------------------------------------------------- tree -- */

static int widest(const shape *s, size_t begin, size_t end)
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

static bool before(const shape *s, int axis, uint32_t a, uint32_t b)
{
  float x = s->points[3 * a + axis], y = s->points[3 * b + axis];
  return x < y || (x == y && a < b);
}

/* Puts the points with the least coordinates before `middle`: quickselect, ties by index. */
static void halve(shape *s, int axis, size_t begin, size_t middle, size_t end)
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

static void triangle_normals(work *w)
{
  const shape *s = w->s;
  for (size_t t = 0; t < s->triangle_count; ++t) {
    const uint32_t *v = &s->triangles[3 * t];
    const float *a = &s->points[3 * v[0]], *b = &s->points[3 * v[1]], *c = &s->points[3 * v[2]];
    double u[3] = {b[0] - a[0], b[1] - a[1], b[2] - a[2]}, d[3] = {c[0] - a[0], c[1] - a[1], c[2] - a[2]}, n[3];
    cross3(u, d, n);
    for (int k = 0; k < 3; ++k)
      for (int x = 0; x < 3; ++x) w->normals[3 * v[k] + x] += (float)n[x];
  }
  double volume = 0;
  for (size_t t = 0; t < s->triangle_count; ++t) {
    const uint32_t *v = &s->triangles[3 * t];
    double m[3][3];
    for (int k = 0; k < 3; ++k)
      for (int x = 0; x < 3; ++x) m[k][x] = s->points[3 * v[k] + x];
    volume += det3(m);
  }
  if (volume < 0)
    for (size_t i = 0; i < 3 * s->point_count; ++i) w->normals[i] = -w->normals[i];
}

/* Normals of unit length; where there is none, away from the centre. */
static void set_normals(work *w)
{
  const shape *s = w->s;
  triangle_normals(w);
  for (size_t i = 0; i < s->point_count; ++i) {
    float *n = &w->normals[3 * i];
    const float *p = &s->points[3 * i];
    double d[3] = {n[0], n[1], n[2]}, length = length3(d);
    if (!(length > 0)) d[0] = p[0], d[1] = p[1], d[2] = p[2], length = length3(d);
    if (!(length > 0)) d[1] = length = 1;
    for (int k = 0; k < 3; ++k) n[k] = (float)(d[k] / length);
  }
}

/* ------------------------------------------------------------------------------------------------------- spheres -- */

/* A ball around the points of a node: towards the farthest point, ever shorter steps (Badoiu and Clarkson), then the true radius. */
static void bound_node(const shape *s, size_t begin, size_t end, double centre[3], double *radius)
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

static uint32_t middle_point(const shape *s, size_t begin, size_t end)
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
  const shape *s = w->s;
  const float *p = &s->points[3 * at], *n = &w->normals[3 * at];
  double radius = s->reach > 0 ? s->reach : 1e-6;
  for (int round = 0; round < 30; ++round) {
    double least = radius * radius * (1 - 1e-6), smaller = radius;
    for (int k = 0; k < 3; ++k) centre[k] = p[k] - radius * n[k];
    for (size_t i = 0; i < s->point_count; ++i) {
      const float *o = &s->points[3 * i];
      double d[3] = {o[0] - centre[0], o[1] - centre[1], o[2] - centre[2]}, l = dot3(d, d);
      if (l >= least || i == at) continue;
      double e[3] = {p[0] - o[0], p[1] - o[1], p[2] - o[2]}, along = e[0] * n[0] + e[1] * n[1] + e[2] * n[2];
      if (!(along > 0)) continue;
      least = l;
      smaller = dot3(e, e) / (2 * along);
    }
    if (smaller >= radius) break;
    radius = fmax(smaller, 1e-3 * s->reach);
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
  v->begin = malloc(((size_t)nodes + 1) * sizeof *v->begin);
  if (!good || !v->radius || !v->begin) return false;
  for (int i = 0; i <= nodes; ++i) v->begin[i] = (uint32_t)cuts[i];
  for (int i = 0; i < nodes; ++i) {
    double bound[3], inner[3], radius;
    bound_node(w->s, cuts[i], cuts[i + 1], bound, &radius);
    uint32_t at = middle_point(w->s, cuts[i], cuts[i + 1]);
    inner_ball(w, at, inner);
    for (int k = 0; k < 3; ++k) {
      v->bound[k][i] = (float)bound[k], v->inner[k][i] = (float)inner[k];
      v->surface[k][i] = w->s->points[3 * at + k];
    }
    v->radius[i] = (float)radius;
  }
  return true;
}

/* The same nodes again where points are too few to halve. */
bool shape_build_levels(shape *s)
{
  work w = {.s = s, .normals = calloc(3 * s->point_count, sizeof(float))};
  size_t cuts[(1 << SIM_LEVEL_MOST) + 1] = {0, s->point_count};
  int nodes = 1;
  bool good = w.normals != NULL;
  for (size_t i = 0; i < s->point_count; ++i) s->order[i] = (uint32_t)i;
  if (good) set_normals(&w);
  for (int level = 0; level <= SIM_LEVEL_MOST && good; ++level) {
    good = make_level(&w, level, cuts, nodes);
    if (level == SIM_LEVEL_MOST) break;
    size_t next[(1 << SIM_LEVEL_MOST) + 1];
    int count = 0;
    for (int i = 0; i < nodes; ++i) {
      size_t middle = cuts[i] + (cuts[i + 1] - cuts[i]) / 2;
      next[count++] = cuts[i];
      if (middle == cuts[i]) continue;
      halve(s, widest(s, cuts[i], cuts[i + 1]), cuts[i], middle, cuts[i + 1]);
      next[count++] = middle;
    }
    next[count] = s->point_count;
    memcpy(cuts, next, sizeof cuts);
    nodes = count;
  }
  free(w.normals);
  return good;
}
