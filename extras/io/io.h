/* Mesh files and numbered sequences of them. Strict readers of our own for OBJ, PLY, STL and
 * OFF; assimp, where it was there at build time, for everything else but glTF, which io/gltf.h
 * reads. Nothing here knows the library's objects: a file becomes plain arrays. */
#ifndef IO_IO_H
#define IO_IO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* One line: what is wrong, where (file, line), and what to do. */
typedef struct io_error {
  char text[512];
} io_error;

/* A mesh as a file holds it. Polygons are cut into fans; the order of vertices and faces is the
 * file's. Segments (OBJ l, PLY edges) are the last triangles but for the points, with corners
 * (i, j, j); points (OBJ p, a PLY of vertices alone) the very last, with corners (i, i, i).
 * Coordinates keep the file's precision: `is_double` if any coordinate would change by
 * going through float (binary files: by their declared type). */
typedef struct io_mesh {
  double *xyz;    /* 3 * vertex_count; always double, exact */
  float *xyz_f32; /* the same as float, when is_double is false; otherwise NULL */
  size_t vertex_count;
  uint32_t *triangles;   /* 3 * triangle_count */
  size_t triangle_count; /* with segments and points */
  size_t segment_count, point_count;
  bool is_double;
  char note[256]; /* what the reader had to leave out, or empty */
  /* the file also has surfaces or an animation that are not in here; the note names them */
  bool is_partial;
} io_mesh;

/* Reads one file; the kind follows from its content where it has a signature, else from its
 * ending. A glTF scene is refused: gltf_read(). false: error is set, and the mesh is empty. A
 * mesh without triangles, segments and points is an error. STL vertices at the same position
 * become one. */
bool io_mesh_read(const char *path, io_mesh *out, io_error *error);

/* The groups of an OBJ file (g, o): which of them every triangle, segment and point is in. Those
 * before the first statement are in "default". */
typedef struct io_groups {
  char **names; /* in the order of their first triangles; different */
  size_t count;
  uint32_t *of_triangle; /* NULL: the file has no groups */
} io_groups;

/* Also reads its groups; a file of another kind has none. false: both are empty. */
bool io_mesh_read_groups(const char *path, io_mesh *out, io_groups *groups, io_error *error);
void io_groups_free(io_groups *groups); /* leaves them empty */
void io_mesh_free(io_mesh *mesh);       /* leaves it empty; an empty one is allowed */

/* Writes OBJ, PLY (binary), STL (binary) or OFF by the path's ending. Only OBJ has a place for all
 * segments and points, PLY for segments and for one point at each vertex. */
bool io_mesh_write(const char *path, const io_mesh *mesh, io_error *error);

/* A list of files that are the frames of one mesh, in order. */
typedef struct io_sequence {
  char **paths;
  size_t count;   /* 1: a single file */
  char note[384]; /* numbers that are missing, a name that does not fit the numbering; or empty */
} io_sequence;

/* What a number that is missing between two frames does. */
typedef enum io_gaps {
  IO_GAPS_SKIP,  /* the next file is the next frame, and the note says so */
  IO_GAPS_STOP,  /* the sequence ends before it, and the note says so */
  IO_GAPS_REFUSE /* an error */
} io_gaps;

/* `name` is a file, a directory (all mesh files in it, by number), a pattern with * or ?
 * (quoted, so that the shell leaves it), or a printf pattern (%d, %04d; from the lowest number
 * there is until one is missing). Files are ordered by the numbers in their names: 2 before 10.
 * Mesh files of different kinds in a directory are refused, as none may be left out unseen; so
 * are glTF scenes among other files of a pattern. */
bool io_sequence_open(const char *name, io_sequence *out, io_error *error);
/* The same with a choice. io_sequence_open() stops a printf pattern at a missing number and
 * skips it elsewhere. */
bool io_sequence_open_with(const char *name, io_gaps gaps, io_sequence *out, io_error *error);
/* The notes on a list of names from elsewhere, in the order of frames. */
bool io_sequence_number(io_sequence *list, io_gaps gaps, io_error *error);
void io_sequence_free(io_sequence *sequence);

/* Pictures: 8-bit RGB rows from the top, written as PNG. */
bool io_png_write(const char *path, const uint8_t *rgb, int width, int height, io_error *error);
/* The same into an open file. false: it could not be written, or this build has no libpng. */
bool io_png_stream(FILE *file, const uint8_t *rgb, int width, int height);

#endif
