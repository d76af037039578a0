/* Edits of a body's mesh. A batch is checked against the tree's room (tree/places.h), then applied
 * in place; where the room does not suffice, and at a body's first edit, the tree is built again
 * with room. Everything that can fail comes before the first change.
 *
 * After a batch the volumes above the leaves that it touched are refitted, if any are current; what
 * is known about edges is dropped; walks of the body against itself go over boxes until enough of
 * them have been made without an edit for other patches to be worth it.
 *
 * Cost: O(edited + log n), amortised over the batches between two trees; the batch that builds one
 * costs O(n log n). */
#include "body/edit.h"

#include "body/sweep.h"
#include "core/version.h"
#include "mesh/mesh.h"
#include "mesh/owners.h"

#include <string.h>

static void forget_all_but_owners(pl_body *body)
{
  pl_context *context = body->context;
  closure_free(&context->locked, atomic_exchange(&body->closure, NULL));
  vertex_rings_free(&context->locked, atomic_exchange(&body->rings, NULL));
  mesh_fans_free(&context->locked, atomic_exchange(&body->fans, NULL));
  patches_destroy(body->patches);
  body->patches = NULL;
}

void body_forget_edges(pl_body *body)
{
  mem_free(&body->context->locked, atomic_exchange(&body->owners, NULL));
  forget_all_but_owners(body);
}

/* --------------------------------------------------------------------------------- owners -- */

enum { OWNED_FAN = 64 }; /* a vertex of more corners is not looked at again: all owners are forgotten */

static bool add_around(edit_batch *b, const uint32_t *vertices, size_t count)
{
  if (!array_reserve(&b->body->context->def.allocator, &b->around, b->around.count + count)) return false;
  if (count) memcpy(b->around.data + b->around.count, vertices, count * sizeof *vertices);
  b->around.count += count;
  return true;
}

/* Lists the vertices whose fans change, and takes away what triangles that go or change own. Before
 * the changes; if out of memory, owners are forgotten. */
static void begin_owners(edit_batch *b)
{
  const pl_edit *e = &b->edit;
  uint8_t *owners = atomic_load(&b->body->owners);
  if (!owners) return;
  bool room =
      add_around(b, e->split_vertices, e->split_count) && add_around(b, e->changed_corners, 3 * e->changed_count) &&
      add_around(b, e->added_corners, 3 * e->added_count) && add_around(b, e->merged_vertices, 2 * e->merged_count) &&
      add_around(b, b->vertices.data, b->vertices.count);
  for (size_t i = 0; room && i < b->removed.count; ++i)
    room = add_around(b, places_corners(b->tree, b->removed.data[i]), 3);
  for (size_t i = 0; room && i < e->changed_count; ++i)
    room = add_around(b, places_corners(b->tree, e->changed_triangles[i]), 3);
  if (!room) {
    mem_free(&b->body->context->locked, atomic_exchange(&b->body->owners, NULL));
    return;
  }
  for (size_t i = 0; i < b->removed.count; ++i) owners[b->removed.data[i]] = 0;
  for (size_t i = 0; i < e->changed_count; ++i) owners[e->changed_triangles[i]] = 0;
}

/* The other end of an edge at a vertex, which begins at this corner or ends after it. */
static uint32_t other_end(const tree *t, uint32_t half, uint32_t v)
{
  const uint32_t *corners = places_corners(t, half / 3);
  return corners[half % 3] == v ? corners[(half + 1) % 3] : corners[half % 3];
}

/* Gives the vertex and its edges to the first triangles that have them. O(n^2) for n corners. */
static bool own_again(const tree *t, uint8_t *owners, uint32_t v)
{
  const tree_places *r = t->prims.places;
  uint32_t half[2 * OWNED_FAN], count = 0, first = NO_VERTEX;
  for (uint32_t at = r->head[v]; at != NO_VERTEX; at = r->next[at]) {
    if (count == 2 * OWNED_FAN) return false;
    half[count++] = at;
    half[count++] = at / 3 * 3 + (at + 2) % 3;
    owners[at / 3] &= (uint8_t) ~(OWNS_CORNER << at % 3);
    first = at < first ? at : first;
  }
  if (count) owners[first / 3] |= (uint8_t)(OWNS_CORNER << first % 3);
  for (uint32_t i = 0; i < count; ++i) {
    const uint32_t end = other_end(t, half[i], v);
    bool own = end != v;
    for (uint32_t k = 0; k < count && own; ++k) own = half[k] >= half[i] || other_end(t, half[k], v) != end;
    owners[half[i] / 3] &= (uint8_t) ~(OWNS_EDGE << half[i] % 3);
    if (own) owners[half[i] / 3] |= (uint8_t)(OWNS_EDGE << half[i] % 3);
  }
  return true;
}

