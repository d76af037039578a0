/* The walks of spheres that touch, and the processing of the pairs that they find: see touch.h. */
#include "query/spheres/contacts.h"

#include "core/sort.h"
#include "core/timer.h"
#include "exact/sphere.h"

/* Two bodies at one level of the query, and the levels of each. */
typedef struct contact_pair {
  const contact_body *a, *b;
  int last, last_a, last_b; /* levels of the result: of both, of a, of b */
  float margin;             /* of both */
} contact_pair;

static float margin_of(const contact_body *a, const contact_body *b) { return a->margin + b->margin; }

static contact_pair pair_of(const contact_query *t, const contact_job *j, int level)
{
  contact_pair p = {.a = &t->scratch->bodies.data[j->a], .b = &t->scratch->bodies.data[j->b]};
  p.last_a = contact_level(p.a, level);
  p.last_b = contact_level(p.b, level);
  p.last = p.last_a > p.last_b ? p.last_a : p.last_b;
  p.margin = margin_of(p.a, p.b);
  return p;
}

static int lesser(int a, int b) { return a < b ? a : b; }

/* Do two nodes touch? Exactly. */
static bool nodes_touch(const contact_query *t, contact_worker *w, const contact_body *a, int level_a, uint32_t node_a,
                        const contact_body *b, int level_b, uint32_t node_b)
{
  float at[2][4];
  contact_sphere(a, level_a, node_a, &w->counters.n_u, at[0]);
  contact_sphere(b, level_b, node_b, &w->counters.n_u, at[1]);
  at[0][3] = contact_grown(at[0][3], margin_of(a, b));
  return spheres_touch(at[0], at[1]);
}

/* Do the ancestors at a level touch? */
static bool level_touches(const contact_query *t, contact_worker *w, const contact_pair *p, int level, uint32_t a,
                          uint32_t b)
{
  int la = lesser(level, p->last_a), lb = lesser(level, p->last_b);
  return nodes_touch(t, w, p->a, la, a >> (p->last_a - la), p->b, lb, b >> (p->last_b - lb));
}

static bool all_levels_touch(const contact_query *t, contact_worker *w, const contact_pair *p, uint32_t a, uint32_t b)
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
  unsigned shift; /* of the lanes */
} node_lanes;

static node_lanes below(const contact_body *b, int from, uint32_t node, int to)
{
  node_lanes n = {.level = to, .first = node << (to - from)};
  uint32_t lane = contact_lane(b->spheres, to, n.first);
  n.block = lane / 8;
  n.shift = lane % 8;
  return n;
}

/* Each of the first 4 bits twice. */
static unsigned doubled(unsigned mask)
{
  static const uint8_t twice[16] = {0x00, 0x03, 0x0c, 0x0f, 0x30, 0x33, 0x3c, 0x3f,
                                    0xc0, 0xc3, 0xcc, 0xcf, 0xf0, 0xf3, 0xfc, 0xff};
  return twice[mask & 15];
}

static unsigned bits_of(unsigned mask)
{
  static const uint8_t bits[16] = {0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4};
  return bits[mask & 15] + bits[mask >> 4 & 15];
}

/* Decides exactly what float leaves open, for lane i of a and lanes of b. */
static unsigned decide(const contact_pair *p, const node_lanes *a, unsigned i, const node_lanes *b, unsigned near,
                       unsigned sure)
{
  float at[4], other[4];
  for (unsigned left = near & ~sure; left; left &= left - 1) {
    unsigned k = (unsigned)__builtin_ctz(left);
    spheres_get(p->a->spheres, a->level, a->block * 8 + a->shift + i, at);
    spheres_get(p->b->spheres, b->level, b->block * 8 + k, other);
    at[3] = contact_grown(at[3], p->margin);
    if (!spheres_touch(at, other)) near &= ~(1u << k);
  }
  return near;
}

/* rows[i] has a bit for each lane of b, counted from its first, that lane i of a touches. On
 * entry `rows` has the lanes to be tested. Returns whether any is left. */
