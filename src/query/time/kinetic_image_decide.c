/* What a pixel sees now, and until when that is certain.
 *
 * The triangle with the nearest certain hit is the visible one if every other triangle that may
 * be hit now is certainly behind it; otherwise all of them are tested exactly, as in a cast. It
 * stays visible as long as its hit is certain and no triangle in front of it may be hit. Cost:
 * the spans of the pixel. */
#include "query/time/kinetic_image.h"

#include "exact/ray_tri.h"

#include <math.h>

enum { HALVINGS = 12 };

/* One pixel, and its spans. */
typedef struct pixel_view {
  const pl_kinetic_image *image;
  size_t pixel;
  const image_span *begin, *end;
  double s;
} pixel_view;

static inline bool is_now(const pixel_view *v, const image_span *x) { return x->from <= v->s && v->s <= x->to; }

/* Is x, which is certainly hit, before y at each s of [from, to]? */
static bool before(const pixel_view *v, const image_span *x, const image_span *y, double from, double to)
{
  ray_path a, b;
  if (x->high < y->low) return true;
  image_path(v->image, v->pixel, x->triangle, &a);
  image_path(v->image, v->pixel, y->triangle, &b);
  return ray_path_before(&v->image->rays[v->pixel], &a, &b, from, to);
}

/* The end of the part of [from, to], from its begin on, in which that is certain. */
static double before_until(const pixel_view *v, const image_span *x, const image_span *y, double from, double to)
{
  if (x->high < y->low) return to;
  ray_path a, b;
  const pl_ray *ray = &v->image->rays[v->pixel];
  image_path(v->image, v->pixel, x->triangle, &a);
  image_path(v->image, v->pixel, y->triangle, &b);
  if (ray_path_before(ray, &a, &b, from, to)) return to;
  if (!ray_path_before(ray, &a, &b, from, from)) return from;
  double length = to - from;
  for (int i = 0; i < HALVINGS; ++i) {
    length *= 0.5;
    if (ray_path_before(ray, &a, &b, from, from + length)) return from + length;
  }
  return from;
}

/* The nearest of the present certain spans, if its triangle is certainly the visible one. */
static const image_span *sure_one(const pixel_view *v, bool *sure)
{
  const image_span *best = NULL;
  *sure = true;
  for (const image_span *x = v->begin; x < v->end; ++x)
    if (is_now(v, x) && x->sure && (!best || x->high < best->high)) best = x;
  for (const image_span *x = v->begin; x < v->end && *sure; ++x)
    if (is_now(v, x) && (!best || (x->triangle != best->triangle && !before(v, best, x, v->s, v->s)))) *sure = false;
  return best;
}

/* The exact test of all triangles that may be hit now: returns the nearest; of several, the one
 * with the least index of the caller's. */
static const image_span *exact_one(const pixel_view *v)
{
  const pl_body *body = v->image->body;
  const primitives *p = &body->tree->prims;
  const image_span *best = NULL;
  double t = INFINITY;
  for (const image_span *x = v->begin; x < v->end; ++x) {
    double corner[3][3];
    ray_point at;
    if (!is_now(v, x)) continue;
    for (size_t c = 0; c < 3; ++c) points_world(&body->motion.now, p->tri[3 * (size_t)x->triangle + c], corner[c]);
    if (!ray_tri_meet(&v->image->rays[v->pixel], (const double(*)[3])corner, &at)) continue;
    const bool equal = best && at.t == t, lesser = equal && p->tri_id[x->triangle] < p->tri_id[best->triangle];
    /* at the border of two of its spans */
    const bool same = equal && x->triangle == best->triangle && x->sure;
    if (best && !(at.t < t) && !lesser && !same) continue;
    best = x;
    t = at.t;
  }
  return best;
}

/* Nothing is seen from now on until something may be. */
static double nothing_until(const pixel_view *v)
{
  double until = v->image->to;
  for (const image_span *x = v->begin; x < v->end; ++x) {
    if (is_now(v, x)) return v->s;
    if (x->from > v->s && x->from < until) until = x->from;
  }
  return until;
}

static double seen_until(const pixel_view *v, const image_span *best)
{
  if (!best->sure) return v->s;
  double until = best->to;
  for (const image_span *x = v->begin; x < v->end && until > v->s; ++x) {
    if (x->triangle == best->triangle || x->to < v->s || x->from > until) continue;
    const double from = x->from > v->s ? x->from : v->s, to = x->to < until ? x->to : until;
    const double holds = before_until(v, best, x, from, to);
    if (holds < to) until = holds;
  }
  return until;
}

uint32_t image_decide(pl_kinetic_image *image, image_tile *tile, size_t pixel, double s, double *until)
{
  const size_t lane = pixel % IMAGE_TILE;
  const image_span *spans = tile->spans.data;
  const pixel_view v = {
      .image = image, .pixel = pixel, .s = s, .begin = spans + tile->first[lane], .end = spans + tile->first[lane + 1]};
  *until = image->to;
  if (v.begin == v.end) return PL_NONE;
  bool sure;
  const image_span *best = sure_one(&v, &sure);
  if (!sure) {
    best = exact_one(&v);
    ++tile->decided;
  }
  *until = best ? seen_until(&v, best) : nothing_until(&v);
  return best ? image->body->tree->prims.tri_id[best->triangle] : PL_NONE;
}
