/* Bodies whose trees age: what every question costs after 50 frames beside a body that was created
 * for the same pose, with repair and without. A soup in turbulence, a soup whose triangles are
 * exchanged at random, a crumpled cloth, a stirred ball, and a morphing cloth. Costs are counters,
 * tests of volumes, triangles and refits together, and processor time. One thread. Every question
 * of every body that is compared has the same rows. */
#include "bench/experiment.h"
#include "pliant/pliant.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { FRAMES = 100, AGED = 50, EVERY = 10, RAYS = 1024, POINTS = 256, TRIANGLE_WEIGHT = 2 };
enum { ASK_PAIRS, ASK_SELF, ASK_DISTANCE, ASK_POINTS, ASK_RAYS, ASK_COUNT };
enum { TURBULENCE, EXCHANGE, CRUMPLE, SWIRL, MORPH, SCENE_COUNT };
static const char *const ask_names[ASK_COUNT] = {"pairs", "self", "distance", "points", "rays"};
static const char *const scene_names[SCENE_COUNT] = {"turbulence", "exchange", "crumple", "swirl", "morph"};

typedef struct stage {
  pl_context *context;
  int scene, side;
  float *rest, *now, *bent; /* bent: the second shape of a morphing cloth */
  uint32_t *triangles, *exchanged;
  size_t vertex_count, triangle_count;
  pl_body *ball, *far; /* what pairs and distances are asked with */
  pl_ray rays[RAYS];
  double points[POINTS][3];
} stage;

static double now_ms(void)
{
  struct timespec t;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return (double)t.tv_sec * 1e3 + (double)t.tv_nsec * 1e-6;
}

static uint32_t draw_state;
static double draw(void) /* [0, 1) */
{
  draw_state = draw_state * 1664525u + 1013904223u;
  return (double)(draw_state >> 8) / (double)(1u << 24);
}

/* ------------------------------------------------------------------------------------- poses -- */

static bool is_soup(int scene) { return scene == TURBULENCE || scene == EXCHANGE; }

static void rest_soup(stage *s)
{
  double size = 0.7 / cbrt((double)s->triangle_count);
  for (size_t t = 0; t < s->triangle_count; ++t) {
    double at[3] = {2 * draw() - 1, 2 * draw() - 1, 2 * draw() - 1};
    for (size_t c = 0; c < 3; ++c)
      for (size_t k = 0; k < 3; ++k) s->rest[9 * t + 3 * c + k] = (float)(at[k] + size * (draw() - 0.5));
    for (size_t c = 0; c < 3; ++c) s->triangles[3 * t + c] = (uint32_t)(3 * t + c);
    s->exchanged[t] = (uint32_t)t;
  }
  for (size_t t = s->triangle_count; t-- > 1;) {
    size_t other = (size_t)(draw() * (double)(t + 1));
    uint32_t kept = s->exchanged[t];
    s->exchanged[t] = s->exchanged[other];
    s->exchanged[other] = kept;
  }
}

static void rest_sheet(stage *s)
{
  const uint32_t n = (uint32_t)s->side + 1;
  uint32_t *out = s->triangles;
  for (uint32_t v = 0; v < n * n; ++v) {
    s->rest[3 * v] = 2 * (float)(v % n) / (float)s->side - 1;
    s->rest[3 * v + 1] = 0;
    s->rest[3 * v + 2] = 2 * (float)(v / n) / (float)s->side - 1;
  }
  for (uint32_t j = 0; j + 1 < n; ++j)
    for (uint32_t i = 0; i + 1 < n; ++i, out += 6) {
      const uint32_t a = j * n + i, quad[6] = {a, a + 1, a + n, a + 1, a + n + 1, a + n};
      memcpy(out, quad, sizeof quad);
    }
}

/* A flow that folds: a vertex at p moves along a sum of waves of p. */
static void flow(const float p[3], int frame, double out[3])
{
  const double a = 0.07 * frame;
  out[0] = sin(3.1 * (double)p[1] + a) + 0.6 * sin(7.3 * (double)p[2] - 1.7 * a) + 0.4 * cos(13 * (double)p[1] + 2 * a);
  out[1] = sin(2.9 * (double)p[2] - a) + 0.6 * sin(6.7 * (double)p[0] + 1.3 * a) + 0.4 * cos(12 * (double)p[2] - a);
  out[2] = sin(3.3 * (double)p[0] + a) + 0.6 * sin(7.1 * (double)p[1] + 1.1 * a) + 0.4 * cos(14 * (double)p[0] + a);
}

