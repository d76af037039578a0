/* Plain C, for every other machine and for tests. */
#define TABLE kernels_scalar
#include "kernels/tables.h"

#include "kernels/kernels.inl"
