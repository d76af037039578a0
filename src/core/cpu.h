/* The instruction sets that the library is compiled for and that the machine has. */
#ifndef CORE_CPU_H
#define CORE_CPU_H

#include <stdbool.h>

/* X(NAME, word), worst first on each kind of machine. */
#define ISA_LIST(X)                                                                                                    \
  X(SCALAR, "scalar") X(SSE2, "sse2") X(AVX2, "avx2") X(AVX512, "avx512") X(NEON, "neon") X(WASM, "wasm")

typedef enum isa {
#define ISA_NAME(name, word) ISA_##name,
  ISA_LIST(ISA_NAME)
#undef ISA_NAME
      ISA_COUNT
} isa;

/* In a loop that waits for another thread for a moment. */
static inline void cpu_pause(void)
{
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  __asm__ volatile("yield");
#endif
}

const char *isa_text(isa i);
bool isa_present(isa i);

/* Returns the named set, or the best for NULL; ISA_COUNT if the name is unknown or the machine
 * does not have it. */
isa isa_choose(const char *name);

#endif
