/* Rigid and morphing bodies: pairs of every two motions against the reference, blended volumes
 * against blended vertices, and how little is touched. */
#include "body/body.h"
#include "motion/morph.h"
#include "support/shapes.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef __SANITIZE_ADDRESS__
#include <sanitizer/asan_interface.h>
enum { FREQUENCY = 4, STEPS = 3 };
#else
enum { FREQUENCY = 8 };
#define STEPS (test_soaks() ? 6 : 3)
#endif

enum { REFERENCES = SHAPES };

static pl_body *make_morph(pl_context *context, const shapes *s, pl_morph_kind kind, const pl_body_def *def,
                           bool doubles, int inbetweens)
{
  pl_positions references[REFERENCES];
  for (int r = 0; r < REFERENCES; ++r) references[r] = shape(s, r, doubles);
  pl_morph_def morph_def = pl_morph_def_default();
  morph_def.kind = kind;
  morph_def.references = references;
  morph_def.reference_count = REFERENCES;
  morph_def.weight_low = -0.5;
  morph_def.weight_high = 1.5;
  morph_def.inbetweens = inbetweens;
  pl_mesh_def mesh = mesh_of(s, 0, doubles);
  pl_body *body = NULL;
  if (pl_body_create_morph(context, &mesh, &morph_def, def, &body) != PL_OK)
    fail_msg("%s", pl_context_message(context));
  return body;
}

/* ------------------------------------------------------------------------- every two motions -- */

enum { FREE, BERGEN, RIGID, CONVEX, ADDITIVE, KINDS };
static const char *const kind_names[KINDS] = {"free", "bergen", "rigid", "convex", "additive"};

static pl_body *make_body(pl_context *context, const shapes *s, int kind, pl_body_def def, bool doubles)
{
  pl_mesh_def mesh = mesh_of(s, 0, doubles);
  pl_body *body = NULL;
  if (kind == CONVEX || kind == ADDITIVE)
    return make_morph(context, s, kind == CONVEX ? PL_MORPH_CONVEX : PL_MORPH_ADDITIVE, &def, doubles, def.volume % 3);
  if (kind == BERGEN) def.strategy = PL_STRATEGY_BERGEN;
  pl_status status = kind == RIGID ? pl_body_create_rigid(context, &mesh, &def, &body)
                                   : pl_body_create_free(context, &mesh, &def, &body);
  if (status != PL_OK) fail_msg("%s", pl_context_message(context));
  return body;
}

/* A turn about an oblique axis, and, in some steps, a scale, a mirror or a flat matrix. */
static pl_transform placement(test_rng *rng, int step, double x)
{
  double axis[3], length = 0, angle = test_uniform(rng, -3, 3), c = cos(angle), s = sin(angle);
  for (int k = 0; k < 3; ++k) axis[k] = test_uniform(rng, -1, 1);
  for (int k = 0; k < 3; ++k) length += axis[k] * axis[k];
  for (int k = 0; k < 3; ++k) axis[k] /= sqrt(length);
  double scale[3] = {1, 1, 1};
  if (step % 4 == 1) scale[0] = 1.5, scale[1] = 0.4;
  if (step % 4 == 2) scale[2] = -1;
  if (step % 4 == 3) scale[1] = step % 8 == 3 ? 0 : 1e-3;
  pl_transform t = {.t = {x, test_uniform(rng, -0.2, 0.2), test_uniform(rng, -0.2, 0.2)}};
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) {
      double cross = i == j ? 0 : ((j - i + 3) % 3 == 1 ? -1 : 1) * axis[3 - i - j];
      t.m[i][j] = ((i == j ? c : 0) + s * cross + (1 - c) * axis[i] * axis[j]) * scale[j];
    }
  return t;
}

