/* `pliant demo`: two bumpy spheres sink into each other, after experiment 1 of T. Larsson,
 * Adaptive Algorithms for Collision Detection and Ray Tracing of Deformable Meshes, 2003, paper
 * A. The same question is answered in three ways: with updates on demand, with every volume of
 * the same tree refitted at every step, and so with a classic tree. A few steps are checked
 * against the reference before any is timed. */
#include "common/command.h"
#include "common/folders.h"
#include "common/options.h"
#include "common/output.h"
#include "common/progress.h"
#include "common/two_bodies.h"
#include "demo/demo.h"
#include "io/io.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { CHECKS = 3, TABLE_ROWS = 10, LEAST_REPEATS = 3, MOST_REPEATS = 9, ENOUGH_MS = 10 };

typedef struct demo_options {
  bool json, no_pictures;
  int steps, triangles, threads;
  const char *out;
} demo_options;

/* The scene, and one pair of bodies for each way. */
typedef struct stage {
  scene_mesh mesh[2];
  /* what the bodies read in place: written anew before each measurement, as a simulator would */
  float *seen[2];
  two_bodies way[DEMO_WAYS];
  uint8_t *touching[2]; /* per triangle */
} stage;

static const option table[] = {
    {.name = "steps",
     .kind = OPTION_WHOLE,
     .offset = offsetof(demo_options, steps),
     .value = "N",
     .low = 2,
     .high = SCENE_S1_STEPS,
     .help = "play N steps, evenly taken from the scene's 200"},
    {.name = "triangles",
     .kind = OPTION_WHOLE,
     .offset = offsetof(demo_options, triangles),
     .value = "N",
     .low = 20,
     .high = 5000000,
     .help = "about N triangles per body (20 480 if not given)"},
    {.name = "threads",
     .letter = 't',
     .kind = OPTION_WHOLE,
     .offset = offsetof(demo_options, threads),
     .value = "N",
     .low = 0,
     .high = 256,
     .help = "threads to use; 0, or not given: all cores"},
    {.name = "out",
     .letter = 'o',
     .kind = OPTION_TEXT,
     .offset = offsetof(demo_options, out),
     .value = "DIR",
     .help = "where the pictures and the page go; created if missing; out/demo if not given"},
    {.name = "no-pictures",
     .kind = OPTION_FLAG,
     .offset = offsetof(demo_options, no_pictures),
     .help = "only the table and the page's curves"},
    {.name = "json",
     .letter = 'j',
     .kind = OPTION_FLAG,
     .offset = offsetof(demo_options, json),
     .help = "one JSON object with every step and the totals instead of the table"},
};

static const command_text text = {
    .name = "demo",
    .usage = "pliant demo [OPTIONS]",
    .about = "Two bumpy spheres deform and sink into each other. At every step pliant finds all touching triangles "
             "in three ways: as usual, refitting only what the question needs; by refitting everything first; and by "
             "refitting everything with a classic binary tree. A few steps are checked against the reference, "
             "which tests every triangle with every "
             "other. Writes pictures and a page of curves that opens in any browser.",
    .examples = "  pliant demo\n"
                "  pliant demo --triangles 200000 --threads 1\n"
                "  pliant demo --steps 20 --no-pictures --json\n"
                "  pliant demo --out /tmp/demo && xdg-open /tmp/demo/index.html\n",
};

/* ------------------------------------------------------------------------------------- stage -- */

static void stage_free(stage *s)
{
  for (int i = 0; i < DEMO_WAYS; ++i) two_bodies_destroy(&s->way[i]);
  for (int i = 0; i < 2; ++i) {
    scene_mesh_free(&s->mesh[i]);
    free(s->seen[i]);
    free(s->touching[i]);
  }
}

static void rewrite(stage *s)
{
  for (int i = 0; i < 2; ++i) memcpy(s->seen[i], s->mesh[i].xyz, 3 * s->mesh[i].vertex_count * sizeof(float));
}

static bool stage_make_bodies(stage *s, int threads)
{
  static const struct {
    pl_strategy strategy;
    int arity, leaf_size;
  } ways[DEMO_WAYS] = {{PL_STRATEGY_HYBRID, 8, 8}, {PL_STRATEGY_BOTTOM_UP, 8, 8}, {PL_STRATEGY_BOTTOM_UP, 2, 1}};
  pl_mesh_def meshes[2];
  for (int i = 0; i < 2; ++i) {
    meshes[i] = pl_mesh_def_default();
    meshes[i].positions = pl_positions_f32(s->seen[i], s->mesh[i].vertex_count);
    meshes[i].triangles = s->mesh[i].triangles;
    meshes[i].triangle_count = s->mesh[i].triangle_count;
  }
  pl_body_def def = pl_body_def_default();
  def.borrow = true;
  for (int w = 0; w < DEMO_WAYS; ++w) {
    def.strategy = ways[w].strategy;
    def.arity = ways[w].arity;
    def.leaf_size = ways[w].leaf_size;
    if (two_bodies_create(&s->way[w], threads, meshes, &def)) continue;
    output_complain("demo: %s", s->way[w].message);
    return false;
  }
  return true;
}

