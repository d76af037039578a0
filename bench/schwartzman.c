/* Schwartzman, Gascon and Otaduy 2009: governed bodies against themselves. A cloth of 231
 * control points, subdivided (figure 2); a skinned animal of 245 000 triangles and 40 bones that
 * walks and runs (figure 3); a body of 26 402 vertices that follows 24 particles (figure 4).
 *   hsc    hierarchical self-collision (Volino and Magnenat-Thalmann 1994): all vertices are
 *          evaluated, boxes and cones bottom-up
 *   bn     bounded normals: boxes and cones from the governors, on demand
 *   ...-published  both without looking at borders, as in the paper: pairs may be missed, which
 *   are counted
 *   boxes  the volumes of bn's body alone
 *   hash   spatial hashing (Teschner and others 2003), the paper's second baseline: all vertices
 *          are evaluated
 * hsc and bn look at borders, other than in the paper: nothing is missed. All but the published
 * ones must report equally many pairs in every step, and the right ones in some. */
#include "bench/play.h"
#include "bench/plot.h"
#include "bench/sample.h"
#include "bench/schwartzman_bounds.h"
#include "scenes/ask.h"
#include "scenes/governed.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { HSC, BN, HSC_PUBLISHED, BN_PUBLISHED, BOXES, HASH, METHODS };
static const struct {
  const char *key, *title;
  pl_strategy strategy;
  pl_self_method method;
} methods[METHODS] = {
    {"hsc", "bottom-up cones (hsc)", PL_STRATEGY_BOTTOM_UP, PL_SELF_METHOD_CONES},
    {"bn", "bounded normals (bn)", PL_STRATEGY_GOVERNED, PL_SELF_METHOD_CONES},
    {"hsc-published", "hsc without contours", PL_STRATEGY_BOTTOM_UP, PL_SELF_METHOD_CONES_MAY_MISS},
    {"bn-published", "bn without contours", PL_STRATEGY_GOVERNED, PL_SELF_METHOD_CONES_MAY_MISS},
    {"boxes", "governed boxes", PL_STRATEGY_GOVERNED, PL_SELF_METHOD_BOXES},
    {"hash", "spatial hashing", PL_STRATEGY_BOTTOM_UP, PL_SELF_METHOD_HASH},
};

/* The test as it is published: normals alone, which may miss pairs. */
static bool may_miss(int m) { return methods[m].method == PL_SELF_METHOD_CONES_MAY_MISS; }
/* What a method is compared with. */
static int base_of(int m) { return m == BN_PUBLISHED ? HSC_PUBLISHED : HSC; }

/* A governed body of a scene, and how it is posed. */
typedef struct actor {
  scene_mesh mesh; /* controls, or the surface */
  scene_animal animal;
  pl_status (*create)(struct actor *a, pl_context *context, const pl_body_def *def, pl_body **out);
  pl_status (*pose)(struct actor *a, pl_body *body, int step);
  void (*controls)(scene_mesh *mesh, int step); /* of the cloth */
  int levels;                                   /* of subdivision */
  bool runs;
} actor;

/* One case of an experiment. */
typedef struct act {
  const char *key;      /* in tables */
  const char *headline; /* NULL: none */
  double paper;
  const char *published; /* headline of the published test; NULL: none */
} act;

/* ------------------------------------------------------------------------------------ actors -- */

static pl_mesh_def mesh_of(const scene_mesh *m)
{
  pl_mesh_def def = pl_mesh_def_default();
  def.positions = pl_positions_f32(m->rest, m->vertex_count);
  def.triangles = m->triangles;
  def.triangle_count = m->triangle_count;
  return def;
}

static pl_status create_cloth(actor *a, pl_context *context, const pl_body_def *def, pl_body **out)
{
  pl_mesh_def mesh = mesh_of(&a->mesh);
  pl_subdivide_def subdivide = pl_subdivide_def_default();
  subdivide.levels = a->levels;
  return pl_body_create_subdivide(context, &mesh, &subdivide, def, out);
}

