/* Distances where coordinates of one body have magnitudes from 5e-324 to 1e308, and where many
 * pairs are equally near: two bodies, points, near pairs and scenes against the reference, byte
 * for byte, over builders, strategies, volumes, arities and threads, any two of which meet; and
 * that `lower` and tolerances keep their word. */
#include "scenes/ask.h"
#include "support/distances.h"

#include <float.h>
#include <stdio.h>

/* Under a sanitizer each crowd is played with every fourth setting, other ones than the crowd
 * before. */
#ifdef __SANITIZE_ADDRESS__
enum { ROUNDS = 1, PARTS = 4 };
#else
enum { PARTS = 1 };
#define ROUNDS test_rounds(4)
#endif

enum { BODIES = 3, TRIANGLES = 20, VERTICES = 3 * TRIANGLES, NUMBERS = 3 * VERTICES };

typedef struct crowd {
  char name[64];
  double xyz[BODIES][NUMBERS];
  uint32_t triangles[BODIES][VERTICES];
  size_t count[BODIES];
  double point[3];
} crowd;

/* What the reference says. */
typedef struct truth {
  least_row distance, from_point;
  least_row nearest;
  int nearest_a, nearest_b;
  double margin;
  near_list near;
} truth;

/* ------------------------------------------------------------------------------------ crowds -- */

static const double palettes[][4] = {
    {1, 1, 1, 1},
    {1, 1, 1, (double)FLT_MAX},
    {1, 1, 1e300, 1e308},
    {1, 1, 1, 5e-324},
    {1, 1e19, 3e19, 1e307},
    {(double)FLT_MAX, 8e38, 1e39, 1e38},
    {2e19, 4e19, 1e20, 1e19},
    {5e-324, 1e-310, 1e-323, 1e-322},
    {1e-20, 1e-25, 1e-38, 1e-45},
    {1, (double)FLT_MAX, 1e308, 5e-324},
    {1e-160, 1e160, 1, 1e60},
    {1e12, 1e13, 1, 1e-12},
};
enum { PALETTES = sizeof palettes / sizeof palettes[0] };

/* Half of the magnitudes are the first one, so that some triangles are of one size. */
static double number_of(test_rng *rng, const double *palette)
{
  double size = palette[test_below(rng, 2) ? 0 : test_below(rng, 4)];
  return test_below(rng, 8) ? size * test_uniform(rng, -1, 1) : size * (double)(test_below(rng, 3) - 1);
}

/* Triangles, segments and points of all sizes, some of them twice, some that share corners with
 * another body's. */
static void crowd_create(crowd *c, int palette, int round)
{
  test_rng rng = {(uint64_t)(1000 * palette + round + 1)};
  const double *sizes = palettes[palette];
  snprintf(c->name, sizeof c->name, "palette %d round %d", palette, round);
  for (int b = 0; b < BODIES; ++b) {
    double shift = round % 2 ? 1.5 * b * sizes[0] : 0; /* apart, as far as the first size goes */
    /* one magnitude for a whole triangle, or one for each number */
    int plain = round % 4 < 2;
    c->count[b] = TRIANGLES;
    for (int t = 0; t < TRIANGLES; ++t) {
      double own[4], *x = c->xyz[b] + 9 * t;
      for (int k = 0; k < 4; ++k) own[k] = sizes[test_below(&rng, 3) ? 0 : test_below(&rng, 4)];
      for (int k = 1; k < 4 && plain; ++k) own[k] = own[0];
      for (int i = 0; i < 9; ++i) x[i] = number_of(&rng, own) + (i % 3 ? 0 : shift);
      if (t % 5 == 1) memcpy(x, x - 9, 9 * sizeof *x); /* the one before again */
      if (t % 5 == 2) memcpy(x + 3, x, 3 * sizeof *x); /* a segment */
      if (t % 5 == 3) memcpy(x + 3, x, 3 * sizeof *x), memcpy(x + 6, x, 3 * sizeof *x);
      if (b && round % 4 == 0 && t == 7) memcpy(x, c->xyz[0] + 9 * 11, 3 * sizeof *x);
      for (int k = 0; k < 3; ++k) c->triangles[b][3 * t + k] = (uint32_t)(3 * t + k);
    }
  }
  for (int k = 0; k < 3; ++k) c->point[k] = number_of(&rng, sizes);
}

