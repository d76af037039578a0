#include "bench/swept.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { NONE = INT32_MIN, WIDEST = 8, DEEPEST = 4096 };

#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && defined(NDEBUG)
#define WIDE __attribute__((target_clones("avx2", "default")))
#else
#define WIDE
#endif
#define INLINE static inline __attribute__((always_inline))

/* ------------------------------------------------------------------------------------ create -- */

typedef struct builder {
  swept *tree;
  uint32_t *order;
  float *middle; /* 3 for each triangle */
} builder;

static int longest_side(const builder *b, size_t begin, size_t end)
{
  float low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY};
  for (size_t i = begin; i < end; ++i)
    for (int k = 0; k < 3; ++k) {
      float x = b->middle[3 * (size_t)b->order[i] + (size_t)k];
      low[k] = fminf(low[k], x);
      high[k] = fmaxf(high[k], x);
    }
  int best = 0;
  for (int k = 1; k < 3; ++k)
    if (high[k] - low[k] > high[best] - low[best]) best = k;
  return best;
}

/* Puts the `nth` least triangle along an axis in its place, lesser ones before it. */
static void select_nth(builder *b, size_t begin, size_t end, size_t nth, int axis)
{
  while (end - begin > 1) {
    float pivot = b->middle[3 * (size_t)b->order[begin + (end - begin) / 2] + (size_t)axis];
    size_t i = begin, j = end - 1;
    while (i <= j) {
      while (b->middle[3 * (size_t)b->order[i] + (size_t)axis] < pivot) ++i;
      while (b->middle[3 * (size_t)b->order[j] + (size_t)axis] > pivot) --j;
      if (i > j) break;
      uint32_t t = b->order[i];
      b->order[i++] = b->order[j];
      b->order[j] = t;
      if (!j) break;
      --j;
    }
    if (nth <= j)
      end = j + 1;
    else if (nth >= i)
      begin = i;
    else
      return;
  }
}

static int32_t build(builder *b, size_t begin, size_t end);

/* Cuts a range in `parts` of triangles. */
static void cut(builder *b, size_t begin, size_t end, int parts, size_t at[WIDEST + 1])
{
  at[0] = begin;
  at[parts] = end;
  for (int step = parts; step > 1; step /= 2)
    for (int i = 0; i < parts; i += step) {
      size_t low = at[i], high = at[i + step], middle = low + (high - low) / 2;
      if (high - low > 1) select_nth(b, low, high, middle, longest_side(b, low, high));
      at[i + step / 2] = middle;
    }
}

static int32_t build(builder *b, size_t begin, size_t end)
{
  swept *s = b->tree;
  if (end - begin <= (size_t)s->leaf && s->node_count) {
    s->first[s->leaf_count] = (uint32_t)begin;
    return ~(int32_t)s->leaf_count++;
  }
  int32_t node = (int32_t)s->node_count++;
  size_t at[WIDEST + 1];
  int parts = s->width;
  while (parts > 2 && end - begin <= (size_t)(parts / 2 * s->leaf))
    parts /= 2; /* so that leaves are at least half full */
  cut(b, begin, end, parts, at);
  for (int i = 0; i < s->width; ++i)
    s->child[node * s->width + i] = i < parts && at[i] < at[i + 1] ? build(b, at[i], at[i + 1]) : NONE;
  return node;
}

static bool allocate(swept *s)
{
  size_t n = s->triangle_count + 1, nodes = 2 * n;
  s->child = malloc(nodes * (size_t)s->width * sizeof *s->child);
  s->first = malloc((n + 1) * sizeof *s->first);
  s->corners = malloc(3 * n * sizeof *s->corners);
  s->list = malloc(3 * n * sizeof *s->list);
  s->listed = malloc(n);
  return s->child && s->first && s->corners && s->list && s->listed;
}

