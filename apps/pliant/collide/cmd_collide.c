/* `pliant collide`: which triangles of A and B touch, in every frame. Frames are read one at a
 * time and answered one at a time: memory does not grow with the length of a sequence, and lines
 * of --json and --csv come out as soon as they are known. */
#include "collide/collide.h"
#include "collide/collide_scene.h"
#include "common/command.h"
#include "common/output.h"
#include "common/progress.h"
#include "common/ranks.h"
#include "common/shard.h"

#include <limits.h>
#include <unistd.h>

static const option output_table[] = {
    {.name = "json",
     .letter = 'j',
     .kind = OPTION_FLAG,
     .offset = offsetof(collide_options, common.json),
     .help = "one JSON object per frame, a line each"},
    {.name = "csv",
     .letter = 'c',
     .kind = OPTION_FLAG,
     .offset = offsetof(collide_options, common.csv),
     .help = "a header and one row per frame"},
    {.name = "list",
     .letter = 'l',
     .kind = OPTION_FLAG,
     .offset = offsetof(collide_options, common.list),
     .help = "also the pairs themselves: indices of triangles in A and B from 0, sorted"},
    {.name = "limit",
     .kind = OPTION_WHOLE,
     .offset = offsetof(collide_options, limit),
     .value = "N",
     .low = 0,
     .high = INT_MAX,
     .help = "list at most N pairs of each frame (implies --list); the reported count stays complete"},
    {.name = "fail-on-contact",
     .kind = OPTION_FLAG,
     .offset = offsetof(collide_options, fail_on_contact),
     .help = "exit code 1 if any frame has contact"},
};

static const option query_table[] = {
    {.name = "first",
     .kind = OPTION_FLAG,
     .offset = offsetof(collide_options, first),
     .help = "stop at the first pair of each frame: is there contact at all?"},
    {.name = "budget-ms",
     .kind = OPTION_REAL,
     .offset = offsetof(collide_options, common.budget_ms),
     .value = "MS",
     .low = 0,
     .high = 1e9,
     .help =
         "end each frame's query after about this many milliseconds; its result is then marked partial; 0: no limit"},
};

static const option scene_table[] = {
    {.name = "inbetweens",
     .kind = OPTION_WHOLE,
     .offset = offsetof(collide_options, inbetweens),
     .value = "N",
     .low = 0,
     .high = 63,
     .help = "store volumes of N shapes between a body and each of its morph targets: tighter if one target is active, "
             "but they take memory; 0 if not given"},
};

static const command_text text = {
    .name = "collide",
    .usage =
        "pliant collide [OPTIONS] A B\npliant collide [OPTIONS] A... -- B...\npliant collide [OPTIONS] FILE|SCENE...",
    .about = "Which triangles of A touch which triangles of B, in every frame. Exact for the positions in the files; "
             "touching counts.\n\n" PLAY_ABOUT_FILES
             "SCENE is a glTF file (.glb, .gltf): every node with triangles is a body that moves with its node and "
             "morphs with its weights, and all bodies are tested against all others in every frame of an animation.",
    .examples = "  pliant collide cloth.obj table.obj\n"
                "  pliant collide 'frames/cloth_*.obj' table.obj --csv > contacts.csv\n"
                "  pliant collide frames/cloth_*.obj -- table.obj\n"
                "  pliant collide left/ right/ --first --fail-on-contact && echo no contact\n"
                "  pliant collide a.ply b.ply --json --list --limit 10\n"
                "  pliant collide 'a_%04d.obj' b.stl --strategy bottom-up --threads 2 --check\n"
                "  pliant collide scene.glb --fps 30\n",
};

/* ------------------------------------------------------------------------------------ frames -- */

static bool check_frame(collide_job *job, const collide_frame *frame)
{
  char difference[DUO_TEXT] = "";
  int same = two_bodies_check(&job->play.two_bodies, &frame->answer, job->options.first, difference);
  if (same < 0) output_complain("frame %zu: the reference failed: %s", frame->index, job->play.two_bodies.message);
  if (same == 0) output_complain("frame %zu: %s", frame->index, difference);
  return same == 1;
}

/* The pairs as those want them who show them. */
static bool mark_pairs(collide_job *job, const two_bodies_answer *answer)
{
  if (!job->found.wanted) return true;
  mark *marks = results_out_reserve(&job->found, answer->count);
  for (size_t i = 0; marks && i < answer->count; ++i) marks[i] = (mark){0, answer->pairs[i].a, 1, answer->pairs[i].b};
  return marks != NULL;
}

