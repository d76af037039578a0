/* Many bodies: a broad phase that stays sorted between steps, and all contacts in one call, on all
 * cores. */
#ifndef PLIANT_SCENE_H
#define PLIANT_SCENE_H

#include "query.h"
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
  /* true: the scene reports the body's contacts with itself too, as pl_body_self() does with its
   * defaults, with a == b and triangle_a < triangle_b. Default false. */
  bool self;
  /* true: `lower` and `upper` bound the body at all times. Without `self` and `self_rings`, the
   * body's tree is not updated as long as this box meets no other body's box. Contacts are missed
   * if the body leaves the box. */
  bool loose;
  float lower[3], upper[3];
  /* 1 or more: pl_scene_near() and pl_scene_near_features() report the body's near pairs with
   * itself too, as pl_body_self_near() does with this number of rings (self_near.h), with a == b
   * and triangle_a < triangle_b. 0, the default: they do not. `self` has no part in it. */
  uint32_t self_rings;
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

/* Leaves the pairs of two bodies of the scene out of all its queries, as if their groups did not
 * fit, until pl_scene_include() or until one of them is removed. Excluding twice is allowed. */
PL_API pl_status pl_scene_exclude(pl_scene *scene, pl_body *a, pl_body *b);

/* Lets two bodies be tested again. Bodies that are not excluded are allowed. */
PL_API pl_status pl_scene_include(pl_scene *scene, pl_body *a, pl_body *b);

typedef struct pl_contact {
  pl_body *a, *b; /* a was added before b, or is b: contacts of a body with itself */
  uint32_t triangle_a, triangle_b;
} pl_contact;

/* The contacts of two bodies, which are contiguous. */
typedef struct pl_contact_group {
  pl_body *a, *b;
  size_t begin, end; /* in pl_contacts.contacts */
} pl_contact_group;

/* Wall time of the stages of a step, in milliseconds. */
typedef struct pl_profile {
  double update, sweep, collide, gather;
} pl_profile;

typedef struct pl_contacts {
  /* By body pair in the order of adding, then in the order of the walk, or sorted. */
  const pl_contact *contacts;
  size_t count;
  const pl_contact_group *groups; /* only body pairs with a contact */
  size_t group_count;
  size_t body_pairs; /* pairs of bodies that the broad phase found; with itself not counted */
  bool partial;
  pl_counters counters;
  pl_profile profile;
  /* Of body_pairs: pairs whose bodies have not moved since their contacts were last searched. These
   * are kept and not searched again. */
  size_t kept_pairs;
} pl_contacts;

/* Reports all contacts between the bodies of the scene, and within those that ask for it: a body
 * with itself comes before it with bodies that were added later. Bodies that stand still cost no
 * test after the first step, in pairs and alone; with a filter or a budget all are searched again.
 *   def  NULL: defaults; as for two bodies, with `first` for one contact per body pair and
 *        `contact_filter` in place of `filter`, which would not see the bodies
 *   out  owned by the context, valid until the calling thread's next query in it
 * Fails with PL_ERROR_UNSUPPORTED if def has a callback, a filter or an array of pairs. */
PL_API pl_status pl_scene_collide(pl_scene *scene, const pl_collide_def *def,
                                  const pl_contacts **out);

#ifdef __cplusplus
}
#endif
#endif
