/* MPI's calls that wait for other ranks, as requests that are polled. MPICH's own waits never let
 * another process run, so that with more ranks than cores each of them costs slices of time, and a
 * frame seconds. Messages are bytes, of any length. */
#ifndef DIST_WAIT_H
#define DIST_WAIT_H

#include <mpi.h>
#include <stddef.h>
#include <stdint.h>

/* Polls, and then sleeps between polls. */
void dist_wait(MPI_Request *request);

enum { DIST_MOST_BYTES = 1 << 30 };            /* of one message: counts of MPI are ints */
int dist_chunk(uint64_t bytes, uint64_t from); /* bytes of the message that begins at `from` */
void dist_send(MPI_Comm comm, const void *data, uint64_t bytes, int to, int tag);
void dist_receive(MPI_Comm comm, void *data, uint64_t bytes, int from, int tag);

/* Collective. */
void dist_broadcast(MPI_Comm comm, void *data, size_t bytes, int root);
/* `all` holds this rank's values, and then the result. */
void dist_reduce(MPI_Comm comm, void *all, size_t count, MPI_Datatype type, MPI_Op op);
/* So many bytes of every rank, by rank. */
void dist_all_gather(MPI_Comm comm, const void *mine, void *all, size_t bytes);
/* A number to every rank, and one of each. */
void dist_swap_numbers(MPI_Comm comm, const uint64_t *mine, uint64_t *theirs);

#endif
