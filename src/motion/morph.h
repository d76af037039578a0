/* Shapes as weighted sums of reference shapes. Larsson and Akenine-Moeller 2003 (thesis, paper B).
 * References stand vertex by vertex, all references of a vertex together, so that one vertex is read at one place. */
#ifndef MOTION_MORPH_H
#define MOTION_MORPH_H

#include "core/context.h"
#include "pliant/motion.h"

typedef struct morph {
  pl_morph_kind kind;
  double low, high; /* range of additive weights */
  int count;        /* references */
  pl_scalar type;
  void *references; /* vertex_count * count * 3 scalars */
  size_t vertex_count;
  double *coefficient; /* of each reference */
  double *size;        /* of each reference: its largest coordinate */
  int *active;         /* the references whose coefficient is not 0, ascending */
  int active_count;    /* 0: every vertex is at the origin (only if an additive body has a base without size) */
} morph;

/* Checks and copies; *out is empty on failure. */
pl_status morph_create(pl_context *context, const pl_morph_def *def, size_t vertex_count, morph *out);
void morph_free(pl_context *context, morph *m);

/* Are the weights allowed? *reach: no coordinate of the shape that they make is larger, nor any partial sum. */
pl_status morph_check(pl_context *context, const morph *m, const double *weights, int count, double *reach);
void morph_set(morph *m, const double *weights, int count); /* checked ones */

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
