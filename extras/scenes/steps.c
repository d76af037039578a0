#include "scenes/steps.h"

#include "scenes/parts.h"

#include <stdlib.h>
#include <string.h>

const char *scene_step_text(scene_step_kind kind)
{
#define TEXT(name, text, triangles) text,
  static const char *const texts[] = {SCENE_STEP_LIST(TEXT)};
#undef TEXT
  return texts[kind];
}

int scene_step_triangles(scene_step_kind kind)
{
#define COUNT(name, text, triangles) triangles,
  static const int counts[] = {SCENE_STEP_LIST(COUNT)};
#undef COUNT
  return counts[kind];
}

void scene_step_free(scene_step *step)
{
  scene_mesh_free(&step->mesh);
  free(step->start);
  step->start = NULL;
}

/* The present pose becomes the start. */
static bool keep_start(scene_step *step)
{
  size_t size = 3 * step->mesh.vertex_count * sizeof *step->start;
  if (!step->start) step->start = malloc(size);
  if (step->start) memcpy(step->start, step->mesh.xyz, size);
  return step->start != NULL;
}

/* Puts a mesh behind another. */
static bool append(scene_mesh *to, const scene_mesh *more)
{
  scene_mesh both;
  if (!scene_mesh_alloc(&both, to->vertex_count + more->vertex_count, to->triangle_count + more->triangle_count))
    return false;
  memcpy(both.rest, to->rest, 3 * to->vertex_count * sizeof *both.rest);
  memcpy(both.rest + 3 * to->vertex_count, more->rest, 3 * more->vertex_count * sizeof *both.rest);
  memcpy(both.xyz, to->xyz, 3 * to->vertex_count * sizeof *both.xyz);
  memcpy(both.xyz + 3 * to->vertex_count, more->xyz, 3 * more->vertex_count * sizeof *both.xyz);
  memcpy(both.triangles, to->triangles, 3 * to->triangle_count * sizeof *both.triangles);
  for (size_t i = 0; i < 3 * more->triangle_count; ++i)
    both.triangles[3 * to->triangle_count + i] = more->triangles[i] + (uint32_t)to->vertex_count;
  scene_mesh_free(to);
  *to = both;
  return true;
}

/* ------------------------------------------------------------------------------------- crane -- */

static bool make_crane(int triangles, scene_step *s)
{
  if (!scene_armed_body(triangles, 6, &s->mesh)) return false;
  scene_s2_arms_pose(&s->mesh, 3, 40);
  if (!keep_start(s)) return false;
  scene_s2_arms_pose(&s->mesh, 3, 43);
  return true;
}

/* --------------------------------------------------------------------------------------- rod -- */

enum { COILS = 24 };

/* A rod along a helix; its coils have a distance of `pitch` times its thickness. */
static void pose_rod(scene_mesh *mesh, int along, int around, double pitch, double twist)
{
  const double thick = 0.05, radius = 0.3, turn = 6.28318530717958647692;
  for (int i = 0; i <= along; ++i)
    for (int k = 0; k < around; ++k) {
      double phi = turn * COILS * i / along, psi = turn * k / around + twist * i / along;
      double out = radius + 0.5 * thick * scene_wave(psi + turn / 4), up = 0.5 * thick * scene_wave(psi);
      double height = thick * pitch * COILS * i / along;
      vec3_store(
          mesh->xyz, (size_t)(i * around + k),
          vec3_make((float)(out * scene_wave(phi + turn / 4)), (float)(height + up), (float)(out * scene_wave(phi))));
    }
}

static bool make_rod(int triangles, scene_step *s)
{
  const int around = triangles < 20000 ? 12 : 48, least = 4 * COILS;
  const int along = triangles / (2 * around) > least ? triangles / (2 * around) : least;
  if (!scene_mesh_alloc(&s->mesh, (size_t)(along + 1) * (size_t)around, 2 * (size_t)along * (size_t)around))
    return false;
  uint32_t *corner = s->mesh.triangles, n = (uint32_t)around;
  for (uint32_t i = 0; i < (uint32_t)along; ++i)
    for (uint32_t k = 0; k < n; ++k) {
      uint32_t a = i * n + k, b = i * n + (k + 1) % n, c = a + n, d = b + n;
      *corner++ = a, *corner++ = b, *corner++ = d;
      *corner++ = a, *corner++ = d, *corner++ = c;
    }
  pose_rod(&s->mesh, along, around, 1.02, 20);
  memcpy(s->mesh.rest, s->mesh.xyz, 3 * s->mesh.vertex_count * sizeof *s->mesh.rest);
  if (!keep_start(s)) return false;
  /* of few corners it is thinner */
  pose_rod(&s->mesh, along, around, around < 48 ? 0.9 : 0.998, 20.02);
  return true;
}

