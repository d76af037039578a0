/* Inside io: the header of a PLY file, the elements it announces and what of them matters. */
#ifndef IO_PLY_HEADER_H
#define IO_PLY_HEADER_H

#include "io/text.h"

/* The one list of scalar types: name, second name, bytes, letter for the decoder. */
#define PLY_TYPES(X)                                                                                                   \
  X(PLY_I8, "char", "int8", 1)                                                                                         \
  X(PLY_U8, "uchar", "uint8", 1)                                                                                       \
  X(PLY_I16, "short", "int16", 2)                                                                                      \
  X(PLY_U16, "ushort", "uint16", 2)                                                                                    \
  X(PLY_I32, "int", "int32", 4)                                                                                        \
  X(PLY_U32, "uint", "uint32", 4)                                                                                      \
  X(PLY_F32, "float", "float32", 4)                                                                                    \
  X(PLY_F64, "double", "float64", 8)

typedef enum ply_type {
#define X(type, name, other, size) type,
  PLY_TYPES(X)
#undef X
} ply_type;

typedef enum ply_role { PLY_X, PLY_Y, PLY_Z, PLY_FROM, PLY_TO, PLY_INDICES, PLY_SKIP } ply_role;

typedef struct ply_property {
  bool is_list;
  ply_type count_type; /* of a list */
  ply_type type;
  ply_role role;
} ply_property;

typedef enum ply_kind { PLY_VERTEX, PLY_FACE, PLY_STRIPS, PLY_EDGE, PLY_OTHER } ply_kind;

typedef struct ply_element {
  ply_kind kind;
  size_t count;
  size_t first, properties; /* a range of ply_header.properties */
  size_t least;             /* bytes that one of them takes at least */
} ply_element;

typedef enum ply_format { PLY_ASCII, PLY_LITTLE, PLY_BIG } ply_format;

typedef struct ply_header {
  ply_format format;
  ply_element *elements;
  size_t element_count;
  ply_property *properties;
  size_t property_count;
  size_t vertex_count;
} ply_header;

size_t ply_type_size(ply_type type);

/* Reads to the byte after end_header. On failure there is nothing to free. */
bool ply_header_read(io_text *text, const io_source *source, ply_header *out, io_error *error);
void ply_header_free(ply_header *header);

#endif
