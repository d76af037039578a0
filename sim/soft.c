/* Bodies of several clusters: the step of Mueller et al. 2005 over all points, on coordinates.
 *
 * Coordinates Z predict Z* = Z + h Z'; the best fits of all clusters to the predicted points are Z* times a constant matrix; the goal of a cluster mixes its fit with a rotation
 * of its shape at rest; and each point moves by the stiffness towards the mean of its clusters' goals, which again are coordinates. So this gives
 * each point what the step over all points would (tests/sim/test_clusters.c). Energy: deviations are from the mean of the rotated clusters, as in deform.c.
 * Cost: O(size^2) a step. */
#include "soft.h"

#include <stdlib.h>

bool soft_open(body *b)
{
  const cluster_set *set = b->set;
  b->coords = calloc(2 * soft_values(set), sizeof *b->coords);
  if (!b->coords) return false;
  b->coords_before = b->coords + soft_values(set);
  double *z = b->coords, *rates = soft_rates(b);
  for (int k = 0; k < set->count; ++k) {
    for (int i = 0; i < 3; ++i) {
      int at = i * set->size + k * (1 + set->columns);
      z[at] = b->state.centre[i] + dot3(b->state.matrix[i], set->centre[k]);
      rates[at] = b->state.velocity[i] + dot3(b->state.rate[i], set->centre[k]);
      for (int j = 0; j < 3; ++j) z[at + 1 + j] = b->state.matrix[i][j], rates[at + 1 + j] = b->state.rate[i][j];
    }
    memcpy(soft_rotation(b, k), b->state.rotation, 4 * sizeof(double));
    for (int i = 0; i < 3; ++i) soft_plastic(b, k)[4 * i] = 1;
  }
  return true;
}

/* All clusters follow the linear part of one matrix; rates stay. */
void soft_set(body *b, double matrix[3][9], const double centre[3])
{
  const cluster_set *set = b->set;
  for (int k = 0; k < set->count; ++k)
    for (int i = 0; i < 3; ++i) {
      double *at = b->coords + i * set->size + k * (1 + set->columns);
      at[0] = centre[i] + dot3(matrix[i], set->centre[k]);
      for (int j = 0; j < set->columns; ++j) at[1 + j] = j < 3 ? matrix[i][j] : 0;
    }
  soft_note(b);
}

static void times_terms(const cluster_set *set, const double *z, const double *terms, double out[3])
{
  for (int i = 0; i < 3; ++i) {
    out[i] = 0;
    for (int j = 0; j < set->size; ++j) out[i] += z[i * set->size + j] * terms[j];
  }
}

void soft_place(const body *b, const double *terms, double ahead, double out[3])
{
  const double *z = b->coords, *rates = soft_rates(b);
  int size = b->set->size;
  for (int i = 0; i < 3; ++i) {
    out[i] = 0;
    for (int j = 0; j < size; ++j)
      if (terms[j] != 0) out[i] += (z[i * size + j] + ahead * rates[i * size + j]) * terms[j];
  }
}

void soft_note(body *b)
{
  times_terms(b->set, b->coords, b->set->middle, b->state.centre);
  times_terms(b->set, soft_rates(b), b->set->middle, b->state.velocity);
}

/* ---------------------------------------------------------------------------------------------------------- goals -- */

static void fits_of(const cluster_set *set, const double *z, double *out)
{
  size_t n = (size_t)set->size;
  memset(out, 0, 3 * n * sizeof *out);
  for (size_t i = 0; i < 3; ++i)
    for (size_t r = 0; r < n; ++r)
      for (size_t c = 0; c < n; ++c) out[i * n + c] += z[i * n + r] * set->fit[r * n + c];
}

/* The goals of all clusters, in place of their fits; rest: where elastic energy is 0, or NULL. Rotations and plastic shapes follow the fits. */
static void goals_of(body *b, double *fits, double step, double *rest)
{
  const cluster_set *set = b->set;
  for (int k = 0; k < set->count; ++k) {
    double fit[3][9] = {{0}}, goal[3][9], mixed[3][9], centre[3];
    goal_memory memory = {.moments = (const double(*)[9])set->moments[k],
                          .columns = set->columns,
                          .rotation = soft_rotation(b, k),
                          .plastic = (double(*)[3])soft_plastic(b, k)};
    for (int i = 0; i < 3; ++i) {
      double *at = fits + i * set->size + k * (1 + set->columns);
      centre[i] = at[0];
      for (int j = 0; j < set->columns; ++j) fit[i][j] = at[1 + j], centre[i] += at[1 + j] * set->mean[k][j];
    }
    goal_of(&b->def, &memory, fit, step, goal, mixed);
    for (int i = 0; i < 3; ++i) {
      int own = i * set->size + k * (1 + set->columns);
      fits[own] = centre[i];
      if (rest) rest[own] = centre[i];
      for (int j = 0; j < set->columns; ++j) {
        fits[own + 1 + j] = mixed[i][j], fits[own] -= mixed[i][j] * set->mean[k][j];
        if (rest) rest[own + 1 + j] = goal[i][j], rest[own] -= goal[i][j] * set->mean[k][j];
      }
    }
  }
}

