/* Larsson, paper A, first experiment (figure 5.3): two bumpy spheres of 20 480 triangles sink
 * into each other over 200 steps. All ways of updating, in the paper's setting and in ours,
 * against van den Bergen's method (AABB trees in model space, all refitted bottom-up, oriented
 * tests), for all pairs and for the first pair. His row goes through the same tree code as all
 * others; what it would be with a refit written for binary trees alone is a row of its own. Our
 * scene: first contact and number of pairs differ from the paper's, whose bodies are not
 * published. */
#include "bench/binary_refit.h"
#include "bench/larsson_a1_rough.h"
#include "bench/play.h"
#include "bench/plot.h"

#include <math.h>
#include <stdlib.h>

enum method_index {
  BERGEN_2,
  BERGEN_8,
  LARSSON_BOTTOM_UP,
  LARSSON_TOP_DOWN,
  LARSSON_HYBRID,
  LARSSON_HYBRID_4,
  LARSSON_HYBRID_2,
  OURS_BOTTOM_UP,
  OURS_TOP_DOWN,
  OURS_HYBRID,
  OURS_PARTITION,
  METHOD_COUNT
};

/* What the paper says: about five times faster, in simple and hard steps; where its bodies first
 * touch, and how much at last. */
static const double PAPER_FASTER = 5;
static const int PAPER_FIRST_CONTACT = 60, PAPER_LAST_PAIRS = 3760;

static void make_methods(bench_method methods[METHOD_COUNT])
{
  pl_body_def partition = bench_body_ours(PL_STRATEGY_HYBRID);
  partition.builder = PL_BUILDER_PARTITION;
  const bench_method list[METHOD_COUNT] = {
      [BERGEN_2] = {"bergen-2", "van den Bergen, binary", bench_body_bergen(2)},
      [BERGEN_8] = {"bergen-8", "van den Bergen, 8-ary", bench_body_bergen(8)},
      [LARSSON_BOTTOM_UP] = {"larsson-bottom-up", "paper's setting, bottom-up",
                             bench_body_larsson(PL_STRATEGY_BOTTOM_UP)},
      [LARSSON_TOP_DOWN] = {"larsson-top-down", "paper's setting, top-down", bench_body_larsson(PL_STRATEGY_TOP_DOWN)},
      [LARSSON_HYBRID] = {"larsson-hybrid", "paper's setting, hybrid", bench_body_larsson(PL_STRATEGY_HYBRID)},
      [LARSSON_HYBRID_4] = {"larsson-hybrid-4", "the same, 4 children", bench_body_larsson_of(4)},
      [LARSSON_HYBRID_2] = {"larsson-hybrid-2", "the same, 2 children", bench_body_larsson_of(2)},
      [OURS_BOTTOM_UP] = {"ours-bottom-up", "our default, bottom-up", bench_body_ours(PL_STRATEGY_BOTTOM_UP)},
      [OURS_TOP_DOWN] = {"ours-top-down", "our default, top-down", bench_body_ours(PL_STRATEGY_TOP_DOWN)},
      [OURS_HYBRID] = {"ours-hybrid", "our default, hybrid", bench_body_ours(PL_STRATEGY_HYBRID)},
      [OURS_PARTITION] = {"ours-partition", "ours, by connectivity, hybrid", partition},
  };
  for (int i = 0; i < METHOD_COUNT; ++i) methods[i] = list[i];
}

/* ------------------------------------------------------------------------------------ report -- */

static const bench_column columns[] = {{"query", "", 0},           {"method", NULL, 0},
                                       {"name", "method", 0},      {"update_ms", "update", 4},
                                       {"query_ms", "query", 4},   {"total_ms", "total ms", 4},
                                       {"simple_ms", "simple", 4}, {"hard_ms", "hard", 4},
                                       {"n_v", "n_v", 0},          {"n_p", "n_p", 0},
                                       {"n_u", "n_u", 0},          {"pairs", "pairs", 1},
                                       {"faster", "faster", 2},    {"faster_simple", "simple", 2},
                                       {"faster_hard", "hard", 2}, {"faster_paper", "paper", 1}};

