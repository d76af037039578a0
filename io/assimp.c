/* Every other format, through assimp's C interface where it was there at build time. Assimp works in float and knows
 * much that a surface does not need; attributes are dropped before vertices are joined. The joining is ours, so that
 * the very same positions become one vertex and no others, as in STL. */
#include "io/reader.h"

#include <math.h>
#include <stdio.h>

#ifdef PLIANT_HAVE_ASSIMP
#include <assimp/cimport.h>
#include <assimp/config.h>
#include <assimp/postprocess.h>
#include <assimp/scene.h>

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

static const struct aiScene *import(const char *path)
{
  struct aiPropertyStore *store = aiCreatePropertyStore();
  if (!store) return NULL;
  aiSetImportPropertyInteger(store, AI_CONFIG_PP_RVC_FLAGS,
                             aiComponent_NORMALS | aiComponent_TANGENTS_AND_BITANGENTS | aiComponent_COLORS |
                                 aiComponent_TEXCOORDS | aiComponent_TEXTURES | aiComponent_LIGHTS |
                                 aiComponent_CAMERAS | aiComponent_MATERIALS);
  unsigned steps = aiProcess_Triangulate | aiProcess_RemoveComponent | aiProcess_PreTransformVertices;
  const struct aiScene *scene = aiImportFileExWithProperties(path, steps, NULL, store);
  aiReleasePropertyStore(store);
  return scene;
}

bool io_read_assimp(const char *path, io_mesh *out, io_error *error)
{
  *out = (io_mesh){0};
  char ending[32];
  snprintf(ending, sizeof ending, ".%s", io_ending(path));
  if (!ending[1] || !aiIsExtensionSupported(ending))
    return io_fail(error, path, 0, "is no kind of mesh file that is known; use OBJ, PLY, STL or OFF");
  const struct aiScene *scene = import(path);
  if (!scene) {
    /* Its message may have several lines. */
    char message[160];
    snprintf(message, sizeof message, "%s", aiGetErrorString());
    for (char *p = message; *p; ++p)
      if ((unsigned char)*p < ' ') *p = ' ';
    return io_fail(error, path, 0, "assimp could not read it: %s", message);
  }
  io_source source = {path, NULL, 0};
  io_builder b = {0};
  io_weld weld = {0};
  bool ok = true, animated = scene->mNumAnimations > 0;
  for (unsigned i = 0; ok && i < scene->mNumMeshes; ++i) ok = add_mesh(scene->mMeshes[i], &b, &weld, &source, error);
  aiReleaseImport(scene);
  io_weld_free(&weld);
  if (!ok) {
    io_builder_free(&b);
    return false;
  }
  if (!io_builder_finish(&b, &source, out, error)) return false;
  io_note(out,
          "read through assimp in single precision: materials, %sskins and the tree of nodes are dropped, and vertices "
          "at the same position are joined",
          animated ? "its animation, " : "");
  return true;
}
#else
bool io_read_assimp(const char *path, io_mesh *out, io_error *error)
{
  *out = (io_mesh){0};
  return io_fail(error, path, 0,
                 "is not OBJ, PLY, STL or OFF, and this build has no assimp for other kinds; convert it, or "
                 "install libassimp-dev and build again");
}
#endif
