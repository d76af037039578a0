/* Skins: joints and inverse bind matrices of the skins that the scene's nodes have, and the
 * weights of their meshes. A body with a skin has bones: bone 0 is its own node, bone k + 1
 * joint k. Vertices follow their node where the file gives them no joints, and so do weights of
 * joints that the skin does not have: what a file does not say is left out, the rest is used.
 * Weights are normalised in double. Every joint is evaluated, in the scene or not, with all
 * nodes above it. */
#include "io/gltf_inside.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ------------------------------------------------------------------------------------ joints -- */

static bool read_joints(gltf_document *d, const char *where, const gltf_value *value, gltf_skin *skin)
{
  bool ok = true;
  const gltf_value *list = gltf_list(d, where, value, "joints", &ok);
  if (!ok) return false;
  skin->joint_count = gltf_json_length(list);
  if (skin->joint_count == 0) return gltf_fail(d, "%s has no joints", where);
  skin->joints = gltf_allocate(d, skin->joint_count, sizeof *skin->joints);
  for (size_t i = 0; skin->joints && i < skin->joint_count; ++i) {
    const gltf_value *item = gltf_json_item(list, i);
    double node = gltf_json_kind(item) == GLTF_NUMBER ? gltf_json_number(item) : -1;
    if (!(node >= 0 && node < (double)d->scene->node_count && node == floor(node)))
      return gltf_fail(d, "%s: joint %zu is not one of the %zu nodes", where, i, d->scene->node_count);
    skin->joints[i] = (uint32_t)node;
  }
  return skin->joints != NULL;
}

/* From columns; the last row must be 0 0 0 1, up to what exporters lose in float. */
static bool take_matrix(gltf_document *d, const char *where, size_t joint, const double *m, gltf_transform *out)
{
  const double slack = 1e-4;
  if (fabs(m[3]) > slack || fabs(m[7]) > slack || fabs(m[11]) > slack || fabs(m[15] - 1) > slack)
    return gltf_fail(d, "%s: the last row of the inverse bind matrix of joint %zu is not 0 0 0 1", where, joint);
  for (int i = 0; i < 3; ++i) {
    for (int k = 0; k < 3; ++k) out->m[i][k] = m[4 * k + i];
    out->t[i] = m[12 + i];
  }
  return true;
}

static bool read_inverses(gltf_document *d, const char *where, const gltf_value *value, gltf_skin *skin)
{
  uint64_t index;
  if (!gltf_index(d, where, value, "inverseBindMatrices", GLTF_NONE, gltf_json_length(d->accessors), &index))
    return false;
  skin->inverse = gltf_unfold(d, skin->joint_count, sizeof *skin->inverse);
  if (!skin->inverse) return false;
  const double identity[10] = {[6] = 1, [7] = 1, [8] = 1, [9] = 1};
  for (size_t i = 0; i < skin->joint_count; ++i) skin->inverse[i] = gltf_transform_of(identity);
  if (index == GLTF_NONE) return true;
  gltf_accessor a;
  if (!gltf_accessor_open_matrices(d, index, &a)) return false;
  if (a.count < skin->joint_count)
    return gltf_fail(d, "%s has %zu joints and %llu inverse bind matrices", where, skin->joint_count,
                     (unsigned long long)a.count);
  double *all = gltf_unfold(d, a.count, 16 * sizeof *all);
  bool ok = all && gltf_accessor_doubles(d, &a, all);
  for (size_t i = 0; ok && i < skin->joint_count; ++i) ok = take_matrix(d, where, i, all + 16 * i, &skin->inverse[i]);
  free(all);
  return ok;
}

static bool read_skin(gltf_document *d, size_t index)
{
  gltf_skin *skin = &d->scene->skins[index];
  if (skin->joints) return true;
  gltf_place where = gltf_at("skin %zu", index);
  const gltf_value *value = gltf_object(d, d->skins, "skin", index);
  return value && read_joints(d, where.text, value, skin) && read_inverses(d, where.text, value, skin);
}

/* Puts a node behind the order of evaluation, after those above it that are not there yet. */
static void add_path(gltf_scene *s, uint32_t node)
{
  uint32_t count = 0;
  for (uint32_t n = node; n != GLTF_NO_NODE && !s->nodes[n].is_evaluated; n = s->nodes[n].parent) ++count;
  s->order_count += count;
  size_t at = s->order_count;
  for (uint32_t n = node; count > 0; --count, n = s->nodes[n].parent) {
    s->nodes[n].is_evaluated = true;
    s->order[--at] = n;
  }
}

