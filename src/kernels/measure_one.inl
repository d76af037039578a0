/* The true distance of one pair of triangles: the search and the proof of
 * exact/tri_tri_distance.c with the parts of the pair in lanes of doubles. In the search a lane
 * is an edge or a face, in the proof an axis or a corner. Each number comes from the same
 * operations in the same order, so the bits are the same. A walk for the least distance measures
 * a pair at a time, because each shortens its reach; measure.inl has four pairs at once. What is
 * not proven here is left to tri_tri_distance_unproven(). Cost: about 1 500 instructions with
 * AVX2, where single numbers take 6 000. */
#ifndef KERNELS_MEASURE_ONE_INL
#define KERNELS_MEASURE_ONE_INL

#include "exact/double_double.h"
#include "exact/tri_tri_distance.h"
#include "exact/tri_tri_features.h"
#include "kernels/measure.inl"

typedef const double (*one_triangle)[3];

/* ------------------------------------------------------------------------------------ search -- */

/* Corners in lanes, from the one with index `first` on; the last lane repeats the first. */
static KERNEL_INLINE num3 one_corners(one_triangle t, int first)
{
  const double *x = t[first], *y = t[corner_after(first)], *z = t[corner_after(corner_after(first))];
  return (num3){num_of(x[0], y[0], z[0], x[0]), num_of(x[1], y[1], z[1], x[1]), num_of(x[2], y[2], z[2], x[2])};
}

static KERNEL_INLINE num_edge one_edges(one_triangle t)
{
  const num3 at = one_corners(t, 0), way = num3_sub(one_corners(t, 1), at);
  const num square = num3_dot(way, way), zero = num_set(0);
  return (num_edge){at, way, square, num_select(num_lt(zero, square), num_div(num_set(1), square), zero)};
}

static KERNEL_INLINE num one_lane(num x, int lane) { return lane == 0 ? v4d_x(x) : lane == 1 ? v4d_y(x) : v4d_z(x); }

static KERNEL_INLINE num3 one_lane3(num3 p, int lane)
{
  return (num3){one_lane(p.x, lane), one_lane(p.y, lane), one_lane(p.z, lane)};
}

/* The nearest edges: num_search() keeps the first of equal pairs, which has the least code. */
static KERNEL_INLINE features one_nearest_edges(one_triangle a, one_triangle b, double *code)
{
  const num_edge of_a = one_edges(a), of_b = one_edges(b);
  num_nearest best = {num_set(INFINITY), num_set(0), {num_set(0), num_set(0)}};
  const num j = num_of(0, 1, 2, 0);
  for (int i = 0; i < 3; ++i) {
    const num_edge edge = {one_lane3(of_a.at, i), one_lane3(of_a.way, i), one_lane(of_a.square, i),
                           one_lane(of_a.inverse, i)};
    num s, w, square = num_edges(&edge, &of_b, &s, &w);
    const num_mask less = num_lt(square, best.square);
    best.square = num_select(less, square, best.square);
    best.code = num_select(less, num_add(num_set(3 * i), j), best.code);
    best.at[0] = num_select(less, s, best.at[0]);
    best.at[1] = num_select(less, w, best.at[1]);
  }
  double square[4], codes[4], at[2][4];
  num_store(square, best.square);
  num_store(codes, best.code);
  num_store(at[0], best.at[0]);
  num_store(at[1], best.at[1]);
  int least = 0;
  for (int i = 1; i < 3; ++i)
    if (square[i] < square[least] || (square[i] == square[least] && codes[i] < codes[least])) least = i;
  *code = codes[least];
  return (features){.square = square[least], .at = {at[0][least], at[1][least]}};
}

/* num_search(), as features: after the edges a's face and b's corners in one lane, b's face and
 * a's corners in another. */