static void move(pl_body *body, const shapes *s, int kind, int step, test_rng *rng, double x, bool doubles)
{
  pl_context *context = body->context;
  if (kind == FREE) { /* follows in world space */
    static double xyz[3 * 5000];
    assert_true(s->mesh.vertex_count <= 5000);
    for (size_t i = 0; i < 3 * s->mesh.vertex_count; ++i)
      xyz[i] = (double)(float)(s->xyz_f64[step % REFERENCES][i] + (i % 3 == 0 ? x : 0));
    if (doubles) {
      assert_int_equal(pl_body_set_positions(body, pl_positions_f64(xyz, s->mesh.vertex_count)), PL_OK);
    } else {
      static float f[3 * 5000];
      for (size_t i = 0; i < 3 * s->mesh.vertex_count; ++i) f[i] = (float)xyz[i];
      assert_int_equal(pl_body_set_positions(body, pl_positions_f32(f, s->mesh.vertex_count)), PL_OK);
    }
    return;
  }
  if (kind == CONVEX) {
    double w[3] = {test_uniform(rng, 0, 1), 0, 0};
    w[1] = step % 3 == 0 ? 0 : test_uniform(rng, 0, 1 - w[0]);
    if (step % 5 == 4) w[0] = 1, w[1] = 0;
    w[2] = 1 - w[0] - w[1];
    if (w[2] < 0) w[2] = 0;
    if (pl_body_set_weights(body, w, 3) != PL_OK) fail_msg("%s", pl_context_message(context));
  }
  if (kind == ADDITIVE) {
    double w[2] = {test_uniform(rng, -0.5, 1.5), step % 2 ? 0 : test_uniform(rng, -0.5, 1.5)};
    assert_int_equal(pl_body_set_weights(body, w, 2), PL_OK);
  }
  pl_transform t = placement(rng, step, x);
  assert_int_equal(pl_body_set_transform(body, &t), PL_OK);
}

/* Both answers of the engine against a list. */
static void compare(pl_body *a, pl_body *b, pair_list wanted, const char *what)
{
  pl_context *context = a->context;
  const pl_result *found;
  pl_question first = pl_question_default();
  first.first = true;
  assert_int_equal(pl_touching(pl_two(a, b), &first, &found), PL_OK);
  assert_int_equal(found->count, wanted.count > 0);
  assert_int_equal(pl_touching(pl_two(a, b), NULL, &found), PL_OK);
  assert_same_pairs(found->pairs, found->count, wanted.pairs, wanted.count, what);
  pl_body *bodies[2] = {a, b};
  for (int i = 0; i < 2; ++i)
    if (pl_body_validate(bodies[i]) != PL_OK) fail_msg("%s: %s", what, pl_context_message(context));
}

/* Two motions, with every kind of volume on both sides, and at last with different ones: they
 * see the same moves. */
typedef struct duel {
  pl_body *a, *b;
  test_rng rng;
  char name[64];
} duel;

static int make_duels(pl_context *context, const shapes *s, int i, int k, pl_body_def def, const bool doubles[2],
                      duel *out)
{
  int count = 0;
  for (int v = 0; v < PL_VOLUME_COUNT; ++v) {
    if (v && !shape_kind_of((pl_volume)v)) continue;
    pl_body_def other = def;
    def.volume = other.volume = (pl_volume)v;
    if (v == 1) other.volume = PL_VOLUME_KDOP18; /* spheres and k-DOPs meet as boxes */
    for (int pass = v == 1; pass < 2; ++pass, other.volume = def.volume) {
      duel *d = &out[count++];
      *d = (duel){make_body(context, s, i, def, doubles[0]),
                  make_body(context, s, k, other, doubles[1]),
                  {.state = (uint64_t)(i * KINDS + k)},
                  ""};
      snprintf(d->name, sizeof d->name, "%s and %s", pl_word(PL_WORDS_VOLUME, def.volume),
               pl_word(PL_WORDS_VOLUME, other.volume));
      if (v != 1) break;
    }
  }
  return count;
}

