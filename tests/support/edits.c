#include "support/edits.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static uint32_t below(edit_model *m, size_t n) { return (uint32_t)(test_random(&m->rng) % n); }

/* Numbers that are floats. */
static double place(edit_model *m, double low, double high) { return (double)(float)test_uniform(&m->rng, low, high); }

void edit_model_take(edit_model *m, pl_body *body, pl_scalar type, size_t most_vertices, size_t most_ids, uint64_t seed)
{
  *m = (edit_model){.vertices = pl_body_vertex_count(body),
                    .ids = pl_body_triangle_count(body),
                    .most_vertices = most_vertices,
                    .most_ids = most_ids,
                    .type = type,
                    .rng = {seed}};
  m->xyz = calloc(3 * most_vertices, sizeof *m->xyz);
  m->tri = calloc(most_ids, sizeof *m->tri);
  m->live = calloc(most_ids, sizeof *m->live);
  m->named = calloc(most_ids, 1);
  m->used = calloc(most_vertices, sizeof *m->used);
  assert_true(m->xyz && m->tri && m->live && m->named && m->used && m->vertices <= most_vertices && m->ids <= most_ids);
  assert_int_equal(pl_body_positions(body, NULL, m->vertices, PL_F64, m->xyz, 0), PL_OK);
  for (size_t i = 0; i < 3 * m->vertices; ++i) m->xyz[i] = (double)(float)m->xyz[i];
  assert_int_equal(pl_body_triangles(body, m->tri[0], m->ids), PL_OK);
  for (size_t i = 0; i < m->ids; ++i) m->live[i] = true;
  m->least_live = m->ids / 2 + 1;
  m->most_live = 2 * m->ids;
}

void edit_model_free(edit_model *m)
{
  free(m->xyz);
  free(m->tri);
  free(m->live);
  free(m->named);
  free(m->used);
  *m = (edit_model){0};
}

static float *floats_of(const edit_model *m)
{
  float *f = malloc(3 * m->vertices * sizeof *f);
  assert_non_null(f);
  for (size_t i = 0; i < 3 * m->vertices; ++i) f[i] = (float)m->xyz[i];
  return f;
}

pl_status edit_model_create(const edit_model *m, pl_context *context, bool rigid, const pl_body_def *def, pl_body **out)
{
  pl_mesh_def mesh = pl_mesh_def_default();
  float *floats = floats_of(m);
  mesh.positions = m->type == PL_F32 ? pl_positions_f32(floats, m->vertices) : pl_positions_f64(m->xyz, m->vertices);
  mesh.triangles = m->tri[0];
  mesh.triangle_count = m->ids;
  pl_status status = (rigid ? pl_body_create_rigid : pl_body_create_free)(context, &mesh, def, out);
  free(floats);
  return status;
}

size_t edit_model_live(const edit_model *m)
{
  size_t live = 0;
  for (size_t i = 0; i < m->ids; ++i) live += m->live[i];
  return live;
}

/* ------------------------------------------------------------------------------------ batch -- */

/* A live triangle that the batch does not name; UINT32_MAX: none was found. */
static uint32_t some_triangle(edit_model *m)
{
  for (int k = 0; k < 64; ++k) {
    uint32_t t = below(m, m->ids);
    if (m->live[t] && !m->named[t]) return t;
  }
  return UINT32_MAX;
}

static bool has(const uint32_t t[3], uint32_t v) { return t[0] == v || t[1] == v || t[2] == v; }

static bool is_isolated(const edit_model *m, uint32_t v)
{
  for (size_t t = 0; t < m->ids; ++t)
    if (m->live[t] && has(m->tri[t], v)) return false;
  return true;
}

/* An index for a new vertex: an unused one, or the next; UINT32_MAX: no more fit. `next` counts new
 * ones. */
