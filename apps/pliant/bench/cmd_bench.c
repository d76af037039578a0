/* `pliant bench`: the experiments of the papers, played again, and the user's own files with
 * every strategy. */
#include "bench/bench.h"

#include "bench/bench_files.h"
#include "common/command.h"
#include "common/frame_range.h"
#include "common/options.h"
#include "common/output.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MOST_NAMES = 64 };

typedef struct bench_line {
  bench_options options;
  bool list;
  int query;          /* of files */
  const char *frames; /* as well */
} bench_line;

static const char *const query_words[] = {"collide", "distance", NULL};

static const option files_table[] = {
    {.name = "query",
     .kind = OPTION_WORD,
     .offset = offsetof(bench_line, query),
     .words = query_words,
     .help = "what is asked of A and B in every frame"},
    {.name = "frames",
     .letter = 'f',
     .kind = OPTION_TEXT,
     .offset = offsetof(bench_line, frames),
     .value = "A..B",
     .help = "only frames A to B, counted from 0"},
};

static const option play_table[] = {
    {.name = "reps",
     .kind = OPTION_WHOLE,
     .offset = offsetof(bench_line, options.reps),
     .value = "N",
     .low = 1,
     .high = 1000,
     .help = "time every step N times and keep the smallest; by experiment if not given"},
    {.name = "steps-stride",
     .kind = OPTION_WHOLE,
     .offset = offsetof(bench_line, options.stride),
     .value = "N",
     .low = 1,
     .high = 10000,
     .help = "play every N-th step only"},
    {.name = "triangles",
     .kind = OPTION_WHOLE,
     .offset = offsetof(bench_line, options.triangles),
     .value = "N",
     .low = 1,
     .high = 20000000,
     .help = "about so many triangles per body"},
    {.name = "threads",
     .letter = 't',
     .kind = OPTION_WHOLE,
     .offset = offsetof(bench_line, options.threads),
     .value = "N",
     .low = 1,
     .high = 256,
     .help = "threads to use; of an experiment 1 if not given, as the papers' machines had"},
    {.name = "full",
     .kind = OPTION_FLAG,
     .offset = offsetof(bench_line, options.full),
     .help = "every step, where an experiment plays some only (larsson-c1: every 20th frame)"},
    {.name = "quick",
     .kind = OPTION_FLAG,
     .offset = offsetof(bench_line, options.quick),
     .help = "small and short; the times mean nothing"},
};

static const option output_table[] = {
    {.name = "out",
     .letter = 'o',
     .kind = OPTION_TEXT,
     .offset = offsetof(bench_line, options.out),
     .value = "DIR",
     .help = "folder for the files, out/bench/NAME if not given, out/bench-quick/NAME with --quick; of several "
             "experiments, each into a folder of its own"},
    {.name = "json",
     .letter = 'j',
     .kind = OPTION_FLAG,
     .offset = offsetof(bench_line, options.json),
     .help = "print one JSON object per experiment instead of tables"},
    {.name = "list", .kind = OPTION_FLAG, .offset = offsetof(bench_line, list), .help = "which experiments there are"},
};

static const command_text text = {
    .name = "bench",
    .usage =
        "pliant bench [OPTIONS] NAME...\npliant bench [OPTIONS] all\npliant bench [OPTIONS] A B\npliant bench --list",
    .about =
        "Plays experiments of the papers. Results are checked against the reference first. Then a table with the "
        "paper's figures beside ours is printed, and CSV, JSON and a plot (where gnuplot is installed) are "
        "written.\n\n"
        "A and B are two meshes of your own, files or sequences as for pliant collide: they are played with every "
        "strategy, which must agree with each other and with the reference, and timed in turns. The bodies of a glTF "
        "scene (.glb, .gltf) are one mesh here, moved by the first animation, 30 frames a second.",
    .examples = "  pliant bench larsson-a1\n"
                "  pliant bench larsson-a1 --triangles 81920 --steps-stride 5 --json\n"
                "  pliant bench all --quick --out /tmp/bench\n"
                "  pliant bench 'cloth_*.obj' table.obj\n",
};

static int list(void)
{
  for (const bench_experiment *e = bench_experiments; e->name; ++e)
    printf("%-12s  %-30s  %s\n", e->name, e->paper, e->what);
  return output_finish() ? EXIT_DONE : EXIT_ERROR;
}

static int refuse_name(const char *name)
{
  const char *names[MOST_NAMES];
  size_t count = 0;
  for (const bench_experiment *e = bench_experiments; e->name && count < MOST_NAMES; ++e) names[count++] = e->name;
  const char *nearest = options_nearest(name, names, count);
  return options_refuse("bench", "there is no experiment %s; %s%s%s", name,
                        nearest ? "did you mean " : "pliant bench --list names them", nearest ? nearest : "",
                        nearest ? "?" : "");
}

