/* The ray tracer: pictures of a scene of bodies, after T. Whitted, An Improved Illumination
 * Model for Shaded Display, 1980. Primary rays, shadow rays to point lights, reflections; smooth
 * normals, a sky and a ground without triangles.
 *
 * It works breadth-first, after section 7.5 of T. Larsson, T. Akenine-Möller, Strategies for
 * Bounding Volume Hierarchy Updates for Ray Tracing of Deformable Models, 2003: all primary rays
 * are one batch for the library, then all shadow rays, then all reflections and theirs. So the
 * library shares rays among threads, its trees are refreshed only where rays go, and a frame
 * that runs out of time is still complete: only its shadows or reflections are missing.
 *
 *   tracer *t;
 *   tracer_create(context, &t);
 *   trace_frame(t, &shot, rgb, &stats);
 *
 * Pictures are the same bytes for every strategy, every number of threads and every instruction
 * set; only a time budget may leave something out. Units are the scene's own; colours are linear
 * light. */
#ifndef TRACE_TRACE_H
#define TRACE_TRACE_H

#include "pliant/probes.h"

/* ------------------------------------------------------------------------------------ camera -- */

/* A ray of the picture's point (x, y), each from -1 to 1, goes along forward + x * right + y *
 * up. */
typedef struct trace_camera {
  double eye[3], forward[3], right[3], up[3];
} trace_camera;

/* How a camera is asked for. */
typedef struct trace_view {
  double eye[3], at[3];
  int up_axis;    /* 1: y is up, 2: z */
  double degrees; /* of view from bottom to top */
  double aspect;  /* width / height */
} trace_view;

trace_camera trace_camera_make(const trace_view *view);

/* An eye from which the whole box is just in view: `azimuth` and `elevation` in degrees as seen
 * from the box's middle; zoom 2 goes to half of that distance. */
void trace_view_frame(trace_view *view, const double lower[3], const double upper[3], double azimuth, double elevation,
                      double zoom);

/* ------------------------------------------------------------------------------------- world -- */

typedef struct trace_material {
  float colour[3];
  float mirror;   /* 0: none, 1: only the mirror image */
  float fresnel;  /* how much more of it where one looks along the surface; 0 .. 1 */
  float tint;     /* how much of the colour the mirror image takes on: 0 glass, 1 metal */
  float specular; /* strength of highlights */
  float gloss;    /* their exponent */
} trace_material;

typedef struct trace_light {
  double at[3];
  float colour[3];
  /* 0: a point with sharp shadows; more: softer, if there are several samples per pixel */
  float radius;
} trace_light;

typedef struct trace_sky {
  float horizon[3], zenith[3], nadir[3]; /* level, straight up, straight down */
  float glow[3];                         /* around the first light */
  float ambient;                         /* how much of the sky lights every surface */
  /* bodies fade into the sky as exp(-fog * distance); 0: none */
  float fog;
} trace_sky;

typedef enum trace_ground_kind { TRACE_GROUND_NONE, TRACE_GROUND_PLAIN, TRACE_GROUND_CHECKER } trace_ground_kind;

/* The plane `height` along the axis that is up; it fades into the sky. */
typedef struct trace_ground {
  trace_ground_kind kind;
  double height, square, fade; /* fade: distance from `middle` at which it is nearly gone */
  double middle[3];
  float other[3]; /* colour of every other square */
  trace_material material;
} trace_ground;

enum { TRACE_MOST_LIGHTS = 16 };

typedef struct trace_world {
  int up_axis;
  trace_sky sky;
  trace_ground ground;
  trace_light lights[TRACE_MOST_LIGHTS];
  int light_count;
} trace_world;

/* X(NAME, word). Skies with a ground and colours that go with them. */
#define TRACE_MOOD_LIST(X)                                                                                             \
  X(DAY, "day")                                                                                                        \
  X(DUSK, "dusk")                                                                                                      \
  X(STUDIO, "studio")                                                                                                  \
  X(NIGHT, "night")                                                                                                    \
  X(SEA, "sea") /* under water: best without a ground */

