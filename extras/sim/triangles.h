/* The inside of level "all": pliant's bodies of triangles, and contacts of features as rows. */
#ifndef SIM_TRIANGLES_H
#define SIM_TRIANGLES_H

#include "pliant/pliant.h"

#include "soft.h"
#include "solve.h"

struct triangle_stage {
  pl_context *context;
  pl_scene *scene;
  pl_body **bodies;
  double **points;  /* of each body: 3 for each point, at the start of the step */
  double *next;     /* scratch: those of one body later */
  uint8_t *touched; /* of each body: it has a row in this step */
  size_t count;
  double thickness; /* distance that features keep */
};

/* features.c: rows for features that meet, or come near, and for points that would go through
 * planes. false: out of memory. */
bool add_impacts(sim_world *world, const pl_result *found, bool near);
/* points that would be nearer to a plane than `room` */
bool add_planes(sim_world *world, double room, size_t *added);

#endif
