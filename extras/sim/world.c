/* Worlds: creation, checks, the stages of a step, and what can be read back. */
#include "soft.h"

#include <stdarg.h>
#include <stdlib.h>
#include <time.h>

double world_clock_ms(void)
{
  struct timespec t;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return 1e3 * (double)t.tv_sec + 1e-6 * (double)t.tv_nsec;
}

sim_status world_fail(sim_world *world, sim_status status, const char *format, ...)
{
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(world->message, sizeof world->message, format, arguments);
  va_end(arguments);
  return status;
}

const char *sim_world_message(const sim_world *world) { return world->message; }

sim_world_def sim_world_def_default(void)
{
  return (sim_world_def){.gravity = {0, -9.81, 0},
                         .step = 1.0 / 60,
                         .level = 4,
                         .sweeps = 8,
                         .friction = 0.4,
                         .push_out = 0.2,
                         .slop = 0.005,
                         .sleep_speed = 0.02,
                         .sleep_steps = 30};
}

sim_body_def sim_body_def_default(void)
{
  return (sim_body_def){.mode = SIM_LINEAR,
                        .rotation = {0, 0, 0, 1},
                        .stiffness = 1,
                        .stretch = 0.3,
                        .damping = 0.1,
                        .yield = 0.05,
                        .most_plastic = 0.5,
                        .clusters = 1};
}

static bool finite_all(const double *values, int count)
{
  for (int i = 0; i < count; ++i)
    if (!isfinite(values[i]) || fabs(values[i]) > 1e9) return false;
  return true;
}

static bool good_level(int level) { return (level >= 0 && level <= SIM_LEVEL_MOST) || level == SIM_LEVEL_ALL; }

static bool good_world(const sim_world_def *d)
{
  return finite_all(d->gravity, 3) && d->step > 0 && d->step <= 1 && good_level(d->level) && d->sweeps >= 1 &&
         d->sweeps <= 1000 && d->friction >= 0 && d->friction <= 100 && d->push_out >= 0 && d->push_out <= 1 &&
         d->slop >= 0 && isfinite(d->slop) && d->sleep_speed >= 0 && isfinite(d->sleep_speed) && d->sleep_steps >= 1 &&
         d->budget_ms >= 0 && isfinite(d->budget_ms) && d->thickness >= 0 && isfinite(d->thickness);
}

sim_status sim_world_create(const sim_world_def *def, sim_world **out)
{
  sim_world_def d = def ? *def : sim_world_def_default();
  *out = NULL;
  if (!good_world(&d)) return SIM_ERROR_ARGUMENT;
  sim_world *world = calloc(1, sizeof *world);
  if (!world) return SIM_ERROR_MEMORY;
  world->def = d;
  world->level = d.level;
  *out = world;
  return SIM_OK;
}

static void body_free(body *b) { free(b->coords); }

void sim_world_destroy(sim_world *world)
{
  if (!world) return;
  triangles_close(world);
  touch_close(world);
  for (size_t i = 0; i < world->shape_count; ++i) shape_free(&world->shapes[i]);
  for (size_t i = 0; i < world->body_count; ++i) body_free(&world->bodies[i]);
  for (size_t i = 0; i < world->set_count; ++i) clusters_free(world->sets[i]);
  free(world->sets);
  solver_destroy(world->solver);
  free(world->shapes), free(world->bodies), free(world->planes);
  free(world->contacts.items), free(world->last.items);
  free(world->island), free(world->island_wakes), free(world->sums);
  free(world);
}

/* Room for one more entry of `size` bytes. */
static bool grow(void **items, size_t count, size_t *capacity, size_t size)
{
  if (count < *capacity) return true;
  size_t more = 2 * *capacity + 8;
  void *grown = realloc(*items, more * size);
  if (!grown) return false;
  *items = grown;
  *capacity = more;
  return true;
}

sim_status sim_add_shape(sim_world *world, const sim_shape_def *def, int *out)
{
  shape made;
  const char *why;
  sim_status status = shape_make(def, &made, &why);
  if (status == SIM_OK && !grow((void **)&world->shapes, world->shape_count, &world->shape_capacity, sizeof made)) {
    status = SIM_ERROR_MEMORY;
    why = "out of memory for a shape";
  }
  if (status != SIM_OK) {
    shape_free(&made);
    return world_fail(world, status, "%s", why);
  }
  if (out) *out = (int)world->shape_count;
  world->shapes[world->shape_count++] = made;
  return SIM_OK;
}

