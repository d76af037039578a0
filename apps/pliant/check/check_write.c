/* Findings for people and for CI: a table, JSON, JUnit XML, SARIF. */
#include "check/check.h"
#include "common/output.h"
#include "io/output.h"
#include "io/show.h"

#include <stdlib.h>
#include <string.h>

const char *check_kind(const check_finding *f) { return !f->known ? "new" : check_grows(f) ? "growing" : "known"; }

const char *check_sentence(const check_asset *asset, size_t finding, char text[CHECK_SENTENCE])
{
  const check_finding *f = &asset->findings[finding];
  const char *a = asset->body_names[f->body[0]], *b = asset->body_names[f->body[1]], *label = asset->labels[finding];
  int n = f->body[0] == f->body[1] ? snprintf(text, CHECK_SENTENCE, "%.400s intersects itself", a)
                                   : snprintf(text, CHECK_SENTENCE, "%.400s intersects %.400s", a, b);
  n += snprintf(text + n, CHECK_SENTENCE - (size_t)n, ", %g deep, in frames %zu to %zu, worst in frame %zu%s%.400s%s",
                f->depth, f->first, f->last, f->worst, label[0] ? " (" : "", label, label[0] ? ")" : "");
  if (f->known) snprintf(text + n, CHECK_SENTENCE - (size_t)n, "; %g deep in the reference pose", f->known_depth);
  return text;
}

/* The deepest of those that fail, or of all; SIZE_MAX: there is none. */
static size_t worst_of(const check_asset *a)
{
  size_t worst = SIZE_MAX;
  for (size_t i = 0; i < a->finding_count; ++i) {
    if (a->failures && !a->findings[i].fails) continue;
    if (worst == SIZE_MAX || a->findings[i].depth > a->findings[worst].depth) worst = i;
  }
  return worst;
}

void check_write_table(const check_job *job)
{
  printf("%-40s %8s %9s %6s  %s\n", "asset", "frames", "findings", "fail", "worst");
  for (size_t i = 0; i < job->asset_count; ++i) {
    const check_asset *a = &job->assets[i];
    char name[300], text[CHECK_SENTENCE], shown[CHECK_SENTENCE];
    io_show_into(name, sizeof name, a->name);
    if (!a->readable) {
      printf("%-40s %8s %9s %6s  could not be read\n", name, "-", "-", "-");
      continue;
    }
    size_t worst = worst_of(a);
    io_show_into(shown, sizeof shown, worst == SIZE_MAX ? "" : check_sentence(a, worst, text));
    printf("%-40s %8zu %9zu %6zu  %s\n", name, a->frames, a->finding_count, a->failures, shown);
    for (size_t k = 0; job->options.list && k < a->finding_count; ++k) {
      io_show_into(shown, sizeof shown, check_sentence(a, k, text));
      printf("  %s%-8s %s\n", a->findings[k].fails ? "FAIL " : "     ", check_kind(&a->findings[k]), shown);
    }
  }
  printf("%zu asset%s, %zu failing finding%s", job->asset_count, job->asset_count == 1 ? "" : "s", job->failures,
         job->failures == 1 ? "" : "s");
  if (job->unreadable) printf(", %zu could not be read", job->unreadable);
  printf("\n");
}

static void put_finding(json *j, const check_asset *a, size_t i)
{
  const check_finding *f = &a->findings[i];
  json_open(j, '{');
  json_put_text(j, "kind", check_kind(f));
  json_put_bool(j, "fails", f->fails);
  json_put_text(j, "a", a->body_names[f->body[0]]);
  json_put_text(j, "b", a->body_names[f->body[1]]);
  json_put_real(j, "depth", f->depth);
  json_put_real(j, "reference_depth", f->known_depth);
  json_put_real(j, "area", f->area);
  json_put_real(j, "length", f->length);
  json_put_whole(j, "first", f->first);
  json_put_whole(j, "last", f->last);
  json_put_whole(j, "worst", f->worst);
  json_put_text(j, "label", a->labels[i]);
  json_key(j, "at");
  json_open(j, '[');
  for (int k = 0; k < 3; ++k) json_real(j, f->at[k]);
  json_close(j, ']');
  json_close(j, '}');
}

void check_write_json(const check_job *job)
{
  json j = {stdout, false};
  json_open(&j, '{');
  json_put_whole(&j, "failures", job->failures);
  json_put_whole(&j, "unreadable", job->unreadable);
  json_key(&j, "assets");
  json_open(&j, '[');
  for (size_t i = 0; i < job->asset_count; ++i) {
    const check_asset *a = &job->assets[i];
    json_open(&j, '{');
    json_put_text(&j, "asset", a->name);
    json_put_bool(&j, "readable", a->readable);
    json_put_whole(&j, "frames", a->frames);
    json_put_whole(&j, "failures", a->failures);
    json_key(&j, "findings");
    json_open(&j, '[');
    for (size_t k = 0; k < a->finding_count; ++k) put_finding(&j, a, k);
    json_close(&j, ']');
    json_close(&j, '}');
  }
  json_close(&j, ']');
  json_close(&j, '}');
  printf("\n");
}

