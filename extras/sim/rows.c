/* Rows of the contact system: the terms of a contact on each of its sides, and the inverse mass
 * there.
 *
 * An impulse P at a point with the terms q, distributed to the enclosed points and fitted again,
 * changes the centre by P / M and the matrix by P (inverse moments * q)^T: the *affine* answer.
 * It is the answer of a rigid body and a part that deforms. Within the step the pull to the goal
 * takes back s = stiffness * (1 - stretch) of a deformation, so the deforming part counts 1 - s:
 * that is the implicit step under the constraint that contacts set, whose energy never grows
 * (docs/simulate.md). Linear bodies deform by 0.3 of it, with which piles rest sooner. Bodies of
 * several clusters answer with the matrix of their set (clusters.c), whose terms are all `more`
 * terms.
 *
 * Within one body both sides are one: the difference of their terms and arms. Translations
 * cancel. */
#include "solve.h"

#include <stdlib.h>

/* Of the answer that deforms; docs/simulate.md has why, and what others gave. */
static const double AFFINE_LINEAR = 0.3, AFFINE_QUADRATIC = 1;

double affine_share(const body *b)
{
  double most = b->def.mode == SIM_QUADRATIC ? AFFINE_QUADRATIC : AFFINE_LINEAR;
  if (b->set) return b->set->turning;
  return b->def.mode == SIM_RIGID ? 0 : most * (1 - b->def.stiffness * (1 - b->def.stretch));
}

/* ------------------------------------------------------------------------------------- sides -- */

static void one_cluster(const sim_world *world, const body *b, const double offset[3], row_side *out)
{
  const shape *s = &world->shapes[b->shape];
  const struct solver *solver = world->solver;
  double q[3], terms[9], at[3];
  for (int k = 0; k < 3; ++k) q[k] = dot3(solver->unmap[out->body][k], offset);
  double length = length3(q), most = 1.1 * s->reach;
  for (int k = 0; k < 3 && length > most; ++k) q[k] *= most / length;
  shape_terms(s, q, b->columns, terms);
  for (int i = 0; i < b->columns; ++i) {
    out->terms[i] = 0;
    for (int j = 0; j < b->columns; ++j) out->terms[i] += s->project[b->columns > 3][i][j] * terms[j];
  }
  body_point(b, out->terms, at);
  for (int k = 0; k < 3; ++k) out->arm[k] = at[k] - b->state.centre[k];
}

/* The mean map of the clusters of a surface point, and the point of it that is at `place`. */
static void unmap_clusters(const body *b, size_t like, const double place[3], double reach, double out[3])
{
  const cluster_set *set = b->set;
  uint32_t begin = set->first[like], end = set->first[like + 1];
  double m[3][3] = {{0}}, at[3], inverse[3][3];
  memcpy(at, place, sizeof at);
  for (uint32_t i = begin; i < end; ++i)
    for (int r = 0; r < 3; ++r) {
      const double *own = b->coords + r * set->size + (int)set->of[i] * (1 + set->columns), part = 1.0 / (end - begin);
      at[r] -= part * (own[0] - dot3(own + 1, set->centre[set->of[i]]));
      for (int c = 0; c < 3; ++c) m[r][c] += part * own[1 + c];
    }
  unmap_matrix((const double(*)[3])m, inverse);
  for (int k = 0; k < 3; ++k) out[k] = dot3(inverse[k], at);
  double length = length3(out);
  for (int k = 0; k < 3 && length > 1.1 * reach; ++k) out[k] *= 1.1 * reach / length;
}

static void less_middle(const cluster_set *set, bool project, double *terms)
{
  double whole[TERMS_MOST];
  for (int i = 0; i < set->size; ++i) whole[i] = terms[i] - set->middle[i];
  for (int i = 0; i < set->size; ++i) {
    terms[i] = project ? 0 : whole[i];
    for (int j = 0; project && j < set->size; ++j) terms[i] += set->project[i * set->size + j] * whole[j];
  }
}

void side_at_contact(const sim_world *world, uint32_t index, const contact *c, uint32_t node, row_side *out)
{
  const body *b = &world->bodies[index];
  double place[3] = {c->point[0], c->point[1], c->point[2]}, offset[3];
  for (int k = 0; k < 3; ++k) offset[k] = place[k] - b->state.centre[k];
  out->body = index, out->whole = 1;
  if (!b->set) {
    one_cluster(world, b, offset, out);
    return;
  }
  size_t like = touch_node_point(world, index, node);
  double at[3];
  unmap_clusters(b, like, place, world->shapes[b->shape].reach, at);
  clusters_terms(b->set, like, at, out->terms);
  less_middle(b->set, true, out->terms);
  memcpy(out->arm, offset, sizeof offset);
}

