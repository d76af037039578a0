/* Nodes: transforms and the hierarchy, then the nodes of one scene with parents before children.
 * No recursion: a chain of a million nodes is only slow to draw. A node has one parent at most,
 * so what no root reaches is a cycle. */
#include "io/gltf_inside.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static bool read_matrix(gltf_document *d, const char *where, const gltf_value *value, gltf_node *node)
{
  double m[16]; /* columns */
  if (!gltf_numbers(d, where, value, "matrix", 16, m, &node->has_matrix)) return false;
  if (!node->has_matrix) return true;
  static const char *const others[] = {"translation", "rotation", "scale"};
  for (int i = 0; i < 3; ++i)
    if (gltf_json_member(value, others[i]))
      return gltf_fail(d, "%s has both a matrix and a %s; glTF allows one or the other", where, others[i]);
  const double slack = 1e-6; /* what exporters lose on the way through float */
  if (fabs(m[3]) > slack || fabs(m[7]) > slack || fabs(m[11]) > slack || fabs(m[15] - 1) > slack)
    return gltf_fail(d, "%s: the last row of its matrix is not 0 0 0 1", where);
  for (int i = 0; i < 3; ++i) {
    for (int k = 0; k < 3; ++k) node->local.m[i][k] = m[4 * k + i];
    node->local.t[i] = m[12 + i];
  }
  return true;
}

static bool read_trs(gltf_document *d, const char *where, const gltf_value *value, gltf_node *node)
{
  static const double identity[10] = {0, 0, 0, 0, 0, 0, 1, 1, 1, 1};
  bool there;
  memcpy(node->trs, identity, sizeof identity);
  if (!gltf_numbers(d, where, value, "translation", 3, node->trs, &there) ||
      !gltf_numbers(d, where, value, "rotation", 4, node->trs + 3, &there) ||
      !gltf_numbers(d, where, value, "scale", 3, node->trs + 7, &there))
    return false;
  double *q = node->trs + 3, length = sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
  if (!(length > 0.9 && length < 1.1)) return gltf_fail(d, "%s: its rotation is not a unit quaternion", where);
  for (int i = 0; i < 4; ++i) q[i] /= length;
  node->local = gltf_transform_of(node->trs);
  return true;
}

static bool read_children(gltf_document *d, const char *where, const gltf_value *value, size_t index)
{
  gltf_scene *s = d->scene;
  bool ok = true;
  const gltf_value *children = gltf_list(d, where, value, "children", &ok);
  for (size_t i = 0; ok && i < gltf_json_length(children); ++i) {
    const gltf_value *item = gltf_json_item(children, i);
    double child = gltf_json_kind(item) == GLTF_NUMBER ? gltf_json_number(item) : -1;
    if (!(child >= 0 && child < (double)s->node_count && child == floor(child)))
      return gltf_fail(d, "%s: child %zu is not one of the %zu nodes", where, i, s->node_count);
    uint32_t *parent = &s->nodes[(size_t)child].parent;
    if (*parent != GLTF_NO_NODE)
      return gltf_fail(d, "node %.0f is a child of node %u and of node %zu; glTF requires a tree", child, *parent,
                       index);
    *parent = (uint32_t)index;
  }
  return ok;
}

static bool read_node(gltf_document *d, size_t index)
{
  gltf_node *node = &d->scene->nodes[index];
  gltf_place where = gltf_at("node %zu", index);
  const gltf_value *value = gltf_object(d, d->nodes, "node", index);
  uint64_t mesh, skin;
  if (!value || !gltf_index(d, where.text, value, "mesh", GLTF_NONE, d->scene->mesh_count, &mesh) ||
      !gltf_index(d, where.text, value, "skin", GLTF_NONE, gltf_json_length(d->skins), &skin) ||
      !read_matrix(d, where.text, value, node) || (!node->has_matrix && !read_trs(d, where.text, value, node)) ||
      !read_children(d, where.text, value, index))
    return false;
  node->mesh = mesh == GLTF_NONE ? GLTF_NO_NODE : (uint32_t)mesh;
  node->skin = skin == GLTF_NONE ? GLTF_NO_NODE : (uint32_t)skin;
  bool ok = true;
  node->weight_count = gltf_json_length(gltf_list(d, where.text, value, "weights", &ok));
  if (!ok || !gltf_json_member(value, "weights")) return ok;
  node->weights = gltf_allocate(d, node->weight_count, sizeof *node->weights);
  return node->weights && gltf_numbers(d, where.text, value, "weights", node->weight_count, node->weights, NULL);
}

bool gltf_read_nodes(gltf_document *d)
{
  gltf_scene *s = d->scene;
  size_t count = gltf_json_length(d->nodes), meshes = gltf_json_length(d->meshes);
  if (count >= UINT32_MAX || meshes >= UINT32_MAX) return gltf_fail(d, "has too many nodes");
  s->nodes = gltf_allocate(d, count, sizeof *s->nodes);
  s->meshes = s->nodes ? gltf_allocate(d, meshes, sizeof *s->meshes) : NULL;
  if (!s->meshes) return false;
  s->node_count = count;
  s->mesh_count = meshes;
  for (size_t i = 0; i < count; ++i) {
    gltf_node *node = &s->nodes[i];
    node->parent = node->mesh = node->skin = node->body = GLTF_NO_NODE;
  }
  for (size_t i = 0; i < count; ++i)
    if (!read_node(d, i)) return false;
  return true;
}

