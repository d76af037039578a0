/* Repair of a body's tree: by itself when positions are set, and on request. */
#include "update/repair.h"

#include "body/body.h"
#include "core/timer.h"

enum { REBUILD_COST = 100 /* volumes per triangle */ };

/* Key poses have trees of their own, a rigid body keeps its tree, and where volumes are larger than
 * what they bound, criteria say which of them are refitted. */
static bool repairs_itself(const pl_body *body)
{
  if (!body->def.repair || body->trees.kind || body->motion.name == PL_MOTION_RIGID) return false;
  return body->def.repair > 0 || body->update->source->tight;
}

pl_status body_repair_created(const pl_body *body)
{
  const update *u = body->update;
  if (!repairs_itself(body) || !repair_suits(u) || u->repair) return PL_OK;
  return fail(body->context, PL_ERROR_MEMORY, "no memory for what watches the tree");
}

void body_repair_some(pl_body *body)
{
  if (!repairs_itself(body)) return;
  update *u = body->update;
  uint64_t spent;
  const uint64_t budget = body->def.repair < 0 ? repair_earned(u) : (uint64_t)body->def.repair;
  if (body->def.repair < 0 && !u->repair) return; /* it does not suit the tree, or there is no memory now */
  repair_run(u, budget, &spent);
  repair_spent(u, spent);
}

static pl_status rebuild(pl_body *body)
{
  const pl_status status = body_rebuild(body, !body->tree->prims.places);
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