static uint32_t vertex_index(edit_model *m, size_t *next)
{
  for (uint32_t v = 0; !m->only_next && v < m->vertices && below(m, 2); ++v)
    if (!m->used[v] && is_isolated(m, v)) return v;
  if (*next < m->most_vertices) return (uint32_t)(*next)++;
  for (uint32_t v = 0; !m->only_next && v < m->vertices; ++v)
    if (!m->used[v] && is_isolated(m, v)) return v;
  return UINT32_MAX;
}

static void plan_new_vertex(edit_model *m, size_t *next)
{
  const size_t i = m->edit.vertices.count;
  uint32_t v = i < EDITS_OPS ? vertex_index(m, next) : UINT32_MAX;
  if (v == UINT32_MAX) return;
  m->used[v] = true;
  const uint32_t near = below(m, m->vertices);
  for (size_t k = 0; k < 3; ++k)
    m->new_floats[3 * i + k] =
        (float)(m->new_xyz[3 * i + k] = (double)(float)(m->xyz[3 * near + k] + place(m, -0.2, 0.2)));
  m->vertex_indices[i] = v;
  m->edit.vertices.count = i + 1;
}

/* Splits a vertex of a triangle, for about half of its triangles. */
static void plan_split(edit_model *m, size_t *next)
{
  const uint32_t t = some_triangle(m);
  const size_t i = m->edit.split_count;
  if (t == UINT32_MAX || i == EDITS_OPS) return;
  const uint32_t v = m->tri[t][below(m, 3)];
  uint32_t end = m->split_first[i], index;
  if (v < m->vertices && m->used[v]) return;
  if ((index = vertex_index(m, next)) == UINT32_MAX) return;
  m->used[index] = true;
  for (uint32_t k = 0; k < m->ids && end < (i + 1) * EDITS_FAN; ++k)
    if (m->live[k] && !m->named[k] && has(m->tri[k], v) && (k == t || below(m, 2))) m->split_triangles[end++] = k;
  for (uint32_t k = m->split_first[i]; k < end; ++k) m->named[m->split_triangles[k]] = true;
  m->split_vertices[i] = v;
  m->split_first[i + 1] = end;
  m->vertex_indices[m->edit.vertices.count + i] = index;
  ++m->edit.split_count;
}

/* A vertex that new corners may have. */
static uint32_t corner(edit_model *m, size_t vertices)
{
  for (;;) {
    uint32_t v = below(m, 4) || !m->edit.vertices.count ? below(m, vertices)
                                                        : m->vertex_indices[below(m, m->edit.vertices.count)];
    bool removed = false;
    for (size_t i = 0; i < m->edit.removed_vertex_count; ++i) removed = removed || m->removed_vertices[i] == v;
    if (!removed) return v;
  }
}

static void plan_triangle(edit_model *m, size_t vertices, uint32_t out[3])
{
  for (int k = 0; k < 3; ++k) out[k] = corner(m, vertices);
}

static uint32_t triangle_index(edit_model *m, size_t *next)
{
  for (uint32_t t = 0; t < m->ids && below(m, 2); ++t)
    if (!m->live[t] && !m->named[t]) return t;
  if (*next < m->most_ids) return (uint32_t)(*next)++;
  for (uint32_t t = 0; t < m->ids; ++t)
    if (!m->live[t] && !m->named[t]) return t;
  return UINT32_MAX;
}

