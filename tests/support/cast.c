#include "support/cast.h"

#include "scenes/scenes.h"
#include "support/worlds.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { FREQUENCY = 2, MOST_VERTICES = 64, CONTROLS = 4, CORNERS = 8 };

const char *const cast_names[CAST_COUNT] = {
#define CAST_NAME(name) #name,
    CAST_LIST(CAST_NAME)
#undef CAST_NAME
};

/* One body's shape: a crumpled ball, at rest and in other poses. */
typedef struct shape {
  scene_mesh ball;
  double xyz[3 * MOST_VERTICES];
} shape;

static void crumple(shape *s, cast_kind kind, int i, int pose)
{
  test_rng rng = {(uint64_t)(100 * i + 7)}; /* the same crumples in every pose, but for a part */
  test_rng more = {(uint64_t)(100 * i + 10 * pose + 3)};
  const double rough = kind == CAST_subdivide ? 0.9 : 0.55;
  for (size_t v = 0; v < 3 * s->ball.vertex_count; ++v)
    s->xyz[v] = (double)s->ball.rest[v] + test_uniform(&rng, -rough, rough) + pose * test_uniform(&more, -0.25, 0.25) +
                (v % 3 == 0 ? 0.75 * i : 0) + (v % 3 == 1 ? 0.2 * pose : 0);
}

static void shape_open(shape *s, cast_kind kind, int i, int pose)
{
  assert_true(scene_geosphere(kind == CAST_subdivide ? 1 : FREQUENCY, &s->ball));
  assert_true(s->ball.vertex_count <= MOST_VERTICES);
  crumple(s, kind, i, pose);
}

static pl_mesh_def mesh_of(const shape *s)
{
  pl_mesh_def mesh = pl_mesh_def_default();
  mesh.positions = pl_positions_f64(s->xyz, s->ball.vertex_count);
  mesh.triangles = s->ball.triangles;
  mesh.triangle_count = s->ball.triangle_count;
  return mesh;
}

static pl_transform turned(double angle, double x)
{
  pl_transform t = pl_transform_identity();
  t.m[0][0] = t.m[1][1] = cos(angle);
  t.m[0][1] = -(t.m[1][0] = sin(angle));
  t.t[0] = x;
  t.t[2] = x / 2;
  return t;
}

/* ---------------------------------------------------------------------------------- creation -- */

static pl_status create_morph(pl_context *context, int i, const pl_mesh_def *mesh, const pl_body_def *def,
                              pl_body **out)
{
  shape other;
  shape_open(&other, CAST_morph, i, 2);
  const pl_positions references[2] = {mesh->positions, pl_positions_f64(other.xyz, other.ball.vertex_count)};
  pl_morph_def morph = pl_morph_def_default();
  morph.references = references;
  morph.reference_count = 2;
  pl_status status = pl_body_create_morph(context, mesh, &morph, def, out);
  scene_mesh_free(&other.ball);
  return status;
}

static pl_status create_skin(pl_context *context, const pl_mesh_def *mesh, const pl_body_def *def, pl_body **out)
{
  double values[2 * MOST_VERTICES];
  uint32_t bones[2 * MOST_VERTICES];
  const double *xyz = mesh->positions.data;
  for (size_t v = 0; v < mesh->positions.count; ++v) {
    values[2 * v] = fmin(fmax(0.5 + xyz[3 * v + 1] / 2, 0), 1);
    values[2 * v + 1] = 1 - values[2 * v];
    bones[2 * v] = 0;
    bones[2 * v + 1] = 1;
  }
  pl_skin_def skin = pl_skin_def_default();
  skin.bone_count = 2;
  skin.weights = (pl_weights){
      .vertex_count = mesh->positions.count, .per_vertex = 2, .governors = bones, .values = values, .type = PL_F64};
  return pl_body_create_skin(context, mesh, &skin, def, out);
}

static const double frame[CONTROLS][3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};

static pl_status create_embed(pl_context *context, const pl_mesh_def *mesh, const pl_body_def *def, pl_body **out)
{
  double values[CONTROLS * MOST_VERTICES];
  uint32_t governors[CONTROLS * MOST_VERTICES];
  const double *xyz = mesh->positions.data;
  for (size_t v = 0; v < mesh->positions.count; ++v)
    for (uint32_t k = 0; k < CONTROLS; ++k) {
      const double *x = xyz + 3 * v;
      values[CONTROLS * v + k] = k ? x[k - 1] : 1 - x[0] - x[1] - x[2];
      governors[CONTROLS * v + k] = k;
    }
  pl_embed_def embed = pl_embed_def_default();
  embed.controls = pl_positions_f64(frame[0], CONTROLS);
  embed.weights = (pl_weights){.vertex_count = mesh->positions.count,
                               .per_vertex = CONTROLS,
                               .governors = governors,
                               .values = values,
                               .type = PL_F64};
  return pl_body_create_embed(context, mesh, &embed, def, out);
}

/* The corners of a cube around body i, sheared in the second pose. */
static void particles(int i, int pose, double out[3 * CORNERS])
{
  for (int c = 0; c < CORNERS; ++c)
    for (int k = 0; k < 3; ++k)
      out[3 * c + k] = ((c >> k & 1) ? 1.25 : -1.25) + (k == 0 ? 0.75 * i : 0) + (k == 1 && c & 1 ? 0.4 * pose : 0);
}

