/* `pliant self`: which triangles of a mesh touch each other, in every frame. Vertices that are
 * one point in every frame count as one, because files split vertices at seams. */
#include "common/command.h"
#include "common/output.h"
#include "common/progress.h"
#include "common/ranks.h"
#include "common/shard.h"
#include "scenes/ask.h"
#include "self/self.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define AT(member) .offset = offsetof(self_options, member)

static const option output_table[] = {
    {.name = "json", .letter = 'j', .kind = OPTION_FLAG, AT(json), .help = "one JSON object per frame, a line each"},
    {.name = "csv", .letter = 'c', .kind = OPTION_FLAG, AT(csv), .help = "a header and one row per frame and body"},
    {.name = "list",
     .letter = 'l',
     .kind = OPTION_FLAG,
     AT(list),
     .help = "also the pairs themselves: indices of triangles from 0, sorted"},
    {.name = "limit",
     .kind = OPTION_WHOLE,
     AT(limit),
     .value = "N",
     .low = 0,
     .high = INT_MAX,
     .help = "list at most N pairs of each body and frame (implies --list); the reported count stays complete"},
    {.name = "report",
     .letter = 'r',
     .kind = OPTION_TEXT,
     AT(see.report),
     .value = "OUT.html",
     .help = "one page to look at: the curve over the frames, pictures of the worst ones, a table of the bodies"},
    {.name = "out",
     .letter = 'o',
     .kind = OPTION_TEXT,
     AT(see.out),
     .value = "OUT.ply|OUT.glb",
     .help = "the triangles that were found, of all frames, each with its frame and body; with a number in the name "
             "(found_%04d.ply) a file for each frame that has any"},
    {.name = "fail-on-contact",
     .kind = OPTION_FLAG,
     AT(fail_on_contact),
     .help = "exit code 1 if any frame has contact"},
};

static const option query_table[] = {
    {.name = "no-weld",
     .kind = OPTION_FLAG,
     AT(no_weld),
     .help = "do not join vertices at the same position: triangles on both sides of a seam then touch"},
    {.name = "neighbours",
     .kind = OPTION_FLAG,
     AT(neighbours),
     .help = "also triangles with a common vertex or edge, where they overlap beyond it"},
    {.name = "method",
     .kind = OPTION_WORD,
     AT(method),
     .kind_of = PL_WORDS_SELF,
     .help = "method; all except cones-may-miss give the same result"},
    {.name = "budget-ms",
     .kind = OPTION_REAL,
     AT(budget_ms),
     .value = "MS",
     .low = 0,
     .high = 1e9,
     .help =
         "end each frame's queries after about this many milliseconds; its result is then marked partial; 0: no limit"},
    {.name = "threads",
     .letter = 't',
     .kind = OPTION_WHOLE,
     AT(threads),
     .value = "N",
     .low = 0,
     .high = 256,
     .help = "threads to use; 0, or not given: all cores. The result is the same"},
    {.name = "float",
     .kind = OPTION_FLAG,
     AT(stage.rounded),
     .help = "round positions to float first, as a simulator in single precision would see them"},
    {.name = "check",
     .kind = OPTION_FLAG,
     AT(check),
     .help = "compare every frame with the reference, which tests every triangle against every other (slow); exit code "
             "2 if they differ"},
};

static const command_text text = {
    .name = "self",
    .usage = "pliant self [OPTIONS] FILE...\npliant self [OPTIONS] SCENE",
    .about =
        "Which triangles of a mesh touch each other, in every frame. Exact for the positions in the files; touching "
        "counts, except between triangles that share a vertex. Vertices at exactly the same position in every frame "
        "count as one.\n\nFILE is a mesh file (OBJ, PLY, STL, OFF and more) or a numbered sequence of files with "
        "the same "
        "topology: a directory, a pattern in quotes ('cloth_*.obj'), or all files by name. SCENE is a glTF file (.glb, "
        ".gltf), or a directory or a pattern of them: every node with triangles is a body, tested against itself in "
        "every frame of its animation.",
    .examples = "  pliant self character.obj\n"
                "  pliant self 'frames/cloth_*.obj' --csv > contacts.csv\n"
                "  pliant self frames/*.obj --fail-on-contact && echo no contact\n"
                "  pliant self character.glb --animation Walk --fps 60\n"
                "  pliant self assets/ --animation all --fail-on-contact\n"
                "  pliant self scan.ply --json --list --limit 10\n"
                "  pliant self 'frames/cloth_*.obj' --report cloth.html\n",
};

/* ------------------------------------------------------------------------------------ bodies -- */

static bool complain_memory(const char *name)
{
  output_complain("%s: out of memory", name);
  return false;
}

