/* Halving in double.
 *
 * Error bounds. eps = 2^-53; m1, m2, md are the greatest components of e1, e2, d at both ends, M
 * = md m1 m2. To first order:
 *   a product of two differences   error 3 eps m1 m2; a component of a cross product: 8 eps m1
 *                                  m2, magnitude 2 m1 m2
 *   Bernstein coefficients         of A: at most 11 eps m1 m2, magnitude 2 m1 m2; of f: 62 eps
 *                                  M, magnitude 6 M
 *   on a part [l, r] of [0, 1]     the coefficients are sums with positive weights whose sum is
 *                                  1, each weight right to 8 eps and each product and sum to 4
 *                                  more: 12 eps times the magnitude, 72 eps M for f and 24 eps
 *                                  m1 m2 for A
 *   A - X - Y, A - X               the errors of the terms, and 2 roundings of at most twice the
 *   sum of their m m
 * F_ERROR = 160 for f and SIDE_ERROR = 48 for sides leave room for all terms of higher order.
 * With m1, m2, md in [2^-250, 2^250] nothing overflows, and what underflows is lost in these
 * bounds; other queries go to the integers. */
#include "exact/crossing.h"

#include "exact/clipping.h"
#include "exact/crossing_flat.h"
#include "exact/double_double.h"
#include "exact/predicates.h"

#include <math.h>
#include <string.h>

#define EPS 0x1p-53
#define F_ERROR 160
#define SIDE_ERROR 48
enum { DEPTH = 40, HALVINGS = 120, SIDES = 4 };
#define LEAST_WIDTH 0x1p-39
#define FLAT_WIDTH 0x1p-4 /* of a part on which f has no sign at all: halving it further only helps the sides */

typedef struct motion {
  double e1[2][3], e2[2][3], d[2][3];
  double m1, m2, md;        /* greatest components */
  double f[4];              /* Bernstein coefficients on [0, 1] */
  double f_error;           /* of them, and of those on any part of [0, 1] */
  int sides;                /* 3 or 4 */
  double side[SIDES][3][3]; /* side, axis, Bernstein coefficient */
  double side_error[SIDES];
} motion;

/* ------------------------------------------------------------------------------------- setup -- */

static double difference(const double start[4][3], const double end[4][3], int to, int from, double out[2][3])
{
  double most = 0;
  for (int k = 0; k < 3; ++k) {
    out[0][k] = start[to][k] - start[from][k];
    out[1][k] = end[to][k] - end[from][k];
    double x = fabs(out[0][k]), y = fabs(out[1][k]);
    most = x > most ? x : most;
    most = y > most ? y : most;
  }
  return most;
}

static bool in_range(double m) { return m >= 0x1p-250 && m <= 0x1p250; }

/* false: a magnitude is out of range. */
static bool begin(motion *m, crossing_kind kind, const double start[4][3], const double end[4][3])
{
  bool edges = kind == CROSSING_EDGE_EDGE;
  m->m1 = difference(start, end, edges ? 1 : 2, edges ? 0 : 1, m->e1);
  m->m2 = difference(start, end, 3, edges ? 2 : 1, m->e2);
  m->md = difference(start, end, edges ? 2 : 0, edges ? 0 : 1, m->d);
  m->f_error = F_ERROR * EPS * m->m1 * m->m2 * m->md;
  return in_range(m->m1) && in_range(m->m2) && in_range(m->md);
}

/* One component of a cross product in Bernstein form. */
static void cross(int axis, const double a[2][3], const double b[2][3], double out[3])
{
  int i = axis == 2 ? 0 : axis + 1, j = axis == 0 ? 2 : axis - 1;
  out[0] = a[0][i] * b[0][j] - a[0][j] * b[0][i];
  out[1] = 0.5 * ((a[0][i] * b[1][j] - a[0][j] * b[1][i]) + (a[1][i] * b[0][j] - a[1][j] * b[0][i]));
  out[2] = a[1][i] * b[1][j] - a[1][j] * b[1][i];
}

