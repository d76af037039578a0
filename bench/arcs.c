/* Bars that turn past posts: random screws, derived from two transforms or given, up to two turns.
 * The first contact is compared with interval arithmetic: bar and post are convex, so they are
 * apart while some face normal or product of edges separates them. Intervals of time are halved
 * until each is proven to be free or is shorter than a tenth of the tolerance; samples say where
 * the solids certainly overlap. Beside the time of the straight question on the same poses. */
#include "bench/experiment.h"
#include "pliant/pliant.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { POST = 6, MOST_SIDES = 6, PIECES = 8, CORNERS = MOST_SIDES * (PIECES + 1), SAMPLES = 400, REFERRED = 20 };
#define TOLERANCE 1e-9

/* A prism along z, cut into pieces. */
typedef struct prism {
  int sides;
  double corner[CORNERS][3];
  uint32_t triangles[2 * MOST_SIDES * PIECES + 2 * (MOST_SIDES - 2)][3];
  size_t triangle_count;
  double outer[2 * MOST_SIDES][3];                                   /* the corners of both ends */
  double normal[MOST_SIDES / 2 + 1][3], edge[MOST_SIDES / 2 + 1][3]; /* directions, opposite ones once */
} prism;

typedef struct turn {
  double axis[3], point[3], angle, slide;
  bool given;
} turn;

typedef struct stage {
  pl_context *context;
  pl_body *bar, *post;
  prism shape[2];
  uint64_t seed;
  turn by;
  pl_transform start, end; /* of the bar */
} stage;

static double uniform(stage *s)
{
  s->seed ^= s->seed << 13;
  s->seed ^= s->seed >> 7;
  s->seed ^= s->seed << 17;
  return (double)(s->seed >> 11) * 0x1p-53;
}

static double now_ms(void)
{
  struct timespec t;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return (double)t.tv_sec * 1e3 + (double)t.tv_nsec * 1e-6;
}

/* ------------------------------------------------------------------------------------ shapes -- */

static void make_prism(prism *p, int sides, double width, double depth, double height)
{
  const double pi = 3.14159265358979323846;
  p->sides = sides;
  p->triangle_count = 0;
  for (int i = 0; i < sides * (PIECES + 1); ++i) {
    const double phi = 2 * pi * (i % sides + 0.5) / sides;
    p->corner[i][0] = width * cos(phi), p->corner[i][1] = depth * sin(phi);
    p->corner[i][2] = height * ((double)(i / sides) / PIECES - 0.5);
  }
  for (int i = 0; i < 2 * sides; ++i) memcpy(p->outer[i], p->corner[i < sides ? i : i + sides * (PIECES - 1)], 24);
  for (uint32_t i = 0; i < (uint32_t)(sides * PIECES); ++i) {
    const uint32_t n = (uint32_t)sides, next = i / n * n + (i + 1) % n;
    const uint32_t two[2][3] = {{i, next, next + n}, {i, next + n, i + n}};
    memcpy(p->triangles[p->triangle_count], two, sizeof two);
    p->triangle_count += 2;
  }
  for (uint32_t i = 1; i + 1 < (uint32_t)sides; ++i) {
    const uint32_t top = (uint32_t)(sides * PIECES), two[2][3] = {{0, i + 1, i}, {top, top + i, top + i + 1}};
    memcpy(p->triangles[p->triangle_count], two, sizeof two);
    p->triangle_count += 2;
  }
  for (int i = 0; i < sides / 2; ++i) {
    for (int k = 0; k < 3; ++k) p->edge[i][k] = p->corner[i + 1][k] - p->corner[i][k];
    p->normal[i][0] = p->edge[i][1], p->normal[i][1] = -p->edge[i][0], p->normal[i][2] = 0;
  }
  memcpy(p->edge[sides / 2], (double[3]){0, 0, 1}, 24);
  memcpy(p->normal[sides / 2], (double[3]){0, 0, 1}, 24);
}

