/* Candidates: features whose boxes around the whole way overlap. Boxes of nodes and features are floats rounded outward; pairs of features that
 * they do not decide for certain are compared in the caller's numbers.
 *
 * The walk is that of a body pair: a stack of pairs of nodes. It goes on alone until it has some, which become parts that any worker
 * takes, each with lists of its own; they are joined in the order in which one thread alone would have found them. */
#include "query/candidates.h"

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

void pl_candidates_def_init(pl_candidates_def *def, size_t struct_size)
{
  const pl_candidates_def full = {.vertex_face = true, .edge_edge = true};
  def_fill(def, struct_size, &full, sizeof full);
}

typedef struct node_item {
  int32_t a, b;
} node_item;

/* A walk: a worker's, with the lists of a part or of the answer. */
typedef struct candidate_walk {
  const pl_allocator *allocator;
  const moving_kernels *kernels;
  pl_body *a, *b;
  const pl_candidates_def *def;
  ARRAY(node_item) items;
  pair_list *found; /* by kind */
  uint64_t n_v, n_p;
  pl_status status;
} candidate_walk;

typedef struct candidate_part {
  node_item item;
  pair_list found[KINDS];
  size_t at[KINDS]; /* where they come in the answer */
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
  for (int i = 0; q->walks && i < context->threads; ++i) array_free(allocator, &q->walks[i].items);
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

exact_box exact_box_of(const sweep *s, const uint32_t *vertices, int count)
{
  exact_box box = {{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};
  for (int i = 0; i < count; ++i)
    for (int k = 0; k < 3; ++k) {
      double x = s->start[vertices[i]][k], y = s->end[vertices[i]][k];
      box.low[k] = fmin(box.low[k], fmin(x, y));
      box.high[k] = fmax(box.high[k], fmax(x, y));
    }
  return box;
}

bool exact_boxes_near(const exact_box *x, const exact_box *y, double separation)
{
  for (int k = 0; k < 3; ++k)
    if (x->low[k] - y->high[k] > separation || y->low[k] - x->high[k] > separation) return false;
  return true;
}

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

/* Pairs that the boxes of two groups of features leave. */
static int hits_of(candidate_walk *w, const impact_side *x, moving_groups boxes_x, const impact_side *y,
                   moving_groups boxes_y, swept_hit hits[MOVING_HITS])
{
  float copy[IMPACT_COPY];
  const double most = fmax(x->sweep->most, y->sweep->most), separation = w->def->separation;
  moving_sides sides = {.x = impact_to_space(boxes_x, x->sweep, y->sweep, copy),
                        .y = boxes_y,
                        .around = y->around,
                        .separation = impact_wide(separation, y->sweep)};
  /* Reaches are right to 2^-23 of the greatest coordinate, their sum to twice that; the separation is 2^-9 too great. */
  sides.unsure = x->sweep->exponent == y->sweep->exponent
                     ? round_up(ldexp(0x1p-20 * most + 0x1p-8 * separation, -y->sweep->exponent)) + FLT_MIN
                     : INFINITY;
  int count = w->kernels->swept_sides(&sides, hits);
  w->n_v += sides.tests;
  return count;
}

/* Room for all pairs of some hits. */
static bool make_room(candidate_walk *w, pair_list *list, int hits)
{
  if (array_reserve(w->allocator, list, list->count + 8 * (size_t)hits)) return true;
  w->status = PL_ERROR_MEMORY;
  return false;
}

/* Own vertices of leaf x against the triangles of leaf y; `turned`: the vertices are of body b. */
static void vertices_faces(candidate_walk *w, const impact_side *x, const impact_side *y, bool turned)
{
  const primitives *p = &y->body->tree->prims;
  const uint32_t first = p->tri_first[y->leaf],
                 *vertex = x->sweep->vertex + 8 * (size_t)x->sweep->vertex_group[x->leaf];
  const bool self = x->body == y->body;
  const pl_impact_kind kind = turned ? PL_IMPACT_FACE_VERTEX : PL_IMPACT_VERTEX_FACE;
  pair_list *list = &w->found[kind];
  swept_hit hits[MOVING_HITS];
  int count = hits_of(w, x, impact_vertices(x), y, impact_faces(y), hits);
  if (!make_room(w, list, count)) return;
  for (int h = 0; h < count; ++h) {
    const uint32_t v = vertex[hits[h].x];
    for (unsigned near = hits[h].near; near; near &= near - 1) {
      int i = __builtin_ctz(near);
      const uint32_t t = first + (uint32_t)i, *corner = p->tri + 3 * (size_t)t;
      if (self && (corner[0] == v || corner[1] == v || corner[2] == v)) continue;
      if (!(hits[h].sure >> i & 1)) {
        exact_box one = exact_box_of(x->sweep, &v, 1), other = exact_box_of(y->sweep, corner, 3);
        ++w->n_p;
        if (!exact_boxes_near(&one, &other, w->def->separation)) continue;
      }
      pl_pair pair = {turned ? p->tri_id[t] : v, turned ? v : p->tri_id[t]};
      if (!w->def->filter || candidates_wanted(w->def, w->a, w->b, kind, pair)) list->data[list->count++] = pair;
    }
  }
}

static void edges_edges(candidate_walk *w, const impact_side *x, const impact_side *y)
{
  const sweep *sx = x->sweep, *sy = y->sweep;
  const uint32_t *edge_x = sx->edge + 8 * (size_t)sx->edge_group[x->leaf],
                 *edge_y = sy->edge + 8 * (size_t)sy->edge_group[y->leaf];
  const bool self = sx == sy, same = self && x->leaf == y->leaf;
  pair_list *list = &w->found[PL_IMPACT_EDGE_EDGE];
  swept_hit hits[MOVING_HITS];
  int count = hits_of(w, x, impact_edges(x), y, impact_edges(y), hits);
  if (!make_room(w, list, count)) return;
  for (int h = 0; h < count; ++h) {
    const uint32_t e = edge_x[hits[h].x], *ends = sx->edges[e];
    unsigned near = hits[h].near;
    if (same) near &= 0xffu << (hits[h].x >= 8 * hits[h].group ? hits[h].x - 8 * hits[h].group + 1 : 0);
    if (same && hits[h].x >= 8 * hits[h].group + 8) continue; /* such a pair was found the other way round */
    for (; near; near &= near - 1) {
      int i = __builtin_ctz(near);
      const uint32_t f = edge_y[8 * hits[h].group + i], *others = sy->edges[f];
      if (self && impact_edges_join(ends, others)) continue;
      if (!(hits[h].sure >> i & 1)) {
        exact_box one = exact_box_of(sx, ends, 2), other = exact_box_of(sy, others, 2);
        ++w->n_p;
        if (!exact_boxes_near(&one, &other, w->def->separation)) continue;
      }
      pl_pair pair = {self && f < e ? f : e, self && f < e ? e : f};
      if (!w->def->filter || candidates_wanted(w->def, w->a, w->b, PL_IMPACT_EDGE_EDGE, pair))
        list->data[list->count++] = pair;
    }
  }
}

static void two_leaves(candidate_walk *w, node_item item)
{
  const bool self = w->a == w->b;
  impact_side x, y;
  impact_take_side(&x, w->a, item.a);
  impact_take_side(&y, w->b, item.b);
  if (w->def->vertex_face) vertices_faces(w, &x, &y, false);
  if (w->def->vertex_face && (!self || item.a != item.b)) vertices_faces(w, &y, &x, !self);
  if (w->def->edge_edge) edges_edges(w, &x, &y);
}

/* --------------------------------------------------------------------------------------------------------- nodes -- */

static unsigned children_near(candidate_walk *w, const pl_body *body, int32_t node, const float box[SWEEP_BOX])
{
  w->n_v += body->tree->nodes.children[node];
  return w->kernels->swept(box, body->sweep->blocks + (size_t)SWEEP_BLOCK * (uint32_t)node,
                           impact_wide(w->def->separation, body->sweep));
}

static void open_both(candidate_walk *w, node_item item)
{
  const bool same = w->a == w->b && item.a == item.b;
  const int32_t *child_a = tree_children(w->a->tree, (uint32_t)item.a),
                *child_b = tree_children(w->b->tree, (uint32_t)item.b);
  float box[SWEEP_BOX];
  impact_box_in(w->b, item.b, w->a, box);
  unsigned open = same ? (1u << w->a->tree->nodes.children[item.a]) - 1 : children_near(w, w->a, item.a, box);
  for (; open; open &= open - 1) {
    int i = __builtin_ctz(open);
    impact_box_in(w->a, child_a[i], w->b, box);
    unsigned near = children_near(w, w->b, item.b, box);
    if (same) near &= ~0u << i;
    for (; near; near &= near - 1)
      w->items.data[w->items.count++] = (node_item){child_a[i], child_b[__builtin_ctz(near)]};
  }
}

static void open_one(candidate_walk *w, node_item item, bool open_a)
{
  const pl_body *body = open_a ? w->a : w->b, *other = open_a ? w->b : w->a;
  int32_t node = open_a ? item.a : item.b;
  const int32_t *child = tree_children(body->tree, (uint32_t)node);
  float box[SWEEP_BOX];
  impact_box_in(other, open_a ? item.b : item.a, body, box);
  for (unsigned near = children_near(w, body, node, box); near; near &= near - 1) {
    int i = __builtin_ctz(near);
    w->items.data[w->items.count++] = (node_item){open_a ? child[i] : item.a, open_a ? item.b : child[i]};
  }
}

/* Until nothing is left, or until there are `pause` pairs. */
static void walk_items(candidate_walk *w, size_t pause)
{
  while (w->items.count && w->items.count < pause && w->status == PL_OK) {
    node_item item = w->items.data[--w->items.count];
    if (!array_reserve(w->allocator, &w->items, w->items.count + STEP))
      w->status = PL_ERROR_MEMORY;
    else if (item.a < 0 && item.b < 0)
      two_leaves(w, item);
    else if (item.a < 0 || item.b < 0)
      open_one(w, item, item.b < 0);
    else
      open_both(w, item);
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
  if (start_at(w, own->item)) walk_items(w, SIZE_MAX);
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
  q->parts.count = old; /* what growing keeps */
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
  const sweep *b = w->b->sweep;
  float box[SWEEP_BOX], block[SWEEP_BLOCK];
  for (int c = 0; c < SWEEP_BLOCK; ++c) block[c] = c % 8 ? -INFINITY : b->own[TREE_ROOT][c / 8];
  impact_box_in(w->a, TREE_ROOT, w->b, box);
  ++w->n_v;
  return w->kernels->swept(box, block, impact_wide(w->def->separation, b)) & 1;
}

static pl_status walk_bodies(pl_context *context, candidates_scratch *q)
{
  candidate_walk *w = &q->walks[0];
  if (w->a != w->b && !roots_near(w)) return PL_OK;
  if (!start_at(w, (node_item){TREE_ROOT, TREE_ROOT})) return w->status;
  walk_items(w, context->threads > 1 ? PARTS : SIZE_MAX);
  return w->status == PL_OK && w->items.count ? share(context, q) : w->status;
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
    w->def = def;
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
