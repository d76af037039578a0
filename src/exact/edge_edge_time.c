#include "exact/edge_edge_time.h"

#include "exact/crossing.h"
#include "pliant/impacts.h"

bool edge_edge_time_before(const double start[4][3], const double end[4][3], double most, double *time)
{
  return crossing_first(CROSSING_EDGE_EDGE, start, end, most, time);
}

bool pl_edge_edge_time(const double start[4][3], const double end[4][3], double *time)
{
  double when;
  bool contact = edge_edge_time_before(start, end, 1, &when);
  if (contact && time) *time = when;
  return contact;
}
