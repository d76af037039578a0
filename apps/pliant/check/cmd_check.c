/* `pliant check`: which assets have intersections that their reference pose does not have, where
 * and when; for CI. */
#include "check/check.h"
#include "common/command.h"
#include "common/folders.h"
#include "common/output.h"
#include "common/shard.h"
#include "common/viewer.h"
#include "io/output.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static const char *const unit_words[] = {"auto", "m", "cm", "mm", "in", "ft", NULL};
static const double unit_metres[] = {0, 1, 0.01, 0.001, 0.0254, 0.3048};

#define AT(member) .offset = offsetof(check_options, member)

static const option rule_table[] = {
    {.name = "fail-on",
     .kind = OPTION_WORD,
     AT(fail_on),
     .words = check_fail_words,
     .help = "which intersections fail: those that the reference pose does not have (new, the default), also those "
             "that are deeper than "
             "there by more than a tenth (growing), all (any), or none. The reference pose is the rest pose of a glTF "
             "scene, and the "
             "first frame of a sequence"},
    {.name = "depth",
     .kind = OPTION_TEXT,
     AT(depth),
     .value = "D",
     .help = "only intersections that are at least so deep fail: 2mm, 0.5cm, or a length in units of the file"},
    {.name = "area",
     .kind = OPTION_TEXT,
     AT(area),
     .value = "A",
     .help = "only those that cut off at least this area: 4cm2, or in squares of the file's units"},
    {.name = "units",
     .kind = OPTION_WORD,
     AT(units),
     .words = unit_words,
     .help = "what a unit of the files is; auto, the default: metres in glTF, not known in others"},
    {.name = "between",
     .kind = OPTION_FLAG,
     AT(rules.between),
     .help = "also intersections of different bodies of an asset"},
    {.name = "ignore",
     .kind = OPTION_LIST,
     AT(rules.ignore),
     .value = "NAME|A,B",
     .help =
         "leave out bodies whose names match (* and ? are allowed), or with A,B intersections of A with B, each the "
         "name of a body, bone or material; may be repeated"},
    {.name = "baseline",
     .kind = OPTION_TEXT,
     AT(baseline),
     .value = "FILE",
     .help = "compare with the intersections in FILE instead of the reference pose; if FILE is not there, write it: "
             "what there is now is then accepted"},
    {.name = "update-baseline",
     .kind = OPTION_FLAG,
     AT(update_baseline),
     .help =
         "write FILE although it is there: accept what there is now. Assets that this run does not have stay in it"},
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
    {.name = "json",
     .letter = 'j',
     .kind = OPTION_FLAG,
     AT(json),
     .help = "a line of JSON for each asset instead of the table"},
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
    {.name = "github",
     .kind = OPTION_FLAG,
     AT(github),
     .help = "also annotations for GitHub, a line for each failing finding, below the table"},
    {.name = "index",
     .kind = OPTION_TEXT,
     AT(index),
     .value = "FOLDER",
     .help = "also FOLDER/index.html: a card for each asset with intersections, the worst first, with pictures and a "
             "player of its worst frame"},
    {.name = "page",
     .kind = OPTION_TEXT,
     AT(page),
     .value = "PAGE.html",
     .help = "the viewer that players are made of, as for pliant view"},
    {.name = "resume",
     .kind = OPTION_TEXT,
     AT(resume),
     .value = "FILE",
     .help = "log every finished asset in FILE, and do not play again what FILE has of files that have not changed"},
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
        "followed from frame to frame; each is one finding, named by what meets there (LeftHand in LeftUpLeg), with "
        "its "
        "depth in its worst frame. NAME.check beside an asset NAME has rules of its own, a line each: fail-on growing, "
        "depth 2mm, area 4cm2, between, ignore A,B, fps 24, units cm.\n\nExit code 1: a finding fails; 2: none does, "
        "but "
        "something could not be read, or was not looked at.",
    .examples = "  pliant check assets/\n"
                "  pliant check character.glb --fail-on growing --depth 2mm\n"
                "  pliant check assets/ --between --ignore 'Hair*' --junit check.xml --sarif check.sarif\n"
                "  pliant check assets/ --baseline accepted.txt --fail-on growing --resume check.log\n"
                "  pliant check 'shots/*.glb' --json > findings.json\n",
};

static int check_options_of(check_options *o)
{
  if (o->depth && !check_measure_parse(o->depth, 1, &o->rules.depth))
    return options_refuse("check", "--depth %s is no length: 2mm, 0.5cm or 0.002 are", o->depth);
  if (o->area && !check_measure_parse(o->area, 2, &o->rules.area))
    return options_refuse("check", "--area %s is no area: 4cm2, 90mm2 or 0.002 are", o->area);
  if (o->update_baseline && !o->baseline) return options_refuse("check", "--update-baseline wants --baseline FILE");
  if (o->github && o->json) return options_refuse("check", "--github goes with the table, not with --json");
  o->rules.fail_on = o->fail_on;
  o->rules.metres = unit_metres[o->units];
  if (o->junit || o->sarif || o->baseline || o->index) shard_want_replay();
  int code = shard_check("check", o->json);
  if (code == OPTIONS_GO_ON)
    code = shard_refuse("check", o->resume != NULL, "--resume", "a part that is incomplete is run again");
  return code;
}

