/* Skinned bodies: positions as motions.h defines them, every strategy, volume and query against
 * the reference, leaves in float lanes within their error bound, what is refused, memory. */
#include "body/body.h"
#include "motion/governed.h"

#include "support/distances.h" /* after our headers: cmocka has a macro named fail */
#include "support/rays.h"
#include "support/settings.h"
#include "support/skins.h"

#include <stdio.h>

#ifdef __SANITIZE_ADDRESS__
#include <sanitizer/asan_interface.h>
enum { FREQUENCY = 3, STEPS = 2, RAYS = 40 };
#else
enum { FREQUENCY = 4, RAYS = 80 };
#define STEPS (test_soaks() ? 3 : 2)
#endif

enum { BONES = 7, MOST = 4 };

typedef struct skinned {
  shapes s;
  skin_rows rows;
  pl_transform bones[BONES];
  double *xyz; /* as the test evaluates them */
} skinned;

static void skinned_create(skinned *k, int frequency, int kind, uint64_t seed)
{
  test_rng rng = {seed};
  shapes_create(&k->s, frequency);
  k->rows = skin_rows_make(k->s.xyz_f64[0], k->s.mesh.vertex_count, BONES, MOST, kind, &rng);
  k->xyz = malloc(3 * k->s.mesh.vertex_count * sizeof *k->xyz);
}

static void skinned_free(skinned *k)
{
  shapes_free(&k->s);
  skin_rows_free(&k->rows);
  free(k->xyz);
}

static pl_body *skinned_body(const skinned *k, pl_context *context, const pl_body_def *def, bool doubles)
{
  pl_mesh_def mesh = mesh_of(&k->s, 0, doubles);
  pl_skin_def skin = pl_skin_def_default();
  skin.bone_count = BONES;
  skin.weights = skin_weights(&k->rows, doubles);
  pl_body *body = NULL;
  if (pl_body_create_skin(context, &mesh, &skin, def, &body) != PL_OK) fail_msg("%s", pl_context_message(context));
  return body;
}

static void skinned_pose(skinned *k, bool doubles, int kind, test_rng *rng, double x)
{
  bones_make(k->bones, BONES, kind, rng);
  for (int b = 0; b < BONES; ++b) k->bones[b].t[0] += x;
  double *rest = malloc(3 * k->s.mesh.vertex_count * sizeof *rest);
  for (size_t i = 0; i < 3 * k->s.mesh.vertex_count; ++i)
    rest[i] = doubles ? k->s.xyz_f64[0][i] : (double)k->s.xyz[0][i];
  for (size_t v = 0; v < k->s.mesh.vertex_count; ++v) skin_position(&k->rows, k->bones, rest, v, k->xyz + 3 * v);
  free(rest);
}

/* Every vertex is where the test puts it, to the bit. */
static void assert_positions(const pl_body *body, const skinned *k, const char *what)
{
  for (uint32_t v = 0; v < k->s.mesh.vertex_count; ++v) {
    double q[3];
    points_world(&body->motion.now, v, q);
    if (memcmp(q, k->xyz + 3 * v, sizeof q))
      fail_msg("%s: vertex %u is at %.17g %.17g %.17g instead of %.17g %.17g %.17g", what, v, q[0], q[1], q[2],
               k->xyz[3 * v], k->xyz[3 * v + 1], k->xyz[3 * v + 2]);
  }
}

/* --------------------------------------------------------------------- against the reference -- */

static void compare_queries(pl_body *a, pl_body *b, const skinned *k, int step, const char *what)
{
  const pl_result *found;
  pl_question first = pl_question_default();
  first.first = true;
  size_t pairs = assert_like_reference(a, b, what);
  assert_int_equal(pl_touching(pl_two(a, b), &first, &found), PL_OK);
  assert_int_equal(found->count, pairs > 0);
  assert_distances_like_reference(a, b, what);
  pl_ray rays[RAYS];
  ray_aim aim = {k->xyz, k->s.mesh.triangles, k->s.mesh.vertex_count, k->s.mesh.triangle_count};
  rays_make((uint64_t)step + 1, &aim, rays, RAYS);
  ray_answer wanted = reference_rays(a, NULL, rays, RAYS);
  assert_rays(a, NULL, rays, &wanted, what);
  ray_answer_free(&wanted);
  assert_valid(a, a->context, what);
  assert_valid(b, b->context, what);
}

