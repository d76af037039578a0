/* Zachmann and Weller, kinetic separation lists (slides): what two bodies meet between two keys,
 * and one body of itself. Each method stands beside a baseline that does the same work, swept
 * volumes, once for each in-between:
 *   list     pl_separation, down to pairs of leaves: beside swept volumes down to pairs of
 *            leaves
 *   linear   boxes that move linearly, pl_windows(): all pairs of triangles whose boxes overlap,
 *            in the order of time: beside swept volumes down to pairs of triangles (not in
 *            order)
 *   exact    pl_impacts(), all contacts at their exact times: beside pl_candidates() of each
 *            in-between, each candidate decided
 * Swept volumes are careful (8 children, leaves of 8, loops over lanes) or plain (binary, one
 * triangle per leaf). */
#include "bench/zachmann_stage.h"

#include <math.h>

static const int counts[] = {1, 2, 4, 16, 160};
_Static_assert(sizeof counts / sizeof *counts == COUNTS, "each has a name");

static const bench_column columns[] = {{"scene", "", 0},
                                       {"triangles", "triangles", 0},
                                       {"in_betweens", "in-betw.", 0},
                                       {"swept_leaves_ms", "swept leaves", 3},
                                       {"swept_ms", "swept ms", 3},
                                       {"swept_plain_ms", "plain ms", 3},
                                       {"swept_exact_ms", "swept exact", 2},
                                       {"list_ms", "list ms", 3},
                                       {"linear_ms", "linear ms", 3},
                                       {"linear_pairs_ms", "not sorted", 3},
                                       {"exact_ms", "exact ms", 3},
                                       {"list_faster", "list", 2},
                                       {"list_faster_plain", "list/plain", 2},
                                       {"linear_faster", "linear", 2},
                                       {"linear_faster_plain", "linear/plain", 2},
                                       {"linear_pairs_faster", "not sorted", 2},
                                       {"exact_faster", "exact", 2},
                                       {"windows", "windows", 0},
                                       {"tree_events", "tree ev.", 0},
                                       {"pair_events", "pair ev.", 0},
                                       {"leaf_pairs", "leaf pairs", 0},
                                       {"internal_per_external", "int./ext.", 2},
                                       {"contacts", "contacts", 0}};

static bool measure(stage *s)
{
  size_t none;
  bool same = true, good = zachmann_check(s);
  for (int i = 0; i < COUNTS && good; ++i) {
    bench_progress(s->report, "%s: %s, %d in-betweens", s->report->experiment, s->key, counts[i]);
    for (int which = 0; which < BASELINES && good; ++which)
      good = zachmann_play_swept(s, which, counts[i], &s->swept_ms[which][i]);
    good = good && zachmann_play_list(s, counts[i], true, &s->list_ms[i], &none, &same);
    good = good && zachmann_play_swept_exact(s, counts[i], &s->swept_exact_ms[i]);
  }
  if (!good && !s->report->error[0]) bench_fail(s->report, "%s: %s", s->key, pl_context_message(s->context));
  return good;
}

/* One scene of two bodies at a size that brute force can do. */
static bool check_small(const bench_options *options, bench_report *report, int scene)
{
  enum { SMALL = 5120 };
  stage s;
  bool good = zachmann_open(options, report, &s);
  s.key = bench_flight_key(scene);
  s.bodies = 2;
  s.reps = 1;
  s.reference = true;
  bench_progress(report, "%s: %s, the reference", report->experiment, s.key);
  for (int b = 0; b < 2 && good; ++b)
    good = bench_flight_sphere(scene, b, SMALL, &s.flight[b]) || bench_fail(report, "out of memory");
  good = good && zachmann_check(&s);
  if (!good && !report->error[0]) bench_fail(report, "%s: %s", s.key, pl_context_message(s.context));
  zachmann_close(&s);
  return good;
}

static void append(stage *s)
{
  for (int i = 0; i < COUNTS; ++i) {
    bench_table *t = &s->report->summary;
    const double leaves = s->swept_ms[LEAVES][i], careful = s->swept_ms[CAREFUL][i], plain = s->swept_ms[PLAIN][i];
    const double numbers[] = {(double)s->flight[0].mesh.triangle_count,
                              counts[i],
                              leaves,
                              careful,
                              plain,
                              s->swept_exact_ms[i],
                              s->list_ms[i],
                              s->linear_ms,
                              s->pairs_ms,
                              s->exact_ms,
                              leaves / s->list_ms[i],
                              plain / s->list_ms[i],
                              careful / s->linear_ms,
                              plain / s->linear_ms,
                              careful / s->pairs_ms,
                              s->swept_exact_ms[i] / s->exact_ms,
                              (double)s->windows,
                              (double)s->info.events,
                              (double)(s->info.overlaps + s->info.separations),
                              (double)s->info.leaf_pairs,
                              zachmann_internal_events(&s->info) / zachmann_external_events(&s->info),
                              (double)s->contacts};
    bench_text(t, s->key);
    for (size_t k = 0; k < sizeof numbers / sizeof *numbers; ++k) bench_number(t, numbers[k]);
  }
}

