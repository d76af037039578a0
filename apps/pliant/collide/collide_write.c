/* The answers of `pliant collide`: a JSON line or a CSV row per frame, or a summary at the end. */
#include "collide/collide.h"
#include "common/output.h"
#include "common/shard.h"
#include "io/show.h"

#include <inttypes.h>
#include <string.h>

void collide_totals_add(collide_totals *t, const collide_frame *frame)
{
  size_t count = frame->answer.count;
  const pl_counters *c = &frame->answer.counters;
  double ms = frame->ms_set + c->ms_update + c->ms_query;
  if (t->frames == 0) t->least = count;
  if (count > 0 && t->contact_frames++ == 0) t->first_contact = frame->index;
  if (count > t->most) t->most_at = frame->index;
  t->least = count < t->least ? count : t->least;
  t->most = count > t->most ? count : t->most;
  t->pairs += (double)count;
  t->partial_frames += frame->answer.partial;
  t->ms_set += frame->ms_set;
  t->ms_update += c->ms_update;
  t->ms_query += c->ms_query;
  t->ms_longest = ms > t->ms_longest ? ms : t->ms_longest;
  ++t->frames;
}

static size_t listed(const collide_job *job, const collide_frame *frame)
{
  size_t count = frame->answer.count, limit = (size_t)job->options.limit;
  return job->options.limit >= 0 && limit < count ? limit : count;
}

/* --------------------------------------------------------------------------------- per frame -- */

static bool write_json(collide_job *job, const collide_frame *frame)
{
  json j = {.file = stdout};
  bool good = true;
  const two_bodies_answer *a = &frame->answer;
  json_open(&j, '{');
  json_put_whole(&j, "frame", frame->index);
  json_put_text(&j, "a", play_file(&job->play, 0, frame->index));
  json_put_text(&j, "b", play_file(&job->play, 1, frame->index));
  json_put_whole(&j, "pairs", a->count);
  json_put_bool(&j, "partial", a->partial);
  if (a->partial && a->level >= 0) json_put_whole(&j, "level", (uint64_t)a->level);
  json_put_work(&j, "n_v", a->counters.n_v);
  json_put_work(&j, "n_p", a->counters.n_p);
  json_put_work(&j, "n_u", a->counters.n_u);
  json_put_ms(&j, "ms_set", frame->ms_set);
  json_put_ms(&j, "ms_update", a->counters.ms_update);
  json_put_ms(&j, "ms_query", a->counters.ms_query);
  if (job->options.common.check) json_put_bool(&j, "checked", true);
  if (job->options.common.list) {
    json_put_open(&j, "list", '[');
    for (size_t i = 0; i < listed(job, frame); ++i) {
      json_open(&j, '[');
      json_whole(&j, a->pairs[i].a);
      json_whole(&j, a->pairs[i].b);
      json_close(&j, ']');
    }
    json_close(&j, ']');
    good = results_out_put_points(&job->found, &j, listed(job, frame));
  }
  json_close(&j, '}');
  putchar('\n');
  return good;
}

static void write_csv(const collide_job *job, const collide_frame *frame)
{
  const two_bodies_answer *a = &frame->answer;
  printf("%zu,", frame->index);
  csv_text(stdout, play_file(&job->play, 0, frame->index));
  putchar(',');
  csv_text(stdout, play_file(&job->play, 1, frame->index));
  printf(",%zu,%d", a->count, a->partial);
  csv_costs(&a->counters, frame->ms_set);
  if (job->options.common.check) printf(",1");
  if (job->options.common.list) putchar(',');
  for (size_t i = 0; job->options.common.list && i < listed(job, frame); ++i)
    printf("%s%u-%u", i ? " " : "", a->pairs[i].a, a->pairs[i].b);
  putchar('\n');
}

