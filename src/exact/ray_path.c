/* Bounds of errors. u = 2^-53. A coordinate of a corner is wrong by the rounding of its
 * position, at most u (length + |origin|), and by the difference from the origin, at most u
 * length; an edge by two positions and a difference: `error` = 8 u (length + |origin|) is more
 * than twice that. A side is a sum of products d * corner * edge, |d| the sum of the direction's
 * magnitudes: roundings of positions move it by at most 2 |d| error (length + width + error),
 * those of the computation by less than 40 u |d| length width. Both are doubled. The same way
 * for the normal, whose components are at most 2 width^2. */
#include "exact/ray_path.h"

#include <float.h>
#include <math.h>

#define UNIT 0x1p-53
/* lengths and directions between 1 / LARGE and LARGE: products of 5 and 3 of them are in range */
#define LARGE 0x1p120

static double greater(double x, double y) { return x > y ? x : y; }

/* -------------------------------------------------------------------------------------- make -- */

static double direction_size(const pl_ray *ray)
{
  return fabs(ray->direction[0]) + fabs(ray->direction[1]) + fabs(ray->direction[2]);
}

static void make_sides(const pl_ray *ray, ray_path *p)
{
  const double *d = ray->direction;
  for (int i = 0; i < 3; ++i) {
    const double(*a)[2] = p->corner[i], (*b)[2] = p->corner[(i + 1) % 3];
    double cross[3][2], edge[3][2];
    for (int k = 0; k < 3; ++k) {
      const int x = (k + 1) % 3, y = (k + 2) % 3;
      for (int e = 0; e < 2; ++e) {
        cross[k][e] = d[x] * a[y][e] - d[y] * a[x][e];
        edge[k][e] = b[k][e] - a[k][e];
        p->width = greater(p->width, fabs(edge[k][e]));
      }
    }
    double *side = p->side[i];
    side[0] = cross[0][0] * edge[0][0] + cross[1][0] * edge[1][0] + cross[2][0] * edge[2][0];
    side[2] = cross[0][1] * edge[0][1] + cross[1][1] * edge[1][1] + cross[2][1] * edge[2][1];
    side[1] = 0.5 * (cross[0][0] * edge[0][1] + cross[1][0] * edge[1][1] + cross[2][0] * edge[2][1]) +
              0.5 * (cross[0][1] * edge[0][0] + cross[1][1] * edge[1][0] + cross[2][1] * edge[2][0]);
  }
}

void ray_path_make(const pl_ray *ray, const double *const corner[3], ray_path *p)
{
  double origin = 0;
  p->length = p->width = 0;
  for (int k = 0; k < 3; ++k) origin = greater(origin, fabs(ray->origin[k]));
  for (int i = 0; i < 3; ++i) {
    for (int k = 0; k < 3; ++k)
      for (int e = 0; e < 2; ++e) {
        p->corner[i][k][e] = corner[i][2 * k + e] - ray->origin[k];
        p->length = greater(p->length, fabs(p->corner[i][k][e]));
      }
    for (int e = 0; e < 2; ++e)
      p->along[i][e] = p->corner[i][0][e] * ray->direction[0] + p->corner[i][1][e] * ray->direction[1] +
                       p->corner[i][2][e] * ray->direction[2];
  }
  make_sides(ray, p);
  const double size = direction_size(ray), whole = p->length + origin;
  p->error = 8 * UNIT * whole;
  p->side_error = size * (4 * p->error * (p->length + p->width + p->error) + 128 * UNIT * p->length * p->width);
  p->along_error = size * (4 * p->error + 64 * UNIT * p->length);
  if (!(whole < LARGE && whole > 1 / LARGE && size < LARGE && size > 1 / LARGE))
    p->side_error = p->along_error = p->error = INFINITY;
}

/* ------------------------------------------------------------------------------- polynomials -- */

