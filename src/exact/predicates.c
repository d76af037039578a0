/* Exact signs in three stages; see the header.
 *
 * The filter's error, with u = 2^-53 and e = 2^-1075 (half the smallest denormal):
 *   a computed difference d of coordinates has |d - true| <= u |d|, also where it is denormal
 *   (then it is exact); a computed product p has |p - true| <= u |p| + e; a computed sum s has
 *   |s - true| <= u |s|.
 * Let X, Y, Z be the greatest magnitudes of the computed differences in x, y, z. orient3d,
 * normal n = (b - a) x (c - a), then n . (d - a). In units of u X Y Z, terms in u^2 aside:
 *   a component of n, say of x: two products of 1 Y Z each, and their difference of 2 Y Z: error
 *   4, magnitude 2; its product with a difference: 4 + 2, three of these: 18; the two sums of
 *   magnitudes 4 and 6: 10; together 28; the differences themselves: each of 6 products of three
 *   is off by 3: 18. All in all 46. The bound uses 48: the 2 left over cover the terms in u^2
 *   (below 10^3 u), the three roundings of the bound itself and underflow: 6 e X + 3 e and the
 *   like, which is negligible against 2 u X Y Z if X, Y, Z >= 2^-300.
 * orient2d: two products of 1 and their difference of 2: 4; the differences: 2 products off by
 * 2: 4. All in all 8; the
 *   bound uses 9.
 * Overflow: magnitudes up to 2^300 keep everything below 6 * 2^900. Outside [2^-300, 2^300] the
 * filter does not decide, unless a column is zero, which is exact: a computed difference is zero
 * only if the coordinates are equal.
 *
 * All later stages use that a determinant keeps its sign when each column (axis) is scaled by
 * its own power of two. */
#include "exact/predicates.h"

#include "exact/whole.h"

#include <float.h>
#include <limits.h>
#include <math.h>
#include <stdint.h>
#include <string.h>

_Static_assert(FLT_EVAL_METHOD == 0 && FLT_RADIX == 2 && DBL_MANT_DIG == 53,
               "the error bounds are for plain IEEE double");

__extension__ typedef __int128 int128;

#define ORIENT3D_ERROR (48 * 0x1p-53)
#define ORIENT2D_ERROR (9 * 0x1p-53)
#define SAFE_LOW 0x1p-300
#define SAFE_HIGH 0x1p300

static inline double greater(double x, double y) { return x > y ? x : y; }

static inline double lesser(double x, double y) { return x < y ? x : y; }

static inline double magnitude2(double x, double y) { return greater(fabs(x), fabs(y)); }

static inline int sign_of(int128 x) { return (x > 0) - (x < 0); }

/* ------------------------------------------------------------------------------------ filter -- */

/* A plane through three points, for the filter. */
typedef struct plane {
  double normal[3];
  double size[3]; /* greatest magnitude of the two edge vectors, per axis */
} plane;

static inline plane plane_through(const double a[3], const double b[3], const double c[3])
{
  double bx = b[0] - a[0], by = b[1] - a[1], bz = b[2] - a[2];
  double cx = c[0] - a[0], cy = c[1] - a[1], cz = c[2] - a[2];
  return (plane){{by * cz - bz * cy, bz * cx - bx * cz, bx * cy - by * cx},
                 {magnitude2(bx, cx), magnitude2(by, cy), magnitude2(bz, cz)}};
}

/* Products that overflowed before the range check do no harm: they are not used. */
static inline int plane_filter(const plane *p, const double a[3], const double d[3])
{
  double dx = d[0] - a[0], dy = d[1] - a[1], dz = d[2] - a[2];
  double x = greater(p->size[0], fabs(dx)), y = greater(p->size[1], fabs(dy)), z = greater(p->size[2], fabs(dz));
  double least = lesser(x, lesser(y, z));
  if (least == 0) return 0;
  if (!(least >= SAFE_LOW && greater(x, greater(y, z)) <= SAFE_HIGH)) return SIGN_UNSURE;
  double det = p->normal[0] * dx + p->normal[1] * dy + p->normal[2] * dz;
  double error = ORIENT3D_ERROR * x * y * z;
  if (det > error) return 1;
  return det < -error ? -1 : SIGN_UNSURE;
}

int orient3d_filter(const double a[3], const double b[3], const double c[3], const double d[3])
{
  plane p = plane_through(a, b, c);
  return plane_filter(&p, a, d);
}

/* The two axes other than `axis`, in cyclic order. */
static inline int axis_u(int axis) { return axis == 2 ? 0 : axis + 1; }

static inline int axis_v(int axis) { return axis == 0 ? 2 : axis - 1; }

