/* Which vertices of a body are joined by its edges. */
#include "body/body.h"

const vertex_rings *body_rings(pl_body *body)
{
  vertex_rings *known = atomic_load_explicit(&body->rings, memory_order_acquire);
  if (known) return known;
  pl_context *context = body->context;
  const primitives *p = &body->tree->prims;
  vertex_rings *made = vertex_rings_create(&context->locked, p->tri, p->triangle_count, p->vertex_count);
  if (!made) {
    fail(context, PL_ERROR_MEMORY, "no memory for the edges of %u triangles", p->triangle_count);
    return NULL;
  }
  if (atomic_compare_exchange_strong(&body->rings, &known, made)) return made;
  vertex_rings_free(&context->locked, made); /* another thread was first */
  return known;
}