/* Coefficients of degree 3 on [from, to] of those on [0, 1]. */
static void restrict_cubic(const double c[4], double from, double to, double out[4])
{
  for (int k = 0; k <= 3; ++k) {
    double b[4] = {c[0], c[1], c[2], c[3]};
    for (int step = 0; step < 3; ++step) {
      const double s = step < k ? to : from;
      for (int i = 0; i < 3 - step; ++i) b[i] = (1 - s) * b[i] + s * b[i + 1];
    }
    out[k] = b[0];
  }
}

/* The same for degree 2. */
static inline void restrict_parabola(const double b[3], double from, double to, double c[3])
{
  const double rest_from = 1 - from, rest_to = 1 - to;
  const double x = rest_from * b[0] + from * b[1], y = rest_from * b[1] + from * b[2];
  const double v = rest_to * b[0] + to * b[1], w = rest_to * b[1] + to * b[2];
  c[0] = rest_from * x + from * y;
  c[1] = rest_to * x + to * y;
  c[2] = rest_to * v + to * w;
}

/* 1 or -1: all coefficients are beyond the error on that side. */
static int sign_of(const double *c, int count, double error)
{
  bool above = true, below = true;
  for (int i = 0; i < count; ++i) {
    above = above && c[i] > error;
    below = below && c[i] < -error;
  }
  return above - below;
}

/* The certain sign of an edge's side. Between two positive ends a parabola is positive if its
 * middle coefficient is greater than the negative root of their product. */
static int side_of(const ray_path *p, int edge, double from, double to)
{
  double c[3];
  restrict_parabola(p->side[edge], from, to, c);
  const double e = p->side_error;
  int sign = (c[0] > e && c[1] > e && c[2] > e) - (c[0] < -e && c[1] < -e && c[2] < -e);
  if (sign || !isfinite(p->side_error)) return sign;
  const int end = c[0] > 0 ? 1 : -1;
  const double x = end * c[0] - p->side_error, y = end * c[2] - p->side_error, m = end * c[1] - p->side_error;
  return x > 0 && y > 0 && m * m < x * y * (1 - 0x1p-20) ? end : 0;
}

/* ------------------------------------------------------------------------------------- along -- */

static double at(const double ends[2], double s) { return (1 - s) * ends[0] + s * ends[1]; }

/* The least of the corners is a concave function of s, the greatest a convex one: both are
 * bounded by their ends from the side that matters. */
void ray_path_range(const ray_path *p, double from, double to, double *low, double *high)
{
  *low = INFINITY;
  *high = -INFINITY;
  for (int i = 0; i < 3; ++i)
    for (int e = 0; e < 2; ++e) {
      double x = at(p->along[i], e ? to : from);
      *low = x < *low ? x : *low;
      *high = x > *high ? x : *high;
    }
  *low -= p->along_error;
  *high += p->along_error;
}

/* The hit's place as a quotient on an interval. */
typedef struct place {
  double above[4], below[3];
  double above_error, below_error, most_above, most_below;
} place;

/* The normal is n = E x F of two edges; n(s) has the coefficients n[0], n[1], n[2]. */
static void normal_of(const ray_path *p, double n[3][3])
{
  double e[3][2], f[3][2];
  for (int k = 0; k < 3; ++k)
    for (int i = 0; i < 2; ++i) {
      e[k][i] = p->corner[1][k][i] - p->corner[0][k][i];
      f[k][i] = p->corner[2][k][i] - p->corner[0][k][i];
    }
  for (int k = 0; k < 3; ++k) {
    const int x = (k + 1) % 3, y = (k + 2) % 3;
    n[0][k] = e[x][0] * f[y][0] - e[y][0] * f[x][0];
    n[2][k] = e[x][1] * f[y][1] - e[y][1] * f[x][1];
    n[1][k] = 0.5 * (e[x][0] * f[y][1] - e[y][0] * f[x][1]) + 0.5 * (e[x][1] * f[y][0] - e[y][1] * f[x][0]);
  }
}

static double times(const double a[3][2], int end, const double n[3])
{
  return a[0][end] * n[0] + a[1][end] * n[1] + a[2][end] * n[2];
}

