/* Accessors: typed elements in a buffer view, with or without gaps between them, some of them
 * replaced by a sparse list. gltf_accessor_open checks that the last byte of the last element is
 * there; what follows needs no checks. */
#include "io/gltf_inside.h"

#include <math.h>
#include <string.h>

static size_t component_size(int type) { return type <= GLTF_U8 ? 1 : type <= GLTF_U16 ? 2 : 4; }

static bool is_component_type(uint64_t type) { return type >= GLTF_I8 && type <= GLTF_F32 && type != 5124; }

/* count elements of size bytes from offset on are in the view. */
static bool fits(const gltf_view *view, uint64_t offset, uint64_t count, uint64_t stride, uint64_t size)
{
  if (offset > view->length || size > view->length - offset) return false;
  return (count - 1) <= (view->length - offset - size) / stride;
}

static bool open_plain(gltf_document *d, const char *where, const gltf_value *value, gltf_accessor *a)
{
  uint64_t view_index, offset;
  if (!gltf_index(d, where, value, "bufferView", GLTF_NONE, gltf_json_length(d->views), &view_index) ||
      !gltf_integer(d, where, value, "byteOffset", 0, GLTF_SIZE_LIMIT, &offset))
    return false;
  if (d->decoded_accessors && d->decoded_accessors[a->index]) {
    a->data = d->decoded_accessors[a->index];
    a->stride = component_size(a->type) * (size_t)a->components;
    return true;
  }
  if (view_index == GLTF_NONE) return true;
  gltf_view view;
  if (!gltf_view_open(d, where, view_index, &view)) return false;
  uint64_t size = component_size(a->type) * (uint64_t)a->components;
  uint64_t stride = view.stride ? view.stride : size;
  if (stride < size)
    return gltf_fail(d, "%s: its elements of %llu bytes are only %llu apart", where, (unsigned long long)size,
                     (unsigned long long)stride);
  if (!fits(&view, offset, a->count, stride, size))
    return gltf_fail(d, "%s: its %llu elements do not fit into the %llu bytes of buffer view %llu", where,
                     (unsigned long long)a->count, (unsigned long long)view.length, (unsigned long long)view_index);
  a->data = view.data + offset;
  a->stride = (size_t)stride;
  return true;
}

/* One half of a sparse list: `count` packed elements. */
static bool open_sparse_half(gltf_document *d, const char *where, const gltf_value *half, uint64_t count, uint64_t size,
                             const unsigned char **out)
{
  uint64_t index, offset;
  gltf_view view;
  if (!gltf_index(d, where, half, "bufferView", GLTF_REQUIRED, gltf_json_length(d->views), &index) ||
      !gltf_integer(d, where, half, "byteOffset", 0, GLTF_SIZE_LIMIT, &offset) ||
      !gltf_view_open(d, where, index, &view))
    return false;
  if (!fits(&view, offset, count, size, size))
    return gltf_fail(d, "%s: its %llu sparse elements do not fit into buffer view %llu", where,
                     (unsigned long long)count, (unsigned long long)index);
  *out = view.data + offset;
  return true;
}

