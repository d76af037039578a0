/* Spillmann, Becker and Teschner, table 1: 300 deformable bodies with 131k points fall into a
 * box; contacts and their response at levels 2 to 6 of the sphere trees. Every level simulates
 * its own pile from the start, so that contacts are those of its own response; times are those
 * of the last third of the steps, piled up and, for the table, with sleeping off. */
#include "bench/spillmann_check.h"

#include <math.h>

enum { LEVEL_FIRST = 2, LEVEL_LAST = 6 };

static const struct paper_row {
  double contacts, detect, respond;
} paper[] = {
    {1031, 18.41, 24.11}, {1650, 22.19, 27.01}, {7511, 30.24, 32.03}, {27195, 58.61, 45.35}, {42635, 93.97, 52.88}};

typedef struct outcome {
  double contacts, visited, updated, detect, respond, deform, total, rest_speed, rise, budget_kept;
  bool finite, inside;
} outcome;

static const bench_column columns[] = {{"level", "level", 0},
                                       {"contacts", "contacts", 0},
                                       {"contacts_paper", "paper", 0},
                                       {"visited", "visited", 0},
                                       {"updated", "updated", 0},
                                       {"detect_ms", "detect ms", 3},
                                       {"respond_ms", "respond", 3},
                                       {"deform_ms", "deform", 3},
                                       {"total_ms", "total", 3},
                                       {"paper_ms", "paper d+r", 1},
                                       {"fps", "fps", 0},
                                       {"speed_end", "m/s at end", 5},
                                       {"energy_rise", "energy rise", 6}};
static const bench_column step_columns[] = {{"level", NULL, 0},     {"step", NULL, 0},       {"contacts", NULL, 0},
                                            {"detect_ms", NULL, 0}, {"respond_ms", NULL, 0}, {"deform_ms", NULL, 0},
                                            {"kinetic", NULL, 0}};

static double speed_of(const sim_world *world)
{
  double sum = 0;
  for (size_t i = 0; i < sim_body_count(world); ++i) sum += pow(sim_body_speed(world, (int)i), 2);
  return sqrt(sum / (double)sim_body_count(world));
}

/* Returns whether all centres are inside the box. */
static bool inside(const sim_world *world, double half)
{
  for (size_t i = 0; i < sim_body_count(world); ++i) {
    double matrix[3][9], c[3];
    sim_body_state(world, (int)i, matrix, c);
    if (!(c[1] > 0) || !(fabs(c[0]) < half) || !(fabs(c[2]) < half)) return false;
  }
  return true;
}

static void note_step(bench_report *report, const sim_world *world, int level)
{
  const sim_stats *s = sim_world_stats(world);
  const double numbers[] = {level,
                            (double)s->step,
                            (double)s->contacts,
                            s->ms_detect,
                            s->ms_respond,
                            s->ms_deform,
                            sim_world_energy(world).kinetic};
  for (size_t i = 0; i < sizeof numbers / sizeof *numbers; ++i) bench_number(&report->steps, numbers[i]);
}

static void add_step(const sim_world *world, double weight, outcome *out)
{
  const sim_stats *s = sim_world_stats(world);
  out->contacts += weight * (double)s->contacts, out->visited += weight * (double)s->visited,
      out->updated += weight * (double)s->updated;
  out->detect += weight * s->ms_detect, out->respond += weight * s->ms_respond, out->deform += weight * s->ms_deform;
}

static bool play(bench_report *report, const soft_scene *scene, const sim_world_def *def, int steps, bool note,
                 outcome *out)
{
  sim_world *world = NULL;
  bool good = sim_world_create(def, &world) == SIM_OK && sim_add_scene(world, scene, NULL) == SIM_OK;
  double start = good ? sim_world_energy(world).total : 0, least = start;
  int last = steps - steps * 2 / 3;
  *out = (outcome){.finite = true};
  for (int i = 0; i < steps && good; ++i) {
    good = sim_step(world) == SIM_OK;
    double now = sim_world_energy(world).total;
    out->finite &= isfinite(now);
    least = fmin(least, now);
    out->rise = fmax(out->rise, (now - least) / start);
    out->budget_kept += sim_world_stats(world)->within_budget / (double)steps;
    if (i >= steps - last) add_step(world, 1.0 / last, out);
    if (note) note_step(report, world, def->level);
  }
  out->total = out->detect + out->respond + out->deform;
  if (good) out->rest_speed = speed_of(world), out->inside = inside(world, scene->box / 2);
  if (!good) bench_fail(report, "level %d: %s", def->level, world ? sim_world_message(world) : "out of memory");
  sim_world_destroy(world);
  return good;
}