/* ----------------------------------------------------------------------------------- queries -- */

static pl_body *crowd_body(const crowd *c, int b, pl_context *context, const pl_body_def *def)
{
  pl_mesh_def mesh = pl_mesh_def_default();
  mesh.positions = pl_positions_f64(c->xyz[b], 3 * c->count[b]);
  mesh.triangles = c->triangles[b];
  mesh.triangle_count = c->count[b];
  pl_body *body = NULL;
  if (pl_body_create_free(context, &mesh, def, &body) != PL_OK) fail_msg("%s", pl_context_message(context));
  return body;
}

static pl_scene *crowd_scene(pl_context *context, pl_body *const body[BODIES])
{
  pl_scene *scene;
  assert_int_equal(pl_scene_create(context, NULL, &scene), PL_OK);
  for (int b = 0; b < BODIES; ++b) assert_int_equal(pl_scene_add(scene, body[b], NULL), PL_OK);
  return scene;
}

static int index_of(pl_body *const body[BODIES], const pl_body *which)
{
  for (int b = 0; b < BODIES; ++b)
    if (body[b] == which) return b;
  return -1;
}

static void truth_create(const crowd *c, truth *t)
{
  pl_context *context = context_of(NULL);
  pl_body *body[BODIES];
  for (int b = 0; b < BODIES; ++b) body[b] = crowd_body(c, b, context, NULL);
  assert_int_equal(refer_least(pl_two(body[0], body[1]), NULL, &t->distance), PL_OK);
  assert_int_equal(ask_point(body[1], c->point, true, &t->from_point), PL_OK);
  assert_int_equal(refer_least(pl_all(crowd_scene(context, body)), NULL, &t->nearest), PL_OK);
  t->nearest_a = index_of(body, t->nearest.a);
  t->nearest_b = index_of(body, t->nearest.b);
  const pl_result *near;
  t->margin = fmin(t->distance.distance * 1.01, 1e308);
  assert_int_equal(refer_near_triangles(pl_two(body[0], body[1]), t->margin, NULL, &near), PL_OK);
  t->near = copy_near(near);
  pl_context_destroy(context);
}

/* Partial answers and tolerances never promise too much. */
static void assert_promises(pl_body *a, pl_body *b, double exact, const char *where)
{
  for (int k = 0; k < 12; ++k) {
    static const double relative[] = {0, 1, 0.1}, absolute[] = {0, 0.5};
    least_row d;
    pl_question def = pl_question_default();
    def.relative = relative[k % 3];
    def.absolute = absolute[k / 3 % 2];
    def.budget_tests = k < 6 ? 0 : (uint64_t)(1 + k * k % 40);
    assert_int_equal(ask_least(pl_two(a, b), &def, &d), PL_OK);
    double most = ((1 + def.relative) * exact + def.absolute) * (1 + 1e-14);
    if (!(d.lower <= exact && d.distance >= exact)) fail_msg("%s: %.17g of %.17g", where, d.lower, exact);
    if (!d.partial && !(d.distance <= most)) fail_msg("%s: %.17g, not %.17g", where, d.distance, exact);
  }
}

