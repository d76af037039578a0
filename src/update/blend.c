/* Reference volumes of a morphing tree: for each reference, all blocks as a refit makes them, kept beside each other.
 * Larsson and Akenine-Moeller 2003 (thesis, paper B, section 6.3). Cost: one refit per reference, once; 24 bytes per volume and
 * reference, 12 per vertex of a leaf and reference. */
#include "update/update.h"

#include <string.h>

static float greatest(const float *block, int width, int children)
{
  float most = 0;
  for (int k = 0; k < AABB_COMPONENTS; ++k)
    for (int lane = 0; lane < children; ++lane) {
      float x = fabsf(block[k * width + lane]);
      most = x > most ? x : most;
    }
  return most;
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

pl_status blend_create(pl_context *context, tree *t, const morph *m, blend *out)
{
  const pl_allocator *allocator = &context->def.allocator;
  size_t n = t->inner_count, count = (size_t)m->count, size = (size_t)AABB_COMPONENTS * (size_t)t->width;
  *out = (blend){.m = m};
  out->blocks = mem_raw(allocator, n * count, size * sizeof *out->blocks);
  out->most = mem_raw(allocator, n * count, sizeof *out->most);
  bool room = m->type != PL_F32 || make_lists(allocator, t, m, out);
  if (!out->blocks || !out->most || !room) {
    blend_free(context, out);
    return fail(context, PL_ERROR_MEMORY, "no memory for the volumes of %d references", m->count);
  }
  const kernels *k = kernels_of(context->isa);
  for (int i = 0; i < m->count; ++i) {
    pl_positions r = morph_reference(m, i);
    points p = {.data = r.data, .stride = r.stride, .type = r.type};
    k->refit(t, &p, 0, t->inner_count);
    for (uint32_t node = 0; node < t->inner_count; ++node) {
      memcpy(out->blocks + (node * count + (size_t)i) * size, tree_block(t, node), size * sizeof *out->blocks);
      out->most[node * count + (size_t)i] = greatest(tree_block(t, node), t->width, t->children[node]);
    }
  }
  tree_next_frame(t);
  t->bytes += n * count * (size + 1) * sizeof(float);
  if (out->lists) t->bytes += lists_size(t, m) * sizeof(float);
  return PL_OK;
}

void blend_free(pl_context *context, blend *b)
{
  mem_free(&context->def.allocator, b->blocks);
  mem_free(&context->def.allocator, b->most);
  mem_free(&context->def.allocator, b->lists);
  memset(b, 0, sizeof *b);
}
