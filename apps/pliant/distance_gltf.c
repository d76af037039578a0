/* `pliant distance SCENE`: the two nearest bodies of a glTF scene in every frame of an animation. */
#include "distance.h"

#include "command.h"
#include "io/show.h"
#include "output.h"
#include "progress.h"

#include <stdlib.h>
#include <unistd.h>

typedef struct scene_job {
  distance_options options;
  gltf_job gltf;
  distance_totals totals;
  distance_curve curve;
} scene_job;

static bool complain(const scene_job *job, size_t index)
{
  output_complain("%s: frame %zu: %s", job->gltf.path, index, pl_context_message(job->gltf.context));
  return false;
}

static bool check_frame(const scene_job *job, const distance_frame *frame, const pl_nearest *nearest)
{
  pl_nearest truth;
  char difference[DISTANCE_TEXT];
  if (pl_reference_scene_distance(job->gltf.scene, NULL, &truth) != PL_OK) return complain(job, frame->index);
  bool exact = job->options.closer < 0 && job->options.relative == 0 && job->options.absolute == 0;
  if (exact && !frame->answer.partial && (nearest->a != truth.a || nearest->b != truth.b))
    snprintf(difference, sizeof difference, "the two bodies are not those that the reference finds");
  else if (distance_agrees(&job->options, frame, &truth.distance, difference))
    return true;
  output_complain("%s: frame %zu: %s", job->gltf.path, frame->index, difference);
  return false;
}

static bool answer_frame(scene_job *job, size_t index, distance_frame *frame)
{
  gltf_frame moved = {.index = index, .time = (double)index / job->gltf.fps};
  if (!gltf_job_move(&job->gltf, &moved)) return false;
  *frame = (distance_frame){.index = index, .time = moved.time, .ms_set = moved.ms_set};
  pl_distance_def def = distance_def(&job->options);
  pl_nearest nearest;
  if (pl_scene_distance(job->gltf.scene, &def, &nearest) != PL_OK) return complain(job, index);
  frame->answer = nearest.distance;
  frame->closer = nearest.a && nearest.distance.distance <= job->options.closer;
  if (nearest.a) {
    frame->a = gltf_job_name(&job->gltf, gltf_job_body(&job->gltf, nearest.a, 0));
    frame->b = gltf_job_name(&job->gltf, gltf_job_body(&job->gltf, nearest.b, 0));
  }
  return !job->options.common.check || check_frame(job, frame, &nearest);
}

static bool run_frames(scene_job *job)
{
  const distance_options *o = &job->options;
  bool good = true;
  progress bar = progress_begin("frames", job->gltf.frame_count, (o->common.json || o->common.csv) && isatty(1));
  distance_write_head(o, true);
  for (size_t i = 0; i < job->gltf.frame_count && good; ++i) {
    distance_frame frame;
    good = answer_frame(job, i, &frame);
    if (!good) break;
    distance_write_frame(o, &frame);
    distance_totals_add(&job->totals, o, &frame);
    if (o->plot) distance_curve_add(&job->curve, frame.answer.distance);
    progress_step(&bar, i + 1);
    good = !ferror(stdout);
  }
  progress_end(&bar);
  return good;
}

static void write_end(const scene_job *job)
{
  const distance_options *o = &job->options;
  if (o->common.json || o->common.csv) return;
  printf("scene     %s, %zu bodies\n", io_show(job->gltf.path).text, job->gltf.body_count);
  printf("frames    %zu, %g per second\n", job->totals.frames, job->gltf.fps);
  distance_write_totals(o, &job->totals);
}

static int run(scene_job *job)
{
  const distance_options *o = &job->options;
  bool good = gltf_job_start(&job->gltf) && run_frames(job);
  if (good && o->plot) good = distance_plot(o->plot, &job->curve, "distance of the two nearest bodies");
  if (!good) return output_give_up();
  write_end(job);
  if (!output_finish()) return EXIT_ERROR;
  return o->fail_if_closer && job->totals.closer_frames > 0 ? EXIT_CONTACT : EXIT_DONE;
}

int distance_gltf(const distance_options *options, const char *path)
{
  scene_job job = {.options = *options, .gltf = {.path = path, .options = {.common = options->common}}};
  job.gltf.options.common.check = false; /* checked here: it needs no second scene */
  int code = run(&job);
  gltf_job_end(&job.gltf);
  free(job.curve.values);
  return code;
}