static double fold(double x) /* stays in [-1, 1] */
{
  x = fmod(x + 1, 4);
  x = x < 0 ? x + 4 : x;
  return x < 2 ? x - 1 : 3 - x;
}

/* Triangles of the soup drift as wholes, each by the flow where it is. */
static void step_turbulence(stage *s, int frame)
{
  for (size_t t = 0; t < s->triangle_count; ++t) {
    double by[3];
    flow(s->now + 9 * t, frame, by);
    for (size_t k = 0; k < 3; ++k) {
      double to = fold((double)s->now[9 * t + k] + 0.012 * by[k] + 0.01 * (draw() - 0.5)) - (double)s->now[9 * t + k];
      for (size_t c = 0; c < 3; ++c) s->now[9 * t + 3 * c + k] += (float)to;
    }
  }
}

static void step_exchange(stage *s, int frame)
{
  for (size_t t = 0; t < s->triangle_count; ++t)
    memcpy(s->now + 9 * t, s->rest + 9 * (size_t)(frame < 5 ? t : s->exchanged[t]), 9 * sizeof(float));
  for (size_t i = 0; i < 3 * s->vertex_count; ++i) s->now[i] += (float)(1e-4 * sin((double)i + frame));
}

/* Crumpled: drawn towards the middle, in waves that grow. */
static void pose_crumple(stage *s, double amount)
{
  for (size_t v = 0; v < s->vertex_count; ++v) {
    const float *p = s->rest + 3 * v;
    double x = (double)p[0], z = (double)p[2], in = 1 - 0.75 * amount;
    s->now[3 * v] = (float)(in * x + 0.25 * amount * sin(9 * z + 4 * amount) * cos(5 * x));
    s->now[3 * v + 1] = (float)(0.5 * amount * sin(11 * x + 3 * z * amount) * cos(8 * z - 5 * x));
    s->now[3 * v + 2] = (float)(in * z + 0.25 * amount * sin(8 * x - 6 * amount) * cos(6 * z));
  }
}

/* Stirred: the sheet turns about its middle, faster inside, and heaves. */
static void pose_swirl(stage *s, int frame)
{
  for (size_t v = 0; v < s->vertex_count; ++v) {
    const float *p = s->rest + 3 * v;
    double x = (double)p[0], z = (double)p[2], r = sqrt(x * x + z * z), turn = 0.25 * frame * exp(-2 * r);
    s->now[3 * v] = (float)(x * cos(turn) - z * sin(turn));
    s->now[3 * v + 1] = (float)(0.1 * sin(5 * x) * cos(4 * z + 0.1 * frame));
    s->now[3 * v + 2] = (float)(x * sin(turn) + z * cos(turn));
  }
}

static void pose(stage *s, int frame)
{
  if (s->scene == TURBULENCE) step_turbulence(s, frame);
  if (s->scene == EXCHANGE) step_exchange(s, frame);
  if (s->scene == CRUMPLE) pose_crumple(s, fmin(1, frame / 60.0));
  if (s->scene == SWIRL) pose_swirl(s, frame);
  const float bent = (float)fmin(1, frame / 60.0);
  for (size_t i = 0; s->scene == MORPH && i < 3 * s->vertex_count; ++i)
    s->now[i] = (1 - bent) * s->rest[i] + bent * s->bent[i];
}

/* ------------------------------------------------------------------------------------ bodies -- */

static pl_mesh_def mesh_of(const stage *s, const float *xyz)
{
  pl_mesh_def mesh = pl_mesh_def_default();
  mesh.positions = pl_positions_f32(xyz, s->vertex_count);
  mesh.triangles = s->triangles;
  mesh.triangle_count = s->triangle_count;
  return mesh;
}