static bool touched(const contact_query *t, contact_worker *w, const contact_pair *p, const node_lanes *a,
                    const node_lanes *b, unsigned *rows, unsigned count)
{
  const float *block_a = p->a->spheres->level[a->level].now + (size_t)a->block * BALL_NOW,
              *block_b = p->b->spheres->level[b->level].now + (size_t)b->block * BALL_NOW;
  unsigned sure[8], any = 0;
  for (unsigned i = 0; i < count; ++i) {
    w->counters.n_v += bits_of(rows[i]);
    rows[i] <<= b->shift;
  }
  if (!t->lanes->near(block_a, a->shift, count, p->margin, block_b, rows, sure)) return false;
  for (unsigned i = 0; i < count; ++i) {
    if (rows[i] & ~sure[i]) rows[i] = decide(p, a, i, b, rows[i], sure[i]);
    rows[i] >>= b->shift;
    any |= rows[i];
  }
  return any != 0;
}

/* Clears the pairs whose inner spheres are too far apart to be in contact. */
static void keep_contacts(const contact_query *t, const contact_pair *p, const node_lanes *a, const node_lanes *b,
                          unsigned *rows, unsigned count)
{
  const sphere_level *in = &p->a->spheres->level[a->level], *to = &p->b->spheres->level[b->level];
  spheres_ensure(p->a->spheres, LAYER_TANGENTS, a->level, a->block);
  spheres_ensure(p->b->spheres, LAYER_TANGENTS, b->level, b->block);
  const float *inner = to->tangent + (size_t)b->block * BALL_TANGENT, *bound = to->now + (size_t)b->block * BALL_NOW;
  const float *from = in->tangent + (size_t)a->block * BALL_TANGENT + a->shift,
              *at = in->now + (size_t)a->block * BALL_NOW + a->shift;
  for (unsigned i = 0; i < count; ++i) {
    if (!rows[i]) continue;
    const float a_inner[4] = {from[i], from[8 + i], from[16 + i], from[24 + i]};
    const float a_bound[4] = {at[i], at[8 + i], at[16 + i], at[24 + i]};
    rows[i] &= t->lanes->contacts(inner, bound, a_inner, a_bound, (float)t->def->reach, p->margin) >> b->shift;
  }
}

/* Appends the rows of a's lanes, each with the lanes of b that it touches, to the stack or, at
 * the last level, to the list. */
static bool put_rows(const contact_query *t, contact_worker *w, const contact_pair *p, int level, const node_lanes *a,
                     const node_lanes *b, unsigned *rows, unsigned count)
{
  const pl_allocator *allocator = &t->context->def.allocator;
  const bool last = level == p->last;
  if (!array_reserve(allocator, &w->stack, w->stack.count + 64) ||
      !array_reserve(allocator, &w->found, w->found.count + 64))
    return false;
  if (last && t->def->contacts && t->level != PL_LEVEL_ALL) keep_contacts(t, p, a, b, rows, count);
  for (unsigned i = 0; i < count; ++i)
    for (unsigned left = rows[i]; left; left &= left - 1) {
      uint32_t na = a->first + i, nb = b->first + (unsigned)__builtin_ctz(left);
      if (last)
        w->found.data[w->found.count++] = (uint64_t)na << 32 | nb;
      else
        w->stack.data[w->stack.count++] = (contact_item){na, nb, level};
    }
  return true;
}

/* From two nodes that touch down to level `to`, at most three below, level by level in lanes. */
static bool walk_below(const contact_query *t, contact_worker *w, const contact_pair *p, contact_item item, int to)
{
  unsigned rows[8] = {1}, count = 1;
  const int from_a = lesser(item.level, p->last_a), from_b = lesser(item.level, p->last_b);
  node_lanes a = below(p->a, from_a, item.a, from_a), b = below(p->b, from_b, item.b, from_b);
  for (int level = item.level + 1; level <= to; ++level) {
    const bool deeper_a = level <= p->last_a, deeper_b = level <= p->last_b;
    a = below(p->a, from_a, item.a, lesser(level, p->last_a));
    b = below(p->b, from_b, item.b, lesser(level, p->last_b));
    w->counters.n_u += spheres_ensure(p->a->spheres, LAYER_SHAPES, a.level, a.block);
    w->counters.n_u += spheres_ensure(p->b->spheres, LAYER_SHAPES, b.level, b.block);
    count *= deeper_a ? 2 : 1;
    for (unsigned i = count; i-- > 0;) { /* from the end: unread items are not overwritten */
      unsigned above = rows[deeper_a ? i / 2 : i];
      rows[i] = deeper_b ? doubled(above) : above;
    }
    if (!touched(t, w, p, &a, &b, rows, count)) return true;
  }
  return put_rows(t, w, p, to, &a, &b, rows, count);
}

