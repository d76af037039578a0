/* All pairs of touching triangles of one body: the pair (a, a) in the walk of pairs. */
#include "query/pairs/self.h"

#include "core/timer.h"

pl_status self_check_def(pl_context *context, const pl_self_def *def, pl_self_def *out)
{
  pl_status status = def_take(context, pl_self_def, def, out);
  if (status != PL_OK) return status;
  if ((unsigned)out->method >= PL_SELF_METHOD_COUNT)
    return fail(context, PL_ERROR_ARGUMENT, "the method of a self query is not one of the list");
  return query_check_amount(context, out->budget_ms, "the time budget");
}

/* What the job of a self query has in common with that of two bodies. */
pl_collide_def self_collide_def(const pl_self_def *def)
{
  pl_collide_def d = pl_collide_def_default();
  d.first = def->first;
  d.sorted = def->sorted;
  d.callback = def->callback;
  d.filter = def->filter;
  d.user = def->user;
  d.budget_tests = def->budget_tests;
  d.budget_ms = def->budget_ms;
  return d;
}

/* Small bodies are walked by their volumes: there is little to cull. */
enum { SMALL = 256 };

static bool wants_cones(const pl_body *body, const pl_self_def *def)
{
  if (def->method == PL_SELF_METHOD_AUTO) return body->tree->prims.triangle_count > SMALL;
  return def->method != PL_SELF_METHOD_BOXES;
}

/* Patches need nothing of the body's own tree, which then stays as it is. */
static bool needs_tree(const pl_body *body, const pl_self_def *def)
{
  return !wants_cones(body, def) || body->motion.now.exponent;
}

/* Patches that are up to date, and room for their contours in every worker. */
static pl_status update_patches(pl_body *body, uint64_t *made)
{
  pl_context *context = body->context;
  query *walks = query_scratch(context, QUERY_WALKS);
  pl_status status = walks ? PL_OK : PL_ERROR_MEMORY;
  if (status == PL_OK && !body->patches) status = patches_create(context, body->tree, &body->motion, &body->patches);
  if (status == PL_OK) status = patches_update(body->patches, &body->motion.now, body->moves, made);
  for (int i = 0; status == PL_OK && i < context->threads; ++i)
    if (!array_reserve(&context->locked, &walks->workers[i]->walk.contour,
                       contour_room(2 * (size_t)body->patches->longest)))
      status = fail(context, PL_ERROR_MEMORY, "no memory for the borders of patches");
  return status == PL_OK ? patches_hold_front(body->patches, walks->workers[0]->walk.contour.data, made) : status;
}

pl_status self_choose(pl_body *body, pl_self_def *def, pl_counters *counters)
{
  if (def->method != PL_SELF_METHOD_AUTO) return PL_OK;
  pl_status status = wants_cones(body, def) ? update_patches(body, &counters->n_u) : PL_OK;
  if (status != PL_OK) return status;
  bool cones = wants_cones(body, def) && !patches_are_coarse(body->patches, &body->motion.now);
  def->method = cones ? PL_SELF_METHOD_CONES : PL_SELF_METHOD_BOXES;
  return PL_OK;
}

/* With neighbours: where the triangles around hubs lie. */
static pl_status update_arcs(const place *at, pl_body *body, const pl_self_def *def)
{
  tree *t = at->side.tree;
  if (!def->neighbours || !t->hubs) return PL_OK;
  return arcs_update(body->context, t, &body->motion.now, body->moves) ? PL_OK : PL_ERROR_MEMORY;
}

pl_status self_place(place *at, pl_body *body, const pl_self_def *def, pl_counters *counters)
{
  const bool by_tree = needs_tree(body, def);
  if (by_tree) counters->n_u += place_make(at, body);
  if (!wants_cones(body, def)) return update_arcs(at, body, def);
  pl_status status = update_patches(body, &counters->n_u);
  if (status != PL_OK) return status;
  if (!by_tree) {
    *at = (place){.known = true, .at.world = patches_world_box(body->patches)};
    walk_take_side(&at->side, body);
  }
  at->side.tree = &body->patches->tree;
  at->side.lanes = NULL; /* they are of the other tree's leaves */
  at->side.eager = !body->patches->demand;
  at->side.ensure = patches_ensure;
  at->side.owner = body->patches;
  return update_arcs(at, body, def);
}

