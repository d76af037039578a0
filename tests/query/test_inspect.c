/* What can be read back: positions of every motion, volumes of every strategy and kind, words
 * both ways, the caller's pointer. */
#include "scenes/ask.h"
#include "scenes/scenes.h"
#include "support/worlds.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SIZE = 7 };

typedef struct stage {
  pl_context *context;
  scene_mesh mesh;
  float *second;
} stage;

static void stage_open(stage *s)
{
  s->context = context_of(NULL);
  assert_true(scene_geosphere(SIZE, &s->mesh));
  s->second = malloc(3 * s->mesh.vertex_count * sizeof *s->second);
  for (size_t i = 0; i < 3 * s->mesh.vertex_count; ++i) s->second[i] = s->mesh.rest[i] * (1 + 0.1f * (float)(i % 7));
}

static void stage_close(stage *s)
{
  pl_context_destroy(s->context);
  scene_mesh_free(&s->mesh);
  free(s->second);
}

static pl_mesh_def mesh_of(const stage *s, const float *xyz)
{
  pl_mesh_def mesh = pl_mesh_def_default();
  mesh.positions = pl_positions_f32(xyz, s->mesh.vertex_count);
  mesh.triangles = s->mesh.triangles;
  mesh.triangle_count = s->mesh.triangle_count;
  return mesh;
}

static const pl_transform turned = {{{0.5, -0.25, 0}, {0.1, 2, 0.3}, {0, 1e-3, -1}}, {0.1, 20, -3}};

static pl_body *create(stage *s, int motion, const pl_body_def *def)
{
  pl_body *body;
  pl_mesh_def mesh = mesh_of(s, s->mesh.rest);
  const pl_positions shapes[2] = {mesh.positions, pl_positions_f32(s->second, s->mesh.vertex_count)};
  pl_morph_def morph = pl_morph_def_default();
  morph.references = shapes;
  morph.reference_count = 2;
  const double weights[2] = {0.3, 0.7};
  pl_status status = motion == PL_MOTION_FREE    ? pl_body_create_free(s->context, &mesh, def, &body)
                     : motion == PL_MOTION_RIGID ? pl_body_create_rigid(s->context, &mesh, def, &body)
                                                 : pl_body_create_morph(s->context, &mesh, &morph, def, &body);
  assert_int_equal(status, PL_OK);
  if (motion == PL_MOTION_MORPH) assert_int_equal(pl_body_set_weights(body, weights, 2), PL_OK);
  if (motion != PL_MOTION_FREE) assert_int_equal(pl_body_set_transform(body, &turned), PL_OK);
  return body;
}

/* --------------------------------------------------------------------------------- positions -- */

/* As the headers define them. */
static void right_position(const stage *s, int motion, size_t v, double out[3])
{
  double q[3];
  for (size_t k = 0; k < 3; ++k) {
    double a = (double)s->mesh.rest[3 * v + k], b = (double)s->second[3 * v + k];
    q[k] = motion == PL_MOTION_MORPH ? 0.3 * a + 0.7 * b : a;
  }
  for (int k = 0; k < 3; ++k)
    out[k] = motion == PL_MOTION_FREE
                 ? q[k]
                 : turned.m[k][0] * q[0] + turned.m[k][1] * q[1] + turned.m[k][2] * q[2] + turned.t[k];
}

static void positions_are_those_of_queries(void **state)
{
  (void)state;
  stage s;
  stage_open(&s);
  size_t n = s.mesh.vertex_count;
  for (int motion = PL_MOTION_FREE; motion <= PL_MOTION_MORPH; ++motion) {
    pl_body *body = create(&s, motion, NULL);
    double *all = malloc(3 * n * sizeof *all);
    assert_int_equal(pl_body_positions(body, NULL, n, PL_F64, all, 0), PL_OK);
    for (size_t v = 0; v < n; ++v) {
      double right[3];
      right_position(&s, motion, v, right);
      assert_memory_equal(&all[3 * v], right, sizeof right);
    }
    const uint32_t some[4] = {5, 0, (uint32_t)n - 1, 5};
    struct {
      float xyz[3], untouched;
    } strided[4] = {{{0}, 7}, {{0}, 7}, {{0}, 7}, {{0}, 7}};
    assert_int_equal(pl_body_positions(body, some, 4, PL_F32, strided, sizeof strided[0]), PL_OK);
    for (int i = 0; i < 4; ++i) {
      assert_true(strided[i].untouched == 7);
      for (size_t k = 0; k < 3; ++k) assert_true(strided[i].xyz[k] == (float)all[3 * some[i] + k]);
    }
    const uint32_t wrong = (uint32_t)n;
    assert_refused(s.context, pl_body_positions(body, &wrong, 1, PL_F64, all, 0), PL_ERROR_MISMATCH, "vertex");
    assert_refused(s.context, pl_body_positions(body, NULL, n - 1, PL_F64, all, 0), PL_ERROR_MISMATCH, "give all");
    assert_refused(s.context, pl_body_positions(body, NULL, n, PL_F64, NULL, 0), PL_ERROR_ARGUMENT, "data is NULL");
    assert_refused(s.context, pl_body_positions(body, NULL, n, PL_F64, all, 12), PL_ERROR_ARGUMENT, "stride");
    assert_refused(s.context, pl_body_positions(body, NULL, n, (pl_scalar)2, all, 0), PL_ERROR_ARGUMENT, "type");
    assert_int_equal(pl_body_positions(NULL, NULL, n, PL_F64, all, 0), PL_ERROR_ARGUMENT);
    assert_int_equal(pl_body_positions(body, some, 0, PL_F64, NULL, 0), PL_OK);
    free(all);
  }
  stage_close(&s);
}

