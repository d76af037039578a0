/* Repair of a body's tree: by itself when positions are set, and on request. */
#include "update/repair.h"

#include "body/body.h"
#include "core/timer.h"

#include <string.h>

enum { REBUILD_COST = 100 /* volumes per triangle */ };

void body_repair_some(pl_body *body)
{
  if (!body->def.repair || body->trees.kind) return; /* key poses have trees of their own */
  update *u = body->update;
  uint64_t spent;
  repair_run(u, body->def.repair < 0 ? repair_budget(u) : (uint64_t)body->def.repair, &spent);
}

/* Builds the tree again for the present positions. */
static pl_status rebuild_packed(pl_body *body)
{
  pl_context *context = body->context;
  const pl_allocator *allocator = &context->def.allocator;
  const primitives *p = &body->tree->prims;
  double(*at)[3] = mem_raw(allocator, (size_t)p->vertex_count + 1, sizeof *at);
  uint32_t(*triangles)[3] = mem_raw(allocator, (size_t)p->triangle_count, sizeof *triangles);
  pl_status status = at && triangles ? PL_OK : fail(context, PL_ERROR_MEMORY, "no memory for another tree");
  if (status == PL_OK) {
    for (uint32_t v = 0; v < p->vertex_count; ++v) points_position(&body->motion.now, v, at[v]);
    for (size_t k = 0; k < p->triangle_count; ++k) memcpy(triangles[p->tri_id[k]], p->tri + 3 * k, sizeof *triangles);
    pl_mesh_def mesh = pl_mesh_def_default();
    mesh.positions = pl_positions_f64(at[0], p->vertex_count);
    mesh.triangles = triangles[0];
    mesh.triangle_count = p->triangle_count;
    tree by = {0};
    status = body_build_tree(body, &mesh, &by);
    if (status == PL_OK) {
      status = body_restructure(body, &by);
      if (status != PL_OK) tree_free(context, &by);
    }
  }
  mem_free_all(allocator, at, triangles);
  return status;
}

static pl_status rebuild(pl_body *body)
{
  const pl_status status = body->tree->prims.places ? body_rebuild_roomy(body) : rebuild_packed(body);
  if (status == PL_OK) ++body->rebuilds;
  return status;
}

static pl_status repair_now(pl_body *body, uint64_t budget, uint64_t *spent)
{
  update *u = body->update;
  const uint64_t whole = (uint64_t)body->tree->prims.triangle_count * REBUILD_COST;
  *spent = 0;
  if (!budget || body->repaired == body->moves + 1) return PL_OK;
  if (body->trees.kind) return PL_OK;
  if (!repair_suits(u)) {
    if (budget < whole) return PL_OK;
    *spent = whole;
    pl_status status = rebuild(body);
    if (status == PL_OK) body->repaired = body->moves + 1;
    return status;
  }
  uint64_t made = 0;
  pl_status status = body_update(body, &made);
  if (status != PL_OK) return status;
  body_ensure_root(body);
  if (!repair_whole(u, budget, spent)) return PL_OK;
  ++body->moves; /* the same positions, and other triangles where queries remember them */
  body->repaired = body->moves + 1;
  forest_moved(&body->trees);
  update_invalidate(u);
  return PL_OK;
}

pl_status pl_body_repair(pl_body *body, uint64_t volumes, uint64_t *spent)
{
  pl_status status = body_change(body);
  if (status != PL_OK) return status;
  uint64_t work = 0;
  double start = timer_ms();
  status = repair_now(body, volumes, &work);
  body->repair_ms += timer_ms() - start;
  body->repair_spent += work;
  body_change_end(body);
  if (spent && status == PL_OK) *spent = work;
  return status;
}

void body_repair_facts(const pl_body *body, pl_body_info *out)
{
  const repair *r = body->update->repair;
  out->repaired = body->rebuilds * body->tree->prims.triangle_count * REBUILD_COST;
  out->rebuilds = body->rebuilds;
  if (!r) return;
  out->repaired += r->spent;
  out->sorted = r->sorted;
  if (repair_waits(body->update)) out->unsorted = r->job.count;
}

uint64_t pl_body_repair_volumes(const pl_body *body, double microseconds)
{
  if (!body || !(microseconds > 0)) return 0;
  double per = body->repair_spent && body->repair_ms > 0 ? (double)body->repair_spent / (1e3 * body->repair_ms) : 30;
  double volumes = microseconds * per;
  return volumes < 0x1p63 ? (uint64_t)volumes : UINT64_MAX;
}