static pl_status create_points(pl_context *context, int i, const pl_mesh_def *mesh, const pl_body_def *def,
                               pl_body **out)
{
  double at[3 * CORNERS];
  particles(i, 0, at);
  pl_particles_def points = pl_particles_def_default();
  points.particles = pl_positions_f64(at, CORNERS);
  points.radius = 6;
  return pl_body_create_points(context, mesh, &points, def, out);
}

static pl_status create_flight(pl_context *context, int i, const pl_mesh_def *mesh, const pl_body_def *def,
                               pl_body **out)
{
  static const double times[2] = {1, 3};
  shape other;
  shape_open(&other, CAST_flight, i, 1);
  const pl_positions poses[2] = {mesh->positions, pl_positions_f64(other.xyz, other.ball.vertex_count)};
  pl_flight_def flight = pl_flight_def_default();
  flight.times = times;
  flight.key_count = flight.pose_count = 2;
  flight.poses = poses;
  pl_status status = pl_body_create_flight(context, mesh, &flight, def, out);
  scene_mesh_free(&other.ball);
  return status;
}

static pl_status create_soup(pl_context *context, const pl_mesh_def *mesh, const pl_body_def *def, pl_body **out)
{
  pl_soup_def soup = pl_soup_def_default();
  soup.key_poses = &mesh->positions;
  soup.key_pose_count = 1;
  return pl_body_create_soup(context, mesh, &soup, def, out);
}

static pl_status create(pl_context *context, cast_kind kind, int i, const pl_mesh_def *mesh, const pl_body_def *def,
                        pl_body **out)
{
  pl_subdivide_def once = pl_subdivide_def_default();
  once.levels = 1;
  switch (kind) {
  case CAST_free:
    return pl_body_create_free(context, mesh, def, out);
  case CAST_rigid:
    return pl_body_create_rigid(context, mesh, def, out);
  case CAST_morph:
    return create_morph(context, i, mesh, def, out);
  case CAST_skin:
    return create_skin(context, mesh, def, out);
  case CAST_embed:
    return create_embed(context, mesh, def, out);
  case CAST_subdivide:
    return pl_body_create_subdivide(context, mesh, &once, def, out);
  case CAST_points:
    return create_points(context, i, mesh, def, out);
  case CAST_match:
    return pl_body_create_match(context, mesh, NULL, def, out);
  case CAST_flight:
    return create_flight(context, i, mesh, def, out);
  case CAST_soup:
    return create_soup(context, mesh, def, out);
  case CAST_COUNT:
    break;
  }
  return PL_ERROR_ARGUMENT;
}

pl_status cast_create(pl_context *context, cast_kind kind, int i, const pl_body_def *def, pl_body **out)
{
  shape s;
  shape_open(&s, kind, i, 0);
  const pl_mesh_def mesh = mesh_of(&s);
  pl_status status = create(context, kind, i, &mesh, def, out);
  scene_mesh_free(&s.ball);
  return status;
}

/* ------------------------------------------------------------------------------------ motion -- */

static pl_status pose_bones(pl_body *body, int pose)
{
  const pl_transform bones[2] = {turned(0.2 * pose, 0), turned(-0.3 * pose, 0.1 * pose)};
  return pl_body_set_bones(body, bones, 2);
}

static pl_status pose_controls(pl_body *body, int pose)
{
  double at[CONTROLS][3];
  memcpy(at, frame, sizeof at);
  at[1][1] += 0.3 * pose;
  at[3][0] -= 0.2 * pose;
  at[0][2] += 0.1 * pose;
  return pl_body_set_controls(body, pl_positions_f64(at[0], CONTROLS));
}

pl_status cast_pose(cast_kind kind, int i, int pose, pl_body *body)
{
  const double weights[2][2] = {{0.75, 0.25}, {0.25, 0.75}};
  const pl_transform place = turned(0.3 * pose, 0.1 * pose);
  double at[3 * CORNERS];
  shape s;
  shape_open(&s, kind, i, pose);
  const pl_positions positions = pl_positions_f64(s.xyz, s.ball.vertex_count);
  particles(i, pose, at);
  pl_status status = kind == CAST_rigid       ? pl_body_set_transform(body, &place)
                     : kind == CAST_morph     ? pl_body_set_weights(body, weights[pose], 2)
                     : kind == CAST_skin      ? pose_bones(body, pose)
                     : kind == CAST_embed     ? pose_controls(body, pose)
                     : kind == CAST_subdivide ? pl_body_set_controls(body, positions)
                     : kind == CAST_points    ? pl_body_set_controls(body, pl_positions_f64(at, CORNERS))
                     : kind == CAST_flight    ? pl_body_set_time(body, pose ? 2.5 : 1.25)
                                              : pl_body_set_positions(body, positions);
  scene_mesh_free(&s.ball);
  return status;
}

void cast_move(cast_kind kind, int i, pl_body *body)
{
  assert_int_equal(cast_pose(kind, i, 0, body), PL_OK);
  assert_int_equal(pl_body_keep_pose(body), PL_OK);
  assert_int_equal(cast_pose(kind, i, 1, body), PL_OK);
}
