/* Bodies that follow control points, particles, flight plans or clusters. What their weights and
 * maps are is the library's own business, so that it is asked for positions: new ones must be
 * finite, and a refused call must leave the old ones as they were. */
#include "world.h"

bool is_controlled(pl_motion motion)
{
  return motion == PL_MOTION_EMBED || motion == PL_MOTION_SUBDIVIDE || motion == PL_MOTION_POINTS ||
         motion == PL_MOTION_FLIGHT || motion == PL_MOTION_MATCH;
}

/* Positions as the body's type has them: pose() of a shape with so many vertices. */
static double *numbers(world *w, const fuzz_body *b, size_t count)
{
  double *xyz = fuzz_array(3 * (count > b->vertex_count ? count : b->vertex_count), sizeof *xyz);
  pose(w, b, xyz);
  for (size_t i = 3 * b->vertex_count; i < 3 * count; ++i) xyz[i] = sized(w, ordinary(w));
  return xyz;
}

static void trace_mesh(world *w, const char *name, const pl_mesh_def *mesh)
{
  trace_positions(w, name, mesh->positions);
  trace_indices(w, "triangles", mesh->triangles, 3 * mesh->triangle_count);
  trace(w,
        "  pl_mesh_def mesh = pl_mesh_def_default(); mesh.positions = %s; mesh.triangles = triangles;\n"
        "  mesh.triangle_count = %zu;\n",
        name, mesh->triangle_count);
}

/* ---------------------------------------------------------------------------------- creating -- */

static pl_status create_embed(world *w, fuzz_body *b, pl_mesh_def *mesh, const pl_body_def *d)
{
  size_t n = b->vertex_count;
  double *xyz = numbers(w, b, (size_t)MOST_BONES);
  b->control_count = MOST_BONES;
  pl_positions controls = pl_positions_f64(xyz, b->control_count);
  uint32_t *governors = fuzz_array(MOST_WEIGHTS * n, sizeof *governors);
  double *weights = fuzz_array(MOST_WEIGHTS * n, sizeof *weights);
  for (size_t v = 0; v < n; ++v) {
    double x = uniform(w, -0.5, 1), y = below(w, 2) ? 0.5 : uniform(w, 0, 1);
    const double row[MOST_WEIGHTS] = {x, y, 1 - x - y};
    for (size_t k = 0; k < MOST_WEIGHTS; ++k) {
      governors[MOST_WEIGHTS * v + k] = (uint32_t)below(w, MOST_BONES);
      weights[MOST_WEIGHTS * v + k] = row[k];
    }
  }
  pl_embed_def embed = pl_embed_def_default();
  embed.controls = controls;
  embed.weights = (pl_weights){n, NULL, MOST_WEIGHTS, governors, weights, PL_F64, false};
  trace_mesh(w, "p", mesh);
  trace_indices(w, "governors", governors, MOST_WEIGHTS * n);
  trace_doubles(w, "weights", weights, MOST_WEIGHTS * n);
  trace_positions(w, "controls", controls);
  trace(w,
        "  pl_embed_def embed = pl_embed_def_default(); embed.controls = controls;\n"
        "  embed.weights = (pl_weights){%zu, NULL, %d, governors, weights, PL_F64, false};\n"
        "  pl_body_create_embed(context, &mesh, &embed, &d, &body[%d]);\n",
        n, MOST_WEIGHTS, number_of(w, b));
  pl_status status = CALL(w, pl_body_create_embed(w->context, mesh, &embed, d, &b->body));
  free(governors);
  free(weights);
  free(xyz);
  return status;
}

/* The body's mesh becomes the subdivided one. */
static void take_triangles(world *w, fuzz_body *b)
{
  b->triangle_count = pl_body_triangle_count(b->body);
  b->vertex_count = pl_body_vertex_count(b->body);
  free(b->triangles);
  b->triangles = fuzz_array(3 * b->triangle_count, sizeof *b->triangles);
  require(w, pl_body_triangles(b->body, b->triangles, b->triangle_count) == PL_OK, "no triangles: %s",
          pl_context_message(w->context));
  double *base = fuzz_array(3 * b->vertex_count, sizeof *base);
  memcpy(base, b->base, 3 * b->control_count * sizeof *base);
  free(b->base);
  b->base = base;
}

