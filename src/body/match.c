/* Bodies that match shapes: creating them, and the three ways to set their state. A step is
 * computed whole in the scratch of the controls (match.next) and taken over at its end, so that
 * a refused one changes nothing; maps are checked first. */
#include "body/body.h"

#include "core/version.h"
#include "mesh/mesh.h"
#include "update/spheres.h"

#include <string.h>

static match *controls_of(const pl_body *body)
{
  return body->motion.kind->traits & MOTION_MATCHED ? body->motion.controls : NULL;
}

static pl_status refuse_other(const pl_body *body)
{
  return fail(body->context, PL_ERROR_UNSUPPORTED,
              "a %s body does not match shapes: create it with pl_body_create_match()",
              pl_word(PL_WORDS_MOTION, body->motion.name));
}

/* ----------------------------------------------------------------------------- the new state -- */

/* An upper bound of the coordinates of points that are at their goals. */
static double size_of(const match *m, const match_cluster *clusters)
{
  double most = 0, size[3];
  for (int k = 0; k < m->cluster_count; ++k) {
    match_size(m, &clusters[k], size);
    for (int i = 0; i < 3; ++i) most = size[i] <= most ? most : size[i];
  }
  return most;
}

/* Makes the positions those of the maps. There is room for them if they are stored. */
static void view_goals(pl_context *context, motion *m)
{
  match *controls = m->controls;
  m->now = (points){.type = PL_F64, .evaluate = m->kind->evaluate, .controls = controls};
  motion_set_reach(m, size_of(controls, controls->clusters));
  controls->at_goals = true;
  if (!controls->stored) return;
  m->now.evaluate = NULL;
  m->now.data = m->copy;
  m->now.stride = 3 * sizeof(double);
  motion_evaluate_all(context, m);
}

static void next_frame(match *m)
{
  if (++m->frame == STAMP_BUSY) m->frame = 1;
}

static void take_over(match *m)
{
  memcpy(m->clusters, m->next, (size_t)m->cluster_count * sizeof *m->clusters);
  next_frame(m);
}

static void moved(pl_body *body)
{
  if (body->spheres) spheres_map(body->spheres);
  body_moved(body);
}

/* ----------------------------------------------------------------------- positions and goals -- */

static match_view view_of(const match *m, const float *xyz)
{
  match_view v = {.lanes = m->lanes, .count = m->point_count, .terms = m->terms};
  for (int j = 0; j < m->terms; ++j) v.mean[j] = (float)m->clusters[0].about.mean[j];
  memcpy(v.origin, xyz, sizeof v.origin);
  return v;
}

/* A map of points relative to an origin, in float. */
static match_float_map float_map(const pl_match_map *map, const float origin[3])
{
  match_float_map f;
  for (int i = 0; i < 3; ++i) {
    f.t[i] = (float)(map->t[i] - (double)origin[i]);
    for (int j = 0; j < MATCH_TERMS; ++j) f.m[i][j] = (float)map->m[i][j];
  }
  return f;
}

static bool is_ordinary(const pl_match_map *map)
{
  bool good = true;
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < MATCH_TERMS; ++j) good = good && fabs(map->m[i][j]) < 1e16;
  return good;
}

/* The fit of one cluster of packed floats, in lanes. Returns false if some number is out of the
 * range of float arithmetic. */
static bool fit_lanes(const pl_body *body, match *m, pl_positions positions)
{
  const match_cluster *c = &m->clusters[0];
  match_view v = view_of(m, positions.data);
  match_sums sums;
  kernels_of(body->context->isa)->match->sums(&v, positions.data, sums.sum);
  for (int i = 0; i < 3; ++i) {
    sums.origin[i] = (double)v.origin[i];
    for (int j = 0; j <= MATCH_TERMS; ++j) sums.sum[i][j] *= c->about.mass / (double)m->lane_count;
    if (!(fabs(sums.origin[i]) < 1e16)) return false;
  }
  if (!match_solve(m, c, &sums, &m->fitted[0], m->next[0].centre)) return false;
  m->next[0].map = m->fitted[0];
  return is_ordinary(&m->fitted[0]) && size_of(m, m->next) < 1e16;
}

static pl_status fit_points(const pl_body *body, match *m, pl_positions positions)
{
  pl_context *context = body->context;
  pl_status status = positions_check(context, positions);
  if (status != PL_OK) return status;
  if (positions_size(positions) > MATCH_REACH)
    return fail(context, PL_ERROR_POSITIONS, "a position of a body that matches shapes is further out than %g",
                MATCH_REACH);
  for (int k = 0; k < m->cluster_count; ++k) {
    match_sums sums;
    match_sum(m, &m->clusters[k], positions, &sums);
    if (!match_solve(m, &m->clusters[k], &sums, &m->fitted[k], m->next[k].centre))
      return fail(context, PL_ERROR_POSITIONS, "cluster %d is too large for its size at rest", k);
  }
  return PL_OK;
}

