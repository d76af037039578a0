/* The integrator: move, fit, pull to the goal (Mueller et al. 2005), for bodies whose points all
 * follow one matrix.
 *
 * Points that follow a matrix F keep following one: the prediction x + h v has the matrix F* = F
 * + h F', the best linear (or quadratic) fit of those points is F* itself, and the goal mixes F*
 * with a rotation. So a step costs O(1) per body, however many points it has, and gives each
 * point what the step over all points would.
 *
 * Energy. Let s = stiffness * (1 - stretch), and let the goal of zero energy be g = R S q +
 * centre. A step takes deviations x - g to (1 - s) times what they would be after moving, and
 * with the elastic energy 1/2 sum of m s / ((1 - s) h^2) |x - g|^2 the sum with the kinetic
 * energy falls by the factor 1 - s in every free step (docs/simulate.md has the proof for a
 * fixed R). */
#include "soft.h"

enum { MOST_ROUNDS = 24 };

/* The rotation nearest to m, from the last one on: rotates by the axis that all three columns
 * agree on (M. Mueller, J. Bender, N. Chentanez, M. Macklin, A Robust Method to Extract the
 * Rotational Part of Deformations, 2016). Any m will do, also 0. */
static void nearest_rotation(const double m[3][3], double rotation[4])
{
  double size = 0;
  for (int i = 0; i < 3; ++i) size += dot3(m[i], m[i]);
  if (!(size > 0) || !isfinite(size)) return;
  for (int round = 0; round < MOST_ROUNDS; ++round) {
    double r[3][3], axis[3] = {0}, along = 0;
    rotation_of(rotation, r);
    for (int c = 0; c < 3; ++c) {
      double u[3] = {r[0][c], r[1][c], r[2][c]}, v[3] = {m[0][c], m[1][c], m[2][c]}, n[3];
      cross3(u, v, n);
      along += dot3(u, v);
      for (int k = 0; k < 3; ++k) axis[k] += n[k];
    }
    double scale = 1 / (fabs(along) + 1e-9 * sqrt(size)), angle = 0;
    for (int k = 0; k < 3; ++k) axis[k] *= scale;
    angle = length3(axis);
    if (!(angle > 1e-12)) return;
    double turn = fmin(angle, 1.5), half = sin(turn / 2) / angle;
    double q[4] = {axis[0] * half, axis[1] * half, axis[2] * half, cos(turn / 2)};
    quaternion_turn(q, rotation);
    if (angle < 1e-9) return;
  }
}

/* The matrix that the rotation is taken from: sum of m p (S q)^T. The best rotation conserves
 * angular momentum. */
static void moments_of(const goal_memory *memory, double matrix[3][9], double out[3][3])
{
  double product[3][3] = {{0}};
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j)
      for (int k = 0; k < memory->columns; ++k) product[i][j] += matrix[i][k] * memory->moments[k][j];
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) out[i][j] = dot3(product[i], memory->plastic[j]);
}

/* Rotation times plastic shape. */
static void rest_goal(const goal_memory *memory, double goal[3][9])
{
  double r[3][3];
  rotation_of(memory->rotation, r);
  memset(goal, 0, 3 * sizeof *goal);
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j)
      for (int k = 0; k < 3; ++k) goal[i][j] += r[i][k] * memory->plastic[k][j];
}

static void fit_rotation(const goal_memory *memory, double matrix[3][9], double goal[3][9])
{
  double m[3][3];
  moments_of(memory, matrix, m);
  nearest_rotation((const double(*)[3])m, memory->rotation);
  rest_goal(memory, goal);
}

/* Strain beyond `yield` becomes the shape at rest, at the rate `creep` and with its volume kept. */
static void flow(const sim_body_def *def, const goal_memory *memory, double matrix[3][9], double step)
{
  double r[3][3], strain[3][3], size = 0, next[3][3], change = 0;
  rotation_of(memory->rotation, r);
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) {
      strain[i][j] = r[0][i] * matrix[0][j] + r[1][i] * matrix[1][j] + r[2][i] * matrix[2][j] - memory->plastic[i][j];
      size += strain[i][j] * strain[i][j];
    }
  if (!(size > def->yield * def->yield)) return;
  double part = 1 - exp(-def->creep * step);
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) next[i][j] = memory->plastic[i][j] + part * strain[i][j];
  double det = det3((const double(*)[3])next);
  if (!(det > 0.1) || !isfinite(det)) return;
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) {
      next[i][j] /= cbrt(det);
      change += (next[i][j] - (i == j)) * (next[i][j] - (i == j));
    }
  if (change > def->most_plastic * def->most_plastic) return;
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) memory->plastic[i][j] = next[i][j];
}

/* Where a step pulls to: part of the fit itself, perhaps scaled to the volume at rest, and the
 * rotated shape. */
static void mix_goal(const sim_body_def *def, int columns, double fit[3][9], double goal[3][9], double out[3][9])
{
  double linear[3][3], scale = 1;
  for (int i = 0; i < 3; ++i) memcpy(linear[i], fit[i], sizeof linear[i]);
  double det = det3((const double(*)[3])linear);
  if (def->keep_volume && det > 0.05) scale = 1 / cbrt(det);
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < columns; ++j)
      out[i][j] = def->stretch * (j < 3 ? scale : 1) * fit[i][j] + (1 - def->stretch) * goal[i][j];
}

