/* Conservative advancement with planes. The nearest points at a time t give a direction n; for a
 * fixed n the gap between the features along n is the least of some linear functions of time,
 * and the distance is never less than the gap. So t advances to where the first of them falls to
 * the given distance: sliding along a plane takes one round, a straight approach two.
 *
 * All positions are relative to the first point, so that errors are relative to the size of the
 * features and of their relative motion, not to how far from the origin they are. Where that
 * does not suffice, integers decide from the last certain time on. */
#include "exact/approach.h"

#include "exact/tri_tri_distance.h"

#include <math.h>

enum { ROUNDS = 64 };

#define LEAST 0x1p-300 /* coordinates from here to 1 / LEAST are taken as they are, others scaled to about 1 */

/* The features as the first point sees them. */
typedef struct features {
  int split; /* points [0, split) against the others */
  double start[4][3], end[4][3];
} features;

/* Both features at time t, as triangles that may be segments or points. */
static void pose(const features *f, double t, double a[3][3], double b[3][3])
{
  for (int i = 0; i < 3; ++i)
    for (int k = 0; k < 3; ++k) {
      int p = i < f->split ? i : f->split - 1, q = f->split + i < 4 ? f->split + i : 3;
      a[i][k] = (1 - t) * f->start[p][k] + t * f->end[p][k];
      b[i][k] = (1 - t) * f->start[q][k] + t * f->end[q][k];
    }
}

/* The exponent of the power of two that coordinates are multiplied by. What a product loses
 * where it is denormal is far below the error of the greatest one. */
static int scale_of(double most)
{
  int exponent = 0;
  if (most > 0 && !(most > LEAST && most < 1 / LEAST)) frexp(most, &exponent);
  return -exponent;
}

static double greatest(const double start[4][3], const double end[4][3])
{
  double most = 0;
  for (int i = 0; i < 12; ++i) most = fmax(most, fmax(fabs(start[i / 3][i % 3]), fabs(end[i / 3][i % 3])));
  return most;
}

/* Returns the greatest coordinate. */
static double take(features *f, const double start[4][3], const double end[4][3], int scale)
{
  double most = 0;
  for (int i = 0; i < 4; ++i)
    for (int k = 0; k < 3; ++k) {
      f->start[i][k] = scale ? ldexp(start[i][k], scale) - ldexp(start[0][k], scale) : start[i][k] - start[0][k];
      f->end[i][k] = scale ? ldexp(end[i][k], scale) - ldexp(end[0][k], scale) : end[i][k] - end[0][k];
      most = fmax(most, fmax(fabs(f->start[i][k]), fabs(f->end[i][k])));
    }
  return most;
}

/* Until when the gap along n stays above a distance from time t on; 2: to the end; 0: it is
 * less, as n is not right to the last bit. */
static double advance(const features *f, const double n[3], double distance, double t)
{
  double until = 2;
  for (int p = 0; p < f->split; ++p)
    for (int q = f->split; q < 4; ++q) {
      double gap[2] = {-distance, -distance};
      for (int k = 0; k < 3; ++k) {
        gap[0] += n[k] * (f->start[p][k] - f->start[q][k]);
        gap[1] += n[k] * (f->end[p][k] - f->end[q][k]);
      }
      if ((1 - t) * gap[0] + t * gap[1] < 0) return 0;
      if (!(gap[1] < 0)) continue;
      double when = gap[0] > 0 ? gap[0] / (gap[0] - gap[1]) * (1 - 0x1p-40) : 0;
      until = when < until ? when : until;
    }
  return until;
}

/* Every distance and every gap is right to 2^-47 of the greatest coordinate: a position has four
 * roundings, a gap nine. */
bool approach_first(crossing_kind kind, const double start[4][3], const double end[4][3], double distance, double most,
                    double *time)
{
  features f = {.split = kind == CROSSING_EDGE_EDGE ? 2 : 1};
  const double reach = greatest(start, end);
  const int scale = scale_of(reach);
  if (distance / 4 > reach) { /* they are nearer from the start */
    *time = 0;
    return true;
  }
  const double size = take(&f, start, end, scale), error = 0x1p-47 * size, own = ldexp(distance, scale);
  const double margin = fmax(0x1p-11 * own, 4 * error), wanted = own + margin;
  double t = 0;
  for (int round = 0; round < ROUNDS && t <= most; ++round) {
    double a[3][3], b[3][3], n[3];
    closest c;
    pose(&f, t, a, b);
    tri_tri_distance((const double(*)[3])a, (const double(*)[3])b, &c);
    if (c.distance <= wanted + margin - error) {
      if (margin > 0x1p-11 * own || own < LEAST) break; /* near by the errors alone */
      *time = t;
      return true;
    }
    /* not longer than 1 */
    for (int k = 0; k < 3; ++k) n[k] = (c.a[k] - c.b[k]) / c.distance * (1 - 0x1p-48);
    double next = advance(&f, n, wanted, t);
    if (next > 1) return false;
    if (!(next > t)) break;
    t = next;
  }
  return t <= most && approach_exact(kind, start, end, distance, t, most, time);
}
