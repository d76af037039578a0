/* Limits, tolerances, filters, budgets and margins of distance queries; points; what is refused;
 * memory. */
#include "scenes/ask.h"
#include "scenes/scenes.h"
#include "support/distances.h"

#ifdef __SANITIZE_ADDRESS__
enum { FREQUENCY = 4, EVERY_NTH = 7 };
#else
enum { FREQUENCY = 7, EVERY_NTH = 1 };
#endif

typedef struct pair_of_spheres {
  scene_mesh mesh[2];
  pl_context *context;
  pl_body *body[2];
} pair_of_spheres;

static void spheres_set(pair_of_spheres *s, int step)
{
  scene_s5_pose(&s->mesh[0], &s->mesh[1], step);
  for (int i = 0; i < 2; ++i)
    assert_int_equal(pl_body_set_positions(s->body[i], pl_positions_f32(s->mesh[i].xyz, s->mesh[i].vertex_count)),
                     PL_OK);
}

static void spheres_create_of(pair_of_spheres *s, const pl_context_def *def, int frequency)
{
  assert_int_equal(pl_context_create(def, &s->context), PL_OK);
  for (int i = 0; i < 2; ++i) assert_true(scene_geosphere(frequency, &s->mesh[i]));
  scene_s5_pose(&s->mesh[0], &s->mesh[1], 0);
  for (int i = 0; i < 2; ++i)
    s->body[i] = body_of(s->context, s->mesh[i].xyz, s->mesh[i].vertex_count, s->mesh[i].triangles,
                         s->mesh[i].triangle_count, NULL);
}

static void spheres_create(pair_of_spheres *s, const pl_context_def *def) { spheres_create_of(s, def, FREQUENCY); }

static void spheres_free(pair_of_spheres *s)
{
  pl_context_destroy(s->context);
  for (int i = 0; i < 2; ++i) scene_mesh_free(&s->mesh[i]);
}

/* ----------------------------------------------------------------------------------- options -- */

static void limits(void **state)
{
  (void)state;
  pair_of_spheres s;
  spheres_create(&s, NULL);
  least_row exact, d;
  pl_question def = pl_question_default();
  for (int step = 0; step < 100; step += 9) {
    spheres_set(&s, step);
    assert_int_equal(ask_least(pl_two(s.body[0], s.body[1]), NULL, &exact), PL_OK);
    double just_below = nextafter(exact.distance, 0), limit[] = {exact.distance, 2 * exact.distance, just_below, 0};
    for (int k = 0; k < 4; ++k) {
      def.margin = limit[k];
      assert_int_equal(ask_least(pl_two(s.body[0], s.body[1]), &def, &d), PL_OK);
      if (k < 2) {
        assert_same_distance(&d, &exact, "within the limit");
      } else {
        assert_true(d.distance == INFINITY && d.triangle_a == UINT32_MAX && d.triangle_b == UINT32_MAX);
        assert_true(d.lower == def.margin && !d.partial);
      }
      def.first = true;
      assert_int_equal(ask_least(pl_two(s.body[0], s.body[1]), &def, &d), PL_OK);
      assert_int_equal(d.distance <= def.margin, k < 2);
      if (k < 2) assert_true(d.distance >= exact.distance && d.lower <= exact.distance);
      def.first = false;
    }
  }
  spheres_free(&s);
}

static void limits_spare_work(void **state)
{
  (void)state;
  pair_of_spheres s;
  spheres_create(&s, NULL);
  spheres_set(&s, 0);
  least_row d;
  assert_int_equal(ask_least(pl_two(s.body[0], s.body[1]), NULL, &d), PL_OK);
  bool closer;
  pl_counters far, near;
  assert_int_equal(are_closer(s.body[0], s.body[1], 0.1 * d.distance, &closer, &far), PL_OK);
  assert_false(closer);
  assert_int_equal(are_closer(s.body[0], s.body[1], 3 * d.distance, &closer, &near), PL_OK);
  assert_true(closer);
  assert_true(far.n_v < d.counters.n_v && near.n_v <= d.counters.n_v);
  assert_int_equal(near.n_p, 1); /* last time's triangles */
  spheres_free(&s);
}

static void tolerances_are_kept(void **state)
{
  (void)state;
  pair_of_spheres s;
  spheres_create(&s, NULL);
  static const double relative[] = {1e-6, 0.01, 0.3, 10}, absolute[] = {0, 0.001, 0.2, 100};
  int spared = 0;
  for (int k = 15; k >= 0; --k)
    for (int step = 0; step < 100; step += 13) {
      least_row exact, d;
      pl_question def = pl_question_default();
      def.relative = relative[k % 4];
      def.absolute = absolute[k / 4];
      spheres_set(&s, step);
      assert_int_equal(ask_least(pl_two(s.body[0], s.body[1]), &def, &d), PL_OK);
      assert_int_equal(refer_least(pl_two(s.body[0], s.body[1]), NULL, &exact), PL_OK);
      assert_true(d.distance >= exact.distance);
      assert_true(d.distance <= ((1 + def.relative) * exact.distance + def.absolute) * (1 + 1e-14));
      assert_true(d.lower <= exact.distance && d.lower >= 0);
      spared += d.distance > exact.distance;
    }
  assert_true(spared > 10);
  spheres_free(&s);
}

