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

pl_status dist_agree(pl_dist *d, pl_status status)
{
  /* MPI_MAXLOC: of equal values the lowest rank */
  int mine[2] = {status != PL_OK, d->rank}, all[2];
  MPI_Allreduce(mine, all, 1, MPI_2INT, MPI_MAXLOC, d->comm);
  if (!all[0]) return PL_OK;
  char text[sizeof d->message + sizeof(int)];
  memset(text, 0, sizeof text);
  memcpy(text, &status, sizeof(int));
  snprintf(text + sizeof(int), sizeof d->message, "%s", d->message);
  MPI_Bcast(text, (int)sizeof text, MPI_BYTE, all[1], d->comm);
  int theirs;
  memcpy(&theirs, text, sizeof theirs);
  snprintf(d->message, sizeof d->message, "rank %d: %.480s", all[1], text + sizeof(int));
  return (pl_status)theirs;
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

pl_status pl_dist_create(MPI_Comm comm, const pl_dist_def *given, pl_dist **out)
{
  pl_dist_def def = pl_dist_def_default();
  pl_dist *d = calloc(1, sizeof *d);
  int good = d != NULL, all;
  *out = NULL;
  dist_take_def(&def, sizeof def, given, given ? given->struct_size : 0);
  MPI_Allreduce(&good, &all, 1, MPI_INT, MPI_MIN, comm);
  if (!all || MPI_Comm_dup(comm, &d->comm) != MPI_SUCCESS) {
    free(d);
    return PL_ERROR_MEMORY;
  }
  MPI_Comm_rank(d->comm, &d->rank);
  MPI_Comm_size(d->comm, &d->size);
  d->wanted_patches = def.patches;
  d->self_method = def.self_method;
  d->requests = malloc(2 * (size_t)d->size * sizeof *d->requests);
  pl_status status = dist_agree(d, open_context(d, &def));
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
