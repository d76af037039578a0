/* The ray tracer: light, what the budget leaves out, and pictures that are the same bytes
 * whatever the trees, threads and instruction set. */
#include "trace/inside.h"

#include "scenes/scenes.h"
#include "support/worlds.h"

#include <stdlib.h>
#include <string.h>

enum { WIDTH = 96, HEIGHT = 72, PIXELS = WIDTH * HEIGHT, MOST_BODIES = 4 };

/* ----------------------------------------------------------------------------------- a stage -- */

/* Bumpy bodies of a few hundred triangles, with all that a frame needs. */
typedef struct stage {
  pl_context *context;
  pl_scene *scene;
  tracer *tracer;
  scene_mesh meshes[MOST_BODIES];
  pl_body *bodies[MOST_BODIES];
  trace_fans *fans[MOST_BODIES];
  trace_body traced[MOST_BODIES];
  size_t count;
  trace_world world;
  trace_camera camera;
  trace_settings settings;
  uint8_t rgb[3 * PIXELS];
} stage;

static void stage_body(stage *s, size_t i, const pl_body_def *def, int frame)
{
  pl_mesh_def mesh = pl_mesh_def_default();
  assert_true(scene_geosphere(7, &s->meshes[i]));
  scene_s4_pose(&s->meshes[i], (int)i, frame);
  mesh.positions = pl_positions_f32(s->meshes[i].xyz, s->meshes[i].vertex_count);
  mesh.triangles = s->meshes[i].triangles;
  mesh.triangle_count = s->meshes[i].triangle_count;
  assert_int_equal(pl_body_create_free(s->context, &mesh, def, &s->bodies[i]), PL_OK);
  assert_int_equal(pl_scene_add(s->scene, s->bodies[i], NULL), PL_OK);
  assert_int_equal(trace_fans_create(&mesh, &s->fans[i]), PL_OK);
  s->traced[i] = (trace_body){mesh.triangles, mesh.positions, NULL, s->fans[i], trace_palette((int)i), NULL, NULL};
  s->traced[i].material.mirror = 0.3f;
}

static void stage_open(stage *s, size_t count, const pl_body_def *def, int threads, const char *simd)
{
  static const double low[3] = {-3, -1.2, -3}, high[3] = {3, 1.2, 3};
  *s = (stage){.count = count, .settings = trace_settings_default()};
  pl_context_def c = pl_context_def_default();
  c.threads = threads;
  c.simd = simd;
  assert_int_equal(pl_context_create(&c, &s->context), PL_OK);
  assert_int_equal(tracer_create(s->context, &s->tracer), PL_OK);
  assert_int_equal(pl_scene_create(s->context, NULL, &s->scene), PL_OK);
  for (size_t i = 0; i < count; ++i) stage_body(s, i, def, 0);
  s->settings.width = WIDTH;
  s->settings.height = HEIGHT;
  trace_view view = {.up_axis = 1, .degrees = 40, .aspect = (double)WIDTH / HEIGHT};
  trace_view_frame(&view, low, high, 30, 20, 1.2);
  s->camera = trace_camera_make(&view);
  trace_world_make(&s->world, TRACE_MOOD_DAY, 1, low, high, view.eye, 2);
}

static void stage_close(stage *s)
{
  tracer_destroy(s->tracer);
  pl_context_destroy(s->context);
  for (size_t i = 0; i < MOST_BODIES; ++i) {
    trace_fans_destroy(s->fans[i]);
    scene_mesh_free(&s->meshes[i]);
  }
}

static void stage_move(stage *s, int frame)
{
  for (size_t i = 0; i < s->count; ++i) {
    scene_s4_pose(&s->meshes[i], (int)i, frame);
    assert_int_equal(pl_body_set_positions(s->bodies[i], s->traced[i].positions), PL_OK);
  }
}

static trace_stats stage_trace(stage *s)
{
  trace_stats stats;
  trace_shot shot = {s->scene, s->traced, s->count, &s->world, &s->camera, s->settings};
  memset(s->rgb, 0xab, sizeof s->rgb);
  assert_int_equal(trace_frame(s->tracer, &shot, s->rgb, &stats), PL_OK);
  return stats;
}

static int difference(const uint8_t *a, const uint8_t *b)
{
  int most = 0;
  for (int i = 0; i < 3 * PIXELS; ++i) {
    int d = abs(a[i] - b[i]);
    if (d > most) most = d;
  }
  return most;
}

static double mean_of(const uint8_t *rgb)
{
  double sum = 0;
  for (int i = 0; i < 3 * PIXELS; ++i) sum += rgb[i];
  return sum / (3 * PIXELS);
}

/* ------------------------------------------------------------------------------------- light -- */