static pl_status pose_cloth(actor *a, pl_body *body, int step)
{
  (void)step; /* the controls were posed before the clock started */
  return pl_body_set_controls(body, pl_positions_f32(a->mesh.xyz, a->mesh.vertex_count));
}

static pl_status create_animal(actor *a, pl_context *context, const pl_body_def *def, pl_body **out)
{
  pl_mesh_def mesh = mesh_of(&a->animal.mesh);
  pl_skin_def skin = pl_skin_def_default();
  skin.bone_count = SCENE_ANIMAL_BONES;
  skin.weights.vertex_count = a->animal.mesh.vertex_count;
  skin.weights.per_vertex = a->animal.per_vertex;
  skin.weights.governors = a->animal.bones;
  skin.weights.values = a->animal.weights;
  skin.weights.type = PL_F32;
  skin.weights.normalise = true;
  return pl_body_create_skin(context, &mesh, &skin, def, out);
}

static pl_status pose_animal(actor *a, pl_body *body, int step)
{
  double matrix[SCENE_ANIMAL_BONES][9], shift[SCENE_ANIMAL_BONES][3];
  pl_transform bones[SCENE_ANIMAL_BONES];
  (a->runs ? scene_animal_run : scene_animal_walk)(step, matrix, shift);
  for (int k = 0; k < SCENE_ANIMAL_BONES; ++k) {
    memcpy(bones[k].m, matrix[k], sizeof bones[k].m);
    memcpy(bones[k].t, shift[k], sizeof bones[k].t);
  }
  return pl_body_set_bones(body, bones, SCENE_ANIMAL_BONES);
}

static pl_status create_bear(actor *a, pl_context *context, const pl_body_def *def, pl_body **out)
{
  float particles[SCENE_BEAR_PARTICLES][3];
  pl_mesh_def mesh = mesh_of(&a->mesh);
  pl_particles_def points = pl_particles_def_default();
  scene_bear_rest(particles);
  points.particles = pl_positions_f32(particles[0], SCENE_BEAR_PARTICLES);
  return pl_body_create_points(context, &mesh, &points, def, out);
}

static pl_status pose_bear(actor *a, pl_body *body, int step)
{
  float particles[SCENE_BEAR_PARTICLES][3];
  (void)a;
  scene_bear_pose(step, particles);
  return pl_body_set_controls(body, pl_positions_f32(particles[0], SCENE_BEAR_PARTICLES));
}

/* ----------------------------------------------------------------------------------- playing -- */

typedef struct stage {
  pl_context *context;
  pl_body *body[METHODS];
  actor *actor;
  bench_frame *frames[METHODS];
  int steps[SCENE_GOVERNED_STEPS], count;
  size_t triangles;
} stage;

static double clock_ms(const stage *s)
{
  struct timespec t;
  clock_gettime(pl_context_threads(s->context) == 1 ? CLOCK_PROCESS_CPUTIME_ID : CLOCK_MONOTONIC, &t);
  return 1e3 * (double)t.tv_sec + 1e-6 * (double)t.tv_nsec;
}

static void stage_close(stage *s)
{
  pl_context_destroy(s->context);
  for (int m = 0; m < METHODS; ++m) free(s->frames[m]);
}

static bool stage_open(stage *s, const bench_options *options, bench_report *report, actor *a, int stride)
{
  memset(s, 0, sizeof *s);
  s->actor = a;
  for (int step = (SCENE_GOVERNED_STEPS - 1) % stride; step < SCENE_GOVERNED_STEPS; step += stride)
    s->steps[s->count++] = step;
  pl_context_def context = pl_context_def_default();
  context.threads = options->threads ? options->threads : 1;
  if (pl_context_create(&context, &s->context) != PL_OK) return bench_fail(report, "no memory for a context");
  for (int m = 0; m < METHODS; ++m) {
    pl_body_def def = pl_body_def_default();
    def.strategy = methods[m].strategy;
    s->frames[m] = calloc((size_t)s->count, sizeof *s->frames[m]);
    if (!s->frames[m]) return bench_fail(report, "no memory for %d steps", s->count);
    if (may_miss(m)) {
      s->body[m] = s->body[m == BN_PUBLISHED ? BN : HSC]; /* large ones take a gigabyte */
      continue;
    }
    if (a->create(a, s->context, &def, &s->body[m]) != PL_OK)
      return bench_fail(report, "%s", pl_context_message(s->context));
  }
  s->triangles = pl_body_triangle_count(s->body[HSC]);
  return true;
}

