/* Compressed geometry: primitives of KHR_draco_mesh_compression, and buffer views of
 * EXT_meshopt_compression. What is decoded takes the place of the accessor's or view's bytes; all
 * checks of plain files follow. Decoders are libraries that may be missing; then a file that needs
 * one is refused by name, and one that also has the plain data is read from that. */
#include "io/draco.h"
#include "io/gltf_inside.h"

#include <stdlib.h>
#include <string.h>
#ifdef PLIANT_HAVE_MESHOPT
#include <meshoptimizer.h>
#endif

bool gltf_has_meshopt(void)
{
#ifdef PLIANT_HAVE_MESHOPT
  return true;
#else
  return false;
#endif
}

/* Keeps a block until the document ends. */
static void *keep(gltf_document *d, uint64_t count, size_t size)
{
  gltf_block *block = gltf_allocate(d, 1, sizeof *block);
  if (!block) return NULL;
  block->bytes = gltf_unfold(d, count, size);
  block->next = d->blocks;
  d->blocks = block;
  return block->bytes;
}

void gltf_blocks_free(gltf_document *d)
{
  for (gltf_block *next; d->blocks; d->blocks = next) {
    next = d->blocks->next;
    free(d->blocks->bytes);
    free(d->blocks);
  }
  free(d->decoded_accessors);
  free(d->decoded_views);
}

static size_t size_of(int type) { return type <= GLTF_U8 ? 1 : type <= GLTF_U16 ? 2 : 4; }

/* ------------------------------------------------------------------------------------- Draco -- */

/* Puts decoded elements in the place of an accessor's. */
static bool set_accessor(gltf_document *d, const char *where, uint64_t index, size_t count, const void *bytes)
{
  const gltf_value *accessor = gltf_object(d, d->accessors, "accessor", (size_t)index);
  uint64_t claimed;
  if (!accessor || !gltf_integer(d, where, accessor, "count", GLTF_REQUIRED, UINT32_MAX, &claimed)) return false;
  if (claimed != count)
    return gltf_fail(d, "%s: its Draco data has %zu elements for the %llu of accessor %llu", where, count,
                     (unsigned long long)claimed, (unsigned long long)index);
  d->decoded_accessors[index] = bytes;
  return true;
}

static int components_of(const char *type)
{
  return strncmp(type, "VEC", 3) == 0 && type[3] >= '2' && type[3] <= '4' && !type[4] ? type[3] - '0'
         : strcmp(type, "SCALAR") == 0                                                ? 1
                                                                                      : 0;
}

/* One attribute of the stream; those that no body needs are left where they are. */
static bool take_attribute(gltf_document *d, const char *where, const io_draco *mesh, const gltf_value *attributes,
                           const gltf_value *ids, const char *name)
{
  uint64_t index, id, type;
  if (!gltf_json_member(ids, name) || !gltf_json_member(attributes, name)) return true;
  if (!gltf_index(d, where, attributes, name, GLTF_REQUIRED, gltf_json_length(d->accessors), &index) ||
      !gltf_integer(d, where, ids, name, GLTF_REQUIRED, UINT32_MAX, &id))
    return false;
  const gltf_value *accessor = gltf_object(d, d->accessors, "accessor", (size_t)index);
  if (!accessor || !gltf_integer(d, where, accessor, "componentType", GLTF_REQUIRED, GLTF_F32, &type)) return false;
  int components = components_of(gltf_text_of(accessor, "type"));
  if (type < GLTF_I8 || !components) return gltf_fail(d, "%s: the type of its %s is unknown", where, name);
  size_t points = io_draco_points(mesh), size = size_of((int)type) * (size_t)components;
  void *bytes = keep(d, points, size);
  if (!bytes) return false;
  if (!io_draco_attribute(mesh, (uint32_t)id, (int)type, components, bytes))
    return gltf_fail(d, "%s: its Draco data has no %s with %d components", where, name, components);
  return set_accessor(d, where, index, points, bytes);
}

static bool take_indices(gltf_document *d, const char *where, const io_draco *mesh, const gltf_value *primitive)
{
  uint64_t index, type;
  if (!gltf_index(d, where, primitive, "indices", GLTF_NONE, gltf_json_length(d->accessors), &index)) return false;
  if (index == GLTF_NONE) return gltf_fail(d, "%s: its Draco data has triangles, and it has no indices", where);
  const gltf_value *accessor = gltf_object(d, d->accessors, "accessor", (size_t)index);
  if (!accessor || !gltf_integer(d, where, accessor, "componentType", GLTF_REQUIRED, GLTF_F32, &type)) return false;
  if (type != GLTF_U8 && type != GLTF_U16 && type != GLTF_U32)
    return gltf_fail(d, "%s: its indices are not unsigned integers", where);
  size_t count = 3 * io_draco_faces(mesh), size = size_of((int)type);
  uint64_t limit = size == 4 ? UINT64_MAX : (uint64_t)1 << 8 * size;
  uint32_t *wide = keep(d, count, sizeof *wide);
  unsigned char *bytes = wide ? keep(d, count, size) : NULL;
  if (!bytes) return false;
  io_draco_indices(mesh, wide);
  for (size_t i = 0; i < count; ++i) {
    if (wide[i] >= limit) return gltf_fail(d, "%s: index %u does not fit into its %zu bytes", where, wide[i], size);
    for (size_t k = 0; k < size; ++k) bytes[i * size + k] = (unsigned char)(wide[i] >> 8 * k);
  }
  return set_accessor(d, where, index, count, bytes);
}

