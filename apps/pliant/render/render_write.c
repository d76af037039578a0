/* Names of pictures, pictures, videos, and what is reported about frames. */
#include "common/command.h"
#include "common/number_name.h"
#include "common/options.h"
#include "common/output.h"
#include "common/shard.h"
#include "io/io.h"
#include "io/show.h"
#include "render/render.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* ------------------------------------------------------------------------------------- names -- */

int render_output_parse(render_job *job)
{
  const render_options *o = &job->options;
  int width = job->settings.width, height = job->settings.height;
  if (o->output && !name_ends_with(o->output, ".png"))
    return options_refuse("render", "--out %s: the name must end in .png", o->output);
  if (o->output && number_name_find(o->output) < 0)
    return options_refuse("render", "--out %s: the name needs one number, as in frame%%04d.png", o->output);
  if (o->video && (width % 2 || height % 2))
    return options_refuse("render", "--video needs an even width and height, not %dx%d", width, height);
  return OPTIONS_GO_ON;
}

/* Names that were not given follow from the number of frames. */
bool render_output_check(render_job *job)
{
  render_options *o = &job->options;
  size_t frames = job->whole;
  if (!o->output && !o->video) o->output = frames == 1 ? "render.png" : "render%04d.png";
  if (!o->output || frames == 1 || number_name_find(o->output) == 1) return true;
  options_refuse("render",
                 "%zu frames and one name, %s: put a number into it (frame%%04d.png), or choose with --frames", frames,
                 o->output);
  return false;
}

bool render_write_picture(render_job *job, render_frame *frame)
{
  frame->path[0] = '\0';
  if (job->video && !video_write(job->video, job->rgb)) return false;
  if (!job->options.output) return true;
  io_error error;
  number_name_make(job->options.output, frame->index, frame->path, sizeof frame->path);
  if (io_png_write(frame->path, job->rgb, job->settings.width, job->settings.height, &error)) return true;
  output_complain("%s", error.text);
  return false;
}

/* ------------------------------------------------------------------------------------ frames -- */

static size_t rays_of(const trace_stats *s) { return s->primary + s->shadow + s->reflected; }
static double shade_ms(const trace_stats *s) { return s->ms_shade + s->ms_paint; }

static void write_json(const render_job *job, const render_frame *f)
{
  json j = {.file = stdout};
  const trace_stats *s = &f->stats;
  json_open(&j, '{');
  json_put_whole(&j, "frame", f->index);
  json_key(&j, "picture");
  if (f->path[0])
    json_text(&j, f->path);
  else
    json_real(&j, 0.0 / 0.0); /* null */
  json_put_whole(&j, "width", (uint64_t)f->settings.width);
  json_put_whole(&j, "height", (uint64_t)f->settings.height);
  json_put_whole(&j, "subsample", (uint64_t)f->settings.subsample);
  json_put_whole(&j, "samples", (uint64_t)s->samples);
  json_put_whole(&j, "rays", rays_of(s));
  json_put_whole(&j, "primary", s->primary);
  json_put_whole(&j, "shadow", s->shadow);
  json_put_whole(&j, "reflected", s->reflected);
  json_put_whole(&j, "hits", s->hits);
  json_put_whole(&j, "bodies", s->bodies);
  json_put_whole(&j, "left_out_shadow", s->left_shadow);
  json_put_whole(&j, "left_out_reflected", s->left_reflected);
  json_put_work(&j, "n_v", s->n_v);
  json_put_work(&j, "n_p", s->n_p);
  json_put_work(&j, "n_u", s->n_u);
  json_put_ms(&j, "ms_set", f->ms_set);
  json_put_ms(&j, "ms_update", s->ms_update);
  json_put_ms(&j, "ms_cast", s->ms_cast);
  json_put_ms(&j, "ms_shade", s->ms_shade);
  json_put_ms(&j, "ms_paint", s->ms_paint);
  if (shard_costs()) json_put_real(&j, "rays_per_second", s->ms_cast > 0 ? 1e3 * (double)rays_of(s) / s->ms_cast : 0);
  if (job->options.contacts) {
    json_put_whole(&j, "pairs", f->pairs);
    json_put_whole(&j, "self_pairs", f->self_pairs);
  }
  json_close(&j, '}');
  printf("\n");
}