typedef struct phases {
  bench_mean all, simple, hard; /* all steps; before the first contact; the last fifth */
} phases;

static phases phases_of(const bench_play *play, int player, bench_mode mode)
{
  int frames = play->poses->frames, contact = bench_first_contact(play, BERGEN_2);
  return (phases){bench_mean_over(play, player, mode, 0, frames), bench_mean_over(play, player, mode, 0, contact),
                  bench_mean_over(play, player, mode, frames - (frames + 4) / 5, frames)};
}

/* Van den Bergen's binary trees, with the time of a refit by a loop of its own in place of
 * theirs; queries are theirs. */
typedef struct loop_baseline {
  double *ms; /* of the refit, for each frame */
  double n_u;
} loop_baseline;

static phases phases_with_loop(const bench_play *play, const loop_baseline *loop, bench_mode mode)
{
  phases p = phases_of(play, BERGEN_2, mode);
  int frames = play->poses->frames, contact = bench_first_contact(play, BERGEN_2), hard = frames - (frames + 4) / 5;
  struct {
    bench_mean *mean;
    int begin, end;
  } parts[] = {{&p.all, 0, frames}, {&p.simple, 0, contact}, {&p.hard, hard, frames}};
  for (size_t i = 0; i < sizeof parts / sizeof *parts; ++i) {
    double sum = 0;
    for (int f = parts[i].begin; f < parts[i].end; ++f) sum += loop->ms[f];
    parts[i].mean->ms_update = sum / (parts[i].end - parts[i].begin);
    parts[i].mean->ms_total = parts[i].mean->ms_update + parts[i].mean->ms_query;
    parts[i].mean->n_u = loop->n_u;
  }
  return p;
}

static void append_row(const bench_play *play, const char *key, const char *title, bool hybrid, phases p,
                       bench_mode mode)
{
  bench_table *t = &play->report->summary;
  phases base = phases_of(play, BERGEN_2, mode);
  bench_text(t, bench_mode_text(mode));
  bench_text(t, key);
  bench_text(t, title);
  const double numbers[] = {p.all.ms_update,
                            p.all.ms_query,
                            p.all.ms_total,
                            p.simple.ms_total,
                            p.hard.ms_total,
                            p.all.n_v,
                            p.all.n_p,
                            p.all.n_u,
                            p.all.pairs,
                            base.all.ms_total / p.all.ms_total,
                            base.simple.ms_total / p.simple.ms_total,
                            base.hard.ms_total / p.hard.ms_total,
                            hybrid ? PAPER_FASTER : NAN};
  for (size_t i = 0; i < sizeof numbers / sizeof *numbers; ++i) bench_number(t, numbers[i]);
}

static void append_rows(const bench_play *play, const loop_baseline *loop, bench_mode mode)
{
  for (int i = 0; i < METHOD_COUNT; ++i) {
    const bench_method *m = play->players[i].method;
    append_row(play, m->key, m->title, i == LARSSON_HYBRID || i == OURS_HYBRID, phases_of(play, i, mode), mode);
    if (i == BERGEN_2)
      append_row(play, "bergen-2-loop", "the same, a loop's refit", false, phases_with_loop(play, loop, mode), mode);
  }
}

static double faster(const bench_play *play, bench_mode mode, int than, int player)
{
  return phases_of(play, than, mode).all.ms_total / phases_of(play, player, mode).all.ms_total;
}