/* With --list and neither --json nor --csv. */
static void write_list(const collide_job *job, const collide_frame *frame)
{
  size_t count = frame->answer.count, shown = listed(job, frame);
  char label[STAGE_LABEL];
  stage_label(&job->play.stage, frame->index, label);
  printf("frame %zu%s%s%s: %zu pair%s%s", frame->index, label[0] ? " (" : "", label, label[0] ? ")" : "", count,
         count == 1 ? "" : "s", frame->answer.partial ? " (partial)" : "");
  if (shown < count) printf(", %zu of them here", shown);
  printf("\n");
  for (size_t i = 0; i < shown; ++i) printf("  %u %u\n", frame->answer.pairs[i].a, frame->answer.pairs[i].b);
}

void collide_write_head(const collide_job *job)
{
  if (!job->options.common.csv || !shard_has_head()) return;
  printf("frame,a,b,pairs,partial%s%s%s\n", csv_costs_head(true), job->options.common.check ? ",checked" : "",
         job->options.common.list ? ",list" : "");
}

bool collide_write_frame(collide_job *job, const collide_frame *frame)
{
  bool good = true;
  if (job->options.common.json)
    good = write_json(job, frame);
  else if (job->options.common.csv)
    write_csv(job, frame);
  else if (job->options.common.list)
    write_list(job, frame);
  else
    return true;
  fflush(stdout); /* who reads along sees whole lines at once */
  return good;
}

/* ----------------------------------------------------------------------------------- summary -- */

static void write_tree(const collide_job *job)
{
  char tree[TREE_TEXT];
  pl_body_info a = {0}, b = {0};
  pl_body_get_info(job->play.two_bodies.body[0], true, &a);
  pl_body_get_info(job->play.two_bodies.body[1], true, &b);
  int threads = pl_context_threads(job->play.two_bodies.context);
  printf("tree      %s; depth %d and %d\n", tree_options_text(&job->play.stage.def.body, tree), a.depth, b.depth);
  printf("strategy  %s%s, %d thread%s, %s\n",
         pl_word(PL_WORDS_STRATEGY, pl_body_strategy(job->play.two_bodies.body[0])),
         job->play.stage.def.body.strategy == PL_STRATEGY_AUTO ? " (chosen by auto)" : "", threads,
         threads == 1 ? "" : "s", pl_context_simd(job->play.two_bodies.context));
}

static void write_frames(const collide_job *job)
{
  const collide_totals *t = &job->totals;
  char label[STAGE_LABEL];
  printf("frames    %zu, %zu with contact", t->frames, t->contact_frames);
  if (t->contact_frames > 0 && t->frames > 1)
    printf("; the first is frame %zu (%s)", t->first_contact, stage_label(&job->play.stage, t->first_contact, label));
  printf("\n");
  stage_write_range(&job->play.stage);
  if (t->partial_frames > 0)
    printf("          %zu partial: the budget ended them, there may be more pairs\n", t->partial_frames);
}

void collide_write_most(const collide_totals *t, const stage *s, const char *remark)
{
  char label[STAGE_LABEL];
  stage_label(s, t->most_at, label);
  printf("pairs     %zu least, %.1f mean, %zu most", t->least, t->pairs / (double)t->frames, t->most);
  if (t->most > 0) printf(" (frame %zu%s%s)", t->most_at, label[0] ? ", " : "", label);
  printf("%s\n", remark);
}

void collide_write_end(const collide_job *job)
{
  if (job->options.common.json || job->options.common.csv) return;
  const collide_totals *t = &job->totals;
  double n = (double)t->frames;
  play_write_sides(&job->play);
  write_tree(job);
  write_frames(job);
  if (t->frames == 1)
    printf("pairs     %zu%s\n", t->most, job->options.first ? " (the first one only)" : "");
  else
    collide_write_most(t, &job->play.stage, job->options.first ? "; the first one only" : "");
  printf("time      %.3f ms per frame (%.3f taking positions, %.3f update, %.3f query), %.3f the longest\n",
         (t->ms_set + t->ms_update + t->ms_query) / n, t->ms_set / n, t->ms_update / n, t->ms_query / n, t->ms_longest);
  if (job->options.common.check) printf("checked   all %zu frames agree with the reference\n", t->frames);
  results_out_write_end(&job->found, &job->options.common);
}
