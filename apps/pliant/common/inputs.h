/* The inputs of a command line: each is a mesh file, a sequence of them or a glTF scene, moved
 * as its options say. */
#ifndef INPUTS_H
#define INPUTS_H

#include "common/options.h"
#include "io/io.h"
#include "pliant/body.h"

typedef struct input_def {
  /* in the list's; one (a file, a directory, a pattern), or the files of a sequence */
  char **names;
  int count;
  bool is_gltf;
  bool is_placed;     /* `place` is not the identity */
  pl_transform place; /* world = place * what the file has */
} input_def;

typedef struct input_list {
  input_def values[OPTIONS_MOST_VALUES];
  int count;
  io_sequence names; /* all files */
} input_list;

/* Empties it; an empty one is allowed. Its names must no longer be in use. */
void inputs_free(input_list *inputs);

/* Adds what a name of the command line stands for: a directory or a pattern of glTF scenes is
 * these scenes, as if each were named; any other name, a sequence of mesh files among them, is
 * itself. false: stderr says why; a directory or a pattern has nothing, or scenes and other
 * meshes. */
bool inputs_add_names(const char *name, io_sequence *out);

/* All functions below do that first. Free `out` also when they fail. */

/* --translate, --rotate, --scale: options of the file before them. */
option_group inputs_group(void);

/* Divides the files into inputs: at every --; without one, each file is an input. Two or more
 * neighbours whose names differ in numbers only would be frames as well as bodies: among more
 * than two files they are refused. `wanted`: what a command takes, for its complaint; `least`:
 * so many inputs, or a glTF scene. OPTIONS_GO_ON, or an exit code. */
int inputs_find(const char *command, const char *wanted, int least, const arguments *files, input_list *out);

/* The same for a command that looks at each body alone: without a --, neighbours whose names
 * differ in numbers only are the frames of one input, and one input is enough. */
int inputs_find_frames(const char *command, const char *wanted, const arguments *files, input_list *out);

/* The same where all neighbours that are mesh files are the frames of one input. */
int inputs_find_mesh(const char *command, const char *wanted, const arguments *files, input_list *out);

/* The same where neighbours whose names differ in numbers only are always frames of one input. */
int inputs_find_runs(const char *command, const arguments *files, input_list *out);

bool inputs_have_gltf(const input_list *inputs);

/* place * inner, as a single transform in double. */
pl_transform inputs_compose(const pl_transform *place, const pl_transform *inner);

/* "1,2.5,-3", and what follows it. */
bool inputs_vector(const char *text, double out[3], const char **end);

#endif
