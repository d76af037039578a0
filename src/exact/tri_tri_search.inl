/* Which features of two triangles seem to be nearest: the least of the 9 pairs of edges, clamped
 * to their ends, and of one corner above each face. In plain double, so only roughly correct.
 * Included where `num` is defined: one number or lanes, without branches, so that both give the
 * same bits. */
#ifndef EXACT_TRI_TRI_SEARCH_INL
#define EXACT_TRI_TRI_SEARCH_INL

#include "exact/num3.inl"

typedef struct num_triangle {
  num3 corner[3], edge[3]; /* edge i goes from corner i to corner i + 1 */
} num_triangle;

/* What was found. code: 0..8 edges i and j (3 i + j), 9..11 a's face and corner code - 9 of b,
 * 12..14 b's face and corner code - 12 of a. at: parts of the edges, or of the face's vectors to
 * its second and third corner. */
typedef struct num_nearest {
  num square, code, at[2];
} num_nearest;

static inline num num_clamp(num t) /* NaN stays */
{
  num zero = num_set(0), one = num_set(1);
  return num_select(num_lt(t, zero), zero, num_select(num_lt(one, t), one, t));
}

static inline num_triangle num_triangle_of(const num3 corner[3])
{
  return (num_triangle){
      {corner[0], corner[1], corner[2]},
      {num3_sub(corner[1], corner[0]), num3_sub(corner[2], corner[1]), num3_sub(corner[0], corner[2])}};
}

/* An edge: its start, its way, the square of its length, and 1 / that; 0 where it has no length. */
typedef struct num_edge {
  num3 at, way;
  num square, inverse;
} num_edge;

static inline num_edge num_edge_of(const num_triangle *t, int i)
{
  num square = num3_dot(t->edge[i], t->edge[i]), zero = num_set(0);
  return (num_edge){t->corner[i], t->edge[i], square,
                    num_select(num_lt(zero, square), num_div(num_set(1), square), zero)};
}

/* Nearest points of the segments p + s u and q + w v: C. Ericson, Real-Time Collision Detection,
 * 5.1.9, with determinants instead of differences of products where lines are nearly parallel.
 * Returns the square of their distance. */
static inline num num_edges(const num_edge *a, const num_edge *b, num *s_out, num *w_out)
{
  num3 u = a->way, v = b->way;
  num zero = num_set(0), one = num_set(1);
  num3 r = num3_sub(a->at, b->at), n = num3_cross(u, v);
  num uv = num3_dot(u, v), ur = num3_dot(u, r), vr = num3_dot(v, r), nn = num3_dot(n, n);
  num s = num_select(num_lt(zero, nn), num_clamp(num_div(num3_dot(n, num3_cross(v, r)), nn)), zero);
  num w = num_mul(num_add(num_mul(uv, s), vr), b->inverse);
  num_mask above = num_lt(zero, w), inside = num_and(above, num_lt(w, one));
  num end = num_mul(num_select(above, num_sub(uv, ur), num_sub(zero, ur)), a->inverse);
  s = num_select(inside, s, num_clamp(end));
  w = num_select(inside, w, num_select(above, one, zero));
  num3 d = {num_sub(num_add(r.x, num_mul(s, u.x)), num_mul(w, v.x)),
            num_sub(num_add(r.y, num_mul(s, u.y)), num_mul(w, v.y)),
            num_sub(num_add(r.z, num_mul(s, u.z)), num_mul(w, v.z))};
  *s_out = s;
  *w_out = w;
  return num3_dot(d, d);
}

/* The nearest corner of the other triangle to t's face, if all are on one side of it and it lies
 * above the face. code: of the other's first corner. */
static inline void num_face(const num_triangle *t, const num3 other[3], num code, num_nearest *best)
{
  num zero = num_set(0);
  num3 n = num3_cross(t->edge[0], t->edge[1]);
  num nn = num3_dot(n, n), h[3];
  for (int i = 0; i < 3; ++i) h[i] = num3_dot(n, num3_sub(other[i], t->corner[0]));
  num_mask up = num_and(num_lt(zero, h[0]), num_and(num_lt(zero, h[1]), num_lt(zero, h[2])));
  num_mask down = num_and(num_lt(h[0], zero), num_and(num_lt(h[1], zero), num_lt(h[2], zero)));
  num_mask second = num_lt(num_abs(h[1]), num_abs(h[0]));
  num height = num_select(second, h[1], h[0]), which = num_select(second, num_add(code, num_set(1)), code);
  num3 corner = num3_select(second, other[1], other[0]);
  num_mask third = num_lt(num_abs(h[2]), num_abs(height));
  height = num_select(third, h[2], height);
  which = num_select(third, num_add(code, num_set(2)), which);
  corner = num3_select(third, other[2], corner);
  num square = num_div(num_mul(height, height), nn), part[3];
  num_mask good = num_and(num_and(num_lt(zero, nn), num_or(up, down)), num_lt(square, best->square));
  for (int k = 0; k < 3; ++k) {
    part[k] = num3_dot(n, num3_cross(t->edge[k], num3_sub(corner, t->corner[k])));
    good = num_and(good, num_le(zero, part[k]));
  }
  best->square = num_select(good, square, best->square);
  best->code = num_select(good, which, best->code);
  best->at[0] = num_select(good, num_div(part[2], nn), best->at[0]);
  best->at[1] = num_select(good, num_div(part[0], nn), best->at[1]);
}

/* Edge i of a and edge j of b, if they are nearer than *best. */
static inline void num_try_edges(const num_edge *a, int i, const num_edge *b, int j, num_nearest *best)
{
  num s, w, square = num_edges(a, b, &s, &w);
  num_mask less = num_lt(square, best->square);
  best->square = num_select(less, square, best->square);
  best->code = num_select(less, num_set(3 * i + j), best->code);
  best->at[0] = num_select(less, s, best->at[0]);
  best->at[1] = num_select(less, w, best->at[1]);
}

static inline num_nearest num_search(const num_triangle *a, const num_triangle *b)
{
  num_nearest best = {num_set(INFINITY), num_set(0), {num_set(0), num_set(0)}};
  const num_edge of_b[3] = {num_edge_of(b, 0), num_edge_of(b, 1), num_edge_of(b, 2)};
  for (int i = 0; i < 3; ++i) {
    num_edge of_a = num_edge_of(a, i);
    for (int j = 0; j < 3; ++j) num_try_edges(&of_a, i, &of_b[j], j, &best);
  }
  num_face(a, b->corner, num_set(9), &best);
  num_face(b, a->corner, num_set(12), &best);
  return best;
}

/* The same where a is a vertex, its three corners equal. */
static inline num_nearest num_search_vertex(const num_triangle *a, const num_triangle *b)
{
  num_nearest best = {num_set(INFINITY), num_set(0), {num_set(0), num_set(0)}};
  num_edge of_a = num_edge_of(a, 0);
  for (int j = 0; j < 3; ++j) {
    num_edge of_b = num_edge_of(b, j);
    num_try_edges(&of_a, 0, &of_b, j, &best);
  }
  num_face(b, a->corner, num_set(12), &best);
  return best;
}

/* The same where both are edges, their second and third corners equal. */
static inline num_nearest num_search_edge(const num_triangle *a, const num_triangle *b)
{
  num_nearest best = {num_set(INFINITY), num_set(0), {num_set(0), num_set(0)}};
  num_edge of_a = num_edge_of(a, 0), of_b = num_edge_of(b, 0);
  num_try_edges(&of_a, 0, &of_b, 0, &best);
  return best;
}

#endif
