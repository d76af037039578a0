/* Larsson, paper B, first experiment (figure 6.5): two bodies of 20 480 triangles that morph
 * between three references pass right through each other over 400 steps. Morphing bodies, whose
 * boxes are blended where a query goes, against free bodies with the hybrid update, whose
 * vertices the caller blends and places, all of them, every step; both with our defaults and in
 * the paper's setting (one triangle per leaf). The two round differently (double, float), so
 * each is checked against the reference on its own numbers, and their counts of pairs are not
 * compared. */
#include "bench/larsson_b_variants.h"
#include "bench/play.h"
#include "bench/plot.h"

#include <math.h>

enum method_index { HYBRID, MORPH, LARSSON_HYBRID, LARSSON_MORPH, METHOD_COUNT };

/* What a method is compared with: the hybrid of its own setting. */
static int base_of(int method) { return method < LARSSON_HYBRID ? HYBRID : LARSSON_HYBRID; }

/* The paper finds its method ahead for all pairs outside of deep penetration, which is between
 * these steps. */
enum { DEEP_BEGIN = 90, DEEP_END = 270 };

static void make_methods(bench_method methods[METHOD_COUNT])
{
  methods[HYBRID] = (bench_method){"hybrid", "free, hybrid", bench_body_ours(PL_STRATEGY_HYBRID)};
  methods[MORPH] = (bench_method){"morph", "morphing", bench_body_ours(PL_STRATEGY_BLEND)};
  methods[LARSSON_HYBRID] =
      (bench_method){"larsson-hybrid", "paper's setting, hybrid", bench_body_larsson(PL_STRATEGY_HYBRID)};
  methods[LARSSON_MORPH] =
      (bench_method){"larsson-morph", "paper's setting, morphing", bench_body_larsson(PL_STRATEGY_BLEND)};
}

/* ------------------------------------------------------------------------------------ report -- */

static const bench_column columns[] = {{"query", "", 0},
                                       {"method", NULL, 0},
                                       {"name", "method", 0},
                                       {"blend_ms", "blend", 4},
                                       {"update_ms", "update", 4},
                                       {"query_ms", "query", 4},
                                       {"total_ms", "without blend", 4},
                                       {"step_ms", "step ms", 4},
                                       {"outside_ms", "outside", 4},
                                       {"deep_ms", "deep", 4},
                                       {"n_v", "n_v", 0},
                                       {"n_p", "n_p", 0},
                                       {"n_u", "n_u", 0},
                                       {"pairs", "pairs", 1},
                                       {"faster", "faster", 2},
                                       {"faster_outside", "outside", 2},
                                       {"faster_deep", "deep", 2},
                                       {"faster_without_blend", "without blend", 2}};

typedef struct phases {
  double step, total;   /* ms over all steps: with and without the caller's blending */
  double outside, deep; /* with blending */
  double outside_total; /* without */
} phases;

static phases phases_of(const bench_play *play, int player, bench_mode mode)
{
  phases p = {0};
  int deep = 0, frames = play->poses->frames;
  for (int f = 0; f < frames; ++f) {
    const bench_frame *x = &play->players[player].frames[mode][f];
    double total = x->ms_update + x->ms_query, step = total + x->ms_blend;
    bool is_deep = play->poses->steps[f] >= DEEP_BEGIN && play->poses->steps[f] < DEEP_END;
    p.step += step / frames;
    p.total += total / frames;
    *(is_deep ? &p.deep : &p.outside) += step;
    if (!is_deep) p.outside_total += total;
    deep += is_deep;
  }
  p.deep = deep > 0 ? p.deep / deep : NAN;
  p.outside = deep < frames ? p.outside / (frames - deep) : NAN;
  p.outside_total = deep < frames ? p.outside_total / (frames - deep) : NAN;
  return p;
}

