/* A step that is free of contact for the numbers that it ends at: the first contact in real
 * numbers, then positions rounded as the caller stores them, and the first contact of the way to
 * these. If that is not free, which takes a gap of a few roundings, a shorter step is tried; a
 * step of 0 ends at the start, which is free if nothing touches there. */
#include "scene/scene.h"

#include "body/sweep.h"
#include "mesh/mesh.h"
#include "pliant/impacts.h"
#include "query/store.h"
#include "query/time/impact.h"

#include <math.h>
#include <string.h>

/* The first few shorten the step by a twentieth, so that two of them leave more than nine tenths;
 * the others by half. */
enum { MOST_TRIES = 64, SLOW_TRIES = 8 };

/* Both poses of a body. */
typedef struct stepping {
  const pl_step_body *of;
  double (*start)[3], (*target)[3];
} stepping;

typedef struct free_step {
  pl_context *context;
  pl_who who;
  const pl_question *def;
  stepping *bodies;
  size_t count;
  pl_counters counters;
} free_step;

static void add_counters(free_step *f, const pl_counters *c)
{
  counters_add(&f->counters, c);
  f->counters.ms_update += c->ms_update;
  f->counters.ms_query += c->ms_query;
}

/* The first contact on the way to the present positions; `gaps`: keeping the gaps of the
 * definition. */
static pl_status first_contact(free_step *f, bool gaps, double *time, double *safe)
{
  pl_question def = pl_question_default();
  const pl_result *found = NULL;
  def.margin = gaps ? f->def->margin : 0;
  def.kept_gap = gaps ? f->def->kept_gap : 0;
  def.feature_filter = f->def->feature_filter;
  def.user = f->def->user;
  pl_status status = gaps ? pl_impacts(f->who, &def, &found) : impacts_thin(f->who, &def, &found);
  if (status != PL_OK) return status;
  *time = found->time;
  *safe = found->safe_step;
  add_counters(f, &found->counters);
  return PL_OK;
}

/* One coordinate, in the caller's type. */
static double stepped(const pl_step_body *b, double step, double from, double to)
{
  if (b->type == PL_F64) return from + step * (to - from);
  const float x = (float)from, p = (float)to, a = (float)step;
  const float way = p - x, part = a * way;
  return (double)(x + part);
}

static size_t stride_of(const pl_step_body *b) { return b->stride ? b->stride : 3 * scalar_size(b->type); }

/* Writes the positions of a step, or the target, and moves the body there: it may borrow the
 * caller's array. */
static pl_status move_body(const stepping *s, double step, bool to_target)
{
  const pl_step_body *b = s->of;
  const size_t n = b->body->motion.vertex_count;
  for (size_t v = 0; v < n; ++v) {
    double at[3];
    for (int k = 0; k < 3; ++k) at[k] = to_target ? s->target[v][k] : stepped(b, step, s->start[v][k], s->target[v][k]);
    positions_put(b->type, (char *)b->positions + v * stride_of(b), at); /* floats are floats already */
  }
  return pl_body_set_positions(b->body, pl_positions_strided(b->type, b->positions, n, stride_of(b)));
}

static pl_status move_all(const free_step *f, double step)
{
  pl_status status = PL_OK;
  for (size_t i = 0; i < f->count && status == PL_OK; ++i) status = move_body(&f->bodies[i], step, false);
  return status;
}

static void put_back(const free_step *f)
{
  for (size_t i = 0; i < f->count; ++i) (void)move_body(&f->bodies[i], 0, true);
}

static bool has_floats(const free_step *f)
{
  for (size_t i = 0; i < f->count; ++i)
    if (f->bodies[i].of->type == PL_F32) return true;
  return false;
}

/* From the first contact to positions that are free. */
static pl_status search(free_step *f, pl_result *out)
{
  double safe, end, unused;
  pl_status status = first_contact(f, true, &out->time, &safe);
  if (status != PL_OK) return status;
  const bool floats = has_floats(f);
  for (out->tries = 1; status == PL_OK; ++out->tries) {
    out->safe_step = floats ? (double)round_down(safe) : safe;
    if (out->tries > MOST_TRIES) out->safe_step = 0;
    status = move_all(f, out->safe_step);
    if (status != PL_OK || out->safe_step == 0) break;
    status = first_contact(f, false, &end, &unused);
    if (status != PL_OK || !(end <= 1)) break;
    safe = out->safe_step * (out->tries < SLOW_TRIES ? 0.95 : 0.5);
  }
  return status;
}

/* ------------------------------------------------------------------------------------ checks -- */

/* Only what is asked is tested, so nothing else may step. */
static bool is_asked(pl_who who, const pl_body *body)
{
  return who.scene ? scene_member(who.scene, body) != NULL : body == who.a || body == who.b;
}

