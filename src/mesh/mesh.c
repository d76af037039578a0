/* Checks of the caller's input: a bad definition is refused as a whole, with a message that
 * names the place. Every check is one plain loop that only finds whether something is wrong, so
 * that it runs at the speed of memory; the index for the message is searched afterwards. Cost:
 * O(vertices + triangles). */
#include "mesh/mesh.h"

#include "core/version.h"

#include <math.h>
#include <stdatomic.h>
#include <string.h>
#if defined(__x86_64__)
#include <immintrin.h>
#elif defined(__wasm_simd128__)
#include <wasm_simd128.h>
#endif

static const size_t most_triangles = (size_t)1 << 30;

void positions_get(pl_positions positions, size_t v, double out[3])
{
  const char *at = (const char *)positions.data + v * positions.stride;
  if (positions.type == PL_F64) {
    memcpy(out, at, 3 * sizeof(double));
    return;
  }
  float xyz[3];
  memcpy(xyz, at, sizeof xyz);
  for (int i = 0; i < 3; ++i) out[i] = (double)xyz[i];
}

/* A number is not finite if its exponent is all ones: adding one in the exponent's last place
 * then carries into the sign bit, and only then. So the loops have no branch, and compilers
 * vectorise them. */
static const uint32_t exponent_f32 = 0x7f800000u, last_place_f32 = 0x00800000u;
static const uint64_t exponent_f64 = 0x7ff0000000000000u, last_place_f64 = 0x0010000000000000u;

static bool packed_finite_f32(const char *data, size_t scalars)
{
  uint32_t carry = 0;
  size_t i = 0;
#if defined(__wasm_simd128__)
  /* Twice the bits is at least twice the exponent if and only if the exponent is all ones. */
  v128_t most[4] = {0};
  for (; i + 16 <= scalars; i += 16)
    for (int k = 0; k < 4; ++k) {
      v128_t bits = wasm_v128_load(data + (i + 4 * (size_t)k) * sizeof(float));
      most[k] = wasm_u32x4_max(most[k], wasm_i32x4_add(bits, bits));
    }
  v128_t all = wasm_u32x4_max(wasm_u32x4_max(most[0], most[1]), wasm_u32x4_max(most[2], most[3]));
  if (wasm_v128_any_true(wasm_u32x4_ge(all, wasm_u32x4_splat(2 * exponent_f32)))) return false;
#endif
  for (; i < scalars; ++i) {
    uint32_t bits;
    memcpy(&bits, data + i * sizeof bits, sizeof bits);
    carry |= (bits & exponent_f32) + last_place_f32;
  }
  return !(carry >> 31);
}

#if defined(__x86_64__)
/* Every frame goes through here, so there is a form for wide registers, four at a time: as fast
 * as memory. */
__attribute__((target("avx2"))) static bool packed_finite_f32_wide(const char *data, size_t scalars)
{
  const __m256i exponent = _mm256_set1_epi32((int)exponent_f32), last_place = _mm256_set1_epi32((int)last_place_f32);
  __m256i carry[4] = {_mm256_setzero_si256(), _mm256_setzero_si256(), _mm256_setzero_si256(), _mm256_setzero_si256()};
  size_t i = 0;
  for (; i + 32 <= scalars; i += 32)
    for (int k = 0; k < 4; ++k) {
      __m256i bits = _mm256_loadu_si256((const __m256i *)(const void *)(data + (i + 8 * (size_t)k) * sizeof(float)));
      carry[k] = _mm256_or_si256(carry[k], _mm256_add_epi32(_mm256_and_si256(bits, exponent), last_place));
    }
  __m256i all = _mm256_or_si256(_mm256_or_si256(carry[0], carry[1]), _mm256_or_si256(carry[2], carry[3]));
  return !_mm256_movemask_ps(_mm256_castsi256_ps(all)) && packed_finite_f32(data + i * sizeof(float), scalars - i);
}