static bool complain(const self_job *job, const self_frame *frame, size_t body)
{
  output_complain("frame %zu, %s: %s", frame->index, job->stage.bodies[body].name, ranks_message(job->stage.context));
  return false;
}

static bool make_rooms(self_job *job)
{
  const stage *s = &job->stage;
  job->bodies = calloc(s->body_count ? s->body_count : 1, sizeof *job->bodies);
  return job->bodies || complain_memory("bodies");
}

static void free_rooms(self_job *job)
{
  for (size_t i = 0; job->bodies && i < job->stage.body_count; ++i) free(job->bodies[i].pairs);
  free(job->bodies);
}

/* ------------------------------------------------------------------------------------ frames -- */

static bool keep_pairs(self_body *b, const pl_result *found, const char *name)
{
  if (found->count > b->room) {
    pl_pair *moved = realloc(b->pairs, (found->count + found->count / 2) * sizeof *moved);
    if (!moved) return complain_memory(name);
    b->pairs = moved;
    b->room = found->count + found->count / 2;
  }
  if (found->count) memcpy(b->pairs, found->pairs, found->count * sizeof *b->pairs);
  return true;
}

static bool check_body(const self_job *job, const self_frame *frame, size_t i, const pl_question *def)
{
  const self_body *b = &job->bodies[i];
  const pl_result *truth;
  if (refer_touching(pl_self(job->stage.bodies[i].body), def, &truth) != PL_OK) return complain(job, frame, i);
  size_t same = 0; /* both lists are sorted */
  for (size_t k = 0; k < truth->count && same < b->count; ++k)
    same += truth->pairs[k].a == b->pairs[same].a && truth->pairs[k].b == b->pairs[same].b;
  if (same == b->count && (b->partial || b->count == truth->count)) return true;
  output_complain("frame %zu, %s: %zu pairs, but the reference finds %zu", frame->index, job->stage.bodies[i].name,
                  b->count, truth->count);
  return false;
}

/* What the bodies before have left of the frame's budget, never 0: that would be no limit. */
static double rest_of_budget(const self_options *o, const self_frame *frame)
{
  double rest = o->budget_ms - frame->counters.ms_update - frame->counters.ms_query;
  return o->budget_ms > 0 && rest < 1e-6 ? 1e-6 : o->budget_ms > 0 ? rest : 0;
}

static bool answer_body(self_job *job, self_frame *frame, size_t i)
{
  const self_options *o = &job->options;
  self_body *b = &job->bodies[i];
  pl_body *body = job->stage.bodies[i].body;
  pl_question def = pl_question_default();
  const pl_result *found;
  def.self_method = (pl_self_method)o->method;
  def.rings = (o->neighbours) ? 0 : 1;
  def.sorted = o->list || o->check;
  def.budget_ms = rest_of_budget(o, frame);
  if (ranks_ask_two(RANKS_TOUCHING, body, body, &def, &found) != PL_OK) return complain(job, frame, i);
  b->count = found->count;
  b->partial = found->partial;
  b->counters = found->counters;
  frame->pairs += found->count;
  frame->partial = frame->partial || found->partial;
  frame->counters.n_v += found->counters.n_v;
  frame->counters.n_p += found->counters.n_p;
  frame->counters.n_u += found->counters.n_u;
  frame->counters.ms_update += found->counters.ms_update;
  frame->counters.ms_query += found->counters.ms_query;
  if ((def.sorted || job->found.wanted) && !keep_pairs(b, found, job->stage.bodies[i].name)) return false;
  return !o->check || check_body(job, frame, i, &def);
}

/* The pairs as those want them who show them. */
static bool mark_pairs(self_job *job, const self_frame *frame)
{
  if (!job->found.wanted) return true;
  mark *marks = results_out_reserve(&job->found, frame->pairs);
  size_t n = 0;
  for (uint32_t i = 0; marks && i < job->stage.body_count; ++i) {
    const self_body *b = &job->bodies[i];
    for (size_t k = 0; k < b->count; ++k) marks[n++] = (mark){i, b->pairs[k].a, i, b->pairs[k].b};
  }
  return marks != NULL;
}

static bool answer_frame(self_job *job, size_t index, self_frame *frame)
{
  *frame = (self_frame){.index = index};
  if (!stage_move(&job->stage, index, &frame->ms_set)) return false;
  for (size_t i = 0; i < job->stage.body_count; ++i) {
    job->bodies[i].count = 0;
    if (stage_plays(&job->stage, i, index) && !answer_body(job, frame, i)) return false;
  }
  return mark_pairs(job, frame);
}

