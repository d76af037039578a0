/* Triangles of one body in a distance query: which lanes of a leaf are pairs with a triangle,
 * each pair once, by the caller's indices. */
#ifndef KERNELS_NEAR_SELF_INL
#define KERNELS_NEAR_SELF_INL

#include "kernels/near_pairs.inl"

/* Lanes of a leaf that come after triangle i of the same leaf; all lanes of another leaf. */
static inline unsigned self_later(const opened_leaf *x, int i, const opened_leaf *y)
{
  return x->leaf == y->leaf ? ~1u << i : ~0u;
}

/* Which corners of two triangles, by their places in tree order, few edges join. */
static inline unsigned self_close(distance_walk *d, uint32_t a, uint32_t b)
{
  const tree *t = d->walk->plan->side[0]->tree;
  const uint32_t *tri = t->prims.tri, *parts = d->plan->parts;
  if (parts) return part_of_triangle(t, parts, a) == part_of_triangle(t, parts, b) ? RINGS_ALL : 0;
  return rings_close(&d->around, d->plan->rings, d->plan->ring_edges, tri + 3 * (size_t)a, tri + 3 * (size_t)b);
}

static inline bool self_is_turned(const distance_walk *d, uint32_t a, uint32_t b)
{
  const uint32_t *id = d->walk->plan->side[0]->tree->prims.tri_id;
  return id[b] < id[a];
}

static inline pl_pair self_pair(const distance_walk *d, uint32_t a, uint32_t b)
{
  return self_is_turned(d, a, b) ? pair_of(d, b, a) : pair_of(d, a, b);
}

/* gather: a triangle, and lanes of a leaf that may be near it. Features of triangles that share
 * a vertex may be pairs. */
static void near_self(distance_walk *d, uint32_t of, const opened_leaf *lanes, unsigned m)
{
  const walk_plan *plan = d->walk->plan;
  for (; m && !d->walk->stopped; m &= m - 1) {
    uint32_t other = lanes->first + (uint32_t)__builtin_ctz(m);
    unsigned close = d->plan->owners[0] ? self_close(d, of, other) : 0;
    if (d->plan->owners[0] ? close == RINGS_ALL : distance_joined(d, of, other)) continue;
    if (plan->filter && !plan->filter(plan->filter_user, self_pair(d, of, other))) continue;
    bool turned = self_is_turned(d, of, other);
    ++d->walk->n_p;
    d->queue.found.close[d->queue.found.count] = (uint16_t)(turned ? rings_turned(close) : close);
    near_put(d, turned ? other : of, turned ? of : other);
  }
}

/* The least distance: lanes that are pairs with a triangle. `lesser`: only with indices below
 * the best pair's. */
static unsigned distance_self(distance_walk *d, uint32_t of, const opened_leaf *lanes, unsigned m, bool lesser)
{
  const walk_plan *plan = d->walk->plan;
  unsigned kept = 0;
  for (; m; m &= m - 1) {
    uint32_t other = lanes->first + (uint32_t)__builtin_ctz(m);
    pl_pair pair = self_pair(d, of, other);
    if (lesser && !(pair.a < d->id.a || (pair.a == d->id.a && pair.b < d->id.b))) continue;
    if (distance_joined(d, of, other)) continue;
    if (!plan->filter || plan->filter(plan->filter_user, pair)) kept |= m & -m;
  }
  return kept;
}

#endif
