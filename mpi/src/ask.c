/* The library's questions, of two pieces or of one with itself: the only file that calls them.
 * Rows get ids in place of indices.
 *
 * Two pieces of one body are asked in both orders where a row's numbers depend on which feature
 * comes first; the filter, or the check of the rows, keeps each pair in the order that the
 * undivided body has. */
#include "dist.h"

#include <math.h>
#include <string.h>

static void count(pl_dist *d, const pl_counters *c)
{
  d->counters.n_v += c->n_v;
  d->counters.n_p += c->n_p;
  d->counters.n_u += c->n_u;
}

static pl_status no_memory(pl_dist *d) { return dist_fail(d, PL_ERROR_MEMORY, "out of memory for rows"); }

/* By body; of one body as given. */
static void order(piece **x, piece **y)
{
  if ((*x)->body <= (*y)->body) return;
  piece *t = *x;
  *x = *y;
  *y = t;
}

static bool share_vertex(const piece *x, uint32_t t, const piece *y, uint32_t u)
{
  for (int i = 0; i < 3; ++i)
    for (int k = 0; k < 3; ++k)
      if (x->vertices[x->triangles[3 * (size_t)t + (size_t)i]] == y->vertices[y->triangles[3 * (size_t)u + (size_t)k]])
        return true;
  return false;
}

typedef struct pieces {
  const piece *x, *y;
} pieces;

/* Triangles of two pieces of one body, the lower id first. */
static bool is_first(void *user, pl_body *a, pl_body *b, pl_pair pair)
{
  (void)a, (void)b;
  const pieces *p = user;
  return p->x->triangle_ids[pair.a] < p->y->triangle_ids[pair.b] && !share_vertex(p->x, pair.a, p->y, pair.b);
}

/* ---------------------------------------------------------------------------------- touching -- */

static pl_status add_pairs(pl_dist *d, const piece *x, const piece *y, const pl_result *found)
{
  bool cut = x != y && x->body == y->body;
  count(d, &found->counters);
  for (size_t i = 0; i < found->count; ++i) {
    pl_pair p = found->pairs[i];
    if (cut && share_vertex(x, p.a, y, p.b)) continue;
    uint64_t a = x->triangle_ids[p.a], b = y->triangle_ids[p.b];
    pl_dist_pair *row = dist_rows_add(&d->result);
    if (!row) return no_memory(d);
    *row = (pl_dist_pair){x->body, y->body, cut && b < a ? b : a, cut && b < a ? a : b};
  }
  return PL_OK;
}

pl_status dist_ask_touching(pl_dist *d, piece *x, piece *y, double margin)
{
  const pl_result *found;
  pl_question def = pl_question_default();
  (void)margin;
  def.self_method = d->self_method;
  order(&x, &y);
  pl_status status = pl_touching(pl_two(x->handle, y->handle), &def, &found);
  return status == PL_OK ? add_pairs(d, x, y, found) : dist_failed(d, status);
}

/* -------------------------------------------------------------------------------------- near -- */

static pl_status add_near(pl_dist *d, const piece *x, const piece *y, const pl_result *found)
{
  count(d, &found->counters);
  for (size_t i = 0; i < found->count; ++i) {
    const pl_near_pair *p = &found->near_pairs[i];
    pl_dist_near_pair *row = dist_rows_add(&d->result);
    if (!row) return no_memory(d);
    *row = (pl_dist_near_pair){x->body, y->body, x->triangle_ids[p->a], y->triangle_ids[p->b], .distance = p->distance};
    memcpy(row->point_a, p->point_a, sizeof row->point_a);
    memcpy(row->point_b, p->point_b, sizeof row->point_b);
  }
  return PL_OK;
}

static pl_status near_ordered(pl_dist *d, piece *x, piece *y, double margin, bool cut)
{
  const pl_result *found;
  pl_question def = pl_question_default();
  pieces both = {x, y};
  def.margin = margin;
  if (cut) {
    def.filter = is_first;
    def.user = &both;
  }
  pl_status status = pl_near_triangles(pl_two(x->handle, y->handle), &def, &found);
  return status == PL_OK ? add_near(d, x, y, found) : dist_failed(d, status);
}

pl_status dist_ask_near(pl_dist *d, piece *x, piece *y, double margin)
{
  bool cut = x != y && x->body == y->body;
  order(&x, &y);
  pl_status status = near_ordered(d, x, y, margin, cut);
  return cut && status == PL_OK ? near_ordered(d, y, x, margin, true) : status;
}

/* ---------------------------------------------------------------------------------- features -- */

/* The number of corners of a side of a row that are the feature's: a vertex, an edge, a face. */
static int corners_of(pl_feature kind, bool a)
{
  if (kind == PL_FEATURE_EDGE_EDGE) return 2;
  return (kind == PL_FEATURE_VERTEX_FACE) == a ? 1 : 3;
}

