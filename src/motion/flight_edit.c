/* Bodies with flight plans whose meshes are edited: plans of new vertices, which begin at the
 * present time. */
#include "mesh/mesh.h"
#include "motion/flight.h"

#include <math.h>
#include <string.h>

static pl_status check(pl_context *context, const flight *f, const growth *by)
{
  const pl_edit *e = by->edit;
  const size_t left = f->s < 1 ? f->poses.count - 1 - (size_t)f->degree * f->segment : 0;
  if (!by->added) return PL_OK;
  if (e->pose_count && (e->pose_count != left || !e->poses))
    return fail(context, PL_ERROR_MISMATCH,
                "%zu poses for the plans of new vertices: from the present time on there are %zu; 0: they stand still",
                e->pose_count, left);
  pl_status status = flight_check_pose(context, 0, e->vertices, by->added);
  for (size_t i = 0; i < e->pose_count && status == PL_OK; ++i)
    status = flight_check_pose(context, i, e->poses[i], by->added);
  for (size_t i = 0; i <= e->pose_count && status == PL_OK; ++i)
    if (positions_size(i ? e->poses[i - 1] : e->vertices) > FLIGHT_MOST)
      status = fail(context, PL_ERROR_POSITIONS, "plans of new vertices must stay within %g", FLIGHT_MOST);
  return status;
}

/* ------------------------------------------------------------------------------------ room -- */

/* Each array by itself: what has grown before memory runs out has the same content. */
static bool reserve(const pl_allocator *allocator, flight *f, size_t count)
{
  const size_t room = count + count / 2, n = f->vertex_count, per_path = 3 * (size_t)(f->degree + 1);
  if (count <= f->room) return f->renewed || mem_widen(allocator, &f->renewed, 0, f->room + 1);
  while (f->spare.count) mem_free(allocator, f->spare.data[--f->spare.count]);
  bool good = mem_widen(allocator, &f->path, per_path * n, per_path * (room + 1)) &&
              mem_widen(allocator, &f->renewed, n, room + 1) &&
              (!f->named || mem_widen(allocator, &f->named, n, room + 1));
  for (size_t i = 0; good && i < f->poses.count; ++i) good = mem_widen(allocator, &f->poses.data[i], n, room + 1);
  if (good) f->room = room;
  return good;
}

static pl_status prepare(pl_context *context, motion *m, const growth *by, bool *whole)
{
  flight *f = m->controls;
  double reach = flight_reach(f, f->segment);
  pl_status status = check(context, f, by);
  for (size_t i = 0; status == PL_OK && by->added && i <= by->edit->pose_count; ++i)
    reach = fmax(reach, positions_size(i ? by->edit->poses[i - 1] : by->edit->vertices));
  if (status == PL_OK && by->added && reach > FLIGHT_MOST)
    status = fail(context, PL_ERROR_POSITIONS, "bodies that go beyond %g take no new vertices", FLIGHT_MOST);
  if (status == PL_OK) status = motion_check_reach(context, m, reach, m->now.transform);
  if (status == PL_OK && by->count && !reserve(&context->def.allocator, f, by->vertex_count))
    status = fail(context, PL_ERROR_MEMORY, "no memory for the plans of %u vertices", by->vertex_count);
  return status == PL_OK ? flight_before(f, f->time, true) : status;
}

/* ------------------------------------------------------------------------------------ grow -- */

static void copy_of(flight *f, uint32_t v, uint32_t from)
{
  const size_t row = 3 * (size_t)(f->degree + 1);
  for (size_t p = 0; p < f->poses.count; ++p) memcpy(f->poses.data[p][v], f->poses.data[p][from], 3 * sizeof(double));
  memcpy(f->path + row * v, f->path + row * from, row * sizeof *f->path);
}

/* It stands at a place, until flight_change() gives it a plan. */
static void stand(flight *f, uint32_t v, const double at[3])
{
  const size_t terms = (size_t)(f->degree + 1);
  for (size_t p = 0; p < f->poses.count; ++p) {
    memcpy(f->poses.data[p][v], at, 3 * sizeof *at);
    flight_box_add(f->boxes.data[p], at);
  }
  for (size_t k = 0; k < 3; ++k)
    for (size_t c = 0; c < terms; ++c) f->path[(3 * (size_t)v + k) * terms + c] = at[k];
}

static void grow(motion *m, const growth *by)
{
  flight *f = m->controls;
  const pl_edit *e = by->edit;
  if (!by->count) return;
  f->vertex_count = by->vertex_count;
  for (size_t i = by->added; i < by->count; ++i) copy_of(f, by->vertices[i], growth_from(by, i));
  for (size_t i = 0; i < by->added; ++i) {
    double at[3];
    positions_get(e->vertices, i, at);
    stand(f, by->vertices[i], at);
  }
  for (size_t p = 0; by->added && p < f->poses.count; ++p)
    f->sizes.data[p] = fmax(f->sizes.data[p], positions_size(e->vertices));
  if (by->added && e->pose_count) flight_change(f, by->vertices, by->added, e->poses);
  ++f->changes;
  for (size_t i = 0; i < by->count; ++i) f->renewed[by->vertices[i]] = f->changes;
  if (by->added) f->changed = f->time;
  motion_set_reach(m, flight_reach(f, f->segment));
}

static void shrink(motion *m, size_t vertex_count) { ((flight *)m->controls)->vertex_count = vertex_count; }

const motion_edits flight_edits = {.prepare = prepare, .grow = grow, .shrink = shrink};
