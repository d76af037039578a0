/* On which side of a body's surface a point is. */
#include "query/probe/points.h"

#include <stdlib.h>

/* The rays of a point, those with the shortest way out of the body first. */
static void order_rays(const probe_target *t, const double p[3], probe_ray rays[6])
{
  double way_out[6];
  for (int i = 0; i < 6; ++i) {
    int axis = i % 3, way = i < 3 ? 1 : -1, at = i;
    double out = way > 0 ? (double)t->box.upper[axis] - p[axis] : p[axis] - (double)t->box.lower[axis];
    for (; at > 0 && out < way_out[at - 1]; --at) {
      way_out[at] = way_out[at - 1];
      rays[at] = rays[at - 1];
    }
    way_out[at] = out;
    rays[at] = (probe_ray){p, axis, way, 0};
  }
}

/* The generalised winding number is
 * the number of crossings of a ray plus the solid angles between the border and the direction
 * against the ray. For on the sphere of directions, the number of times that the surface covers
 * a direction changes at the border only: it is known in the direction of the ray, and differs
 * from that elsewhere by the triangles that the border and any other direction span. */
double point_border_angle(const pl_body *body, const closure *c, const probe_ray *ray, double *sure)
{
  double sum = 0;
  *sure = 1;
  for (size_t i = 0; i < c->border_count; ++i) {
    double a[3], b[3], own;
    points_world(&body->motion.now, c->border[i].from, a);
    points_world(&body->motion.now, c->border[i].to, b);
    sum += c->border[i].times * point_edge_angle(ray->point, a, b, ray->axis, -ray->way, &own);
    *sure = fmin(*sure, own);
  }
  return sum;
}

/* The solid angle of all triangles: for points whose rays along every axis pass too near the
 * border. */
static double whole_angle(const pl_body *body, const double p[3])
{
  const primitives *all = &body->tree->prims;
  double sum = 0;
  for (size_t i = 0; i < all->triangle_count; ++i) {
    if (prims_hole(all, i)) continue;
    double t[3][3];
    for (size_t k = 0; k < 3; ++k) points_world(&body->motion.now, all->tri[3 * i + k], t[k]);
    sum += point_tri_angle(p, (const double(*)[3])t);
  }
  return sum;
}

static double winding_of_open(const closure *c, probe_walk *w, const kernels *k, const probe_ray rays[6], int crossings)
{
  const pl_body *body = w->target->body;
  const double good = 0x1p-6, useful = 0x1p-12;
  double best = 0, angle = 0;
  int chosen = 0;
  for (int i = 0; i < 6 && best < good; ++i) {
    double sure, own = point_border_angle(body, c, &rays[i], &sure);
    if (!(sure > best)) continue;
    best = sure;
    angle = own;
    chosen = i;
  }
  if (best < useful) return whole_angle(body, rays[0].point);
  bool on;
  if (chosen) crossings = k->probe->crossings(w, &rays[chosen], &on);
  return crossings + angle;
}

void point_side(const closure *c, probe_walk *w, const kernels *k, const double p[3], pl_point *out)
{
  probe_ray rays[6];
  order_rays(w->target, p, rays);
  bool on;
  int crossings = k->probe->crossings(w, &rays[0], &on);
  out->side = PL_SIDE_ON;
  out->winding = 0;
  if (on) return;
  out->winding = c->kind == PL_CLOSURE_CLOSED       ? crossings
                 : c->kind == PL_CLOSURE_UNORIENTED ? abs(crossings) % 2
                                                    : winding_of_open(c, w, k, rays, crossings);
  bool inside = c->kind == PL_CLOSURE_OPEN ? fabs(out->winding) >= 0.5 : out->winding != 0;
  out->side = inside ? PL_SIDE_INSIDE : PL_SIDE_OUTSIDE;
}
