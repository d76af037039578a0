/* Certificates: radii of near features, and what moves have spent of them.
 *
 * Why they hold. Let features S and T be D apart at the renewal. Every corner of S has a radius of
 * at most D / 2, as have those of T; a point of S is a weighted mean of its corners, so it moves
 * by less than D / 2 while they stay within their radii, and S and T do not meet. Pairs that were
 * not reported are further apart than the margin, and no radius is above half of that. A ball is
 * convex: a straight way between two places in it stays in it.
 *
 * Invariant: `origin` and `radius` of an entry are of one pose; distances are right to 4 units in
 * the last place, which `down` covers. */
#include "ask/ask.h"
#include "core/sort.h"
#include "motion/flight.h"
#include "pliant/near.h"

#include <math.h>
#include <string.h>

enum { CHUNK = 4096 }; /* vertices of a task: some 5 us */

static const double down = 1 - 0x1p-49, up = 1 + 0x1p-48;

/* A body, where its vertices were, and how far they may go. */
typedef struct covered {
  pl_body *body;
  size_t count; /* vertices */
  size_t first; /* in origin and radius */
  uint64_t moves, edits;
} covered;

/* Two bodies, or one, that are near. */
typedef struct covered_pair {
  const pl_body *a, *b;
  double least; /* distance */
} covered_pair;

/* Of a chunk of vertices. */
typedef struct spent_part {
  double spent;
  uint32_t vertex;
  size_t beyond;
} spent_part;

typedef struct chunk {
  uint32_t body;
  uint32_t begin, end; /* vertices */
} chunk;

struct pl_certificate {
  owned link;
  pl_context *context;
  ARRAY(covered) bodies;
  ARRAY(uint64_t) order, sorting; /* of the bodies: their serials, and places in the lower half */
  ARRAY(covered_pair) pairs;
  ARRAY(double) origin; /* 3 for each vertex */
  ARRAY(double) radius;
  ARRAY(chunk) chunks;
  ARRAY(spent_part) parts; /* of the chunks */
  double margin;
  bool valid; /* renewed */
  pl_who who;
  size_t renewals, checks;
};

/* ----------------------------------------------------------------------------------- objects -- */

static void destroy(owned *link) { pl_certificate_destroy((pl_certificate *)(void *)link); }

pl_status pl_certificate_create(pl_context *context, pl_certificate **out)
{
  return owned_create(context, sizeof **out, "a certificate", destroy, out);
}

void pl_certificate_destroy(pl_certificate *certificate)
{
  if (!certificate) return;
  pl_context *context = certificate->context;
  const pl_allocator *allocator = &context->def.allocator;
  owned_unlink(context, &certificate->link);
  array_free_all(allocator, &certificate->bodies, &certificate->order, &certificate->sorting, &certificate->pairs,
                 &certificate->origin, &certificate->radius, &certificate->chunks, &certificate->parts);
  mem_free(allocator, certificate);
}

/* ------------------------------------------------------------------------------------ bodies -- */

