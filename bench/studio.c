#include "bench/studio.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

bool studio_out_of_memory(studio *s) { return bench_fail(s->report, "out of memory"); }

bool studio_refused(studio *s, const char *title)
{
  return bench_fail(s->report, "%s: %s", title, pl_context_message(s->context));
}

static size_t picture_size(const studio *s) { return 3 * (size_t)s->width * (size_t)s->height; }

bool studio_open(studio *s, const bench_options *options, bench_report *report)
{
  *s = (studio){.report = report, .width = options->quick ? 160 : 640, .height = options->quick ? 120 : 480};
  pl_context_def def = pl_context_def_default();
  def.threads = options->threads ? options->threads : 1;
  pl_status status = pl_context_create(&def, &s->context);
  if (status == PL_OK) status = tracer_create(s->context, &s->tracer);
  if (status != PL_OK) return bench_fail(report, "%s", pl_status_text(status));
  for (int i = 0; i < 2; ++i)
    if (!(s->pictures[i] = malloc(picture_size(s)))) return studio_out_of_memory(s);
  return true;
}

void studio_close(studio *s)
{
  tracer_destroy(s->tracer);
  pl_context_destroy(s->context);
  for (int i = 0; i < 2; ++i) free(s->pictures[i]);
  *s = (studio){0};
}

double studio_clock(const studio *s)
{
  struct timespec t;
  clock_gettime(pl_context_threads(s->context) == 1 ? CLOCK_PROCESS_CPUTIME_ID : CLOCK_MONOTONIC, &t);
  return 1e3 * (double)t.tv_sec + 1e-6 * (double)t.tv_nsec;
}

trace_camera studio_camera(const studio *s, trace_view view)
{
  view.aspect = (double)s->width / s->height;
  return trace_camera_make(&view);
}

bool studio_same_rays(const trace_stats *a, const trace_stats *b)
{
  return a->primary == b->primary && a->hits == b->hits && a->shadow == b->shadow && a->reflected == b->reflected;
}

bool studio_same_pictures(const studio *s) { return memcmp(s->pictures[0], s->pictures[1], picture_size(s)) == 0; }

bool studio_look_from(studio *s, pl_scene *scene, const trace_camera *camera, int step, studio_look *out)
{
  const pl_result *hits;
  pl_question slow = pl_question_default();
  slow.reference = true;
  out->step = step;
  for (int i = 0; i < STUDIO_RAYS; ++i) {
    double x = 2 * (i % STUDIO_ACROSS + 0.5) / STUDIO_ACROSS - 1, y = 2 * (i / STUDIO_ACROSS + 0.5) / STUDIO_DOWN - 1;
    double direction[3];
    for (int k = 0; k < 3; ++k) direction[k] = camera->forward[k] + x * camera->right[k] + y * camera->up[k];
    out->rays[i] = pl_ray_from(camera->eye, direction);
  }
  if (pl_cast(pl_all(scene), out->rays, STUDIO_RAYS, &slow, &hits) != PL_OK) return studio_refused(s, "the reference");
  memcpy(out->right, hits->hits, sizeof out->right);
  return true;
}

bool studio_check_look(studio *s, const studio_look *look, pl_scene *scene, const char *title)
{
  const pl_result *hits;
  if (pl_cast(pl_all(scene), look->rays, STUDIO_RAYS, NULL, &hits) != PL_OK) return studio_refused(s, title);
  for (int i = 0; i < STUDIO_RAYS; ++i) {
    const pl_hit *hit = &hits->hits[i], *right = &look->right[i];
    if (hit->member != right->member || hit->triangle != right->triangle || hit->t != right->t)
      return bench_fail(s->report, "frame %d: %s hits another triangle than the reference; please report this",
                        look->step, title);
  }
  bench_compared(&s->report->compared, "nearest hits of some rays", BENCH_REFERENCE, look->step, STUDIO_RAYS);
  return true;
}
