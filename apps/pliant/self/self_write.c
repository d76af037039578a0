/* The answers of `pliant self`: a JSON line per frame, a CSV row per frame and body, or a
 * summary at the end. */
#include "self/self.h"

#include "common/output.h"
#include "common/shard.h"
#include "io/show.h"

#include <inttypes.h>

static size_t listed(const self_job *job, const self_body *b)
{
  size_t limit = (size_t)job->options.limit;
  return job->options.limit >= 0 && limit < b->count ? limit : b->count;
}

static void put_counters(json *j, const pl_counters *c)
{
  json_put_work(j, "n_v", c->n_v);
  json_put_work(j, "n_p", c->n_p);
  json_put_work(j, "n_u", c->n_u);
  json_put_ms(j, "ms_update", c->ms_update);
  json_put_ms(j, "ms_query", c->ms_query);
}

static void write_json_body(const self_job *job, json *j, size_t frame, size_t i)
{
  const self_body *b = &job->bodies[i];
  json_open(j, '{');
  json_put_text(j, "name", job->stage.bodies[i].name);
  if (stage_has_clips(&job->stage))
    json_put_text(j, "animation", stage_animation_of(&job->stage, job->stage.bodies[i].input, frame));
  json_put_whole(j, "triangles", job->stage.bodies[i].triangle_count);
  json_put_whole(j, "welded", job->stage.bodies[i].welded);
  json_put_whole(j, "pairs", b->count);
  json_put_bool(j, "partial", b->partial);
  if (job->options.list) {
    json_put_open(j, "list", '[');
    for (size_t k = 0; k < listed(job, b); ++k) {
      json_open(j, '[');
      json_whole(j, b->pairs[k].a);
      json_whole(j, b->pairs[k].b);
      json_close(j, ']');
    }
    json_close(j, ']');
  }
  json_close(j, '}');
}

static void write_json(const self_job *job, const self_frame *frame)
{
  json j = {.file = stdout};
  char label[STAGE_LABEL];
  json_open(&j, '{');
  json_put_whole(&j, "frame", frame->index);
  json_put_text(&j, "label", stage_label_raw(&job->stage, frame->index, label));
  if (job->stage.has_time) json_put_real(&j, "time", stage_time(&job->stage, frame->index));
  json_put_whole(&j, "pairs", frame->pairs);
  json_put_bool(&j, "partial", frame->partial);
  json_put_ms(&j, "ms_set", frame->ms_set);
  put_counters(&j, &frame->counters);
  if (job->options.check) json_put_bool(&j, "checked", true);
  json_put_open(&j, "bodies", '[');
  for (size_t i = 0; i < job->stage.body_count; ++i)
    if (stage_plays(&job->stage, i, frame->index)) write_json_body(job, &j, frame->index, i);
  json_close(&j, ']');
  json_close(&j, '}');
  putchar('\n');
}

static void write_csv(const self_job *job, const self_frame *frame)
{
  char label[STAGE_LABEL];
  for (size_t i = 0; i < job->stage.body_count; ++i) {
    const self_body *b = &job->bodies[i];
    if (!stage_plays(&job->stage, i, frame->index)) continue;
    printf("%zu,", frame->index);
    csv_text(stdout, stage_label_raw(&job->stage, frame->index, label));
    putchar(',');
    csv_text(stdout, job->stage.bodies[i].name);
    printf(",%zu,%zu,%zu,%d", job->stage.bodies[i].triangle_count, job->stage.bodies[i].welded, b->count, b->partial);
    csv_costs(&b->counters, -1);
    if (job->options.check) printf(",1");
    if (job->options.list) putchar(',');
    for (size_t k = 0; job->options.list && k < listed(job, b); ++k)
      printf("%s%u-%u", k ? " " : "", b->pairs[k].a, b->pairs[k].b);
    putchar('\n');
  }
}