/* What is checked: the same on all machines. */
static uint64_t hash_files(const check_job *job)
{
  uint64_t hash = SHARD_HASH_BEGIN;
  for (size_t i = 0; i < job->names.count; ++i) hash = shard_hash_file(hash, job->names.paths[i]);
  return hash;
}

/* What the parts have found. */
static bool replay(check_job *job)
{
  for (shard_record record; shard_next(&record);) {
    char *copy = record.frame < job->end && record.kept ? strdup(record.kept) : NULL, *line = copy;
    int state = copy ? 0 : -1;
    while (state == 0 && line) {
      char *end = strchr(line, '\n');
      if (end) *end = '\0';
      state = check_record_take(&job->assets[record.frame], line);
      line = end ? end + 1 : NULL;
    }
    free(copy);
    if (state != 1) return output_complain("a part has an asset that cannot be read"), false;
  }
  return true;
}

/* What workers had to say, in the order of the assets. */
static void tell_messages(const check_job *job)
{
  for (size_t i = job->begin; i < job->end; ++i)
    for (const char *line = job->assets[i].messages; line && *line;) {
      size_t length = strcspn(line, "\n");
      int shown = (int)length - 1;
      if (line[0] == '!') output_complain("%.*s", shown, line + 1);
      if (line[0] == '-') output_note("%.*s", shown, line + 1);
      if (line[0] == '?') output_unchecked("%.*s", shown, line + 1);
      line += length + (line[length] == '\n');
    }
}

/* The lines of a shard, with all that `merge` needs for the other outputs. */
static bool write_lines(const check_job *job)
{
  for (size_t i = job->begin; i < job->end; ++i) {
    const check_asset *a = &job->assets[i];
    char *kept = NULL;
    size_t size;
    FILE *file = shard_is_on() ? open_memstream(&kept, &size) : NULL;
    check_write_json(a);
    if (file) check_record_write(file, a, 0);
    if (file) fclose(file);
    shard_keep(kept);
    bool good = shard_frame(i, (double)a->failures, NULL);
    free(kept);
    if (!good) return false;
  }
  return true;
}

static bool write_all(check_job *job)
{
  const check_options *o = &job->options;
  bool good = true;
  if (o->json)
    good = write_lines(job);
  else
    check_write_table(job);
  if (o->github) check_write_github(job);
  good = output_finish() && good;
  if (shard_is_on() && !shard_replays()) return good; /* `merge` writes the files */
  if (o->junit) good = check_write_junit(job, o->junit) && good;
  if (o->sarif) good = check_write_sarif(job, o->sarif) && good;
  if (o->index) good = check_index_write(job) && good;
  if (job->writes_baseline) good = check_baseline_write(job) && good;
  if (good && job->writes_baseline) output_note("%s was written: what it has is accepted from now on", o->baseline);
  return good;
}

/* What is there and no regular file, such as a pipe, is only opened to be written. */
static bool may_be_written(const char *path)
{
  io_output out;
  io_error error = {""};
  struct stat what;
  if (!path || (stat(path, &what) == 0 && !S_ISREG(what.st_mode) && !S_ISDIR(what.st_mode))) return true;
  bool good = io_output_open(&out, path, &error);
  if (good) io_output_close(&out, false, &error);
  return good || (output_complain("%s", error.text), false);
}

/* Nobody wants to hear after hours of playing that a folder is not there. */
static bool may_write_all(const check_job *job)
{
  const check_options *o = &job->options;
  if (shard_is_on() && !shard_replays()) return true; /* `merge` writes the files */
  return may_be_written(o->junit) && may_be_written(o->sarif) &&
         may_be_written(job->writes_baseline ? o->baseline : NULL) &&
         (!o->index || (viewer_is_there(o->page) && may_make_directories(o->index)));
}

static int run(check_job *job)
{
  if (!check_baseline_read(job) || !may_write_all(job) ||
      !shard_begin("check", hash_files(job), &job->begin, &job->end))
    return EXIT_ERROR;
  bool good = shard_replays() ? replay(job) : check_log_open(job) && check_run(job);
  good = check_log_close() && good;
  if (!good) return output_give_up();
  check_judge(job);
  if (!shard_replays()) tell_messages(job);
  good = write_all(job);
  if (!good) return shard_end(EXIT_ERROR);
  if (shard_replays()) return EXIT_DONE; /* the codes of the parts count */
  int code = job->unreadable && !job->failures && !job->options.allow_unreadable
                 ? EXIT_ERROR
                 : output_verdict(true, job->options.stage.allow_unchecked, job->failures > 0);
  return shard_end(code);
}

int cmd_check(int argc, char **argv)
{
  check_job job = {0};
  const option_group groups[] = {
      {"What fails", rule_table, OPTION_COUNT(rule_table), &job.options},
      {"Output", output_table, OPTION_COUNT(output_table), &job.options},
      {"What is played", play_table, OPTION_COUNT(play_table), &job.options},
      shard_group(),
  };
  arguments paths;
  int code = options_parse(&text, groups, OPTION_COUNT(groups), argc, argv, &paths);
  if (code == OPTIONS_GO_ON) code = check_options_of(&job.options);
  if (code == OPTIONS_GO_ON) code = check_find_assets(&job, &paths);
  if (code == OPTIONS_GO_ON) code = run(&job);
  check_free(&job);
  return code;
}
