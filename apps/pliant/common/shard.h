/* --shard: a run divided among processes, on any number of machines. A shard plays a range of
 * the frames (or intervals, or pictures) and writes a part to stdout; `pliant merge` joins the
 * parts into the bytes that an undivided run with --no-costs writes.
 *
 *   shard_begin(...)                          which frames, and the head of the part
 *   for every frame: its lines on stdout, then shard_frame(...)
 *   return shard_end(code)                    a part without its end is incomplete, and `merge`
 *   says so
 *
 * A part is lines that begin with "#pliant" and, between them, the output of each frame with its
 * size and hash. `merge` of a run with a report or a plot runs the command once more with the
 * values of all frames (shard_replays()): it poses only the frames that the page shows. */
#ifndef SHARD_H
#define SHARD_H

#include "common/options.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Two bodies of a frame, for the report. */
typedef struct shard_pair {
  size_t a, b;
  double value;
  uint64_t look;
} shard_pair;

/* What the parts know of a frame beside its lines. */
typedef struct shard_record {
  size_t frame;
  double value;    /* as in report_frame() */
  double extra[3]; /* of impact: time, vertex_face, edge_edge */
  const shard_pair *pairs;
  size_t pair_count;
  const char *kept; /* as in shard_keep(), or NULL */
} shard_record;

/* Keeps the words of the command line, which parsing reorders. */
void shard_remember(int argc, char **argv);

/* --shard and --no-costs. */
option_group shard_group(void);

/* After parsing. lines: --json or --csv was given. OPTIONS_GO_ON, or an exit code. */
int shard_check(const char *command, bool lines);

/* An option whose result depends on the clock or on the frames before: with --shard it is
 * refused. given: it is in the line. */
int shard_refuse(const char *command, bool given, const char *name, const char *why);

#define SHARD_WHY_BUDGET "what a budget leaves out depends on the clock"

/* Times and counts of work are written; not with --no-costs and in shards. */
bool shard_costs(void);
bool shard_is_on(void);
bool shard_has_head(void); /* the first shard writes the names of columns for all */

/* Narrows [*begin, *end) to this shard's part of it and writes the head of the part. key: a hash
 * of the inputs; parts of one run have the same; a command that is run again for `merge` is
 * refused if it has another. Does nothing without --shard. false (here and below): stderr says
 * why. */
bool shard_begin(const char *command, uint64_t key, size_t *begin, size_t *end);

/* `merge` has to run the command again: for a report or a plot. */
void shard_want_replay(void);

/* Two bodies of the frame that is being answered, and the end of the frame: hands on what stdout
 * has got since the last one. */
void shard_pair_found(size_t a, size_t b, double value, uint64_t look);
void shard_keep(const char *text); /* any text that the command wants back; NULL: none */
bool shard_frame(size_t frame, double value, const double extra[3]);

/* The end of the part; code: of the run. Returns the exit code. */
int shard_end(int code);

/* For hashes of inputs: FNV-1a. Of a file: its name and size;
 * contents would have to be read by every shard. */
uint64_t shard_hash(uint64_t hash, const void *bytes, size_t size);
uint64_t shard_hash_file(uint64_t hash, const char *path);
#define SHARD_HASH_BEGIN 14695981039346656037u

/* ------------------------------------------------------------------------------------ replay -- */

/* The command is run again by `merge`: take the frames from here and play none. */
bool shard_replays(void);
bool shard_next(shard_record *out); /* false: all frames have been taken */

/* For `merge`: records of all parts in order, which stay where they are, and the inputs' key in
 * the parts. */
void shard_replay(const shard_record *records, size_t count, uint64_t key);

#endif
