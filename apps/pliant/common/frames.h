/* A mesh that moves, as files: one file, or a numbered sequence of them with the same topology;
 * or a glTF scene, all bodies of which are one mesh that its first animation moves. One frame is
 * held at a time, so that memory does not grow with the length. */
#ifndef FRAMES_H
#define FRAMES_H

#include "io/cache.h"
#include "io/gltf.h"
#include "io/io.h"
#include "pliant/body.h"
#include "pliant/mesh.h"

/* How files are read. */
typedef struct frames_def {
  bool rounded;   /* double positions become float */
  bool split;     /* the groups of OBJ files are kept */
  io_gaps gaps;   /* numbers that are missing */
  bool is_placed; /* positions are moved by `place`, in double */
  pl_transform place;
} frames_def;

typedef struct frames {
  frames_def def;
  io_sequence files;
  uint32_t *triangles; /* of the first frame; all others must have the same */
  size_t triangle_count, vertex_count;
  /* positions of the frame read last, in the precision that is handed on; no triangles */
  io_mesh now;
  io_groups groups; /* of the first frame; empty unless def.split, and where there are none */
  char note[256];   /* the reader's, on the first frame */
  bool is_partial;  /* there is more in the file than the reader takes: the note says what */
  /* of a glTF scene, whose name stands in `files` once for each frame; NULL: mesh files */
  gltf_scene *gltf;
  gltf_pose *pose;
  int animation;
  io_cache *cache;  /* of a point cache, whose name stands in `files` in the same way; or NULL */
  char *cache_mesh; /* the file of the mesh that it moves */
} frames;

#define FRAMES_FPS 30.0 /* frames per second of a glTF scene, where no option says how many */

/* names: one (a file, a directory or a pattern), or several files. Several that differ in
 * numbers only are frames in the order of these numbers; others stay as they are given. Reads
 * the first frame. false: error is set, and frames is empty. def: NULL: as the file has it. */
bool frames_open(frames *f, char *const *names, int count, const frames_def *def, io_error *error);
void frames_close(frames *f); /* an empty one is allowed */

/* Reads frame `index`; refused if its topology is not the first frame's. */
bool frames_read(frames *f, size_t index, io_error *error);

/* frames_gltf.c: for frames.c. */
bool frames_gltf_open(frames *f, const char *path, io_error *error);
bool frames_gltf_read(frames *f, size_t index, io_mesh *out, io_error *error);
void frames_gltf_close(frames *f);

/* frames_cache.c: for frames.c; and the mesh that a cache moves, to be freed, or NULL. */
bool frames_cache_open(frames *f, const char *path, io_error *error);
bool frames_cache_read(frames *f, size_t index, io_mesh *out, io_error *error);
void frames_cache_close(frames *f);
char *frames_cache_mesh(const char *cache);

const char *frames_path(const frames *f, size_t index); /* of a single file for every index */
bool frames_still(const frames *f);                     /* a single file */

/* Returns whether two names differ in numbers only. */
bool frames_same_but_numbers(const char *a, const char *b);

/* Positions of the current frame, and with them a mesh. Valid until the next frame is read. */
pl_positions frames_positions(const frames *f);
pl_mesh_def frames_mesh(const frames *f);

/* Notes of the reader and on the numbering, to be printed when all has gone well. */
void frames_note(const frames *f);

#endif
