/* Steps that end at rounded numbers: two small bodies that begin a few roundings to a size apart
 * and move through each other. After each free step exact arithmetic looks for an intersection,
 * and the step is compared with the exact one. In float and in double, with a tenth of every gap
 * kept. */
#include "bench/experiment.h"
#include "pliant/impacts.h"
#include "pliant/pliant.h"
#include "scenes/ask.h"

#include <math.h>
#include <string.h>

enum { VERTICES = 4 };

typedef struct stage {
  pl_context *context;
  pl_body *body[2];
  bool floats;
  uint64_t seed;
  double start[2][VERTICES][3], target[2][VERTICES][3], out[2][VERTICES][3];
  float f32[2][VERTICES][3];
} stage;

static double uniform(stage *s)
{
  s->seed ^= s->seed << 13;
  s->seed ^= s->seed >> 7;
  s->seed ^= s->seed << 17;
  return (double)(s->seed >> 11) * 0x1p-53;
}

/* The first body above the second, both near a place that makes roundings large, each vertex on
 * a way of its own. */
static void make(stage *s)
{
  const double place = uniform(s) < 0.3 ? 0 : ldexp(1, (int)(uniform(s) * 12));
  const double size = uniform(s) < 0.2 ? 1e-3 : 1,
               gap = size * ldexp(uniform(s), -(int)(uniform(s) * (s->floats ? 26 : 56)));
  for (int i = 0; i < 2 * VERTICES * 3; ++i) {
    const int b = i / (3 * VERTICES), v = i / 3 % VERTICES, k = i % 3;
    double x = place + size * ((k == 0 ? v & 1 : k == 1 ? v >> 1 : 0) + (k == 2 ? 0.2 : 0.3) * uniform(s));
    double move = size * (uniform(s) - 0.5);
    if (k == 2 && b == 0) x += 0.2 * size + gap, move -= size * (0.3 + uniform(s));
    s->start[b][v][k] = s->floats ? (double)(float)x : x;
    s->target[b][v][k] = s->floats ? (double)(float)(x + move) : x + move;
  }
}

static pl_positions positions(stage *s, int body, double at[VERTICES][3])
{
  for (int v = 0; v < VERTICES; ++v)
    for (int k = 0; k < 3; ++k) s->f32[body][v][k] = (float)at[v][k];
  return s->floats ? pl_positions_f32(s->f32[body][0], VERTICES) : pl_positions_f64(at[0], VERTICES);
}

static bool stage_open(stage *s, bool floats)
{
  static const uint32_t triangles[6] = {0, 1, 2, 1, 3, 2};
  pl_context_def def = pl_context_def_default();
  *s = (stage){.floats = floats, .seed = 88172645463325252u};
  def.threads = 1;
  if (pl_context_create(&def, &s->context) != PL_OK) return false;
  make(s);
  for (int b = 0; b < 2; ++b) {
    pl_mesh_def mesh = pl_mesh_def_default();
    mesh.positions = positions(s, b, s->start[b]);
    mesh.triangles = triangles;
    mesh.triangle_count = 2;
    if (pl_body_create_free(s->context, &mesh, NULL, &s->body[b]) != PL_OK) return false;
  }
  return true;
}

static bool take_step(stage *s, const pl_question *def, const pl_result **step, size_t *touching)
{
  pl_step_body bodies[2];
  const pl_result *found;
  for (int b = 0; b < 2; ++b) {
    bodies[b] =
        (pl_step_body){s->body[b], s->floats ? (void *)s->f32[b] : (void *)s->out[b], 0, s->floats ? PL_F32 : PL_F64};
    if (pl_body_set_positions(s->body[b], positions(s, b, s->start[b])) != PL_OK ||
        pl_body_keep_pose(s->body[b]) != PL_OK ||
        pl_body_set_positions(s->body[b], positions(s, b, s->target[b])) != PL_OK)
      return false;
  }
  if (pl_free_step(pl_two(s->body[0], s->body[1]), bodies, 2, def, step) != PL_OK ||
      refer_touching(pl_two(s->body[0], s->body[1]), NULL, &found) != PL_OK)
    return false;
  *touching = (*step)->time > 0 ? found->count : 0; /* what touches at the start is not the step's */
  return true;
}

