#include "motion/morph.h"

#include "core/version.h"
#include "mesh/mesh.h"
#include "motion/between.h"

#include <math.h>
#include <string.h>

static pl_status check_def(pl_context *context, const pl_morph_def *d, size_t vertex_count)
{
  if ((unsigned)d->kind >= PL_MORPH_COUNT) return fail(context, PL_ERROR_ARGUMENT, "unknown kind of morph");
  if (d->reference_count < 1 || d->reference_count > MORPH_MOST || !d->references)
    return fail(context, PL_ERROR_ARGUMENT, "%d references: there must be 1 to %d", d->reference_count, MORPH_MOST);
  if (d->build_reference < -1 || d->build_reference >= d->reference_count)
    return fail(context, PL_ERROR_ARGUMENT, "build_reference is %d, but there are %d references", d->build_reference,
                d->reference_count);
  if (!(d->weight_low <= d->weight_high) || !isfinite(d->weight_low) || !isfinite(d->weight_high))
    return fail(context, PL_ERROR_ARGUMENT, "the range of weights is empty or not finite");
  pl_status between = between_check(context, d);
  if (between != PL_OK) return between;
  for (int i = 0; i < d->reference_count; ++i) {
    if (d->references[i].count != vertex_count)
      return fail(context, PL_ERROR_MISMATCH, "reference %d has %zu vertices, but the mesh has %zu", i,
                  d->references[i].count, vertex_count);
    pl_status status = positions_check(context, d->references[i]);
    if (status != PL_OK) return status;
  }
  return PL_OK;
}

static void copy_reference(morph *m, int index, pl_positions from)
{
  for (size_t v = 0; v < m->vertex_count; ++v) {
    size_t at = (v * (size_t)m->count + (size_t)index) * 3;
    double q[3];
    positions_get(from, v, q);
    morph_put(m, at, q);
  }
}

static void list_active(morph *m)
{
  m->active_count = 0;
  for (int i = 0; i < m->count; ++i)
    if (m->coefficient[i] != 0) m->active[m->active_count++] = i;
}

pl_status morph_create(pl_context *context, const pl_morph_def *def, size_t vertex_count, morph *out)
{
  memset(out, 0, sizeof *out);
  pl_status status = check_def(context, def, vertex_count);
  if (status != PL_OK) return status;
  const pl_allocator *allocator = &context->def.allocator;
  morph *m = out;
  *m = (morph){.kind = def->kind, .low = def->weight_low, .high = def->weight_high, .count = def->reference_count};
  m->vertex_count = m->room = vertex_count;
  for (int i = 0; i < m->count; ++i)
    if (def->references[i].type == PL_F64) m->type = PL_F64;
  size_t scalar = scalar_size(m->type);
  m->references = mem_raw(allocator, vertex_count * (size_t)m->count + 1, 3 * scalar);
  if (!(m->references && mem_take_new(allocator, &m->coefficient, (size_t)m->count) &&
        mem_take_new(allocator, &m->size, (size_t)m->count) && mem_take_new(allocator, &m->active, (size_t)m->count))) {
    morph_free(context, m);
    return fail(context, PL_ERROR_MEMORY, "no memory for %d references of %zu vertices", def->reference_count,
                vertex_count);
  }
  for (int i = 0; i < m->count; ++i) {
    copy_reference(m, i, def->references[i]);
    m->size[i] = positions_size(def->references[i]);
  }
  m->coefficient[0] = 1;
  list_active(m);
  status = between_create(context, def, m, &m->knots);
  if (status != PL_OK) morph_free(context, m);
  return status;
}

void morph_free(pl_context *context, morph *m)
{
  between_free(context, &m->knots);
  mem_free_all(&context->def.allocator, m->lists, m->references, m->coefficient, m->size, m->active);
  memset(m, 0, sizeof *m);
}