static void mix(pl_match_map *map, const pl_match_map *fit, const pl_match_map *goal, double stiffness)
{
  for (int i = 0; i < 3; ++i) {
    map->t[i] = fit->t[i] + stiffness * (goal->t[i] - fit->t[i]);
    for (int j = 0; j < MATCH_TERMS; ++j) map->m[i][j] = fit->m[i][j] + stiffness * (goal->m[i][j] - fit->m[i][j]);
  }
}

/* Rounding of the distances that the kernel measures: 24 of 2^-24 of all that takes part,
 * relative to the origin; and 2^-149 of a number of the map or a term that is a denormal float,
 * times the other. */
static void move_lanes(const pl_body *body, match *m, pl_positions positions, void *data, double stiffness)
{
  /* without stiffness nothing is written */
  float *xyz = data ? data : (void *)(uintptr_t)positions.data;
  match_cluster *c = &m->next[0];
  match_view v = view_of(m, xyz);
  match_float_map goal = float_map(&m->wanted[0], v.origin), map = float_map(&c->map, v.origin);
  double size = 0, lost = 0, u[MATCH_TERMS];
  match_terms(c->reach, m->terms, u);
  for (int i = 0; i < 3; ++i) {
    size += fabs(c->map.t[i] - (double)v.origin[i]);
    for (int j = 0; j < m->terms; ++j) {
      size += fabs(c->map.m[i][j]) * u[j];
      lost += 0x1p-148 * (fabs(c->map.m[i][j]) + u[j]);
    }
  }
  double far = sqrt((double)kernels_of(body->context->isa)->match->move(&v, xyz, &goal, (float)stiffness, &map));
  c->deviation = c->inside = far * (1 + 0x1p-18) + 24 * 0x1p-24 * size + (lost + 1e-18);
}

/* Sets positions that a fit in lanes has found to be ordinary floats: they are not checked
 * again. There is room for a copy. */
static void take_floats(motion *m, pl_positions positions)
{
  const size_t size = 3 * sizeof(float);
  if (!m->borrow) memcpy(m->copy, positions.data, positions.count * size);
  m->now.data = m->borrow ? positions.data : m->copy;
  m->now.stride = size;
  m->now.type = PL_F32;
  m->now.exponent = 0;
  motion_place(m);
}

/* A step: fits, goals if they are defined, and the move. `data`: where positions are to be
 * written; NULL: nowhere. */
static pl_status step(pl_body *body, pl_positions positions, void *data, const pl_goal_def *def)
{
  match *m = controls_of(body);
  motion *at = &body->motion;
  pl_context *context = body->context;
  memcpy(m->next, m->clusters, (size_t)m->cluster_count * sizeof *m->next);
  bool lanes = m->lanes && positions.type == PL_F32 && positions.stride == 3 * sizeof(float);
  if (lanes) lanes = fit_lanes(body, m, positions);
  pl_status status = lanes ? PL_OK : fit_points(body, m, positions);
  if (status == PL_OK && !at->borrow) status = motion_make_room(context, at, positions.type);
  if (status != PL_OK) return status;
  double stiffness = def ? def->stiffness : 0;
  for (int k = 0; k < m->cluster_count; ++k) {
    if (def) match_goal(m, &m->next[k], &m->fitted[k], def, &m->wanted[k]);
    if (def)
      mix(&m->next[k].map, &m->fitted[k], &m->wanted[k], stiffness);
    else
      m->next[k].map = m->fitted[k];
  }
  if (lanes)
    move_lanes(body, m, positions, data, stiffness);
  else
    match_move(m, positions, data, stiffness);
  take_over(m);
  m->at_goals = false;
  at->now.evaluate = NULL;
  if (lanes)
    take_floats(at, positions);
  else
    status = motion_set_positions(context, at, positions);
  moved(body);
  return status;
}

pl_status body_match_positions(pl_body *body, pl_positions positions)
{
  if (positions.count != body->motion.vertex_count)
    return fail(body->context, PL_ERROR_MISMATCH, "%zu positions for a body of %zu vertices", positions.count,
                body->motion.vertex_count);
  pl_status status = positions_check(body->context, positions); /* checks also strides and types */
  return status == PL_OK ? step(body, positions, NULL, NULL) : status;
}

static bool is_part(double x) { return x >= 0 && x <= 1; }