static KERNEL_INLINE features one_search(one_triangle a, one_triangle b)
{
  double code;
  features found = one_nearest_edges(a, b, &code), out;
  num3 corner[3], other[3];
  for (int i = 0; i < 3; ++i) {
    corner[i] = (num3){num_of(a[i][0], b[i][0], 0, 0), num_of(a[i][1], b[i][1], 0, 0), num_of(a[i][2], b[i][2], 0, 0)};
    other[i] = (num3){num_of(b[i][0], a[i][0], 0, 0), num_of(b[i][1], a[i][1], 0, 0), num_of(b[i][2], a[i][2], 0, 0)};
  }
  const num_triangle faces = num_triangle_of(corner);
  num_nearest best = {num_set(found.square), num_set(0), {num_set(0), num_set(0)}};
  num_face(&faces, other, num_of(9, 12, 9, 9), &best);
  double square[4], codes[4], at[2][4];
  num_store(square, best.square);
  num_store(codes, best.code);
  num_store(at[0], best.at[0]);
  num_store(at[1], best.at[1]);
  for (int i = 0; i < 2; ++i) {
    if (codes[i] == 0 || !(square[i] < found.square)) continue;
    code = codes[i];
    found = (features){.square = square[i], .at = {at[0][i], at[1][i]}};
  }
  nearest_features((int)code, found.square, found.at[0], found.at[1], &out);
  return out;
}

/* ------------------------------------------------------------------------------------- bound -- */

/* Two features of a pair; a row has the lanes x, y, z and 0. */
typedef struct one_features {
  one_triangle a, b;
  const features *f;
  num p, q;                      /* rows */
  const double *from[2], *to[2]; /* of X and Y, NULL where they are not free */
  double at[2];                  /* 0 where they are not free */
} one_features;

static KERNEL_INLINE one_features one_rows(one_triangle a, one_triangle b, const features *f)
{
  one_features o = {a, b, f, v4d_load3(a[f->p]), v4d_load3(b[f->q]), {NULL, NULL}, {NULL, NULL}, {0, 0}};
  for (int i = 0; i < 2; ++i) {
    if (!(f->free >> i & 1)) continue;
    o.from[i] = f->from[i] < 3 ? a[f->from[i]] : b[f->from[i] - 3];
    o.to[i] = f->to[i] < 3 ? a[f->to[i]] : b[f->to[i] - 3];
    o.at[i] = f->at[i];
  }
  return o;
}

/* The sums of four rows. */
static KERNEL_INLINE void one_sums(const num row[4], double out[4])
{
  num column[3];
  num_columns(row, column);
  num_store(out, num_add(num_add(column[0], column[1]), column[2]));
}

static KERNEL_INLINE double one_most(num row)
{
  double at[4];
  num_store(at, row);
  return fmax(fmax(at[0], at[1]), at[2]);
}

/* nearest_is_beyond(). */
static KERNEL_INLINE bool one_is_beyond(const one_features *o, double reach)
{
  const num w = num_sub(o->p, o->q);
  num g = w, size = num_abs(w), row[2][4];
  for (int i = 0; i < 2; ++i)
    if (o->from[i]) g = num_add(g, num_mul(num_set(o->at[i]), num_sub(v4d_load3(o->to[i]), v4d_load3(o->from[i]))));
  for (int i = 0; i < 3; ++i) {
    const num v = num_sub(v4d_load3(o->a[i]), o->p), x = num_sub(o->q, v4d_load3(o->b[i]));
    size = v4d_max(size, v4d_max(num_abs(v), num_abs(x)));
    row[0][i] = num_mul(g, v);
    row[1][i] = num_mul(g, x);
  }
  row[0][3] = num_mul(g, w);
  row[1][3] = num_mul(g, g);
  double along[2][4], least[2] = {0, 0};
  for (int side = 0; side < 2; ++side) {
    one_sums(row[side], along[side]);
    for (int i = 0; i < 3; ++i) least[side] = along[side][i] < least[side] ? along[side][i] : least[side];
  }
  const double most = one_most(size), length = sqrt(along[1][3]);
  if (!(most >= SAFE_LOW && most <= SAFE_HIGH && length >= SAFE_LOW)) return false;
  return along[0][3] + least[0] + least[1] - SEPARATION_ERROR * length * most > reach * length * REACH_MORE;
}

