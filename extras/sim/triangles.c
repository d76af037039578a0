/* Level "all": an accurate response of triangles to triangles and of bodies to themselves.
 *
 * After R. Bridson, R. Fedkiw and J. Anderson, Robust Treatment of Collisions, Contact and
 * Friction for Cloth Animation, 2002: impulses for features that are near, then rounds of
 * continuous tests with impulses for what would still meet, then, where rounds are not enough,
 * bodies that meet move as one, and at last all go only as far as nothing meets. The tests are
 * pliant's exact ones, from the present positions to the next. Bodies deform and answer as at
 * other levels (rows.c), so that impulses are those of the implicit step, and energy falls.
 *
 * Invariant: positions are free of contact, also within a body. A step is taken only if no
 * features meet on the way, so bodies never pass through each other. Cost: O(points) for
 * positions, and the queries. */
#include "triangles.h"

#include <stdlib.h>

enum { ROUNDS = 8, SWEEPS = 16, FREEZE_ROUNDS = 2, LAST_TRIES = 3 };

static sim_status query_failed(sim_world *world)
{
  const char *message =
      world->triangles && world->triangles->context ? pl_context_message(world->triangles->context) : "";
  return world_fail(world, SIM_ERROR_QUERY, "%s", message[0] ? message : "out of memory for triangles");
}

/* ------------------------------------------------------------------------------------- stage -- */

void triangles_close(sim_world *world)
{
  struct triangle_stage *t = world->triangles;
  if (!t) return;
  pl_context_destroy(t->context);
  for (size_t i = 0; t->points && i < t->count; ++i) free(t->points[i]);
  free(t->bodies), free(t->points), free(t->next), free(t->touched), free(t);
  world->triangles = NULL;
}

static pl_positions view(const double *points, size_t count)
{
  return (pl_positions){.data = points, .count = count, .stride = 3 * sizeof(double), .type = PL_F64};
}

static void evaluate(const sim_world *world, size_t index, double ahead, double *out)
{
  const body *b = &world->bodies[index];
  const shape *s = &world->shapes[b->shape];
  for (size_t i = 0; i < s->point_count; ++i) body_vertex(s, b, i, ahead, out + 3 * i);
}

static bool open_body(sim_world *world, size_t index)
{
  struct triangle_stage *t = world->triangles;
  body *b = &world->bodies[index];
  const shape *s = &world->shapes[b->shape];
  pl_mesh_def mesh = {.struct_size = sizeof mesh, .triangles = s->triangles, .triangle_count = s->triangle_count};
  pl_member_def member = pl_member_def_default();
  member.self = true;
  t->points[index] = malloc(3 * s->point_count * sizeof(double));
  if (!t->points[index]) return false;
  evaluate(world, index, 0, t->points[index]);
  mesh.positions = view(t->points[index], s->point_count);
  if (pl_body_create_free(t->context, &mesh, NULL, &t->bodies[index]) != PL_OK) return false;
  pl_body_set_user(t->bodies[index], b);
  return pl_scene_add(t->scene, t->bodies[index], &member) == PL_OK;
}

/* A fifth of the size of a triangle of the finest shape. */
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
  const pl_result *found;
  if (pl_touching(pl_all(world->triangles->scene), NULL, &found) != PL_OK) return query_failed(world);
  if (found->count == 0) return SIM_OK;
  return world_fail(
      world, SIM_ERROR_ARGUMENT,
      "%zu pairs of triangles touch at the start; level all needs bodies that are apart, and not in themselves",
      found->count);
}

