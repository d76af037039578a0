/* Bodies: making, moving and reading them back. */
#include "web/src/web.h"

#include <stdlib.h>
#include <string.h>

static pl_mesh_def mesh_of(const void *xyz, size_t vertices, int is_double, const uint32_t *triangles, size_t count)
{
  pl_mesh_def mesh = pl_mesh_def_default();
  mesh.positions = web_positions(xyz, vertices, is_double);
  mesh.triangles = triangles;
  mesh.triangle_count = count;
  return mesh;
}

/* Reads the positions in place, unless `copies`: they stay where they are until others are set. */
pl_body *WEB_EXPORT(web_body_free)(pl_context *context, const void *xyz, size_t vertices, int is_double,
                                   const uint32_t *triangles, size_t count, const char *settings, int copies)
{
  pl_mesh_def mesh = mesh_of(xyz, vertices, is_double, triangles, count);
  pl_body_def def;
  pl_body *body = NULL;
  if (!web_settings(context, settings, &def)) return NULL;
  def.borrow = !copies;
  web_check(context, pl_body_create_free(context, &mesh, &def, &body));
  return body;
}

pl_body *WEB_EXPORT(web_body_rigid)(pl_context *context, const void *xyz, size_t vertices, int is_double,
                                    const uint32_t *triangles, size_t count, const char *settings)
{
  pl_mesh_def mesh = mesh_of(xyz, vertices, is_double, triangles, count);
  pl_body_def def;
  pl_body *body = NULL;
  if (!web_settings(context, settings, &def)) return NULL;
  web_check(context, pl_body_create_rigid(context, &mesh, &def, &body));
  return body;
}

/* references: reference_count shapes of all vertices, one after the other. */
pl_body *WEB_EXPORT(web_body_morph)(pl_context *context, const void *references, int reference_count, size_t vertices,
                                    int is_double, const uint32_t *triangles, size_t count, int additive, double low,
                                    double high, const char *settings)
{
  pl_mesh_def mesh = mesh_of(NULL, 0, is_double, triangles, count);
  pl_body_def def;
  pl_body *body = NULL;
  if (!web_settings(context, settings, &def)) return NULL;
  pl_positions *views = calloc(reference_count > 0 ? (size_t)reference_count : 1, sizeof *views);
  if (!views) return web_fail("out of memory"), NULL;
  size_t step = 3 * vertices * (is_double ? sizeof(double) : sizeof(float));
  for (int i = 0; i < reference_count; ++i)
    views[i] = web_positions((const char *)references + (size_t)i * step, vertices, is_double);
  pl_morph_def morph = pl_morph_def_default();
  morph.kind = additive ? PL_MORPH_ADDITIVE : PL_MORPH_CONVEX;
  morph.references = views;
  morph.reference_count = reference_count;
  if (additive) {
    morph.weight_low = low;
    morph.weight_high = high;
  }
  web_check(context, pl_body_create_morph(context, &mesh, &morph, &def, &body));
  free(views);
  return body;
}

static pl_weights weights_of(size_t vertices, size_t per_vertex, const uint32_t *governors, const double *values)
{
  return (pl_weights){vertices, NULL, per_vertex, governors, values, PL_F64, false};
}

pl_body *WEB_EXPORT(web_body_skin)(pl_context *context, const void *xyz, size_t vertices, int is_double,
                                   const uint32_t *triangles, size_t count, size_t bones, size_t per_vertex,
                                   const uint32_t *governors, const double *weights, const char *settings)
{
  pl_mesh_def mesh = mesh_of(xyz, vertices, is_double, triangles, count);
  pl_body_def def;
  pl_body *body = NULL;
  if (!web_settings(context, settings, &def)) return NULL;
  pl_skin_def skin = pl_skin_def_default();
  skin.bone_count = bones;
  skin.weights = weights_of(vertices, per_vertex, governors, weights);
  skin.weights.normalise = true;
  web_check(context, pl_body_create_skin(context, &mesh, &skin, &def, &body));
  return body;
}

/* Welds the triangles where they are. poses: pose_count times the coordinates of all vertices.
 * per_vertex 0: no weights. */
int WEB_EXPORT(web_weld)(pl_context *context, const void *xyz, size_t vertices, int is_double, uint32_t *triangles,
                         size_t count, size_t pose_count, size_t per_vertex, const void *poses,
                         const uint32_t *governors, const double *weights)
{
  pl_mesh_def mesh = mesh_of(xyz, vertices, is_double, triangles, count);
  pl_weights rows = weights_of(vertices, per_vertex, governors, weights);
  pl_positions *list = calloc(pose_count + 1, sizeof *list);
  if (!list) return web_fail("out of memory");
  size_t size = 3 * vertices * (is_double ? sizeof(double) : sizeof(float));
  for (size_t i = 0; i < pose_count; ++i) list[i] = web_positions((const char *)poses + i * size, vertices, is_double);
  pl_weld_def def = pl_weld_def_default();
  def.poses = list;
  def.pose_count = pose_count;
  def.weights = per_vertex ? &rows : NULL;
  pl_status status = pl_mesh_weld(context, &mesh, &def, triangles, NULL);
  free(list);
  return web_check(context, status);
}

pl_body *WEB_EXPORT(web_body_subdivide)(pl_context *context, const void *xyz, size_t vertices, int is_double,
                                        const uint32_t *triangles, size_t count, int levels, const char *settings)
{
  pl_mesh_def mesh = mesh_of(xyz, vertices, is_double, triangles, count);
  pl_body_def def;
  pl_body *body = NULL;
  if (!web_settings(context, settings, &def)) return NULL;
  pl_subdivide_def subdivide = pl_subdivide_def_default();
  subdivide.levels = levels;
  web_check(context, pl_body_create_subdivide(context, &mesh, &subdivide, &def, &body));
  return body;
}

