/* Inside the distributed scene. Pieces are what questions are asked of: the part of a body that
 * a rank owns, or a patch of another rank's part (a ghost). Vertices and triangles of a piece
 * ascend by id, so the library's orders within a piece are those of the undivided mesh. */
#ifndef DIST_H
#define DIST_H

#include "pliant_mpi.h"
#include "wait.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct piece {
  uint64_t body;
  size_t vertex_count, triangle_count;
  uint64_t *vertices, *triangle_ids; /* ids, ascending */
  uint32_t *triangles;               /* 3 indices of vertices each */
  double *xyz;                       /* present positions; the library reads them in place */
  double *start;                     /* kept pose, if `kept`; see piece_start() */
  bool kept;                         /* otherwise nothing was kept, and it is at rest */
  /* The least id of the triangles, of all ranks, at each vertex and at each edge (corner e to e
   * + 1) of each triangle. NULL until a question about features needs them. */
  uint64_t *vertex_least, *edge_least;
  /* sorted pairs of vertex indices whose edge_least is of this piece; NULL until needed */
  uint64_t *edge_owners;
  size_t edge_owner_count;
  pl_body *handle;       /* NULL until the first question */
  uint64_t version;      /* of the positions */
  uint64_t pose_version; /* of the kept pose that the handle has */
} piece;

static inline const double *piece_start(const piece *p) { return p->kept ? p->start : p->xyz; }

/* A cluster of triangles of a part: the unit that is sent. */
typedef struct patch {
  uint32_t part;       /* index of dist.parts, which is the body's number */
  uint32_t *triangles; /* indices in the part, ascending; into part_patches.order */
  size_t triangle_count;
  uint32_t *vertices; /* indices in the part, ascending; owned */
  size_t vertex_count;
} patch;

/* What every rank knows of every patch. */
typedef struct patch_info {
  uint64_t body, triangles;
} patch_info;

typedef struct part {
  piece piece; /* triangle_count 0: this rank has none */
  bool self;
  uint32_t *order; /* triangles by patch */
} part;

/* Rows of a result: a growing array of rows of `size` bytes. */
typedef struct rows {
  char *data;
  size_t size, count, room;
} rows;

struct pl_dist {
  MPI_Comm comm;
  int rank, size;
  pl_context *context;
  int wanted_patches;
  pl_self_method self_method;
  char message[512];
  part *parts; /* of each body */
  size_t part_count;
  bool committed; /* patches belong to the present bodies */
  bool has_least;
  patch *patches; /* of this rank */
  size_t patch_count;
  patch_info *all; /* of all ranks, by rank */
  size_t all_count;
  size_t *first; /* of each rank, in `all`; size + 1 */
  double *boxes; /* 6 of each in `all` */
  double *own_boxes;
  double *rank_boxes; /* 6 of each rank: around its patches; none are near an empty one */
  uint64_t *costs;    /* of each in `all`: what this rank's questions have charged to it */
  double *shares;     /* of each own patch, while something is charged */
  uint64_t work;      /* of this rank: n_v + n_p + n_u since triangles may have moved */
  piece **ghosts;     /* of each in `all`; NULL: not received yet */
  /* of each own patch and rank: 1 its triangles, 2 with least ids, have been sent */
  uint8_t *sent_shape;
  /* Of each own patch and rank: twice the version of the positions sent last, plus 1 with the
   * kept pose. */
  uint64_t *sent_version;
  uint64_t version;      /* counts changes of positions and poses */
  MPI_Request *requests; /* 2 for each rank */
  rows result, gathered;
  pl_dist_counters counters;
};

/* What a question needs of the exchange. */
typedef struct need {
  double margin; /* boxes this far apart matter; infinite: all */
  bool swept;    /* boxes and positions of both poses */
  bool least;    /* ids of the least triangles */
  bool apart;    /* patches of one body do not matter to each other */
} need;

/* dist.c. Sets the message and returns the status. */
pl_status dist_fail(pl_dist *d, pl_status status, const char *format, ...) __attribute__((format(printf, 3, 4)));
/* A definition of a caller whose struct may be shorter; `def` has the defaults. given: NULL
 * leaves them. */
void dist_take_def(void *def, size_t size, const void *given, size_t given_size);
/* The same after a call of the library failed: its message. */
pl_status dist_failed(pl_dist *d, pl_status status);
/* The status of the lowest rank that has one, with its message. Collective. */
pl_status dist_agree(pl_dist *d, pl_status status);
/* Likewise, where a call begins: PL_ERROR_ARGUMENT if all are well, but not all ranks made this
 * call with these two numbers. */
typedef enum dist_call {
  CALL_ADD_PART = 1,
  CALL_ADD_WHOLE,
  CALL_SET_POSITIONS,
  CALL_SCATTER_POSITIONS,
  CALL_KEEP_POSES,
  CALL_REBALANCE,
  CALL_TOUCHING,
  CALL_NEAR_TRIANGLES,
  CALL_NEAR,
  CALL_NEAREST,
  CALL_IMPACTS,
  CALL_CAST
} dist_call;
pl_status dist_agree_on(pl_dist *d, pl_status status, dist_call call, uint64_t first, uint64_t second);
uint64_t dist_bits(double x); /* of a number for dist_agree_on() */

