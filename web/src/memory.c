/* memcpy() and memset(), in place of wasi-libc's. The instructions memory.copy and memory.fill
 * leave the module: browsers call a function of their own, which costs more than the 16 to 200
 * bytes that the library copies in inner loops. So the other files are compiled without them, and
 * only long blocks use them here. */
#include <stddef.h>
#include <stdint.h>
#include <wasm_simd128.h>

enum { LONG = 512 };

void *memcpy(void *restrict to, const void *restrict from, size_t size)
{
  char *d = to;
  const char *s = from;
  if (size >= LONG) return __builtin_memcpy(to, from, size);
  if (size >= 16) {
    for (size_t i = 0; i < size - 16; i += 16) wasm_v128_store(d + i, wasm_v128_load(s + i));
    wasm_v128_store(d + size - 16, wasm_v128_load(s + size - 16));
  } else {
    for (size_t i = 0; i < size; ++i) d[i] = s[i];
  }
  return to;
}

void *memset(void *to, int value, size_t size)
{
  char *d = to;
  if (size >= LONG) return __builtin_memset(to, value, size);
  if (size >= 16) {
    const v128_t all = wasm_i8x16_splat((int8_t)value);
    for (size_t i = 0; i < size - 16; i += 16) wasm_v128_store(d + i, all);
    wasm_v128_store(d + size - 16, all);
  } else {
    for (size_t i = 0; i < size; ++i) d[i] = (char)value;
  }
  return to;
}
