/* Writes a scene of assimp as a binary glTF file: nodes, meshes, skins, morph targets and
 * animations, and nothing that does not move a vertex but the names of materials. Node i of the
 * file is the i-th node in depth-first order; the last one holds the root, and the unit. Cost: the
 * size of the file. */
#if defined(PLIANT_HAVE_ASSIMP) && defined(PLIANT_HAVE_JANSSON)
#include "io/assimp_glb.h"

#include <assimp/cimport.h>
#include <math.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FLOAT = 5126, UINT = 5125, USHORT = 5123 };

void glb_add_bytes(glb_text *g, const void *data, size_t size)
{
  if (g->failed) return;
  if (g->count + size + 1 > g->room) {
    size_t room = 2 * (g->count + size) + 256;
    char *more = realloc(g->data, room);
    if (!more) {
      g->failed = true;
      return;
    }
    g->data = more;
    g->room = room;
  }
  if (size) memcpy(g->data + g->count, data, size);
  g->count += size;
  g->data[g->count] = '\0';
}

void glb_add(glb_text *g, const char *format, ...)
{
  char text[256];
  va_list list;
  va_start(list, format);
  int n = vsnprintf(text, sizeof text, format, list);
  va_end(list);
  glb_add_bytes(g, text, n < 0 ? 0 : (size_t)n < sizeof text ? (size_t)n : sizeof text - 1);
}

void glb_comma(glb_text *g)
{
  if (g->count && g->data[g->count - 1] != '[' && g->data[g->count - 1] != '{') glb_add(g, ",");
}

/* A name in quotes; bytes that are not plain ASCII stay if all of them are UTF-8. */
void glb_add_name(glb_text *g, const struct aiString *name)
{
  const unsigned char *p = (const unsigned char *)name->data;
  bool utf8 = true;
  for (size_t i = 0; i < name->length && utf8; ++i) {
    int more = p[i] < 0x80 ? 0 : p[i] >= 0xF0 ? 3 : p[i] >= 0xE0 ? 2 : p[i] >= 0xC2 ? 1 : 9;
    utf8 = more < 9 && i + (size_t)more < name->length && p[i] < 0xF0; /* four bytes are rare: '?' */
    for (int k = 0; k < more && utf8; ++k) utf8 = (p[++i] & 0xC0) == 0x80;
  }
  glb_add(g, "\"");
  for (size_t i = 0; i < name->length; ++i) {
    char c = p[i] < ' ' || p[i] == 127 || (p[i] >= 0x80 && !utf8) ? '?' : name->data[i];
    if (c == '"' || c == '\\') glb_add_bytes(g, "\\", 1);
    glb_add_bytes(g, &c, 1);
  }
  glb_add(g, "\"");
}

/* Adds an array to the binary part; returns the number of its accessor. */
static size_t add_accessor(glb_writer *w, const void *data, size_t count, size_t item, int component, const char *type)
{
  size_t at = w->bin.count;
  glb_add_bytes(&w->bin, data, count * item);
  while (w->bin.count % 4 && !w->bin.failed) glb_add_bytes(&w->bin, "", 1);
  glb_comma(&w->views);
  glb_add(&w->views, "{\"buffer\":0,\"byteOffset\":%zu,\"byteLength\":%zu}", at, count * item);
  glb_comma(&w->accessors);
  glb_add(&w->accessors, "{\"bufferView\":%zu,\"componentType\":%d,\"count\":%zu,\"type\":\"%s\"}", w->accessor_count,
          component, count, type);
  return w->accessor_count++;
}

size_t glb_add_floats(glb_writer *w, const float *data, size_t count, const char *type, size_t width)
{
  return add_accessor(w, data, count, width * sizeof *data, FLOAT, type);
}

/* ------------------------------------------------------------------------------------- nodes -- */

static size_t count_nodes(const struct aiNode *n)
{
  size_t count = 1;
  for (unsigned i = 0; i < n->mNumChildren; ++i) count += count_nodes(n->mChildren[i]);
  return count;
}

static void list_nodes(glb_writer *w, const struct aiNode *n)
{
  w->nodes[w->node_count++] = n;
  for (unsigned i = 0; i < n->mNumChildren; ++i) list_nodes(w, n->mChildren[i]);
}

