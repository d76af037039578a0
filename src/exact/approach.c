/* Conservative advancement with planes. The nearest points at a time t give a direction n; for a fixed n the gap between the features along
 * n is the least of some linear functions of time, and the distance is never less than the gap. So t advances to where the first of
 * them falls to the given distance: sliding along a plane takes one round, a straight approach two. */
#include "exact/approach.h"

#include "exact/tri_tri_distance.h"

#include <math.h>

enum { ROUNDS = 256 };

typedef struct features {
  int split; /* points [0, split) against the others */
  const double (*start)[3], (*end)[3];
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

static double reach_of(const features *f)
{
  double most = 0;
  for (int i = 0; i < 4; ++i)
    for (int k = 0; k < 3; ++k) most = fmax(most, fmax(fabs(f->start[i][k]), fabs(f->end[i][k])));
  return most;
}

/* Until when the gap along n stays above a distance; 2: to the end. */
static double advance(const features *f, const double n[3], double distance)
{
  double until = 2;
  for (int p = 0; p < f->split; ++p)
    for (int q = f->split; q < 4; ++q) {
      double gap[2] = {-distance, -distance};
      for (int k = 0; k < 3; ++k) {
        gap[0] += n[k] * (f->start[p][k] - f->start[q][k]);
        gap[1] += n[k] * (f->end[p][k] - f->end[q][k]);
      }
      if (!(gap[1] < 0)) continue;
      double when = gap[0] > 0 ? gap[0] / (gap[0] - gap[1]) * (1 - 0x1p-40) : 0;
      until = when < until ? when : until;
    }
  return until;
}

bool approach_first(crossing_kind kind, const double start[4][3], const double end[4][3], double distance, double most,
                    double *time)
{
  features f = {kind == CROSSING_EDGE_EDGE ? 2 : 1, start, end};
  const double slack = 0x1p-42 * reach_of(&f), wanted = distance * (1 + 0x1p-11) + slack;
  double t = 0;
  for (int round = 0; round < ROUNDS && t <= most; ++round) {
    double a[3][3], b[3][3], n[3];
    closest c;
    pose(&f, t, a, b);
    tri_tri_distance((const double(*)[3])a, (const double(*)[3])b, &c);
    if (c.distance <= distance * (1 + 0x1p-10) + 2 * slack) break;
    for (int k = 0; k < 3; ++k) n[k] = (c.a[k] - c.b[k]) / c.distance * (1 - 0x1p-48); /* not longer than 1 */
    double next = advance(&f, n, wanted);
    if (next > 1) return false;
    if (!(next > t)) break;
    t = next;
  }
  if (t > most) return false;
  *time = t;
  return true;
}
