/* Larsson, paper B, second experiment (figure 6.8): twelve dolphins swim closely together and
 * beat their tails (three references), at 564, 2 256, 9 024 and 36 096 triangles as in the paper,
 * and at 144 384; all contacts, and the first of every two bodies, through a scene. Morphing
 * bodies against free ones with the hybrid update, whose vertices the caller blends and places,
 * all of them, every step; both with our defaults and in the paper's setting (one triangle per
 * leaf). */
#include "bench/larsson_b_variants.h"
#include "bench/play.h"
#include "bench/plot.h"

#include <math.h>

enum method_index { HYBRID, MORPH, LARSSON_HYBRID, LARSSON_MORPH, METHOD_COUNT };

/* What a method is compared with: the hybrid of its own setting. */
static int base_of(int method) { return method < LARSSON_HYBRID ? HYBRID : LARSSON_HYBRID; }

/* What the paper says: from, to; not which size has which. */
static const double PAPER_ALL[2] = {1.5, 9}, PAPER_FIRST[2] = {2, 58};

static void make_methods(bench_method methods[METHOD_COUNT])
{
  methods[HYBRID] = (bench_method){"hybrid", "free, hybrid", bench_body_ours(PL_STRATEGY_HYBRID)};
  methods[MORPH] = (bench_method){"morph", "morphing", bench_body_ours(PL_STRATEGY_BLEND)};
  methods[LARSSON_HYBRID] =
      (bench_method){"larsson-hybrid", "paper's setting, hybrid", bench_body_larsson(PL_STRATEGY_HYBRID)};
  methods[LARSSON_MORPH] =
      (bench_method){"larsson-morph", "paper's setting, morphing", bench_body_larsson(PL_STRATEGY_BLEND)};
}

/* The largest size of the paper: headlines are of this, or of the largest that was played. */
enum { PAPER_LEVEL = 3 };

static int triangles_at(int level) { return MORPH_DOLPHIN_TRIANGLES << 2 * level; }

/* ------------------------------------------------------------------------------------ report -- */

static const bench_column columns[] = {{"query", "", 0},
                                       {"triangles", "triangles", 0},
                                       {"method", NULL, 0},
                                       {"name", "method", 0},
                                       {"blend_ms", "blend", 4},
                                       {"update_ms", "update", 4},
                                       {"query_ms", "query", 4},
                                       {"total_ms", "without blend", 4},
                                       {"step_ms", "step ms", 4},
                                       {"n_v", "n_v", 0},
                                       {"n_p", "n_p", 0},
                                       {"n_u", "n_u", 0},
                                       {"pairs", "pairs", 1},
                                       {"faster", "faster", 2},
                                       {"faster_without_blend", "without blend", 2}};

/* What was found, by size; rows are written when all are there, all pairs first. */
typedef struct findings {
  bench_mean mean[BENCH_MODE_COUNT][MORPH_DOLPHIN_LEVELS][METHOD_COUNT];
  int levels; /* played */
} findings;

static void append_row(bench_table *t, const findings *all, int mode, int level, int player)
{
  bench_method methods[METHOD_COUNT];
  make_methods(methods);
  const bench_mean *m = &all->mean[mode][level][player], *base = &all->mean[mode][level][base_of(player)];
  const double numbers[] = {m->ms_blend,
                            m->ms_update,
                            m->ms_query,
                            m->ms_total,
                            m->ms_step,
                            m->n_v,
                            m->n_p,
                            m->n_u,
                            m->pairs,
                            base->ms_step / m->ms_step,
                            base->ms_total / m->ms_total};
  bench_text(t, bench_mode_text((bench_mode)mode));
  bench_number(t, triangles_at(level));
  bench_text(t, methods[player].key);
  bench_text(t, methods[player].title);
  for (size_t i = 0; i < sizeof numbers / sizeof *numbers; ++i) bench_number(t, numbers[i]);
}

static int main_level(const findings *all) { return all->levels - 1 < PAPER_LEVEL ? all->levels - 1 : PAPER_LEVEL; }

static double faster_at(const findings *all, int level, int mode, int player, bool blending)
{
  const bench_mean *m = &all->mean[mode][level][player], *base = &all->mean[mode][level][base_of(player)];
  return blending ? base->ms_step / m->ms_step : base->ms_total / m->ms_total;
}

static double faster(const findings *all, int mode, int player, bool blending)
{
  return faster_at(all, main_level(all), mode, player, blending);
}

