/* Inside io: a scene of assimp as a binary glTF file. */
#ifndef IO_ASSIMP_GLB_H
#define IO_ASSIMP_GLB_H

#include <assimp/scene.h>
#include <stdbool.h>
#include <stddef.h>

/* Text or bytes that grow. */
typedef struct glb_text {
  char *data;
  size_t count, room;
  bool failed;
} glb_text;

typedef struct glb_writer {
  const struct aiScene *scene;
  const struct aiNode **nodes; /* by number */
  size_t node_count;
  glb_text bin, accessors, views, meshes, skins, animations, nodes_text;
  size_t accessor_count, mesh_count, skin_count, animation_count;
} glb_writer;

/* Appends; what fails is seen at the end. */
void glb_add_bytes(glb_text *g, const void *data, size_t size);
__attribute__((format(printf, 2, 3))) void glb_add(glb_text *g, const char *format, ...);
void glb_comma(glb_text *g);                                 /* unless a list or an object begins here */
void glb_add_name(glb_text *g, const struct aiString *name); /* in quotes */
/* An array in the binary part; returns the number of its accessor. */
size_t glb_add_floats(glb_writer *w, const float *data, size_t count, const char *type, size_t width);

/* x, y, z, w of length 1: matrices with shear or without a size give others. */
void glb_turn(const struct aiQuaternion *q, float out[4]);
size_t glb_node_named(const glb_writer *w, const struct aiString *name); /* SIZE_MAX: none */
/* How many morph targets all meshes of a node have; 0: not the same number. */
unsigned glb_targets_of(const glb_writer *w, const struct aiNode *n);

/* assimp_keys.c */
void glb_add_animation(glb_writer *w, const struct aiAnimation *a);

/* unit: what the scene is scaled by. false: memory is out. *data: free(). */
bool assimp_write_glb(const struct aiScene *scene, double unit, char **data, size_t *size);

#endif
