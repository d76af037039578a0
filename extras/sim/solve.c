/* Contact response: impulses at points of contact, found by Gauss-Seidel sweeps with a warm
 * start, on reduced coordinates (rows.c has how bodies answer).
 *
 * Friction is Coulomb's cone: the impulse that would make the contact stick, or, outside of the
 * cone, the normal one with as much friction as it allows. push.c removes depth. Lanes of 4
 * floats, the same on every machine. */
#include "solve.h"
#include "soft.h"

#include <stdlib.h>

/* times the slop: depth that is left alone of bodies that do not move */
static const double STANDING = 4;
/* of slop / step: a sweep that changes no contact by this speed is the last */
static const double CONVERGED = 3e-5;
/* a body comes out of itself by this part of the push-out, as a speed */
static const double SELF_PUSH = 0.5;

/* ------------------------------------------------------------------------------------ bodies -- */

/* World offset to point at rest: the inverse of the matrix, or of one that a crushed body would
 * have a little fatter. */
void unmap_matrix(const double m[3][3], double out[3][3])
{
  double normal[3][3], inverse[3][3];
  if (fabs(det3(m)) > 0.05 && inverse3(m, out)) return;
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j)
      normal[i][j] = (i == j ? 0.05 : 0) + m[0][i] * m[0][j] + m[1][i] * m[1][j] + m[2][i] * m[2][j];
  if (!inverse3((const double(*)[3])normal, inverse)) memset(inverse, 0, sizeof inverse);
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) out[i][j] = inverse[i][0] * m[j][0] + inverse[i][1] * m[j][1] + inverse[i][2] * m[j][2];
}

/* Second moments about the centre, of all points. */
static void second_moments(const shape *s, const body *b, double out[3][3])
{
  int size = b->set ? b->set->size : b->columns;
  const double *mass = b->set ? b->set->mass : &s->moments[0][0];
  size_t stride = b->set ? (size_t)size : 9;
  memset(out, 0, sizeof(double[3][3]));
  for (int k = 0; k < size; ++k)
    for (int i = 0; i < 3; ++i) {
      double sum = 0;
      for (int l = 0; l < size; ++l)
        sum += mass[(size_t)k * stride + (size_t)l] * (b->set ? b->coords[i * size + l] : b->state.matrix[i][l]);
      for (int j = 0; j < 3; ++j) out[j][i] += sum * (b->set ? b->coords[j * size + k] : b->state.matrix[j][k]);
    }
  for (int i = 0; b->set && i < 3; ++i)
    for (int j = 0; j < 3; ++j) out[i][j] -= s->mass * b->state.centre[i] * b->state.centre[j];
}

/* The same for a linear map: matrix * moments * matrix^T. */
static void linear_moments(const shape *s, const body *b, double out[3][3])
{
  for (int i = 0; i < 3; ++i) {
    const double *line = b->state.matrix[i];
    double sum[3];
    for (int k = 0; k < 3; ++k)
      sum[k] = s->moments[k][0] * line[0] + s->moments[k][1] * line[1] + s->moments[k][2] * line[2];
    for (int j = 0; j <= i; ++j) out[i][j] = out[j][i] = dot3(sum, b->state.matrix[j]);
  }
}

static void make_inertia(const shape *s, const body *b, f4 out[3])
{
  double second[3][3], inertia[3][3], inverse[3][3], trace = 0;
  if (is_linear(b))
    linear_moments(s, b, second);
  else
    second_moments(s, b, second);
  for (int i = 0; i < 3; ++i) trace += second[i][i];
  double least = 1e-3 * s->mass * s->reach * s->reach;
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) inertia[i][j] = (i == j ? trace + least : 0) - second[i][j];
  if (!inverse3((const double(*)[3])inertia, inverse)) memset(inverse, 0, sizeof inverse);
  for (int k = 0; k < 3; ++k) out[k] = (f4){(float)inverse[0][k], (float)inverse[1][k], (float)inverse[2][k], 0};
}

