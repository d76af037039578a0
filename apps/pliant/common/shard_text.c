#include "common/shard_text.h"

#include <stdlib.h>

void shard_put_escaped(FILE *file, const char *word)
{
  for (const unsigned char *c = (const unsigned char *)word; *c; ++c) {
    if (*c <= 32 || *c == 127 || *c == '%')
      fprintf(file, "%%%02x", *c);
    else
      fputc(*c, file);
  }
}

void shard_put_word(FILE *file, const char *word)
{
  fputs("#pliant word ", file);
  shard_put_escaped(file, word);
  fputc('\n', file);
}

void shard_take_word(char *text)
{
  char *to = text;
  for (const char *from = text; *from; ++from) {
    if (*from == '%' && from[1] && from[2]) {
      char digits[3] = {from[1], from[2], '\0'};
      *to++ = (char)strtol(digits, NULL, 16);
      from += 2;
    } else {
      *to++ = *from;
    }
  }
  *to = '\0';
}