static void plan_changes(edit_model *m, int ops, size_t vertices, size_t live)
{
  pl_edit *e = &m->edit;
  size_t next = m->ids;
  for (int k = 0; k < ops; ++k) {
    const uint32_t t = some_triangle(m), what = below(m, 4);
    if (what == 0 && e->added_count < EDITS_OPS && live < m->most_live) {
      uint32_t id = triangle_index(m, &next);
      if (id == UINT32_MAX) continue;
      if (id < m->ids) m->named[id] = true;
      plan_triangle(m, vertices, m->added_corners + 3 * e->added_count);
      m->added_indices[e->added_count++] = id;
      ++live;
    } else if (what == 1 && t != UINT32_MAX && e->changed_count < EDITS_OPS) {
      plan_triangle(m, vertices, m->changed_corners + 3 * e->changed_count);
      m->changed[e->changed_count++] = t;
      m->named[t] = true;
    } else if (what == 2 && t != UINT32_MAX && e->removed_triangle_count < EDITS_OPS && live > m->least_live) {
      m->removed[e->removed_triangle_count++] = t;
      m->named[t] = true;
      --live;
    } else if (what == 3 && e->merged_count < EDITS_OPS) {
      uint32_t from = below(m, m->vertices), into = below(m, vertices);
      if (from == into || m->used[from] || (into < m->vertices && m->used[into])) continue;
      m->used[from] = m->used[into] = true;
      m->merged[2 * e->merged_count] = from;
      m->merged[2 * e->merged_count++ + 1] = into;
    }
  }
}

/* With its triangles, if none of them is named and there are few. */
static void plan_removed_vertex(edit_model *m, size_t *live)
{
  const uint32_t v = below(m, m->vertices);
  size_t around = 0;
  if (m->used[v] || m->edit.removed_vertex_count == EDITS_OPS) return;
  for (size_t t = 0; t < m->ids; ++t) {
    if (!m->live[t] || !has(m->tri[t], v)) continue;
    if (m->named[t]) return;
    ++around;
  }
  if (*live < m->least_live + around) return;
  for (size_t t = 0; t < m->ids; ++t)
    if (m->live[t] && has(m->tri[t], v)) m->named[t] = true;
  m->used[v] = true;
  m->removed_vertices[m->edit.removed_vertex_count++] = v;
  *live -= around;
}

/* ------------------------------------------------------------------------------------ apply -- */

static void apply(edit_model *m)
{
  const pl_edit *e = &m->edit;
  for (size_t i = 0; i < e->vertices.count + e->split_count; ++i) {
    const uint32_t v = m->vertex_indices[i];
    const double *from =
        i < e->vertices.count ? m->new_xyz + 3 * i : m->xyz + 3 * (size_t)m->split_vertices[i - e->vertices.count];
    memcpy(m->xyz + 3 * (size_t)v, from, 3 * sizeof *from);
    if (v >= m->vertices) m->vertices = v + 1;
  }
  for (size_t i = 0; i < e->split_count; ++i)
    for (uint32_t k = m->split_first[i]; k < m->split_first[i + 1]; ++k)
      for (int c = 0; c < 3; ++c)
        if (m->tri[m->split_triangles[k]][c] == m->split_vertices[i])
          m->tri[m->split_triangles[k]][c] = m->vertex_indices[e->vertices.count + i];
  for (size_t i = 0; i < e->removed_vertex_count; ++i)
    for (size_t t = 0; t < m->ids; ++t)
      if (has(m->tri[t], m->removed_vertices[i])) m->live[t] = false;
  for (size_t i = 0; i < e->removed_triangle_count; ++i) m->live[m->removed[i]] = false;
  for (size_t i = 0; i < e->changed_count; ++i)
    memcpy(m->tri[m->changed[i]], m->changed_corners + 3 * i, sizeof m->tri[0]);
  for (size_t i = 0; i < e->added_count; ++i) {
    const uint32_t t = m->added_indices[i];
    memcpy(m->tri[t], m->added_corners + 3 * i, sizeof m->tri[0]);
    m->live[t] = true;
    if (t >= m->ids) m->ids = t + 1;
  }
  for (size_t i = 0; i < e->merged_count; ++i)
    for (size_t t = 0; t < m->ids; ++t)
      for (int c = 0; c < 3; ++c)
        if (m->live[t] && m->tri[t][c] == m->merged[2 * i]) m->tri[t][c] = m->merged[2 * i + 1];
}

