/* `pliant tune`: criterion and parameters of the strategy inflate for a scene of the user's own, found by playing it. */
#include "command.h"
#include "io/gltf.h"
#include "options.h"
#include "output.h"
#include "sides.h"
#include "tree_options.h"
#include "tune.h"

#include <limits.h>
#include <math.h>
#include <unistd.h>

typedef struct tune_line {
  tune_options search;
  tree_options tree;
  int query, criterion_word;
  bool measure, rounded, json;
} tune_line;

#define WORD(name, word) word,
static const char *const criterion_words[] = {"all", PL_CRITERION_LIST(WORD) NULL};
#undef WORD
static const char *const query_words[] = {"distance", "collide", NULL};

static const option search_table[] = {
    {.name = "population",
     .kind = OPTION_WHOLE,
     .offset = offsetof(tune_line, search.population),
     .value = "N",
     .low = 2,
     .high = 10000,
     .help = "settings that live at a time, 30 if not given"},
    {.name = "generations",
     .kind = OPTION_WHOLE,
     .offset = offsetof(tune_line, search.generations),
     .value = "N",
     .low = 1,
     .high = 100000,
     .help = "the search ends after population times generations runs; 50 if not given"},
    {.name = "seed",
     .kind = OPTION_WHOLE,
     .offset = offsetof(tune_line, search.seed),
     .value = "N",
     .low = 0,
     .high = INT_MAX,
     .help = "of the random numbers, 1 if not given: the same seed finds the same settings"},
    {.name = "only",
     .kind = OPTION_WORD,
     .offset = offsetof(tune_line, criterion_word),
     .words = criterion_words,
     .help = "search the parameters of one criterion only"},
    {.name = "query",
     .kind = OPTION_WORD,
     .offset = offsetof(tune_line, query),
     .words = query_words,
     .help = "what is asked in every frame"},
    {.name = "by-time",
     .kind = OPTION_FLAG,
     .offset = offsetof(tune_line, search.by_time),
     .help = "score by the time of runs, the best of three; noise then has its say, and a seed finds other settings "
             "each time"},
    {.name = "measure",
     .kind = OPTION_FLAG,
     .offset = offsetof(tune_line, measure),
     .help = "score by what a volume test, a triangle test and a volume cost on this machine and this scene, measured "
             "first, instead of by fixed costs that are the same everywhere"},
    {.name = "float",
     .kind = OPTION_FLAG,
     .offset = offsetof(tune_line, rounded),
     .help = "round positions to float first"},
};

static const option output_table[] = {
    {.name = "out",
     .kind = OPTION_TEXT,
     .offset = offsetof(tune_line, search.out),
     .value = "FILE",
     .help = "where the settings are saved, tuned.json if not given; only if they are better than the defaults"},
    {.name = "resume",
     .kind = OPTION_TEXT,
     .offset = offsetof(tune_line, search.resume),
     .value = "FILE",
     .help = "a log of all runs: written where there is none, gone on with where there is one"},
    {.name = "json", .kind = OPTION_FLAG, .offset = offsetof(tune_line, json), .help = "print one JSON object"},
};

static const command_text text = {
    .name = "tune",
    .usage = "pliant tune [OPTIONS] A B\npliant tune [OPTIONS] A... -- B...",
    .about = "Finds the settings of the strategy inflate that do the least work on a scene of your own, by playing it "
             "with many of them. A and B are mesh files or sequences of them, as for pliant collide; at least one "
             "must move.\n\n"
             "A run is scored by its volume tests, triangle tests and volumes made, each with a fixed cost, so that "
             "noise does not decide. The search is an evolutionary one. It can be stopped at any time (Ctrl-C): the "
             "best settings so far are kept, and with --resume FILE the search goes on later as if it had never "
             "stopped.\n\n"
             "The settings are read back by pl_body_def_parse() and by --settings of the other commands.",
    .examples = "  pliant tune 'cloth_*.obj' table.obj\n"
                "  pliant tune left/ right/ --population 20 --generations 10 --seed 7 --out tuned.json\n"
                "  pliant tune 'a_*.obj' 'b_*.obj' --resume search.log\n"
                "  pliant collide 'a_*.obj' 'b_*.obj' --settings tuned.json\n",
};

