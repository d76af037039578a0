/* Contact response: impulses at points of contact, found by Gauss-Seidel sweeps with a warm start, on reduced coordinates.
 *
 * An impulse P at a point with the terms q, distributed to the enclosed points and fitted again, changes the centre by P / M and the matrix by
 * P (inverse moments * q)^T: the *affine* answer. It is the answer of a rigid body and a part that deforms. Within the step the pull to the goal
 * takes back s = stiffness * (1 - stretch) of a deformation, so the deforming part counts 1 - s: that is the implicit step under the
 * constraint that contacts set, whose energy never grows (docs/simulate.md). Linear bodies deform by 0.3 of it, with which piles rest sooner.
 *
 * Friction is Coulomb's cone: the impulse that would make the contact stick, or, outside of the cone, the normal one with as much
 * friction as it allows. Depth is removed by a second set of velocities (push, push_spin) that moves bodies but is no part of their
 * velocities, so that it adds no speed. Lanes of 4 floats, the same on every machine. */
#include "world.h"

#include <stdlib.h>

typedef float f4 __attribute__((vector_size(16)));

/* Of the answer that deforms; docs/simulate.md has why, and what others gave. */
static const double AFFINE_LINEAR = 0.3, AFFINE_QUADRATIC = 1;
enum { PUSH_SWEEPS = 4 };

typedef struct moving {
  f4 velocity, spin, rate[3]; /* point velocity: velocity + rate q + spin x r */
  f4 more_rate[6];            /* columns of products */
  f4 push, push_spin;
  f4 inertia[3]; /* columns of the inverse, in the world */
  float inverse_mass, rigid;
} moving;

/* One contact, ready for sweeps. Sides that cannot move use the last entry of `moving`, which has no inverse mass. */
typedef struct row {
  f4 normal, impulse;
  f4 q[2], u[2]; /* terms of the point of contact, and affine share * inverse moments * terms */
  f4 r[2];       /* from the centre, as the matrix takes q */
  f4 stick[3];   /* columns of the inverse of the 3x3 inverse mass */
  float normal_mass, slide_mass, push_mass, bias, push;
  float gap; /* speed at which the bodies may still approach: they are not yet in contact */
  uint32_t side[2];
} row;

typedef struct more_terms {
  float q[2][6], u[2][6];
} more_terms;

struct solver {
  moving *bodies;
  row *rows;
  more_terms *more; /* of each row, if a body has products */
  size_t body_room, row_room, more_room;
  double (*unmap)[3][3]; /* of each body: world offsets to points at rest */
};

/* The share of the affine answer: of what it deforms, the pull to the goal takes back `stiffness * (1 - stretch)` within the step. */
static double affine_share(const body *b)
{
  double most = b->def.mode == SIM_QUADRATIC ? AFFINE_QUADRATIC : AFFINE_LINEAR;
  return b->def.mode == SIM_RIGID ? 0 : most * (1 - b->def.stiffness * (1 - b->def.stretch));
}

static f4 f4_of(const double v[3]) { return (f4){(float)v[0], (float)v[1], (float)v[2], 0}; }
static f4 splat(float x) { return (f4){x, x, x, x}; }
static float dot(f4 a, f4 b)
{
  f4 p = a * b;
  return p[0] + p[1] + p[2];
}
static f4 cross(f4 a, f4 b)
{
  f4 a1 = __builtin_shufflevector(a, a, 1, 2, 0, 3), b1 = __builtin_shufflevector(b, b, 1, 2, 0, 3);
  f4 c = a * b1 - a1 * b;
  return __builtin_shufflevector(c, c, 1, 2, 0, 3);
}
static f4 times(const f4 columns[3], f4 v)
{
  return columns[0] * splat(v[0]) + columns[1] * splat(v[1]) + columns[2] * splat(v[2]);
}

/* -------------------------------------------------------------------------------------------------------- bodies -- */

/* World offset to point at rest: the inverse of the matrix, or of one that a crushed body would have a little fatter. */
static void make_unmap(const body *b, double out[3][3])
{
  double m[3][3], normal[3][3], inverse[3][3];
  for (int i = 0; i < 3; ++i) memcpy(m[i], b->state.matrix[i], sizeof m[i]);
  double det = det3((const double(*)[3])m);
  if (fabs(det) > 0.05 && inverse3((const double(*)[3])m, out)) return;
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j)
      normal[i][j] = (i == j ? 0.05 : 0) + m[0][i] * m[0][j] + m[1][i] * m[1][j] + m[2][i] * m[2][j];
  if (!inverse3((const double(*)[3])normal, inverse)) memset(inverse, 0, sizeof inverse);
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) out[i][j] = inverse[i][0] * m[j][0] + inverse[i][1] * m[j][1] + inverse[i][2] * m[j][2];
}

