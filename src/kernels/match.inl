/* The inner loops of shape matching: sums for fits, goals, spheres in O(1), spheres against
 * spheres. */
#include "kernels/match.h"
#include "math/simd.h"

/* Eight packed points as lanes, relative to the origin; `n` of them count, the others repeat the
 * first. */
static KERNEL_INLINE void match_load(const float *xyz, int n, const float origin[3], v8 out[3])
{
  v4 p[8];
  if (n == 8) {
    for (int i = 0; i < 7; ++i) p[i] = v4_load(xyz + 3 * i);
    p[7] = v4_load3(xyz + 21);
  } else {
    for (int i = 0; i < 8; ++i) p[i] = v4_load3(xyz + 3 * (i < n ? i : 0));
  }
  v8_transpose(p, &out[0], &out[1], &out[2]);
  for (int k = 0; k < 3; ++k) out[k] = v8_sub(out[k], v8_set(origin[k]));
}

static KERNEL_INLINE void match_u(const float *lanes, const int terms, v8 u[9])
{
  for (int k = 0; k < 3; ++k) u[k] = v8_load(lanes + 8 * k);
  if (terms == 3) return;
  for (int k = 0; k < 3; ++k) u[3 + k] = v8_mul(u[k], u[k]);
  for (int k = 0; k < 3; ++k) u[6 + k] = v8_mul(u[k], u[(k + 1) % 3]);
}

static KERNEL_INLINE v8 match_at(const match_float_map *map, int i, const int terms, const v8 u[9])
{
  v8 x = v8_add(v8_set(map->t[i]),
                v8_dot(u[0], v8_set(map->m[i][0]), u[1], v8_set(map->m[i][1]), u[2], v8_set(map->m[i][2])));
  if (terms == 3) return x;
  x = v8_add(x, v8_dot(u[3], v8_set(map->m[i][3]), u[4], v8_set(map->m[i][4]), u[5], v8_set(map->m[i][5])));
  return v8_add(x, v8_dot(u[6], v8_set(map->m[i][6]), u[7], v8_set(map->m[i][7]), u[8], v8_set(map->m[i][8])));
}

/* Lanes are added in double, in their order. */
static void match_flush(const v8 sum[3][MATCH_COLUMNS], const int terms, double out[3][MATCH_COLUMNS])
{
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j <= terms; ++j) {
      float lanes[8];
      v8_store(lanes, sum[i][j]);
      for (int k = 0; k < 8; ++k) out[i][j < terms ? j : 9] += (double)lanes[k];
    }
}

enum { MATCH_RUN = 64 }; /* blocks that are added in float */

static KERNEL_INLINE void match_sums_of(const match_view *v, const float *xyz, const int terms,
                                        double out[3][MATCH_COLUMNS])
{
  for (int i = 0; i < 3 * MATCH_COLUMNS; ++i) out[i / MATCH_COLUMNS][i % MATCH_COLUMNS] = 0;
  const size_t blocks = (v->count + 7) / 8;
  for (size_t begin = 0; begin < blocks; begin += MATCH_RUN) {
    const size_t end = begin + MATCH_RUN < blocks ? begin + MATCH_RUN : blocks;
    v8 sum[3][MATCH_COLUMNS];
    for (int i = 0; i < 3; ++i)
      for (int j = 0; j <= terms; ++j) sum[i][j] = v8_set(0);
    for (size_t b = begin; b < end; ++b) {
      const float *lanes = v->lanes + 32 * b;
      const size_t left = v->count - 8 * b;
      v8 x[3], u[9], mass = v8_load(lanes + 24);
      match_load(xyz + 24 * b, left < 8 ? (int)left : 8, v->origin, x);
      match_u(lanes, terms, u);
      for (int j = 3; j < terms; ++j) u[j] = v8_sub(u[j], v8_set(v->mean[j]));
      for (int i = 0; i < 3; ++i) {
        v8 weighted = v8_mul(mass, x[i]);
        for (int j = 0; j < terms; ++j) sum[i][j] = v8_add(sum[i][j], v8_mul(weighted, u[j]));
        sum[i][terms] = v8_add(sum[i][terms], weighted);
      }
    }
    match_flush((const v8(*)[MATCH_COLUMNS])sum, terms, out);
  }
}

