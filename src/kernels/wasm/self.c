#include "kernels/wasm/set.h"

#include "kernels/family_self.inl"
