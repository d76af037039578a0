/* A file that appears under its name only when it is whole: written beside it under a name of our own, then renamed. */
#ifndef BESIDE_H
#define BESIDE_H

#include <stdbool.h>

enum { BESIDE_SIZE = 4200 };

typedef struct beside {
  char path[BESIDE_SIZE]; /* in the folder of the file to be; "": none */
  int file;               /* open for writing, or -1 */
} beside;

/* Makes a new file, with letters and digits that nobody can foresee. false: errno says why, and there is nothing to close. */
bool beside_open(beside *b, const char *path);

/* Closes it; renames it to `path` where `keep` is true, else takes it away, as it does where the renaming fails. false: it could
 * not be kept, and errno says why. */
bool beside_close(beside *b, const char *path, bool keep);

#endif
