/* Two of the caller's threads in one scene: the 27 deforming bodies of larsson-a3, whose volumes
 * are refitted as queries need them. In every step each question is asked once by one caller
 * after the other, and once by two callers at the same time; all answers must agree. The context
 * has one worker, so that the threads are the callers' own. */
#include "bench/experiment.h"
#include "pliant/pliant.h"
#include "scenes/ask.h"
#include "scenes/scenes.h"

#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { CALLERS = 2, MOST_BODIES = SCENE_S2_BODIES, QUESTIONS = 12, SIDE = 48, RAYS = SIDE * SIDE };

/* What a caller does: every second question is a cast, the others are all contacts. */
typedef struct caller {
  struct stage *stage;
  int first, step; /* questions first, first + step, ... */
  bool failed;
} caller;

typedef struct stage {
  pl_context *context;
  pl_scene *scene;
  pl_body *bodies[MOST_BODIES];
  uint64_t answers[QUESTIONS];
} stage;

static double now_ms(void)
{
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec * 1e3 + (double)t.tv_nsec * 1e-6;
}

static uint64_t mix(uint64_t hash, uint64_t value) { return (hash ^ value) * 0x100000001b3u; }

/* Lets all contacts pass. What a scene keeps of its last step would answer every question but
 * the first, and of two callers that begin at the same time neither would profit: with a filter
 * each question is a search of its own. */
static bool want_all(void *user, pl_body *a, pl_body *b, pl_pair pair)
{
  (void)user, (void)a, (void)b, (void)pair;
  return true;
}

static bool ask_contacts(stage *s, uint64_t *out)
{
  const pl_result *found;
  pl_question def = pl_question_default();
  def.sorted = true;
  def.filter = want_all;
  if (pl_touching(pl_all(s->scene), &def, &found) != PL_OK) return false;
  *out = found->count;
  for (size_t i = 0; i < found->count; ++i) *out = mix(*out, (uint64_t)found->pairs[i].a << 32 | found->pairs[i].b);
  return true;
}

/* Parallel rays from above: the bodies are within a few units of the origin. */
static bool ask_rays(stage *s, int question, uint64_t *out)
{
  pl_ray *rays = malloc(RAYS * sizeof *rays);
  const pl_result *hits = NULL;
  for (int i = 0; rays && i < RAYS; ++i) {
    const double from[3] = {8.0 * (i % SIDE) / SIDE - 4 + 0.003 * question, 8.0 * (double)(i / SIDE) / SIDE - 4, 50};
    const double along[3] = {0.001 * question, 0, -1};
    rays[i] = pl_ray_from(from, along);
  }
  bool good = rays && pl_cast(pl_all(s->scene), rays, RAYS, NULL, &hits) == PL_OK;
  *out = 0;
  for (size_t i = 0; good && i < hits->count; ++i)
    *out = mix(*out, (uint64_t)hits->hits[i].member << 32 | hits->hits[i].triangle);
  free(rays);
  return good;
}

static void *ask(void *argument)
{
  caller *c = argument;
  for (int q = c->first; q < QUESTIONS && !c->failed; q += c->step) {
    bool cast = q / CALLERS % 2;
    c->failed = !(cast ? ask_rays(c->stage, q, &c->stage->answers[q]) : ask_contacts(c->stage, &c->stage->answers[q]));
  }
  return NULL;
}

/* All questions by so many callers; the time, or -1. */
static double ask_all(stage *s, int count)
{
  caller callers[CALLERS];
  pthread_t threads[CALLERS];
  bool started[CALLERS] = {false}, good = true;
  double start = now_ms();
  for (int i = 0; i < count; ++i) {
    callers[i] = (caller){s, i, count, false};
    if (i) started[i] = pthread_create(&threads[i], NULL, ask, &callers[i]) == 0;
    good = good && (!i || started[i]);
  }
  ask(&callers[0]);
  for (int i = 0; i < count; ++i) {
    if (started[i]) pthread_join(threads[i], NULL);
    good = good && !callers[i].failed;
  }
  return good ? now_ms() - start : -1;
}

static bool stage_open(stage *s, const scene_mesh *mesh, int bodies)
{
  pl_context_def def = pl_context_def_default();
  def.threads = 1;
  memset(s, 0, sizeof *s);
  if (pl_context_create(&def, &s->context) != PL_OK || pl_scene_create(s->context, NULL, &s->scene) != PL_OK)
    return false;
  pl_mesh_def shape = pl_mesh_def_default();
  shape.positions = pl_positions_f32(mesh->rest, mesh->vertex_count);
  shape.triangles = mesh->triangles;
  shape.triangle_count = mesh->triangle_count;
  for (int i = 0; i < bodies; ++i)
    if (pl_body_create_free(s->context, &shape, NULL, &s->bodies[i]) != PL_OK ||
        pl_scene_add(s->scene, s->bodies[i], NULL) != PL_OK)
      return false;
  return true;
}

