/* The family `governed`: boxes, cones and positions from governors. */
#ifdef KERNEL_SET /* the machine has this instruction set */
#define KERNEL_LANES
#include "kernels/governed.inl"
#include "kernels/kernels.h"

const governed_kernels KERNEL_TABLE(governed_kernels) = {.box = governed_box_kernel,
                                                         .patch = governed_patch_kernel,
                                                         .faces = governed_faces_kernel,
                                                         .leaf = governed_leaf_kernel,
                                                         .positions = governed_positions_kernel};
#endif
