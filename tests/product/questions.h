/* A row for every question of the library's own list (query/options.h): how it is asked, of whom,
 * of which motions, with which options; and a stage of three bodies to ask it on. */
#ifndef PRODUCT_QUESTIONS_H
#define PRODUCT_QUESTIONS_H

#include "query/options.h"

#include "rows.h"

#include <stdint.h>

typedef enum whos { TWO, SELF, ALL, WHOS } whos;

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
  for (int i = 0; i < BODIES; ++i) {
    if (s->models && s->kind == CAST_free) edit_model_set(&s->models[i], s->bodies[i], false);
    if (!s->models) cast_move(s->kind, i, s->bodies[i]);
  }
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
    [ASKED_PENETRATIONS] = {ask_penetrations, write_penetrations, PAIRS, 0, EVERY, .samples = 100},
    [ASKED_REGIONS] = {ask_regions, write_regions, PAIRS, 0, EVERY, .pairs = some_pairs},
    [ASKED_NEAR] = {ask_near, write_near, PAIRS, 0, EVERY, .sorted = true, .margin = 0.05, .pairs = some_pairs},
    [ASKED_NEAR_TRIANGLES] = {ask_near_triangles, write_near_triangles, PAIRS, 0, EVERY, .sorted = true, .margin = 0.05,
                              .pairs = some_pairs},
    [ASKED_MEASURE] = {measure, write_measured, PAIRS, 0, EVERY, .rounding = 0x1p-49},
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

static void open_context(stage *s, cast_kind kind, int threads)
{
  pl_context_def context = pl_context_def_default();
  context.threads = threads;
  *s = (stage){.kind = kind};
  assert_int_equal(pl_context_create(&context, &s->context), PL_OK);
  assert_int_equal(pl_scene_create(s->context, NULL, &s->scene), PL_OK);
  assert_int_equal(pl_holder_create(s->context, &s->holder), PL_OK);
  assert_int_equal(pl_holder_create(s->context, &s->given), PL_OK);
}

static void join_scene(stage *s, int i)
{
  pl_member_def member = pl_member_def_default();
  member.self = i != 0;
  assert_int_equal(pl_scene_add(s->scene, s->bodies[i], &member), PL_OK);
}

static void place_probes(stage *s)
{
  test_rng rng = {11};
  for (int i = 0; i < PROBES; ++i) {
    double along[3];
    for (int k = 0; k < 3; ++k) {
      s->points[3 * i + k] = test_uniform(&rng, -1.5, k ? 1.5 : 3);
      along[k] = test_uniform(&rng, -1, 1);
    }
    s->rays[i] = pl_ray_from(s->points + 3 * i, along);
  }
}

static bool open_stage(stage *s, cast_kind kind, pl_strategy strategy, int threads)
{
  pl_body_def def = pl_body_def_default();
  def.strategy = strategy;
  def.leaf_size = 2;
  def.arity = 4;
  open_context(s, kind, threads);
  for (int i = 0; i < BODIES; ++i) {
    pl_status status = cast_create(s->context, kind, i, &def, &s->bodies[i]);
    if (status == PL_ERROR_UNSUPPORTED) return false;
    if (status != PL_OK) fail_msg("%s: %s", cast_names[kind], pl_context_message(s->context));
    cast_move(kind, i, s->bodies[i]);
    join_scene(s, i);
  }
  place_probes(s);
  return true;
}

#endif
