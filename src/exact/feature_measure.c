/* The search and its proof are those of feature_distance.c. Weights are then solved for again in
 * double-double: the derivative of a distance is its weights times the normal, and edges that are
 * nearly parallel lose twice the digits of their angle. */
#include "exact/feature_measure.h"

#include "exact/double_double_vec.h"
#include "pliant/near.h"

#include <math.h>
#include <string.h>

/* ----------------------------------------------------------------------------------- weights -- */

/* a / b, rounded; the second digit counts where both cancel. */
static double quotient(dd a, dd b)
{
  const double q = a.high / b.high;
  const dd rest = dd_sub(a, dd_scale(b, q));
  return q + rest.high / b.high;
}

/* The corners of a feature that weigh something. */
static int corners_in(const double weight[3], int of[3])
{
  int n = 0;
  for (int i = 0; i < 3; ++i)
    if (weight[i] > 0) of[n++] = i;
  return n;
}

static bool is_part(double x) { return x > 0 && x < 1; }

/* The part of the way from p to q at which it is nearest to v. */
static bool solve_one(const double v[3], const double p[3], const double q[3], double *at)
{
  const vec2 way = minus2(q, p), from = minus2(v, p);
  *at = quotient(dot2(&from, &way), dot2(&way, &way));
  return is_part(*at);
}

/* Least |d + x X + y Y|. */
static bool solve_two(const vec2 *d, const vec2 *x, const vec2 *y, double at[2])
{
  const vec2 n = cross2(x, y), dy = cross2(d, y), xd = cross2(x, d);
  const dd nn = dot2(&n, &n);
  at[0] = -quotient(dot2(&n, &dy), nn);
  at[1] = -quotient(dot2(&n, &xd), nn);
  return is_part(at[0]) && is_part(at[1]);
}

/* A vertex above a face. */
static void refine_face(const double v[3], const double f[3][3], double weight[3])
{
  const vec2 d = minus2(f[0], v), x = minus2(f[1], f[0]), y = minus2(f[2], f[0]);
  double at[2];
  if (!solve_two(&d, &x, &y, at) || !is_part(at[0] + at[1])) return;
  weight[0] = 1 - at[0] - at[1];
  weight[1] = at[0];
  weight[2] = at[1];
}

static void refine_edge(const double v[3], const double e[3][3], const int of[3], double weight[3])
{
  double at;
  if (!solve_one(v, e[of[0]], e[of[1]], &at)) return;
  weight[of[0]] = 1 - at;
  weight[of[1]] = at;
}

static void refine_edges(const feature *a, const feature *b, const int in_a[3], const int in_b[3], nearest_detail *out)
{
  const double *p = a->corner[in_a[0]], *q = b->corner[in_b[0]];
  const vec2 d = minus2(p, q), x = minus2(a->corner[in_a[1]], p), y = minus2(q, b->corner[in_b[1]]);
  double at[2];
  if (!solve_two(&d, &x, &y, at)) return;
  out->weight_a[in_a[0]] = 1 - at[0];
  out->weight_a[in_a[1]] = at[0];
  out->weight_b[in_b[0]] = 1 - at[1];
  out->weight_b[in_b[1]] = at[1];
}

/* Numbers whose products stay in range keep the corners that weigh something and get better
 * weights; others keep those of the proof. */
static void refine(const feature *a, const feature *b, nearest_detail *out)
{
  int in_a[3], in_b[3];
  const int n = corners_in(out->weight_a, in_a), m = corners_in(out->weight_b, in_b);
  if (n == 1 && m == 3) refine_face(a->corner[in_a[0]], b->corner, out->weight_b);
  if (n == 3 && m == 1) refine_face(b->corner[in_b[0]], a->corner, out->weight_a);
  if (n == 1 && m == 2) refine_edge(a->corner[in_a[0]], b->corner, in_b, out->weight_b);
  if (n == 2 && m == 1) refine_edge(b->corner[in_b[0]], a->corner, in_a, out->weight_a);
  if (n == 2 && m == 2) refine_edges(a, b, in_a, in_b, out);
}

/* ---------------------------------------------------------------------------------- distance -- */

