/* The same mistake gets the same status in every query, and a sentence that names the argument:
 * a table of queries times a table of mistakes. Each query is called through a small function
 * that makes one mistake and is right in everything else. */
#include "pliant/kinetic.h"
#include "pliant/near.h"
#include "pliant/probes.h"
#include "pliant/touching.h"
#include "scenes/ask.h"
#include "support/distances.h"
#include "support/moving.h"

typedef enum mistake {
  NO_MISTAKE,
  NO_FIRST,     /* the first body, the body or the scene is NULL */
  NO_SECOND,    /* the second body is NULL */
  OTHER_OWNER,  /* the second body is of another context */
  NO_OUT,       /* out is NULL */
  SHORT_DEF,    /* struct_size is too small */
  LONG_DEF,     /* struct_size is too large */
  BELOW_ZERO,   /* a length or a budget is negative */
  NOT_A_NUMBER, /* it is NaN */
  MISTAKES
} mistake;

static const struct {
  pl_status status;
  const char *word;
} expected[MISTAKES] = {
    [NO_MISTAKE] = {PL_OK, NULL},
    /* without a context the thread keeps the sentence */
    [NO_FIRST] = {PL_ERROR_ARGUMENT, " is NULL"},
    [NO_SECOND] = {PL_ERROR_ARGUMENT, "body b is NULL"},
    [OTHER_OWNER] = {PL_ERROR_MISMATCH, "context"},
    [NO_OUT] = {PL_ERROR_ARGUMENT, "out is NULL"},
    [SHORT_DEF] = {PL_ERROR_ARGUMENT, "struct_size of pl_"},
    [LONG_DEF] = {PL_ERROR_ARGUMENT, "struct_size of pl_"},
    [BELOW_ZERO] = {PL_ERROR_ARGUMENT, "is not 0 or more"},
    [NOT_A_NUMBER] = {PL_ERROR_ARGUMENT, "is not 0 or more"},
};

typedef enum moved { FREE, MATCH, FLIGHT, MOTIONS } moved;

/* What a call gets: all arguments right but for one. */
typedef struct cast {
  pl_body *a, *b, *other; /* of one motion; the last is of another context */
  pl_scene *scene;        /* with a and b */
} cast;
typedef struct trial {
  pl_context *context, *other_context;
  cast of[MOTIONS];
  pl_body *a, *b, *other; /* those that the query is about */
  pl_scene *scene;
  mistake made;
} trial;

static pl_body *first(const trial *w) { return w->made == NO_FIRST ? NULL : w->a; }
static pl_body *second(const trial *w)
{
  return w->made == NO_SECOND ? NULL : w->made == OTHER_OWNER ? w->other : w->b;
}
static pl_scene *scene(const trial *w) { return w->made == NO_FIRST ? NULL : w->scene; }
static double amount(const trial *w) { return w->made == BELOW_ZERO ? -1 : w->made == NOT_A_NUMBER ? NAN : 1; }
static size_t size(const trial *w, size_t right)
{
  return w->made == SHORT_DEF ? 1 : w->made == LONG_DEF ? 1 << 20 : right;
}
#define OUT(pointer) (w->made == NO_OUT ? NULL : &(pointer))
#define DEF(type, member)                                                                                              \
  type def = type##_default();                                                                                         \
  def.struct_size = size(w, sizeof def);                                                                               \
  def.member = amount(w)

/* One function for each query: FUNCTION(arguments) with a definition of which one member is an
 * amount. */
#define QUERY(function, type, member, result, ...)                                                                     \
  static pl_status call_##function(const trial *w)                                                                     \
  {                                                                                                                    \
    DEF(type, member);                                                                                                 \
    result;                                                                                                            \
    return function(__VA_ARGS__);                                                                                      \
  }
#define TWO first(w), second(w)

/* A question of two bodies, of one and of a scene, each by trees and without. */
#define ASK_OF(question, who, whom, by, reference_is, type, member, result)                                            \
  static pl_status call_##question##_##who##by(const trial *w)                                                         \
  {                                                                                                                    \
    DEF(type, member);                                                                                                 \
    def.reference = reference_is;                                                                                      \
    const result *r;                                                                                                   \
    return question(whom, &def, OUT(r));                                                                               \
  }
