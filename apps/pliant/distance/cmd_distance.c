/* `pliant distance`: how far A and B are from each other, in every frame. Frames are read one at
 * a time and answered one at a time; the answer of a frame is where the search of the next
 * begins. */
#include "distance/distance.h"
#include "scenes/ask.h"

#include "common/command.h"
#include "common/output.h"
#include "common/ranks.h"
#include "common/shard.h"

#include <stdlib.h>

static const option output_table[] = {
    {.name = "json",
     .letter = 'j',
     .kind = OPTION_FLAG,
     .offset = offsetof(distance_options, common.json),
     .help = "one JSON object per frame, a line each: frame, distance, point_a, point_b, triangle_a, triangle_b and "
             "more"},
    {.name = "csv",
     .letter = 'c',
     .kind = OPTION_FLAG,
     .offset = offsetof(distance_options, common.csv),
     .help = "a header and one row per frame"},
    {.name = "plot",
     .kind = OPTION_TEXT,
     .offset = offsetof(distance_options, plot),
     .value = "OUT.svg|OUT.png",
     .help = "also the curve of the distance over the frames, as a picture (.png needs gnuplot)"},
    {.name = "list",
     .letter = 'l',
     .kind = OPTION_FLAG,
     .offset = offsetof(distance_options, common.list),
     .help = "with --margin: also the pairs themselves, with their distances, sorted by triangle"},
    {.name = "fail-if-closer",
     .kind = OPTION_FLAG,
     .offset = offsetof(distance_options, fail_if_closer),
     .help = "with --closer: exit code 1 if the bodies are closer in any frame"},
};

static const option query_table[] = {
    {.name = "closer",
     .kind = OPTION_REAL,
     .offset = offsetof(distance_options, closer),
     .value = "D",
     .low = 0,
     .high = 1e300,
     .help = "only test whether they are at most D apart, which is much faster than measuring"},
    {.name = "margin",
     .kind = OPTION_REAL,
     .offset = offsetof(distance_options, margin),
     .value = "M",
     .low = 0,
     .high = 1e300,
     .help = "also count all pairs of triangles that are at most M apart"},
    {.name = "relative",
     .kind = OPTION_REAL,
     .offset = offsetof(distance_options, relative),
     .value = "R",
     .low = 0,
     .high = 1e6,
     .help = "the result may exceed the distance by this fraction, 0.01 for 1 %; 0, if not given: exact"},
    {.name = "absolute",
     .kind = OPTION_REAL,
     .offset = offsetof(distance_options, absolute),
     .value = "L",
     .low = 0,
     .high = 1e300,
     .help = "the result may exceed the distance by this length; 0, if not given: exact"},
    {.name = "budget-ms",
     .kind = OPTION_REAL,
     .offset = offsetof(distance_options, common.budget_ms),
     .value = "MS",
     .low = 0,
     .high = 1e9,
     .help = "end each frame's search after about this many milliseconds; its result is then marked partial, and "
             "`lower` is a lower bound of the distance; 0: no limit"},
};

static const command_text text = {
    .name = "distance",
    .usage = "pliant distance [OPTIONS] A B\npliant distance [OPTIONS] A... -- B...\npliant distance [OPTIONS] "
             "FILE|SCENE...",
    .about = "The least distance between the triangles of A and those of B in every frame, with the two nearest points "
             "and their triangles (indices from 0). Correct to a few units in the last place; exactly 0 if they "
             "touch.\n\n" PLAY_ABOUT_FILES
             "SCENE is a glTF file (.glb, .gltf): every node with triangles is a body; the result is the distance of "
             "the two nearest bodies in every frame of an animation.",
    .examples = "  pliant distance cable.obj frame.obj\n"
                "  pliant distance 'frames/cable_*.obj' frame.obj --plot clearance.svg\n"
                "  pliant distance frames/cable_*.obj -- frame.obj --csv > clearance.csv\n"
                "  pliant distance left/ right/ --closer 0.005 --fail-if-closer && echo clearance kept\n"
                "  pliant distance a.ply b.ply --json --margin 0.01 --list\n"
                "  pliant distance 'a_%04d.obj' b.stl --relative 0.01 --check\n"
                "  pliant distance scene.glb --fps 30\n",
};

typedef struct distance_job {
  distance_options options;
  play play;
  distance_totals totals;
  distance_curve curve;
  results_out found;
} distance_job;

/* ------------------------------------------------------------------------------------ frames -- */

static bool complain(const distance_job *job, size_t index)
{
  output_complain("frame %zu: %s", index, ranks_message(job->play.two_bodies.context));
  return false;
}

static bool check_frame(const distance_job *job, const distance_frame *frame)
{
  least_row truth;
  char difference[DISTANCE_TEXT];
  if (refer_least(pl_two(job->play.two_bodies.body[0], job->play.two_bodies.body[1]), NULL, &truth) != PL_OK)
    return complain(job, frame->index);
  if (distance_agrees(&job->options, frame, &truth, difference)) return true;
  output_complain("frame %zu: %s", frame->index, difference);
  return false;
}

static bool answer_frame(void *of, size_t index, distance_frame *frame)
{
  distance_job *job = of;
  const distance_options *o = &job->options;
  *frame = (distance_frame){.index = index,
                            .time = -1,
                            .a = play_file(&job->play, 0, index),
                            .b = play_file(&job->play, 1, index),
                            .body_b = 1};
  if (!stage_move(&job->play.stage, index, &frame->ms_set)) return false;
  pl_question def = distance_def(o);
  pl_body *a = job->play.two_bodies.body[0], *b = job->play.two_bodies.body[1];
  const pl_result *found;
  if (ranks_ask_two(RANKS_NEAREST, a, b, &def, &found) != PL_OK) return complain(job, index);
  take_least(found, &frame->answer);
  frame->closer = frame->answer.distance <= o->closer;
  if (o->common.check && !check_frame(job, frame)) return false;
  if (o->margin < 0) return true;
  const pl_result *near;
  pl_question near_def = pl_question_default();
  near_def.sorted = true;
  near_def.margin = o->margin;
  if (ranks_ask_two(RANKS_NEAR_TRIANGLES, a, b, &near_def, &near) != PL_OK) return complain(job, index);
  frame->near = near->near_pairs;
  frame->near_count = near->count;
  frame->answer.counters.ms_query += near->counters.ms_query;
  return true;
}

