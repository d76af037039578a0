/* How deep two bodies are in each other: what its stages share.
 *
 * The surface of one body is cut by the other into regions. Nodes of a graph are its vertices
 * and its touching pairs; nodes that lie on one region, or on one curve where the surfaces
 * cross, are joined. A region is then a class of nodes with a point inside.
 *   triangles without a pair   join their vertices
 *   edges                      are cut where they meet triangles of the other body: a piece that
 *                              is inside joins its two ends, which are cuts or vertices; the two
 *                              triangles at an edge join where it is cut by the same triangle
 *   edges of the other body    join the pairs of a triangle that they pass through
 * The depth over a region is searched on its triangles. A distance changes by at most the
 * distance that a point moves: so a triangle around a sample is no deeper than the depth of that
 * sample plus the radius of the triangle. */
#ifndef QUERY_PENETRATION_H
#define QUERY_PENETRATION_H

#include "query/pairs/segments.h"
#include "query/probe/points.h"

/* Signed distances inside of a query that has begun, from the trees or the reference. The
 * definition is full. */
typedef pl_status penetration_distance(pl_body *body, pl_positions at, const pl_question *def, const pl_result **out);

/* Two bodies. */
typedef struct penetration_job {
  pl_body *a, *b;
  size_t begin, end; /* its rows */
} penetration_job;

/* The surface of a body in the world. */
typedef struct surface {
  pl_body *body;
  ARRAY(uint32_t) tri; /* by the caller's indices */
  ARRAY(double) xyz;
} surface;

/* An edge that meets a triangle: lo < hi are its vertices. */
typedef struct edge_cut {
  uint64_t edge;  /* lo << 32 | hi */
  double at;      /* from lo to hi; -1: there is no cut, the edge is only listed */
  uint32_t other; /* the triangle */
  uint32_t pair;
} edge_cut;

/* A triangle, or a part of one, whose depth is bounded or measured. */
typedef struct depth_item {
  double corner[3][3];
  uint32_t triangle;
  int level;
} depth_item;

typedef struct region_best {
  pl_penetration result;
  uint32_t node; /* the root of its class */
} region_best;

typedef struct penetration_scratch {
  surface side[2];
  ARRAY(pl_pair) pairs;      /* a: of the surface, b: of the other body; by a */
  ARRAY(pl_segment) segment; /* of each pair */
  ARRAY(uint32_t) first;     /* triangles + 1: their pairs */
  ARRAY(uint32_t) parent;    /* vertices, then pairs */
  ARRAY(uint32_t) region;    /* of each root; UINT32_MAX: none yet */
  ARRAY(pl_point) vertex;
  ARRAY(uint32_t) list;
  ARRAY(double) point;
  ARRAY(pl_point) found;
  ARRAY(edge_cut) cuts;
  ARRAY(depth_item) items, next;
  ARRAY(region_best) regions;
  ARRAY(uint64_t) keys, sorting;
  ARRAY(penetration_job) jobs;
  ARRAY(pl_penetration) results; /* of all jobs */
  result_store touching;         /* the pairs of a job */
} penetration_scratch;

/* One direction: the surface of side[0] in the body of side[1]. */
typedef struct penetration_run {
  pl_context *context;
  penetration_scratch *scratch;
  penetration_distance *distance;
  const pl_question *def;
  const surface *of, *other;
  uint32_t vertices;
  pl_counters *counters;
} penetration_run;

static inline uint32_t class_of(const penetration_scratch *q, uint32_t node)
{
  uint32_t *parent = q->parent.data;
  while (parent[node] != node) node = parent[node] = parent[parent[node]];
  return node;
}

static inline const double *vertex_of(const surface *s, uint32_t triangle, int corner)
{
  return s->xyz.data + 3 * (size_t)s->tri.data[3 * (size_t)triangle + (size_t)corner];
}

/* Signed distances of q->point from the other body, into q->found. */
pl_status penetration_measure(penetration_run *r);

/* query/pairs/penetration_depth.c: the deepest points of all classes, into q->regions. */
pl_status penetration_search(penetration_run *r);

/* Appends the parts of the surfaces of two bodies that are inside the other to q->results,
 * inside of a query that has begun. The bodies are updated, and q->touching has their pairs. An
 * open body has no inside. */
pl_status penetration_bodies(pl_context *context, penetration_scratch *q, pl_body *a, pl_body *b,
                             penetration_distance *distance, const pl_question *def, pl_counters *counters);

#endif
