/* Soft bodies: balls, rounded cubes and rings of any number of points, and the scenes that they
 * play. */
#include "scenes/soft.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double PI = 3.14159265358979323846;

/* Where a direction meets the surface of a shape. */
typedef void (*surface_function)(const double direction[3], double out[3]);

static void ball(const double d[3], double out[3])
{
  for (int k = 0; k < 3; ++k) out[k] = 0.5 * d[k];
}

/* A cube with round edges: the unit ball of the norm with power 6. */
static void cube(const double d[3], double out[3])
{
  double norm = pow(pow(fabs(d[0]), 6) + pow(fabs(d[1]), 6) + pow(fabs(d[2]), 6), 1.0 / 6);
  for (int k = 0; k < 3; ++k) out[k] = 0.42 * d[k] / norm;
}

static bool allocate(size_t points, size_t triangles, scene_mesh *out)
{
  *out = (scene_mesh){.vertex_count = points, .triangle_count = triangles};
  out->rest = calloc(3 * points, sizeof *out->rest);
  out->xyz = calloc(3 * points + 1, sizeof *out->xyz);
  out->triangles = calloc(3 * triangles, sizeof *out->triangles);
  if (out->rest && out->xyz && out->triangles) return true;
  scene_mesh_free(out);
  return false;
}

static void put(uint32_t **at, uint32_t a, uint32_t b, uint32_t c)
{
  (*at)[0] = a, (*at)[1] = b, (*at)[2] = c;
  *at += 3;
}

/* Two poles and `rings` circles of `around` points. */
static bool make_round(int rings, int around, surface_function surface, scene_mesh *out)
{
  size_t points = 2 + (size_t)rings * (size_t)around;
  if (!allocate(points, 2 * (size_t)rings * (size_t)around, out)) return false;
  uint32_t south = (uint32_t)points - 1, *t = out->triangles;
  for (uint32_t i = 0; i < points; ++i) {
    int ring = i == 0       ? -1
               : i == south ? rings
                            : (int)(i - 1) / around,
        place = i == 0 || i == south ? 0 : (int)(i - 1) % around;
    double polar = PI * (ring + 1) / (rings + 1), turn = 2 * PI * (place + (ring % 2) * 0.5) / around, x[3];
    double d[3] = {sin(polar) * cos(turn), cos(polar), sin(polar) * sin(turn)};
    surface(d, x);
    for (int k = 0; k < 3; ++k) out->rest[3 * i + k] = (float)x[k];
  }
  for (uint32_t r = 0; r < (uint32_t)rings; ++r)
    for (uint32_t p = 0; p < (uint32_t)around; ++p) {
      uint32_t next = (p + 1) % (uint32_t)around, here = 1 + r * (uint32_t)around, below = here + (uint32_t)around;
      if (r == 0) put(&t, 0, here + next, here + p);
      if (r + 1 == (uint32_t)rings) {
        put(&t, south, here + p, here + next);
      } else if (r % 2 == 0) {
        put(&t, here + p, here + next, below + p);
        put(&t, here + next, below + next, below + p);
      } else {
        put(&t, here + p, here + next, below + next);
        put(&t, here + p, below + next, below + p);
      }
    }
  memcpy(out->xyz, out->rest, 3 * points * sizeof *out->xyz);
  return true;
}

static bool make_ring(int around, int across, scene_mesh *out)
{
  size_t points = (size_t)around * (size_t)across;
  if (!allocate(points, 2 * points, out)) return false;
  uint32_t *t = out->triangles;
  for (int i = 0; i < around; ++i)
    for (int j = 0; j < across; ++j) {
      double turn = 2 * PI * i / around, roll = 2 * PI * j / across, out_by = 0.36 + 0.17 * cos(roll);
      float *x = &out->rest[3 * ((size_t)i * (size_t)across + (size_t)j)];
      x[0] = (float)(out_by * cos(turn)), x[1] = (float)(0.17 * sin(roll)), x[2] = (float)(out_by * sin(turn));
      uint32_t a = (uint32_t)(i * across + j), b = (uint32_t)(i * across + (j + 1) % across);
      uint32_t c = (uint32_t)((i + 1) % around * across + j),
               d = (uint32_t)((i + 1) % around * across + (j + 1) % across);
      put(&t, a, b, d);
      put(&t, a, d, c);
    }
  memcpy(out->xyz, out->rest, 3 * points * sizeof *out->xyz);
  return true;
}

