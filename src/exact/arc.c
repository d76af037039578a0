#include "exact/arc.h"

#include "exact/feature_distance.h"
#include "exact/tri_tri_nearest.h"

#include <float.h>
#include <math.h>

/* ------------------------------------------------------------------------------------ angles -- */

/* sin(x) and cos(x) for |x| up to a quarter of a turn, by their series to x^17. */
static void series(double x, double *sine, double *cosine)
{
  const double q = x * x;
  double s = 0, c = 0;
  for (int i = 16; i >= 2; i -= 2) {
    s = (1 - s) * q / (double)(i * (i + 1));
    c = (1 - c) * q / (double)(i * (i - 1));
  }
  *sine = x * (1 - s);
  *cosine = 1 - c;
}

arc_turn arc_turn_by(double phi)
{
  /* a quarter of a turn in two parts; products of the first with small integers are exact */
  const double high = 1.57079632673412561417, low = 6.07710050650619224932e-11;
  const double half = phi / 2, k = floor(half / high + 0.5), x = (half - k * high) - k * low;
  double s, c;
  series(x, &s, &c);
  const int quarter = (int)(k - 4 * floor(k / 4));
  const double sine = quarter == 0 ? s : quarter == 1 ? c : quarter == 2 ? -s : -c;
  const double cosine = quarter == 0 ? c : quarter == 1 ? -s : quarter == 2 ? -c : s;
  return (arc_turn){2 * sine * cosine, -2 * sine * sine};
}

/* arc_state() in another unit: lengths but `start` are multiplied by it. */
static void state_in(const arc_point *p, double unit, double t, arc_last *last, double at[3], double speed[3])
{
  for (int k = 0; k < 3; ++k) {
    speed[k] = p->way[k] * unit;
    at[k] = p->start[k] + t * speed[k];
  }
  for (uint32_t i = 0; i < p->count; ++i) {
    const arc_term *a = &p->terms[i];
    if (a->angle != last->angle) *last = (arc_last){a->angle, arc_turn_by(a->angle * t)};
    const arc_turn turn = last->turn;
    for (int k = 0; k < 3; ++k) {
      const double cosine = a->cosine[k] * unit, sine = a->sine[k] * unit;
      at[k] += cosine * turn.versed + sine * turn.sine;
      speed[k] += a->angle * (sine * (1 + turn.versed) - cosine * turn.sine);
    }
  }
}

void arc_state(const arc_point *p, double t, arc_last *last, double at[3], double speed[3])
{
  state_in(p, 1, t, last, at, speed);
}

/* ---------------------------------------------------------------------------------- features -- */

/* The corners as the first sees them at the start. */
typedef struct corner_set {
  crossing_kind kind;
  int split; /* points [0, split) against the others */
  arc_point p[4];
  double start[4][3];
  double unit; /* a power of two: lengths are multiplied by it, so that squares are in range */
  double size;
} corner_set;

static double length(const double a[3]) { return sqrt(dot3(a, a)); }

static double most_of(const double a[3], double most)
{
  for (int k = 0; k < 3; ++k) most = fmax(most, fabs(a[k]));
  return most;
}

/* 1, unless products of four lengths could leave the range of double. */
static double unit_of(const arc_point p[4], double distance)
{
  double most = distance;
  int exponent;
  for (int i = 0; i < 4; ++i) {
    for (int k = 0; k < 3; ++k) most = fmax(most, fabs(p[i].start[k] - p[0].start[k]));
    most = most_of(p[i].way, most);
    for (uint32_t j = 0; j < p[i].count; ++j) most = most_of(p[i].terms[j].cosine, most);
  }
  if ((most > 0x1p-200 && most < 0x1p200) || !(most > 0)) return 1;
  frexp(fmin(most, DBL_MAX), &exponent);
  return ldexp(1, exponent < -1000 ? 1000 : exponent > 1000 ? -1000 : -exponent);
}

static void take(corner_set *f, crossing_kind kind, const arc_point p[4], double distance)
{
  const double unit = unit_of(p, distance);
  f->kind = kind;
  f->split = kind == CROSSING_EDGE_EDGE ? 2 : 1;
  f->unit = unit;
  f->size = 0;
  for (int i = 0; i < 4; ++i) {
    double way[3];
    for (int k = 0; k < 3; ++k) {
      f->start[i][k] = p[i].start[k] * unit - p[0].start[k] * unit;
      way[k] = p[i].way[k] * unit;
    }
    f->p[i] = p[i];
    f->p[i].start = f->start[i];
    double size = length(f->start[i]) + length(way);
    for (uint32_t j = 0; j < p[i].count; ++j) {
      const arc_term *a = &p[i].terms[j];
      const double cosine[3] = {a->cosine[0] * unit, a->cosine[1] * unit, a->cosine[2] * unit};
      size += length(cosine) * fmin(2, fabs(a->angle)) * (1 + fabs(a->angle) / 8);
    }
    f->size = fmax(f->size, size);
  }
}

/* No second derivative along n is greater. */
static double bend_of(const arc_point *p, double unit, const double n[3])
{
  double sum = 0;
  for (uint32_t i = 0; i < p->count; ++i) {
    const arc_term *a = &p->terms[i];
    const double c = dot3(a->cosine, n) * unit, s = dot3(a->sine, n) * unit;
    sum += a->angle * a->angle * sqrt(c * c + s * s);
  }
  return sum * (1 + 0x1p-40);
}

