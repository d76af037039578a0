/* Queries of a body against itself. */
#ifndef QUERY_SELF_H
#define QUERY_SELF_H

#include "pliant/self.h"
#include "query/query.h"

/* Accepts NULL or a valid definition. */
pl_status self_check_def(pl_context *context, const pl_self_def *def, pl_self_def *out);

/* The whole query, as collide_query(). */
typedef pl_status self_function(pl_body *body, const pl_self_def *def, const pl_pairs **out);
pl_status self_query(pl_body *body, const pl_self_def *def, self_function *run, const pl_pairs **out);

/* The query, inside of a query that has begun; the definition is full. */
pl_status self_body(pl_body *body, const pl_self_def *def, const pl_pairs **out);

/* What the job of a self query has in common with that of two bodies. */
pl_collide_def self_collide_def(const pl_self_def *def);

/* Replaces the method `auto` by the one for the present positions: boxes for small bodies and where patches are coarse, else cones. With the lock of
 * updates held. */
pl_status self_choose(pl_body *body, pl_self_def *def, pl_counters *counters);

/* Updates the tree that the method walks, of a body whose eager pass is done, and sets its place. With the lock of
 * updates held. */
pl_status self_place(place *at, pl_body *body, const pl_self_def *def, pl_counters *counters);

/* query/pairs/self_hash.c: finds the pairs and appends them to those of QUERY_COLLIDE; sets the counters and `partial`. */
pl_status self_by_hash(pl_body *body, const pl_self_def *def, double start, pl_pairs *answer);

/* The job of a body; the place lives as long. */
void self_prepare(job *j, pl_body *body, const place *at, const pl_self_def *def);

#endif