/* --------------------------------------------------------------------------------- one scene -- */

/* Puts a root and all below it behind the order, breadth first: the order is its own queue. */
static void add_tree(gltf_document *d, uint32_t root)
{
  gltf_scene *s = d->scene;
  size_t next = s->order_count;
  s->nodes[root].in_scene = true;
  s->order[s->order_count++] = root;
  for (; next < s->order_count; ++next) {
    const gltf_value *children = gltf_json_member(gltf_json_item(d->nodes, s->order[next]), "children");
    for (size_t i = 0; i < gltf_json_length(children); ++i) {
      uint32_t child = (uint32_t)gltf_json_number(gltf_json_item(children, i));
      s->nodes[child].in_scene = true;
      s->order[s->order_count++] = child;
    }
  }
}

static void add_all_roots(gltf_document *d)
{
  for (uint32_t i = 0; i < d->scene->node_count; ++i)
    if (d->scene->nodes[i].parent == GLTF_NO_NODE) add_tree(d, i);
}

/* Walks from all roots, and forgets it again. */
static bool check_cycles(gltf_document *d)
{
  gltf_scene *s = d->scene;
  add_all_roots(d);
  for (size_t i = 0; i < s->node_count; ++i)
    if (!s->nodes[i].in_scene) return gltf_fail(d, "node %zu is below itself; glTF requires a tree", i);
  for (size_t i = 0; i < s->node_count; ++i) s->nodes[i].in_scene = false;
  s->order_count = 0;
  return true;
}

static bool add_scene(gltf_document *d, size_t index)
{
  gltf_scene *s = d->scene;
  gltf_place where = gltf_at("scene %zu", index);
  const gltf_value *scene = gltf_object(d, d->scenes, "scene", index);
  bool ok = scene != NULL;
  const gltf_value *roots = ok ? gltf_list(d, where.text, scene, "nodes", &ok) : NULL;
  for (size_t i = 0; ok && i < gltf_json_length(roots); ++i) {
    const gltf_value *item = gltf_json_item(roots, i);
    double root = gltf_json_kind(item) == GLTF_NUMBER ? gltf_json_number(item) : -1;
    if (!(root >= 0 && root < (double)s->node_count && root == floor(root)))
      return gltf_fail(d, "%s: entry %zu is not one of the %zu nodes", where.text, i, s->node_count);
    gltf_node *node = &s->nodes[(size_t)root];
    if (node->parent != GLTF_NO_NODE)
      return gltf_fail(d, "%s names node %.0f, which is a child of node %u", where.text, root, node->parent);
    if (node->in_scene) return gltf_fail(d, "%s names node %.0f twice", where.text, root);
    add_tree(d, (uint32_t)root);
  }
  return ok;
}

/* The scene of that name, or else of that number. */
static bool find_scene(gltf_document *d, const char *name, uint64_t *out)
{
  size_t count = gltf_json_length(d->scenes);
  for (*out = 0; *name && *out < count; ++*out)
    if (strcmp(gltf_text_of(gltf_json_item(d->scenes, (size_t)*out), "name"), name) == 0) return true;
  char *end;
  *out = name[0] >= '0' && name[0] <= '9' ? strtoull(name, &end, 10) : GLTF_NONE;
  if (*out < count && !*end) return true;
  if (count == 0) return gltf_fail(d, "has no scenes, so none is called '%s'", gltf_shown(name).text);
  return gltf_fail(d, "has no scene '%s'; give a name, or a number up to %zu", gltf_shown(name).text, count - 1);
}

/* All names, so that people can be told what there is to choose from. */
static bool name_scenes(gltf_document *d)
{
  gltf_scene *s = d->scene;
  size_t count = gltf_json_length(d->scenes);
  s->scene_names = gltf_allocate(d, count, sizeof *s->scene_names);
  if (!s->scene_names) return false;
  for (; s->scene_count < count; ++s->scene_count) {
    const char *name = gltf_text_of(gltf_json_item(d->scenes, s->scene_count), "name");
    gltf_place number = gltf_at("scene %zu", s->scene_count);
    s->scene_names[s->scene_count] = gltf_copy_text(d, *name ? name : number.text);
    if (!s->scene_names[s->scene_count]) return false;
  }
  return true;
}

static bool use_scene(gltf_document *d, uint64_t index)
{
  d->scene->scene_used = (int)index;
  return add_scene(d, (size_t)index);
}

bool gltf_choose_scene(gltf_document *d, const char *name)
{
  gltf_scene *s = d->scene;
  uint64_t chosen;
  s->scene_used = -1;
  if (!name_scenes(d)) return false;
  s->order = gltf_allocate(d, s->node_count, sizeof *s->order);
  if (!s->order || !check_cycles(d)) return false;
  size_t count = gltf_json_length(d->scenes);
  if (name) return find_scene(d, name, &chosen) && use_scene(d, chosen);
  if (!gltf_index(d, "the file", d->root, "scene", count ? 0 : GLTF_NONE, count, &chosen)) return false;
  if (chosen != GLTF_NONE) return use_scene(d, chosen);
  add_all_roots(d);
  return true;
}
