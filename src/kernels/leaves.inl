/* Triangles of two leaves against each other, 8 at a time, in float with an error bound: a pair is reported or dropped here only
 * if the bound proves it, and decided in exact arithmetic otherwise. The signs are those of Guigue and Devillers, Fast and
 * Robust Triangle-Triangle Overlap Test Using Orientation Predicates, 2003.
 *
 * Error bound. With u = 2^-24, coordinates exact up to delta, m1 and m2 the largest components of the edges (+ 4 delta), and D
 * bounding all differences of coordinates: the edges are right to u relative, a component of n = e1 x e2 to 8 u m1 m2, and
 * n . d to 46 u m1 m2 D; 64 u is used. The coordinates' own error moves the determinant by at most
 * 12 delta (m1 D + m2 D + m1 m2); 16 is used. Underflow adds at most 2^-145 (1 + D); 2^-126 is used. */

/* The lanes whose boxes meet the box from (x0, y0, z0) to (x1, y1, z1), each in all lanes. */
static KERNEL_INLINE unsigned lanes_meeting(const opened_leaf *o, v8 x0, v8 y0, v8 z0, v8 x1, v8 y1, v8 z1)
{
  v8m m = v8m_and(v8_le(v8_load(o->lower[0]), x1), v8_le(x0, v8_load(o->upper[0])));
  m = v8m_and(m, v8m_and(v8_le(v8_load(o->lower[1]), y1), v8_le(y0, v8_load(o->upper[1]))));
  m = v8m_and(m, v8m_and(v8_le(v8_load(o->lower[2]), z1), v8_le(z0, v8_load(o->upper[2]))));
  return v8m_bits(m) & ((1u << o->count) - 1); /* a box of all space would meet even empty lanes */
}

/* Bounds every difference of coordinates between two leaves whose boxes overlap. */
static inline float extent(const walk *w, const opened_leaf *a, const opened_leaf *b)
{
  return (a->size + b->size) * (1 + 0x1p-20f) + 4 * w->delta;
}

/* How far three corners are from a plane, scaled, lane by lane. */
typedef struct sides {
  v8 at[3];
} sides;

/* All three strictly on one side, beyond doubt. */
static KERNEL_INLINE unsigned sides_apart(const sides *s, v8 limit)
{
  v8 least = v8_min(s->at[0], v8_min(s->at[1], s->at[2])), most = v8_max(s->at[0], v8_max(s->at[1], s->at[2]));
  return v8m_bits(v8m_or(v8_lt(limit, least), v8_lt(most, v8_sub(v8_set(0), limit))));
}

/* No corner so near that its side is in doubt. */
static KERNEL_INLINE unsigned sides_certain(const sides *s, v8 limit)
{
  return v8m_bits(v8_lt(limit, v8_min(v8_abs(s->at[0]), v8_min(v8_abs(s->at[1]), v8_abs(s->at[2])))));
}

/* Corners of b's triangles against the plane of a's triangle i. */
static KERNEL_INLINE sides sides_of_a(const opened_leaf *a, int i, const opened_leaf *b)
{
  v8 nx = v8_set(a->normal[0][i]), ny = v8_set(a->normal[1][i]), nz = v8_set(a->normal[2][i]);
  v8 px = v8_set(a->corner[0][0][i]), py = v8_set(a->corner[0][1][i]), pz = v8_set(a->corner[0][2][i]);
  sides s;
  for (int c = 0; c < 3; ++c)
    s.at[c] = v8_dot(nx, v8_sub(v8_load(b->corner[c][0]), px), ny, v8_sub(v8_load(b->corner[c][1]), py), nz,
                     v8_sub(v8_load(b->corner[c][2]), pz));
  return s;
}

/* Corners of a's triangle i against the planes of b's triangles. */
static KERNEL_INLINE sides sides_of_b(const opened_leaf *a, int i, const opened_leaf *b)
{
  v8 nx = v8_load(b->normal[0]), ny = v8_load(b->normal[1]), nz = v8_load(b->normal[2]);
  v8 px = v8_load(b->corner[0][0]), py = v8_load(b->corner[0][1]), pz = v8_load(b->corner[0][2]);
  sides s;
  for (int c = 0; c < 3; ++c)
    s.at[c] = v8_dot(nx, v8_sub(v8_set(a->corner[c][0][i]), px), ny, v8_sub(v8_set(a->corner[c][1][i]), py), nz,
                     v8_sub(v8_set(a->corner[c][2][i]), pz));
  return s;
}

typedef struct point8 {
  v8 x, y, z;
} point8;

