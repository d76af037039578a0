/* Who x question x motion x strategy against the reference, and which options a question has.
 *
 * The table has a row for every question of the library's own list (query/options.h): a new
 * question without one fails here, and with one it is asked of two bodies, of one and of a scene,
 * of every motion with every strategy that it supports, plain and filtered, and compared with
 * `reference`. */
#include "query/options.h"

#include "support/cast.h"
#include "support/worlds.h" /* after our headers: cmocka has a macro named fail */

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BODIES = 3, PROBES = 24 };

typedef enum whos { TWO, SELF, ALL, WHOS } whos;
static const char *const who_names[WHOS] = {"two bodies", "one body", "a scene"};

typedef struct stage {
  pl_context *context;
  cast_kind kind;
  pl_body *bodies[BODIES];
  pl_scene *scene;
  pl_holder *holder; /* of the reference */
  pl_holder *given;  /* of what is measured */
  pl_ray rays[PROBES];
  double points[3 * PROBES];
  double out[BODIES][3 * 64]; /* of steps */
} stage;

static pl_who who_of(const stage *s, whos who)
{
  return who == TWO ? pl_two(s->bodies[0], s->bodies[1]) : who == SELF ? pl_self(s->bodies[1]) : pl_all(s->scene);
}

/* --------------------------------------------------------------------------------- bytes -- */

/* What is compared of a result: numbers, without padding and addresses. */
typedef struct bytes {
  double *data;
  size_t count, capacity;
} bytes;

static void put(bytes *b, double x)
{
  if (b->count == b->capacity) {
    b->capacity = 2 * b->capacity + 1024;
    b->data = realloc(b->data, b->capacity * sizeof *b->data);
    assert_non_null(b->data);
  }
  b->data[b->count++] = x == 0 ? 0 : x;
}

static void put_all(bytes *b, const double *x, int count)
{
  for (int i = 0; i < count; ++i) put(b, x[i]);
}

static void put_floats(bytes *b, const float *x, int count)
{
  for (int i = 0; i < count; ++i) put(b, (double)x[i]);
}

static void put_body(bytes *b, const stage *s, const pl_body *body)
{
  int i = 0;
  while (i < BODIES && s->bodies[i] != body) ++i;
  put(b, body ? i : -1);
}

static void put_pair(bytes *b, pl_pair pair)
{
  put(b, pair.a);
  put(b, pair.b);
}

static void put_groups(bytes *b, const stage *s, const pl_group *groups, size_t count)
{
  put(b, (double)count);
  for (size_t i = 0; i < count; ++i) {
    put_body(b, s, groups[i].a);
    put_body(b, s, groups[i].b);
    put(b, (double)groups[i].begin);
    put(b, (double)groups[i].end);
  }
}

/* ----------------------------------------------------------------------------------- rows -- */

static void write_touching(bytes *b, const stage *s, const pl_result *r)
{
  (void)s;
  for (size_t i = 0; i < r->count; ++i) put_pair(b, r->pairs[i]);
}

static void write_segments(bytes *b, const stage *s, const pl_result *r)
{
  write_touching(b, s, r);
  for (size_t i = 0; i < r->count; ++i) {
    put_all(b, r->segments[i].from, 3);
    put_all(b, r->segments[i].to, 3);
    put(b, r->segments[i].touches + 2 * r->segments[i].coplanar);
  }
}

static void write_penetrations(bytes *b, const stage *s, const pl_result *r)
{
  for (size_t i = 0; i < r->count; ++i) {
    const pl_penetration *p = &r->penetrations[i];
    put_body(b, s, p->body);
    put_body(b, s, p->other);
    put(b, p->depth);
    put(b, p->bound);
    put_all(b, p->point, 3);
    put_all(b, p->surface, 3);
    put(b, p->triangle);
    put(b, p->other_triangle);
  }
}

static void write_regions(bytes *b, const stage *s, const pl_result *r)
{
  (void)s;
  for (size_t i = 0; i < r->count; ++i) {
    const pl_region *x = &r->regions[i];
    put(b, (double)(x->pair_end - x->pair_begin));
    put(b, (double)(x->contour_end - x->contour_begin));
    put(b, x->length);
    put(b, x->depth);
    for (size_t k = x->pair_begin; k < x->pair_end; ++k) put_pair(b, r->parts->pairs[k]);
  }
}

