/* Small moving worlds for the tests: pairs of meshes with a pose for every step, ordinary and
 * nasty. */
#ifndef TESTS_WORLDS_H
#define TESTS_WORLDS_H

#include "pliant/pliant.h"
#include "support/support.h"

/* Strategies from 1 up to here are those of free bodies. */
enum { FREE_STRATEGIES = PL_STRATEGY_BLEND };

typedef struct world_mesh {
  double *xyz;
  float *xyz_f32;
  size_t vertex_count;
  uint32_t *triangles;
  size_t triangle_count;
} world_mesh;

typedef struct world {
  const char *name;
  world_mesh mesh[2];
  int steps;
  /* fills mesh[].xyz and xyz_f32 (exactly the same numbers) */
  void (*pose)(struct world *w, int step);
  void *data;
} world;

/* X(NAME, test). Their list, with the name of a test of each. */
#define WORLD_LIST(X)                                                                                                  \
  X(SPHERES, spheres)                                                                                                  \
  X(GRIDS, grids)                                                                                                      \
  X(SOUP, soup)                                                                                                        \
  X(POINT, point)                                                                                                      \
  X(FAR, far_away)

enum {
#define WORLD_NAME(name, test) WORLD_##name,
  WORLD_LIST(WORLD_NAME)
#undef WORLD_NAME
      WORLD_COUNT
};

/* For a file that has a test for each world: WORLD_LIST(WORLD_TEST) makes them from its
 * run_world(), WORLD_LIST(WORLD_ENTRY) is cmocka's list. */
#define WORLD_TEST(name, test)                                                                                         \
  static void test(void **state)                                                                                       \
  {                                                                                                                    \
    (void)state;                                                                                                       \
    run_world(WORLD_##name);                                                                                           \
  }
#define WORLD_ENTRY(name, test) cmocka_unit_test(test),

/* Makes world number `kind`; size scales the number of triangles (1: about 100). */
void world_create(int kind, int size, world *out);
void world_free(world *w);

pl_mesh_def world_mesh_def(const world *w, int body, bool doubles);
pl_positions world_positions(const world *w, int body, bool doubles);

/* Both bodies of a world in its present pose, and new poses for them. */
void world_bodies(const world *w, pl_context *context, const pl_body_def *def, bool doubles, pl_body *out[2]);
void world_set(const world *w, bool doubles, pl_body *const bodies[2]);

/* FNV-1a of anything. */
uint64_t hash_bytes(uint64_t hash, const void *data, size_t size);
/* without handles, which differ from run to run */
uint64_t hash_hits(uint64_t hash, const pl_hit *hits, size_t count);
#define HASH_START 0xcbf29ce484222325u

/* Both answers as sets, whatever their order. */
void assert_same_pairs(const pl_pair *a, size_t a_count, const pl_pair *b, size_t b_count, const char *what);

/* Pairs that outlive the next query. */
typedef struct pair_list {
  pl_pair *pairs;
  size_t count;
} pair_list;

pair_list copy_pairs(const pl_result *found);
pair_list reference_pairs_of(pl_body *a, pl_body *b);

/* The engine's pairs of two bodies are the reference's; returns how many there are. */
size_t assert_like_reference(pl_body *a, pl_body *b, const char *what);

/* The same for all contacts of a scene and their groups, in order. */
size_t assert_scene_like_reference(pl_scene *scene, const char *what);

/* Structure and volumes are right. */
void assert_valid(pl_body *body, pl_context *context, const char *what);

/* The call was refused with this status and a sentence that holds `part`. */
void assert_refused(pl_context *context, pl_status got, pl_status wanted, const char *part);

/* The defaults but for these. */
pl_body_def body_def_of(pl_strategy strategy, int arity, int leaf, bool borrow);

/* The instruction sets that tests go through; those that a machine does not have are
 * skipped. */
#if defined(__aarch64__)
#define SIMD_WORDS "scalar", "neon", "neon"
#else
#define SIMD_WORDS "scalar", "sse2", "avx2", "avx512"
#endif

/* A context with one thread and the given instruction set (NULL: the best); NULL where the
 * machine does not have it. */
pl_context *context_of(const char *simd);

#endif
