/* First contacts and their candidates, with separations of every magnitude, beside the reference on twins. */
#include "world.h"

#include <float.h>

#define REFERENCE(w, call) require(w, (call) == PL_OK, "the reference: %s", pl_context_message((w)->oracle))

/* None, an ordinary one, one far below the numbers of the world, one of the size of their roundings, the least and the greatest. */
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

static void check_list(world *w, const pl_pair *got, size_t count, const pl_pair *wanted, size_t wanted_count,
                       double separation, const char *what)
{
  require(w, count == wanted_count, "candidates: %zu %s within %a instead of %zu", count, what, separation,
          wanted_count);
  for (size_t i = 0; i < count; ++i)
    require(w, got[i].a == wanted[i].a && got[i].b == wanted[i].b, "candidates: %s %u %u instead of %u %u", what,
            got[i].a, got[i].b, wanted[i].a, wanted[i].b);
  note(w, got, count * sizeof *got);
}

void call_candidates(world *w)
{
  fuzz_body *a = body_of(w), *b = a;
  if (!a || (!chance(w, 4) && !two_bodies(w, &a, &b))) return;
  if (a->triangle_count * b->triangle_count > 2000) return; /* takes too long */
  pl_candidates_def def = pl_candidates_def_default();
  def.sorted = true;
  def.separation = separation_of(w);
  trace(w,
        "  { pl_candidates_def d = pl_candidates_def_default(); d.sorted = true; d.separation = %a;\n"
        "    const pl_candidates *candidates; pl_impact_candidates(body[%d], body[%d], &d, &candidates); }\n",
        def.separation, number_of(w, a), number_of(w, b));
  const pl_candidates *got = NULL, *wanted;
  pl_status status = CALL(w, pl_impact_candidates(a->body, b->body, &def, &got));
  require(w, status == PL_OK || (status == PL_ERROR_MEMORY && !got), "candidates: %s", pl_context_message(w->context));
  if (status != PL_OK) return;
  REFERENCE(w, pl_reference_impact_candidates(twin_of(w, a), twin_of(w, b), &def, &wanted));
  check_list(w, got->vertex_face, got->vertex_face_count, wanted->vertex_face, wanted->vertex_face_count,
             def.separation, "vertices and faces");
  check_list(w, got->face_vertex, got->face_vertex_count, wanted->face_vertex, wanted->face_vertex_count,
             def.separation, "faces and vertices");
  check_list(w, got->edge_edge, got->edge_edge_count, wanted->edge_edge, wanted->edge_edge_count, def.separation,
             "edges");
  note_counters(w, &got->counters);
}
