/* Bodies whose points move each for itself, at level "all": the step of Mueller et al. 2005 over all points. */
#include "world.h"

/* Positions first, then velocities: those of the matrix. */
void points_from_state(const shape *s, body *b)
{
  for (size_t i = 0; i < s->point_count; ++i) {
    double q[3] = {s->points[3 * i], s->points[3 * i + 1], s->points[3 * i + 2]}, terms[9];
    shape_terms(s, q, b->columns, terms);
    body_point(b, terms, b->points + 3 * i);
    double *v = b->points + 3 * (s->point_count + i);
    for (int k = 0; k < 3; ++k) {
      v[k] = b->state.velocity[k];
      for (int j = 0; j < b->columns; ++j) v[k] += b->state.rate[k][j] * terms[j];
    }
  }
}

/* The centre of mass of values at points, and the matrix that fits them best. */
static void fit_values(const shape *s, const body *b, const double *values, double centre[3], double matrix[3][9])
{
  double product[3][9] = {{0}};
  centre[0] = centre[1] = centre[2] = 0;
  for (size_t i = 0; i < s->point_count; ++i)
    for (int k = 0; k < 3; ++k) centre[k] += s->masses[i] / s->mass * values[3 * i + k];
  for (size_t i = 0; i < s->point_count; ++i) {
    double q[3] = {s->points[3 * i], s->points[3 * i + 1], s->points[3 * i + 2]}, terms[9];
    shape_terms(s, q, b->columns, terms);
    for (int k = 0; k < 3; ++k)
      for (int j = 0; j < b->columns; ++j) product[k][j] += s->masses[i] * (values[3 * i + k] - centre[k]) * terms[j];
  }
  memset(matrix, 0, 3 * sizeof *matrix);
  for (int k = 0; k < 3; ++k)
    for (int j = 0; j < b->columns; ++j)
      for (int l = 0; l < b->columns; ++l)
        matrix[k][j] += product[k][l] * (b->columns == 3 ? s->inverse_linear[l][j] : s->inverse[l][j]);
}

/* Velocities that take every point towards its goal within the step, gravity included. Nothing moves yet. */
void points_deform(const sim_world *world, body *b)
{
  const shape *s = &world->shapes[b->shape];
  size_t n = s->point_count;
  double h = world->def.step, kept = exp(-b->def.damping * h), centre[3], fit[3][9], mixed[3][9];
  double *x = b->points, *v = b->points + 3 * n;
  for (size_t i = 0; i < 3 * n; ++i) {
    v[i] = kept * v[i] + h * world->def.gravity[i % 3];
    x[i] += h * v[i];
  }
  fit_values(s, b, x, centre, fit);
  body_goal(s, b, fit, h, mixed);
  for (size_t i = 0; i < n; ++i) {
    double q[3] = {s->points[3 * i], s->points[3 * i + 1], s->points[3 * i + 2]}, terms[9];
    shape_terms(s, q, b->columns, terms);
    for (int k = 0; k < 3; ++k) {
      double goal = centre[k];
      for (int j = 0; j < b->columns; ++j) goal += mixed[k][j] * terms[j];
      double next = x[3 * i + k] + b->def.stiffness * (goal - x[3 * i + k]);
      v[3 * i + k] = (next - b->start[3 * i + k]) / h;
    }
  }
  memcpy(x, b->start, 3 * n * sizeof *x);
}

/* Moves the points, and fits the state that others read. */
void points_move(const sim_world *world, body *b)
{
  const shape *s = &world->shapes[b->shape];
  size_t n = s->point_count;
  for (size_t i = 0; i < 3 * n; ++i) b->points[i] += world->def.step * b->points[3 * n + i];
  fit_values(s, b, b->points, b->state.centre, b->state.matrix);
  fit_values(s, b, b->points + 3 * n, b->state.velocity, b->state.rate);
}

/* Twice: kinetic energy, and elastic energy for a goal. */
double points_kinetic(const shape *s, const body *b)
{
  double sum = 0;
  for (size_t i = 0; i < s->point_count; ++i) {
    const double *v = b->points + 3 * (s->point_count + i);
    sum += s->masses[i] / 2 * dot3(v, v);
  }
  return sum;
}

double points_deviation(const shape *s, const body *b, double goal[3][9])
{
  double sum = 0;
  for (size_t i = 0; i < s->point_count; ++i) {
    double q[3] = {s->points[3 * i], s->points[3 * i + 1], s->points[3 * i + 2]}, terms[9], d[3];
    shape_terms(s, q, b->columns, terms);
    for (int k = 0; k < 3; ++k) {
      d[k] = b->points[3 * i + k] - b->state.centre[k];
      for (int j = 0; j < b->columns; ++j) d[k] -= goal[k][j] * terms[j];
    }
    sum += s->masses[i] / 2 * dot3(d, d);
  }
  return sum;
}