/* The different vertices of each leaf, and room for boxes. */
static bool finish(swept *s)
{
  for (size_t leaf = 0; leaf < s->leaf_count; ++leaf) {
    uint32_t *list = s->list + 3 * s->first[leaf], count = 0;
    for (uint32_t i = 3 * s->first[leaf]; i < 3 * s->first[leaf + 1]; ++i) {
      uint32_t k = 0;
      while (k < count && list[k] != s->corners[i]) ++k;
      if (k == count) list[count++] = s->corners[i];
    }
    s->listed[leaf] = (uint8_t)count;
  }
  s->boxes = aligned_alloc(64, (s->node_count * 6 * (size_t)s->width * sizeof(float) / 64 + 1) * 64);
  s->own = aligned_alloc(64, (s->node_count * 8 * sizeof(float) / 64 + 1) * 64);
  s->leaves = s->leaf == 8 ? aligned_alloc(64, (s->leaf_count + 1) * 6 * 8 * sizeof(float)) : NULL;
  s->opened = malloc(s->leaf_count + 1);
  return s->boxes && s->own && s->opened && (s->leaves || s->leaf != 8);
}

bool swept_create(int width, int leaf, const float *xyz, const uint32_t *triangles, size_t triangle_count, swept *out)
{
  *out = (swept){.width = width, .leaf = leaf, .triangle_count = triangle_count};
  builder b = {out, malloc((triangle_count + 1) * sizeof *b.order),
               malloc((triangle_count + 1) * 3 * sizeof *b.middle)};
  bool good = b.order && b.middle && allocate(out);
  for (size_t t = 0; good && t < triangle_count; ++t) {
    b.order[t] = (uint32_t)t;
    for (size_t k = 0; k < 3; ++k)
      b.middle[3 * t + k] =
          xyz[3 * triangles[3 * t] + k] + xyz[3 * triangles[3 * t + 1] + k] + xyz[3 * triangles[3 * t + 2] + k];
  }
  if (good) {
    build(&b, 0, triangle_count);
    out->first[out->leaf_count] = (uint32_t)triangle_count;
    for (size_t t = 0; t < triangle_count; ++t)
      memcpy(out->corners + 3 * t, triangles + 3 * b.order[t], 3 * sizeof *triangles);
    good = finish(out);
  }
  free(b.order);
  free(b.middle);
  if (!good) swept_free(out);
  return good;
}

void swept_free(swept *s)
{
  free(s->child);
  free(s->first);
  free(s->corners);
  free(s->list);
  free(s->listed);
  free(s->boxes);
  free(s->own);
  free(s->leaves);
  free(s->opened);
  memset(s, 0, sizeof *s);
}

/* ------------------------------------------------------------------------------------- refit -- */

/* The fourth number is that of the next vertex: it is computed and ignored. */
INLINE void extend(float box[8], const float *p)
{
  for (int k = 0; k < 4; ++k) box[k] = p[k] < box[k] ? p[k] : box[k];
  for (int k = 0; k < 4; ++k) box[k + 4] = p[k] > box[k + 4] ? p[k] : box[k + 4];
}

INLINE void empty(float box[8])
{
  for (int k = 0; k < 8; ++k) box[k] = k < 4 ? INFINITY : -INFINITY;
}

INLINE void leaf_box(const swept *s, int32_t leaf, const float *from, const float *to, float box[8])
{
  const uint32_t *list = s->list + 3 * s->first[leaf];
  for (int i = 0; i < s->listed[leaf]; ++i) {
    extend(box, from + 3 * (size_t)list[i]);
    extend(box, to + 3 * (size_t)list[i]);
  }
}

WIDE void swept_refit(swept *s, const float *from, const float *to)
{
  const int width = s->width;
  memset(s->opened, 0, s->leaf_count);
  s->from = from;
  s->to = to;
  for (size_t node = s->node_count; node-- > 0;) {
    float *block = s->boxes + node * 6 * (size_t)width, *own = s->own + 8 * node;
    empty(own);
    for (int i = 0; i < width; ++i) {
      int32_t child = s->child[node * (size_t)width + (size_t)i];
      float box[8];
      empty(box);
      if (child != NONE && child < 0)
        leaf_box(s, ~child, from, to, box);
      else if (child != NONE)
        memcpy(box, s->own + 8 * (size_t)child, sizeof box);
      for (int k = 0; k < 4; ++k) own[k] = box[k] < own[k] ? box[k] : own[k];
      for (int k = 4; k < 8; ++k) own[k] = box[k] > own[k] ? box[k] : own[k];
      for (int k = 0; k < 3; ++k) {
        block[k * width + i] = box[k];
        block[(k + 3) * width + i] = box[k + 4];
      }
    }
  }
}