static bool answer_frame(collide_job *job, size_t index, collide_frame *frame)
{
  const collide_options *o = &job->options;
  *frame = (collide_frame){.index = index};
  if (!stage_move(&job->play.stage, index, &frame->ms_set)) return false;
  pl_question def = pl_question_default();
  def.first = o->first;
  def.sorted = o->common.list || o->common.check;
  def.budget_ms = o->common.budget_ms;
  if (!two_bodies_collide(&job->play.two_bodies, &def, def.sorted || job->found.wanted, &frame->answer)) {
    output_complain("frame %zu: %s", index, job->play.two_bodies.message);
    return false;
  }
  return mark_pairs(job, &frame->answer) && (!o->common.check || check_frame(job, frame));
}

/* For pictures: the frame once more. */
static bool ask_again(void *user, size_t index, report_shot *out)
{
  collide_job *job = user;
  collide_frame frame;
  if (!answer_frame(job, index, &frame)) return false;
  *out = (report_shot){.marks = job->found.marks, .count = frame.answer.count};
  return true;
}

static bool run_frames(collide_job *job)
{
  const stage *on = &job->play.stage;
  bool lines = job->options.common.json || job->options.common.csv || job->options.common.list;
  progress bar = progress_begin("frames", on->end - on->begin, lines && isatty(1));
  bool good = true;
  collide_write_head(job);
  for (shard_record r; shard_replays() && good && shard_next(&r);) good = results_out_replay(&job->found, &r);
  for (size_t i = on->begin; i < on->end && good && !shard_replays(); ++i) {
    collide_frame frame;
    good = answer_frame(job, i, &frame);
    if (!good) break;
    good = results_out_frame(&job->found, i, (double)frame.answer.count, frame.answer.count) &&
           collide_write_frame(job, &frame) && shard_frame(i, (double)frame.answer.count, NULL);
    collide_totals_add(&job->totals, &frame);
    progress_step(&bar, i + 1 - on->begin);
    good = good && !ferror(stdout);
  }
  progress_end(&bar);
  return good;
}

/* --------------------------------------------------------------------------------------- all -- */

static int run(collide_job *job, const input_list *inputs)
{
  report_def def = {.command = "collide", .found = "touching pairs", .stage = &job->play.stage};
  bool good = play_open(&job->play, &job->options.common, inputs) &&
              results_out_open(&job->found, &job->options.common, &def) && stage_shard(&job->play.stage, "collide") &&
              run_frames(job) && results_out_finish(&job->found, ask_again, job);
  if (!good) return output_give_up();
  collide_write_end(job);
  if (!output_finish()) return EXIT_ERROR;
  return shard_end(output_verdict(job->options.fail_on_contact, job->options.common.stage.allow_unchecked,
                                  job->totals.contact_frames > 0));
}

int cmd_collide(int argc, char **argv)
{
  collide_job job = {.options = {.common = play_options_default(), .limit = -1}};
  collide_options *o = &job.options;
  const play_tables own = {output_table,
                           query_table,
                           scene_table,
                           OPTION_COUNT(output_table),
                           OPTION_COUNT(query_table),
                           OPTION_COUNT(scene_table),
                           o};
  input_list inputs = {.count = 0};
  int code = play_options_parse(&o->common, &text, &own, argc, argv, &inputs);
  if (code == OPTIONS_GO_ON && o->inbetweens && !inputs_have_gltf(&inputs))
    code = play_refuse_files("collide", "inbetweens");
  if (o->limit >= 0) o->common.list = true;
  bool named = o->common.list || o->common.report || o->common.out;
  if (code == OPTIONS_GO_ON)
    code = shard_refuse("collide", o->first && named, "--first", "which pair is first depends on the frames before");
  if (code == OPTIONS_GO_ON)
    code = ranks_refuse("collide", o->first, "--first", "which pair is first depends on the trees");
  if (code == OPTIONS_GO_ON && play_is_scene(&o->common, &inputs)) {
    code = collide_scene_run(o, &inputs);
  } else if (code == OPTIONS_GO_ON) {
    code = run(&job, &inputs);
    results_out_close(&job.found);
    play_close(&job.play);
  }
  inputs_free(&inputs);
  return code;
}
