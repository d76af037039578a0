/* Rays at the ends of the number range: magnitudes from 5e-324 to 1e308, mixed in one body and
 * one ray, against the reference byte by byte; free, soup, rigid and morphing bodies, scenes,
 * single rays and batches, every instruction set. */
#include "support/rays.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef __SANITIZE_ADDRESS__
enum { WORLDS = 60, SCENES = 4 };
#else
#define WORLDS test_rounds(900)
#define SCENES test_rounds(40)
#endif
enum { MOST_TRIANGLES = 14, RAYS = 48, BODIES = 70 };

static const char *const simds[] = {SIMD_WORDS};

static const double sizes[] = {5e-324, 1e-310, 1e-200, 0x1p-149, 1e-38,  1e-20, 1e-3,  1,     1e3,
                               1e12,   1e20,   1.7e38, FLT_MAX,  3.5e38, 1e100, 1e200, 1e300, 1e308};
enum { SIZES = sizeof sizes / sizeof *sizes, FIRST_FLOAT = 3, LAST_FLOAT = 12 };

/* ------------------------------------------------------------------------------------ worlds -- */

typedef struct soup {
  double xyz[9 * MOST_TRIANGLES];
  float xyz_f32[9 * MOST_TRIANGLES];
  uint32_t triangles[3 * MOST_TRIANGLES];
  size_t vertex_count, triangle_count;
  bool floats;
} soup;

static double any_size(test_rng *rng, bool floats)
{
  return floats ? sizes[FIRST_FLOAT + test_below(rng, LAST_FLOAT - FIRST_FLOAT + 1)] : sizes[test_below(rng, SIZES)];
}

/* Of a few numbers, so that coordinates are often equal, or anywhere up to `size`. */
static double any_number(test_rng *rng, double size)
{
  static const double parts[] = {-1, -0.5, 0, 0.5, 1};
  return test_below(rng, 3) ? size * test_uniform(rng, -1, 1) : size * parts[test_below(rng, 5)];
}

/* kind 0: one magnitude; 1: one per axis; 2: one per vertex; 3: one per coordinate; 4: one, and
 * few that are different. */
static void make_soup(test_rng *rng, soup *s)
{
  int kind = test_below(rng, 5);
  s->floats = test_below(rng, 2);
  s->triangle_count = 1 + (size_t)test_below(rng, MOST_TRIANGLES);
  s->vertex_count = 3 * s->triangle_count;
  double size[3] = {any_size(rng, s->floats), any_size(rng, s->floats), any_size(rng, s->floats)};
  double at[3];
  for (int k = 0; k < 3; ++k) at[k] = test_below(rng, 3) || kind == 3 ? 0 : any_number(rng, size[0] / 2);
  for (size_t v = 0; v < s->vertex_count; ++v) {
    double own = kind == 2 || (kind == 4 && test_below(rng, 8) == 0) ? any_size(rng, s->floats) : size[0];
    for (int k = 0; k < 3; ++k) {
      double most = kind == 1 ? size[k] : kind == 3 ? any_size(rng, s->floats) : own;
      double x = any_number(rng, most) / 2 + at[k];
      if (test_below(rng, 4) == 0) x = any_number(rng, most);
      s->xyz_f32[3 * v + (size_t)k] = s->floats ? (float)x : 0;
      s->xyz[3 * v + (size_t)k] = s->floats ? (double)s->xyz_f32[3 * v + (size_t)k] : x;
    }
  }
  for (size_t i = 0; i < s->vertex_count; ++i)
    s->triangles[i] = (uint32_t)(test_below(rng, 3) ? (int)i : test_below(rng, (int)s->vertex_count));
}

static pl_mesh_def soup_mesh(const soup *s)
{
  pl_mesh_def mesh = pl_mesh_def_default();
  mesh.positions =
      s->floats ? pl_positions_f32(s->xyz_f32, s->vertex_count) : pl_positions_f64(s->xyz, s->vertex_count);
  mesh.triangles = s->triangles;
  mesh.triangle_count = s->triangle_count;
  return mesh;
}

/* -------------------------------------------------------------------------------------- rays -- */

