/* The family `refit`: volumes from vertices, from children, and from stored volumes. */
#ifdef KERNEL_SET /* the machine has this instruction set */
#define KERNEL_LANES
#include "kernels/blend.inl"
#include "kernels/blend_shapes.inl"
#include "kernels/refit.inl"

const refit_kernels KERNEL_TABLE(refit_kernels) = {refit,        refresh,    refresh_runs,
                                                   refresh_lane, blend_node, blend_shapes};
#endif
