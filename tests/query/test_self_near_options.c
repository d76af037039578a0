/* How near a body comes to itself: threads, failing memory, steady frames, filters and wrong
 * calls. */
#include "scenes/ask.h"
#include "support/selves.h"

#include <math.h>
#include <string.h>

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
enum { SMALL = 5, LARGE = 9 };
#else
enum { SMALL = 6, LARGE = 14 };
#endif

/* --------------------------------------------------------------------------- threads, memory -- */

static uint64_t hash_of(uint64_t hash, const void *data, size_t size)
{
  const unsigned char *p = data;
  for (size_t i = 0; i < size; ++i) hash = (hash ^ p[i]) * 1099511628211u;
  return hash;
}

/* All three queries, sorted and not; the first failure. */
static pl_status ask(pl_body *body, double margin, uint32_t rings, uint64_t *hash)
{
  pl_question near = pl_question_default();
  pl_question feature = pl_question_default();
  pl_question least = pl_question_default();
  const pl_result *pairs = NULL;
  const pl_result *features = NULL;
  least_row distance;
  near.rings = feature.rings = least.rings = rings;
  near.sorted = true;
  pl_status status = ask_near_triangles(pl_self(body), margin, &near, &pairs);
  if (status != PL_OK) return status;
  *hash = hash_of(*hash, pairs->near_pairs, pairs->count * sizeof *pairs->near_pairs);
  status = ask_near(pl_self(body), margin, &feature, &features);
  if (status != PL_OK) return status;
  *hash = hash_of(*hash, features->features, features->count * sizeof *features->features);
  status = ask_least(pl_self(body), &least, &distance);
  *hash = hash_of(*hash, &distance.distance, LEAST_BYTES);
  return status;
}

static void threads_give_the_same(void **state)
{
  (void)state;
  enum { N = 4 * SMALL };
  world_mesh m;
  sheet_create(SHEET_ROLL_2, N, &m);
  uint64_t first = 0;
  for (int threads = 1; threads <= 4; ++threads) {
    pl_context_def def = pl_context_def_default();
    pl_context *context;
    def.threads = threads;
    assert_int_equal(pl_context_create(&def, &context), PL_OK);
    pl_body *body = sheet_body(context, &m, NULL, false);
    uint64_t hash = 1;
    for (uint32_t rings = 1; rings < 4; ++rings) assert_int_equal(ask(body, sheet_margin(&m), rings, &hash), PL_OK);
    if (threads == 1) first = hash;
    assert_true(hash == first);
    pl_context_destroy(context);
  }
  sheet_free(&m);
}

/* The n-th allocation fails, for every n: a message, nothing is lost, and the query works once
 * there is memory again. */
static void memory_may_end(void **state)
{
  (void)state;
  world_mesh m;
  sheet_create(SHEET_FOLDED, SMALL, &m);
  uint64_t wanted = 0;
  bool failed = true;
  for (long n = -1; failed; ++n) {
    failing memory = {.until = -1};
    pl_context_def def = pl_context_def_default();
    pl_context *context;
    def.threads = 2;
    def.allocator = (pl_allocator){&memory, failing_allocate, failing_release};
    assert_int_equal(pl_context_create(&def, &context), PL_OK);
    pl_body *body = sheet_body(context, &m, NULL, false);
    uint64_t hash = 1;
    memory.until = n;
    pl_status status = ask(body, sheet_margin(&m), 2, &hash);
    failed = status != PL_OK || n < 0;
    if (status != PL_OK) {
      assert_int_equal(status, PL_ERROR_MEMORY);
      assert_true(strlen(pl_context_message(context)) > 0);
      memory.until = -1;
      hash = 1;
      assert_int_equal(ask(body, sheet_margin(&m), 2, &hash), PL_OK);
    }
    if (n < 0) wanted = hash;
    assert_true(hash == wanted);
    pl_context_destroy(context);
    assert_int_equal(memory.live, 0);
  }
  sheet_free(&m);
}

static void steady_frames_allocate_nothing(void **state)
{
  (void)state;
  world_mesh m;
  sheet_create(SHEET_CRUMPLED, LARGE, &m);
  for (int threads = 1; threads < 4; threads += 2) {
    failing memory = {.until = -1};
    pl_context_def def = pl_context_def_default();
    pl_context *context;
    def.threads = threads;
    def.allocator = (pl_allocator){&memory, failing_allocate, failing_release};
    assert_int_equal(pl_context_create(&def, &context), PL_OK);
    pl_body *body = sheet_body(context, &m, NULL, false);
    for (int f = 0; f < 12; ++f) {
      uint64_t hash = 1;
      if (f == 4) memory.until = 0;
      sheet_pose(SHEET_CRUMPLED, LARGE, 0.1 * (f % 2), &m);
      assert_int_equal(pl_body_set_positions(body, positions_of(&m, false)), PL_OK);
      if (ask(body, sheet_margin(&m), 3, &hash) != PL_OK) fail_msg("frame %d: %s", f, pl_context_message(context));
    }
    memory.until = -1;
    pl_context_destroy(context);
    assert_int_equal(memory.live, 0);
  }
  sheet_free(&m);
}

