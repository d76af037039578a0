/* A strict JSON reader (RFC 8259) for the glTF reader of the browser build, where jansson is not
 * at hand. As there: the root is an object or a list, names within an object differ, texts are
 * UTF-8 without zero bytes, nesting ends at 2 048, and all numbers are doubles. Objects keep
 * their members by name, so that finding one takes O(log n). Cost of reading: O(bytes log
 * members). */
#ifndef WEB_JSON_H
#define WEB_JSON_H

#include <stdbool.h>
#include <stddef.h>

typedef enum web_json_kind {
  WEB_JSON_NULL,
  WEB_JSON_FALSE,
  WEB_JSON_TRUE,
  WEB_JSON_NUMBER,
  WEB_JSON_STRING,
  WEB_JSON_ARRAY,
  WEB_JSON_OBJECT
} web_json_kind;

typedef struct web_json web_json;

typedef struct web_json_error {
  char text[160];
  int line;    /* from 1 */
  bool memory; /* it is not the text's fault */
} web_json_error;

/* NULL: *error is set. */
web_json *web_json_read(const char *text, size_t size, web_json_error *error);
void web_json_free(web_json *root); /* the root only; NULL is allowed */

web_json_kind web_json_kind_of(const web_json *value);
double web_json_number(const web_json *value);                      /* 0 if it is none */
const char *web_json_text(const web_json *value);                   /* NULL if it is none */
size_t web_json_length(const web_json *value);                      /* of a list; otherwise 0 */
web_json *web_json_item(const web_json *value, size_t index);       /* NULL if there is none */
web_json *web_json_member(const web_json *value, const char *name); /* NULL if there is none */

#endif
