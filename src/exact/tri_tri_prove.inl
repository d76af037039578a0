/* The proof of a distance, in double-double (tri_tri_distance.c has the reasons and the bounds).
 * Included where `num` is defined, after tri_tri_search.inl: one number or lanes, the same bits
 * from both. */
#ifndef EXACT_TRI_TRI_PROVE_INL
#define EXACT_TRI_TRI_PROVE_INL

#include "exact/tri_tri_search.inl"

typedef struct num_dd {
  num high, low; /* as in double_double.h */
} num_dd;

typedef struct num_dd3 {
  num_dd x[3];
} num_dd3;

static inline num_dd num_dd_quick(num a, num b)
{
  num s = num_add(a, b);
  return (num_dd){s, num_sub(b, num_sub(s, a))};
}

static inline num_dd num_dd_sum(num a, num b)
{
  num s = num_add(a, b), v = num_sub(s, a);
  return (num_dd){s, num_add(num_sub(a, num_sub(s, v)), num_sub(b, v))};
}

static inline num_dd num_dd_add(num_dd a, num_dd b)
{
  num_dd s = num_dd_sum(a.high, b.high), t = num_dd_sum(a.low, b.low);
  s = num_dd_quick(s.high, num_add(s.low, t.high));
  return num_dd_quick(s.high, num_add(s.low, t.low));
}

static inline num_dd num_dd_minus(num_dd a)
{
  return (num_dd){num_sub(num_set(0), a.high), num_sub(num_set(0), a.low)};
}

static inline num_dd num_dd_mul(num_dd a, num_dd b)
{
  num p = num_mul(a.high, b.high), rest = num_product_rest(a.high, b.high, p);
  return num_dd_quick(p, num_add(rest, num_add(num_mul(a.high, b.low), num_mul(a.low, b.high))));
}

static inline num_dd num_dd_scale(num_dd a, num b)
{
  num p = num_mul(a.high, b);
  return num_dd_quick(p, num_add(num_product_rest(a.high, b, p), num_mul(a.low, b)));
}

static inline num_dd num_dd_select(num_mask m, num_dd yes, num_dd no)
{
  return (num_dd){num_select(m, yes.high, no.high), num_select(m, yes.low, no.low)};
}

static inline num_dd num_dd_difference(num a, num b) { return num_dd_sum(a, num_sub(num_set(0), b)); }

static inline num_dd3 num_dd_between(num3 from, num3 to)
{
  return (num_dd3){{num_dd_difference(to.x, from.x), num_dd_difference(to.y, from.y), num_dd_difference(to.z, from.z)}};
}

static inline num_dd num_dd_dot(const num_dd3 *a, const num_dd3 *b)
{
  return num_dd_add(num_dd_add(num_dd_mul(a->x[0], b->x[0]), num_dd_mul(a->x[1], b->x[1])),
                    num_dd_mul(a->x[2], b->x[2]));
}

static inline num3 num_dd_high(const num_dd3 *a) { return (num3){a->x[0].high, a->x[1].high, a->x[2].high}; }

/* Two points of two features, p + x X and q - y Y, or a face's p + x X + y Y and a corner q, or
 * the other way round: X and Y are the ways from `from` to `to`, without length where they are
 * not free. */
typedef struct num_features {
  num3 p, q, from[2], to[2];
  num at[2];
  num_mask free[2]; /* X, Y */
  num_mask of_a[2]; /* X, Y belong to a */
  num_mask is_face; /* both belong to one */
} num_features;

typedef struct num_proof {
  num distance, at[2]; /* x and y of the nearest points, which may be out of [0, 1] by a rounding */
  num3 a, b;           /* the points */
  num3 direction;      /* from b to a, as long as the distance */
} num_proof;

/* What d lacks to be perpendicular to the free vectors: changes of x and y. */
static inline void num_newton(const num_features *f, const num_dd3 v[2], const num_dd3 *d, num change[2])
{
  num zero = num_set(0), r[2] = {num_dd_dot(d, &v[0]).high, num_dd_dot(d, &v[1]).high};
  num3 x = num_dd_high(&v[0]), y = num_dd_high(&v[1]), n = num3_cross(x, y);
  num xx = num3_dot(x, x), yy = num3_dot(y, y), xy = num3_dot(x, y), nn = num3_dot(n, n);
  num_mask both = num_and(f->free[0], f->free[1]);
  num first =
      num_select(both, num_div(num_sub(num_mul(xy, r[1]), num_mul(yy, r[0])), nn), num_div(num_sub(zero, r[0]), xx));
  num second =
      num_select(both, num_div(num_sub(num_mul(xy, r[0]), num_mul(xx, r[1])), nn), num_div(num_sub(zero, r[1]), yy));
  change[0] = num_select(f->free[0], first, zero);
  change[1] = num_select(f->free[1], second, zero);
}

/* The least of d.(c - p) over three corners, and 0. */
static inline num_dd num_least_along(const num_dd3 *d, const num3 corner[3], num3 p, bool turned)
{
  num zero = num_set(0);
  num_dd least = {zero, zero};
  for (int i = 0; i < 3; ++i) {
    num_dd3 w = turned ? num_dd_between(corner[i], p) : num_dd_between(p, corner[i]);
    num_dd h = num_dd_dot(d, &w);
    num_mask equal = num_and(num_le(h.high, least.high), num_le(least.high, h.high));
    num_mask less = num_or(num_lt(h.high, least.high), num_and(equal, num_lt(h.low, least.low)));
    least = num_dd_select(less, h, least);
  }
  return least;
}

