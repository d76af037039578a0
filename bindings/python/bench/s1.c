/* S1 in C, for comparison: s1 FILE STEPS VERTICES TRIANGLES plays what figures.py wrote
 * (triangles, then positions of a and b for each step, float) and prints milliseconds per step
 * for set + pairs, the best of 5 rounds, and the number of pairs. */
#define _POSIX_C_SOURCE 200809L
#include <pliant/pliant.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static double now(void)
{
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return 1e3 * (double)t.tv_sec + 1e-6 * (double)t.tv_nsec;
}

int main(int argc, char **argv)
{
  if (argc != 5) return 64;
  size_t steps = strtoul(argv[2], NULL, 10), vertices = strtoul(argv[3], NULL, 10),
         triangles = strtoul(argv[4], NULL, 10);
  uint32_t *faces = malloc(12 * triangles);
  float *poses = malloc(steps * 2 * vertices * 12);
  FILE *file = fopen(argv[1], "rb");
  if (!faces || !poses || !file || fread(faces, 12, triangles, file) != triangles ||
      fread(poses, 12, steps * 2 * vertices, file) != steps * 2 * vertices)
    return 2;
  fclose(file);
  pl_context_def def = pl_context_def_default();
  def.threads = 1;
  pl_context *context;
  if (pl_context_create(&def, &context) != PL_OK) return 2;
  pl_body *body[2];
  pl_mesh_def mesh = pl_mesh_def_default();
  mesh.triangles = faces;
  mesh.triangle_count = triangles;
  for (size_t k = 0; k < 2; ++k) {
    mesh.positions = pl_positions_f32(poses + 3 * k * vertices, vertices);
    if (pl_body_create_free(context, &mesh, NULL, &body[k]) != PL_OK) return 2;
  }
  double best = 1e300;
  size_t total = 0;
  pl_pair *copy = malloc(sizeof *copy * 1000000); /* the caller keeps the pairs, as in Python */
  for (int round = 0; round < 5 && copy; ++round) {
    total = 0;
    double start = now();
    for (size_t i = 0; i < steps; ++i) {
      const pl_result *found;
      for (size_t k = 0; k < 2; ++k)
        if (pl_body_set_positions(body[k], pl_positions_f32(poses + 3 * (2 * i + k) * vertices, vertices)) != PL_OK)
          return 2;
      if (pl_touching(pl_two(body[0], body[1]), NULL, &found) != PL_OK || found->count > 1000000) return 2;
      if (found->count) memcpy(copy, found->pairs, found->count * sizeof *copy);
      total += found->count;
    }
    double took = (now() - start) / (double)steps;
    if (took < best) best = took;
  }
  printf("%.6f %zu\n", best, total);
  free(copy);
  free(faces);
  free(poses);
  pl_context_destroy(context);
  return 0;
}
