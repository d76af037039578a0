/* Animations: keys of the nodes of the scene, and which bodies they move. */
#include "io/gltf_inside.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static bool read_interpolation(gltf_document *d, const char *where, const gltf_value *value, gltf_interpolation *out)
{
  static const char *const names[] = {"STEP", "LINEAR", "CUBICSPLINE"};
  const char *name = gltf_json_member(value, "interpolation") ? gltf_text_of(value, "interpolation") : "LINEAR";
  for (int i = 0; i < 3; ++i)
    if (strcmp(name, names[i]) == 0) {
      *out = (gltf_interpolation)i;
      return true;
    }
  return gltf_fail(d, "%s: interpolation '%s' is unknown", where, gltf_shown(name).text);
}

static bool read_times(gltf_document *d, const char *where, uint64_t accessor, gltf_sampler *s)
{
  gltf_accessor a;
  if (!gltf_accessor_open(d, accessor, &a)) return false;
  if (a.type != GLTF_F32 || a.components != 1)
    return gltf_fail(d, "%s: its times (accessor %llu) are not single floats", where, (unsigned long long)accessor);
  s->times = gltf_unfold(d, a.count, sizeof *s->times);
  if (!s->times || !gltf_accessor_floats(d, &a, s->times)) return false;
  for (uint64_t i = 0; i < a.count; ++i)
    if (i ? s->times[i] <= s->times[i - 1] : s->times[i] < 0)
      return gltf_fail(d, "%s: time %llu is %g; times must ascend from 0 or more", where, (unsigned long long)i,
                       (double)s->times[i]);
  s->keys = (size_t)a.count;
  return true;
}

/* Returns whether the value ever changes. Tangents count, unless they are all 0. */
static bool has_change(const gltf_sampler *s)
{
  size_t parts = s->interpolation == GLTF_CUBIC ? 3 : 1, n = s->width;
  const double *first = s->values + (parts == 3 ? n : 0);
  for (size_t k = 0; k < s->keys; ++k) {
    const double *at = s->values + k * parts * n;
    for (size_t i = 0; i < parts * n; ++i)
      if (at[i] != (parts == 1 || i / n == 1 ? first[i % n] : 0)) return true;
  }
  return false;
}

static bool read_values(gltf_document *d, const char *where, uint64_t accessor, gltf_sampler *s)
{
  gltf_accessor a;
  if (!gltf_accessor_open(d, accessor, &a)) return false;
  if (a.type != GLTF_F32 && !a.normalized)
    return gltf_fail(d, "%s: its values (accessor %llu) are neither floats nor normalised integers", where,
                     (unsigned long long)accessor);
  uint64_t all = a.count * (uint64_t)a.components, each = s->keys * (s->interpolation == GLTF_CUBIC ? 3u : 1u);
  if (all % each != 0)
    return gltf_fail(d, "%s: %llu values do not go into %zu keys", where, (unsigned long long)a.count, s->keys);
  s->width = (size_t)(all / each);
  s->components = a.components;
  s->values = gltf_unfold(d, all, sizeof *s->values);
  if (!s->values || !gltf_accessor_doubles(d, &a, s->values)) return false;
  s->varies = has_change(s);
  return true;
}

static bool read_sampler(gltf_document *d, const char *where, const gltf_value *value, gltf_sampler *s)
{
  uint64_t input, output;
  size_t accessors = gltf_json_length(d->accessors);
  if (s->keys) return true;
  return gltf_index(d, where, value, "input", GLTF_REQUIRED, accessors, &input) &&
         gltf_index(d, where, value, "output", GLTF_REQUIRED, accessors, &output) &&
         read_interpolation(d, where, value, &s->interpolation) && read_times(d, where, input, s) &&
         read_values(d, where, output, s);
}

/* ---------------------------------------------------------------------------------- channels -- */

