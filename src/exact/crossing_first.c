/* The stages of a query one after the other: points that meet, boxes, the filter, integers. */
#include "exact/crossing.h"

#include "exact/double_double.h"
#include "exact/predicates.h"

#include <math.h>

/* Returns whether some axis separates the hull of points [0, cut) at both times from that of the
 * others. */
static bool boxes_apart(int cut, const double start[4][3], const double end[4][3])
{
  for (int k = 0; k < 3; ++k) {
    double low[2] = {INFINITY, INFINITY}, high[2] = {-INFINITY, -INFINITY};
    for (int i = 0; i < 4; ++i) {
      int side = i >= cut;
      double x = start[i][k], y = end[i][k], less = x < y ? x : y, more = x < y ? y : x;
      low[side] = less < low[side] ? less : low[side];
      high[side] = more > high[side] ? more : high[side];
    }
    if (low[0] > high[1] || low[1] > high[0]) return true;
  }
  return false;
}

static bool first_within(crossing_kind kind, const double start[4][3], const double end[4][3], crossing_times within,
                         double *time)
{
  if (boxes_apart(kind == CROSSING_EDGE_EDGE ? 2 : 1, start, end)) return false;
  int found = crossing_filter(kind, start, end, within, time);
  return found == SIGN_UNSURE ? crossing_exact_since(kind, start, end, within.from, time) : found == 1;
}

/* A sum that overflows is equal to none: its low part is NaN. */
unsigned crossing_meetings(const double start_a[3], const double end_a[3], const double start_b[3],
                           const double end_b[3])
{
  unsigned when = CROSSING_AT_END | CROSSING_IN_MIDDLE;
  for (int k = 0; k < 3 && when; ++k) {
    const dd a = dd_sum(start_a[k], end_a[k]), b = dd_sum(start_b[k], end_b[k]);
    if (!(a.high == b.high && a.low == b.low)) when &= ~(unsigned)CROSSING_IN_MIDDLE;
    if (end_a[k] != end_b[k]) when &= ~(unsigned)CROSSING_AT_END;
  }
  return when;
}

double crossing_meeting_time(unsigned meetings)
{
  return meetings & CROSSING_IN_MIDDLE ? 0.5 : meetings & CROSSING_AT_END ? 1 : 0;
}

/* All points are one at a time after the start. Seen from there the features only shrink until
 * then: they touch at the start, or not before. */
static bool first_of_meeting(crossing_kind kind, const double start[4][3], double meeting, double *time)
{
  const bool touch = first_within(kind, start, start, (crossing_times){0, 0}, time);
  *time = touch ? 0 : meeting;
  return true;
}

bool crossing_first(crossing_kind kind, const double start[4][3], const double end[4][3], double most, double *time)
{
  unsigned when = CROSSING_AT_END | CROSSING_IN_MIDDLE;
  for (int i = 1; i < 4 && when; ++i) when &= crossing_meetings(start[0], end[0], start[i], end[i]);
  if (when) return first_of_meeting(kind, start, crossing_meeting_time(when), time);
  return first_within(kind, start, end, (crossing_times){0, most}, time);
}

bool crossing_since(crossing_kind kind, const double start[4][3], const double end[4][3], double from, double *time)
{
  return first_within(kind, start, end, (crossing_times){from, 1}, time);
}