/* ----------------------------------------------------------------------------------- volumes -- */

static void to_world(const pl_transform *t, const double q[3], double out[3])
{
  for (int k = 0; k < 3; ++k) out[k] = t->m[k][0] * q[0] + t->m[k][1] * q[1] + t->m[k][2] * q[2] + t->t[k];
}

/* The corners of a box in the world, and whether their box holds p; conservative tests need no
 * more than rounding. */
static bool box_holds(const pl_volumes *level, const pl_node_volume *v, const double p[3])
{
  double low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY};
  for (int c = 0; c < 8; ++c) {
    double q[3], w[3];
    for (int k = 0; k < 3; ++k) q[k] = (double)(c >> k & 1 ? v->upper[k] : v->lower[k]);
    to_world(&level->to_world, q, w);
    for (int k = 0; k < 3; ++k) {
      low[k] = fmin(low[k], w[k]);
      high[k] = fmax(high[k], w[k]);
    }
  }
  for (int k = 0; k < 3; ++k)
    if (p[k] < low[k] - 1e-9 || p[k] > high[k] + 1e-9) return false;
  return true;
}

static bool sphere_holds(const float *f, const double p[3])
{
  double square = 0;
  for (int k = 0; k < 3; ++k) square += (p[k] - (double)f[k]) * (p[k] - (double)f[k]);
  return sqrt(square) <= (double)f[3] * (1 + 1e-6);
}

/* Every vertex is in a volume of the level, or in a leaf above it; the numbers of triangles add
 * up. */
static void check_levels(stage *s, pl_body *body)
{
  size_t n = s->mesh.vertex_count, above = 0, leaves = 0;
  double(*places)[3] = malloc(n * sizeof *places);
  bool *held = calloc(n, sizeof *held); /* by a leaf of a level above */
  assert_int_equal(pl_body_positions(body, NULL, n, PL_F64, places, 0), PL_OK);
  const pl_volumes *level;
  pl_body_info info;
  assert_int_equal(pl_body_get_info(body, true, &info), PL_OK);
  size_t before = 0;
  for (int l = 0; l <= info.depth; ++l) {
    assert_int_equal(pl_body_volumes(body, l, true, &level), PL_OK);
    assert_true(level->level == l && level->levels == info.depth + 1 && level->count > 0);
    assert_int_equal(level->components != NULL, pl_body_volume(body) != PL_VOLUME_AABB && l > 0);
    size_t triangles = 0, end = 0;
    for (size_t i = 0; i < level->count; ++i) {
      const pl_node_volume *v = &level->volumes[i];
      assert_true(v->fresh != PL_FRESH_STALE && v->shape_fresh != PL_FRESH_STALE);
      if (l) assert_true(v->parent < before && v->parent >= end); /* in order */
      end = v->parent;
      triangles += v->triangles;
      leaves += v->leaf;
    }
    assert_int_equal(above + triangles, s->mesh.triangle_count);
    for (size_t p = 0; p < n; ++p) {
      bool inside = held[p];
      for (size_t i = 0; i < level->count && !inside; ++i)
        inside = box_holds(level, &level->volumes[i], places[p]) &&
                 (level->kind != PL_VOLUME_SPHERE || sphere_holds(level->components + 4 * i, places[p]));
      if (!inside) fail_msg("vertex %zu is in no volume of level %d", p, l);
      for (size_t i = 0; i < level->count && !held[p]; ++i)
        held[p] = level->volumes[i].leaf && box_holds(level, &level->volumes[i], places[p]);
    }
    for (size_t i = 0; i < level->count; ++i) above += level->volumes[i].leaf ? level->volumes[i].triangles : 0;
    before = level->count;
  }
  assert_int_equal(above, s->mesh.triangle_count);
  assert_int_equal(leaves, info.leaves);
  free(places);
  free(held);
}

