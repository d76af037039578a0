/* Pairs of triangles of every kind that is hard to decide, by name. Each kind must give both
 * answers. */
#ifndef TESTS_EXACT_PAIR_KINDS_H
#define TESTS_EXACT_PAIR_KINDS_H

#include "support/support.h"

#include <math.h>
#include <string.h>

typedef double triangle[3][3];
typedef void (*pair_maker)(test_rng *rng, triangle a, triangle b);

static double any_integer(test_rng *rng, int low, int high) { return low + test_below(rng, high - low + 1); }

static void integers(test_rng *rng, double *x, int count, int low, int high)
{
  for (int i = 0; i < count; ++i) x[i] = any_integer(rng, low, high);
}

static void reals(test_rng *rng, double *x, int count, double size)
{
  for (int i = 0; i < count; ++i) x[i] = test_uniform(rng, -size, size);
}

static void point_copy(double *to, const double *from) { memcpy(to, from, 3 * sizeof to[0]); }

/* to = p + (q - p) * i / 1024 + (r - p) * j / 1024: exact for integer multiples of 1024 of
 * moderate size. */
static void point_between(double *to, const double *p, const double *q, const double *r, int i, int j)
{
  for (int k = 0; k < 3; ++k) to[k] = p[k] + (q[k] - p[k]) * i / 1024 + (r[k] - p[k]) * j / 1024;
}

/* Multiples of 1024 up to 2^26. */
static void coarse(test_rng *rng, triangle t)
{
  integers(rng, t[0], 9, -65536, 65536);
  for (int i = 0; i < 9; ++i) t[i / 3][i % 3] *= 1024;
}

/* ------------------------------------------------------------------------------------- plain -- */

static void general(test_rng *rng, triangle a, triangle b)
{
  reals(rng, a[0], 9, 1);
  reals(rng, b[0], 9, 1);
}

static void floats(test_rng *rng, triangle a, triangle b)
{
  general(rng, a, b);
  double centre = test_uniform(rng, -100, 100) * test_below(rng, 2);
  for (int i = 0; i < 9; ++i) {
    a[i / 3][i % 3] = (float)(a[i / 3][i % 3] + centre);
    b[i / 3][i % 3] = (float)(b[i / 3][i % 3] + centre);
  }
}

static void grid(test_rng *rng, triangle a, triangle b, int high)
{
  integers(rng, a[0], 9, 0, high);
  integers(rng, b[0], 9, 0, high);
}

static void grid2(test_rng *rng, triangle a, triangle b) { grid(rng, a, b, 2); }

static void grid3(test_rng *rng, triangle a, triangle b) { grid(rng, a, b, 3); }

static void grid7(test_rng *rng, triangle a, triangle b) { grid(rng, a, b, 7); }

/* In one plane o + i U + j V of integers. */
static void coplanar(test_rng *rng, triangle a, triangle b)
{
  int range = 1 << test_below(rng, 11);
  double frame[3][3];
  integers(rng, frame[0], 9, -1000, 1000);
  for (int n = 0; n < 6; ++n) {
    double i = any_integer(rng, -range, range), j = any_integer(rng, -range, range);
    for (int k = 0; k < 3; ++k) (n < 3 ? a[n] : b[n - 3])[k] = frame[0][k] + i * frame[1][k] + j * frame[2][k];
  }
}

/* In one plane of full doubles: z constant, or x = y, or x = -2z. */
static void coplanar_reals(test_rng *rng, triangle a, triangle b)
{
  general(rng, a, b);
  int which = test_below(rng, 3);
  double height = test_uniform(rng, -1, 1);
  for (int n = 0; n < 6; ++n) {
    double *p = n < 3 ? a[n] : b[n - 3];
    if (which == 0) p[2] = height;
    if (which == 1) p[0] = p[1];
    if (which == 2) p[0] = -2 * p[2];
  }
}

/* ---------------------------------------------------------------------------------- touching -- */

/* Often with a to the left of the vertex and b to its right, so that nothing else touches; often
 * a hair apart. */
static void shared_vertex(test_rng *rng, triangle a, triangle b)
{
  general(rng, a, b);
  int from = test_below(rng, 3), to = test_below(rng, 3), axis = test_below(rng, 3);
  point_copy(b[to], a[from]);
  bool apart = test_below(rng, 3), hair = test_below(rng, 2);
  for (int i = 0; i < 3 && apart; ++i) {
    a[i][axis] = a[from][axis] - fabs(a[i][axis] - a[from][axis]);
    b[i][axis] = b[to][axis] + fabs(b[i][axis] - b[to][axis]);
  }
  axis = test_below(rng, 3);
  if (hair) a[from][axis] = nextafter(a[from][axis], test_below(rng, 2) ? 2 : -2);
}