static pl_status make_body(pl_context *context, const prism *p, pl_body **out)
{
  pl_mesh_def mesh = pl_mesh_def_default();
  mesh.positions = pl_positions_f64(p->corner[0], (size_t)(p->sides * (PIECES + 1)));
  mesh.triangles = p->triangles[0];
  mesh.triangle_count = p->triangle_count;
  return pl_body_create_rigid(context, &mesh, NULL, out);
}

/* ------------------------------------------------------------------------------------- turns -- */

/* A turn by Rodrigues' formula, then a slide. */
static void turn_point(const turn *by, double t, const double x[3], double out[3])
{
  const double c = cos(by->angle * t), s = sin(by->angle * t), *u = by->axis;
  double r[3], along = 0;
  for (int k = 0; k < 3; ++k) r[k] = x[k] - by->point[k], along += r[k] * u[k];
  for (int k = 0; k < 3; ++k) {
    const int i = (k + 1) % 3, j = (k + 2) % 3;
    out[k] = by->point[k] + along * u[k] * (1 - c) + r[k] * c + (u[i] * r[j] - u[j] * r[i]) * s + t * by->slide * u[k];
  }
}

static void place(const pl_transform *t, const double x[3], double out[3])
{
  for (int k = 0; k < 3; ++k) out[k] = t->m[k][0] * x[0] + t->m[k][1] * x[1] + t->m[k][2] * x[2] + t->t[k];
}

/* The transform after a turn: where it takes the origin and the ends of the axes. */
static pl_transform turned(const turn *by, const pl_transform *from)
{
  pl_transform to = *from;
  turn_point(by, 1, from->t, to.t);
  for (int c = 0; c < 3; ++c) {
    double x[3], y[3];
    for (int k = 0; k < 3; ++k) x[k] = from->t[k] + from->m[k][c];
    turn_point(by, 1, x, y);
    for (int k = 0; k < 3; ++k) to.m[k][c] = y[k] - to.t[k];
  }
  return to;
}

static void direction(stage *s, double out[3])
{
  double length = 0;
  while (!(length > 0.01 && length <= 1)) {
    length = 0;
    for (int k = 0; k < 3; ++k) out[k] = 2 * uniform(s) - 1, length += out[k] * out[k];
  }
  for (int k = 0; k < 3; ++k) out[k] /= sqrt(length);
}

/* A bar somewhere around the post, which stands at the origin, and how it turns. */
static void make(stage *s)
{
  turn lay = {.angle = 6 * uniform(s)};
  const pl_transform identity = pl_transform_identity();
  direction(s, lay.axis);
  s->start = turned(&lay, &identity);
  direction(s, s->start.t);
  for (int k = 0; k < 3; ++k) s->start.t[k] *= 0.3 + 1.5 * uniform(s);
  direction(s, s->by.axis);
  if (uniform(s) < 0.5) memcpy(s->by.axis, (double[3]){0, 0, 1}, 24); /* in the plane of a robot */
  for (int k = 0; k < 3; ++k) s->by.point[k] = 2 * uniform(s) - 1;
  s->by.slide = uniform(s) < 0.3 ? 0 : 0.6 * (uniform(s) - 0.5);
  s->by.given = uniform(s) < 0.4;
  s->by.angle = (s->by.given ? 12 : 6.2) * (uniform(s) - 0.5);
  s->end = turned(&s->by, &s->start);
}

/* --------------------------------------------------------------------------------- intervals -- */

typedef struct interval {
  double low, high;
} interval;

static interval widen(double low, double high)
{
  const double by = 0x1p-50 * fmax(fabs(low), fabs(high)) + 1e-300;
  return (interval){low - by, high + by};
}

static interval add(interval a, interval b) { return widen(a.low + b.low, a.high + b.high); }

static interval scale(double f, interval a)
{
  return f < 0 ? widen(f * a.high, f * a.low) : widen(f * a.low, f * a.high);
}

/* cos or sin of an interval of angles: Lipschitz. */
static interval around(double value, double by) { return widen(fmax(-1, value - by), fmin(1, value + by)); }

