/* Zachmann and Weller, kinetic separation lists (slides): all contacts of two bodies between two keys, and of one body with itself. Beside
 * each other: swept volumes, once for each in-between, careful (8 children, leaves of 8, loops over lanes) and plain (binary, one triangle
 * per leaf); the separation list, whose cost is that of its events; and boxes that move linearly with a walk in space and time
 * (pl_first_contact()), which looks at the keys once. Swept volumes and the list stop at pairs of leaves; the walk goes on to exact
 * times of contact. */
#include "bench/flights.h"
#include "bench/swept.h"

#include <math.h>
#include <stdlib.h>

enum { CAREFUL, PLAIN, BASELINES, MOST_STEPS = 160 };
static const int counts[] = {2, 16, 160};
enum { COUNTS = sizeof counts / sizeof *counts };

static const bench_column columns[] = {{"scene", "", 0},
                                       {"triangles", "triangles", 0},
                                       {"in_betweens", "in-betw.", 0},
                                       {"swept_ms", "swept ms", 3},
                                       {"swept_plain_ms", "plain ms", 3},
                                       {"list_ms", "list ms", 3},
                                       {"linear_ms", "linear ms", 3},
                                       {"list_faster", "list", 2},
                                       {"list_faster_plain", "list/plain", 2},
                                       {"linear_faster", "linear", 2},
                                       {"linear_faster_plain", "linear/plain", 2},
                                       {"tree_events", "tree ev.", 0},
                                       {"pair_events", "pair ev.", 0},
                                       {"leaf_pairs", "leaf pairs", 0},
                                       {"contacts", "contacts", 0}};

/* One scene: two bodies, or one. */
typedef struct stage {
  bench_report *report;
  pl_context *context;
  bench_flight flight[2];
  int bodies, reps;
  const char *key;
  double swept_ms[BASELINES][COUNTS], list_ms[COUNTS], linear_ms;
  size_t contacts;
  pl_separation_info info;
} stage;

/* ------------------------------------------------------------------------------------------------------- baselines -- */

/* `steps` in-betweens, posed before the clock runs. */
static bool play_swept(stage *s, int which, int steps, double *ms)
{
  swept trees[2] = {0};
  float *poses[2][2] = {0};
  bool good = true;
  for (int b = 0; b < s->bodies && good; ++b) {
    const bench_flight *f = &s->flight[b];
    good = swept_create(which == CAREFUL ? 8 : 2, which == CAREFUL ? 8 : 1, f->key[0], f->mesh.triangles,
                        f->mesh.triangle_count, &trees[b]);
    for (int i = 0; i < 2; ++i) poses[b][i] = malloc((3 * f->mesh.vertex_count + 1) * sizeof(float));
    good = good && poses[b][0] && poses[b][1];
  }
  size_t found = 0;
  *ms = 0;
  for (int k = 0; good && k < steps; ++k) {
    for (int b = 0; b < s->bodies; ++b)
      for (int i = 0; i < 2; ++i) bench_flight_pose(&s->flight[b], (double)(k + i) / steps, poses[b][i]);
    double start = bench_cpu_ms();
    for (int b = 0; b < s->bodies; ++b) swept_refit(&trees[b], poses[b][0], poses[b][1]);
    found += swept_pairs(&trees[0], &trees[s->bodies - 1]);
    *ms += bench_cpu_ms() - start;
  }
  if (good && s->contacts && !found) good = bench_fail(s->report, "%s: swept volumes miss contacts", s->key);
  for (int b = 0; b < 2; ++b) {
    swept_free(&trees[b]);
    free(poses[b][0]);
    free(poses[b][1]);
  }
  return good;
}

/* ------------------------------------------------------------------------------------------------------------ ours -- */