static void write_near(bytes *b, const stage *s, const pl_result *r)
{
  (void)s;
  for (size_t i = 0; i < r->count; ++i) {
    const pl_feature_pair *f = &r->features[i];
    put(b, f->kind);
    put(b, f->triangle_a);
    put(b, f->triangle_b);
    for (int k = 0; k < 3; ++k) put_pair(b, (pl_pair){f->vertex_a[k], f->vertex_b[k]});
    put(b, f->distance);
    put_all(b, f->weight_a, 3);
    put_all(b, f->weight_b, 3);
    put_all(b, f->normal, 3);
  }
}

static void write_near_triangles(bytes *b, const stage *s, const pl_result *r)
{
  (void)s;
  for (size_t i = 0; i < r->count; ++i) {
    const pl_near_pair *p = &r->near_pairs[i];
    put_pair(b, (pl_pair){p->a, p->b});
    put(b, p->distance);
    put_all(b, p->point_a, 3);
    put_all(b, p->point_b, 3);
  }
}

static void write_nearest(bytes *b, const stage *s, const pl_result *r)
{
  for (size_t i = 0; i < r->count; ++i) {
    const pl_distance *d = &r->distances[i];
    put_body(b, s, d->a);
    put_body(b, s, d->b);
    put(b, d->distance);
    put(b, d->lower);
    put_all(b, d->point_a, 3);
    put_all(b, d->point_b, 3);
    put_pair(b, (pl_pair){d->triangle_a, d->triangle_b});
  }
}

static void write_impacts(bytes *b, const stage *s, const pl_result *r)
{
  put(b, r->time);
  put(b, r->safe_step);
  for (size_t i = 0; i < r->count; ++i) {
    const pl_impact *x = &r->impacts[i];
    put_body(b, s, x->a);
    put_body(b, s, x->b);
    put(b, x->time);
    put(b, x->kind);
    for (int k = 0; k < 2; ++k) put_pair(b, (pl_pair){x->feature_a[k], x->feature_b[k]});
    put_all(b, x->normal, 3);
    put_all(b, x->point, 3);
  }
}

static void write_candidates(bytes *b, const stage *s, const pl_result *r)
{
  (void)s;
  put(b, (double)r->list_count);
  for (size_t i = 0; i < r->list_count; ++i) {
    const double ends[] = {(double)r->lists[i].vertex_face, (double)r->lists[i].face_vertex,
                           (double)r->lists[i].edge_edge, (double)r->lists[i].end};
    put_all(b, ends, 4);
  }
  for (size_t i = 0; i < r->count; ++i) put_pair(b, r->candidates[i]);
}

static void write_step(bytes *b, const stage *s, const pl_result *r)
{
  (void)s;
  put(b, r->safe_step);
  put(b, r->time);
  put(b, (double)r->tries);
}

static int by_time(const void *x, const void *y)
{
  const pl_window *a = x, *b = y;
  if (a->time != b->time) return a->time < b->time ? -1 : 1;
  return a->a != b->a ? (a->a < b->a ? -1 : 1) : (a->b > b->b) - (a->b < b->b);
}

/* Equal times have no order of their own. */
static void write_windows(bytes *b, const stage *s, const pl_result *r)
{
  (void)s;
  pl_window *rows = malloc((r->count + 1) * sizeof *rows);
  for (size_t i = 0; i < r->count; ++i) rows[i] = r->windows[i];
  for (size_t g = 0; g < r->group_count; ++g)
    qsort(rows + r->groups[g].begin, r->groups[g].end - r->groups[g].begin, sizeof *rows, by_time);
  for (size_t i = 0; i < r->count; ++i) {
    put(b, rows[i].time);
    put_pair(b, (pl_pair){rows[i].a, rows[i].b});
  }
  free(rows);
}

