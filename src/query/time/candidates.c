/* Candidates: features whose boxes around the whole way overlap. Boxes of nodes and features are floats rounded
 * outward; pairs of features that they leave open are compared in the caller's numbers.
 *
 * The walk is that of a body pair: a stack of pairs of nodes. With several workers it first opens nodes level by level
 * until there are enough pairs; these become parts that any worker takes, each with lists of its own. The lists are
 * joined in the order in which one thread alone would have found them. */
#include "query/time/candidates.h"

#include "core/sort.h"
#include "core/timer.h"
#include "core/version.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum {
  KINDS = PL_IMPACT_COUNT,
  PARTS = 128,
  STEP = 80
}; /* pairs before workers share them; pairs that one step may add */

typedef struct node_item {
  int32_t a, b;
} node_item;

/* A walk of one worker, with the lists of a part or of the result. */
typedef struct candidate_walk {
  const pl_allocator *allocator;
  const moving_kernels *kernels;
  pl_body *a, *b;
  impact_view view_a, view_b;
  bool unmasked;      /* within one body: kernels leave features with a common vertex among the pairs */
  float wide, unsure; /* as in moving_sides, in the space of b */
  const pl_candidates_def *def;
  ARRAY(node_item) items, level; /* level: pairs of the first walk while it opens nodes for all workers */
  pair_list *found;              /* by kind */
  uint64_t n_v, n_p;
  pl_status status;
} candidate_walk;

typedef struct candidate_part {
  node_item item;
  pair_list found[KINDS];
  size_t at[KINDS]; /* where its pairs begin in the result */
} candidate_part;

typedef struct candidates_scratch {
  candidate_walk *walks; /* one per worker */
  ARRAY(candidate_part) parts;
  pair_list found[KINDS];
  ARRAY(uint64_t) keys, sorting;
  pl_candidates answer;
} candidates_scratch;

static bool create(pl_context *context, void *scratch)
{
  candidates_scratch *q = scratch;
  q->walks = mem_new(&context->def.allocator, (size_t)context->threads, sizeof *q->walks);
  return q->walks != NULL;
}

static void destroy(pl_context *context, void *scratch)
{
  candidates_scratch *q = scratch;
  const pl_allocator *allocator = &context->def.allocator;
  for (int i = 0; q->walks && i < context->threads; ++i) {
    array_free(allocator, &q->walks[i].items);
    array_free(allocator, &q->walks[i].level);
  }
  mem_free(allocator, q->walks);
  for (size_t i = 0; i < q->parts.capacity; ++i)
    for (int k = 0; k < KINDS; ++k) array_free(allocator, &q->parts.data[i].found[k]);
  array_free(allocator, &q->parts);
  for (int k = 0; k < KINDS; ++k) array_free(allocator, &q->found[k]);
  array_free(allocator, &q->keys);
  array_free(allocator, &q->sorting);
}

const query_slot pl_inside_query_CANDIDATES = {sizeof(candidates_scratch), create, destroy};

/* ------------------------------------------------------------------------------------------------------ features -- */

bool candidates_wanted(const pl_candidates_def *def, pl_body *a, pl_body *b, pl_impact_kind kind, pl_pair pair)
{
  const bool edges = kind == PL_IMPACT_EDGE_EDGE;
  pl_impact_features f = {.a = a, .b = b, .kind = kind};
  for (int i = 0; i < 2; ++i) {
    f.feature_a[i] = edges ? a->sweep->edges[pair.a][i] : pair.a;
    f.feature_b[i] = edges ? b->sweep->edges[pair.b][i] : pair.b;
  }
  return def->filter(def->user, &f);
}

/* A box in the caller's numbers of the feature in a lane. */
static exact_box box_of_lane(const sweep *s, const sweep_groups *g, size_t first_group, unsigned lane)
{
  uint32_t corner[3];
  impact_corners(g, first_group, lane, corner);
  return exact_box_of(s, corner, g->corners);
}

/* Two leaves whose features are tested. */
typedef struct meeting {
  const impact_side *x, *y;
  moving_sides sides;
  moving_lists lists;
} meeting;

