/* The triangles around the vertices of a body. */
#include "body/body.h"

const mesh_fans *body_fans(pl_body *body)
{
  mesh_fans *known = atomic_load_explicit(&body->fans, memory_order_acquire);
  if (known) return known;
  pl_context *context = body->context;
  const primitives *p = &body->tree->prims;
  mesh_fans *made = mesh_fans_create(&context->locked, p->tri, p->tri_id, p->triangle_count, p->vertex_count);
  if (!made) {
    fail(context, PL_ERROR_MEMORY, "no memory for the connectivity of %u triangles", p->triangle_count);
    return NULL;
  }
  if (atomic_compare_exchange_strong(&body->fans, &known, made)) return made;
  mesh_fans_free(&context->locked, made); /* another thread was first */
  return known;
}
