/* How the time of every question grows on inputs that trees do not like: fans, books, coincident
 * and coplanar triangles, outliers, slivers and others. A row is one question of one input at
 * sizes that double; its exponent is the slope of the logarithm of the time over that of the
 * triangles and the size of the result. Every row is compared with the reference at its smallest
 * size before it is timed. A question that takes no time to speak of (a fan has no pairs at all)
 * is fitted by its counts instead. Where the geometry or the method makes a greater exponent
 * unavoidable, the row says why, and the headline `worst` leaves it out. */
#include "bench/experiment.h"
#include "bench/growth_questions.h"

#include <math.h>
#include <string.h>

enum { CHECKED = 240, FIRST = 250, MOST_SIZES = 7, FITTED = 4, REPEATS = 7 };

typedef struct row_of {
  growth_shape_name shape;
  growth_question_name question;
  const char *reason; /* that the exponent may be great; NULL: it may not */
} row_of;

#define LONG_BOXES "long triangles: a box among them meets a part of all, whatever the tree"
#define GREAT_CELLS "a uniform grid: one great triangle makes all cells great"
#define FEW_SEARCHES "up to 1 023 inner balls per cluster are searched: linear once there are more points"
#define ALL_EQUAL "all pairs are equally near, and the least indices win"
#define MANY_WEIGHTS "the weights themselves are quadratic: all vertices around the middle depend on all others"

#define ROW(shape, question)                                                                                           \
  {                                                                                                                    \
    GROWTH_##shape, GROWTH_ASK_##question, NULL                                                                        \
  }
#define MAY(shape, question, reason)                                                                                   \
  {                                                                                                                    \
    GROWTH_##shape, GROWTH_ASK_##question, reason                                                                      \
  }

