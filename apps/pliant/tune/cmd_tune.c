/* `pliant tune`: criterion and parameters of the strategy inflate for a scene of the user's own,
 * found by playing it. */
#include "common/command.h"
#include "common/frame_range.h"
#include "common/options.h"
#include "common/output.h"
#include "common/progress.h"
#include "tune/tune_write.h"

#include <limits.h>
#include <unistd.h>

static const char *const query_words[] = {"distance", "collide", NULL};

static const option search_table[] = {
    {.name = "population",
     .kind = OPTION_WHOLE,
     .offset = offsetof(tune_line, search.population),
     .value = "N",
     .low = 2,
     .high = 10000,
     .help = "number of settings in a generation, 30 if not given"},
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
     .kind_of = PL_WORDS_CRITERION,
     .before = "all",
     .help = "search the parameters of one criterion only"},
    {.name = "query",
     .kind = OPTION_WORD,
     .offset = offsetof(tune_line, query),
     .words = query_words,
     .help = "what is asked in every frame"},
    {.name = "by-time",
     .kind = OPTION_FLAG,
     .offset = offsetof(tune_line, search.by_time),
     .help = "score by the time of runs, the best of three; results then vary with noise, even with the same seed"},
    {.name = "measure",
     .kind = OPTION_FLAG,
     .offset = offsetof(tune_line, measure),
     .help = "score by what a volume test, a triangle test and a volume cost on this machine and this scene, measured "
             "first, instead of by fixed costs that are the same everywhere; also reports how well that predicts the "
             "time of other runs"},
    {.name = "scenes",
     .kind = OPTION_TEXT,
     .offset = offsetof(tune_line, scenes),
     .value = "FILE",
     .help = "a list of scenes instead of A and B, which count the same: a text file with A and B in every line, names "
             "with blanks in quotes, # before comments"},
    {.name = "frames",
     .letter = 'f',
     .kind = OPTION_TEXT,
     .offset = offsetof(tune_line, frames),
     .value = "A..B",
     .help = "only frames A to B, counted from 0"},
    {.name = "float",
     .kind = OPTION_FLAG,
     .offset = offsetof(tune_line, rounded),
     .help = "round positions to float first"},
};

static const option output_table[] = {
    {.name = "out",
     .letter = 'o',
     .kind = OPTION_TEXT,
     .offset = offsetof(tune_line, search.out),
     .value = "FILE",
     .help = "where the settings are saved, tuned.json if not given; only if the clock confirms that they beat the "
             "defaults. Until then the best so far is in FILE.part"},
    {.name = "resume",
     .kind = OPTION_TEXT,
     .offset = offsetof(tune_line, search.resume),
     .value = "FILE",
     .help = "a log of all runs: created if missing, otherwise continued"},
    {.name = "json",
     .letter = 'j',
     .kind = OPTION_FLAG,
     .offset = offsetof(tune_line, json),
     .help = "print one JSON object"},
};

static const command_text text = {
    .name = "tune",
    .usage = "pliant tune [OPTIONS] A B\npliant tune [OPTIONS] A... -- B...\npliant tune [OPTIONS] --scenes FILE",
    .about = "Finds the settings of the strategy inflate that need the least work on your own scene, by playing it "
             "with many settings. A and B are mesh files or sequences of them, as for pliant collide; at least one "
             "must move. The bodies of a glTF scene are one mesh here, moved by the first animation.\n\n"
             "First the other strategies are played: if one of them is faster than any setting of inflate can be, tune "
             "says so at once.\n\n"
             "A run is scored by its volume tests, triangle tests and refitted volumes, each with a fixed cost, so the "
             "score has no noise. The search is an evolutionary one. It can be stopped at any time (Ctrl-C): the best "
             "settings so far are kept, and --resume FILE continues the search later as if it had never stopped.\n\n"
             "The best settings are then timed side by side with the defaults and saved if they are faster by more "
             "than the noise; otherwise the command reports that the defaults are as good or better.\n\n"
             "The settings are read back by pl_body_def_parse() and by --settings of the other commands.",
    .examples = "  pliant tune 'cloth_*.obj' table.obj\n"
                "  pliant tune left/ right/ --population 20 --generations 10 --seed 7 --out tuned.json\n"
                "  pliant tune 'a_*.obj' 'b_*.obj' --resume search.log\n"
                "  pliant tune --scenes scenes.txt --frames ..99\n"
                "  pliant collide 'a_*.obj' 'b_*.obj' --settings tuned.json\n",
};