static void take_body(const sim_world *world, const body *b, f4 *more, moving *m, double unmap[3][3])
{
  const shape *s = &world->shapes[b->shape];
  const body_state *state = &b->state;
  *m = (moving){.inverse_mass = (float)(1 / s->mass), .rigid = (float)(1 - affine_share(b)), .more_rate = more};
  m->velocity = f4_of(state->velocity);
  make_inertia(s, b, m->inertia);
  if (b->set) {
    const double *rates = soft_rates(b);
    int n = b->set->size;
    m->mores = (uint32_t)n;
    for (int k = 0; k < n; ++k) more[k] = (f4){(float)rates[k], (float)rates[n + k], (float)rates[2 * n + k], 0};
    return;
  }
  for (int k = 0; k < 3; ++k)
    m->rate[k] = (f4){(float)state->rate[0][k], (float)state->rate[1][k], (float)state->rate[2][k], 0};
  m->mores = (uint32_t)(b->columns - 3);
  for (int k = 3; k < b->columns; ++k)
    more[k - 3] = (f4){(float)state->rate[0][k], (float)state->rate[1][k], (float)state->rate[2][k], 0};
  double matrix[3][3];
  for (int i = 0; i < 3; ++i) memcpy(matrix[i], state->matrix[i], sizeof matrix[i]);
  unmap_matrix((const double(*)[3])matrix, unmap);
}

static void take_map(const shape *s, const body *b, const double unmap[3][3], linear_map *out)
{
  double share = affine_share(b);
  out->most = (float)(1.1 * s->reach);
  for (int k = 0; k < 3; ++k) {
    out->unmap[k] = f4_of((double[3]){unmap[0][k], unmap[1][k], unmap[2][k]});
    out->matrix[k] = f4_of((double[3]){b->state.matrix[0][k], b->state.matrix[1][k], b->state.matrix[2][k]});
    out->project[k] = f4_of((double[3]){s->project[0][0][k], s->project[0][1][k], s->project[0][2][k]});
    out->answer[k] =
        f4_of((double[3]){share * s->answer[0][0][k], share * s->answer[0][1][k], share * s->answer[0][2][k]});
  }
}

static void push_rotation(const double turn[3], double q[4])
{
  double angle = length3(turn), half = angle > 0 ? sin(angle / 2) / angle : 0;
  q[0] = turn[0] * half, q[1] = turn[1] * half, q[2] = turn[2] * half, q[3] = cos(angle / 2);
}

static void give_clusters(const moving *m, double h, body *b)
{
  double velocity[3], spin[3], move[3], turn[3], q[4], r[3][3], change[3 * TERMS_MOST];
  const double *rates = soft_rates(b);
  int n = b->set->size;
  bool pushed = false;
  for (int i = 0; i < 3; ++i) {
    velocity[i] = (double)m->velocity[i] - (float)b->state.velocity[i];
    spin[i] = m->spin[i], move[i] = h * m->push[i], turn[i] = h * m->push_spin[i];
    pushed |= move[i] != 0 || turn[i] != 0;
    for (int k = 0; k < n; ++k) change[i * n + k] = (double)m->more_rate[k][i] - (float)rates[i * n + k];
  }
  soft_push(b, velocity, spin, change);
  push_rotation(turn, q);
  rotation_of(q, r);
  if (pushed) soft_turn(b, move, (const double(*)[3])r);
}

