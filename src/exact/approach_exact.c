/* The last stage of approach_first(): integers, as long as the coordinates need.
 *
 * Time is halved, the earlier half first, until on each part either the features are proven to
 * be farther apart than d (1 + 2^-12), or they are within d (1 + 3 2^-12) at its beginning. Two
 * proofs:
 *   planes    A direction is kept. The nearest points at the beginning give it: it is
 *             perpendicular to a face, to two edges or to one edge, or joins two vertices. Along
 *             it the distance is attained at the beginning, and decreases no faster than the
 *             features move: so on a part that is short enough this proof succeeds, and halving
 *             ends.
 *   regions   The distance is attained between a vertex and a face, two edges, a vertex and an
 *             edge, or two vertices, where one projects into the other. If on the whole part
 *             each of these is either far or projects outside, by the signs of Bernstein
 *             coefficients, the features are far. Features that turn about each other very near
 *             need no short parts with this. It costs more and is tried at once, and after 2, 4,
 *             8, ... halvings of a part.
 * Time ends one double before the features touch, if they do: parts with the contact in them
 * would be halved for nothing where d is far less than a rounding of the time.
 *
 * The distance has an exponent of its own: it may be far below the coordinates, or above,
 * without making them longer. Coordinates of many exponents, such as 1 and denormal ones, are first
 * rounded to multiples of 2^GRID d or less. That moves points by less than 2^-19 d against each
 * other, which the slack between the bounds above, 0 and 2^-10 leaves room for. So their length
 * follows from how far the distance is below the greatest of them.
 *
 * Capacity. Coordinates over a common exponent have at most 2098 bits, up to 1074 more for the
 * first time and the last, and one more for each of at most APPROACH_DEPTH halvings: below 86
 * limbs. Polynomials have degree 6 in them and 7 coefficients; some of them live at once: fewer
 * than 256 numbers of a coordinate's length. */
#include "exact/approach_exact.h"

#include "exact/moment.h"

#include <limits.h>
#include <math.h>
#include <string.h>

enum {
  SMALL_COORDINATE = 3,   /* limbs of a coordinate: 192 bits, numbers of usual meshes */
  SMALL_DEPTH = 128,      /* halvings */
  SMALL_POOL = 4096,      /* 32 kB */
  GRID = -20,             /* exponent of the grid of long coordinates, in units of the distance */
  LARGE_POOL = 24 * 1024, /* 192 kB */
  TIME_BITS = 64          /* the first time is a multiple of 2^-64; and the last, unless that is very small */
};

/* x y + z w */
static whole mix(const approach *s, whole x, whole y, whole z, whole w)
{
  int mark = whole_mark(s->pool);
  return whole_settle(s->pool, mark, add(s, mul(s, x, y), mul(s, z, w)));
}

/* ------------------------------------------------------------------------------------- parts -- */

static whole number_of(const approach *s)
{
  int count = APPROACH_LIMBS;
  while (count && !s->number[count - 1]) --count;
  return (whole){count ? 1 : 0, count, s->number};
}

/* The positions at the beginning and the end of the part. */
static void take_part(approach *s)
{
  whole one = whole_power_of_two(s->pool, 0), all = whole_power_of_two(s->pool, s->halvings), to = number_of(s);
  for (int i = 0; i < 2; ++i) {
    if (i) to = add(s, to, one);
    whole left = sub(s, all, to);
    for (int p = 0; p < 12; ++p)
      s->at[p / 3][i].x[p % 3] = mix(s, left, s->x[p / 3][0][p % 3], to, s->x[p / 3][1][p % 3]);
  }
}

int approach_against(const approach *s, whole x, whole d_squared, whole y)
{
  if (x.sign != y.sign) return x.sign - y.sign;
  if (!x.sign) return 0;
  const int shift = s->exponent + 2 * (s->time_bits + s->halvings); /* of d^2 y */
  const int more = whole_bits(x) - (whole_bits(y) + whole_bits(d_squared) + shift);
  /* y d^2 has at most as many bits as its factors together, and at least one less */
  if (more > 0) return x.sign;
  if (more < -1) return -x.sign;
  int mark = whole_mark(s->pool);
  whole z = mul(s, y, d_squared), scale = whole_power_of_two(s->pool, shift < 0 ? -shift : shift);
  int sign = (shift < 0 ? sub(s, mul(s, x, scale), z) : sub(s, x, mul(s, z, scale))).sign;
  whole_release(s->pool, mark);
  return sign;
}

