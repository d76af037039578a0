/* From a builder's list of nodes to a tree. Cost: O(triangles * depth), for the vertices of
 * every inner node. */
#include "tree/tree.h"

#include "tree/hubs.h"
#include "tree/places.h"

#include <string.h>

/* --------------------------------------------------------------------------------- structure -- */

typedef struct maker {
  const build_input *in;
  const build_result *built;
  tree *tree;
  uint32_t inner, leaf; /* numbers given so far */
} maker;

static void make_leaf(maker *m, const build_node *node, uint32_t slot)
{
  tree *t = m->tree;
  uint32_t leaf = m->leaf++;
  t->nodes.leaf_slot[leaf] = slot;
  t->prims.tri_first[leaf] = node->begin;
  t->prims.tri_first[leaf + 1] = node->end;
  for (uint32_t k = node->begin; k < node->end; ++k) {
    uint32_t id = m->built->order[k];
    t->prims.tri_id[k] = id;
    memcpy(t->prims.tri + 3 * (size_t)k, m->in->triangles + 3 * (size_t)id, 3 * sizeof *t->prims.tri);
  }
}

/* Depth-first; the builder bounds the depth. */
static void make_inner(maker *m, uint32_t index, uint32_t slot, int level)
{
  tree *t = m->tree;
  const build_node *nodes = m->built->nodes.data, *node = &nodes[index];
  uint32_t me = m->inner++;
  t->nodes.slot[me] = slot;
  t->nodes.level[me] = (uint8_t)level;
  if (level + 1 > t->nodes.depth) t->nodes.depth = level + 1;
  /* a root that is itself a leaf becomes the only child */
  int count = node->children ? node->children : 1;
  t->nodes.children[me] = (uint8_t)count;
  uint32_t at = node->children ? index + 1 : index;
  for (int lane = 0; lane < count; ++lane) {
    uint32_t child_slot = me * 8 + (uint32_t)lane;
    if (nodes[at].children) {
      tree_children(t, me)[lane] = (int32_t)m->inner;
      make_inner(m, at, child_slot, level + 1);
    } else {
      tree_children(t, me)[lane] = ~(int32_t)m->leaf;
      make_leaf(m, &nodes[at], child_slot);
    }
    at = nodes[at].next;
  }
  t->nodes.end[me] = m->inner;
}

/* ------------------------------------------------------------------------ vertices of leaves -- */

static uint32_t pad_list(uint32_t *list, uint32_t count, uint32_t least)
{
  while (count % LIST_PAD || count < least) {
    if (list) list[count] = list[count - 1];
    ++count;
  }
  return count;
}

/* Writes the different vertices of triangles [begin, end) that pass `rank[v] < below`; seen[] ==
 * round marks the ones already written. The list is padded to at least `least`; it may be NULL
 * to count only. */
static uint32_t distinct(const tree *t, uint32_t begin, uint32_t end, uint32_t *seen, uint32_t round,
                         const uint32_t *rank, uint32_t below, uint32_t least, uint32_t *list)
{
  uint32_t count = 0;
  for (size_t k = 3 * (size_t)begin; k < 3 * (size_t)end; ++k) {
    uint32_t v = t->prims.tri[k];
    if (seen[v] == round) continue;
    seen[v] = round;
    if (rank && rank[v] >= below) continue;
    if (list) list[count] = v;
    ++count;
  }
  return count ? pad_list(list, count, least) : 0;
}

/* The least length of the lists of leaves: seven of eight leaves need no more. A loop over lists
 * of equal length has a predictable end, which saves more than the repeated vertices cost. */
static uint32_t common_length(const tree *t, uint32_t *seen, uint32_t *round)
{
  enum { MOST = 24 }; /* corners of a leaf */
  uint32_t with[MOST + LIST_PAD + 1] = {0}, sum = 0, length = 0;
  for (uint32_t leaf = 0; leaf < t->nodes.leaf_count; ++leaf)
    ++with[distinct(t, t->prims.tri_first[leaf], t->prims.tri_first[leaf + 1], seen, ++*round, NULL, 0, 0, NULL)];
  while (sum < t->nodes.leaf_count - t->nodes.leaf_count / 8) sum += with[length++];
  return length - 1;
}

