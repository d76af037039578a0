/* --mpi: questions go to the ranks of an MPI job, each of which has a part of every body. The
 * command itself is not linked to MPI: it hands its line to pliant-mpi, the same command with MPI
 * (mpi/command), which sets `ranks_used` before it runs. Rank 0 then reads the files, writes the
 * output and keeps the meshes as a whole; the others serve. */
#ifndef RANKS_H
#define RANKS_H

#include "common/options.h"
#include "common/stage.h"
#include "pliant/pliant.h"

typedef enum ranks_question { RANKS_TOUCHING, RANKS_NEAR_TRIANGLES, RANKS_NEAREST, RANKS_IMPACTS } ranks_question;

/* What pliant-mpi has. */
typedef struct ranks_functions {
  /* All bodies against each other, or each against itself. Rows are sorted by bodies, then
   * triangles; of impacts by time. */
  pl_status (*ask)(ranks_question question, pl_body *const *bodies, size_t count, bool self, const pl_question *def,
                   const pl_result **out);
  pl_status (*keep_pose)(pl_body *body); /* the start of the step, for impacts */
  const char *(*message)(void);
} ranks_functions;
extern const ranks_functions *ranks_used; /* NULL in `pliant` */

/* Runs pliant-mpi if --mpi is in the line and this is not it: returns only if there is none.
 * OPTIONS_GO_ON, or an exit code. */
int ranks_hand_over(int argc, char **argv);

option_group ranks_group(void);
int ranks_check(const char *command); /* after parsing; OPTIONS_GO_ON, or an exit code */
int ranks_refuse(const char *command, bool given, const char *name, const char *why);
#define RANKS_WHY_BUDGET "ranks end a question together, at its end"
bool ranks_on(void);

/* Who is asked: of a scene also the stage that its members are on. */
typedef struct ranks_who {
  pl_who who;
  const stage *stage;  /* of a scene */
  const bool *members; /* of each body of the stage; NULL: all */
  bool self;           /* each member against itself */
} ranks_who;

/* Asks the ranks, or without --mpi the library. */
pl_status ranks_ask(ranks_question question, const ranks_who *who, const pl_question *def, const pl_result **out);
pl_status ranks_ask_two(ranks_question question, pl_body *a, pl_body *b, const pl_question *def, const pl_result **out);
pl_status ranks_keep_pose(pl_body *body); /* in the library as well */
const char *ranks_message(const pl_context *context);

#endif