static void point_of(test_rng *rng, const ray_aim *aim, double out[3])
{
  const uint32_t *t = aim->triangles + 3 * (size_t)test_below(rng, (int)aim->triangle_count);
  static const double weights[][3] = {{1, 0, 0}, {0.5, 0.5, 0}, {0.25, 0.5, 0.25}, {0, 0.125, 0.875}};
  const double *w = weights[test_below(rng, 4)];
  for (size_t k = 0; k < 3; ++k)
    out[k] = w[0] * aim->xyz[3 * t[0] + k] + w[1] * aim->xyz[3 * t[1] + k] + w[2] * aim->xyz[3 * t[2] + k];
}

/* to - from, or half of it where that would overflow. */
static void towards(const double from[3], const double to[3], double out[3])
{
  bool over = false;
  for (int k = 0; k < 3; ++k) over = over || !isfinite(to[k] - from[k]);
  for (int k = 0; k < 3; ++k) out[k] = over ? 0.5 * to[k] - 0.5 * from[k] : to[k] - from[k];
}

static void make_ends(test_rng *rng, pl_ray *ray)
{
  static const double ends[][2] = {{0, INFINITY},
                                   {0, INFINITY},
                                   {-INFINITY, INFINITY},
                                   {-INFINITY, INFINITY},
                                   {0, 1},
                                   {1, INFINITY},
                                   {1, 1},
                                   {-1, 2},
                                   {5e-324, 1e308},
                                   {-DBL_MAX, DBL_MAX},
                                   {-1e308, -5e-324},
                                   {-INFINITY, 0},
                                   {0, FLT_MAX},
                                   {FLT_MAX, INFINITY},
                                   {0, 5e-324},
                                   {INFINITY, INFINITY},
                                   {1e300, 1e308},
                                   {-INFINITY, -INFINITY},
                                   {2, 1},
                                   {0, 0x1p-149}};
  int i = test_below(rng, sizeof ends / sizeof *ends);
  ray->t_min = ends[i][0];
  ray->t_max = ends[i][1];
}

static bool has_length(const pl_ray *ray)
{
  return ray->direction[0] != 0 || ray->direction[1] != 0 || ray->direction[2] != 0;
}

static void scale_direction(test_rng *rng, pl_ray *ray)
{
  static const int powers[] = {-1100, -700, -200, -60, -10, 10, 60, 200, 700, 1100};
  pl_ray other = *ray;
  int power = powers[test_below(rng, sizeof powers / sizeof *powers)];
  bool finite = true;
  for (int k = 0; k < 3; ++k) {
    other.direction[k] = ldexp(ray->direction[k], power);
    finite = finite && isfinite(other.direction[k]);
  }
  if (finite && has_length(&other)) *ray = other;
}

static void make_ray(test_rng *rng, const ray_aim *aim, pl_ray *ray)
{
  int kind = test_below(rng, 8);
  double to[3], size = any_size(rng, false);
  point_of(rng, aim, to);
  for (int k = 0; k < 3; ++k) ray->origin[k] = kind == 0 ? 0 : any_number(rng, kind == 1 ? any_size(rng, false) : size);
  if (kind == 2 || kind == 3) point_of(rng, aim, ray->origin);
  towards(ray->origin, to, ray->direction);
  if (kind == 3 || kind == 4) { /* from far away, or near */
    double back = kind == 3 ? -1 : 1 - ldexp(1, -test_below(rng, 60));
    for (int k = 0; k < 3; ++k) {
      double o = ray->origin[k] + back * ray->direction[k];
      ray->origin[k] = isfinite(o) ? o : ray->origin[k];
    }
  }
  if (kind == 5) /* along an axis */
    for (int k = 0, axis = test_below(rng, 3); k < 3; ++k) {
      if (k != axis) ray->direction[k] = 0, ray->origin[k] = to[k];
    }
  if (kind == 6)
    for (int k = 0; k < 3; ++k) ray->direction[k] = any_number(rng, test_below(rng, 2) ? size : any_size(rng, false));
  if (test_below(rng, 2)) scale_direction(rng, ray);
  if (!has_length(ray)) ray->direction[test_below(rng, 3)] = test_below(rng, 2) ? size : 1;
  make_ends(rng, ray);
}

