/* Level "all": every point for itself, and an accurate response of triangles to triangles and of bodies to themselves.
 *
 * After R. Bridson, R. Fedkiw and J. Anderson, Robust Treatment of Collisions, Contact and Friction for Cloth Animation, 2002: impulses for features that are near,
 * then rounds of continuous tests with impulses for what would still meet, then, where rounds are not enough, bodies that meet move as one. The tests are
 * pliant's exact ones, from the present positions to the next.
 *
 * Invariant: positions are free of contact, also within a body. A step is taken only if no features meet on the way, so bodies never pass through each other.
 * Cost: O(points) for the fit, and the queries. */
#include "pliant/pliant.h"

#include "world.h"

#include <stdlib.h>

enum { ROUNDS = 8, SWEEPS = 10, FREEZE_ROUNDS = 6 };

/* How a body answers to impulses at its points: as a whole like a rigid one, and the point itself by the part of a deformation that the pull to the goal
 * leaves within the step (as sim/solve.c; a point that is stopped alone is pulled on with more energy than it had). */
typedef struct answering {
  double velocity[3], spin[3]; /* added to all points after the sweeps */
  double inverse_mass, inverse_inertia[3][3], centre[3];
  double share; /* of the point itself */
} answering;

struct triangle_stage {
  answering *answers; /* of each body */
  pl_context *context;
  pl_scene *scene;
  pl_body **bodies;
  size_t count;
  double thickness;
  uint32_t *island; /* of each body */
};

static sim_status query_failed(sim_world *world)
{
  const char *message =
      world->triangles && world->triangles->context ? pl_context_message(world->triangles->context) : "";
  return world_fail(world, SIM_ERROR_QUERY, "%s", message[0] ? message : "out of memory for triangles");
}

/* --------------------------------------------------------------------------------------------------------- stage -- */

void triangles_close(sim_world *world)
{
  struct triangle_stage *t = world->triangles;
  for (size_t i = 0; i < world->body_count; ++i) {
    body *b = &world->bodies[i];
    free(b->points), free(b->start);
    b->points = b->start = NULL;
  }
  if (!t) return;
  pl_context_destroy(t->context);
  free(t->bodies), free(t->island), free(t->answers), free(t);
  world->triangles = NULL;
}

static bool open_body(sim_world *world, size_t index)
{
  struct triangle_stage *t = world->triangles;
  body *b = &world->bodies[index];
  const shape *s = &world->shapes[b->shape];
  pl_mesh_def mesh = {.struct_size = sizeof mesh, .triangles = s->triangles, .triangle_count = s->triangle_count};
  pl_member_def member = pl_member_def_default();
  member.self = true;
  if (!b->points) {
    b->points = malloc(6 * s->point_count * sizeof *b->points);
    if (!b->points) return false;
    points_from_state(s, b);
  }
  mesh.positions =
      (pl_positions){.data = b->points, .count = s->point_count, .stride = 3 * sizeof(double), .type = PL_F64};
  pl_body *made = NULL;
  if (pl_body_create_free(t->context, &mesh, NULL, &made) != PL_OK) return false;
  t->bodies[index] = made;
  pl_body_set_user(made, &world->bodies[index]);
  return pl_scene_add(t->scene, made, &member) == PL_OK;
}

/* A tenth of the mean length of edges of the finest shape. */
static double usual_thickness(const sim_world *world)
{
  double least = INFINITY;
  for (size_t i = 0; i < world->shape_count; ++i) {
    const shape *s = &world->shapes[i];
    if (s->triangle_count) least = fmin(least, s->reach / sqrt((double)s->triangle_count));
  }
  return isfinite(least) ? 0.2 * least : 1e-3;
}

static sim_status check_apart(sim_world *world)
{
  const pl_contacts *found;
  if (pl_scene_collide(world->triangles->scene, NULL, &found) != PL_OK) return query_failed(world);
  if (found->count == 0) return SIM_OK;
  return world_fail(
      world, SIM_ERROR_ARGUMENT,
      "%zu pairs of triangles touch at the start; level all needs bodies that are apart, and not in themselves",
      found->count);
}