/* ------------------------------------------------------------------------------------------------------- report -- */

/* The settings as they are played: counts, and the best time of three. */
typedef struct measured {
  tune_counts counts;
  double ms; /* a frame */
} measured;

static bool measure(tune_scene *s, const pl_body_def *def, measured *out)
{
  double least = INFINITY;
  for (int k = 0; k < 3; ++k) {
    if (!tune_play(s, def, &out->counts)) return false;
    least = fmin(least, out->counts.ms);
  }
  out->ms = least / (double)s->frame_count;
  return true;
}

typedef struct outcome {
  pl_body_def base, best;
  measured start, tuned, automatic; /* with the defaults, the settings found, and the strategy auto */
  tune_costs costs;
  tune_result result;
  bool beaten; /* are the settings found better than the defaults? */
} outcome;

static void print_row(const tune_scene *s, const char *name, const measured *m, double score)
{
  double per = (double)s->frame_count;
  char v[OUTPUT_NUMBER_SIZE], p[OUTPUT_NUMBER_SIZE], u[OUTPUT_NUMBER_SIZE];
  printf("  %-10s%12s%12s%12s%12.4f", name, output_count((uint64_t)(m->counts.n_v / per + 0.5), v),
         output_count((uint64_t)(m->counts.n_p / per + 0.5), p), output_count((uint64_t)(m->counts.n_u / per + 0.5), u),
         m->ms);
  if (score > 0) printf("%12.4f", score / per * 1e-6);
  printf("\n");
}

static void print_text(const tune_scene *s, const tune_line *l, const outcome *o)
{
  char settings[1024];
  const tune_result *r = &o->result;
  printf("%zu runs of %zu frames%s", r->runs, s->frame_count, r->stopped ? ", stopped before the end" : "");
  if (r->resumed) printf(", %zu of them from %s", r->resumed, l->search.resume);
  printf("; a volume test counts %.3g ns, a triangle test %.3g, a volume %.3g\n\n", o->costs.v, o->costs.p, o->costs.u);
  printf("  %-10s%12s%12s%12s%12s%12s\n", "a frame", "n_v", "n_p", "n_u", "ms", "score ms");
  print_row(s, "defaults", &o->start, r->start.score);
  if (o->beaten) print_row(s, "tuned", &o->tuned, r->best.score);
  print_row(s, "auto", &o->automatic, 0);
  pl_body_def_print(&o->best, settings, sizeof settings);
  if (o->beaten)
    printf("\nThe settings found score %.2f times better than the defaults; saved in %s:\n%s\n",
           r->start.score / r->best.score, l->search.out, settings);
  else
    printf("\nNothing was found that beats the defaults on this scene; nothing was saved. They are:\n%s\n", settings);
  double best = o->beaten ? o->tuned.ms : o->start.ms;
  if (o->automatic.ms < best)
    printf("The strategy auto is faster than these here: %.2f times.\n", best / o->automatic.ms);
}

static void put_measured(json *j, const char *key, const tune_scene *s, const measured *m, double score)
{
  double per = (double)s->frame_count;
  json_key(j, key);
  json_open(j, '{');
  json_put_real(j, "n_v", m->counts.n_v / per);
  json_put_real(j, "n_p", m->counts.n_p / per);
  json_put_real(j, "n_u", m->counts.n_u / per);
  json_put_real(j, "ms", output_ms(m->ms));
  if (score > 0) json_put_real(j, "score_ms", score / per * 1e-6);
  json_close(j, '}');
}

