/* `pliant merge`: the parts of a run become the output of the undivided run. */
#include "common/command.h"
#include "common/options.h"
#include "common/output.h"
#include "merge/part.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct merge_options {
  bool missing;
} merge_options;

static const option table[] = {
    {.name = "missing",
     .letter = 'm',
     .kind = OPTION_FLAG,
     .offset = offsetof(merge_options, missing),
     .help = "only print the numbers of the parts that are missing or incomplete, with commas between (as sbatch "
             "--array takes them); nothing if all are there"},
};

static const command_text text = {
    .name = "merge",
    .usage = "pliant merge [OPTIONS] PART...",
    .about =
        "Joins the parts that a command with --shard has written, each to a file of its own, and prints what the "
        "undivided run with --no-costs prints. Parts may be named in any order. Missing, incomplete or duplicate "
        "parts, and parts of another run, are refused.\n\n"
        "If the run has a --report or a --plot, merge writes it; it reads the meshes again for the pictures, so they "
        "have to be where they were.\n\n"
        "The exit code is that of the undivided run.",
    .examples = "  for i in 1 2 3; do pliant self frames/ --json --shard $i/3 > part-$i & done; wait\n"
                "  pliant merge part-* > contacts.json\n"
                "  pliant merge --missing part-*\n",
};

typedef struct merge_job {
  merge_options options;
  part *parts; /* as given; sorted by number once they are checked */
  size_t count;
} merge_job;

/* ------------------------------------------------------------------------------------- check -- */

static bool refuse_part(const part *p)
{
  if (p->state == PART_NONE)
    output_complain("%s %s", p->path, p->why);
  else
    output_complain("%s (part %zu of %zu) %s", p->path, p->index, p->count, p->why);
  return false;
}

/* All parts with a head are of the run of the first of them. */
static const part *check_run(const merge_job *job)
{
  const part *first = NULL;
  for (size_t i = 0; i < job->count; ++i) {
    const part *p = &job->parts[i];
    if (p->state == PART_NONE) continue;
    if (!first) first = p;
    if (p->count != first->count) {
      output_complain("%s is part %zu of %zu, but %s is part %zu of %zu", p->path, p->index, p->count, first->path,
                      first->index, first->count);
      return NULL;
    }
    if (p->key != first->key || p->words_key != first->words_key || strcmp(p->command, first->command) != 0 ||
        p->whole[0] != first->whole[0] || p->whole[1] != first->whole[1]) {
      output_complain("%s is a part of another run than %s: their options, files or versions differ", p->path,
                      first->path);
      return NULL;
    }
  }
  if (!first) refuse_part(&job->parts[0]);
  return first;
}

static int compare_parts(const void *x, const void *y)
{
  const part *a = x, *b = y;
  return (a->index > b->index) - (a->index < b->index);
}

static bool check_twice(const merge_job *job)
{
  for (size_t i = 1; i < job->count; ++i) {
    const part *p = &job->parts[i], *before = p - 1;
    if (p->state == PART_NONE || before->state == PART_NONE || p->index != before->index) continue;
    output_complain("part %zu of %zu is there twice: %s and %s", p->index, p->count, before->path, p->path);
    return false;
  }
  return true;
}

/* The next number from `from` on that no whole part has; 0: none. Parts are sorted. */
static size_t next_missing(const merge_job *job, size_t from, size_t count)
{
  for (size_t number = from; number <= count; ++number) {
    bool found = false;
    for (size_t i = 0; i < job->count && !found; ++i)
      found = job->parts[i].state == PART_WHOLE && job->parts[i].index == number;
    if (!found) return number;
  }
  return 0;
}

static bool check_all(const merge_job *job, size_t count)
{
  for (size_t i = 0; i < job->count; ++i)
    if (job->parts[i].state != PART_WHOLE) return refuse_part(&job->parts[i]);
  size_t number = next_missing(job, 1, count), more = 0;
  if (!number) return true;
  for (size_t n = next_missing(job, number + 1, count); n; n = next_missing(job, n + 1, count)) ++more;
  if (more)
    output_complain("part %zu of %zu is missing, and %zu more (pliant merge --missing names them)", number, count,
                    more);
  else
    output_complain("part %zu of %zu is missing; run it with --shard %zu/%zu", number, count, number, count);
  return false;
}

