/* The options of the commands that ask a question in every frame, of two meshes or of many
 * bodies: collide and distance. */
#ifndef PLAY_OPTIONS_H
#define PLAY_OPTIONS_H

#include "common/pair_choice.h"
#include "common/stage.h"
#include "common/tree_options.h"

typedef struct play_options {
  bool json, csv, list, check;
  int threads;
  double budget_ms;
  const char *out, *report; /* NULL: not given */
  stage_options stage;
  pair_choice_options choice;
  tree_options tree;
} play_options;

play_options play_options_default(void);

/* A paragraph of --help. */
#define PLAY_ABOUT_FILES                                                                                               \
  "A and B are each a mesh file (OBJ, PLY, STL, OFF and more) or a numbered sequence of files with the same "          \
  "topology: a directory, "                                                                                            \
  "a pattern in quotes ('cloth_*.obj', 'cloth_%04d.obj'), or all files by name, those of A before a -- and those of "  \
  "B after it. A "                                                                                                     \
  "single file does not move; the shortest sequence determines the number of frames. With more "                       \
  "than two files, or a "                                                                                              \
  "glTF scene, every file or node is a body; all are tested against all.\n\n"

/* What a command adds of its own. Its table of output has --json, --csv and --list, that of the
 * query --budget-ms, in its own words. */
typedef struct play_tables {
  const option *output, *query, *scene;
  size_t output_count, query_count, scene_count;
  void *target;
} play_tables;

/* Parses the line and finds the inputs. OPTIONS_GO_ON, or an exit code. */
int play_options_parse(play_options *o, const command_text *text, const play_tables *own, int argc, char **argv,
                       input_list *inputs);

/* Returns whether the inputs are many bodies rather than just A and B. */
bool play_is_scene(const play_options *o, const input_list *inputs);

/* How the stage is to be opened. */
stage_def play_stage_def(const play_options *o);

/* --name has no meaning for the source: returns EXIT_USAGE. */
int play_refuse_files(const char *command, const char *name); /* a glTF scene is wanted */
int play_refuse_scene(const char *command, const char *name, const char *why);

#endif
