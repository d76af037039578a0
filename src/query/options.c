/* One table says which question has which option. What a question does not have must be left at its
 * default; so a wrong hope ("near ends at the first pair") is refused and not ignored. */
#include "query/options.h"

#include "core/version.h"
#include "query/query.h"

#include <math.h>

#define BIT(name) (UINT32_C(1) << ASKED_##name)
enum {
  WALKED = BIT(TOUCHING) | BIT(SEGMENTS) | BIT(REGIONS), /* built on pairs that touch */
  NEAR_ONES = BIT(NEAR) | BIT(NEAR_TRIANGLES),
  POINTS = BIT(CLOSEST) | BIT(INSIDE) | BIT(SIGNED_DISTANCE),
  MOVING = BIT(IMPACTS) | BIT(FREE_STEP),
  TESTS = BIT(TOUCHING) | BIT(NEAREST) | BIT(IMPACTS) | BIT(REGIONS) | BIT(SPHERES),
};

/* X(option, the questions that have it). All questions have holder, user and reference. */
#define OPTION_LIST(X)                                                                                                 \
  X(sorted, BIT(TOUCHING) | BIT(SEGMENTS) | NEAR_ONES | BIT(CANDIDATES) | BIT(WINDOWS) | BIT(OVERLAP))                 \
  X(first, BIT(TOUCHING) | BIT(NEAREST))                                                                               \
  X(all, BIT(IMPACTS))                                                                                                 \
  X(each, BIT(NEAREST) | BIT(MEASURE))                                                                                 \
  X(vertex_face, NEAR_ONES | BIT(CANDIDATES))                                                                          \
  X(edge_edge, NEAR_ONES | BIT(CANDIDATES))                                                                            \
  X(patches, BIT(REGIONS))                                                                                             \
  X(depth, BIT(REGIONS))                                                                                               \
  X(coherent, BIT(CAST) | POINTS)                                                                                      \
  X(contacts, BIT(SPHERES))                                                                                            \
  X(rings, WALKED | NEAR_ONES | BIT(NEAREST) | BIT(IMPACTS) | BIT(CANDIDATES) | BIT(WINDOWS))                          \
  X(mask, BIT(CAST) | POINTS | BIT(OVERLAP))                                                                           \
  X(margin, NEAR_ONES | BIT(MEASURE) | BIT(NEAREST) | MOVING | BIT(CANDIDATES) | BIT(CLOSEST) | BIT(SIGNED_DISTANCE))  \
  X(kept_gap, MOVING)                                                                                                  \
  X(relative, BIT(NEAREST) | BIT(PENETRATIONS))                                                                        \
  X(absolute, BIT(NEAREST))                                                                                            \
  X(samples, BIT(PENETRATIONS))                                                                                        \
  X(filter, WALKED | NEAR_ONES | BIT(NEAREST))                                                                         \
  X(feature_filter, MOVING | BIT(CANDIDATES))                                                                          \
  X(hit_filter, BIT(CAST))                                                                                             \
  X(point_filter, BIT(CLOSEST))                                                                                        \
  X(body_filter, BIT(SPHERES))                                                                                         \
  X(budget_tests, TESTS)                                                                                               \
  X(budget_ms, TESTS | BIT(CAST) | POINTS)                                                                             \
  X(callback, BIT(TOUCHING))                                                                                           \
  X(pairs, BIT(TOUCHING))                                                                                              \
  X(triangles, BIT(OVERLAP))                                                                                           \
  X(capacity, BIT(TOUCHING) | BIT(OVERLAP))                                                                            \
  X(hits, BIT(CAST))                                                                                                   \
  X(points, POINTS)                                                                                                    \
  X(given, BIT(SEGMENTS) | BIT(MEASURE))                                                                               \
  X(self_method, BIT(TOUCHING))                                                                                        \
  X(ray_mode, BIT(CAST))                                                                                               \
  X(level, BIT(SPHERES))                                                                                               \
  X(reach, BIT(SPHERES))                                                                                               \
  X(planes, BIT(SPHERES))                                                                                              \
  X(plane_count, BIT(SPHERES))                                                                                         \
  X(margins, BIT(SPHERES))                                                                                             \
  X(margin_count, BIT(SPHERES))

static const char *const question_names[ASKED_COUNT] = {
#define ASKED_NAME(name, text) text,
    ASKED_LIST(ASKED_NAME)
#undef ASKED_NAME
};

/* The first option that is set and that the question does not have, or NULL. What is usual are
 * constants here: few options are set, so that each costs a comparison. */
static const char *foreign_option(uint32_t bit, const pl_question *q)
{
  const pl_question usual = pl_question_default();
#define OPTION_CHECK(option, questions)                                                                                \
  if (q->option != usual.option && !((questions)&bit)) return #option;
  OPTION_LIST(OPTION_CHECK)
#undef OPTION_CHECK
  return NULL;
}

/* Ranges that hold for every question which has the option. */
static pl_status check_ranges(pl_context *context, uint32_t bit, const pl_question *q)
{
  pl_status status = query_check_amount(context, q->margin, "the margin");
  if (status == PL_OK) status = query_check_amount(context, q->budget_ms, "the time budget");
  if (status == PL_OK) status = query_check_amount(context, q->relative, "the relative tolerance");
  if (status == PL_OK) status = query_check_amount(context, q->absolute, "the absolute tolerance");
  if (status == PL_OK && isinf(q->relative))
    status = fail(context, PL_ERROR_ARGUMENT, "the relative tolerance is infinite");
  if (status == PL_OK && q->rings == 0 && !(bit & WALKED))
    status = fail(context, PL_ERROR_ARGUMENT, "the number of rings is 0: it must be 1 or more");
  return status;
}

pl_status question_take(pl_context *context, asked_name what, const pl_question *how, pl_question *out)
{
  const uint32_t bit = UINT32_C(1) << what;
  if (how && how->struct_size == sizeof *out) { /* of this version: complete as it is */
    *out = *how;
  } else {
    *out = pl_question_default();
    pl_status status = def_read(context, how, out, sizeof *out, "pl_question");
    if (status != PL_OK) return status;
  }
  const char *option = how ? foreign_option(bit, out) : NULL;
  if (option)
    return fail(context, PL_ERROR_ARGUMENT, "%s has no option %s: leave it at its default", question_names[what],
                option);
  if (out->margin == PL_USUAL) out->margin = bit & (BIT(NEAREST) | BIT(MEASURE) | POINTS) ? INFINITY : 0;
  if (out->relative == PL_USUAL) out->relative = what == ASKED_PENETRATIONS ? 0.01 : 0;
  return check_ranges(context, bit, out);
}
