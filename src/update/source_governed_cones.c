/* Boxes and cones of patches from governors, on demand: those of an inner patch in O(governors),
 * and vertices are evaluated only for borders that are looked at and for patches so small that
 * their vertices cost less. After Schwartzman, Gascon and Otaduy 2009, section 4, with borders,
 * so that nothing is missed. Three kinds of inner patches: *governed*, with a fit and more
 * triangles than their governors cost; *small*, bottom-up as a whole; *merged*, with too many
 * governors, from their children. Invariant: a position and a block are written by the one
 * thread that has claimed its stamp. Cost: O(governors) per patch that a walk opens; for each
 * border and each small patch its vertices, once per frame. Transformed bodies, positions out of
 * the range of float, and frames after one that has cost more on demand than as a whole, are
 * computed as a whole, bottom-up. */
#include "bounds/cone.h"
#include "update/governed_cones.h"
#include "update/patches.h"

#include <float.h>
#include <string.h>

enum {
  SMALL_PATCH = 24,
  /* triangles: what a cone costs, in triangles that are refitted from their vertices */
  PER_GOVERNOR = 1,
  /* A cone of fewer directions is computed again from those of the children: it would cull
   * little. Bones make cones that are wider than they need be where they bend. */
  FEW_OF_POINTS = 5,
  FEW_OF_TRANSFORMS = 7,
  /* Nanoseconds, about: of a patch and for each of its governors, control points and transforms;
   * of a vertex, and for each of its weights; of a triangle that is refitted. What is done on
   * demand counts by half more: it is scattered, and looser volumes cost the walk something,
   * too. */
  PATCH_COST = 60,
  PATCH_PER_POINT = 6,
  PATCH_PER_TRANSFORM = 20,
  VERTEX_COST = 5,
  VERTEX_PER_POINT = 1,
  VERTEX_PER_TRANSFORM = 3,
  TRIANGLE_COST = 8,
  LEAST_PAUSE = 8, /* frames */
  MOST_PAUSE = 64
};

typedef enum patch_kind { PATCH_SMALL, PATCH_MERGED, PATCH_GOVERNED } patch_kind;

typedef struct governed_cones {
  governed_state fits;
  governed_rows rows; /* by place */
  uint8_t *kind;      /* by inner node */
  /* disjoint nodes that together contain every triangle */
  uint32_t *cover, covers;
  uint32_t *leaf_places; /* as the lists of leaves (tree/tree.h): places instead of vertices */
  const governed *g;
  const governed_kernels *inner;
  governed_space to; /* that of the patches */

  /* Where a frame on demand has cost more than one bottom-up, the next ones are bottom-up, for a
   * while that doubles. */
  /* in this frame, on demand */
  atomic_uint patches_made, governors_made, vertices_made, triangles_made;
  int pause, next_pause; /* frames */
} governed_cones;

/* -------------------------------------------------------------------------------------- once -- */

static bool pays(const patches *p, const governed_cones *c, uint32_t node)
{
  uint32_t triangles = p->patch[node].end - p->patch[node].begin, governors = c->fits.patches[node].count;
  if (governors == 0) return false;
  return triangles > SMALL_PATCH && triangles > PER_GOVERNOR * governors * (c->g->transforms ? 2 : 1);
}

static void choose_kinds(const patches *p, governed_cones *c)
{
  for (uint32_t i = p->tree.nodes.inner_count; i-- > 0;) {
    bool all_small = true;
    for (int lane = 0; lane < p->tree.nodes.children[i]; ++lane) {
      int32_t child = tree_children(&p->tree, i)[lane];
      if (child >= 0 && c->kind[child] != PATCH_SMALL) all_small = false;
    }
    c->kind[i] = (uint8_t)(pays(p, c, i) ? PATCH_GOVERNED : all_small ? PATCH_SMALL : PATCH_MERGED);
  }
}

/* The governed patches that no other is above, and what is left between them. */
static void choose_cover(const patches *p, governed_cones *c)
{
  for (uint32_t i = 0; i < p->tree.nodes.inner_count;) {
    bool open = c->kind[i] == PATCH_MERGED;
    for (int lane = 0; open && lane < p->tree.nodes.children[i]; ++lane)
      if (tree_children(&p->tree, i)[lane] < 0) open = false;
    if (!open) c->cover[c->covers++] = i;
    i = open ? i + 1 : p->tree.nodes.end[i];
  }
}

