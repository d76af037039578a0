/* Patches of a body: structure, cycles, and the pass that updates all of them.
 * Cost: O(triangles log triangles) once; O(triangles) for each frame, on all workers. */
#include "update/patches.h"

#include <string.h>

enum { PATCH_ARITY = 8, PATCH_LEAF = 8, ALONE = 20000 /* triangles: some 100 us */ };

void patches_destroy(patches *p)
{
  if (!p) return;
  const pl_allocator *allocator = &p->context->def.allocator;
  if (p->update) update_free(p->update);
  mem_free(allocator, p->update);
  tree_free(p->context, &p->tree);
  mem_free(allocator, p->patch);
  mem_free(allocator, p->group);
  mem_free(allocator, p->corners.vertex);
  mem_free(allocator, p->corners.other);
  mem_free(allocator, p->usable);
  mem_free(allocator, p->place);
  mem_free(allocator, p->order);
  mem_free(allocator, p->tri);
  mem_free(allocator, p->positions);
  mem_free(allocator, (void *)p->evaluated);
  mem_free(allocator, p);
}

/* --------------------------------------------------------------------------------- structure -- */

/* Writes the corners of the triangles that exist, by the caller's index, and which these are.
 * Returns their number. */
static size_t take_triangles(const primitives *from, uint32_t *triangles, uint32_t *ids)
{
  const size_t n = from->triangle_count;
  size_t count = 0;
  for (size_t t = 0; t < n; ++t)
    memcpy(triangles + 3 * (size_t)from->tri_id[t], from->tri + 3 * t, 3 * sizeof *triangles);
  for (size_t id = 0; id < n; ++id) {
    if (triangles[3 * id] == NO_VERTEX) continue;
    memmove(triangles + 3 * count, triangles + 3 * id, 3 * sizeof *triangles);
    ids[count++] = (uint32_t)id;
  }
  return count;
}

static pl_status build_tree(patches *p, const tree *mesh, const motion *m, const source_kind *source)
{
  pl_context *context = p->context;
  const pl_allocator *allocator = &context->def.allocator;
  size_t n = mesh->prims.triangle_count, vertices = mesh->prims.vertex_count;
  double *xyz = mem_raw(allocator, vertices, 3 * sizeof *xyz);
  uint32_t *triangles = mem_raw(allocator, n, 4 * sizeof *triangles), *ids = triangles ? triangles + 3 * n : NULL;
  pl_status status =
      xyz && triangles ? PL_OK : fail(context, PL_ERROR_MEMORY, "no memory for the patches of %zu triangles", n);
  if (status == PL_OK) {
    for (size_t v = 0; v < vertices; ++v) points_position(&m->now, (uint32_t)v, xyz + 3 * v);
    n = take_triangles(&mesh->prims, triangles, ids);
    size_t together = source->together ? source->together(m) : 0;
    build_input in = {context, xyz, vertices, triangles, n, PL_CUT_MEDIAN, PATCH_ARITY, PATCH_LEAF, together};
    build_result built = {0};
    status = build_structure(PL_BUILDER_MATCHING, &in, &built);
    tree_parts parts = {.corners = mesh->prims.corner != NULL, .cones = true, .from_vertices = source->block != NULL};
    if (status == PL_OK) status = tree_create(&in, &built, parts, &p->tree);
    for (size_t k = 0; status == PL_OK && k < n; ++k) p->tree.prims.tri_id[k] = ids[p->tree.prims.tri_id[k]];
    build_free(context, &built);
  }
  mem_free(allocator, xyz);
  mem_free(allocator, triangles);
  return status;
}

/* Vertices in the order of the tree. */
static pl_status make_places(patches *p)
{
  pl_context *context = p->context;
  const pl_allocator *allocator = &context->def.allocator;
  size_t vertices = p->tree.prims.vertex_count, corners = 3 * (size_t)p->tree.prims.triangle_count;
  p->order = mem_raw(allocator, vertices, sizeof *p->order);
  p->place = mem_raw(allocator, vertices, sizeof *p->place);
  p->tri = mem_raw(allocator, corners, sizeof *p->tri);
  p->positions = mem_raw(allocator, vertices, 4 * sizeof *p->positions);
  bool room = p->order && p->place && p->tri && p->positions;
  pl_status status = room ? tree_vertex_order(context, &p->tree, p->order)
                          : fail(context, PL_ERROR_MEMORY, "no memory for %zu positions", vertices);
  if (status == PL_OK) {
    for (size_t k = 0; k < vertices; ++k) p->place[p->order[k]] = (uint32_t)k;
    for (size_t c = 0; c < corners; ++c) p->tri[c] = p->place[p->tree.prims.tri[c]];
  }
  return status;
}

