/* Vectors of three doubles: all of the tracer's geometry. */
#ifndef TRACE_VEC_H
#define TRACE_VEC_H

#include <math.h>

#define RADIANS (3.14159265358979323846 / 180) /* of a degree */

typedef struct vec {
  double x, y, z;
} vec;

static inline vec vec_make(double x, double y, double z) { return (vec){x, y, z}; }
static inline vec vec_of(const double v[3]) { return (vec){v[0], v[1], v[2]}; }
static inline vec vec_of_float(const float v[3]) { return (vec){v[0], v[1], v[2]}; }
static inline vec vec_add(vec a, vec b) { return (vec){a.x + b.x, a.y + b.y, a.z + b.z}; }
static inline vec vec_sub(vec a, vec b) { return (vec){a.x - b.x, a.y - b.y, a.z - b.z}; }
static inline vec vec_scale(vec a, double s) { return (vec){a.x * s, a.y * s, a.z * s}; }
static inline vec vec_mul(vec a, vec b) { return (vec){a.x * b.x, a.y * b.y, a.z * b.z}; }
static inline vec vec_mad(vec a, vec b, double s) { return (vec){a.x + b.x * s, a.y + b.y * s, a.z + b.z * s}; }
static inline vec vec_mix(vec a, vec b, double s) { return vec_mad(vec_scale(a, 1 - s), b, s); }
static inline double vec_dot(vec a, vec b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
static inline vec vec_cross(vec a, vec b)
{
  return (vec){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
static inline double vec_length(vec a) { return sqrt(vec_dot(a, a)); }
static inline double vec_axis(vec a, int axis) { return axis == 0 ? a.x : axis == 1 ? a.y : a.z; }
static inline vec vec_unit_axis(int axis) { return (vec){axis == 0, axis == 1, axis == 2}; }

/* A direction without length stays as it is. */
static inline vec vec_unit(vec a)
{
  double l = vec_length(a);
  return l > 0 ? vec_scale(a, 1 / l) : a;
}

static inline void vec_put(double to[3], vec a)
{
  to[0] = a.x;
  to[1] = a.y;
  to[2] = a.z;
}
static inline void vec_put_float(float to[3], vec a)
{
  to[0] = (float)a.x;
  to[1] = (float)a.y;
  to[2] = (float)a.z;
}

#endif