static void end_owners(const edit_batch *b)
{
  uint8_t *owners = atomic_load(&b->body->owners);
  bool good = true;
  for (size_t i = 0; owners && good && i < b->around.count; ++i) good = own_again(b->tree, owners, b->around.data[i]);
  if (!good) mem_free(&b->body->context->locked, atomic_exchange(&b->body->owners, NULL));
}

/* -------------------------------------------------------------------------------- rebuild -- */

/* A mesh with the caller's indices of its triangles. */
typedef struct edited_mesh {
  double (*at)[3];
  uint32_t (*triangles)[3]; /* by index, then packed */
  uint32_t *ids;
  uint32_t vertices, indices; /* one past the greatest */
  size_t count;
} edited_mesh;

static void mesh_end(pl_context *context, edited_mesh *m)
{
  mem_free(&context->def.allocator, m->at);
  mem_free(&context->def.allocator, m->triangles);
  mem_free(&context->def.allocator, m->ids);
}

/* The present mesh, by index, with room for vertices and indices of triangles to come. */
static pl_status mesh_begin(pl_body *body, uint32_t vertices, uint32_t indices, edited_mesh *m)
{
  const pl_allocator *allocator = &body->context->def.allocator;
  const primitives *p = &body->tree->prims;
  *m = (edited_mesh){.vertices = vertices, .indices = indices};
  m->at = mem_new(allocator, (size_t)vertices + 1, sizeof *m->at);
  m->triangles = mem_raw(allocator, (size_t)indices + 1, sizeof *m->triangles);
  m->ids = mem_raw(allocator, (size_t)indices + 1, sizeof *m->ids);
  if (!m->at || !m->triangles || !m->ids) {
    mesh_end(body->context, m);
    return fail(body->context, PL_ERROR_MEMORY, "no memory for the tree of an edited body");
  }
  for (uint32_t v = 0; v < body->motion.vertex_count; ++v) points_position(&body->motion.now, v, m->at[v]);
  for (uint32_t i = 0; i < indices; ++i) m->triangles[i][0] = NO_VERTEX;
  for (size_t k = 0; k < p->triangle_count; ++k)
    if (!prims_hole(p, k)) memcpy(m->triangles[p->tri_id[k]], p->tri + 3 * k, sizeof *m->triangles);
  return PL_OK;
}

/* Gives the body a tree with room for this mesh. Or PL_ERROR_MEMORY, and nothing changes. */
static pl_status mesh_use(pl_body *body, edited_mesh *m)
{
  for (uint32_t i = 0; i < m->indices; ++i) {
    if (m->triangles[i][0] == NO_VERTEX) continue;
    memmove(m->triangles[m->count], m->triangles[i], sizeof *m->triangles);
    m->ids[m->count++] = i;
  }
  pl_mesh_def mesh = pl_mesh_def_default();
  mesh.positions = pl_positions_f64(m->at[0], m->vertices);
  mesh.triangles = m->triangles[0];
  mesh.triangle_count = m->count;
  tree by = {0};
  pl_status status = body_build_roomy(body, &mesh, m->ids, m->indices, &by);
  if (status != PL_OK) return status;
  status = body_restructure(body, &by);
  if (status != PL_OK) tree_free(body->context, &by);
  return status;
}

pl_status body_rebuild_roomy(pl_body *body)
{
  edited_mesh m;
  pl_status status = mesh_begin(body, (uint32_t)body->motion.vertex_count, prims_ids(&body->tree->prims), &m);
  if (status != PL_OK) return status;
  status = mesh_use(body, &m);
  if (status == PL_OK) body_forget_edges(body); /* there are other places */
  mesh_end(body->context, &m);
  return status;
}

static void edit_triangles(const edit_batch *b, edited_mesh *m)
{
  const pl_edit *e = &b->edit;
  for (size_t i = 0; i < b->removed.count; ++i) m->triangles[b->removed.data[i]][0] = NO_VERTEX;
  for (size_t i = 0; i < e->split_count; ++i)
    for (size_t k = e->split_first[i]; k < e->split_first[i + 1]; ++k)
      for (int c = 0; c < 3; ++c) {
        uint32_t *corner = &m->triangles[e->split_triangles[k]][c];
        if (*corner == e->split_vertices[i]) *corner = b->vertices.data[e->vertices.count + i];
      }
  for (size_t i = 0; i < e->changed_count; ++i)
    memcpy(m->triangles[e->changed_triangles[i]], e->changed_corners + 3 * i, sizeof *m->triangles);
  for (size_t i = 0; i < e->added_count; ++i)
    memcpy(m->triangles[edit_triangle_index(b, i)], e->added_corners + 3 * i, sizeof *m->triangles);
}