/* ------------------------------------------------------------------------------------- proof -- */

/* num_dd_dot() of four rows of products. */
static KERNEL_INLINE void one_dots(const num_dd row[4], dd out[4])
{
  num high[4], low[4], x[3], y[3];
  for (int i = 0; i < 4; ++i) {
    high[i] = row[i].high;
    low[i] = row[i].low;
  }
  num_columns(high, x);
  num_columns(low, y);
  const num_dd sum = num_dd_add(num_dd_add((num_dd){x[0], y[0]}, (num_dd){x[1], y[1]}), (num_dd){x[2], y[2]});
  double upper[4], lower[4];
  num_store(upper, sum.high);
  num_store(lower, sum.low);
  for (int i = 0; i < 4; ++i) out[i] = (dd){upper[i], lower[i]};
}

static KERNEL_INLINE double one_product(const double x[4], const double y[4])
{
  return x[0] * y[0] + x[1] * y[1] + x[2] * y[2];
}

/* num_newton(). */
static KERNEL_INLINE void one_newton(const one_features *o, const num_dd v[2], num_dd d, double change[2])
{
  const num_dd none = {num_set(0), num_set(0)}, row[4] = {num_dd_mul(d, v[0]), num_dd_mul(d, v[1]), none, none};
  dd sum[4];
  one_dots(row, sum);
  const double r[2] = {sum[0].high, sum[1].high};
  double x[4], y[4];
  num_store(x, v[0].high);
  num_store(y, v[1].high);
  const double n[4] = {x[1] * y[2] - x[2] * y[1], x[2] * y[0] - x[0] * y[2], x[0] * y[1] - x[1] * y[0]};
  const double xx = one_product(x, x), yy = one_product(y, y), xy = one_product(x, y), nn = one_product(n, n);
  const bool free[2] = {o->from[0], o->from[1]};
  change[0] = !free[0] ? 0 : free[1] ? (xy * r[1] - yy * r[0]) / nn : (0 - r[0]) / xx;
  change[1] = !free[1] ? 0 : free[0] ? (xy * r[0] - xx * r[1]) / nn : (0 - r[1]) / yy;
}

static KERNEL_INLINE bool one_in_range(const features *f, const double at[2])
{
  const double low = -0x1p-52, high = 1 + 0x1p-52;
  return low <= at[0] && at[0] <= high && low <= at[1] && at[1] <= high &&
         (!features_is_face(f) || at[0] + at[1] <= high);
}

/* num_size(). */
static KERNEL_INLINE double one_size(const one_features *o)
{
  num size = num_abs(num_sub(o->p, o->q));
  for (int i = 0; i < 3; ++i) {
    const int next = corner_after(i);
    const num x = num_abs(num_sub(v4d_load3(o->a[next]), v4d_load3(o->a[i])));
    size = v4d_max(size, v4d_max(x, num_abs(num_sub(v4d_load3(o->b[next]), v4d_load3(o->b[i])))));
  }
  return one_most(size);
}

static KERNEL_INLINE dd one_least(const dd h[3])
{
  dd least = {0, 0};
  for (int i = 0; i < 3; ++i)
    if (h[i].high < least.high || (h[i].high == least.high && h[i].low < least.low)) least = h[i];
  return least;
}

/* The square of |d| if no point of a is nearer to one of b than that, else 0. */
static KERNEL_INLINE double one_proven(const one_features *o, num_dd w, num_dd d, double length, double size, double gg)
{
  num_dd row[2][4];
  for (int i = 0; i < 3; ++i) {
    row[0][i] = num_dd_mul(d, num_dd_difference(v4d_load3(o->a[i]), o->p));
    row[1][i] = num_dd_mul(d, num_dd_difference(o->q, v4d_load3(o->b[i])));
  }
  row[0][3] = num_dd_mul(d, w);
  row[1][3] = num_dd_mul(d, d);
  dd sum[2][4];
  one_dots(row[0], sum[0]);
  one_dots(row[1], sum[1]);
  const dd s = dd_add(sum[0][3], dd_add(one_least(sum[0]), one_least(sum[1]))), square = sum[1][3];
  const dd gap = dd_add(square, (dd){0 - s.high, 0 - s.low});
  return fabs(gap.high) + PROOF_ERROR * length * size <= PROOF_LEFT * gg ? square.high : 0;
}

