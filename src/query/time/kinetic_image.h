/* Inside of kinetic images. After the grid of frusta of G. Zachmann and R. Weller (Kinetic
 * Bounding Volume Hierarchies and Collision Detection Algorithms for Deformable Objects, slides,
 * 2006), with rays in place of frusta.
 *
 * A *round* is a part [from, to] of the present segment, in its parameter s. When it begins,
 * every ray walks over the boxes around the ways of all volumes and records *spans*: times at
 * which it hits a triangle, or may hit it. Each pixel then has a certificate: what it sees is
 * certain up to `until` (exact/ray_path.h). An update decides the pixels whose certificates have
 * failed at the present time, by certain signs or else by the exact test on the present
 * positions, and computes how long the result holds.
 *
 * So nothing depends on the order of events: each pixel is decided at most once per update, at
 * the time of the update. The times at which depths swap are roots of polynomials of degree 5.
 * They are never computed: a pixel near one holds for a shorter time.
 *
 * Invariant: the spans of a pixel contain, for each s of the round, all triangles that its ray
 * hits then and that are not certainly behind another one during the whole round. */
#ifndef QUERY_KINETIC_IMAGE_H
#define QUERY_KINETIC_IMAGE_H

#include "exact/ray_path.h"
#include "motion/flight.h"
#include "pliant/kinetic.h"
#include "query/query.h"

/* Pixels of a tile, the unit of work; floats of a block: 6 components of 8 boxes. */
enum { IMAGE_TILE = 256, IMAGE_BLOCK = 48 };

typedef struct image_span {
  double from, to;
  float low, high;   /* t * (d . d) of a hit is between */
  uint32_t triangle; /* in tree order */
  bool sure;         /* it is hit during the whole span; otherwise it may be */
} image_span;

typedef struct image_tile {
  ARRAY(image_span) spans;
  uint32_t first[IMAGE_TILE + 1]; /* of each pixel */
  double next;                    /* the least `until` */
  uint32_t changed;               /* pixels that have changed in this update */
  uint64_t events, decided;
  bool failed; /* no memory */
} image_tile;

struct pl_kinetic_image {
  listener listener; /* first member: the body's plans know the image by it */
  pl_context *context;
  pl_body *body;
  pl_ray *rays;
  size_t count;
  uint32_t *triangle; /* by pixel: the caller's index */
  double *until;      /* by pixel */
  image_tile *tiles;
  int tile_count;

  float *blocks; /* boxes of the round: IMAGE_BLOCK for each inner node, then for each leaf */
  size_t block_room;
  double from, to; /* of the round */
  bool begun;
  uint64_t version, changes; /* of the plans */
  uint32_t tree_version;

  uint32_t *changed; /* by tile, then together */
  uint64_t starts, events, decided;
  bool everything; /* all pixels count as changed: the first image */
  pl_result answer;
};

static inline const flight *image_plans(const pl_kinetic_image *image) { return image->body->motion.controls; }

/* The path of a triangle's corners along the ray of a pixel. */
void image_path(const pl_kinetic_image *image, size_t pixel, uint32_t triangle, ray_path *out);

/* query/time/kinetic_image_spans.c: the boxes of a round; then all spans of a tile. */
pl_status image_make_boxes(pl_kinetic_image *image);
void image_trace(pl_kinetic_image *image, image_tile *tile, size_t begin, size_t end);

/* query/time/kinetic_image_decide.c: what a pixel sees at the present s, and until when. Returns
 * the caller's index. */
uint32_t image_decide(pl_kinetic_image *image, image_tile *tile, size_t pixel, double s, double *until);

#endif