/* The first place in the order that is not before a key. */
static size_t place_of(const pl_certificate *c, uint64_t key)
{
  size_t low = 0, high = c->order.count;
  while (low < high) {
    const size_t middle = low + (high - low) / 2;
    if (c->order.data[middle] < key)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

/* After an edit it may have other features than those that radii are for. */
static bool is_edited(const covered *b) { return b->edits != b->body->edits; }

/* By its serial; a body that has chosen another tree has another one, and is looked for. */
static const covered *find_body(const pl_certificate *c, const pl_body *body)
{
  for (size_t i = place_of(c, body->serial << 32); i < c->order.count; ++i) {
    if (c->order.data[i] >> 32 != (body->serial & UINT32_MAX)) break;
    const covered *found = &c->bodies.data[(uint32_t)c->order.data[i]];
    if (found->body == body) return is_edited(found) ? NULL : found;
  }
  for (size_t i = 0; i < c->bodies.count; ++i)
    if (c->bodies.data[i].body == body) return is_edited(&c->bodies.data[i]) ? NULL : &c->bodies.data[i];
  return NULL;
}

static pl_status cover(pl_certificate *c, pl_body *body)
{
  const pl_allocator *allocator = &c->context->def.allocator;
  const size_t n = body->motion.vertex_count, first = c->radius.count, chunks = n / CHUNK + 1;
  if (!array_reserve(allocator, &c->bodies, c->bodies.count + 1) ||
      !array_reserve(allocator, &c->origin, 3 * (first + n)) || !array_reserve(allocator, &c->radius, first + n) ||
      !array_reserve(allocator, &c->chunks, c->chunks.count + chunks) ||
      !array_reserve(allocator, &c->parts, c->chunks.count + chunks))
    return fail(c->context, PL_ERROR_MEMORY, "no memory for a certificate of %zu vertices", first + n);
  for (size_t begin = 0; begin < n; begin += CHUNK) {
    const size_t end = n - begin > CHUNK ? begin + CHUNK : n;
    c->chunks.data[c->chunks.count++] = (chunk){(uint32_t)c->bodies.count, (uint32_t)begin, (uint32_t)end};
  }
  c->bodies.data[c->bodies.count++] = (covered){body, n, first, body->moves, body->edits};
  c->radius.count += n;
  c->origin.count += 3 * n;
  return PL_OK;
}

static pl_status put_in_order(pl_certificate *c)
{
  const size_t n = c->bodies.count;
  const pl_allocator *allocator = &c->context->def.allocator;
  if (!array_reserve(allocator, &c->order, n + 1) || !array_reserve(allocator, &c->sorting, n + 1))
    return fail(c->context, PL_ERROR_MEMORY, "no memory for a certificate of %zu bodies", n);
  for (size_t i = 0; i < n; ++i) c->order.data[i] = c->bodies.data[i].body->serial << 32 | i;
  c->order.count = n;
  sort_keys(c->order.data, c->sorting.data, n);
  return PL_OK;
}

static pl_status cover_members(pl_certificate *c, const pl_scene *scene)
{
  pl_status status = PL_OK;
  for (size_t i = 0; i < scene->members.count && status == PL_OK; ++i)
    if (scene->members.data[i]) status = cover(c, scene->members.data[i]->body);
  return status;
}

static pl_status cover_all(pl_certificate *c, const pl_who *who)
{
  c->bodies.count = c->pairs.count = c->origin.count = c->radius.count = c->chunks.count = 0;
  c->who = *who;
  pl_status status = who->scene ? cover_members(c, who->scene) : cover(c, who->a);
  if (status == PL_OK && !who->scene && who->b != who->a) status = cover(c, who->b);
  return status == PL_OK ? put_in_order(c) : status;
}

/* ------------------------------------------------------------------------------------- radii -- */

static void limit_corners(double *radius, const uint32_t vertex[3], int corners, double most)
{
  for (int i = 0; i < corners; ++i)
    if (most < radius[vertex[i]]) radius[vertex[i]] = most;
}

/* A lower bound of how far apart the surfaces of thick features are. */
static double gap_of(const pl_body *a, const pl_body *b, const pl_feature_pair *r)
{
  const double thick = thickness_of(&a->thickness, r->vertex_a, 3) + thickness_of(&b->thickness, r->vertex_b, 3);
  return thick > 0 ? fmax(0, r->distance * down - thick * up) : r->distance;
}

static pl_status take_group(pl_certificate *c, const pl_result *found, const pl_group *g)
{
  const covered *a = find_body(c, g->a), *b = find_body(c, g->b);
  double least = INFINITY;
  for (size_t i = g->begin; i < g->end; ++i) {
    const pl_feature_pair *r = &found->features[i];
    const double gap = gap_of(g->a, g->b, r), most = 0.5 * gap * down;
    const int of_a = r->kind == PL_FEATURE_VERTEX_FACE ? 1 : r->kind == PL_FEATURE_FACE_VERTEX ? 3 : 2;
    limit_corners(c->radius.data + a->first, r->vertex_a, of_a, most);
    limit_corners(c->radius.data + b->first, r->vertex_b, 4 - of_a, most);
    least = gap < least ? gap : least;
  }
  if (!array_reserve(&c->context->def.allocator, &c->pairs, c->pairs.count + 1))
    return fail(c->context, PL_ERROR_MEMORY, "no memory for the pairs of bodies");
  c->pairs.data[c->pairs.count++] = (covered_pair){g->a, g->b, least};
  return PL_OK;
}

static void take_origins(pl_certificate *c)
{
  for (size_t i = 0; i < c->bodies.count; ++i) {
    const covered *b = &c->bodies.data[i];
    for (size_t v = 0; v < b->count; ++v)
      points_world(&b->body->motion.now, (uint32_t)v, c->origin.data + 3 * (b->first + v));
  }
}

/* After the question, within a query: nothing may have moved since. */
static pl_status take(pl_certificate *c, const pl_result *found)
{
  for (size_t i = 0; i < c->bodies.count; ++i)
    if (c->bodies.data[i].moves != c->bodies.data[i].body->moves)
      return fail(c->context, PL_ERROR_BUSY, "a body was moved while a certificate was renewed");
  const double most = 0.5 * c->margin * down;
  for (size_t i = 0; i < c->radius.count; ++i) c->radius.data[i] = most;
  take_origins(c);
  pl_status status = PL_OK;
  for (size_t i = 0; i < found->group_count && status == PL_OK; ++i) status = take_group(c, found, &found->groups[i]);
  return status;
}

static pl_status check_options(pl_certificate *c, const pl_question *full)
{
  if (!(full->margin > 0))
    return fail(c->context, PL_ERROR_ARGUMENT, "the margin of a certificate must be above 0: radii are half of it");
  if (full->rings == 1 && full->vertex_face && full->edge_edge) return PL_OK;
  return fail(c->context, PL_ERROR_ARGUMENT,
              "a certificate needs all features: rings must be 1, vertex_face and edge_edge true");
}

pl_status pl_certificate_renew(pl_certificate *certificate, pl_who who, const pl_question *how, const pl_result **out)
{
  if (out) *out = NULL;
  if (!certificate) return fail_null("certificate");
  pl_certificate *c = certificate;
  ask q = {.who = who};
  pl_question full;
  const pl_result *found = NULL;
  call within;
  c->valid = false;
  pl_status status = ask_check(&q, ASKED_NEAR, how, &full, &found);
  if (status == PL_OK && q.context != c->context)
    status = fail(c->context, PL_ERROR_MISMATCH, "the certificate belongs to another context");
  if (status == PL_OK) status = check_options(c, &full);
  if (status == PL_OK) status = cover_all(c, &who);
  if (status == PL_OK) status = pl_near(who, how, &found);
  if (status != PL_OK) return status;
  c->margin = full.margin;
  if (c->bodies.count) {
    status = who_enter(&within, c->who);
    if (status != PL_OK) return status;
    status = take(c, found);
    call_query_end(&within);
  }
  c->valid = status == PL_OK;
  c->renewals += c->valid;
  if (out && c->valid) *out = found;
  return status;
}

/* ------------------------------------------------------------------------------------- moves -- */

/* No less than the distance of two points. */
static double distance_up(const double x[3], const double y[3])
{
  double most = 0, square = 0;
  for (int k = 0; k < 3; ++k) {
    const double d = fabs(x[k] - y[k]);
    square += d * d;
    most = d > most ? d : most;
  }
  if (square > 0x1p-900 && square < INFINITY) return sqrt(square) * up;
  return most * 1.75; /* above the root of 3 */
}

static void spend_chunk(void *data, int task, int worker)
{
  const pl_certificate *c = data;
  const chunk *part = &c->chunks.data[task];
  const covered *b = &c->bodies.data[part->body];
  spent_part worst = {0, PL_NONE, 0};
  for (uint32_t v = part->begin; v < part->end; ++v) {
    double at[3];
    points_world(&b->body->motion.now, v, at);
    const double moved = distance_up(at, c->origin.data + 3 * (b->first + v)), radius = c->radius.data[b->first + v];
    const double spent = radius > 0 ? moved / radius * up : moved > 0 ? INFINITY : 1;
    worst.beyond += !(spent < 1);
    if (spent > worst.spent) {
      worst.spent = spent;
      worst.vertex = v;
    }
  }
  c->parts.data[task] = worst;
}

pl_status pl_certificate_spend(pl_certificate *certificate, pl_certificate_state *out)
{
  if (!certificate) return fail_null("certificate");
  pl_certificate *c = certificate;
  if (!out) return query_refuse_null(c->context, "out");
  *out = (pl_certificate_state){.vertex = PL_NONE, .renewals = c->renewals, .checks = ++c->checks};
  if (!c->valid) {
    out->spent = INFINITY;
    return PL_OK;
  }
  call within;
  pl_status status = c->bodies.count ? who_enter(&within, c->who) : PL_OK;
  if (status != PL_OK) return status;
  for (size_t i = 0; i < c->bodies.count; ++i) c->valid = c->valid && !is_edited(&c->bodies.data[i]);
  const int n = c->valid ? (int)c->chunks.count : 0;
  if (!c->valid) out->spent = INFINITY;
  if (n) status = parallel_for(c->context, n > 4, spend_chunk, c, n);
  for (int i = 0; i < n && status == PL_OK; ++i) {
    const spent_part *p = &c->parts.data[i];
    out->beyond += p->beyond;
    if (!(p->spent > out->spent)) continue;
    out->spent = p->spent;
    out->vertex = p->vertex;
    out->body = c->bodies.data[c->chunks.data[i].body].body;
  }
  out->holds = status == PL_OK && out->spent < 1;
  if (c->bodies.count) call_query_end(&within);
  return status;
}

const double *pl_certificate_radii(const pl_certificate *certificate, const pl_body *body, size_t *count)
{
  const covered *b = certificate && certificate->valid ? find_body(certificate, body) : NULL;
  if (count) *count = b ? b->count : 0;
  return b ? certificate->radius.data + b->first : NULL;
}

double pl_certificate_displacement(const pl_certificate *certificate, const pl_body *a, const pl_body *b)
{
  const pl_certificate *c = certificate;
  if (!c || !c->valid || !find_body(c, a) || !find_body(c, b)) return 0;
  for (size_t i = 0; i < c->pairs.count; ++i) {
    const covered_pair *p = &c->pairs.data[i];
    if ((p->a == a && p->b == b) || (p->a == b && p->b == a)) return 0.5 * p->least * down;
  }
  return 0.5 * c->margin * down;
}

/* ------------------------------------------------------------------------------------- plans -- */

static const flight *plans_of(const pl_body *body)
{
  return body->motion.kind->traits & MOTION_PLANS ? body->motion.controls : NULL;
}

/* A vertex in a segment of its plan, from parameter s to t: the control points of that part of the
 * path, which stays in their hull. */
static bool stays(const flight *f, size_t segment, uint32_t v, double s, double t, const double origin[3],
                  double radius)
{
  const size_t degree = (size_t)f->degree, first = degree * segment;
  double hull[3][3], size = 0;
  for (int k = 0; k < 3; ++k) {
    double c[3] = {0};
    for (size_t i = 0; i <= degree; ++i) {
      c[i] = f->poses.data[first + i][v][k];
      size = fmax(size, fabs(c[i]));
    }
    if (degree == 1) {
      hull[0][k] = hull[1][k] = c[0] + s * (c[1] - c[0]);
      hull[2][k] = c[0] + t * (c[1] - c[0]);
    } else { /* the blossom of s and s, s and t, t and t */
      const double at_s[2] = {c[0] + s * (c[1] - c[0]), c[1] + s * (c[2] - c[1])};
      const double at_t[2] = {c[0] + t * (c[1] - c[0]), c[1] + t * (c[2] - c[1])};
      hull[0][k] = at_s[0] + s * (at_s[1] - at_s[0]);
      hull[1][k] = at_s[0] + t * (at_s[1] - at_s[0]);
      hull[2][k] = at_t[0] + t * (at_t[1] - at_t[0]);
    }
  }
  const double rounding = size * 0x1p-47; /* of these sums, and of positions */
  for (int i = 0; i < 3; ++i)
    if (!(distance_up(hull[i], origin) + rounding < radius * down)) return false;
  return true;
}

static double parameter(const flight *f, size_t segment, double time)
{
  const double first = f->times.data[segment], end = f->times.data[segment + 1], s = (time - first) / (end - first);
  return s < 1 ? path_parameter(s) : 1;
}

/* The greatest time found, in the segment, up to which a vertex stays; `from` if it does not leave
 * it. Halving: of two times that differ by a rounding the first stays. */
static double vertex_until(const flight *f, size_t segment, uint32_t v, double from, double to, const double origin[3],
                           double radius)
{
  const double s = parameter(f, segment, from);
  if (stays(f, segment, v, s, parameter(f, segment, to), origin, radius)) return to;
  double good = from, bad = to;
  for (int i = 0; i < 60; ++i) {
    const double middle = good + 0.5 * (bad - good);
    if (!(middle > good && middle < bad)) break;
    if (stays(f, segment, v, s, parameter(f, segment, middle), origin, radius))
      good = middle;
    else
      bad = middle;
  }
  return good;
}

static double body_until(const pl_certificate *c, const covered *b, const flight *f, double until)
{
  double from = f->time;
  for (size_t segment = f->segment; segment + 1 < f->times.count && from < until; ++segment) {
    const double end = fmin(f->times.data[segment + 1], until);
    double reached = end;
    for (size_t v = 0; v < b->count; ++v)
      reached = vertex_until(f, segment, (uint32_t)v, from, reached, c->origin.data + 3 * (b->first + v),
                             c->radius.data[b->first + v]);
    if (reached < end) return reached;
    from = end;
  }
  return fmin(from, until);
}

pl_status pl_certificate_until(pl_certificate *certificate, double *until)
{
  if (!certificate) return fail_null("certificate");
  pl_certificate *c = certificate;
  pl_certificate_state now;
  if (!until) return query_refuse_null(c->context, "until");
  *until = -INFINITY;
  pl_status status = pl_certificate_spend(c, &now);
  --c->checks;
  if (status != PL_OK || !now.holds) return status;
  call within;
  double end = INFINITY;
  if (c->bodies.count) status = who_enter(&within, c->who);
  if (status != PL_OK) return status;
  for (size_t i = 0; i < c->bodies.count; ++i) {
    const flight *f = plans_of(c->bodies.data[i].body);
    if (f) end = fmin(end, f->times.data[f->times.count - 1]);
  }
  for (size_t i = 0; i < c->bodies.count && end < INFINITY; ++i) {
    const flight *f = plans_of(c->bodies.data[i].body);
    if (f) end = body_until(c, &c->bodies.data[i], f, end);
  }
  if (c->bodies.count) call_query_end(&within);
  if (!(end < INFINITY)) return fail(c->context, PL_ERROR_UNSUPPORTED, "no body of the certificate has a flight plan");
  *until = end;
  return PL_OK;
}
