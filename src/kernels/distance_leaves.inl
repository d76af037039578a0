/* Triangles of two leaves in a distance query: lower bounds for 8 pairs at once in float, and
 * the true distance of those that they leave.
 *
 * Bounds. Boxes: differences, squares and sums in float are right to 6 u relative, u = 2^-24,
 * which the factor 1 - 16 u covers; 2^-120 covers underflow. A direction g, |g| <= 1 + 4 u: the
 * triangles are at least min g.(b_j - a_0) - max g.(a_i - a_0) apart. With D bounding all
 * differences of coordinates, a computed g.(x - y) is off by at most 7 u D, and the errors delta
 * of the coordinates by 3.5 delta: 14 u D + 7 delta in all, and 2 u D for the last difference;
 * 32 u D + 8 delta is taken. 2^-110 covers underflow. All of this is for coordinates of at most
 * 2^41, where nothing overflows: others are `irregular` and measured. */
#ifndef KERNELS_DISTANCE_LEAVES_INL
#define KERNELS_DISTANCE_LEAVES_INL

#include "core/parts.h"
#include "exact/predicates.h"
#include "exact/tri_tri_distance.h"
#include "kernels/distance.h"
#if KERNEL_LEAN /* a small library: single numbers, the same bits */
#define measure_one tri_tri_distance_within
#else
#include "kernels/measure_one.inl"
#endif
#include "kernels/near_pairs.inl"
#include "kernels/near_self.inl"
#include "kernels/open.inl"

#include <float.h>

/* Squares that are never too large. */
static KERNEL_INLINE v8 bound_of_gaps(v8 x, v8 y, v8 z)
{
  v8 zero = v8_set(0);
  x = v8_max(x, zero);
  y = v8_max(y, zero);
  z = v8_max(z, zero);
  return v8_sub(v8_mul(v8_dot(x, x, y, y, z, z), v8_set(FLOAT_LESS)), v8_set(FLOAT_LOST));
}

static KERNEL_INLINE v8 gap_of(v8 lower, v8 upper, float q_lower, float q_upper)
{
  return v8_max(v8_sub(lower, v8_set(q_upper)), v8_sub(v8_set(q_lower), upper));
}

/* A leaf's triangles against triangle i of another one. */
static KERNEL_INLINE v8 triangle_bounds(const opened_leaf *o, const opened_leaf *of, int i)
{
  return bound_of_gaps(gap_of(v8_load(o->lower[0]), v8_load(o->upper[0]), of->lower[0][i], of->upper[0][i]),
                       gap_of(v8_load(o->lower[1]), v8_load(o->upper[1]), of->lower[1][i], of->upper[1][i]),
                       gap_of(v8_load(o->lower[2]), v8_load(o->upper[2]), of->lower[2][i], of->upper[2][i]));
}

/* A leaf's triangles against a box. */
static KERNEL_INLINE v8 leaf_bounds(const opened_leaf *o, const float lower[3], const float upper[3])
{
  return bound_of_gaps(gap_of(v8_load(o->lower[0]), v8_load(o->upper[0]), lower[0], upper[0]),
                       gap_of(v8_load(o->lower[1]), v8_load(o->upper[1]), lower[1], upper[1]),
                       gap_of(v8_load(o->lower[2]), v8_load(o->upper[2]), lower[2], upper[2]));
}

/* Distances above this are of no interest. Distances are right to DISTANCE_ERROR: what is
 * computed as equal may be apart by two of these, and must not be passed over. The search ends
 * only where nothing can be better: a distance within the absolute tolerance, or 0 with a
 * tolerance; without one the least of the touching pairs is still to be found. Squares from
 * 2^127 on are not compared: a bound may have overflowed. */
static void set_reach(distance_walk *d, double distance)
{
  bool least = !d->plan->gather && d->found, exact = d->plan->relative == 0 && d->plan->absolute == 0;
  double reach = distance;
  if (least) reach = fmax((distance - d->plan->absolute) / (1 + d->plan->relative), 0);
  if (reach > 0 || (least && distance > 0)) reach = reach * (1 + 4 * DISTANCE_ERROR) + 0x1p-1074;
  double here = reach * d->plan->unit, square = here * here * (1 + 0x1p-40);
  d->within = reach;
  d->reach = round_up(here);
  d->cut = square < 0x1p127 ? round_up(square) : INFINITY;
  if (!least) return;
  if (exact ? d->id.a == 0 && d->id.b == 0 && distance == 0 : distance <= d->plan->absolute) d->walk->stopped = true;
  if (d->plan->any && distance <= d->plan->limit) d->walk->stopped = true;
}

