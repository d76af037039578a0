/* Plays the frames: the pose of a frame is kept, the bodies go to the next, and the question is
 * what met on the way. */
#include "common/command.h"
#include "common/output.h"
#include "common/progress.h"
#include "common/ranks.h"
#include "common/shard.h"
#include "impact/impact.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static bool complain(const impact_job *job, const char *what)
{
  output_complain("%s: %s", what, ranks_message(job->stage.context));
  return false;
}

static bool no_memory(void)
{
  output_complain("out of memory");
  return false;
}

static pl_body *body_at(const impact_job *job, size_t i) { return job->stage.bodies[i].body; }

size_t impact_body(const impact_job *job, const pl_body *body)
{
  size_t i = 0;
  while (i < job->stage.body_count && body_at(job, i) != body) ++i;
  return i;
}

/* ------------------------------------------------------------------------------------ frames -- */

static bool make_scene(impact_job *job)
{
  job->is_member = calloc(job->stage.body_count, 1);
  if (!job->is_member) return no_memory();
  return pl_scene_create(job->stage.context, NULL, &job->scene) == PL_OK || complain(job, "scene");
}

/* The scene gets the bodies that go from this frame to the next. From the end of an animation to
 * the start of another nothing moves, and what has ended is in no interval. */
static bool choose_members(impact_job *job, size_t frame)
{
  pl_member_def def = pl_member_def_default();
  def.self = job->options.self;
  if (job->options.self) def.mask = 0; /* nobody meets another */
  for (size_t i = 0; i < job->stage.body_count; ++i) {
    bool member = stage_goes_on(&job->stage, i, frame + 1);
    if (member == job->is_member[i]) continue;
    job->is_member[i] = member;
    pl_status status =
        member ? pl_scene_add(job->scene, body_at(job, i), &def) : pl_scene_remove(job->scene, body_at(job, i));
    if (status != PL_OK) return complain(job, job->stage.bodies[i].name);
  }
  return true;
}

/* Returns whether any input moves between this frame and the next. */
static bool is_interval(const impact_job *job, size_t frame)
{
  const stage *s = &job->stage;
  for (size_t i = 0; i < s->body_count; ++i)
    if (s->inputs[s->bodies[i].input].frame_count > 1 && stage_goes_on(s, i, frame + 1)) return true;
  return false;
}

static bool keep_poses(impact_job *job)
{
  for (size_t i = 0; i < job->stage.body_count; ++i)
    if (ranks_keep_pose(body_at(job, i)) != PL_OK) return complain(job, job->stage.bodies[i].name);
  return !job->options.turning || impact_turn_keep(job);
}

static pl_question def_of(const impact_options *o)
{
  pl_question def = pl_question_default();
  def.all = !o->first;
  def.margin = o->margin;
  def.budget_ms = o->budget_ms;
  return def;
}

static bool same_contact(const pl_impact *x, const pl_impact *y)
{
  return x->time == y->time && x->kind == y->kind && !memcmp(x->feature_a, y->feature_a, sizeof x->feature_a) &&
         !memcmp(x->feature_b, y->feature_b, sizeof x->feature_b);
}

/* Both lists: the same times and features, in the same order. Of a first contact the time. */
static bool same_contacts(const pl_impact *got, size_t count, const pl_result *truth)
{
  if (count != truth->count) return false;
  for (size_t i = 0; i < count; ++i) {
    const pl_impact *x = &got[i], *y = &truth->impacts[i];
    /* of several at the start it may be another */
    if (count == 1 && x->time == 0 && y->time == 0) continue;
    if (!same_contact(x, y)) return false;
  }
  return true;
}

/* Of a partial list of all contacts: each is one of the reference's, both in the order of time.
 * Of a first contact: it is not too early. In both nothing happens up to safe_step. */
static bool part_of_contacts(const pl_impact *got, size_t count, double safe_step, bool first, const pl_result *truth)
{
  size_t i = 0;
  for (size_t j = 0; !first && j < truth->count && i < count; ++j) i += same_contact(&got[i], &truth->impacts[j]);
  bool there = first ? !count || got[0].time >= truth->time : i == count;
  return there && (safe_step < truth->time || (safe_step == 0 && truth->time == 0));
}

static bool check(const impact_job *job, const impact_interval *interval)
{
  size_t count = interval->found->count;
  bool partial = interval->found->partial;
  double safe_step = interval->found->safe_step;
  pl_impact *copy = malloc((count + 1) * sizeof *copy);
  pl_question def = def_of(&job->options);
  const pl_result *truth;
  if (!copy) return no_memory();
  if (count) memcpy(copy, interval->found->impacts, count * sizeof *copy);
  def.reference = true;
  bool good = pl_impacts(pl_all(job->scene), &def, &truth) == PL_OK;
  if (!good)
    complain(job, "reference");
  else if (partial ? !part_of_contacts(copy, count, safe_step, job->options.first, truth)
                   : !same_contacts(copy, count, truth)) {
    good = false;
    output_complain("interval %zu: %zu contacts, the reference finds %zu, or others", interval->index, count,
                    truth->count);
  }
  free(copy);
  return good;
}

