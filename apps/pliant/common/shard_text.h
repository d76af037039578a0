/* Words of a command line as words of a part: without blanks and control characters. */
#ifndef SHARD_TEXT_H
#define SHARD_TEXT_H

#include <stdio.h>

/* The word alone: blanks, control characters and "%" become "%20" and so on. */
void shard_put_escaped(FILE *file, const char *word);

/* "#pliant word ...", a line. */
void shard_put_word(FILE *file, const char *word);

/* Turns what shard_put_word() wrote back into the word, in place. */
void shard_take_word(char *text);

#endif
