/* The answers of `pliant collide` with many bodies: a JSON line or a CSV row per frame, or a
 * summary at the end. */
#include "collide/collide_scene.h"
#include "common/output.h"
#include "common/shard.h"
#include "io/show.h"

#include <inttypes.h>

enum { MOST_LINES = 20 }; /* of bodies, in the summary */

/* Of the contacts from `begin` to `end` those that --limit, which counts from the frame's
 * first, lets through. */
static size_t listed_end(const collide_scene *s, size_t begin, size_t end)
{
  size_t limit = (size_t)s->options.limit;
  if (s->options.limit < 0 || end <= limit) return end;
  return begin > limit ? begin : limit;
}

/* --------------------------------------------------------------------------------- per frame -- */

static void put_list(json *j, const collide_scene *s, const pl_result *c, const pl_group *group)
{
  json_put_open(j, "list", '[');
  for (size_t i = group->begin; i < listed_end(s, group->begin, group->end); ++i) {
    json_open(j, '[');
    json_whole(j, c->pairs[i].a);
    json_whole(j, c->pairs[i].b);
    json_close(j, ']');
  }
  json_close(j, ']');
}

static void put_contacts(json *j, const collide_scene *s, const pl_result *c)
{
  size_t a = 0, b = 0;
  json_put_open(j, "contacts", '[');
  for (size_t g = 0; g < c->group_count; ++g) {
    const pl_group *group = &c->groups[g];
    a = stage_number(&s->job.stage, group->a, a);
    b = stage_number(&s->job.stage, group->b, b);
    json_open(j, '{');
    json_put_text(j, "a", scene_name(s, a));
    json_put_text(j, "b", scene_name(s, b));
    json_put_whole(j, "pairs", group->end - group->begin);
    if (s->options.common.list) put_list(j, s, c, group);
    json_close(j, '}');
  }
  json_close(j, ']');
}

/* Where several are played. */
static void put_animation(json *j, const stage *s, size_t frame)
{
  char text[STAGE_LABEL];
  if (stage_has_clips(s)) json_put_text(j, "animation", stage_animation(s, frame, text));
}

/* The files of this frame, of the inputs that are sequences. */
static void put_files(json *j, const stage *s, size_t frame)
{
  bool begun = false;
  for (size_t i = 0; i < s->input_count; ++i) {
    const stage_input *input = &s->inputs[i];
    if (input->gltf || input->frame_count <= 1) continue;
    if (!begun) {
      json_put_open(j, "files", '[');
    }
    begun = true;
    json_text(j, frames_path(&input->files, frame));
  }
  if (begun) json_close(j, ']');
}

/* --only-new: who touches at rest, in the first line only. */
static void put_rest(json *j, const collide_scene *s)
{
  const pair_choice *c = &s->job.choice;
  json_put_open(j, "at_rest", '[');
  for (size_t i = 0; i < c->rest_count; ++i) {
    json_open(j, '{');
    json_put_text(j, "a", scene_name(s, c->rest[i].a));
    json_put_text(j, "b", scene_name(s, c->rest[i].b));
    json_put_whole(j, "pairs", c->rest[i].pairs);
    json_close(j, '}');
  }
  json_close(j, ']');
}

static bool write_json(collide_scene *s, const scene_frame *frame)
{
  json j = {.file = stdout};
  const pl_result *c = frame->contacts;
  json_open(&j, '{');
  json_put_whole(&j, "frame", frame->index);
  if (s->job.stage.has_time) json_put_real(&j, "time", frame->time);
  put_animation(&j, &s->job.stage, frame->index);
  put_files(&j, &s->job.stage, frame->index);
  json_put_whole(&j, "pairs", c->count);
  json_put_bool(&j, "partial", c->partial);
  put_contacts(&j, s, c);
  bool good = !s->options.common.list || results_out_put_points(&s->found, &j, listed_end(s, 0, c->count));
  if (s->job.only_new && frame->index == s->job.stage.first) put_rest(&j, s);
  json_put_work(&j, "n_v", c->counters.n_v);
  json_put_work(&j, "n_p", c->counters.n_p);
  json_put_work(&j, "n_u", c->counters.n_u);
  json_put_ms(&j, "ms_set", frame->ms_set);
  json_put_ms(&j, "ms_update", c->counters.ms_update);
  json_put_ms(&j, "ms_query", c->counters.ms_query);
  if (s->options.common.check) json_put_bool(&j, "checked", true);
  json_close(&j, '}');
  putchar('\n');
  return good;
}