static void play(const setting *s, int turn)
{
  pl_context *context;
  if (pl_context_create(&s->context, &context) != PL_OK) return;
  char text[SETTING_TEXT], what[SETTING_TEXT + 64];
  test_rng rng = {(uint64_t)turn + 1};
  skinned k[2];
  pl_body *body[2];
  for (int i = 0; i < 2; ++i) {
    skinned_create(&k[i], FREQUENCY, (turn + i) % SKIN_KINDS, (uint64_t)(turn + 7 * i));
    body[i] = skinned_body(&k[i], context, &s->body, s->doubles);
  }
  for (int step = 0; step < STEPS; ++step) {
    snprintf(what, sizeof what, "%s, step %d", setting_text(s, text), step);
    for (int i = 0; i < 2; ++i) {
      skinned_pose(&k[i], s->doubles, (turn + step) % BONES_KINDS, &rng, i * (step ? 0.8 : 3.5));
      assert_int_equal(pl_body_set_bones(body[i], k[i].bones, BONES), PL_OK);
      assert_positions(body[i], &k[i], what);
    }
    compare_queries(body[0], body[1], &k[0], turn + step, what);
  }
  pl_context_destroy(context);
  for (int i = 0; i < 2; ++i) skinned_free(&k[i]);
}

/* The strategies of free bodies, and each setting once more with volumes from the bones. */
static void play_all(bool from_bones)
{
  product p;
  settings_wish wish = {.leaf_step = 3, .leaf_step_8 = 3};
  settings_open(&p, &wish);
  for (size_t i = 0; i < p.row_count; ++i) {
    setting s = setting_of(&p, i);
    if (from_bones) s.body.strategy = PL_STRATEGY_GOVERNED;
    play(&s, (int)i);
    product_saw(&p, p.rows[i]);
  }
  settings_close(&p);
}

static void every_setting_answers_like_the_reference(void **state)
{
  (void)state;
  play_all(false);
}

static void bones_bound_like_the_reference(void **state)
{
  (void)state;
  play_all(true);
}

/* ---------------------------------------------------------------------------------- refusals -- */

static void assert_skin_refused(pl_context *context, const pl_mesh_def *mesh, pl_skin_def skin, pl_status wanted,
                                const char *part)
{
  pl_body *body = (pl_body *)(void *)&body;
  assert_refused(context, pl_body_create_skin(context, mesh, &skin, NULL, &body), wanted, part);
  assert_null(body);
}

static void bad_skins_are_refused(void **state)
{
  (void)state;
  skinned k;
  skinned_create(&k, 2, SKIN_SMOOTH, 3);
  pl_context *context;
  assert_int_equal(pl_context_create(NULL, &context), PL_OK);
  pl_mesh_def mesh = mesh_of(&k.s, 0, true);
  pl_skin_def good = pl_skin_def_default(), bad;
  good.bone_count = BONES;
  good.weights = skin_weights(&k.rows, true);
  size_t n = k.rows.vertex_count, entries = k.rows.first[n];
  double *values = malloc(entries * sizeof *values);
  uint32_t *bones = malloc(entries * sizeof *bones), *first = malloc((n + 1) * sizeof *first);
#define BAD(change, status, part)                                                                                      \
  memcpy(values, k.rows.weight, entries * sizeof *values);                                                             \
  memcpy(bones, k.rows.bone, entries * sizeof *bones);                                                                 \
  memcpy(first, k.rows.first, (n + 1) * sizeof *first);                                                                \
  bad = good;                                                                                                          \
  bad.weights.values = values;                                                                                         \
  bad.weights.governors = bones;                                                                                       \
  bad.weights.first = first;                                                                                           \
  change;                                                                                                              \
  assert_skin_refused(context, &mesh, bad, status, part)
  BAD(values[3] = NAN, PL_ERROR_ARGUMENT, "vertex 0 has the weight nan");
  BAD(values[3] = INFINITY, PL_ERROR_ARGUMENT, "vertex 0 has the weight inf");
  BAD(values[3] = -0.1, PL_ERROR_ARGUMENT, "must be 0 or more");
  BAD(values[5] += 0.001, PL_ERROR_ARGUMENT, "the weights of vertex 1 add up to 1.001");
  BAD(bones[5] = BONES, PL_ERROR_ARGUMENT, "a weight of vertex 1 names governor 7 of 7");
  BAD(first[2] = first[1] - 1, PL_ERROR_ARGUMENT, "the list of weights of vertex 1 ends before it starts");
  BAD(first[1] = 0, PL_ERROR_ARGUMENT, "the weights of vertex 0 add up to 0");
  BAD(bad.weights.normalise = true; first[1] = 0, PL_ERROR_ARGUMENT, "more than 0");
  BAD(bad.weights.vertex_count -= 1, PL_ERROR_MISMATCH, "for a mesh of");
  BAD(bad.weights.governors = NULL, PL_ERROR_ARGUMENT, "without governors");
  BAD(bad.weights.values = NULL, PL_ERROR_ARGUMENT, "without values");
  BAD(bad.weights.first = NULL, PL_ERROR_ARGUMENT, "0 weights per vertex");
  BAD(bad.weights.type = (pl_scalar)7, PL_ERROR_ARGUMENT, "neither float nor double");
  BAD(bad.bone_count = 0, PL_ERROR_ARGUMENT, "0 governors");
  BAD(bad.bone_count = 70000, PL_ERROR_ARGUMENT, "70000 governors");
  BAD(bad.struct_size = 0, PL_ERROR_ARGUMENT, "skin");
  /* a shorter one is legal */
  BAD(bad.struct_size = sizeof(size_t), PL_ERROR_MISMATCH, "weights of 0 vertices");
  pl_body *body;
  assert_refused(context, pl_body_create_skin(context, &mesh, NULL, NULL, &body), PL_ERROR_ARGUMENT,
                 "the skin definition is NULL");
  assert_refused(context, pl_body_create_skin(context, NULL, &good, NULL, &body), PL_ERROR_ARGUMENT, "NULL");
  pl_body_def blended = pl_body_def_default();
  blended.strategy = PL_STRATEGY_BLEND;
  assert_refused(context, pl_body_create_skin(context, &mesh, &good, &blended, &body), PL_ERROR_UNSUPPORTED, "skin");
  assert_null(body);
  pl_context_destroy(context);
  free(values);
  free(bones);
  free(first);
  skinned_free(&k);
}

