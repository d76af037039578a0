/* What the viewer shows beside the meshes: places that intersect, with names, and the number of
 * regions and their depth in every frame, as JSON. */
#include "check/check.h"
#include "common/output.h"

#include <stdlib.h>
#include <string.h>

static int compare_findings(const void *x, const void *y)
{
  const check_finding *a = *(check_finding *const *)x, *b = *(check_finding *const *)y;
  if (a->fails != b->fails) return a->fails ? -1 : 1;
  if (a->ignored != b->ignored) return a->ignored ? 1 : -1;
  return (a->depth < b->depth) - (a->depth > b->depth);
}

const check_finding **check_sorted_findings(const check_asset *a)
{
  const check_finding **list = malloc((a->finding_count + 1) * sizeof(check_finding *));
  for (size_t i = 0; list && i < a->finding_count; ++i) list[i] = &a->findings[i];
  if (list && a->finding_count) qsort(list, a->finding_count, sizeof *list, compare_findings);
  return list;
}

/* The page has no rest pose where there are animations: its findings are shown in the first one. */
static size_t page_clip(const check_asset *a, size_t clip) { return a->clip_count > 1 && clip > 0 ? clip - 1 : clip; }

static void put_finding(json *j, const check_asset *a, const check_finding *f)
{
  char text[200], depth[CHECK_LENGTH], name[CHECK_NAME];
  int n = snprintf(text, sizeof text, "%s, %s deep, ", check_kind(f), check_length_text(a, f->depth, depth));
  if (f->first == f->last)
    snprintf(text + n, sizeof text - (size_t)n, "frame %zu", f->first);
  else
    snprintf(text + n, sizeof text - (size_t)n, "frames %zu to %zu", f->first, f->last);
  json_open(j, '{');
  json_put_text(j, "name", check_name(f, name));
  json_put_text(j, "text", text);
  json_put_bool(j, "fails", f->fails);
  json_put_whole(j, "animation", page_clip(a, f->clip));
  json_put_whole(j, "worst", f->worst);
  json_put_real(j, "size", f->length / 3);
  json_put_open(j, "at", '[');
  for (int k = 0; k < 3; ++k) json_real(j, f->at[k]);
  json_close(j, ']');
  json_close(j, '}');
}

static void put_list(json *j, const char *key, const double *values, size_t count)
{
  json_put_open(j, key, '[');
  for (size_t i = 0; i < count; ++i) json_real(j, (double)(float)values[i]);
  json_close(j, ']');
}

static void put_findings_json(json *j, const check_asset *a, const check_finding **list)
{
  json_open(j, '{');
  json_put_real(j, "metres", a->metres);
  json_put_open(j, "findings", '[');
  for (size_t i = 0; i < a->finding_count && i < CHECK_MOST_LISTED; ++i) put_finding(j, a, list[i]);
  json_close(j, ']');
  json_put_open(j, "clips", '[');
  for (size_t i = a->clip_count > 1 ? 1 : 0; i < a->clip_count; ++i) {
    json_open(j, '{');
    put_list(j, "regions", a->clips[i].regions, a->clips[i].count);
    put_list(j, "depth", a->clips[i].depth, a->clips[i].count);
    json_close(j, '}');
  }
  json_close(j, ']');
  json_close(j, '}');
}

/* What the viewer shows beside the meshes. "<" becomes an escape, so that no name ends the script
 * that it is in. */
char *check_places_json(const check_asset *a)
{
  char *text = NULL, *safe = NULL;
  size_t size, safe_size;
  json j = {open_memstream(&text, &size), false};
  const check_finding **list = j.file ? check_sorted_findings(a) : NULL;
  if (list) put_findings_json(&j, a, list);
  free(list);
  if (j.file) fclose(j.file);
  FILE *to = text ? open_memstream(&safe, &safe_size) : NULL;
  for (const char *c = text; to && *c; ++c) *c == '<' ? fputs("\\u003c", to) : fputc(*c, to);
  if (to) fclose(to);
  free(text);
  return safe;
}

/* What the reference pose does not have comes first. */
char *check_places_of(const input_list *inputs, bool allow_outside)
{
  const input_def *first = &inputs->values[0];
  check_job job = {.options = {.rules = {.fail_on = CHECK_NEW, .between = true},
                               .stage = {.allow_unchecked = true, .allow_outside = allow_outside}}};
  check_asset asset = {.files = first->names, .file_count = first->count, .inputs = inputs, .name = first->names[0]};
  job.assets = &asset;
  job.asset_count = job.end = 1;
  char *text = NULL;
  if (check_play(&job, &asset, 0)) {
    check_judge(&job);
    text = check_places_json(&asset);
  }
  asset.name = NULL; /* they are the caller's */
  check_forget(&asset);
  return text;
}
