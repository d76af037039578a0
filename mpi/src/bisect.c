/* Recursive bisection of triangles by their centres, along the longest axis of the box of the
 * centres. Equal coordinates are ordered by index, so that the cut is the same for every run.
 * Cost: O(n log k). */
#include "dist.h"

#include <stdlib.h>
#include <string.h>

typedef struct cutter {
  const bisect_input *in;
  uint32_t *order;
  size_t *ends;
  size_t parts; /* so far */
} cutter;

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
  if (middle > begin && middle < end) divide(c, begin, end, middle, longest_axis(c, begin, end));
  cut(c, begin, middle, left);
  cut(c, middle, end, k - left);
}

void dist_bisect(const bisect_input *in, size_t k, uint32_t *order, size_t *ends)
{
  cutter c = {.in = in, .order = order, .ends = ends};
  for (size_t i = 0; i < in->triangle_count; ++i) order[i] = (uint32_t)i;
  cut(&c, 0, in->triangle_count, k);
}
