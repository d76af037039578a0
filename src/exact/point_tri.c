/* Distance of a point and a triangle: the nearest feature is found in double and proven there,
 * by signs with error bounds; its distance is then computed in double-double. What is not proven
 * (points near the border of two features, thin triangles, extreme magnitudes) is left to
 * tri_tri_distance(), for which a point is a triangle without size.
 *
 * Errors. With u = 2^-53 and |x| the greatest component: a difference of coordinates is off by u
 * of itself, a computed x.y by less than 15 u |x||y|, a component of x cross y by less than 8 u
 * |x||y|. 2^-48 |x||y| = 32 u |x||y| is used. A product of two cross products, (x cross y).(x
 * cross z), has three terms of at most 4 |x|^2|y||z|, each off by less than 36 u |x|^2|y||z|;
 * 2^-45 = 256 u is used. A cross product in double-double is off by less than 2^-100 |x||y| for
 * each component: where its greatest component is above 2^-40 |x||y|, its length is right to
 * 2^-58 relative. The distance of an edge is then a quotient of two numbers rounded once, and
 * its root: 2.5 u; that of a face likewise. Cost: about 20 ns for a corner, 200 for an edge or a
 * face. */
#include "exact/point_tri.h"

#include "exact/double_double_vec.h"
#include "exact/predicates.h"
#include "exact/tri_tri.h"
#include "exact/tri_tri_distance.h"

#include <math.h>
#include <string.h>

#define SAFE_LOW 0x1p-100 /* of edges and distances: products of six must not underflow */
#define SAFE_HIGH 0x1p100
#define DOT_ERROR 0x1p-48
#define CROSS_ERROR 0x1p-45
#define LEAST_PART 0x1p-40

typedef struct vec {
  double x[3];
  double most; /* greatest magnitude of a component */
} vec;

static vec minus(const double to[3], const double from[3])
{
  vec r;
  for (int k = 0; k < 3; ++k) r.x[k] = to[k] - from[k];
  r.most = greater_size(fabs(r.x[0]), greater_size(fabs(r.x[1]), fabs(r.x[2])));
  return r;
}

static double dot(const vec *a, const vec *b) { return a->x[0] * b->x[0] + a->x[1] * b->x[1] + a->x[2] * b->x[2]; }

static vec cross(const vec *a, const vec *b)
{
  vec r = {{a->x[1] * b->x[2] - a->x[2] * b->x[1], a->x[2] * b->x[0] - a->x[0] * b->x[2],
            a->x[0] * b->x[1] - a->x[1] * b->x[0]},
           0};
  return r;
}

/* ---------------------------------------------------------------------------------- features -- */

/* A triangle as seen from the point: edge i runs from corner i to corner i + 1. */
typedef struct view {
  const double *point;
  const double (*corner)[3];
  vec edge[3], to[3]; /* to[i] = p - corner i */
} view;

static void set_weights(point_nearest *out, int i, double at_i, int j, double at_j)
{
  double w[3] = {0};
  w[i] = at_i;
  w[j] = at_j;
  out->u = w[1];
  out->v = w[2];
}

/* Corner i is nearest: both edges lead away from the point. */
static bool prove_corner(const view *s, int i, point_nearest *out)
{
  const vec *next = &s->edge[i], *last = &s->edge[i == 0 ? 2 : i - 1], *to = &s->to[i];
  if (!(dot(next, to) <= -DOT_ERROR * next->most * to->most && dot(last, to) >= DOT_ERROR * last->most * to->most))
    return false;
  vec2 w = minus2(s->point, s->corner[i]);
  out->distance = sqrt(dot2(&w, &w).high);
  memcpy(out->at, s->corner[i], sizeof out->at);
  set_weights(out, i, 1, i, 1);
  return true;
}

/* The distance along edge i, which is known to be nearest. */
static bool measure_edge(const view *s, int i, point_nearest *out)
{
  int j = i == 2 ? 0 : i + 1;
  vec2 e = minus2(s->corner[j], s->corner[i]), w = minus2(s->point, s->corner[i]), n = cross2(&e, &w);
  if (!(most2(&n) >= LEAST_PART * s->edge[i].most * s->to[i].most)) return false;
  dd ee = dot2(&e, &e), nn = dot2(&n, &n);
  double part = dot2(&e, &w).high / ee.high;
  out->distance = sqrt(nn.high / ee.high);
  for (int k = 0; k < 3; ++k) out->at[k] = dd_add((dd){s->corner[i][k], 0}, dd_scale(e.x[k], part)).high;
  set_weights(out, i, 1 - part, j, part);
  return true;
}

