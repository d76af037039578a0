/* The questions that pliant-full.wasm alone has. */
#include "web/src/ask.h"

#include <string.h>

/* The layouts that results.mjs reads. */
#ifdef __wasm__
_Static_assert(sizeof(pl_impact) == 88 && offsetof(pl_impact, kind) == 16 && offsetof(pl_impact, normal) == 40,
               "impacts");
_Static_assert(sizeof(pl_candidate_lists) == 32 && offsetof(pl_candidate_lists, edges_a) == 16, "candidates");
_Static_assert(sizeof(pl_segment) == 56 && offsetof(pl_segment, coplanar) == 49, "segments");
_Static_assert(sizeof(pl_penetration) == 104 && offsetof(pl_penetration, triangle) == 96, "penetrations");
_Static_assert(sizeof(pl_sphere_contact) == 72 && offsetof(pl_sphere_contact, normal) == 40, "sphere contacts");
_Static_assert(sizeof(pl_region) == 264 && offsetof(pl_region, ends) == 148 && offsetof(pl_region, side) == 184,
               "regions");
_Static_assert(sizeof(pl_region_side) == 40 && offsetof(pl_region_side, cut_off) == 32, "sides of regions");
_Static_assert(sizeof(pl_contour) == 12 && sizeof(pl_patch) == 72 && sizeof(pl_region_parts) == 56, "parts of regions");
_Static_assert(sizeof(pl_step_body) == 16 && offsetof(pl_step_body, type) == 12 && PL_F64 == 1, "free steps");
_Static_assert(sizeof(pl_zone) == 344 && offsetof(pl_zone, planes) == 88, "zones");
#endif

/* Takes `count` numbers from a list of lists. */
static const uint32_t *take_list(const uint32_t **at, size_t count)
{
  const uint32_t *list = count ? *at : NULL;
  *at += count;
  return list;
}

/* counts: of splits, of their triangles, of vertex_indices, removed vertices, removed triangles,
 * changed triangles, added triangles, added_indices, merged pairs, and of governors for each new
 * vertex; behind them stand the lists in this order: split_vertices, split_first, split_triangles,
 * and so on, changed_corners after changed_triangles, governors last. xyz: `added` places, NULL for
 * embedded vertices; then those in `poses` further poses. */
int WEB_EXPORT(web_body_edit)(pl_context *context, pl_body *body, const uint32_t *counts, const void *xyz, size_t added,
                              int is_double, size_t poses, const double *weights)
{
  enum { COUNTS = 10, MOST_POSES = 256 };
  pl_positions later[MOST_POSES];
  const uint32_t *at = counts + COUNTS;
  pl_edit e = pl_edit_default();
  e.split_count = counts[0];
  e.split_vertices = take_list(&at, counts[0]);
  e.split_first = take_list(&at, counts[0] ? counts[0] + 1 : 0);
  e.split_triangles = take_list(&at, counts[1]);
  e.vertex_indices = take_list(&at, counts[2]);
  e.removed_vertices = take_list(&at, e.removed_vertex_count = counts[3]);
  e.removed_triangles = take_list(&at, e.removed_triangle_count = counts[4]);
  e.changed_triangles = take_list(&at, e.changed_count = counts[5]);
  e.changed_corners = take_list(&at, 3 * (size_t)counts[5]);
  e.added_corners = take_list(&at, 3 * (size_t)(e.added_count = counts[6]));
  e.added_indices = take_list(&at, counts[7]);
  e.merged_vertices = take_list(&at, 2 * (size_t)(e.merged_count = counts[8]));
  const pl_weights rows = {
      .vertex_count = added, .per_vertex = counts[9], .governors = at, .values = weights, .type = PL_F64};
  if (counts[9]) e.weights = &rows;
  e.vertices = web_positions(xyz, added, is_double);
  if (poses > MOST_POSES) return web_fail("%zu poses: at most %d", poses, MOST_POSES);
  for (size_t i = 0; i < poses; ++i)
    later[i] = web_positions((const char *)xyz + (i + 1) * added * e.vertices.stride, added, is_double);
  e.poses = poses ? later : NULL;
  e.pose_count = poses;
  return web_check(context, pl_body_edit(body, &e));
}

int WEB_EXPORT(web_body_keep_pose)(pl_context *context, pl_body *body)
{
  return web_check(context, pl_body_keep_pose(body));
}

int WEB_EXPORT(web_body_drop_pose)(pl_context *context, pl_body *body)
{
  return web_check(context, pl_body_drop_pose(body));
}

/* axis and point: 3 numbers each; axis NULL: that of the body's own motion. */
int WEB_EXPORT(web_body_set_screw)(pl_context *context, pl_body *body, const double *axis, const double *point,
                                   double angle)
{
  return web_check(context, pl_body_set_screw(body, axis, point, angle));
}

/* radii: one for each vertex, or NULL. */
int WEB_EXPORT(web_body_set_thickness)(pl_context *context, pl_body *body, double thickness, const double *radii)
{
  return web_check(context, pl_body_set_thickness(body, thickness, radii));
}

/* A zone; or, with a kind beyond the last, a camera: is_double says that its depth is from 0 to 1,
 * and its matrix is in place of the planes. */
static pl_status overlap(pl_who who, const web_probe *p, const pl_question *how, const pl_result **out)
{
  pl_zone zone;
  memcpy(&zone, p->data, sizeof zone);
  if (zone.kind == PL_ZONE_COUNT) {
    double matrix[4][4];
    memcpy(matrix, zone.planes, sizeof matrix);
    zone = pl_zone_camera(matrix, p->is_double != 0);
  }
  return pl_overlap(who, &zone, how, out);
}

/* Bodies that step, and where their positions are written. */
static pl_status free_step(pl_who who, const web_probe *p, const pl_question *how, const pl_result **out)
{
  return pl_free_step(who, p->data, p->count, how, out);
}

const web_question web_more_questions[] = {
    {"impacts", pl_impacts, NULL, WEB_ROWS(impacts), WEB_FEATURES},
    {"candidates", pl_candidates, NULL, WEB_ROWS(candidates), WEB_FEATURES},
    {"segments", pl_segments, NULL, WEB_ROWS(segments), WEB_PAIRS},
    {"penetrations", pl_penetrations, NULL, WEB_ROWS(penetrations), WEB_NO_FILTER},
    {"regions", pl_regions, NULL, WEB_ROWS(regions), WEB_PAIRS},
    {"measure", pl_measure, NULL, WEB_ROWS(features), WEB_NO_FILTER},
    {"sphereContacts", pl_sphere_contacts, NULL, WEB_ROWS(spheres), WEB_BODIES},
    {"overlap", NULL, overlap, WEB_ROWS(triangles), WEB_NO_FILTER},
    {"freeStep", NULL, free_step, WEB_ROWS(pairs), WEB_NO_FILTER}, /* no rows */
    {0},
};
