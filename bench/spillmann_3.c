/* Spillmann, Becker and Teschner, figure 9: three deformable bodies with 19k points, simulated
 * whole and drawn by nobody. */
#include "bench/spillmann_check.h"

#include <math.h>
#include <stdlib.h>
#include <time.h>

static const bench_column columns[] = {{"what", "", 0},
                                       {"detect_ms", "detect ms", 4},
                                       {"respond_ms", "respond", 4},
                                       {"deform_ms", "deform", 4},
                                       {"points_ms", "points", 4},
                                       {"total_ms", "total", 4},
                                       {"fps", "fps", 0}};

typedef struct sums {
  double detect, respond, deform, points;
} sums;

static double clock_ms(void)
{
  struct timespec t;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return 1e3 * (double)t.tv_sec + 1e-6 * (double)t.tv_nsec;
}

/* All positions are computed in every step, as somebody who looks at them needs. */
static bool play(bench_report *report, const soft_scene *scene, const sim_world_def *def, int steps, sums *out)
{
  sim_world *world = NULL;
  size_t most = 0;
  bool good = sim_world_create(def, &world) == SIM_OK && sim_add_scene(world, scene, NULL) == SIM_OK;
  for (size_t i = 0; good && i < sim_body_count(world); ++i)
    if (sim_body_points(world, (int)i) > most) most = sim_body_points(world, (int)i);
  float *xyz = malloc(3 * most * sizeof *xyz + 1);
  good = good && xyz;
  *out = (sums){0};
  for (int s = 0; s < steps && good; ++s) {
    good = sim_step(world) == SIM_OK && isfinite(sim_world_energy(world).total);
    const sim_stats *stats = sim_world_stats(world);
    out->detect += stats->ms_detect / steps, out->respond += stats->ms_respond / steps,
        out->deform += stats->ms_deform / steps;
    double begin = clock_ms();
    for (size_t i = 0; i < sim_body_count(world); ++i) sim_body_positions(world, (int)i, xyz);
    out->points += (clock_ms() - begin) / steps;
  }
  if (!good) bench_fail(report, "%s", world ? sim_world_message(world) : "out of memory");
  free(xyz);
  sim_world_destroy(world);
  return good;
}

static double total_of(const sums *s) { return s->detect + s->respond + s->deform + s->points; }

static void append_row(bench_report *report, const char *what, const sums *s)
{
  const double numbers[] = {s->detect, s->respond, s->deform, s->points, total_of(s), 1000 / total_of(s)};
  bench_text(&report->summary, what);
  for (size_t i = 0; i < sizeof numbers / sizeof *numbers; ++i) bench_number(&report->summary, numbers[i]);
}

bool spillmann_3_run(const bench_options *options, bench_report *report)
{
  soft_scene scene;
  int steps = options->quick ? 60 : 600, reps = options->reps ? options->reps : options->quick ? 1 : 3;
  sums best = {0}, s;
  const sums paper = {4.39, 10.66, 24.33, 0};
  bench_table_init(&report->summary, columns, sizeof columns / sizeof *columns);
  if (!soft_scene_trio(options->quick ? 3000 : 19000, &scene)) return bench_fail(report, "out of memory");
  sim_world_def def = sim_world_def_default();
  sim_world_def_for(&scene, &def);
  def.level = 6;
  def.sleep_speed = 0;
  bool good = spillmann_check(report, &scene, &def, steps);
  for (int r = 0; r < reps && good; ++r) {
    good = play(report, &scene, &def, steps, &s);
    if (r == 0 || total_of(&s) < total_of(&best)) best = s;
  }
  if (good) {
    append_row(report, "level 6", &best);
    append_row(report, "paper", &paper);
    snprintf(report->setting, sizeof report->setting,
             "three bodies, %zu points, %d steps of 1/60 s, best of %d, one thread",
             scene.meshes[0].vertex_count + scene.meshes[1].vertex_count + scene.meshes[2].vertex_count, steps, reps);
    bench_headline_add(report, "fps", 1000 / total_of(&best), 21);
    bench_note(report, "Milliseconds per step; points: all positions, as somebody who looks at them needs. The paper's "
                       "21 frames per second include 7.8 ms of drawing, on a machine of 2006.");
  }
  soft_scene_free(&scene);
  return good;
}
