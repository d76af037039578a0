/* Bodies whose vertices follow governors: creating them, and setting their governors. With a
 * strategy that reads stored positions all vertices are evaluated when governors are set, on all
 * workers; with the others only those of opened leaves are. */
#include "body/body.h"

#include "body/mls.h"
#include "core/version.h"
#include "mesh/mesh.h"
#include "motion/governed.h"

#include <string.h>

/* ---------------------------------------------------------------------------------- creating -- */

/* Takes over *g, also on failure; its governors are set. *shape: triangles, and positions that
 * the tree is built on. */
static pl_status create(pl_context *context, const pl_mesh_def *shape, governed *g, pl_motion name,
                        const pl_body_def *def, pl_body **out)
{
  motion m;
  double reach = 0;
  motion_init(&m, name, g->vertex_count, def);
  m.controls = g;
  pl_status status = governed_check(context, g, g->now, &reach);
  if (status == PL_OK) status = motion_view(context, &m, g->stored);
  if (status != PL_OK) {
    motion_free(context, &m);
    return status;
  }
  motion_set_reach(&m, reach);
  motion_evaluate_all(context, &m);
  return body_create(context, shape, def, &m, 1, out);
}

/* Memory for controls, with its weights in it. */
static pl_status new_governed(pl_context *context, const pl_weights *weights, size_t governors, bool negative,
                              const pl_body_def *def, governed **out)
{
  governed *g = mem_new(&context->def.allocator, 1, sizeof *g);
  if (!g) return fail(context, PL_ERROR_MEMORY, "no memory for a body's governors");
  pl_status status = governed_create(context, weights, governors, negative, g);
  if (status != PL_OK) {
    mem_free(&context->def.allocator, g);
    return status;
  }
  g->stored = update_reads_stored(def->strategy);
  *out = g;
  return PL_OK;
}

pl_status pl_body_create_skin(pl_context *context, const pl_mesh_def *mesh, const pl_skin_def *skin,
                              const pl_body_def *def, pl_body **out)
{
  pl_body_def d;
  pl_mesh_def m = {0};
  pl_skin_def s = {0};
  governed *g = NULL;
  pl_status status = body_begin(context, PL_MOTION_SKIN, def, &d, out);
  if (status == PL_OK) status = mesh_take(context, mesh, &m);
  if (status == PL_OK) status = def_need(context, pl_skin_def, skin, &s, "the skin definition");
  if (status == PL_OK && s.weights.vertex_count != m.positions.count)
    status = fail(context, PL_ERROR_MISMATCH, "weights of %zu vertices for a mesh of %zu", s.weights.vertex_count,
                  m.positions.count);
  if (status == PL_OK) status = new_governed(context, &s.weights, s.bone_count, false, &d, &g);
  if (status != PL_OK) return status;
  status = governed_set_rest(context, g, m.positions);
  if (status == PL_OK) {
    governed_set(g, g->now);
    status = create(context, &m, g, PL_MOTION_SKIN, &d, out);
    if (status == PL_OK) status = body_may_choose(out, def);
    return status;
  }
  governed_destroy(context, g);
  return status;
}

/* The mesh of a body without positions of its own: these parts, at the positions that its governors
 * give. The caller frees `*xyz`. */
static pl_status shape_of(pl_context *context, const governed *g, const pl_mesh_def *parts, pl_mesh_def *out,
                          double **xyz)
{
  *xyz = mem_raw(&context->def.allocator, g->vertex_count, 3 * sizeof **xyz);
  if (!*xyz) return fail(context, PL_ERROR_MEMORY, "no memory for %zu positions", g->vertex_count);
  governed_evaluate(g, NULL, 0, (uint32_t)g->vertex_count, (double(*)[3]) * xyz);
  *out = *parts;
  out->positions = pl_positions_f64(*xyz, g->vertex_count);
  return mesh_check(context, out);
}

/* A body of control points. Takes over nothing. */
static pl_status create_controlled(pl_context *context, const pl_weights *weights, pl_positions controls,
                                   const pl_mesh_def *parts, pl_motion name, const pl_body_def *def, pl_body **out)
{
  governed *g = NULL;
  double *xyz = NULL, reach;
  pl_mesh_def shape;
  pl_status status = positions_check(context, controls);
  if (status == PL_OK) status = new_governed(context, weights, controls.count, true, def, &g);
  if (status != PL_OK) return status;
  status = governed_set_controls(context, g, controls);
  if (status == PL_OK) status = governed_check(context, g, g->now, &reach);
  if (status == PL_OK) {
    governed_set(g, g->now);
    status = shape_of(context, g, parts, &shape, &xyz);
  }
  if (status == PL_OK)
    status = create(context, &shape, g, name, def, out);
  else
    governed_destroy(context, g);
  mem_free(&context->def.allocator, xyz);
  return status;
}

