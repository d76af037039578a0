/* The broad phase of scenes against all pairs of boxes. */
#include "scene/scene.h"

#include "support/worlds.h" /* after our headers: cmocka has a macro named fail */

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BOXES = 500 };

static float corner_of(test_rng *rng, int kind)
{
  static const float nasty[] = {0.0f, -0.0f, 1.0f, -1.0f, INFINITY, -INFINITY, FLT_MAX, -FLT_MAX, 1e-45f, -1e-45f};
  if (kind == 0) return (float)test_below(rng, 12); /* many equal, many touching */
  if (kind == 1) return nasty[test_below(rng, 10)];
  return (float)test_uniform(rng, -20, 20);
}

static aabb random_box(test_rng *rng)
{
  aabb b;
  int kind = test_below(rng, 8);
  for (int k = 0; k < 3; ++k) {
    float x = corner_of(rng, kind), y = kind == 3  ? x
                                        : kind > 3 ? x + (float)test_uniform(rng, 0, 3)
                                                   : corner_of(rng, kind);
    b.lower[k] = x < y ? x : y;
    b.upper[k] = x < y ? y : x;
  }
  return b;
}

static void check_pairs(const broad *b, const char *what)
{
  size_t n = 0;
  for (uint32_t p = 0; p < b->alive.count; ++p)
    for (uint32_t o = p + 1; o < b->alive.count; ++o) {
      if (!b->alive.data[p] || !b->alive.data[o] || !aabb_overlap(&b->boxes.data[p], &b->boxes.data[o])) continue;
      if (n >= b->pairs.count || b->pairs.data[n] != ((uint64_t)p << 32 | o))
        fail_msg("%s: pair (%u, %u) is missing or not in its place", what, p, o);
      ++n;
    }
  if (n != b->pairs.count) fail_msg("%s: %zu pairs, %zu overlap", what, b->pairs.count, n);
}

static void move_some(broad *b, test_rng *rng, int how)
{
  for (uint32_t p = 0; p < b->alive.count; ++p) {
    if (!b->alive.data[p]) continue;
    if (how == 0) { /* all by a little */
      for (int k = 0; k < 3; ++k) {
        float by = (float)test_below(rng, 3) * 0.5f - 0.5f;
        b->boxes.data[p].lower[k] += by;
        b->boxes.data[p].upper[k] += by;
      }
    } else if (how == 1 || test_below(rng, 20) == 0) { /* all jump, or a few */
      b->boxes.data[p] = random_box(rng);
    }
  }
}

static void broad_phase(void **state)
{
  (void)state;
  pl_context *context = context_of(NULL);
  test_rng rng = {.state = 8};
  broad b = {0};
  uint32_t added = 0;
  for (int step = 0; step < 60; ++step) {
    int come = step == 0 ? BOXES : test_below(&rng, 4) == 0 ? test_below(&rng, 30) : 0;
    for (int i = 0; i < come; ++i) {
      assert_int_equal(broad_add(context, &b, added), PL_OK);
      b.boxes.data[added++] = random_box(&rng);
    }
    if (step % 5 == 4)
      for (int i = 0; i < 20; ++i) {
        uint32_t gone = (uint32_t)test_below(&rng, (int)added);
        if (b.alive.data[gone]) broad_remove(&b, gone);
      }
    move_some(&b, &rng, step % 7 == 6 ? 1 : step % 3 ? 0 : 2);
    char what[64];
    snprintf(what, sizeof what, "step %d", step);
    bool sweep = step % 11 != 10; /* now and then every pair, and back */
    assert_int_equal(broad_update(context, &b, sweep), PL_OK);
    check_pairs(&b, what);
    assert_int_equal(broad_update(context, &b, sweep), PL_OK); /* nothing moved */
    check_pairs(&b, what);
  }
  broad_free(context, &b);
  pl_context_destroy(context);
}

/* Zeros of both signs are one place; boxes that touch in one point overlap. */
static void touching_boxes(void **state)
{
  (void)state;
  pl_context *context = context_of(NULL);
  broad b = {0};
  for (uint32_t i = 0; i < 3; ++i) assert_int_equal(broad_add(context, &b, i), PL_OK);
  b.boxes.data[0] = (aabb){{-1, -1, -1}, {-0.0f, -0.0f, -0.0f}};
  b.boxes.data[1] = (aabb){{0, 0, 0}, {1, 1, 1}};
  b.boxes.data[2] = (aabb){{1, -INFINITY, -INFINITY}, {INFINITY, INFINITY, INFINITY}};
  for (int turn = 0; turn < 3; ++turn) {
    assert_int_equal(broad_update(context, &b, true), PL_OK);
    assert_int_equal(b.pairs.count, 2);
    check_pairs(&b, "touching");
    b.boxes.data[0].upper[1] = -1e-45f; /* the least step apart */
    assert_int_equal(broad_update(context, &b, true), PL_OK);
    assert_int_equal(b.pairs.count, 1);
    b.boxes.data[0].upper[1] = turn ? -0.0f : 0.0f;
  }
  broad_free(context, &b);
  pl_context_destroy(context);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(broad_phase),
      cmocka_unit_test(touching_boxes),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
