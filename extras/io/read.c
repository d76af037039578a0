/* Which reader a file goes to: by its content where that is sure, else by the ending of its
 * name. */
#include "io/reader.h"

#include <string.h>

static bool is_gltf(const io_source *s)
{
  return (s->size >= 4 && memcmp(s->data, "glTF", 4) == 0) || io_ending_is(s->name, "gltf") ||
         io_ending_is(s->name, "glb");
}

/* NULL: none of ours. */
typedef bool (*reader)(const io_source *source, io_mesh *out, io_error *error);

static reader choose(const io_source *s)
{
  if (io_is_ply(s)) return io_read_ply;
  if (io_is_off(s)) return io_read_off;
  if (io_is_stl(s)) return io_read_stl;
  if (io_ending_is(s->name, "obj")) return io_read_obj;
  if (io_ending_is(s->name, "ply")) return io_read_ply;
  if (io_ending_is(s->name, "off")) return io_read_off;
  if (io_ending_is(s->name, "stl")) return io_read_stl;
  return NULL;
}

/* Files of other programs that only these read. NULL: none of them. */
static const char *way_for(const char *name)
{
  static const char *const kinds[][2] = {{"abc", "is Alembic"}, {"usd", "is USD"},  {"usda", "is USD"},
                                         {"usdc", "is USD"},    {"usdz", "is USD"}, {"blend", "is a Blender file"}};
  for (size_t i = 0; i < sizeof kinds / sizeof *kinds; ++i)
    if (io_ending_is(name, kinds[i][0])) return kinds[i][1];
  return NULL;
}

bool io_read_source(const io_source *source, io_mesh *out, io_error *error)
{
  *out = (io_mesh){0};
  const char *way = way_for(source->name);
  if (way)
    return io_fail(error, source->name, 0,
                   "%s, which is not read; open it in Blender and export a point cache (OBJ with PC2) with pliant's "
                   "add-on, or glTF (docs/how-to/blender.md)",
                   way);
  if (io_ending_is(source->name, "pc2") || io_ending_is(source->name, "mdd") || io_ending_is(source->name, "npy"))
    return io_fail(error, source->name, 0, "is a point cache, not a mesh; name it alone, with its mesh beside it");
  if (is_gltf(source))
    return io_fail(error, source->name, 0,
                   "is a glTF scene, which cannot be a frame of a sequence; name glTF files one by one");
  reader read = choose(source);
  return read ? read(source, out, error) : io_read_assimp(source->name, out, error);
}

bool io_mesh_read_groups(const char *path, io_mesh *out, io_groups *groups, io_error *error)
{
  *out = (io_mesh){0};
  *groups = (io_groups){0};
  error->text[0] = '\0';
  io_source source;
  if (!io_file_load(path, &source, error)) return false;
  bool is_obj = !is_gltf(&source) && choose(&source) == io_read_obj;
  bool ok = is_obj ? io_read_obj_groups(&source, out, groups, error) : io_read_source(&source, out, error);
  io_file_unload(&source);
  return ok;
}

bool io_mesh_read(const char *path, io_mesh *out, io_error *error)
{
  *out = (io_mesh){0};
  error->text[0] = '\0';
  io_source source;
  if (!io_file_load(path, &source, error)) return false;
  bool ok = io_read_source(&source, out, error);
  io_file_unload(&source);
  return ok;
}