static void play(const crowd *c, const truth *t, const pl_context_def *context_def, const pl_body_def *def)
{
  char where[200];
  snprintf(where, sizeof where, "%s: %s %s %s arity %d leaf %d", c->name, pl_word(PL_WORDS_BUILDER, def->builder),
           pl_word(PL_WORDS_STRATEGY, def->strategy), pl_word(PL_WORDS_VOLUME, def->volume), def->arity,
           def->leaf_size);
  pl_context *context;
  assert_int_equal(pl_context_create(context_def, &context), PL_OK);
  pl_body *body[BODIES];
  for (int b = 0; b < BODIES; ++b) body[b] = crowd_body(c, b, context, def);
  least_row d;
  pl_question first = pl_question_default(); /* no last answer to start from */
  first.budget_tests = 1;
  assert_int_equal(ask_least(pl_two(body[0], body[1]), &first, &d), PL_OK);
  if (!(d.lower <= t->distance.distance)) fail_msg("%s: at least %.17g", where, d.lower);
  for (int again = 0; again < 2; ++again) {
    assert_int_equal(ask_least(pl_two(body[0], body[1]), NULL, &d), PL_OK);
    assert_same_distance(&d, &t->distance, where);
    assert_int_equal(ask_point(body[1], c->point, false, &d), PL_OK);
    assert_same_distance(&d, &t->from_point, where);
  }
  assert_near(body[0], body[1], t->margin, t->near, where);
  if (t->distance.distance < INFINITY) assert_closer(body[0], body[1], t->distance.distance, where);
  assert_promises(body[0], body[1], t->distance.distance, where);
  least_row nearest;
  assert_int_equal(ask_least(pl_all(crowd_scene(context, body)), NULL, &nearest), PL_OK);
  assert_same_distance(&nearest, &t->nearest, where);
  assert_int_equal(index_of(body, nearest.a), t->nearest_a);
  assert_int_equal(index_of(body, nearest.b), t->nearest_b);
  pl_context_destroy(context);
}

/* Any two of builder, strategy, volume and arity meet. */
static int play_all(const crowd *c)
{
  truth t;
  truth_create(c, &t);
  static int part;
  int played = 0, number = part++;
  for (int strategy = 1; strategy < FREE_STRATEGIES; ++strategy)
    for (int volume = 0; volume < PL_VOLUME_COUNT; ++volume) {
      static const int arity[] = {2, 4, 8};
      if (number++ % PARTS) continue;
      pl_context *context = context_of(NULL);
      pl_context_def context_def = pl_context_def_default();
      pl_body_def def = pl_body_def_default(), known;
      def.strategy = (pl_strategy)strategy;
      def.volume = (pl_volume)volume;
      def.builder = (pl_builder)((strategy + volume) % PL_BUILDER_COUNT);
      def.arity = arity[(strategy + 2 * volume) % 3];
      def.leaf_size = 1 + (strategy * volume) % 8;
      context_def.threads = 1 + (strategy + volume) % 2;
      /* not every pairing is there */
      bool supported = body_check_def(context, &def, PL_MOTION_FREE, &known) == PL_OK;
      pl_context_destroy(context);
      if (!supported) continue;
      play(c, &t, &context_def, &def);
      ++played;
    }
  free(t.near.pairs);
  return played;
}

static void mixed_magnitudes(void **state)
{
  (void)state;
  int played = 0;
  static crowd c;
  for (int palette = 0; palette < PALETTES; ++palette)
    for (int round = 0; round < ROUNDS; ++round) {
      crowd_create(&c, palette, round);
      played += play_all(&c);
    }
  print_message("%d settings of %d crowds\n", played, PALETTES * ROUNDS);
}

/* --------------------------------------------------------------------------- what went wrong -- */

static void crowd_of(crowd *c, const char *name, const double *const xyz[BODIES], const size_t count[BODIES])
{
  memset(c, 0, sizeof *c);
  snprintf(c->name, sizeof c->name, "%s", name);
  for (int b = 0; b < BODIES; ++b) {
    c->count[b] = count[b];
    memcpy(c->xyz[b], xyz[b], 9 * count[b] * sizeof(double));
    for (size_t i = 0; i < 3 * count[b]; ++i) c->triangles[b][i] = (uint32_t)i;
  }
  memcpy(c->point, xyz[0], sizeof c->point);
}

