/* How near a body comes to itself: the pair (a, a) in the walks of near pairs and of the least distance, without what few edges join.
 * The triangles of a node are compared with those of its other children and with themselves, each pair once (kernels/near_self.inl). */
#include "query/query.h"

#include <string.h>

static pl_status check_rings(pl_context *context, uint32_t rings)
{
  if (rings >= 1) return PL_OK;
  return fail(context, PL_ERROR_ARGUMENT, "the number of rings is 0: it must be 1 or more");
}

static pl_status take(pl_context *context, double margin, const pl_self_near_def *def, near_wish *out)
{
  pl_self_near_def d;
  pl_status status = def_take(context, pl_self_near_def, def, &d);
  if (status == PL_OK) status = query_check_amount(context, margin, "the margin");
  if (status == PL_OK) status = check_rings(context, d.rings);
  if (status == PL_OK)
    *out = (near_wish){.margin = margin, .sorted = d.sorted, .filter = d.filter, .user = d.user, .rings = d.rings};
  return status;
}

static pl_status take_features(pl_context *context, double margin, const pl_self_feature_def *def, near_wish *out)
{
  pl_self_feature_def d;
  pl_status status = def_take(context, pl_self_feature_def, def, &d);
  if (status == PL_OK) status = query_check_amount(context, margin, "the margin");
  if (status == PL_OK) status = check_rings(context, d.rings);
  if (status == PL_OK)
    *out = (near_wish){margin, true, d.vertex_face, d.edge_edge, d.sorted, d.filter, d.user, NULL, d.rings};
  return status;
}

static pl_status take_distance(pl_context *context, const pl_self_distance_def *def, pl_distance_def *out,
                               uint32_t *rings)
{
  pl_self_distance_def d;
  pl_status status = def_take(context, pl_self_distance_def, def, &d);
  if (status == PL_OK) status = check_rings(context, d.rings);
  if (status != PL_OK) return status;
  pl_distance_def given = pl_distance_def_default();
  given.relative = d.relative;
  given.absolute = d.absolute;
  given.limit = d.limit;
  given.any = d.any;
  given.filter = d.filter;
  given.user = d.user;
  given.budget_tests = d.budget_tests;
  given.budget_ms = d.budget_ms;
  *rings = d.rings;
  return distance_check_def(context, &given, out);
}

/* What shares no vertex needs neither edges nor marks: any list of edges says that the plan is of one body. */
pl_status self_near_plan(distance_plan *p, query *walks, pl_body *body, uint32_t rings)
{
  static const vertex_rings unused;
  pl_context *context = body->context;
  tree *t = p->walk.side[0]->tree; /* its own, or that of its patches */
  p->ring_edges = rings - 1;
  p->rings = &unused;
  p->leaves_out = t->hubs != NULL;
  /* Features of triangles that share a hub may be pairs, unless all their vertices are two edges apart. */
  p->by_arcs = p->leaves_out && p->owners[0] && p->ring_edges < 2;
  if (p->ring_edges >= t->prims.vertex_count) {
    p->parts = tree_parts_of(context, t);
    p->leaves_out = true;
    return p->parts ? PL_OK : PL_ERROR_MEMORY;
  }
  if (rings > 1) p->rings = body_rings(body);
  if (!p->rings) return PL_ERROR_MEMORY;
  if (p->by_arcs && !arcs_update(context, t, &body->motion.now, body->moves)) return PL_ERROR_MEMORY;
  for (int i = 0; i < context->threads; ++i)
    if (!ring_search_reserve(&context->locked, &walks->workers[i]->distance.around, p->rings->vertex_count))
      return fail(context, PL_ERROR_MEMORY, "no memory for the marks of %zu vertices", p->rings->vertex_count);
  return PL_OK;
}

pl_status self_near_query(pl_body *body, double margin, const pl_self_near_def *def, near_function *run,
                          const pl_near_pairs **out)
{
  if (out) *out = NULL;
  if (!body || !out) return query_refuse_null(body ? body->context : NULL, body ? "out" : "body");
  near_wish wish;
  call c;
  pl_status status = take(body->context, margin, def, &wish);
  if (status == PL_OK) status = body_query(&c, body);
  if (status != PL_OK) return status;
  status = run(body, body, &wish, out);
  call_query_end(&c);
  return status;
}

pl_status pl_body_self_near(pl_body *body, double margin, const pl_self_near_def *def, const pl_near_pairs **out)
{
  return self_near_query(body, margin, def, near_bodies, out);
}

pl_status self_near_feature_query(pl_body *body, double margin, const pl_self_feature_def *def,
                                  near_feature_function *run, const pl_feature_pairs **out)
{
  if (out) *out = NULL;
  if (!body || !out) return query_refuse_null(body ? body->context : NULL, body ? "out" : "body");
  near_wish wish;
  call c;
  pl_status status = take_features(body->context, margin, def, &wish);
  if (status == PL_OK) status = body_query(&c, body);
  if (status != PL_OK) return status;
  status = run(body, body, &wish, out);
  call_query_end(&c);
  return status;
}

pl_status pl_body_self_near_features(pl_body *body, double margin, const pl_self_feature_def *def,
                                     const pl_feature_pairs **out)
{
  return self_near_feature_query(body, margin, def, near_feature_bodies, out);
}

static pl_status self_distance(pl_body *body, const pl_distance_def *def, uint32_t rings, pl_distance *out)
{
  pl_context *context = body->context;
  distance_scratch *q = query_scratch(context, QUERY_DISTANCE);
  if (!q) return PL_ERROR_MEMORY;
  *out = (pl_distance){0};
  query_stages stages = query_start(context, &out->counters);
  pl_status status = query_update(&stages, &body, 1);
  if (status != PL_OK) return status;
  place at;
  distance_plan plan;
  place_make(&at, body);
  distance_plan_places(context, &plan, body, body, &at, &at);
  status = self_near_plan(&plan, q->walks, body, rings);
  if (status == PL_OK) status = distance_search(context, q, &plan, def, body->serial, body->serial, stages.start, out);
  query_end(&stages);
  return status;
}

pl_status self_distance_query(pl_body *body, const pl_self_distance_def *def, self_distance_function *run,
                              pl_distance *out, size_t out_size)
{
  if (out) memset(out, 0, out_size);
  if (!body || !out) return query_refuse_null(body ? body->context : NULL, body ? "out" : "body");
  pl_distance_def d;
  uint32_t rings;
  pl_distance answer;
  call c;
  pl_status status = take_distance(body->context, def, &d, &rings);
  if (status == PL_OK) status = body_query(&c, body);
  if (status != PL_OK) return status;
  status = run(body, &d, rings, &answer);
  call_query_end(&c);
  if (status == PL_OK) result_give(out, out_size, &answer, sizeof answer);
  return status;
}

pl_status pl_body_self_distance_sized(pl_body *body, const pl_self_distance_def *def, pl_distance *out, size_t out_size)
{
  return self_distance_query(body, def, self_distance, out, out_size);
}