static void bad_bones_change_nothing(void **state)
{
  (void)state;
  skinned k;
  skinned_create(&k, 2, SKIN_RANDOM, 5);
  pl_context *context;
  assert_int_equal(pl_context_create(NULL, &context), PL_OK);
  test_rng rng = {9};
  for (int strategy = 0; strategy < PL_STRATEGY_COUNT; ++strategy) {
    if (!skins_take((pl_strategy)strategy)) continue;
    pl_body_def def = pl_body_def_default();
    def.strategy = (pl_strategy)strategy;
    pl_body *body = skinned_body(&k, context, &def, true);
    skinned_pose(&k, true, BONES_TURNED, &rng, 0);
    assert_int_equal(pl_body_set_bones(body, k.bones, BONES), PL_OK);
    pl_transform wrong[BONES];
    memcpy(wrong, k.bones, sizeof wrong);
    wrong[4].m[1][2] = NAN;
    assert_refused(context, pl_body_set_bones(body, wrong, BONES), PL_ERROR_ARGUMENT,
                   "the matrix of governor 4 is not finite in row 1, column 2");
    wrong[4].m[1][2] = 1e200;
    assert_refused(context, pl_body_set_bones(body, wrong, BONES), PL_ERROR_ARGUMENT, "too large");
    wrong[4].m[1][2] = 0;
    wrong[6].t[1] = INFINITY;
    assert_refused(context, pl_body_set_bones(body, wrong, BONES), PL_ERROR_ARGUMENT,
                   "governor 6 is not finite along y");
    for (int b = 0; b < BONES; ++b) wrong[b].t[1] = 1.5e308;
    wrong[2].m[1][1] = 1e100;
    assert_int_equal(pl_body_set_bones(body, wrong, BONES), PL_OK); /* still a double */
    assert_int_equal(pl_body_set_bones(body, k.bones, BONES), PL_OK);
    pl_transform far = pl_transform_identity();
    far.m[1][1] = 1e100;
    assert_int_equal(pl_body_set_transform(body, &far), PL_OK);
    for (int b = 0; b < BONES; ++b) wrong[b].t[1] = 1e300;
    assert_refused(context, pl_body_set_bones(body, wrong, BONES), PL_ERROR_POSITIONS, "range of double");
    far.m[1][1] = 1;
    assert_int_equal(pl_body_set_transform(body, &far), PL_OK);
    assert_refused(context, pl_body_set_bones(body, k.bones, BONES - 1), PL_ERROR_MISMATCH,
                   "6 bones for a body that has 7");
    assert_refused(context, pl_body_set_bones(body, NULL, BONES), PL_ERROR_ARGUMENT, "NULL");
    assert_refused(context, pl_body_set_positions(body, shape(&k.s, 0, true)), PL_ERROR_UNSUPPORTED, "bones");
    assert_refused(context, pl_body_set_weights(body, (const double[]){1}, 1), PL_ERROR_UNSUPPORTED, "weights");
    assert_positions(body, &k, "after refusals");
    assert_valid(body, context, "after refusals");
    pl_body_destroy(body);
  }
  pl_mesh_def mesh = mesh_of(&k.s, 0, true);
  pl_body *free_body;
  assert_int_equal(pl_body_create_free(context, &mesh, NULL, &free_body), PL_OK);
  assert_refused(context, pl_body_set_bones(free_body, k.bones, BONES), PL_ERROR_UNSUPPORTED,
                 "a free body has no bones");
  assert_int_equal(pl_body_set_bones(NULL, k.bones, BONES), PL_ERROR_ARGUMENT);
  pl_context_destroy(context);
  skinned_free(&k);
}