static pl_status create_subdivide(world *w, fuzz_body *b, pl_mesh_def *mesh, const pl_body_def *d, bool *wrong)
{
  pl_subdivide_def how = pl_subdivide_def_default();
  how.levels = pick(w, b->triangle_count <= MOST_TRIANGLES / 16 ? 3 : b->triangle_count <= MOST_TRIANGLES / 4 ? 2 : 1);
  b->control_count = b->vertex_count;
  for (size_t i = 0; i < b->triangle_count; ++i) {
    const uint32_t *c = b->triangles + 3 * i;
    *wrong = *wrong || c[0] == c[1] || c[1] == c[2] || c[2] == c[0];
  }
  trace_mesh(w, "p", mesh);
  trace(w,
        "  pl_subdivide_def how = pl_subdivide_def_default(); how.levels = %d;\n"
        "  pl_body_create_subdivide(context, &mesh, &how, &d, &body[%d]);\n",
        how.levels, number_of(w, b));
  pl_status status = CALL(w, pl_body_create_subdivide(w->context, mesh, &how, d, &b->body));
  if (status == PL_OK) take_triangles(w, b);
  return status;
}

static pl_status create_points(world *w, fuzz_body *b, pl_mesh_def *mesh, const pl_body_def *d)
{
  b->control_count = 1 + (size_t)pick(w, MOST_BONES);
  double *xyz = numbers(w, b, b->control_count);
  pl_particles_def how = pl_particles_def_default();
  how.particles = pl_positions_f64(xyz, b->control_count);
  trace_mesh(w, "p", mesh);
  trace_positions(w, "particles", how.particles);
  trace(w,
        "  pl_particles_def how = pl_particles_def_default(); how.particles = particles;\n"
        "  pl_body_create_points(context, &mesh, &how, &d, &body[%d]);\n",
        number_of(w, b));
  pl_status status = CALL(w, pl_body_create_points(w->context, mesh, &how, d, &b->body));
  free(xyz);
  return status;
}

static pl_status create_flight(world *w, fuzz_body *b, pl_mesh_def *mesh, const pl_body_def *d)
{
  static const double times[] = {0, 1};
  double *xyz[3];
  pl_positions poses[3];
  pl_flight_def how = pl_flight_def_default();
  how.path = (pl_path)pick(w, PL_PATH_COUNT);
  how.times = times;
  how.key_count = 2;
  how.poses = poses;
  how.pose_count = how.path == PL_PATH_LINEAR ? 2 : 3;
  trace_mesh(w, "p", mesh);
  for (int i = 0; i < 3; ++i) {
    xyz[i] = numbers(w, b, b->vertex_count);
    poses[i] = pl_positions_f64(xyz[i], b->vertex_count);
    char name[] = {'q', (char)('0' + i), 0};
    trace_positions(w, name, poses[i]);
  }
  trace_doubles(w, "times", times, 2);
  trace(w,
        "  pl_positions poses[] = {q0, q1, q2}; pl_flight_def how = pl_flight_def_default(); how.path = %d;\n"
        "  how.times = times; how.key_count = 2; how.poses = poses; how.pose_count = %zu;\n"
        "  pl_body_create_flight(context, &mesh, &how, &d, &body[%d]);\n",
        (int)how.path, how.pose_count, number_of(w, b));
  pl_status status = CALL(w, pl_body_create_flight(w->context, mesh, &how, d, &b->body));
  for (int i = 0; i < 3; ++i) free(xyz[i]);
  return status;
}

