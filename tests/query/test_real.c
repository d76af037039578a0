/* Real meshes against the reference: sequences that deform, classic models moved through each
 * other, and the nasty ones. Settings are taken in turn, so that over all files every builder,
 * arity, strategy and leaf size meets every other. */
#include "support/worlds.h"

#include "io/io.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
enum { THOROUGH = 0 };
#define MOST_TESTS 3e6
#else
enum { THOROUGH = 1 };
#define MOST_TESTS (test_soaks() ? 1e8 : 2e7)
#endif

/* ---------------------------------------------------------------------------------- settings -- */

enum { SETTINGS = PL_BUILDER_COUNT * 3 * (FREE_STRATEGIES - 1) * 8 };

static int turn;           /* settings taken so far */
static int used[SETTINGS]; /* how often */
static size_t comparisons, pairs_in_all;

/* 77 has no divisor in common with 360: after so many turns each has come once, and neighbours
 * differ in everything. */
static pl_body_def next_setting(bool second)
{
  int i = (int)((unsigned)(turn + (second ? 67 : 0)) * 77u % SETTINGS), k = i;
  if (!second) ++used[i];
  pl_body_def def = pl_body_def_default();
  def.builder = (pl_builder)(k % PL_BUILDER_COUNT);
  k /= PL_BUILDER_COUNT;
  def.arity = 2 << k % 3;
  k /= 3;
  def.strategy = (pl_strategy)(1 + k % (FREE_STRATEGIES - 1));
  k /= FREE_STRATEGIES - 1;
  def.leaf_size = 1 + k;
  def.cut = (pl_cut)(turn % PL_CUT_COUNT);
  def.borrow = turn % 3 == 1;
  def.lazy_levels = 1 + turn % 2;
  return def;
}

/* ------------------------------------------------------------------------------------ actors -- */

/* A mesh with its positions at every step, in double and rounded to float. */
typedef struct actor {
  uint32_t *triangles;
  size_t triangle_count, vertex_count;
  int steps;
  double *xyz;  /* steps * 3 * vertex_count */
  float *rough; /* the same as float */
} actor;

static void actor_free(actor *a)
{
  free(a->triangles);
  free(a->xyz);
  free(a->rough);
}

static io_mesh read_mesh(const char *relative)
{
  io_mesh m;
  io_error error;
  if (!io_mesh_read(data_path(relative), &m, &error)) fail_msg("%s", error.text);
  return m;
}

/* Takes the triangles; poses are given one by one. */
static actor actor_of(const io_mesh *m, int steps)
{
  actor a = {.triangle_count = m->triangle_count, .vertex_count = m->vertex_count, .steps = steps};
  a.triangles = malloc(3 * m->triangle_count * sizeof *a.triangles);
  memcpy(a.triangles, m->triangles, 3 * m->triangle_count * sizeof *a.triangles);
  a.xyz = malloc((size_t)steps * 3 * m->vertex_count * sizeof *a.xyz);
  a.rough = malloc((size_t)steps * 3 * m->vertex_count * sizeof *a.rough);
  return a;
}

/* The mesh at one step: turned about z by `angle`, then shifted. */
static void actor_pose(actor *a, int step, const io_mesh *m, const double shift[3], double angle)
{
  double c = cos(angle), s = sin(angle);
  for (size_t v = 0; v < a->vertex_count; ++v) {
    const double *p = &m->xyz[3 * v];
    double q[3] = {c * p[0] - s * p[1], s * p[0] + c * p[1], p[2]};
    for (int k = 0; k < 3; ++k) {
      size_t at = (size_t)step * 3 * a->vertex_count + 3 * v + (size_t)k;
      a->xyz[at] = (angle != 0 ? q[k] : p[k]) + shift[k];
      a->rough[at] = (float)a->xyz[at];
    }
  }
}

static void extent(const io_mesh *m, double size[3])
{
  for (int k = 0; k < 3; ++k) {
    double low = INFINITY, high = -INFINITY;
    for (size_t v = 0; v < m->vertex_count; ++v)
      low = fmin(low, m->xyz[3 * v + (size_t)k]), high = fmax(high, m->xyz[3 * v + (size_t)k]);
    size[k] = high - low;
  }
}

static pl_positions actor_positions(const actor *a, int step, bool doubles)
{
  size_t at = (size_t)step * 3 * a->vertex_count;
  return doubles ? pl_positions_f64(a->xyz + at, a->vertex_count) : pl_positions_f32(a->rough + at, a->vertex_count);
}