size_t glb_node_named(const glb_writer *w, const struct aiString *name)
{
  for (size_t i = 0; i < w->node_count; ++i)
    if (strcmp(w->nodes[i]->mName.data, name->data) == 0) return i;
  return SIZE_MAX;
}

void glb_turn(const struct aiQuaternion *q, float out[4])
{
  const double x = (double)q->x, y = (double)q->y, z = (double)q->z, w = (double)q->w;
  const double length = sqrt(x * x + y * y + z * z + w * w);
  const bool good = length > 0 && isfinite(length);
  out[0] = good ? (float)(x / length) : 0;
  out[1] = good ? (float)(y / length) : 0;
  out[2] = good ? (float)(z / length) : 0;
  out[3] = good ? (float)(w / length) : 1;
}

static bool is_animated(const glb_writer *w, const struct aiNode *n)
{
  for (unsigned a = 0; a < w->scene->mNumAnimations; ++a)
    for (unsigned c = 0; c < w->scene->mAnimations[a]->mNumChannels; ++c)
      if (strcmp(w->scene->mAnimations[a]->mChannels[c]->mNodeName.data, n->mName.data) == 0) return true;
  return false;
}

static void add_placement(glb_writer *w, const struct aiNode *n)
{
  glb_text *g = &w->nodes_text;
  const struct aiMatrix4x4 *m = &n->mTransformation;
  if (is_animated(w, n)) {
    struct aiVector3D scale, at;
    struct aiQuaternion turn;
    float unit[4];
    aiDecomposeMatrix(m, &scale, &turn, &at);
    glb_turn(&turn, unit);
    glb_add(g, ",\"translation\":[%.9g,%.9g,%.9g]", (double)at.x, (double)at.y, (double)at.z);
    glb_add(g, ",\"rotation\":[%.9g,%.9g,%.9g,%.9g]", (double)unit[0], (double)unit[1], (double)unit[2],
            (double)unit[3]);
    glb_add(g, ",\"scale\":[%.9g,%.9g,%.9g]", (double)scale.x, (double)scale.y, (double)scale.z);
    return;
  }
  const float *row[4] = {&m->a1, &m->b1, &m->c1, &m->d1};
  glb_add(g, ",\"matrix\":[");
  for (int k = 0; k < 4; ++k)
    for (int i = 0; i < 4; ++i) {
      glb_comma(g);
      glb_add(g, "%.9g", i == 3 ? (k == 3 ? 1.0 : 0.0) : (double)row[i][k]);
    }
  glb_add(g, "]");
}

/* ------------------------------------------------------------------------------------ meshes -- */

/* Bones of all meshes of a node, by name. */
typedef struct skin {
  const struct aiBone **bones;
  size_t count;
} skin;

static size_t bone_of(const skin *s, const struct aiBone *bone)
{
  size_t i = 0;
  while (i < s->count && strcmp(s->bones[i]->mName.data, bone->mName.data) != 0) ++i;
  return i;
}

static bool collect_bones(const glb_writer *w, const struct aiNode *n, skin *s)
{
  size_t most = 0;
  for (unsigned i = 0; i < n->mNumMeshes; ++i) most += w->scene->mMeshes[n->mMeshes[i]]->mNumBones;
  s->bones = calloc(most + 1, sizeof *s->bones);
  for (unsigned i = 0; s->bones && i < n->mNumMeshes; ++i) {
    const struct aiMesh *mesh = w->scene->mMeshes[n->mMeshes[i]];
    for (unsigned b = 0; b < mesh->mNumBones; ++b)
      if (glb_node_named(w, &mesh->mBones[b]->mName) != SIZE_MAX && bone_of(s, mesh->mBones[b]) == s->count)
        s->bones[s->count++] = mesh->mBones[b];
  }
  return s->bones != NULL;
}

