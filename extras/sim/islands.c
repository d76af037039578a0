/* Sleep. Bodies that touch, directly or through others, are an island, and sleep or wake
 * together: bodies that fall asleep one by one jolt a pile. An island sleeps when it has been
 * slow for long, and wakes when something that moves touches it. */
#include "soft.h"

static const double SINGLE = 3; /* times the limit */

static uint32_t root_of(uint32_t *parent, uint32_t i)
{
  while (parent[i] != i) i = parent[i] = parent[parent[i]];
  return i;
}

uint32_t island_of(const sim_world *world, uint32_t i) { return root_of(world->island, i); }

static void join_touching(sim_world *world)
{
  for (uint32_t i = 0; i < world->body_count; ++i) world->island[i] = i;
  for (size_t i = world->contacts.planes; i < world->contacts.count; ++i) {
    uint32_t a = root_of(world->island, world->contacts.items[i].a),
             b = root_of(world->island, world->contacts.items[i].b);
    if (a < b)
      world->island[b] = a;
    else
      world->island[a] = b;
  }
}

double sim_body_speed(const sim_world *world, int index)
{
  const body *b = &world->bodies[index];
  const shape *s = &world->shapes[b->shape];
  return sqrt(2 * body_kinetic(s, b) / s->mass);
}

/* Sleeping islands that a body touches which is faster than twice the limit. Slower ones are on
 * them as on a floor. */
void wake_touched(sim_world *world)
{
  join_touching(world);
  memset(world->island_wakes, 0, world->body_count);
  for (size_t i = world->contacts.planes; i < world->contacts.count; ++i) {
    const contact *c = &world->contacts.items[i];
    bool sleep_a = world->bodies[c->a].state.asleep, sleep_b = world->bodies[c->b].state.asleep;
    if (sleep_a == sleep_b) continue;
    if (sim_body_speed(world, (int)(sleep_a ? c->b : c->a)) > 2 * world->def.sleep_speed)
      world->island_wakes[root_of(world->island, c->a)] = 1;
  }
  for (uint32_t i = 0; i < world->body_count; ++i) {
    body_state *state = &world->bodies[i].state;
    if (!state->asleep || !world->island_wakes[root_of(world->island, i)]) continue;
    state->asleep = false;
    state->slow_steps = 0;
  }
}

static void rest(body *b)
{
  body_state *state = &b->state;
  state->asleep = true;
  if (b->set) soft_stop(b);
  memset(state->velocity, 0, sizeof state->velocity);
  memset(state->rate, 0, sizeof state->rate);
}

/* The mean square speed of each body's island, by mass, at its representative. */
static void sum_speeds(sim_world *world)
{
  island_sums *sums = world->sums;
  memset(sums, 0, world->body_count * sizeof *sums);
  for (uint32_t i = 0; i < world->body_count; ++i) {
    const body *b = &world->bodies[i];
    const shape *s = &world->shapes[b->shape];
    island_sums *of = &sums[root_of(world->island, i)];
    of->kinetic += b->state.asleep ? 0 : body_kinetic(s, b);
    of->mass += s->mass;
  }
}

/* Of a slow island single bodies may be a little faster: one that creeps in a pile must not keep
 * all others awake. */
void put_to_sleep(sim_world *world)
{
  uint8_t *awake = world->island_wakes;
  double limit = world->def.sleep_speed;
  sum_speeds(world);
  memset(awake, 0, world->body_count);
  world->stats.islands = world->stats.asleep = 0;
  for (uint32_t i = 0; i < world->body_count; ++i) {
    body_state *state = &world->bodies[i].state;
    uint32_t root = root_of(world->island, i);
    const island_sums *of = &world->sums[root];
    world->stats.islands += root == i;
    if (state->asleep) continue;
    bool slow = 2 * of->kinetic < of->mass * limit * limit && sim_body_speed(world, (int)i) < SINGLE * limit;
    state->slow_steps = slow ? state->slow_steps + 1 : 0;
    if (!(limit > 0) || state->slow_steps < world->def.sleep_steps) awake[root] = 1;
  }
  for (uint32_t i = 0; i < world->body_count; ++i) {
    body *b = &world->bodies[i];
    if (!b->state.asleep && !awake[root_of(world->island, i)]) {
      rest(b);
      b->energy_known = false;
    }
    world->stats.asleep += world->bodies[i].state.asleep;
  }
}
