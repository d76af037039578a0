#include "kernels/scalar/set.h"

#include "kernels/family_windows.inl"
