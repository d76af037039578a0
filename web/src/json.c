#include "web/src/json.h"

#include "io/number.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_DEPTH = 2048, BLOCK = 1 << 16 };

typedef struct member {
  const char *name;
  web_json *value;
} member;

struct web_json {
  web_json_kind kind;
  size_t count; /* items or members */
  union {
    double number;
    const char *text;
    web_json **items;
    member *members; /* by name */
  } as;
};

/* Everything of a document stands in blocks that are freed together; the last one is in front. */
typedef struct block {
  struct block *before;
  size_t used, room;
} block;

/* The root with the blocks of its document. */
typedef struct document {
  web_json root; /* first: its address is the caller's */
  block *blocks;
} document;

typedef struct reader {
  const char *at, *end, *start;
  block *blocks;
  member *stack; /* items and members of the objects and lists that are open */
  size_t height, room;
  web_json_error *error;
} reader;

static bool fail(reader *r, const char *format, ...)
{
  if (r->error->text[0]) return false; /* the first is the cause */
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(r->error->text, sizeof r->error->text, format, arguments);
  va_end(arguments);
  r->error->line = 1;
  for (const char *p = r->start; p < r->at; ++p) r->error->line += *p == '\n';
  return false;
}

static bool fail_memory(reader *r)
{
  r->error->memory = true;
  return fail(r, "out of memory");
}

static void *take(reader *r, size_t size)
{
  size = (size + 15) & ~(size_t)15;
  if (!r->blocks || r->blocks->room - r->blocks->used < size) {
    size_t room = size > BLOCK ? size : BLOCK;
    block *b = malloc(sizeof *b + 16 + room);
    if (!b) return fail_memory(r), NULL;
    *b = (block){r->blocks, 0, room};
    r->blocks = b;
  }
  uintptr_t base = ((uintptr_t)(r->blocks + 1) + 15) & ~(uintptr_t)15;
  void *memory = (char *)base + r->blocks->used;
  r->blocks->used += size;
  return memory;
}

static void free_blocks(block *b)
{
  while (b) {
    block *before = b->before;
    free(b);
    b = before;
  }
}

static void skip_space(reader *r)
{
  while (r->at < r->end && (*r->at == ' ' || *r->at == '\t' || *r->at == '\n' || *r->at == '\r')) ++r->at;
}

static bool next_is(reader *r, char c)
{
  skip_space(r);
  if (r->at == r->end || *r->at != c) return false;
  ++r->at;
  return true;
}

/* ------------------------------------------------------------------------------------- texts -- */

