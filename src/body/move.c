/* New positions for a body: checked whole, then copied or looked at in place; volumes are left for later. */
#include "body/body.h"

#include "body/soup.h"
#include "mesh/mesh.h"

#include <string.h>

static size_t packed_size(pl_scalar type) { return type == PL_F32 ? 3 * sizeof(float) : 3 * sizeof(double); }

/* Room for all vertices of this type; one spare scalar behind. */
static pl_status make_room(pl_body *body, pl_scalar type)
{
  if (body->copy && (body->copied == PL_F64 || body->copied == type)) return PL_OK;
  void *room = mem_raw(&body->context->def.allocator, body->vertex_count + 1, packed_size(type));
  if (!room) return fail(body->context, PL_ERROR_MEMORY, "no memory for %zu positions", body->vertex_count);
  mem_free(&body->context->def.allocator, body->copy);
  body->copy = room;
  body->copied = type;
  return PL_OK;
}

static void copy_positions(char *to, pl_positions from)
{
  size_t size = packed_size(from.type);
  if (from.stride == size) {
    memcpy(to, from.data, from.count * size);
    return;
  }
  for (size_t v = 0; v < from.count; ++v) memcpy(to + v * size, (const char *)from.data + v * from.stride, size);
}

/* The calls that take positions are for free bodies. */
static pl_status check_free(const pl_body *body)
{
  if (body->motion == PL_MOTION_FREE) return PL_OK;
  return fail(body->context, PL_ERROR_UNSUPPORTED, "a %s body keeps its shape: set its transform%s instead",
              pl_motion_text(body->motion), body->motion == PL_MOTION_MORPH ? " or its weights" : "");
}

pl_status pl_body_set_positions(pl_body *body, pl_positions positions)
{
  if (!body) return PL_ERROR_ARGUMENT;
  pl_status status = check_free(body);
  return status == PL_OK ? body_take_positions(body, positions) : status;
}

pl_status body_take_positions(pl_body *body, pl_positions positions)
{
  if (positions.count != body->vertex_count)
    return fail(body->context, PL_ERROR_MISMATCH, "%zu positions for a body of %zu vertices", positions.count,
                body->vertex_count);
  double reach = 0;
  pl_status status = positions_check(body->context, positions);
  if (status == PL_OK && body_takes_transform(body)) {
    reach = body_reach_of(positions);
    status = body_check_reach(body, reach, body->p.transform);
  }
  if (status == PL_OK && !body->def.borrow) status = make_room(body, positions.type);
  if (status != PL_OK) return status;
  body->reach = reach;
  body->p.type = positions.type;
  if (body->def.borrow) {
    body->p.data = positions.data;
    body->p.stride = positions.stride;
  } else {
    copy_positions(body->copy, positions);
    body->p.data = body->copy;
    body->p.stride = packed_size(positions.type);
  }
  soup_choose(body);
  soup_moved(body);
  update_invalidate(&body->u);
  return PL_OK;
}

/* The moved vertices of a body that takes a transform. Its reach only grows: the vertex that had it may be among them. */
static pl_status extend_reach(pl_body *body, const uint32_t *vertices, size_t count, pl_positions positions)
{
  if (!body_takes_transform(body) || !count) return PL_OK;
  double reach = body->reach, one;
  if (!body->def.borrow) reach = fmax(reach, body_reach_of(positions));
  for (size_t i = 0; body->def.borrow && i < count; ++i) {
    one = body_reach_of((pl_positions){body->p.data + body->p.stride * vertices[i], 1, body->p.stride, body->p.type});
    reach = fmax(reach, one);
  }
  pl_status status = body_check_reach(body, reach, body->p.transform);
  if (status == PL_OK) body->reach = reach;
  return status;
}

/* All but their reach. */
static pl_status check_moved(pl_body *body, const uint32_t *vertices, size_t count, pl_positions positions)
{
  pl_context *context = body->context;
  if (count && !vertices) return fail(context, PL_ERROR_ARGUMENT, "no vertices: the list is NULL");
  for (size_t i = 0; i < count; ++i)
    if (vertices[i] >= body->vertex_count)
      return fail(context, PL_ERROR_ARGUMENT, "entry %zu names vertex %u of %zu", i, vertices[i], body->vertex_count);
  if (body->def.borrow) {
    if (positions.data)
      return fail(context, PL_ERROR_ARGUMENT, "a borrowing body reads its own array: pass positions without data");
    for (size_t i = 0; i < count; ++i) {
      pl_positions one = {body->p.data + body->p.stride * vertices[i], 1, body->p.stride, body->p.type};
      if (!positions_finite(one, context->isa))
        return fail(context, PL_ERROR_POSITIONS, "vertex %u is not finite", vertices[i]);
    }
    return PL_OK;
  }
  if (positions.count != count)
    return fail(context, PL_ERROR_MISMATCH, "%zu positions for %zu vertices", positions.count, count);
  if (count && positions.type != body->p.type)
    return fail(context, PL_ERROR_MISMATCH, "the body's positions are %s: give the moved ones in the same type",
                body->p.type == PL_F32 ? "float" : "double");
  return positions_check(context, positions);
}

pl_status pl_body_set_vertices(pl_body *body, const uint32_t *vertices, size_t count, pl_positions positions)
{
  if (!body) return PL_ERROR_ARGUMENT;
  pl_status status = check_free(body);
  if (status == PL_OK) status = check_moved(body, vertices, count, positions);
  if (status == PL_OK) status = soup_make_fans(body);
  if (status == PL_OK) status = extend_reach(body, vertices, count, positions);
  if (status != PL_OK) return status;
  if (!body->def.borrow) {
    size_t size = packed_size(body->p.type);
    for (size_t i = 0; i < count; ++i)
      memcpy((char *)body->copy + vertices[i] * size, (const char *)positions.data + i * positions.stride, size);
  }
  if (count) soup_moved(body);
  update_vertices(&body->u, vertices, count);
  return PL_OK;
}

pl_status pl_body_set_transform(pl_body *body, const pl_transform *transform)
{
  if (!body || !transform) return PL_ERROR_ARGUMENT;
  if (!body_takes_transform(body))
    return fail(body->context, PL_ERROR_UNSUPPORTED,
                "a free body has world positions: only the strategy bergen takes a transform");
  for (int i = 0; i < 3; ++i) {
    if (!isfinite(transform->t[i]))
      return fail(body->context, PL_ERROR_ARGUMENT, "the transform's shift is not finite along %c", "xyz"[i]);
    for (int j = 0; j < 3; ++j)
      if (!(fabs(transform->m[i][j]) <= 1e100)) /* so that floats need no further look */
        return fail(body->context, PL_ERROR_ARGUMENT, "the transform's matrix is %s in row %d, column %d",
                    isfinite(transform->m[i][j]) ? "too large" : "not finite", i, j);
  }
  pl_status status = body_check_reach(body, body->reach, transform);
  if (status != PL_OK) return status;
  body->transform = *transform;
  body->p.transform = &body->transform;
  return PL_OK;
}
