/* Two dimensions in integers of fixed length.
 *
 * Features that are apart at the start first touch when a point p comes to be on a segment from
 * a to b (as in crossing_exact.c): then q = (p - a) x (b - a) is 0 and h = (p - a) . (p - b) is
 * not positive. Both are quadratics in time. Differences of coordinates in a common unit have at
 * most 62 bits, products 124, coefficients of q and h 126: all of them are exact, and so are
 * their signs.
 *
 * Roots of q are approximated in double, as ratios r = t / (1 - t), with a relative error that
 * is known; they are accepted only if they are far apart from each other. The sign of h at a
 * root is that of its value beyond the error. If it is about 0, the point meets an end of the
 * segment: p - a, or p - b, is 0 on both axes at one time, which is decided exactly, and then
 * that is the root. All else is unsure.
 *
 * The time is the greatest double that is not after the root: by exact signs of q, or of a
 * coordinate of p - a, at doubles of at most 63 bits after the point, which have at most 126 + 2
 * * 63 + 2 = 254 bits. */
#include "exact/crossing_flat.h"

#include "exact/predicates.h"
#include "exact/whole.h"

#include <limits.h>
#include <math.h>
#include <stdint.h>
#include <string.h>

__extension__ typedef __int128 int128;
__extension__ typedef unsigned __int128 uint128;

enum { UNIT_BITS = 120, DIFFERENCE_BITS = 61 };
#define ERROR_ALONE 0x1p-47 /* relative, of the ratio of a root that is the only one of its kind */
#define ERROR_TWO 0x1p-42   /* of two positive roots whose discriminant is not less than this part of its first term: */
#define LEAST_DISCRIMINANT 0x1p-10
#define LEAST_TIME 0x1p-10 /* doubles from there on have at most 63 digits after the point */
enum { MOST_STEP = 1 << 16 };

/* The sum of c[i] u^(2 - i) v^i, t = v / (u + v). A linear one has c[2] = 0 and one factor less. */
typedef struct quadratic {
  int128 c[3];
} quadratic;

typedef struct flat {
  int64_t x[4][2][2]; /* point, end of time, axis: from point 0 at that time */
  double most;        /* later contacts are of no interest */
  double first;       /* the first contact so far; 2: none */
} flat;

static int sign_of(int128 x) { return (x > 0) - (x < 0); }

/* Error below 2^-51 relative. */
static double to_double(int128 x)
{
  const uint128 y = x < 0 ? -(uint128)x : (uint128)x;
  const double z = (double)(uint64_t)(y >> 64) * 0x1p64 + (double)(uint64_t)y;
  return x < 0 ? -z : z;
}

/* ------------------------------------------------------------------------------------- setup -- */

int crossing_flat_axis(const double start[4][3], const double end[4][3])
{
  for (int k = 0; k < 3; ++k) {
    if (start[0][k] != start[1][k] || end[0][k] != end[1][k]) continue;
    if (start[0][k] != start[2][k] || end[0][k] != end[2][k]) continue;
    if (start[0][k] == start[3][k] && end[0][k] == end[3][k]) return k;
  }
  return -1;
}

/* x / 2^low, a whole number of at most UNIT_BITS bits. */
static int128 in_units(double x, int low)
{
  int exponent;
  if (x == 0) return 0; /* has no exponent */
  const int64_t mantissa = (int64_t)(frexp(x, &exponent) * 0x1p53);
  const int shift = exponent - 53 - low;
  return shift >= 0 ? mantissa * ((int128)1 << shift) : mantissa / ((int64_t)1 << -shift);
}