static bool is_better(const distance_walk *d, const closest *c, pl_pair id)
{
  if (!d->found) return c->distance <= d->plan->limit;
  if (c->distance != d->best.distance) return c->distance < d->best.distance;
  return id.a != d->id.a ? id.a < d->id.a : id.b < d->id.b;
}

/* Divided by its own length and not by the distance: points are rounded, and may be far off
 * where distances are tiny. */
static void set_direction(distance_walk *d)
{
  double g[3], most = 0;
  for (int k = 0; k < 3; ++k) {
    g[k] = d->best.b[k] - d->best.a[k];
    most = fmax(most, fabs(g[k]));
  }
  bool good = most > 0x1p-1000 && most < 0x1p1000;
  double scale = good ? 1 / most : 0, square = 0;
  for (int k = 0; k < 3; ++k) {
    g[k] = good ? g[k] * scale : 0;
    square += g[k] * g[k];
  }
  double length = good ? sqrt(square) : 1;
  for (int k = 0; k < 3; ++k) d->direction[k] = (float)(g[k] / length);
}

/* Triangles that are not better than the best pair, as is soon seen: in its direction, which
 * double tells from equally near to 2^-47; or, where very many pairs are equally near along an
 * axis, because even their gap would not be better. */
static bool is_no_better(const distance_walk *d, const double p[3][3], const double q[3][3], pl_pair id)
{
  const closest *best = &d->best;
  const double g[3] = {best->a[0] - best->b[0], best->a[1] - best->b[1], best->a[2] - best->b[2]};
  if (tri_tri_is_beyond(p, q, g, best->distance * (1 + 4 * DISTANCE_ERROR))) return true;
  const closest gap = {.distance = tri_tri_gap(p, q)};
  return gap.distance > 0 && !is_better(d, &gap, id);
}

/* The true distance of two triangles, by their places in tree order: the least so far? */
static __attribute__((noinline)) void measure(distance_walk *d, uint32_t a, uint32_t b)
{
  double p[3][3], q[3][3];
  if (d->plan->rings && self_is_turned(d, a, b)) {
    uint32_t first = b;
    b = a;
    a = first;
  }
  load_triangle(d, 0, a, p);
  load_triangle(d, 1, b, q);
  closest c;
  pl_pair id = pair_of(d, a, b);
  if (d->found && is_no_better(d, (const double(*)[3])p, (const double(*)[3])q, id)) return;
  if (!measure_one((const double(*)[3])p, (const double(*)[3])q, d->within, &c)) return;
  if (!is_better(d, &c, id)) return;
  d->found = true;
  d->best = c;
  d->tri_a = a;
  d->tri_b = b;
  d->id = id;
  set_reach(d, c.distance);
  if (c.distance > 0) set_direction(d);
}

/* Bounds every difference of coordinates between two leaves. */
static inline float span(const opened_leaf *a, const opened_leaf *b, float delta)
{
  float most = 0, size = 0;
  for (int k = 0; k < 3; ++k) {
    float up = a->box.upper[k] - b->box.lower[k], down = b->box.upper[k] - a->box.lower[k];
    most = up > most ? up : most;
    most = down > most ? down : most;
    size += a->box.upper[k] - a->box.lower[k] + (b->box.upper[k] - b->box.lower[k]);
  }
  return (most + size) * FLOAT_MORE + 4 * delta;
}

/* Triangle i of a and those of b's lanes, seen from a's first corner. */
typedef struct seen {
  float a[3][3]; /* corner, axis; the first is 0 */
  point8 b[3];
  float error; /* of g.(x - y), per length of g in the sum norm */
} seen;

static KERNEL_INLINE seen see(const opened_leaf *a, int i, const opened_leaf *b, float error)
{
  seen s = {.error = error};
  float p[3] = {a->corner[0][0][i], a->corner[0][1][i], a->corner[0][2][i]};
  v8 x = v8_set(p[0]), y = v8_set(p[1]), z = v8_set(p[2]);
  for (int c = 0; c < 3; ++c) {
    for (int k = 0; k < 3; ++k) s.a[c][k] = a->corner[c][k][i] - p[k];
    s.b[c] = (point8){v8_sub(v8_load(b->corner[c][0]), x), v8_sub(v8_load(b->corner[c][1]), y),
                      v8_sub(v8_load(b->corner[c][2]), z)};
  }
  return s;
}