static bool make_room(sim_world *world, struct triangle_stage *t)
{
  size_t most = 0;
  for (size_t i = 0; i < world->shape_count; ++i)
    most = world->shapes[i].point_count > most ? world->shapes[i].point_count : most;
  t->bodies = calloc(t->count, sizeof *t->bodies);
  t->points = calloc(t->count, sizeof *t->points);
  t->touched = calloc(t->count, sizeof *t->touched);
  t->next = malloc(3 * most * sizeof *t->next);
  return t->bodies && t->points && t->touched && t->next;
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
  t->thickness = world->def.thickness > 0 ? world->def.thickness : usual_thickness(world);
  bool good = make_room(world, t) && pl_context_create(&def, &t->context) == PL_OK &&
              pl_scene_create(t->context, NULL, &t->scene) == PL_OK;
  for (size_t i = 0; i < t->count && good; ++i) good = open_body(world, i);
  sim_status status = good ? check_apart(world) : query_failed(world);
  if (status != SIM_OK) triangles_close(world);
  return status;
}

/* --------------------------------------------------------------------------------- questions -- */

static bool keep_start(sim_world *world)
{
  struct triangle_stage *t = world->triangles;
  for (size_t i = 0; i < t->count; ++i) {
    evaluate(world, i, 0, t->points[i]);
    pl_positions at = view(t->points[i], world->shapes[world->bodies[i].shape].point_count);
    if (pl_body_set_positions(t->bodies[i], at) != PL_OK || pl_body_keep_pose(t->bodies[i]) != PL_OK) return false;
  }
  return true;
}

/* What meets on the way to where the present rates lead; `margin` more than 0: what comes near,
 * too. */
static bool ask(sim_world *world, double margin, const pl_result **out)
{
  struct triangle_stage *t = world->triangles;
  pl_question def = pl_question_default();
  def.all = true;
  def.margin = margin;
  for (size_t i = 0; i < t->count; ++i) {
    evaluate(world, i, world->def.step, t->next);
    pl_positions at = view(t->next, world->shapes[world->bodies[i].shape].point_count);
    if (pl_body_set_positions(t->bodies[i], at) != PL_OK) return false;
  }
  return pl_impacts(pl_all(t->scene), &def, out) == PL_OK;
}

/* ------------------------------------------------------------------------------------ rounds -- */

/* v = part v for all points. */
static void slow(body *b, double part)
{
  static const double none[3] = {0};
  if (b->set) {
    soft_slow(b, part, none);
    return;
  }
  for (int k = 0; k < 3; ++k) {
    b->state.velocity[k] *= part;
    for (int j = 0; j < b->columns; ++j) b->state.rate[k][j] *= part;
  }
}

static void move_with(body *b, const double velocity[3])
{
  static const double none[3] = {0};
  slow(b, 0);
  if (b->set)
    soft_push(b, velocity, none, NULL);
  else
    memcpy(b->state.velocity, velocity, sizeof b->state.velocity);
}

/* The bodies of each island that is caught get the mean velocity of all of it, or none where
 * that would lead through a plane. */
static void move_islands(sim_world *world, const uint8_t *caught)
{
  for (uint32_t r = 0; r < world->body_count; ++r) {
    double sum[3] = {0}, mass = 0;
    if (!caught[r] || island_of(world, r) != r) continue;
    for (uint32_t i = 0; i < world->body_count; ++i) {
      double own = world->shapes[world->bodies[i].shape].mass;
      if (island_of(world, i) != r) continue;
      for (int k = 0; k < 3; ++k) sum[k] += own * world->bodies[i].state.velocity[k];
      mass += own;
    }
    for (int k = 0; k < 3; ++k) sum[k] /= mass;
    for (size_t p = 0; p < world->plane_count; ++p) {
      double into = fmin(dot3(sum, world->planes[p].normal), 0);
      for (int k = 0; k < 3; ++k) sum[k] -= into * world->planes[p].normal[k];
    }
    for (uint32_t i = 0; i < world->body_count; ++i)
      if (island_of(world, i) == r) move_with(&world->bodies[i], sum);
  }
}

