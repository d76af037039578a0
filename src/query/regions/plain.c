/* The reference: pairs by testing all of them, and joins without names. Two pieces meet if what
 * their triangles share as meshes touches. */
#include "exact/tri_tri.h"
#include "exact/tri_tri_beyond.h"
#include "query/regions/regions.h"

#include <string.h>

/* What two triangles of a mesh share: a triangle, an edge, a vertex, or three edges of two
 * triangles with the same corners. */
typedef struct shared {
  int count;
  double at[3][3][3]; /* as triangles that may have no area */
} shared;

static void share(const region_surface *s, uint32_t t, uint32_t u, shared *out)
{
  const uint32_t *a = surface_corners(s, t), *b = surface_corners(s, u);
  uint32_t both[3] = {0, 0, 0};
  int n = 0;
  out->count = 0;
  for (int i = 0; i < 3; ++i) {
    bool seen = false;
    for (int k = 0; k < n; ++k) seen = seen || both[k] == a[i];
    if (!seen && (a[i] == b[0] || a[i] == b[1] || a[i] == b[2])) both[n++] = a[i];
  }
  if (!n) return;
  const bool edges = n == 3 && t != u;
  out->count = edges ? 3 : 1;
  for (int k = 0; k < out->count; ++k)
    for (int c = 0; c < 3; ++c) {
      int corner = edges ? (k + (c < 2 ? c : 1)) % 3 : c < n ? c : n - 1;
      memcpy(out->at[k][c], surface_vertex(s, both[corner]), sizeof out->at[k][c]);
    }
}

static bool meet(const shared *f, const shared *g)
{
  for (int i = 0; i < f->count; ++i)
    for (int k = 0; k < g->count; ++k)
      if (tri_tri_touch((const double(*)[3])f->at[i], (const double(*)[3])g->at[k])) return true;
  return false;
}

pl_status regions_join_plainly(regions_run *r)
{
  regions_scratch *q = r->q;
  const region_surface *a = surface_of(r, 0), *b = surface_of(r, 1);
  for (uint32_t i = 0; i < q->pieces.count; ++i) {
    q->parent.data[i] = i;
    q->odd.data[i] = 0;
  }
  for (uint32_t i = 0; i < q->pieces.count; ++i)
    for (uint32_t k = 0; k < i; ++k) {
      const region_piece *p = &q->pieces.data[i], *other = &q->pieces.data[k];
      shared f, g;
      share(a, p->a, other->a, &f);
      share(b, p->b, other->b, &g);
      if (meet(&f, &g)) regions_unite(q, i, k, 0);
      if (!r->self) continue;
      share(a, p->a, other->b, &f);
      share(a, p->b, other->a, &g);
      if (meet(&f, &g)) regions_unite(q, i, k, 1);
    }
  return PL_OK;
}

/* ------------------------------------------------------------------------------------- pairs -- */

/* All vertices of a body, whose trees are not asked. */
static pl_status place_all(regions_run *r, int side)
{
  pl_body *body = r->body[side];
  const size_t count = body->tree->prims.vertex_count;
  if (!regions_reserve(r, &r->q->plain[side], 3 * count)) return regions_no_memory(r);
  for (uint32_t v = 0; v < count; ++v) points_world(&body->motion.now, v, r->q->plain[side].data + 3 * (size_t)v);
  return PL_OK;
}

static bool is_pair(const regions_run *r, const mesh_fans *fans[2], pl_pair pair)
{
  const uint32_t *a = fans[0]->corner + 3 * (size_t)pair.a, *b = fans[1]->corner + 3 * (size_t)pair.b;
  double p[3][3], q[3][3];
  if (a[0] == NO_VERTEX || b[0] == NO_VERTEX) return false;
  const bool neighbours = r->body[0] == r->body[1] && rings_equal(a, b);
  if (neighbours && r->def->rings) return false;
  for (int c = 0; c < 3; ++c) {
    memcpy(p[c], r->q->plain[0].data + 3 * (size_t)a[c], sizeof p[c]);
    memcpy(q[c], r->q->plain[1].data + 3 * (size_t)b[c], sizeof q[c]);
  }
  const double(*s)[3] = (const double(*)[3])p, (*t)[3] = (const double(*)[3])q;
  if (!(neighbours ? tri_tri_beyond(s, a, t, b) : tri_tri_touch(s, t))) return false;
  return !r->def->filter || r->def->filter(r->def->user, r->body[0], r->body[1], pair);
}

pl_status regions_add_plainly(regions_run *r)
{
  regions_scratch *q = r->q;
  const mesh_fans *fans[2] = {body_fans(r->body[0]), body_fans(r->body[1])};
  if (!fans[0] || !fans[1]) return PL_ERROR_MEMORY;
  for (int side = 0; side < 2; ++side) {
    pl_status status = place_all(r, side);
    if (status != PL_OK) return status;
  }
  q->pairs.count = 0;
  for (uint32_t a = 0; a < fans[0]->triangle_count; ++a)
    for (uint32_t b = r->body[0] == r->body[1] ? a + 1 : 0; b < fans[1]->triangle_count; ++b) {
      if (!is_pair(r, fans, (pl_pair){a, b})) continue;
      if (!regions_reserve(r, &q->pairs, q->pairs.count + 1)) return regions_no_memory(r);
      q->pairs.data[q->pairs.count++] = (pl_pair){a, b};
    }
  return regions_add(r, q->pairs.data, q->pairs.count);
}
