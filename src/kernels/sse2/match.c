#include "kernels/sse2/set.h"

#include "kernels/family_match.inl"
