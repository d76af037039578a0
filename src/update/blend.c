/* Stored volumes of a morphing tree: for each reference and each knot between two, all blocks (and shapes) as a refit makes them, kept
 * beside each other. Larsson and Akenine-Moeller 2003 (thesis, paper B, sections 6.3 and 6.5). Cost: one refit per stored shape, once;
 * 24 bytes per volume and stored shape, and the shape's own; 12 per vertex of a leaf and reference. */
#include "update/update.h"

#include <string.h>

static float greatest(const float *block, int components, int width, int children)
{
  float most = 0;
  for (int k = 0; k < components; ++k)
    for (int lane = 0; lane < children; ++lane) {
      float x = fabsf(block[k * width + lane]);
      most = x > most ? x : most;
    }
  return most;
}

/* All blocks of the tree as they would be with these positions, to the places of a stored shape. */
static void store(blend *b, tree *t, const kernels *k, const shape_kind *kind, const points *p, int stored)
{
  size_t size = (size_t)AABB_COMPONENTS * (size_t)t->width, shape_size = (size_t)t->shape_floats * (size_t)t->width;
  k->refit(t, p, 0, t->inner_count);
  if (b->shapes) shapes_refit(t, kind, p, 0, t->inner_count);
  for (uint32_t node = 0; node < t->inner_count; ++node) {
    size_t at = (size_t)node * (size_t)b->stored + (size_t)stored;
    memcpy(b->blocks + at * size, tree_block(t, node), size * sizeof *b->blocks);
    b->most[at] = greatest(tree_block(t, node), AABB_COMPONENTS, t->width, t->children[node]);
    if (!b->shapes) continue;
    memcpy(b->shapes + at * shape_size, tree_shapes(t, node), shape_size * sizeof *b->shapes);
    b->shape_most[at] = greatest(tree_shapes(t, node), t->shape_floats, t->width, t->children[node]);
  }
}

/* A knot's components may be small where those of its references are large and cancel. The error bound of a blend must not forget the
 * latter: weights and vertices are evaluated to some 2^-40 of them. */
static void keep_size(float *most, int stored, uint32_t nodes, const knot_pair *pair, const knot *k)
{
  for (uint32_t node = 0; node < nodes; ++node, most += stored) {
    float least = 0x1p-12f * ((float)fabs(k->alpha) * most[pair->i] + (float)fabs(k->beta) * most[pair->j]);
    if (!(most[k->stored] >= least)) most[k->stored] = least;
  }
}

static pl_status store_knots(pl_context *context, blend *b, tree *t, const kernels *k, const shape_kind *kind)
{
  double *xyz = mem_raw(&context->def.allocator, b->m->vertex_count + 1, 3 * sizeof *xyz);
  if (!xyz) return fail(context, PL_ERROR_MEMORY, "no memory for %zu positions", b->m->vertex_count);
  points p = {.data = (const char *)xyz, .stride = 3 * sizeof *xyz, .type = PL_F64};
  for (int i = 0; i < b->knots.pair_count; ++i) {
    const knot_pair *pair = &b->knots.pairs[i];
    for (int e = pair->first; e < pair->first + pair->count; ++e) {
      const knot *at = &b->knots.knots[e];
      if (at->stored < b->m->count) continue; /* a reference */
      for (size_t v = 0; v < b->m->vertex_count; ++v) between_point(b->m, pair, at, v, xyz + 3 * v);
      store(b, t, k, kind, &p, at->stored);
      keep_size(b->most, b->stored, t->inner_count, pair, at);
      if (b->shapes) keep_size(b->shape_most, b->stored, t->inner_count, pair, at);
    }
  }
  mem_free(&context->def.allocator, xyz);
  return PL_OK;
}

static size_t lists_size(const tree *t, const morph *m)
{
  return ((size_t)t->leaf_count * BLEND_FIRST + 3 * (size_t)t->list_first[t->leaf_count]) * (size_t)m->count +
         BLEND_SPARE; /* loads are 8 wide */
}

