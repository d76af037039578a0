#include "kernels/neon/set.h"

#include "kernels/family_match.inl"
