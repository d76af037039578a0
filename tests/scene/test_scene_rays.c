/* Rays through scenes of free, rigid and morphing bodies, against the reference byte by byte;
 * numbers of bodies; moved vertices. */
#include "body/body.h"
#include "scenes/scenes.h"
#include "support/probes.h"
#include "support/rays.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef __SANITIZE_ADDRESS__
enum { RAYS = 90, STEPS = 2, MOST = 20, CLOTH = 40, COMPARED = 70 };
#else
enum { RAYS = 300, MOST = 70, CLOTH = 150, COMPARED = 1000 };
#define STEPS (test_soaks() ? 4 : 2)
#endif

static const char *const simds[] = {SIMD_WORDS};

/* A scene of `count` bodies: spheres that deform freely, rigid ones and morphing ones in turn. */
typedef struct crowd {
  pl_context *context;
  pl_scene *scene;
  pl_body *bodies[600];
  int count;
  scene_mesh sphere;
  double *shape[2];
  double *all; /* world positions of all bodies, as free ones, for aiming */
  uint32_t *triangles;
} crowd;

static pl_transform placement(int i, int step)
{
  double a = 0.7 * i + 0.3 * step, s = i % 5 == 4 ? 0.2 : 1;
  pl_transform f = {{{s * cos(a), -sin(a), 0}, {s * sin(a), cos(a), 0}, {0, 0, i % 7 == 5 ? -1 : 1}},
                    {1.7 * (i % 4), 1.6 * (i / 4 % 4) + 0.1 * step, 1.9 * (i / 16)}};
  return f;
}

static void put(crowd *c, int i, int step)
{
  pl_transform f = placement(i, step);
  double w = 0.2 * (step % 5), weights[2] = {1 - w, w};
  size_t n = c->sphere.vertex_count;
  double *now = c->all + 3 * n * (size_t)i;
  for (size_t v = 0; v < n; ++v)
    for (int k = 0; k < 3; ++k) {
      double sum = f.t[k];
      for (int j = 0; j < 3; ++j) {
        double q = c->shape[0][3 * v + (size_t)j];
        sum += f.m[k][j] * (i % 3 == 2 ? weights[0] * q + weights[1] * c->shape[1][3 * v + (size_t)j] : q);
      }
      now[3 * v + (size_t)k] = sum;
    }
  if (i % 3 == 0) {
    assert_int_equal(pl_body_set_positions(c->bodies[i], pl_positions_f64(now, n)), PL_OK);
    return;
  }
  assert_int_equal(pl_body_set_transform(c->bodies[i], &f), PL_OK);
  if (i % 3 == 2) assert_int_equal(pl_body_set_weights(c->bodies[i], weights, 2), PL_OK);
}

static void make_body(crowd *c, int i)
{
  size_t n = c->sphere.vertex_count;
  pl_mesh_def mesh = pl_mesh_def_default();
  mesh.positions = pl_positions_f64(c->shape[0], n);
  mesh.triangles = c->sphere.triangles;
  mesh.triangle_count = c->sphere.triangle_count;
  pl_positions references[2] = {mesh.positions, pl_positions_f64(c->shape[1], n)};
  pl_morph_def shapes = pl_morph_def_default();
  shapes.references = references;
  shapes.reference_count = 2;
  pl_status status = i % 3 == 0   ? pl_body_create_free(c->context, &mesh, NULL, &c->bodies[i])
                     : i % 3 == 1 ? pl_body_create_rigid(c->context, &mesh, NULL, &c->bodies[i])
                                  : pl_body_create_morph(c->context, &mesh, &shapes, NULL, &c->bodies[i]);
  assert_int_equal(status, PL_OK);
  pl_member_def member = pl_member_def_default();
  member.loose = i % 4 == 1; /* says nothing about rays */
  for (int k = 0; k < 3; ++k) member.lower[k] = -100, member.upper[k] = 100;
  assert_int_equal(pl_scene_add(c->scene, c->bodies[i], &member), PL_OK);
}

