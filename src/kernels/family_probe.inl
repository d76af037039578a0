/* The family `probe`: points through one tree. */
#ifdef KERNEL_SET /* the machine has this instruction set */
#define KERNEL_LANES
#include "kernels/kernels.h"
#if KERNEL_LEAN /* a small library: no zones */
#include "kernels/probe.inl"
#define probe_find NULL
#else
#include "kernels/probe_zone.inl"
#endif

const probe_kernels KERNEL_TABLE(probe_kernels) = {
    .nearest = probe_nearest, .crossings = probe_crossings, .find = probe_find};
#endif
