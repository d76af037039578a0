/* Near vertices, faces and edges, and near pairs of scenes: against the reference, byte for
 * byte, over the product of settings; and the reference against every vertex, face and edge of
 * the mesh, in integers. */
#include "exact/tri_tri_distance.h"
#include "scenes/ask.h"
#include "scenes/scenes.h"
#include "support/distances.h"
#include "support/settings.h"

#include <stdio.h>

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
enum { MOST_STEPS = 1 };
#else
enum { MOST_STEPS = 2 };
#endif
static const settings_wish wish = {.leaf_step = 7, .leaf_step_8 = 7};

typedef struct truth {
  double margin;
  pl_feature_pair *pairs;
  size_t count;
} truth;

static int steps_of(const world *w) { return w->steps < MOST_STEPS ? w->steps : MOST_STEPS; }

/* Margins from 0 (only what touches) to a good part of the distance between the bodies or of
 * their size. */
static double margin_of(const world *w, pl_body *const bodies[2], int step)
{
  least_row d;
  assert_int_equal(refer_least(pl_two(bodies[0], bodies[1]), NULL, &d), PL_OK);
  double size = 0;
  for (size_t i = 0; i < 3 * w->mesh[0].vertex_count; i += 3)
    size = fmax(size, fabs(w->mesh[0].xyz[i] - w->mesh[0].xyz[0]));
  return step % 2 ? d.distance : d.distance * 1.01 + 0.02 * size;
}

static truth *truths_of(world *w)
{
  pl_context *context = context_of(NULL);
  pl_body *bodies[2];
  w->pose(w, 0);
  world_bodies(w, context, NULL, true, bodies);
  truth *t = calloc((size_t)steps_of(w), sizeof *t);
  for (int s = 0; s < steps_of(w); ++s) {
    w->pose(w, s);
    world_set(w, true, bodies);
    const pl_result *found;
    t[s].margin = margin_of(w, bodies, s);
    assert_int_equal(refer_near(pl_two(bodies[0], bodies[1]), t[s].margin, NULL, &found), PL_OK);
    t[s].count = found->count;
    t[s].pairs = malloc((found->count + 1) * sizeof *t[s].pairs);
    if (found->count) memcpy(t[s].pairs, found->features, found->count * sizeof *found->features);
  }
  pl_context_destroy(context);
  return t;
}

static void assert_features(pl_body *a, pl_body *b, const truth *t, const char *where)
{
  pl_question def = pl_question_default();
  def.sorted = true;
  const pl_result *got;
  assert_int_equal(ask_near(pl_two(a, b), t->margin, &def, &got), PL_OK);
  if (got->count != t->count) fail_msg("%s: %zu feature pairs instead of %zu", where, got->count, t->count);
  for (size_t i = 0; i < t->count; ++i)
    if (memcmp(&got->features[i], &t->pairs[i], sizeof *t->pairs))
      fail_msg("%s: pair %zu: %s %u %u instead of %s %u %u", where, i, pl_word(PL_WORDS_FEATURE, got->features[i].kind),
               got->features[i].triangle_a, got->features[i].triangle_b, pl_word(PL_WORDS_FEATURE, t->pairs[i].kind),
               t->pairs[i].triangle_a, t->pairs[i].triangle_b);
  def.sorted = false;
  assert_int_equal(ask_near(pl_two(a, b), t->margin, &def, &got), PL_OK);
  assert_int_equal(got->count, t->count);
}

static void play(world *w, const truth *truths, const setting *chosen, const char *what)
{
  pl_context *context;
  pl_body *bodies[2];
  assert_int_equal(pl_context_create(&chosen->context, &context), PL_OK);
  w->pose(w, 0);
  world_bodies(w, context, &chosen->body, chosen->doubles, bodies);
  for (int s = 0; s < steps_of(w); ++s) {
    char where[256];
    snprintf(where, sizeof where, "%s %s step %d", w->name, what, s);
    w->pose(w, s);
    world_set(w, chosen->doubles, bodies);
    assert_features(bodies[0], bodies[1], &truths[s], where);
  }
  pl_context_destroy(context);
}

