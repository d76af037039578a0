/* What `pliant demo` measures, and the makers of its pictures and its page. */
#ifndef DEMO_H
#define DEMO_H

#include "scenes/scenes.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The ways that the demo compares: ours, the same tree with everything refitted, and the classic
 * tree (binary, one triangle a leaf) with everything refitted. */
enum { DEMO_OURS, DEMO_REFIT, DEMO_CLASSIC, DEMO_WAYS };

typedef struct demo_step {
  int step; /* of the scene */
  size_t pairs;
  double ms[DEMO_WAYS];        /* positions in, pairs out: the best of a few runs */
  uint64_t updated[DEMO_WAYS]; /* volumes computed */
} demo_step;

enum { DEMO_WIDTH = 960, DEMO_HEIGHT = 540, DEMO_PICTURES = 6, DEMO_PATH = 1024 };

typedef struct demo_picture {
  int step;
  size_t pairs;
  char path[DEMO_PATH];
} demo_picture;

typedef struct demo_result {
  size_t triangles; /* of each body */
  int threads, checked;
  const char *simd;
  demo_step *steps;
  size_t step_count;
  demo_picture pictures[DEMO_PICTURES];
  size_t picture_count;
  double total[DEMO_WAYS]; /* ms */
} demo_result;

/* For people: what is compared, the table, the totals and the files. */
void demo_write_head(const demo_result *r);
void demo_write_columns(void);
void demo_write_row(const demo_step *d);
void demo_write_end(const demo_result *r, const char *page);

/* All of it as one object. */
void demo_write_json(const demo_result *r, const char *page);

/* Paints one moment, DEMO_WIDTH x DEMO_HEIGHT: a solid, b of glass, touching triangles red.
 * false: out of memory. */
bool demo_paint(const scene_mesh *a, const scene_mesh *b, const uint8_t *touching_a, const uint8_t *touching_b,
                uint8_t *rgb);

/* One HTML page with curves and pictures, which needs nothing beside it. false: stderr says why. */
bool demo_page_write(const demo_result *result, const char *path);

#endif
