#include "kernels/wasm/set.h"

#include "kernels/family_governed.inl"