/* `into`: scratch by vertex. */
static void merge_vertices(const edit_batch *b, edited_mesh *m, uint32_t *into)
{
  for (uint32_t v = 0; v < m->vertices; ++v) into[v] = v;
  for (size_t i = 0; i < b->edit.merged_count; ++i)
    into[b->edit.merged_vertices[2 * i]] = b->edit.merged_vertices[2 * i + 1];
  for (uint32_t i = 0; i < m->indices; ++i)
    for (int c = 0; c < 3 && m->triangles[i][0] != NO_VERTEX; ++c) m->triangles[i][c] = into[m->triangles[i][c]];
}

static pl_status apply_by_rebuild(const edit_batch *b)
{
  pl_body *body = b->body;
  const pl_allocator *allocator = &body->context->def.allocator;
  edited_mesh m;
  pl_status status = mesh_begin(body, b->vertex_count, b->triangle_ids, &m);
  if (status != PL_OK) return status;
  const pl_scalar type = body->motion.now.type;
  for (size_t i = 0; i < b->new_vertices; ++i)
    positions_get(pl_positions_strided(type, b->positions.data, b->new_vertices,
                                       3 * (type == PL_F32 ? sizeof(float) : sizeof(double))),
                  i, m.at[b->vertices.data[i]]);
  edit_triangles(b, &m);
  if (b->edit.merged_count) {
    uint32_t *into = mem_raw(allocator, m.vertices, sizeof *into);
    if (into) merge_vertices(b, &m, into);
    if (!into) status = fail(body->context, PL_ERROR_MEMORY, "no memory to merge vertices");
    mem_free(allocator, into);
  }
  if (status == PL_OK) status = mesh_use(body, &m);
  mesh_end(body->context, &m);
  return status;
}

/* ------------------------------------------------------------------------------- in place -- */

static void merge_in_place(tree *t, uint32_t from, uint32_t into)
{
  tree_places *r = t->prims.places;
  if (from == into) return;
  while (r->head[from] != NO_VERTEX) {
    const uint32_t corner = r->head[from];
    places_set_corner(t, corner / 3, corner % 3, into);
  }
}

static void apply_in_place(const edit_batch *b)
{
  const pl_edit *e = &b->edit;
  const points *p = &b->body->motion.now;
  tree *t = b->tree;
  const uint32_t first_index = prims_ids(&t->prims);
  for (size_t i = 0; i < e->split_count; ++i)
    for (size_t k = e->split_first[i]; k < e->split_first[i + 1]; ++k)
      for (uint32_t c = 0; c < 3; ++c)
        if (places_corners(t, e->split_triangles[k])[c] == e->split_vertices[i])
          places_set_corner(t, e->split_triangles[k], c, b->vertices.data[e->vertices.count + i]);
  for (size_t i = 0; i < b->removed.count; ++i) places_remove(t, p, b->removed.data[i]);
  for (size_t i = 0; i < e->changed_count; ++i) places_remove(t, p, e->changed_triangles[i]);
  for (size_t i = 0; i < e->changed_count; ++i) places_add(t, p, e->changed_triangles[i], e->changed_corners + 3 * i);
  for (size_t i = 0; i < e->added_count; ++i)
    places_add(t, p, e->added_indices ? e->added_indices[i] : first_index + (uint32_t)i, e->added_corners + 3 * i);
  for (size_t i = 0; i < e->merged_count; ++i)
    merge_in_place(t, e->merged_vertices[2 * i], e->merged_vertices[2 * i + 1]);
}

/* ----------------------------------------------------------------------------------- apply -- */

/* Room for the radii of new vertices, if the body has any. Amortised O(1) for each. */
static pl_status reserve_radii(const edit_batch *b)
{
  body_thickness *t = &b->body->thickness;
  const pl_allocator *allocator = &b->body->context->def.allocator;
  if (!t->radius || b->vertex_count <= t->room) return PL_OK;
  const size_t room = b->vertex_count + b->vertex_count / (size_t)2;
  double *radius = mem_new(allocator, room, sizeof *radius);
  if (!radius) return fail(b->body->context, PL_ERROR_MEMORY, "no memory for the radii of %zu vertices", room);
  memcpy(radius, t->radius, b->body->motion.vertex_count * sizeof *radius);
  mem_free(allocator, t->radius);
  t->radius = radius;
  t->room = room;
  return PL_OK;
}

