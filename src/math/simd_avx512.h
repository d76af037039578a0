/* Sixteen lanes of an AVX-512 register, for vreg of simd.h; included by simd.h only. */
#ifndef MATH_SIMD_AVX512_H
#define MATH_SIMD_AVX512_H

#include <immintrin.h>

typedef __m512 v16;
typedef __mmask16 v16m; /* a bit for each lane */

static inline v16 v16_load(const float *p) { return _mm512_loadu_ps(p); }
static inline void v16_store(float *p, v16 v) { _mm512_storeu_ps(p, v); }
static inline v16 v16_div(v16 a, v16 b) { return _mm512_div_ps(a, b); }
static inline v16 v16_sqrt(v16 a) { return _mm512_sqrt_ps(a); }
static inline v16 v16_set(float x) { return _mm512_set1_ps(x); }
static inline v16 v16_add(v16 a, v16 b) { return _mm512_add_ps(a, b); }
static inline v16 v16_sub(v16 a, v16 b) { return _mm512_sub_ps(a, b); }
static inline v16 v16_mul(v16 a, v16 b) { return _mm512_mul_ps(a, b); }
static inline v16 v16_min(v16 a, v16 b) { return _mm512_min_ps(a, b); }
static inline v16 v16_max(v16 a, v16 b) { return _mm512_max_ps(a, b); }
static inline v16 v16_abs(v16 a) { return _mm512_abs_ps(a); }
static inline v16m v16_lt(v16 a, v16 b) { return _mm512_cmp_ps_mask(a, b, _CMP_LT_OQ); }
static inline v16m v16_le(v16 a, v16 b) { return _mm512_cmp_ps_mask(a, b, _CMP_LE_OQ); }
static inline v16 v16_select(v16m m, v16 yes, v16 no) { return _mm512_mask_blend_ps(m, no, yes); }
static inline v16m v16m_and(v16m a, v16m b) { return (v16m)(a & b); }
static inline v16m v16m_or(v16m a, v16m b) { return (v16m)(a | b); }
static inline v16m v16m_xor(v16m a, v16m b) { return (v16m)(a ^ b); }
static inline unsigned v16m_bits(v16m a) { return a; }

/* Bit 8 i + j: box i of the first eight meets box j of the second. Boxes: by axis, then lane. */
static inline uint64_t v16_boxes_meet(const float lower_a[3][8], const float upper_a[3][8], const float lower_b[3][8],
                                      const float upper_b[3][8])
{
  uint64_t bits = 0;
  __m512i row = _mm512_inserti64x4(_mm512_setzero_si512(), _mm256_set1_epi32(1), 1);
  v16m m[4] = {0xffff, 0xffff, 0xffff, 0xffff};
  for (int k = 0; k < 3; ++k) {
    const v16 low_a = _mm512_broadcast_f32x8(v8_load(lower_a[k])), high_a = _mm512_broadcast_f32x8(v8_load(upper_a[k]));
    const v16 low_b = _mm512_broadcast_f32x8(v8_load(lower_b[k])), high_b = _mm512_broadcast_f32x8(v8_load(upper_b[k]));
    for (int i = 0; i < 4; ++i) {
      const __m512i rows = _mm512_add_epi32(row, _mm512_set1_epi32(2 * i));
      m[i] = _mm512_mask_cmp_ps_mask(m[i], low_b, _mm512_permutexvar_ps(rows, high_a), _CMP_LE_OQ);
      m[i] = _mm512_mask_cmp_ps_mask(m[i], _mm512_permutexvar_ps(rows, low_a), high_b, _CMP_LE_OQ);
    }
  }
  for (int i = 0; i < 4; ++i) bits |= (uint64_t)m[i] << 16 * i;
  return bits;
}
/* Each bit of a byte becomes a byte. */
static inline uint64_t u8_spread(unsigned bits) { return _pdep_u64(bits, 0x0101010101010101u) * 255; }
/* Of a set of bits 8 i + j: every i, and every j; writes 64 bytes to each. */
static inline void u8_store_places(uint8_t *i, uint8_t *j, uint64_t set)
{
  const __m512i column = _mm512_set1_epi64(0x0706050403020100),
                rows =
                    _mm512_setr_epi64(0, 0x0101010101010101, 0x0202020202020202, 0x0303030303030303, 0x0404040404040404,
                                      0x0505050505050505, 0x0606060606060606, 0x0707070707070707);
  _mm512_storeu_si512(i, _mm512_maskz_compress_epi8(set, rows));
  _mm512_storeu_si512(j, _mm512_maskz_compress_epi8(set, column));
}

/* table[index[i]] in lane i, of 8 floats. */
static inline v16 v16_pick8(const float *table, const uint8_t index[16])
{
  const __m512i at = _mm512_cvtepu8_epi32(_mm_loadu_si128((const __m128i *)(const void *)index));
  return _mm512_permutexvar_ps(at, _mm512_broadcast_f32x8(v8_load(table)));
}

/* Four floats of each of sixteen rows, as lanes of each of the four. */
static inline void v16_from_rows(const float *const row[16], v16 out[4])
{
  v16 r[4];
  for (int i = 0; i < 4; ++i) {
    r[i] = _mm512_castps128_ps512(_mm_loadu_ps(row[i]));
    r[i] = _mm512_insertf32x4(r[i], _mm_loadu_ps(row[i + 4]), 1);
    r[i] = _mm512_insertf32x4(r[i], _mm_loadu_ps(row[i + 8]), 2);
    r[i] = _mm512_insertf32x4(r[i], _mm_loadu_ps(row[i + 12]), 3);
  }
  v16 ab = _mm512_unpacklo_ps(r[0], r[1]), cd = _mm512_unpacklo_ps(r[2], r[3]);
  v16 AB = _mm512_unpackhi_ps(r[0], r[1]), CD = _mm512_unpackhi_ps(r[2], r[3]);
  out[0] = _mm512_shuffle_ps(ab, cd, _MM_SHUFFLE(1, 0, 1, 0));
  out[1] = _mm512_shuffle_ps(ab, cd, _MM_SHUFFLE(3, 2, 3, 2));
  out[2] = _mm512_shuffle_ps(AB, CD, _MM_SHUFFLE(1, 0, 1, 0));
  out[3] = _mm512_shuffle_ps(AB, CD, _MM_SHUFFLE(3, 2, 3, 2));
}

#endif
