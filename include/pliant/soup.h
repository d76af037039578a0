/* Triangle soups: bodies whose triangles move without keeping their neighbours, so that one tree would soon be a bad one. Either
 * several trees, one built on each of some key poses that the motion is known to come near, or a uniform grid for rays that is
 * made anew for every pose. Answers are the same whichever is taken. */
#ifndef PLIANT_SOUP_H
#define PLIANT_SOUP_H

#include "body.h"

#ifdef __cplusplus
extern "C" {
#endif

/* X(NAME, word). What answers rays. All other queries use the trees. */
#define PL_SOUP_LIST(X)                                                                                                \
  X(AUTO, "auto") /* whichever of the others has cost less in the last frames; both are tried now and then */          \
  X(KEYS, "keys") /* the tree of the key pose that is nearest to the current one */                                    \
  X(GRID, "grid") /* a uniform grid */

typedef enum pl_soup_method {
#define PL_SOUP_NAME(name, word) PL_SOUP_##name,
  PL_SOUP_LIST(PL_SOUP_NAME)
#undef PL_SOUP_NAME
      PL_SOUP_COUNT
} pl_soup_method;

PL_API const char *pl_soup_method_text(pl_soup_method method); /* NULL for a wrong value */

typedef struct pl_soup_def {
  size_t struct_size;
  const pl_positions
      *key_poses;     /* key_pose_count of them, each with the mesh's number of vertices; looked at once, not kept */
  int key_pose_count; /* 0 .. 256; 0: the mesh's own positions are the only one */
  pl_soup_method method;
} pl_soup_def;

PL_API pl_soup_def pl_soup_def_default(void);

/* A free body with a tree for each key pose. The positions of `mesh` are its first pose. soup, def: NULL for the defaults. Costs as
 * many trees in memory as there are key poses; a frame costs as with one. The strategy bergen has no grid. pl_body_update() brings up to date what
 * answers rays: the tree's upper levels, or the grid. */
PL_API pl_status pl_body_create_soup(pl_context *context, const pl_mesh_def *mesh, const pl_soup_def *soup,
                                     const pl_body_def *def, pl_body **out);

/* From now on the tree of this key pose is used. -1, as at first: the nearest one, by some of the vertices, whenever
 * pl_body_set_positions() is called. */
PL_API pl_status pl_body_set_key_pose(pl_body *body, int index);

/* The key pose whose tree is in use; -1 for a body that is no soup. */
PL_API int pl_body_key_pose(const pl_body *body);

/* What answers rays now: never PL_SOUP_AUTO. PL_SOUP_KEYS for a body that is no soup. */
PL_API pl_soup_method pl_body_soup_method(const pl_body *body);

#ifdef __cplusplus
}
#endif
#endif
