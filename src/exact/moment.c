#include "exact/moment.h"

#include <math.h>
#include <string.h>

static whole mul(whole_pool *pool, whole x, whole y) { return whole_mul(pool, x, y); }
static whole sub(whole_pool *pool, whole x, whole y) { return whole_sub(pool, x, y); }

static const uint64_t one_limb = 1;
static whole one(void) { return (whole){1, 1, &one_limb}; }
static whole magnitude(whole x)
{
  x.sign = x.sign != 0;
  return x;
}

/* The sign of v1 / u1 - v2 / u2. */
static int compare(whole_pool *pool, whole u1, whole v1, whole u2, whole v2)
{
  int mark = whole_mark(pool);
  int sign = sub(pool, mul(pool, v1, u2), mul(pool, v2, u1)).sign;
  whole_release(pool, mark);
  return sign;
}

/* Horner's rule in two variables. */
static int sign_at(whole_pool *pool, const poly *p, whole u, whole v)
{
  int mark = whole_mark(pool);
  whole value = p->c[p->degree], power = u;
  for (int i = p->degree - 1; i >= 0; --i) {
    value = whole_add(pool, mul(pool, value, v), mul(pool, p->c[i], power));
    if (i) power = mul(pool, power, u);
  }
  whole_release(pool, mark);
  return value.sign;
}

/* --------------------------------------------------------------------------------- isolation -- */

typedef struct list {
  moment *out;
  int count;
} list;

static void add_rational(list *l, whole u, whole v)
{
  l->out[l->count++] = (moment){.rational = true, .u = magnitude(u), .v = magnitude(v)};
}

static void add_between(list *l, const poly *p, whole low[2], whole high[2], int left)
{
  l->out[l->count++] =
      (moment){.of = *p, .low_u = low[0], .low_v = low[1], .high_u = high[0], .high_v = high[1], .left = left};
}

static void add_quadratic(whole_pool *pool, const poly *p, list *l)
{
  const whole *c = p->c;
  whole start[2] = {one(), {0}}, end[2] = {{0}, one()};
  if (c[0].sign != c[2].sign) {
    add_between(l, p, start, end, c[0].sign);
    return;
  }
  if (c[1].sign != -c[0].sign) return;
  whole middle[2] = {magnitude(whole_times(pool, c[2], 2)), magnitude(c[1])};
  int mark = whole_mark(pool);
  int sign = sub(pool, mul(pool, c[1], c[1]), whole_times(pool, mul(pool, c[0], c[2]), 4)).sign;
  whole_release(pool, mark);
  if (sign == 0) add_rational(l, middle[0], middle[1]);
  if (sign <= 0) return;
  add_between(l, p, start, middle, c[0].sign);
  add_between(l, p, middle, end, -c[0].sign);
}

/* b^2 c^2 - 4 a c^3 - 4 b^3 d + 18 a b c d - 27 a^2 d^2 of a v^3 + b u v^2 + c u^2 v + d u^3,
 * its sign. */
static int discriminant_sign(whole_pool *pool, const poly *p)
{
  int mark = whole_mark(pool);
  whole a = p->c[3], b = p->c[2], c = p->c[1], d = p->c[0];
  whole bb = mul(pool, b, b), cc = mul(pool, c, c), ac = mul(pool, a, c), ad = mul(pool, a, d), bc = mul(pool, b, c),
        bd = mul(pool, b, d);
  whole sum = sub(pool, mul(pool, bb, cc), whole_times(pool, mul(pool, ac, cc), 4));
  sum = sub(pool, sum, whole_times(pool, mul(pool, bb, bd), 4));
  sum = whole_add(pool, sum, whole_times(pool, mul(pool, ad, bc), 18));
  int sign = sub(pool, sum, whole_times(pool, mul(pool, ad, ad), 27)).sign;
  whole_release(pool, mark);
  return sign;
}

/* The two rational numbers of the file's head: the mean of the roots, and the root of the
 * remainder. As (u, v), u > 0. */
static void separators(whole_pool *pool, const poly *p, whole mean[2], whole other[2])
{
  whole a = p->c[3], b = p->c[2], c = p->c[1], d = p->c[0];
  mean[0] = whole_times(pool, magnitude(a), 3);
  mean[1] = a.sign > 0 ? whole_negative(b) : b;
  whole h = sub(pool, mul(pool, b, b), whole_times(pool, mul(pool, a, c), 3));
  other[0] = whole_times(pool, magnitude(h), 2);
  other[1] = sub(pool, whole_times(pool, mul(pool, a, d), 9), mul(pool, b, c));
  if (h.sign < 0) other[1] = whole_negative(other[1]);
}

/* Three different real roots, of which as many are positive as the signs of the coefficients
 * change: two or three. */