pl_status pl_body_create_embed(pl_context *context, const pl_mesh_def *mesh, const pl_embed_def *embed,
                               const pl_body_def *def, pl_body **out)
{
  pl_body_def d;
  pl_mesh_def m = {0};
  pl_embed_def e = {0};
  pl_status status = body_begin(context, PL_MOTION_EMBED, def, &d, out);
  if (status == PL_OK) status = def_need(context, pl_mesh_def, mesh, &m, "the mesh definition");
  if (status == PL_OK) status = def_need(context, pl_embed_def, embed, &e, "the embed definition");
  if (status != PL_OK) return status;
  status = create_controlled(context, &e.weights, e.controls, &m, PL_MOTION_EMBED, &d, out);
  if (status == PL_OK) status = body_may_choose(out, def);
  return status;
}

static pl_weights weights_of(const subdivision *s)
{
  return (pl_weights){.vertex_count = s->vertex_count,
                      .first = s->first,
                      .governors = s->governor,
                      .values = s->weight,
                      .type = PL_F64};
}

pl_status pl_body_create_subdivide(pl_context *context, const pl_mesh_def *control, const pl_subdivide_def *subdivide,
                                   const pl_body_def *def, pl_body **out)
{
  pl_body_def d;
  pl_mesh_def m = {0};
  pl_subdivide_def how = {0};
  subdivision s = {0};
  pl_status status = body_begin(context, PL_MOTION_SUBDIVIDE, def, &d, out);
  if (status == PL_OK) status = mesh_take(context, control, &m);
  if (status == PL_OK) status = def_take(context, pl_subdivide_def, subdivide, &how);
  if (status == PL_OK) status = subdivision_create(context, &m, how.levels, &s);
  if (status != PL_OK) return status;
  pl_weights weights = weights_of(&s);
  pl_mesh_def parts = pl_mesh_def_default();
  parts.triangles = s.triangles;
  parts.triangle_count = s.triangle_count;
  status = create_controlled(context, &weights, m.positions, &parts, PL_MOTION_SUBDIVIDE, &d, out);
  if (status == PL_OK) ((governed *)(*out)->motion.controls)->together = (size_t)1 << 2 * how.levels;
  if (status == PL_OK) status = body_may_choose(out, def);
  subdivision_free(context, &s);
  return status;
}

/* Creates the governed body of a mesh and its particles, from computed weights. */
static pl_status create_points(pl_context *context, const pl_mesh_def *m, const pl_particles_def *p, double radius,
                               const subdivision *rows, const pl_body_def *def, pl_body **out)
{
  governed *g = NULL;
  const pl_weights weights = weights_of(rows);
  pl_status status = new_governed(context, &weights, p->particles.count, false, def, &g);
  if (status != PL_OK) return status;
  status = governed_set_rest(context, g, m->positions);
  if (status == PL_OK) status = governed_set_controls(context, g, p->particles);
  if (status == PL_OK) status = mls_neighbours(context, g, radius);
  if (status != PL_OK) {
    governed_destroy(context, g);
    return status;
  }
  governed_set(g, g->now);
  return create(context, m, g, PL_MOTION_POINTS, def, out);
}

