/* What a surface is called where a region touches it: body, mesh, primitive, material, connected
 * part, and the bone that has most of the weights there. Names do not depend on the numbering of
 * vertices and triangles, so that an asset that is exported again keeps them: parts are numbered
 * by size, and those of one size by their place in the reference pose. */
#include "check/check.h"
#include "common/output.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct part_info {
  uint32_t root;
  size_t triangles;
  double lower[3];
} part_info;

typedef struct named_body {
  double *rest;    /* positions in the reference pose */
  uint32_t *part;  /* of each vertex, from 0; NULL: there is one */
  uint32_t parts;  /* at least 1 */
  double *weights; /* of the bones of a side; NULL: it has none */
} named_body;

struct check_namer {
  const stage *stage;
  named_body *bodies;
  double lower[3], upper[3];
};

static bool complain(void)
{
  output_complain("out of memory");
  return false;
}

/* ------------------------------------------------------------------------------------- parts -- */

static uint32_t root_of(uint32_t *parent, uint32_t v)
{
  for (; parent[v] != v; v = parent[v]) parent[v] = parent[parent[v]];
  return v;
}

static int compare_parts(const void *a, const void *b)
{
  const part_info *x = a, *y = b;
  if (x->triangles != y->triangles) return x->triangles < y->triangles ? 1 : -1;
  for (int k = 0; k < 3; ++k)
    if (x->lower[k] != y->lower[k]) return x->lower[k] < y->lower[k] ? -1 : 1;
  return 0;
}

/* The parts of a body whose vertices have been joined: sizes and boxes, sorted. place: of each
 * root. Returns how many. */
static uint32_t measure_parts(const stage_body *b, const double *rest, uint32_t *parent, uint32_t *place,
                              part_info *parts)
{
  uint32_t count = 0;
  for (size_t i = 0; i < 3 * b->triangle_count; ++i) {
    uint32_t v = b->triangles[i], root = root_of(parent, v);
    if (place[root] == UINT32_MAX) {
      parts[count] = (part_info){.root = root, .lower = {INFINITY, INFINITY, INFINITY}};
      place[root] = count++;
    }
    part_info *p = &parts[place[root]];
    p->triangles += i % 3 == 0;
    for (int k = 0; k < 3; ++k) p->lower[k] = fmin(p->lower[k], rest[3 * v + (size_t)k]);
  }
  qsort(parts, count, sizeof *parts, compare_parts);
  for (uint32_t i = 0; i < count; ++i) place[parts[i].root] = i;
  return count;
}

static bool find_parts(const stage_body *b, named_body *out)
{
  size_t vertices = b->vertex_count;
  uint32_t *parent = malloc((vertices + 1) * sizeof *parent), *place = malloc((vertices + 1) * sizeof *place);
  part_info *parts = malloc((vertices + 1) * sizeof *parts);
  bool good = parent && place && parts;
  for (uint32_t v = 0; good && v < vertices; ++v) {
    parent[v] = v;
    place[v] = UINT32_MAX;
  }
  for (size_t i = 0; good && i < b->triangle_count; ++i)
    for (int k = 1; k < 3; ++k)
      parent[root_of(parent, b->triangles[3 * i + (size_t)k])] = root_of(parent, b->triangles[3 * i]);
  if (good) out->parts = measure_parts(b, out->rest, parent, place, parts);
  if (good && out->parts > 1) {
    for (uint32_t v = 0; v < vertices; ++v) parts[v].root = place[root_of(parent, v)]; /* room that is free now */
    for (uint32_t v = 0; v < vertices; ++v) parent[v] = parts[v].root;
    out->part = parent;
    parent = NULL;
  }
  free(parent);
  free(place);
  free(parts);
  return good;
}

/* ------------------------------------------------------------------------------------ bodies -- */

static const gltf_body *gltf_of(const check_namer *n, size_t body)
{
  const stage_body *b = &n->stage->bodies[body];
  const gltf_scene *scene = n->stage->inputs[b->input].gltf;
  return scene ? gltf_body_at(scene, b->part) : NULL;
}

static bool open_body(check_namer *n, size_t i)
{
  const stage_body *b = &n->stage->bodies[i];
  named_body *to = &n->bodies[i];
  const gltf_body *from = gltf_of(n, i);
  to->rest = malloc((3 * b->vertex_count + 1) * sizeof *to->rest);
  if (from && from->has_skin) to->weights = calloc(from->bone_count, sizeof *to->weights);
  if (!to->rest || (from && from->has_skin && !to->weights)) return complain();
  if (!stage_positions(n->stage, i, to->rest)) return false;
  for (size_t c = 0; c < 3 * b->triangle_count; ++c)
    for (int k = 0; k < 3; ++k) {
      double x = to->rest[3 * (size_t)b->triangles[c] + (size_t)k];
      n->lower[k] = fmin(n->lower[k], x);
      n->upper[k] = fmax(n->upper[k], x);
    }
  return find_parts(b, to) || complain();
}

bool check_namer_create(const stage *s, check_namer **out)
{
  check_namer *n = *out = calloc(1, sizeof *n);
  if (!n) return complain();
  *n = (check_namer){.stage = s, .lower = {INFINITY, INFINITY, INFINITY}, .upper = {-INFINITY, -INFINITY, -INFINITY}};
  n->bodies = calloc(s->body_count + 1, sizeof *n->bodies);
  if (!n->bodies) return complain();
  for (size_t i = 0; i < s->body_count; ++i)
    if (!open_body(n, i)) return false;
  return true;
}

