/* Words of the lines that records, logs and baselines are made of. */
#include "check/check.h"
#include "common/output.h"
#include "common/shard_text.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

void check_put_text(FILE *file, const char *text)
{
  fputs(" =", file);
  shard_put_escaped(file, text);
}

void check_put_real(FILE *file, double value)
{
  char text[OUTPUT_NUMBER_SIZE];
  fprintf(file, " %s", output_number(value, text));
}

void check_put_whole(FILE *file, uint64_t value) { fprintf(file, " %" PRIu64, value); }

/* Cuts the next word off. NULL: there is none. */
static char *next_word(char **at)
{
  char *word = *at + strspn(*at, " ");
  if (!*word) return NULL;
  *at = word + strcspn(word, " ");
  if (**at) *(*at)++ = '\0';
  return word;
}

bool check_take_word(char **at, const char *word)
{
  char *line = *at + strspn(*at, " ");
  size_t length = strlen(word);
  if (strncmp(line, word, length) != 0 || (line[length] != ' ' && line[length])) return false;
  *at = line + length;
  return true;
}

bool check_take_text(char **at, char **out)
{
  char *word = next_word(at);
  if (!word || *word != '=') return false;
  shard_take_word(word + 1);
  free(*out);
  *out = strdup(word + 1);
  return *out != NULL;
}

bool check_take_real(char **at, double *out)
{
  char *word = next_word(at), *end;
  if (!word) return false;
  *out = strtod(word, &end);
  return end != word && !*end;
}

bool check_take_whole(char **at, size_t *out)
{
  char *word = next_word(at), *end;
  if (!word || *word < '0' || *word > '9') return false;
  *out = (size_t)strtoull(word, &end, 10);
  return !*end;
}
