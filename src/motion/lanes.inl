/* Leaves evaluated in float lanes, for motions that can do so faster than vertex by vertex; compiled once per instruction set. Each
 * function fulfils lanes_function (points.h) and states the proof of its error bound. */
#include "math/simd.h"
#include "motion/morph.h"

/* A vertex that is known in double: transformed as by points_world(), then relative to the origin. */
static KERNEL_INLINE v4 lanes_transform(const double origin[3], const points *p, const float_transform *t, v4d q)
{
  if (p->transform) {
    v4d xy = v4d_add(v4d_mul(v4d_load3(t->column[0]), v4d_x(q)), v4d_mul(v4d_load3(t->column[1]), v4d_y(q)));
    q = v4d_add(v4d_add(xy, v4d_mul(v4d_load3(t->column[2]), v4d_z(q))), v4d_load3(t->column[3]));
  }
  return v4d_round(v4d_sub(q, v4d_load3(origin)));
}

/* ------------------------------------------------------------------------------------------------------- morph -- */

/* Eight vertices by their differences from the first. */
static KERNEL_INLINE void morph_eight(const morph *m, const float_transform *t, const float *list, uint32_t n,
                                      uint32_t k, const float at[4], leaf_points *out)
{
  v8 q[3] = {v8_set(0), v8_set(0), v8_set(0)};
  for (int e = 0; e < m->active_count; ++e) {
    const float *r = list + (size_t)m->active[e] * MORPH_LIST(n) + MORPH_FIRST + k;
    v8 c = v8_set((float)m->coefficient[m->active[e]]);
    for (int a = 0; a < 3; ++a) q[a] = v8_add(q[a], v8_mul(c, v8_load(r + (size_t)a * n)));
  }
  for (int a = 0; a < 3; ++a) {
    const float *row = t->m[a];
    v8_store(out->at[a] + k,
             v8_add(v8_dot(v8_set(row[0]), q[0], v8_set(row[1]), q[1], v8_set(row[2]), q[2]), v8_set(at[a])));
  }
}

/* The first vertex is evaluated in double; the others follow in float by their differences from it. With e active references, |c_i|
 * the coefficients, s_i the greatest difference of a reference, N the greatest sum of a row of |m| and u = 2^-24: rounded
 * coefficients, differences and matrix, e + 1 roundings of the blend and 3 of the product come to less than
 * (e + 8) u N sum |c_i| s_i, and the first vertex and the last sum to 2 u |x|. */
static bool morph_lanes(const double origin[3], const points *p, const float_transform *t, uint32_t leaf, uint32_t n,
                        leaf_points *out)
{
  const morph *m = p->controls;
  const float *list = morph_list(m, leaf);
  v4d q = v4d_set(0);
  float spread = 0;
  for (int e = 0; e < m->active_count; ++e) {
    const float *r = list + (size_t)m->active[e] * MORPH_LIST(n);
    double c = m->coefficient[m->active[e]];
    q = v4d_add(q, v4d_mul(v4d_set(c), v4d_widen(v4_load(r))));
    spread += (float)(c < 0 ? -c : c) * r[3];
  }
  out->error = (float)(m->active_count + 9) * 0x1p-24f * t->norm * spread + 0x1p-126f * (1 + t->norm);
  if (!(spread * t->norm < 0x1p50f)) return false;
  float at[4];
  v4_store(at, lanes_transform(origin, p, t, q));
  for (uint32_t k = 0; k < n; k += 8) morph_eight(m, t, list, n, k, at, out);
  out->roundings = 2;
  return true;
}

/* By motion; NULL: leaves are evaluated vertex by vertex. */
#define MOTION_LANES [PL_MOTION_MORPH] = morph_lanes
