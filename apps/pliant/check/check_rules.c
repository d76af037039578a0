/* Rules: what fails, of the command line and of the text file beside an asset (NAME.check), and
 * the verdict on every finding. */
#include "check/check.h"
#include "common/output.h"
#include "io/reader.h"

#include <ctype.h>
#include <errno.h>
#include <fnmatch.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

const char *const check_fail_words[] = {"new", "growing", "any", "none", NULL};

static const struct {
  const char *word;
  double metres;
} units[] = {{"m", 1}, {"cm", 0.01}, {"mm", 0.001}, {"in", 0.0254}, {"ft", 0.3048}};

static double metres_of(const char *word)
{
  for (size_t i = 0; i < sizeof units / sizeof *units; ++i)
    if (strcmp(word, units[i].word) == 0) return units[i].metres;
  return 0;
}

bool check_measure_parse(const char *word, int power, check_measure *out)
{
  char *end, unit[8];
  double value = strtod(word, &end);
  if (end == word || !(value >= 0) || value > 1e300) return false;
  *out = (check_measure){value, *end != '\0'};
  if (!*end) return true;
  size_t length = strlen(end);
  if (length >= sizeof unit) return false;
  memcpy(unit, end, length + 1);
  if (power == 2) { /* cm2 */
    if (unit[length - 1] != '2') return false;
    unit[length - 1] = '\0';
  }
  out->value *= pow(metres_of(unit), power);
  return metres_of(unit) > 0;
}

const check_rules *check_rules_of(const check_job *job, const check_asset *asset)
{
  return asset->rules ? asset->rules : &job->options.rules;
}

/* -------------------------------------------------------------------------------------- file -- */

static bool set_word(check_rules *r, const char *value)
{
  for (int i = 0; check_fail_words[i]; ++i)
    if (strcmp(value, check_fail_words[i]) == 0) return r->fail_on = i, true;
  return false;
}

static bool set_number(const char *value, double *out)
{
  char *end;
  *out = strtod(value, &end);
  return end != value && !*end && *out > 0 && *out <= 1e6;
}

static bool set_units(check_rules *r, const char *value)
{
  r->metres = metres_of(value);
  return r->metres > 0;
}

static bool set_ignore(check_rules *r, const char *value)
{
  if (!*value || r->ignore.count == OPTIONS_MOST_VALUES) return false;
  r->ignore.values[r->ignore.count++] = value;
  return true;
}

static bool set_rule(check_rules *r, const char *key, const char *value)
{
  if (strcmp(key, "fail-on") == 0) return set_word(r, value);
  if (strcmp(key, "depth") == 0) return check_measure_parse(value, 1, &r->depth);
  if (strcmp(key, "area") == 0) return check_measure_parse(value, 2, &r->area);
  if (strcmp(key, "fps") == 0) return set_number(value, &r->fps);
  if (strcmp(key, "units") == 0) return set_units(r, value);
  if (strcmp(key, "ignore") == 0) return set_ignore(r, value);
  return strcmp(key, "between") == 0 && !*value ? (r->between = true) : false;
}

/* "key value", without what surrounds them; the line is cut up. */
static bool take_rule(check_rules *r, char *line)
{
  while (isspace((unsigned char)*line)) ++line;
  size_t length = strlen(line);
  while (length > 0 && isspace((unsigned char)line[length - 1])) line[--length] = '\0';
  if (!*line || *line == '#') return true;
  char *value = line + strcspn(line, " \t");
  if (*value) *value++ = '\0';
  while (isspace((unsigned char)*value)) ++value;
  return set_rule(r, line, value);
}

static bool read_rules(check_rules *r, const char *path)
{
  char *line = r->text;
  for (size_t number = 1; line; ++number) {
    char *end = strchr(line, '\n');
    if (end) *end = '\0';
    if (!take_rule(r, line)) {
      output_complain("%s, line %zu: a rule is fail-on new|growing|any|none, depth 2mm, area 4cm2, between, "
                      "ignore PATTERN, ignore A,B, fps N or units m|cm|mm|in|ft",
                      path, number);
      return false;
    }
    line = end ? end + 1 : NULL;
  }
  return true;
}