static pl_status ask(const impact_job *job, const pl_question *def, const pl_result **out)
{
  const ranks_who who = {pl_all(job->scene), &job->stage, job->is_member, job->options.self};
  return ranks_ask(RANKS_IMPACTS, &who, def, out);
}

static bool answer(impact_job *job, size_t frame)
{
  impact_interval interval = {.index = frame};
  pl_question def = def_of(&job->options);
  if (!stage_move(&job->stage, frame + 1, &interval.ms_set)) return false;
  if (!is_interval(job, frame)) return keep_poses(job) && shard_frame(frame, -1, NULL);
  if (!choose_members(job, frame) || (job->options.turning && !impact_turn(job))) return false;
  if (ask(job, &def, &interval.found) != PL_OK) return complain(job, "first contact");
  const pl_result *found = interval.found;
  job->rows[job->intervals++] = (impact_row){frame, found->time, found->vertex_face, found->edge_edge};
  job->with_contact += found->count > 0;
  job->contacts += found->count;
  job->partial += found->partial;
  impact_write_interval(job, &interval);
  if (!impact_report_interval(job, &interval)) return false;
  const double extra[3] = {found->time, (double)found->vertex_face, (double)found->edge_edge};
  if (!shard_frame(frame, (double)found->count, extra)) return false;
  return (!job->options.check || check(job, &interval)) && keep_poses(job);
}

bool impact_again(impact_job *job, size_t frame, const pl_result **out)
{
  double ms;
  pl_question def = def_of(&job->options);
  if (!stage_move(&job->stage, frame, &ms) || !keep_poses(job) || !stage_move(&job->stage, frame + 1, &ms))
    return false;
  if (!choose_members(job, frame) || (job->options.turning && !impact_turn(job))) return false;
  return ask(job, &def, out) == PL_OK || complain(job, "first contact");
}

/* `merge` has the intervals already. A negative value: nothing moved. */
static bool replay(impact_job *job)
{
  bool good = true;
  for (shard_record r; good && shard_next(&r);) {
    if (r.value < 0) continue;
    job->rows[job->intervals++] = (impact_row){r.frame, r.extra[0], (size_t)r.extra[1], (size_t)r.extra[2]};
    good = !job->page || report_replay(job->page, &r);
  }
  return good;
}

static bool run_frames(impact_job *job)
{
  const stage *s = &job->stage;
  size_t count = s->end - s->begin, begin = s->begin, end = s->end - 1;
  if (count < 2) {
    output_complain("nothing moves: at least two frames are needed, there is %zu", count);
    return false;
  }
  job->rows = calloc(count, sizeof *job->rows);
  if (!job->rows) return no_memory();
  double ms;
  if (!shard_begin("impact", stage_key(s), &begin, &end)) return false;
  bool good = stage_move(&job->stage, begin, &ms) && make_scene(job) && keep_poses(job);
  if (shard_replays()) return good && replay(job);
  progress bar = progress_begin("intervals", end - begin, (job->options.json || job->options.list) && isatty(1));
  for (size_t i = begin; i < end && good; ++i) {
    good = answer(job, i) && !ferror(stdout);
    progress_step(&bar, i + 1 - begin);
  }
  progress_end(&bar);
  return good;
}

static int run(impact_job *job, const input_list *inputs)
{
  const impact_options *o = &job->options;
  stage_def def = {.options = o->stage,
                   .body = tree_options_def(&o->tree),
                   .threads = o->threads,
                   .weld = o->self && !o->no_weld,
                   .alone = o->self};
  bool good = stage_open(&job->stage, &def, inputs) && (o->self || stage_tell_alone(&job->stage)) &&
              impact_report_open(job) && run_frames(job) && impact_report_finish(job);
  if (!good) return output_give_up();
  if (!o->json) impact_write_summary(job);
  if (!output_finish()) return EXIT_ERROR;
  return shard_end(output_verdict(o->fail_on_contact, o->stage.allow_unchecked, job->with_contact > 0));
}

int impact_run(const impact_options *options, const input_list *inputs)
{
  impact_job job = {.options = *options};
  int code = run(&job, inputs);
  impact_report_free(&job);
  impact_turn_free(&job);
  stage_close(&job.stage); /* and all that is in its context */
  free(job.rows);
  free(job.is_member);
  return code;
}
