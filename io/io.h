/* Mesh files and numbered sequences of them. Strict readers of our own for OBJ, PLY, STL and OFF; assimp, where it was there
 * at build time, for everything else. Nothing here knows the library's objects: a file becomes plain arrays. */
#ifndef IO_IO_H
#define IO_IO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* One line: what is wrong, where (file, line), and what to do. */
typedef struct io_error {
  char text[512];
} io_error;

/* A mesh as a file holds it. Polygons are cut into fans; the order of vertices and faces is the file's. Coordinates keep the
 * file's precision: `is_double` if any coordinate would change by going through float (binary files: by their declared type). */
typedef struct io_mesh {
  double *xyz;    /* 3 * vertex_count; always double, exact */
  float *xyz_f32; /* the same as float, when is_double is false; otherwise NULL */
  size_t vertex_count;
  uint32_t *triangles; /* 3 * triangle_count */
  size_t triangle_count;
  bool is_double;
  char note[256]; /* what the reader had to leave out, or empty */
} io_mesh;

/* Reads one file; the kind is told by its content where it has a signature, else by its ending. false: error is set, and the
 * mesh is empty. A mesh without triangles is an error. STL vertices at the same position become one. */
bool io_mesh_read(const char *path, io_mesh *out, io_error *error);
void io_mesh_free(io_mesh *mesh); /* leaves it empty; an empty one is allowed */

/* Writes OBJ, PLY (binary), STL (binary) or OFF by the path's ending. */
bool io_mesh_write(const char *path, const io_mesh *mesh, io_error *error);

/* A list of files that are the frames of one mesh, in order. */
typedef struct io_sequence {
  char **paths;
  size_t count; /* 1: a single file */
} io_sequence;

/* `name` is a file, a directory (all mesh files in it of the commonest ending, by number), a pattern with * or ? (quoted, so
 * that the shell leaves it), or a printf pattern (%d, %04d; from the lowest number there is until one is missing).
 * Files are ordered by the numbers in their names: 2 before 10. */
bool io_sequence_open(const char *name, io_sequence *out, io_error *error);
void io_sequence_free(io_sequence *sequence);

/* Pictures: 8-bit RGB rows from the top, written as PNG. */
bool io_png_write(const char *path, const uint8_t *rgb, int width, int height, io_error *error);

#endif