/* Eights of rays alternate: any eight, and a ray with seven of nearly its direction and other
 * lengths. */
static void make_rays(test_rng *rng, const ray_aim *aim, pl_ray rays[RAYS])
{
  for (int i = 0; i < RAYS; ++i) {
    make_ray(rng, aim, &rays[i]);
    if (i / 8 % 2 == 0 || i % 8 == 0) continue;
    const pl_ray *first = &rays[i - i % 8];
    double factor = ldexp(1, test_below(rng, 17) - 8);
    pl_ray near = *first;
    for (int k = 0; k < 3; ++k) near.direction[k] *= factor * (test_below(rng, 2) ? 1 : 1 + 1e-9 * test_below(rng, 9));
    if (isfinite(near.direction[0] + near.direction[1] + near.direction[2]) && has_length(&near)) rays[i] = near;
  }
}

/* ------------------------------------------------------------------------------------- tests -- */

static size_t check(pl_body *body, pl_scene *scene, const pl_ray *rays, const char *what)
{
  ray_answer wanted = reference_rays(body, scene, rays, RAYS);
  size_t hits = wanted.first[RAYS];
  for (size_t i = 0; i < hits; ++i) {
    const double *n = wanted.all[i].normal;
    if (!isfinite(n[0] + n[1] + n[2]) || !isfinite(wanted.all[i].t)) fail_msg("%s: a hit is not finite", what);
  }
  assert_rays(body, scene, rays, &wanted, what);
  ray_answer_free(&wanted);
  return hits;
}

static pl_context *context_for(int way)
{
  pl_context_def def = pl_context_def_default();
  pl_context *context;
  def.threads = 1;
  def.simd = simds[way % 3];
  return pl_context_create(&def, &context) == PL_OK ? context : NULL;
}

static void free_and_soup_bodies(void **state)
{
  (void)state;
  test_rng rng = {1};
  size_t hits = 0;
  for (int i = 0; i < WORLDS; ++i) {
    pl_context *context = context_for(i);
    if (!context) continue;
    soup s;
    make_soup(&rng, &s);
    pl_mesh_def mesh = soup_mesh(&s);
    pl_body_def def = pl_body_def_default();
    pl_soup_def grid = pl_soup_def_default();
    def.arity = 2 << i / 3 % 3;
    def.leaf_size = 1 + i % 8;
    grid.method = PL_SOUP_GRID;
    pl_body *body;
    pl_status status = i % 4 == 0 ? pl_body_create_soup(context, &mesh, &grid, &def, &body)
                                  : pl_body_create_free(context, &mesh, &def, &body);
    assert_int_equal(status, PL_OK);
    pl_ray rays[RAYS];
    ray_aim aim = {s.xyz, s.triangles, s.vertex_count, s.triangle_count};
    make_rays(&rng, &aim, rays);
    char what[64];
    snprintf(what, sizeof what, "%s %d", i % 4 ? "free" : "grid", i);
    hits += check(body, NULL, rays, what);
    pl_context_destroy(context);
  }
  print_message("%d bodies, %zu hits\n", WORLDS, hits);
  assert_true(hits > (size_t)WORLDS);
}

/* false: it would take vertices out of the range. */
static bool transform_any(test_rng *rng, pl_body *body, pl_transform *f)
{
  int kind = test_below(rng, 4);
  double size = any_size(rng, false);
  for (int k = 0; k < 3; ++k) {
    for (int j = 0; j < 3; ++j)
      f->m[k][j] = kind == 0   ? (k == j ? size : 0)
                   : kind == 1 ? size * test_uniform(rng, -1, 1)
                   : kind == 2 ? any_number(rng, any_size(rng, false))
                               : (k == (j + 1) % 3 ? any_size(rng, false) : 0);
    f->t[k] = test_below(rng, 2) ? 0 : any_number(rng, test_below(rng, 2) ? size : any_size(rng, false));
  }
  return pl_body_set_transform(body, f) == PL_OK;
}

