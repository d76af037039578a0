/* The inside of a world: what shapes, bodies and contacts hold, and the stages of a step. */
#ifndef SIM_WORLD_H
#define SIM_WORLD_H

#include "linear.h"
#include "sim/sim.h"

/* ------------------------------------------------------------------------------------ shapes -- */

typedef struct shape {
  size_t point_count, triangle_count;
  /* points, and then samples on large triangles: contacts are found on these */
  size_t surface_count;
  float *points;  /* 3 * surface_count, from the centre of mass, in the caller's order */
  float *normals; /* 3 * surface_count, outward, of unit length */
  double *masses; /* surface_count */
  uint32_t *triangles;
  double centre[3];
  double mass, reach; /* reach: the greatest distance of a point from the centre */
  /* of the quadratic terms, subtracted from them so that they move no centre of mass */
  double product_mean[6];
  double moments[9][9];        /* sum of mass * q q^T over the 9 terms */
  double inverse_linear[3][3]; /* of its 3x3 part, regularised */
  double inverse[9][9];        /* of all, regularised */
  /* For contacts, of 3 terms and of 9: terms of any point without what no point of the shape has
   * (a flat one's third direction, the sum of squares of a ball), and the inverse of the moments
   * there. */
  double project[2][9][9], answer[2][9][9];
} shape;

/* The 9 terms of a point: x, y, z, then the centred products xx, yy, zz, xy, yz, zx. */
static inline void shape_terms(const shape *s, const double q[3], int columns, double out[9])
{
  out[0] = q[0], out[1] = q[1], out[2] = q[2];
  if (columns == 3) return;
  out[3] = q[0] * q[0] - s->product_mean[0], out[4] = q[1] * q[1] - s->product_mean[1];
  out[5] = q[2] * q[2] - s->product_mean[2], out[6] = q[0] * q[1] - s->product_mean[3];
  out[7] = q[1] * q[2] - s->product_mean[4], out[8] = q[2] * q[0] - s->product_mean[5];
}

/* The terms of a map of pliant's: as above, products not centred. */
static inline void map_terms(const double q[3], int columns, double out[9])
{
  out[0] = q[0], out[1] = q[1], out[2] = q[2];
  if (columns == 3) return;
  out[3] = q[0] * q[0], out[4] = q[1] * q[1], out[5] = q[2] * q[2];
  out[6] = q[0] * q[1], out[7] = q[1] * q[2], out[8] = q[2] * q[0];
}

sim_status shape_make(const sim_shape_def *def, shape *out, const char **why);
void shape_free(shape *s);
bool shape_make_surface(shape *s); /* false: out of memory */

/* ------------------------------------------------------------------------------------ bodies -- */

/* The state of a body: x_i = matrix * terms(q_i) + centre for every point. */
typedef struct body_state {
  double matrix[3][9], rate[3][9];
  double centre[3], velocity[3];
  double rotation[4];   /* of the last fit: where the next one begins */
  double plastic[3][3]; /* the shape at rest, as plasticity has changed it */
  int slow_steps;       /* for how long it has been slower than sleep_speed */
  bool asleep;
} body_state;

typedef struct body {
  sim_body_def def;
  int shape, columns; /* 3 or 9 */
  body_state state;
  double goal[3][9]; /* rotation times plastic shape: where elastic energy is 0 */
  /* at the end of the last step, if it is known; other: without the kinetic part */
  double energy, other;
  body_state before; /* at the start of the step */
  double speed;      /* there: sim_body_speed() */
  bool energy_known;
  bool placed; /* the spheres of the touch stage are those of this state */
  /* Several clusters, else NULL: what bodies like this share, and the state (soft.h), which then
   * replaces matrix, rate, rotation and plastic of `state`. */
  struct cluster_set *set;
  double *coords, *coords_before; /* before: at the start of the step */
} body;

/* ---------------------------------------------------------------------------------- contacts -- */

/* as the second body of a contact: node_b is then the number of a plane */
enum { PLANES = 0x7fffffff };

typedef struct contact {
  uint32_t a, b; /* bodies, a < b; b may be PLANES, or a: a body and itself */
  uint32_t node_a, node_b;
  float normal[3]; /* from b to a */
  float point[3];
  float depth;
  float size;       /* radius of the smaller node */
  float impulse[3]; /* of this step, kept for the next: the warm start */
  float push;       /* impulse of the push-out */
} contact;

typedef struct contact_list {
  contact *items;
  size_t count, capacity;
  size_t planes; /* contacts [0, planes) are with planes */
} contact_list;

/* Room for one more at the end, or NULL. */
contact *contact_add(contact_list *list);

