/* A body against itself: every method that does not miss against the reference. */
#ifndef TESTS_SELVES_H
#define TESTS_SELVES_H

#include "support/sheets.h"

enum { METHODS = 4 };
extern const pl_self_method methods[METHODS]; /* those that miss nothing */

pl_positions positions_of(const world_mesh *m, bool doubles);
pl_mesh_def mesh_of(const world_mesh *m, bool doubles);
pair_list reference_self_of(pl_body *body, bool neighbours);

/* Every method reports what the reference does; returns how many pairs. */
size_t assert_self(pl_body *body, pl_context *context, bool neighbours, const char *what);

/* A margin within which parts of a sheet are near each other, and a free body of the sheet. */
double sheet_margin(const world_mesh *m);
pl_body *sheet_body(pl_context *context, const world_mesh *m, const pl_body_def *def, bool doubles);

#endif