/* One step of one method; the first repeat sets its counts. */
static bool play_step(stage *s, bench_report *report, int m, int f, bool first)
{
  bench_frame *x = &s->frames[m][f];
  pl_question def = pl_question_default();
  const pl_result *out = NULL;
  def.self_method = methods[m].method;
  if (s->actor->controls) s->actor->controls(&s->actor->mesh, s->steps[f]);
  double start = clock_ms(s);
  pl_status status = s->actor->pose(s->actor, s->body[m], s->steps[f]);
  double set = clock_ms(s);
  if (status == PL_OK) status = pl_touching(pl_self(s->body[m]), &def, &out);
  double end = clock_ms(s);
  if (status != PL_OK) return bench_fail(report, "step %d: %s", s->steps[f], pl_context_message(s->context));
  if (first || end - start < x->ms_update + x->ms_query) {
    x->ms_update = set - start;
    x->ms_query = end - set;
  }
  x->n_v = out->counters.n_v;
  x->n_p = out->counters.n_p;
  x->n_u = out->counters.n_u;
  x->pairs = out->count;
  return true;
}

/* Brute force takes 10 s for so many triangles; larger bodies are compared with it by samples. */
enum { MOST_BY_REFERENCE = 135000, FEW = 30000 };

static bool failed(const stage *s, bench_report *report)
{
  return bench_fail(report, "%s", pl_context_message(s->context));
}

static bool pose_all(const stage *s, bench_report *report, int f)
{
  if (s->actor->controls) s->actor->controls(&s->actor->mesh, s->steps[f]);
  for (int m = 0; m < METHODS; ++m)
    if (s->actor->pose(s->actor, s->body[m], s->steps[f]) != PL_OK) return failed(s, report);
  return true;
}

static pl_pair *copy_of(const pl_result *found)
{
  pl_pair *pairs = malloc((found->count + 1) * sizeof *pairs);
  if (pairs && found->count) memcpy(pairs, found->pairs, found->count * sizeof *pairs);
  return pairs;
}

/* All pairs of a step, from the reference or from boxes that are refitted bottom-up. */
static pl_pair *right_pairs(const stage *s, bench_report *report, bool reference, size_t *count)
{
  const pl_result *right;
  pl_question def = pl_question_default();
  def.sorted = true;
  def.self_method = PL_SELF_METHOD_BOXES;
  pl_status status = reference ? refer_touching(pl_self(s->body[HSC]), &def, &right)
                               : pl_touching(pl_self(s->body[HSC]), &def, &right);
  if (status != PL_OK) {
    failed(s, report);
    return NULL;
  }
  *count = right->count;
  pl_pair *pairs = copy_of(right);
  if (!pairs) bench_fail(report, "no memory for %zu pairs", *count);
  return pairs;
}

static bool check_sample(const stage *s, bench_report *report, int f, const pl_pair *pairs, size_t count)
{
  bool same;
  size_t compared = 0;
  if (bench_sample_self(s->context, s->body[HSC], pairs, count, &compared, &same) != PL_OK) return failed(s, report);
  if (!same) return bench_fail(report, "step %d: other pairs than the reference's; please report this", s->steps[f]);
  bench_compared(&report->compared, "pairs of 2 000 triangles", BENCH_REFERENCE, s->steps[f], compared);
  return true;
}

/* Both are sorted. Some: pairs may be missed, none may be wrong. */
static bool same_pairs(const pl_result *found, const pl_pair *right, size_t count, bool some)
{
  size_t k = 0;
  for (size_t i = 0; i < found->count; ++i, ++k) {
    while (some && k < count && memcmp(&found->pairs[i], &right[k], sizeof *right) != 0) ++k;
    if (k >= count || memcmp(&found->pairs[i], &right[k], sizeof *right) != 0) return false;
  }
  return some || k == count;
}