static void write_spheres(bytes *b, const stage *s, const pl_result *r)
{
  for (size_t i = 0; i < r->count; ++i) {
    const pl_sphere_contact *c = &r->spheres[i];
    put_pair(b, (pl_pair){c->a, c->b});
    put_floats(b, c->normal, 3);
    put_floats(b, c->point, 3);
    put(b, (double)c->depth);
    put(b, c->contact);
  }
  put_groups(b, s, r->sphere_point_groups, r->group_count);
  for (size_t i = 0; i < r->sphere_point_count; ++i) {
    put_pair(b, (pl_pair){r->sphere_points[i].point, r->sphere_points[i].node});
    put(b, r->sphere_points[i].side);
  }
}

static void write_hits(bytes *b, const stage *s, const pl_result *r)
{
  put(b, (double)r->done);
  for (size_t i = 0; i < r->count; ++i) {
    const pl_hit *h = &r->hits[i];
    put(b, h->t);
    put(b, h->u);
    put(b, h->v);
    put_all(b, h->normal, 3);
    put_pair(b, (pl_pair){h->triangle, h->member});
    put_body(b, s, h->body);
  }
}

static void write_points(bytes *b, const stage *s, const pl_result *r)
{
  put(b, (double)r->done);
  put(b, r->closure);
  for (size_t i = 0; i < r->count; ++i) {
    const pl_point *p = &r->points[i];
    put(b, p->distance);
    put_all(b, p->point, 3);
    put(b, p->u);
    put(b, p->v);
    put_pair(b, (pl_pair){p->triangle, p->member});
    put(b, p->side);
    put(b, p->closure);
    put(b, p->winding); /* closed bodies: exact */
    put_body(b, s, p->body);
  }
}

static void write_triangles(bytes *b, const stage *s, const pl_result *r)
{
  (void)s;
  for (size_t i = 0; i < r->count; ++i) put(b, r->triangles[i]);
}

/* -------------------------------------------------------------------------------- filters -- */

static bool some_pairs(void *user, pl_body *a, pl_body *b, pl_pair pair)
{
  (void)user;
  return (pair.a * 7 + pair.b * 3 + (a == b)) % 3 != 0;
}
static bool some_features(void *user, const pl_impact *f)
{
  (void)user;
  return (f->feature_a[0] * 5 + f->feature_b[1] * 3 + f->kind) % 3 != 0;
}
static bool some_hits(void *user, size_t ray, const pl_hit *hit)
{
  (void)user;
  return (ray + hit->triangle) % 3 != 0;
}
static bool some_triangles(void *user, size_t point, pl_body *body, uint32_t triangle)
{
  (void)user;
  (void)body;
  return (point + triangle) % 3 != 0;
}
static bool some_bodies(void *user, pl_body *a, pl_body *b)
{
  const stage *s = user;
  return a != s->bodies[0] || b != s->bodies[1];
}

/* ------------------------------------------------------------------------------ questions -- */

static pl_status cast_rays(stage *s, pl_who who, const pl_question *how, const pl_result **out)
{
  return pl_cast(who, s->rays, PROBES, how, out);
}

#define OF_POINTS(name)                                                                                                \
  static pl_status ask_##name(stage *s, pl_who who, const pl_question *how, const pl_result **out)                     \
  {                                                                                                                    \
    return pl_##name(who, pl_positions_f64(s->points, PROBES), how, out);                                              \
  }
OF_POINTS(closest)
OF_POINTS(inside)
OF_POINTS(signed_distance)

static pl_status overlap_zone(stage *s, pl_who who, const pl_question *how, const pl_result **out)
{
  (void)s;
  const double at[3] = {0.8, 0.3, 0.2};
  const pl_zone zone = pl_zone_sphere(at, 0.7);
  return pl_overlap(who, &zone, how, out);
}

/* What is near, measured where it is. */
static pl_status measure(stage *s, pl_who who, const pl_question *how, const pl_result **out)
{
  pl_question near = pl_question_default(), given = *how;
  near.margin = 0.05;
  near.sorted = true;
  near.holder = s->given;
  pl_status status = pl_near(who, &near, &given.given);
  return status == PL_OK ? pl_measure(who, &given, out) : status;
}

