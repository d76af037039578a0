/* A ray in the space of a body: its slabs for boxes, its shear for triangles; see rays.h.
 *
 * Slabs. A ray in float has two origins, rounded down and up, and two inverse directions, 16
 * units smaller and greater: the entry into a slab comes out early and the exit late, whatever
 * sums and products round (they keep the order). That needs t >= 0: a ray that starts before 0,
 * or far away, is moved to just before the body, which also keeps its floats fine. An axis along
 * which the ray does not move has an infinite inverse; 0 times it is not a number, which min and
 * max pass over: such a box is not missed. A packet whose rays go both ways along an axis has no
 * exit there, but two entries: the lower plane, reached from the greatest origin with the
 * greatest speed forward, and the upper plane, reached from the least origin with the greatest
 * speed backward. Both bound at once: where all origins are below a box, the rays that go down
 * miss it, since t >= 0, and the second entry is before 0. A difference may overflow. The
 * directions are then less than 1 (greater ones come with origins up to 2^100, from which no
 * difference overflows): a box that is entered after an infinite difference is entered at an
 * infinite time, and an exit before that is finite. */
#include "kernels/rays.h"
#include "math/simd.h"

#include <float.h>
#include <math.h>

/* A ray and the boxes of one space. */
typedef struct ray_slabs {
  float near_origin[3], far_origin[3], near_inverse[3], far_inverse[3];
  int near_at[3], far_at[3]; /* components of a block */
  unsigned mixed;            /* axes along which rays of a packet go both ways; 0: a single ray */
  double length;             /* t of floats = (t - start) * length, a power of two; 0: unknown */
} ray_slabs;

/* A ray and the triangles of one body. */
typedef struct ray_shear {
  float base[3], home[3]; /* in the body's space, and in the world */
  double home_error;      /* of home */
  int x, y, z;            /* z: the axis along which the ray moves most */
  float shear_x, shear_y, inverse;
  float stretch; /* bounds |inverse| */
  float error;   /* h */
  float margin;  /* of t */
  double length;
  bool irregular;
} ray_shear;

/* A ray in a body. */
typedef struct ray_view {
  const ray_target *target;
  const pl_ray *ray;
  size_t index;
  double start; /* t of the base */
  const ray_slabs *slabs;
  ray_slabs own;
  ray_shear shear;
  float low, high;             /* t of the slabs */
  float shear_low, shear_high; /* t of the shear */
} ray_view;

/* The power of two that brings the greatest of three to [1/2, 1); 0 where there is none. */
static inline double unit_scale(const double d[3])
{
  double x = fabs(d[0]), y = fabs(d[1]), z = fabs(d[2]), most = x > y ? (x > z ? x : z) : (y > z ? y : z);
  if (!(most >= 0x1p-1000 && most <= 0x1p1000)) return 0;
  uint64_t bits;
  memcpy(&bits, &most, sizeof bits);
  bits = (2045 - (bits >> 52)) << 52;
  memcpy(&most, &bits, sizeof most);
  return most;
}

/* origin: right to `error`; scale: a power of two that brings the direction near 1. */
static inline void make_slabs(ray_slabs *s, const double origin[3], const double error[3], const double direction[3],
                              double scale)
{
  s->length = 1 / scale;
  s->mixed = 0;
  for (int k = 0; k < 3; ++k) {
    float down = (float)origin[k], up = down;
    if ((double)down != origin[k] || error[k] != 0) {
      down = round_down(origin[k] - error[k]);
      up = round_up(origin[k] + error[k]);
    }
    /* right to 2 units */
    float d = (float)(direction[k] * scale), size = d < 0 ? -d : d, inverse = 1 / size;
    float least = inverse * FLOAT_LESS, most = inverse * FLOAT_MORE;
    if (!(size >
          0x1p-100f)) { /* or the direction has nothing along this axis, and 0 may be something that was rounded off */
      least = direction[k] == 0 ? INFINITY : 0x1p100f * FLOAT_LESS;
      most = INFINITY;
    }
    bool back = direction[k] < 0;
    s->near_origin[k] = back ? down : up;
    s->far_origin[k] = back ? up : down;
    s->near_inverse[k] = back ? -least : least;
    s->far_inverse[k] = back ? -most : most;
    s->near_at[k] = back ? k + 3 : k;
    s->far_at[k] = back ? k : k + 3;
  }
}

/* No box is missed. */
static inline void make_blind(ray_slabs *s)
{
  *s = (ray_slabs){.far_at = {3, 4, 5}, .near_at = {0, 1, 2}, .length = 0};
  for (int k = 0; k < 3; ++k) {
    s->near_origin[k] = INFINITY;
    s->far_origin[k] = -INFINITY;
    s->near_inverse[k] = s->far_inverse[k] = 1;
  }
}

