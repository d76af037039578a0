/* Leaves that are opened: corners of up to 8 triangles in lanes, relative to the origin of the walk, with their boxes, normals, and the
 * terms of an error bound (leaves.inl tells which). A position is the one that points_world() gives, to the bit, and is rounded to
 * float once, after the origin is taken off. */

#define UNIT 0x1p-24f
#define PLANE_ERROR (64 * UNIT)
#define UNDERFLOW_ERROR 0x1p-126f /* the least normal float: smaller ones are slow */

static inline v8 lane_numbers(void)
{
  const float n[8] = {0, 1, 2, 3, 4, 5, 6, 7};
  return v8_load(n);
}

static KERNEL_INLINE void put_lanes(opened_leaf *o, int c, const v4 p[8])
{
  v8 x, y, z;
  v8_transpose(p, &x, &y, &z);
  v8_store(o->corner[c][0], x);
  v8_store(o->corner[c][1], y);
  v8_store(o->corner[c][2], z);
}

/* Float positions as they are. */
static KERNEL_INLINE void load_corners_f32(const walk_side *s, opened_leaf *o, const uint32_t *tri, int count)
{
  for (int c = 0; c < 3; ++c) {
    v4 p[8];
    for (int i = 0; i < 8; ++i) p[i] = point_f32(&s->p, tri[3 * (i < count ? i : 0) + c]);
    put_lanes(o, c, p);
  }
}

/* ------------------------------------------------------------------------------ vertices that must be made first -- */

enum { LIST_MOST = 24, LIST_ROOM = 32 }; /* vertices of a leaf; and room to write 8 at a time */

/* The vertices of a leaf, each axis by itself. */
typedef struct leaf_points {
  float at[3][LIST_ROOM];
} leaf_points;

/* Four vertices from `k` on as the weights make them: the sums of morph_point(), in the same order. */
static KERNEL_INLINE void blend_four(const morph *m, const float *lists, uint32_t n, uint32_t k, v4d q[3])
{
  q[0] = q[1] = q[2] = v4d_set(0);
  for (int e = 0; e < m->active_count; ++e) {
    const float *r = lists + (size_t)m->active[e] * 3 * n + k;
    v4d c = v4d_set(m->coefficient[m->active[e]]);
    for (int a = 0; a < 3; ++a) q[a] = v4d_add(q[a], v4d_mul(c, v4d_widen(v4_load(r + (size_t)a * n))));
  }
}

/* Placed as by points_world(), then taken relative to the origin. */
static KERNEL_INLINE void place_four(const walk *w, const pl_transform *t, const v4d q[3], leaf_points *out, uint32_t k)
{
  for (int a = 0; a < 3; ++a) {
    v4d x = q[a];
    if (t) {
      v4d xy = v4d_add(v4d_mul(v4d_set(t->m[a][0]), q[0]), v4d_mul(v4d_set(t->m[a][1]), q[1]));
      x = v4d_add(v4d_add(xy, v4d_mul(v4d_set(t->m[a][2]), q[2])), v4d_set(t->t[a]));
    }
    v4_store(out->at[a] + k, v4d_round(v4d_sub(x, v4d_set(w->origin[a]))));
  }
}

/* Float references of a leaf stand together. */
static KERNEL_INLINE void points_blended(const walk *w, const walk_side *s, uint32_t first, uint32_t n,
                                         leaf_points *out)
{
  const float *lists = s->b->lists + (size_t)first * 3 * (size_t)s->p.morph->count;
  for (uint32_t k = 0; k < n; k += 4) { /* lists are padded to fours */
    v4d q[3];
    blend_four(s->p.morph, lists, n, k, q);
    place_four(w, s->p.transform, q, out, k);
  }
}

/* Stored floats, looked up and turned into lanes. */
static KERNEL_INLINE void points_stored(const walk *w, const walk_side *s, uint32_t first, uint32_t n, leaf_points *out)
{
  const uint32_t *list = s->t->list + first;
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
    place_four(w, s->p.transform, q, out, k);
  }
}

/* Doubles, one by one. */
static void points_wide(const walk *w, const walk_side *s, uint32_t first, uint32_t n, leaf_points *out)
{
  const uint32_t *list = s->t->list + first;
  for (uint32_t k = 0; k < n; ++k) {
    double q[3];
    points_world(&s->p, list[k], q);
    for (int a = 0; a < 3; ++a) out->at[a][k] = (float)(q[a] - w->origin[a]);
  }
}

/* Each vertex of the leaf once, then the corners: placing and blending cost more than looking up. */
static void load_shared_corners(const walk *w, const walk_side *s, opened_leaf *o)
{
  const tree *t = s->t;
  uint32_t first = t->list_first[o->leaf], n = t->list_first[o->leaf + 1] - first;
  leaf_points p;
  if (s->p.morph && s->b->lists)
    points_blended(w, s, first, n, &p);
  else if (!s->p.morph && s->p.type == PL_F32)
    points_stored(w, s, first, n, &p);
  else
    points_wide(w, s, first, n, &p);
  const uint8_t *corner = t->corner + TREE_LEAF_CORNERS * (size_t)o->leaf;
  for (int c = 0; c < 3; ++c)
    for (int a = 0; a < 3; ++a)
      v8_store(o->corner[c][a], n <= 16 ? v8_pick16(p.at[a], corner + 8 * c) : v8_pick(p.at[a], corner + 8 * c));
}

