/* The tables that exist on this kind of machine. */
#ifndef KERNELS_TABLES_H
#define KERNELS_TABLES_H

#include "kernels/kernels.h"

#if defined(__x86_64__)
extern const kernels kernels_avx2, kernels_sse2;
#endif
extern const kernels kernels_scalar;

#endif