/* A patch within one control triangle has the fewest governors, and its weights are smooth. */
static size_t together(const motion *m) { return ((const governed *)m->controls)->together; }

/* Weights and rest positions in the order of the tree. */
static bool make_rows(const patches *p, governed_cones *c)
{
  const pl_allocator *allocator = &p->context->def.allocator;
  const uint32_t places = p->tree.prims.vertex_count, *order = p->tree.prims.order;
  const governed *g = c->g;
  const size_t rest = g->transforms ? REST_NUMBERS : 0;
  governed_rows *r = &c->rows;
  size_t count = 0;
  for (uint32_t v = 0; v < places; ++v) count += rest + (3 * (size_t)(g->end[v] - g->first[v]) + 1) / 2;
  r->first = mem_raw(allocator, (size_t)places + 1, sizeof *r->first);
  r->pieces = count < UINT32_MAX ? mem_new(allocator, count + 1, sizeof *r->pieces) : NULL;
  if (!r->first || !r->pieces) return false;
  r->entries = g->live_entries;
  count = 0;
  for (uint32_t k = 0; k < places; ++k) {
    uint32_t v = order[k], begin = g->first[v], n = g->end[v] - begin;
    double *to = r->pieces + count;
    r->first[k] = (uint32_t)count;
    if (rest) memcpy(to, g->rest + 3 * (size_t)v, rest * sizeof *to);
    if (n) memcpy(to + rest, g->weight + begin, n * sizeof *to);
    if (n) memcpy(to + rest + n, g->governor + begin, n * sizeof *g->governor);
    count += rest + (3 * (size_t)n + 1) / 2;
  }
  r->first[places] = (uint32_t)count;
  return true;
}

static bool make_leaf_places(const patches *p, governed_cones *c)
{
  const primitives *prims = &p->tree.prims;
  const uint32_t count = prims->list_first[p->tree.nodes.leaf_count];
  c->leaf_places = mem_raw(&p->context->def.allocator, count, sizeof *c->leaf_places);
  for (uint32_t k = 0; c->leaf_places && k < count; ++k) c->leaf_places[k] = p->place[prims->list[k]];
  return c->leaf_places;
}

static pl_status fit(patches *p, governed_cones *c)
{
  pl_context *context = p->context;
  patch_term *terms = NULL;
  float(*sigma)[4] = NULL;
  pl_status status = governed_fit(context, &p->tree, c->g, &c->fits, &terms);
  if (status == PL_OK) status = governed_measure(context, p, c->g, &c->fits, terms, &c->fits.normals, &sigma);
  if (status == PL_OK) status = governed_pack(context, &p->tree, c->g, terms, (const float(*)[4])sigma, &c->fits);
  mem_free(&context->def.allocator, terms);
  mem_free(&context->def.allocator, sigma);
  return status;
}

static pl_status create(update *u, const pl_body_def *def)
{
  (void)def;
  patches *p = u->patches;
  const pl_allocator *allocator = &p->context->def.allocator;
  governed_cones *c = u->state;
  c->g = u->controls;
  c->inner = u->kernels->governed;
  c->next_pause = LEAST_PAUSE;
  pl_status status = fit(p, c);
  if (status != PL_OK) return status;
  c->kind = mem_raw(allocator, p->tree.nodes.inner_count, sizeof *c->kind);
  c->cover = mem_raw(allocator, p->tree.nodes.inner_count, sizeof *c->cover);
  p->evaluated = mem_new(allocator, p->tree.prims.vertex_count, sizeof *p->evaluated);
  if (!c->kind || !c->cover || !p->evaluated || !make_rows(p, c) || !make_leaf_places(p, c))
    return fail(p->context, PL_ERROR_MEMORY, "no memory for the cones of a governed body");
  choose_kinds(p, c);
  choose_cover(p, c);
  return PL_OK;
}

static void destroy(update *u)
{
  const pl_allocator *allocator = &u->context->def.allocator;
  governed_cones *c = u->state;
  governed_state_free(u->context, &c->fits);
  mem_free(allocator, c->rows.first);
  mem_free(allocator, c->rows.pieces);
  mem_free(allocator, c->kind);
  mem_free(allocator, c->cover);
  mem_free(allocator, c->leaf_places);
}

/* --------------------------------------------------------------------------------- positions -- */

enum { AT_ONCE = 64, AHEAD = 16 };

/* Vertices of borders are all over the arrays, and no near cache holds what is known of them. So
 * each is fetched before it is read: its stamp and its position AHEAD places before it is asked
 * for, where its row is as soon as it is claimed, and the row ROW_BEHIND claims later. */
