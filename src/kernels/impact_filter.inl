/* Which of 8 pairs of moving features certainly have no contact in their windows of time: the
 * first stage of exact/crossing.h in float lanes. With e1, e2, d at both ends of a window [l,
 * r], f and the sides have Bernstein coefficients there as they have on [0, 1].
 *
 * Error bounds. u = 2^-24; m1, m2, md are the greatest components of e1, e2, d at times 0 and 1,
 * M = md m1 m2; to first order:
 *   e at time 0 or 1              a difference in double, rounded to float: u m
 *   (1 - l) e(0) + l e(1)         that, half a rounding of 1 - l, two products and a sum: 4 u m
 *   a component of e1 x e2        9 u m1 m2 for each product, and 2: 20; the coefficient in the
 *                                 middle 22 u m1 m2
 *   a coefficient of f            at most 118 u M
 *   a side                        at most 26 u of the sum of its products m m
 * FILTER_F = 192 and FILTER_SIDE = 48 leave room for terms of higher order. Coordinates are
 * scaled so that all m are at most 4; what underflows is less than FILTER_TINY, and lanes where
 * the bounds are no greater than that decide nothing. */
#include "kernels/kernels.h"
#include "math/simd.h"

#define FILTER_F (192 * 0x1p-24f)
#define FILTER_SIDE (48 * 0x1p-24f)
#define FILTER_TINY 0x1p-110f

typedef struct way8 { /* a difference of two points, at both ends of the windows, and its greatest component */
  v8 from[3], to[3], most;
} way8;

static KERNEL_INLINE void way_lanes(const impact_lanes *q, int to, int from, way8 *w)
{
  v4 start[8], end[8];
  v4d factor = v4d_set(q->factor);
  for (int i = 0; i < 8; ++i) {
    v4d s = v4d_sub(v4d_load3(q->start[i][to]), v4d_load3(q->start[i][from]));
    v4d e = v4d_sub(v4d_load3(q->end[i][to]), v4d_load3(q->end[i][from]));
    start[i] = v4d_round(v4d_mul(s, factor));
    end[i] = v4d_round(v4d_mul(e, factor));
  }
  v8 s[3], e[3], l = v8_load(q->from), r = v8_load(q->to), one = v8_set(1);
  v8_transpose(start, &s[0], &s[1], &s[2]);
  v8_transpose(end, &e[0], &e[1], &e[2]);
  w->most = v8_set(0);
  for (int k = 0; k < 3; ++k) {
    w->most = v8_max(v8_max(v8_abs(s[k]), v8_abs(e[k])), w->most);
    w->from[k] = v8_add(v8_mul(v8_sub(one, l), s[k]), v8_mul(l, e[k]));
    w->to[k] = v8_add(v8_mul(v8_sub(one, r), s[k]), v8_mul(r, e[k]));
  }
}

/* One component of a cross product: three Bernstein coefficients. */
static KERNEL_INLINE void cross_lanes(int axis, const way8 *a, const way8 *b, v8 out[3])
{
  int i = (axis + 1) % 3, j = (axis + 2) % 3;
  out[0] = v8_cross(a->from[i], b->from[j], a->from[j], b->from[i]);
  v8 mixed = v8_add(v8_cross(a->from[i], b->to[j], a->from[j], b->to[i]),
                    v8_cross(a->to[i], b->from[j], a->to[j], b->from[i]));
  out[1] = v8_mul(v8_set(0.5f), mixed);
  out[2] = v8_cross(a->to[i], b->to[j], a->to[j], b->to[i]);
}

/* Lanes in which all coefficients are greater than the error, and in which all are less than
 * minus the error. */
typedef struct signs {
  v8m positive, negative;
} signs;

static KERNEL_INLINE signs signs_of(const v8 *x, int count, v8 error)
{
  v8 least = x[0], most = x[0];
  for (int i = 1; i < count; ++i) {
    least = v8_min(x[i], least);
    most = v8_max(x[i], most);
  }
  return (signs){v8_lt(error, least), v8_lt(most, v8_sub(v8_set(0), error))};
}

