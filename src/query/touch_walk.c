/* The walks of spheres that touch, and what becomes of the pairs that they find: see touch.h. */
#include "query/touch.h"

#include "core/sort.h"
#include "core/timer.h"
#include "exact/sphere.h"

enum { JOBS_A_TASK = 8 };

/* Two bodies on one level: their own levels. */
typedef struct touch_pair {
  const touch_body *a, *b;
  int last, last_a, last_b; /* levels of the result: of both, of a, of b */
} touch_pair;

static touch_pair pair_of(const touching *t, const touch_job *j, int level)
{
  touch_pair p = {.a = &t->q->bodies.data[j->a], .b = &t->q->bodies.data[j->b]};
  p.last_a = touch_level(p.a, level);
  p.last_b = touch_level(p.b, level);
  p.last = p.last_a > p.last_b ? p.last_a : p.last_b;
  return p;
}

static int lesser(int a, int b) { return a < b ? a : b; }

/* Do the ancestors at a level touch? Exactly. */
static bool level_touches(const touching *t, touch_worker *w, const touch_pair *p, int level, uint32_t a, uint32_t b)
{
  int la = lesser(level, p->last_a), lb = lesser(level, p->last_b);
  float at[2][4];
  touch_sphere(p->a, la, a >> (p->last_a - la), t->lanes, &w->counters.n_u, at[0]);
  touch_sphere(p->b, lb, b >> (p->last_b - lb), t->lanes, &w->counters.n_u, at[1]);
  return spheres_touch(at[0], at[1]);
}

static bool all_levels_touch(const touching *t, touch_worker *w, const touch_pair *p, uint32_t a, uint32_t b)
{
  for (int level = p->last; level >= 0; --level)
    if (!level_touches(t, w, p, level, a, b)) return false;
  return true;
}

/* Descendants of a node at a level at most 3 below: consecutive lanes of one block. */
typedef struct node_lanes {
  int level;
  uint32_t first; /* node */
  uint32_t block;
  unsigned shift, mask; /* of the lanes */
} node_lanes;

static node_lanes below(const touch_body *b, int from, uint32_t node, int to)
{
  node_lanes n = {.level = to, .first = node << (to - from)};
  uint32_t lane = touch_lane(b->spheres, to, n.first);
  n.block = lane / 8;
  n.shift = lane % 8;
  n.mask = ((1u << (1u << (to - from))) - 1) << n.shift;
  return n;
}

static unsigned bits_of(unsigned mask) { return (unsigned)__builtin_popcount(mask); }

/* All nodes of two ranges of lanes against each other: those that may touch go on the stack or, at the last level, to the list. */
static bool test_lanes(const touching *t, touch_worker *w, const touch_pair *p, int level, node_lanes a, node_lanes b)
{
  const pl_allocator *allocator = &t->context->def.allocator;
  spheres *sa = p->a->spheres, *sb = p->b->spheres;
  w->counters.n_u += spheres_ensure(sa, t->lanes, a.level, a.block);
  w->counters.n_u += spheres_ensure(sb, t->lanes, b.level, b.block);
  w->counters.n_v += (uint64_t)bits_of(a.mask) * bits_of(b.mask);
  if (!array_reserve(allocator, &w->stack, w->stack.count + 64) ||
      !array_reserve(allocator, &w->found, w->found.count + 64))
    return false;
  const float *block = sb->level[b.level].now + (size_t)b.block * BALL_NOW;
  const bool last = level == p->last;
  for (unsigned left = a.mask; left; left &= left - 1) {
    unsigned i = (unsigned)__builtin_ctz(left);
    float at[4];
    spheres_get(sa, a.level, a.block * 8 + i, at);
    if (at[3] < 0) continue;
    unsigned near = t->lanes->near(block, at) & b.mask;
    for (; near; near &= near - 1) {
      uint32_t na = a.first + (i - a.shift), nb = b.first + ((unsigned)__builtin_ctz(near) - b.shift);
      if (last)
        w->found.data[w->found.count++] = (uint64_t)na << 32 | nb;
      else
        w->stack.data[w->stack.count++] = (touch_item){na, nb, level};
    }
  }
  return true;
}