static void volumes_of_every_level(void **state)
{
  (void)state;
  stage s;
  stage_open(&s);
  for (int strategy = PL_STRATEGY_AUTO; strategy < PL_STRATEGY_COUNT; ++strategy)
    for (int volume = 0; volume < PL_VOLUME_COUNT; ++volume) {
      pl_body_def def = pl_body_def_default();
      def.strategy = (pl_strategy)strategy;
      def.volume = (pl_volume)volume;
      def.arity = 2 << strategy % 3;
      def.leaf_size = 1 + volume;
      pl_body *body;
      pl_mesh_def mesh = mesh_of(&s, s.mesh.rest);
      if (pl_body_create_free(s.context, &mesh, &def, &body) == PL_ERROR_UNSUPPORTED) continue;
      assert_int_equal(pl_body_set_positions(body, pl_positions_f32(s.second, s.mesh.vertex_count)), PL_OK);
      check_levels(&s, body);
      pl_body_destroy(body);
    }
  for (int motion = PL_MOTION_RIGID; motion <= PL_MOTION_MORPH; ++motion) {
    pl_body *body = create(&s, motion, NULL);
    check_levels(&s, body);
  }
  stage_close(&s);
}

static size_t count_fresh(pl_body *body, int level, pl_fresh fresh)
{
  const pl_volumes *v;
  assert_int_equal(pl_body_volumes(body, level, false, &v), PL_OK);
  size_t count = 0;
  for (size_t i = 0; i < v->count; ++i) count += v->volumes[i].fresh == fresh;
  return count;
}

static void freshness_follows_the_queries(void **state)
{
  (void)state;
  stage s;
  stage_open(&s);
  pl_body_def def = body_def_of(PL_STRATEGY_HYBRID, 2, 1, false);
  def.eager_levels = 3;
  pl_body *body = create(&s, PL_MOTION_FREE, &def);
  const pl_volumes *v;
  assert_int_equal(pl_body_volumes(body, 1, false, &v), PL_OK); /* before the first query */
  assert_true(v->volumes[0].fresh == PL_FRESH_STALE && v->volumes[0].upper[0] == 0);
  assert_int_equal(pl_body_update(body, NULL), PL_OK);
  assert_int_equal(count_fresh(body, 0, PL_FRESH_EAGER), 1);
  assert_int_equal(count_fresh(body, 3, PL_FRESH_EAGER), 8);
  assert_int_equal(count_fresh(body, 4, PL_FRESH_STALE), 16);
  least_row d;
  const double point[3] = {0, 0, 1.5};
  assert_int_equal(ask_point(body, point, false, &d), PL_OK);
  size_t opened = count_fresh(body, 5, PL_FRESH_DEMAND);
  assert_true(opened > 0 && opened < 32 && opened + count_fresh(body, 5, PL_FRESH_STALE) == 32);
  assert_int_equal(count_fresh(body, 5, PL_FRESH_DEMAND), opened); /* looking changes nothing */
  assert_int_equal(pl_body_volumes(body, 5, true, &v), PL_OK);
  assert_int_equal(count_fresh(body, 5, PL_FRESH_DEMAND), 32);
  assert_int_equal(pl_body_set_positions(body, pl_positions_f32(s.second, s.mesh.vertex_count)), PL_OK);
  assert_int_equal(pl_body_volumes(body, 5, false, &v), PL_OK);
  assert_true(v->volumes[3].fresh == PL_FRESH_STALE && v->volumes[3].upper[0] > v->volumes[3].lower[0]);
  assert_refused(s.context, pl_body_volumes(body, -1, true, &v), PL_ERROR_ARGUMENT, "level -1");
  assert_refused(s.context, pl_body_volumes(body, 99, true, &v), PL_ERROR_ARGUMENT, "level 99");
  assert_refused(s.context, pl_body_volumes(body, 0, true, NULL), PL_ERROR_ARGUMENT, "out is NULL");
  assert_int_equal(pl_body_volumes(NULL, 0, true, &v), PL_ERROR_ARGUMENT);
  assert_null(v);
  stage_close(&s);
}

/* ------------------------------------------------------------------------ words, the pointer -- */