static pl_body *actor_body(pl_context *context, const actor *a, const pl_body_def *def, bool doubles)
{
  pl_mesh_def mesh = pl_mesh_def_default();
  mesh.positions = actor_positions(a, 0, doubles);
  mesh.triangles = a->triangles;
  mesh.triangle_count = a->triangle_count;
  pl_body *body;
  if (pl_body_create_free(context, &mesh, def, &body) != PL_OK) fail_msg("%s", pl_context_message(context));
  return body;
}

/* -------------------------------------------------------------------------------- comparison -- */

/* All steps of two actors with one setting each, against the answers. */
static void play(const actor *a, const actor *b, bool doubles, const pair_list *answers, const char *what)
{
  pl_context *context = context_of(turn % 4 == 3 ? (turn % 8 == 3 ? "sse2" : "scalar") : NULL);
  if (!context) context = context_of(NULL);
  pl_body_def defs[2] = {next_setting(false), next_setting(true)};
  pl_body *bodies[2] = {actor_body(context, a, &defs[0], doubles), actor_body(context, b, &defs[1], doubles)};
  for (int s = 0; s < a->steps; ++s) {
    assert_int_equal(pl_body_set_positions(bodies[0], actor_positions(a, s, doubles)), PL_OK);
    assert_int_equal(pl_body_set_positions(bodies[1], actor_positions(b, s, doubles)), PL_OK);
    const pl_result *found;
    char where[320];
    snprintf(where, sizeof where, "%s, %s, step %d, setting %d (%s arity %d leaf %d %s) on %s", what,
             doubles ? "double" : "float", s, turn, pl_word(PL_WORDS_BUILDER, defs[0].builder), defs[0].arity,
             defs[0].leaf_size, pl_word(PL_WORDS_STRATEGY, defs[0].strategy), pl_context_simd(context));
    assert_int_equal(pl_touching(pl_two(bodies[0], bodies[1]), NULL, &found), PL_OK);
    assert_same_pairs(found->pairs, found->count, answers[s].pairs, answers[s].count, where);
    for (int k = 0; k < 2; ++k) assert_valid(bodies[k], context, where);
    ++comparisons;
  }
  pl_context_destroy(context);
  ++turn;
}

static size_t compare(const actor *a, const actor *b, bool doubles, int settings, const char *what)
{
  assert_int_equal(a->steps, b->steps);
  if ((double)a->triangle_count * (double)b->triangle_count > MOST_TESTS) return 0;
  pl_context *context = context_of(NULL);
  pl_body *bodies[2] = {actor_body(context, a, NULL, doubles), actor_body(context, b, NULL, doubles)};
  pair_list *answers = calloc((size_t)a->steps, sizeof *answers);
  size_t count = 0;
  for (int s = 0; s < a->steps; ++s) {
    assert_int_equal(pl_body_set_positions(bodies[0], actor_positions(a, s, doubles)), PL_OK);
    assert_int_equal(pl_body_set_positions(bodies[1], actor_positions(b, s, doubles)), PL_OK);
    answers[s] = reference_pairs_of(bodies[0], bodies[1]);
    count += answers[s].count;
  }
  pl_context_destroy(context);
  for (int i = 0; i < (THOROUGH ? settings : (settings + 2) / 3); ++i) play(a, b, doubles, answers, what);
  for (int s = 0; s < a->steps; ++s) free(answers[s].pairs);
  free(answers);
  pairs_in_all += count;
  return count;
}

static size_t compare_both(const actor *a, const actor *b, int settings, const char *what)
{
  size_t rough = compare(a, b, false, settings, what);
  return rough + compare(a, b, true, settings, what);
}

/* One mesh against itself (or another) that is shifted by parts of its size, and turned. */
static void pass_through(const char *x, const char *y, int steps, int settings)
{
  io_mesh m = read_mesh(x), n = read_mesh(y);
  actor a = actor_of(&m, steps), b = actor_of(&n, steps);
  double size[3], zero[3] = {0, 0, 0};
  extent(&m, size);
  for (int s = 0; s < steps; ++s) {
    double part = s == 0   ? 0
                  : s == 1 ? 0.31
                           : 0.17 / s,
           shift[3] = {part * size[0], -0.3 * part * size[1], 0.21 * part * size[2]};
    actor_pose(&a, s, &m, zero, 0);
    actor_pose(&b, s, &n, shift, s < 2 ? 0 : 0.7 * s);
  }
  compare(&a, &b, turn % 2, settings, x);
  compare(&b, &a, turn % 2 == 0, (settings + 1) / 2, y);
  actor_free(&a);
  actor_free(&b);
  io_mesh_free(&m);
  io_mesh_free(&n);
}