/* num_set_points(). A sum with 0 changes nothing but the sign of a 0: it is left out, and the
 * sign is set at the end. */
static KERNEL_INLINE void one_set_points(const one_features *o, const num_dd v[2], const double change[2], closest *out)
{
  const num zero = num_set(0);
  num_dd p = {o->p, zero}, q = {o->q, zero};
  for (int i = 0; i < 2; ++i) {
    if (!o->from[i]) continue;
    const num_dd step = num_dd_add(num_dd_scale(v[i], num_set(o->at[i])), num_dd_scale(v[i], num_set(change[i])));
    if (o->f->from[i] < 3)
      p = num_dd_add(p, step);
    else
      q = num_dd_add(q, num_dd_minus(step));
  }
  double a[4], b[4];
  num_store(a, num_add(p.high, zero));
  num_store(b, num_add(q.high, zero));
  for (int k = 0; k < 3; ++k) {
    out->a[k] = a[k];
    out->b[k] = b[k];
  }
}

/* num_prove(). */
static KERNEL_INLINE bool one_prove(const one_features *o, closest *out)
{
  const num_dd w = num_dd_difference(o->p, o->q), none = {num_set(0), num_set(0)};
  num_dd d = w, v[2];
  double change[2], at[2], g[4];
  for (int i = 0; i < 2; ++i) {
    v[i] = o->from[i] ? num_dd_difference(v4d_load3(o->to[i]), v4d_load3(o->from[i])) : none;
    d = num_dd_add(d, num_dd_scale(v[i], num_set(o->at[i])));
  }
  one_newton(o, v, d, change);
  for (int i = 0; i < 2; ++i) {
    at[i] = o->at[i] + change[i];
    d = num_dd_add(d, num_dd_scale(v[i], num_set(change[i])));
  }
  num_store(g, d.high);
  const double gg = one_product(g, g), length = sqrt(gg), size = one_size(o);
  if (!one_in_range(o->f, at) || !(size <= SAFE_HIGH && SAFE_LOW <= length && PROOF_SLIM * size <= length))
    return false;
  const double square = one_proven(o, w, d, length, size, gg);
  if (!(square > 0)) return false;
  out->distance = sqrt(square);
  one_set_points(o, v, change, out);
  return true;
}

/* num_at_least_gap(). */
static KERNEL_INLINE double one_at_least_gap(one_triangle a, one_triangle b, double distance)
{
  const num x[3] = {v4d_load3(a[0]), v4d_load3(a[1]), v4d_load3(a[2])};
  const num y[3] = {v4d_load3(b[0]), v4d_load3(b[1]), v4d_load3(b[2])};
  const num low_a = v4d_min(x[0], v4d_min(x[1], x[2])), high_a = v4d_max(x[0], v4d_max(x[1], x[2]));
  const num low_b = v4d_min(y[0], v4d_min(y[1], y[2])), high_b = v4d_max(y[0], v4d_max(y[1], y[2]));
  return fmax(one_most(v4d_max(num_sub(low_a, high_b), num_sub(low_b, high_a))), distance);
}

/* --------------------------------------------------------------------------------------- all -- */

/* tri_tri_distance_within(). */
static __attribute__((noinline)) bool measure_one(const double a[3][3], const double b[3][3], double reach,
                                                  closest *out)
{
  const features f = one_search(a, b);
  const one_features o = one_rows(a, b, &f);
  if (one_is_beyond(&o, reach)) return false;
  if (one_prove(&o, out))
    out->distance = one_at_least_gap(a, b, out->distance);
  else
    tri_tri_distance_unproven(a, b, &f, out);
  return true;
}

#endif
