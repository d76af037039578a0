/* A copy of a glTF file without what no reader of ours looks at: images, normals, tangents, texture
 * coordinates, colours, and of materials all but their names. Whatever is not known to be unneeded
 * stays. */
#include "io/gltf.h"
#include "io/reader.h"

#include <stdlib.h>
#include <string.h>

#ifdef PLIANT_HAVE_JANSSON

#include <jansson.h>

enum { HEAD = 12, CHUNK_HEAD = 8, KEPT = 1, DROPPED = 2 };
static const uint32_t glb_magic = 0x46546c67, json_chunk = 0x4e4f534a, bin_chunk = 0x004e4942;

typedef struct trim {
  json_t *root;
  const char *bin; /* the chunk of a GLB file; NULL: there is none */
  size_t bin_size;
  uint8_t *accessors, *views; /* KEPT, DROPPED, or both: kept */
  size_t accessor_count, view_count;
  uint32_t *before; /* by word of the chunk: words before it that go; first 1: it goes */
} trim;

static uint32_t get_word(const char *at)
{
  const unsigned char *p = (const unsigned char *)at;
  return (uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

static void put_word(char *at, size_t value)
{
  for (int i = 0; i < 4; ++i) at[i] = (char)(value >> 8 * i & 0xff);
}

static json_t *list_of(const trim *t, const char *key) { return json_object_get(t->root, key); }

static void note(uint8_t *marks, size_t count, const json_t *index, uint8_t mark)
{
  json_int_t i = json_is_integer(index) ? json_integer_value(index) : -1;
  if (i >= 0 && (uint64_t)i < count) marks[i] |= mark;
}

static bool goes(uint8_t mark) { return mark == DROPPED; }

/* -------------------------------------------------------------------------------------- what -- */

static bool is_unneeded(const char *attribute)
{
  static const char *const names[] = {"NORMAL", "TANGENT", "TEXCOORD_", "COLOR_"};
  for (size_t i = 0; i < sizeof names / sizeof *names; ++i)
    if (strncmp(attribute, names[i], strlen(names[i])) == 0) return true;
  return false;
}

static void drop_attributes(trim *t, json_t *attributes)
{
  const char *name;
  void *next;
  json_t *accessor;
  json_object_foreach_safe(attributes, next, name, accessor)
  {
    note(t->accessors, t->accessor_count, accessor, is_unneeded(name) ? DROPPED : KEPT);
    if (is_unneeded(name)) json_object_del(attributes, name);
  }
}

static void note_accessors(trim *t)
{
  size_t i, k;
  json_t *item, *part;
  json_array_foreach(list_of(t, "meshes"), i, item) json_array_foreach(json_object_get(item, "primitives"), k, part)
  {
    size_t m;
    json_t *target, *draco = json_object_get(json_object_get(part, "extensions"), "KHR_draco_mesh_compression");
    if (draco) continue; /* its attributes are one piece */
    drop_attributes(t, json_object_get(part, "attributes"));
    json_array_foreach(json_object_get(part, "targets"), m, target) drop_attributes(t, target);
    note(t->accessors, t->accessor_count, json_object_get(part, "indices"), KEPT);
  }
  json_array_foreach(list_of(t, "skins"), i, item)
      note(t->accessors, t->accessor_count, json_object_get(item, "inverseBindMatrices"), KEPT);
  json_array_foreach(list_of(t, "animations"), i, item) json_array_foreach(json_object_get(item, "samplers"), k, part)
  {
    note(t->accessors, t->accessor_count, json_object_get(part, "input"), KEPT);
    note(t->accessors, t->accessor_count, json_object_get(part, "output"), KEPT);
  }
}

static void note_views(trim *t)
{
  size_t i;
  json_t *item;
  json_array_foreach(list_of(t, "accessors"), i, item)
  {
    const uint8_t mark = goes(t->accessors[i]) ? DROPPED : KEPT;
    const json_t *sparse = json_object_get(item, "sparse");
    note(t->views, t->view_count, json_object_get(item, "bufferView"), mark);
    note(t->views, t->view_count, json_object_get(json_object_get(sparse, "indices"), "bufferView"), mark);
    note(t->views, t->view_count, json_object_get(json_object_get(sparse, "values"), "bufferView"), mark);
    if (mark == KEPT) continue;
    json_object_del(item, "bufferView");
    json_object_del(item, "sparse");
  }
  json_array_foreach(list_of(t, "images"), i, item)
      note(t->views, t->view_count, json_object_get(item, "bufferView"), DROPPED);
}

/* ------------------------------------------------------------------------------------- bytes -- */

/* Where the bytes of a view are: in it, or where its extension for compressed ones says. */
static json_t *bytes_of(json_t *view)
{
  json_t *extensions = json_object_get(view, "extensions");
  json_t *meshopt = json_object_get(extensions, "EXT_meshopt_compression");
  return meshopt ? meshopt : view;
}

static bool range_of(const trim *t, json_t *at, size_t *begin, size_t *end)
{
  json_int_t offset = json_integer_value(json_object_get(at, "byteOffset"));
  json_int_t length = json_integer_value(json_object_get(at, "byteLength"));
  if (json_integer_value(json_object_get(at, "buffer")) != 0 || offset < 0 || length < 1) return false;
  *begin = (size_t)offset;
  *end = *begin + (size_t)length;
  return *begin < t->bin_size && *end <= t->bin_size;
}

/* Words that only views have that go; what no view has stays. Returns how many there are. */
static size_t mark_words(trim *t)
{
  size_t words = t->bin_size / 4, gone = 0, i, begin, end;
  json_t *view;
  for (int pass = 0; pass < 2; ++pass) json_array_foreach(list_of(t, "bufferViews"), i, view)
    {
      if (goes(t->views[i]) != !pass || !range_of(t, bytes_of(view), &begin, &end)) continue;
      for (size_t w = pass ? begin / 4 : (begin + 3) / 4; w < words && (pass ? 4 * w < end : 4 * w + 4 <= end); ++w)
        t->before[w] = !pass;
    }
  t->before[0] = 0; /* a buffer is never empty */
  for (size_t w = 0; w < words; ++w) {
    bool now = t->before[w];
    t->before[w] = (uint32_t)gone << 1 | now;
    gone += now;
  }
  return gone;
}

static void move_view(const trim *t, json_t *at)
{
  size_t begin, end;
  if (range_of(t, at, &begin, &end) && begin / 4 < t->bin_size / 4)
    json_object_set_new(at, "byteOffset", json_integer((json_int_t)(begin - 4 * (size_t)(t->before[begin / 4] >> 1))));
}

static void move_views(trim *t, size_t gone)
{
  size_t i;
  json_t *view, *buffer = json_array_get(list_of(t, "buffers"), 0);
  json_array_foreach(list_of(t, "bufferViews"), i, view)
  {
    json_t *compressed = bytes_of(view);
    if (goes(t->views[i])) {
      json_object_clear(view);
      json_object_set_new(view, "buffer", json_integer(0));
      json_object_set_new(view, "byteLength", json_integer(4));
      continue;
    }
    move_view(t, view);
    if (compressed != view) move_view(t, compressed);
  }
  json_object_set_new(buffer, "byteLength", json_integer((json_int_t)(t->bin_size - 4 * gone)));
}

static char *write_glb(const trim *t, const char *text, size_t gone, size_t *size)
{
  size_t length = strlen(text), padded = (length + 3) / 4 * 4, words = t->bin_size / 4, kept = words - gone;
  *size = HEAD + CHUNK_HEAD + padded + CHUNK_HEAD + 4 * kept;
  char *out = malloc(*size), *at = out;
  if (!out) return NULL;
  const size_t head[] = {glb_magic, 2, *size, padded, json_chunk};
  for (size_t i = 0; i < sizeof head / sizeof *head; ++i, at += 4) put_word(at, head[i]);
  memset(at, ' ', padded);
  memcpy(at, text, length);
  at += padded;
  put_word(at, 4 * kept);
  put_word(at + 4, bin_chunk);
  at += 8;
  for (size_t w = 0; w < words; ++w) {
    if (t->before[w] & 1) continue;
    memcpy(at, t->bin + 4 * w, 4);
    at += 4;
  }
  return out;
}

/* -------------------------------------------------------------------------------------- file -- */

static void drop_looks(json_t *root)
{
  size_t i;
  json_t *material;
  for (const char *const *key = (const char *const[]){"images", "textures", "samplers", NULL}; *key; ++key)
    json_object_del(root, *key);
  json_array_foreach(json_object_get(root, "materials"), i, material)
  {
    json_t *name = json_incref(json_object_get(material, "name"));
    json_object_clear(material);
    if (name) json_object_set_new(material, "name", name);
  }
}

static bool open_file(trim *t, const io_source *source)
{
  const char *data = source->data;
  size_t length = source->size;
  if (length < HEAD + CHUNK_HEAD || get_word(data) != glb_magic) {
    t->root = json_loadb(data, length, 0, NULL);
    return t->root != NULL;
  }
  length = get_word(data + HEAD);
  size_t bin = HEAD + CHUNK_HEAD + length;
  if (length > source->size - HEAD - CHUNK_HEAD || get_word(data + HEAD + 4) != json_chunk) return false;
  t->root = json_loadb(data + HEAD + CHUNK_HEAD, length, 0, NULL);
  if (!t->root || source->size - bin < CHUNK_HEAD || get_word(data + bin + 4) != bin_chunk) return false;
  t->bin = data + bin + CHUNK_HEAD;
  t->bin_size = get_word(data + bin);
  return t->bin_size % 4 == 0 && t->bin_size >= 8 && t->bin_size <= source->size - bin - CHUNK_HEAD &&
         t->bin_size / 4 < UINT32_MAX / 2 && !json_object_get(json_array_get(list_of(t, "buffers"), 0), "uri");
}

static char *trim_bytes(trim *t, size_t *size)
{
  t->accessor_count = json_array_size(list_of(t, "accessors"));
  t->view_count = json_array_size(list_of(t, "bufferViews"));
  t->accessors = calloc(t->accessor_count + 1, 1);
  t->views = calloc(t->view_count + 1, 1);
  t->before = calloc(t->bin_size / 4, sizeof *t->before);
  if (!t->accessors || !t->views || !t->before) return NULL;
  note_accessors(t);
  note_views(t);
  size_t gone = mark_words(t);
  if (gone == 0) return NULL;
  move_views(t, gone);
  drop_looks(t->root);
  char *text = json_dumps(t->root, JSON_COMPACT), *out = text ? write_glb(t, text, gone, size) : NULL;
  free(text);
  return out;
}

bool gltf_trim(const io_source *source, char **out, size_t *size)
{
  trim t = {0};
  *out = NULL;
  if (open_file(&t, source)) {
    if (t.bin) {
      *out = trim_bytes(&t, size);
    } else if (json_array_size(list_of(&t, "images"))) {
      drop_looks(t.root);
      *out = json_dumps(t.root, JSON_COMPACT);
      *size = *out ? strlen(*out) : 0;
    }
  }
  free(t.accessors);
  free(t.views);
  free(t.before);
  json_decref(t.root);
  return *out != NULL;
}

#else

bool gltf_trim(const io_source *source, char **out, size_t *size)
{
  (void)source;
  *size = 0;
  *out = NULL;
  return false;
}

#endif
