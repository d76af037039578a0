/* Scenes that keep the contacts of bodies that do not move, exclude pairs of bodies, and filter
 * with both bodies in sight; and the caller's array of pairs. */
#include "scenes/ask.h"
#include "support/balls.h"

#include <stdio.h>

enum { BODIES = 12 };

/* Free balls in a row that overlap their neighbours, and rigid ones every third. */
static void open_row(balls *s, int threads, pl_broad broad)
{
  balls_open(s, 4, threads, broad);
  for (int i = 0; i < BODIES; ++i) balls_add(s, 1.25 * i, i % 3 == 0 ? 0 : 0.125 * i, i % 3 == 0);
}

static bool odd_pairs(void *user, pl_body *a, pl_body *b, pl_pair pair)
{
  const balls *s = user;
  int i = 0, k = 0;
  while (s->body[i] != a) ++i;
  while (s->body[k] != b) ++k;
  assert_true(i < k);
  return (i + k) % 4 == 1 && (pair.a + pair.b) % 2;
}

typedef struct contact_list {
  pl_pair *contacts;
  size_t count, groups;
} contact_list;

/* What the reference finds, in a scene of its own so that the other one remembers. */
static contact_list wanted(balls *s, const pl_question *def, bool excluded)
{
  pl_scene *other;
  const pl_result *found;
  assert_int_equal(pl_scene_create(s->context, NULL, &other), PL_OK);
  for (int i = 0; i < BODIES; ++i) {
    if (s->body[i]) assert_int_equal(pl_scene_add(other, s->body[i], NULL), PL_OK);
  }
  if (excluded) assert_int_equal(pl_scene_exclude(other, s->body[3], s->body[2]), PL_OK);
  pl_question d = def ? *def : pl_question_default();
  assert_int_equal(refer_touching(pl_all(other), &d, &found), PL_OK);
  contact_list l = {malloc((found->count + 1) * sizeof *l.contacts), found->count, found->group_count};
  memcpy(l.contacts, found->pairs, found->count * sizeof *l.contacts);
  pl_scene_destroy(other);
  return l;
}

/* One step like the reference; returns how many pairs of bodies were kept. */
static size_t assert_step(balls *s, bool excluded, const pl_question *filter)
{
  pl_question def = filter ? *filter : pl_question_default();
  const pl_result *found;
  def.sorted = true;
  contact_list want = wanted(s, &def, excluded);
  if (pl_touching(pl_all(s->scene), &def, &found) != PL_OK) fail_msg("%s", pl_context_message(s->context));
  assert_int_equal(found->count, want.count);
  assert_int_equal(found->group_count, want.groups);
  assert_memory_equal(found->pairs, want.contacts, want.count * sizeof *want.contacts);
  size_t at = 0;
  for (size_t i = 0; i < found->group_count; ++i) {
    assert_true(found->groups[i].begin == at && found->groups[i].end > at);
    at = found->groups[i].end;
  }
  assert_int_equal(at, found->count);
  if (found->kept_pairs == found->body_pairs) assert_true(found->counters.n_v == 0 && found->counters.n_p == 0);
  free(want.contacts);
  return found->kept_pairs;
}