/* Of a body and itself, nodes of b before those of a are left out: so are their branches. */
static uint32_t first_branch(const contact_body *a, uint32_t branch, const contact_body *b)
{
  return a == b ? branch : 0;
}

static bool walk_pair(const contact_query *t, contact_worker *w, const contact_pair *p)
{
  w->stack.count = 0;
  for (uint32_t a = 0; a < (uint32_t)p->a->spheres->branches; ++a)
    for (uint32_t b = first_branch(p->a, a, p->b); b < (uint32_t)p->b->spheres->branches; ++b) {
      ++w->counters.n_v;
      if (!nodes_touch(t, w, p->a, 0, a, p->b, 0, b)) continue;
      const int first = lesser(p->last, p->last % 3 ? p->last % 3 : 3);
      if (!walk_below(t, w, p, (contact_item){a, b, 0}, first)) return false;
    }
  while (w->stack.count) {
    contact_item item = w->stack.data[--w->stack.count];
    if (!walk_below(t, w, p, item, item.level + 3)) return false;
  }
  return true;
}

/* Without a walk: tests every node of a against every node of b. */
static bool every_pair(const contact_query *t, contact_worker *w, const contact_pair *p)
{
  const uint32_t a_count = (uint32_t)p->a->spheres->branches << p->last_a,
                 b_count = (uint32_t)p->b->spheres->branches << p->last_b;
  for (uint32_t a = 0; a < a_count; ++a)
    for (uint32_t b = 0; b < b_count; ++b) {
      ++w->counters.n_v;
      if (!level_touches(t, w, p, p->last, a, b)) continue;
      if (!array_reserve(&t->context->def.allocator, &w->found, w->found.count + 1)) return false;
      w->found.data[w->found.count++] = (uint64_t)a << 32 | b;
    }
  return true;
}

static bool sort_found(const contact_query *t, contact_worker *w)
{
  if (!array_reserve(&t->context->def.allocator, &w->sorting, w->found.count)) return false;
  sort_keys(w->found.data, w->sorting.data, w->found.count);
  return true;
}

/* ------------------------------------------------------------------------------------------ the --
 * result -- */

/* The points of one node in the sphere of another, decided exactly. */
static bool test_points(const contact_query *t, contact_worker *w, const contact_body *of, int level, uint32_t node,
                        const contact_body *in, int in_level, uint32_t in_node, uint32_t side)
{
  const spheres *s = of->spheres;
  uint32_t begin, end;
  float at[4];
  spheres_range(s, level, node >> level, node & ((1u << level) - 1), &begin, &end);
  spheres_get(in->spheres, in_level, contact_lane(in->spheres, in_level, in_node), at);
  if (!array_reserve(&t->context->def.allocator, &w->points, w->points.count + (end - begin))) return false;
  for (uint32_t i = begin; i < end; ++i) {
    double p[3];
    points_world(&of->body->motion.now, s->order[i], p);
    ++w->counters.n_p;
    if (!sphere_holds(at, p)) continue;
    pl_sphere_point *touch = &w->points.data[w->points.count];
    *touch = (pl_sphere_point){.point = s->order[i], .node = in_node, .side = side};
    contact_describe_point(in, in_level, in_node, p, side, touch);
    if (!t->def->contacts || touch->depth >= 0) ++w->points.count;
  }
  return true;
}

static bool emit_pair(const contact_query *t, contact_worker *w, const contact_pair *p, uint32_t a, uint32_t b)
{
  if (!array_reserve(&t->context->def.allocator, &w->touches, w->touches.count + 1)) return false;
  bool contact = contact_describe(p->a, p->last_a, a, p->b, p->last_b, b, t->def, &w->touches.data[w->touches.count]);
  if (contact || !t->def->contacts) ++w->touches.count;
  if (t->def->level != PL_LEVEL_ALL || t->level != PL_LEVEL_ALL) return true;
  return test_points(t, w, p->a, p->last_a, a, p->b, p->last_b, b, 0) &&
         test_points(t, w, p->b, p->last_b, b, p->a, p->last_a, a, 1);
}

