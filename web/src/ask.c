/* Questions, as JavaScript asks them: web_begin(), its options one by one, then web_ask() with who
 * is asked. The names of questions and options are here alone: pliant.mjs reads them. */
#include "web/src/ask.h"

#include <math.h>
#include <string.h>

/* The layouts that results.mjs reads. */
#ifdef __wasm__
_Static_assert(sizeof(pl_pair) == 8 && sizeof(pl_group) == 16, "pairs");
_Static_assert(sizeof(pl_feature_pair) == 120 && offsetof(pl_feature_pair, distance) == 40, "features");
_Static_assert(sizeof(pl_near_pair) == 64 && offsetof(pl_near_pair, point_a) == 16, "near pairs");
_Static_assert(sizeof(pl_distance) == 80 && offsetof(pl_distance, triangle_a) == 72, "distances");
_Static_assert(sizeof(pl_ray) == 64 && sizeof(pl_hit) == 64 && offsetof(pl_hit, triangle) == 48, "rays and hits");
_Static_assert(sizeof(pl_point) == 80 && offsetof(pl_point, triangle) == 48 && offsetof(pl_point, winding) == 64,
               "points");
#endif

/* ---------------------------------------------------------------------------------- options -- */

static pl_question question;
static pl_result given;

typedef enum option_kind { FLAG, WHOLE, WIDE, AMOUNT } option_kind;
typedef struct option {
  const char *name;
  uint16_t at;
  uint8_t kind;
} option;

#define OPTION(name, member, kind)                                                                                     \
  {                                                                                                                    \
    name, offsetof(pl_question, member), kind                                                                          \
  }
static const option options[] = {
    OPTION("reference", reference, FLAG),
    OPTION("sorted", sorted, FLAG),
    OPTION("first", first, FLAG),
    OPTION("all", all, FLAG),
    OPTION("each", each, FLAG),
    OPTION("vertexFace", vertex_face, FLAG),
    OPTION("edgeEdge", edge_edge, FLAG),
    OPTION("patches", patches, FLAG),
    OPTION("depth", depth, FLAG),
    OPTION("coherent", coherent, FLAG),
    OPTION("contacts", contacts, FLAG),
    OPTION("rings", rings, WHOLE),
    OPTION("mask", mask, WHOLE),
    OPTION("margin", margin, AMOUNT),
    OPTION("keptGap", kept_gap, AMOUNT),
    OPTION("relative", relative, AMOUNT),
    OPTION("absolute", absolute, AMOUNT),
    OPTION("samples", samples, WHOLE),
    OPTION("budgetTests", budget_tests, WIDE),
    OPTION("budgetMs", budget_ms, AMOUNT),
    OPTION("method", self_method, WHOLE),
    OPTION("mode", ray_mode, WHOLE),
    OPTION("level", level, WHOLE),
    OPTION("reach", reach, AMOUNT),
};
enum { OPTIONS = sizeof options / sizeof options[0] };

/* The name of an option; NULL behind the last. */
const char *WEB_EXPORT(web_option_name)(int index)
{
  return index >= 0 && index < OPTIONS ? options[index].name : NULL;
}

void WEB_EXPORT(web_begin)(void) { question = pl_question_default(); }

int WEB_EXPORT(web_option)(int index, double value)
{
  const option *o = &options[index];
  char *at = (char *)&question + o->at;
  const double most = o->kind == WIDE ? 0x1p53 : UINT32_MAX;
  if (o->kind == AMOUNT) {
    memcpy(at, &value, sizeof value);
  } else if (o->kind == FLAG) {
    *(bool *)at = value != 0;
  } else if (!(value >= 0 && value <= most && floor(value) == value)) {
    return web_fail("%s is %g: it must be a whole number, 0 or more", o->name, value);
  } else if (o->kind == WIDE) {
    const uint64_t wide = (uint64_t)value;
    memcpy(at, &wide, sizeof wide);
  } else {
    const uint32_t whole = (uint32_t)value;
    memcpy(at, &whole, sizeof whole);
  }
  return 1;
}

/* Pairs, or features, of an earlier result, where they are. */
void WEB_EXPORT(web_given)(const void *rows, size_t count, const pl_group *groups, size_t group_count)
{
  memset(&given, 0, sizeof given);
  given.pairs = rows;
  given.features = rows;
  given.count = count;
  given.groups = groups;
  given.group_count = group_count;
  question.given = &given;
}

/* ---------------------------------------------------------------------------------- filters -- */

/* What the filter of the page says; 0 leaves out. */
__attribute__((import_module("pliant"), import_name("filter"))) int host_filter(uint32_t a, uint32_t b, uint32_t i,
                                                                                uint32_t j);

