/* Bodies that match shapes whose meshes are edited. A new vertex is a point without mass: it
 * follows the map of its home cluster, and changes no fit; one of a split belongs to the clusters
 * of the vertex that it comes from. So arrays by point only grow behind, and nothing that is known
 * about clusters changes but bounds. */
#include "mesh/mesh.h"
#include "motion/match.h"

#include <math.h>
#include <string.h>

/* The home of a point that is added. */
static uint32_t home_of(const growth *by, size_t i)
{
  const pl_weights *w = by->edit->weights;
  return w ? w->governors[w->first ? w->first[i] : i] : 0;
}

static pl_status check_homes(pl_context *context, const match *m, const growth *by)
{
  const pl_weights *w = by->edit->weights;
  if (m->cluster_count > 1 && by->added && (!w || w->vertex_count != by->added || !w->governors))
    return fail(context, PL_ERROR_MISMATCH,
                "%zu new vertices of %d clusters need weights: one entry each, which names the cluster", by->added,
                m->cluster_count);
  if (w && by->added && (w->vertex_count != by->added || !w->governors))
    return fail(context, PL_ERROR_MISMATCH, "%zu rows of weights for %zu new vertices", w->vertex_count, by->added);
  for (size_t i = 0; w && i < by->added; ++i) {
    if (w->first ? w->first[i + 1] != w->first[i] + 1 : w->per_vertex != 1)
      return fail(context, PL_ERROR_ARGUMENT, "new vertex %zu must have one entry, which names its cluster", i);
    if (home_of(by, i) >= (uint32_t)m->cluster_count)
      return fail(context, PL_ERROR_ARGUMENT, "new vertex %zu names cluster %u of %d", i, home_of(by, i),
                  m->cluster_count);
  }
  return PL_OK;
}

/* Where it is at rest, relative to its home's centre. */
static void relative(const match *m, const growth *by, size_t i, double q[3])
{
  const double *centre = m->clusters[home_of(by, i)].about.rest_centre;
  positions_get(by->edit->vertices, i, q);
  for (int k = 0; k < 3; ++k) q[k] -= centre[k];
}

static pl_status check_places(pl_context *context, const match *m, const growth *by)
{
  pl_status status = by->added ? positions_check(context, by->edit->vertices) : PL_OK;
  if (status != PL_OK) return status;
  if (by->added && positions_size(by->edit->vertices) > MATCH_REST)
    return fail(context, PL_ERROR_POSITIONS, "a new vertex at rest is further out than %g", MATCH_REST);
  for (size_t i = 0; i < by->added; ++i) {
    const match_cluster *c = &m->clusters[home_of(by, i)];
    double q[3], size[3];
    relative(m, by, i, q);
    for (int k = 0; k < 3; ++k) q[k] = fabs(q[k]);
    match_map_size(m, q, &c->map, c->centre, size);
    if (!(size[0] <= MATCH_REACH && size[1] <= MATCH_REACH && size[2] <= MATCH_REACH))
      return fail(context, PL_ERROR_POSITIONS, "the maps could take a new vertex further out than %g", MATCH_REACH);
  }
  for (size_t i = 0; i < by->count; ++i)
    if (by->vertices[i] != m->point_count + i)
      return fail(context, PL_ERROR_UNSUPPORTED,
                  "new vertices of a body that matches shapes take the next indices in order, as old ones stay points "
                  "of its clusters: leave vertex_indices out");
  return PL_OK;
}

/* ------------------------------------------------------------------------------------ room -- */

static size_t memberships(const match *m, uint32_t point)
{
  return m->of_first ? m->of_first[point + 1] - m->of_first[point] : 0;
}

static bool reserve(const pl_allocator *allocator, match *m, const growth *by)
{
  const size_t n = m->point_count, room = by->vertex_count + by->vertex_count / (size_t)2;
  size_t more = by->added;
  for (size_t i = by->added; i < by->count; ++i) more += memberships(m, growth_from(by, i));
  if (m->of_first && m->of_first[n] + more > m->of_room) {
    const size_t wide = 2 * (m->of_first[n] + more);
    if (!mem_widen(allocator, &m->of, m->of_first[n], wide + 1)) return false;
    m->of_room = wide;
  }
  if (by->vertex_count <= m->room) return true;
  if (!(mem_widen(allocator, &m->rest, 3 * n, 3 * (room + 1)) && mem_widen(allocator, &m->mass, n, room + 1) &&
        mem_widen(allocator, &m->home, n, room + 1) &&
        (!m->of_first || mem_widen(allocator, &m->of_first, n + 1, room + 1)) &&
        (!m->goals || mem_widen(allocator, &m->goals, 3 * n, 3 * (room + 1))) &&
        (!m->lanes ||
         mem_widen(allocator, &m->lanes, MATCH_LANES * ((n + 7) / 8), MATCH_LANES * ((room + 7) / 8 + 1)))))
    return false;
  m->room = room;
  return true;
}

