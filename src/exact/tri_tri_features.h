/* Internal to the distance of triangles: two features of them and points on both. Lanes and single numbers share it. */
#ifndef EXACT_TRI_TRI_FEATURES_H
#define EXACT_TRI_TRI_FEATURES_H

#include <stdbool.h>

#define SAFE_LOW 0x1p-200 /* of the triangles' size: products of four must not underflow */
#define SAFE_HIGH 0x1p200

/* Two points of two features: p + x X and q - y Y, or a face's p + x X + y Y and a corner q, or the other way round. */
typedef struct features {
  double square;      /* rough */
  int p, q;           /* corners of a and of b */
  int free;           /* bit 0: X, bit 1: Y; 0: corner to corner */
  int from[2], to[2]; /* X, Y: corners 0..2 of a, 3..5 of b */
  double at[2];       /* x, y in [0, 1] */
} features;

/* X and Y are vectors of one face. */
static inline bool features_is_face(const features *f) { return f->free == 3 && (f->from[0] < 3) == (f->from[1] < 3); }

/* The features of a code of num_nearest. */
void nearest_features(int code, double square, double x, double y, features *out);

#endif
