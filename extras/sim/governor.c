/* Energy never grows. The pull to the goal and stopping contacts lose energy (docs/simulate.md),
 * but sweeps that have not converged, shares of the affine answer and the push-out may add some.
 * So bodies that touch, directly or through others, are looked at together after each step. What
 * they have gained is taken from their speed, relative to their mean velocity where nothing
 * fixed holds them, so that momentum is kept. If they have not enough, the world may have a
 * little more (ROOM), so that bodies that are in each other come apart; after that they stay
 * where they were. Cost: the energy of each body that is awake and touched. */
#include "soft.h"

static const double ROOM = 5e-4; /* of the energy at the start, above the least so far */

static void look_at(const sim_world *world, body *b)
{
  const shape *s = &world->shapes[b->shape];
  b->other = body_elastic(s, b, world->def.step) - s->mass * dot3(world->def.gravity, b->state.centre);
  b->energy = body_kinetic(s, b) + b->other;
}

static double total_of(const sim_world *world)
{
  double sum = 0;
  for (size_t i = 0; i < world->body_count; ++i) sum += world->bodies[i].energy;
  return sum;
}

/* The energy at the start is counted from the planes, as sim_world_energy() does. */
static void begin_account(sim_world *world)
{
  world->energy_least = total_of(world);
  world->energy_start = fabs(sim_world_energy(world).total);
  world->account_open = true;
}

void energy_note(sim_world *world)
{
  for (size_t i = 0; i < world->body_count; ++i) {
    body *b = &world->bodies[i];
    if (!b->energy_known) look_at(world, b);
    b->energy_known = true;
    b->speed = b->state.asleep ? 0 : sim_body_speed(world, (int)i);
    if (b->state.asleep) continue;
    b->before = b->state;
    if (b->set) memcpy(b->coords_before, b->coords, soft_values(b->set) * sizeof(double));
  }
  if (!world->account_open) begin_account(world);
}

/* Without contacts: rotations of several clusters change within the step, and goals of a kept
 * volume are not those of least energy. */
static bool may_gain(const body *b) { return b->set || b->def.keep_volume; }

static void sum_body(const sim_world *world, uint32_t i, island_sums *sums)
{
  body *b = &world->bodies[i];
  double mass = world->shapes[b->shape].mass, was = b->energy;
  if (b->state.asleep) {
    sums->held = true;
    return;
  }
  look_at(world, b);
  sums->gain += b->energy - was;
  sums->kinetic += b->energy - b->other;
  sums->mass += mass;
  for (int k = 0; k < 3; ++k) sums->momentum[k] += mass * b->state.velocity[k];
}

/* v = mean + part (v - mean). */
static void slow_body(const sim_world *world, body *b, double part, const double mean[3])
{
  if (b->set) soft_slow(b, part, mean);
  for (int k = 0; k < 3 && !b->set; ++k) {
    b->state.velocity[k] = mean[k] + part * (b->state.velocity[k] - mean[k]);
    for (int j = 0; j < b->columns; ++j) b->state.rate[k][j] *= part;
  }
  b->energy = body_kinetic(&world->shapes[b->shape], b) + b->other;
}

static void put_back(const sim_world *world, body *b)
{
  b->state = b->before;
  if (b->set) memcpy(b->coords, b->coords_before, soft_values(b->set) * sizeof(double)), soft_stop(b);
  memset(b->state.velocity, 0, sizeof b->state.velocity);
  memset(b->state.rate, 0, sizeof b->state.rate);
  look_at(world, b);
}

/* Takes what an island has gained; *room is what may be left of it. */
static void settle(sim_world *world, uint32_t root, const island_sums *sums, double *room)
{
  double mean[3] = {0}, have = sums->kinetic;
  for (int k = 0; k < 3 && !sums->held; ++k) {
    mean[k] = sums->momentum[k] / sums->mass;
    have -= sums->mass / 2 * mean[k] * mean[k];
  }
  double part = have > 0 ? sqrt(fmax(0, 1 - sums->gain / have)) : 0, left = sums->gain - fmax(have, 0);
  bool back = sums->touched && left > *room; /* in free flight bodies only lose speed */
  for (uint32_t i = 0; i < world->body_count; ++i) {
    body *b = &world->bodies[i];
    if (b->state.asleep || island_of(world, i) != root) continue;
    if (back)
      put_back(world, b);
    else
      slow_body(world, b, part, mean);
  }
  if (!back) *room -= fmax(left, 0);
}

