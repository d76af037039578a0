/* The family `distance`: searches for the nearest triangles, and for all within a margin. */
#ifdef KERNEL_SET /* the machine has this instruction set */
#define KERNEL_LANES
#include "kernels/distance_leaves.inl"
#include "kernels/kernels.h"

#include "kernels/distance_kinds.inl"

#include "kernels/distance_volumes.inl"

const distance_kernels KERNEL_TABLE(distance_kernels) = {
    .walk = {DISTANCE_TABLE}, .world = distance_world, .measure = measure, .reach = set_reach, .shapes = shape_bounds};
#endif
