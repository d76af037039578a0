/* The values of four hits at once, in lanes of doubles: t, u, v and the normal.
 *
 * Every lane goes through the operations of filter_ray(), ray_refine(), ray_normal() and
 * ray_keep_within() in their order, so that it has their bits; nothing is fused but the exact
 * remainders of products. A lane that any of them would not accept as it is (in doubt, clamped,
 * or with a small normal) is computed by them instead. N of the filter is the normal of the hit.
 * Cost: about that of one and a half single ones. */
#include "kernels/rays.inl"
#include "math/number_lanes.h"

#include "exact/num3.inl"

/* A hit that has been decided, but not computed. */
typedef struct ray_wish {
  const pl_ray *ray;
  const ray_target *target;
  uint32_t triangle; /* in tree order */
  pl_hit *hit;       /* where it is written */
} ray_wish;

static KERNEL_INLINE num num3_size(num3 a) { return v4d_max(num_abs(a.x), v4d_max(num_abs(a.y), num_abs(a.z))); }
static KERNEL_INLINE num num_times(double a, num b) { return num_mul(num_set(a), b); }

/* Four rays and the triangles that they hit. */
typedef struct four_hits {
  num3 origin, direction, p[3];
  num t_min, t_max;
  /* As in ray_terms, and the values. */
  num3 e1, e2, s, n;
  num determinant, determinant_error, edge, reach, along;
  num t, u, v;
} four_hits;

static KERNEL_INLINE num3 num3_of_rows(const num row[4])
{
  num column[3];
  num_columns(row, column);
  return (num3){column[0], column[1], column[2]};
}

static KERNEL_INLINE num ray_corner(const walk_side *s, uint32_t triangle, int c)
{
  uint32_t vertex = s->tree->prims.tri[3 * (size_t)triangle + (size_t)c];
  if (points_are_floats(&s->points)) return v4d_widen(point_f32(&s->points, vertex));
  double p[3];
  points_world(&s->points, vertex, p);
  return v4d_load3(p);
}

static KERNEL_INLINE void load_four(const ray_wish *const wish[4], four_hits *k)
{
  num row[4];
  for (int i = 0; i < 4; ++i) row[i] = v4d_load3(wish[i]->ray->origin);
  k->origin = num3_of_rows(row);
  for (int i = 0; i < 4; ++i) row[i] = v4d_load3(wish[i]->ray->direction);
  k->direction = num3_of_rows(row);
  for (int c = 0; c < 3; ++c) {
    for (int i = 0; i < 4; ++i) row[i] = ray_corner(&wish[i]->target->side, wish[i]->triangle, c);
    k->p[c] = num3_of_rows(row);
  }
  k->t_min = num_of(wish[0]->ray->t_min, wish[1]->ray->t_min, wish[2]->ray->t_min, wish[3]->ray->t_min);
  k->t_max = num_of(wish[0]->ray->t_max, wish[1]->ray->t_max, wish[2]->ray->t_max, wish[3]->ray->t_max);
}

static KERNEL_INLINE num_mask num_within(num x, double low, double high)
{
  return num_and(num_le(num_set(low), x), num_le(x, num_set(high)));
}

/* `there` and the error of ray_against(). */
static KERNEL_INLINE num against_error(const four_hits *k, num t_error, num limit, num there)
{
  num error = num_add(t_error, num_mul(num_abs(limit), k->determinant_error));
  return num_add(error, num_times(4 * RAY_UNIT, num_abs(there)));
}

/* As ray_against() for both ends: the lanes that are certainly between them. t_min is not
 * infinite. */
static KERNEL_INLINE num_mask between_ends(const four_hits *k, num t)
{
  num size = num_abs(k->determinant), t_error = num_mul(num_mul(num_times(48 * RAY_UNIT, k->edge), k->edge), k->reach);
  num first = num_mul(k->t_min, size), last = num_mul(k->t_max, size);
  num_mask after = num_lt(num_add(first, against_error(k, t_error, k->t_min, first)), t);
  num_mask before = num_lt(t, num_sub(last, against_error(k, t_error, k->t_max, last)));
  return num_and(after, num_or(before, num_le(num_set(INFINITY), k->t_max)));
}

/* As filter_ray() up to the refinement: the lanes that are certain. */
static KERNEL_INLINE num_mask filter_four(four_hits *k)
{
  k->e1 = num3_sub(k->p[1], k->p[0]);
  k->e2 = num3_sub(k->p[2], k->p[0]);
  k->s = num3_sub(k->origin, k->p[0]);
  k->edge = v4d_max(num3_size(k->e1), num3_size(k->e2));
  k->reach = num3_size(k->s);
  k->along = num3_size(k->direction);
  num_mask good = num_and(num_within(k->edge, RAY_LOW, RAY_HIGH), num_within(k->reach, RAY_LOW, RAY_HIGH));
  good = num_and(good, num_within(k->along, RAY_LOW, RAY_HIGH));
  k->n = num3_cross(k->e1, k->e2);
  num3 q = num3_cross(k->s, k->direction);
  k->determinant = num3_dot(k->n, k->direction);
  k->determinant_error = num_mul(num_mul(num_times(48 * RAY_UNIT, k->edge), k->edge), k->along);
  num size = num_abs(k->determinant);
  good = num_and(good, num_lt(k->determinant_error, size));
  num_mask front = num_lt(num_set(0), k->determinant);
  num sign = num_select(front, num_set(1), num_set(-1)), minus = num_select(front, num_set(-1), num_set(1));
  num u = num_mul(minus, num3_dot(q, k->e2)), v = num_mul(sign, num3_dot(q, k->e1));
  num w = num_sub(num_sub(size, u), v);
  num side = num_mul(num_mul(num_times(48 * RAY_UNIT, k->reach), k->edge), k->along);
  num third = num_times(72 * RAY_UNIT, num_add(k->edge, num_times(2, k->reach)));
  third = num_mul(num_mul(third, k->edge), k->along);
  good = num_and(good, num_and(num_lt(side, u), num_and(num_lt(side, v), num_lt(third, w))));
  num t = num_mul(minus, num3_dot(k->n, k->s)), inverse = num_div(num_set(1), size);
  good = num_and(good, between_ends(k, t));
  k->t = num_mul(t, inverse);
  k->u = num_mul(u, inverse);
  k->v = num_mul(v, inverse);
  return good;
}

