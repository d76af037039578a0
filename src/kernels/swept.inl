/* How far 8 swept shapes (bounds/swept.h) are from one, at least. For every direction n, two sets are as far apart as their shadows on
 * n, or farther: |n . (c1 - c2)| less the half-widths along n, over |n|. So whatever is tried is a proven bound, degenerate and
 * slanted shapes included, and only its tightness depends on the choice. Tried are the directions that carry the distance where
 *   a corner is nearest to a face: the normals of the faces;
 *   two edges are nearest: their cross products;
 *   corner and corner, or corner and edge: between the points that coordinate descent finds.
 * The first two are the separating axes of Gottschalk, Lin, Manocha 1996.
 * Rounding: a scalar product of 3 terms is right to 3 * 2^-24 of the product of the lengths, and so are the few sums, the root and
 * the quotient: 14 * 2^-24 of all lengths together; SWEPT_ERROR is 20 * 2^-24 of a sum that is never less. Where float's range
 * may not do: the bound 0. */

#define SWEPT_ERROR 1.2e-6f
enum { SWEPT_ROUNDS = 3 };

typedef struct swept8 {                         /* 8 shapes, or one in all lanes */
  v8 centre[3], edge[3][3], inverse[3], radius; /* 1 / |edge|^2 */
} swept8;

/* What a caller wants to know: which of `lanes` are farther apart than `enough`. How far others are is then told less sharply. */
typedef struct swept_aim {
  float enough; /* not a number: all bounds are to be as sharp as can be */
  unsigned lanes;
} swept_aim;
#define SWEPT_NO_AIM ((swept_aim){NAN, 0xff})

static KERNEL_INLINE v8 swept_dot(const v8 a[3], const v8 b[3]) { return v8_dot(a[0], b[0], a[1], b[1], a[2], b[2]); }

/* s->centre is relative to q's from here on. */
static KERNEL_INLINE v8 swept_try(const swept8 *s, const swept8 *q, int edges, const v8 n[3], v8 best)
{
  v8 gap = v8_abs(swept_dot(n, s->centre)), square = swept_dot(n, n);
  for (int i = 0; i < edges; ++i) {
    gap = v8_sub(gap, v8_abs(swept_dot(n, s->edge[i])));
    gap = v8_sub(gap, v8_abs(swept_dot(n, q->edge[i])));
  }
  v8 bound = v8_div(gap, v8_sqrt(square));
  return v8_max(v8_select(v8_lt(v8_set(1e-20f), square), bound, v8_set(0)), best);
}

static KERNEL_INLINE v8 swept_clamp(v8 x) { return v8_max(v8_min(x, v8_set(1)), v8_set(-1)); }

/* From the centres on, one coefficient of the two nearest points after the other; the way between them is a good direction. */
static KERNEL_INLINE void swept_between(const swept8 *s, const swept8 *q, int edges, v8 n[3])
{
  v8 on_s[3], on_q[3];
  for (int k = 0; k < 3; ++k) {
    n[k] = s->centre[k];
    on_s[k] = on_q[k] = v8_set(0);
  }
  for (int round = 0; round < SWEPT_ROUNDS; ++round)
    for (int i = 0; i < edges; ++i) {
      v8 at = swept_clamp(v8_add(on_q[i], v8_mul(swept_dot(n, q->edge[i]), q->inverse[i])));
      v8 step = v8_sub(on_q[i], at);
      for (int k = 0; k < 3; ++k) n[k] = v8_add(n[k], v8_mul(step, q->edge[i][k]));
      on_q[i] = at;
      at = swept_clamp(v8_sub(on_s[i], v8_mul(swept_dot(n, s->edge[i]), s->inverse[i])));
      step = v8_sub(at, on_s[i]);
      for (int k = 0; k < 3; ++k) n[k] = v8_add(n[k], v8_mul(step, s->edge[i][k]));
      on_s[i] = at;
    }
}

static KERNEL_INLINE void swept_cross(const v8 a[3], const v8 b[3], v8 out[3])
{
  for (int k = 0; k < 3; ++k) {
    int i = (k + 1) % 3, j = (k + 2) % 3;
    out[k] = v8_cross(a[i], b[j], a[j], b[i]);
  }
}