static void notes(bench_report *report)
{
  bench_note(
      report,
      "Milliseconds of processor time for the whole way between two keys. swept: boxes around both poses of each "
      "in-between, refitted and walked down to pairs of leaves, or to pairs of triangles; posing is not counted. "
      "swept exact: pl_candidates() of each in-between, each candidate decided exactly.");
  bench_note(report,
             "list: created and asked at each in-between, pairs of leaves. linear: pl_windows(), pairs of triangles in "
             "the order of time; not sorted: the same in the order of the walk, which is what swept volumes do. exact: "
             "pl_impacts(), all contacts. At the right: times faster than swept volumes "
             "that do the same.");
}

bool zachmann_2_run(const bench_options *options, bench_report *report)
{
  bench_table_init(&report->summary, columns, sizeof columns / sizeof *columns);
  bool good = true;
  /* of linear boxes, sorted and not, in the scene where they gain the least */
  double least[COUNTS], pairs[COUNTS];
  for (int i = 0; i < COUNTS; ++i) least[i] = pairs[i] = INFINITY;
  for (int scene = 0; scene < FLIGHT_SCENE_COUNT && good; ++scene) {
    if (options->quick && scene != FLIGHT_NEAR && scene != FLIGHT_FAST) continue;
    int triangles = options->triangles ? options->triangles : options->quick ? 320 : 20480;
    stage s;
    good = zachmann_open(options, report, &s);
    s.key = bench_flight_key(scene);
    s.bodies = 2;
    s.reference = options->quick || options->full || scene == FLIGHT_NEAR;
    for (int b = 0; b < 2 && good; ++b)
      good = bench_flight_sphere(scene, b, triangles, &s.flight[b]) || bench_fail(report, "out of memory");
    good = good && measure(&s);
    if (good) append(&s);
    if (good && scene == FLIGHT_NEAR) {
      bench_headline_add(report, "at_16", s.swept_ms[CAREFUL][AT_16] / s.linear_ms, NAN);
      bench_headline_add(report, "at_160", s.swept_ms[CAREFUL][AT_160] / s.linear_ms, NAN);
      bench_headline_add(report, "exact_at_16", s.swept_exact_ms[AT_16] / s.exact_ms, NAN);
      bench_headline_add(report, "exact_at_160", s.swept_exact_ms[AT_160] / s.exact_ms, NAN);
      bench_headline_add(report, "list_at_16", s.swept_ms[LEAVES][AT_16] / s.list_ms[AT_16], NAN);
      bench_headline_add(report, "list_at_160", s.swept_ms[LEAVES][AT_160] / s.list_ms[AT_160], 50);
      bench_headline_add(report, "list_at_160_plain", s.swept_ms[PLAIN][AT_160] / s.list_ms[AT_160], 50);
      bench_headline_add(report, "internal_per_external",
                         zachmann_internal_events(&s.info) / zachmann_external_events(&s.info), NAN);
      bench_headline_add(report, "list_2_over_160", s.list_ms[AT_2] / s.list_ms[AT_160], NAN);
    }
    for (int i = 0; i < COUNTS && good; ++i) {
      least[i] = fmin(least[i], s.swept_ms[CAREFUL][i] / s.linear_ms);
      pairs[i] = fmin(pairs[i], s.swept_ms[CAREFUL][i] / s.pairs_ms);
    }
    zachmann_close(&s);
    good = good && (options->quick || s.reference || check_small(options, report, scene));
  }
  if (good) {
    bench_headline_add(report, "least_at_2", least[AT_2], NAN);
    bench_headline_add(report, "least_at_16", least[AT_16], NAN);
    bench_headline_add(report, "least_pairs_at_1", pairs[AT_1], NAN);
    bench_headline_add(report, "least_pairs_at_2", pairs[AT_2], NAN);
    bench_headline_add(report, "least_pairs_at_4", pairs[AT_4], NAN);
  }
  notes(report);
  return good && zachmann_sizes(options, report);
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
    good = zachmann_open(options, report, &s);
    s.key = "cloth";
    s.bodies = 1;
    s.reference = true;
    good = good && (bench_flight_cloth(triangles, &s.flight[0]) || bench_fail(report, "out of memory"));
    good = good && measure(&s);
    if (good) append(&s);
    if (good && i + 1 == count) {
      bench_headline_add(report, "self", s.swept_exact_ms[AT_16] / s.exact_ms, NAN);
      bench_headline_add(report, "self_160", s.swept_exact_ms[AT_160] / s.exact_ms, NAN);
      bench_headline_add(report, "self_beside_leaves", s.swept_ms[LEAVES][AT_16] / s.exact_ms,
                         NAN); /* which decide less */
      bench_headline_add(report, "self_list", s.swept_ms[LEAVES][AT_16] / s.list_ms[AT_16], NAN);
    }
    zachmann_close(&s);
  }
  notes(report);
  return good;
}
