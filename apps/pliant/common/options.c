/* The option parser: `--name value`, `--name=value`, `-n value`, flags, `--` between lists of
 * files. A wrong line is refused before any work is done, and the nearest name or word is
 * offered. */
#include "common/options.h"

#include "common/command.h"
#include "common/output.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PAGE_WIDTH = 100, HELP_COLUMN = 26, WORD_MAX = 48, NAME_MAX_COUNT = 96, MOST_WORDS = 64 };

/* ----------------------------------------------------------------------------------- nearest -- */

/* Edits (insert, delete, replace, swap neighbours) from one word to another; long words are
 * simply far. */
static int edit_distance(const char *a, const char *b)
{
  size_t m = strlen(a), n = strlen(b);
  if (m >= WORD_MAX || n >= WORD_MAX) return WORD_MAX;
  int d[WORD_MAX][WORD_MAX];
  for (size_t i = 0; i <= m; ++i) d[i][0] = (int)i;
  for (size_t j = 0; j <= n; ++j) d[0][j] = (int)j;
  for (size_t i = 1; i <= m; ++i)
    for (size_t j = 1; j <= n; ++j) {
      int best = d[i - 1][j - 1] + (a[i - 1] != b[j - 1]);
      if (d[i - 1][j] + 1 < best) best = d[i - 1][j] + 1;
      if (d[i][j - 1] + 1 < best) best = d[i][j - 1] + 1;
      bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (swapped && d[i - 2][j - 2] + 1 < best) best = d[i - 2][j - 2] + 1;
      d[i][j] = best;
    }
  return d[m][n];
}

const char *options_nearest(const char *word, const char *const *names, size_t count)
{
  const char *nearest = NULL;
  int best = (int)strlen(word) / 3 + 1; /* further away it would be another word */
  for (size_t i = 0; i < count; ++i) {
    bool prefix = strlen(word) >= 2 && strncmp(word, names[i], strlen(word)) == 0;
    int distance = prefix ? 0 : edit_distance(word, names[i]);
    if (distance <= best && (!nearest || distance < best)) {
      best = distance;
      nearest = names[i];
    }
  }
  return nearest;
}

/* -------------------------------------------------------------------------------------- help -- */

void options_wrap(const char *text, int indent, int column)
{
  bool fresh = true; /* nothing stands on this line yet */
  while (*text) {
    if (*text == '\n') {
      printf("\n%*s", indent, "");
      column = indent;
      fresh = true;
      ++text;
      continue;
    }
    size_t length = strcspn(text, " \n");
    if (!fresh && column + 1 + (int)length > PAGE_WIDTH) {
      printf("\n%*s", indent, "");
      column = indent;
      fresh = true;
    }
    if (length > 0) {
      column += printf("%s%.*s", fresh ? "" : " ", (int)length, text);
      fresh = false;
    }
    text += length;
    text += *text == ' ';
  }
  printf("\n");
}

/* The i-th word of an option, from 0; NULL after the last. */
static const char *word_of(const option *o, int i)
{
  if (o->words) return o->words[i];
  if (!o->before) return pl_word(o->kind_of, i);
  return i ? pl_word(o->kind_of, i - 1) : o->before;
}

static bool is_offered(const option *o, const char *word)
{
  size_t length = strlen(word);
  for (const char *at = o->omit; at && *at; at += strcspn(at, " "), at += strspn(at, " "))
    if (strcspn(at, " ") == length && strncmp(at, word, length) == 0) return false;
  return true;
}

static void print_option(const option *o)
{
  if (!o->help) return;
  int column = printf("  --%s", o->name);
  if (o->letter) column += printf(", -%c", o->letter);
  if (o->kind == OPTION_WORD) {
    for (int i = 0; word_of(o, i); ++i)
      if (is_offered(o, word_of(o, i))) column += printf("%s%s", i ? "|" : " ", word_of(o, i));
  } else if (o->kind != OPTION_FLAG) {
    column += printf(" %s", o->value);
  }
  if (column + 1 > HELP_COLUMN) {
    printf("\n");
    column = 0;
  }
  printf("%*s", HELP_COLUMN - column, "");
  options_wrap(o->help, HELP_COLUMN, HELP_COLUMN);
}

static int print_help(const command_text *text, const option_group *groups, size_t group_count)
{
  printf("usage: ");
  for (const char *c = text->usage; *c; ++c) {
    putchar(*c);
    if (*c == '\n') printf("       ");
  }
  printf("\n\n");
  options_wrap(text->about, 0, 0);
  for (size_t g = 0; g < group_count; ++g) {
    if (groups[g].title) printf("\n%s:\n", groups[g].title);
    for (size_t i = 0; i < groups[g].count; ++i) print_option(&groups[g].options[i]);
  }
  printf("\nExamples:\n%s", text->examples);
  return output_finish() ? EXIT_DONE : EXIT_ERROR;
}

