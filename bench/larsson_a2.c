/* Larsson, paper A, second experiment (table 5.1): how the cost of a step grows with the number
 * of triangles. The first experiment's scene at many sizes; the step of the first contact and
 * the dearest step. Large meshes play every 5th or 20th step: a tree depends on the first and
 * the current pose only. The sizes are those of geodesic spheres nearest to the paper's, and go
 * on to a million. The same again with rough surfaces, up to the paper's sizes, and what a local
 * deformation costs. */
#include "bench/larsson_a2_local.h"
#include "bench/play.h"

#include <limits.h>
#include <math.h>
#include <string.h>

enum method_index { OURS_HYBRID, LARSSON_HYBRID, OURS_BOTTOM_UP, METHOD_COUNT };

/* Beyond this many triangles brute force takes long: methods with different trees are compared
 * with each other instead. */
enum { LARGEST_BY_REFERENCE = 70000, MOST_SIZES = 16 };

/* Table 5.1, milliseconds on a Pentium III at 550 MHz; NaN: beyond the paper. */
static const struct paper_row {
  int triangles;
  double first_ms, worst_ms, pairs;
} paper[] = {{1280, 2, 4, 138},       {5120, 6, 15, 562},      {8192, 8, 28, 1010},     {16384, 15, 64, 2422},
             {20480, 20, 98, 3760},   {32768, 30, 151, 4775},  {65536, 62, 334, 12358}, {131072, NAN, NAN, NAN},
             {327680, NAN, NAN, NAN}, {1000000, NAN, NAN, NAN}};
enum { PAPER_ROWS = sizeof paper / sizeof *paper, PAPER_MEASURED = 7 };

static const bench_column columns[] = {{"name", "", 0},
                                       {"method", NULL, 0},
                                       {"triangles", "triangles", 0},
                                       {"first_step", "first at", 0},
                                       {"first_ms", "first ms", 4},
                                       {"worst_ms", "worst ms", 4},
                                       {"mean_ms", "mean ms", 4},
                                       {"pairs", "most pairs", 0},
                                       {"worst_ns_per_triangle", "ns/tri", 2},
                                       {"paper_triangles", "paper:", 0},
                                       {"paper_first_ms", "first", 0},
                                       {"paper_worst_ms", "worst", 0},
                                       {"paper_pairs", "pairs", 0}};

enum { METHOD = 1, TRIANGLES = 2, WORST_MS = 5 }; /* columns */

/* Bumpy surfaces meet along curves; rough ones give as many pairs as the paper has, which grow
 * faster than the triangles. */
static const struct surface {
  const char *ending, *title; /* of keys and names */
  bool (*cast)(int triangles, bench_cast *out);
  int largest; /* that is played */
} surfaces[] = {{"", "", bench_cast_s1, INT_MAX}, {"-rough", ", rough", bench_cast_s1r, 70000}};
enum { SMOOTH, ROUGH, SURFACES };

/* One size with one method. */
typedef struct result {
  double triangles, first_step, first_ms, worst_ms, mean_ms, pairs;
} result;

typedef struct results {
  result rows[METHOD_COUNT][MOST_SIZES];
  const struct paper_row *beside[MOST_SIZES];
  int sizes;
} results;

static void make_methods(bench_method methods[METHOD_COUNT])
{
  methods[OURS_HYBRID] = (bench_method){"ours-hybrid", "our default, hybrid", bench_body_ours(PL_STRATEGY_HYBRID)};
  methods[LARSSON_HYBRID] =
      (bench_method){"larsson-hybrid", "paper's setting, hybrid", bench_body_larsson(PL_STRATEGY_HYBRID)};
  methods[OURS_BOTTOM_UP] =
      (bench_method){"ours-bottom-up", "our default, bottom-up", bench_body_ours(PL_STRATEGY_BOTTOM_UP)};
}

/* ----------------------------------------------------------------------------------- measure -- */

/* Of any step. Which step takes longest is up to the clock. */
static double most_pairs(const bench_play *play, const bench_frame *frames)
{
  double most = 0;
  for (int i = 0; i < play->poses->frames; ++i) most = fmax(most, (double)frames[i].pairs);
  return most;
}

static result result_of(const bench_play *play, int player)
{
  const bench_frame *frames = play->players[player].frames[BENCH_ALL];
  int contact = bench_first_contact(play, player), worst = bench_worst_frame(play, player, BENCH_ALL);
  bool seen = contact < play->poses->frames;
  return (result){
      .triangles = (double)play->cast->meshes[0].triangle_count,
      .first_step = seen ? play->poses->steps[contact] : NAN,
      .first_ms = seen ? frames[contact].ms_update + frames[contact].ms_query : NAN,
      .worst_ms = frames[worst].ms_update + frames[worst].ms_query,
      .mean_ms = bench_mean_over(play, player, BENCH_ALL, 0, play->poses->frames).ms_total,
      .pairs = most_pairs(play, frames),
  };
}

