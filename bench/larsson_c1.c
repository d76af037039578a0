/* Larsson, paper C, first experiment (table 7.1): nine reflective bodies of 81 920 triangles
 * deform in all their vertices over 280 frames, with two lights, shadows and first mirror
 * images, at 640 x 480 pixels, and with one ray for 5 x 5 and 10 x 10 of them. The bottom-up
 * update against the hybrid one, in the paper's setting (one triangle per leaf, 8 children) and
 * in ours (up to 8). */
#include "bench/larsson_c1_few.h"
#include "bench/plot.h"
#include "bench/shots.h"

#include <math.h>

enum method_index { PAPER_BOTTOM_UP, PAPER_HYBRID, OURS_BOTTOM_UP, OURS_HYBRID, METHOD_COUNT };
enum { CASE_COUNT = 3, SETTING_COUNT = 2 };

enum { AVERAGE, WORST, BEST };

static const char *const case_texts[CASE_COUNT] = {"average", "worst", "best"};

/* Table 7.1: update and trace, bottom-up and hybrid, in milliseconds. */
static const double paper_ms[CASE_COUNT][SHOTS_SAMPLINGS][4] = {
    {{449, 8249, 26, 8705}, {449, 375, 26, 527}, {449, 100, 26, 183}},
    {{450, 15940, 26, 16516}, {451, 711, 26, 912}, {450, 188, 25, 308}},
    {{450, 581, 26, 604}, {450, 35, 26, 37}, {448, 10, 26, 12}}};
static const double paper_faster[CASE_COUNT][SHOTS_SAMPLINGS] = {
    {0.996, 1.492, 2.633}, {0.991, 1.237, 1.916}, {1.636, 7.738, 12.042}};
static const double paper_update = 17.3; /* 449 / 26 */

static void make_methods(bench_method methods[METHOD_COUNT])
{
  methods[PAPER_BOTTOM_UP] =
      (bench_method){"paper-bottom-up", "paper's setting, bottom-up", bench_body_larsson(PL_STRATEGY_BOTTOM_UP)};
  methods[PAPER_HYBRID] =
      (bench_method){"paper-hybrid", "paper's setting, hybrid", bench_body_larsson(PL_STRATEGY_HYBRID)};
  methods[OURS_BOTTOM_UP] =
      (bench_method){"ours-bottom-up", "our default, bottom-up", bench_body_ours(PL_STRATEGY_BOTTOM_UP)};
  methods[OURS_HYBRID] = (bench_method){"ours-hybrid", "our default, hybrid", bench_body_ours(PL_STRATEGY_HYBRID)};
}

/* ------------------------------------------------------------------------------------ report -- */

/* Both methods of a setting in one case: the mean of all frames, or the frame that took the
 * hybrid method longest or least. */
typedef struct row {
  double up[2], rt[2];
  int step; /* -1: all */
} row;

static double total_of(const shots_outcome *o) { return o->ms_update + o->ms_trace; }

static row row_of(const shots *p, int setting, int which, int sampling)
{
  row r = {.step = -1};
  int chosen = 0, hybrid = 2 * setting + 1;
  for (int f = 1; f < p->frames; ++f) {
    double now = total_of(shots_at(p, hybrid, f, sampling)), then = total_of(shots_at(p, hybrid, chosen, sampling));
    if (which == WORST ? now > then : now < then) chosen = f;
  }
  for (int m = 0; m < 2; ++m)
    for (int f = 0; f < p->frames; ++f) {
      const shots_outcome *o = shots_at(p, 2 * setting + m, f, sampling);
      double part = which == AVERAGE ? 1.0 / p->frames : f == chosen;
      r.up[m] += part * o->ms_update;
      r.rt[m] += part * o->ms_trace;
    }
  if (which != AVERAGE) r.step = p->steps[chosen];
  return r;
}

static double faster(const row *r) { return (r->up[0] + r->rt[0]) / (r->up[1] + r->rt[1]); }