static void match_sums_kernel(const match_view *v, const float *xyz, double out[3][MATCH_COLUMNS])
{
  if (v->terms == 3)
    match_sums_of(v, xyz, 3, out);
  else
    match_sums_of(v, xyz, 9, out);
}

static KERNEL_INLINE void match_store(float *xyz, int n, const v8 x[3])
{
  float lanes[3][8];
  for (int k = 0; k < 3; ++k) v8_store(lanes[k], x[k]);
  for (int i = 0; i < 8; ++i) {
    if (i == n) return;
    for (int k = 0; k < 3; ++k) xyz[3 * i + k] = lanes[k][i];
  }
}

/* What is stored is what is measured: x is rounded to the world's float first, and then taken
 * relative to the origin again. */
static KERNEL_INLINE float match_move_of(const match_view *v, float *xyz, const match_float_map *goal, float stiffness,
                                         const match_float_map *map, const int terms)
{
  v8 most = v8_set(0), by = v8_set(stiffness);
  for (size_t first = 0; first < v->count; first += 8) {
    const float *lanes = v->lanes + 4 * first;
    const int n = v->count - first < 8 ? (int)(v->count - first) : 8;
    v8 x[3], u[9], square = v8_set(0);
    match_load(xyz + 3 * first, n, v->origin, x);
    match_u(lanes, terms, u);
    for (int i = 0; stiffness > 0 && i < 3; ++i) {
      v8 to = match_at(goal, i, terms, u);
      x[i] = v8_add(stiffness == 1 ? to : v8_add(x[i], v8_mul(by, v8_sub(to, x[i]))), v8_set(v->origin[i]));
    }
    if (stiffness > 0) {
      match_store(xyz + 3 * first, n, x);
      for (int i = 0; i < 3; ++i) x[i] = v8_sub(x[i], v8_set(v->origin[i]));
    }
    for (int i = 0; i < 3; ++i) {
      v8 d = v8_sub(x[i], match_at(map, i, terms, u));
      square = v8_add(square, v8_mul(d, d));
    }
    if (n < 8) square = v8_select(v8_lt(v8_numbers(), v8_set((float)n)), square, v8_set(0));
    most = v8_max(most, square);
  }
  float all[8], greatest = 0;
  v8_store(all, most);
  for (int k = 0; k < 8; ++k) greatest = all[k] <= greatest ? greatest : all[k];
  return greatest;
}

static float match_move_kernel(const match_view *v, float *xyz, const match_float_map *goal, float stiffness,
                               const match_float_map *map)
{
  return v->terms == 3 ? match_move_of(v, xyz, goal, stiffness, map, 3)
                       : match_move_of(v, xyz, goal, stiffness, map, 9);
}

/* ----------------------------------------------------------------------------------- spheres -- */

/* An upper bound of the spectral norm of J = A + 2 Q diag(c) + M [c], for 8 centres: sqrt of the
 * greatest eigenvalue of B = J^T J, which is m + 2 p f as in motion/match_polar.c; f from three
 * steps of Newton's method, all above the root. J is in units of slope_unit. Roundings: B to
 * 2^-20 of its trace, which is added; those of J itself, and of a J so small that p^3 is lost
 * (2^-24 of the unit), are in ball_map.slope_error. */
