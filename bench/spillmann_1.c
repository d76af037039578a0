/* Spillmann, Becker, Teschner, first experiment (figures 6 and 7): two bodies of 8k to 160k
 * points approach, collide, deform and part. Spheres that are moved in O(1) against spheres that
 * are refitted optimally: how many more are visited and updated? And does the cost follow the
 * contacts or the points? The paper simulates its bodies; ours follow a script (they are
 * squeezed along the line of contact by as much as they overlap, and bulge across it), so that
 * every size does the same. */
#include "bench/experiment.h"
#include "bench/spillmann_ball.h"
#include "pliant/pliant.h"
#include "scenes/scenes.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { STEPS = 40, CONTACT_LEVEL = 7, MOST_LEVELS = 24 };

/* Points of both bodies, and the paper's greatest number of updated spheres for the least and
 * the greatest size. */
static const struct {
  int points;
  double paper_optimal, paper_ours;
} sizes[] = {{8000, 5200, 5400}, {20000, NAN, NAN}, {40000, NAN, NAN}, {80000, NAN, NAN}, {160000, 93000, 96000}};

static const bench_column columns[] = {
    {"points", "points", 0},           {"level", "level", 0},         {"updated", "updated", 0},
    {"updated_optimal", "optimal", 0}, {"extra_updates", "ratio", 3}, {"visited", "visited", 0},
    {"visited_optimal", "optimal", 0}, {"extra_visits", "ratio", 3},  {"most_updated", "most", 0},
    {"paper_most", "paper", 0},        {"touches", "touching", 0},    {"all_ms", "ms, all", 4},
    {"level_touches", "at level", 0},  {"level_ms", "ms, level", 4}};

static const bench_column step_columns[] = {{"points", "", 0},          {"step", "", 0},    {"updated", "", 0},
                                            {"updated_optimal", "", 0}, {"visited", "", 0}, {"visited_optimal", "", 0},
                                            {"touches", "", 0},         {"all_ms", "", 0},  {"level_ms", "", 0}};

/* Two bodies of one size. */
typedef struct duet {
  pl_context *context;
  pl_body *bodies[2];
  size_t points; /* of one */
  float *rest;
  double (*at)[3], (*some)[3]; /* positions of one body; scratch */
} duet;

static void duet_close(duet *d)
{
  pl_context_destroy(d->context);
  free(d->rest);
  free(d->at);
  free(d->some);
}

/* A ball with bumps, as points alone. */
static bool duet_open(duet *d, int points)
{
  scene_mesh m = {0};
  pl_context_def context = pl_context_def_default();
  context.threads = 1;
  if (!scene_geosphere(scene_geosphere_frequency(points), &m))
    return false; /* 2 n triangles for n points, two bodies */
  d->points = m.vertex_count;
  d->rest = malloc(3 * d->points * sizeof *d->rest);
  d->at = malloc(d->points * sizeof *d->at);
  d->some = malloc(d->points * sizeof *d->some);
  bool good = d->rest && d->at && d->some && pl_context_create(&context, &d->context) == PL_OK;
  for (size_t v = 0; good && v < d->points; ++v) {
    const float *u = m.rest + 3 * v;
    float bump = 1 + 0.06f * (float)(sin(5 * (double)u[0]) * sin(4 * (double)u[1] + 1) * sin(6 * (double)u[2]));
    for (int k = 0; k < 3; ++k) d->rest[3 * v + (size_t)k] = u[k] * bump;
  }
  pl_mesh_def mesh = pl_mesh_def_default();
  mesh.positions = pl_positions_f32(d->rest, d->points);
  for (int i = 0; i < 2 && good; ++i)
    good = pl_body_create_match(d->context, &mesh, NULL, NULL, &d->bodies[i]) == PL_OK;
  scene_mesh_free(&m);
  return good;
}

/* The distance of the centres goes from 2.3 to 1.86 and back. Bodies that overlap by x are
 * squeezed by x / 2, and turn a little. */