/* ----------------------------------------------------------------------------------- weights -- */

/* The same rows as a table of fixed width, and unnormalised, give the same positions; zeros and
 * repeated bones are legal. */
static void rows_can_be_given_in_several_ways(void **state)
{
  (void)state;
  skinned k;
  skinned_create(&k, 2, SKIN_RANDOM, 11);
  pl_context *context;
  assert_int_equal(pl_context_create(NULL, &context), PL_OK);
  size_t n = k.rows.vertex_count, width = MOST + 2;
  double *table = calloc(n * width, sizeof *table);
  uint32_t *bones = calloc(n * width, sizeof *bones);
  for (size_t v = 0; v < n; ++v) { /* zeros in between, and the first bone in two halves */
    size_t at = v * width;
    uint32_t begin = k.rows.first[v];
    table[at] = table[at + 1] = 4 * (k.rows.weight[begin] / 2);
    bones[at] = bones[at + 1] = k.rows.bone[begin];
    at += 3;
    for (uint32_t e = begin + 1; e < k.rows.first[v + 1]; ++e, ++at) {
      table[at] = 4 * k.rows.weight[e];
      bones[at] = k.rows.bone[e];
    }
  }
  pl_mesh_def mesh = mesh_of(&k.s, 0, true);
  pl_skin_def skin = pl_skin_def_default();
  skin.bone_count = BONES;
  skin.weights = (pl_weights){n, NULL, width, bones, table, PL_F64, true};
  pl_body *body = NULL, *same = skinned_body(&k, context, NULL, true);
  assert_int_equal(pl_body_create_skin(context, &mesh, &skin, NULL, &body), PL_OK);
  test_rng rng = {2};
  skinned_pose(&k, true, BONES_MIXED, &rng, 0);
  assert_int_equal(pl_body_set_bones(body, k.bones, BONES), PL_OK);
  assert_int_equal(pl_body_set_bones(same, k.bones, BONES), PL_OK);
  for (uint32_t v = 0; v < n; ++v) {
    double p[3], q[3];
    points_world(&body->motion.now, v, p);
    points_world(&same->motion.now, v, q);
    /* the rows of `same` are not normalised */
    for (int i = 0; i < 3; ++i) assert_true(fabs(p[i] - q[i]) <= 1e-6);
  }
  assert_valid(body, context, "a table");
  assert_like_reference(body, same, "a table");
  pl_context_destroy(context);
  free(table);
  free(bones);
  skinned_free(&k);
}

/* --------------------------------------------------------------------- how little is touched -- */

/* A wave through the bones. */
static void wave(pl_body *body, double phase, double x)
{
  pl_transform bones[BONES];
  for (int k = 0; k < BONES; ++k) {
    bones[k] = pl_transform_identity();
    bones[k].t[0] = x;
    bones[k].t[2] = 0.1 * sin(phase + k);
  }
  assert_int_equal(pl_body_set_bones(body, bones, BONES), PL_OK);
}

/* Bodies that are apart cost their root blocks whatever their size, and a node is bounded once a
 * frame. */
static void work_follows_the_contact_and_not_the_size(void **state)
{
  (void)state;
  uint64_t apart[2], touching[2], triangles[2];
  for (int size = 0; size < 2; ++size) {
    pl_context *context = context_of(NULL);
    skinned k;
    skinned_create(&k, size ? 24 : 6, SKIN_SMOOTH, 1);
    pl_body *a = skinned_body(&k, context, NULL, false), *b = skinned_body(&k, context, NULL, false);
    assert_int_equal(pl_body_strategy(a), PL_STRATEGY_GOVERNED); /* what auto selects */
    const pl_result *found;
    wave(a, 1, 0);
    wave(b, 2, 9);
    assert_int_equal(pl_touching(pl_two(a, b), NULL, &found), PL_OK);
    assert_int_equal(found->count + found->counters.n_p, 0);
    apart[size] = found->counters.n_u;
    wave(b, 3, 1.9);
    assert_int_equal(pl_touching(pl_two(a, b), NULL, &found), PL_OK);
    assert_true(found->count > 0);
    touching[size] = found->counters.n_u;
    triangles[size] = pl_body_triangle_count(a);
    assert_int_equal(pl_touching(pl_two(a, b), NULL, &found), PL_OK);
    assert_int_equal(found->counters.n_u, 0);
    pl_context_destroy(context);
    skinned_free(&k);
  }
  assert_true(apart[0] <= 16 && apart[1] <= 16);
  assert_true(triangles[1] == 16 * triangles[0] && touching[1] < 8 * touching[0]);
}