/* Where the lanes of a block are entered; their bits, without those that are missed or entered
 * after `high`. */
static KERNEL_INLINE unsigned slab_hits(const ray_slabs *s, const float *block, int width, float low, float high,
                                        float near[8])
{
  v8 enter = v8_set(low), leave = v8_set(high);
  for (int k = 0; k < 3; ++k) {
    v8 a = v8_load_lanes(block + s->near_at[k] * width, width), b = v8_load_lanes(block + s->far_at[k] * width, width);
    a = v8_mul(v8_sub(a, v8_set(s->near_origin[k])), v8_set(s->near_inverse[k]));
    b = v8_mul(v8_sub(b, v8_set(s->far_origin[k])), v8_set(s->far_inverse[k]));
    enter = v8_max(a, enter); /* not a number: the second */
    if (s->mixed >> k & 1)
      enter = v8_max(b, enter);
    else
      leave = v8_min(b, leave);
  }
  v8_store(near, enter);
  return v8m_bits(v8_le(enter, leave));
}

/* Times of floats, some units early and late. Times before the start do not occur: nothing is
 * hit there. A hit's t is rounded, at the ends of the range by more than relatively little:
 * denormal ones by a unit, and DBL_MAX stands for all that are greater. */
static inline float time_down(double t, double start, double length)
{
  float x = (float)((t - start) * length);
  return x > 0 ? x * FLOAT_LESS : 0;
}

static inline float time_up(double t, double start, double length)
{
  float x = (float)((t - start + 0x1p-1072) * length);
  if (x < 0) return -1;
  return length > 0 && x == x && t < DBL_MAX ? x * FLOAT_MORE + UNDERFLOW_ERROR : INFINITY;
}

/* ------------------------------------------------------------------------------- into a body -- */

/* The ray's part that can meet the ball around the body, if it does not start near it: false if
 * there is none. */
static inline bool choose_start(ray_view *v, double *stop)
{
  const ray_target *b = v->target;
  const pl_ray *ray = v->ray;
  double c[3], far = 0, along = 0, size = 0, square = 0, most = 0;
  v->start = 0;
  *stop = INFINITY;
  for (int k = 0; k < 3; ++k) {
    c[k] = b->centre[k] - ray->origin[k];
    far = far > fabs(c[k]) ? far : fabs(c[k]);
  }
  if (ray->t_min >= 0 && far <= 16 * b->radius) return true;
  /* 0, and NaN below, where there is none */
  double scale = v->shear.length > 0 ? 1 / v->shear.length : 0;
  for (int k = 0; k < 3; ++k) {
    double d = ray->direction[k] * scale;
    along += c[k] * d;
    size += fabs(c[k] * d);
    square += d * d;
    most = most > fabs(d) ? most : fabs(d);
  }
  double middle = along / square * scale, half = (2 * b->radius / most + 1e-9 * (size / square)) * scale + 0x1p-1070;
  if (!(fabs(middle) + half < DBL_MAX)) { /* or the centre is none */
    v->start = NAN;
    return true;
  }
  v->start = middle - half > ray->t_min ? middle - half : ray->t_min;
  *stop = middle + half;
  return *stop >= v->start && v->start <= ray->t_max;
}

/* The part of a shear that depends on the ray alone. */
static inline void make_shear(ray_shear *s, const pl_ray *ray, double scale)
{
  const double *d = ray->direction;
  s->home_error = 0;
  for (int k = 0; k < 3; ++k) {
    s->home[k] = (float)ray->origin[k];
    double off = fabs(ray->origin[k] - (double)s->home[k]);
    s->home_error = off > s->home_error ? off : s->home_error;
  }
  s->irregular = scale == 0;
  s->length = scale == 0 ? 0 : 1 / scale;
  if (s->irregular) return;
  double x = fabs(d[0]), y = fabs(d[1]), z = fabs(d[2]);
  s->z = x > y ? (x > z ? 0 : 2) : (y > z ? 1 : 2);
  s->x = s->z == 2 ? 0 : s->z + 1;
  s->y = s->z == 0 ? 2 : s->z - 1;
  double inverse = 1 / d[s->z];
  s->shear_x = (float)(d[s->x] * inverse);
  s->shear_y = (float)(d[s->y] * inverse);
  s->inverse = (float)(inverse * s->length);
  s->stretch = fabsf(s->inverse);
}

/* Accuracy of coordinates: `wrong` bounds the error of the body's and the ray's, `reach` the
 * differences between them. */
static inline void trust_shear(ray_shear *s, const ray_target *b, double wrong, double reach)
{
  reach += 2 * wrong;
  s->irregular = s->length == 0 || b->irregular || !(reach <= 0x1p50);
  s->error = (float)((0x1.4p-21 * reach + 3 * wrong) * 1.0001) + 0x1p-100f;
  s->margin = (float)(0x1.4p-21 * reach + 4 * wrong) * s->stretch + 0x1p-100f;
}