static bool crowd_create(crowd *c, int count, int threads, const char *simd)
{
  pl_context_def def = pl_context_def_default();
  def.threads = threads;
  def.simd = simd;
  *c = (crowd){.count = count};
  if (pl_context_create(&def, &c->context) != PL_OK) return false;
  assert_int_equal(pl_scene_create(c->context, NULL, &c->scene), PL_OK);
  assert_true(scene_geosphere(3, &c->sphere));
  size_t n = c->sphere.vertex_count, t = 3 * c->sphere.triangle_count;
  for (int r = 0; r < 2; ++r) {
    c->shape[r] = malloc(3 * n * sizeof(double));
    for (size_t i = 0; i < 3 * n; ++i) c->shape[r][i] = (double)c->sphere.rest[i] * (r && i % 3 == 1 ? 0.4 : 1);
  }
  c->all = malloc(3 * n * (size_t)count * sizeof *c->all);
  c->triangles = malloc(t * (size_t)count * sizeof *c->triangles);
  for (int i = 0; i < count; ++i)
    for (size_t k = 0; k < t; ++k) c->triangles[(size_t)i * t + k] = c->sphere.triangles[k] + (uint32_t)((size_t)i * n);
  for (int i = 0; i < count; ++i) make_body(c, i);
  return true;
}

static void crowd_free(crowd *c)
{
  pl_context_destroy(c->context);
  scene_mesh_free(&c->sphere);
  for (int r = 0; r < 2; ++r) free(c->shape[r]);
  free(c->all);
  free(c->triangles);
}

static void like_reference(void **state)
{
  (void)state;
  static const int counts[] = {1, 2, 7, 8, 9, MOST};
  for (size_t i = 0; i < sizeof counts / sizeof *counts; ++i)
    for (int setting = 0; setting < 3; ++setting) {
      crowd c;
      if (!crowd_create(&c, counts[i], 1 << setting, simds[setting])) continue;
      int rays = counts[i] > 10 ? RAYS / 3 : RAYS;
      pl_ray *r = malloc((size_t)rays * sizeof *r);
      for (int step = 0; step < STEPS; ++step) {
        for (int b = 0; b < c.count; ++b) put(&c, b, step);
        ray_aim aim = {c.all, c.triangles, c.sphere.vertex_count * (size_t)c.count,
                       c.sphere.triangle_count * (size_t)c.count};
        rays_make((uint64_t)step + 7, &aim, r, (size_t)rays);
        ray_answer wanted = reference_rays(NULL, c.scene, r, (size_t)rays);
        char what[64];
        snprintf(what, sizeof what, "%d bodies %s step %d", counts[i], simds[setting], step);
        assert_rays(NULL, c.scene, r, &wanted, what);
        ray_answer_free(&wanted);
      }
      free(r);
      crowd_free(&c);
    }
}

/* The first question to a scene, while its arrays grow: boxes beyond the first block of 8 were
 * once lost in that. Every body is hit by a ray of its own. */
static void first_cast_sees_all(void **state)
{
  (void)state;
  /* more than 64 and more than 512: a level of boxes each */
  static const int counts[] = {8, 9, 16, 17, 33, 70, 530};
  for (size_t i = 0; i < sizeof counts / sizeof *counts; ++i) {
    crowd c;
    assert_true(crowd_create(&c, counts[i], 1, NULL));
    pl_ray *rays = malloc((size_t)counts[i] * sizeof *rays);
    for (int b = 0; b < c.count; ++b) {
      pl_transform f = placement(b, 0);
      put(&c, b, 0);
      /* from the middle of the body between its neighbours, which are farther away */
      double way = b % 2 ? -1 : 1;
      rays[b] = pl_ray_from(f.t, (const double[3]){way, 0.9 * way, 1.1 * way});
    }
    const pl_result *hits;
    assert_int_equal(pl_cast(pl_all(c.scene), rays, (size_t)c.count, NULL, &hits), PL_OK);
    pl_hit *got = malloc((size_t)c.count * sizeof *got);
    memcpy(got, hits->hits, (size_t)c.count * sizeof *got);
    for (int b = 0; b < c.count; ++b)
      if (got[b].member != (uint32_t)b) fail_msg("%d bodies: the ray of body %d hits %u", counts[i], b, got[b].member);
    size_t compared =
        (size_t)(c.count < COMPARED ? c.count : COMPARED); /* the reference tries all triangles with each */
    assert_int_equal(reference_cast(pl_all(c.scene), rays, compared, NULL, &hits), PL_OK);
    assert_memory_equal(got, hits->hits, compared * sizeof *got);
    free(got);
    free(rays);
    crowd_free(&c);
  }
}

