/* See wait.h. Sleeping costs less than it saves: a rank that waits long, for one that reads a file
 * or has more work, leaves its core to those that work. */
#include "wait.h"

#include <sched.h>
#include <stdbool.h>
#include <time.h>

enum {
  SPINS = 200,     /* polls before the first yield: some 20 us */
  YIELDS = 400,    /* before the first sleep */
  SHORTEST = 2000, /* ns; it grows by an eighth, as long as nothing comes */
  LONGEST = 500000 /* ns */
};

/* false: others had the core for longer than they would have without us waiting. Who sleeps comes
 * back sooner than who yields. */
static bool yield(void)
{
  struct timespec before, after;
  clock_gettime(CLOCK_MONOTONIC, &before);
  sched_yield();
  clock_gettime(CLOCK_MONOTONIC, &after);
  return (after.tv_sec - before.tv_sec) * 1000000000 + after.tv_nsec - before.tv_nsec < 100000;
}

void dist_wait(MPI_Request *request)
{
  long pause = SHORTEST;
  int done, polls = 0;
  for (;;) {
    MPI_Test(request, &done, MPI_STATUS_IGNORE);
    if (done) return;
    if (polls < SPINS + YIELDS) {
      if (++polls > SPINS && !yield()) polls = SPINS + YIELDS;
    } else {
      nanosleep(&(struct timespec){.tv_nsec = pause}, NULL);
      pause += pause < LONGEST ? pause / 8 : 0;
    }
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