/* *skip: a path of an extension, to be left out. */
static bool read_path(gltf_document *d, const char *where, const gltf_value *target, gltf_path *out, bool *skip)
{
  static const char *const names[] = {"translation", "rotation", "scale", "weights"};
  const char *name = gltf_text_of(target, "path");
  for (int i = 0; i < 4; ++i)
    if (strcmp(name, names[i]) == 0) {
      *out = (gltf_path)i;
      return true;
    }
  *skip = strcmp(name, "pointer") == 0; /* KHR_animation_pointer: colours, lights and the like */
  d->pointers_left_out += *skip;
  return *skip || gltf_fail(d, "%s: path '%s' is unknown", where, gltf_shown(name).text);
}

static bool check_rotations(gltf_document *d, const char *where, const gltf_sampler *s)
{
  size_t parts = s->interpolation == GLTF_CUBIC ? 3 : 1;
  for (size_t k = 0; k < s->keys; ++k) {
    const double *q = s->values + 4 * (k * parts + parts / 2);
    double square = 0;
    for (int i = 0; i < 4; ++i) square += (double)q[i] * q[i];
    if (!(square > 0.81 && square < 1.21))
      return gltf_fail(d, "%s: the rotation of key %zu is not a unit quaternion", where, k);
  }
  return true;
}

static bool check_values(gltf_document *d, const char *where, const gltf_channel *c)
{
  const gltf_sampler *s = c->sampler;
  const gltf_node *node = &d->scene->nodes[c->node];
  size_t targets = node->mesh == GLTF_NO_NODE ? 0 : d->scene->meshes[node->mesh].mesh.target_count;
  int components = c->path == GLTF_WEIGHTS ? 1 : c->path == GLTF_ROTATION ? 4 : 3;
  size_t width = c->path == GLTF_WEIGHTS ? targets : (size_t)components;
  if (c->path == GLTF_WEIGHTS && targets == 0)
    return gltf_fail(d, "%s: node %u has no morph targets to weigh", where, c->node);
  if (c->path != GLTF_WEIGHTS && node->has_matrix)
    return gltf_fail(d, "%s: node %u has a matrix, which glTF does not let an animation change", where, c->node);
  if (s->components != components || s->width != width)
    return gltf_fail(d, "%s: a key has %zu numbers, and node %u needs %zu", where, s->width, c->node, width);
  return c->path == GLTF_ROTATION ? check_rotations(d, where, s) : true;
}

/* Returns whether the scene contains what the channel changes. A joint out of the scene moves
 * bodies, but its own mesh is not read. */
static bool is_shown(const gltf_scene *s, size_t node, gltf_path path)
{
  uint32_t mesh = s->nodes[node].mesh;
  bool no_mesh = path == GLTF_WEIGHTS && mesh != GLTF_NO_NODE && !s->meshes[mesh].is_read;
  return s->nodes[node].is_evaluated && !no_mesh;
}

/* Adds the channel unless the scene does not show it. */
static bool read_channel(gltf_document *d, const char *where, const gltf_value *animation, const gltf_value *value,
                         gltf_animation *out)
{
  const gltf_value *target = gltf_json_member(value, "target");
  gltf_channel c = {0};
  uint64_t sampler, node;
  bool skip = false;
  if (gltf_json_kind(target) != GLTF_OBJECT) return gltf_fail(d, "%s has no target", where);
  if (!read_path(d, where, target, &c.path, &skip)) return false;
  if (skip) return true;
  if (!gltf_index(d, where, value, "sampler", GLTF_REQUIRED, out->sampler_count, &sampler) ||
      !gltf_index(d, where, target, "node", GLTF_NONE, d->scene->node_count, &node))
    return false;
  if (node == GLTF_NONE || !is_shown(d->scene, (size_t)node, c.path)) return true;
  gltf_sampler *s = &out->samplers[sampler];
  const gltf_value *json = gltf_json_item(gltf_json_member(animation, "samplers"), (size_t)sampler);
  if (!read_sampler(d, where, json, s)) return false;
  c.sampler = s;
  c.node = (uint32_t)node;
  out->duration = fmax(out->duration, (double)s->times[s->keys - 1]);
  out->channels[out->channel_count++] = c;
  return check_values(d, where, &c);
}

static int compare_channels(const void *a, const void *b)
{
  const gltf_channel *x = a, *y = b;
  int order = (x->node > y->node) - (x->node < y->node);
  return order ? order : (x->path > y->path) - (x->path < y->path);
}

