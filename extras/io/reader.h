/* Inside io: what the readers share. A reader is a function over bytes in memory, so that files,
 * tests and the fuzzer take the same way: bool io_read_KIND(const io_source *, io_mesh *,
 * io_error *). It checks every count that a header claims against the bytes that are there
 * before it allocates, and leaves the mesh empty when it fails. */
#ifndef IO_READER_H
#define IO_READER_H

#include "io/io.h"

#include <float.h>

/* The bytes of one file; not terminated. */
typedef struct io_source {
  const char *name; /* as the user gave it, for messages */
  const char *data;
  size_t size;
} io_source;

bool io_read_obj(const io_source *source, io_mesh *out, io_error *error);
bool io_read_obj_groups(const io_source *source, io_mesh *out, io_groups *groups, io_error *error);
bool io_read_off(const io_source *source, io_mesh *out, io_error *error);
bool io_read_ply(const io_source *source, io_mesh *out, io_error *error);
bool io_read_stl(const io_source *source, io_mesh *out, io_error *error);
bool io_read_assimp(const char *path, io_mesh *out, io_error *error);

/* Returns whether the content is of this format. */
bool io_is_off(const io_source *source);
bool io_is_ply(const io_source *source);
bool io_is_stl(const io_source *source);

/* Chooses a reader by content, then by the ending of the name. */
bool io_read_source(const io_source *source, io_mesh *out, io_error *error);

/* A whole regular file. The bytes are read, not mapped: a file that shrinks meanwhile must not
 * become a SIGBUS. */
bool io_file_load(const char *path, io_source *out, io_error *error);
void io_file_unload(io_source *source);

/* Returns whether a path, with all its links followed, is in this folder ("": the current one)
 * or below. One that is not there does: opening it will tell. 1: yes. 0: no. -1: out of memory. */
int io_is_inside(const char *folder, const char *path);

/* The ending of a path without its dot, or "". Case is left to io_ending_is. */
const char *io_ending(const char *path);
bool io_ending_is(const char *path, const char *ending);

/* Sets `NAME: sentence`, or `NAME:LINE: sentence` when line is not 0, and returns false. Control
 * characters of the name become `?`, and of a very long name only the end stands, so that the
 * message stays one line that holds its sentence. */
__attribute__((format(printf, 4, 5))) bool io_fail(io_error *error, const char *name, size_t line, const char *format,
                                                   ...);

/* A mesh that grows. Zeroed: an empty one. */
typedef struct io_builder {
  double *xyz;
  uint32_t *triangles, *segments, *points;
  size_t vertex_count, vertex_room;
  size_t triangle_count, triangle_room;
  size_t segment_count, segment_room;
  size_t point_count, point_room;
  bool is_double;     /* some coordinate is not a float, or was declared double */
  size_t short_faces; /* faces of fewer than three vertices, left out */
} io_builder;

/* Room for at least this many in all; false: out of memory. */
bool io_builder_reserve(io_builder *b, size_t vertices, size_t triangles);
void io_builder_free(io_builder *b);

/* One more, between vertices or at one; false: out of memory. */
bool io_builder_segment(io_builder *b, uint32_t i, uint32_t j);
bool io_builder_point(io_builder *b, uint32_t i);

/* Moves the arrays into the mesh, or fails: nothing but vertices, or out of memory. Empties the
 * builder in both cases. */
bool io_builder_finish(io_builder *b, const io_source *source, io_mesh *out, io_error *error);
bool io_builder_no_memory(io_builder *b, const io_source *source, io_error *error);

/* Coordinates must be finite. */
static inline bool io_builder_vertex(io_builder *b, const double xyz[3])
{
  if (b->vertex_count == b->vertex_room && !io_builder_reserve(b, b->vertex_count + 1, 0)) return false;
  double *to = b->xyz + 3 * b->vertex_count++;
  for (int k = 0; k < 3; ++k) {
    double x = xyz[k];
    to[k] = x;
    /* The range first: a conversion that overflows is undefined. */
    if (!(x >= -FLT_MAX && x <= FLT_MAX) || (double)(float)x != x) b->is_double = true;
  }
  return true;
}

static inline bool io_builder_triangle(io_builder *b, uint32_t i, uint32_t j, uint32_t k)
{
  if (b->triangle_count == b->triangle_room && !io_builder_reserve(b, 0, b->triangle_count + 1)) return false;
  uint32_t *to = b->triangles + 3 * b->triangle_count++;
  to[0] = i;
  to[1] = j;
  to[2] = k;
  return true;
}

/* A polygon that becomes a fan, corner by corner. */
typedef struct io_fan {
  uint32_t first, last;
  size_t corners;
} io_fan;

static inline bool io_fan_corner(io_builder *b, io_fan *fan, uint32_t vertex)
{
  size_t n = fan->corners++;
  if (n == 0) fan->first = vertex;
  if (n >= 2 && !io_builder_triangle(b, fan->first, fan->last, vertex)) return false;
  fan->last = vertex;
  return true;
}

/* Vertices by position: the same position, -0 and 0 being the same, gives the same vertex. Open
 * addressing, O(1) each. */
typedef struct io_weld {
  uint32_t *slots; /* vertex + 1, or 0 */
  size_t room;     /* a power of two */
} io_weld;

bool io_weld_vertex(io_weld *weld, io_builder *b, const double xyz[3], uint32_t *vertex);
void io_weld_free(io_weld *weld);

/* Adds a sentence to the mesh's note; one that does not fit is cut. */
__attribute__((format(printf, 2, 3))) void io_note(io_mesh *mesh, const char *format, ...);

#endif