/* Has the piece the least triangle of the feature? */
static bool owns(const piece *p, uint32_t triangle, const uint32_t vertex[3], int corners)
{
  uint64_t id = p->triangle_ids[triangle];
  if (corners == 3) return true;
  if (corners == 1) return p->vertex_least[vertex[0]] == id;
  for (int e = 0; e < 3; ++e) {
    uint32_t v = p->triangles[3 * (size_t)triangle + (size_t)e],
             w = p->triangles[3 * (size_t)triangle + (size_t)((e + 1) % 3)];
    if ((v == vertex[0] && w == vertex[1]) || (v == vertex[1] && w == vertex[0]))
      return p->edge_least[3 * (size_t)triangle + (size_t)e] == id;
  }
  return false;
}

/* Is it a row of the undivided scene, in its order? */
static bool is_row(const piece *x, const piece *y, const pl_feature_pair *f)
{
  int a = corners_of(f->kind, true), b = corners_of(f->kind, false);
  if (!owns(x, f->triangle_a, f->vertex_a, a) || !owns(y, f->triangle_b, f->vertex_b, b)) return false;
  if (x == y || x->body != y->body) return true;
  if (x->triangle_ids[f->triangle_a] > y->triangle_ids[f->triangle_b]) return false;
  for (int i = 0; i < a; ++i)
    for (int k = 0; k < b; ++k)
      if (x->vertices[f->vertex_a[i]] == y->vertices[f->vertex_b[k]]) return false;
  return true;
}

static pl_status add_features(pl_dist *d, const piece *x, const piece *y, const pl_result *found)
{
  count(d, &found->counters);
  for (size_t i = 0; i < found->count; ++i) {
    const pl_feature_pair *f = &found->features[i];
    if (!is_row(x, y, f)) continue;
    pl_dist_feature *row = dist_rows_add(&d->result);
    if (!row) return no_memory(d);
    *row = (pl_dist_feature){x->body,
                             y->body,
                             x->triangle_ids[f->triangle_a],
                             y->triangle_ids[f->triangle_b],
                             .kind = f->kind,
                             .distance = f->distance};
    for (int k = 0; k < 3; ++k) {
      row->vertex_a[k] = x->vertices[f->vertex_a[k]];
      row->vertex_b[k] = y->vertices[f->vertex_b[k]];
    }
    memcpy(row->weight_a, f->weight_a, sizeof row->weight_a);
    memcpy(row->weight_b, f->weight_b, sizeof row->weight_b);
    memcpy(row->normal, f->normal, sizeof row->normal);
  }
  return PL_OK;
}

static pl_status features_ordered(pl_dist *d, piece *x, piece *y, double margin)
{
  const pl_result *found;
  pl_question def = pl_question_default();
  def.margin = margin;
  pl_status status = pl_near(pl_two(x->handle, y->handle), &def, &found);
  return status == PL_OK ? add_features(d, x, y, found) : dist_failed(d, status);
}

pl_status dist_ask_features(pl_dist *d, piece *x, piece *y, double margin)
{
  bool cut = x != y && x->body == y->body;
  order(&x, &y);
  pl_status status = features_ordered(d, x, y, margin);
  return cut && status == PL_OK ? features_ordered(d, y, x, margin) : status;
}

/* ----------------------------------------------------------------------------------- impacts -- */

/* A side of a row: ids, and whether the piece reports it. */
static bool take_side(piece *p, const uint32_t feature[2], char what, uint64_t ids[2])
{
  for (int i = 0; i < 2; ++i) ids[i] = what == 'f' ? p->triangle_ids[feature[i]] : p->vertices[feature[i]];
  if (what == 'f') return true;
  return what == 'v' ? dist_piece_owns_vertex(p, feature[0]) : dist_piece_owns_edge(p, feature[0], feature[1]);
}

/* Features of two pieces of one body with a vertex in common do not count. */
static bool are_joined(const piece *x, const piece *y, const pl_impact *i)
{
  if (i->kind == PL_FEATURE_EDGE_EDGE) {
    for (int k = 0; k < 4; ++k)
      if (x->vertices[i->feature_a[k / 2]] == y->vertices[i->feature_b[k % 2]]) return true;
    return false;
  }
  for (int k = 0; k < 3; ++k)
    if (x->vertices[i->feature_a[0]] == y->vertices[y->triangles[3 * (size_t)i->feature_b[0] + (size_t)k]]) return true;
  return false;
}

