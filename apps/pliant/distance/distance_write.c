/* The answers of `pliant distance`: a JSON line or a CSV row per frame, or a summary at the end. */
#include "distance/distance.h"
#include "scenes/ask.h"

#include "common/output.h"
#include "common/shard.h"
#include "io/show.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

pl_question distance_def(const distance_options *o)
{
  pl_question def = pl_question_default();
  def.relative = o->relative;
  def.absolute = o->absolute;
  def.budget_ms = o->common.budget_ms;
  if (o->closer >= 0) {
    def.margin = o->closer;
    def.first = true;
  }
  return def;
}

/* Without tolerance and budget all of an answer is determined: its triangles and points as well
 * as its distance. */
static bool is_same(const least_row *got, const least_row *want, char difference[DISTANCE_TEXT])
{
  if (got->distance != want->distance) return false;
  snprintf(difference, DISTANCE_TEXT, "it is between triangles %u and %u, by the reference between %u and %u",
           got->triangle_a, got->triangle_b, want->triangle_a, want->triangle_b);
  if (got->triangle_a != want->triangle_a || got->triangle_b != want->triangle_b) return false;
  snprintf(difference, DISTANCE_TEXT, "the points on triangles %u and %u are not the reference's", got->triangle_a,
           got->triangle_b);
  return !memcmp(got->point_a, want->point_a, sizeof got->point_a) &&
         !memcmp(got->point_b, want->point_b, sizeof got->point_b);
}

bool distance_agrees(const distance_options *o, const distance_frame *frame, const least_row *truth,
                     char difference[DISTANCE_TEXT])
{
  double got = frame->answer.distance, want = truth->distance;
  char x[OUTPUT_NUMBER_SIZE], y[OUTPUT_NUMBER_SIZE];
  if (o->closer >= 0) {
    bool closer = want <= o->closer;
    snprintf(difference, DISTANCE_TEXT, "the reference says that they %s %g apart",
             closer ? "are at most" : "are more than", o->closer);
    return frame->closer == closer || frame->answer.partial;
  }
  snprintf(difference, DISTANCE_TEXT, "the distance is %s, the reference's is %s", output_number(got, x),
           output_number(want, y));
  if (frame->answer.partial) return frame->answer.lower <= want && want <= got;
  if (o->relative == 0 && o->absolute == 0) return is_same(&frame->answer, truth, difference);
  return want <= got && got <= ((1 + o->relative) * want + o->absolute) * (1 + 1e-14);
}

/* ------------------------------------------------------------------------------------ totals -- */

void distance_totals_add(distance_totals *t, const distance_options *o, const distance_frame *frame)
{
  const least_row *d = &frame->answer;
  double ms = frame->ms_set + d->counters.ms_update + d->counters.ms_query;
  if (o->closer >= 0 && frame->closer && t->closer_frames++ == 0) t->first_closer = frame->index;
  if (frame->near_count > t->near_most || t->frames == 0) {
    t->near_most = frame->near_count;
    t->near_most_at = frame->index;
  }
  if (d->distance < INFINITY) {
    if (t->measured == 0 || d->distance < t->least.answer.distance) t->least = *frame;
    if (t->measured == 0 || d->distance > t->most.answer.distance) t->most = *frame;
    t->sum += d->distance;
    ++t->measured;
  }
  t->partial_frames += d->partial;
  t->ms_set += frame->ms_set;
  t->ms_update += d->counters.ms_update;
  t->ms_query += d->counters.ms_query;
  t->ms_longest = ms > t->ms_longest ? ms : t->ms_longest;
  ++t->frames;
}

void distance_curve_add(distance_curve *c, double value)
{
  if (c->count == c->capacity) {
    size_t capacity = 2 * c->capacity + 64;
    double *bigger = realloc(c->values, capacity * sizeof *bigger);
    c->full = c->full || !bigger;
    if (!bigger) return;
    c->values = bigger;
    c->capacity = capacity;
  }
  c->values[c->count++] = value;
}

/* --------------------------------------------------------------------------------- per frame -- */

static void put_point(json *j, const char *key, const double p[3])
{
  json_put_open(j, key, '[');
  for (int k = 0; k < 3; ++k) json_real(j, p[k]);
  json_close(j, ']');
}

static void put_near(json *j, const distance_options *o, const distance_frame *frame)
{
  json_put_whole(j, "near", frame->near_count);
  if (!o->common.list) return;
  json_put_open(j, "list", '[');
  for (size_t i = 0; i < frame->near_count; ++i) {
    json_open(j, '[');
    json_whole(j, frame->near[i].a);
    json_whole(j, frame->near[i].b);
    json_real(j, frame->near[i].distance);
    json_close(j, ']');
  }
  json_close(j, ']');
}

