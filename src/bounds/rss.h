/* Rectangle swept spheres: a rectangle along the two principal axes of greatest variance, and a
 * radius (Larsen, Gottschalk, Lin, Manocha 1999; the volume of Bitar's thesis, section III.2).
 * Fit: half of the extent along the third axis is the radius; then the rectangle is drawn in as
 * far as its spheres still reach every point, side by side first, then moved out again where a
 * point in a corner is missed. Cost: six passes over the points. */
#ifndef BOUNDS_RSS_H
#define BOUNDS_RSS_H

#include "bounds/obb.h"

enum { RSS_EDGES = 2, RSS_FLOATS = 10, RSS_RADIUS = 9 };

/* A rectangle in the making: coordinates in its frame. */
typedef struct rectangle_fit {
  frame3 frame;
  extent3 at; /* of the rectangle; along the third axis both are the middle */
  double radius;
} rectangle_fit;

/* How far the sphere reaches sideways at the height of a point. */
static inline double rectangle_reach(const rectangle_fit *r, double height)
{
  double square = r->radius * r->radius - height * height;
  return square > 0 ? sqrt(square) : 0;
}

/* Each side on its own: as near as the point that is farthest out allows. */
static inline void rectangle_draw_in(const bounded *s, rectangle_fit *r)
{
  double low[2] = {INFINITY, INFINITY}, high[2] = {-INFINITY, -INFINITY};
  for (uint32_t i = 0; i < bounded_count(s); ++i) {
    double q[3], x[3];
    bounded_get(s, i, q);
    frame_point(&r->frame, q, x);
    double reach = rectangle_reach(r, x[2] - r->at.low[2]);
    for (int k = 0; k < 2; ++k) {
      low[k] = x[k] + reach < low[k] ? x[k] + reach : low[k];
      high[k] = x[k] - reach > high[k] ? x[k] - reach : high[k];
    }
  }
  for (int k = 0; k < 2; ++k) {
    double middle = 0.5 * low[k] + 0.5 * high[k];
    r->at.low[k] = low[k] < high[k] ? low[k] : middle; /* any line between them reaches all points */
    r->at.high[k] = low[k] < high[k] ? high[k] : middle;
  }
}

/* Points beyond two sides at once: the corner goes out along its diagonal until it reaches them. */
static inline void rectangle_reach_corners(const bounded *s, rectangle_fit *r)
{
  for (uint32_t i = 0; i < bounded_count(s); ++i) {
    double q[3], x[3], out[2];
    bounded_get(s, i, q);
    frame_point(&r->frame, q, x);
    for (int k = 0; k < 2; ++k) out[k] = fmax(r->at.low[k] - x[k], x[k] - r->at.high[k]);
    if (!(out[0] > 0 && out[1] > 0)) continue;
    double reach = rectangle_reach(r, x[2] - r->at.low[2]);
    if (out[0] * out[0] + out[1] * out[1] <= reach * reach) continue;
    double square = 2 * reach * reach - (out[0] - out[1]) * (out[0] - out[1]);
    double step = square > 0 ? 0.5 * (out[0] + out[1] - sqrt(square)) : 0;
    /* a slim corner goes out along one side */
    double go[2] = {step > 0 ? step : out[0], step > 0 ? step : 0};
    for (int k = 0; k < 2; ++k) {
      if (x[k] < r->at.low[k])
        r->at.low[k] -= go[k];
      else
        r->at.high[k] += go[k];
    }
  }
}

static inline void rss_fit(const bounded *s, float *lane, int width)
{
  rectangle_fit r;
  if (!principal_frame(s, &r.frame)) {
    swept_everything(lane, width, RSS_EDGES);
    return;
  }
  r.at = frame_extent(s, &r.frame);
  r.radius = 0.5 * r.at.high[2] - 0.5 * r.at.low[2];
  r.at.low[2] = r.at.high[2] = extent_middle(&r.at, 2);
  if (r.radius > 1e-9 * r.frame.reach) {
    rectangle_draw_in(s, &r);
    rectangle_reach_corners(s, &r);
  }
  swept_store(s, &r.frame, &r.at, RSS_EDGES, lane, width);
}

static inline bool rss_contains(const float *lane, int width, const double point[3])
{
  return swept_contains(lane, width, RSS_EDGES, point);
}

/* The radius, as in the thesis: 0 for flat ones. */
static inline float rss_size(const float *lane, int width) { return lane[RSS_RADIUS * width]; }

static inline float rss_extent(const float *lane, int width) { return swept_extent(lane, width, RSS_EDGES); }

#define VOLUME_RSS rss
#define RSS_ROW                                                                                                        \
  {                                                                                                                    \
    .floats = RSS_FLOATS, .fit = rss_fit, .contains = rss_contains, .size = rss_size, .grow = rss_grow,                \
    .extent = rss_extent, .centred = true, .stretches = true                                                           \
  }

static const float rss_grow[RSS_FLOATS] = {[RSS_RADIUS] = 1};

/* ------------------------------------------------------------------------------------- lanes -- */
#ifdef KERNEL_LANES

/* Boxes first: they cost a tenth, and separate most of what is apart. */
enum { RSS_FIRST = 0, RSS_BOTH = 0, RSS_FAR = 1 };

SWEPT_LANES(rss, RSS)

/* The two children of a against b, b's first and b's second: lanes 0 and 1, 2 and 3, 4 and 5. */
static KERNEL_INLINE v8 swept_six(v8m is_own, v8m is_first, const float *own, const float *children)
{
  return v8_select(is_own, v8_set(*own), v8_select(is_first, v8_set(children[0]), v8_set(children[1])));
}

static __attribute__((noinline, unused)) v8 rss_lengths_of_six(const float *a, const float *own, int own_width,
                                                               const float *b, swept_aim aim)
{
  swept8 s, q;
  v8m is_own = v8_lt(v8_numbers(), v8_set(2)), is_first = v8_lt(v8_numbers(), v8_set(4));
  swept_load(&s, a, 2, 2);
  for (int k = 0; k < 3; ++k) q.centre[k] = swept_six(is_own, is_first, own + k * own_width, b + 2 * k);
  for (int i = 0; i < 2; ++i)
    for (int k = 0; k < 3; ++k) {
      int c = 3 + 3 * i + k;
      q.edge[i][k] = swept_six(is_own, is_first, own + c * own_width, b + 2 * c);
    }
  q.radius = swept_six(is_own, is_first, own + 9 * own_width, b + 2 * 9);
  return swept_bounds(&s, &q, 2, aim);
}
#define RSS_SIX rss_lengths_of_six

#endif
#endif
