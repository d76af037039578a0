/* Recursive bisection of triangles by connectivity: triangles in the order of their distance, in
 * steps over shared vertices, from one at the edge of a region, cut where the numbers are right. So
 * parts are made of neighbours, and stay compact however the mesh deforms. A region of many
 * components is cut by the centres of its triangles instead, along the longest axis of their box.
 * Ties are broken by index, so that the cut is the same for every run. Cost: O(n log k). */
#include "dist.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_COMPONENTS = 8 };

typedef struct cutter {
  const bisect_input *in;
  uint32_t *order, *queue;
  size_t *ends;
  size_t parts;     /* so far */
  uint32_t *first;  /* of each vertex in `around`; vertex_count + 1 */
  uint32_t *around; /* triangles at each vertex */
  uint32_t *stamp;  /* of triangles: to be visited in this search, or visited (plus 1) */
  uint32_t *seen;   /* of vertices: by this search */
  uint32_t search;
} cutter;

/* --------------------------------------------------------------------------------- distances -- */

/* The triangles at each vertex. */
static void find_around(cutter *c)
{
  const bisect_input *in = c->in;
  memset(c->first, 0, (in->vertex_count + 1) * sizeof *c->first);
  for (size_t i = 0; i < 3 * in->triangle_count; ++i) ++c->first[in->triangles[i]];
  uint32_t sum = 0;
  for (size_t v = 0; v <= in->vertex_count; ++v) {
    uint32_t count = v < in->vertex_count ? c->first[v] : 0;
    c->first[v] = sum;
    sum += count;
  }
  for (size_t i = 0; i < 3 * in->triangle_count; ++i) c->around[c->first[in->triangles[i]]++] = (uint32_t)(i / 3);
  for (size_t v = in->vertex_count; v > 0; --v) c->first[v] = c->first[v - 1];
  c->first[0] = 0;
}

/* Appends what shares a vertex with the triangle. */
static size_t visit_around(cutter *c, uint32_t triangle, size_t count)
{
  for (int k = 0; k < 3; ++k) {
    uint32_t v = c->in->triangles[3 * (size_t)triangle + (size_t)k];
    if (c->seen[v] == c->search) continue;
    c->seen[v] = c->search;
    for (uint32_t at = c->first[v]; at < c->first[v + 1]; ++at) {
      uint32_t t = c->around[at];
      if (c->stamp[t] != c->search) continue;
      c->stamp[t] = c->search + 1;
      c->queue[count++] = t;
    }
  }
  return count;
}

/* `queue`: the region's triangles by distance from `from`, one component after the other. Returns
 * the number of components, or more than MOST_COMPONENTS. */
static int search(cutter *c, size_t begin, size_t end, uint32_t from)
{
  size_t count = 0, done = 0, next = begin;
  int components = 0;
  c->search += 2;
  for (size_t i = begin; i < end; ++i) c->stamp[c->order[i]] = c->search;
  while (count < end - begin && components <= MOST_COMPONENTS) {
    while (components && c->stamp[c->order[next]] != c->search) ++next;
    uint32_t start = components ? c->order[next] : from;
    ++components;
    c->stamp[start] = c->search + 1;
    c->queue[count++] = start;
    for (; done < count; ++done) count = visit_around(c, c->queue[done], count);
  }
  return components;
}

/* false: there are too many components. */
static bool sort_by_distance(cutter *c, size_t begin, size_t end)
{
  if (search(c, begin, end, c->order[begin]) > MOST_COMPONENTS) return false;
  search(c, begin, end, c->queue[end - begin - 1]); /* the last one is far from all others */
  memcpy(c->order + begin, c->queue, (end - begin) * sizeof *c->order);
  return true;
}

/* ----------------------------------------------------------------------------------- centres -- */

/* Three quarters of the centre: the sum does not overflow, and a third would only round. */
static double centre(const bisect_input *in, uint32_t triangle, int axis)
{
  const uint32_t *t = in->triangles + 3 * (size_t)triangle;
  return in->xyz[3 * (size_t)t[0] + axis] / 4 + in->xyz[3 * (size_t)t[1] + axis] / 4 +
         in->xyz[3 * (size_t)t[2] + axis] / 4;
}