/* Adds what the sweeps changed to the state; rotates and moves it by the push-out. */
static void give_body(const sim_world *world, const moving *m, body *b)
{
  body_state *state = &b->state;
  double h = world->def.step, spin[3] = {m->spin[0], m->spin[1], m->spin[2]};
  if (b->set) {
    give_clusters(m, h, b);
    return;
  }
  double turn[3] = {h * m->push_spin[0], h * m->push_spin[1], h * m->push_spin[2]}, q[4], r[3][3];
  for (int i = 0; i < 3; ++i) {
    state->velocity[i] += (double)m->velocity[i] - (float)state->velocity[i];
    state->centre[i] += h * m->push[i];
  }
  push_rotation(turn, q);
  rotation_of(q, r);
  for (int k = 0; k < b->columns; ++k) {
    double column[3] = {state->matrix[0][k], state->matrix[1][k], state->matrix[2][k]}, turned[3];
    f4 rate = k < 3 ? m->rate[k] : m->more_rate[k - 3];
    cross3(spin, column, turned);
    for (int i = 0; i < 3; ++i) {
      state->rate[i][k] += (double)rate[i] - (float)state->rate[i][k] + turned[i];
      state->matrix[i][k] = dot3(r[i], column);
    }
  }
  if (length3(turn) > 0) quaternion_turn(q, state->rotation);
}

/* ------------------------------------------------------------------------------------ sweeps -- */

static inline f4 velocity_at(const moving *m, f4 q, f4 r)
{
  return m->velocity * splat(q[3]) + m->rate[0] * splat(q[0]) + m->rate[1] * splat(q[1]) + m->rate[2] * splat(q[2]) +
         cross(m->spin, r);
}

static inline void hit(moving *m, f4 p, f4 u, f4 r)
{
  m->velocity += p * splat(u[3]);
  m->rate[0] += p * splat(u[0]);
  m->rate[1] += p * splat(u[1]);
  m->rate[2] += p * splat(u[2]);
  m->spin += times(m->inertia, cross(r, p)) * splat(m->rigid);
}

static f4 more_velocity(const moving *m, const float *q, uint32_t count)
{
  f4 v = {0};
  for (uint32_t k = 0; k < count; ++k) v += m->more_rate[k] * splat(q[k]);
  return v;
}

static void hit_more(moving *m, f4 p, const float *u, uint32_t count)
{
  for (uint32_t k = 0; k < count; ++k) m->more_rate[k] += p * splat(u[k]);
}

void solver_apply(struct solver *solver, const row *r, f4 p)
{
  moving *a = &solver->bodies[r->side[0]], *b = &solver->bodies[r->side[1]];
  hit(a, p, r->u[0], r->r[0]);
  hit(b, -p, r->u[1], r->r[1]);
  if (!(r->mores[0] | r->mores[1])) return;
  const float *more = solver->more + r->more;
  hit_more(a, p, more + r->mores[0], r->mores[0]);
  hit_more(b, -p, more + 2 * r->mores[0] + r->mores[1], r->mores[1]);
}

/* Returns the square of the speed at the contact that it has changed. */
static float sweep_row(struct solver *solver, row *r, float friction)
{
  const moving *a = &solver->bodies[r->side[0]], *b = &solver->bodies[r->side[1]];
  f4 v = velocity_at(a, r->q[0], r->r[0]) - velocity_at(b, r->q[1], r->r[1]);
  if (r->mores[0] | r->mores[1]) {
    const float *more = solver->more + r->more;
    v += more_velocity(a, more, r->mores[0]) - more_velocity(b, more + 2 * r->mores[0], r->mores[1]);
  }
  v += r->normal * splat(r->gap);
  f4 p = r->impulse - times(r->stick, v);
  float along = dot(p, r->normal);
  f4 slide = p - r->normal * splat(along);
  if (!(along >= 0) || dot(slide, slide) > friction * friction * along * along) {
    float speed = dot(v, r->normal), old = dot(r->impulse, r->normal);
    along = (float)larger(old - speed * r->normal_mass, 0);
    slide = r->impulse - r->normal * splat(old) - (v - r->normal * splat(speed)) * splat(r->slide_mass);
    float length = sqrtf(dot(slide, slide)), most = friction * along;
    if (length > most) slide *= splat(length > 0 ? most / length : 0);
    p = r->normal * splat(along) + slide;
  }
  f4 change = p - r->impulse;
  solver_apply(solver, r, change);
  r->impulse = p;
  return dot(change, change) * r->inverse * r->inverse;
}

