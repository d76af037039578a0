/* The same mistake gets the same status in every query, and a sentence that names the argument: a table of queries times a table of mistakes. Each
 * query is called through a small function that makes one mistake and is right in everything else. */
#include "pliant/near.h"
#include "pliant/points.h"
#include "pliant/region.h"
#include "support/distances.h"

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
    [NO_FIRST] = {PL_ERROR_ARGUMENT, NULL}, /* without a context there is no message */
    [NO_SECOND] = {PL_ERROR_ARGUMENT, "body b is NULL"},
    [OTHER_OWNER] = {PL_ERROR_MISMATCH, "context"},
    [NO_OUT] = {PL_ERROR_ARGUMENT, "out is NULL"},
    [SHORT_DEF] = {PL_ERROR_ARGUMENT, "struct_size of pl_"},
    [LONG_DEF] = {PL_ERROR_ARGUMENT, "struct_size of pl_"},
    [BELOW_ZERO] = {PL_ERROR_ARGUMENT, "is not 0 or more"},
    [NOT_A_NUMBER] = {PL_ERROR_ARGUMENT, "is not 0 or more"},
};

/* What a call gets: all arguments right but for one. */
typedef struct trial {
  pl_context *context, *other_context;
  pl_body *a, *b, *other;
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

/* One function for each query: FUNCTION(arguments) with a definition of which one member is an amount. */
#define QUERY(function, type, member, result, ...)                                                                     \
  static pl_status call_##function(const trial *w)                                                                     \
  {                                                                                                                    \
    DEF(type, member);                                                                                                 \
    result;                                                                                                            \
    return function(__VA_ARGS__);                                                                                      \
  }
#define PAIRS const pl_pairs *r
#define TWO first(w), second(w)
QUERY(pl_body_collide, pl_collide_def, budget_ms, PAIRS, TWO, &def, OUT(r))
QUERY(pl_reference_collide, pl_collide_def, budget_ms, PAIRS, TWO, &def, OUT(r))
QUERY(pl_scene_collide, pl_collide_def, budget_ms, const pl_contacts *r, scene(w), &def, OUT(r))
QUERY(pl_reference_scene_collide, pl_collide_def, budget_ms, const pl_contacts *r, scene(w), &def, OUT(r))
QUERY(pl_body_distance, pl_distance_def, limit, pl_distance r, TWO, &def, OUT(r))
QUERY(pl_reference_distance, pl_distance_def, limit, pl_distance r, TWO, &def, OUT(r))
QUERY(pl_scene_distance, pl_distance_def, budget_ms, pl_nearest r, scene(w), &def, OUT(r))
QUERY(pl_reference_scene_distance, pl_distance_def, limit, pl_nearest r, scene(w), &def, OUT(r))

#define NEAR(function, type, result, ...)                                                                              \
  static pl_status call_##function(const trial *w)                                                                     \
  {                                                                                                                    \
    type def = type##_default();                                                                                       \
    def.struct_size = size(w, sizeof def);                                                                             \
    const result *r;                                                                                                   \
    return function(__VA_ARGS__, amount(w), &def, OUT(r));                                                             \
  }
NEAR(pl_body_near, pl_near_def, pl_near_pairs, TWO)
NEAR(pl_reference_near, pl_near_def, pl_near_pairs, TWO)
NEAR(pl_body_near_features, pl_feature_def, pl_feature_pairs, TWO)
NEAR(pl_scene_near, pl_near_def, pl_scene_near_pairs, scene(w))
NEAR(pl_reference_scene_near, pl_near_def, pl_scene_near_pairs, scene(w))
NEAR(pl_scene_near_features, pl_feature_def, pl_scene_feature_pairs, scene(w))

static const double origin[3] = {0, 0, 0};
#define POINTS pl_positions_f64(origin, 1)
QUERY(pl_body_distance_point, pl_distance_def, limit, pl_distance r, first(w), origin, &def, OUT(r))
QUERY(pl_body_closest, pl_point_def, limit, const pl_point_results *r, first(w), POINTS, &def, OUT(r))
QUERY(pl_reference_closest, pl_point_def, limit, const pl_point_results *r, first(w), POINTS, &def, OUT(r))
QUERY(pl_body_inside, pl_point_def, budget_ms, const pl_point_results *r, first(w), POINTS, &def, OUT(r))
QUERY(pl_body_signed_distance, pl_point_def, limit, const pl_point_results *r, first(w), POINTS, &def, OUT(r))

static pl_status call_pl_body_closer(const trial *w)
{
  bool r;
  return pl_body_closer(TWO, amount(w), OUT(r), NULL);
}
static pl_status call_pl_body_region(const trial *w)
{
  pl_region_def def = pl_region_def_default();
  def.struct_size = size(w, sizeof def);
  pl_region ball = pl_region_sphere(origin, 1);
  const pl_triangles *r;
  return pl_body_region(first(w), &ball, &def, OUT(r));
}
static pl_status call_pl_scene_exclude(const trial *w) { return pl_scene_exclude(w->scene, w->a, second(w)); }
static pl_status call_pl_scene_include(const trial *w) { return pl_scene_include(w->scene, w->a, second(w)); }

enum {
  ONE = 1 << NO_FIRST | 1 << NO_OUT,
  PAIR = ONE | 1 << NO_SECOND | 1 << OTHER_OWNER,
  SIZES = 1 << SHORT_DEF | 1 << LONG_DEF,
  AMOUNT = 1 << BELOW_ZERO | 1 << NOT_A_NUMBER
};

#define ROW(function, mistakes)                                                                                        \
  {                                                                                                                    \
#function, call_##function, mistakes                                                                               \
  }
static const struct {
  const char *name;
  pl_status (*call)(const trial *w);
  unsigned mistakes; /* those that the function can be given */
} table[] = {
    ROW(pl_body_collide, PAIR | SIZES | AMOUNT),
    ROW(pl_reference_collide, PAIR | SIZES | AMOUNT),
    ROW(pl_scene_collide, ONE | SIZES | AMOUNT),
    ROW(pl_reference_scene_collide, ONE | SIZES | AMOUNT),
    ROW(pl_body_distance, PAIR | SIZES | AMOUNT),
    ROW(pl_reference_distance, PAIR | SIZES | AMOUNT),
    ROW(pl_scene_distance, ONE | SIZES | AMOUNT),
    ROW(pl_reference_scene_distance, ONE | SIZES | AMOUNT),
    ROW(pl_body_near, PAIR | SIZES | AMOUNT),
    ROW(pl_reference_near, PAIR | SIZES | AMOUNT),
    ROW(pl_body_near_features, PAIR | SIZES | AMOUNT),
    ROW(pl_scene_near, ONE | SIZES | AMOUNT),
    ROW(pl_reference_scene_near, ONE | SIZES | AMOUNT),
    ROW(pl_scene_near_features, ONE | SIZES | AMOUNT),
    ROW(pl_body_distance_point, ONE | SIZES | AMOUNT),
    ROW(pl_body_closest, ONE | SIZES | AMOUNT),
    ROW(pl_reference_closest, ONE | SIZES | AMOUNT),
    ROW(pl_body_inside, ONE | SIZES | AMOUNT),
    ROW(pl_body_signed_distance, ONE | SIZES | AMOUNT),
    ROW(pl_body_closer, PAIR | AMOUNT),
    ROW(pl_body_region, ONE | SIZES),
    ROW(pl_scene_exclude, 1 << NO_SECOND | 1 << OTHER_OWNER),
    ROW(pl_scene_include, 1 << NO_SECOND | 1 << OTHER_OWNER),
};

static void check(trial *w, size_t row)
{
  for (int m = 0; m < MISTAKES; ++m) {
    w->made = (mistake)m;
    if (m != NO_MISTAKE && !(table[row].mistakes >> m & 1)) continue;
    pl_status status = table[row].call(w);
    const char *message = pl_context_message(w->context);
    if (status != expected[m].status)
      fail_msg("%s, mistake %d: %s (%s)", table[row].name, m, pl_status_text(status), message);
    if (expected[m].word && !strstr(message, expected[m].word))
      fail_msg("%s, mistake %d: '%s' does not say '%s'", table[row].name, m, message, expected[m].word);
  }
}

static void the_same_mistake_gets_the_same_status(void **state)
{
  (void)state;
  static const float at[] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1};
  static const uint32_t triangles[] = {0, 1, 2, 0, 1, 3};
  trial w = {.context = context_of(NULL), .other_context = context_of(NULL)};
  w.a = body_of(w.context, at, 4, triangles, 2, NULL);
  w.b = body_of(w.context, at, 4, triangles, 2, NULL);
  w.other = body_of(w.other_context, at, 4, triangles, 2, NULL);
  assert_int_equal(pl_scene_create(w.context, NULL, &w.scene), PL_OK);
  assert_int_equal(pl_scene_add(w.scene, w.a, NULL), PL_OK);
  assert_int_equal(pl_scene_add(w.scene, w.b, NULL), PL_OK);
  for (size_t i = 0; i < sizeof table / sizeof *table; ++i) check(&w, i);
  pl_context_destroy(w.context);
  pl_context_destroy(w.other_context);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(the_same_mistake_gets_the_same_status)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