static void shared_edge(test_rng *rng, triangle a, triangle b)
{
  general(rng, a, b);
  point_copy(b[test_below(rng, 3)], a[0]);
  point_copy(b[test_below(rng, 3)], a[1]);
  int axis = test_below(rng, 3);
  if (test_below(rng, 2)) a[0][axis] = nextafter(a[0][axis], 2);
  if (test_below(rng, 2)) a[1][axis] = nextafter(a[1][axis], -2);
}

static void identical(test_rng *rng, triangle a, triangle b)
{
  general(rng, a, b);
  int turn = test_below(rng, 3);
  for (int i = 0; i < 3; ++i) point_copy(b[i], a[(i + turn) % 3]);
  int axis = test_below(rng, 3);
  double shift = test_below(rng, 2) ? 0x1p-40 : 0;
  for (int i = 0; i < 3; ++i) b[i][axis] += shift;
}

static void vertex_on_edge(test_rng *rng, triangle a, triangle b)
{
  coarse(rng, a);
  coarse(rng, b);
  point_between(b[0], a[0], a[1], a[2], test_below(rng, 1400) - 188, 0);
}

/* The others on one side of a's plane, so that nothing but the vertex touches. */
static void vertex_in_face(test_rng *rng, triangle a, triangle b)
{
  coarse(rng, a);
  coarse(rng, b);
  point_between(b[0], a[0], a[1], a[2], test_below(rng, 1100) - 100, test_below(rng, 1100) - 100);
  double u[3], v[3];
  for (int k = 0; k < 3; ++k) {
    u[k] = a[1][k] - a[0][k];
    v[k] = a[2][k] - a[0][k];
  }
  for (int i = 1; i < 3; ++i) {
    double height = 0;
    for (int k = 0; k < 3; ++k)
      height += (u[(k + 1) % 3] * v[(k + 2) % 3] - u[(k + 2) % 3] * v[(k + 1) % 3]) * (b[i][k] - b[0][k]);
    for (int k = 0; k < 3; ++k)
      if (height < 0) b[i][k] = 2 * b[0][k] - b[i][k];
  }
}

/* Edge b0b1 passes through a dyadic point of the line of edge a0a1, or ends there. */
static void edge_edge(test_rng *rng, triangle a, triangle b)
{
  double x[3];
  coarse(rng, a);
  coarse(rng, b);
  point_between(x, a[0], a[1], a[2], test_below(rng, 1400) - 188, 0);
  int far = test_below(rng, 4);
  for (int k = 0; k < 3; ++k) b[1][k] = x[k] - far * (b[0][k] - x[k]);
}

/* ---------------------------------------------------------------------------------- modified -- */

static void touching(test_rng *rng, triangle a, triangle b)
{
  static const pair_maker makers[] = {coplanar,       coplanar_reals, shared_vertex, shared_edge,
                                      vertex_on_edge, vertex_in_face, edge_edge,     grid7};
  makers[test_below(rng, 8)](rng, a, b);
}

/* One to three coordinates moved by one unit in the last place. */
static void nudged(test_rng *rng, triangle a, triangle b)
{
  touching(rng, a, b);
  for (int n = 1 + test_below(rng, 3); n > 0; --n) {
    double *x = &(test_below(rng, 2) ? a : b)[test_below(rng, 3)][test_below(rng, 3)];
    *x = nextafter(*x, test_below(rng, 2) ? INFINITY : -INFINITY);
  }
}

/* Turned by a matrix of full doubles: off by the rounding. */
static void turned(test_rng *rng, triangle a, triangle b)
{
  double m[3][3];
  touching(rng, a, b);
  reals(rng, m[0], 9, 1);
  for (int n = 0; n < 6; ++n) {
    double *p = n < 3 ? a[n] : b[n - 3], r[3];
    for (int k = 0; k < 3; ++k) r[k] = m[k][0] * p[0] + m[k][1] * p[1] + m[k][2] * p[2];
    point_copy(p, r);
  }
}

/* To a segment (a vertex twice, or one between the others) or a point, at random corners. */
static void collapse(test_rng *rng, triangle t)
{
  int i = test_below(rng, 3), j = (i + 1) % 3, k = (i + 2) % 3;
  switch (test_below(rng, 4)) {
  case 0:
    point_copy(t[i], t[j]);
    break;
  case 1:
    point_between(t[i], t[j], t[k], t[j], 512, 0);
    break;
  case 2:
    point_copy(t[i], t[j]);
    point_copy(t[k], t[j]);
    break;
  default:
    break; /* as it is */
  }
}

static void degenerate(test_rng *rng, triangle a, triangle b)
{
  touching(rng, a, b);
  collapse(rng, a);
  collapse(rng, b);
}