/* Steps, and goes back. */
static pl_status step(stage *s, pl_who who, const pl_question *how, const pl_result **out)
{
  pl_step_body stepping[BODIES];
  size_t count = 0;
  for (int i = 0; i < BODIES; ++i)
    if (who.scene || who.a == s->bodies[i] || who.b == s->bodies[i])
      stepping[count++] = (pl_step_body){s->bodies[i], s->out[i], 0, PL_F64};
  pl_status status = pl_free_step(who, stepping, count, how, out);
  for (int i = 0; i < BODIES; ++i) cast_move(s->kind, i, s->bodies[i]);
  return status;
}

#define PLAIN(name)                                                                                                    \
  static pl_status ask_##name(stage *s, pl_who who, const pl_question *how, const pl_result **out)                     \
  {                                                                                                                    \
    (void)s;                                                                                                           \
    return pl_##name(who, how, out);                                                                                   \
  }
PLAIN(touching)
PLAIN(segments)
PLAIN(penetrations)
PLAIN(regions)
PLAIN(near)
PLAIN(near_triangles)
PLAIN(nearest)
PLAIN(impacts)
PLAIN(candidates)
PLAIN(windows)
PLAIN(sphere_contacts)

#define BIT(who) (1u << (who))
enum { PAIRS = BIT(TWO) | BIT(SELF) | BIT(ALL), ONE = BIT(SELF) | BIT(ALL) };
enum { EVERY = (1u << CAST_COUNT) - 1 };

typedef struct question_row {
  pl_status (*ask)(stage *s, pl_who who, const pl_question *how, const pl_result **out);
  void (*write)(bytes *b, const stage *s, const pl_result *r);
  unsigned whos;  /* who it can be asked of; the others are refused with PL_ERROR_UNSUPPORTED */
  unsigned soon;  /* who it may be asked of: either refused as above, or right */
  unsigned kinds; /* of bodies; others are refused as above */
  bool world;     /* needs bodies in world space: not those of bergen, a strategy of lab/ */
  bool sorted;    /* it has this option, and needs it to be compared */
  bool all;
  double margin; /* if it has one */
  int samples;   /* the same */
  /* of its contract: distances to 4 units in the last place, normals to 2^-50. 0: the same bytes */
  double rounding;
  bool (*pairs)(void *, pl_body *, pl_body *, pl_pair);
  bool (*features)(void *, const pl_impact *);
  bool (*hits)(void *, size_t, const pl_hit *);
  bool (*points)(void *, size_t, pl_body *, uint32_t);
  bool (*bodies)(void *, pl_body *, pl_body *);
} question_row;

static const question_row questions[ASKED_COUNT] = {
    [ASKED_TOUCHING] = {ask_touching, write_touching, PAIRS, 0, EVERY, .sorted = true, .pairs = some_pairs},
    [ASKED_SEGMENTS] = {ask_segments, write_segments, PAIRS, 0, EVERY, .sorted = true, .pairs = some_pairs},
    [ASKED_PENETRATIONS] = {ask_penetrations, write_penetrations, BIT(TWO) | BIT(ALL), BIT(SELF), EVERY,
                            .samples = 100},
    [ASKED_REGIONS] = {ask_regions, write_regions, PAIRS, 0, EVERY, .pairs = some_pairs},
    [ASKED_NEAR] = {ask_near, write_near, PAIRS, 0, EVERY, .sorted = true, .margin = 0.05, .pairs = some_pairs},
    [ASKED_NEAR_TRIANGLES] = {ask_near_triangles, write_near_triangles, PAIRS, 0, EVERY, .sorted = true, .margin = 0.05,
                              .pairs = some_pairs},
    [ASKED_MEASURE] = {measure, write_near, PAIRS, 0, EVERY, .rounding = 0x1p-49},
    [ASKED_NEAREST] = {ask_nearest, write_nearest, PAIRS, 0, EVERY, .margin = 0.5, .pairs = some_pairs},
    [ASKED_IMPACTS] = {ask_impacts, write_impacts, PAIRS, 0, EVERY, .all = true, .features = some_features},
    [ASKED_CANDIDATES] = {ask_candidates, write_candidates, PAIRS, 0, EVERY, .sorted = true, .margin = 0.01,
                          .features = some_features},
    [ASKED_FREE_STEP] = {step, write_step, PAIRS, 0, BIT(CAST_free) | BIT(CAST_soup), .features = some_features},
    [ASKED_WINDOWS] = {ask_windows, write_windows, PAIRS, 0, BIT(CAST_flight), .world = true, .sorted = true},
    [ASKED_SPHERES] = {ask_sphere_contacts, write_spheres, PAIRS, 0, BIT(CAST_match), .bodies = some_bodies},
    [ASKED_CAST] = {cast_rays, write_hits, ONE, 0, EVERY, .hits = some_hits},
    [ASKED_CLOSEST] = {ask_closest, write_points, ONE, 0, EVERY, .points = some_triangles},
    [ASKED_INSIDE] = {ask_inside, write_points, ONE, 0, EVERY, .world = false},
    [ASKED_SIGNED_DISTANCE] = {ask_signed_distance, write_points, ONE, 0, EVERY, .world = false},
    [ASKED_OVERLAP] = {overlap_zone, write_triangles, ONE, 0, EVERY, .sorted = true},
};

