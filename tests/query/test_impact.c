/* First contacts between two bodies and within one against the reference, byte for byte, over
 * the product of settings: every pair of builder, cut, arity, leaf size, strategy, volume,
 * scalar, number of threads, instruction set and levels. */
#include "support/impacts.h"
#include "support/settings.h"

#include <stdio.h>

#if defined(__SANITIZE_ADDRESS__)
enum { STEPS = 1, CROWDED = 1 };
#else
enum { STEPS = 2, CROWDED = 2 };
#endif
static const settings_wish wish = {.leaf_step = 7, .leaf_step_8 = 7};

enum { ASKED = 4 }; /* a with b, a with itself, b with itself, a with b at a distance */

typedef struct truth {
  impact_list list[ASKED];
  double separation;
} truth;

static pl_question def_of(const truth *t, int asked, bool all)
{
  pl_question def = pl_question_default();
  def.all = all;
  if (asked == 3) def.margin = t->separation;
  return def;
}

static double size_of(const world *w)
{
  double most = 0;
  for (size_t i = 0; i < w->mesh[0].vertex_count; ++i)
    most = fmax(most, fabs(w->mesh[0].xyz[3 * i] - w->mesh[0].xyz[0]));
  return most;
}

/* Poses jump by some steps, so that much happens on the way; at odd ones b is pulled away, so
 * that not all begins in contact. */
static void pose(world *w, int step)
{
  w->pose(w, (w->steps / 2 + 3 * step) % w->steps);
  if (!(step & 1)) return;
  double shift = size_of(w);
  for (size_t i = 0; i < w->mesh[1].vertex_count; ++i) {
    float f = (float)(w->mesh[1].xyz[3 * i] + 1.5 * shift);
    w->mesh[1].xyz_f32[3 * i] = f;
    w->mesh[1].xyz[3 * i] = (double)f;
  }
}

static void start_step(world *w, int step, bool doubles, pl_body *const bodies[2])
{
  pose(w, step + 1);
  world_set(w, doubles, bodies);
  for (int b = 0; b < 2; ++b) assert_int_equal(pl_body_keep_pose(bodies[b]), PL_OK);
  pose(w, step);
  world_set(w, doubles, bodies);
}

static pl_body *const *asked_bodies(pl_body *const bodies[2], int asked, pl_body *out[2])
{
  out[0] = bodies[asked == 2];
  out[1] = bodies[asked != 1];
  return out;
}

static bool crowded(const world *w) { return strcmp(w->name, "point") == 0 || strcmp(w->name, "soup") == 0; }

/* In a soup, and where all is one point, every feature meets every other: less is enough. */
static int questions(const world *w) { return crowded(w) ? CROWDED : ASKED; }
static int steps_of(const world *w) { return crowded(w) ? 1 : STEPS; }

static truth *truths_of(world *w, size_t *contacts)
{
  pl_context *context = context_of(NULL);
  pl_body *bodies[2], *of[2];
  pose(w, 0);
  world_bodies(w, context, NULL, true, bodies);
  truth *t = calloc(STEPS, sizeof *t);
  for (int s = 0; s < steps_of(w); ++s) {
    start_step(w, s, true, bodies);
    t[s].separation = 1e-3 * size_of(w);
    for (int asked = 0; asked < questions(w); ++asked) {
      const pl_result *found;
      pl_question def = def_of(&t[s], asked, true);
      asked_bodies(bodies, asked, of);
      assert_int_equal(impacts_reference(pl_two(of[0], of[1]), &def, &found), PL_OK);
      t[s].list[asked] = copy_impacts(found);
      *contacts += found->count;
    }
    if (questions(w) < ASKED) continue;
    assert_true(t[s].list[3].count >= t[s].list[0].count); /* near counts more than touching */
    assert_true(t[s].list[3].time <= t[s].list[0].time);
  }
  pl_context_destroy(context);
  return t;
}

static void play(world *w, const truth *truths, const setting *chosen, const char *what)
{
  pl_context *context;
  pl_body *bodies[2], *of[2];
  assert_int_equal(pl_context_create(&chosen->context, &context), PL_OK);
  pose(w, 0);
  world_bodies(w, context, &chosen->body, chosen->doubles, bodies);
  for (int s = 0; s < steps_of(w); ++s) {
    start_step(w, s, chosen->doubles, bodies);
    for (int asked = 0; asked < questions(w); ++asked) {
      char where[256];
      snprintf(where, sizeof where, "%s %s step %d query %d", w->name, what, s, asked);
      const pl_result *found;
      pl_question def = def_of(&truths[s], asked, true);
      asked_bodies(bodies, asked, of);
      assert_int_equal(pl_impacts(pl_two(of[0], of[1]), &def, &found), PL_OK);
      assert_all_impacts(found, &truths[s].list[asked], where);
      def.all = false;
      assert_int_equal(pl_impacts(pl_two(of[0], of[1]), &def, &found), PL_OK);
      assert_first_impact(found, &truths[s].list[asked], where);
    }
    assert_int_equal(pl_body_validate(bodies[0]), PL_OK);
  }
  pl_context_destroy(context);
}

static void run_world(int kind)
{
  world w;
  size_t contacts = 0;
  world_create(kind, 1, &w);
  truth *truths = truths_of(&w, &contacts);
  product p;
  settings_open(&p, &wish);
  for (size_t i = 0; i < p.row_count; ++i) {
    setting s = setting_of(&p, i);
    char what[SETTING_TEXT];
    if (kind != WORLD_POINT || i % 8 == 0)
      play(&w, truths, &s, setting_text(&s, what)); /* there every tree is the same */
    product_saw(&p, p.rows[i]);
  }
  print_message("%s: %zu settings, %d steps, %zu contacts\n", w.name, p.row_count, steps_of(&w), contacts);
  assert_true(contacts > 0);
  settings_close(&p);
  for (int s = 0; s < STEPS; ++s)
    for (int asked = 0; asked < ASKED; ++asked) free(truths[s].list[asked].impacts);
  free(truths);
  world_free(&w);
}

WORLD_LIST(WORLD_TEST)

int main(void)
{
  const struct CMUnitTest tests[] = {WORLD_LIST(WORLD_ENTRY)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