/* In one animation a property has one channel at most, so that their order does not matter. */
static bool sort_channels(gltf_document *d, size_t index, gltf_animation *a)
{
  qsort(a->channels, a->channel_count, sizeof *a->channels, compare_channels);
  for (size_t i = 1; i < a->channel_count; ++i)
    if (compare_channels(&a->channels[i - 1], &a->channels[i]) == 0)
      return gltf_fail(d, "animation %zu moves node %u twice in the same way", index, a->channels[i].node);
  return true;
}

static bool read_animation(gltf_document *d, size_t index, gltf_animation *out)
{
  gltf_place where = gltf_at("animation %zu", index);
  const gltf_value *value = gltf_object(d, d->animations, "animation", index);
  bool ok = value != NULL;
  const gltf_value *channels = ok ? gltf_list(d, where.text, value, "channels", &ok) : NULL;
  const gltf_value *samplers = ok ? gltf_list(d, where.text, value, "samplers", &ok) : NULL;
  if (!ok) return false;
  const char *name = gltf_text_of(value, "name");
  out->name = gltf_copy_text(d, *name ? name : where.text);
  out->samplers = gltf_allocate(d, gltf_json_length(samplers), sizeof *out->samplers);
  out->channels = gltf_allocate(d, gltf_json_length(channels), sizeof *out->channels);
  if (!out->name || !out->samplers || !out->channels) return false;
  out->sampler_count = gltf_json_length(samplers);
  for (size_t i = 0; i < gltf_json_length(channels); ++i) {
    gltf_place at = gltf_at("animation %zu, channel %zu", index, i);
    if (!read_channel(d, at.text, value, gltf_json_item(channels, i), out)) return false;
  }
  return sort_channels(d, index, out);
}

/* ------------------------------------------------------------------------------------ motion -- */

/* Returns whether a joint of the skin moves, or the node if some vertices follow it. */
static bool skin_bends(const gltf_scene *s, const gltf_body *body, const uint8_t *motion)
{
  const gltf_skin *skin = &s->skins[s->nodes[body->node].skin];
  bool bends = motion[body->node] & GLTF_MOVES;
  for (size_t k = 0; !bends && k < skin->joint_count; ++k) bends = motion[skin->joints[k]] & GLTF_MOVES;
  return bends;
}

/* What one animation changes: a node moves if it or one above it does. */
static bool mark_motion(gltf_document *d, const gltf_animation *a, uint8_t *motion)
{
  gltf_scene *s = d->scene;
  for (size_t i = 0; i < a->channel_count; ++i) {
    const gltf_channel *c = &a->channels[i];
    if (c->sampler->varies) motion[c->node] |= c->path == GLTF_WEIGHTS ? GLTF_MORPHS : GLTF_MOVES;
  }
  for (size_t i = 0; i < s->order_count; ++i) {
    uint32_t n = s->order[i];
    const gltf_node *node = &s->nodes[n];
    if (node->parent != GLTF_NO_NODE) motion[n] |= motion[node->parent] & GLTF_MOVES;
  }
  for (size_t i = 0; i < s->body_count; ++i) {
    gltf_body *body = &s->bodies[i];
    uint8_t *own = &motion[body->node];
    if (!gltf_charge(d, body->bone_count, 1)) return false;
    if (body->has_skin && skin_bends(s, body, motion)) *own |= GLTF_BENDS;
    body->moves |= (*own & (body->has_skin ? GLTF_BENDS : GLTF_MOVES)) != 0;
    body->morphs |= (*own & GLTF_MORPHS) != 0;
  }
  return true;
}

bool gltf_read_animations(gltf_document *d)
{
  gltf_scene *s = d->scene;
  size_t count = gltf_json_length(d->animations);
  s->animations = gltf_allocate(d, count, sizeof *s->animations);
  s->motion = gltf_unfold(d, (uint64_t)count * s->node_count, 1);
  if (!s->animations || !s->motion) return false;
  s->animation_count = count;
  for (size_t i = 0; i < count; ++i) {
    if (!read_animation(d, i, &s->animations[i])) return false;
    if (!mark_motion(d, &s->animations[i], s->motion + i * s->node_count)) return false;
  }
  return true;
}