static uint32_t unsigned_at(const unsigned char *p, int type)
{
  if (type == GLTF_U8) return p[0];
  uint32_t low = p[0] | (uint32_t)p[1] << 8;
  return type == GLTF_U16 ? low : low | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

static bool open_sparse(gltf_document *d, const char *where, const gltf_value *sparse, gltf_accessor *a)
{
  const gltf_value *indices = gltf_json_member(sparse, "indices"), *values = gltf_json_member(sparse, "values");
  uint64_t type;
  if (!gltf_integer(d, where, sparse, "count", GLTF_REQUIRED, a->count, &a->sparse_count) ||
      !gltf_integer(d, where, indices, "componentType", GLTF_REQUIRED, GLTF_F32, &type))
    return false;
  if (a->sparse_count == 0) return gltf_fail(d, "%s: its sparse list is empty", where);
  /* it is checked each time it is named */
  if (!gltf_charge(d, a->sparse_count, sizeof(uint32_t))) return false;
  if (type != GLTF_U8 && type != GLTF_U16 && type != GLTF_U32)
    return gltf_fail(d, "%s: its sparse indices are not unsigned integers", where);
  a->sparse_type = (int)type;
  size_t step = component_size(a->sparse_type);
  if (!open_sparse_half(d, where, indices, a->sparse_count, step, &a->sparse_indices) ||
      !open_sparse_half(d, where, values, a->sparse_count, component_size(a->type) * (uint64_t)a->components,
                        &a->sparse_values))
    return false;
  uint64_t least = 0;
  for (uint64_t i = 0; i < a->sparse_count; ++i) {
    uint32_t at = unsigned_at(a->sparse_indices + i * step, a->sparse_type);
    if (at < least || at >= a->count)
      return gltf_fail(d, "%s: sparse index %llu is %u; they must ascend and stay below %llu", where,
                       (unsigned long long)i, at, (unsigned long long)a->count);
    least = (uint64_t)at + 1;
  }
  return true;
}

static int components_of(const char *type)
{
  static const char *const names[] = {"SCALAR", "VEC2", "VEC3", "VEC4"};
  for (int i = 0; i < 4; ++i)
    if (strcmp(type, names[i]) == 0) return i + 1;
  return 0;
}

static bool open_accessor(gltf_document *d, uint64_t index, bool matrices, gltf_accessor *out)
{
  gltf_accessor a = {.index = index};
  gltf_place where = gltf_at("accessor %llu", (unsigned long long)index);
  const gltf_value *value = gltf_object(d, d->accessors, "accessor", (size_t)index);
  uint64_t type;
  if (!value || !gltf_integer(d, where.text, value, "componentType", GLTF_REQUIRED, GLTF_SIZE_LIMIT, &type) ||
      !gltf_integer(d, where.text, value, "count", GLTF_REQUIRED, UINT32_MAX - 1, &a.count))
    return false;
  if (!is_component_type(type))
    return gltf_fail(d, "%s: component type %llu is unknown", where.text, (unsigned long long)type);
  if (a.count == 0) return gltf_fail(d, "%s has no elements", where.text);
  a.type = (int)type;
  a.components = components_of(gltf_text_of(value, "type"));
  if (matrices) a.components = strcmp(gltf_text_of(value, "type"), "MAT4") == 0 && a.type == GLTF_F32 ? 16 : 0;
  if (matrices && !a.components) return gltf_fail(d, "%s is not MAT4 of floats", where.text);
  if (!a.components)
    return gltf_fail(d, "%s: type '%s' is not SCALAR or VEC2 to VEC4", where.text,
                     gltf_shown(gltf_text_of(value, "type")).text);
  a.normalized = gltf_json_true(gltf_json_member(value, "normalized"));
  if (a.normalized && a.type >= GLTF_U32)
    return gltf_fail(d, "%s: only integers of 8 and 16 bits can be normalised", where.text);
  const gltf_value *sparse = gltf_json_member(value, "sparse");
  if (!open_plain(d, where.text, value, &a) || (sparse && !open_sparse(d, where.text, sparse, &a))) return false;
  *out = a;
  return true;
}

bool gltf_accessor_open(gltf_document *d, uint64_t index, gltf_accessor *out)
{
  return open_accessor(d, index, false, out);
}

bool gltf_accessor_open_matrices(gltf_document *d, uint64_t index, gltf_accessor *out)
{
  return open_accessor(d, index, true, out);
}

/* A normalised integer is its value divided in double: no float holds 1/255. */
static double number_at(const unsigned char *p, int type, bool normalized)
{
  if (type == GLTF_F32) {
    uint32_t bits = unsigned_at(p, GLTF_U32);
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
  }
  int32_t value;
  switch (type) {
  case GLTF_I8:
    value = (int32_t)p[0] - (p[0] >= 128 ? 256 : 0);
    return normalized ? fmax(value / 127.0, -1) : value;
  case GLTF_U8:
    return normalized ? p[0] / 255.0 : p[0];
  case GLTF_I16:
    value = (int32_t)unsigned_at(p, GLTF_U16);
    value -= value >= 32768 ? 65536 : 0;
    return normalized ? fmax(value / 32767.0, -1) : value;
  case GLTF_U16:
    return normalized ? unsigned_at(p, GLTF_U16) / 65535.0 : unsigned_at(p, GLTF_U16);
  default:
    return unsigned_at(p, GLTF_U32);
  }
}

/* Where element i goes: doubles or floats, whichever is given. */
typedef struct target {
  double *doubles;
  float *floats;
} target;

static void put_element(const gltf_accessor *a, const unsigned char *p, target to, size_t i)
{
  size_t size = component_size(a->type), n = (size_t)a->components;
  for (size_t k = 0; k < n; ++k) {
    double value = number_at(p + k * size, a->type, a->normalized);
    if (to.doubles)
      to.doubles[i * n + k] = value;
    else
      to.floats[i * n + k] = (float)value;
  }
}

static bool put_all(gltf_document *d, const gltf_accessor *a, target to)
{
  size_t n = (size_t)a->components, size = component_size(a->type) * n, step = component_size(a->sparse_type);
  for (uint64_t i = 0; a->data && i < a->count; ++i) put_element(a, a->data + i * a->stride, to, (size_t)i);
  for (uint64_t i = 0; i < a->sparse_count; ++i) {
    size_t at = unsigned_at(a->sparse_indices + i * step, a->sparse_type);
    put_element(a, a->sparse_values + i * size, to, at);
  }
  for (uint64_t i = 0; i < a->count * n; ++i)
    if (!isfinite(to.doubles ? to.doubles[i] : (double)to.floats[i]))
      return gltf_fail(d, "accessor %llu: element %llu is not finite", (unsigned long long)a->index,
                       (unsigned long long)(i / n));
  return true;
}

bool gltf_accessor_doubles(gltf_document *d, const gltf_accessor *a, double *out)
{
  if (!a->data) memset(out, 0, (size_t)a->count * (size_t)a->components * sizeof *out);
  return put_all(d, a, (target){.doubles = out});
}

bool gltf_accessor_floats(gltf_document *d, const gltf_accessor *a, float *out)
{
  if (!a->data) memset(out, 0, (size_t)a->count * (size_t)a->components * sizeof *out);
  return put_all(d, a, (target){.floats = out});
}

bool gltf_accessor_indices(gltf_document *d, const gltf_accessor *a, uint64_t limit, uint32_t *out)
{
  size_t size = component_size(a->type), step = component_size(a->sparse_type);
  uint32_t restart = a->type == GLTF_U8 ? UINT8_MAX : a->type == GLTF_U16 ? UINT16_MAX : UINT32_MAX;
  for (uint64_t i = 0; i < a->count; ++i) out[i] = a->data ? unsigned_at(a->data + i * a->stride, a->type) : 0;
  for (uint64_t i = 0; i < a->sparse_count; ++i)
    out[unsigned_at(a->sparse_indices + i * step, a->sparse_type)] = unsigned_at(a->sparse_values + i * size, a->type);
  for (uint64_t i = 0; i < a->count; ++i) {
    if (out[i] >= limit)
      return gltf_fail(d, "accessor %llu: index %llu names vertex %u of %llu", (unsigned long long)a->index,
                       (unsigned long long)i, out[i], (unsigned long long)limit);
    if (out[i] == restart)
      return gltf_fail(d, "accessor %llu: index %llu is %u, which glTF forbids", (unsigned long long)a->index,
                       (unsigned long long)i, out[i]);
  }
  return true;
}
