/* `pliant tune`: criterion and parameters of the strategy inflate for a scene of the user's own, found by playing it. */
#include "command.h"
#include "io/gltf.h"
#include "io/show.h"
#include "options.h"
#include "output.h"
#include "progress.h"
#include "sides.h"
#include "tree_options.h"
#include "tune.h"

#include <limits.h>
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
             "first, instead of by fixed costs that are the same everywhere; also tells how well that predicts the "
             "time of other runs"},
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
     .help = "where the settings are saved, tuned.json if not given; only if the clock confirms that they beat the "
             "defaults. Until then the best so far is in FILE.part"},
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
             "What scores best is then played side by side with the defaults, and the clock has the last word: the "
             "settings are saved if they are faster beyond noise, and otherwise the command says that the defaults "
             "are as good, or better.\n\n"
             "The settings are read back by pl_body_def_parse() and by --settings of the other commands.",
    .examples = "  pliant tune 'cloth_*.obj' table.obj\n"
                "  pliant tune left/ right/ --population 20 --generations 10 --seed 7 --out tuned.json\n"
                "  pliant tune 'a_*.obj' 'b_*.obj' --resume search.log\n"
                "  pliant collide 'a_*.obj' 'b_*.obj' --settings tuned.json\n",
};

/* ------------------------------------------------------------------------------------------------------- report -- */

typedef struct outcome {
  pl_body_def def[TUNE_WAYS]; /* the defaults, the settings found, the strategy auto */
  tune_counts counts[TUNE_WAYS];
  tune_costs costs;
  tune_fit fit; /* runs: 0 where costs were not measured */
  tune_result result;
  tune_confirmed clock;
} outcome;

static double score_ratio(const outcome *o) { return o->result.start.score / o->result.best.score; }
static bool is_better(const outcome *o) { return o->clock.verdict == TUNE_VERDICT_BETTER; }

static void print_row(const tune_scene *s, const char *name, const outcome *o, tune_way way, double score)
{
  double per = (double)s->frame_count;
  const tune_counts *c = &o->counts[way];
  char v[OUTPUT_NUMBER_SIZE], p[OUTPUT_NUMBER_SIZE], u[OUTPUT_NUMBER_SIZE];
  printf("  %-10s%12s%12s%12s%12.4f", name, output_count((uint64_t)(c->n_v / per + 0.5), v),
         output_count((uint64_t)(c->n_p / per + 0.5), p), output_count((uint64_t)(c->n_u / per + 0.5), u),
         o->clock.ms[way] / per);
  if (score > 0) printf("%12.4f", score / per * 1e-6);
  printf("\n");
}

static void print_costs(const outcome *o)
{
  printf("a volume test counts %.1f ns, a triangle test %.1f ns, a volume made %.1f ns\n", o->costs.v, o->costs.p,
         o->costs.u);
  if (!o->fit.runs) return;
  printf("measured here; %d other runs take what that predicts to within %.0f %% (root mean square), %.0f %% at most; "
         "R2 %.3f\n",
         o->fit.runs, 100 * o->fit.mean, 100 * o->fit.most, o->fit.r2);
  if (!tune_fit_is_good(&o->fit))
    printf("That is too much to go by: on this scene counts do not tell the time. Better search with --by-time.\n");
}

static void print_verdict(const tune_line *l, const outcome *o)
{
  const tune_confirmed *c = &o->clock;
  char settings[1024];
  pl_body_def_print(&o->def[TUNE_TUNED], settings, sizeof settings);
  printf("\n");
  if (c->verdict == TUNE_VERDICT_NOTHING) {
    printf("Nothing was found that scores better than the defaults on this scene; nothing was saved. They are:\n%s\n",
           settings);
    return;
  }
  printf("The settings found score %.2f times better than the defaults. By the clock they are %.2f times as fast "
         "(%d rounds side by side; between %.2f and %.2f with a confidence of " TUNE_CONFIDENCE ").\n",
         score_ratio(o), c->ratio, TUNE_ROUNDS, c->low, c->high);
  if (c->verdict == TUNE_VERDICT_BETTER)
    printf("They beat the defaults; saved in %s:\n%s\n", io_show(l->search.out).text, settings);
  else
    printf("%s; nothing was saved. What was found:\n%s\n",
           c->verdict == TUNE_VERDICT_SAME ? "That is within noise: the defaults are as good on this scene"
                                           : "They are slower: the defaults are better on this scene",
           settings);
  if (c->verdict == TUNE_VERDICT_WORSE && !l->search.by_time)
    printf("Counts mislead here; %s--by-time goes by the clock.\n",
           l->measure ? "" : "--measure finds what they cost on this scene, and ");
}

static void print_text(const tune_scene *s, const tune_line *l, const outcome *o)
{
  const tune_result *r = &o->result;
  printf("%zu runs of %zu frames%s", r->runs, s->frame_count, r->stopped ? ", stopped before the end" : "");
  if (r->resumed) printf(", %zu of them from %s", r->resumed, io_show(l->search.resume).text);
  printf("; ");
  print_costs(o);
  printf("\n  %-10s%12s%12s%12s%12s%12s\n", "a frame", "n_v", "n_p", "n_u", "ms", "score ms");
  print_row(s, "defaults", o, TUNE_DEFAULTS, r->start.score);
  if (o->clock.verdict != TUNE_VERDICT_NOTHING) print_row(s, "tuned", o, TUNE_TUNED, r->best.score);
  print_row(s, "auto", o, TUNE_AUTO, 0);
  print_verdict(l, o);
  double best = o->clock.ms[is_better(o) ? TUNE_TUNED : TUNE_DEFAULTS];
  if (o->clock.ms[TUNE_AUTO] < best)
    printf("The strategy auto is faster than these here: %.2f times.\n", best / o->clock.ms[TUNE_AUTO]);
}