/* First contact and last step; the trees of the three methods differ in structure or in update. */
static bool check(bench_play *play)
{
  if (!bench_play_scout(play, OURS_HYBRID)) return false;
  int last = play->poses->frames - 1, contact = bench_first_contact(play, OURS_HYBRID);
  bool small = play->cast->meshes[0].triangle_count <= LARGEST_BY_REFERENCE;
  bench_check_by by = small ? BENCH_BY_REFERENCE : BENCH_BY_LAST_PLAYER;
  return (contact >= last || bench_play_check(play, contact, by)) && bench_play_check(play, last, by);
}

static bool measure(const bench_options *options, bench_report *report, bench_cast *cast, int stride, results *out)
{
  bench_play play = {0};
  bench_poses poses = {0};
  bench_method methods[METHOD_COUNT];
  char group[32];
  make_methods(methods);
  size_t triangles = cast->meshes[0].triangle_count;
  int reps = options->reps ? options->reps : options->quick ? 1 : 5;
  bool ok = bench_poses_make(cast, stride, true, false, &poses);
  if (!ok) bench_fail(report, "out of memory for %zu triangles; try --triangles 100000", triangles);
  ok = ok && bench_play_open(&play, options, report, cast, &poses, methods, METHOD_COUNT, false) && check(&play) &&
       bench_play_run(&play, BENCH_ALL, reps);
  if (ok) {
    for (int i = 0; i < METHOD_COUNT; ++i) out->rows[i][out->sizes] = result_of(&play, i);
    ++out->sizes;
    snprintf(group, sizeof group, "%zu", triangles);
    bench_setting(&play, "two bodies at many sizes; the largest play every 5th or 20th step", reps);
    bench_steps_append(&play, group, BENCH_ALL);
  }
  bench_play_close(&play);
  bench_poses_free(&poses);
  return ok;
}

/* ------------------------------------------------------------------------------------ report -- */

static void append_rows(bench_report *report, const results *r, const struct surface *surface)
{
  bench_method methods[METHOD_COUNT];
  make_methods(methods);
  bench_table *t = &report->summary;
  for (int i = 0; i < METHOD_COUNT; ++i)
    for (int k = 0; k < r->sizes; ++k) {
      const result *x = &r->rows[i][k];
      const struct paper_row *p = r->beside[k];
      const double numbers[] = {x->triangles,
                                x->first_step,
                                x->first_ms,
                                x->worst_ms,
                                x->mean_ms,
                                x->pairs,
                                1e6 * x->worst_ms / (2 * x->triangles),
                                isnan(p->pairs) ? NAN : p->triangles,
                                p->first_ms,
                                p->worst_ms,
                                p->pairs};
      char title[64], key[64];
      snprintf(title, sizeof title, "%s%s", methods[i].title, surface->title);
      snprintf(key, sizeof key, "%s%s", methods[i].key, surface->ending);
      bench_text(t, title);
      bench_text(t, key);
      for (size_t c = 0; c < sizeof numbers / sizeof *numbers; ++c) bench_number(t, numbers[c]);
    }
}

typedef enum measured { FIRST, WORST, MEAN, PAIRS } measured;

static double value(const result *x, measured what)
{
  const double values[] = {[FIRST] = x->first_ms, [WORST] = x->worst_ms, [MEAN] = x->mean_ms, [PAIRS] = x->pairs};
  return values[what];
}

/* Over the sizes at which there is a value, up to the largest size given. */
static double exponent(const results *r, int method, measured what, double largest)
{
  double x[MOST_SIZES], y[MOST_SIZES];
  int n = 0;
  for (int k = 0; k < r->sizes; ++k) {
    double v = value(&r->rows[method][k], what);
    if (isnan(v) || r->rows[method][k].triangles > largest) continue;
    x[n] = r->rows[method][k].triangles;
    y[n++] = v;
  }
  return bench_exponent(x, y, n);
}

static double paper_exponent(measured what)
{
  double x[PAPER_MEASURED], y[PAPER_MEASURED];
  for (int k = 0; k < PAPER_MEASURED; ++k) {
    x[k] = paper[k].triangles;
    y[k] = what == FIRST ? paper[k].first_ms : what == PAIRS ? paper[k].pairs : paper[k].worst_ms;
  }
  return bench_exponent(x, y, PAPER_MEASURED);
}

static void conclude(bench_report *report, const results *r, const results *rough)
{
  bench_headline_add(report, "exponent", exponent(r, OURS_HYBRID, WORST, INFINITY), paper_exponent(WORST));
  bench_headline_add(report, "exponent_mean", exponent(r, OURS_HYBRID, MEAN, INFINITY), NAN);
  bench_headline_add(report, "exponent_first", exponent(r, OURS_HYBRID, FIRST, INFINITY), paper_exponent(FIRST));
  bench_headline_add(report, "exponent_paper_sizes", exponent(r, OURS_HYBRID, WORST, 70000), paper_exponent(WORST));
  bench_headline_add(report, "exponent_paper_setting", exponent(r, LARSSON_HYBRID, WORST, INFINITY),
                     paper_exponent(WORST));
  bench_headline_add(report, "exponent_rough", exponent(rough, OURS_HYBRID, WORST, INFINITY), paper_exponent(WORST));
  bench_headline_add(report, "exponent_rough_paper_setting", exponent(rough, LARSSON_HYBRID, WORST, INFINITY),
                     paper_exponent(WORST));
  bench_headline_add(report, "exponent_rough_pairs", exponent(rough, OURS_HYBRID, PAIRS, INFINITY),
                     paper_exponent(PAIRS));
  bench_note(
      report,
      "Milliseconds per step (update and query, all pairs): at the first contact, in the dearest step, and the mean; "
      "pairs: in the dearest step; ns/tri: dearest step per triangle of both bodies.");
  bench_note(
      report,
      "Exponents are fits of time ~ triangles^e by least squares in the logarithms; smaller is better, 1 is linear. "
      "The paper calls its growth roughly linear; its table gives %.2f (worst) and %.2f (first contact).",
      paper_exponent(WORST), paper_exponent(FIRST));
}