static inline num_mask num_in_range(const num_features *f, const num at[2])
{
  num low = num_set(-PROOF_OFF), high = num_set(1 + PROOF_OFF);
  num_mask good =
      num_and(num_and(num_le(low, at[0]), num_le(at[0], high)), num_and(num_le(low, at[1]), num_le(at[1], high)));
  num sum = num_select(f->is_face, num_add(at[0], at[1]), num_set(0));
  return num_and(good, num_le(sum, high));
}

static inline num num_most(num a, num b) { return num_select(num_lt(b, a), a, b); }

/* The greatest difference of coordinates within the triangles and between p and q. */
static inline num num_size(const num_triangle *a, const num_triangle *b, num3 p, num3 q)
{
  num3 w = num3_sub(p, q);
  num size = num_most(num_abs(w.x), num_most(num_abs(w.y), num_abs(w.z)));
  for (int i = 0; i < 6; ++i) {
    num3 e = i < 3 ? a->edge[i] : b->edge[i - 3];
    size = num_most(size, num_most(num_abs(e.x), num_most(num_abs(e.y), num_abs(e.z))));
  }
  return size;
}

/* The corners p and q moved along the vectors of their side. */
static inline void num_set_points(const num_features *f, const num_dd3 v[2], const num change[2], num_proof *out)
{
  num zero = num_set(0), a[3] = {f->p.x, f->p.y, f->p.z}, b[3] = {f->q.x, f->q.y, f->q.z};
  for (int k = 0; k < 3; ++k) {
    num_dd p = {a[k], zero}, q = {b[k], zero}, none = {zero, zero};
    for (int i = 0; i < 2; ++i) {
      num_dd step = num_dd_add(num_dd_scale(v[i].x[k], f->at[i]), num_dd_scale(v[i].x[k], change[i]));
      p = num_dd_add(p, num_dd_select(f->of_a[i], step, none));
      q = num_dd_add(q, num_dd_select(f->of_a[i], none, num_dd_minus(step)));
    }
    a[k] = p.high;
    b[k] = q.high;
  }
  out->a = (num3){a[0], a[1], a[2]};
  out->b = (num3){b[0], b[1], b[2]};
}

/* Where it is true, *out is the distance and its points, proven. */
static inline num_mask num_prove(const num_triangle *a, const num_triangle *b, const num_features *f, num_proof *out)
{
  num_dd3 w = num_dd_between(f->q, f->p), d = w, v[2];
  num change[2];
  for (int i = 0; i < 2; ++i) {
    v[i] = num_dd_between(f->from[i], f->to[i]);
    for (int k = 0; k < 3; ++k) d.x[k] = num_dd_add(d.x[k], num_dd_scale(v[i].x[k], f->at[i]));
  }
  num_newton(f, v, &d, change);
  for (int i = 0; i < 2; ++i) {
    out->at[i] = num_add(f->at[i], change[i]);
    for (int k = 0; k < 3; ++k) d.x[k] = num_dd_add(d.x[k], num_dd_scale(v[i].x[k], change[i]));
  }
  num_mask good = num_in_range(f, out->at);
  out->direction = num_dd_high(&d);
  num gg = num3_dot(out->direction, out->direction), length = num_sqrt(gg), size = num_size(a, b, f->p, f->q);
  good = num_and(good, num_and(num_le(size, num_set(SAFE_HIGH)), num_le(num_set(SAFE_LOW), length)));
  good = num_and(good, num_le(num_mul(num_set(PROOF_SLIM), size), length));
  num_dd s = num_dd_add(num_dd_dot(&d, &w), num_dd_add(num_least_along(&d, a->corner, f->p, false),
                                                       num_least_along(&d, b->corner, f->q, true)));
  num_dd square = num_dd_dot(&d, &d), gap = num_dd_add(square, num_dd_minus(s));
  num error = num_add(num_abs(gap.high), num_mul(num_mul(num_set(PROOF_ERROR), length), size));
  out->distance = num_sqrt(square.high);
  num_set_points(f, v, change, out);
  return num_and(good, num_le(error, num_mul(num_set(PROOF_LEFT), gg)));
}

/* The greater of a distance and of the greatest gap along an axis. The true distance is at least
 * the true gap, and rounding keeps the order: this can only reduce the error. */
static inline num num_at_least_gap(const num_triangle *a, const num_triangle *b, num distance)
{
  for (int k = 0; k < 3; ++k) {
    num low[2], high[2];
    for (int side = 0; side < 2; ++side) {
      const num3 *c = side ? b->corner : a->corner;
      num x[3];
      for (int i = 0; i < 3; ++i) x[i] = k == 0 ? c[i].x : k == 1 ? c[i].y : c[i].z;
      low[side] = num_select(num_lt(x[1], x[0]), x[1], x[0]);
      low[side] = num_select(num_lt(x[2], low[side]), x[2], low[side]);
      high[side] = num_most(x[0], num_most(x[1], x[2]));
    }
    distance = num_most(num_sub(low[0], high[1]), num_most(num_sub(low[1], high[0]), distance));
  }
  return distance;
}

#endif
