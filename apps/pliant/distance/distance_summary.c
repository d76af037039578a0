/* The summary of `pliant distance`, at the end of a run. */
#include "common/output.h"
#include "common/progress.h"
#include "common/shard.h"
#include "distance/distance.h"
#include "io/show.h"

#include <math.h>
#include <stdio.h>
#include <unistd.h>

static void write_place(const distance_frame *f)
{
  char x[6][OUTPUT_NUMBER_SIZE];
  for (int k = 0; k < 6; ++k) output_number(k < 3 ? f->answer.point_a[k] : f->answer.point_b[k - 3], x[k]);
  printf("          from (%s, %s, %s) on triangle %u of %s\n", x[0], x[1], x[2], f->answer.triangle_a,
         io_show(f->a).text);
  printf("          to   (%s, %s, %s) on triangle %u of %s\n", x[3], x[4], x[5], f->answer.triangle_b,
         io_show(f->b).text);
}

/* "40", or "40, cloth_0041.obj". */
static const char *name_frame(const stage *s, size_t frame, char text[STAGE_LABEL + 24])
{
  char label[STAGE_LABEL];
  stage_label(s, frame, label);
  snprintf(text, STAGE_LABEL + 24, "%zu%s%s", frame, label[0] ? ", " : "", label);
  return text;
}

static void write_none(const distance_totals *t, const stage *s)
{
  if (s->body_count < 2)
    printf("distance  none: there is only one body, and nothing that it could be near to\n");
  else if (t->partial_frames > 0)
    printf("distance  none: the budget was too small to measure any two bodies\n");
  else
    printf("distance  none: no pair of bodies is left to measure\n");
}

static void write_distances(const distance_totals *t, const stage *s)
{
  char least[OUTPUT_NUMBER_SIZE], most[OUTPUT_NUMBER_SIZE], x[STAGE_LABEL + 24], y[STAGE_LABEL + 24];
  if (t->measured == 0) {
    write_none(t, s);
    return;
  }
  output_number(t->least.answer.distance, least);
  output_number(t->most.answer.distance, most);
  if (t->frames == 1)
    printf("distance  %s%s\n", least, t->least.answer.distance == 0 ? ": they touch" : "");
  else
    printf("distance  %s least (frame %s), %.6g mean, %s most (frame %s)\n", least, name_frame(s, t->least.index, x),
           t->sum / (double)t->measured, most, name_frame(s, t->most.index, y));
  write_place(&t->least);
}

void distance_write_totals(const distance_options *o, const distance_totals *t, const stage *s)
{
  double n = (double)t->frames;
  char name[STAGE_LABEL + 24];
  if (o->closer >= 0) {
    printf("closer    than %g in %zu frame%s", o->closer, t->closer_frames, t->closer_frames == 1 ? "" : "s");
    if (t->closer_frames > 0 && t->frames > 1) printf("; the first is frame %s", name_frame(s, t->first_closer, name));
    printf("\n");
  } else {
    write_distances(t, s);
  }
  if (o->margin >= 0)
    printf("near      %zu pair%s within %g at most (frame %s)\n", t->near_most, t->near_most == 1 ? "" : "s", o->margin,
           name_frame(s, t->near_most_at, name));
  if (t->partial_frames > 0)
    printf("          %zu partial: the budget ended them, the distance may be smaller\n", t->partial_frames);
  printf("time      %.3f ms per frame (%.3f taking positions, %.3f update, %.3f query), %.3f the longest\n",
         (t->ms_set + t->ms_update + t->ms_query) / n, t->ms_set / n, t->ms_update / n, t->ms_query / n, t->ms_longest);
  if (o->common.check) printf("checked   all %zu frames agree with the reference\n", t->frames);
  if (o->plot) printf("plot      %s\n", io_show(o->plot).text);
}

/* ------------------------------------------------------------------------------------- shown -- */

bool distance_found(results_out *f, const distance_options *o, const distance_frame *frame)
{
  if (!f->wanted) return true;
  bool any = frame->a && frame->answer.distance < INFINITY && o->closer < 0;
  mark *marks = results_out_reserve(f, 1);
  if (!marks) return false;
  if (any)
    marks[0] =
        (mark){(uint32_t)frame->body_a, frame->answer.triangle_a, (uint32_t)frame->body_b, frame->answer.triangle_b};
  return results_out_frame(f, frame->index, any ? frame->answer.distance : INFINITY, any ? 1 : 0);
}

void distance_shot(const results_out *f, const distance_frame *frame, report_shot *out)
{
  bool any = frame->a && frame->answer.distance < INFINITY;
  *out = (report_shot){.marks = f->marks, .count = any ? 1 : 0, .has_line = any && frame->answer.distance > 0};
  for (int k = 0; k < 3; ++k) {
    out->line[0][k] = frame->answer.point_a[k];
    out->line[1][k] = frame->answer.point_b[k];
  }
}

/* ------------------------------------------------------------------------------------ frames -- */

bool distance_frames(const distance_run *r)
{
  bool good = true;
  const stage *on = r->on;
  progress bar = progress_begin("frames", on->end - on->begin, r->lines && isatty(1));
  distance_write_head(r->options, r->has_time, r->has_clips);
  for (shard_record replayed; shard_replays() && good && shard_next(&replayed);) {
    good = results_out_replay(r->found, &replayed);
    distance_curve_add(r->curve, replayed.value);
  }
  for (size_t i = on->begin; i < on->end && good && !shard_replays(); ++i) {
    distance_frame frame;
    good = r->answer(r->job, i, &frame);
    if (!good) break;
    distance_write_frame(r->options, &frame);
    distance_totals_add(r->totals, r->options, &frame);
    good = distance_found(r->found, r->options, &frame);
    if (r->options->plot) distance_curve_add(r->curve, frame.answer.distance);
    progress_step(&bar, i + 1 - on->begin);
    good = good && shard_frame(i, frame.answer.distance, NULL) && !ferror(stdout);
  }
  progress_end(&bar);
  return good;
}
