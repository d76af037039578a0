/* F. Bitar, Adaptive Bounding Volume Hierarchies for Deformable Surface Models, 2011, table 2:
 * which volumes to make anew. Five pairs of flexible parts, their distance in every frame, and
 * nine ways to choose the volumes that are refitted; at the thesis' sizes and with a hundred
 * times the triangles. Trees are the thesis' own: swept rectangles, two children a node, one
 * triangle a leaf, paired from the triangles up. Each criterion is played with volumes that
 * stand, as in the thesis, with the thesis' parameters; then with volumes that stand and with
 * volumes that follow what they hold, with parameters that the same search finds for each, on
 * these five pairs at the thesis' sizes and with as many runs (bitar_search.c; the thesis'
 * search had 1500). Before a time is printed, the distance of every frame is compared with the
 * reference's; at the large size, where that would take hours, with that of a tree of boxes that
 * is refitted whole. */
#include "bench/bitar_search.h"
#include "bench/plot.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Whose parameters are played. */
typedef enum choice {
  CHOICE_THESIS,
  CHOICE_STAND,  /* found by a search on these scenes, for volumes that stand, as in the thesis */
  CHOICE_FOLLOW, /* the same for volumes that follow */
  CHOICE_COUNT
} choice;

/* A row of table 2: seconds for all five scenarios, and the thesis' parameters. */
typedef struct way {
  pl_criterion criterion;
  const char *title;
  double paper_s;
  parameters thesis;
} way;

static const way ways[] = {
    {PL_CRITERION_A, "A", 0.715, {1.884184, 0, 0}},
    {PL_CRITERION_B, "B", 0.842, {0, 0, 0}},
    {PL_CRITERION_A_AND_B, "A and B", 0.388, {1.498741, 0, 0}},
    {PL_CRITERION_B_AND_C, "B and C", 5.12, {0, 0.333928, 0.053803}},
    {PL_CRITERION_A_OR_BC, "A or (B and C)", 0.531, {3.383383, 0.416571, 0.111757}},
    {PL_CRITERION_A_AND_B_AND_C, "A and B and C", 4.557, {1.967193, 0.221836, 0.002197}},
    {PL_CRITERION_AB_OR_BC, "(A and B) or (B and C)", 0.332, {1.359579, 0.891981, 0.590829}},
    {PL_CRITERION_REFIT_ALL, "refit all", 2.839, {0, 0, 0}},
    {PL_CRITERION_REFIT_NONE, "refit none", 12.485, {0, 0, 0}},
    /* the library's defaults, for comparison */
    {PL_CRITERION_COUNT, "(auto: boxes)", NAN, {0, 0, 0}},
};
enum { ROWS = sizeof ways / sizeof ways[0], WAYS = ROWS - 1, REFIT_ALL = WAYS - 2, REFIT_NONE = WAYS - 1, AUTO = WAYS };

/* ------------------------------------------------------------------------------------ report -- */

static const bench_column columns[] = {{"size", "size", 0},
                                       {"growth", "growth", 0},
                                       {"parameters", "parameters", 0},
                                       {"criterion", "criterion", 0},
                                       {"p_max", "p_max", 3},
                                       {"k", "k", 3},
                                       {"gamma", "gamma", 3},
                                       {"update_ms", "update", 2},
                                       {"query_ms", "query", 2},
                                       {"total_ms", "total ms", 2},
                                       {"n_v", "n_v", 0},
                                       {"n_p", "n_p", 0},
                                       {"n_u", "n_u", 0},
                                       {"faster", "faster", 2},
                                       {"rank", "rank", 0},
                                       {"paper_s", "paper s", 3},
                                       {"faster_paper", "faster", 2},
                                       {"rank_paper", "rank", 0}};
static const bench_column step_columns[] = {{"group", "", 0},    {"method", "", 0},    {"query", "", 0},
                                            {"step", "", 0},     {"update_ms", "", 0}, {"query_ms", "", 0},
                                            {"total_ms", "", 0}, {"n_v", "", 0},       {"n_p", "", 0},
                                            {"n_u", "", 0},      {"distance", "", 0}};