static void run_world(int kind)
{
  world w;
  world_create(kind, 1, &w);
  truth *truths = truths_of(&w);
  product p;
  settings_open(&p, &wish);
  for (size_t i = 0; i < p.row_count; ++i) {
    setting s = setting_of(&p, i);
    char what[SETTING_TEXT];
    play(&w, truths, &s, setting_text(&s, what));
    product_saw(&p, p.rows[i]);
  }
  settings_close(&p);
  for (int s = 0; s < steps_of(&w); ++s) free(truths[s].pairs);
  free(truths);
  world_free(&w);
}

WORLD_LIST(WORLD_TEST)

/* --------------------------------------------------------------- every vertex, face and edge -- */

typedef struct plain_mesh {
  const float *xyz;
  const uint32_t *triangles;
  size_t triangle_count, vertex_count;
} plain_mesh;

static void corner_at(const plain_mesh *m, uint32_t v, double out[3])
{
  for (int k = 0; k < 3; ++k) out[k] = (double)m->xyz[3 * v + (uint32_t)k];
}

static bool joins(const plain_mesh *m, uint32_t v, uint32_t w)
{
  for (size_t t = 0; t < m->triangle_count; ++t)
    for (size_t c = 0; c < 3; ++c) {
      uint32_t p = m->triangles[3 * t + c], q = m->triangles[3 * t + (c + 1) % 3];
      if ((p == v && q == w) || (p == w && q == v)) return v != w;
    }
  return false;
}

static bool is_used(const plain_mesh *m, uint32_t v)
{
  for (size_t i = 0; i < 3 * m->triangle_count; ++i)
    if (m->triangles[i] == v) return true;
  return false;
}

/* Exactly once, at this distance, or not at all. */
static size_t times_found(const pl_result *found, pl_feature kind, uint32_t face, const uint32_t a[2],
                          const uint32_t b[2], double distance)
{
  size_t n = 0;
  for (size_t i = 0; i < found->count; ++i) {
    const pl_feature_pair *f = &found->features[i];
    if (f->kind != kind) continue;
    bool same_a =
        (f->vertex_a[0] == a[0] && f->vertex_a[1] == a[1]) || (f->vertex_a[1] == a[0] && f->vertex_a[0] == a[1]);
    bool same_b =
        (f->vertex_b[0] == b[0] && f->vertex_b[1] == b[1]) || (f->vertex_b[1] == b[0] && f->vertex_b[0] == b[1]);
    if (kind == PL_FEATURE_VERTEX_FACE) same_b = f->triangle_b == face;
    if (kind == PL_FEATURE_FACE_VERTEX) same_a = f->triangle_a == face;
    if (!same_a || !same_b) continue;
    ++n;
    if (!(fabs(f->distance - distance) <= 4 * DISTANCE_ERROR * distance))
      fail_msg("%g instead of %g", f->distance, distance);
  }
  return n;
}

static double exact_distance(const double a[3][3], const double b[3][3])
{
  closest c = {0};
  if (!pl_triangles_touch(a, b)) tri_tri_distance_big(a, b, &c);
  return c.distance;
}

/* Vertices of m against faces of other; returns how many are near. */
static size_t check_vertices(const plain_mesh *m, const plain_mesh *other, bool turned, double margin,
                             const pl_result *found)
{
  size_t near = 0;
  for (uint32_t v = 0; v < m->vertex_count; ++v)
    for (uint32_t t = 0; t < other->triangle_count; ++t) {
      double a[3][3], b[3][3];
      for (int c = 0; c < 3; ++c) {
        corner_at(m, v, a[c]);
        corner_at(other, other->triangles[3 * t + (uint32_t)c], b[c]);
      }
      double distance = exact_distance((const double(*)[3])a, (const double(*)[3])b);
      size_t want = distance <= margin && is_used(m, v);
      const uint32_t own[2] = {v, v};
      size_t got = times_found(found, turned ? PL_FEATURE_FACE_VERTEX : PL_FEATURE_VERTEX_FACE, t, own, own, distance);
      if (got != want) fail_msg("vertex %u, face %u: %zu times instead of %zu", v, t, got, want);
      near += want;
    }
  return near;
}

