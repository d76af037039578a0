/* Pictures through gnuplot, where it is installed. */
#ifndef IO_GNUPLOT_H
#define IO_GNUPLOT_H

#include <stdio.h>

enum { IO_GNUPLOT_MISSING = 127 };

/* Runs gnuplot, none of whose habits come from files, and writes what it prints to `out`:
 * whether that reaches the disk is for the owner of `out` to see, since gnuplot itself may end
 * well on a full disk.
 *   folder  where it runs; NULL: here
 *   script  a file in that folder; NULL: `input`
 *   input   the script where there is no file of it, from its start
 * Returns its exit code, or IO_GNUPLOT_MISSING. What it has to say on stderr goes nowhere. */
int io_gnuplot(const char *folder, const char *script, FILE *input, FILE *out);

#endif
