/* Questions of the command, asked of the ranks. Each set of bodies that is asked together is a
 * distributed scene of its own, a crowd; before a question all of its bodies get their present
 * positions. Rows become those of the library. Memory on rank 0: the meshes as a whole, beside its
 * part of them. */
#include "serve.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct crowd {
  pl_body **bodies;
  size_t count;
  bool self;
} crowd;

typedef struct kept_pose {
  pl_body *body;
  double *xyz;
} kept_pose;

static struct {
  crowd *crowds;
  int count;
  kept_pose *poses;
  size_t pose_count;
  double *xyz; /* of one body */
  size_t room;
  /* the result of the last question */
  pl_result result;
  void *rows;
  pl_group *groups;
} all;

/* ------------------------------------------------------------------------------------ bodies -- */

static pl_status positions_of(pl_body *body, pl_positions *out)
{
  size_t count = pl_body_vertex_count(body);
  if (count > all.room || !all.xyz) {
    double *moved = realloc(all.xyz, (3 * count + 1) * sizeof *moved);
    if (!moved) return PL_ERROR_MEMORY;
    all.xyz = moved;
    all.room = count;
  }
  *out = pl_positions_f64(all.xyz, count);
  return pl_body_positions(body, NULL, count, PL_F64, all.xyz, 0);
}

static pl_status add(int number, pl_body *body, bool self)
{
  pl_mesh_def mesh = pl_mesh_def_default();
  size_t count = pl_body_triangle_count(body);
  uint32_t *triangles = malloc((3 * count + 1) * sizeof *triangles);
  pl_status status = triangles ? positions_of(body, &mesh.positions) : PL_ERROR_MEMORY;
  if (status == PL_OK) status = pl_body_triangles(body, triangles, count);
  mesh.triangles = triangles;
  mesh.triangle_count = count;
  const order o = {.kind = ORDER_ADD, .crowd = number, .self = self};
  const load l = {.mesh = &mesh};
  if (status == PL_OK) status = serve_order(&o, &l, NULL);
  free(triangles);
  return status;
}

static bool is_crowd(const crowd *c, pl_body *const *bodies, size_t count, bool self)
{
  return c->self == self && c->count == count && (!count || memcmp(c->bodies, bodies, count * sizeof *bodies) == 0);
}

/* Its number; a new one if these bodies were never asked together. */
static pl_status find_crowd(pl_body *const *bodies, size_t count, bool self, int *out)
{
  for (int i = 0; i < all.count; ++i)
    if (is_crowd(&all.crowds[i], bodies, count, self)) return *out = i, PL_OK;
  crowd made = {malloc((count + 1) * sizeof *bodies), count, self};
  crowd *moved = realloc(all.crowds, (size_t)(all.count + 1) * sizeof *moved);
  if (moved) all.crowds = moved;
  const order open = {.kind = ORDER_OPEN};
  pl_status status = made.bodies && moved ? serve_order(&open, NULL, NULL) : PL_ERROR_MEMORY;
  for (size_t i = 0; i < count && status == PL_OK; ++i) status = add(all.count, bodies[i], self);
  if (status != PL_OK) {
    free(made.bodies);
    return status;
  }
  if (count) memcpy(made.bodies, bodies, count * sizeof *bodies);
  *out = all.count;
  all.crowds[all.count++] = made;
  return PL_OK;
}

static const kept_pose *find_pose(const pl_body *body)
{
  for (size_t i = 0; i < all.pose_count; ++i)
    if (all.poses[i].body == body) return &all.poses[i];
  return NULL;
}

static pl_status keep_pose(pl_body *body)
{
  const kept_pose *found = find_pose(body);
  size_t count = pl_body_vertex_count(body);
  if (!found) {
    kept_pose *moved = realloc(all.poses, (all.pose_count + 1) * sizeof *moved);
    if (!moved) return PL_ERROR_MEMORY;
    all.poses = moved;
    moved[all.pose_count] = (kept_pose){body, malloc((3 * count + 1) * sizeof(double))};
    found = &moved[all.pose_count];
    if (!found->xyz) return PL_ERROR_MEMORY;
    ++all.pose_count;
  }
  return pl_body_positions(body, NULL, count, PL_F64, found->xyz, 0);
}

