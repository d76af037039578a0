/* Trees with n - 1 inner nodes and n leaves of one triangle, refitted by one loop: leaves from
 * their corners, inner nodes from their two children. The library's own trees of this shape go
 * through code that serves every arity and leaf size; this says what that costs. Cut at the
 * median of the midpoints: van den Bergen cuts at the centre, but the number of nodes, and so
 * the cost, is the same. Invariant: children of an inner node come after it, or are leaves;
 * leaves below a node are a range. */
#include "bench/binary_refit.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#if defined(__SSE2__)
#include <emmintrin.h>
#endif

/* Least x, y, z, and one float that means nothing; greatest x, y, z, and another. */
typedef struct wide_box {
  _Alignas(32) float least[4], greatest[4];
} wide_box;

typedef struct inner_node {
  int left, right; /* boxes */
  int begin, end;  /* leaves below */
} inner_node;

typedef struct binary_tree {
  int leaves;
  int used;               /* inner nodes */
  inner_node *inner;      /* leaves - 1, depth first */
  uint32_t (*corners)[3]; /* of the leaves, as offsets of their first float */
  wide_box *boxes;        /* inner nodes, then leaves */
  float *xyz;             /* the pose; one float more, as corners are read four floats at a time */
} binary_tree;

/* ------------------------------------------------------------------------------------- build -- */

typedef struct sorted_triangle {
  float key;
  float middle[3]; /* three times the midpoint */
  uint32_t corners[3];
} sorted_triangle;

static int by_key(const void *a, const void *b)
{
  const sorted_triangle *p = a, *q = b;
  return (p->key > q->key) - (p->key < q->key);
}

static void sort_along_widest(sorted_triangle *list, int count)
{
  int widest = 0;
  float width = -1;
  for (int k = 0; k < 3; ++k) {
    float least = INFINITY, greatest = -INFINITY;
    for (int i = 0; i < count; ++i) {
      least = fminf(least, list[i].middle[k]);
      greatest = fmaxf(greatest, list[i].middle[k]);
    }
    if (greatest - least <= width) continue;
    width = greatest - least;
    widest = k;
  }
  for (int i = 0; i < count; ++i) list[i].key = list[i].middle[widest];
  qsort(list, (size_t)count, sizeof *list, by_key);
}

/* The box of leaves [begin, end); as deep as the logarithm of their number. */
static int build(binary_tree *t, sorted_triangle *list, int begin, int end)
{
  if (end - begin == 1) return t->leaves - 1 + begin;
  int node = t->used++, middle = begin + (end - begin) / 2;
  sort_along_widest(list + begin, end - begin);
  t->inner[node].begin = begin;
  t->inner[node].end = end;
  t->inner[node].left = build(t, list, begin, middle);
  t->inner[node].right = build(t, list, middle, end);
  return node;
}

static void tree_free(binary_tree *t)
{
  free(t->inner);
  free(t->corners);
  free(t->boxes);
  free(t->xyz);
}

/* From the pose of frame 0. false: out of memory; free it all the same. */
static bool tree_make(const bench_play *play, int body, binary_tree *t)
{
  const bench_poses *p = play->poses;
  const scene_mesh *mesh = &play->cast->meshes[body];
  size_t n = mesh->triangle_count, floats = p->begin[body + 1] - p->begin[body];
  const float *xyz = p->xyz[1] + p->begin[body];
  *t = (binary_tree){.leaves = (int)n};
  t->inner = malloc(n * sizeof *t->inner);
  t->corners = malloc(n * sizeof *t->corners);
  t->boxes = aligned_alloc(_Alignof(wide_box), 2 * n * sizeof *t->boxes);
  t->xyz = calloc(floats + 1, sizeof *t->xyz);
  sorted_triangle *list = malloc(n * sizeof *list);
  bool ok = t->inner && t->corners && t->boxes && t->xyz && list;
  for (size_t i = 0; ok && i < n; ++i)
    for (int c = 0; c < 3; ++c) {
      list[i].corners[c] = 3 * mesh->triangles[3 * i + (size_t)c];
      for (int k = 0; k < 3; ++k)
        list[i].middle[k] = (c ? list[i].middle[k] : 0) + xyz[list[i].corners[c] + (uint32_t)k];
    }
  if (ok) build(t, list, 0, t->leaves);
  for (size_t i = 0; ok && i < n; ++i) memcpy(t->corners[i], list[i].corners, sizeof *t->corners);
  free(list);
  return ok;
}

/* ------------------------------------------------------------------------------------- refit -- */

/* Four floats, of which three have a meaning. Compilers do not find these minima by themselves,
 * which costs half of the speed. */