/* Bodies by number: names may hold anything. */
static void write_csv_list(const collide_scene *s, const pl_result *c)
{
  size_t a = 0, b = 0, end = listed_end(s, 0, c->count);
  putchar(',');
  for (size_t g = 0; g < c->group_count; ++g) {
    const pl_group *group = &c->groups[g];
    a = stage_number(&s->job.stage, group->a, a);
    b = stage_number(&s->job.stage, group->b, b);
    for (size_t i = group->begin; i < group->end && i < end; ++i)
      printf("%s%zu:%u-%zu:%u", i ? " " : "", a, c->pairs[i].a, b, c->pairs[i].b);
  }
}

static void write_csv(const collide_scene *s, const scene_frame *frame)
{
  const pl_result *c = frame->contacts;
  char time[OUTPUT_NUMBER_SIZE];
  printf("%zu,%s,%zu,%zu,%d", frame->index, output_number(frame->time, time), c->count, c->group_count, c->partial);
  csv_costs(&c->counters, frame->ms_set);
  if (s->options.common.check) printf(",1");
  if (s->options.common.list) write_csv_list(s, c);
  if (stage_has_clips(&s->job.stage)) {
    char text[STAGE_LABEL];
    putchar(',');
    csv_text(stdout, stage_animation(&s->job.stage, frame->index, text));
  }
  putchar('\n');
}

/* With --list and neither --json nor --csv. */
static void write_list(const collide_scene *s, const scene_frame *frame)
{
  const pl_result *c = frame->contacts;
  size_t a = 0, b = 0, shown = listed_end(s, 0, c->count);
  char label[STAGE_LABEL];
  stage_label(&s->job.stage, frame->index, label);
  printf("frame %zu%s%s%s: %zu pair%s%s", frame->index, label[0] ? " (" : "", label, label[0] ? ")" : "", c->count,
         c->count == 1 ? "" : "s", c->partial ? " (partial)" : "");
  if (shown < c->count) printf(", %zu of them here", shown);
  printf("\n");
  for (size_t g = 0; g < c->group_count; ++g) {
    const pl_group *group = &c->groups[g];
    a = stage_number(&s->job.stage, group->a, a);
    b = stage_number(&s->job.stage, group->b, b);
    printf("  %s and %s: %zu\n", io_show(scene_name(s, a)).text, io_show(scene_name(s, b)).text,
           group->end - group->begin);
    for (size_t i = group->begin; i < listed_end(s, group->begin, group->end); ++i)
      printf("    %u %u\n", c->pairs[i].a, c->pairs[i].b);
  }
}

void collide_scene_write_head(const collide_scene *s)
{
  if (!s->options.common.csv || !shard_has_head()) return;
  printf("frame,time,pairs,body_pairs,partial%s%s%s%s\n", csv_costs_head(true),
         s->options.common.check ? ",checked" : "", s->options.common.list ? ",list" : "",
         stage_has_clips(&s->job.stage) ? ",animation" : "");
}

bool collide_scene_write_frame(collide_scene *s, const scene_frame *frame)
{
  bool good = true;
  if (s->options.common.json)
    good = write_json(s, frame);
  else if (s->options.common.csv)
    write_csv(s, frame);
  else if (s->options.common.list)
    write_list(s, frame);
  else
    return true;
  fflush(stdout); /* who reads along sees whole lines at once */
  return good;
}

/* ----------------------------------------------------------------------------------- summary -- */

static void write_body(const stage *s, const stage_body *body)
{
  char triangles[OUTPUT_NUMBER_SIZE], vertices[OUTPUT_NUMBER_SIZE];
  const gltf_scene *file = s->inputs[body->input].gltf;
  printf("          %s: %s, %s triangle%s, %s vertices", io_show(body->name).text,
         stage_motion_text(body->moves, body->morphs), output_count(body->triangle_count, triangles),
         body->triangle_count == 1 ? "" : "s", output_count(body->vertex_count, vertices));
  if (file && pl_body_motion(body->body) == PL_MOTION_MORPH) {
    size_t targets = gltf_body_at(file, body->part)->mesh->target_count;
    printf(", %zu morph target%s", targets, targets == 1 ? "" : "s");
  }
  printf("\n");
}

static void write_bodies(const stage *s)
{
  size_t shown = s->body_count > MOST_LINES ? MOST_LINES : s->body_count;
  printf("scene     ");
  for (size_t i = 0; i < s->input_count; ++i) printf("%s%s", i ? ", " : "", io_show(s->inputs[i].def.names[0]).text);
  printf(", %zu bod%s\n", s->body_count, s->body_count == 1 ? "y" : "ies");
  for (size_t i = 0; i < shown; ++i) write_body(s, &s->bodies[i]);
  if (shown < s->body_count) printf("          and %zu more: pliant info lists them\n", s->body_count - shown);
}