#define ASK_BOTH(question, who, whom, type, member, result)                                                            \
  ASK_OF(question, who, whom, , false, type, member, result)                                                           \
  ASK_OF(question, who, whom, _reference, true, type, member, result)
#define ASK(question, type, member, result)                                                                            \
  ASK_BOTH(question, two, pl_two(TWO), type, member, result)                                                           \
  ASK_BOTH(question, self, pl_self(first(w)), type, member, result)                                                    \
  ASK_BOTH(question, all, pl_all(scene(w)), type, member, result)
ASK(pl_touching, pl_question, budget_ms, pl_result)
ASK(pl_near, pl_question, margin, pl_result)
ASK(pl_near_triangles, pl_question, margin, pl_result)
ASK(pl_nearest, pl_question, margin, pl_result)
ASK_BOTH(pl_penetrations, two, pl_two(TWO), pl_question, relative, pl_result)
ASK_BOTH(pl_penetrations, all, pl_all(scene(w)), pl_question, relative, pl_result)

#define SEGMENTS(who, whom)                                                                                            \
  static pl_status call_pl_segments_##who(const trial *w)                                                              \
  {                                                                                                                    \
    pl_question def = pl_question_default();                                                                           \
    def.struct_size = size(w, sizeof def);                                                                             \
    const pl_result *r;                                                                                                \
    return pl_segments(whom, &def, OUT(r));                                                                            \
  }
SEGMENTS(two, pl_two(TWO))
SEGMENTS(self, pl_self(first(w)))
SEGMENTS(all, pl_all(scene(w)))

ASK(pl_impacts, pl_question, margin, pl_result)
ASK(pl_candidates, pl_question, margin, pl_result)
/* The same of probes: of one body or of all of a scene. */
static pl_who one(const trial *w) { return pl_one(first(w)); }
static pl_who all(const trial *w) { return pl_all(scene(w)); }
static pl_who two(const trial *w) { return pl_two(first(w), second(w)); }
#define PROBE(function, who, slow, type, member, result, ...)                                                          \
  static pl_status call_##function##_##who##_##slow(const trial *w)                                                    \
  {                                                                                                                    \
    DEF(type, member);                                                                                                 \
    result;                                                                                                            \
    def.reference = slow;                                                                                              \
    return function(who(w), __VA_ARGS__, &def, OUT(r));                                                                \
  }

static const double origin[3] = {0, 0, 0};
#define POINTS pl_positions_f64(origin, 1)
PROBE(pl_closest, one, false, pl_question, margin, const pl_result *r, POINTS)
PROBE(pl_closest, all, false, pl_question, margin, const pl_result *r, POINTS)
PROBE(pl_closest, one, true, pl_question, margin, const pl_result *r, POINTS)
PROBE(pl_closest, all, true, pl_question, margin, const pl_result *r, POINTS)
PROBE(pl_inside, one, false, pl_question, budget_ms, const pl_result *r, POINTS)
PROBE(pl_inside, all, true, pl_question, budget_ms, const pl_result *r, POINTS)
PROBE(pl_signed_distance, one, true, pl_question, margin, const pl_result *r, POINTS)
PROBE(pl_signed_distance, all, false, pl_question, margin, const pl_result *r, POINTS)

static const pl_ray ray = {{0, 0, 5}, {0, 0, -1}, 0, 10};
#define HITS const pl_result *r
PROBE(pl_cast, one, false, pl_question, budget_ms, HITS, &ray, 1)
PROBE(pl_cast, one, true, pl_question, budget_ms, HITS, &ray, 1)
PROBE(pl_cast, all, false, pl_question, budget_ms, HITS, &ray, 1)
PROBE(pl_cast, all, true, pl_question, budget_ms, HITS, &ray, 1)

#define OVERLAP(who, slow)                                                                                             \
  static pl_status call_pl_overlap_##who##_##slow(const trial *w)                                                      \
  {                                                                                                                    \
    pl_question def = pl_question_default();                                                                           \
    def.struct_size = size(w, sizeof def);                                                                             \
    def.reference = slow;                                                                                              \
    pl_zone ball = pl_zone_sphere(origin, amount(w));                                                                  \
    const pl_result *r;                                                                                                \
    return pl_overlap(who(w), &ball, &def, OUT(r));                                                                    \
  }
