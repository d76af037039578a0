/* Words of a command line as words of a part: without blanks and control characters. */
#ifndef SHARD_TEXT_H
#define SHARD_TEXT_H

#include <stdio.h>

/* "#pliant word ...", a line. */
void shard_put_word(FILE *file, const char *word);

/* Turns what shard_put_word() wrote back into the word, in place. */
void shard_take_word(char *text);

#endif
