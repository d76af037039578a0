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

/* Float references once more, leaf by leaf: all that an opened leaf reads stands together. */
static bool make_lists(const pl_allocator *allocator, const tree *t, const morph *m, blend *b)
{
  size_t total = t->list_first[t->leaf_count], count = (size_t)m->count;
  b->lists = mem_raw(allocator, total * count, 3 * sizeof *b->lists);
  if (!b->lists) return false;
  float *to = b->lists;
  for (uint32_t leaf = 0; leaf < t->leaf_count; ++leaf)
    for (size_t i = 0; i < count; ++i)
      for (size_t a = 0; a < 3; ++a)
        for (uint32_t k = t->list_first[leaf]; k < t->list_first[leaf + 1]; ++k)
          *to++ = ((const float *)m->references)[(t->list[k] * count + i) * 3 + a];
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
  if (out->lists) t->bytes += t->list_first[t->leaf_count] * count * 3 * sizeof(float);
  return PL_OK;
}

void blend_free(pl_context *context, blend *b)
{
  mem_free(&context->def.allocator, b->blocks);
  mem_free(&context->def.allocator, b->most);
  mem_free(&context->def.allocator, b->lists);
  memset(b, 0, sizeof *b);
}
