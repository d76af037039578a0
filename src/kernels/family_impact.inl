/* The family `impact`: when moving boxes overlap. */
#ifdef KERNEL_SET /* the machine has this instruction set */
#define KERNEL_LANES
#include "kernels/impact.inl"

const impact_kernels KERNEL_TABLE(impact_kernels) = {overlap_windows};
#endif
