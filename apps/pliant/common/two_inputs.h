/* The two meshes that a sub-command is about, from its command line: which files are A and which
 * are B. */
#ifndef TWO_INPUTS_H
#define TWO_INPUTS_H

#include "common/frames.h"
#include "common/options.h"

typedef struct file_lists {
  char **names[2];
  int count[2];
} file_lists;

/* OPTIONS_GO_ON, or an exit code: stderr says what is missing. wanted: "two meshes", and what
 * else the command takes. */
int two_inputs_divide(const char *command, const char *wanted, const arguments *files, file_lists *out);

/* Opens both. Two sequences end with the shorter: *shortened, and a note. false: stderr says
 * why; close both all the same. */
bool two_inputs_open(frames side[2], const file_lists *lists, bool rounded, size_t *frame_count, bool *shortened);

#endif