static void place_of(const pl_ray *ray, const ray_path *p, double from, double to, place *out)
{
  double n[3][3], above[4], below[3];
  const double(*a)[2] = p->corner[0];
  normal_of(p, n);
  for (int i = 0; i < 3; ++i)
    below[i] = ray->direction[0] * n[i][0] + ray->direction[1] * n[i][1] + ray->direction[2] * n[i][2];
  above[0] = times(a, 0, n[0]);
  above[1] = (times(a, 1, n[0]) + 2 * times(a, 0, n[1])) / 3;
  above[2] = (2 * times(a, 1, n[1]) + times(a, 0, n[2])) / 3;
  above[3] = times(a, 1, n[2]);
  restrict_cubic(above, from, to, out->above);
  restrict_parabola(below, from, to, out->below);
  const double w = p->width, normal = 8 * p->error * w + 4 * p->error * p->error + 128 * UNIT * w * w;
  out->below_error = direction_size(ray) * normal;
  out->above_error = 3 * (p->length + p->error) * normal + 12 * p->error * w * w;
  out->most_above = out->above_error;
  out->most_below = out->below_error;
  for (int i = 0; i < 4; ++i) out->most_above = greater(out->most_above, fabs(out->above[i]) + out->above_error);
  for (int i = 0; i < 3; ++i) out->most_below = greater(out->most_below, fabs(out->below[i]) + out->below_error);
}

/* Returns 1 if the hit is certainly after t, which is finite, -1 if it is certainly before. */
static int place_against(const place *x, double t)
{
  double c[4];
  const double *b = x->below, raised[4] = {b[0], (b[0] + 2 * b[1]) / 3, (2 * b[1] + b[2]) / 3, b[2]};
  for (int i = 0; i < 4; ++i) c[i] = x->above[i] - t * raised[i];
  const double error = x->above_error + fabs(t) * x->below_error + 0x1p-46 * (x->most_above + fabs(t) * x->most_below);
  return sign_of(c, 4, error) * sign_of(x->below, 3, x->below_error);
}

/* x.above y.below - y.above x.below, in coefficients of degree 5. */
static int order_of(const place *x, const place *y)
{
  static const double choose3[] = {1, 3, 3, 1}, choose2[] = {1, 2, 1}, choose5[] = {1, 5, 10, 10, 5, 1};
  double c[6] = {0};
  for (int i = 0; i < 4; ++i)
    for (int k = 0; k < 3; ++k)
      c[i + k] += choose3[i] * choose2[k] / choose5[i + k] * (x->above[i] * y->below[k] - y->above[i] * x->below[k]);
  const double error = (x->above_error + 0x1p-45 * x->most_above) * y->most_below +
                       (y->above_error + 0x1p-45 * y->most_above) * x->most_below + x->most_above * y->below_error +
                       y->most_above * x->below_error;
  return sign_of(c, 6, error) * sign_of(x->below, 3, x->below_error) * sign_of(y->below, 3, y->below_error);
}

bool ray_path_before(const pl_ray *ray, const ray_path *x, const ray_path *y, double from, double to)
{
  double low[2], high[2];
  bool apart = true;
  for (int e = 0; e < 2 && apart; ++e) {
    const double s = e ? to : from;
    ray_path_range(x, s, s, &low[0], &high[0]);
    ray_path_range(y, s, s, &low[1], &high[1]);
    apart = high[0] < low[1];
  }
  if (apart) return true;
  place a, b;
  place_of(ray, x, from, to, &a);
  place_of(ray, y, from, to, &b);
  return order_of(&a, &b) < 0;
}

/* ------------------------------------------------------------------------------------- cover -- */

