/* Definitions as text: what is printed reads back, every value of every list, and whatever else
 * is refused whole. */
#include "pliant/pliant.h"

#include "support/support.h"
#include "support/worlds.h"

#include <string.h>

static void print_and_read(pl_context *context, const pl_body_def *def)
{
  char text[1024], again[1024];
  size_t length = pl_body_def_print(def, text, sizeof text);
  assert_int_equal(length, strlen(text));
  assert_true(length < sizeof text);
  pl_body_def read = pl_body_def_default();
  if (pl_body_def_parse(context, text, &read) != PL_OK) fail_msg("%s: %s", text, pl_context_message(context));
  pl_body_def_print(&read, again, sizeof again);
  assert_string_equal(text, again);
  assert_true(read.builder == def->builder && read.cut == def->cut && read.strategy == def->strategy &&
              read.volume == def->volume && read.arity == def->arity && read.leaf_size == def->leaf_size &&
              read.eager_levels == def->eager_levels && read.lazy_levels == def->lazy_levels);
  const pl_inflate_def *a = &read.inflate, *b = &def->inflate;
  assert_true(a->criterion == b->criterion && a->growth == b->growth && a->p_max == b->p_max && a->k == b->k &&
              a->gamma == b->gamma);
}

static void what_is_printed_reads_back(void **state)
{
  (void)state;
  pl_context *context = context_of(NULL);
  pl_body_def def = pl_body_def_default();
  print_and_read(context, &def);
  for (int i = 0; i < 200; ++i) {
    def.builder = (pl_builder)(i % PL_BUILDER_COUNT);
    def.cut = (pl_cut)(i % PL_CUT_COUNT);
    def.strategy = (pl_strategy)(i % PL_STRATEGY_COUNT);
    def.volume = (pl_volume)(i % PL_VOLUME_COUNT);
    def.arity = 2 << i % 3;
    def.leaf_size = 1 + i % 8;
    def.eager_levels = i % 9 - 1;
    def.lazy_levels = 1 + i % 5;
    /* The nearest doubles of short decimals. */
    def.inflate = (pl_inflate_def){(pl_criterion)(i % PL_CRITERION_COUNT), (i * 7919 % 100000) / 1e4,
                                   (i * 97 % 10000) / 1e4, (i * 123456789.0) / 1e6, (pl_growth)(i % PL_GROWTH_COUNT)};
    print_and_read(context, &def);
  }
  pl_context_destroy(context);
}

static void short_buffers_are_kept(void **state)
{
  (void)state;
  pl_body_def def = pl_body_def_default();
  char whole[1024], text[1024];
  size_t length = pl_body_def_print(&def, whole, sizeof whole);
  for (size_t capacity = 0; capacity <= length; ++capacity) {
    memset(text, 'x', sizeof text);
    assert_int_equal(pl_body_def_print(&def, capacity ? text : NULL, capacity), length);
    if (capacity == 0) continue;
    assert_int_equal(text[capacity - 1], '\0');
    assert_int_equal(text[capacity], 'x');
    assert_memory_equal(text, whole, capacity - 1);
  }
}

/* What is not named stays; blanks and order do not matter. */
static void only_what_is_named_is_set(void **state)
{
  (void)state;
  pl_context *context = context_of(NULL);
  pl_body_def def = pl_body_def_default(), before = def;
  assert_int_equal(pl_body_def_parse(context, " { } \n", &def), PL_OK);
  assert_memory_equal(&def, &before, sizeof def);
  assert_int_equal(pl_body_def_parse(context, "{\n\t\"leaf_size\" :4.0e0 ,\r\n \"builder\":\"matching\"}", &def),
                   PL_OK);
  assert_int_equal(def.leaf_size, 4);
  assert_int_equal(def.builder, PL_BUILDER_MATCHING);
  assert_int_equal(def.arity, before.arity);
  pl_context_destroy(context);
}

static void wrong_texts_are_refused_whole(void **state)
{
  (void)state;
  pl_context *context = context_of(NULL);
  const struct {
    const char *text, *part;
  } wrong[] = {{"", "braces"},
               {"[]", "braces"},
               {"{", "key"},
               {"{\"arity\"", "colon"},
               {"{\"arity\": ", "number"},
               {"{\"arity\": x}", "number"},
               {"{\"arity\": 1.5}", "whole"},
               {"{\"arity\": 1e9}", "whole"},
               {"{\"arity\": 1e999}", "number"},
               {"{\"arity\": -}", "number"},
               {"{\"arity\": 4.}", "number"},
               {"{\"arity\": 4e}", "number"},
               {"{\"arity\": \"4\"}", "number"},
               {"{\"arity\": 4", "comma"},
               {"{\"arity\": 4,}", "key"},
               {"{\"arity\": 4} x", "after"},
               {"{\"arity\": 4 \"leaf_size\": 4}", "comma"},
               {"{\"size\": 4}", "no setting \"size\""},
               {"{\"leaf_size\": 4,\n\n \"builder\": \"metis\"}", "line 3: \"metis\" is no builder"},
               {"{\"builder\": matching}", "word"},
               {"{\"builder\": \"matching}", "word"},
               {"{\"builder\": \"a word that is far too long to be one of any list\"}", "word"},
               {"{\"buil\\u0064er\": \"split\"}", "key"},
               {"{\"arity\": 3}", "arity 3: it must be 2, 4 or 8"},
               {"{\"leaf_size\": 99}", "leaf size 99: it must be 1 to 8"}};
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; ++i) {
    pl_body_def def = pl_body_def_default(), before = def;
    assert_refused(context, pl_body_def_parse(context, wrong[i].text, &def), PL_ERROR_ARGUMENT, wrong[i].part);
    assert_memory_equal(&def, &before, sizeof def);
  }
  pl_body_def def = {0};
  assert_refused(context, pl_body_def_parse(context, "{}", &def), PL_ERROR_ARGUMENT, "default");
  assert_refused(context, pl_body_def_parse(context, NULL, &def), PL_ERROR_ARGUMENT, "text");
  assert_int_equal(pl_body_def_parse(NULL, "{}", &def), PL_ERROR_ARGUMENT);
  pl_context_destroy(context);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(what_is_printed_reads_back),
      cmocka_unit_test(short_buffers_are_kept),
      cmocka_unit_test(only_what_is_named_is_set),
      cmocka_unit_test(wrong_texts_are_refused_whole),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