static KERNEL_INLINE v8 match_stretch(const ball_map *map, const v8 u[9])
{
  v8 j[3][3], b[3][3];
  const v8 two = v8_set(2);
  for (int i = 0; i < 3; ++i) {
    v8 m[9];
    for (int k = 0; k < 9; ++k) m[k] = v8_set(map->slope[i][k]);
    for (int k = 0; k < 3; ++k) j[i][k] = v8_add(m[k], v8_mul(v8_mul(two, m[3 + k]), u[k]));
    j[i][0] = v8_add(j[i][0], v8_add(v8_mul(m[6], u[1]), v8_mul(m[8], u[2])));
    j[i][1] = v8_add(j[i][1], v8_add(v8_mul(m[6], u[0]), v8_mul(m[7], u[2])));
    j[i][2] = v8_add(j[i][2], v8_add(v8_mul(m[7], u[1]), v8_mul(m[8], u[0])));
  }
  for (int k = 0; k < 3; ++k)
    for (int l = k; l < 3; ++l) b[k][l] = v8_dot(j[0][k], j[0][l], j[1][k], j[1][l], j[2][k], j[2][l]);
  v8 trace = v8_add(v8_add(b[0][0], b[1][1]), b[2][2]), third = v8_mul(trace, v8_set(1 / 3.0f));
  for (int k = 0; k < 3; ++k) b[k][k] = v8_sub(b[k][k], third);
  v8 off = v8_dot(b[0][1], b[0][1], b[0][2], b[0][2], b[1][2], b[1][2]);
  v8 square = v8_add(v8_dot(b[0][0], b[0][0], b[1][1], b[1][1], b[2][2], b[2][2]), v8_mul(two, off));
  v8 p = v8_sqrt(v8_mul(square, v8_set(1 / 6.0f)));
  v8 det = v8_mul(b[0][0], v8_cross(b[1][1], b[2][2], b[1][2], b[1][2]));
  det = v8_sub(det, v8_mul(b[0][1], v8_cross(b[0][1], b[2][2], b[1][2], b[0][2])));
  det = v8_add(det, v8_mul(b[0][2], v8_cross(b[0][1], b[1][2], b[1][1], b[0][2])));
  /* r is wrong by some 2^-18 trace / p; with less of a spread than that f is 1. */
  v8 cube = v8_mul(two, v8_mul(p, v8_mul(p, p))), slack = v8_mul(trace, v8_set(0x1p-18f));
  v8m round_ball = v8_le(p, v8_mul(trace, v8_set(0x1p-10f)));
  v8 r = v8_div(det, v8_select(round_ball, v8_set(1), cube));
  r = v8_add(r, v8_div(slack, v8_select(round_ball, v8_set(1), p)));
  r = v8_min(v8_max(r, v8_set(-1)), v8_set(1));
  v8 f = v8_set(1);
  for (int step = 0; step < 3; ++step) {
    v8 f2 = v8_mul(f, f), value = v8_sub(v8_mul(f, v8_sub(v8_mul(v8_set(4), f2), v8_set(3))), r);
    v8 slope = v8_max(v8_sub(v8_mul(v8_set(12), f2), v8_set(3)), v8_set(0.5f));
    f = v8_sub(f, v8_div(v8_max(value, v8_set(0)), slope));
  }
  f = v8_select(round_ball, v8_set(1), v8_min(v8_add(f, v8_set(0x1p-18f)), v8_set(1)));
  v8 greatest = v8_add(v8_add(third, v8_mul(v8_mul(two, p), f)), slack);
  return v8_mul(v8_mul(v8_sqrt(v8_max(greatest, v8_set(0))), v8_set(FLOAT_MORE)), v8_set(map->slope_unit));
}

/* Spillmann, Becker, Teschner 2006, eq. 3 and 4, or 15 and the lesser of 16 and a bound by the
 * derivative at the centre: docs/shape-matching.md. */
