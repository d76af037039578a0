/* Balls of their own, and questions about two of them while memory fails. */
#ifndef SUPPORT_TWO_BALLS_H
#define SUPPORT_TWO_BALLS_H

#include "scenes/scenes.h"

#include "support/distances.h" /* after our headers: cmocka has a macro named fail */

/* A free body, its triangles turned around if asked for. */
pl_body *balls_one(pl_context *context, const scene_mesh *ball, const double at[3], double radius, bool inside_out);

/* Asks about two balls, `apart` along x, while memory fails at each request in turn, until none
 * fails. Each failure has a message. The last answer has `count` rows, and a second time, too,
 * without a request. */
typedef pl_status (*balls_question)(pl_who who, const pl_question *how, const pl_result **out);
void balls_out_of_memory(balls_question ask, double apart, size_t count);

#endif
