#include "body/thick.h"

#include "body/body.h"

#include <math.h>
#include <string.h>

void thickness_free(const pl_allocator *allocator, body_thickness *t)
{
  mem_free_all(allocator, t->radius, t->face);
  *t = (body_thickness){0};
}

pl_status thickness_update(pl_body *body)
{
  body_thickness *t = &body->thickness;
  const primitives *p = &body->tree->prims;
  if (!t->radius || (t->face && t->serial == body->serial && t->version == body->tree->nodes.version)) return PL_OK;
  const pl_allocator *allocator = &body->context->def.allocator;
  mem_free(allocator, t->face);
  if (!mem_take(allocator, &t->face, p->triangle_count))
    return fail(body->context, PL_ERROR_MEMORY, "no memory for the radii of %u triangles", p->triangle_count);
  for (size_t i = 0; i < p->triangle_count; ++i) {
    const uint32_t *v = p->tri + 3 * i;
    if (prims_hole(p, i)) continue;
    t->face[p->tri_id[i]] = fmax(t->radius[v[0]], fmax(t->radius[v[1]], t->radius[v[2]]));
  }
  t->serial = body->serial;
  t->version = body->tree->nodes.version;
  return PL_OK;
}

static pl_status check(const pl_body *body, double own, const double *radii, double *most)
{
  if (!(own >= 0) || isinf(own))
    return fail(body->context, PL_ERROR_ARGUMENT, "the thickness %g is not finite, or less than 0", own);
  *most = 0;
  for (size_t v = 0; v < body->motion.vertex_count && radii; ++v) {
    if (!(radii[v] >= 0) || isinf(radii[v]))
      return fail(body->context, PL_ERROR_ARGUMENT, "the radius of vertex %zu is %g: it must be finite, 0 or more", v,
                  radii[v]);
    *most = fmax(*most, radii[v]);
  }
  return PL_OK;
}

static pl_status set(pl_body *body, double own, const double *radii)
{
  body_thickness *t = &body->thickness, next = {.own = own};
  const size_t n = body->motion.vertex_count;
  const pl_allocator *allocator = &body->context->def.allocator;
  pl_status status = check(body, own, radii, &next.most);
  if (status != PL_OK) return status;
  if (next.most > 0) {
    if (!mem_take(allocator, &next.radius, n))
      return fail(body->context, PL_ERROR_MEMORY, "no memory for the radii of %zu vertices", n);
    memcpy(next.radius, radii, n * sizeof *radii);
    next.room = n;
  }
  next.most += own;
  thickness_free(allocator, t);
  *t = next;
  ++body->moves; /* what is kept between questions depends on it */
  return PL_OK;
}

pl_status pl_body_set_thickness(pl_body *body, double own, const double *radii)
{
  const pl_status status = body_change(body);
  return status == PL_OK ? body_changed(body, set(body, own, radii)) : status;
}