static void make_inertia(const shape *s, const body *b, f4 out[3])
{
  double second[3][3] = {{0}}, inertia[3][3], inverse[3][3], trace = 0;
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j)
      for (int k = 0; k < b->columns; ++k)
        for (int l = 0; l < b->columns; ++l)
          second[i][j] += b->state.matrix[i][k] * s->moments[k][l] * b->state.matrix[j][l];
  for (int i = 0; i < 3; ++i) trace += second[i][i];
  double least = 1e-3 * s->mass * s->reach * s->reach;
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) inertia[i][j] = (i == j ? trace + least : 0) - second[i][j];
  if (!inverse3((const double(*)[3])inertia, inverse)) memset(inverse, 0, sizeof inverse);
  for (int k = 0; k < 3; ++k) out[k] = (f4){(float)inverse[0][k], (float)inverse[1][k], (float)inverse[2][k], 0};
}

static void take_body(const sim_world *world, const body *b, moving *m, double unmap[3][3])
{
  const shape *s = &world->shapes[b->shape];
  const body_state *state = &b->state;
  *m = (moving){.inverse_mass = (float)(1 / s->mass), .rigid = (float)(1 - affine_share(b))};
  m->velocity = f4_of(state->velocity);
  for (int k = 0; k < 3; ++k)
    m->rate[k] = (f4){(float)state->rate[0][k], (float)state->rate[1][k], (float)state->rate[2][k], 0};
  for (int k = 3; k < b->columns; ++k)
    m->more_rate[k - 3] = (f4){(float)state->rate[0][k], (float)state->rate[1][k], (float)state->rate[2][k], 0};
  make_inertia(s, b, m->inertia);
  make_unmap(b, unmap);
}

/* Adds what the sweeps changed to the state; rotates and moves it by the push-out. */
static void give_body(const sim_world *world, const moving *m, body *b)
{
  body_state *state = &b->state;
  double h = world->def.step, spin[3] = {m->spin[0], m->spin[1], m->spin[2]};
  double turn[3] = {h * m->push_spin[0], h * m->push_spin[1], h * m->push_spin[2]};
  for (int i = 0; i < 3; ++i) {
    state->velocity[i] += (double)m->velocity[i] - (float)state->velocity[i];
    state->centre[i] += h * m->push[i];
  }
  double angle = length3(turn), half = angle > 0 ? sin(angle / 2) / angle : 0, r[3][3];
  double q[4] = {turn[0] * half, turn[1] * half, turn[2] * half, cos(angle / 2)};
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
  if (angle > 0) quaternion_turn(q, state->rotation);
}

/* ---------------------------------------------------------------------------------------------------------- rows -- */

typedef struct side_mass {
  double m[3][3];
} side_mass;

static void contact_terms(const shape *s, const double q[3], int columns, double out[9])
{
  double terms[9];
  shape_terms(s, q, columns, terms);
  for (int i = 0; i < columns; ++i) {
    out[i] = 0;
    for (int j = 0; j < columns; ++j) out[i] += s->project[columns > 3][i][j] * terms[j];
  }
}

/* The terms of the point of contact, and the 3x3 inverse mass there. */
static void make_side(const sim_world *world, struct solver *solver, size_t index, const contact *c, row *r, int side,
                      more_terms *more, double mass[3][3])
{
  const body *b = &world->bodies[index];
  const shape *s = &world->shapes[b->shape];
  const moving *m = &solver->bodies[index];
  double offset[3], q[3], terms[9], at[3], u[9] = {0};
  for (int k = 0; k < 3; ++k) offset[k] = c->point[k] - b->state.centre[k];
  for (int k = 0; k < 3; ++k) q[k] = dot3(solver->unmap[index][k], offset);
  double length = length3(q), most = 1.1 * s->reach;
  for (int k = 0; k < 3 && length > most; ++k) q[k] *= most / length;
  contact_terms(s, q, b->columns, terms);
  body_point(b, terms, at);
  double share = affine_share(b), affine = 0;
  for (int i = 0; i < b->columns && share > 0; ++i) {
    for (int j = 0; j < b->columns; ++j) u[i] += share * s->answer[b->columns > 3][i][j] * terms[j];
    affine += u[i] * terms[i];
  }
  double arm[3] = {at[0] - b->state.centre[0], at[1] - b->state.centre[1], at[2] - b->state.centre[2]};
  r->side[side] = (uint32_t)index;
  r->q[side] = f4_of(terms);
  r->u[side] = f4_of(u);
  r->r[side] = f4_of(arm);
  for (int k = 3; k < b->columns; ++k) more->q[side][k - 3] = (float)terms[k], more->u[side][k - 3] = (float)u[k];
  for (int k = 0; k < 3; ++k) {
    f4 e = {k == 0, k == 1, k == 2, 0}, w = cross(times(m->inertia, cross(r->r[side], e)), r->r[side]);
    for (int i = 0; i < 3; ++i) mass[i][k] += (i == k ? m->inverse_mass + affine : 0) + m->rigid * w[i];
  }
}

