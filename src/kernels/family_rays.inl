/* The family `rays`. */
#ifdef KERNEL_SET /* the machine has this instruction set */
#define KERNEL_LANES
#include "kernels/kernels.h"
#include "kernels/rays.inl"

const ray_kernels KERNEL_TABLE(ray_kernels) = {cast_rays};
#endif