/* A size, and whose parameters are played. */
typedef struct act {
  const char *group, *size; /* in the files; in the table */
  int detail, stride, most_frames;
  choice choice;
  bool reference;       /* check by brute force */
  const parameters *of; /* [ROWS] */
} act;

static pl_growth growth_of(choice c) { return c == CHOICE_FOLLOW ? PL_GROWTH_FOLLOW : PL_GROWTH_STAND; }

/* All five scenarios of one way. */
typedef struct total {
  bool played;
  double ms_update, ms_query, n_v, n_p, n_u;
  int frames;
} total;

static double total_ms(const total *t) { return t->ms_update + t->ms_query; }

static void add_frames(bench_report *r, const char *group, const way *w, const match *m, const frame_cost *costs,
                       total *sum)
{
  for (int f = 0; f < m->frames; ++f) {
    const frame_cost *c = &costs[f];
    const double numbers[] = {f,      c->ms_update, c->ms_query, c->ms_update + c->ms_query,
                              c->n_v, c->n_p,       c->n_u,      m->distance[f]};
    char scenario[32];
    snprintf(scenario, sizeof scenario, "scenario %d", m->scenario + 1);
    bench_text(&r->steps, group);
    bench_text(&r->steps, w->criterion < PL_CRITERION_COUNT ? pl_word(PL_WORDS_CRITERION, w->criterion) : "auto");
    bench_text(&r->steps, scenario);
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; ++i) bench_number(&r->steps, numbers[i]);
    sum->ms_update += c->ms_update;
    sum->ms_query += c->ms_query;
    sum->n_v += c->n_v;
    sum->n_p += c->n_p;
    sum->n_u += c->n_u;
  }
  sum->frames += m->frames;
  sum->played = true;
}

/* Which parameters a criterion reads: p_max; k and gamma. */
static bool reads_a(pl_criterion c)
{
  return !(c == PL_CRITERION_B || c == PL_CRITERION_B_AND_C || c >= PL_CRITERION_REFIT_ALL);
}
static bool reads_c(pl_criterion c)
{
  return c == PL_CRITERION_B_AND_C || c == PL_CRITERION_A_OR_BC || c == PL_CRITERION_A_AND_B_AND_C ||
         c == PL_CRITERION_AB_OR_BC;
}

static void append_row(bench_report *r, const act *a, const total *all, int way_index)
{
  const total *t = &all[way_index];
  const way *w = &ways[way_index];
  const parameters *d = &a->of[way_index];
  bench_table *table = &r->summary;
  int rank = 1, rank_paper = 1;
  for (int i = 0; i < WAYS; ++i) {
    rank += all[i].played && total_ms(&all[i]) < total_ms(t);
    rank_paper += all[i].played && ways[i].paper_s < w->paper_s;
  }
  const double numbers[] = {reads_a(w->criterion) ? d->p_max : NAN,
                            reads_c(w->criterion) ? d->k : NAN,
                            reads_c(w->criterion) ? d->gamma : NAN,
                            t->ms_update,
                            t->ms_query,
                            total_ms(t),
                            t->n_v / t->frames,
                            t->n_p / t->frames,
                            t->n_u / t->frames,
                            total_ms(&all[REFIT_ALL]) / total_ms(t),
                            way_index < WAYS ? rank : NAN,
                            w->paper_s,
                            ways[REFIT_ALL].paper_s / w->paper_s,
                            way_index < WAYS ? rank_paper : NAN};
  bench_text(table, a->size);
  bench_text(table, pl_word(PL_WORDS_GROWTH, growth_of(a->choice)));
  bench_text(table, a->choice == CHOICE_THESIS ? "thesis" : "searched");
  bench_text(table, w->title);
  for (size_t i = 0; i < sizeof numbers / sizeof *numbers; ++i) bench_number(table, numbers[i]);
}

