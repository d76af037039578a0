/* Findings for people: names, sentences, the table; and a line of JSON for each asset. */
#include "check/check.h"
#include "common/output.h"
#include "io/show.h"

#include <stdlib.h>
#include <string.h>

const char *check_kind(const check_finding *f)
{
  return f->ignored ? "ignored" : !f->known ? "new" : check_grows(f) ? "growing" : "known";
}

const char *check_length_text(const check_asset *asset, double length, char text[CHECK_LENGTH])
{
  double metres = length * asset->metres;
  if (asset->metres <= 0)
    snprintf(text, CHECK_LENGTH, "%.4g", length);
  else if (metres >= 1)
    snprintf(text, CHECK_LENGTH, "%.4g m", metres);
  else
    snprintf(text, CHECK_LENGTH, "%.4g mm", 1000 * metres);
  return text;
}

/* "LeftHand", "Hair" or "part 2 of Body"; the body too where the two are of different bodies. */
static void name_side(const check_side *s, bool same_body, char text[CHECK_NAME / 2 - 8])
{
  size_t room = CHECK_NAME / 2 - 8;
  if (s->bone[0] && !same_body)
    snprintf(text, room, "%.120s of %.120s", s->bone, s->body);
  else if (s->bone[0])
    snprintf(text, room, "%.240s", s->bone);
  else if (s->parts > 1)
    snprintf(text, room, "part %u of %.240s", s->part, s->body);
  else
    snprintf(text, room, "%.240s", s->body);
}

const char *check_name(const check_finding *f, char text[CHECK_NAME])
{
  char name[2][CHECK_NAME / 2 - 8];
  bool same = strcmp(f->side[0].body, f->side[1].body) == 0;
  for (int i = 0; i < 2; ++i) name_side(&f->side[i], same, name[i]);
  if (strcmp(name[0], name[1]) == 0)
    snprintf(text, CHECK_NAME, "%s intersects itself", name[0]);
  else if (same && !f->side[0].bone[0])
    snprintf(text, CHECK_NAME, "part %u %s %s", f->side[0].part, f->depth > 0 ? "in" : "crosses", name[1]);
  else
    snprintf(text, CHECK_NAME, "%s %s %s", name[0], f->depth > 0 ? "in" : "crosses", name[1]);
  return text;
}

const char *check_sentence(const check_asset *asset, const check_finding *f, char text[CHECK_SENTENCE])
{
  char name[CHECK_NAME], depth[CHECK_LENGTH], known[CHECK_LENGTH];
  int n =
      snprintf(text, CHECK_SENTENCE, "%s, %s deep, ", check_name(f, name), check_length_text(asset, f->depth, depth));
#define MORE text + n, (size_t)(CHECK_SENTENCE - n)
  if (f->always)
    n += snprintf(MORE, "in all frames");
  else if (f->first == f->last)
    n += snprintf(MORE, "in frame %zu%s%.400s%s", f->first, f->label[0] ? " (" : "", f->label, f->label[0] ? ")" : "");
  else
    n += snprintf(MORE, "in frames %zu to %zu, worst in frame %zu%s%.400s%s", f->first, f->last, f->worst,
                  f->label[0] ? " (" : "", f->label, f->label[0] ? ")" : "");
  check_length_text(asset, f->known_depth, known);
  if (f->known && asset->in_baseline)
    snprintf(MORE, "; %s deep in the baseline", known);
  else if (f->known)
    snprintf(MORE, "; %s deep in the reference pose", known);
#undef MORE
  return text;
}

const check_finding *check_worst(const check_asset *a)
{
  const check_finding *worst = NULL;
  for (size_t i = 0; i < a->finding_count; ++i) {
    const check_finding *f = &a->findings[i];
    if (a->failures && !f->fails) continue;
    if (!worst || f->depth > worst->depth) worst = f;
  }
  return worst;
}

/* ------------------------------------------------------------------------------------- table -- */

enum { LEAST_WIDE = 40, MOST_WIDE = 100, NAME_ROOM = 300 };

/* Of the first column: that of the longest name, but none that a few long ones stretch. */
static int width_of(const check_job *job)
{
  int wide = LEAST_WIDE;
  for (size_t i = job->begin; i < job->end; ++i) {
    char name[NAME_ROOM];
    io_show_into(name, sizeof name, job->assets[i].name);
    int length = (int)strlen(name);
    if (length > wide && length <= MOST_WIDE) wide = length;
  }
  return wide;
}