/* f, and A in the first side. */
static void make_f(motion *m)
{
  double sum[4] = {0};
  for (int k = 0; k < 3; ++k) {
    double *a = m->side[0][k], d0 = m->d[0][k], d1 = m->d[1][k];
    cross(k, m->e1, m->e2, a);
    sum[0] += d0 * a[0];
    sum[1] += d1 * a[0] + 2 * d0 * a[1];
    sum[2] += 2 * d1 * a[1] + d0 * a[2];
    sum[3] += d1 * a[2];
  }
  m->f[0] = sum[0];
  m->f[1] = sum[1] / 3;
  m->f[2] = sum[2] / 3;
  m->f[3] = sum[3];
}

static void make_sides(motion *m, crossing_kind kind)
{
  bool edges = kind == CROSSING_EDGE_EDGE;
  m->sides = edges ? 4 : 3;
  for (int k = 0; k < 3; ++k) {
    double a[3], x[3], y[3];
    memcpy(a, m->side[0][k], sizeof a);
    cross(k, m->d, m->e2, x);
    cross(k, edges ? m->d : m->e1, edges ? m->e1 : m->d, y);
    for (int i = 0; i < 3; ++i) {
      m->side[0][k][i] = x[i];
      m->side[1][k][i] = y[i];
      m->side[2][k][i] = edges ? a[i] - x[i] : a[i] - x[i] - y[i];
      m->side[3][k][i] = a[i] - y[i];
    }
  }
  double a = SIDE_ERROR * EPS * m->m1 * m->m2, x = SIDE_ERROR * EPS * m->md * m->m2,
         y = SIDE_ERROR * EPS * m->m1 * m->md;
  m->side_error[0] = x;
  m->side_error[1] = y;
  m->side_error[2] = edges ? a + x : a + x + y;
  m->side_error[3] = a + y;
}

/* ----------------------------------------------------------------------------------- halving -- */

/* The Bernstein coefficients of f on [l, r]. */
static void f_on(const motion *m, double l, double r, double out[4])
{
  double p = 1 - l, q = 1 - r;
  double ll = l * l, lr = l * r, rr = r * r, pp = p * p, pq = p * q, qq = q * q;
  const double *f = m->f;
  out[0] = pp * p * f[0] + 3 * (pp * l) * f[1] + 3 * (p * ll) * f[2] + ll * l * f[3];
  out[1] = pp * q * f[0] + (2 * (pq * l) + pp * r) * f[1] + (2 * (p * lr) + q * ll) * f[2] + ll * r * f[3];
  out[2] = p * qq * f[0] + (2 * (pq * r) + qq * l) * f[1] + (2 * (q * lr) + p * rr) * f[2] + l * rr * f[3];
  out[3] = qq * q * f[0] + 3 * (qq * r) * f[1] + 3 * (q * rr) * f[2] + rr * r * f[3];
}

/* The sign that all values have beyond the error, or 0. */
static int strict_sign(const double *x, int count, double error)
{
  double low = x[0], high = x[0];
  for (int i = 1; i < count; ++i) {
    low = x[i] < low ? x[i] : low;
    high = x[i] > high ? x[i] : high;
  }
  return low > error ? 1 : high < -error ? -1 : 0;
}

typedef enum verdict { APART, INSIDE, OPEN } verdict;

/* What the sides prove about [l, r]: no contact; every root of f is a contact; nothing. */
static verdict sides_on(const motion *m, double l, double r)
{
  double p = 1 - l, q = 1 - r;
  double w[3][3] = {{p * p, 2 * (p * l), l * l}, {p * q, p * r + q * l, l * r}, {q * q, 2 * (q * r), r * r}};
  bool inside = false;
  for (int k = 0; k < 3; ++k) {
    int positive = 0, negative = 0;
    for (int s = 0; s < m->sides; ++s) {
      const double *c = m->side[s][k];
      double value[3];
      for (int i = 0; i < 3; ++i) value[i] = w[i][0] * c[0] + w[i][1] * c[1] + w[i][2] * c[2];
      int sign = strict_sign(value, 3, m->side_error[s]);
      positive += sign > 0;
      negative += sign < 0;
    }
    if (positive && negative) return APART;
    inside = inside || positive + negative == m->sides;
  }
  return inside ? INSIDE : OPEN;
}

/* Returns whether f has exactly one root in [l, r], a simple one, given its coefficients there. */
static bool one_root(const double f[4], double error)
{
  double step[3] = {f[1] - f[0], f[2] - f[1], f[3] - f[2]};
  int rise = strict_sign(step, 3, 3 * error);
  return rise && f[0] * rise < -error && f[3] * rise > error;
}