static void match_balls(const float *rest, const ball_map *map, float *now)
{
  v8 u[9], r0 = v8_load(rest + 24), radius;
  if (map->terms == 3) {
    match_u(rest, 3, u);
    for (int k = 0; k < 3; ++k) v8_store(now + 8 * k, match_at(&map->map, k, 3, u));
    radius = v8_mul(v8_set(map->norm), r0);
  } else {
    match_u(rest, 9, u);
    for (int k = 0; k < 3; ++k) v8_store(now + 8 * k, match_at(&map->map, k, 9, u));
    v8 plain = v8_dot(v8_set(map->norm), r0, v8_set(map->norm_squares), v8_load(rest + 32), v8_set(map->norm_products),
                      v8_load(rest + 40));
    v8 second = v8_add(v8_set(map->norm_squares), v8_mul(v8_set(map->norm_products), v8_set(0.57736f)));
    v8 near = v8_mul(v8_add(v8_add(match_stretch(map, u), v8_set(map->slope_error)), v8_mul(second, r0)), r0);
    radius = v8_select(v8_le(near, plain), near, plain); /* NaN: plain */
  }
  v8 extra = v8_select(v8_lt(v8_set(0), v8_load(rest + 48)), v8_set(map->extra[1]), v8_set(map->extra[0]));
  radius = v8_mul(v8_add(radius, extra), v8_set(1 + 0x1p-21f));
  v8_store(now + 24, v8_select(v8_lt(r0, v8_set(0)), v8_set(-INFINITY), radius));
}

/* The length of a vector of any magnitude. Numbers from 2^-60 to 2^60 are taken as they are. */
static KERNEL_INLINE v8 match_length(const v8 d[3])
{
  const v8 most = v8_max(v8_max(v8_abs(d[0]), v8_abs(d[1])), v8_abs(d[2]));
  const v8m large = v8_lt(v8_set(0x1p60f), most), small = v8_lt(most, v8_set(0x1p-60f));
  const v8 by = v8_select(large, v8_set(0x1p-100f), v8_select(small, v8_set(0x1p100f), v8_set(1)));
  const v8 back = v8_select(large, v8_set(0x1p100f), v8_select(small, v8_set(0x1p-100f), v8_set(1)));
  v8 square = v8_set(0);
  for (int k = 0; k < 3; ++k) {
    const v8 x = v8_mul(d[k], by);
    square = v8_add(square, v8_mul(x, x));
  }
  return v8_mul(v8_sqrt(square), back);
}

static void match_tangents(const float *rest, const ball_map *map, float *now)
{
  v8 c[9], s[9], d[3];
  const int terms = map->terms;
  match_u(rest, 9, c);
  match_u(rest + 24, 9, s);
  for (int k = 0; k < 3; ++k) {
    v8 at = terms == 3 ? match_at(&map->map, k, 3, c) : match_at(&map->map, k, 9, c);
    d[k] = v8_sub(at, terms == 3 ? match_at(&map->map, k, 3, s) : match_at(&map->map, k, 9, s));
    v8_store(now + 8 * k, at);
  }
  v8_store(now + 24, match_length(d));
}

/* As sphere_near() of bounds/sphere.h: squares are right to 8 2^-24 of themselves, sums of radii
 * and margin to 2 2^-24. Where both squares overflow, the spheres may touch, but not for
 * certain: infinity is not less than itself. */
static bool match_near(const float *a, unsigned first, unsigned count, float margin, const float *b, unsigned *wanted,
                       unsigned *sure)
{
  const v8 bx = v8_load(b), by = v8_load(b + 8), bz = v8_load(b + 16), br = v8_load(b + 24);
  unsigned any = 0;
  for (unsigned i = 0; i < count; ++i) {
    const float *at = a + first + i;
    if (!wanted[i] || at[24] < 0) {
      wanted[i] = sure[i] = 0;
      continue;
    }
    v8 x = v8_sub(bx, v8_set(at[0])), y = v8_sub(by, v8_set(at[8])), z = v8_sub(bz, v8_set(at[16]));
    v8 sum = v8_add(br, v8_set(at[24] + margin)), square = v8_dot(x, x, y, y, z, z);
    v8 reach = v8_mul(sum, v8_set(1 + 0x1p-18f)), within = v8_mul(sum, v8_set(SQUARE_LESS));
    v8m touch = v8_le(square, v8_add(v8_mul(reach, reach), v8_set(0x1p-126f)));
    v8m inside = v8_lt(v8_add(square, v8_set(0x1p-100f)), v8_mul(within, within)), full = v8_le(v8_set(0), reach);
    sure[i] = v8m_bits(v8m_and(inside, full));
    wanted[i] &= v8m_bits(v8m_and(touch, full));
    any |= wanted[i];
  }
  return any != 0;
}

