/* What a margin costs within one body: a smooth sheet with nothing near, asked for touching
 * triangles, for near features, and for the first contact of a step with and without a
 * separation. Every size is compared with the reference at a small one; on one thread, in
 * processor time. */
#include "bench/experiment.h"
#include "pliant/pliant.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* In lengths of a quad, as a solver would ask: larger margins with more rings. */
static const struct {
  double margin;
  uint32_t rings;
} asked[] = {{0.1, 1}, {0.5, 2}, {1.5, 3}};

enum { ASKED = sizeof asked / sizeof *asked, CHECKED = 14 };

typedef struct stage {
  pl_context *context;
  pl_body *body;
  double *start, *end; /* two poses */
  uint32_t *triangles;
  int side; /* quads along an edge of the sheet */
  size_t vertex_count, triangle_count;
} stage;

static double now_ms(void)
{
  struct timespec t;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return (double)t.tv_sec * 1e3 + (double)t.tv_nsec * 1e-6;
}

/* A wave on a square of 2 x 2; a step lowers it by a tenth of a quad, unevenly. */
static void pose(stage *s, int frame)
{
  const size_t n = (size_t)s->side + 1;
  for (size_t v = 0; v < s->vertex_count; ++v) {
    double *p = s->start + 3 * v, *q = s->end + 3 * v;
    p[0] = q[0] = 2.0 * (double)(v % n) / s->side;
    p[2] = q[2] = 2.0 * (double)(v / n) / s->side;
    p[1] = 0.05 * sin(9 * p[0]) * cos(3.5 * p[2]) + 1e-6 * frame;
    q[1] = p[1] - 0.2 / s->side * (1 + 0.2 * sin((double)v));
  }
}

static void connect(stage *s)
{
  uint32_t *out = s->triangles;
  const uint32_t n = (uint32_t)s->side + 1;
  for (uint32_t j = 0; j + 1 < n; ++j)
    for (uint32_t i = 0; i + 1 < n; ++i) {
      const uint32_t a = j * n + i, quad[6] = {a, a + 1, a + n, a + 1, a + n + 1, a + n};
      memcpy(out, quad, sizeof quad);
      out += 6;
    }
}

static bool stage_open(stage *s, int side)
{
  const size_t n = (size_t)side + 1;
  *s = (stage){.side = side, .vertex_count = n * n, .triangle_count = 2 * (size_t)side * (size_t)side};
  s->start = malloc(3 * s->vertex_count * sizeof *s->start);
  s->end = malloc(3 * s->vertex_count * sizeof *s->end);
  s->triangles = malloc(3 * s->triangle_count * sizeof *s->triangles);
  if (!s->start || !s->end || !s->triangles) return false;
  pose(s, 0);
  connect(s);
  pl_context_def def = pl_context_def_default();
  pl_mesh_def mesh = pl_mesh_def_default();
  def.threads = 1;
  mesh.positions = pl_positions_f64(s->start, s->vertex_count);
  mesh.triangles = s->triangles;
  mesh.triangle_count = s->triangle_count;
  return pl_context_create(&def, &s->context) == PL_OK &&
         pl_body_create_free(s->context, &mesh, NULL, &s->body) == PL_OK;
}

static void stage_close(stage *s)
{
  pl_context_destroy(s->context);
  free(s->start);
  free(s->end);
  free(s->triangles);
}

/* One question after the body was moved. The first two are of the pose at the start, the others
 * of the step. */
enum { ASK_SELF, ASK_NEAR, ASK_PLAIN, ASK_SEPARATION, ASK_COUNT };

static bool ask(stage *s, int question, int margin, size_t *found)
{
  const double quad = 2.0 / s->side;
  if (pl_body_set_positions(s->body, pl_positions_f64(question < ASK_PLAIN ? s->start : s->end, s->vertex_count)) !=
      PL_OK)
    return false;
  if (question == ASK_SELF) {
    const pl_result *pairs;
    if (pl_touching(pl_self(s->body), NULL, &pairs) != PL_OK) return false;
    *found = pairs->count;
  } else if (question == ASK_NEAR) {
    const pl_result *pairs;
    pl_question def = pl_question_default();
    def.rings = asked[margin].rings;
    def.margin = asked[margin].margin * quad;
    if (pl_near(pl_self(s->body), &def, &pairs) != PL_OK) return false;
    *found = pairs->count;
  } else {
    const pl_result *impacts;
    pl_question def = pl_question_default();
    if (question == ASK_SEPARATION) def.margin = 0.2 * asked[margin].margin / asked[margin].rings * quad;
    if (pl_impacts(pl_self(s->body), &def, &impacts) != PL_OK) return false;
    *found = impacts->count;
  }
  return true;
}