static bool keep_pair(void *user, pl_body *a, pl_body *b, pl_pair pair)
{
  return host_filter((uint32_t)(uintptr_t)a, (uint32_t)(uintptr_t)b, pair.a, pair.b);
}
static bool keep_features(void *user, const pl_impact *f)
{
  return host_filter((uint32_t)(uintptr_t)f->a, (uint32_t)(uintptr_t)f->b, (uint32_t)(uintptr_t)f, 0);
}
static bool keep_hit(void *user, size_t ray, const pl_hit *hit)
{
  return host_filter((uint32_t)(uintptr_t)hit->body, 0, ray, hit->triangle);
}
static bool keep_point(void *user, size_t point, pl_body *body, uint32_t triangle)
{
  return host_filter((uint32_t)(uintptr_t)body, 0, point, triangle);
}
static bool keep_bodies(void *user, pl_body *a, pl_body *b)
{
  return host_filter((uint32_t)(uintptr_t)a, (uint32_t)(uintptr_t)b, 0, 0);
}

static void set_filter(web_filter_kind kind)
{
  if (kind == WEB_PAIRS) question.filter = keep_pair;
  if (kind == WEB_FEATURES) question.feature_filter = keep_features;
  if (kind == WEB_HITS) question.hit_filter = keep_hit;
  if (kind == WEB_POINTS) question.point_filter = keep_point;
  if (kind == WEB_BODIES) question.body_filter = keep_bodies;
}

/* -------------------------------------------------------------------------------- questions -- */

static pl_status cast(pl_who who, const web_probe *p, const pl_question *how, const pl_result **out)
{
  return pl_cast(who, p->data, p->count, how, out);
}
static pl_status closest(pl_who who, const web_probe *p, const pl_question *how, const pl_result **out)
{
  return pl_closest(who, web_positions(p->data, p->count, p->is_double), how, out);
}
static pl_status inside(pl_who who, const web_probe *p, const pl_question *how, const pl_result **out)
{
  return pl_inside(who, web_positions(p->data, p->count, p->is_double), how, out);
}
static pl_status signed_distance(pl_who who, const web_probe *p, const pl_question *how, const pl_result **out)
{
  return pl_signed_distance(who, web_positions(p->data, p->count, p->is_double), how, out);
}

static const web_question questions[] = {
    {"touching", pl_touching, NULL, WEB_ROWS(pairs), WEB_PAIRS},
    {"near", pl_near, NULL, WEB_ROWS(features), WEB_PAIRS},
    {"nearTriangles", pl_near_triangles, NULL, WEB_ROWS(near_pairs), WEB_PAIRS},
    {"nearest", pl_nearest, NULL, WEB_ROWS(distances), WEB_PAIRS},
    {"cast", NULL, cast, WEB_ROWS(hits), WEB_HITS},
    {"closest", NULL, closest, WEB_ROWS(points), WEB_POINTS},
    {"inside", NULL, inside, WEB_ROWS(points), WEB_NO_FILTER},
    {"signedDistance", NULL, signed_distance, WEB_ROWS(points), WEB_NO_FILTER},
};
enum { QUESTIONS = sizeof questions / sizeof questions[0] };

static const web_question *question_at(int index)
{
  return index < QUESTIONS ? &questions[index] : &web_more_questions[index - QUESTIONS];
}

/* The name of a question; NULL behind the last of this module. */
const char *WEB_EXPORT(web_question_name)(int index)
{
  return index < QUESTIONS || web_more_questions ? question_at(index)->name : NULL;
}

/* Address of the rows, count, address of the groups, count, partial, counters, pairs of bodies,
 * those that were kept, times of sweep, walk and gather, time, safe step, address of the offsets,
 * closure, addresses of lists, parts and pairs, tries of a free step. */
static int put_result(const web_question *asked, const pl_result *r)
{
  const void *rows;
  memcpy(&rows, (const char *)r + asked->rows, sizeof rows);
  double *out = web_out_numbers;
  const double numbers[] = {(double)(uintptr_t)rows, (double)r->count, (double)(uintptr_t)r->groups,
                            (double)r->group_count, r->partial};
  memcpy(out, numbers, sizeof numbers);
  out += web_put_counters(5, &r->counters);
  const double more[] = {(double)r->body_pairs,
                         (double)r->kept_pairs,
                         r->ms_sweep,
                         r->ms_walk,
                         r->ms_gather,
                         r->time,
                         r->safe_step,
                         (double)(uintptr_t)r->offsets,
                         r->closure,
                         (double)(uintptr_t)r->lists,
                         (double)(uintptr_t)r->parts,
                         (double)(uintptr_t)r->pairs,
                         (double)r->tries};
  memcpy(out, more, sizeof more);
  return 1;
}

/* scene: NULL, and two bodies, which may be the same. data: what a probe is asked about. */
int WEB_EXPORT(web_ask)(pl_context *context, int index, pl_body *a, pl_body *b, pl_scene *scene, int filtered,
                        const void *data, size_t count, int is_double)
{
  const web_question *asked = question_at(index);
  const pl_who who = scene ? pl_all(scene) : pl_two(a, b);
  const web_probe probe = {data, count, is_double};
  const pl_result *found = NULL;
  if (filtered && asked->filter == WEB_NO_FILTER) return web_fail("%s has no filter", asked->name);
  if (filtered) set_filter(asked->filter);
  pl_status status = asked->ask ? asked->ask(who, &question, &found) : asked->probe(who, &probe, &question, &found);
  return web_check(context, status) && put_result(asked, found);
}