/* piece.c */
pl_status dist_piece_create_body(pl_dist *d, piece *p);
void dist_piece_free(piece *p);
/* false: out of memory; free it all the same */
bool dist_piece_alloc(piece *p, size_t vertices, size_t triangles);
bool dist_piece_start(piece *p); /* it has room for a kept pose. false: out of memory */
/* its handle has the kept pose, and then the present one */
pl_status dist_piece_pose(pl_dist *d, piece *p);
/* its least triangle is of this piece */
bool dist_piece_owns_vertex(const piece *p, uint32_t vertex);
/* the same of an edge; dist_piece_edges() first */
bool dist_piece_owns_edge(piece *p, uint32_t v, uint32_t w);
bool dist_piece_edges(piece *p); /* false: out of memory */

/* body.c. A coordinate of any positions, in double. */
double dist_scalar(pl_positions p, size_t vertex, int axis);

/* bisect.c. Cuts triangles into k parts: `order` becomes the triangles by part, ends[i] the end
 * of part i. Triangles of a part ascend. false: out of memory. */
typedef struct bisect_input {
  const double *xyz;
  const uint32_t *triangles;
  size_t vertex_count, triangle_count;
} bisect_input;
bool dist_bisect(const bisect_input *in, size_t k, uint32_t *order, size_t *ends);

/* patch.c. Patches of the present bodies, and what all ranks know of all. Collective. */
pl_status dist_commit(pl_dist *d);
void dist_drop_patches(pl_dist *d);

/* wire.c. A patch in a message. */
enum { HAS_SHAPE = 1, HAS_LEAST = 2, HAS_START = 4, WIRE_HEADER = 4 };
uint64_t dist_wire_words(const patch *p, int flags);
/* Own patch i; returns where the next one belongs. */
uint64_t *dist_wire_put(const pl_dist *d, size_t i, int flags, uint64_t *to);
/* Room for the patch that begins with `header`, and the patch itself; returns where it ends. */
bool dist_wire_alloc(piece *p, const uint64_t *header);
const uint64_t *dist_wire_take(piece *p, const uint64_t *header);

/* cost.c. Charges the work of a question of two own parts, or of an own part and a patch of another
 * rank, to their patches. */
void dist_charge_own(pl_dist *d, size_t x, size_t y, uint64_t work, const need *n);
void dist_charge_ghost(pl_dist *d, size_t number, size_t g, uint64_t work, const need *n);
/* The rank that each patch should belong to, by d->costs of all ranks. false: out of memory. */
bool dist_assign(const pl_dist *d, uint32_t *rank_of);
/* The cost of the busiest rank by the mean. */
double dist_unevenness(const pl_dist *d, const uint32_t *rank_of);

/* least.c. Least triangles of vertices and edges over all ranks. Collective; once. */
pl_status dist_least(pl_dist *d);

/* exchange.c. Boxes of all, and the patches that this rank needs. Collective. */
pl_status dist_exchange(pl_dist *d, const need *n);
/* Whether own patch i and patch g of another rank matter to each other. */
bool dist_patches_near(const pl_dist *d, size_t i, size_t g, const need *n);
bool dist_boxes_near(const double *x, const double *y, double margin);
pl_status dist_all_boxes(pl_dist *d, bool swept);
/* A message to and from each rank, of any length; sizes in bytes, known on both sides. */
void dist_all_to_all(pl_dist *d, char *const *send, const uint64_t *send_size, char *const *receive,
                     const uint64_t *receive_size);

/* rows.c */
void dist_rows_begin(rows *r, size_t size);
void *dist_rows_add(rows *r); /* a row of zeros; NULL: out of memory */
typedef int (*row_compare)(const void *x, const void *y);
bool dist_rows_sort(rows *r, row_compare compare); /* stable */
void dist_rows_free(rows *r);
/* All rows to the root, sorted; root -1: sorts only. Collective. */
pl_status dist_gather(pl_dist *d, rows *r, int root, row_compare compare);

/* ask.c: the library's questions of two pieces, or of one (x == y); rows are added to d->result. */
typedef pl_status (*ask_function)(pl_dist *d, piece *x, piece *y, double margin);
pl_status dist_ask_touching(pl_dist *d, piece *x, piece *y, double margin);
pl_status dist_ask_near(pl_dist *d, piece *x, piece *y, double margin);
pl_status dist_ask_features(pl_dist *d, piece *x, piece *y, double margin);
pl_status dist_ask_impacts(pl_dist *d, piece *x, piece *y, double margin);
pl_status dist_ask_nearest(pl_dist *d, piece *x, piece *y,
                           double margin); /* the nearer one stays in result's only row */
pl_status dist_ask_rays(pl_dist *d, piece *x, const pl_ray *rays, size_t count, pl_dist_hit *best);

#endif