/* The time at which the part begins. */
static moment beginning(const approach *s)
{
  moment m = {.rational = true};
  whole all = whole_power_of_two(s->pool, s->halvings + s->time_bits);
  m.v = mix(s, s->first, whole_power_of_two(s->pool, s->halvings), s->rest, number_of(s));
  m.u = sub(s, all, m.v);
  return m;
}

/* Returns whether the start of the part, rounded down, is after `most`. */
static bool begins_after(const approach *s, double most)
{
  const double t = nextafter(most, 2);
  int mark = whole_mark(s->pool), exponent = double_low_exponent(t), unit = -(s->halvings + s->time_bits);
  int least = exponent < unit ? exponent : unit;
  whole own = mul(s, beginning(s).v, whole_power_of_two(s->pool, unit - least));
  int sign = sub(s, own, whole_from_double(s->pool, t, least)).sign;
  whole_release(s->pool, mark);
  return sign >= 0;
}

static double floor_of_beginning(const approach *s)
{
  int mark = whole_mark(s->pool);
  moment m = beginning(s);
  double t = moment_floor(s->pool, &m);
  whole_release(s->pool, mark);
  return t;
}

static void halve(approach *s)
{
  uint64_t carry = 0;
  for (int i = 0; i < APPROACH_LIMBS; ++i) {
    uint64_t limb = s->number[i];
    s->number[i] = limb << 1 | carry;
    carry = limb >> 63;
  }
  ++s->halvings;
}

/* The longest part that begins where this one ends; false: that is the last time. */
static bool go_on(approach *s)
{
  for (int i = 0; i < APPROACH_LIMBS && !++s->number[i]; ++i) {
  }
  while (!(s->number[0] & 1) && s->halvings) {
    for (int i = 0; i < APPROACH_LIMBS; ++i)
      s->number[i] = s->number[i] >> 1 | (i + 1 < APPROACH_LIMBS ? s->number[i + 1] << 63 : 0);
    --s->halvings;
  }
  return s->halvings > 0;
}

/* ------------------------------------------------------------------------------------ planes -- */

static whole3 difference(const approach *s, int to, int from)
{
  return whole3_sub(s->pool, &s->at[to][0], &s->at[from][0]);
}

const nearest_pair approach_pairs[2][APPROACH_PAIRS] = {
    {{0, -1, -1}, {0, 1, 2}, {0, 2, 3}, {0, 3, 1}, {0, 1, -1}, {0, 2, -1}, {0, 3, -1}, {-1, 0, 0}, {-1, 0, 0}},
    {{0, -1, -1}, {0, 2, 3}, {1, 2, 3}, {2, 0, 1}, {3, 0, 1}, {0, 2, -1}, {0, 3, -1}, {1, 2, -1}, {1, 3, -1}}};

/* A direction along which the distance of a pair is attained, if that is the nearest. */
static whole3 direction_of(const approach *s, const nearest_pair *pair)
{
  const bool edges = s->kind == CROSSING_EDGE_EDGE;
  if (pair->q < 0) {
    const whole3 e = difference(s, edges ? 1 : 2, edges ? 0 : 1), w = difference(s, 3, edges ? 2 : 1);
    return whole3_cross(s->pool, &e, &w);
  }
  if (pair->r < 0) return difference(s, pair->p, pair->q);
  const whole3 e = difference(s, pair->r, pair->q), w = difference(s, pair->p, pair->q);
  const whole3 c = whole3_cross(s->pool, &w, &e);
  return whole3_cross(s->pool, &e, &c);
}

/* The gap of the features along n, at the beginning or the end: not positive if there is none.
 * `turn`: along -n. */