void side_begin(const sim_world *world, uint32_t index, row_side *out)
{
  const body *b = &world->bodies[index];
  *out = (row_side){.body = index, .whole = 1};
  for (int i = 0; b->set && i < b->set->size; ++i) out->terms[i] = -b->set->middle[i];
}

void side_add(const sim_world *world, uint32_t vertex, double weight, row_side *out)
{
  const body *b = &world->bodies[out->body];
  const shape *s = &world->shapes[b->shape];
  double q[3] = {s->points[3 * vertex], s->points[3 * vertex + 1], s->points[3 * vertex + 2]}, x[3], terms[TERMS_MOST];
  int size = b->set ? b->set->size : b->columns;
  if (b->set)
    clusters_terms(b->set, vertex, q, terms);
  else
    shape_terms(s, q, b->columns, terms);
  body_vertex(s, b, vertex, 0, x);
  for (int i = 0; i < size; ++i) out->terms[i] += weight * terms[i];
  for (int k = 0; k < 3; ++k) out->arm[k] += weight * (x[k] - b->state.centre[k]);
}

void side_subtract(const sim_world *world, const row_side *other, row_side *out)
{
  const body *b = &world->bodies[out->body];
  int size = b->set ? b->set->size : b->columns;
  for (int i = 0; i < size; ++i) out->terms[i] -= other->terms[i];
  for (int k = 0; k < 3; ++k) out->arm[k] -= other->arm[k];
  out->whole = 0;
}

/* -------------------------------------------------------------------------------------- rows -- */

/* The change of coordinates by an impulse; returns the inverse mass that it is. */
static double answer_of(const sim_world *world, const body *b, const double *terms, double *out)
{
  const shape *s = &world->shapes[b->shape];
  int size = b->set ? b->set->size : b->columns;
  double share = b->set ? 1 : affine_share(b), sum = 0;
  memset(out, 0, (size_t)size * sizeof *out);
  for (int i = 0; i < size && share > 0; ++i) {
    const double *line = b->set ? b->set->answer + i * size : s->answer[b->columns > 3][i];
    for (int j = 0; j < size; ++j) out[i] += share * line[j] * terms[j];
    sum += out[i] * terms[i];
  }
  return sum;
}

static void make_side(const sim_world *world, const row_side *from, row *r, int side, double mass[3][3])
{
  const body *b = &world->bodies[from->body];
  struct solver *solver = world->solver;
  const moving *m = &solver->bodies[from->body];
  double u[TERMS_MOST], affine = answer_of(world, b, from->terms, u);
  int size = b->set ? b->set->size : b->columns, first = b->set ? 0 : 3;
  r->side[side] = from->body;
  if (!b->set) r->q[side] = f4_of(from->terms), r->u[side] = f4_of(u);
  r->q[side][3] = (float)from->whole;
  r->u[side][3] = (float)from->whole * m->inverse_mass;
  r->r[side] = f4_of(from->arm);
  r->mores[side] = (uint32_t)(size - first);
  for (int k = first; k < size; ++k) solver->more[solver->more_count++] = (float)from->terms[k];
  for (int k = first; k < size; ++k) solver->more[solver->more_count++] = (float)u[k];
  for (int k = 0; k < 3; ++k) {
    f4 e = {k == 0, k == 1, k == 2, 0}, w = cross(times(m->inertia, cross(r->r[side], e)), r->r[side]);
    for (int i = 0; i < 3; ++i) mass[i][k] += (i == k ? r->u[side][3] + affine : 0) + m->rigid * w[i];
  }
}

static bool make_room(struct solver *s)
{
  if (s->row_room == s->row_count) {
    size_t room = 2 * s->row_room + 256;
    row *rows = aligned_alloc(64, (room * sizeof *rows + 63) / 64 * 64);
    if (!rows) return false;
    if (s->row_count) memcpy(rows, s->rows, s->row_count * sizeof *rows);
    free(s->rows);
    s->rows = rows, s->row_room = room;
  }
  if (s->more_room - s->more_count < 4 * TERMS_MOST) {
    size_t room = 2 * s->more_room + 8 * TERMS_MOST;
    float *more = realloc(s->more, room * sizeof *more);
    if (!more) return false;
    s->more = more, s->more_room = room;
  }
  return true;
}

/* A row without sides; NULL: out of memory. */
static row *begin_row(sim_world *world, const row_def *def)
{
  struct solver *s = world->solver;
  if (!make_room(s)) return NULL;
  uint32_t still = (uint32_t)world->body_count;
  row *r = &s->rows[s->row_count++];
  *r = (row){.normal = f4_of(def->normal),
             .side = {still, still},
             .more = (uint32_t)s->more_count,
             .gap = (float)def->gap,
             .bias = (float)def->bias,
             .impulse = {def->impulse[0], def->impulse[1], def->impulse[2], 0}};
  return r;
}

