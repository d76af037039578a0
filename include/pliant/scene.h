/* Scenes: many bodies, which of them may meet, and a broad phase that stays sorted between steps.
 * Every question can be asked of a scene: pl_all(). */
#ifndef PLIANT_SCENE_H
#define PLIANT_SCENE_H

#include "question.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct pl_scene_def {
  size_t struct_size;
  pl_broad broad;
} pl_scene_def;

static inline pl_scene_def pl_scene_def_default(void)
{
  pl_scene_def def = PL_ZERO;
  def.struct_size = sizeof def;
  return def;
}

PL_API pl_status pl_scene_create(pl_context *context, const pl_scene_def *def, pl_scene **out);

/* Destroys the scene, not its bodies. NULL is allowed. */
PL_API void pl_scene_destroy(pl_scene *scene);

/* Options of a body in a scene. */
typedef struct pl_member_def {
  size_t struct_size;
  uint32_t group; /* a and b are tested if (a.group & b.mask) and (b.group & a.mask); default 1 */
  uint32_t mask;  /* default: all bits */
  /* true: every question of the scene is also asked of this body against itself, as with
   * pl_self(). Default false. */
  bool self;
  /* true: `lower` and `upper` bound the body at all times. Without `self`, the body's tree is
   * not updated while this box overlaps no other body's box. Contacts are missed if the body
   * leaves the box. */
  bool loose;
  float lower[3], upper[3];
} pl_member_def;

static inline pl_member_def pl_member_def_default(void)
{
  pl_member_def def = PL_ZERO;
  def.struct_size = sizeof def;
  def.group = 1;
  def.mask = UINT32_MAX;
  return def;
}

/* Adds a body. A body may be in several scenes, once in each.
 *   options  NULL: defaults */
PL_API pl_status pl_scene_add(pl_scene *scene, pl_body *body, const pl_member_def *options);
PL_API pl_status pl_scene_remove(pl_scene *scene, pl_body *body);
PL_API size_t pl_scene_body_count(const pl_scene *scene);

/* Returns the body with a number such as pl_hit.member: bodies are numbered from 0 in the order
 * in which they were added. NULL for a wrong number. Numbers change only when bodies are added
 * or removed. */
PL_API pl_body *pl_scene_member_body(const pl_scene *scene, uint32_t number);

/* Excludes a pair of bodies from all questions of the scene, as if their groups did not match,
 * until pl_scene_include() or until one of them is removed. Excluding twice is allowed. */
PL_API pl_status pl_scene_exclude(pl_scene *scene, pl_body *a, pl_body *b);

/* Ends the exclusion of a pair of bodies. The pair need not be excluded. */
PL_API pl_status pl_scene_include(pl_scene *scene, pl_body *a, pl_body *b);

#ifdef __cplusplus
}
#endif
#endif