/* For pictures: the frame once more. */
static bool ask_again(void *user, size_t index, report_shot *out)
{
  distance_job *job = user;
  distance_frame frame;
  if (!answer_frame(job, index, &frame)) return false;
  mark *marks = results_out_reserve(&job->found, 1);
  marks[0] = (mark){(uint32_t)frame.body_a, frame.answer.triangle_a, (uint32_t)frame.body_b, frame.answer.triangle_b};
  distance_shot(&job->found, &frame, out);
  return true;
}

static bool run_frames(distance_job *job)
{
  const distance_options *o = &job->options;
  return distance_frames(&(distance_run){.options = o,
                                         .on = &job->play.stage,
                                         .lines = o->common.json || o->common.csv || o->common.list,
                                         .found = &job->found,
                                         .curve = &job->curve,
                                         .totals = &job->totals,
                                         .answer = answer_frame,
                                         .job = job});
}

/* ----------------------------------------------------------------------------------- summary -- */

static void write_end(const distance_job *job)
{
  const distance_options *o = &job->options;
  if (o->common.json || o->common.csv) return;
  char tree[TREE_TEXT];
  play_write_sides(&job->play);
  printf("tree      %s\n", tree_options_text(&job->play.stage.def.body, tree));
  printf("strategy  %s%s, %s\n", pl_word(PL_WORDS_STRATEGY, pl_body_strategy(job->play.two_bodies.body[0])),
         job->play.stage.def.body.strategy == PL_STRATEGY_AUTO ? " (chosen by auto)" : "",
         pl_context_simd(job->play.two_bodies.context));
  printf("frames    %zu\n", job->totals.frames);
  stage_write_range(&job->play.stage);
  distance_write_totals(o, &job->totals, &job->play.stage);
  results_out_write_end(&job->found, &o->common);
}

/* --------------------------------------------------------------------------------------- all -- */

static int run(distance_job *job, const input_list *inputs)
{
  const distance_options *o = &job->options;
  report_def def = {.command = "distance", .found = "distance", .nearest = true, .stage = &job->play.stage};
  bool good = play_open(&job->play, &o->common, inputs) && results_out_open(&job->found, &o->common, &def) &&
              stage_shard(&job->play.stage, "distance") && run_frames(job) &&
              results_out_finish(&job->found, ask_again, job);
  if (good && o->plot && !shard_is_on()) good = distance_plot(o->plot, &job->curve, "distance of A and B");
  if (!good) return output_give_up();
  write_end(job);
  if (!output_finish()) return EXIT_ERROR;
  return shard_end(output_verdict(o->fail_if_closer, o->common.stage.allow_unchecked, job->totals.closer_frames > 0));
}

/* Options that do not go together. */
static int check_options(const distance_options *o)
{
  if (o->closer >= 0 && o->margin >= 0) return options_refuse("distance", "--closer or --margin, not both");
  if (o->closer >= 0 && o->plot) return options_refuse("distance", "--closer measures nothing that --plot could show");
  if (o->closer >= 0 && (o->relative > 0 || o->absolute > 0))
    return options_refuse("distance", "--closer is exact: leave out --relative and --absolute");
  if (o->closer >= 0 && (o->common.report || o->common.out))
    return options_refuse("distance", "--closer measures nothing that --report or --out could show");
  if (o->fail_if_closer && o->closer < 0) return options_refuse("distance", "--fail-if-closer needs --closer D");
  if (o->common.list && o->margin < 0) return options_refuse("distance", "--list needs --margin M");
  if (o->plot && !distance_plot_fits(o->plot))
    return options_refuse("distance", "--plot %s: the name must end in .svg or .png", o->plot);
  int code =
      ranks_refuse("distance", o->relative > 0 || o->absolute > 0, "--relative or --absolute", "ranks are exact");
  if (code != OPTIONS_GO_ON) return code;
  return shard_refuse("distance", o->relative > 0 || o->absolute > 0, "--relative or --absolute",
                      "within a tolerance the result depends on the frames before");
}

int cmd_distance(int argc, char **argv)
{
  distance_job job = {.options = {.common = play_options_default(), .closer = -1, .margin = -1}};
  distance_options *o = &job.options;
  const play_tables own = {.output = output_table,
                           .query = query_table,
                           .output_count = OPTION_COUNT(output_table),
                           .query_count = OPTION_COUNT(query_table),
                           .target = o};
  input_list inputs = {.count = 0};
  int code = play_options_parse(&o->common, &text, &own, argc, argv, &inputs);
  if (code == OPTIONS_GO_ON) code = check_options(o);
  if (o->plot) shard_want_replay();
  bool scene = code == OPTIONS_GO_ON && play_is_scene(&o->common, &inputs);
  if (scene && o->margin >= 0)
    code = options_refuse("distance", "--margin is for two meshes: many bodies are measured as a whole");
  if (code == OPTIONS_GO_ON && scene) {
    code = distance_scene_run(o, &inputs);
  } else if (code == OPTIONS_GO_ON) {
    code = run(&job, &inputs);
    results_out_close(&job.found);
    play_close(&job.play);
    free(job.curve.values);
  }
  inputs_free(&inputs);
  return code;
}