/* false: the numbers are too long. */
static bool load(flat *f, int axis, const double start[4][3], const double end[4][3])
{
  const int axes[2] = {axis == 2 ? 0 : axis + 1, axis == 0 ? 2 : axis - 1};
  int low = INT_MAX, high = INT_MIN;
  for (int i = 0; i < 16; ++i) double_span(&(i & 1 ? end : start)[i / 4][axes[i / 2 % 2]], 1, &low, &high);
  if (low == INT_MAX) low = high = 0;
  if (high - low > UNIT_BITS) return false;
  for (int i = 0; i < 4; ++i) {
    const double(*at)[3] = i / 2 ? end : start;
    const int128 base = in_units(at[0][axes[i % 2]], low);
    for (int p = 0; p < 4; ++p) {
      const int128 x = in_units(at[p][axes[i % 2]], low) - base;
      if (x >> DIFFERENCE_BITS != 0 && -x >> DIFFERENCE_BITS != 0) return false;
      f->x[p][i / 2][i % 2] = (int64_t)x;
    }
  }
  return true;
}

/* A difference of two points: by end of time and axis. */
typedef struct way {
  int64_t x[2][2];
} way;

static way way_of(const flat *f, int from, int to)
{
  way w;
  for (int i = 0; i < 4; ++i) w.x[i / 2][i % 2] = f->x[to][i / 2][i % 2] - f->x[from][i / 2][i % 2];
  return w;
}

static int128 cross_at(const int64_t a[2], const int64_t b[2]) { return (int128)a[0] * b[1] - (int128)a[1] * b[0]; }
static int128 dot_at(const int64_t a[2], const int64_t b[2]) { return (int128)a[0] * b[0] + (int128)a[1] * b[1]; }

static quadratic product(const way *a, const way *b, int128 (*of)(const int64_t[2], const int64_t[2]))
{
  return (quadratic){{of(a->x[0], b->x[0]), of(a->x[0], b->x[1]) + of(a->x[1], b->x[0]), of(a->x[1], b->x[1])}};
}

/* --------------------------------------------------------------------------------- the start -- */

/* The segments that count: the last one of a vertex and a face repeats the first. */
static int segment_count(crossing_kind kind) { return kind == CROSSING_EDGE_EDGE ? 4 : 3; }

static bool on_segment_at_start(const flat *f, const int pab[3])
{
  const way pa = way_of(f, pab[1], pab[0]), pb = way_of(f, pab[2], pab[0]), ba = way_of(f, pab[1], pab[2]);
  return cross_at(pa.x[0], ba.x[0]) == 0 && dot_at(pa.x[0], pb.x[0]) <= 0;
}

/* The sides of crossing.h. */
static bool touches_at_start(const flat *f, crossing_kind kind)
{
  const bool edges = kind == CROSSING_EDGE_EDGE;
  const way e1 = way_of(f, edges ? 0 : 1, edges ? 1 : 2), e2 = way_of(f, edges ? 2 : 1, 3),
            d = way_of(f, edges ? 0 : 1, edges ? 2 : 0);
  const int128 a = cross_at(e1.x[0], e2.x[0]), x = cross_at(d.x[0], e2.x[0]),
               y = edges ? cross_at(d.x[0], e1.x[0]) : cross_at(e1.x[0], d.x[0]);
  if (a == 0) {
    for (int i = 0; i < segment_count(kind); ++i)
      if (on_segment_at_start(f, crossing_segments[kind][i])) return true;
    return false;
  }
  const int out = -sign_of(a);
  if (sign_of(x) == out || sign_of(y) == out) return false;
  return edges ? sign_of(a - x) != out && sign_of(a - y) != out : sign_of(a - x - y) != out;
}

/* ------------------------------------------------------------------------------------- times -- */

/* Adds c f to a number of 256 bits. */
static void add_product(uint64_t sum[4], int128 c, uint128 f)
{
  const uint128 m = c < 0 ? -(uint128)c : (uint128)c;
  const uint64_t x[2] = {(uint64_t)m, (uint64_t)(m >> 64)}, y[2] = {(uint64_t)f, (uint64_t)(f >> 64)};
  uint64_t p[4] = {0};
  for (int i = 0; i < 2; ++i) {
    uint128 carry = 0;
    for (int k = 0; k < 2; ++k) {
      carry += (uint128)x[i] * y[k] + p[i + k];
      p[i + k] = (uint64_t)carry;
      carry >>= 64;
    }
    p[i + 2] = (uint64_t)carry;
  }
  uint128 carry = c < 0; /* minus is the complement and 1 */
  for (int i = 0; i < 4; ++i) {
    carry += (uint128)sum[i] + (c < 0 ? ~p[i] : p[i]);
    sum[i] = (uint64_t)carry;
    carry >>= 64;
  }
}