static pl_status create_match(world *w, fuzz_body *b, pl_mesh_def *mesh, const pl_body_def *d)
{
  pl_match_def how = pl_match_def_default();
  how.kind = (pl_match_kind)pick(w, PL_MATCH_COUNT);
  how.cluster_count = 1 + pick(w, 3);
  mesh->positions = pl_positions_f64(b->base, b->vertex_count); /* at rest, ordinary numbers */
  trace_mesh(w, "p", mesh);
  trace(w,
        "  pl_match_def how = pl_match_def_default(); how.kind = %d; how.cluster_count = %d;\n"
        "  pl_body_create_match(context, &mesh, &how, &d, &body[%d]);\n",
        (int)how.kind, how.cluster_count, number_of(w, b));
  return CALL(w, pl_body_create_match(w->context, mesh, &how, d, &b->body));
}

pl_status create_controlled(world *w, fuzz_body *b, pl_mesh_def *mesh, const pl_body_def *d, bool *wrong)
{
  double *xyz = numbers(w, b, b->vertex_count);
  pl_status status = PL_OK;
  void *data = positions_make(w, xyz, b->vertex_count, b->type, &mesh->positions);
  if (b->motion == PL_MOTION_EMBED) status = create_embed(w, b, mesh, d);
  if (b->motion == PL_MOTION_SUBDIVIDE) status = create_subdivide(w, b, mesh, d, wrong);
  if (b->motion == PL_MOTION_POINTS) status = create_points(w, b, mesh, d);
  if (b->motion == PL_MOTION_FLIGHT) status = create_flight(w, b, mesh, d);
  if (b->motion == PL_MOTION_MATCH) status = create_match(w, b, mesh, d);
  free(data);
  free(xyz);
  return status;
}

/* ------------------------------------------------------------------------------------ moving -- */

void read_positions(world *w, fuzz_body *b)
{
  require(w, pl_body_positions(b->body, NULL, b->vertex_count, PL_F64, b->at, 0) == PL_OK, "no positions: %s",
          pl_context_message(w->context));
  for (size_t i = 0; i < 3 * b->vertex_count; ++i)
    require(w, isfinite(b->at[i]), "coordinate %zu of body %d is not finite", i, number_of(w, b));
}

/* A refused call must leave every position as it was. */
static void settle_controls(world *w, fuzz_body *b, pl_status status, const char *what)
{
  size_t bytes = 3 * b->vertex_count * sizeof *b->at;
  double *before = fuzz_array(bytes, 1);
  memcpy(before, b->at, bytes);
  body_evaluate(w, b);
  if (status != PL_OK) {
    refused(w, status, what);
    require(w, status == PL_ERROR_MEMORY || (status == PL_ERROR_POSITIONS && w->profile != PROFILE_ORDINARY),
            "%s was refused: %s", what, pl_context_message(w->context));
    require(w, !memcmp(before, b->at, bytes), "%s was refused and has moved vertices", what);
  }
  free(before);
}

void call_controls(world *w)
{
  fuzz_body *b = body_of(w);
  for (int i = 0; b && i < SLOTS; ++i) /* one that is controlled, if there is one */
    if (!is_controlled(b->motion) && is_controlled(w->bodies[i].motion) && w->bodies[i].body) b = &w->bodies[i];
  if (!b || !is_controlled(b->motion) || b->motion == PL_MOTION_MATCH) return;
  if (b->motion == PL_MOTION_FLIGHT) {
    double time = fmax(pick(w, 256) / 255.0, b->since);
    trace(w, "  pl_body_set_time(body[%d], %a);\n", number_of(w, b), time);
    pl_status status = CALL(w, pl_body_set_time(b->body, time));
    settle_controls(w, b, status, "set_time");
    if (status == PL_OK) b->time = time;
    return;
  }
  double *xyz = numbers(w, b, b->control_count);
  pl_positions controls = pl_positions_f64(xyz, b->control_count);
  trace(w, "  {\n");
  trace_positions(w, "controls", controls);
  trace(w, "  pl_body_set_controls(body[%d], controls);\n  }\n", number_of(w, b));
  settle_controls(w, b, CALL(w, pl_body_set_controls(b->body, controls)), "set_controls");
  free(xyz);
}
