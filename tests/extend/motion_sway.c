/* A motion added from outside: p = rest + swing * direction. Data: both arrays, in double.
 * Invariant: swing is in [-1, 1], so that the reach is |rest| + |direction|. Cost: O(1) to set;
 * a vertex is evaluated where a leaf is opened. */
#include "extend/motion_sway.h"

#include "body/body.h"
#include "mesh/mesh.h"

enum { SWAYS = MOTION_OTHERS }; /* the trait that its source reads */

typedef struct sway {
  double *rest, *direction; /* 3 per vertex */
  double swing;
} sway;

static void evaluate(const void *controls, const uint32_t *list, uint32_t first, uint32_t count, double (*out)[3])
{
  const sway *s = controls;
  for (uint32_t i = 0; i < count; ++i) {
    size_t v = 3 * (size_t)(list ? list[i] : first + i);
    for (size_t k = 0; k < 3; ++k) out[i][k] = s->rest[v + k] + s->swing * s->direction[v + k];
  }
}

static void destroy(pl_context *context, void *controls)
{
  sway *s = controls;
  mem_free(&context->def.allocator, s->rest);
  mem_free(&context->def.allocator, s->direction);
  mem_free(&context->def.allocator, s);
}

extern const motion_kind pl_inside_motion_SWAY;
const motion_kind pl_inside_motion_SWAY = {
    .traits = SWAYS, .evaluate = evaluate, .destroy = destroy, .instead = "its swing"};

static sway *controls_of(pl_context *context, const pl_mesh_def *mesh, const double *directions)
{
  const pl_allocator *allocator = &context->def.allocator;
  size_t n = mesh->positions.count;
  sway *s = mem_new(allocator, 1, sizeof *s);
  if (!s) return NULL;
  s->rest = mem_raw(allocator, n, 3 * sizeof *s->rest);
  s->direction = mem_raw(allocator, n, 3 * sizeof *s->direction);
  if (!s->rest || !s->direction) {
    destroy(context, s);
    return NULL;
  }
  for (size_t v = 0; v < n; ++v) positions_get(mesh->positions, v, s->rest + 3 * v);
  for (size_t i = 0; i < 3 * n; ++i) s->direction[i] = directions[i];
  return s;
}

pl_status sway_create(pl_context *context, const pl_mesh_def *mesh, const double *directions, const pl_body_def *def,
                      pl_body **out)
{
  *out = NULL;
  pl_body_def d;
  pl_status status = body_check_def(context, def, PL_MOTION_SWAY, &d);
  if (status == PL_OK) status = mesh_check(context, mesh);
  if (status != PL_OK) return status;
  motion m;
  motion_init(&m, PL_MOTION_SWAY, mesh->positions.count, &d);
  m.controls = controls_of(context, mesh, directions);
  m.now.controls = m.controls;
  m.now.type = PL_F64;
  if (!m.controls) return fail(context, PL_ERROR_MEMORY, "no memory for %zu directions", mesh->positions.count);
  return body_create(context, mesh, &d, &m, 1, out);
}

pl_status sway_set(pl_body *body, double swing)
{
  if (body->motion.name != PL_MOTION_SWAY || !(swing >= -1 && swing <= 1))
    return fail(body->context, PL_ERROR_ARGUMENT, "no body that sways, or a swing of %g: from -1 to 1", swing);
  ((sway *)body->motion.controls)->swing = swing;
  body_moved(body);
  return PL_OK;
}
