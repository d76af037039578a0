#include "exact/vertex_face_time.h"

#include "exact/crossing.h"
#include "pliant/impacts.h"

bool vertex_face_time_before(const double start[4][3], const double end[4][3], double most, double *time)
{
  return crossing_first(CROSSING_VERTEX_FACE, start, end, most, time);
}

bool pl_vertex_face_time(const double start[4][3], const double end[4][3], double *time)
{
  double when;
  bool contact = vertex_face_time_before(start, end, 1, &when);
  if (contact && time) *time = when;
  return contact;
}