void WEB_EXPORT(web_body_destroy)(pl_body *body) { pl_body_destroy(body); }

/* ------------------------------------------------------------------------------------ moving -- */

int WEB_EXPORT(web_body_set_positions)(pl_context *context, pl_body *body, const void *xyz, size_t count, int is_double)
{
  return web_check(context, pl_body_set_positions(body, web_positions(xyz, count, is_double)));
}

int WEB_EXPORT(web_body_set_transform)(pl_context *context, pl_body *body, const pl_transform *transform)
{
  return web_check(context, pl_body_set_transform(body, transform));
}

int WEB_EXPORT(web_body_set_weights)(pl_context *context, pl_body *body, const double *weights, int count)
{
  return web_check(context, pl_body_set_weights(body, weights, count));
}

int WEB_EXPORT(web_body_set_bones)(pl_context *context, pl_body *body, const pl_transform *bones, size_t count)
{
  return web_check(context, pl_body_set_bones(body, bones, count));
}

int WEB_EXPORT(web_body_set_controls)(pl_context *context, pl_body *body, const void *xyz, size_t count, int is_double)
{
  return web_check(context, pl_body_set_controls(body, web_positions(xyz, count, is_double)));
}

int WEB_EXPORT(web_body_update)(pl_context *context, pl_body *body)
{
  pl_counters counters;
  if (!web_check(context, pl_body_update(body, &counters))) return 0;
  web_put_counters(0, &counters);
  return 1;
}

/* ------------------------------------------------------------------------------ reading back -- */

/* vertices, triangles, strategy, volume, motion. */
int WEB_EXPORT(web_body_about)(pl_body *body)
{
  double *out = web_out_numbers;
  out[0] = (double)pl_body_vertex_count(body);
  out[1] = (double)pl_body_triangle_count(body);
  out[2] = pl_body_strategy(body);
  out[3] = pl_body_volume(body);
  out[4] = pl_body_motion(body);
  return 1;
}

int WEB_EXPORT(web_body_positions)(pl_context *context, pl_body *body, size_t count, int is_double, void *xyz)
{
  return web_check(context, pl_body_positions(body, NULL, count, is_double ? PL_F64 : PL_F32, xyz, 0));
}

int WEB_EXPORT(web_body_triangles)(pl_context *context, pl_body *body, uint32_t *triangles, size_t count)
{
  return web_check(context, pl_body_triangles(body, triangles, count));
}

/* Lower x y z, upper x y z. */
int WEB_EXPORT(web_body_box)(pl_context *context, pl_body *body)
{
  float box[2][3];
  if (!web_check(context, pl_body_box(body, box[0], box[1]))) return 0;
  for (int i = 0; i < 6; ++i) web_out_numbers[i] = (double)box[i / 3][i % 3];
  return 1;
}

/* depth, inner nodes, leaves, bytes, bytes per triangle, triangles per leaf, children per node,
 * area cost, overlap. */
int WEB_EXPORT(web_body_tree)(pl_context *context, pl_body *body)
{
  pl_body_info info;
  if (!web_check(context, pl_body_get_info(body, true, &info))) return 0;
  double *out = web_out_numbers;
  out[0] = info.depth;
  out[1] = (double)info.inner_nodes;
  out[2] = (double)info.leaves;
  out[3] = (double)info.bytes;
  out[4] = info.bytes_per_triangle;
  out[5] = info.triangles_per_leaf;
  out[6] = info.children_per_node;
  out[7] = info.area_cost;
  out[8] = info.overlap;
  return 1;
}

/* What was chosen for the last positions that a question was asked of: addresses of the choice and
 * of the reason; costs of the upper levels, none, the whole tree, volumes of its own; volumes that
 * were asked for on demand. */
int WEB_EXPORT(web_body_explain)(pl_context *context, pl_body *body)
{
  pl_body_info info;
  if (!web_check(context, pl_body_get_info(body, false, &info))) return 0;
  double *out = web_out_numbers;
  out[0] = (double)(uintptr_t)info.choice;
  out[1] = (double)(uintptr_t)info.reason;
  out[2] = info.cost_upper;
  out[3] = info.cost_none;
  out[4] = info.cost_whole;
  out[5] = info.cost_own;
  out[6] = (double)info.demanded;
  return 1;
}

/* The layout that pliant.mjs reads. */
#ifdef __wasm__
_Static_assert(sizeof(pl_node_volume) == 44 && offsetof(pl_node_volume, parent) == 24 &&
                   offsetof(pl_node_volume, fresh) == 32 && offsetof(pl_node_volume, leaf) == 40,
               "volumes of a level");
#endif

/* Address of the volumes, count, level, levels, kind, address of the components, their number
 * per volume; 12 numbers of the transform. */
int WEB_EXPORT(web_body_volumes)(pl_context *context, pl_body *body, int level, int refit)
{
  const pl_volumes *v = NULL;
  if (!web_check(context, pl_body_volumes(body, level, refit != 0, &v))) return 0;
  double *out = web_out_numbers;
  out[0] = (double)(uintptr_t)v->volumes;
  out[1] = (double)v->count;
  out[2] = v->level;
  out[3] = v->levels;
  out[4] = v->kind;
  out[5] = (double)(uintptr_t)v->components;
  out[6] = v->component_count;
  memcpy(out + 7, &v->to_world, 12 * sizeof(double));
  return 1;
}

int WEB_EXPORT(web_body_validate)(pl_context *context, pl_body *body)
{
  return web_check(context, pl_body_validate(body));
}
