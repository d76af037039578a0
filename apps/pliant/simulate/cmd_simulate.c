/* `pliant simulate`: soft bodies that fall, meet and come to rest, by shape matching and with
 * contacts at any level of detail. */
#include "common/command.h"
#include "common/options.h"
#include "common/output.h"
#include "common/progress.h"
#include "simulate/simulate.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *const mode_words[] = {"rigid", "linear", "quadratic", NULL};

#define AT(member) .offset = offsetof(simulate_options, member)

static const option run_table[] = {
    {.name = "frames",
     .letter = 'f',
     .kind = OPTION_WHOLE,
     AT(frames),
     .value = "N",
     .low = 1,
     .high = 10000000,
     .help = "steps to play, 300 if not given"},
    {.name = "level",
     .kind = OPTION_TEXT,
     AT(level),
     .value = "0..8|all",
     .help = "level of the sphere trees at which contacts are found: 2^level spheres per body, or per cluster; 4 if "
             "not given. all: every "
             "triangle, exactly, also of a body against itself; bodies never pass through each other"},
    {.name = "budget-ms",
     .kind = OPTION_REAL,
     AT(budget_ms),
     .value = "MS",
     .low = 0,
     .high = 1e6,
     .help = "time for detection and response of a step: the level is lowered if it would be exceeded. The result then "
             "depends on the machine; 0, or not given: no limit"},
    {.name = "step",
     .kind = OPTION_REAL,
     AT(step),
     .value = "S",
     .low = 1e-6,
     .high = 1,
     .help = "seconds of a step, 1/60 if not given"},
    {.name = "sweeps",
     .kind = OPTION_WHOLE,
     AT(sweeps),
     .value = "N",
     .low = 1,
     .high = 1000,
     .help = "rounds of the contact solver in a step"},
    {.name = "no-sleep", .kind = OPTION_FLAG, AT(no_sleep), .help = "also simulate bodies at rest"},
    {.name = "checkpoint",
     .kind = OPTION_TEXT,
     AT(checkpoint),
     .value = "FILE",
     .help = "write the whole state after the last step; --resume continues from there, to the last bit"},
    {.name = "resume",
     .kind = OPTION_TEXT,
     AT(resume),
     .value = "FILE",
     .help = "start from a checkpoint of the same scene"},
};

static const option body_table[] = {
    {.name = "bodies",
     .kind = OPTION_WHOLE,
     AT(bodies),
     .value = "N",
     .low = 1,
     .high = 100000,
     .help = "bodies of `pile`, 300 if not given; copies of each FILE, 1 if not given"},
    {.name = "points",
     .kind = OPTION_WHOLE,
     AT(points),
     .value = "N",
     .low = 60,
     .high = 30000000,
     .help = "points of all bodies of `trio` (19 000), `duo` (8 000) and `rope` (2 000)"},
    {.name = "mode",
     .kind = OPTION_WORD,
     AT(mode),
     .words = mode_words,
     .help = "the maps that points are matched with; linear if not given"},
    {.name = "clusters",
     .kind = OPTION_WHOLE,
     AT(clusters),
     .value = "N",
     .low = 1,
     .high = SIM_CLUSTERS_MOST,
     .help = "overlapping parts of a body that are matched separately, so that long bodies bend; 1 if not given"},
    {.name = "stiffness",
     .kind = OPTION_REAL,
     AT(stiffness),
     .value = "A",
     .low = 1e-3,
     .high = 1,
     .help = "fraction by which a step moves points to their goals, 1 if not given"},
    {.name = "stretch",
     .kind = OPTION_REAL,
     AT(stretch),
     .value = "B",
     .low = 0,
     .high = 0.95,
     .help = "how much of a deformation the goals keep, 0.3 if not given; 0 is stiff"},
    {.name = "keep-volume", .kind = OPTION_FLAG, AT(keep_volume), .help = "goals have the volume of the body at rest"},
    {.name = "damping",
     .kind = OPTION_REAL,
     AT(damping),
     .value = "C",
     .low = 0,
     .high = 1000,
     .help = "velocities decay with exp(-C t), 0.1 if not given"},
    {.name = "friction",
     .kind = OPTION_REAL,
     AT(friction),
     .value = "MU",
     .low = 0,
     .high = 10,
     .help = "Coulomb's coefficient, 0.4 if not given"},
    {.name = "yield",
     .kind = OPTION_REAL,
     AT(yield),
     .value = "E",
     .low = 0,
     .high = 10,
     .help = "strain above which a body deforms permanently, with --creep"},
    {.name = "creep",
     .kind = OPTION_REAL,
     AT(creep),
     .value = "R",
     .low = 0,
     .high = 1e6,
     .help = "rate per second at which it does; 0, or not given: never"},
    {.name = "gravity",
     .kind = OPTION_REAL,
     AT(gravity),
     .value = "G",
     .low = -1000,
     .high = 1000,
     .help = "downwards; 9.81 if not given, 0 in `duo`"},
    {.name = "height",
     .kind = OPTION_REAL,
     AT(height),
     .value = "H",
     .low = 0,
     .high = 1e6,
     .help = "how far above the floor a FILE begins; half its size if not given"},
};