static bool create(const stage *s, int repair, pl_body **out)
{
  pl_body_def def = pl_body_def_default();
  def.repair = repair;
  pl_mesh_def mesh = mesh_of(s, s->now);
  if (s->scene != MORPH) return pl_body_create_free(s->context, &mesh, &def, out) == PL_OK;
  const pl_positions references[2] = {pl_positions_f32(s->rest, s->vertex_count),
                                      pl_positions_f32(s->bent, s->vertex_count)};
  pl_morph_def morph = pl_morph_def_default();
  morph.references = references;
  morph.reference_count = 2;
  return pl_body_create_morph(s->context, &mesh, &morph, &def, out) == PL_OK;
}

static bool set(const stage *s, pl_body *body, int frame)
{
  const double bent = fmin(1, frame / 60.0), weights[2] = {1 - bent, bent};
  if (s->scene == MORPH) return pl_body_set_weights(body, weights, 2) == PL_OK;
  return pl_body_set_positions(body, pl_positions_f32(s->now, s->vertex_count)) == PL_OK;
}

/* A ball of 1 280 triangles. */
static bool add_ball(stage *s, double x, double radius, pl_body **out)
{
  enum { RINGS = 16, AROUND = 40 };
  float xyz[(RINGS + 1) * AROUND][3];
  uint32_t triangles[2 * RINGS * AROUND][3], n = 0;
  for (int i = 0; i <= RINGS; ++i)
    for (int j = 0; j < AROUND; ++j) {
      double a = 3.14159265358979 * i / RINGS, b = 2 * 3.14159265358979 * j / AROUND;
      float *p = xyz[i * AROUND + j];
      p[0] = (float)(x + radius * sin(a) * cos(b));
      p[1] = (float)(radius * cos(a));
      p[2] = (float)(radius * sin(a) * sin(b));
    }
  for (uint32_t i = 0; i < RINGS; ++i)
    for (uint32_t j = 0; j < AROUND; ++j) {
      uint32_t a = i * AROUND + j, b = i * AROUND + (j + 1) % AROUND;
      const uint32_t two[2][3] = {{a, b, a + AROUND}, {b, b + AROUND, a + AROUND}};
      memcpy(triangles[n], two, sizeof two);
      n += 2;
    }
  pl_mesh_def mesh = pl_mesh_def_default();
  mesh.positions = pl_positions_f32(xyz[0], (RINGS + 1) * AROUND);
  mesh.triangles = triangles[0];
  mesh.triangle_count = n;
  return pl_body_create_free(s->context, &mesh, NULL, out) == PL_OK;
}

static void aim(stage *s)
{
  for (int i = 0; i < RAYS; ++i) {
    double from[3] = {2.4 * draw() - 1.2, 3, 2.4 * draw() - 1.2}, along[3] = {draw() - 0.5, -2, draw() - 0.5};
    s->rays[i] = pl_ray_from(from, along);
  }
  for (int i = 0; i < POINTS; ++i)
    for (int k = 0; k < 3; ++k) s->points[i][k] = 2.4 * draw() - 1.2;
}

static bool stage_open(stage *s, int scene, int triangles)
{
  *s = (stage){.scene = scene, .side = (int)sqrt(triangles / 2.0)};
  draw_state = 7;
  s->triangle_count = is_soup(scene) ? (size_t)triangles : 2 * (size_t)s->side * (size_t)s->side;
  s->vertex_count = is_soup(scene) ? 3 * s->triangle_count : ((size_t)s->side + 1) * ((size_t)s->side + 1);
  s->rest = malloc(3 * s->vertex_count * sizeof *s->rest);
  s->now = malloc((3 * s->vertex_count + 1) * sizeof *s->now);
  s->bent = malloc(3 * s->vertex_count * sizeof *s->bent);
  s->triangles = malloc(3 * s->triangle_count * sizeof *s->triangles);
  s->exchanged = malloc(s->triangle_count * sizeof *s->exchanged);
  if (!s->rest || !s->now || !s->bent || !s->triangles || !s->exchanged) return false;
  if (is_soup(scene))
    rest_soup(s);
  else
    rest_sheet(s);
  if (scene == MORPH) {
    pose_crumple(s, 1);
    memcpy(s->bent, s->now, 3 * s->vertex_count * sizeof *s->bent);
  }
  memcpy(s->now, s->rest, 3 * s->vertex_count * sizeof *s->now);
  aim(s);
  pl_context_def def = pl_context_def_default();
  def.threads = 1;
  return pl_context_create(&def, &s->context) == PL_OK && add_ball(s, 0, 0.6, &s->ball) &&
         add_ball(s, 2.6, 0.6, &s->far);
}