/* Moves the pairs that overlap in the caller's numbers to the certain ones. */
static void decide(candidate_walk *w, meeting *m, const impact_features *f, int kind)
{
  const bool turned = kind == MOVING_FACE_VERTEX;
  const sweep *first = (turned ? m->y : m->x)->view->sweep, *second = (turned ? m->x : m->y)->view->sweep;
  moving_pairs *sure = &m->lists.sure, *unsure = &m->lists.unsure;
  w->n_p += (uint64_t)unsure->count;
  for (int i = 0; i < unsure->count; ++i) {
    exact_box one = box_of_lane(first, f->first, f->first_group, unsure->x[i]),
              other = box_of_lane(second, f->second, f->second_group, unsure->y[i]);
    if (!exact_boxes_near(&one, &other, w->def->separation)) continue;
    sure->x[sure->count] = unsure->x[i];
    sure->y[sure->count++] = unsure->y[i];
  }
}

/* Pairs as the result lists them. */
static void take_pairs(const candidate_walk *w, const impact_features *f, int kind, const moving_pairs *p, pl_pair *out)
{
  const uint32_t *first = f->first->number + 8 * f->first_group, *second = f->second->number + 8 * f->second_group;
  const bool self = w->a == w->b;
  if (self && kind == MOVING_EDGE_EDGE)
    for (int i = 0; i < p->count; ++i) {
      const uint32_t one = first[p->x[i]], other = second[p->y[i]];
      out[i] = (pl_pair){one < other ? one : other, one < other ? other : one};
    }
  else if (!self && kind == MOVING_FACE_VERTEX)
    for (int i = 0; i < p->count; ++i) out[i] = (pl_pair){second[p->y[i]], first[p->x[i]]};
  else
    for (int i = 0; i < p->count; ++i) out[i] = (pl_pair){first[p->x[i]], second[p->y[i]]};
}

/* Removes pairs with a common vertex, where the kernel has not, and those that the caller's filter refuses. Returns the
 * number of pairs that are left. */
static int leave_out(const candidate_walk *w, const impact_features *f, pl_impact_kind kind, const moving_pairs *p,
                     pl_pair *pairs)
{
  int left = 0;
  for (int i = 0; i < p->count; ++i) {
    if (w->unmasked && impact_joined(f, p->x[i], p->y[i])) continue;
    if (w->def->filter && !candidates_wanted(w->def, w->a, w->b, kind, pairs[i])) continue;
    pairs[left++] = pairs[i];
  }
  return left;
}

static void meet(candidate_walk *w, meeting *m, int kind)
{
  static const pl_impact_kind kinds[MOVING_KINDS] = {PL_IMPACT_VERTEX_FACE, PL_IMPACT_FACE_VERTEX, PL_IMPACT_EDGE_EDGE};
  const pl_impact_kind named = w->a == w->b && kind == MOVING_FACE_VERTEX ? PL_IMPACT_VERTEX_FACE : kinds[kind];
  const moving_pairs *sure = &m->lists.sure;
  pair_list *list = &w->found[named];
  w->kernels->pairs(&m->sides, kind, &m->lists);
  if (!sure->count && !m->lists.unsure.count) return;
  const impact_features f = impact_features_of(m->x, m->y, kind);
  if (m->lists.unsure.count) decide(w, m, &f, kind);
  if (!array_reserve(w->allocator, list, list->count + (size_t)sure->count)) {
    w->status = PL_ERROR_MEMORY;
    return;
  }
  pl_pair *out = list->data + list->count;
  take_pairs(w, &f, kind, sure, out);
  list->count += (size_t)(w->unmasked || w->def->filter ? leave_out(w, &f, named, sure, out) : sure->count);
}

static void two_leaves(candidate_walk *w, node_item item)
{
  const bool same = w->a == w->b && item.a == item.b;
  impact_side x, y;
  impact_copy copy;
  meeting m;
  impact_take_side(&x, &w->view_a, item.a, SWEEP_BOXED);
  impact_take_side(&y, &w->view_b, item.b, SWEEP_BOXED);
  m.x = &x;
  m.y = &y;
  m.sides = (moving_sides){.x = impact_side_in(&x, &w->view_b, &copy),
                           .y = &y.boxes,
                           .join = w->a == w->b && !w->unmasked,
                           .same = same,
                           .separation = w->wide,
                           .unsure = w->unsure};
  if (w->def->vertex_face) meet(w, &m, MOVING_VERTEX_FACE);
  if (w->def->vertex_face && !same) meet(w, &m, MOVING_FACE_VERTEX);
  if (w->def->edge_edge) meet(w, &m, MOVING_EDGE_EDGE);
  w->n_v += m.sides.tests;
}

/* --------------------------------------------------------------------------------------------------------- nodes -- */