bool check_rules_read(check_asset *asset, const check_rules *base)
{
  size_t room = strlen(asset->name) + sizeof ".check";
  char *path = malloc(room);
  io_source file = {0};
  io_error error;
  if (!path) return output_complain("out of memory"), false;
  snprintf(path, room, "%s.check", asset->name);
  FILE *there = fopen(path, "rb");
  bool good = true, exists = there || errno != ENOENT;
  if (there) fclose(there);
  if (exists) {
    good = io_file_load(path, &file, &error);
    if (!good) output_complain("%s", error.text);
    asset->rules = good ? malloc(sizeof *asset->rules) : NULL;
    if (asset->rules) {
      *asset->rules = *base;
      asset->rules->text = strndup(file.data, file.size);
      good = asset->rules->text && read_rules(asset->rules, path);
    }
    if (good && !asset->rules) good = false, output_complain("out of memory");
    io_file_unload(&file);
  }
  free(path);
  return good;
}

/* ------------------------------------------------------------------------------------ ignore -- */

bool check_ignores_body(const check_rules *rules, const char *name)
{
  for (int i = 0; i < rules->ignore.count; ++i)
    if (fnmatch(rules->ignore.values[i], name, 0) == 0) return true;
  return false;
}

static bool names_side(const char *pattern, const check_side *side)
{
  return fnmatch(pattern, side->body, 0) == 0 || (side->bone[0] && fnmatch(pattern, side->bone, 0) == 0) ||
         (side->material[0] && fnmatch(pattern, side->material, 0) == 0);
}

/* "A,B" in either order; a name may have commas, so each of them may be the one that divides. */
static bool is_ignored(const check_rules *rules, const check_finding *f)
{
  for (int i = 0; i < rules->ignore.count; ++i) {
    const char *both = rules->ignore.values[i];
    for (const char *comma = strchr(both, ','); comma; comma = strchr(comma + 1, ',')) {
      char first[256];
      size_t length = (size_t)(comma - both);
      if (length >= sizeof first) break;
      memcpy(first, both, length);
      first[length] = '\0';
      if (names_side(first, &f->side[0]) && names_side(comma + 1, &f->side[1])) return true;
      if (names_side(first, &f->side[1]) && names_side(comma + 1, &f->side[0])) return true;
    }
  }
  return false;
}

/* ----------------------------------------------------------------------------------- verdict -- */

static double in_units(const check_measure *m, const check_asset *a, int power)
{
  double unit = a->metres > 0 ? a->metres : 1;
  return m->metric ? m->value / pow(unit, power) : m->value;
}

bool check_grows(const check_finding *f) { return f->depth > 1.1 * f->known_depth; }

static bool fails(const check_rules *r, const check_asset *a, const check_finding *f)
{
  if (f->ignored || f->depth < in_units(&r->depth, a, 1) || f->area < in_units(&r->area, a, 2)) return false;
  return r->fail_on == CHECK_ANY || (r->fail_on == CHECK_NEW && !f->known) ||
         (r->fail_on == CHECK_GROWING && (!f->known || check_grows(f)));
}

static void judge_asset(check_job *job, check_asset *a)
{
  const check_rules *rules = check_rules_of(job, a);
  check_accepted *accepted = check_baseline_of(job, a);
  a->in_baseline = accepted != NULL;
  for (size_t i = 0; i < a->finding_count; ++i) {
    check_finding *f = &a->findings[i];
    double depth = accepted ? check_baseline_depth(accepted, a, f) : -1;
    f->known = accepted ? depth >= 0 : f->at_rest;
    f->known_depth = accepted ? fmax(depth, 0) : f->rest_depth;
    f->ignored = is_ignored(rules, f);
    f->fails = !job->writes_baseline && fails(rules, a, f);
    a->failures += f->fails;
    a->ignored += f->ignored;
  }
  for (size_t i = 0; accepted && i < accepted->count; ++i) a->fixed += !accepted->entries[i].seen;
}

void check_judge(check_job *job)
{
  job->failures = job->unreadable = job->ignored = job->fixed = 0;
  for (size_t i = job->begin; i < job->end; ++i) {
    check_asset *a = &job->assets[i];
    a->failures = a->ignored = a->fixed = 0;
    if (a->readable) judge_asset(job, a);
    job->failures += a->failures;
    job->ignored += a->ignored;
    job->fixed += a->fixed;
    job->unreadable += !a->readable;
  }
}
