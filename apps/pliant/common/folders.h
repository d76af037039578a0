#ifndef FOLDERS_H
#define FOLDERS_H

#include <stdbool.h>

/* Makes a directory and those above it that are missing. false: stderr says why. */
bool make_directories(const char *path);
/* Returns whether make_directories() will do, by permissions. false: stderr says why. */
bool may_make_directories(const char *path);

#endif