static pl_status make_lists(pl_context *context, tree *t, uint32_t *seen, uint32_t *round)
{
  size_t total = 0;
  uint32_t least = common_length(t, seen, round);
  for (uint32_t leaf = 0; leaf < t->nodes.leaf_count; ++leaf)
    total += distinct(t, t->prims.tri_first[leaf], t->prims.tri_first[leaf + 1], seen, ++*round, NULL, 0, least, NULL);
  if (total > UINT32_MAX) return PL_ERROR_MEMORY;
  if (!mem_take(&context->def.allocator, &t->prims.list, total)) return PL_ERROR_MEMORY;
  uint32_t at = 0;
  for (uint32_t leaf = 0; leaf < t->nodes.leaf_count; ++leaf) {
    t->prims.list_first[leaf] = at;
    at += distinct(t, t->prims.tri_first[leaf], t->prims.tri_first[leaf + 1], seen, ++*round, NULL, 0, least,
                   t->prims.list + at);
  }
  t->prims.list_first[t->nodes.leaf_count] = at;
  t->bytes += total * sizeof *t->prims.list;
  return PL_OK;
}

/* At most 24 places to search for each corner; lanes without a triangle repeat the first. */
void tree_make_corners(tree *t, uint32_t leaf)
{
  const uint32_t *list = t->prims.list + t->prims.list_first[leaf];
  uint32_t first = t->prims.tri_first[leaf], count = t->prims.tri_end[leaf] - first;
  for (uint32_t k = 0; k < TREE_LEAF_CORNERS; ++k) {
    uint32_t c = k / 8, lane = k % 8, place = 0;
    while (list[place] != t->prims.tri[3 * (size_t)(first + (lane < count ? lane : 0)) + c]) ++place;
    t->prims.corner[TREE_LEAF_CORNERS * (size_t)leaf + k] = (uint8_t)place;
  }
}

static pl_status make_corners(pl_context *context, tree *t)
{
  t->prims.corner = mem_raw(&context->def.allocator, t->nodes.leaf_count, TREE_LEAF_CORNERS * sizeof *t->prims.corner);
  if (!t->prims.corner) return PL_ERROR_MEMORY;
  for (uint32_t leaf = 0; leaf < t->nodes.leaf_count; ++leaf) tree_make_corners(t, leaf);
  t->bytes += TREE_LEAF_CORNERS * (size_t)t->nodes.leaf_count;
  return PL_OK;
}

/* ------------------------------------------------------------------- vertices of inner nodes -- */

static void first_last_triangle(const tree *t, uint32_t node, uint32_t *begin, uint32_t *end)
{
  uint32_t first, last;
  tree_leaves(t, node, &first, &last);
  *begin = t->prims.tri_first[first];
  *end = t->prims.tri_first[last];
}

/* rank[v]: the place of v in order. touched[k] (may be NULL): vertices touched before triangle
 * k. */
static void make_order(const tree *t, uint32_t *order, uint32_t *rank, uint32_t *touched)
{
  uint32_t next = 0;
  for (uint32_t v = 0; v < t->prims.vertex_count; ++v) rank[v] = UINT32_MAX;
  for (uint32_t k = 0; k < t->prims.triangle_count; ++k) {
    if (touched) touched[k] = next;
    for (int c = 0; c < 3 && !prims_hole(&t->prims, k); ++c) {
      uint32_t v = t->prims.tri[3 * (size_t)k + (size_t)c];
      if (rank[v] != UINT32_MAX) continue;
      rank[v] = next;
      order[next++] = v;
    }
  }
  if (touched) touched[t->prims.triangle_count] = next;
  for (uint32_t v = 0; v < t->prims.vertex_count; ++v)
    if (rank[v] == UINT32_MAX) order[next++] = v;
}

static pl_status make_node_vertices(pl_context *context, tree *t, uint32_t *seen, uint32_t *round)
{
  const pl_allocator *allocator = &context->def.allocator;
  uint32_t *rank = mem_raw(allocator, t->prims.vertex_count, sizeof *rank);
  uint32_t *touched = mem_raw(allocator, (size_t)t->prims.triangle_count + 1, sizeof *touched);
  pl_status status = PL_ERROR_MEMORY;
  if (!(rank && touched && mem_take(allocator, &t->prims.order, t->prims.vertex_count) &&
        mem_take(allocator, &t->prims.vertex_first, t->nodes.inner_count) &&
        mem_take(allocator, &t->prims.vertex_end, t->nodes.inner_count) &&
        mem_take(allocator, &t->prims.extra_first, (size_t)t->nodes.inner_count + 1)))
    goto done;
  make_order(t, t->prims.order, rank, touched);
  size_t total = 0;
  for (int pass = 0; pass < 2; ++pass) { /* count, then write */
    uint32_t at = 0;
    for (uint32_t i = 0; i < t->nodes.inner_count; ++i) {
      uint32_t begin, end;
      first_last_triangle(t, i, &begin, &end);
      t->prims.vertex_first[i] = touched[begin];
      t->prims.vertex_end[i] = touched[end];
      t->prims.extra_first[i] = at;
      at += distinct(t, begin, end, seen, ++*round, rank, touched[begin], 0, pass ? t->prims.extra + at : NULL);
    }
    t->prims.extra_first[t->nodes.inner_count] = at;
    if (pass) break;
    total = at;
    t->prims.extra = mem_raw(allocator, total + 1, sizeof *t->prims.extra);
    if (!t->prims.extra) goto done;
  }
  t->bytes += ((size_t)t->prims.vertex_count + 3 * (size_t)t->nodes.inner_count + total) * sizeof(uint32_t);
  status = PL_OK;
done:
  mem_free_all(allocator, rank, touched);
  return status;
}