/* Within a body vertices come before faces, and of two edges the one with the lesser vertices. */
static bool is_impact(const piece *x, const piece *y, const pl_impact *i, const pl_dist_impact *row)
{
  if (x == y || x->body != y->body) return true;
  if (i->kind == PL_FEATURE_FACE_VERTEX || are_joined(x, y, i)) return false;
  const uint64_t *a = row->feature_a, *b = row->feature_b;
  return i->kind != PL_FEATURE_EDGE_EDGE || a[0] < b[0] || (a[0] == b[0] && a[1] < b[1]);
}

static pl_status add_impacts(pl_dist *d, piece *x, piece *y, const pl_result *found)
{
  static const char sides[PL_FEATURE_COUNT][3] = {"vf", "fv", "ee"};
  count(d, &found->counters);
  for (size_t k = 0; k < found->count; ++k) {
    const pl_impact *i = &found->impacts[k];
    pl_dist_impact made = {x->body, y->body, .time = i->time, .kind = i->kind};
    bool owned = take_side(x, i->feature_a, sides[i->kind][0], made.feature_a);
    if (!take_side(y, i->feature_b, sides[i->kind][1], made.feature_b) || !owned || !is_impact(x, y, i, &made))
      continue;
    memcpy(made.normal, i->normal, sizeof made.normal);
    memcpy(made.point, i->point, sizeof made.point);
    pl_dist_impact *row = dist_rows_add(&d->result);
    if (!row) return no_memory(d);
    *row = made;
  }
  return PL_OK;
}

static pl_status impacts_ordered(pl_dist *d, piece *x, piece *y, double margin)
{
  const pl_result *found;
  pl_question def = pl_question_default();
  def.all = true;
  def.margin = margin;
  pl_status status = pl_impacts(pl_two(x->handle, y->handle), &def, &found);
  return status == PL_OK ? add_impacts(d, x, y, found) : dist_failed(d, status);
}

pl_status dist_ask_impacts(pl_dist *d, piece *x, piece *y, double margin)
{
  bool cut = x != y && x->body == y->body;
  order(&x, &y);
  pl_status status = dist_piece_pose(d, x);
  if (status == PL_OK) status = dist_piece_pose(d, y);
  if (status == PL_OK && !(dist_piece_edges(x) && dist_piece_edges(y))) status = no_memory(d);
  if (status == PL_OK) status = impacts_ordered(d, x, y, margin);
  return cut && status == PL_OK ? impacts_ordered(d, y, x, margin) : status;
}

/* ----------------------------------------------------------------------------------- nearest -- */

static bool is_nearer(const pl_dist_near_pair *x, const pl_dist_near_pair *y)
{
  if (x->distance != y->distance) return x->distance < y->distance;
  if (x->body_a != y->body_a) return x->body_a < y->body_a;
  if (x->body_b != y->body_b) return x->body_b < y->body_b;
  if (x->triangle_a != y->triangle_a) return x->triangle_a < y->triangle_a;
  return x->triangle_b < y->triangle_b;
}

pl_status dist_ask_nearest(pl_dist *d, piece *x, piece *y, double margin)
{
  pl_dist_near_pair *best = (pl_dist_near_pair *)(void *)d->result.data;
  pl_question def = pl_question_default();
  const pl_result *result;
  order(&x, &y);
  def.margin = margin < best->distance ? margin : best->distance;
  pl_status status = pl_nearest(pl_two(x->handle, y->handle), &def, &result);
  if (status != PL_OK) return dist_failed(d, status);
  const pl_distance *found = &result->distances[0];
  count(d, &result->counters);
  if (isinf(found->distance)) return PL_OK;
  pl_dist_near_pair row = {x->body, y->body, x->triangle_ids[found->triangle_a], y->triangle_ids[found->triangle_b],
                           .distance = found->distance};
  memcpy(row.point_a, found->point_a, sizeof row.point_a);
  memcpy(row.point_b, found->point_b, sizeof row.point_b);
  if (is_nearer(&row, best)) *best = row;
  return PL_OK;
}

/* -------------------------------------------------------------------------------------- rays -- */

pl_status dist_ask_rays(pl_dist *d, piece *x, const pl_ray *rays, size_t ray_count, pl_dist_hit *best)
{
  const pl_result *found;
  pl_status status = pl_cast(pl_one(x->handle), rays, ray_count, NULL, &found);
  if (status != PL_OK) return dist_failed(d, status);
  count(d, &found->counters);
  for (size_t i = 0; i < ray_count; ++i) {
    const pl_hit *h = &found->hits[i];
    if (!h->body || !(h->t < best[i].t)) continue; /* parts come by body */
    best[i] = (pl_dist_hit){.t = h->t, .u = h->u, .v = h->v, .body = x->body, .triangle = x->triangle_ids[h->triangle]};
    memcpy(best[i].normal, h->normal, sizeof h->normal);
  }
  return PL_OK;
}