typedef enum trace_mood {
#define TRACE_MOOD_NAME(name, word) TRACE_MOOD_##name,
  TRACE_MOOD_LIST(TRACE_MOOD_NAME)
#undef TRACE_MOOD_NAME
      TRACE_MOOD_COUNT
} trace_mood;

/* A world around a box of that size: ground below it, up to three lights above; `eye`: where the
 * camera is, so that light comes from over its shoulder. */
void trace_world_make(trace_world *world, trace_mood mood, int up_axis, const double lower[3], const double upper[3],
                      const double eye[3], int lights);

/* The k-th of some colours that go together; red is not among them, as it means contact. */
trace_material trace_palette(int k);

/* ------------------------------------------------------------------------------------ bodies -- */

/* Which triangles meet in a point, found once: vertices at the same place count as one, so that
 * seams in the file are no seams in the picture. */
typedef struct trace_fans trace_fans;

pl_status trace_fans_create(const pl_mesh_def *mesh, trace_fans **out);
void trace_fans_destroy(trace_fans *fans); /* NULL is allowed */

/* What the tracer must know beside the library's body, which has the same number in the scene. */
typedef struct trace_body {
  const uint32_t *triangles;
  pl_positions positions;        /* as they are now; read while a frame is traced */
  const pl_transform *placement; /* world = placement * positions; NULL: they are in world space */
  const trace_fans *fans;        /* NULL: flat triangles */
  trace_material material;
  const uint8_t *marked; /* of each triangle, 1: it has the material of `mark`; NULL: none */
  const trace_material *mark;
} trace_body;

/* ------------------------------------------------------------------------------------ frames -- */

typedef struct trace_settings {
  int width, height; /* of the picture */
  /* one ray stands for s x s pixels, colours between them are interpolated; 1: every pixel */
  int subsample;
  int samples; /* rays per pixel, or per s x s pixels */
  int bounces; /* 0: no reflections */
  bool shadows;
  double crease;    /* degrees: edges sharper than this stay sharp */
  double budget_ms; /* per frame, from the call on; 0: none. Primary rays are always traced */
} trace_settings;

trace_settings trace_settings_default(void); /* 640 x 480, all there is */

typedef struct trace_stats {
  size_t primary, shadow, reflected; /* rays traced */
  size_t hits;                       /* primary rays that met a body */
  size_t bodies;                     /* bodies that primary rays met */
  /* rays that the budget left out: lit, or seeing the sky, instead */
  size_t left_shadow, left_reflected;
  /* taken: fewer than asked for only if the budget ended them */
  int samples;
  uint64_t n_v, n_p, n_u;
  double ms_update; /* volumes made before rays */
  double ms_cast;   /* rays, with volumes made on the way */
  double ms_shade;  /* normals and colours */
  double ms_paint;  /* from rays to pixels */
} trace_stats;

typedef struct tracer tracer;

/* Shades on the workers of the context that its scenes are in, which must outlive it. On failure
 * *out is NULL. */
pl_status tracer_create(pl_context *context, tracer **out);
void tracer_destroy(tracer *t); /* NULL is allowed */

typedef struct trace_shot {
  pl_scene *scene;
  const trace_body *bodies; /* as many as the scene has, in the order of adding */
  size_t body_count;
  const trace_world *world;
  const trace_camera *camera;
  trace_settings settings;
} trace_shot;

/* Paints `rgb`: 3 * width * height bytes, rows from the top; NULL: rays are traced and shaded,
 * but no picture is made. A status of the library comes with its message in the scene's context;
 * PL_ERROR_MEMORY may be the tracer's own, which has none. Once a size has been seen, a frame
 * allocates nothing here. */
pl_status trace_frame(tracer *t, const trace_shot *shot, uint8_t *rgb, trace_stats *stats);

/* The sub-sampling of the next frame, between `finest` and 16: coarser after a frame that took
 * longer than its budget or left something out, finer when there is time for it. */
int trace_next_subsample(const trace_settings *last, const trace_stats *stats, int finest);

#endif
