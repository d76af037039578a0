/* The program `pliant-mpi`: `pliant` with MPI. `pliant COMMAND --mpi` starts it. */
#include "common/command.h"
#include "serve.h"

int main(int argc, char **argv)
{
  int rank, code = EXIT_DONE;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank == 0) {
    const order end = {.kind = ORDER_END};
    ranks_open();
    code = command_main(argc, argv);
    serve_order(&end, NULL, NULL);
    ranks_close();
  } else {
    serve_others();
  }
  serve_close();
  MPI_Finalize();
  return code;
}
