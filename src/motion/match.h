/* Shape matching: the controls of the motion `match`. M. Mueller, B. Heidelberger, M. Teschner,
 * M. Gross, Meshless Deformations Based on Shape Matching, 2005.
 *
 * A cluster has a map from its points at rest to their present positions (pl_match_map). The
 * body is in one of two states: its positions are the caller's, and maps are fitted to them; or
 * positions are those that the maps give, evaluated where they are needed.
 *
 * Invariant: every point is within its home cluster's `deviation` of where that cluster's map
 * takes it, in real numbers; within `inside` if it belongs to no other cluster. */
#ifndef MOTION_MATCH_H
#define MOTION_MATCH_H

#include "motion/motion.h"
#include "pliant/touching.h"

enum { MATCH_TERMS = 9, MATCH_LANES = 4 * 8 };
#define MATCH_REACH                                                                                                    \
  1e30 /* upper bound of coordinates: floats hold it, and its products with the numbers of maps are finite doubles */
#define MATCH_REST 1e15 /* upper bound of coordinates at rest */

/* The points of a branch that belong to another cluster as well are in this ball at rest. */
typedef struct match_overlap {
  uint32_t cluster;
  double centre[3], radius;
} match_overlap;

typedef struct match_cluster {
  pl_match_cluster about;
  uint32_t *points; /* about.point_count of them */
  /* what was added to the diagonal of the moments before they were inverted */
  double lean[MATCH_TERMS];
  double reach[3]; /* no |q| of a point of its branch or of its own is greater, by axis */
  match_overlap *overlaps;
  size_t overlap_count;

  pl_match_map map;
  double centre[3], rotation[4], plastic[3][3];
  double deviation, inside;
} match_cluster;

typedef struct match {
  pl_match_kind kind;
  int terms; /* of a map: 3 or 9 */
  size_t point_count;
  size_t room;       /* points that arrays have room for, */
  size_t of_room;    /* and entries of `of`; 0: as many as there are */
  size_t lane_count; /* points that masses in lanes are relative to: those that it was created with */
  double *rest, *mass;
  int cluster_count;
  match_cluster *clusters;
  uint32_t *home;     /* of each point: the cluster whose branch it is in */
  uint32_t *of_first; /* point_count + 1: ranges in `of`; NULL if there is one cluster */
  uint32_t *of;       /* clusters of each point, ascending */
  /* one cluster: q and mass, MATCH_LANES for 8 points; weightless ones at the end. NULL: several */
  float *lanes;
  double *goals;        /* several clusters: scratch, 3 for each point */
  bool at_goals;        /* positions are those of the maps */
  uint32_t frame;       /* from 1; rises when positions change */
  bool stored;          /* the strategy reads positions from an array */
  pl_match_map *fitted; /* scratch: one for each cluster */
  pl_match_map *wanted; /* scratch: goals */
  match_cluster *next;  /* scratch: the clusters as a step would leave them */
} match;

/* The terms of a map at q. */
static inline void match_terms(const double q[3], int terms, double u[MATCH_TERMS])
{
  for (int k = 0; k < 3; ++k) u[k] = q[k];
  if (terms == 3) return;
  for (int k = 0; k < 3; ++k) u[3 + k] = q[k] * q[k];
  u[6] = q[0] * q[1];
  u[7] = q[1] * q[2];
  u[8] = q[2] * q[0];
}

/* The image of q under a map. */
static inline void match_apply(const pl_match_map *map, int terms, const double q[3], double out[3])
{
  double u[MATCH_TERMS];
  match_terms(q, terms, u);
  for (int i = 0; i < 3; ++i) {
    double sum = map->t[i];
    for (int j = 0; j < terms; ++j) sum += map->m[i][j] * u[j];
    out[i] = sum;
  }
}

/* The derivative of a map at q. */
void match_jacobian(const pl_match_map *map, int terms, const double q[3], double out[3][3]);

/* motion/match.c: *out is empty on failure. `normals` of the definition are not read. */
pl_status match_create(pl_context *context, const pl_match_def *def, pl_positions rest, match *out);
void match_free(pl_context *context, match *m);

extern const motion_edits match_edits LEFT_OUT; /* motion/match_edit.c */

/* motion/match_clusters.c: clusters by farthest points, then by k-means; fills in points, home,
 * of and overlaps. */
pl_status match_make_clusters(pl_context *context, const pl_match_def *def, match *m);

/* motion/match_polar.c: the rotation of a matrix's polar decomposition, nearest to `rotation`,
 * which it replaces, where there are several. Any matrix: mirrored, flat, 0. The quaternion
 * keeps its unit length. */
void match_polar(const double a[3][3], double rotation[4]);
void match_rotation(const double rotation[4], double out[3][3]);
/* the spectral norm, rounded up by less than 1e-6 of itself */
double match_norm(const double a[3][3]);
double match_norm_frobenius(const double a[3][3]);

/* The sums that a fit needs: of mass * (x - origin) * u', where u' are the terms less their
 * mean; the last column without u'. */
typedef struct match_sums {
  double origin[3];
  double sum[3][MATCH_TERMS + 1];
} match_sums;

/* motion/match_fit.c: the sums of a cluster's points, one by one. */
void match_sum(const match *m, const match_cluster *c, pl_positions positions, match_sums *out);

/* The map that fits the points of a cluster best, and their centre. False: some number is not
 * finite, or too large. */
bool match_solve(const match *m, const match_cluster *c, const match_sums *sums, pl_match_map *fit, double centre[3]);

/* The goal map of a fit; changes rotation and plastic deformation of the cluster *c. */
void match_goal(const match *m, match_cluster *c, const pl_match_map *fit, const pl_goal_def *def, pl_match_map *goal);

/* Moves points towards the goals m->wanted, in place, and sets the deviations of m->next from
 * their maps. stiffness 0: no point moves, and `data` is not read; otherwise it is where the
 * positions are. */
void match_move(match *m, pl_positions positions, void *data, double stiffness);

/* The deviations of m->clusters for positions that are at their goals. */
void match_settle(match *m);

/* An upper bound, by axis, of all numbers in the computation of a point of the branch; the same
 * with another map, and where it takes the centre. */
void match_size(const match *m, const match_cluster *c, double out[3]);
void match_map_size(const match *m, const double reach[3], const pl_match_map *map, const double centre[3],
                    double out[3]);

#endif
