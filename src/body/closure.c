/* What a body's edges tell: whether it has an inside, and which vertices they join. */
#include "body/body.h"

/* Made by the first thread that asks. */
#define MAKE_ONCE(type, member)                                                                                        \
  const type *body_##member(pl_body *body)                                                                             \
  {                                                                                                                    \
    type *known = atomic_load_explicit(&body->member, memory_order_acquire);                                           \
    if (known) return known;                                                                                           \
    pl_context *context = body->context;                                                                               \
    const primitives *p = &body->tree->prims;                                                                          \
    type *made = type##_create(&context->locked, p->tri, p->triangle_count, p->vertex_count);                          \
    if (!made) {                                                                                                       \
      fail(context, PL_ERROR_MEMORY, "no memory for the edges of %u triangles", p->triangle_count);                    \
      return NULL;                                                                                                     \
    }                                                                                                                  \
    if (atomic_compare_exchange_strong(&body->member, &known, made)) return made;                                      \
    type##_free(&context->locked, made); /* another thread was first */                                                \
    return known;                                                                                                      \
  }
MAKE_ONCE(closure, closure)
MAKE_ONCE(vertex_rings, rings)

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
