/* The loop that all top-down builders share, and the choice of a builder. Invariant: when a node
 * is taken from the stack, all nodes before it in depth-first order are in the list. Cost:
 * O(nodes) without the cuts. */
#include "build/build.h"

#include <assert.h>

enum { DEEPEST = 64, WIDEST = 8 };

/* Three times the levels of a full tree and a few more, so that many levels may have uneven cuts
 * before median cuts must take over; for a binary tree of 2^30 triangles, 34 uneven levels and
 * 30 in reserve. */
int build_depth_limit(size_t triangles, int arity)
{
  int levels = build_full_levels(triangles, arity);
  int limit = 3 * levels + 4;
  return limit < DEEPEST ? limit : DEEPEST;
}

int build_full_levels(size_t triangles, int arity)
{
  int levels = 0;
  for (size_t room = 1; room < triangles; room *= (size_t)arity) ++levels;
  return levels;
}

void build_free(pl_context *context, build_result *result)
{
  mem_free(&context->def.allocator, result->order);
  array_free(&context->def.allocator, &result->nodes);
  result->order = NULL;
}

typedef struct open_range {
  uint32_t begin, end;
  int level;
} open_range;

/* A subtree ends where its last child's subtree ends; children come after their parents, so one
 * backward pass is enough. */
static void set_next(build_node *nodes, size_t count)
{
  for (size_t i = count; i-- > 0;) {
    uint32_t at = (uint32_t)i + 1;
    for (int c = 0; c < nodes[i].children; ++c) at = nodes[at].next;
    nodes[i].next = at;
  }
}

static bool grow_nodes(const build_input *in, build_cut_function cut, void *user, build_result *out)
{
  open_range stack[DEEPEST * (WIDEST - 1) + WIDEST];
  int open = 0;
  stack[open++] = (open_range){0, (uint32_t)in->triangle_count, 0};
  while (open > 0) {
    open_range r = stack[--open];
    assert(r.level <= build_depth_limit(in->triangle_count, in->arity));
    uint32_t cuts[WIDEST];
    int parts = r.end - r.begin <= (uint32_t)in->leaf_size ? 0 : cut(user, out->order, r.begin, r.end, r.level, cuts);
    assert(parts != 1 && parts <= in->arity);
    if (!array_reserve(&in->context->def.allocator, &out->nodes, out->nodes.count + 1)) return false;
    out->nodes.data[out->nodes.count++] = (build_node){.begin = r.begin, .end = r.end, .children = (uint8_t)parts};
    for (int p = parts; p-- > 0;) {
      uint32_t begin = p ? cuts[p - 1] : r.begin;
      assert(begin < cuts[p]);
      stack[open++] = (open_range){begin, cuts[p], r.level + 1};
    }
  }
  return true;
}

pl_status build_top_down(const build_input *in, build_cut_function cut, void *user, build_result *out)
{
  *out = (build_result){0};
  out->order = mem_raw(&in->context->def.allocator, in->triangle_count, sizeof *out->order);
  if (out->order) {
    for (size_t t = 0; t < in->triangle_count; ++t) out->order[t] = (uint32_t)t;
    if (grow_nodes(in, cut, user, out)) {
      set_next(out->nodes.data, out->nodes.count);
      return PL_OK;
    }
  }
  build_free(in->context, out);
  return fail(in->context, PL_ERROR_MEMORY, "no memory for a tree over %zu triangles", in->triangle_count);
}

pl_status build_structure(pl_builder builder, const build_input *in, build_result *out)
{
  static pl_status (*const builders[PL_BUILDER_COUNT])(const build_input *, build_result *) = {
      [PL_BUILDER_SPLIT] = build_split,
      [PL_BUILDER_PARTITION] = build_partition,
      [PL_BUILDER_MATCHING] = build_matching,
  };
  *out = (build_result){0};
  if ((unsigned)builder >= PL_BUILDER_COUNT)
    return fail(in->context, PL_ERROR_ARGUMENT, "builder %d is not one", (int)builder);
  return builders[builder](in, out);
}
