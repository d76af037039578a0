/* The corners of a leaf's up to 8 triangles in lanes, relative to the origin of a walk.
 *
 * points_world() says where a vertex is. Positions are evaluated so, in double, to the bit, and
 * rounded to float once, after the origin is taken off: right to u |x|, u = 2^-24. Motions that
 * evaluate leaves in float lanes state their own error (motion/lanes.inl). */
#ifndef KERNELS_CORNERS_INL
#define KERNELS_CORNERS_INL

#include "kernels/points.inl"
#include "kernels/walk.h"

#define UNIT 0x1p-24f
#define PLANE_ERROR (64 * UNIT)
#define UNDERFLOW_ERROR 0x1p-126f /* the least normal float: smaller ones are slow */

static KERNEL_INLINE void put_lanes(float corner[3][8], const v4 p[8])
{
  v8 x, y, z;
  v8_transpose(p, &x, &y, &z);
  v8_store(corner[0], x);
  v8_store(corner[1], y);
  v8_store(corner[2], z);
}

/* Float positions as they are. */
static KERNEL_INLINE void load_corners_f32(const walk_side *s, float corner[3][3][8], const uint32_t *tri, int count)
{
  for (int c = 0; c < 3; ++c) {
    v4 p[8];
    for (int i = 0; i < 8; ++i) p[i] = point_f32(&s->points, tri[3 * (i < count ? i : 0) + c]);
    put_lanes(corner[c], p);
  }
}

/* A full leaf needs no choice of lanes. */
static KERNEL_INLINE void load_leaf_f32(const walk_side *s, float corner[3][3][8], const uint32_t *tri, int count)
{
  if (count == 8)
    load_corners_f32(s, corner, tri, 8);
  else
    load_corners_f32(s, corner, tri, count);
}

/* The same from four floats for each vertex. */
static KERNEL_INLINE void load_corners_own(const float *positions, float corner[3][3][8], const uint32_t *tri,
                                           int count)
{
  for (int c = 0; c < 3; ++c) {
    v4 p[8];
    for (int i = 0; i < 8; ++i) p[i] = v4_load(positions + 4 * (size_t)tri[3 * (i < count ? i : 0) + c]);
    put_lanes(corner[c], p);
  }
}

/* ----------------------------------------------------------- vertices that must be evaluated -- */

/* Placed as by points_world(), then taken relative to the origin. */
static KERNEL_INLINE void place_four(const double origin[3], const pl_transform *t, const v4d q[3], leaf_points *out,
                                     uint32_t k)
{
  for (int a = 0; a < 3; ++a) {
    v4d x = q[a];
    if (t) {
      v4d xy = v4d_add(v4d_mul(v4d_set(t->m[a][0]), q[0]), v4d_mul(v4d_set(t->m[a][1]), q[1]));
      x = v4d_add(v4d_add(xy, v4d_mul(v4d_set(t->m[a][2]), q[2])), v4d_set(t->t[a]));
    }
    v4_store(out->at[a] + k, v4d_round(v4d_sub(x, v4d_set(origin[a]))));
  }
}

/* Stored floats, looked up and turned into lanes. */
static KERNEL_INLINE void points_stored(const double origin[3], const walk_side *s, uint32_t first, uint32_t n,
                                        leaf_points *out)
{
  const uint32_t *list = s->tree->prims.list + first;
  for (uint32_t k = 0; k < n; k += 8) {
    v4 p[8];
    v8 x, y, z;
    for (uint32_t i = 0; i < 8; ++i) p[i] = point_f32(&s->points, list[k + i < n ? k + i : n - 1]);
    v8_transpose(p, &x, &y, &z);
    v8_store(out->at[0] + k, x);
    v8_store(out->at[1] + k, y);
    v8_store(out->at[2] + k, z);
  }
  for (uint32_t k = 0; k < n; k += 4) {
    v4d q[3];
    for (int a = 0; a < 3; ++a) q[a] = v4d_widen(v4_load(out->at[a] + k));
    place_four(origin, s->points.transform, q, out, k);
  }
}

/* The columns of a placement, and where the origin of the walk is. */
typedef struct placing {
  v4d column[3], shift, origin;
} placing;

static inline placing placing_of(const double origin[3], const pl_transform *t)
{
  placing r = {.origin = v4d_load3(origin)};
  if (!t) return r;
  for (int j = 0; j < 3; ++j) r.column[j] = v4d_load3((const double[]){t->m[0][j], t->m[1][j], t->m[2][j]});
  r.shift = v4d_load3(t->t);
  return r;
}

