/* Regions beside the pairs that they are made of: a skinned animal that runs, against itself,
 * and two bodies pressed into each other. Every step is posed and asked four times: for pairs,
 * for contours, with what they cut off, and with depths; each time the bodies move first. Times
 * are those of the calling thread's processor, on one thread, so that other programs disturb the
 * ratios less; frames per second are wall time on all cores, of the second round of the animation:
 * in the first one trees are built and memory grows. */
#include "bench/experiment.h"
#include "pliant/pliant.h"
#include "scenes/governed.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { PAIRS, CONTOURS, PATCHES, DEPTHS, QUESTIONS };
enum { SMALL = 2400 }; /* triangles, for the reference */

typedef struct cast {
  const char *name;
  pl_context *context;
  pl_body *body[2]; /* the same: one body */
  scene_animal animal;
  scene_mesh mesh[2];
  bool pressed;
} cast;

static double clock_ms(clockid_t id)
{
  struct timespec t;
  clock_gettime(id, &t);
  return (double)t.tv_sec * 1e3 + (double)t.tv_nsec * 1e-6;
}

static bool open_animal(cast *c, int triangles)
{
  if (!scene_animal_make(triangles, &c->animal)) return false;
  pl_mesh_def mesh = pl_mesh_def_default();
  pl_skin_def skin = pl_skin_def_default();
  mesh.positions = pl_positions_f32(c->animal.mesh.rest, c->animal.mesh.vertex_count);
  mesh.triangles = c->animal.mesh.triangles;
  mesh.triangle_count = c->animal.mesh.triangle_count;
  skin.bone_count = SCENE_ANIMAL_BONES;
  skin.weights.vertex_count = c->animal.mesh.vertex_count;
  skin.weights.per_vertex = c->animal.per_vertex;
  skin.weights.governors = c->animal.bones;
  skin.weights.values = c->animal.weights;
  skin.weights.type = PL_F32;
  skin.weights.normalise = true;
  bool good = pl_body_create_skin(c->context, &mesh, &skin, NULL, &c->body[0]) == PL_OK;
  c->body[1] = c->body[0];
  return good;
}

static bool open_pressed(cast *c, int triangles)
{
  for (int i = 0; i < 2; ++i) {
    if (!scene_geosphere(scene_geosphere_frequency(triangles / 2), &c->mesh[i])) return false;
    pl_mesh_def mesh = pl_mesh_def_default();
    mesh.positions = pl_positions_f32(c->mesh[i].rest, c->mesh[i].vertex_count);
    mesh.triangles = c->mesh[i].triangles;
    mesh.triangle_count = c->mesh[i].triangle_count;
    if (pl_body_create_free(c->context, &mesh, NULL, &c->body[i]) != PL_OK) return false;
  }
  return true;
}

static bool open_cast(cast *c, bool pressed, int triangles, int threads)
{
  pl_context_def def = pl_context_def_default();
  *c = (cast){.name = pressed ? "two bodies, pressed" : "animal, running", .pressed = pressed};
  def.threads = threads;
  return pl_context_create(&def, &c->context) == PL_OK &&
         (pressed ? open_pressed(c, triangles) : open_animal(c, triangles));
}

static void close_cast(cast *c)
{
  pl_context_destroy(c->context);
  scene_animal_free(&c->animal);
  for (int i = 0; i < 2; ++i) scene_mesh_free(&c->mesh[i]);
}

static bool pose(cast *c, int step)
{
  if (c->pressed) {
    bool good = true;
    scene_s1p_pose(&c->mesh[0], &c->mesh[1], 2 * step);
    for (int i = 0; i < 2; ++i)
      good =
          good && pl_body_set_positions(c->body[i], pl_positions_f32(c->mesh[i].xyz, c->mesh[i].vertex_count)) == PL_OK;
    return good;
  }
  double matrix[SCENE_ANIMAL_BONES][9], shift[SCENE_ANIMAL_BONES][3];
  pl_transform bones[SCENE_ANIMAL_BONES];
  scene_animal_run(step, matrix, shift);
  for (int k = 0; k < SCENE_ANIMAL_BONES; ++k) {
    memcpy(bones[k].m, matrix[k], sizeof bones[k].m);
    memcpy(bones[k].t, shift[k], sizeof bones[k].t);
  }
  return pl_body_set_bones(c->body[0], bones, SCENE_ANIMAL_BONES) == PL_OK;
}

/* Asks one question; *count: pairs or regions. */
static bool ask(const cast *c, int question, size_t *count)
{
  if (question == PAIRS) {
    const pl_result *found;
    const pl_who who = c->pressed ? pl_two(c->body[0], c->body[1]) : pl_self(c->body[0]);
    bool good = pl_touching(who, NULL, &found) == PL_OK;
    *count = good ? found->count : 0;
    return good;
  }
  const pl_result *found;
  pl_question def = pl_question_default();
  def.patches = question >= PATCHES;
  def.depth = question >= DEPTHS;
  bool good = pl_regions(pl_two(c->body[0], c->body[1]), &def, &found) == PL_OK;
  *count = good ? found->count : 0;
  return good;
}

static bool same_rows(const pl_result *a, const pl_result *b)
{
  return a->count == b->count && a->parts->pair_count == b->parts->pair_count &&
         (!a->count || memcmp(a->regions, b->regions, a->count * sizeof *a->regions) == 0) &&
         (!a->parts->pair_count ||
          memcmp(a->parts->pairs, b->parts->pairs, a->parts->pair_count * sizeof *a->parts->pairs) == 0);
}

