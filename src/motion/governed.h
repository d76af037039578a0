/* Governed motions: a vertex is a weighted sum over few governors (Schwartzman, Gascon and
 * Otaduy 2009, eq. 4). One form for all:
 *   with transforms (bones, particles):  p = sum of w_k (A_k p0 + t_k), p0 the rest position
 *   without (control points):            p = sum of w_k t_k
 * What differs between the motions is where weights and governors come from.
 *
 * Data: weights in rows by vertex, without zeros; rest positions; the governors now. By leaf,
 * for evaluation in float lanes: the governors that its vertices have, their weights in lanes,
 * and the vertices relative to the first. Cost: 12 bytes per weight and 24 per vertex; per leaf
 * 4 bytes per governor and vertex, and 12 per vertex. */
#ifndef MOTION_GOVERNED_H
#define MOTION_GOVERNED_H

#include "math/vec3.h"
#include "motion/motion.h"
#include "pliant/motions.h"

/* A governor as the lanes read it. */
typedef struct governor_floats {
  float m[3][3];
  float norm; /* at least the greatest sum of a row's |components| */
} governor_floats;

/* What a leaf's lanes read. At lists + at: the vertices relative to the first, x of all n, y, z;
 * then for each governor of the leaf the n weights. */
typedef struct governed_leaf {
  size_t at;
  uint32_t vertex;       /* the first of its list */
  uint32_t first, count; /* governors: leaf_governor[first, first + count) */
  float spread;          /* at least the greatest |component| of a vertex relative to the first */
} governed_leaf;

typedef struct governed {
  size_t vertex_count, governor_count;
  /* subdivision: triangles of one control triangle, which stand together; otherwise 0 */
  size_t together;
  bool transforms;
  /* the strategy reads positions from an array: they are evaluated when governors are set */
  bool stored;

  /* Rows of weights: that of vertex v is [first[v], end[v]). Those of a body that has never grown
   * stand one after the other, and `end` is first + 1 (motion/governed_edit.c). */
  uint32_t *first; /* vertex_count + 1 */
  uint32_t *end;
  uint32_t *governor;
  double *weight;
  uint32_t entries, live_entries; /* of all rows that were ever written, and of those in use */
  size_t entry_room, vertex_room; /* 0: as many as there are */
  uint32_t longest;               /* row */
  double sum;                     /* the greatest sum of a row's |weights| */
  double off;                     /* the greatest difference of a row's sum from 1 */

  double *rest;       /* 3 per vertex; NULL without transforms */
  double *controls;   /* control points or particles at rest, 3 each; NULL for bones */
  double rest_size;   /* the greatest |coordinate| of it */
  int rest_exponent;  /* rest positions times 2^-this are in the range of float */
  pl_transform *now;  /* the governors; without transforms only t counts */
  pl_transform *next; /* scratch of those that are set by controls; NULL for bones */
  double *places;     /* scratch of particles: 3 each */
  /* the governors in columns: 3 of A and t, 12 numbers each; without transforms t, 3 numbers
   * each */
  double *columns;
  /* of each governor: no coordinate that it makes of a rest position is greater, nor a partial
   * sum */
  double *size;
  governor_floats *floats;
  double most_size; /* the greatest of all sizes */
  float most_norm;  /* the greatest of all norms */

  /* With transforms, of each governor: the least and the greatest rest positions of vertices
   * that follow it, 6 numbers; the least is infinite if there are none. */
  double *rest_box;

  /* NULL: nothing is attached. A leaf that was edited and has more governors than there is room for
   * counts UINT32_MAX of them, and has no lists. */
  governed_leaf *leaves;
  uint32_t leaf_entries; /* of leaf_governor */
  uint32_t *place;       /* scratch of edits, by governor: 0 between them; NULL before the first */
  uint32_t *leaf_governor;
  float *leaf_most; /* of each entry of leaf_governor: at least the greatest |weight| */
  float *lists;

  /* Moving least squares: the neighbours of particle i are neighbour[near_first[i], near_first[i
   * + 1]), and its matrix is the identity plus the sum of (their displacement - its own)
   * gradient'. NULL: no particles. */
  uint32_t *near_first, *neighbour;
  double (*gradient)[3];
} governed;

enum { GOVERNED_SPARE = 8 }; /* loads are 8 wide */