static size_t check_edges(const plain_mesh *m, const plain_mesh *other, double margin, const pl_result *found)
{
  size_t near = 0;
  for (uint32_t v = 0; v < m->vertex_count; ++v)
    for (uint32_t w = v + 1; w < m->vertex_count; ++w) {
      if (!joins(m, v, w)) continue;
      for (uint32_t p = 0; p < other->vertex_count; ++p)
        for (uint32_t q = p + 1; q < other->vertex_count; ++q) {
          if (!joins(other, p, q)) continue;
          double a[3][3], b[3][3];
          for (int c = 0; c < 3; ++c) {
            corner_at(m, c ? w : v, a[c]);
            corner_at(other, c ? q : p, b[c]);
          }
          double distance = exact_distance((const double(*)[3])a, (const double(*)[3])b);
          size_t want = distance <= margin;
          size_t got =
              times_found(found, PL_FEATURE_EDGE_EDGE, 0, (const uint32_t[]){v, w}, (const uint32_t[]){p, q}, distance);
          if (got != want) fail_msg("edges %u-%u, %u-%u: %zu times instead of %zu", v, w, p, q, got, want);
          near += want;
        }
    }
  return near;
}

static void check_all(const plain_mesh *a, const plain_mesh *b, double margin)
{
  pl_context *context = context_of(NULL);
  pl_body *p = body_of(context, a->xyz, a->vertex_count, a->triangles, a->triangle_count, NULL);
  pl_body *q = body_of(context, b->xyz, b->vertex_count, b->triangles, b->triangle_count, NULL);
  const pl_result *found;
  assert_int_equal(ask_near(pl_two(p, q), margin, NULL, &found), PL_OK);
  size_t near = check_vertices(a, b, false, margin, found) + check_vertices(b, a, true, margin, found) +
                check_edges(a, b, margin, found);
  assert_int_equal(near, found->count);
  assert_true(near > 0);
  const size_t count = found->count;
  pl_question def = pl_question_default();
  def.edge_edge = false;
  assert_int_equal(ask_near(pl_two(p, q), margin, &def, &found), PL_OK);
  size_t vertices = found->count;
  def = pl_question_default();
  def.vertex_face = false;
  assert_int_equal(ask_near(pl_two(p, q), margin, &def, &found), PL_OK);
  assert_int_equal(vertices + found->count, count);
  pl_context_destroy(context);
}

static void every_feature_once(void **state)
{
  (void)state;
  scene_mesh mesh[2];
  assert_true(scene_geosphere(1, &mesh[0]) && scene_geosphere(1, &mesh[1]));
  for (int step = 40; step < 200; step += 53) {
    scene_s1_pose(&mesh[0], &mesh[1], step);
    const plain_mesh a = {mesh[0].xyz, mesh[0].triangles, mesh[0].triangle_count, mesh[0].vertex_count};
    const plain_mesh b = {mesh[1].xyz, mesh[1].triangles, mesh[1].triangle_count, mesh[1].vertex_count};
    check_all(&a, &b, 0.7);
  }
  scene_mesh_free(&mesh[0]);
  scene_mesh_free(&mesh[1]);
}

/* Repeated corners, repeated triangles, an edge that three share, a vertex that none uses,
 * features that touch. */
static void odd_triangles(void **state)
{
  (void)state;
  static const float xyz[] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 1, 1, 0, 9, 9, 9, 0.5f, 0.5f, 1, 0.5f, 0.5f, -1};
  static const uint32_t odd[] = {3, 2, 1, 0, 1, 2, 1, 2, 5, 1, 2, 6, 0, 0, 1, 0, 1, 0, 5, 5, 5, 0, 1, 2};
  static const float flat[] = {0, 0, 0.25f, 1, 0, 0.25f, 0, 1, 0.25f, 0.25f, 0.25f, 0, 0.5f, 0.5f, 0};
  static const uint32_t two[] = {0, 1, 2, 3, 4, 0};
  const plain_mesh a = {xyz, odd, 8, 7}, b = {flat, two, 2, 5};
  for (int k = 0; k < 3; ++k) check_all(&a, &b, (const double[]){0, 0.25, 2}[k]);
}

