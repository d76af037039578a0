/* Plain C, for every machine and for tests. Eight lanes are a loop here: a compiler that had to
 * inline all of them would take five times as long, for code four times as large. */
#ifndef KERNELS_SETS_SCALAR_H
#define KERNELS_SETS_SCALAR_H

#if 1
#ifndef KERNEL_COLD
#define KERNEL_COLD 1
#endif
#define KERNEL_SET scalar
#define KERNEL_TABLE(family) pl_inside_##family##_scalar
#endif

#endif
