#include "motion/flight.h"

#include "core/version.h"
#include "mesh/mesh.h"

#include <string.h>

/* ------------------------------------------------------------------------------------- poses -- */

pl_status flight_check_pose(pl_context *context, size_t number, pl_positions pose, size_t count)
{
  if (pose.count != count)
    return fail(context, PL_ERROR_MISMATCH, "pose %zu has %zu positions where %zu are needed", number, pose.count,
                count);
  return positions_check(context, pose);
}

void flight_box_add(flight_box box, const double at[3])
{
  for (int k = 0; k < 3; ++k) {
    box[0][k] = at[k] < box[0][k] ? at[k] : box[0][k];
    box[1][k] = at[k] > box[1][k] ? at[k] : box[1][k];
  }
}

static void copy_pose(flight *f, size_t number, pl_positions from)
{
  flight_box box = {{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};
  for (size_t v = 0; v < f->vertex_count; ++v) {
    double *at = f->poses.data[number][v];
    positions_get(from, v, at);
    flight_box_add(box, at);
  }
  memcpy(f->boxes.data[number], box, sizeof box);
  f->sizes.data[number] = positions_size(from);
}

/* Reserves one more key: its poses are behind the others and do not count yet. */
static bool reserve_key(const pl_allocator *allocator, flight *f, size_t poses)
{
  size_t have = f->poses.count;
  if (!array_reserve(allocator, &f->times, f->times.count + 1) || !array_reserve(allocator, &f->poses, have + poses) ||
      !array_reserve(allocator, &f->sizes, have + poses) || !array_reserve(allocator, &f->boxes, have + poses) ||
      !array_reserve(allocator, &f->spare, have + poses + f->spare.count))
    return false;
  while (f->spare.count < poses) {
    double(*pose)[3] = mem_raw(allocator, f->room + 1, sizeof *pose);
    if (!pose) return false;
    f->spare.data[f->spare.count++] = pose;
  }
  return true;
}

/* Appends a checked key for which there is room. */
static void append_key(flight *f, double time, const pl_positions *poses, size_t count)
{
  f->times.data[f->times.count++] = time;
  for (size_t i = 0; i < count; ++i) {
    f->poses.data[f->poses.count] = f->spare.data[--f->spare.count];
    copy_pose(f, f->poses.count++, poses[i]);
  }
}

/* The coefficients of the present segment. */
static void load_segment(flight *f)
{
  const size_t degree = (size_t)f->degree, last = f->poses.count - 1, first = degree * f->segment;
  for (size_t c = 0; c <= degree; ++c) { /* with one key only, all are that pose */
    const double *from = f->poses.data[first + c < last ? first + c : last][0];
    for (size_t i = 0; i < 3 * f->vertex_count; ++i) f->path[i * (degree + 1) + c] = from[i];
  }
  ++f->version;
}

/* ------------------------------------------------------------------------------------ create -- */

static pl_status check_def(pl_context *context, const pl_flight_def *d, size_t vertex_count)
{
  if ((unsigned)d->path >= PL_PATH_COUNT) return fail(context, PL_ERROR_ARGUMENT, "unknown kind of path");
  if (!d->key_count || !d->times || !d->poses)
    return fail(context, PL_ERROR_ARGUMENT, "a flight plan needs at least one key: times and poses");
  size_t degree = d->path == PL_PATH_QUADRATIC ? 2 : 1, poses = degree * (d->key_count - 1) + 1;
  if (d->pose_count != poses)
    return fail(context, PL_ERROR_MISMATCH, "%zu poses for %zu keys: %s paths need %zu", d->pose_count, d->key_count,
                pl_word(PL_WORDS_PATH, d->path), poses);
  for (size_t i = 0; i < d->key_count; ++i)
    if (!isfinite(d->times[i]) || (i && !(d->times[i] > d->times[i - 1])))
      return fail(context, PL_ERROR_ARGUMENT, "time %zu of the keys is %g: times must be finite and ascend", i,
                  d->times[i]);
  if (!isfinite(d->times[d->key_count - 1] - d->times[0]))
    return fail(context, PL_ERROR_ARGUMENT, "the keys span more time than a double holds");
  pl_status status = PL_OK;
  for (size_t i = 0; i < poses && status == PL_OK; ++i)
    status = flight_check_pose(context, i, d->poses[i], vertex_count);
  return status;
}

pl_status flight_create(pl_context *context, const pl_flight_def *def, size_t vertex_count, flight **out)
{
  const pl_allocator *allocator = &context->def.allocator;
  *out = NULL;
  pl_status status = check_def(context, def, vertex_count);
  if (status != PL_OK) return status;
  flight *f = mem_new(allocator, 1, sizeof *f);
  if (f) {
    f->degree = def->path == PL_PATH_QUADRATIC ? 2 : 1;
    f->vertex_count = f->room = vertex_count;
    f->changed = -INFINITY;
    f->path = mem_raw(allocator, vertex_count + 1, 3 * (size_t)(f->degree + 1) * sizeof *f->path);
  }
  bool good = f && f->path;
  for (size_t i = 0; i < def->key_count && good; ++i) {
    size_t count = i ? (size_t)f->degree : 1;
    good = reserve_key(allocator, f, count);
    if (good) append_key(f, def->times[i], def->poses + (i ? f->poses.count : 0), count);
  }
  if (!good) {
    flight_destroy(context, f);
    return fail(context, PL_ERROR_MEMORY, "no memory for %zu poses of %zu vertices", def->pose_count, vertex_count);
  }
  f->time = f->times.data[0];
  load_segment(f);
  *out = f;
  return PL_OK;
}

void flight_destroy(pl_context *context, flight *f)
{
  if (!f) return;
  const pl_allocator *allocator = &context->def.allocator;
  for (listener *l; (l = f->listeners);) {
    f->listeners = l->next;
    l->end(l);
  }
  for (size_t i = 0; i < f->poses.count; ++i) mem_free(allocator, f->poses.data[i]);
  for (size_t i = 0; i < f->spare.count; ++i) mem_free(allocator, f->spare.data[i]);
  array_free_all(allocator, &f->times, &f->poses, &f->spare, &f->sizes, &f->boxes);
  mem_free_all(allocator, f->path, f->renewed, f->named, f);
}

/* -------------------------------------------------------------------------------------- time -- */

size_t flight_segment(const flight *f, double time)
{
  /* times[low] <= time; the last key belongs to the segment before it */
  size_t low = 0, high = f->times.count - 1;
  while (high - low > 1) {
    size_t middle = low + (high - low) / 2;
    if (f->times.data[middle] <= time)
      low = middle;
    else
      high = middle;
  }
  return low;
}

pl_status flight_check_time(pl_context *context, const flight *f, double time)
{
  double first = f->times.data[0], last = f->times.data[f->times.count - 1];
  if (!(time >= first && time <= last))
    return fail(context, PL_ERROR_ARGUMENT, "time %g is not within the flight plans: %g to %g", time, first, last);
  if (time < f->changed)
    return fail(context, PL_ERROR_ARGUMENT, "time %g is before the last change of a flight plan, at %g", time,
                f->changed);
  return PL_OK;
}

static double parameter_of(const flight *f, size_t segment, double time)
{
  if (f->times.count == 1) return 0;
  double start = f->times.data[segment], end = f->times.data[segment + 1];
  double s = (time - start) / (end - start);
  return s < 1 ? path_parameter(s) : 1;
}

void flight_set_time(flight *f, double time)
{
  size_t segment = flight_segment(f, time);
  double s = parameter_of(f, segment, time);
  if (segment != f->segment) {
    f->segment = segment;
    load_segment(f);
  } else if (s < f->s) {
    ++f->version;
  }
  f->time = time;
  f->s = s;
}

double flight_reach(const flight *f, size_t segment)
{
  double reach = 0;
  size_t first = (size_t)f->degree * segment;
  for (size_t i = first; i <= first + (size_t)f->degree && i < f->poses.count; ++i)
    reach = fmax(reach, f->sizes.data[i]);
  return reach;
}

/* -------------------------------------------------------------------------------------- keys -- */

/* Drops the keys before the present segment. */
static void drop_past(flight *f)
{
  size_t keys = f->segment, poses = keys * (size_t)f->degree;
  if (!keys) return;
  /* reserve_key() made room */
  for (size_t i = 0; i < poses; ++i) f->spare.data[f->spare.count++] = f->poses.data[i];
  f->times.count -= keys;
  f->poses.count -= poses;
  memmove(f->times.data, f->times.data + keys, f->times.count * sizeof *f->times.data);
  memmove(f->poses.data, f->poses.data + poses, f->poses.count * sizeof *f->poses.data);
  memmove(f->sizes.data, f->sizes.data + poses, f->poses.count * sizeof *f->sizes.data);
  memmove(f->boxes.data, f->boxes.data + poses, f->poses.count * sizeof *f->boxes.data);
  f->segment = 0;
}

pl_status flight_add_key(pl_context *context, flight *f, double time, const pl_positions *poses, size_t count)
{
  double last = f->times.data[f->times.count - 1];
  if (!isfinite(time) || !(time > last) || !isfinite(time - f->times.data[0]))
    return fail(context, PL_ERROR_ARGUMENT, "a key at time %g: it must be after the last one, at %g", time, last);
  if (count != (size_t)f->degree || !poses)
    return fail(context, PL_ERROR_MISMATCH, "%zu poses for a key: it takes %d", poses ? count : 0, f->degree);
  pl_status status = PL_OK;
  for (size_t i = 0; i < count && status == PL_OK; ++i)
    status = flight_check_pose(context, i, poses[i], f->vertex_count);
  if (status != PL_OK) return status;
  if (!reserve_key(&context->def.allocator, f, count))
    return fail(context, PL_ERROR_MEMORY, "no memory for a key of %zu vertices", f->vertex_count);
  if (f->segment) status = flight_before(f, f->times.data[f->segment], false);
  if (status != PL_OK) return status;
  drop_past(f);
  append_key(f, time, poses, count);
  flight_set_time(f, f->time);
  if (f->times.count == 2) load_segment(f); /* the only key has become a segment */
  return PL_OK;
}

/* ----------------------------------------------------------------------------------- changes -- */

/* Each vertex of the list is there, and no vertex is named twice. */
static pl_status check_list(pl_context *context, flight *f, const uint32_t *vertices, size_t count)
{
  if (count && !vertices) return fail(context, PL_ERROR_ARGUMENT, "vertices is NULL");
  if (!f->named) f->named = mem_new(&context->def.allocator, f->room + 1, sizeof *f->named);
  if (!f->named) return fail(context, PL_ERROR_MEMORY, "no memory for new plans");
  ++f->lists;
  for (size_t i = 0; i < count; ++i) {
    const uint32_t v = vertices[i];
    if (v >= f->vertex_count)
      return fail(context, PL_ERROR_ARGUMENT, "entry %zu names vertex %u of %zu", i, v, f->vertex_count);
    if (f->named[v] == f->lists)
      return fail(context, PL_ERROR_ARGUMENT, "entry %zu names vertex %u, as an earlier one does: name each once", i,
                  v);
    f->named[v] = f->lists;
  }
  return PL_OK;
}

pl_status flight_prepare_change(pl_context *context, flight *f, const uint32_t *vertices, size_t count,
                                const pl_positions *poses, size_t pose_count)
{
  size_t left = f->poses.count - 1 - (size_t)f->degree * f->segment;
  if (!left || f->s >= 1)
    return fail(context, PL_ERROR_UNSUPPORTED, "the flight plans end at %g: add a key before they change",
                f->times.data[f->times.count - 1]);
  if (pose_count != left || !poses)
    return fail(context, PL_ERROR_MISMATCH, "%zu poses for new plans: from the present time on there are %zu",
                poses ? pose_count : 0, left);
  pl_status status = check_list(context, f, vertices, count);
  for (size_t i = 0; i < left && status == PL_OK; ++i) {
    status = flight_check_pose(context, i, poses[i], count);
    if (status == PL_OK && positions_size(poses[i]) > FLIGHT_MOST)
      status = fail(context, PL_ERROR_POSITIONS, "plans that change must stay within %g", FLIGHT_MOST);
  }
  if (status == PL_OK && flight_reach(f, f->segment) > FLIGHT_MOST)
    status = fail(context, PL_ERROR_POSITIONS, "the plans of bodies that go beyond %g cannot change", FLIGHT_MOST);
  if (status != PL_OK || f->renewed) return status;
  f->renewed = mem_new(&context->def.allocator, f->room + 1, sizeof *f->renewed);
  return f->renewed ? PL_OK : fail(context, PL_ERROR_MEMORY, "no memory for new plans");
}

/* The first coefficient of the path that is at `here` at s, given the others. Its rounding moves
 * that point by less than 2 units in the last place of it or of the others. */
static double start_of(const double *c, int degree, double s, double here)
{
  double r = 1 - s;
  if (degree == 1) return (here - s * c[1]) / r;
  return (here - s * (2 * r * c[1] + s * c[2])) / (r * r);
}

void flight_change(flight *f, const uint32_t *vertices, size_t count, const pl_positions *poses)
{
  const size_t degree = (size_t)f->degree, first = degree * f->segment;
  ++f->changes;
  for (size_t i = 0; i < count; ++i) {
    uint32_t v = vertices[i];
    double target[3];
    for (size_t p = first + 1; p < f->poses.count; ++p) {
      positions_get(poses[p - first - 1], i, target);
      memcpy(f->poses.data[p][v], target, sizeof target);
      flight_box_add(f->boxes.data[p], target);
      for (int k = 0; k < 3; ++k) f->sizes.data[p] = fmax(f->sizes.data[p], fabs(target[k]));
    }
    for (size_t k = 0; k < 3; ++k) {
      double *path = f->path + (3 * (size_t)v + k) * (degree + 1), here = path_value(path, f->degree, f->s);
      for (size_t c = 1; c <= degree; ++c) path[c] = f->poses.data[first + c][v][k];
      if (f->s > 0) path[0] = start_of(path, f->degree, f->s, here);
      f->poses.data[first][v][k] = path[0]; /* of no size: the vertex never was there */
    }
    flight_box_add(f->boxes.data[first], f->poses.data[first][v]);
    f->renewed[v] = f->changes;
  }
  f->changed = f->time;
}

/* --------------------------------------------------------------------------------- listeners -- */

pl_status flight_before(flight *f, double time, bool change)
{
  pl_status status = PL_OK;
  for (listener *l = f->listeners; l && status == PL_OK; l = l->next) status = l->before(l, time, change);
  return status;
}

void flight_listen(flight *f, listener *l)
{
  l->next = f->listeners;
  f->listeners = l;
}

void flight_unlisten(flight *f, const listener *l)
{
  for (listener **at = &f->listeners; *at; at = &(*at)->next)
    if (*at == l) {
      *at = l->next;
      return;
    }
}

/* ---------------------------------------------------------------------- the row of the table -- */

static void evaluate(const void *controls, const uint32_t *list, uint32_t first, uint32_t count, double (*out)[3])
{
  const flight *f = controls;
  for (uint32_t i = 0; i < count; ++i)
    for (int k = 0; k < 3; ++k) out[i][k] = path_value(flight_path(f, list ? list[i] : first + i, k), f->degree, f->s);
}

static void destroy(pl_context *context, void *controls) { flight_destroy(context, controls); }

const motion_kind pl_inside_motion_FLIGHT = {.traits = MOTION_PLANS | MOTION_MAY_STORE,
                                             .evaluate = evaluate,
                                             .destroy = destroy,
                                             .instead = "its time or its plans",
                                             .edits = &flight_edits};
