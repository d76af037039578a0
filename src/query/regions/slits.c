/* Slits: contours of which both sides are connected, as where skin folds at a joint. They cut
 * nothing off, and the part behind them is mostly the whole body, so it is not filled. What is
 * behind such a contour is followed for a few vertices only, until it has come round an end of the
 * contour. Otherwise nothing is concluded: filling decides.
 *
 * Only within one closed body, where nothing but what is behind is filled. A contour is a slit only
 * if every vertex behind it is found to be connected to one in front: a part that has no vertex in
 * front is filled as ever. */
#include "query/regions/regions.h"

#include <string.h>

enum { MOST_VERTICES = 128, SLOTS = 256 };

/* Vertices around a contour, in the order in which they were reached. */
typedef struct wander {
  const regions_scratch *q;
  const region_surface *s;
  uint32_t vertices[MOST_VERTICES];
  uint16_t parent[MOST_VERTICES]; /* joined vertices have one root */
  bool front[MOST_VERTICES];      /* roots: one of them is in front */
  uint16_t slots[SLOTS];          /* 1 + the index of a vertex; 0: empty */
  size_t count;
  size_t open; /* roots without a vertex in front */
} wander;

/* The slot of a vertex, or the empty one where it would be. */
static uint16_t *slot_of(wander *w, uint32_t vertex)
{
  size_t at = regions_hash(vertex, 0) & (SLOTS - 1);
  while (w->slots[at] && w->vertices[w->slots[at] - 1] != vertex) at = (at + 1) & (SLOTS - 1);
  return &w->slots[at];
}

static size_t root_of(wander *w, size_t i)
{
  while (w->parent[i] != i) i = w->parent[i] = w->parent[w->parent[i]];
  return i;
}

/* Adds a vertex, by itself if it is new. false: there is no room. */
static bool add(wander *w, uint32_t vertex, bool front)
{
  uint16_t *slot = slot_of(w, vertex);
  if (!*slot) {
    if (w->count == MOST_VERTICES) return false;
    w->vertices[w->count] = vertex;
    w->parent[w->count] = (uint16_t)w->count;
    w->front[w->count] = false;
    *slot = (uint16_t)++w->count;
    ++w->open;
  }
  const size_t root = root_of(w, *slot - 1u);
  if (front && !w->front[root]) --w->open;
  w->front[root] = w->front[root] || front;
  return true;
}

static void join(wander *w, size_t a, size_t b)
{
  a = root_of(w, a);
  b = root_of(w, b);
  if (a == b) return;
  if (!w->front[a] || !w->front[b]) --w->open;
  w->front[a] = w->front[a] || w->front[b];
  w->parent[b] = (uint16_t)a;
}

/* From vertex i over the uncut edges around it. false: there is no room. */
static bool step(wander *w, size_t i)
{
  const uint32_t vertex = w->vertices[i], *around = w->s->fans->around;
  const uint32_t begin = w->s->fans->first[vertex], end = w->s->fans->first[vertex + 1];
  for (uint32_t k = begin; k < end; ++k) {
    const uint32_t *corner = surface_corners(w->s, around[k]);
    const bool touched = is_touched(w->q, w->s, around[k]);
    for (int c = 0; c < 3; ++c) {
      if (corner[c] == vertex || is_marked(w->q, w->s, corner[c])) continue;
      if (touched && regions_cut_edge(w->q, vertex, corner[c], 0)) continue;
      if (!add(w, corner[c], false)) return false;
      join(w, i, *slot_of(w, corner[c]) - 1u);
      if (!w->open) return true;
    }
  }
  return true;
}

static bool is_slit(const regions_run *r, uint32_t owner)
{
  const regions_scratch *q = r->q;
  const uint32_t first = q->first_seed.data[owner], last = q->first_seed.data[owner + 1];
  wander w = {.q = q, .s = &q->surface[0]};
  size_t behind = 0;
  for (int front = 0; front < 2; ++front)
    for (uint32_t i = first; i < last; ++i) {
      const region_seed *at = &q->sorted_seeds.data[i];
      if (at->behind == front || is_marked(q, w.s, at->vertex)) continue;
      if (!add(&w, at->vertex, front)) return false;
      behind += at->behind;
    }
  if (!behind) return false;
  for (size_t i = 0; i < w.count && w.open; ++i)
    if (!step(&w, i)) return false;
  return !w.open;
}

pl_status regions_find_slits(regions_run *r, const bool closed[2], uint32_t owners)
{
  regions_scratch *q = r->q;
  if (!regions_reserve(r, &q->slit, owners)) return regions_no_memory(r);
  memset(q->slit.data, 0, owners);
  if (!r->self || !closed[0]) return PL_OK;
  for (uint32_t owner = 0; owner < owners; ++owner)
    if (q->rows.data[r->first_row + owner / 2].ends) q->slit.data[owner] = is_slit(r, owner);
  return PL_OK;
}