static const char *wrong_body(const sim_world *world, const sim_body_def *d)
{
  if (d->shape < 0 || (size_t)d->shape >= world->shape_count) return "a body names a shape that is not there";
  if (d->mode < SIM_RIGID || d->mode > SIM_QUADRATIC) return "a body deforms rigid, linear or quadratic";
  if (!finite_all(d->position, 3) || !finite_all(d->velocity, 3) || !finite_all(d->spin, 3) ||
      !finite_all(d->rotation, 4))
    return "position, rotation, velocity and spin of a body must be finite and below 1e9";
  double norm = d->rotation[0] * d->rotation[0] + d->rotation[1] * d->rotation[1] + d->rotation[2] * d->rotation[2] +
                d->rotation[3] * d->rotation[3];
  if (fabs(norm - 1) > 1e-6) return "the rotation of a body must be a unit quaternion";
  if (!(d->stiffness > 0 && d->stiffness <= 1)) return "stiffness is more than 0 and at most 1";
  if (!(d->stretch >= 0 && d->stretch < 1)) return "stretch is 0 or more and below 1";
  if (!(d->damping >= 0 && d->damping <= 1e6)) return "damping is 0 or more";
  if (!(d->yield >= 0 && d->creep >= 0 && d->most_plastic >= 0) || !isfinite(d->yield + d->creep + d->most_plastic))
    return "yield, creep and most_plastic are 0 or more";
  if (d->clusters < 1 || d->clusters > SIM_CLUSTERS_MOST) return "a body has 1 to 16 clusters";
  return NULL;
}