/* Along n, a corner of the bar at the times of an interval. */
static interval corner_along(const turn *by, const double x[3], const double n[3], interval t)
{
  const double middle = (t.low + t.high) / 2, half = fabs(by->angle) * (t.high - t.low) / 2, *u = by->axis;
  const interval c = around(cos(by->angle * middle), half), s = around(sin(by->angle * middle), half);
  double r[3], along = 0, fixed = 0, cosine = 0, sine = 0, slide = 0;
  for (int k = 0; k < 3; ++k) r[k] = x[k] - by->point[k], along += r[k] * u[k];
  for (int k = 0; k < 3; ++k) {
    const int i = (k + 1) % 3, j = (k + 2) % 3;
    fixed += n[k] * (by->point[k] + along * u[k]);
    cosine += n[k] * (r[k] - along * u[k]);
    sine += n[k] * (u[i] * r[j] - u[j] * r[i]);
    slide += n[k] * by->slide * u[k];
  }
  const interval turning = add(scale(cosine, c), scale(sine, s));
  return add(add((interval){fixed, fixed}, scale(slide, t)), widen(turning.low - 1e-15, turning.high + 1e-15));
}

/* The gap between bar and post along n. */
static interval gap_along(const stage *s, double at[][3], const double n[3], interval t)
{
  const prism *bar = &s->shape[0], *post = &s->shape[1];
  interval bar_low = {INFINITY, INFINITY}, bar_high = {-INFINITY, -INFINITY};
  double low = INFINITY, high = -INFINITY;
  for (int i = 0; i < 2 * bar->sides; ++i) {
    const interval x = corner_along(&s->by, at[i], n, t);
    bar_low = (interval){fmin(bar_low.low, x.low), fmin(bar_low.high, x.high)};
    bar_high = (interval){fmax(bar_high.low, x.low), fmax(bar_high.high, x.high)};
  }
  for (int i = 0; i < 2 * post->sides; ++i) {
    const double x = n[0] * post->outer[i][0] + n[1] * post->outer[i][1] + n[2] * post->outer[i][2];
    low = fmin(low, x), high = fmax(high, x);
  }
  return (interval){fmax(bar_low.low - high, low - bar_high.high) - 1e-15,
                    fmax(bar_low.high - high, low - bar_high.low) + 1e-15};
}

/* The directions that can separate them when the bar stands as it does at time t. */
static int directions(const stage *s, double t, double out[][3])
{
  const prism *bar = &s->shape[0], *post = &s->shape[1];
  const int sides = bar->sides / 2 + 1, others = post->sides / 2 + 1;
  const turn spin = {{s->by.axis[0], s->by.axis[1], s->by.axis[2]}, {0, 0, 0}, s->by.angle, 0, false};
  double edge[MOST_SIDES][3] = {{0}};
  int count = 0;
  for (int i = 0; i < 2 * sides; ++i) {
    const double *x = i < sides ? bar->normal[i] : bar->edge[i - sides];
    double y[3];
    for (int k = 0; k < 3; ++k) y[k] = s->start.m[k][0] * x[0] + s->start.m[k][1] * x[1] + s->start.m[k][2] * x[2];
    turn_point(&spin, t, y, i < sides ? out[count++] : edge[i - sides]);
  }
  for (int i = 0; i < others; ++i) memcpy(out[count++], post->normal[i], sizeof out[0]);
  for (int i = 0; i < sides; ++i)
    for (int j = 0; j < others; ++j, ++count)
      for (int k = 0; k < 3; ++k)
        out[count][k] =
            edge[i][(k + 1) % 3] * post->edge[j][(k + 2) % 3] - edge[i][(k + 2) % 3] * post->edge[j][(k + 1) % 3];
  for (int i = 0; i < count; ++i) {
    const double l = sqrt(out[i][0] * out[i][0] + out[i][1] * out[i][1] + out[i][2] * out[i][2]);
    for (int k = 0; k < 3; ++k) out[i][k] /= l > 1e-12 ? l : INFINITY; /* parallel edges: no direction */
  }
  return count;
}

/* The greatest gap of any direction at the times of an interval; ends at the first that is
 * certainly open. */
