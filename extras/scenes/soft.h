/* Soft bodies that fall and meet, after Spillmann, Becker and Teschner: meshes at rest and where
 * they begin. */
#ifndef SCENES_SOFT_H
#define SCENES_SOFT_H

#include "scenes/scenes.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct soft_actor {
  int mesh;
  double position[3]; /* of the centre of mass */
  double rotation[4]; /* unit quaternion x, y, z, w */
  double velocity[3], spin[3];
} soft_actor;

typedef struct soft_scene {
  scene_mesh meshes[4]; /* at rest: `rest` */
  size_t mesh_count;
  soft_actor *actors;
  size_t actor_count;
  double gravity[3];
  bool floor; /* y = 0 */
  double box; /* width of a box around the origin, on the floor; 0: none */
  double stretch, friction;
  double eye[3], at[3]; /* a camera that sees it */
} soft_scene;

void soft_scene_free(soft_scene *scene);

/* `count` bodies of SOFT_POINTS points each (balls, rounded cubes, rings) that fall into a box:
 * 300 have 131 100 points. false (here and below): out of memory, or a number out of range. */
enum { SOFT_POINTS = 437, SOFT_PILE = 300 };
bool soft_scene_pile(int count, soft_scene *out);

/* Three bodies of about `points` points in all that meet in the air and fall on the floor; the
 * paper has 19 000. */
bool soft_scene_trio(int points, soft_scene *out);

/* Two bodies of about `points` points in all that fly into each other, without gravity; the
 * paper has 8 000 to 160 000. */
bool soft_scene_duo(int points, soft_scene *out);

/* A long body of about `points` points that falls on the floor with one end and folds onto
 * itself, if it has several clusters. */
bool soft_scene_rope(int points, soft_scene *out);

#ifdef __cplusplus
}
#endif
#endif
