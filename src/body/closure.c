/* Whether a body has an inside. */
#include "body/body.h"

const closure *body_closure(pl_body *body)
{
  closure *known = atomic_load_explicit(&body->closure, memory_order_acquire);
  if (known) return known;
  pl_context *context = body->context;
  const primitives *p = &body->tree->prims;
  closure *made = closure_create(&context->locked, p->tri, p->triangle_count, p->vertex_count);
  if (!made) {
    fail(context, PL_ERROR_MEMORY, "no memory for the edges of %u triangles", p->triangle_count);
    return NULL;
  }
  if (atomic_compare_exchange_strong(&body->closure, &known, made)) return made;
  closure_free(&context->locked, made); /* another thread was first */
  return known;
}

pl_status pl_body_closure(pl_body *body, pl_closure *out, size_t *boundary_edges)
{
  if (out) *out = PL_CLOSURE_OPEN;
  if (boundary_edges) *boundary_edges = 0;
  if (!body) return fail_null("body");
  if (!out) return fail(body->context, PL_ERROR_ARGUMENT, "out is NULL");
  const closure *c = body_closure(body);
  if (!c) return PL_ERROR_MEMORY;
  *out = c->kind;
  if (boundary_edges) *boundary_edges = c->edge_count;
  return PL_OK;
}