/* Products of a direction and the edges of a triangle overflowed. */
static void touching_bodies_were_8e17_apart(void **state)
{
  (void)state;
  static const double a[] = {5.9209696629072454e+19,  1.9554287741220966e+19,  5.375489621743503e+19,
                             3.4905897778072646e+19,  8.7449909955665818e+17,  -2.9060368095054344e+19,
                             -6.8023471407778398e+19, -9.0220063133591093e+19, 2.447744659684925e+19,
                             2.1942286768361341e+19,  -5.1831131090808611e+19, 4.0964766476728508e+19,
                             9.9573004145558897e+19,  9.4639041941724242e+18,  -5.8782123845406597e+19,
                             -2.4603720248310903e+19, -1.0729494049911171e+19, 2.6258429930181837e+19};
  static const double b[] = {4.757883260645077e+19,    1.650122363212141e+19,    0.46701541925896795,
                             -1.6988749226991718e+307, -9.8335732095704363e+307, 8.7915915424235582e+307,
                             0.75935974724211519,      -2.7633932444195251e+307, -7.6599419608725601e+307};
  static crowd c;
  crowd_of(&c, "touching", (const double *const[]){a, b, b}, (const size_t[]){2, 1, 1});
  play_all(&c);
  truth t;
  truth_create(&c, &t);
  assert_true(t.distance.distance == 0);
  free(t.near.pairs);
}

/* Squares of bounds overflowed, and their root was told as a lower bound. */
static void lower_was_infinite(void **state)
{
  (void)state;
  enum { COUNT = 32 };
  static const double heights[] = {1e19, 2e19, 8e38, 1e60, 1e300};
  uint32_t triangles[3 * COUNT];
  double low[9 * COUNT], high[9 * COUNT];
  for (int i = 0; i < 3 * COUNT; ++i) {
    triangles[i] = (uint32_t)i;
    const double at[3] = {i / 3 + (i % 3 == 1), i % 3 == 2, 0};
    memcpy(low + 3 * i, at, sizeof at);
    memcpy(high + 3 * i, at, sizeof at);
  }
  for (size_t h = 0; h < sizeof heights / sizeof heights[0]; ++h)
    for (int volume = 0; volume < PL_VOLUME_COUNT; ++volume)
      for (uint64_t budget = 1; budget < 100; budget *= 3) {
        pl_context *context = context_of(NULL);
        pl_mesh_def mesh = pl_mesh_def_default();
        pl_body_def body_def = pl_body_def_default();
        pl_body *body[2];
        mesh.triangles = triangles;
        mesh.triangle_count = COUNT;
        body_def.volume = (pl_volume)volume;
        for (int i = 0; i < 3 * COUNT; ++i) high[3 * i + 2] = heights[h];
        for (int b = 0; b < 2; ++b) {
          mesh.positions = pl_positions_f64(b ? high : low, 3 * COUNT);
          assert_int_equal(pl_body_create_free(context, &mesh, &body_def, &body[b]), PL_OK);
        }
        least_row d;
        pl_question def = pl_question_default();
        def.budget_tests = budget;
        assert_int_equal(ask_least(pl_two(body[0], body[1]), &def, &d), PL_OK);
        assert_true(d.lower <= heights[h] && d.lower > 1e18 && d.distance >= heights[h]);
        pl_context_destroy(context);
      }
}

/* What a tolerance had passed over was not in the lower bound of a partial answer. */
static void lower_left_out_the_tolerance(void **state)
{
  (void)state;
  enum { COUNT = 40 };
  uint32_t triangles[3 * COUNT];
  double xyz[2][9 * COUNT];
  test_rng rng = {3};
  int partial = 0;
  for (int i = 0; i < 3 * COUNT; ++i) triangles[i] = (uint32_t)i;
  pl_mesh_def mesh = pl_mesh_def_default();
  pl_body_def body_def = body_def_of(PL_STRATEGY_BOTTOM_UP, 2, 1, false);
  mesh.triangles = triangles;
  mesh.triangle_count = COUNT;
  for (int n = 0; n < 60; ++n) {
    for (int i = 0; i < 2 * 3 * COUNT; ++i) {
      double at = test_uniform(&rng, -1, 1), *corner = xyz[i % 2] + 9 * (i / 6) + i / 2 % 3;
      for (int c = 0; c < 3; ++c) corner[3 * c] = at + test_uniform(&rng, -0.01, 0.01);
    }
    double exact = -1;
    for (uint64_t budget = 0, end = UINT64_MAX; budget <= end; ++budget) {
      pl_context *context = context_of(NULL); /* no last answer to start from */
      pl_body *body[2];
      for (int b = 0; b < 2; ++b) {
        mesh.positions = pl_positions_f64(xyz[b], 3 * COUNT);
        assert_int_equal(pl_body_create_free(context, &mesh, &body_def, &body[b]), PL_OK);
      }
      least_row d;
      pl_question def = pl_question_default();
      def.relative = budget ? 1 : 0;
      def.budget_tests = budget;
      assert_int_equal(ask_least(pl_two(body[0], body[1]), &def, &d), PL_OK);
      if (budget == 0) {
        exact = d.distance;
        end = d.counters.n_v;
      }
      assert_true(d.lower <= exact);
      partial += d.partial && d.distance < INFINITY;
      pl_context_destroy(context);
    }
  }
  assert_true(partial > 100);
}