static bool is_less(const bisect_input *in, int axis, uint32_t x, uint32_t y)
{
  double a = centre(in, x, axis), b = centre(in, y, axis);
  return a != b ? a < b : x < y;
}

static int longest_axis(const cutter *c, size_t begin, size_t end)
{
  double low[3], high[3];
  for (int k = 0; k < 3; ++k) low[k] = high[k] = centre(c->in, c->order[begin], k);
  for (size_t i = begin; i < end; ++i)
    for (int k = 0; k < 3; ++k) {
      double x = centre(c->in, c->order[i], k);
      if (x < low[k]) low[k] = x;
      if (x > high[k]) high[k] = x;
    }
  int axis = 0;
  for (int k = 1; k < 3; ++k)
    if (high[k] - low[k] > high[axis] - low[axis]) axis = k;
  return axis;
}

static void swap(uint32_t *x, uint32_t *y)
{
  uint32_t t = *x;
  *x = *y;
  *y = t;
}

/* Hoare's selection: afterwards the triangles before `middle` are less than those from it on. */
static void divide(cutter *c, size_t begin, size_t end, size_t middle, int axis)
{
  uint32_t *o = c->order;
  while (end - begin > 1) {
    size_t half = begin + (end - begin) / 2;
    if (is_less(c->in, axis, o[half], o[begin])) swap(&o[half], &o[begin]);
    if (is_less(c->in, axis, o[end - 1], o[begin])) swap(&o[end - 1], &o[begin]);
    if (is_less(c->in, axis, o[end - 1], o[half])) swap(&o[end - 1], &o[half]);
    uint32_t pivot = o[half];
    size_t i = begin, k = end - 1;
    for (;; ++i, --k) {
      while (is_less(c->in, axis, o[i], pivot)) ++i;
      while (is_less(c->in, axis, pivot, o[k])) --k;
      if (i >= k) break;
      swap(&o[i], &o[k]);
    }
    if (middle <= k)
      end = k + (i == k ? 0 : 1);
    else
      begin = i == k ? k + 1 : i;
    if (middle <= begin || middle >= end) return;
  }
}

/* --------------------------------------------------------------------------------------- all -- */

static int compare_numbers(const void *x, const void *y)
{
  uint32_t a = *(const uint32_t *)x, b = *(const uint32_t *)y;
  return (a > b) - (a < b);
}

/* Parts are ascending within. */
static void cut(cutter *c, size_t begin, size_t end, size_t k)
{
  if (k == 1 || end - begin == 0) {
    qsort(c->order + begin, end - begin, sizeof *c->order, compare_numbers);
    for (size_t i = 0; i < k; ++i) c->ends[c->parts++] = end; /* empty ones at the end */
    return;
  }
  size_t left = k / 2, middle = begin + (size_t)((double)(end - begin) * (double)left / (double)k);
  if (middle > begin && middle < end && !sort_by_distance(c, begin, end))
    divide(c, begin, end, middle, longest_axis(c, begin, end));
  cut(c, begin, middle, left);
  cut(c, middle, end, k - left);
}

bool dist_bisect(const bisect_input *in, size_t k, uint32_t *order, size_t *ends)
{
  size_t n = in->triangle_count, v = in->vertex_count;
  cutter c = {.in = in, .order = order, .ends = ends};
  c.queue = malloc((n + 1) * sizeof *c.queue);
  c.first = malloc((v + 1) * sizeof *c.first);
  c.around = malloc((3 * n + 1) * sizeof *c.around);
  c.stamp = calloc(n + 1, sizeof *c.stamp);
  c.seen = calloc(v + 1, sizeof *c.seen);
  bool good = c.queue && c.first && c.around && c.stamp && c.seen;
  if (good) {
    find_around(&c);
    for (size_t i = 0; i < n; ++i) order[i] = (uint32_t)i;
    cut(&c, 0, n, k);
  }
  free(c.queue);
  free(c.first);
  free(c.around);
  free(c.stamp);
  free(c.seen);
  return good;
}