static KERNEL_INLINE point8 between(float to[3][8], float from[3][8])
{
  return (point8){v8_sub(v8_load(to[0]), v8_load(from[0])), v8_sub(v8_load(to[1]), v8_load(from[1])),
                  v8_sub(v8_load(to[2]), v8_load(from[2]))};
}

/* d . (a x b) */
static KERNEL_INLINE v8 triple(point8 d, point8 a, point8 b)
{
  return v8_dot(d.x, v8_cross(a.y, b.z, a.z, b.y), d.y, v8_cross(a.z, b.x, a.x, b.z), d.z,
                v8_cross(a.x, b.y, a.y, b.x));
}

static bool decide_exactly(const walk *w, uint32_t a, uint32_t b)
{
  double p[3][3], q[3][3];
  for (int c = 0; c < 3; ++c) {
    points_world(&w->side[0].p, w->side[0].t->tri[3 * (size_t)a + (size_t)c], p[c]);
    points_world(&w->side[1].p, w->side[1].t->tri[3 * (size_t)b + (size_t)c], q[c]);
  }
  return tri_tri_touch((const double(*)[3])p, (const double(*)[3])q);
}

/* The waiting pairs, in order. Both triangles cross the other's plane: they touch if their parts of the planes' common line
 * overlap, which two signs tell. */
static __attribute__((noinline)) void decide_waiting(walk *w)
{
  waiting_pairs *s = w->waiting;
  if (!s->count) return;
  v8 c1 = triple(between(s->q[1], s->p[1]), between(s->q[0], s->p[1]), between(s->p[0], s->p[1]));
  v8 c2 = triple(between(s->q[2], s->p[0]), between(s->q[0], s->p[0]), between(s->p[2], s->p[0]));
  v8 limit = v8_load(s->limit), low = v8_sub(v8_set(0), limit);
  unsigned no = v8m_bits(v8m_or(v8_lt(limit, c1), v8_lt(limit, c2)));
  unsigned yes = v8m_bits(v8m_and(v8_lt(c1, low), v8_lt(c2, low)));
  for (unsigned m = ~no & ((1u << s->count) - 1); m; m &= m - 1) {
    int k = __builtin_ctz(m);
    if (!(yes >> k & 1) && !decide_exactly(w, s->a[k], s->b[k])) continue;
    w->pairs.data[w->pairs.count++] = (pl_pair){w->side[0].t->tri_id[s->a[k]], w->side[1].t->tri_id[s->b[k]]};
    if (w->first) {
      w->stopped = true;
      break;
    }
  }
  s->count = 0;
}

static unsigned filtered(walk *w, const opened_leaf *a, int i, const opened_leaf *b, unsigned candidates)
{
  unsigned kept = 0;
  for (unsigned m = candidates; m; m &= m - 1) {
    int j = __builtin_ctz(m);
    pl_pair pair = {w->side[0].t->tri_id[a->first + (uint32_t)i], w->side[1].t->tri_id[b->first + (uint32_t)j]};
    if (w->filter(w->filter_user, pair)) kept |= 1u << j;
  }
  return kept;
}

/* Which corner is alone on its side, by the signs of the three; any where all have one sign, which is only waiting for an
 * exact answer then. */
static const uint8_t lone_corner[8] = {0, 0, 1, 2, 2, 1, 0, 0};

static KERNEL_INLINE void put_corner(float to[3][8], uint32_t k, const float from[3][8], int lane)
{
  float x = from[0][lane], y = from[1][lane], z = from[2][lane];
  to[0][k] = x;
  to[1][k] = y;
  to[2][k] = z;
}

static KERNEL_INLINE void put_corners(float to[3][3][8], uint32_t k, const opened_leaf *from, int lane, int lone,
                                      bool turned)
{
  static const uint8_t after[2][4] = {{1, 2, 0, 0}, {2, 0, 1, 0}};
  put_corner(to[0], k, from->corner[lone], lane);
  put_corner(to[1], k, from->corner[after[turned][lone]], lane);
  put_corner(to[2], k, from->corner[after[!turned][lone]], lane);
}

/* Signs of one lane: bit c is set if corner c is on the positive side. */
static inline unsigned lane_signs(const unsigned up[3], int lane)
{
  return (up[0] >> lane & 1) | (up[1] >> lane & 1) << 1 | (up[2] >> lane & 1) << 2;
}