/* Half of the smallest distance rounds to 0, which ended the search. */
static void touching_bodies_were_5e_324_apart(void **state)
{
  (void)state;
  enum { COUNT = 8 };
  uint32_t triangles[3 * COUNT];
  for (int i = 0; i < 3 * COUNT; ++i) triangles[i] = (uint32_t)i;
  for (int n = 0; n < COUNT * PL_BUILDER_COUNT; ++n) { /* triangle n % COUNT touches, the others almost do */
    double xyz[2][9 * COUNT];
    for (int i = 0; i < 9 * COUNT; ++i) {
      xyz[0][i] = i % 9 == 3 || i % 9 == 7 ? 1 : i % 3 == 0 ? 2 * (i / 9) : 0;
      xyz[1][i] = xyz[0][i] + (i % 3 == 2 && i / 9 != n % COUNT ? 5e-324 : 0);
    }
    pl_context *context = context_of(NULL);
    pl_mesh_def mesh = pl_mesh_def_default();
    pl_body_def body_def = pl_body_def_default();
    pl_body *body[2];
    mesh.triangles = triangles;
    mesh.triangle_count = COUNT;
    body_def.builder = (pl_builder)(n / COUNT);
    for (int b = 0; b < 2; ++b) {
      mesh.positions = pl_positions_f64(xyz[b], 3 * COUNT);
      assert_int_equal(pl_body_create_free(context, &mesh, &body_def, &body[b]), PL_OK);
    }
    least_row d;
    pl_question def = pl_question_default();
    def.relative = 1;
    assert_int_equal(ask_least(pl_two(body[0], body[1]), &def, &d), PL_OK);
    assert_true(d.distance == 0 && d.lower == 0);
    pl_context_destroy(context);
  }
}

/* The direction of the best pair was divided by the distance, but its points are rounded: it was
 * too long, and equally near triangles were passed over. Cones whose tips, shared by all
 * triangles, point at each other, far from the origin. */
static void ties_went_by_the_tree(void **state)
{
  (void)state;
  static const double tiny[] = {1000000.0000000075, 1000000.0000000065, 1000000.0000000056, 1000000,
                                1000000.0000000037, 1000000.0000000065, 1000000.0000000047, 1000000.0000000028,
                                1000000.0000000056};
  static double nine[9 * 9], cone[2][9 * TRIANGLES];
  static crowd c;
  for (int i = 0; i < 9 * 9; ++i) nine[i] = 1000000;
  crowd_of(&c, "nine times a point", (const double *const[]){tiny, nine, nine}, (const size_t[]){1, 9, 9});
  play_all(&c);
  test_rng rng = {12};
  for (int n = 0; n < 12; ++n) {
    double gap = pow(10, -n), direction[3], o = 1e3 * pow(10, n % 7);
    for (int k = 0; k < 3; ++k) direction[k] = test_uniform(&rng, 0.3, 1);
    for (int b = 0; b < 2; ++b)
      for (int i = 0; i < 9 * TRIANGLES; ++i) {
        int k = i % 3;
        double tip = o * direction[k] + b * gap * direction[k], away = (b ? 1 : -1) * direction[k];
        cone[b][i] = i % 9 < 3 ? tip : tip + 2 * away + test_uniform(&rng, -0.2, 0.2);
      }
    crowd_of(&c, "cones", (const double *const[]){cone[0], cone[1], cone[1]},
             (const size_t[]){TRIANGLES, TRIANGLES, TRIANGLES});
    play_all(&c);
  }
}

