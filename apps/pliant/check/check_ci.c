/* Findings for CI: JUnit XML, SARIF 2.1.0, annotations of GitHub. */
#include "check/check.h"
#include "common/output.h"
#include "common/shard.h"
#include "io/output.h"
#include "io/show.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static bool open_file(io_output *out, const char *path)
{
  io_error error = {""};
  if (io_output_open(out, path, &error)) return true;
  output_complain("%s", error.text);
  return false;
}

static bool close_file(io_output *out)
{
  io_error error = {""};
  if (io_output_close(out, !ferror(out->file), &error)) return true;
  output_complain("%s", error.text[0] ? error.text : "a file could not be written");
  return false;
}

/* The first line that says why an asset could not be read. */
static const char *reason(const check_asset *a, char text[CHECK_SENTENCE])
{
  const char *line = a->messages;
  while (line && *line && *line != '!') line = strchr(line, '\n') ? strchr(line, '\n') + 1 : NULL;
  size_t length = line && *line ? strcspn(line + 1, "\n") : 0;
  if (length >= CHECK_SENTENCE) length = CHECK_SENTENCE - 1;
  snprintf(text, CHECK_SENTENCE, "%.*s", (int)length, length ? line + 1 : "");
  return length ? text : "it could not be read";
}

/* ------------------------------------------------------------------------------------- JUnit -- */

/* The length of a UTF-8 character that XML allows at *c; 0: there is none. */
static int xml_length(const unsigned char *c)
{
  if (c[0] < 0x80) return c[0] >= 32 && c[0] != 127 ? 1 : 0;
  int n = c[0] >= 0xf0 && c[0] < 0xf5 ? 4 : c[0] >= 0xe0 && c[0] < 0xf0 ? 3 : c[0] >= 0xc2 && c[0] < 0xe0 ? 2 : 0;
  for (int i = 1; i < n; ++i)
    if ((c[i] & 0xc0) != 0x80) return 0;
  if (n == 3 && ((c[0] == 0xe0 && c[1] < 0xa0) || (c[0] == 0xed && c[1] >= 0xa0))) return 0;
  if (n == 3 && c[0] == 0xef && c[1] == 0xbf && c[2] >= 0xbe) return 0;
  if (n == 4 && ((c[0] == 0xf0 && c[1] < 0x90) || (c[0] == 0xf4 && c[1] >= 0x90))) return 0;
  return n;
}

/* Text in XML: bytes that it does not allow become "?". */
static void put_xml(FILE *file, const char *text)
{
  const unsigned char *c = (const unsigned char *)text;
  while (*c) {
    int n = xml_length(c);
    const char *name = *c == '&' ? "&amp;" : *c == '<' ? "&lt;" : *c == '>' ? "&gt;" : *c == '"' ? "&quot;" : NULL;
    if (name)
      fputs(name, file);
    else if (n)
      fwrite(c, 1, (size_t)n, file);
    else
      fputc('?', file);
    c += n ? n : 1;
  }
}

static void put_case(FILE *file, const check_asset *a)
{
  char text[CHECK_SENTENCE];
  fputs("<testcase classname=\"pliant.check\" name=\"", file);
  put_xml(file, a->name);
  fputs("\" time=\"0\">\n", file);
  if (!a->readable) {
    fputs("<error type=\"unreadable\" message=\"", file);
    put_xml(file, reason(a, text));
    fputs("\"/>\n", file);
  }
  if (a->failures) {
    fprintf(file, "<failure type=\"intersection\" message=\"%zu intersection%s\">", a->failures,
            a->failures == 1 ? "" : "s");
    for (size_t k = 0; k < a->finding_count; ++k) {
      if (!a->findings[k].fails) continue;
      put_xml(file, check_sentence(a, &a->findings[k], text));
      fputs("\n", file);
    }
    fputs("</failure>\n", file);
  }
  fputs("</testcase>\n", file);
}

bool check_write_junit(const check_job *job, const char *path)
{
  io_output out;
  size_t failing = 0, count = job->end - job->begin;
  if (!open_file(&out, path)) return false;
  for (size_t i = job->begin; i < job->end; ++i) failing += job->assets[i].failures > 0;
  fprintf(out.file,
          "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
          "<testsuites name=\"pliant check\" tests=\"%zu\" failures=\"%zu\" errors=\"%zu\">\n"
          "<testsuite name=\"pliant check\" tests=\"%zu\" failures=\"%zu\" errors=\"%zu\" skipped=\"0\" time=\"0\">\n",
          count, failing, job->unreadable, count, failing, job->unreadable);
  for (size_t i = job->begin; i < job->end; ++i) put_case(out.file, &job->assets[i]);
  fputs("</testsuite>\n</testsuites>\n", out.file);
  return close_file(&out);
}

/* ------------------------------------------------------------------------------------- SARIF -- */

static const struct {
  const char *id, *text;
} rules[] = {{"new", "An intersection that neither the reference pose nor the baseline has."},
             {"growing", "An intersection that is deeper than it is known to be by more than a tenth."},
             {"known", "An intersection that the reference pose or the baseline has."},
             {"unreadable", "An asset that could not be read, and so was not checked."}};
enum { RULES = sizeof rules / sizeof *rules };