/* ----------------------------------------------------------------------------- the sequences -- */

/* Frames of a sequence against later frames of the same, moved a little. */
static void play_sequence(const char *name, size_t lag, int steps, int settings, double part)
{
  io_sequence sequence;
  io_error error;
  if (!io_sequence_open(data_path(name), &sequence, &error)) fail_msg("%s", error.text);
  assert_true(sequence.count > lag + (size_t)steps);
  actor a = {0}, b = {0};
  double size[3], shift[3], zero[3] = {0, 0, 0};
  for (int s = 0; s < steps; ++s) {
    io_mesh m[2];
    size_t gap = (sequence.count - lag - 1) / (size_t)steps;
    for (int k = 0; k < 2; ++k)
      if (!io_mesh_read(sequence.paths[(size_t)s * gap + (k ? lag : 0)], &m[k], &error)) fail_msg("%s", error.text);
    if (s == 0) {
      a = actor_of(&m[0], steps);
      b = actor_of(&m[0], steps);
      extent(&m[0], size);
    }
    assert_int_equal(m[0].vertex_count, a.vertex_count);
    for (int k = 0; k < 3; ++k) shift[k] = part * size[k];
    actor_pose(&a, s, &m[0], zero, 0);
    actor_pose(&b, s, &m[1], s % 3 ? shift : zero, 0);
    for (int k = 0; k < 2; ++k) io_mesh_free(&m[k]);
  }
  io_sequence_free(&sequence);
  assert_true(compare(&a, &b, false, settings, name) > 0 || !THOROUGH);
  compare(&a, &b, true, settings, name);
  actor_free(&a);
  actor_free(&b);
}

static void cactus(void **state)
{
  (void)state;
  play_sequence("sequences/cactus_deformed", 3, 10, 16, 0.05);
}

/* 25 472 triangles are too many for the reference: each eighth of the one against a hundredth of
 * the other, deforming as in the files. */
static actor part_of(const actor *a, size_t begin, size_t end)
{
  actor p = *a;
  size_t size = (size_t)a->steps * 3 * a->vertex_count;
  p.triangle_count = end - begin;
  p.triangles = malloc(3 * p.triangle_count * sizeof *p.triangles);
  memcpy(p.triangles, a->triangles + 3 * begin, 3 * p.triangle_count * sizeof *p.triangles);
  p.xyz = malloc(size * sizeof *p.xyz);
  p.rough = malloc(size * sizeof *p.rough);
  memcpy(p.xyz, a->xyz, size * sizeof *p.xyz);
  memcpy(p.rough, a->rough, size * sizeof *p.rough);
  return p;
}

static void rumba(void **state)
{
  (void)state;
  enum { FRAMES = 4 };
  actor a = {0}, b = {0};
  double zero[3] = {0, 0, 0};
  for (int s = 0; s < FRAMES; ++s) {
    char name[64];
    snprintf(name, sizeof name, "sequences/Rumba_Dancing/shell%d.obj", 3 * s);
    io_mesh m = read_mesh(name);
    snprintf(name, sizeof name, "sequences/Rumba_Dancing/shell%d.obj", 3 * s + 1);
    io_mesh n = read_mesh(name);
    if (s == 0) {
      a = actor_of(&m, FRAMES);
      b = actor_of(&n, FRAMES);
    }
    actor_pose(&a, s, &m, zero, 0);
    actor_pose(&b, s, &n, zero, 0);
    io_mesh_free(&m);
    io_mesh_free(&n);
  }
  size_t n = a.triangle_count, whole = THOROUGH ? n : n / 20;
  for (int i = 0; i < (THOROUGH ? 3 : 1); ++i) {
    actor p = part_of(&a, 0, whole), q = part_of(&b, (size_t)i * n / 3, (size_t)i * n / 3 + n / 100);
    compare(&p, &q, i % 2, 4, "Rumba_Dancing");
    actor_free(&p);
    actor_free(&q);
  }
  actor_free(&a);
  actor_free(&b);
}