/* Every value of every kind has a word of its own, which is found again; nothing else has one. */
static void words_both_ways(void **state)
{
  (void)state;
  static const int counts[PL_WORDS_COUNT] = {
      [PL_WORDS_KIND] = PL_WORDS_COUNT,       [PL_WORDS_STRATEGY] = PL_STRATEGY_COUNT,
      [PL_WORDS_VOLUME] = PL_VOLUME_COUNT,    [PL_WORDS_BUILDER] = PL_BUILDER_COUNT,
      [PL_WORDS_CUT] = PL_CUT_COUNT,          [PL_WORDS_CRITERION] = PL_CRITERION_COUNT,
      [PL_WORDS_GROWTH] = PL_GROWTH_COUNT,    [PL_WORDS_MOTION] = PL_MOTION_COUNT,
      [PL_WORDS_MORPH] = PL_MORPH_COUNT,      [PL_WORDS_PATH] = PL_PATH_COUNT,
      [PL_WORDS_MATCH] = PL_MATCH_COUNT,      [PL_WORDS_SOUP] = PL_SOUP_COUNT,
      [PL_WORDS_BROAD] = PL_BROAD_COUNT,      [PL_WORDS_FRESH] = PL_FRESH_COUNT,
      [PL_WORDS_SELF] = PL_SELF_METHOD_COUNT, [PL_WORDS_RAY] = PL_RAY_MODE_COUNT,
      [PL_WORDS_CLOSURE] = PL_CLOSURE_COUNT,  [PL_WORDS_SIDE] = PL_SIDE_COUNT,
      [PL_WORDS_FEATURE] = PL_FEATURE_COUNT,  [PL_WORDS_ZONE] = PL_ZONE_COUNT,
  };
  for (int k = 0; k < PL_WORDS_COUNT; ++k) {
    pl_words kind = (pl_words)k;
    assert_true(counts[k] > 0);
    for (int i = 0; i < counts[k]; ++i) {
      int value = -1;
      assert_non_null(pl_word(kind, i));
      assert_true(pl_word_parse(kind, pl_word(kind, i), &value) && value == i);
    }
    int kept = -7;
    assert_null(pl_word(kind, counts[k]));
    assert_null(pl_word(kind, INT_MAX));
    assert_null(pl_word(kind, -1));
    assert_false(pl_word_parse(kind, "", &kept) || pl_word_parse(kind, "no such word", &kept));
    assert_false(pl_word_parse(kind, NULL, &kept));
    assert_true(kept == -7 && pl_word_parse(kind, pl_word(kind, 0), NULL));
  }
  assert_null(pl_word(PL_WORDS_COUNT, 0));
  assert_null(pl_word((pl_words)-1, 0));
  assert_false(pl_word_parse(PL_WORDS_COUNT, "auto", NULL));
  assert_string_equal(pl_word(PL_WORDS_KIND, PL_WORDS_SELF), "self");
  assert_string_equal(pl_word(PL_WORDS_STRATEGY, PL_STRATEGY_TOP_DOWN), "top-down");
}

static void the_callers_pointer(void **state)
{
  (void)state;
  stage s;
  stage_open(&s);
  pl_scene *scene;
  assert_int_equal(pl_scene_create(s.context, NULL, &scene), PL_OK);
  int mine[2];
  for (int i = 0; i < 2; ++i) {
    pl_body *body = create(&s, PL_MOTION_FREE, NULL);
    assert_null(pl_body_user(body));
    pl_body_set_user(body, &mine[i]);
    assert_int_equal(pl_scene_add(scene, body, NULL), PL_OK);
  }
  const pl_result *contacts;
  assert_int_equal(pl_touching(pl_all(scene), NULL, &contacts), PL_OK);
  assert_true(contacts->count > 0);
  assert_ptr_equal(pl_body_user(contacts->groups[0].a), &mine[0]);
  assert_ptr_equal(pl_body_user(contacts->groups[0].b), &mine[1]);
  least_row nearest;
  assert_int_equal(ask_least(pl_all(scene), NULL, &nearest), PL_OK);
  assert_ptr_equal(pl_body_user(nearest.b), &mine[1]);
  const pl_result *hits;
  const double from[3] = {0, 0, 9}, along[3] = {0, 0, -1};
  pl_ray ray = pl_ray_from(from, along);
  assert_int_equal(pl_cast(pl_all(scene), &ray, 1, NULL, &hits), PL_OK);
  assert_ptr_equal(pl_body_user(hits->hits[0].body), &mine[0]);
  assert_null(pl_body_user(NULL));
  pl_body_set_user(NULL, mine);
  stage_close(&s);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(positions_are_those_of_queries),
      cmocka_unit_test(volumes_of_every_level),
      cmocka_unit_test(freshness_follows_the_queries),
      cmocka_unit_test(words_both_ways),
      cmocka_unit_test(the_callers_pointer),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
