/* The walks of bodies with shapes: for each kind, in one space and between two. */

/* A child's box and shape where they stand: components are `width` apart. */
typedef struct shape_lane {
  const float *part[2]; /* the box, the shape */
  int width;
} shape_lane;

static KERNEL_INLINE shape_lane shape_of(const tree *t, uint32_t node, int lane)
{
  return (shape_lane){{tree_block(t, node) + lane, tree_shapes(t, node) + lane}, t->width};
}

#include "kernels/walk_spheres.inl"

#define SLABS KDOP14_SLABS
#define KDOP(name) name##_kdop14
#include "kernels/walk_kdops.inl"
#define SLABS KDOP18_SLABS
#define KDOP(name) name##_kdop18
#include "kernels/walk_kdops.inl"
#define SLABS KDOP26_SLABS
#define KDOP(name) name##_kdop26
#include "kernels/walk_kdops.inl"

#define WALK_SHAPES                                                                                                    \
  [PL_VOLUME_SPHERE] = {walk_spheres, walk_placed_spheres}, [PL_VOLUME_KDOP14] = {walk_kdop14, walk_placed_kdop14},    \
  [PL_VOLUME_KDOP18] = {walk_kdop18, walk_placed_kdop18}, [PL_VOLUME_KDOP26] = {walk_kdop26, walk_placed_kdop26}