/* Positions of any other kind. */
static void load_corners(const walk *w, const walk_side *s, opened_leaf *o, const uint32_t *tri, int count)
{
  if (s->t->corner) {
    load_shared_corners(w, s, o);
    return;
  }
  v4d origin = v4d_load3(w->origin); /* a free body, not placed */
  for (int c = 0; c < 3; ++c) {
    v4 p[8];
    for (int i = 0; i < 8; ++i) {
      uint32_t v = tri[3 * (i < count ? i : 0) + c];
      v4d q = s->p.type == PL_F32 ? v4d_widen(point_f32(&s->p, v)) : point_f64(&s->p, v);
      p[i] = v4d_round(v4d_sub(q, origin));
    }
    put_lanes(o, c, p);
  }
}

/* Boxes of the triangles and of the leaf; lanes without a triangle are empty. */
static inline void make_boxes(const walk *w, opened_leaf *o)
{
  v8m valid = v8_lt(lane_numbers(), v8_set((float)o->count));
  v8 grow = v8_set(2 * w->delta), plus = v8_set(INFINITY), minus = v8_set(-INFINITY), size = v8_set(0);
  for (int k = 0; k < 3; ++k) {
    v8 p = v8_load(o->corner[0][k]), q = v8_load(o->corner[1][k]), r = v8_load(o->corner[2][k]);
    v8 lower = v8_min(v8_min(p, q), r), upper = v8_max(v8_max(p, q), r);
    if (w->irregular) lower = minus, upper = plus;
    lower = v8_sub(lower, grow);
    upper = v8_add(upper, grow);
    size = v8_max(size, v8_sub(upper, lower));
    v8_store(o->lower[k], v8_select(valid, lower, plus));
    v8_store(o->upper[k], v8_select(valid, upper, minus));
  }
  v8_store(o->size, size);
}

static inline void make_leaf_box(const walk *w, const walk_side *s, opened_leaf *o, uint32_t leaf)
{
  if (w->delta == 0 && !w->seed) { /* the same space, and no rounding */
    o->box = tree_volume(s->t, ~(int32_t)leaf);
  } else {
    for (int k = 0; k < 3; ++k) { /* empty lanes change nothing */
      float l[4], u[4];
      v4_store(l, v4_min(v4_load(o->lower[k]), v4_load(o->lower[k] + 4)));
      v4_store(u, v4_max(v4_load(o->upper[k]), v4_load(o->upper[k] + 4)));
      o->box.lower[k] = least(l);
      o->box.upper[k] = greatest(u);
    }
  }
}

static inline void make_planes(const walk *w, opened_leaf *o)
{
  v8 e[2][3], m[2];
  for (int edge = 0; edge < 2; ++edge) {
    for (int k = 0; k < 3; ++k) e[edge][k] = v8_sub(v8_load(o->corner[edge + 1][k]), v8_load(o->corner[0][k]));
    m[edge] = v8_max(v8_abs(e[edge][0]), v8_max(v8_abs(e[edge][1]), v8_abs(e[edge][2])));
    m[edge] = v8_add(m[edge], v8_set(4 * w->delta));
  }
  for (int k = 0; k < 3; ++k) {
    int y = (k + 1) % 3, z = (k + 2) % 3;
    v8_store(o->normal[k], v8_cross(e[0][y], e[1][z], e[0][z], e[1][y]));
  }
  v8 area = v8_mul(m[0], m[1]), moved = v8_set(16 * w->delta);
  v8 alpha = v8_add(v8_mul(area, v8_set(PLANE_ERROR)), v8_mul(moved, v8_add(m[0], m[1])));
  v8 beta = v8_mul(moved, area);
  if (w->irregular) alpha = v8_set(INFINITY);
  v8_store(o->alpha, v8_add(alpha, v8_set(UNDERFLOW_ERROR)));
  v8_store(o->beta, v8_add(beta, v8_set(UNDERFLOW_ERROR)));
}

static __attribute__((noinline)) void load_leaf(const walk *w, const walk_side *s, opened_leaf *o, uint32_t leaf)
{
  o->leaf = leaf;
  o->first = s->t->tri_first[leaf];
  o->count = (int)(s->t->tri_first[leaf + 1] - o->first);
  const uint32_t *tri = s->t->tri + 3 * (size_t)o->first;
  if (w->delta == 0 && o->count == 8) /* both bodies are float, and a full leaf needs no choice of lanes */
    load_corners_f32(s, o, tri, 8);
  else if (w->delta == 0)
    load_corners_f32(s, o, tri, o->count);
  else
    load_corners(w, s, o, tri, o->count);
  make_boxes(w, o);
  make_leaf_box(w, s, o, leaf);
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
