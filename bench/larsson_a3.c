/* Larsson, paper A, third experiment (figure 5.4): 27 translating, rotating, deforming bodies of
 * 5 120 triangles in a dense crowd over 200 steps, once bumpy spheres, once bodies with arms;
 * all contacts of every step, through a scene with its broad phase. The paper lets bodies push
 * each other apart; ours follow a choreography that closes in on the centre, so that every
 * method answers the same questions. */
#include "bench/play.h"
#include "bench/plot.h"

#include <math.h>

enum method_index { BERGEN_2, LARSSON_HYBRID, OURS_BOTTOM_UP, OURS_HYBRID, METHOD_COUNT };
enum { ARMS = 8 };

static const struct kind {
  const char *key, *headline_setting;
  int arms;
  double paper_faster;
} kinds[] = {{"spheres", "spheres_paper_setting", 0, 5.6}, {"arms", "arms_paper_setting", ARMS, 4.5}};
enum { KIND_COUNT = sizeof kinds / sizeof *kinds };

static void make_methods(bench_method methods[METHOD_COUNT])
{
  methods[BERGEN_2] = (bench_method){"bergen-2", "van den Bergen, binary", bench_body_bergen(2)};
  methods[LARSSON_HYBRID] =
      (bench_method){"larsson-hybrid", "paper's setting, hybrid", bench_body_larsson(PL_STRATEGY_HYBRID)};
  methods[OURS_BOTTOM_UP] =
      (bench_method){"ours-bottom-up", "our default, bottom-up", bench_body_ours(PL_STRATEGY_BOTTOM_UP)};
  methods[OURS_HYBRID] = (bench_method){"ours-hybrid", "our default, hybrid", bench_body_ours(PL_STRATEGY_HYBRID)};
}

static const bench_column columns[] = {
    {"bodies", "", 0},           {"method", NULL, 0},         {"name", "method", 0},    {"update_ms", "update", 3},
    {"query_ms", "query", 3},    {"total_ms", "total ms", 3}, {"worst_ms", "worst", 3}, {"n_v", "n_v", 0},
    {"n_p", "n_p", 0},           {"n_u", "n_u", 0},           {"pairs", "pairs", 1},    {"faster", "faster", 2},
    {"faster_paper", "paper", 1}};

static bench_mean mean_of(const bench_play *play, int player)
{
  return bench_mean_over(play, player, BENCH_ALL, 0, play->poses->frames);
}

static void append_row(const bench_play *play, int player, const struct kind *kind)
{
  bench_table *t = &play->report->summary;
  bench_mean m = mean_of(play, player);
  const bench_frame *worst = &play->players[player].frames[BENCH_ALL][bench_worst_frame(play, player, BENCH_ALL)];
  bool hybrid = player == LARSSON_HYBRID || player == OURS_HYBRID;
  const double numbers[] = {m.ms_update,
                            m.ms_query,
                            m.ms_total,
                            worst->ms_update + worst->ms_query,
                            m.n_v,
                            m.n_p,
                            m.n_u,
                            m.pairs,
                            mean_of(play, BERGEN_2).ms_total / m.ms_total,
                            hybrid ? kind->paper_faster : NAN};
  bench_text(t, kind->key);
  bench_text(t, play->players[player].method->key);
  bench_text(t, play->players[player].method->title);
  for (size_t i = 0; i < sizeof numbers / sizeof *numbers; ++i) bench_number(t, numbers[i]);
}

static double faster(const bench_play *play, int player)
{
  return mean_of(play, BERGEN_2).ms_total / mean_of(play, player).ms_total;
}

/* Brute force over up to 351 pairs of bodies takes seconds, so two steps must do: the middle and
 * the last. */
static bool check(bench_play *play)
{
  int last = play->poses->frames - 1;
  return bench_play_check(play, last / 2, BENCH_BY_REFERENCE) && bench_play_check(play, last, BENCH_BY_REFERENCE);
}