static pl_status check_body(pl_context *context, pl_who who, const pl_step_body *b)
{
  if (!b->body || !b->positions) return query_refuse_null(context, b->body ? "positions" : "body");
  if (b->body->context != context)
    return fail(context, PL_ERROR_MISMATCH, "a body of the step belongs to another context");
  if (!is_asked(who, b->body)) return fail(context, PL_ERROR_MISMATCH, "a body of the step is not asked");
  pl_status status = positions_check_place(
      context, pl_positions_strided(b->type, b->positions, b->body->motion.vertex_count, stride_of(b)));
  if (status != PL_OK) return status;
  if (b->body->turn.kind != TURN_NONE)
    return fail(context, PL_ERROR_UNSUPPORTED, "a body of a step goes straight, but one turns (pl_body_set_screw())");
  const motion *m = &b->body->motion;
  const unsigned needed = MOTION_STORED | MOTION_ANY_WAY;
  if ((m->kind->traits & needed) != needed || m->now.transform)
    return fail(context, PL_ERROR_UNSUPPORTED, "bodies of a step must move freely, without a transform");
  if (!b->body->sweep || !b->body->sweep->kept)
    return fail(context, PL_ERROR_UNSUPPORTED, "a body of the step has no kept pose: call pl_body_keep_pose() first");
  return PL_OK;
}

/* Floats step as floats: both poses must be. */
static pl_status take_poses(pl_context *context, const stepping *s)
{
  const pl_body *body = s->of->body;
  const size_t n = body->motion.vertex_count;
  memcpy(s->start, body->sweep->start, n * sizeof *s->start);
  for (uint32_t v = 0; v < n; ++v) points_world(&body->motion.now, v, s->target[v]);
  for (size_t v = 0; s->of->type == PL_F32 && v < n; ++v)
    for (int k = 0; k < 3; ++k)
      if ((double)(float)s->start[v][k] != s->start[v][k] || (double)(float)s->target[v][k] != s->target[v][k])
        return fail(context, PL_ERROR_ARGUMENT,
                    "vertex %zu has coordinates that are not floats, but the step is one of floats", v);
  return PL_OK;
}

/* Both poses of all bodies are in the result's second array, which keeps its memory. */
static pl_status make_room(free_step *f, const pl_step_body *bodies, size_t count, result_store *store)
{
  size_t vertices = 0;
  if (!count) return PL_OK;
  for (size_t i = 0; i < count; ++i) vertices += bodies[i].body->motion.vertex_count;
  const size_t bytes = count * sizeof *f->bodies + 2 * vertices * sizeof *f->bodies->start;
  if (!array_reserve(&f->context->def.allocator, &store->more, bytes))
    return fail(f->context, PL_ERROR_MEMORY, "no memory for a step of %zu vertices", vertices);
  f->bodies = (stepping *)(void *)store->more.data;
  f->count = count;
  double(*at)[3] = (double(*)[3])(void *)(f->bodies + count);
  for (size_t i = 0; i < count; ++i) {
    const size_t n = bodies[i].body->motion.vertex_count;
    f->bodies[i] = (stepping){&bodies[i], at, at + n};
    at += 2 * n;
  }
  return PL_OK;
}

static pl_status open_step(free_step *f, const pl_step_body *bodies, size_t count, result_store *store)
{
  pl_status status = PL_OK;
  for (size_t i = 0; i < count && status == PL_OK; ++i) status = check_body(f->context, f->who, &bodies[i]);
  if (status == PL_OK) status = make_room(f, bodies, count, store);
  for (size_t i = 0; i < count && status == PL_OK; ++i) status = take_poses(f->context, &f->bodies[i]);
  return status;
}

const query_slot pl_inside_query_FREE_STEP = {0}; /* a place for its result only */

pl_status pl_free_step(pl_who who, const pl_step_body *bodies, size_t count, const pl_question *how,
                       const pl_result **out)
{
  pl_question full;
  pl_result answer = {0};
  free_step f = {.who = who, .def = &full};
  if (out) *out = NULL;
  pl_status status = who_check(who, out, &f.context);
  if (status == PL_OK && count && !bodies) status = query_refuse_null(f.context, "bodies");
  if (status == PL_OK) status = question_take(f.context, ASKED_FREE_STEP, how, &full);
  result_store *store = NULL;
  if (status == PL_OK) status = result_store_take(f.context, full.holder, QUERY_FREE_STEP, &store);
  if (status == PL_OK) status = open_step(&f, bodies, count, store);
  if (status == PL_OK) {
    status = search(&f, &answer);
    if (status != PL_OK) put_back(&f);
  }
  answer.counters = f.counters;
  if (status == PL_OK) *out = result_publish(store, &answer);
  return status;
}