static void append_row(const bench_play *play, int player, bench_mode mode)
{
  bench_table *t = &play->report->summary;
  bench_mean m = bench_mean_over(play, player, mode, 0, play->poses->frames);
  phases p = phases_of(play, player, mode), base = phases_of(play, base_of(player), mode);
  const double numbers[] = {m.ms_blend,
                            m.ms_update,
                            m.ms_query,
                            m.ms_total,
                            m.ms_step,
                            p.outside,
                            p.deep,
                            m.n_v,
                            m.n_p,
                            m.n_u,
                            m.pairs,
                            base.step / p.step,
                            base.outside / p.outside,
                            base.deep / p.deep,
                            base.total / p.total};
  bench_text(t, bench_mode_text(mode));
  bench_text(t, play->players[player].method->key);
  bench_text(t, play->players[player].method->title);
  for (size_t i = 0; i < sizeof numbers / sizeof *numbers; ++i) bench_number(t, numbers[i]);
}

/* The least that morphing gains in any step; *frame: where. */
static double worst_step(const bench_play *play, bench_mode mode, bool blending, int *frame)
{
  double worst = INFINITY;
  for (int f = 0; f < play->poses->frames; ++f) {
    const bench_frame *h = &play->players[HYBRID].frames[mode][f], *m = &play->players[MORPH].frames[mode][f];
    double faster = (h->ms_update + h->ms_query + (blending ? h->ms_blend : 0)) / (m->ms_update + m->ms_query);
    if (faster < worst) {
      worst = faster;
      *frame = f;
    }
  }
  return worst;
}

static void add_headlines(const bench_play *play)
{
  bench_report *r = play->report;
  phases h = phases_of(play, HYBRID, BENCH_ALL), m = phases_of(play, MORPH, BENCH_ALL);
  phases hf = phases_of(play, HYBRID, BENCH_FIRST), mf = phases_of(play, MORPH, BENCH_FIRST);
  phases lh = phases_of(play, LARSSON_HYBRID, BENCH_ALL), lm = phases_of(play, LARSSON_MORPH, BENCH_ALL);
  phases lhf = phases_of(play, LARSSON_HYBRID, BENCH_FIRST), lmf = phases_of(play, LARSSON_MORPH, BENCH_FIRST);
  int frame = 0;
  bench_headline_add(r, "all_outside", h.outside / m.outside, NAN);
  bench_headline_add(r, "first", hf.step / mf.step, NAN);
  bench_headline_add(r, "first_worst", worst_step(play, BENCH_FIRST, true, &frame), NAN);
  bench_headline_add(r, "all", h.step / m.step, NAN);
  bench_headline_add(r, "all_deep", h.deep / m.deep, NAN);
  bench_headline_add(r, "all_outside_without_blend", h.outside_total / m.outside_total, NAN);
  bench_headline_add(r, "first_without_blend", hf.total / mf.total, NAN);
  bench_headline_add(r, "all_outside_paper_setting", lh.outside / lm.outside, NAN);
  bench_headline_add(r, "all_deep_paper_setting", lh.deep / lm.deep, NAN);
  bench_headline_add(r, "first_paper_setting", lhf.step / lmf.step, NAN);
}

static void add_notes(const bench_play *play)
{
  bench_report *r = play->report;
  const bench_poses *p = play->poses;
  int first = bench_first_contact(play, MORPH), last = p->frames, worst = 0, worst_all = 0;
  while (last > first && play->players[MORPH].frames[BENCH_ALL][last - 1].pairs == 0) --last;
  bench_note(
      r,
      "Milliseconds per step, mean over the steps; step: with the blending and placing of all vertices (in float, by "
      "the caller) that free bodies need and morphing ones do not; faster: times faster than the hybrid of the same "
      "setting. "
      "Paper's setting: cut at the centre, one triangle per leaf.");
  bench_note(r, "Deep: steps %d to %d; outside: the others.", DEEP_BEGIN, DEEP_END - 1);
  if (first < last)
    bench_note(
        r,
        "Contact from step %d to step %d. The two round differently (float, double), so their pairs may differ by a "
        "few; each is compared with the reference on its own numbers.",
        p->steps[first], p->steps[last - 1]);
  double least = worst_step(play, BENCH_FIRST, true, &worst), least_all = worst_step(play, BENCH_ALL, true, &worst_all);
  bench_note(r, "First pair: morphing is %s; least gain %.2f, at step %d. All pairs: least gain %.2f, at step %d.",
             least > 1 ? "ahead at every step" : "not ahead at every step", least, p->steps[worst], least_all,
             p->steps[worst_all]);
  bench_note(r, "The paper: level with the hybrid or ahead for all pairs except in deep penetration (steps 90 to 270), "
                "ahead for the first "
                "pair at every step.");
}