static const char *const names[ASKED_COUNT] = {
#define ASKED_TEXT(name, text) text,
    ASKED_LIST(ASKED_TEXT)
#undef ASKED_TEXT
};

/* ---------------------------------------------------------------------------------- stage -- */

static bool open_stage(stage *s, cast_kind kind, pl_strategy strategy, int threads)
{
  pl_context_def context = pl_context_def_default();
  pl_body_def def = pl_body_def_default();
  test_rng rng = {11};
  context.threads = threads;
  def.strategy = strategy;
  def.leaf_size = 2;
  def.arity = 4;
  *s = (stage){.kind = kind};
  assert_int_equal(pl_context_create(&context, &s->context), PL_OK);
  assert_int_equal(pl_scene_create(s->context, NULL, &s->scene), PL_OK);
  assert_int_equal(pl_holder_create(s->context, &s->holder), PL_OK);
  assert_int_equal(pl_holder_create(s->context, &s->given), PL_OK);
  for (int i = 0; i < BODIES; ++i) {
    pl_member_def member = pl_member_def_default();
    pl_status status = cast_create(s->context, kind, i, &def, &s->bodies[i]);
    if (status == PL_ERROR_UNSUPPORTED) return false;
    if (status != PL_OK) fail_msg("%s: %s", cast_names[kind], pl_context_message(s->context));
    cast_move(kind, i, s->bodies[i]);
    member.self = i != 0;
    assert_int_equal(pl_scene_add(s->scene, s->bodies[i], &member), PL_OK);
  }
  for (int i = 0; i < PROBES; ++i) {
    double along[3];
    for (int k = 0; k < 3; ++k) {
      s->points[3 * i + k] = test_uniform(&rng, -1.5, k ? 1.5 : 3);
      along[k] = test_uniform(&rng, -1, 1);
    }
    s->rays[i] = pl_ray_from(s->points + 3 * i, along);
  }
  return true;
}

static pl_question how_of(const stage *s, const question_row *q, bool filtered)
{
  pl_question how = pl_question_default();
  how.sorted = q->sorted;
  how.all = q->all;
  if (q->margin > 0) how.margin = q->margin;
  if (q->samples) how.samples = (size_t)q->samples;
  how.user = (void *)(uintptr_t)s;
  if (!filtered) return how;
  how.filter = q->pairs;
  how.feature_filter = q->features;
  how.hit_filter = q->hits;
  how.point_filter = q->points;
  how.body_filter = q->bodies;
  return how;
}

static bool has_filter(const question_row *q) { return q->pairs || q->features || q->hits || q->points || q->bodies; }

static bytes bytes_of(const stage *s, const question_row *q, const pl_result *r)
{
  bytes b = {0};
  assert_false(r->partial);
  put(&b, (double)r->count);
  put_groups(&b, s, r->groups, r->group_count);
  q->write(&b, s, r);
  return b;
}

/* What the reference finds, of one kind of bodies: it does not depend on strategies. */
typedef struct right_answer {
  bytes numbers;
  size_t count;
  bool known;
} right_answer;

static right_answer answers[ASKED_COUNT][WHOS][2];

static void forget_answers(void)
{
  for (int q = 0; q < ASKED_COUNT; ++q)
    for (int who = 0; who < WHOS; ++who)
      for (int f = 0; f < 2; ++f) free(answers[q][who][f].numbers.data);
  memset(answers, 0, sizeof answers);
}

