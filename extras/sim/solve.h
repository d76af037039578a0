/* The inside of contact response: bodies as they move, rows of the system of contacts, and the
 * sides that rows are made of. */
#ifndef SIM_SOLVE_H
#define SIM_SOLVE_H

#include "clusters.h"

typedef float f4 __attribute__((vector_size(16)));

typedef struct moving {
  f4 velocity, spin, rate[3]; /* point velocity: velocity + rate q + spin x r */
  f4 push, push_spin;
  f4 inertia[3];    /* columns of the inverse, in the world */
  f4 *more_rate;    /* columns of products, or all of several clusters */
  uint32_t mores;   /* how many */
  uint32_t changed; /* the last sweep, from 1, that has changed it by more than a little */
  float inverse_mass, rigid;
} moving;

/* One contact, ready for sweeps. Sides that cannot move use the last entry of `moving`, which
 * has no inverse mass. */
typedef struct row {
  f4 normal, impulse;
  f4 q[2],
      /* terms of the point of contact, and affine share * inverse moments * terms; last: 1, and
       * the inverse mass */
      u[2];
  f4 r[2];     /* from the centre, as the matrix takes q */
  f4 stick[3]; /* columns of the inverse of the 3x3 inverse mass */
  float normal_mass, slide_mass, bias, push;
  float push_mass; /* known only once something is pushed */
  float inverse;   /* mass, along the normal */
  float gap;       /* speed at which the bodies may still approach: they are not yet in contact */
  uint32_t side[2], mores[2];
  uint32_t more; /* where further terms begin: q and u of side 0, then of side 1 */
} row;

/* A body of one linear map, as sides of its contacts are made with it. Columns. */
typedef struct linear_map {
  f4 unmap[3]; /* world offsets to points at rest */
  f4 project[3], matrix[3];
  f4 answer[3]; /* affine share * inverse moments */
  float most;   /* the greatest distance of a point at rest */
} linear_map;

struct solver {
  moving *bodies;
  linear_map *maps; /* of bodies that are one linear map */
  f4 *rates;        /* of all bodies: their more_rate */
  row *rows;
  size_t row_count;
  float *more; /* further terms of rows */
  size_t body_room, rate_room, row_room, more_room, more_count;
  double (*unmap)[3][3]; /* of each body of one cluster: world offsets to points at rest */
};

/* What one body has of a contact. */
typedef struct row_side {
  uint32_t body;
  double whole;  /* 1; within one body 0: its translation does not matter */
  double arm[3]; /* from the centre */
  double terms[TERMS_MOST];
} row_side;

/* What a row is made of. */
typedef struct row_def {
  const row_side *sides[2]; /* NULL: cannot move */
  double normal[3];         /* from the second side to the first */
  double gap, bias;
  float impulse[3]; /* to begin with */
} row_def;

/* solve.c: bodies with their present rates; false: out of memory. Rows stay. */
bool solver_take(sim_world *world);
void solver_clear(struct solver *s); /* no rows */
/* returns how many were made: fewer, if nothing changes any more */
int solver_sweep(sim_world *world, int sweeps);
void solver_give(sim_world *world); /* rates, and the push-out, to the bodies */

/* push.c: velocities that take bodies out of each other. */
void solver_push(sim_world *world);

/* rows.c: adds a row; NULL: out of memory. It is not applied yet. */
row *solver_add(sim_world *world, const row_def *def);
/* The same for a contact of spheres between bodies of one linear map, or of such a body and what
 * cannot move. `def` has no sides. In float: rows are. */
row *solver_add_linear(sim_world *world, const contact *c, const row_def *def);
void solver_apply(struct solver *s, const row *r, f4 impulse);
/* The side of a body at a contact of spheres; node: where the body's clusters are read. */
void side_at_contact(const sim_world *world, uint32_t body, const contact *c, uint32_t node, row_side *out);
/* Sides of vertices, exactly: begin, add with weights that sum up to 1. */
void side_begin(const sim_world *world, uint32_t body, row_side *out);
void side_add(const sim_world *world, uint32_t vertex, double weight, row_side *out);
/* of the same body */
void side_subtract(const sim_world *world, const row_side *other, row_side *out);
double affine_share(const body *b);
static inline bool is_linear(const body *b) { return !b->set && b->columns == 3; }
void unmap_matrix(const double m[3][3], double out[3][3]); /* world offsets to points at rest */

static inline f4 f4_of(const double v[3]) { return (f4){(float)v[0], (float)v[1], (float)v[2], 0}; }
static inline f4 splat(float x) { return (f4){x, x, x, x}; }
static inline float dot(f4 a, f4 b)
{
  f4 p = a * b;
  return p[0] + p[1] + p[2];
}
static inline f4 cross(f4 a, f4 b)
{
  f4 a1 = __builtin_shufflevector(a, a, 1, 2, 0, 3), b1 = __builtin_shufflevector(b, b, 1, 2, 0, 3);
  f4 c = a * b1 - a1 * b;
  return __builtin_shufflevector(c, c, 1, 2, 0, 3);
}
static inline f4 times(const f4 columns[3], f4 v)
{
  return columns[0] * splat(v[0]) + columns[1] * splat(v[1]) + columns[2] * splat(v[2]);
}

#endif
