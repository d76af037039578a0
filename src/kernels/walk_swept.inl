/* Walks of swept shapes (OBBs, RSSs): included once per kind. EDGES is the number of half-edges, SWEPT_BOUNDS their
 * function, SWEPT(name) the name for this kind.
 * A shape of another space is carried over edge by edge, and its radius grows by the map's greatest stretch. */

static inline unsigned SWEPT(hits)(const tree *t, uint32_t node, const float *one, float margin, unsigned lanes)
{
  swept_aim aim = {0, lanes};
  return lanes & v8m_bits(v8_le(SWEPT_BOUNDS(tree_shapes(t, node), t->width, one, margin, aim), v8_set(0)));
}

/* Boxes first: they cost a tenth, and most of what is apart they tell. */
static inline unsigned SWEPT(near_hits)(const tree *t, uint32_t node, const shape_lane *q)
{
  aabb box = aabb_lane(q->part[0], q->width, 0);
  unsigned left = box_hits(tree_block(t, node), t->width, &box) & ((1u << t->children[node]) - 1);
  float one[4 + 3 * EDGES];
  for (int k = 0; k < 4 + 3 * EDGES; ++k) one[k] = q->part[1][k * q->width];
  return left ? SWEPT(hits)(t, node, one, 0, left) : 0;
}

static inline unsigned SWEPT(placed_hits)(const walk *w, int side, const tree *t, uint32_t node, const shape_lane *q)
{
  const frame_change *f = TO_BLOCK(w, side);
  aabb box = aabb_lane(q->part[0], q->width, 0);
  unsigned left = oriented_hits(f, TO_QUERY(w, side), tree_block(t, node), t->width, &box);
  left &= (1u << t->children[node]) - 1;
  if (!left) return 0;
  float one[4 + 3 * EDGES];
  swept_carry(f, q->part[1], q->width, EDGES, one);
  return SWEPT(hits)(t, node, one, 2 * f->margin, left);
}

#define WALK SWEPT(walk)
#define VOLUME shape_lane
#define VOLUME_OF shape_of
#define HITS(w, side, t, node, q) SWEPT(near_hits)(t, node, q)
#include "kernels/walk.inl"

#define WALK SWEPT(walk_placed)
#define VOLUME shape_lane
#define VOLUME_OF shape_of
#define HITS(w, side, t, node, q) SWEPT(placed_hits)(w, side, t, node, q)
#include "kernels/walk.inl"

#undef EDGES
#undef SWEPT_BOUNDS
#undef SWEPT
