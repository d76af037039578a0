/* `pliant check`: which assets have intersections that their reference pose does not have, where
 * and when; for CI. */
#include "check/check.h"
#include "common/command.h"
#include "common/output.h"
#include "common/progress.h"

#include <stdlib.h>
#include <string.h>

static const char *const rule_words[] = {"new", "growing", "any", "none", NULL};

#define AT(member) .offset = offsetof(check_options, member)

static const option rule_table[] = {
    {.name = "fail-on",
     .kind = OPTION_WORD,
     AT(rule),
     .words = rule_words,
     .help = "which intersections fail: those that the reference pose does not have (new, the default), also those "
             "that are deeper than "
             "there by more than a tenth (growing), all (any), or none. The reference pose is the rest pose of a glTF "
             "scene, and the "
             "first frame of a sequence"},
    {.name = "depth",
     .kind = OPTION_TEXT,
     AT(depth),
     .value = "D",
     .help = "only intersections that are at least so deep fail: a length in units of the file, or with mm, cm or m "
             "where these are metres, "
             "as in glTF"},
    {.name = "area",
     .kind = OPTION_TEXT,
     AT(area),
     .value = "A",
     .help = "only those that cut off at least this area, in squares of the file's units"},
    {.name = "between", .kind = OPTION_FLAG, AT(between), .help = "also intersections of different bodies of an asset"},
    {.name = "ignore",
     .kind = OPTION_LIST,
     AT(ignore),
     .value = "PATTERN",
     .help = "leave out bodies whose names match; may be repeated"},
    {.name = "allow-unreadable",
     .kind = OPTION_FLAG,
     AT(allow_unreadable),
     .help = "an asset that cannot be read is reported, but no error"},
    {.name = "allow-unchecked",
     .kind = OPTION_FLAG,
     AT(stage.allow_unchecked),
     .help = "parts of files that are not looked at, such as other scenes, are no error"},
};

static const option output_table[] = {
    {.name = "json", .letter = 'j', .kind = OPTION_FLAG, AT(json), .help = "one JSON object instead of the table"},
    {.name = "list", .letter = 'l', .kind = OPTION_FLAG, AT(list), .help = "all findings below each asset"},
    {.name = "junit",
     .kind = OPTION_TEXT,
     AT(junit),
     .value = "OUT.xml",
     .help = "also JUnit XML, a test case for each asset"},
    {.name = "sarif",
     .kind = OPTION_TEXT,
     AT(sarif),
     .value = "OUT.sarif",
     .help = "also SARIF 2.1.0, a result for each failing finding"},
};

static const option play_table[] = {
    {.name = "fps",
     .kind = OPTION_REAL,
     AT(stage.fps),
     .value = "N",
     .low = 1e-6,
     .high = 1e6,
     .help = "frames per second of animations, 30 if not given"},
    {.name = "no-weld",
     .kind = OPTION_FLAG,
     AT(no_weld),
     .help = "vertices at the same position are different ones: both sides of a seam then intersect"},
    {.name = "allow-outside",
     .kind = OPTION_FLAG,
     AT(stage.allow_outside),
     .help = "also read files that a .gltf names outside its folder; only for scenes that you trust"},
    {.name = "threads",
     .letter = 't',
     .kind = OPTION_WHOLE,
     AT(threads),
     .value = "N",
     .low = 0,
     .high = 256,
     .help = "threads to use; 0, or not given: all cores. The answer is the same"},
};

static const command_text text = {
    .name = "check",
    .usage = "pliant check [OPTIONS] PATH...",
    .about =
        "Which assets have intersections that they should not have, where and when. PATH is a mesh file or a glTF "
        "scene, a "
        "folder (with all folders below it), or a pattern in quotes. Every animation of a scene is played, and every "
        "body is compared with itself. Numbered mesh files are the frames of one asset.\n\nConnected intersections are "
        "followed from frame to frame; each is one finding, with its depth in its worst frame. Exit code 1: a finding "
        "fails; 2: something could not be read, or was not looked at.",
    .examples = "  pliant check assets/\n"
                "  pliant check character.glb --fail-on growing --depth 2mm\n"
                "  pliant check assets/ --between --ignore 'Hair*' --junit check.xml --sarif check.sarif\n"
                "  pliant check 'shots/*.glb' --json > findings.json\n",
};

/* "2mm", "0.5cm", "1e-3m", "0.002". */
static bool parse_length(const char *word, double *out)
{
  static const struct {
    const char *unit;
    double metres;
  } units[] = {{"", 1}, {"m", 1}, {"cm", 0.01}, {"mm", 0.001}};
  if (!word) return true;
  char *end;
  double value = strtod(word, &end);
  if (end == word || !(value >= 0) || value > 1e300) return false;
  for (size_t i = 0; i < sizeof units / sizeof *units; ++i)
    if (strcmp(end, units[i].unit) == 0) return *out = value * units[i].metres, true;
  return false;
}

static int check_options_of(check_options *o)
{
  char *end;
  if (!parse_length(o->depth, &o->least_depth))
    return options_refuse("check", "--depth %s is no length: 2mm, 0.5cm or 0.002 are", o->depth);
  if (!o->area) return OPTIONS_GO_ON;
  o->least_area = strtod(o->area, &end);
  if (end == o->area || *end || !(o->least_area >= 0))
    return options_refuse("check", "--area %s is no number from 0 on", o->area);
  return OPTIONS_GO_ON;
}

static int run(check_job *job)
{
  progress bar = progress_begin("assets", job->asset_count, false);
  for (size_t i = 0; i < job->asset_count; ++i) {
    if (!check_play(job, &job->assets[i])) ++job->unreadable;
    job->failures += job->assets[i].failures;
    progress_step(&bar, i + 1);
  }
  progress_end(&bar);
  job->options.json ? check_write_json(job) : check_write_table(job);
  bool good = output_finish();
  if (job->options.junit) good = check_write_junit(job, job->options.junit) && good;
  if (job->options.sarif) good = check_write_sarif(job, job->options.sarif) && good;
  int code = output_verdict(true, job->options.stage.allow_unchecked, job->failures > 0);
  if (!good || (job->unreadable && !job->options.allow_unreadable)) return EXIT_ERROR;
  return code;
}

int cmd_check(int argc, char **argv)
{
  check_job job = {.options = {.rule = CHECK_NEW}};
  const option_group groups[] = {
      {"What fails", rule_table, OPTION_COUNT(rule_table), &job.options},
      {"Output", output_table, OPTION_COUNT(output_table), &job.options},
      {"What is played", play_table, OPTION_COUNT(play_table), &job.options},
  };
  arguments paths;
  int code = options_parse(&text, groups, OPTION_COUNT(groups), argc, argv, &paths);
  if (code == OPTIONS_GO_ON) code = check_options_of(&job.options);
  if (code == OPTIONS_GO_ON) code = check_find_assets(&job, &paths);
  if (code == OPTIONS_GO_ON) code = run(&job);
  check_free(&job);
  return code;
}
