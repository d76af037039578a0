/* The family `probe`: points through one tree. */
#ifdef KERNEL_SET /* the machine has this instruction set */
#define KERNEL_LANES
#include "kernels/kernels.h"
#include "kernels/probe_region.inl"

const probe_kernels KERNEL_TABLE(probe_kernels) = {
    .nearest = probe_nearest, .crossings = probe_crossings, .find = probe_find};
#endif