int options_refuse(const char *command, const char *format, ...)
{
  char line[512];
  va_list list;
  va_start(list, format);
  vsnprintf(line, sizeof line, format, list);
  va_end(list);
  output_complain("%s%s%s (see pliant %s%s--help)", command ? command : "", command ? ": " : "", line,
                  command ? command : "", command ? " " : "");
  return EXIT_USAGE;
}

/* ------------------------------------------------------------------------------------ values -- */

static int refuse_word(const command_text *text, const option *o, const char *value)
{
  char list[256] = "";
  size_t count = 0, used = 0;
  const char *words[MOST_WORDS];
  for (; count < MOST_WORDS && (words[count] = word_of(o, (int)count)); ++count) {
    if (!is_offered(o, words[count])) continue;
    int n = snprintf(list + used, sizeof list - used, "%s%s", count ? ", " : "", words[count]);
    if (n > 0 && used + (size_t)n < sizeof list) used += (size_t)n;
  }
  const char *nearest = options_nearest(value, words, count);
  return options_refuse(text->name, "--%s %s: there are %s%s%s%s", o->name, value, list,
                        nearest ? "; did you mean " : "", nearest ? nearest : "", nearest ? "?" : "");
}

static int set_whole(const command_text *text, const option *o, const char *value, int *target)
{
  char *end = NULL;
  errno = 0;
  long number = strtol(value, &end, 10);
  bool whole = end != value && *end == '\0' && errno == 0 && !isspace((unsigned char)value[0]);
  if (!whole || (double)number < o->low || (double)number > o->high)
    return options_refuse(text->name, "--%s %s: give a whole number from %.0f to %.0f", o->name, value, o->low,
                          o->high);
  *target = (int)number;
  return OPTIONS_GO_ON;
}

static int set_real(const command_text *text, const option *o, const char *value, double *target)
{
  char *end = NULL;
  double number = strtod(value, &end);
  bool good = end != value && *end == '\0' && isfinite(number) && !isspace((unsigned char)value[0]);
  if (!good || number < o->low || number > o->high)
    return options_refuse(text->name, "--%s %s: give a number from %g to %g", o->name, value, o->low, o->high);
  *target = number;
  return OPTIONS_GO_ON;
}

static int add_value(const command_text *text, const option *o, const char *value, text_list *list)
{
  if (value[0] == '\0') return options_refuse(text->name, "--%s: an empty value", o->name);
  if (list->count == OPTIONS_MOST_VALUES)
    return options_refuse(text->name, "--%s was given more than %d times", o->name, OPTIONS_MOST_VALUES);
  list->values[list->count++] = value;
  return OPTIONS_GO_ON;
}

static int set_value(const command_text *text, const option *o, const char *value, void *target)
{
  void *member = (char *)target + o->offset;
  switch (o->kind) {
  case OPTION_FLAG:
    *(bool *)member = true;
    return OPTIONS_GO_ON;
  case OPTION_WORD:
    for (int i = 0; word_of(o, i); ++i)
      if (strcmp(word_of(o, i), value) == 0) {
        *(int *)member = i;
        return OPTIONS_GO_ON;
      }
    return refuse_word(text, o, value);
  case OPTION_WHOLE:
    return set_whole(text, o, value, member);
  case OPTION_REAL:
    return set_real(text, o, value, member);
  case OPTION_TEXT:
    if (value[0] == '\0') return options_refuse(text->name, "--%s: an empty value", o->name);
    *(const char **)member = value;
    return OPTIONS_GO_ON;
  case OPTION_LIST:
    return add_value(text, o, value, member);
  case OPTION_INPUT: /* kept by the caller */
    break;
  }
  return OPTIONS_GO_ON;
}

/* ----------------------------------------------------------------------------------- parsing -- */

static const option *find_option(const option_group *groups, size_t group_count, const char *name, size_t length,
                                 void **target)
{
  for (size_t g = 0; g < group_count; ++g)
    for (size_t i = 0; i < groups[g].count; ++i) {
      const option *o = &groups[g].options[i];
      if (strlen(o->name) != length || strncmp(o->name, name, length) != 0) continue;
      *target = groups[g].target;
      return o;
    }
  return NULL;
}

static const option *find_letter(const option_group *groups, size_t group_count, char letter, void **target)
{
  for (size_t g = 0; g < group_count; ++g)
    for (size_t i = 0; i < groups[g].count; ++i)
      if (groups[g].options[i].letter == letter) {
        *target = groups[g].target;
        return &groups[g].options[i];
      }
  return NULL;
}