typedef struct refusal {
  uint32_t a, b;
  bool all;
} refusal;

static bool refuse(void *user, pl_body *a, pl_body *b, pl_pair pair)
{
  const refusal *r = user;
  return !r->all && pair.a != r->a && pair.b != r->b;
}

static void filters(void **state)
{
  (void)state;
  pair_of_spheres s;
  spheres_create(&s, NULL);
  least_row first, d, want;
  assert_int_equal(ask_least(pl_two(s.body[0], s.body[1]), NULL, &first), PL_OK);
  refusal r = {first.triangle_a, first.triangle_b, false};
  pl_question def = pl_question_default();
  def.filter = refuse;
  def.user = &r;
  assert_int_equal(ask_least(pl_two(s.body[0], s.body[1]), &def, &d), PL_OK);
  assert_int_equal(refer_least(pl_two(s.body[0], s.body[1]), &def, &want), PL_OK);
  assert_same_distance(&d, &want, "filtered");
  assert_true(d.distance >= first.distance && d.triangle_a != first.triangle_a);
  pl_question near_def = pl_question_default();
  near_def.filter = refuse;
  near_def.user = &r;
  near_def.sorted = true;
  const pl_result *found;
  assert_int_equal(refer_near_triangles(pl_two(s.body[0], s.body[1]), 1.1 * d.distance, &near_def, &found), PL_OK);
  near_list near = copy_near(found);
  assert_int_equal(ask_near_triangles(pl_two(s.body[0], s.body[1]), 1.1 * d.distance, &near_def, &found), PL_OK);
  assert_int_equal(found->count, near.count);
  assert_memory_equal(found->near_pairs, near.pairs, near.count * sizeof *near.pairs);
  free(near.pairs);
  r.all = true;
  assert_int_equal(ask_least(pl_two(s.body[0], s.body[1]), &def, &d), PL_OK);
  assert_true(d.distance == INFINITY && d.triangle_a == UINT32_MAX);
  assert_int_equal(ask_near_triangles(pl_two(s.body[0], s.body[1]), 10, &near_def, &found), PL_OK);
  assert_int_equal(found->count, 0);
  spheres_free(&s);
}

static void budgets(void **state)
{
  (void)state;
  pair_of_spheres s;
  spheres_create(&s, NULL);
  least_row exact, d;
  assert_int_equal(refer_least(pl_two(s.body[0], s.body[1]), NULL, &exact), PL_OK);
  int partial = 0;
  for (uint64_t tests = 1; tests < 3000; tests += 1 + tests / 3) {
    pl_question def = pl_question_default();
    def.budget_tests = tests;
    pl_context_def context_def = pl_context_def_default(); /* no answer of before to start from */
    pair_of_spheres t;
    spheres_create(&t, &context_def);
    assert_int_equal(ask_least(pl_two(t.body[0], t.body[1]), &def, &d), PL_OK);
    assert_true(d.lower <= exact.distance && exact.distance <= d.distance);
    if (!d.partial) assert_same_distance(&d, &exact, "budget large enough");
    partial += d.partial;
    spheres_free(&t);
  }
  assert_true(partial > 3 && !d.partial);
  pl_question def = pl_question_default();
  def.budget_ms = 1e-9;
  assert_int_equal(ask_least(pl_two(s.body[0], s.body[1]), &def, &d), PL_OK);
  assert_true(d.lower <= exact.distance && exact.distance <= d.distance);
  def.budget_ms = 1e6;
  assert_int_equal(ask_least(pl_two(s.body[0], s.body[1]), &def, &d), PL_OK);
  assert_same_distance(&d, &exact, "time enough");
  spheres_free(&s);
}

static void margins(void **state)
{
  (void)state;
  pair_of_spheres s;
  spheres_create(&s, NULL);
  for (int step = 0; step < 100; step += 33) {
    static const double margin[] = {0, 0.3, 0.5, 0.8};
    spheres_set(&s, step);
    for (int k = 0; k < 4; ++k) {
      const pl_result *found;
      assert_int_equal(refer_near_triangles(pl_two(s.body[0], s.body[1]), margin[k], NULL, &found), PL_OK);
      near_list near = copy_near(found);
      assert_near(s.body[0], s.body[1], margin[k], near, "margin");
      free(near.pairs);
    }
  }
  spheres_free(&s);
}

