/* pliant on several machines: one scene whose bodies, or parts of them, belong to the ranks of an
 * MPI communicator. Questions give the rows, byte by byte, that the library gives on one machine.
 *
 *   pl_dist *dist;
 *   pl_dist_create(MPI_COMM_WORLD, NULL, &dist);
 *   pl_dist_add_whole(dist, 0, rank == 0 ? &mesh : NULL, true, &body); // or pl_dist_add_part()
 *   for (every frame) {
 *     pl_dist_set_positions(dist, body, my_positions);
 *     pl_dist_touching(dist, NULL, &pairs);
 *   }
 *   pl_dist_destroy(dist);
 *
 * All functions but pl_dist_message(), pl_dist_vertices() and pl_dist_triangles() are collective:
 * every rank calls them in the same order, with the same bodies, roots and options. They return the
 * same status on all ranks: bad input or a lack of memory on one rank ends the call everywhere,
 * nothing changes, and pl_dist_message() names the rank. Ranks that meet in different calls, or
 * with different options, get PL_ERROR_ARGUMENT. A rank that ends or hangs ends or hangs the
 * others: MPI has no other way. A rank that waits for others lets other processes run.
 *
 * Ids. Bodies are numbered in the order of adding, from 0. Triangles and vertices have 64-bit ids
 * that the caller chooses within a body: those of the undivided mesh. A vertex on a cut belongs to
 * all ranks with triangles that use it, and each of them sets its position: to the same
 * numbers.
 *
 * A frame. Each rank has its triangles in patches and computes their boxes. All ranks get all
 * boxes. Of two ranks with patches near each other, the higher one sends these patches to the lower
 * one, which asks the library and owns the rows. Patches that have been sent before send positions
 * only, and those that were sent in this frame send nothing.
 *
 * Owner of a row: the lower of the two ranks that have its triangles (of features: the triangles
 * with the least ids that have them). With `root`, all rows are gathered there instead, in the
 * order of the undivided scene. */
#ifndef PLIANT_MPI_H
#define PLIANT_MPI_H

#include <mpi.h>
#include <pliant/pliant.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct pl_dist pl_dist;

/* Options of a distributed scene; equal on all ranks but for `context`. */
typedef struct pl_dist_def {
  size_t struct_size;
  const pl_context_def
      *context; /* allocator, threads, log of this rank; NULL: defaults, one thread */
  int patches;  /* of each rank, 1 .. 4096; default 128 */
  /* how a part is tested against itself; rows are the same. `boxes` needs less than half of the
   * memory that the default, `auto`, needs, and makes more tests. */
  pl_self_method self_method;
} pl_dist_def;

static inline pl_dist_def pl_dist_def_default(void)
{
  pl_dist_def def = PL_ZERO;
  def.struct_size = sizeof def;
  def.patches = 128;
  return def;
}

/* Creates an empty scene.
 *   comm  duplicated; MPI must be initialised
 *   def   NULL: defaults
 *   out   NULL on failure */
pl_status pl_dist_create(MPI_Comm comm, const pl_dist_def *def, pl_dist **out);

/* Destroys the scene. NULL is allowed, if on all ranks. */
void pl_dist_destroy(pl_dist *dist);

/* Returns what the last call that failed had to say, with the number of the rank. */
const char *pl_dist_message(const pl_dist *dist);

/* --------------------------------------------------------------------------------- bodies -- */

/* The part of a body that a rank owns. */
typedef struct pl_dist_part_def {
  size_t struct_size;
  pl_positions positions;       /* of the vertices below */
  const uint64_t *vertices;     /* their ids, ascending */
  const uint32_t *triangles;    /* 3 indices into `positions` each */
  const uint64_t *triangle_ids; /* ascending */
  size_t triangle_count;        /* 0: this rank has no part of the body */
  bool self;                    /* also ask the body against itself; equal on all ranks */
} pl_dist_part_def;

static inline pl_dist_part_def pl_dist_part_def_default(void)
{
  pl_dist_part_def def = PL_ZERO;
  def.struct_size = sizeof def;
  return def;
}