static void put_row(json *j, const char *key, const tune_scene *s, const outcome *o, tune_way way, double score)
{
  double per = (double)s->frame_count;
  json_key(j, key);
  json_open(j, '{');
  json_put_real(j, "n_v", o->counts[way].n_v / per);
  json_put_real(j, "n_p", o->counts[way].n_p / per);
  json_put_real(j, "n_u", o->counts[way].n_u / per);
  json_put_real(j, "ms", output_ms(o->clock.ms[way] / per));
  if (score > 0) json_put_real(j, "score_ms", score / per * 1e-6);
  json_close(j, '}');
}

static void put_costs(json *j, const outcome *o)
{
  json_key(j, "costs_ns");
  json_open(j, '{');
  json_put_real(j, "v", o->costs.v);
  json_put_real(j, "p", o->costs.p);
  json_put_real(j, "u", o->costs.u);
  json_put_real(j, "frame", o->costs.frame);
  json_close(j, '}');
  if (!o->fit.runs) return;
  json_key(j, "prediction");
  json_open(j, '{');
  json_put_whole(j, "runs", (uint64_t)o->fit.runs);
  json_put_real(j, "error", o->fit.mean);
  json_put_real(j, "greatest_error", o->fit.most);
  json_put_real(j, "r2", o->fit.r2);
  json_put_bool(j, "good", tune_fit_is_good(&o->fit));
  json_close(j, '}');
}

static void print_json(const tune_scene *s, const outcome *o)
{
  const tune_result *r = &o->result;
  const pl_inflate_def *d = &o->def[TUNE_TUNED].inflate;
  json j = {.file = stdout};
  json_open(&j, '{');
  json_put_bool(&j, "better", is_better(o));
  json_put_text(&j, "verdict", tune_verdict_text(o->clock.verdict));
  json_put_real(&j, "ratio", score_ratio(o));
  json_put_real(&j, "time_ratio", o->clock.ratio);
  json_put_real(&j, "time_ratio_low", o->clock.low);
  json_put_real(&j, "time_ratio_high", o->clock.high);
  json_key(&j, "settings");
  json_open(&j, '{');
  json_put_text(&j, "criterion", pl_criterion_text(d->criterion));
  json_put_real(&j, "p_max", d->p_max);
  json_put_real(&j, "k", d->k);
  json_put_real(&j, "gamma", d->gamma);
  json_put_text(&j, "growth", pl_growth_text(d->growth));
  json_close(&j, '}');
  put_row(&j, "defaults", s, o, TUNE_DEFAULTS, r->start.score);
  if (o->clock.verdict != TUNE_VERDICT_NOTHING) put_row(&j, "tuned", s, o, TUNE_TUNED, r->best.score);
  put_row(&j, "auto", s, o, TUNE_AUTO, 0);
  put_costs(&j, o);
  json_put_whole(&j, "frames", s->frame_count);
  json_put_whole(&j, "runs", r->runs);
  json_put_whole(&j, "resumed", r->resumed);
  json_put_bool(&j, "stopped", r->stopped);
  json_close(&j, '}');
  printf("\n");
}

/* ---------------------------------------------------------------------------------------------------------- run -- */

typedef struct rounds {
  tune_scene *scene;
  outcome *o;
  progress bar;
  size_t done;
} rounds;

static bool play_round(void *user, tune_way way, double *ms)
{
  enum { LEAST_MS = 10, MOST_PLAYS = 50 }; /* short scenes are played several times over, so that a clock can tell */
  rounds *r = user;
  int plays = 0;
  for (*ms = 0; plays == 0 || (*ms < LEAST_MS && plays < MOST_PLAYS); ++plays) {
    if (!tune_play(r->scene, &r->o->def[way], TUNE_FULL, NULL, &r->o->counts[way])) return false;
    *ms += r->o->counts[way].ms;
  }
  *ms /= plays;
  progress_step(&r->bar, ++r->done);
  return true;
}

static bool confirm(tune_scene *s, const tune_line *l, outcome *o)
{
  bool scored = o->result.best.score < o->result.start.score;
  rounds r = {.scene = s, .o = o};
  r.bar = progress_begin("confirming", (size_t)TUNE_ROUNDS * (scored ? TUNE_WAYS : TUNE_WAYS - 1), l->search.quiet);
  bool ok = tune_confirm(play_round, &r, scored, &o->clock);
  progress_end(&r.bar);
  return ok && tune_settle(l->search.out, is_better(o));
}

/* The strategy is inflate, all else as the options have it. */
static void set_definitions(const tune_line *l, outcome *o)
{
  o->def[TUNE_DEFAULTS] = o->def[TUNE_AUTO] = tree_options_def(&l->tree);
  o->def[TUNE_DEFAULTS].strategy = PL_STRATEGY_INFLATE;
  o->def[TUNE_AUTO].strategy = PL_STRATEGY_AUTO;
  o->def[TUNE_AUTO].volume = PL_VOLUME_AABB;
}

static int run(tune_scene *s, const tune_line *l)
{
  outcome o = {0};
  set_definitions(l, &o);
  const pl_body_def *base = &o.def[TUNE_DEFAULTS];
  o.costs = tune_costs_default(base);
  if (l->measure && !tune_costs_measure(s, base, &o.costs, &o.fit)) return EXIT_ERROR;
  if (!tune_search(s, base, &o.costs, &l->search, &o.result)) return EXIT_ERROR;
  o.def[TUNE_TUNED] = *base;
  o.def[TUNE_TUNED].inflate = o.result.best.inflate;
  if (!confirm(s, l, &o)) return EXIT_ERROR;
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
