/* The push-out: depth is removed by a second set of velocities (push, push_spin) that moves
 * bodies but is no part of their velocities, so that it adds no speed. Bodies that stand are not
 * pushed (solve.c), and then this costs one look at each row. */
#include "solve.h"

enum { PUSH_SWEEPS = 4 };

static float push_mass(const moving *m, float inverse_mass, f4 r, f4 n)
{
  f4 t = cross(r, n);
  return inverse_mass + dot(t, times(m->inertia, t));
}

static void make_mass(const struct solver *s, row *r)
{
  float w = push_mass(&s->bodies[r->side[0]], r->u[0][3], r->r[0], r->normal) +
            push_mass(&s->bodies[r->side[1]], r->u[1][3], r->r[1], r->normal);
  r->push_mass = w > 0 ? 1 / w : 0;
}

static void push_row(struct solver *solver, row *r)
{
  moving *a = &solver->bodies[r->side[0]], *b = &solver->bodies[r->side[1]];
  f4 v = a->push * splat(r->q[0][3]) + cross(a->push_spin, r->r[0]) - b->push * splat(r->q[1][3]) -
         cross(b->push_spin, r->r[1]);
  float p = (float)larger(r->push + (r->bias - dot(v, r->normal)) * r->push_mass, 0);
  f4 change = r->normal * splat(p - r->push);
  r->push = p;
  a->push += change * splat(r->u[0][3]);
  b->push -= change * splat(r->u[1][3]);
  a->push_spin += times(a->inertia, cross(r->r[0], change));
  b->push_spin -= times(b->inertia, cross(r->r[1], change));
}

/* Without a bias all velocities stay 0. */
static bool any_bias(const struct solver *s)
{
  for (size_t i = 0; i < s->row_count; ++i)
    if (s->rows[i].bias > 0) return true;
  return false;
}

void solver_push(sim_world *world)
{
  struct solver *s = world->solver;
  if (!any_bias(s)) return;
  for (size_t i = 0; i < s->row_count; ++i) make_mass(s, &s->rows[i]);
  for (int k = 0; k < PUSH_SWEEPS && (k == 0 || budget_allows(world)); ++k)
    for (size_t i = 0; i < s->row_count; ++i) push_row(s, &s->rows[i]);
}