/* Rates that take the points towards their goals within the step. Nothing moves yet. */
void soft_deform(const sim_world *world, body *b)
{
  const cluster_set *set = b->set;
  double h = world->def.step, kept = exp(-b->def.damping * h), *z = b->coords, *rates = soft_rates(b);
  double next[3 * TERMS_MOST], goals[3 * TERMS_MOST];
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < set->size; ++j) {
      int at = i * set->size + j;
      rates[at] = kept * rates[at] + (j % (1 + set->columns) == 0 ? h * world->def.gravity[i] : 0);
      next[at] = z[at] + h * rates[at];
    }
  fits_of(set, next, goals);
  goals_of(b, goals, h, NULL);
  for (int at = 0; at < 3 * set->size; ++at)
    rates[at] = (next[at] + b->def.stiffness * (goals[at] - next[at]) - z[at]) / h;
}

void soft_move(const sim_world *world, body *b)
{
  const double *rates = soft_rates(b);
  for (int i = 0; i < 3 * b->set->size; ++i) b->coords[i] += world->def.step * rates[i];
  soft_note(b);
}

/* --------------------------------------------------------------------------------------------------------- energy -- */

static double form(const cluster_set *set, const double *z)
{
  double sum = 0;
  for (int i = 0; i < 3; ++i)
    for (int r = 0; r < set->size; ++r) {
      double row = 0;
      for (int c = 0; c < set->size; ++c) row += set->mass[r * set->size + c] * z[i * set->size + c];
      sum += row * z[i * set->size + r];
    }
  return sum / 2;
}

double soft_kinetic(const body *b) { return form(b->set, soft_rates(b)); }

double soft_elastic(const body *b, double step)
{
  double pull = b->def.stiffness * (1 - b->def.stretch), fits[3 * TERMS_MOST], rest[3 * TERMS_MOST];
  if (b->def.mode == SIM_RIGID || pull >= 1 - 1e-9) return 0;
  double memory[13 * SIM_CLUSTERS_MOST]; /* looking changes nothing */
  size_t size = 13 * (size_t)b->set->count * sizeof(double);
  memcpy(memory, soft_rotation(b, 0), size);
  fits_of(b->set, b->coords, fits);
  body now = *b;
  goals_of(&now, fits, 0, rest);
  memcpy(soft_rotation(b, 0), memory, size);
  for (int i = 0; i < 3 * b->set->size; ++i) rest[i] = b->coords[i] - rest[i];
  return pull / ((1 - pull) * step * step) * form(b->set, rest);
}

/* -------------------------------------------------------------------------------------------------------- changes -- */

void soft_slow(body *b, double part, const double mean[3])
{
  const cluster_set *set = b->set;
  double *rates = soft_rates(b);
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < set->size; ++j) {
      double own = j % (1 + set->columns) == 0 ? mean[i] : 0;
      rates[i * set->size + j] = own + part * (rates[i * set->size + j] - own);
    }
  soft_note(b);
}

void soft_stop(body *b)
{
  memset(soft_rates(b), 0, 3 * (size_t)b->set->size * sizeof(double));
  memset(b->state.velocity, 0, sizeof b->state.velocity);
}

void soft_push(body *b, const double velocity[3], const double spin[3], const double *more)
{
  const cluster_set *set = b->set;
  double *z = b->coords, *rates = soft_rates(b), drift[3] = {0};
  if (more) times_terms(set, more, set->middle, drift);
  for (int j = 0; j < set->size; ++j) {
    bool moves = j % (1 + set->columns) == 0;
    double column[3], turned[3];
    for (int i = 0; i < 3; ++i) column[i] = z[i * set->size + j] - (moves ? b->state.centre[i] : 0);
    cross3(spin, column, turned);
    for (int i = 0; i < 3; ++i)
      rates[i * set->size + j] +=
          turned[i] + (more ? more[i * set->size + j] : 0) + (moves ? velocity[i] - drift[i] : 0);
  }
  soft_note(b);
}

void soft_turn(body *b, const double move[3], const double rotation[3][3])
{
  const cluster_set *set = b->set;
  for (int j = 0; j < set->size; ++j) {
    bool moves = j % (1 + set->columns) == 0;
    double column[3];
    for (int i = 0; i < 3; ++i) column[i] = b->coords[i * set->size + j] - (moves ? b->state.centre[i] : 0);
    for (int i = 0; i < 3; ++i)
      b->coords[i * set->size + j] = dot3(rotation[i], column) + (moves ? b->state.centre[i] + move[i] : 0);
  }
  soft_note(b);
}