static void first_state(const sim_body_def *d, body_state *state)
{
  double r[3][3];
  *state = (body_state){.plastic = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
  memcpy(state->rotation, d->rotation, sizeof state->rotation);
  quaternion_normalise(state->rotation);
  rotation_of(state->rotation, r);
  memcpy(state->centre, d->position, sizeof state->centre);
  memcpy(state->velocity, d->velocity, sizeof state->velocity);
  for (int k = 0; k < 3; ++k) {
    double column[3] = {r[0][k], r[1][k], r[2][k]}, turned[3];
    cross3(d->spin, column, turned);
    for (int i = 0; i < 3; ++i) state->matrix[i][k] = column[i], state->rate[i][k] = turned[i];
  }
}

sim_status sim_add_body(sim_world *world, const sim_body_def *def, int *out)
{
  const char *why = wrong_body(world, def);
  if (why) return world_fail(world, SIM_ERROR_ARGUMENT, "%s", why);
  body b = {.def = *def, .shape = def->shape, .columns = def->mode == SIM_QUADRATIC ? 9 : 3};
  if (def->mode == SIM_RIGID) b.def.stretch = 0, b.def.stiffness = 1, b.def.creep = 0;
  if (!grow((void **)&world->bodies, world->body_count, &world->body_capacity, sizeof b))
    return world_fail(world, SIM_ERROR_MEMORY, "out of memory for a body");
  first_state(def, &b.state);
  if (def->clusters > 1) {
    sim_status status = clusters_find(world, &b.def, &b.set);
    if (status != SIM_OK) return status;
    if (!soft_open(&b)) return world_fail(world, SIM_ERROR_MEMORY, "out of memory for a body");
  }
  body_fit(&world->shapes[b.shape], &b, b.state.matrix, b.goal);
  if (out) *out = (int)world->body_count;
  world->bodies[world->body_count++] = b;
  world->account_open = false;
  return SIM_OK;
}

sim_status sim_add_plane(sim_world *world, const sim_plane *plane)
{
  if (!finite_all(plane->normal, 3) || !finite_all(&plane->offset, 1) ||
      fabs(dot3(plane->normal, plane->normal) - 1) > 1e-6)
    return world_fail(world, SIM_ERROR_ARGUMENT, "a plane needs a normal of unit length and an offset");
  if (!grow((void **)&world->planes, world->plane_count, &world->plane_capacity, sizeof *plane))
    return world_fail(world, SIM_ERROR_MEMORY, "out of memory for a plane");
  world->planes[world->plane_count++] = *plane;
  return SIM_OK;
}

sim_status sim_add_box(sim_world *world, const double lower[3], const double upper[3])
{
  const sim_plane planes[5] = {{{0, 1, 0}, lower[1]},
                               {{1, 0, 0}, lower[0]},
                               {{-1, 0, 0}, -upper[0]},
                               {{0, 0, 1}, lower[2]},
                               {{0, 0, -1}, -upper[2]}};
  if (!finite_all(lower, 3) || !finite_all(upper, 3) || lower[0] >= upper[0] || lower[2] >= upper[2])
    return world_fail(world, SIM_ERROR_ARGUMENT, "a box needs a lower corner below its upper one");
  for (int i = 0; i < 5; ++i) {
    sim_status status = sim_add_plane(world, &planes[i]);
    if (status != SIM_OK) return status;
  }
  return SIM_OK;
}

sim_status sim_set_level(sim_world *world, int level)
{
  if (!good_level(level)) return world_fail(world, SIM_ERROR_ARGUMENT, "a level is 0 to %d, or all", SIM_LEVEL_MOST);
  world->def.level = world->level = level;
  for (size_t i = 0; i < world->body_count; ++i) world->bodies[i].state.asleep = false;
  return SIM_OK;
}

/* ------------------------------------------------------------------------------------- steps -- */

bool world_reserve(sim_world *world)
{
  if (world->room_bodies >= world->body_count) return true;
  size_t room = world->body_count + world->body_count / 2 + 16;
  uint32_t *island = realloc(world->island, room * sizeof *island);
  if (island) world->island = island;
  uint8_t *wakes = realloc(world->island_wakes, room);
  if (wakes) world->island_wakes = wakes;
  island_sums *sums = realloc(world->sums, room * sizeof *sums);
  if (sums) world->sums = sums;
  if (!island || !wakes || !sums) return false;
  world->room_bodies = room;
  return true;
}

sim_status sim_step(sim_world *world)
{
  if (!world_reserve(world)) return world_fail(world, SIM_ERROR_MEMORY, "out of memory for a step");
  if (world->body_count == 0) return ++world->step, SIM_OK;
  ++world->step;
  world->sweeps_until = INFINITY;
  world->stats = (sim_stats){.step = world->step, .level = world->level, .sweeps = world->def.sweeps};
  if (world->level == SIM_LEVEL_ALL) return triangles_step(world);
  if (world->triangles) triangles_close(world);
  sim_status status = touch_open(world);
  double begin = world_clock_ms();
  if (status == SIM_OK) status = detect_contacts(world);
  if (status != SIM_OK) return status;
  wake_touched(world);
  double detected = world_clock_ms();
  energy_note(world);
  deform_bodies(world);
  double deformed = world_clock_ms();
  budget_begin(world, detected - begin);
  bool good = solve_contacts(world);
  double solved = world_clock_ms();
  if (!good) return world_fail(world, SIM_ERROR_MEMORY, "out of memory for contacts");
  move_bodies(world);
  energy_limit(world);
  put_to_sleep(world);
  world->stats.ms_detect = detected - begin;
  world->stats.ms_respond = solved - deformed;
  world->stats.ms_deform = deformed - detected + world_clock_ms() - solved;
  double answered = world->stats.ms_detect + world->stats.ms_respond;
  world->stats.within_budget = !(world->def.budget_ms > 0) || answered <= world->def.budget_ms;
  budget_end(world, answered);
  return SIM_OK;
}

const sim_stats *sim_world_stats(const sim_world *world) { return &world->stats; }

/* --------------------------------------------------------------------------------- read back -- */

/* Potential is 0 where a centre of mass is on the first plane that gravity points into, else at
 * the origin. */
static double height_of(const sim_world *world, const double centre[3])
{
  double height = -dot3(world->def.gravity, centre);
  for (size_t p = 0; p < world->plane_count; ++p) {
    const sim_plane *plane = &world->planes[p];
    double into = -dot3(world->def.gravity, plane->normal);
    if (into > 0.5 * length3(world->def.gravity)) return into * (dot3(plane->normal, centre) - plane->offset);
  }
  return height;
}

sim_energy sim_world_energy(const sim_world *world)
{
  sim_energy e = {0};
  for (size_t i = 0; i < world->body_count; ++i) {
    const body *b = &world->bodies[i];
    const shape *s = &world->shapes[b->shape];
    e.kinetic += body_kinetic(s, b);
    e.elastic += body_elastic(s, b, world->def.step);
    e.potential += s->mass * height_of(world, b->state.centre);
  }
  e.total = e.kinetic + e.elastic + e.potential;
  return e;
}

size_t sim_body_count(const sim_world *world) { return world->body_count; }

size_t sim_body_points(const sim_world *world, int index)
{
  return world->shapes[world->bodies[index].shape].point_count;
}

int sim_body_shape(const sim_world *world, int index) { return world->bodies[index].shape; }

bool sim_body_asleep(const sim_world *world, int index) { return world->bodies[index].state.asleep; }

void sim_body_positions(const sim_world *world, int index, float *out)
{
  const body *b = &world->bodies[index];
  const shape *s = &world->shapes[b->shape];
  for (size_t i = 0; i < s->point_count; ++i) {
    double x[3];
    body_vertex(s, b, i, 0, x);
    for (int k = 0; k < 3; ++k) out[3 * i + (size_t)k] = (float)x[k];
  }
}

int sim_body_state(const sim_world *world, int index, double matrix[3][9], double centre[3])
{
  const body *b = &world->bodies[index];
  memset(matrix, 0, 3 * sizeof *matrix);
  memcpy(centre, b->state.centre, 3 * sizeof *centre);
  if (b->set) return 0;
  for (int i = 0; i < 3; ++i) memcpy(matrix[i], b->state.matrix[i], (size_t)b->columns * sizeof(double));
  return b->columns;
}

int sim_body_coordinates(const sim_world *world, int index, double *out)
{
  const body *b = &world->bodies[index];
  int terms = b->columns + 1, size = b->set ? b->set->size : b->columns;
  for (int i = 0; out && i < 3; ++i)
    for (int j = 0; j < size; ++j)
      out[i * size + j] =
          !b->set ? b->state.matrix[i][j] : b->coords[i * size + j] - (j % terms == 0 ? b->state.centre[i] : 0);
  return size;
}

void sim_body_rest(const sim_world *world, int index, double *out)
{
  const body *b = &world->bodies[index];
  int size = sim_body_coordinates(world, index, NULL), terms = b->columns + 1;
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < size; ++j)
      out[i * size + j] = !b->set ? i == j : j % terms == 0 ? b->set->centre[j / terms][i] : j % terms == i + 1;
}