/* Many near pairs, so that the work is cut into parts: the same bytes in the same order for any
 * number of threads. */
static void threads_give_the_same(void **state)
{
  (void)state;
  near_list first = {0};
  pl_counters counters = {0};
  for (int threads = 1; threads <= 8; threads *= 2) {
    pl_context_def def = pl_context_def_default();
    def.threads = threads;
    pair_of_spheres s;
    spheres_create(&s, &def);
    const pl_result *found;
    assert_int_equal(ask_near_triangles(pl_two(s.body[0], s.body[1]), 0.9, NULL, &found), PL_OK);
    if (threads == 1) {
      first = copy_near(found);
      counters = found->counters;
    }
    assert_true(found->count > 1000);
    assert_int_equal(found->count, first.count);
    assert_memory_equal(found->near_pairs, first.pairs, first.count * sizeof *first.pairs);
    assert_int_equal(found->counters.n_v, counters.n_v);
    assert_int_equal(found->counters.n_p, counters.n_p);
    spheres_free(&s);
  }
  free(first.pairs);
}

/* Points are searched by boxes, whatever volumes stand beside them: with every kind, strategy
 * and arity. */
static void points_with_every_volume(void **state)
{
  (void)state;
  pair_of_spheres s;
  spheres_create(&s, NULL);
  test_rng rng = {5};
  for (int volume = 0; volume < PL_VOLUME_COUNT; ++volume)
    for (int strategy = 0; strategy < PL_STRATEGY_COUNT; ++strategy)
      for (int arity = 2; arity <= 8; arity *= 2) {
        pl_body_def def = pl_body_def_default(), known;
        def.volume = (pl_volume)volume;
        def.strategy = (pl_strategy)strategy;
        def.arity = arity;
        /* not every pairing is there */
        if (body_check_def(s.context, &def, PL_MOTION_FREE, &known) != PL_OK) continue;
        scene_s5_pose(&s.mesh[0], &s.mesh[1], 0);
        const scene_mesh *m = &s.mesh[1];
        pl_body *body = body_of(s.context, m->xyz, m->vertex_count, m->triangles, m->triangle_count, &def);
        for (int step = 0; step < 60; step += 20) {
          scene_s5_pose(&s.mesh[0], &s.mesh[1], step);
          assert_int_equal(pl_body_set_positions(body, pl_positions_f32(m->xyz, m->vertex_count)), PL_OK);
          double p[3] = {test_uniform(&rng, -2, 2), test_uniform(&rng, -2, 2), test_uniform(&rng, -2, 2)};
          least_row want, got;
          assert_int_equal(ask_point(body, p, true, &want), PL_OK);
          assert_int_equal(ask_point(body, p, false, &got), PL_OK);
          assert_same_distance(&got, &want, pl_word(PL_WORDS_VOLUME, def.volume));
        }
        pl_body_destroy(body);
      }
  spheres_free(&s);
}

/* ------------------------------------------------------------------------------- wrong input -- */

static void refused(void **state)
{
  (void)state;
  pair_of_spheres s, t;
  spheres_create(&s, NULL);
  spheres_create(&t, NULL);
  pl_body *a = s.body[0], *b = s.body[1];
  least_row d;
  const pl_result *near;
  bool closer;
  pl_question def = pl_question_default();
  pl_question near_def = pl_question_default();
  double p[3] = {0, 0, NAN};
  assert_int_equal(ask_least(pl_two(NULL, b), NULL, &d), PL_ERROR_ARGUMENT);
  assert_refused(s.context, ask_least(pl_two(a, NULL), NULL, &d), PL_ERROR_ARGUMENT, "NULL");
  assert_refused(s.context, ask_least(pl_two(a, b), NULL, NULL), PL_ERROR_ARGUMENT, "NULL");
  assert_int_equal(ask_least(pl_two(a, a), NULL, &d), PL_OK); /* the body against itself */
  assert_refused(s.context, ask_least(pl_two(a, t.body[1]), NULL, &d), PL_ERROR_MISMATCH, "contexts");
  assert_refused(s.context, ask_point(a, p, false, &d), PL_ERROR_POSITIONS, "point 0 is not finite");
  assert_refused(s.context, are_closer(a, b, -1, &closer, NULL), PL_ERROR_ARGUMENT, "0 or more");
  assert_refused(s.context, are_closer(a, b, NAN, &closer, NULL), PL_ERROR_ARGUMENT, "0 or more");
  assert_refused(s.context, ask_near_triangles(pl_two(a, b), NAN, NULL, &near), PL_ERROR_ARGUMENT, "margin");
  near_def.struct_size = 1;
  assert_refused(s.context, ask_near_triangles(pl_two(a, b), 1, &near_def, &near), PL_ERROR_ARGUMENT,
                 "pl_question_default");
  def.relative = -1;
  assert_refused(s.context, ask_least(pl_two(a, b), &def, &d), PL_ERROR_ARGUMENT, "tolerance");
  def = pl_question_default();
  def.absolute = NAN;
  assert_refused(s.context, ask_least(pl_two(a, b), &def, &d), PL_ERROR_ARGUMENT, "tolerance");
  def = pl_question_default();
  def.margin = NAN;
  assert_refused(s.context, ask_least(pl_two(a, b), &def, &d), PL_ERROR_ARGUMENT, "margin");
  def = pl_question_default();
  def.budget_ms = -1;
  assert_refused(s.context, ask_least(pl_two(a, b), &def, &d), PL_ERROR_ARGUMENT, "budget");
  def.struct_size = 7;
  assert_refused(s.context, ask_least(pl_two(a, b), &def, &d), PL_ERROR_ARGUMENT, "pl_question_default");
  assert_int_equal(ask_least(pl_two(a, b), NULL, &d), PL_OK);
  spheres_free(&s);
  spheres_free(&t);
}

