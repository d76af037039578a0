/* Queries of a body against itself. */
#ifndef QUERY_SELF_H
#define QUERY_SELF_H

#include "core/kinds.h"
#include "query/query.h"

/* Which tree a walk within a body takes. */
typedef struct self_walk {
  pl_self_method method;
  bool neighbours; /* triangles that share a vertex may be pairs */
} self_walk;

/* Replaces the method `auto` by the one for the present positions: boxes for small bodies,
 * soon after an edit and where patches are coarse, else cones. With the lock of updates held. */
pl_status self_choose(pl_body *body, self_walk *how, pl_counters *counters);

/* Does the chosen method read the body's own tree? */
bool self_needs_tree(const pl_body *body, const self_walk *how);

/* Updates the tree that the method walks, of a body whose eager pass is done if
 * self_needs_tree(), and sets its place. With the lock of updates held. */
pl_status self_place(place *at, pl_body *body, const self_walk *how, pl_counters *counters);

/* The job of a body; the place lives as long. */
void self_prepare(touching_job *j, pl_body *body, const place *at, const self_walk *how, bool first);

/* A method of pl_self_method. `auto` has the row of `cones` and is replaced by self_choose(). */
typedef struct self_method_row {
  bool cones;         /* over patches; false: over the body's own tree */
  bool normals_alone; /* patches are skipped whatever their borders: pairs may be missed */
  /* Finds the pairs without a walk and appends them to q->pairs; NULL: by a walk. */
  pl_status (*find)(touching_scratch *q, const touching_job *j, const pl_question *def, double start,
                    pl_counters *counters, bool *partial);
} self_method_row;

#define SELF_METHOD_ROW(name, word) extern const self_method_row pl_inside_self_method_##name;
SELF_METHOD_LIST(SELF_METHOD_ROW)
#undef SELF_METHOD_ROW

/* NULL: there is no such method. */
const self_method_row *self_method_of(pl_self_method method);

#endif
