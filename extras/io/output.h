/* Inside io: a file that is written whole or not at all. The bytes go to a temporary file in the
 * same folder, which takes the place of an older file of that name only when all of them have
 * reached the disk. */
#ifndef IO_OUTPUT_H
#define IO_OUTPUT_H

#include "io/io.h"

#include <stdio.h>

typedef struct io_output {
  FILE *file;       /* open for writing */
  const char *path; /* as the user names it; the caller keeps it until io_output_close() */
  /* the file to replace, links followed; NULL: a device, pipe or stdout, written in place */
  char *target;
  char *temporary; /* where the bytes are until then, with the same ending; NULL as above */
} io_output;

/* Begins to write `path`. false: the error is set, and there is nothing to close. A link that
 * leads nowhere, and an older file that may not be written, are refused. */
bool io_output_open(io_output *o, const char *path, io_error *error);

/* Where the bytes are until io_output_close(): for programs that write them for us. */
const char *io_output_place(const io_output *o);

/* Finishes. When `ok` is false, or not everything reached the disk, the temporary file is
 * removed, an older file of that name stays, and the result is false. An error that was set
 * before is kept. */
bool io_output_close(io_output *o, bool ok, io_error *error);

/* Removes the temporary files of all open outputs; they can then no longer be finished. For
 * signal handlers: safe there. */
void io_output_remove_all(void);

/* Leaves the open outputs to the process that this one was forked from: neither of the two
 * functions above removes them here. */
void io_output_leave_all(void);

#endif
