/* What a distance query needs to know of the spaces of two bodies: which kind of bounds is right, the maps between spaces, and
 * where the float arithmetic of triangles has its origin. */
#include "query/query.h"

#include <string.h>

/* At most the square of the least singular value of m; 0 where that would be less than a quarter of the mean square: then the map
 * is flat or uneven, and lengths are better measured in the world. With G = m' m, g its mean diagonal element and E = G - g I, the
 * eigenvalues of G differ from g by at most the norm of E. */
static float least_scale(const pl_transform *t)
{
  if (!t) return 1;
  double g[3][3], mean = 0, off = 0;
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) g[i][j] = t->m[0][i] * t->m[0][j] + t->m[1][i] * t->m[1][j] + t->m[2][i] * t->m[2][j];
  for (int i = 0; i < 3; ++i) mean += g[i][i] / 3;
  for (int i = 0; i < 9; ++i) {
    double e = g[i / 3][i % 3] - (i / 3 == i % 3 ? mean : 0);
    off += e * e;
  }
  double least = mean - sqrt(off);
  if (!(least > 0.25 * mean && least > 0x1p-60 && mean < 0x1p60)) return 0;
  return round_down(least * (1 - 1e-9)); /* rounding in double is far below */
}

static double reach_of(const pl_transform *t, const aabb *box, int i)
{
  if (!t) return fabs((double)box->lower[i]) + fabs((double)box->upper[i]);
  double reach = fabs(t->t[i]);
  for (int j = 0; j < 3; ++j) reach += fabs(t->m[i][j]) * (fabs((double)box->lower[j]) + fabs((double)box->upper[j]));
  return reach;
}

/* From a model's space to the world. `size` bounds all coordinates of both bodies there: 4e-6 of it covers the rounding here, in
 * the walk and of the differences, as in make_frame_change(); `model` bounds those of the model, whose matrix may underflow. */
static frame_change to_world(const pl_transform *t, double size, double model)
{
  frame_change f = {.margin = size < 0x1p120 ? round_up(4e-6 * size + 0x1p-146 * (1 + model)) : INFINITY};
  for (int i = 0; i < 3; ++i) {
    f.t[i] = t ? (float)t->t[i] : 0;
    for (int j = 0; j < 3; ++j) {
      f.m[i][j] = t ? (float)t->m[i][j] : i == j;
      f.abs[i][j] = fabsf(f.m[i][j]);
    }
  }
  return f;
}

static void set_world(distance_walk *d, const pl_transform *a, const aabb *box_a, const pl_transform *b,
                      const aabb *box_b)
{
  double size = 0, model_a = 0, model_b = 0;
  for (int i = 0; i < 3; ++i) {
    size = fmax(size, fmax(reach_of(a, box_a, i), reach_of(b, box_b, i)));
    model_a = fmax(model_a, reach_of(NULL, box_a, i));
    model_b = fmax(model_b, reach_of(NULL, box_b, i));
  }
  d->world[0] = to_world(a, size, model_a);
  d->world[1] = to_world(b, size, model_b);
}

/* Squares of the coordinates stay within float. */
static bool has_squares(const aabb *box)
{
  for (int i = 0; i < 3; ++i)
    if (!(reach_of(NULL, box, i) < 0x1p60)) return false;
  return true;
}

static void clear(distance_walk *d)
{
  d->gather = d->any = d->found = false;
  d->limit = INFINITY;
  d->relative = d->absolute = 0;
  memset(d->direction, 0, sizeof d->direction);
  d->stack.count = d->near.count = 0;
}

static distance_walk *start(pl_context *context, query *q, const job *j)
{
  pl_collide_def none = pl_collide_def_default();
  walk *w = query_walk(context, q, j, &none, 0);
  distance_walk *d = &q->workers[0]->d;
  clear(d);
  w->serial = ++q->serial;
  return d;
}

