#include "kernels/scalar/set.h"

#include "kernels/family_refit.inl"