static void add_skin(glb_writer *w, const skin *s)
{
  float *inverse = malloc((16 * s->count + 1) * sizeof *inverse);
  if (!inverse) {
    w->bin.failed = true;
    return;
  }
  glb_comma(&w->skins);
  glb_add(&w->skins, "{\"joints\":[");
  for (size_t i = 0; i < s->count; ++i) {
    const struct aiMatrix4x4 *m = &s->bones[i]->mOffsetMatrix;
    const float *row[4] = {&m->a1, &m->b1, &m->c1, &m->d1};
    for (size_t k = 0; k < 16; ++k) inverse[16 * i + k] = row[k % 4][k / 4];
    glb_comma(&w->skins);
    glb_add(&w->skins, "%zu", glb_node_named(w, &s->bones[i]->mName));
  }
  glb_add(&w->skins, "],\"inverseBindMatrices\":%zu}", glb_add_floats(w, inverse, s->count, "MAT4", 16));
  free(inverse);
  ++w->skin_count;
}

/* JOINTS_n and WEIGHTS_n, as many of four as a vertex has bones. */
static void add_influences(glb_writer *w, const struct aiMesh *mesh, const skin *s)
{
  size_t vertices = mesh->mNumVertices, most = 0;
  uint32_t *count = calloc(vertices + 1, sizeof *count);
  for (unsigned b = 0; count && b < mesh->mNumBones; ++b)
    for (unsigned i = 0; i < mesh->mBones[b]->mNumWeights; ++i) {
      unsigned v = mesh->mBones[b]->mWeights[i].mVertexId;
      if (v < vertices && ++count[v] > most) most = count[v];
    }
  size_t sets = (most + 3) / 4;
  uint16_t *joints = calloc(4 * sets * vertices + 1, sizeof *joints);
  float *weights = calloc(4 * sets * vertices + 1, sizeof *weights);
  if (!count || !joints || !weights) w->bin.failed = true;
  if (!w->bin.failed) memset(count, 0, vertices * sizeof *count);
  for (unsigned b = 0; !w->bin.failed && b < mesh->mNumBones; ++b) {
    size_t joint = bone_of(s, mesh->mBones[b]);
    for (unsigned i = 0; joint < s->count && i < mesh->mBones[b]->mNumWeights; ++i) {
      unsigned v = mesh->mBones[b]->mWeights[i].mVertexId;
      if (v >= vertices) continue;
      size_t at = 4 * (count[v] / 4 * vertices + v) + count[v] % 4;
      joints[at] = (uint16_t)joint;
      weights[at] = mesh->mBones[b]->mWeights[i].mWeight;
      ++count[v];
    }
  }
  for (size_t set = 0; !w->bin.failed && set < sets; ++set) {
    size_t at = 4 * set * vertices;
    size_t first = add_accessor(w, joints + at, vertices, 8, USHORT, "VEC4");
    size_t second = glb_add_floats(w, weights + at, vertices, "VEC4", 4);
    glb_add(&w->meshes, ",\"JOINTS_%zu\":%zu,\"WEIGHTS_%zu\":%zu", set, first, set, second);
  }
  free(count);
  free(joints);
  free(weights);
}

static void add_targets(glb_writer *w, const struct aiMesh *mesh)
{
  float *delta = malloc((3 * (size_t)mesh->mNumVertices + 1) * sizeof *delta);
  if (!delta) w->bin.failed = true;
  glb_add(&w->meshes, ",\"targets\":[");
  for (unsigned t = 0; delta && t < mesh->mNumAnimMeshes; ++t) {
    const struct aiVector3D *to = mesh->mAnimMeshes[t]->mVertices, *from = mesh->mVertices;
    for (size_t v = 0; v < mesh->mNumVertices; ++v) {
      delta[3 * v] = to ? to[v].x - from[v].x : 0;
      delta[3 * v + 1] = to ? to[v].y - from[v].y : 0;
      delta[3 * v + 2] = to ? to[v].z - from[v].z : 0;
    }
    glb_comma(&w->meshes);
    glb_add(&w->meshes, "{\"POSITION\":%zu}", glb_add_floats(w, delta, mesh->mNumVertices, "VEC3", 3));
  }
  glb_add(&w->meshes, "]");
  free(delta);
}

