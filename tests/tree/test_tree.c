/* The invariants of a tree (tree/tree.h), checked one by one on every builder, arity, leaf size
 * and mesh; and tree_check() finds each error that is planted. */
#include "body/body.h"
#include "support/worlds.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --------------------------------------------------------------------------------- structure -- */

/* Inner nodes, leaves and triangles of each subtree are ranges that follow each other. */
typedef struct reached {
  uint32_t inner, leaf; /* the next of each */
  int depth;
} reached;

static void visit(const tree *t, int32_t reference, int level, uint32_t slot, reached *at)
{
  if (reference < 0) {
    assert_int_equal((uint32_t)~reference, at->leaf);
    assert_int_equal(t->nodes.leaf_slot[at->leaf], slot);
    at->depth = level > at->depth ? level : at->depth;
    ++at->leaf;
    return;
  }
  const uint32_t node = (uint32_t)reference;
  assert_int_equal(node, at->inner); /* depth first: a child comes after its parent */
  ++at->inner;
  assert_int_equal(t->nodes.level[node], level);
  if (node != TREE_ROOT) assert_int_equal(t->nodes.slot[node], slot);
  assert_true(t->nodes.children[node] >= 1 && t->nodes.children[node] <= t->nodes.width);
  for (int lane = 0; lane < t->nodes.children[node]; ++lane)
    visit(t, tree_children(t, node)[lane], level + 1, 8 * node + (uint32_t)lane, at);
  assert_int_equal(t->nodes.end[node], at->inner);
}

static void check_structure(const tree *t)
{
  reached at = {0, 0, 0};
  visit(t, TREE_ROOT, 0, 0, &at);
  assert_int_equal(at.inner, t->nodes.inner_count);
  assert_int_equal(at.leaf, t->nodes.leaf_count);
  assert_int_equal(at.depth, t->nodes.depth);
}

/* -------------------------------------------------------------------------------- primitives -- */

static bool is_among(const uint32_t *list, uint32_t count, uint32_t v)
{
  for (uint32_t i = 0; i < count; ++i)
    if (list[i] == v) return true;
  return false;
}

static void check_leaves(const tree *t, const pl_mesh_def *mesh)
{
  const primitives *p = &t->prims;
  uint8_t *seen = calloc(p->triangle_count, 1);
  assert_int_equal(p->tri_first[0], 0);
  assert_int_equal(p->tri_first[t->nodes.leaf_count], p->triangle_count);
  for (uint32_t leaf = 0; leaf < t->nodes.leaf_count; ++leaf) {
    const uint32_t *list = p->list + p->list_first[leaf], n = p->list_first[leaf + 1] - p->list_first[leaf];
    assert_true(p->tri_first[leaf + 1] > p->tri_first[leaf] && p->tri_first[leaf + 1] - p->tri_first[leaf] <= 8);
    assert_int_equal(n % LIST_PAD, 0);
    for (uint32_t k = p->tri_first[leaf]; k < p->tri_first[leaf + 1]; ++k) {
      assert_false(seen[p->tri_id[k]]++); /* every triangle once */
      for (int c = 0; c < 3; ++c) {
        const uint32_t v = p->tri[3 * (size_t)k + (size_t)c];
        assert_int_equal(v, mesh->triangles[3 * (size_t)p->tri_id[k] + (size_t)c]);
        assert_true(is_among(list, n, v));
        if (p->corner)
          assert_int_equal(list[p->corner[(size_t)leaf * TREE_LEAF_CORNERS + 8 * (size_t)c + k - p->tri_first[leaf]]],
                           v);
      }
    }
  }
  free(seen);
}

/* The vertices of a subtree: those that are first touched there, and those that earlier nodes
 * have touched. */
static void check_vertices(const tree *t)
{
  const primitives *p = &t->prims;
  if (!p->order) return;
  uint32_t *round = calloc(p->vertex_count, sizeof *round), *place = malloc(p->vertex_count * sizeof *place);
  memset(place, 0xff, p->vertex_count * sizeof *place);
  for (uint32_t k = 0; k < p->vertex_count; ++k) {
    assert_int_equal(place[p->order[k]], UINT32_MAX); /* a permutation */
    place[p->order[k]] = k;
  }
  for (uint32_t node = 0; node < t->nodes.inner_count; ++node) {
    for (uint32_t k = p->vertex_first[node]; k < p->vertex_end[node]; ++k) round[p->order[k]] = node + 1;
    for (uint32_t k = p->extra_first[node]; k < p->extra_first[node + 1]; ++k) round[p->extra[k]] = node + 1;
    int32_t first = (int32_t)node, last = (int32_t)node;
    while (first >= 0) first = tree_children(t, (uint32_t)first)[0];
    while (last >= 0) last = tree_children(t, (uint32_t)last)[t->nodes.children[last] - 1];
    for (uint32_t k = p->tri_first[~first]; k < p->tri_first[~last + 1]; ++k)
      for (int c = 0; c < 3; ++c) assert_int_equal(round[p->tri[3 * (size_t)k + (size_t)c]], node + 1);
  }
  free(round);
  free(place);
}