pl_status pl_body_create_points(pl_context *context, const pl_mesh_def *mesh, const pl_particles_def *particles,
                                const pl_body_def *def, pl_body **out)
{
  pl_body_def d;
  pl_mesh_def m = {0};
  pl_particles_def p = {0};
  subdivision rows = {0};
  pl_status status = body_begin(context, PL_MOTION_POINTS, def, &d, out);
  if (status == PL_OK) status = mesh_take(context, mesh, &m);
  if (status == PL_OK) status = def_need(context, pl_particles_def, particles, &p, "the particles definition");
  if (status == PL_OK) status = positions_check(context, p.particles);
  if (status == PL_OK && (p.particles.count == 0 || !(p.radius >= 0) || isinf(p.radius)))
    status = fail(context, PL_ERROR_ARGUMENT, "%zu particles with a radius of %g: at least one, and 0 or more",
                  p.particles.count, p.radius);
  const double most = 1e150; /* squares of distances stay in range */
  if (status == PL_OK && (positions_size(m.positions) > most || positions_size(p.particles) > most))
    status = fail(context, PL_ERROR_POSITIONS, "a particle or a vertex at rest is further out than %g", most);
  double radius = status == PL_OK ? p.radius : 0;
  if (status == PL_OK) status = mls_weights(context, m.positions, p.particles, &radius, &rows);
  if (status != PL_OK) return status;
  status = create_points(context, &m, &p, radius, &rows, &d, out);
  if (status == PL_OK) status = body_may_choose(out, def);
  subdivision_free(context, &rows);
  return status;
}

/* ----------------------------------------------------------------------------------- setting -- */

/* New governors, as many as the body has; within a change of it. */
static pl_status set_governors(pl_body *body, const pl_transform *to)
{
  motion *m = &body->motion;
  double reach;
  pl_status status = governed_check(body->context, m->controls, to, &reach);
  if (status == PL_OK) status = motion_check_reach(body->context, m, reach, m->now.transform);
  if (status != PL_OK) return status;
  governed_set(m->controls, to);
  motion_set_reach(m, reach);
  motion_evaluate_all(body->context, m);
  body_moved(body);
  return PL_OK;
}

pl_status pl_body_set_bones(pl_body *body, const pl_transform *bones, size_t count)
{
  if (!body) return fail_null("body");
  motion *m = &body->motion;
  if (m->name != PL_MOTION_SKIN)
    return fail(body->context, PL_ERROR_UNSUPPORTED, "a %s body has no bones", pl_word(PL_WORDS_MOTION, m->name));
  if (!bones) return fail(body->context, PL_ERROR_ARGUMENT, "bones is NULL");
  size_t has = ((const governed *)m->controls)->governor_count;
  if (count != has) return fail(body->context, PL_ERROR_MISMATCH, "%zu bones for a body that has %zu", count, has);
  pl_status status = body_change(body);
  if (status != PL_OK) return status;
  return body_changed(body, set_governors(body, bones));
}

/* Computes the governors of controls at new places, into g->next. */
static void take_controls(governed *g, pl_positions controls)
{
  for (size_t k = 0; k < g->governor_count; ++k) {
    g->next[k] = pl_transform_identity();
    positions_get(controls, k, g->next[k].t);
  }
  if (!g->near_first) return;
  for (size_t k = 0; k < g->governor_count; ++k) memcpy(g->places + 3 * k, g->next[k].t, sizeof g->next[k].t);
  mls_transforms(g, g->places, g->next);
}

pl_status pl_body_set_controls(pl_body *body, pl_positions controls)
{
  if (!body) return fail_null("body");
  pl_context *context = body->context;
  motion *m = &body->motion;
  governed *g = m->kind->traits & MOTION_GOVERNED ? m->controls : NULL;
  if (!g || !g->next)
    return fail(context, PL_ERROR_UNSUPPORTED, "a %s body has no control points", pl_word(PL_WORDS_MOTION, m->name));
  if (controls.count != g->governor_count)
    return fail(context, PL_ERROR_MISMATCH, "%zu control points for a body that has %zu", controls.count,
                g->governor_count);
  pl_status status = positions_check(context, controls);
  if (status == PL_OK) status = body_change(body);
  if (status != PL_OK) return status;
  take_controls(g, controls);
  return body_changed(body, set_governors(body, g->next));
}

pl_status pl_body_triangles(const pl_body *body, uint32_t *triangles, size_t capacity)
{
  if (!body) return fail_null("body");
  const primitives *p = &body->tree->prims;
  if (!triangles) return fail(body->context, PL_ERROR_ARGUMENT, "triangles is NULL");
  if (capacity < prims_ids(p))
    return fail(body->context, PL_ERROR_BUFFER, "room for %zu triangles, %u are needed", capacity, prims_ids(p));
  for (size_t i = 0; i < p->triangle_count; ++i)
    for (size_t c = 0; c < 3 && p->tri_id[i] < prims_ids(p); ++c)
      triangles[3 * (size_t)p->tri_id[i] + c] = p->tri[3 * i + c];
  return PL_OK;
}