/* --------------------------------------------------------------------------------------- run -- */

static pl_body_def body_of(const way *w, const parameters *p, pl_growth growth)
{
  pl_body_def def = pl_body_def_default();
  if (w->criterion == PL_CRITERION_COUNT) return def;
  def.builder = PL_BUILDER_MATCHING;
  def.arity = 2;
  def.leaf_size = 1;
  def.strategy = PL_STRATEGY_INFLATE;
  def.volume = PL_VOLUME_RSS;
  def.inflate = (pl_inflate_def){w->criterion, p->p_max, p->k, p->gamma, growth};
  return def;
}

/* One scenario with all ways. */
static bool play_match(const stage *s, const act *a, match *m, total totals[ROWS])
{
  frame_cost *costs = calloc((size_t)m->frames, sizeof *costs);
  if (!costs) return bench_fail(s->report, "out of memory");
  bench_compared_scene(&s->report->compared, m->frames, "%s, scenario %d", a->group, m->scenario + 1);
  bool ok = match_find_distances(s, m, a->reference);
  for (int i = 0; i < ROWS && ok; ++i) {
    bench_progress(s->report, "%s, scenario %d of %d: %s", a->group, m->scenario + 1, BITAR_SCENARIOS, ways[i].title);
    pl_body_def def = body_of(&ways[i], &a->of[i], growth_of(a->choice));
    ok = match_play(s, m, &def, ways[i].title, costs);
    if (ok) add_frames(s->report, a->group, &ways[i], m, costs, &totals[i]);
  }
  free(costs);
  return ok;
}

static bool play_act(const stage *s, const act *a, total totals[ROWS])
{
  memset(totals, 0, ROWS * sizeof *totals);
  for (int scenario = 0; scenario < BITAR_SCENARIOS; ++scenario) {
    match m;
    bool made = match_make(scenario, a->detail, a->stride, a->most_frames, &m);
    bool ok =
        made ? play_match(s, a, &m, totals) : bench_fail(s->report, "out of memory for scenario %d", scenario + 1);
    match_free(&m);
    if (!ok) return false;
  }
  for (int i = 0; i < ROWS; ++i) append_row(s->report, a, totals, i);
  return true;
}

/* The thesis' parameters, and for both ways of growth those that the same search finds at the
 * thesis' sizes. */
static bool choose_parameters(const stage *s, const act *a, bool quick, parameters of[CHOICE_COUNT][ROWS])
{
  match pairs[BITAR_SCENARIOS] = {{0}};
  bench_compared_scene(&s->report->compared, 0, "the search");
  bool ok = true;
  for (int p = 0; p < BITAR_SCENARIOS && ok; ++p)
    ok = match_make(p, a->detail, a->stride, a->most_frames, &pairs[p])
             ? match_find_distances(s, &pairs[p], a->reference)
             : bench_fail(s->report, "out of memory for scenario %d", p + 1);
  for (int i = 0; i < ROWS; ++i) {
    pl_criterion c = ways[i].criterion;
    search_space space = {reads_a(c), reads_c(c), ways[i].thesis};
    of[CHOICE_THESIS][i] = ways[i].thesis;
    for (choice who = CHOICE_STAND; who < CHOICE_COUNT && ok; ++who) {
      pl_body_def def = body_of(&ways[i], &ways[i].thesis, growth_of(who));
      ok = bitar_search(s, pairs, &def, &space, ways[i].title, quick, &of[who][i]);
    }
  }
  for (int p = 0; p < BITAR_SCENARIOS; ++p) match_free(&pairs[p]);
  return ok;
}

static int best_of(const total totals[ROWS])
{
  int best = 0;
  for (int i = 0; i < REFIT_ALL; ++i)
    if (totals[i].played && total_ms(&totals[i]) < total_ms(&totals[best])) best = i;
  return best;
}