static pl_status take_goal_def(pl_context *context, const pl_goal_def *def, pl_goal_def *out)
{
  pl_status status = def_take(context, pl_goal_def, def, out);
  if (status != PL_OK) return status;
  if (!is_part(out->stiffness) || !is_part(out->stretch) || !is_part(out->creep))
    return fail(context, PL_ERROR_ARGUMENT, "stiffness %g, stretch %g, creep %g: each must be from 0 to 1",
                out->stiffness, out->stretch, out->creep);
  if (!(out->yield >= 0) || !(out->most >= 0 && out->most <= 0.9))
    return fail(context, PL_ERROR_ARGUMENT, "yield %g must be 0 or more, and most %g from 0 to 0.9", out->yield,
                out->most);
  return PL_OK;
}

pl_status pl_body_set_goals(pl_body *body, pl_scalar type, void *data, size_t stride, const pl_goal_def *def)
{
  if (!body) return fail_null("body");
  pl_context *context = body->context;
  pl_goal_def d;
  if (!controls_of(body)) return refuse_other(body);
  if (!data) return fail(context, PL_ERROR_ARGUMENT, "data is NULL");
  size_t packed = 3 * scalar_size(type);
  pl_positions positions = pl_positions_strided(type, data, body->motion.vertex_count, stride ? stride : packed);
  pl_status status = positions_check_place(context, positions);
  if (status == PL_OK) status = take_goal_def(context, def, &d);
  if (status == PL_OK) status = body_change(body);
  if (status != PL_OK) return status;
  return body_changed(body, step(body, positions, data, &d));
}

/* -------------------------------------------------------------------------------------- maps -- */

static pl_status check_map(const pl_body *body, size_t cluster, const pl_match_map *map)
{
  const match *m = controls_of(body);
  for (int i = 0; i < 3; ++i) {
    bool good = fabs(map->t[i]) <= 1e100, zero = true;
    for (int j = 0; j < MATCH_TERMS; ++j) good &= fabs(map->m[i][j]) <= 1e100;
    for (int j = 3; j < MATCH_TERMS; ++j) zero &= map->m[i][j] == 0;
    if (!good)
      return fail(body->context, PL_ERROR_ARGUMENT, "the map of cluster %zu is not finite or too large along %c",
                  cluster, "xyz"[i]);
    if (m->terms == 3 && !zero)
      return fail(body->context, PL_ERROR_ARGUMENT,
                  "the map of cluster %zu has quadratic terms: match the body quadratically", cluster);
  }
  return PL_OK;
}

/* Where a map takes the centre of mass of a cluster. */
static void centre_of(const match *m, const match_cluster *c, const pl_match_map *map, double out[3])
{
  for (int i = 0; i < 3; ++i) {
    out[i] = map->t[i];
    for (int j = 0; j < m->terms; ++j) out[i] += map->m[i][j] * c->about.mean[j];
  }
}

static bool within_reach(const match *m, const match_cluster *c, const pl_match_map *map)
{
  double centre[3], size[3];
  centre_of(m, c, map, centre);
  match_map_size(m, c->reach, map, centre, size);
  return size[0] <= MATCH_REACH && size[1] <= MATCH_REACH && size[2] <= MATCH_REACH;
}

/* Changes the clusters in place, and not by way of `next`: all else that they hold stays out of
 * the caches. */
static pl_status set_maps(pl_body *body, const pl_match_map *maps)
{
  match *m = controls_of(body);
  pl_context *context = body->context;
  for (int k = 0; k < m->cluster_count; ++k)
    if (!within_reach(m, &m->clusters[k], &maps[k]))
      return fail(context, PL_ERROR_POSITIONS, "the maps could take points further out than %g", MATCH_REACH);
  pl_status status = m->stored ? motion_make_room(context, &body->motion, PL_F64) : PL_OK;
  if (status != PL_OK) return status;
  for (int k = 0; k < m->cluster_count; ++k) {
    match_cluster *c = &m->clusters[k];
    c->map = maps[k];
    centre_of(m, c, &c->map, c->centre);
  }
  match_settle(m);
  next_frame(m);
  view_goals(context, &body->motion);
  moved(body);
  return PL_OK;
}

pl_status pl_body_set_match(pl_body *body, const pl_match_map *maps, size_t count)
{
  if (!body) return fail_null("body");
  const match *m = controls_of(body);
  if (!m) return refuse_other(body);
  if (!maps) return fail(body->context, PL_ERROR_ARGUMENT, "maps is NULL");
  if (count != (size_t)m->cluster_count)
    return fail(body->context, PL_ERROR_MISMATCH, "%zu maps for a body of %d clusters", count, m->cluster_count);
  pl_status status = PL_OK;
  for (size_t k = 0; k < count && status == PL_OK; ++k) status = check_map(body, k, &maps[k]);
  if (status == PL_OK) status = body_change(body);
  if (status != PL_OK) return status;
  return body_changed(body, set_maps(body, maps));
}

