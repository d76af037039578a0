/* The strategy `auto` beside every fixed one: a sphere, a cloth, 27 bodies, a soup, skins, a
 * subdivided cloth, a body that follows particles, a morphing body, and the characters of the test
 * data where they are found; each with pairs, pairs within itself, near pairs, the least distance,
 * points, few rays and many rays. A row plays one question on bodies of its own, frame by frame.
 * Every strategy must give the same result in every frame, and the reference in one of them. */
#include "bench/auto_actors.h"
#include "bench/experiment.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { FRAMES = 40, LEARNED = 8, MOST_RAYS = 16384, POINTS = 64, FEW = 100, MOST_STRATEGIES = 8 };
enum { ASK_PAIRS, ASK_SELF, ASK_NEAR, ASK_DISTANCE, ASK_POINTS, ASK_FEW_RAYS, ASK_RAYS, ASK_COUNT };
static const char *const ask_names[ASK_COUNT] = {"pairs",  "self",     "near",      "distance",
                                                 "points", "rays 100", "rays 16384"};

/* A test of two triangles, in tests of two volumes; auto_stage_update_cost() has the others. */
static const double weight_p = 2;

typedef struct probes {
  pl_ray rays[MOST_RAYS];
  double points[POINTS][3];
} probes;

typedef struct frame_cost {
  double cost, ms;
} frame_cost;

typedef struct played {
  frame_cost frame[FRAMES];
  double value[FRAMES]; /* the same for every strategy */
  double cost, ms;      /* means, after the frames in which a choice is learned */
} played;

static double now_ms(void)
{
  struct timespec t;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return (double)t.tv_sec * 1e3 + (double)t.tv_nsec * 1e-6;
}

/* --------------------------------------------------------------------------------- questions -- */

static uint32_t draw_state;
static double draw(void) /* [0, 1) */
{
  draw_state = draw_state * 1664525u + 1013904223u;
  return (double)(draw_state >> 8) / (double)(1u << 24);
}

/* Rays towards the body from a sphere around it, and points around it. */
static void aim(const auto_stage *s, probes *p)
{
  draw_state = 5;
  for (int i = 0; i < MOST_RAYS; ++i) {
    double from[3], along[3], up = 2 * draw() - 1, turn = 6.283185307 * draw(), out = sqrt(1 - up * up);
    const double unit[3] = {out * cos(turn), up, out * sin(turn)};
    for (int k = 0; k < 3; ++k) {
      from[k] = s->middle[k] + 3 * s->radius * unit[k];
      along[k] = s->middle[k] + s->radius * (1.2 * draw() - 0.6) - from[k];
    }
    p->rays[i] = pl_ray_from(from, along);
  }
  for (int i = 0; i < POINTS; ++i)
    for (int k = 0; k < 3; ++k) p->points[i][k] = s->middle[k] + s->radius * (2.4 * draw() - 1.2);
}

static void add_rows(const pl_result *r, int question, double *value)
{
  *value = (double)r->count;
  for (size_t i = 0; i < r->count; ++i) {
    if (question == ASK_PAIRS || question == ASK_SELF)
      *value += (double)(r->pairs[i].a % 1009 + 7 * (r->pairs[i].b % 1013));
    if (question == ASK_NEAR) *value += r->near_pairs[i].distance;
    if (question == ASK_DISTANCE) *value += r->distances[i].distance;
    if (question == ASK_POINTS) *value += r->points[i].distance;
    if (question >= ASK_FEW_RAYS && r->hits[i].triangle != PL_NONE) *value += r->hits[i].t;
  }
}

static pl_status ask(const auto_stage *s, const probes *p, int question, bool reference, const pl_result **out)
{
  pl_question how = pl_question_default();
  how.reference = reference;
  const pl_who own = s->scene ? pl_all(s->scene) : pl_one(s->body);
  const pl_who two = s->scene ? pl_all(s->scene) : pl_two(s->body, question == ASK_DISTANCE ? s->far : s->ball);
  if (question == ASK_PAIRS) return pl_touching(two, &how, out);
  if (question == ASK_SELF) return pl_touching(pl_self(s->body), &how, out);
  if (question == ASK_DISTANCE) return pl_nearest(two, &how, out);
  if (question == ASK_POINTS) return pl_closest(own, pl_positions_f64(p->points[0], POINTS), &how, out);
  if (question == ASK_NEAR) {
    how.margin = 0.02 * s->radius;
    return pl_near_triangles(two, &how, out);
  }
  return pl_cast(own, p->rays, question == ASK_FEW_RAYS ? FEW : MOST_RAYS, &how, out);
}

/* -------------------------------------------------------------------------------------- play -- */