/* ------------------------------------------------------------------------------------- cloth -- */

static void pose_cloth(scene_mesh *cloth, scene_mesh *ball, int step)
{
  scene_s3_pose(cloth, step);
  for (size_t i = 0; i < ball->vertex_count; ++i) vec3_store(ball->xyz, i, vec3_scale(vec3_load(ball->rest, i), 0.39f));
}

static bool make_cloth(int triangles, scene_step *s)
{
  /* folds have formed and have not met; with more steps they do on the way */
  const int from = 62, to = 65;
  scene_mesh ball = {0}, end = {0};
  int quads = (int)sqrt(0.45 * triangles);
  bool good = scene_cloth(quads, &s->mesh) && scene_cloth(quads, &end) &&
              scene_geosphere(scene_geosphere_frequency(triangles / 10), &ball);
  if (good) {
    pose_cloth(&s->mesh, &ball, from);
    pose_cloth(&end, &ball, to);
    good = append(&s->mesh, &ball) && keep_start(s);
  }
  if (good) memcpy(s->mesh.xyz, end.xyz, 3 * end.vertex_count * sizeof *end.xyz);
  scene_mesh_free(&end);
  scene_mesh_free(&ball);
  return good;
}

/* ------------------------------------------------------------------------------------ bodies -- */

enum { BODIES = 64 };

/* Spheres on a grid of 4 x 4 x 4, some of which touch, each with a way of its own. */
static void place_sphere(scene_mesh *all, size_t first, size_t count, int body, float t)
{
  const float n = (float)body, spread = 0.475f;
  vec3 centre = vec3_make((float)(body % 4), (float)(body / 4 % 4), (float)(body / 16));
  centre =
      vec3_add(centre, vec3_scale(vec3_make(scene_sin(5 * n), scene_sin(7 * n + 1), scene_sin(11 * n + 2)), 0.06f));
  vec3 way = vec3_make(scene_sin(3 * n + 1), scene_sin(4 * n), scene_cos(6 * n));
  for (size_t i = first; i < first + count; ++i) {
    vec3 p = vec3_scale(vec3_load(all->rest, i), spread * (1 + 0.05f * scene_sin(6 * all->rest[3 * i] + n)));
    vec3_store(all->xyz, i, vec3_add(vec3_add(centre, p), vec3_scale(way, 0.1f * t)));
  }
}

static bool make_bodies(int triangles, scene_step *s)
{
  scene_mesh sphere = {0};
  bool good = scene_geosphere(scene_geosphere_frequency(triangles / BODIES), &sphere) &&
              scene_mesh_alloc(&s->mesh, BODIES * sphere.vertex_count, BODIES * sphere.triangle_count);
  for (int b = 0; b < BODIES && good; ++b) {
    size_t first = (size_t)b * sphere.vertex_count, at = 3 * (size_t)b * sphere.triangle_count;
    memcpy(s->mesh.rest + 3 * first, sphere.rest, 3 * sphere.vertex_count * sizeof *sphere.rest);
    for (size_t i = 0; i < 3 * sphere.triangle_count; ++i)
      s->mesh.triangles[at + i] = sphere.triangles[i] + (uint32_t)first;
  }
  for (int pose = 0; pose < 2 && good; ++pose) {
    for (int b = 0; b < BODIES; ++b)
      place_sphere(&s->mesh, (size_t)b * sphere.vertex_count, sphere.vertex_count, b, (float)pose);
    for (int k = 0; k < 3; ++k)
      s->mesh.xyz[3 * sphere.vertex_count + (size_t)k] = s->mesh.xyz[k]; /* bodies 0 and 1 touch */
    if (pose == 0) good = keep_start(s);
  }
  scene_mesh_free(&sphere);
  return good;
}

bool scene_step_make(scene_step_kind kind, int triangles, scene_step *out)
{
  static bool (*const make[SCENE_STEPS])(int, scene_step *) = {make_crane, make_rod, make_cloth, make_bodies};
  *out = (scene_step){0};
  if (triangles < 500 || triangles > 10000000) return false;
  if (make[kind](triangles, out)) return true;
  scene_step_free(out);
  return false;
}