/* -------------------------------------------------------------------------------------- join -- */

static int print_missing(const merge_job *job, size_t count)
{
  const char *comma = "";
  for (size_t n = next_missing(job, 1, count); n; n = next_missing(job, n + 1, count), comma = ",")
    printf("%s%zu", comma, n);
  if (*comma) printf("\n");
  return output_finish() ? EXIT_DONE : EXIT_ERROR;
}

/* All frames of all parts. NULL: out of memory. */
static shard_record *all_records(const merge_job *job, size_t *count)
{
  *count = 0;
  for (size_t i = 0; i < job->count; ++i) *count += job->parts[i].record_count;
  shard_record *all = malloc((*count + 1) * sizeof *all), *to = all;
  for (size_t i = 0; all && i < job->count; to += job->parts[i++].record_count)
    if (job->parts[i].record_count) memcpy(to, job->parts[i].records, job->parts[i].record_count * sizeof *all);
  return all;
}

/* Runs the command with the values of the frames. What it prints is in the parts already. */
static int run_again(const part *p)
{
  command_function run = command_find(p->command);
  char **words = calloc(p->word_count + 2, sizeof *words);
  int real = dup(1), nothing = open("/dev/null", O_WRONLY), count = 0, code = EXIT_ERROR;
  if (run && words && real >= 0 && nothing >= 0) {
    words[count++] = (char *)p->command;
    for (size_t i = 0; i < p->word_count; ++i) /* the parts' codes say that */
      if (strcmp(p->words[i], "--fail-on-contact") != 0) words[count++] = p->words[i];
    dup2(nothing, 1);
    code = run(count, words);
    fflush(stdout);
    dup2(real, 1);
  } else {
    output_complain("%s cannot be run again for its report", p->command);
  }
  free(words);
  return code;
}

static int replay(const merge_job *job)
{
  size_t count;
  shard_record *records = all_records(job, &count);
  if (!records) return output_complain("out of memory for %zu frames", count);
  shard_replay(records, count, job->parts[0].key);
  int code = run_again(&job->parts[0]);
  free(records);
  return code;
}

/* The code of the undivided run: contact in any part; otherwise what any part was not able to
 * check. */
static int merged_code(const merge_job *job)
{
  int code = EXIT_DONE;
  for (size_t i = 0; i < job->count; ++i)
    if (job->parts[i].code == EXIT_CONTACT) return EXIT_CONTACT;
  for (size_t i = 0; i < job->count && code == EXIT_DONE; ++i) code = job->parts[i].code;
  return code == EXIT_DONE ? code
                           : output_complain("not everything was checked; the shards reported what was left out");
}

static int join(const merge_job *job)
{
  bool again = false;
  for (size_t i = 0; i < job->count; ++i) again = again || job->parts[i].wants_replay;
  int code = again ? replay(job) : EXIT_DONE;
  if (code != EXIT_DONE) return code;
  for (size_t i = 0; i < job->count; ++i)
    if (!part_copy(&job->parts[i])) return output_give_up();
  return output_finish() ? merged_code(job) : EXIT_ERROR;
}

static int run(merge_job *job, const arguments *files)
{
  job->parts = calloc((size_t)files->count, sizeof *job->parts);
  if (!job->parts) return output_complain("out of memory for %d parts", files->count);
  for (int i = 0; i < files->count; ++i) part_read(files->values[i], &job->parts[job->count++]);
  const part *first = check_run(job);
  if (!first) return EXIT_ERROR;
  size_t count = first->count;
  qsort(job->parts, job->count, sizeof *job->parts, compare_parts);
  if (!check_twice(job)) return EXIT_ERROR;
  if (job->options.missing) return print_missing(job, count);
  return check_all(job, count) ? join(job) : EXIT_ERROR;
}

int cmd_merge(int argc, char **argv)
{
  merge_job job = {0};
  const option_group groups[] = {{"Output", table, OPTION_COUNT(table), &job.options}};
  arguments files;
  int code = options_parse(&text, groups, OPTION_COUNT(groups), argc, argv, &files);
  if (code != OPTIONS_GO_ON) return code;
  if (files.count == 0) return options_refuse("merge", "name the parts that --shard has written");
  code = run(&job, &files);
  for (size_t i = 0; i < job.count; ++i) part_close(&job.parts[i]);
  free(job.parts);
  return code;
}
