/* How near skinned, embedded, subdivided and point-based bodies come to themselves: against the
 * reference, byte for byte, with volumes from the governors and with others; the same for any
 * number of threads; steady frames allocate nothing. */
#include "scenes/ask.h"
#include "support/nears.h"
#include "support/rollers.h"

#include <stdio.h>

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
enum { SIDE = 9 };
#else
enum { SIDE = 15 };
#endif

static const double turns_of[] = {0, 0.6, 1.1, 1.9};

static void all_kinds(void **state)
{
  (void)state;
  static const pl_strategy strategies[] = {PL_STRATEGY_GOVERNED, PL_STRATEGY_AUTO, PL_STRATEGY_BOTTOM_UP,
                                           PL_STRATEGY_HYBRID};
  size_t found = 0;
  for (int kind = 0; kind < ROLLER_KINDS; ++kind)
    for (int s = 0; s < 4; ++s) {
      pl_context *context = context_of(NULL);
      pl_body_def def = pl_body_def_default();
      roller r;
      def.strategy = strategies[s];
      def.arity = s % 2 ? 8 : 4;
      roller_create(&r, context, kind, SIDE, &def);
      for (int f = s % 2; f < 4; f += 1 + (s > 1)) {
        char what[64];
        snprintf(what, sizeof what, "kind %d, %s, %g turns", kind, pl_word(PL_WORDS_STRATEGY, strategies[s]),
                 turns_of[f]);
        roller_pose(&r, turns_of[f]);
        found += assert_all(r.body, 0.06, 2 + (uint32_t)f % 2, what);
      }
      pl_context_destroy(context);
    }
  assert_true(found > 1000);
}

/* Near pairs, features and the distance of one pose; the first failure. */
static pl_status ask(pl_body *body, uint64_t *hash)
{
  pl_question near = pl_question_default();
  pl_question feature = pl_question_default();
  const pl_result *pairs = NULL;
  const pl_result *features = NULL;
  least_row distance;
  near.rings = feature.rings = 2;
  near.sorted = feature.sorted = true;
  pl_status status = ask_near_triangles(pl_self(body), 0.06, &near, &pairs);
  if (status != PL_OK) return status;
  *hash = hash_bytes(*hash, pairs->near_pairs, pairs->count * sizeof *pairs->near_pairs);
  status = ask_near(pl_self(body), 0.06, &feature, &features);
  if (status != PL_OK) return status;
  *hash = hash_bytes(*hash, features->features, features->count * sizeof *features->features);
  status = ask_least(pl_self(body), NULL, &distance);
  *hash = hash_bytes(*hash, &distance.distance, LEAST_BYTES);
  return status;
}

static void threads_and_memory(void **state)
{
  (void)state;
  for (int kind = 0; kind < ROLLER_KINDS; ++kind) {
    uint64_t first = 0;
    for (int threads = 1; threads <= 3; threads += 2) {
      failing memory = {.until = -1};
      pl_context_def c = pl_context_def_default();
      pl_body_def def = pl_body_def_default();
      pl_context *context;
      roller r;
      c.threads = threads;
      c.allocator = (pl_allocator){&memory, failing_allocate, failing_release};
      def.strategy = PL_STRATEGY_GOVERNED;
      assert_int_equal(pl_context_create(&c, &context), PL_OK);
      roller_create(&r, context, kind, SIDE, &def);
      uint64_t hash = HASH_START;
      for (int f = 0; f < 10; ++f) {
        if (f == 4) memory.until = 0; /* steady from here on */
        roller_pose(&r, f % 2 ? 1.1 : 1.9);
        if (ask(r.body, &hash) != PL_OK) fail_msg("kind %d, frame %d: %s", kind, f, pl_context_message(context));
      }
      memory.until = -1;
      if (threads == 1) first = hash;
      assert_true(hash == first);
      pl_context_destroy(context);
      assert_int_equal(memory.live, 0);
    }
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(all_kinds), cmocka_unit_test(threads_and_memory)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
