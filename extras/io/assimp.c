/* Every other format, through assimp's C interface where it was there at build time. Assimp
 * works in float and knows much that a surface does not need; attributes are dropped before
 * vertices are joined. The joining is ours, so that exactly the same positions become one vertex
 * and no others, as in STL. Assimp 5.2 crashes on some broken files (a cut .ase, for one) and
 * leaks on most others that it refuses, so it runs apart. */
#include "io/assimp.h"

#include "io/apart.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef PLIANT_HAVE_ASSIMP
#include <assimp/postprocess.h>

static bool add_mesh(const struct aiMesh *mesh, io_builder *b, io_weld *weld, const io_source *source, io_error *error)
{
  for (unsigned f = 0; f < mesh->mNumFaces; ++f) {
    const struct aiFace *face = &mesh->mFaces[f];
    if (face->mNumIndices != 3) {
      ++b->short_faces;
      continue;
    }
    uint32_t v[3];
    for (int k = 0; k < 3; ++k) {
      if (face->mIndices[k] >= mesh->mNumVertices)
        return io_fail(error, source->name, 0, "face %u names vertex %u of %u", f, face->mIndices[k],
                       mesh->mNumVertices);
      const struct aiVector3D *p = &mesh->mVertices[face->mIndices[k]];
      double xyz[3] = {(double)p->x, (double)p->y, (double)p->z};
      if (!isfinite(xyz[0]) || !isfinite(xyz[1]) || !isfinite(xyz[2]))
        return io_fail(error, source->name, 0, "face %u has a coordinate that is not finite", f);
      if (!io_weld_vertex(weld, b, xyz, &v[k])) return io_builder_no_memory(b, source, error);
    }
    if (!io_builder_triangle(b, v[0], v[1], v[2])) return io_builder_no_memory(b, source, error);
  }
  return true;
}

/* -------------------------------------------------------------------------------------- mesh -- */

/* *animated: the file has an animation. PreTransformVertices drops it, so that it is looked for
 * before. */
static const struct aiScene *import(const char *path, bool *animated)
{
  struct aiPropertyStore *store = aiCreatePropertyStore();
  if (!store) return NULL;
  aiSetImportPropertyInteger(store, AI_CONFIG_PP_RVC_FLAGS,
                             aiComponent_NORMALS | aiComponent_TANGENTS_AND_BITANGENTS | aiComponent_COLORS |
                                 aiComponent_TEXCOORDS | aiComponent_TEXTURES | aiComponent_LIGHTS |
                                 aiComponent_CAMERAS | aiComponent_MATERIALS);
  const struct aiScene *scene = io_assimp_open(path, store);
  aiReleasePropertyStore(store);
  if (!scene) return NULL;
  *animated = scene->mNumAnimations > 0;
  return aiApplyPostProcessing(scene,
                               aiProcess_Triangulate | aiProcess_RemoveComponent | aiProcess_PreTransformVertices);
}

static bool read_here(const char *path, io_mesh *out, io_error *error)
{
  *out = (io_mesh){0};
  bool ok = true, animated = false;
  const struct aiScene *scene = import(path, &animated);
  if (!scene) return io_assimp_refused(path, error);
  io_source source = {path, NULL, 0};
  io_builder b = {0};
  io_weld weld = {0};
  for (unsigned i = 0; ok && i < scene->mNumMeshes; ++i) ok = add_mesh(scene->mMeshes[i], &b, &weld, &source, error);
  aiReleaseImport(scene);
  io_weld_free(&weld);
  if (!ok) {
    io_builder_free(&b);
    return false;
  }
  if (!io_builder_finish(&b, &source, out, error)) return false;
  out->is_partial = animated;
  io_note(
      out,
      "%sread through assimp in single precision: materials, %sskins and the tree of nodes are dropped, and vertices "
      "at the same position are joined",
      animated ? "its animation is not played, this is one frame; " : "", animated ? "animations, " : "");
  return true;
}

bool io_read_assimp(const char *path, io_mesh *out, io_error *error)
{
  enum { MOST_SECONDS = 120 };
  char ending[32];
  *out = (io_mesh){0};
  snprintf(ending, sizeof ending, ".%s", io_ending(path));
  if (!ending[1] || !aiIsExtensionSupported(ending))
    return io_fail(error, path, 0, "is not a known mesh format; use glTF, OBJ, PLY, STL or OFF");
  return io_read_apart(read_here, path, "assimp", MOST_SECONDS, out, error);
}
#else
bool io_read_assimp(const char *path, io_mesh *out, io_error *error)
{
  *out = (io_mesh){0};
  return io_fail(error, path, 0,
                 "is not glTF, OBJ, PLY, STL or OFF, and this build has no assimp for other kinds; convert it, or "
                 "install libassimp-dev and build again");
}
#endif