/* ----------------------------------------------------------------------------------- options -- */

static bool is_even(void *user, pl_body *a, pl_body *b, pl_pair pair)
{
  ++*(size_t *)user;
  assert_true(pair.a < pair.b);
  return (pair.a + pair.b) % 2 == 0;
}

static void filters_see_each_pair(void **state)
{
  (void)state;
  world_mesh m;
  sheet_create(SHEET_FOLDED, SMALL, &m);
  pl_context *context = context_of(NULL);
  pl_body *body = sheet_body(context, &m, NULL, false);
  size_t asked = 0, even = 0;
  pl_question near = pl_question_default();
  pl_question feature = pl_question_default();
  pl_question least = pl_question_default();
  const pl_result *pairs;
  near.sorted = true;
  near.user = &asked;
  const pl_result *features;
  least_row got, wanted;
  assert_int_equal(ask_near_triangles(pl_self(body), 0.3, &near, &pairs), PL_OK);
  for (size_t i = 0; i < pairs->count; ++i) even += (pairs->near_pairs[i].a + pairs->near_pairs[i].b) % 2 == 0;
  assert_true(even > 0 && even < pairs->count);
  near.filter = feature.filter = least.filter = is_even;
  feature.user = least.user = &asked;
  feature.edge_edge = false;
  assert_int_equal(ask_near_triangles(pl_self(body), 0.3, &near, &pairs), PL_OK);
  assert_int_equal(pairs->count, even);
  assert_int_equal(ask_near(pl_self(body), 0.3, &feature, &features), PL_OK);
  assert_true(features->count > 0 && asked > 0);
  for (size_t i = 0; i < features->count; ++i) {
    assert_int_equal((features->features[i].triangle_a + features->features[i].triangle_b) % 2, 0);
    assert_int_not_equal(features->features[i].kind, PL_FEATURE_EDGE_EDGE);
  }
  assert_int_equal(ask_least(pl_self(body), &least, &got), PL_OK);
  assert_int_equal(refer_least(pl_self(body), &least, &wanted), PL_OK);
  assert_memory_equal(&got, &wanted, offsetof(least_row, partial));
  pl_context_destroy(context);
  sheet_free(&m);
}

static void wrong_calls_are_refused(void **state)
{
  (void)state;
  world_mesh m;
  sheet_create(SHEET_FLAT, SMALL, &m);
  pl_context *context = context_of(NULL);
  pl_body *body = sheet_body(context, &m, NULL, false);
  pl_question near = pl_question_default();
  pl_question feature = pl_question_default();
  pl_question least = pl_question_default();
  const pl_result *pairs;
  const pl_result *features;
  least_row got;
  assert_int_equal(near.rings, 1);
  assert_int_equal(feature.rings, 1);
  assert_int_equal(least.rings, 1);
  assert_int_equal(ask_near_triangles(pl_self(NULL), 1, NULL, &pairs), PL_ERROR_ARGUMENT);
  assert_int_equal(ask_near_triangles(pl_self(body), 1, NULL, NULL), PL_ERROR_ARGUMENT);
  assert_int_equal(ask_near_triangles(pl_self(body), -1, NULL, &pairs), PL_ERROR_ARGUMENT);
  assert_int_equal(ask_near_triangles(pl_self(body), NAN, NULL, &pairs), PL_ERROR_ARGUMENT);
  assert_null(pairs);
  assert_int_equal(ask_near(pl_self(NULL), 1, NULL, &features), PL_ERROR_ARGUMENT);
  assert_int_equal(ask_near(pl_self(body), -1, NULL, &features), PL_ERROR_ARGUMENT);
  assert_int_equal(ask_least(pl_self(NULL), NULL, &got), PL_ERROR_ARGUMENT);
  assert_int_equal(ask_least(pl_self(body), NULL, NULL), PL_ERROR_ARGUMENT);
  near.rings = feature.rings = least.rings = 0;
  assert_int_equal(ask_near_triangles(pl_self(body), 1, &near, &pairs), PL_ERROR_ARGUMENT);
  assert_int_equal(refer_near_triangles(pl_self(body), 1, &near, &pairs), PL_ERROR_ARGUMENT);
  assert_int_equal(ask_near(pl_self(body), 1, &feature, &features), PL_ERROR_ARGUMENT);
  assert_int_equal(refer_near(pl_self(body), 1, &feature, &features), PL_ERROR_ARGUMENT);
  assert_int_equal(ask_least(pl_self(body), &least, &got), PL_ERROR_ARGUMENT);
  assert_int_equal(refer_least(pl_self(body), &least, &got), PL_ERROR_ARGUMENT);
  assert_non_null(strstr(pl_context_message(context), "rings"));
  pl_context_destroy(context);
  sheet_free(&m);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(threads_give_the_same),          cmocka_unit_test(memory_may_end),
      cmocka_unit_test(steady_frames_allocate_nothing), cmocka_unit_test(filters_see_each_pair),
      cmocka_unit_test(wrong_calls_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
