/* Parts of the command that cannot be driven into every corner from outside: the comparison
 * behind --check, the JSON writer, numbers, and the guesses at misspelt words. */
#include "apps/pliant/common/options.c"
#include "apps/pliant/common/output.c"
#include "apps/pliant/common/two_bodies.c"

#include "support/support.h"

/* No shards here: costs are written. */
bool shard_costs(void) { return true; }

/* And no ranks: pairs of two bodies are asked of the library. */
pl_status ranks_ask_two(ranks_question question, pl_body *a, pl_body *b, const pl_question *def, const pl_result **out)
{
  assert_int_equal(question, RANKS_TOUCHING);
  return pl_touching(pl_two(a, b), def, out);
}
const char *ranks_message(const pl_context *context) { return pl_context_message(context); }

/* Two squares of two triangles each; the second is on the first, so that all four pairs touch. */
static void make_squares(two_bodies *d, int threads)
{
  static const float xyz[] = {0, 0, 0, 1, 0, 0, 1, 1, 0, 0, 1, 0};
  static const uint32_t triangles[] = {0, 1, 2, 0, 2, 3};
  pl_mesh_def mesh = pl_mesh_def_default();
  mesh.positions = pl_positions_f32(xyz, 4);
  mesh.triangles = triangles;
  mesh.triangle_count = 2;
  pl_mesh_def meshes[2] = {mesh, mesh};
  pl_body_def def = pl_body_def_default();
  assert_true(two_bodies_create(d, threads, meshes, &def));
}

static void check_finds_every_kind_of_wrong_answer(void **state)
{
  (void)state;
  static const pl_pair all[] = {{0, 0}, {0, 1}, {1, 0}, {1, 1}}, extra[] = {{0, 0}, {0, 1}, {0, 2}, {1, 0}, {1, 1}},
                       odd[] = {{0, 0}, {0, 1}, {1, 0}, {1, 2}}, middle[] = {{0, 1}, {1, 0}};
  static const struct {
    const pl_pair *pairs;
    size_t count;
    bool partial, first;
    int right;
    const char *words;
  } cases[] = {
      {all, 4, false, false, 1, ""},
      {all, 3, false, false, 0, "the pair 1 1 is missing"},
      {all + 1, 3, false, false, 0, "the pair 0 0 is missing"},
      {all, 0, false, false, 0, "0 pairs where the reference has 4"},
      {extra, 5, false, false, 0, "the pair 0 2 is no contact"},
      {odd, 4, false, false, 0, "the pair 1 1 is missing"},
      {middle, 2, false, false, 0, "the pair 0 0 is missing"},
      /* a part is enough of a partial answer, */
      {middle, 2, true, false, 1, ""},
      {extra + 2, 1, true, false, 0, "the pair 0 2 is no contact"}, /* but it must be true */
      {all, 0, true, false, 1, ""},
      {all + 2, 1, false, true, 1, ""},
      {odd + 3, 1, false, true, 0, "the pair 1 2 is no contact"},
      {all, 0, false, true, 0, "no pair where the reference has 4"},
  };
  two_bodies d;
  make_squares(&d, 1);
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
    char difference[DUO_TEXT] = "";
    two_bodies_answer answer = {.pairs = cases[i].pairs, .count = cases[i].count, .partial = cases[i].partial};
    assert_int_equal(two_bodies_check(&d, &answer, cases[i].first, difference), cases[i].right);
    if (!strstr(difference, cases[i].words)) fail_msg("case %zu: %s", i, difference);
  }
  two_bodies_destroy(&d);
}

