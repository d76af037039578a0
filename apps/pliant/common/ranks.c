#include "common/ranks.h"

#include "common/command.h"
#include "common/output.h"
#include "common/shard.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

const ranks_functions *ranks_used;

typedef struct ranks_options {
  bool mpi;
} ranks_options;

static ranks_options options;

static const option table[] = {
    {.name = "mpi",
     .kind = OPTION_FLAG,
     .offset = offsetof(ranks_options, mpi),
     .help = "divide the meshes among the ranks of an MPI job (mpirun -np 4 pliant ... --mpi), where pliant-mpi is "
             "installed; implies --no-costs"},
};

option_group ranks_group(void) { return (option_group){NULL, table, OPTION_COUNT(table), &options}; }

bool ranks_on(void) { return options.mpi; }

/* --------------------------------------------------------------------------------- hand over -- */

static bool wants_ranks(int argc, char **argv)
{
  static const char *const commands[] = {"collide", "self", "distance", "impact"};
  bool known = false;
  for (size_t i = 0; i < sizeof commands / sizeof *commands; ++i)
    known = known || (argc > 1 && strcmp(argv[1], commands[i]) == 0);
  for (int i = 2; known && i < argc && strcmp(argv[i], "--") != 0; ++i)
    if (strcmp(argv[i], "--mpi") == 0) return true;
  return false;
}

/* The program beside this one, then the one in PATH. */
int ranks_hand_over(int argc, char **argv)
{
  static const char name[] = "pliant-mpi";
  if (ranks_used || !wants_ranks(argc, argv)) return OPTIONS_GO_ON;
  char path[4096];
  ssize_t length = readlink("/proc/self/exe", path, sizeof path - sizeof name);
  char *end = NULL;
  if (length > 0) {
    path[length] = '\0';
    end = strrchr(path, '/');
  }
  if (end) {
    memcpy(end + 1, name, sizeof name);
    execv(path, argv);
  }
  execvp(name, argv);
  return output_complain("--mpi needs the program pliant-mpi beside this one or in PATH: build it where MPI is "
                         "installed (./dev mpi, or cmake with -DPLIANT_MPI=ON), and start it with mpirun");
}

int ranks_check(const char *command)
{
  if (options.mpi && !ranks_used) return options_refuse(command, "--mpi: write it before a --");
  return shard_refuse(command, options.mpi, "--mpi", "a shard is a part of the frames, a rank one of the meshes");
}

int ranks_refuse(const char *command, bool given, const char *name, const char *why)
{
  if (!options.mpi || !given) return OPTIONS_GO_ON;
  return options_refuse(command, "--mpi and %s do not go together: %s", name, why);
}

/* --------------------------------------------------------------------------------- questions -- */

static pl_status ask_library(ranks_question question, pl_who who, const pl_question *def, const pl_result **out)
{
  switch (question) {
  case RANKS_NEAR_TRIANGLES:
    return pl_near_triangles(who, def, out);
  case RANKS_NEAREST:
    return pl_nearest(who, def, out);
  case RANKS_IMPACTS:
    return pl_impacts(who, def, out);
  default:
    return pl_touching(who, def, out);
  }
}

static pl_status ask_stage(ranks_question question, const ranks_who *who, const pl_question *def, const pl_result **out)
{
  const stage *s = who->stage;
  pl_body **bodies = malloc((s->body_count + 1) * sizeof *bodies);
  size_t count = 0;
  if (!bodies) return PL_ERROR_MEMORY;
  for (size_t i = 0; i < s->body_count; ++i)
    if (!who->members || who->members[i]) bodies[count++] = s->bodies[i].body;
  pl_status status = ranks_used->ask(question, bodies, count, who->self, def, out);
  free(bodies);
  return status;
}

pl_status ranks_ask(ranks_question question, const ranks_who *who, const pl_question *def, const pl_result **out)
{
  if (!ranks_on()) return ask_library(question, who->who, def, out);
  if (who->who.scene) return ask_stage(question, who, def, out);
  pl_body *bodies[2] = {who->who.a, who->who.b};
  bool self = bodies[0] == bodies[1];
  return ranks_used->ask(question, bodies, self ? 1 : 2, self, def, out);
}

pl_status ranks_ask_two(ranks_question question, pl_body *a, pl_body *b, const pl_question *def, const pl_result **out)
{
  const ranks_who who = {.who = pl_two(a, b)};
  return ranks_ask(question, &who, def, out);
}

pl_status ranks_keep_pose(pl_body *body)
{
  pl_status status = pl_body_keep_pose(body);
  return status == PL_OK && ranks_on() ? ranks_used->keep_pose(body) : status;
}

const char *ranks_message(const pl_context *context)
{
  const char *own = ranks_on() ? ranks_used->message() : "";
  return *own ? own : pl_context_message(context);
}
