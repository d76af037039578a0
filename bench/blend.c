/* All vertices of a morphing body in float, as fast as a caller would have it: free bodies are
 * charged for this, so it must not be slow. The two references are mixed as flat arrays, block
 * by block, so that a block stays in the first cache until it is placed; both loops have no
 * branches and become vector code, for AVX2 where the machine has it. Cost: about a nanosecond
 * per vertex while the references are in a cache. */
#include "bench/blend.h"

#if defined(__x86_64__) && defined(__GNUC__)
#define WITH_AVX2 1
#else
#define WITH_AVX2 0
#endif

enum { BLOCK = 256 }; /* vertices */

/* The references that count, their weights, and the placement, in float. */
typedef struct mixture {
  const float *a, *b;
  float wa, wb;
  float m[9], t[3];
} mixture;

static mixture mixture_of(const morph_mesh *mesh, const morph_pose *pose)
{
  mixture x = {.a = mesh->references[0], .b = mesh->references[0]};
  bool found = false;
  for (int r = 0; r < MORPH_REFERENCES; ++r) { /* at most two are not 0 */
    if (pose->weight[r] == 0) continue;
    *(found ? &x.b : &x.a) = mesh->references[r];
    *(found ? &x.wb : &x.wa) = (float)pose->weight[r];
    found = true;
  }
  for (int i = 0; i < 9; ++i) x.m[i] = (float)pose->rotation[i];
  for (int i = 0; i < 3; ++i) x.t[i] = (float)pose->shift[i];
  return x;
}

/* Vertices [begin, begin + count) where they are in the model. */
static inline __attribute__((always_inline)) void mix(const mixture *x, size_t begin, size_t count, float *restrict out)
{
  const float *restrict a = x->a + 3 * begin, *restrict b = x->b + 3 * begin;
  const float wa = x->wa, wb = x->wb;
  if (wb == 0)
    for (size_t i = 0; i < 3 * count; ++i) out[i] = wa * a[i];
  else
    for (size_t i = 0; i < 3 * count; ++i) out[i] = wa * a[i] + wb * b[i];
}

static inline __attribute__((always_inline)) void place(const mixture *x, const float *restrict in, size_t count,
                                                        float *restrict out)
{
  /* a copy: stores through `out` cannot change it, and it stays in registers */
  const mixture y = *x;
  for (size_t v = 0; v < count; ++v) {
    float p = in[3 * v], q = in[3 * v + 1], r = in[3 * v + 2];
    out[3 * v] = y.m[0] * p + y.m[1] * q + y.m[2] * r + y.t[0];
    out[3 * v + 1] = y.m[3] * p + y.m[4] * q + y.m[5] * r + y.t[1];
    out[3 * v + 2] = y.m[6] * p + y.m[7] * q + y.m[8] * r + y.t[2];
  }
}

static inline __attribute__((always_inline)) void blend(const mixture *x, size_t vertices, float *xyz)
{
  float block[3 * BLOCK];
  size_t begin = 0;
  for (; begin + BLOCK <= vertices; begin += BLOCK) {
    mix(x, begin, BLOCK, block);
    place(x, block, BLOCK, xyz + 3 * begin);
  }
  mix(x, begin, vertices - begin, block);
  place(x, block, vertices - begin, xyz + 3 * begin);
}

#if WITH_AVX2
__attribute__((target("avx2"))) static void blend_avx2(const mixture *x, size_t vertices, float *xyz)
{
  blend(x, vertices, xyz);
}
#endif

static void blend_plain(const mixture *x, size_t vertices, float *xyz) { blend(x, vertices, xyz); }

void bench_blend(const morph_mesh *mesh, const morph_pose *pose, float *xyz)
{
  mixture x = mixture_of(mesh, pose);
#if WITH_AVX2
  if (__builtin_cpu_supports("avx2")) {
    blend_avx2(&x, mesh->vertex_count, xyz);
    return;
  }
#endif
  blend_plain(&x, mesh->vertex_count, xyz);
}