/* Copies the weights. *out is empty on failure. negative: weights may be less than 0. */
pl_status governed_create(pl_context *context, const pl_weights *weights, size_t governor_count, bool negative,
                          governed *out);
void governed_free(pl_context *context, governed *g);

/* Refuses a row of weights; *sum is that of its weights. Appends one, without zeros, and returns
 * where it begins; there is room. */
pl_status governed_check_row(pl_context *context, const pl_weights *w, size_t v, size_t governors, bool negative,
                             double *sum);
uint32_t governed_copy_row(governed *g, const pl_weights *w, size_t v, double sum);
/* Takes a vertex into the rest boxes of its governors. */
void governed_bound_rest(governed *g, size_t v);

/* Copies rest positions, checked before; the motion is one with transforms from now on. */
pl_status governed_set_rest(pl_context *context, governed *g, pl_positions rest);

/* Copies control points or particles at rest, checked before, and makes them the governors. */
pl_status governed_set_controls(pl_context *context, governed *g, pl_positions rest);

/* Triangles and rows of weights that are made, not given. */
typedef struct subdivision {
  size_t vertex_count, triangle_count;
  uint32_t *triangles;
  uint32_t *first, *governor;
  double *weight;
} subdivision;

/* motion/loop.c: those of a control mesh, subdivided. *out is empty on failure. */
pl_status subdivision_create(pl_context *context, const pl_mesh_def *control, int levels, subdivision *out);
void subdivision_free(pl_context *context, subdivision *s);

/* Refuses transforms that are not finite or too large; *reach: no coordinate of a position is
 * greater, nor any partial sum. */
pl_status governed_check(pl_context *context, const governed *g, const pl_transform *to, double *reach);
void governed_set(governed *g, const pl_transform *to); /* checked ones */

/* A box around all vertices from the governors alone, in O(governors). It may be infinite. */
extent3 governed_hull(const governed *g);

/* A position as pl_body_set_bones() defines it. */
static inline void governed_point(const governed *g, uint32_t v, double out[3])
{
  double x = 0, y = 0, z = 0;
  if (!g->transforms) {
    for (uint32_t e = g->first[v]; e < g->end[v]; ++e) {
      const double *t = g->columns + 3 * (size_t)g->governor[e], w = g->weight[e];
      x += w * t[0];
      y += w * t[1];
      z += w * t[2];
    }
  } else {
    const double *p = g->rest + 3 * (size_t)v;
    for (uint32_t e = g->first[v]; e < g->end[v]; ++e) {
      const double *c = g->columns + 12 * (size_t)g->governor[e], w = g->weight[e];
      x += w * (c[0] * p[0] + c[3] * p[1] + c[6] * p[2] + c[9]);
      y += w * (c[1] * p[0] + c[4] * p[1] + c[7] * p[2] + c[10]);
      z += w * (c[2] * p[0] + c[5] * p[1] + c[8] * p[2] + c[11]);
    }
  }
  out[0] = x;
  out[1] = y;
  out[2] = z;
}

/* A position at rest: before the governors, or as the control points at rest make it. */
static inline void governed_rest(const governed *g, uint32_t v, double out[3])
{
  for (int i = 0; i < 3; ++i) out[i] = g->transforms ? g->rest[3 * (size_t)v + (size_t)i] : 0;
  for (uint32_t e = g->first[v]; !g->transforms && e < g->end[v]; ++e)
    for (int i = 0; i < 3; ++i) out[i] += g->weight[e] * g->controls[3 * (size_t)g->governor[e] + (size_t)i];
}

/* The row's functions: the same for every governed motion. */
void governed_evaluate(const void *controls, const uint32_t *list, uint32_t first, uint32_t count, double (*out)[3]);
pl_status governed_attach(pl_context *context, void *controls, leaf_lists leaves, size_t *bytes);
bool governed_lanes_ready(const void *controls);
void governed_destroy(pl_context *context, void *controls);
pl_status governed_keep(pl_context *context, const void *controls, void **kept);
void governed_drop(pl_context *context, void *kept);

/* motion/governed_edit.c */
extern const motion_edits governed_edits LEFT_OUT;
/* motion/governed.c, for it */
void governed_leaves(void *controls, leaf_lists l, const uint32_t *leaves, size_t count);
void governed_follow(const void *controls, void *kept);

#endif