/* ------------------------------------------------------------------------------------ memory -- */

typedef struct ledger {
  size_t calls, fail_at;
} ledger;

static void *ledger_allocate(void *user, size_t size)
{
  ledger *l = user;
  return ++l->calls == l->fail_at ? NULL : malloc(size);
}

static void ledger_release(void *user, void *memory, size_t size)
{
  (void)user;
  (void)size;
  free(memory);
}

static pl_context_def ledger_def(ledger *l)
{
  pl_context_def def = pl_context_def_default();
  def.allocator = (pl_allocator){l, ledger_allocate, ledger_release};
  def.threads = 2;
  return def;
}

static void ask_all(pair_of_spheres *s)
{
  least_row d;
  bool closer;
  const pl_result *near;
  pl_question def = pl_question_default();
  def.sorted = true;
  const double p[3] = {1, 2, 3};
  assert_int_equal(ask_least(pl_two(s->body[0], s->body[1]), NULL, &d), PL_OK);
  assert_int_equal(ask_point(s->body[0], p, false, &d), PL_OK);
  assert_int_equal(are_closer(s->body[0], s->body[1], 0.1, &closer, NULL), PL_OK);
  assert_int_equal(ask_near_triangles(pl_two(s->body[0], s->body[1]), 0.6, &def, &near), PL_OK);
}

static void steady_frames_allocate_nothing(void **state)
{
  (void)state;
  ledger l = {0};
  pl_context_def def = ledger_def(&l);
  pair_of_spheres s;
  spheres_create(&s, &def);
  for (int round = 0; round < 2; ++round) {
    size_t before = l.calls;
    for (int step = 0; step < 100; step += 5) {
      spheres_set(&s, step);
      ask_all(&s);
    }
    if (round) assert_int_equal(l.calls, before);
  }
  spheres_free(&s);
}

static void failing_allocations_are_told(void **state)
{
  (void)state;
  int told = 0;
  for (size_t n = 1;; n += EVERY_NTH) {
    ledger l = {0};
    pl_context_def def = ledger_def(&l);
    pair_of_spheres s;
    spheres_create_of(&s, &def, 4);
    least_row d;
    const pl_result *near;
    l.fail_at = l.calls + n;
    pl_status first = ask_least(pl_two(s.body[0], s.body[1]), NULL, &d);
    pl_status second = ask_near_triangles(pl_two(s.body[0], s.body[1]), 0.6, NULL, &near);
    bool reached = l.calls >= l.fail_at;
    bool failed = first == PL_ERROR_MEMORY || second == PL_ERROR_MEMORY;
    assert_true(first == PL_OK || first == PL_ERROR_MEMORY);
    assert_true(second == PL_OK || second == PL_ERROR_MEMORY);
    assert_int_equal(failed, reached);
    told += failed;
    l.fail_at = 0;
    assert_distances_like_reference(s.body[0], s.body[1], "after memory was out");
    spheres_free(&s);
    if (!reached) break;
  }
  assert_true(told > 5 / EVERY_NTH);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(limits),
      cmocka_unit_test(limits_spare_work),
      cmocka_unit_test(tolerances_are_kept),
      cmocka_unit_test(filters),
      cmocka_unit_test(budgets),
      cmocka_unit_test(margins),
      cmocka_unit_test(threads_give_the_same),
      cmocka_unit_test(points_with_every_volume),
      cmocka_unit_test(refused),
      cmocka_unit_test(steady_frames_allocate_nothing),
      cmocka_unit_test(failing_allocations_are_told),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
