#include "core/cpu.h"

#include "core/parts.h"

#include <stddef.h>
#include <string.h>

const char *isa_text(isa i)
{
  static const char *const words[] = {
#define ISA_WORD(name, word) word,
      ISA_LIST(ISA_WORD)
#undef ISA_WORD
  };
  return (unsigned)i < ISA_COUNT ? words[i] : NULL;
}

bool isa_present(isa i)
{
#if defined(__x86_64__)
  const bool wide = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("bmi") &&
                    __builtin_cpu_supports("popcnt");
  if (i == ISA_AVX512)
    return wide && __builtin_cpu_supports("bmi2") && __builtin_cpu_supports("avx512f") &&
           __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512bw") &&
           __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vbmi2");
  if (i == ISA_AVX2) return wide;
  return i == ISA_SSE2 || i == ISA_SCALAR;
#elif defined(__aarch64__)
  return i == ISA_NEON || i == ISA_SCALAR;
#elif KERNEL_ONE_SET
  return i == ISA_WASM;
#elif defined(__wasm_simd128__)
  return i == ISA_WASM || i == ISA_SCALAR;
#else
  return i == ISA_SCALAR;
#endif
}

isa isa_choose(const char *name)
{
  for (int i = ISA_COUNT - 1; i >= 0; --i)
    if (isa_present((isa)i) && (!name || strcmp(name, isa_text((isa)i)) == 0)) return (isa)i;
  return ISA_COUNT;
}