/* Returns whether t of a line that meets the triangle is in the ray's range. */
static ray_cover in_range(const pl_ray *ray, const ray_path *p, double from, double to)
{
  const double square = ray->direction[0] * ray->direction[0] + ray->direction[1] * ray->direction[1] +
                        ray->direction[2] * ray->direction[2];
  const double low = ray->t_min * square, high = ray->t_max * square;
  const double low_error = isinf(low) ? 0 : 16 * UNIT * fabs(low),
               high_error = isinf(high) ? 0 : 16 * UNIT * fabs(high);
  double least, most;
  ray_path_range(p, from, to, &least, &most);
  if (most < low - low_error || least > high + high_error) return RAY_MISSES;
  if (least > low + low_error && most < high - high_error) return RAY_HITS;
  place x;
  place_of(ray, p, from, to, &x);
  const int start = isinf(ray->t_min) ? (ray->t_min < 0 ? 1 : -1) : place_against(&x, ray->t_min);
  const int end = isinf(ray->t_max) ? (ray->t_max > 0 ? -1 : 1) : place_against(&x, ray->t_max);
  if (start > 0 && end < 0) return RAY_HITS;
  return start < 0 || end > 0 ? RAY_MISSES : RAY_UNSURE;
}

ray_cover ray_path_cover(const pl_ray *ray, const ray_path *p, double from, double to)
{
  int sum = 0;
  bool above = false, below = false;
  for (int i = 0; i < 3; ++i) {
    const int side = side_of(p, i, from, to);
    above = above || side > 0;
    below = below || side < 0;
    if (above && below) return RAY_MISSES;
    sum += side;
  }
  if (sum == 3 || sum == -3) return in_range(ray, p, from, to);
  double least, most; /* a line in the triangle's plane also meets it between the corners */
  ray_path_range(p, from, to, &least, &most);
  const double low = ray->t_min * (ray->direction[0] * ray->direction[0] + ray->direction[1] * ray->direction[1] +
                                   ray->direction[2] * ray->direction[2]);
  return most < low - 16 * UNIT * fabs(low) ? RAY_MISSES : RAY_UNSURE;
}

/* ------------------------------------------------------------------------------------ pieces -- */

/* A root and what is around it, up to where the side is beyond its error. They are verified
 * later: they only choose where to cut. */
static int cut_at(double root, double slope, const ray_path *p, double from, double to, double *cuts, int count)
{
  const double around = 0x1p-30 + 8 * p->side_error / fabs(slope);
  if (!(root > from - around && root < to + around)) return count;
  if (root - around > from) cuts[count++] = root - around;
  if (root + around < to) cuts[count++] = root + around;
  return count;
}

static int cut_edge(const ray_path *p, int edge, double from, double to, double *cuts, int count)
{
  const double *c = p->side[edge], square = c[0] - 2 * c[1] + c[2], half = c[1] - c[0],
               below = half * half - square * c[0];
  if (!(below > 0)) return count;
  const double root = sqrt(below), q = -half - (half > 0 ? root : -root);
  if (q != 0) count = cut_at(c[0] / q, 2 * root, p, from, to, cuts, count);
  if (square != 0) count = cut_at(q / square, 2 * root, p, from, to, cuts, count);
  return count;
}

int ray_path_pieces(const pl_ray *ray, const ray_path *p, double from, double to, path_piece out[RAY_PIECES])
{
  double cuts[RAY_PIECES];
  int count = 0, pieces = 0;
  for (int i = 0; i < 3; ++i) count = cut_edge(p, i, from, to, cuts, count);
  for (int i = 1; i < count; ++i)
    for (int k = i; k && cuts[k] < cuts[k - 1]; --k) {
      double swap = cuts[k];
      cuts[k] = cuts[k - 1];
      cuts[k - 1] = swap;
    }
  cuts[count] = to;
  double begin = from;
  for (int i = 0; i <= count; ++i) {
    if (i < count && cuts[i] == begin) continue;
    const ray_cover cover = ray_path_cover(ray, p, begin, cuts[i]);
    if (pieces && out[pieces - 1].cover == cover)
      out[pieces - 1].to = cuts[i];
    else
      out[pieces++] = (path_piece){begin, cuts[i], cover};
    begin = cuts[i];
  }
  return pieces;
}