/* Pairs of criteria that stand in the same order as in table 2, of all pairs. */
static double order_kept(const total totals[ROWS])
{
  int kept = 0, pairs = 0;
  for (int i = 0; i < WAYS; ++i)
    for (int k = i + 1; k < WAYS; ++k) {
      if (!totals[i].played || !totals[k].played) continue;
      ++pairs;
      kept += (total_ms(&totals[i]) < total_ms(&totals[k])) == (ways[i].paper_s < ways[k].paper_s);
    }
  return (double)kept / pairs;
}

/* How much longer one of the baselines takes than the best criterion. */
static double over(const total *baseline, const total totals[ROWS])
{
  return total_ms(baseline) / total_ms(&totals[best_of(totals)]);
}

enum { ACT_THESIS, ACT_STAND, ACT_FOLLOW, ACT_LARGE, ACTS };

static void tell(bench_report *r, total all[ACTS][ROWS], bool quick)
{
  const total *thesis = all[ACT_THESIS], *stand = all[ACT_STAND], *follow = all[ACT_FOLLOW], *large = all[ACT_LARGE];
  bench_headline_add(r, "over_refit_all", over(&follow[REFIT_ALL], follow), 2.839 / 0.332);
  bench_headline_add(r, "over_refit_none", over(&stand[REFIT_NONE], follow), 12.485 / 0.332);
  bench_headline_add(r, "over_refit_all_100x", over(&large[REFIT_ALL], large), NAN);
  bench_headline_add(r, "order_kept", order_kept(follow), NAN);
  bench_headline_add(r, "over_refit_all_stand", over(&stand[REFIT_ALL], stand), 2.839 / 0.332);
  bench_headline_add(r, "over_refit_none_stand", over(&stand[REFIT_NONE], stand), 12.485 / 0.332);
  bench_headline_add(r, "over_refit_all_paper_parameters", over(&thesis[REFIT_ALL], thesis), 2.839 / 0.332);
  bench_headline_add(r, "order_kept_paper_parameters", order_kept(thesis), NAN);
  bench_note(r,
             "Milliseconds for all five scenarios, counts per frame; faster: times faster than refit all, ours and the "
             "thesis'. Update: positions taken, volumes grown or made anew; query: the distance.");
  bench_note(
      r, "Growth: volumes stand and grow by the greatest displacement, as in the thesis, or follow the middle of the "
         "displacements and grow by the rest. over_refit_none: refit none as the thesis has it, standing, over the "
         "best of those that follow; over_refit_none_stand: over the best of those that stand.");
  bench_note(r,
             "Best here: %s; the thesis: (A and B) or (B and C). Of all pairs of rows, %.0f %% stand in the order of "
             "table 2; of volumes that stand, %.0f %% with parameters searched here and %.0f %% with the thesis'.",
             ways[best_of(follow)].title, 100 * order_kept(follow), 100 * order_kept(stand), 100 * order_kept(thesis));
  bench_note(r,
             "Searched: %d runs for each criterion and growth, by the time of all pairs; the same ranges and steps for "
             "volumes that stand and for those that follow, from the thesis' parameters on.",
             bitar_search_runs(quick));
  bench_note(r, "The fifth scenario lasts 62 frames, as table 1 of the thesis has it; its text speaks of 218.");
  bench_note(r, "With more triangles, the first 20 frames of each scenario are played, with volumes that follow: those "
                "that stand outgrow themselves at once where a frame moves them by many triangles' widths.");
}