static void add_headlines(const bench_play *play, const loop_baseline *loop)
{
  bench_report *r = play->report;
  phases ours = phases_of(play, OURS_HYBRID, BENCH_ALL), base = phases_of(play, BERGEN_2, BENCH_ALL);
  phases up = phases_of(play, OURS_BOTTOM_UP, BENCH_ALL);
  double larsson_up = phases_of(play, LARSSON_BOTTOM_UP, BENCH_ALL).all.ms_update;
  double best_up = up.all.ms_update < larsson_up ? up.all.ms_update : larsson_up;
  bench_headline_add(r, "all", faster(play, BENCH_ALL, BERGEN_2, OURS_HYBRID), PAPER_FASTER);
  bench_headline_add(r, "first", faster(play, BENCH_FIRST, BERGEN_2, OURS_HYBRID), PAPER_FASTER);
  bench_headline_add(r, "update", best_up / ours.all.ms_update, NAN);
  bench_headline_add(r, "all_simple", base.simple.ms_total / ours.simple.ms_total, PAPER_FASTER);
  bench_headline_add(r, "all_hard", base.hard.ms_total / ours.hard.ms_total, PAPER_FASTER);
  bench_headline_add(r, "all_paper_setting", faster(play, BENCH_ALL, BERGEN_2, LARSSON_HYBRID), PAPER_FASTER);
  bench_headline_add(r, "first_paper_setting", faster(play, BENCH_FIRST, BERGEN_2, LARSSON_HYBRID), PAPER_FASTER);
  bench_headline_add(r, "all_arity_8_over_4", faster(play, BENCH_ALL, LARSSON_HYBRID_4, LARSSON_HYBRID), NAN);
  bench_headline_add(r, "all_arity_8_over_2", faster(play, BENCH_ALL, LARSSON_HYBRID_2, LARSSON_HYBRID), NAN);
  bench_headline_add(r, "all_vs_bottom_up", up.all.ms_total / ours.all.ms_total, NAN);
  phases by_loop = phases_with_loop(play, loop, BENCH_ALL), first_by_loop = phases_with_loop(play, loop, BENCH_FIRST);
  bench_headline_add(r, "all_vs_loop", by_loop.all.ms_total / ours.all.ms_total, NAN);
  bench_headline_add(r, "first_vs_loop",
                     first_by_loop.all.ms_total / phases_of(play, OURS_HYBRID, BENCH_FIRST).all.ms_total, NAN);
  bench_headline_add(r, "loop_update", base.all.ms_update / by_loop.all.ms_update, NAN);
}

static void add_notes(const bench_play *play)
{
  bench_report *r = play->report;
  const bench_poses *poses = play->poses;
  int contact = bench_first_contact(play, OURS_HYBRID);
  size_t last = play->players[OURS_HYBRID].frames[BENCH_ALL][poses->frames - 1].pairs;
  bench_note(r, "Milliseconds per step, mean over the steps; simple: before the first contact; hard: the last fifth; "
                "faster: times "
                "faster than van den Bergen's binary trees.");
  bench_note(r, "Update is before the query: taking the positions counts, volumes refreshed on demand count as query.");
  bench_note(
      r, "A loop's refit: all boxes of binary trees with one triangle per leaf by one loop written for these alone "
         "(bench/binary_refit.c), without taking the positions; the query is that of the row above. loop_update: times "
         "faster than the update of that row.");
  if (contact < poses->frames)
    bench_note(r, "First contact at step %d (paper: %d); %zu pairs in the last step (paper: %d).",
               poses->steps[contact], PAPER_FIRST_CONTACT, last, PAPER_LAST_PAIRS);
  bench_note(
      r,
      "The paper: hybrid about five times faster than van den Bergen's, in simple and hard steps, for all pairs and "
      "the first; his 8-ary variant 1.1 to 1.2 times faster than his binary one (here %.2f).",
      faster(play, BENCH_ALL, BERGEN_2, BERGEN_8));
}

static void note_arity(const bench_play *play)
{
  bench_note(play->report,
             "Children per node in the paper's setting, hybrid: 2, 4, 8 are %.1f, %.1f, %.1f times faster than van den "
             "Bergen's for "
             "all pairs, %.1f, %.1f, %.1f for the first (the paper: 8 slightly better in all its experiments).",
             faster(play, BENCH_ALL, BERGEN_2, LARSSON_HYBRID_2), faster(play, BENCH_ALL, BERGEN_2, LARSSON_HYBRID_4),
             faster(play, BENCH_ALL, BERGEN_2, LARSSON_HYBRID), faster(play, BENCH_FIRST, BERGEN_2, LARSSON_HYBRID_2),
             faster(play, BENCH_FIRST, BERGEN_2, LARSSON_HYBRID_4),
             faster(play, BENCH_FIRST, BERGEN_2, LARSSON_HYBRID));
}

