/* Leaves evaluated in float lanes, for motions that can do so faster than vertex by vertex;
 * compiled once per instruction set. Each function fulfils lanes_function (points.h) and states
 * the proof of its error bound. */
#include "math/simd.h"
#include "motion/governed.h"
#include "motion/morph.h"

/* A vertex that is known in double: transformed as by points_world(), then relative to the
 * origin. */
static KERNEL_INLINE v4 lanes_transform(const double origin[3], const points *p, const float_transform *t, v4d q)
{
  if (p->transform) {
    v4d xy = v4d_add(v4d_mul(v4d_load3(t->column[0]), v4d_x(q)), v4d_mul(v4d_load3(t->column[1]), v4d_y(q)));
    q = v4d_add(v4d_add(xy, v4d_mul(v4d_load3(t->column[2]), v4d_z(q))), v4d_load3(t->column[3]));
  }
  return v4d_round(v4d_sub(q, v4d_load3(origin)));
}

/* ------------------------------------------------------------------------------------- morph -- */

/* The vertices of a leaf by their differences from the first, as many at once as a register has
 * lanes: most leaves have 9 or 10. What the loop reads again and again is copied first, so that no
 * store to *out can change it. */
static KERNEL_INLINE void morph_vertices(const morph *m, const float_transform *t, const float *list, uint32_t n,
                                         const float at[4], leaf_points *out)
{
  vreg row[3][3], shift[3];
  for (int a = 0; a < 3; ++a) {
    shift[a] = vr_set(at[a]);
    for (int i = 0; i < 3; ++i) row[a][i] = vr_set(t->m[a][i]);
  }
  const int count = m->active_count;
  for (uint32_t k = 0; k < n; k += VR_LANES) {
    vreg q[3] = {vr_set(0), vr_set(0), vr_set(0)};
    for (int e = 0; e < count; ++e) {
      const float *r = list + (size_t)m->active[e] * MORPH_LIST(n) + MORPH_FIRST + k;
      const vreg c = vr_set((float)m->coefficient[m->active[e]]);
      for (int a = 0; a < 3; ++a) q[a] = vr_add(q[a], vr_mul(c, vr_load(r + (size_t)a * n)));
    }
    for (int a = 0; a < 3; ++a)
      vr_store(out->at[a] + k, vr_add(vr_dot(row[a][0], q[0], row[a][1], q[1], row[a][2], q[2]), shift[a]));
  }
}

/* The first vertex is evaluated in double; the others follow in float by their differences from
 * it. With e active references, |c_i| the coefficients, s_i the greatest difference of a
 * reference, N the greatest sum of a row of |m| and u = 2^-24: rounded coefficients, differences
 * and matrix, e + 1 roundings of the blend and 3 of the product come to less than (e + 8) u N
 * sum |c_i| s_i, and the first vertex and the last sum to 2 u |x|. Numbers below 2^-126 are
 * rounded as 2^-126 is: |c_i| and N count 2^-126 more. */
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
    spread += ((float)(c < 0 ? -c : c) + 0x1p-126f) * r[3];
  }
  out->error = (float)(m->active_count + 9) * 0x1p-24f * t->norm * spread + 0x1p-126f * (1 + t->norm);
  if (!(spread * t->norm < 0x1p50f)) return false;
  float at[4];
  v4_store(at, lanes_transform(origin, p, t, q));
  morph_vertices(m, t, list, n, at, out);
  out->roundings = 2;
  return true;
}

static void morph_fetch(const points *p, uint32_t leaf, uint32_t n)
{
  const morph *m = p->controls;
  const float *list = morph_list(m, leaf);
  for (int e = 0; e < m->active_count; ++e) {
    const float *r = list + (size_t)m->active[e] * MORPH_LIST(n);
    for (size_t i = 0; i < MORPH_LIST(n); i += 16) __builtin_prefetch(r + i);
    __builtin_prefetch(r + MORPH_LIST(n) - 1);
  }
}

/* ---------------------------------------------------------------------------------- governed -- */

enum { GOVERNED_LANES = 64 }; /* governors of a leaf; more are evaluated vertex by vertex */

/* Eight vertices: the sum of w (A d + z) over the leaf's governors, transformed; z is the image
 * of the first vertex under a governor, relative to the position of that vertex. */