/* The nodes that a walk level by level has found. */
static bool take_steps(const contact_query *t, contact_worker *w, const contact_job *j)
{
  const contact_step *steps = t->scratch->level[t->now].data;
  if (!array_reserve(&t->context->def.allocator, &w->found, j->end - j->begin)) return false;
  for (size_t i = j->begin; i < j->end; ++i) w->found.data[w->found.count++] = runner_pair_key(steps[i].a, steps[i].b);
  return true;
}

static bool run_pair(const contact_query *t, contact_worker *w, const contact_job *j)
{
  contact_pair p = pair_of(t, j, t->level);
  w->found.count = 0;
  const bool room = t->brute ? every_pair(t, w, &p) : t->budget ? take_steps(t, w, j) : walk_pair(t, w, &p);
  if (!room || !sort_found(t, w)) return false;
  for (size_t i = 0; i < w->found.count; ++i) {
    uint32_t a = (uint32_t)(w->found.data[i] >> 32), b = (uint32_t)w->found.data[i];
    if (p.a == p.b && a >= b) continue;
    /* walks have tested that already */
    if (t->brute && !all_levels_touch(t, w, &p, a, b)) continue;
    if (!emit_pair(t, w, &p, a, b)) return false;
  }
  return true;
}

/* Does a sphere reach into a half-space? In double, from left to right. */
static bool reaches(const float at[4], float margin, const pl_plane *p)
{
  double height =
      p->normal[0] * (double)at[0] + p->normal[1] * (double)at[1] + p->normal[2] * (double)at[2] - p->offset;
  return at[3] >= 0 && height <= (double)contact_grown(at[3], margin);
}

static bool run_plane_below(const contact_query *t, contact_worker *w, const contact_body *b, int level, int last,
                            uint32_t node, size_t plane)
{
  float at[4];
  contact_sphere(b, level, node, &w->counters.n_u, at);
  ++w->counters.n_v;
  if (!reaches(at, b->margin, &t->def->planes[plane])) return true;
  if (level < last)
    return run_plane_below(t, w, b, level + 1, last, 2 * node, plane) &&
           run_plane_below(t, w, b, level + 1, last, 2 * node + 1, plane);
  if (!array_reserve(&t->context->def.allocator, &w->touches, w->touches.count + 1)) return false;
  bool contact = contact_describe_plane(b, level, node, t->def, plane, &w->touches.data[w->touches.count]);
  if (contact || !t->def->contacts) ++w->touches.count;
  return true;
}

static bool run_planes(const contact_query *t, contact_worker *w, const contact_job *j)
{
  const contact_body *b = &t->scratch->bodies.data[j->a];
  const int last = contact_level(b, t->level);
  float whole[4];
  contact_sphere(b, 0, 0, &w->counters.n_u, whole);
  for (size_t plane = 0; plane < t->def->plane_count; ++plane)
    for (uint32_t branch = 0; branch < (uint32_t)b->spheres->branches; ++branch)
      if (branch == 0 && !reaches(whole, b->margin, &t->def->planes[plane])) /* most bodies are far from most planes */
        ++w->counters.n_v;
      else if (!run_plane_below(t, w, b, 0, last, branch, plane))
        return false;
  return true;
}

/* ----------------------------------------------------------------------------------- running -- */

static pl_status walk_job(runner *r, size_t piece, int worker, uint64_t tests)
{
  const contact_query *t = r->state;
  const contact_job *j = &t->scratch->jobs.data[piece];
  contact_worker *w = &t->scratch->workers[worker];
  w->counters = (pl_counters){0};
  const bool room = j->b == CONTACT_PLANES ? run_planes(t, w, j) : run_pair(t, w, j);
  runner_count(r, worker, w->counters.n_v, w->counters.n_p, w->counters.n_u);
  return room ? PL_OK : PL_ERROR_MEMORY;
}

static row_list found_of(const runner *r, int worker, int list)
{
  contact_worker *w = &((const contact_query *)r->state)->scratch->workers[worker];
  return list ? ROWS(&w->points) : ROWS(&w->touches);
}

const question contact_jobs = {.walk = walk_job, .lists = 2, .found = found_of};

