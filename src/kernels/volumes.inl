/* Walks of bodies with the same kind of shapes: for each kind of SHAPE_LIST, in one space and
 * between two. A kind's own tests stand in its header; `kind` is a constant wherever these
 * functions are inlined, so that the switches leave one case.
 *
 * Between two spaces the boxes of both sides are transformed (oriented.inl), and so are the
 * shapes of a node's children, all lanes together, kept for the next pair with the same node; a
 * pair of shapes is then a test in one space. */
#include "kernels/boxes.inl"
#include "kernels/oriented.inl"
#include "kernels/volume_calls.inl"

/* Which of `lanes` may meet q. */
static KERNEL_SHARED unsigned volume_near_of(const int kind, const float *shapes, const int width, const float *q,
                                             int stride, unsigned lanes)
{
  switch (kind) {
#define VOLUME_CASE(NAME, word)                                                                                        \
  case PL_VOLUME_##NAME:                                                                                               \
    return VOLUME_CALL(NAME, near)(shapes, width, q, stride, lanes);
    SHAPE_LIST(VOLUME_CASE)
#undef VOLUME_CASE
  default:
    return lanes;
  }
}
static KERNEL_INLINE unsigned volume_near(const int kind, const float *shapes, int width, const float *q, int stride,
                                          unsigned lanes)
{
  return width == 8   ? volume_near_of(kind, shapes, 8, q, stride, lanes)
         : width == 4 ? volume_near_of(kind, shapes, 4, q, stride, lanes)
                      : volume_near_of(kind, shapes, 2, q, stride, lanes);
}

/* Traits of a kind: its test comes first; it is tested in both spaces. */
#define VOLUME_FIRST(NAME, word) [PL_VOLUME_##NAME] = NAME##_FIRST,
#define VOLUME_BOTH(NAME, word) [PL_VOLUME_##NAME] = NAME##_BOTH,
static const bool volume_first[PL_VOLUME_COUNT] = {SHAPE_LIST(VOLUME_FIRST)};
static const bool volume_both[PL_VOLUME_COUNT] = {SHAPE_LIST(VOLUME_BOTH)};

/* ------------------------------------------------------------------------------ in one space -- */

static KERNEL_INLINE unsigned volume_hits(const int kind, const tree *t, uint32_t node, const shape_lane *q)
{
  const float *block = tree_block(t, node), *shapes = tree_shapes(t, node);
  const aabb box = aabb_lane(q->part[0], q->width, 0);
  unsigned left = (1u << t->nodes.children[node]) - 1;
  if (volume_first[kind]) {
    left = volume_near(kind, shapes, t->nodes.width, q->part[1], q->width, left);
    return left ? left & box_hits(block, t->nodes.width, &box) : 0;
  }
  left &= box_hits(block, t->nodes.width, &box);
  return left ? volume_near(kind, shapes, t->nodes.width, q->part[1], q->width, left) : 0;
}

/* ------------------------------------------------------------------------ between two spaces -- */

/* The shapes of a node of `side` in the other's space. */
static KERNEL_SHARED const carried_shape *volume_carry(const int kind, walk *w, int side, uint32_t node)
{
  carried_shape *c = &w->carried_shapes[side][node & (CARRIED_SHAPES - 1)];
  uint64_t key = w->serial << 32 | node;
  if (c->key == key) return c;
  const shape_lane from = shape_of(w->plan->side[side]->tree, node, 0);
  c->key = key;
  switch (kind) {
#define VOLUME_CASE(NAME, word)                                                                                        \
  case PL_VOLUME_##NAME:                                                                                               \
    VOLUME_CALL(NAME, carry)(&w->map[side], &from, c->part);                                                           \
    break;
    SHAPE_LIST(VOLUME_CASE)
#undef VOLUME_CASE
  default:
    break;
  }
  return c;
}

/* Two nodes. */
typedef struct volume_pair {
  walk *walk;
  uint32_t a, b;
  unsigned valid_a, valid_b; /* lanes with a child */
  oriented_pair boxes;
} volume_pair;

static KERNEL_INLINE void volume_open(walk *w, uint32_t a, uint32_t b, volume_pair *p)
{
  const tree *ta = w->plan->side[0]->tree, *tb = w->plan->side[1]->tree;
  *p = (volume_pair){w, a, b, (1u << ta->nodes.children[a]) - 1, (1u << tb->nodes.children[b]) - 1, {0}};
  oriented_open(w, a, b, &p->boxes);
}
static KERNEL_INLINE void volume_open_b(walk *w, uint32_t b, volume_pair *p) { oriented_open_b(w, b, &p->boxes); }

