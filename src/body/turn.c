#include "body/turn.h"

#include "body/sweep.h"
#include "math/round.h"
#include "math/vec3.h"
#include "motion/governed.h"
#include "pliant/impacts.h"

#include <float.h>
#include <math.h>
#include <string.h>

static double most_of(const double v[3]) { return fmax(fabs(v[0]), fmax(fabs(v[1]), fabs(v[2]))); }

/* Also where squares are out of range. */
static double length_of(const double v[3])
{
  const double most = most_of(v), square = dot3(v, v);
  if (square > 0x1p-900 && square < 0x1p900) return sqrt(square);
  if (!(most > 0)) return most;
  const double unit[3] = {v[0] / most, v[1] / most, v[2] / most};
  return most * sqrt(dot3(unit, unit));
}

/* To length 1; false: it has no direction. */
static bool normalize(double v[3])
{
  const double most = most_of(v);
  if (!(most > 0) || isinf(most)) return false;
  for (int k = 0; k < 3; ++k) v[k] /= most;
  const double length = sqrt(dot3(v, v));
  for (int k = 0; k < 3; ++k) v[k] /= length;
  return true;
}

/* ------------------------------------------------------------------------------------ screws -- */

/* The columns of a matrix, made perpendicular and of length 1 one after the other. */
static bool frame_of(const pl_transform *t, double out[3][3])
{
  for (int c = 0; c < 3; ++c) {
    for (int k = 0; k < 3; ++k) out[c][k] = t->m[k][c];
    for (int pass = 0; pass < 2 * c; ++pass) {
      const double *other = out[pass % c];
      const double along = dot3(out[c], other);
      for (int k = 0; k < 3; ++k) out[c][k] -= along * other[k];
    }
    if (!normalize(out[c])) return false;
  }
  return true;
}

/* The rotation that takes one frame to another as a quaternion: w, then x, y, z; w is not negative.
 * The largest of the four comes from its own root, so that nothing cancels. */
static void quaternion_of(const double from[3][3], const double to[3][3], double q[4])
{
  double r[3][3] = {{0}};
  for (int c = 0; c < 3; ++c)
    for (int i = 0; i < 3; ++i)
      for (int k = 0; k < 3; ++k) r[i][k] += to[c][i] * from[c][k];
  const double trace = r[0][0] + r[1][1] + r[2][2];
  int large = 0;
  for (int k = 1; k < 4; ++k)
    if (r[k - 1][k - 1] > (large ? r[large - 1][large - 1] : trace)) large = k;
  if (large == 0) {
    q[0] = 1 + trace;
    for (int k = 0; k < 3; ++k) q[1 + k] = r[(k + 2) % 3][(k + 1) % 3] - r[(k + 1) % 3][(k + 2) % 3];
  } else {
    const int i = large - 1, j = (i + 1) % 3, k = (i + 2) % 3;
    q[0] = r[k][j] - r[j][k];
    q[1 + i] = 1 + r[i][i] - r[j][j] - r[k][k];
    q[1 + j] = r[i][j] + r[j][i];
    q[1 + k] = r[i][k] + r[k][i];
  }
  const double sign = q[0] < 0 ? -1 : 1;
  for (int k = 0; k < 4; ++k) q[k] *= sign;
}

/* The angle of (cosine, sine), from a few digits of the library's function: the same numbers on
 * every machine. */
static double angle_of(double cosine, double sine)
{
  const double length = sqrt(cosine * cosine + sine * sine);
  double angle = (double)(float)atan2(sine, cosine);
  for (int i = 0; i < 2; ++i) {
    const arc_turn t = arc_turn_by(angle);
    angle += (sine * (1 + t.versed) - cosine * t.sine) / length;
  }
  return angle;
}

screw turn_between(const pl_transform *from, const pl_transform *to)
{
  enum { NEGLIGIBLE = 40 };
  double f[3][3], g[3][3], q[4], shift[3], side[3];
  screw out = {.angle = 0};
  if (!frame_of(from, f) || !frame_of(to, g)) return out;
  quaternion_of((const double(*)[3])f, (const double(*)[3])g, q);
  memcpy(out.axis, q + 1, sizeof out.axis);
  const double sine = sqrt(dot3(out.axis, out.axis));
  if (!(sine > ldexp(q[0], -NEGLIGIBLE)) || !normalize(out.axis)) return (screw){.angle = 0};
  out.angle = 2 * angle_of(q[0], sine);
  /* where the origin of the first frame goes, perpendicular to the axis: a chord of its arc */
  for (int k = 0; k < 3; ++k) shift[k] = to->t[k] - from->t[k];
  const double along = dot3(shift, out.axis);
  for (int k = 0; k < 3; ++k) shift[k] -= along * out.axis[k];
  cross3(out.axis, shift, side);
  for (int k = 0; k < 3; ++k) out.point[k] = from->t[k] + (shift[k] + side[k] * q[0] / sine) / 2;
  return out;
}