static void add_primitive(glb_writer *w, const struct aiMesh *mesh, const skin *s, bool morphs)
{
  size_t count = 0;
  uint32_t *corners = malloc((3 * (size_t)mesh->mNumFaces + 1) * sizeof *corners);
  for (unsigned f = 0; corners && f < mesh->mNumFaces; ++f)
    for (unsigned k = 0; mesh->mFaces[f].mNumIndices == 3 && k < 3; ++k) corners[count++] = mesh->mFaces[f].mIndices[k];
  if (!corners) w->bin.failed = true;
  if (corners && count) {
    glb_comma(&w->meshes);
    glb_add(&w->meshes, "{\"material\":%u,\"indices\":%zu,\"attributes\":{\"POSITION\":%zu", mesh->mMaterialIndex,
            add_accessor(w, corners, count, sizeof *corners, UINT, "SCALAR"),
            glb_add_floats(w, &mesh->mVertices->x, mesh->mNumVertices, "VEC3", 3));
    if (s->count) add_influences(w, mesh, s);
    glb_add(&w->meshes, "}");
    if (morphs) add_targets(w, mesh);
    glb_add(&w->meshes, "}");
  }
  free(corners);
}

static bool has_faces(const struct aiMesh *mesh)
{
  for (unsigned f = 0; f < mesh->mNumFaces; ++f)
    if (mesh->mFaces[f].mNumIndices == 3) return true;
  return false;
}

/* How many morph targets all meshes of a node have; 0: not the same number. */
unsigned glb_targets_of(const glb_writer *w, const struct aiNode *n)
{
  unsigned count = n->mNumMeshes ? w->scene->mMeshes[n->mMeshes[0]]->mNumAnimMeshes : 0;
  for (unsigned i = 1; i < n->mNumMeshes; ++i)
    if (w->scene->mMeshes[n->mMeshes[i]]->mNumAnimMeshes != count) return 0;
  return count;
}

/* The mesh and the skin of a node, which names them. */
static void add_mesh(glb_writer *w, const struct aiNode *n)
{
  bool any = false;
  skin s = {0};
  for (unsigned i = 0; i < n->mNumMeshes; ++i) any = any || has_faces(w->scene->mMeshes[n->mMeshes[i]]);
  if (!any) return;
  if (!collect_bones(w, n, &s)) w->bin.failed = true;
  const unsigned targets = glb_targets_of(w, n);
  glb_comma(&w->meshes);
  glb_add(&w->meshes, "{\"name\":");
  glb_add_name(&w->meshes, &w->scene->mMeshes[n->mMeshes[0]]->mName);
  glb_add(&w->meshes, ",\"primitives\":[");
  for (unsigned i = 0; i < n->mNumMeshes && !w->bin.failed; ++i)
    add_primitive(w, w->scene->mMeshes[n->mMeshes[i]], &s, targets > 0);
  glb_add(&w->meshes, "]");
  if (targets) {
    const struct aiMesh *mesh = w->scene->mMeshes[n->mMeshes[0]];
    glb_add(&w->meshes, ",\"weights\":[");
    for (unsigned t = 0; t < targets; ++t) {
      glb_comma(&w->meshes);
      glb_add(&w->meshes, "%.9g", (double)mesh->mAnimMeshes[t]->mWeight);
    }
    glb_add(&w->meshes, "]");
  }
  glb_add(&w->meshes, "}");
  glb_add(&w->nodes_text, ",\"mesh\":%zu", w->mesh_count++);
  if (s.count && !w->bin.failed) {
    glb_add(&w->nodes_text, ",\"skin\":%zu", w->skin_count);
    add_skin(w, &s);
  }
  free(s.bones);
}

static void add_nodes(glb_writer *w)
{
  size_t next = 1;
  glb_text *g = &w->nodes_text;
  for (size_t i = 0; i < w->node_count; ++i) {
    const struct aiNode *n = w->nodes[i];
    glb_comma(g);
    glb_add(g, "{\"name\":");
    glb_add_name(g, &n->mName);
    add_placement(w, n);
    if (n->mNumChildren) glb_add(g, ",\"children\":[");
    next = i + 1;
    for (unsigned k = 0; k < n->mNumChildren; ++k) {
      glb_comma(g);
      glb_add(g, "%zu", next);
      next += count_nodes(n->mChildren[k]);
    }
    if (n->mNumChildren) glb_add(g, "]");
    add_mesh(w, n);
    glb_add(g, "}");
  }
}

/* ------------------------------------------------------------------------------------- whole -- */