void sim_body_terms(const sim_world *world, int index, size_t point, double *out)
{
  const body *b = &world->bodies[index];
  const shape *s = &world->shapes[b->shape];
  double q[3] = {s->points[3 * point], s->points[3 * point + 1], s->points[3 * point + 2]};
  if (b->set)
    clusters_terms(b->set, point, q, out);
  else
    shape_terms(s, q, b->columns, out);
}

void sim_point_terms(const sim_world *world, int index, size_t point, double out[9])
{
  const shape *s = &world->shapes[index];
  double q[3] = {s->points[3 * point], s->points[3 * point + 1], s->points[3 * point + 2]};
  shape_terms(s, q, 9, out);
}

double sim_point_mass(const sim_world *world, int index, size_t point) { return world->shapes[index].masses[point]; }

static void wake_all(sim_world *world)
{
  for (size_t i = 0; i < world->body_count; ++i)
    world->bodies[i].state.asleep = false, world->bodies[i].state.slow_steps = 0;
}

sim_status sim_body_set_state(sim_world *world, int index, double matrix[3][9], const double centre[3])
{
  if (index < 0 || (size_t)index >= world->body_count)
    return world_fail(world, SIM_ERROR_ARGUMENT, "there is no body %d", index);
  body *b = &world->bodies[index];
  for (int i = 0; i < 3; ++i)
    if (!finite_all(matrix[i], b->columns))
      return world_fail(world, SIM_ERROR_ARGUMENT, "the matrix of a body must be finite and below 1e9");
  if (!finite_all(centre, 3))
    return world_fail(world, SIM_ERROR_ARGUMENT, "the centre of a body must be finite and below 1e9");
  if (world->triangles)
    return world_fail(world, SIM_ERROR_ARGUMENT, "at level all a state cannot be set: bodies must be free of contact");
  for (int i = 0; i < 3; ++i) memcpy(b->state.matrix[i], matrix[i], (size_t)b->columns * sizeof(double));
  memcpy(b->state.centre, centre, sizeof b->state.centre);
  if (b->set)
    soft_set(b, matrix, centre);
  else
    body_fit(&world->shapes[b->shape], b, b->state.matrix, b->goal);
  b->placed = b->energy_known = world->account_open = false;
  wake_all(world);
  return SIM_OK;
}

sim_status sim_body_push(sim_world *world, int index, const double velocity[3])
{
  if (index < 0 || (size_t)index >= world->body_count)
    return world_fail(world, SIM_ERROR_ARGUMENT, "there is no body %d", index);
  if (!finite_all(velocity, 3)) return world_fail(world, SIM_ERROR_ARGUMENT, "a velocity must be finite and below 1e9");
  body *b = &world->bodies[index];
  const double none[3] = {0};
  if (b->set)
    soft_push(b, velocity, none, NULL);
  else
    for (int k = 0; k < 3; ++k) b->state.velocity[k] += velocity[k];
  b->energy_known = world->account_open = false;
  wake_all(world);
  return SIM_OK;
}