bool bitar_run(const bench_options *options, bench_report *report)
{
  bench_table_init(&report->summary, columns, sizeof columns / sizeof *columns);
  bench_table_init(&report->steps, step_columns, sizeof step_columns / sizeof *step_columns);
  int stride = options->stride ? options->stride : 1, most = options->quick ? 6 : 0, few = options->quick ? 3 : 20;
  int large = options->quick ? 2 : 10;
  if (options->triangles) large = (int)fmin(fmax(sqrt(options->triangles / 162.0) + 0.5, 2), BITAR_MOST_DETAIL);
  char times[32];
  snprintf(times, sizeof times, "%d times", large * large);
  parameters of[CHOICE_COUNT][ROWS];
  const act acts[ACTS] = {
      [ACT_THESIS] = {"thesis-parameters", "thesis", 1, stride, most, CHOICE_THESIS, true, of[CHOICE_THESIS]},
      [ACT_STAND] = {"thesis-size", "thesis", 1, stride, most, CHOICE_STAND, true, of[CHOICE_STAND]},
      [ACT_FOLLOW] = {"follow", "thesis", 1, stride, most, CHOICE_FOLLOW, true, of[CHOICE_FOLLOW]},
      [ACT_LARGE] = {"100x", times, large, stride, few, CHOICE_FOLLOW, false, of[CHOICE_FOLLOW]}};
  stage s = {.report = report, .reps = options->reps ? options->reps : options->quick ? 1 : 5};
  pl_context_def def = pl_context_def_default();
  def.threads = options->threads ? options->threads : 1;
  if (pl_context_create(&def, &s.context) != PL_OK) return bench_fail(report, "out of memory");
  total totals[ACTS][ROWS];
  bool ok = choose_parameters(&s, &acts[ACT_THESIS], options->quick, of);
  for (int a = 0; a < ACTS && ok; ++a) {
    stage now = s;
    if (acts[a].detail > 1 && !options->reps) now.reps = 1;
    ok = play_act(&now, &acts[a], totals[a]);
  }
  if (ok) {
    snprintf(report->setting, BENCH_LINE,
             "five pairs, 162 to 710 triangles a part, and %d times as many; %d thread%s, %s; smallest of "
             "%d repeats per frame",
             large * large, pl_context_threads(s.context), pl_context_threads(s.context) == 1 ? "" : "s",
             pl_context_simd(s.context), s.reps);
    tell(report, totals, options->quick);
  }
  pl_context_destroy(s.context);
  return ok;
}

void bitar_plot(const bench_report *report, FILE *gp)
{
  static const struct {
    const char *method, *title;
    int style;
  } shown[] = {{"refit-none", "refit none", 1},
               {"refit-all", "refit all", 2},
               {"b-and-c", "B and C", 3},
               {"b", "B", 4},
               {"a", "A", 5},
               {"a-or-bc", "A or (B and C)", 6},
               {"a-and-b", "A and B", 7},
               {"ab-or-bc", "(A and B) or (B and C)", 8}};
  enum { COUNT = sizeof shown / sizeof *shown };
  fputs("set logscale y\nset format y '%g'\nset ylabel 'ms per frame'\nset xlabel 'frame'\nset multiplot layout 3,2\n"
        "unset key\n",
        gp);
  for (int scenario = 0; scenario < BITAR_SCENARIOS; ++scenario) {
    bitar_scenario s = bitar_scenario_of(scenario);
    bench_curve curves[COUNT];
    char query[32];
    snprintf(query, sizeof query, "scenario %d", scenario + 1);
    for (int i = 0; i < COUNT; ++i)
      curves[i] = (bench_curve){"follow", shown[i].method, query, shown[i].title, "total_ms", shown[i].style};
    fprintf(gp, "set title '%s and %s'\n", bitar_part_text(s.part[0]), bitar_part_text(s.part[1]));
    bench_plot_curves(gp, report, curves, COUNT);
  }
  /* The legend has the sixth panel to itself. */
  fputs("unset logscale\nunset title\nunset xlabel\nunset ylabel\nunset border\nunset tics\nunset grid\n"
        "set key inside center center Left reverse spacing 1.3 samplen 3.5\nplot [0:1] [0:1] ",
        gp);
  for (int i = 0; i < COUNT; ++i)
    fprintf(gp, "NaN with lines ls %d title '%s'%s\n", shown[i].style, shown[i].title, i + 1 < COUNT ? ", \\" : "");
  fputs("unset multiplot\n", gp);
}
