/* `pliant collide` with many bodies: which of them touch, in every frame? Files are read once,
 * frames are evaluated one at a time, and one pl_scene answers for all bodies: memory does not
 * grow with the number of frames. */
#include "collide/collide_scene.h"

#include "common/command.h"
#include "common/output.h"
#include "common/progress.h"
#include "common/ranks.h"
#include "common/shard.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

const char *scene_name(const collide_scene *s, size_t body) { return s->job.stage.bodies[body].name; }

static bool complain_memory(void)
{
  output_complain("out of memory for pairs of bodies");
  return false;
}

/* ------------------------------------------------------------------------------------ choice -- */

static bool reserve(void **array, size_t *room, size_t count, size_t size)
{
  if (count <= *room) return true;
  void *moved = realloc(*array, (count + count / 2) * size);
  if (!moved) return false;
  *array = moved;
  *room = count + count / 2;
  return true;
}

static bool is_left_out(const collide_scene *s, const pl_group *group)
{
  size_t a = stage_number(&s->job.stage, group->a, 0), b = stage_number(&s->job.stage, group->b, a);
  return pair_choice_leaves_out(&s->job.choice, a, b);
}

bool collide_scene_filter(collide_scene *s, const pl_result *in, pl_result *own, const pl_result **out)
{
  *out = in;
  /* the reference ends the answer */
  if (!s->job.choice.any && !s->options.common.check) return true;
  void *contacts = s->kept, *groups = s->kept_groups;
  bool room = reserve(&contacts, &s->kept_room, in->count, sizeof *s->kept);
  s->kept = contacts;
  room = room && reserve(&groups, &s->kept_group_room, in->group_count, sizeof *s->kept_groups);
  s->kept_groups = groups;
  if (!room) return complain_memory();
  *own = *in;
  own->count = own->group_count = 0;
  for (size_t g = 0; g < in->group_count; ++g) {
    pl_group group = in->groups[g];
    size_t count = group.end - group.begin;
    if (is_left_out(s, &group)) continue;
    memcpy(s->kept + own->count, in->pairs + group.begin, count * sizeof *s->kept);
    group.begin = own->count;
    group.end = own->count += count;
    s->kept_groups[own->group_count++] = group;
  }
  own->pairs = s->kept;
  own->groups = s->kept_groups;
  *out = own;
  return true;
}

/* ------------------------------------------------------------------------------------ frames -- */

static bool ask(collide_scene *s, scene_frame *frame, const pl_result **found)
{
  const collide_options *o = &s->options;
  pl_question def = pl_question_default();
  def.first = o->first;
  def.sorted = o->common.list || o->common.check;
  def.budget_ms = o->common.budget_ms;
  const ranks_who all = {.who = pl_all(s->job.scene), .stage = &s->job.stage};
  if (ranks_ask(RANKS_TOUCHING, &all, &def, found) == PL_OK) return true;
  output_complain("frame %zu: %s", frame->index, ranks_message(s->job.stage.context));
  return false;
}

/* The contacts as those want them who show them. */
static bool mark_contacts(collide_scene *s, const pl_result *c)
{
  size_t a = 0, b = 0;
  if (!s->found.wanted) return true;
  mark *marks = results_out_reserve(&s->found, c->count);
  for (size_t g = 0; marks && g < c->group_count; ++g) {
    const pl_group *group = &c->groups[g];
    a = stage_number(&s->job.stage, group->a, a);
    b = stage_number(&s->job.stage, group->b, b);
    for (size_t i = group->begin; i < group->end; ++i)
      marks[i] = (mark){(uint32_t)a, c->pairs[i].a, (uint32_t)b, c->pairs[i].b};
  }
  return marks != NULL;
}

static bool answer_frame(collide_scene *s, size_t index, scene_frame *frame)
{
  stage *on = &s->job.stage;
  *frame = (scene_frame){.index = index, .time = stage_time(on, index)};
  if (!stage_move(on, index, &frame->ms_set)) return false;
  int counted = collide_scene_counts(s) ? collide_scene_count(s, frame) : 0;
  if (counted) return counted > 0;
  const pl_result *found;
  if (!ask(s, frame, &found)) return false;
  if (!collide_scene_filter(s, found, &frame->own, &frame->contacts)) return false;
  return mark_contacts(s, frame->contacts) && (!s->options.common.check || collide_scene_check(s, frame));
}

/* For pictures: the frame once more. */
static bool ask_again(void *user, size_t index, report_shot *out)
{
  collide_scene *s = user;
  scene_frame frame;
  if (!answer_frame(s, index, &frame)) return false;
  *out = (report_shot){.marks = s->found.marks, .count = frame.contacts->count};
  return true;
}

/* ------------------------------------------------------------------------------------ totals -- */

/* Whether these two have touched before; they have now. -1: out of memory. */
static int note_touch(collide_scene *s, size_t a, size_t b)
{
  if (!s->has_touched) s->has_touched = calloc(s->job.stage.body_count, sizeof *s->has_touched);
  if (!s->has_touched) return -1;
  unsigned char **row = &s->has_touched[a];
  if (!*row) *row = calloc((s->job.stage.body_count - a) / 8 + 1, 1);
  if (!*row) return -1;
  unsigned char bit = (unsigned char)(1u << ((b - a) % 8)), *at = &(*row)[(b - a) / 8];
  bool before = *at & bit;
  *at |= bit;
  return before;
}