static sim_status triangles_open(sim_world *world)
{
  for (size_t i = 0; i < world->body_count; ++i)
    if (world->shapes[world->bodies[i].shape].triangle_count == 0)
      return world_fail(world, SIM_ERROR_ARGUMENT, "body %zu has no triangles; level all needs them", i);
  struct triangle_stage *t = world->triangles = calloc(1, sizeof *t);
  if (!t) return query_failed(world);
  pl_context_def def = pl_context_def_default();
  def.threads = 1;
  t->count = world->body_count;
  t->bodies = calloc(t->count, sizeof *t->bodies);
  t->island = calloc(t->count, sizeof *t->island);
  t->answers = calloc(t->count, sizeof *t->answers);
  t->thickness = world->def.thickness > 0 ? world->def.thickness : usual_thickness(world);
  bool good = t->bodies && t->island && t->answers && pl_context_create(&def, &t->context) == PL_OK &&
              pl_scene_create(t->context, NULL, &t->scene) == PL_OK;
  for (size_t i = 0; i < t->count && good; ++i) good = open_body(world, i);
  sim_status status = good ? check_apart(world) : query_failed(world);
  if (status != SIM_OK) triangles_close(world);
  return status;
}

/* ----------------------------------------------------------------------------------------------------- positions -- */

/* Keeps the present positions, and sets those that velocities lead to. */
static bool set_next(sim_world *world)
{
  double h = world->def.step;
  for (size_t i = 0; i < world->body_count; ++i) {
    body *b = &world->bodies[i];
    size_t n = 3 * world->shapes[b->shape].point_count;
    pl_positions at = {.data = b->points, .count = n / 3, .stride = 3 * sizeof(double), .type = PL_F64};
    pl_body *other = world->triangles->bodies[i];
    if (pl_body_set_positions(other, at) != PL_OK || pl_body_keep_pose(other) != PL_OK) return false;
    double *x = b->points, *v = b->points + n;
    for (size_t k = 0; k < n; ++k) x[k] += h * v[k];
    bool good = pl_body_set_positions(other, at) == PL_OK;
    for (size_t k = 0; k < n; ++k) x[k] = b->start[k];
    if (!good) return false;
  }
  return true;
}

/* ------------------------------------------------------------------------------------------------------- impulses -- */

/* A contact of four vertices: with weights below 0 for those of the second body. */
typedef struct meeting {
  answering *body[4];
  double arm[4][3]; /* from the centre of the body */
  double *velocity[4];
  double weight[4], inverse_mass[4];
  double normal[3];
} meeting;

static void place_at(const body *b, size_t points, uint32_t vertex, double time, double h, double out[3])
{
  for (int k = 0; k < 3; ++k) out[k] = b->points[3 * vertex + k] + time * h * b->points[3 * (points + vertex) + k];
}

/* Weights of the corners for the point of a triangle nearest to p, clamped to it. */
static void face_weights(double corner[3][3], const double p[3], double out[3])
{
  double u[3], v[3], w[3];
  for (int k = 0; k < 3; ++k)
    u[k] = corner[1][k] - corner[0][k], v[k] = corner[2][k] - corner[0][k], w[k] = p[k] - corner[0][k];
  double uu = dot3(u, u), uv = dot3(u, v), vv = dot3(v, v), wu = dot3(w, u), wv = dot3(w, v), det = uu * vv - uv * uv;
  double s = det > 0 ? (vv * wu - uv * wv) / det : 1.0 / 3, t = det > 0 ? (uu * wv - uv * wu) / det : 1.0 / 3;
  s = fmin(fmax(s, 0), 1), t = fmin(fmax(t, 0), 1 - s);
  out[0] = 1 - s - t, out[1] = s, out[2] = t;
}

static double along_edge(const double a[3], const double b[3], const double p[3])
{
  double u[3], w[3];
  for (int k = 0; k < 3; ++k) u[k] = b[k] - a[k], w[k] = p[k] - a[k];
  double uu = dot3(u, u);
  return uu > 0 ? fmin(fmax(dot3(u, w) / uu, 0), 1) : 0.5;
}

