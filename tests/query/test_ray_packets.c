/* Rays that are traced together, against the reference byte by byte: batches of many packets
 * from a camera, from the surface and from inside, which go both ways along axes; surfaces that
 * coincide or nearly do, so that intervals of t meet; coordinates where products would leave the
 * range of float, and directions so short or long that t rounds to DBL_MAX or becomes denormal. */
#include "scenes/scenes.h"
#include "support/rays.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef __SANITIZE_ADDRESS__
enum { SIDE = 12, FREQUENCY = 1 };
#else
enum { SIDE = 12, FREQUENCY = 2 };
#endif
enum { RAYS = SIDE * SIDE, LAYERS = 4 };

static const char *const simds[] = {SIMD_WORDS};

/* ------------------------------------------------------------------------------------ worlds -- */

typedef struct layers {
  float *f32;
  double *f64;
  uint32_t *triangles;
  size_t vertex_count, triangle_count;
} layers;

/* A sphere, the same once more, and two that are a little larger, all times 2^exponent. */
static layers make_layers(int exponent)
{
  static const double radius[LAYERS] = {1, 1, 1 + 0x1p-22, 1.001};
  scene_mesh m;
  assert_true(scene_geosphere(FREQUENCY, &m));
  layers l = {.vertex_count = LAYERS * m.vertex_count, .triangle_count = LAYERS * m.triangle_count};
  l.f32 = malloc(3 * l.vertex_count * sizeof *l.f32);
  l.f64 = malloc(3 * l.vertex_count * sizeof *l.f64);
  l.triangles = malloc(3 * l.triangle_count * sizeof *l.triangles);
  for (size_t layer = 0; layer < LAYERS; ++layer) {
    for (size_t i = 0; i < 3 * m.vertex_count; ++i) {
      size_t at = layer * 3 * m.vertex_count + i;
      l.f32[at] = (float)ldexp((double)m.rest[i] * radius[layer], exponent);
      l.f64[at] = (double)l.f32[at];
    }
    for (size_t i = 0; i < 3 * m.triangle_count; ++i)
      l.triangles[layer * 3 * m.triangle_count + i] = m.triangles[i] + (uint32_t)(layer * m.vertex_count);
  }
  scene_mesh_free(&m);
  return l;
}

static void free_layers(layers *l)
{
  free(l->f32);
  free(l->f64);
  free(l->triangles);
}

static pl_body *body_of(pl_context *context, const layers *l, bool doubles)
{
  pl_mesh_def mesh = pl_mesh_def_default();
  mesh.positions = doubles ? pl_positions_f64(l->f64, l->vertex_count) : pl_positions_f32(l->f32, l->vertex_count);
  mesh.triangles = l->triangles;
  mesh.triangle_count = l->triangle_count;
  pl_body *body;
  assert_int_equal(pl_body_create_free(context, &mesh, NULL, &body), PL_OK);
  return body;
}

/* -------------------------------------------------------------------------------------- rays -- */

/* The ways in which rays are side by side; from the unit sphere or its surroundings. */
enum { CAMERA, WIDE_CAMERA, PARALLEL, INSIDE, SURFACE, ENDING, WAYS };
static const char *const ways[WAYS] = {"camera", "wide camera", "parallel", "inside", "surface", "ending"};

static void aim_ray(int way, double x, double y, double o[3], double d[3])
{
  double size = sqrt(x * x + y * y + 1);
  memcpy(d, (const double[3]){x, y, -1}, 3 * sizeof *d);
  memcpy(o, (const double[3]){0.03125, 0.0625, 3}, 3 * sizeof *o);
  if (way == CAMERA || way == ENDING) d[0] *= 0.4, d[1] *= 0.4;
  if (way == WIDE_CAMERA) d[0] *= 3, d[1] *= 3;
  if (way == PARALLEL) memcpy(o, (const double[3]){x, y, -3}, 3 * sizeof *o), d[0] = d[1] = 0, d[2] = 1;
  if (way == INSIDE) memset(o, 0, 3 * sizeof *o);
  if (way == SURFACE) /* outward and to the side */
    for (int k = 0; k < 3; ++k) {
      o[k] = (double)(float)((k == 0 ? x : k == 1 ? y : 1) / size);
      d[k] = (k == 0 ? -y : k == 1 ? x : -0.2) * (x > 0 ? 1 : -1);
    }
}

/* A picture by blocks of 4 x 2, times powers of two. */
static void make_rays(int way, int exponent, int length, pl_ray *rays)
{
  for (int i = 0; i < RAYS; ++i) {
    int block = i / 8, x = block % (SIDE / 4) * 4 + i % 4, y = block / (SIDE / 4) * 2 + i % 8 / 4;
    double o[3], d[3];
    aim_ray(way, (x + 0.3) / SIDE * 2 - 1, (y + 0.3) / SIDE * 2 - 1, o, d);
    for (int k = 0; k < 3; ++k) {
      o[k] = ldexp(o[k], exponent);
      d[k] = ldexp(d[k], length);
    }
    rays[i] = pl_ray_from(o, d);
    if (way != ENDING) continue;
    rays[i].t_min = ldexp(2, exponent - length); /* among the layers */
    rays[i].t_max = ldexp(2 + 0.01 * i, exponent - length);
  }
}