/* ------------------------------------------------------------------------------------ models -- */

static void models(void **state)
{
  (void)state;
  pass_through("static/cow.obj", "static/cow.obj", 3, 4);
  pass_through("static/spot.obj", "static/spot.obj", 3, 4);
  pass_through("static/suzanne.obj", "static/suzanne.obj", 5, 16);
  pass_through("static/teapot.obj", "static/beetle.obj", 4, 8);
  pass_through("static/beetle.obj", "static/beetle.obj", 4, 8);
  pass_through("static/teapot.obj", "static/teapot.obj", 2, 4);
  pass_through("sequences/ipc-toolkit-tests-data/bunny.ply", "static/suzanne.obj", 3, 6);
}

/* A robot at several places in rooms. */
static void robot(void **state)
{
  (void)state;
  enum { PLACES = 12 };
  io_mesh env = read_mesh("static/fcl_resources/env.obj"), rob = read_mesh("static/fcl_resources/rob.obj");
  actor a = actor_of(&env, PLACES), b = actor_of(&rob, PLACES);
  double zero[3] = {0, 0, 0}, size[3];
  extent(&env, size);
  test_rng rng = {.state = 2};
  for (int s = 0; s < PLACES; ++s) { /* onto a vertex of the rooms */
    const double *to = &env.xyz[3 * (size_t)test_below(&rng, (int)env.vertex_count)];
    const double *from = &rob.xyz[3 * (size_t)test_below(&rng, (int)rob.vertex_count)];
    double shift[3] = {to[0] - from[0], to[1] - from[1], to[2] - from[2]};
    actor_pose(&a, s, &env, zero, 0);
    actor_pose(&b, s, &rob, shift, 0);
  }
  assert_true(compare_both(&a, &b, 16, "robot") > 100);
  actor_free(&a);
  actor_free(&b);
  io_mesh_free(&env);
  io_mesh_free(&rob);
}

/* Two frames of a cloth against a part of a rough body that is in it. */
static void cloth_and_armadillo(void **state)
{
  (void)state;
  double zero[3] = {0, 0, 0}, size[3], size_arm[3];
  io_mesh cloth[2] = {read_mesh("ccd-scenes/cloth-funnel/frames/227.ply"),
                      read_mesh("ccd-scenes/cloth-funnel/frames/228.ply")};
  io_mesh armadillo = read_mesh("ccd-scenes/armadillo-rollers/frames/326.ply");
  extent(&cloth[0], size);
  extent(&armadillo, size_arm);
  for (size_t i = 0; i < 3 * armadillo.vertex_count; ++i) armadillo.xyz[i] *= size[i % 3] / size_arm[i % 3];
  double low[2][3];
  for (int k = 0; k < 3; ++k) {
    low[0][k] = low[1][k] = INFINITY;
    for (size_t v = 0; v < cloth[0].vertex_count; ++v) low[0][k] = fmin(low[0][k], cloth[0].xyz[3 * v + (size_t)k]);
    for (size_t v = 0; v < armadillo.vertex_count; ++v) low[1][k] = fmin(low[1][k], armadillo.xyz[3 * v + (size_t)k]);
  }
  actor a = actor_of(&cloth[0], 2), b = actor_of(&armadillo, 2);
  for (int s = 0; s < 2; ++s) {
    double shift[3];
    for (int k = 0; k < 3; ++k) shift[k] = low[0][k] - low[1][k] + 0.05 * s * size[k];
    actor_pose(&a, s, &cloth[s], zero, 0);
    actor_pose(&b, s, &armadillo, shift, 0);
  }
  size_t most = (size_t)(MOST_TESTS / (double)a.triangle_count);
  if (most > b.triangle_count) most = b.triangle_count;
  actor part = part_of(&b, b.triangle_count / 3, b.triangle_count / 3 + most / 2);
  compare(&a, &part, true, 5, "cloth and armadillo");
  compare(&part, &a, false, 5, "armadillo and cloth");
  actor moved = part_of(&a, 0, most / 2); /* and the cloth against itself, a frame later */
  size_t n = 3 * a.vertex_count;
  memcpy(moved.xyz, a.xyz + n, n * sizeof *a.xyz);
  memcpy(moved.rough, a.rough + n, n * sizeof *a.rough);
  compare(&a, &moved, true, 5, "cloth a frame later");
  actor_free(&moved);
  actor_free(&part);
  actor_free(&a);
  actor_free(&b);
  for (int k = 0; k < 2; ++k) io_mesh_free(&cloth[k]);
  io_mesh_free(&armadillo);
}