static void add_vertex(const sim_world *world, body *b, uint32_t vertex, double weight, meeting *m, int slot)
{
  const shape *s = &world->shapes[b->shape];
  m->body[slot] = &world->triangles->answers[b - world->bodies];
  for (int k = 0; k < 3; ++k) m->arm[slot][k] = b->points[3 * vertex + k] - m->body[slot]->centre[k];
  m->velocity[slot] = b->points + 3 * (s->point_count + vertex);
  m->inverse_mass[slot] = m->body[slot]->share / s->masses[vertex];
  m->weight[slot] = weight;
}

static void add_face(const sim_world *world, body *face, uint32_t triangle, body *one, uint32_t vertex, double time,
                     double sign, meeting *m)
{
  const shape *s = &world->shapes[face->shape];
  const uint32_t *v = &s->triangles[3 * triangle];
  double corner[3][3], p[3], weights[3], h = world->def.step;
  for (int k = 0; k < 3; ++k) place_at(face, s->point_count, v[k], time, h, corner[k]);
  place_at(one, world->shapes[one->shape].point_count, vertex, time, h, p);
  face_weights(corner, p, weights);
  add_vertex(world, one, vertex, sign, m, 0);
  for (int k = 0; k < 3; ++k) add_vertex(world, face, v[k], -sign * weights[k], m, 1 + k);
}

static void add_edges(const sim_world *world, body *a, const uint32_t *va, body *b, const uint32_t *vb,
                      const pl_impact *hit, meeting *m)
{
  double ends[2][3], h = world->def.step;
  for (int k = 0; k < 2; ++k) place_at(a, world->shapes[a->shape].point_count, va[k], hit->time, h, ends[k]);
  double s = along_edge(ends[0], ends[1], hit->point);
  for (int k = 0; k < 2; ++k) place_at(b, world->shapes[b->shape].point_count, vb[k], hit->time, h, ends[k]);
  double t = along_edge(ends[0], ends[1], hit->point);
  add_vertex(world, a, va[0], 1 - s, m, 0), add_vertex(world, a, va[1], s, m, 1);
  add_vertex(world, b, vb[0], t - 1, m, 2), add_vertex(world, b, vb[1], -t, m, 3);
}

static void velocity_of(const meeting *m, int i, double out[3])
{
  cross3(m->body[i]->spin, m->arm[i], out);
  for (int k = 0; k < 3; ++k) out[k] += m->velocity[i][k] + m->body[i]->velocity[k];
}

/* An impulse at a vertex. */
static void push_vertex(const meeting *m, int i, const double impulse[3])
{
  answering *b = m->body[i];
  double moment[3], p[3];
  for (int k = 0; k < 3; ++k) {
    p[k] = m->weight[i] * impulse[k];
    m->velocity[i][k] += m->inverse_mass[i] * p[k];
    b->velocity[k] += b->inverse_mass * p[k];
  }
  cross3(m->arm[i], p, moment);
  for (int k = 0; k < 3; ++k) b->spin[k] += dot3(b->inverse_inertia[k], moment);
}

/* The inverse mass of the meeting along a direction: of points each for itself, and of the bodies that they are of. */
static double inverse_mass_of(const meeting *m, const double direction[3])
{
  double sum = 0;
  for (int i = 0; i < 4; ++i) {
    sum += m->weight[i] * m->weight[i] * m->inverse_mass[i];
    for (int j = 0; j < 4; ++j) {
      if (m->body[i] != m->body[j]) continue;
      double a[3], b[3], both = m->weight[i] * m->weight[j];
      cross3(m->arm[i], direction, a);
      cross3(m->arm[j], direction, b);
      sum += both * m->body[i]->inverse_mass;
      for (int k = 0; k < 3; ++k) sum += both * a[k] * dot3(m->body[i]->inverse_inertia[k], b);
    }
  }
  return sum;
}

