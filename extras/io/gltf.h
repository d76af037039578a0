/* glTF 2.0 scenes (.gltf, .glb): every node with triangles is a body that moves with its node
 * and morphs with its weights and bends with its skin. A strict reader of our own over jansson;
 * without jansson gltf_read says so in one line.
 *
 *   gltf_scene *scene;  gltf_pose *pose;
 *   if (!gltf_read("scene.glb", NULL, &scene, &error)) ...
 *   if (!gltf_pose_create(scene, &pose, &error)) ...
 *   for (double t = 0; t <= gltf_duration(scene, 0); t += 1 / 30.0)
 *     if (!gltf_evaluate(pose, 0, t, &error) || !gltf_pose_positions(pose, body, xyz, &error))
 *     ...
 *
 * Model coordinates are float, as in the file, or double where it has normalised integers;
 * everything that is computed from them is double. A scene is never changed after it was read,
 * so several poses of one may be used by several threads. */
#ifndef IO_GLTF_H
#define IO_GLTF_H

#include "io/io.h"

typedef struct gltf_scene gltf_scene;
typedef struct gltf_pose gltf_pose;

enum {
  GLTF_REST = -1,          /* no animation: the nodes and weights as the file gives them */
  GLTF_ALL_ANIMATIONS = -2 /* all at once, a later one over an earlier one */
};

/* A primitive of a mesh: the triangles up to `triangle_end` that are not of the one before it. */
typedef struct gltf_primitive {
  size_t triangle_end;
  uint32_t number;   /* in the mesh, points and lines counted */
  uint32_t material; /* or UINT32_MAX: none; gltf_material_name() */
} gltf_primitive;

/* The triangles of all primitives of one mesh, in the file's order; primitives in a row that
 * share their vertices share them here too. Bodies whose nodes name the same mesh point to the
 * same one. */
typedef struct gltf_mesh {
  const char *name; /* of the mesh, or "" */
  size_t vertex_count;
  /* normalised integers are among the positions or deltas: value / greatest, in double */
  bool is_double;
  float *positions;      /* 3 * vertex_count, finite; NULL where is_double */
  double *positions_f64; /* the same where is_double; NULL otherwise */
  size_t triangle_count;
  uint32_t *triangles;        /* 3 * triangle_count */
  gltf_primitive *primitives; /* those of triangles, in order */
  size_t primitive_count;
  size_t target_count; /* morph targets */
  /* of each: 3 * vertex_count deltas, or NULL: it moves nothing; all NULL where is_double */
  float **targets;
  double **targets_f64; /* the same where is_double; all NULL otherwise */

  /* Of a mesh that a node with a skin has: `influences` bones for each vertex and their weights,
   * which add up to 1. Bone 0 is the node itself, bone k + 1 joint k of the skin. */
  size_t influences; /* 0: no node has a skin */
  uint32_t *joints;
  double *joint_weights;
  size_t bones; /* the greatest of `joints` with a weight */
} gltf_mesh;

typedef struct gltf_body {
  const char *name; /* of the node, or of its mesh, or "node 7"; no two bodies have the same, and none holds a control
                       character */
  size_t node;      /* its number in the file */
  const gltf_mesh *mesh;
  bool has_skin;     /* its vertices follow bones: gltf_pose_bones() */
  size_t bone_count; /* 0 without a skin */
  bool moves;        /* some animation changes where it stands, or moves a joint of its skin */
  bool morphs;       /* some animation changes its weights, or a weight is not 0 at rest */
  /* its rest transform turns the surface inside out: triangles wind the other way round in the
   * world */
  bool mirrored;
} gltf_body;

/* world = m * model + t; rows. */
typedef struct gltf_transform {
  double m[3][3];
  double t[3];
} gltf_transform;

/* Returns whether the name ends like that of a glTF file. */
bool gltf_is_name(const char *path);

/* A copy of a file that can be read, a GLB or its JSON, without what no reader of ours looks at:
 * images, normals, tangents, texture coordinates, colours. Geometry and animations are as they
 * were. false: there is nothing to leave out, or no memory; otherwise the caller frees it. */
struct io_source;
bool gltf_trim(const struct io_source *source, char **out, size_t *size);

