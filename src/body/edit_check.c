/* Checks a batch of edits against the mesh, before anything changes. Invariant: every mark that is
 * set belongs to an entry that is counted as marked. */
#include "body/edit.h"

#include "core/sort.h"
#include "mesh/mesh.h"

#include <string.h>

static pl_status no_memory(const edit_batch *b)
{
  return fail(b->body->context, PL_ERROR_MEMORY, "no memory for an edit");
}

static pl_status check_lists(pl_context *context, const pl_edit *e)
{
  const size_t most = (size_t)1 << 30;
  if ((e->split_count && !(e->split_vertices && e->split_first && e->split_triangles)) ||
      (e->removed_vertex_count && !e->removed_vertices) || (e->removed_triangle_count && !e->removed_triangles) ||
      (e->changed_count && !(e->changed_triangles && e->changed_corners)) || (e->added_count && !e->added_corners) ||
      (e->merged_count && !e->merged_vertices))
    return fail(context, PL_ERROR_ARGUMENT, "an edit has a list that is NULL though its count is not 0");
  if (e->split_count > most || e->removed_vertex_count > most || e->removed_triangle_count > most ||
      e->changed_count > most || e->added_count > most || e->merged_count > most || e->vertices.count > most)
    return fail(context, PL_ERROR_ARGUMENT, "an edit names more than %zu things of a kind", most);
  for (size_t i = 0; i < e->split_count; ++i)
    if (e->split_first[i] > e->split_first[i + 1])
      return fail(context, PL_ERROR_ARGUMENT, "the triangles of split %zu end before they begin", i);
  return PL_OK;
}

static uint8_t *mark_of(const edit_batch *b, uint32_t triangle) { return &b->tree->prims.places->marked[triangle]; }
static uint8_t *vertex_mark(const edit_batch *b, uint32_t v) { return &b->tree->prims.places->vertex_marked[v]; }

/* -------------------------------------------------------------------------------- vertices -- */

/* Are new indices without triangles, each named once, and those beyond the last without a gap?
 * *end: one past the greatest. */
static pl_status check_indices(const edit_batch *b, const uint32_t *list, size_t count, bool vertices, uint32_t *end)
{
  pl_context *context = b->body->context;
  const primitives *p = &b->tree->prims;
  const uint32_t known = *end;
  const char *what = vertices ? "vertex" : "triangle";
  ARRAY(uint64_t) keys = {0};
  if (!array_reserve(&context->def.allocator, &keys, 2 * count)) return no_memory(b);
  pl_status status = PL_OK;
  for (size_t i = 0; i < count; ++i) {
    const uint32_t id = list[i];
    keys.data[i] = id;
    *end += id >= known;
    if (id < known && (vertices ? p->places->head[id] != NO_VERTEX : prims_have(p, id)))
      status = fail(context, PL_ERROR_MESH, "the index %u of a new %s is in use", id, what);
  }
  sort_keys(keys.data, keys.data + count, count);
  for (size_t i = 0; i < count && status == PL_OK; ++i) {
    if (keys.data[i] >= *end)
      status = fail(context, PL_ERROR_MESH, "the index %u of a new %s leaves a gap: the next one is %u",
                    (uint32_t)keys.data[i], what, known);
    if (i && keys.data[i] == keys.data[i - 1])
      status = fail(context, PL_ERROR_MESH, "two new %s have the index %u", vertices ? "vertices" : "triangles",
                    (uint32_t)keys.data[i]);
  }
  array_free(&context->def.allocator, &keys);
  return status;
}

static pl_status check_new_positions(const edit_batch *b)
{
  pl_context *context = b->body->context;
  const motion *m = &b->body->motion;
  const pl_positions *p = &b->edit.vertices;
  if (b->new_vertices && m->borrow && !edit_controls(b))
    return fail(context, PL_ERROR_UNSUPPORTED,
                "a body that borrows its positions takes no new vertices: create it without `borrow`");
  if (!p->count || edit_controls(b)) return PL_OK; /* the motion checks */
  if (p->type != m->now.type)
    return fail(context, PL_ERROR_MISMATCH, "the body's positions are %s: give new ones in the same type",
                m->now.type == PL_F32 ? "float" : "double");
  pl_status status = positions_check(context, *p);
  if (status == PL_OK && m->transforms && p->type == PL_F64)
    status = motion_check_reach(context, m, positions_size(*p), m->now.transform);
  return status;
}