static void write_json(const distance_options *o, const distance_frame *frame)
{
  json j = {.file = stdout};
  const least_row *d = &frame->answer;
  bool found = d->distance < INFINITY;
  json_open(&j, '{');
  json_put_whole(&j, "frame", frame->index);
  if (frame->time >= 0) json_put_real(&j, "time", frame->time);
  if (frame->animation) json_put_text(&j, "animation", frame->animation);
  if (frame->a) {
    json_put_text(&j, "a", frame->a);
    json_put_text(&j, "b", frame->b);
  }
  if (o->closer >= 0) {
    json_put_bool(&j, "closer", frame->closer);
  } else {
    json_put_real(&j, "distance", d->distance);
    if (found) {
      put_point(&j, "point_a", d->point_a);
      put_point(&j, "point_b", d->point_b);
      json_put_whole(&j, "triangle_a", d->triangle_a);
      json_put_whole(&j, "triangle_b", d->triangle_b);
    }
    json_put_real(&j, "lower", d->lower);
  }
  if (o->margin >= 0) put_near(&j, o, frame);
  json_put_bool(&j, "partial", d->partial);
  json_put_work(&j, "n_v", d->counters.n_v);
  json_put_work(&j, "n_p", d->counters.n_p);
  json_put_work(&j, "n_u", d->counters.n_u);
  json_put_ms(&j, "ms_set", frame->ms_set);
  json_put_ms(&j, "ms_update", d->counters.ms_update);
  json_put_ms(&j, "ms_query", d->counters.ms_query);
  if (o->common.check) json_put_bool(&j, "checked", true);
  json_close(&j, '}');
  putchar('\n');
}

/* A number that is not finite is left empty. */
static void put_number(double value)
{
  char text[OUTPUT_NUMBER_SIZE];
  printf(",%s", isfinite(value) ? output_number(value, text) : "");
}

static void write_csv(const distance_options *o, const distance_frame *frame)
{
  const least_row *d = &frame->answer;
  bool found = d->distance < INFINITY;
  printf("%zu", frame->index);
  if (frame->time >= 0) put_number(frame->time);
  putchar(',');
  csv_text(stdout, frame->a ? frame->a : "");
  putchar(',');
  csv_text(stdout, frame->b ? frame->b : "");
  if (o->closer >= 0) {
    printf(",%d", frame->closer);
  } else {
    put_number(d->distance);
    for (int k = 0; k < 6; ++k) put_number(found ? k < 3 ? d->point_a[k] : d->point_b[k - 3] : INFINITY);
    if (found)
      printf(",%u,%u", d->triangle_a, d->triangle_b);
    else
      printf(",,");
  }
  if (o->margin >= 0) printf(",%zu", frame->near_count);
  printf(",%d", d->partial);
  csv_costs(&d->counters, frame->ms_set);
  if (o->common.check) printf(",1");
  if (o->common.list) putchar(',');
  for (size_t i = 0; o->common.list && i < frame->near_count; ++i) {
    char text[OUTPUT_NUMBER_SIZE];
    printf("%s%u-%u:%s", i ? " " : "", frame->near[i].a, frame->near[i].b,
           output_number(frame->near[i].distance, text));
  }
  if (frame->animation) {
    putchar(',');
    csv_text(stdout, frame->animation);
  }
  putchar('\n');
}

/* With --list and neither --json nor --csv. */
static void write_list(const distance_frame *frame)
{
  printf("frame %zu: %zu pair%s within the margin\n", frame->index, frame->near_count,
         frame->near_count == 1 ? "" : "s");
  for (size_t i = 0; i < frame->near_count; ++i) {
    char text[OUTPUT_NUMBER_SIZE];
    printf("  %u %u %s\n", frame->near[i].a, frame->near[i].b, output_number(frame->near[i].distance, text));
  }
}

void distance_write_head(const distance_options *o, bool is_scene, bool has_clips)
{
  if (!o->common.csv || !shard_has_head()) return;
  printf("frame,%sa,b,%s%spartial%s%s%s%s\n", is_scene ? "time," : "",
         o->closer >= 0 ? "closer," : "distance,a_x,a_y,a_z,b_x,b_y,b_z,triangle_a,triangle_b,",
         o->margin >= 0 ? "near," : "", csv_costs_head(true), o->common.check ? ",checked" : "",
         o->common.list ? ",list" : "", has_clips ? ",animation" : "");
}

void distance_write_frame(const distance_options *o, const distance_frame *frame)
{
  if (o->common.json)
    write_json(o, frame);
  else if (o->common.csv)
    write_csv(o, frame);
  else if (o->common.list)
    write_list(frame);
  else
    return;
  fflush(stdout); /* who reads along sees whole lines at once */
}
