/* Inside io: a file that is written whole or not at all. */
#ifndef IO_OUTPUT_H
#define IO_OUTPUT_H

#include "io/io.h"

#include <stdio.h>

/* NULL: the error is set. */
FILE *io_output_open(const char *path, io_error *error);

/* Closes; when `ok` is false or not everything reached the disk, takes the file away again (if it is a regular one) and
 * returns false. The error is kept if it was set already. */
bool io_output_close(FILE *file, const char *path, bool ok, io_error *error);

#endif
