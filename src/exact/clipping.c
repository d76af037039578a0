/* Rounding. eps = 2^-53. A difference of two doubles has the right sign and a relative error of
 * eps, denormal ones none.
 *   x / (x - y), x > 0 >= y, both right to eps                              4 eps to first
 *   order: times LESS it is not too great
 *   a + l (b - a), l in [0, 1] a double, a and b right to eps               (|a| + l |b|) times
 *   5 eps to first order; MARGIN is 8
 * A quotient below SMALL is taken as 0, which cuts nothing, so that none is denormal; what a
 * product below 2^-1022 loses is less than TINY. */
#include "exact/clipping.h"

#include <math.h>

#define EPS 0x1p-53
#define LESS (1 - 8 * EPS)
#define MARGIN (8 * EPS)
#define SMALL 0x1p-500
#define TINY 0x1p-1000
enum { ROUNDS = 2 };

static double least(double x, double y) { return x < y ? x : y; }
static double most(double x, double y) { return x > y ? x : y; }

/* The part of [0, 1] at its begin in which x + t (y - x) is above 0, for x > 0 >= y: not too
 * great. */
static double part_above(double x, double y)
{
  double part = x / (x - y) * LESS;
  return part > SMALL ? part : 0;
}

/* ------------------------------------------------------------------------------------ window -- */

/* How far from one end of time on the edges are apart, given the gaps of the four pairs of ends
 * there and at the other end; more than 1: all the time. A contact needs a gap that is 0 or has
 * the other sign, and each gap is linear. */
static double apart_until(const double here[4], const double there[4])
{
  double low = least(least(here[0], here[1]), least(here[2], here[3])),
         high = most(most(here[0], here[1]), most(here[2], here[3])), until = 2;
  if (!(low > 0 || high < 0)) return 0;
  double sign = low > 0 ? 1 : -1;
  for (int i = 0; i < 4; ++i)
    if (sign * there[i] <= 0) until = least(until, part_above(sign * here[i], sign * there[i]));
  return until;
}

/* The time of all contacts: not before *after, not later than 1 - *before. false: there are
 * none. */
static bool window_of(const double start[4][3], const double end[4][3], double *after, double *before)
{
  *after = *before = 0;
  for (int k = 0; k < 3; ++k) {
    double gap[2][4];
    for (int i = 0; i < 4; ++i) {
      gap[0][i] = start[i / 2][k] - start[2 + i % 2][k];
      gap[1][i] = end[i / 2][k] - end[2 + i % 2][k];
    }
    *after = most(*after, apart_until(gap[0], gap[1]));
    *before = most(*before, apart_until(gap[1], gap[0]));
    if (*after > 1 || *before > 1) return false;
  }
  return *after + *before <= 1 + 2 * EPS;
}

/* ----------------------------------------------------------------------------------- cutting -- */

/* An edge: at all times of the window its ends are within these intervals. */
typedef struct swept_edge {
  double low[2][3], high[2][3]; /* end, axis */
} swept_edge;

/* The point between two at part l of the way from a to b. */
static double between(double a, double b, double l) { return a + l * (b - a); }
static double error_between(double a, double b, double l) { return MARGIN * (fabs(a) + l * fabs(b)) + TINY; }

/* One axis of all points relative to a point of the common interval. */
static void take_axis(const double start[4][3], const double end[4][3], int k, double after, double before,
                      swept_edge edge[2])
{
  double low[2] = {INFINITY, INFINITY}, high[2] = {-INFINITY, -INFINITY};
  for (int i = 0; i < 4; ++i) {
    low[i / 2] = least(low[i / 2], least(start[i][k], end[i][k]));
    high[i / 2] = most(high[i / 2], most(start[i][k], end[i][k]));
  }
  double origin = most(low[0], low[1]), other = least(high[0], high[1]);
  /* the one that is nearest to 0: coordinates lose the least */
  if (origin < 0) origin = other > 0 ? 0 : other;
  for (int i = 0; i < 4; ++i) {
    double p = start[i][k] - origin, q = end[i][k] - origin;
    double x = between(p, q, after), y = between(q, p, before);
    double of_x = error_between(p, q, after), of_y = error_between(q, p, before);
    edge[i / 2].low[i % 2][k] = least(x - of_x, y - of_y);
    edge[i / 2].high[i % 2][k] = most(x + of_x, y + of_y);
  }
}

/* How much of an edge, from one end on, is above or below an interval on an axis; more than 1:
 * all of it. */
static double part_outside(const swept_edge *e, int from, int k, double low, double high)
{
  double part = 0;
  if (e->low[from][k] > high) {
    if (e->low[1 - from][k] > high) return 2;
    part = part_above(e->low[from][k] - high, e->low[1 - from][k] - high);
  }
  if (e->high[from][k] < low) {
    if (e->high[1 - from][k] < low) return 2;
    part = most(part, part_above(low - e->high[from][k], low - e->high[1 - from][k]));
  }
  return part;
}

static void cut_end(swept_edge *e, int from, double part)
{
  if (!(part > 0)) return;
  for (int k = 0; k < 3; ++k) {
    double a = e->low[from][k], b = e->low[1 - from][k], x = e->high[from][k], y = e->high[1 - from][k];
    e->low[from][k] = between(a, b, part) - error_between(a, b, part);
    e->high[from][k] = between(x, y, part) + error_between(x, y, part);
  }
}

/* Cuts off what is outside of the other's interval on an axis. Returns the greatest part that
 * was cut off; more than 1: nothing is left. */
static double cut_edge(swept_edge *e, const swept_edge *by, int k)
{
  double low = least(by->low[0][k], by->low[1][k]), high = most(by->high[0][k], by->high[1][k]);
  double first = part_outside(e, 0, k, low, high), last = part_outside(e, 1, k, low, high);
  if (first + last > 1 + 2 * EPS) return 2;
  cut_end(e, 0, first);
  /* the part of what is left */
  cut_end(e, 1, first > 0 ? least(last / (1 - first) * LESS, 1) : last);
  return most(first, last);
}

bool clipping_apart(const double start[4][3], const double end[4][3])
{
  double after, before;
  swept_edge edge[2];
  if (!window_of(start, end, &after, &before)) return true;
  for (int k = 0; k < 3; ++k) take_axis(start, end, k, after, before, edge);
  for (int round = 0; round < ROUNDS; ++round) {
    double gain = 0;
    for (int k = 0; k < 6 && gain <= 1; ++k) gain = most(gain, cut_edge(&edge[k % 2], &edge[1 - k % 2], k / 2));
    if (gain > 1) return true;
    if (gain < 0.125) return false;
  }
  return false;
}
