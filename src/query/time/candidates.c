/* Candidates: features whose boxes around the whole way overlap. Boxes of nodes and features are
 * floats rounded outward; pairs of features that they leave open are compared in the caller's
 * numbers. The walk is a question of the runner with a list of pairs for each kind of features. */
#include "query/time/candidates.h"

#include "core/timer.h"
#include "core/version.h"
#include "query/time/open.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* volume tests of pieces: 20 to 100 us */
enum { KINDS = CANDIDATE_KINDS, FIRST_TESTS = 1000, PART_TESTS = 8000 };

/* ---------------------------------------------------------------------------------- features -- */

bool candidates_wanted(const pl_question *def, pl_body *a, pl_body *b, pl_feature kind, pl_pair pair)
{
  const bool edges = kind == PL_FEATURE_EDGE_EDGE;
  impact_pair p = {.kind = kind, .id_a = pair.a, .id_b = pair.b};
  for (int i = 0; i < 2 && edges; ++i) {
    p.a[i] = a->sweep->edges[pair.a][i];
    p.b[i] = b->sweep->edges[pair.b][i];
  }
  return impact_filtered(&p, a, b, def->feature_filter, def->user);
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

/* The margin of two features, the first of which is of b where `turned`. */
static double margin_of(const candidate_walk *w, const impact_features *f, bool turned, unsigned first, unsigned second)
{
  const body_thickness *a = &w->job->a->thickness, *b = &w->job->b->thickness;
  uint32_t one[3], other[3];
  impact_corners(f->first, f->first_group, first, one);
  impact_corners(f->second, f->second_group, second, other);
  const double x = thickness_of(turned ? b : a, one, f->first->corners),
               y = thickness_of(turned ? a : b, other, f->second->corners);
  return w->def->margin + (turned ? y + x : x + y);
}

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
    if (!exact_boxes_near(&one, &other, margin_of(w, f, turned, unsure->x[i], unsure->y[i]))) continue;
    sure->x[sure->count] = unsure->x[i];
    sure->y[sure->count++] = unsure->y[i];
  }
}