static void transformed_bodies(void **state)
{
  (void)state;
  test_rng rng = {2};
  size_t hits = 0, tried = 0;
  for (int i = 0; i < WORLDS; ++i) {
    pl_context *context = context_for(i);
    if (!context) continue;
    soup s, other;
    make_soup(&rng, &s);
    other = s;
    for (size_t k = 0; k < 3 * s.vertex_count; ++k)
      other.xyz_f32[k] = (float)(other.xyz[k] = s.floats ? (double)(s.xyz_f32[k] * 0.5f) : s.xyz[k] * 0.5);
    pl_mesh_def mesh = soup_mesh(&s);
    pl_positions references[2] = {mesh.positions, soup_mesh(&other).positions};
    pl_morph_def morph = pl_morph_def_default();
    morph.references = references;
    morph.reference_count = 2;
    pl_body_def def = pl_body_def_default();
    def.arity = 2 << i / 3 % 3;
    def.leaf_size = 1 + i % 8;
    pl_body *body;
    static const double weights[][2] = {{1, 0}, {0.5, 0.5}, {0, 1}};
    pl_status status = i % 3 ? pl_body_create_rigid(context, &mesh, &def, &body)
                             : pl_body_create_morph(context, &mesh, &morph, &def, &body);
    if (status == PL_OK && i % 3 == 0) status = pl_body_set_weights(body, weights[i / 3 % 3], 2);
    pl_transform f;
    for (int way = 0; way < 6 && status == PL_OK; ++way) {
      if (!transform_any(&rng, body, &f)) continue;
      double moved[9 * MOST_TRIANGLES];
      ray_aim aim = {moved, s.triangles, s.vertex_count, s.triangle_count};
      for (size_t v = 0; v < 3 * s.vertex_count; ++v) {
        const double *q = s.xyz + v - v % 3, *m = f.m[v % 3];
        moved[v] = m[0] * q[0] + m[1] * q[1] + m[2] * q[2] + f.t[v % 3];
      }
      pl_ray rays[RAYS];
      make_rays(&rng, &aim, rays);
      char what[64];
      snprintf(what, sizeof what, "%s %d %d", i % 3 ? "rigid" : "morph", i, way);
      hits += check(body, NULL, rays, what);
      ++tried;
      break;
    }
    pl_context_destroy(context);
  }
  print_message("%zu bodies, %zu hits\n", tried, hits);
  assert_true(hits > (size_t)WORLDS / 4);
}

/* Few bodies, and so many that their boxes get a second level. */
static void scenes(void **state)
{
  (void)state;
  test_rng rng = {3};
  size_t hits = 0;
  for (int i = 0; i < SCENES; ++i) {
    pl_context *context = context_for(i);
    if (!context) continue;
    pl_scene *scene;
    assert_int_equal(pl_scene_create(context, NULL, &scene), PL_OK);
    int count = i % 2 ? BODIES : 5;
    soup *s = calloc((size_t)count, sizeof *s);
    pl_ray rays[RAYS];
    for (int b = 0; b < count; ++b) {
      make_soup(&rng, &s[b]);
      if (i % 2 && s[b].triangle_count > 2) s[b].triangle_count = 2;
      pl_mesh_def mesh = soup_mesh(&s[b]);
      pl_body *body;
      assert_int_equal(pl_body_create_free(context, &mesh, NULL, &body), PL_OK);
      assert_int_equal(pl_scene_add(scene, body, NULL), PL_OK);
    }
    for (int from = 0; from < RAYS; from += 8) { /* each eight at another body */
      pl_ray some[RAYS];
      const soup *at = &s[test_below(&rng, count)];
      ray_aim aim = {at->xyz, at->triangles, at->vertex_count, at->triangle_count};
      make_rays(&rng, &aim, some);
      memcpy(rays + from, some + from, 8 * sizeof *rays);
    }
    char what[64];
    snprintf(what, sizeof what, "scene %d", i);
    hits += check(NULL, scene, rays, what);
    free(s);
    pl_context_destroy(context);
  }
  print_message("%d scenes, %zu hits\n", SCENES, hits);
  assert_true(hits > (size_t)SCENES);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(free_and_soup_bodies),
      cmocka_unit_test(transformed_bodies),
      cmocka_unit_test(scenes),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