static void stage_close(stage *s)
{
  pl_context_destroy(s->context);
  free(s->rest);
  free(s->now);
  free(s->bent);
  free(s->triangles);
  free(s->exchanged);
}

/* --------------------------------------------------------------------------------- questions -- */

typedef struct answer {
  double cost, ms, value; /* value: the same for every tree */
} answer;

static double cost_of(const pl_counters *c)
{
  return (double)c->n_v + TRIANGLE_WEIGHT * (double)c->n_p + (double)c->n_u;
}

static bool ask(stage *s, pl_body *body, int question, answer *out)
{
  const pl_result *pairs = NULL;
  const pl_result *distances = NULL;
  const pl_result *points = NULL;
  const pl_result *hits = NULL;
  const double start = now_ms();
  pl_status status = PL_OK;
  if (question == ASK_PAIRS) status = pl_touching(pl_two(body, s->ball), NULL, &pairs);
  if (question == ASK_SELF) status = pl_touching(pl_self(body), NULL, &pairs);
  if (question == ASK_DISTANCE) status = pl_nearest(pl_two(body, s->far), NULL, &distances);
  if (question == ASK_POINTS) status = pl_closest(pl_one(body), pl_positions_f64(s->points[0], POINTS), NULL, &points);
  if (question == ASK_RAYS) status = pl_cast(pl_one(body), s->rays, RAYS, NULL, &hits);
  out->ms = now_ms() - start;
  if (status != PL_OK) return false;
  out->value = 0;
  if (pairs) {
    out->cost = cost_of(&pairs->counters);
    out->value = (double)pairs->count;
  } else if (distances) {
    out->cost = cost_of(&distances->counters);
    for (size_t i = 0; i < distances->count; ++i) out->value += distances->distances[i].distance;
  } else if (points) {
    out->cost = cost_of(&points->counters);
    for (size_t i = 0; i < points->count; ++i) out->value += points->points[i].distance;
  } else if (hits) {
    out->cost = cost_of(&hits->counters);
    for (size_t i = 0; i < hits->count; ++i)
      if (hits->hits[i].triangle != PL_NONE) out->value += hits->hits[i].t;
  }
  return true;
}

/* ---------------------------------------------------------------------------------- the play -- */

enum { OLD, NEVER, FRESH, BODY_COUNT };

typedef struct tally {
  answer sum[BODY_COUNT][ASK_COUNT];
  double work[FRAMES];   /* of the old body's frames: all questions; NaN: not asked alone */
  double mended[FRAMES]; /* volumes of repair */
  double repair;         /* all of them so far */
  double bytes[BODY_COUNT];
} tally;

static bool ask_all(bench_report *report, stage *s, pl_body *const bodies[BODY_COUNT], int frame, tally *t)
{
  for (int q = 0; q < ASK_COUNT; ++q) {
    answer of[BODY_COUNT] = {0};
    for (int b = 0; b < BODY_COUNT; ++b) {
      if (!ask(s, bodies[b], q, &of[b])) return bench_fail(report, "%s", pl_context_message(s->context));
      t->sum[b][q].cost += of[b].cost;
      t->sum[b][q].ms += of[b].ms;
    }
    if (of[OLD].value != of[FRESH].value || of[NEVER].value != of[FRESH].value)
      return bench_fail(report, "%s, %s: bodies of one pose differ; please report this", scene_names[s->scene],
                        ask_names[q]);
    bench_compared(&report->compared, ask_names[q], "a body created for the pose", frame, 1);
  }
  return true;
}

