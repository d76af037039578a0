/* Which structure rays of a triangle soup use: a tree or a uniform grid. `auto` compares what
 * frames have cost with each, by counters: one update, and a share per ray, multiplied by the
 * number of rays of the last frame. A tree is cheap near its key pose and dear between two, a grid
 * costs always the same: so the costs of trees are kept apart by how well they fit. Frames with far
 * more or far fewer rays do not count. The dearer one is tried again from time to time, to see
 * whether it has become cheaper: the dearer it was, the more rarely. A cast of a whole scene counts
 * in full: the other bodies cost the same with both. No clock is read, so every run does the same.
 * The results are the same; only counters show which one was used. */
#include "update/keys.h"

enum { SHORTEST_WAIT = 16, LONGEST_WAIT = 256 };

/* Costs in tests of one volume of a tree (3.3 ns). Fitted to 6 300 casts of `pliant bench
 * larsson-c2`: the median error is 14 % with trees and 22 % with the grid. */
static const double volume_made = 13, cell_made = 5; /* to refit a volume, to make a cell */
static const double cell_test = 1.75;                /* of a cell by a ray */
static const double triangle_test = 1.0 / 3;

const grid *keys_grid(const forest *f)
{
  const soup_keys *s = f->state;
  return !s->no_grid && s->choice.by_grid ? &s->grid : NULL;
}

/* ---------------------------------------------------------------------------------- choosing -- */

static bool is_known(const soup_choice *c, const soup_cost *cost)
{
  return cost->rays && cost->rays / 2 <= c->last_rays && c->last_rays / 2 <= cost->rays;
}

static double expected(const forest *f, bool by_grid)
{
  const soup_choice *c = &((const soup_keys *)f->state)->choice;
  const soup_cost *cost = by_grid ? &c->grid : &c->trees[c->fit];
  /* another query has paid for the update of the tree */
  bool made = !by_grid && !forest_active(f)->update.pending;
  return (made ? 0 : cost->update) + cost->per_ray * (double)c->last_rays;
}

static bool cheaper(forest *f)
{
  soup_choice *c = &((soup_keys *)f->state)->choice;
  if (!is_known(c, &c->trees[c->fit])) return false;
  if (!is_known(c, &c->grid)) return true;
  double trees = expected(f, false), cells = expected(f, true);
  bool best = cells < trees;
  int *wait = &c->wait[c->fit], *interval = &c->interval[c->fit];
  if (!*interval) *wait = *interval = SHORTEST_WAIT;
  if (--*wait > 0) return best;
  bool hopeless = best ? trees > 2 * cells : cells > 2 * trees;
  *interval = hopeless && *interval < LONGEST_WAIT ? 2 * *interval : hopeless ? LONGEST_WAIT : SHORTEST_WAIT;
  *wait = *interval;
  return !best;
}

static void settle(forest *f)
{
  soup_keys *s = f->state;
  soup_choice *c = &s->choice;
  if (c->settled) return;
  c->fit = s->fit;
  c->by_grid = s->method == PL_SOUP_GRID || (s->method == PL_SOUP_AUTO && !s->no_grid && cheaper(f));
  c->settled = true;
}

/* --------------------------------------------------------------------------------- measuring -- */

/* A running mean, so that one odd frame decides nothing. */
static double mean(const soup_cost *c, double before, double now) { return c->rays ? 0.5 * (before + now) : now; }

void keys_moved(forest *f)
{
  soup_keys *s = f->state;
  s->grid.pending = true;
  soup_choice *c = &s->choice;
  if (c->rays) {
    soup_cost *cost = c->by_grid ? &c->grid : &c->trees[c->fit];
    c->last_rays = c->rays;
    if (!is_known(c, cost)) cost->rays = 0;
    cost->update = mean(cost, cost->update, c->update);
    cost->per_ray = mean(cost, cost->per_ray, c->cast / (double)c->rays);
    cost->rays = c->rays;
  }
  c->settled = false;
  c->update = c->cast = 0;
  c->rays = 0;
}

pl_status keys_rays_begin(forest *f, const points *p, uint64_t *made)
{
  soup_keys *s = f->state;
  const uint64_t before = *made;
  settle(f);
  pl_status status = PL_OK;
  if (!keys_grid(f)) {
    status = update_now(&forest_active(f)->update, made);
  } else if (s->grid.pending) {
    status = grid_make(f->context, &s->grid, &forest_active(f)->tree, p);
    if (status == PL_OK) *made += s->grid.cell_count;
  }
  s->choice.begun = *made - before;
  s->choice.update += (s->choice.by_grid ? cell_made : volume_made) * (double)s->choice.begun;
  return status;
}

void keys_rays_end(forest *f, size_t rays, const pl_counters *spent)
{
  soup_choice *c = &((soup_keys *)f->state)->choice;
  const uint64_t demanded = spent->n_u > c->begun ? spent->n_u - c->begun : 0;
  c->rays += rays;
  c->cast += (c->by_grid ? cell_test : 1) * (double)spent->n_v + triangle_test * (double)spent->n_p +
             volume_made * (double)demanded;
  c->begun = 0;
}