static pl_status check_cluster(const pl_body *body, size_t cluster)
{
  if (!body) return fail_null("body");
  const match *m = controls_of(body);
  if (!m) return refuse_other(body);
  if (cluster >= (size_t)m->cluster_count)
    return fail(body->context, PL_ERROR_ARGUMENT, "cluster %zu of %d", cluster, m->cluster_count);
  return PL_OK;
}

pl_status pl_body_match_goal(pl_body *body, size_t cluster, const pl_match_map *fit, const pl_goal_def *def,
                             pl_match_map *goal)
{
  pl_goal_def d;
  pl_status status = check_cluster(body, cluster);
  if (status == PL_OK && (!fit || !goal))
    status = fail(body->context, PL_ERROR_ARGUMENT, "%s is NULL", fit ? "goal" : "fit");
  if (status == PL_OK) status = check_map(body, cluster, fit);
  if (status == PL_OK) status = take_goal_def(body->context, def, &d);
  if (status == PL_OK) status = body_change(body);
  if (status != PL_OK) return status;
  match *m = controls_of(body);
  pl_match_map to, mixed;
  match_goal(m, &m->clusters[cluster], fit, &d, &to);
  mix(&mixed, fit, &to, d.stiffness);
  *goal = mixed;
  return body_changed(body, PL_OK);
}

pl_status pl_body_set_match_memory(pl_body *body, size_t cluster, const double rotation[4], const double plastic[3][3])
{
  pl_status status = check_cluster(body, cluster);
  if (status == PL_OK && (!rotation || !plastic))
    status = fail(body->context, PL_ERROR_ARGUMENT, "%s is NULL", rotation ? "plastic" : "rotation");
  if (status != PL_OK) return status;
  double square = 0, det;
  const double(*p)[3] = plastic;
  for (int i = 0; i < 4; ++i) square += rotation[i] * rotation[i];
  det = p[0][0] * (p[1][1] * p[2][2] - p[1][2] * p[2][1]) - p[0][1] * (p[1][0] * p[2][2] - p[1][2] * p[2][0]) +
        p[0][2] * (p[1][0] * p[2][1] - p[1][1] * p[2][0]);
  if (!(fabs(square - 1) < 1e-6) || !(det > 1e-4 && det < 1e4))
    return fail(body->context, PL_ERROR_ARGUMENT,
                "the rotation must have length 1, and the plastic deformation must be invertible");
  status = body_change(body);
  if (status != PL_OK) return status;
  match_cluster *c = &controls_of(body)->clusters[cluster];
  memcpy(c->rotation, rotation, sizeof c->rotation);
  memcpy(c->plastic, plastic, sizeof c->plastic);
  return body_changed(body, PL_OK);
}

/* ------------------------------------------------------------------------------------- facts -- */

size_t pl_body_match_cluster_count(const pl_body *body)
{
  const match *m = body ? controls_of(body) : NULL;
  return m ? (size_t)m->cluster_count : 0;
}

pl_status pl_body_match_cluster(pl_body *body, size_t cluster, pl_match_cluster *out)
{
  pl_status status = check_cluster(body, cluster);
  if (status != PL_OK) return status;
  if (!out) return fail(body->context, PL_ERROR_ARGUMENT, "out is NULL");
  *out = controls_of(body)->clusters[cluster].about;
  return PL_OK;
}

pl_status pl_body_match_points(pl_body *body, size_t cluster, const uint32_t **out)
{
  pl_status status = check_cluster(body, cluster);
  if (status != PL_OK) return status;
  if (!out) return fail(body->context, PL_ERROR_ARGUMENT, "out is NULL");
  *out = controls_of(body)->clusters[cluster].points;
  return PL_OK;
}

pl_status pl_body_match_state(pl_body *body, size_t cluster, pl_match_state *out)
{
  pl_status status = check_cluster(body, cluster);
  if (status == PL_OK && !out) status = fail(body->context, PL_ERROR_ARGUMENT, "out is NULL");
  if (status != PL_OK) return status;
  call q;
  status = body_query(&q, body);
  if (status != PL_OK) return status;
  const match_cluster *c = &controls_of(body)->clusters[cluster];
  *out = (pl_match_state){.map = c->map, .deviation = c->deviation, .deviation_inside = c->inside};
  memcpy(out->centre, c->centre, sizeof out->centre);
  memcpy(out->rotation, c->rotation, sizeof out->rotation);
  memcpy(out->plastic, c->plastic, sizeof out->plastic);
  call_query_end(&q);
  return PL_OK;
}