static int refuse_option(const command_text *text, const option_group *groups, size_t group_count, const char *word,
                         size_t length)
{
  const char *names[NAME_MAX_COUNT];
  size_t count = 0;
  for (size_t g = 0; g < group_count; ++g)
    for (size_t i = 0; i < groups[g].count && count < NAME_MAX_COUNT; ++i) names[count++] = groups[g].options[i].name;
  char bare[WORD_MAX];
  snprintf(bare, sizeof bare, "%.*s", (int)(length < WORD_MAX ? length : WORD_MAX - 1), word);
  if (strcmp(bare, "shard") == 0 || strcmp(bare, "mpi") == 0) /* other commands have them: no typo */
    return options_refuse(text->name, "there is no option --%s: this command is not divided %s", bare,
                          *bare == 's' ? "into parts" : "among ranks");
  const char *nearest = options_nearest(bare, names, count);
  if (nearest) return options_refuse(text->name, "there is no option --%s; did you mean --%s?", bare, nearest);
  return options_refuse(text->name, "there is no option --%s", bare);
}

/* A line that is being taken apart. */
typedef struct parser {
  const command_text *text;
  const option_group *groups;
  size_t group_count;
  int argc;
  char **argv;
  arguments *out;
} parser;

static int keep_mark(const parser *p, const option *o, const char *value)
{
  arguments *out = p->out;
  if (out->count == 0)
    return options_refuse(p->text->name, "--%s stands before every file: put it behind the file that it belongs to",
                          o->name);
  if (out->mark_count == OPTIONS_MOST_VALUES)
    return options_refuse(p->text->name, "more than %d options of single files", OPTIONS_MOST_VALUES);
  out->marks[out->mark_count++] = (argument_mark){o, value, out->count - 1};
  return OPTIONS_GO_ON;
}

/* A number may begin with a dash; everything else that does is an option. */
static bool is_value(const option *o, const char *word)
{
  bool number = o->kind == OPTION_REAL || o->kind == OPTION_WHOLE || o->kind == OPTION_INPUT;
  return strncmp(word, "--", 2) != 0 || (number && word[2] >= '0' && word[2] <= '9');
}

/* `value`: NULL, or what stands in the same word. */
static int take_option(const parser *p, const option *o, void *target, const char *value, int *i)
{
  if (o->kind == OPTION_FLAG) {
    if (value) return options_refuse(p->text->name, "--%s takes no value", o->name);
  } else if (!value) {
    if (*i + 1 >= p->argc || !is_value(o, p->argv[*i + 1]))
      return options_refuse(p->text->name, "--%s needs a value", o->name);
    value = p->argv[++*i];
  }
  if (p->out->divider >= 0 && o->kind != OPTION_INPUT)
    return options_refuse(p->text->name, "--%s stands after --, where only files are; put options first", o->name);
  return o->kind == OPTION_INPUT ? keep_mark(p, o, value) : set_value(p->text, o, value, target);
}

static int take_long(const parser *p, int *i)
{
  const char *name = p->argv[*i] + 2;
  size_t length = strcspn(name, "=");
  void *target = NULL;
  const option *o = find_option(p->groups, p->group_count, name, length, &target);
  if (!o) return refuse_option(p->text, p->groups, p->group_count, name, length);
  return take_option(p, o, target, name[length] == '=' ? name + length + 1 : NULL, i);
}

/* -n value, -nvalue; letters are not joined. */
static int take_short(const parser *p, int *i)
{
  const char *word = p->argv[*i];
  void *target = NULL;
  const option *o = find_letter(p->groups, p->group_count, word[1], &target);
  if (!o || (o->kind == OPTION_FLAG && word[2]))
    return options_refuse(p->text->name, "there is no option %s; a file of that name is ./%s", word, word);
  return take_option(p, o, target, word[2] ? word + 2 + (word[2] == '=') : NULL, i);
}

static bool asks_for_help(int argc, char **argv)
{
  for (int i = 1; i < argc && strcmp(argv[i], "--") != 0; ++i)
    if (strcmp(argv[i], "--help") == 0 || strcmp(argv[i], "-h") == 0) return true;
  return false;
}

static int add_divider(const parser *p)
{
  arguments *out = p->out;
  if (out->divider_count == OPTIONS_MOST_VALUES)
    return options_refuse(p->text->name, "more than %d times --", OPTIONS_MOST_VALUES);
  if (out->divider < 0) out->divider = out->count;
  out->dividers[out->divider_count++] = out->count;
  return OPTIONS_GO_ON;
}

int options_parse(const command_text *text, const option_group *groups, size_t group_count, int argc, char **argv,
                  arguments *out)
{
  *out = (arguments){.values = argv, .count = 0, .divider = -1};
  if (asks_for_help(argc, argv)) return print_help(text, groups, group_count);
  const parser p = {text, groups, group_count, argc, argv, out};
  for (int i = 1; i < argc; ++i) {
    char *word = argv[i];
    int code = OPTIONS_GO_ON;
    if (strcmp(word, "--") == 0)
      code = add_divider(&p);
    else if (strncmp(word, "--", 2) == 0)
      code = take_long(&p, &i);
    else if (word[0] == '-' && word[1] != '\0' && out->divider < 0)
      code = take_short(&p, &i);
    else
      out->values[out->count++] = word;
    if (code != OPTIONS_GO_ON) return code;
  }
  return OPTIONS_GO_ON;
}
