/* Bodies whose vertices follow governors: creating them, and setting their governors. With a strategy that reads stored positions all
 * vertices are evaluated when governors are set, on all workers; with the others only those of opened leaves are. */
#include "body/body.h"

#include "core/version.h"
#include "mesh/mesh.h"
#include "motion/governed.h"

#include <string.h>

void pl_skin_def_init(pl_skin_def *def, size_t struct_size)
{
  const pl_skin_def full = {0};
  def_fill(def, struct_size, &full, sizeof full);
}

/* --------------------------------------------------------------------------------------------- stored positions -- */

enum { PIECE = 2048 }; /* vertices that one task evaluates */

static void evaluate_task(void *data, int task, int worker)
{
  motion *m = data;
  size_t first = (size_t)task * PIECE, count = m->vertex_count - first < PIECE ? m->vertex_count - first : PIECE;
  (void)worker;
  m->kind->evaluate(m->controls, NULL, (uint32_t)first, (uint32_t)count, (double(*)[3])m->copy + first);
}

static void evaluate_all(pl_context *context, motion *m)
{
  int tasks = (int)((m->vertex_count + PIECE - 1) / PIECE);
  if (m->now.evaluate) return;
  if (parallel_for(context, tasks > 1, evaluate_task, m, tasks) == PL_OK) return;
  for (int i = 0; i < tasks; ++i) evaluate_task(m, i, 0); /* no threads could be started */
}

/* The motion's view of positions, evaluated or stored. */
static pl_status view_positions(pl_context *context, motion *m, governed *g)
{
  m->now.type = PL_F64;
  m->now.controls = g;
  if (!g->stored) return PL_OK;
  m->copy = mem_raw(&context->def.allocator, m->vertex_count + 1, 3 * sizeof(double));
  if (!m->copy) return fail(context, PL_ERROR_MEMORY, "no memory for %zu positions", m->vertex_count);
  m->copied = PL_F64;
  m->now.evaluate = NULL;
  m->now.data = m->copy;
  m->now.stride = 3 * sizeof(double);
  return PL_OK;
}

static void set_reach(motion *m, double reach)
{
  m->reach = reach;
  m->now.exponent = motion_exponent(reach);
  motion_place(m);
}

/* ------------------------------------------------------------------------------------------------------ creating -- */

/* Takes over *g, also on failure; its governors are set. *shape: triangles, and positions that the tree is built on. */
static pl_status create(pl_context *context, const pl_mesh_def *shape, governed *g, pl_motion name,
                        const pl_body_def *def, pl_body **out)
{
  motion m;
  double reach = 0;
  motion_init(&m, name, g->vertex_count, def);
  m.controls = g;
  pl_status status = governed_check(context, g, g->now, &reach);
  if (status == PL_OK) status = view_positions(context, &m, g);
  if (status != PL_OK) {
    motion_free(context, &m);
    return status;
  }
  set_reach(&m, reach);
  evaluate_all(context, &m);
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
  if (out) *out = NULL;
  if (!context) return PL_ERROR_ARGUMENT;
  if (!out) return fail(context, PL_ERROR_ARGUMENT, "no place for the body: out is NULL");
  if (!skin) return fail(context, PL_ERROR_ARGUMENT, "the skin definition is NULL");
  pl_body_def d;
  pl_mesh_def m;
  pl_skin_def s;
  governed *g = NULL;
  pl_status status = body_check_def(context, def, PL_MOTION_SKIN, &d);
  if (status == PL_OK) status = mesh_take(context, mesh, &m);
  if (status == PL_OK) status = def_take(context, pl_skin_def, skin, &s);
  if (status == PL_OK && s.weights.vertex_count != m.positions.count)
    status = fail(context, PL_ERROR_MISMATCH, "weights of %zu vertices for a mesh of %zu", s.weights.vertex_count,
                  m.positions.count);
  if (status == PL_OK) status = new_governed(context, &s.weights, s.bone_count, false, &d, &g);
  if (status != PL_OK) return status;
  status = governed_set_rest(context, g, m.positions);
  if (status == PL_OK) {
    governed_set(g, g->now);
    return create(context, &m, g, PL_MOTION_SKIN, &d, out);
  }
  governed_destroy(context, g);
  return status;
}

/* ------------------------------------------------------------------------------------------------------- setting -- */

/* New governors, as many as the body has. */
static pl_status set_governors(pl_body *body, const pl_transform *to)
{
  motion *m = &body->motion;
  double reach;
  pl_status status = governed_check(body->context, m->controls, to, &reach);
  if (status == PL_OK) status = motion_check_reach(body->context, m, reach, m->now.transform);
  if (status != PL_OK) return status;
  governed_set(m->controls, to);
  set_reach(m, reach);
  evaluate_all(body->context, m);
  body_moved(body);
  return PL_OK;
}

pl_status pl_body_set_bones(pl_body *body, const pl_transform *bones, size_t count)
{
  if (!body) return PL_ERROR_ARGUMENT;
  motion *m = &body->motion;
  if (m->name != PL_MOTION_SKIN)
    return fail(body->context, PL_ERROR_UNSUPPORTED, "a %s body has no bones", pl_motion_text(m->name));
  if (!bones) return fail(body->context, PL_ERROR_ARGUMENT, "the bones are NULL");
  size_t has = ((const governed *)m->controls)->governor_count;
  if (count != has) return fail(body->context, PL_ERROR_MISMATCH, "%zu bones for a body that has %zu", count, has);
  return set_governors(body, bones);
}
