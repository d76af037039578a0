/* Checks on what callers give: a definition is refused whole, with a sentence that names the place.
 * Every check is one plain loop that only tells whether something is wrong, so that it runs as fast as memory; the index
 * for the message is looked for afterwards. Cost: O(vertices + triangles). */
#include "mesh/mesh.h"

#include <math.h>
#include <string.h>

static const size_t most_triangles = (size_t)1 << 30;

pl_mesh_def pl_mesh_def_default(void) { return (pl_mesh_def){.struct_size = sizeof(pl_mesh_def)}; }

static size_t scalar_size(pl_scalar type) { return type == PL_F32 ? sizeof(float) : sizeof(double); }

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

/* A number is finite unless its exponent is all ones. Sixteen flags side by side, so that compilers use wide registers. */
enum { LANES = 16 };

static bool packed_finite_f32(const char *data, size_t scalars)
{
  const uint32_t ones = 0x7f800000u;
  uint32_t bad[LANES] = {0};
  size_t i = 0;
  for (; i + LANES <= scalars; i += LANES) {
    uint32_t bits[LANES];
    memcpy(bits, data + i * sizeof(float), sizeof bits);
    for (int k = 0; k < LANES; ++k) bad[k] |= (bits[k] & ones) == ones ? UINT32_MAX : 0;
  }
  for (; i < scalars; ++i) {
    uint32_t bits;
    memcpy(&bits, data + i * sizeof bits, sizeof bits);
    bad[0] |= (bits & ones) == ones;
  }
  for (int k = 1; k < LANES; ++k) bad[0] |= bad[k];
  return !bad[0];
}

/* As above. */
static bool packed_finite_f64(const char *data, size_t scalars)
{
  const uint64_t ones = 0x7ff0000000000000u;
  uint64_t bad[LANES] = {0};
  size_t i = 0;
  for (; i + LANES <= scalars; i += LANES) {
    uint64_t bits[LANES];
    memcpy(bits, data + i * sizeof(double), sizeof bits);
    /* All ones plus one in the exponent's last place carries into the sign's place, and nothing else does. */
    for (int k = 0; k < LANES; ++k) bad[k] |= (bits[k] & ones) + ((uint64_t)1 << 52);
  }
  for (; i < scalars; ++i) {
    uint64_t bits;
    memcpy(&bits, data + i * sizeof bits, sizeof bits);
    bad[0] |= (bits & ones) + ((uint64_t)1 << 52);
  }
  for (int k = 1; k < LANES; ++k) bad[0] |= bad[k];
  return !(bad[0] >> 63);
}

static bool strided_finite(pl_positions p)
{
  uint64_t bad = 0;
  const char *at = p.data;
  for (size_t v = 0; v < p.count; ++v, at += p.stride) {
    if (p.type == PL_F32) {
      uint32_t bits[3];
      memcpy(bits, at, sizeof bits);
      for (int i = 0; i < 3; ++i) bad |= (bits[i] & 0x7f800000u) == 0x7f800000u;
    } else {
      uint64_t bits[3];
      memcpy(bits, at, sizeof bits);
      for (int i = 0; i < 3; ++i) bad |= (bits[i] & 0x7ff0000000000000u) == 0x7ff0000000000000u;
    }
  }
  return !bad;
}

bool positions_finite(pl_positions p)
{
  if (p.count == 0) return true;
  if (p.stride != 3 * scalar_size(p.type)) return strided_finite(p);
  return p.type == PL_F32 ? packed_finite_f32(p.data, 3 * p.count) : packed_finite_f64(p.data, 3 * p.count);
}

static pl_status fail_not_finite(pl_context *context, pl_positions p)
{
  for (size_t v = 0; v < p.count; ++v) {
    double xyz[3];
    positions_get(p, v, xyz);
    for (int i = 0; i < 3; ++i)
      if (!isfinite(xyz[i]))
        return fail(context, PL_ERROR_POSITIONS, "vertex %zu is not finite (%s): its %c must be a number", v,
                    isnan(xyz[i]) ? "nan" : xyz[i] > 0 ? "inf" : "-inf", "xyz"[i]);
  }
  return fail(context, PL_ERROR_POSITIONS, "a vertex is not finite"); /* the caller's array changed meanwhile */
}