/* A root of a quadratic between 0 and 1, both excluded. */
typedef struct root {
  quadratic of;
  double ratio, error; /* about t / (1 - t), and its relative error */
  int left;            /* the sign of the quadratic before it */
} root;

/* Returns whether a time, the double with these bits, is not after a nearby root. The time is
 * not less than LEAST_TIME. */
static bool is_before(const root *r, uint64_t time)
{
  const int digits = 1075 - (int)(time >> 52);
  const uint64_t v = (time & (((uint64_t)1 << 52) - 1)) | (uint64_t)1 << 52, u = ((uint64_t)1 << digits) - v;
  uint64_t sum[4] = {0};
  add_product(sum, r->of.c[0], (uint128)u * u);
  add_product(sum, r->of.c[1], (uint128)u * v);
  add_product(sum, r->of.c[2], (uint128)v * v);
  const int sign = sum[3] >> 63 ? -1 : (sum[0] | sum[1] | sum[2] | sum[3]) != 0;
  return sign * r->left >= 0;
}

static uint64_t bits_of(double x)
{
  uint64_t bits;
  memcpy(&bits, &x, sizeof bits);
  return bits;
}

/* The greatest double that is not after a root, from one near it. false: it is not near. */
static bool floor_of(const root *r, double near, double *time)
{
  uint64_t low = bits_of(LEAST_TIME), high = bits_of(1), at = bits_of(near), step = 1;
  if (at <= low) return false;
  if (at >= high) at = high - 1;
  const bool up = is_before(r, at);
  *(up ? &low : &high) = at;
  for (; high - low > step; step *= 2) { /* outward with longer and longer steps */
    if (step > MOST_STEP) return false;
    at = up ? low + step : high - step;
    const bool before = is_before(r, at);
    *(before ? &low : &high) = at;
    if (before != up) break;
  }
  while (high - low > 1) {
    at = low + (high - low) / 2;
    *(is_before(r, at) ? &low : &high) = at;
  }
  memcpy(time, &low, sizeof low);
  return *time > LEAST_TIME; /* or it was never compared */
}

/* Takes the time of a contact at a root, if none is known before it. false: unsure. */
static bool take_root(flat *f, const root *r)
{
  const double near = r->ratio / (1 + r->ratio);
  double time;
  if (near * (1 - 4 * r->error) > fmin(f->first, f->most)) return true;
  if (!floor_of(r, near, &time)) return false;
  f->first = fmin(f->first, time);
  return true;
}

/* ------------------------------------------------------------------------------------- roots -- */

/* The roots of c0 + c1 r. */
static int roots_of_linear(int128 c0, int128 c1, root out[1])
{
  if (sign_of(c0) * sign_of(c1) >= 0) return 0;
  /* (c0 u + c1 v) (u + v), which has the same sign */
  out[0] = (root){{{c0, c0 + c1, c1}}, -to_double(c0) / to_double(c1), ERROR_ALONE, sign_of(c0)};
  return 1;
}

/* The roots of q between 0 and 1 in ascending order: how many, or -1 for unsure. */
static int roots_of(const quadratic *q, root out[2])
{
  const int first = sign_of(q->c[0]), middle = sign_of(q->c[1]), last = sign_of(q->c[2]);
  if (!first) return roots_of_linear(q->c[1], q->c[2], out);
  if (!last) return roots_of_linear(q->c[0], q->c[1], out);
  if (first == last && middle != -first) return 0;
  const double c = to_double(q->c[0]), b = to_double(q->c[1]), a = to_double(q->c[2]), square = b * b;
  const double discriminant = square - 4 * (a * c);
  if (discriminant < -0x1p-46 * square) return 0;
  if (discriminant < LEAST_DISCRIMINANT * square) return -1;
  const double twice = b + copysign(sqrt(discriminant), b), one = -2 * c / twice, other = -twice / (2 * a);
  out[0] = (root){*q, one, ERROR_TWO, first};
  out[1] = (root){*q, other, ERROR_TWO, -first};
  if (first == last) return 2;
  out[0].ratio = fmax(one, other); /* one is negative, and both are right to the last bits */
  out[0].error = ERROR_ALONE;
  return 1;
}