/* The least time of each question over some frames. Nothing touches and nothing is near. */
static bool measure(bench_report *report, stage *s, int margin, int reps, double ms[ASK_COUNT])
{
  for (int q = 0; q < ASK_COUNT; ++q) ms[q] = INFINITY;
  for (int rep = 0; rep <= reps; ++rep) {
    pose(s, rep);
    if (pl_body_set_positions(s->body, pl_positions_f64(s->start, s->vertex_count)) != PL_OK ||
        pl_body_keep_pose(s->body) != PL_OK)
      return bench_fail(report, "%s", pl_context_message(s->context));
    for (int q = 0; q < ASK_COUNT; ++q) {
      size_t found = 0;
      const double start = now_ms();
      if (!ask(s, q, margin, &found)) return bench_fail(report, "%s", pl_context_message(s->context));
      if (rep) ms[q] = fmin(ms[q], now_ms() - start); /* the first frame builds what is kept */
      if (found) return bench_fail(report, "%zu results on a sheet with nothing near; please report this", found);
    }
  }
  return true;
}

/* A sheet with a fold that comes near itself, small: near features and contacts against the
 * reference. */
static bool check(bench_report *report)
{
  stage s;
  bool good = stage_open(&s, CHECKED);
  for (int m = 0; good && m < ASKED; ++m) {
    const pl_result *pairs;
    pl_question def = pl_question_default();
    const double margin = asked[m].margin * 2 / CHECKED;
    def.rings = asked[m].rings;
    def.sorted = true;
    def.margin = margin;
    def.reference = true;
    for (size_t v = 0; v < s.vertex_count; ++v)
      if (s.start[3 * v] > 1) s.start[3 * v] = 2 - s.start[3 * v], s.start[3 * v + 1] += 0.8 * margin;
    good = pl_body_set_positions(s.body, pl_positions_f64(s.start, s.vertex_count)) == PL_OK &&
           pl_near(pl_self(s.body), &def, &pairs) == PL_OK;
    def.reference = false;
    const size_t count = good ? pairs->count : 0;
    pl_feature_pair *wanted = malloc((count + 1) * sizeof *wanted);
    if (wanted && count) memcpy(wanted, pairs->features, count * sizeof *wanted);
    good = good && wanted && pl_near(pl_self(s.body), &def, &pairs) == PL_OK && pairs->count == count &&
           (!count || memcmp(pairs->features, wanted, count * sizeof *wanted) == 0);
    free(wanted);
    if (good) bench_compared(&report->compared, "near features", BENCH_REFERENCE ", a small sheet", m, count);
    pose(&s, 0);
  }
  if (!good) bench_fail(report, "near features differ from the reference's; please report this");
  stage_close(&s);
  return good;
}

static const bench_column columns[] = {{"triangles", "triangles", 0},
                                       {"margin", "margin", 2},
                                       {"rings", "rings", 0},
                                       {"self_ms", "self", 3},
                                       {"near_ms", "near", 3},
                                       {"near_over_self", "over self", 2},
                                       {"plain_ms", "contact", 3},
                                       {"separation_ms", "separation", 3},
                                       {"separation_over_plain", "over contact", 2}};

static bool play(bench_report *report, int side, int reps, double worst[2])
{
  stage s;
  bool good = stage_open(&s, side) || bench_fail(report, "no memory for a sheet of %d x %d quads", side, side);
  for (int m = 0; good && m < ASKED; ++m) {
    double ms[ASK_COUNT];
    bench_progress(report, "%s: %zu triangles", report->experiment, s.triangle_count);
    good = measure(report, &s, m, reps, ms);
    if (!good) break;
    const double near = ms[ASK_NEAR] / ms[ASK_SELF], separation = ms[ASK_SEPARATION] / ms[ASK_PLAIN];
    const double row[] = {
        (double)s.triangle_count, asked[m].margin, asked[m].rings, ms[ASK_SELF], ms[ASK_NEAR], near, ms[ASK_PLAIN],
        ms[ASK_SEPARATION],       separation};
    for (size_t i = 0; i < sizeof row / sizeof *row; ++i) bench_number(&report->summary, row[i]);
    worst[0] = fmax(worst[0], near);
    worst[1] = fmax(worst[1], separation);
  }
  stage_close(&s);
  return good;
}

bool thick_run(const bench_options *options, bench_report *report)
{
  static const int sides[] = {60, 120, 240};
  const int reps = options->reps ? options->reps : options->quick ? 1 : 7;
  double worst[2] = {0, 0};
  bench_table_init(&report->summary, columns, sizeof columns / sizeof *columns);
  bool good = check(report);
  for (int i = 0; good && i < (options->quick ? 1 : 3); ++i)
    good = play(report, options->quick ? 20 : sides[i], reps, worst);
  if (!good) return false;
  bench_headline_add(report, "near_over_self", worst[0], NAN);
  bench_headline_add(report, "separation_over_plain", worst[1], NAN);
  snprintf(report->setting, sizeof report->setting, "a wave of quads, double positions, one thread, least of %d frames",
           reps);
  bench_note(report,
             "Milliseconds of processor time, the update of moved positions included; margins in lengths of a quad.");
  bench_note(report, "The headlines are the worst rows; smaller is better.");
  return true;
}