static KERNEL_INLINE void swept_load(swept8 *s, const float *shapes, int width, int edges)
{
  for (int k = 0; k < 3; ++k) s->centre[k] = v8_load_lanes(shapes + k * width, width);
  for (int i = 0; i < edges; ++i)
    for (int k = 0; k < 3; ++k) s->edge[i][k] = v8_load_lanes(shapes + (3 + 3 * i + k) * width, width);
  s->radius = v8_load_lanes(shapes + (3 + 3 * edges) * width, width);
}

static KERNEL_INLINE void swept_set(swept8 *s, const float *one, int edges)
{
  for (int k = 0; k < 3; ++k) s->centre[k] = v8_set(one[k]);
  for (int i = 0; i < edges; ++i)
    for (int k = 0; k < 3; ++k) s->edge[i][k] = v8_set(one[3 + 3 * i + k]);
  s->radius = v8_set(one[3 + 3 * edges]);
}

/* The half-edges at unit length. */
static KERNEL_INLINE void swept_units(const swept8 *s, int edges, v8 unit[3][3])
{
  for (int i = 0; i < edges; ++i) {
    v8 length = v8_sqrt(v8_max(swept_dot(s->edge[i], s->edge[i]), v8_set(1e-30f)));
    for (int k = 0; k < 3; ++k) unit[i][k] = v8_div(s->edge[i][k], length);
  }
}

/* The sum of all lengths along the axes, which bounds that of the lengths. */
static KERNEL_INLINE v8 swept_lengths(const swept8 *s, const swept8 *q, int edges)
{
  v8 sum = v8_add(v8_abs(s->centre[0]), v8_add(v8_abs(s->centre[1]), v8_abs(s->centre[2])));
  for (int i = 0; i < edges; ++i)
    for (int k = 0; k < 3; ++k) sum = v8_add(sum, v8_add(v8_abs(s->edge[i][k]), v8_abs(q->edge[i][k])));
  return sum;
}

/* The normals of faces, and the cross products of edges. */
static KERNEL_INLINE v8 swept_try_axes(const swept8 *s, const swept8 *q, int edges, v8 best)
{
  v8 own[3][3], other[3][3], n[3];
  swept_units(s, edges, own);
  swept_units(q, edges, other);
  if (edges == 2) { /* the normals of the rectangles */
    swept_cross(own[0], own[1], n);
    best = swept_try(s, q, edges, n, best);
    swept_cross(other[0], other[1], n);
    best = swept_try(s, q, edges, n, best);
  } else {
    for (int i = 0; i < edges; ++i) {
      best = swept_try(s, q, edges, own[i], best);
      best = swept_try(s, q, edges, other[i], best);
    }
  }
  for (int i = 0; i < edges; ++i)
    for (int j = 0; j < edges; ++j) {
      swept_cross(own[i], other[j], n);
      best = swept_try(s, q, edges, n, best);
    }
  return best;
}

/* Distances of pairs of shapes, at least: those of the insides, less both radii. The way between the nearest points goes first, as it
 * tells most that are apart. */
static KERNEL_INLINE v8 swept_bounds(swept8 *s, swept8 *q, int edges, float margin, swept_aim aim)
{
  for (int k = 0; k < 3; ++k) s->centre[k] = v8_sub(s->centre[k], q->centre[k]);
  for (int i = 0; i < edges; ++i) {
    s->inverse[i] = v8_div(v8_set(1), v8_max(swept_dot(s->edge[i], s->edge[i]), v8_set(1e-30f)));
    q->inverse[i] = v8_div(v8_set(1), v8_max(swept_dot(q->edge[i], q->edge[i]), v8_set(1e-30f)));
  }
  v8 radii = v8_add(s->radius, q->radius), n[3];
  v8 lengths = v8_add(v8_add(swept_lengths(s, q, edges), radii), v8_set(margin));
  v8 error = v8_add(v8_mul(lengths, v8_set(SWEPT_ERROR)), v8_set(margin + 1e-30f));
  swept_between(s, q, edges, n);
  v8 best = swept_try(s, q, edges, n, v8_set(0));
  v8 bound = v8_max(v8_sub(v8_sub(best, radii), error), v8_set(0)), enough = v8_set(aim.enough);
  /* Two points of the insides are |n| apart: no direction can tell more than that. */
  v8 most = v8_sub(v8_sub(v8_sqrt(swept_dot(n, n)), radii), error);
  if (aim.lanes & ~v8m_bits(v8_lt(enough, bound)) & ~v8m_bits(v8_le(most, enough))) {
    best = swept_try_axes(s, q, edges, best);
    bound = v8_max(v8_sub(v8_sub(best, radii), error), v8_set(0));
  }
  return v8_select(v8_lt(lengths, v8_set(1e18f)), bound, v8_set(0)); /* beyond, squares may overflow */
}

