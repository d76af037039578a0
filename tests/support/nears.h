/* How near a body comes to itself, against the reference: the same bytes. */
#ifndef TESTS_NEARS_H
#define TESTS_NEARS_H

#include "scenes/ask.h"
#include "support/worlds.h"

#include <stdlib.h>
#include <string.h>

/* The context owns one result of each kind: the reference's is copied. */
static inline size_t assert_pairs(pl_body *body, double margin, uint32_t rings, const char *what)
{
  pl_question def = pl_question_default();
  const pl_result *found;
  def.rings = rings;
  def.sorted = true;
  assert_int_equal(refer_near_triangles(pl_self(body), margin, &def, &found), PL_OK);
  size_t n = found->count, bytes = n * sizeof *found->near_pairs;
  pl_near_pair *wanted = malloc(bytes + 1);
  if (n) memcpy(wanted, found->near_pairs, bytes);
  assert_int_equal(ask_near_triangles(pl_self(body), margin, &def, &found), PL_OK);
  if (found->count != n) fail_msg("%s, %u rings: %zu pairs instead of %zu", what, rings, found->count, n);
  for (size_t i = 0; i < n; ++i)
    if (memcmp(&found->near_pairs[i], &wanted[i], sizeof *wanted))
      fail_msg("%s, %u rings: pair %zu: %u %u instead of %u %u", what, rings, i, found->near_pairs[i].a,
               found->near_pairs[i].b, wanted[i].a, wanted[i].b);
  free(wanted);
  def.sorted = false;
  assert_int_equal(ask_near_triangles(pl_self(body), margin, &def, &found), PL_OK);
  assert_int_equal(found->count, n);
  return n;
}

static inline size_t assert_features(pl_body *body, double margin, uint32_t rings, const char *what)
{
  pl_question def = pl_question_default();
  const pl_result *found;
  def.rings = rings;
  def.sorted = true;
  assert_int_equal(refer_near(pl_self(body), margin, &def, &found), PL_OK);
  size_t n = found->count, bytes = n * sizeof *found->features;
  pl_feature_pair *wanted = malloc(bytes + 1);
  if (n) memcpy(wanted, found->features, bytes);
  assert_int_equal(ask_near(pl_self(body), margin, &def, &found), PL_OK);
  if (found->count != n) fail_msg("%s, %u rings: %zu feature pairs instead of %zu", what, rings, found->count, n);
  for (size_t i = 0; i < n; ++i)
    if (memcmp(&found->features[i], &wanted[i], sizeof *wanted))
      fail_msg("%s, %u rings: pair %zu: %s %u %u instead of %s %u %u", what, rings, i,
               pl_word(PL_WORDS_FEATURE, found->features[i].kind), found->features[i].triangle_a,
               found->features[i].triangle_b, pl_word(PL_WORDS_FEATURE, wanted[i].kind), wanted[i].triangle_a,
               wanted[i].triangle_b);
  free(wanted);
  return n;
}

static inline double assert_distance(pl_body *body, uint32_t rings, const char *what)
{
  pl_question def = pl_question_default();
  least_row wanted, got;
  def.rings = rings;
  assert_int_equal(refer_least(pl_self(body), &def, &wanted), PL_OK);
  assert_int_equal(ask_least(pl_self(body), &def, &got), PL_OK);
  if (memcmp(&got, &wanted, offsetof(least_row, partial)) != 0)
    fail_msg("%s, %u rings: %g of %u %u instead of %g of %u %u", what, rings, got.distance, got.triangle_a,
             got.triangle_b, wanted.distance, wanted.triangle_a, wanted.triangle_b);
  def.absolute = 0.01;
  def.margin = 10;
  assert_int_equal(ask_least(pl_self(body), &def, &got), PL_OK);
  if (wanted.distance <= 10) assert_true(got.distance >= wanted.distance && got.distance <= wanted.distance + 0.01);
  assert_true(got.lower <= wanted.distance);
  return wanted.distance;
}

static inline size_t assert_all(pl_body *body, double margin, uint32_t rings, const char *what)
{
  assert_distance(body, rings, what);
  return assert_pairs(body, margin, rings, what) + assert_features(body, margin, rings, what);
}

#endif