bool gltf_read_skins(gltf_document *d)
{
  gltf_scene *s = d->scene;
  s->skins = gltf_allocate(d, gltf_json_length(d->skins), sizeof *s->skins);
  if (!s->skins) return false;
  s->skin_count = gltf_json_length(d->skins);
  size_t in_scene = s->order_count;
  for (size_t i = 0; i < in_scene; ++i) s->nodes[s->order[i]].is_evaluated = true;
  for (size_t i = 0; i < in_scene; ++i) {
    gltf_node *node = &s->nodes[s->order[i]];
    if (node->mesh == GLTF_NO_NODE) node->skin = GLTF_NO_NODE;
    if (node->skin == GLTF_NO_NODE) continue;
    if (!read_skin(d, node->skin)) return false;
    s->meshes[node->mesh].has_skin = true;
    const gltf_skin *skin = &s->skins[node->skin];
    for (size_t k = 0; k < skin->joint_count; ++k) add_path(s, skin->joints[k]);
  }
  return true;
}

/* ----------------------------------------------------------------------------------- weights -- */

/* The accessor of JOINTS_n or WEIGHTS_n. false: there is none that can be used. */
static bool find_set(const gltf_document *d, const gltf_value *attributes, const char *name, size_t set, uint64_t *out)
{
  char key[32];
  snprintf(key, sizeof key, "%s_%zu", name, set);
  const gltf_value *value = gltf_json_member(attributes, key);
  double index = gltf_json_kind(value) == GLTF_NUMBER ? gltf_json_number(value) : -1;
  if (!(index >= 0 && index < (double)gltf_json_length(d->accessors) && index == floor(index))) return false;
  *out = (uint64_t)index;
  return true;
}

size_t gltf_influence_sets(const gltf_document *d, const gltf_value *attributes)
{
  uint64_t joints, weights;
  size_t count = 0;
  while (find_set(d, attributes, "JOINTS", count, &joints) && find_set(d, attributes, "WEIGHTS", count, &weights))
    ++count;
  return count;
}

bool gltf_same_influences(const gltf_document *d, const gltf_value *a, const gltf_value *b)
{
  size_t sets = gltf_influence_sets(d, a);
  if (sets != gltf_influence_sets(d, b)) return false;
  for (size_t i = 0; i < sets; ++i) {
    uint64_t x[2] = {0}, y[2] = {0};
    find_set(d, a, "JOINTS", i, &x[0]);
    find_set(d, a, "WEIGHTS", i, &x[1]);
    find_set(d, b, "JOINTS", i, &y[0]);
    find_set(d, b, "WEIGHTS", i, &y[1]);
    if (x[0] != y[0] || x[1] != y[1]) return false;
  }
  return true;
}

static bool open_set(gltf_document *d, const char *where, const char *name, size_t set, uint64_t index, uint64_t count,
                     gltf_accessor *out)
{
  if (!gltf_accessor_open(d, index, out)) return false;
  if (out->components != 4)
    return gltf_fail(d, "%s: its %s_%zu (accessor %llu) are not VEC4", where, name, set, (unsigned long long)index);
  if (out->count != count)
    return gltf_fail(d, "%s: its %s_%zu (accessor %llu) are %llu for %llu vertices", where, name, set,
                     (unsigned long long)index, (unsigned long long)out->count, (unsigned long long)count);
  return true;
}

/* Four more columns of the table. */
static bool read_set(gltf_document *d, const char *where, const gltf_value *attributes, size_t set, uint64_t first,
                     uint64_t count, gltf_mesh *mesh)
{
  enum { MOST_JOINT = 65535 };
  uint64_t index[2];
  gltf_accessor joints, weights;
  if (!find_set(d, attributes, "JOINTS", set, &index[0]) || !find_set(d, attributes, "WEIGHTS", set, &index[1]) ||
      !open_set(d, where, "JOINTS", set, index[0], count, &joints) ||
      !open_set(d, where, "WEIGHTS", set, index[1], count, &weights))
    return false;
  double *values = gltf_unfold(d, 2 * count, 4 * sizeof *values), *w = values ? values + 4 * count : NULL;
  bool ok = values && gltf_accessor_doubles(d, &joints, values) && gltf_accessor_doubles(d, &weights, w);
  for (uint64_t v = 0; ok && v < count; ++v)
    for (size_t k = 0; k < 4; ++k) {
      size_t to = ((size_t)(first + v)) * mesh->influences + 4 * set + k;
      double joint = values[4 * v + k], weight = w[4 * v + k];
      bool is_joint = joint >= 0 && joint <= MOST_JOINT && joint == floor(joint);
      if (weight == 0) continue;
      d->weights_left_out += weight < 0 || !is_joint;
      if (!(weight > 0) || !is_joint) continue;
      mesh->joints[to] = (uint32_t)joint + 1;
      mesh->joint_weights[to] = weight;
    }
  free(values);
  return ok;
}