static void test_tones_rise(void **state)
{
  float table[TONE_STEPS + 1], last = -1;
  tone_table(table);
  for (double x = -0.1; x < 5; x += 0.001) {
    float y = tone(table, (float)x);
    assert_true(y >= last && y >= 0 && y <= 255);
    last = y;
  }
  assert_true(tone(table, 0) == 0 && last > 254.9f);
  assert_true(fabsf(tone(table, 0.5f) - 187.5f) < 1); /* half of the light is 188 of 255 in sRGB */
  assert_true(tone(table, (float)NAN) == 0);
}

static void test_squares_alternate_and_blur(void **state)
{
  trace_ground g = {.kind = TRACE_GROUND_CHECKER, .square = 2, .other = {0, 0, 0}, .material = {.colour = {1, 1, 1}}};
  vec down = vec_make(0, -1, 0);
  for (int i = -3; i < 3; ++i)
    for (int k = -3; k < 3; ++k) {
      double c = ground_colour(&g, 1, vec_make(2 * i + 1, 0, 2 * k + 1), down, 1e-3).x;
      assert_true(fabs(c - ((i + k) % 2 == 0)) < 1e-6);
    }
  /* a pixel of two squares */
  assert_true(fabs(ground_colour(&g, 1, vec_make(0.3, 0, 0.7), down, 4).x - 0.5) < 1e-6);
  /* on an edge */
  assert_true(fabs(ground_colour(&g, 1, vec_make(0, 0, 1), down, 0.5).x - 0.5) < 1e-6);
}

static void test_shadows_fall(void **state)
{
  stage s;
  stage_open(&s, 3, NULL, 1, NULL);
  trace_stats with = stage_trace(&s);
  double lit = mean_of(s.rgb);
  assert_int_equal(with.primary, PIXELS);
  assert_true(with.hits > PIXELS / 20 && with.bodies == 3 && with.shadow > with.hits);
  assert_true(with.left_shadow == 0 && with.left_reflected == 0 && with.samples == 1);
  s.settings.shadows = false;
  trace_stats without = stage_trace(&s);
  assert_int_equal(without.shadow, 0);
  assert_true(mean_of(s.rgb) > lit + 0.5);
  s.settings.shadows = true;
  s.settings.bounces = 0;
  assert_int_equal(stage_trace(&s).reflected, 0);
  s.settings.bounces = 3;
  assert_true(stage_trace(&s).reflected > with.reflected);
  stage_close(&s);
}

/* The face of a ball that looks into the light has no shadow of its own on it, however coarse
 * the ball. */
static void test_a_ball_does_not_shade_itself(void **state)
{
  stage s;
  stage_open(&s, 1, NULL, 1, NULL);
  for (size_t i = 0; i < 3 * s.meshes[0].vertex_count; ++i) s.meshes[0].xyz[i] = s.meshes[0].rest[i];
  assert_int_equal(pl_body_set_positions(s.bodies[0], s.traced[0].positions), PL_OK);
  s.world.ground.kind = TRACE_GROUND_NONE;
  s.settings.bounces = 0;
  uint8_t shaded[3 * PIXELS];
  stage_trace(&s);
  memcpy(shaded, s.rgb, sizeof shaded);
  s.settings.shadows = false;
  stage_trace(&s);
  assert_true(difference(shaded, s.rgb) <= 3); /* at the very rim of the lit side */
  stage_close(&s);
}

/* A body that is turned and scaled by its placement looks as one that stands there. */
static void test_placed_bodies_look_the_same(void **state)
{
  stage free_one, rigid;
  pl_transform t = {{{0.96, -0.72, 0}, {0.72, 0.96, 0}, {0, 0, 1.2}}, {0.3, 0.2, -0.4}};
  stage_open(&free_one, 1, NULL, 1, NULL);
  stage_open(&rigid, 0, NULL, 1, NULL);
  scene_mesh *m = &free_one.meshes[0];
  assert_true(scene_geosphere(7, &rigid.meshes[0]));
  scene_s4_pose(&rigid.meshes[0], 0, 0);
  pl_mesh_def mesh = pl_mesh_def_default();
  mesh.positions = pl_positions_f32(rigid.meshes[0].xyz, m->vertex_count);
  mesh.triangles = m->triangles;
  mesh.triangle_count = m->triangle_count;
  assert_int_equal(pl_body_create_rigid(rigid.context, &mesh, NULL, &rigid.bodies[0]), PL_OK);
  assert_int_equal(pl_body_set_transform(rigid.bodies[0], &t), PL_OK);
  assert_int_equal(pl_scene_add(rigid.scene, rigid.bodies[0], NULL), PL_OK);
  rigid.traced[0] = free_one.traced[0];
  rigid.traced[0].positions = mesh.positions;
  rigid.traced[0].placement = &t;
  rigid.count = 1;
  for (size_t i = 0; i < m->vertex_count; ++i)
    for (int k = 0; k < 3; ++k) {
      const float *p = rigid.meshes[0].xyz + 3 * i;
      m->xyz[3 * i + (size_t)k] = (float)(t.m[k][0] * p[0] + t.m[k][1] * p[1] + t.m[k][2] * p[2] + t.t[k]);
    }
  assert_int_equal(pl_body_set_positions(free_one.bodies[0], free_one.traced[0].positions), PL_OK);
  stage_trace(&free_one);
  stage_trace(&rigid);
  int different = 0;
  for (int i = 0; i < 3 * PIXELS; ++i) different += abs(free_one.rgb[i] - rigid.rgb[i]) > 2;
  /* positions are rounded to float in one of them: a few rims may differ */
  assert_true(different < 3 * PIXELS / 500);
  rigid.traced[0].fans = NULL;
  stage_close(&rigid);
  stage_close(&free_one);
}