static bool check_pairs(bench_report *report, stage *s, pl_body *old, int frame)
{
  const pl_result *result;
  pl_question def = pl_question_default();
  if (pl_touching(pl_two(old, s->ball), &def, &result) != PL_OK) return false;
  const size_t count = result->count;
  def.reference = true;
  if (pl_touching(pl_two(old, s->ball), &def, &result) != PL_OK || result->count != count)
    return bench_fail(report, "%s: %zu pairs, the reference has others", scene_names[s->scene], count);
  bench_compared(&report->compared, "pairs", BENCH_REFERENCE, frame, count);
  return true;
}

static bool play_frame(bench_report *report, stage *s, pl_body *old, pl_body *never, int frame, tally *t)
{
  pl_body *bodies[BODY_COUNT] = {old, never, NULL};
  pl_body_info info;
  answer of;
  pose(s, frame);
  bool ok = set(s, old, frame) && set(s, never, frame) && pl_body_get_info(old, false, &info) == PL_OK;
  t->work[frame] = 0;
  t->mended[frame] = (double)info.repaired - t->repair;
  t->repair = (double)info.repaired;
  if (frame >= AGED && frame % EVERY == 0) {
    /* the question before has refitted what the next one needs: each body's is asked in turn */
    ok = ok && create(s, 0, &bodies[FRESH]) && set(s, bodies[FRESH], frame);
    if (ok && s->scene == MORPH) /* its tree was built for the first shape */
      ok = pl_body_repair(bodies[FRESH], UINT64_MAX, NULL) == PL_OK;
    ok = ok && ask_all(report, s, bodies, frame, t);
    pl_body_info tree;
    for (int b = 0; ok && b < BODY_COUNT; ++b) {
      ok = pl_body_get_info(bodies[b], true, &tree) == PL_OK;
      t->bytes[b] = (double)tree.bytes;
    }
    pl_body_destroy(bodies[FRESH]);
    if (ok && frame == AGED) ok = check_pairs(report, s, old, frame);
    t->work[frame] = NAN; /* asked twice as much */
    return ok;
  }
  for (int q = 0; ok && q < ASK_COUNT; ++q) {
    ok = ask(s, old, q, &of);
    t->work[frame] += of.cost;
  }
  return ok || bench_fail(report, "%s", pl_context_message(s->context));
}

static int by_value(const void *a, const void *b)
{
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

/* The median frame with the most repair of any frame, over the median frame. */
static double worst_frame(const tally *t)
{
  double sorted[FRAMES] = {0}, most = 0;
  size_t n = 0;
  for (int f = 10; f < FRAMES; ++f) {
    most = fmax(most, t->mended[f]);
    if (!isnan(t->work[f])) sorted[n++] = t->work[f];
  }
  qsort(sorted, n, sizeof *sorted, by_value);
  double questions = sorted[n / 2];
  n = 0;
  for (int f = 10; f < FRAMES; ++f) sorted[n++] = t->mended[f];
  qsort(sorted, n, sizeof *sorted, by_value);
  return (questions + most) / (questions + sorted[n / 2]);
}

static const bench_column columns[] = {
    {"scene", "", 0},        {"question", "question", 0},       {"counters", "old / fresh", 2},
    {"time", "time", 2},     {"never", "not repaired", 2},      {"never_time", "time", 2},
    {"memory", "memory", 2}, {"repair", "repair per frame", 0}, {"frame", "worst / median frame", 2}};

static bool run_scene(const bench_options *options, bench_report *report, int scene, double *worst, double *frame_worst)
{
  stage s;
  tally t = {0};
  pl_body *old = NULL, *never = NULL;
  int triangles = options->triangles ? options->triangles : options->quick ? 1000 : 20000;
  bench_compared_scene(&report->compared, 0, "%s", scene_names[scene]);
  bool ok = stage_open(&s, scene, triangles) && create(&s, -1, &old) && create(&s, 0, &never);
  if (!ok) bench_fail(report, "out of memory");
  for (int f = 0; ok && f < FRAMES; ++f) {
    bench_progress(report, "rot: %s, frame %d", scene_names[scene], f);
    ok = play_frame(report, &s, old, never, f, &t);
  }
  for (int q = 0; ok && q < ASK_COUNT; ++q) {
    const answer *fresh = &t.sum[FRESH][q];
    const double ratio = t.sum[OLD][q].cost / fresh->cost;
    const double numbers[] = {ratio,
                              t.sum[OLD][q].ms / fresh->ms,
                              t.sum[NEVER][q].cost / fresh->cost,
                              t.sum[NEVER][q].ms / fresh->ms,
                              t.bytes[OLD] / t.bytes[FRESH],
                              t.repair / FRAMES,
                              worst_frame(&t)};
    bench_text(&report->summary, scene_names[scene]);
    bench_text(&report->summary, ask_names[q]);
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; ++i) bench_number(&report->summary, numbers[i]);
    *worst = fmax(*worst, ratio);
  }
  if (ok) *frame_worst = fmax(*frame_worst, worst_frame(&t));
  stage_close(&s);
  return ok;
}

