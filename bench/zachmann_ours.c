/* Our methods between two keys: the list, boxes that move linearly, exact contacts; compared
 * with each other and with the reference. */
#include "bench/zachmann_stage.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static bool same_contacts(const pl_impact *x, const pl_impact *y, size_t count)
{
  for (size_t i = 0; i < count; ++i)
    if (x[i].time != y[i].time || x[i].kind != y[i].kind ||
        memcmp(x[i].feature_a, y[i].feature_a, sizeof x->feature_a) ||
        memcmp(x[i].feature_b, y[i].feature_b, sizeof x->feature_b))
      return false;
  return true;
}

/* The list, asked `steps` times; the least time of some repeats. *same: contacts are those of
 * the walk so far. */
bool zachmann_play_list(stage *s, int steps, bool leaves_only, double *ms, size_t *found, bool *same)
{
  pl_body_def def = pl_body_def_default();
  def.strategy = PL_STRATEGY_HYBRID; /* the list has realizing vertices of its own */
  bool good = true;
  *ms = INFINITY;
  for (int r = 0; r < s->reps && good; ++r) {
    pl_body *body[2] = {bench_flight_body(s->context, &s->flight[0], &def), NULL};
    body[1] = s->bodies == 2 ? bench_flight_body(s->context, &s->flight[1], &def) : body[0];
    pl_separation *list = NULL;
    const pl_result *touches;
    *found = 0;
    double start = bench_cpu_ms();
    good = body[0] && body[1] && pl_separation_create(body[0], body[1], leaves_only, &list) == PL_OK;
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
static pl_window *windows_of(const pl_result *all)
{
  pl_window *copy = malloc((all->count + 1) * sizeof *copy);
  if (copy && all->count) memcpy(copy, all->windows, all->count * sizeof *copy);
  if (copy) qsort(copy, all->count, sizeof *copy, by_time);
  return copy;
}

/* Every triangle against every other. */
static bool check_linear(stage *s, pl_body *const body[2])
{
  const pl_result *all;
  pl_window *found = NULL, *right = NULL;
  size_t count = 0;
  pl_question reference = pl_question_default();
  reference.reference = true;
  bool good = pl_windows(pl_two(body[0], body[1]), NULL, &all) == PL_OK && (found = windows_of(all));
  count = good ? all->count : 0;
  good = good && pl_windows(pl_two(body[0], body[1]), &reference, &all) == PL_OK && (right = windows_of(all));
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
  pl_question how = pl_question_default();
  how.sorted = sorted;
  pl_body_def def = pl_body_def_default();
  def.strategy = PL_STRATEGY_HYBRID; /* its volumes are not used */
  pl_body *body[2] = {bench_flight_body(s->context, &s->flight[0], &def),
                      bench_flight_body(s->context, &s->flight[1], &def)};
  bool good = body[0] && body[1];
  *ms = INFINITY;
  for (int r = 0; r < 3 * s->reps + 1 && good; ++r) { /* the first one allocates */
    const pl_result *all;
    double start = bench_cpu_ms();
    good = pl_windows(pl_two(body[0], body[1]), &how, &all) == PL_OK;
    if (r) *ms = fmin(*ms, bench_cpu_ms() - start);
    if (good) s->windows = all->count;
  }
  good = good && (!sorted || !s->reference || check_linear(s, body));
  for (int b = 0; b < 2; ++b) pl_body_destroy(body[b]);
  return good;
}

static bool keep_contacts(stage *s, const pl_result *all)
{
  s->found = malloc((all->count + 1) * sizeof *s->found);
  if (s->found && all->count) memcpy(s->found, all->impacts, all->count * sizeof *s->found);
  return s->found != NULL;
}

/* Every vertex against every triangle, every edge against every edge. */
static bool check_exact(stage *s, pl_body *const body[2], pl_question def)
{
  const pl_result *all;
  bench_progress(s->report, "%s: %s, the reference", s->report->experiment, s->key);
  def.reference = true;
  if (pl_impacts(pl_two(body[0], body[1]), &def, &all) != PL_OK) return false;
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
  pl_question def = pl_question_default();
  def.all = true;
  bool good = body[0] && body[1];
  *ms = INFINITY;
  for (int r = 0; r < s->reps + 1 && good; ++r) { /* the first one finds features, which stay */
    for (int b = 0; b < s->bodies && good; ++b)
      good = pl_body_set_positions(body[b], pl_positions_f32(s->flight[b].key[1], s->flight[b].mesh.vertex_count)) ==
             PL_OK;
    const pl_result *all;
    double start = bench_cpu_ms();
    good = good && pl_impacts(pl_two(body[0], body[1]), &def, &all) == PL_OK;
    if (r) *ms = fmin(*ms, bench_cpu_ms() - start);
    if (good) *found = all->count;
    if (good && !r) good = keep_contacts(s, all);
  }
  good = good && (!s->reference || check_exact(s, body, def));
  if (s->bodies == 2) pl_body_destroy(body[1]);
  pl_body_destroy(body[0]);
  return good;
}

/* --------------------------------------------------------------------------------- the stage -- */

/* All contacts by the walk, the list and the reference; the times of the walk are kept. */
bool zachmann_check(stage *s)
{
  size_t by_list = 0;
  double ms;
  bool same = true;
  bench_compared_scene(&s->report->compared, 0, "%s, %zu triangles", s->key, s->flight[0].mesh.triangle_count);
  bool good = play_exact(s, &s->exact_ms, &s->contacts);
  s->linear_ms = s->pairs_ms = NAN;
  if (good && s->bodies == 2) good = play_linear(s, true, &s->linear_ms) && play_linear(s, false, &s->pairs_ms);
  /* the same contacts before any time counts */
  good = good && zachmann_play_list(s, 3, false, &ms, &by_list, &same);
  if (good && (by_list != s->contacts || !same))
    return bench_fail(s->report, "%s: the list finds %zu contacts, the walk %zu, or others; please report this", s->key,
                      by_list, s->contacts);
  if (good) bench_compared(&s->report->compared, "list: features and times of all contacts", "exact", -1, by_list);
  return good;
}

bool zachmann_open(const bench_options *options, bench_report *report, stage *s)
{
  *s = (stage){.report = report, .reps = options->reps ? options->reps : options->quick ? 1 : 3};
  pl_context_def def = pl_context_def_default();
  def.threads = options->threads ? options->threads : 1;
  snprintf(report->setting, sizeof report->setting, "least of %d repeats, %d thread%s, processor time", s->reps,
           def.threads, def.threads > 1 ? "s" : "");
  return pl_context_create(&def, &s->context) == PL_OK || bench_fail(report, "out of memory");
}

void zachmann_close(stage *s)
{
  for (int b = 0; b < s->bodies; ++b) bench_flight_free(&s->flight[b]);
  free(s->found);
  pl_context_destroy(s->context);
}
