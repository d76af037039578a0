/* The reference of moving questions, in a place of its own beside the results of the engine; and
 * the lists of candidates. */
#ifndef TESTS_MOVING_H
#define TESTS_MOVING_H

#include "pliant/pliant.h"

/* The reference's answer to the same question; def: NULL for defaults. */
static inline pl_status impacts_reference(pl_who who, const pl_question *def, const pl_result **out)
{
  pl_question d = def ? *def : pl_question_default();
  d.reference = true;
  return pl_impacts(who, &d, out);
}

static inline pl_status candidates_reference(pl_who who, const pl_question *def, const pl_result **out)
{
  pl_question d = def ? *def : pl_question_default();
  d.reference = true;
  return pl_candidates(who, &d, out);
}

static inline pl_status windows_reference(pl_who who, const pl_question *def, const pl_result **out)
{
  pl_question d = def ? *def : pl_question_default();
  d.reference = true;
  return pl_windows(who, &d, out);
}

/* The three lists of a pair of bodies, by pl_feature. */
typedef struct candidate_list {
  const pl_pair *pairs;
  size_t count;
} candidate_list;

static inline candidate_list candidates_of(const pl_result *from, pl_feature kind)
{
  const pl_candidate_lists *lists = from->lists;
  const size_t at[] = {lists->vertex_face, lists->face_vertex, lists->edge_edge, lists->end};
  return (candidate_list){at[kind] < at[kind + 1] ? from->candidates + at[kind] : NULL, at[kind + 1] - at[kind]};
}

#endif
