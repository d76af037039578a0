/* Internal to the distance of triangles: two features of them and points on both. Lanes and
 * single numbers share it. */
#ifndef EXACT_TRI_TRI_FEATURES_H
#define EXACT_TRI_TRI_FEATURES_H

#include <stdbool.h>

#define SAFE_LOW 0x1p-200 /* of the triangles' size: products of four must not underflow */
#define SAFE_HIGH 0x1p200

/* tri_tri_distance.c derives these. In lengths times sizes: the roundings of a separating sum. */
#define SEPARATION_ERROR 0x1p-47
#define REACH_MORE (1 + 0x1p-49) /* five roundings of a reach, a length and their product */
#define PROOF_ERROR 0x1p-95      /* of sums in double-double, which are right to 2^-98 */
#define PROOF_LEFT 0x1p-52       /* what a proven square may be off, of itself */
#define PROOF_SLIM 0x1p-24       /* least distance that is proven, of the size */
#define PROOF_OFF 0x1p-52        /* how far a parameter may be out of its feature */

/* Two points of two features: p + x X and q - y Y, or a face's p + x X + y Y and a corner q, or
 * the other way round. */
typedef struct features {
  double square;      /* rough */
  int p, q;           /* corners of a and of b */
  int free;           /* bit 0: X, bit 1: Y; 0: corner to corner */
  int from[2], to[2]; /* X, Y: corners 0..2 of a, 3..5 of b */
  double at[2];       /* x, y in [0, 1] */
} features;

/* X and Y are vectors of one face. */
static inline bool features_is_face(const features *f) { return f->free == 3 && (f->from[0] < 3) == (f->from[1] < 3); }

static inline int corner_after(int i) { return i == 2 ? 0 : i + 1; }

/* The features of points of edge i of a and edge j of b, as parts of the edges: edges, or their
 * ends. */
static inline void nearest_set_edges(features *f, int i, int j, double s, double w, double square)
{
  *f = (features){.square = square, .p = s == 1 ? corner_after(i) : i, .q = w == 1 ? corner_after(j) : j};
  if (s > 0 && s < 1) {
    f->free |= 1;
    f->from[0] = i;
    f->to[0] = corner_after(i);
    f->at[0] = s;
  }
  if (w > 0 && w < 1) { /* q + w v is subtracted: Y = -v */
    f->free |= 2;
    f->from[1] = 3 + corner_after(j);
    f->to[1] = 3 + j;
    f->at[1] = w;
  }
}

/* t0 + x (t1 - t0) + y (t2 - t0); as a - b, the vectors of b are negated. */
static inline void nearest_set_face(features *f, bool of_a, int corner, double square, double x, double y)
{
  *f = (features){.square = square, .free = 3, .at = {x, y}};
  for (int k = 0; k < 2; ++k) {
    f->from[k] = of_a ? 0 : 3 + k + 1;
    f->to[k] = of_a ? k + 1 : 3;
  }
  *(of_a ? &f->q : &f->p) = corner;
}

/* The features of a code of num_nearest. */
static inline void nearest_features(int code, double square, double x, double y, features *out)
{
  if (code < 9)
    nearest_set_edges(out, code / 3, code % 3, x, y, square);
  else
    nearest_set_face(out, code < 12, (code - 9) % 3, square, x, y);
}

#endif
