/* Creating separation lists and moving them forward in time, from segment to segment and across
 * changes of plans. */
#include "query/time/separation.h"

#include "query/query.h"

#include <string.h>

/* ------------------------------------------------------------------------------------- plans -- */

static flight *plans_of(const pl_body *body)
{
  return body->motion.kind->traits & MOTION_PLANS ? body->motion.controls : NULL;
}

/* The parts of the body's plans that the list shares with the body. */
static void share_plans(separation_side *side)
{
  const flight *f = plans_of(side->body);
  side->plans.times = f->times;
  side->plans.poses = f->poses;
  side->plans.boxes = f->boxes;
}

/* The segment that begins at a time. */
static void enter_segment(separation_side *side, double start)
{
  const flight *f = plans_of(side->body);
  share_plans(side);
  side->plans.segment = flight_segment(f, start);
  side->changes = f->changes;
  side->loaded = false;
}

static pl_status fail_memory(pl_separation *list)
{
  return fail(list->context, PL_ERROR_MEMORY, "no memory for a separation list");
}

/* Allocates the arrays that are kept by volume, after a change of the tree. */
static pl_status follow_tree(pl_separation *list)
{
  const pl_allocator *allocator = &list->context->def.allocator;
  for (int i = 0; i < 2; ++i) {
    separation_side *side = &list->side[i], *from = side_of(list, i);
    tree *t = from->body->tree;
    if (from != side || (side->box && side->version == t->nodes.version)) continue;
    mem_free(allocator, side->box);
    side->slots = 1 + t->nodes.inner_count * (uint32_t)t->nodes.width;
    side->box = mem_raw(allocator, side->slots, sizeof *side->box);
    if (!side->box) return fail_memory(list);
    side->version = t->nodes.version;
  }
  return PL_OK;
}

static double parameter_of(const flight *f, size_t segment, double time)
{
  double first = f->times.data[segment], end = f->times.data[segment + 1], s = (time - first) / (end - first);
  return s < 1 ? path_parameter(s) : 1;
}

/* Keys may have been added behind and dropped in front. */
static void find_segment(pl_separation *list)
{
  for (int i = 0; i < (list->self ? 1 : 2); ++i) {
    share_plans(&list->side[i]);
    list->side[i].plans.segment = flight_segment(&list->side[i].plans, list->segment_start);
  }
}

/* Have plans or triangles changed, or was the segment dropped? */
static bool is_stale(pl_separation *list)
{
  if (list->failed) return true;
  for (int i = 0; i < (list->self ? 1 : 2); ++i) {
    const separation_side *side = &list->side[i];
    if (side->changes != plans_of(side->body)->changes || side->version != side->body->tree->nodes.version ||
        side->plans.times.data[side->plans.segment] != list->segment_start)
      return true;
  }
  return false;
}

/* Both bodies must have the segment that begins at a time. */
static pl_status check_segment(pl_separation *list, double start)
{
  const flight *f = plans_of(list->side[0].body), *g = plans_of(side_of(list, 1)->body);
  const double *x = f->times.data + flight_segment(f, start), *y = g->times.data + flight_segment(g, start);
  if (x[0] == y[0] && x[1] == y[1]) return PL_OK;
  return fail(list->context, PL_ERROR_MISMATCH, "the bodies of a separation list have keys at %g and %g after %g", x[1],
              y[1], start);
}

/* Room for the plans of vertices that have come. */
static pl_status follow_vertices(pl_separation *list)
{
  for (int i = 0; i < (list->self ? 1 : 2); ++i) {
    separation_side *side = &list->side[i];
    const size_t count = plans_of(side->body)->vertex_count;
    if (count == side->plans.vertex_count) continue;
    double *path = mem_raw(&list->context->def.allocator, count + 1, 6 * sizeof *path);
    if (!path) return fail_memory(list);
    mem_free(&list->context->def.allocator, side->plans.path);
    side->plans.path = path;
    side->plans.vertex_count = count;
  }
  return PL_OK;
}

/* Begins at list->time, in the segment of that time: a new one, or the present one after a
 * change of plans or triangles, or a failure. */
static pl_status begin(pl_separation *list)
{
  const flight *f = plans_of(list->side[0].body);
  const double start = f->times.data[flight_segment(f, list->time)];
  pl_status status = check_segment(list, start);
  if (status == PL_OK) status = follow_tree(list);
  if (status == PL_OK) status = follow_vertices(list);
  if (status != PL_OK) return status;
  if (start != list->segment_start) list->past = list->known.count;
  for (int i = 0; i < (list->self ? 1 : 2); ++i) {
    separation_forget(list, i);
    enter_segment(&list->side[i], start);
  }
  if (!separation_index(list)) return fail_memory(list);
  list->segment_start = start;
  list->s = list->begun = parameter_of(&list->side[0].plans, list->side[0].plans.segment, list->time);
  list->has_last = list->failed = false;
  list->status = PL_OK;
  separation_start(list);
  return list->status == PL_OK ? PL_OK : fail_memory(list);
}

