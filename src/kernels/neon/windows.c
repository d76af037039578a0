#include "kernels/neon/set.h"

#include "kernels/family_windows.inl"