static void append_row(bench_report *report, int level, const outcome *o)
{
  const struct paper_row *p = &paper[level - LEVEL_FIRST];
  const double numbers[] = {level,           o->contacts,   p->contacts, o->visited, o->updated,
                            o->detect,       o->respond,    o->deform,   o->total,   p->detect + p->respond,
                            1000 / o->total, o->rest_speed, o->rise};
  for (size_t i = 0; i < sizeof numbers / sizeof *numbers; ++i) bench_number(&report->summary, numbers[i]);
}

/* Of several runs of a level the cheapest: other jobs only add. Everything else is the same in
 * each. */
static bool level_of(bench_report *report, const soft_scene *scene, int level, int steps, int reps, outcome *best)
{
  for (int r = 0; r < reps; ++r) {
    sim_world_def def = sim_world_def_default();
    outcome o;
    sim_world_def_for(scene, &def);
    def.level = level;
    def.sleep_speed = 0;
    bench_progress(report, "%s: level %d", report->experiment, level);
    if (!play(report, scene, &def, steps, r == 0, &o)) return false;
    if (!o.finite || !o.inside) return bench_fail(report, "level %d: a body has left the box, or is nowhere", level);
    if (r == 0 || o.total < best->total) *best = o;
    if (r == 0 && !spillmann_check(report, scene, &def, steps)) return false;
  }
  return true;
}

static bool budget_of(bench_report *report, const soft_scene *scene, int steps, outcome *out)
{
  sim_world_def def = sim_world_def_default();
  sim_world_def_for(scene, &def);
  def.budget_ms = 2;
  bench_progress(report, "%s: budget of 2 ms", report->experiment);
  return play(report, scene, &def, steps, false, out);
}

bool spillmann_2_run(const bench_options *options, bench_report *report)
{
  soft_scene scene;
  int steps = options->quick ? 60 : 600, reps = options->reps ? options->reps : options->quick ? 1 : 3;
  outcome found[LEVEL_LAST + 1], budget;
  bench_table_init(&report->summary, columns, sizeof columns / sizeof *columns);
  bench_table_init(&report->steps, step_columns, sizeof step_columns / sizeof *step_columns);
  if (!soft_scene_pile(options->quick ? 40 : SOFT_PILE, &scene)) return bench_fail(report, "out of memory");
  bool good = true;
  for (int level = LEVEL_FIRST; level <= LEVEL_LAST && good; ++level) {
    good = level_of(report, &scene, level, steps, reps, &found[level]);
    if (good) append_row(report, level, &found[level]);
  }
  good = good && budget_of(report, &scene, steps, &budget);
  if (good) {
    double low = found[2].detect + found[2].respond, high = found[6].detect + found[6].respond;
    snprintf(report->setting, sizeof report->setting,
             "%zu bodies, %zu points, %d steps of 1/60 s, the last third timed, best of %d, one thread",
             scene.actor_count, scene.actor_count * SOFT_POINTS, steps, reps);
    bench_headline_add(report, "level6_over_2", high / low, 3.5);
    bench_headline_add(report, "fps_level4", 1000 / found[4].total, NAN);
    bench_headline_add(report, "budget_kept", budget.budget_kept, NAN);
    bench_headline_add(report, "budget_speed_end", budget.rest_speed, NAN);
    bench_note(report, "Milliseconds per step, mean over the last third of the steps, nobody asleep; speed: root mean "
                       "square after the last step; energy rise: above the lowest so far, in parts of the start.");
    bench_note(report,
               "With a budget of 2 ms for detection and response: kept in %.1f %% of the steps; %.2g m/s at the end.",
               100 * budget.budget_kept, budget.rest_speed);
    bench_note(report, "Spheres and contacts are compared in a run of its own for each level, not timed.");
  }
  soft_scene_free(&scene);
  return good;
}