/* --------------------------------------------------------------------------------------- run -- */

/* Nine steps evenly from the first to the last, and the first with contact. */
static bool check(bench_play *play)
{
  enum { PARTS = 8 };
  if (!bench_play_scout(play, MORPH)) return false;
  int last = play->poses->frames - 1, contact = bench_first_contact(play, MORPH);
  if (contact <= last && !bench_play_check(play, contact, BENCH_BY_REFERENCE)) return false;
  for (int i = 0, before = -1; i <= PARTS; before = i * last / PARTS, ++i)
    if (i * last / PARTS > before && !bench_play_check(play, i * last / PARTS, BENCH_BY_REFERENCE)) return false;
  return true;
}

static bool measure(const bench_options *options, bench_report *report, bench_cast *cast, const bench_poses *poses)
{
  bench_play play;
  bench_method methods[METHOD_COUNT];
  make_methods(methods);
  int reps = options->reps ? options->reps : options->quick ? 1 : 7;
  bool ok = bench_play_open(&play, options, report, cast, poses, methods, METHOD_COUNT, false) && check(&play) &&
            bench_play_run(&play, BENCH_ALL, reps) && bench_play_run(&play, BENCH_FIRST, reps);
  if (ok) {
    char scene[96];
    snprintf(scene, sizeof scene, "2 x %zu triangles, %d references, %d steps", cast->shape.triangle_count,
             cast->shape.reference_count, poses->frames);
    bench_setting(&play, scene, reps);
    for (int mode = 0; mode < BENCH_MODE_COUNT; ++mode) {
      for (int i = 0; i < METHOD_COUNT; ++i) append_row(&play, i, (bench_mode)mode);
      bench_steps_append(&play, "B1", (bench_mode)mode);
    }
    add_headlines(&play);
    add_notes(&play);
  }
  bench_play_close(&play);
  return ok;
}

bool larsson_b1_run(const bench_options *options, bench_report *report)
{
  bench_cast cast = {0};
  bench_poses poses = {0};
  bench_table_init(&report->summary, columns, sizeof columns / sizeof *columns);
  bench_table_init(&report->steps, bench_step_columns, bench_step_column_count);
  int triangles = options->triangles ? options->triangles : options->quick ? 1280 : 20480;
  int stride = options->stride ? options->stride : options->quick ? 20 : 1;
  bool ok = bench_cast_b1(triangles, &cast) && bench_poses_make(&cast, stride, false, false, &poses);
  if (!ok) bench_fail(report, "out of memory for %d triangles", triangles);
  ok = ok && measure(options, report, &cast, &poses) &&
       bench_b_variants(options, report, &cast, stride, false, BENCH_BY_REFERENCE);
  bench_poses_free(&poses);
  bench_cast_free(&cast);
  return ok;
}

void larsson_b1_plot(const bench_report *report, FILE *gp)
{
  fputs("set logscale y\nset format y '%g'\nset ylabel 'ms per step'\nset xrange [0:400]\n", gp);
  fputs("set multiplot layout 2,1\n", gp);
  for (int mode = 0; mode < BENCH_MODE_COUNT; ++mode) {
    const char *query = mode == BENCH_ALL ? "all" : "first";
    const bench_curve curves[] = {{"B1", "hybrid", query, "free, hybrid, with blending", "step_ms", 1},
                                  {"B1", "hybrid", query, "free, hybrid, without", "total_ms", 2},
                                  {"B1", "hybrid", query, "blending alone", "blend_ms", 3},
                                  {"B1", "larsson-hybrid", query, "paper, hybrid, with blending", "step_ms", 4},
                                  {"B1", "larsson-morph", query, "paper, morphing", "step_ms", 5},
                                  {"B1", "morph", query, "morphing", "step_ms", 8}};
    fprintf(gp, "set title '%s'\n%s", bench_mode_text((bench_mode)mode),
            mode == BENCH_FIRST ? "set xlabel 'step'\n" : "");
    bench_plot_curves(gp, report, curves, (int)(sizeof curves / sizeof *curves));
  }
  fputs("unset multiplot\n", gp);
}