enum { ROW_BEHIND = 8 };

/* Places to be evaluated that this thread has claimed. */
typedef struct claims {
  patches *p;
  uint32_t place[AT_ONCE], count, made;
} claims;

static inline void fetch_row(const governed_rows *rows, uint32_t place)
{
  const uint32_t first = rows->first[place], size = rows->first[place + 1] - first;
  for (uint32_t k = 0; k < size; k += 8) __builtin_prefetch(rows->pieces + first + k);
  if (size) __builtin_prefetch(rows->pieces + first + size - 1);
}

static void evaluate_claims(claims *c)
{
  patches *p = c->p;
  const governed_cones *own = p->update->state;
  for (uint32_t i = c->count > ROW_BEHIND ? c->count - ROW_BEHIND : 0; i < c->count; ++i)
    fetch_row(&own->rows, c->place[i]);
  own->inner->positions(own->g, &own->rows, c->place, 0, c->count, &own->to, p->positions);
  for (uint32_t i = 0; i < c->count; ++i) stamp_set(&p->evaluated[c->place[i]], p->tree.frame);
  c->made += c->count;
  c->count = 0;
}

/* Claims a place that is stale; false: another thread is computing it. */
static bool claim(claims *c, uint32_t place)
{
  patches *p = c->p;
  _Atomic uint32_t *at = &p->evaluated[place];
  if (p->context->threads == 1) {
    atomic_store_explicit(at, p->tree.frame, memory_order_relaxed);
  } else {
    const stamp_state state = stamp_try(at, p->tree.frame);
    if (state != STAMP_CLAIMED) return state == STAMP_DONE;
  }
  const governed_rows *rows = &((const governed_cones *)p->update->state)->rows;
  __builtin_prefetch(rows->first + place);
  if (c->count >= ROW_BEHIND) fetch_row(rows, c->place[c->count - ROW_BEHIND]);
  c->place[c->count++] = place;
  if (c->count == AT_ONCE) evaluate_claims(c);
  return true;
}

static void count(atomic_uint *made, uint32_t more)
{
  if (more) atomic_fetch_add_explicit(made, more, memory_order_relaxed);
}

/* To avoid deadlock, finishes its own claims before waiting for others. */
static void need(patches *p, const uint32_t *places, uint32_t n)
{
  governed_cones *own = p->update->state;
  claims c;
  bool all = true;
  c.p = p;
  c.count = c.made = 0;
  const uint32_t frame = p->tree.frame;
  _Atomic uint32_t *const evaluated = p->evaluated;
  for (uint32_t i = 0; i < n; ++i) {
    if (i + AHEAD < n) {
      __builtin_prefetch((const void *)&evaluated[places[i + AHEAD]]);
      __builtin_prefetch(p->positions + 4 * (size_t)places[i + AHEAD]);
    }
    if (atomic_load_explicit(&evaluated[places[i]], memory_order_acquire) != frame) all &= claim(&c, places[i]);
  }
  if (c.count) evaluate_claims(&c);
  for (uint32_t i = 0; !all && i < n; ++i) stamp_wait(&evaluated[places[i]], frame);
  count(&own->vertices_made, c.made);
}

/* All vertices of a leaf, each once. */
static void need_leaf(patches *p, uint32_t leaf)
{
  const governed_cones *c = p->update->state;
  const uint32_t *first = p->tree.prims.list_first + leaf;
  need(p, c->leaf_places + first[0], first[1] - first[0]);
}

/* All vertices of a subtree. */
static void need_subtree(patches *p, uint32_t node)
{
  const patch *q = &p->patch[node];
  need(p, p->tri + 3 * (size_t)q->begin, 3 * (q->end - q->begin));
}

/* -------------------------------------------------------------------------------- each frame -- */

