/* Larsson, paper C, second experiment (table 7.2): the museum. A soup of 65 536 loose triangles
 * changes between five key poses over 300 frames, with two lights, shadows and first mirror
 * images, at 640 x 480 pixels, and with one ray for 5 x 5 and 10 x 10 of them. Five trees with
 * switching, bottom-up and hybrid, in the paper's setting (one triangle per leaf) and in ours;
 * and what the paper only describes: a uniform grid (its section 7.5), one tree that is never
 * changed, and the choice by measured cost. */
#include "bench/museum.h"
#include "bench/plot.h"

#include <math.h>

enum method_index { PAPER_BOTTOM_UP, PAPER_HYBRID, OURS_BOTTOM_UP, OURS_HYBRID, ONE_TREE, GRID, AUTO, METHOD_COUNT };

/* Table 7.2: update and trace, bottom-up and hybrid, in milliseconds. */
static const double paper_ms[MUSEUM_SAMPLINGS][4] = {{63, 32100, 16, 31900}, {63, 1320, 16, 1400}, {63, 335, 16, 395}};
static const double paper_faster[MUSEUM_SAMPLINGS] = {1.008, 0.977, 0.968}, paper_update = 3.9;

static museum_method method_of(const char *key, const char *title, pl_body_def body, pl_soup_method soup, int keys)
{
  return (museum_method){{key, title, body}, soup, keys};
}

static void make_methods(museum_method methods[METHOD_COUNT])
{
  const pl_strategy up = PL_STRATEGY_BOTTOM_UP, hybrid = PL_STRATEGY_HYBRID;
  const int all = MUSEUM_KEYS;
  methods[PAPER_BOTTOM_UP] =
      method_of("paper-bottom-up", "paper's setting, bottom-up", bench_body_larsson(up), PL_SOUP_KEYS, all);
  methods[PAPER_HYBRID] =
      method_of("paper-hybrid", "paper's setting, hybrid", bench_body_larsson(hybrid), PL_SOUP_KEYS, all);
  methods[OURS_BOTTOM_UP] =
      method_of("ours-bottom-up", "our default, bottom-up", bench_body_ours(up), PL_SOUP_KEYS, all);
  methods[OURS_HYBRID] = method_of("ours-hybrid", "our default, hybrid", bench_body_ours(hybrid), PL_SOUP_KEYS, all);
  methods[ONE_TREE] = method_of("one-tree", "one tree, bottom-up", bench_body_ours(up), PL_SOUP_KEYS, 1);
  methods[GRID] = method_of("grid", "uniform grid", bench_body_ours(hybrid), PL_SOUP_GRID, all);
  methods[AUTO] = method_of("auto", "trees or grid, by cost", bench_body_ours(hybrid), PL_SOUP_AUTO, all);
}

/* ------------------------------------------------------------------------------------ report -- */

typedef struct mean {
  double up, rt, total, grid; /* grid: the part of the frames in which it was taken */
} mean;

static mean mean_of(const museum_show *p, int player, int sampling)
{
  mean m = {0};
  for (int f = 0; f < p->frames[sampling]; ++f) {
    const museum_outcome *o = &p->players[player].outcomes[sampling][f];
    m.up += o->ms_update / p->frames[sampling];
    m.rt += o->ms_trace / p->frames[sampling];
    m.grid += (double)o->by_grid / p->frames[sampling];
  }
  m.total = m.up + m.rt;
  return m;
}

static const bench_column columns[] = {{"sampling", "sampl", 0},
                                       {"method", NULL, 0},
                                       {"name", "method", 0},
                                       {"update_ms", "up", 3},
                                       {"trace_ms", "rt", 2},
                                       {"total_ms", "tot", 2},
                                       {"faster", "faster", 2},
                                       {"grid_frames", "grid", 2},
                                       {"bytes_per_triangle", "bytes", 0},
                                       {"paper_update_ms", "paper: up", 0},
                                       {"paper_trace_ms", "rt", 0},
                                       {"paper_total_ms", "tot", 0},
                                       {"faster_paper", "faster", 2}};

