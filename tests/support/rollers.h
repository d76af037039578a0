/* Governed bodies of every kind over one sheet, which roll up like a carpet until their layers
 * come near each other and pass through. */
#ifndef TESTS_ROLLERS_H
#define TESTS_ROLLERS_H

#include "support/sheets.h"
#include "support/skins.h"

enum { ROLLER_SKIN, ROLLER_EMBED, ROLLER_SUBDIVIDE, ROLLER_POINTS, ROLLER_KINDS };
enum { ROLLER_BONES = 6, ROLLER_SIDE = 6, ROLLER_CONTROLS = 2 * ROLLER_SIDE * ROLLER_SIDE };

typedef struct roller {
  int kind;
  pl_body *body;
  size_t control_count; /* 0: bones */
  double rest[ROLLER_CONTROLS][3], now[ROLLER_CONTROLS][3];
} roller;

/* The sheet is [-1, 1]^2; rolled up by `turns` about the y axis, each layer inside the last one. */
static inline void roller_bend(double turns, const double p[3], double out[3])
{
  double along = (p[0] + 1) / 2, angle = turns * 6.283185307179586 * along, radius = 0.5 - 0.15 * along - p[2];
  out[0] = radius * sin(angle);
  out[1] = p[1] + 0.1 * along;
  out[2] = radius * cos(angle);
}

/* Bone k leads from its place on the sheet to where that is bent to, turned as the sheet is
 * there. */
static inline void roller_bones(double turns, pl_transform out[ROLLER_BONES])
{
  for (int k = 0; k < ROLLER_BONES; ++k) {
    const double at[3] = {-1 + 2.0 * k / (ROLLER_BONES - 1), 0, 0};
    double to[3], angle = turns * 6.283185307179586 * (at[0] + 1) / 2, c = cos(angle), s = sin(angle);
    roller_bend(turns, at, to);
    out[k] = (pl_transform){{{c, 0, -s}, {0, 1, 0}, {-s, 0, -c}}, {0, 0, 0}};
    for (int i = 0; i < 3; ++i) out[k].t[i] = to[i] - out[k].m[i][0] * at[0];
  }
}

static inline void roller_grid(roller *r, int layers)
{
  r->control_count = 0;
  for (int layer = 0; layer < layers; ++layer)
    for (int i = 0; i < ROLLER_SIDE * ROLLER_SIDE; ++i) {
      double *p = r->rest[r->control_count++];
      p[0] = -1 + 2.0 * (i % ROLLER_SIDE) / (ROLLER_SIDE - 1);
      p[1] = -1 + 2.0 * (i / ROLLER_SIDE) / (ROLLER_SIDE - 1);
      p[2] = layers == 1 ? 0 : layer ? 0.1 : -0.1;
    }
}

/* Four control points around each vertex. */
static inline skin_rows roller_rows(const world_mesh *m)
{
  skin_rows rows = {.vertex_count = m->vertex_count, .bone_count = ROLLER_SIDE * ROLLER_SIDE};
  rows.first = malloc((m->vertex_count + 1) * sizeof *rows.first);
  rows.bone = malloc(4 * m->vertex_count * sizeof *rows.bone);
  rows.weight = malloc(4 * m->vertex_count * sizeof *rows.weight);
  for (uint32_t v = 0; v <= m->vertex_count; ++v) rows.first[v] = 4 * v;
  for (uint32_t v = 0; v < m->vertex_count; ++v) {
    double x = (m->xyz[3 * v] + 1) / 2 * (ROLLER_SIDE - 1), y = (m->xyz[3 * v + 1] + 1) / 2 * (ROLLER_SIDE - 1);
    uint32_t i = (uint32_t)fmin(x, ROLLER_SIDE - 2), j = (uint32_t)fmin(y, ROLLER_SIDE - 2);
    for (uint32_t k = 0; k < 4; ++k) {
      rows.bone[4 * v + k] = (j + k / 2) * ROLLER_SIDE + i + k % 2;
      rows.weight[4 * v + k] = (k % 2 ? x - i : 1 - (x - i)) * (k / 2 ? y - j : 1 - (y - j));
    }
  }
  return rows;
}

static inline pl_status roller_skin(roller *r, pl_context *context, const world_mesh *m, const pl_mesh_def *mesh,
                                    const pl_body_def *def)
{
  test_rng rng = {1};
  skin_rows rows = skin_rows_make(m->xyz, m->vertex_count, ROLLER_BONES, 3, SKIN_SMOOTH, &rng);
  pl_skin_def skin = pl_skin_def_default();
  skin.bone_count = ROLLER_BONES;
  skin.weights = skin_weights(&rows, true);
  pl_status status = pl_body_create_skin(context, mesh, &skin, def, &r->body);
  skin_rows_free(&rows);
  return status;
}

static inline pl_status roller_embed(roller *r, pl_context *context, const world_mesh *m, const pl_mesh_def *mesh,
                                     const pl_body_def *def)
{
  skin_rows rows = roller_rows(m);
  pl_embed_def embed = pl_embed_def_default();
  roller_grid(r, 1);
  embed.controls = pl_positions_f64(r->rest[0], r->control_count);
  embed.weights = skin_weights(&rows, true);
  pl_status status = pl_body_create_embed(context, mesh, &embed, def, &r->body);
  skin_rows_free(&rows);
  return status;
}

/* About 2 n n triangles; a subdivided one has 800. */
static inline void roller_create(roller *r, pl_context *context, int kind, int n, const pl_body_def *def)
{
  world_mesh m, control;
  sheet_create(SHEET_FLAT, n, &m);
  sheet_create(SHEET_FLAT, ROLLER_SIDE - 1, &control);
  memset(r, 0, sizeof *r);
  r->kind = kind;
  pl_mesh_def mesh = pl_mesh_def_default();
  mesh.positions = pl_positions_f64(m.xyz, m.vertex_count);
  mesh.triangles = m.triangles;
  mesh.triangle_count = m.triangle_count;
  pl_status status = PL_OK;
  if (kind == ROLLER_SKIN) status = roller_skin(r, context, &m, &mesh, def);
  if (kind == ROLLER_EMBED) status = roller_embed(r, context, &m, &mesh, def);
  if (kind == ROLLER_POINTS) {
    pl_particles_def particles = pl_particles_def_default();
    roller_grid(r, 2);
    particles.particles = pl_positions_f64(r->rest[0], r->control_count);
    status = pl_body_create_points(context, &mesh, &particles, def, &r->body);
  }
  if (kind == ROLLER_SUBDIVIDE) {
    roller_grid(r, 1);
    mesh.positions = pl_positions_f64(r->rest[0], r->control_count);
    mesh.triangles = control.triangles;
    mesh.triangle_count = control.triangle_count;
    status = pl_body_create_subdivide(context, &mesh, NULL, def, &r->body);
  }
  if (status != PL_OK) fail_msg("%s", pl_context_message(context));
  sheet_free(&m);
  sheet_free(&control);
}

static inline void roller_pose(roller *r, double turns)
{
  pl_transform bones[ROLLER_BONES];
  if (r->kind == ROLLER_SKIN) {
    roller_bones(turns, bones);
    assert_int_equal(pl_body_set_bones(r->body, bones, ROLLER_BONES), PL_OK);
    return;
  }
  for (size_t i = 0; i < r->control_count; ++i) roller_bend(turns, r->rest[i], r->now[i]);
  assert_int_equal(pl_body_set_controls(r->body, pl_positions_f64(r->now[0], r->control_count)), PL_OK);
}

#endif