/* kept: the poses that were kept, where there are any. */
static pl_status set_positions(int number, bool kept)
{
  const crowd *c = &all.crowds[number];
  pl_status status = PL_OK;
  for (size_t i = 0; i < c->count && status == PL_OK; ++i) {
    const kept_pose *pose = kept ? find_pose(c->bodies[i]) : NULL;
    const order o = {.kind = ORDER_SET, .crowd = number, .body = i};
    load l = {0};
    if (pose)
      l.positions = pl_positions_f64(pose->xyz, pl_body_vertex_count(c->bodies[i]));
    else
      status = positions_of(c->bodies[i], &l.positions);
    if (status == PL_OK) status = serve_order(&o, &l, NULL);
  }
  return status;
}

static pl_status prepare(int number, ranks_question question)
{
  const order keep = {.kind = ORDER_KEEP, .crowd = number};
  pl_status status = question == RANKS_IMPACTS ? set_positions(number, true) : PL_OK;
  if (status == PL_OK && question == RANKS_IMPACTS) status = serve_order(&keep, NULL, NULL);
  return status == PL_OK ? set_positions(number, false) : status;
}

/* -------------------------------------------------------------------------------------- rows -- */

/* Room for so many rows behind those that there are. NULL: out of memory. */
static void *more_rows(size_t count, size_t size)
{
  char *moved = realloc(all.rows, (all.result.count + count + 1) * size);
  if (!moved) return NULL;
  all.rows = moved;
  return moved + all.result.count * size;
}

/* Rows of a and b, in order: one more row of the last group, or the first of a new one. */
static bool add_to_group(pl_body *a, pl_body *b, size_t row)
{
  pl_group *last = all.result.group_count ? &all.groups[all.result.group_count - 1] : NULL;
  if (!last || last->a != a || last->b != b) {
    pl_group *moved = realloc(all.groups, (all.result.group_count + 1) * sizeof *moved);
    if (!moved) return false;
    all.groups = moved;
    last = &moved[all.result.group_count++];
    *last = (pl_group){a, b, row, row};
  }
  last->end = row + 1;
  return true;
}

static pl_status take_pairs(const crowd *c, const pl_dist_pairs *from)
{
  pl_pair *to = more_rows(from->count, sizeof *to);
  if (!to) return PL_ERROR_MEMORY;
  for (size_t i = 0; i < from->count; ++i) {
    const pl_dist_pair *p = &from->rows[i];
    to[i] = (pl_pair){(uint32_t)p->triangle_a, (uint32_t)p->triangle_b};
    if (!add_to_group(c->bodies[p->body_a], c->bodies[p->body_b], all.result.count + i)) return PL_ERROR_MEMORY;
  }
  all.result.count += from->count;
  all.result.pairs = all.rows;
  return PL_OK;
}

static pl_status take_near(const crowd *c, const pl_dist_near_pairs *from)
{
  pl_near_pair *to = more_rows(from->count, sizeof *to);
  if (!to) return PL_ERROR_MEMORY;
  for (size_t i = 0; i < from->count; ++i) {
    const pl_dist_near_pair *p = &from->rows[i];
    to[i] = (pl_near_pair){.a = (uint32_t)p->triangle_a, .b = (uint32_t)p->triangle_b, .distance = p->distance};
    memcpy(to[i].point_a, p->point_a, sizeof to->point_a);
    memcpy(to[i].point_b, p->point_b, sizeof to->point_b);
    if (!add_to_group(c->bodies[p->body_a], c->bodies[p->body_b], all.result.count + i)) return PL_ERROR_MEMORY;
  }
  all.result.count += from->count;
  all.result.near_pairs = all.rows;
  return PL_OK;
}

static pl_status take_nearest(const crowd *c, const pl_dist_nearest_result *from, double margin)
{
  pl_distance *to = more_rows(1, sizeof *to);
  const pl_dist_near_pair *p = &from->row;
  if (!to) return PL_ERROR_MEMORY;
  *to = (pl_distance){.distance = INFINITY, .lower = margin, .triangle_a = UINT32_MAX, .triangle_b = UINT32_MAX};
  if (!isinf(p->distance)) {
    *to = (pl_distance){.a = c->bodies[p->body_a],
                        .b = c->bodies[p->body_b],
                        .distance = p->distance,
                        .lower = p->distance,
                        .triangle_a = (uint32_t)p->triangle_a,
                        .triangle_b = (uint32_t)p->triangle_b};
    memcpy(to->point_a, p->point_a, sizeof to->point_a);
    memcpy(to->point_b, p->point_b, sizeof to->point_b);
  }
  all.result.count = 1;
  all.result.distances = all.rows;
  return PL_OK;
}

