/* The animations of a scene of assimp as those of a glTF file; keys of nodes and of morph targets,
 * with straight lines between them. */
#if defined(PLIANT_HAVE_ASSIMP) && defined(PLIANT_HAVE_JANSSON)
#include "io/assimp_glb.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The channels of one animation while they are collected. */
typedef struct clip {
  glb_writer *w;
  glb_text samplers, channels;
  size_t count;
  double begin, rate; /* ticks */
} clip;

/* Keys of `width` numbers; of those at the same time in float the last one stays. */
static void add_channel(clip *c, size_t node, const char *path, double *times, float *values, size_t count,
                        size_t width)
{
  size_t kept = 0;
  float *seconds = malloc((count + 1) * sizeof *seconds);
  if (!seconds) c->w->bin.failed = true;
  for (size_t i = 0; seconds && i < count; ++i) {
    float at = (float)((times[i] - c->begin) / c->rate);
    if (!isfinite(at) || (kept && at < seconds[kept - 1])) continue;
    if (kept && at == seconds[kept - 1]) --kept;
    seconds[kept] = at;
    memmove(values + kept++ * width, values + i * width, width * sizeof *values);
  }
  if (kept) {
    static const char *const types[] = {"", "SCALAR", "", "VEC3", "VEC4"};
    bool weights = strcmp(path, "weights") == 0;
    size_t input = glb_add_floats(c->w, seconds, kept, "SCALAR", 1);
    size_t output = weights ? glb_add_floats(c->w, values, kept * width, "SCALAR", 1)
                            : glb_add_floats(c->w, values, kept, types[width], width);
    glb_comma(&c->samplers);
    glb_add(&c->samplers, "{\"input\":%zu,\"output\":%zu}", input, output);
    glb_comma(&c->channels);
    glb_add(&c->channels, "{\"sampler\":%zu,\"target\":{\"node\":%zu,\"path\":\"%s\"}}", c->count++, node, path);
  }
  free(seconds);
}

static void add_vectors(clip *c, size_t node, const char *path, const struct aiVectorKey *keys, unsigned count)
{
  double *times = malloc((count + 1) * sizeof *times);
  float *values = malloc((3 * (size_t)count + 1) * sizeof *values);
  if (!times || !values) c->w->bin.failed = true;
  for (size_t i = 0; times && values && i < count; ++i) {
    times[i] = keys[i].mTime;
    memcpy(values + 3 * i, (float[]){keys[i].mValue.x, keys[i].mValue.y, keys[i].mValue.z}, 3 * sizeof *values);
  }
  if (times && values) add_channel(c, node, path, times, values, count, 3);
  free(times);
  free(values);
}

static void add_turns(clip *c, size_t node, const struct aiQuatKey *keys, unsigned count)
{
  double *times = malloc((count + 1) * sizeof *times);
  float *values = malloc((4 * (size_t)count + 1) * sizeof *values);
  if (!times || !values) c->w->bin.failed = true;
  for (size_t i = 0; times && values && i < count; ++i) {
    times[i] = keys[i].mTime;
    glb_turn(&keys[i].mValue, values + 4 * i);
  }
  if (times && values) add_channel(c, node, "rotation", times, values, count, 4);
  free(times);
  free(values);
}

/* The node whose weights a channel sets: assimp names it after the node or the mesh, and "*0". */
static size_t node_of_morph(const glb_writer *w, const struct aiString *name)
{
  struct aiString plain = *name;
  plain.data[strcspn(plain.data, "*")] = '\0';
  size_t node = glb_node_named(w, &plain);
  for (size_t i = 0; node == SIZE_MAX && i < w->node_count; ++i)
    for (unsigned k = 0; k < w->nodes[i]->mNumMeshes; ++k)
      if (strcmp(w->scene->mMeshes[w->nodes[i]->mMeshes[k]]->mName.data, plain.data) == 0) node = i;
  return node;
}

static void add_morph(clip *c, const struct aiMeshMorphAnim *morph)
{
  size_t node = node_of_morph(c->w, &morph->mName), count = morph->mNumKeys;
  size_t targets = node == SIZE_MAX ? 0 : glb_targets_of(c->w, c->w->nodes[node]);
  double *times = malloc((count + 1) * sizeof *times);
  float *values = calloc(targets * count + 1, sizeof *values);
  if (!times || !values) c->w->bin.failed = true;
  for (size_t i = 0; times && values && i < count; ++i) {
    const struct aiMeshMorphKey *key = &morph->mKeys[i];
    times[i] = key->mTime;
    for (unsigned k = 0; k < key->mNumValuesAndWeights; ++k)
      if (key->mValues[k] < targets) values[targets * i + key->mValues[k]] = (float)key->mWeights[k];
  }
  if (times && values && targets) add_channel(c, node, "weights", times, values, count, targets);
  free(times);
  free(values);
}

/* Where an animation begins, if that is before 0. */
static double begin_of(const struct aiAnimation *a)
{
  double begin = 0;
  for (unsigned i = 0; i < a->mNumChannels; ++i) {
    const struct aiNodeAnim *n = a->mChannels[i];
    if (n->mNumPositionKeys) begin = fmin(begin, n->mPositionKeys[0].mTime);
    if (n->mNumRotationKeys) begin = fmin(begin, n->mRotationKeys[0].mTime);
    if (n->mNumScalingKeys) begin = fmin(begin, n->mScalingKeys[0].mTime);
  }
  return begin;
}

void glb_add_animation(glb_writer *w, const struct aiAnimation *a)
{
  clip c = {.w = w, .begin = begin_of(a), .rate = a->mTicksPerSecond > 0 ? a->mTicksPerSecond : 25};
  for (unsigned i = 0; i < a->mNumChannels; ++i) {
    const struct aiNodeAnim *n = a->mChannels[i];
    size_t node = glb_node_named(w, &n->mNodeName);
    if (node == SIZE_MAX) continue;
    add_vectors(&c, node, "translation", n->mPositionKeys, n->mNumPositionKeys);
    add_turns(&c, node, n->mRotationKeys, n->mNumRotationKeys);
    add_vectors(&c, node, "scale", n->mScalingKeys, n->mNumScalingKeys);
  }
  for (unsigned i = 0; i < a->mNumMorphMeshChannels; ++i) add_morph(&c, a->mMorphMeshChannels[i]);
  if (c.count) {
    glb_text *g = &w->animations;
    glb_comma(g);
    glb_add(g, "{\"name\":");
    glb_add_name(g, &a->mName);
    glb_add(g, ",\"samplers\":[");
    glb_add_bytes(g, c.samplers.data, c.samplers.count);
    glb_add(g, "],\"channels\":[");
    glb_add_bytes(g, c.channels.data, c.channels.count);
    glb_add(g, "]}");
    ++w->animation_count;
  }
  free(c.samplers.data);
  free(c.channels.data);
}
#else
typedef int assimp_keys_none; /* a file must not be empty */
#endif
