/* Stored positions: the motions `free` and `rigid`. Positions are checked whole, then copied or
 * viewed in place. Cost of new positions: one pass to check them, one to copy them, on all
 * workers. */
#include "motion/motion.h"

#include "mesh/mesh.h"

#include <float.h>
#include <math.h>
#include <string.h>

const motion_kind pl_inside_motion_FREE = {.traits = MOTION_STORED | MOTION_ANY_WAY};
const motion_kind pl_inside_motion_RIGID = {.traits = MOTION_STORED | MOTION_FIXED | MOTION_TRANSFORMS,
                                            .instead = "its transform"};

static size_t packed_size(pl_scalar type) { return 3 * scalar_size(type); }

/* Reserves one scalar more than the positions have. */
pl_status motion_make_room(pl_context *context, motion *m, pl_scalar type)
{
  if (m->copy && (m->copied == PL_F64 || m->copied == type)) return PL_OK;
  const size_t count = m->copy_room > m->vertex_count ? m->copy_room : m->vertex_count;
  void *room = mem_raw(&context->def.allocator, count + 1, packed_size(type));
  if (!room) return fail(context, PL_ERROR_MEMORY, "no memory for %zu positions", m->vertex_count);
  mem_free(&context->def.allocator, m->copy);
  m->copy = room;
  m->copied = type;
  m->copy_room = count;
  return PL_OK;
}

pl_status motion_reserve(pl_context *context, motion *m, size_t count)
{
  if (m->borrow || !m->copy || count <= m->copy_room) return PL_OK;
  const size_t more = count + count / 2;
  if (!mem_widen_block(&context->def.allocator, &m->copy, m->vertex_count, more + 1, packed_size(m->copied)))
    return fail(context, PL_ERROR_MEMORY, "no memory for %zu positions", count);
  m->copy_room = more;
  if (!m->now.evaluate) m->now.data = m->copy;
  return PL_OK;
}

pl_status motion_view(pl_context *context, motion *m, bool stored)
{
  m->now.type = PL_F64;
  m->now.controls = m->controls;
  if (!stored) return PL_OK;
  pl_status status = motion_make_room(context, m, PL_F64);
  if (status != PL_OK) return status;
  m->now.evaluate = NULL;
  m->now.data = m->copy;
  m->now.stride = packed_size(PL_F64);
  return PL_OK;
}

enum { PIECE = 2048 }; /* vertices that one task evaluates */

typedef struct evaluation {
  const motion *motion;
  double (*out)[3];
} evaluation;

static void evaluate_task(void *data, int task, int worker)
{
  const evaluation *e = data;
  const motion *m = e->motion;
  size_t first = (size_t)task * PIECE, count = m->vertex_count - first < PIECE ? m->vertex_count - first : PIECE;
  m->kind->evaluate(m->controls, NULL, (uint32_t)first, (uint32_t)count, e->out + first);
}

void motion_evaluate_into(pl_context *context, const motion *m, double (*out)[3])
{
  int tasks = (int)((m->vertex_count + PIECE - 1) / PIECE);
  evaluation e = {m, out};
  if (parallel_for(context, tasks > 1, evaluate_task, &e, tasks) == PL_OK) return;
  for (int i = 0; i < tasks; ++i) evaluate_task(&e, i, 0); /* no threads could be started */
}

void motion_evaluate_all(pl_context *context, motion *m)
{
  if (!m->now.evaluate) motion_evaluate_into(context, m, (double(*)[3])m->copy);
}

static void copy_some(char *to, pl_positions from)
{
  size_t size = packed_size(from.type);
  if (from.stride == size) {
    memcpy(to, from.data, from.count * size);
    return;
  }
  for (size_t v = 0; v < from.count; ++v) memcpy(to + v * size, (const char *)from.data + v * from.stride, size);
}

typedef struct copying {
  char *to;
  pl_positions from;
} copying;

static void copy_task(void *data, int task, int worker)
{
  const copying *c = data;
  copy_some(c->to + (size_t)task * POSITIONS_PIECE * packed_size(c->from.type), positions_piece(c->from, task));
}

/* On all workers where there are many. */
static void copy_positions(pl_context *context, char *to, pl_positions from)
{
  copying c = {to, from};
  if (from.count <= POSITIONS_PIECE || parallel_for(context, true, copy_task, &c, positions_pieces(from)) != PL_OK)
    copy_some(to, from);
}

static double reach_of(pl_positions positions)
{
  /* no transform takes it out of the range of double: no need to check */
  if (positions.type == PL_F32) return FLT_MAX;
  return positions_size(positions);
}