/* -------------------------------------------------------------------------------------- ways -- */

static const governed *skin_of(const pl_body *body)
{
  const governed *g = body->motion.kind->traits & MOTION_GOVERNED ? body->motion.controls : NULL;
  return g && g->transforms && !g->controls ? g : NULL;
}

size_t turn_count(const pl_body *body)
{
  const governed *g = skin_of(body);
  return g ? g->governor_count : 1;
}

/* First b, then a. */
static pl_transform product(const pl_transform *a, const pl_transform *b)
{
  pl_transform out = *a;
  for (int i = 0; i < 3; ++i)
    for (int k = 0; k < 3; ++k) {
      out.m[i][k] = a->m[i][0] * b->m[0][k] + a->m[i][1] * b->m[1][k] + a->m[i][2] * b->m[2][k];
      out.t[i] += a->m[i][k] * b->t[k];
    }
  return out;
}

pl_transform turn_transform(const pl_body *body, size_t i)
{
  const governed *g = skin_of(body);
  const pl_transform *whole = body->motion.now.transform;
  if (!g) return whole ? *whole : pl_transform_identity();
  return whole ? product(whole, &g->now[i]) : g->now[i];
}

static bool make_room(const pl_allocator *allocator, turn_way *w, size_t vertices, size_t terms, size_t screws)
{
  if (w->vertex_room < vertices) {
    mem_free_all(allocator, w->way, w->first);
    w->way = mem_raw(allocator, vertices, sizeof *w->way);
    w->first = mem_raw(allocator, vertices + 1, sizeof *w->first);
    w->vertex_room = w->way && w->first ? vertices : 0;
  }
  if (w->term_room < terms) {
    mem_free(allocator, w->terms);
    w->terms = mem_raw(allocator, terms, sizeof *w->terms);
    w->term_room = w->terms ? terms : 0;
  }
  if (w->screw_room < screws) {
    mem_free(allocator, w->screws);
    w->screws = mem_raw(allocator, screws, sizeof *w->screws);
    w->screw_room = w->screws ? screws : 0;
  }
  return w->vertex_room >= vertices && w->term_room >= terms && w->screw_room >= screws;
}

void turn_free_way(const pl_allocator *allocator, turn_way *w)
{
  mem_free_all(allocator, w->way, w->first, w->terms, w->screws);
  *w = (turn_way){0};
}

/* The screws of the step; none turns where the body goes straight. */
static void find_screws(const pl_body *body, turn_way *w)
{
  const turn_setting *set = &body->turn;
  const sweep *s = body->sweep;
  const bool derived = set->kind == TURN_DERIVED;
  const size_t count = derived ? turn_count(body) : 1;
  w->angle = 0;
  for (size_t i = 0; i < count; ++i) {
    screw *to = &w->screws[i];
    *to = (screw){.angle = 0};
    if (derived && s->kept) {
      const pl_transform now = turn_transform(body, i);
      *to = turn_between(&s->kept_transforms[i], &now);
    }
    if (set->kind == TURN_GIVEN && s->kept) {
      memcpy(to->axis, set->axis, sizeof to->axis);
      memcpy(to->point, set->point, sizeof to->point);
      to->angle = set->angle;
    }
    w->angle = fmax(w->angle, fabs(to->angle));
  }
}

/* How a point that stands at `at` turns, by its weight. */
static void add_term(turn_way *w, uint32_t *count, const screw *by, const double at[3], double weight)
{
  arc_term *t = &w->terms[*count];
  double out[3];
  if (by->angle == 0) return;
  for (int k = 0; k < 3; ++k) out[k] = at[k] - by->point[k];
  const double along = dot3(out, by->axis);
  for (int k = 0; k < 3; ++k) t->cosine[k] = weight * (out[k] - along * by->axis[k]);
  cross3(by->axis, t->cosine, t->sine);
  t->angle = by->angle;
  ++*count;
}

/* The terms of a vertex: of a skin one for each of its bones that turns. */
static void add_terms(const pl_body *body, turn_way *w, uint32_t v, uint32_t *count)
{
  const governed *g = body->turn.kind == TURN_DERIVED ? skin_of(body) : NULL;
  if (!g) {
    add_term(w, count, &w->screws[0], w->start[v], 1);
    return;
  }
  for (uint32_t e = g->first[v]; e < g->first[v + 1]; ++e) {
    const pl_transform *t = &body->sweep->kept_transforms[g->governor[e]];
    const double *p = g->rest + 3 * (size_t)v;
    double at[3];
    for (int k = 0; k < 3; ++k) at[k] = t->m[k][0] * p[0] + t->m[k][1] * p[1] + t->m[k][2] * p[2] + t->t[k];
    add_term(w, count, &w->screws[g->governor[e]], at, g->weight[e]);
  }
}

/* The straight part of a vertex's way, and how much the way bends and reaches: without end where
 * that is beyond the range of double. */
