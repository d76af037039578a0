/* The queries, and the scratch that each keeps in a context between two calls. A query from
 * outside of the library is one more line: a build may define PLIANT_EXTENSION as the name of a
 * header that defines PL_MORE_QUERIES(X). */
#ifndef QUERY_LIST_H
#define QUERY_LIST_H

#include "core/context.h"
#include "core/parts.h"

#ifdef PLIANT_EXTENSION
#include PLIANT_EXTENSION
#endif
#ifndef PL_MORE_QUERIES
#define PL_MORE_QUERIES(X)
#endif

/* X(NAME): `const query_slot pl_inside_query_NAME` says what its scratch is. WALKS is what all
 * walks over trees share, PROBES what all probes share, POINTS what the three questions of
 * points share. */
#define QUERY_LIST(X)                                                                                                  \
  X(WALKS)                                                                                                             \
  X(RESULTS)                                                                                                           \
  X(TOUCHING)                                                                                                          \
  X(NEAREST)                                                                                                           \
  X(NEAR)                                                                                                              \
  X(NEAR_TRIANGLES)                                                                                                    \
  X(MEASURE)                                                                                                           \
  X(SCENES)                                                                                                            \
  X(VOLUMES)                                                                                                           \
  X(IMPACT)                                                                                                            \
  X(CANDIDATES)                                                                                                        \
  X(REGIONS)                                                                                                           \
  X(SEGMENTS)                                                                                                          \
  X(PENETRATION)                                                                                                       \
  X(FLIGHT_WINDOWS)                                                                                                    \
  X(PROBES)                                                                                                            \
  X(CAST)                                                                                                              \
  X(POINTS)                                                                                                            \
  X(CLOSEST)                                                                                                           \
  X(INSIDE)                                                                                                            \
  X(SIGNED_DISTANCE)                                                                                                   \
  X(OVERLAP)                                                                                                           \
  X(SPHERES)                                                                                                           \
  X(FREE_STEP)                                                                                                         \
  PL_MORE_QUERIES(X)

typedef enum query_name {
#define QUERY_NAME(name) QUERY_##name,
  QUERY_LIST(QUERY_NAME)
#undef QUERY_NAME
      QUERY_COUNT
} query_name;

typedef struct query_slot {
  size_t size;
  bool (*create)(pl_context *context,
                 /* its memory is zeroed; false: out of memory, and destroy follows. NULL: ready */
                 void *scratch);
  void (*destroy)(pl_context *context, void *scratch); /* what it holds; NULL: nothing */
} query_slot;

#define QUERY_SLOT(name) extern const query_slot pl_inside_query_##name LEFT_OUT;
QUERY_LIST(QUERY_SLOT)
#undef QUERY_SLOT

/* The calling thread's scratch of a query in a context, created at first use; NULL (and a
 * message) if out of memory. */
void *query_scratch(pl_context *context, query_name name);

#endif