/* ------------------------------------------------------------------------------------- stage -- */

static bool make_room(sim_world *world)
{
  struct solver *s = world->solver;
  if (!s) s = world->solver = calloc(1, sizeof *s);
  if (!s) return false;
  size_t bodies = world->body_count + 1, rates = 0;
  for (size_t i = 0; i < world->body_count; ++i)
    rates += world->bodies[i].set ? (size_t)world->bodies[i].set->size : (size_t)world->bodies[i].columns - 3;
  if (s->body_room < bodies) {
    free(s->bodies), free(s->unmap), free(s->maps);
    s->body_room = 0;
    s->bodies = aligned_alloc(64, (2 * bodies * sizeof *s->bodies + 63) / 64 * 64);
    s->maps = aligned_alloc(64, (2 * bodies * sizeof *s->maps + 63) / 64 * 64);
    s->unmap = malloc(2 * bodies * sizeof *s->unmap);
    if (!s->bodies || !s->unmap || !s->maps) return false;
    s->body_room = 2 * bodies;
  }
  if (s->rate_room < rates) {
    free(s->rates);
    s->rate_room = 0;
    s->rates = aligned_alloc(64, (2 * rates * sizeof *s->rates + 63) / 64 * 64);
    if (!s->rates) return false;
    s->rate_room = 2 * rates;
  }
  return true;
}

bool solver_take(sim_world *world)
{
  if (!make_room(world)) return false;
  struct solver *s = world->solver;
  f4 *more = s->rates;
  for (size_t i = 0; i < world->body_count; ++i) {
    const body *b = &world->bodies[i];
    if (b->state.asleep) continue;
    take_body(world, b, more, &s->bodies[i], s->unmap[i]);
    if (is_linear(b)) take_map(&world->shapes[b->shape], b, (const double(*)[3])s->unmap[i], &s->maps[i]);
    more += s->bodies[i].mores;
  }
  s->bodies[world->body_count] = (moving){.rigid = 0};
  return true;
}

void solver_clear(struct solver *s) { s->row_count = s->more_count = 0; }

/* Returns whether one of its bodies has changed in sweep number `sweep` or in the one before. The
 * body that cannot move never does. */
static bool is_stale(const struct solver *s, const row *r, uint32_t sweep)
{
  return s->bodies[r->side[0]].changed + 1 >= sweep || s->bodies[r->side[1]].changed + 1 >= sweep;
}

/* The first sweep goes over all rows, later ones over those whose bodies still change: most of a
 * pile may stand while a few bodies slip. */
int solver_sweep(sim_world *world, int sweeps)
{
  struct solver *s = world->solver;
  float speed = (float)(CONVERGED * world->def.slop / world->def.step), least = speed * speed;
  bool changes = true;
  int done = 0;
  for (size_t i = 0; i <= world->body_count; ++i) s->bodies[i].changed = 0;
  while (done < sweeps && changes && (done == 0 || budget_allows(world))) {
    uint32_t sweep = (uint32_t)++done;
    changes = false;
    for (size_t i = 0; i < s->row_count; ++i) {
      row *r = &s->rows[i];
      if (!is_stale(s, r, sweep) || !(sweep_row(s, r, (float)world->def.friction) > least)) continue;
      s->bodies[r->side[0]].changed = s->bodies[r->side[1]].changed = sweep;
      s->bodies[world->body_count].changed = 0;
      changes = true;
    }
  }
  return done;
}

void solver_give(sim_world *world)
{
  for (size_t i = 0; i < world->body_count; ++i)
    if (!world->bodies[i].state.asleep) give_body(world, &world->solver->bodies[i], &world->bodies[i]);
}