static const row_of rows[] = {
    ROW(ORDINARY, TOUCHING),
    ROW(ORDINARY, SEGMENTS),
    ROW(ORDINARY, PENETRATION),
    ROW(ORDINARY, INSIDE),
    ROW(ORDINARY, NEIGHBOURS),
    ROW(ORDINARY, CREATE_FREE),
    ROW(ORDINARY, CREATE_RIGID),
    ROW(ORDINARY, CREATE_MORPH),
    ROW(ORDINARY, CREATE_SKIN),
    ROW(ORDINARY, CREATE_EMBED),
    ROW(ORDINARY, CREATE_SUBDIVIDE),
    ROW(ORDINARY, CREATE_POINTS),
    MAY(ORDINARY, CREATE_MATCH, FEW_SEARCHES),
    ROW(ORDINARY, CREATE_FLIGHT),
    MAY(SPIKES, TOUCHING, LONG_BOXES),
    MAY(SPIKES, NEAR, LONG_BOXES),
    MAY(SPIKES, FEATURES, LONG_BOXES),
    ROW(SPIKES, DISTANCE),
    ROW(SPIKES, SELF),
    ROW(SPIKES, BOXES),
    ROW(SPIKES, HASH),
    ROW(SPIKES, NEIGHBOURS),
    ROW(SPIKES, SELF_NEAR),
    ROW(SPIKES, SELF_NEAR_3),
    ROW(SPIKES, SELF_FEATURES),
    ROW(SPIKES, SELF_DISTANCE),
    ROW(SPIKES, SELF_DISTANCE_ALL),
    MAY(SPIKES, CONTACT, LONG_BOXES),
    ROW(SPIKES, SELF_CONTACT),
    ROW(SPIKES, SELF_CANDIDATES),
    ROW(SPIKES, RAYS),
    ROW(SPIKES, CLOSEST),
    ROW(SPIKES, OVERLAP),
    ROW(SPIKES, CREATE_FREE),
    ROW(SPIKES, CREATE_POINTS),
    MAY(DISC, TOUCHING, LONG_BOXES),
    MAY(DISC, DISTANCE, LONG_BOXES),
    ROW(DISC, SELF),
    ROW(DISC, BOXES),
    ROW(DISC, HASH),
    ROW(DISC, NEIGHBOURS),
    ROW(DISC, SELF_NEAR),
    ROW(DISC, SELF_NEAR_3),
    ROW(DISC, SELF_DISTANCE),
    ROW(DISC, SELF_CONTACT),
    ROW(DISC, SELF_CANDIDATES),
    ROW(DISC, RAYS),
    MAY(DISC, CREATE_SUBDIVIDE, MANY_WEIGHTS),
    MAY(BOOK, TOUCHING, LONG_BOXES),
    MAY(BOOK, NEAR, LONG_BOXES),
    MAY(BOOK, DISTANCE, LONG_BOXES),
    ROW(BOOK, SELF),
    ROW(BOOK, BOXES),
    ROW(BOOK, HASH),
    ROW(BOOK, NEIGHBOURS),
    ROW(BOOK, SELF_NEAR),
    ROW(BOOK, SELF_NEAR_3),
    ROW(BOOK, SELF_DISTANCE),
    ROW(BOOK, SELF_CONTACT),
    ROW(BOOK, SELF_CANDIDATES),
    ROW(RIM, SELF),
    MAY(RIM, BOXES, LONG_BOXES),
    MAY(RIM, HASH, LONG_BOXES),
    MAY(RIM, SELF_NEAR, LONG_BOXES),
    MAY(RIM, SELF_NEAR_3, LONG_BOXES),
    MAY(RIM, SELF_DISTANCE, LONG_BOXES),
    ROW(RIM, SELF_DISTANCE_ALL),
    ROW(COPIES, TOUCHING),
    ROW(COPIES, NEAR),
    ROW(COPIES, DISTANCE),
    ROW(COPIES, SELF),
    ROW(COPIES, SELF_DISTANCE),
    ROW(COPIES, RAYS),
    ROW(COPIES, CLOSEST),
    ROW(COPIES, CREATE_FREE),
    ROW(COPIES, CREATE_POINTS),
    MAY(COPIES, CREATE_MATCH, FEW_SEARCHES),
    ROW(POINT, TOUCHING),
    ROW(POINT, DISTANCE),
    ROW(POINT, SELF),
    ROW(POINT, CREATE_FREE),
    ROW(POINT, CREATE_POINTS),
    ROW(COPLANAR, TOUCHING),
    ROW(COPLANAR, SEGMENTS),
    ROW(COPLANAR, NEAR),
    ROW(COPLANAR, DISTANCE),
    ROW(COPLANAR, CANDIDATES),
    ROW(GRID, SELF),
    ROW(GRID, NEIGHBOURS),
    ROW(GRID, SELF_NEAR),
    ROW(GRID, SELF_DISTANCE),
    ROW(GRID, SELF_DISTANCE_ALL),
    ROW(GRID, SELF_CONTACT),
    ROW(GRID, SELF_APART),
    ROW(GRID, SELF_CANDIDATES),
    ROW(GRID, CREATE_POINTS),
    ROW(SLID, SELF_CONTACT),
    ROW(SLID, SELF_CANDIDATES),
    ROW(STACK, SELF),
    ROW(STACK, SELF_NEAR),
    ROW(STACK, SELF_DISTANCE),
    ROW(STACK, SELF_DISTANCE_ALL),
    ROW(STACK, SELF_CANDIDATES),
    ROW(STACK, OVERLAP),
    ROW(PLATES, NEAR),
    ROW(PLATES, FEATURES),
    ROW(PLATES, DISTANCE),
    ROW(PLATES, CLOSEST),
    ROW(PLATES, CONTACT),
    ROW(PLATES, APART),
    ROW(SHELLS, TOUCHING),
    ROW(SHELLS, DISTANCE),
    ROW(SHELLS, INSIDE),
    ROW(SHELLS, PENETRATION),
    ROW(IMPLODE, CONTACT),
    ROW(IMPLODE, SELF_CONTACT),
    ROW(IMPLODE, SELF_CANDIDATES),
    ROW(OUTLIER, TOUCHING),
    ROW(OUTLIER, DISTANCE),
    ROW(OUTLIER, SELF),
    MAY(OUTLIER, HASH, GREAT_CELLS),
    ROW(OUTLIER, SELF_NEAR),
    ROW(OUTLIER, RAYS),
    ROW(OUTLIER, CREATE_FREE),
    ROW(OUTLIER, CREATE_POINTS),
    MAY(OUTLIER, CREATE_MATCH, FEW_SEARCHES),
    MAY(SLIVERS, TOUCHING, LONG_BOXES),
    MAY(SLIVERS, DISTANCE, LONG_BOXES),
    MAY(SLIVERS, SELF, LONG_BOXES),
    MAY(SLIVERS, HASH, LONG_BOXES),
    MAY(SLIVERS, SELF_DISTANCE, LONG_BOXES),
    ROW(SLIVERS, RAYS),
    ROW(SLIVERS, CLOSEST),
    ROW(CROSSED, TOUCHING),
    ROW(CROSSED, NEAR),
    MAY(CROSSED, DISTANCE, ALL_EQUAL),
    ROW(CROSSED, CANDIDATES),
    ROW(SOUP, TOUCHING),
    ROW(SOUP, SELF),
    ROW(SOUP, SELF_NEAR),
    ROW(SOUP, RAYS),
    ROW(SOUP, CREATE_SOUP),
    ROW(FAR, TOUCHING),
    ROW(FAR, DISTANCE),
    ROW(FAR, CONTACT),
    ROW(HUGE, TOUCHING),
    ROW(HUGE, SELF),
    ROW(HUGE, DISTANCE),
};
enum { ROWS = sizeof rows / sizeof *rows };