static const right_answer *answer_of(stage *s, int number, whos who, bool filtered, const char *what)
{
  right_answer *a = &answers[number][who][filtered];
  if (a->known) return a;
  const pl_result *found;
  pl_question how = how_of(s, &questions[number], filtered);
  how.reference = true;
  how.holder = s->holder;
  if (questions[number].ask(s, who_of(s, who), &how, &found) != PL_OK)
    fail_msg("%s, reference: %s", what, pl_context_message(s->context));
  *a = (right_answer){bytes_of(s, &questions[number], found), found->count, true};
  return a;
}

static void assert_right(const bytes *got, const bytes *right, double rounding, const char *what)
{
  if (got->count != right->count) fail_msg("%s: %zu numbers instead of %zu", what, got->count, right->count);
  for (size_t i = 0; i < right->count; ++i)
    if (got->data[i] != right->data[i] &&
        !(fabs(got->data[i] - right->data[i]) <= rounding * fmax(1, fabs(right->data[i]))))
      fail_msg("%s: number %zu is %.17g instead of %.17g", what, i, got->data[i], right->data[i]);
}

/* Asks by trees, twice, as what is kept must be right, too; returns the number of rows. */
static size_t compare(stage *s, int number, whos who, bool filtered, const char *what)
{
  const question_row *q = &questions[number];
  const pl_result *found;
  const pl_question how = how_of(s, q, filtered);
  const bool model = pl_body_strategy(s->bodies[0]) == PL_STRATEGY_BERGEN;
  const bool wanted = (q->whos & BIT(who)) && (q->kinds & BIT(s->kind)) && !(q->world && model);
  for (int again = 0; again < 2; ++again) {
    pl_status status = q->ask(s, who_of(s, who), &how, &found);
    if (!wanted || ((q->soon & BIT(who)) && status == PL_ERROR_UNSUPPORTED)) {
      /* a scene may have members that a question passes over */
      if (status != PL_ERROR_UNSUPPORTED && !(who == ALL && status == PL_OK))
        fail_msg("%s: status %d instead of a refusal", what, (int)status);
      return 0;
    }
    if (status != PL_OK) fail_msg("%s: %s", what, pl_context_message(s->context));
    bytes got = bytes_of(s, q, found);
    assert_right(&got, &answer_of(s, number, who, filtered, what)->numbers, q->rounding, what);
    free(got.data);
  }
  return answers[number][who][filtered].count;
}

static size_t rows_seen[ASKED_COUNT][WHOS];

static void compare_all(stage *s, pl_strategy strategy)
{
  const bool filters = strategy == PL_STRATEGY_AUTO || test_soaks(); /* they do not depend on trees */
  for (int q = 0; q < ASKED_COUNT; ++q)
    for (int who = 0; who < WHOS; ++who)
      for (int filtered = 0; filtered <= (int)(filters && has_filter(&questions[q])); ++filtered) {
        char what[160];
        snprintf(what, sizeof what, "%s of %s, %s, %s%s", names[q], who_names[who], cast_names[s->kind],
                 pl_word(PL_WORDS_STRATEGY, (int)strategy), filtered ? ", filtered" : "");
        rows_seen[q][who] += compare(s, q, (whos)who, filtered, what);
      }
}

static void every_question_of_everybody(void **state)
{
  (void)state;
  int stages = 0;
  for (int q = 0; q < ASKED_COUNT; ++q)
    if (!questions[q].ask || !questions[q].write) fail_msg("%s has no row in this test", names[q]);
  for (int kind = 0; kind < CAST_COUNT; ++kind)
    for (int strategy = 0; strategy < PL_STRATEGY_COUNT; ++strategy) {
      stage s;
      if (open_stage(&s, (cast_kind)kind, (pl_strategy)strategy, 1 + strategy % 3)) {
        compare_all(&s, (pl_strategy)strategy);
        ++stages;
      }
      pl_context_destroy(s.context);
      if (strategy + 1 == PL_STRATEGY_COUNT) forget_answers();
    }
  assert_true(stages >= 2 * CAST_COUNT);
  for (int q = 0; q < ASKED_COUNT; ++q)
    for (int who = 0; who < WHOS; ++who)
      if ((questions[q].whos & BIT(who)) && q != ASKED_FREE_STEP && !rows_seen[q][who])
        fail_msg("%s of %s never found anything", names[q], who_names[who]);
}