static whole gap_along(const approach *s, const whole3 *n, int at, bool turn)
{
  int mark = whole_mark(s->pool);
  whole least_of_a = {0}, most_of_b = {0};
  for (int i = 0; i < 4; ++i) {
    const whole x = whole3_dot(s->pool, n, &s->at[i][at]), y = turn ? whole_negative(x) : x;
    if (i < s->split)
      least_of_a = !i || sub(s, y, least_of_a).sign < 0 ? y : least_of_a;
    else
      most_of_b = i == s->split || sub(s, y, most_of_b).sign > 0 ? y : most_of_b;
  }
  return whole_settle(s->pool, mark, sub(s, least_of_a, most_of_b));
}

/* A direction, and the gap along it at the beginning. */
typedef struct plane {
  whole3 n;
  whole n_squared, gap, gap_squared;
  bool turn;
} plane;

/* Compares gaps divided by lengths: returns whether the first is smaller. In double: of gaps
 * that are nearly equal either will do. */
static bool is_less(const plane *x, const plane *than)
{
  if (x->gap.sign <= 0 || than->gap.sign <= 0) return x->gap.sign <= 0 && than->gap.sign > 0;
  int e[4];
  double a = whole_to_double(x->gap_squared, &e[0]) * whole_to_double(than->n_squared, &e[1]);
  double b = whole_to_double(than->gap_squared, &e[2]) * whole_to_double(x->n_squared, &e[3]);
  const int more = e[0] + e[1] - e[2] - e[3];
  return more > 2 ? false : more < -2 ? true : ldexp(a, more) < b;
}

static void make_plane(const approach *s, const nearest_pair *pair, plane *out)
{
  out->n = direction_of(s, pair);
  out->n_squared = whole3_dot(s->pool, &out->n, &out->n);
  out->turn = false;
  out->gap = gap_along(s, &out->n, 0, false);
  if (out->gap.sign <= 0) {
    out->turn = true;
    out->gap = gap_along(s, &out->n, 0, true);
  }
  out->gap_squared = mul(s, out->gap, out->gap);
}

typedef enum verdict { NEAR, APART, OPEN } verdict;

/* Is the part proven by the direction that has the greatest gap at its beginning, or do the
 * features begin near each other? */
static verdict by_planes(approach *s)
{
  plane best = {.gap = {0}};
  for (int i = 0; i < APPROACH_PAIRS && approach_pairs[s->kind][i].p >= 0; ++i) {
    int mark = whole_mark(s->pool);
    plane own;
    make_plane(s, &approach_pairs[s->kind][i], &own);
    if (own.gap.sign > 0 && is_less(&best, &own))
      best = own;
    else
      whole_release(s->pool, mark);
  }
  if (best.gap.sign <= 0 || approach_against(s, best.gap_squared, s->beyond, best.n_squared) <= 0) return NEAR;
  whole end = gap_along(s, &best.n, 1, best.turn);
  if (end.sign <= 0) return OPEN;
  return approach_against(s, mul(s, end, end), s->near, best.n_squared) >= 0 ? APART : OPEN;
}

/* --------------------------------------------------------------------------------------- all -- */

static void load(approach *s, const double start[4][3], const double end[4][3], double distance, int exponent)
{
  whole all = whole_power_of_two(s->pool, s->time_bits), at[2];
  s->first = at[0] = whole_from_double(s->pool, s->from, -s->time_bits);
  at[1] = whole_from_double(s->pool, s->to, -s->time_bits);
  s->rest = sub(s, at[1], at[0]);
  for (int i = 0; i < 24; ++i) {
    int mark = whole_mark(s->pool), p = i / 6, k = i % 3;
    whole x = whole_from_double(s->pool, start[p][k], exponent), y = whole_from_double(s->pool, end[p][k], exponent);
    whole t = at[i / 3 % 2];
    s->x[p][i / 3 % 2][k] = whole_settle(s->pool, mark, mix(s, sub(s, all, t), x, t, y));
  }
  const int own = double_low_exponent(distance);
  whole d = whole_from_double(s->pool, distance, own), near = whole_times(s->pool, d, (1 << 12) + 1),
        beyond = whole_times(s->pool, d, (1 << 12) + 3);
  s->near = mul(s, near, near);
  s->beyond = mul(s, beyond, beyond);
  s->exponent = 2 * (own - 12 - exponent);
}