/* Marks the unused indices that new vertices take; 0: unmarks them. */
static void mark_new(edit_batch *b, uint8_t mark)
{
  b->new_marks = mark != 0;
  for (size_t i = 0; i < b->new_vertices; ++i)
    if (b->vertices.data[i] < b->body->motion.vertex_count) *vertex_mark(b, b->vertices.data[i]) = mark;
}

static pl_status check_new_vertices(edit_batch *b)
{
  const pl_edit *e = &b->edit;
  const pl_allocator *allocator = &b->body->context->def.allocator;
  b->vertex_count = (uint32_t)b->body->motion.vertex_count;
  b->new_vertices = e->vertices.count + e->split_count;
  if (b->new_vertices + b->vertex_count > UINT32_MAX / 2)
    return fail(b->body->context, PL_ERROR_MESH, "%zu new vertices are too many", b->new_vertices);
  pl_status status = check_new_positions(b);
  if (status != PL_OK) return status;
  if (!array_reserve(allocator, &b->vertices, b->new_vertices)) return no_memory(b);
  for (size_t i = 0; i < b->new_vertices; ++i)
    b->vertices.data[i] = e->vertex_indices ? e->vertex_indices[i] : b->vertex_count + (uint32_t)i;
  b->vertices.count = b->new_vertices;
  status = check_indices(b, b->vertices.data, b->new_vertices, true, &b->vertex_count);
  if (status == PL_OK) mark_new(b, EDIT_NEW);
  return status;
}

/* Positions of new vertices: the caller's, and those of the vertices that are split. */
static pl_status take_positions(edit_batch *b)
{
  const motion *m = &b->body->motion;
  const pl_edit *e = &b->edit;
  const size_t size = 3 * (m->now.type == PL_F32 && !edit_controls(b) ? sizeof(float) : sizeof(double));
  if (!array_reserve(&b->body->context->def.allocator, &b->positions, b->new_vertices * size)) return no_memory(b);
  for (size_t i = 0; !edit_controls(b) && i < b->new_vertices; ++i) {
    const char *from = i < e->vertices.count ? (const char *)e->vertices.data + i * e->vertices.stride
                                             : m->now.data + m->now.stride * e->split_vertices[i - e->vertices.count];
    memcpy(b->positions.data + i * size, from, size);
  }
  return PL_OK;
}

/* ------------------------------------------------------------------------------- triangles -- */

static pl_status check_triangle(const edit_batch *b, uint32_t triangle, const char *list, size_t i)
{
  if (prims_have(&b->tree->prims, triangle)) return PL_OK;
  return fail(b->body->context, PL_ERROR_MESH, "%s %zu names triangle %u, which the body does not have", list, i,
              triangle);
}

static pl_status named_twice(const edit_batch *b, uint32_t triangle)
{
  return fail(b->body->context, PL_ERROR_MESH, "triangle %u is named twice", triangle);
}

static bool put_removed(edit_batch *b, uint32_t triangle)
{
  if (!array_reserve(&b->body->context->def.allocator, &b->removed, b->removed.count + 1)) return false;
  b->removed.data[b->removed.count++] = triangle;
  *mark_of(b, triangle) = EDIT_REMOVED;
  return true;
}

