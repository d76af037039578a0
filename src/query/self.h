/* Queries of a body against itself. */
#ifndef QUERY_SELF_H
#define QUERY_SELF_H

#include "pliant/self.h"
#include "query/query.h"

/* NULL or a definition that makes sense. */
pl_status self_check_def(pl_context *context, const pl_self_def *def, pl_self_def *out);

/* What the job of a self query has in common with that of two bodies. */
pl_collide_def self_collide_def(const pl_self_def *def);

/* Updates what the method walks, of a body whose eager pass is done, and where that is. With the lock of updates held. */
pl_status self_place(place *at, pl_body *body, const pl_self_def *def, pl_counters *counters);

/* query/self_hash.c: the pairs, to those of QUERY_COLLIDE; sets the counters and `partial`. */
pl_status self_by_hash(pl_body *body, const pl_self_def *def, double start, pl_pairs *answer);

/* The job of a body; the place lives as long. */
void self_prepare(job *j, pl_body *body, const place *at, const pl_self_def *def);

#endif