/* Goes from segment to segment. A contact at a key belongs to both. */
static pl_status go_on(pl_separation *list, double time)
{
  for (;;) {
    const flight *f = &list->side[0].plans;
    double end = f->times.data[f->segment + 1], to = time < end ? time : end;
    separation_run(list, parameter_of(f, f->segment, to));
    if (list->status != PL_OK) return fail_memory(list);
    list->time = to;
    if (to == time) return PL_OK;
    pl_status status = begin(list);
    if (status != PL_OK) return status;
  }
}

/* Drops the known pairs of segments that are over. */
static void drop_past(pl_separation *list)
{
  if (!list->past) return;
  list->known.count -= list->past;
  memmove(list->known.data, list->known.data + list->past, list->known.count * sizeof *list->known.data);
  list->past = 0;
}

/* On failure the list is as before, except that the work begins again. */
static pl_status go(pl_separation *list, double time)
{
  const double now = list->time, segment_start = list->segment_start;
  const size_t count = list->found.count;
  find_segment(list);
  pl_status status = is_stale(list) ? begin(list) : PL_OK;
  const size_t known = list->known.count;
  if (status == PL_OK) status = go_on(list, time);
  if (status == PL_OK) {
    drop_past(list);
    return PL_OK;
  }
  list->time = now;
  list->segment_start = segment_start;
  list->found.count = count;
  list->known.count = known;
  list->past = 0;
  list->failed = true;
  return status;
}

static pl_status before_change(listener *l, double time, bool change)
{
  pl_separation *list = ((separation_side *)(void *)l)->list;
  if (list->time <= time) return go(list, time);
  if (!change) return PL_OK;
  return fail(list->context, PL_ERROR_UNSUPPORTED, "a separation list is at time %g already: plans cannot change at %g",
              list->time, time);
}

/* ------------------------------------------------------------------------------------ create -- */

static void destroy(pl_separation *list)
{
  const pl_allocator *allocator = &list->context->def.allocator;
  for (int i = 0; i < 2; ++i) {
    separation_side *side = &list->side[i];
    mem_free(allocator, side->plans.path);
    mem_free(allocator, side->box);
  }
  array_free(allocator, &list->pairs);
  array_free(allocator, &list->queue);
  array_free(allocator, &list->touches);
  array_free(allocator, &list->found);
  array_free(allocator, &list->known);
  array_free(allocator, &list->table);
  mem_free(allocator, list);
}

static void body_ends(listener *l)
{
  separation_side *side = (separation_side *)(void *)l;
  pl_separation *list = side->list;
  separation_side *other = &list->side[side == &list->side[0]];
  if (!list->self) flight_unlisten(plans_of(other->body), &other->listener);
  destroy(list);
}

void pl_separation_destroy(pl_separation *list)
{
  if (!list) return;
  for (int i = 0; i < (list->self ? 1 : 2); ++i) flight_unlisten(plans_of(list->side[i].body), &list->side[i].listener);
  destroy(list);
}

static pl_status check_body(const pl_body *body)
{
  const flight *f = plans_of(body);
  if (!f) return fail(body->context, PL_ERROR_UNSUPPORTED, "a separation list is for bodies with flight plans");
  if (f->degree != 1) return fail(body->context, PL_ERROR_UNSUPPORTED, "a separation list needs linear flight plans");
  if (body->motion.transforms)
    return fail(body->context, PL_ERROR_UNSUPPORTED, "a separation list needs bodies in world space: not bergen");
  if (f->times.count < 2) return fail(body->context, PL_ERROR_ARGUMENT, "a flight plan needs at least two keys");
  return PL_OK;
}

static pl_status check_bodies(const pl_body *a, const pl_body *b)
{
  pl_status status = check_body(a);
  if (status == PL_OK && a != b) status = check_body(b);
  if (status != PL_OK) return status;
  const flight *f = plans_of(a), *g = plans_of(b);
  bool same = f->times.count == g->times.count && f->time == g->time;
  for (size_t i = 0; same && i < f->times.count; ++i) same = f->times.data[i] == g->times.data[i];
  if (same) return PL_OK;
  return fail(a->context, PL_ERROR_MISMATCH, "the bodies of a separation list need the same keys and the same time");
}

