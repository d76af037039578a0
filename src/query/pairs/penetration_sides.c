/* Which points of a surface are inside, and what they are nearest to: by the tree of the other
 * body, or without (reference). Both give the same. */
#include "exact/point_tri.h"
#include "query/pairs/penetration.h"

#include <math.h>
#include <string.h>

void penetration_other(const penetration_run *r, uint32_t triangle, double out[3][3])
{
  const penetration_job *j = r->job;
  const double *xyz = j->of == j->other ? r->work->xyz.data : r->work->xyz_other.data;
  for (size_t c = 0; c < 3; ++c)
    memcpy(out[c], xyz + 3 * (size_t)j->fans[1]->corner[3 * (size_t)triangle + c], sizeof out[c]);
}

/* ------------------------------------------------------------------------------------- sides -- */

bool penetration_in_box(const penetration_run *r, const double p[3])
{
  for (int k = 0; k < 3; ++k)
    if (!(p[k] >= r->lower[k] && p[k] <= r->upper[k])) return false;
  return true;
}

static bool inside_other(penetration_run *r, const double p[3])
{
  const penetration_job *j = r->job;
  if (!penetration_in_box(r, p)) return false;
  pl_point at = {.side = PL_SIDE_OUTSIDE};
  if (j->plain.count)
    point_side_plainly(&j->plain, j->closure->kind, p, &at);
  else
    point_side(j->closure, &r->work->walk, r->kernels, p, &at);
  return at.side == PL_SIDE_INSIDE;
}

/* The winding number where a ray ends up that starts on a triangle of the body; *on: the point is
 * on another one. */
static double winding_beside(penetration_run *r, const probe_ray *ray, bool *on)
{
  const penetration_job *j = r->job;
  int crossings = 0;
  double sure;
  *on = false;
  if (!j->plain.count) crossings = r->kernels->probe->crossings(&r->work->walk, ray, on);
  for (size_t i = 0; i < j->plain.count && !*on; ++i) {
    const double(*t)[3] = (const double(*)[3])j->plain.corners[i];
    if (i + 1 == ray->without) continue;
    *on = point_tri_touch(ray->point, t);
    crossings += point_tri_crossing(ray->point, t, ray->axis, ray->way);
  }
  if (j->closure->kind != PL_CLOSURE_OPEN) return crossings;
  return crossings + point_border_angle(j->other, j->closure, ray, &sure);
}

/* A ray that leaves the triangle at one side meets what is on that side: with the triangle left
 * out, its winding number is that of the side. In front of a triangle it is one less than behind.
 */
static bool inside_itself(penetration_run *r, const double at[3], uint32_t triangle)
{
  const penetration_job *j = r->job;
  double t[3][3], e[3], f[3], n[3], p[3];
  if (j->closure->kind == PL_CLOSURE_UNORIENTED) return false;
  penetration_other(r, triangle, t);
  for (int k = 0; k < 3; ++k) {
    e[k] = t[1][k] - t[0][k];
    f[k] = t[2][k] - t[0][k];
    /* its neighbours are further away than they are from corners and edges */
    p[k] = at[k] + 0x1p-10 * ((t[0][k] + t[1][k] + t[2][k]) / 3 - at[k]);
  }
  for (int k = 0; k < 3; ++k) n[k] = e[(k + 1) % 3] * f[(k + 2) % 3] - e[(k + 2) % 3] * f[(k + 1) % 3];
  int axis = fabs(n[1]) > fabs(n[0]) ? 1 : 0;
  axis = fabs(n[2]) > fabs(n[axis]) ? 2 : axis;
  if (!(fabs(n[axis]) > 0)) return false;
  probe_ray ray = {p, axis, 1, triangle + 1};
  if (j->closure->kind == PL_CLOSURE_OPEN) { /* along the border is no way to go */
    double sure[2];
    for (int i = 0; i < 2; ++i) {
      ray.way = i ? -1 : 1;
      point_border_angle(j->other, j->closure, &ray, &sure[i]);
    }
    ray.way = sure[1] > sure[0] ? -1 : 1;
  }
  bool on;
  const double there = winding_beside(r, &ray, &on), front = n[axis] * ray.way > 0 ? there : there - 1;
  return !on && (front >= 0.5 || front <= -1.5);
}

bool penetration_inside(penetration_run *r, const double p[3], uint32_t triangle)
{
  return r->job->of == r->job->other ? inside_itself(r, p, triangle) : inside_other(r, p);
}

/* ----------------------------------------------------------------------------------- nearest -- */

/* Do two parts cross each other? */
static bool are_partners(const penetration_work *w, uint32_t node, uint32_t other)
{
  const uint64_t key = runner_pair_key(node, other);
  size_t low = 0, high = w->partners.count;
  while (low < high) {
    const size_t middle = low + (high - low) / 2;
    if (w->partners.data[middle] < key)
      low = middle + 1;
    else
      high = middle;
  }
  return low < w->partners.count && w->partners.data[low] == key;
}

bool penetration_is_other(const penetration_run *r, uint32_t triangle)
{
  const penetration_work *w = r->work;
  const uint32_t *v = corners_of(r, triangle);
  if (r->job->of != r->job->other) return true;
  for (int c = 0; c < 3; ++c)
    if (is_inside(w, v[c]) && class_of(w, v[c]) == r->node) return false;
  if (!is_cut(w, triangle) && is_inside(w, v[0])) return are_partners(w, r->node, class_of(w, v[0]));
  for (uint32_t i = w->first.data[triangle]; i < w->first.data[triangle + 1]; ++i)
    if (class_of(w, r->vertices + i) == r->node) return false;
  return true;
}

static bool is_elsewhere(void *user, size_t point, pl_body *body, uint32_t triangle)
{
  (void)point;
  (void)body;
  return penetration_is_other(user, triangle);
}

bool penetration_nearest(penetration_run *r, const double p[3], double near, pl_point *out)
{
  const penetration_job *j = r->job;
  const bool itself = j->of == j->other;
  *out = (pl_point){.distance = INFINITY, .triangle = PL_NONE};
  if (j->plain.count) {
    pl_question all = pl_question_default();
    all.margin = INFINITY;
    all.point_filter = itself ? is_elsewhere : NULL;
    all.user = r;
    point_nearest_plainly(&j->plain, j->other, p, 0, &all, out, &(pl_counters){0});
  } else {
    r->work->walk.filter = itself ? is_elsewhere : NULL;
    r->work->walk.user = r;
    r->kernels->probe->nearest(&r->work->walk, p, 0, near, out);
  }
  return out->triangle != PL_NONE;
}
