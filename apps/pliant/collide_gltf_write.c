/* The answers of `pliant collide SCENE`: a JSON line or a CSV row per frame, or a summary at the end. */
#include "collide_gltf.h"
#include "io/show.h"
#include "output.h"

#include <inttypes.h>

enum { MOST_LINES = 20 }; /* of bodies, in the summary */

/* Of the contacts from `begin` to `end` the ones that --limit, which counts from the frame's first, lets through. */
static size_t listed_end(const gltf_job *job, size_t begin, size_t end)
{
  size_t limit = (size_t)job->options.limit;
  if (job->options.limit < 0 || end <= limit) return end;
  return begin > limit ? begin : limit;
}

/* ---------------------------------------------------------------------------------------------------- per frame -- */

static void put_list(json *j, const gltf_job *job, const pl_contacts *c, const pl_contact_group *group)
{
  json_key(j, "list");
  json_open(j, '[');
  for (size_t i = group->begin; i < listed_end(job, group->begin, group->end); ++i) {
    json_open(j, '[');
    json_whole(j, c->contacts[i].triangle_a);
    json_whole(j, c->contacts[i].triangle_b);
    json_close(j, ']');
  }
  json_close(j, ']');
}

static void put_contacts(json *j, const gltf_job *job, const pl_contacts *c)
{
  size_t a = 0, b = 0;
  json_key(j, "contacts");
  json_open(j, '[');
  for (size_t g = 0; g < c->group_count; ++g) {
    const pl_contact_group *group = &c->groups[g];
    a = gltf_job_body(job, group->a, a);
    b = gltf_job_body(job, group->b, b);
    json_open(j, '{');
    json_put_text(j, "a", gltf_job_name(job, a));
    json_put_text(j, "b", gltf_job_name(job, b));
    json_put_whole(j, "pairs", group->end - group->begin);
    if (job->options.common.list) put_list(j, job, c, group);
    json_close(j, '}');
  }
  json_close(j, ']');
}

static void write_json(const gltf_job *job, const gltf_frame *frame)
{
  json j = {.file = stdout};
  const pl_contacts *c = frame->contacts;
  json_open(&j, '{');
  json_put_whole(&j, "frame", frame->index);
  json_put_real(&j, "time", frame->time);
  json_put_whole(&j, "pairs", c->count);
  json_put_bool(&j, "partial", c->partial);
  put_contacts(&j, job, c);
  json_put_whole(&j, "n_v", c->counters.n_v);
  json_put_whole(&j, "n_p", c->counters.n_p);
  json_put_whole(&j, "n_u", c->counters.n_u);
  json_put_real(&j, "ms_set", output_ms(frame->ms_set));
  json_put_real(&j, "ms_update", output_ms(c->counters.ms_update));
  json_put_real(&j, "ms_query", output_ms(c->counters.ms_query));
  if (job->options.common.check) json_put_bool(&j, "checked", true);
  json_close(&j, '}');
  putchar('\n');
}

/* Bodies by number: names may hold anything. */
static void write_csv_list(const gltf_job *job, const pl_contacts *c)
{
  size_t a = 0, b = 0, end = listed_end(job, 0, c->count);
  putchar(',');
  for (size_t i = 0; i < end; ++i) {
    a = gltf_job_body(job, c->contacts[i].a, a);
    b = gltf_job_body(job, c->contacts[i].b, b);
    printf("%s%zu:%u-%zu:%u", i ? " " : "", a, c->contacts[i].triangle_a, b, c->contacts[i].triangle_b);
  }
}

static void write_csv(const gltf_job *job, const gltf_frame *frame)
{
  const pl_contacts *c = frame->contacts;
  char time[OUTPUT_NUMBER_SIZE], set[OUTPUT_NUMBER_SIZE], update[OUTPUT_NUMBER_SIZE], query[OUTPUT_NUMBER_SIZE];
  printf("%zu,%s,%zu,%zu,%d,%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%s,%s,%s", frame->index,
         output_number(frame->time, time), c->count, c->group_count, c->partial, c->counters.n_v, c->counters.n_p,
         c->counters.n_u, output_number(output_ms(frame->ms_set), set),
         output_number(output_ms(c->counters.ms_update), update),
         output_number(output_ms(c->counters.ms_query), query));
  if (job->options.common.check) printf(",1");
  if (job->options.common.list) write_csv_list(job, c);
  putchar('\n');
}

/* With --list and neither --json nor --csv. */
static void write_list(const gltf_job *job, const gltf_frame *frame)
{
  const pl_contacts *c = frame->contacts;
  size_t a = 0, b = 0, shown = listed_end(job, 0, c->count);
  printf("frame %zu (%g s): %zu pair%s%s", frame->index, frame->time, c->count, c->count == 1 ? "" : "s",
         c->partial ? " (partial)" : "");
  if (shown < c->count) printf(", %zu of them here", shown);
  printf("\n");
  for (size_t g = 0; g < c->group_count; ++g) {
    const pl_contact_group *group = &c->groups[g];
    a = gltf_job_body(job, group->a, a);
    b = gltf_job_body(job, group->b, b);
    printf("  %s and %s: %zu\n", io_show(gltf_job_name(job, a)).text, io_show(gltf_job_name(job, b)).text,
           group->end - group->begin);
    for (size_t i = group->begin; i < listed_end(job, group->begin, group->end); ++i)
      printf("    %u %u\n", c->contacts[i].triangle_a, c->contacts[i].triangle_b);
  }
}