/* Every method must report the right pairs of a step, each of them. long_one: by brute force,
 * which takes seconds, or a sample of it. */
static bool check_step(const stage *s, bench_report *report, int f, bool long_one)
{
  const bool reference = s->triangles <= (long_one ? MOST_BY_REFERENCE : FEW);
  const char *with = reference ? BENCH_REFERENCE : "boxes, all refitted";
  const pl_result *found;
  size_t count = 0;
  bench_progress(report, "%s: checking step %d", report->experiment, s->steps[f]);
  if (!pose_all(s, report, f)) return false;
  pl_pair *pairs = right_pairs(s, report, reference, &count);
  bool good = pairs && (reference || !long_one || check_sample(s, report, f, pairs, count));
  for (int m = 0; m < METHODS && good; ++m) {
    pl_question def = pl_question_default();
    def.sorted = true;
    def.self_method = methods[m].method;
    good = pl_touching(pl_self(s->body[m]), &def, &found) == PL_OK && same_pairs(found, pairs, count, may_miss(m));
    if (!good)
      bench_fail(report, "step %d: %s reports other pairs than %s; please report this", s->steps[f], methods[m].key,
                 with);
    else
      bench_compared(&report->compared, may_miss(m) ? "pairs, some may be missed" : "all pairs", with, s->steps[f],
                     found->count);
  }
  free(pairs);
  return good;
}

/* The last step and the first, before anything is timed. */
static bool check(const stage *s, bench_report *report, const char *key)
{
  bench_compared_scene(&report->compared, s->count, "%s", key);
  return check_step(s, report, s->count - 1, true) && check_step(s, report, 0, false);
}

/* The step with the most pairs, which is known when all have been played. */
static bool check_most(const stage *s, bench_report *report)
{
  int most = 0;
  for (int f = 0; f < s->count; ++f)
    if (s->frames[HSC][f].pairs > s->frames[HSC][most].pairs) most = f;
  return most == 0 || most == s->count - 1 || check_step(s, report, most, true);
}

static bool agree(const stage *s, bench_report *report)
{
  for (int f = 0; f < s->count; ++f)
    for (int m = 1; m < METHODS; ++m)
      if (may_miss(m) ? s->frames[m][f].pairs > s->frames[0][f].pairs : s->frames[m][f].pairs != s->frames[0][f].pairs)
        return bench_fail(report, "step %d: %s finds %zu pairs, %s %zu; please report this", s->steps[f],
                          methods[m].key, s->frames[m][f].pairs, methods[0].key, s->frames[0][f].pairs);
      else if (!may_miss(m))
        bench_compared(&report->compared, "number of pairs", "the first method's", s->steps[f], 1);
  return true;
}

static double mean_ms(const stage *s, int m)
{
  double sum = 0;
  for (int f = 0; f < s->count; ++f) sum += s->frames[m][f].ms_update + s->frames[m][f].ms_query;
  return sum / s->count;
}

static const bench_column columns[] = {{"case", "", 0},
                                       {"triangles", "triangles", 0},
                                       {"method", NULL, 0},
                                       {"name", "method", 0},
                                       {"update_ms", "update", 3},
                                       {"query_ms", "query", 3},
                                       {"total_ms", "total ms", 3},
                                       {"n_v", "n_v", 0},
                                       {"n_p", "n_p", 0},
                                       {"n_u", "n_u", 0},
                                       {"pairs", "pairs", 1},
                                       {"missed", "missed", 0},
                                       {"faster", "faster", 2},
                                       {"faster_paper", "paper", 1}};

