/* Morphing bodies whose meshes are edited: new vertices have a place in every reference. */
#include "mesh/mesh.h"
#include "motion/morph.h"

#include <math.h>
#include <string.h>

/* The new vertices in a reference. */
static pl_positions places_in(const growth *by, int reference)
{
  return reference ? by->edit->poses[reference - 1] : by->edit->vertices;
}

static pl_status check(pl_context *context, const morph *m, const growth *by)
{
  if (!by->added) return PL_OK;
  if (by->edit->pose_count != (size_t)(m->count - 1) || (m->count > 1 && !by->edit->poses))
    return fail(context, PL_ERROR_MISMATCH,
                "%zu new vertices in %zu poses: a morph of %d references needs %d beside `vertices`", by->added,
                by->edit->poses ? by->edit->pose_count : 0, m->count, m->count - 1);
  pl_status status = PL_OK;
  for (int i = 0; i < m->count && status == PL_OK; ++i) {
    const pl_positions p = places_in(by, i);
    if (p.count != by->added)
      return fail(context, PL_ERROR_MISMATCH, "%zu positions in reference %d for %zu new vertices", p.count, i,
                  by->added);
    status = positions_check(context, p);
    if (status == PL_OK && m->type == PL_F32 && p.type != PL_F32)
      status = fail(context, PL_ERROR_MISMATCH, "the references are float: give new vertices in the same type");
  }
  return status;
}

static bool reserve(const pl_allocator *allocator, morph *m, size_t count)
{
  if (count <= m->room) return true;
  const size_t room = count + count / 2, one = (size_t)m->count * 3 * scalar_size(m->type);
  if (!mem_widen_block(allocator, &m->references, m->vertex_count, room + 1, one)) return false;
  m->room = room;
  return true;
}

/* Sizes of the references, and the reach of the present weights, with the new vertices. */
static double sizes_with(const morph *m, const growth *by, double *sizes)
{
  double reach = 0;
  for (int i = 0; i < m->count; ++i) {
    const double more = by->added ? positions_size(places_in(by, i)) : 0;
    sizes[i] = fmax(m->size[i], more);
    reach += fabs(m->coefficient[i]) * sizes[i];
  }
  return reach;
}

static int exponent_of(const morph *m, const double *sizes)
{
  double most = 0;
  for (int i = 0; i < m->count; ++i) most = fmax(most, sizes[i]);
  return m->type == PL_F64 ? motion_exponent(most) : 0;
}

static pl_status prepare(pl_context *context, motion *m, const growth *by, bool *whole)
{
  morph *controls = m->controls;
  double sizes[MORPH_MOST];
  pl_status status = check(context, controls, by);
  if (status != PL_OK || !by->count) return status;
  const double reach = sizes_with(controls, by, sizes);
  if (!isfinite(reach))
    return fail(context, PL_ERROR_POSITIONS, "the weights take new vertices out of the range of double");
  status = motion_check_reach(context, m, reach, m->now.transform);
  if (status != PL_OK) return status;
  if (exponent_of(controls, sizes) != m->now.exponent) *whole = true;
  if (reserve(&context->def.allocator, controls, by->vertex_count)) return PL_OK;
  return fail(context, PL_ERROR_MEMORY, "no memory for %d references of %u vertices", controls->count,
              by->vertex_count);
}

static void grow(motion *m, const growth *by)
{
  morph *controls = m->controls;
  double sizes[MORPH_MOST];
  const size_t one = (size_t)controls->count * 3, scalar = scalar_size(controls->type);
  char *to = controls->references;
  if (!by->count) return;
  m->reach = sizes_with(controls, by, sizes);
  memcpy(controls->size, sizes, (size_t)controls->count * sizeof *sizes);
  for (size_t i = 0; i < by->count; ++i) {
    const size_t at = by->vertices[i] * one;
    for (int r = 0; i < by->added && r < controls->count; ++r) {
      double q[3];
      positions_get(places_in(by, r), i, q);
      morph_put(controls, at + 3 * (size_t)r, q);
    }
    if (i >= by->added) memcpy(to + at * scalar, to + growth_from(by, i) * one * scalar, one * scalar);
  }
  controls->vertex_count = by->vertex_count;
  m->now.exponent = exponent_of(controls, sizes);
  motion_place(m);
}

static void shrink(motion *m, size_t vertex_count) { ((morph *)m->controls)->vertex_count = vertex_count; }

static void rest(const void *controls, const uint32_t *list, uint32_t first, uint32_t count, double (*out)[3])
{
  for (uint32_t i = 0; i < count; ++i) positions_get(morph_reference(controls, 0), list ? list[i] : first + i, out[i]);
}

const motion_edits morph_edits = {
    .prepare = prepare, .grow = grow, .shrink = shrink, .rest = rest, .leaves = morph_leaves};
