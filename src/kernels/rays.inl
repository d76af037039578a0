/* Single rays through all bodies of a question, nearest box first; see rays.h. */
#ifndef KERNELS_RAYS_INL
#define KERNELS_RAYS_INL

#include "kernels/grid.inl"
#include "kernels/ray_body.inl"

/* ------------------------------------------------------------------------------------- a ray -- */

/* A ray on its way. */
typedef struct ray_state {
  pl_hit best;
  double scale; /* of `slabs`; 0: numbers so large that the bodies' boxes exclude nothing */
  ray_slabs slabs;
  ray_view view;
} ray_state;

/* Adds the bodies of a block whose boxes are met to a list of `count`, nearest first. Returns
 * how many there are then. */
static KERNEL_INLINE uint32_t list_block(ray_walk *w, uint32_t block, unsigned m, const float near[8], uint32_t count)
{
  for (; m; m &= m - 1) {
    uint32_t lane = (uint32_t)__builtin_ctz(m), at = count++;
    for (; at > 0 && w->turns[at - 1].near > near[lane]; --at) w->turns[at] = w->turns[at - 1];
    w->turns[at] = (struct ray_turn){near[lane], 8 * block + lane};
  }
  return count;
}

static inline unsigned lanes_of(const ray_level *l, uint32_t block)
{
  uint32_t left = l->count - 8 * block;
  return left < 8 ? (1u << left) - 1 : 0xff;
}

/* What lies under one block of the last level. */
static uint32_t list_under(ray_walk *w, const ray_slabs *slabs, float low, float high, uint32_t top, uint32_t count)
{
  struct {
    uint32_t level, block;
  } stack[8 * RAY_LEVELS];
  int height = 1;
  stack[0].level = w->plan->levels - 1;
  stack[0].block = top;
  while (height) {
    --height;
    uint32_t level = stack[height].level, block = stack[height].block;
    const ray_level *l = &w->plan->level[level];
    float near[8];
    unsigned m = lanes_of(l, block);
    w->n_v += (uint64_t)__builtin_popcount(m);
    m &= slab_hits(slabs, w->plan->boxes + (size_t)(l->first + block) * 8 * AABB_COMPONENTS, 8, low, high, near);
    if (level == 0) {
      count = list_block(w, block, m, near, count);
      continue;
    }
    for (; m; m &= m - 1) {
      stack[height].level = level - 1;
      stack[height++].block = 8 * block + (uint32_t)__builtin_ctz(m);
    }
  }
  return count;
}

/* Bodies whose boxes are met, nearest first; slabs: NULL if all bodies are to be tested. */
static uint32_t list_turns(ray_walk *w, const ray_slabs *slabs, float low, float high)
{
  const float near[8] = {0};
  uint32_t count = 0;
  if (!w->plan->levels) return 0;
  const ray_level *l = &w->plan->level[slabs ? w->plan->levels - 1 : 0];
  for (uint32_t block = 0; 8 * block < l->count; ++block)
    count =
        slabs ? list_under(w, slabs, low, high, block, count) : list_block(w, block, lanes_of(l, block), near, count);
  return count;
}

static void sort_hits(pl_hit *hits, size_t count)
{
  for (size_t gap = count / 2; gap > 0; gap = gap == 2 ? 1 : gap * 5 / 11)
    for (size_t i = gap; i < count; ++i) {
      pl_hit hit = hits[i];
      size_t at = i;
      for (; at >= gap && ray_comes_before(&hit, &hits[at - gap]); at -= gap) hits[at] = hits[at - gap];
      hits[at] = hit;
    }
}

static inline double most_t(const ray_state *s)
{
  return s->best.t < s->view.ray->t_max ? s->best.t : s->view.ray->t_max;
}

/* `scale` of slabs, 0: that of the ray itself. */
static inline void start_ray(ray_state *s, const pl_ray *ray, size_t index, double scale)
{
  static const double exact[3];
  double own = unit_scale(ray->direction);
  s->best = RAY_MISSED;
  s->view.ray = ray;
  s->view.index = index;
  s->scale = ray->t_min >= 0 ? (scale == 0 ? own : scale) : 0;
  if (s->scale != 0) make_slabs(&s->slabs, ray->origin, exact, ray->direction, s->scale);
  make_shear(&s->view.shear, ray, own);
}

/* One ray in one body; true if it has ended. */
static bool visit_body(ray_walk *w, ray_state *s, const ray_target *b)
{
  s->view.target = b;
  if (!enter_body(&s->view, s->scale == 0 ? NULL : &s->slabs, most_t(s))) return false;
  return b->grid ? walk_grid(w, &s->view, &s->best) : walk_body(w, &s->view, TREE_ROOT, &s->best);
}

static void trace_ray(ray_walk *w, ray_state *s)
{
  const ray_slabs *top = s->scale == 0 ? NULL : &s->slabs;
  float low = top ? time_down(s->view.ray->t_min, 0, top->length) : 0,
        high = top ? time_up(s->view.ray->t_max, 0, top->length) : 0;
  uint32_t turns = list_turns(w, top, low, high);
  for (uint32_t i = 0; i < turns && w->status == PL_OK; ++i) {
    if (top && w->turns[i].near > time_up(most_t(s), 0, top->length)) return;
    if (visit_body(w, s, &w->plan->targets[w->plan->order[w->turns[i].place]])) return;
  }
}

static bool is_empty(const pl_ray *ray) { return !(ray->t_min <= ray->t_max); }

/* Rays one by one. ends: where the hits of each ray end in w->found; only with `all`. */
static void cast_singly(ray_walk *w, const pl_ray *rays, size_t begin, size_t end, pl_hit *hits, size_t *ends)
{
  for (size_t i = begin; i < end && w->status == PL_OK; ++i) {
    ray_state s;
    size_t first = w->found.count;
    s.best = RAY_MISSED;
    if (!is_empty(&rays[i])) {
      start_ray(&s, &rays[i], i, 0);
      trace_ray(w, &s);
    }
    if (hits) hits[i] = s.best;
    if (!ends) continue;
    /* there may be no list yet */
    if (w->found.count > first) sort_hits(w->found.data + first, w->found.count - first);
    ends[i] = w->found.count;
  }
}

#endif
