/* Cameras: from an eye and a point to look at, and an eye from which a box is in view. */
#include "trace/trace.h"
#include "trace/vec.h"

static const double radians = 3.14159265358979323846 / 180;

trace_camera trace_camera_make(const trace_view *view)
{
  vec eye = vec_of(view->eye), forward = vec_unit(vec_sub(vec_of(view->at), eye));
  vec axis = vec_unit_axis(view->up_axis), right = vec_cross(forward, axis);
  if (!(vec_length(right) > 1e-9)) right = vec_cross(forward, vec_unit_axis(0)); /* straight up or down */
  if (!(vec_length(forward) > 0)) forward = vec_unit_axis(0), right = vec_cross(forward, axis);
  right = vec_unit(right);
  vec up = vec_cross(right, forward);
  double half = tan(0.5 * view->degrees * radians);
  trace_camera camera;
  vec_put(camera.eye, eye);
  vec_put(camera.forward, forward);
  vec_put(camera.right, vec_scale(right, half * view->aspect));
  vec_put(camera.up, vec_scale(up, half));
  return camera;
}

/* The sphere around the box touches the nearer pair of the picture's sides. */
void trace_view_frame(trace_view *view, const double lower[3], const double upper[3], double azimuth, double elevation,
                      double zoom)
{
  vec low = vec_of(lower), high = vec_of(upper), middle = vec_scale(vec_add(low, high), 0.5);
  double radius = 0.5 * vec_length(vec_sub(high, low));
  if (!(radius > 0)) radius = 1;
  double half = tan(0.5 * view->degrees * radians), narrow = view->aspect < 1 ? half * view->aspect : half;
  double distance = radius / sin(atan(narrow)) * 0.92 / zoom;
  double a = azimuth * radians, e = elevation * radians;
  vec side = view->up_axis == 2 ? vec_make(sin(a), -cos(a), 0) : vec_make(sin(a), 0, cos(a));
  vec to = vec_mad(vec_scale(side, cos(e)), vec_unit_axis(view->up_axis), sin(e));
  vec_put(view->at, middle);
  vec_put(view->eye, vec_mad(middle, to, distance));
}