static void finish_vertex(const pl_body *body, turn_way *w, uint32_t v)
{
  double bend = 0, turned[3] = {0}, wide = 0;
  for (uint32_t i = w->first[v]; i < w->first[v + 1]; ++i) {
    const arc_term *t = &w->terms[i];
    const arc_turn turn = arc_turn_by(t->angle);
    const double radius = length_of(t->cosine);
    for (int k = 0; k < 3; ++k) turned[k] += t->cosine[k] * turn.versed + t->sine[k] * turn.sine;
    const double least = radius > 0 ? DBL_MIN : 0; /* whatever is lost below it */
    bend += fmax(t->angle * t->angle * radius, least);
    wide += fmax(radius * fmin(2, t->angle * t->angle / 8), least); /* an arc is no farther from its chord */
  }
  bend *= 1 + 0x1p-40;
  wide = wide < INFINITY ? wide * (1 + 0x1p-40) : INFINITY;
  w->bend = bend < INFINITY ? fmax(w->bend, bend) : INFINITY;
  for (int k = 0; k < 3; ++k) {
    const double from = w->start[v][k], to = body->sweep->end[v][k];
    w->way[v][k] = to - from - turned[k];
    const double low = fmin(from, to) - wide, high = fmax(from, to) + wide;
    w->most = fmax(w->most, fmax(-low, high));
    w->box.lower[k] = fminf(w->box.lower[k], round_down(low));
    w->box.upper[k] = fmaxf(w->box.upper[k], round_up(high));
  }
}

static size_t terms_of(const pl_body *body)
{
  const governed *g = body->turn.kind == TURN_DERIVED ? skin_of(body) : NULL;
  return g ? g->first[g->vertex_count] : body->turn.kind == TURN_NONE ? 0 : body->motion.vertex_count;
}

pl_status turn_make_way(pl_body *body)
{
  pl_status status = sweep_make_poses(body);
  if (status == PL_OK) status = sweep_need_all(body);
  if (status != PL_OK) return status;
  turn_way *w = &body->sweep->way;
  if (w->made) return PL_OK;
  const uint32_t n = (uint32_t)body->motion.vertex_count;
  if (!make_room(&body->context->def.allocator, w, n, terms_of(body) + 1, turn_count(body)))
    return fail(body->context, PL_ERROR_MEMORY, "no memory for the ways of %u vertices", n);
  uint32_t count = 0;
  find_screws(body, w);
  w->start = (const double(*)[3])body->sweep->start;
  w->bend = w->most = 0;
  for (int k = 0; k < 3; ++k) w->box.lower[k] = INFINITY, w->box.upper[k] = -INFINITY;
  for (uint32_t v = 0; v < n; ++v) {
    w->first[v] = count;
    if (w->angle > 0) add_terms(body, w, v, &count);
    w->first[v + 1] = count;
    finish_vertex(body, w, v);
  }
  w->turns = w->bend > 0;
  w->made = true;
  return PL_OK;
}

pl_status turn_ask(pl_body *body, bool *out)
{
  *out = false;
  if (body->turn.kind == TURN_NONE || !body->sweep || !body->sweep->kept) return PL_OK;
  pl_status status = turn_make_way(body);
  *out = status == PL_OK && body->sweep->way.turns;
  return status;
}

/* ---------------------------------------------------------------------------------- settings -- */

static pl_status check(const pl_body *body, const double axis[3], const double point[3], double angle,
                       turn_setting *out)
{
  pl_context *context = body->context;
  *out = (turn_setting){.kind = angle == 0 ? TURN_NONE : TURN_GIVEN, .angle = angle};
  if (!axis) {
    const bool turns = body->motion.transforms || skin_of(body);
    out->kind = TURN_DERIVED;
    return turns ? PL_OK
                 : fail(context, PL_ERROR_UNSUPPORTED,
                        "a %s body has neither a transform nor bones that say how it turns: give an axis",
                        pl_word(PL_WORDS_MOTION, body->motion.name));
  }
  memcpy(out->axis, axis, sizeof out->axis);
  for (int k = 0; k < 3; ++k) out->point[k] = point ? point[k] : 0;
  if (!normalize(out->axis)) return fail(context, PL_ERROR_ARGUMENT, "the axis of a screw has no direction");
  if (!(fabs(angle) <= ARC_MOST))
    return fail(context, PL_ERROR_ARGUMENT, "the angle of a screw is %g: it must be from -4096 to 4096 radians", angle);
  for (int k = 0; k < 3; ++k)
    if (!(fabs(out->point[k]) <= 1e100))
      return fail(context, PL_ERROR_ARGUMENT, "the point of a screw is not finite or beyond 1e100");
  return PL_OK;
}

pl_status pl_body_set_screw(pl_body *body, const double axis[3], const double point[3], double angle)
{
  if (!body) return fail_null("body");
  turn_setting set;
  pl_status status = body_change(body);
  if (status != PL_OK) return status;
  status = check(body, axis, point, angle, &set);
  if (status == PL_OK) body->turn = set;
  return body_changed(body, status);
}