#if defined(__SSE2__)
typedef __m128 quad;
static inline quad quad_load(const float *x) { return _mm_loadu_ps(x); }
static inline void quad_store(quad x, float *out) { _mm_store_ps(out, x); }
static inline quad quad_least(quad a, quad b) { return _mm_min_ps(a, b); }
static inline quad quad_greatest(quad a, quad b) { return _mm_max_ps(a, b); }
#else
typedef struct quad {
  float x[4];
} quad;
static inline quad quad_load(const float *x) { return (quad){{x[0], x[1], x[2], x[3]}}; }
static inline void quad_store(quad a, float *out) { memcpy(out, a.x, sizeof a.x); }
static inline quad quad_least(quad a, quad b)
{
  for (int k = 0; k < 4; ++k) a.x[k] = a.x[k] < b.x[k] ? a.x[k] : b.x[k];
  return a;
}
static inline quad quad_greatest(quad a, quad b)
{
  for (int k = 0; k < 4; ++k) a.x[k] = a.x[k] > b.x[k] ? a.x[k] : b.x[k];
  return a;
}
#endif

static inline void refit_leaf(const binary_tree *t, int leaf)
{
  wide_box *box = &t->boxes[t->leaves - 1 + leaf];
  const uint32_t *corners = t->corners[leaf];
  quad a = quad_load(t->xyz + corners[0]), b = quad_load(t->xyz + corners[1]), c = quad_load(t->xyz + corners[2]);
  quad_store(quad_least(quad_least(a, b), c), box->least);
  quad_store(quad_greatest(quad_greatest(a, b), c), box->greatest);
}

/* Leaves just before the first node that needs them, so that they are still in the first cache. */
static void refit(const binary_tree *t)
{
  int leaf = t->leaves;
  for (int i = t->leaves - 2; i >= 0; --i) {
    while (leaf > t->inner[i].begin) refit_leaf(t, --leaf);
    const wide_box *a = &t->boxes[t->inner[i].left], *b = &t->boxes[t->inner[i].right];
    quad_store(quad_least(quad_load(a->least), quad_load(b->least)), t->boxes[i].least);
    quad_store(quad_greatest(quad_load(a->greatest), quad_load(b->greatest)), t->boxes[i].greatest);
  }
}

/* Every box against the triangles below it: minima and maxima do not round, so they must be
 * equal. */
static bool is_right(const binary_tree *t)
{
  for (int i = 0; i < 2 * t->leaves - 1; ++i) {
    bool leaf = i >= t->leaves - 1;
    int begin = leaf ? i - (t->leaves - 1) : t->inner[i].begin, end = leaf ? begin + 1 : t->inner[i].end;
    for (int k = 0; k < 3; ++k) {
      float least = INFINITY, greatest = -INFINITY;
      for (int l = begin; l < end; ++l)
        for (int c = 0; c < 3; ++c) {
          least = fminf(least, t->xyz[t->corners[l][c] + (uint32_t)k]);
          greatest = fmaxf(greatest, t->xyz[t->corners[l][c] + (uint32_t)k]);
        }
      if (t->boxes[i].least[k] != least || t->boxes[i].greatest[k] != greatest) return false;
    }
  }
  return true;
}

/* -------------------------------------------------------------------------------------- play -- */

/* All bodies at one frame; returns the time of the refit, without the copying of the pose. */
static double play_frame(const bench_play *play, binary_tree *trees, int frame)
{
  const bench_poses *p = play->poses;
  for (int b = 0; b < p->bodies; ++b)
    memcpy(trees[b].xyz, p->xyz[1] + (size_t)frame * p->begin[p->bodies] + p->begin[b],
           (p->begin[b + 1] - p->begin[b]) * sizeof(float));
  double start = bench_clock_ms(play);
  for (int b = 0; b < p->bodies; ++b) refit(&trees[b]);
  return bench_clock_ms(play) - start;
}

static bool check(const bench_play *play, binary_tree *trees, int frame)
{
  play_frame(play, trees, frame);
  for (int b = 0; b < play->poses->bodies; ++b)
    if (!is_right(&trees[b])) return false;
  return true;
}

bool bench_binary_refit(bench_play *play, int reps, double *ms, double *n_u)
{
  int bodies = play->poses->bodies, frames = play->poses->frames;
  binary_tree *trees = calloc((size_t)bodies, sizeof *trees);
  bool made = trees != NULL;
  bench_progress(play->report, "%s: the loop for binary trees", play->report->experiment);
  *n_u = 0;
  for (int b = 0; made && b < bodies; ++b) {
    made = tree_make(play, b, &trees[b]);
    *n_u += 2 * trees[b].leaves - 1;
  }
  bool ok = made ? check(play, trees, 0) && check(play, trees, frames - 1) : false;
  for (int r = 0; ok && r < reps; ++r) {
    play_frame(play, trees, 0); /* the caches are full of something else */
    for (int f = 0; f < frames; ++f) {
      double t = play_frame(play, trees, f);
      ms[f] = r == 0 || t < ms[f] ? t : ms[f];
    }
  }
  for (int b = 0; trees && b < bodies; ++b) tree_free(&trees[b]);
  free(trees);
  if (!made) return bench_fail(play->report, "out of memory");
  return ok || bench_fail(play->report, "the loop for binary trees makes wrong boxes; please report this");
}