/* --------------------------------------------------------------------------------- the whole -- */

static void count_nodes(const build_result *built, tree *t)
{
  for (size_t i = 0; i < built->nodes.count; ++i) {
    if (built->nodes.data[i].children)
      ++t->nodes.inner_count;
    else
      ++t->nodes.leaf_count;
  }
  if (t->nodes.inner_count == 0) t->nodes.inner_count = 1;
}

bool tree_make_layers(const pl_allocator *allocator, tree *t)
{
  const size_t inner = t->nodes.inner_count, width = (size_t)t->nodes.width;
  bool all = true;
  for (int i = 0; i < LAYER_COUNT; ++i) {
    layer *l = &t->layers[i];
    if (!l->floats) continue;
    l->data = mem_new(allocator, inner * width, (size_t)l->floats * sizeof *l->data);
    l->stamp = mem_new(allocator, inner, sizeof *l->stamp);
    t->bytes += inner * (width * (size_t)l->floats * sizeof *l->data + sizeof *l->stamp);
    all = all && l->data && l->stamp;
  }
  return all;
}

static bool allocate(const pl_allocator *allocator, tree *t)
{
  size_t inner = t->nodes.inner_count, leaves = t->nodes.leaf_count, n = t->prims.triangle_count,
         width = (size_t)t->nodes.width;
  const bool room =
      mem_take_new(allocator, &t->nodes.child, inner * width) && mem_take(allocator, &t->nodes.children, inner) &&
      mem_take(allocator, &t->nodes.level, inner) && mem_take(allocator, &t->nodes.end, inner) &&
      mem_take(allocator, &t->nodes.slot, inner) && mem_take(allocator, &t->nodes.leaf_slot, leaves) &&
      mem_take(allocator, &t->prims.tri_first, leaves + 1) && mem_take(allocator, &t->prims.list_first, leaves + 1) &&
      mem_take(allocator, &t->prims.tri, 3 * n) && mem_take(allocator, &t->prims.tri_id, n);
  if (t->prims.tri_first) t->prims.tri_end = t->prims.tri_first + 1;
  t->bytes = inner * (width * sizeof *t->nodes.child + 2 + 2 * sizeof(uint32_t)) + leaves * 3 * sizeof(uint32_t) +
             n * 4 * sizeof(uint32_t) + sizeof *t;
  return room && tree_make_layers(allocator, t);
}

static void clear_blocks(tree *t)
{
  aabb empty = aabb_empty();
  for (uint32_t i = 0; i < t->nodes.inner_count; ++i)
    for (int lane = 0; lane < t->nodes.width; ++lane) aabb_set_lane(tree_block(t, i), t->nodes.width, lane, &empty);
}

pl_status tree_create(const build_input *in, const build_result *built, tree_parts parts, tree *out)
{
  const pl_allocator *allocator = &in->context->def.allocator;
  memset(out, 0, sizeof *out);
  tree *t = out;
  t->nodes.width = in->arity;
  t->nodes.version = 1;
  t->layers[LAYER_BOXES].floats = AABB_COMPONENTS;
  t->layers[LAYER_SHAPES].floats = parts.shape_floats;
  t->layers[LAYER_CONES].floats = parts.cones;
  t->prims.triangle_count = (uint32_t)in->triangle_count;
  t->prims.vertex_count = (uint32_t)in->vertex_count;
  t->frame = 1;
  count_nodes(built, t);
  if (t->nodes.inner_count >= (uint32_t)1 << 29) /* a slot is a node's number and a lane */
    return fail(in->context, PL_ERROR_UNSUPPORTED, "%u inner nodes are too many: use a larger arity or leaf size",
                t->nodes.inner_count);
  uint32_t *seen = mem_new(allocator, in->vertex_count, sizeof *seen), round = 0;
  pl_status status = PL_ERROR_MEMORY;
  if (seen && allocate(allocator, t)) {
    maker m = {in, built, t, 0, 0};
    make_inner(&m, 0, 0, 0);
    clear_blocks(t);
    status = make_lists(in->context, t, seen, &round);
    if (status == PL_OK) status = hubs_make(in->context, t);
    if (status == PL_OK && parts.corners) status = make_corners(in->context, t);
    if (status == PL_OK && parts.from_vertices) status = make_node_vertices(in->context, t, seen, &round);
  }
  mem_free(allocator, seen);
  if (status != PL_OK) {
    tree_free(in->context, t);
    return fail(in->context, status, "no memory for a tree of %zu triangles", in->triangle_count);
  }
  return PL_OK;
}

