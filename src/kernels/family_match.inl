/* The family `match`: shape matching and its spheres. */
#ifdef KERNEL_SET /* the machine has this instruction set */
#define KERNEL_LANES
#include "kernels/kernels.h"
#include "kernels/match.inl"

const match_kernels KERNEL_TABLE(match_kernels) = {.sums = match_sums_kernel,
                                                   .move = match_move_kernel,
                                                   .balls = match_balls,
                                                   .tangents = match_tangents,
                                                   .near = match_near,
                                                   .contacts = match_contacts,
                                                   .overlaps = match_overlaps};
#endif