static KERNEL_INLINE void governed_eight(const governed *g, const governed_leaf *leaf, const float_transform *t,
                                         const float (*z)[4], uint32_t n, uint32_t k, const float at[4],
                                         leaf_points *out)
{
  const float *list = g->lists + leaf->at + k, *weights = list + (g->transforms ? 3 * (size_t)n : 0);
  v8 q[3] = {v8_set(0), v8_set(0), v8_set(0)}, d[3] = {v8_set(0), v8_set(0), v8_set(0)};
  for (int a = 0; g->transforms && a < 3; ++a) d[a] = v8_load(list + (size_t)a * n);
  for (uint32_t e = 0; e < leaf->count; ++e) {
    const governor_floats *f = &g->floats[g->leaf_governor[leaf->first + e]];
    v8 w = v8_load(weights + (size_t)e * n);
    for (int a = 0; a < 3; ++a) {
      v8 moved = v8_set(z[e][a]);
      if (g->transforms) {
        const float *row = f->m[a];
        moved = v8_add(v8_dot(v8_set(row[0]), d[0], v8_set(row[1]), d[1], v8_set(row[2]), d[2]), moved);
      }
      q[a] = v8_add(q[a], v8_mul(w, moved));
    }
  }
  for (int a = 0; a < 3; ++a) {
    const float *row = t->m[a];
    v8_store(out->at[a] + k,
             v8_add(v8_dot(v8_set(row[0]), q[0], v8_set(row[1]), q[1], v8_set(row[2]), q[2]), v8_set(at[a])));
  }
}

/* The first vertex p is evaluated in double. With y_k where governor k takes its rest position
 * and d the difference of another one's,
 * that one is  sum w_k (A_k d + y_k) = sum w_k (A_k d + z_k) + s p,  z_k = y_k - p, s the sum of
 * its weights, |s - 1| <= off. With e governors, rows of weights up to r long, W_k the greatest
 * weight, D the greatest |d|, N_k and N the greatest sums of a row of |A_k| and of the
 * transform, and u = 2^-24: rounded weights (r of them may share a governor), matrices,
 * differences and z, 4 roundings of A d + z, one of the product, e of the sum, 5 of the
 * transform come to less than (e + r + 14) u N sum W_k (N_k D + |z_k|). In double y, p and the
 * positions themselves are right to (r + 8) 2^-53 of the greatest sizes that take part,
 * transformed N times them and the shift; the first vertex and the last sum to 2 u |x|. Numbers
 * below 2^-126 are rounded as 2^-126 is: W_k, D, N_k, |z_k| and N count 2^-126 more. */
static bool governed_lanes(const double origin[3], const points *p, const float_transform *t, uint32_t leaf_index,
                           uint32_t n, leaf_points *out)
{
  const governed *g = p->controls;
  const governed_leaf *leaf = &g->leaves[leaf_index];
  if (leaf->count > GOVERNED_LANES) return false;
  double first[3], size = 0, shift = 0, reach = 0;
  float z[GOVERNED_LANES][4], spread = 0;
  const double *rest = g->transforms ? g->rest + 3 * (size_t)leaf->vertex : NULL;
  governed_point(g, leaf->vertex, first);
  for (uint32_t e = 0; e < leaf->count; ++e) {
    uint32_t k = g->leaf_governor[leaf->first + e];
    const pl_transform *to = &g->now[k];
    float far = 0;
    for (int a = 0; a < 3; ++a) {
      double y = to->t[a];
      if (rest) y += to->m[a][0] * rest[0] + to->m[a][1] * rest[1] + to->m[a][2] * rest[2];
      z[e][a] = (float)(y - first[a]);
      float x = z[e][a] < 0 ? -z[e][a] : z[e][a];
      far = x > far ? x : far;
    }
    spread += g->leaf_most[leaf->first + e] * (g->floats[k].norm * leaf->spread + far + 0x1p-126f);
    size = g->size[k] > size ? g->size[k] : size;
  }
  for (int a = 0; a < 3; ++a) {
    double x = first[a] < 0 ? -first[a] : first[a], s = t->column[3][a] < 0 ? -t->column[3][a] : t->column[3][a];
    reach = x > reach ? x : reach;
    shift = s > shift ? s : shift;
  }
  if (!(spread * t->norm < 0x1p50f)) return false; /* NaN also fails */
  double rounding = (g->longest + 16) * 0x1p-53 * (1 + g->sum) * size + g->off * reach;
  double error = ((double)(leaf->count + g->longest + 16) * 0x1p-24 * (double)spread + rounding) * (double)t->norm;
  out->error = (float)((error + 0x1p-50 * shift) * (1 + 0x1p-20)) + 0x1p-120f * (1 + t->norm);
  if (!(out->error < 0x1p60f)) return false;
  float at[4];
  v4_store(at, lanes_transform(origin, p, t, v4d_load3(first)));
  for (uint32_t k = 0; k < n; k += 8) governed_eight(g, leaf, t, z, n, k, at, out);
  out->roundings = 2;
  return true;
}

/* By motion; NULL: leaves are evaluated vertex by vertex. */
#define MOTION_LANES                                                                                                   \
  [PL_MOTION_MORPH] = morph_lanes, [PL_MOTION_SKIN] = governed_lanes, [PL_MOTION_EMBED] = governed_lanes,              \
  [PL_MOTION_SUBDIVIDE] = governed_lanes, [PL_MOTION_POINTS] = governed_lanes
#define MOTION_LANES_FETCH [PL_MOTION_MORPH] = morph_fetch