static int hex_digit(char c)
{
  if (c >= '0' && c <= '9') return c - '0';
  c |= 32;
  return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* The four digits after \u. */
static bool read_unit(reader *r, uint32_t *out)
{
  *out = 0;
  for (int i = 0; i < 4; ++i, ++r->at) {
    int digit = r->at < r->end ? hex_digit(*r->at) : -1;
    if (digit < 0) return fail(r, "\\u without four digits");
    *out = *out * 16 + (uint32_t)digit;
  }
  return true;
}

static char *put_utf8(char *to, uint32_t c)
{
  if (c < 0x80) {
    *to++ = (char)c;
  } else if (c < 0x800) {
    *to++ = (char)(0xc0 | c >> 6);
    *to++ = (char)(0x80 | (c & 63));
  } else if (c < 0x10000) {
    *to++ = (char)(0xe0 | c >> 12);
    *to++ = (char)(0x80 | (c >> 6 & 63));
    *to++ = (char)(0x80 | (c & 63));
  } else {
    *to++ = (char)(0xf0 | c >> 18);
    *to++ = (char)(0x80 | (c >> 12 & 63));
    *to++ = (char)(0x80 | (c >> 6 & 63));
    *to++ = (char)(0x80 | (c & 63));
  }
  return to;
}

/* After the backslash. */
static bool read_escape(reader *r, char **to)
{
  static const char from[] = "\"\\/bfnrt", into[] = "\"\\/\b\f\n\r\t";
  if (r->at == r->end) return fail(r, "a text does not end");
  char c = *r->at++;
  const char *found = c ? strchr(from, c) : NULL;
  if (found) {
    *(*to)++ = into[found - from];
    return true;
  }
  uint32_t unit, low;
  if (c != 'u') return fail(r, "a backslash before something else than an escape");
  if (!read_unit(r, &unit)) return false;
  if (unit == 0) return fail(r, "a text holds \\u0000");
  if (unit >= 0xdc00 && unit < 0xe000) return fail(r, "the second half of a character without the first");
  if (unit >= 0xd800 && unit < 0xdc00) {
    if (r->end - r->at < 2 || r->at[0] != '\\' || r->at[1] != 'u') return fail(r, "half a character");
    r->at += 2;
    if (!read_unit(r, &low)) return false;
    if (low < 0xdc00 || low >= 0xe000) return fail(r, "half a character");
    unit = 0x10000 + ((unit & 0x3ff) << 10) + (low & 0x3ff);
  }
  *to = put_utf8(*to, unit);
  return true;
}

/* The bytes of one UTF-8 character that is not ASCII: 2 to 4; 0: it is none. */
static size_t utf8_length(const unsigned char *p, size_t left)
{
  static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
  size_t n = p[0] >= 0xc2 && p[0] < 0xe0 ? 2 : (p[0] & 0xf0) == 0xe0 ? 3 : p[0] >= 0xf0 && p[0] < 0xf5 ? 4 : 0;
  if (n == 0 || n > left) return 0;
  uint32_t c = p[0] & (0x7fu >> n);
  for (size_t i = 1; i < n; ++i) {
    if ((p[i] & 0xc0) != 0x80) return 0;
    c = c << 6 | (p[i] & 63);
  }
  return c >= least[n] && c < 0x110000 && !(c >= 0xd800 && c < 0xe000) ? n : 0;
}

/* After the opening quote. */
static const char *read_text(reader *r)
{
  const char *quote = r->at;
  while (quote < r->end && *quote != '"') quote += *quote == '\\' && r->end - quote > 1 ? 2 : 1;
  /* an escape is never shorter than what it means */
  char *text = take(r, (size_t)(quote - r->at) + 1), *to = text;
  if (!text) return NULL;
  for (;;) {
    if (r->at == r->end) return fail(r, "a text does not end"), NULL;
    unsigned char c = (unsigned char)*r->at;
    if (c == '"') break;
    if (c < ' ') return fail(r, "a text holds a control character or goes over the end of its line"), NULL;
    if (c == '\\') {
      ++r->at;
      if (!read_escape(r, &to)) return NULL;
      continue;
    }
    size_t n = c < 0x80 ? 1 : utf8_length((const unsigned char *)r->at, (size_t)(r->end - r->at));
    if (n == 0) return fail(r, "a text is not UTF-8"), NULL;
    memcpy(to, r->at, n);
    to += n;
    r->at += n;
  }
  ++r->at;
  *to = '\0';
  return text;
}

/* ------------------------------------------------------------------------------------ values -- */

static void skip_digits(reader *r)
{
  while (r->at < r->end && *r->at >= '0' && *r->at <= '9') ++r->at;
}

static bool some_digits(reader *r)
{
  const char *from = r->at;
  skip_digits(r);
  return r->at > from || fail(r, "a number without digits");
}

static bool read_number(reader *r, web_json *out)
{
  const char *from = r->at;
  r->at += *r->at == '-';
  bool zero = r->at < r->end && *r->at == '0';
  if (!some_digits(r)) return false;
  if (zero && r->at - from > 1 + (*from == '-')) return fail(r, "a number begins with 0");
  if (r->at < r->end && *r->at == '.') {
    ++r->at;
    if (!some_digits(r)) return false;
  }
  if (r->at < r->end && (*r->at | 32) == 'e') {
    ++r->at;
    if (r->at < r->end && (*r->at == '+' || *r->at == '-')) ++r->at;
    if (!some_digits(r)) return false;
  }
  out->kind = WEB_JSON_NUMBER;
  return io_parse_double(&from, r->at, &out->as.number) == IO_NUMBER_OK || fail(r, "a number is too large");
}

static bool read_word(reader *r, web_json *out)
{
  static const struct {
    const char *word;
    web_json_kind kind;
  } words[] = {{"null", WEB_JSON_NULL}, {"false", WEB_JSON_FALSE}, {"true", WEB_JSON_TRUE}};
  for (size_t i = 0; i < 3; ++i) {
    size_t n = strlen(words[i].word);
    if ((size_t)(r->end - r->at) < n || memcmp(r->at, words[i].word, n) != 0) continue;
    r->at += n;
    out->kind = words[i].kind;
    char next = r->at < r->end ? *r->at : ' ';
    bool goes_on = ((next | 32) >= 'a' && (next | 32) <= 'z');
    return !goes_on || fail(r, "an unknown word");
  }
  return fail(r, "something that is no value");
}

static bool read_value(reader *r, int depth, web_json *out);

static bool push(reader *r, member m)
{
  if (r->height == r->room) {
    size_t room = r->room ? 2 * r->room : 256;
    member *stack = realloc(r->stack, room * sizeof *stack);
    if (!stack) return fail_memory(r);
    r->stack = stack;
    r->room = room;
  }
  r->stack[r->height++] = m;
  return true;
}

/* The value of one item or member, named NULL in a list. */
static bool read_part(reader *r, int depth, const char *name)
{
  web_json *value = take(r, sizeof *value);
  return value && read_value(r, depth, value) && push(r, (member){name, value});
}

static bool read_array(reader *r, int depth, web_json *out)
{
  size_t from = r->height;
  if (!next_is(r, ']')) {
    do
      if (!read_part(r, depth + 1, NULL)) return false;
    while (next_is(r, ','));
    if (!next_is(r, ']')) return fail(r, "a list without ']' or ','");
  }
  out->kind = WEB_JSON_ARRAY;
  out->count = r->height - from;
  out->as.items = take(r, (out->count + 1) * sizeof *out->as.items);
  for (size_t i = 0; out->as.items && i < out->count; ++i) out->as.items[i] = r->stack[from + i].value;
  r->height = from;
  return out->as.items != NULL;
}

static int by_name(const void *a, const void *b)
{
  return strcmp(((const member *)a)->name, ((const member *)b)->name);
}

static bool read_object(reader *r, int depth, web_json *out)
{
  size_t from = r->height;
  if (!next_is(r, '}')) {
    do {
      if (!next_is(r, '"')) return fail(r, "an object without a name");
      const char *name = read_text(r);
      if (!name) return false;
      if (!next_is(r, ':')) return fail(r, "a name without ':'");
      if (!read_part(r, depth + 1, name)) return false;
    } while (next_is(r, ','));
    if (!next_is(r, '}')) return fail(r, "an object without '}' or ','");
  }
  out->kind = WEB_JSON_OBJECT;
  out->count = r->height - from;
  out->as.members = take(r, (out->count + 1) * sizeof *out->as.members);
  if (!out->as.members) return false;
  if (out->count) memcpy(out->as.members, r->stack + from, out->count * sizeof *out->as.members);
  qsort(out->as.members, out->count, sizeof *out->as.members, by_name);
  for (size_t i = 1; i < out->count; ++i)
    if (by_name(&out->as.members[i - 1], &out->as.members[i]) == 0)
      return fail(r, "two members are named '%.40s'", out->as.members[i].name);
  r->height = from;
  return true;
}

static bool read_value(reader *r, int depth, web_json *out)
{
  *out = (web_json){WEB_JSON_NULL, 0, {0}};
  if (depth > MOST_DEPTH) return fail(r, "nested too deeply");
  skip_space(r);
  if (r->at == r->end) return fail(r, "it ends too early");
  switch (*r->at) {
  case '{':
    ++r->at;
    return read_object(r, depth, out);
  case '[':
    ++r->at;
    return read_array(r, depth, out);
  case '"':
    ++r->at;
    out->kind = WEB_JSON_STRING;
    out->as.text = read_text(r);
    return out->as.text != NULL;
  default:
    return *r->at == '-' || (*r->at >= '0' && *r->at <= '9') ? read_number(r, out) : read_word(r, out);
  }
}

web_json *web_json_read(const char *text, size_t size, web_json_error *error)
{
  *error = (web_json_error){{0}, 0, false};
  reader r = {.at = text, .end = text + size, .start = text, .error = error};
  document *d = take(&r, sizeof *d);
  bool good = d && read_value(&r, 1, &d->root);
  skip_space(&r);
  if (good && r.at != r.end) good = fail(&r, "something stands behind its end");
  if (good && d->root.kind != WEB_JSON_OBJECT && d->root.kind != WEB_JSON_ARRAY)
    good = fail(&r, "it is neither an object nor a list");
  free(r.stack);
  if (good) {
    d->blocks = r.blocks;
    return &d->root;
  }
  free_blocks(r.blocks);
  return NULL;
}

void web_json_free(web_json *root)
{
  if (root) free_blocks(((document *)(void *)root)->blocks);
}

/* ------------------------------------------------------------------------------------ access -- */

web_json_kind web_json_kind_of(const web_json *value) { return value->kind; }
double web_json_number(const web_json *value) { return value && value->kind == WEB_JSON_NUMBER ? value->as.number : 0; }
const char *web_json_text(const web_json *value)
{
  return value && value->kind == WEB_JSON_STRING ? value->as.text : NULL;
}
size_t web_json_length(const web_json *value) { return value && value->kind == WEB_JSON_ARRAY ? value->count : 0; }
web_json *web_json_item(const web_json *value, size_t index)
{
  return index < web_json_length(value) ? value->as.items[index] : NULL;
}

web_json *web_json_member(const web_json *value, const char *name)
{
  if (!value || value->kind != WEB_JSON_OBJECT || !value->count) return NULL;
  member key = {name, NULL};
  const member *found = bsearch(&key, value->as.members, value->count, sizeof key, by_name);
  return found ? found->value : NULL;
}
