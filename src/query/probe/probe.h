/* What all probes share: the bodies that are asked, and batches of probes, whose pieces are the
 * jobs of a runner. */
#ifndef QUERY_PROBE_H
#define QUERY_PROBE_H

#include "core/timer.h"
#include "pliant/probes.h"
#include "query/query.h"
#include "query/store.h"

/* ------------------------------------------------------------------------------------ bodies -- */

/* A body that is asked. */
typedef struct probe_body {
  pl_body *body;
  uint32_t member; /* its number in the scene; 0 outside of one */
} probe_body;

/* PROBES: the bodies that the present question is asked of, in the order of adding. */
typedef struct probe_bodies {
  ARRAY(probe_body) list;
  ARRAY(update *) waiting; /* of several bodies: eager passes of this question */
  ARRAY(uint32_t) pieces;  /* of them: scratch of update_eager() */
} probe_bodies;

/* The list of one body that the caller keeps. */
static inline probe_bodies probe_bodies_one(probe_body *one) { return (probe_bodies){.list = {one, 1, 1}}; }

/* For places along a space-filling curve (Morton 1966): the bits of a number of 10 bits, with two
 * zeros after each. */
static inline uint64_t curve_spread(uint64_t x)
{
  x = (x | x << 16) & 0x030000ff;
  x = (x | x << 8) & 0x0300f00f;
  x = (x | x << 4) & 0x030c30c3;
  return (x | x << 2) & 0x09249249;
}

typedef ARRAY(probe_target) probe_targets;

/* The calling thread's list, empty, for several bodies; NULL: out of memory. */
probe_bodies *probe_bodies_begin(pl_context *context);
pl_status probe_bodies_add(pl_context *context, probe_bodies *b, pl_body *body, uint32_t member);

/* Runs the eager passes that are pending, also of members with a loose box: what is nearest to a
 * probe need not meet another body. `rays`: except of trees that a grid replaces. Roots are not
 * included. */
pl_status probe_bodies_update(query_stages *s, probe_bodies *b, bool rays, size_t expected);

/* A body whose root is true, in the form that points and zones read. And all bodies; refits
 * their roots. */
void probe_take_target(probe_target *t, pl_body *body, uint32_t member);
pl_status probe_bodies_take(query_stages *s, const probe_bodies *b, probe_targets *out);

/* Counts what a question has asked of their trees: of each the same part (update_walked()). */
void probe_bodies_asked(const probe_bodies *b, const pl_question *def, const pl_counters *c);

/* ----------------------------------------------------------------------------------- batches -- */

/* Which probes are in a piece depends on the batch alone. So results and counters are those of
 * one thread. */
typedef struct batch {
  size_t count, size;   /* probes; and of a piece */
  double end_ms;        /* 0: no limit */
  ARRAY(uint32_t) done; /* with a limit, by piece: probes that were decided, from its first on */
} batch;

/* The probes of a piece. */
static inline size_t batch_begin(const batch *b, size_t piece) { return piece * b->size; }
static inline size_t batch_end(const batch *b, size_t piece)
{
  return (piece + 1) * b->size < b->count ? (piece + 1) * b->size : b->count;
}

/* Is the time over? And, for the end of a piece: how many probes were decided. */
static inline bool batch_is_over(const batch *b) { return b->end_ms > 0 && timer_ms() >= b->end_ms; }
static inline void batch_note(batch *b, size_t piece, size_t done)
{
  if (b->end_ms > 0) b->done.data[piece] = (uint32_t)done;
}

/* Fails if there are more probes, of `bytes` each, than can be. */
pl_status batch_check(pl_context *context, size_t count, size_t size, size_t bytes, const char *what);

/* Runs all pieces; the runner's question walks one. b->count and b->end_ms are set. */
pl_status batch_run(batch *b, runner *r, size_t size, bool wake, pl_counters *counters);

/* Probes that were decided, from the first on. */
size_t batch_done(const batch *b);

#endif