static pl_status take_impacts(const crowd *c, const pl_dist_impact_result *from)
{
  pl_impact *to = more_rows(from->count, sizeof *to);
  if (!to) return PL_ERROR_MEMORY;
  for (size_t i = 0; i < from->count; ++i) {
    const pl_dist_impact *p = &from->rows[i];
    to[i] =
        (pl_impact){.a = c->bodies[p->body_a], .b = c->bodies[p->body_b], .time = p->time, .kind = (pl_feature)p->kind};
    for (int k = 0; k < 2; ++k) {
      to[i].feature_a[k] = (uint32_t)p->feature_a[k];
      to[i].feature_b[k] = (uint32_t)p->feature_b[k];
    }
    memcpy(to[i].normal, p->normal, sizeof to->normal);
    memcpy(to[i].point, p->point, sizeof to->point);
    *(p->kind == PL_FEATURE_EDGE_EDGE ? &all.result.edge_edge : &all.result.vertex_face) += 1;
  }
  all.result.count += from->count;
  all.result.impacts = all.rows;
  if (from->time < all.result.time) all.result.time = from->time;
  if (from->safe_step < all.result.safe_step) all.result.safe_step = from->safe_step;
  return PL_OK;
}

/* Of several crowds: by time; otherwise they stay in the order of the bodies. */
static bool sort_impacts(size_t crowds)
{
  size_t count = all.result.count;
  pl_impact *from = all.rows, *to = crowds > 1 ? malloc((count + 1) * sizeof *to) : NULL;
  if (crowds < 2) return true;
  if (!to) return false;
  for (size_t width = 1; width < count; width *= 2) {
    for (size_t begin = 0; begin < count; begin += 2 * width) {
      size_t middle = begin + width < count ? begin + width : count;
      size_t end = middle + width < count ? middle + width : count;
      for (size_t i = begin, k = middle, at = begin; at < end; ++at) {
        bool first = k == end || (i < middle && from[i].time <= from[k].time);
        to[at] = first ? from[i++] : from[k++];
      }
    }
    pl_impact *other = from;
    from = to;
    to = other;
  }
  free(to);
  all.rows = from;
  all.result.impacts = from;
  return true;
}

/* --------------------------------------------------------------------------------- questions -- */

static pl_status ask_crowd(int number, ranks_question question, const pl_question *def)
{
  const crowd *c = &all.crowds[number];
  bool usual = def->margin == PL_USUAL;
  order o = {.kind = ORDER_ASK, .question = (int)question, .crowd = number, .margin = usual ? 0 : def->margin};
  if (question == RANKS_NEAREST && usual) o.margin = INFINITY;
  /* a margin of 0 is none there: the least that is more has the same rows, and one more to drop */
  if (question == RANKS_NEAREST && o.margin == 0) o.margin = 0x1p-1074;
  answer_rows f;
  pl_status status = prepare(number, question);
  if (status == PL_OK) status = serve_order(&o, NULL, &f);
  if (status != PL_OK) return status;
  switch (question) {
  case RANKS_NEAR_TRIANGLES:
    return take_near(c, &f.near);
  case RANKS_NEAREST:
    return take_nearest(c, &f.nearest, o.margin);
  case RANKS_IMPACTS:
    return take_impacts(c, &f.impacts);
  default:
    return take_pairs(c, &f.pairs);
  }
}

static pl_status ask(ranks_question question, pl_body *const *bodies, size_t count, bool self, const pl_question *def,
                     const pl_result **out)
{
  double begin = MPI_Wtime();
  size_t crowds = self ? count : 1; /* of a body with itself: alone, so that it meets no other */
  pl_status status = PL_OK;
  all.result = (pl_result){.time = INFINITY, .safe_step = 1};
  for (size_t i = 0; i < crowds && status == PL_OK; ++i) {
    int number;
    status = find_crowd(bodies + i, self ? 1 : count, self, &number);
    if (status == PL_OK) status = ask_crowd(number, question, def);
  }
  if (status == PL_OK && question == RANKS_IMPACTS && !sort_impacts(crowds)) status = PL_ERROR_MEMORY;
  all.result.groups = all.groups;
  all.result.counters.ms_query = 1e3 * (MPI_Wtime() - begin);
  *out = status == PL_OK ? &all.result : NULL;
  return status;
}

static const ranks_functions functions = {ask, keep_pose, serve_message};

void ranks_open(void) { ranks_used = &functions; }

void ranks_close(void)
{
  for (int i = 0; i < all.count; ++i) free(all.crowds[i].bodies);
  for (size_t i = 0; i < all.pose_count; ++i) free(all.poses[i].xyz);
  free(all.crowds);
  free(all.poses);
  free(all.xyz);
  free(all.rows);
  free(all.groups);
}
