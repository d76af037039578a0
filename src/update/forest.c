#include "update/forest.h"

#include <string.h>

pl_status forest_create(pl_context *context, forest *f, int count)
{
  *f = (forest){.context = context, .count = count};
  f->trees = mem_new(&context->def.allocator, (size_t)count, sizeof *f->trees);
  if (f->trees) return PL_OK;
  f->count = 0;
  return fail(context, PL_ERROR_MEMORY, "no memory for %d trees", count);
}

void forest_free(forest *f)
{
  if (!f->context) return;
  if (f->kind) f->kind->destroy(f);
  for (int i = 0; i < f->count; ++i) {
    update_free(&f->trees[i].update);
    tree_free(f->context, &f->trees[i].tree);
  }
  mem_free(&f->context->def.allocator, f->trees);
  memset(f, 0, sizeof *f);
}

bool forest_choose(forest *f, const points *p)
{
  int before = f->active;
  if (f->kind) f->active = f->kind->choose(f, p);
  if (f->active == before) return false;
  update *u = &forest_active(f)->update;
  /* it has not seen the moves since it was last in use */
  if (u->source->forget) u->source->forget(u);
  return true;
}

pl_status forest_update(forest *f, asked_kind kind, uint64_t *made)
{
  update *u = &forest_active(f)->update;
  if (!u->pending) return PL_OK;
  updating_begin(f->context);
  if (u->pending) update_asked(u, kind);
  pl_status status = update_now(u, made);
  updating_end(f->context);
  return status;
}

pl_status forest_rays_begin(forest *f, const points *p, uint64_t *made)
{
  if (!f->kind) return forest_update(f, ASKED_RAYS, made);
  updating_begin(f->context);
  pl_status status = f->kind->rays_begin(f, p, made);
  updating_end(f->context);
  return status;
}

void forest_rays_end(forest *f, size_t rays, const pl_counters *spent)
{
  if (!f->kind) return;
  updating_begin(f->context);
  f->kind->rays_end(f, rays, spent);
  updating_end(f->context);
}

pl_status forest_make_fans(forest *f)
{
  pl_status status = PL_OK;
  for (int i = 0; status == PL_OK && i < f->count; ++i) status = tree_make_fans(f->context, &f->trees[i].tree);
  return status;
}

size_t forest_bytes(const forest *f)
{
  size_t bytes = f->kind ? f->kind->bytes(f) : 0;
  for (int i = 0; i < f->count; ++i) bytes += f->trees[i].tree.bytes;
  return bytes;
}