/* ------------------------------------------------------------------------- the first contact -- */

/* The sign of h at a root; SIGN_UNSURE if it is about 0. */
static int sign_at_root(const quadratic *h, const root *r)
{
  const double c0 = to_double(h->c[0]), c1 = to_double(h->c[1]) * r->ratio,
               c2 = to_double(h->c[2]) * r->ratio * r->ratio;
  const double value = c0 + c1 + c2, error = 4 * r->error * (fabs(c0) + fabs(c1) + fabs(c2));
  return value > error ? 1 : value < -error ? -1 : SIGN_UNSURE;
}

/* When the two points of a way are one after the start: takes it as a contact. *at: its ratio,
 * if it is before the end. false: unsure. */
static bool take_meeting(flat *f, const way *w, double *at)
{
  const int axis = w->x[0][0] == 0 && w->x[1][0] == 0;
  const bool both = axis == 0 && (w->x[0][1] != 0 || w->x[1][1] != 0);
  root r;
  *at = NAN;
  if (both && cross_at(w->x[0], w->x[1]) != 0) return true; /* one axis after the other */
  if (w->x[1][axis] == 0) f->first = fmin(f->first, 1);
  if (!roots_of_linear(w->x[0][axis], w->x[1][axis], &r)) return true;
  *at = r.ratio;
  return take_root(f, &r);
}

/* Returns whether a root is a contact with an end of a segment. */
static bool is_meeting(const root *r, const double meetings[2])
{
  const double apart = 4 * r->error * r->ratio;
  return fabs(meetings[0] - r->ratio) <= apart || fabs(meetings[1] - r->ratio) <= apart;
}

/* Contacts of a point with a segment after the start. false: unsure. */
static bool take_segment(flat *f, const int pab[3])
{
  const way pa = way_of(f, pab[1], pab[0]), ba = way_of(f, pab[1], pab[2]), pb = way_of(f, pab[2], pab[0]);
  const quadratic q = product(&pa, &ba, cross_at);
  root roots[2];
  double meetings[2];
  const int count = roots_of(&q, roots);
  if (count == 0 && q.c[2] != 0) return true; /* never on one line after the start */
  if (count < 0 || !take_meeting(f, &pa, &meetings[0]) || !take_meeting(f, &pb, &meetings[1])) return false;
  if (count == 0 && q.c[0] == 0 && q.c[1] == 0) return true; /* always on one line */
  const quadratic h = product(&pa, &pb, dot_at);
  if (q.c[2] == 0 && h.c[2] <= 0) f->first = fmin(f->first, 1);
  for (int i = 0; i < count; ++i) {
    const int side = sign_at_root(&h, &roots[i]);
    if (side == SIGN_UNSURE && !is_meeting(&roots[i], meetings)) return false;
    if (side < 0 && !take_root(f, &roots[i])) return false;
  }
  return true;
}

int crossing_flat(crossing_kind kind, int axis, const double start[4][3], const double end[4][3], double most,
                  double *time)
{
  flat f = {.most = most, .first = 2};
  if (!load(&f, axis, start, end)) return SIGN_UNSURE;
  if (touches_at_start(&f, kind)) {
    *time = 0;
    return 1;
  }
  for (int i = 0; i < segment_count(kind); ++i)
    if (!take_segment(&f, crossing_segments[kind][i])) return SIGN_UNSURE;
  *time = f.first;
  /* others after the last time of interest may have been left out */
  return f.first <= fmin(1, most);
}