/* Last step's impulse, turned into the cone of this step's normal. */
static f4 warm(const contact *c, f4 n, float friction)
{
  f4 p = {c->impulse[0], c->impulse[1], c->impulse[2], 0};
  float along = dot(p, n);
  if (!(along > 0)) return (f4){0};
  f4 slide = p - n * splat(along);
  float length = sqrtf(dot(slide, slide)), most = friction * along;
  if (length > most) slide *= splat(most / length);
  return n * splat(along) + slide;
}

static bool moves(const sim_world *world, uint32_t b) { return b != PLANES && !world->bodies[b].state.asleep; }

/* How deep two bodies may stay in each other: `slop`, and more the slower they are. Pushing
 * bodies that stand would change their contacts, so that the impulses of the last step do not
 * hold them any more: they would sink and be pushed again forever. */
static double allowed_depth(const sim_world *world, const contact *c)
{
  double speed = world->bodies[c->a].speed, slop = world->def.slop;
  if (c->b != PLANES) speed = larger(world->bodies[c->b].speed, speed);
  return slop + (STANDING - 1) * larger(slop - speed * world->def.step, 0);
}

/* A row of bodies of which one is not a linear map. */
static row *add_general(sim_world *world, const contact *c, row_def *def)
{
  row_side sides[2];
  if (moves(world, c->a)) side_at_contact(world, c->a, c, c->node_a, &sides[0]), def->sides[0] = &sides[0];
  if (moves(world, c->b)) side_at_contact(world, c->b, c, c->node_b, &sides[1]), def->sides[1] = &sides[1];
  if (c->a == c->b) side_subtract(world, &sides[1], &sides[0]), def->sides[1] = NULL;
  return solver_add(world, def);
}

static bool add_contact(sim_world *world, const contact *c)
{
  row_def def = {.normal = {c->normal[0], c->normal[1], c->normal[2]}};
  double over = larger(c->depth - allowed_depth(world, c), 0);
  bool self = c->a == c->b;
  bool linear = is_linear(&world->bodies[c->a]) && (c->b == PLANES || is_linear(&world->bodies[c->b]));
  def.gap = larger(-c->depth, 0) / world->def.step;
  def.bias = self ? 0 : world->def.push_out / world->def.step * over;
  if (self) def.gap -= SELF_PUSH * world->def.push_out / world->def.step * over;
  f4 p = warm(c, f4_of(def.normal), (float)world->def.friction);
  for (int k = 0; k < 3; ++k) def.impulse[k] = p[k];
  row *r = linear ? solver_add_linear(world, c, &def) : add_general(world, c, &def);
  if (r) solver_apply(world->solver, r, r->impulse);
  return r != NULL;
}

/* Contacts of bodies that both cannot move have nothing to do, and keep their impulses. */
static bool has_row(const sim_world *world, const contact *c) { return moves(world, c->a) || moves(world, c->b); }

static void keep_impulses(sim_world *world)
{
  size_t count = 0;
  for (size_t i = 0; i < world->contacts.count; ++i) {
    contact *c = &world->contacts.items[i];
    if (!has_row(world, c)) continue;
    const row *r = &world->solver->rows[count++];
    for (int k = 0; k < 3; ++k) c->impulse[k] = r->impulse[k];
    c->push = r->push;
  }
}

bool solve_contacts(sim_world *world)
{
  if (!solver_take(world)) return false;
  struct solver *s = world->solver;
  solver_clear(s);
  for (size_t i = 0; i < world->contacts.count; ++i)
    if (has_row(world, &world->contacts.items[i]) && !add_contact(world, &world->contacts.items[i])) return false;
  world->stats.sweeps = solver_sweep(world, world->stats.sweeps);
  solver_push(world);
  keep_impulses(world);
  solver_give(world);
  return true;
}

void solver_destroy(struct solver *s)
{
  if (!s) return;
  free(s->bodies), free(s->maps), free(s->unmap), free(s->rates), free(s->rows), free(s->more), free(s);
}
