/* Zachmann and Weller, kinetic separation lists (slides): what two bodies meet between two keys, and one body of itself. Each method stands
 * beside a baseline that does the same work, swept volumes, once for each in-between:
 *   list     pl_separation, down to pairs of leaves: beside swept volumes down to pairs of leaves
 *   linear   boxes that move linearly, pl_flight_windows(): all pairs of triangles whose boxes overlap, in the order of time: beside swept
 *            volumes down to pairs of triangles (not in order)
 *   exact    pl_first_contact(), all contacts at their exact times: beside pl_impact_candidates() of each in-between, each candidate decided
 * Swept volumes are careful (8 children, leaves of 8, loops over lanes) or plain (binary, one triangle per leaf). */
#include "bench/flights.h"
#include "bench/swept.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { LEAVES, CAREFUL, PLAIN, BASELINES };
static const int counts[] = {1, 2, 4, 16, 160};
enum { AT_1, AT_2, AT_4, AT_16, AT_160, COUNTS };
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
                                       {"contacts", "contacts", 0}};

/* One scene: two bodies, or one. */
typedef struct stage {
  bench_report *report;
  pl_context *context;
  bench_flight flight[2];
  int bodies, reps;
  bool reference; /* compare with it: at full size it takes seconds */
  const char *key;
  double swept_ms[BASELINES][COUNTS], swept_exact_ms[COUNTS], list_ms[COUNTS], linear_ms, pairs_ms, exact_ms;
  size_t contacts, windows;
  pl_impact *found; /* all contacts by the walk, in the order of time */
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
    good = swept_create(which == PLAIN ? 2 : 8, which == PLAIN ? 1 : 8, f->key[0], f->mesh.triangles,
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
    found += which == CAREFUL && s->bodies == 2 ? swept_triangles(&trees[0], &trees[1])
                                                : swept_pairs(&trees[0], &trees[s->bodies - 1]);
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

/* Exact times of all candidates of two bodies. */
static size_t decide(const pl_candidates *found, const float *const from[2], const float *const to[2],
                     const uint32_t *const triangles[2])
{
  size_t contacts = 0;
  const struct list {
    const pl_pair *pairs;
    size_t count;
    int first; /* whose vertex, or -1: edges */
  } lists[] = {{found->vertex_face, found->vertex_face_count, 0},
               {found->face_vertex, found->face_vertex_count, 1},
               {found->edge_edge, found->edge_edge_count, -1}};
  for (size_t l = 0; l < 3; ++l)
    for (size_t i = 0; i < lists[l].count; ++i) {
      const pl_pair p = lists[l].pairs[i];
      const int v = lists[l].first, side[4] = {v < 0 ? 0 : v, v < 0 ? 0 : 1 - v, v < 0 ? 1 : 1 - v, v < 0 ? 1 : 1 - v};
      uint32_t at[4];
      if (v < 0) {
        memcpy(at, found->edges_a[p.a], 2 * sizeof *at);
        memcpy(at + 2, found->edges_b[p.b], 2 * sizeof *at);
      } else {
        at[0] = v ? p.b : p.a;
        memcpy(at + 1, triangles[1 - v] + 3 * (size_t)(v ? p.a : p.b), 3 * sizeof *at);
      }
      double start[4][3], end[4][3], time = 0;
      for (int c = 0; c < 4; ++c)
        for (size_t k = 0; k < 3; ++k) {
          start[c][k] = (double)from[side[c]][3 * at[c] + k];
          end[c][k] = (double)to[side[c]][3 * at[c] + k];
        }
      contacts +=
          (v < 0 ? pl_edge_edge_time : pl_vertex_face_time)((const double(*)[3])start, (const double(*)[3])end, &time);
    }
  return contacts;
}

/* Swept volumes with exact times: the candidates of each in-between, decided one by one. One body is both. */
static bool play_swept_exact(stage *s, int steps, double *ms)
{
  pl_body *body[2] = {NULL, NULL};
  float *poses[2][2] = {{NULL, NULL}, {NULL, NULL}};
  const int last = s->bodies - 1;
  const uint32_t *const triangles[2] = {s->flight[0].mesh.triangles, s->flight[last].mesh.triangles};
  bool good = true;
  for (int b = 0; b < s->bodies; ++b) {
    body[b] = bench_flight_mover(s->context, &s->flight[b]);
    for (int i = 0; i < 2; ++i) poses[b][i] = malloc((3 * s->flight[b].mesh.vertex_count + 1) * sizeof(float));
    good = good && body[b] && poses[b][0] && poses[b][1];
  }
  size_t found = 0;
  *ms = 0;
  for (int k = 0; good && k < steps; ++k) {
    const float *from[2] = {poses[0][0], poses[last][0]}, *to[2] = {poses[0][1], poses[last][1]};
    for (int b = 0; b < s->bodies; ++b)
      for (int i = 0; i < 2; ++i) bench_flight_pose(&s->flight[b], (double)(k + i) / steps, poses[b][i]);
    double start = bench_cpu_ms();
    for (int b = 0; b < s->bodies && good; ++b) {
      const size_t n = s->flight[b].mesh.vertex_count;
      if (!k) good = pl_body_set_positions(body[b], pl_positions_f32(from[b], n)) == PL_OK;
      good = good && pl_body_keep_pose(body[b]) == PL_OK &&
             pl_body_set_positions(body[b], pl_positions_f32(to[b], n)) == PL_OK;
    }
    const pl_candidates *all;
    good = good && pl_impact_candidates(body[0], body[last], NULL, &all) == PL_OK;
    if (good) found += decide(all, from, to, triangles);
    *ms += bench_cpu_ms() - start;
  }
  if (good && s->contacts && !found) good = bench_fail(s->report, "%s: swept volumes miss contacts", s->key);
  for (int b = 0; b < s->bodies; ++b) {
    pl_body_destroy(body[b]);
    free(poses[b][0]);
    free(poses[b][1]);
  }
  return good;
}

/* ------------------------------------------------------------------------------------------------------------ ours -- */

static bool same_contacts(const pl_impact *x, const pl_impact *y, size_t count)
{
  for (size_t i = 0; i < count; ++i)
    if (x[i].time != y[i].time || x[i].kind != y[i].kind ||
        memcmp(x[i].feature_a, y[i].feature_a, sizeof x->feature_a) ||
        memcmp(x[i].feature_b, y[i].feature_b, sizeof x->feature_b))
      return false;
  return true;
}

/* The list, asked `steps` times; the least time of some repeats. *same: contacts are those of the walk so far. */
static bool play_list(stage *s, int steps, bool leaves_only, double *ms, size_t *found, bool *same)
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
      if (!good) continue;
      *same = *same && (leaves_only || (*found + touches->count <= s->contacts &&
                                        same_contacts(touches->impacts, s->found + *found, touches->count)));
      *found += touches->count;
    }
    *ms = fmin(*ms, bench_cpu_ms() - start);
    if (good) good = pl_separation_get_info(list, &s->info) == PL_OK;
    pl_separation_destroy(list);
    if (s->bodies == 2) pl_body_destroy(body[1]);
    pl_body_destroy(body[0]);
  }
  return good;
}