/* ------------------------------------------------------------------------------------- files -- */

/* Begins to write a file that is whole or not there. */
static bool open_file(io_output *out, const char *path)
{
  io_error error = {0};
  if (io_output_open(out, path, &error)) return true;
  output_complain("%s", error.text);
  return false;
}

static bool close_file(io_output *out)
{
  io_error error = {0};
  if (io_output_close(out, true, &error)) return true;
  output_complain("%s", error.text);
  return false;
}

/* Text in XML: bytes that it does not allow become "?". */
static void put_xml(FILE *file, const char *text)
{
  for (const unsigned char *c = (const unsigned char *)text; *c; ++c) switch (*c) {
    case '&':
      fputs("&amp;", file);
      break;
    case '<':
      fputs("&lt;", file);
      break;
    case '>':
      fputs("&gt;", file);
      break;
    case '"':
      fputs("&quot;", file);
      break;
    default:
      fputc(*c < 32 || *c == 127 ? '?' : *c, file);
    }
}

bool check_write_junit(const check_job *job, const char *path)
{
  io_output out;
  if (!open_file(&out, path)) return false;
  FILE *file = out.file;
  size_t failing = 0;
  for (size_t i = 0; i < job->asset_count; ++i) failing += job->assets[i].failures > 0;
  fprintf(file,
          "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n"
          "<testsuite name=\"pliant check\" tests=\"%zu\" failures=\"%zu\" errors=\"%zu\">\n",
          job->asset_count, failing, job->unreadable);
  for (size_t i = 0; i < job->asset_count; ++i) {
    const check_asset *a = &job->assets[i];
    fputs("<testcase classname=\"pliant.check\" name=\"", file);
    put_xml(file, a->name);
    fputs("\">\n", file);
    if (!a->readable) fputs("<error message=\"could not be read\"/>\n", file);
    if (a->failures)
      fprintf(file, "<failure message=\"%zu intersection%s\">\n", a->failures, a->failures == 1 ? "" : "s");
    for (size_t k = 0; k < a->finding_count; ++k) {
      char text[CHECK_SENTENCE];
      if (!a->findings[k].fails) continue;
      put_xml(file, check_sentence(a, k, text));
      fputs("\n", file);
    }
    if (a->failures) fputs("</failure>\n", file);
    fputs("</testcase>\n", file);
  }
  fputs("</testsuite>\n</testsuites>\n", file);
  return close_file(&out);
}

static void put_result(json *j, const char *rule, const char *text, const char *path)
{
  json_open(j, '{');
  json_put_text(j, "ruleId", rule);
  json_put_text(j, "level", "error");
  json_key(j, "message");
  json_open(j, '{');
  json_put_text(j, "text", text);
  json_close(j, '}');
  json_key(j, "locations");
  json_open(j, '[');
  json_open(j, '{');
  json_key(j, "physicalLocation");
  json_open(j, '{');
  json_key(j, "artifactLocation");
  json_open(j, '{');
  json_put_text(j, "uri", path);
  for (int i = 0; i < 3; ++i) json_close(j, '}');
  json_close(j, ']');
  json_close(j, '}');
}

static void put_driver(json *j)
{
  static const char *const rules[] = {"new", "growing", "known", "unreadable"};
  json_key(j, "tool");
  json_open(j, '{');
  json_key(j, "driver");
  json_open(j, '{');
  json_put_text(j, "name", "pliant check");
  json_put_text(j, "version", pl_version());
  json_key(j, "rules");
  json_open(j, '[');
  for (int i = 0; i < 4; ++i) {
    json_open(j, '{');
    json_put_text(j, "id", rules[i]);
    json_close(j, '}');
  }
  json_close(j, ']');
  json_close(j, '}');
  json_close(j, '}');
}

bool check_write_sarif(const check_job *job, const char *path)
{
  io_output out;
  if (!open_file(&out, path)) return false;
  FILE *file = out.file;
  json j = {file, false};
  json_open(&j, '{');
  json_put_text(&j, "$schema", "https://json.schemastore.org/sarif-2.1.0.json");
  json_put_text(&j, "version", "2.1.0");
  json_key(&j, "runs");
  json_open(&j, '[');
  json_open(&j, '{');
  put_driver(&j);
  json_key(&j, "results");
  json_open(&j, '[');
  for (size_t i = 0; i < job->asset_count; ++i) {
    const check_asset *a = &job->assets[i];
    char text[CHECK_SENTENCE];
    if (!a->readable) put_result(&j, "unreadable", "the file could not be read", a->name);
    for (size_t k = 0; k < a->finding_count; ++k)
      if (a->findings[k].fails) put_result(&j, check_kind(&a->findings[k]), check_sentence(a, k, text), a->name);
  }
  json_close(&j, ']');
  json_close(&j, '}');
  json_close(&j, ']');
  json_close(&j, '}');
  fputs("\n", file);
  return close_file(&out);
}