static unsigned children_near(candidate_walk *w, const impact_view *view, int32_t node, const float box[SWEEP_BOX])
{
  w->n_v += view->over->of->nodes.children[node];
  return w->kernels->swept(box, view->over->blocks + (size_t)SWEEP_BLOCK * (uint32_t)node,
                           impact_wide(w->def->separation, view->sweep));
}

/* Adds a pair of nodes, unless it is known that no two features of theirs are both near and without a common vertex. */
static void push(candidate_walk *w, int32_t a, int32_t b)
{
  if (w->a == w->b && w->view_a.over->hubs) {
    w->n_v += 2;
    if (impact_hub_boxes_apart(&w->view_a, a, b, w->wide)) return;
  }
  w->items.data[w->items.count++] = (node_item){a, b};
}

static void open_both(candidate_walk *w, node_item item)
{
  const bool same = w->a == w->b && item.a == item.b;
  const impact_view *a = &w->view_a, *b = &w->view_b;
  const int32_t *child_a = tree_children(a->over->of, (uint32_t)item.a),
                *child_b = tree_children(b->over->of, (uint32_t)item.b);
  float box[SWEEP_BOX];
  impact_box_in(b, item.b, a, box);
  unsigned open = same ? (1u << a->over->of->nodes.children[item.a]) - 1 : children_near(w, a, item.a, box);
  for (; open; open &= open - 1) {
    int i = __builtin_ctz(open);
    impact_box_in(a, child_a[i], b, box);
    unsigned near = children_near(w, b, item.b, box);
    if (same) near &= ~0u << i;
    for (; near; near &= near - 1) push(w, child_a[i], child_b[__builtin_ctz(near)]);
  }
}

static void open_one(candidate_walk *w, node_item item, bool open_a)
{
  const impact_view *view = open_a ? &w->view_a : &w->view_b, *other = open_a ? &w->view_b : &w->view_a;
  int32_t node = open_a ? item.a : item.b;
  const int32_t *child = tree_children(view->over->of, (uint32_t)node);
  float box[SWEEP_BOX];
  impact_box_in(other, open_a ? item.b : item.a, view, box);
  for (unsigned near = children_near(w, view, node, box); near; near &= near - 1) {
    int i = __builtin_ctz(near);
    push(w, open_a ? child[i] : item.a, open_a ? item.b : child[i]);
  }
}

/* A pair of which at most one is a leaf. */
static void open_item(candidate_walk *w, node_item item)
{
  if (item.a < 0 || item.b < 0)
    open_one(w, item, item.b < 0);
  else
    open_both(w, item);
}

static void walk_items(candidate_walk *w)
{
  while (w->items.count && w->status == PL_OK) {
    node_item item = w->items.data[--w->items.count];
    if (!array_reserve(w->allocator, &w->items, w->items.count + STEP))
      w->status = PL_ERROR_MEMORY;
    else if (item.a < 0 && item.b < 0)
      two_leaves(w, item);
    else
      open_item(w, item);
  }
}

/* Opens pairs of nodes level by level, until there are `enough`. Each pair is replaced by the pairs that it opens, so
 * that the order is that of one walk without parts. */
static void spread(candidate_walk *w, size_t enough)
{
  for (bool opened = true; opened && w->items.count < enough && w->status == PL_OK;) {
    const size_t count = w->items.count;
    if (!array_reserve(w->allocator, &w->level, count)) {
      w->status = PL_ERROR_MEMORY;
      return;
    }
    memcpy(w->level.data, w->items.data, count * sizeof *w->level.data);
    w->items.count = 0;
    opened = false;
    for (size_t i = 0; i < count && w->status == PL_OK; ++i) {
      const node_item item = w->level.data[i];
      const bool leaves = item.a < 0 && item.b < 0;
      opened = opened || !leaves;
      if (!array_reserve(w->allocator, &w->items, w->items.count + STEP))
        w->status = PL_ERROR_MEMORY;
      else if (leaves)
        w->items.data[w->items.count++] = item;
      else
        open_item(w, item);
    }
  }
}

static bool start_at(candidate_walk *w, node_item item)
{
  if (!array_reserve(w->allocator, &w->items, STEP)) {
    w->status = PL_ERROR_MEMORY;
    return false;
  }
  w->items.data[0] = item;
  w->items.count = 1;
  return true;
}

/* ------------------------------------------------------------------------------------------------------- workers -- */