static bool is_experiment(const char *name)
{
  for (const bench_experiment *e = bench_experiments; e->name; ++e)
    if (strcmp(e->name, name) == 0) return true;
  return strcmp(name, "all") == 0;
}

/* The experiments that the line names, in its order. */
static int choose(const arguments *names, const bench_experiment *chosen[MOST_NAMES], size_t *count)
{
  *count = 0;
  for (int i = 0; i < names->count; ++i) {
    bool all = strcmp(names->values[i], "all") == 0;
    for (const bench_experiment *e = bench_experiments; e->name; ++e) {
      if (!all && strcmp(e->name, names->values[i]) != 0) continue;
      if (*count == MOST_NAMES) return options_refuse("bench", "more than %d experiments at once", MOST_NAMES);
      chosen[(*count)++] = e;
    }
    if (!is_experiment(names->values[i])) return refuse_name(names->values[i]);
  }
  return *count > 0 ? OPTIONS_GO_ON : options_refuse("bench", "name an experiment; pliant bench --list shows them");
}

static bool run(const bench_experiment *e, const bench_options *options, bool several)
{
  char out[4096];
  int n = !options->out ? snprintf(out, sizeof out, "out/bench%s/%s", options->quick ? "-quick" : "", e->name)
          : several     ? snprintf(out, sizeof out, "%s/%s", options->out, e->name)
                        : snprintf(out, sizeof out, "%s", options->out);
  bench_report *report = calloc(1, sizeof *report);
  bool good = report && n >= 0 && (size_t)n < sizeof out;
  if (!good)
    output_complain("bench: %s: %s", e->name, report ? "the name of the folder is too long" : "out of memory");
  else if (!(good = bench_play_experiment(e, options, out, report)))
    output_complain("bench: %s: %s", e->name, report->error);
  else if (options->json)
    bench_report_json(report, stdout);
  else
    bench_report_print(report, stdout);
  if (report) bench_report_free(report);
  free(report);
  return good;
}

/* Names of files have an ending or a folder in them, or are there; a folder with the name of an
 * experiment, such as one with its results, does not hide it. */
static bool are_files(const arguments *names)
{
  for (int i = 0; i < names->count; ++i) {
    const char *name = names->values[i];
    if (strpbrk(name, "./*%#") || (!is_experiment(name) && access(name, F_OK) == 0)) return true;
  }
  return names->divider_count > 0;
}

static int play_inputs(const bench_line *l, input_list *inputs)
{
  const bench_options *o = &l->options;
  frame_range range;
  int code = frame_range_parse("bench", l->frames, &range);
  if (code != OPTIONS_GO_ON) return code;
  if (inputs->count != 2) return options_refuse("bench", "name two meshes: files, sequences of them or glTF scenes");
  /* the bodies of a scene are one mesh here */
  for (int i = 0; i < 2; ++i) inputs->values[i].is_gltf = false;
  if (o->triangles || o->stride || o->full)
    return options_refuse("bench", "--triangles, --steps-stride and --full are for experiments, not for files");
  return bench_files(&(bench_files_options){.reps = o->reps,
                                            .threads = o->threads,
                                            .quick = o->quick,
                                            .json = o->json,
                                            .query = l->query,
                                            .out = o->out,
                                            .frames = l->frames},
                     inputs);
}

static int play_files(const bench_line *l, const arguments *names)
{
  input_list inputs;
  int code = inputs_find("bench", "two meshes", 2, names, &inputs);
  if (code == OPTIONS_GO_ON) code = play_inputs(l, &inputs);
  inputs_free(&inputs);
  return code;
}

int cmd_bench(int argc, char **argv)
{
  bench_line l = {0};
  const option_group groups[] = {
      {"Play", play_table, OPTION_COUNT(play_table), &l},
      {"Files", files_table, OPTION_COUNT(files_table), &l},
      inputs_group(),
      {"Output", output_table, OPTION_COUNT(output_table), &l},
  };
  arguments names;
  const bench_experiment *chosen[MOST_NAMES];
  size_t count;
  int code = options_parse(&text, groups, OPTION_COUNT(groups), argc, argv, &names);
  if (code != OPTIONS_GO_ON) return code;
  if (l.list) return list();
  if (are_files(&names)) return play_files(&l, &names);
  code = choose(&names, chosen, &count);
  if (code != OPTIONS_GO_ON) return code;
  bool good = true;
  for (size_t i = 0; i < count; ++i) {
    if (i > 0 && !l.options.json) putchar('\n');
    /* one that fails does not keep the others from their turn */
    good = run(chosen[i], &l.options, count > 1) && good;
  }
  return output_finish() && good ? EXIT_DONE : EXIT_ERROR;
}