row *solver_add(sim_world *world, const row_def *def)
{
  const struct solver *s = world->solver;
  double mass[3][3] = {{0}}, inverse[3][3], along = 0;
  row *r = begin_row(world, def);
  if (!r) return NULL;
  for (int k = 0; k < 2; ++k)
    if (def->sides[k]) make_side(world, def->sides[k], r, k, mass);
  double trace = mass[0][0] + mass[1][1] + mass[2][2];
  for (int i = 0; i < 3; ++i) along += def->normal[i] * dot3(mass[i], def->normal);
  double least = 1e-6 * (s->bodies[r->side[0]].inverse_mass + s->bodies[r->side[1]].inverse_mass);
  if (!(along > least) || !inverse3((const double(*)[3])mass, inverse)) memset(inverse, 0, sizeof inverse);
  if (!(along > least)) along = trace = 0; /* nothing can move there, as within a rigid body */
  for (int k = 0; k < 3; ++k) r->stick[k] = (f4){(float)inverse[0][k], (float)inverse[1][k], (float)inverse[2][k], 0};
  r->inverse = (float)along;
  r->normal_mass = along > 0 ? (float)(1 / along) : 0;
  r->slide_mass = trace - along > 0 ? (float)(1 / (trace - along)) : 0;
  return r;
}

/* ------------------------------------------------------------------------------- linear rows -- */

static const f4 UNIT[4] = {{1, 0, 0, 0}, {0, 1, 0, 0}, {0, 0, 1, 0}, {0, 0, 0, 1}};

/* Adds the columns of an inverse mass: inverse + rigid * (r x)^T inertia (r x). */
static void add_mass(const moving *m, float inverse, f4 r, f4 mass[3])
{
  f4 rigid = splat(m->rigid), x = splat(r[0]), y = splat(r[1]), z = splat(r[2]), all = splat(inverse);
  mass[0] += cross(m->inertia[1] * z - m->inertia[2] * y, r) * rigid + UNIT[0] * all;
  mass[1] += cross(m->inertia[2] * x - m->inertia[0] * z, r) * rigid + UNIT[1] * all;
  mass[2] += cross(m->inertia[0] * y - m->inertia[1] * x, r) * rigid + UNIT[2] * all;
}

static void linear_side(const sim_world *world, uint32_t index, const contact *c, row *r, int side, f4 mass[3])
{
  const linear_map *map = &world->solver->maps[index];
  const moving *m = &world->solver->bodies[index];
  const double *centre = world->bodies[index].state.centre;
  f4 q = times(map->unmap, (f4){(float)(c->point[0] - centre[0]), (float)(c->point[1] - centre[1]),
                                (float)(c->point[2] - centre[2]), 0});
  float length = sqrtf(dot(q, q));
  if (length > map->most) q *= splat(map->most / length);
  q = times(map->project, q);
  f4 u = times(map->answer, q);
  r->side[side] = index;
  r->r[side] = times(map->matrix, q);
  add_mass(m, m->inverse_mass + dot(u, q), r->r[side], mass);
  r->q[side] = q + UNIT[3];
  r->u[side] = u + UNIT[3] * splat(m->inverse_mass);
}

/* At least one side moves as a whole, so that nothing is near 0 here. The inverse mass is
 * symmetric: its columns are its rows. */
row *solver_add_linear(sim_world *world, const contact *c, const row_def *def)
{
  row *r = begin_row(world, def);
  if (!r) return NULL;
  f4 mass[3] = {{0}}, n = r->normal;
  if (!world->bodies[c->a].state.asleep) linear_side(world, c->a, c, r, 0, mass);
  if (c->b != PLANES && !world->bodies[c->b].state.asleep) linear_side(world, c->b, c, r, 1, mass);
  float along = dot(n, times(mass, n)), trace = mass[0][0] + mass[1][1] + mass[2][2], part = 1 / trace;
  /* so that no determinant leaves the range of float */
  for (int k = 0; k < 3; ++k) mass[k] *= splat(part);
  f4 first = cross(mass[1], mass[2]);
  float scale = part / dot(mass[0], first);
  r->stick[0] = first * splat(scale);
  r->stick[1] = cross(mass[2], mass[0]) * splat(scale);
  r->stick[2] = cross(mass[0], mass[1]) * splat(scale);
  r->inverse = along;
  r->normal_mass = 1 / along;
  r->slide_mass = 1 / (trace - along);
  return r;
}
