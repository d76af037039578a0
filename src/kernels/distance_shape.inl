/* distance.inl with shapes as volumes: DISTANCE is the walk's name, KIND the volume, PLACED: each in its model's space. The bounds are
 * a function of their own, as the walk calls them in three places. */
#define JOIN(a, b) a##b
#define BOUNDS_OF(name) JOIN(name, _bounds)

static __attribute__((noinline)) v8 BOUNDS_OF(DISTANCE)(const distance_walk *d, int side, uint32_t node,
                                                        const shape_lane *q)
{
  return distance_shape_bounds(d, side, node, q, KIND, PLACED);
}

#define BOUNDS(d, side, node, q) BOUNDS_OF(DISTANCE)(d, side, node, &(q))
#define SIX(d, a, b, bound_a, rows) distance_six(d, a, b, KIND, PLACED, bound_a, rows)
#define VOLUME shape_lane
#define VOLUME_OF distance_shape
#define VOLUME_LANE distance_shape_lane
#include "kernels/distance.inl"

#undef JOIN
#undef BOUNDS_OF
#undef KIND
#undef PLACED