static float push_mass(const moving *m, f4 r, f4 n)
{
  f4 t = cross(r, n);
  return m->inverse_mass + dot(t, times(m->inertia, t));
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

static void make_row(const sim_world *world, struct solver *solver, const contact *c, row *r, more_terms *more)
{
  const double *n0 = (const double[3]){c->normal[0], c->normal[1], c->normal[2]};
  double mass[3][3] = {{0}}, inverse[3][3];
  size_t still = world->body_count, bodies[2] = {c->a, c->b == PLANES ? still : c->b};
  *r = (row){.normal = f4_of(n0), .push = 0, .side = {(uint32_t)still, (uint32_t)still}};
  for (int k = 0; k < 2; ++k)
    if (bodies[k] != still && !world->bodies[bodies[k]].state.asleep)
      make_side(world, solver, bodies[k], c, r, k, more, mass);
  double along = 0, trace = mass[0][0] + mass[1][1] + mass[2][2];
  for (int i = 0; i < 3; ++i) along += n0[i] * dot3(mass[i], n0);
  if (!inverse3((const double(*)[3])mass, inverse)) memset(inverse, 0, sizeof inverse);
  for (int k = 0; k < 3; ++k) r->stick[k] = (f4){(float)inverse[0][k], (float)inverse[1][k], (float)inverse[2][k], 0};
  r->normal_mass = along > 0 ? (float)(1 / along) : 0;
  r->slide_mass = trace - along > 0 ? (float)(1 / (trace - along)) : 0;
  float w = push_mass(&solver->bodies[r->side[0]], r->r[0], r->normal) +
            push_mass(&solver->bodies[r->side[1]], r->r[1], r->normal);
  r->push_mass = w > 0 ? 1 / w : 0;
  float over = c->depth - (float)world->def.slop;
  r->bias = over > 0 ? (float)(world->def.push_out / world->def.step) * over : 0;
  r->gap = c->depth < 0 ? (float)(-c->depth / world->def.step) : 0;
  r->impulse = warm(c, r->normal, (float)world->def.friction);
}

/* -------------------------------------------------------------------------------------------------------- sweeps -- */

static inline f4 velocity_at(const moving *m, f4 q, f4 r)
{
  return m->velocity + m->rate[0] * splat(q[0]) + m->rate[1] * splat(q[1]) + m->rate[2] * splat(q[2]) +
         cross(m->spin, r);
}

static inline void hit(moving *m, f4 p, f4 u, f4 r)
{
  m->velocity += p * splat(m->inverse_mass);
  m->rate[0] += p * splat(u[0]);
  m->rate[1] += p * splat(u[1]);
  m->rate[2] += p * splat(u[2]);
  m->spin += times(m->inertia, cross(r, p)) * splat(m->rigid);
}

static f4 more_velocity(const moving *m, const float q[6])
{
  f4 v = {0};
  for (int k = 0; k < 6; ++k) v += m->more_rate[k] * splat(q[k]);
  return v;
}

static void apply(struct solver *solver, const row *r, const more_terms *more, f4 p)
{
  moving *a = &solver->bodies[r->side[0]], *b = &solver->bodies[r->side[1]];
  hit(a, p, r->u[0], r->r[0]);
  hit(b, -p, r->u[1], r->r[1]);
  for (int k = 0; more && k < 6; ++k) {
    a->more_rate[k] += p * splat(more->u[0][k]);
    b->more_rate[k] -= p * splat(more->u[1][k]);
  }
}

static void sweep_row(struct solver *solver, row *r, const more_terms *more, float friction)
{
  const moving *a = &solver->bodies[r->side[0]], *b = &solver->bodies[r->side[1]];
  f4 v = velocity_at(a, r->q[0], r->r[0]) - velocity_at(b, r->q[1], r->r[1]);
  if (more) v += more_velocity(a, more->q[0]) - more_velocity(b, more->q[1]);
  v += r->normal * splat(r->gap);
  f4 p = r->impulse - times(r->stick, v);
  float along = dot(p, r->normal);
  f4 slide = p - r->normal * splat(along);
  if (!(along >= 0) || dot(slide, slide) > friction * friction * along * along) {
    float speed = dot(v, r->normal), old = dot(r->impulse, r->normal);
    along = fmaxf(0, old - speed * r->normal_mass);
    slide = r->impulse - r->normal * splat(old) - (v - r->normal * splat(speed)) * splat(r->slide_mass);
    float length = sqrtf(dot(slide, slide)), most = friction * along;
    if (length > most) slide *= splat(length > 0 ? most / length : 0);
    p = r->normal * splat(along) + slide;
  }
  apply(solver, r, more, p - r->impulse);
  r->impulse = p;
}

static void push_row(struct solver *solver, row *r)
{
  moving *a = &solver->bodies[r->side[0]], *b = &solver->bodies[r->side[1]];
  f4 v = a->push + cross(a->push_spin, r->r[0]) - b->push - cross(b->push_spin, r->r[1]);
  float p = fmaxf(0, r->push + (r->bias - dot(v, r->normal)) * r->push_mass);
  f4 change = r->normal * splat(p - r->push);
  r->push = p;
  a->push += change * splat(a->inverse_mass);
  b->push -= change * splat(b->inverse_mass);
  a->push_spin += times(a->inertia, cross(r->r[0], change));
  b->push_spin -= times(b->inertia, cross(r->r[1], change));
}

/* --------------------------------------------------------------------------------------------------------- stage -- */

static bool make_room(sim_world *world, bool products)
{
  struct solver *s = world->solver;
  if (!s) s = world->solver = calloc(1, sizeof *s);
  if (!s) return false;
  size_t bodies = world->body_count + 1, rows = world->contacts.count;
  if (s->body_room < bodies) {
    free(s->bodies), free(s->unmap);
    s->body_room = 0;
    s->bodies = aligned_alloc(64, (2 * bodies * sizeof *s->bodies + 63) / 64 * 64);
    s->unmap = malloc(2 * bodies * sizeof *s->unmap);
    if (!s->bodies || !s->unmap) return false;
    s->body_room = 2 * bodies;
  }
  if (s->row_room < rows) {
    free(s->rows);
    s->row_room = 0;
    s->rows = aligned_alloc(64, (2 * rows * sizeof *s->rows + 63) / 64 * 64);
    if (!s->rows) return false;
    s->row_room = 2 * rows;
  }
  if (products && s->more_room < rows) {
    free(s->more);
    s->more_room = 0;
    s->more = malloc(2 * rows * sizeof *s->more);
    if (!s->more) return false;
    s->more_room = 2 * rows;
  }
  return true;
}

static void take_bodies(sim_world *world)
{
  for (size_t i = 0; i < world->body_count; ++i) {
    const body *b = &world->bodies[i];
    if (b->state.asleep) continue;
    take_body(world, b, &world->solver->bodies[i], world->solver->unmap[i]);
  }
  world->solver->bodies[world->body_count] = (moving){.rigid = 0};
}

/* Contacts of bodies that both cannot move have nothing to do, and keep their impulses. */
static size_t make_rows(sim_world *world, bool products)
{
  struct solver *s = world->solver;
  size_t count = 0;
  for (size_t i = 0; i < world->contacts.count; ++i) {
    const contact *c = &world->contacts.items[i];
    if (world->bodies[c->a].state.asleep && (c->b == PLANES || world->bodies[c->b].state.asleep)) continue;
    if (products) s->more[count] = (more_terms){{{0}}, {{0}}};
    make_row(world, s, c, &s->rows[count], products ? &s->more[count] : NULL);
    apply(s, &s->rows[count], products ? &s->more[count] : NULL, s->rows[count].impulse);
    ++count;
  }
  return count;
}

static void keep_impulses(sim_world *world)
{
  size_t count = 0;
  for (size_t i = 0; i < world->contacts.count; ++i) {
    contact *c = &world->contacts.items[i];
    if (world->bodies[c->a].state.asleep && (c->b == PLANES || world->bodies[c->b].state.asleep)) continue;
    const row *r = &world->solver->rows[count++];
    for (int k = 0; k < 3; ++k) c->impulse[k] = r->impulse[k];
    c->push = r->push;
  }
}

bool solve_contacts(sim_world *world)
{
  bool products = false;
  for (size_t i = 0; i < world->body_count; ++i) products |= world->bodies[i].columns > 3;
  if (!make_room(world, products)) return false;
  struct solver *s = world->solver;
  take_bodies(world);
  size_t rows = make_rows(world, products);
  for (int k = 0; k < world->stats.sweeps; ++k)
    for (size_t i = 0; i < rows; ++i)
      sweep_row(s, &s->rows[i], products ? &s->more[i] : NULL, (float)world->def.friction);
  for (int k = 0; k < PUSH_SWEEPS; ++k)
    for (size_t i = 0; i < rows; ++i) push_row(s, &s->rows[i]);
  keep_impulses(world);
  for (size_t i = 0; i < world->body_count; ++i)
    if (!world->bodies[i].state.asleep) give_body(world, &s->bodies[i], &world->bodies[i]);
  return true;
}

void solver_destroy(struct solver *s)
{
  if (!s) return;
  free(s->bodies), free(s->unmap), free(s->rows), free(s->more), free(s);
}