pl_status morph_check(pl_context *context, const morph *m, const double *weights, int count, double *reach)
{
  int wanted = m->kind == PL_MORPH_CONVEX ? m->count : m->count - 1;
  if (count != wanted || (count && !weights))
    return fail(context, PL_ERROR_MISMATCH, "%d weights for a body that takes %d", count, wanted);
  double low = m->kind == PL_MORPH_CONVEX ? 0 : m->low, high = m->kind == PL_MORPH_CONVEX ? 1 : m->high, sum = 0;
  int additive = m->kind == PL_MORPH_ADDITIVE; /* the base has no weight of its own */
  double size = additive ? m->size[0] : 0;
  for (int i = 0; i < count; ++i) {
    if (!(weights[i] >= low && weights[i] <= high))
      return fail(context, PL_ERROR_ARGUMENT, "weight %d is %g: it must be from %g to %g", i, weights[i], low, high);
    sum += weights[i];
    size += fabs(weights[i]) * m->size[i + additive];
  }
  if (m->kind == PL_MORPH_CONVEX && !(fabs(sum - 1) <= 1e-6))
    return fail(context, PL_ERROR_ARGUMENT, "the weights add up to %.9g: they must add up to 1", sum);
  if (!isfinite(size))
    return fail(context, PL_ERROR_POSITIONS, "the weights take positions out of the range of double");
  *reach = size;
  return PL_OK;
}

void morph_set(morph *m, const double *weights, int count)
{
  if (count) memcpy(m->coefficient + (m->kind == PL_MORPH_ADDITIVE), weights, (size_t)count * sizeof *weights);
  list_active(m);
}

pl_positions morph_reference(const morph *m, int index)
{
  size_t scalar = scalar_size(m->type);
  return pl_positions_strided(m->type, (const char *)m->references + 3 * scalar * (size_t)index, m->vertex_count,
                              3 * scalar * (size_t)m->count);
}

/* ---------------------------------------------------------------------- the row of the table -- */

static size_t lists_size(leaf_lists leaves, const morph *m)
{
  return ((size_t)leaves.leaf_count * MORPH_FIRST + 3 * (size_t)leaves.first[leaves.leaf_count]) * (size_t)m->count +
         MORPH_SPARE; /* loads are as wide as a register */
}

static void make_list(const morph *m, const uint32_t *list, uint32_t n, int reference, float *to)
{
  const float *from = (const float *)m->references + 3 * (size_t)reference;
  size_t step = 3 * (size_t)m->count;
  float most = 0;
  for (size_t a = 0; a < 3; ++a) {
    to[a] = from[list[0] * step + a];
    for (uint32_t k = 0; k < n; ++k) {
      float d = from[list[k] * step + a] - to[a];
      to[MORPH_FIRST + a * n + k] = d;
      most = fabsf(d) > most ? fabsf(d) : most;
    }
  }
  to[3] = most;
}

void morph_leaves(void *controls, leaf_lists all, const uint32_t *leaves, size_t count)
{
  const morph *m = controls;
  for (size_t k = 0; m->lists && k < count; ++k) {
    const uint32_t first = all.first[leaves[k]], n = all.first[leaves[k] + 1] - first;
    for (int i = 0; i < m->count; ++i)
      make_list(m, all.list + first, n, i, morph_list(m, leaves[k]) + (size_t)i * MORPH_LIST(n));
  }
}

static pl_status attach(pl_context *context, void *controls, leaf_lists leaves, size_t *bytes)
{
  morph *m = controls;
  if (m->type != PL_F32) return PL_OK;
  float *lists = mem_new(&context->def.allocator, lists_size(leaves, m), sizeof *lists);
  if (!lists) return fail(context, PL_ERROR_MEMORY, "no memory for the leaves of %d references", m->count);
  mem_free(&context->def.allocator, m->lists);
  m->lists = lists;
  m->leaf_first = leaves.first;
  for (uint32_t leaf = 0; leaf < leaves.leaf_count; ++leaf) morph_leaves(m, leaves, &leaf, 1);
  *bytes += lists_size(leaves, m) * sizeof *lists;
  return PL_OK;
}

static void evaluate(const void *controls, const uint32_t *list, uint32_t first, uint32_t count, double (*out)[3])
{
  for (uint32_t i = 0; i < count; ++i) morph_point(controls, list ? list[i] : first + i, out[i]);
}

static bool lanes_ready(const void *controls)
{
  const double safe = 0x1p60; /* so that sums of floats do not overflow */
  const morph *m = controls;
  bool ready = m->lists != NULL;
  for (int k = 0; k < m->active_count; ++k) ready = ready && fabs(m->coefficient[m->active[k]]) < safe;
  return ready;
}

static void destroy(pl_context *context, void *controls)
{
  morph_free(context, controls);
  mem_free(&context->def.allocator, controls);
}

const motion_kind pl_inside_motion_MORPH = {.traits = MOTION_SUMS | MOTION_TRANSFORMS,
                                            .evaluate = evaluate,
                                            .attach = attach,
                                            .lanes_ready = lanes_ready,
                                            .destroy = destroy,
                                            .instead = "its transform or its weights",
                                            .edits = &morph_edits};