/* Small bodies against the reference. */
static bool check(bench_report *report, bool pressed)
{
  cast c;
  bool good = open_cast(&c, pressed, SMALL, 2);
  bench_compared_scene(&report->compared, 100, "%s, small", c.name);
  for (int step = 35; good && step < 100; step += 30) {
    pl_holder *holder = NULL;
    pl_question def = pl_question_default();
    const pl_result *found, *right;
    good = pose(&c, step) && pl_holder_create(c.context, &holder) == PL_OK;
    def.holder = holder;
    good = good && pl_regions(pl_two(c.body[0], c.body[1]), &def, &found) == PL_OK;
    def.holder = NULL;
    def.reference = true;
    good = good && pl_regions(pl_two(c.body[0], c.body[1]), &def, &right) == PL_OK;
    if (good && !same_rows(found, right)) {
      bench_fail(report, "%s, step %d: %zu regions, but the reference finds %zu", c.name, step, found->count,
                 right->count);
      close_cast(&c);
      return false;
    }
    if (good) bench_compared(&report->compared, "regions, every bit", BENCH_REFERENCE, step, right->count);
    pl_holder_destroy(holder);
  }
  if (!good) bench_fail(report, "%s: %s", c.name, c.context ? pl_context_message(c.context) : "no memory");
  close_cast(&c);
  return good;
}

static const bench_column columns[] = {{"scene", "", 0},
                                       {"triangles", "triangles", 0},
                                       {"pairs", "pairs", 0},
                                       {"regions", "regions", 1},
                                       {"pairs_ms", "pairs ms", 3},
                                       {"contours_ms", "contours", 3},
                                       {"patches_ms", "patches", 3},
                                       {"depths_ms", "depths", 3},
                                       {"contours_over_pairs", "over pairs", 2},
                                       {"depths_over_pairs", "all over pairs", 2}};

/* Mean processor time of the questions on one thread; ratio: of contours to pairs, and of all
 * to pairs. */
static bool measure(const bench_options *options, bench_report *report, bool pressed, int triangles, int stride,
                    double ratio[2])
{
  cast c;
  double ms[QUESTIONS] = {0}, counts[QUESTIONS] = {0};
  size_t frames = 0, count = 0;
  bool good = open_cast(&c, pressed, triangles, 1);
  const int reps = options->reps ? options->reps : 3;
  for (int step = 0; good && step < 100; step += stride, ++frames)
    for (int q = 0; good && q < QUESTIONS; ++q) {
      double least = INFINITY;
      for (int rep = 0; good && rep < reps; ++rep) {
        good = pose(&c, step);
        double begin = clock_ms(CLOCK_THREAD_CPUTIME_ID);
        good = good && ask(&c, q, &count);
        least = fmin(least, clock_ms(CLOCK_THREAD_CPUTIME_ID) - begin);
      }
      ms[q] += least;
      counts[q] += (double)count;
    }
  if (!good) bench_fail(report, "%s: %s", c.name, c.context ? pl_context_message(c.context) : "no memory");
  bench_table *t = &report->summary;
  bench_text(t, c.name);
  bench_number(t, triangles);
  bench_number(t, counts[PAIRS] / (double)frames);
  bench_number(t, counts[DEPTHS] / (double)frames);
  for (int q = 0; q < QUESTIONS; ++q) bench_number(t, ms[q] / (double)frames);
  ratio[0] = ms[CONTOURS] / ms[PAIRS];
  ratio[1] = ms[DEPTHS] / ms[PAIRS];
  for (int i = 0; i < 2; ++i) bench_number(t, ratio[i]);
  close_cast(&c);
  return good && ratio[0] > 0 && ratio[1] > 0;
}

/* Frames per second with depths, wall time, all cores; or -1. */
static double frames_per_second(bench_report *report, int triangles, int stride)
{
  cast c;
  size_t frames = 0, count = 0;
  double ms = 0;
  bool good = open_cast(&c, false, triangles, 0);
  for (int round = 0; good && round < 2; ++round) {
    double begin = clock_ms(CLOCK_MONOTONIC);
    frames = 0;
    for (int step = 0; good && step < 100; step += stride, ++frames) good = pose(&c, step) && ask(&c, DEPTHS, &count);
    ms = clock_ms(CLOCK_MONOTONIC) - begin;
  }
  if (!good) bench_fail(report, "%s: %s", c.name, c.context ? pl_context_message(c.context) : "no memory");
  close_cast(&c);
  return good ? 1e3 * (double)frames / ms : -1;
}

bool regions_run(const bench_options *options, bench_report *report)
{
  const int triangles = options->triangles ? options->triangles : options->quick ? 5000 : 50000;
  const int stride = options->stride ? options->stride : options->quick ? 33 : options->full ? 1 : 4;
  bench_table_init(&report->summary, columns, sizeof columns / sizeof *columns);
  snprintf(report->setting, sizeof report->setting,
           "%d triangles, every %d. of 100 steps, processor time of one thread, least of %d repeats", triangles, stride,
           options->reps ? options->reps : 3);
  for (int pressed = 0; pressed < 2; ++pressed)
    if (!check(report, pressed)) return false;
  double animal[2], two[2];
  if (!measure(options, report, false, triangles, stride, animal)) return false;
  if (!measure(options, report, true, triangles, stride, two)) return false;
  double fps = frames_per_second(report, triangles, stride);
  if (!(fps > 0)) return false;
  bench_headline_add(report, "over_pairs", animal[1], NAN);
  bench_headline_add(report, "over_pairs_contours", animal[0], NAN);
  bench_headline_add(report, "over_pairs_two", two[1], NAN);
  bench_headline_add(report, "fps_50000", fps, NAN);
  bench_note(report, "over_pairs: the time of regions with all they have by that of all pairs, within the animal "
                     "(goal: at most 1.5); smaller is better.");
  return true;
}