/* A number in [0, 1) that depends on both arguments alone. */
static double chance(uint32_t seed, uint32_t which)
{
  uint32_t x = seed * 0x9E3779B9u + which * 0x85EBCA6Bu + 0x165667B1u;
  for (int i = 0; i < 3; ++i) {
    x ^= x >> 16;
    x *= 0x7FEB352Du;
    x ^= x >> 15;
    x *= 0x846CA68Bu;
  }
  return (x >> 8) / 16777216.0;
}

static void any_rotation(uint32_t seed, double q[4])
{
  double u = chance(seed, 1), v = 2 * PI * chance(seed, 2), w = 2 * PI * chance(seed, 3);
  q[0] = sqrt(1 - u) * sin(v), q[1] = sqrt(1 - u) * cos(v), q[2] = sqrt(u) * sin(w), q[3] = sqrt(u) * cos(w);
}

void soft_scene_free(soft_scene *scene)
{
  for (size_t i = 0; i < scene->mesh_count; ++i) scene_mesh_free(&scene->meshes[i]);
  free(scene->actors);
  *scene = (soft_scene){0};
}

static bool begin(soft_scene *out, size_t actors)
{
  *out = (soft_scene){.actor_count = actors, .gravity = {0, -9.81, 0}, .floor = true, .stretch = 0.3, .friction = 0.4};
  out->actors = calloc(actors, sizeof *out->actors);
  for (size_t i = 0; out->actors && i < actors; ++i) out->actors[i].rotation[3] = 1;
  return out->actors != NULL;
}

static bool end(soft_scene *out, bool good)
{
  if (!good) soft_scene_free(out);
  return good;
}

bool soft_scene_pile(int count, soft_scene *out)
{
  enum { ACROSS = 5 };
  if (count < 1 || count > 100000 || !begin(out, (size_t)count)) return false;
  out->mesh_count = 3;
  bool good = make_round(15, 29, ball, &out->meshes[0]) && make_round(15, 29, cube, &out->meshes[1]) &&
              make_ring(23, 19, &out->meshes[2]);
  out->box = 6.6;
  for (int i = 0; i < count; ++i) {
    soft_actor *a = &out->actors[i];
    int layer = i / (ACROSS * ACROSS), place = i % (ACROSS * ACROSS);
    a->mesh = i % 3;
    a->position[0] = 1.25 * (place % ACROSS - ACROSS / 2) + 0.2 * (chance((uint32_t)i, 5) - 0.5);
    a->position[1] = 0.8 + 1.2 * layer;
    a->position[2] = 1.25 * (place / ACROSS - ACROSS / 2) + 0.2 * (chance((uint32_t)i, 6) - 0.5);
    any_rotation((uint32_t)i, a->rotation);
  }
  const double eye[3] = {9, 11, 15}, at[3] = {0, 2.6, 0};
  memcpy(out->eye, eye, sizeof eye), memcpy(out->at, at, sizeof at);
  return end(out, good);
}

/* Rings and points around of a round body of about so many points, twice as many around as there
 * are rings. */
static bool round_of(int points, surface_function surface, scene_mesh *out)
{
  int rings = (int)lround(sqrt(points / 2.0));
  return make_round(rings, 2 * rings, surface, out);
}

bool soft_scene_trio(int points, soft_scene *out)
{
  if (points < 60 || points > 30000000 || !begin(out, 3)) return false;
  int across = (int)lround(sqrt(points / 3 / 1.5));
  out->mesh_count = 3;
  bool good = round_of(points / 3, ball, &out->meshes[0]) && round_of(points / 3, cube, &out->meshes[1]) &&
              make_ring(3 * across / 2, across, &out->meshes[2]);
  const soft_actor actors[3] = {
      {.mesh = 2, .position = {0, 0.6, 0}, .rotation = {0, 0, 0, 1}},
      {.mesh = 0, .position = {-0.9, 1.9, 0.05}, .rotation = {0, 0, 0, 1}, .velocity = {1.2, 0, 0}},
      {.mesh = 1, .position = {0.9, 3.0, 0}, .rotation = {0, 0, 0, 1}, .velocity = {-1.2, 0, 0}, .spin = {1, 2, 0}}};
  memcpy(out->actors, actors, sizeof actors);
  const double eye[3] = {2.2, 2.2, 4.2}, at[3] = {0, 0.8, 0};
  memcpy(out->eye, eye, sizeof eye), memcpy(out->at, at, sizeof at);
  return end(out, good);
}