/* ------------------------------------------------------------------------------------ cycles -- */

/* The triangles of each patch: those of a leaf, and from the first child's first to the last
 * child's last. */
static void set_ranges(patches *p)
{
  const tree *t = &p->tree;
  uint32_t inner = t->nodes.inner_count;
  for (uint32_t leaf = 0; leaf < t->nodes.leaf_count; ++leaf) {
    p->patch[inner + leaf].begin = t->prims.tri_first[leaf];
    p->patch[inner + leaf].end = t->prims.tri_end[leaf];
  }
  for (uint32_t i = inner; i-- > 0;) {
    const int32_t *child = tree_children(t, i);
    p->patch[i].begin = patch_of(p, child[0])->begin;
    p->patch[i].end = patch_of(p, child[t->nodes.children[i] - 1])->end;
  }
}

typedef struct cycle_maker {
  patches *patches;
  cycle_finder finder;
  size_t *edges; /* of each patch: its boundary begins here in finder.edges */
  size_t *edges_end;
  ARRAY(uint32_t) vertex; /* of the cycles so far */
  ARRAY(uint32_t) other;
} cycle_maker;

/* The half-edges of a patch's boundary in finder.edges. */
typedef struct boundary {
  size_t begin, end;
} boundary;

/* The cycle of a patch. */
static bool add_cycle(cycle_maker *m, patch *q, boundary of, bool usable)
{
  size_t n = of.end - of.begin;
  q->first = (uint32_t)m->vertex.count;
  q->count = 0;
  if (!usable || !n) return true;
  if (!array_reserve(m->finder.allocator, &m->vertex, q->first + n)) return false;
  if (!array_reserve(m->finder.allocator, &m->other, q->first + n)) return false;
  const cycle_corners out = {m->vertex.data, m->other.data};
  if (!cycle_finder_trace(&m->finder, of.begin, of.end, &out, q->first)) return true;
  q->count = (uint32_t)n;
  m->vertex.count += n;
  m->other.count += n;
  if (n > m->patches->longest) m->patches->longest = (uint32_t)n;
  return true;
}

static bool add_leaf(cycle_maker *m, uint32_t leaf)
{
  patches *p = m->patches;
  uint32_t i = p->tree.nodes.inner_count + leaf;
  m->edges[i] = m->finder.edges.count;
  if (!cycle_finder_add(&m->finder, p->patch[i].begin, p->patch[i].end)) return false;
  m->edges_end[i] = m->finder.edges.count;
  p->usable[leaf] = 1;
  for (uint32_t t = p->patch[i].begin; t < p->patch[i].end; ++t)
    if (m->finder.across->odd[t]) p->usable[leaf] = 0;
  return add_cycle(m, &p->patch[i], (boundary){m->edges[i], m->edges_end[i]}, p->usable[leaf]);
}

/* A group by its number, and the node itself as the last one. */
typedef struct grouping {
  patch range[16];
  boundary edges[16];
  bool usable[16];
} grouping;

/* The group `at` of inner node i from its two halves, if they have children. */
static bool add_group(cycle_maker *m, uint32_t i, grouping *g, uint32_t at)
{
  patches *p = m->patches;
  const patch *left = &g->range[2 * at], *right = &g->range[2 * at + 1];
  bool both = right->begin < right->end;
  patch *q = at == GROUP_NODE ? &p->patch[i] : &p->group[PATCH_GROUPS * (size_t)i + at - 2];
  q->begin = left->begin;
  q->end = both ? right->end : left->end;
  q->first = q->count = 0;
  g->usable[at] = g->usable[2 * at] && (!both || g->usable[2 * at + 1]);
  g->edges[at] = g->edges[2 * at];
  if (both) {
    g->edges[at].begin = m->finder.edges.count;
    for (uint32_t half = 2 * at; half < 2 * at + 2; ++half)
      if (!cycle_finder_add_part(&m->finder, g->edges[half].begin, g->edges[half].end, q->begin, q->end)) return false;
    g->edges[at].end = m->finder.edges.count;
  }
  g->range[at] = *q;
  return both || at == GROUP_NODE ? add_cycle(m, q, g->edges[at], g->usable[at]) : true;
}