static void append_row(const museum_show *p, int player, int sampling)
{
  bench_table *t = &p->report->summary;
  mean m = mean_of(p, player, sampling),
       base = mean_of(p, player <= PAPER_HYBRID ? PAPER_BOTTOM_UP : OURS_BOTTOM_UP, sampling);
  bool paper = player <= PAPER_HYBRID;
  const double *told = paper_ms[sampling] + (player == PAPER_HYBRID ? 2 : 0);
  bench_text(t, museum_sampling_text[sampling]);
  bench_text(t, p->players[player].as.method.key);
  bench_text(t, p->players[player].as.method.title);
  const double numbers[] = {m.up,
                            m.rt,
                            m.total,
                            base.total / m.total,
                            m.grid,
                            (double)p->players[player].bytes / (double)p->art.triangle_count,
                            paper ? told[0] : NAN,
                            paper ? told[1] : NAN,
                            paper ? told[0] + told[1] : NAN,
                            player == PAPER_HYBRID ? paper_faster[sampling] : NAN};
  for (size_t i = 0; i < sizeof numbers / sizeof *numbers; ++i) bench_number(t, numbers[i]);
}

static const bench_column step_columns[] = {
    {"group", "", 0}, {"method", "", 0},    {"query", "", 0},    {"step", "", 0},     {"hits", "", 0},
    {"rays", "", 0},  {"update_ms", "", 0}, {"query_ms", "", 0}, {"total_ms", "", 0}, {"n_v", "", 0},
    {"n_p", "", 0},   {"n_u", "", 0},       {"grid", "", 0}};

static void append_steps(const museum_show *p)
{
  bench_table *t = &p->report->steps;
  for (int i = 0; i < p->count; ++i)
    for (int s = 0; s < MUSEUM_SAMPLINGS; ++s)
      for (int f = 0; f < p->frames[s]; ++f) {
        const museum_outcome *o = &p->players[i].outcomes[s][f];
        const trace_stats *x = &o->stats;
        bench_text(t, i <= PAPER_HYBRID ? "paper" : "ours");
        bench_text(t, p->players[i].as.method.key);
        bench_text(t, museum_sampling_text[s]);
        const double numbers[] = {p->steps[s][f], (double)x->hits, (double)(x->primary + x->shadow + x->reflected),
                                  o->ms_update,   o->ms_trace,     o->ms_update + o->ms_trace,
                                  (double)x->n_v, (double)x->n_p,  (double)x->n_u,
                                  o->by_grid};
        for (size_t k = 0; k < sizeof numbers / sizeof *numbers; ++k) bench_number(t, numbers[k]);
      }
}

static void add_headlines(const museum_show *p)
{
  static const char *const totals[MUSEUM_SAMPLINGS] = {"total_1", "total_5", "total_10"};
  static const char *const grids[MUSEUM_SAMPLINGS] = {"grid_1", "grid_5", "grid_10"};
  static const char *const autos[MUSEUM_SAMPLINGS] = {"auto_1", "auto_5", "auto_10"};
  const int coarse = MUSEUM_SAMPLINGS - 1;
  bench_report *r = p->report;
  bench_headline_add(r, "update", mean_of(p, PAPER_BOTTOM_UP, coarse).up / mean_of(p, PAPER_HYBRID, coarse).up,
                     paper_update);
  bench_headline_add(r, "update_ours", mean_of(p, OURS_BOTTOM_UP, coarse).up / mean_of(p, OURS_HYBRID, coarse).up, NAN);
  for (int s = 0; s < MUSEUM_SAMPLINGS; ++s)
    bench_headline_add(r, totals[s], mean_of(p, PAPER_BOTTOM_UP, s).total / mean_of(p, PAPER_HYBRID, s).total,
                       paper_faster[s]);
  for (int s = 0; s < MUSEUM_SAMPLINGS; ++s)
    bench_headline_add(r, grids[s], mean_of(p, OURS_BOTTOM_UP, s).total / mean_of(p, GRID, s).total, NAN);
  for (int s = 0; s < MUSEUM_SAMPLINGS; ++s) {
    double best = fmin(mean_of(p, OURS_HYBRID, s).total, mean_of(p, GRID, s).total);
    bench_headline_add(r, autos[s], best / mean_of(p, AUTO, s).total, NAN);
  }
}

