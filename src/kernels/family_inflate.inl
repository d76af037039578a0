/* The family `inflate`: displacements and growth. */
#ifdef KERNEL_SET /* the machine has this instruction set */
#define KERNEL_LANES
#include "kernels/inflate.inl"

const inflate_kernels KERNEL_TABLE(inflate_kernels) = {measure_moved, inflate, grow_lane};
#endif
