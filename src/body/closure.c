/* What is known of a body's connectivity: whether it has an inside, which vertices its edges join,
 * which triangles are around them and own them. */
#include "body/body.h"
#include "mesh/owners.h"

/* Of the triangles in the order of the caller's indices: the tree has its own order. */
static uint8_t *make_owners(const pl_allocator *allocator, const primitives *p)
{
  uint32_t *triangles = mem_raw(allocator, 3 * (size_t)p->triangle_count, sizeof *triangles);
  if (!triangles) return NULL;
  for (uint32_t i = 0; i < p->triangle_count; ++i)
    for (uint32_t c = 0; c < 3; ++c) triangles[3 * (size_t)p->tri_id[i] + c] = p->tri[3 * (size_t)i + c];
  uint8_t *owners = owners_create(allocator, triangles, p->triangle_count, p->vertex_count);
  mem_free(allocator, triangles);
  return owners;
}

/* Made by the first thread that asks, of the primitives `p` with the memory of `locked`. */
#define MAKE_ONCE(type, member, create, destroy)                                                                       \
  const type *body_##member(pl_body *body)                                                                             \
  {                                                                                                                    \
    type *known = atomic_load_explicit(&body->member, memory_order_acquire);                                           \
    if (known) return known;                                                                                           \
    const pl_allocator *locked = &body->context->locked;                                                               \
    const primitives *p = &body->tree->prims;                                                                          \
    type *made = create;                                                                                               \
    if (!made) {                                                                                                       \
      fail(body->context, PL_ERROR_MEMORY, "no memory for the edges of %u triangles", p->triangle_count);              \
      return NULL;                                                                                                     \
    }                                                                                                                  \
    if (atomic_compare_exchange_strong(&body->member, &known, made)) return made;                                      \
    destroy(locked, made); /* another thread was first */                                                              \
    return known;                                                                                                      \
  }
MAKE_ONCE(closure, closure, closure_create(locked, p->tri, p->triangle_count, p->vertex_count), closure_free)
MAKE_ONCE(vertex_rings, rings, vertex_rings_create(locked, p->tri, p->triangle_count, p->vertex_count),
          vertex_rings_free)
MAKE_ONCE(mesh_fans, fans, mesh_fans_create(locked, p->tri, p->tri_id, p->triangle_count, p->vertex_count),
          mesh_fans_free)
MAKE_ONCE(uint8_t, owners, make_owners(locked, p), mem_free)

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