static size_t play_duels(const shapes *s, duel *duels, int count, int i, int k, const bool doubles[2])
{
  size_t contacts = 0;
  for (int step = 0; step < STEPS; ++step) {
    pair_list wanted = {0};
    for (int d = 0; d < count; ++d) {
      char what[160];
      snprintf(what, sizeof what, "%s against %s, %s, step %d", kind_names[i], kind_names[k], duels[d].name, step);
      move(duels[d].a, s, i, step, &duels[d].rng, 0, doubles[0]);
      move(duels[d].b, s, k, step + 1, &duels[d].rng, 0.3 + 0.25 * step, doubles[1]);
      if (d == 0) wanted = reference_pairs_of(duels[d].a, duels[d].b);
      compare(duels[d].a, duels[d].b, wanted, what);
    }
    contacts += wanted.count;
    free(wanted.pairs);
  }
  return contacts;
}

static void every_two_motions_agree_with_the_reference(void **state)
{
  (void)state;
  shapes s;
  shapes_create(&s, FREQUENCY);
  size_t contacts = 0;
  for (int i = 0; i < KINDS; ++i)
    for (int k = 0; k < KINDS; ++k) {
      pl_context_def context_def = pl_context_def_default();
      static const char *const simds[] = {"scalar", "sse2", NULL};
      context_def.threads = 1;
      context_def.simd = simds[(i + k) % 3];
      pl_context *context;
      if (pl_context_create(&context_def, &context) != PL_OK) continue;
      pl_body_def def = pl_body_def_default();
      def.arity = 2 << (i + 2 * k) % 3;
      def.leaf_size = 1 + (3 * i + k) % 8;
      def.builder = (pl_builder)((i + k) % PL_BUILDER_COUNT);
      const bool doubles[2] = {(i + k) % 2, (i + k) % 2 != (i == k)};
      duel duels[2 * PL_VOLUME_COUNT];
      int count = make_duels(context, &s, i, k, def, doubles, duels);
      contacts += play_duels(&s, duels, count, i, k, doubles);
      pl_context_destroy(context);
    }
  assert_true(contacts > 1000);
  shapes_free(&s);
}

/* ------------------------------------------------------------------------- little is touched -- */

static void only_visited_nodes_are_blended(void **state)
{
  (void)state;
  shapes s;
  shapes_create(&s, FREQUENCY);
  pl_context *context;
  assert_int_equal(pl_context_create(NULL, &context), PL_OK);
  pl_body *a = make_morph(context, &s, PL_MORPH_CONVEX, NULL, false, 0),
          *b = make_morph(context, &s, PL_MORPH_CONVEX, NULL, false, 0);
  double w[3] = {0.25, 0.5, 0.25};
  pl_transform apart = pl_transform_identity(), near = apart;
  apart.t[0] = 10;
  near.t[0] = 1.2;
  const pl_result *found;
  assert_int_equal(pl_body_set_weights(a, w, 3), PL_OK);
  assert_int_equal(pl_body_set_weights(b, w, 3), PL_OK);
  assert_int_equal(pl_body_set_transform(b, &apart), PL_OK);
  assert_int_equal(pl_touching(pl_two(a, b), NULL, &found), PL_OK);
  assert_int_equal(found->count, 0);
  assert_true(found->counters.n_u <= 16); /* the two root blocks */
  assert_int_equal(found->counters.n_p, 0);
  assert_int_equal(pl_body_set_transform(b, &near), PL_OK);
  assert_int_equal(pl_touching(pl_two(a, b), NULL, &found), PL_OK);
  assert_true(found->count > 0);
  assert_true(found->counters.n_u > 0 && found->counters.n_u < a->tree->nodes.leaf_count + b->tree->nodes.leaf_count);
  assert_int_equal(pl_touching(pl_two(a, b), NULL, &found), PL_OK);
  assert_int_equal(found->counters.n_u, 0); /* stamps: a node is blended once a frame */
  pl_context_destroy(context);
  shapes_free(&s);
}

/* The references of vertices on the far side are made unreadable: whoever evaluates one ends the
 * program. */
