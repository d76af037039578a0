/* `pliant distance` with many bodies: the two nearest of them in every frame. */
#include "distance/distance.h"
#include "scenes/ask.h"

#include "common/command.h"
#include "common/output.h"
#include "common/ranks.h"
#include "common/shard.h"
#include "io/show.h"

#include <stdlib.h>
#include <string.h>

typedef struct distance_scene {
  distance_options options;
  scene_job job;
  distance_totals totals;
  distance_curve curve;
  results_out found;
  char animation[STAGE_LABEL];
} distance_scene;

static bool complain(const distance_scene *s, size_t index)
{
  output_complain("frame %zu: %s", index, ranks_message(s->job.stage.context));
  return false;
}

/* A pl_scene measures all of its pairs; where some are left out, they are measured one by one. */
static bool measure(const distance_scene *s, const pl_question *def, bool reference, least_row *out)
{
  if (s->job.choice.any) return distance_pairs(&s->job, def, reference, out);
  if (reference) return refer_least(pl_all(s->job.scene), NULL, out) == PL_OK;
  const ranks_who all = {.who = pl_all(s->job.scene), .stage = &s->job.stage};
  const pl_result *found;
  if (ranks_ask(RANKS_NEAREST, &all, def, &found) != PL_OK) return false;
  take_least(found, out);
  return true;
}

static bool check_frame(const distance_scene *s, const distance_frame *frame, const least_row *nearest)
{
  least_row truth;
  char difference[DISTANCE_TEXT];
  if (!measure(s, NULL, true, &truth)) return complain(s, frame->index);
  bool exact = s->options.closer < 0 && s->options.relative == 0 && s->options.absolute == 0;
  if (exact && !frame->answer.partial && (nearest->a != truth.a || nearest->b != truth.b))
    snprintf(difference, sizeof difference, "the two bodies are not those that the reference finds");
  else if (distance_agrees(&s->options, frame, &truth, difference))
    return true;
  output_complain("frame %zu: %s", frame->index, difference);
  return false;
}

/* --only-new: what touches in the first frame is left out. */
static bool settle(distance_scene *s)
{
  const pl_result *found;
  pl_question def = pl_question_default();
  size_t index = s->job.stage.first;
  double ms;
  if (!s->job.only_new) return true;
  if (!stage_move(&s->job.stage, index, &ms)) return false;
  if (pl_touching(pl_all(s->job.scene), &def, &found) != PL_OK) return complain(s, index);
  return scene_job_settle(&s->job, found);
}

static bool answer_frame(void *of, size_t index, distance_frame *frame)
{
  distance_scene *s = of;
  stage *on = &s->job.stage;
  double ms_set;
  if (!stage_move(on, index, &ms_set)) return false;
  *frame = (distance_frame){.index = index, .time = on->has_time ? stage_time(on, index) : -1, .ms_set = ms_set};
  if (stage_has_clips(on)) frame->animation = stage_animation(on, index, s->animation);
  pl_question def = distance_def(&s->options);
  least_row nearest;
  if (!measure(s, &def, false, &nearest)) return complain(s, index);
  frame->answer = nearest;
  frame->closer = nearest.a && nearest.distance <= s->options.closer;
  if (nearest.a) {
    frame->body_a = stage_number(on, nearest.a, 0);
    frame->body_b = stage_number(on, nearest.b, 0);
    frame->a = on->bodies[frame->body_a].name;
    frame->b = on->bodies[frame->body_b].name;
  }
  return !s->options.common.check || check_frame(s, frame, &nearest);
}

/* For pictures: the frame once more. */
static bool ask_again(void *user, size_t index, report_shot *out)
{
  distance_scene *s = user;
  distance_frame frame;
  if (!answer_frame(s, index, &frame)) return false;
  mark *marks = results_out_reserve(&s->found, 1);
  marks[0] = (mark){(uint32_t)frame.body_a, frame.answer.triangle_a, (uint32_t)frame.body_b, frame.answer.triangle_b};
  distance_shot(&s->found, &frame, out);
  return true;
}

static bool run_frames(distance_scene *s)
{
  const distance_options *o = &s->options;
  const stage *on = &s->job.stage;
  return settle(s) && distance_frames(&(distance_run){.options = o,
                                                      .on = on,
                                                      .lines = o->common.json || o->common.csv,
                                                      .has_time = on->has_time,
                                                      .has_clips = stage_has_clips(on),
                                                      .found = &s->found,
                                                      .curve = &s->curve,
                                                      .totals = &s->totals,
                                                      .answer = answer_frame,
                                                      .job = s});
}

static void write_end(const distance_scene *s)
{
  const distance_options *o = &s->options;
  const stage *on = &s->job.stage;
  if (o->common.json || o->common.csv) return;
  printf("scene     ");
  for (size_t i = 0; i < on->input_count; ++i) printf("%s%s", i ? ", " : "", io_show(on->inputs[i].def.names[0]).text);
  printf(", %zu bod%s\n", on->body_count, on->body_count == 1 ? "y" : "ies");
  printf("frames    %zu", s->totals.frames);
  if (on->has_time) printf(", %g per second", on->fps);
  printf("\n");
  stage_write_clips(on);
  stage_write_range(on);
  if (s->job.only_new)
    printf("at rest   %zu pair%s of bodies touch in frame %zu and are left out\n", s->job.choice.rest_count,
           s->job.choice.rest_count == 1 ? "" : "s", on->begin);
  distance_write_totals(o, &s->totals, on);
  results_out_write_end(&s->found, &o->common);
}

static int run(distance_scene *s, const input_list *inputs)
{
  const distance_options *o = &s->options;
  stage_def def = play_stage_def(&o->common);
  report_def shown = {
      .command = "distance", .found = "distance", .nearest = true, .stage = &s->job.stage, .choice = &s->job.choice};
  bool good = stage_open(&s->job.stage, &def, inputs) && stage_tell_alone(&s->job.stage) &&
              scene_job_start(&s->job, &o->common.choice, false) && results_out_open(&s->found, &o->common, &shown) &&
              stage_shard(&s->job.stage, "distance") && run_frames(s) && results_out_finish(&s->found, ask_again, s);
  if (good && o->plot && !shard_is_on()) good = distance_plot(o->plot, &s->curve, "distance of the two nearest bodies");
  if (!good) return output_give_up();
  write_end(s);
  if (!output_finish()) return EXIT_ERROR;
  return shard_end(output_verdict(o->fail_if_closer, o->common.stage.allow_unchecked, s->totals.closer_frames > 0));
}

int distance_scene_run(const distance_options *options, const input_list *inputs)
{
  distance_scene s = {.options = *options};
  int code = run(&s, inputs);
  results_out_close(&s.found);
  scene_job_end(&s.job);
  free(s.curve.values);
  return code;
}