static const bench_column columns[] = {{"input", "", 0},
                                       {"question", "question", 0},
                                       {"triangles", "triangles", 0},
                                       {"result", "result", 0},
                                       {"ms", "ms", 3},
                                       {"tests", "tests", 0},
                                       {"exponent", "exponent", 2},
                                       {"by", "by", 0},
                                       {"reason", "unavoidable", 0}};
static const bench_column step_columns[] = {{"input", NULL, 0},  {"question", NULL, 0}, {"triangles", NULL, 0},
                                            {"result", NULL, 0}, {"ms", NULL, 3},       {"tests", NULL, 0}};

/* One size of a row. */
typedef struct growth_point {
  double triangles, result, ms, tests;
} growth_point;

static double tests_of(const pl_counters *c) { return (double)(c->n_v + c->n_p + c->n_u); }

static bool fail_row(bench_report *report, const row_of *row, pl_context *context, const char *what)
{
  return bench_fail(report, "%s, %s: %s: %s", growth_shapes[row->shape].name, growth_questions[row->question].name,
                    what, pl_context_message(context));
}

/* One question of bodies that are new: nothing is known from an earlier query. */
static bool ask(bench_report *report, const row_of *row, pl_context *context, const growth_input *input, bool reference,
                growth_answer *out)
{
  growth_stage stage = {0};
  bool good = growth_stage_open(&stage, context, input) &&
              growth_questions[row->question].ask(&stage, reference, out) && !out->failed;
  if (!good) fail_row(report, row, context, "no answer");
  growth_stage_close(&stage);
  return good;
}

static bool check(bench_report *report, const row_of *row, pl_context *context)
{
  growth_input input = {0};
  growth_answer got = {0}, want = {0};
  bool good = growth_shapes[row->shape].make(CHECKED, &input);
  if (!good) bench_fail(report, "no memory for an input");
  good = good && ask(report, row, context, &input, false, &got) && ask(report, row, context, &input, true, &want);
  if (good && (got.size != want.size || (got.size && memcmp(got.bytes, want.bytes, got.size) != 0)))
    good = fail_row(report, row, context, "differs from the reference; please report this");
  if (good) bench_compared(&report->compared, "answers, every bit", BENCH_REFERENCE, -1, want.count);
  growth_answer_free(&got);
  growth_answer_free(&want);
  growth_input_free(&input);
  return good;
}

/* The least time of some repeats, fewer where one takes long. */
static bool measure(bench_report *report, const row_of *row, pl_context *context, size_t n, int repeats,
                    growth_point *out)
{
  growth_input input = {0};
  double spent = 0;
  bool good = growth_shapes[row->shape].make(n, &input);
  if (!good) bench_fail(report, "no memory for an input");
  *out = (growth_point){.triangles = (double)input.a.triangle_count, .ms = INFINITY};
  for (int k = 0; good && k < repeats && spent < 30; ++k) {
    growth_answer answer = {0};
    good = ask(report, row, context, &input, false, &answer);
    out->ms = fmin(out->ms, answer.ms);
    out->result = (double)answer.count;
    out->tests = tests_of(&answer.counters);
    spent += answer.ms;
    growth_answer_free(&answer);
  }
  growth_input_free(&input);
  return good;
}

/* Least squares of log(y) over log(x). */
static double slope(const double *x, const double *y, int count)
{
  double sx = 0, sy = 0, xx = 0, xy = 0;
  for (int i = 0; i < count; ++i) {
    double u = log(x[i]), v = log(y[i]);
    sx += u;
    sy += v;
    xx += u * u;
    xy += u * v;
  }
  return (count * xy - sx * sy) / (count * xx - sx * sx);
}

/* Of the greatest sizes. Below a twentieth of a millisecond the clock shows nothing: counts do,
 * beside the triangles themselves. */
static double exponent(const growth_point *points, int count, bool *by_time)
{
  double x[FITTED], ms[FITTED], tests[FITTED];
  int used = count < FITTED ? count : FITTED;
  *by_time = true;
  for (int i = 0; i < used; ++i) {
    const growth_point *p = &points[count - used + i];
    x[i] = p->triangles + p->result;
    ms[i] = p->ms;
    tests[i] = p->triangles + p->tests;
    if (p->ms < 0.05) *by_time = false;
  }
  return slope(x, *by_time ? ms : tests, used);
}

