#include "kernels/wasm/set.h"

#include "kernels/family_windows.inl"
