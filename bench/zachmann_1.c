/* Zachmann and Weller, kinetic trees (slides): how many volumes a kinetic tree of boxes and a
 * box tree update between two keys, beside a refit of all volumes at each in-between, and how
 * the number of events grows with the number of triangles. */
#include "bench/flights.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { IN_BETWEENS = 160, MOST_SIZES = 8, RAYS = 64 };
enum { REFIT, KINETIC, BOXTREE, METHODS };
static const char *const names[METHODS] = {"refit (bottom-up)", "kinetic tree", "box tree"};
static const pl_strategy strategies[METHODS] = {PL_STRATEGY_BOTTOM_UP, PL_STRATEGY_KINETIC, PL_STRATEGY_BOXTREE};

static const bench_column columns[] = {{"scene", "", 0},
                                       {"triangles", "triangles", 0},
                                       {"method", "method", 0},
                                       {"volumes", "volumes", 0},
                                       {"events", "events", 0},
                                       {"updates", "updates", 0},
                                       {"events_per_triangle", "events/tri", 3},
                                       {"ms", "ms", 3},
                                       {"bytes_per_triangle", "bytes/tri", 1}};

typedef struct result {
  double volumes, events, updates, ms, bytes;
} result;

/* The boxes of a level, copied; free them. NULL: it failed. */
static pl_node_volume *boxes_of(pl_body *body, int level, size_t *count)
{
  const pl_volumes *x;
  if (pl_body_volumes(body, level, true, &x) != PL_OK) return NULL;
  pl_node_volume *copy = malloc((x->count + 1) * sizeof *copy);
  if (copy && x->count) memcpy(copy, x->volumes, x->count * sizeof *copy);
  *count = x->count;
  return copy;
}

static bool same_level(bench_report *report, pl_body *body, pl_body *refitted, int level)
{
  size_t n = 0, m = 0;
  pl_node_volume *x = boxes_of(body, level, &n), *y = boxes_of(refitted, level, &m);
  bool good = x && y && n == m;
  for (size_t i = 0; good && i < n; ++i)
    for (int k = 0; k < 3; ++k) good = good && x[i].lower[k] == y[i].lower[k] && x[i].upper[k] == y[i].upper[k];
  free(x);
  free(y);
  if (good) bench_compared(&report->compared, "boxes of a level", "refitted boxes", -1, n);
  return good;
}

/* Rays from outside through the body, by its tree and without one. */
static bool same_hits(bench_report *report, pl_body *body, const double xyz[3])
{
  pl_ray rays[RAYS];
  pl_hit right[RAYS];
  const pl_result *hits;
  pl_question slow = pl_question_default();
  slow.reference = true;
  for (int i = 0; i < RAYS; ++i) {
    const double angle = 2.4 * i, z = 2 * (i + 0.5) / RAYS - 1, r = sqrt(1 - z * z);
    const double from[3] = {xyz[0] + 3 * r * cos(angle), xyz[1] + 3 * r * sin(angle), xyz[2] + 3 * z};
    const double to[3] = {xyz[0] - from[0], xyz[1] - from[1], xyz[2] - from[2]};
    rays[i] = pl_ray_from(from, to);
  }
  if (pl_cast(pl_one(body), rays, RAYS, &slow, &hits) != PL_OK) return false;
  memcpy(right, hits->hits, sizeof right);
  bool good = pl_cast(pl_one(body), rays, RAYS, NULL, &hits) == PL_OK;
  for (int i = 0; i < RAYS && good; ++i)
    good = hits->hits[i].triangle == right[i].triangle && hits->hits[i].t == right[i].t;
  if (good) bench_compared(&report->compared, "nearest hits of rays", BENCH_REFERENCE, -1, RAYS);
  return good;
}

/* The volumes of a kinetic body at a moment are those of a refitted one, and rays hit what the
 * reference says. */
static bool same_answers(bench_report *report, pl_body *body, pl_body *refitted, const bench_flight *f, double time)
{
  double *xyz = malloc(3 * f->mesh.vertex_count * sizeof *xyz);
  bool good = xyz && pl_body_set_time(body, time) == PL_OK &&
              pl_body_positions(body, NULL, f->mesh.vertex_count, PL_F64, xyz, 0) == PL_OK &&
              pl_body_set_positions(refitted, pl_positions_f64(xyz, f->mesh.vertex_count)) == PL_OK &&
              same_hits(report, body, xyz);
  const pl_volumes *x;
  good = good && pl_body_volumes(body, 0, true, &x) == PL_OK;
  for (int level = 0, levels = good ? x->levels : 0; good && level < levels; ++level)
    good = same_level(report, body, refitted, level);
  free(xyz);
  return good;
}

