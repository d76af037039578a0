/* Status codes, the context (allocator, log, threads), positions and counters: what every other header uses. */
#ifndef PLIANT_BASE_H
#define PLIANT_BASE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PL_VERSION_MAJOR 0
#define PL_VERSION_MINOR 1
#define PL_VERSION_PATCH 0

#if defined(_WIN32)
#define PL_API
#elif defined(__GNUC__)
#define PL_API __attribute__((visibility("default")))
#else
#define PL_API
#endif

/* A build of the library with more motions, strategies or volumes than these names a header that lists them: docs/architecture.md, "How to
 * add". Programs that use such a build define the same. */
#ifdef PLIANT_EXTENSION
#include PLIANT_EXTENSION
#endif
#ifndef PL_MORE_MOTIONS
#define PL_MORE_MOTIONS(X)
#endif
#ifndef PL_MORE_STRATEGIES
#define PL_MORE_STRATEGIES(X)
#endif
#ifndef PL_MORE_SHAPES
#define PL_MORE_SHAPES(X)
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* ---------------------------------------------------------------------------------------------------- status -- */

/* X(name, text). The only list of status codes: the enumeration and pl_status_text() come from it. */
#define PL_STATUS_LIST(X)                                                                                              \
  X(PL_OK, "ok")                                                                                                       \
  X(PL_ERROR_ARGUMENT, "an argument is missing or out of range")                                                       \
  X(PL_ERROR_MESH, "the mesh is not usable")                                                                           \
  X(PL_ERROR_POSITIONS, "a position is not a finite number")                                                           \
  X(PL_ERROR_MISMATCH, "counts or kinds do not fit each other")                                                        \
  X(PL_ERROR_UNSUPPORTED, "this combination is not supported")                                                         \
  X(PL_ERROR_MEMORY, "out of memory")                                                                                  \
  X(PL_ERROR_BUFFER, "the caller's buffer is too small")                                                               \
  X(PL_ERROR_THREADS, "threads could not be started")

typedef enum pl_status {
#define PL_STATUS_NAME(name, text) name,
  PL_STATUS_LIST(PL_STATUS_NAME)
#undef PL_STATUS_NAME
      PL_STATUS_COUNT
} pl_status;

/* The general meaning of a status; pl_context_message() tells the place and what to do. */
PL_API const char *pl_status_text(pl_status status);

/* "0.1.0", and the instruction set in use is told by pl_context_simd(). */
PL_API const char *pl_version(void);

/* --------------------------------------------------------------------------------------------------- context -- */

/* Owns all that is made in it. No global state: two contexts know nothing of each other and may be used from two
 * threads at once; one context is used from one thread at a time (it uses its own threads inside a call). */
typedef struct pl_context pl_context;

/* Memory of the caller's choice: both functions or none; `user` is handed to them. `size` in release is the size that was asked
 * for. Memory must be aligned for any type of C (16 bytes); pliant aligns further by itself. Called by one thread at a time,
 * not always the same. */
typedef struct pl_allocator {
  void *user;
  void *(*allocate)(void *user, size_t size);
  void (*release)(void *user, void *memory, size_t size);
} pl_allocator;

/* One task of a parallel loop. `worker` is in [0, workers) and no two tasks run with the same worker at a time. */
typedef void (*pl_task)(void *data, int task, int worker);

/* The caller's own job system instead of pliant's threads: runs task(data, i, worker) for each i in [0, count), in any
 * order, with at most `workers` at a time, and returns when all are done. */
typedef void (*pl_parallel)(void *user, pl_task task, void *data, int count, int workers);

typedef struct pl_context_def {
  size_t struct_size;     /* sizeof(pl_context_def), set by pl_context_def_default() */
  pl_allocator allocator; /* all NULL: malloc and free */
  int threads;            /* workers of updates and queries; 0: as many as there are cores; at most 256 */
  pl_parallel parallel;   /* NULL: pliant's own threads, started at the first step that needs them */
  void *parallel_user;
  void (*log)(void *user, const char *line); /* NULL: silent */
  void *log_user;
  const char *simd; /* NULL: the best this machine has; "scalar", "sse2", "avx2", "neon", "wasm": that one, for tests */
} pl_context_def;

PL_API pl_context_def pl_context_def_default(void);

/* def: NULL for the defaults. On failure *out is NULL. */
PL_API pl_status pl_context_create(const pl_context_def *def, pl_context **out);

/* Ends the context and all bodies, scenes and meshes made in it. NULL is allowed. */
PL_API void pl_context_destroy(pl_context *context);

/* One line about the last call that failed in this context: what, where, and what to do. Never NULL. */
PL_API const char *pl_context_message(const pl_context *context);

/* "avx2", "sse2", "neon", "wasm" or "scalar". */
PL_API const char *pl_context_simd(const pl_context *context);

/* The number of workers that a call may use, at least 1. */
PL_API int pl_context_threads(const pl_context *context);

/* Runs task(data, i, worker) for each i in [0, count) on the context's workers and returns when all are done, so that a caller's own
 * loops need no second set of threads; `worker` is in [0, pl_context_threads()). The order is any, and tasks must not call into the
 * context. Waking the workers takes some 10 microseconds. PL_ERROR_THREADS, PL_ERROR_MEMORY: they could not be started, and no
 * task has run. */
PL_API pl_status pl_context_run(pl_context *context, pl_task task, void *data, int count);

/* ------------------------------------------------------------------------------------------------- positions -- */

typedef enum pl_scalar { PL_F32, PL_F64 } pl_scalar;

/* A view of vertex positions, x y z each, aligned to their scalar; nothing is owned. */
typedef struct pl_positions {
  const void *data;
  size_t count;  /* vertices */
  size_t stride; /* bytes from one vertex to the next; at least 3 scalars, a multiple of the scalar's size */
  pl_scalar type;
} pl_positions;

PL_API pl_positions pl_positions_f32(const float *xyz, size_t count);
PL_API pl_positions pl_positions_f64(const double *xyz, size_t count);
PL_API pl_positions pl_positions_strided(pl_scalar type, const void *data, size_t count, size_t stride);

/* -------------------------------------------------------------------------------------------------- counters -- */

/* What a query did: the terms of the cost model T = n_v c_v + n_p c_p + n_u c_u. The same for any number of threads. */
typedef struct pl_counters {
  uint64_t n_v;     /* pairs of volumes tested */
  uint64_t n_p;     /* pairs of triangles tested */
  uint64_t n_u;     /* volumes computed for this query, before or during it */
  double ms_update; /* wall time spent on volumes before the query */
  double ms_query;  /* wall time of the query, volumes refreshed on the way included */
} pl_counters;

#ifdef __cplusplus
}
#endif
#endif
