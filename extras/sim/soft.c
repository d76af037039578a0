/* Bodies of several clusters: an implicit step of shape matching over all points, on
 * coordinates.
 *
 * Coordinates Z predict Z* = Z + h Z'; the best fits of all clusters to the predicted points are
 * Z* times a constant matrix; rotations of the fits give the goals; and the step is the minimum
 * of the distance from Z* and of the energy for these rotations (clusters.c), as in S. Bouaziz
 * et al., Projective Dynamics, 2014. Cost: O(size^2) a step. */
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

/* ------------------------------------------------------------------------------------- goals -- */

static void fits_of(const cluster_set *set, const double *z, double *out)
{
  size_t n = (size_t)set->size;
  memset(out, 0, 3 * n * sizeof *out);
  for (size_t i = 0; i < 3; ++i)
    for (size_t r = 0; r < n; ++r)
      for (size_t c = 0; c < n; ++c) out[i * n + c] += z[i * n + r] * set->fit[r * n + c];
}

/* The goals of all clusters: for each the 3 * columns entries of T, axis by axis, in rows of
 * count * columns. Rotations and plastic shapes follow the fits of z; step 0: nothing flows.
 * With a volume to keep, goals have what the mixed goal of one cluster has beside its part of
 * the fit. */
static void goals_of(body *b, double step, const double *z, double *out)
{
  const cluster_set *set = b->set;
  double fits[3 * TERMS_MOST], part = b->def.stretch;
  fits_of(set, z, fits);
  for (int k = 0; k < set->count; ++k) {
    double fit[3][9] = {{0}}, rest[3][9], mixed[3][9];
    goal_memory memory = {.moments = (const double(*)[9])set->moments[k],
                          .columns = set->columns,
                          .rotation = soft_rotation(b, k),
                          .plastic = (double(*)[3])soft_plastic(b, k)};
    for (int i = 0; i < 3; ++i)
      memcpy(fit[i], fits + i * set->size + k * (1 + set->columns) + 1, (size_t)set->columns * sizeof(double));
    goal_of(&b->def, &memory, fit, step, rest, mixed);
    for (int i = 0; i < 3; ++i)
      for (int j = 0; j < set->columns; ++j)
        out[(i * set->count + k) * set->columns + j] =
            b->def.keep_volume ? (mixed[i][j] - part * fit[i][j]) / (1 - part) : rest[i][j];
  }
}

/* Rates that take the points towards their goals within the step. Nothing moves yet. */
void soft_deform(const sim_world *world, body *b)
{
  const cluster_set *set = b->set;
  size_t n = (size_t)set->size, goals = (size_t)(set->count * set->columns);
  double h = world->def.step, kept = exp(-b->def.damping * h), *rates = soft_rates(b);
  double next[3 * TERMS_MOST], goal[3 * TERMS_MOST];
  for (size_t i = 0; i < 3; ++i)
    for (size_t j = 0; j < n; ++j) {
      size_t at = i * n + j;
      rates[at] = kept * rates[at] + (j % (size_t)(1 + set->columns) == 0 ? h * world->def.gravity[i] : 0);
      next[at] = b->coords[at] + h * rates[at];
    }
  goals_of(b, h, next, goal);
  for (size_t i = 0; i < 3; ++i) {
    for (size_t r = 0; r < n; ++r)
      for (size_t c = 0; c < n; ++c) rates[i * n + c] -= next[i * n + r] * set->pull[r * n + c] / h;
    for (size_t r = 0; r < goals; ++r)
      for (size_t c = 0; c < n; ++c) rates[i * n + c] += goal[i * goals + r] * set->pull_goals[r * n + c] / h;
  }
  soft_note(b);
}

void soft_move(const sim_world *world, body *b)
{
  const double *rates = soft_rates(b);
  for (int i = 0; i < 3 * b->set->size; ++i) b->coords[i] += world->def.step * rates[i];
  soft_note(b);
}

/* ------------------------------------------------------------------------------------ energy -- */

static double form(int size, const double *matrix, const double *z)
{
  double sum = 0;
  for (int r = 0; r < size; ++r) {
    double line = 0;
    for (int c = 0; c < size; ++c) line += matrix[r * size + c] * z[c];
    sum += line * z[r];
  }
  return sum;
}

double soft_kinetic(const body *b)
{
  double sum = 0;
  for (int i = 0; i < 3; ++i) sum += form(b->set->size, b->set->mass, soft_rates(b) + i * b->set->size) / 2;
  return sum;
}

/* The sum of m |x - goal|^2 over all clusters, one axis: Z N Z^T - 2 T X^T Z^T + T U T^T. Places
 * are taken from the centre, so that nothing cancels. */
static double deviation(const cluster_set *set, const double *z, const double *goal)
{
  double sum = form(set->size, set->spread, z);
  for (int r = 0; r < set->count * set->columns; ++r) {
    double line = 0;
    for (int c = 0; c < set->size; ++c) line += set->cross[r * set->size + c] * z[c];
    sum -= 2 * goal[r] * line;
  }
  for (int k = 0; k < set->count; ++k)
    for (int a = 0; a < set->columns; ++a)
      for (int b = 0; b < set->columns; ++b)
        sum += goal[k * set->columns + a] * (set->moments[k][a][b] + (a == b ? set->lean[k][a] : 0)) *
               goal[k * set->columns + b];
  return sum;
}

double soft_elastic(const body *b, double step)
{
  const cluster_set *set = b->set;
  double pull = clusters_pull(b->def.stiffness, b->def.stretch), goal[3 * TERMS_MOST], z[TERMS_MOST], sum = 0;
  double memory[13 * SIM_CLUSTERS_MOST]; /* looking changes nothing */
  size_t size = 13 * (size_t)set->count * sizeof(double);
  body now = *b;
  now.def.keep_volume = false;
  memcpy(memory, soft_rotation(b, 0), size);
  goals_of(&now, 0, b->coords, goal);
  memcpy(soft_rotation(b, 0), memory, size);
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < set->size; ++j)
      z[j] = b->coords[i * set->size + j] - (j % (1 + set->columns) == 0 ? b->state.centre[i] : 0);
    sum += deviation(set, z, goal + i * set->count * set->columns) / 2;
  }
  return pull / ((1 - pull) * step * step) * fmax(sum, 0);
}

/* ----------------------------------------------------------------------------------- changes -- */

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