bool soft_scene_duo(int points, soft_scene *out)
{
  if (points < 40 || points > 30000000 || !begin(out, 2)) return false;
  out->mesh_count = 2;
  bool good = round_of(points / 2, ball, &out->meshes[0]) && round_of(points / 2, cube, &out->meshes[1]);
  const soft_actor actors[2] = {
      {.mesh = 0, .position = {-1, 0, 0}, .rotation = {0, 0, 0, 1}, .velocity = {1.5, 0, 0}},
      {.mesh = 1, .position = {1, 0.15, 0.1}, .rotation = {0.2, 0.1, 0.3, 0.92736184954957}, .velocity = {-1.5, 0, 0}}};
  memcpy(out->actors, actors, sizeof actors);
  out->floor = false;
  memset(out->gravity, 0, sizeof out->gravity);
  const double eye[3] = {1.5, 1.5, 3.5}, at[3] = {0, 0, 0};
  memcpy(out->eye, eye, sizeof eye), memcpy(out->at, at, sizeof at);
  return end(out, good);
}

/* A tube with round ends along x: `along` rings of `around` points, two tips. */
static bool make_rope(int along, int around, double length, double radius, scene_mesh *out)
{
  size_t points = 2 + (size_t)along * (size_t)around;
  if (!allocate(points, 2 * (size_t)along * (size_t)around, out)) return false;
  uint32_t last = (uint32_t)points - 1, *t = out->triangles, n = (uint32_t)around;
  out->rest[0] = (float)(-length / 2), out->rest[3 * last] = (float)(length / 2);
  for (int i = 0; i < along; ++i)
    for (int j = 0; j < around; ++j) {
      double part = (i + 0.5) / along, x = length * (part - 0.5), end = fmin(part, 1 - part) * length / radius;
      double wide = radius * (end < 1 ? sqrt(end * (2 - end)) : 1), turn = 2 * PI * (j + (i % 2) * 0.5) / around;
      float *to = &out->rest[3 * (1 + (size_t)i * (size_t)around + (size_t)j)];
      to[0] = (float)x, to[1] = (float)(wide * cos(turn)), to[2] = (float)(wide * sin(turn));
    }
  for (uint32_t i = 0; i < (uint32_t)along; ++i)
    for (uint32_t p = 0; p < n; ++p) {
      uint32_t next = (p + 1) % n, here = 1 + i * n, after = here + n;
      if (i == 0) put(&t, 0, here + next, here + p);
      if (i + 1 == (uint32_t)along) {
        put(&t, last, here + p, here + next);
      } else if (i % 2 == 0) {
        put(&t, here + p, here + next, after + p);
        put(&t, here + next, after + next, after + p);
      } else {
        put(&t, here + p, here + next, after + next);
        put(&t, here + p, after + next, after + p);
      }
    }
  memcpy(out->xyz, out->rest, 3 * points * sizeof *out->xyz);
  return true;
}

bool soft_scene_rope(int points, soft_scene *out)
{
  if (points < 100 || points > 30000000 || !begin(out, 1)) return false;
  int around = (int)lround(sqrt(points / 8.0));
  out->mesh_count = 1;
  bool good = make_rope(points / around, around, 3, 0.12, &out->meshes[0]);
  const soft_actor actor = {.position = {0, 2, 0}, .rotation = {0.05, 0.03, 0.66, 0}};
  out->actors[0] = actor;
  double norm = 0;
  for (int k = 0; k < 3; ++k) norm += actor.rotation[k] * actor.rotation[k];
  out->actors[0].rotation[3] = sqrt(1 - norm);
  const double eye[3] = {2.4, 2.2, 4.4}, at[3] = {0, 0.8, 0};
  memcpy(out->eye, eye, sizeof eye), memcpy(out->at, at, sizeof at);
  return end(out, good);
}