static void add_three(whole_pool *pool, const poly *p, int positive, list *l)
{
  whole start[2] = {one(), {0}}, end[2] = {{0}, one()}, first[2], second[2];
  int left = p->c[0].sign;
  separators(pool, p, first, second);
  int order = compare(pool, first[0], first[1], second[0], second[1]);
  whole *low = order <= 0 ? first : second, *high = order <= 0 ? second : first;
  if (positive == 3) {
    add_between(l, p, start, low, left);
    left = -left;
  }
  if (order == 0)
    add_rational(l, low[0], low[1]);
  else
    add_between(l, p, positive == 3 ? low : start, high, left);
  add_between(l, p, high, end, -left);
}

/* A double root and a simple one, or a triple one; all rational. */
static void add_multiple(whole_pool *pool, const poly *p, list *l)
{
  whole a = p->c[3], b = p->c[2], c = p->c[1], d = p->c[0], mean[2], twin[2];
  separators(pool, p, mean, twin);
  if (!twin[0].sign) { /* triple */
    if (mean[1].sign > 0) add_rational(l, mean[0], mean[1]);
    return;
  }
  whole h = sub(pool, mul(pool, b, b), whole_times(pool, mul(pool, a, c), 3));
  whole bottom = mul(pool, a, h), ab = mul(pool, a, b), aa = mul(pool, a, a);
  whole top = sub(pool, whole_times(pool, mul(pool, ab, c), 4), whole_times(pool, mul(pool, aa, d), 9));
  top = sub(pool, top, mul(pool, mul(pool, b, b), b));
  bool simple = top.sign * bottom.sign > 0, both = twin[1].sign > 0;
  top = magnitude(top);
  bottom = magnitude(bottom);
  bool before = simple && both && compare(pool, bottom, top, twin[0], twin[1]) < 0;
  if (simple && before) add_rational(l, bottom, top);
  if (both) add_rational(l, twin[0], twin[1]);
  if (simple && !before) add_rational(l, bottom, top);
}

static void add_cubic(whole_pool *pool, const poly *p, list *l)
{
  int changes = 0, last = p->c[0].sign;
  for (int i = 1; i < 4; ++i) {
    if (p->c[i].sign != -last) continue;
    ++changes;
    last = -last;
  }
  if (changes == 0) return;
  whole start[2] = {one(), {0}}, end[2] = {{0}, one()};
  int sign = changes == 1 ? -1 : discriminant_sign(pool, p);
  if (sign > 0) add_three(pool, p, changes, l);
  if (sign == 0) add_multiple(pool, p, l);
  if (sign < 0 && changes != 2)
    add_between(l, p, start, end, p->c[0].sign); /* one real root, of the sign that changes say */
}

int moments_of(whole_pool *pool, const poly *p, moment out[MOMENTS])
{
  list l = {.out = out};
  int from = 0, to = p->degree;
  while (!p->c[from].sign) ++from;
  while (!p->c[to].sign) --to;
  poly inner = {.degree = to - from};
  memcpy(inner.c, p->c + from, (size_t)(to - from + 1) * sizeof inner.c[0]);
  if (from) add_rational(&l, one(), (whole){0});
  if (inner.degree == 1 && inner.c[0].sign != inner.c[1].sign) add_rational(&l, inner.c[1], inner.c[0]);
  if (inner.degree == 2) add_quadratic(pool, &inner, &l);
  if (inner.degree == 3) add_cubic(pool, &inner, &l);
  if (to < p->degree) add_rational(&l, (whole){0}, one());
  return l.count;
}

/* ------------------------------------------------------------------------------------- signs -- */

/* Where (u, v) lies: -1 before the moment, 0 at it, 1 after it. */
static int side_of(whole_pool *pool, const moment *m, whole u, whole v)
{
  if (m->rational) return compare(pool, u, v, m->u, m->v);
  if (compare(pool, u, v, m->low_u, m->low_v) <= 0) return -1;
  if (compare(pool, u, v, m->high_u, m->high_v) >= 0) return 1;
  int sign = sign_at(pool, &m->of, u, v);
  return sign == 0 ? 0 : sign == m->left ? -1 : 1;
}

static int linear_sign(whole_pool *pool, const moment *m, whole c0, whole c1)
{
  if (c0.sign * c1.sign >= 0) return c0.sign + c1.sign > 0 ? 1 : c0.sign + c1.sign < 0 ? -1 : 0;
  int side = side_of(pool, m, magnitude(c1), magnitude(c0));
  return side < 0 ? c1.sign : side > 0 ? c0.sign : 0;
}

/* Of a quadratic at a root of a quadratic: their leading terms cancel. */
static int sign_at_quadratic(whole_pool *pool, const moment *m, const whole q[3])
{
  const whole *p = m->of.c;
  whole c0 = sub(pool, mul(pool, p[2], q[0]), mul(pool, q[2], p[0]));
  whole c1 = sub(pool, mul(pool, p[2], q[1]), mul(pool, q[2], p[1]));
  return p[2].sign * linear_sign(pool, m, c0, c1);
}