OVERLAP(one, false)
OVERLAP(one, true)
OVERLAP(all, false)
OVERLAP(all, true)

#define SPHERES(who, slow, member)                                                                                     \
  static pl_status call_pl_sphere_contacts_##who##_##slow(const trial *w)                                              \
  {                                                                                                                    \
    DEF(pl_question, member);                                                                                          \
    def.reference = slow;                                                                                              \
    const pl_result *r;                                                                                                \
    return pl_sphere_contacts(who(w), &def, OUT(r));                                                                   \
  }
SPHERES(two, false, budget_ms)
SPHERES(two, true, reach)
SPHERES(all, false, reach)
SPHERES(all, true, budget_ms)
SPHERES(one, false, reach)

/* Definitions without an amount. */
#define SIZED(function, type, result, ...)                                                                             \
  static pl_status call_##function(const trial *w)                                                                     \
  {                                                                                                                    \
    type def = type##_default();                                                                                       \
    def.struct_size = size(w, sizeof def);                                                                             \
    result = NULL;                                                                                                     \
    return function(__VA_ARGS__, &def, OUT(r));                                                                        \
  }
SIZED(pl_windows, pl_question, const pl_result *r, pl_two(TWO))
static pl_status scene_windows(pl_scene *all, const pl_question *def, const pl_result **out)
{
  return pl_windows(pl_all(all), def, out);
}
SIZED(scene_windows, pl_question, const pl_result *r, scene(w))

static pl_status call_pl_separation_create(const trial *w)
{
  pl_separation *list = NULL;
  pl_status status = pl_separation_create(TWO, false, OUT(list));
  pl_separation_destroy(list);
  return status;
}
static pl_status call_pl_separation_advance(const trial *w)
{
  pl_separation *list = NULL;
  const pl_result *r = NULL;
  pl_status status = w->made == NO_FIRST ? PL_OK : pl_separation_create(w->a, w->b, false, &list);
  if (status == PL_OK) status = pl_separation_advance(list, 0.5, OUT(r));
  pl_separation_destroy(list);
  return status;
}
static pl_status call_pl_scene_exclude(const trial *w) { return pl_scene_exclude(w->scene, w->a, second(w)); }
static pl_status call_pl_scene_include(const trial *w) { return pl_scene_include(w->scene, w->a, second(w)); }

enum {
  ONE = 1 << NO_FIRST | 1 << NO_OUT,
  PAIR = ONE | 1 << NO_SECOND | 1 << OTHER_OWNER,
  SIZES = 1 << SHORT_DEF | 1 << LONG_DEF,
  AMOUNT = 1 << BELOW_ZERO | 1 << NOT_A_NUMBER
};

#define ROW_OF(function, mistakes, motion)                                                                             \
  {                                                                                                                    \
#function, call_##function, mistakes, motion                                                                       \
  }
