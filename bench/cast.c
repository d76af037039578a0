/* The scenes as the player sees them, and all their poses in memory. Cost: 12 bytes per vertex,
 * played step and space; two bodies of a million triangles at eleven steps are 132 MB. */
#include "bench/play.h"

#include <stdlib.h>
#include <string.h>

void bench_cast_free(bench_cast *cast)
{
  for (int b = 0; b < cast->bodies; ++b) scene_mesh_free(&cast->meshes[b]);
  free(cast->meshes);
  morph_mesh_free(&cast->shape);
  *cast = (bench_cast){0};
}

/* Makes bodies of one kind; arms: 0 for spheres. */
static bool make_bodies(bench_cast *cast, int bodies, int triangles, int arms)
{
  cast->meshes = calloc((size_t)bodies, sizeof *cast->meshes);
  if (!cast->meshes) return false;
  cast->bodies = bodies;
  for (int b = 0; b < bodies; ++b) {
    bool made = arms ? scene_armed_body(triangles, arms, &cast->meshes[b])
                     : scene_geosphere(scene_geosphere_frequency(triangles), &cast->meshes[b]);
    if (!made) {
      bench_cast_free(cast);
      return false;
    }
  }
  return true;
}

static pl_transform placement(const float rotation[9], const float shift[3])
{
  pl_transform t;
  for (int i = 0; i < 3; ++i) {
    for (int k = 0; k < 3; ++k) t.m[i][k] = rotation[3 * i + k];
    t.t[i] = shift[i];
  }
  return t;
}

/* ---------------------------------------------------------------------------------------- S1 -- */

static void s1_pose(bench_cast *cast, int step) { scene_s1_pose(&cast->meshes[0], &cast->meshes[1], step); }

static void s1_pose_model(bench_cast *cast, int step, pl_transform *placements)
{
  float shift[3];
  scene_s1_pose_model(&cast->meshes[0], &cast->meshes[1], step, shift);
  placements[0] = placements[1] = pl_transform_identity();
  for (int i = 0; i < 3; ++i) placements[1].t[i] = shift[i];
}

bool bench_cast_s1(int triangles, bench_cast *out)
{
  *out = (bench_cast){.step_count = SCENE_S1_STEPS, .pose = s1_pose, .pose_model = s1_pose_model};
  return make_bodies(out, 2, triangles, 0);
}

static void s1r_pose(bench_cast *cast, int step) { scene_s1r_pose(&cast->meshes[0], &cast->meshes[1], step); }

static void s1r_pose_model(bench_cast *cast, int step, pl_transform *placements)
{
  float shift[3];
  scene_s1r_pose_model(&cast->meshes[0], &cast->meshes[1], step, shift);
  placements[0] = placements[1] = pl_transform_identity();
  for (int i = 0; i < 3; ++i) placements[1].t[i] = shift[i];
}

bool bench_cast_s1r(int triangles, bench_cast *out)
{
  *out = (bench_cast){.step_count = SCENE_S1_STEPS, .pose = s1r_pose, .pose_model = s1r_pose_model};
  return make_bodies(out, 2, triangles, 0);
}

/* ---------------------------------------------------------------------------------------- S2 -- */

static void s2_pose(bench_cast *cast, int step)
{
  for (int b = 0; b < cast->bodies; ++b) scene_s2_pose(&cast->meshes[b], b, step);
}

static void s2_arms_pose(bench_cast *cast, int step)
{
  for (int b = 0; b < cast->bodies; ++b) scene_s2_arms_pose(&cast->meshes[b], b, step);
}

static void s2_pose_model(bench_cast *cast, int step, pl_transform *placements)
{
  float rotation[9], shift[3];
  for (int b = 0; b < cast->bodies; ++b) {
    scene_s2_pose_model(&cast->meshes[b], b, step, rotation, shift);
    placements[b] = placement(rotation, shift);
  }
}

static void s2_arms_pose_model(bench_cast *cast, int step, pl_transform *placements)
{
  float rotation[9], shift[3];
  for (int b = 0; b < cast->bodies; ++b) {
    scene_s2_arms_pose_model(&cast->meshes[b], b, step, rotation, shift);
    placements[b] = placement(rotation, shift);
  }
}

bool bench_cast_s2(int triangles, int arms, bench_cast *out)
{
  *out = (bench_cast){.step_count = SCENE_S2_STEPS,
                      .pose = arms ? s2_arms_pose : s2_pose,
                      .pose_model = arms ? s2_arms_pose_model : s2_pose_model};
  return make_bodies(out, SCENE_S2_BODIES, triangles, arms);
}

/* ------------------------------------------------------------------------------------- poses -- */

void bench_poses_free(bench_poses *poses)
{
  free(poses->steps);
  free(poses->begin);
  free(poses->xyz[0]);
  free(poses->xyz[1]);
  free(poses->placements);
  free(poses->morphs);
  *poses = (bench_poses){0};
}

static bool allocate(const bench_cast *cast, int stride, bool world, bool model, bench_poses *out)
{
  *out = (bench_poses){.bodies = cast->bodies, .frames = (cast->step_count - 1) / stride + 1};
  size_t frames = (size_t)out->frames, bodies = (size_t)cast->bodies;
  out->steps = calloc(frames, sizeof *out->steps);
  out->begin = calloc(bodies + 1, sizeof *out->begin);
  out->placements = calloc(frames * bodies, sizeof *out->placements);
  if (cast->pose_morph) out->morphs = calloc(frames * bodies, sizeof *out->morphs);
  if (!out->steps || !out->begin || !out->placements || (cast->pose_morph && !out->morphs)) return false;
  for (size_t b = 0; b < bodies; ++b) out->begin[b + 1] = out->begin[b] + 3 * cast->meshes[b].vertex_count;
  for (int space = 0; space < 2; ++space) {
    if (!(space ? model : world)) continue;
    out->xyz[space] = malloc(frames * out->begin[bodies] * sizeof(float));
    if (!out->xyz[space]) return false;
  }
  return true;
}

bool bench_poses_make(bench_cast *cast, int stride, bool world, bool model, bench_poses *out)
{
  if (stride < 1) stride = 1;
  if (!allocate(cast, stride, world, model, out)) {
    bench_poses_free(out);
    return false;
  }
  for (int f = 0; f < out->frames; ++f) {
    out->steps[f] = (cast->step_count - 1) % stride + f * stride;
    for (int b = 0; out->morphs && b < cast->bodies; ++b) {
      morph_pose *pose = &out->morphs[f * cast->bodies + b];
      cast->pose_morph(b, out->steps[f], pose);
      out->placements[f * cast->bodies + b] = bench_placement(pose);
    }
    for (int space = 0; space < 2; ++space) {
      if (!out->xyz[space]) continue;
      if (space)
        cast->pose_model(cast, out->steps[f], &out->placements[f * cast->bodies]);
      else
        cast->pose(cast, out->steps[f]);
      float *frame = out->xyz[space] + (size_t)f * out->begin[out->bodies];
      for (int b = 0; b < cast->bodies; ++b)
        memcpy(frame + out->begin[b], cast->meshes[b].xyz, (out->begin[b + 1] - out->begin[b]) * sizeof(float));
    }
  }
  return true;
}