static bool add_inner(cycle_maker *m, uint32_t i, uint8_t *usable)
{
  patches *p = m->patches;
  const int32_t *child = tree_children(&p->tree, i);
  grouping g = {0};
  for (int lane = 0; lane < p->tree.nodes.children[i]; ++lane) {
    const patch *q = patch_of(p, child[lane]);
    g.range[GROUP_CHILD + lane] = *q;
    g.edges[GROUP_CHILD + lane] = (boundary){m->edges[q - p->patch], m->edges_end[q - p->patch]};
    g.usable[GROUP_CHILD + lane] = child[lane] < 0 ? p->usable[~child[lane]] : usable[child[lane]];
  }
  for (uint32_t at = GROUP_CHILD; at-- > GROUP_NODE;)
    if (!add_group(m, i, &g, at)) return false;
  m->edges[i] = g.edges[GROUP_NODE].begin;
  m->edges_end[i] = g.edges[GROUP_NODE].end;
  usable[i] = g.usable[GROUP_NODE];
  return true;
}

static bool make_cycles(patches *p, const mesh_across *across)
{
  const pl_allocator *allocator = &p->context->def.allocator;
  const tree *t = &p->tree;
  size_t all = (size_t)t->nodes.inner_count + t->nodes.leaf_count;
  cycle_maker m = {.patches = p};
  uint8_t *usable = mem_raw(allocator, t->nodes.inner_count, sizeof *usable);
  m.edges = mem_raw(allocator, all, sizeof *m.edges);
  m.edges_end = mem_raw(allocator, all, sizeof *m.edges_end);
  bool ok = usable && m.edges && m.edges_end &&
            cycle_finder_create(allocator, p->tri, t->prims.triangle_count, across, &m.finder);
  for (uint32_t leaf = 0; ok && leaf < t->nodes.leaf_count; ++leaf) ok = add_leaf(&m, leaf);
  for (uint32_t i = t->nodes.inner_count; ok && i-- > 0;) ok = add_inner(&m, i, usable);
  ok = ok && array_reserve(allocator, &m.other, m.other.count + CYCLE_MORE);
  if (ok) memset(m.other.data + m.other.count, 0xff, CYCLE_MORE * sizeof *m.other.data);
  if (m.finder.allocator) cycle_finder_free(&m.finder);
  mem_free(allocator, usable);
  mem_free(allocator, m.edges);
  mem_free(allocator, m.edges_end);
  p->corners = (cycle_corners){m.vertex.data, m.other.data};
  return ok;
}

/* Evaluated governed bodies have cones on demand. */
static const source_kind *choose_source(const motion *m)
{
  return m->kind->traits & MOTION_GOVERNED && m->now.evaluate ? &source_governed_cones : &source_cones;
}

static pl_status open_update(patches *p, const motion *m, const source_kind *source)
{
  p->update = mem_new(&p->context->def.allocator, 1, sizeof *p->update);
  if (!p->update) return fail(p->context, PL_ERROR_MEMORY, "no memory for the patches of a body");
  p->update->context = p->context;
  p->update->tree = &p->tree;
  p->update->patches = p;
  p->update->schedule = &schedule_all;
  p->update->source = source;
  p->update->lazy_levels = 1;
  return update_open(p->update, m, NULL);
}

pl_status patches_create(pl_context *context, const tree *mesh, const motion *m, patches **out)
{
  const pl_allocator *allocator = &context->def.allocator;
  const source_kind *source = choose_source(m);
  mesh_across across = {0};
  *out = NULL;
  patches *p = mem_new(allocator, 1, sizeof *p);
  if (!p) return fail(context, PL_ERROR_MEMORY, "no memory for the patches of a body");
  p->context = context;
  pl_status status = build_tree(p, mesh, m, source);
  if (status == PL_OK) status = make_places(p);
  if (status == PL_OK) {
    const tree *t = &p->tree;
    p->patch = mem_raw(allocator, (size_t)t->nodes.inner_count + t->nodes.leaf_count, sizeof *p->patch);
    p->usable = mem_raw(allocator, t->nodes.leaf_count, sizeof *p->usable);
    p->group = mem_raw(allocator, t->nodes.inner_count, PATCH_GROUPS * sizeof *p->group);
    bool ok = p->patch && p->group && p->usable &&
              mesh_across_create(allocator, t->prims.tri, t->prims.triangle_count, t->prims.vertex_count, &across);
    if (ok) set_ranges(p);
    ok = ok && make_cycles(p, &across);
    if (!ok)
      status = fail(context, PL_ERROR_MEMORY, "no memory for the patches of %u triangles", t->prims.triangle_count);
  }
  mesh_across_free(allocator, &across);
  if (status == PL_OK) status = open_update(p, m, source);
  if (status != PL_OK) {
    patches_destroy(p);
    return status;
  }
  *out = p;
  return PL_OK;
}