#define ROW(function, mistakes) ROW_OF(function, mistakes, FREE)
#define ASKED(question)                                                                                                \
  ROW(question##_two, PAIR | SIZES | AMOUNT), ROW(question##_two_reference, PAIR | SIZES | AMOUNT),                    \
      ROW(question##_self, ONE | SIZES | AMOUNT), ROW(question##_self_reference, ONE | SIZES | AMOUNT),                \
      ROW(question##_all, ONE | SIZES | AMOUNT), ROW(question##_all_reference, ONE | SIZES | AMOUNT)
static const struct {
  const char *name;
  pl_status (*call)(const trial *w);
  unsigned mistakes; /* those that the function can be given */
  moved of;          /* of the bodies that it is called with */
} table[] = {
    ASKED(pl_touching),
    ASKED(pl_near),
    ASKED(pl_near_triangles),
    ASKED(pl_nearest),
    ROW(pl_penetrations_two, PAIR | SIZES | AMOUNT),
    ROW(pl_penetrations_two_reference, PAIR | SIZES | AMOUNT),
    ROW(pl_penetrations_all, ONE | SIZES | AMOUNT),
    ROW(pl_penetrations_all_reference, ONE | SIZES | AMOUNT),
    ROW(pl_segments_two, PAIR | SIZES),
    ROW(pl_segments_self, ONE | SIZES),
    ROW(pl_segments_all, ONE | SIZES),
    ASKED(pl_impacts),
    ASKED(pl_candidates),
    ROW(pl_closest_one_false, ONE | SIZES | AMOUNT),
    ROW(pl_closest_all_false, ONE | SIZES | AMOUNT),
    ROW(pl_closest_one_true, ONE | SIZES | AMOUNT),
    ROW(pl_closest_all_true, ONE | SIZES | AMOUNT),
    ROW(pl_inside_one_false, ONE | SIZES | AMOUNT),
    ROW(pl_inside_all_true, ONE | SIZES | AMOUNT),
    ROW(pl_signed_distance_one_true, ONE | SIZES | AMOUNT),
    ROW(pl_signed_distance_all_false, ONE | SIZES | AMOUNT),
    ROW(pl_cast_one_false, ONE | SIZES | AMOUNT),
    ROW(pl_cast_one_true, ONE | SIZES | AMOUNT),
    ROW(pl_cast_all_false, ONE | SIZES | AMOUNT),
    ROW(pl_cast_all_true, ONE | SIZES | AMOUNT),
    ROW(pl_overlap_one_false, ONE | SIZES),
    ROW(pl_overlap_one_true, ONE | SIZES),
    ROW(pl_overlap_all_false, ONE | SIZES),
    ROW(pl_overlap_all_true, ONE | SIZES),
    ROW_OF(pl_sphere_contacts_two_false, PAIR | SIZES | AMOUNT, MATCH),
    ROW_OF(pl_sphere_contacts_two_true, PAIR | SIZES | AMOUNT, MATCH),
    ROW_OF(pl_sphere_contacts_all_false, ONE | SIZES | AMOUNT, MATCH),
    ROW_OF(pl_sphere_contacts_all_true, ONE | SIZES | AMOUNT, MATCH),
    ROW_OF(pl_sphere_contacts_one_false, ONE | SIZES | AMOUNT, MATCH),
    ROW_OF(pl_windows, PAIR | SIZES, FLIGHT),
    ROW_OF(scene_windows, ONE | SIZES, FLIGHT),
    ROW_OF(pl_separation_create, PAIR, FLIGHT),
    ROW_OF(pl_separation_advance, ONE, FLIGHT),
    ROW(pl_scene_exclude, 1 << NO_SECOND | 1 << OTHER_OWNER),
    ROW(pl_scene_include, 1 << NO_SECOND | 1 << OTHER_OWNER),
};

static void no_task(void *data, int task, int worker)
{
  (void)data;
  (void)task;
  (void)worker;
}

static void check(trial *w, size_t row)
{
  const cast *players = &w->of[table[row].of];
  w->a = players->a;
  w->b = players->b;
  w->other = players->other;
  w->scene = players->scene;
  for (int m = 0; m < MISTAKES; ++m) {
    w->made = (mistake)m;
    if (m != NO_MISTAKE && !(table[row].mistakes >> m & 1)) continue;
    /* another sentence */
    assert_int_equal(pl_context_run(w->context, no_task, NULL, -1), PL_ERROR_ARGUMENT);
    pl_status status = table[row].call(w);
    const char *message = pl_context_message(w->context);
    if (status != expected[m].status)
      fail_msg("%s, mistake %d: %s (%s)", table[row].name, m, pl_status_text(status), message);
    if (expected[m].word && !strstr(message, expected[m].word))
      fail_msg("%s, mistake %d: '%s' does not say '%s'", table[row].name, m, message, expected[m].word);
  }
}

static pl_body *body_with(pl_context *context, moved of)
{
  static const float at[] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1};
  /* closed: penetration asks for it */
  static const uint32_t triangles[] = {0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3};
  static const double times[] = {0, 1};
  const pl_positions poses[] = {pl_positions_f32(at, 4), pl_positions_f32(at, 4)};
  pl_mesh_def mesh = pl_mesh_def_default();
  mesh.positions = poses[0];
  mesh.triangles = triangles;
  mesh.triangle_count = 4;
  pl_flight_def flight = pl_flight_def_default();
  flight.times = times;
  flight.key_count = flight.pose_count = 2;
  flight.poses = poses;
  pl_body *body = NULL;
  pl_status status = of == FREE    ? pl_body_create_free(context, &mesh, NULL, &body)
                     : of == MATCH ? pl_body_create_match(context, &mesh, NULL, NULL, &body)
                                   : pl_body_create_flight(context, &mesh, &flight, NULL, &body);
  assert_int_equal(status, PL_OK);
  return body;
}

static cast cast_of(const trial *w, moved of)
{
  cast c = {body_with(w->context, of), body_with(w->context, of), body_with(w->other_context, of), NULL};
  assert_int_equal(pl_body_keep_pose(c.a), PL_OK); /* for first contacts */
  assert_int_equal(pl_body_keep_pose(c.b), PL_OK);
  assert_int_equal(pl_scene_create(w->context, NULL, &c.scene), PL_OK);
  assert_int_equal(pl_scene_add(c.scene, c.a, NULL), PL_OK);
  assert_int_equal(pl_scene_add(c.scene, c.b, NULL), PL_OK);
  return c;
}

static void the_same_mistake_gets_the_same_status(void **state)
{
  (void)state;
  trial w = {.context = context_of(NULL), .other_context = context_of(NULL)};
  for (int m = 0; m < MOTIONS; ++m) w.of[m] = cast_of(&w, (moved)m);
  for (size_t i = 0; i < sizeof table / sizeof *table; ++i) check(&w, i);
  pl_context_destroy(w.context);
  pl_context_destroy(w.other_context);
}

/* Functions that are no queries: a handle that is NULL is refused with a sentence too, which
 * another failure replaces. */
static void null_handles_leave_a_sentence(void **state)
{
  (void)state;
  pl_context *context = context_of(NULL);
  pl_body *body;
  pl_scene *made;
  pl_transform still = pl_transform_identity();
  const double weight = 1;
#define NULL_CALL(word, ...)                                                                                           \
  do {                                                                                                                 \
    assert_int_equal(pl_context_run(context, no_task, NULL, -1), PL_ERROR_ARGUMENT);                                   \
    assert_int_equal(__VA_ARGS__, PL_ERROR_ARGUMENT);                                                                  \
    assert_string_equal(pl_context_message(context), word " is NULL");                                                 \
    assert_string_equal(pl_context_message(NULL), word " is NULL");                                                    \
  } while (0)
  NULL_CALL("context", pl_context_run(NULL, no_task, NULL, 1));
  NULL_CALL("context", pl_body_create_free(NULL, NULL, NULL, &body));
  NULL_CALL("context", pl_body_create_rigid(NULL, NULL, NULL, &body));
  NULL_CALL("context", pl_body_create_morph(NULL, NULL, NULL, NULL, &body));
  NULL_CALL("context", pl_body_create_soup(NULL, NULL, NULL, NULL, &body));
  NULL_CALL("context", pl_scene_create(NULL, NULL, &made));
  NULL_CALL("context", pl_mesh_check(NULL, NULL));
  NULL_CALL("body", pl_body_set_positions(NULL, POINTS));
  NULL_CALL("body", pl_body_set_vertices(NULL, NULL, 0, POINTS));
  NULL_CALL("body", pl_body_set_transform(NULL, &still));
  NULL_CALL("body", pl_body_set_weights(NULL, &weight, 1));
  NULL_CALL("body", pl_body_update(NULL, NULL));
  NULL_CALL("body", pl_body_keep_pose(NULL));
  NULL_CALL("body", pl_body_validate(NULL));
  NULL_CALL("scene", pl_scene_add(NULL, NULL, NULL));
  NULL_CALL("scene", pl_scene_remove(NULL, NULL));
  assert_int_equal(pl_context_run(context, no_task, NULL, -1), PL_ERROR_ARGUMENT);
  assert_non_null(strstr(pl_context_message(context), "count is -1")); /* the newest */
  pl_context_def wrong = pl_context_def_default();
  wrong.threads = -1;
  pl_context *none;
  assert_int_equal(pl_context_create(&wrong, &none), PL_ERROR_ARGUMENT);
  assert_non_null(strstr(pl_context_message(NULL), "-1 threads"));
  pl_context_destroy(context);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(the_same_mistake_gets_the_same_status),
                                     cmocka_unit_test(null_handles_leave_a_sentence)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