static void put_text(json *j, const char *key, const char *text)
{
  json_put_open(j, key, '{');
  json_put_text(j, "text", text);
  json_close(j, '}');
}

/* A path as a URI: from the working folder, or file:// in front. */
static void put_uri(json *j, const char *path)
{
  char *text = NULL;
  size_t size;
  FILE *to = open_memstream(&text, &size);
  if (!to) return;
  if (*path == '/') fputs("file://", to);
  while (strncmp(path, "./", 2) == 0) path += 2;
  for (const unsigned char *c = (const unsigned char *)path; *c; ++c)
    if (isalnum(*c) || strchr("/-._~", *c))
      fputc(*c, to);
    else
      fprintf(to, "%%%02X", *c);
  fclose(to);
  json_put_text(j, "uri", text);
  free(text);
}

/* The same as long as it is the same place: names, not numbers. */
static void put_fingerprint(json *j, const check_asset *a, const check_finding *f)
{
  char name[CHECK_NAME], text[20];
  uint64_t hash = shard_hash(SHARD_HASH_BEGIN, a->name, strlen(a->name) + 1);
  if (f) hash = shard_hash(hash, f->animation, strlen(f->animation) + 1);
  const char *place = f ? check_name(f, name) : ""; /* before its length is asked for */
  hash = shard_hash(hash, place, strlen(place));
  snprintf(text, sizeof text, "%016" PRIx64, hash);
  json_put_open(j, "partialFingerprints", '{');
  json_put_text(j, "pliant/v1", text);
  json_close(j, '}');
}

/* finding: NULL: the asset could not be read. */
static void put_result(json *j, const check_asset *a, const check_finding *f)
{
  char text[CHECK_SENTENCE];
  const char *rule = f ? check_kind(f) : "unreadable";
  json_open(j, '{');
  json_put_text(j, "ruleId", rule);
  for (uint64_t i = 0; i < RULES; ++i)
    if (strcmp(rules[i].id, rule) == 0) json_put_whole(j, "ruleIndex", i);
  json_put_text(j, "level", "error");
  put_text(j, "message", f ? check_sentence(a, f, text) : reason(a, text));
  json_put_open(j, "locations", '[');
  json_open(j, '{');
  json_put_open(j, "physicalLocation", '{');
  json_put_open(j, "artifactLocation", '{');
  put_uri(j, a->name);
  for (int i = 0; i < 3; ++i) json_close(j, '}');
  json_close(j, ']');
  put_fingerprint(j, a, f);
  json_close(j, '}');
}

static void put_driver(json *j)
{
  json_put_open(j, "tool", '{');
  json_put_open(j, "driver", '{');
  json_put_text(j, "name", "pliant check");
  json_put_text(j, "version", pl_version());
  json_put_open(j, "rules", '[');
  for (int i = 0; i < RULES; ++i) {
    json_open(j, '{');
    json_put_text(j, "id", rules[i].id);
    put_text(j, "shortDescription", rules[i].text);
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
  json j = {out.file, false};
  json_open(&j, '{');
  json_put_text(&j, "$schema", "https://json.schemastore.org/sarif-2.1.0.json");
  json_put_text(&j, "version", "2.1.0");
  json_put_open(&j, "runs", '[');
  json_open(&j, '{');
  put_driver(&j);
  json_put_open(&j, "results", '[');
  for (size_t i = job->begin; i < job->end; ++i) {
    const check_asset *a = &job->assets[i];
    if (!a->readable) put_result(&j, a, NULL);
    for (size_t k = 0; k < a->finding_count; ++k)
      if (a->findings[k].fails) put_result(&j, a, &a->findings[k]);
  }
  json_close(&j, ']');
  json_close(&j, '}');
  json_close(&j, ']');
  json_close(&j, '}');
  fputs("\n", out.file);
  return close_file(&out);
}

/* ------------------------------------------------------------------------------------ GitHub -- */

static void put_command(const char *text, bool property)
{
  for (const char *c = text; *c; ++c)
    if (*c == '%' || *c == '\n' || *c == '\r' || (property && (*c == ':' || *c == ',')))
      printf("%%%02X", (unsigned char)*c);
    else
      putchar(*c);
}

/* Only newlines have an escape there, and logs are read on terminals. */
static void put_shown(const char *text, bool property)
{
  char shown[CHECK_SENTENCE];
  io_show_into(shown, sizeof shown, text);
  put_command(shown, property);
}

static void put_annotation(const char *path, const char *title, const char *text)
{
  fputs("::error file=", stdout);
  put_shown(path, true);
  fputs(",title=", stdout);
  put_shown(title, true);
  fputs("::", stdout);
  put_shown(text, false);
  putchar('\n');
}

void check_write_github(const check_job *job)
{
  char text[CHECK_SENTENCE], name[CHECK_NAME];
  for (size_t i = job->begin; i < job->end; ++i) {
    const check_asset *a = &job->assets[i];
    if (!a->readable) put_annotation(a->name, "not checked", reason(a, text));
    for (size_t k = 0; k < a->finding_count; ++k)
      if (a->findings[k].fails)
        put_annotation(a->name, check_name(&a->findings[k], name), check_sentence(a, &a->findings[k], text));
  }
}