/* --------------------------------------------------------------------------------------- run -- */

typedef struct rounds {
  tune_scene *scene;
  tune_outcome *outcome;
  progress bar;
  size_t done;
} rounds;

static bool play_round(void *user, tune_way way, double *ms)
{
  /* short scenes are played several times over, so that a clock can tell */
  enum { LEAST_MS = 10, MOST_PLAYS = 50 };
  rounds *r = user;
  int plays = 0;
  for (*ms = 0; plays == 0 || (*ms < LEAST_MS && plays < MOST_PLAYS); ++plays) {
    if (!tune_play(r->scene, &r->outcome->def[way], TUNE_FULL, NULL, &r->outcome->counts[way])) return false;
    *ms += r->outcome->counts[way].ms;
  }
  *ms /= plays;
  progress_step(&r->bar, ++r->done);
  return true;
}

static bool confirm(tune_scene *s, const tune_line *l, tune_outcome *o)
{
  bool scored = o->result.best.score < o->result.start.score;
  rounds r = {.scene = s, .outcome = o};
  r.bar = progress_begin("confirming", (size_t)TUNE_ROUNDS * (scored ? TUNE_WAYS : TUNE_WAYS - 1), l->search.quiet);
  bool ok = tune_confirm(play_round, &r, scored, &o->clock);
  progress_end(&r.bar);
  return ok && tune_settle(l->search.out, tune_is_better(o));
}

/* The strategy is inflate, all else as the options have it. */
static void set_definitions(const tune_line *l, tune_outcome *o)
{
  o->def[TUNE_DEFAULTS] = o->def[TUNE_AUTO] = tree_options_def(&l->tree);
  o->def[TUNE_DEFAULTS].strategy = PL_STRATEGY_INFLATE;
  o->def[TUNE_AUTO].strategy = PL_STRATEGY_AUTO;
  o->def[TUNE_AUTO].volume = PL_VOLUME_AABB;
}

/* How much better the settings found score, scene by scene. */
static bool compare_scenes(tune_scene *s, tune_outcome *o)
{
  for (size_t k = 0; k < s->part_count; ++k) {
    tune_counts a, b;
    if (!tune_play_part(s, k, &o->def[TUNE_DEFAULTS], &a) || !tune_play_part(s, k, &o->def[TUNE_TUNED], &b))
      return false;
    o->by_scene[k] = tune_score(&o->costs, &a) / tune_score(&o->costs, &b);
  }
  return true;
}

static int run(tune_scene *s, const tune_line *l)
{
  tune_outcome o = {0};
  set_definitions(l, &o);
  const pl_body_def *base = &o.def[TUNE_DEFAULTS];
  o.costs = tune_costs_default(base);
  if (!tune_scene_weigh(s, base, &o.costs) || !tune_rivals_measure(s, base, &o.rivals)) return EXIT_ERROR;
  if (!l->json) tune_write_rivals(s, &o.rivals);
  if (l->measure && !tune_costs_measure(s, base, &o.costs, &o.fit)) return EXIT_ERROR;
  if (!tune_search(s, base, &o.costs, &l->search, &o.result)) return EXIT_ERROR;
  o.def[TUNE_TUNED] = *base;
  o.def[TUNE_TUNED].inflate = o.result.best.inflate;
  if (!confirm(s, l, &o) || !compare_scenes(s, &o)) return EXIT_ERROR;
  if (l->json)
    tune_write_json(s, &o);
  else
    tune_write_text(s, l, &o);
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
  frame_range range;
  code = frame_range_parse("tune", l.frames, &range);
  if (code == OPTIONS_GO_ON && l.scenes && files.count) code = options_refuse("tune", "A and B, or --scenes, not both");
  if (code == OPTIONS_GO_ON)
    code = l.scenes ? tune_scene_read(&scene, l.scenes, l.rounded, l.frames)
                    : tune_scene_add(&scene, &files, l.rounded, l.frames);
  if (code == OPTIONS_GO_ON) code = tune_scene_load(&scene) ? run(&scene, &l) : EXIT_ERROR;
  tune_scene_free(&scene);
  return code;
}