/* Stops an approach along the normal; friction as the impulse allows. Returns whether there was one. */
static bool stop(const meeting *m, double friction)
{
  double v[3] = {0}, slide[3], change[3], speed, sliding, mass = inverse_mass_of(m, m->normal);
  for (int i = 0; i < 4; ++i) {
    double at[3];
    velocity_of(m, i, at);
    for (int k = 0; k < 3; ++k) v[k] += m->weight[i] * at[k];
  }
  speed = dot3(v, m->normal);
  if (!(speed < -1e-12) || !(mass > 0)) return false;
  for (int k = 0; k < 3; ++k) slide[k] = v[k] - speed * m->normal[k];
  sliding = length3(slide);
  double most = friction * -speed / mass, held = 0;
  if (sliding > 0) {
    double along[3] = {slide[0] / sliding, slide[1] / sliding, slide[2] / sliding};
    held = fmin(most, sliding / inverse_mass_of(m, along)) / sliding;
  }
  for (int k = 0; k < 3; ++k) change[k] = -speed / mass * m->normal[k] - held * slide[k];
  for (int i = 0; i < 4; ++i) push_vertex(m, i, change);
  return true;
}

/* The answers of bodies as they are now. */
static void take_answers(sim_world *world)
{
  for (size_t b = 0; b < world->body_count; ++b) {
    const body *of = &world->bodies[b];
    const shape *s = &world->shapes[of->shape];
    answering *a = &world->triangles->answers[b];
    double second[3][3] = {{0}}, inertia[3][3], trace = 0, least = 1e-3 * s->mass * s->reach * s->reach;
    *a = (answering){.inverse_mass = 1 / s->mass, .share = 1 - of->def.stiffness * (1 - of->def.stretch)};
    if (of->def.mode == SIM_RIGID) a->share = 0;
    for (size_t i = 0; i < s->point_count; ++i)
      for (int k = 0; k < 3; ++k) a->centre[k] += s->masses[i] / s->mass * of->points[3 * i + k];
    for (size_t i = 0; i < s->point_count; ++i)
      for (int k = 0; k < 3; ++k)
        for (int l = 0; l < 3; ++l)
          second[k][l] +=
              s->masses[i] * (of->points[3 * i + k] - a->centre[k]) * (of->points[3 * i + l] - a->centre[l]);
    for (int k = 0; k < 3; ++k) trace += second[k][k];
    for (int k = 0; k < 3; ++k)
      for (int l = 0; l < 3; ++l) inertia[k][l] = (k == l ? trace + least : 0) - second[k][l];
    if (!inverse3((const double(*)[3])inertia, a->inverse_inertia))
      memset(a->inverse_inertia, 0, sizeof a->inverse_inertia);
  }
}

/* What bodies have answered as a whole goes to their points. */
static void give_answers(sim_world *world)
{
  for (size_t b = 0; b < world->body_count; ++b) {
    body *to = &world->bodies[b];
    size_t n = world->shapes[to->shape].point_count;
    answering *a = &world->triangles->answers[b];
    for (size_t i = 0; i < n; ++i) {
      double arm[3], turned[3];
      for (int k = 0; k < 3; ++k) arm[k] = to->points[3 * i + k] - a->centre[k];
      cross3(a->spin, arm, turned);
      for (int k = 0; k < 3; ++k) to->points[3 * (n + i) + k] += a->velocity[k] + turned[k];
    }
    memset(a->velocity, 0, sizeof a->velocity);
    memset(a->spin, 0, sizeof a->spin);
  }
}

static bool stop_impact(const sim_world *world, const pl_impact *hit)
{
  body *a = pl_body_user(hit->a), *b = pl_body_user(hit->b);
  meeting m;
  memcpy(m.normal, hit->normal, sizeof m.normal);
  if (!(dot3(m.normal, m.normal) > 0.5)) return false;
  if (hit->kind == PL_IMPACT_EDGE_EDGE)
    add_edges(world, a, hit->feature_a, b, hit->feature_b, hit, &m);
  else if (hit->kind == PL_IMPACT_VERTEX_FACE)
    add_face(world, b, hit->feature_b[0], a, hit->feature_a[0], hit->time, 1, &m);
  else
    add_face(world, a, hit->feature_a[0], b, hit->feature_b[0], hit->time, -1, &m);
  return stop(&m, world->def.friction);
}