static KERNEL_INLINE num3 residual_four(const four_hits *k)
{
  const num3 *o = &k->origin, *d = &k->direction, *p = k->p;
  num u = num_times(-1, k->u), v = num_times(-1, k->v);
  const residual_terms x = {o->x, d->x, p[0].x, p[1].x, p[2].x, k->t, u, v};
  const residual_terms y = {o->y, d->y, p[0].y, p[1].y, p[2].y, k->t, u, v};
  const residual_terms z = {o->z, d->z, p[0].z, p[1].z, p[2].z, k->t, u, v};
  return (num3){ray_residual(&x), ray_residual(&y), ray_residual(&z)};
}

/* As ray_refine(): the lanes that are right to the last unit. */
static KERNEL_INLINE num_mask refine_four(four_hits *k)
{
  num3 r = residual_four(k), q = num3_cross(r, k->direction);
  num inverse = num_div(num_set(1), k->determinant), most = num_mul(num_abs(inverse), k->edge), rest = num3_size(r);
  num all = num_add(num_add(k->reach, num_mul(num_abs(k->t), k->along)), num_times(2, k->edge));
  num wrong = num_add(num_times(100 * RAY_UNIT * RAY_UNIT, all), num_times(2 * RAY_UNIT, rest));
  num rho = num_mul(k->determinant_error, num_abs(inverse));
  num sum = num_add(num_times(50 * RAY_UNIT, rest), num_mul(num_times(12, rest), rho));
  num error = num_mul(most, num_add(sum, num_times(7, wrong)));
  k->u = num_sub(k->u, num_mul(num3_dot(q, k->e2), inverse));
  k->v = num_add(k->v, num_mul(num3_dot(q, k->e1), inverse));
  k->t = num_sub(k->t, num_mul(num3_dot(k->n, r), inverse));
  num_mask good = num_and(num_le(rho, num_set(0x1p-10)), num_le(num_mul(error, k->along), num_set(RAY_UNIT)));
  return num_and(good, num_le(num_mul(error, k->edge), num_times(RAY_UNIT, num_abs(k->t))));
}

/* The lanes that ray_keep_within() and ray_normal() leave as they are. */
static KERNEL_INLINE num_mask plain_four(const four_hits *k)
{
  num zero = num_set(0), one = num_set(1);
  num_mask good = num_and(num_le(k->t_min, k->t), num_le(k->t, k->t_max));
  good = num_and(good, num_and(num_lt(zero, k->u), num_lt(k->u, one)));
  good = num_and(good, num_and(num_lt(zero, k->v), num_lt(k->v, num_sub(one, k->u))));
  num size = num_add(num_abs(k->e1.x), num_abs(k->e2.x));
  size = num_add(size, num_add(num_abs(k->e1.y), num_abs(k->e2.y)));
  size = num_add(size, num_add(num_abs(k->e1.z), num_abs(k->e2.z)));
  num most = num_add(num_add(num_abs(k->n.x), num_abs(k->n.y)), num_abs(k->n.z));
  good = num_and(good, num_within(most, 0x1p-900, 0x1p1000));
  return num_and(good, num_lt(num_mul(num_times(0x1p-44, size), size), most));
}

/* One by one. What was decided is a hit. */
static __attribute__((noinline)) void compute_one(const ray_wish *wish)
{
  ray_met met;
  ray_corners(&wish->target->side, wish->triangle, met.p);
  if (!meet_ray(wish->ray, (const double(*)[3])met.p, INFINITY, &met.at)) return;
  met.id = wish->target->side.tree->prims.tri_id[wish->triangle];
  write_hit(wish->target, &met, wish->hit);
}

static KERNEL_INLINE void store_hit(const ray_wish *wish, double value[6][4], int lane)
{
  pl_hit *hit = wish->hit;
  hit->t = value[0][lane];
  hit->u = value[1][lane];
  hit->v = value[2][lane];
  for (int k = 0; k < 3; ++k) hit->normal[k] = value[3 + k][lane];
  hit->triangle = wish->target->side.tree->prims.tri_id[wish->triangle];
  hit->member = wish->target->number;
  hit->body = wish->target->body;
}

/* Computes up to four hits. */
static void compute_four(const ray_wish *wishes, int count)
{
  four_hits k;
  const ray_wish *wish[4];
  double value[6][4];
  for (int i = 0; i < 4; ++i) wish[i] = &wishes[i < count ? i : count - 1];
  load_four(wish, &k);
  num_mask good = filter_four(&k);
  good = num_and(good, refine_four(&k));
  unsigned plain = num_bits(num_and(good, plain_four(&k)));
  const num out[6] = {k.t, k.u, k.v, k.n.x, k.n.y, k.n.z};
  for (int i = 0; i < 6; ++i) num_store(value[i], out[i]);
  for (int i = 0; i < count; ++i) {
    if (plain >> i & 1)
      store_hit(wish[i], value, i);
    else
      compute_one(wish[i]);
  }
}