static void bodies_that_stand_still(void **state)
{
  (void)state;
  for (int run = 0; run < 4; ++run) {
    balls s;
    open_row(&s, run % 2 ? 3 : 1, run / 2 ? PL_BROAD_SWEEP : PL_BROAD_EVERY);
    assert_int_equal(assert_step(&s, false, NULL), 0);
    size_t all = assert_step(&s, false, NULL);
    assert_true(all >= BODIES - 1);
    assert_int_equal(assert_step(&s, false, NULL), all);

    /* A body that moves is tested again; one that gets the same transform is not. */
    s.place[4][1] += 0.25;
    balls_move(&s, 4);
    size_t some = assert_step(&s, false, NULL);
    assert_true(some < all && some >= all / 2);
    assert_int_equal(assert_step(&s, false, NULL), all);
    pl_transform t = pl_transform_identity();
    assert_int_equal(pl_body_set_transform(s.body[3], &t), PL_OK);
    assert_step(&s, false, NULL);
    assert_int_equal(pl_body_set_transform(s.body[3], &t), PL_OK);
    assert_int_equal(assert_step(&s, false, NULL), all);
    t.t[1] = 0.25;
    assert_int_equal(pl_body_set_transform(s.body[3], &t), PL_OK);
    assert_true(assert_step(&s, false, NULL) < all);

    /* One vertex; other options; a filter, which may change its mind, and a budget. */
    const uint32_t vertex = 5;
    const float far[3] = {7, 0.5f, 0};
    assert_int_equal(pl_body_set_vertices(s.body[5], &vertex, 1, pl_positions_f32(far, 1)), PL_OK);
    assert_true(assert_step(&s, false, NULL) < all);
    assert_step(&s, false, NULL);
    pl_question def = pl_question_default();
    const pl_result *found;
    assert_int_equal(pl_touching(pl_all(s.scene), &def, &found), PL_OK);
    assert_int_equal(found->kept_pairs, 0); /* not sorted now */
    def.filter = odd_pairs;
    def.user = &s;
    assert_int_equal(assert_step(&s, false, &def), 0);
    assert_int_equal(assert_step(&s, false, &def), 0);
    assert_step(&s, false, NULL);
    def = pl_question_default();
    def.sorted = true;
    def.budget_tests = 10;
    assert_int_equal(pl_touching(pl_all(s.scene), &def, &found), PL_OK);
    assert_true(found->partial && found->kept_pairs == 0);
    /* nothing has moved since they were searched */
    assert_int_equal(assert_step(&s, false, NULL), all);

    /* Bodies come and go. */
    pl_body_destroy(s.body[7]);
    s.body[7] = NULL;
    assert_step(&s, false, NULL);
    assert_step(&s, false, NULL);
    balls_close(&s);
  }
}

static void excluded_pairs(void **state)
{
  (void)state;
  balls s;
  open_row(&s, 1, PL_BROAD_AUTO);
  assert_step(&s, false, NULL);
  size_t all = assert_step(&s, false, NULL);
  assert_int_equal(pl_scene_exclude(s.scene, s.body[2], s.body[3]), PL_OK);
  assert_int_equal(pl_scene_exclude(s.scene, s.body[3], s.body[2]), PL_OK);
  assert_int_equal(assert_step(&s, true, NULL), all - 1);
  least_row nearest;
  assert_int_equal(ask_least(pl_all(s.scene), NULL, &nearest), PL_OK);
  assert_false((nearest.a == s.body[2] && nearest.b == s.body[3]));
  assert_int_equal(pl_scene_include(s.scene, s.body[3], s.body[2]), PL_OK);
  assert_int_equal(pl_scene_include(s.scene, s.body[3], s.body[2]), PL_OK);
  assert_step(&s, false, NULL);
  for (int i = 1; i < BODIES; ++i) assert_int_equal(pl_scene_exclude(s.scene, s.body[0], s.body[i]), PL_OK);
  assert_int_equal(pl_scene_remove(s.scene, s.body[0]), PL_OK); /* forgets its exclusions */
  assert_int_equal(pl_scene_add(s.scene, s.body[0], NULL), PL_OK);
  const pl_result *found;
  assert_int_equal(pl_touching(pl_all(s.scene), NULL, &found), PL_OK);
  bool met = false;
  for (size_t i = 0; i < found->group_count; ++i) met = met || found->groups[i].b == s.body[0];
  assert_true(met);
  assert_refused(s.context, pl_scene_exclude(s.scene, s.body[0], s.body[0]), PL_ERROR_ARGUMENT, "the same");
  assert_refused(s.context, pl_scene_exclude(s.scene, s.body[0], NULL), PL_ERROR_ARGUMENT, "body b is NULL");
  assert_int_equal(pl_scene_remove(s.scene, s.body[1]), PL_OK);
  assert_refused(s.context, pl_scene_include(s.scene, s.body[0], s.body[1]), PL_ERROR_ARGUMENT, "body b is not in");
  pl_question def = pl_question_default();
  pl_pair pair;
  def.pairs = &pair; /* room for none */
  assert_refused(s.context, pl_touching(pl_all(s.scene), &def, &found), PL_ERROR_BUFFER, "larger array");
  balls_close(&s);
}