static bool measure_face(const view *s, point_nearest *out)
{
  vec2 e = minus2(s->corner[1], s->corner[0]), f = minus2(s->corner[2], s->corner[0]),
       w = minus2(s->point, s->corner[0]), n = cross2(&e, &f);
  double most = most2(&n);
  dd h = dot2(&n, &w), nn = dot2(&n, &n);
  if (!(most >= LEAST_PART * s->edge[0].most * s->edge[2].most && fabs(h.high) >= LEAST_PART * most * s->to[0].most))
    return false;
  vec2 of_u = cross2(&w, &f), of_v = cross2(&e, &w);
  out->distance = fabs(h.high) / sqrt(nn.high);
  out->u = dot2(&n, &of_u).high / nn.high;
  out->v = dot2(&n, &of_v).high / nn.high;
  for (int k = 0; k < 3; ++k) {
    dd step = dd_add(dd_scale(e.x[k], out->u), dd_scale(f.x[k], out->v));
    out->at[k] = dd_add((dd){s->corner[0][k], 0}, step).high;
  }
  return true;
}

/* 1: proven; 0: nothing is. */
static bool prove(const view *s, point_nearest *out)
{
  for (int i = 0; i < 3; ++i) {
    if (!(s->edge[i].most >= SAFE_LOW && s->edge[i].most <= SAFE_HIGH)) return false;
    if (!(s->to[i].most >= SAFE_LOW && s->to[i].most <= SAFE_HIGH)) return false;
  }
  for (int i = 0; i < 3; ++i)
    if (prove_corner(s, i, out)) return true;
  vec n = cross(&s->edge[2], &s->edge[0]); /* the normal: (t0 - t2) x (t1 - t0) */
  double size = s->edge[0].most * s->edge[2].most, inner = 0;
  for (int i = 0; i < 3; ++i) {
    const vec *e = &s->edge[i], *w = &s->to[i], *end = &s->to[i == 2 ? 0 : i + 1];
    vec c = cross(e, w);
    double side = dot(&n, &c), error = CROSS_ERROR * size * e->most * w->most;
    if (side >= error) {
      inner += 1;
      continue;
    }
    /* Outside of edge i, and between its ends: no other feature is nearer. */
    if (side <= -error && dot(e, w) >= DOT_ERROR * e->most * w->most && dot(e, end) <= -DOT_ERROR * e->most * end->most)
      return measure_edge(s, i, out);
  }
  return inner == 3 && measure_face(s, out);
}

static vec scaled(const vec *a, double by) { return (vec){{a->x[0] * by, a->x[1] * by, a->x[2] * by}, a->most * by}; }

/* Weights of a point of the triangle, in double: along the longest edge if the triangle is,
 * about, a segment or a point. */
static void weights_of(const view *s, point_nearest *out)
{
  int i = s->edge[1].most > s->edge[0].most ? 1 : 0;
  i = s->edge[2].most > s->edge[i].most ? 2 : i;
  const int next = i == 2 ? 0 : i + 1, last = i == 0 ? 2 : i - 1;
  double inverse = s->edge[i].most > 0 ? 1 / s->edge[i].most : 0;
  vec from = minus(out->at, s->corner[i]), a = scaled(&s->edge[i], inverse), b = scaled(&s->edge[last], -inverse),
      c = scaled(&from, inverse);
  double aa = dot(&a, &a), bb = dot(&b, &b), ab = dot(&a, &b), ac = dot(&a, &c), bc = dot(&b, &c);
  double den = aa * bb - ab * ab, w[3] = {0};
  bool flat = !(den > 0x1p-40 * aa * bb);
  double along = flat ? ac / aa : (bb * ac - ab * bc) / den, across = flat ? 0 : (aa * bc - ab * ac) / den;
  w[next] = along > 0 ? fmin(along, 1) : 0; /* NaN: 0 */
  w[last] = across > 0 ? fmin(across, 1 - w[next]) : 0;
  w[i] = 1 - w[next] - w[last];
  out->u = w[1];
  out->v = w[2];
}

void point_tri_distance(const double p[3], const double t[3][3], point_nearest *out)
{
  view s = {.point = p, .corner = t};
  for (int i = 0; i < 3; ++i) {
    s.edge[i] = minus(t[i == 2 ? 0 : i + 1], t[i]);
    s.to[i] = minus(p, t[i]);
  }
  if (prove(&s, out)) return;
  const double point[3][3] = {{p[0], p[1], p[2]}, {p[0], p[1], p[2]}, {p[0], p[1], p[2]}};
  closest c;
  tri_tri_distance(point, t, &c);
  out->distance = c.distance;
  memcpy(out->at, c.distance == 0 ? p : c.b, sizeof out->at);
  weights_of(&s, out);
}

/* ------------------------------------------------------------------------ inside and outside -- */

