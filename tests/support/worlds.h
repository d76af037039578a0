/* Small moving worlds for the tests: pairs of meshes with a pose for every step, ordinary and nasty. */
#ifndef TESTS_WORLDS_H
#define TESTS_WORLDS_H

#include "pliant/pliant.h"
#include "support/support.h"

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
  void (*pose)(struct world *w, int step); /* fills mesh[].xyz and xyz_f32 (exactly the same numbers) */
  void *data;
} world;

enum { WORLD_SPHERES, WORLD_GRIDS, WORLD_SOUP, WORLD_POINT, WORLD_FAR, WORLD_COUNT };

/* Makes world number `kind`; size scales the number of triangles (1: some 100). */
void world_create(int kind, int size, world *out);
void world_free(world *w);

pl_mesh_def world_mesh_def(const world *w, int body, bool doubles);
pl_positions world_positions(const world *w, int body, bool doubles);

/* FNV-1a of anything. */
uint64_t hash_bytes(uint64_t hash, const void *data, size_t size);
#define HASH_START 0xcbf29ce484222325u

/* Both answers as sets, whatever their order. */
void assert_same_pairs(const pl_pair *a, size_t a_count, const pl_pair *b, size_t b_count, const char *what);

#endif