static int stride_for(int triangles) { return triangles <= 20480 ? 1 : triangles <= 81920 ? 5 : 20; }

static bool run_size(const bench_options *options, bench_report *report, const struct paper_row *row,
                     const struct surface *surface, results *out)
{
  bench_cast cast;
  int stride = options->stride ? options->stride : options->quick ? 20 : stride_for(row->triangles);
  if (surface == &surfaces[ROUGH] && !options->stride && stride < 20) stride *= options->quick ? 1 : 4;
  if (!surface->cast(row->triangles, &cast))
    return bench_fail(report, "out of memory for %d triangles", row->triangles);
  bench_compared_scene(&report->compared, 0, "%zu triangles%s", cast.meshes[0].triangle_count, surface->title);
  out->beside[out->sizes] = row;
  bool ok = measure(options, report, &cast, stride, out);
  bench_cast_free(&cast);
  return ok;
}

bool larsson_a2_run(const bench_options *options, bench_report *report)
{
  results r[SURFACES] = {{.sizes = 0}, {.sizes = 0}};
  bench_table_init(&report->summary, columns, sizeof columns / sizeof *columns);
  bench_table_init(&report->steps, bench_step_columns, bench_step_column_count);
  int largest = options->triangles ? options->triangles : options->quick ? 5120 : INT_MAX;
  for (int i = 0; i < SURFACES; ++i) {
    const int most = largest < surfaces[i].largest ? largest : surfaces[i].largest;
    for (int k = 0; k < PAPER_ROWS; ++k)
      if (paper[k].triangles <= most && !run_size(options, report, &paper[k], &surfaces[i], &r[i])) return false;
    if (r[i].sizes < 2)
      return bench_fail(report, "a growth needs two sizes; --triangles %d at least", paper[1].triangles);
    append_rows(report, &r[i], &surfaces[i]);
  }
  conclude(report, &r[SMOOTH], &r[ROUGH]);
  return larsson_a2_local(options, report);
}

void larsson_a2_plot(const bench_report *report, FILE *gp)
{
  static const struct {
    const char *method, *column, *title;
    int style;
  } shown[] = {{"ours-hybrid", "worst_ms", "ours, dearest step", 8},
               {"ours-hybrid", "mean_ms", "ours, mean", 4},
               {"ours-hybrid", "first_ms", "ours, first contact", 5},
               {"larsson-hybrid", "worst_ms", "paper's setting, dearest step", 3},
               {"ours-bottom-up", "worst_ms", "ours, bottom-up, dearest step", 6},
               {"ours-hybrid-rough", "worst_ms", "ours, rough surfaces, dearest step", 9},
               {"ours-hybrid", "paper_worst_ms", "the paper in 2001, dearest step", 1},
               {"ours-hybrid", "paper_first_ms", "the paper in 2001, first contact", 2}};
  const bench_cell *cells = report->summary.cells; /* the first rows are our default's, by size */
  const size_t width = report->summary.column_count;
  size_t sizes = 1;
  while ((sizes + 1) * width <= report->summary.count &&
         !strcmp(cells[sizes * width + METHOD].text, cells[METHOD].text))
    ++sizes;
  double smallest = cells[TRIANGLES].number, largest = cells[(sizes - 1) * width + TRIANGLES].number;
  fprintf(gp, "set xrange [%.9g:%.9g]\n", 0.8 * smallest, 1.25 * largest);
  fputs("set logscale xy\nset format x '%.0f'\nset format y '%g'\nset xlabel 'triangles per body'\nset xtics "
        "(1000,2000,5000,10000,20000,50000,100000,200000,500000,1000000)\nset ylabel 'ms per step'\n"
        "set title 'Cost of a step over the size'\nplot ",
        gp);
  for (size_t i = 0; i < sizeof shown / sizeof *shown; ++i)
    fprintf(
        gp,
        "'%s.csv' using (strcol('method') eq \"%s\" ? column('triangles') : NaN):(column('%s')) with linespoints ls %d "
        "title \"%s\", \\\n",
        report->experiment, shown[i].method, shown[i].column, shown[i].style, shown[i].title);
  fprintf(gp, "%.9g * x / %.9g with lines lc rgb '#bbbbbb' lw 1 title 'linear growth'\n", cells[WORST_MS].number,
          smallest);
}
