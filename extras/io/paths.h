/* Inside io: how a sequence's list of paths comes about. Every function that fails leaves the
 * list empty. */
#ifndef IO_PATHS_H
#define IO_PATHS_H

#include "io/reader.h"

#include <dirent.h>

/* Takes over `path`; a NULL path, or no room for it, is out of memory: false. */
bool io_paths_add(io_sequence *list, char *path);

/* What a path of a sequence leads to. A link that leads nowhere is a frame that is missing: it
 * is never passed over. */
typedef enum io_target { IO_TARGET_FILE, IO_TARGET_NOWHERE, IO_TARGET_OTHER } io_target;
io_target io_look(const char *path);

/* Fails for the first path of the list that is a link without a target; then the list is empty. */
bool io_paths_check(io_sequence *list, io_error *error);

/* The next entry, or NULL: at the end, or with *number set to what went wrong. A list cut short
 * must not pass for whole. */
const char *io_next_entry(DIR *directory, int *number);

/* Whether a file's name has the ending of a mesh: those that we read, that assimp may read, and
 * that nobody here reads. */
bool io_is_mesh_name(const char *path);

/* The first folder inside a directory, by name, that has mesh files in it or below it; NULL:
 * there is none. To be freed. Links to folders are looked into, but not those below them. */
char *io_inner_folder(const char *directory);

/* All files that a pattern with *, ? and [...] names, in any order. */
bool io_expand_glob(const char *pattern, io_sequence *out, io_error *error);

/* The files that a pattern with one %d or %0Nd names, by number; with IO_GAPS_STOP until one is
 * missing. */
bool io_expand_numbered(const char *pattern, io_gaps gaps, io_sequence *out, io_error *error);

/* The last run of digits in a file's name before its ending; *length 0: there is none. */
const char *io_last_number(const char *path, size_t *length);

#endif
