/* Dynamics of soft bodies by shape matching, with contact response at any level of detail.
 *
 * After M. Mueller, B. Heidelberger, M. Teschner and M. Gross, Meshless Deformations Based on
 * Shape Matching, 2005, and J. Spillmann, M. Becker and M. Teschner, Efficient Updates of
 * Bounding Sphere Hierarchies for Geometrically Deformable Models, 2007. A world has shapes
 * (points at rest, masses, perhaps triangles), bodies (a shape with a state) and planes. A step
 * is: detect contacts, apply gravity, solve contacts for velocities, move, pull every body
 * towards the shape that fits it best.
 *
 * Units are the caller's; the defaults suit metres, seconds and kilograms. The same calls give
 * the same bytes, unless a budget in milliseconds is set. docs/simulate.md tells how it works
 * and what was measured. */
#ifndef SIM_SIM_H
#define SIM_SIM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct sim_world sim_world;

typedef enum sim_status {
  SIM_OK,
  SIM_ERROR_ARGUMENT, /* sim_world_message() names what is wrong; nothing has changed */
  SIM_ERROR_MEMORY,
  SIM_ERROR_FILE,
  SIM_ERROR_QUERY /* a query of pliant failed; the message is its own */
} sim_status;

/* How a body deforms: what its points are matched with. */
typedef enum sim_mode {
  SIM_RIGID,
  SIM_LINEAR,   /* a 3x3 matrix: stretch and shear */
  SIM_QUADRATIC /* a 3x9 matrix: also twist and bend */
} sim_mode;

enum {
  SIM_LEVEL_MOST = 8, /* 2^8 spheres per cluster */
  SIM_LEVEL_ALL = 99, /* triangles against triangles */
  SIM_CLUSTERS_MOST = 16
};

#define SIM_CLUSTER_OVERLAP 1.0 /* of automatic clusters: pl_match_def.cluster_overlap */

typedef struct sim_world_def {
  double gravity[3]; /* default (0, -9.81, 0) */
  double step;       /* seconds; default 1/60 */
  /* of the sphere trees at which contacts are found: 0 .. SIM_LEVEL_MOST, or SIM_LEVEL_ALL;
   * default 4 */
  int level;
  int sweeps;      /* of the contact solver, at most; default 8 */
  double friction; /* Coulomb's coefficient; default 0.4 */
  double push_out; /* part of the depth that a step removes, 0 .. 1; default 0.2 */
  /* depth that is left alone, and up to 4 times as much of bodies that stand; default 0.005 */
  double slop;
  double sleep_speed; /* islands slower than this on the mean (no body more than 3 times faster) for sleep_steps sleep;
                         0: never; default 0.02 */
  int sleep_steps;    /* default 30 */
  double budget_ms;   /* for detection and response of one step; 0: none. With a budget, results depend on the machine's
                         speed */
  double thickness;   /* SIM_LEVEL_ALL: distance that triangles keep; 0: chosen from the shapes */
} sim_world_def;

sim_world_def sim_world_def_default(void);

/* Points at rest. Bodies with the same shape share it. */
typedef struct sim_shape_def {
  const float *points;       /* 3 * point_count, finite; copied */
  size_t point_count;        /* at least 1 */
  const uint32_t *triangles; /* 3 * triangle_count; NULL: a point cloud */
  size_t triangle_count;
  const double *masses; /* of each point, positive; NULL: by area with triangles, else equal */
  double mass;          /* of the whole; 0: the sum of `masses`, or 1 */
} sim_shape_def;

typedef struct sim_body_def {
  int shape;
  sim_mode mode;      /* default linear */
  double position[3]; /* of the centre of mass */
  double rotation[4]; /* unit quaternion x, y, z, w; default none */
  double velocity[3], spin[3];
  double stiffness; /* alpha: how far a step pulls to the goal, in (0, 1]; default 1 */
  /* beta: part of the best linear or quadratic fit in the goal, in [0, 1); default 0.3 */
  double stretch;
  bool keep_volume; /* the fit in the goal is scaled to the volume at rest; default false */
  double damping;   /* velocities decay with exp(-damping t); default 0.1 per second */
  /* plasticity: strain that is kept, and rate per second; creep 0: elastic (default) */
  double yield, creep;
  double most_plastic; /* greatest plastic strain; default 0.5 */
  /* Overlapping parts that are matched each by itself, 1 .. SIM_CLUSTERS_MOST; default 1. Points
   * of several follow the mean. Bodies of several clusters, and quadratic ones, also touch
   * themselves. A level then has 2^level spheres in each cluster. */
  int clusters;
} sim_body_def;