__attribute__((target("avx512f"))) static bool packed_finite_f32_widest(const char *data, size_t scalars)
{
  const __m512i exponent = _mm512_set1_epi32((int)exponent_f32), last_place = _mm512_set1_epi32((int)last_place_f32);
  __m512i carry[4] = {_mm512_setzero_si512(), _mm512_setzero_si512(), _mm512_setzero_si512(), _mm512_setzero_si512()};
  size_t i = 0;
  for (; i + 64 <= scalars; i += 64)
    for (int k = 0; k < 4; ++k) {
      __m512i bits = _mm512_loadu_si512(data + (i + 16 * (size_t)k) * sizeof(float));
      carry[k] = _mm512_or_si512(carry[k], _mm512_add_epi32(_mm512_and_si512(bits, exponent), last_place));
    }
  __m512i all = _mm512_or_si512(_mm512_or_si512(carry[0], carry[1]), _mm512_or_si512(carry[2], carry[3]));
  return !_mm512_cmplt_epi32_mask(all, _mm512_setzero_si512()) &&
         packed_finite_f32(data + i * sizeof(float), scalars - i);
}
#endif

static bool packed_finite_f64(const char *data, size_t scalars)
{
  uint64_t carry = 0;
  for (size_t i = 0; i < scalars; ++i) {
    uint64_t bits;
    memcpy(&bits, data + i * sizeof bits, sizeof bits);
    carry |= (bits & exponent_f64) + last_place_f64;
  }
  return !(carry >> 63);
}

#if defined(__x86_64__)
__attribute__((target("avx2"))) static bool packed_finite_f64_wide(const char *data, size_t scalars)
{
  const __m256i exponent = _mm256_set1_epi64x((long long)exponent_f64),
                last_place = _mm256_set1_epi64x((long long)last_place_f64);
  __m256i carry[4] = {_mm256_setzero_si256(), _mm256_setzero_si256(), _mm256_setzero_si256(), _mm256_setzero_si256()};
  size_t i = 0;
  for (; i + 16 <= scalars; i += 16)
    for (int k = 0; k < 4; ++k) {
      __m256i bits = _mm256_loadu_si256((const __m256i *)(const void *)(data + (i + 4 * (size_t)k) * sizeof(double)));
      carry[k] = _mm256_or_si256(carry[k], _mm256_add_epi64(_mm256_and_si256(bits, exponent), last_place));
    }
  __m256i all = _mm256_or_si256(_mm256_or_si256(carry[0], carry[1]), _mm256_or_si256(carry[2], carry[3]));
  return !_mm256_movemask_pd(_mm256_castsi256_pd(all)) && packed_finite_f64(data + i * sizeof(double), scalars - i);
}
#endif

static bool strided_finite_f32(const char *data, size_t count, size_t stride)
{
  uint32_t carry = 0;
  for (size_t v = 0; v < count; ++v) {
    uint32_t bits[3];
    memcpy(bits, data + v * stride, sizeof bits);
    for (int i = 0; i < 3; ++i) carry |= (bits[i] & exponent_f32) + last_place_f32;
  }
  return !(carry >> 31);
}

static bool strided_finite_f64(const char *data, size_t count, size_t stride)
{
  uint64_t carry = 0;
  for (size_t v = 0; v < count; ++v) {
    uint64_t bits[3];
    memcpy(bits, data + v * stride, sizeof bits);
    for (int i = 0; i < 3; ++i) carry |= (bits[i] & exponent_f64) + last_place_f64;
  }
  return !(carry >> 63);
}

bool positions_finite(pl_positions p, isa set)
{
  if (p.count == 0) return true;
  bool packed = p.stride == 3 * scalar_size(p.type);
#if defined(__x86_64__)
  if (packed && set == ISA_AVX512 && p.type == PL_F32) return packed_finite_f32_widest(p.data, 3 * p.count);
  if (packed && (set == ISA_AVX2 || set == ISA_AVX512))
    return p.type == PL_F32 ? packed_finite_f32_wide(p.data, 3 * p.count) : packed_finite_f64_wide(p.data, 3 * p.count);
#endif
  if (p.type == PL_F32)
    return packed ? packed_finite_f32(p.data, 3 * p.count) : strided_finite_f32(p.data, p.count, p.stride);
  return packed ? packed_finite_f64(p.data, 3 * p.count) : strided_finite_f64(p.data, p.count, p.stride);
}

/* As for finiteness: from a certain size on, a sum with the exponent carries into the sign bit. */
bool positions_are_ordinary(pl_positions p)
{
  const uint64_t sign = (uint64_t)1 << 63, least = (uint64_t)(1023 - 80) << 52, most = (uint64_t)(1023 + 100) << 52;
  uint64_t large = 0, ordinary = 0;
  for (size_t v = 0; v < p.count; ++v) {
    uint64_t bits[3];
    memcpy(bits, (const char *)p.data + v * p.stride, sizeof bits);
    for (int i = 0; i < 3; ++i) {
      large |= (bits[i] & exponent_f64) + (sign - most);
      ordinary |= (bits[i] & exponent_f64) + (sign - least);
    }
  }
  return ordinary >> 63 && !(large >> 63);
}