/* Returns whether f is about 0 at all times, as for four points that stay in a plane. */
static bool is_flat(const double f[4], double error)
{
  return fabs(f[0]) <= error && fabs(f[1]) <= error && fabs(f[2]) <= error && fabs(f[3]) <= error;
}

/* ------------------------------------------------------------------------------------ polish -- */

/* f with about 106 bits: the sum of c[i] t^i (1 - t)^(3 - i). */
typedef struct precise {
  dd c[4];
  double error; /* of a value at t in [0, 1] */
} precise;

static void precise_difference(const double start[4][3], const double end[4][3], int to, int from, dd out[2][3])
{
  for (int k = 0; k < 3; ++k) {
    out[0][k] = dd_difference(start[to][k], start[from][k]);
    out[1][k] = dd_difference(end[to][k], end[from][k]);
  }
}

/* Every term of c has less than 64 roundings of 2^-103 M, every value 64 more. */
static void make_precise(precise *p, crossing_kind kind, const double start[4][3], const double end[4][3],
                         const motion *m)
{
  bool edges = kind == CROSSING_EDGE_EDGE;
  dd e1[2][3], e2[2][3], d[2][3];
  precise_difference(start, end, edges ? 1 : 2, edges ? 0 : 1, e1);
  precise_difference(start, end, 3, edges ? 2 : 1, e2);
  precise_difference(start, end, edges ? 2 : 0, edges ? 0 : 1, d);
  *p = (precise){.error = 0x1p-94 * m->m1 * m->m2 * m->md};
  for (int k = 0; k < 3; ++k) {
    int i = (k + 1) % 3, j = (k + 2) % 3;
    dd a[3] = {{0, 0}, {0, 0}, {0, 0}};
    for (int x = 0; x < 4; ++x) {
      dd part = dd_sub(dd_mul(e1[x / 2][i], e2[x % 2][j]), dd_mul(e1[x / 2][j], e2[x % 2][i]));
      a[x / 2 + x % 2] = dd_add(a[x / 2 + x % 2], part);
    }
    for (int x = 0; x < 6; ++x) p->c[x / 3 + x % 3] = dd_add(p->c[x / 3 + x % 3], dd_mul(d[x / 3][k], a[x % 3]));
  }
}

static dd precise_value(const precise *p, double t)
{
  dd u = dd_difference(1, t), power = u, value = p->c[3];
  for (int i = 2; i >= 0; --i) {
    value = dd_add(dd_scale(value, t), dd_mul(p->c[i], power));
    if (i) power = dd_mul(power, u);
  }
  return value;
}

/* Where f is about 0 in [l, r], in double: Newton's method, kept between the ends. f rises from
 * f[0] < 0 to f[3] > 0, or falls. */
static double approximate(const double f[4], double l, double r)
{
  double low = 0, high = 1, s = f[0] / (f[0] - f[3]), up = f[3] > 0 ? 1 : -1;
  for (int step = 0; step < 48; ++step) { /* about 5, more where the root is near an end */
    double q = 1 - s, a = q * f[0] + s * f[1], b = q * f[1] + s * f[2], c = q * f[2] + s * f[3];
    double left = q * a + s * b, right = q * b + s * c, value = q * left + s * right, slope = 3 * (right - left);
    if (value * up > 0)
      high = s;
    else
      low = s;
    double next = s - value / slope;
    if (!(next > low && next < high)) next = 0.5 * (low + high);
    if (fabs(next - s) <= 0x1p-50 * s) break;
    s = next;
  }
  return l + s * (r - l);
}

static double step_of(double t, int direction) { return nextafter(t, direction > 0 ? 2 : -1); }

/* The greatest double not after the only root of f in (l, r), whose coefficients there are f;
 * false: not certain. */