static int by_time(const void *a, const void *b)
{
  const pl_window *x = a, *y = b;
  if (x->time != y->time) return x->time < y->time ? -1 : 1;
  return x->a != y->a ? (x->a < y->a ? -1 : 1) : (x->b > y->b) - (x->b < y->b);
}

/* A copy in one order also at equal times, which is what trees may choose. */
static pl_window *windows_of(const pl_windows *all)
{
  pl_window *copy = malloc((all->count + 1) * sizeof *copy);
  if (copy && all->count) memcpy(copy, all->windows, all->count * sizeof *copy);
  if (copy) qsort(copy, all->count, sizeof *copy, by_time);
  return copy;
}

/* Every triangle against every other. */
static bool check_linear(stage *s, pl_body *const body[2])
{
  const pl_windows *all;
  pl_window *found = NULL, *right = NULL;
  size_t count = 0;
  bool good = pl_flight_windows(body[0], body[1], NULL, &all) == PL_OK && (found = windows_of(all));
  count = good ? all->count : 0;
  good = good && pl_reference_flight_windows(body[0], body[1], NULL, &all) == PL_OK && (right = windows_of(all));
  bool same = good && all->count == count;
  for (size_t i = 0; same && i < count; ++i) same = by_time(&found[i], &right[i]) == 0;
  free(found);
  free(right);
  if (!good) return false;
  if (!same) return bench_fail(s->report, "%s: other windows than the reference's; please report this", s->key);
  bench_compared(&s->report->compared, "linear: pairs of triangles and times", BENCH_REFERENCE, -1, count);
  return true;
}