static bool check(bench_report *report, pl_context *context, const bench_flight *f, const pl_body_def *def)
{
  pl_body_def free_def = *def;
  free_def.strategy = PL_STRATEGY_BOTTOM_UP;
  pl_body *body = bench_flight_body(context, f, def);
  pl_mesh_def mesh = pl_mesh_def_default();
  mesh.positions = pl_positions_f32(f->key[0], f->mesh.vertex_count);
  mesh.triangles = f->mesh.triangles;
  mesh.triangle_count = f->mesh.triangle_count;
  pl_body *refitted = NULL;
  bool good = body && pl_body_create_free(context, &mesh, &free_def, &refitted) == PL_OK;
  for (int i = 0; good && i < 4; ++i) good = same_answers(report, body, refitted, f, 0.05 + 0.28 * i);
  pl_body_destroy(body);
  pl_body_destroy(refitted);
  return good;
}

static bool measure(bench_report *report, pl_context *context, const bench_flight *f, int method, result *out)
{
  pl_body_def def = pl_body_def_default();
  def.strategy = strategies[method];
  def.arity = 2;
  def.leaf_size = 1;
  if (method == KINETIC && !check(report, context, f, &def)) return false;
  pl_body *body = bench_flight_body(context, f, &def);
  bool good = body != NULL;
  double ms = 0;
  *out = (result){0};
  for (int i = 0; good && i <= IN_BETWEENS; ++i) {
    pl_counters counters;
    good = pl_body_set_time(body, (double)i / IN_BETWEENS) == PL_OK;
    double start = bench_cpu_ms();
    good = good && pl_body_update(body, &counters) == PL_OK;
    ms += bench_cpu_ms() - start;
    if (method == REFIT && i) out->updates += (double)counters.n_u;
  }
  pl_body_info info;
  pl_body_info tree;
  good = good && pl_body_get_info(body, false, &info) == PL_OK && pl_body_get_info(body, true, &tree) == PL_OK;
  if (good) {
    out->volumes = (double)(tree.inner_nodes - 1 + tree.leaves);
    out->events = (double)info.events;
    if (method != REFIT) out->updates = (double)info.updates;
    out->ms = ms;
    out->bytes = tree.bytes_per_triangle;
  }
  pl_body_destroy(body);
  return good;
}

/* --------------------------------------------------------------------------- kinds of events -- */

static const bench_column kind_columns[] = {{"scene", "events one by one", 0},
                                            {"method", "method", 0},
                                            {"triangles", "triangles", 0},
                                            {"steps", "steps", 0},
                                            {"events", "events", 0},
                                            {"external_events", "external", 0},
                                            {"internal_events", "internal", 0},
                                            {"internal_per_external", "ratio", 3}};

/* Steps so short that nearly each has one event at most. An event is external if an extent of a
 * volume gets another realizing vertex by it; of several in a step those are, as many as extents
 * have changed. */
static bool count_kinds(bench_report *report, pl_context *context, int scene, int method, int triangles, int steps)
{
  bench_flight f;
  pl_body_def def = pl_body_def_default();
  pl_body_info before = {0}, now;
  double internal = 0, external = 0;
  if (!bench_flight_sphere(scene, 0, triangles, &f)) return false;
  def.strategy = strategies[method];
  def.arity = 2;
  def.leaf_size = 1;
  pl_body *body = bench_flight_body(context, &f, &def);
  bool good = body != NULL;
  for (int i = 0; i <= steps && good; ++i) {
    good = pl_body_set_time(body, (double)i / steps) == PL_OK && pl_body_update(body, NULL) == PL_OK &&
           pl_body_get_info(body, false, &now) == PL_OK;
    const double events = (double)(now.events - before.events), updates = (double)(now.updates - before.updates);
    external += good ? fmin(events, updates) : 0;
    internal += good ? events - fmin(events, updates) : 0;
    before = now;
  }
  pl_body_destroy(body);
  bench_text(&report->variants, bench_flight_key(scene));
  bench_text(&report->variants, names[method]);
  const double numbers[] = {
      (double)f.mesh.triangle_count, steps, internal + external, external, internal, internal / external};
  for (size_t k = 0; k < sizeof numbers / sizeof *numbers; ++k) bench_number(&report->variants, numbers[k]);
  if (method == KINETIC && scene == FLIGHT_NEAR)
    bench_headline_add(report, "internal_per_external", internal / external, NAN);
  bench_flight_free(&f);
  return good;
}