/* ------------------------------------------------------------------------------ asked little -- */

enum { LITTLE_FRAMES = 200 };

typedef struct little {
  double ms[2][LITTLE_FRAMES]; /* positions and a question: with repair, without */
  double mean[2], high[2];     /* high: 99th percentile over median */
} little;

static void sum_up(little *l)
{
  for (int b = 0; b < 2; ++b) {
    for (int f = 0; f < LITTLE_FRAMES; ++f) l->mean[b] += l->ms[b][f] / LITTLE_FRAMES;
    qsort(l->ms[b], LITTLE_FRAMES, sizeof *l->ms[b], by_value);
    l->high[b] = l->ms[b][LITTLE_FRAMES * 99 / 100] / l->ms[b][LITTLE_FRAMES / 2];
  }
}

/* The soup in turbulence, asked for its pairs with a ball and nothing else: what repair costs, or
 * gains, in a body that is asked little. */
static bool run_little(const bench_options *options, bench_report *report, little *l)
{
  stage s;
  pl_body *bodies[2];
  const int triangles = options->triangles ? options->triangles : options->quick ? 1000 : 20000;
  bool ok = stage_open(&s, TURBULENCE, triangles) && create(&s, -1, &bodies[0]) && create(&s, 0, &bodies[1]);
  for (int f = 0; ok && f < LITTLE_FRAMES; ++f) {
    answer of[2];
    bench_progress(report, "rot: asked little, frame %d", f);
    pose(&s, f);
    for (int b = 0; ok && b < 2; ++b) {
      const double start = now_ms();
      ok = set(&s, bodies[b], f) && ask(&s, bodies[b], ASK_PAIRS, &of[b]);
      l->ms[b][f] = now_ms() - start;
    }
    ok = ok && of[0].value == of[1].value;
  }
  sum_up(l);
  if (!ok) bench_fail(report, "asked little: %s", s.context ? pl_context_message(s.context) : "out of memory");
  stage_close(&s);
  return ok;
}

bool rot_run(const bench_options *options, bench_report *report)
{
  double worst = 0, frame = 0;
  bench_table_init(&report->summary, columns, sizeof columns / sizeof *columns);
  for (int scene = 0; scene < SCENE_COUNT; ++scene)
    if (!run_scene(options, report, scene, &worst, &frame)) return false;
  little l = {0};
  if (!run_little(options, report, &l)) return false;
  bench_headline_add(report, "worst", worst, NAN);
  bench_headline_add(report, "worst_frame", frame, NAN);
  bench_headline_add(report, "little", l.mean[0] / l.mean[1], NAN);
  bench_note(
      report,
      "Asked little (the soup in turbulence, its pairs with a ball, %d frames): %.3f ms in the mean with repair, "
      "%.3f without; 99th percentile over median %.2f and %.2f.",
      LITTLE_FRAMES, l.mean[0], l.mean[1], l.high[0], l.high[1]);
  bench_note(report,
             "Old over fresh: counters (volumes and refits 1, triangles %d) and processor time of frames %d to %d, "
             "every %dth, of a body that has lived since frame 0 over one that was created for the pose.",
             TRIANGLE_WEIGHT, AGED, FRAMES - 1, EVERY);
  bench_note(report, "Repair per frame in volumes; worst / median frame: the questions of the median frame with the "
                     "most repair of any frame, over the same with the median of repair, by counters.");
  return true;
}