static bool measure(const bench_options *options, bench_report *report, bench_cast *cast, const bench_poses *poses,
                    const struct kind *kind)
{
  bench_play play;
  bench_method methods[METHOD_COUNT];
  make_methods(methods);
  int reps = options->reps ? options->reps : options->quick ? 1 : 3;
  bool ok = bench_play_open(&play, options, report, cast, poses, methods, METHOD_COUNT, true) && check(&play) &&
            bench_play_run(&play, BENCH_ALL, reps);
  if (ok) {
    char scene[96];
    snprintf(scene, sizeof scene, "%d bodies of %zu triangles, %d steps", cast->bodies, cast->meshes[0].triangle_count,
             poses->frames);
    bench_setting(&play, scene, reps);
    for (int i = 0; i < METHOD_COUNT; ++i) append_row(&play, i, kind);
    bench_steps_append(&play, kind->key, BENCH_ALL);
    bench_headline_add(report, kind->key, faster(&play, OURS_HYBRID), kind->paper_faster);
    bench_headline_add(report, kind->headline_setting, faster(&play, LARSSON_HYBRID), kind->paper_faster);
  }
  bench_play_close(&play);
  return ok;
}

static bool run_kind(const bench_options *options, bench_report *report, const struct kind *kind)
{
  bench_cast cast = {0};
  bench_poses poses = {0};
  int triangles = options->triangles ? options->triangles : options->quick ? 320 : SCENE_S2_TRIANGLES;
  int stride = options->stride ? options->stride : options->quick ? 40 : 1;
  bench_compared_scene(&report->compared, 0, "%s", kind->key);
  bench_progress(report, "%s: posing %s", report->experiment, kind->key);
  bool ok = bench_cast_s2(triangles, kind->arms, &cast) && bench_poses_make(&cast, stride, true, true, &poses);
  if (!ok) bench_fail(report, "out of memory for %d triangles; try --steps-stride 10", triangles);
  ok = ok && measure(options, report, &cast, &poses, kind);
  bench_poses_free(&poses);
  bench_cast_free(&cast);
  return ok;
}

bool larsson_a3_run(const bench_options *options, bench_report *report)
{
  bench_table_init(&report->summary, columns, sizeof columns / sizeof *columns);
  bench_table_init(&report->steps, bench_step_columns, bench_step_column_count);
  for (int k = 0; k < KIND_COUNT; ++k)
    if (!run_kind(options, report, &kinds[k])) return false;
  bench_note(
      report,
      "Milliseconds per step for all bodies, mean over the steps; worst: the dearest step; faster: times faster than "
      "van den Bergen's binary trees.");
  bench_note(
      report,
      "The paper: 5.6 times faster with bumpy spheres, 4.5 times with armed bodies; its bodies push each other apart, "
      "ours close in on the centre by a fixed choreography.");
  return true;
}

void larsson_a3_plot(const bench_report *report, FILE *gp)
{
  fputs("set logscale y\nset format y '%g'\nset ylabel 'ms per step'\nset xrange [0:200]\nset multiplot layout 2,1\n",
        gp);
  for (int k = 0; k < KIND_COUNT; ++k) {
    const bench_curve curves[] = {{kinds[k].key, "bergen-2", "all", "van den Bergen, binary", "total_ms", 1},
                                  {kinds[k].key, "larsson-hybrid", "all", "paper, hybrid", "total_ms", 5},
                                  {kinds[k].key, "ours-bottom-up", "all", "ours, bottom-up", "total_ms", 6},
                                  {kinds[k].key, "ours-hybrid", "all", "ours, hybrid", "total_ms", 8}};
    fprintf(gp, "set title '27 bodies: %s'\n%s", kinds[k].key, k ? "set xlabel 'step'\n" : "");
    bench_plot_curves(gp, report, curves, (int)(sizeof curves / sizeof *curves));
  }
  fputs("unset multiplot\n", gp);
}
