/* The last stage of crossing_first(): integers, as long as the coordinates need.
 *
 * f not 0 everywhere: its roots in [from, 1] in ascending order, each decided by the signs of A
 * and the sides; where A is 0 on all axes, the face or the two edges are on a line, and contact
 * means that a point is on a segment. f = 0 everywhere (all four always in a plane): contact
 * at `from`; or the first moment after it at which a point comes to be on a segment. Point p on
 * the segment of a and b: (p - a) x (b - a) = 0 and (p - a) . (p - b) <= 0, quadratics in t;
 * also right if a = b.
 *
 * Capacity. Coordinates over a common exponent have at most 2098 bits, all that follows at most
 * 24 times as many: below 800 limbs. The pools are twice what the longest way through the code
 * takes, measured with every number at its greatest length. */
#include "exact/crossing.h"
#include "exact/moment.h"

#include <limits.h>

enum {
  SMALL_COORDINATE = 3,  /* limbs of a coordinate: 192 bits, numbers of usual meshes */
  SMALL_POOL = 4096,     /* 32 kB */
  LARGE_POOL = 32 * 1024 /* 256 kB */
};

typedef struct crossing {
  whole_pool *pool;
  crossing_kind kind;
  whole x[4][2][3]; /* point, end of time, axis */
  whole e1[2][3], e2[2][3], d[2][3];
  poly a[3], f;
  double from; /* contacts before it do not count */
} crossing;

const int crossing_segments[2][4][3] = {{{0, 1, 2}, {0, 2, 3}, {0, 3, 1}, {0, 1, 2}},
                                        {{0, 2, 3}, {1, 2, 3}, {2, 0, 1}, {3, 0, 1}}};

static whole mul(const crossing *s, whole x, whole y) { return whole_mul(s->pool, x, y); }
static whole add(const crossing *s, whole x, whole y) { return whole_add(s->pool, x, y); }

static void difference(const crossing *s, int to, int from, whole out[2][3])
{
  for (int i = 0; i < 6; ++i) out[i / 3][i % 3] = whole_sub(s->pool, s->x[to][i / 3][i % 3], s->x[from][i / 3][i % 3]);
}

/* One component of a cross product. */
static poly cross(const crossing *s, int axis, whole a[2][3], whole b[2][3])
{
  int i = (axis + 1) % 3, j = (axis + 2) % 3;
  whole part[2][2];
  for (int p = 0; p < 4; ++p)
    part[p / 2][p % 2] = whole_minor(s->pool, a[p / 2][i], b[p % 2][j], a[p / 2][j], b[p % 2][i]);
  return (poly){.degree = 2, .c = {part[0][0], add(s, part[0][1], part[1][0]), part[1][1]}};
}

static poly dot(const crossing *s, whole a[2][3], whole b[2][3])
{
  poly r = {.degree = 2};
  for (int p = 0; p < 4; ++p)
    for (int k = 0; k < 3; ++k) r.c[p / 2 + p % 2] = add(s, r.c[p / 2 + p % 2], mul(s, a[p / 2][k], b[p % 2][k]));
  return r;
}

static poly minus(const crossing *s, const poly *a, const poly *b)
{
  poly r = {.degree = a->degree};
  for (int i = 0; i <= a->degree; ++i) r.c[i] = whole_sub(s->pool, a->c[i], b->c[i]);
  return r;
}

static bool is_zero(const poly *p)
{
  for (int i = 0; i <= p->degree; ++i)
    if (p->c[i].sign) return false;
  return true;
}

static void load(crossing *s, const double start[4][3], const double end[4][3], int exponent)
{
  for (int i = 0; i < 12; ++i) {
    s->x[i / 3][0][i % 3] = whole_from_double(s->pool, start[i / 3][i % 3], exponent);
    s->x[i / 3][1][i % 3] = whole_from_double(s->pool, end[i / 3][i % 3], exponent);
  }
  bool edges = s->kind == CROSSING_EDGE_EDGE;
  difference(s, edges ? 1 : 2, edges ? 0 : 1, s->e1);
  difference(s, 3, edges ? 2 : 1, s->e2);
  difference(s, edges ? 2 : 0, edges ? 0 : 1, s->d);
  s->f = (poly){.degree = 3};
  for (int k = 0; k < 3; ++k) s->a[k] = cross(s, k, s->e1, s->e2);
  for (int k = 0; k < 3; ++k)
    for (int p = 0; p < 6; ++p)
      s->f.c[p / 3 + p % 3] = add(s, s->f.c[p / 3 + p % 3], mul(s, s->d[p / 3][k], s->a[k].c[p % 3]));
}

/* ---------------------------------------------------------------------------------- a moment -- */

/* Point p on the segment of a and b? */
static bool on_segment(crossing *s, const moment *m, const int pab[3])
{
  whole pa[2][3], pb[2][3], ba[2][3];
  difference(s, pab[0], pab[1], pa);
  difference(s, pab[0], pab[2], pb);
  difference(s, pab[2], pab[1], ba);
  for (int k = 0; k < 3; ++k) {
    poly c = cross(s, k, pa, ba);
    if (moment_sign(s->pool, m, &c)) return false;
  }
  poly h = dot(s, pa, pb);
  return moment_sign(s->pool, m, &h) <= 0;
}