static const option output_table[] = {
    {.name = "out",
     .letter = 'o',
     .kind = OPTION_TEXT,
     AT(output),
     .value = "NAME",
     .help = "pictures (frame%04d.png), meshes of all bodies in one (frame%04d.obj, .ply, .stl, .off), or one "
             "animation (NAME.glb)"},
    {.name = "video",
     .kind = OPTION_TEXT,
     AT(video),
     .value = "OUT.mp4",
     .help = "a video, by ffmpeg, which must be installed"},
    {.name = "every",
     .kind = OPTION_WHOLE,
     AT(every),
     .value = "N",
     .low = 1,
     .high = 1000000,
     .help = "write every N-th step only"},
    {.name = "size", .kind = OPTION_TEXT, AT(size), .value = "WxH", .help = "of pictures, 640x480 if not given"},
    {.name = "samples",
     .kind = OPTION_WHOLE,
     AT(samples),
     .value = "N",
     .low = 1,
     .high = 256,
     .help = "rays per pixel, 1 if not given"},
    {.name = "threads",
     .letter = 't',
     .kind = OPTION_WHOLE,
     AT(threads),
     .value = "N",
     .low = 0,
     .high = 256,
     .help = "threads that trace pictures; 0, or not given: all cores"},
    {.name = "json", .letter = 'j', .kind = OPTION_FLAG, AT(json), .help = "one JSON object per step, a line each"},
    {.name = "csv", .letter = 'c', .kind = OPTION_FLAG, AT(csv), .help = "the same as a table with commas"},
    {.name = "quiet", .kind = OPTION_FLAG, AT(quiet), .help = "only the summary at the end"},
};

static const command_text text = {
    .name = "simulate",
    .usage = "pliant simulate [OPTIONS] pile|trio|duo|rope\npliant simulate [OPTIONS] FILE...",
    .about =
        "Soft bodies by shape matching: they fall, meet, deform and come to rest. Contacts are found and resolved at "
        "one level of the bodies' sphere trees: a trade-off between accuracy and time.\n\n"
        "pile: 300 balls, cubes and rings, 131 100 points, fall into a box. trio: three bodies of 19 000 points. "
        "duo: two bodies of "
        "8 000 points (--points up to 160 000 and more) fly into each other. rope: a long body falls on one end; with "
        "--clusters it folds onto itself. FILE: meshes (OBJ, PLY, STL, OFF and "
        "more) become soft "
        "bodies that fall on a floor, scaled to about a metre; of a glTF scene all bodies at rest are one.\n\n"
        "Without a budget, the same command writes the same bytes every time, whether it was stopped and resumed or "
        "not.",
    .examples = "  pliant simulate pile --frames 600 --every 60\n"
                "  pliant simulate pile --level 2 --json\n"
                "  pliant simulate pile --budget-ms 2 --quiet\n"
                "  pliant simulate trio --out frame%04d.png --every 10\n"
                "  pliant simulate bunny.obj --bodies 5 --stretch 0.6 --out bunnies.glb\n"
                "  pliant simulate rope --clusters 10 --stretch 0.85 --out rope%03d.png --every 5\n"
                "  pliant simulate duo --frames 100 --checkpoint at100.sim\n"
                "  pliant simulate duo --frames 100 --resume at100.sim\n",
};

static int parse_level(simulate_job *job)
{
  const char *s = job->options.level;
  char *end = NULL;
  job->level = 4;
  if (!s) return OPTIONS_GO_ON;
  if (strcmp(s, "all") == 0) {
    job->level = SIM_LEVEL_ALL;
    if (job->options.budget_ms > 0)
      return options_refuse("simulate", "--budget-ms lowers levels from 0 to %d, not all", SIM_LEVEL_MOST);
    return OPTIONS_GO_ON;
  }
  long level = strtol(s, &end, 10);
  if (end == s || *end || level < 0 || level > SIM_LEVEL_MOST)
    return options_refuse("simulate", "--level %s: give a number from 0 to %d, or all", s, SIM_LEVEL_MOST);
  job->level = (int)level;
  return OPTIONS_GO_ON;
}