static void make_list(const tree *t, const morph *m, uint32_t leaf, int reference, float *to)
{
  const uint32_t *list = t->list + t->list_first[leaf];
  uint32_t n = t->list_first[leaf + 1] - t->list_first[leaf];
  const float *from = (const float *)m->references + 3 * (size_t)reference;
  size_t step = 3 * (size_t)m->count;
  float most = 0;
  for (size_t a = 0; a < 3; ++a) {
    to[a] = from[list[0] * step + a];
    for (uint32_t k = 0; k < n; ++k) {
      float d = from[list[k] * step + a] - to[a];
      to[BLEND_FIRST + a * n + k] = d;
      most = fabsf(d) > most ? fabsf(d) : most;
    }
  }
  to[3] = most;
}

/* Float references once more, leaf by leaf: all that an opened leaf reads stands together. */
static bool make_lists(const pl_allocator *allocator, const tree *t, const morph *m, blend *b)
{
  b->lists = mem_new(allocator, lists_size(t, m), sizeof *b->lists);
  if (!b->lists) return false;
  for (uint32_t leaf = 0; leaf < t->leaf_count; ++leaf)
    for (int i = 0; i < m->count; ++i)
      make_list(t, m, leaf, i,
                blend_list(b, t, leaf) + (size_t)i * BLEND_LIST(t->list_first[leaf + 1] - t->list_first[leaf]));
  return true;
}

static bool allocate(const pl_allocator *allocator, blend *b, tree *t, const shape_kind *kind)
{
  size_t n = (size_t)t->inner_count * (size_t)b->stored, terms = b->m->count < 2 ? 2 : (size_t)b->m->count;
  size_t size = (size_t)AABB_COMPONENTS * (size_t)t->width, shape_size = (size_t)t->shape_floats * (size_t)t->width;
  b->blocks = mem_raw(allocator, n, size * sizeof *b->blocks);
  b->most = mem_raw(allocator, n, sizeof *b->most);
  b->now.stored = mem_raw(allocator, terms, sizeof *b->now.stored);
  b->now.weight = mem_raw(allocator, terms, sizeof *b->now.weight);
  if (!b->blocks || !b->most || !b->now.stored || !b->now.weight) return false;
  t->bytes += n * (size + 1) * sizeof(float);
  if (b->m->type == PL_F32) {
    if (!make_lists(allocator, t, b->m, b)) return false;
    t->bytes += lists_size(t, b->m) * sizeof(float);
  }
  if (!kind || !kind->blends) return true;
  b->intervals = kind->intervals;
  b->shapes = mem_raw(allocator, n, shape_size * sizeof *b->shapes);
  b->shape_most = mem_raw(allocator, n, sizeof *b->shape_most);
  t->bytes += n * (shape_size + 1) * sizeof(float);
  return b->shapes && b->shape_most;
}

pl_status blend_create(pl_context *context, tree *t, const morph *m, const pl_morph_def *def, const shape_kind *kind,
                       blend *out)
{
  *out = (blend){.m = m};
  pl_status status = between_create(context, def, m, &out->knots);
  if (status != PL_OK) return status;
  out->stored = m->count + out->knots.extra;
  if (!allocate(&context->def.allocator, out, t, kind)) {
    blend_free(context, out);
    return fail(context, PL_ERROR_MEMORY, "no memory for the volumes of %d references", m->count);
  }
  const kernels *k = kernels_of(context->isa);
  for (int i = 0; i < m->count; ++i) {
    pl_positions r = morph_reference(m, i);
    points p = {.data = r.data, .stride = r.stride, .type = r.type};
    store(out, t, k, kind, &p, i);
  }
  if (out->knots.extra) status = store_knots(context, out, t, k, kind);
  if (status != PL_OK) {
    blend_free(context, out);
    return status;
  }
  tree_next_frame(t);
  blend_choose(out);
  return PL_OK;
}

void blend_choose(blend *b) { between_choose(&b->knots, b->m, &b->now); }

void blend_free(pl_context *context, blend *b)
{
  void *parts[] = {b->blocks, b->most, b->shapes, b->shape_most, b->lists, b->now.stored, b->now.weight};
  for (size_t i = 0; i < sizeof parts / sizeof *parts; ++i) mem_free(&context->def.allocator, parts[i]);
  between_free(context, &b->knots);
  memset(b, 0, sizeof *b);
}

uint64_t blend_make(update *u, uint32_t node)
{
  if (u->b->shapes)
    u->k->blend_shapes(u->t, u->b, node);
  else
    shapes_fit(u->t, u->shape, u->p, node, node + 1);
  return u->k->blend_node(u->t, u->b, node);
}