int orient2d_filter(int axis, const double a[3], const double b[3], const double c[3])
{
  int u = axis_u(axis), v = axis_v(axis);
  double bu = b[u] - a[u], bv = b[v] - a[v], cu = c[u] - a[u], cv = c[v] - a[v];
  double x = magnitude2(bu, cu), y = magnitude2(bv, cv), least = lesser(x, y);
  if (least == 0) return 0;
  if (!(least >= SAFE_LOW && greater(x, y) <= SAFE_HIGH)) return SIGN_UNSURE;
  double det = bu * cv - bv * cu, error = ORIENT2D_ERROR * x * y;
  if (det > error) return 1;
  return det < -error ? -1 : SIGN_UNSURE;
}

/* ----------------------------------------------------------------------------------- integer -- */

static inline double power_of_two(int exponent)
{
  uint64_t bits = (uint64_t)(exponent + 1023) << 52;
  double x;
  memcpy(&x, &bits, sizeof x);
  return x;
}

/* One axis: d[i] = (x[i + 1] - x[0]) * 2^k, with k such that not all are even. Returns the bits
 * that the greatest magnitude needs, 0 if all are zero, or -1 if that is not possible in 64
 * bits. Scaled by a power of two such that the greatest is in [2^61, 2^62), all coordinates
 * must be integers. The inverse scaling verifies that: n * inverse is exact, as n has at most 53
 * significant bits and the product is zero or normal, so if it is x then x is n / scale exactly,
 * whatever was rounded before. */
static inline int integer_column(const double *x, int count, int64_t *d)
{
  double greatest = 0;
  for (int i = 0; i < count; ++i) greatest = greater(greatest, fabs(x[i]));
  uint64_t bits;
  memcpy(&bits, &greatest, sizeof bits);
  int exponent = (int)(bits >> 52) - 1023;
  if (greatest == 0) exponent = 0;
  if (exponent < -900 || exponent > 900) return -1;
  double scale = power_of_two(61 - exponent), inverse = power_of_two(exponent - 61);
  int64_t n[4];
  bool all = true;
  for (int i = 0; i < count; ++i) {
    n[i] = (int64_t)(x[i] * scale);
    all = all & ((double)n[i] * inverse == x[i]);
  }
  if (!all) return -1;
  /* the or of the magnitudes: its lowest bit is that of any, its highest that of the greatest */
  uint64_t size = 0;
  for (int i = 1; i < count; ++i) {
    d[i - 1] = n[i] - n[0];
    size |= d[i - 1] < 0 ? 0 - (uint64_t)d[i - 1] : (uint64_t)d[i - 1];
  }
  if (!size) return 0;
  int zeros = __builtin_ctzll(size);
  /* arithmetic, and exact: a division would take longer */
  for (int i = 0; i < count - 1; ++i) d[i] >>= zeros;
  return 64 - zeros - __builtin_clzll(size);
}

/* With p bits in all, each of the 6 products is below 2^p, their sum below 2^(p + 3), a minor
 * below 2^p. */
int orient3d_integer(const double a[3], const double b[3], const double c[3], const double d[3])
{
  int64_t column[3][3];
  int bits = 0;
  for (int k = 0; k < 3; ++k) {
    int own = integer_column((const double[4]){a[k], b[k], c[k], d[k]}, 4, column[k]);
    if (own <= 0) return own == 0 ? 0 : SIGN_UNSURE;
    bits += own;
  }
  if (bits > 124) return SIGN_UNSURE;
  const int64_t *x = column[0], *y = column[1], *z = column[2];
  int128 nx = (int128)y[0] * z[1] - (int128)z[0] * y[1];
  int128 ny = (int128)z[0] * x[1] - (int128)x[0] * z[1];
  int128 nz = (int128)x[0] * y[1] - (int128)y[0] * x[1];
  return sign_of(nx * x[2] + ny * y[2] + nz * z[2]);
}

int orient2d_integer(int axis, const double a[3], const double b[3], const double c[3])
{
  int64_t x[2], y[2];
  int u = axis_u(axis), v = axis_v(axis);
  int bits = integer_column((const double[3]){a[u], b[u], c[u]}, 3, x);
  if (bits <= 0) return bits == 0 ? 0 : SIGN_UNSURE;
  bits = integer_column((const double[3]){a[v], b[v], c[v]}, 3, y);
  if (bits <= 0) return bits == 0 ? 0 : SIGN_UNSURE;
  /* 63 bits each: both products below 2^126 */
  return sign_of((int128)x[0] * y[1] - (int128)y[0] * x[1]);
}

/* --------------------------------------------------------------------------------------- big -- */

