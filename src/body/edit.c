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
#include "update/choice.h"

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
  mem_free_all(&context->def.allocator, m->at, m->triangles, m->ids);
}

/* The positions that a body's tree is built for. */
static points shape_of(const pl_body *body)
{
  const motion_edits *edits = body->motion.kind->edits;
  points p = body->motion.now;
  if (!edits || !edits->rest) return p;
  p.evaluate = edits->rest;
  p.controls = body->motion.controls;
  return p;
}

/* Positions, with room for vertices and indices of triangles to come, of which there are none. */
static pl_status mesh_begin(pl_body *body, const points *shape, uint32_t vertices, uint32_t indices, edited_mesh *m)
{
  const pl_allocator *allocator = &body->context->def.allocator;
  *m = (edited_mesh){.vertices = vertices, .indices = indices};
  if (!(mem_take_new(allocator, &m->at, (size_t)vertices + 1) &&
        mem_take(allocator, &m->triangles, (size_t)indices + 1) && mem_take(allocator, &m->ids, (size_t)indices + 1))) {
    mesh_end(body->context, m);
    return fail(body->context, PL_ERROR_MEMORY, "no memory for the tree of an edited body");
  }
  for (uint32_t v = 0; v < body->motion.vertex_count; ++v) points_position(shape, v, m->at[v]);
  for (uint32_t i = 0; i < indices; ++i) m->triangles[i][0] = NO_VERTEX;
  return PL_OK;
}

/* The present mesh, by index. */
static pl_status mesh_copy(pl_body *body, const points *shape, uint32_t vertices, uint32_t indices, edited_mesh *m)
{
  const primitives *p = &body->tree->prims;
  pl_status status = mesh_begin(body, shape, vertices, indices, m);
  for (size_t k = 0; status == PL_OK && k < p->triangle_count; ++k)
    if (!prims_hole(p, k)) memcpy(m->triangles[p->tri_id[k]], p->tri + 3 * k, sizeof *m->triangles);
  return status;
}

/* Gives the body a tree for this mesh, with room or packed. Or an error, and nothing changes. */
static pl_status mesh_use(pl_body *body, edited_mesh *m, bool packed)
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
  pl_status status = packed ? mesh_check(body->context, &mesh) : PL_OK;
  if (status == PL_OK)
    status = packed ? body_build_tree(body, &mesh, &by) : body_build_roomy(body, &mesh, m->ids, m->indices, &by);
  if (status != PL_OK) return status;
  status = body_restructure(body, &by);
  if (status != PL_OK) tree_free(body->context, &by);
  return status;
}

pl_status body_rebuild(pl_body *body, bool packed)
{
  edited_mesh m;
  const points shape = packed ? body->motion.now : shape_of(body);
  pl_status status = mesh_copy(body, &shape, (uint32_t)body->motion.vertex_count, prims_ids(&body->tree->prims), &m);
  if (status != PL_OK) return status;
  status = mesh_use(body, &m, packed);
  if (status == PL_OK && !packed) body_forget_edges(body); /* there are other places */
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
  const points shape = shape_of(body);
  pl_status status = mesh_copy(body, &shape, b->vertex_count, b->triangle_ids, &m);
  if (status != PL_OK) return status;
  const pl_scalar type = body->motion.now.type;
  for (size_t i = 0; !edit_controls(b) && i < b->new_vertices; ++i)
    positions_get(pl_positions_strided(type, b->positions.data, b->new_vertices, 3 * scalar_size(type)), i,
                  m.at[b->vertices.data[i]]);
  edit_triangles(b, &m);
  if (b->edit.merged_count) {
    uint32_t *into = mem_raw(allocator, m.vertices, sizeof *into);
    if (into) merge_vertices(b, &m, into);
    if (!into) status = fail(body->context, PL_ERROR_MEMORY, "no memory to merge vertices");
    mem_free(allocator, into);
  }
  if (status == PL_OK) status = mesh_use(body, &m, false);
  mesh_end(body->context, &m);
  return status;
}