/* ------------------------------------------------------------------------------------- tests -- */

/* Powers of two of coordinates and directions. From 2^800 on, and down to 2^-800, nothing is
 * guessed. */
static const int powers[][2] = {{0, 0},    {49, 0},    {49, 40},  {-40, 0},    {0, 790},  {0, -790},
                                {0, -810}, {33, -995}, {0, -995}, {-100, 900}, {-84, 990}};
enum { POWERS = sizeof powers / sizeof *powers };

static void packets_give_the_bytes_of_the_reference(void **state)
{
  (void)state;
  size_t hits = 0;
  for (int i = 0; i < POWERS; ++i) {
    layers l = make_layers(powers[i][0]);
    for (int way = 0; way < WAYS; ++way) {
      pl_context *context = context_of(simds[(i + way) % 3]);
      if (!context) continue;
      pl_body *body = body_of(context, &l, way % 2);
      pl_ray rays[RAYS];
      char what[64];
      make_rays(way, powers[i][0], powers[i][1], rays);
      snprintf(what, sizeof what, "%s, 2^%d, 2^%d", ways[way], powers[i][0], powers[i][1]);
      ray_answer wanted = reference_rays(body, NULL, rays, RAYS);
      assert_rays(body, NULL, rays, &wanted, what);
      hits += wanted.first[RAYS];
      ray_answer_free(&wanted);
      pl_context_destroy(context);
    }
    free_layers(&l);
  }
  print_message("%zu hits\n", hits);
  assert_true(hits > (size_t)RAYS * POWERS);
}

/* Beyond DBL_MAX all t are DBL_MAX: the least index is the closest, also for rays that are
 * traced together. */
static void the_greatest_t_of_packets_is_ordered_by_triangle(void **state)
{
  (void)state;
  const double p[18] = {2e10, -1e9, -1e9, 2e10, 1e9, -1e9, 2e10, 0, 1e9,
                        1e10, -1e9, -1e9, 1e10, 1e9, -1e9, 1e10, 0, 1e9};
  const uint32_t tri[6] = {0, 1, 2, 3, 4, 5};
  for (int s = 0; s < 3; ++s) {
    pl_context *context = context_of(simds[s]);
    if (!context) continue;
    pl_mesh_def mesh = pl_mesh_def_default();
    mesh.positions = pl_positions_f64(p, 6);
    mesh.triangles = tri;
    mesh.triangle_count = 2;
    pl_body *body;
    assert_int_equal(pl_body_create_free(context, &mesh, NULL, &body), PL_OK);
    pl_ray rays[16];
    for (int i = 0; i < 16; ++i) {
      const double o[3] = {0, 1e5 * i, 0}, d[3] = {1e-300, 0, 0};
      rays[i] = pl_ray_from(o, d);
    }
    pl_question def = pl_question_default();
    def.coherent = true;
    const pl_result *hits;
    assert_int_equal(pl_cast(pl_one(body), rays, 16, &def, &hits), PL_OK);
    for (int i = 0; i < 16; ++i) {
      assert_true(hits->hits[i].t == DBL_MAX);
      assert_int_equal(hits->hits[i].triangle, 0);
    }
    pl_context_destroy(context);
  }
}

/* What `any` reports: a hash of all hits. */
static uint64_t hash_any(const layers *l, int way, const char *simd, int threads, double budget)
{
  pl_context_def context_def = pl_context_def_default();
  context_def.threads = threads;
  context_def.simd = simd;
  pl_context *context;
  if (pl_context_create(&context_def, &context) != PL_OK) return 0;
  pl_body *body = body_of(context, l, false);
  pl_ray rays[RAYS];
  make_rays(way, 0, 0, rays);
  pl_question def = pl_question_default();
  def.ray_mode = PL_RAY_MODE_ANY;
  def.coherent = true;
  def.budget_ms = budget;
  const pl_result *hits;
  assert_int_equal(pl_cast(pl_one(body), rays, RAYS, &def, &hits), PL_OK);
  assert_int_equal(hits->done, RAYS);
  uint64_t hash = hash_hits(HASH_START, hits->hits, RAYS);
  pl_context_destroy(context);
  return hash;
}

static void any_reports_the_same_hit_in_every_run(void **state)
{
  (void)state;
  layers l = make_layers(0);
  for (int way = 0; way < WAYS; ++way) {
    uint64_t wanted = hash_any(&l, way, NULL, 1, 0);
    assert_true(hash_any(&l, way, NULL, 4, 0) == wanted);
    assert_true(hash_any(&l, way, NULL, 2, 1e9) == wanted);
    for (int s = 0; s < 3; ++s) {
      uint64_t hash = hash_any(&l, way, simds[s], 1, 0);
      if (hash && hash != wanted) fail_msg("%s: %s reports other hits", ways[way], simds[s]);
    }
  }
  free_layers(&l);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(packets_give_the_bytes_of_the_reference),
      cmocka_unit_test(the_greatest_t_of_packets_is_ordered_by_triangle),
      cmocka_unit_test(any_reports_the_same_hit_in_every_run),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
