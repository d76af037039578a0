/* Which options a question has: the others are refused by name; and what is usual. */
#include "questions.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define OF(name) (UINT32_C(1) << ASKED_##name)
#define OF_PAIRS (OF(TOUCHING) | OF(SEGMENTS) | OF(REGIONS))
#define OF_NEAR (OF(NEAR) | OF(NEAR_TRIANGLES))
#define OF_PLACES (OF(CLOSEST) | OF(INSIDE) | OF(SIGNED_DISTANCE))
#define OF_BUDGETS (OF(TOUCHING) | OF(NEAREST) | OF(IMPACTS) | OF(REGIONS) | OF(SPHERES))

static bool keep_pair(void *user, pl_body *a, pl_body *b, pl_pair pair) { return some_pairs(user, a, b, pair) || true; }
static pl_pair room_pairs[4];
static uint32_t room_triangles[4];
static pl_hit room_hits[PROBES];
static pl_point room_points[PROBES];
static const pl_result no_pairs;
static const pl_plane ground = {{0, 0, 1}, -5};
static const double no_margins[BODIES];

/* X(option, another value than the default, the questions that question.h names). */
#define OPTIONS(X)                                                                                                     \
  X(sorted, true, OF(TOUCHING) | OF(SEGMENTS) | OF_NEAR | OF(CANDIDATES) | OF(OVERLAP) | OF(WINDOWS))                  \
  X(first, true, OF(TOUCHING) | OF(NEAREST))                                                                           \
  X(all, true, OF(IMPACTS))                                                                                            \
  X(each, true, OF(NEAREST) | OF(MEASURE))                                                                             \
  X(vertex_face, false, OF_NEAR | OF(CANDIDATES))                                                                      \
  X(edge_edge, false, OF_NEAR | OF(CANDIDATES))                                                                        \
  X(patches, false, OF(REGIONS))                                                                                       \
  X(depth, false, OF(REGIONS))                                                                                         \
  X(coherent, true, OF(CAST) | OF_PLACES)                                                                              \
  X(contacts, true, OF(SPHERES))                                                                                       \
  X(rings, 2, OF_PAIRS | OF_NEAR | OF(NEAREST) | OF(IMPACTS) | OF(CANDIDATES) | OF(WINDOWS))                           \
  X(mask, 1, OF(CAST) | OF_PLACES | OF(OVERLAP))                                                                       \
  X(margin, 0.5,                                                                                                       \
    OF_NEAR | OF(MEASURE) | OF(NEAREST) | OF(IMPACTS) | OF(CANDIDATES) | OF(FREE_STEP) | OF(CLOSEST) |                 \
        OF(SIGNED_DISTANCE))                                                                                           \
  X(kept_gap, 0.5, OF(IMPACTS) | OF(FREE_STEP))                                                                        \
  X(relative, 0.5, OF(NEAREST) | OF(PENETRATIONS))                                                                     \
  X(absolute, 0.5, OF(NEAREST))                                                                                        \
  X(samples, 7, OF(PENETRATIONS))                                                                                      \
  X(filter, some_pairs, OF_PAIRS | OF_NEAR | OF(NEAREST))                                                              \
  X(feature_filter, some_features, OF(IMPACTS) | OF(CANDIDATES) | OF(FREE_STEP))                                       \
  X(hit_filter, some_hits, OF(CAST))                                                                                   \
  X(point_filter, some_triangles, OF(CLOSEST))                                                                         \
  X(body_filter, some_bodies, OF(SPHERES))                                                                             \
  X(budget_tests, 1000, OF_BUDGETS)                                                                                    \
  X(budget_ms, 1000, OF_BUDGETS | OF(CAST) | OF_PLACES)                                                                \
  X(callback, keep_pair, OF(TOUCHING))                                                                                 \
  X(pairs, room_pairs, OF(TOUCHING))                                                                                   \
  X(triangles, room_triangles, OF(OVERLAP))                                                                            \
  X(capacity, 4, OF(TOUCHING) | OF(OVERLAP))                                                                           \
  X(hits, room_hits, OF(CAST))                                                                                         \
  X(points, room_points, OF_PLACES)                                                                                    \
  X(given, &no_pairs, OF(SEGMENTS) | OF(MEASURE))                                                                      \
  X(self_method, PL_SELF_METHOD_BOXES, OF(TOUCHING))                                                                   \
  X(ray_mode, PL_RAY_MODE_ALL, OF(CAST))                                                                               \
  X(level, 1, OF(SPHERES))                                                                                             \
  X(reach, 2, OF(SPHERES))                                                                                             \
  X(planes, &ground, OF(SPHERES))                                                                                      \
  X(plane_count, 1, OF(SPHERES))                                                                                       \
  X(margins, no_margins, OF(SPHERES))                                                                                  \
  X(margin_count, BODIES, OF(SPHERES))

