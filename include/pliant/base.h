/* Status codes, the context (allocator, log, threads), positions, counters and the words of
 * enumerations: what every other header uses. */
#ifndef PLIANT_BASE_H
#define PLIANT_BASE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PL_VERSION_MAJOR 0
#define PL_VERSION_MINOR 3
#define PL_VERSION_PATCH 0

#if defined(_WIN32)
#define PL_API
#elif defined(__GNUC__)
#define PL_API __attribute__((visibility("default")))
#else
#define PL_API
#endif

/* A build of the library with additional motions, strategies, volumes or methods defines
 * PLIANT_EXTENSION as the header that lists them; see docs/how-to/extend.md. Programs that use such
 * a build must define the same. */
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
#ifndef PL_MORE_SELF_METHODS
#define PL_MORE_SELF_METHODS(X)
#endif
/* Enumerators of an extension; they come after those of the library. */
#define PL_MORE_MOTION(name, word) PL_MOTION_##name,
#define PL_MORE_STRATEGY(name, word) PL_STRATEGY_##name,
#define PL_MORE_SHAPE(name, word) PL_VOLUME_##name,
#define PL_MORE_SELF_METHOD(name, word) PL_SELF_METHOD_##name,

/* Initialises a struct to zero, in the form that each language accepts without a warning. */
/* clang-format off */
#ifdef __cplusplus
#define PL_ZERO {}
#else
#define PL_ZERO {0}
#endif
/* clang-format on */

