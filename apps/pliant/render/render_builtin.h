/* The names of the built-in scenes. */
#ifndef RENDER_BUILTIN_H
#define RENDER_BUILTIN_H

#include <stdbool.h>

typedef struct render_scene render_scene;

/* OPTIONS_GO_ON, or a usage error that tells which there are. */
int render_builtin_refuse(const char *name);

/* Returns whether its bodies morph. */
bool render_builtin_morphs(const char *name);

#endif