static bool move(stage stages[2], scene_mesh *mesh, int step)
{
  for (int i = 0; i < MOST_BODIES; ++i) {
    scene_s2_pose(mesh, i, step);
    for (int s = 0; s < 2; ++s)
      if (pl_body_set_positions(stages[s].bodies[i], pl_positions_f32(mesh->xyz, mesh->vertex_count)) != PL_OK)
        return false;
  }
  return true;
}

static const bench_column columns[] = {
    {"step", "step", 0}, {"one_ms", "one caller", 3}, {"two_ms", "two callers", 3}, {"faster", "faster", 2}};

/* One step by one caller and by two, `first` first; the least times go to ms. */
static bool measure(bench_report *report, stage stages[2], scene_mesh *mesh, int step, int first, double ms[2])
{
  if (!move(stages, mesh, step)) return bench_fail(report, "the bodies could not be moved");
  for (int k = 0; k < 2; ++k) {
    int i = (first + k) % 2;
    double took = ask_all(&stages[i], i + 1);
    if (took < 0) return bench_fail(report, "step %d: %s", step, pl_context_message(stages[i].context));
    ms[i] = fmin(ms[i], took);
  }
  if (memcmp(stages[0].answers, stages[1].answers, sizeof stages[0].answers) == 0) {
    bench_compared(&report->compared, "answers of two callers, hashed", "one caller's", step, QUESTIONS);
    return true;
  }
  return bench_fail(report, "step %d: two callers get other answers than one; please report this", step);
}

static bool play(const bench_options *options, bench_report *report, stage stages[2], scene_mesh *mesh)
{
  const int stride = options->stride ? options->stride : options->quick ? 100 : 5;
  const int reps = options->reps ? options->reps : options->quick ? 1 : 4;
  double sum[2] = {0, 0};
  for (int step = stride; step <= SCENE_S2_STEPS; step += stride) {
    double ms[2] = {INFINITY, INFINITY};
    bench_progress(report, "%s: step %d of %d", report->experiment, step, SCENE_S2_STEPS);
    for (int rep = 0; rep < reps; ++rep)
      if (!measure(report, stages, mesh, step, rep % 2, ms)) return false;
    const double row[] = {step, ms[0], ms[1], ms[0] / ms[1]};
    for (int i = 0; i < 4; ++i) bench_number(&report->summary, row[i]);
    for (int i = 0; i < 2; ++i) sum[i] += ms[i];
  }
  bench_headline_add(report, "callers", sum[0] / sum[1], NAN);
  return true;
}

/* Small bodies first: the answers of two callers against those of no tree at all. */
static bool check(bench_report *report)
{
  scene_mesh mesh = {0};
  stage stages[2] = {{0}, {0}};
  const pl_result *right;
  double ms[2] = {INFINITY, INFINITY};
  bool good = scene_geosphere(3, &mesh) && stage_open(&stages[0], &mesh, MOST_BODIES) &&
              stage_open(&stages[1], &mesh, MOST_BODIES) && measure(report, stages, &mesh, 150, 0, ms) &&
              refer_touching(pl_all(stages[0].scene), NULL, &right) == PL_OK;
  if (good) {
    uint64_t hash = right->count, found = 0;
    for (size_t i = 0; i < right->count; ++i) hash = mix(hash, (uint64_t)right->pairs[i].a << 32 | right->pairs[i].b);
    good = ask_contacts(&stages[1], &found) && found == hash;
    if (good)
      bench_compared(&report->compared, "contacts, hashed", BENCH_REFERENCE ", small bodies", 150, right->count);
  }
  if (!good && !report->error[0]) bench_fail(report, "the contacts differ from the reference's; please report this");
  for (int i = 0; i < 2; ++i) pl_context_destroy(stages[i].context);
  scene_mesh_free(&mesh);
  return good;
}

bool callers_run(const bench_options *options, bench_report *report)
{
  scene_mesh mesh = {0};
  stage stages[2] = {{0}, {0}};
  bench_table_init(&report->summary, columns, sizeof columns / sizeof *columns);
  bool good = check(report);
  if (!good) return false;
  good = scene_geosphere(options->quick ? 4 : 16, &mesh) && stage_open(&stages[0], &mesh, MOST_BODIES) &&
         stage_open(&stages[1], &mesh, MOST_BODIES);
  if (!good) bench_fail(report, "no memory for %d bodies", 2 * MOST_BODIES);
  good = good && play(options, report, stages, &mesh);
  if (good)
    snprintf(report->setting, sizeof report->setting,
             "%d bodies of %zu triangles; each step %d questions: all contacts, or %d rays", MOST_BODIES,
             mesh.triangle_count, QUESTIONS, RAYS);
  bench_note(report, "Milliseconds for all questions of a step, by one caller after the other or two at once.");
  for (int i = 0; i < 2; ++i) pl_context_destroy(stages[i].context);
  scene_mesh_free(&mesh);
  return good;
}
