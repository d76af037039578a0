/* A glTF file from its bytes to a scene: container, JSON, extensions, then the stages of
 * gltf_inside.h. */
#include "io/assimp.h"
#include "io/draco.h"
#include "io/gltf_inside.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool gltf_charge(gltf_document *d, uint64_t count, size_t size)
{
  if (count > d->allowed / size)
    return gltf_fail(d, "unfolds to far more than the bytes it has; it is broken, or made to do harm");
  d->allowed -= count * size;
  return true;
}

void *gltf_unfold(gltf_document *d, uint64_t count, size_t size)
{
  return gltf_charge(d, count, size) ? gltf_allocate(d, count, size) : NULL;
}

void *gltf_allocate(gltf_document *d, uint64_t count, size_t size)
{
  if (count == 0) count = 1;
  void *block = count <= SIZE_MAX / size ? calloc((size_t)count, size) : NULL;
  if (!block) gltf_fail(d, "out of memory");
  return block;
}

char *gltf_copy_text(gltf_document *d, const char *text)
{
  size_t length = strlen(text);
  char *copy = gltf_allocate(d, (uint64_t)length + 1, 1);
  for (size_t i = 0; copy && i < length; ++i) copy[i] = (unsigned char)text[i] < ' ' || text[i] == 127 ? '?' : text[i];
  return copy;
}

/* --------------------------------------------------------------------------------- container -- */