/* Distances are right to 1e-5 of the numbers that take part; lanes where they are not numbers
 * pass. */
static unsigned match_contacts(const float *inner, const float *bound, const float a_inner[4], const float a_bound[4],
                               float reach, float margin)
{
  v8 d[3], b[3], point[3];
  for (int k = 0; k < 3; ++k) b[k] = v8_load(inner + 8 * k), d[k] = v8_sub(v8_set(a_inner[k]), b[k]);
  v8 radius = v8_load(inner + 24), length = v8_sqrt(v8_dot(d[0], d[0], d[1], d[1], d[2], d[2]));
  v8 depth = v8_sub(v8_add(radius, v8_set(a_inner[3])), length), deep = v8_abs(depth);
  v8 along = v8_div(v8_sub(radius, v8_mul(v8_set(0.5f), depth)), v8_max(length, v8_set(1e-18f)));
  for (int k = 0; k < 3; ++k) point[k] = v8_add(b[k], v8_mul(along, d[k]));
  v8 slack = v8_mul(v8_set(1e-4f), v8_add(v8_add(v8_abs(v8_set(a_inner[3])), radius), v8_add(length, v8_set(margin))));
  v8m away = v8_lt(depth, v8_sub(v8_set(-margin), slack));
  for (int side = 0; side < 2; ++side) {
    v8 e[3], most = v8_set(side ? a_bound[3] : 0);
    for (int k = 0; k < 3; ++k) e[k] = v8_sub(point[k], side ? v8_set(a_bound[k]) : v8_load(bound + 8 * k));
    if (!side) most = v8_load(bound + 24);
    most = v8_add(v8_mul(v8_set(reach), most), v8_add(deep, slack));
    away = v8m_or(away, v8_lt(v8_mul(most, most), v8_dot(e[0], e[0], e[1], e[1], e[2], e[2])));
  }
  v8m usual = v8m_and(v8_le(v8_set(1e-15f), length), v8_le(length, v8_set(1e15f)));
  return 255u & ~v8m_bits(v8m_and(away, usual));
}

static size_t match_overlaps(const sweep_boxes *boxes, size_t i, uint32_t *out)
{
  v8 lower[3], upper[3];
  size_t found = 0;
  for (int k = 0; k < 3; ++k) lower[k] = v8_set(boxes->lower[k][i]), upper[k] = v8_set(boxes->upper[k][i]);
  for (size_t j = i + 1; j < boxes->count; j += 8) {
    v8m open = v8_le(v8_load(boxes->lower[0] + j), upper[0]),
        both = v8m_and(open, v8_le(lower[0], v8_load(boxes->upper[0] + j)));
    for (int k = 1; k < 3; ++k)
      both = v8m_and(
          both, v8m_and(v8_le(v8_load(boxes->lower[k] + j), upper[k]), v8_le(lower[k], v8_load(boxes->upper[k] + j))));
    unsigned hits = v8m_bits(both);
    if (boxes->count - j < 8) hits &= (1u << (boxes->count - j)) - 1;
    for (; hits; hits &= hits - 1) out[found++] = (uint32_t)j + (uint32_t)__builtin_ctz(hits);
    if (v8m_bits(open) != 255) break; /* from here on all begin behind its end */
  }
  return found;
}
