/* How deep bodies are in each other, or one in itself: what the stages share.
 *
 * A job is the surface of one body in another body, or of one body in itself. The surface is cut
 * by the other one into parts. Nodes of a graph are its vertices and its touching pairs; nodes
 * that lie on one part, or on one curve where the surfaces cross, are joined. A part is then a
 * class of nodes with a point inside.
 *   triangles without a pair   join their vertices
 *   edges                      are cut where they meet triangles of the other body: a piece that
 *                              is inside joins its two ends, which are cuts or vertices; the two
 *                              triangles at an edge join where it is cut by the same triangle
 *   edges of the other body    join the pairs of a triangle that they pass through
 * The deepest point of a part is searched best first on *items*: triangles, and of triangles
 * that are cut the convex hull of what is inside. penetration_bound.c says how deep an item can be.
 *
 * Within one body a point of the surface is inside if both of its sides are. The other surface is
 * what is not inside, and the parts that this one crosses: not the triangles at the part itself,
 * and not parts beside it, such as the other side of a sheet: they are no way out. */
#ifndef QUERY_PENETRATION_H
#define QUERY_PENETRATION_H

#include "mesh/fans.h"
#include "query/probe/points.h"

/* The surface of one body in another. */
typedef struct penetration_job {
  pl_body *of, *other; /* the same one: in itself */
  bool turned;         /* `of` is b of the pairs */
  size_t begin, end;   /* its pairs, in penetration_scratch.pairs */
  const mesh_fans *fans[2];
  const closure *closure; /* of `other` */
  probe_target target;    /* `other` */
  soup plain;             /* all triangles of `other`, for the reference */
  uint64_t serial;        /* of its walks */
} penetration_job;

/* Two bodies, or one: the jobs [begin, end). */
typedef struct penetration_pair {
  pl_body *a, *b;
  uint32_t touching; /* the job that finds their pairs of triangles */
  size_t begin, end;
} penetration_pair;

/* A point of a surface that is near another point. */
typedef struct foot {
  double at[3];
  double distance; /* from above, but for the job's `slack` */
  uint32_t triangle;
} foot;

/* Where an edge of the surface, or of the other one, meets a triangle. */
typedef struct edge_cut {
  uint64_t edge;     /* lo << 32 | hi: its vertices */
  double at;         /* from lo to hi; -1: there is no cut, the edge is only listed */
  uint32_t triangle; /* of the other body; for edges of that: of the surface */
  uint32_t pair;
} edge_cut;

/* A corner of an item. */
typedef struct depth_corner {
  double at[3];
  foot foot;
  double clear; /* it is outside, and so far from the other surface; 0: not known */
} depth_corner;

/* A triangle whose depth is bounded. */
typedef struct depth_item {
  depth_corner corner[3];
  double bound;
  uint32_t node, triangle; /* of its class; and of the surface */
  int level;
  bool inside; /* certainly, all of it */
} depth_item;

typedef struct depth_heap {
  depth_item *data;
  size_t count, capacity;
} depth_heap;

/* A part of the surface. */
typedef struct part_best {
  pl_penetration result;
  uint32_t node; /* the root of its class */
} part_best;

typedef enum vertex_side { VERTEX_UNKNOWN, VERTEX_OUTSIDE, VERTEX_INSIDE } vertex_side;

/* One worker's scratch. */
#define PENETRATION_LISTS(X)                                                                                           \
  X(double, xyz)           /* by vertex of the surface */                                                              \
  X(double, xyz_other)     /* and of the other one */                                                                  \
  X(pl_pair, pairs)        /* a: of the surface, b: of the other body; by a */                                         \
  X(uint32_t, first)       /* triangles + 1: their pairs */                                                            \
  X(uint32_t, first_point) /* pairs + 1: their points */                                                               \
  X(double, points)        /* where the edges of a pair are cut */                                                     \
  X(uint32_t, parent)      /* vertices, then pairs */                                                                  \
  X(uint32_t, part)        /* of each root; UINT32_MAX: none yet */                                                    \
  X(uint8_t, side)         /* of each vertex: vertex_side */                                                           \
  X(foot, feet)            /* of each vertex; triangle PL_NONE: none yet */                                            \
  X(edge_cut, cuts)        /* of the surface's edges */                                                                \
  X(edge_cut, others)      /* of the other's edges */                                                                  \
  X(depth_item, items)     /* a heap, the greatest bound first */                                                      \
  X(depth_corner, hull)    /* of one triangle */                                                                       \
  X(part_best, parts)                                                                                                  \
  X(uint64_t, partners) /* within one body: two classes with a common pair, the one whose is asked first */            \
  X(uint64_t, keys)                                                                                                    \
  X(uint64_t, sorting)

