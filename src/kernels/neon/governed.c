#include "kernels/neon/set.h"

#include "kernels/family_governed.inl"
