/* The least triangle at each vertex and edge, over all ranks. Of a feature on a cut, the rank
 * with that triangle is the one that reports it. Every rank is the meeting place of some keys:
 * all ranks send theirs there, and get the least value back. Cost: 32 bytes for each vertex and
 * for each edge of each triangle, once. */
#include "dist.h"

#include <stdlib.h>
#include <string.h>

typedef struct entry {
  uint64_t key[3]; /* body; vertex and UINT64_MAX, or both vertices of an edge */
  uint64_t value;
} entry;

typedef struct letters {
  entry *entries; /* by rank */
  uint64_t **to;  /* where each value belongs */
  size_t count;
  uint64_t *counts; /* of each rank */
} letters;

static uint64_t hash(const uint64_t key[3])
{
  uint64_t h = key[0] * 0x9e3779b97f4a7c15u ^ key[1] * 0xbf58476d1ce4e5b9u ^ key[2] * 0x94d049bb133111ebu;
  h = (h ^ h >> 31) * 0xd6e8feb86659fd93u;
  return h ^ h >> 32;
}

/* The k-th entry of a piece: its vertices, then the edges of its triangles. */
static entry entry_of(piece *p, size_t k, uint64_t **to)
{
  if (k < p->vertex_count) {
    *to = &p->vertex_least[k];
    return (entry){{p->body, p->vertices[k], UINT64_MAX}, **to};
  }
  size_t at = k - p->vertex_count, t = at / 3, e = at % 3;
  uint64_t v = p->vertices[p->triangles[3 * t + e]], w = p->vertices[p->triangles[3 * t + (e + 1) % 3]];
  *to = &p->edge_least[at];
  return (entry){{p->body, v < w ? v : w, v < w ? w : v}, p->triangle_ids[t]};
}

/* Least of the piece itself, to begin with. */
static bool begin_piece(piece *p)
{
  free(p->vertex_least);
  free(p->edge_least);
  free(p->edge_owners);
  p->edge_owners = NULL;
  p->vertex_least = malloc((p->vertex_count + 1) * sizeof *p->vertex_least);
  p->edge_least = malloc((3 * p->triangle_count + 1) * sizeof *p->edge_least);
  if (!p->vertex_least || !p->edge_least) return false;
  memset(p->vertex_least, 0xff, p->vertex_count * sizeof *p->vertex_least);
  for (size_t i = 3 * p->triangle_count; i-- > 0;) p->vertex_least[p->triangles[i]] = p->triangle_ids[i / 3];
  return true;
}

static size_t entry_count(const piece *p) { return p->vertex_count + 3 * p->triangle_count; }

/* next: NULL to count the letters to each rank; otherwise where the next letter to each belongs. */
static void sort_letters(pl_dist *d, letters *l, size_t *next)
{
  for (size_t i = 0; i < d->part_count; ++i)
    for (size_t k = 0; k < entry_count(&d->parts[i].piece); ++k) {
      uint64_t *to;
      entry e = entry_of(&d->parts[i].piece, k, &to);
      size_t rank = hash(e.key) % (uint64_t)d->size;
      if (!next) {
        ++l->counts[rank];
        continue;
      }
      l->to[next[rank]] = to;
      l->entries[next[rank]++] = e;
    }
}

static pl_status write_letters(pl_dist *d, letters *l)
{
  for (size_t i = 0; i < d->part_count; ++i) {
    if (!begin_piece(&d->parts[i].piece)) return dist_fail(d, PL_ERROR_MEMORY, "out of memory for features");
    l->count += entry_count(&d->parts[i].piece);
  }
  l->entries = malloc((l->count + 1) * sizeof *l->entries);
  l->to = malloc((l->count + 1) * sizeof *l->to);
  l->counts = calloc((size_t)d->size, sizeof *l->counts);
  size_t *next = calloc((size_t)d->size + 1, sizeof *next);
  bool good = l->entries && l->to && l->counts && next;
  if (good) {
    sort_letters(d, l, NULL);
    for (int r = 0; r < d->size; ++r) next[r + 1] = next[r] + l->counts[r];
    sort_letters(d, l, next);
  }
  free(next);
  return good ? PL_OK : dist_fail(d, PL_ERROR_MEMORY, "out of memory for features");
}

/* Every value becomes the least of its key. */
static pl_status find_least(pl_dist *d, entry *entries, size_t count)
{
  size_t room = 16;
  while (room < 2 * count) room *= 2;
  size_t *slots = calloc(room, sizeof *slots);
  if (!slots) return dist_fail(d, PL_ERROR_MEMORY, "out of memory for features");
  for (int pass = 0; pass < 2; ++pass)
    for (size_t i = 0; i < count; ++i) {
      size_t at = hash(entries[i].key) / 7 & (room - 1);
      while (slots[at] && memcmp(entries[slots[at] - 1].key, entries[i].key, sizeof entries[i].key) != 0)
        at = (at + 1) & (room - 1);
      if (!slots[at]) slots[at] = i + 1;
      entry *first = &entries[slots[at] - 1];
      if (entries[i].value < first->value) first->value = entries[i].value;
      entries[i].value = first->value;
    }
  free(slots);
  return PL_OK;
}

/* Where each rank's bytes begin, and how many. */
static void divide(const pl_dist *d, char *data, const uint64_t *counts, char **at, uint64_t *sizes)
{
  for (int r = 0; r < d->size; ++r) {
    at[r] = data;
    sizes[r] = counts[r] * sizeof(entry);
    data += sizes[r];
  }
}

static pl_status meet(pl_dist *d, letters *l)
{
  size_t n = (size_t)d->size, total = 0;
  uint64_t *numbers = calloc(3 * n, sizeof *numbers), *theirs = numbers;
  char **places = calloc(2 * n, sizeof *places);
  pl_status status = numbers && places ? PL_OK : dist_fail(d, PL_ERROR_MEMORY, "out of memory");
  entry *received = NULL;
  status = dist_agree(d, status);
  if (status == PL_OK) {
    dist_swap_numbers(d->comm, l->counts, theirs);
    for (size_t r = 0; r < n; ++r) total += theirs[r];
    received = malloc((total + 1) * sizeof *received);
    status = dist_agree(d, received ? PL_OK : dist_fail(d, PL_ERROR_MEMORY, "out of memory for features"));
  }
  if (status == PL_OK) {
    divide(d, (char *)l->entries, l->counts, places, numbers + n);
    divide(d, (char *)received, theirs, places + n, numbers + 2 * n);
    dist_all_to_all(d, places, numbers + n, places + n, numbers + 2 * n);
    status = dist_agree(d, find_least(d, received, total));
  }
  if (status == PL_OK) { /* the same way back */
    dist_all_to_all(d, places + n, numbers + 2 * n, places, numbers + n);
    for (size_t i = 0; i < l->count; ++i) *l->to[i] = l->entries[i].value;
  }
  free(received);
  free(numbers);
  free(places);
  return status;
}

pl_status dist_least(pl_dist *d)
{
  if (d->has_least) return PL_OK;
  letters l = {0};
  pl_status status = dist_agree(d, write_letters(d, &l));
  if (status == PL_OK) status = meet(d, &l);
  free(l.entries);
  free(l.to);
  free(l.counts);
  d->has_least = status == PL_OK;
  return status;
}