/* Is this frame to be computed on demand? By what the last such one has cost. */
static bool wants_demand(const patches *p, governed_cones *c)
{
  const primitives *prims = &p->tree.prims;
  const bool bones = c->g->transforms;
  uint64_t vertex =
      VERTEX_COST + (uint64_t)(bones ? VERTEX_PER_TRANSFORM : VERTEX_PER_POINT) * c->rows.entries / prims->vertex_count;
  uint64_t spent = (uint64_t)PATCH_COST * c->patches_made + vertex * c->vertices_made +
                   (uint64_t)(bones ? PATCH_PER_TRANSFORM : PATCH_PER_POINT) * c->governors_made +
                   (uint64_t)TRIANGLE_COST * c->triangles_made;
  uint64_t whole = vertex * prims->vertex_count + (uint64_t)TRIANGLE_COST * prims->triangle_count;
  c->patches_made = c->governors_made = c->vertices_made = c->triangles_made = 0;
  if (c->pause) return --c->pause == 0;
  if (3 * spent <= 2 * whole) {
    if (spent) c->next_pause = LEAST_PAUSE;
    return true;
  }
  c->pause = c->next_pause;
  c->next_pause = c->next_pause < MOST_PAUSE ? 2 * c->next_pause : MOST_PAUSE;
  return false;
}

/* All positions, in the space of the box. */
static void evaluate_all(patches *p)
{
  const governed_cones *c = p->update->state;
  c->inner->positions(c->g, &c->rows, NULL, 0, p->tree.prims.vertex_count, &c->to, p->positions);
}

/* Have positions, volumes and their differences room in floats? */
static bool in_range(const extent3 *e)
{
  for (int k = 0; k < 3; ++k)
    if (!(e->low[k] > -(double)FLT_MAX && e->high[k] < (double)FLT_MAX)) return false;
  return true;
}

static void begin(update *u)
{
  patches *p = u->patches;
  governed_cones *c = u->state;
  const extent3 hull = governed_hull(c->g);
  if (p->tree.frame == 1) /* the frame number has wrapped around */
    for (uint32_t k = 0; k < p->tree.prims.vertex_count; ++k)
      atomic_store_explicit(&p->evaluated[k], 0, memory_order_relaxed);
  p->demand = false;
  if (u->points->transform || u->points->exponent || !in_range(&hull)) {
    source_cones.begin(u);
    return;
  }
  p->need = need;
  p->tree.tight = false;
  patches_set_space(p, &hull);
  /* Positions differ by at most `error` from where they are. */
  c->to = (governed_space){.half = 0.5, .scale = p->twice, .more = 2 * (double)p->error};
  memcpy(c->to.origin, p->origin, sizeof c->to.origin);
  p->demand = wants_demand(p, c);
  if (!p->demand) evaluate_all(p);
}

static uint64_t range(update *u, uint32_t first, uint32_t end) { return source_cones.range(u, first, end); }

static void set_governed(const patches *p, uint32_t child, aabb *box, uint32_t *cone)
{
  const governed_cones *c = p->update->state;
  c->inner->patch(c->g, &c->fits, child, &c->to, box, cone);
  if (!p->patch[child].count) *cone = 0;
}

/* The children's own blocks as one. */
static void set_merged(const patches *p, uint32_t child, aabb *box, uint32_t *cone)
{
  *box = aabb_merge_block(tree_block(&p->tree, child), p->tree.nodes.width);
  *cone = tree_cones(&p->tree, child)[0];
  for (int k = 1; k < p->tree.nodes.children[child]; ++k) *cone &= tree_cones(&p->tree, child)[k];
}

/* Fetches what the children of a node are computed from: of all of them before the first. */
static void fetch_children(const patches *p, const governed_cones *c, uint32_t node)
{
  const governed_state *s = &c->fits;
  const int32_t *child = tree_children(&p->tree, node);
  const int children = p->tree.nodes.children[node];
  const size_t numbers = c->g->transforms ? TRANSFORM_NUMBERS : POINT_NUMBERS;
  for (int lane = 0; lane < children; ++lane) {
    if (child[lane] < 0 || c->kind[child[lane]] != PATCH_GOVERNED) continue;
    const char *fit = (const char *)&s->patches[child[lane]];
    for (size_t at = 0; at < sizeof *s->patches; at += 64) __builtin_prefetch(fit + at);
    __builtin_prefetch(&s->normals[child[lane]]);
  }
  for (int lane = 0; lane < children; ++lane) {
    if (child[lane] < 0 || c->kind[child[lane]] != PATCH_GOVERNED) continue;
    const governed_patch *q = &s->patches[child[lane]];
    const double *number = s->numbers + numbers * q->first;
    __builtin_prefetch(s->governor + q->first);
    for (size_t at = 0; at < numbers * q->count; at += 8) __builtin_prefetch(number + at);
  }
}

