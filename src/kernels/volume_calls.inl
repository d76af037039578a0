/* How the functions of a volume's header are called by its name in SHAPE_LIST. */
#ifndef KERNELS_VOLUME_CALLS_INL
#define KERNELS_VOLUME_CALLS_INL

#include "bounds/volumes.h"
#include "kernels/walk.h"

#define VOLUME_PASTE(prefix, name) prefix##_##name
#define VOLUME_JOIN(prefix, name) VOLUME_PASTE(prefix, name)
#define VOLUME_CALL(NAME, name) VOLUME_JOIN(VOLUME_##NAME, name)

static KERNEL_INLINE shape_lane shape_of(const tree *t, uint32_t node, int lane)
{
  return (shape_lane){{tree_block(t, node) + lane, tree_shapes(t, node) + lane}, t->nodes.width, node, lane};
}

#endif
