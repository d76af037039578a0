/* What the tests of the morphing scenes share. */
#ifndef TESTS_MORPH_SUPPORT_H
#define TESTS_MORPH_SUPPORT_H

#include "pliant/pliant.h"
#include "scenes/morph.h"
#include "support/support.h"

#include <math.h>
#include <stdlib.h>

static const morph_pose AT_HOME = {{0, 1, 0}, {1, 0, 0, 0, 1, 0, 0, 0, 1}, {0, 0, 0}};

static inline float *positions_of(const morph_mesh *mesh)
{
  float *xyz = calloc(3 * mesh->vertex_count, sizeof *xyz);
  assert_non_null(xyz);
  return xyz;
}

/* The shape at a time in [0, 2], in model space. */
static inline void blend_at(const morph_mesh *mesh, double time, float *xyz)
{
  morph_pose pose = AT_HOME;
  for (int r = 0; r < 3; ++r) pose.weight[r] = fmax(0, 1 - fabs(time - r));
  morph_blend(mesh, &pose, xyz);
}

static inline pl_context *make_context(void)
{
  pl_context_def def = pl_context_def_default();
  pl_context *context;
  def.threads = 1;
  assert_int_equal(pl_context_create(&def, &context), PL_OK);
  return context;
}

static inline pl_mesh_def mesh_def(const morph_mesh *mesh, const float *xyz)
{
  pl_mesh_def def = pl_mesh_def_default();
  def.positions = pl_positions_f32(xyz, mesh->vertex_count);
  def.triangles = mesh->triangles;
  def.triangle_count = mesh->triangle_count;
  return def;
}

#endif