static bool count_all_kinds(const bench_options *options, bench_report *report, pl_context *context)
{
  static const int scenes[] = {FLIGHT_NEAR, FLIGHT_FAST, FLIGHT_NOISE};
  bench_table_init(&report->variants, kind_columns, sizeof kind_columns / sizeof *kind_columns);
  for (int s = 0; s < 3; ++s)
    for (int m = KINETIC; m <= BOXTREE; ++m)
      if (!count_kinds(report, context, scenes[s], m, options->quick ? 320 : 1280, options->quick ? 4000 : 60000))
        return false;
  bench_note(report, "Events one by one: the same bodies at steps so short that nearly each has one event at most; "
                     "external: an extent of a "
                     "volume gets another realizing vertex. The slides ask for a ratio of internal to external events "
                     "of O(1) or less.");
  return true;
}

static void append(bench_report *report, const bench_flight *f, int scene, int method, const result *r)
{
  bench_table *t = &report->summary;
  const double n = (double)f->mesh.triangle_count;
  bench_text(t, bench_flight_key(scene));
  bench_number(t, n);
  bench_text(t, names[method]);
  const double numbers[] = {r->volumes, r->events, r->updates, r->events / n, r->ms, r->bytes};
  for (size_t i = 0; i < sizeof numbers / sizeof *numbers; ++i) bench_number(t, numbers[i]);
}

/* The slope of log events over log triangles. */
static double slope(const double *x, const double *y, int count)
{
  double sx = 0, sy = 0, sxx = 0, sxy = 0;
  for (int i = 0; i < count; ++i) {
    sx += log(x[i]);
    sy += log(y[i]);
    sxx += log(x[i]) * log(x[i]);
    sxy += log(x[i]) * log(y[i]);
  }
  return (count * sxy - sx * sy) / (count * sxx - sx * sx);
}

bool zachmann_1_run(const bench_options *options, bench_report *report)
{
  static const int sizes[] = {5120, 10240, 20480, 40960, 81920}, small[] = {320, 1280};
  static const int scenes[] = {FLIGHT_NEAR, FLIGHT_FAST, FLIGHT_NOISE, FLIGHT_RIGID};
  const int *list = options->quick ? small : sizes, count = options->quick ? 2 : 5;
  bench_table_init(&report->summary, columns, sizeof columns / sizeof *columns);
  snprintf(report->setting, sizeof report->setting, "one bumpy sphere, %d in-betweens, 1 thread, processor time",
           IN_BETWEENS);
  pl_context_def def = pl_context_def_default();
  def.threads = 1;
  pl_context *context;
  if (pl_context_create(&def, &context) != PL_OK) return bench_fail(report, "out of memory");
  bool good = true;
  for (int s = 0; good && s < (int)(sizeof scenes / sizeof *scenes); ++s) {
    double n[MOST_SIZES], events[MOST_SIZES];
    for (int i = 0; good && i < count; ++i) {
      bench_flight f;
      result r[METHODS];
      bench_progress(report, "%s: %s, %d triangles", report->experiment, bench_flight_key(scenes[s]), list[i]);
      bench_compared_scene(&report->compared, 0, "%s, %d triangles", bench_flight_key(scenes[s]), list[i]);
      good = bench_flight_sphere(scenes[s], 0, list[i], &f);
      for (int m = 0; good && m < METHODS; ++m) {
        good = measure(report, context, &f, m, &r[m]);
        if (good) append(report, &f, scenes[s], m, &r[m]);
      }
      n[i] = (double)f.mesh.triangle_count;
      events[i] = good ? r[KINETIC].events : 0;
      if (good && scenes[s] == FLIGHT_NEAR && i + 1 == count) {
        bench_headline_add(report, "updates", r[REFIT].updates / r[KINETIC].updates, NAN);
        bench_headline_add(report, "updates_boxtree", r[REFIT].updates / r[BOXTREE].updates, NAN);
        bench_headline_add(report, "time", r[REFIT].ms / r[KINETIC].ms, NAN);
      }
      bench_flight_free(&f);
    }
    if (good && scenes[s] == FLIGHT_NEAR) bench_headline_add(report, "exponent", slope(n, events, count), NAN);
    if (good && scenes[s] == FLIGHT_FAST) bench_headline_add(report, "exponent_fast", slope(n, events, count), NAN);
    if (good && scenes[s] == FLIGHT_NOISE) bench_headline_add(report, "exponent_noise", slope(n, events, count), NAN);
  }
  good = good && count_all_kinds(options, report, context);
  if (!good) bench_fail(report, "a volume differs from the refitted one, or: %s", pl_context_message(context));
  pl_context_destroy(context);
  bench_note(
      report,
      "One body between two keys, %d in-betweens, binary trees with one triangle per leaf. events: certificates that "
      "failed; updates: extents that got another realizing vertex, or volumes that were refitted.",
      IN_BETWEENS);
  bench_note(report, "ms: of all updates, the start of the certificates included; positions are not counted.");
  return good;
}
