/* The poses of a body on its way: the kept one, the present one, and how far vertices reach in
 * both. A motion that keeps poses by its controls (motion/motion.h) and whose source bounds nodes
 * at any of them (update/update.h) is evaluated on demand: in pieces of consecutive vertices, each
 * claimed by its stamp. Other motions are evaluated whole: one pass over the vertices. */
#include "body/sweep.h"

#include "exact/crossing.h"
#include "kernels/kernels.h"
#include "math/round.h"
#include "pliant/impacts.h"

#include <string.h>

/* triangles that one thread does faster; of a body that is evaluated whole; vertices of a task,
 * and of a piece */
enum { ALONE = 4096, SMALL = 256, CHUNK = 2048, PIECE = 64 };

static size_t chunks_of(const pl_body *body) { return (body->motion.vertex_count + CHUNK - 1) / CHUNK; }
static size_t pieces_of(const pl_body *body) { return (body->motion.vertex_count + PIECE - 1) / PIECE; }

/* The end of the part of `size` vertices that begins at `begin`. */
static size_t part_end(const pl_body *body, size_t begin, size_t size)
{
  return body->motion.vertex_count - begin > size ? begin + size : body->motion.vertex_count;
}

static bool make_sweep(pl_body *body)
{
  if (!body->sweep) body->sweep = mem_new(&body->context->def.allocator, 1, sizeof *body->sweep);
  if (!body->sweep) fail(body->context, PL_ERROR_MEMORY, "no memory for a pose");
  return body->sweep;
}

/* Room for both poses. */
static pl_status make_room(pl_body *body)
{
  const pl_allocator *allocator = &body->context->def.allocator;
  if (!make_sweep(body)) return PL_ERROR_MEMORY;
  sweep *s = body->sweep;
  size_t n = body->motion.vertex_count;
  if (!s->start) s->start = mem_raw(allocator, n, sizeof *s->start);
  if (!s->end) s->end = mem_raw(allocator, n, sizeof *s->end);
  if (!s->reach) {
    s->reach = mem_raw(allocator, n + 2, sizeof *s->reach); /* kernels load 13 floats of one */
    for (int c = 0; s->reach && c < SWEEP_BOX; ++c) s->reach[n][c] = s->reach[n + 1][c] = -INFINITY;
  }
  if (!s->around) {
    s->around = mem_raw(allocator, n + 1, sizeof *s->around);
    for (int c = 0; s->around && c < SWEEP_AROUND; ++c) s->around[n][c] = -INFINITY;
  }
  if (!s->most_of) s->most_of = mem_raw(allocator, chunks_of(body), sizeof *s->most_of);
  if (!s->posed) s->posed = mem_new(allocator, pieces_of(body), sizeof *s->posed);
  if (s->start && s->end && s->reach && s->around && s->most_of && s->posed) return PL_OK;
  return fail(body->context, PL_ERROR_MEMORY, "no memory for two poses of %zu vertices", n);
}

aabb sweep_end_box(const pl_body *body)
{
  extent3 box = extent_none();
  for (uint32_t v = 0; v < body->motion.vertex_count; ++v) {
    double at[3];
    points_world(&body->motion.now, v, at);
    extent_add(&box, at);
  }
  return aabb_around(&box, 0);
}

static pl_status keep_positions(pl_body *body)
{
  pl_status status = make_room(body);
  if (status != PL_OK) return status;
  sweep *s = body->sweep;
  points_world_range(&body->motion.now, 0, (uint32_t)body->motion.vertex_count, s->start);
  extent3 box = extent_none();
  for (size_t v = 0; v < body->motion.vertex_count; ++v) extent_add(&box, s->start[v]);
  s->start_box = aabb_around(&box, 0);
  s->by_controls = false;
  return PL_OK;
}

/* Costs as much as the box of the root. */
static pl_status keep_controls(pl_body *body)
{
  uint64_t made = 0;
  sweep *s = body->sweep;
  pl_status status = body_update(body, &made);
  if (status == PL_OK) status = body->motion.kind->keep(body->context, body->motion.controls, &s->controls);
  if (status != PL_OK) return status;
  body_ensure_root(body);
  s->start_box = body_world_box(body);
  s->start_reach = body->motion.reach;
  s->from = body->motion.now;
  s->from.controls = s->controls;
  s->by_controls = true;
  return PL_OK;
}

/* Does the body's source bound nodes at other poses than the present one? */
static bool bounds_poses(const pl_body *body)
{
  const motion *m = &body->motion;
  return m->kind->keep && m->now.evaluate && !m->now.transform && body->update->source->pose;
}