double positions_size(pl_positions p)
{
  double size = 0;
  for (size_t v = 0; v < p.count; ++v) {
    double xyz[3];
    positions_get(p, v, xyz);
    for (int i = 0; i < 3; ++i) size = fmax(size, fabs(xyz[i]));
  }
  return size;
}

/* What messages call a position. */
typedef struct position_word {
  const char *one, *many;
} position_word;

static const position_word vertex_word = {"vertex", "vertices"};
static const position_word point_word = {"point", "points"};

static pl_status fail_not_finite(pl_context *context, pl_positions p, const position_word *word)
{
  for (size_t v = 0; v < p.count; ++v) {
    double xyz[3];
    positions_get(p, v, xyz);
    for (int i = 0; i < 3; ++i)
      if (!isfinite(xyz[i]))
        return fail(context, PL_ERROR_POSITIONS, "%s %zu is not finite (%s): its %c must be a number", word->one, v,
                    isnan(xyz[i]) ? "nan"
                    : xyz[i] > 0  ? "inf"
                                  : "-inf",
                    "xyz"[i]);
  }
  /* the caller's array changed meanwhile */
  return fail(context, PL_ERROR_POSITIONS, "a %s is not finite", word->one);
}

/* Checks everything except the numbers themselves. */
static pl_status positions_check_view(pl_context *context, pl_positions p, const position_word *word)
{
  if (p.type != PL_F32 && p.type != PL_F64)
    return fail(context, PL_ERROR_ARGUMENT, "positions have type %d: it must be PL_F32 or PL_F64", (int)p.type);
  if (p.count == 0) return PL_OK;
  size_t scalar = scalar_size(p.type);
  if (!p.data) return fail(context, PL_ERROR_ARGUMENT, "positions have no data (NULL) for %zu %s", p.count, word->many);
  if ((uintptr_t)p.data % scalar != 0)
    return fail(context, PL_ERROR_ARGUMENT, "positions are not aligned to their scalar of %zu bytes", scalar);
  if (p.stride < 3 * scalar)
    return fail(context, PL_ERROR_ARGUMENT, "positions have a stride of %zu bytes: a %s takes %zu", p.stride, word->one,
                3 * scalar);
  if (p.stride % scalar != 0)
    return fail(context, PL_ERROR_ARGUMENT, "positions have a stride of %zu bytes: it must be a multiple of %zu",
                p.stride, scalar);
  if (p.count > UINT32_MAX)
    return fail(context, PL_ERROR_ARGUMENT, "%zu %s are too many: at most %u", p.count, word->many,
                (unsigned)UINT32_MAX);
  if (p.stride > SIZE_MAX / p.count)
    return fail(context, PL_ERROR_ARGUMENT, "%zu %s with a stride of %zu bytes do not fit in memory", p.count,
                word->many, p.stride);
  return PL_OK;
}

typedef struct finite_run {
  pl_positions positions;
  isa set;
  atomic_bool bad;
} finite_run;

static void finite_task(void *data, int task, int worker)
{
  finite_run *r = data;
  if (!positions_finite(positions_piece(r->positions, task), r->set)) r->bad = true;
}

/* On all workers where there are many. */
static bool all_finite(pl_context *context, pl_positions p)
{
  finite_run r = {.positions = p, .set = context->isa};
  if (p.count <= POSITIONS_PIECE || parallel_for(context, true, finite_task, &r, positions_pieces(p)) != PL_OK)
    return positions_finite(p, context->isa);
  return !r.bad;
}

static pl_status check_as(pl_context *context, pl_positions positions, const position_word *word)
{
  if (!context) return fail_null("context");
  pl_status status = positions_check_view(context, positions, word);
  if (status != PL_OK) return status;
  return all_finite(context, positions) ? PL_OK : fail_not_finite(context, positions, word);
}

pl_status positions_check(pl_context *context, pl_positions positions)
{
  return check_as(context, positions, &vertex_word);
}

pl_status positions_check_place(pl_context *context, pl_positions positions)
{
  return positions_check_view(context, positions, &vertex_word);
}