/* Stored, counted through a callback, and counted after a question with few pairs. */
static void one_thread_and_several_answer_alike(void **state)
{
  (void)state;
  two_bodies one, several;
  make_squares(&one, 1);
  make_squares(&several, 3);
  pl_question def = pl_question_default();
  def.sorted = true;
  two_bodies_answer a, b, counted;
  assert_true(two_bodies_collide(&several, &def, false, &counted));
  assert_int_equal(counted.count, 4);
  assert_null(counted.pairs);
  assert_true(two_bodies_collide(&several, &def, false, &counted));
  assert_int_equal(counted.count, 4);
  assert_null(counted.pairs);
  assert_true(two_bodies_collide(&one, &def, true, &a));
  assert_true(two_bodies_collide(&several, &def, true, &b));
  assert_int_equal(a.count, 4);
  assert_int_equal(b.count, 4);
  assert_memory_equal(a.pairs, b.pairs, 4 * sizeof *a.pairs);
  two_bodies_destroy(&one);
  two_bodies_destroy(&several);
}

static void json_is_well_formed_whatever_the_bytes(void **state)
{
  (void)state;
  char *text = NULL;
  size_t size = 0;
  json j = {.file = open_memstream(&text, &size)};
  assert_non_null(j.file);
  json_open(&j, '{');
  json_put_text(&j, "a\"b", "\\ \n\t \x01 \x7f \xc3\xa9 \xff \xc0\xaf \xed\xa0\x80 \xf4\x90\x80\x80 \xe2\x82");
  json_put_real(&j, "x", 0.1);
  json_put_real(&j, "not", NAN);
  json_put_real(&j, "large", -INFINITY);
  json_key(&j, "list");
  json_open(&j, '[');
  json_open(&j, '[');
  json_close(&j, ']');
  json_whole(&j, UINT64_MAX);
  json_bool(&j, false);
  json_close(&j, ']');
  json_put_bool(&j, "end", true);
  json_close(&j, '}');
  fclose(j.file);
  assert_string_equal(text,
                      "{\"a\\\"b\":\"\\\\ \\u000a\\u0009 \\u0001 \\u007f \xc3\xa9 \\ufffd \\ufffd\\ufffd "
                      "\\ufffd\\ufffd\\ufffd \\ufffd\\ufffd\\ufffd\\ufffd \\ufffd\\ufffd\",\"x\":0.1,\"not\":null,"
                      "\"large\":null,\"list\":[[],18446744073709551615,false],\"end\":true}");
  free(text);
}

static void numbers_read_back_the_same(void **state)
{
  (void)state;
  test_rng rng = {7};
  char text[OUTPUT_NUMBER_SIZE];
  for (int i = 0; i < 20000; ++i) {
    uint64_t bits = test_random(&rng);
    double value;
    memcpy(&value, &bits, sizeof value);
    if (!isfinite(value)) continue;
    assert_true(strtod(output_number(value, text), NULL) == value);
  }
  assert_string_equal(output_number(0.1, text), "0.1");
  assert_string_equal(output_count(0, text), "0");
  assert_string_equal(output_count(999, text), "999");
  assert_string_equal(output_count(20480, text), "20 480");
  assert_string_equal(output_count(UINT64_MAX, text), "18 446 744 073 709 551 615");
}

static void misspelt_words_find_their_neighbour(void **state)
{
  (void)state;
  static const char *const names[] = {"strategy", "json", "list", "limit", "leaf", "threads"};
  static const struct {
    const char *word, *nearest;
  } cases[] = {{"strat", "strategy"},
               {"jsno", "json"},
               {"thread", "threads"},
               {"lef", "leaf"},
               {"limti", "limit"},
               {"colour", NULL},
               {"", NULL},
               {"x", NULL}};
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
    const char *found = options_nearest(cases[i].word, names, 6);
    if (cases[i].nearest)
      assert_string_equal(found ? found : "none", cases[i].nearest);
    else
      assert_null(found);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(check_finds_every_kind_of_wrong_answer), cmocka_unit_test(one_thread_and_several_answer_alike),
      cmocka_unit_test(json_is_well_formed_whatever_the_bytes), cmocka_unit_test(numbers_read_back_the_same),
      cmocka_unit_test(misspelt_words_find_their_neighbour),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