/* ----------------------------------------------------------------------------------- budgets -- */

static bool spent(const contact_query *t, const contact_worker *w)
{
  if (t->def->budget_tests && w->counters.n_v >= t->def->budget_tests) return true;
  return t->def->budget_ms > 0 && timer_ms() - t->start >= t->def->budget_ms;
}

/* Appends the children of a step's nodes that touch to the next list. */
static bool step_down(const contact_query *t, contact_worker *w, const contact_step *s, int level, int next)
{
  contact_scratch *q = t->scratch;
  const contact_job *j = &q->jobs.data[s->job];
  const contact_body *a = &q->bodies.data[j->a], *b = &q->bodies.data[j->b];
  const int from_a = contact_level(a, level), to_a = contact_level(a, level + 1);
  const int from_b = contact_level(b, level), to_b = contact_level(b, level + 1);
  if (!array_reserve(&t->context->def.allocator, &q->level[next], q->level[next].count + 4)) return false;
  for (uint32_t i = 0; i < 1u << (to_a - from_a); ++i)
    for (uint32_t k = 0; k < 1u << (to_b - from_b); ++k) {
      uint32_t na = (s->a << (to_a - from_a)) + i, nb = (s->b << (to_b - from_b)) + k;
      ++w->counters.n_v;
      if (nodes_touch(t, w, a, to_a, na, b, to_b, nb))
        q->level[next].data[q->level[next].count++] = (contact_step){s->job, na, nb};
    }
  return true;
}

static bool first_level(const contact_query *t, contact_worker *w)
{
  contact_scratch *q = t->scratch;
  q->level[0].count = 0;
  for (uint32_t i = 0; i < q->jobs.count; ++i) {
    const contact_job *j = &q->jobs.data[i];
    if (j->b == CONTACT_PLANES) continue;
    const contact_body *a = &q->bodies.data[j->a], *b = &q->bodies.data[j->b];
    for (uint32_t k = 0; k < (uint32_t)a->spheres->branches; ++k)
      for (uint32_t l = first_branch(a, k, b); l < (uint32_t)b->spheres->branches; ++l) {
        ++w->counters.n_v;
        if (!nodes_touch(t, w, a, 0, k, b, 0, l)) continue;
        if (!array_reserve(&t->context->def.allocator, &q->level[0], q->level[0].count + 1)) return false;
        q->level[0].data[q->level[0].count++] = (contact_step){i, k, l};
      }
  }
  return true;
}

int contact_deepest(const contact_query *t)
{
  int most = 0;
  for (size_t i = 0; i < t->scratch->bodies.count; ++i) {
    int level = contact_level(&t->scratch->bodies.data[i], t->level);
    most = level > most ? level : most;
  }
  return most;
}

/* The steps of each job: they are in the order of the jobs. */
static void cut_steps(contact_query *t)
{
  contact_scratch *q = t->scratch;
  size_t at = 0;
  for (uint32_t i = 0; i < q->jobs.count; ++i) {
    q->jobs.data[i].begin = at;
    while (at < q->level[t->now].count && q->level[t->now].data[at].job == i) ++at;
    q->jobs.data[i].end = at;
  }
}

/* One level down. Returns false if the budget is spent; *room becomes false if out of memory. */
static bool next_level(contact_query *t, contact_worker *w, int level, bool *room)
{
  enum { LOOK = 64 }; /* steps between two reads of the clock */
  contact_scratch *q = t->scratch;
  const int next = 1 - t->now;
  q->level[next].count = 0;
  for (size_t i = 0; i < q->level[t->now].count && *room; ++i) {
    if (i % LOOK == 0 && spent(t, w)) return false;
    *room = step_down(t, w, &q->level[t->now].data[i], level, next);
  }
  t->now = next;
  return true;
}

/* If a budget ends the walk, t->level becomes the last complete level. */
pl_status contact_descend(contact_query *t, bool *partial)
{
  contact_worker *w = &t->scratch->workers[0];
  const int last = contact_deepest(t);
  bool room = first_level(t, w);
  for (int level = 0; level < last && room && !*partial; ++level) {
    *partial = !next_level(t, w, level, &room);
    if (*partial) t->level = level;
  }
  if (!room) return contact_no_memory(t->context);
  cut_steps(t);
  return PL_OK;
}
