/* What the experiments with the tracer share: a context and a tracer on the same threads, two
 * pictures to compare, and the checks that all players must pass. With one thread the clock is
 * processor time, with more it is wall time. */
#ifndef BENCH_STUDIO_H
#define BENCH_STUDIO_H

#include "bench/experiment.h"
#include "pliant/probes.h"
#include "trace/trace.h"

typedef struct studio {
  bench_report *report;
  pl_context *context;
  tracer *tracer;
  int width, height; /* 640 x 480, unless it is to be quick */
  uint8_t *pictures[2];
} studio;

/* false (here and below): report->error is set. */
bool studio_open(studio *s, const bench_options *options, bench_report *report);
/* all bodies and scenes of its context end with it; an empty one is allowed */
void studio_close(studio *s);

double studio_clock(const studio *s);                         /* ms */
trace_camera studio_camera(const studio *s, trace_view view); /* with the aspect of the pictures */

/* Did two players see the same rays meet the same things? */
bool studio_same_rays(const trace_stats *a, const trace_stats *b);
bool studio_same_pictures(const studio *s);

/* Rays through a coarse grid of the picture, and what the reference, which looks at every
 * triangle, says that they meet. */
enum { STUDIO_ACROSS = 8, STUDIO_DOWN = 6, STUDIO_RAYS = STUDIO_ACROSS * STUDIO_DOWN };
typedef struct studio_look {
  int step; /* of the scene, for the error's sentence */
  pl_ray rays[STUDIO_RAYS];
  pl_hit right[STUDIO_RAYS];
} studio_look;

bool studio_look_from(studio *s, pl_scene *scene, const trace_camera *camera, int step, studio_look *out);
/* The trees of another player's scene of the same bodies must give the same. */
bool studio_check_look(studio *s, const studio_look *look, pl_scene *scene, const char *title);

/* For the report: what went wrong, and with whom. Both return false. */
bool studio_out_of_memory(studio *s);
bool studio_refused(studio *s, const char *title);

#endif