sim_body_def sim_body_def_default(void);

/* A half space that bodies stay out of: normal . x >= offset. */
typedef struct sim_plane {
  double normal[3]; /* of unit length */
  double offset;
} sim_plane;

sim_status sim_world_create(const sim_world_def *def, sim_world **out);
void sim_world_destroy(sim_world *world); /* NULL is allowed */
const char *sim_world_message(const sim_world *world);

sim_status sim_add_shape(sim_world *world, const sim_shape_def *def, int *out);
sim_status sim_add_body(sim_world *world, const sim_body_def *def, int *out);
sim_status sim_add_plane(sim_world *world, const sim_plane *plane);
/* Five planes: a floor at lower[1] and four walls. No lid. */
sim_status sim_add_box(sim_world *world, const double lower[3], const double upper[3]);

sim_status sim_set_level(sim_world *world, int level);

/* What a step did. Times are milliseconds of the calling thread's processor time. */
typedef struct sim_stats {
  uint64_t step; /* counted from 1 */
  double ms_detect, ms_respond, ms_deform;
  int level; /* that was used: a budget may lower it */
  size_t body_pairs, contacts, plane_contacts;
  size_t visited, updated; /* pairs of spheres tested, spheres computed */
  size_t islands, asleep;  /* asleep: bodies */
  int sweeps;
  bool within_budget;
} sim_stats;

sim_status sim_step(sim_world *world);
const sim_stats *sim_world_stats(const sim_world *world);

typedef struct sim_energy {
  /* potential: from the lowest point of the planes, or the origin */
  double kinetic, potential, elastic, total;
} sim_energy;
sim_energy sim_world_energy(const sim_world *world);

size_t sim_body_count(const sim_world *world);
size_t sim_body_points(const sim_world *world, int body);
int sim_body_shape(const sim_world *world, int body);
/* 3 floats for each point. */
void sim_body_positions(const sim_world *world, int body, float *out);
/* The state that all points follow: x = matrix * q + centre, q from the centre of mass at rest
 * (and its products, 9 columns, for quadratic bodies). Returns the number of columns; 0 for
 * bodies of several clusters, of which only the centre is written. */
int sim_body_state(const sim_world *world, int body, double matrix[3][9], double centre[3]);
/* The same for every body: a point is at the centre plus, for each axis, the sum of coordinates
 * times its terms.
 *   out  3 * n numbers, those of the x axis first; NULL: none
 * Returns n, the number of terms: at most 10 * SIM_CLUSTERS_MOST. */
int sim_body_coordinates(const sim_world *world, int body, double *out);
/* coordinates at rest, not rotated */
void sim_body_rest(const sim_world *world, int body, double *out);
void sim_body_terms(const sim_world *world, int body, size_t point, double *out);
/* The 9 terms of a point of a shape: its place at rest from the centre of mass, and their
 * centred products. */
void sim_point_terms(const sim_world *world, int shape, size_t point, double out[9]);
double sim_point_mass(const sim_world *world, int shape, size_t point);
bool sim_body_asleep(const sim_world *world, int body);
/* root of twice the kinetic energy by mass */
double sim_body_speed(const sim_world *world, int body);
/* Replaces the state, for picking and for tests: any finite matrix, also one that crushes the
 * body; all clusters take its first 3 columns. All bodies wake up. Fails at level all, where
 * bodies must be free of contact. */
sim_status sim_body_set_state(sim_world *world, int body, double matrix[3][9], const double centre[3]);
/* adds to all points */
sim_status sim_body_push(sim_world *world, int body, const double velocity[3]);

/* Counts the points that are outside of a sphere of theirs, at all levels of the trees that
 * contacts are found with, as bodies are now: always 0, without a tolerance. For tests and
 * experiments. Cost: O(points * levels). Contacts do not change; the next step counts fewer
 * updated spheres. */
sim_status sim_check_spheres(sim_world *world, size_t *outside);

/* Compares the spheres of different bodies that touch, at the world's level and as bodies are
 * now, with those that a query without a walk finds.
 *   count  how many touch
 *   same   both lists are equal, byte by byte
 * For tests and experiments. Cost: O(pairs of spheres of all bodies). */
sim_status sim_check_contacts(sim_world *world, size_t *count, bool *same);

/* The whole state, so that a world loaded goes on to the last bit as if it had not been stopped. */
sim_status sim_world_save(sim_world *world, FILE *file);
/* Into a world with the same shapes, bodies and planes. Nothing changes on failure. */
sim_status sim_world_load(sim_world *world, FILE *file);

#ifdef __cplusplus
}
#endif
#endif
