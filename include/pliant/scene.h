/* Many bodies: a broad phase that is kept sorted between steps, and all contacts at once, on all cores. */
#ifndef PLIANT_SCENE_H
#define PLIANT_SCENE_H

#include "query.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct pl_scene pl_scene;

/* X(NAME, word). How pairs of bodies that may touch are found. */
#define PL_BROAD_LIST(X)                                                                                               \
  X(AUTO, "auto")   /* every pair for few bodies, sweep and prune for many */                                          \
  X(EVERY, "every") /* every pair of boxes */                                                                          \
  X(SWEEP, "sweep") /* sweep and prune on three axes, kept sorted from step to step */

typedef enum pl_broad {
#define PL_BROAD_NAME(name, word) PL_BROAD_##name,
  PL_BROAD_LIST(PL_BROAD_NAME)
#undef PL_BROAD_NAME
      PL_BROAD_COUNT
} pl_broad;

typedef struct pl_scene_def {
  size_t struct_size;
  pl_broad broad;
} pl_scene_def;

PL_API pl_scene_def pl_scene_def_default(void);

PL_API pl_status pl_scene_create(pl_context *context, const pl_scene_def *def, pl_scene **out);
PL_API void pl_scene_destroy(pl_scene *scene); /* its bodies go on living */

/* Options of a body in a scene. */
typedef struct pl_member_def {
  size_t struct_size;
  uint32_t group; /* two bodies are tested if (a.group & b.mask) and (b.group & a.mask); default 1 */
  uint32_t mask;  /* default: all bits */
  bool self;      /* also against itself; not supported yet */
  bool loose; /* `lower` and `upper` bound the body for all time: as long as its loose box meets no other, the body's
                      tree is not even looked at. Nothing is missed only if that is true */
  float lower[3], upper[3];
} pl_member_def;

PL_API pl_member_def pl_member_def_default(void);

/* A body may be in several scenes, once in each. options: NULL for the defaults. */
PL_API pl_status pl_scene_add(pl_scene *scene, pl_body *body, const pl_member_def *options);
PL_API pl_status pl_scene_remove(pl_scene *scene, pl_body *body);
PL_API size_t pl_scene_body_count(const pl_scene *scene);

typedef struct pl_contact {
  pl_body *a, *b; /* a was added before b */
  uint32_t triangle_a, triangle_b;
} pl_contact;

/* Contacts of two bodies stand together. */
typedef struct pl_contact_group {
  pl_body *a, *b;
  size_t begin, end; /* in pl_contacts.contacts */
} pl_contact_group;

/* Wall time of the stages of a step, in milliseconds. */
typedef struct pl_profile {
  double update, sweep, collide, gather;
} pl_profile;

typedef struct pl_contacts {
  const pl_contact *contacts; /* by body pair in the order of adding, then in the order of the walk (or sorted) */
  size_t count;
  const pl_contact_group *groups; /* only body pairs with a contact */
  size_t group_count;
  size_t body_pairs; /* that the broad phase handed on */
  bool partial;
  pl_counters counters;
  pl_profile profile;
} pl_contacts;

/* All contacts between the bodies of the scene. `def` as for two bodies: `first` means one per body pair; callback and
 * filter are called from several threads at once unless the context has one, and see bodies through pl_scene_collide's
 * contacts only, so they are not supported here: leave them NULL. The answer is the scene's, valid until the next call. */
PL_API pl_status pl_scene_collide(pl_scene *scene, const pl_collide_def *def, const pl_contacts **out);

#ifdef __cplusplus
}
#endif
#endif
