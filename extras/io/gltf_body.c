/* Bodies: one for every node of the scene whose mesh has triangles, with a name of its own and
 * its weights at rest. */
#include "io/gltf_inside.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static double determinant(const double m[3][3])
{
  return m[0][0] * (m[1][1] * m[2][2] - m[1][2] * m[2][1]) - m[0][1] * (m[1][0] * m[2][2] - m[1][2] * m[2][0]) +
         m[0][2] * (m[1][0] * m[2][1] - m[1][1] * m[2][0]);
}

/* Parents come first in the order, so that one pass knows whose transform mirrors. */
static bool mark_mirrored(gltf_document *d)
{
  gltf_scene *s = d->scene;
  bool *mirrors = gltf_allocate(d, s->node_count, sizeof *mirrors);
  if (!mirrors) return false;
  for (size_t i = 0; i < s->order_count; ++i) {
    uint32_t n = s->order[i];
    const gltf_node *node = &s->nodes[n];
    bool above = node->parent != GLTF_NO_NODE && mirrors[node->parent];
    mirrors[n] = above != (determinant(node->local.m) < 0);
    if (node->body != GLTF_NO_NODE) s->bodies[node->body].mirrored = mirrors[n];
  }
  for (size_t i = 0; i < s->body_count; ++i) { /* a skin mirrors if its first joint does */
    uint32_t skin = s->nodes[s->bodies[i].node].skin;
    if (skin == GLTF_NO_NODE || s->bodies[i].mesh->bones == 0) continue;
    bool inverse = determinant(s->skins[skin].inverse[0].m) < 0;
    s->bodies[i].mirrored = mirrors[s->skins[skin].joints[0]] != inverse;
  }
  free(mirrors);
  return true;
}

/* Reads the meshes, and counts the bodies and their weights. */
static bool find_bodies(gltf_document *d)
{
  gltf_scene *s = d->scene;
  uint64_t weights = 0;
  for (size_t i = 0; i < s->order_count; ++i) {
    gltf_node *node = &s->nodes[s->order[i]];
    if (node->mesh == GLTF_NO_NODE || !node->in_scene) continue;
    if (!gltf_read_mesh(d, node->mesh)) return false;
    const gltf_mesh *mesh = &s->meshes[node->mesh].mesh;
    if (node->weights && node->weight_count != mesh->target_count)
      return gltf_fail(d, "node %u has %zu weights, and its mesh %zu morph targets", s->order[i], node->weight_count,
                       mesh->target_count);
    if (mesh->triangle_count == 0) continue;
    node->body = (uint32_t)s->body_count++;
    weights += mesh->target_count;
  }
  if (s->body_count == 0) return gltf_fail(d, "its scene has no triangles; a surface is needed");
  s->weight_count = (size_t)weights;
  return true;
}

/* In the order of the file, which people know. */
static void number_bodies(gltf_scene *s)
{
  uint32_t next = 0;
  for (uint32_t i = 0; i < s->node_count; ++i)
    if (s->nodes[i].body != GLTF_NO_NODE) {
      s->nodes[i].body = next;
      s->bodies[next++].node = i;
    }
}

static void set_weights(const gltf_node *node, const gltf_mesh_entry *mesh, double *out, gltf_body *body)
{
  const double *from = node->weights ? node->weights : mesh->weights;
  for (size_t i = 0; from && i < mesh->mesh.target_count; ++i) {
    out[i] = from[i];
    body->morphs |= from[i] != 0;
  }
}

/* ------------------------------------------------------------------------------------- names -- */

typedef struct named {
  const char *name;
  uint32_t body;
  bool renamed;
} named;

static int compare_named(const void *a, const void *b)
{
  const named *x = a, *y = b;
  int order = strcmp(x->name, y->name);
  return order ? order : (x->body > y->body) - (x->body < y->body);
}

static bool rename_body(gltf_document *d, named *n)
{
  gltf_scene *s = d->scene;
  size_t room = strlen(n->name) + 32;
  char *name = gltf_allocate(d, room, 1);
  if (!name) return false;
  snprintf(name, room, "%s (node %zu)", n->name, s->bodies[n->body].node);
  free(s->body_names[n->body]);
  s->body_names[n->body] = name;
  n->name = name;
  n->renamed = true;
  return true;
}

/* In a run of equal names all get their node's number but one: a body that has it already, else
 * the first. */
static bool rename_run(gltf_document *d, named *run, size_t count)
{
  size_t keep = 0;
  for (size_t i = 0; i < count; ++i)
    if (run[i].renamed) keep = i;
  for (size_t i = 0; i < count; ++i)
    if (i != keep && !run[i].renamed && !rename_body(d, &run[i])) return false;
  return true;
}

/* A new name may be another body's old one, so this is done again, and in the end every body
 * gets its number: names with different numbers at their ends are different. */
static bool make_unique(gltf_document *d, named *list, size_t count)
{
  bool changed = true;
  for (int round = 0; changed && round < 3; ++round) {
    changed = false;
    qsort(list, count, sizeof *list, compare_named);
    for (size_t i = 0, end; i < count; i = end) {
      for (end = i + 1; end < count && strcmp(list[i].name, list[end].name) == 0;) ++end;
      if (end - i < 2) continue;
      changed = true;
      if (!rename_run(d, list + i, end - i)) return false;
    }
  }
  for (size_t i = 0; changed && i < count; ++i)
    if (!list[i].renamed && !rename_body(d, &list[i])) return false;
  return true;
}

static bool name_bodies(gltf_document *d)
{
  gltf_scene *s = d->scene;
  named *list = gltf_allocate(d, s->body_count, sizeof *list);
  bool ok = list != NULL;
  for (uint32_t i = 0; ok && i < s->body_count; ++i) {
    const char *name = gltf_text_of(gltf_json_item(d->nodes, s->bodies[i].node), "name");
    if (!*name) name = s->meshes[s->nodes[s->bodies[i].node].mesh].mesh.name;
    gltf_place number = gltf_at("node %zu", s->bodies[i].node);
    s->body_names[i] = gltf_copy_text(d, *name ? name : number.text);
    list[i] = (named){s->body_names[i], i, false};
    ok = s->body_names[i] != NULL;
  }
  ok = ok && make_unique(d, list, s->body_count);
  free(list);
  return ok;
}

bool gltf_make_bodies(gltf_document *d)
{
  gltf_scene *s = d->scene;
  if (!find_bodies(d)) return false;
  s->bodies = gltf_allocate(d, s->body_count, sizeof *s->bodies);
  s->body_names = gltf_allocate(d, s->body_count, sizeof *s->body_names);
  s->first_weight = gltf_allocate(d, s->body_count, sizeof *s->first_weight);
  s->rest_weights = gltf_unfold(d, s->weight_count, sizeof *s->rest_weights);
  if (!s->bodies || !s->body_names || !s->first_weight || !s->rest_weights) return false;
  number_bodies(s);
  if (!name_bodies(d)) return false;
  size_t weight = 0;
  for (size_t i = 0; i < s->body_count; ++i) {
    gltf_body *body = &s->bodies[i];
    const gltf_node *node = &s->nodes[body->node];
    const gltf_mesh_entry *mesh = &s->meshes[node->mesh];
    body->name = s->body_names[i];
    body->mesh = &mesh->mesh;
    s->first_weight[i] = weight;
    set_weights(node, mesh, s->rest_weights + weight, body);
    weight += mesh->mesh.target_count;
  }
  return mark_mirrored(d);
}