static void check_stamps(tree *t)
{
  for (uint32_t i = 0; i < t->nodes.inner_count; ++i) tree_stamp(t, LAYER_BOXES, i);
  assert_true(tree_is_true(t, LAYER_BOXES, TREE_ROOT));
  tree_next_frame(t);
  for (uint32_t i = 0; i < t->nodes.inner_count; ++i) assert_false(tree_is_true(t, LAYER_BOXES, i));
  t->frame = STAMP_BUSY - 1; /* the frame number wraps around, and no old stamp is true again */
  tree_stamp(t, LAYER_BOXES, TREE_ROOT);
  tree_next_frame(t);
  assert_true(t->frame >= 1 && t->frame != STAMP_BUSY);
  assert_false(tree_is_true(t, LAYER_BOXES, TREE_ROOT));
}

static void invariants_of_every_tree(void **state)
{
  (void)state;
  int trees = 0;
  for (int kind = 0; kind < WORLD_COUNT; ++kind) {
    world w;
    world_create(kind, 2, &w);
    w.pose(&w, 0);
    pl_mesh_def mesh = world_mesh_def(&w, 0, true);
    pl_context *context = context_of(NULL);
    for (int builder = 0; builder < PL_BUILDER_COUNT; ++builder)
      for (int arity = 2; arity <= 8; arity *= 2)
        for (int leaf = 1; leaf <= 8; leaf += 7) {
          pl_body_def def = body_def_of(builder % 2 ? PL_STRATEGY_TOP_DOWN : PL_STRATEGY_HYBRID, arity, leaf, false);
          def.builder = (pl_builder)builder;
          pl_body *body;
          uint32_t where;
          assert_int_equal(pl_body_create_free(context, &mesh, &def, &body), PL_OK);
          assert_null(tree_check(body->tree, &where));
          check_structure(body->tree);
          check_leaves(body->tree, &mesh);
          check_vertices(body->tree);
          check_stamps(body->tree);
          pl_body_destroy(body);
          ++trees;
        }
    pl_context_destroy(context);
    world_free(&w);
  }
  assert_int_equal(trees, WORLD_COUNT * PL_BUILDER_COUNT * 6);
}

/* ------------------------------------------------------------------------------------ errors -- */

static void errors_are_found(void **state)
{
  (void)state;
  world w;
  world_create(WORLD_SPHERES, 2, &w);
  w.pose(&w, 0);
  pl_mesh_def mesh = world_mesh_def(&w, 0, true);
  pl_context *context = context_of(NULL);
  pl_body_def def = body_def_of(PL_STRATEGY_HYBRID, 4, 4, false);
  pl_body *body;
  assert_int_equal(pl_body_create_free(context, &mesh, &def, &body), PL_OK);
  tree *t = body->tree;
  uint32_t where;
  assert_true(t->nodes.inner_count > 3 && t->nodes.leaf_count > 3);
#define PLANTED(place, value)                                                                                          \
  {                                                                                                                    \
    __typeof__(place) was = (place);                                                                                   \
    (place) = (value);                                                                                                 \
    if (!tree_check(t, &where)) fail_msg("%s = %s is not found", #place, #value);                                      \
    (place) = was;                                                                                                     \
    assert_null(tree_check(t, &where));                                                                                \
  }
  PLANTED(t->nodes.children[1], 0);
  PLANTED(t->nodes.children[1], (uint8_t)(t->nodes.width + 1));
  PLANTED(t->nodes.end[1], 1);
  PLANTED(t->nodes.end[0], t->nodes.inner_count + 1);
  PLANTED(t->nodes.slot[1], t->nodes.slot[1] + 1);
  PLANTED(t->nodes.level[1], 0);
  PLANTED(t->nodes.leaf_slot[0], t->nodes.leaf_slot[0] ^ 1);
  PLANTED(t->nodes.child[0], 0);
  PLANTED(t->nodes.child[0], ~(int32_t)t->nodes.leaf_count);
  PLANTED(t->nodes.leaf_count, t->nodes.leaf_count - 1);
  PLANTED(t->prims.tri_first[0], 1);
  PLANTED(t->prims.tri_first[1], t->prims.tri_first[2]);
  PLANTED(t->prims.triangle_count, t->prims.triangle_count + 1);
  PLANTED(t->nodes.depth, TREE_MOST_DEPTH + 1);
#undef PLANTED
  pl_context_destroy(context);
  world_free(&w);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(invariants_of_every_tree), cmocka_unit_test(errors_are_found)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
