/* A bit for every pair of bodies that is left out; rows that are empty take no memory. */
#include "common/pair_choice.h"

#include "common/output.h"
#include "io/show.h"

#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

const option pair_choice_table[PAIR_CHOICE_OPTIONS] = {
    {.name = "body",
     .letter = 'b',
     .kind = OPTION_LIST,
     .offset = offsetof(pair_choice_options, body),
     .value = "A|A,B",
     .help = "only pairs of bodies that A is in, or only A with B; may be repeated. Names as pliant info prints them; "
             "* and ? match anything"},
    {.name = "ignore",
     .letter = 'i',
     .kind = OPTION_LIST,
     .offset = offsetof(pair_choice_options, ignore),
     .value = "A,B|A",
     .help = "leave out A with B, or A with all others; may be repeated, names as for --body"},
};

/* ------------------------------------------------------------------------------------- pairs -- */

static bool complain_memory(void)
{
  output_complain("out of memory for the pairs of bodies that are left out");
  return false;
}

static unsigned char *row_of(pair_choice *c, size_t a)
{
  size_t count = c->stage->body_count;
  if (!c->left) c->left = calloc(count, sizeof *c->left);
  if (!c->left) return NULL;
  if (!c->left[a]) c->left[a] = calloc((count - a) / 8 + 1, 1);
  return c->left[a];
}

static bool leave(pair_choice *c, size_t x, size_t y, bool out)
{
  size_t a = x < y ? x : y, b = x < y ? y : x;
  if (a == b) return true;
  unsigned char *row = row_of(c, a), bit = (unsigned char)(1u << ((b - a) % 8));
  if (!row) return complain_memory();
  if (out)
    row[(b - a) / 8] |= bit;
  else
    row[(b - a) / 8] &= (unsigned char)~bit;
  c->any = c->any || out;
  return true;
}

bool pair_choice_leaves_out(const pair_choice *c, size_t x, size_t y)
{
  size_t a = x < y ? x : y, b = x < y ? y : x;
  return c->left && c->left[a] && (c->left[a][(b - a) / 8] >> ((b - a) % 8) & 1);
}

bool pair_choice_wants(const pair_choice *c, size_t body)
{
  for (size_t i = 0; i < c->stage->body_count; ++i)
    if (i != body && !pair_choice_leaves_out(c, body, i)) return true;
  return false;
}

/* ------------------------------------------------------------------------------------- names -- */

/* A name itself, or a pattern; a name may hold any character. */
static bool fits(const char *text, size_t length, const char *name)
{
  if (strlen(name) == length && memcmp(name, text, length) == 0) return true;
  char pattern[512];
  if (length >= sizeof pattern) return false;
  memcpy(pattern, text, length);
  pattern[length] = '\0';
  return strpbrk(pattern, "*?") && fnmatch(pattern, name, 0) == 0;
}

static bool is_known(const stage *s, const char *text, size_t length)
{
  for (size_t i = 0; i < s->body_count; ++i)
    if (fits(text, length, s->bodies[i].name)) return true;
  return false;
}

typedef struct both {
  const char *a, *b; /* b NULL: any */
  size_t a_length, b_length;
} both;

static bool complain_name(const stage *s, const char *from, const char *text)
{
  const char **names = malloc(s->body_count * sizeof *names);
  for (size_t i = 0; names && i < s->body_count; ++i) names[i] = s->bodies[i].name;
  const char *nearest = names ? options_nearest(text, names, s->body_count) : NULL;
  free(names);
  if (nearest)
    output_complain("--%s %s: there is no such body; did you mean %s?", from, text, nearest);
  else
    output_complain("--%s %s: there is no such body; there are %zu, the first is %s", from, text, s->body_count,
                    s->bodies[0].name);
  return false;
}

/* "A" as a whole first; then the first comma with a known name on both sides: names may hold
 * commas. */
static bool divide(const stage *s, const char *from, const char *text, both *out)
{
  size_t length = strlen(text);
  *out = (both){.a = text, .a_length = length};
  if (is_known(s, text, length)) return true;
  for (const char *comma = strchr(text, ','); comma; comma = strchr(comma + 1, ',')) {
    size_t before = (size_t)(comma - text);
    if (!is_known(s, text, before) || !is_known(s, comma + 1, length - before - 1)) continue;
    *out = (both){text, comma + 1, before, length - before - 1};
    return true;
  }
  const char *comma = strchr(text, ','), *wrong = text;
  if (comma && is_known(s, text, (size_t)(comma - text))) wrong = comma + 1;
  return complain_name(s, from, wrong);
}

static bool apply(pair_choice *c, const char *from, const char *text, bool out)
{
  const stage *s = c->stage;
  both names;
  if (!divide(s, from, text, &names)) return false;
  for (size_t i = 0; i < s->body_count; ++i) {
    if (!fits(names.a, names.a_length, s->bodies[i].name)) continue;
    for (size_t k = 0; k < s->body_count; ++k) {
      if (names.b && !fits(names.b, names.b_length, s->bodies[k].name)) continue;
      if (c->named && !out) c->named[i] = 1;
      if (!leave(c, i, k, out)) return false;
    }
  }
  return true;
}

bool pair_choice_make(pair_choice *c, const pair_choice_options *o, const stage *s)
{
  *c = (pair_choice){.stage = s};
  if (o->body.count > 0) {
    c->named = calloc(s->body_count, 1);
    if (!c->named) return complain_memory();
  }
  for (size_t i = 0; o->body.count > 0 && i < s->body_count; ++i)
    for (size_t k = i + 1; k < s->body_count; ++k)
      if (!leave(c, i, k, true)) return false;
  for (int i = 0; i < o->body.count; ++i)
    if (!apply(c, "body", o->body.values[i], false)) return false;
  for (int i = 0; i < o->ignore.count; ++i)
    if (!apply(c, "ignore", o->ignore.values[i], true)) return false;
  return true;
}

void pair_choice_free(pair_choice *c)
{
  for (size_t i = 0; c->left && i < c->stage->body_count; ++i) free(c->left[i]);
  free(c->left);
  free(c->named);
  free(c->rest);
  *c = (pair_choice){0};
}

/* -------------------------------------------------------------------------------------- rest -- */

bool pair_choice_rest_add(pair_choice *c, size_t a, size_t b, size_t pairs)
{
  if ((c->rest_count & (c->rest_count - 1)) == 0) {
    pair_choice_rest *moved = realloc(c->rest, (c->rest_count ? 2 * c->rest_count : 1) * sizeof *moved);
    if (!moved) return complain_memory();
    c->rest = moved;
  }
  c->rest[c->rest_count++] = (pair_choice_rest){a, b, pairs};
  return leave(c, a, b, true);
}