/* One function each, whatever the width: much code, and long enough not to mind a call. */
static __attribute__((noinline)) v8 rss_bounds(const float *shapes, int width, const float *one, float margin,
                                               swept_aim aim)
{
  swept8 s, q;
  swept_load(&s, shapes, width, 2);
  swept_set(&q, one, 2);
  return swept_bounds(&s, &q, 2, margin, aim);
}
static __attribute__((noinline)) v8 obb_bounds(const float *shapes, int width, const float *one, float margin,
                                               swept_aim aim)
{
  swept8 s, q;
  swept_load(&s, shapes, width, 3);
  swept_set(&q, one, 3);
  return swept_bounds(&s, &q, 3, margin, aim);
}

/* The two children of a against b, b's first and b's second: lanes 0 and 1, 2 and 3, 4 and 5. */
static KERNEL_INLINE v8 six_of(v8m is_own, v8m is_first, const float *own, const float *children)
{
  return v8_select(is_own, v8_set(*own), v8_select(is_first, v8_set(children[0]), v8_set(children[1])));
}

static __attribute__((noinline)) v8 rss_bounds_of_six(const float *a, const float *own, int own_width, const float *b,
                                                      swept_aim aim)
{
  swept8 s, q;
  v8m is_own = v8_lt(lane_numbers(), v8_set(2)), is_first = v8_lt(lane_numbers(), v8_set(4));
  swept_load(&s, a, 2, 2);
  for (int k = 0; k < 3; ++k) q.centre[k] = six_of(is_own, is_first, own + k * own_width, b + 2 * k);
  for (int i = 0; i < 2; ++i)
    for (int k = 0; k < 3; ++k) {
      int c = 3 + 3 * i + k;
      q.edge[i][k] = six_of(is_own, is_first, own + c * own_width, b + 2 * c);
    }
  q.radius = six_of(is_own, is_first, own + 9 * own_width, b + 2 * 9);
  return swept_bounds(&s, &q, 2, 0, aim);
}

/* A shape of another space, which f carries over. The margin of f bounds the error of a point of the box that the shape's points lie
 * in; a half-edge alone is off by no more, and the sum of all of it by 2 margins. */
static inline void swept_carry(const frame_change *f, const float *lane, int width, int edges, float *out)
{
  for (int i = 0; i <= edges; ++i)
    for (int k = 0; k < 3; ++k) {
      const float *at = lane + 3 * i * width, *m = f->m[k];
      float x = m[0] * at[0] + m[1] * at[width] + m[2] * at[2 * width];
      out[3 * i + k] = i ? x : x + f->t[k];
    }
  out[3 + 3 * edges] = f->stretch * lane[(3 + 3 * edges) * width];
}

/* Spheres: the distance of the centres, less both radii. Lengths below 1e-18 have squares that float does not hold. */
static KERNEL_INLINE v8 sphere_bounds(const float *shapes, int width, const float *one, float margin)
{
  v8 d[3];
  for (int k = 0; k < 3; ++k) d[k] = v8_sub(v8_load_lanes(shapes + k * width, width), v8_set(one[k]));
  v8 length = v8_sqrt(swept_dot(d, d)), radii = v8_add(v8_load_lanes(shapes + 3 * width, width), v8_set(one[3]));
  v8 error = v8_add(v8_mul(v8_add(length, radii), v8_set(SWEPT_ERROR)), v8_set(margin));
  return v8_max(v8_sub(v8_sub(length, radii), error), v8_set(0));
}

static void shape_bounds(pl_volume kind, const float *shapes, int width, const float *q, float margin, float out[8])
{
  v8 bounds = v8_set(0);
  if (kind == PL_VOLUME_RSS) bounds = rss_bounds(shapes, width, q, margin, SWEPT_NO_AIM);
  if (kind == PL_VOLUME_OBB) bounds = obb_bounds(shapes, width, q, margin, SWEPT_NO_AIM);
  if (kind == PL_VOLUME_SPHERE) bounds = sphere_bounds(shapes, width, q, margin);
  v8_store(out, bounds);
}