/* Lanes that lie so far ahead in the direction of the best pair that they cannot be nearer. */
static KERNEL_INLINE unsigned lanes_ahead(const distance_walk *d, const seen *s)
{
  const float *g = d->direction;
  float most = 0;
  for (int c = 1; c < 3; ++c) {
    float along = g[0] * s->a[c][0] + g[1] * s->a[c][1] + g[2] * s->a[c][2];
    most = along > most ? along : most;
  }
  v8 x = v8_set(g[0]), y = v8_set(g[1]), z = v8_set(g[2]), least = v8_set(INFINITY);
  for (int c = 0; c < 3; ++c) least = v8_min(least, v8_dot(s->b[c].x, x, s->b[c].y, y, s->b[c].z, z));
  v8 apart = v8_mul(v8_sub(least, v8_set(most + s->error)), v8_set(FLOAT_LESS));
  return v8m_bits(v8_lt(v8_set(d->reach), apart));
}

static KERNEL_INLINE point8 point8_of(const float p[3]) { return (point8){v8_set(p[0]), v8_set(p[1]), v8_set(p[2])}; }

static KERNEL_INLINE v8 dot8(point8 p, point8 q) { return v8_dot(p.x, q.x, p.y, q.y, p.z, q.z); }

/* The triangles' corners that reach furthest towards each other in direction g, as a difference
 * b - a, and how far g.(b - a). */
static KERNEL_INLINE point8 support(const seen *s, point8 g, v8 *along)
{
  point8 a = point8_of(s->a[0]), b = s->b[0];
  v8 most = v8_set(0), least = dot8(g, b);
  for (int c = 1; c < 3; ++c) {
    point8 p = point8_of(s->a[c]);
    v8 x = dot8(g, p), y = dot8(g, s->b[c]);
    a = point8_select(v8_lt(most, x), p, a);
    b = point8_select(v8_lt(y, least), s->b[c], b);
    most = v8_max(x, most);
    least = v8_min(y, least);
  }
  *along = v8_sub(least, most);
  return (point8){v8_sub(b.x, a.x), v8_sub(b.y, a.y), v8_sub(b.z, a.z)};
}

/* Lanes that some direction of their own proves to be too far: E. G. Gilbert, An Iterative
 * Procedure for Computing the Minimum of a Quadratic Form on a Convex Set, 1966. g is always a
 * difference of two points of the triangles, and each step moves it towards the corners that
 * reach furthest against it. */
static KERNEL_INLINE unsigned lanes_beyond(const distance_walk *d, const seen *s, unsigned lanes)
{
  enum { STEPS = 4, GATHER_STEPS = 1 }; /* measuring four pairs costs less than three steps */
  v8 third = v8_set(1 / 3.0f), cut = v8_set(d->cut), zero = v8_set(0), one = v8_set(1);
  point8 g = {v8_mul(v8_sub(v8_add(s->b[0].x, v8_add(s->b[1].x, s->b[2].x)), v8_set(s->a[1][0] + s->a[2][0])), third),
              v8_mul(v8_sub(v8_add(s->b[0].y, v8_add(s->b[1].y, s->b[2].y)), v8_set(s->a[1][1] + s->a[2][1])), third),
              v8_mul(v8_sub(v8_add(s->b[0].z, v8_add(s->b[1].z, s->b[2].z)), v8_set(s->a[1][2] + s->a[2][2])), third)};
  unsigned beyond = 0;
  const int last = (d->plan->gather ? GATHER_STEPS : STEPS) - 1;
  for (int step = 0;; ++step) {
    v8 along;
    point8 w = support(s, g, &along);
    v8 gg = dot8(g, g), sum = v8_add(v8_abs(g.x), v8_add(v8_abs(g.y), v8_abs(g.z)));
    v8 sure = v8_max(v8_sub(along, v8_mul(v8_set(s->error), sum)), zero);
    v8 square = v8_sub(v8_mul(v8_mul(sure, sure), v8_set(SQUARE_LESS)), v8_set(FLOAT_LOST));
    beyond |= v8m_bits(v8m_and(v8_lt(v8_mul(cut, gg), square), v8_lt(square, v8_set(INFINITY))));
    if (!(lanes & ~beyond) || step == last) break;
    point8 e = {v8_sub(w.x, g.x), v8_sub(w.y, g.y), v8_sub(w.z, g.z)};
    /* 0 / 0: not a number, and g is of no use from here on */
    v8 t = v8_div(v8_sub(zero, dot8(g, e)), dot8(e, e));
    t = v8_min(v8_max(t, zero), one);
    g = (point8){v8_add(g.x, v8_mul(t, e.x)), v8_add(g.y, v8_mul(t, e.y)), v8_add(g.z, v8_mul(t, e.z))};
  }
  return beyond;
}

