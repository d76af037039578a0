#include "kernels/avx2/set.h"

#include "kernels/family_governed.inl"