void check_namer_free(check_namer *n)
{
  if (!n) return;
  for (size_t i = 0; n->bodies && i < n->stage->body_count; ++i) {
    free(n->bodies[i].rest);
    free(n->bodies[i].part);
    free(n->bodies[i].weights);
  }
  free(n->bodies);
  free(n);
}

double check_namer_diagonal(const check_namer *n)
{
  double sum = 0;
  for (int k = 0; k < 3; ++k) sum += (n->upper[k] - n->lower[k]) * (n->upper[k] - n->lower[k]);
  return sqrt(sum);
}

/* ------------------------------------------------------------------------------------- sides -- */

/* The weights of all corners of a triangle. */
static void add_weights(const check_namer *n, size_t body, uint32_t triangle, const gltf_mesh *mesh)
{
  const uint32_t *corner = n->stage->bodies[body].triangles + 3 * (size_t)triangle;
  for (int k = 0; k < 3; ++k)
    for (size_t i = corner[k] * mesh->influences; i < (corner[k] + (size_t)1) * mesh->influences; ++i)
      n->bodies[body].weights[mesh->joints[i]] += mesh->joint_weights[i];
}

/* The bone with most of the weights of the triangles that touch, and of those that are cut off. */
static const char *find_bone(check_namer *n, size_t body, const pl_result *found, const pl_region_side *side,
                             double *share)
{
  const gltf_body *from = gltf_of(n, body);
  *share = 0;
  if (!from || !from->has_skin) return "";
  double *weights = n->bodies[body].weights, sum = 0;
  memset(weights, 0, from->bone_count * sizeof *weights);
  for (size_t i = side->triangle_begin; i < side->triangle_end; ++i)
    add_weights(n, body, found->parts->triangles[i], from->mesh);
  for (size_t i = side->patch_begin; i < side->patch_end; ++i) {
    const pl_patch *patch = &found->parts->patches[found->parts->patch_ids[i]];
    for (size_t k = patch->begin; k < patch->end; ++k)
      add_weights(n, body, found->parts->patch_triangles[k], from->mesh);
  }
  size_t best = 0;
  for (size_t i = 0; i < from->bone_count; ++i) {
    sum += weights[i];
    if (weights[i] > weights[best]) best = i;
  }
  if (sum > 0) *share = weights[best] / sum;
  const stage_body *b = &n->stage->bodies[body];
  return gltf_bone_name(n->stage->inputs[b->input].gltf, b->part, best);
}

/* The primitive that most of the triangles belong to. */
static const gltf_primitive *find_primitive(const gltf_mesh *mesh, const uint32_t *triangles, size_t count)
{
  const gltf_primitive *best = &mesh->primitives[0];
  size_t most = 0, at = 0;
  for (size_t i = 0; i < mesh->primitive_count && at < count; ++i) { /* the triangles ascend */
    size_t begin = at;
    while (at < count && triangles[at] < mesh->primitives[i].triangle_end) ++at;
    if (at - begin > most) best = &mesh->primitives[i], most = at - begin;
  }
  return best;
}

static void find_middle(const check_namer *n, size_t body, const uint32_t *triangles, size_t count, double out[3])
{
  const uint32_t *corners = n->stage->bodies[body].triangles;
  double sum[3] = {0};
  for (size_t i = 0; i < 3 * count; ++i)
    for (size_t k = 0; k < 3; ++k)
      sum[k] += n->bodies[body].rest[3 * (size_t)corners[3 * (size_t)triangles[i / 3] + i % 3] + k];
  for (int k = 0; k < 3; ++k) out[k] = count ? sum[k] / (3 * (double)count) : 0;
}

void check_side_free(check_side *side)
{
  free(side->body);
  free(side->mesh);
  free(side->bone);
  free(side->material);
  *side = (check_side){0};
}

bool check_name_side(check_namer *n, size_t body, const pl_result *found, const pl_region_side *side, check_side *out)
{
  const uint32_t *triangles = found->parts->triangles + side->triangle_begin;
  size_t count = side->triangle_end - side->triangle_begin;
  const stage_body *b = &n->stage->bodies[body];
  const gltf_scene *scene = n->stage->inputs[b->input].gltf;
  const gltf_mesh *mesh = scene ? gltf_body_at(scene, b->part)->mesh : NULL;
  const gltf_primitive *primitive = mesh ? find_primitive(mesh, triangles, count) : NULL;
  check_side_free(out);
  out->body = strdup(b->name);
  out->mesh = strdup(mesh ? mesh->name : "");
  out->bone = strdup(find_bone(n, body, found, side, &out->share));
  out->material = strdup(primitive ? gltf_material_name(scene, primitive->material) : "");
  out->primitive = primitive ? primitive->number : 0;
  out->parts = n->bodies[body].parts;
  out->part = 1;
  if (n->bodies[body].part && count) out->part += n->bodies[body].part[b->triangles[3 * (size_t)triangles[0]]];
  find_middle(n, body, triangles, count, out->rest);
  return (out->body && out->mesh && out->bone && out->material) || complain();
}