/* Sums of 1, to the last bits of double; vertices without any weight follow their node. */
static void normalise(gltf_document *d, gltf_mesh *mesh, uint64_t first, uint64_t count)
{
  for (uint64_t v = first; v < first + count; ++v) {
    double *w = mesh->joint_weights + (size_t)v * mesh->influences, sum = 0;
    for (size_t k = 0; k < mesh->influences; ++k) sum += w[k];
    if (!(sum > 0) || isinf(sum)) {
      ++d->vertices_not_skinned;
      memset(w, 0, mesh->influences * sizeof *w);
      mesh->joints[(size_t)v * mesh->influences] = 0;
      w[0] = sum = 1;
    }
    for (size_t k = 0; k < mesh->influences; ++k) {
      w[k] /= sum;
      uint32_t joint = mesh->joints[(size_t)v * mesh->influences + k];
      if (w[k] > 0 && joint > mesh->bones) mesh->bones = joint;
    }
  }
}

bool gltf_read_influences(gltf_document *d, const char *where, const gltf_value *attributes, uint64_t first,
                          uint64_t count, gltf_mesh *mesh)
{
  size_t sets = gltf_influence_sets(d, attributes);
  for (size_t i = 0; i < sets; ++i)
    if (!read_set(d, where, attributes, i, first, count, mesh)) return false;
  normalise(d, mesh, first, count);
  return true;
}

/* ------------------------------------------------------------------------------------ bodies -- */

bool gltf_make_bones(gltf_document *d)
{
  gltf_scene *s = d->scene;
  uint64_t all = 0;
  s->first_bone = gltf_allocate(d, s->body_count, sizeof *s->first_bone);
  if (!s->first_bone) return false;
  for (size_t i = 0; i < s->body_count; ++i) {
    gltf_body *body = &s->bodies[i];
    uint32_t skin = s->nodes[body->node].skin;
    s->first_bone[i] = (size_t)all;
    if (skin == GLTF_NO_NODE) continue;
    size_t joints = s->skins[skin].joint_count, named = body->mesh->bones;
    if (named > joints) d->joints_missing += named - joints;
    body->has_skin = true;
    body->bone_count = 1 + (named > joints ? named : joints);
    all += body->bone_count;
    if (!gltf_charge(d, body->bone_count, sizeof(gltf_transform))) return false;
  }
  s->bone_count = (size_t)all;
  return true;
}

void gltf_pose_make_bones(const gltf_scene *s, const gltf_transform *world, gltf_transform *bones)
{
  for (size_t i = 0; i < s->body_count; ++i) {
    const gltf_body *body = &s->bodies[i];
    if (!body->has_skin) continue;
    const gltf_skin *skin = &s->skins[s->nodes[body->node].skin];
    gltf_transform *to = bones + s->first_bone[i];
    for (size_t k = 0; k < body->bone_count; ++k) {
      bool joint = k > 0 && k <= skin->joint_count;
      to[k] = joint ? gltf_transform_product(&world[skin->joints[k - 1]], &skin->inverse[k - 1]) : world[body->node];
    }
  }
}

void gltf_skin_point(const gltf_mesh *mesh, const gltf_transform *bones, size_t vertex, double xyz[3])
{
  double p[3] = {xyz[0], xyz[1], xyz[2]}, q[3] = {0, 0, 0};
  const uint32_t *joint = mesh->joints + vertex * mesh->influences;
  const double *w = mesh->joint_weights + vertex * mesh->influences;
  for (size_t k = 0; k < mesh->influences; ++k) {
    if (w[k] == 0) continue;
    const gltf_transform *t = &bones[joint[k]];
    for (int i = 0; i < 3; ++i) q[i] += w[k] * (t->m[i][0] * p[0] + t->m[i][1] * p[1] + t->m[i][2] * p[2] + t->t[i]);
  }
  for (int i = 0; i < 3; ++i) xyz[i] = q[i];
}