static bool pose(const duet *d, int step)
{
  double phase = 3.141592653589793 * step / (STEPS - 1), gap = 2.3 - 0.44 * sin(phase);
  double squeeze = fmax(0, 2 - gap) / 2;
  for (int i = 0; i < 2; ++i) {
    double turn = (i ? -0.4 : 0.3) * step / STEPS, c = cos(turn), s = sin(turn);
    const double a[3] = {1 - squeeze, 1 + squeeze / 2, 1 + squeeze / 2}, r[3][3] = {{c, -s, 0}, {s, c, 0}, {0, 0, 1}};
    pl_match_cluster cluster;
    pl_match_map map = {.t = {i ? gap / 2 : -gap / 2, 0, 0}};
    for (int k = 0; k < 9; ++k) map.m[k / 3][k % 3] = a[k / 3] * r[k / 3][k % 3];
    if (pl_body_match_cluster(d->bodies[i], 0, &cluster) != PL_OK) return false;
    for (int k = 0; k < 9; ++k) map.t[k / 3] += map.m[k / 3][k % 3] * cluster.rest_centre[k % 3];
    if (pl_body_set_match(d->bodies[i], &map, 1) != PL_OK) return false;
  }
  return true;
}

/* ---------------------------------------------------------------------------- the plain walk -- */

/* The spheres of one body, all levels; of the optimal ones those that were needed. */
typedef struct sphere_set {
  int levels;
  pl_sphere *level[MOST_LEVELS];
  unsigned char *made[MOST_LEVELS]; /* updated in this walk */
} sphere_set;

static void set_free(sphere_set *s)
{
  for (int l = 0; l < s->levels; ++l) {
    free(s->level[l]);
    free(s->made[l]);
  }
}

static bool set_make(pl_body *body, bool fill, sphere_set *s)
{
  *s = (sphere_set){0};
  for (int l = 0; l < pl_body_sphere_levels(body) && l < MOST_LEVELS; ++l) {
    size_t n = pl_body_sphere_count(body, l);
    ++s->levels;
    s->level[l] = calloc(n, sizeof *s->level[l]);
    s->made[l] = calloc(n, 1);
    if (!s->level[l] || !s->made[l] || (fill && pl_body_spheres(body, l, s->level[l], n) != PL_OK)) return false;
  }
  return true;
}

/* The walk of the paper, down both trees at once, one pair at a time. */
typedef struct plain_walk {
  pl_body *bodies[2];
  double (*at[2])[3]; /* positions; NULL: spheres are there already */
  double (*some)[3];
  sphere_set sets[2];
  double visited, updated;
} plain_walk;

static const pl_sphere *need(plain_walk *w, int side, int level, size_t node)
{
  sphere_set *s = &w->sets[side];
  pl_sphere *sphere = &s->level[level][node];
  if (s->made[level][node]) return sphere;
  s->made[level][node] = 1;
  ++w->updated;
  if (!w->at[side]) return sphere;
  pl_sphere_node about;
  if (pl_body_sphere_node(w->bodies[side], level, node, &about) != PL_OK) return sphere;
  for (size_t i = 0; i < about.count; ++i) memcpy(w->some[i], w->at[side][about.points[i]], sizeof w->some[i]);
  optimal_sphere best = optimal_sphere_of(w->some, about.count);
  for (int k = 0; k < 3; ++k) sphere->centre[k] = (float)best.centre[k];
  sphere->radius = about.count ? (float)sqrt(best.square) : -1;
  return sphere;
}

static void walk_below(plain_walk *w, int level, size_t a, size_t b)
{
  const pl_sphere *p = need(w, 0, level, a), *q = need(w, 1, level, b);
  double d = 0, reach = (double)p->radius + (double)q->radius;
  for (int k = 0; k < 3; ++k) d += pow((double)p->centre[k] - (double)q->centre[k], 2);
  ++w->visited;
  if (p->radius < 0 || q->radius < 0 || d > reach * reach || level + 1 >= w->sets[0].levels) return;
  for (int i = 0; i < 4; ++i) walk_below(w, level + 1, 2 * a + (size_t)(i / 2), 2 * b + (size_t)(i % 2));
}