void self_prepare(job *j, pl_body *body, const place *at, const pl_self_def *def)
{
  *j = (job){.a = body, .b = body};
  plan_sides(&j->plan, at, at);
  if (at->side.tree == body->tree) {
    j->plan.oriented = !spaces_are_shared(&at->at, &at->at);
    if (j->plan.oriented) plan_maps(&j->plan, &at->at, &at->at);
    plan_shapes(body->context, &j->plan, body, body);
  } else {
    j->plan.patches = body->patches;
    j->plan.contours = def->method != PL_SELF_METHOD_CONES_MAY_MISS;
    j->plan.leaves = kernels_of(body->context->isa)->pairs->leaves;
  }
  j->plan.self = true;
  j->plan.neighbours = def->neighbours;
  if (at->side.tree->hubs) j->plan.hubs = at->side.tree;
  j->plan.first = def->first;
  j->plan.filter = def->filter;
  j->plan.filter_user = def->user;
}

/* By walks over a tree. */
static pl_status run_walk(pl_body *body, collide_scratch *q, const pl_self_def *asked, query_stages *stages,
                          pl_pairs *answer)
{
  pl_context *context = body->context;
  pl_self_def def = *asked;
  pl_collide_def shared = self_collide_def(&def);
  place at;
  updating_begin(context);
  pl_status status = self_choose(body, &def, &answer->counters);
  updating_end(context);
  if (status == PL_OK && needs_tree(body, &def)) status = query_update(stages, &body, 1);
  if (status == PL_OK && !array_reserve(&context->def.allocator, &q->jobs, 1))
    status = fail(context, PL_ERROR_MEMORY, "no memory for a query");
  if (status != PL_OK) return status;
  updating_begin(context);
  status = self_place(&at, body, &def, &answer->counters);
  updating_end(context);
  if (status != PL_OK) return status;
  if (at.side.tree != body->tree) stages->updated = timer_ms(); /* patches were updated */
  self_prepare(&q->jobs.data[0], body, &at, &def);
  q->jobs.count = 1;
  return query_run_one(context, q, &shared, stages->start, answer);
}

static pl_status run_hash(pl_body *body, collide_scratch *q, const pl_self_def *def, const query_stages *stages,
                          pl_pairs *answer)
{
  pl_collide_def shared = self_collide_def(def);
  pl_status status = self_by_hash(body, def, stages->start, answer);
  return status == PL_OK ? query_hand_on(body->context, q, &shared, answer) : status;
}

pl_status self_body(pl_body *body, const pl_self_def *def, const pl_pairs **out)
{
  pl_context *context = body->context;
  collide_scratch *q = query_scratch(context, QUERY_COLLIDE);
  if (!q) return PL_ERROR_MEMORY;
  pl_pairs answer = {0};
  query_stages stages = query_start(context, &answer.counters);
  pl_status status = def->method == PL_SELF_METHOD_HASH ? run_hash(body, q, def, &stages, &answer)
                                                        : run_walk(body, q, def, &stages, &answer);
  if (status != PL_OK) return status;
  query_end(&stages);
  q->answer = answer;
  *out = &q->answer;
  return PL_OK;
}

pl_status self_query(pl_body *body, const pl_self_def *def, self_function *run, const pl_pairs **out)
{
  if (out) *out = NULL;
  if (!body || !out) return query_refuse_null(body ? body->context : NULL, body ? "out" : "body");
  pl_self_def d;
  call c;
  pl_status status = self_check_def(body->context, def, &d);
  if (status == PL_OK) status = body_query(&c, body);
  if (status != PL_OK) return status;
  status = run(body, &d, out);
  call_query_end(&c);
  return status;
}

pl_status pl_body_self(pl_body *body, const pl_self_def *def, const pl_pairs **out)
{
  return self_query(body, def, self_body, out);
}
