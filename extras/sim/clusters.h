/* Bodies of several overlapping clusters. A point is where the maps of its clusters take it on
 * the mean, so a body has, for each axis, the coordinates (t, m) of all maps, and a point has
 * *terms*: its place is coordinates times terms. What bodies of the same kind share is a cluster
 * set. */
#ifndef SIM_CLUSTERS_H
#define SIM_CLUSTERS_H

#include "world.h"

enum { TERMS_MOST = SIM_CLUSTERS_MOST * 10 };

typedef struct cluster_set {
  int shape, columns, count; /* columns: 3 or 9, of the map of a cluster */
  double stiffness, stretch;
  /* coordinates for each axis: count * (1 + columns); a cluster's t, then its m */
  int size;
  double (*centre)[3];     /* of each cluster at rest, from the centre of mass */
  double (*mean)[9];       /* of a cluster's columns, by the shares of mass */
  double (*moments)[9][9]; /* of its columns less their mean */
  /* of each column: a small moment of its own, for what points leave open */
  double (*lean)[9];
  /* the clusters of surface point i: of[first[i]] .. of[first[i + 1] - 1] */
  uint32_t *first, *of;
  double *middle;     /* size: the terms of the centre of mass */
  double *mass;       /* size * size: the sum of mass * terms terms^T */
  double *fit;        /* size * size: coordinates times this are those of the best fits */
  double *spread;     /* size * size: N of clusters.c */
  double *cross;      /* (count * columns) * size: X^T of all clusters */
  double *pull;       /* size * size: k N H^-1, what a step takes off coordinates */
  double *pull_goals; /* (count * columns) * size: k X^T H^-1, what it adds of the goals */
  double *project;    /* size * size: terms less the middle, without what no point has */
  /* size * size: the change of coordinates by an impulse, from terms less the middle */
  double *answer;
  double turning; /* the part of a rotation of the whole body that `answer` has */
} cluster_set;

/* The set for bodies of this definition: one that is there, or a new one. */
sim_status clusters_find(sim_world *world, const sim_body_def *def, cluster_set **out);
void clusters_free(cluster_set *set);
double clusters_pull(double stiffness, double stretch); /* s: how far a step pulls */

/* Terms of a point at rest, `at` from the centre of mass, that belongs to the clusters of
 * surface point `like`. */
void clusters_terms(const cluster_set *set, size_t like, const double at[3], double *out);

#endif