/* The boxes of a leaf's triangles in lanes. */
INLINE const float *open_leaf(swept *s, uint32_t leaf)
{
  float *block = s->leaves + 48 * (size_t)leaf;
  if (s->opened[leaf]) return block;
  s->opened[leaf] = 1;
  for (uint32_t i = 0; i < 8; ++i) {
    float box[8];
    empty(box);
    for (uint32_t c = 0; c < 3 && s->first[leaf] + i < s->first[leaf + 1]; ++c) {
      const size_t v = 3 * (size_t)s->corners[3 * (s->first[leaf] + i) + c];
      extend(box, s->from + v);
      extend(box, s->to + v);
    }
    for (uint32_t k = 0; k < 3; ++k) {
      block[8 * k + i] = box[k];
      block[8 * (k + 3) + i] = box[k + 4];
    }
  }
  return block;
}

/* -------------------------------------------------------------------------------------- walk -- */

/* Which of the children overlap a box: a bit each. */
INLINE unsigned overlap(const float *block, int width, const float box[6])
{
  int hit[WIDEST];
  for (int i = 0; i < width; ++i) {
    hit[i] = 1;
    for (int k = 0; k < 3; ++k) hit[i] &= (block[k * width + i] <= box[k + 3]) & (block[(k + 3) * width + i] >= box[k]);
  }
  unsigned bits = 0;
  for (int i = 0; i < width; ++i) bits |= (unsigned)hit[i] << i;
  return bits;
}

INLINE void child_box(const swept *s, int32_t node, int i, float box[6])
{
  for (int k = 0; k < 6; ++k) box[k] = s->boxes[((size_t)node * 6 + (size_t)k) * (size_t)s->width + (size_t)i];
}

typedef struct item {
  int32_t a, b;
  float box[2][6]; /* of leaves: theirs */
} item;

/* Pairs of triangles of two leaves with these boxes. */
INLINE size_t triangles_of(swept *a, swept *b, const item *pair)
{
  if (a->leaf != 8) return 1;
  const float *x = open_leaf(a, (uint32_t)~pair->a), *y = open_leaf(b, (uint32_t)~pair->b);
  size_t found = 0;
  for (unsigned near = overlap(x, 8, pair->box[1]); near; near &= near - 1) {
    const int i = __builtin_ctz(near);
    float box[6];
    for (int k = 0; k < 6; ++k) box[k] = x[8 * k + i];
    found += (size_t)__builtin_popcount(overlap(y, 8, box));
  }
  return found;
}

INLINE size_t pairs_of(swept *a, swept *b, item top, item *stack, bool triangles)
{
  size_t found = 0, count = 1;
  stack[0] = top;
  while (count && count < DEEPEST) {
    const item now = stack[--count];
    const bool same = a == b && now.a == now.b, one = now.a < 0;
    for (int i = 0; i < (one ? 1 : a->width); ++i) {
      item next = {now.a, now.b, {{0}, {0}}};
      if (one)
        memcpy(next.box[0], now.box[0], sizeof next.box[0]);
      else
        child_box(a, now.a, i, next.box[0]), next.a = a->child[now.a * a->width + i];
      if (next.a == NONE) continue;
      float far[6] = {0};
      memcpy(far, now.box[1], sizeof far);
      unsigned hits = now.b < 0 ? 1u : overlap(b->boxes + (size_t)now.b * 6 * (size_t)b->width, b->width, next.box[0]);
      if (now.b < 0)
        for (int k = 0; k < 3; ++k)
          if (next.box[0][k] > far[k + 3] || next.box[0][k + 3] < far[k]) hits = 0;
      for (; hits; hits &= hits - 1) {
        int j = __builtin_ctz(hits);
        if (same && j < i) continue;
        item pair = next;
        if (now.b >= 0)
          child_box(b, now.b, j, pair.box[1]), pair.b = b->child[now.b * b->width + j];
        else
          memcpy(pair.box[1], now.box[1], sizeof pair.box[1]);
        if (pair.b == NONE) continue;
        if (pair.a < 0 && pair.b < 0)
          found += triangles ? triangles_of(a, b, &pair) : 1;
        else
          stack[count++] = pair;
      }
    }
  }
  return found;
}

static _Thread_local item stack[DEEPEST + WIDEST * WIDEST];

WIDE size_t swept_pairs(swept *a, swept *b) { return pairs_of(a, b, (item){0, 0, {{0}, {0}}}, stack, false); }
WIDE size_t swept_triangles(swept *a, swept *b) { return pairs_of(a, b, (item){0, 0, {{0}, {0}}}, stack, true); }