static pl_status prepare(pl_context *context, motion *m, const growth *by, bool *whole)
{
  match *controls = m->controls;
  pl_status status = check_homes(context, controls, by);
  if (status == PL_OK) status = check_places(context, controls, by);
  if (status != PL_OK || !by->count) return status;
  if (m->borrow)
    return fail(context, PL_ERROR_UNSUPPORTED,
                "a body that borrows its positions takes no new vertices: create it without `borrow`");
  if (reserve(&context->def.allocator, controls, by)) return PL_OK;
  return fail(context, PL_ERROR_MEMORY, "no memory for %zu new points", by->count);
}

/* ------------------------------------------------------------------------------------ grow -- */

static void add_point(match *m, const growth *by, size_t i)
{
  const uint32_t v = by->vertices[i], from = i < by->added ? UINT32_MAX : growth_from(by, i);
  double *rest = m->rest + 3 * (size_t)v;
  m->mass[v] = 0;
  m->home[v] = i < by->added ? home_of(by, i) : m->home[from];
  if (i < by->added)
    positions_get(by->edit->vertices, i, rest);
  else
    memcpy(rest, m->rest + 3 * (size_t)from, 3 * sizeof *rest);
  match_cluster *c = &m->clusters[m->home[v]];
  for (int k = 0; k < 3; ++k) {
    const double q = rest[k] - c->about.rest_centre[k];
    c->reach[k] = fmax(c->reach[k], fabs(q));
    if (m->lanes) m->lanes[v / 8 * MATCH_LANES + v % 8 + 8 * (size_t)k] = (float)q;
  }
  if (m->lanes) m->lanes[v / 8 * MATCH_LANES + v % 8 + 24] = 0;
  if (!m->of_first) return;
  uint32_t end = m->of_first[v];
  if (i < by->added) m->of[end++] = m->home[v];
  for (uint32_t k = 0; i >= by->added && k < memberships(m, from); ++k) m->of[end++] = m->of[m->of_first[from] + k];
  m->of_first[v + 1] = end;
}

static void grow(motion *m, const growth *by)
{
  match *controls = m->controls;
  if (!by->count) return;
  for (size_t i = 0; i < by->count; ++i) add_point(controls, by, i);
  controls->point_count = by->vertex_count;
  if (controls->at_goals) {
    double size[3];
    match_settle(controls);
    for (int k = 0; k < controls->cluster_count; ++k) {
      match_size(controls, &controls->clusters[k], size);
      for (int a = 0; a < 3; ++a) m->reach = fmax(m->reach, size[a]);
    }
    m->now.exponent = motion_exponent(m->reach);
    motion_place(m);
    return;
  }
  for (size_t i = 0; i < by->count; ++i) { /* positions are rounded, to float perhaps */
    match_cluster *c = &controls->clusters[controls->home[by->vertices[i]]];
    double size[3];
    match_size(controls, c, size);
    const double by_rounding = 0x1p-22 * (size[0] + size[1] + size[2]) + 1e-37;
    c->deviation = fmax(c->deviation, by_rounding);
    c->inside = fmax(c->inside, by_rounding);
  }
}

static void shrink(motion *m, size_t vertex_count) { ((match *)m->controls)->point_count = vertex_count; }

static void rest(const void *controls, const uint32_t *list, uint32_t first, uint32_t count, double (*out)[3])
{
  const match *m = controls;
  for (uint32_t i = 0; i < count; ++i)
    memcpy(out[i], m->rest + 3 * (size_t)(list ? list[i] : first + i), sizeof out[i]);
}

const motion_edits match_edits = {.prepare = prepare, .grow = grow, .shrink = shrink, .rest = rest};