/* Of a body against itself the volumes are those of its patches. */
static double counted(const auto_stage *s, const pl_counters *c, int question)
{
  const double tests = (double)c->n_v + weight_p * (double)c->n_p;
  return tests + (question == ASK_SELF ? 3 * (double)c->n_u : auto_stage_update_cost(s, c->n_u));
}

static bool play_frame(bench_report *report, auto_stage *s, const probes *p, int question, int frame, played *out)
{
  const pl_result *rows;
  if (!auto_stage_pose(s, frame)) return bench_fail(report, "a pose could not be made");
  const double start = now_ms();
  bool ok = auto_stage_set(s, frame) && ask(s, p, question, false, &rows) == PL_OK;
  const double ms = now_ms() - start;
  if (!ok) return bench_fail(report, "%s: %s", s->actor->name, pl_context_message(s->context));
  frame_cost *f = &out->frame[frame];
  f->ms = fmin(f->ms, ms);
  f->cost = counted(s, &rows->counters, question);
  add_rows(rows, question, &out->value[frame]);
  return true;
}

static int by_value(const void *a, const void *b)
{
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static bool check(bench_report *report, auto_stage *s, const probes *p, int question, const played *of)
{
  const pl_result *rows;
  double value;
  if (question == ASK_RAYS || !s->small) return true;
  if (ask(s, p, question, true, &rows) != PL_OK) return bench_fail(report, "%s", pl_context_message(s->context));
  add_rows(rows, question, &value);
  if (fabs(value - of->value[FRAMES - 1]) > 1e-6 * fabs(value) && question != ASK_PAIRS && question != ASK_SELF)
    return bench_fail(report, "%s, %s: the reference differs; please report this", s->actor->name, ask_names[question]);
  bench_compared(&report->compared, ask_names[question], BENCH_REFERENCE, FRAMES - 1, rows->count);
  return true;
}

static bool play(const bench_options *options, bench_report *report, const auto_actor *actor, pl_strategy strategy,
                 int question, probes *p, played *out)
{
  const int reps = options->reps ? options->reps : options->quick ? 1 : 3;
  for (int f = 0; f < FRAMES; ++f) out->frame[f] = (frame_cost){.ms = INFINITY};
  for (int rep = 0; rep < reps; ++rep) {
    auto_stage s;
    bool ok = auto_stage_open(actor, strategy, options, &s);
    if (!ok)
      bench_fail(report, "%s: no stage: %s", actor->name, s.context ? pl_context_message(s.context) : "no memory");
    if (ok) aim(&s, p);
    for (int f = 0; ok && f < FRAMES; ++f) ok = play_frame(report, &s, p, question, f, out);
    if (ok && rep == 0 && strategy == PL_STRATEGY_AUTO) ok = check(report, &s, p, question, out);
    auto_stage_close(&s);
    if (!ok) return false;
  }
  out->cost = out->ms = 0;
  for (int f = LEARNED; f < FRAMES; ++f) {
    out->cost += out->frame[f].cost / (FRAMES - LEARNED);
    out->ms += out->frame[f].ms / (FRAMES - LEARNED);
  }
  return true;
}

/* A frame over the median of itself and its neighbours, in counters. */
static double stands_out(const played *p, int f)
{
  double near[5];
  for (int k = 0; k < 5; ++k) near[k] = p->frame[f + k - 2].cost;
  qsort(near, 5, sizeof *near, by_value);
  return near[2] > 0 ? p->frame[f].cost / near[2] : 1;
}

/* The frame that stands out most, beside the same frame of a fixed strategy: poses differ. */
static double worst_frame(const played *p, const played *fixed)
{
  double worst = 0;
  for (int f = 2; f + 2 < FRAMES; ++f) worst = fmax(worst, stands_out(p, f) / fmax(1, stands_out(fixed, f)));
  return worst;
}

/* -------------------------------------------------------------------------------------- rows -- */

static const bench_column columns[] = {
    {"scene", "", 0},          {"question", "question", 0},   {"auto", "auto", 0},
    {"best", "best fixed", 0}, {"strategy", "which", 0},      {"ratio", "ratio", 2},
    {"ms_auto", "ms", 3},      {"ms_best", "best", 3},        {"ms_strategy", "which", 0},
    {"ms_ratio", "ratio", 2},  {"ms_hybrid", "hybrid ms", 3}, {"frame", "worst frame", 2}};
static const bench_column step_columns[] = {
    {"scene", NULL, 0}, {"question", NULL, 0}, {"strategy", NULL, 0}, {"counters", NULL, 0}, {"ms", NULL, 4}};

typedef struct headline {
  double worst, worst_ms, worst_frame, sum;
  int rows;
} headline;

static void append_row(bench_report *report, const auto_actor *actor, int question, const pl_strategy *strategies,
                       const played *of, int count, headline *h)
{
  int best = 1, best_ms = 1, hybrid = 0;
  for (int i = 0; i < count; ++i) {
    bench_text(&report->steps, actor->name);
    bench_text(&report->steps, ask_names[question]);
    bench_text(&report->steps, pl_word(PL_WORDS_STRATEGY, strategies[i]));
    bench_number(&report->steps, of[i].cost);
    bench_number(&report->steps, of[i].ms);
    if (i && of[i].cost < of[best].cost) best = i;
    if (i && of[i].ms < of[best_ms].ms) best_ms = i;
    if (strategies[i] == PL_STRATEGY_HYBRID) hybrid = i;
  }
  const double ratio = of[0].cost / of[best].cost, ms_ratio = of[0].ms / of[best_ms].ms,
               frame = worst_frame(&of[0], &of[best]);
  bench_table *t = &report->summary;
  bench_text(t, actor->name);
  bench_text(t, ask_names[question]);
  bench_number(t, of[0].cost);
  bench_number(t, of[best].cost);
  bench_text(t, pl_word(PL_WORDS_STRATEGY, strategies[best]));
  bench_number(t, ratio);
  bench_number(t, of[0].ms);
  bench_number(t, of[best_ms].ms);
  bench_text(t, pl_word(PL_WORDS_STRATEGY, strategies[best_ms]));
  bench_number(t, ms_ratio);
  bench_number(t, of[hybrid].ms);
  bench_number(t, frame);
  h->worst = fmax(h->worst, ratio);
  h->worst_ms = fmax(h->worst_ms, ms_ratio);
  h->worst_frame = fmax(h->worst_frame, frame);
  h->sum += log(ms_ratio);
  ++h->rows;
}

static bool run_question(const bench_options *options, bench_report *report, const auto_actor *actor, int question,
                         probes *p, headline *h)
{
  played of[MOST_STRATEGIES] = {0};
  int count = 0;
  while (count < MOST_STRATEGIES && actor->strategies[count] != PL_STRATEGY_COUNT) {
    bench_progress(report, "auto: %s, %s, %s", actor->name, ask_names[question],
                   pl_word(PL_WORDS_STRATEGY, actor->strategies[count]));
    if (!play(options, report, actor, actor->strategies[count], question, p, &of[count])) return false;
    for (int f = 0; count && f < FRAMES; ++f)
      if (of[count].value[f] != of[0].value[f])
        return bench_fail(report, "%s, %s, frame %d: %s differs from auto; please report this", actor->name,
                          ask_names[question], f, pl_word(PL_WORDS_STRATEGY, actor->strategies[count]));
    if (count) bench_compared(&report->compared, ask_names[question], "another strategy", FRAMES, FRAMES);
    ++count;
  }
  append_row(report, actor, question, actor->strategies, of, count, h);
  return true;
}

bool auto_run(const bench_options *options, bench_report *report)
{
  headline h = {0};
  bool ok = true;
  probes *p = malloc(sizeof *p);
  bench_table_init(&report->summary, columns, sizeof columns / sizeof *columns);
  bench_table_init(&report->steps, step_columns, sizeof step_columns / sizeof *step_columns);
  if (!p) return bench_fail(report, "out of memory");
  for (const auto_actor *a = auto_actors; ok && a->name; ++a) {
    if (!auto_actor_is_there(a)) continue;
    bench_compared_scene(&report->compared, 0, "%s", a->name);
    for (int q = 0; ok && q < ASK_COUNT; ++q)
      if (a->asks & 1u << q) ok = run_question(options, report, a, q, p, &h);
  }
  free(p);
  bench_headline_add(report, "worst", h.worst_ms, NAN);
  bench_headline_add(report, "worst_counters", h.worst, NAN);
  bench_headline_add(report, "mean", exp(h.sum / (h.rows ? h.rows : 1)), NAN);
  bench_headline_add(report, "worst_frame", h.worst_frame, NAN);
  bench_note(
      report,
      "auto over the best fixed strategy, the mean of frames %d to %d. Counters: tests of volumes, %g for one of "
      "triangles, 3 for a volume that is refitted in a pass, 9 on demand, 9 + 4 w from governors where a vertex "
      "has w weights, 1 + 0.65 w for an evaluated vertex, 0.15 for one that is read in the upper levels. Processor "
      "time with the setting of the pose.",
      LEARNED, FRAMES - 1, weight_p);
  bench_note(report, "worst is that of times; counters do not show the vertices that walks evaluate on demand. worst "
                     "frame: in counters, over the median of five frames, beside the same of the best fixed strategy.");
  return ok;
}