static pl_status check_removed(edit_batch *b)
{
  const pl_edit *e = &b->edit;
  for (size_t i = 0; i < e->removed_triangle_count; ++i) {
    pl_status status = check_triangle(b, e->removed_triangles[i], "removed triangle", i);
    if (status != PL_OK) return status;
    if (*mark_of(b, e->removed_triangles[i])) return named_twice(b, e->removed_triangles[i]);
    if (!put_removed(b, e->removed_triangles[i])) return no_memory(b);
  }
  const tree_places *r = b->tree->prims.places;
  for (size_t i = 0; i < e->removed_vertex_count; ++i) {
    const uint32_t v = e->removed_vertices[i];
    if (v >= b->body->motion.vertex_count || *vertex_mark(b, v) & EDIT_REMOVED)
      return fail(b->body->context, PL_ERROR_MESH, "removed vertex %zu is %u, which %s", i, v,
                  v >= b->body->motion.vertex_count ? "the body does not have" : "is named twice");
    *vertex_mark(b, v) |= EDIT_REMOVED;
    b->vertex_marks = i + 1;
    for (uint32_t at = r->head[v]; at != NO_VERTEX; at = r->next[at])
      if (!*mark_of(b, at / 3) && !put_removed(b, at / 3)) return no_memory(b);
  }
  return PL_OK;
}

static pl_status check_corner(const edit_batch *b, uint32_t v, const char *list, size_t i)
{
  if (v >= b->vertex_count)
    return fail(b->body->context, PL_ERROR_MESH, "%s %zu names vertex %u of %u", list, i, v, b->vertex_count);
  if (v < b->body->motion.vertex_count && *vertex_mark(b, v) & EDIT_REMOVED)
    return fail(b->body->context, PL_ERROR_MESH, "%s %zu names vertex %u, which is removed", list, i, v);
  return PL_OK;
}

static pl_status check_changed(edit_batch *b)
{
  const pl_edit *e = &b->edit;
  for (size_t i = 0; i < e->changed_count; ++i) {
    pl_status status = check_triangle(b, e->changed_triangles[i], "changed triangle", i);
    for (size_t c = 0; c < 3 && status == PL_OK; ++c)
      status = check_corner(b, e->changed_corners[3 * i + c], "changed triangle", i);
    if (status != PL_OK) return status;
    if (*mark_of(b, e->changed_triangles[i])) return named_twice(b, e->changed_triangles[i]);
    *mark_of(b, e->changed_triangles[i]) = EDIT_CHANGED;
    b->triangle_marks = i + 1;
  }
  return PL_OK;
}

/* One triangle of a split: its corners at the vertex are marked. */
static pl_status check_split(edit_batch *b, size_t i, uint32_t triangle)
{
  const uint32_t v = b->edit.split_vertices[i];
  pl_status status = check_triangle(b, triangle, "split", i);
  if (status != PL_OK) return status;
  uint8_t *mark = mark_of(b, triangle), corners = 0;
  for (int c = 0; c < 3; ++c)
    if (places_corners(b->tree, triangle)[c] == v) corners |= (uint8_t)(EDIT_SPLIT << c);
  if (!corners)
    return fail(b->body->context, PL_ERROR_MESH, "split %zu names triangle %u, which does not have vertex %u", i,
                triangle, v);
  if (*mark & (EDIT_REMOVED | EDIT_CHANGED | corners)) return named_twice(b, triangle);
  *mark |= corners;
  return PL_OK;
}

static pl_status check_splits(edit_batch *b)
{
  const pl_edit *e = &b->edit;
  for (size_t i = 0; i < e->split_count; ++i) {
    const uint32_t v = e->split_vertices[i];
    if (v >= b->body->motion.vertex_count || *vertex_mark(b, v) & EDIT_REMOVED)
      return fail(b->body->context, PL_ERROR_MESH, "split %zu names vertex %u, which %s", i, v,
                  v >= b->body->motion.vertex_count ? "the body does not have" : "is removed");
    if (*vertex_mark(b, v) & EDIT_NEW)
      return fail(b->body->context, PL_ERROR_MESH, "split %zu names vertex %u, whose index a new vertex takes", i, v);
    for (size_t k = e->split_first[i]; k < e->split_first[i + 1]; ++k) {
      pl_status status = check_split(b, i, e->split_triangles[k]);
      if (status != PL_OK) return status;
      b->split_marks = k + 1;
    }
  }
  return PL_OK;
}