typedef struct penetration_work {
#define PENETRATION_ARRAY(type, name) ARRAY(type) name;
  PENETRATION_LISTS(PENETRATION_ARRAY)
#undef PENETRATION_ARRAY
  ARRAY(pl_penetration) rows;
  probe_walk walk;
} penetration_work;

typedef struct penetration_scratch {
  runner run;
  ARRAY(penetration_job) jobs;
  ARRAY(penetration_pair) bodies;
  ARRAY(pl_pair) pairs;   /* of all bodies */
  penetration_work *work; /* context->threads */
  uint64_t serial;
  const pl_question *def;
} penetration_scratch;

/* A job while it runs. */
typedef struct penetration_run {
  pl_context *context;
  const kernels *kernels;
  const penetration_job *job;
  penetration_work *work;
  const pl_question *def;
  uint32_t vertices;
  double lower[3], upper[3]; /* box of the other surface */
  double slack;              /* more than the rounding of points and lengths */
  uint32_t node;             /* within one body: the class whose triangles a search leaves out */
} penetration_run;

static inline pl_status penetration_no_memory(const penetration_run *r)
{
  return fail(r->context, PL_ERROR_MEMORY, "no memory for a penetration");
}

#define penetration_reserve(r, array, need) array_reserve(&(r)->context->locked, (array), (need))

static inline uint32_t class_of(const penetration_work *w, uint32_t node)
{
  uint32_t *parent = w->parent.data;
  while (parent[node] != node) node = parent[node] = parent[parent[node]];
  return node;
}

static inline bool is_inside(const penetration_work *w, uint32_t vertex)
{
  return w->side.data[vertex] == VERTEX_INSIDE;
}

static inline bool is_cut(const penetration_work *w, uint32_t triangle)
{
  return w->first.data[triangle] != w->first.data[triangle + 1];
}

static inline const uint32_t *corners_of(const penetration_run *r, uint32_t triangle)
{
  return r->job->fans[0]->corner + 3 * (size_t)triangle;
}

static inline const double *vertex_of(const penetration_run *r, uint32_t vertex)
{
  return r->work->xyz.data + 3 * (size_t)vertex;
}

/* The corners of a triangle of the other body. */
void penetration_other(const penetration_run *r, uint32_t triangle, double out[3][3]);

/* query/pairs/penetration_sides.c: is a point inside, which is of a triangle of the surface? And is
 * it in the box of the other surface? */
bool penetration_inside(penetration_run *r, const double p[3], uint32_t triangle);
bool penetration_in_box(const penetration_run *r, const double p[3]);

/* Is a triangle of the other surface, within one body not at the part of class r->node? And the
 * nearest point of that surface; near: not below its distance, or infinite. Returns false
 * if there is none: within one body. */
bool penetration_is_other(const penetration_run *r, uint32_t triangle);
bool penetration_nearest(penetration_run *r, const double p[3], double near, pl_point *out);

/* query/pairs/penetration_classes.c: the pairs of the job, and its classes. */
pl_status penetration_classes(penetration_run *r, const pl_pair *pairs, size_t count);

static const foot NO_FOOT = {.distance = INFINITY, .triangle = PL_NONE};

/* query/pairs/penetration_hull.c: is a triangle that cuts this one about in its plane? Then it may
 * cut more than its edges show. And the hull of what a class has of a triangle, in w->hull; NULL:
 * out of memory. */
bool penetration_is_flat(const penetration_run *r, uint32_t triangle);
const depth_corner *penetration_hull(penetration_run *r, uint32_t triangle, uint32_t node, size_t *count);

/* query/pairs/penetration_bound.c: a point of a triangle of the other surface that is near p, in
 * double; and no point of an item is deeper than this. */
void penetration_foot(const penetration_run *r, const double p[3], uint32_t triangle, foot *out);
double penetration_bound(const penetration_run *r, const depth_item *item);

/* query/pairs/penetration_depth.c: a vertex with its foot; and the deepest points of all parts,
 * into w->parts. */
depth_corner penetration_corner(const penetration_run *r, uint32_t vertex);
pl_status penetration_search(penetration_run *r);

/* query/pairs/penetration.c: begins a list of bodies, adds two of them or one, whose pairs a job of
 * touching triangles finds; and runs all of them, when their pairs are in q->pairs. */
void penetration_clear(penetration_scratch *q, const pl_question *def);
pl_status penetration_add(pl_context *context, penetration_scratch *q, pl_body *a, pl_body *b, uint32_t touching);
pl_status penetration_run_jobs(pl_context *context, penetration_scratch *q, pl_counters *counters);

/* Appends the rows of bodies, the surface of a first. Returns false if out of memory. */
bool penetration_gather(penetration_scratch *q, size_t bodies, row_list out);

#endif
