/* The triangles that a zone meets: boxes outside are left out, triangles of boxes inside are
 * taken as they are, the others are decided exactly; see probe.h.
 *
 * A value n.x + d of a plane whose greatest |n_k| is 1 is off by less than 8 u (|n_0 x_0| + |n_1
 * x_1| + |n_2 x_2| + |d|), u = 2^-24, the rounding of n and d included; 2^-19 of the sum is
 * used, and 2^-80, as floats below 2^-149 are 0 and coordinates below 2^60. NaN, from infinite
 * boxes, is neither outside nor inside. */
#ifndef KERNELS_PROBE_ZONE_INL
#define KERNELS_PROBE_ZONE_INL

#include "kernels/probe.inl"

typedef struct verdict {
  unsigned outside, inside; /* lanes */
} verdict;

static KERNEL_INLINE verdict judge_box(const probe_zone *r, const box8 *b)
{
  unsigned outside = 0, inside = 0xff;
  for (int k = 0; k < 3; ++k) {
    outside |= v8m_bits(v8m_or(v8_lt(b->upper[k], v8_set(r->lower[k])), v8_lt(v8_set(r->upper[k]), b->lower[k])));
    inside &=
        v8m_bits(v8m_and(v8_le(v8_set(r->within[0][k]), b->lower[k]), v8_le(b->upper[k], v8_set(r->within[1][k]))));
  }
  return (verdict){outside, inside};
}

static KERNEL_INLINE verdict judge_sphere(const probe_zone *r, const box8 *b)
{
  v8 zero = v8_set(0), near = zero, far = zero;
  for (int k = 0; k < 3; ++k) {
    v8 above = v8_sub(b->lower[k], v8_set(r->upper[k])), below = v8_sub(v8_set(r->lower[k]), b->upper[k]);
    v8 gap = v8_max(v8_max(above, below), zero);
    v8 most = v8_max(v8_sub(b->upper[k], v8_set(r->lower[k])), v8_sub(v8_set(r->upper[k]), b->lower[k]));
    near = v8_add(near, v8_mul(gap, gap));
    far = v8_add(far, v8_mul(most, most));
  }
  near = v8_sub(v8_mul(near, v8_set(FLOAT_LESS)), v8_set(FLOAT_LOST));
  far = v8_add(v8_mul(far, v8_set(FLOAT_MORE)), v8_set(FLOAT_LOST));
  return (verdict){v8m_bits(v8_lt(v8_set(r->reach), near)), v8m_bits(v8_le(far, v8_set(r->sure)))};
}

static KERNEL_INLINE verdict judge_planes(const probe_zone *r, const box8 *b)
{
  v8 zero = v8_set(0);
  unsigned outside = 0, inside = 0xff;
  for (int i = 0; i < r->zone->plane_count; ++i) {
    v8 least = v8_set(r->plane[i][3]), most = least, size = v8_abs(least);
    for (int k = 0; k < 3; ++k) {
      v8 n = v8_set(r->plane[i][k]), x = v8_mul(n, b->lower[k]), y = v8_mul(n, b->upper[k]);
      least = v8_add(least, v8_min(x, y));
      most = v8_add(most, v8_max(x, y));
      size = v8_add(size, v8_max(v8_abs(x), v8_abs(y)));
    }
    v8 doubt = v8_add(v8_mul(size, v8_set(0x1p-19f)), v8_set(0x1p-80f));
    outside |= v8m_bits(v8_lt(v8_add(most, doubt), zero));
    inside &= v8m_bits(v8_le(zero, v8_sub(least, doubt)));
  }
  return (verdict){outside, inside};
}

static bool take_triangles(probe_zone *r, const primitives *all, uint32_t begin, uint32_t end)
{
  if (!array_reserve(r->allocator, &r->found, r->found.count + (end - begin))) {
    r->status = PL_ERROR_MEMORY;
    return false;
  }
  for (uint32_t i = begin; i < end; ++i)
    if (!prims_hole(all, i)) r->found.data[r->found.count++] = i;
  return true;
}

/* The first or last leaf below a reference. */
static uint32_t leaf_at_end(const tree *t, int32_t reference, bool last)
{
  while (reference >= 0) reference = tree_children(t, (uint32_t)reference)[last ? t->nodes.children[reference] - 1 : 0];
  return (uint32_t)~reference;
}

static void take_all(probe_zone *r, const tree *t, int32_t reference)
{
  uint32_t first = leaf_at_end(t, reference, false), last = leaf_at_end(t, reference, true);
  take_triangles(r, &t->prims, t->prims.tri_first[first], t->prims.tri_end[last]);
}

static void decide_leaf(probe_walk *w, probe_zone *r, uint32_t leaf)
{
  const primitives *all = &w->target->side.tree->prims;
  uint32_t begin = all->tri_first[leaf], end = all->tri_end[leaf];
  watch_see(w->target->side.tree, ~(int32_t)leaf);
  w->n_p += end - begin;
  for (uint32_t i = begin; i < end && r->status == PL_OK; ++i) {
    double p[3][3];
    probe_corners(w->target, i, p);
    if (zone_tri_meet(r->zone, (const double(*)[3])p)) take_triangles(r, all, i, i + 1);
  }
}

static void probe_find(probe_walk *w, probe_zone *r)
{
  tree *t = w->target->side.tree;
  struct {
    int32_t reference;
    bool inside;
  } stack[8 * (TREE_MOST_DEPTH + 1)];
  int count = 1;
  stack[0].reference = TREE_ROOT;
  stack[0].inside = false;
  while (count && r->status == PL_OK) {
    int32_t reference = stack[--count].reference;
    if (stack[count].inside) {
      take_all(r, t, reference);
      continue;
    }
    if (reference < 0) {
      decide_leaf(w, r, (uint32_t)~reference);
      continue;
    }
    uint32_t node = (uint32_t)reference;
    box8 boxes = probe_open(w, node);
    verdict v = r->zone->kind == PL_ZONE_BOX      ? judge_box(r, &boxes)
                : r->zone->kind == PL_ZONE_SPHERE ? judge_sphere(r, &boxes)
                                                  : judge_planes(r, &boxes);
    const int32_t *child = tree_children(t, node);
    for (int lane = t->nodes.children[node] - 1; lane >= 0; --lane) {
      if (v.outside >> lane & 1) continue;
      stack[count].reference = child[lane];
      stack[count++].inside = v.inside >> lane & 1;
    }
  }
}

#endif
