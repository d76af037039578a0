/* Bodies with flight plans: creating them, setting their time, changing plans and triangles.
 * With a strategy that reads stored positions all vertices are evaluated when the time is set,
 * on all workers. */
#include "body/body.h"

#include "core/version.h"
#include "mesh/mesh.h"
#include "motion/flight.h"

#include <string.h>

static flight *plans_of(const pl_body *body)
{
  return body->motion.kind->traits & MOTION_PLANS ? body->motion.controls : NULL;
}

/* Begins a change of a body that has plans. */
static pl_status change(pl_body *body, flight **plans)
{
  *plans = body ? plans_of(body) : NULL;
  if (!body || *plans) return body_change(body);
  return fail(body->context, PL_ERROR_UNSUPPORTED, "a %s body has no flight plans",
              pl_word(PL_WORDS_MOTION, body->motion.name));
}

/* --------------------------------------------------------------------------------- positions -- */

/* The view of positions after a change of the time: stored ones are evaluated. */
static void follow(pl_context *context, motion *m)
{
  const flight *f = m->controls;
  motion_set_reach(m, flight_reach(f, f->segment));
  motion_evaluate_all(context, m);
}

/* ------------------------------------------------------------------------------------ create -- */

/* Takes over *f, also on failure. */
static pl_status create(pl_context *context, const pl_mesh_def *mesh, flight *f, const pl_body_def *def, pl_body **out)
{
  motion m;
  motion_init(&m, PL_MOTION_FLIGHT, f->vertex_count, def);
  m.controls = f;
  f->stored = update_reads_stored(def->strategy);
  pl_mesh_def shape = *mesh;
  shape.positions = pl_positions_f64(f->poses.data[0][0], f->vertex_count);
  pl_status status = mesh_check(context, &shape);
  if (status == PL_OK) status = motion_view(context, &m, f->stored);
  if (status != PL_OK) {
    motion_free(context, &m);
    return status;
  }
  follow(context, &m);
  return body_create(context, &shape, def, &m, 1, out);
}

pl_status pl_body_create_flight(pl_context *context, const pl_mesh_def *mesh, const pl_flight_def *flight_def,
                                const pl_body_def *def, pl_body **out)
{
  pl_body_def d;
  pl_mesh_def shape;
  pl_flight_def plans;
  flight *f = NULL;
  pl_status status = body_begin(context, PL_MOTION_FLIGHT, def, &d, out);
  if (status == PL_OK) status = def_need(context, pl_mesh_def, mesh, &shape, "the mesh definition");
  if (status == PL_OK) status = def_need(context, pl_flight_def, flight_def, &plans, "the flight definition");
  if (status != PL_OK) return status;
  status = flight_create(context, &plans, plans.poses && plans.pose_count ? plans.poses[0].count : 0, &f);
  if (status == PL_OK) status = create(context, &shape, f, &d, out);
  if (status == PL_OK) status = body_may_choose(out, def);
  return status;
}

/* -------------------------------------------------------------------------------------- time -- */

static pl_status check_reach(pl_body *body, size_t segment)
{
  const motion *m = &body->motion;
  return motion_check_reach(body->context, m, flight_reach(m->controls, segment), m->now.transform);
}

/* Checks new poses of a body that takes a transform; those of other bodies are checked
 * elsewhere. */
static pl_status check_poses(pl_body *body, const pl_positions *poses, size_t count)
{
  const motion *m = &body->motion;
  pl_status status = PL_OK;
  for (size_t i = 0; m->now.transform && poses && i < count && status == PL_OK; ++i) {
    status = positions_check(body->context, poses[i]);
    if (status == PL_OK) status = motion_check_reach(body->context, m, positions_size(poses[i]), m->now.transform);
  }
  return status;
}

pl_status pl_body_set_time(pl_body *body, double time)
{
  flight *f;
  pl_status status = change(body, &f);
  if (status != PL_OK) return status;
  status = flight_check_time(body->context, f, time);
  if (status == PL_OK) status = check_reach(body, flight_segment(f, time));
  if (status == PL_OK) {
    flight_set_time(f, time);
    follow(body->context, &body->motion);
    body_moved(body);
  }
  return body_changed(body, status);
}

pl_status pl_body_add_key(pl_body *body, double time, const pl_positions *poses, size_t pose_count)
{
  flight *f;
  pl_status status = change(body, &f);
  if (status != PL_OK) return status;
  status = check_poses(body, poses, pose_count);
  if (status == PL_OK) status = flight_add_key(body->context, f, time, poses, pose_count);
  if (status == PL_OK) { /* if the time is at the end of the last segment, the new one becomes the present one */
    follow(body->context, &body->motion);
    body_moved(body);
  }
  return body_changed(body, status);
}

/* ----------------------------------------------------------------------------------- changes -- */

static pl_status change_plans(pl_body *body, flight *f, const uint32_t *vertices, size_t count,
                              const pl_positions *poses, size_t pose_count)
{
  motion *m = &body->motion;
  uint64_t made = 0;
  pl_status status = flight_prepare_change(body->context, f, vertices, count, poses, pose_count);
  if (status == PL_OK) status = check_poses(body, poses, pose_count);
  if (status == PL_OK) status = forest_make_fans(&body->trees);
  if (status == PL_OK) status = body_update(body, &made); /* up to now the old plans are valid */
  if (status == PL_OK) status = flight_before(f, f->time, true);
  if (status != PL_OK) return status;
  flight_change(f, vertices, count, poses);
  for (size_t i = 0; f->stored && i < count; ++i)
    m->kind->evaluate(f, &vertices[i], 0, 1, (double(*)[3])m->copy + vertices[i]);
  const int exponent = m->now.exponent;
  motion_set_reach(m, flight_reach(f, f->segment));
  if (m->now.exponent != exponent) { /* the scale of the model's space has changed: all volumes are stale */
    ++f->version;
    body_moved(body);
    return PL_OK;
  }
  if (count) ++body->moves;
  forest_moved(&body->trees);
  update_vertices(body->update, vertices, count);
  return PL_OK;
}

pl_status pl_body_change_plans(pl_body *body, const uint32_t *vertices, size_t count, const pl_positions *poses,
                               size_t pose_count)
{
  flight *f;
  const pl_status status = change(body, &f);
  return status == PL_OK ? body_changed(body, change_plans(body, f, vertices, count, poses, pose_count)) : status;
}

pl_status pl_body_set_triangles(pl_body *body, const uint32_t *triangles, size_t count)
{
  flight *f;
  const pl_status status = change(body, &f);
  return status == PL_OK ? body_changed(body, body_exchange_triangles(body, triangles, count)) : status;
}

/* ------------------------------------------------------------------------------------- facts -- */

void flight_facts(const pl_body *body, pl_body_info *out)
{
  const flight *f = plans_of(body);
  if (!f) return;
  const double *times = f->times.data;
  const size_t last = f->times.count - 1;
  out->time = f->time;
  out->start = times[f->segment];
  out->end = times[f->segment < last ? f->segment + 1 : last];
  out->first_time = times[0];
  out->last_time = times[last];
}
