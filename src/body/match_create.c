/* Creating bodies that match shapes, from triangles or from points alone. A point is the
 * triangle of three equal corners, so that every query for triangles works on it. */
#include "body/body.h"

#include "core/version.h"
#include "mesh/mesh.h"
#include "motion/match_normals.h"
#include "update/spheres.h"

#include <string.h>

/* The mesh, or one triangle for each point, which is the caller's to free. */
static pl_status take_shape(pl_context *context, const pl_mesh_def *mesh, pl_mesh_def *out, uint32_t **made)
{
  pl_status status = def_need(context, pl_mesh_def, mesh, out, "the mesh definition");
  *made = NULL;
  if (status != PL_OK || out->triangle_count || out->segment_count || out->point_count)
    return status == PL_OK ? mesh_check(context, out) : status;
  status = positions_check(context, out->positions);
  if (status != PL_OK) return status;
  size_t n = out->positions.count;
  if (n == 0 || n > (size_t)1 << 30) return fail(context, PL_ERROR_MESH, "%zu points: a body has 1 to 2^30 of them", n);
  *made = mem_raw(&context->def.allocator, n, 3 * sizeof **made);
  if (!*made) return fail(context, PL_ERROR_MEMORY, "no memory for %zu points", n);
  for (size_t i = 0; i < 3 * n; ++i) (*made)[i] = (uint32_t)(i / 3);
  out->triangles = *made;
  out->triangle_count = n;
  return PL_OK;
}

/* Normals of the definition point outward. */
static pl_status check_normals(pl_context *context, pl_positions normals, size_t count)
{
  if (!normals.data) return PL_OK;
  if (normals.count != count)
    return fail(context, PL_ERROR_MISMATCH, "%zu normals for %zu points", normals.count, count);
  pl_status status = positions_check(context, normals);
  for (size_t i = 0; status == PL_OK && i < count; ++i) {
    double n[3];
    positions_get(normals, i, n);
    if (n[0] == 0 && n[1] == 0 && n[2] == 0)
      status =
          fail(context, PL_ERROR_ARGUMENT, "the normal of point %zu is 0: leave normals out, or give one to each", i);
  }
  return status;
}

static pl_status create_spheres(pl_body *body, const pl_match_def *def, const pl_mesh_def *shape, bool no_triangles)
{
  pl_context *context = body->context;
  match *m = body->motion.controls;
  sphere_normals normals = {mem_new(&context->def.allocator, m->point_count, 3 * sizeof(double)),
                            no_triangles && !def->normals.data};
  body->spheres = mem_new(&context->def.allocator, 1, sizeof *body->spheres);
  pl_status status = normals.inward && body->spheres
                         ? PL_OK
                         : fail(context, PL_ERROR_MEMORY, "no memory for the spheres of %zu points", m->point_count);
  if (status == PL_OK) status = match_normals(context, m, def->normals, no_triangles ? NULL : shape, normals.inward);
  if (status == PL_OK) status = spheres_create(context, &body->motion, def->leaf_points, &normals, body->spheres);
  mem_free(&context->def.allocator, normals.inward);
  if (status == PL_OK) body->spheres->alone = no_triangles;
  return status;
}

/* Normals of the points that the triangles of a tree have; those of splits are those of the
 * vertices that they come from. */
static pl_status normals_of_grown(pl_body *body, const growth *by, double *inward)
{
  pl_context *context = body->context;
  const size_t count = prims_ids(&body->tree->prims);
  const pl_positions none = {0};
  pl_mesh_def shape = pl_mesh_def_default();
  uint32_t *triangles = mem_raw(&context->def.allocator, count + 1, 3 * sizeof *triangles);
  if (!triangles) return fail(context, PL_ERROR_MEMORY, "no memory for %zu triangles", count);
  for (uint32_t i = 0; i < count; ++i) {
    const uint32_t *corners = places_corners(body->tree, i);
    if (corners) memcpy(triangles + 3 * shape.triangle_count++, corners, 3 * sizeof *corners);
  }
  shape.triangles = triangles;
  const pl_status status =
      match_normals(context, body->motion.controls, none, body->spheres->alone ? NULL : &shape, inward);
  mem_free(&context->def.allocator, triangles);
  for (size_t i = by->added; status == PL_OK && i < by->count; ++i)
    memcpy(inward + 3 * (size_t)by->vertices[i], inward + 3 * (size_t)growth_from(by, i), 3 * sizeof *inward);
  return status;
}