/* ------------------------------------------------------------------------------- options -- */

#define OF(name) (UINT32_C(1) << ASKED_##name)
#define OF_PAIRS (OF(TOUCHING) | OF(SEGMENTS) | OF(REGIONS))
#define OF_NEAR (OF(NEAR) | OF(NEAR_TRIANGLES))
#define OF_PLACES (OF(CLOSEST) | OF(INSIDE) | OF(SIGNED_DISTANCE))
#define OF_BUDGETS (OF(TOUCHING) | OF(NEAREST) | OF(IMPACTS) | OF(REGIONS) | OF(SPHERES))

static bool keep_pair(void *user, pl_body *a, pl_body *b, pl_pair pair) { return some_pairs(user, a, b, pair) || true; }
static pl_pair room_pairs[4];
static uint32_t room_triangles[4];
static pl_hit room_hits[PROBES];
static pl_point room_points[PROBES];
static const pl_result no_pairs;
static const pl_plane ground = {{0, 0, 1}, -5};
static const double no_margins[BODIES];

/* X(option, another value than the default, the questions that question.h names). */
#define OPTIONS(X)                                                                                                     \
  X(sorted, true, OF(TOUCHING) | OF(SEGMENTS) | OF_NEAR | OF(CANDIDATES) | OF(OVERLAP) | OF(WINDOWS))                  \
  X(first, true, OF(TOUCHING) | OF(NEAREST))                                                                           \
  X(all, true, OF(IMPACTS))                                                                                            \
  X(each, true, OF(NEAREST) | OF(MEASURE))                                                                             \
  X(vertex_face, false, OF_NEAR | OF(CANDIDATES))                                                                      \
  X(edge_edge, false, OF_NEAR | OF(CANDIDATES))                                                                        \
  X(patches, false, OF(REGIONS))                                                                                       \
  X(depth, false, OF(REGIONS))                                                                                         \
  X(coherent, true, OF(CAST) | OF_PLACES)                                                                              \
  X(contacts, true, OF(SPHERES))                                                                                       \
  X(rings, 2, OF_PAIRS | OF_NEAR | OF(NEAREST) | OF(IMPACTS) | OF(CANDIDATES) | OF(WINDOWS))                           \
  X(mask, 1, OF(CAST) | OF_PLACES | OF(OVERLAP))                                                                       \
  X(margin, 0.5,                                                                                                       \
    OF_NEAR | OF(MEASURE) | OF(NEAREST) | OF(IMPACTS) | OF(CANDIDATES) | OF(FREE_STEP) | OF(CLOSEST) |                 \
        OF(SIGNED_DISTANCE))                                                                                           \
  X(kept_gap, 0.5, OF(IMPACTS) | OF(FREE_STEP))                                                                        \
  X(relative, 0.5, OF(NEAREST) | OF(PENETRATIONS))                                                                     \
  X(absolute, 0.5, OF(NEAREST))                                                                                        \
  X(samples, 7, OF(PENETRATIONS))                                                                                      \
  X(filter, some_pairs, OF_PAIRS | OF_NEAR | OF(NEAREST))                                                              \
  X(feature_filter, some_features, OF(IMPACTS) | OF(CANDIDATES) | OF(FREE_STEP))                                       \
  X(hit_filter, some_hits, OF(CAST))                                                                                   \
  X(point_filter, some_triangles, OF(CLOSEST))                                                                         \
  X(body_filter, some_bodies, OF(SPHERES))                                                                             \
  X(budget_tests, 1000, OF_BUDGETS)                                                                                    \
  X(budget_ms, 1000, OF_BUDGETS | OF(CAST) | OF_PLACES)                                                                \
  X(callback, keep_pair, OF(TOUCHING))                                                                                 \
  X(pairs, room_pairs, OF(TOUCHING))                                                                                   \
  X(triangles, room_triangles, OF(OVERLAP))                                                                            \
  X(capacity, 4, OF(TOUCHING) | OF(OVERLAP))                                                                           \
  X(hits, room_hits, OF(CAST))                                                                                         \
  X(points, room_points, OF_PLACES)                                                                                    \
  X(given, &no_pairs, OF(SEGMENTS) | OF(MEASURE))                                                                      \
  X(self_method, PL_SELF_METHOD_BOXES, OF(TOUCHING))                                                                   \
  X(ray_mode, PL_RAY_MODE_ALL, OF(CAST))                                                                               \
  X(level, 1, OF(SPHERES))                                                                                             \
  X(reach, 2, OF(SPHERES))                                                                                             \
  X(planes, &ground, OF(SPHERES))                                                                                      \
  X(plane_count, 1, OF(SPHERES))                                                                                       \
  X(margins, no_margins, OF(SPHERES))                                                                                  \
  X(margin_count, BODIES, OF(SPHERES))

