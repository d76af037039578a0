/* What the scenes share among themselves: small vectors, a sine that is the same everywhere,
 * meshes, placements. Not for users of scenes.h. */
#ifndef SCENES_PARTS_H
#define SCENES_PARTS_H

#include "scenes/scenes.h"

#include <math.h>

typedef struct vec3 {
  float x, y, z;
} vec3;

static inline vec3 vec3_make(float x, float y, float z)
{
  vec3 v = {x, y, z};
  return v;
}
static inline vec3 vec3_add(vec3 a, vec3 b) { return vec3_make(a.x + b.x, a.y + b.y, a.z + b.z); }
static inline vec3 vec3_sub(vec3 a, vec3 b) { return vec3_make(a.x - b.x, a.y - b.y, a.z - b.z); }
static inline vec3 vec3_scale(vec3 a, float s) { return vec3_make(a.x * s, a.y * s, a.z * s); }
static inline float vec3_dot(vec3 a, vec3 b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
static inline vec3 vec3_cross(vec3 a, vec3 b)
{
  return vec3_make(a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x);
}
static inline float vec3_length(vec3 a) { return sqrtf(vec3_dot(a, a)); }
static inline vec3 vec3_normalize(vec3 a) { return vec3_scale(a, 1.0f / vec3_length(a)); }
static inline vec3 vec3_lerp(vec3 a, vec3 b, float t) { return vec3_add(a, vec3_scale(vec3_sub(b, a), t)); }

static inline vec3 vec3_load(const float *xyz, size_t i)
{
  return vec3_make(xyz[3 * i], xyz[3 * i + 1], xyz[3 * i + 2]);
}
static inline void vec3_store(float *xyz, size_t i, vec3 v)
{
  xyz[3 * i] = v.x;
  xyz[3 * i + 1] = v.y;
  xyz[3 * i + 2] = v.z;
}

/* Sine and cosine of our own, because those of a C library differ in the last bit between
 * libraries and processors, and then the scenes would not be the same floats everywhere. In
 * double: the nearest multiple of pi is taken off in two parts, which is exact enough for |x| <
 * 1e5, and Taylor's series on [-pi/2, pi/2] ends below 2e-14. Nothing but sums and products, so
 * that compilers make loops of it wide. */
static inline double scene_wave(double x)
{
  static const double SERIES[] = {1,
                                  -1.0 / 6,
                                  1.0 / 120,
                                  -1.0 / 5040,
                                  1.0 / 362880,
                                  -1.0 / 39916800,
                                  1.0 / 6227020800.0,
                                  -1.0 / 1307674368000.0,
                                  1.0 / 355687428096000.0};
  const double whole = 0x1.8p52; /* adding and taking it off leaves the nearest whole number */
  double n = (x * 0.31830988618379067154 + whole) - whole;
  double odd = n - 2 * ((0.5 * n + whole) - whole); /* 0, or 1 or -1 */
  double r = (x - n * 3.14159265346825122834) - n * 1.21542010130123844986e-10, s = r * r, sum = SERIES[8];
  for (int k = 7; k >= 0; --k) sum = SERIES[k] + s * sum;
  return r * sum * (1 - 2 * odd * odd);
}
static inline float scene_sin(float x) { return (float)scene_wave(x); }
static inline float scene_cos(float x) { return (float)scene_wave(x + 1.57079632679489661923); }

/* Room for a mesh; all zero and false: out of memory. */
bool scene_mesh_alloc(scene_mesh *mesh, size_t vertices, size_t triangles);

/* world = rotation by `angle` about one fixed oblique axis, then a shift. */
typedef struct placement {
  float angle;
  vec3 centre;
} placement;

/* xyz: model -> world, in place */
void scene_place(scene_mesh *mesh, placement p);
/* the same, for callers */
void scene_placement_matrix(placement p, float rotation[9], float shift[3]);
placement scene_s2_placement(int body, int step);
float scene_progress(int step, int steps); /* 0 at the first step, 1 at the last */

#endif