static const bench_column columns[] = {{"setting", "", 0},
                                       {"case", "case", 0},
                                       {"sampling", "sampl", 0},
                                       {"step", "frame", 0},
                                       {"bottom_up_update_ms", "bottom-up: up", 2},
                                       {"bottom_up_trace_ms", "rt", 2},
                                       {"bottom_up_total_ms", "tot", 2},
                                       {"hybrid_update_ms", "hybrid: up", 2},
                                       {"hybrid_trace_ms", "rt", 2},
                                       {"hybrid_total_ms", "tot", 2},
                                       {"faster", "speedup", 2},
                                       {"paper_bottom_up_total_ms", "paper: tot", 0},
                                       {"paper_hybrid_total_ms", "tot", 0},
                                       {"faster_paper", "speedup", 2}};

static void append_row(const shots *p, int setting, int which, int sampling)
{
  bench_table *t = &p->report->summary;
  row r = row_of(p, setting, which, sampling);
  const double *paper = paper_ms[which][sampling];
  bench_text(t, setting ? "our default (leaves of up to 8)" : "paper's setting (one triangle per leaf)");
  bench_text(t, case_texts[which]);
  bench_text(t, shots_sampling_text[sampling]);
  const double numbers[] = {r.step < 0 ? NAN : r.step,
                            r.up[0],
                            r.rt[0],
                            r.up[0] + r.rt[0],
                            r.up[1],
                            r.rt[1],
                            r.up[1] + r.rt[1],
                            faster(&r),
                            paper[0] + paper[1],
                            paper[2] + paper[3],
                            paper_faster[which][sampling]};
  for (size_t i = 0; i < sizeof numbers / sizeof *numbers; ++i) bench_number(t, numbers[i]);
}

static const bench_column step_columns[] = {
    {"group", "", 0},  {"method", "", 0}, {"query", "", 0},     {"step", "", 0},     {"hits", "", 0},
    {"bodies", "", 0}, {"rays", "", 0},   {"update_ms", "", 0}, {"query_ms", "", 0}, {"total_ms", "", 0},
    {"n_v", "", 0},    {"n_p", "", 0},    {"n_u", "", 0}};

static void append_steps(const shots *p)
{
  bench_table *t = &p->report->steps;
  for (int i = 0; i < p->count; ++i)
    for (int s = 0; s < SHOTS_SAMPLINGS; ++s)
      for (int f = 0; f < p->frames; ++f) {
        const shots_outcome *o = shots_at(p, i, f, s);
        bench_text(t, i < OURS_BOTTOM_UP ? "paper" : "ours");
        bench_text(t, p->players[i].method.key);
        bench_text(t, shots_sampling_text[s]);
        const trace_stats *x = &o->stats;
        const double numbers[] = {
            p->steps[f],    (double)x->hits, (double)x->bodies, (double)(x->primary + x->shadow + x->reflected),
            o->ms_update,   o->ms_trace,     total_of(o),       (double)x->n_v,
            (double)x->n_p, (double)x->n_u};
        for (size_t k = 0; k < sizeof numbers / sizeof *numbers; ++k) bench_number(t, numbers[k]);
      }
}

static void add_headlines(const shots *p)
{
  static const char *const totals[SETTING_COUNT][SHOTS_SAMPLINGS] = {{"total_1", "total_5", "total_10"},
                                                                     {"total_1_ours", "total_5_ours", "total_10_ours"}};
  static const char *const bests[SETTING_COUNT][SHOTS_SAMPLINGS] = {{NULL, "best_5", "best_10"},
                                                                    {NULL, "best_5_ours", "best_10_ours"}};
  static const char *const updates[SETTING_COUNT] = {"update", "update_ours"};
  for (int setting = 0; setting < SETTING_COUNT; ++setting) {
    row all = row_of(p, setting, AVERAGE, SHOTS_SAMPLINGS - 1);
    bench_headline_add(p->report, updates[setting], all.up[0] / all.up[1], setting ? NAN : paper_update);
    for (int s = 0; s < SHOTS_SAMPLINGS; ++s) {
      row r = row_of(p, setting, AVERAGE, s);
      bench_headline_add(p->report, totals[setting][s], faster(&r), setting ? NAN : paper_faster[AVERAGE][s]);
    }
    for (int s = 1; s < SHOTS_SAMPLINGS; ++s) {
      row r = row_of(p, setting, BEST, s);
      bench_headline_add(p->report, bests[setting][s], faster(&r), setting ? NAN : paper_faster[BEST][s]);
    }
  }
}

