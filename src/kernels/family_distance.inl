/* The family `distance`: searches for the nearest triangles, and for all within a margin. */
#ifdef KERNEL_SET /* the machine has this instruction set */
#define KERNEL_LANES
#include "kernels/distance_leaves.inl"
#include "kernels/kernels.h"
#include "kernels/measure_features.inl"

#include "kernels/distance_kinds.inl"

#if KERNEL_LEAN /* a small library: distances of other volumes are searched by boxes */
#define DISTANCE_TABLE [PL_VOLUME_AABB] = {distance_boxes, distance_oriented}
#define shape_bounds NULL
#else
#include "kernels/distance_volumes.inl"
#endif

const distance_kernels KERNEL_TABLE(distance_kernels) = {.walk = {DISTANCE_TABLE},
                                                         .world = distance_world,
                                                         .measure = measure,
                                                         .features = measure_features,
                                                         .reach = set_reach,
                                                         .patch_leaves = distance_patch_leaves,
                                                         .shapes = shape_bounds};
#endif