static void wait_for_decision(walk *w, const opened_leaf *a, int i, const opened_leaf *b, const sides *of_a,
                              const sides *of_b, unsigned candidates, unsigned certain, float limit)
{
  unsigned up_a[3], up_b[3];
  for (int c = 0; c < 3; ++c) {
    up_a[c] = v8m_bits(v8_lt(v8_set(0), of_a->at[c]));
    up_b[c] = v8m_bits(v8_lt(v8_set(0), of_b->at[c]));
  }
  for (unsigned m = candidates; m; m &= m - 1) {
    int j = __builtin_ctz(m);
    waiting_pairs *s = w->waiting;
    unsigned signs_p = lane_signs(up_b, j), signs_q = lane_signs(up_a, j);
    int lone_p = lone_corner[signs_p], lone_q = lone_corner[signs_q];
    bool p_up = signs_p >> lone_p & 1, q_up = signs_q >> lone_q & 1;
    put_corners(s->p, s->count, a, i, lone_p, !q_up);
    put_corners(s->q, s->count, b, j, lone_q, !p_up);
    s->limit[s->count] = certain >> j & 1 ? limit : INFINITY;
    s->a[s->count] = a->first + (uint32_t)i;
    s->b[s->count] = b->first + (uint32_t)j;
    if (++s->count == 8) decide_waiting(w);
    if (w->stopped) return;
  }
}

/* Triangle i of a against the candidates among b's. */
static KERNEL_INLINE void test_triangle(walk *w, const opened_leaf *a, int i, const opened_leaf *b, unsigned candidates,
                                        float d, float limit)
{
  v8 limit_a = v8_set(a->alpha[i] * d + a->beta[i]);
  sides of_a = sides_of_a(a, i, b);
  candidates &= ~sides_apart(&of_a, limit_a);
  if (!candidates) return;
  v8 limit_b = v8_add(v8_mul(v8_load(b->alpha), v8_set(d)), v8_load(b->beta));
  sides of_b = sides_of_b(a, i, b);
  candidates &= ~sides_apart(&of_b, limit_b);
  if (!candidates) return;
  unsigned certain = sides_certain(&of_a, limit_a) & sides_certain(&of_b, limit_b);
  wait_for_decision(w, a, i, b, &of_a, &of_b, candidates, certain, limit);
}

/* Triangles of a whose boxes meet boxes of b's, with those: lanes and masks without a branch in between. Returns their number. */
static KERNEL_INLINE int find_candidates(walk *w, const opened_leaf *a, const opened_leaf *b, unsigned m,
                                         uint8_t lane[8], uint8_t mask[8])
{
  int n = 0;
  for (; m; m &= m - 1) {
    int i = __builtin_ctz(m);
    unsigned c = lanes_meeting(b, v8_set(a->lower[0][i]), v8_set(a->lower[1][i]), v8_set(a->lower[2][i]),
                               v8_set(a->upper[0][i]), v8_set(a->upper[1][i]), v8_set(a->upper[2][i]));
    if (w->filter) c = filtered(w, a, i, b, c);
    lane[n] = (uint8_t)i;
    mask[n] = (uint8_t)c;
    w->n_p += (uint64_t)__builtin_popcount(c);
    n += c != 0;
  }
  return n;
}

static void test_leaves(walk *w, uint32_t leaf_a, uint32_t leaf_b)
{
  const opened_leaf *a = open_leaf(w, 0, leaf_a), *b = open_leaf(w, 1, leaf_b);
  const aabb *q = &b->box;
  unsigned m = lanes_meeting(a, v8_set(q->lower[0]), v8_set(q->lower[1]), v8_set(q->lower[2]), v8_set(q->upper[0]),
                             v8_set(q->upper[1]), v8_set(q->upper[2]));
  uint8_t lane[8], mask[8];
  int n = find_candidates(w, a, b, m, lane, mask);
  float d = extent(w, a, b);
  float limit = PLANE_ERROR * d * d * d + 48 * w->delta * d * d + UNDERFLOW_ERROR * (1 + d);
  for (int k = 0; k < n && !w->stopped; ++k) test_triangle(w, a, lane[k], b, mask[k], d, limit);
  if (w->first && !w->stopped) decide_waiting(w);
  if (w->stopped) w->hit = (node_pair){(int32_t)leaf_a, (int32_t)leaf_b};
}

static void walk_leaves(walk *w)
{
  enum { MOST_NEW = 64 + 8 }; /* pairs of two leaves, and those that were waiting */
  for (uint32_t k = 0; k < w->leaf_pair_count && !w->stopped; ++k) {
    if (w->pairs.count + MOST_NEW > w->pairs.capacity &&
        !array_reserve(w->allocator, &w->pairs, w->pairs.count + MOST_NEW)) {
      w->status = PL_ERROR_MEMORY;
      w->stopped = true;
      break;
    }
    test_leaves(w, (uint32_t)w->leaf_pairs[k].a, (uint32_t)w->leaf_pairs[k].b);
  }
  if (!w->stopped) decide_waiting(w);
  w->waiting->count = 0;
  w->leaf_pair_count = 0;
}