/* Of bodies that touch, directly or through others. */
typedef struct island_sums {
  double gain, kinetic, mass, momentum[3];
  bool touched;
  bool looked_at; /* also without contacts */
  bool held;      /* touches a plane, or a body that sleeps */
} island_sums;

struct sim_world {
  sim_world_def def;
  shape *shapes;
  size_t shape_count, shape_capacity;
  body *bodies;
  size_t body_count, body_capacity;
  sim_plane *planes;
  size_t plane_count, plane_capacity;
  struct cluster_set **sets; /* of bodies of several clusters */
  size_t set_count;

  uint64_t step;
  contact_list contacts, last; /* planes first; each by (a, b, nodes) */
  struct touch_stage *touch;   /* contacts of spheres; NULL: not in use */
  size_t room_bodies;          /* the number of bodies that arrays by body have room for */
  uint32_t *island;            /* of each body: a representative */
  uint8_t *island_wakes;
  island_sums *sums; /* of each body's island, at its representative */
  struct solver *solver;
  struct triangle_stage *triangles; /* SIM_LEVEL_ALL; NULL: not in use */
  int level;                        /* of this step */
  int level_hold;                   /* steps before it may rise again */
  /* milliseconds of the clock; until: infinite without a budget */
  double sweep_begin, sweeps_until;
  /* for the governor; from when bodies were last changed from outside */
  double energy_start, energy_least;
  bool account_open;
  sim_stats stats;
  char message[256];
};

sim_status world_fail(sim_world *world, sim_status status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
double world_clock_ms(void); /* processor time of this thread */

/* -------------------------------------------------------------------------- stages of a step -- */

bool world_reserve(sim_world *world);         /* arrays by body */
sim_status detect_contacts(sim_world *world); /* states -> contacts */
/* states, gravity -> velocities that pull to the goals */
void deform_bodies(sim_world *world);
/* contacts -> velocities, push-out of positions; false: out of memory */
bool solve_contacts(sim_world *world);
void move_bodies(sim_world *world);                        /* velocities -> states */
void wake_touched(sim_world *world);                       /* sleeping islands that something moving touches */
void put_to_sleep(sim_world *world);                       /* islands that have been slow for long */
uint32_t island_of(const sim_world *world, uint32_t body); /* its representative */
/* governor.c */
void energy_note(sim_world *world);  /* before a step */
void energy_limit(sim_world *world); /* after it: islands that have gained energy lose speed */
/* Level all: how far the bodies that are touched may go on their way, so that their energy does
 * not grow if they lose all speed; and what they have gained is taken from their speed after
 * that. */
double energy_part(const sim_world *world, const uint8_t *touched);
void energy_limit_all(sim_world *world, const uint8_t *touched);
/* budget.c */
void budget_begin(sim_world *world, double ms); /* of response, when detection has taken `ms` */
bool budget_allows(sim_world *world);           /* another sweep? */
void budget_end(sim_world *world, double ms);   /* of a step that took `ms` */

void solver_destroy(struct solver *solver);

/* touch.c: the bodies as pliant's, for contacts of spheres. */
sim_status touch_open(sim_world *world); /* for the present bodies and planes */
void touch_close(sim_world *world);
/* the spheres are those of the present states; false: a query failed */
bool touch_place(sim_world *world);
struct pl_body *touch_body_of(const sim_world *world, size_t body);
/* The spheres that touch at the world's level, by the query and without a walk; false: a query
 * failed. */
bool touch_compare(sim_world *world, size_t *count, bool *same);
uint32_t touch_node_point(const sim_world *world, uint32_t body,
                          uint32_t node); /* bodies that bend: the point in its middle */

/* triangles.c: the whole step at level "all". */
sim_status triangles_step(sim_world *world);
void triangles_close(sim_world *world);

/* deform.c */
/* What the goal of a cluster follows from, and what of it is kept from step to step. */
typedef struct goal_memory {
  const double (*moments)[9]; /* of its columns */
  int columns;
  double *rotation;     /* changes */
  double (*plastic)[3]; /* changes */
} goal_memory;
/* The goal for a fit: rest, where elastic energy is 0, and mixed, where a step pulls to. step 0:
 * nothing flows. */
void goal_of(const sim_body_def *def, const goal_memory *memory, double fit[3][9], double step, double rest[3][9],
             double mixed[3][9]);
void body_fit(const shape *s, body *b, double matrix[3][9], double goal[3][9]);
double body_kinetic(const shape *s, const body *b);
double body_elastic(const shape *s, const body *b, double step);
void body_point(const body *b, const double terms[9], double out[3]); /* of one cluster */
/* Where a point is, or will be after `ahead` seconds with the present rates. */
void body_vertex(const shape *s, const body *b, size_t point, double ahead, double out[3]);

#endif