/* Are these the next indices, in order? */
static bool are_next(const uint32_t *list, size_t count, size_t next)
{
  for (size_t i = 0; i < count; ++i)
    if (list[i] != next + i) return false;
  return true;
}

void edit_model_next(edit_model *m, int ops)
{
  size_t next = m->vertices, live = edit_model_live(m);
  const size_t ids = m->ids, old = m->vertices;
  memset(m->named, 0, m->most_ids);
  memset(m->used, 0, m->most_vertices * sizeof *m->used);
  m->edit = pl_edit_default();
  pl_edit *e = &m->edit;
  ops = 1 + (int)below(m, (size_t)ops);
  for (int k = 0; k < ops; ++k) {
    if (!below(m, 3)) plan_new_vertex(m, &next);
    if (!below(m, 6)) plan_removed_vertex(m, &live);
  }
  for (int k = 0; k < ops; ++k)
    if (!below(m, 3)) plan_split(m, &next);
  plan_changes(m, ops, next, live);
  e->vertices = m->type == PL_F32 ? pl_positions_f32(m->new_floats, e->vertices.count)
                                  : pl_positions_f64(m->new_xyz, e->vertices.count);
  e->split_vertices = m->split_vertices;
  e->split_first = m->split_first;
  e->split_triangles = m->split_triangles;
  e->vertex_indices = are_next(m->vertex_indices, e->vertices.count + e->split_count, old) ? NULL : m->vertex_indices;
  e->removed_vertices = m->removed_vertices;
  e->removed_triangles = m->removed;
  e->changed_triangles = m->changed;
  e->changed_corners = m->changed_corners;
  e->added_corners = m->added_corners;
  e->added_indices = are_next(m->added_indices, e->added_count, ids) ? NULL : m->added_indices;
  e->merged_vertices = m->merged;
  apply(m);
}

/* ------------------------------------------------------------------------------- controls -- */

static void dress_skin(edit_model *m, size_t n)
{
  for (size_t i = 0; i < n; ++i) {
    m->values[2 * i] = place(m, 0, 1);
    m->values[2 * i + 1] = 1 - m->values[2 * i];
    m->governors[2 * i] = 0;
    m->governors[2 * i + 1] = 1;
  }
  m->weights =
      (pl_weights){.vertex_count = n, .per_vertex = 2, .governors = m->governors, .values = m->values, .type = PL_F64};
}

/* The control points of the cast are the origin and the ends of the axes. */
static void dress_embed(edit_model *m, size_t n)
{
  for (size_t i = 0; i < n; ++i)
    for (uint32_t k = 0; k < 4; ++k) {
      const double *x = m->new_xyz + 3 * i;
      m->values[4 * i + k] = k ? x[k - 1] : 1 - x[0] - x[1] - x[2];
      m->governors[4 * i + k] = k;
    }
  m->weights =
      (pl_weights){.vertex_count = n, .per_vertex = 4, .governors = m->governors, .values = m->values, .type = PL_F64};
  m->edit.vertices = (pl_positions){.count = n};
}

void edit_model_dress(edit_model *m, const pl_body *body)
{
  const size_t n = m->edit.vertices.count;
  const pl_motion motion = pl_body_motion(body);
  if (!n) return;
  if (motion == PL_MOTION_SKIN) dress_skin(m, n);
  if (motion == PL_MOTION_EMBED) dress_embed(m, n);
  if (motion == PL_MOTION_SKIN || motion == PL_MOTION_EMBED) m->edit.weights = &m->weights;
  if (motion != PL_MOTION_MORPH && (motion != PL_MOTION_FLIGHT || below(m, 3) == 0)) return;
  for (size_t i = 0; i < 3 * n; ++i) m->pose_xyz[i] = m->new_xyz[i] + place(m, -0.3, 0.3);
  m->poses[0] = pl_positions_f64(m->pose_xyz, n);
  m->edit.poses = m->poses;
  m->edit.pose_count = 1;
}

