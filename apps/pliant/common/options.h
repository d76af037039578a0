/* Options of a sub-command as a table: parsing, checking and --help all come from it. */
#ifndef OPTIONS_H
#define OPTIONS_H

#include "pliant/base.h"

#include <stdbool.h>
#include <stddef.h>

/* What an option writes at its offset in the target of its group. */
typedef enum option_kind {
  OPTION_FLAG,  /* bool: true */
  OPTION_WORD,  /* int: index in `words` */
  OPTION_WHOLE, /* int in [low, high] */
  OPTION_REAL,  /* double in [low, high] */
  OPTION_TEXT,  /* const char *: points into argv */
  OPTION_LIST,  /* text_list: every value of an option that may be repeated */
  OPTION_INPUT  /* nothing: it belongs to the file before it, and is kept in arguments.marks */
} option_kind;

enum { OPTIONS_MOST_VALUES = 256 }; /* of one list, marks, dividers */

typedef struct text_list {
  const char *values[OPTIONS_MOST_VALUES]; /* in argv */
  int count;
} text_list;

typedef struct option {
  const char *name; /* without the dashes */
  char letter;      /* -n is the same as --name; 0: it has none */
  option_kind kind;
  size_t offset;     /* of the member that is set */
  const char *value; /* what --help calls the value; words are listed instead */
  /* one sentence, wrapped by --help; NULL: an older name, which is still taken and not shown */
  const char *help;
  double low, high;
  const char *const *words; /* NULL-ended; NULL: those of the library that `kind_of` names */
  pl_words kind_of;
  const char *before; /* one more word before those of the library; NULL: none */
  /* words, with spaces between: taken but not offered, as they rarely fit; NULL: none */
  const char *omit;
} option;

/* Options that belong together in --help, and the struct that they fill; it holds the defaults
 * before. */
typedef struct option_group {
  const char *title; /* NULL: goes on with the group before */
  const option *options;
  size_t count;
  void *target;
} option_group;

typedef struct command_text {
  const char *name;
  const char *usage;    /* lines after "usage: ", each but the first indented by the printer */
  const char *about;    /* paragraphs, wrapped by the printer */
  const char *examples; /* printed as it is */
} command_text;

/* An option of one file: --translate and the like. */
typedef struct argument_mark {
  const option *option;
  const char *value;
  int file; /* the number of the file that it follows */
} argument_mark;

/* What is left when the options are taken away. */
typedef struct arguments {
  char **values; /* in argv */
  int count;
  int divider;                                      /* how many stand before the first "--"; -1: there was none */
  int dividers[OPTIONS_MOST_VALUES], divider_count; /* all of them */
  argument_mark marks[OPTIONS_MOST_VALUES];
  int mark_count;
} arguments;

#define OPTION_COUNT(table) (sizeof(table) / sizeof *(table))

enum { OPTIONS_GO_ON = -1 };

/* Fills the groups' targets and `out` (argv is reordered). OPTIONS_GO_ON, or an exit code: help
 * was asked for and printed, or the line is wrong and stderr says how. */
int options_parse(const command_text *text, const option_group *groups, size_t group_count, int argc, char **argv,
                  arguments *out);

/* Of `count` names the one that `word` was probably meant to be, or NULL. */
const char *options_nearest(const char *word, const char *const *names, size_t count);

/* A usage error of a sub-command: one line, and where help is. Returns EXIT_USAGE. */
int options_refuse(const char *command, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Text wrapped at the width of a page, `indent` blanks before every line but the first (which
 * begins at column `column`). */
void options_wrap(const char *text, int indent, int column);

#endif