/* Only the first ones by a, then b, are kept. Whoever has been pushed out has that many before
 * it, so it never comes back. */
bool collide_scene_touch(collide_scene *s, const scene_frame *frame, size_t a, size_t b, size_t pairs)
{
  int before = note_touch(s, a, b);
  if (before < 0) return complain_memory();
  s->touched += before == 0;
  size_t at = s->touch_count;
  while (at > 0 && (s->touches[at - 1].a > a || (s->touches[at - 1].a == a && s->touches[at - 1].b >= b))) --at;
  if (at == SCENE_MOST_TOUCHES) return true;
  scene_touch *t = &s->touches[at];
  if (at == s->touch_count || t->a != a || t->b != b) {
    if (s->touch_count < SCENE_MOST_TOUCHES) ++s->touch_count;
    memmove(t + 1, t, (s->touch_count - at - 1) * sizeof *t);
    *t = (scene_touch){.a = a, .b = b};
  }
  if (t->frames++ == 0) t->first = frame->index;
  if (pairs > t->most) t->most = pairs;
  return true;
}

static bool add_touches(collide_scene *s, const scene_frame *frame)
{
  size_t a = 0, b = 0;
  for (size_t g = 0; frame->contacts->groups && g < frame->contacts->group_count; ++g) {
    const pl_group *group = &frame->contacts->groups[g];
    a = stage_number(&s->job.stage, group->a, a);
    b = stage_number(&s->job.stage, group->b, b);
    if (!collide_scene_touch(s, frame, a, b, group->end - group->begin)) return false;
  }
  return true;
}

static bool add_totals(collide_scene *s, const scene_frame *frame)
{
  collide_frame same = {.index = frame->index, .ms_set = frame->ms_set};
  same.answer.count = frame->contacts->count;
  same.answer.partial = frame->contacts->partial;
  same.answer.counters = frame->contacts->counters;
  collide_totals_add(&s->totals, &same);
  return s->options.common.json || s->options.common.csv || add_touches(s, frame);
}

/* --------------------------------------------------------------------------------------- all -- */

/* --only-new: what touches in the first frame is left out. */
static bool settle(collide_scene *s)
{
  scene_frame frame = {.index = s->job.stage.first};
  const pl_result *found;
  if (!s->job.only_new) return true;
  return stage_move(&s->job.stage, frame.index, &frame.ms_set) && ask(s, &frame, &found) &&
         scene_job_settle(&s->job, found);
}

static bool run_frames(collide_scene *s)
{
  const stage *on = &s->job.stage;
  bool lines = s->options.common.json || s->options.common.csv || s->options.common.list;
  progress bar = progress_begin("frames", on->end - on->begin, lines && isatty(1));
  bool good = settle(s);
  collide_scene_write_head(s);
  for (shard_record r; shard_replays() && good && shard_next(&r);) good = results_out_replay(&s->found, &r);
  for (size_t i = on->begin; i < on->end && good && !shard_replays(); ++i) {
    scene_frame frame;
    good = answer_frame(s, i, &frame);
    if (!good) break;
    size_t count = frame.contacts->count;
    good = results_out_frame(&s->found, i, (double)count, count) && collide_scene_write_frame(s, &frame) &&
           add_totals(s, &frame) && shard_frame(i, (double)count, NULL) && !ferror(stdout);
    progress_step(&bar, i + 1 - on->begin);
  }
  progress_end(&bar);
  return good;
}

static bool start(collide_scene *s, const input_list *inputs)
{
  const collide_options *o = &s->options;
  stage_def def = play_stage_def(&o->common);
  def.inbetweens = o->inbetweens;
  stage *on = &s->job.stage;
  if (!stage_open(on, &def, inputs)) return false;
  stage_tell_alone(on);
  return scene_job_start(&s->job, &o->common.choice, o->common.check);
}

static int run(collide_scene *s, const input_list *inputs)
{
  report_def def = {.command = "collide", .found = "touching pairs", .stage = &s->job.stage, .choice = &s->job.choice};
  bool good = start(s, inputs) && results_out_open(&s->found, &s->options.common, &def) &&
              stage_shard(&s->job.stage, "collide") && run_frames(s) && results_out_finish(&s->found, ask_again, s);
  if (!good) return output_give_up();
  collide_scene_write_end(s);
  if (!output_finish()) return EXIT_ERROR;
  return shard_end(output_verdict(s->options.fail_on_contact, s->options.common.stage.allow_unchecked,
                                  s->totals.contact_frames > 0));
}

int collide_scene_run(const collide_options *options, const input_list *inputs)
{
  collide_scene s = {.options = *options};
  int code = run(&s, inputs);
  for (size_t i = 0; s.has_touched && i < s.job.stage.body_count; ++i) free(s.has_touched[i]);
  free(s.has_touched);
  results_out_close(&s.found);
  free(s.kept);
  free(s.kept_groups);
  scene_job_end(&s.job);
  return code;
}