static bool every_pair(void *user, pl_body *a, pl_body *b, pl_pair pair)
{
  (void)user;
  (void)pair;
  return true;
}

static void the_callers_pairs(void **state)
{
  (void)state;
  balls s;
  open_row(&s, 1, PL_BROAD_AUTO);
  const pl_result *found;
  pl_question def = pl_question_default();
  def.sorted = true;
  assert_int_equal(pl_touching(pl_two(s.body[1], s.body[2]), &def, &found), PL_OK);
  pair_list want = copy_pairs(found);
  assert_true(want.count > 10);
  pl_pair *own = calloc(want.count + 1, sizeof *own);
  for (int reference = 0; reference < 2; ++reference) {
    def.pairs = own;
    def.capacity = want.count;
    def.reference = reference;
    assert_int_equal(pl_touching(pl_two(s.body[1], s.body[2]), &def, &found), PL_OK);
    assert_ptr_equal(found->pairs, own);
    assert_memory_equal(own, want.pairs, want.count * sizeof *own);
    memset(own, 0, want.count * sizeof *own);
    def.capacity = 4;
    assert_refused(s.context, pl_touching(pl_two(s.body[1], s.body[2]), &def, &found), PL_ERROR_BUFFER, "larger array");
    assert_int_equal(found->count, want.count);
    assert_memory_equal(own, want.pairs, 4 * sizeof *own);
    assert_true(own[4].a == 0 && own[4].b == 0);
    assert_int_equal(pl_touching(pl_two(s.body[1], s.body[BODIES - 1]), &def, &found), PL_OK);
    assert_int_equal(found->count, 0);
    assert_ptr_equal(found->pairs, own);
  }
  def.callback = every_pair;
  def.sorted = def.reference = false;
  assert_refused(s.context, pl_touching(pl_two(s.body[1], s.body[2]), &def, &found), PL_ERROR_ARGUMENT, "callback");
  free(own);
  free(want.pairs);
  balls_close(&s);
}

/* Memory that runs out at any moment leaves a scene that still reports the right contacts. */
static void out_of_memory(void **state)
{
  (void)state;
  for (long until = 0;; ++until) {
    failing memory = {.until = -1};
    pl_context_def c = pl_context_def_default();
    c.allocator = (pl_allocator){&memory, failing_allocate, failing_release};
    c.threads = 1;
    balls s;
    balls_open_in(&s, 2, &c, PL_BROAD_AUTO);
    for (int i = 0; i < 4; ++i) balls_add(&s, 1.25 * i, 0, false);
    const pl_result *found;
    memory.until = until;
    pl_status status = pl_scene_exclude(s.scene, s.body[0], s.body[3]);
    for (int step = 0; step < 3 && status == PL_OK; ++step) {
      s.place[1][1] += 0.125;
      balls_move(&s, 1);
      status = pl_touching(pl_all(s.scene), NULL, &found);
    }
    assert_true(status == PL_OK || status == PL_ERROR_MEMORY);
    memory.until = -1;
    assert_scene_like_reference(s.scene, "after a failure");
    balls_close(&s);
    assert_int_equal(memory.live, 0);
    if (status == PL_OK) return;
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(bodies_that_stand_still), cmocka_unit_test(excluded_pairs),
                                     cmocka_unit_test(the_callers_pairs), cmocka_unit_test(out_of_memory)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