static interval separation(const stage *s, double at[][3], interval t, double enough)
{
  double n[64][3];
  interval best = {-INFINITY, -INFINITY};
  const int count = directions(s, (t.low + t.high) / 2, n);
  for (int i = 0; i < count; ++i) {
    if (n[i][0] == 0 && n[i][1] == 0 && n[i][2] == 0) continue;
    const interval gap = gap_along(s, at, n[i], t);
    best = (interval){fmax(best.low, gap.low), fmax(best.high, gap.high)};
    if (best.low > enough) break;
  }
  return best;
}

/* The first interval that is not proven to be free; its start, or 2. */
static double first_doubt(const stage *s, double at[][3], interval t)
{
  if (separation(s, at, t, 0).low > 0) return 2;
  if (t.high - t.low < TOLERANCE / 10) return t.low;
  const double middle = (t.low + t.high) / 2, first = first_doubt(s, at, (interval){t.low, middle});
  return first < 2 ? first : first_doubt(s, at, (interval){middle, t.high});
}

/* A time from `from` on at which they certainly overlap, near the first; 2: none is found. */
static double first_overlap(const stage *s, double at[][3], double from)
{
  double free = from, in = 2;
  for (int i = 0; i < 64 && in > 1; ++i) { /* close to the doubt first */
    const double t = from + TOLERANCE * ldexp(1, i - 8);
    if (t <= 1 && separation(s, at, (interval){t, t}, 0).high < 0) in = t;
    if (in > 1) free = fmin(t, 1);
  }
  for (int i = 0; i <= SAMPLES && in > 1; ++i) {
    const double t = from + (1 - from) * i / SAMPLES;
    if (separation(s, at, (interval){t, t}, 0).high < 0) in = t;
  }
  for (int i = 0; i < 50 && in <= 1 && in - free > 1e-12; ++i) {
    const double t = (free + in) / 2;
    *(separation(s, at, (interval){t, t}, 0).high < 0 ? &in : &free) = t;
  }
  return in;
}

/* -------------------------------------------------------------------------------------- play -- */

typedef struct tally {
  size_t screws, contacts, free, missed, late, early, touching, grazing;
  double arc_ms, straight_ms;
} tally;

static bool step(stage *s, double *time, tally *sum)
{
  const pl_result *found;
  for (int arc = 0; arc < 2; ++arc) {
    const bool given = arc && s->by.given;
    if (pl_body_set_transform(s->bar, &s->start) != PL_OK || pl_body_keep_pose(s->bar) != PL_OK ||
        pl_body_set_transform(s->bar, &s->end) != PL_OK ||
        pl_body_set_screw(s->bar, arc && !given ? NULL : s->by.axis, s->by.point, given ? s->by.angle : 0) != PL_OK)
      return false;
    const double start = now_ms();
    if (pl_impacts(pl_two(s->bar, s->post), NULL, &found) != PL_OK) return false;
    *(arc ? &sum->arc_ms : &sum->straight_ms) += now_ms() - start;
  }
  *time = found->time;
  return true;
}

/* The same screw again by brute force over all features. */
static bool refer(bench_report *report, stage *s, int screw, double time)
{
  const pl_result *found;
  pl_question how = pl_question_default();
  how.reference = true;
  if (pl_impacts(pl_two(s->bar, s->post), &how, &found) != PL_OK)
    return bench_fail(report, "%s", pl_context_message(s->context));
  if (found->time != time)
    return bench_fail(report, "contact at %.17g, the reference's is at %.17g", time, found->time);
  bench_compared(&report->compared, "times of first contact", BENCH_REFERENCE, screw, 1);
  return true;
}