/* All pairs of triangles, in the order of time if `sorted`. */
static bool play_linear(stage *s, bool sorted, double *ms)
{
  pl_windows_def how = pl_windows_def_default();
  how.unsorted = !sorted;
  pl_body_def def = pl_body_def_default();
  def.strategy = PL_STRATEGY_HYBRID; /* its volumes are not used */
  pl_body *body[2] = {bench_flight_body(s->context, &s->flight[0], &def),
                      bench_flight_body(s->context, &s->flight[1], &def)};
  bool good = body[0] && body[1];
  *ms = INFINITY;
  for (int r = 0; r < 3 * s->reps + 1 && good; ++r) { /* the first one allocates */
    const pl_windows *all;
    double start = bench_cpu_ms();
    good = pl_flight_windows(body[0], body[1], &how, &all) == PL_OK;
    if (r) *ms = fmin(*ms, bench_cpu_ms() - start);
    if (good) s->windows = all->count;
  }
  good = good && (!sorted || !s->reference || check_linear(s, body));
  for (int b = 0; b < 2; ++b) pl_body_destroy(body[b]);
  return good;
}

static bool keep_contacts(stage *s, const pl_impacts *all)
{
  s->found = malloc((all->count + 1) * sizeof *s->found);
  if (s->found && all->count) memcpy(s->found, all->impacts, all->count * sizeof *s->found);
  return s->found != NULL;
}

/* Every vertex against every triangle, every edge against every edge. */
static bool check_exact(stage *s, pl_body *const body[2], const pl_impact_def *def)
{
  const pl_impacts *all;
  bench_progress(s->report, "%s: %s, the reference", s->report->experiment, s->key);
  if (pl_reference_first_contact(body[0], body[1], def, &all) != PL_OK) return false;
  if (all->count != s->contacts || !same_contacts(all->impacts, s->found, all->count))
    return bench_fail(s->report, "%s: the walk finds other contacts than the reference; please report this", s->key);
  bench_compared(&s->report->compared, "exact: features and times of all contacts", BENCH_REFERENCE, -1, all->count);
  return true;
}

/* All contacts by the walk in space and time; boxes of both keys are computed each time. */
static bool play_exact(stage *s, double *ms, size_t *found)
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
    if (good && !r) good = keep_contacts(s, all);
  }
  good = good && (!s->reference || check_exact(s, body, &def));
  if (s->bodies == 2) pl_body_destroy(body[1]);
  pl_body_destroy(body[0]);
  return good;
}

/* ------------------------------------------------------------------------------------------------------- the stage -- */

/* All contacts by the walk, the list and the reference; the times of the walk are kept. */
static bool check(stage *s)
{
  size_t by_list = 0;
  double ms;
  bool same = true;
  bench_compared_scene(&s->report->compared, 0, "%s, %zu triangles", s->key, s->flight[0].mesh.triangle_count);
  bool good = play_exact(s, &s->exact_ms, &s->contacts);
  s->linear_ms = s->pairs_ms = NAN;
  if (good && s->bodies == 2) good = play_linear(s, true, &s->linear_ms) && play_linear(s, false, &s->pairs_ms);
  good = good && play_list(s, 3, false, &ms, &by_list, &same); /* the same contacts before any time counts */
  if (good && (by_list != s->contacts || !same))
    return bench_fail(s->report, "%s: the list finds %zu contacts, the walk %zu, or others; please report this", s->key,
                      by_list, s->contacts);
  if (good) bench_compared(&s->report->compared, "list: features and times of all contacts", "exact", -1, by_list);
  return good;
}

