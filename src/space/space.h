/* Spaces: where a model's volumes are, and the transforms from there to the world and to another
 * model, with the margins that cover all rounding. No other room knows these margins.
 *
 * A model's space is the world's, or the world's divided by 2^exponent (motion/points.h), or one
 * that a transform maps to the world's. */
#ifndef SPACE_SPACE_H
#define SPACE_SPACE_H

#include "bounds/aabb.h"
#include "math/frame.h"
#include "motion/motion.h"

/* Where a body is now. */
typedef struct space {
  pl_transform there, back; /* to the world, and from it */
  bool moved;               /* `there` is not the identity */
  bool has_back;            /* false: the map is flat */
  bool plain;               /* there is no transform: the world divided by 2^exponent */
  int exponent;
  aabb box;        /* of the body, in this space */
  aabb volumes;    /* around all volumes, in this space: these may reach beyond the body */
  double reach[3]; /* of `volumes`: |lower| + |upper| */
  aabb world;      /* of the body, in the world */
} space;

/* The space of a motion whose body has this box there; volumes may reach beyond the box by this
 * much. */
void space_make(space *s, const motion *m, const aabb *box, float loose);

/* Returns whether both have the same coordinates. */
static inline bool spaces_are_shared(const space *a, const space *b)
{
  return a->plain && b->plain && a->exponent == b->exponent;
}

/* The inverse of a transform; false if it is flat, or so nearly flat that the inverse would have
 * no correct digits. */
bool space_invert(const pl_transform *f, pl_transform *out);

/* A box around the image of a box; infinite where that leaves the range of double. NULL: the
 * identity. */
aabb space_box_to_world(const pl_transform *there, const aabb *box);

/* From one model's space to another's. */
frame_change space_change(const space *from, const space *to);

/* At least the greatest factor by which a map makes a length grow. */
float space_stretch(const frame_change *f);

/* The greatest |x| + |y| + |z| in a box. */
double space_size(const aabb *box);

/* ----------------------------------------------------------------------------------- lengths -- */

/* Distance queries compare squares of lengths in float: lengths of the world divided by 2^unit.
 * 0, and lengths stay as they are, where squares stay within range; otherwise such that the
 * coordinates of the larger body are about 1. */
int spaces_unit(const space *a, const space *b);

/* Squares of a model's lengths times this are at most those of the world, in units; 0 where that
 * would be of no use: the map is flat or uneven, or squares leave the range of float. */
float space_least_scale(const space *s, int unit);

/* Both to the world, in units. */
void spaces_to_world(const space *a, const space *b, int unit, frame_change out[2]);

/* Returns whether squares of a model's lengths fit into float. */
bool space_has_squares(const space *s);

/* --------------------------------------------------------------- triangles and rays in float -- */

/* Where the float arithmetic of triangles that are in both boxes has its origin: 0 if their
 * coordinates are floats already. *furthest is how far a coordinate may be from it. False: so
 * far that products of three differences might overflow. */
bool space_origin(const aabb *a, const aabb *b, bool floats, double origin[3], double *furthest);

/* A body's map for rays, x -> inverse (x - shift): from the world, right to `slack` beside the
 * rounding of x. */
bool space_ray_map(const space *s, double inverse[3][3], double shift[3], double slack[3]);

/* Volumes in the world, all in a box. */
space space_of_world(const aabb *box);

#endif