/* Every point is in its sphere of every level. */
static bool contained(const duet *d, int side, const sphere_set *s)
{
  for (int level = 0; level < s->levels; ++level)
    for (size_t node = 0; node < pl_body_sphere_count(d->bodies[side], level); ++node) {
      pl_sphere_node about;
      if (pl_body_sphere_node(d->bodies[side], level, node, &about) != PL_OK) return false;
      const pl_sphere *sphere = &s->level[level][node];
      for (size_t i = 0; i < about.count; ++i) {
        double square = 0;
        for (int k = 0; k < 3; ++k) square += pow(d->at[about.points[i]][k] - (double)sphere->centre[k], 2);
        if (!(sqrt(square) <= (double)sphere->radius)) return false;
      }
    }
  return true;
}

/* ------------------------------------------------------------------------------------- steps -- */

typedef struct step_result {
  double updated[2], visited[2]; /* ours, optimal */
  double touches, all_ms, level_touches, level_ms;
} step_result;

/* Counts: both walks. Spheres are checked to contain their points on the way. */
static bool count_step(bench_report *report, duet *d, step_result *out)
{
  bool good = true;
  double(*second)[3] = malloc(d->points * sizeof *second);
  for (int optimal = 0; optimal < 2 && good && second; ++optimal) {
    plain_walk w = {.bodies = {d->bodies[0], d->bodies[1]}, .some = d->some};
    for (int i = 1; i >= 0 && good; --i) {
      good = set_make(d->bodies[i], !optimal, &w.sets[i]) &&
             pl_body_positions(d->bodies[i], NULL, d->points, PL_F64, d->at, 0) == PL_OK;
      if (good && !optimal && !contained(d, i, &w.sets[i]))
        good = bench_fail(report, "a sphere does not contain its points");
      if (i) memcpy(second, d->at, d->points * sizeof *second);
    }
    if (optimal) {
      w.at[0] = d->at;
      w.at[1] = second;
    }
    if (good) walk_below(&w, 0, 0, 0);
    out->updated[optimal] = w.updated;
    out->visited[optimal] = w.visited;
    for (int i = 0; i < 2; ++i) set_free(&w.sets[i]);
  }
  free(second);
  return good && second;
}

/* Processor time: other programs do not count. */
static double clock_ms(void)
{
  struct timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return 1e3 * (double)t.tv_sec + 1e-6 * (double)t.tv_nsec;
}

/* The time of setting both maps and of the query, spheres included: the least of some. */
static bool time_query(const duet *d, int step, int level, int reps, double *ms, double *found)
{
  *ms = INFINITY;
  for (int rep = 0; rep < reps; ++rep) {
    pl_question def = pl_question_default();
    const pl_result *touches;
    def.level = level;
    double start = clock_ms();
    if (!pose(d, step) || pl_sphere_contacts(pl_two(d->bodies[0], d->bodies[1]), &def, &touches) != PL_OK) return false;
    *ms = fmin(*ms, clock_ms() - start);
    *found = (double)touches->count;
  }
  return true;
}

/* The query against the one without a walk. */
static bool check_step(bench_report *report, const duet *d, int step, int level)
{
  pl_question def = pl_question_default();
  const pl_result *touches;
  def.level = level;
  def.reference = true;
  if (pl_sphere_contacts(pl_two(d->bodies[0], d->bodies[1]), &def, &touches) != PL_OK) return false;
  def.reference = false;
  size_t count = touches->count;
  pl_sphere_contact *want = malloc(count * sizeof *want + 1);
  if (!want) return false;
  if (count) memcpy(want, touches->spheres, count * sizeof *want);
  bool good = pl_sphere_contacts(pl_two(d->bodies[0], d->bodies[1]), &def, &touches) == PL_OK &&
              touches->count == count && (!count || memcmp(want, touches->spheres, count * sizeof *want) == 0);
  free(want);
  if (good) bench_compared(&report->compared, "spheres that touch", BENCH_REFERENCE, step, count);
  return good;
}

static void append_step(bench_report *report, const duet *d, int step, const step_result *r)
{
  const double row[] = {2 * (double)d->points, step,       r->updated[0], r->updated[1], r->visited[0],
                        r->visited[1],         r->touches, r->all_ms,     r->level_ms};
  for (size_t i = 0; i < sizeof row / sizeof *row; ++i) bench_number(&report->steps, row[i]);
}