static void append(const stage *s, bench_report *report, const act *c)
{
  for (int m = 0; m < METHODS; ++m) {
    bench_mean sum = {0};
    double missed = 0; /* in all steps */
    for (int f = 0; f < s->count; ++f) {
      const bench_frame *x = &s->frames[m][f];
      double total = x->ms_update + x->ms_query;
      const double row[] = {s->steps[f],    (double)x->pairs, x->ms_update,   x->ms_query, total,
                            (double)x->n_v, (double)x->n_p,   (double)x->n_u, 0,           total};
      bench_text(&report->steps, c->key);
      bench_text(&report->steps, methods[m].key);
      bench_text(&report->steps, "all");
      for (size_t i = 0; i < sizeof row / sizeof *row; ++i) bench_number(&report->steps, row[i]);
      sum.ms_update += x->ms_update / s->count;
      sum.ms_query += x->ms_query / s->count;
      sum.n_v += (double)x->n_v / s->count;
      sum.n_p += (double)x->n_p / s->count;
      sum.n_u += (double)x->n_u / s->count;
      sum.pairs += (double)x->pairs / s->count;
      missed += (double)s->frames[HSC][f].pairs - (double)x->pairs;
    }
    const double row[] = {sum.ms_update,
                          sum.ms_query,
                          sum.ms_update + sum.ms_query,
                          sum.n_v,
                          sum.n_p,
                          sum.n_u,
                          sum.pairs,
                          missed,
                          mean_ms(s, base_of(m)) / mean_ms(s, m),
                          m == BN || m == BN_PUBLISHED ? c->paper : NAN};
    bench_text(&report->summary, c->key);
    bench_number(&report->summary, (double)s->triangles);
    bench_text(&report->summary, methods[m].key);
    bench_text(&report->summary, methods[m].title);
    for (size_t i = 0; i < sizeof row / sizeof *row; ++i) bench_number(&report->summary, row[i]);
  }
  if (c->headline) bench_headline_add(report, c->headline, mean_ms(s, HSC) / mean_ms(s, BN), c->paper);
  if (c->published)
    bench_headline_add(report, c->published, mean_ms(s, HSC_PUBLISHED) / mean_ms(s, BN_PUBLISHED), c->paper);
}

static bool play(const bench_options *options, bench_report *report, actor *a, const act *c, int stride)
{
  stage s;
  int reps = options->reps ? options->reps : options->quick ? 1 : 3;
  bench_progress(report, "%s: %s", report->experiment, c->key);
  bool good = stage_open(&s, options, report, a, stride) && check(&s, report, c->key);
  for (int rep = 0; good && rep < reps; ++rep)
    for (int m = 0; good && m < (rep ? HASH : METHODS); ++m) /* hash once: it is two orders slower */
      for (int f = 0; good && f < s.count; ++f) good = play_step(&s, report, m, f, rep == 0);
  good = good && agree(&s, report) && check_most(&s, report);
  if (good) {
    append(&s, report, c);
    snprintf(report->setting, sizeof report->setting,
             "%d of %d steps; %d thread%s, %s, %s; smallest of %d repeat%s per step", s.count, SCENE_GOVERNED_STEPS,
             pl_context_threads(s.context), pl_context_threads(s.context) == 1 ? "" : "s", pl_context_simd(s.context),
             pl_context_threads(s.context) == 1 ? "processor time" : "wall time", reps, reps == 1 ? "" : "s");
  }
  stage_close(&s);
  return good;
}

static void begin(bench_report *report)
{
  bench_table_init(&report->summary, columns, sizeof columns / sizeof *columns);
  bench_table_init(&report->steps, bench_step_columns, bench_step_column_count);
  bench_note(report, "Milliseconds per step, the mean over the steps: setting the governors (hsc, hash: and evaluating "
                     "all vertices), then boxes, cones "
                     "and pairs; faster: times faster than hsc. Spatial hashing is played once.");
  bench_note(report, "hsc and bn look at the borders of patches and miss nothing; those of the paper do not: 'without "
                     "contours', faster: "
                     "than hsc without contours; missed: pairs that they do not report, in all steps.");
}

static int stride_of(const bench_options *options, int otherwise)
{
  return options->stride ? options->stride : options->quick ? 33 : options->full ? 1 : otherwise;
}

/* ------------------------------------------------------------------------------- experiments -- */