pl_status motion_set_positions(pl_context *context, motion *m, pl_positions positions)
{
  if (positions.count != m->vertex_count)
    return fail(context, PL_ERROR_MISMATCH, "%zu positions for a body of %zu vertices", positions.count,
                m->vertex_count);
  double reach = 0;
  pl_status status = positions_check(context, positions);
  if (status == PL_OK && m->transforms) {
    reach = reach_of(positions);
    status = motion_check_reach(context, m, reach, m->now.transform);
  }
  if (status == PL_OK && !m->borrow) status = motion_make_room(context, m, positions.type);
  if (status != PL_OK) return status;
  m->reach = reach;
  m->now.type = positions.type;
  m->now.exponent =
      positions.type == PL_F64 && !positions_are_ordinary(positions) ? motion_exponent(positions_size(positions)) : 0;
  motion_place(m);
  if (m->borrow) {
    m->now.data = positions.data;
    m->now.stride = positions.stride;
  } else {
    copy_positions(context, m->copy, positions);
    m->now.data = m->copy;
    m->now.stride = packed_size(positions.type);
  }
  return PL_OK;
}

static pl_positions one_vertex(const motion *m, uint32_t v)
{
  return (pl_positions){m->now.data + m->now.stride * v, 1, m->now.stride, m->now.type};
}

pl_status motion_check_vertices(pl_context *context, const motion *m, const uint32_t *vertices, size_t count,
                                pl_positions positions)
{
  if (count && !vertices) return fail(context, PL_ERROR_ARGUMENT, "vertices is NULL");
  for (size_t i = 0; i < count; ++i)
    if (vertices[i] >= m->vertex_count)
      return fail(context, PL_ERROR_ARGUMENT, "entry %zu names vertex %u of %zu", i, vertices[i], m->vertex_count);
  if (m->borrow) {
    if (positions.data)
      return fail(context, PL_ERROR_ARGUMENT, "a borrowing body reads its own array: pass positions without data");
    for (size_t i = 0; i < count; ++i)
      if (!positions_finite(one_vertex(m, vertices[i]), context->isa))
        return fail(context, PL_ERROR_POSITIONS, "vertex %u is not finite", vertices[i]);
    return PL_OK;
  }
  if (positions.count != count)
    return fail(context, PL_ERROR_MISMATCH, "%zu positions for %zu vertices", positions.count, count);
  if (count && positions.type != m->now.type)
    return fail(context, PL_ERROR_MISMATCH, "the body's positions are %s: give the moved ones in the same type",
                m->now.type == PL_F32 ? "float" : "double");
  return positions_check(context, positions);
}

/* The reach only grows: the vertex that had it may be among those that moved. */
static pl_status extend_reach(pl_context *context, motion *m, const uint32_t *vertices, size_t count,
                              pl_positions positions)
{
  if (!m->transforms || !count) return PL_OK;
  double reach = m->reach;
  if (!m->borrow) reach = fmax(reach, reach_of(positions));
  for (size_t i = 0; m->borrow && i < count; ++i) reach = fmax(reach, reach_of(one_vertex(m, vertices[i])));
  pl_status status = motion_check_reach(context, m, reach, m->now.transform);
  if (status == PL_OK) m->reach = reach;
  return status;
}

/* Returns whether a vertex has left the range of float volumes. */
static bool leaves_range(const motion *m, const uint32_t *vertices, size_t count)
{
  const double most = ldexp(0x1p100, m->now.exponent);
  for (size_t i = 0; m->now.type == PL_F64 && i < count; ++i)
    if (!(positions_size(one_vertex(m, vertices[i])) < most)) return true;
  return false;
}

pl_status motion_set_vertices(pl_context *context, motion *m, const uint32_t *vertices, size_t count,
                              pl_positions positions, bool *rescaled)
{
  *rescaled = false;
  pl_status status = extend_reach(context, m, vertices, count, positions);
  if (status != PL_OK) return status;
  size_t size = packed_size(m->now.type);
  for (size_t i = 0; !m->borrow && i < count; ++i)
    memcpy((char *)m->copy + vertices[i] * size, (const char *)positions.data + i * positions.stride, size);
  if (!leaves_range(m, vertices, count)) return PL_OK;
  *rescaled = true;
  m->now.exponent =
      motion_exponent(positions_size((pl_positions){m->now.data, m->vertex_count, m->now.stride, m->now.type}));
  motion_place(m);
  return PL_OK;
}
