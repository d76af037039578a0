/* Body definitions as text: a flat JSON object that a table of its keys reads and prints: words,
 * whole numbers, reals. Invariant: the printed text reads back as the same definition. The
 * decimal point is a point in every locale. Cost: O(length). */
#include "pliant/tuning.h"

#include "body/body.h"
#include "core/version.h"

#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef enum value_kind { VALUE_WORD, VALUE_WHOLE, VALUE_REAL } value_kind;

typedef struct setting {
  const char *key;
  value_kind kind;
  size_t offset;  /* of an enum or int, or of a double */
  pl_words words; /* of a word */
} setting;

static const setting settings[] = {
    {"builder", VALUE_WORD, offsetof(pl_body_def, builder), PL_WORDS_BUILDER},
    {"cut", VALUE_WORD, offsetof(pl_body_def, cut), PL_WORDS_CUT},
    {"arity", VALUE_WHOLE, offsetof(pl_body_def, arity), PL_WORDS_KIND},
    {"leaf_size", VALUE_WHOLE, offsetof(pl_body_def, leaf_size), PL_WORDS_KIND},
    {"strategy", VALUE_WORD, offsetof(pl_body_def, strategy), PL_WORDS_STRATEGY},
    {"volume", VALUE_WORD, offsetof(pl_body_def, volume), PL_WORDS_VOLUME},
    {"eager_levels", VALUE_WHOLE, offsetof(pl_body_def, eager_levels), PL_WORDS_KIND},
    {"lazy_levels", VALUE_WHOLE, offsetof(pl_body_def, lazy_levels), PL_WORDS_KIND},
    {"repair", VALUE_WHOLE, offsetof(pl_body_def, repair), PL_WORDS_KIND},
    {"criterion", VALUE_WORD, offsetof(pl_body_def, inflate.criterion), PL_WORDS_CRITERION},
    {"p_max", VALUE_REAL, offsetof(pl_body_def, inflate.p_max), PL_WORDS_KIND},
    {"k", VALUE_REAL, offsetof(pl_body_def, inflate.k), PL_WORDS_KIND},
    {"gamma", VALUE_REAL, offsetof(pl_body_def, inflate.gamma), PL_WORDS_KIND},
    {"growth", VALUE_WORD, offsetof(pl_body_def, inflate.growth), PL_WORDS_GROWTH},
};
enum { SETTING_COUNT = sizeof settings / sizeof settings[0], LONGEST_WORD = 40, SENTENCE = 240 };

/* Enums of the definition are as wide as int: their values are not negative and fit, so the
 * bytes are the same. */
static int whole_at(const pl_body_def *def, const setting *s)
{
  int value;
  memcpy(&value, (const char *)def + s->offset, sizeof value);
  return value;
}

_Static_assert(sizeof(pl_builder) == sizeof(int) && sizeof(pl_cut) == sizeof(int) &&
                   sizeof(pl_strategy) == sizeof(int) && sizeof(pl_volume) == sizeof(int) &&
                   sizeof(pl_criterion) == sizeof(int) && sizeof(pl_growth) == sizeof(int),
               "words are written as int");

/* ------------------------------------------------------------------------------------- print -- */

static void print_value(const pl_body_def *def, const setting *s, char *text, size_t capacity)
{
  if (s->kind == VALUE_WORD) {
    const char *word = pl_word(s->words, whole_at(def, s));
    snprintf(text, capacity, "\"%s\"", word ? word : "");
  } else if (s->kind == VALUE_WHOLE) {
    snprintf(text, capacity, "%d", whole_at(def, s));
  } else {
    double value;
    memcpy(&value, (const char *)def + s->offset, sizeof value);
    if (!isfinite(value)) value = 0;
    for (int digits = 15; digits <= 17; ++digits) { /* as few digits as read back as the same number */
      snprintf(text, capacity, "%.*g", digits, value);
      if (strtod(text, NULL) == value) break;
    }
    const char *point = localeconv()->decimal_point;
    char *here = strstr(text, point);
    if (here) {
      memmove(here + 1, here + strlen(point), strlen(here + strlen(point)) + 1);
      *here = '.';
    }
  }
}

size_t pl_body_def_print(const pl_body_def *given, char *text, size_t capacity)
{
  size_t length = 0;
  pl_body_def full = pl_body_def_default(), *def = &full;
  def_copy(given, def, sizeof *def);
  for (size_t i = 0; i < SETTING_COUNT; ++i) {
    char value[LONGEST_WORD];
    print_value(def, &settings[i], value, sizeof value);
    size_t room = length < capacity ? capacity - length : 0;
    length += (size_t)snprintf(room ? text + length : NULL, room, "%s\"%s\": %s%s", i ? ", " : "{", settings[i].key,
                               value, i + 1 == SETTING_COUNT ? "}" : "");
  }
  return length;
}

/* -------------------------------------------------------------------------------------- read -- */

typedef struct reader {
  pl_context *context;
  const char *begin, *at;
} reader;

static pl_status refuse(const reader *r, const char *what)
{
  int line = 1;
  for (const char *c = r->begin; c < r->at; ++c) line += *c == '\n';
  return fail(r->context, PL_ERROR_ARGUMENT, "settings, line %d: %s", line, what);
}

static void skip_blanks(reader *r) { r->at += strspn(r->at, " \t\r\n"); }