static pl_status check_merges(edit_batch *b)
{
  const pl_edit *e = &b->edit;
  const uint32_t *pair = e->merged_vertices, old = (uint32_t)b->body->motion.vertex_count;
  for (size_t i = 0; i < 2 * e->merged_count; ++i) {
    pl_status status = check_corner(b, pair[i], "merge", i / 2);
    if (status != PL_OK) return status;
  }
  for (size_t i = 0; i < e->merged_count; ++i) {
    if (pair[2 * i] >= old || *vertex_mark(b, pair[2 * i]) & (EDIT_MERGED | EDIT_REMOVED))
      return fail(b->body->context, PL_ERROR_MESH, "merge %zu begins at vertex %u, which %s", i, pair[2 * i],
                  pair[2 * i] >= old ? "is new" : "is named twice");
    *vertex_mark(b, pair[2 * i]) |= EDIT_MERGED;
    b->merge_marks = i + 1;
  }
  for (size_t i = 0; i < e->merged_count; ++i)
    if (pair[2 * i + 1] < old && *vertex_mark(b, pair[2 * i + 1]) & (EDIT_MERGED | EDIT_REMOVED))
      return fail(b->body->context, PL_ERROR_MESH, "merge %zu ends at vertex %u, which is merged itself", i,
                  pair[2 * i + 1]);
  return PL_OK;
}

static pl_status check_added(edit_batch *b)
{
  const pl_edit *e = &b->edit;
  const uint64_t most = (uint64_t)1 << 30;
  for (size_t i = 0; i < 3 * e->added_count; ++i) {
    pl_status status = check_corner(b, e->added_corners[i], "added triangle", i / 3);
    if (status != PL_OK) return status;
  }
  b->triangle_ids = prims_ids(&b->tree->prims);
  b->live = prims_live(&b->tree->prims) - b->removed.count + e->added_count;
  if (b->triangle_ids + e->added_count > most)
    return fail(b->body->context, PL_ERROR_MESH, "%zu new triangles are too many", e->added_count);
  if (!b->live) return fail(b->body->context, PL_ERROR_MESH, "an edit must leave a triangle");
  if (e->added_indices) return check_indices(b, e->added_indices, e->added_count, false, &b->triangle_ids);
  b->triangle_ids += (uint32_t)e->added_count;
  return PL_OK;
}

/* ------------------------------------------------------------------------------------ whole -- */

pl_status edit_check(edit_batch *b)
{
  pl_status status = check_lists(b->body->context, &b->edit);
  if (status == PL_OK) status = check_new_vertices(b);
  if (status == PL_OK) status = check_removed(b);
  if (status == PL_OK) status = check_changed(b);
  if (status == PL_OK) status = check_splits(b);
  if (status == PL_OK) status = check_added(b);
  if (status == PL_OK) status = check_merges(b);
  if (status == PL_OK) status = take_positions(b);
  const growth by = edit_growth(b);
  if (status != PL_OK || !edit_controls(b)) return status;
  return edit_controls(b)->prepare(b->body->context, &b->body->motion, &by, &b->whole);
}

void edit_unmark(edit_batch *b)
{
  const pl_edit *e = &b->edit;
  const size_t first = e->split_count ? e->split_first[0] : 0;
  if (b->new_marks) mark_new(b, 0);
  for (size_t i = 0; i < b->removed.count; ++i) *mark_of(b, b->removed.data[i]) = 0;
  for (size_t i = 0; i < b->vertex_marks; ++i) *vertex_mark(b, e->removed_vertices[i]) = 0;
  for (size_t i = 0; i < b->triangle_marks; ++i) *mark_of(b, e->changed_triangles[i]) = 0;
  for (size_t i = first; i < b->split_marks; ++i) *mark_of(b, e->split_triangles[i]) = 0;
  for (size_t i = 0; i < b->merge_marks; ++i) *vertex_mark(b, e->merged_vertices[2 * i]) = 0;
}