/* Segments and points on a small grid: crossings, overlaps and ends that meet are all likely. */
static void degenerate_grid(test_rng *rng, triangle a, triangle b)
{
  grid(rng, a, b, 1 + test_below(rng, 4));
  point_copy(a[test_below(rng, 3)], a[test_below(rng, 3)]);
  if (test_below(rng, 3)) point_copy(b[test_below(rng, 3)], b[test_below(rng, 3)]);
  if (!test_below(rng, 8)) point_copy(a[1], a[0]);
}

static void nudged_degenerate(test_rng *rng, triangle a, triangle b)
{
  degenerate(rng, a, b);
  double *x = &(test_below(rng, 2) ? a : b)[test_below(rng, 3)][test_below(rng, 3)];
  *x = nextafter(*x, test_below(rng, 2) ? INFINITY : -INFINITY);
}

/* ------------------------------------------------------------------------------------ scales -- */

static void any_plain(test_rng *rng, triangle a, triangle b)
{
  static const pair_maker makers[] = {touching, nudged, degenerate, general, grid3};
  makers[test_below(rng, 5)](rng, a, b);
}

/* By powers of two, one per axis; what falls below the denormals is rounded and stays what it
 * then is. */
static void scale_axes(triangle a, triangle b, const int exponent[3])
{
  for (int i = 0; i < 9; ++i) {
    a[i / 3][i % 3] = ldexp(a[i / 3][i % 3], exponent[i % 3]);
    b[i / 3][i % 3] = ldexp(b[i / 3][i % 3], exponent[i % 3]);
  }
}

static void tiny(test_rng *rng, triangle a, triangle b)
{
  int e = -1000 - test_below(rng, 75);
  any_plain(rng, a, b);
  scale_axes(a, b, (int[3]){e, e, e});
}

static void huge(test_rng *rng, triangle a, triangle b)
{
  int e = 940 + test_below(rng, 50);
  any_plain(rng, a, b);
  scale_axes(a, b, (int[3]){e, e, e});
}

static void uneven(test_rng *rng, triangle a, triangle b)
{
  int e[3];
  for (int k = 0; k < 3; ++k) e[k] = test_below(rng, 2) ? test_below(rng, 2000) - 1020 : test_below(rng, 60) - 30;
  any_plain(rng, a, b);
  scale_axes(a, b, e);
}

/* Each triangle has the origin, or a point next to it, on an edge or in a face, and corners of
 * any magnitude. */
static void mixed(test_rng *rng, triangle a, triangle b)
{
  int spread = test_below(rng, 3) ? 40 : 1000;
  for (int n = 0; n < 2; ++n) {
    double(*t)[3] = n ? b : a;
    integers(rng, t[0], 9, -3, 3);
    bool face = test_below(rng, 2);
    for (int k = 0; k < 3; ++k) t[1][k] = -t[0][k] - (face ? t[2][k] : 0);
    int e[3];
    for (int i = 0; i < 3; ++i) e[i] = test_below(rng, 2 * spread) - spread;
    for (int i = 0; i < 9; ++i) t[i / 3][i % 3] = ldexp(t[i / 3][i % 3], e[i / 3]);
  }
  for (int i = 0, axis = test_below(rng, 3); i < 3; ++i) /* sometimes all of b by the least step to one side */
    if (!test_below(rng, 2)) b[i][axis] = nextafter(b[i][axis], INFINITY);
}

static const struct pair_kind {
  const char *name;
  pair_maker make;
  int share; /* of the pairs; those with thousands of bits are dear to the oracle */
} pair_kinds[] = {
    {"general", general, 12},
    {"floats", floats, 8},
    {"grid 0..2", grid2, 12},
    {"grid 0..3", grid3, 12},
    {"grid 0..7", grid7, 12},
    {"coplanar", coplanar, 10},
    {"coplanar reals", coplanar_reals, 10},
    {"shared vertex", shared_vertex, 6},
    {"shared edge", shared_edge, 6},
    {"identical", identical, 3},
    {"vertex on edge", vertex_on_edge, 8},
    {"vertex in face", vertex_in_face, 8},
    {"edge on edge", edge_edge, 8},
    {"nudged", nudged, 12},
    {"turned", turned, 8},
    {"degenerate", degenerate, 10},
    {"degenerate grid", degenerate_grid, 10},
    {"nudged degenerate", nudged_degenerate, 8},
    {"tiny", tiny, 6},
    {"huge", huge, 6},
    {"uneven axes", uneven, 3},
    {"mixed scales", mixed, 3},
};
enum { PAIR_KINDS = sizeof pair_kinds / sizeof pair_kinds[0] };

#endif