void body_free_spheres(pl_body *body, spheres *s)
{
  spheres_free(body->context, s);
  mem_free(&body->context->def.allocator, s);
}

void body_take_spheres(pl_body *body, spheres *s)
{
  body_free_spheres(body, body->spheres);
  body->spheres = s;
}

pl_status body_grown_spheres(pl_body *body, const growth *by, spheres **out)
{
  pl_context *context = body->context;
  const match *m = body->motion.controls;
  *out = mem_new(&context->def.allocator, 1, sizeof **out);
  sphere_normals normals = {mem_new(&context->def.allocator, m->point_count, 3 * sizeof(double)), body->spheres->alone};
  pl_status status = *out && normals.inward
                         ? normals_of_grown(body, by, normals.inward)
                         : fail(context, PL_ERROR_MEMORY, "no memory for the spheres of %zu points", m->point_count);
  if (status == PL_OK) status = spheres_create(context, &body->motion, body->spheres->most_points, &normals, *out);
  mem_free(&context->def.allocator, normals.inward);
  if (status == PL_OK) {
    (*out)->alone = body->spheres->alone;
    return PL_OK;
  }
  mem_free(&context->def.allocator, *out);
  *out = NULL;
  return status;
}

/* Takes over *controls, also on failure. */
static pl_status create(pl_context *context, const pl_mesh_def *shape, match *controls, const pl_body_def *def,
                        pl_body **out)
{
  motion m;
  motion_init(&m, PL_MOTION_MATCH, controls->point_count, def);
  m.controls = controls;
  m.now.controls = controls;
  m.now.type = PL_F64;
  m.now.evaluate = motion_kind_of(PL_MOTION_MATCH)->evaluate;
  return body_create(context, shape, def, &m, 1, out);
}

static pl_status take_match(pl_context *context, const pl_match_def *match_def, const pl_mesh_def *shape,
                            const pl_body_def *def, pl_match_def *d, match **out)
{
  pl_status status = def_take(context, pl_match_def, match_def, d);
  if (status == PL_OK) status = check_normals(context, d->normals, shape->positions.count);
  if (status != PL_OK) return status;
  match *m = mem_new(&context->def.allocator, 1, sizeof *m);
  if (!m) return fail(context, PL_ERROR_MEMORY, "no memory for a body that matches shapes");
  status = match_create(context, d, shape->positions, m);
  if (status != PL_OK) {
    mem_free(&context->def.allocator, m);
    return status;
  }
  m->stored = update_reads_stored(def->strategy);
  *out = m;
  return PL_OK;
}

pl_status pl_body_create_match(pl_context *context, const pl_mesh_def *mesh, const pl_match_def *match_def,
                               const pl_body_def *def, pl_body **out)
{
  pl_body_def d;
  pl_mesh_def shape = {0};
  pl_match_def how;
  match *m = NULL;
  uint32_t *made = NULL;
  pl_body *body = NULL;
  pl_status status = body_begin(context, PL_MOTION_MATCH, def, &d, out);
  if (status == PL_OK && strategy_row_of(d.strategy)->model_space)
    status =
        fail(context, PL_ERROR_UNSUPPORTED, "a match body cannot be updated by %s, which takes a transform: use auto",
             pl_word(PL_WORDS_STRATEGY, d.strategy));
  if (status == PL_OK) status = take_shape(context, mesh, &shape, &made);
  if (status == PL_OK) status = take_match(context, match_def, &shape, &d, &how, &m);
  if (status == PL_OK) status = create(context, &shape, m, &d, &body);
  if (status == PL_OK) status = create_spheres(body, &how, &shape, made != NULL);
  if (status == PL_OK) status = body_match_positions(body, shape.positions);
  mem_free(&context->def.allocator, made);
  if (status != PL_OK) {
    pl_body_destroy(body);
    return status;
  }
  *out = body;
  return PL_OK;
}
