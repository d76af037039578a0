/* What answers the rays of a triangle soup: its tree or a uniform grid. `auto` compares what frames have cost with each: update once, and
 * a time per ray that is taken as that of the last frame's rays. A tree is cheap near its key pose and dear between two, a grid is always
 * the same, so trees are told apart by how well they fit. What was measured with far more or far fewer rays does not count. The one that is
 * taken now and then only to see whether it has become cheaper is taken the more rarely the dearer it was. A cast of a whole scene counts
 * in full: what the other bodies cost is the same with both. The answers are the same; only counters tell which it was. */
#include "body/soup.h"

#include "core/timer.h"

enum { SHORTEST_WAIT = 16, LONGEST_WAIT = 256 };

static bool has_grid(const pl_body *body) { return body->soup && body->def.strategy != PL_STRATEGY_BERGEN; }

const grid *soup_grid(const pl_body *body)
{
  return has_grid(body) && body->soup->choice.by_grid ? &body->soup->g : NULL;
}

pl_soup_method pl_body_soup_method(const pl_body *body)
{
  return body && soup_grid(body) ? PL_SOUP_GRID : PL_SOUP_KEYS;
}

/* --------------------------------------------------------------------------------------------------- choosing -- */

static bool is_known(const soup_choice *c, const soup_cost *cost)
{
  return cost->rays && cost->rays / 2 <= c->last_rays && c->last_rays / 2 <= cost->rays;
}

static double expected(const pl_body *body, bool by_grid)
{
  const soup_choice *c = &body->soup->choice;
  const soup_cost *cost = by_grid ? &c->grid : &c->trees[c->fit];
  bool made = !by_grid && !body->u.pending; /* another query has paid for the tree */
  return (made ? 0 : cost->update_ms) + cost->ray_ms * (double)c->last_rays;
}

static bool cheaper(pl_body *body)
{
  soup_choice *c = &body->soup->choice;
  if (!is_known(c, &c->trees[c->fit])) return false;
  if (!is_known(c, &c->grid)) return true;
  double trees = expected(body, false), cells = expected(body, true);
  bool best = cells < trees;
  int *wait = &c->wait[c->fit], *interval = &c->interval[c->fit];
  if (!*interval) *wait = *interval = SHORTEST_WAIT;
  if (--*wait > 0) return best;
  bool hopeless = best ? trees > 2 * cells : cells > 2 * trees;
  *interval = hopeless && *interval < LONGEST_WAIT ? 2 * *interval : hopeless ? LONGEST_WAIT : SHORTEST_WAIT;
  *wait = *interval;
  return !best;
}

static void settle(pl_body *body)
{
  soup_choice *c = &body->soup->choice;
  pl_soup_method method = body->soup->method;
  if (c->settled) return;
  c->fit = body->soup->fit;
  c->by_grid = method == PL_SOUP_GRID || (method == PL_SOUP_AUTO && has_grid(body) && cheaper(body));
  c->settled = true;
}

/* -------------------------------------------------------------------------------------------------- measuring -- */

/* Other work on the machine makes times longer, never shorter. */
static double mean(const soup_cost *c, double before, double now)
{
  return !c->rays || now < before ? now : 0.75 * before + 0.25 * now;
}

void soup_moved(pl_body *body)
{
  soup_keys *s = body->soup;
  if (!s) return;
  s->g.pending = true;
  soup_choice *c = &s->choice;
  if (c->rays) {
    soup_cost *cost = c->by_grid ? &c->grid : &c->trees[c->fit];
    c->last_rays = c->rays;
    if (!is_known(c, cost)) cost->rays = 0;
    cost->update_ms = mean(cost, cost->update_ms, c->update_ms);
    cost->ray_ms = mean(cost, cost->ray_ms, c->cast_ms / (double)c->rays);
    cost->rays = c->rays;
  }
  c->settled = false;
  c->update_ms = c->cast_ms = 0;
  c->rays = 0;
}

pl_status soup_rays_begin(pl_body *body, uint64_t *made)
{
  soup_keys *s = body->soup;
  if (!s) return body_bring_up(body, made);
  double start = timer_ms();
  settle(body);
  pl_status status = PL_OK;
  if (!soup_grid(body)) {
    status = body_bring_up(body, made);
  } else if (s->g.pending) {
    status = grid_make(body->context, &s->g, &body->t, &body->p);
    if (status == PL_OK) *made += s->g.cell_count;
  }
  s->choice.update_ms += timer_ms() - start;
  return status;
}

void soup_rays_end(pl_body *body, size_t rays, double ms)
{
  if (!body->soup) return;
  body->soup->choice.rays += rays;
  body->soup->choice.cast_ms += ms;
}