/* Pairs as the result lists them. */
static void take_pairs(const candidate_walk *w, const impact_features *f, int kind, const moving_pairs *p, pl_pair *out)
{
  const uint32_t *first = f->first->number + 8 * f->first_group, *second = f->second->number + 8 * f->second_group;
  const bool self = w->job->a == w->job->b;
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

/* The vertices of the feature in a lane, the last repeated. */
static void lane_corners(const sweep_groups *g, size_t first_group, unsigned lane, uint32_t out[3])
{
  impact_corners(g, first_group, lane, out);
  for (int i = g->corners; i < 3; ++i) out[i] = out[g->corners - 1];
}

/* Do too few edges join two features of one body? */
static bool are_close(candidate_walk *w, const impact_features *f, unsigned first, unsigned second)
{
  uint32_t one[3], other[3];
  lane_corners(f->first, f->first_group, first, one);
  lane_corners(f->second, f->second_group, second, other);
  w->rings.around = NULL;
  return rings_join(&w->rings, w->job->rings, w->def->rings - 1, one, other);
}

/* Removes pairs with a common vertex, where the kernel has not, those that too few edges join,
 * and those that the caller's filter refuses. Returns the number of pairs that are left. */
static int leave_out(candidate_walk *w, const impact_features *f, pl_feature kind, const moving_pairs *p,
                     pl_pair *pairs)
{
  int left = 0;
  for (int i = 0; i < p->count; ++i) {
    if (w->unmasked && impact_joined(f, p->x[i], p->y[i])) continue;
    if (w->job->rings && are_close(w, f, p->x[i], p->y[i])) continue;
    if (w->def->feature_filter && !candidates_wanted(w->def, w->job->a, w->job->b, kind, pairs[i])) continue;
    pairs[left++] = pairs[i];
  }
  return left;
}

static void meet(candidate_walk *w, meeting *m, int kind)
{
  static const pl_feature kinds[MOVING_KINDS] = {PL_FEATURE_VERTEX_FACE, PL_FEATURE_FACE_VERTEX, PL_FEATURE_EDGE_EDGE};
  const pl_feature named = w->job->a == w->job->b && kind == MOVING_FACE_VERTEX ? PL_FEATURE_VERTEX_FACE : kinds[kind];
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
  list->count += (size_t)(w->unmasked || w->job->rings || w->def->feature_filter ? leave_out(w, &f, named, sure, out)
                                                                                 : sure->count);
}

static void two_leaves(candidate_walk *w, node_pair item)
{
  const bool same = w->job->a == w->job->b && item.a == item.b;
  impact_side x, y;
  impact_copy copy;
  meeting m;
  impact_take_side(&x, &w->job->view_a, item.a, false);
  impact_take_side(&y, &w->job->view_b, item.b, false);
  m.x = &x;
  m.y = &y;
  m.sides = (moving_sides){.x = impact_side_in(&x, &w->job->view_b, &copy),
                           .y = &y.boxes,
                           .join = w->job->a == w->job->b && !w->unmasked,
                           .same = same,
                           .separation = w->wide,
                           .unsure = w->unsure};
  if (w->def->vertex_face) meet(w, &m, MOVING_VERTEX_FACE);
  if (w->def->vertex_face && !same) meet(w, &m, MOVING_FACE_VERTEX);
  if (w->def->edge_edge) meet(w, &m, MOVING_EDGE_EDGE);
  w->n_v += m.sides.tests;
}

/* ------------------------------------------------------------------------------------- nodes -- */

/* Adds a pair of nodes, unless it is known that no two features of theirs are both near and
 * without a common vertex. */
static void push(void *asker, float start, int32_t a, int32_t b)
{
  candidate_walk *w = asker;
  (void)start;
  if (w->job->a == w->job->b && w->job->view_a.over->rim) {
    w->n_v += 2;
    if (impact_hub_boxes_apart(&w->job->view_a, a, b, w->wide)) return;
  }
  w->items.data[w->items.count++] = (node_pair){a, b};
}

static bool roots_near(candidate_walk *w)
{
  const impact_view *b = &w->job->view_b;
  float box[SWEEP_BOX], block[SWEEP_BLOCK];
  for (int c = 0; c < SWEEP_BLOCK; ++c) block[c] = c % 8 ? -INFINITY : b->over->own[TREE_ROOT][c / 8];
  impact_box_in(&w->job->view_a, TREE_ROOT, b, box);
  ++w->n_v;
  return w->kernels->swept.one(box, block, impact_wide(w->margin, b->over), 1, NULL) & 1;
}

/* ------------------------------------------------------------------------------ the question -- */

static candidate_walk *walk_of(const runner *r, int worker)
{
  return &((const candidates_scratch *)r->state)->walks[worker];
}

static row_list stack_of(const runner *r, int worker) { return ROWS(&walk_of(r, worker)->items); }
static row_list found_of(const runner *r, int worker, int list) { return ROWS(&walk_of(r, worker)->found[list]); }

/* Gaps below minus this are certain: reaches are right to 2^-23 of the greatest coordinate,
 * their sum to twice that; the margin is 2^-9 too great. */
static float unsure_of(const impact_view *a, const impact_view *b, double margin)
{
  if (a->over->exponent != b->over->exponent) return INFINITY;
  const double most = fmax(a->over->most, b->over->most);
  return round_up(ldexp(0x1p-20 * most + 0x1p-8 * margin, -b->over->exponent)) + FLT_MIN;
}

static void begin(runner *r, uint32_t index, bool first, int worker)
{
  const candidates_scratch *q = r->state;
  candidate_walk *w = walk_of(r, worker);
  const impact_job *j = &q->jobs.data[index];
  w->allocator = &r->context->locked;
  w->kernels = kernels_of(r->context->isa)->moving;
  w->job = j;
  w->def = q->def;
  w->unmasked = j->a == j->b && !j->view_a.over->edges.id;
  w->margin = w->def->margin + (j->a->thickness.most + j->b->thickness.most);
  w->wide = impact_wide(w->margin, j->view_b.over);
  w->unsure =
      j->a->thickness.radius || j->b->thickness.radius ? INFINITY : unsure_of(&j->view_a, &j->view_b, w->margin);
  w->n_v = w->n_p = w->n_u = 0;
  w->status = PL_OK;
  w->items.count = 0;
  if (first && (j->a == j->b || roots_near(w))) w->items.data[w->items.count++] = (node_pair){TREE_ROOT, TREE_ROOT};
}

static void open_pair(candidate_walk *w, node_pair item)
{
  moving_opener o = {&w->kernels->swept, w->margin, 1, 0, 0};
  moving_open(&o, &w->job->view_a, &w->job->view_b, item.a, item.b, push, w);
  w->n_v += o.n_v;
  w->n_u += o.n_u;
}

static pl_status walk_piece(runner *r, size_t piece, int worker, uint64_t tests)
{
  candidate_walk *w = walk_of(r, worker);
  (void)piece;
  while (w->items.count && w->status == PL_OK && w->n_v < tests) {
    const node_pair item = w->items.data[--w->items.count];
    if (!array_reserve(w->allocator, &w->items, w->items.count + MOVING_STEP))
      w->status = PL_ERROR_MEMORY;
    else if (item.a < 0 && item.b < 0)
      two_leaves(w, item);
    else
      open_pair(w, item);
  }
  runner_count(r, worker, w->n_v, w->n_p, w->n_u);
  return w->status;
}

static const question candidates_question = {.first_tests = FIRST_TESTS,
                                             .part_tests = PART_TESTS,
                                             .step = MOVING_STEP,
                                             .stack = stack_of,
                                             .lists = KINDS,
                                             .found = found_of,
                                             .begin = begin,
                                             .walk = walk_piece};

static bool create(pl_context *context, void *scratch)
{
  candidates_scratch *q = scratch;
  q->walks = mem_new(&context->def.allocator, (size_t)context->threads, sizeof *q->walks);
  return q->walks && runner_create(&q->run, context, &candidates_question, q);
}

static void destroy(pl_context *context, void *scratch)
{
  candidates_scratch *q = scratch;
  const pl_allocator *allocator = &context->def.allocator;
  runner_destroy(&q->run);
  for (int i = 0; q->walks && i < context->threads; ++i) {
    array_free(allocator, &q->walks[i].items);
    ring_search_free(allocator, &q->walks[i].rings);
    for (int k = 0; k < KINDS; ++k) array_free(allocator, &q->walks[i].found[k]);
  }
  mem_free(allocator, q->walks);
  array_free(allocator, &q->jobs);
}

const query_slot pl_inside_query_CANDIDATES = {sizeof(candidates_scratch), create, destroy};

/* ------------------------------------------------------------------------------------ answer -- */

pl_status candidates_check(pl_context *context, const pl_question *how)
{
  return impact_check_margin(context, how->margin);
}

/* Updates the boxes of all jobs, and reserves room for rings. */
static pl_status update_jobs(pl_context *context, candidates_scratch *q, uint64_t *made)
{
  pl_status status = PL_OK;
  for (size_t i = 0; i < q->jobs.count && status == PL_OK; ++i) {
    impact_job *j = &q->jobs.data[i];
    status = sweep_update(j->a, made);
    if (status == PL_OK && j->b != j->a) status = sweep_update(j->b, made);
    if (status == PL_OK) status = moving_rings(j, q->def->rings);
    if (status != PL_OK) return status;
    j->view_a = (impact_view){j->a, j->a->sweep, &j->a->sweep->boxes, NULL};
    j->view_b = (impact_view){j->b, j->b->sweep, &j->b->sweep->boxes, NULL};
    for (int k = 0; k < context->threads && j->rings; ++k)
      if (!ring_search_reserve(&context->locked, &q->walks[k].rings, j->rings->vertex_count))
        return fail(context, PL_ERROR_MEMORY, "no memory for the rings of %zu vertices", j->rings->vertex_count);
  }
  return status;
}

pl_status candidates_begin_lists(pl_context *context, const impact_job *j, result_store *store)
{
  pl_candidate_lists lists = {.edges_a = (const uint32_t(*)[2])j->a->sweep->edges,
                              .edges_b = (const uint32_t(*)[2])j->b->sweep->edges,
                              .edge_count_a = j->a->sweep->edge_count,
                              .edge_count_b = j->b->sweep->edge_count};
  if (!array_reserve(&context->def.allocator, &store->more, store->more.count + sizeof lists)) return PL_ERROR_MEMORY;
  memcpy(store->more.data + store->more.count, &lists, sizeof lists);
  return PL_OK;
}

pl_status candidates_end_lists(pl_context *context, const impact_job *j, const size_t ends[KINDS + 1], bool always,
                               result_store *store)
{
  pl_candidate_lists *lists = (pl_candidate_lists *)(void *)(store->more.data + store->more.count);
  lists->vertex_face = ends[0];
  lists->face_vertex = ends[1];
  lists->edge_edge = ends[2];
  lists->end = ends[3];
  if (ends[3] > ends[0] || always) store->more.count += sizeof *lists;
  if (ends[3] == ends[0]) return PL_OK;
  if (!array_reserve(&context->def.allocator, &store->groups, store->groups.count + 1)) return PL_ERROR_MEMORY;
  store->groups.data[store->groups.count++] = (pl_group){j->a, j->b, ends[0], ends[3]};
  return PL_OK;
}

static uint64_t key_of(const void *row)
{
  const pl_pair *pair = row;
  return runner_pair_key(pair->a, pair->b);
}

static void row_of(uint64_t key, void *row) { *(pl_pair *)row = (pl_pair){(uint32_t)(key >> 32), (uint32_t)key}; }

/* Appends the rows of a job, kind by kind. */
static pl_status gather(pl_context *context, candidates_scratch *q, size_t index, result_store *store)
{
  const row_list rows = store_rows(store, sizeof(pl_pair));
  size_t ends[KINDS + 1] = {*rows.count};
  bool good = candidates_begin_lists(context, &q->jobs.data[index], store) == PL_OK;
  for (int k = 0; k < KINDS && good; ++k) {
    good = runner_gather(&q->run, index, k, rows);
    ends[k + 1] = *rows.count;
    if (good && q->def->sorted) good = runner_sort_keys(&q->run, rows, ends[k], ends[k + 1], key_of, row_of);
  }
  if (!good) return PL_ERROR_MEMORY;
  return candidates_end_lists(context, &q->jobs.data[index], ends, q->always, store);
}

void candidates_publish(const pl_counters *counters, result_store *store)
{
  pl_result answer = result_of(store, counters);
  answer.candidates = (const pl_pair *)(void *)store->rows.data;
  answer.lists = (const pl_candidate_lists *)(void *)store->more.data;
  answer.list_count = store->more.count / sizeof(pl_candidate_lists);
  result_publish(store, &answer);
}

pl_status candidates_answer(pl_context *context, candidates_scratch *q, const pl_question *def, pl_counters *counters,
                            result_store *store)
{
  const double start = timer_ms();
  q->def = def;
  pl_status status = update_jobs(context, q, &counters->n_u);
  if (status != PL_OK) return status;
  const double updated = timer_ms();
  counters->ms_update += updated - start;
  q->run.jobs = q->jobs.count;
  q->run.wake = true;
  store->rows.count = store->more.count = store->groups.count = 0;
  status = runner_run(&q->run, counters);
  for (size_t i = 0; i < q->jobs.count && status == PL_OK; ++i) status = gather(context, q, i, store);
  if (status == PL_ERROR_MEMORY) return fail(context, status, "no memory for the pairs of features that were found");
  if (status != PL_OK) return status;
  counters->ms_query = timer_ms() - updated;
  candidates_publish(counters, store);
  return PL_OK;
}
