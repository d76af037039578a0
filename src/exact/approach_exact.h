/* Inside of approach_exact(): a part of time, and one of the two proofs. */
#ifndef EXACT_APPROACH_EXACT_H
#define EXACT_APPROACH_EXACT_H

#include "exact/approach.h"
#include "exact/whole.h"

enum {
  APPROACH_DEPTH = 2200, /* halvings: 2^1026 of motion in steps of 2^-1086, and some */
  APPROACH_LIMBS = APPROACH_DEPTH / 64 + 1
};

typedef struct approach {
  whole_pool *pool;
  crossing_kind kind;
  int split;
  double from, to;    /* the first time and the last: */
  int time_bits;      /* multiples of 2^-time_bits */
  whole first, rest;  /* the first, and the last minus it, in these units */
  whole x[4][2][3];   /* point, first time and last, axis: times 2^time_bits */
  whole near, beyond; /* the squares of d (1 + 2^-12) and d (1 + 3 2^-12), over 2^exponent */
  int exponent;       /* in units of coordinates that are not multiplied yet */
  int halvings;       /* of the part: it begins at from + (to - from) number / 2^halvings */
  uint64_t number[APPROACH_LIMBS];

  /* Of the part: */
  whole3 at[4][2]; /* point, beginning and end: times 2^halvings more */
} approach;

static inline whole mul(const approach *s, whole x, whole y) { return whole_mul(s->pool, x, y); }
static inline whole add(const approach *s, whole x, whole y) { return whole_add(s->pool, x, y); }
static inline whole sub(const approach *s, whole x, whole y) { return whole_sub(s->pool, x, y); }

/* What two features have nearest to each other: a vertex and a face or two edges, where q < 0; a
 * point p and the segment of q and r; points p and q, where r < 0. By kind of features; p < 0:
 * no more. */
typedef struct nearest_pair {
  int p, q, r;
} nearest_pair;

enum { APPROACH_PAIRS = 9 };
extern const nearest_pair approach_pairs[2][APPROACH_PAIRS];

/* The sign of x - d^2 y in the units of the part, where d^2 is `near` or `beyond`. */
int approach_against(const approach *s, whole x, whole d_squared, whole y);

/* exact/approach_regions.c: are the features proven to be far on the whole part? */
bool approach_by_regions(const approach *s);

#endif
