/* Distances of two bodies and of points, and near pairs, against the reference, byte for byte,
 * over the product of settings: every pair of builder, cut, arity, leaf size, strategy, volume,
 * scalar, number of threads, instruction set and levels. */
#include "scenes/ask.h"
#include "support/distances.h"
#include "support/settings.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#if defined(__SANITIZE_ADDRESS__) || defined(PLIANT_EXTENSION) /* the second of two builds */
enum { SIZE = 1, MOST_STEPS = 4 };
static const settings_wish wish = {.each_shape = true};
#else
enum { SIZE = 2 };
#define MOST_STEPS (test_soaks() ? 8 : 3)
static const settings_wish wish = {.each_tree = true, .each_shape = true, .leaf_step = 7, .leaf_step_8 = 4};
#endif

enum { POINTS = 2 };

/* What the reference says of one step. */
typedef struct truth {
  least_row distance;
  double point[POINTS][3];
  least_row from_point[POINTS];
  double margin;
  near_list near;
} truth;

/* Poses of the worlds touch most of the time: every second step they are pulled apart, by little
 * or much. */
static void pose(world *w, int step)
{
  static const double away[] = {0, 0.01, 0, 0.3, 0, 2, 0, 40};
  w->pose(w, step);
  double size = 0;
  for (size_t i = 0; i < 3 * w->mesh[0].vertex_count; i += 3)
    size = fmax(size, fabs(w->mesh[0].xyz[i] - w->mesh[0].xyz[0]));
  double shift = away[step % 8] * size;
  if (shift == 0) return;
  double most = -INFINITY, least = INFINITY;
  for (size_t i = 0; i < w->mesh[0].vertex_count; ++i) most = fmax(most, w->mesh[0].xyz[3 * i]);
  for (size_t i = 0; i < w->mesh[1].vertex_count; ++i) least = fmin(least, w->mesh[1].xyz[3 * i]);
  for (size_t i = 0; i < w->mesh[1].vertex_count; ++i) {
    float *f = &w->mesh[1].xyz_f32[3 * i];
    *f = (float)(w->mesh[1].xyz[3 * i] + fmax(0, most - least) + shift);
    w->mesh[1].xyz[3 * i] = (double)*f;
  }
}

static int steps_of(const world *w) { return w->steps < MOST_STEPS ? w->steps : MOST_STEPS; }

static truth *truths_of(world *w)
{
  pl_context *context = context_of(NULL);
  pl_body *bodies[2];
  pose(w, 0);
  world_bodies(w, context, NULL, true, bodies);
  truth *t = calloc((size_t)steps_of(w), sizeof *t);
  test_rng rng = {77};
  for (int s = 0; s < steps_of(w); ++s) {
    pose(w, s);
    world_set(w, true, bodies);
    assert_int_equal(refer_least(pl_two(bodies[0], bodies[1]), NULL, &t[s].distance), PL_OK);
    for (int k = 0; k < POINTS; ++k) {
      const double *v = w->mesh[0].xyz + 3 * (size_t)test_below(&rng, (int)w->mesh[0].vertex_count);
      for (int c = 0; c < 3; ++c) t[s].point[k][c] = k ? v[c] : v[c] * test_uniform(&rng, 0.5, 2) + 0.1;
      assert_int_equal(ask_point(bodies[1], t[s].point[k], true, &t[s].from_point[k]), PL_OK);
    }
    const pl_result *near;
    t[s].margin = t[s].distance.distance * 1.02;
    assert_int_equal(refer_near_triangles(pl_two(bodies[0], bodies[1]), t[s].margin, NULL, &near), PL_OK);
    t[s].near = copy_near(near);
  }
  pl_context_destroy(context);
  return t;
}

static void truths_free(truth *t, int steps)
{
  for (int s = 0; s < steps; ++s) free(t[s].near.pairs);
  free(t);
}

static void play(world *w, const truth *truths, const setting *chosen, const char *what)
{
  pl_context *context;
  pl_body *bodies[2];
  assert_int_equal(pl_context_create(&chosen->context, &context), PL_OK);
  pose(w, 0);
  world_bodies(w, context, &chosen->body, chosen->doubles, bodies);
  for (int s = 0; s < steps_of(w); ++s) {
    const truth *t = &truths[s];
    char where[256];
    snprintf(where, sizeof where, "%s %s step %d", w->name, what, s);
    pose(w, s);
    world_set(w, chosen->doubles, bodies);
    least_row d;
    assert_int_equal(ask_least(pl_two(bodies[0], bodies[1]), NULL, &d), PL_OK);
    assert_same_distance(&d, &t->distance, where);
    if (d.distance == 0) assert_touching((const pl_body *const *)bodies, &d, where);
    for (int k = 0; k < POINTS; ++k) {
      assert_int_equal(ask_point(bodies[1], t->point[k], false, &d), PL_OK);
      assert_same_distance(&d, &t->from_point[k], where);
    }
    if (s % 2) assert_near(bodies[0], bodies[1], t->margin, t->near, where);
    assert_closer(bodies[0], bodies[1], t->distance.distance, where);
    for (int b = 0; b < 2; ++b) assert_valid(bodies[b], context, where);
  }
  pl_context_destroy(context);
}

static void run_world(int kind)
{
  world w;
  world_create(kind, SIZE, &w);
  truth *truths = truths_of(&w);
  product p;
  settings_wish wanted = wish;
  wanted.both = test_soaks();
  settings_open(&p, &wanted);
  for (size_t i = 0; i < p.row_count; ++i) {
    setting s = setting_of(&p, i);
    char what[SETTING_TEXT];
    play(&w, truths, &s, setting_text(&s, what));
    product_saw(&p, p.rows[i]);
  }
  print_message("%s: %zu settings, %d steps\n", w.name, p.row_count, steps_of(&w));
  settings_close(&p);
  truths_free(truths, steps_of(&w));
  world_free(&w);
}

WORLD_LIST(WORLD_TEST)

int main(void)
{
  const struct CMUnitTest tests[] = {WORLD_LIST(WORLD_ENTRY)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