void goal_of(const sim_body_def *def, const goal_memory *memory, double fit[3][9], double step, double rest[3][9],
             double mixed[3][9])
{
  fit_rotation(memory, fit, rest);
  if (step > 0 && def->creep > 0 && def->mode != SIM_RIGID) {
    flow(def, memory, fit, step);
    rest_goal(memory, rest);
  }
  mix_goal(def, memory->columns, fit, rest, mixed);
}

static goal_memory memory_of(const shape *s, body *b)
{
  return (goal_memory){
      .moments = s->moments, .columns = b->columns, .rotation = b->state.rotation, .plastic = b->state.plastic};
}

void body_fit(const shape *s, body *b, double matrix[3][9], double goal[3][9])
{
  goal_memory memory = memory_of(s, b);
  fit_rotation(&memory, matrix, goal);
}

/* Gravity, and the rate that takes the body to where its goal pulls it within the step. Nothing
 * moves yet: contacts come first, so that what they decide is where bodies are in the end.
 * (Contacts before the pull left bodies sinking: the pull undid part of each impulse.) */
static void deform_body(const sim_world *world, body *b)
{
  if (b->set) {
    soft_deform(world, b);
    return;
  }
  const shape *s = &world->shapes[b->shape];
  body_state *state = &b->state;
  double h = world->def.step, fit[3][9], mixed[3][9], kept = exp(-b->def.damping * h);
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < b->columns; ++j) fit[i][j] = state->matrix[i][j] + h * kept * state->rate[i][j];
  goal_memory memory = memory_of(s, b);
  goal_of(&b->def, &memory, fit, h, b->goal, mixed);
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < b->columns; ++j)
      state->rate[i][j] = (fit[i][j] + b->def.stiffness * (mixed[i][j] - fit[i][j]) - state->matrix[i][j]) / h;
    state->velocity[i] = kept * state->velocity[i] + h * world->def.gravity[i];
  }
}

void deform_bodies(sim_world *world)
{
  for (size_t i = 0; i < world->body_count; ++i)
    if (!world->bodies[i].state.asleep) deform_body(world, &world->bodies[i]);
}

void move_bodies(sim_world *world)
{
  double h = world->def.step;
  for (size_t i = 0; i < world->body_count; ++i) {
    body *b = &world->bodies[i];
    if (b->state.asleep) continue;
    b->placed = false;
    if (b->set) soft_move(world, b);
    for (int k = 0; k < 3 && !b->set; ++k) {
      for (int j = 0; j < b->columns; ++j) b->state.matrix[k][j] += h * b->state.rate[k][j];
      b->state.centre[k] += h * b->state.velocity[k];
    }
  }
}

/* ------------------------------------------------------------------------------------ energy -- */

/* 1/2 sum of m |M terms|^2. */
static double quadratic_form(const shape *s, int columns, const double m[3][9])
{
  double sum = 0;
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < columns; ++j)
      for (int k = 0; k < columns; ++k) sum += m[i][j] * s->moments[j][k] * m[i][k];
  return sum / 2;
}

double body_kinetic(const shape *s, const body *b)
{
  if (b->set) return soft_kinetic(b);
  return s->mass / 2 * dot3(b->state.velocity, b->state.velocity) +
         quadratic_form(s, b->columns, (const double(*)[9])b->state.rate);
}

double body_elastic(const shape *s, const body *b, double step)
{
  if (b->set) return soft_elastic(b, step);
  double pull = b->def.stiffness * (1 - b->def.stretch), d[3][9] = {{0}}, goal[3][9];
  if (b->def.mode == SIM_RIGID || pull >= 1 - 1e-9) return 0;
  body now = *b;
  body_fit(s, &now, now.state.matrix, goal);
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < b->columns; ++j) d[i][j] = b->state.matrix[i][j] - goal[i][j];
  return pull / ((1 - pull) * step * step) * quadratic_form(s, b->columns, (const double(*)[9])d);
}

void body_point(const body *b, const double terms[9], double out[3])
{
  for (int i = 0; i < 3; ++i) {
    out[i] = b->state.centre[i];
    for (int j = 0; j < b->columns; ++j) out[i] += b->state.matrix[i][j] * terms[j];
  }
}

void body_vertex(const shape *s, const body *b, size_t point, double ahead, double out[3])
{
  double q[3] = {s->points[3 * point], s->points[3 * point + 1], s->points[3 * point + 2]}, terms[TERMS_MOST];
  if (b->set) {
    clusters_terms(b->set, point, q, terms);
    soft_place(b, terms, ahead, out);
    return;
  }
  const body_state *state = &b->state;
  shape_terms(s, q, b->columns, terms);
  for (int i = 0; i < 3; ++i) {
    out[i] = state->centre[i] + ahead * state->velocity[i];
    for (int j = 0; j < b->columns; ++j) out[i] += (state->matrix[i][j] + ahead * state->rate[i][j]) * terms[j];
  }
}