/* What a budget did to a frame, in words; nothing if it did nothing. */
static void write_left(const render_job *job, const render_frame *f)
{
  const trace_stats *s = &f->stats;
  char shadow[OUTPUT_NUMBER_SIZE], reflected[OUTPUT_NUMBER_SIZE];
  if (f->settings.subsample > job->options.subsample)
    printf("; every %d%s pixel", f->settings.subsample,
           f->settings.subsample == 2   ? "nd"
           : f->settings.subsample == 3 ? "rd"
                                        : "th");
  if (s->samples < f->settings.samples) printf("; %d of %d samples", s->samples, f->settings.samples);
  if (s->left_shadow + s->left_reflected > 0)
    printf("; left out %s shadow and %s mirrored rays", output_count(s->left_shadow, shadow),
           output_count(s->left_reflected, reflected));
}

static void write_line(const render_job *job, const render_frame *f)
{
  const trace_stats *s = &f->stats;
  printf("frame %-5zu %8.2f ms: %7.2f update, %8.2f trace, %6.2f shade; %5.2f M rays, %5.2f M/s", f->index,
         f->ms_set + s->ms_update + s->ms_cast + shade_ms(s), f->ms_set + s->ms_update, s->ms_cast, shade_ms(s),
         1e-6 * (double)rays_of(s), s->ms_cast > 0 ? 1e-3 * (double)rays_of(s) / s->ms_cast : 0);
  write_left(job, f);
  if (job->options.contacts) printf("; %zu touching pair%s", f->pairs, f->pairs == 1 ? "" : "s");
  if (f->self_pairs) printf(", %zu within a body", f->self_pairs);
  if (f->path[0]) printf("  %s", io_show(f->path).text);
  printf("\n");
}

void render_write_frame(const render_job *job, const render_frame *frame)
{
  if (job->options.json)
    write_json(job, frame);
  else
    write_line(job, frame);
  fflush(stdout); /* who reads along sees whole lines at once */
}

void render_write_end(const render_job *job)
{
  if (job->options.json) return;
  const render_totals *t = &job->totals;
  char triangles[OUTPUT_NUMBER_SIZE];
  size_t count = 0;
  double n = (double)t->frames;
  for (size_t i = 0; i < job->actor_count; ++i) count += pl_body_triangle_count(job->actors[i].body);
  printf("scene     %zu bod%s, %s triangles; %s, %d thread%s, %s\n", job->actor_count,
         job->actor_count == 1 ? "y" : "ies", output_count(count, triangles),
         pl_word(PL_WORDS_STRATEGY, pl_body_strategy(job->actors[0].body)), pl_context_threads(job->context),
         pl_context_threads(job->context) == 1 ? "" : "s", pl_context_simd(job->context));
  printf("camera    --camera %.4g,%.4g,%.4g --look-at %.4g,%.4g,%.4g --fov %g\n", job->view.eye[0], job->view.eye[1],
         job->view.eye[2], job->view.at[0], job->view.at[1], job->view.at[2], job->view.degrees);
  printf("frames    %zu of %dx%d", t->frames, job->settings.width, job->settings.height);
  if (t->coarse_frames > 0) printf("; the budget made %zu coarser", t->coarse_frames);
  if (t->left_frames > 0) printf("; in %zu it left rays out", t->left_frames);
  if (job->options.video) printf("; %s", io_show(job->options.video).text);
  printf(
      "\ntime      %.2f ms per frame (%.2f taking positions, %.2f update, %.2f trace, %.2f shade), %.2f the longest\n",
      (t->ms_set + t->ms_update + t->ms_cast + t->ms_shade) / n, t->ms_set / n, t->ms_update / n, t->ms_cast / n,
      t->ms_shade / n, t->ms_longest);
  printf("rays      %.2f million per frame, %.2f million per second\n", 1e-6 * t->rays / n,
         t->ms_cast > 0 ? 1e-3 * t->rays / t->ms_cast : 0);
}
