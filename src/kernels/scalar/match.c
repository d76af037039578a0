#include "kernels/scalar/set.h"

#include "kernels/family_match.inl"