static void run_part(void *data, int task, int worker)
{
  candidates_scratch *q = data;
  candidate_walk *w = &q->walks[worker];
  candidate_part *own = &q->parts.data[task];
  if (w->status != PL_OK) return;
  w->found = own->found;
  if (start_at(w, own->item)) walk_items(w);
}

static void join_part(void *data, int task, int worker)
{
  candidates_scratch *q = data;
  const candidate_part *own = &q->parts.data[task];
  (void)worker;
  for (int k = 0; k < KINDS; ++k)
    if (own->found[k].count)
      memcpy(q->found[k].data + own->at[k], own->found[k].data, own->found[k].count * sizeof *q->found[k].data);
}

/* Room for parts with empty lists; those of earlier queries keep theirs. */
static bool take_parts(pl_context *context, candidates_scratch *q, size_t count)
{
  size_t old = q->parts.capacity;
  q->parts.count = old; /* array_reserve() keeps as many */
  if (!array_reserve(&context->def.allocator, &q->parts, count)) return false;
  memset(q->parts.data + old, 0, (q->parts.capacity - old) * sizeof *q->parts.data);
  q->parts.count = count;
  for (size_t i = 0; i < count; ++i)
    for (int k = 0; k < KINDS; ++k) q->parts.data[i].found[k].count = 0;
  return true;
}

static pl_status join_parts(pl_context *context, candidates_scratch *q)
{
  for (int k = 0; k < KINDS; ++k) {
    size_t count = q->found[k].count;
    for (size_t i = 0; i < q->parts.count; ++i) {
      q->parts.data[i].at[k] = count;
      count += q->parts.data[i].found[k].count;
    }
    if (!array_reserve(&context->def.allocator, &q->found[k], count)) return PL_ERROR_MEMORY;
    q->found[k].count = count;
  }
  return parallel_for(context, true, join_part, q, (int)q->parts.count);
}

static pl_status share(pl_context *context, candidates_scratch *q)
{
  candidate_walk *w = &q->walks[0];
  size_t count = w->items.count;
  if (!take_parts(context, q, count)) return PL_ERROR_MEMORY;
  for (size_t i = 0; i < count; ++i) q->parts.data[i].item = w->items.data[count - 1 - i];
  pl_status status = parallel_for(context, true, run_part, q, (int)count);
  for (int i = 0; i < context->threads && status == PL_OK; ++i) status = q->walks[i].status;
  return status == PL_OK ? join_parts(context, q) : status;
}

static bool roots_near(candidate_walk *w)
{
  const impact_view *b = &w->view_b;
  float box[SWEEP_BOX], block[SWEEP_BLOCK];
  for (int c = 0; c < SWEEP_BLOCK; ++c) block[c] = c % 8 ? -INFINITY : b->over->own[TREE_ROOT][c / 8];
  impact_box_in(&w->view_a, TREE_ROOT, b, box);
  ++w->n_v;
  return w->kernels->swept(box, block, impact_wide(w->def->separation, b->sweep)) & 1;
}

static pl_status walk_bodies(pl_context *context, candidates_scratch *q)
{
  candidate_walk *w = &q->walks[0];
  if (w->a != w->b && !roots_near(w)) return PL_OK;
  if (!start_at(w, (node_item){TREE_ROOT, TREE_ROOT})) return w->status;
  if (context->threads > 1)
    spread(w, PARTS);
  else
    walk_items(w);
  return w->status == PL_OK && w->items.count ? share(context, q) : w->status;
}

/* Gaps that are less than minus this are certain: reaches are right to 2^-23 of the greatest coordinate, their sum to twice that; the
 * separation is 2^-9 too great. */
static float unsure_of(const sweep *a, const sweep *b, double separation)
{
  if (a->exponent != b->exponent) return INFINITY;
  return round_up(ldexp(0x1p-20 * fmax(a->most, b->most) + 0x1p-8 * separation, -b->exponent)) + FLT_MIN;
}

static void begin(pl_context *context, candidates_scratch *q, pl_body *a, pl_body *b, const pl_candidates_def *def)
{
  for (int k = 0; k < KINDS; ++k) q->found[k].count = 0;
  for (int i = 0; i < context->threads; ++i) {
    candidate_walk *w = &q->walks[i];
    w->allocator = &context->locked;
    w->kernels = kernels_of(context->isa)->moving;
    w->a = a;
    w->b = b;
    w->view_a = (impact_view){a, a->sweep, &a->sweep->boxes, NULL};
    w->view_b = (impact_view){b, b->sweep, &b->sweep->boxes, NULL};
    w->def = def;
    w->unmasked = a == b && !a->sweep->boxes.edges.id;
    w->wide = impact_wide(def->separation, b->sweep);
    w->unsure = unsure_of(a->sweep, b->sweep, def->separation);
    w->items.count = 0;
    w->found = q->found;
    w->n_v = w->n_p = 0;
    w->status = PL_OK;
  }
}