static void write_row(const check_job *job, const check_asset *a, int wide)
{
  char name[NAME_ROOM], text[CHECK_SENTENCE], shown[CHECK_SENTENCE];
  io_show_into(name, sizeof name, a->name);
  if (!a->readable) {
    printf("%-*s %8s %9s %6s  could not be read\n", wide, name, "-", "-", "-");
    return;
  }
  const check_finding *worst = check_worst(a);
  io_show_into(shown, sizeof shown, worst ? check_sentence(a, worst, text) : "");
  printf("%-*s %8zu %9zu %6zu%s%s\n", wide, name, a->frames, a->finding_count, a->failures, *shown ? "  " : "", shown);
  for (size_t k = 0; job->options.list && k < a->finding_count; ++k) {
    const check_finding *f = &a->findings[k];
    io_show_into(shown, sizeof shown, check_sentence(a, f, text));
    printf("  %s%-8s %s\n", f->fails ? "FAIL " : "     ", check_kind(f), shown);
  }
}

void check_write_table(const check_job *job)
{
  size_t count = job->end - job->begin, bodies = 0;
  const int wide = width_of(job);
  printf("%-*s %8s %9s %6s  %s\n", wide, "asset", "frames", "findings", "fail", "worst");
  for (size_t i = job->begin; i < job->end; ++i) {
    write_row(job, &job->assets[i], wide);
    bodies += job->assets[i].ignored_bodies;
  }
  printf("%zu asset%s, %zu failing finding%s", count, count == 1 ? "" : "s", job->failures,
         job->failures == 1 ? "" : "s");
  if (job->unreadable) printf(", %zu could not be read", job->unreadable);
  if (job->ignored || bodies) printf(", ignored: %zu bodies and %zu findings", bodies, job->ignored);
  if (job->fixed) printf(", %zu of the baseline no longer there", job->fixed);
  printf("\n");
}

/* -------------------------------------------------------------------------------------- JSON -- */

static void put_point(json *j, const char *key, const double at[3])
{
  json_put_open(j, key, '[');
  for (int k = 0; k < 3; ++k) json_real(j, at[k]);
  json_close(j, ']');
}

static void put_side(json *j, const check_side *s)
{
  json_open(j, '{');
  json_put_text(j, "body", s->body);
  json_put_text(j, "mesh", s->mesh);
  json_put_text(j, "material", s->material);
  json_put_whole(j, "primitive", s->primitive);
  json_put_whole(j, "part", s->part);
  json_put_whole(j, "parts", s->parts);
  json_put_text(j, "bone", s->bone);
  json_put_real(j, "bone_share", s->share);
  put_point(j, "rest", s->rest);
  json_close(j, '}');
}

static void put_finding(json *j, const check_asset *a, const check_finding *f)
{
  char name[CHECK_NAME];
  json_open(j, '{');
  json_put_text(j, "kind", check_kind(f));
  json_put_bool(j, "fails", f->fails);
  json_put_text(j, "name", check_name(f, name));
  json_put_real(j, "depth", f->depth);
  if (a->metres > 0) json_put_real(j, "depth_mm", 1000 * a->metres * f->depth);
  json_put_real(j, "known_depth", f->known_depth);
  json_put_real(j, "area", f->area);
  json_put_real(j, "length", f->length);
  json_put_text(j, "animation", f->animation);
  json_put_whole(j, "first", f->first);
  json_put_whole(j, "last", f->last);
  json_put_whole(j, "worst", f->worst);
  json_put_bool(j, "always", f->always);
  json_put_text(j, "label", f->label);
  put_point(j, "at", f->at);
  json_put_open(j, "sides", '[');
  for (int i = 0; i < 2; ++i) put_side(j, &f->side[i]);
  json_close(j, ']');
  json_close(j, '}');
}

/* Messages without what marks their kinds. */
static void put_messages(json *j, const char *text)
{
  json_put_open(j, "messages", '[');
  while (text && *text) {
    char line[1400];
    size_t length = strcspn(text, "\n");
    snprintf(line, sizeof line, "%.*s", (int)(length > 0 ? length - 1 : 0), text + 1);
    json_text(j, line);
    text += length + (text[length] == '\n');
  }
  json_close(j, ']');
}

void check_write_json(const check_asset *a)
{
  json j = {stdout, false};
  json_open(&j, '{');
  json_put_text(&j, "asset", a->name);
  json_put_bool(&j, "readable", a->readable);
  json_put_whole(&j, "failures", a->failures);
  json_put_whole(&j, "frames", a->frames);
  json_put_whole(&j, "bodies", a->bodies);
  json_put_whole(&j, "ignored_bodies", a->ignored_bodies);
  json_put_whole(&j, "triangles", a->triangles);
  json_put_real(&j, "metres_per_unit", a->metres);
  json_put_bool(&j, "in_baseline", a->in_baseline);
  json_put_whole(&j, "fixed", a->fixed);
  put_messages(&j, a->messages);
  json_put_open(&j, "findings", '[');
  for (size_t k = 0; k < a->finding_count; ++k) put_finding(&j, a, &a->findings[k]);
  json_close(&j, ']');
  json_close(&j, '}');
  printf("\n");
}
