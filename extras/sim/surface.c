/* What contacts are found on: the points of a shape, on large triangles samples between them, so
 * that also the middle of a face has spheres, and normals of both. Samples have next to no mass. */
#include "world.h"

#include <stdlib.h>

enum { MOST_SAMPLES = 20000, MOST_CUTS = 16 };

static const double SAMPLE_MASS = 1e-12; /* of the mean mass of a point */

/* -1 if the triangles of a closed shape face inwards, else 1. */
static double facing(const shape *s)
{
  double volume = 0;
  for (size_t t = 0; t < s->triangle_count; ++t) {
    double m[3][3];
    for (int k = 0; k < 3; ++k)
      for (int x = 0; x < 3; ++x) m[k][x] = s->points[3 * s->triangles[3 * t + k] + x];
    volume += det3((const double(*)[3])m);
  }
  return volume < 0 ? -1 : 1;
}

static double face_normal(const shape *s, size_t triangle, double out[3])
{
  const uint32_t *v = &s->triangles[3 * triangle];
  const float *a = &s->points[3 * v[0]], *b = &s->points[3 * v[1]], *c = &s->points[3 * v[2]];
  double u[3] = {b[0] - a[0], b[1] - a[1], b[2] - a[2]}, d[3] = {c[0] - a[0], c[1] - a[1], c[2] - a[2]};
  cross3(u, d, out);
  return length3(out);
}

/* Normals of unit length at the points; where there is none, away from the centre. */
static void set_normals(shape *s, double sign)
{
  for (size_t t = 0; t < s->triangle_count; ++t) {
    double n[3];
    face_normal(s, t, n);
    for (int k = 0; k < 3; ++k)
      for (int x = 0; x < 3; ++x) s->normals[3 * s->triangles[3 * t + k] + x] += (float)(sign * n[x]);
  }
  for (size_t i = 0; i < s->point_count; ++i) {
    float *n = &s->normals[3 * i];
    const float *p = &s->points[3 * i];
    double d[3] = {n[0], n[1], n[2]}, length = length3(d);
    if (!(length > 0)) d[0] = p[0], d[1] = p[1], d[2] = p[2], length = length3(d);
    if (!(length > 0)) d[1] = length = 1;
    for (int k = 0; k < 3; ++k) n[k] = (float)(d[k] / length);
  }
}

/* Into how many parts the edges of a triangle are cut: none where points are close enough. */
static int cuts_of(const shape *s, size_t triangle)
{
  double longest = 0, apart = s->reach / 4;
  for (int k = 0; k < 3; ++k) {
    const float *a = &s->points[3 * s->triangles[3 * triangle + k]],
                *b = &s->points[3 * s->triangles[3 * triangle + (k + 1) % 3]];
    double d[3] = {b[0] - a[0], b[1] - a[1], b[2] - a[2]};
    longest = fmax(longest, length3(d));
  }
  if (!(longest > 1.5 * apart)) return 0;
  return (int)fmin(ceil(longest / apart), MOST_CUTS);
}

/* The middles of the parts of a triangle whose edges are cut. */
static void add_samples(shape *s, size_t triangle, double sign, size_t room)
{
  const uint32_t *v = &s->triangles[3 * triangle];
  double n[3], length = face_normal(s, triangle, n);
  int cuts = cuts_of(s, triangle);
  for (int i = 0; i < cuts && length > 0; ++i)
    for (int j = 0; j < 2 * (cuts - i) - 1 && s->surface_count < room; ++j) {
      double up = j % 2 ? 2.0 / 3 : 1.0 / 3, a = (i + up) / cuts, b = (j / 2 + up) / cuts;
      float *at = &s->points[3 * s->surface_count];
      for (int k = 0; k < 3; ++k) {
        at[k] =
            (float)(s->points[3 * v[0] + k] * (1 - a - b) + s->points[3 * v[1] + k] * a + s->points[3 * v[2] + k] * b);
        s->normals[3 * s->surface_count + k] = (float)(sign * n[k] / length);
      }
      s->masses[s->surface_count++] = SAMPLE_MASS * s->mass / (double)s->point_count;
    }
}

bool shape_make_surface(shape *s)
{
  size_t room = s->point_count;
  for (size_t t = 0; t < s->triangle_count && room < s->point_count + MOST_SAMPLES; ++t)
    room += (size_t)(cuts_of(s, t) * cuts_of(s, t));
  float *points = realloc(s->points, 3 * room * sizeof *points);
  if (points) s->points = points;
  double *masses = realloc(s->masses, room * sizeof *masses);
  if (masses) s->masses = masses;
  s->normals = calloc(3 * room, sizeof *s->normals);
  if (!points || !masses || !s->normals) return false;
  double sign = facing(s);
  s->surface_count = s->point_count;
  set_normals(s, sign);
  for (size_t t = 0; t < s->triangle_count; ++t) add_samples(s, t, sign, room);
  return true;
}