bool schwartzman_1_run(const bench_options *options, bench_report *report)
{
  static const struct {
    act act;
    int levels, stride;
    void (*controls)(scene_mesh *mesh, int step);
  } acts[] = {{{"fold at level 2", "level2", NAN, "level2_published"}, 2, 1, scene_control_fold},
              {{"fold at level 3", "level3", NAN, "level3_published"}, 3, 1, scene_control_fold},
              {{"fold at level 4", "level4", NAN, "level4_published"}, 4, 3, scene_control_fold},
              {{"wave at level 4", "level4_wave", NAN, NULL}, 4, 3, scene_control_wave},
              {{"wrinkle at level 4", "level4_wrinkle", NAN, NULL}, 4, 3, scene_control_wrinkle},
              {{"fold at level 5", "level5", NAN, "level5_published"}, 5, 9, scene_control_fold},
              {{"fold at level 6", "level6", NAN, "level6_published"}, 6, 11, scene_control_fold}};
  begin(report);
  for (size_t i = 0; i < sizeof acts / sizeof *acts; ++i) {
    actor a = {.create = create_cloth, .pose = pose_cloth, .controls = acts[i].controls};
    a.levels = options->quick ? 1 : acts[i].levels;
    if (!scene_control_cloth(&a.mesh)) return bench_fail(report, "no memory for a cloth");
    bool good = play(options, report, &a, &acts[i].act, stride_of(options, acts[i].stride));
    scene_mesh_free(&a.mesh);
    if (!good) return false;
  }
  bench_note(report, "fold: a wave that folds into itself; wave: without contact; wrinkle: noise of half the spacing "
                     "of the control points.");
  return true;
}

bool schwartzman_2_run(const bench_options *options, bench_report *report)
{
  static const act acts[3] = {{"walking", "walking", 3, "walking_published"},
                              {"running", "running", NAN, "running_published"},
                              {"walking, 9 weights", "walking_nine", 3, "walking_nine_published"}};
  int triangles = options->triangles ? options->triangles : options->quick ? 5120 : 244735;
  begin(report);
  for (int i = 0; i < 3; ++i) {
    actor a = {.create = create_animal, .pose = pose_animal, .runs = i == 1};
    if (!(i == 2 ? scene_animal_make_nine : scene_animal_make)(triangles, &a.animal))
      return bench_fail(report, "no memory for %d triangles", triangles);
    bool good = play(options, report, &a, &acts[i], stride_of(options, 9));
    scene_animal_free(&a.animal);
    if (!good) return false;
  }
  return schwartzman_bounds(options, report);
}

bool schwartzman_3_run(const bench_options *options, bench_report *report)
{
  static const act bear = {"bear", "all", NAN, "all_published"};
  actor a = {.create = create_bear, .pose = pose_bear};
  begin(report);
  if (!scene_bear(options->quick ? 20 : SCENE_BEAR_RINGS, &a.mesh)) return bench_fail(report, "no memory for a body");
  bool good = play(options, report, &a, &bear, stride_of(options, 3));
  scene_mesh_free(&a.mesh);
  return good;
}

static void plot(const bench_report *report, FILE *gp, const char *group)
{
  fprintf(gp,
          "set logscale y\nset format y '%%g'\nset ylabel 'ms per step'\nset xlabel 'step'\nset xrange [0:100]\nset "
          "title '%s'\n",
          group);
  const bench_curve curves[] = {{group, "hsc", "all", methods[HSC].title, "total_ms", 1},
                                {group, "bn", "all", methods[BN].title, "total_ms", 8},
                                {group, "boxes", "all", methods[BOXES].title, "total_ms", 5},
                                {group, "hash", "all", methods[HASH].title, "total_ms", 3}};
  bench_plot_curves(gp, report, curves, (int)(sizeof curves / sizeof *curves));
}

void schwartzman_1_plot(const bench_report *report, FILE *gp)
{
  fputs("set multiplot layout 2,1\n", gp);
  plot(report, gp, "fold at level 4");
  plot(report, gp, "wrinkle at level 4");
  fputs("unset multiplot\n", gp);
}

void schwartzman_2_plot(const bench_report *report, FILE *gp)
{
  fputs("set multiplot layout 2,1\n", gp);
  plot(report, gp, "walking");
  plot(report, gp, "running");
  fputs("unset multiplot\n", gp);
}

void schwartzman_3_plot(const bench_report *report, FILE *gp) { plot(report, gp, "bear"); }