/* The planes of a leaf's triangles, for another leaf: see lanes_off_planes(). */
typedef struct leaf_planes {
  float limit[8], cut[8]; /* error of a place, and the cut times |N|^2 */
} __attribute__((aligned(32))) leaf_planes;

/* Lanes that a plane proves to be too far: that of a's triangle i, or their own. With N the
 * normal and at_c = N.(v_c - p) the places of the other's corners, all of one sign, the
 * triangles are at least min |at_c| / |N| apart. The places are right to alpha D + area delta
 * (leaves.inl), D bounding all differences of coordinates. The computed n is off by at most
 * alpha along each axis, so |N| <= |n| + 2 alpha, and (x + y)^2 <= x^2 (1 + 2^-8) + y^2 (1 +
 * 2^8). */
static KERNEL_INLINE void planes_measure(const distance_walk *d, const opened_leaf *o, float size, float delta,
                                         leaf_planes *out)
{
  v8 x = v8_load(o->normal[0]), y = v8_load(o->normal[1]), z = v8_load(o->normal[2]), alpha = v8_load(o->alpha);
  v8 square = v8_dot(x, x, y, y, z, z), off = v8_mul(v8_mul(alpha, alpha), v8_set(4 * 258));
  v8 limit = v8_add(v8_mul(alpha, v8_set(size)), v8_mul(v8_load(o->area), v8_set(delta)));
  v8_store(out->cut, v8_mul(v8_add(v8_mul(square, v8_set(1 + 0x1p-7f)), off), v8_set(d->cut)));
  v8_store(out->limit, v8_add(limit, v8_set(UNDERFLOW_ERROR)));
}

static KERNEL_INLINE unsigned plane_is_far(v8 limit, v8 cut, const v8 at[3])
{
  v8 zero = v8_set(0), least = v8_min(at[0], v8_min(at[1], at[2])), most = v8_max(at[0], v8_max(at[1], at[2]));
  v8 sure = v8_max(v8_sub(v8_max(least, v8_sub(zero, most)), limit), zero);
  v8 square = v8_sub(v8_mul(v8_mul(sure, sure), v8_set(SQUARE_LESS)), v8_set(FLOAT_LOST));
  return v8m_bits(v8m_and(v8_lt(cut, square), v8_lt(square, v8_set(INFINITY))));
}

static KERNEL_INLINE unsigned lanes_off_planes(const opened_leaf *a, int i, const opened_leaf *b, const seen *s,
                                               const leaf_planes *of_a, const leaf_planes *of_b)
{
  v8 at[3], x = v8_set(a->normal[0][i]), y = v8_set(a->normal[1][i]), z = v8_set(a->normal[2][i]);
  for (int c = 0; c < 3; ++c) at[c] = v8_dot(s->b[c].x, x, s->b[c].y, y, s->b[c].z, z);
  unsigned far = plane_is_far(v8_set(of_a->limit[i]), v8_set(of_a->cut[i]), at);
  x = v8_load(b->normal[0]);
  y = v8_load(b->normal[1]);
  z = v8_load(b->normal[2]);
  /* all are seen from a's first corner, which is 0 */
  v8 own = v8_dot(s->b[0].x, x, s->b[0].y, y, s->b[0].z, z);
  at[0] = v8_sub(v8_set(0), own);
  for (int c = 1; c < 3; ++c) {
    const float *v = s->a[c];
    at[c] = v8_sub(v8_dot(v8_set(v[0]), x, v8_set(v[1]), y, v8_set(v[2]), z), own);
  }
  v8 limit = v8_load(of_b->limit);
  return far | plane_is_far(v8_add(limit, limit), v8_load(of_b->cut), at); /* two places */
}