/* a's lanes that may meet b's own volume q, in b's space. */
static KERNEL_INLINE unsigned volume_left(const int kind, const volume_pair *p, const shape_lane *q)
{
  const aabb box = aabb_lane(q->part[0], q->width, 0);
  unsigned left = p->valid_a;
  if (!volume_first[kind]) left &= oriented_left(&p->boxes, &box);
  if (!left) return 0;
  left = volume_near_of(kind, volume_carry(kind, p->walk, 0, p->a)->part[0], 8, q->part[1], q->width, left);
  return left && volume_first[kind] ? left & oriented_left(&p->boxes, &box) : left;
}

/* b's lanes that may meet a's volume i. */
static KERNEL_INLINE unsigned volume_lanes(const int kind, const volume_pair *p, int i)
{
  const tree *ta = p->walk->plan->side[0]->tree, *tb = p->walk->plan->side[1]->tree;
  unsigned left = p->valid_b;
  if (!volume_first[kind]) left &= oriented_lanes(&p->boxes, i);
  if (!left) return 0;
  const float *a_there = &volume_carry(kind, p->walk, 0, p->a)->part[0][i];
  left = volume_near(kind, tree_shapes(tb, p->b), tb->nodes.width, a_there, 8, left);
  if (left && volume_first[kind]) left &= oriented_lanes(&p->boxes, i);
  if (!left || !volume_both[kind]) return left;
  const float *own = tree_shapes(ta, p->a) + i;
  return volume_near_of(kind, volume_carry(kind, p->walk, 1, p->b)->part[0], 8, own, ta->nodes.width, left);
}

/* One volume of the other side, q, against the children of a node of `side`. */
static KERNEL_INLINE unsigned volume_placed_hits(const int kind, walk *w, int side, const tree *t, uint32_t node,
                                                 const shape_lane *q)
{
  const aabb box = aabb_lane(q->part[0], q->width, 0);
  unsigned left = (1u << t->nodes.children[node]) - 1;
  left &= oriented_hits(TO_BLOCK(w, side), TO_QUERY(w, side), tree_block(t, node), t->nodes.width, &box);
  if (!left) return 0;
  left = volume_near_of(kind, volume_carry(kind, w, side, node)->part[0], 8, q->part[1], q->width, left);
  if (!left || !volume_both[kind]) return left;
  const float *q_here = &volume_carry(kind, w, !side, q->node)->part[0][q->lane];
  return volume_near(kind, tree_shapes(t, node), t->nodes.width, q_here, 8, left);
}

/* --------------------------------------------------------------------------------- the walks -- */

#define VOLUME shape_lane
#define VOLUME_OF shape_of
#define WALK walk_volumes
#define WALK_HOW KERNEL_SHARED
#define HITS(w, side, t, node, q) volume_hits(kind, t, node, q)
#include "kernels/walk.inl"

#define VOLUME shape_lane
#define VOLUME_OF shape_of
#define WALK walk_placed_volumes
#define WALK_HOW KERNEL_SHARED
#define HITS(w, side, t, node, q) volume_placed_hits(kind, w, side, t, node, q)
#define PAIR volume_pair
#define OPEN_PAIR volume_open
#define OPEN_PAIR_B volume_open_b
#define LEFT_OF_A(p, q) volume_left(kind, p, q)
#define PAIR_HITS(p, i) volume_lanes(kind, p, i)
#include "kernels/walk.inl"

#define VOLUME_WALKS(NAME, word)                                                                                       \
  static void walk_##NAME(walk *w) { walk_volumes(PL_VOLUME_##NAME, w); }                                              \
  static void walk_placed_##NAME(walk *w) { walk_placed_volumes(PL_VOLUME_##NAME, w); }
SHAPE_LIST(VOLUME_WALKS)
#undef VOLUME_WALKS

#define VOLUME_WALK_ROW(NAME, word) [PL_VOLUME_##NAME] = {walk_##NAME, walk_placed_##NAME},
#define WALK_TABLE [PL_VOLUME_AABB] = {walk_boxes, walk_oriented}, SHAPE_LIST(VOLUME_WALK_ROW)