/* --------------------------------------------------------------------------------------- run -- */

static bool measure(const bench_options *options, bench_report *report, bench_cast *cast, const bench_poses *poses)
{
  bench_play play;
  bench_method methods[METHOD_COUNT];
  make_methods(methods);
  int reps = options->reps ? options->reps : options->quick ? 1 : 5;
  loop_baseline loop = {.ms = calloc((size_t)poses->frames, sizeof *loop.ms)};
  if (!loop.ms) return bench_fail(report, "out of memory");
  bool ok = bench_play_open(&play, options, report, cast, poses, methods, METHOD_COUNT, false) &&
            bench_play_check_some(&play, OURS_HYBRID, BENCH_BY_REFERENCE) && bench_play_run(&play, BENCH_ALL, reps) &&
            bench_play_run(&play, BENCH_FIRST, reps) && bench_binary_refit(&play, reps, loop.ms, &loop.n_u);
  if (ok) {
    char scene[64];
    snprintf(scene, sizeof scene, "2 x %zu triangles, %d steps", cast->meshes[0].triangle_count, poses->frames);
    bench_setting(&play, scene, reps);
    for (int mode = 0; mode < BENCH_MODE_COUNT; ++mode) {
      append_rows(&play, &loop, (bench_mode)mode);
      bench_steps_append(&play, "S1", (bench_mode)mode);
    }
    add_headlines(&play, &loop);
    add_notes(&play);
    note_arity(&play);
  }
  bench_play_close(&play);
  free(loop.ms);
  return ok;
}

bool larsson_a1_run(const bench_options *options, bench_report *report)
{
  bench_cast cast = {0};
  bench_poses poses = {0};
  bench_table_init(&report->summary, columns, sizeof columns / sizeof *columns);
  bench_table_init(&report->steps, bench_step_columns, bench_step_column_count);
  int triangles = options->triangles ? options->triangles : options->quick ? 1280 : 20480;
  int stride = options->stride ? options->stride : options->quick ? 10 : 1;
  bool ok = bench_cast_s1(triangles, &cast) && bench_poses_make(&cast, stride, true, true, &poses);
  if (!ok) bench_fail(report, "out of memory for %d triangles; try --steps-stride 10", triangles);
  ok = ok && measure(options, report, &cast, &poses) && larsson_a1_rough(options, report, triangles, stride);
  bench_poses_free(&poses);
  bench_cast_free(&cast);
  return ok;
}

void larsson_a1_plot(const bench_report *report, FILE *gp)
{
  static const struct {
    const char *method, *title;
    int style;
  } shown[] = {{"bergen-2", "van den Bergen, binary", 1},
               {"bergen-8", "van den Bergen, 8-ary", 2},
               {"larsson-bottom-up", "paper, bottom-up", 3},
               {"larsson-top-down", "paper, top-down", 4},
               {"larsson-hybrid", "paper, hybrid", 5},
               {"ours-bottom-up", "ours, bottom-up", 6},
               {"ours-top-down", "ours, top-down", 7},
               {"ours-partition", "ours, hybrid, connectivity", 9},
               {"ours-hybrid", "ours, hybrid", 8}};
  enum { COUNT = sizeof shown / sizeof *shown };
  bench_curve curves[COUNT];
  fputs("set logscale y\nset format y '%g'\nset ylabel 'ms per step'\nset xrange [0:200]\n", gp);
  fputs("set multiplot layout 2,1\n", gp);
  for (int mode = 0; mode < BENCH_MODE_COUNT; ++mode) {
    for (int i = 0; i < COUNT; ++i)
      curves[i] = (bench_curve){"S1",           shown[i].method, mode == BENCH_ALL ? "all" : "first",
                                shown[i].title, "total_ms",      shown[i].style};
    fprintf(gp, "set title '%s, update and query'\n%s", bench_mode_text((bench_mode)mode),
            mode == BENCH_FIRST ? "set xlabel 'step'\n" : "");
    bench_plot_curves(gp, report, curves, COUNT);
  }
  fputs("unset multiplot\n", gp);
}