static pl_status keep_transforms(pl_body *body)
{
  sweep *s = body->sweep;
  const size_t count = turn_count(body);
  if (!s->kept_transforms && !mem_take(&body->context->def.allocator, &s->kept_transforms, count))
    return fail(body->context, PL_ERROR_MEMORY, "no memory for %zu transforms", count);
  for (size_t i = 0; i < count; ++i) s->kept_transforms[i] = turn_transform(body, i);
  return PL_OK;
}

pl_status sweep_keep(pl_body *body)
{
  if (!make_sweep(body)) return PL_ERROR_MEMORY;
  pl_status status = bounds_poses(body) ? keep_controls(body) : keep_positions(body);
  if (status == PL_OK) status = keep_transforms(body);
  if (status == PL_OK) body->sweep->kept = true;
  return status;
}

void sweep_drop(pl_body *body)
{
  if (body->sweep) body->sweep->kept = false;
}

pl_status pl_body_keep_pose(pl_body *body)
{
  const pl_status status = body_change(body);
  return status == PL_OK ? body_changed(body, sweep_keep(body)) : status;
}

pl_status pl_body_drop_pose(pl_body *body)
{
  pl_status status = body_change(body);
  if (status != PL_OK) return status;
  sweep_drop(body);
  return body_changed(body, PL_OK);
}

void sweep_destroy(pl_body *body)
{
  sweep *s = body->sweep;
  if (!s) return;
  const pl_allocator *allocator = &body->context->def.allocator;
  sweep_free_features(allocator, &s->boxes);
  sweep_free_features(allocator, &s->patches);
  sweep_free_cones(allocator, s);
  mem_free_all(allocator, s->edges, s->start, s->end, s->reach, s->around, s->most_of, (void *)s->posed,
               s->kept_transforms);
  turn_free_way(allocator, &s->way);
  if (s->controls) body->motion.kind->drop(body->context, s->controls);
  mem_free(allocator, s);
}

/* -------------------------------------------------------------------------------------- both -- */

/* The exponent of the power of two that boxes are divided by: a multiple of 64, so that most
 * bodies have the same. */
static int exponent_of(double most)
{
  const int exponent = 64 * (int)lround(motion_exponent(most) / 64.0);
  return exponent < -960 ? -960 : exponent;
}

moving_scale sweep_scale(double most, int *exponent)
{
  *exponent = exponent_of(most);
  return (moving_scale){ldexp(1, -*exponent), *exponent > 0 ? 0x1p-1000 : 0};
}

static void pose_both(const pl_body *body, size_t begin, size_t end)
{
  const sweep *s = body->sweep;
  points_world_range(&body->motion.now, (uint32_t)begin, (uint32_t)(end - begin), s->end + begin);
  if (!s->kept)
    memcpy(s->start + begin, s->end + begin, (end - begin) * sizeof *s->start);
  else if (s->by_controls)
    points_world_range(&s->from, (uint32_t)begin, (uint32_t)(end - begin), s->start + begin);
}

/* Those of a piece of a way. */
static void pose_piece(const sweep *s, size_t begin, size_t end)
{
  for (int i = 0; i < 2; ++i) {
    double(*out)[3] = i ? s->end : s->start, unused[3];
    arc_last last = {0};
    for (size_t v = begin; v < end; ++v) {
      const arc_point p = turn_point(s->piece_of, (uint32_t)v);
      arc_state(&p, s->piece[i], &last, out[v], unused);
    }
  }
}

/* Both poses of vertices [begin, end). Returns the greatest of their coordinates. */
static double pose_range(const pl_body *body, size_t begin, size_t end)
{
  sweep *s = body->sweep;
  double most = 0;
  if (s->piece_of)
    pose_piece(s, begin, end);
  else
    pose_both(body, begin, end);
  for (size_t v = begin; v < end; ++v)
    for (int k = 0; k < 3; ++k) {
      double x = fabs(s->start[v][k]), y = fabs(s->end[v][k]);
      most = x > most ? x : most;
      most = y > most ? y : most;
    }
  atomic_fetch_add_explicit(&s->evaluated, end - begin, memory_order_relaxed);
  return most;
}

static void reach_range(const pl_body *body, size_t begin, size_t end)
{
  sweep *s = body->sweep;
  int exponent;
  kernels_of(body->context->isa)
      ->moving->reach((const double(*)[3])s->start + begin, (const double(*)[3])s->end + begin, end - begin,
                      sweep_scale(s->most, &exponent), s->reach + begin, s->around + begin);
}

static void pose_task(void *data, int task, int worker)
{
  const pl_body *body = data;
  const size_t begin = CHUNK * (size_t)task;
  body->sweep->most_of[task] = pose_range(body, begin, part_end(body, begin, CHUNK));
}