/* Ordinary triangles with some components that are denormal or nearly so: normals and points
 * have the bits of the reference there as well. */
static void components_below_1e_300_have_the_same_bits(void **state)
{
  (void)state;
  enum { TRIANGLES = 40 };
  test_rng rng = {11};
  pl_context *context = context_of(NULL);
  double xyz[2][9 * TRIANGLES];
  uint32_t tri[3 * TRIANGLES];
  pl_body *bodies[2];
  size_t count = 0;
  for (uint32_t i = 0; i < 3 * TRIANGLES; ++i) tri[i] = i;
  for (int round = 0; round < 20; ++round) {
    for (int b = 0; b < 2; ++b) {
      for (int i = 0; i < 9 * TRIANGLES; ++i)
        xyz[b][i] = test_uniform(&rng, -1, 1) * (test_below(&rng, 3) ? 1 : ldexp(1, -1000 - test_below(&rng, 70)));
      pl_mesh_def mesh = pl_mesh_def_default();
      mesh.positions = pl_positions_f64(xyz[b], 3 * TRIANGLES);
      mesh.triangles = tri;
      mesh.triangle_count = TRIANGLES;
      assert_int_equal(pl_body_create_free(context, &mesh, NULL, &bodies[b]), PL_OK);
    }
    const pl_result *found;
    truth t = {.margin = 0.25};
    assert_int_equal(refer_near(pl_two(bodies[0], bodies[1]), t.margin, NULL, &found), PL_OK);
    t.count = found->count;
    t.pairs = malloc((found->count + 1) * sizeof *t.pairs);
    if (t.count) memcpy(t.pairs, found->features, t.count * sizeof *t.pairs);
    assert_features(bodies[0], bodies[1], &t, "tiny components");
    count += t.count;
    free(t.pairs);
    for (int b = 0; b < 2; ++b) pl_body_destroy(bodies[b]);
  }
  assert_true(count > 1000);
  pl_context_destroy(context);
}

/* ------------------------------------------------------------------------------------ scenes -- */

enum { MEMBERS = 8 };

/* Leaves out triangles by their bodies: `user` is one of the scene. */
static bool some_contacts(void *user, pl_body *a, pl_body *b, pl_pair pair)
{
  return a == user || b == user ? pair.a % 3 == 0 : (pair.a + pair.b) % 2 == 0;
}

/* seen: NULL, or a body that a filter looks for. */
static size_t assert_scene_near(pl_scene *scene, double margin, pl_body *seen)
{
  const pl_result *found;
  pl_question def = pl_question_default();
  def.sorted = true;
  def.filter = seen ? some_contacts : NULL;
  def.user = seen;
  assert_int_equal(refer_near_triangles(pl_all(scene), margin, &def, &found), PL_OK);
  size_t count = found->count, groups = found->group_count;
  pl_near_pair *pairs = malloc((count + 1) * sizeof *pairs);
  pl_group *group = malloc((groups + 1) * sizeof *group);
  if (count) memcpy(pairs, found->near_pairs, count * sizeof *pairs);
  if (groups) memcpy(group, found->groups, groups * sizeof *group);
  assert_int_equal(ask_near_triangles(pl_all(scene), margin, &def, &found), PL_OK);
  assert_int_equal(found->count, count);
  assert_int_equal(found->group_count, groups);
  assert_true(found->body_pairs >= groups);
  if (count) assert_memory_equal(found->near_pairs, pairs, count * sizeof *pairs);
  if (groups) assert_memory_equal(found->groups, group, groups * sizeof *group);
  free(pairs);
  free(group);
  return count;
}