/* Once a touching pair is known, only touching pairs with lesser indices are of interest. */
static inline bool seeks_lesser(const distance_walk *d) { return d->found && d->best.distance == 0; }

static unsigned lesser_lanes(const distance_walk *d, uint32_t a, const opened_leaf *b, unsigned candidates)
{
  const walk *w = d->walk;
  const uint32_t id = w->plan->side[0]->tree->prims.tri_id[a];
  const uint32_t end = id < d->id.a ? UINT32_MAX : id > d->id.a ? 0 : d->id.b;
  unsigned kept = 0;
  for (unsigned m = end ? candidates : 0; m; m &= m - 1) {
    int j = __builtin_ctz(m);
    if (w->plan->side[1]->tree->prims.tri_id[b->first + (uint32_t)j] < end) kept |= 1u << j;
  }
  return kept;
}

static inline uint32_t least_id(const tree *t, uint32_t leaf)
{
  uint32_t least = UINT32_MAX;
  for (uint32_t i = t->prims.tri_first[leaf]; i < t->prims.tri_end[leaf]; ++i)
    least = t->prims.tri_id[i] < least ? t->prims.tri_id[i] : least;
  return least;
}

static bool has_lesser(const distance_walk *d, uint32_t leaf_a, uint32_t leaf_b)
{
  uint32_t a = least_id(d->walk->plan->side[0]->tree, leaf_a);
  if (d->plan->rings) return a <= d->id.a || least_id(d->walk->plan->side[1]->tree, leaf_b) <= d->id.a;
  return a < d->id.a || (a == d->id.a && least_id(d->walk->plan->side[1]->tree, leaf_b) < d->id.b);
}

/* A triangle of one body, lanes of the other's leaf; turned: the triangle is of b. */
static unsigned lanes_filtered(const distance_walk *d, uint32_t triangle, const opened_leaf *lanes, unsigned candidates,
                               bool turned)
{
  unsigned kept = 0;
  for (unsigned m = candidates; m; m &= m - 1) {
    uint32_t other = lanes->first + (uint32_t)__builtin_ctz(m);
    pl_pair pair = turned ? pair_of(d, other, triangle) : pair_of(d, triangle, other);
    if (d->walk->plan->filter(d->walk->plan->filter_user, pair)) kept |= m & -m;
  }
  return kept;
}

/* Triangle i of a against b's. Not inlined: registers then last for the loop around it, and the
 * search takes 3 % less time. */
static __attribute__((noinline)) void distance_triangle(distance_walk *d, const walk_plan *plan, const opened_leaf *a,
                                                        int i, const opened_leaf *b, const leaf_planes planes[2],
                                                        float error)
{
  walk *w = d->walk;
  float bound[8];
  v8 bounds = triangle_bounds(b, a, i);
  v8_store(bound, bounds);
  unsigned m = v8m_bits(v8_le(bounds, v8_set(d->cut))) & ((1u << b->count) - 1);
  if (d->plan->rings)
    m = distance_self(d, a->first + (uint32_t)i, b, m & self_later(a, i, b), seeks_lesser(d));
  else if (seeks_lesser(d))
    m = lesser_lanes(d, a->first + (uint32_t)i, b, m);
  if (plan->filter && m && !d->plan->rings) m = lanes_filtered(d, a->first + (uint32_t)i, b, m, false);
  if (m && !plan->irregular) {
    seen s = see(a, i, b, error);
    m &= ~lanes_ahead(d, &s);
    if (m) m &= ~lanes_off_planes(a, i, b, &s, &planes[0], &planes[1]);
    if (m) m &= ~lanes_beyond(d, &s, m);
  }
  w->n_p += (uint64_t)__builtin_popcount(m);
  for (; m && !w->stopped; m &= m - 1) {
    int j = __builtin_ctz(m);
    if (bound[j] <= d->cut) measure(d, a->first + (uint32_t)i, b->first + (uint32_t)j);
  }
}

