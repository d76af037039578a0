/* Triangle soups: bodies whose triangles do not stay near their neighbours, so that the quality of
 * one tree would soon degrade. A soup has several trees, each built on one key pose that the motion
 * is known to come near. For rays it may have a uniform grid instead, which is rebuilt for every
 * pose. The choice changes no result, except which hit the ray mode `any` reports. */
#ifndef PLIANT_SOUP_H
#define PLIANT_SOUP_H

#include "body.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What rays are traced through. All other queries use the trees. */
typedef enum pl_soup_method {
  PL_SOUP_AUTO = 0, /* the one that cost less in recent frames; sometimes tries the other */
  PL_SOUP_KEYS = 1, /* the tree of the key pose nearest to the current pose */
  PL_SOUP_GRID = 2, /* a uniform grid */
  PL_SOUP_COUNT = 3
} pl_soup_method;

typedef struct pl_soup_def {
  size_t struct_size;
  const pl_positions *key_poses; /* key_pose_count poses of all vertices of the mesh; not kept */
  int key_pose_count;            /* 0 .. 256; 0: the mesh's own positions are the only key pose */
  pl_soup_method method;
} pl_soup_def;

static inline pl_soup_def pl_soup_def_default(void)
{
  pl_soup_def def = PL_ZERO;
  def.struct_size = sizeof def;
  return def;
}

/* Creates a free body with one tree per key pose.
 *   mesh  its positions are the body's first pose
 *   soup  NULL: defaults
 *   def   NULL: defaults; the strategy bergen has no grid
 * pl_body_update() updates what rays are traced through: the tree in use (eager pass) or the grid.
 * Cost: the memory of one tree per key pose; a frame costs as much as with one tree. */
PL_API pl_status pl_body_create_soup(pl_context *context, const pl_mesh_def *mesh,
                                     const pl_soup_def *soup, const pl_body_def *def,
                                     pl_body **out);

/* Selects the tree of a key pose.
 *   index  -1 (the default): every pl_body_set_positions() selects the nearest key pose, measured
 *          on some of the vertices */
PL_API pl_status pl_body_set_key_pose(pl_body *body, int index);

/* Returns the key pose whose tree is in use; -1 for a body that is no soup. */
PL_API int pl_body_key_pose(const pl_body *body);

/* Returns what rays are traced through now, never PL_SOUP_AUTO; PL_SOUP_KEYS for a body that is no
 * soup. */
PL_API pl_soup_method pl_body_soup_method(const pl_body *body);

#ifdef __cplusplus
}
#endif
#endif
