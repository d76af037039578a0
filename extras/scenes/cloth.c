/* S3: a square cloth falls on a ball and drapes; the hanging part gathers in folds that finally
 * overturn and run through each other. */
#include "scenes/parts.h"

enum { QUADS_MOST = 15000 }; /* per side; 450 million triangles */

bool scene_cloth(int n, scene_mesh *out)
{
  *out = (scene_mesh){0};
  if (n < 1 || n > QUADS_MOST) return false;
  size_t side = (size_t)n + 1;
  if (!scene_mesh_alloc(out, side * side, 2 * (size_t)n * (size_t)n)) return false;
  for (int j = 0; j <= n; ++j)
    for (int i = 0; i <= n; ++i)
      vec3_store(out->rest, (size_t)j * side + (size_t)i,
                 vec3_make(2.0f * (float)i / (float)n - 1, 0, 2.0f * (float)j / (float)n - 1));
  uint32_t *corner = out->triangles;
  for (uint32_t j = 0; j < (uint32_t)n; ++j)
    for (uint32_t i = 0; i < (uint32_t)n; ++i) {
      uint32_t a = j * (uint32_t)side + i, b = a + 1, c = a + (uint32_t)side, d = c + 1;
      *corner++ = a, *corner++ = b, *corner++ = d;
      *corner++ = a, *corner++ = d, *corner++ = c;
    }
  return true;
}

static float ramp(float t)
{
  t = t < 0 ? 0 : t > 1 ? 1 : t;
  return t * t * (3 - 2 * t);
}

/* How far the stages of the fall are, each from 0 to 1. */
typedef struct drapery {
  float u, fall, drape, over;
} drapery;

static const float BALL = 0.4f; /* its radius */

static vec3 lying(vec3 q, const drapery *d)
{
  float ripple = 0.02f * scene_sin(5 * q.x + 9 * d->u) * scene_sin(4 * q.z + 7 * d->u);
  return vec3_make(q.x, BALL + 0.5f * (1 - d->fall) + ripple, q.z);
}

static vec3 hanging(vec3 q, const drapery *d)
{
  const float folds = 12;
  float s = sqrtf(q.x * q.x + q.z * q.z), phi = (float)atan2(q.z, q.x);
  float arc = s / BALL < 1.45f ? s / BALL : 1.45f, hang = s - 1.45f * BALL > 0 ? s - 1.45f * BALL : 0;
  float radius = BALL * scene_sin(arc) + 0.12f * hang, y = BALL * scene_cos(arc) - 0.99f * hang;
  float w = hang / (hang + 0.15f); /* folds grow towards the hem */
  float a = folds * phi + 0.6f * scene_sin(3 * phi) + 2.0f * d->u;
  radius += w * 0.16f * scene_sin(a);
  phi += w * (1.6f + 0.9f * d->over) * d->over * scene_sin(2 * a + 1.1f) / folds * 1.5f;
  return vec3_make(radius * scene_cos(phi), y, radius * scene_sin(phi));
}

void scene_s3_pose(scene_mesh *mesh, int step)
{
  float u = scene_progress(step, SCENE_S3_STEPS);
  drapery d = {u, ramp(u / 0.25f), ramp((u - 0.15f) / 0.6f), ramp((u - 0.5f) / 0.5f)};
  for (size_t i = 0; i < mesh->vertex_count; ++i) {
    vec3 q = vec3_load(mesh->rest, i);
    vec3_store(mesh->xyz, i, vec3_lerp(lying(q, &d), hanging(q, &d), d.drape));
  }
}
