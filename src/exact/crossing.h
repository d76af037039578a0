/* When do four points that move on straight lines first form a contact: a vertex (point 0) and a
 * face (points 1 to 3), or an edge (points 0 and 1) and an edge (points 2 and 3)? Point i goes
 * from start[i] at time 0 to end[i] at time 1, as real numbers.
 *
 * Let e1 and e2 be the edges that span the face (1-2, 1-3), or the two edges (0-1, 2-3), and d
 * the way between them (from 1 to 0, from 0 to 2). All are linear in t. A = e1 x e2; f = d . A
 * is a cubic that is 0 at every contact, and then, on every axis k, the *sides* are 0 or have
 * the sign of A_k:
 *   vertex-face  X = d x e2, Y = e1 x d, A - X - Y           edge-edge  X = d x e2, Y = d x e1,
 *   A - X, A - Y
 * because d = x e1 + y e2 (d = x e1 - y e2), so X = x A, Y = y A with x, y >= 0 and x + y <= 1
 * (x, y <= 1). If f = 0 and A_k is not 0, the converse is true as well: contact.
 *
 * Stages: points that are all at one place at the end or in the middle; swept boxes; features in
 * a plane perpendicular to an axis in two dimensions (crossing_flat.h); signs of f on [0, 1] in
 * double with a proven error bound; halving of [0, 1] in double, f and sides in Bernstein form;
 * once, where the sides prove nothing, clipping of two edges at each other (clipping.h);
 * integers of fixed capacity on the stack, which always decide. */
#ifndef EXACT_CROSSING_H
#define EXACT_CROSSING_H

#include <stdbool.h>

typedef enum crossing_kind { CROSSING_VERTEX_FACE, CROSSING_EDGE_EDGE } crossing_kind;

/* Returns whether there is a contact in [0, 1]. *time becomes that of the first: the greatest
 * double that is not after it. Contacts after `most` may be left out. All coordinates must be
 * finite. */
bool crossing_first(crossing_kind kind, const double start[4][3], const double end[4][3], double most, double *time);

/* The same for [from, 1], a part of the same way: a contact before `from` does not count, one at
 * `from` does. */
bool crossing_since(crossing_kind kind, const double start[4][3], const double end[4][3], double from, double *time);

/* At which of these times two moving points are at one place, as real numbers: a set of them;
 * and its first time, 0 if it is empty. */
enum { CROSSING_AT_END = 1, CROSSING_IN_MIDDLE = 2 };
unsigned crossing_meetings(const double start_a[3], const double end_a[3], const double start_b[3],
                           const double end_b[3]);
double crossing_meeting_time(unsigned meetings);

/* By kind: which points may come to be on which segments, p and its ends. The last of a vertex and
 * a face repeats the first. */
extern const int crossing_segments[2][4][3];

/* The times of interest. */
typedef struct crossing_times {
  double from, most;
} crossing_times;

/* The two stages after boxes. The first returns 1, 0 or SIGN_UNSURE of predicates.h; the second
 * always decides. */
int crossing_filter(crossing_kind kind, const double start[4][3], const double end[4][3], crossing_times within,
                    double *time);
bool crossing_exact(crossing_kind kind, const double start[4][3], const double end[4][3], double *time);
bool crossing_exact_since(crossing_kind kind, const double start[4][3], const double end[4][3], double from,
                          double *time);

#endif