/* Adds a body of which every rank brings its part. A triangle belongs to one rank.
 *   part  NULL: this rank has no part
 *   body  its number
 * Fails with PL_ERROR_ARGUMENT if ids are missing or do not ascend, and with PL_ERROR_MESH as
 * pl_mesh_check(). */
pl_status pl_dist_add_part(pl_dist *dist, const pl_dist_part_def *part, uint64_t *body);

/* Adds a body that one rank has as a whole. It is cut into a part for each rank by recursive
 * bisection, the same for every run. Ids are indices in the mesh.
 *   root  the rank that has the mesh
 *   mesh  NULL on all other ranks
 *   self  equal on all ranks
 *   body  its number */
pl_status pl_dist_add_whole(pl_dist *dist, int root, const pl_mesh_def *mesh, bool self,
                            uint64_t *body);

/* Ids of the vertices and triangles of this rank's part, ascending. Returns their number. Valid
 * until pl_dist_rebalance() moves triangles. */
size_t pl_dist_vertices(const pl_dist *dist, uint64_t body, const uint64_t **ids);
size_t pl_dist_triangles(const pl_dist *dist, uint64_t body, const uint64_t **ids);

/* Sets the positions of this rank's part, in the order of pl_dist_vertices().
 * Fails with PL_ERROR_POSITIONS on all ranks if one is not finite on any. */
pl_status pl_dist_set_positions(pl_dist *dist, uint64_t body, pl_positions positions);

/* Sets the positions of a body from one rank.
 *   positions  of the whole mesh, by the ids of its vertices, on the root; ignored on all others
 * Fails with PL_ERROR_POSITIONS as above, and with PL_ERROR_MISMATCH if an id has no position. */
pl_status pl_dist_scatter_positions(pl_dist *dist, uint64_t body, int root, pl_positions positions);

/* Keeps the present poses of all bodies as the start of a step, for pl_dist_impacts(). */
pl_status pl_dist_keep_poses(pl_dist *dist);

/* Moves triangles to other ranks if the work of the questions since the last call, in counters, was
 * uneven: the busiest rank had more than `most` times the mean. Ranks then get like shares of the
 * work and of the triangles; patches stay whole. What moves does not depend on times: it is the
 * same in every run. Results, ids and poses stay as they are, but pl_dist_vertices() and
 * pl_dist_triangles() give other lists.
 *   most   1 or more; 1.2 is usual
 *   moved  on all ranks: whether anything has moved; false if that would gain little */
pl_status pl_dist_rebalance(pl_dist *dist, double most, bool *moved);

/* ------------------------------------------------------------------------------ questions -- */

/* Options of all questions; equal on all ranks. */
typedef struct pl_dist_question {
  size_t struct_size;
  /* near: features at most this far apart. nearest: search distances of at most this only. impacts:
   * features that come as near as this are in contact. */
  double margin;
  /* -1: rows stay with their owners. Otherwise all rows are gathered on this rank, and the others
   * have none. */
  int root;
} pl_dist_question;

/* Returns no margin (nearest: infinite) and no root. */
static inline pl_dist_question pl_dist_question_default(void)
{
  pl_dist_question def = PL_ZERO;
  def.struct_size = sizeof def;
  def.root = -1;
  return def;
}

/* What a call did on this rank. */
typedef struct pl_dist_counters {
  uint64_t bytes_boxes; /* boxes that this rank sent to the others, once each */
  uint64_t bytes_sent;  /* patches: all bytes of messages to other ranks */
  uint64_t bytes_received;
  uint64_t patches_sent, patches_received;
  uint64_t ranks;          /* to which patches were sent */
  uint64_t bytes_gathered; /* rows sent to the root */
  uint64_t n_v, n_p, n_u;  /* of the library's questions, as in pl_counters */
} pl_dist_counters;

/* Rows. body_a <= body_b; within one body triangle_a < triangle_b. Results are valid until the next
 * question of the scene. */