/* The first root of gap + speed s - bend s^2 / 2, or a little less: gap is positive. */
static double until(double gap, double speed, double bend)
{
  if (!(bend > 0)) return speed < 0 ? gap / -speed * (1 - 0x1p-40) : INFINITY;
  const double root = sqrt(speed * speed + 2 * bend * gap);
  return (speed < 0 ? 2 * gap / (root - speed) : (speed + root) / bend) * (1 - 0x1p-40);
}

/* For how long the gap along n stays above a distance. */
static double advance(const corner_set *f, const double x[4][3], const double v[4][3], const double n[3],
                      double distance)
{
  double at[4], speed[4], bend[4], least = INFINITY;
  for (int i = 0; i < 4; ++i) {
    at[i] = dot3(n, x[i]);
    speed[i] = dot3(n, v[i]);
    bend[i] = bend_of(&f->p[i], f->unit, n);
  }
  for (int i = 0; i < f->split; ++i)
    for (int j = f->split; j < 4; ++j) {
      const double gap = at[i] - at[j] - distance;
      if (!(gap > 0)) return 0; /* n is not right to the last bit */
      least = fmin(least, until(gap, speed[i] - speed[j], bend[i] + bend[j]));
    }
  return least;
}

/* To length 1, not more; false: it has no direction. */
static bool shorten(double n[3])
{
  const double l = length(n);
  for (int k = 0; k < 3; ++k) n[k] = l > 0 ? n[k] / l * (1 - 0x1p-48) : 0;
  return l > 0 && l < INFINITY;
}

/* Removes from n what is along an edge. */
static void straighten(double n[3], num3 edge)
{
  const double e[3] = {edge.x, edge.y, edge.z}, along = dot3(n, e) / dot3(e, e);
  for (int k = 0; k < 3; ++k) n[k] -= along * e[k];
}

/* Roughly the distance of the features, and a direction in which they are that far apart: between
 * two edges and above a face it is a product of edges, which is good however near they are. */
static double look(crossing_kind kind, const double x[4][3], double n[3])
{
  const bool edges = kind == CROSSING_EDGE_EDGE;
  num3 c[6];
  for (int i = 0; i < 6; ++i) c[i] = num3_of(x[i < 3 ? (edges && i ? 1 : 0) : edges ? (i == 3 ? 2 : 3) : i - 2]);
  const num_triangle a = num_triangle_of(c), b = num_triangle_of(c + 3);
  const num_nearest found = edges ? num_search_edge(&a, &b) : num_search_vertex(&a, &b);
  const int edge = (int)found.code % 3;
  const bool face = found.code >= 9, first = !face && edges && found.at[0] > 0 && found.at[0] < 1,
             second = !face && found.at[1] > 0 && found.at[1] < 1;
  num3 way = face ? num3_cross(b.edge[0], b.edge[1]) : num3_cross(a.edge[0], b.edge[edge]);
  num3 from = num3_sub(a.corner[0], b.corner[face ? 0 : edge]);
  if (!face && !(first && second)) {
    const double s = found.at[0], w = found.at[1];
    way = (num3){from.x + s * a.edge[0].x - w * b.edge[edge].x, from.y + s * a.edge[0].y - w * b.edge[edge].y,
                 from.z + s * a.edge[0].z - w * b.edge[edge].z};
  } else if (num3_dot(way, from) < 0) {
    way = (num3){-way.x, -way.y, -way.z};
  }
  n[0] = way.x, n[1] = way.y, n[2] = way.z;
  if (first != second) straighten(n, first ? a.edge[0] : b.edge[edge]);
  shorten(n);
  return sqrt(found.square);
}

/* The same by a proof, for what defeats look(). */
static void prove(crossing_kind kind, const double x[4][3], double *distance, double n[3])
{
  nearest_detail detail;
  if (kind == CROSSING_EDGE_EDGE)
    edge_edge_distance(x, x + 2, INFINITY, distance, &detail);
  else
    vertex_face_distance(x[0], x + 1, INFINITY, distance, &detail);
  for (int k = 0; k < 3; ++k) n[k] = detail.normal[k] * (1 - 0x1p-48); /* not longer than 1 */
}

/* An advance ends above the distance by half of the tolerance, which is more than the errors of
 * positions, of some 2^-49 of the size. */
bool arc_first(crossing_kind kind, const arc_point p[4], double from, double to, double distance, double *time)
{
  enum { ROUNDS = 4096, SLOW = 64 };
  corner_set f;
  take(&f, kind, p, distance);
  distance *= f.unit;
  double near = ARC_NEAR * (f.size + distance), t = from;
  for (int round = 1; round <= ROUNDS; ++round) {
    double x[4][3], v[4][3], n[3], gap;
    arc_last last = {0};
    for (int i = 0; i < 4; ++i) state_in(&f.p[i], f.unit, t, &last, x[i], v[i]);
    const double(*at)[3] = (const double(*)[3])x, (*speed)[3] = (const double(*)[3])v;
    gap = look(kind, at, n);
    if (!(gap > distance + near)) break;
    double step = advance(&f, at, speed, n, distance + near / 2);
    if (!(step > 0)) {
      prove(kind, at, &gap, n);
      if (!(gap > distance + near)) break;
      step = advance(&f, at, speed, n, distance + near / 2);
    }
    if (step > to - t) return false;
    if (!(t + step > t)) break;
    t = fmin(t + step, to);
    if (round % SLOW == 0 && near < ARC_SLIDES * (f.size + distance) / 2) near *= 2;
  }
  *time = t;
  return true;
}
