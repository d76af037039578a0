#include "bench/larsson_a1_rough.h"

#include "bench/play.h"

#include <math.h>

enum method_index { BERGEN_2, LARSSON_2, LARSSON_4, LARSSON_8, OURS_BOTTOM_UP, OURS_HYBRID, METHOD_COUNT };

/* Of every so many steps one is played: the scene is one of several, and steps differ little. */
enum { THINNING = 4 };

static void make_methods(bench_method methods[METHOD_COUNT])
{
  const bench_method list[METHOD_COUNT] = {
      [BERGEN_2] = {"bergen-2", "van den Bergen, binary", bench_body_bergen(2)},
      [LARSSON_2] = {"larsson-hybrid-2", "paper's setting, hybrid, 2 children", bench_body_larsson_of(2)},
      [LARSSON_4] = {"larsson-hybrid-4", "paper's setting, hybrid, 4 children", bench_body_larsson_of(4)},
      [LARSSON_8] = {"larsson-hybrid", "paper's setting, hybrid, 8 children", bench_body_larsson_of(8)},
      [OURS_BOTTOM_UP] = {"ours-bottom-up", "our default, bottom-up", bench_body_ours(PL_STRATEGY_BOTTOM_UP)},
      [OURS_HYBRID] = {"ours-hybrid", "our default, hybrid", bench_body_ours(PL_STRATEGY_HYBRID)},
  };
  for (int i = 0; i < METHOD_COUNT; ++i) methods[i] = list[i];
}

static const bench_column columns[] = {{"query", "rough surfaces", 0},
                                       {"method", NULL, 0},
                                       {"name", "method", 0},
                                       {"update_ms", "update", 4},
                                       {"query_ms", "query", 4},
                                       {"total_ms", "total ms", 4},
                                       {"hard_ms", "hard", 4},
                                       {"n_v", "n_v", 0},
                                       {"n_p", "n_p", 0},
                                       {"n_u", "n_u", 0},
                                       {"pairs", "pairs", 1},
                                       {"faster", "faster", 2},
                                       {"faster_hard", "hard", 2}};

/* Over all steps, and over the last fifth of them. */
static bench_mean mean_of(const bench_play *play, int player, bench_mode mode, bool hard)
{
  int frames = play->poses->frames;
  return bench_mean_over(play, player, mode, hard ? frames - (frames + 4) / 5 : 0, frames);
}

static double faster(const bench_play *play, int player, bench_mode mode, bool hard)
{
  return mean_of(play, BERGEN_2, mode, hard).ms_total / mean_of(play, player, mode, hard).ms_total;
}

static void append_row(const bench_play *play, int player, bench_mode mode)
{
  bench_table *t = &play->report->variants;
  bench_mean m = mean_of(play, player, mode, false);
  const double numbers[] = {m.ms_update,
                            m.ms_query,
                            m.ms_total,
                            mean_of(play, player, mode, true).ms_total,
                            m.n_v,
                            m.n_p,
                            m.n_u,
                            m.pairs,
                            faster(play, player, mode, false),
                            faster(play, player, mode, true)};
  bench_text(t, bench_mode_text(mode));
  bench_text(t, play->players[player].method->key);
  bench_text(t, play->players[player].method->title);
  for (size_t i = 0; i < sizeof numbers / sizeof *numbers; ++i) bench_number(t, numbers[i]);
}

static bool measure(const bench_options *options, bench_report *report, bench_cast *cast, const bench_poses *poses)
{
  bench_play play;
  bench_method methods[METHOD_COUNT];
  make_methods(methods);
  int reps = options->reps ? options->reps : options->quick ? 1 : 3;
  bench_compared_scene(&report->compared, 0, "rough surfaces");
  bool ok = bench_play_open(&play, options, report, cast, poses, methods, METHOD_COUNT, false) &&
            bench_play_check_some(&play, OURS_HYBRID, BENCH_BY_REFERENCE) && bench_play_run(&play, BENCH_ALL, reps) &&
            bench_play_run(&play, BENCH_FIRST, reps);
  if (ok) {
    for (int mode = 0; mode < BENCH_MODE_COUNT; ++mode)
      for (int i = 0; i < METHOD_COUNT; ++i) append_row(&play, i, (bench_mode)mode);
    bench_headline_add(report, "rough_all", faster(&play, OURS_HYBRID, BENCH_ALL, false), 5);
    bench_headline_add(report, "rough_all_paper_setting", faster(&play, LARSSON_8, BENCH_ALL, false), 5);
    bench_headline_add(report, "rough_first", faster(&play, OURS_HYBRID, BENCH_FIRST, false), 5);
    bench_note(
        report,
        "Rough surfaces: the same two bodies, every vertex swings by about an edge; %d of the steps, %zu pairs in the "
        "last (paper: 3760).",
        poses->frames, play.players[OURS_HYBRID].frames[BENCH_ALL][poses->frames - 1].pairs);
  }
  bench_play_close(&play);
  return ok;
}

bool larsson_a1_rough(const bench_options *options, bench_report *report, int triangles, int stride)
{
  bench_cast cast = {0};
  bench_poses poses = {0};
  bench_table_init(&report->variants, columns, sizeof columns / sizeof *columns);
  bool ok = bench_cast_s1r(triangles, &cast) &&
            bench_poses_make(&cast, options->quick ? stride : THINNING * stride, true, true, &poses);
  if (!ok) bench_fail(report, "out of memory for %d triangles; try --steps-stride 10", triangles);
  ok = ok && measure(options, report, &cast, &poses);
  bench_poses_free(&poses);
  bench_cast_free(&cast);
  return ok;
}