/* Compares a time with what intervals and samples say. */
static void judge(const stage *s, double time, tally *sum)
{
  double at[2 * MOST_SIDES][3];
  for (int i = 0; i < 2 * s->shape[0].sides; ++i) place(&s->start, s->shape[0].outer[i], at[i]);
  const double doubt = first_doubt(s, at, (interval){0, 1});
  const double overlap = doubt <= 1 ? first_overlap(s, at, doubt) : 2;
  ++sum->screws;
  if (doubt == 0) { /* they overlap, or touch, at the start */
    ++sum->touching;
    return;
  }
  if (doubt > 1 && time > 1) {
    ++sum->free;
    return;
  }
  if (overlap > 1) { /* they come within roundings of each other, or not */
    const bool near = time <= 1 && separation(s, at, (interval){time, time}, INFINITY).low < 1e-11;
    ++*(near || time > 1 ? &sum->grazing : &sum->early);
    return;
  }
  sum->missed += time > 1;
  sum->late += time <= 1 && time > overlap;
  /* a path that comes near before it overlaps is in contact when it is within the tolerance */
  const bool before = time < doubt - TOLERANCE && !(separation(s, at, (interval){time, time}, INFINITY).low < 1e-11);
  sum->early += before;
  sum->grazing += overlap - doubt > TOLERANCE;
  sum->contacts += time <= 1;
}

static const bench_column columns[] = {{"screws", "screws", 0},     {"contacts", "contacts", 0},
                                       {"free", "free", 0},         {"touching", "touch at the start", 0},
                                       {"grazing", "grazing", 0},   {"missed", "missed", 0},
                                       {"late", "late", 0},         {"early", "early", 0},
                                       {"arc_us", "us on arcs", 2}, {"straight_us", "us straight", 2},
                                       {"over_linear", "ratio", 2}};

static bool play(bench_report *report, stage *s, size_t screws, tally *sum)
{
  for (size_t i = 0; i < screws; ++i) {
    double time = 2;
    make(s);
    if (!step(s, &time, sum)) return bench_fail(report, "%s", pl_context_message(s->context));
    if (i < REFERRED && !refer(report, s, (int)i, time)) return false;
    judge(s, time, sum);
    if (i % 256 == 0) bench_progress(report, "%s: screw %zu of %zu", report->experiment, i, screws);
  }
  return true;
}

bool arcs_run(const bench_options *options, bench_report *report)
{
  const size_t screws = options->quick ? 200 : options->full ? 100000 : 5000;
  pl_context_def def = pl_context_def_default();
  static stage s;
  tally sum = {0};
  s.seed = 88172645463325252u;
  s.context = NULL;
  def.threads = 1;
  make_prism(&s.shape[0], 4, 0.06, 0.09, 1.2);
  make_prism(&s.shape[1], POST, 0.15, 0.15, 2);
  bool good = pl_context_create(&def, &s.context) == PL_OK && make_body(s.context, &s.shape[0], &s.bar) == PL_OK &&
              make_body(s.context, &s.shape[1], &s.post) == PL_OK;
  good = good ? play(report, &s, screws, &sum) : bench_fail(report, "no memory for two bodies");
  if (s.context) pl_context_destroy(s.context);
  if (!good) return false;
  bench_table_init(&report->summary, columns, sizeof columns / sizeof *columns);
  const double n = (double)sum.screws, ratio = sum.arc_ms / sum.straight_ms;
  const double row[] = {n,
                        (double)sum.contacts,
                        (double)sum.free,
                        (double)sum.touching,
                        (double)sum.grazing,
                        (double)sum.missed,
                        (double)sum.late,
                        (double)sum.early,
                        1e3 * sum.arc_ms / n,
                        1e3 * sum.straight_ms / n,
                        ratio};
  for (size_t i = 0; i < sizeof row / sizeof *row; ++i) bench_number(&report->summary, row[i]);
  const size_t wrong = sum.missed + sum.late + sum.early;
  if (!wrong) bench_compared(&report->compared, "times of first contact", "interval arithmetic", -1, sum.contacts);
  bench_headline_add(report, "missed", (double)wrong, NAN);
  bench_headline_add(report, "over_linear", ratio, NAN);
  snprintf(report->setting, sizeof report->setting,
           "a bar of %zu triangles and a post of %zu; screws of up to a turn, 40 %% of them given",
           s.shape[0].triangle_count, s.shape[1].triangle_count);
  bench_note(report, "Missed: contacts not found, found late, or more than 1e-9 of the step early.");
  bench_note(report, "Grazing: nothing is proven to overlap, or only more than 1e-9 after the first doubt.");
  return true;
}
