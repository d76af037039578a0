/* The part of jansson's interface that io/gltf_json.c uses, over the JSON reader of this folder. */
#ifndef WEB_JANSSON_H
#define WEB_JANSSON_H

#include "web/src/json.h"

typedef web_json json_t;
typedef struct json_error_t {
  int line;
  bool memory;
  char text[160];
} json_error_t;

enum { JSON_REJECT_DUPLICATES = 1, JSON_DECODE_INT_AS_REAL = 2, JSON_INTEGER = -1, JSON_REAL = WEB_JSON_NUMBER };
enum { json_error_none, json_error_out_of_memory };
#define JSON_OBJECT WEB_JSON_OBJECT
#define JSON_ARRAY WEB_JSON_ARRAY
#define JSON_STRING WEB_JSON_STRING
#define JSON_TRUE WEB_JSON_TRUE
#define JSON_FALSE WEB_JSON_FALSE

static inline json_t *json_loadb(const char *text, size_t size, size_t flags, json_error_t *error)
{
  (void)flags; /* the reader always does what they ask for */
  web_json_error wrong = {{0}, 0, false};
  json_t *root = web_json_read(text, size, &wrong);
  error->line = wrong.line;
  error->memory = wrong.memory;
  for (size_t i = 0; i < sizeof wrong.text; ++i) error->text[i] = wrong.text[i];
  return root;
}
static inline int json_error_code(const json_error_t *error)
{
  return error->memory ? json_error_out_of_memory : json_error_none;
}
static inline void json_decref(json_t *root) { web_json_free(root); }
static inline int json_typeof(const json_t *value) { return (int)web_json_kind_of(value); }
static inline json_t *json_object_get(const json_t *object, const char *name) { return web_json_member(object, name); }
static inline json_t *json_array_get(const json_t *array, size_t index) { return web_json_item(array, index); }
static inline size_t json_array_size(const json_t *array) { return web_json_length(array); }
static inline const char *json_string_value(const json_t *string) { return web_json_text(string); }
static inline double json_number_value(const json_t *number) { return web_json_number(number); }
static inline bool json_is_true(const json_t *value) { return web_json_kind_of(value) == WEB_JSON_TRUE; }

#endif