static double growth(const findings *all, int mode, int player)
{
  return all->mean[mode][main_level(all)][player].ms_step / all->mean[mode][0][player].ms_step;
}

static void report_findings(const findings *all, bench_report *r)
{
  for (int mode = 0; mode < BENCH_MODE_COUNT; ++mode)
    for (int level = 0; level < all->levels; ++level)
      for (int i = 0; i < METHOD_COUNT; ++i) append_row(&r->summary, all, mode, level, i);
  bench_headline_add(r, "all_36096", faster(all, BENCH_ALL, MORPH, true), NAN);
  bench_headline_add(r, "first_36096", faster(all, BENCH_FIRST, MORPH, true), NAN);
  bench_headline_add(r, "growth_first", growth(all, BENCH_FIRST, MORPH), NAN);
  bench_headline_add(r, "growth_all", growth(all, BENCH_ALL, MORPH), NAN);
  bench_headline_add(r, "all_36096_without_blend", faster(all, BENCH_ALL, MORPH, false), NAN);
  bench_headline_add(r, "first_36096_without_blend", faster(all, BENCH_FIRST, MORPH, false), NAN);
  bench_headline_add(r, "all_36096_paper_setting", faster(all, BENCH_ALL, LARSSON_MORPH, true), NAN);
  bench_headline_add(r, "first_36096_paper_setting", faster(all, BENCH_FIRST, LARSSON_MORPH, true), NAN);
  bench_headline_add(r, "growth_first_paper_setting", growth(all, BENCH_FIRST, LARSSON_MORPH), NAN);
  if (all->levels > PAPER_LEVEL + 1) {
    bench_headline_add(r, "all_144384", faster_at(all, PAPER_LEVEL + 1, BENCH_ALL, MORPH, true), NAN);
    bench_headline_add(r, "first_144384", faster_at(all, PAPER_LEVEL + 1, BENCH_FIRST, MORPH, true), NAN);
  }
  bench_note(
      r,
      "Milliseconds per step for all twelve, mean over the steps; step: with the blending and placing of all vertices "
      "(in float, by the caller) that free bodies need and morphing ones do not; faster: times faster than the "
      "hybrid of the same setting. Paper's setting: cut at the centre, one triangle per leaf.");
  if (all->levels <= PAPER_LEVEL)
    bench_note(r, "36096 triangles were not played: the headlines are of the largest size, %d.",
               triangles_at(main_level(all)));
  bench_note(r,
             "growth: times dearer for %d times the triangles (free, hybrid: %.1f for the first pairs, %.1f for all).",
             triangles_at(main_level(all)) / triangles_at(0), growth(all, BENCH_FIRST, HYBRID),
             growth(all, BENCH_ALL, HYBRID));
  bench_note(r,
             "The two round differently (float, double), so their pairs may differ by a few; each is compared with the "
             "reference on its own numbers.");
  bench_note(r,
             "The paper: %g to %g times faster for all pairs, %g to %g for the first; growth less than "
             "linear.",
             PAPER_ALL[0], PAPER_ALL[1], PAPER_FIRST[0], PAPER_FIRST[1]);
}

/* --------------------------------------------------------------------------------------- run -- */

/* Brute force over all bodies takes 0.01 s per step for the smallest and minutes for the largest of
 * the paper. Beyond, our methods are compared with those in the paper's setting. */
static bench_check_by check_by(int level)
{
  return level < 2 ? BENCH_BY_REFERENCE : level <= PAPER_LEVEL ? BENCH_BY_SOME_REFERENCE : BENCH_BY_LAST_PLAYER;
}

static bool check(bench_play *play, int level)
{
  static const int wanted[MORPH_DOLPHIN_LEVELS] = {24, 2, 1, 1, 1};
  int frames = play->poses->frames, count = wanted[level] < frames ? wanted[level] : frames;
  for (int i = 0; i < count; ++i)
    if (!bench_play_check(play, (2 * i + 1) * frames / (2 * count), check_by(level))) return false;
  return true;
}

