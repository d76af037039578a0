/* Which part of how many this process is. */
#ifndef SHARD_PLACE_H
#define SHARD_PLACE_H

#include <stdbool.h>
#include <stddef.h>

typedef struct shard_place {
  size_t index, count; /* index from 0 */
} shard_place;

enum { SHARD_PLACE_TEXT = 300 };

/* "2/7", from 1; or "auto": PLIANT_SHARD (2/7), as templates of Open Job Description set it; or the
 * task of a Slurm array or a frame of OpenCue, the rank of an MPI process or a task of srun, or
 * both: then each task is divided among its ranks. false: `why` says what is wrong. */
bool shard_place_find(const char *text, shard_place *out, char why[SHARD_PLACE_TEXT]);

#endif