void energy_limit(sim_world *world)
{
  island_sums *sums = world->sums;
  double room = fmax(0, world->energy_least + ROOM * world->energy_start - total_of(world));
  memset(sums, 0, world->body_count * sizeof *sums);
  for (size_t i = 0; i < world->contacts.count; ++i) {
    const contact *c = &world->contacts.items[i];
    sums[island_of(world, c->a)].touched = true;
    if (c->b == PLANES) sums[island_of(world, c->a)].held = true;
  }
  for (uint32_t i = 0; i < world->body_count; ++i)
    if (may_gain(&world->bodies[i])) sums[island_of(world, i)].looked_at = true;
  for (uint32_t i = 0; i < world->body_count; ++i) {
    uint32_t root = island_of(world, i);
    if (sums[root].touched || sums[root].looked_at)
      sum_body(world, i, &sums[root]);
    else
      world->bodies[i].energy_known = world->bodies[i].state.asleep;
  }
  for (uint32_t i = 0; i < world->body_count; ++i)
    if (sums[i].gain > 0) settle(world, i, &sums[i], &room);
  world->energy_least = fmin(world->energy_least, total_of(world));
}

/* --------------------------------------------------------------------------------- level all -- */

/* Energy without its kinetic part of the bodies that are touched, after the part `part` of the
 * step. */
static double other_after(const sim_world *world, const uint8_t *touched, double part)
{
  double sum = 0, ahead = part * world->def.step;
  for (size_t i = 0; i < world->body_count; ++i) {
    body b = world->bodies[i];
    const shape *s = &world->shapes[b.shape];
    if (!touched[i]) continue;
    for (int k = 0; k < 3; ++k) {
      b.state.centre[k] += ahead * b.state.velocity[k];
      for (int j = 0; j < b.columns; ++j) b.state.matrix[k][j] += ahead * b.state.rate[k][j];
    }
    if (b.set) {
      memcpy(b.coords_before, b.coords, soft_values(b.set) * sizeof(double));
      b.coords = b.coords_before; /* bodies are not put back at level all */
      for (int j = 0; j < 3 * b.set->size; ++j) b.coords[j] += ahead * soft_rates(&b)[j];
    }
    sum += body_elastic(s, &b, world->def.step) - s->mass * dot3(world->def.gravity, b.state.centre);
  }
  return sum;
}

double energy_part(const sim_world *world, const uint8_t *touched)
{
  double most = fmax(0, world->energy_least + ROOM * world->energy_start - total_of(world)), low = 0, high = 1;
  for (size_t i = 0; i < world->body_count; ++i) most += touched[i] ? world->bodies[i].energy : 0;
  if (other_after(world, touched, 1) <= most) return 1;
  for (int round = 0; round < 20; ++round) {
    double middle = (low + high) / 2;
    if (other_after(world, touched, middle) <= most)
      low = middle;
    else
      high = middle;
  }
  return low;
}

/* A body in free flight loses speed relative to its centre. */
static void limit_free(const sim_world *world, body *b)
{
  const shape *s = &world->shapes[b->shape];
  double was = b->energy;
  look_at(world, b);
  double gain = b->energy - was, have = b->energy - b->other - s->mass / 2 * dot3(b->state.velocity, b->state.velocity);
  if (!may_gain(b) || !(gain > 0)) return;
  double mean[3] = {b->state.velocity[0], b->state.velocity[1], b->state.velocity[2]};
  slow_body(world, b, have > 0 ? sqrt(fmax(0, 1 - gain / have)) : 0, mean);
}

void energy_limit_all(sim_world *world, const uint8_t *touched)
{
  island_sums sums = {.held = world->stats.plane_contacts > 0};
  for (uint32_t i = 0; i < world->body_count; ++i) {
    if (!touched[i]) limit_free(world, &world->bodies[i]);
    if (touched[i]) sum_body(world, i, &sums);
  }
  double mean[3] = {0}, have = sums.kinetic;
  for (int k = 0; k < 3 && !sums.held && sums.mass > 0; ++k) mean[k] = sums.momentum[k] / sums.mass;
  have -= sums.mass / 2 * dot3(mean, mean);
  if (have < sums.gain) memset(mean, 0, sizeof mean), have = sums.kinetic;
  double part = have > 0 ? sqrt(fmax(0, 1 - sums.gain / have)) : 0;
  for (uint32_t i = 0; i < world->body_count && sums.gain > 0; ++i)
    if (touched[i]) slow_body(world, &world->bodies[i], part, mean);
  world->energy_least = fmin(world->energy_least, total_of(world));
}
