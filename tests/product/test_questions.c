/* Who x question x motion x strategy against the reference.
 *
 * A new question without a row (questions.h) fails here, and with one it is asked of two bodies, of
 * one and of a scene, of every motion with every strategy that it supports, plain and filtered, and
 * compared with `reference`. */
#include "questions.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const char *const who_names[WHOS] = {"two bodies", "one body", "a scene"};

static pl_who who_of(const stage *s, whos who)
{
  return who == TWO ? pl_two(s->bodies[0], s->bodies[1]) : who == SELF ? pl_self(s->bodies[1]) : pl_all(s->scene);
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

/* Has an edited body a boundary? Then some questions refuse it. */
static bool is_open(const stage *s)
{
  bool any = false;
  for (int i = 0; i < BODIES; ++i) {
    pl_closure closure;
    assert_int_equal(pl_body_closure(s->bodies[i], &closure, NULL), PL_OK);
    any = any || closure == PL_CLOSURE_OPEN;
  }
  return any;
}

/* Asks by trees, twice, as what is kept must be right, too; returns the number of rows. */
static size_t compare(stage *s, int number, whos who, bool filtered, const char *what)
{
  const question_row *q = &questions[number];
  const pl_result *found;
  const pl_question how = how_of(s, q, filtered);
  const bool model = pl_body_strategy(s->bodies[0]) == PL_STRATEGY_BERGEN;
  const bool wanted = (q->whos & BIT(who)) && (q->kinds & BIT(s->kind)) && !(q->world && model);
  /* cut to pieces at random, they have so much of a border that the deepest points take minutes */
  if (number == ASKED_PENETRATIONS && s->models && is_open(s)) return 0;
  for (int again = 0; again < 2; ++again) {
    pl_status status = q->ask(s, who_of(s, who), &how, &found);
    if (!wanted || ((q->soon & BIT(who)) && status == PL_ERROR_UNSUPPORTED)) {
      /* a scene may have members that a question passes over */
      if (status != PL_ERROR_UNSUPPORTED && !(who == ALL && status == PL_OK))
        fail_msg("%s: status %d instead of a refusal", what, (int)status);
      return 0;
    }
    if (status != PL_OK && s->models && is_open(s)) return 0;
    if (status != PL_OK) fail_msg("%s: %s", what, pl_context_message(s->context));
    bytes got = bytes_of(s, q, found);
    /* winding numbers of open bodies are sums in the order of the tree */
    const double rounding =
        s->models && (number == ASKED_INSIDE || number == ASKED_SIGNED_DISTANCE) && is_open(s) ? 0x1p-40 : q->rounding;
    assert_right(&got, &answer_of(s, number, who, filtered, what)->numbers, rounding, what);
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

/* --------------------------------------------------------------------------------- edits -- */

enum { EDITED_VERTICES = 64, EDITED_TRIANGLES = 160 };

/* Bodies of the meshes of a cast, which are free or rigid now and will be edited. */
static void open_edited(stage *s, edit_model models[BODIES], cast_kind kind, pl_strategy strategy, int number)
{
  pl_body_def def = pl_body_def_default();
  const pl_volume volumes[] = {PL_VOLUME_AABB, PL_VOLUME_OBB, PL_VOLUME_KDOP18};
  def.strategy = strategy;
  def.volume = volumes[number % 3];
  def.arity = 2 << number % 3;
  open_context(s, kind, 1 + number % 3);
  s->models = models;
  for (int i = 0; i < BODIES; ++i) {
    pl_body *like;
    assert_int_equal(cast_create(s->context, CAST_free, i, NULL, &like), PL_OK);
    cast_move(CAST_free, i, like);
    edit_model_take(&models[i], like, number % 2 ? PL_F32 : PL_F64, EDITED_VERTICES, EDITED_TRIANGLES,
                    (uint64_t)(number * BODIES + i));
    pl_body_destroy(like);
    assert_int_equal(edit_model_create(&models[i], s->context, kind == CAST_rigid, &def, &s->bodies[i]), PL_OK);
    join_scene(s, i);
  }
  place_probes(s);
}

/* All bodies, or two of three: what a scene keeps of the others stays true. Every other time, they
 * move as well. */
static void edit_stage(stage *s, int batch)
{
  for (int i = 0; i < BODIES; ++i) {
    edit_model *m = &s->models[i];
    if (batch % 3 != 1 || i != batch % BODIES) {
      if (batch)
        edit_model_next(m, 1 + batch % 6);
      else
        edit_model_renew(m); /* still closed */
      if (pl_body_edit(s->bodies[i], &m->edit) != PL_OK) fail_msg("%s", pl_context_message(s->context));
      assert_int_equal(pl_body_keep_pose(s->bodies[i]), PL_OK);
    }
    if (batch % 2 && s->kind == CAST_free) {
      edit_model_move(m, 0.02);
      edit_model_set(m, s->bodies[i], false);
    }
    edit_model_assert(m, s->bodies[i]);
  }
}

static void every_question_after_edits(void **state)
{
  (void)state;
  static const cast_kind kinds[2] = {CAST_free, CAST_rigid};
  static const pl_strategy strategies[3] = {PL_STRATEGY_HYBRID, PL_STRATEGY_BOTTOM_UP, PL_STRATEGY_TOP_DOWN};
  const int batches = test_soaks() ? 300 : 7;
  for (int k = 0; k < 6; ++k) {
    stage s;
    edit_model models[BODIES];
    open_edited(&s, models, kinds[k / 3], strategies[k % 3], k);
    for (int batch = 0; batch < batches; ++batch) {
      edit_stage(&s, batch);
      forget_answers();
      compare_all(&s, strategies[k % 3]);
    }
    forget_answers();
    pl_context_destroy(s.context);
    for (int i = 0; i < BODIES; ++i) edit_model_free(&models[i]);
  }
}

/* --------------------------------------------------------------------- edits with controls -- */

typedef struct edited_kind {
  cast_kind kind;
  pl_strategy strategy;
  pl_volume volume;
} edited_kind;

static void open_grown(stage *s, edit_model models[BODIES], const edited_kind *row, int number)
{
  pl_body_def def = pl_body_def_default();
  def.strategy = row->strategy;
  def.volume = row->volume;
  def.arity = 2 << number % 3;
  open_context(s, row->kind, 1 + number % 3);
  s->models = models;
  for (int i = 0; i < BODIES; ++i) {
    if (cast_create(s->context, row->kind, i, &def, &s->bodies[i]) != PL_OK)
      fail_msg("%s: %s", cast_names[row->kind], pl_context_message(s->context));
    edit_model_take(&models[i], s->bodies[i], PL_F64, EDITED_VERTICES, EDITED_TRIANGLES,
                    (uint64_t)(7 * number * BODIES + i));
    models[i].only_next = row->kind == CAST_match;
    join_scene(s, i);
  }
  place_probes(s);
}

/* Another pose, with as many vertices as there are now. */
static void pose_grown(stage *s, int i, int batch, int batches)
{
  edit_model *m = &s->models[i];
  if (s->kind == CAST_match) {
    edit_model_move(m, 0.02);
    edit_model_set(m, s->bodies[i], false);
  } else if (s->kind == CAST_flight) {
    assert_int_equal(pl_body_set_time(s->bodies[i], 1 + 2.0 * (batch + 1) / (batches + 1)), PL_OK);
  } else {
    assert_int_equal(cast_pose(s->kind, i, batch / 2 % 2, s->bodies[i]), PL_OK);
  }
}

static void edit_grown(stage *s, int batch, int batches)
{
  for (int i = 0; i < BODIES; ++i) {
    edit_model *m = &s->models[i];
    if (batch % 3 != 1 || i != batch % BODIES) {
      if (batch)
        edit_model_next(m, 1 + batch % 6);
      else
        edit_model_renew(m); /* still closed */
      edit_model_dress(m, s->bodies[i]);
      if (pl_body_edit(s->bodies[i], &m->edit) != PL_OK) fail_msg("%s", pl_context_message(s->context));
      edit_model_assert_grown(m, s->bodies[i]);
      if (pl_body_validate(s->bodies[i]) != PL_OK) fail_msg("%s", pl_context_message(s->context));
      assert_int_equal(pl_body_keep_pose(s->bodies[i]), PL_OK);
    }
    if (batch % 2) pose_grown(s, i, batch, batches);
  }
}

static void every_question_after_edits_with_controls(void **state)
{
  (void)state;
  static const edited_kind rows[] = {
      {CAST_morph, PL_STRATEGY_AUTO, PL_VOLUME_AABB},      {CAST_morph, PL_STRATEGY_BLEND, PL_VOLUME_KDOP18},
      {CAST_morph, PL_STRATEGY_BLEND, PL_VOLUME_OBB},      {CAST_skin, PL_STRATEGY_AUTO, PL_VOLUME_AABB},
      {CAST_skin, PL_STRATEGY_GOVERNED, PL_VOLUME_OBB},    {CAST_skin, PL_STRATEGY_HYBRID, PL_VOLUME_AABB},
      {CAST_embed, PL_STRATEGY_AUTO, PL_VOLUME_AABB},      {CAST_embed, PL_STRATEGY_GOVERNED, PL_VOLUME_KDOP18},
      {CAST_embed, PL_STRATEGY_BOTTOM_UP, PL_VOLUME_AABB}, {CAST_match, PL_STRATEGY_AUTO, PL_VOLUME_AABB},
      {CAST_match, PL_STRATEGY_HYBRID, PL_VOLUME_OBB},     {CAST_flight, PL_STRATEGY_AUTO, PL_VOLUME_AABB},
      {CAST_flight, PL_STRATEGY_KINETIC, PL_VOLUME_AABB},  {CAST_flight, PL_STRATEGY_KINETIC, PL_VOLUME_KDOP18}};
  const int batches = test_soaks() ? 1000 : 7;
  for (int k = 0; k < (int)(sizeof rows / sizeof *rows); ++k) {
    stage s;
    edit_model models[BODIES];
    open_grown(&s, models, &rows[k], k);
    for (int batch = 0; batch < batches; ++batch) {
      edit_grown(&s, batch, batches);
      forget_answers();
      compare_all(&s, rows[k].strategy);
    }
    forget_answers();
    pl_context_destroy(s.context);
    for (int i = 0; i < BODIES; ++i) edit_model_free(&models[i]);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(every_question_of_everybody),
                                     cmocka_unit_test(every_question_after_edits),
                                     cmocka_unit_test(every_question_after_edits_with_controls)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