static bool measure(const bench_options *options, bench_report *report, bench_cast *cast, const bench_poses *poses,
                    int level, findings *all)
{
  bench_play play;
  bench_method methods[METHOD_COUNT];
  make_methods(methods);
  int reps = options->reps ? options->reps : options->quick ? 1 : 3;
  char group[16];
  snprintf(group, sizeof group, "%d", triangles_at(level));
  bool ok = bench_play_open(&play, options, report, cast, poses, methods, METHOD_COUNT, true) && check(&play, level);
  for (int mode = 0; ok && mode < BENCH_MODE_COUNT; ++mode) {
    ok = bench_play_run(&play, (bench_mode)mode, reps);
    for (int i = 0; ok && i < METHOD_COUNT; ++i)
      all->mean[mode][level][i] = bench_mean_over(&play, i, (bench_mode)mode, 0, poses->frames);
    if (ok) bench_steps_append(&play, group, (bench_mode)mode);
  }
  if (ok) {
    char scene[96];
    snprintf(scene, sizeof scene, "%d bodies of up to %zu triangles, %d references, %d steps", cast->bodies,
             cast->shape.triangle_count, cast->shape.reference_count, poses->frames);
    bench_setting(&play, scene, reps);
    all->levels = level + 1;
  }
  bench_play_close(&play);
  return ok;
}

static bool run_level(const bench_options *options, bench_report *report, int level, findings *all)
{
  bench_cast cast = {0};
  bench_poses poses = {0};
  int stride = options->stride ? options->stride : options->quick ? 40 : 1;
  bench_compared_scene(&report->compared, 0, "%d triangles", triangles_at(level));
  bench_progress(report, "%s: making dolphins of %d triangles", report->experiment, triangles_at(level));
  bool ok = bench_cast_b2(level, &cast) && bench_poses_make(&cast, stride, false, false, &poses);
  if (!ok) bench_fail(report, "out of memory for dolphins of %d triangles", triangles_at(level));
  ok = ok && measure(options, report, &cast, &poses, level, all);
  bench_poses_free(&poses);
  bench_cast_free(&cast);
  return ok;
}

/* The variants, at 9024 triangles or the largest size below. */
static bool run_variants(const bench_options *options, bench_report *report, int levels)
{
  int level = levels - 1 < 2 ? levels - 1 : 2;
  bench_cast cast = {0};
  if (!bench_cast_b2(level, &cast))
    return bench_fail(report, "out of memory for dolphins of %d triangles", triangles_at(level));
  int stride = options->stride ? options->stride : options->quick ? 40 : 1;
  bool ok = bench_b_variants(options, report, &cast, stride, true, check_by(level));
  bench_cast_free(&cast);
  return ok;
}

/* --triangles: up to so many; the smallest always. */
bool larsson_b2_run(const bench_options *options, bench_report *report)
{
  findings all = {0};
  bench_table_init(&report->summary, columns, sizeof columns / sizeof *columns);
  bench_table_init(&report->steps, bench_step_columns, bench_step_column_count);
  int most = options->triangles ? options->triangles : triangles_at(options->quick ? 1 : MORPH_DOLPHIN_LEVELS - 1);
  for (int level = 0; level < MORPH_DOLPHIN_LEVELS; ++level) {
    if (level > 0 && triangles_at(level) > most) break;
    if (!run_level(options, report, level, &all)) return false;
  }
  report_findings(&all, report);
  return run_variants(options, report, all.levels);
}

void larsson_b2_plot(const bench_report *report, FILE *gp)
{
  static const struct {
    const char *method, *column, *title;
    int style;
  } shown[] = {{"hybrid", "step_ms", "free, hybrid, with blending", 1},
               {"hybrid", "total_ms", "free, hybrid, without", 2},
               {"larsson-hybrid", "step_ms", "paper, hybrid, with blending", 4},
               {"larsson-morph", "step_ms", "paper, morphing", 5},
               {"morph", "step_ms", "morphing", 8}};
  enum { COUNT = sizeof shown / sizeof *shown };
  fputs("set datafile missing NaN\nset logscale xy\nset format x '%.0f'\nset format y '%g'\nset xtics "
        "(564,2256,9024,36096,144384)\nset xrange [450:180000]\n"
        "set ylabel 'ms per step'\nset xlabel 'triangles per dolphin'\nset key inside left top\nset multiplot layout "
        "1,2\n",
        gp);
  for (int mode = 0; mode < BENCH_MODE_COUNT; ++mode) {
    const char *query = bench_mode_text((bench_mode)mode);
    fprintf(gp, "set title '12 dolphins: %s'\nplot ", query);
    for (int i = 0; i < COUNT; ++i)
      fprintf(gp,
              "'%s.csv' using (strcol('method') eq '%s' && strcol('query') eq '%s' ? column('triangles') : "
              "NaN):(column('%s')) with linespoints ls %d title '%s'%s\n",
              report->experiment, shown[i].method, query, shown[i].column, shown[i].style, shown[i].title,
              i + 1 < COUNT ? ", \\" : "");
  }
  fputs("unset multiplot\n", gp);
}