static uint32_t word_at(const io_source *source, size_t at)
{
  const unsigned char *p = (const unsigned char *)source->data + at;
  return p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

static bool is_binary(const io_source *source) { return source->size >= 4 && memcmp(source->data, "glTF", 4) == 0; }

/* The chunk at *at, whose head and body are before `end`; moves on behind it. */
static bool next_chunk(gltf_document *d, const io_source *file, size_t end, size_t *at, uint32_t *kind, io_source *out)
{
  if (end - *at < 8) return gltf_fail(d, "is cut short at byte %zu", end);
  size_t length = word_at(file, *at);
  *kind = word_at(file, *at + 4);
  *at += 8;
  if (length % 4 != 0) return gltf_fail(d, "its chunk at byte %zu has %zu bytes, no multiple of 4", *at, length);
  if (length > end - *at)
    return gltf_fail(d, "is cut short: its chunk at byte %zu has %zu bytes, and %zu are there", *at, length, end - *at);
  *out = (io_source){d->name, file->data + *at, length};
  *at += length;
  return true;
}

/* Finds the JSON and the binary chunk; others are of extensions. */
static bool open_binary(gltf_document *d, const io_source *file, io_source *json)
{
  enum { JSON = 0x4E4F534A, BIN = 0x004E4942 };
  if (file->size < 12) return gltf_fail(d, "is cut short at byte %zu", file->size);
  uint32_t version = word_at(file, 4), length = word_at(file, 8), kind;
  if (version != 2) return gltf_fail(d, "is glTF %u; export glTF 2.0", version);
  if (length < 12 || length > file->size)
    return gltf_fail(d, "should have %u bytes and has %zu; it is cut short", length, file->size);
  size_t at = 12;
  if (!next_chunk(d, file, length, &at, &kind, json)) return false;
  if (kind != JSON) return gltf_fail(d, "does not begin with JSON");
  io_source chunk;
  for (bool first = true; at < length; first = false) {
    if (!next_chunk(d, file, length, &at, &kind, &chunk)) return false;
    if (kind != BIN) continue;
    if (!first) return gltf_fail(d, "its binary chunk is not the second");
    d->bin = chunk.data;
    d->bin_size = chunk.size;
  }
  return true;
}

/* -------------------------------------------------------------------------------- extensions -- */

/* Those that change how a surface looks and not where it is, and quantised positions, which
 * accessors read anyway. */
static bool is_known_extension(const char *name)
{
  static const char *const known[] = {"KHR_mesh_quantization", "KHR_texture_transform", "KHR_texture_basisu",
                                      "KHR_lights_punctual",   "EXT_texture_webp",      "EXT_texture_avif",
                                      "MSFT_texture_dds",      "KHR_xmp_json_ld",       "EXT_lights_image_based"};
  if (strncmp(name, "KHR_materials_", 14) == 0) return true;
  if (strcmp(name, "KHR_draco_mesh_compression") == 0) return io_draco_is_there();
  if (strcmp(name, "EXT_meshopt_compression") == 0) return gltf_has_meshopt();
  for (size_t i = 0; i < sizeof known / sizeof known[0]; ++i)
    if (strcmp(name, known[i]) == 0) return true;
  return false;
}

static bool check_extensions(gltf_document *d)
{
  static const char *const lists[] = {"extensionsUsed", "extensionsRequired"};
  for (int l = 0; l < 2; ++l) {
    bool ok = true;
    const gltf_value *list = gltf_list(d, "the file", d->root, lists[l], &ok);
    for (size_t i = 0; ok && i < gltf_json_length(list); ++i) {
      const gltf_value *item = gltf_json_item(list, i);
      if (gltf_json_kind(item) != GLTF_STRING) return gltf_fail(d, "'%s' has an entry that is not a name", lists[l]);
      const char *name = gltf_json_text(item);
      if (strcmp(name, "KHR_mesh_quantization") == 0) d->quantized = true;
      if (l == 1 && strcmp(name, "KHR_meshopt_compression") == 0)
        return gltf_fail(d,
                         "is compressed with KHR_meshopt_compression, which meshoptimizer 0.18 cannot decode; export "
                         "it with EXT_meshopt_compression or without compression");
      if (l == 1 && !is_known_extension(name))
        return gltf_fail(d, "needs the extension '%s', which is not read; export it without", gltf_shown(name).text);
    }
    if (!ok) return false;
  }
  return true;
}

/* 2.x, and not more than 2.0 where it says what it needs at least. */
static bool check_version(gltf_document *d)
{
  const gltf_value *asset = gltf_json_member(d->root, "asset");
  const char *version = gltf_text_of(asset, "version"), *least = gltf_text_of(asset, "minVersion");
  if (!*version) return gltf_fail(d, "has no asset version; it is not glTF");
  if (strncmp(version, "2.", 2) != 0 || (*least && strcmp(least, "2.0") != 0))
    return gltf_fail(d, "is glTF %s; export glTF 2.0", gltf_shown(*least ? least : version).text);
  return true;
}

static bool open_lists(gltf_document *d)
{
  const struct {
    const char *key;
    const gltf_value **list;
  } lists[] = {{"accessors", &d->accessors}, {"animations", &d->animations}, {"buffers", &d->buffers},
               {"materials", &d->materials}, {"meshes", &d->meshes},         {"nodes", &d->nodes},
               {"scenes", &d->scenes},       {"skins", &d->skins},           {"bufferViews", &d->views}};
  bool ok = gltf_json_kind(d->root) == GLTF_OBJECT || gltf_fail(d, "is not glTF: its JSON is not an object");
  for (size_t i = 0; ok && i < sizeof lists / sizeof lists[0]; ++i)
    *lists[i].list = gltf_list(d, "the file", d->root, lists[i].key, &ok);
  if (!ok) return false;
  d->loaded = gltf_allocate(d, gltf_json_length(d->buffers), sizeof *d->loaded);
  d->loaded_count = gltf_json_length(d->buffers);
  return d->loaded != NULL;
}

/* ------------------------------------------------------------------------------------- whole -- */

static void write_note(const gltf_document *d, bool has_tail)
{
  const struct {
    size_t count;
    const char *what;
  } parts[] = {{d->lines_left_out, "primitives of points or lines"},
               {d->strips_left_out, "triangles of strips or fans that name a vertex twice"},
               {d->pointers_left_out, "channels that animate no node"},
               {d->weights_left_out, "weights below 0 or of no joint"},
               {d->joints_missing, "joints that a skin does not have (their weights follow the node)"},
               {d->vertices_not_skinned, "skinned vertices without weights (they follow the node)"}};
  char *note = d->scene->note;
  size_t n = 0, room = sizeof d->scene->note;
  for (size_t i = 0; i < sizeof parts / sizeof parts[0]; ++i)
    if (parts[i].count && n < room)
      n += (size_t)snprintf(note + n, room - n, "%s%zu %s", n ? ", " : "left out: ", parts[i].count, parts[i].what);
  if (has_tail && n < room) snprintf(note + n, room - n, "%swhat follows its end", n ? ", " : "left out: ");
}

bool gltf_read_memory(const io_source *source, const char *folder, const gltf_options *options, gltf_scene **out,
                      io_error *error)
{
  gltf_document d = {.name = source->name,
                     .folder = folder,
                     .allow_outside = options->allow_outside,
                     .buffer_file = options->buffer_file,
                     .user = options->user,
                     .error = error};
  io_source json = *source;
  *out = NULL;
  error->text[0] = '\0';
  d.allowed = ((uint64_t)1 << 24) + 64 * (uint64_t)source->size;
  bool binary = is_binary(source);
  bool ok = (!binary || open_binary(&d, source, &json)) && gltf_json_parse(&json, &d.root, error) && open_lists(&d) &&
            check_version(&d) && check_extensions(&d) && (d.scene = gltf_allocate(&d, 1, sizeof *d.scene)) != NULL;
  ok = ok && gltf_read_nodes(&d)                /* JSON         -> tree of nodes  */
       && gltf_choose_scene(&d, options->scene) /* tree         -> its nodes      */
       && gltf_read_skins(&d)                   /* nodes        -> joints         */
       && gltf_make_bodies(&d)                  /* nodes        -> meshes, bodies */
       && gltf_make_bones(&d)                   /* joints, bodies -> bones        */
       && gltf_read_names(&d)                   /* joints, materials -> names     */
       && gltf_read_animations(&d);             /* nodes, meshes -> keys, motion   */
  if (ok) write_note(&d, binary && word_at(source, 8) < source->size);
  gltf_blocks_free(&d);
  gltf_buffers_free(&d);
  if (d.root) gltf_json_free(d.root);
  if (!ok) gltf_free(d.scene);
  *out = ok ? d.scene : NULL;
  return ok;
}

bool gltf_read_source(const io_source *source, const char *folder, const char *scene, gltf_scene **out, io_error *error)
{
  return gltf_read_memory(source, folder, &(gltf_options){.scene = scene}, out, error);
}

bool gltf_is_name(const char *path)
{
  return io_ending_is(path, "gltf") || io_ending_is(path, "glb") || io_assimp_is_scene(path);
}

/* The scene of another format, as our reader reads what assimp makes of it. */
static bool read_other(const char *path, const gltf_options *options, gltf_scene **out, io_error *error)
{
  io_source file = {.name = path};
  char *data;
  if (!io_assimp_scene(path, &data, &file.size, error)) return false;
  file.data = data;
  bool ok = gltf_read_memory(&file, "", options, out, error);
  free(data);
  if (!ok) return false;
  char more[sizeof(*out)->note];
  memcpy(more, (*out)->note, sizeof more);
  snprintf((*out)->note, sizeof(*out)->note,
           "read through assimp in single precision: keys with straight lines between them; constraints, drivers and "
           "caches are dropped%s%.200s",
           *more ? "; " : "", more);
  return true;
}

bool gltf_read(const char *path, const char *scene, gltf_scene **out, io_error *error)
{
  return gltf_read_with(path, &(gltf_options){.scene = scene}, out, error);
}

bool gltf_read_with(const char *path, const gltf_options *options, gltf_scene **out, io_error *error)
{
  io_source file;
  *out = NULL;
  error->text[0] = '\0';
  if (!io_file_load(path, &file, error)) return false;
  if (io_assimp_is_scene(path)) {
    io_file_unload(&file);
    return read_other(path, options, out, error);
  }
  const char *slash = strrchr(path, '/');
  size_t length = slash ? (size_t)(slash - path) + 1 : 0;
  char *folder = malloc(length + 1);
  bool ok = folder != NULL;
  if (ok) {
    memcpy(folder, path, length);
    folder[length] = '\0';
    ok = gltf_read_memory(&file, folder, options, out, error);
  } else {
    io_fail(error, path, 0, "out of memory");
  }
  free(folder);
  io_file_unload(&file);
  return ok;
}