static bool walk_pair(const touching *t, touch_worker *w, const touch_pair *p)
{
  const int first = p->last % 3;
  w->stack.count = w->found.count = 0;
  for (uint32_t a = 0; a < (uint32_t)p->a->spheres->branches; ++a)
    for (uint32_t b = 0; b < (uint32_t)p->b->spheres->branches; ++b) {
      node_lanes la = below(p->a, 0, a, lesser(first, p->last_a)), lb = below(p->b, 0, b, lesser(first, p->last_b));
      if (!test_lanes(t, w, p, first, la, lb)) return false;
    }
  while (w->stack.count) {
    touch_item item = w->stack.data[--w->stack.count];
    const int to = item.level + 3;
    node_lanes a = below(p->a, lesser(item.level, p->last_a), item.a, lesser(to, p->last_a));
    node_lanes b = below(p->b, lesser(item.level, p->last_b), item.b, lesser(to, p->last_b));
    if (!test_lanes(t, w, p, to, a, b)) return false;
  }
  return true;
}

/* Without a walk: every node of a against every node of b. */
static bool every_pair(const touching *t, touch_worker *w, const touch_pair *p)
{
  const uint32_t a_count = (uint32_t)p->a->spheres->branches << p->last_a,
                 b_count = (uint32_t)p->b->spheres->branches << p->last_b;
  w->found.count = 0;
  for (uint32_t a = 0; a < a_count; ++a)
    for (uint32_t b = 0; b < b_count; ++b) {
      ++w->counters.n_v;
      if (!level_touches(t, w, p, p->last, a, b)) continue;
      if (!array_reserve(&t->context->def.allocator, &w->found, w->found.count + 1)) return false;
      w->found.data[w->found.count++] = (uint64_t)a << 32 | b;
    }
  return true;
}

static bool sort_found(const touching *t, touch_worker *w)
{
  enum { FEW = 48 };
  uint64_t *keys = w->found.data;
  if (w->found.count > FEW) {
    if (!array_reserve(&t->context->def.allocator, &w->sorting, w->found.count)) return false;
    sort_keys(keys, w->sorting.data, w->found.count);
    return true;
  }
  for (size_t i = 1; i < w->found.count; ++i) {
    uint64_t key = keys[i];
    size_t at = i;
    for (; at > 0 && keys[at - 1] > key; --at) keys[at] = keys[at - 1];
    keys[at] = key;
  }
  return true;
}

/* ------------------------------------------------------------------------------------------------------------- what is found -- */

/* The points of one node in the sphere of another, decided exactly. */
static bool test_points(const touching *t, touch_worker *w, const touch_body *of, int level, uint32_t node,
                        const touch_body *in, int in_level, uint32_t in_node, uint32_t side)
{
  const spheres *s = of->spheres;
  uint32_t begin, end;
  float at[4];
  spheres_range(s, level, node >> level, node & ((1u << level) - 1), &begin, &end);
  spheres_get(in->spheres, in_level, touch_lane(in->spheres, in_level, in_node), at);
  if (!array_reserve(&t->context->def.allocator, &w->points, w->points.count + (end - begin))) return false;
  for (uint32_t i = begin; i < end; ++i) {
    double p[3];
    points_world(&of->body->motion.now, s->order[i], p);
    ++w->counters.n_p;
    if (!sphere_holds(at, p)) continue;
    pl_point_touch *touch = &w->points.data[w->points.count];
    *touch = (pl_point_touch){.point = s->order[i], .node = in_node, .side = side};
    touch_describe_point(in, in_level, in_node, p, side, t->lanes, touch);
    if (!t->def->contacts || touch->depth >= 0) ++w->points.count;
  }
  return true;
}

static bool emit_pair(const touching *t, touch_worker *w, const touch_pair *p, uint32_t a, uint32_t b)
{
  if (!array_reserve(&t->context->def.allocator, &w->touches, w->touches.count + 1)) return false;
  bool contact =
      touch_describe(p->a, p->last_a, a, p->b, p->last_b, b, t->def, t->lanes, &w->touches.data[w->touches.count]);
  if (contact || !t->def->contacts) ++w->touches.count;
  if (t->def->level != PL_LEVEL_ALL || t->level != PL_LEVEL_ALL) return true;
  return test_points(t, w, p->a, p->last_a, a, p->b, p->last_b, b, 0) &&
         test_points(t, w, p->b, p->last_b, b, p->a, p->last_a, a, 1);
}