static bool measure(stage *s)
{
  size_t none;
  bool same = true, good = check(s);
  for (int i = 0; i < COUNTS && good; ++i) {
    bench_progress(s->report, "%s: %s, %d in-betweens", s->report->experiment, s->key, counts[i]);
    for (int which = 0; which < BASELINES && good; ++which)
      good = play_swept(s, which, counts[i], &s->swept_ms[which][i]);
    good = good && play_list(s, counts[i], true, &s->list_ms[i], &none, &same);
    good = good && play_swept_exact(s, counts[i], &s->swept_exact_ms[i]);
  }
  if (!good && !s->report->error[0]) bench_fail(s->report, "%s: %s", s->key, pl_context_message(s->context));
  return good;
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

static void close_stage(stage *s)
{
  for (int b = 0; b < s->bodies; ++b) bench_flight_free(&s->flight[b]);
  free(s->found);
  pl_context_destroy(s->context);
}

/* One scene of two bodies at a size that brute force can do. */
static bool check_small(const bench_options *options, bench_report *report, int scene)
{
  enum { SMALL = 5120 };
  stage s;
  bool good = open_stage(options, report, &s);
  s.key = bench_flight_key(scene);
  s.bodies = 2;
  s.reps = 1;
  s.reference = true;
  bench_progress(report, "%s: %s, the reference", report->experiment, s.key);
  for (int b = 0; b < 2 && good; ++b)
    good = bench_flight_sphere(scene, b, SMALL, &s.flight[b]) || bench_fail(report, "out of memory");
  good = good && check(&s);
  if (!good && !report->error[0]) bench_fail(report, "%s: %s", s.key, pl_context_message(s.context));
  close_stage(&s);
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
                              (double)s->info.tree_events,
                              (double)(s->info.overlaps + s->info.separations + s->info.renewals),
                              (double)s->info.leaf_pairs,
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
      "swept exact: pl_impact_candidates() of each in-between, each candidate decided exactly.");
  bench_note(
      report,
      "list: created and asked at each in-between, pairs of leaves. linear: pl_flight_windows(), pairs of triangles in "
      "the order of time; not sorted: the same in the order of the walk, which is what swept volumes do. exact: "
      "pl_first_contact(), all contacts. At the right: times faster than swept volumes "
      "that do the same.");
}

bool zachmann_2_run(const bench_options *options, bench_report *report)
{
  bench_table_init(&report->summary, columns, sizeof columns / sizeof *columns);
  bool good = true;
  double least[COUNTS], pairs[COUNTS]; /* of linear boxes, sorted and not, in the scene where they gain the least */
  for (int i = 0; i < COUNTS; ++i) least[i] = pairs[i] = INFINITY;
  for (int scene = 0; scene < FLIGHT_SCENE_COUNT && good; ++scene) {
    if (options->quick && scene != FLIGHT_NEAR && scene != FLIGHT_FAST) continue;
    int triangles = options->triangles ? options->triangles : options->quick ? 320 : 20480;
    stage s;
    good = open_stage(options, report, &s);
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
      bench_headline_add(report, "list_2_over_160", s.list_ms[AT_2] / s.list_ms[AT_160], NAN);
    }
    for (int i = 0; i < COUNTS && good; ++i) {
      least[i] = fmin(least[i], s.swept_ms[CAREFUL][i] / s.linear_ms);
      pairs[i] = fmin(pairs[i], s.swept_ms[CAREFUL][i] / s.pairs_ms);
    }
    close_stage(&s);
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
    close_stage(&s);
  }
  notes(report);
  return good;
}