/* ------------------------------------------------------------------------------------- nasty -- */

static size_t compare_files(const char *x, const char *y)
{
  io_mesh m = read_mesh(x), n = read_mesh(y);
  double zero[3] = {0, 0, 0};
  actor a = actor_of(&m, 1), b = actor_of(&n, 1);
  actor_pose(&a, 0, &m, zero, 0);
  actor_pose(&b, 0, &n, zero, 0);
  size_t count = compare(&a, &b, true, 8, x);
  compare(&a, &b, false, 8, x);
  actor_free(&a);
  actor_free(&b);
  io_mesh_free(&m);
  io_mesh_free(&n);
  return count;
}

/* The two meshes of each pair intersect. */
static void coplanar_pairs(void **state)
{
  (void)state;
  static const struct {
    const char *folder;
    int count;
  } sets[] = {{"nasty/cgal/coplanar_triangles", 12},
              {"nasty/cgal/coplanar_triangles/simple", 8},
              {"nasty/cgal/coplanar_segments", 6}};
  int met = 0;
  for (size_t s = 0; s < sizeof sets / sizeof *sets; ++s)
    for (int i = 1; i <= sets[s].count; ++i) {
      char x[128], y[128];
      snprintf(x, sizeof x, "%s/tr%d-1.off", sets[s].folder, i);
      snprintf(y, sizeof y, "%s/tr%d-2.off", sets[s].folder, i);
      assert_true(compare_files(x, y) > 0);
      ++met;
    }
  assert_int_equal(met, 26);
}

static void degeneracies(void **state)
{
  (void)state;
  io_sequence files;
  io_error error;
  if (!io_sequence_open(data_path("nasty/cgal/degeneracies/*.off"), &files, &error)) fail_msg("%s", error.text);
  assert_int_equal(files.count, 16);
  size_t root = strlen(data_path(""));
  for (size_t i = 0; i < files.count; ++i) {
    compare_files(files.paths[i] + root, files.paths[i] + root);
    pass_through(files.paths[i] + root, files.paths[(i + 1) % files.count] + root, 3, 2);
  }
  io_sequence_free(&files);
  static const char *const more[] = {"U_sheet", "non_manifold", "non_manifold_face_graph", "spheres_intersecting",
                                     "tetra_intersected_by_triangle"};
  for (size_t i = 0; i < sizeof more / sizeof *more; ++i) {
    char x[128];
    snprintf(x, sizeof x, "nasty/cgal/%s.off", more[i]);
    compare_files(x, x);
    pass_through(x, x, 4, 4);
  }
  pass_through("nasty/cgal/spheres_intersecting.off", "nasty/cgal/mannequin-devil.off", 1, 2);
}

static void erleben(void **state)
{
  (void)state;
  static const char *const names[] = {"cliff", "crack", "hole-small", "hole", "internal_edges", "spike", "wedge"};
  enum { N = sizeof names / sizeof *names };
  for (int i = 0; i < N; ++i)
    for (int k = i; k < N; ++k) {
      char x[128], y[128];
      snprintf(x, sizeof x, "nasty/rigid-ipc/erleben/%s.obj", names[i]);
      snprintf(y, sizeof y, "nasty/rigid-ipc/erleben/%s.obj", names[k]);
      pass_through(x, y, 5, 2);
    }
}

/* Last: everything above has had its turn. */
static void every_setting_had_its_turn(void **state)
{
  (void)state;
  data_path("");
  int seen = 0;
  for (int i = 0; i < SETTINGS; ++i) seen += used[i] > 0;
  print_message("%d of %d settings, %zu comparisons, %zu pairs\n", seen, (int)SETTINGS, comparisons, pairs_in_all);
  assert_int_equal(seen, SETTINGS);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(cactus),
                                     cmocka_unit_test(rumba),
                                     cmocka_unit_test(models),
                                     cmocka_unit_test(robot),
                                     cmocka_unit_test(cloth_and_armadillo),
                                     cmocka_unit_test(coplanar_pairs),
                                     cmocka_unit_test(degeneracies),
                                     cmocka_unit_test(erleben),
                                     cmocka_unit_test(every_setting_had_its_turn)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
