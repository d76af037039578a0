#include "query/soup.h"

#include <math.h>
#include <string.h>

pl_status soup_create(pl_body *body, soup *out)
{
  const pl_allocator *allocator = &body->context->def.allocator;
  size_t n = body->tree->prims.triangle_count;
  memset(out, 0, sizeof *out);
  out->count = n;
  bool all = mem_take(allocator, &out->corners, n) && mem_take(allocator, &out->vertex, 3 * n);
  for (int k = 0; k < 6; ++k) all = all && mem_take(allocator, &out->box[k], n);
  if (!all) {
    soup_free(body->context, out);
    return fail(body->context, PL_ERROR_MEMORY, "no memory for %zu triangles", n);
  }
  for (size_t i = 0; i < n; ++i) {
    uint32_t id = body->tree->prims.tri_id[i];
    memcpy(out->vertex + 3 * (size_t)id, body->tree->prims.tri + 3 * i, 3 * sizeof *out->vertex);
    if (prims_hole(&body->tree->prims, i)) {
      memset(out->corners[id], 0, sizeof out->corners[id]);
      for (int k = 0; k < 6; ++k) out->box[k][id] = k < 3 ? INFINITY : -INFINITY;
      continue;
    }
    for (int c = 0; c < 3; ++c)
      points_world(&body->motion.now, body->tree->prims.tri[3 * i + (size_t)c], out->corners[id][c]);
    for (int k = 0; k < 3; ++k) {
      double x = out->corners[id][0][k], y = out->corners[id][1][k], z = out->corners[id][2][k];
      out->box[k][id] = fmin(x, fmin(y, z));
      out->box[k + 3][id] = fmax(x, fmax(y, z));
    }
  }
  return PL_OK;
}

void soup_free(pl_context *context, soup *s)
{
  mem_free_all(&context->def.allocator, s->corners, s->vertex);
  for (int k = 0; k < 6; ++k) mem_free(&context->def.allocator, s->box[k]);
  memset(s, 0, sizeof *s);
}
