/* The family `windows`: boxes over flight plans, and when they overlap. */
#ifdef KERNEL_SET /* the machine has this instruction set */
#define KERNEL_LANES
#include "kernels/windows.inl"

const window_kernels KERNEL_TABLE(window_kernels) = {windows_reach, windows_refit, windows_leaf, windows_one,
                                                     windows_cross};
#endif
