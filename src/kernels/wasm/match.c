#include "kernels/wasm/set.h"

#include "kernels/family_match.inl"