/* Points that would go through a plane, answered by their bodies. */
static bool answer_planes(sim_world *world)
{
  double h = world->def.step;
  bool any = false;
  for (size_t i = 0; i < world->body_count; ++i) {
    body *b = &world->bodies[i];
    size_t n = world->shapes[b->shape].point_count;
    for (size_t p = 0; p < world->plane_count; ++p)
      for (uint32_t k = 0; k < n; ++k) {
        const sim_plane *plane = &world->planes[p];
        double height = dot3(plane->normal, b->points + 3 * k) - plane->offset, v[3];
        meeting m = {.weight = {0}};
        for (int slot = 0; slot < 4; ++slot) add_vertex(world, b, k, slot == 0, &m, slot);
        velocity_of(&m, 0, v);
        double missing = -fmax(height, 0) / h - dot3(plane->normal, v), mass;
        if (!(missing > 1e-9)) continue;
        mass = inverse_mass_of(&m, plane->normal);
        double slide[3], speed = dot3(plane->normal, v), impulse[3], sliding;
        for (int d = 0; d < 3; ++d) slide[d] = v[d] - speed * plane->normal[d];
        sliding = length3(slide);
        double held = sliding > 0 ? fmin(world->def.friction * missing, sliding) / (mass * sliding) : 0;
        for (int d = 0; d < 3; ++d) impulse[d] = missing / mass * plane->normal[d] - held * slide[d];
        push_vertex(&m, 0, impulse);
        any = true;
      }
  }
  return any;
}

/* Points that would still go through a plane stop at it. */
static void stop_at_planes(sim_world *world)
{
  double h = world->def.step;
  for (size_t i = 0; i < world->body_count; ++i) {
    body *b = &world->bodies[i];
    size_t n = world->shapes[b->shape].point_count;
    for (size_t p = 0; p < world->plane_count; ++p)
      for (size_t k = 0; k < n; ++k) {
        const double *x = b->points + 3 * k, *normal = world->planes[p].normal;
        double *v = b->points + 3 * (n + k), height = dot3(normal, x) - world->planes[p].offset,
               speed = dot3(normal, v);
        double missing = -fmax(height, 0) / h - speed;
        if (!(missing > 0)) continue;
        double slide[3], sliding;
        for (int d = 0; d < 3; ++d) slide[d] = v[d] - speed * normal[d];
        sliding = length3(slide);
        double part = sliding > 0 ? fmin(1, world->def.friction * missing / sliding) : 0;
        for (int d = 0; d < 3; ++d) v[d] += missing * normal[d] - part * slide[d];
        ++world->stats.plane_contacts;
      }
  }
}

/* --------------------------------------------------------------------------------------------------------- rounds -- */

/* What meets on the way to the next positions; `separation` more than 0: what comes near, too. */
static bool ask(sim_world *world, double separation, const pl_impacts **out)
{
  pl_impact_def def = pl_impact_def_default();
  def.all = def.self = true;
  def.separation = separation;
  return set_next(world) && pl_scene_first_contact(world->triangles->scene, &def, out) == PL_OK;
}

static void answer(sim_world *world, const pl_impacts *found)
{
  take_answers(world);
  for (int sweep = 0; sweep < SWEEPS; ++sweep) {
    bool any = answer_planes(world);
    for (size_t i = 0; found && i < found->count; ++i) any |= stop_impact(world, &found->impacts[i]);
    if (!any) break;
  }
  give_answers(world);
  stop_at_planes(world);
}

static uint32_t root_of(uint32_t *parent, uint32_t i)
{
  while (parent[i] != i) i = parent[i] = parent[parent[i]];
  return i;
}