static void write_animations(const stage *s)
{
  for (size_t i = 0; i < s->input_count; ++i) {
    const stage_input *input = &s->inputs[i];
    if (!input->gltf || input->clip_count > 1) continue;
    int animation = input->clips[0].animation;
    if (animation == GLTF_REST)
      printf("animation none: the scene at rest\n");
    else
      printf("animation %s, %g s, %g frames per second\n",
             io_show(gltf_animation_name(input->gltf, (size_t)animation)).text, gltf_duration(input->gltf, animation),
             s->fps);
  }
  stage_write_clips(s);
}

static void write_frames(const collide_scene *s)
{
  const collide_totals *t = &s->totals;
  char label[STAGE_LABEL];
  write_animations(&s->job.stage);
  printf("frames    %zu, %zu with contact", t->frames, t->contact_frames);
  if (t->contact_frames > 0 && t->frames > 1)
    printf("; the first is frame %zu (%s)", t->first_contact, stage_label(&s->job.stage, t->first_contact, label));
  printf("\n");
  stage_write_range(&s->job.stage);
  if (t->partial_frames > 0)
    printf("          %zu partial: the budget ended them, there may be more pairs\n", t->partial_frames);
}

/* --only-new: who touches at rest. */
static void write_rest(const collide_scene *s)
{
  const pair_choice *c = &s->job.choice;
  if (!s->job.only_new) return;
  size_t shown = c->rest_count > MOST_LINES ? MOST_LINES : c->rest_count;
  printf("at rest   %zu pair%s of bodies touch%s in frame %zu and %s left out\n", c->rest_count,
         c->rest_count == 1 ? "" : "s", c->rest_count == 1 ? "es" : "", s->job.stage.first,
         c->rest_count == 1 ? "is" : "are");
  for (size_t i = 0; i < shown; ++i)
    printf("          %s and %s: %zu pair%s\n", io_show(scene_name(s, c->rest[i].a)).text,
           io_show(scene_name(s, c->rest[i].b)).text, c->rest[i].pairs, c->rest[i].pairs == 1 ? "" : "s");
  if (shown < c->rest_count) printf("          and %zu more: --json names all\n", c->rest_count - shown);
}

static void write_touches(const collide_scene *s)
{
  size_t shown = s->touch_count;
  for (size_t i = 0; i < shown; ++i) {
    const scene_touch *t = &s->touches[i];
    printf("%s%s and %s: ", i ? "          " : "touching  ", io_show(scene_name(s, t->a)).text,
           io_show(scene_name(s, t->b)).text);
    if (s->totals.frames > 1)
      printf("in %zu frame%s, first in frame %zu, up to ", t->frames, t->frames == 1 ? "" : "s", t->first);
    printf("%zu pair%s\n", t->most, t->most == 1 ? "" : "s");
  }
  if (shown < s->touched) printf("          and %zu more bodies with bodies: --json names all\n", s->touched - shown);
}

static void write_pairs(const collide_scene *s)
{
  const collide_totals *t = &s->totals;
  const char *first = s->options.first ? "; the first one of two bodies only" : "";
  if (t->frames == 1)
    printf("pairs     %zu%s\n", t->most, first);
  else
    collide_write_most(t, &s->job.stage, first);
}

static double bytes_per_triangle(const stage *s)
{
  size_t bytes = 0, triangles = 0;
  for (size_t i = 0; i < s->body_count; ++i) {
    pl_body_info info = {0};
    pl_body_get_info(s->bodies[i].body, true, &info);
    bytes += info.bytes;
    triangles += s->bodies[i].triangle_count;
  }
  return triangles ? (double)bytes / (double)triangles : 0;
}

void collide_scene_write_end(const collide_scene *s)
{
  if (s->options.common.json || s->options.common.csv) return;
  const stage *on = &s->job.stage;
  const collide_totals *t = &s->totals;
  char tree[TREE_TEXT];
  double n = (double)t->frames;
  int threads = pl_context_threads(on->context);
  write_bodies(on);
  printf("tree      %s; %d thread%s, %s\n", tree_options_text(&on->def.body, tree), threads, threads == 1 ? "" : "s",
         pl_context_simd(on->context));
  printf("memory    %.1f bytes per triangle, positions not counted\n", bytes_per_triangle(on));
  write_frames(s);
  write_rest(s);
  write_pairs(s);
  write_touches(s);
  printf("time      %.3f ms per frame (%.3f placing bodies, %.3f update, %.3f query), %.3f the longest\n",
         (t->ms_set + t->ms_update + t->ms_query) / n, t->ms_set / n, t->ms_update / n, t->ms_query / n, t->ms_longest);
  if (s->options.common.check) printf("checked   all %zu frames agree with the reference\n", t->frames);
  results_out_write_end(&s->found, &s->options.common);
}