void collide_gltf_write_head(const gltf_job *job)
{
  if (!job->options.common.csv) return;
  printf("frame,time,pairs,body_pairs,partial,n_v,n_p,n_u,ms_set,ms_update,ms_query%s%s\n",
         job->options.common.check ? ",checked" : "", job->options.common.list ? ",list" : "");
}

void collide_gltf_write_frame(const gltf_job *job, const gltf_frame *frame)
{
  if (job->options.common.json)
    write_json(job, frame);
  else if (job->options.common.csv)
    write_csv(job, frame);
  else if (job->options.common.list)
    write_list(job, frame);
  else
    return;
  fflush(stdout); /* who reads along sees whole lines at once */
}

/* ------------------------------------------------------------------------------------------------------ summary -- */

static void write_bodies(const gltf_job *job)
{
  size_t shown = job->body_count > MOST_LINES ? MOST_LINES : job->body_count;
  printf("scene     %s, %zu bod%s\n", io_show(job->path).text, job->body_count, job->body_count == 1 ? "y" : "ies");
  for (size_t i = 0; i < shown; ++i) {
    char triangles[OUTPUT_NUMBER_SIZE], vertices[OUTPUT_NUMBER_SIZE];
    const gltf_body *body = gltf_body_at(job->file, i);
    bool moves = gltf_body_moves(job->file, i, job->animation), morphs = gltf_body_morphs(job->file, i, job->animation);
    printf("          %s: %s, %s triangle%s, %s vertices", io_show(body->name).text, gltf_motion_text(moves, morphs),
           output_count(body->mesh->triangle_count, triangles), body->mesh->triangle_count == 1 ? "" : "s",
           output_count(body->mesh->vertex_count, vertices));
    if (pl_body_motion(job->bodies[i]) == PL_MOTION_MORPH)
      printf(", %zu morph target%s", body->mesh->target_count, body->mesh->target_count == 1 ? "" : "s");
    printf("\n");
  }
  if (shown < job->body_count) printf("          and %zu more: pliant info lists them\n", job->body_count - shown);
}

static void write_frames(const gltf_job *job)
{
  const collide_totals *t = &job->totals;
  if (job->animation == GLTF_REST)
    printf("animation none: the scene at rest\n");
  else
    printf("animation %s, %g s, %g frames per second\n",
           io_show(job->animation >= 0 ? gltf_animation_name(job->file, (size_t)job->animation) : "all").text,
           gltf_duration(job->file, job->animation), job->fps);
  printf("frames    %zu, %zu with contact", t->frames, t->contact_frames);
  if (t->contact_frames > 0 && t->frames > 1)
    printf("; the first is frame %zu (%g s)", t->first_contact, (double)t->first_contact / job->fps);
  printf("\n");
  if (t->partial_frames > 0)
    printf("          %zu partial: the budget ended them, there may be more pairs\n", t->partial_frames);
}

static void write_touches(const gltf_job *job)
{
  size_t shown = job->touch_count;
  for (size_t i = 0; i < shown; ++i) {
    const gltf_touch *t = &job->touches[i];
    printf("%s%s and %s: ", i ? "          " : "touching  ", io_show(gltf_job_name(job, t->a)).text,
           io_show(gltf_job_name(job, t->b)).text);
    if (job->totals.frames > 1)
      printf("in %zu frame%s, first in frame %zu, up to ", t->frames, t->frames == 1 ? "" : "s", t->first);
    printf("%zu pair%s\n", t->most, t->most == 1 ? "" : "s");
  }
  if (shown < job->touched)
    printf("          and %zu more bodies with bodies: --json names all\n", job->touched - shown);
}

static void write_pairs(const gltf_job *job)
{
  const collide_totals *t = &job->totals;
  const char *first = job->options.first ? "; the first one of two bodies only" : "";
  if (t->frames == 1)
    printf("pairs     %zu%s\n", t->most, first);
  else
    printf("pairs     %zu least, %.1f mean, %zu most (frame %zu)%s\n", t->least, t->pairs / (double)t->frames, t->most,
           t->most_at, first);
}

static double bytes_per_triangle(const gltf_job *job)
{
  size_t bytes = 0, triangles = 0;
  for (size_t i = 0; i < job->body_count; ++i) {
    pl_tree_info info = {0};
    pl_body_tree_info(job->bodies[i], &info);
    bytes += info.bytes;
    triangles += pl_body_triangle_count(job->bodies[i]);
  }
  return triangles ? (double)bytes / (double)triangles : 0;
}

void collide_gltf_write_end(const gltf_job *job)
{
  if (job->options.common.json || job->options.common.csv) return;
  const collide_totals *t = &job->totals;
  char tree[TREE_TEXT];
  double n = (double)t->frames;
  int threads = pl_context_threads(job->context);
  write_bodies(job);
  printf("tree      %s; %d thread%s, %s\n", tree_options_text(&job->def, tree), threads, threads == 1 ? "" : "s",
         pl_context_simd(job->context));
  printf("memory    %.1f bytes per triangle, positions not counted\n", bytes_per_triangle(job));
  write_frames(job);
  write_pairs(job);
  write_touches(job);
  printf("time      %.3f ms per frame (%.3f placing bodies, %.3f update, %.3f query), %.3f the longest\n",
         (t->ms_set + t->ms_update + t->ms_query) / n, t->ms_set / n, t->ms_update / n, t->ms_query / n, t->ms_longest);
  if (job->options.common.check) printf("checked   all %zu frames agree with the reference\n", t->frames);
}