static void add_list(glb_text *g, const char *key, const glb_text *list)
{
  if (!list->count) return;
  glb_add(g, ",\"%s\":[", key);
  glb_add_bytes(g, list->data, list->count);
  glb_add(g, "]");
}

static void add_materials(glb_text *g, const struct aiScene *scene)
{
  if (!scene->mNumMaterials) return;
  glb_add(g, ",\"materials\":[");
  for (unsigned i = 0; i < scene->mNumMaterials; ++i) {
    struct aiString name = {0};
    if (aiGetMaterialString(scene->mMaterials[i], AI_MATKEY_NAME, &name) != aiReturn_SUCCESS) name.length = 0;
    glb_comma(g);
    glb_add(g, "{\"name\":");
    glb_add_name(g, &name);
    glb_add(g, "}");
  }
  glb_add(g, "]");
}

static void put_word(char *at, size_t value)
{
  for (int i = 0; i < 4; ++i) at[i] = (char)(value >> 8 * i);
}

/* Head, JSON and binary chunk. */
static void join(glb_text *out, glb_text *json, const glb_text *bin)
{
  while (json->count % 4) glb_add_bytes(json, " ", 1);
  char head[20] = "glTF", chunk[8] = {0};
  put_word(head + 4, 2);
  put_word(head + 8, 12 + 8 + json->count + 8 + bin->count);
  put_word(head + 12, json->count);
  memcpy(head + 16, "JSON", 4);
  put_word(chunk, bin->count);
  memcpy(chunk + 4, "BIN", 4);
  glb_add_bytes(out, head, sizeof head);
  glb_add_bytes(out, json->data, json->count);
  glb_add_bytes(out, chunk, sizeof chunk);
  glb_add_bytes(out, bin->data, bin->count);
}

static void write_whole(glb_writer *w, glb_text *out)
{
  glb_text json = {0};
  glb_add(&json, "{\"asset\":{\"version\":\"2.0\"},\"scene\":0,\"scenes\":[{\"nodes\":[%zu]}]", w->node_count);
  glb_add(&json, ",\"buffers\":[{\"byteLength\":%zu}]", w->bin.count);
  add_list(&json, "bufferViews", &w->views);
  add_list(&json, "accessors", &w->accessors);
  add_list(&json, "meshes", &w->meshes);
  add_list(&json, "skins", &w->skins);
  add_list(&json, "animations", &w->animations);
  add_list(&json, "nodes", &w->nodes_text);
  add_materials(&json, w->scene);
  glb_add(&json, "}");
  const glb_text *parts[] = {&w->bin,   &w->accessors,  &w->views,      &w->meshes,
                             &w->skins, &w->animations, &w->nodes_text, &json};
  for (size_t i = 0; i < sizeof parts / sizeof *parts; ++i) out->failed = out->failed || parts[i]->failed;
  out->failed = out->failed || w->bin.count > UINT32_MAX - ((size_t)1 << 30);
  if (!out->failed) join(out, &json, &w->bin);
  free(json.data);
}

bool assimp_write_glb(const struct aiScene *scene, double unit, char **data, size_t *size)
{
  glb_writer w = {.scene = scene};
  glb_text out = {0};
  w.nodes = calloc(count_nodes(scene->mRootNode), sizeof *w.nodes);
  if (w.nodes) {
    list_nodes(&w, scene->mRootNode);
    add_nodes(&w);
    glb_add(&w.nodes_text, ",{\"children\":[0],\"scale\":[%.17g,%.17g,%.17g]}", unit, unit, unit);
    for (unsigned i = 0; i < scene->mNumAnimations && !w.bin.failed; ++i) glb_add_animation(&w, scene->mAnimations[i]);
    write_whole(&w, &out);
  }
  glb_text *parts[] = {&w.bin, &w.accessors, &w.views, &w.meshes, &w.skins, &w.animations, &w.nodes_text};
  for (size_t i = 0; i < sizeof parts / sizeof *parts; ++i) free(parts[i]->data);
  free(w.nodes);
  *data = out.data;
  *size = out.count;
  return out.data && !out.failed;
}
#else
typedef int assimp_glb_none; /* a file must not be empty */
#endif