/* Numbers follow the order of adding, and close up. */
static void numbers_of_bodies(void **state)
{
  (void)state;
  crowd c;
  assert_true(crowd_create(&c, 6, 1, NULL));
  for (int i = 0; i < 6; ++i) put(&c, i, 0);
  assert_null(pl_scene_member_body(NULL, 0));
  assert_null(pl_scene_member_body(c.scene, 6));
  assert_null(pl_scene_member_body(c.scene, PL_NONE));
  for (uint32_t i = 0; i < 6; ++i) assert_ptr_equal(pl_scene_member_body(c.scene, i), c.bodies[i]);
  assert_int_equal(pl_scene_remove(c.scene, c.bodies[2]), PL_OK);
  assert_ptr_equal(pl_scene_member_body(c.scene, 2), c.bodies[3]);
  assert_null(pl_scene_member_body(c.scene, 5));
  pl_transform f = placement(4, 0);
  pl_ray ray = pl_ray_from((const double[3]){f.t[0], f.t[1], 50}, (const double[3]){1e-3, 0, -1});
  const pl_result *hits;
  assert_int_equal(pl_cast(pl_all(c.scene), &ray, 1, NULL, &hits), PL_OK);
  assert_ptr_equal(pl_scene_member_body(c.scene, hits->hits[0].member), c.bodies[4]);
  for (int i = 0; i < 6; ++i) pl_body_destroy(c.bodies[i]);
  assert_int_equal(pl_cast(pl_all(c.scene), &ray, 1, NULL, &hits), PL_OK); /* an empty scene */
  assert_int_equal(hits->hits[0].triangle, PL_NONE);
  crowd_free(&c);
}

/* ---------------------------------------------------------------------- a few moved vertices -- */

static pl_counters counted(pl_body *body, const pl_ray *rays, size_t count)
{
  const pl_result *hits;
  assert_int_equal(pl_cast(pl_one(body), rays, count, NULL, &hits), PL_OK);
  return hits->counters;
}

/* After m neighbouring vertices have moved, a ray makes no volume that it has made already, and
 * the move itself makes O(m + log n): nothing that grows with the mesh. */
static void few_moved_vertices(void **state)
{
  (void)state;
  for (int strategy = 1; strategy < FREE_STRATEGIES; ++strategy) {
    pl_context *context = context_of(NULL);
    scene_mesh m;
    assert_true(scene_cloth(CLOTH, &m));
    memcpy(m.xyz, m.rest, 3 * m.vertex_count * sizeof *m.xyz);
    pl_mesh_def mesh = pl_mesh_def_default();
    mesh.positions = pl_positions_f32(m.xyz, m.vertex_count);
    mesh.triangles = m.triangles;
    mesh.triangle_count = m.triangle_count;
    pl_body_def def = pl_body_def_default();
    def.strategy = (pl_strategy)strategy;
    pl_body *body;
    assert_int_equal(pl_body_create_free(context, &mesh, &def, &body), PL_OK);
    enum { COUNT = 9 };
    double *xyz = malloc(3 * m.vertex_count * sizeof *xyz);
    for (size_t i = 0; i < 3 * m.vertex_count; ++i) xyz[i] = (double)m.xyz[i];
    pl_ray rays[COUNT];
    ray_aim aim = {xyz, m.triangles, m.vertex_count, m.triangle_count};
    rays_make(3, &aim, rays, COUNT);
    counted(body, rays, COUNT);
    assert_int_equal(counted(body, rays, COUNT).n_u, 0);
    uint32_t moved[4];
    float now[12];
    for (int step = 0; step < 3; ++step) {
      for (uint32_t i = 0; i < 4; ++i) {
        moved[i] = (uint32_t)m.vertex_count / 2 + i;
        for (uint32_t k = 0; k < 3; ++k) {
          float *at = &m.xyz[3 * moved[i] + k];
          *at += 1e-3f * (float)(step + 1);
          now[3 * i + k] = *at;
          xyz[3 * moved[i] + k] = (double)*at;
        }
      }
      assert_int_equal(pl_body_set_vertices(body, moved, 4, pl_positions_f32(now, 4)), PL_OK);
      uint64_t made = counted(body, rays, COUNT).n_u;
      if (step) assert_int_equal(made, 0);
      assert_true(made <= (uint64_t)(COUNT * 8 * body->tree->nodes.depth));
      uint64_t volumes = update_vertices(body->update, moved, 4); /* what the move has cost */
      if (volumes > (uint64_t)(4 * 6 * (1 + body->tree->nodes.depth)))
        fail_msg("%llu volumes for 4 vertices", (unsigned long long)volumes);
      rays_make((uint64_t)step + 50, &aim, rays, COUNT);
      ray_answer wanted = reference_rays(body, NULL, rays, COUNT);
      assert_rays(body, NULL, rays, &wanted, "moved");
      ray_answer_free(&wanted);
      assert_valid(body, context, "moved");
    }
    free(xyz);
    scene_mesh_free(&m);
    pl_context_destroy(context);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(like_reference), cmocka_unit_test(first_cast_sees_all),
                                     cmocka_unit_test(numbers_of_bodies), cmocka_unit_test(few_moved_vertices)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