void tree_free(pl_context *context, tree *t)
{
  structure *n = &t->nodes;
  primitives *p = &t->prims;
  places_free(context, t);
  mem_free_all(&context->def.allocator, n->child, n->children, n->level, n->end, n->slot, n->leaf_slot, p->tri_first,
               p->tri, p->tri_id, p->list_first, p->list, p->corner, p->order, p->extra, p->vertex_first, p->vertex_end,
               p->extra_first, p->fan, p->fan_first, t->mark, t->heap, t->hubs, t->hub);
  mem_free_all(&context->locked, atomic_load(&t->part), t->arcs);
  for (int i = 0; i < LAYER_COUNT; ++i)
    mem_free_all(&context->def.allocator, t->layers[i].data, (void *)t->layers[i].stamp);
  memset(t, 0, sizeof *t);
}

/* first: vertex_count + 2, all 0. */
static void fill_fans(const tree *t, uint32_t *first, uint32_t *fan)
{
  for (int pass = 0; pass < 2; ++pass) {
    for (uint32_t leaf = 0; leaf < t->nodes.leaf_count; ++leaf)
      for (uint32_t k = t->prims.list_first[leaf]; k < t->prims.list_first[leaf + 1]; ++k) {
        uint32_t v = t->prims.list[k];
        if (k > t->prims.list_first[leaf] && t->prims.list[k - 1] == v) break; /* padding */
        if (pass)
          fan[first[v + 1]++] = leaf;
        else
          ++first[v + 2];
      }
    if (!pass)
      for (uint32_t v = 0; v < t->prims.vertex_count; ++v) first[v + 2] += first[v + 1];
  }
}

pl_status tree_make_fans(pl_context *context, tree *t)
{
  if (t->prims.places || (t->prims.fan && !t->prims.fan_stale)) return PL_OK;
  if (t->prims.fan) {
    memset(t->prims.fan_first, 0, ((size_t)t->prims.vertex_count + 2) * sizeof *t->prims.fan_first);
    fill_fans(t, t->prims.fan_first, t->prims.fan);
    t->prims.fan_stale = false;
    return PL_OK;
  }
  const pl_allocator *allocator = &context->def.allocator;
  uint32_t *first = mem_new(allocator, (size_t)t->prims.vertex_count + 2, sizeof *first);
  uint32_t *fan = mem_raw(allocator, t->prims.list_first[t->nodes.leaf_count] + (size_t)1, sizeof *fan);
  uint32_t *mark = mem_new(allocator, (size_t)t->nodes.inner_count + t->nodes.leaf_count, sizeof *mark);
  uint32_t *heap = mem_raw(allocator, t->nodes.inner_count, sizeof *heap);
  if (!first || !fan || !mark || !heap) {
    mem_free_all(allocator, first, fan, mark, heap);
    return fail(context, PL_ERROR_MEMORY, "no memory for the leaves of %u vertices", t->prims.vertex_count);
  }
  fill_fans(t, first, fan);
  t->prims.fan_first = first;
  t->prims.fan = fan;
  t->prims.fan_room = t->prims.list_first[t->nodes.leaf_count];
  t->mark = mark;
  t->heap = heap;
  t->bytes +=
      ((size_t)t->prims.vertex_count + 2 + t->prims.fan_room + 2 * (size_t)t->nodes.inner_count + t->nodes.leaf_count) *
      sizeof(uint32_t);
  return PL_OK;
}

pl_status tree_vertex_order(pl_context *context, const tree *t, uint32_t *order)
{
  if (t->prims.order) {
    memcpy(order, t->prims.order, t->prims.vertex_count * sizeof *order);
    return PL_OK;
  }
  uint32_t *rank = mem_raw(&context->def.allocator, t->prims.vertex_count, sizeof *rank);
  if (!rank) return fail(context, PL_ERROR_MEMORY, "no memory for the order of %u vertices", t->prims.vertex_count);
  make_order(t, order, rank, NULL);
  mem_free(&context->def.allocator, rank);
  return PL_OK;
}

void tree_next_frame(tree *t)
{
  if (++t->frame != STAMP_BUSY) return;
  for (int k = 0; k < LAYER_COUNT; ++k)
    for (uint32_t i = 0; t->layers[k].stamp && i < t->nodes.inner_count; ++i)
      t->layers[k].stamp[i] = 0; /* the frame number wraps around */
  t->frame = 1;
}