/* All steps of one size; *level_ms gets the mean time at a fixed level. */
static bool play_size(const bench_options *options, bench_report *report, int size, int stride, double sums[2],
                      double *level_ms)
{
  duet d = {0};
  bool good = duet_open(&d, sizes[size].points / (options->quick ? 20 : 1));
  if (!good) bench_fail(report, "no memory for %d points; try --quick", sizes[size].points);
  step_result sum = {{0}, {0}, 0, 0, 0, 0};
  double most = 0, steps = 0;
  const int reps = options->reps ? options->reps : options->quick ? 1 : 5;
  bench_compared_scene(&report->compared, STEPS, "%zu points", 2 * d.points);
  for (int step = stride / 2; step < STEPS && good; step += stride, ++steps) {
    step_result r = {{0}, {0}, 0, 0, 0, 0};
    bench_progress(report, "%s: %zu points, step %d of %d", report->experiment, 2 * d.points, step, STEPS);
    good = time_query(&d, step, PL_LEVEL_ALL, reps, &r.all_ms, &r.touches) &&
           time_query(&d, step, CONTACT_LEVEL, reps, &r.level_ms, &r.level_touches) && count_step(report, &d, &r);
    if (good) bench_compared(&report->compared, "spheres contain their points", "every point", step, 2 * d.points);
    if (good && !check_step(report, &d, step, size == 0 ? 8 : CONTACT_LEVEL))
      good = bench_fail(report, "step %d: other spheres touch than without a walk", step);
    append_step(report, &d, step, &r);
    for (int i = 0; i < 2; ++i) {
      sum.updated[i] += r.updated[i];
      sum.visited[i] += r.visited[i];
      sums[i] += r.updated[i];
    }
    sum.touches += r.touches;
    sum.all_ms += r.all_ms;
    sum.level_touches += r.level_touches;
    sum.level_ms += r.level_ms;
    most = fmax(most, r.updated[0]);
  }
  const double row[] = {2 * (double)d.points,
                        good ? pl_body_sphere_levels(d.bodies[0]) - 1 : 0,
                        sum.updated[0] / steps,
                        sum.updated[1] / steps,
                        sum.updated[0] / sum.updated[1],
                        sum.visited[0] / steps,
                        sum.visited[1] / steps,
                        sum.visited[0] / sum.visited[1],
                        most,
                        sizes[size].paper_ours,
                        sum.touches / steps,
                        sum.all_ms / steps,
                        sum.level_touches / steps,
                        sum.level_ms / steps};
  for (size_t i = 0; i < sizeof row / sizeof *row; ++i) bench_number(&report->summary, row[i]);
  *level_ms = sum.level_ms / steps;
  duet_close(&d);
  return good;
}

bool spillmann_1_run(const bench_options *options, bench_report *report)
{
  const int count = sizeof sizes / sizeof *sizes, stride = options->stride ? options->stride : options->quick ? 13 : 4;
  double sums[2] = {0, 0}, level_ms[sizeof sizes / sizeof *sizes] = {0};
  bench_table_init(&report->summary, columns, sizeof columns / sizeof *columns);
  bench_table_init(&report->steps, step_columns, sizeof step_columns / sizeof *step_columns);
  for (int i = 0; i < count; ++i)
    if (!play_size(options, report, i, stride, sums, &level_ms[i])) return false;
  bench_headline_add(report, "extra_updates", sums[0] / sums[1], 1.04);
  bench_headline_add(report, "growth", level_ms[count - 1] / level_ms[0], NAN);
  snprintf(report->setting, sizeof report->setting,
           "two bodies of points, linear, one cluster; every %d. of %d steps; one thread", stride, STEPS);
  bench_note(report, "Spheres updated and pairs visited by the paper's walk to the leaves, per step: those moved in "
                     "O(1), and smallest spheres of the "
                     "points where they are.");
  bench_note(report,
             "growth: time of a step at level %d, maps included, with 20 times the points and the same contacts.",
             CONTACT_LEVEL);
  return true;
}
