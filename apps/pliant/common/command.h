/* The sub-commands: each takes its own name as argv[0] and returns an exit code. */
#ifndef COMMAND_H
#define COMMAND_H

/* What the shell sees. */
enum {
  EXIT_DONE = 0,
  EXIT_CONTACT = 1, /* only with --fail-on-contact or --fail-if-closer */
  EXIT_ERROR = 2,   /* a file, memory, or an answer that is wrong: one line on stderr */
  EXIT_USAGE = 64   /* the command line itself */
};

int cmd_demo(int argc, char **argv);
int cmd_info(int argc, char **argv);
int cmd_check(int argc, char **argv);
int cmd_collide(int argc, char **argv);
int cmd_self(int argc, char **argv);
int cmd_distance(int argc, char **argv);
int cmd_impact(int argc, char **argv);
int cmd_render(int argc, char **argv);
int cmd_view(int argc, char **argv);
int cmd_simulate(int argc, char **argv);
int cmd_tune(int argc, char **argv);
int cmd_bench(int argc, char **argv);
int cmd_merge(int argc, char **argv);

/* All of `pliant`, and of pliant-mpi. */
int command_main(int argc, char **argv);

/* The command of this name, or NULL; for `merge`, which runs one again. */
typedef int (*command_function)(int argc, char **argv);
command_function command_find(const char *name);

#endif