static bool stage_create(stage *s, int triangles, int threads)
{
  *s = (stage){0};
  int f = scene_geosphere_frequency(triangles);
  for (int i = 0; i < 2; ++i) {
    if (scene_geosphere(f, &s->mesh[i])) {
      s->seen[i] = malloc((3 * s->mesh[i].vertex_count + 1) * sizeof(float));
      s->touching[i] = calloc(s->mesh[i].triangle_count, 1);
    }
    if (s->seen[i] && s->touching[i]) continue;
    output_complain("demo: out of memory; ask for fewer --triangles");
    return false;
  }
  scene_s1_pose(&s->mesh[0], &s->mesh[1], 0);
  rewrite(s);
  return stage_make_bodies(s, threads);
}

/* New positions in, pairs out. */
static bool ask(stage *s, int way, bool sorted, two_bodies_answer *answer)
{
  two_bodies *d = &s->way[way];
  pl_question def = pl_question_default();
  def.sorted = sorted;
  for (int i = 0; i < 2; ++i)
    if (pl_body_set_positions(d->body[i], pl_positions_f32(s->seen[i], s->mesh[i].vertex_count)) != PL_OK) {
      output_complain("demo: %s", pl_context_message(d->context));
      return false;
    }
  if (two_bodies_collide(d, &def, true, answer)) return true;
  output_complain("demo: %s", d->message);
  return false;
}

/* --------------------------------------------------------------------------------- measuring -- */

/* The scene's step for the i-th of n. */
static int scene_step(size_t i, size_t n) { return (int)((i * (SCENE_S1_STEPS - 1) + (n - 1) / 2) / (n - 1)); }

/* Ours against the reference, then the other ways against ours: the reference is slow, and once
 * is enough. */
static bool check_step(stage *s, int step)
{
  char difference[DUO_TEXT] = "";
  two_bodies_answer ours, other;
  scene_s1_pose(&s->mesh[0], &s->mesh[1], step);
  rewrite(s);
  if (!ask(s, DEMO_OURS, true, &ours)) return false;
  int same = two_bodies_check(&s->way[DEMO_OURS], &ours, false, difference);
  if (same != 1) {
    output_complain("demo: step %d, hybrid: %s", step, same == 0 ? difference : s->way[DEMO_OURS].message);
    return false;
  }
  for (int w = DEMO_OURS + 1; w < DEMO_WAYS; ++w) {
    if (!ask(s, w, true, &other)) return false;
    if (other.count == ours.count &&
        (ours.count == 0 || memcmp(other.pairs, ours.pairs, ours.count * sizeof *ours.pairs) == 0))
      continue;
    output_complain("demo: step %d: refitting everything finds other pairs than hybrid", step);
    return false;
  }
  return true;
}

/* The reference costs the square of the triangles: large bodies are checked at fewer steps. */
static bool check_steps(stage *s, demo_result *r, bool quiet)
{
  int checks = r->triangles <= 25000 ? CHECKS : r->triangles <= 50000 ? 1 : 0;
  if (!quiet && checks > 0) {
    printf("Checking %d step%s against every triangle with every other ... ", checks, checks == 1 ? "" : "s");
    fflush(stdout);
  }
  for (int i = 0; i < checks; ++i)
    if (!check_step(s, (i + 1) * (SCENE_S1_STEPS - 1) / checks)) return false;
  r->checked = checks;
  if (!quiet && checks > 0) printf("the same pairs.\n");
  return true;
}

/* All ways answer the same step by turns; the best time counts, because everything else is
 * noise. Steps that take long are repeated less. */
static bool measure_step(stage *s, demo_step *out)
{
  size_t pairs[DEMO_WAYS] = {0};
  double spent = 0;
  scene_s1_pose(&s->mesh[0], &s->mesh[1], out->step);
  for (int k = 0; k < MOST_REPEATS * DEMO_WAYS && (k < LEAST_REPEATS * DEMO_WAYS || spent < ENOUGH_MS); ++k) {
    int w = k % DEMO_WAYS;
    two_bodies_answer answer;
    rewrite(s);
    double begin = progress_clock();
    if (!ask(s, w, false, &answer)) return false;
    double ms = progress_clock() - begin;
    if (k < DEMO_WAYS || ms < out->ms[w]) out->ms[w] = ms;
    out->updated[w] = answer.counters.n_u;
    pairs[w] = answer.count;
    spent += ms;
  }
  out->pairs = pairs[DEMO_OURS];
  for (int w = DEMO_OURS + 1; w < DEMO_WAYS; ++w) {
    if (pairs[w] == pairs[DEMO_OURS]) continue;
    output_complain("demo: step %d: hybrid finds %zu pairs, refitting everything %zu", out->step, pairs[DEMO_OURS],
                    pairs[w]);
    return false;
  }
  return true;
}

