/* Cameras: from an eye and a point to look at, and an eye from which a box is in view. */
#include "trace/trace.h"
#include "trace/vec.h"

trace_camera trace_camera_make(const trace_view *view)
{
  vec eye = vec_of(view->eye), forward = vec_unit(vec_sub(vec_of(view->at), eye));
  vec axis = vec_unit_axis(view->up_axis), right = vec_cross(forward, axis);
  /* straight up or down */
  if (!(vec_length(right) > 1e-9)) right = vec_cross(forward, vec_unit_axis(0));
  if (!(vec_length(forward) > 0)) forward = vec_unit_axis(0), right = vec_cross(forward, axis);
  right = vec_unit(right);
  vec up = vec_cross(right, forward);
  double half = tan(0.5 * view->degrees * RADIANS);
  trace_camera camera = {0};
  vec_put(camera.eye, eye);
  vec_put(camera.forward, forward);
  vec_put(camera.right, vec_scale(right, half * view->aspect));
  vec_put(camera.up, vec_scale(up, half));
  return camera;
}

/* How far from the middle, along `back`, the eye must be to see a corner of the box at `corner`
 * from the middle. */
static double distance_for(const trace_view *view, vec corner, vec back, vec right, vec up)
{
  const double margin = 1.06, half = tan(0.5 * view->degrees * RADIANS);
  double across = fabs(vec_dot(corner, right)) / (half * view->aspect), high = fabs(vec_dot(corner, up)) / half;
  return margin * (across > high ? across : high) + vec_dot(corner, back);
}

void trace_view_frame(trace_view *view, const double lower[3], const double upper[3], double azimuth, double elevation,
                      double zoom)
{
  vec low = vec_of(lower), half = vec_scale(vec_sub(vec_of(upper), low), 0.5), middle = vec_add(low, half);
  double a = azimuth * RADIANS, e = elevation * RADIANS, distance = 0;
  vec axis = vec_unit_axis(view->up_axis);
  vec side = view->up_axis == 2 ? vec_make(sin(a), -cos(a), 0) : vec_make(sin(a), 0, cos(a));
  vec back = vec_mad(vec_scale(side, cos(e)), axis, sin(e));
  vec right = vec_unit(vec_cross(axis, side)), up = vec_cross(back, right);
  for (int i = 0; i < 8; ++i) {
    vec corner = vec_mul(half, vec_make(i & 1 ? 1 : -1, i & 2 ? 1 : -1, i & 4 ? 1 : -1));
    double d = distance_for(view, corner, back, right, up);
    if (d > distance) distance = d;
  }
  vec_put(view->at, middle);
  vec_put(view->eye, vec_mad(middle, back, (distance > 0 ? distance : 1) / zoom));
}