static size_t assert_scene_features(pl_scene *scene, double margin, pl_body *seen)
{
  const pl_result *found;
  pl_question def = pl_question_default();
  def.sorted = true;
  def.filter = seen ? some_contacts : NULL;
  def.user = seen;
  assert_int_equal(refer_near(pl_all(scene), margin, &def, &found), PL_OK);
  size_t count = found->count, groups = found->group_count;
  pl_feature_pair *pairs = malloc((count + 1) * sizeof *pairs);
  pl_group *group = malloc((groups + 1) * sizeof *group);
  if (count) memcpy(pairs, found->features, count * sizeof *pairs);
  if (groups) memcpy(group, found->groups, groups * sizeof *group);
  assert_int_equal(ask_near(pl_all(scene), margin, &def, &found), PL_OK);
  assert_int_equal(found->count, count);
  assert_int_equal(found->group_count, groups);
  if (count) assert_memory_equal(found->features, pairs, count * sizeof *pairs);
  if (groups) assert_memory_equal(found->groups, group, groups * sizeof *group);
  free(pairs);
  free(group);
  return count;
}

static void scenes_agree_with_the_reference(void **state)
{
  (void)state;
  size_t all = 0;
  for (int threads = 1; threads <= 3; threads += 2) {
    pl_context_def context_def = pl_context_def_default();
    context_def.threads = threads;
    pl_context *context;
    assert_int_equal(pl_context_create(&context_def, &context), PL_OK);
    pl_scene_def def = pl_scene_def_default();
    def.broad = threads > 1 ? PL_BROAD_SWEEP : PL_BROAD_AUTO;
    pl_scene *scene;
    assert_int_equal(pl_scene_create(context, &def, &scene), PL_OK);
    scene_mesh mesh[MEMBERS];
    pl_body *body[MEMBERS];
    for (int i = 0; i < MEMBERS; ++i) {
      assert_true(scene_geosphere(2, &mesh[i]));
      scene_s2_pose(&mesh[i], i, 0);
      body[i] = body_of(context, mesh[i].xyz, mesh[i].vertex_count, mesh[i].triangles, mesh[i].triangle_count, NULL);
      pl_member_def member = pl_member_def_default();
      member.group = i == 2 ? 2 : 1;
      member.mask = i == 3 ? 1 : UINT32_MAX;
      member.loose = i == 4;
      for (int k = 0; k < 3; ++k) member.lower[k] = -50, member.upper[k] = 50;
      assert_int_equal(pl_scene_add(scene, body[i], &member), PL_OK);
    }
    for (int step = 0; step < 200; step += 33) {
      for (int i = 0; i < MEMBERS; ++i) {
        scene_s2_pose(&mesh[i], i, step);
        assert_int_equal(pl_body_set_positions(body[i], pl_positions_f32(mesh[i].xyz, mesh[i].vertex_count)), PL_OK);
      }
      double margin = (const double[]){0, 0.05, 0.6}[step / 33 % 3];
      size_t near = assert_scene_near(scene, margin, NULL), features = assert_scene_features(scene, margin, NULL);
      assert_true(assert_scene_near(scene, margin, body[1]) <= near * 2 / 3 + 20);
      assert_true(assert_scene_features(scene, margin, body[1]) <= features);
      all += features;
      assert_scene_like_reference(scene, "after near pairs"); /* boxes have not stayed large */
    }
    pl_context_destroy(context);
    for (int i = 0; i < MEMBERS; ++i) scene_mesh_free(&mesh[i]);
  }
  assert_true(all > 1000);
}

static void an_infinite_margin_has_all(void **state)
{
  (void)state;
  pl_context *context = context_of(NULL);
  pl_scene *scene;
  scene_mesh mesh[3];
  assert_int_equal(pl_scene_create(context, NULL, &scene), PL_OK);
  for (int i = 0; i < 3; ++i) {
    assert_true(scene_geosphere(1, &mesh[i]));
    scene_s2_pose(&mesh[i], 4 * i, 0);
    pl_body *b = body_of(context, mesh[i].xyz, mesh[i].vertex_count, mesh[i].triangles, mesh[i].triangle_count, NULL);
    assert_int_equal(pl_scene_add(scene, b, NULL), PL_OK);
  }
  const pl_result *near;
  const pl_result *features;
  assert_int_equal(ask_near_triangles(pl_all(scene), INFINITY, NULL, &near), PL_OK);
  assert_int_equal(near->count, 3 * 20 * 20);
  assert_int_equal(ask_near(pl_all(scene), INFINITY, NULL, &features), PL_OK);
  assert_int_equal(features->count, 3 * (12 * 20 * 2 + 30 * 30));
  pl_context_destroy(context);
  for (int i = 0; i < 3; ++i) scene_mesh_free(&mesh[i]);
}