/* Boxes and cones at once: a walk that asks for cones gets the boxes first. */
static uint64_t block(update *u, int in, uint32_t node)
{
  if (in != LAYER_BOXES) return 0;
  patches *p = u->patches;
  governed_cones *c = u->state;
  const self_kernels *inner = u->kernels->self;
  tree *t = &p->tree;
  const int width = t->nodes.width, children = t->nodes.children[node];
  const int few = c->g->transforms ? FEW_OF_TRANSFORMS : FEW_OF_POINTS;
  uint64_t made = (uint64_t)children;
  uint32_t fitted = 0, governors = 0, triangles = 0;
  fetch_children(p, c, node);
  for (int lane = 0; lane < width; ++lane) {
    int32_t child = lane < children ? tree_children(t, node)[lane] : 0;
    aabb box = aabb_empty();
    uint32_t cone = 0;
    if (lane < children && child < 0) {
      const patch *q = patch_of(p, child);
      need_leaf(p, (uint32_t)~child);
      inner->leaf(p, (uint32_t)~child, &box, &cone);
      triangles += q->end - q->begin;
    } else if (lane < children && c->kind[child] == PATCH_GOVERNED) {
      set_governed(p, (uint32_t)child, &box, &cone);
      ++fitted;
      governors += c->fits.patches[child].count;
      if (p->patch[child].count && __builtin_popcount(cone) < few) {
        /* A walk would open it: its children's cones together may be wider. */
        aabb merged;
        made += update_ensure(u, LAYER_CONES, (uint32_t)child);
        set_merged(p, (uint32_t)child, &merged, &cone);
        box = aabb_cut(&box, &merged);
      }
    } else if (lane < children) {
      if (c->kind[child] == PATCH_SMALL) { /* nobody else is below a stale node */
        need_subtree(p, (uint32_t)child);
        triangles += p->patch[child].end - p->patch[child].begin;
        made += inner->refit(p, (uint32_t)child, t->nodes.end[child]);
      } else {
        made += update_ensure(u, LAYER_CONES, (uint32_t)child);
      }
      set_merged(p, (uint32_t)child, &box, &cone);
    }
    aabb_set_lane(tree_block(t, node), width, lane, &box);
    tree_cones(t, node)[lane] = cone;
  }
  count(&c->patches_made, fitted);
  count(&c->governors_made, governors);
  count(&c->triangles_made, triangles);
  return made;
}

/* ------------------------------------------------------------------------------------- front -- */

/* What a look at the front has taken. */
typedef struct front_cost {
  uint32_t patches, governors, triangles;
} front_cost;

/* By its governors, or else by its children. */
static bool patch_faces(patches *p, int32_t reference, uint32_t set, const int axis[3], front_cost *cost)
{
  governed_cones *c = p->update->state;
  if (reference < 0) {
    const patch *q = patch_of(p, reference);
    need_leaf(p, (uint32_t)~reference);
    cost->triangles += q->end - q->begin;
    return kernels_of(p->context->isa)->self->faces(p, (uint32_t)~reference, (uint32_t)~reference + 1, set, 0);
  }
  if (c->kind[reference] == PATCH_GOVERNED && p->patch[reference].count) {
    ++cost->patches;
    cost->governors += c->fits.patches[reference].count;
    if (c->inner->faces(c->g, &c->fits, (uint32_t)reference, axis)) return true;
  }
  for (int lane = 0; lane < p->tree.nodes.children[reference]; ++lane)
    if (!patch_faces(p, tree_children(&p->tree, (uint32_t)reference)[lane], set, axis, cost)) return false;
  return true;
}

static uint32_t pieces(const update *u)
{
  const governed_cones *c = u->state;
  return u->patches->demand ? c->covers : source_cones.pieces(u);
}

static bool faces(update *u, uint32_t first, uint32_t end, uint32_t set)
{
  patches *p = u->patches;
  governed_cones *c = u->state;
  front_cost cost = {0};
  bool all = true;
  int axis[3];
  if (!p->demand) return source_cones.faces(u, first, end, set);
  cone_axis(set, axis);
  for (uint32_t i = first; i < end && all; ++i) all = patch_faces(p, (int32_t)c->cover[i], set, axis, &cost);
  count(&c->patches_made, cost.patches);
  count(&c->governors_made, cost.governors);
  count(&c->triangles_made, cost.triangles);
  return all;
}

const source_kind source_governed_cones = {.state_size = sizeof(governed_cones),
                                           .together = together,
                                           .create = create,
                                           .destroy = destroy,
                                           .begin = begin,
                                           .range = range,
                                           .block = block,
                                           .pieces = pieces,
                                           .faces = faces};