/* Vertices of splits are as thick as those that they come from. */
static void add_radii(const edit_batch *b)
{
  double *radius = b->body->thickness.radius;
  const size_t added = b->edit.vertices.count;
  for (size_t i = 0; radius && i < b->new_vertices; ++i)
    radius[b->vertices.data[i]] = i < added ? 0 : radius[b->edit.split_vertices[i - added]];
}

/* There is room, and the range has been checked. Returns whether the scale of the model's space
 * has changed. */
static bool add_vertices(const edit_batch *b)
{
  motion *m = &b->body->motion;
  const size_t size = 3 * (m->now.type == PL_F32 ? sizeof(float) : sizeof(double));
  bool rescaled = false;
  m->vertex_count = b->vertex_count;
  add_radii(b);
  if (b->new_vertices)
    motion_set_vertices(b->body->context, m, b->vertices.data, b->new_vertices,
                        pl_positions_strided(m->now.type, b->positions.data, b->new_vertices, size), &rescaled);
  return rescaled;
}

/* May the changes be made in the leaves as they are? Changed triangles go and come again. */
static bool fits(const edit_batch *b)
{
  const uint64_t live = prims_live(&b->tree->prims), gone = b->removed.count + b->edit.changed_count;
  return places_fits(b->tree, live - gone, live > b->live ? live : b->live, b->triangle_ids);
}

static pl_status apply(edit_batch *b)
{
  pl_body *body = b->body;
  pl_status status = motion_reserve(body->context, &body->motion, b->vertex_count);
  if (status == PL_OK) status = reserve_radii(b);
  if (status != PL_OK) return status;
  if (!fits(b)) {
    status = apply_by_rebuild(b);
    if (status != PL_OK) return status;
    if (add_vertices(b)) update_invalidate(body->update);
    body_forget_edges(body);
    return PL_OK;
  }
  if (!places_vertices(body->context, b->tree, b->vertex_count))
    return fail(body->context, PL_ERROR_MEMORY, "no memory for %u vertices", b->vertex_count);
  const bool rescaled = add_vertices(b);
  b->tree->prims.vertex_count = b->vertex_count;
  begin_owners(b);
  apply_in_place(b);
  end_owners(b);
  forget_all_but_owners(body);
  places_finish(body->context, b->tree);
  body_replaced(body);
  forest_moved(&body->trees);
  if (rescaled)
    update_invalidate(body->update);
  else
    update_leaves(body->update, b->tree->prims.places->touched, b->tree->prims.places->touched_count);
  places_forget_touched(b->tree);
  return PL_OK;
}

/* ----------------------------------------------------------------------------------- public -- */

static pl_status check_kind(const pl_body *body)
{
  pl_context *context = body->context;
  if (!(body->motion.kind->traits & MOTION_STORED) || body->motion.now.evaluate)
    return fail(context, PL_ERROR_UNSUPPORTED,
                "a %s body cannot be edited: its vertices follow from controls that an edit does not have",
                pl_word(PL_WORDS_MOTION, body->motion.name));
  if (!body->update->source->resorted || body->trees.kind)
    return fail(context, PL_ERROR_UNSUPPORTED,
                "a body with strategy %s cannot be edited: it keeps more than volumes for each node",
                pl_word(PL_WORDS_STRATEGY, body->def.strategy));
  return PL_OK;
}

static pl_status edit(pl_body *body, const pl_edit *what)
{
  edit_batch b = {.body = body, .edit = *what};
  pl_status status = check_kind(body);
  if (status == PL_OK && !body->tree->prims.places) status = body_rebuild_roomy(body);
  if (status != PL_OK) return status;
  b.tree = body->tree;
  status = edit_check(&b);
  edit_unmark(&b);
  if (status == PL_OK) status = apply(&b);
  if (status == PL_OK) {
    sweep_destroy(body);
    body->sweep = NULL;
    ++body->edits;
    body->edited = EDITED_WALKS;
  }
  array_free(&body->context->def.allocator, &b.removed);
  array_free(&body->context->def.allocator, &b.vertices);
  array_free(&body->context->def.allocator, &b.positions);
  array_free(&body->context->def.allocator, &b.around);
  return status;
}

pl_status pl_body_edit(pl_body *body, const pl_edit *what)
{
  if (!body) return fail_null("body");
  if (!what) return fail(body->context, PL_ERROR_ARGUMENT, "edit is NULL");
  pl_edit full;
  pl_status status = def_take(body->context, pl_edit, what, &full);
  if (status == PL_OK) status = body_change(body);
  if (status != PL_OK) return status;
  status = edit(body, &full);
  body_change_end(body);
  return status;
}