typedef struct option_row {
  const char *name;
  uint32_t questions;
  void (*set)(pl_question *how);
} option_row;

#define SETTER(option, value, questions)                                                                               \
  static void set_##option(pl_question *how) { how->option = value; }
OPTIONS(SETTER)

static const option_row options[] = {
#define OPTION_ROW(option, value, questions) {#option, questions, set_##option},
    OPTIONS(OPTION_ROW)
#undef OPTION_ROW
};

static void check_option(stage *s, int q, const option_row *o)
{
  pl_question how = pl_question_default();
  const pl_result *found;
  char sentence[120];
  how.user = s;
  o->set(&how);
  const pl_status status = questions[q].ask(s, pl_all(s->scene), &how, &found);
  const char *said = status == PL_OK ? "" : pl_context_message(s->context);
  snprintf(sentence, sizeof sentence, "%s has no option %s:", names[q], o->name);
  if (o->questions >> q & 1) {
    if (strstr(said, "has no option")) fail_msg("%s", said);
    return;
  }
  if (status != PL_ERROR_ARGUMENT || strncmp(said, sentence, strlen(sentence)))
    fail_msg("%s takes %s: status %d, %s", names[q], o->name, (int)status, said);
}

/* Every option with every question: those that do not have it refuse it by name. */
static void options_are_had_or_refused(void **state)
{
  (void)state;
  stage of[3];
  static const cast_kind kinds[3] = {CAST_free, CAST_flight, CAST_match};
  for (int i = 0; i < 3; ++i) assert_true(open_stage(&of[i], kinds[i], PL_STRATEGY_AUTO, 1));
  for (int q = 0; q < ASKED_COUNT; ++q)
    for (size_t o = 0; o < sizeof options / sizeof *options; ++o)
      check_option(&of[q == ASKED_WINDOWS ? 1 : q == ASKED_SPHERES ? 2 : 0], q, &options[o]);
  for (int i = 0; i < 3; ++i) pl_context_destroy(of[i].context);
}

/* What is usual is what the question does without the option. */
static void usual_values(void **state)
{
  (void)state;
  stage s;
  const pl_result *found;
  pl_question how = pl_question_default();
  assert_true(open_stage(&s, CAST_free, PL_STRATEGY_AUTO, 1));
  assert_true(how.margin == PL_USUAL && how.relative == PL_USUAL);
  assert_int_equal(pl_near_triangles(pl_self(s.bodies[0]), &how, &found), PL_OK);
  const size_t touching = found->count;
  how.margin = 0;
  assert_int_equal(pl_near_triangles(pl_self(s.bodies[0]), &how, &found), PL_OK);
  assert_true(touching > 0 && found->count == touching);
  assert_int_equal(pl_closest(pl_one(s.bodies[0]), pl_positions_f64(s.points, PROBES), NULL, &found), PL_OK);
  for (int i = 0; i < PROBES; ++i) assert_true(found->points[i].distance < INFINITY);
  static const double bad[] = {-1, -1e-300, NAN};
  for (int i = 0; i < 3; ++i) {
    how.margin = bad[i];
    assert_refused(s.context, pl_near(pl_self(s.bodies[0]), &how, &found), PL_ERROR_ARGUMENT, "the margin is not 0");
    assert_null(found);
  }
  pl_context_destroy(s.context);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(options_are_had_or_refused), cmocka_unit_test(usual_values)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
