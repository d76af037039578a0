/* Queries without a tree, for checking. */
#ifndef REFERENCE_REFERENCE_H
#define REFERENCE_REFERENCE_H

#include "query/query.h"
#include "query/soup.h"

/* What a reference of pairs leaves out. */
typedef struct reference_wish {
  pair_filter *filter; /* NULL: all */
  void *user;
  uint32_t rings; /* of one body */
  bool first;     /* one row is enough */
} reference_wish;

/* Appends a row. Returns false, with a message, if out of memory. */
bool reference_append(pl_context *context, row_list out, const void *row);

/* Append the pairs of two bodies, or of one, by a, then b; inside of a query that has begun. */
pl_status reference_pairs(pl_body *a, pl_body *b, const reference_wish *wish, row_list out, pl_counters *counters);
pl_status reference_self(pl_body *body, const reference_wish *wish, row_list out, pl_counters *counters);

/* The least distance of two bodies, or of one: as distance_bodies(), without tolerances and
 * budgets. */
pl_status reference_distance(pl_body *a, pl_body *b, const reference_wish *wish, double margin, distance_found *out);

/* reference/nearest.c: a lower bound of the squared distance of two boxes, and what it is
 * compared with. */
double soup_apart(const soup *a, size_t i, const soup *b, size_t j);
double soup_square(double reach);

/* reference/near.c: append the near pairs of triangles, or of features, of two bodies, or of
 * one; sorted. */
pl_status reference_near(pl_body *a, pl_body *b, const near_wish *wish, const reference_wish *leave, row_list out,
                         pl_counters *counters);

/* reference/rings.c: which vertices are fewer than `rings` edges from the corners of a triangle. */
typedef struct surroundings {
  const soup *all;
  size_t vertex_count;
  uint32_t rings;
  /* by vertex: corners of the triangle that it is near to; and before the last ring */
  bool (*near)[3], (*old)[3];
} surroundings;

/* *out is empty on failure. */
pl_status surroundings_create(pl_body *body, const soup *all, uint32_t rings, surroundings *out);
void surroundings_free(pl_context *context, surroundings *s);
void surroundings_of(surroundings *s, size_t triangle);

/* Reports which corners of the triangle are near which corners of another one. Returns whether
 * any are. */
bool surroundings_have(const surroundings *s, size_t triangle, bool close[3][3]);

/* Returns whether the boxes of two triangles are disjoint. */
static inline bool soup_boxes_apart(const soup *a, size_t i, const soup *b, size_t j)
{
  for (int k = 0; k < 3; ++k)
    if (a->box[k][i] > b->box[k + 3][j] || b->box[k][j] > a->box[k + 3][i]) return true;
  return false;
}

#endif
