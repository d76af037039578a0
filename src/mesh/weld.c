/* Vertices that are one point in every pose, by refinement: all vertices begin in one class, and
 * every set of numbers that must be equal splits the classes. Numbers are sorted as 32-bit
 * words, least significant first, the class last. Invariant: w->keys has the vertices that share
 * their class with another, class by class, each class by ascending vertex. Cost: O(words). A
 * vertex that is alone costs nothing any more. */
#include "core/sort.h"
#include "core/version.h"
#include "mesh/mesh.h"
#include "mesh/weights.h"

#include <string.h>

typedef struct welder {
  uint64_t *keys, *scratch; /* a word above, the vertex below */
  size_t count;
  uint32_t *map; /* the class of each vertex: its least one */
} welder;

/* Word k of what must be equal; `data` is the caller's. */
typedef uint32_t (*word_of)(const void *data, uint32_t vertex, int k);

/* ----------------------------------------------------------------------------------- classes -- */

static uint32_t class_of(const void *data, uint32_t v, int k) { return ((const uint32_t *)data)[v]; }

static void sort_by(welder *w, word_of word, const void *data, int k)
{
  for (size_t i = 0; i < w->count; ++i) {
    uint32_t v = (uint32_t)w->keys[i];
    w->keys[i] = (uint64_t)word(data, v, k) << 32 | v;
  }
  sort_keys_high(w->keys, w->scratch, w->count);
}

static bool same(const welder *w, word_of word, const void *data, int words, uint32_t u, uint32_t v)
{
  bool equal = w->map[u] == w->map[v];
  for (int k = 0; equal && k < words; ++k) equal = word(data, u, k) == word(data, v, k);
  return equal;
}

/* Splits the classes by `words` words per vertex. */
static void split(welder *w, word_of word, const void *data, int words)
{
  for (int k = 0; k < words; ++k) sort_by(w, word, data, k);
  sort_by(w, class_of, w->map, 0);
  size_t kept = 0;
  for (size_t begin = 0, end; begin < w->count; begin = end) {
    uint32_t first = (uint32_t)w->keys[begin];
    for (end = begin + 1; end < w->count && same(w, word, data, words, first, (uint32_t)w->keys[end]);) ++end;
    for (size_t i = begin; i < end; ++i) {
      w->map[(uint32_t)w->keys[i]] = first;
      if (end - begin > 1) w->keys[kept++] = w->keys[i];
    }
  }
  w->count = kept;
}

/* ----------------------------------------------------------------------------- what is equal -- */

static uint32_t half_of(double x, int k)
{
  uint64_t bits;
  x = x == 0 ? 0 : x; /* -0 is 0 */
  memcpy(&bits, &x, sizeof bits);
  return (uint32_t)(k ? bits >> 32 : bits);
}

/* A float is a double as well; what all have in common costs sorting nothing. */
static uint32_t position_word(const void *data, uint32_t v, int k)
{
  double xyz[3];
  positions_get(*(const pl_positions *)data, v, xyz);
  return half_of(xyz[k / 2], k % 2);
}

/* Entry `at` of every vertex's list. */
typedef struct weight_entry {
  const pl_weights *weights;
  size_t at;
} weight_entry;

static bool has_entry(const weight_entry *e, uint32_t v)
{
  return e->at < weights_begin(e->weights, v + (size_t)1) - weights_begin(e->weights, v);
}

static uint32_t weight_word(const void *data, uint32_t v, int k)
{
  const weight_entry *e = data;
  if (!has_entry(e, v)) return k == 0 ? 1 : 0;
  size_t at = weights_begin(e->weights, v) + e->at;
  double weight = weights_at(e->weights, at);
  if (k < 2) return k == 0 || weight == 0 ? 0 : e->weights->governors[at];
  return half_of(weight, k - 2);
}

/* Lists that have ended are compared no further, so that a long one costs its own length only. */
static void split_by_weights(welder *w, const pl_weights *weights)
{
  for (weight_entry e = {.weights = weights}; w->count > 0; ++e.at) {
    split(w, weight_word, &e, 4);
    size_t kept = 0;
    for (size_t i = 0; i < w->count; ++i)
      if (has_entry(&e, (uint32_t)w->keys[i])) w->keys[kept++] = w->keys[i];
    w->count = kept;
  }
}

/* -------------------------------------------------------------------------------------- call -- */

static pl_status check_def(pl_context *context, const pl_weld_def *def, size_t vertices)
{
  if (def->pose_count > 0 && !def->poses)
    return fail(context, PL_ERROR_ARGUMENT, "pose_count is %zu, but poses is NULL", def->pose_count);
  for (size_t i = 0; i < def->pose_count; ++i) {
    pl_status status = positions_check(context, def->poses[i]);
    if (status != PL_OK) return status;
    if (def->poses[i].count != vertices)
      return fail(context, PL_ERROR_MISMATCH, "pose %zu has %zu vertices: the mesh has %zu", i, def->poses[i].count,
                  vertices);
  }
  if (!def->weights) return PL_OK;
  if (def->weights->vertex_count != vertices)
    return fail(context, PL_ERROR_MISMATCH, "there are weights of %zu vertices: the mesh has %zu",
                def->weights->vertex_count, vertices);
  return weights_check_rows(context, def->weights);
}

static void weld(welder *w, const pl_mesh_def *mesh, const pl_weld_def *def)
{
  w->count = mesh->positions.count;
  for (size_t v = 0; v < w->count; ++v) w->keys[v] = v;
  if (def->labels) split(w, class_of, def->labels, 1);
  split(w, position_word, &mesh->positions, 6);
  for (size_t i = 0; i < def->pose_count; ++i) split(w, position_word, &def->poses[i], 6);
  if (def->weights) split_by_weights(w, def->weights);
}

pl_status pl_mesh_weld(pl_context *context, const pl_mesh_def *mesh, const pl_weld_def *def, uint32_t *triangles,
                       uint32_t *map)
{
  pl_mesh_def m;
  pl_weld_def d;
  pl_status status = mesh_take(context, mesh, &m);
  if (status == PL_OK) status = def_take(context, pl_weld_def, def, &d);
  if (status == PL_OK) status = check_def(context, &d, m.positions.count);
  if (status != PL_OK) return status;
  const pl_allocator *allocator = &context->def.allocator;
  size_t n = m.positions.count;
  welder w = {.keys = mem_raw(allocator, n, sizeof *w.keys),
              .scratch = mem_raw(allocator, n, sizeof *w.scratch),
              .map = mem_new(allocator, n, sizeof *w.map)};
  if (w.keys && w.scratch && w.map) {
    weld(&w, &m, &d);
    for (size_t c = 0; triangles && c < 3 * m.triangle_count; ++c) triangles[c] = w.map[m.triangles[c]];
    if (map) memcpy(map, w.map, n * sizeof *map);
  } else
    status = fail(context, PL_ERROR_MEMORY, "no memory to weld %zu vertices", n);
  mem_free_all(allocator, w.map, w.scratch, w.keys);
  return status;
}