typedef struct option_row {
  const char *name;
  uint32_t questions;
  void (*set)(pl_question *how);
} option_row;

#define SETTER(option, value, questions)                                                                               \
  static void set_##option(pl_question *how) { how->option = value; }
OPTIONS(SETTER)

static const option_row options[] = {
#define OPTION_ROW(option, value, questions) {#option, questions, set_##option},
    OPTIONS(OPTION_ROW)
#undef OPTION_ROW
};

static void check_option(stage *s, int q, const option_row *o)
{
  pl_question how = pl_question_default();
  const pl_result *found;
  char sentence[120];
  how.user = s;
  o->set(&how);
  const pl_status status = questions[q].ask(s, pl_all(s->scene), &how, &found);
  const char *said = status == PL_OK ? "" : pl_context_message(s->context);
  snprintf(sentence, sizeof sentence, "%s has no option %s:", names[q], o->name);
  if (o->questions >> q & 1) {
    if (strstr(said, "has no option")) fail_msg("%s", said);
    return;
  }
  if (status != PL_ERROR_ARGUMENT || strncmp(said, sentence, strlen(sentence)))
    fail_msg("%s takes %s: status %d, %s", names[q], o->name, (int)status, said);
}

/* Every option with every question: those that do not have it refuse it by name. */
static void options_are_had_or_refused(void **state)
{
  (void)state;
  stage of[3];
  static const cast_kind kinds[3] = {CAST_free, CAST_flight, CAST_match};
  for (int i = 0; i < 3; ++i) assert_true(open_stage(&of[i], kinds[i], PL_STRATEGY_AUTO, 1));
  for (int q = 0; q < ASKED_COUNT; ++q)
    for (size_t o = 0; o < sizeof options / sizeof *options; ++o)
      check_option(&of[q == ASKED_WINDOWS ? 1 : q == ASKED_SPHERES ? 2 : 0], q, &options[o]);
  for (int i = 0; i < 3; ++i) pl_context_destroy(of[i].context);
}

/* What is usual is what the question does without the option. */
static void usual_values(void **state)
{
  (void)state;
  stage s;
  const pl_result *found;
  pl_question how = pl_question_default();
  assert_true(open_stage(&s, CAST_free, PL_STRATEGY_AUTO, 1));
  assert_true(how.margin == PL_USUAL && how.relative == PL_USUAL);
  assert_int_equal(pl_near_triangles(pl_self(s.bodies[0]), &how, &found), PL_OK);
  const size_t touching = found->count;
  how.margin = 0;
  assert_int_equal(pl_near_triangles(pl_self(s.bodies[0]), &how, &found), PL_OK);
  assert_true(touching > 0 && found->count == touching);
  assert_int_equal(pl_closest(pl_one(s.bodies[0]), pl_positions_f64(s.points, PROBES), NULL, &found), PL_OK);
  for (int i = 0; i < PROBES; ++i) assert_true(found->points[i].distance < INFINITY);
  static const double bad[] = {-1, -1e-300, NAN};
  for (int i = 0; i < 3; ++i) {
    how.margin = bad[i];
    assert_refused(s.context, pl_near(pl_self(s.bodies[0]), &how, &found), PL_ERROR_ARGUMENT, "the margin is not 0");
    assert_null(found);
  }
  pl_context_destroy(s.context);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(every_question_of_everybody),
                                     cmocka_unit_test(options_are_had_or_refused), cmocka_unit_test(usual_values)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