bool point_tri_touch(const double p[3], const double t[3][3])
{
  for (int k = 0; k < 3; ++k) {
    if (p[k] < t[0][k] && p[k] < t[1][k] && p[k] < t[2][k]) return false;
    if (p[k] > t[0][k] && p[k] > t[1][k] && p[k] > t[2][k]) return false;
  }
  const double point[3][3] = {{p[0], p[1], p[2]}, {p[0], p[1], p[2]}, {p[0], p[1], p[2]}};
  return tri_tri_touch(point, t);
}

static int order(double x, double y) { return (x > y) - (x < y); }

/* On which side of a to b the point p' lies, seen along the axis; 0: both are seen as one. */
static int turn(const double a[3], const double b[3], const double p[3], int axis)
{
  int i = (axis + 1) % 3, j = (axis + 2) % 3;
  int s = orient2d_sign(axis, a, b, p);
  if (s) return s;
  s = order(a[j], b[j]); /* (b - a) x (e, e^2) = (b_i - a_i) e^2 - (b_j - a_j) e */
  return s ? s : order(b[i], a[i]);
}

/* On which side of the triangle's plane p' lies; the triangle is proper. */
static int side_of(const double p[3], const double t[3][3], int axis)
{
  int s = orient3d_sign(t[0], t[1], t[2], p);
  for (int k = 1; !s && k <= 3; ++k) s = orient2d_sign((axis + k) % 3, t[0], t[1], t[2]);
  return s;
}

int point_tri_crossing(const double p[3], const double t[3][3], int axis, int way)
{
  for (int k = 0; k < 3; ++k) { /* p' is beyond p along the other axes, which changes nothing here */
    bool low = p[k] < t[0][k] && p[k] < t[1][k] && p[k] < t[2][k];
    bool high = p[k] > t[0][k] && p[k] > t[1][k] && p[k] > t[2][k];
    if (k == axis ? (way > 0 ? high : low) : low || high) return 0;
  }
  int s = turn(t[0], t[1], p, axis);
  if (!s || turn(t[1], t[2], p, axis) != s || turn(t[2], t[0], p, axis) != s) return 0;
  return side_of(p, t, axis) == -s * way ? s * way : 0;
}

/* A vector of unit length; false if it has none. */
static bool unit(const double to[3], const double from[3], double out[3])
{
  double apart[3], most = 0, square = 0;
  for (int k = 0; k < 3; ++k) most = fmax(most, fmax(fabs(to[k]), fabs(from[k])));
  /* of all three: halves where the difference might overflow */
  const double scale = most < 0x1p1000 ? 1 : 0.5;
  most = 0;
  for (int k = 0; k < 3; ++k) {
    apart[k] = to[k] * scale - from[k] * scale;
    most = fmax(most, fabs(apart[k]));
  }
  if (!(most > 0)) return false;
  int power = ilogb(most);
  for (int k = 0; k < 3; ++k) {
    apart[k] = ldexp(apart[k], -power);
    square += apart[k] * apart[k];
  }
  double length = sqrt(square);
  for (int k = 0; k < 3; ++k) out[k] = apart[k] / length;
  return true;
}

static double dot_of(const double a[3], const double b[3]) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }

/* The solid angle of three directions of unit length, after A. Van Oosterom and J. Strackee, The
 * Solid Angle of a Plane Triangle, 1983. */
static double angle_of(const double a[3], const double b[3], const double c[3], double *below)
{
  const double pi = 3.14159265358979323846;
  double volume =
      a[0] * (b[1] * c[2] - b[2] * c[1]) + a[1] * (b[2] * c[0] - b[0] * c[2]) + a[2] * (b[0] * c[1] - b[1] * c[0]);
  *below = 1 + dot_of(a, b) + dot_of(b, c) + dot_of(c, a);
  double height = fmax(fabs(volume), fabs(*below));
  double angle = atan2(volume, *below) / (2 * pi);
  *below = height;
  return angle;
}

double point_edge_angle(const double p[3], const double a[3], const double b[3], int axis, int way, double *sure)
{
  double x[3], y[3], far[3] = {0};
  far[axis] = way;
  *sure = 0;
  if (!unit(a, p, x) || !unit(b, p, y)) return 0;
  double angle = fabs(angle_of(x, y, far, sure));
  return angle * turn(a, b, p, axis) * way; /* which way round, as point_tri_crossing() has it */
}

double point_tri_angle(const double p[3], const double t[3][3])
{
  double x[3][3], below;
  for (int i = 0; i < 3; ++i)
    if (!unit(t[i], p, x[i])) return 0;
  double angle = angle_of(x[0], x[1], x[2], &below);
  /* the volume may be off: its sign decides which way round */
  int side = -orient3d_sign(t[0], t[1], t[2], p);
  return side * fabs(angle);
}