static int sign_at_cubic(whole_pool *pool, const moment *m, const poly *q)
{
  const whole *p = m->of.c, *c = q->c;
  whole s1 = mul(pool, c[2], p[3]), s0 = sub(pool, mul(pool, c[2], p[2]), mul(pool, c[1], p[3]));
  int s = linear_sign(pool, m, s0, s1);
  if (s == 0) return sign_at(pool, q, magnitude(s1), magnitude(s0));
  whole ww = mul(pool, c[2], c[2]);
  whole r1 = sub(pool, mul(pool, ww, p[1]), whole_add(pool, mul(pool, c[1], s0), mul(pool, c[0], s1)));
  whole r0 = sub(pool, mul(pool, ww, p[0]), mul(pool, c[0], s0));
  return -s * linear_sign(pool, m, r0, r1);
}

int moment_sign(whole_pool *pool, const moment *m, const poly *q)
{
  if (m->rational) return sign_at(pool, q, m->u, m->v);
  bool some[3] = {false, false, false}; /* negative, zero, positive coefficients */
  for (int i = 0; i <= q->degree; ++i) some[q->c[i].sign + 1] = true;
  if (!some[0] || !some[2]) return some[2] - some[0]; /* u and v are positive */
  int mark = whole_mark(pool), sign;
  if (q->degree == 1 || !q->c[2].sign)
    sign = linear_sign(pool, m, q->c[0], q->c[1]);
  else
    sign = m->of.degree == 2 ? sign_at_quadratic(pool, m, q->c) : sign_at_cubic(pool, m, q);
  whole_release(pool, mark);
  return sign;
}

/* ------------------------------------------------------------------------------------- floor -- */

static double ratio_of(whole u, whole v)
{
  int eu, ev;
  double x = whole_to_double(u, &eu), y = whole_to_double(v, &ev);
  if (!u.sign) return 1;
  if (!v.sign) return 0;
  double ratio = ldexp(y / x, ev - eu);
  return isinf(ratio) ? 1 : ratio / (1 + ratio);
}

/* An approximation of the moment, by halving in double: a start for the search. */
static double guess(const moment *m)
{
  if (m->rational) return ratio_of(m->u, m->v);
  int exponent[4], most = -1;
  double c[4] = {0};
  for (int i = 0; i <= m->of.degree; ++i) {
    c[i] = whole_to_double(m->of.c[i], &exponent[i]) * m->of.c[i].sign;
    if (c[i] != 0 && exponent[i] > most) most = exponent[i];
  }
  for (int i = 0; i <= m->of.degree; ++i) c[i] = ldexp(c[i], exponent[i] - most);
  double low = ratio_of(m->low_u, m->low_v), high = ratio_of(m->high_u, m->high_v);
  for (int step = 0; step < 60 && low < high; ++step) {
    double t = 0.5 * (low + high), u = 1 - t, value = c[m->of.degree], power = u;
    if (t == low || t == high) break;
    for (int i = m->of.degree - 1; i >= 0; --i, power *= u) value = value * t + c[i] * power;
    *(value * m->left > 0 ? &low : &high) = t;
  }
  return low;
}

static uint64_t to_bits(double t)
{
  uint64_t bits;
  memcpy(&bits, &t, sizeof bits);
  return bits;
}

static double from_bits(uint64_t bits)
{
  double t;
  memcpy(&t, &bits, sizeof t);
  return t;
}

moment moment_at(whole_pool *pool, double t)
{
  int exponent = t > 0 ? double_low_exponent(t) : 0;
  whole v = whole_from_double(pool, t, exponent);
  return (moment){.rational = true, .u = sub(pool, whole_power_of_two(pool, -exponent), v), .v = v};
}

bool moment_not_before(whole_pool *pool, const moment *m, double t)
{
  int mark = whole_mark(pool);
  moment at = moment_at(pool, t);
  int side = side_of(pool, m, at.u, at.v);
  whole_release(pool, mark);
  return side <= 0;
}

double moment_floor(whole_pool *pool, const moment *m)
{
  if (m->rational && !m->u.sign) return 1;
  if (m->rational && !m->v.sign) return 0;
  /* low is not after the moment, high is */
  uint64_t low = 0, high = to_bits(1.0), at = to_bits(guess(m)), step = 1;
  if (at <= low) at = low + 1;
  if (at >= high) at = high - 1;
  bool up = moment_not_before(pool, m, from_bits(at));
  *(up ? &low : &high) = at;
  for (; high - low > 1; step *= 2) { /* outward with longer and longer steps */
    if (high - low <= step) break;
    at = up ? low + step : high - step;
    bool before = moment_not_before(pool, m, from_bits(at));
    *(before ? &low : &high) = at;
    if (before != up) break;
  }
  while (high - low > 1) {
    at = low + (high - low) / 2;
    *(moment_not_before(pool, m, from_bits(at)) ? &low : &high) = at;
  }
  return from_bits(low);
}
