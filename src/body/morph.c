/* Bodies that morph: their tree blends stored volumes where a walk goes, and evaluates vertices only in leaves it opens. */
#include "body/body.h"

#include "mesh/mesh.h"

#include <string.h>

/* The shape that the tree is built on. */
static double *build_shape(pl_context *context, const morph *m, int reference)
{
  double *xyz = mem_new(&context->def.allocator, m->vertex_count, 3 * sizeof *xyz);
  if (!xyz) return NULL;
  int first = reference >= 0 ? reference : 0;
  int last = reference >= 0 || m->kind == PL_MORPH_ADDITIVE ? first : m->count - 1;
  for (int i = first; i <= last; ++i)
    for (size_t v = 0; v < m->vertex_count; ++v) {
      double q[3];
      positions_get(morph_reference(m, i), v, q);
      for (int k = 0; k < 3; ++k) xyz[3 * v + (size_t)k] += q[k] / (last - first + 1);
    }
  return xyz;
}

/* Takes over *m, also on failure. */
static pl_status create(pl_context *context, const pl_mesh_def *mesh, morph *m, const pl_morph_def *morph_def,
                        const pl_body_def *def, pl_body **out)
{
  double *xyz = build_shape(context, m, morph_def->build_reference);
  if (!xyz) {
    morph_free(context, m);
    return fail(context, PL_ERROR_MEMORY, "no memory for %zu positions", m->vertex_count);
  }
  pl_mesh_def shape = *mesh;
  shape.positions = pl_positions_f64(xyz, m->vertex_count);
  pl_body *body = NULL;
  pl_status status = mesh_check(context, &shape);
  if (status == PL_OK) status = body_create(context, &shape, def, PL_MOTION_MORPH, &body);
  mem_free(&context->def.allocator, xyz);
  if (status != PL_OK) {
    morph_free(context, m);
    return status;
  }
  body->m = *m;
  body->reach = m->size[0]; /* as the first weights are */
  body->p = (points){.type = m->type, .morph = &body->m};
  status = blend_create(context, &body->t, &body->m, morph_def, body->u.shape, &body->b);
  if (status != PL_OK) {
    pl_body_destroy(body);
    return status;
  }
  body->u.b = &body->b;
  *out = body;
  return PL_OK;
}

pl_status pl_body_create_morph(pl_context *context, const pl_mesh_def *mesh, const pl_morph_def *morph_def,
                               const pl_body_def *def, pl_body **out)
{
  if (out) *out = NULL;
  if (!context) return PL_ERROR_ARGUMENT;
  if (!out || !mesh) return fail(context, PL_ERROR_ARGUMENT, "the mesh or the place for the body is NULL");
  pl_body_def d;
  morph m = {0};
  pl_status status = body_check_def(context, def, PL_MOTION_MORPH, &d);
  size_t vertices =
      morph_def && morph_def->references && morph_def->reference_count > 0 ? morph_def->references[0].count : 0;
  if (status == PL_OK) status = morph_create(context, morph_def, vertices, &m);
  if (status == PL_OK) status = create(context, mesh, &m, morph_def, &d, out);
  return status;
}

pl_status pl_body_set_weights(pl_body *body, const double *weights, int count)
{
  if (!body) return PL_ERROR_ARGUMENT;
  if (body->motion != PL_MOTION_MORPH)
    return fail(body->context, PL_ERROR_UNSUPPORTED, "a %s body has no weights", pl_motion_text(body->motion));
  double reach;
  pl_status status = morph_check(body->context, &body->m, weights, count, &reach);
  if (status == PL_OK) status = body_check_reach(body, reach, body->p.transform);
  if (status != PL_OK) return status;
  morph_set(&body->m, weights, count);
  body->reach = reach;
  blend_choose(&body->b);
  update_invalidate(&body->u);
  return PL_OK;
}
