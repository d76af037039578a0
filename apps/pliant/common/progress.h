/* A progress bar on stderr, for people only. */
#ifndef PROGRESS_H
#define PROGRESS_H

#include <stdbool.h>
#include <stddef.h>

typedef struct progress {
  const char *what; /* "frames" */
  size_t total;
  double part;         /* of what is not done yet; 0 */
  size_t frames;       /* also shown, if not 0 */
  double begun, drawn; /* ms */
  bool possible;       /* stderr is a terminal */
  bool visible;        /* a bar stands on the line */
} progress;

/* Wall time in milliseconds from an arbitrary start. */
double progress_clock(void);

/* quiet: never draw, because stdout writes to the same terminal line by line. */
progress progress_begin(const char *what, size_t total, bool quiet);
void progress_step(progress *p, size_t done);
void progress_end(progress *p); /* takes the bar away */

#endif