#ifdef __cplusplus
extern "C" {
#endif

/* ------------------------------------------------------------------------------ versions -- */

/* A program that was compiled against the headers of 0.3 or later works with every later library
 * of the same soname; functions and members are only added. There are four kinds of structs:
 *
 *   definitions  pl_question and pl_..._def begin with `struct_size`. Get one from the function
 *                whose name ends in _default, which the caller's compiler expands, so that size
 *                and defaults are those of the caller's headers. The library accepts every size.
 *                Members that a shorter definition lacks get the library's defaults; a longer one,
 *                from newer headers, is accepted if the members that the library does not know are
 *                0. So a new option is off, or means what was usual before, if it is 0 or missing.
 *   results      pl_result, pl_region_parts and pl_volumes belong to the library, which hands out
 *                pointers to them. They get new members only at their end, and are never copied by
 *                size.
 *   facts        pl_..._info belong to the caller. pl_..._get_info() is inline and passes
 *                sizeof *out to a function whose name ends in _sized, which writes that many
 *                bytes; members that the library does not know are 0.
 *   values       all others, such as pl_pair, pl_hit, pl_positions, pl_counters or pl_inflate_def,
 *                are elements of arrays or members of other structs and keep their size forever.
 *
 * A new member never replaces padding at the end: the size grows. New members leave no padding,
 * because its bytes could look like a member that is set. Values of enumerations keep their
 * numbers; new ones are added at the end, before PL_..._COUNT, the number of values. */

/* -------------------------------------------------------------------------------- status -- */

/* What a call returns. */
typedef enum pl_status {
  PL_OK = 0,                /* no error */
  PL_ERROR_ARGUMENT = 1,    /* an argument is missing or out of range */
  PL_ERROR_MESH = 2,        /* the mesh is not usable */
  PL_ERROR_POSITIONS = 3,   /* a position is not a finite number */
  PL_ERROR_MISMATCH = 4,    /* counts or kinds do not fit each other */
  PL_ERROR_UNSUPPORTED = 5, /* this combination is not supported */
  PL_ERROR_MEMORY = 6,      /* out of memory */
  PL_ERROR_BUFFER = 7,      /* the caller's buffer is too small */
  PL_ERROR_THREADS = 8,     /* threads could not be started */
  PL_ERROR_BUSY = 9,        /* another call that is under way uses this object */
  PL_STATUS_COUNT = 10
} pl_status;

/* Returns the general meaning of a status. pl_context_message() says where it happened and what
 * to do. */
PL_API const char *pl_status_text(pl_status status);

/* Returns "0.3.0". */
PL_API const char *pl_version(void);

/* ------------------------------------------------------------------------------- context -- */

/* Owns everything that is created in it. There is no global state: two contexts share nothing.
 *
 * Threads. Several of the caller's threads may use one context at once:
 *   - Queries run side by side, also about the same body or scene, while nothing changes it;
 *     volumes that one of them refits serve the others. Bodies, scenes and meshes may be created
 *     at any time. The context's workers help one query at a time; others run on their calling
 *     thread alone.
 *   - PL_ERROR_BUSY refuses a change (pl_body_set_...(), adding, removing, destroying) of an
 *     object that a query is using, a query about an object that is being changed, two changes
 *     of one object at once, and any call into a context from a filter or callback of its own
 *     queries. Nothing happens then; a function that returns no status reports it through the
 *     log. pl_context_destroy() must be the last call, after all others have returned.
 *   - A body may be handed to another thread if the calls do not overlap.
 *
 * Results belong to the thread that asked, or to a holder; question.h says how long they live. What
 * pl_context_message() returns is valid until the same thread's next call in the same context. */
typedef struct pl_context pl_context;

/* The caller's memory functions. Set both or neither.
 *   user      is passed to both functions
 *   allocate  returns memory aligned for every C type (16 bytes), or NULL; pliant aligns further by
 *             itself
 *   release   gets the `size` that was passed to allocate
 * They are called by one thread at a time, but not always by the same thread. They must not use the
 * context. */
typedef struct pl_allocator {
  void *user;
  void *(*allocate)(void *user, size_t size);
  void (*release)(void *user, void *memory, size_t size);
} pl_allocator;

/* One task of a parallel loop. `worker` is in [0, workers). No two tasks run with the same worker
 * at the same time. */
typedef void (*pl_task)(void *data, int task, int worker);

/* The caller's own job system, used instead of pliant's threads. It runs task(data, i, worker) for
 * each i in [0, count), in any order, at most `workers` of them at a time, and returns when all are
 * done. */
typedef void (*pl_parallel)(void *user, pl_task task, void *data, int count, int workers);

typedef struct pl_context_def {
  size_t struct_size;
  pl_allocator allocator; /* all NULL: malloc and free */
  int threads;            /* workers of updates and queries, at most 256; 0: one per core */
  pl_parallel parallel;   /* NULL: pliant's threads, started by the first call that needs them */
  void *parallel_user;
  /* NULL: silent. Gets the line of pl_context_message(), in the thread of the failed call. */
  void (*log)(void *user, const char *line);
  void *log_user;
  /* NULL: the best instruction set of this machine. For tests: "scalar", "sse2", "avx2",
   * "avx512", "neon" or "wasm" selects that one. */
  const char *simd;
} pl_context_def;

static inline pl_context_def pl_context_def_default(void)
{
  pl_context_def def = PL_ZERO;
  def.struct_size = sizeof def;
  return def;
}

/* Creates a context.
 *   def  NULL: defaults
 *   out  NULL on failure */
PL_API pl_status pl_context_create(const pl_context_def *def, pl_context **out);

/* Destroys the context and all bodies, scenes and meshes created in it. NULL is allowed. */
PL_API void pl_context_destroy(pl_context *context);

/* Returns one line about the last call of this thread that failed in this context: what
 * happened, where, and what to do. Never NULL. A call without a context (a NULL body, scene or
 * context; pl_context_create()) stores its message per thread: it is returned for every context,
 * and for NULL, until another call of the thread fails or creates a context. */
PL_API const char *pl_context_message(const pl_context *context);

/* Releases the memory of the calling thread's results and scratch. For threads that end long
 * before the context; without this call their memory is kept for later threads. */
PL_API void pl_context_end_thread(pl_context *context);

/* Returns the number of workers that a call may use, at least 1. */
PL_API int pl_context_threads(const pl_context *context);

/* Runs task(data, i, worker) for each i in [0, count) on the context's workers, in any order, and
 * returns when all are done, so the caller's own loops need no second set of threads.
 *   task  may ask questions, which then run on their own thread alone; `worker` is in
 *         [0, pl_context_threads())
 * Fails with PL_ERROR_THREADS or PL_ERROR_MEMORY if the workers could not be started. No task has
 * run in that case.
 * Cost: waking the workers, if they sleep. */
PL_API pl_status pl_context_run(pl_context *context, pl_task task, void *data, int count);

/* ----------------------------------------------------------------------------- positions -- */

typedef enum pl_scalar {
  PL_F32 = 0, /* float */
  PL_F64 = 1  /* double */
} pl_scalar;

/* A view of vertex positions: x y z of each vertex, aligned to their scalar type. It owns
 * nothing. */
typedef struct pl_positions {
  const void *data;
  size_t count;  /* vertices */
  size_t stride; /* bytes from vertex to vertex: whole scalars, at least 3 of them */
  pl_scalar type;
} pl_positions;

static inline pl_positions pl_positions_strided(pl_scalar type, const void *data, size_t count,
                                                size_t stride)
{
  const pl_positions positions = {data, count, stride, type};
  return positions;
}
static inline pl_positions pl_positions_f32(const float *xyz, size_t count)
{
  return pl_positions_strided(PL_F32, xyz, count, 3 * sizeof *xyz);
}
static inline pl_positions pl_positions_f64(const double *xyz, size_t count)
{
  return pl_positions_strided(PL_F64, xyz, count, 3 * sizeof *xyz);
}

/* A row-major 3 x 3 matrix and a translation: world = m * model + t. */
typedef struct pl_transform {
  double m[3][3];
  double t[3];
} pl_transform;

static inline pl_transform pl_transform_identity(void)
{
  const pl_transform identity = {{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, {0, 0, 0}};
  return identity;
}

/* ------------------------------------------------------------------------------ counters -- */

/* The work of a query, in the terms of the cost model T = n_v c_v + n_p c_p + n_u c_u. The
 * counts do not depend on the number of threads. */
typedef struct pl_counters {
  uint64_t n_v;         /* pairs of volumes tested */
  uint64_t n_p;         /* pairs of triangles tested */
  uint64_t n_u;         /* volumes computed for this query, before or during it */
  double ms_update;     /* wall time of the eager pass */
  double ms_query;      /* wall time of the query, including the volumes refitted on demand */
  uint64_t reserved[3]; /* 0; for later counts: the size of this struct is fixed */
} pl_counters;

/* --------------------------------------------------------------------------------- words -- */

/* Enumerations have words, for command lines, files and reports. */

/* The enumerations whose values have words. */
typedef enum pl_words {
  PL_WORDS_KIND = 0,      /* this one: "kind", "strategy", "volume", ... */
  PL_WORDS_STRATEGY = 1,  /* pl_strategy */
  PL_WORDS_VOLUME = 2,    /* pl_volume */
  PL_WORDS_BUILDER = 3,   /* pl_builder */
  PL_WORDS_CUT = 4,       /* pl_cut */
  PL_WORDS_CRITERION = 5, /* pl_criterion */
  PL_WORDS_GROWTH = 6,    /* pl_growth */
  PL_WORDS_MOTION = 7,    /* pl_motion */
  PL_WORDS_MORPH = 8,     /* pl_morph_kind */
  PL_WORDS_PATH = 9,      /* pl_path */
  PL_WORDS_MATCH = 10,    /* pl_match_kind */
  PL_WORDS_SOUP = 11,     /* pl_soup_method */
  PL_WORDS_BROAD = 12,    /* pl_broad */
  PL_WORDS_FRESH = 13,    /* pl_fresh */
  PL_WORDS_SELF = 14,     /* pl_self_method */
  PL_WORDS_RAY = 15,      /* pl_ray_mode */
  PL_WORDS_CLOSURE = 16,  /* pl_closure */
  PL_WORDS_SIDE = 17,     /* pl_side */
  PL_WORDS_FEATURE = 18,  /* pl_feature */
  PL_WORDS_ZONE = 19,     /* pl_zone_kind */
  PL_WORDS_COUNT = 20
} pl_words;

/* Returns the word of a value, such as "top-down" for PL_WORDS_STRATEGY and PL_STRATEGY_TOP_DOWN.
 * NULL: there is no such kind or value. Values run from 0 without gaps, so this lists a kind:
 *   for (int i = 0; pl_word(PL_WORDS_STRATEGY, i); ++i) puts(pl_word(PL_WORDS_STRATEGY, i)); */
PL_API const char *pl_word(pl_words kind, int value);

/* Finds the value of a word and returns whether there is one.
 *   word  NULL is no word
 *   out   gets the value, and does not change if there is none; NULL: not wanted */
PL_API bool pl_word_parse(pl_words kind, const char *word, int *out);

#ifdef __cplusplus
}
#endif
#endif