/* Bodies that would still meet move as one. */
static void freeze(sim_world *world, const pl_result *found)
{
  uint8_t *caught = world->island_wakes;
  memset(caught, 0, world->body_count);
  for (size_t i = 0; i < found->count; ++i) {
    uint32_t a = (uint32_t)((body *)pl_body_user(found->impacts[i].a) - world->bodies);
    uint32_t b = (uint32_t)((body *)pl_body_user(found->impacts[i].b) - world->bodies);
    uint32_t ra = island_of(world, a), rb = island_of(world, b);
    world->island[ra > rb ? ra : rb] = ra > rb ? rb : ra;
    world->triangles->touched[a] = world->triangles->touched[b] = 1;
  }
  for (size_t i = 0; i < found->count; ++i)
    caught[island_of(world, (uint32_t)((body *)pl_body_user(found->impacts[i].a) - world->bodies))] = 1;
  move_islands(world, caught);
}

/* All go only as far as nothing meets; in the end nobody moves, since the present positions are
 * free of contact. */
static bool shorten(sim_world *world)
{
  const pl_result *found;
  for (int round = 0; round <= LAST_TRIES; ++round) {
    if (!ask(world, 0, &found)) return false;
    if (found->count == 0) return true;
    double part = round == LAST_TRIES ? 0 : 0.9 * found->safe_step;
    for (size_t i = 0; i < world->body_count; ++i) slow(&world->bodies[i], part);
  }
  return true;
}

static bool sweep(sim_world *world)
{
  if (!solver_take(world)) return false;
  solver_sweep(world, SWEEPS);
  solver_give(world);
  return true;
}

/* Impulses for what is near, then for what would meet; then whole bodies. */
static bool respond(sim_world *world)
{
  const pl_result *found;
  double thickness = world->triangles->thickness;
  size_t planes;
  memset(world->triangles->touched, 0, world->body_count);
  if (!solver_take(world)) return false;
  solver_clear(world->solver);
  if (!ask(world, thickness, &found) || !add_impacts(world, found, true)) return false;
  if (!add_planes(world, thickness, &planes)) return false;
  world->stats.plane_contacts = planes;
  world->stats.contacts = found->count + planes;
  for (int round = 0; round < ROUNDS; ++round) {
    if (!sweep(world) || !ask(world, 0, &found)) return false;
    if (!add_planes(world, -1e-2 * thickness, &planes)) return false;
    if (found->count + planes == 0) return true;
    if (!add_impacts(world, found, false)) return false;
  }
  if (!sweep(world)) return false;
  for (uint32_t i = 0; i < world->body_count; ++i) world->island[i] = i;
  for (int round = 0; round < FREEZE_ROUNDS; ++round) {
    if (!ask(world, 0, &found)) return false;
    if (found->count == 0) return true;
    freeze(world, found);
  }
  return shorten(world);
}

/* Energy must not grow: bodies that touch go only as far as they could without speed. */
static bool limit(sim_world *world)
{
  double part = energy_part(world, world->triangles->touched);
  if (part >= 1) return true;
  for (size_t i = 0; i < world->body_count; ++i)
    if (world->triangles->touched[i]) slow(&world->bodies[i], part);
  return shorten(world);
}

sim_status triangles_step(sim_world *world)
{
  double begin = world_clock_ms();
  if (world->triangles && world->triangles->count != world->body_count) triangles_close(world);
  if (!world->triangles) {
    sim_status status = triangles_open(world);
    if (status != SIM_OK) return status;
  }
  for (size_t i = 0; i < world->body_count; ++i) world->bodies[i].state.asleep = false;
  if (!keep_start(world)) return query_failed(world);
  energy_note(world);
  deform_bodies(world);
  double deformed = world_clock_ms();
  if (!respond(world) || !limit(world)) return query_failed(world);
  double solved = world_clock_ms();
  move_bodies(world);
  energy_limit_all(world, world->triangles->touched);
  world->contacts.count = world->contacts.planes = 0;
  world->stats.ms_respond = solved - deformed;
  world->stats.ms_deform = deformed - begin + world_clock_ms() - solved;
  world->stats.within_budget = true;
  return SIM_OK;
}