/* -------------------------------------------------------------------------------------------------------- answer -- */

static bool sort_list(pl_context *context, candidates_scratch *q, pair_list *list)
{
  const pl_allocator *allocator = &context->def.allocator;
  if (!array_reserve(allocator, &q->keys, list->count) || !array_reserve(allocator, &q->sorting, list->count))
    return false;
  for (size_t i = 0; i < list->count; ++i) q->keys.data[i] = (uint64_t)list->data[i].a << 32 | list->data[i].b;
  sort_keys(q->keys.data, q->sorting.data, list->count);
  for (size_t i = 0; i < list->count; ++i)
    list->data[i] = (pl_pair){(uint32_t)(q->keys.data[i] >> 32), (uint32_t)q->keys.data[i]};
  return true;
}

static void publish(candidates_scratch *q, const pl_body *a, const pl_body *b, const pl_counters *counters)
{
  const pair_list *lists = q->found;
  q->answer = (pl_candidates){.vertex_face = lists[PL_IMPACT_VERTEX_FACE].data,
                              .vertex_face_count = lists[PL_IMPACT_VERTEX_FACE].count,
                              .face_vertex = lists[PL_IMPACT_FACE_VERTEX].data,
                              .face_vertex_count = lists[PL_IMPACT_FACE_VERTEX].count,
                              .edge_edge = lists[PL_IMPACT_EDGE_EDGE].data,
                              .edge_edge_count = lists[PL_IMPACT_EDGE_EDGE].count,
                              .edges_a = (const uint32_t(*)[2])a->sweep->edges,
                              .edges_b = (const uint32_t(*)[2])b->sweep->edges,
                              .edge_count_a = a->sweep->edge_count,
                              .edge_count_b = b->sweep->edge_count,
                              .counters = *counters};
}

static pl_status run(pl_body *a, pl_body *b, const pl_candidates_def *def, const pl_candidates **out)
{
  pl_context *context = a->context;
  candidates_scratch *q = query_scratch(context, QUERY_CANDIDATES);
  if (!q) return PL_ERROR_MEMORY;
  pl_counters counters = {0};
  double start = timer_ms();
  pl_status status = sweep_update(a, &counters.n_u);
  if (status == PL_OK && b != a) status = sweep_update(b, &counters.n_u);
  if (status != PL_OK) return status;
  counters.ms_update = timer_ms() - start;
  begin(context, q, a, b, def);
  status = walk_bodies(context, q);
  for (int k = 0; k < KINDS && status == PL_OK && def->sorted; ++k)
    if (!sort_list(context, q, &q->found[k])) status = PL_ERROR_MEMORY;
  if (status == PL_ERROR_MEMORY) return fail(context, status, "no memory for the pairs of features that were found");
  if (status != PL_OK) return status;
  for (int i = 0; i < context->threads; ++i) {
    counters.n_v += q->walks[i].n_v;
    counters.n_p += q->walks[i].n_p;
  }
  counters.ms_query = timer_ms() - start - counters.ms_update;
  publish(q, a, b, &counters);
  *out = &q->answer;
  return PL_OK;
}

pl_status candidates_prepare(pl_body *a, pl_body *b, const pl_candidates_def *def, const pl_candidates **out,
                             pl_candidates_def *full, call *c)
{
  if (out) *out = NULL;
  pl_status status = impact_check_bodies(a, b, out);
  if (status == PL_OK) status = def_take(a->context, pl_candidates_def, def, full);
  if (status == PL_OK) status = impact_check_separation(a->context, full->separation);
  if (status != PL_OK) return status;
  return query_enter(c, a, b);
}

pl_status pl_impact_candidates(pl_body *a, pl_body *b, const pl_candidates_def *def, const pl_candidates **out)
{
  pl_candidates_def d;
  call c;
  pl_status status = candidates_prepare(a, b, def, out, &d, &c);
  if (status != PL_OK) return status;
  status = run(a, b, &d, out);
  call_query_end(&c);
  return status;
}