static void append(bench_report *report, const row_of *row, const growth_point *points, int count, double fitted,
                   bool by_time)
{
  const growth_point *last = &points[count - 1];
  const double numbers[] = {last->triangles, last->result, last->ms, last->tests, fitted};
  bench_table *t = &report->summary;
  bench_text(t, growth_shapes[row->shape].name);
  bench_text(t, growth_questions[row->question].name);
  for (size_t i = 0; i < sizeof numbers / sizeof *numbers; ++i) bench_number(t, numbers[i]);
  bench_text(t, by_time ? "time" : "counts");
  bench_text(t, row->reason ? row->reason : "");
  for (int i = 0; i < count; ++i) {
    const double step[] = {points[i].triangles, points[i].result, points[i].ms, points[i].tests};
    bench_text(&report->steps, growth_shapes[row->shape].name);
    bench_text(&report->steps, growth_questions[row->question].name);
    for (size_t k = 0; k < sizeof step / sizeof *step; ++k) bench_number(&report->steps, step[k]);
  }
}

/* Sizes double until one takes long: then the others have shown how it grows. */
static bool play(const bench_options *options, bench_report *report, const row_of *row, pl_context *context,
                 double *fitted)
{
  const int sizes = options->quick ? 2 : MOST_SIZES, repeats = options->reps    ? options->reps
                                                               : options->quick ? 1
                                                                                : REPEATS;
  const size_t first = options->quick ? CHECKED : options->triangles ? (size_t)options->triangles : FIRST;
  growth_point points[MOST_SIZES];
  int count = 0;
  bool by_time;
  if (!check(report, row, context)) return false;
  for (size_t n = first; count < sizes; n *= 2) {
    if (!measure(report, row, context, n, repeats, &points[count])) return false;
    double ms = points[count++].ms;
    if (count >= 2 && (ms > 200 || (ms > 30 && count >= FITTED))) break;
  }
  *fitted = exponent(points, count, &by_time);
  append(report, row, points, count, *fitted, by_time);
  return true;
}

static void conclude(bench_report *report, const row_of *worst, double most, int over, int excused)
{
  bench_headline_add(report, "worst", most, NAN);
  bench_headline_add(report, "over_goal", over, NAN);
  bench_headline_add(report, "inputs", ROWS, NAN);
  bench_note(
      report,
      "worst: %s, %s. The goal is an exponent of 1.3; %d of %d rows exceed it, and %d are marked as unavoidable.",
      growth_shapes[worst->shape].name, growth_questions[worst->question].name, over, ROWS, excused);
  bench_note(
      report,
      "The exponent is that of processor time, or of tests where a question takes less than 0.05 ms, over triangles "
      "and result, for the four greatest sizes; ms and tests are those of the greatest.");
  bench_note(report,
             "Every row agreed with the reference at %d triangles before it was timed; each repeat asks new bodies.",
             CHECKED);
}

bool growth_run(const bench_options *options, bench_report *report)
{
  pl_context_def def = pl_context_def_default();
  pl_context *context;
  def.threads = options->threads ? options->threads : 1;
  bench_table_init(&report->summary, columns, sizeof columns / sizeof *columns);
  bench_table_init(&report->steps, step_columns, sizeof step_columns / sizeof *step_columns);
  if (pl_context_create(&def, &context) != PL_OK) return bench_fail(report, "no context");
  const row_of *worst = &rows[0];
  double most = -INFINITY;
  int over = 0, excused = 0;
  bool good = true;
  for (int i = 0; good && i < ROWS; ++i) {
    double fitted = 0;
    bench_progress(report, "%s: row %d of %d: %s, %s", report->experiment, i + 1, ROWS,
                   growth_shapes[rows[i].shape].name, growth_questions[rows[i].question].name);
    good = play(options, report, &rows[i], context, &fitted);
    excused += rows[i].reason != NULL;
    if (rows[i].reason || !(fitted > -INFINITY)) continue;
    over += fitted > 1.3;
    if (fitted > most) most = fitted, worst = &rows[i];
  }
  bench_progress(report, "%s", "");
  if (good) conclude(report, worst, most, over, excused);
  snprintf(report->setting, sizeof report->setting, "%d rows; sizes double from %d triangles; %d thread%s", ROWS,
           options->quick       ? CHECKED
           : options->triangles ? options->triangles
                                : 500,
           def.threads, def.threads == 1 ? "" : "s");
  pl_context_destroy(context);
  return good;
}