/* scene: NULL for the file's default one (else the first, else all nodes without a parent), or
 * the name or number of another. Only what that scene needs is read. false: error is set, and
 * *out is NULL. */
bool gltf_read(const char *path, const char *scene, gltf_scene **out, io_error *error);

typedef struct gltf_options {
  const char *scene;  /* as above */
  bool allow_outside; /* also read buffers that are, or lead through a link, outside the folder of the .gltf: only for
                         files of somebody whom one trusts, since a scene could name any file of the machine */
  /* gets the path of every file that a buffer was read from; NULL */
  void (*buffer_file)(void *user, const char *path);
  void *user;
} gltf_options;
bool gltf_read_with(const char *path, const gltf_options *options, gltf_scene **out, io_error *error);
void gltf_free(gltf_scene *scene); /* NULL is allowed; its poses must be gone */

size_t gltf_body_count(const gltf_scene *scene); /* at least 1 */
const gltf_body *gltf_body_at(const gltf_scene *scene, size_t body);
/* Names for people, without control characters. A bone's is that of its node or joint, or "node
 * 7"; a material's is "" if it has none, or if it is not one of the file's. */
const char *gltf_bone_name(const gltf_scene *scene, size_t body, size_t bone);
const char *gltf_material_name(const gltf_scene *scene, uint32_t material);
const char *gltf_note(const gltf_scene *scene); /* what the reader had to leave out, or "" */

/* The scenes of the file, and which of them was read; -1: the file has none, and all nodes were. */
size_t gltf_scene_count(const gltf_scene *scene);
const char *gltf_scene_name(const gltf_scene *scene, size_t index); /* or "scene 3" */
int gltf_scene_used(const gltf_scene *scene);
/* Nodes with a mesh that are not in the scene that was read; 0 of a file with one scene. */
size_t gltf_nodes_elsewhere(const gltf_scene *scene);

size_t gltf_animation_count(const gltf_scene *scene);
const char *gltf_animation_name(const gltf_scene *scene, size_t animation); /* or "animation 3" */
/* a name or a number; -1: none */
int gltf_animation_find(const gltf_scene *scene, const char *name);

/* The time of an animation's last key, in seconds; 0 for GLTF_REST or an animation without keys. */
double gltf_duration(const gltf_scene *scene, int animation);

/* Returns whether this animation (or any of all) changes the body's transform or weights. One whose
 * keys are all the same does not, although it may put the body somewhere else than at rest. */
bool gltf_body_moves(const gltf_scene *scene, size_t body, int animation);
bool gltf_body_morphs(const gltf_scene *scene, size_t body, int animation);

/* Room for one state of a scene; at rest when created. */
bool gltf_pose_create(const gltf_scene *scene, gltf_pose **out, io_error *error);
void gltf_pose_free(gltf_pose *pose); /* NULL is allowed */

/* The state at a time in seconds: before the first key of a channel it is that key's, after the
 * last one that one's. Allocates nothing. false: an unknown animation, a time that is not
 * finite, or a transform or weight that overflows; the pose is then not to be used. */
bool gltf_evaluate(gltf_pose *pose, int animation, double time, io_error *error);

/* From the model to the world; the identity for a body with a skin, whose bones lead there. */
const gltf_transform *gltf_pose_transform(const gltf_pose *pose, size_t body);
/* Of a body with a skin: from the rest positions to the world, bone_count of them. */
const gltf_transform *gltf_pose_bones(const gltf_pose *pose, size_t body);
const double *gltf_pose_weights(const gltf_pose *pose, size_t body); /* target_count of its mesh */

/* Where the vertices are in the world: transform * (position + sum of weight * delta), 3 *
 * vertex_count doubles; with a skin the sum over its bones instead of the transform. false: one
 * is not finite. */
bool gltf_pose_positions(const gltf_pose *pose, size_t body, double *xyz, io_error *error);

/* io/gltf_join.c: all bodies as one mesh in the world, one after the other; and those of a file
 * at rest. false: error is set, and the mesh is empty. */
bool gltf_join(const gltf_scene *scene, const gltf_pose *pose, io_mesh *out, io_error *error);
bool gltf_read_joined(const char *path, io_mesh *out, io_error *error);

#endif