typedef struct pl_dist_pair {
  uint64_t body_a, body_b, triangle_a, triangle_b;
} pl_dist_pair;

typedef struct pl_dist_pairs {
  const pl_dist_pair *rows; /* by body_a, body_b, triangle_a, triangle_b */
  size_t count;
  pl_dist_counters counters;
} pl_dist_pairs;

/* Reports all pairs of triangles that have a point in common: of different bodies, and of bodies
 * with `self` also within them, without triangles that share a vertex.
 *   def  NULL: defaults */
pl_status pl_dist_touching(pl_dist *dist, const pl_dist_question *def, pl_dist_pairs *out);

typedef struct pl_dist_near_pair {
  uint64_t body_a, body_b, triangle_a, triangle_b;
  double distance, point_a[3], point_b[3];
} pl_dist_near_pair;

typedef struct pl_dist_near_pairs {
  const pl_dist_near_pair *rows; /* as pl_dist_pairs */
  size_t count;
  pl_dist_counters counters;
} pl_dist_near_pairs;

/* Reports all pairs of triangles that are at most def->margin apart, with their nearest points.
 * Within one body: those that share no vertex. */
pl_status pl_dist_near_triangles(pl_dist *dist, const pl_dist_question *def,
                                 pl_dist_near_pairs *out);

/* As pl_feature_pair. */
typedef struct pl_dist_feature {
  uint64_t body_a, body_b, triangle_a, triangle_b;
  uint64_t kind; /* pl_feature */
  uint64_t vertex_a[3], vertex_b[3];
  double distance, weight_a[3], weight_b[3], normal[3];
} pl_dist_feature;

typedef struct pl_dist_features {
  const pl_dist_feature *rows; /* as pl_dist_pairs, then as pl_feature_pair */
  size_t count;
  pl_dist_counters counters;
} pl_dist_features;

/* Reports every vertex and face, and every two edges, that are at most def->margin apart, each
 * once. Within one body: those that share no vertex. */
pl_status pl_dist_near(pl_dist *dist, const pl_dist_question *def, pl_dist_features *out);

typedef struct pl_dist_nearest_result {
  pl_dist_near_pair row; /* equal on all ranks; an infinite distance: none within the margin */
  pl_dist_counters counters;
} pl_dist_nearest_result;

/* Reports the least distance between triangles of different bodies; of equal ones that of the least
 * bodies, then triangles. The rows of all ranks are equal, with or without a root.
 *   def  NULL: defaults; margin 0 is infinite here */
pl_status pl_dist_nearest(pl_dist *dist, const pl_dist_question *def, pl_dist_nearest_result *out);

/* As pl_impact. */
typedef struct pl_dist_impact {
  uint64_t body_a, body_b;
  double time;
  uint64_t kind; /* pl_feature */
  uint64_t feature_a[2], feature_b[2];
  double normal[3], point[3];
} pl_dist_impact;

typedef struct pl_dist_impact_result {
  const pl_dist_impact *rows; /* by time, bodies, kind, features */
  size_t count;
  double time;      /* of the first on any rank; infinite: none */
  double safe_step; /* as in the library; of all ranks */
  pl_dist_counters counters;
} pl_dist_impact_result;

/* Reports all features that meet between the kept poses and the present ones. */
pl_status pl_dist_impacts(pl_dist *dist, const pl_dist_question *def, pl_dist_impact_result *out);

/* As pl_hit. */
typedef struct pl_dist_hit {
  double t; /* infinite: nothing was hit, and the rest is 0 */
  double u, v, normal[3];
  uint64_t body, triangle;
} pl_dist_hit;

typedef struct pl_dist_hits {
  const pl_dist_hit *rows; /* one for each ray, equal on all ranks */
  size_t count;
  pl_dist_counters counters;
} pl_dist_hits;

/* Reports the closest hit of each ray: least t, then body, then triangle.
 *   rays  equal on all ranks */
pl_status pl_dist_cast(pl_dist *dist, const pl_ray *rays, size_t count, pl_dist_hits *out);

#ifdef __cplusplus
}
#endif
#endif
