/* The JSON reader of the browser build beside jansson: the same texts are accepted, and they
 * mean the same; over texts by hand, broken ones made of them byte by byte, and the glTF files
 * of the data folder. */
#include "web/src/json.h"

#include "support/support.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef PLIANT_HAVE_JANSSON
#include <dirent.h>
#include <jansson.h>

static void same_value(const web_json *ours, const json_t *theirs);

static void same_object(const web_json *ours, json_t *theirs)
{
  const char *name;
  json_t *value;
  json_object_foreach(theirs, name, value)
  {
    const web_json *member = web_json_member(ours, name);
    assert_non_null(member);
    same_value(member, value);
  }
  assert_null(web_json_member(ours, "no such name"));
}

static void same_value(const web_json *ours, const json_t *theirs)
{
  switch (json_typeof(theirs)) {
  case JSON_OBJECT:
    assert_int_equal(web_json_kind_of(ours), WEB_JSON_OBJECT);
    same_object(ours, (json_t *)(size_t)theirs);
    break;
  case JSON_ARRAY:
    assert_int_equal(web_json_kind_of(ours), WEB_JSON_ARRAY);
    assert_int_equal(web_json_length(ours), json_array_size(theirs));
    for (size_t i = 0; i < json_array_size(theirs); ++i) same_value(web_json_item(ours, i), json_array_get(theirs, i));
    assert_null(web_json_item(ours, json_array_size(theirs)));
    break;
  case JSON_STRING:
    assert_string_equal(web_json_text(ours), json_string_value(theirs));
    break;
  case JSON_REAL:
  case JSON_INTEGER: {
    double a = web_json_number(ours), b = json_number_value(theirs);
    assert_int_equal(web_json_kind_of(ours), WEB_JSON_NUMBER);
    assert_memory_equal(&a, &b, sizeof a);
    break;
  }
  case JSON_TRUE:
    assert_int_equal(web_json_kind_of(ours), WEB_JSON_TRUE);
    break;
  case JSON_FALSE:
    assert_int_equal(web_json_kind_of(ours), WEB_JSON_FALSE);
    break;
  default:
    assert_int_equal(web_json_kind_of(ours), WEB_JSON_NULL);
  }
}

/* Returns whether both accept it. */
static bool compare(const char *text, size_t size)
{
  char *exact = malloc(size + 1); /* no byte behind its end: sanitizers see a look beyond it */
  assert_non_null(exact);
  memcpy(exact, text, size);
  char *copy = realloc(exact, size ? size : 1);
  json_error_t wrong;
  web_json_error error;
  json_t *theirs = json_loadb(copy, size, JSON_REJECT_DUPLICATES | JSON_DECODE_INT_AS_REAL, &wrong);
  web_json *ours = web_json_read(copy, size, &error);
  if (!ours != !theirs) {
    print_message("%.*s\nours: %s, jansson: %s\n", (int)(size < 200 ? size : 200), text, ours ? "good" : error.text,
                  theirs ? "good" : wrong.text);
    fail();
  }
  if (ours) same_value(ours, theirs);
  if (!ours) assert_true(error.text[0] != '\0' && !error.memory && error.line >= 1);
  bool good = ours != NULL;
  web_json_free(ours);
  json_decref(theirs);
  free(copy);
  return good;
}

static const char *const texts[] = {
    "{}",
    "[]",
    " [ 1 , -0, 0.5, 1e3, -2.5E-7, 123456789012345678901234567890, 4.9e-324, 1.7976931348623157e308 ] ",
    "{\"a\": [true, false, null, {\"b\": \"x\"}], \"\": 1, \"b\\n\": \"\\u00e9\\ud83d\\ude00\\\\\\/\\\"\\b\\f\\r\\t\"}",
    "[\"\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80\", \"\\u20ac\"]",
    "{\"asset\":{\"version\":\"2.0\"},\"nodes\":[{\"mesh\":0,\"children\":[1,2]},{},{}],\"scene\":0}",
    "[[[[[[[[]]]]]]]]",
};

