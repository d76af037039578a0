#include "mesh/rings.h"

#include "mesh/edges.h"

#include <string.h>

/* that the marks of rings_join() look at: two or three rings of a regular mesh */
enum { MOST_EDGES = 256 };

/* Counts the edges of each vertex, in first[v + 1], or lists them; first[v] moves to the end of
 * v's list then. */
static void visit_edges(const half_edges *h, vertex_rings *r, bool fill)
{
  for (size_t begin = 0, end; begin < h->count; begin = end) {
    end = half_edges_run(h, begin);
    if (half_edges_none(h, begin)) continue;
    uint32_t low = h->low[h->sorted[begin]], high = h->high[h->sorted[begin]];
    if (fill) {
      r->next[r->first[low]++] = high;
      r->next[r->first[high]++] = low;
    } else {
      ++r->first[low + 1];
      ++r->first[high + 1];
    }
  }
}

static bool list_edges(const pl_allocator *allocator, const half_edges *h, vertex_rings *r)
{
  size_t n = r->vertex_count;
  visit_edges(h, r, false);
  for (size_t v = 0; v < n; ++v) r->first[v + 1] += r->first[v];
  if (!mem_take(allocator, &r->next, (size_t)r->first[n] + 1)) return false;
  visit_edges(h, r, true);
  memmove(r->first + 1, r->first, n * sizeof *r->first);
  r->first[0] = 0;
  return true;
}

vertex_rings *vertex_rings_create(const pl_allocator *allocator, const uint32_t *triangles, size_t triangle_count,
                                  size_t vertex_count)
{
  half_edges h = {0};
  vertex_rings *r = mem_new(allocator, 1, sizeof *r);
  if (!r) return NULL;
  r->vertex_count = vertex_count;
  r->first = mem_new(allocator, vertex_count + 1, sizeof *r->first);
  bool good = r->first && half_edges_create(allocator, triangles, triangle_count, vertex_count, &h);
  good = good && list_edges(allocator, &h, r);
  half_edges_free(allocator, &h);
  if (good) return r;
  vertex_rings_free(allocator, r);
  return NULL;
}

void vertex_rings_free(const pl_allocator *allocator, vertex_rings *r)
{
  if (!r) return;
  mem_free_all(allocator, r->first, r->next, r);
}

bool ring_search_reserve(const pl_allocator *allocator, ring_search *s, size_t vertex_count)
{
  return array_reserve(allocator, &s->queue, vertex_count) && array_reserve_marks(allocator, &s->mark, vertex_count) &&
         array_reserve_marks(allocator, &s->met, vertex_count);
}

void ring_search_free(const pl_allocator *allocator, ring_search *s)
{
  array_free_all(allocator, &s->mark, &s->met, &s->queue);
}

/* Puts a vertex into the queue if this corner's search meets it for the first time. */
static size_t meet(ring_search *s, uint32_t vertex, unsigned corner, size_t count)
{
  uint64_t *mark = &s->mark.data[vertex], bit = (uint64_t)1 << corner;
  if (*mark >> 3 != s->turn) *mark = s->turn << 3;
  if (*mark & bit) return count;
  *mark |= bit;
  s->queue.data[count] = vertex;
  return count + 1;
}

static size_t edges_of(const ring_search *s, const vertex_rings *r, size_t begin, size_t end)
{
  size_t sum = 0;
  for (; begin < end; ++begin) sum += r->first[s->queue.data[begin] + 1] - r->first[s->queue.data[begin]];
  return sum;
}

/* Marks what `edges` edges reach, or fewer: a ring that takes the search to more than `most`
 * edges is left out. Returns how many edges the marks cover. */
static uint32_t mark_around(ring_search *s, const vertex_rings *r, uint32_t edges, const uint32_t *from, int count_from,
                            unsigned corner, size_t most)
{
  size_t begin = 0, end = 0, looked = 0;
  for (int i = 0; i < count_from; ++i) end = meet(s, from[i], corner, end);
  for (uint32_t ring = 0; ring < edges && begin < end; ++ring) {
    if (most < SIZE_MAX && (looked += edges_of(s, r, begin, end)) > most) return ring;
    size_t count = end;
    for (; begin < end; ++begin) {
      uint32_t v = s->queue.data[begin];
      for (uint32_t i = r->first[v]; i < r->first[v + 1]; ++i) count = meet(s, r->next[i], corner, count);
    }
    end = count;
  }
  return edges;
}

/* Returns whether a path of at most `edges` edges leads from triangle b to a marked vertex. */
static bool reaches_mark(ring_search *s, const vertex_rings *r, uint32_t edges, const uint32_t b[3])
{
  size_t begin = 0, end = 0;
  ++s->met_turn;
  for (int i = 0; i < 3; ++i) {
    if (s->mark.data[b[i]] >> 3 == s->turn) return true;
    s->queue.data[end++] = b[i];
    if (s->met.data[b[i]] == s->met_turn) --end;
    s->met.data[b[i]] = s->met_turn;
  }
  for (uint32_t ring = 0; ring < edges && begin < end; ++ring) {
    size_t count = end;
    for (; begin < end; ++begin) {
      uint32_t v = s->queue.data[begin];
      for (uint32_t i = r->first[v]; i < r->first[v + 1]; ++i) {
        uint32_t next = r->next[i];
        if (s->mark.data[next] >> 3 == s->turn) return true;
        if (s->met.data[next] == s->met_turn) continue;
        s->met.data[next] = s->met_turn;
        s->queue.data[count++] = next;
      }
    }
    end = count;
  }
  return false;
}

unsigned rings_close(ring_search *s, const vertex_rings *r, uint32_t edges, const uint32_t a[3], const uint32_t b[3])
{
  if (edges == 0) return rings_equal(a, b);
  if (s->around != a) {
    ++s->turn;
    for (unsigned c = 0; c < 3; ++c) mark_around(s, r, edges, &a[c], 1, c, SIZE_MAX);
    s->around = a;
  }
  unsigned close = 0;
  for (unsigned j = 0; j < 3; ++j) {
    uint64_t mark = s->mark.data[b[j]];
    if (mark >> 3 != s->turn) continue;
    for (unsigned i = 0; i < 3; ++i) close |= (unsigned)(mark >> i & 1) << (3 * i + j);
  }
  return close;
}

bool rings_join(ring_search *s, const vertex_rings *r, uint32_t edges, const uint32_t a[3], const uint32_t b[3])
{
  if (rings_equal(a, b)) return true; /* most of those that are near */
  if (edges == 0) return false;
  if (s->around != a) {
    ++s->turn;
    s->covered = mark_around(s, r, edges, a, 3, 0, MOST_EDGES);
    s->around = a;
  }
  if (s->covered < edges) return reaches_mark(s, r, edges - s->covered, b);
  bool any = false;
  for (int j = 0; j < 3; ++j) any = any || s->mark.data[b[j]] >> 3 == s->turn;
  return any;
}