pl_status positions_check_points(pl_context *context, pl_positions positions)
{
  return check_as(context, positions, &point_word);
}

/* One of the lists of a mesh. */
typedef struct index_list {
  const uint32_t *data;
  size_t count;   /* of the primitives */
  size_t corners; /* of each */
  const char *of; /* what messages call one */
} index_list;

static pl_status check_list(pl_context *context, const index_list *l, size_t vertices)
{
  const size_t n = l->count * l->corners;
  uint32_t greatest = 0;
  if (!n) return PL_OK;
  if (!l->data) return fail(context, PL_ERROR_ARGUMENT, "the mesh has no indices (NULL) for its %ss", l->of);
  if ((uintptr_t)l->data % sizeof(uint32_t) != 0)
    return fail(context, PL_ERROR_ARGUMENT, "the %ss' indices are not aligned to 4 bytes", l->of);
  for (size_t i = 0; i < n; ++i) greatest = l->data[i] > greatest ? l->data[i] : greatest;
  if (greatest < vertices) return PL_OK;
  for (size_t i = 0; i < n; ++i)
    if (l->data[i] >= vertices)
      return fail(context, PL_ERROR_MESH, "%s %zu names vertex %u of %zu", l->of, i / l->corners, l->data[i], vertices);
  /* the caller's array changed meanwhile */
  return fail(context, PL_ERROR_MESH, "a %s names a vertex that is not there", l->of);
}

static pl_status check_counts(pl_context *context, const pl_mesh_def *def)
{
  const size_t t = def->triangle_count, s = def->segment_count, p = def->point_count;
  if (t + s + p == 0) return fail(context, PL_ERROR_MESH, "the mesh has no triangle, segment or point");
  if (t > most_triangles)
    return fail(context, PL_ERROR_MESH, "%zu triangles are too many: at most %zu", t, most_triangles);
  if (s <= most_triangles && p <= most_triangles && t + s + p <= most_triangles) return PL_OK;
  return fail(context, PL_ERROR_MESH, "%zu triangles, %zu segments and %zu points are too many: at most %zu in all", t,
              s, p, most_triangles);
}

pl_status mesh_check(pl_context *context, const pl_mesh_def *def)
{
  const index_list lists[] = {{def->triangles, def->triangle_count, 3, "triangle"},
                              {def->segments, def->segment_count, 2, "segment"},
                              {def->points, def->point_count, 1, "point"}};
  pl_status status = check_counts(context, def);
  if (status == PL_OK) status = positions_check_view(context, def->positions, &vertex_word);
  for (int i = 0; i < 3 && status == PL_OK; ++i) status = check_list(context, &lists[i], def->positions.count);
  if (status != PL_OK) return status;
  return positions_finite(def->positions, context->isa) ? PL_OK
                                                        : fail_not_finite(context, def->positions, &vertex_word);
}

pl_status mesh_merge(pl_context *context, const pl_mesh_def *def, pl_mesh_def *out, uint32_t **made)
{
  const size_t t = 3 * def->triangle_count, s = 3 * def->segment_count, p = 3 * def->point_count;
  *out = *def;
  *made = NULL;
  if (s + p == 0) return PL_OK;
  uint32_t *to = *made = mem_raw(&context->def.allocator, t + s + p, sizeof *to);
  if (!to) return fail(context, PL_ERROR_MEMORY, "no memory for %zu segments and points", (s + p) / 3);
  if (t) memcpy(to, def->triangles, t * sizeof *to);
  for (size_t i = 0; i < s; ++i) to[t + i] = def->segments[i / 3 * 2 + (i % 3 != 0)];
  for (size_t i = 0; i < p; ++i) to[t + s + i] = def->points[i / 3];
  *out = (pl_mesh_def){
      .struct_size = def->struct_size, .positions = def->positions, .triangles = to, .triangle_count = (t + s + p) / 3};
  return PL_OK;
}

pl_status mesh_take(pl_context *context, const pl_mesh_def *def, pl_mesh_def *out)
{
  if (!context) return fail_null("context");
  if (!def) return fail(context, PL_ERROR_ARGUMENT, "the mesh definition is NULL");
  pl_status status = def_take(context, pl_mesh_def, def, out);
  return status == PL_OK ? mesh_check(context, out) : status;
}

pl_status pl_mesh_check(pl_context *context, const pl_mesh_def *def)
{
  pl_mesh_def mesh;
  return mesh_take(context, def, &mesh);
}