static void fill_report(const museum_show *p, int reps)
{
  bench_report *report = p->report;
  int threads = pl_context_threads(p->studio.context);
  snprintf(
      report->setting, BENCH_LINE,
      "a soup of %zu triangles, 2 lights, %d, %d and %d of %d frames at %dx%d; %d thread%s, %s, %s; smallest of %d "
      "repeat%s per frame (one at 1x1)",
      p->art.triangle_count, p->frames[0], p->frames[1], p->frames[2], MUSEUM_FRAMES, p->studio.width, p->studio.height,
      threads, threads == 1 ? "" : "s", pl_context_simd(p->studio.context),
      threads == 1 ? "processor time" : "wall time", reps, reps == 1 ? "" : "s");
  for (int s = 0; s < MUSEUM_SAMPLINGS; ++s)
    for (int i = 0; i < METHOD_COUNT; ++i) append_row(p, i, s);
  append_steps(p);
  add_headlines(p);
  bench_note(report,
             "Milliseconds, mean over the frames. up: taking positions and what is made before the first ray; rt: rays "
             "with what is made on the way, and shading; faster: than bottom-up in the same setting; grid: the part of "
             "the frames in which the grid answered; bytes: per triangle, positions not counted.");
  bench_note(report,
             "Five trees with switching by the nearest key pose, but for one tree, which is that of the first pose.");
}

bool larsson_c2_run(const bench_options *options, bench_report *report)
{
  bench_table_init(&report->summary, columns, sizeof columns / sizeof *columns);
  bench_table_init(&report->steps, step_columns, sizeof step_columns / sizeof *step_columns);
  museum_method methods[METHOD_COUNT];
  make_methods(methods);
  museum_show p;
  int reps = options->reps ? options->reps : options->quick ? 1 : 2;
  bool ok = museum_open(&p, options, report, methods, METHOD_COUNT) && museum_check(&p) && museum_run(&p, reps);
  if (ok) fill_report(&p, reps);
  museum_close(&p);
  return ok;
}

void larsson_c2_plot(const bench_report *report, FILE *gp)
{
  fputs("set logscale y\nset format y '%g'\nset ylabel 'ms per frame'\nset xrange [0:300]\nset multiplot layout 2,1\n",
        gp);
  for (int s = 1; s < MUSEUM_SAMPLINGS; ++s) {
    const char *query = museum_sampling_text[s];
    const bench_curve curves[] = {{"paper", "paper-bottom-up", query, "paper, bottom-up", "total_ms", 1},
                                  {"paper", "paper-hybrid", query, "paper, hybrid", "total_ms", 5},
                                  {"ours", "ours-hybrid", query, "five trees, hybrid", "total_ms", 6},
                                  {"ours", "one-tree", query, "one tree", "total_ms", 3},
                                  {"ours", "grid", query, "grid", "total_ms", 7},
                                  {"ours", "auto", query, "auto", "total_ms", 8}};
    fprintf(gp, "set title 'A museum with a triangle soup, ray traced: %s'\n%s", query,
            s + 1 == MUSEUM_SAMPLINGS ? "set xlabel 'frame'\n" : "");
    bench_plot_curves(gp, report, curves, (int)(sizeof curves / sizeof *curves));
  }
  fputs("unset multiplot\n", gp);
}