/* With --list and neither --json nor --csv. */
static void write_list(const self_job *job, const self_frame *frame)
{
  char label[STAGE_LABEL];
  stage_label(&job->stage, frame->index, label);
  printf("frame %zu%s%s%s: %zu pair%s%s\n", frame->index, label[0] ? " (" : "", label, label[0] ? ")" : "",
         frame->pairs, frame->pairs == 1 ? "" : "s", frame->partial ? " (partial)" : "");
  for (size_t i = 0; i < job->stage.body_count; ++i) {
    const self_body *b = &job->bodies[i];
    size_t shown = listed(job, b);
    if (!b->count) continue;
    if (job->stage.body_count > 1) printf("  %s: %zu\n", io_show(job->stage.bodies[i].name).text, b->count);
    for (size_t k = 0; k < shown; ++k) printf("  %u %u\n", b->pairs[k].a, b->pairs[k].b);
    if (shown < b->count) printf("  ... %zu more\n", b->count - shown);
  }
}

void self_write_head(const self_job *job)
{
  if (!job->options.csv || !shard_has_head()) return;
  printf("frame,label,body,triangles,welded,pairs,partial%s%s%s\n", csv_costs_head(false),
         job->options.check ? ",checked" : "", job->options.list ? ",list" : "");
}

void self_write_frame(const self_job *job, const self_frame *frame)
{
  if (job->options.json)
    write_json(job, frame);
  else if (job->options.csv)
    write_csv(job, frame);
  else if (job->options.list)
    write_list(job, frame);
  else
    return;
  fflush(stdout); /* who reads along sees whole lines at once */
}

/* ----------------------------------------------------------------------------------- summary -- */

static void write_bodies(const self_job *job)
{
  enum { MOST = 20 };
  const stage *s = &job->stage;
  size_t shown = 0, touching = 0;
  for (size_t i = 0; i < s->body_count; ++i) touching += job->bodies[i].contact_frames > 0;
  for (size_t i = 0; i < s->body_count; ++i) {
    const self_body *b = &job->bodies[i];
    char triangles[OUTPUT_NUMBER_SIZE], welded[OUTPUT_NUMBER_SIZE];
    if ((s->body_count > 1 && !b->contact_frames) || shown++ >= MOST) continue;
    printf("%s%s, %s triangles", shown == 1 ? "body      " : "          ", io_show(s->bodies[i].name).text,
           output_count(s->bodies[i].triangle_count, triangles));
    if (s->bodies[i].welded) printf(", %s duplicate vertices welded", output_count(s->bodies[i].welded, welded));
    if (s->body_count > 1)
      printf(": %zu frame%s with contact from frame %zu on, at most %zu pairs", b->contact_frames,
             b->contact_frames == 1 ? "" : "s", b->first, b->most);
    printf("\n");
  }
  if (shown > MOST) printf("          and %zu more\n", shown - MOST);
  if (s->body_count > 1)
    printf("bodies    %zu of %zu intersect%s\n", touching, s->body_count, touching == 1 ? "s itself" : " themselves");
}

void self_write_end(const self_job *job)
{
  const collide_totals *t = &job->totals;
  if (job->options.json || job->options.csv || !t->frames) return;
  char label[STAGE_LABEL];
  double n = (double)t->frames;
  write_bodies(job);
  printf("method    %s%s\n", pl_word(PL_WORDS_SELF, job->options.method),
         job->options.method == PL_SELF_METHOD_CONES_MAY_MISS ? ": pairs may be missing" : "");
  printf("frames    %zu, %zu with contact", t->frames, t->contact_frames);
  if (t->contact_frames > 0 && t->frames > 1)
    printf("; the first is frame %zu (%s)", t->first_contact, stage_label(&job->stage, t->first_contact, label));
  printf("\n");
  stage_write_clips(&job->stage);
  stage_write_range(&job->stage);
  if (t->frames == 1)
    printf("pairs     %zu\n", t->most);
  else
    collide_write_most(t, &job->stage, "");
  if (t->partial_frames > 0)
    printf("          %zu partial: the budget ended them, there may be more pairs\n", t->partial_frames);
  printf("time      %.3f ms per frame (%.3f taking positions, %.3f update, %.3f query), %.3f the longest\n",
         (t->ms_set + t->ms_update + t->ms_query) / n, t->ms_set / n, t->ms_update / n, t->ms_query / n, t->ms_longest);
  results_out_write_end(&job->found, &job->options.see);
  if (job->options.check) printf("checked   all %zu frames agree with the reference\n", t->frames);
}
