/* The morphing scenes as the player sees them: one mesh with its references for all bodies;
 * poses are weights and placements, so they take no memory to speak of, and free bodies are
 * blended when they are played. */
#include "bench/play.h"

#include <stdlib.h>

static bool make_bodies(bench_cast *cast, int bodies, bool made)
{
  cast->meshes = made ? calloc((size_t)bodies, sizeof *cast->meshes) : NULL;
  if (!cast->meshes) {
    bench_cast_free(cast);
    return false;
  }
  cast->bodies = bodies;
  for (int b = 0; b < bodies; ++b) { /* sizes only: the triangles are the shape's */
    cast->meshes[b].vertex_count = cast->shape.vertex_count;
    cast->meshes[b].triangle_count = cast->shape.triangle_count;
  }
  return true;
}

bool bench_cast_b1(int triangles, bench_cast *out)
{
  *out = (bench_cast){.step_count = MORPH_B1_STEPS, .pose_morph = morph_b1_pose};
  return make_bodies(out, MORPH_B1_BODIES, morph_b1_body(scene_geosphere_frequency(triangles), &out->shape));
}

bool bench_cast_b2(int level, bench_cast *out)
{
  *out = (bench_cast){.step_count = MORPH_B2_STEPS, .pose_morph = morph_b2_pose};
  return make_bodies(out, MORPH_B2_DOLPHINS, morph_dolphin(level, &out->shape));
}

pl_transform bench_placement(const morph_pose *pose)
{
  pl_transform t;
  for (int i = 0; i < 3; ++i) {
    for (int k = 0; k < 3; ++k) t.m[i][k] = pose->rotation[3 * i + k];
    t.t[i] = pose->shift[i];
  }
  return t;
}