/* A model-space position as points_world() transforms it, relative to the origin. */
static KERNEL_INLINE v4 placed(const points *p, const placing *r, v4d q)
{
  if (p->transform) {
    v4d xy = v4d_add(v4d_mul(r->column[0], v4d_x(q)), v4d_mul(r->column[1], v4d_y(q)));
    q = v4d_add(v4d_add(xy, v4d_mul(r->column[2], v4d_z(q))), r->shift);
  }
  return v4d_round(v4d_sub(q, r->origin));
}

/* A stored vertex as points_world() has it, relative to the origin. */
static KERNEL_INLINE v4 placed_point(const points *p, const placing *r, uint32_t v)
{
  return placed(p, r, p->type == PL_F32 ? v4d_widen(point_f32(p, v)) : point_f64(p, v));
}

/* Vertices that a motion evaluates. */
static KERNEL_RARE void points_evaluated(const double origin[3], const walk_side *s, uint32_t first, uint32_t n,
                                         leaf_points *out)
{
  double model[LEAF_ROOM][3];
  placing r = placing_of(origin, s->points.transform);
  s->points.evaluate(s->points.controls, s->tree->prims.list + first, 0, n, model);
  for (uint32_t k = 0; k < n; ++k) {
    float q[4];
    v4_store(q, placed(&s->points, &r, v4d_load3(model[k])));
    for (int a = 0; a < 3; ++a) out->at[a][k] = q[a];
  }
}

/* Any others, one by one. */
static KERNEL_RARE void points_single(const double origin[3], const walk_side *s, uint32_t first, uint32_t n,
                                      leaf_points *out)
{
  const uint32_t *list = s->tree->prims.list + first;
  placing r = placing_of(origin, s->points.transform);
  for (uint32_t k = 0; k < n; ++k) {
    float q[4];
    v4_store(q, placed_point(&s->points, &r, list[k]));
    for (int a = 0; a < 3; ++a) out->at[a][k] = q[a];
  }
}

/* Each vertex of the leaf once, then the corners: placing and blending cost more than looking
 * up. */
static void load_shared_corners(const double origin[3], const walk_side *s, opened_leaf *o)
{
  const tree *t = s->tree;
  uint32_t first = t->prims.list_first[o->leaf], n = t->prims.list_first[o->leaf + 1] - first;
  leaf_points p;
  if (!s->lanes || !s->lanes(origin, &s->points, &s->transform, o->leaf, n, &p)) {
    p.error = 0;
    p.roundings = 1;
    if (s->points.evaluate)
      points_evaluated(origin, s, first, n, &p);
    else if (s->points.type == PL_F32)
      points_stored(origin, s, first, n, &p);
    else
      points_single(origin, s, first, n, &p);
  }
  o->delta = p.error;
  o->roundings = p.roundings;
  const uint8_t *corner = t->prims.corner + TREE_LEAF_CORNERS * (size_t)o->leaf;
  for (int c = 0; c < 3 && n <= 16; ++c)
    for (int a = 0; a < 3; ++a) v8_store(o->corner[c][a], v8_pick16(p.at[a], corner + 8 * c));
  for (int c = 0; c < 3 && n > 16; ++c)
    for (int a = 0; a < 3; ++a) v8_store(o->corner[c][a], v8_pick(p.at[a], corner + 8 * c));
}

/* Positions of any other kind. */
static void load_corners(const double origin[3], const walk_side *s, opened_leaf *o, const uint32_t *tri, int count)
{
  if (s->tree->prims.corner) {
    load_shared_corners(origin, s, o);
    return;
  }
  placing r = placing_of(origin, NULL); /* a free body, not transformed */
  o->delta = 0;
  o->roundings = 1;
  for (int c = 0; c < 3; ++c) {
    v4 p[8];
    for (int i = 0; i < 8; ++i) {
      uint32_t v = tri[3 * (i < count ? i : 0) + c];
      p[i] = placed_point(&s->points, &r, v);
    }
    put_lanes(o->corner[c], p);
  }
}

/* Of a leaf for points and rays; moved: relative to an origin, and perhaps rounded. */
static KERNEL_INLINE void load_corners_of(const double origin[3], bool moved, const walk_side *s, uint32_t leaf,
                                          const uint32_t *tri, int count, float corner[3][3][8])
{
  opened_leaf full;
  if (!moved) {
    load_leaf_f32(s, corner, tri, count);
    return;
  }
  full.leaf = leaf;
  load_corners(origin, s, &full, tri, count);
  memcpy(corner, full.corner, sizeof full.corner);
}

#endif