static bool run_pair(const touching *t, touch_worker *w, const touch_job *j)
{
  touch_pair p = pair_of(t, j, t->level);
  if (!(t->brute ? every_pair(t, w, &p) : walk_pair(t, w, &p)) || !sort_found(t, w)) return false;
  for (size_t i = 0; i < w->found.count; ++i) {
    uint32_t a = (uint32_t)(w->found.data[i] >> 32), b = (uint32_t)w->found.data[i];
    if (all_levels_touch(t, w, &p, a, b) && !emit_pair(t, w, &p, a, b)) return false;
  }
  return true;
}

/* Does the sphere of a node reach into a half-space? In double, from left to right. */
static bool reaches(const touching *t, touch_worker *w, const touch_body *b, int level, uint32_t node,
                    const pl_plane *p)
{
  float at[4];
  touch_sphere(b, level, node, t->lanes, &w->counters.n_u, at);
  ++w->counters.n_v;
  double height =
      p->normal[0] * (double)at[0] + p->normal[1] * (double)at[1] + p->normal[2] * (double)at[2] - p->offset;
  return at[3] >= 0 && height <= (double)at[3];
}

static bool run_plane_below(const touching *t, touch_worker *w, const touch_body *b, int level, int last, uint32_t node,
                            size_t plane)
{
  if (!reaches(t, w, b, level, node, &t->def->planes[plane])) return true;
  if (level < last)
    return run_plane_below(t, w, b, level + 1, last, 2 * node, plane) &&
           run_plane_below(t, w, b, level + 1, last, 2 * node + 1, plane);
  if (!array_reserve(&t->context->def.allocator, &w->touches, w->touches.count + 1)) return false;
  bool contact = touch_describe_plane(b, level, node, t->def, plane, t->lanes, &w->touches.data[w->touches.count]);
  if (contact || !t->def->contacts) ++w->touches.count;
  return true;
}

static bool run_planes(const touching *t, touch_worker *w, const touch_job *j)
{
  const touch_body *b = &t->q->bodies.data[j->a];
  const int last = touch_level(b, t->level);
  for (size_t plane = 0; plane < t->def->plane_count; ++plane)
    for (uint32_t branch = 0; branch < (uint32_t)b->spheres->branches; ++branch)
      if (!run_plane_below(t, w, b, 0, last, branch, plane)) return false;
  return true;
}

/* ------------------------------------------------------------------------------------------------------------------ running -- */

static void task(void *data, int index, int worker)
{
  touching *t = data;
  touch_scratch *q = t->q;
  touch_worker *w = &q->workers[worker];
  size_t end = (size_t)(index + 1) * JOBS_A_TASK;
  if (end > q->jobs.count) end = q->jobs.count;
  for (size_t i = (size_t)index * JOBS_A_TASK; i < end && w->status == PL_OK; ++i) {
    touch_job *j = &q->jobs.data[i];
    j->worker = worker;
    j->begin = w->touches.count;
    j->point_begin = w->points.count;
    if (!(j->b == TOUCH_PLANES ? run_planes(t, w, j) : run_pair(t, w, j))) w->status = PL_ERROR_MEMORY;
    j->end = w->touches.count;
    j->point_end = w->points.count;
  }
}

pl_status touch_run_jobs(touching *t)
{
  touch_scratch *q = t->q;
  int tasks = (int)((q->jobs.count + JOBS_A_TASK - 1) / JOBS_A_TASK);
  pl_status status = parallel_for(t->context, q->jobs.count > 64, task, t, tasks);
  for (int i = 0; i < t->context->threads && status == PL_OK; ++i)
    if (q->workers[i].status != PL_OK) status = touch_no_memory(t->context);
  return status;
}

/* ------------------------------------------------------------------------------------------------------------------ budgets -- */

static bool spent(const touching *t, const touch_worker *w)
{
  if (t->def->budget_tests && w->counters.n_v >= t->def->budget_tests) return true;
  return t->def->budget_ms > 0 && timer_ms() - t->start >= t->def->budget_ms;
}

/* The children of a step's nodes that touch, to the next list. */
static bool step_down(const touching *t, touch_worker *w, const touch_step *s, int level, int next)
{
  touch_scratch *q = t->q;
  const touch_job *j = &q->jobs.data[s->job];
  const touch_body *a = &q->bodies.data[j->a], *b = &q->bodies.data[j->b];
  const int from_a = touch_level(a, level), to_a = touch_level(a, level + 1);
  const int from_b = touch_level(b, level), to_b = touch_level(b, level + 1);
  if (!array_reserve(&t->context->def.allocator, &q->level[next], q->level[next].count + 4)) return false;
  for (uint32_t i = 0; i < 1u << (to_a - from_a); ++i)
    for (uint32_t k = 0; k < 1u << (to_b - from_b); ++k) {
      uint32_t na = (s->a << (to_a - from_a)) + i, nb = (s->b << (to_b - from_b)) + k;
      float at[2][4];
      touch_sphere(a, to_a, na, t->lanes, &w->counters.n_u, at[0]);
      touch_sphere(b, to_b, nb, t->lanes, &w->counters.n_u, at[1]);
      ++w->counters.n_v;
      if (spheres_touch(at[0], at[1])) q->level[next].data[q->level[next].count++] = (touch_step){s->job, na, nb};
    }
  return true;
}

