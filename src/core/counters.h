/* Sums of counts. */
#ifndef CORE_COUNTERS_H
#define CORE_COUNTERS_H

#include "pliant/base.h"

static inline void counters_count(pl_counters *c, uint64_t n_v, uint64_t n_p, uint64_t n_u)
{
  c->n_v += n_v;
  c->n_p += n_p;
  c->n_u += n_u;
}

/* The counts of `more`, without its times. */
static inline void counters_add(pl_counters *c, const pl_counters *more)
{
  counters_count(c, more->n_v, more->n_p, more->n_u);
}

#endif