/* How many bodies the frames show. */
static void add_notes(const shots *p)
{
  int most = 0, none = 0;
  for (int f = 0; f < p->frames; ++f) {
    size_t bodies = shots_at(p, 0, f, 0)->stats.bodies;
    most += bodies > SHOTS_BODIES / 2;
    none += bodies == 0;
  }
  bench_note(
      p->report,
      "Milliseconds. up: taking positions and the volumes before the first ray; rt: rays with the volumes refreshed "
      "on the way, and shading; worst and best: the frames in which hybrid took longest and least.");
  bench_note(p->report, "%d of %d frames show more than half of the bodies, %d show none.", most, p->frames, none);
}

static void fill_report(const shots *p, int reps)
{
  bench_report *report = p->report;
  int threads = pl_context_threads(p->studio.context);
  snprintf(report->setting, BENCH_LINE,
           "%d bodies of %zu triangles, 2 lights, %d of %d frames at %dx%d; %d thread%s, %s, %s; smallest of %d "
           "repeat%s per "
           "frame (one at 1x1)",
           SHOTS_BODIES, p->meshes[0].triangle_count, p->frames, SCENE_C1_FRAMES, p->studio.width, p->studio.height,
           threads, threads == 1 ? "" : "s", pl_context_simd(p->studio.context),
           threads == 1 ? "processor time" : "wall time", reps, reps == 1 ? "" : "s");
  for (int setting = 0; setting < SETTING_COUNT; ++setting)
    for (int which = 0; which < CASE_COUNT; ++which)
      for (int s = 0; s < SHOTS_SAMPLINGS; ++s) append_row(p, setting, which, s);
  append_steps(p);
  add_headlines(p);
  add_notes(p);
}

bool larsson_c1_run(const bench_options *options, bench_report *report)
{
  bench_table_init(&report->summary, columns, sizeof columns / sizeof *columns);
  bench_table_init(&report->steps, step_columns, sizeof step_columns / sizeof *step_columns);
  bench_method methods[METHOD_COUNT];
  make_methods(methods);
  shots p;
  int reps = options->reps ? options->reps : options->quick ? 1 : 3;
  bool ok = shots_open(&p, options, report, methods, METHOD_COUNT) && shots_check(&p) && shots_run(&p, reps);
  if (ok) fill_report(&p, reps);
  ok = ok && larsson_c1_few(&p, methods);
  shots_close(&p);
  return ok;
}

void larsson_c1_plot(const bench_report *report, FILE *gp)
{
  fputs("set logscale y\nset format y '%g'\nset ylabel 'ms per frame'\nset xrange [0:280]\nset multiplot layout 3,1\n",
        gp);
  for (int s = 0; s < SHOTS_SAMPLINGS; ++s) {
    const char *query = shots_sampling_text[s];
    const bench_curve curves[] = {{"paper", "paper-bottom-up", query, "paper, bottom-up", "total_ms", 1},
                                  {"paper", "paper-hybrid", query, "paper, hybrid", "total_ms", 5},
                                  {"ours", "ours-bottom-up", query, "ours, bottom-up", "total_ms", 6},
                                  {"ours", "ours-hybrid", query, "ours, hybrid", "total_ms", 8}};
    fprintf(gp, "set title 'Nine deforming bodies, ray traced: %s'\n%s", query,
            s + 1 == SHOTS_SAMPLINGS ? "set xlabel 'frame'\n" : "");
    bench_plot_curves(gp, report, curves, (int)(sizeof curves / sizeof *curves));
  }
  fputs("unset multiplot\n", gp);
}