/* done: how often the part was halved since the last proof. */
static verdict decide(approach *s, int done)
{
  int mark = whole_mark(s->pool);
  take_part(s);
  verdict v = by_planes(s);
  const bool regions = done != 1 && !(done & (done - 1));
  if (v == OPEN && regions && approach_by_regions(s)) v = APART;
  whole_release(s->pool, mark);
  return v;
}

/* 1: found, 0: none up to `most`, -1: more than `depth` halvings. touches: the features do so
 * after the last time. */
static int search(approach *s, bool touches, double most, int depth, double *time)
{
  do {
    if (begins_after(s, most)) return 0;
    verdict v;
    for (int done = 0; (v = decide(s, done)) == OPEN; ++done) {
      if (s->halvings == depth) return -1;
      halve(s);
    }
    if (v == NEAR) {
      *time = floor_of_beginning(s);
      return *time <= most;
    }
  } while (go_on(s));
  *time = s->to;
  return touches && *time <= most;
}

/* A query with coordinates in units of 2^exponent. */
typedef struct numbers {
  crossing_kind kind;
  const double (*start)[3], (*end)[3];
  double distance, from, to, most;
  bool touches;
  int exponent;
} numbers;

static int solve(const numbers *q, whole_pool *pool, int depth, double *time)
{
  approach s = {.pool = pool, .kind = q->kind, .split = q->kind == CROSSING_EDGE_EDGE ? 2 : 1};
  const int least = double_low_exponent(q->to);
  s.from = q->from;
  s.to = q->to;
  s.time_bits = -least > TIME_BITS ? -least : TIME_BITS;
  load(&s, q->start, q->end, q->distance, q->exponent);
  return search(&s, q->touches, q->most, depth, time);
}

static __attribute__((noinline)) int solve_small(const numbers *q, double *time)
{
  uint64_t limbs[SMALL_POOL];
  whole_pool pool = whole_pool_of(limbs, SMALL_POOL);
  return solve(q, &pool, SMALL_DEPTH, time);
}

static __attribute__((noinline)) int solve_large(const numbers *q, double *time)
{
  uint64_t limbs[LARGE_POOL];
  whole_pool pool = whole_pool_of(limbs, LARGE_POOL);
  return solve(q, &pool, APPROACH_DEPTH, time);
}

/* The nearest multiple of 2^grid. What is that far above it is one already. */
static double on_grid(double x, int grid)
{
  const double units = ldexp(x, -grid);
  return fabs(units) < 0x1p52 ? ldexp(rint(units), grid) : x;
}

/* The span of all coordinates: see double_span(). */
static void span_of(const double start[4][3], const double end[4][3], int *low, int *high)
{
  *low = INT_MAX;
  *high = INT_MIN;
  double_span(start[0], 12, low, high);
  double_span(end[0], 12, low, high);
  if (*low == INT_MAX) *low = *high = 0;
}

bool approach_exact(crossing_kind kind, const double start[4][3], const double end[4][3], double distance, double from,
                    double most, double *time)
{
  int low, high, grid;
  double at[2][4][3];
  numbers q = {kind, start, end, distance, floor(from * 0x1p64) * 0x1p-64, 1, most, false, 0};
  span_of(start, end, &low, &high);
  frexp(distance, &grid);
  grid += GRID - 1;
  if (high - low > 64 * SMALL_COORDINATE && grid > low) {
    for (int i = 0; i < 24; ++i) at[i / 12][i / 3 % 4][i % 3] = on_grid((i < 12 ? start : end)[i / 3 % 4][i % 3], grid);
    q.start = (const double(*)[3])at[0];
    q.end = (const double(*)[3])at[1];
    span_of(q.start, q.end, &low, &high);
  }
  q.exponent = low;
  double contact;
  if (crossing_first(kind, start, end, 1, &contact)) {
    q.touches = true;
    q.to = nextafter(contact, 0);
    if (!(q.to > q.from)) {
      *time = from < contact ? from : contact;
      return *time <= most;
    }
  }
  const bool small = high - low <= 64 * SMALL_COORDINATE && !(q.to < 0x1p-64);
  int found = small ? solve_small(&q, time) : -1;
  return (found < 0 ? solve_large(&q, time) : found) > 0;
}