/* All but the numbers themselves. */
static pl_status positions_check_view(pl_context *context, pl_positions p)
{
  if (p.type != PL_F32 && p.type != PL_F64)
    return fail(context, PL_ERROR_ARGUMENT, "positions have type %d: it must be PL_F32 or PL_F64", (int)p.type);
  if (p.count == 0) return PL_OK;
  size_t scalar = scalar_size(p.type);
  if (!p.data) return fail(context, PL_ERROR_ARGUMENT, "positions have no data (NULL) for %zu vertices", p.count);
  if ((uintptr_t)p.data % scalar != 0)
    return fail(context, PL_ERROR_ARGUMENT, "positions are not aligned to their scalar of %zu bytes", scalar);
  if (p.stride < 3 * scalar)
    return fail(context, PL_ERROR_ARGUMENT, "positions have a stride of %zu bytes: a vertex takes %zu", p.stride, 3 * scalar);
  if (p.stride % scalar != 0)
    return fail(context, PL_ERROR_ARGUMENT, "positions have a stride of %zu bytes: it must be a multiple of %zu", p.stride,
                scalar);
  if (p.count > UINT32_MAX)
    return fail(context, PL_ERROR_ARGUMENT, "%zu vertices are too many: at most %u", p.count, (unsigned)UINT32_MAX);
  if (p.stride > SIZE_MAX / p.count)
    return fail(context, PL_ERROR_ARGUMENT, "%zu vertices with a stride of %zu bytes do not fit in memory", p.count, p.stride);
  return PL_OK;
}

pl_status positions_check(pl_context *context, pl_positions positions)
{
  if (!context) return PL_ERROR_ARGUMENT;
  pl_status status = positions_check_view(context, positions);
  if (status != PL_OK) return status;
  return positions_finite(positions) ? PL_OK : fail_not_finite(context, positions);
}

static pl_status check_indices(pl_context *context, const pl_mesh_def *def)
{
  size_t vertices = def->positions.count;
  uint32_t greatest = 0;
  for (size_t i = 0; i < 3 * def->triangle_count; ++i) greatest = def->triangles[i] > greatest ? def->triangles[i] : greatest;
  if (greatest < vertices) return PL_OK;
  for (size_t i = 0; i < 3 * def->triangle_count; ++i)
    if (def->triangles[i] >= vertices)
      return fail(context, PL_ERROR_MESH, "triangle %zu names vertex %u of %zu", i / 3, def->triangles[i], vertices);
  return fail(context, PL_ERROR_MESH, "a triangle names a vertex of none"); /* the caller's array changed meanwhile */
}

pl_status mesh_check(pl_context *context, const pl_mesh_def *def)
{
  if (!context) return PL_ERROR_ARGUMENT;
  if (!def) return fail(context, PL_ERROR_ARGUMENT, "the mesh definition is missing (NULL)");
  if (def->struct_size != sizeof *def)
    return fail(context, PL_ERROR_ARGUMENT, "the mesh definition has size %zu, not %zu: start from pl_mesh_def_default()",
                def->struct_size, sizeof *def);
  if (def->triangle_count == 0) return fail(context, PL_ERROR_MESH, "the mesh has no triangle");
  if (def->triangle_count > most_triangles)
    return fail(context, PL_ERROR_MESH, "%zu triangles are too many: at most %zu", def->triangle_count, most_triangles);
  if (!def->triangles) return fail(context, PL_ERROR_ARGUMENT, "the mesh has no indices (NULL) for its triangles");
  if ((uintptr_t)def->triangles % sizeof(uint32_t) != 0)
    return fail(context, PL_ERROR_ARGUMENT, "the triangles' indices are not aligned to 4 bytes");
  pl_status status = positions_check_view(context, def->positions);
  if (status == PL_OK) status = check_indices(context, def);
  if (status != PL_OK) return status;
  return positions_finite(def->positions) ? PL_OK : fail_not_finite(context, def->positions);
}

pl_status pl_mesh_check(pl_context *context, const pl_mesh_def *def) { return mesh_check(context, def); }
