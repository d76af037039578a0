/* What the command's fuzzers share: a failure, and what goes to stderr in between. */
#ifndef FUZZ_STDERR_H
#define FUZZ_STDERR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static inline void require(bool condition, const char *what)
{
  if (condition) return;
  fprintf(stderr, "broken: %s\n", what);
  abort();
}

static FILE *fuzz_stderr;
static char *fuzz_text;
static size_t fuzz_size;

static inline void listen_to_stderr(void)
{
  fuzz_stderr = stderr;
  stderr = open_memstream(&fuzz_text, &fuzz_size);
}

/* Nothing was said if all went well, else one line after "pliant: ", without control characters. */
static inline void check_stderr(bool good)
{
  fclose(stderr);
  stderr = fuzz_stderr;
  const char *end = fuzz_size ? fuzz_text + fuzz_size - 1 : NULL;
  require(good ? fuzz_size == 0 : end && *end == '\n', good ? "words without an error" : "an error without words");
  for (const char *p = fuzz_text; end && p < end; ++p)
    require((unsigned char)*p >= ' ' && *p != 127, "an error that is not one line, or orders a terminal about");
  require(good || strncmp(fuzz_text, "pliant: ", 8) == 0, "an error that does not say who complains");
  free(fuzz_text);
}

#endif
