/* A time budget for detection and response. The level of the sphere trees follows the cost of the last steps: down at once when a step comes near
 * the budget, up only after a long calm, since a pile does not rest while levels change. Within a step, the sweeps of the solver take what
 * detection has left, one at least. */
#include "world.h"

static const double NEAR = 0.75;      /* of the budget: from here on the level goes down */
static const double DEEPER = 1.4;     /* a level costs about so many times the one above it */
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

/* Sweeps for `rows` contacts when detection has taken `ms`; the cost of a row is known from the steps before. */
int budget_sweeps(const sim_world *world, size_t rows, double ms)
{
  int most = world->def.sweeps;
  if (!(world->def.budget_ms > 0) || !(world->ms_per_row > 0) || rows == 0) return most;
  double left = 0.8 * world->def.budget_ms - ms, each = world->ms_per_row * (double)rows;
  double sweeps = floor(left / each) - 4; /* preparing rows and pushing out cost about as much as four sweeps */
  return sweeps >= most ? most : sweeps > 1 ? (int)sweeps : 1;
}

void budget_observe(sim_world *world, size_t rows, double ms)
{
  if (rows < 100) return;
  double each = ms / ((double)rows * (world->stats.sweeps + 4));
  world->ms_per_row = world->ms_per_row > 0 ? fmax(each, 0.9 * world->ms_per_row + 0.1 * each) : each;
}