static inline double reach_of(const ray_target *b, const double base[3])
{
  double reach = 0;
  for (int k = 0; k < 3; ++k) {
    double low = base[k] - (double)b->box.lower[k], high = (double)b->box.upper[k] - base[k];
    reach = reach > low ? reach : low;
    reach = reach > high ? reach : high;
  }
  /* the greater of the two sides is not negative, and not less than the other's magnitude */
  return reach;
}

/* The rest of the shear: the ray begins at `base`, which is right to `error`; home: `base` is
 * the ray's origin. */
static inline void place_shear(ray_shear *s, const ray_target *b, const double base[3], const double error[3],
                               bool home)
{
  double wrong = b->delta;
  if (home && b->delta == 0) {
    memcpy(s->base, s->home, sizeof s->base);
    wrong = s->home_error;
  } else {
    double most = 0;
    for (int k = 0; k < 3; ++k) {
      double at = base[k] - b->origin[k];
      s->base[k] = (float)at;
      double off = fabs(at - (double)s->base[k]) + error[k] + fabs(at) * 0x1p-50;
      most = most > off ? most : off;
    }
    wrong += most;
  }
  trust_shear(s, b, wrong, reach_of(b, base));
}

/* Is a term of the sum of a[j] * d[j] so small that it may have been rounded off, although it is
 * not 0? */
static bool has_vanished(const double a[3], const double d[3])
{
  for (int j = 0; j < 3; ++j)
    if (a[j] != 0 && d[j] != 0 && fabs(a[j] * d[j]) < 0x1p-900) return true;
  return false;
}

/* The ray in the boxes' space. */
static void make_own_slabs(ray_view *v, const double base[3], const double error[3])
{
  const ray_target *b = v->target;
  double o[3], d[3], wrong[3];
  if (!b->transformed) {
    double scale = unit_scale(v->ray->direction);
    scale == 0 ? make_blind(&v->own) : make_slabs(&v->own, base, error, v->ray->direction, scale);
    return;
  }
  bool known = !b->blind;
  for (int k = 0; k < 3; ++k) {
    o[k] = d[k] = 0;
    wrong[k] = b->slack[k];
    for (int j = 0; j < 3; ++j) {
      double a = b->inverse[k][j];
      o[k] += a * (base[j] - b->shift[j]);
      d[k] += a * v->ray->direction[j];
      wrong[k] += fabs(a) * (error[j] + 0x1p-48 * fabs(base[j]));
    }
    known = known && fabs(o[k]) < 0x1p900 && fabs(d[k]) < 0x1p900 && wrong[k] < 0x1p900;
    if (fabs(d[k]) < 0x1p-900) known = known && !has_vanished(b->inverse[k], v->ray->direction);
  }
  double scale = known ? unit_scale(d) : 0;
  scale == 0 ? make_blind(&v->own) : make_slabs(&v->own, o, wrong, d, scale);
}

/* Shortens the rest of the ray by the hits so far. */
static inline void shorten(ray_view *v, double t)
{
  v->high = time_up(t, v->start, v->slabs->length);
  v->shear_high = time_up(t, v->start, v->shear.length);
}

/* The ray made ready for a body; `top` fits if both are in one space. v has the direction's part
 * of the shear. false: no hit is possible. */
static inline bool enter_body(ray_view *v, const ray_slabs *top, double t_most)
{
  const pl_ray *ray = v->ray;
  double stop, base[3], error[3] = {0, 0, 0};
  if (!choose_start(v, &stop)) return false;
  if (v->start != v->start) { /* numbers so large that nothing can be said */
    v->start = 0;
    make_blind(&v->own);
    v->slabs = &v->own;
    v->low = 0;
    v->high = INFINITY;
    v->shear.irregular = true;
    return true;
  }
  memcpy(base, ray->origin, sizeof base);
  if (v->start != 0)
    for (int k = 0; k < 3; ++k) {
      double step = v->start * ray->direction[k];
      base[k] += step;
      /* Twice: the rounding of a hit's t counts from here, too. */
      error[k] = 0x1p-49 * (fabs(ray->origin[k]) + fabs(step)) + 0x1p-1000;
    }
  v->slabs = top;
  if (v->start != 0 || v->target->transformed || !top) {
    make_own_slabs(v, base, error);
    v->slabs = &v->own;
  }
  place_shear(&v->shear, v->target, base, error, v->start == 0);
  v->low = time_down(ray->t_min, v->start, v->slabs->length);
  v->shear_low = time_down(ray->t_min, v->start, v->shear.length);
  shorten(v, t_most < stop ? t_most : stop);
  return true;
}
