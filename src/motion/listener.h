/* An object outside of a body that follows its flight plans: it is called before changes are
 * made, and at the end. */
#ifndef MOTION_LISTENER_H
#define MOTION_LISTENER_H

#include "pliant/base.h"

typedef struct listener {
  struct listener *next;
  /* Plans or triangles are about to change from `time` on (`change`), or keys before it to be
   * dropped. A failure refuses that. */
  pl_status (*before)(struct listener *self, double time, bool change);
  void (*end)(struct listener *self); /* the body is being destroyed; it has been unlinked */
} listener;

#endif
