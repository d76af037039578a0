/* The proof by regions of approach_exact.c: each two parts of the features between which the
 * distance may be attained are far, or project outside of each other, on a whole part of time.
 * Polynomials of it in Bernstein form: if no coefficient is negative, the polynomial is not. */
#include "exact/approach_exact.h"

/* The sum of c[i] (1 - t)^(degree - i) t^i, t from the beginning of the part to its end. */
typedef struct form {
  int degree;
  whole c[7];
} form;

/* The same polynomial in a higher degree: times (1 - t) + t. */
static form raised(const approach *s, const form *x, int degree)
{
  form r = *x;
  for (; r.degree < degree; ++r.degree)
    for (int i = r.degree + 1; i > 0; --i) r.c[i] = i > r.degree ? r.c[i - 1] : add(s, r.c[i], r.c[i - 1]);
  return r;
}

static form minus(const approach *s, const form *x, const form *y)
{
  form r = {.degree = x->degree};
  for (int i = 0; i <= x->degree; ++i) r.c[i] = sub(s, x->c[i], y->c[i]);
  return r;
}

/* The coefficient of degree i of x y, or of its negative, added to another number. */
static whole add_product(const approach *s, whole to, const form *x, const form *y, int i, bool negative)
{
  for (int k = 0; k <= i; ++k) {
    if (k > x->degree || i - k > y->degree) continue;
    whole product = mul(s, x->c[k], y->c[i - k]);
    to = add(s, to, negative ? whole_negative(product) : product);
  }
  return to;
}

static form times(const approach *s, const form *x, const form *y)
{
  form r = {.degree = x->degree + y->degree};
  for (int i = 0; i <= r.degree; ++i) {
    int mark = whole_mark(s->pool);
    r.c[i] = whole_settle(s->pool, mark, add_product(s, r.c[i], x, y, i, false));
  }
  return r;
}

static form dot_of(const approach *s, const form a[3], const form b[3])
{
  form r = {.degree = a[0].degree + b[0].degree};
  for (int i = 0; i <= r.degree; ++i) {
    int mark = whole_mark(s->pool);
    for (int k = 0; k < 3; ++k) r.c[i] = add_product(s, r.c[i], &a[k], &b[k], i, false);
    r.c[i] = whole_settle(s->pool, mark, r.c[i]);
  }
  return r;
}

static void cross_of(const approach *s, const form a[3], const form b[3], form out[3])
{
  for (int k = 0; k < 3; ++k) {
    const int u = (k + 1) % 3, v = (k + 2) % 3;
    out[k] = (form){.degree = a[0].degree + b[0].degree};
    for (int i = 0; i <= out[k].degree; ++i) {
      int mark = whole_mark(s->pool);
      whole c = add_product(s, out[k].c[i], &a[u], &b[v], i, false);
      out[k].c[i] = whole_settle(s->pool, mark, add_product(s, c, &a[v], &b[u], i, true));
    }
  }
}

static void motion_of(const approach *s, int to, int from, form out[3])
{
  for (int k = 0; k < 3; ++k) {
    out[k] = (form){.degree = 1};
    for (int i = 0; i < 2; ++i) out[k].c[i] = sub(s, s->at[to][i].x[k], s->at[from][i].x[k]);
  }
}

/* No coefficient has the other sign: x is not negative, or not positive, on the whole part. */
static bool is_never(const form *x, int sign)
{
  for (int i = 0; i <= x->degree; ++i)
    if (x->c[i].sign == sign) return false;
  return true;
}

/* Returns whether x^2 >= d^2 y^2 at all times, given the squares, y^2 with the lower degree. */
static bool is_far(const approach *s, const form *x_squared, const form *y_squared)
{
  form y = raised(s, y_squared, x_squared->degree);
  for (int i = 0; i <= y.degree; ++i)
    if (approach_against(s, x_squared->c[i], s->near, y.c[i]) < 0) return false;
  return true;
}

static bool points_are_far(const approach *s, int p, int q)
{
  form w[3], one = {.degree = 0, .c = {whole_power_of_two(s->pool, 0)}};
  motion_of(s, p, q, w);
  form square = dot_of(s, w, w);
  return is_far(s, &square, &one);
}

/* A point and an edge. */
static bool edge_is_far(const approach *s, int p, int q, int r)
{
  form w[3], e[3], c[3];
  motion_of(s, p, q, w);
  motion_of(s, r, q, e);
  form along = dot_of(s, w, e), length = dot_of(s, e, e), beyond = minus(s, &along, &length);
  if (is_never(&along, 1) || is_never(&beyond, -1)) return true;
  cross_of(s, w, e, c);
  form area = dot_of(s, c, c);
  return is_far(s, &area, &length);
}

/* Is the point never inside of an edge of the face, or the nearest point of the lines never
 * inside of an edge? */
static bool is_outside(const approach *s, const form normal[3], const form *square)
{
  const bool edges = s->kind == CROSSING_EDGE_EDGE;
  for (int i = 0; i < (edges ? 2 : 3); ++i) {
    int mark = whole_mark(s->pool);
    form e[3], w[3], c[3];
    if (edges) {
      motion_of(s, i ? 1 : 3, i ? 0 : 2, e);
      motion_of(s, 2, 0, w);
      cross_of(s, w, e, c);
    } else {
      motion_of(s, i < 2 ? i + 2 : 1, i + 1, e);
      motion_of(s, 0, i + 1, w);
      cross_of(s, e, w, c);
    }
    form side = dot_of(s, c, normal), beyond = minus(s, &side, square); /* both of degree 4 */
    if (is_never(&side, 1) || (edges && is_never(&beyond, -1))) return true;
    whole_release(s->pool, mark);
  }
  return false;
}

/* A vertex and the inside of a face, or the insides of two edges. */
static bool insides_are_far(const approach *s)
{
  const bool edges = s->kind == CROSSING_EDGE_EDGE;
  form e1[3], e2[3], d[3], normal[3];
  motion_of(s, edges ? 1 : 2, edges ? 0 : 1, e1);
  motion_of(s, 3, edges ? 2 : 1, e2);
  motion_of(s, edges ? 2 : 0, edges ? 0 : 1, d);
  cross_of(s, e1, e2, normal);
  form square = dot_of(s, normal, normal), f = dot_of(s, d, normal);
  if (is_never(&f, 1) || is_never(&f, -1)) {
    int mark = whole_mark(s->pool);
    form f_squared = times(s, &f, &f);
    if (is_far(s, &f_squared, &square)) return true;
    whole_release(s->pool, mark);
  }
  return is_outside(s, normal, &square);
}

bool approach_by_regions(const approach *s)
{
  bool far = true;
  for (int i = APPROACH_PAIRS - 1; i >= 0 && far; --i) {
    const nearest_pair *pair = &approach_pairs[s->kind][i];
    int mark = whole_mark(s->pool);
    if (pair->p < 0) continue;
    far = pair->q < 0   ? insides_are_far(s)
          : pair->r < 0 ? points_are_far(s, pair->p, pair->q)
                        : edge_is_far(s, pair->p, pair->q, pair->r);
    whole_release(s->pool, mark);
  }
  return far;
}