static bool take_all(gltf_document *d, const char *where, const io_draco *mesh, const gltf_value *primitive,
                     const gltf_value *ids)
{
  const gltf_value *attributes = gltf_json_member(primitive, "attributes");
  char name[24];
  if (!take_indices(d, where, mesh, primitive) || !take_attribute(d, where, mesh, attributes, ids, "POSITION"))
    return false;
  for (int set = 0; set < 16; ++set) {
    snprintf(name, sizeof name, "JOINTS_%d", set);
    if (!take_attribute(d, where, mesh, attributes, ids, name)) return false;
    snprintf(name, sizeof name, "WEIGHTS_%d", set);
    if (!take_attribute(d, where, mesh, attributes, ids, name)) return false;
  }
  return true;
}

bool gltf_open_draco(gltf_document *d, const char *where, const gltf_value *primitive)
{
  const gltf_value *extension =
      gltf_json_member(gltf_json_member(primitive, "extensions"), "KHR_draco_mesh_compression");
  uint64_t index;
  gltf_view view;
  if (!extension || !io_draco_is_there()) return true; /* the plain data, which must then be there */
  if (!gltf_index(d, where, extension, "bufferView", GLTF_REQUIRED, gltf_json_length(d->views), &index) ||
      !gltf_view_open(d, where, index, &view))
    return false;
  if (!d->decoded_accessors)
    d->decoded_accessors = gltf_allocate(d, gltf_json_length(d->accessors), sizeof *d->decoded_accessors);
  if (!d->decoded_accessors) return false;
  io_draco *mesh = io_draco_open(view.data, (size_t)view.length);
  if (!mesh) return gltf_fail(d, "%s: its Draco data (buffer view %llu) is broken", where, (unsigned long long)index);
  bool ok = take_all(d, where, mesh, primitive, gltf_json_member(extension, "attributes"));
  io_draco_close(mesh);
  return ok;
}

/* ----------------------------------------------------------------------------------- meshopt -- */

#ifdef PLIANT_HAVE_MESHOPT
typedef struct packed {
  gltf_view view; /* the compressed bytes */
  uint64_t count, stride;
  const char *mode, *filter;
} packed;

/* 0: done. */
static int decode(const packed *p, unsigned char *out)
{
  size_t count = (size_t)p->count, stride = (size_t)p->stride, length = (size_t)p->view.length;
  int wrong = -1;
  if (strcmp(p->mode, "ATTRIBUTES") == 0 && stride % 4 == 0 && stride > 0 && stride <= 256)
    wrong = meshopt_decodeVertexBuffer(out, count, stride, p->view.data, length);
  else if (strcmp(p->mode, "TRIANGLES") == 0 && count % 3 == 0 && (stride == 2 || stride == 4))
    wrong = meshopt_decodeIndexBuffer(out, count, stride, p->view.data, length);
  else if (strcmp(p->mode, "INDICES") == 0 && (stride == 2 || stride == 4))
    wrong = meshopt_decodeIndexSequence(out, count, stride, p->view.data, length);
  if (wrong || !*p->filter || strcmp(p->filter, "NONE") == 0) return wrong;
  if (strcmp(p->filter, "OCTAHEDRAL") == 0 && (stride == 4 || stride == 8))
    return meshopt_decodeFilterOct(out, count, stride), 0;
  if (strcmp(p->filter, "QUATERNION") == 0 && stride == 8) return meshopt_decodeFilterQuat(out, count, stride), 0;
  if (strcmp(p->filter, "EXPONENTIAL") == 0) return meshopt_decodeFilterExp(out, count, stride), 0;
  return -1;
}

static bool open_packed(gltf_document *d, const char *where, const gltf_value *value, packed *p)
{
  if (!gltf_range_open(d, where, "its compressed bytes", value, &p->view) ||
      !gltf_integer(d, where, value, "count", GLTF_REQUIRED, UINT32_MAX, &p->count) ||
      !gltf_integer(d, where, value, "byteStride", GLTF_REQUIRED, 256, &p->stride))
    return false;
  p->mode = gltf_text_of(value, "mode");
  p->filter = gltf_text_of(value, "filter");
  return true;
}
#endif

bool gltf_open_meshopt(gltf_document *d, const char *where, uint64_t index, const gltf_value *view, gltf_view *out,
                       bool *found)
{
  *found = false;
#ifdef PLIANT_HAVE_MESHOPT
  const gltf_value *value = gltf_json_member(gltf_json_member(view, "extensions"), "EXT_meshopt_compression");
  packed p;
  if (!value) return true;
  *found = true;
  if (!d->decoded_views) d->decoded_views = gltf_allocate(d, gltf_json_length(d->views), sizeof *d->decoded_views);
  if (!d->decoded_views || !open_packed(d, where, value, &p)) return false;
  uint64_t length = p.count * p.stride, claimed;
  if (!gltf_integer(d, where, view, "byteLength", GLTF_REQUIRED, GLTF_SIZE_LIMIT, &claimed)) return false;
  if (claimed != length)
    return gltf_fail(d, "%s: its compressed elements take %llu bytes, and it has %llu", where,
                     (unsigned long long)length, (unsigned long long)claimed);
  if (!d->decoded_views[index]) {
    unsigned char *bytes = keep(d, length, 1);
    if (!bytes) return false;
    if (decode(&p, bytes) != 0)
      return gltf_fail(d, "%s: its meshopt data is broken, or of a kind that this build does not know", where);
    d->decoded_views[index] = bytes;
  }
  *out = (gltf_view){d->decoded_views[index], length, strcmp(p.mode, "ATTRIBUTES") == 0 ? p.stride : 0};
#else
  (void)d, (void)where, (void)index, (void)view, (void)out;
#endif
  return true;
}