/* -------------------------------------------------------------------------------- same bytes -- */

static uint64_t picture_hash(const pl_body_def *def, int threads, const char *simd, int subsample, int samples)
{
  stage s;
  uint64_t hash = HASH_START;
  stage_open(&s, 3, def, threads, simd);
  s.settings.subsample = subsample;
  s.settings.samples = samples;
  for (int frame = 0; frame < 20; frame += 9) {
    stage_move(&s, frame);
    stage_trace(&s);
    hash = hash_bytes(hash, s.rgb, sizeof s.rgb);
  }
  stage_close(&s);
  return hash;
}

static void test_pictures_are_the_same_bytes(void **state)
{
  static const char *const sets[] = {SIMD_WORDS};
  for (int subsample = 1; subsample <= 5; subsample += 4) {
    int samples = subsample == 1 ? 1 : 3;
    uint64_t right = picture_hash(NULL, 1, NULL, subsample, samples);
    for (int strategy = 0; strategy < FREE_STRATEGIES; ++strategy)
      for (int threads = 1; threads <= 3; threads += 2)
        for (int leaf = 1; leaf <= 8; leaf += 7) {
          pl_body_def def = pl_body_def_default();
          def.strategy = (pl_strategy)strategy;
          def.leaf_size = leaf;
          def.cut = leaf == 1 ? PL_CUT_CENTRE : PL_CUT_MEDIAN;
          assert_true(picture_hash(&def, threads, NULL, subsample, samples) == right);
        }
    for (int i = 0; i < 3; ++i) {
      pl_context *context = context_of(sets[i]);
      if (!context) continue;
      pl_context_destroy(context);
      assert_true(picture_hash(NULL, 2, sets[i], subsample, samples) == right);
    }
  }
}

/* Waves are cut from the frame; where they are cut must not show. */
static void test_large_pictures_are_cut_into_waves(void **state)
{
  enum { W = 256, H = 192 };
  stage s;
  stage_open(&s, 2, NULL, 2, NULL);
  uint8_t *rgb[2] = {malloc(3 * W * H), malloc(3 * W * H)};
  assert_non_null(rgb[0]);
  assert_non_null(rgb[1]);
  trace_shot shot = {s.scene, s.traced, s.count, &s.world, &s.camera, s.settings};
  shot.settings.width = W;
  shot.settings.height = H;
  trace_stats a, b;
  assert_int_equal(trace_frame(s.tracer, &shot, rgb[0], &a), PL_OK);
  shot.settings.budget_ms = 1e9; /* one wave */
  assert_int_equal(trace_frame(s.tracer, &shot, rgb[1], &b), PL_OK);
  assert_memory_equal(rgb[0], rgb[1], 3 * W * H);
  assert_true(a.primary == W * H && b.primary == W * H && a.shadow == b.shadow && a.reflected == b.reflected &&
              a.hits == b.hits);
  free(rgb[0]);
  free(rgb[1]);
  stage_close(&s);
}

/* ------------------------------------------------------------------------- sampling, budgets -- */

/* Where nothing changes from pixel to pixel, few rays show the same as many; elsewhere they come
 * near. */
