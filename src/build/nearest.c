#include "build/nearest.h"

#include "core/heap.h"

#include <math.h>
#include <string.h>

enum { NEAREST_LEAF = 8 }; /* points of a leaf, at most */

static size_t half_of(size_t begin, size_t end) { return begin + (end - begin) / 2; }

static void make_box(nearest_tree *tree, size_t node, size_t begin, size_t end)
{
  double *box = tree->box[node];
  memcpy(box, tree->items[begin].mid, 3 * sizeof *box);
  memcpy(box + 3, tree->items[begin].mid, 3 * sizeof *box);
  tree->least[node] = tree->items[begin].triangle;
  for (size_t i = begin + 1; i < end; ++i) {
    const build_item *item = &tree->items[i];
    for (int k = 0; k < 3; ++k) {
      box[k] = fmin(box[k], item->mid[k]);
      box[3 + k] = fmax(box[3 + k], item->mid[k]);
    }
    if (item->triangle < tree->least[node]) tree->least[node] = item->triangle;
  }
}

static void cut(nearest_tree *tree, size_t node, size_t begin, size_t end, int levels)
{
  make_box(tree, node, begin, end);
  if (levels == 0) return;
  size_t middle = half_of(begin, end);
  double half[3];
  items_half_extent(tree->items + begin, end - begin, half);
  items_select(tree->items + begin, end - begin, middle - begin, longest_axis(half));
  cut(tree, 2 * node + 1, begin, middle, levels - 1);
  cut(tree, 2 * node + 2, middle, end, levels - 1);
}

bool nearest_create(const pl_allocator *allocator, const double *xyz, size_t count, nearest_tree *out)
{
  memset(out, 0, sizeof *out);
  out->count = count;
  while (count >> out->levels > NEAREST_LEAF) ++out->levels;
  size_t nodes = ((size_t)2 << out->levels) - 1;
  if (!(mem_take(allocator, &out->items, count) && mem_take(allocator, &out->box, nodes) &&
        mem_take(allocator, &out->least, nodes))) {
    nearest_free(allocator, out);
    return false;
  }
  for (size_t i = 0; i < count; ++i) {
    memcpy(out->items[i].mid, xyz + 3 * i, sizeof out->items[i].mid);
    out->items[i].triangle = (uint32_t)i;
  }
  cut(out, 0, 0, count, out->levels);
  return true;
}

void nearest_free(const pl_allocator *allocator, nearest_tree *tree)
{
  mem_free_all(allocator, tree->items, tree->box, tree->least);
  memset(tree, 0, sizeof *tree);
}

/* ------------------------------------------------------------------------------------ search -- */

typedef struct nearest_search {
  const nearest_tree *tree;
  const double *at;
  nearest_point *found; /* a heap: the farthest on top */
  size_t count, most;
  uint32_t except;
  double reach;
} nearest_search;

static bool farther(nearest_point a, nearest_point b)
{
  return a.distance > b.distance || (a.distance == b.distance && a.index > b.index);
}

static double length(const double d[3]) { return sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]); }

/* Of no point below the node is a distance as computed here less: rounding keeps the order of
 * each operation. */
static nearest_point nearest_of_node(const nearest_search *s, size_t node)
{
  const double *box = s->tree->box[node];
  double d[3];
  for (int k = 0; k < 3; ++k) {
    double below = box[k] - s->at[k], above = s->at[k] - box[3 + k];
    d[k] = below > 0 ? below : above > 0 ? above : 0;
  }
  return (nearest_point){length(d), s->tree->least[node]};
}

static double to_middle(const nearest_search *s, size_t node)
{
  const double *box = s->tree->box[node];
  double d[3];
  for (int k = 0; k < 3; ++k) d[k] = s->at[k] - (0.5 * box[k] + 0.5 * box[3 + k]);
  return length(d);
}

/* Which child to open first: the nearer, so that the other may not be wanted any more. The box
 * of a child with an outlier may contain its sibling's; its middle shows that its points are
 * elsewhere. */
static bool right_first(const nearest_search *s, size_t left, nearest_point a, nearest_point b)
{
  if (a.distance != b.distance) return b.distance < a.distance;
  double to_a = to_middle(s, left), to_b = to_middle(s, left + 1);
  return to_a != to_b ? to_b < to_a : b.index < a.index;
}

static bool wanted(const nearest_search *s, nearest_point p)
{
  return p.distance <= s->reach && (s->count < s->most || farther(s->found[0], p));
}

#define FARTHER(o, x, y) ((void)(o), farther((x), (y)))
HEAP(farthest, nearest_point, void, FARTHER, HEAP_PUT)

static void keep(nearest_search *s, nearest_point p)
{
  if (s->count == s->most)
    farthest_down(NULL, s->found, s->count, 0, p);
  else
    farthest_push(NULL, s->found, &s->count, p);
}

static void search_leaf(nearest_search *s, size_t begin, size_t end)
{
  for (size_t i = begin; i < end; ++i) {
    const build_item *item = &s->tree->items[i];
    double d[3];
    for (int k = 0; k < 3; ++k) d[k] = s->at[k] - item->mid[k];
    nearest_point p = {length(d), item->triangle};
    if (p.index != s->except && wanted(s, p)) keep(s, p);
  }
}

static void search(nearest_search *s, size_t node, size_t begin, size_t end, int levels)
{
  if (levels == 0) {
    search_leaf(s, begin, end);
    return;
  }
  size_t middle = half_of(begin, end), left = 2 * node + 1, right = 2 * node + 2;
  nearest_point a = nearest_of_node(s, left), b = nearest_of_node(s, right);
  bool swapped = right_first(s, left, a, b);
  if (swapped && wanted(s, b)) search(s, right, middle, end, levels - 1);
  if (wanted(s, a)) search(s, left, begin, middle, levels - 1);
  if (!swapped && wanted(s, b)) search(s, right, middle, end, levels - 1);
}

static void sort_by_index(nearest_point *points, size_t count)
{
  for (size_t i = 1; i < count; ++i) {
    nearest_point p = points[i];
    size_t k = i;
    for (; k > 0 && points[k - 1].index > p.index; --k) points[k] = points[k - 1];
    points[k] = p;
  }
}

size_t nearest_find(const nearest_tree *tree, const double at[3], uint32_t except, double reach, size_t most,
                    nearest_point *out)
{
  nearest_search s = {tree, at, out, 0, most, except, reach};
  search(&s, 0, 0, tree->count, tree->levels);
  sort_by_index(out, s.count);
  return s.count;
}
