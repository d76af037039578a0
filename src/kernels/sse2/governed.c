#include "kernels/sse2/set.h"

#include "kernels/family_governed.inl"
