/* A body with a head, ears and limbs that bulge from a ball, and particles within it that swing. */
#include "scenes/governed.h"
#include "scenes/parts.h"

enum { SEGMENTS = 160, BULGES = 7 };

static const float bulge[BULGES][5] = {
    /* direction, height, width */
    {0, 1, 0, 0.55f, 0.55f},           {0.45f, 0.9f, 0.1f, 0.35f, 0.16f}, {-0.45f, 0.9f, 0.1f, 0.35f, 0.16f},
    {0.9f, 0.2f, 0.35f, 0.5f, 0.3f},   {-0.9f, 0.2f, 0.35f, 0.5f, 0.3f},  {0.5f, -0.8f, 0.35f, 0.5f, 0.35f},
    {-0.5f, -0.8f, 0.35f, 0.5f, 0.35f}};

static float radius(vec3 d)
{
  float r = 0.7f;
  for (int k = 0; k < BULGES; ++k) {
    vec3 way = vec3_sub(d, vec3_normalize(vec3_make(bulge[k][0], bulge[k][1], bulge[k][2])));
    float far = vec3_dot(way, way) / (bulge[k][4] * bulge[k][4]);
    if (far < 1) r += bulge[k][3] * (1 - far) * (1 - far) * (1 - far);
  }
  return r;
}

bool scene_bear(int rings, scene_mesh *out)
{
  *out = (scene_mesh){0};
  if (rings < 2 || rings > 10000) return false;
  size_t n = (size_t)rings * SEGMENTS, south = n, north = n + 1;
  if (!scene_mesh_alloc(out, n + 2, 2 * n)) return false;
  for (int i = 0; i < rings; ++i)
    for (int j = 0; j < SEGMENTS; ++j) {
      float a = 3.14159265f * (float)(i + 1) / (float)(rings + 1), b = 6.2831853f * (float)j / SEGMENTS;
      vec3 d = vec3_make(scene_sin(a) * scene_cos(b), -scene_cos(a), scene_sin(a) * scene_sin(b));
      vec3_store(out->rest, (size_t)(i * SEGMENTS + j), vec3_scale(d, radius(d)));
    }
  vec3_store(out->rest, south, vec3_make(0, -radius(vec3_make(0, -1, 0)), 0));
  vec3_store(out->rest, north, vec3_make(0, radius(vec3_make(0, 1, 0)), 0));
  uint32_t *t = out->triangles;
  for (uint32_t j = 0; j < SEGMENTS; ++j) {
    uint32_t next = (j + 1) % SEGMENTS, last = (uint32_t)(rings - 1) * SEGMENTS;
    const uint32_t ends[6] = {(uint32_t)south, j, next, (uint32_t)north, last + next, last + j};
    for (int k = 0; k < 6; ++k) *t++ = ends[k];
    for (uint32_t i = 0; i + 1 < (uint32_t)rings; ++i) {
      uint32_t v = i * SEGMENTS + j, w = i * SEGMENTS + next;
      const uint32_t quad[6] = {v, v + SEGMENTS, w, w, v + SEGMENTS, w + SEGMENTS};
      for (int k = 0; k < 6; ++k) *t++ = quad[k];
    }
  }
  for (size_t k = 0; k < 3 * out->vertex_count; ++k) out->xyz[k] = out->rest[k];
  return true;
}

/* Fourteen in the bulges, near and far, and ten within the ball. */
void scene_bear_rest(float particles[SCENE_BEAR_PARTICLES][3])
{
  for (int i = 0; i < SCENE_BEAR_PARTICLES; ++i) {
    vec3 p;
    if (i < 2 * BULGES) {
      vec3 d = vec3_normalize(vec3_make(bulge[i / 2][0], bulge[i / 2][1], bulge[i / 2][2]));
      p = vec3_scale(d, i % 2 ? 0.9f * radius(d) : 0.6f);
    } else {
      int k = i - 2 * BULGES;
      float y = 0.8f - 0.175f * (float)k, a = 2.3999632f * (float)k, r = sqrtf(1 - y * y);
      p = vec3_scale(vec3_make(r * scene_cos(a), y, r * scene_sin(a)), 0.45f);
    }
    vec3_store(particles[0], (size_t)i, p);
  }
}

/* Limbs swing about the middle, the body is squashed, and arms are pressed into the sides. */
void scene_bear_pose(int step, float particles[SCENE_BEAR_PARTICLES][3])
{
  float t = scene_progress(step, SCENE_GOVERNED_STEPS);
  scene_bear_rest(particles);
  for (int i = 0; i < SCENE_BEAR_PARTICLES; ++i) {
    vec3 p = vec3_load(particles[0], (size_t)i);
    float far = vec3_length(p), swing = 0.9f * far * scene_sin(6.2831853f * t), c = scene_cos(swing),
          s = scene_sin(swing);
    float side = p.x > 0 ? 1 : -1, squash = 1 - 0.25f * scene_sin(3.14159265f * t);
    p = vec3_make(c * p.x + side * s * p.y, c * p.y - side * s * p.x, p.z);
    vec3_store(particles[0], (size_t)i,
               vec3_make(p.x / squash, p.y * squash, p.z + 0.15f * scene_sin(5 * t + 3 * p.y)));
  }
}