static int choose(simulate_job *job, const arguments *files)
{
  if (files->count == 0) return options_refuse("simulate", "name a scene (pile, trio, duo, rope) or a mesh file");
  bool named = strchr(files->values[0], '.') == NULL && strchr(files->values[0], '/') == NULL &&
               access(files->values[0], F_OK) != 0;
  if (!named) {
    job->files = (const char *const *)files->values;
    job->file_count = files->count;
    return job->options.points ? options_refuse("simulate", "--points is for trio, duo and rope, not for files")
                               : OPTIONS_GO_ON;
  }
  if (files->count > 1)
    return options_refuse("simulate", "%s is one name too many: a scene is simulated alone", files->values[1]);
  job->scene_name = files->values[0];
  if (job->options.height == job->options.height) return options_refuse("simulate", "--height is for files");
  bool pile = strcmp(job->scene_name, "pile") == 0;
  if (!pile && job->options.bodies) return options_refuse("simulate", "--bodies is for pile and for files");
  if (pile && job->options.points)
    return options_refuse("simulate", "--points is for trio, duo and rope; pile has --bodies");
  return simulate_scene_refuse(job->scene_name);
}

static void settle(simulate_job *job)
{
  const simulate_options *o = &job->options;
  sim_world_def *w = &job->world_def;
  sim_body_def *b = &job->body_def;
  *b = sim_body_def_default();
  b->mode = (sim_mode)o->mode;
  b->clusters = o->clusters;
  b->stiffness = o->stiffness;
  b->stretch = o->stretch;
  b->damping = o->damping;
  b->keep_volume = o->keep_volume;
  b->yield = o->yield;
  b->creep = o->creep;
  w->level = job->level;
  w->step = o->step;
  w->budget_ms = o->budget_ms;
  if (o->sweeps) w->sweeps = o->sweeps;
  if (o->friction == o->friction) w->friction = o->friction;
  if (o->gravity == o->gravity) w->gravity[1] = -o->gravity;
  if (o->no_sleep) w->sleep_speed = 0;
}

static void add_totals(simulate_job *job)
{
  simulate_totals *t = &job->totals;
  const sim_stats *s = sim_world_stats(job->world);
  double ms = s->ms_detect + s->ms_respond + s->ms_deform, energy = sim_world_energy(job->world).total;
  ++t->frames;
  t->within += s->within_budget;
  t->ms_detect += s->ms_detect, t->ms_respond += s->ms_respond, t->ms_deform += s->ms_deform;
  t->ms_longest = fmax(t->ms_longest, ms);
  t->energy_least = fmin(t->energy_least, energy);
  t->energy_rise = fmax(t->energy_rise, energy - t->energy_least);
}

static bool run_steps(simulate_job *job)
{
  const simulate_options *o = &job->options;
  progress bar = progress_begin("steps", (size_t)o->frames, isatty(1) && !o->quiet);
  bool good = true;
  for (int i = 1; i <= o->frames && good; ++i) {
    if (sim_step(job->world) != SIM_OK) {
      output_complain("step %d: %s", i, sim_world_message(job->world));
      good = false;
      break;
    }
    add_totals(job);
    if (i % o->every == 0) good = simulate_write_frame(job, (size_t)(i / o->every - 1)) && !ferror(stdout);
    progress_step(&bar, (size_t)i);
  }
  progress_end(&bar);
  return good;
}

static int run(simulate_job *job)
{
  if (!simulate_stage_open(job)) return EXIT_ERROR;
  if (job->options.resume && !simulate_load(job)) return EXIT_ERROR;
  if (!simulate_output_open(job)) return EXIT_ERROR;
  job->totals.energy_start = job->totals.energy_least = sim_world_energy(job->world).total;
  bool good = run_steps(job);
  good = good && (!job->options.checkpoint || simulate_save(job));
  if (!good) return output_give_up();
  if (!simulate_write_end(job)) return EXIT_ERROR;
  return output_finish() ? EXIT_DONE : EXIT_ERROR;
}

int cmd_simulate(int argc, char **argv)
{
  sim_body_def body = sim_body_def_default();
  simulate_job job = {.world_def = sim_world_def_default(),
                      .options = {.frames = 300,
                                  .every = 1,
                                  .mode = SIM_LINEAR,
                                  .clusters = 1,
                                  .samples = 1,
                                  .step = 1.0 / 60,
                                  .friction = NAN,
                                  .gravity = NAN,
                                  .height = NAN,
                                  .stiffness = body.stiffness,
                                  .stretch = body.stretch,
                                  .damping = body.damping,
                                  .yield = body.yield}};
  const option_group groups[] = {{"Run", run_table, OPTION_COUNT(run_table), &job.options},
                                 {"Bodies", body_table, OPTION_COUNT(body_table), &job.options},
                                 {"Output", output_table, OPTION_COUNT(output_table), &job.options}};
  arguments files;
  int code = options_parse(&text, groups, OPTION_COUNT(groups), argc, argv, &files);
  if (code == OPTIONS_GO_ON) code = parse_level(&job);
  if (code == OPTIONS_GO_ON) code = choose(&job, &files);
  if (code == OPTIONS_GO_ON) code = simulate_output_parse(&job);
  if (code != OPTIONS_GO_ON) return code;
  settle(&job);
  code = run(&job);
  simulate_output_close(&job);
  simulate_stage_close(&job);
  return code;
}
