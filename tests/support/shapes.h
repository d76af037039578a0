/* Three shapes over the same triangles, for bodies that morph. */
#ifndef TESTS_SHAPES_H
#define TESTS_SHAPES_H

#include "scenes/scenes.h"
#include "support/worlds.h"

#include <math.h>
#include <stdlib.h>

enum { SHAPES = 3 };

typedef struct shapes {
  scene_mesh mesh;
  float *xyz[SHAPES];
  double *xyz_f64[SHAPES];
} shapes;

/* A bumpy sphere, a flat star and a long egg over the same triangles. */
static inline void shapes_create(shapes *s, int frequency)
{
  assert_true(scene_geosphere(frequency, &s->mesh));
  for (int r = 0; r < SHAPES; ++r) {
    s->xyz[r] = malloc(3 * s->mesh.vertex_count * sizeof(float));
    s->xyz_f64[r] = malloc(3 * s->mesh.vertex_count * sizeof(double));
    for (size_t v = 0; v < s->mesh.vertex_count; ++v) {
      const float *d = s->mesh.rest + 3 * v;
      double x = (double)d[0], y = (double)d[1], z = (double)d[2], a = atan2(y, x);
      double scale[SHAPES][3] = {{1 + 0.1 * sin(9 * x), 1 + 0.1 * sin(9 * x), 1 + 0.1 * sin(9 * x)},
                                 {1 + 0.5 * cos(5 * a), 1 + 0.5 * cos(5 * a), 0.3},
                                 {0.6, 0.5 + 0.1 * sin(7 * z), 1.7}};
      double q[3] = {x * scale[r][0], y * scale[r][1], z * scale[r][2]};
      for (size_t k = 0; k < 3; ++k) {
        s->xyz[r][3 * v + k] = (float)q[k];
        s->xyz_f64[r][3 * v + k] = q[k];
      }
    }
  }
}

static inline void shapes_free(shapes *s)
{
  for (int r = 0; r < SHAPES; ++r) {
    free(s->xyz[r]);
    free(s->xyz_f64[r]);
  }
  scene_mesh_free(&s->mesh);
}

static inline pl_positions shape(const shapes *s, int r, bool doubles)
{
  return doubles ? pl_positions_f64(s->xyz_f64[r], s->mesh.vertex_count)
                 : pl_positions_f32(s->xyz[r], s->mesh.vertex_count);
}

static inline pl_mesh_def mesh_of(const shapes *s, int r, bool doubles)
{
  pl_mesh_def mesh = pl_mesh_def_default();
  mesh.positions = shape(s, r, doubles);
  mesh.triangles = s->mesh.triangles;
  mesh.triangle_count = s->mesh.triangle_count;
  return mesh;
}

#endif