/* The most that a difference, a product and a sum may be off, in all coordinates of both bodies. */
static double roundings(const stage *s)
{
  double most = 0;
  for (int b = 0; b < 2; ++b)
    for (int v = 0; v < VERTICES; ++v)
      for (int k = 0; k < 3; ++k) {
        const double from = fabs(s->start[b][v][k]), to = fabs(s->target[b][v][k]);
        most = fmax(most, 3 * fmax(from, to) + from + to); /* sum, product and difference are at most this */
      }
  return 2 * sqrt(3) * most * (s->floats ? 0x1p-24 : 0x1p-52);
}

/* Are nine tenths of the exact step free, however their positions are rounded? */
static bool rounding_allows(stage *s, double exact, bool *allows)
{
  const pl_result *found;
  pl_question def = pl_question_default();
  for (int b = 0; b < 2; ++b) {
    double at[VERTICES][3];
    for (int v = 0; v < VERTICES; ++v)
      for (int k = 0; k < 3; ++k) at[v][k] = s->start[b][v][k] + 0.9 * exact * (s->target[b][v][k] - s->start[b][v][k]);
    if (pl_body_set_positions(s->body[b], pl_positions_f64(at[0], VERTICES)) != PL_OK) return false;
  }
  def.margin = roundings(s);
  if (pl_impacts(pl_two(s->body[0], s->body[1]), &def, &found) != PL_OK) return false;
  *allows = found->count == 0;
  return true;
}

static const bench_column columns[] = {{"type", "positions", 0},
                                       {"steps", "steps", 0},
                                       {"shortened", "shortened", 0},
                                       {"less", "less than 0.9", 0},
                                       {"intersections", "intersections", 0},
                                       {"least_share", "least share", 4}};

static bool play(bench_report *report, bool floats, size_t steps, double headline[2])
{
  stage s;
  pl_question def = pl_question_default();
  double share = 1;
  size_t intersections = 0, shortened = 0, less = 0;
  bool good = stage_open(&s, floats);
  def.margin = 0.01;
  def.kept_gap = 0.1;
  for (size_t i = 0; good && i < steps; ++i) {
    const pl_result *step;
    size_t touching = 0;
    make(&s);
    good = take_step(&s, &def, &step, &touching);
    if (!good) break;
    intersections += touching > 0;
    shortened += step->tries > 1;
    if (step->time > 0) {
      const double exact = fmin(step->time, 1), taken = step->safe_step / exact;
      bool allows = true;
      if (taken < 0.9) good = rounding_allows(&s, exact, &allows);
      if (allows) share = fmin(share, taken);
      less += taken < 0.9;
    }
    if (i % 1000 == 0) bench_progress(report, "%s: step %zu of %zu", report->experiment, i, steps);
    if (!touching) bench_compared(&report->compared, "no intersection after a step", BENCH_REFERENCE, -1, 0);
  }
  if (!good) bench_fail(report, "%s", pl_context_message(s.context));
  pl_context_destroy(s.context);
  bench_text(&report->summary, floats ? "float" : "double");
  bench_number(&report->summary, (double)steps);
  bench_number(&report->summary, (double)shortened);
  bench_number(&report->summary, (double)less);
  bench_number(&report->summary, (double)intersections);
  bench_number(&report->summary, share);
  headline[0] += (double)intersections;
  headline[1] = fmin(headline[1], share);
  return good;
}

bool free_steps_run(const bench_options *options, bench_report *report)
{
  const size_t steps = options->quick ? 200 : options->full ? 500000 : 20000;
  double headline[2] = {0, 1};
  bench_table_init(&report->summary, columns, sizeof columns / sizeof *columns);
  if (!play(report, true, steps, headline) || !play(report, false, steps, headline)) return false;
  bench_headline_add(report, "intersections", headline[0], NAN);
  bench_headline_add(report, "least_share", headline[1], NAN);
  snprintf(report->setting, sizeof report->setting,
           "%zu random steps of two bodies for each type; margin 0.01, a tenth of gaps kept", steps);
  bench_note(report,
             "A share is the step that was taken over the exact one; shortened: the exact one, rounded, is not free. "
             "The least "
             "share is over all steps but those of which nine tenths leave less than what positions are rounded by.");
  return true;
}