static bool first_level(const touching *t, touch_worker *w)
{
  touch_scratch *q = t->q;
  q->level[0].count = 0;
  for (uint32_t i = 0; i < q->jobs.count; ++i) {
    const touch_job *j = &q->jobs.data[i];
    if (j->b == TOUCH_PLANES) continue;
    const touch_body *a = &q->bodies.data[j->a], *b = &q->bodies.data[j->b];
    for (uint32_t k = 0; k < (uint32_t)a->spheres->branches; ++k)
      for (uint32_t l = 0; l < (uint32_t)b->spheres->branches; ++l) {
        float at[2][4];
        touch_sphere(a, 0, k, t->lanes, &w->counters.n_u, at[0]);
        touch_sphere(b, 0, l, t->lanes, &w->counters.n_u, at[1]);
        ++w->counters.n_v;
        if (!spheres_touch(at[0], at[1])) continue;
        if (!array_reserve(&t->context->def.allocator, &q->level[0], q->level[0].count + 1)) return false;
        q->level[0].data[q->level[0].count++] = (touch_step){i, k, l};
      }
  }
  return true;
}

int touch_deepest(const touching *t)
{
  int most = 0;
  for (size_t i = 0; i < t->q->bodies.count; ++i) {
    int level = touch_level(&t->q->bodies.data[i], t->level);
    most = level > most ? level : most;
  }
  return most;
}

/* All jobs level by level; *now is the list of the last complete level, which t->level becomes if there should have been more. */
static pl_status descend(touching *t, int *now, bool *partial)
{
  enum { LOOK = 64 }; /* steps between two looks at the clock */
  touch_scratch *q = t->q;
  touch_worker *w = &q->workers[0];
  const int last = touch_deepest(t);
  *now = 0;
  *partial = false;
  if (!first_level(t, w)) return touch_no_memory(t->context);
  for (int level = 0; level < last; ++level) {
    const int next = 1 - *now;
    q->level[next].count = 0;
    for (size_t i = 0; i < q->level[*now].count; ++i) {
      if (i % LOOK == 0 && spent(t, w)) {
        *partial = true;
        t->level = level;
        return PL_OK;
      }
      if (!step_down(t, w, &q->level[*now].data[i], level, next)) return touch_no_memory(t->context);
    }
    *now = next;
  }
  return PL_OK;
}

/* The steps of a level as touches, by job and then by nodes. */
pl_status touch_run_budget(touching *t, bool *partial)
{
  touch_scratch *q = t->q;
  touch_worker *w = &q->workers[0];
  int now;
  pl_status status = descend(t, &now, partial);
  size_t at = 0;
  for (uint32_t i = 0; i < q->jobs.count && status == PL_OK; ++i) {
    touch_job *j = &q->jobs.data[i];
    j->worker = 0;
    j->begin = w->touches.count;
    j->point_begin = w->points.count;
    bool good = true;
    if (j->b == TOUCH_PLANES) {
      good = run_planes(t, w, j);
    } else {
      touch_pair p = pair_of(t, j, t->level);
      w->found.count = 0;
      for (; at < q->level[now].count && q->level[now].data[at].job == i && good; ++at) {
        good = array_reserve(&t->context->def.allocator, &w->found, w->found.count + 1);
        if (good) w->found.data[w->found.count++] = (uint64_t)q->level[now].data[at].a << 32 | q->level[now].data[at].b;
      }
      good = good && sort_found(t, w);
      for (size_t k = 0; k < w->found.count && good; ++k)
        good = emit_pair(t, w, &p, (uint32_t)(w->found.data[k] >> 32), (uint32_t)w->found.data[k]);
    }
    if (!good) status = touch_no_memory(t->context);
    j->end = w->touches.count;
    j->point_end = w->points.count;
  }
  return status;
}
