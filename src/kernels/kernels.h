/* The inner loops in families, each written once and compiled for each instruction set (a folder
 * each). Tables are chosen once per context and called per range or per work list, never per
 * node. */
#ifndef KERNELS_KERNELS_H
#define KERNELS_KERNELS_H

#include "core/cpu.h"
#include "core/parts.h"
#include "kernels/distance.h"
#include "kernels/governed.h"
#include "kernels/impact.h"
#include "kernels/match.h"
#include "kernels/probe.h"
#include "kernels/rays.h"
#include "kernels/swept_cones.h"
#include "kernels/walk.h"
#include "motion/motion.h"
#include "tree/blend.h"
#include "tree/inflation.h"
#include "tree/tree.h"

typedef struct refit_kernels {
  /* Blocks of the inner nodes [begin, end), last first: leaves from their vertices, inner
   * children by merging their blocks, which must be current if they lie outside of the range.
   * Stamps them. Returns the number of volumes. */
  uint64_t (*range)(tree *t, const points *p, uint32_t begin, uint32_t end);

  /* The block of one node, every child from its own vertices; does not stamp. Returns the number
   * of volumes. */
  uint64_t (*block)(tree *t, const points *p, uint32_t node);

  /* The same, the vertices of child i given as runs[first[i], first[i + 1]). */
  uint64_t (*block_by_runs)(tree *t, const points *p, uint32_t node, const uint32_t *first, const vertex_run *runs);

  /* The box of one child, from its vertices. */
  void (*lane)(tree *t, const points *p, uint32_t node, int lane);

  /* The block of one node from its stored reference blocks; does not stamp. Returns the number
   * of volumes. */
  uint64_t (*blend)(tree *t, const blend *b, uint32_t node);

  /* The shapes of one node's children from its stored ones, which must be there; does not stamp. */
  void (*blend_shapes)(tree *t, const blend *b, uint32_t node);
} refit_kernels;

typedef struct inflate_kernels {
  /* Where vertices [begin, end) are now, and how far each has moved. */
  void (*measure)(inflation *in, const points *p, uint32_t begin, uint32_t end);

  /* Grows the volumes of the inner nodes [begin, end) by what moved below them, last first, and
   * stamps the blocks. Returns the number of volumes that should be refitted: their slots stand
   * from begin * width on in `slots`, children before parents. Adds to *inflated how many grew;
   * *most becomes the greatest growth, if it is greater. */
  uint32_t (*range)(tree *t, inflation *in, uint32_t begin, uint32_t end, uint64_t *inflated, float *most);

  /* Grows the volume of one child. */
  void (*lane)(tree *t, const inflation *in, uint32_t node, int lane, float by);
} inflate_kernels;

typedef struct pair_kernels {
  /* Runs a walk until its stack is empty or it is stopped: two bodies with the same kind of
   * volumes, in one space, and each in its model's space. */
  void (*walk[PL_VOLUME_COUNT][2])(walk *w);

  /* Tests the triangles of the leaf pairs that the walk has gathered, and empties the list. */
  void (*leaves)(walk *w);

  /* Leaves of a motion in float lanes; NULL: vertex by vertex. */
  lanes_function lanes[PL_MOTION_COUNT];
  /* What these read, some leaves ahead; NULL: nothing is fetched. */
  lanes_fetch_function fetch[PL_MOTION_COUNT];
} pair_kernels;

struct feature_lanes; /* exact/feature_measure.h */

typedef struct distance_kernels {
  /* Runs a distance query until its stack is empty, it is stopped or paused: two bodies with the
   * same kind of volumes, in one space, and each in its model's space (NULL: by boxes only); and
   * boxes transformed to the world. */
  void (*walk[PL_VOLUME_COUNT][2])(distance_walk *d);
  void (*world)(distance_walk *d);

  /* Measures two triangles, by their places in tree order. */
  void (*measure)(distance_walk *d, uint32_t a, uint32_t b);

  /* Measures the first `count` pairs of l, up to four. */
  void (*features)(struct feature_lanes *l, int count, double reach);

  /* Sets the greatest distance that is of interest. */
  void (*reach)(distance_walk *d, double distance);

  /* Measures the triangles of the leaf pairs that a walk over patches has gathered, and empties
   * the list. */
  void (*patch_leaves)(walk *w);

  /* For tests: lower bounds of the distances between 8 shapes of a kind, `width` of them
   * different, and one, given by its components in the same space. */
  void (*shapes)(pl_volume kind, const float *shapes, int width, const float *q, float out[8]);
} distance_kernels;

typedef struct ray_kernels {
  /* What rays[begin, end) hit: the one hit of each in hits, or all in w->found, those of ray i
   * up to ends[i]. */
  void (*cast)(ray_walk *w, const pl_ray *rays, size_t begin, size_t end, pl_hit *hits, size_t *ends);
} ray_kernels;

typedef struct probe_kernels {
  /* The nearest triangle of a point within w->limit; near: a distance that is not below its own,
   * or infinity. `index` is for the filter. */
  void (*nearest)(probe_walk *w, const double p[3], size_t index, double near, pl_point *out);

  /* How often a ray leaves the body less how often it enters; *on: its start lies on the
   * surface, and the number is undefined. */
  int (*crossings)(probe_walk *w, const probe_ray *ray, bool *on);

  /* The triangles that a zone meets, in r->found. */
  void (*find)(probe_walk *w, probe_zone *r);
} probe_kernels;

typedef struct self_kernels {
  /* Boxes and cones of the children of inner nodes [begin, end), last first, and their stamps;
   * children outside of the range must be current. Returns the number of volumes. */
  uint64_t (*refit)(patches *p, uint32_t begin, uint32_t end);

  /* Box and cone of one leaf. */
  void (*leaf)(const patches *p, uint32_t leaf, aabb *box, uint32_t *cone);

  /* The front of the last walk (kernels/front.inl): do all triangles of leaves [begin, end) face
   * the axis of a set, with room for tau; is the border of the whole surface simple along that
   * axis (room: for a contour of p->longest corners); the box of all positions. */
  bool (*faces)(const patches *p, uint32_t begin, uint32_t end, uint32_t set, float tau);
  bool (*front_is_simple)(const patches *p, float *room, uint32_t set, clearance thick);
  aabb (*bound)(const patches *p);

  /* Runs a walk of a body against itself over its patches, until its stack is empty or it is
   * stopped. */
  void (*walk)(walk *w);

  /* With a margin: the cones of the children of inner nodes [begin, end), last first, into an
   * array of 8 for each inner node; and the walk of a search for near pairs. */
  void (*thick_refit)(const patches *p, float tau, uint32_t *cone, uint32_t begin, uint32_t end);
  void (*near)(distance_walk *d);

  /* Patches on their way (kernels/swept_cones.h): the cones of the children of inner nodes
   * [begin, end), last first; and whether a border is proven simple at every time. */
  void (*swept_refit)(const swept_patches *s, uint32_t begin, uint32_t end);
  bool (*swept_simple)(const swept_patches *s, const swept_border *border, float *room);
} self_kernels;

typedef struct kernels {
  const refit_kernels *refit;
  const inflate_kernels *inflate;
  const pair_kernels *pairs;
  const distance_kernels *distance;
  const ray_kernels *rays;
  const probe_kernels *probe;
  const moving_kernels *moving; /* of the family `impact`, too */
  const self_kernels *self;
  const match_kernels *match;
  const governed_kernels *governed;
} kernels;

const kernels *kernels_of(isa i);

#endif