static void test_few_rays_fill_the_picture(void **state)
{
  stage s;
  uint8_t full[3 * PIXELS];
  stage_open(&s, 3, NULL, 1, NULL);
  stage_trace(&s);
  memcpy(full, s.rgb, sizeof full);
  double fine = mean_of(full);
  for (int step = 2; step <= 120; step += step < 12 ? 3 : 53) {
    s.settings.subsample = step;
    trace_stats stats = stage_trace(&s);
    size_t across = (size_t)(WIDTH + step - 1) / (size_t)step, down = (size_t)(HEIGHT + step - 1) / (size_t)step;
    assert_int_equal(stats.primary, across * down);
    if (step < 12) assert_true(fabs(mean_of(s.rgb) - fine) < 6);
  }
  trace_body none = {0};
  s.world.ground.kind = TRACE_GROUND_NONE;
  s.world.sky = (trace_sky){.horizon = {0.5f, 0.5f, 0.5f}, .zenith = {0.5f, 0.5f, 0.5f}, .nadir = {0.5f, 0.5f, 0.5f}};
  pl_scene *empty;
  assert_int_equal(pl_scene_create(s.context, NULL, &empty), PL_OK);
  trace_shot shot = {empty, &none, 0, &s.world, &s.camera, s.settings};
  for (int step = 1; step < 200; step = 2 * step + 1) {
    trace_stats stats;
    shot.settings.subsample = step;
    memset(s.rgb, 0, sizeof s.rgb);
    assert_int_equal(trace_frame(s.tracer, &shot, s.rgb, &stats), PL_OK);
    for (int i = 0; i < 3 * PIXELS; ++i) assert_int_equal(s.rgb[i], 188);
  }
  stage_close(&s);
}

static void test_samples_smooth_edges(void **state)
{
  stage s;
  stage_open(&s, 3, NULL, 1, NULL);
  uint8_t one[3 * PIXELS];
  stage_trace(&s);
  memcpy(one, s.rgb, sizeof one);
  s.settings.samples = 5;
  trace_stats stats = stage_trace(&s);
  assert_int_equal(stats.primary, 5 * PIXELS);
  assert_int_equal(stats.samples, 5);
  assert_true(difference(one, s.rgb) > 20 && fabs(mean_of(one) - mean_of(s.rgb)) < 3);
  stage_close(&s);
}

/* A frame without time still has all its primary rays, tells what it left out, and asks for
 * fewer rays. */
static void test_a_budget_leaves_the_last_out(void **state)
{
  stage s;
  stage_open(&s, 3, NULL, 1, NULL);
  trace_stats all = stage_trace(&s);
  s.settings.budget_ms = 1e-6;
  s.settings.samples = 4;
  trace_stats few = stage_trace(&s);
  assert_int_equal(few.primary, PIXELS);
  assert_int_equal(few.samples, 1);
  assert_int_equal(few.shadow + few.reflected, 0);
  assert_true(few.left_shadow >= all.hits && few.left_reflected == all.reflected);
  assert_true(trace_next_subsample(&s.settings, &few, 1) == 16);
  /* no hole: nothing in this world is that dark */
  for (int i = 0; i < 3 * PIXELS; ++i) assert_true(s.rgb[i] > 0);
  stage_close(&s);
}

static void test_the_next_frame_fits(void **state)
{
  trace_settings o = trace_settings_default();
  trace_stats stats = {.samples = 1};
  o.subsample = 4;
  assert_int_equal(trace_next_subsample(&o, &stats, 3), 3); /* no budget: as asked for */
  o.budget_ms = 50;
  stats.ms_cast = 49;
  assert_int_equal(trace_next_subsample(&o, &stats, 1), 4); /* just right */
  stats.ms_cast = 51;
  assert_int_equal(trace_next_subsample(&o, &stats, 1), 5);
  stats.ms_cast = 200;
  /* four times too long: half as many each way */
  assert_int_equal(trace_next_subsample(&o, &stats, 1), 8);
  stats.ms_cast = 1e6;
  assert_int_equal(trace_next_subsample(&o, &stats, 1), 16);
  stats.ms_cast = 10;
  stats.left_shadow = 1;
  assert_int_equal(trace_next_subsample(&o, &stats, 1), 5);
  stats.left_shadow = 0;
  /* 17.8 ms; 2 would be just over 0.8 of 50 */
  assert_int_equal(trace_next_subsample(&o, &stats, 1), 3);
  stats.ms_cast = 0.1;
  assert_int_equal(trace_next_subsample(&o, &stats, 1), 1);
  assert_int_equal(trace_next_subsample(&o, &stats, 2), 2);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_tones_rise),
      cmocka_unit_test(test_squares_alternate_and_blur),
      cmocka_unit_test(test_shadows_fall),
      cmocka_unit_test(test_a_ball_does_not_shade_itself),
      cmocka_unit_test(test_placed_bodies_look_the_same),
      cmocka_unit_test(test_pictures_are_the_same_bytes),
      cmocka_unit_test(test_large_pictures_are_cut_into_waves),
      cmocka_unit_test(test_few_rays_fill_the_picture),
      cmocka_unit_test(test_samples_smooth_edges),
      cmocka_unit_test(test_a_budget_leaves_the_last_out),
      cmocka_unit_test(test_the_next_frame_fits),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
