/* The options of the commands that ask a question in every frame, of two meshes or of a glTF scene: collide and distance. */
#ifndef PLAY_OPTIONS_H
#define PLAY_OPTIONS_H

#include "sides.h"
#include "tree_options.h"

typedef struct play_options {
  bool json, csv, list, check, rounded;
  int threads;
  double budget_ms;
  double fps;                    /* these three are for glTF scenes; 0: not given */
  const char *animation, *scene; /* NULL: not given */
  bool allow_outside;            /* buffers of a glTF scene */
  tree_options tree;
} play_options;

play_options play_options_default(void);

/* A paragraph of --help. */
#define PLAY_ABOUT_FILES                                                                                               \
  "A and B are each a mesh file (OBJ, PLY, STL, OFF and more) or a numbered sequence of files with the same "          \
  "topology: a directory, "                                                                                            \
  "a pattern in quotes ('cloth_*.obj', 'cloth_%04d.obj'), or all files by name, those of A before a -- and those of "  \
  "B after it. A "                                                                                                     \
  "single file stands still against a sequence; two sequences end with the shorter.\n\n"

/* What a command adds of its own. Its table of output has --json, --csv and --list, that of the query --budget-ms, in its own words. */
typedef struct play_tables {
  const option *output, *query, *scene;
  size_t output_count, query_count, scene_count;
  void *target;
} play_tables;

/* A glTF scene, or two lists of mesh files. */
typedef struct play_source {
  const char *scene; /* NULL: files */
  file_lists lists;
} play_source;

/* Parses the line and finds the source. OPTIONS_GO_ON, or an exit code. */
int play_options_parse(play_options *o, const command_text *text, const play_tables *own, int argc, char **argv,
                       arguments *files);
int play_options_source(const play_options *o, const char *command, const arguments *files, play_source *out);

/* --name has no meaning for the source: returns EXIT_USAGE. */
int play_refuse_files(const char *command, const char *name); /* a glTF scene is wanted */
int play_refuse_scene(const char *command, const char *name, const char *why);

#endif
