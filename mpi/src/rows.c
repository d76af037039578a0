/* Rows: growing, sorting, gathering. */
#include "dist.h"

#include <stdlib.h>
#include <string.h>

void dist_rows_begin(rows *r, size_t size)
{
  r->room = r->size ? r->room * r->size / size : 0;
  r->size = size;
  r->count = 0;
}

static bool reserve(rows *r, size_t count)
{
  if (count <= r->room) return true;
  size_t room = count + count / 2 + 64;
  char *moved = realloc(r->data, room * r->size);
  if (!moved) return false;
  r->data = moved;
  r->room = room;
  return true;
}

void *dist_rows_add(rows *r)
{
  if (!reserve(r, r->count + 1)) return NULL;
  return memset(r->data + r->size * r->count++, 0, r->size);
}

void dist_rows_free(rows *r)
{
  free(r->data);
  *r = (rows){0};
}

/* Merges the runs [begin, middle) and [middle, end). */
static void merge(const rows *r, char *to, size_t begin, size_t middle, size_t end, row_compare compare)
{
  size_t i = begin, k = middle, size = r->size;
  for (size_t at = begin; at < end; ++at) {
    bool first = k == end || (i < middle && compare(r->data + size * i, r->data + size * k) <= 0);
    memcpy(to + size * at, r->data + size * (first ? i++ : k++), size);
  }
}

bool dist_rows_sort(rows *r, row_compare compare)
{
  bool sorted = true;
  for (size_t i = 1; i < r->count && sorted; ++i)
    sorted = compare(r->data + r->size * (i - 1), r->data + r->size * i) <= 0;
  if (sorted) return true;
  char *other = malloc(r->room * r->size);
  if (!other) return false;
  for (size_t width = 1; width < r->count; width *= 2) {
    for (size_t begin = 0; begin < r->count; begin += 2 * width) {
      size_t middle = begin + width < r->count ? begin + width : r->count;
      size_t end = middle + width < r->count ? middle + width : r->count;
      merge(r, other, begin, middle, end, compare);
    }
    char *before = r->data;
    r->data = other;
    other = before;
  }
  free(other);
  return true;
}

/* Room on the root for the rows of all ranks. */
static pl_status make_room(pl_dist *d, const uint64_t *counts, rows *all)
{
  size_t sum = 0;
  for (int i = 0; i < d->size; ++i) sum += counts[i];
  if (!reserve(all, sum)) return dist_fail(d, PL_ERROR_MEMORY, "out of memory for %zu rows", sum);
  all->count = sum;
  return PL_OK;
}

/* One message at a time: the root has room for all, and other ranks do not wait for each other. */
static void gather(pl_dist *d, const rows *r, int root, const uint64_t *counts, rows *all)
{
  char *to = all->data;
  if (d->rank != root) {
    dist_send(d->comm, r->data, r->count * r->size, root, 1);
    d->counters.bytes_gathered += r->count * r->size;
  }
  for (int i = 0; i < d->size && d->rank == root; ++i) {
    if (i == root && r->count) memcpy(to, r->data, r->count * r->size);
    if (i != root) dist_receive(d->comm, to, counts[i] * r->size, i, 1);
    to += counts[i] * r->size;
  }
}

pl_status dist_gather(pl_dist *d, rows *r, int root, row_compare compare)
{
  pl_status status;
  if (root < 0)
    return dist_agree(d, dist_rows_sort(r, compare) ? PL_OK : dist_fail(d, PL_ERROR_MEMORY, "out of memory to sort"));
  dist_rows_begin(&d->gathered, r->size);
  uint64_t mine = r->count, *counts = malloc((size_t)d->size * sizeof *counts);
  status = dist_agree(d, counts ? PL_OK : dist_fail(d, PL_ERROR_MEMORY, "out of memory"));
  if (status == PL_OK) {
    dist_all_gather(d->comm, &mine, counts, sizeof mine);
    status = dist_agree(d, d->rank == root ? make_room(d, counts, &d->gathered) : PL_OK);
  }
  if (status == PL_OK) {
    gather(d, r, root, counts, &d->gathered);
    rows swapped = *r;
    *r = d->gathered;
    d->gathered = swapped;
    bool good = dist_rows_sort(r, compare);
    status = dist_agree(d, good ? PL_OK : dist_fail(d, PL_ERROR_MEMORY, "out of memory to sort"));
  }
  free(counts);
  return status;
}
