/* Touching triangles of one body: the pair (a, a) in the walk of pairs. */
#include "query/pairs/self.h"

/* Small bodies are walked by their volumes: there is little to cull. So are bodies without any
 * patch that has a border, such as triangle soups: nothing is culled, and their own tree is the one
 * that repair keeps good. */
enum { SMALL = 256 };

const self_method_row pl_inside_self_method_AUTO = {.cones = true};
const self_method_row pl_inside_self_method_CONES = {.cones = true};
const self_method_row pl_inside_self_method_BOXES = {.cones = false};

const self_method_row *self_method_of(pl_self_method method)
{
  static const self_method_row *const rows[] = {
#define ROW(name, word) [PL_SELF_METHOD_##name] = &pl_inside_self_method_##name,
      SELF_METHOD_LIST(ROW)
#undef ROW
  };
  return (unsigned)method < PL_SELF_METHOD_COUNT ? rows[method] : NULL;
}

static bool wants_cones(const pl_body *body, const self_walk *how)
{
  if (how->method == PL_SELF_METHOD_AUTO)
    return body->tree->prims.triangle_count > SMALL && (!body->patches || body->patches->longest);
  return self_method_of(how->method)->cones;
}

/* Patches need nothing of the body's own tree, which then stays as it is. */
bool self_needs_tree(const pl_body *body, const self_walk *how)
{
  return !wants_cones(body, how) || body->motion.now.exponent;
}

/* Patches that are up to date, and room for their contours in every worker. */
static pl_status update_patches(pl_body *body, uint64_t *made)
{
  pl_context *context = body->context;
  query *walks = query_scratch(context, QUERY_WALKS);
  pl_status status = walks ? PL_OK : PL_ERROR_MEMORY;
  if (status == PL_OK && !body->patches) status = patches_create(context, body->tree, &body->motion, &body->patches);
  if (status == PL_OK) status = patches_update(body->patches, body->moves, made);
  for (int i = 0; status == PL_OK && i < context->threads; ++i)
    if (!array_reserve(&context->locked, &walks->workers[i]->walk.contour,
                       contour_room(2 * (size_t)body->patches->longest)))
      status = fail(context, PL_ERROR_MEMORY, "no memory for the borders of patches");
  return status == PL_OK ? patches_hold_front(body->patches, walks->workers[0]->walk.contour.data, made) : status;
}

pl_status self_choose(pl_body *body, self_walk *how, pl_counters *counters)
{
  if (how->method != PL_SELF_METHOD_AUTO) return PL_OK;
  if (body_lacks_patches(body)) {
    how->method = PL_SELF_METHOD_BOXES;
    return PL_OK;
  }
  pl_status status = wants_cones(body, how) ? update_patches(body, &counters->n_u) : PL_OK;
  if (status != PL_OK) return status;
  bool cones = wants_cones(body, how) && !patches_are_coarse(body->patches);
  how->method = cones ? PL_SELF_METHOD_CONES : PL_SELF_METHOD_BOXES;
  return PL_OK;
}

/* With neighbours: where the triangles around hubs lie. */
static pl_status update_arcs(const place *at, pl_body *body, const self_walk *how)
{
  tree *t = at->side.tree;
  if (!how->neighbours || !t->hubs) return PL_OK;
  return arcs_update(body->context, t, &body->motion.now, body->moves) ? PL_OK : PL_ERROR_MEMORY;
}

pl_status self_place(place *at, pl_body *body, const self_walk *how, pl_counters *counters)
{
  const bool by_tree = self_needs_tree(body, how);
  if (by_tree) counters->n_u += place_make(at, body);
  if (!wants_cones(body, how)) return update_arcs(at, body, how);
  pl_status status = update_patches(body, &counters->n_u);
  if (status != PL_OK) return status;
  place_make_patches(at, body, by_tree);
  return update_arcs(at, body, how);
}

void self_prepare(touching_job *j, pl_body *body, const place *at, const self_walk *how, bool first)
{
  *j = (touching_job){.a = body, .b = body};
  plan_make(body->context, &j->plan, body, body, at, at);
  j->plan.contours = !self_method_of(how->method)->normals_alone;
  j->plan.self = true;
  j->plan.neighbours = how->neighbours;
  if (at->side.tree->hubs) j->plan.hubs = at->side.tree;
  j->plan.first = first;
}