static KERNEL_INLINE unsigned one_sign(const way8 *d, v8 a[3][3], v8 error)
{
  v8 sum[4] = {v8_set(0), v8_set(0), v8_set(0), v8_set(0)}, two = v8_set(2), third = v8_set(3);
  for (int k = 0; k < 3; ++k) {
    sum[0] = v8_add(sum[0], v8_mul(d->from[k], a[k][0]));
    sum[1] = v8_add(sum[1], v8_add(v8_mul(d->to[k], a[k][0]), v8_mul(two, v8_mul(d->from[k], a[k][1]))));
    sum[2] = v8_add(sum[2], v8_add(v8_mul(two, v8_mul(d->to[k], a[k][1])), v8_mul(d->from[k], a[k][2])));
    sum[3] = v8_add(sum[3], v8_mul(d->to[k], a[k][2]));
  }
  sum[1] = v8_div(sum[1], third);
  sum[2] = v8_div(sum[2], third);
  signs s = signs_of(sum, 4, error);
  return v8m_bits(v8m_or(s.positive, s.negative));
}

/* On some axis one side is positive and another negative throughout the window. */
static KERNEL_INLINE unsigned sides_disagree(bool edges, const way8 *e1, const way8 *e2, const way8 *d, v8 a[3][3])
{
  v8 unit = v8_set(FILTER_SIDE), tiny = v8_set(FILTER_TINY);
  v8 ea = v8_mul(unit, v8_mul(e1->most, e2->most)), ex = v8_mul(unit, v8_mul(d->most, e2->most)),
     ey = v8_mul(unit, v8_mul(e1->most, d->most));
  v8 error[4] = {v8_add(ex, tiny), v8_add(ey, tiny), v8_add(edges ? v8_add(ea, ex) : v8_add(v8_add(ea, ex), ey), tiny),
                 v8_add(v8_add(ea, ey), tiny)};
  unsigned out = 0;
  for (int k = 0; k < 3; ++k) {
    v8 side[4][3];
    cross_lanes(k, d, e2, side[0]);
    cross_lanes(k, edges ? d : e1, edges ? e1 : d, side[1]);
    for (int i = 0; i < 3; ++i) {
      side[2][i] = v8_sub(a[k][i], side[0][i]);
      if (!edges) side[2][i] = v8_sub(side[2][i], side[1][i]);
      side[3][i] = v8_sub(a[k][i], side[1][i]);
    }
    signs all = signs_of(side[0], 3, error[0]);
    for (int i = 1; i < (edges ? 4 : 3); ++i) {
      signs s = signs_of(side[i], 3, error[i]);
      all.positive = v8m_or(all.positive, s.positive);
      all.negative = v8m_or(all.negative, s.negative);
    }
    out |= v8m_bits(v8m_and(all.positive, all.negative));
  }
  return out;
}

static KERNEL_INLINE unsigned features_apart(bool edges, const impact_lanes *q)
{
  way8 e1, e2, d;
  v8 a[3][3];
  way_lanes(q, edges ? 1 : 2, edges ? 0 : 1, &e1);
  way_lanes(q, 3, edges ? 2 : 1, &e2);
  way_lanes(q, edges ? 2 : 0, edges ? 0 : 1, &d);
  for (int k = 0; k < 3; ++k) cross_lanes(k, &e1, &e2, a[k]);
  v8 error = v8_mul(v8_set(FILTER_F), v8_mul(v8_mul(e1.most, e2.most), d.most));
  unsigned apart = one_sign(&d, a, v8_add(error, v8_set(FILTER_TINY)));
  return apart == 0xff ? apart : apart | sides_disagree(edges, &e1, &e2, &d, a);
}

static unsigned vertex_faces_apart(const impact_lanes *q) { return features_apart(false, q); }
static unsigned edge_edges_apart(const impact_lanes *q) { return features_apart(true, q); }