distance_walk *distance_start(pl_context *context, query *q, pl_body *a, pl_body *b, distance_kind *kind)
{
  job j = {.a = a, .b = b};
  aabb box_a = body_world_box(a), box_b = body_world_box(b);
  job_choose_origin(&j, &box_a, &box_b);
  *kind = DISTANCE_BOXES;
  float scale[2] = {least_scale(motion_space(&a->motion)), least_scale(motion_space(&b->motion))};
  if (motion_space(&a->motion) || motion_space(&b->motion)) {
    *kind = scale[0] > 0 && scale[1] > 0 ? DISTANCE_ORIENTED : DISTANCE_WORLD;
    if (*kind == DISTANCE_ORIENTED) {
      j.to_a = make_frame_change(b, a);
      j.to_b = make_frame_change(a, b);
      /* 4e-6 of the coordinates: beyond, squares of a model's lengths may overflow before they are scaled */
      if (!(j.to_a.margin < 0x1p40f && j.to_b.margin < 0x1p40f)) *kind = DISTANCE_WORLD;
    }
  }
  j.oriented = *kind == DISTANCE_ORIENTED;
  if (j.oriented || (*kind == DISTANCE_BOXES && has_squares(&box_a) && has_squares(&box_b))) job_choose_shapes(&j);
  distance_walk *d = start(context, q, &j);
  d->volume = j.volume;
  d->is_point = false;
  memcpy(d->scale, scale, sizeof scale);
  aabb model_a = body_volumes_box(a), model_b = body_volumes_box(b);
  if (*kind == DISTANCE_WORLD) set_world(d, motion_space(&a->motion), &model_a, motion_space(&b->motion), &model_b);
  return d;
}

/* The point as a leaf with one triangle without size. */
static void open_point(distance_walk *d)
{
  const walk *w = d->w;
  opened_leaf *o = d->point_leaf;
  memset(o, 0, sizeof *o);
  o->count = 1;
  for (int k = 0; k < 3; ++k) o->delta = fmaxf(o->delta, fabsf((float)(d->point[k] - w->origin[k])));
  o->delta = o->delta * 0x1p-23f + 0x1p-126f;
  for (int k = 0; k < 3; ++k) {
    float at = (float)(d->point[k] - w->origin[k]), grow = 2 * o->delta;
    for (int i = 0; i < 8; ++i) {
      for (int c = 0; c < 3; ++c) o->corner[c][k][i] = at;
      o->lower[k][i] = w->irregular ? -INFINITY : at - grow;
      o->upper[k][i] = w->irregular ? INFINITY : at + grow;
    }
    o->box.lower[k] = o->lower[k][0];
    o->box.upper[k] = o->upper[k][0];
  }
}

distance_walk *distance_start_point(pl_context *context, query *q, const double point[3], pl_body *b,
                                    distance_kind *kind)
{
  job j = {.a = b, .b = b};
  aabb box, world = body_world_box(b);
  for (int k = 0; k < 3; ++k) {
    box.lower[k] = round_down(point[k]);
    box.upper[k] = round_up(point[k]);
  }
  job_choose_origin(&j, &box, &world);
  distance_walk *d = start(context, q, &j);
  d->is_point = true;
  d->volume = PL_VOLUME_AABB;
  d->point_box = box;
  memcpy(d->point, point, sizeof d->point);
  open_point(d);
  *kind = motion_space(&b->motion) ? DISTANCE_WORLD : DISTANCE_BOXES;
  aabb model = body_volumes_box(b);
  if (*kind == DISTANCE_WORLD) set_world(d, NULL, &box, motion_space(&b->motion), &model);
  return d;
}

distance_walk *distance_share(query *q, const distance_walk *from, int worker)
{
  distance_walk *d = &q->workers[worker]->d;
  if (d == from) return d;
  walk *w = d->w;
  const walk *v = from->w;
  memcpy(w->side, v->side, sizeof w->side);
  w->to_a = v->to_a;
  w->to_b = v->to_b;
  memcpy(w->origin, v->origin, sizeof w->origin);
  w->exact = v->exact;
  w->irregular = v->irregular;
  w->seed = false;
  w->filter = v->filter;
  w->filter_user = v->filter_user;
  w->serial = v->serial;
  w->pause_at = UINT64_MAX;
  w->n_v = w->n_p = w->n_u = 0;
  w->stopped = false;
  w->status = PL_OK;
  clear(d);
  memcpy(d->world, from->world, sizeof d->world);
  memcpy(d->scale, from->scale, sizeof d->scale);
  d->is_point = false;
  d->volume = from->volume;
  d->gather = from->gather;
  d->limit = from->limit;
  d->cut = from->cut;
  d->reach = from->reach;
  d->within = from->within;
  return d;
}

void distance_run(pl_context *context, distance_walk *d, distance_kind kind)
{
  const kernels *k = kernels_of(context->isa);
  if (kind == DISTANCE_WORLD)
    k->distance->world(d);
  else if (k->distance->walk[d->volume][kind == DISTANCE_ORIENTED])
    k->distance->walk[d->volume][kind == DISTANCE_ORIENTED](d);
  else
    k->distance->walk[PL_VOLUME_AABB][kind == DISTANCE_ORIENTED](d);
}
