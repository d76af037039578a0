/* Volumes from a node's own vertices, without the volumes between. Larsson and Akenine-Moeller
 * 2001 (thesis, paper A). The vertices of the border's children are kept as runs of consecutive
 * indices: files and generators number neighbours together, so that the eager pass reads long
 * pieces of the caller's array in order instead of gathering single vertices. Invariant: the
 * runs of a child cover exactly its vertices; those of 8 and more come first, then those of 4 to
 * 7, then the others, each ascending. Cost: O(vertices of the node) for a block; O(vertices),
 * once, for the runs. */
#include "core/sort.h"
#include "update/update.h"

#include <string.h>

/* NULL where runs are too short to pay. */
typedef struct vertices_state {
  uint32_t *run_first; /* per border node and lane: border_count * width + 1 */
  vertex_run *runs;
  size_t run_room; /* of runs */
} vertices_state;

typedef struct run_maker {
  const tree *tree;
  uint64_t *keys, *scratch;
  ARRAY(vertex_run) runs;
  const pl_allocator *allocator;
} run_maker;

static size_t collect(run_maker *m, int32_t child)
{
  const tree *t = m->tree;
  size_t n = 0;
  if (child < 0) {
    for (uint32_t k = t->prims.list_first[~child]; k < t->prims.list_first[~child + 1]; ++k)
      m->keys[n++] = t->prims.list[k];
  } else {
    for (uint32_t k = t->prims.vertex_first[child]; k < t->prims.vertex_end[child]; ++k)
      m->keys[n++] = t->prims.order[k];
    for (uint32_t k = t->prims.extra_first[child]; k < t->prims.extra_first[child + 1]; ++k)
      m->keys[n++] = t->prims.extra[k];
  }
  sort_keys(m->keys, m->scratch, n);
  return n;
}

/* Orders runs by length: 8 and more, 4 to 7, fewer. Kernels have a loop for each. */
static int class_of(const vertex_run *run) { return run->count >= 8 ? 0 : run->count >= 4 ? 1 : 2; }

static void class_runs(vertex_run *runs, size_t n, vertex_run *scratch)
{
  size_t at = 0;
  memcpy(scratch, runs, n * sizeof *runs);
  for (int c = 0; c < 3; ++c)
    for (size_t i = 0; i < n; ++i)
      if (class_of(&scratch[i]) == c) runs[at++] = scratch[i];
}

static bool add_runs(run_maker *m, int32_t child)
{
  size_t n = collect(m, child), first = m->runs.count;
  for (size_t i = 0; i < n; ++i) {
    uint32_t v = (uint32_t)m->keys[i];
    vertex_run *last = m->runs.count > first ? &m->runs.data[m->runs.count - 1] : NULL;
    if (last && v < last->start + last->count) continue; /* padding */
    if (last && v == last->start + last->count) {
      ++last->count;
      continue;
    }
    if (!array_reserve(m->allocator, &m->runs, m->runs.count + 1)) return false;
    m->runs.data[m->runs.count++] = (vertex_run){v, 1};
  }
  /* there are no more runs than keys */
  class_runs(m->runs.data + first, m->runs.count - first, (vertex_run *)(void *)m->scratch);
  return true;
}

static pl_status create(update *u, const pl_body_def *def)
{
  (void)def;
  if (!u->border_count || update_is_eager(u) || !u->tree->prims.order) return PL_OK;
  vertices_state *state = u->state;
  const pl_allocator *allocator = &u->context->def.allocator;
  tree *t = u->tree;
  size_t width = (size_t)t->nodes.width, slots = u->border_count * width,
         most = (size_t)t->prims.vertex_count + 3 * (size_t)LIST_PAD + 24;
  run_maker m = {.tree = t, .allocator = allocator};
  m.keys = mem_raw(allocator, most, sizeof *m.keys);
  m.scratch = mem_raw(allocator, most, sizeof *m.scratch);
  uint32_t *first = mem_raw(allocator, slots + 1, sizeof *first);
  bool memory = m.keys && m.scratch && first;
  for (size_t s = 0; memory && s < slots; ++s) {
    uint32_t node = u->border[s / width];
    first[s] = (uint32_t)m.runs.count;
    if ((int)(s % width) < t->nodes.children[node]) memory = add_runs(&m, tree_children(t, node)[s % width]);
  }
  if (memory) first[slots] = (uint32_t)m.runs.count;
  mem_free(allocator, m.keys);
  mem_free(allocator, m.scratch);
  if (memory && m.runs.count <= t->prims.vertex_count / 3) {
    state->run_first = first;
    state->runs = m.runs.data;
    state->run_room = m.runs.capacity;
    t->bytes += (slots + 1) * sizeof *first + m.runs.capacity * sizeof *m.runs.data;
    return PL_OK;
  }
  mem_free(allocator, first);
  array_free(allocator, &m.runs);
  return memory ? PL_OK : fail(u->context, PL_ERROR_MEMORY, "no memory for the upper levels of a tree");
}

/* Runs of border nodes may be others now; the lists of leaves have them all. */
static void resorted(update *u)
{
  vertices_state *state = u->state;
  if (!state->run_first) return;
  const size_t slots = (size_t)u->border_count * (size_t)u->tree->nodes.width;
  u->tree->bytes -= (slots + 1) * sizeof *state->run_first + state->run_room * sizeof *state->runs;
  mem_free(&u->context->def.allocator, state->run_first);
  mem_free(&u->context->def.allocator, state->runs);
  *state = (vertices_state){0};
}

static void destroy(update *u)
{
  vertices_state *state = u->state;
  mem_free(&u->context->def.allocator, state->run_first);
  mem_free(&u->context->def.allocator, state->runs);
}

static uint64_t block(update *u, int in, uint32_t node)
{
  if (in == LAYER_BOXES) return u->kernels->refit->block(u->tree, u->points, node);
  return update_fit_shapes(u, node);
}

static uint64_t border(update *u, uint32_t index)
{
  const vertices_state *state = u->state;
  uint32_t node = u->border[index];
  if (!state->run_first) return block(u, LAYER_BOXES, node);
  return u->kernels->refit->block_by_runs(u->tree, u->points, node,
                                          state->run_first + (size_t)index * (size_t)u->tree->nodes.width, state->runs);
}

const source_kind source_gathered = {.reads = MOTION_STORED, .from_vertices = true, .tight = true, .block = block};
const source_kind source_vertices = {.reads = MOTION_STORED,
                                     .from_vertices = true,
                                     .tight = true,
                                     .state_size = sizeof(vertices_state),
                                     .create = create,
                                     .destroy = destroy,
                                     .block = block,
                                     .border = border,
                                     .resorted = resorted};
