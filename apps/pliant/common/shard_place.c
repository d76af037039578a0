#include "common/shard_place.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_SHARDS = 1000000 };

static bool take_number(const char **text, size_t *out)
{
  char *end;
  if (**text < '0' || **text > '9') return false;
  errno = 0;
  unsigned long long number = strtoull(*text, &end, 10);
  *out = (size_t)number;
  *text = end;
  return !errno && number <= MOST_SHARDS;
}

static bool parse(const char *text, shard_place *out)
{
  size_t index, count;
  if (!take_number(&text, &index) || *text++ != '/' || !take_number(&text, &count) || *text) return false;
  if (index < 1 || index > count) return false;
  *out = (shard_place){index - 1, count};
  return true;
}

static bool number_of(const char *name, size_t *out)
{
  const char *text = getenv(name);
  return text && take_number(&text, out) && !*text;
}

/* 1: it is one. 0: it is none. -1: it has gaps. */
static int find_array(shard_place *out)
{
  size_t id, least = 0, most, count, step = 1;
  if (!number_of("SLURM_ARRAY_TASK_ID", &id) || !number_of("SLURM_ARRAY_TASK_COUNT", &count)) return 0;
  number_of("SLURM_ARRAY_TASK_MIN", &least);
  if (!number_of("SLURM_ARRAY_TASK_STEP", &step) || step == 0) step = 1;
  if (!number_of("SLURM_ARRAY_TASK_MAX", &most)) most = least + (count - 1) * step;
  if (id < least || id > most || (id - least) % step || (most - least) / step + 1 != count) return -1;
  *out = (shard_place){(id - least) / step, count};
  return 1;
}

/* A frame of OpenCue, whose layer has the range FIRST-LAST. 1, 0 or -1 as above. */
static int find_cue(shard_place *out)
{
  size_t frame, first, last;
  const char *range = getenv("CUE_RANGE");
  if (!range || !number_of("CUE_IFRAME", &frame)) return 0;
  bool plain = take_number(&range, &first) && *range++ == '-' && take_number(&range, &last) && !*range;
  if (!plain || frame < first || frame > last) return -1;
  *out = (shard_place){frame - first, last - first + 1};
  return 1;
}

static bool find_rank(shard_place *out)
{
  static const char *const names[][2] = {{"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"},
                                         {"PMI_RANK", "PMI_SIZE"},
                                         {"SLURM_PROCID", "SLURM_STEP_NUM_TASKS"}}; /* of srun */
  for (int i = 0; i < 3; ++i) {
    shard_place p;
    if (!number_of(names[i][0], &p.index) || !number_of(names[i][1], &p.count) || p.index >= p.count) continue;
    *out = p;
    return true;
  }
  return false;
}

static bool find_auto(shard_place *out, char why[SHARD_PLACE_TEXT])
{
  const char *own = getenv("PLIANT_SHARD");
  if (own) {
    snprintf(why, SHARD_PLACE_TEXT, "PLIANT_SHARD is %.40s: it must be a part and the number of parts, as in 2/7", own);
    return parse(own, out);
  }
  shard_place task = {0, 1}, rank = {0, 1};
  int array = find_array(&task), cue = array ? 0 : find_cue(&task);
  bool ranks = find_rank(&rank);
  if (array < 0 || cue < 0) {
    snprintf(why, SHARD_PLACE_TEXT, "--shard auto: %s have gaps; use --shard I/N",
             cue ? "the frames of CUE_RANGE" : "the tasks of the Slurm array");
    return false;
  }
  if (!array && !cue && !ranks) {
    snprintf(why, SHARD_PLACE_TEXT,
             "--shard auto: neither PLIANT_SHARD nor the variables of a Slurm array (SLURM_ARRAY_TASK_ID), of OpenCue "
             "(CUE_IFRAME) or of MPI (OMPI_COMM_WORLD_RANK, PMI_RANK) are set; use --shard I/N");
    return false;
  }
  *out = (shard_place){task.index * rank.count + rank.index, task.count * rank.count};
  return true;
}

bool shard_place_find(const char *text, shard_place *out, char why[SHARD_PLACE_TEXT])
{
  if (strcmp(text, "auto") == 0) return find_auto(out, why);
  snprintf(why, SHARD_PLACE_TEXT, "--shard %.60s: give a part and the number of parts, as in 2/7, or auto", text);
  return parse(text, out);
}