/* Given that A_axis has this sign and f = 0. */
static bool sides_agree(crossing *s, const moment *m, int axis, int sign)
{
  bool edges = s->kind == CROSSING_EDGE_EDGE;
  poly x = cross(s, axis, s->d, s->e2), y = edges ? cross(s, axis, s->d, s->e1) : cross(s, axis, s->e1, s->d);
  if (moment_sign(s->pool, m, &x) == -sign || moment_sign(s->pool, m, &y) == -sign) return false;
  poly rest = minus(s, &s->a[axis], &x), second = edges ? minus(s, &s->a[axis], &y) : minus(s, &rest, &y);
  if (edges && moment_sign(s->pool, m, &rest) == -sign) return false;
  return moment_sign(s->pool, m, &second) != -sign;
}

/* Returns whether there is a contact at a time with f = 0. */
static bool contact_at(crossing *s, const moment *m)
{
  int mark = whole_mark(s->pool);
  bool contact = false;
  for (int k = 0; k < 3; ++k) {
    int sign = moment_sign(s->pool, m, &s->a[k]);
    if (!sign) continue;
    contact = sides_agree(s, m, k, sign);
    whole_release(s->pool, mark);
    return contact;
  }
  for (int i = 0; i < 4 && !contact; ++i) {
    contact = on_segment(s, m, crossing_segments[s->kind][i]);
    whole_release(s->pool, mark);
  }
  return contact;
}

/* ----------------------------------------------------------------------------- the first one -- */

static bool counts(const crossing *s, const moment *m)
{
  return s->from == 0 || moment_not_before(s->pool, m, s->from);
}

static bool first_root(crossing *s, double *time)
{
  moment all[MOMENTS];
  int count = moments_of(s->pool, &s->f, all);
  for (int i = 0; i < count; ++i) {
    if (!counts(s, &all[i]) || !contact_at(s, &all[i])) continue;
    *time = moment_floor(s->pool, &all[i]);
    return true;
  }
  return false;
}

/* The first moment at which a point is on a segment, given that it is not at `from` and that
 * all is in a plane. */
static bool first_on_segment(crossing *s, const int pab[3], double *time)
{
  whole pa[2][3], pb[2][3], ba[2][3];
  difference(s, pab[0], pab[1], pa);
  difference(s, pab[0], pab[2], pb);
  difference(s, pab[2], pab[1], ba);
  poly of = dot(s, pa, pb); /* if they are always on one line: 0 when the point meets an end */
  for (int k = 0; k < 3; ++k) {
    poly c = cross(s, k, pa, ba);
    if (is_zero(&c)) continue;
    of = c;
    break;
  }
  if (is_zero(&of)) return false; /* then it was there at `from` */
  moment all[MOMENTS];
  int count = moments_of(s->pool, &of, all);
  for (int i = 0; i < count; ++i) {
    int mark = whole_mark(s->pool);
    bool contact = counts(s, &all[i]) && on_segment(s, &all[i], pab);
    whole_release(s->pool, mark);
    if (!contact) continue;
    *time = moment_floor(s->pool, &all[i]);
    return true;
  }
  return false;
}

static bool first_in_plane(crossing *s, double *time)
{
  moment start = moment_at(s->pool, s->from);
  bool found = contact_at(s, &start);
  if (found) *time = s->from;
  for (int i = 0; i < 4 && !(found && *time == s->from); ++i) {
    int mark = whole_mark(s->pool);
    double when;
    if (first_on_segment(s, crossing_segments[s->kind][i], &when) && (!found || when < *time)) {
      *time = when;
      found = true;
    }
    whole_release(s->pool, mark);
  }
  return found;
}

static bool solve(whole_pool *pool, const crossing *of, const double start[4][3], const double end[4][3], int exponent,
                  double *time)
{
  crossing s = *of;
  s.pool = pool;
  load(&s, start, end, exponent);
  return is_zero(&s.f) ? first_in_plane(&s, time) : first_root(&s, time);
}

static __attribute__((noinline)) bool solve_small(const crossing *of, const double start[4][3], const double end[4][3],
                                                  int exponent, double *time)
{
  uint64_t limbs[SMALL_POOL];
  whole_pool pool = whole_pool_of(limbs, SMALL_POOL);
  return solve(&pool, of, start, end, exponent, time);
}

static __attribute__((noinline)) bool solve_large(const crossing *of, const double start[4][3], const double end[4][3],
                                                  int exponent, double *time)
{
  uint64_t limbs[LARGE_POOL];
  whole_pool pool = whole_pool_of(limbs, LARGE_POOL);
  return solve(&pool, of, start, end, exponent, time);
}

bool crossing_exact_since(crossing_kind kind, const double start[4][3], const double end[4][3], double from,
                          double *time)
{
  int low = INT_MAX, high = INT_MIN;
  double_span(start[0], 12, &low, &high);
  double_span(end[0], 12, &low, &high);
  if (low == INT_MAX) low = high = 0;
  const crossing of = {.kind = kind, .from = from};
  return (high - low <= 64 * SMALL_COORDINATE ? solve_small : solve_large)(&of, start, end, low, time);
}

bool crossing_exact(crossing_kind kind, const double start[4][3], const double end[4][3], double *time)
{
  return crossing_exact_since(kind, start, end, 0, time);
}
