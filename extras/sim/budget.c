/* A time budget for detection and response. The level of the sphere trees follows the cost of
 * the last steps: down at once when a step comes near the budget, up only after a long calm,
 * since a pile does not rest while levels change. Within a step, the sweeps of the solver take
 * what detection has left, one at least: the clock is read after each, and another is begun if
 * it may take as long as the one before. (What a sweep costs cannot be known ahead: it goes over
 * all contacts, or over those of a few bodies.) */
#include "world.h"

static const double NEAR = 0.75;  /* of the budget: from here on the level goes down */
static const double DEEPER = 1.4; /* a level costs about so many times the one above it */
/* of the budget: sweeps end here; then impulses are taken over */
static const double SWEEPS_PART = 0.85;
enum { CALM = 180, LEVEL_LEAST = 2 }; /* steps between two rises */

void budget_end(sim_world *world, double ms)
{
  if (!(world->def.budget_ms > 0)) return;
  bool awake = 2 * world->stats.asleep < world->body_count;
  if (world->level_hold > 0) --world->level_hold;
  if (ms > NEAR * world->def.budget_ms && world->level > LEVEL_LEAST) {
    --world->level;
    world->level_hold = CALM;
  } else if (world->level_hold == 0 && awake && world->level < world->def.level &&
             DEEPER * ms < NEAR * world->def.budget_ms) {
    ++world->level;
    world->level_hold = CALM;
  }
}

void budget_begin(sim_world *world, double ms)
{
  double budget = world->def.budget_ms, now = budget > 0 ? world_clock_ms() : 0;
  world->sweep_begin = now;
  world->sweeps_until = budget > 0 ? now + SWEEPS_PART * budget - ms : INFINITY;
}

bool budget_allows(sim_world *world)
{
  if (!(world->sweeps_until < INFINITY)) return true;
  double now = world_clock_ms(), last = now - world->sweep_begin;
  world->sweep_begin = now;
  return now + last < world->sweeps_until;
}
