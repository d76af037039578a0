/* What the files of the flexible parts share. Not for users of bitar.h. */
#ifndef SCENES_BITAR_PARTS_H
#define SCENES_BITAR_PARTS_H

#include "scenes/bitar.h"
#include "scenes/parts.h"

/* In double: fine meshes have triangles that float would bend. */
typedef struct point {
  double x, y, z;
} point;

static inline double wave_sin(double x) { return scene_wave(x); }
static inline double wave_cos(double x) { return scene_wave(x + 1.57079632679489661923); }

bool bitar_helmet_make(int detail, scene_mesh *out);
point bitar_helmet_point(double rho, double phi, double time); /* time: 0 .. 1 */

#endif
