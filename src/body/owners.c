/* Which triangle of a body owns each of its vertices and edges. */
#include "mesh/owners.h"
#include "body/body.h"

/* Copies the triangles in the order of the caller's indices: the tree has its own order. */
static uint8_t *create(pl_body *body)
{
  const pl_allocator *allocator = &body->context->locked;
  const primitives *p = &body->tree->prims;
  uint32_t *triangles = mem_raw(allocator, 3 * (size_t)p->triangle_count, sizeof *triangles);
  if (!triangles) return NULL;
  for (uint32_t i = 0; i < p->triangle_count; ++i)
    for (uint32_t c = 0; c < 3; ++c) triangles[3 * (size_t)p->tri_id[i] + c] = p->tri[3 * (size_t)i + c];
  uint8_t *owners = owners_create(allocator, triangles, p->triangle_count, p->vertex_count);
  mem_free(allocator, triangles);
  return owners;
}

const uint8_t *body_owners(pl_body *body)
{
  uint8_t *known = atomic_load_explicit(&body->owners, memory_order_acquire);
  if (known) return known;
  uint8_t *made = create(body);
  if (!made) {
    fail(body->context, PL_ERROR_MEMORY, "no memory for the edges of %u triangles", body->tree->prims.triangle_count);
    return NULL;
  }
  if (atomic_compare_exchange_strong(&body->owners, &known, made)) return made;
  mem_free(&body->context->locked, made); /* another thread was first */
  return known;
}
