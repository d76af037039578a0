/* Shapes as weighted sums of reference shapes. Larsson and Akenine-Moeller 2003 (thesis, paper
 * B). References stand vertex by vertex, all references of a vertex together, so that one vertex
 * is read at one place. */
#ifndef MOTION_MORPH_H
#define MOTION_MORPH_H

#include "mesh/mesh.h"
#include "motion/motion.h"

/* A shape alpha R_i + beta R_j between two references: motion/between.h. */
typedef struct knot {
  double alpha, beta;
  int stored; /* its number: a reference's, or from the count of references on */
} knot;

typedef struct knot_pair {
  int i, j;         /* i < j */
  int first, count; /* its knots, ascending along beta */
} knot_pair;

typedef struct knot_list {
  knot_pair *pairs;
  knot *knots;
  int pair_count, knot_count;
  int extra; /* knots that are no reference */
} knot_list;

typedef struct morph {
  pl_morph_kind kind;
  double low, high; /* range of additive weights */
  int count;        /* references */
  pl_scalar type;
  void *references; /* vertex_count * count * 3 scalars */
  size_t vertex_count;
  size_t room;         /* vertices that references have room for */
  double *coefficient; /* of each reference */
  double *size;        /* of each reference: its largest coordinate */
  int *active;         /* the references whose coefficient is not 0, ascending */
  /* 0: every vertex is at the origin (only if an additive body has a base without size) */
  int active_count;

  knot_list knots; /* shapes between two references that get volumes of their own */

  /* Float references once more, leaf by leaf, so that all that an opened leaf reads stands
   * together: for each leaf, for each reference its first vertex, the greatest |component| of
   * the others' differences from it, then the differences of all n, x, y and z apart. */
  float *lists;               /* NULL: references are double */
  const uint32_t *leaf_first; /* of the tree's lists of vertices */
} morph;

enum { MORPH_FIRST = 4, MORPH_SPARE = 16, MORPH_MOST = 256 /* references */ };
#define MORPH_LIST(n) (MORPH_FIRST + 3 * (size_t)(n))

static inline float *morph_list(const morph *m, uint32_t leaf)
{
  return m->lists + ((size_t)leaf * MORPH_FIRST + 3 * (size_t)m->leaf_first[leaf]) * (size_t)m->count;
}

/* Checks and copies; *out is empty on failure. */
pl_status morph_create(pl_context *context, const pl_morph_def *def, size_t vertex_count, morph *out);
void morph_free(pl_context *context, morph *m);

/* Checks the weights. *reach: no coordinate of the shape that they make is larger, nor any
 * partial sum. */
pl_status morph_check(pl_context *context, const morph *m, const double *weights, int count, double *reach);
void morph_set(morph *m, const double *weights, int count); /* checked ones */

/* motion/morph_edit.c */
extern const motion_edits morph_edits LEFT_OUT;
/* motion/morph.c, for it: the list of an edited leaf again */
void morph_leaves(void *controls, leaf_lists all, const uint32_t *leaves, size_t count);

/* Sets three scalars of the references. Exact: where those are float, all that come are. */
static inline void morph_put(morph *m, size_t at, const double q[3])
{
  positions_put(m->type, (char *)m->references + at * scalar_size(m->type), q);
}

/* A view of one reference. */
pl_positions morph_reference(const morph *m, int index);

/* The position of a vertex as the weights make it: a sum in double over the active references. */
static inline void morph_point(const morph *m, uint32_t v, double out[3])
{
  size_t first = (size_t)v * (size_t)m->count * 3;
  double q[3] = {0, 0, 0};
  for (int k = 0; k < m->active_count; ++k) {
    int i = m->active[k];
    double c = m->coefficient[i];
    size_t at = first + 3 * (size_t)i;
    if (m->type == PL_F32) {
      const float *r = (const float *)m->references + at;
      for (int a = 0; a < 3; ++a) q[a] += c * (double)r[a];
    } else {
      const double *r = (const double *)m->references + at;
      for (int a = 0; a < 3; ++a) q[a] += c * r[a];
    }
  }
  for (int a = 0; a < 3; ++a) out[a] = q[a];
}

#endif
