/* What the tracer's files share among themselves. Not for users of trace.h. */
#ifndef TRACE_INSIDE_H
#define TRACE_INSIDE_H

#include "trace/trace.h"
#include "trace/vec.h"

/* ----------------------------------------------------------------------------------- corners -- */

/* A triangle in world space with the smooth normals of its corners, all of unit length. */
typedef struct corners {
  vec point[3], normal[3];
} corners;

/* false: the triangle has no area, and there are no normals. The body must have fans.
 * cos_crease: of the angle at which an edge is sharp. */
bool corners_make(const trace_body *body, uint32_t triangle, double cos_crease, corners *out);

/* ------------------------------------------------------------------------------------- light -- */

/* Where a ray arrived, and what it needs to become a colour. */
typedef struct surface {
  double origin[3]; /* where rays leave: above the triangle, lifted to the smooth surface */
  float normal[3];  /* unit, to the side of the ray */
  float to_eye[3];  /* unit, back along the ray */
  float bounce[3];  /* where the mirror image comes from, unit */
  float colour[3];
  float weight[3]; /* of its colour in the pixel */
  float distance;  /* along the path from the eye */
  float mirror;    /* the part of its colour that is the mirror image */
  uint32_t pixel;
  uint32_t asked;                 /* bit i: a shadow ray goes to light i */
  const trace_material *material; /* NULL: the ray went into the sky, and has been paid */
} surface;

vec sky_colour(const trace_world *world, vec direction);

/* The part of the ground that still stands out against the sky where a ray meets it, 0 .. 1, and
 * its colour there. width: of the ray's pixel there. */
double ground_presence(const trace_world *world, vec point);
vec ground_colour(const trace_ground *ground, int up_axis, vec point, vec direction, double width);

/* The colour of a surface before its mirror image: light from the sky, and from the lights of
 * which `lit` has the bit. */
vec surface_colour(const trace_world *world, const surface *s, uint32_t lit);

/* The mirror's part at this angle. */
double mirror_part(const trace_material *material, double cos_angle);

/* ------------------------------------------------------------------------------------- image -- */

enum { TONE_STEPS = 16384 };

/* linear light from 0 to 4 as displays want it, 0 .. 255 */
void tone_table(float table[TONE_STEPS + 1]);
float tone(const float *table, float light);

/* ------------------------------------------------------------------------------------ tracer -- */

typedef struct path {
  uint32_t pixel;
  float weight[3];
  float distance; /* travelled before the ray's origin */
} path;

/* One generation of rays: they fork into shadow rays and into the rays of the next. */
typedef struct wave {
  size_t capacity; /* rays of a generation */
  pl_ray *rays[2]; /* this generation's and the next one's */
  path *paths[2];
  pl_hit *hits;
  surface *surfaces;
  size_t *begin_next;   /* per task: its first ray of the next generation */
  size_t *begin_shadow; /* per light and task: its first shadow ray */
  int lights;           /* for which `begin_shadow` has room */
  size_t shadow_capacity;
  pl_ray *shadow_rays;
  pl_hit *shadow_hits;
} wave;

struct tracer {
  pl_context *context; /* whose workers shade */
  wave wave;
  int grid[2];       /* rays across and down for which `order` stands; 0: none */
  uint32_t *order;   /* the rays' places in tiles */
  size_t light_size; /* floats that `light` has room for */
  float *light;      /* 3 per ray of the grid: the sum of its samples */
  size_t seen_size;
  bool *seen; /* bodies that primary rays met */
  float tones[TONE_STEPS + 1];
};

/* What one pass over rays sees. */
typedef struct pass {
  tracer *tracer;
  const trace_shot *shot;
  int sample;
  size_t first, count; /* of the primary rays, in `order`; of this generation's rays */
  int generation, tasks;
  int side;                       /* which of the wave's two arrays is this generation's */
  double cos_crease, pixel_width; /* width of a ray's pixel at distance 1 */
  double deadline;                /* ms on the clock; infinite without a budget */
  trace_stats *stats;
  pl_status status;
} pass;

double trace_clock(void); /* ms */

/* Traces the primary rays [first, first + count) with all that follows from them. */
pl_status wave_trace(pass *p);

/* Room for so many rays in a generation; `task`: how many are one task. */
pl_status wave_reserve(wave *w, size_t rays, int lights, size_t task);
pl_status wave_reserve_shadows(wave *w, size_t rays);
void wave_free(wave *w);

#endif