/* The rest positions of vertices on the far side are made unreadable: whoever evaluates one ends
 * the program. */
static void vertices_of_closed_leaves_are_not_read(void **state)
{
  (void)state;
#ifndef __SANITIZE_ADDRESS__
  skip(); /* memory that must not be read is a matter of the address sanitizer */
#else
  pl_context *context = context_of("scalar"); /* the sanitizer does not see the loads of wide registers */
  skinned k;
  skinned_create(&k, 12, SKIN_SMOOTH, 1);
  pl_body *a = skinned_body(&k, context, NULL, true), *b = skinned_body(&k, context, NULL, true);
  const governed *g = a->motion.controls;
  size_t hidden = 0;
  for (size_t v = 0; v < g->vertex_count; ++v) {
    if (g->rest[3 * v] >= -0.5) continue;
    __asan_poison_memory_region(g->rest + 3 * v, 3 * sizeof *g->rest);
    ++hidden;
  }
  assert_true(hidden > g->vertex_count / 8);
  const pl_result *found;
  wave(a, 1, 0);
  wave(b, 2, 1.9);
  assert_int_equal(pl_touching(pl_two(a, b), NULL, &found), PL_OK);
  assert_true(found->count > 0);
  __asan_unpoison_memory_region(g->rest, 3 * g->vertex_count * sizeof *g->rest);
  pl_context_destroy(context);
  skinned_free(&k);
#endif
}

/* ------------------------------------------------------------------------------------ memory -- */

static void frames_allocate_nothing_and_failures_leak_nothing(void **state)
{
  (void)state;
  skinned k;
  skinned_create(&k, 4, SKIN_SMOOTH, 13);

  for (int strategy = 0; strategy < PL_STRATEGY_COUNT; ++strategy) {
    if (!skins_take((pl_strategy)strategy)) continue;
    bool done = false;
    for (long until = 0; !done; until += 1 + until / 8) {
      failing memory = {.until = -1};
      pl_context_def def = pl_context_def_default();
      def.allocator = (pl_allocator){&memory, failing_allocate, failing_release};
      def.threads = 1;
      pl_context *context;
      assert_int_equal(pl_context_create(&def, &context), PL_OK);
      pl_body_def body_def = pl_body_def_default();
      body_def.strategy = (pl_strategy)strategy;
      pl_mesh_def mesh = mesh_of(&k.s, 0, false);
      pl_skin_def skin = pl_skin_def_default();
      skin.bone_count = BONES;
      skin.weights = skin_weights(&k.rows, false);
      pl_body *body, *other = NULL;
      memory.until = until;
      pl_status status = pl_body_create_skin(context, &mesh, &skin, &body_def, &body);
      memory.until = -1;
      done = status == PL_OK;
      if (!done) assert_int_equal(status, PL_ERROR_MEMORY);
      if (done) {
        const pl_result *found;
        assert_int_equal(pl_body_create_skin(context, &mesh, &skin, &body_def, &other), PL_OK);
        for (int step = 0; step < 12; ++step) {
          if (step == 8) memory.until = 0;
          bones_make(k.bones, BONES, BONES_GENTLE, &(test_rng){(uint64_t)(step % 4)});
          assert_int_equal(pl_body_set_bones(body, k.bones, BONES), PL_OK);
          assert_int_equal(pl_touching(pl_two(body, other), NULL, &found), PL_OK);
        }
      }
      pl_context_destroy(context);
      assert_int_equal(memory.live, 0);
    }
  }
  skinned_free(&k);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(every_setting_answers_like_the_reference),
                                     cmocka_unit_test(bones_bound_like_the_reference),
                                     cmocka_unit_test(bad_skins_are_refused),
                                     cmocka_unit_test(bad_bones_change_nothing),
                                     cmocka_unit_test(rows_can_be_given_in_several_ways),
                                     cmocka_unit_test(work_follows_the_contact_and_not_the_size),
                                     cmocka_unit_test(vertices_of_closed_leaves_are_not_read),
                                     cmocka_unit_test(frames_allocate_nothing_and_failures_leak_nothing)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
