#include "bench/flights.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static const char *const scenes[][2] = {
#define FLIGHT_SCENE(name, key, what) {key, what},
    FLIGHT_SCENES(FLIGHT_SCENE)
#undef FLIGHT_SCENE
};

const char *bench_flight_key(int scene) { return scenes[scene][0]; }
const char *bench_flight_what(int scene) { return scenes[scene][1]; }

double bench_cpu_ms(void)
{
  struct timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return 1e3 * (double)t.tv_sec + 1e-6 * (double)t.tv_nsec;
}

static bool make_keys(bench_flight *f)
{
  for (int i = 0; i < 2; ++i) f->key[i] = malloc((3 * f->mesh.vertex_count + 1) * sizeof(float));
  return f->key[0] && f->key[1];
}

void bench_flight_free(bench_flight *f)
{
  scene_mesh_free(&f->mesh);
  free(f->key[0]);
  free(f->key[1]);
  memset(f, 0, sizeof *f);
}

/* A number in [-1, 1) that depends on its place only. */
static double noise_at(uint32_t place)
{
  uint64_t x = (place + 1) * 0x9e3779b97f4a7c15u;
  x ^= x >> 29;
  x *= 0xbf58476d1ce4e5b9u;
  x ^= x >> 32;
  return (double)(x >> 11) * 0x1p-52 - 1;
}

/* Of a scene: the distance of the centres at both keys, how far they slide, turn, change and
 * wobble. */
static const struct way {
  double apart[2], slide, turn, change, noise;
} ways[FLIGHT_SCENE_COUNT] = {
    [FLIGHT_FAR] = {{3.2, 3.0}, 0, 0.1, 0.02, 0},      [FLIGHT_NEAR] = {{2.3, 1.95}, 0, 0.1, 0.02, 0},
    [FLIGHT_SLIDE] = {{2.0, 1.96}, 0.3, 0.1, 0.02, 0}, [FLIGHT_DEEP] = {{2.1, 1.6}, 0, 0.1, 0.02, 0},
    [FLIGHT_FAST] = {{2.3, 1.2}, 0, 1.2, 0.02, 0},     [FLIGHT_THROUGH] = {{2.3, -2.3}, 0, 0.3, 0.02, 0},
    [FLIGHT_SPIN] = {{2.1, 1.95}, 0, 2.4, 0.02, 0},    [FLIGHT_NOISE] = {{2.3, 1.95}, 0, 0.1, 0.02, 0.5},
    [FLIGHT_RIGID] = {{2.3, 1.95}, 0, 0, 0, 0}};

static void place_vertex(const bench_flight *f, const struct way *w, int body, int key, size_t v, double edge)
{
  const float *rest = f->mesh.rest + 3 * v;
  double side = body ? 1 : -1, angle = key ? side * w->turn : 0;
  double bump = 1 + 0.03 * sin(7 * (double)rest[0] + 3 * (double)rest[1]) * cos(5 * (double)rest[2]) +
                (key ? w->change * sin(4 * (double)rest[1] - 3 * (double)rest[2]) : 0);
  double x = bump * (double)rest[0], y = bump * (double)rest[1], z = bump * (double)rest[2];
  double at[3] = {cos(angle) * x - sin(angle) * y + side * w->apart[key] / 2,
                  sin(angle) * x + cos(angle) * y + (key ? side * w->slide : 0), z};
  for (size_t k = 0; k < 3; ++k)
    f->key[key][3 * v + k] =
        (float)(at[k] + (key ? w->noise * edge * noise_at((uint32_t)(3 * v + k) * 2 + (uint32_t)body) : 0));
}

bool bench_flight_sphere(int scene, int body, int triangles, bench_flight *out)
{
  memset(out, 0, sizeof *out);
  if (!scene_geosphere(scene_geosphere_frequency(triangles), &out->mesh) || !make_keys(out)) {
    bench_flight_free(out);
    return false;
  }
  double edge = sqrt(4 * 3.14159 / (double)out->mesh.triangle_count);
  for (int key = 0; key < 2; ++key)
    for (size_t v = 0; v < out->mesh.vertex_count; ++v) place_vertex(out, &ways[scene], body, key, v, edge);
  if (scene == FLIGHT_RIGID) /* exactly: the second key is the first, shifted by a short number */
    for (size_t v = 0; v < out->mesh.vertex_count; ++v)
      for (size_t k = 0; k < 3; ++k) {
        out->key[0][3 * v + k] = rintf(out->key[0][3 * v + k] * 0x1p20f) * 0x1p-20f;
        out->key[1][3 * v + k] = out->key[0][3 * v + k] + (k ? 0 : body ? -0.171875f : 0.171875f);
      }
  return true;
}

bool bench_flight_cloth(int triangles, bench_flight *out)
{
  memset(out, 0, sizeof *out);
  if (!scene_cloth((int)sqrt(triangles / 2.0), &out->mesh) || !make_keys(out)) {
    bench_flight_free(out);
    return false;
  }
  for (int key = 0; key < 2; ++key) {
    scene_s3_pose(&out->mesh, key ? 86 : 80);
    memcpy(out->key[key], out->mesh.xyz, 3 * out->mesh.vertex_count * sizeof(float));
  }
  return true;
}

void bench_flight_pose(const bench_flight *f, double time, float *xyz)
{
  for (size_t i = 0; i < 3 * f->mesh.vertex_count; ++i)
    xyz[i] = (float)((1 - time) * (double)f->key[0][i] + time * (double)f->key[1][i]);
}

static pl_mesh_def mesh_of(const bench_flight *f)
{
  pl_mesh_def mesh = pl_mesh_def_default();
  mesh.positions = pl_positions_f32(f->key[0], f->mesh.vertex_count);
  mesh.triangles = f->mesh.triangles;
  mesh.triangle_count = f->mesh.triangle_count;
  return mesh;
}

pl_body *bench_flight_body(pl_context *context, const bench_flight *f, const pl_body_def *def)
{
  static const double times[] = {0, 1};
  const pl_positions poses[] = {pl_positions_f32(f->key[0], f->mesh.vertex_count),
                                pl_positions_f32(f->key[1], f->mesh.vertex_count)};
  pl_flight_def plans = pl_flight_def_default();
  plans.times = times;
  plans.poses = poses;
  plans.key_count = plans.pose_count = 2;
  pl_mesh_def mesh = mesh_of(f);
  pl_body *body;
  return pl_body_create_flight(context, &mesh, &plans, def, &body) == PL_OK ? body : NULL;
}

pl_body *bench_flight_mover(pl_context *context, const bench_flight *f)
{
  pl_mesh_def mesh = mesh_of(f);
  pl_body *body;
  if (pl_body_create_free(context, &mesh, NULL, &body) != PL_OK || pl_body_keep_pose(body) != PL_OK) return NULL;
  return body;
}