static void reach_task(void *data, int task, int worker)
{
  const pl_body *body = data;
  const size_t begin = CHUNK * (size_t)task;
  reach_range(body, begin, part_end(body, begin, CHUNK));
}

/* --------------------------------------------------------------------------------- on demand -- */

static void need_piece(const pl_body *body, size_t piece)
{
  sweep *s = body->sweep;
  const size_t begin = PIECE * piece, end = part_end(body, begin, PIECE);
  if (!stamp_claim(&s->posed[piece], s->frame)) return;
  pose_range(body, begin, end);
  reach_range(body, begin, end);
  stamp_set(&s->posed[piece], s->frame);
}

void sweep_need(const pl_body *body, const uint32_t *vertices, size_t count)
{
  if (!body->sweep->on_demand) return;
  for (size_t i = 0; i < count; ++i) {
    const size_t v = vertices[i], next = v + 1;
    need_piece(body, v / PIECE);
    /* kernels load one float of the next vertex */
    if (next % PIECE == 0 && next < body->motion.vertex_count) need_piece(body, next / PIECE);
  }
}

static void need_task(void *data, int task, int worker)
{
  const pl_body *body = data;
  const size_t begin = CHUNK * (size_t)task, end = part_end(body, begin, CHUNK);
  for (size_t v = begin; v < end; v += PIECE) need_piece(body, v / PIECE);
}

static bool worth_sharing(const pl_body *body) { return body->tree->prims.triangle_count > ALONE; }

pl_status sweep_need_all(pl_body *body)
{
  if (!body->sweep->on_demand) return PL_OK;
  return parallel_for(body->context, worth_sharing(body), need_task, body, (int)chunks_of(body));
}

/* -------------------------------------------------------------------------------------- make -- */

/* The time at which all vertices of triangles are at one place. For ordinary bodies the first
 * few decide. */
static double time_of_meeting(const pl_body *body)
{
  const sweep *s = body->sweep;
  const primitives *p = &body->tree->prims;
  const uint32_t first = p->tri[0]; /* of the first leaf, which has a triangle */
  unsigned when = CROSSING_AT_END | CROSSING_IN_MIDDLE;
  sweep_need(body, &first, 1);
  for (size_t i = 1; i < 3 * (size_t)p->triangle_count && when; ++i) {
    if (prims_hole(p, i / 3)) continue;
    sweep_need(body, &p->tri[i], 1);
    when &= crossing_meetings(s->start[first], s->end[first], s->start[p->tri[i]], s->end[p->tri[i]]);
  }
  return crossing_meeting_time(when);
}

/* Another pose: nothing is evaluated on demand. */
static void next_frame(pl_body *body)
{
  sweep *s = body->sweep;
  if (++s->frame != STAMP_BUSY) return;
  memset((void *)s->posed, 0, pieces_of(body) * sizeof *s->posed);
  sweep_forget_stamps(&s->boxes);
  sweep_forget_stamps(&s->patches);
  s->frame = 1;
}

/* Is there a bound of all coordinates that is in the range of float? Hubs have rims, which take
 * all vertices. */
static bool waits(const pl_body *body)
{
  const sweep *s = body->sweep;
  if (!bounds_poses(body) || (s->kept && !s->by_controls) || body->tree->hubs) return false;
  if (body->tree->prims.triangle_count <= SMALL) return false;
  const double most = s->kept ? fmax(s->start_reach, body->motion.reach) : body->motion.reach;
  return most > 0 && motion_exponent(most) == 0;
}

static pl_status pose_all(pl_body *body)
{
  sweep *s = body->sweep;
  pl_status status = parallel_for(body->context, worth_sharing(body), pose_task, body, (int)chunks_of(body));
  s->most = 0;
  for (size_t i = 0; i < chunks_of(body); ++i) s->most = s->most_of[i] > s->most ? s->most_of[i] : s->most;
  sweep_scale(s->most, &s->exponent);
  return status == PL_OK ? parallel_for(body->context, worth_sharing(body), reach_task, body, (int)chunks_of(body))
                         : status;
}

pl_status sweep_make_poses(pl_body *body)
{
  if (body->sweep && body->sweep->made) return PL_OK;
  pl_status status = make_room(body);
  if (status != PL_OK) return status;
  sweep *s = body->sweep;
  next_frame(body);
  s->on_demand = waits(body);
  s->exponent = 0;
  s->most = s->kept ? fmax(s->start_reach, body->motion.reach) : body->motion.reach;
  if (!s->on_demand) status = pose_all(body);
  if (status != PL_OK) return status;
  s->meeting = time_of_meeting(body);
  s->made = true;
  s->way.made = false;
  s->boxes.made = s->patches.made = false;
  return PL_OK;
}