static pl_status create(pl_body *a, pl_body *b, bool leaves_only, pl_separation **out)
{
  pl_context *context = a->context;
  const pl_allocator *allocator = &context->def.allocator;
  pl_separation *list = mem_new(allocator, 1, sizeof *list);
  if (!list) return fail(context, PL_ERROR_MEMORY, "no memory for a separation list");
  list->context = context;
  list->leaves_only = leaves_only;
  list->self = a == b;
  list->time = list->from = plans_of(a)->time;
  pl_status status = PL_OK;
  for (int i = 0; i < 2; ++i) {
    separation_side *side = &list->side[i];
    side->list = list;
    side->body = i ? b : a;
    side->listener = (listener){.before = before_change, .end = body_ends};
    if (i && list->self) continue;
    const flight *f = plans_of(side->body);
    side->plans = (flight){.degree = 1, .vertex_count = f->vertex_count};
    side->plans.path = mem_raw(allocator, f->vertex_count + 1, 6 * sizeof *side->plans.path);
    if (!side->plans.path) status = fail(context, PL_ERROR_MEMORY, "no memory for a separation list");
  }
  if (status == PL_OK) status = begin(list);
  if (status != PL_OK) {
    destroy(list);
    return status;
  }
  for (int i = 0; i < (list->self ? 1 : 2); ++i) flight_listen(plans_of(list->side[i].body), &list->side[i].listener);
  *out = list;
  return PL_OK;
}

/* Lists are linked to their bodies, so that creating one is a change of its bodies. */
pl_status pl_separation_create(pl_body *a, pl_body *b, bool leaves_only, pl_separation **out)
{
  if (out) *out = NULL;
  pl_status status = a && a == b ? (out ? PL_OK : query_refuse_null(a->context, "out")) : query_check_bodies(a, b, out);
  if (status == PL_OK) status = body_change(a);
  if (status != PL_OK) return status;
  if (a != b) status = body_change(b);
  if (status == PL_OK) {
    status = check_bodies(a, b);
    if (status == PL_OK) status = create(a, b, leaves_only, out);
    if (a != b) body_change_end(b);
  }
  body_change_end(a);
  return status;
}

/* ----------------------------------------------------------------------------------- advance -- */

static pl_status check_time(pl_separation *list, double time)
{
  if (!(time >= list->time))
    return fail(list->context, PL_ERROR_ARGUMENT, "time %g is before that of the separation list, %g", time,
                list->time);
  const flight *f = plans_of(list->side[0].body), *g = plans_of(side_of(list, 1)->body);
  double last = fmin(f->times.data[f->times.count - 1], g->times.data[g->times.count - 1]);
  if (time > last)
    return fail(list->context, PL_ERROR_ARGUMENT, "time %g is beyond the flight plans, which end at %g", time, last);
  return PL_OK;
}

static void publish(pl_separation *list, const pl_result **out)
{
  list->answer =
      (pl_result){.impacts = list->found.data, .count = list->found.count, .from = list->from, .to = list->time};
  for (size_t i = 0; i < list->found.count; ++i)
    ++*(list->found.data[i].kind == PL_FEATURE_EDGE_EDGE ? &list->answer.edge_edge : &list->answer.vertex_face);
  list->found.count = 0; /* the result is empty until the next contact; the memory stays */
  list->from = list->time;
  *out = &list->answer;
}

pl_status pl_separation_advance(pl_separation *list, double time, const pl_result **out)
{
  if (out) *out = NULL;
  if (!list) return fail_null("list");
  if (!out) return query_refuse_null(list->context, "out");
  call c;
  pl_body *a = list->side[0].body, *b = list->side[1].body;
  pl_status status = list->self ? body_query(&c, a) : query_enter(&c, a, b);
  if (status != PL_OK) return status;
  status = check_time(list, time);
  if (status == PL_OK) status = go(list, time);
  if (status == PL_OK) publish(list, out);
  call_query_end(&c);
  return status;
}

pl_status pl_separation_get_info_sized(const pl_separation *list, pl_kinetic_info *out, size_t out_size)
{
  if (!list) return fail_null("list");
  if (!out) return query_refuse_null(list->context, "out");
  pl_kinetic_info info = {.time = list->time,
                          .kept = list->listed,
                          .overlaps = list->overlaps,
                          .separations = list->separations,
                          .leaf_pairs = list->leaf_pairs,
                          .tests = list->tests};
  info.bytes = sizeof *list + list->pairs.capacity * sizeof *list->pairs.data +
               list->queue.capacity * sizeof *list->queue.data + list->touches.capacity * sizeof *list->touches.data +
               list->known.capacity * sizeof *list->known.data + list->table.capacity * sizeof *list->table.data;
  for (int i = 0; i < (list->self ? 1 : 2); ++i)
    info.bytes +=
        list->side[i].slots * sizeof *list->side[i].box + 6 * list->side[i].plans.vertex_count * sizeof(double);
  result_give(out, out_size, &info, sizeof info);
  return PL_OK;
}