/* Any one of the touching pairs was the answer. */
static void touching_pairs_went_by_the_tree(void **state)
{
  (void)state;
  static double sheet[2][9 * TRIANGLES];
  static crowd c;
  test_rng rng = {13};
  for (int n = 0; n < 10; ++n) {
    for (int i = 0; i < 9 * TRIANGLES; ++i) {
      sheet[0][i] = n % 2 && i % 3 == 2 ? 0.25 : test_uniform(&rng, -1, 1);
      sheet[1][i] = n % 2 && i % 3 == 2 ? 0.25 : test_uniform(&rng, -1, 1);
    }
    crowd_of(&c, n % 2 ? "one plane" : "crossing", (const double *const[]){sheet[0], sheet[1], sheet[0]},
             (const size_t[]){TRIANGLES, TRIANGLES, TRIANGLES});
    play_all(&c);
  }
}

/* Oblique plates are equally near everywhere, which no box tells: a tolerance did not spare any
 * of the tests. */
static void tolerances_spared_nothing_between_plates(void **state)
{
  (void)state;
  enum { SIDE = 40, COUNT = 2 * SIDE * SIDE, POINTS = (SIDE + 1) * (SIDE + 1) };
  static const double along[3] = {0.8, 0.6, 0}, across[3] = {-0.36, 0.48, 0.8}, normal[3] = {0.48, -0.64, 0.6};
  static uint32_t triangles[3 * COUNT];
  static double xyz[2][3 * POINTS];
  for (uint32_t i = 0; i < COUNT; ++i) {
    uint32_t corner = i / 2 / SIDE * (SIDE + 1) + i / 2 % SIDE, next = corner + SIDE + 1;
    const uint32_t half[2][3] = {{corner, corner + 1, next}, {corner + 1, next + 1, next}};
    memcpy(triangles + 3 * (size_t)i, half[i % 2], sizeof half[0]);
  }
  for (int i = 0; i < 2 * 3 * POINTS; ++i) {
    int v = i / 6, k = i / 2 % 3, b = i % 2;
    xyz[b][3 * v + k] = (along[k] * (v % (SIDE + 1)) + across[k] * (v / (SIDE + 1)) + normal[k] * 20 * b) / SIDE;
  }
  pl_mesh_def mesh = pl_mesh_def_default();
  mesh.triangles = triangles;
  mesh.triangle_count = COUNT;
  for (int volume = 0; volume < PL_VOLUME_COUNT; ++volume) {
    static const double relative[] = {0, 1e-6, 1e-4, 1e-2};
    least_row d[4];
    for (int k = 0; k < 4; ++k) {
      pl_context *context = context_of(NULL);
      pl_body_def body_def = pl_body_def_default();
      pl_question def = pl_question_default();
      pl_body *body[2];
      body_def.volume = (pl_volume)volume;
      def.relative = relative[k];
      for (int b = 0; b < 2; ++b) {
        mesh.positions = pl_positions_f64(xyz[b], POINTS);
        assert_int_equal(pl_body_create_free(context, &mesh, &body_def, &body[b]), PL_OK);
      }
      assert_int_equal(ask_least(pl_two(body[0], body[1]), &def, &d[k]), PL_OK);
      pl_context_destroy(context);
    }
    for (int k = 1; k < 4; ++k) {
      double exact = d[0].distance, most = exact * (1 + relative[k]) * (1 + 1e-14);
      assert_true(d[k].distance >= exact && d[k].distance <= most && d[k].lower <= exact && !d[k].partial);
      assert_true(d[k].lower > exact * (1 - 2 * relative[k]));
      assert_true(4 * d[k].counters.n_p < d[0].counters.n_p);
    }
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(touching_bodies_were_8e17_apart),
      cmocka_unit_test(lower_was_infinite),
      cmocka_unit_test(lower_left_out_the_tolerance),
      cmocka_unit_test(touching_bodies_were_5e_324_apart),
      cmocka_unit_test(ties_went_by_the_tree),
      cmocka_unit_test(touching_pairs_went_by_the_tree),
      cmocka_unit_test(tolerances_spared_nothing_between_plates),
      cmocka_unit_test(mixed_magnitudes),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
