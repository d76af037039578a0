/* First contacts and their candidates, with separations of every magnitude, beside the reference
 * on twins. */
#include "world.h"

#include <float.h>

#define REFERENCE(w, call) require(w, (call) == PL_OK, "the reference: %s", pl_context_message((w)->oracle))

/* None, an ordinary one, one far below the numbers of the world, one of the size of their
 * roundings, the least and the greatest. */
double separation_of(world *w)
{
  static const double edges[] = {5e-324, 1e-323, 2.3e-308, 1e-160, 1e-40, 1e-12, 1e-9, 1e38, 1e160, 1e308, DBL_MAX};
  const int way = pick(w, 8);
  if (way < 3) return 0;
  if (way == 3) return 0.125 * pick(w, 9);
  if (way == 4) return fabs(sized(w, 0.125 * pick(w, 9)));
  if (way == 5) return fabs(sized(w, ldexp(1 + pick(w, 7), -20 - pick(w, 40))));
  return edges[pick(w, (int)(sizeof edges / sizeof *edges))];
}

static void check_list(world *w, candidate_list got, candidate_list wanted, double margin, const char *what)
{
  require(w, got.count == wanted.count, "candidates: %zu %s within %a instead of %zu", got.count, what, margin,
          wanted.count);
  for (size_t i = 0; i < got.count; ++i)
    require(w, got.pairs[i].a == wanted.pairs[i].a && got.pairs[i].b == wanted.pairs[i].b,
            "candidates: %s %u %u instead of %u %u", what, got.pairs[i].a, got.pairs[i].b, wanted.pairs[i].a,
            wanted.pairs[i].b);
  note(w, got.pairs, got.count * sizeof *got.pairs);
}

void call_candidates(world *w)
{
  fuzz_body *a = body_of(w), *b = a;
  if (!a || (!chance(w, 4) && !two_bodies(w, &a, &b))) return;
  if (a->triangle_count * b->triangle_count > 2000) return; /* takes too long */
  pl_question def = pl_question_default();
  def.sorted = true;
  def.margin = separation_of(w);
  trace(w,
        "  { pl_question d = pl_question_default(); d.sorted = true; d.margin = %a;\n"
        "    const pl_result *candidates; pl_candidates(pl_two(body[%d], body[%d]), &d, &candidates); }\n",
        def.margin, number_of(w, a), number_of(w, b));
  const pl_result *got = NULL, *wanted;
  pl_status status = CALL(w, pl_candidates(pl_two(a->body, b->body), &def, &got));
  require(w, status == PL_OK || (status == PL_ERROR_MEMORY && !got), "candidates: %s", pl_context_message(w->context));
  if (status != PL_OK) return;
  REFERENCE(w, candidates_reference(pl_two(twin_of(w, a), twin_of(w, b)), &def, &wanted));
  static const char *const names[] = {"vertices and faces", "faces and vertices", "edges"};
  for (int k = 0; k < 3; ++k)
    check_list(w, candidates_of(got, (pl_feature)k), candidates_of(wanted, (pl_feature)k), def.margin, names[k]);
  note_counters(w, &got->counters);
}