/* For pictures: the frame once more. */
static bool ask_again(void *user, size_t index, report_shot *out)
{
  self_job *job = user;
  self_frame frame;
  if (!answer_frame(job, index, &frame)) return false;
  *out = (report_shot){.marks = job->found.marks, .count = frame.pairs};
  return true;
}

static void add_totals(self_job *job, const self_frame *frame)
{
  collide_frame same = {.index = frame->index, .ms_set = frame->ms_set};
  same.answer.count = frame->pairs;
  same.answer.partial = frame->partial;
  same.answer.counters = frame->counters;
  collide_totals_add(&job->totals, &same);
  for (size_t i = 0; i < job->stage.body_count; ++i) {
    self_body *b = &job->bodies[i];
    if (b->count && b->contact_frames++ == 0) b->first = frame->index;
    b->most = b->count > b->most ? b->count : b->most;
  }
}

static bool run_frames(self_job *job)
{
  const stage *s = &job->stage;
  bool lines = job->options.json || job->options.csv || job->options.list;
  progress bar = progress_begin("frames", s->end - s->begin, lines && isatty(1));
  bool good = true;
  self_write_head(job);
  for (shard_record r; shard_replays() && good && shard_next(&r);) good = results_out_replay(&job->found, &r);
  for (size_t i = s->begin; i < s->end && good && !shard_replays(); ++i) {
    self_frame frame;
    good = answer_frame(job, i, &frame);
    if (!good) break;
    good = results_out_frame(&job->found, i, (double)frame.pairs, frame.pairs);
    self_write_frame(job, &frame);
    add_totals(job, &frame);
    progress_step(&bar, i + 1 - s->begin);
    good = good && shard_frame(i, (double)frame.pairs, NULL) && !ferror(stdout);
  }
  progress_end(&bar);
  return good;
}

/* --------------------------------------------------------------------------------------- all -- */

static int run(self_job *job, const input_list *inputs)
{
  stage_def def = {.options = job->options.stage,
                   .threads = job->options.threads,
                   .body = pl_body_def_default(),
                   .weld = !job->options.no_weld,
                   .alone = true};
  report_def page = {.command = "self", .found = "touching pairs", .alone = true, .stage = &job->stage};
  bool good = stage_open(&job->stage, &def, inputs) && make_rooms(job) &&
              results_out_open(&job->found, &job->options.see, &page) && stage_shard(&job->stage, "self") &&
              run_frames(job) && results_out_finish(&job->found, ask_again, job);
  if (!good) return output_give_up();
  self_write_end(job);
  if (!output_finish()) return EXIT_ERROR;
  return shard_end(
      output_verdict(job->options.fail_on_contact, job->options.stage.allow_unchecked, job->totals.contact_frames > 0));
}

int cmd_self(int argc, char **argv)
{
  self_job job = {.options = {.limit = -1}};
  self_options *o = &job.options;
  const option_group groups[] = {
      {"Output", output_table, OPTION_COUNT(output_table), o},
      {"Query", query_table, OPTION_COUNT(query_table), o},
      {"Selection", stage_files_table, STAGE_FILES_OPTIONS, &o->stage},
      inputs_group(),
      {"glTF scenes", stage_scene_table, STAGE_SCENE_OPTIONS, &o->stage},
      shard_group(),
      ranks_group(),
  };
  arguments files;
  input_list inputs = {.count = 0};
  int code = options_parse(&text, groups, OPTION_COUNT(groups), argc, argv, &files);
  if (code == OPTIONS_GO_ON && o->json && o->csv) code = options_refuse("self", "--json or --csv, not both");
  if (code == OPTIONS_GO_ON) code = shard_check("self", o->json || o->csv);
  if (code == OPTIONS_GO_ON) code = shard_refuse("self", o->budget_ms > 0, "--budget-ms", SHARD_WHY_BUDGET);
  if (code == OPTIONS_GO_ON) code = ranks_check("self");
  if (code == OPTIONS_GO_ON) code = ranks_refuse("self", o->budget_ms > 0, "--budget-ms", RANKS_WHY_BUDGET);
  if (code == OPTIONS_GO_ON)
    code = ranks_refuse("self", o->neighbours, "--neighbours", "ranks leave out triangles that share a vertex");
  if (code == OPTIONS_GO_ON) code = results_out_check(&o->see, "self");
  if (code == OPTIONS_GO_ON) code = inputs_find_frames("self", "a mesh file or a glTF scene", &files, &inputs);
  if (code == OPTIONS_GO_ON) code = stage_options_check(&o->stage, "self", &inputs);
  if (code == OPTIONS_GO_ON) {
    if (o->limit >= 0) o->list = true;
    code = run(&job, &inputs);
    results_out_close(&job.found);
    free_rooms(&job);
    stage_close(&job.stage);
  }
  inputs_free(&inputs);
  return code;
}