/* ------------------------------------------------------------------------------------ update -- */

aabb patches_world_box(const patches *p)
{
  if (!p->tree.tight) return p->world;
  if (p->update->pending) return kernels_of(p->context->isa)->self->bound(p);
  return aabb_merge_block(tree_block(&p->tree, TREE_ROOT), PATCH_ARITY);
}

pl_status patches_refit(patches *p, uint64_t *made) { return update_now(p->update, made); }

/* ------------------------------------------------------------------------------------- front -- */

typedef struct front_run {
  patches *patches;
  uint32_t set, pieces;
  int parts;
  atomic_bool other_way; /* some triangle does not face the axis */
} front_run;

static void front_task(void *data, int task, int worker)
{
  (void)worker;
  front_run *r = data;
  patches *p = r->patches;
  uint32_t begin = (uint32_t)((uint64_t)r->pieces * (uint64_t)task / (uint64_t)r->parts);
  uint32_t end = (uint32_t)((uint64_t)r->pieces * (uint64_t)(task + 1) / (uint64_t)r->parts);
  if (atomic_load_explicit(&r->other_way, memory_order_relaxed)) return;
  if (!p->update->source->faces(p->update, begin, end, r->set))
    atomic_store_explicit(&r->other_way, true, memory_order_relaxed);
}

/* Do all triangles face the axis of the last walk's front? */
static pl_status face_front(patches *p, bool *faced)
{
  enum { PARTS = 64 };
  front_run r = {.patches = p, .set = atomic_load_explicit(&p->front, memory_order_relaxed), .parts = PARTS};
  *faced = false;
  if (!r.set) return PL_OK;
  r.pieces = p->update->source->pieces(p->update);
  pl_status status = parallel_for(p->context, r.pieces > ALONE / PATCH_LEAF, front_task, &r, PARTS);
  *faced = status == PL_OK && !atomic_load(&r.other_way);
  return status;
}

pl_status patches_hold_front(patches *p, float *room, uint64_t *made)
{
  if (p->at_front != FRONT_FACED) return PL_OK;
  const patch *root = patch_of(p, TREE_ROOT);
  if (p->demand) p->need(p, p->corners.vertex + root->first, root->count);
  const uint32_t set = atomic_load_explicit(&p->front, memory_order_relaxed);
  if (kernels_of(p->context->isa)->self->front_is_simple(p, room, set, (clearance){0, 0})) {
    p->at_front = FRONT_PROVEN;
    return PL_OK;
  }
  pl_status status = patches_refit(p, made);
  if (status == PL_OK) p->at_front = FRONT_NONE;
  return status;
}

/* The greatest coordinate of the edges of a triangle, in the space of the rounded positions. */
static double triangle_size(const patches *p, const points *now, uint32_t triangle)
{
  double at[3][3], size = 0;
  for (int c = 0; c < 3; ++c) points_world(now, p->tree.prims.tri[3 * (size_t)triangle + (size_t)c], at[c]);
  for (int c = 0; c < 3; ++c)
    for (int k = 0; k < 3; ++k) size = fmax(size, fabs(0.5 * at[c][k] - 0.5 * at[(c + 1) % 3][k]));
  return size * p->twice;
}

bool patches_are_coarse(const patches *p)
{
  enum { SEEN = 16, LEAST = 4 /* errors: boxes are then twice as long as their triangles */ };
  if (p->error == 0 || p->demand) return false;
  int small = 0;
  for (uint32_t i = 0; i < SEEN; ++i) {
    uint32_t triangle = (uint32_t)((uint64_t)p->tree.prims.triangle_count * i / SEEN);
    double size = triangle_size(p, p->update->points, triangle);
    small += size > 0 && size < LEAST * (double)p->error;
  }
  return 2 * small > SEEN;
}

void patches_move(patches *p, uint64_t moves)
{
  if (p->moves == moves) return;
  update_invalidate(p->update);
  p->update->schedule = p->demand ? &schedule_none : &schedule_all;
  p->update->pending = !p->demand;
  p->looked = false;
  p->moves = moves;
}

pl_status patches_update(patches *p, uint64_t moves, uint64_t *made)
{
  bool faced = false;
  patches_move(p, moves);
  if (p->looked) return PL_OK;
  pl_status status = p->demand || p->update->pending ? face_front(p, &faced) : PL_OK;
  if (status == PL_OK && !faced) status = patches_refit(p, made);
  if (status != PL_OK) return status;
  p->at_front = faced ? FRONT_FACED : FRONT_NONE;
  p->looked = true;
  return PL_OK;
}
