/* Bodies with flight plans for tests: a bumpy sphere that moves in many ways, and what must be
 * true of its kinetic tree. */
#ifndef SUPPORT_PLANS_H
#define SUPPORT_PLANS_H

#include "body/body.h"

#include "support/settings.h" /* after our headers: cmocka has a macro named fail */

enum { MOST_POSES = 7 };

/* A mesh and its poses. */
typedef struct plan {
  size_t vertex_count, triangle_count;
  uint32_t *triangles;
  double *pose[MOST_POSES];
} plan;

/* Kinds of motion. */
enum { NOISE, GRID, TURN, SLIDE, MIRROR, TINY, HUGE_SIZE, MIXED, MOTIONS };

/* The bumpy sphere of a world, and poses of a kind of motion; float numbers with `floats`. */
plan plan_of(test_rng *rng, int size, int how, bool floats);
void plan_free(plan *p);

/* A body with up to 4 of its keys, at -1, 0.5, 2 and 8. */
pl_body *plan_body(pl_context *context, const plan *p, pl_path path, int keys, const pl_body_def *def);

double *plan_positions(pl_body *body); /* the caller frees them */

/* A time from the first key on, or from the present one. */
double plan_time(test_rng *rng, pl_body *body, bool forward);

/* New plans for `count` vertices from the poses that are left. */
void plan_change(test_rng *rng, pl_body *body, plan *p, size_t count);

/* Every box of the tree is that of the positions below it, rounded outward. */
void assert_tight(pl_body *body, const char *what);

/* The same positions, whoever evaluates them. */
void assert_same_positions(pl_body *a, pl_body *b);

#endif
