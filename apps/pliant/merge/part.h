/* A part that `pliant ... --shard` has written, read back; common/shard.h has the format. Lines
 * of frames stay in the file. */
#ifndef PART_H
#define PART_H

#include "common/shard.h"

#include <stdio.h>

enum { PART_COMMAND = 32, PART_WHY = 200 };

typedef enum part_state {
  PART_WHOLE,
  PART_NONE,   /* not a part, or nothing of one */
  PART_BROKEN, /* its head is there; what follows is incomplete or damaged */
} part_state;

/* Lines of the output, where they are in the file. */
typedef struct part_text {
  long offset;
  size_t size;
} part_text;

typedef struct part {
  const char *path;
  FILE *file; /* open until part_close() */
  part_state state;
  char why[PART_WHY]; /* not PART_WHOLE: what is wrong, for people */
  char command[PART_COMMAND];
  size_t index, count;         /* from 1 */
  uint64_t key, words_key;     /* equal in parts of one run */
  size_t begin, end, whole[2]; /* frames: of this part and of the run */
  char **words;                /* the command line, without --shard */
  size_t word_count, word_room;
  part_text *texts;
  size_t text_count, text_room;
  shard_record *records; /* of each frame; it owns `kept` */
  size_t record_count, record_room;
  char *kept; /* of the frame to come */
  shard_pair *pairs;
  size_t pair_count, pair_room;
  int code;          /* of the shard */
  bool wants_replay; /* for a report or a plot */
} part;

/* Reads and checks a part; out->state says what came of it. Close it in any case. */
void part_read(const char *path, part *out);
void part_close(part *p);

/* Copies its lines to stdout. false: it could not be read again, and stderr says so. */
bool part_copy(const part *p);

#endif
