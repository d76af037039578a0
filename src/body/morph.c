/* Bodies that morph: their tree blends stored volumes where a walk goes, and evaluates vertices
 * only in leaves that it opens. */
#include "body/body.h"

#include "core/version.h"
#include "mesh/mesh.h"
#include "motion/morph.h"

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
static pl_status create(pl_context *context, const pl_mesh_def *mesh, morph *controls, int build_reference,
                        const pl_body_def *def, pl_body **out)
{
  motion m;
  double size = 0;
  motion_init(&m, PL_MOTION_MORPH, controls->vertex_count, def);
  m.controls = controls;
  m.now.controls = controls;
  m.now.type = controls->type;
  m.reach = controls->size[0]; /* those of the first weights */
  for (int i = 0; i < controls->count; ++i) size = fmax(size, controls->size[i]);
  if (controls->type == PL_F64) m.now.exponent = motion_exponent(size);
  motion_place(&m);
  double *xyz = build_shape(context, controls, build_reference);
  pl_mesh_def shape = *mesh;
  shape.positions = pl_positions_f64(xyz, controls->vertex_count);
  pl_status status = xyz ? mesh_check(context, &shape)
                         : fail(context, PL_ERROR_MEMORY, "no memory for %zu positions", controls->vertex_count);
  if (status == PL_OK)
    status = body_create(context, &shape, def, &m, 1, out);
  else
    motion_free(context, &m);
  mem_free(&context->def.allocator, xyz);
  return status;
}

pl_status pl_body_create_morph(pl_context *context, const pl_mesh_def *mesh, const pl_morph_def *morph_def,
                               const pl_body_def *def, pl_body **out)
{
  pl_body_def d;
  pl_mesh_def shape;
  pl_morph_def references;
  pl_status status = body_begin(context, PL_MOTION_MORPH, def, &d, out);
  if (status == PL_OK) status = def_need(context, pl_mesh_def, mesh, &shape, "the mesh definition");
  if (status == PL_OK) status = def_need(context, pl_morph_def, morph_def, &references, "the morph definition");
  if (status != PL_OK) return status;
  size_t vertices = references.references && references.reference_count > 0 ? references.references[0].count : 0;
  morph *controls = mem_new(&context->def.allocator, 1, sizeof *controls);
  if (!controls) return fail(context, PL_ERROR_MEMORY, "no memory for a morph");
  status = morph_create(context, &references, vertices, controls);
  if (status == PL_OK) return create(context, &shape, controls, references.build_reference, &d, out);
  mem_free(&context->def.allocator, controls);
  return status;
}

pl_status pl_body_set_weights(pl_body *body, const double *weights, int count)
{
  if (!body) return fail_null("body");
  pl_context *context = body->context;
  motion *m = &body->motion;
  if (m->name != PL_MOTION_MORPH)
    return fail(context, PL_ERROR_UNSUPPORTED, "a %s body has no weights", pl_word(PL_WORDS_MOTION, m->name));
  double reach;
  pl_status status = body_change(body);
  if (status != PL_OK) return status;
  status = morph_check(context, m->controls, weights, count, &reach);
  if (status == PL_OK) status = motion_check_reach(context, m, reach, m->now.transform);
  if (status == PL_OK) {
    morph_set(m->controls, weights, count);
    m->reach = reach;
    body_moved(body);
  }
  return body_changed(body, status);
}