static void print_json(const tune_scene *s, const outcome *o)
{
  const tune_result *r = &o->result;
  json j = {.file = stdout};
  json_open(&j, '{');
  json_put_bool(&j, "better", o->beaten);
  json_put_real(&j, "ratio", o->beaten ? r->start.score / r->best.score : 1);
  json_key(&j, "settings");
  json_open(&j, '{');
  json_put_text(&j, "criterion", pl_criterion_text(o->best.inflate.criterion));
  json_put_real(&j, "p_max", o->best.inflate.p_max);
  json_put_real(&j, "k", o->best.inflate.k);
  json_put_real(&j, "gamma", o->best.inflate.gamma);
  json_close(&j, '}');
  put_measured(&j, "defaults", s, &o->start, r->start.score);
  if (o->beaten) put_measured(&j, "tuned", s, &o->tuned, r->best.score);
  put_measured(&j, "auto", s, &o->automatic, 0);
  json_put_whole(&j, "frames", s->frame_count);
  json_put_whole(&j, "runs", r->runs);
  json_put_whole(&j, "resumed", r->resumed);
  json_put_bool(&j, "stopped", r->stopped);
  json_close(&j, '}');
  printf("\n");
}

/* ---------------------------------------------------------------------------------------------------------- run -- */

/* The definition that is searched around: the strategy is inflate, all else as the options have it. */
static pl_body_def base_def(const tune_line *l)
{
  pl_body_def def = tree_options_def(&l->tree);
  def.strategy = PL_STRATEGY_INFLATE;
  return def;
}

static int run(tune_scene *s, const tune_line *l)
{
  outcome o = {.base = base_def(l), .costs = tune_costs_default()};
  if (l->measure && !tune_costs_measure(s, &o.base, &o.costs)) return EXIT_ERROR;
  if (!tune_search(s, &o.base, &o.costs, &l->search, &o.result)) return EXIT_ERROR;
  pl_body_def automatic = tree_options_def(&l->tree);
  automatic.strategy = PL_STRATEGY_AUTO;
  automatic.volume = PL_VOLUME_AABB;
  o.best = o.base;
  o.best.inflate = o.result.best.inflate;
  o.beaten = o.result.best.score < o.result.start.score;
  if (!measure(s, &o.base, &o.start) || (o.beaten && !measure(s, &o.best, &o.tuned)) ||
      !measure(s, &automatic, &o.automatic))
    return EXIT_ERROR;
  if (l->json)
    print_json(s, &o);
  else
    print_text(s, l, &o);
  return output_finish() ? EXIT_DONE : EXIT_ERROR;
}

int cmd_tune(int argc, char **argv)
{
  tune_line l = {.search = {.population = 30, .generations = 50, .seed = 1, .criterion = -1, .out = "tuned.json"},
                 .tree = tree_options_default()};
  l.tree.volume = PL_VOLUME_RSS;
  option_group groups[] = {
      {"Search", search_table, OPTION_COUNT(search_table), &l},
      {"Output", output_table, OPTION_COUNT(output_table), &l},
      tree_options_group(&l.tree),
  };
  arguments files;
  tune_scene scene = {0};
  int code = tree_options_settings(&l.tree, argc, argv);
  if (code == OPTIONS_GO_ON) code = options_parse(&text, groups, 3, argc, argv, &files);
  if (code != OPTIONS_GO_ON) return code;
  if (!tune_possible())
    return output_complain("tune needs NLopt, which was not there when pliant was built: install libnlopt-dev and "
                           "build again");
  l.search.criterion = l.criterion_word - 1;
  l.search.quiet = l.json && isatty(1);
  scene.query = (tune_query)l.query;
  file_lists lists;
  size_t frame_count = 0;
  bool shortened;
  for (int i = 0; i < files.count; ++i)
    if (gltf_is_name(files.values[i]))
      return options_refuse("tune", "%s is a glTF scene, and tune plays mesh files", files.values[i]);
  code = sides_divide("tune", "two meshes", &files, &lists);
  if (code == OPTIONS_GO_ON && !sides_open(scene.files, &lists, l.rounded, &frame_count, &shortened)) code = EXIT_ERROR;
  if (code == OPTIONS_GO_ON && frame_count < 2)
    code = output_complain("%s: nothing moves, and a still scene needs no updates: give a sequence of files",
                           frames_path(&scene.files[0], 0));
  if (code == OPTIONS_GO_ON) code = tune_scene_load(&scene, frame_count) ? run(&scene, &l) : EXIT_ERROR;
  tune_scene_free(&scene);
  return code;
}
