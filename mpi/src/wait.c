/* See wait.h. A rank polls for about as long as a sleep costs and then sleeps: who waits for a rank
 * that reads a file or has more work leaves its core to those that work. Not sched_yield(): among
 * busy processes, even of low priority, whoever yields waits for a slice of each. */
#include "wait.h"

#include <time.h>

enum {
  POLLS = 500,      /* before the first sleep: some 50 us */
  SHORTEST = 2000,  /* ns, and what the system adds; it grows as long as nothing comes */
  LONGEST = 500000, /* ns */
  GROWTH = 8        /* by this part of it */
};

void dist_wait(MPI_Request *request)
{
  long pause = SHORTEST;
  int done, polls = 0;
  for (;;) {
    MPI_Test(request, &done, MPI_STATUS_IGNORE);
    if (done) return;
    if (++polls <= POLLS) continue;
    polls = POLLS;
    nanosleep(&(struct timespec){.tv_nsec = pause}, NULL);
    pause += pause < LONGEST ? pause / GROWTH : 0;
  }
}

int dist_chunk(uint64_t bytes, uint64_t from)
{
  uint64_t left = bytes > from ? bytes - from : 0;
  return (int)(left < DIST_MOST_BYTES ? left : DIST_MOST_BYTES);
}

void dist_send(MPI_Comm comm, const void *data, uint64_t bytes, int to, int tag)
{
  for (uint64_t from = 0; from < bytes; from += DIST_MOST_BYTES) {
    MPI_Request request;
    MPI_Isend((const char *)data + from, dist_chunk(bytes, from), MPI_BYTE, to, tag, comm, &request);
    dist_wait(&request);
  }
}

void dist_receive(MPI_Comm comm, void *data, uint64_t bytes, int from, int tag)
{
  for (uint64_t at = 0; at < bytes; at += DIST_MOST_BYTES) {
    MPI_Request request;
    MPI_Irecv((char *)data + at, dist_chunk(bytes, at), MPI_BYTE, from, tag, comm, &request);
    dist_wait(&request);
  }
}

void dist_broadcast(MPI_Comm comm, void *data, size_t bytes, int root)
{
  MPI_Request request;
  MPI_Ibcast(data, (int)bytes, MPI_BYTE, root, comm, &request);
  dist_wait(&request);
}

void dist_reduce(MPI_Comm comm, void *all, size_t count, MPI_Datatype type, MPI_Op op)
{
  MPI_Request request;
  MPI_Iallreduce(MPI_IN_PLACE, all, (int)count, type, op, comm, &request);
  dist_wait(&request);
}

void dist_all_gather(MPI_Comm comm, const void *mine, void *all, size_t bytes)
{
  MPI_Request request;
  MPI_Iallgather(mine, (int)bytes, MPI_BYTE, all, (int)bytes, MPI_BYTE, comm, &request);
  dist_wait(&request);
}

void dist_swap_numbers(MPI_Comm comm, const uint64_t *mine, uint64_t *theirs)
{
  MPI_Request request;
  MPI_Ialltoall(mine, 1, MPI_UINT64_T, theirs, 1, MPI_UINT64_T, comm, &request);
  dist_wait(&request);
}