static void vertices_of_closed_leaves_are_not_read(void **state)
{
  (void)state;
#ifndef __SANITIZE_ADDRESS__
  skip(); /* memory that must not be read is a matter of the address sanitizer */
#else
  shapes s;
  shapes_create(&s, FREQUENCY);
  pl_context *context;
  pl_context_def plain = pl_context_def_default();
  plain.simd = "scalar"; /* the sanitizer does not see the loads of wide registers */
  assert_int_equal(pl_context_create(&plain, &context), PL_OK);
  pl_body *a = make_morph(context, &s, PL_MORPH_CONVEX, NULL, true, 0),
          *b = make_morph(context, &s, PL_MORPH_CONVEX, NULL, true, 0);
  double w[3] = {0.5, 0.25, 0.25};
  pl_transform near = pl_transform_identity();
  near.t[0] = 1.6;
  size_t size = REFERENCES * 3 * sizeof(double), hidden = 0;
  for (size_t v = 0; v < s.mesh.vertex_count; ++v) {
    if (s.mesh.rest[3 * v] >= -0.5f) continue;
    __asan_poison_memory_region((char *)((morph *)a->motion.controls)->references + v * size, size);
    ++hidden;
  }
  assert_true(hidden > s.mesh.vertex_count / 8);
  const pl_result *found;
  assert_int_equal(pl_body_set_weights(a, w, 3), PL_OK);
  assert_int_equal(pl_body_set_weights(b, w, 3), PL_OK);
  assert_int_equal(pl_body_set_transform(b, &near), PL_OK);
  assert_int_equal(pl_touching(pl_two(a, b), NULL, &found), PL_OK);
  assert_true(found->count > 0);
  __asan_unpoison_memory_region(((morph *)a->motion.controls)->references, s.mesh.vertex_count * size);
  pl_context_destroy(context);
  shapes_free(&s);
#endif
}

static void bad_weights_are_refused_and_change_nothing(void **state)
{
  (void)state;
  shapes s;
  shapes_create(&s, FREQUENCY);
  pl_context *context;
  assert_int_equal(pl_context_create(NULL, &context), PL_OK);
  pl_body *a = make_morph(context, &s, PL_MORPH_CONVEX, NULL, false, 0),
          *b = make_morph(context, &s, PL_MORPH_ADDITIVE, NULL, true, 0);
  pl_transform near = pl_transform_identity();
  near.t[0] = 0.9;
  assert_int_equal(pl_body_set_transform(b, &near), PL_OK);
  const pl_result *found;
  assert_int_equal(pl_touching(pl_two(a, b), NULL, &found), PL_OK);
  size_t before = found->count;
  assert_true(before > 0);
  const double bad[][3] = {{0.5, 0.6, 0}, {1.5, -0.5, 0}, {NAN, 0, 1}, {1, INFINITY, 0}, {0.2, 0.2, 0.2}};
  for (size_t i = 0; i < sizeof bad / sizeof bad[0]; ++i)
    assert_int_equal(pl_body_set_weights(a, bad[i], 3), PL_ERROR_ARGUMENT);
  assert_int_equal(pl_body_set_weights(a, bad[0], 2), PL_ERROR_MISMATCH);
  assert_int_equal(pl_body_set_weights(b, (const double[]){2, 0}, 2), PL_ERROR_ARGUMENT);
  assert_int_equal(pl_body_set_positions(a, shape(&s, 0, false)), PL_ERROR_UNSUPPORTED);
  pl_transform wrong = near;
  wrong.m[1][2] = NAN;
  assert_int_equal(pl_body_set_transform(b, &wrong), PL_ERROR_ARGUMENT);
  assert_int_equal(pl_touching(pl_two(a, b), NULL, &found), PL_OK);
  assert_int_equal(found->count, before);
  pl_context_destroy(context);
  shapes_free(&s);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(every_two_motions_agree_with_the_reference),
                                     cmocka_unit_test(only_visited_nodes_are_blended),
                                     cmocka_unit_test(vertices_of_closed_leaves_are_not_read),
                                     cmocka_unit_test(bad_weights_are_refused_and_change_nothing)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
