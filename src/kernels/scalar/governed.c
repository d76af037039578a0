#include "kernels/scalar/set.h"

#include "kernels/family_governed.inl"