/* The list, asked `steps` times; the least time of some repeats. */
static bool play_list(stage *s, int steps, bool leaves_only, double *ms, size_t *found)
{
  pl_body_def def = pl_body_def_default();
  def.strategy = PL_STRATEGY_HYBRID; /* the list has realizing vertices of its own */
  pl_separation_def how = pl_separation_def_default();
  how.leaves_only = leaves_only;
  bool good = true;
  *ms = INFINITY;
  for (int r = 0; r < s->reps && good; ++r) {
    pl_body *body[2] = {bench_flight_body(s->context, &s->flight[0], &def), NULL};
    body[1] = s->bodies == 2 ? bench_flight_body(s->context, &s->flight[1], &def) : body[0];
    pl_separation *list = NULL;
    const pl_separation_result *touches;
    *found = 0;
    double start = bench_cpu_ms();
    good = body[0] && body[1] && pl_separation_create(body[0], body[1], &how, &list) == PL_OK;
    for (int k = 1; k <= steps && good; ++k) {
      good = pl_separation_advance(list, (double)k / steps, &touches) == PL_OK;
      if (good) *found += touches->count;
    }
    *ms = fmin(*ms, bench_cpu_ms() - start);
    if (good) good = pl_separation_get_info(list, &s->info) == PL_OK;
    pl_separation_destroy(list);
    if (s->bodies == 2) pl_body_destroy(body[1]);
    pl_body_destroy(body[0]);
  }
  return good;
}

/* All contacts by the walk in space and time; boxes of both keys are made anew each time. */
static bool play_linear(stage *s, double *ms, size_t *found)
{
  pl_body *body[2] = {bench_flight_mover(s->context, &s->flight[0]), NULL};
  body[1] = s->bodies == 2 ? bench_flight_mover(s->context, &s->flight[1]) : body[0];
  pl_impact_def def = pl_impact_def_default();
  def.all = true;
  bool good = body[0] && body[1];
  *ms = INFINITY;
  for (int r = 0; r < s->reps + 1 && good; ++r) { /* the first one finds features, which stay */
    for (int b = 0; b < s->bodies && good; ++b)
      good = pl_body_set_positions(body[b], pl_positions_f32(s->flight[b].key[1], s->flight[b].mesh.vertex_count)) ==
             PL_OK;
    const pl_impacts *all;
    double start = bench_cpu_ms();
    good = good && pl_first_contact(body[0], body[1], &def, &all) == PL_OK;
    if (r) *ms = fmin(*ms, bench_cpu_ms() - start);
    if (good) *found = all->count;
  }
  if (s->bodies == 2) pl_body_destroy(body[1]);
  pl_body_destroy(body[0]);
  return good;
}

/* ------------------------------------------------------------------------------------------------------- the stage -- */

static bool measure(stage *s)
{
  size_t by_list, none;
  double ms;
  bool good = play_linear(s, &s->linear_ms, &s->contacts);
  good = good && play_list(s, 3, false, &ms, &by_list); /* the same contacts before any time counts */
  if (good && by_list != s->contacts)
    return bench_fail(s->report, "%s: the list finds %zu contacts, the walk %zu", s->key, by_list, s->contacts);
  for (int i = 0; i < COUNTS && good; ++i) {
    bench_progress(s->report, "%s: %s, %d in-betweens", s->report->experiment, s->key, counts[i]);
    good = play_swept(s, CAREFUL, counts[i], &s->swept_ms[CAREFUL][i]) &&
           play_swept(s, PLAIN, counts[i], &s->swept_ms[PLAIN][i]) &&
           play_list(s, counts[i], true, &s->list_ms[i], &none);
  }
  if (!good && !s->report->error[0]) bench_fail(s->report, "%s: %s", s->key, pl_context_message(s->context));
  return good;
}

static void append(stage *s)
{
  for (int i = 0; i < COUNTS; ++i) {
    bench_table *t = &s->report->summary;
    const double careful = s->swept_ms[CAREFUL][i], plain = s->swept_ms[PLAIN][i];
    const double numbers[] = {(double)s->flight[0].mesh.triangle_count,
                              counts[i],
                              careful,
                              plain,
                              s->list_ms[i],
                              s->linear_ms,
                              careful / s->list_ms[i],
                              plain / s->list_ms[i],
                              careful / s->linear_ms,
                              plain / s->linear_ms,
                              (double)s->info.tree_events,
                              (double)(s->info.overlaps + s->info.separations + s->info.renewals),
                              (double)s->info.leaf_pairs,
                              (double)s->contacts};
    bench_text(t, s->key);
    for (size_t k = 0; k < sizeof numbers / sizeof *numbers; ++k) bench_number(t, numbers[k]);
  }
}

