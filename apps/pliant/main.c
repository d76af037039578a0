/* The command `pliant`: finds the sub-command and hands the line on. */
#include "common/command.h"
#include "common/interrupts.h"
#include "common/options.h"
#include "common/output.h"
#include "common/ranks.h"
#include "common/shard.h"
#include "pliant/pliant.h"

#include <stdio.h>
#include <string.h>

typedef struct command {
  const char *name;
  int (*run)(int argc, char **argv);
  const char *about;
} command;

static int cmd_help(int argc, char **argv);
static int cmd_version(int argc, char **argv);

static const command commands[] = {
    {"demo", cmd_demo, "two bumpy spheres sink into each other: a table, pictures and a page"},
    {"info", cmd_info, "what is in a mesh file or sequence, what is wrong with it, and its tree"},
    {"collide", cmd_collide, "which triangles of two meshes touch, frame by frame"},
    {"check", cmd_check, "which assets have new intersections, where and when, for CI"},
    {"self", cmd_self, "which triangles of a mesh touch each other, frame by frame"},
    {"distance", cmd_distance, "how far two meshes are from each other, frame by frame"},
    {"impact", cmd_impact, "when moving meshes first meet, between frames"},
    {"render", cmd_render, "ray traced pictures and videos of meshes that move"},
    {"view", cmd_view, "a page that plays meshes in the browser, with their contacts in red"},
    {"simulate", cmd_simulate, "soft bodies that fall, meet and come to rest"},
    {"tune", cmd_tune, "finds settings for your own scene by playing it"},
    {"merge", cmd_merge, "joins the parts that --shard has written"},
    {"bench", cmd_bench, "the experiments of the papers, or your own files, checked and timed"},
    {"help", cmd_help, "this, or the help of a sub-command"},
    {"version", cmd_version, "the version and the instruction set in use"},
};
enum { COMMAND_COUNT = sizeof commands / sizeof commands[0] };

static const command *find_command(const char *name)
{
  for (int i = 0; i < COMMAND_COUNT; ++i)
    if (strcmp(commands[i].name, name) == 0) return &commands[i];
  return NULL;
}

command_function command_find(const char *name)
{
  const command *found = find_command(name);
  return found ? found->run : NULL;
}

static int unknown_command(const char *name)
{
  const char *names[COMMAND_COUNT];
  for (int i = 0; i < COMMAND_COUNT; ++i) names[i] = commands[i].name;
  const char *nearest = options_nearest(name, names, COMMAND_COUNT);
  if (nearest) return options_refuse(NULL, "there is no command %s; did you mean %s?", name, nearest);
  return options_refuse(NULL, "there is no command %s", name);
}

static void print_overview(FILE *file)
{
  fprintf(file, "usage: pliant COMMAND [OPTIONS] [FILES]\n\n"
                "Exact collision queries on deforming triangle meshes.\n\nCommands:\n");
  for (int i = 0; i < COMMAND_COUNT; ++i) fprintf(file, "  %-10s%s\n", commands[i].name, commands[i].about);
  fprintf(file, "\nEvery command has --help with its options and examples.\n"
                "Exit codes: 0 done; 1 contact (only with --fail-on-contact, --fail-if-closer); 2 an error, with one "
                "line on stderr;\n"
                "64 the command line is wrong.\n\n"
                "Examples:\n"
                "  pliant demo                               look at it first\n"
                "  pliant info cloth.obj                     is anything wrong with this mesh?\n"
                "  pliant collide cloth.obj table.obj        do they touch, and where?\n"
                "  pliant collide 'cloth_*.obj' table.obj    in which frames?\n"
                "  pliant collide scene.glb --fps 30         which nodes of an animated scene?\n"
                "  pliant self character.glb                 does it intersect itself, and where?\n"
                "  pliant distance cable.obj frame.obj       how far are they from each other?\n"
                "  pliant render bunny.obj                   what does it look like?\n"
                "  pliant view scene.glb                     play it in the browser, with contacts in red\n");
}

static int cmd_help(int argc, char **argv)
{
  if (argc < 2 || argv[1][0] == '-') {
    print_overview(stdout);
    return output_finish() ? EXIT_DONE : EXIT_ERROR;
  }
  const command *c = find_command(argv[1]);
  if (!c) return unknown_command(argv[1]);
  if (c->run == cmd_help) return cmd_help(1, argv);
  char ask[] = "--help";
  char *line[] = {argv[1], ask, NULL};
  return c->run(2, line);
}

static int cmd_version(int argc, char **argv)
{
  static const command_text text = {
      .name = "version",
      .usage = "pliant version",
      .about = "Prints the version, and the instruction set that the library uses on this machine.",
      .examples = "  pliant version\n",
  };
  arguments files;
  int code = options_parse(&text, NULL, 0, argc, argv, &files);
  if (code != OPTIONS_GO_ON) return code;
  if (files.count > 0) return options_refuse("version", "no file is expected, but %s was given", files.values[0]);
  pl_context *context = NULL;
  pl_context_create(NULL, &context);
  printf("pliant %s", pl_version());
  if (context) printf(" (%s)", pl_context_simd(context));
  printf("\n");
  pl_context_destroy(context);
  return output_finish() ? EXIT_DONE : EXIT_ERROR;
}

int command_main(int argc, char **argv)
{
  if (argc < 2) {
    print_overview(stderr);
    return EXIT_USAGE;
  }
  int handed = ranks_hand_over(argc, argv);
  if (handed != OPTIONS_GO_ON) return handed;
  interrupts_watch();
  shard_remember(argc - 1, argv + 1);
  const char *name = argv[1];
  if (strcmp(name, "--help") == 0 || strcmp(name, "-h") == 0) return cmd_help(argc - 1, argv + 1);
  if (strcmp(name, "--version") == 0) return cmd_version(1, argv);
  const command *c = find_command(name);
  int code = c ? c->run(argc - 1, argv + 1) : unknown_command(name);
  output_end_notes(code == EXIT_DONE || code == EXIT_CONTACT);
  return code;
}
