/* A body against itself on its way: patches that are proven not to touch themselves are not opened. The proof holds for all times of the step
 * (docs/self-collision.md); features whose distance counts as contact need other proofs, so that a separation switches this off.
 * Cost: a set operation for patches that curve; a pass over the border for others. */
#include "bounds/cone.h"
#include "kernels/cycle_run.h"
#include "query/time/impact.h"

#include <math.h>

/* The cone of a patch other than the root, and of the root. */
static uint32_t cone_of(const swept_patches *c, int32_t reference)
{
  const structure *n = &c->of->tree.nodes;
  if (reference == TREE_ROOT) {
    uint32_t set = CONE_ALL;
    for (int k = 0; k < n->children[TREE_ROOT]; ++k) set &= c->cone[k];
    return set;
  }
  const uint32_t slot = reference >= 0 ? n->slot[reference] : n->leaf_slot[~reference];
  return c->cone[8 * (size_t)(slot >> 3) + (slot & 7)];
}

/* The longest side of the box around two patches in both poses, in the space of the cones' positions. */
static float size_of(const impact_view *view, int32_t a, int32_t b)
{
  float one[SWEEP_BOX], other[SWEEP_BOX], size = 0;
  impact_box(view, a, one);
  impact_box(view, b, other);
  sweep_merge(one, other, one);
  for (int k = 0; k < 3; ++k) size = fmaxf(size, fmaxf(one[k], one[k + 6]) + fmaxf(one[k + 3], one[k + 9]));
  return size * view->sweep->cone_scale * (1 + 0x1p-20f) + 4 * view->cones->error;
}

static bool is_simple(impact_search *s, const impact_view *view, const swept_border *border)
{
  ++s->counters.n_v;
  return kernels_of(s->context->isa)->self->swept_simple(view->cones, border, s->room.data);
}

bool impact_patch_is_simple(impact_search *s, const impact_view *view, int32_t a)
{
  const swept_patches *c = view->cones;
  const patch *q = patch_of(c->of, a);
  const uint32_t set = cone_of(c, a);
  if (!set || q->count < 3) return false;
  swept_border border = {c->of->corners.vertex + q->first, q->count, set, size_of(view, a, a)};
  return is_simple(s, view, &border);
}

bool impact_union_is_simple(impact_search *s, const impact_view *view, int32_t a, int32_t b)
{
  const swept_patches *c = view->cones;
  const cycle_corners *corners = &c->of->corners;
  const patch *q = patch_of(c->of, a), *r = patch_of(c->of, b);
  const uint32_t set = cone_of(c, a) & cone_of(c, b);
  if (!set || q->count < 3 || r->count < 3) return false;
  const cycle_run of_q = find_run(corners->other + q->first, q->count, r->begin, r->end);
  if (of_q.runs != 1) return false;
  const cycle_run of_r = find_run(corners->other + r->first, r->count, q->begin, q->end);
  if (of_r.runs != 1 || of_q.count != of_r.count) return false;
  const uint32_t n = q->count + r->count - 2 * of_q.count;
  uint32_t *vertex = (uint32_t *)(void *)(s->room.data + 4 * (n + CONTOUR_MORE));
  rest_of_cycle(corners->vertex + r->first, r->count, of_r,
                rest_of_cycle(corners->vertex + q->first, q->count, of_q, vertex));
  swept_border border = {vertex, n, set, size_of(view, a, b)};
  return is_simple(s, view, &border);
}