/* gather: triangle i of x, by lanes of y; turned: x is of b. */
static void near_triangle(distance_walk *d, const opened_leaf *x, int i, const opened_leaf *y, const leaf_planes *of_x,
                          const leaf_planes *of_y, float error, bool turned)
{
  const walk_plan *plan = d->walk->plan;
  unsigned m = v8m_bits(v8_le(triangle_bounds(y, x, i), v8_set(d->cut))) & ((1u << y->count) - 1);
  if (d->plan->rings) m &= self_later(x, i, y);
  if (m && !plan->irregular) {
    seen s = see(x, i, y, error);
    m &= ~lanes_off_planes(x, i, y, &s, of_x, of_y);
    if (m) m &= ~lanes_beyond(d, &s, m);
  }
  uint32_t of = x->first + (uint32_t)i;
  if (d->plan->rings) {
    near_self(d, of, y, m);
    return;
  }
  if (plan->filter && m) m = lanes_filtered(d, of, y, m, turned);
  d->walk->n_p += (uint64_t)__builtin_popcount(m);
  for (; m && !d->walk->stopped; m &= m - 1) {
    uint32_t other = y->first + (uint32_t)__builtin_ctz(m);
    near_put(d, turned ? other : of, turned ? of : other);
  }
}

/* The triangles of one leaf, each by the lanes of the other: of the leaf that has fewer of them
 * near the other's box. */
static void near_leaves(distance_walk *d, const opened_leaf *a, const opened_leaf *b, float size, float delta)
{
  v8 cut = v8_set(d->cut);
  unsigned of_a = v8m_bits(v8_le(leaf_bounds(a, b->box.lower, b->box.upper), cut)) & ((1u << a->count) - 1);
  unsigned of_b = v8m_bits(v8_le(leaf_bounds(b, a->box.lower, a->box.upper), cut)) & ((1u << b->count) - 1);
  if (!of_a || !of_b) return;
  bool turned = __builtin_popcount(of_b) < __builtin_popcount(of_a);
  const opened_leaf *x = turned ? b : a, *y = turned ? a : b;
  leaf_planes of_x, of_y;
  float error = 32 * UNIT * size + 8 * delta + 0x1p-110f;
  planes_measure(d, x, size, delta, &of_x);
  planes_measure(d, y, size, delta, &of_y);
  for (unsigned m = turned ? of_b : of_a; m && !d->walk->stopped; m &= m - 1)
    near_triangle(d, x, __builtin_ctz(m), y, &of_x, &of_y, error, turned);
}

static void distance_leaves(distance_walk *d, uint32_t leaf_a, uint32_t leaf_b)
{
  walk *w = d->walk;
  if (seeks_lesser(d) && !has_lesser(d, leaf_a, leaf_b)) return;
  const opened_leaf *a = open_leaf(w, 0, leaf_a), *b = open_leaf(w, 1, leaf_b);
  float delta = a->delta > b->delta ? a->delta : b->delta;
  float size = span(a, b, delta);
  if (d->plan->gather) {
    near_leaves(d, a, b, size, delta);
    return;
  }
  unsigned m = v8m_bits(v8_le(leaf_bounds(a, b->box.lower, b->box.upper), v8_set(d->cut))) & ((1u << a->count) - 1);
  if (!m) return;
  leaf_planes planes[2];
  float error = 32 * UNIT * size + 8 * delta + 0x1p-110f;
  planes_measure(d, a, size, delta, &planes[0]);
  planes_measure(d, b, size, delta, &planes[1]);
  for (; m && !w->stopped; m &= m - 1) distance_triangle(d, w->plan, a, __builtin_ctz(m), b, planes, error);
}

/* The leaf pairs that a walk over patches has gathered; nothing waits afterwards. */
static void distance_patch_leaves(walk *w)
{
  distance_walk *d = w->distance;
  for (uint32_t i = 0; i < w->leaf_pair_count && !w->stopped; ++i)
    distance_leaves(d, (uint32_t)w->leaf_pairs[i].a, (uint32_t)w->leaf_pairs[i].b);
  w->leaf_pair_count = 0;
  if (d->plan->gather) near_finish(d);
}

/* Sorted by falling bound, equal ones in their order from the top: small, and nearly all are far
 * or few. */
static void nearest_last(distance_item *items, int n)
{
  for (int i = 1; i < n; ++i) {
    distance_item x = items[i];
    int k = i;
    for (; k > 0 && items[k - 1].bound < x.bound; --k) items[k] = items[k - 1];
    items[k] = x;
  }
}

#endif