static bool take(reader *r, char c)
{
  skip_blanks(r);
  if (*r->at != c) return false;
  ++r->at;
  return true;
}

/* A string without escapes, which no key or word has; `out` has room for LONGEST_WORD. */
static bool take_text(reader *r, char *out)
{
  if (!take(r, '"')) return false;
  size_t length = strcspn(r->at, "\"\\\n");
  if (r->at[length] != '"' || length >= LONGEST_WORD) return false;
  memcpy(out, r->at, length);
  out[length] = '\0';
  r->at += length + 1;
  return true;
}

/* A number of JSON as strtod() takes it, with the point of the caller's locale. */
typedef struct number_text {
  char text[400];
  size_t length;
} number_text;

static void add_text(number_text *n, const char *text, size_t length)
{
  if (n->length + length >= sizeof n->text) length = sizeof n->text - 1 - n->length;
  memcpy(n->text + n->length, text, length);
  n->length += length;
}

static bool take_digits(reader *r, number_text *n)
{
  size_t count = strspn(r->at, "0123456789");
  add_text(n, r->at, count);
  r->at += count;
  return count > 0;
}

static bool take_number(reader *r, double *out)
{
  number_text n = {"", 0};
  if (take(r, '-')) add_text(&n, "-", 1);
  if (!take_digits(r, &n)) return false;
  if (*r->at == '.') {
    const char *point = localeconv()->decimal_point;
    ++r->at;
    add_text(&n, point, strlen(point));
    if (!take_digits(r, &n)) return false;
  }
  if (*r->at == 'e' || *r->at == 'E') {
    add_text(&n, r->at++, 1);
    if (*r->at == '-' || *r->at == '+') add_text(&n, r->at++, 1);
    if (!take_digits(r, &n)) return false;
  }
  n.text[n.length] = '\0';
  char *end;
  *out = strtod(n.text, &end);
  /* a longer text may have lost its exponent */
  return n.length + 1 < sizeof n.text && *end == '\0' && isfinite(*out);
}

/* The next of a list, from 0 on, at the end of a sentence. */
static void add_name(char sentence[SENTENCE], int i, const char *name)
{
  size_t used = strlen(sentence);
  snprintf(sentence + used, SENTENCE - used, "%s%s", i ? ", " : "", name);
}

static pl_status read_word(reader *r, const setting *s, pl_body_def *def)
{
  char word[LONGEST_WORD], what[SENTENCE];
  if (!take_text(r, word)) return refuse(r, "a word in quotes is wanted");
  int value;
  if (pl_word_parse(s->words, word, &value)) {
    memcpy((char *)def + s->offset, &value, sizeof value);
    return PL_OK;
  }
  snprintf(what, sizeof what, "\"%s\" is no %s: there are ", word, s->key);
  for (int i = 0; pl_word(s->words, i); ++i) add_name(what, i, pl_word(s->words, i));
  return refuse(r, what);
}

static pl_status read_number(reader *r, const setting *s, pl_body_def *def)
{
  double value;
  char what[160];
  if (!take_number(r, &value)) {
    snprintf(what, sizeof what, "\"%s\" needs a number", s->key);
    return refuse(r, what);
  }
  if (s->kind == VALUE_REAL) {
    memcpy((char *)def + s->offset, &value, sizeof value);
    return PL_OK;
  }
  int whole = value >= -1e6 && value <= 1e6 ? (int)value : 0;
  if ((double)whole != value) {
    snprintf(what, sizeof what, "\"%s\" needs a small whole number", s->key);
    return refuse(r, what);
  }
  memcpy((char *)def + s->offset, &whole, sizeof whole);
  return PL_OK;
}

static pl_status read_pair(reader *r, pl_body_def *def)
{
  char key[LONGEST_WORD], what[SENTENCE];
  if (!take_text(r, key)) return refuse(r, "a key in quotes is wanted");
  for (size_t i = 0; i < SETTING_COUNT; ++i) {
    if (strcmp(key, settings[i].key) != 0) continue;
    if (!take(r, ':')) return refuse(r, "a colon is wanted after a key");
    return settings[i].kind == VALUE_WORD ? read_word(r, &settings[i], def) : read_number(r, &settings[i], def);
  }
  snprintf(what, sizeof what, "there is no setting \"%s\": there are ", key);
  for (int i = 0; i < SETTING_COUNT; ++i) add_name(what, i, settings[i].key);
  return refuse(r, what);
}

pl_status pl_body_def_parse(pl_context *context, const char *text, pl_body_def *def)
{
  if (!context) return fail_null("context");
  if (!text || !def) return fail(context, PL_ERROR_ARGUMENT, "%s is NULL", text ? "def" : "text");
  reader r = {context, text, text};
  pl_body_def read;
  pl_status taken = def_take(context, pl_body_def, def, &read);
  if (taken != PL_OK) return taken;
  if (!take(&r, '{')) return refuse(&r, "an object in braces is wanted");
  bool ended = take(&r, '}');
  while (!ended) {
    pl_status status = read_pair(&r, &read);
    if (status != PL_OK) return status;
    ended = take(&r, '}');
    if (!ended && !take(&r, ',')) return refuse(&r, "a comma or a closing brace is wanted");
  }
  skip_blanks(&r);
  if (*r.at) return refuse(&r, "nothing is wanted after the object");
  pl_status status = body_check_numbers(context, &read);
  if (status == PL_OK) def_write(def, &read, sizeof read);
  return status;
}