static bool open_stage(const bench_options *options, bench_report *report, stage *s)
{
  *s = (stage){.report = report, .reps = options->reps ? options->reps : options->quick ? 1 : 3};
  pl_context_def def = pl_context_def_default();
  def.threads = options->threads ? options->threads : 1;
  snprintf(report->setting, sizeof report->setting, "least of %d repeats, %d thread%s, processor time", s->reps,
           def.threads, def.threads > 1 ? "s" : "");
  return pl_context_create(&def, &s->context) == PL_OK || bench_fail(report, "out of memory");
}

static void notes(bench_report *report)
{
  bench_note(
      report,
      "Milliseconds of processor time for the whole way between two keys. swept: boxes around both poses of each "
      "in-between, refitted and walked down to pairs of leaves; posing is not counted.");
  bench_note(report, "list: created and asked at each in-between, pairs of leaves; linear: pl_first_contact() with all "
                     "contacts, exact "
                     "times included. Columns at the right: times faster than swept volumes.");
}

bool zachmann_2_run(const bench_options *options, bench_report *report)
{
  bench_table_init(&report->summary, columns, sizeof columns / sizeof *columns);
  bool good = true;
  for (int scene = 0; scene < FLIGHT_SCENE_COUNT && good; ++scene) {
    if (options->quick && scene != FLIGHT_NEAR && scene != FLIGHT_FAST) continue;
    int triangles = options->triangles ? options->triangles : options->quick ? 320 : 20480;
    stage s;
    good = open_stage(options, report, &s);
    s.key = bench_flight_key(scene);
    s.bodies = 2;
    for (int b = 0; b < 2 && good; ++b)
      good = bench_flight_sphere(scene, b, triangles, &s.flight[b]) || bench_fail(report, "out of memory");
    good = good && measure(&s);
    if (good) append(&s);
    if (good && scene == FLIGHT_NEAR) {
      bench_headline_add(report, "at_16", s.swept_ms[CAREFUL][1] / s.linear_ms, NAN);
      bench_headline_add(report, "at_160", s.swept_ms[CAREFUL][2] / s.linear_ms, 50);
      bench_headline_add(report, "list_at_16", s.swept_ms[CAREFUL][1] / s.list_ms[1], NAN);
      bench_headline_add(report, "list_at_160", s.swept_ms[CAREFUL][2] / s.list_ms[2], 50);
      bench_headline_add(report, "list_at_160_plain", s.swept_ms[PLAIN][2] / s.list_ms[2], 50);
      bench_headline_add(report, "list_2_over_160", s.list_ms[0] / s.list_ms[2], 1);
    }
    for (int b = 0; b < 2; ++b) bench_flight_free(&s.flight[b]);
    pl_context_destroy(s.context);
  }
  notes(report);
  report->checked = good;
  return good;
}

bool zachmann_3_run(const bench_options *options, bench_report *report)
{
  static const int sizes[] = {5000, 20000}, small[] = {300};
  bench_table_init(&report->summary, columns, sizeof columns / sizeof *columns);
  bool good = true;
  const int count = options->quick || options->triangles ? 1 : 2;
  for (int i = 0; i < count && good; ++i) {
    int triangles = options->triangles ? options->triangles : options->quick ? small[i] : sizes[i];
    stage s;
    good = open_stage(options, report, &s);
    s.key = "cloth";
    s.bodies = 1;
    good = good && (bench_flight_cloth(triangles, &s.flight[0]) || bench_fail(report, "out of memory"));
    good = good && measure(&s);
    if (good) append(&s);
    if (good && i + 1 == count) {
      bench_headline_add(report, "self", s.swept_ms[CAREFUL][1] / s.linear_ms, NAN);
      bench_headline_add(report, "self_160", s.swept_ms[CAREFUL][2] / s.linear_ms, NAN);
      bench_headline_add(report, "self_list", s.swept_ms[CAREFUL][1] / s.list_ms[1], NAN);
    }
    bench_flight_free(&s.flight[0]);
    pl_context_destroy(s.context);
  }
  notes(report);
  report->checked = good;
  return good;
}
