/* A transform from one space to another in the form that inner loops use; space/ computes it. */
#ifndef MATH_FRAME_H
#define MATH_FRAME_H

/* x -> m x + t, with |m| and a margin that covers all rounding; the margin is infinite if there
 * is no such transform. */
typedef struct frame_change {
  float m[3][3], abs[3][3], t[3];
  float margin;
  float stretch; /* at least the greatest factor by which a length grows; for kinds with a radius */
} frame_change;

#endif
