/* When do features whose corners turn about axes while they move first come as near to each other
 * as a given distance?
 *
 * A point is at start + t way + the sum of cosine (cos(angle t) - 1) + sine sin(angle t) at time t,
 * with a term for each axis that it turns about. The second derivative of such a path along a
 * direction n is never greater than the sum of angle^2 |(cosine . n, sine . n)|.
 *
 * Conservative advancement with planes: the nearest points at a time give a direction; along it
 * the gap between two corners falls at most as fast as its first derivative and that bound say,
 * which is a quadratic, so time advances to where the first of them falls to the distance. Near
 * a contact that is Newton's method, and a few rounds take it to the last digits. Where features
 * slide along each other a little farther apart, the tolerance grows with the rounds.
 * Cost: 3 to 6 rounds of some 0.3 us; 2000 at most. */
#ifndef EXACT_ARC_H
#define EXACT_ARC_H

#include "exact/crossing.h"

#include <stdint.h>

typedef struct arc_term {
  double cosine[3], sine[3];
  double angle; /* radians; at most ARC_MOST */
} arc_term;

typedef struct arc_point {
  const double *start, *way;
  const arc_term *terms;
  uint32_t count;
} arc_point;

/* Pieces of time that arc_first() is asked for must be so short that angle (to - from) is at most
 * ARC_PIECE. */
#define ARC_MOST 0x1p12
#define ARC_PIECE 0.4

/* sin(phi), and cos(phi) - 1 without cancellation; to a few roundings of themselves. The same
 * numbers on every machine. */
typedef struct arc_turn {
  double sine, versed;
} arc_turn;
arc_turn arc_turn_by(double phi);

/* The last angle that was evaluated at a time: rigid bodies turn all corners by the same. Begins
 * with zeros at each time. */
typedef struct arc_last {
  double angle;
  arc_turn turn;
} arc_last;

/* Where a point is at time t, and how fast it moves. */
void arc_state(const arc_point *p, double t, arc_last *last, double at[3], double speed[3]);

/* Returns true if the features come as near as `distance` at a time of [from, to], and false only
 * if they stay farther apart; *time is never late. At that time they are at most the distance and
 * ARC_NEAR times their size apart; where they slide along each other for many rounds up to
 * ARC_SLIDES times it. The size: how far corners are from the first at the start, and how far
 * they go.
 *   p  as in crossing.h */
#define ARC_NEAR 0x1p-42
#define ARC_SLIDES 0x1p-20
bool arc_first(crossing_kind kind, const arc_point p[4], double from, double to, double distance, double *time);

#endif
