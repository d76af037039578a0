/* The box of a body's vertices. The tree is searched once for each of the six sides: the child
 * that reaches furthest first, and none that reaches no further than a vertex that was found. A
 * vertex of an opened leaf counts for all sides. The box is kept until the body moves. Threads
 * that ask at the same time may all search; they find and keep the same numbers. Cost: O(log n)
 * where volumes are tight, O(n) at worst; O(1) if the body has not moved since the last search. */
#include "body/body.h"

#include <string.h>

typedef struct side_search {
  pl_body *body;
  const pl_transform *there; /* to the world; NULL: volumes are there */
  aabb found;                /* of the vertices so far, rounded outward */
} side_search;

/* How far a box reaches to a side: -x, -y, -z, x, y, z. */
static float reach_of(const aabb *box, int side) { return side < 3 ? -box->lower[side] : box->upper[side - 3]; }

static void add_leaf(side_search *s, uint32_t leaf)
{
  const primitives *p = &s->body->tree->prims;
  for (uint32_t i = p->list_first[leaf]; i < p->list_first[leaf + 1]; ++i) {
    double q[3];
    points_world(&s->body->motion.now, p->list[i], q);
    for (int k = 0; k < 3; ++k) {
      const float low = round_down(q[k]), high = round_up(q[k]);
      s->found.lower[k] = low < s->found.lower[k] ? low : s->found.lower[k];
      s->found.upper[k] = high > s->found.upper[k] ? high : s->found.upper[k];
    }
  }
}

static void search_side(side_search *s, uint32_t node, int side)
{
  tree *t = s->body->tree;
  const int count = t->nodes.children[node];
  float reach[8];
  if (!tree_is_true(t, LAYER_BOXES, node)) update_ensure(s->body->update, LAYER_BOXES, node);
  for (int lane = 0; lane < count; ++lane) {
    const aabb box = aabb_lane(tree_block(t, node), t->nodes.width, lane), world = space_box_to_world(s->there, &box);
    reach[lane] = reach_of(&world, side);
  }
  for (int visited = 0; visited < count; ++visited) {
    int lane = 0;
    for (int i = 1; i < count; ++i) lane = reach[i] > reach[lane] ? i : lane;
    if (!(reach[lane] > reach_of(&s->found, side))) return;
    const int32_t child = tree_children(t, node)[lane];
    if (child < 0)
      add_leaf(s, (uint32_t)~child);
    else
      search_side(s, (uint32_t)child, side);
    reach[lane] = -INFINITY;
  }
}

aabb body_box(pl_body *body)
{
  vertex_box *kept = &body->box;
  aabb box;
  if (atomic_load_explicit(&kept->moves, memory_order_acquire) == body->moves + 1) {
    for (int k = 0; k < 3; ++k) {
      box.lower[k] = atomic_load_explicit(&kept->lower[k], memory_order_relaxed);
      box.upper[k] = atomic_load_explicit(&kept->upper[k], memory_order_relaxed);
    }
    return box;
  }
  side_search s = {.body = body, .there = motion_space(&body->motion), .found = aabb_empty()};
  for (int side = 0; side < 6; ++side) search_side(&s, TREE_ROOT, side);
  for (int k = 0; k < 3; ++k) {
    /* -0 becomes 0: which of them was found first depends on the tree */
    box.lower[k] = s.found.lower[k] + 0.0f;
    box.upper[k] = s.found.upper[k] + 0.0f;
    atomic_store_explicit(&kept->lower[k], box.lower[k], memory_order_relaxed);
    atomic_store_explicit(&kept->upper[k], box.upper[k], memory_order_relaxed);
  }
  atomic_store_explicit(&kept->moves, body->moves + 1, memory_order_release);
  return box;
}

pl_status pl_body_box(pl_body *body, float lower[3], float upper[3])
{
  if (!body) return fail_null("body");
  if (!lower || !upper) return fail(body->context, PL_ERROR_ARGUMENT, "%s is NULL", lower ? "upper" : "lower");
  uint64_t made = 0;
  call c;
  pl_status status = body_query(&c, body);
  if (status != PL_OK) return status;
  status = body_update(body, &made);
  aabb box = aabb_empty();
  if (status == PL_OK) box = body_box(body);
  call_query_end(&c);
  if (status != PL_OK) return status;
  memcpy(lower, box.lower, sizeof box.lower);
  memcpy(upper, box.upper, sizeof box.upper);
  return PL_OK;
}