/* Bodies that would still meet move as one: their points get the mean velocity of all, in the last rounds none. */
static void freeze(sim_world *world, const pl_impacts *found, bool stand)
{
  uint32_t *island = world->triangles->island;
  uint8_t *caught = world->island_wakes;
  memset(caught, 0, world->body_count);
  for (size_t i = 0; i < found->count; ++i) {
    uint32_t a = (uint32_t)((body *)pl_body_user(found->impacts[i].a) - world->bodies);
    uint32_t b = (uint32_t)((body *)pl_body_user(found->impacts[i].b) - world->bodies);
    uint32_t ra = root_of(island, a), rb = root_of(island, b);
    caught[a] = caught[b] = 1;
    island[ra > rb ? ra : rb] = ra > rb ? rb : ra;
  }
  for (uint32_t r = 0; r < world->body_count; ++r) {
    double sum[3] = {0}, mass = 0;
    bool any = false;
    for (uint32_t i = 0; i < world->body_count; ++i) any |= root_of(island, i) == r && caught[i];
    if (!any) continue;
    for (uint32_t i = 0; i < world->body_count && !stand; ++i) {
      const body *b = &world->bodies[i];
      const shape *s = &world->shapes[b->shape];
      if (root_of(island, i) != r) continue;
      for (size_t p = 0; p < s->point_count; ++p)
        for (int k = 0; k < 3; ++k) sum[k] += s->masses[p] * b->points[3 * (s->point_count + p) + k];
      mass += s->mass;
    }
    for (uint32_t i = 0; i < world->body_count; ++i) {
      body *b = &world->bodies[i];
      size_t n = world->shapes[b->shape].point_count;
      if (root_of(island, i) != r) continue;
      for (size_t p = 0; p < n; ++p)
        for (int k = 0; k < 3; ++k) b->points[3 * (n + p) + k] = mass > 0 ? sum[k] / mass : 0;
    }
  }
}

/* Impulses for what is near, then for what would meet; then whole bodies. */
static bool respond(sim_world *world)
{
  const pl_impacts *found;
  struct triangle_stage *t = world->triangles;
  answer(world, NULL);
  if (!ask(world, t->thickness, &found)) return false;
  world->stats.contacts = found->count + world->stats.plane_contacts;
  answer(world, found);
  for (int round = 0; round < ROUNDS; ++round) {
    if (!ask(world, 0, &found)) return false;
    if (found->count == 0) return true;
    answer(world, found);
  }
  for (uint32_t i = 0; i < world->body_count; ++i) t->island[i] = i;
  for (int round = 0; round < FREEZE_ROUNDS; ++round) {
    if (!ask(world, 0, &found)) return false;
    if (found->count == 0) return true;
    freeze(world, found, round > 1);
    if (round <= 1) stop_at_planes(world);
  }
  if (!ask(world, 0, &found)) return false;
  if (found->count == 0) return true;
  for (size_t i = 0; i < world->body_count; ++i) { /* nothing moves: the present positions are free of contact */
    size_t n = world->shapes[world->bodies[i].shape].point_count;
    memset(world->bodies[i].points + 3 * n, 0, 3 * n * sizeof(double));
  }
  return true;
}

static bool keep_starts(sim_world *world)
{
  for (size_t i = 0; i < world->body_count; ++i) {
    body *b = &world->bodies[i];
    size_t n = 3 * world->shapes[b->shape].point_count;
    if (!b->start) b->start = malloc(n * sizeof *b->start);
    if (!b->start) return false;
    memcpy(b->start, b->points, n * sizeof *b->start);
  }
  return true;
}

sim_status triangles_step(sim_world *world)
{
  double begin = world_clock_ms();
  if (world->triangles && world->triangles->count != world->body_count) {
    pl_context_destroy(world->triangles->context);
    free(world->triangles->bodies), free(world->triangles->island), free(world->triangles->answers),
        free(world->triangles);
    world->triangles = NULL;
  }
  if (!world->triangles) {
    sim_status status = triangles_open(world);
    if (status != SIM_OK) return status;
  }
  if (!keep_starts(world)) return query_failed(world);
  energy_note(world);
  for (size_t i = 0; i < world->body_count; ++i) points_deform(world, &world->bodies[i]);
  double deformed = world_clock_ms();
  if (!respond(world)) return query_failed(world);
  double solved = world_clock_ms();
  for (size_t i = 0; i < world->body_count; ++i) points_move(world, &world->bodies[i]);
  energy_limit_all(world);
  world->stats.ms_respond = solved - deformed;
  world->stats.ms_deform = deformed - begin + world_clock_ms() - solved;
  world->stats.within_budget = true;
  return SIM_OK;
}
