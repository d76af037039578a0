/* The one file that knows the JSON library, and typed access to a document with messages that
 * name the place. Numbers are doubles throughout: glTF's integers are all exact in them. */
#include "io/gltf_inside.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#ifdef PLIANT_HAVE_JANSSON
#include <jansson.h>

static const json_t *inner(const gltf_value *value) { return (const json_t *)(const void *)value; }

static const gltf_value *outer(const json_t *value) { return (const gltf_value *)(const void *)value; }

bool gltf_json_parse(const io_source *source, gltf_value **out, io_error *error)
{
  json_error_t wrong;
  errno = 0;
  json_t *root = json_loadb(source->data, source->size, JSON_REJECT_DUPLICATES | JSON_DECODE_INT_AS_REAL, &wrong);
  *out = (gltf_value *)(void *)root;
  if (root) return true;
  /* An allocation that fails within a word or an object is reported as a wrong word, or not at
   * all. */
  if (errno == ENOMEM || json_error_code(&wrong) == json_error_out_of_memory)
    return io_fail(error, source->name, 0, "out of memory");
  size_t line = wrong.line > 0 ? (size_t)wrong.line : 0;
  return io_fail(error, source->name, line, "its JSON is broken: %s", gltf_shown(wrong.text).text);
}

void gltf_json_free(gltf_value *root) { json_decref((json_t *)(void *)root); }

gltf_kind gltf_json_kind(const gltf_value *value)
{
  if (!value) return GLTF_ABSENT;
  switch (json_typeof(inner(value))) {
  case JSON_OBJECT:
    return GLTF_OBJECT;
  case JSON_ARRAY:
    return GLTF_ARRAY;
  case JSON_STRING:
    return GLTF_STRING;
  case JSON_INTEGER:
  case JSON_REAL:
    return GLTF_NUMBER;
  case JSON_TRUE:
  case JSON_FALSE:
    return GLTF_BOOLEAN;
  default:
    return GLTF_NULL;
  }
}

const gltf_value *gltf_json_member(const gltf_value *object, const char *key)
{
  return outer(json_object_get(inner(object), key));
}

const gltf_value *gltf_json_item(const gltf_value *array, size_t index)
{
  return outer(json_array_get(inner(array), index));
}

size_t gltf_json_length(const gltf_value *array) { return json_array_size(inner(array)); }

const char *gltf_json_text(const gltf_value *string) { return json_string_value(inner(string)); }

double gltf_json_number(const gltf_value *number) { return json_number_value(inner(number)); }

bool gltf_json_true(const gltf_value *value) { return value && json_is_true(inner(value)); }

#else

bool gltf_json_parse(const io_source *source, gltf_value **out, io_error *error)
{
  *out = NULL;
  return io_fail(error, source->name, 0,
                 "this build has no jansson to read glTF with; install libjansson-dev and build again, or export OBJ "
                 "or PLY");
}

/* Never called: nothing was parsed. */
void gltf_json_free(gltf_value *root) {}
gltf_kind gltf_json_kind(const gltf_value *value) { return GLTF_ABSENT; }
const gltf_value *gltf_json_member(const gltf_value *object, const char *key) { return NULL; }
const gltf_value *gltf_json_item(const gltf_value *array, size_t index) { return NULL; }
size_t gltf_json_length(const gltf_value *array) { return 0; }
const char *gltf_json_text(const gltf_value *string) { return NULL; }
double gltf_json_number(const gltf_value *number) { return 0; }
bool gltf_json_true(const gltf_value *value) { return false; }

#endif

gltf_place gltf_at(const char *format, ...)
{
  gltf_place place;
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(place.text, sizeof place.text, format, arguments);
  va_end(arguments);
  return place;
}

gltf_place gltf_shown(const char *text)
{
  gltf_place shown;
  size_t n = 0;
  for (; *text && n < sizeof shown.text - 4; ++text)
    shown.text[n++] = (unsigned char)*text < ' ' || *text == 127 ? '?' : *text;
  /* not within a character */
  while (*text && n && ((unsigned char)*text & 0xc0) == 0x80) --text, --n;
  memcpy(shown.text + n, *text ? "..." : "", *text ? 4 : 1);
  return shown;
}

bool gltf_integer(gltf_document *d, const char *where, const gltf_value *object, const char *key, uint64_t missing,
                  uint64_t last, uint64_t *out)
{
  const gltf_value *value = gltf_json_member(object, key);
  *out = missing;
  if (!value && missing == GLTF_REQUIRED) return gltf_fail(d, "%s has no '%s'", where, key);
  if (!value) return true;
  double number = gltf_json_kind(value) == GLTF_NUMBER ? gltf_json_number(value) : NAN;
  if (!(number >= 0 && number == floor(number)))
    return gltf_fail(d, "%s: '%s' is not a whole number of at least 0", where, key);
  if (number > (double)last)
    return gltf_fail(d, "%s: '%s' is %.17g, more than %llu", where, key, number, (unsigned long long)last);
  *out = (uint64_t)number;
  return true;
}

bool gltf_index(gltf_document *d, const char *where, const gltf_value *object, const char *key, uint64_t missing,
                size_t count, uint64_t *out)
{
  if (!gltf_integer(d, where, object, key, missing, GLTF_SIZE_LIMIT, out)) return false;
  if (*out == GLTF_NONE || *out < count) return true;
  return gltf_fail(d, "%s: '%s' is %llu, and there are %zu", where, key, (unsigned long long)*out, count);
}

bool gltf_numbers(gltf_document *d, const char *where, const gltf_value *object, const char *key, size_t count,
                  double *out, bool *there)
{
  const gltf_value *list = gltf_json_member(object, key);
  if (there) *there = list != NULL;
  if (!list && there) return true;
  if (gltf_json_kind(list) != GLTF_ARRAY || gltf_json_length(list) != count)
    return gltf_fail(d, "%s: '%s' is not a list of %zu numbers", where, key, count);
  for (size_t i = 0; i < count; ++i) {
    const gltf_value *item = gltf_json_item(list, i);
    out[i] = gltf_json_kind(item) == GLTF_NUMBER ? gltf_json_number(item) : NAN;
    if (!isfinite(out[i])) return gltf_fail(d, "%s: '%s' has something that is not a number", where, key);
  }
  return true;
}

const gltf_value *gltf_list(gltf_document *d, const char *where, const gltf_value *object, const char *key, bool *ok)
{
  const gltf_value *list = gltf_json_member(object, key);
  gltf_kind kind = gltf_json_kind(list);
  if (kind == GLTF_ARRAY || kind == GLTF_ABSENT) return list;
  *ok = gltf_fail(d, "%s: '%s' is not a list", where, key);
  return NULL;
}

const char *gltf_text_of(const gltf_value *object, const char *key)
{
  const gltf_value *value = gltf_json_member(object, key);
  return gltf_json_kind(value) == GLTF_STRING ? gltf_json_text(value) : "";
}

const gltf_value *gltf_object(gltf_document *d, const gltf_value *list, const char *what, size_t i)
{
  const gltf_value *value = gltf_json_item(list, i);
  if (gltf_json_kind(value) == GLTF_OBJECT) return value;
  gltf_fail(d, "%s %zu is not an object", what, i);
  return NULL;
}