/* Columns have 3 x 3 numbers of 34 limbs and what they come from, 3 times 234 limbs; a minor, its
 * product with a third number and the sum take 412 limbs, three times. */
enum { POOL = 2048 };

/* One axis: d[i] = (x[i + 1] - x[0]) / 2^k, with the greatest k for which all coordinates are
 * multiples of 2^k. */
static void whole_column(whole_pool *pool, const double *x, int count, whole *d)
{
  const int exponent = least_exponent(INT_MAX, x, count);
  const whole first = whole_from_double(pool, x[0], exponent);
  for (int i = 1; i < count; ++i) d[i - 1] = whole_sub(pool, whole_from_double(pool, x[i], exponent), first);
}

int orient3d_big(const double a[3], const double b[3], const double c[3], const double d[3])
{
  uint64_t limbs[POOL];
  whole_pool pool = whole_pool_of(limbs, POOL);
  whole column[3][3], sum = {0};
  for (int k = 0; k < 3; ++k) whole_column(&pool, (const double[4]){a[k], b[k], c[k], d[k]}, 4, column[k]);
  for (int k = 0; k < 3; ++k) {
    const whole *u = column[axis_u(k)], *v = column[axis_v(k)], minor = whole_minor(&pool, u[0], v[1], u[1], v[0]);
    sum = whole_add(&pool, sum, whole_mul(&pool, minor, column[k][2]));
  }
  return sum.sign;
}

int orient2d_big(int axis, const double a[3], const double b[3], const double c[3])
{
  uint64_t limbs[POOL];
  whole_pool pool = whole_pool_of(limbs, POOL);
  whole x[2], y[2];
  const int u = axis_u(axis), v = axis_v(axis);
  whole_column(&pool, (const double[3]){a[u], b[u], c[u]}, 3, x);
  whole_column(&pool, (const double[3]){a[v], b[v], c[v]}, 3, y);
  return whole_minor(&pool, x[0], y[1], x[1], y[0]).sign;
}

/* ----------------------------------------------------------------------------------- decided -- */

static inline bool equal(const double a[3], const double b[3]) { return a[0] == b[0] && a[1] == b[1] && a[2] == b[2]; }

/* Not inlined: the filter decides nearly always, and its caller should stay small. Equal points
 * are tested first: triangles with common vertices get here with coordinates of many bits. */
static __attribute__((noinline)) int orient3d_unsure(const double a[3], const double b[3], const double c[3],
                                                     const double d[3])
{
  if (equal(a, b) || equal(a, c) || equal(a, d) || equal(b, c) || equal(b, d) || equal(c, d)) return 0;
  int sign = orient3d_integer(a, b, c, d);
  return sign != SIGN_UNSURE ? sign : orient3d_big(a, b, c, d);
}

int orient3d_sign(const double a[3], const double b[3], const double c[3], const double d[3])
{
  int sign = orient3d_filter(a, b, c, d);
  return sign != SIGN_UNSURE ? sign : orient3d_unsure(a, b, c, d);
}

void orient3d_signs(const double t[3][3], const double p[3][3], int signs[3])
{
  plane s = plane_through(t[0], t[1], t[2]);
  for (int i = 0; i < 3; ++i) {
    signs[i] = plane_filter(&s, t[0], p[i]);
    if (signs[i] == SIGN_UNSURE) signs[i] = orient3d_unsure(t[0], t[1], t[2], p[i]);
  }
}

int orient2d_sign(int axis, const double a[3], const double b[3], const double c[3])
{
  int sign = orient2d_filter(axis, a, b, c);
  if (sign == SIGN_UNSURE) sign = orient2d_integer(axis, a, b, c);
  return sign != SIGN_UNSURE ? sign : orient2d_big(axis, a, b, c);
}

/* The greatest component of the rounded normal is tried first: there the filter decides most. If
 * it is wrong, or NaN, it costs time only. */
int proper_axis(const double a[3], const double b[3], const double c[3])
{
  plane p = plane_through(a, b, c);
  double nx = fabs(p.normal[0]), ny = fabs(p.normal[1]), nz = fabs(p.normal[2]);
  int axis = nx > ny ? (nx > nz ? 0 : 2) : (ny > nz ? 1 : 2);
  for (int tries = 0; tries < 3; ++tries, axis = axis_u(axis))
    if (orient2d_sign(axis, a, b, c) != 0) return axis;
  return -1;
}

bool collinear3(const double a[3], const double b[3], const double c[3]) { return proper_axis(a, b, c) < 0; }

int point_compare(const double a[3], const double b[3])
{
  for (int k = 0; k < 3; ++k)
    if (a[k] != b[k]) return a[k] < b[k] ? -1 : 1;
  return 0;
}
