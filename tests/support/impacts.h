/* First contacts in tests: lists that outlive the next query, and comparing them. */
#ifndef TESTS_IMPACTS_H
#define TESTS_IMPACTS_H

#include "support/moving.h"
#include "support/worlds.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct impact_list {
  pl_impact *impacts;
  size_t count;
  double time, safe_step;
} impact_list;

static inline impact_list copy_impacts(const pl_result *from)
{
  impact_list l = {malloc((from->count + 1) * sizeof *l.impacts), from->count, from->time, from->safe_step};
  if (from->count) memcpy(l.impacts, from->impacts, from->count * sizeof *l.impacts);
  return l;
}

/* All but the bodies: these may be of another context. */
static inline bool same_impact(const pl_impact *x, const pl_impact *y)
{
  pl_impact a = *x, b = *y;
  return a.time == b.time && a.kind == b.kind && memcmp(a.feature_a, b.feature_a, sizeof a.feature_a) == 0 &&
         memcmp(a.feature_b, b.feature_b, sizeof a.feature_b) == 0 &&
         memcmp(a.normal, b.normal, sizeof a.normal) == 0 && memcmp(a.point, b.point, sizeof a.point) == 0;
}

static inline void assert_all_impacts(const pl_result *got, const impact_list *wanted, const char *what)
{
  size_t edges = 0;
  if (got->count != wanted->count) fail_msg("%s: %zu contacts instead of %zu", what, got->count, wanted->count);
  for (size_t i = 0; i < got->count; ++i) {
    if (!same_impact(&got->impacts[i], &wanted->impacts[i])) fail_msg("%s: contact %zu differs", what, i);
    if (i && got->impacts[i].time < got->impacts[i - 1].time) fail_msg("%s: contact %zu is out of order", what, i);
    edges += got->impacts[i].kind == PL_FEATURE_EDGE_EDGE;
  }
  if (got->edge_edge != edges || got->vertex_face != got->count - edges) fail_msg("%s: wrong counts", what);
  if (got->time != wanted->time || got->safe_step != wanted->safe_step)
    fail_msg("%s: time %g instead of %g", what, got->time, wanted->time);
}

/* The first of a list; of several at the very start any will do. */
static inline void assert_first_impact(const pl_result *got, const impact_list *wanted, const char *what)
{
  if (got->count != (wanted->count > 0) || got->time != wanted->time || got->safe_step != wanted->safe_step)
    fail_msg("%s: first contact at %.17g instead of %.17g", what, got->time, wanted->time);
  if (!got->count) return;
  bool found = false;
  for (size_t i = 0; i < wanted->count && !found && wanted->impacts[i].time == got->time; ++i) {
    found = same_impact(&got->impacts[0], &wanted->impacts[i]);
    if (got->time > 0) break;
  }
  if (!found) fail_msg("%s: the first contact is of other features", what);
}

/* Asks for candidates, which must be those of the reference, with the same groups and lists.
 * Returns how many there are. */
static inline size_t assert_same_candidates(pl_context *context, pl_who who, const pl_question *def)
{
  const pl_result *got, *wanted;
  pl_question d = *def;
  assert_int_equal(pl_holder_create(context, &d.holder), PL_OK);
  assert_int_equal(pl_candidates(who, &d, &got), PL_OK);
  assert_int_equal(candidates_reference(who, def, &wanted), PL_OK);
  assert_int_equal(got->count, wanted->count);
  assert_int_equal(got->group_count, wanted->group_count);
  assert_int_equal(got->list_count, wanted->list_count);
  if (got->count) assert_memory_equal(got->candidates, wanted->candidates, got->count * sizeof *got->candidates);
  for (size_t i = 0; i < got->group_count; ++i)
    assert_memory_equal(&got->groups[i], &wanted->groups[i], sizeof *got->groups);
  for (size_t i = 0; i < got->list_count; ++i)
    assert_memory_equal(&got->lists[i], &wanted->lists[i], sizeof *got->lists);
  const size_t count = got->count;
  pl_holder_destroy(d.holder);
  return count;
}

#endif
