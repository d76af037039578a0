/* The first contact of single moving features; crossing.h has the method. */
#include "exact/crossing.h"
#include "pliant/impacts.h"

static bool time_of(crossing_kind kind, const double start[4][3], const double end[4][3], double *time)
{
  double when;
  const bool contact = crossing_first(kind, start, end, 1, &when);
  if (contact && time) *time = when;
  return contact;
}

bool pl_vertex_face_time(const double start[4][3], const double end[4][3], double *time)
{
  return time_of(CROSSING_VERTEX_FACE, start, end, time);
}

bool pl_edge_edge_time(const double start[4][3], const double end[4][3], double *time)
{
  return time_of(CROSSING_EDGE_EDGE, start, end, time);
}