/* Two vertices need no search: of rounded differences, scaled so that no square overflows. */
static double vertices(const double p[3], const double q[3], nearest_detail *out)
{
  double d[3], most = 0, square = 0;
  int exponent = 0, shift = 0;
  *out = (nearest_detail){{1, 0, 0}, {1, 0, 0}, {0, 0, 0}};
  for (int k = 0; k < 3; ++k) shift |= !isfinite(p[k] - q[k]); /* then all are large: halves are exact enough */
  for (int k = 0; k < 3; ++k) {
    d[k] = shift ? p[k] / 2 - q[k] / 2 : p[k] - q[k];
    most = fmax(most, fabs(d[k]));
  }
  if (!(most > 0)) return 0;
  frexp(most, &exponent);
  for (int k = 0; k < 3; ++k) {
    d[k] = ldexp(d[k], -exponent);
    square += d[k] * d[k];
  }
  for (int k = 0; k < 3; ++k) out->normal[k] = d[k] / sqrt(square);
  return ldexp(sqrt(square), exponent + shift);
}

static double measure_big(const feature *a, const feature *b, nearest_detail *out)
{
  closest c;
  *out = (nearest_detail){{1, 0, 0}, {1, 0, 0}, {0, 0, 0}};
  nearest_detail_big(a->corner, b->corner, &c, out);
  return c.distance;
}

static double measure(const feature *a, const feature *b, nearest_detail *out)
{
  double distance;
  if (a->corners == 1 && b->corners == 1) return vertices(a->corner[0], b->corner[0], out);
  if (a->corners == 2 && b->corners == 2)
    edge_edge_distance(a->corner, b->corner, INFINITY, &distance, out);
  else
    vertex_face_distance(a->corner[0], b->corner, INFINITY, &distance, out);
  return distance;
}

void feature_refine(const feature *a, const feature *b, double distance, nearest_detail *out)
{
  feature_fold(out->weight_a, a->corners);
  feature_fold(out->weight_b, b->corners);
  if (distance > 0) refine(a, b, out);
}

void feature_turn(nearest_detail *out)
{
  double weight[3];
  memcpy(weight, out->weight_a, sizeof weight);
  memcpy(out->weight_a, out->weight_b, sizeof weight);
  memcpy(out->weight_b, weight, sizeof weight);
  for (int k = 0; k < 3; ++k) out->normal[k] = 0 - out->normal[k];
}

double feature_measure(const feature *a, const feature *b, bool big, nearest_detail *out)
{
  const bool turned = a->corners > b->corners;
  const feature *p = turned ? b : a, *q = turned ? a : b;
  double distance = measure(p, q, out);
  if (big && distance > 0) distance = measure_big(p, q, out);
  feature_refine(p, q, big ? 0 : distance, out);
  if (turned) feature_turn(out);
  return distance;
}

/* --------------------------------------------------------------------------- single features -- */

static feature feature_of(const double (*points)[3], int corners)
{
  feature f = {.corners = corners};
  for (int i = 0; i < 3; ++i) memcpy(f.corner[i], points[i < corners ? i : corners - 1], sizeof f.corner[i]);
  return f;
}

static double distance_of(const double (*points)[3], int of_a, int of_b, double (*gradient)[3])
{
  const feature a = feature_of(points, of_a), b = feature_of(points + of_a, of_b);
  nearest_detail d;
  const double distance = feature_measure(&a, &b, false, &d);
  for (int i = 0; gradient && i < of_a + of_b; ++i)
    for (int k = 0; k < 3; ++k)
      gradient[i][k] = i < of_a ? d.weight_a[i] * d.normal[k] : 0 - d.weight_b[i - of_a] * d.normal[k];
  return distance;
}

double pl_vertex_vertex_distance(const double points[2][3], double gradient[2][3])
{
  return distance_of(points, 1, 1, gradient);
}

double pl_vertex_edge_distance(const double points[3][3], double gradient[3][3])
{
  return distance_of(points, 1, 2, gradient);
}

double pl_vertex_face_distance(const double points[4][3], double gradient[4][3])
{
  return distance_of(points, 1, 3, gradient);
}

double pl_edge_edge_distance(const double points[4][3], double gradient[4][3])
{
  return distance_of(points, 2, 2, gradient);
}