static bool measure(stage *s, demo_result *r, bool quiet)
{
  size_t n = r->step_count, every = n / TABLE_ROWS > 0 ? n / TABLE_ROWS : 1;
  progress bar = progress_begin("steps", n, !quiet);
  if (!quiet) demo_write_columns();
  bool good = true;
  for (size_t i = 0; i < n && good; ++i) {
    demo_step *d = &r->steps[i];
    d->step = scene_step(i, n);
    good = measure_step(s, d);
    if (good && !quiet && (i % every == 0 || i + 1 == n)) demo_write_row(d);
    for (int w = 0; w < DEMO_WAYS; ++w) r->total[w] += d->ms[w];
    progress_step(&bar, i + 1);
  }
  progress_end(&bar);
  return good;
}

/* ---------------------------------------------------------------------------------- pictures -- */

static bool mark_touching(stage *s, demo_picture *picture)
{
  two_bodies_answer answer;
  scene_s1_pose(&s->mesh[0], &s->mesh[1], picture->step);
  rewrite(s);
  if (!ask(s, DEMO_OURS, false, &answer)) return false;
  for (int i = 0; i < 2; ++i) memset(s->touching[i], 0, s->mesh[i].triangle_count);
  for (size_t k = 0; k < answer.count; ++k) {
    s->touching[0][answer.pairs[k].a] = 1;
    s->touching[1][answer.pairs[k].b] = 1;
  }
  picture->pairs = answer.count;
  return true;
}

static bool paint(stage *s, demo_result *r, const char *out)
{
  uint8_t *rgb = malloc((size_t)3 * DEMO_WIDTH * DEMO_HEIGHT);
  bool good = rgb != NULL;
  if (!good) output_complain("demo: out of memory");
  for (size_t i = 0; i < DEMO_PICTURES && good; ++i) {
    demo_picture *p = &r->pictures[i];
    p->step = scene_step(i, DEMO_PICTURES);
    io_error error = {"demo: out of memory"};
    snprintf(p->path, sizeof p->path, "%s/step-%03d.png", out, p->step);
    good = mark_touching(s, p);
    if (!good) break;
    good = demo_paint(&s->mesh[0], &s->mesh[1], s->touching[0], s->touching[1], rgb) &&
           io_png_write(p->path, rgb, DEMO_WIDTH, DEMO_HEIGHT, &error);
    if (!good)
      output_complain("%s", error.text);
    else
      ++r->picture_count;
  }
  free(rgb);
  return good;
}

/* --------------------------------------------------------------------------------------- all -- */

static bool play(stage *s, demo_result *r, const demo_options *o)
{
  char page[DEMO_PATH];
  snprintf(page, sizeof page, "%s/index.html", o->out);
  if (!o->json) demo_write_head(r);
  if (!check_steps(s, r, o->json) || !measure(s, r, o->json)) return false;
  if (!o->no_pictures && !paint(s, r, o->out)) return false;
  if (!demo_page_write(r, page)) return false;
  if (o->json)
    demo_write_json(r, page);
  else
    demo_write_end(r, page);
  return output_finish();
}

static int run(const demo_options *o)
{
  if (!make_directories(o->out)) return EXIT_ERROR;
  stage s;
  demo_result r = {.step_count = (size_t)o->steps};
  r.steps = calloc(r.step_count, sizeof *r.steps);
  bool good = stage_create(&s, o->triangles, o->threads) && r.steps;
  if (good) {
    r.triangles = s.mesh[0].triangle_count;
    r.threads = pl_context_threads(s.way[0].context);
    r.simd = pl_context_simd(s.way[0].context);
    good = play(&s, &r, o);
  }
  stage_free(&s);
  free(r.steps);
  return good ? EXIT_DONE : EXIT_ERROR;
}

int cmd_demo(int argc, char **argv)
{
  demo_options o = {.steps = SCENE_S1_STEPS, .triangles = 20480, .threads = 0, .out = "out/demo"};
  option_group groups[] = {{"Options", table, OPTION_COUNT(table), &o}};
  arguments files;
  int code = options_parse(&text, groups, 1, argc, argv, &files);
  if (code != OPTIONS_GO_ON) return code;
  if (files.count > 0) return options_refuse("demo", "no file is expected, but %s was given", files.values[0]);
  return run(&o);
}