void edit_model_assert_grown(const edit_model *m, pl_body *body)
{
  const pl_edit *e = &m->edit;
  assert_int_equal(pl_body_vertex_count(body), m->vertices);
  double *xyz = malloc(3 * m->vertices * sizeof *xyz);
  assert_int_equal(pl_body_positions(body, NULL, m->vertices, PL_F64, xyz, 0), PL_OK);
  for (size_t i = 0; i < e->split_count; ++i)
    assert_memory_equal(xyz + 3 * m->vertex_indices[e->vertices.count + i], xyz + 3 * m->split_vertices[i],
                        3 * sizeof *xyz);
  for (size_t i = 0; pl_body_motion(body) == PL_MOTION_FLIGHT && i < 3 * e->vertices.count; ++i)
    assert_true(fabs(xyz[3 * m->vertex_indices[i / 3] + i % 3] - m->new_xyz[i]) < 1e-12);
  free(xyz);
  edit_model_assert_triangles(m, body);
}

void edit_model_renew(edit_model *m)
{
  m->edit = pl_edit_default();
  pl_edit *e = &m->edit;
  e->removed_triangles = m->removed;
  e->added_corners = m->added_corners;
  for (uint32_t i = 0; i < EDITS_OPS && m->ids + i < m->most_ids; ++i) {
    m->removed[i] = 3 * i;
    memcpy(m->added_corners + 3 * (size_t)i, m->tri[3 * i], sizeof m->tri[0]);
    m->added_indices[i] = (uint32_t)m->ids + i;
    ++e->removed_triangle_count;
    ++e->added_count;
  }
  apply(m);
}

/* ---------------------------------------------------------------------------------- compare -- */

void edit_model_assert(const edit_model *m, pl_body *body)
{
  assert_int_equal(pl_body_vertex_count(body), m->vertices);
  assert_int_equal(pl_body_triangle_count(body), m->ids);
  double *xyz = malloc(3 * m->vertices * sizeof *xyz);
  assert_non_null(xyz);
  assert_int_equal(pl_body_positions(body, NULL, m->vertices, PL_F64, xyz, 0), PL_OK);
  assert_memory_equal(xyz, m->xyz, 3 * m->vertices * sizeof *xyz);
  free(xyz);
  edit_model_assert_triangles(m, body);
}

void edit_model_assert_triangles(const edit_model *m, pl_body *body)
{
  uint32_t(*tri)[3] = malloc(m->ids * sizeof *tri);
  assert_non_null(tri);
  assert_int_equal(pl_body_triangle_count(body), m->ids);
  assert_int_equal(pl_body_triangles(body, tri[0], m->ids), PL_OK);
  for (size_t t = 0; t < m->ids; ++t) {
    static const uint32_t none[3] = {PL_NONE, PL_NONE, PL_NONE};
    assert_memory_equal(tri[t], m->live[t] ? m->tri[t] : none, sizeof none);
  }
  free(tri);
}

void edit_model_move(edit_model *m, double by)
{
  for (size_t i = 0; i < 3 * m->vertices; ++i) m->xyz[i] = (double)(float)(m->xyz[i] + place(m, -by, by));
}

void edit_model_set(const edit_model *m, pl_body *body, bool some)
{
  float *floats = floats_of(m);
  pl_positions all = m->type == PL_F32 ? pl_positions_f32(floats, m->vertices) : pl_positions_f64(m->xyz, m->vertices);
  if (!some) {
    assert_int_equal(pl_body_set_positions(body, all), PL_OK);
  } else {
    for (uint32_t v = 0; v < m->vertices; ++v) {
      pl_positions one = {(const char *)all.data + v * all.stride, 1, all.stride, all.type};
      if (v % 3 == 0 || v + 8 > m->vertices) assert_int_equal(pl_body_set_vertices(body, &v, 1, one), PL_OK);
    }
  }
  free(floats);
}
