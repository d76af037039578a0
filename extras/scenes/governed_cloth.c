/* A cloth by its control points: an arc in the middle bends more and more, until the flat wings
 * to both sides of it cross. */
#include "scenes/governed.h"
#include "scenes/parts.h"

enum { LONG = 21, WIDE = 11 };

bool scene_control_cloth(scene_mesh *out)
{
  *out = (scene_mesh){0};
  if (!scene_mesh_alloc(out, (size_t)LONG * WIDE, (size_t)2 * (LONG - 1) * (WIDE - 1))) return false;
  for (int i = 0; i < LONG; ++i)
    for (int j = 0; j < WIDE; ++j)
      vec3_store(out->rest, (size_t)(i * WIDE + j), vec3_make(0.1f * (float)i - 1, 0, 0.1f * (float)j - 0.5f));
  uint32_t *t = out->triangles;
  for (uint32_t i = 0; i + 1 < LONG; ++i)
    for (uint32_t j = 0; j + 1 < WIDE; ++j, t += 6) {
      uint32_t v = i * WIDE + j;
      const uint32_t quad[6] = {v, v + 1, v + WIDE, v + WIDE, v + 1, v + WIDE + 1};
      for (int k = 0; k < 6; ++k) t[k] = quad[k];
    }
  for (size_t k = 0; k < 3 * out->vertex_count; ++k) out->xyz[k] = out->rest[k];
  return true;
}

/* Bends the middle third by `turn` in all, and ripples by `ripple`. */
static void pose(scene_mesh *mesh, float turn, float ripple, float time)
{
  enum { PIECES = 200 };
  float x[PIECES + 1], y[PIECES + 1], angle[PIECES + 1];
  x[0] = y[0] = 0;
  for (int k = 0; k <= PIECES; ++k) {
    float s = 2 * ((float)k / PIECES) - 1, part = s < -1.0f / 3 ? -1 : s > 1.0f / 3 ? 1 : 3 * s;
    angle[k] = 0.5f * turn * part;
    if (k == 0) continue;
    float mean = 0.5f * (angle[k] + angle[k - 1]);
    x[k] = x[k - 1] + scene_cos(mean) * 2 / PIECES;
    y[k] = y[k - 1] + scene_sin(mean) * 2 / PIECES;
  }
  for (size_t v = 0; v < mesh->vertex_count; ++v) {
    vec3 p = vec3_load(mesh->rest, v);
    int k = (int)((p.x + 1) * (PIECES / 2) + 0.5f);
    float up = ripple * scene_sin(6 * p.x + 5 * time) * scene_cos(5 * p.z + 3 * time);
    vec3_store(mesh->xyz, v,
               vec3_make(x[k] - x[PIECES / 2] - up * scene_sin(angle[k]), y[k] + up * scene_cos(angle[k]), p.z));
  }
}

void scene_control_fold(scene_mesh *mesh, int step)
{
  float t = scene_progress(step, SCENE_GOVERNED_STEPS);
  pose(mesh, 3.9f * t, 0.03f, t);
}

void scene_control_wave(scene_mesh *mesh, int step)
{
  float t = scene_progress(step, SCENE_GOVERNED_STEPS);
  pose(mesh, 0.6f, 0.06f, 2 * t);
}

void scene_control_wrinkle(scene_mesh *mesh, int step)
{
  float t = scene_progress(step, SCENE_GOVERNED_STEPS);
  pose(mesh, 1.5f * t, 0.03f, t);
  for (size_t v = 0; v < mesh->vertex_count; ++v) {
    vec3 p = vec3_load(mesh->xyz, v);
    float phase = 12.9898f * (float)(v % 37) + 78.233f * (float)(v % 53), size = 0.05f * t;
    p.x += size * scene_sin(phase + 4 * t);
    p.y += size * scene_sin(1.7f * phase + 5 * t);
    p.z += size * scene_sin(2.3f * phase + 3 * t);
    vec3_store(mesh->xyz, v, p);
  }
}