static bool polish(const precise *p, const double f[4], double l, double r, double *time)
{
  double t = approximate(f, l, r);
  int rise = f[3] > 0 ? 1 : -1;
  double s = (t - l) / (r - l), q = 1 - s;
  /* a third of that in s */
  double slope = q * q * (f[1] - f[0]) + 2 * q * s * (f[2] - f[1]) + s * s * (f[3] - f[2]);
  t -= precise_value(p, t).high * (r - l) / (3 * slope);
  t = t > l ? t < r ? t : r : l;
  for (int step = 0, last = 0; step < 12; ++step) {
    double value = precise_value(p, t).high * rise;
    if (!(fabs(value) > p->error)) return false;
    int direction = value < 0 ? 1 : -1; /* where the root is */
    if (last == -direction) {
      *time = direction > 0 ? t : step_of(t, -1);
      return true;
    }
    last = direction;
    t = step_of(t, direction);
  }
  return false;
}

/* --------------------------------------------------------------------------------------- all -- */

/* What the sides prove about a small part of [l, r] around the only root of f there: the
 * smallest of some parts that certainly contains it. */
static verdict narrow(const motion *m, const double f[4], double l, double r)
{
  double slope = fabs(f[3] - f[0]) / (r - l), t = approximate(f, l, r), width = 0x1p-46 * r + 8 * m->f_error / slope;
  int rise = f[3] > 0 ? 1 : -1;
  for (int widening = 0; widening < 4; ++widening, width *= 32) { /* the slope may be less at the root */
    double low = t - width > l ? t - width : l, high = t + width < r ? t + width : r, at[4];
    f_on(m, low, high, at);
    if (at[0] * rise < -m->f_error && at[3] * rise > m->f_error) return sides_on(m, low, high);
  }
  return OPEN;
}

/* The part [0, r] of time that contains all times of interest: r is a power of two. */
static double first_part(double most)
{
  int exponent;
  frexp(most, &exponent); /* most <= 2^exponent */
  return most >= 0.5 ? 1 : most > 0x1p-60 ? ldexp(1, exponent) : 0x1p-60;
}

static int halve(const motion *m, crossing_kind kind, const double start[4][3], const double end[4][3],
                 crossing_times within, double *time)
{
  const double last = within.from > 0 ? 1 : first_part(within.most), whole = last - within.from;
  /* contacts at the last time of interest stay within */
  const double most = within.most * (1 + 0x1p-20);
  double stack[DEPTH + 2][2] = {{within.from, last}};
  bool clipped = false; /* the edges were cut at each other, for nothing */
  for (int count = 1, halvings = 0; count;) {
    const double l = stack[count - 1][0], right = stack[count - 1][1], middle = 0.5 * (l + right);
    double f[4];
    --count;
    if (l > within.most) continue;
    const double r = right > most && most > l ? most : right;
    f_on(m, l, r, f);
    if (strict_sign(f, 4, m->f_error)) continue;
    verdict v = sides_on(m, l, r);
    if (v == APART) continue;
    if (v == OPEN && kind == CROSSING_EDGE_EDGE && !clipped) {
      if (clipping_apart(start, end)) return 0;
      clipped = true;
    }
    if (one_root(f, m->f_error)) {
      if (v == OPEN) v = narrow(m, f, l, r);
      if (v == APART) continue;
      if (v == OPEN) return SIGN_UNSURE;
      precise p;
      make_precise(&p, kind, start, end, m);
      return polish(&p, f, l, r, time) ? 1 : SIGN_UNSURE;
    }
    const double least = (is_flat(f, m->f_error) ? FLAT_WIDTH : LEAST_WIDTH) * whole;
    if (right - l < least || middle == l || middle == right || ++halvings > HALVINGS) return SIGN_UNSURE;
    stack[count][0] = stack[count + 1][1] = middle;
    stack[count][1] = right;
    stack[count + 1][0] = l;
    count += 2;
  }
  return 0;
}

int crossing_filter(crossing_kind kind, const double start[4][3], const double end[4][3], crossing_times within,
                    double *time)
{
  motion m;
  const int axis = within.from == 0 ? crossing_flat_axis(start, end) : -1;
  if (axis >= 0) {
    const int found = crossing_flat(kind, axis, start, end, within.most, time);
    if (found != SIGN_UNSURE) return found;
  }
  if (!begin(&m, kind, start, end)) return SIGN_UNSURE;
  make_f(&m);
  if (strict_sign(m.f, 4, m.f_error)) return 0;
  make_sides(&m, kind);
  return halve(&m, kind, start, end, within, time);
}