/* All triangles go, and others come: of these the mesh is checked, and the tree needs no room. */
pl_status body_exchange_triangles(pl_body *body, const uint32_t *triangles, size_t count)
{
  const motion *now = &body->motion;
  const growth none = {.edit = &(const pl_edit){0}, .vertex_count = (uint32_t)now->vertex_count};
  edited_mesh m;
  bool whole = true;
  if (!triangles || count >= UINT32_MAX / 4) { /* refused with the words that other meshes get */
    pl_mesh_def mesh = pl_mesh_def_default();
    mesh.triangles = triangles;
    mesh.triangle_count = count;
    return mesh_check(body->context, &mesh);
  }
  pl_status status = mesh_begin(body, &now->now, (uint32_t)now->vertex_count, (uint32_t)count, &m);
  if (status != PL_OK) return status;
  if (count) memcpy(m.triangles, triangles, count * sizeof *m.triangles);
  status = now->kind->edits->prepare(body->context, &body->motion, &none, &whole);
  if (status == PL_OK) status = mesh_use(body, &m, true);
  if (status == PL_OK) {
    body_forget_edges(body);
    ++body->edits;
  }
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
  const points shape = shape_of(b->body), *p = &shape;
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
  if (!mem_widen(allocator, &t->radius, b->body->motion.vertex_count, room))
    return fail(b->body->context, PL_ERROR_MEMORY, "no memory for the radii of %zu vertices", room);
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

/* New vertices of a motion with controls; where positions are stored, theirs follow from those, or
 * are those of the vertices that are split. */
static void grow_controls(edit_batch *b)
{
  motion *m = &b->body->motion;
  const growth by = edit_growth(b);
  const size_t size = 3 * scalar_size(m->now.type);
  edit_controls(b)->grow(m, &by);
  for (size_t i = 0; !m->now.evaluate && i < by.count; ++i) {
    char *to = b->positions.data + i * size;
    double at[3];
    if (i >= by.added) {
      memcpy(to, m->now.data + m->now.stride * growth_from(&by, i), size);
      continue;
    }
    m->kind->evaluate(m->controls, &by.vertices[i], 0, 1, &at);
    positions_put(m->now.type, to, at);
  }
}

/* There is room, and the range has been checked. Returns whether the scale of the model's space
 * has changed. */
static bool add_vertices(edit_batch *b)
{
  motion *m = &b->body->motion;
  const int exponent = m->now.exponent;
  bool rescaled = false;
  if (edit_controls(b)) grow_controls(b);
  const size_t size = 3 * scalar_size(m->now.type);
  m->vertex_count = b->vertex_count;
  add_radii(b);
  if (b->new_vertices && !m->now.evaluate)
    motion_set_vertices(b->body->context, m, b->vertices.data, b->new_vertices,
                        pl_positions_strided(m->now.type, b->positions.data, b->new_vertices, size), &rescaled);
  return rescaled || m->now.exponent != exponent;
}

/* What add_vertices() has done to a body with controls. */
static void drop_vertices(const edit_batch *b, const motion *before)
{
  motion *m = &b->body->motion;
  m->vertex_count = before->vertex_count;
  m->reach = before->reach;
  m->now.exponent = before->now.exponent;
  motion_place(m);
  edit_controls(b)->shrink(m, before->vertex_count);
}

/* May the changes be made in the leaves as they are? Changed triangles go and come again. */
static bool fits(const edit_batch *b)
{
  const uint64_t live = prims_live(&b->tree->prims), gone = b->removed.count + b->edit.changed_count;
  return !b->whole && places_fits(b->tree, live - gone, live > b->live ? live : b->live, b->triangle_ids);
}

/* What the update and the motion keep by node or leaf follows. */
static void follow_leaves(const edit_batch *b, bool rescaled)
{
  const tree *t = b->tree;
  const tree_places *r = t->prims.places;
  const motion *m = &b->body->motion;
  update *u = b->body->update;
  const source_kind *source = update_source_of(u);
  if (edit_controls(b) && edit_controls(b)->leaves)
    edit_controls(b)->leaves(m->controls, (leaf_lists){t->prims.list_first, t->prims.list, t->nodes.leaf_count},
                             r->touched, r->touched_count);
  if (source->edited) source->edited(u, r->touched, r->touched_count);
  if (b->new_vertices) choice_grown(u);
  if (rescaled || m->now.evaluate)
    update_invalidate(u);
  else
    update_leaves(u, r->touched, r->touched_count);
}

static void make_in_place(edit_batch *b)
{
  pl_body *body = b->body;
  const bool rescaled = b->grown ? b->rescaled : add_vertices(b);
  b->tree->prims.vertex_count = b->vertex_count;
  edit_begin_owners(b);
  apply_in_place(b);
  edit_end_owners(b);
  forget_all_but_owners(body);
  places_finish(body->context, b->tree);
  body_replaced(body);
  forest_moved(&body->trees);
  follow_leaves(b, rescaled);
  places_forget_touched(b->tree);
}

static pl_status make_by_rebuild(edit_batch *b)
{
  pl_status status = apply_by_rebuild(b);
  if (status != PL_OK) return status;
  if (b->grown ? b->rescaled : add_vertices(b)) update_invalidate(b->body->update);
  body_forget_edges(b->body);
  return PL_OK;
}

static pl_status make(edit_batch *b)
{
  if (!fits(b)) return make_by_rebuild(b);
  if (!places_vertices(b->body->context, b->tree, b->vertex_count))
    return fail(b->body->context, PL_ERROR_MEMORY, "no memory for %u vertices", b->vertex_count);
  make_in_place(b);
  return PL_OK;
}

/* The controls grow first, as a tree that is built again reads them. */
static pl_status make_with_controls(edit_batch *b)
{
  pl_body *body = b->body;
  const motion before = body->motion;
  const growth by = edit_growth(b);
  struct spheres *grown = NULL;
  b->rescaled = add_vertices(b);
  b->grown = true;
  pl_status status = body->spheres && b->new_vertices ? body_grown_spheres(body, &by, &grown) : PL_OK;
  if (status == PL_OK) status = make(b);
  if (status == PL_OK && grown) {
    body_take_spheres(body, grown);
    grown = NULL;
  }
  if (status != PL_OK) drop_vertices(b, &before);
  if (grown) body_free_spheres(body, grown);
  return status;
}

static pl_status apply(edit_batch *b)
{
  pl_body *body = b->body;
  pl_status status = motion_reserve(body->context, &body->motion, b->vertex_count);
  if (status == PL_OK) status = reserve_radii(b);
  if (status != PL_OK) return status;
  return edit_controls(b) ? make_with_controls(b) : make(b);
}

/* ----------------------------------------------------------------------------------- public -- */

static pl_status check_kind(const pl_body *body)
{
  pl_context *context = body->context;
  const motion_kind *kind = body->motion.kind;
  const source_kind *source = update_source_of(body->update);
  if (!(kind->traits & MOTION_STORED) && !kind->edits)
    return fail(context, PL_ERROR_UNSUPPORTED, "a %s body cannot be edited: %s",
                pl_word(PL_WORDS_MOTION, body->motion.name),
                kind->unedited ? kind->unedited : "its motion cannot grow");
  if ((!source->resorted && !source->edited) || source->grows || body->trees.kind)
    return fail(context, PL_ERROR_UNSUPPORTED,
                "a body with strategy %s cannot be edited: it keeps more than volumes for each node",
                pl_word(PL_WORDS_STRATEGY, body->def.strategy));
  return PL_OK;
}

static pl_status edit(pl_body *body, const pl_edit *what)
{
  edit_batch b = {.body = body, .edit = *what};
  uint64_t made = 0;
  pl_status status = check_kind(body);
  if (status == PL_OK && !body->tree->prims.places) status = body_rebuild(body, false);
  if (status != PL_OK) return status;
  b.tree = body->tree;
  status = edit_check(&b);
  edit_unmark(&b);
  if (status == PL_OK &&
      update_source_of(body->update)->vertices_moved) /* events up to now are those of the old mesh */
    status = body_update(body, &made);
  if (status == PL_OK) status = apply(&b);
  if (status != PL_OK && edit_controls(&b) && edit_controls(&b)->follow && body->sweep && body->sweep->controls)
    edit_controls(&b)->follow(body->motion.controls, body->sweep->controls);
  if (status == PL_OK) {
    sweep_destroy(body);
    body->sweep = NULL;
    ++body->edits;
    body->edited = EDITED_WALKS;
  }
  array_free_all(&body->context->def.allocator, &b.removed, &b.vertices, &b.positions, &b.around);
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
  return body_changed(body, edit(body, &full));
}
