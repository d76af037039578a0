/* Creation, and the one way in which errors become those of all ranks. */
#include "dist.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

pl_status dist_fail(pl_dist *d, pl_status status, const char *format, ...)
{
  va_list list;
  va_start(list, format);
  vsnprintf(d->message, sizeof d->message, format, list);
  va_end(list);
  return status;
}

void dist_take_def(void *def, size_t size, const void *given, size_t given_size)
{
  if (given) memcpy(def, given, given_size < size ? given_size : size);
}

pl_status dist_failed(pl_dist *d, pl_status status)
{
  return dist_fail(d, status, "%s", d->context ? pl_context_message(d->context) : pl_status_text(status));
}

/* A message of so few bytes needs no memory that MPI would have to ask for: that may be what is
 * missing. */
enum { SHORT = 64 };

/* One reduction: the lowest rank that is not well, and the greatest and the least of what every
 * rank does. */
static pl_status agree(pl_dist *d, pl_status status, uint64_t doing)
{
  uint64_t most[3] = {status == PL_OK ? 0 : (uint64_t)(d->size - d->rank), doing, ~doing};
  dist_reduce(d->comm, most, 3, MPI_UINT64_T, MPI_MAX);
  if (!most[0] && most[1] == ~most[2]) return PL_OK;
  if (!most[0]) return dist_fail(d, PL_ERROR_ARGUMENT, "ranks differ in what they call, or with which options");
  int rank = d->size - (int)most[0], theirs;
  char text[sizeof d->message + sizeof(int)];
  memset(text, 0, sizeof text);
  memcpy(text, &status, sizeof(int));
  snprintf(text + sizeof(int), sizeof d->message, "%s", d->message);
  for (size_t at = 0; at < sizeof text; at += SHORT)
    dist_broadcast(d->comm, text + at, sizeof text - at < SHORT ? sizeof text - at : SHORT, rank);
  memcpy(&theirs, text, sizeof theirs);
  snprintf(d->message, sizeof d->message, "rank %d: %.480s", rank, text + sizeof(int));
  return (pl_status)theirs;
}

pl_status dist_agree(pl_dist *d, pl_status status) { return agree(d, status, 0); }

static uint64_t mix(uint64_t x, uint64_t with)
{
  x = (x ^ with) * 0x9e3779b97f4a7c15u;
  return x ^ x >> 29;
}

pl_status dist_agree_on(pl_dist *d, pl_status status, dist_call call, uint64_t first, uint64_t second)
{
  return agree(d, status, mix(mix(mix(0, (uint64_t)call), first), second));
}

uint64_t dist_bits(double x)
{
  uint64_t bits;
  memcpy(&bits, &x, sizeof bits);
  return bits;
}

static pl_status open_context(pl_dist *d, const pl_dist_def *def)
{
  pl_context_def context = pl_context_def_default();
  if (!d->requests) return dist_fail(d, PL_ERROR_MEMORY, "out of memory");
  context.threads = 1; /* ranks are the threads unless the caller wants both */
  if (d->wanted_patches < 1 || d->wanted_patches > 4096)
    return dist_fail(d, PL_ERROR_ARGUMENT, "patches is %d; 1 to 4096 are possible", d->wanted_patches);
  pl_status status = pl_context_create(def->context ? def->context : &context, &d->context);
  return status == PL_OK ? PL_OK : dist_fail(d, status, "%s", pl_status_text(status));
}

/* MPI connects two ranks when they first speak. Now, while there is memory: a rank that has none
 * later can still say so. */
static pl_status meet(pl_dist *d)
{
  uint64_t *numbers = calloc(2 * (size_t)d->size, sizeof *numbers);
  pl_status status = dist_agree(d, numbers ? PL_OK : dist_fail(d, PL_ERROR_MEMORY, "out of memory"));
  if (status == PL_OK) dist_swap_numbers(d->comm, numbers, numbers + d->size);
  free(numbers);
  return status;
}

pl_status pl_dist_create(MPI_Comm comm, const pl_dist_def *given, pl_dist **out)
{
  pl_dist_def def = pl_dist_def_default();
  pl_dist *d = calloc(1, sizeof *d);
  int good = d != NULL;
  *out = NULL;
  dist_take_def(&def, sizeof def, given, given ? given->struct_size : 0);
  dist_reduce(comm, &good, 1, MPI_INT, MPI_MIN);
  if (!good || MPI_Comm_dup(comm, &d->comm) != MPI_SUCCESS) {
    free(d);
    return PL_ERROR_MEMORY;
  }
  MPI_Comm_rank(d->comm, &d->rank);
  MPI_Comm_size(d->comm, &d->size);
  d->wanted_patches = def.patches;
  d->self_method = def.self_method;
  d->requests = malloc(2 * (size_t)d->size * sizeof *d->requests);
  pl_status status = dist_agree(d, open_context(d, &def));
  if (status == PL_OK) status = meet(d);
  if (status == PL_OK)
    *out = d;
  else
    pl_dist_destroy(d);
  return status;
}

void pl_dist_destroy(pl_dist *d)
{
  if (!d) return;
  dist_drop_patches(d);
  for (size_t i = 0; i < d->part_count; ++i) {
    dist_piece_free(&d->parts[i].piece);
    free(d->parts[i].order);
  }
  free(d->parts);
  free(d->requests);
  dist_rows_free(&d->result);
  dist_rows_free(&d->gathered);
  pl_context_destroy(d->context);
  MPI_Comm_free(&d->comm);
  free(d);
}

const char *pl_dist_message(const pl_dist *d) { return d->message; }
