/* Queries without a tree, for checking. */
#ifndef REFERENCE_REFERENCE_H
#define REFERENCE_REFERENCE_H

#include "pliant/points.h"
#include "query/pairs/self.h"

/* A body's triangles with their world coordinates, by the caller's index. */
typedef struct soup {
  size_t count;
  double (*corners)[3][3];
  double *box[6]; /* lower x y z, upper x y z */
} soup;

/* *out is empty on failure. */
pl_status soup_create(pl_body *body, soup *out);
void soup_free(pl_context *context, soup *s);

/* The distance of two bodies, inside of a query that has begun. */
pl_status reference_distance(pl_body *a, pl_body *b, const pl_distance_def *def, pl_distance *out);

/* reference/distance.c: a lower bound of the squared distance of two boxes, and what it is compared with. */
double soup_apart(const soup *a, size_t i, const soup *b, size_t j);
double soup_square(double reach);

/* reference/self.c: the same for the pairs of one body. */
pl_status reference_self(pl_body *body, collide_scratch *q, const pl_self_def *def, pl_pairs *answer);

/* reference/near.c: near pairs of two bodies, or of one and itself, inside of a query that has begun. */
pl_status reference_near(pl_body *a, pl_body *b, const near_wish *wish, const pl_near_pairs **out);
pl_status reference_near_features(pl_body *a, pl_body *b, const near_wish *wish, const pl_feature_pairs **out);

/* reference/self_near.c: which vertices are fewer than `rings` edges from the corners of a triangle. */
typedef struct surroundings {
  size_t triangle_count, vertex_count;
  uint32_t rings;
  uint32_t *vertex;           /* 3 for each triangle, by the caller's index */
  bool (*near)[3], (*old)[3]; /* by vertex: corners of the triangle that it is near to; and before the last ring */
} surroundings;

/* *out is empty on failure. */
pl_status surroundings_create(pl_body *body, uint32_t rings, surroundings *out);
void surroundings_free(pl_context *context, surroundings *s);
void surroundings_of(surroundings *s, size_t triangle);

/* Which corners of the triangle are near which corners of another one? Returns whether any are. */
bool surroundings_have(const surroundings *s, size_t triangle, bool close[3][3]);

/* Do the boxes of two triangles have no point in common? */
static inline bool soup_boxes_apart(const soup *a, size_t i, const soup *b, size_t j)
{
  for (int k = 0; k < 3; ++k)
    if (a->box[k][i] > b->box[k + 3][j] || b->box[k][j] > a->box[k + 3][i]) return true;
  return false;
}

/* reference/points.c: the triangle that is closest to point number `index`. */
void reference_closest(const soup *s, const double p[3], size_t index, const pl_point_def *def, pl_point_result *out,
                       pl_counters *counters);

/* Queries inside of a query that has begun; definitions are full. */
pl_status reference_collide(pl_body *a, pl_body *b, const pl_collide_def *def, const pl_pairs **out);
pl_status reference_signed(pl_body *body, pl_positions at, const pl_point_def *def, const pl_point_results **out);

/* Appends to q->pairs and counts in *answer. */
pl_status reference_pairs(pl_body *a, pl_body *b, collide_scratch *q, const pl_collide_def *def, pl_pairs *answer);

#endif
