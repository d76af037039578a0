/* Which triangles of bodies a box, a sphere or a frustum meets. */
#ifndef QUERY_OVERLAP_H
#define QUERY_OVERLAP_H

#include "query/probe/probe.h"

/* A question of a zone, checked; the definition is full. */
typedef struct zone_question {
  pl_context *context;
  const pl_zone *zone;
  const pl_question *def;
  result_store *store;
} zone_question;

/* Accepts a zone of finite numbers. */
pl_status overlap_check_zone(pl_context *context, const pl_zone *zone);

/* Finds the triangles, inside of a question that has begun; and without trees, with every
 * triangle. On PL_ERROR_BUFFER the result is complete except for the triangles beyond the
 * caller's array. */
pl_status overlap_find(const zone_question *q, probe_bodies *bodies, const pl_result **out);
pl_status overlap_reference(const zone_question *q, const probe_bodies *bodies, const pl_result **out);

#endif
