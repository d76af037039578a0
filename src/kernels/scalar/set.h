/* Plain C, for every machine and for tests. */
#ifndef KERNELS_SCALAR_SET_H
#define KERNELS_SCALAR_SET_H

#if 1
#define KERNEL_SET scalar
#define KERNEL_TABLE(family) family##_scalar
#endif

#endif