/* ---------------------------------------------------------------------------------- refusals -- */

static bool only_even(void *user, pl_body *a, pl_body *b, pl_pair pair)
{
  ++*(int *)user;
  return (pair.a + pair.b) % 2 == 0;
}

static void wrong_calls_are_refused(void **state)
{
  (void)state;
  pl_context *context = context_of(NULL);
  scene_mesh mesh[2];
  pl_body *body[2];
  assert_true(scene_geosphere(2, &mesh[0]) && scene_geosphere(2, &mesh[1]));
  scene_s1_pose(&mesh[0], &mesh[1], 150);
  for (int i = 0; i < 2; ++i)
    body[i] = body_of(context, mesh[i].xyz, mesh[i].vertex_count, mesh[i].triangles, mesh[i].triangle_count, NULL);
  const pl_result *found;
  const pl_result *near;
  const pl_result *features;
  pl_scene *scene;
  assert_int_equal(pl_scene_create(context, NULL, &scene), PL_OK);
  assert_int_equal(ask_near(pl_two(NULL, body[1]), 1, NULL, &found), PL_ERROR_ARGUMENT);
  assert_refused(context, ask_near(pl_two(body[0], body[1]), -1, NULL, &found), PL_ERROR_ARGUMENT, "margin");
  assert_refused(context, ask_near(pl_two(body[0], body[1]), NAN, NULL, &found), PL_ERROR_ARGUMENT, "margin");
  assert_refused(context, ask_near(pl_two(body[0], body[1]), 1, NULL, NULL), PL_ERROR_ARGUMENT, "out");
  assert_refused(context, ask_near_triangles(pl_all(scene), NAN, NULL, &near), PL_ERROR_ARGUMENT, "margin");
  assert_refused(context, ask_near_triangles(pl_all(scene), 1, NULL, NULL), PL_ERROR_ARGUMENT, "out");
  assert_int_equal(ask_near_triangles(pl_all(NULL), 1, NULL, &near), PL_ERROR_ARGUMENT);
  pl_question near_def = pl_question_default();
  pl_question def = pl_question_default();
  int asked = 0;
  near_def.filter = def.filter = only_even;
  near_def.user = def.user = &asked;
  assert_int_equal(ask_near_triangles(pl_all(scene), 1, &near_def, &near), PL_OK);
  assert_int_equal(ask_near(pl_all(scene), 1, &def, &features), PL_OK);
  assert_int_equal(ask_near_triangles(pl_all(scene), 1, NULL, &near), PL_OK);
  assert_true(near->count == 0 && near->group_count == 0);
  assert_int_equal(ask_near(pl_two(body[0], body[1]), 0.5, NULL, &found), PL_OK);
  size_t even = 0;
  for (size_t i = 0; i < found->count; ++i)
    even += (found->features[i].triangle_a + found->features[i].triangle_b) % 2 == 0;
  assert_true(even > 0 && even < found->count);
  assert_int_equal(ask_near(pl_two(body[0], body[1]), 0.5, &def, &found), PL_OK);
  assert_int_equal(found->count, even);
  assert_true(asked > 0);
  assert_string_equal(pl_word(PL_WORDS_FEATURE, PL_FEATURE_EDGE_EDGE), "edge-edge");
  assert_null(pl_word(PL_WORDS_FEATURE, PL_FEATURE_COUNT));
  pl_context_destroy(context);
  scene_mesh_free(&mesh[0]);
  scene_mesh_free(&mesh[1]);
}

int main(void)
{
  const struct CMUnitTest tests[] = {WORLD_LIST(WORLD_ENTRY) cmocka_unit_test(every_feature_once),
                                     cmocka_unit_test(odd_triangles),
                                     cmocka_unit_test(components_below_1e_300_have_the_same_bits),
                                     cmocka_unit_test(scenes_agree_with_the_reference),
                                     cmocka_unit_test(an_infinite_margin_has_all),
                                     cmocka_unit_test(wrong_calls_are_refused)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
