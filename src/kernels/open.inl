/* Leaves that are opened: corners of up to 8 triangles in lanes, relative to the origin of the walk, with their boxes, normals, and the
 * terms of an error bound (leaves.inl tells which).
 *
 * Coordinates. points_world() says where a vertex is. Positions are evaluated so, in double, to the bit, and rounded to float once, after
 * the origin is taken off: right to u |x|, u = 2^-24. Motions that evaluate leaves in float lanes state their own error
 * (motion/lanes.inl). */
#ifndef KERNELS_OPEN_INL
#define KERNELS_OPEN_INL

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
    for (int i = 0; i < 8; ++i) p[i] = point_f32(&s->p, tri[3 * (i < count ? i : 0) + c]);
    put_lanes(corner[c], p);
  }
}

/* ------------------------------------------------------------------------------ vertices that must be made first -- */

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
  const uint32_t *list = s->t->prims.list + first;
  for (uint32_t k = 0; k < n; k += 8) {
    v4 p[8];
    v8 x, y, z;
    for (uint32_t i = 0; i < 8; ++i) p[i] = point_f32(&s->p, list[k + i < n ? k + i : n - 1]);
    v8_transpose(p, &x, &y, &z);
    v8_store(out->at[0] + k, x);
    v8_store(out->at[1] + k, y);
    v8_store(out->at[2] + k, z);
  }
  for (uint32_t k = 0; k < n; k += 4) {
    v4d q[3];
    for (int a = 0; a < 3; ++a) q[a] = v4d_widen(v4_load(out->at[a] + k));
    place_four(origin, s->p.transform, q, out, k);
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
static void points_evaluated(const double origin[3], const walk_side *s, uint32_t first, uint32_t n, leaf_points *out)
{
  double model[LEAF_ROOM][3];
  placing r = placing_of(origin, s->p.transform);
  s->p.evaluate(s->p.controls, s->t->prims.list + first, 0, n, model);
  for (uint32_t k = 0; k < n; ++k) {
    float q[4];
    v4_store(q, placed(&s->p, &r, v4d_load3(model[k])));
    for (int a = 0; a < 3; ++a) out->at[a][k] = q[a];
  }
}

/* Any others, one by one. */
static void points_single(const double origin[3], const walk_side *s, uint32_t first, uint32_t n, leaf_points *out)
{
  const uint32_t *list = s->t->prims.list + first;
  placing r = placing_of(origin, s->p.transform);
  for (uint32_t k = 0; k < n; ++k) {
    float q[4];
    v4_store(q, placed_point(&s->p, &r, list[k]));
    for (int a = 0; a < 3; ++a) out->at[a][k] = q[a];
  }
}

/* Each vertex of the leaf once, then the corners: placing and blending cost more than looking up. */
static void load_shared_corners(const double origin[3], const walk_side *s, opened_leaf *o)
{
  const tree *t = s->t;
  uint32_t first = t->prims.list_first[o->leaf], n = t->prims.list_first[o->leaf + 1] - first;
  leaf_points p;
  if (!s->lanes || !s->lanes(origin, &s->p, &s->transform, o->leaf, n, &p)) {
    p.error = 0;
    p.roundings = 1;
    if (s->p.evaluate)
      points_evaluated(origin, s, first, n, &p);
    else if (s->p.type == PL_F32)
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
  if (s->t->prims.corner) {
    load_shared_corners(origin, s, o);
    return;
  }
  placing r = placing_of(origin, NULL); /* a free body, not placed */
  o->delta = 0;
  o->roundings = 1;
  for (int c = 0; c < 3; ++c) {
    v4 p[8];
    for (int i = 0; i < 8; ++i) {
      uint32_t v = tri[3 * (i < count ? i : 0) + c];
      p[i] = placed_point(&s->p, &r, v);
    }
    put_lanes(o->corner[c], p);
  }
}

/* The box of all corners (lanes without a triangle repeat the first), and from it how far off a coordinate may be. */
static inline void make_leaf_box(const walk *w, opened_leaf *o, const v8 lower[3], const v8 upper[3])
{
  v4 low = v8_least3(lower[0], lower[1], lower[2]), high = v8_greatest3(upper[0], upper[1], upper[2]);
  float l[4], u[4], far[4];
  v4_store(l, low);
  v4_store(u, high);
  v4_store(far, v4_max(v4_sub(v4_set(0, 0, 0), low), high));
  float reach = far[0] > far[1] ? far[0] : far[1];
  reach = far[2] > reach ? far[2] : reach;
  o->delta = o->delta * (1 + 0x1p-10f) + reach * (o->roundings * UNIT * (1 + 0x1p-10f)) + 0x1p-126f;
  for (int k = 0; k < 3; ++k) {
    o->box.lower[k] = w->irregular ? -INFINITY : l[k] - 2 * o->delta;
    o->box.upper[k] = w->irregular ? INFINITY : u[k] + 2 * o->delta;
  }
}

/* Boxes of the leaf and of its triangles; lanes without one are empty. */
static inline void make_boxes(const walk *w, const walk_side *s, opened_leaf *o)
{
  v8m valid = v8_lt(v8_numbers(), v8_set((float)o->count));
  v8 lower[3], upper[3], size = v8_set(0), plus = v8_set(INFINITY), minus = v8_set(-INFINITY);
  for (int k = 0; k < 3; ++k) {
    v8 p = v8_load(o->corner[0][k]), q = v8_load(o->corner[1][k]), r = v8_load(o->corner[2][k]);
    lower[k] = v8_min(v8_min(p, q), r);
    upper[k] = v8_max(v8_max(p, q), r);
  }
  if (w->exact && !w->seed && s->t->tight) /* the same space, and no rounding */
    o->box = tree_volume(s->t, ~(int32_t)o->leaf);
  else
    make_leaf_box(w, o, lower, upper);
  if (w->exact) o->delta = 0;
  v8 grow = v8_set(2 * o->delta);
  for (int k = 0; k < 3; ++k) {
    v8 low = w->irregular ? minus : v8_sub(lower[k], grow), high = w->irregular ? plus : v8_add(upper[k], grow);
    size = v8_max(size, v8_sub(high, low));
    v8_store(o->lower[k], v8_select(valid, low, plus));
    v8_store(o->upper[k], v8_select(valid, high, minus));
  }
  v8_store(o->size, size);
}

static inline void make_planes(const walk *w, opened_leaf *o)
{
  v8 e[2][3], m[2];
  for (int edge = 0; edge < 2; ++edge) {
    for (int k = 0; k < 3; ++k) e[edge][k] = v8_sub(v8_load(o->corner[edge + 1][k]), v8_load(o->corner[0][k]));
    m[edge] = v8_max(v8_abs(e[edge][0]), v8_max(v8_abs(e[edge][1]), v8_abs(e[edge][2])));
    m[edge] = v8_add(m[edge], v8_set(4 * o->delta));
  }
  for (int k = 0; k < 3; ++k) {
    int y = (k + 1) % 3, z = (k + 2) % 3;
    v8_store(o->normal[k], v8_cross(e[0][y], e[1][z], e[0][z], e[1][y]));
  }
  v8 area = v8_mul(m[0], m[1]), moved = v8_mul(v8_set(16 * o->delta), v8_add(m[0], m[1]));
  v8 alpha = v8_add(v8_mul(area, v8_set(PLANE_ERROR)), moved);
  if (w->irregular) alpha = v8_set(INFINITY);
  v8_store(o->alpha, v8_add(alpha, v8_set(UNDERFLOW_ERROR)));
  v8_store(o->area, v8_mul(area, v8_set(16)));
}

static __attribute__((noinline)) void load_leaf(const walk *w, const walk_side *s, opened_leaf *o, uint32_t leaf)
{
  watch_see(s->t, ~(int32_t)leaf);
  o->leaf = leaf;
  o->first = s->t->prims.tri_first[leaf];
  o->count = (int)(s->t->prims.tri_first[leaf + 1] - o->first);
  const uint32_t *tri = s->t->prims.tri + 3 * (size_t)o->first;
  if (w->exact && o->count == 8) /* both bodies are float, and a full leaf needs no choice of lanes */
    load_corners_f32(s, o->corner, tri, 8);
  else if (w->exact)
    load_corners_f32(s, o->corner, tri, o->count);
  else
    load_corners(w->origin, s, o, tri, o->count);
  make_boxes(w, s, o);
  make_planes(w, o);
}

static inline const opened_leaf *open_leaf(walk *w, int side, uint32_t leaf)
{
  opened_leaf *o = &w->cache[side][leaf & (side ? CACHE_B - 1 : CACHE_A - 1)];
  uint64_t key = w->serial << 32 | leaf;
  if (o->key != key) {
    o->key = key;
    load_leaf(w, &w->side[side], o, leaf);
  }
  return o;
}

#endif