static const char *const broken[] = {
    "",
    " ",
    "1",
    "\"x\"",
    "true",
    "[1,]",
    "[,1]",
    "{\"a\":1,}",
    "{\"a\" 1}",
    "{a:1}",
    "[01]",
    "[-]",
    "[1.]",
    "[.5]",
    "[+1]",
    "[1e]",
    "[1e999]",
    "[nan]",
    "[truex]",
    "[\"\\x\"]",
    "[\"\\u12\"]",
    "[\"\\u0000\"]",
    "[\"\\ud800\"]",
    "[\"\\udc00\"]",
    "[\"\\ud800\\u0041\"]",
    "[\"\n\"]",
    "[\"\x80\"]",
    "[\"\xc0\x80\"]",
    "[\"\xed\xa0\x80\"]",
    "[\"\xf4\x90\x80\x80\"]",
    "[\"abc]",
    "[\"abc\\",
    "[1] 2",
    "[1}",
    "{\"a\":1,\"a\":2}",
    "[1 2]",
    "{\"a\":}",
    "[tru]",
};

static void accepts_and_refuses_as_jansson_does(void **state)
{
  for (size_t i = 0; i < sizeof texts / sizeof texts[0]; ++i) assert_true(compare(texts[i], strlen(texts[i])));
  for (size_t i = 0; i < sizeof broken / sizeof broken[0]; ++i) assert_false(compare(broken[i], strlen(broken[i])));
}

/* Every place with every one of some bytes, and every text cut short. */
static void broken_texts_mean_the_same(void **state)
{
  static const char bytes[] = "{}[]\",:0-1e.\\utn /x\x01\x80\xc3\xed";
  size_t good = 0, all = 0;
  for (size_t i = 0; i < sizeof texts / sizeof texts[0]; ++i) {
    size_t size = strlen(texts[i]);
    char *text = strdup(texts[i]);
    for (size_t at = 0; at < size; ++at) {
      for (size_t k = 0; k < sizeof bytes - 1; ++k, ++all) {
        text[at] = bytes[k];
        good += compare(text, size);
      }
      text[at] = '\0'; /* jansson takes one for the end of a number; RFC 8259 has none */
      web_json_error error;
      assert_null(web_json_read(text, size, &error));
      text[at] = texts[i][at];
      good += compare(text, at);
    }
    free(text);
  }
  assert_true(good > 100 && good < all);
}

static void nesting_ends_where_jansson_ends(void **state)
{
  for (size_t depth = 2040; depth < 2056; ++depth) {
    char text[2 * 2056];
    memset(text, '[', depth);
    memset(text + depth, ']', depth);
    compare(text, 2 * depth);
  }
}

static char *read_text(const char *path, size_t *size)
{
  FILE *file = fopen(path, "rb");
  if (!file) return NULL;
  fseek(file, 0, SEEK_END);
  *size = (size_t)ftell(file);
  rewind(file);
  char *text = malloc(*size + 1);
  if (!text || fread(text, 1, *size, file) != *size) *size = 0;
  fclose(file);
  return text;
}

static void gltf_files_mean_the_same(void **state)
{
  DIR *folder = opendir(PLIANT_DATA_DIR "/gltf");
  if (!folder) skip();
  size_t seen = 0;
  for (struct dirent *entry; (entry = readdir(folder));) {
    char path[1024];
    snprintf(path, sizeof path, PLIANT_DATA_DIR "/gltf/%s/%s.gltf", entry->d_name, entry->d_name);
    size_t size;
    char *text = read_text(path, &size);
    if (!text) continue;
    assert_true(compare(text, size));
    ++seen;
    free(text);
  }
  closedir(folder);
  assert_true(seen > 0);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(accepts_and_refuses_as_jansson_does),
      cmocka_unit_test(broken_texts_mean_the_same),
      cmocka_unit_test(nesting_ends_where_jansson_ends),
      cmocka_unit_test(gltf_files_mean_the_same),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
#else
int main(void) { return 0; }
#endif
