/* FBX and Collada as scenes: what assimp makes of their nodes, skins, morph targets and keys is
 * written as a binary glTF file, in a process of its own, and read by our reader, which checks it
 * as it checks any file. So names, animations and everything after them are those of glTF.
 *
 * All meshes of a node become one mesh of several primitives, with one skin. Lost: what assimp
 * does not know (constraints, drivers, caches, pivots, which it bakes), curves between keys,
 * which become straight, and double precision. */
#include "io/assimp.h"

#include "io/apart.h"

#if defined(PLIANT_HAVE_ASSIMP) && defined(PLIANT_HAVE_JANSSON)
#include "io/assimp_glb.h"

#include <assimp/postprocess.h>
#include <stdlib.h>
#include <string.h>

/* Metres of a unit: in FBX centimetres times a factor; Collada is in metres after assimp. */
static double metres_of(const char *path, const struct aiScene *scene)
{
  double unit = 1;
  if (!io_ending_is(path, "fbx")) return 1;
  const struct aiMetadata *facts = scene->mMetaData;
  for (unsigned i = 0; facts && i < facts->mNumProperties; ++i) {
    const struct aiMetadataEntry *e = &facts->mValues[i];
    if (strcmp(facts->mKeys[i].data, "UnitScaleFactor") != 0) continue;
    if (e->mType == AI_DOUBLE) unit = *(const double *)e->mData;
    if (e->mType == AI_FLOAT) unit = (double)*(const float *)e->mData;
  }
  return unit > 1e-9 && unit < 1e9 ? 0.01 * unit : 0.01;
}

static bool make_here(const char *path, char **data, size_t *size, io_error *error)
{
  struct aiPropertyStore *store = aiCreatePropertyStore();
  if (store) {
    aiSetImportPropertyInteger(store, AI_CONFIG_IMPORT_FBX_PRESERVE_PIVOTS, 0);
    aiSetImportPropertyInteger(store, AI_CONFIG_PP_SBP_REMOVE, aiPrimitiveType_POINT | aiPrimitiveType_LINE);
  }
  const struct aiScene *scene = io_assimp_open(path, store);
  if (store) aiReleasePropertyStore(store);
  if (!scene) return io_assimp_refused(path, error);
  scene = aiApplyPostProcessing(scene, aiProcess_Triangulate);
  if (!scene || !scene->mRootNode) return io_assimp_refused(path, error);
  bool good = assimp_write_glb(scene, metres_of(path, scene), data, size);
  aiReleaseImport(scene);
  return good || io_fail(error, path, 0, "out of memory");
}

bool io_assimp_is_scene(const char *path) { return io_ending_is(path, "fbx") || io_ending_is(path, "dae"); }

bool io_assimp_scene(const char *path, char **data, size_t *size, io_error *error)
{
  enum { MOST_SECONDS = 120 };
  return io_make_apart(make_here, path, "assimp", MOST_SECONDS, data, size, error);
}
#else
bool io_assimp_is_scene(const char *path)
{
  (void)path;
  return false;
}

bool io_assimp_scene(const char *path, char **data, size_t *size, io_error *error)
{
  *data = NULL;
  *size = 0;
  return io_fail(error, path, 0, "is not read, as this build has no assimp");
}
#endif
