/* `pliant distance`: how far A and B are from each other, in every frame. Frames are read one at a time and answered one at a time;
 * the answer of a frame is where the search of the next begins. */
#include "distance.h"

#include "command.h"
#include "duo.h"
#include "frames.h"
#include "output.h"
#include "progress.h"
#include "sides.h"

#include <stdlib.h>
#include <unistd.h>

static const option output_table[] = {
    {.name = "json",
     .kind = OPTION_FLAG,
     .offset = offsetof(distance_options, json),
     .help = "one JSON object per frame, a line each: frame, distance, point_a, point_b, triangle_a, triangle_b and "
             "more"},
    {.name = "csv",
     .kind = OPTION_FLAG,
     .offset = offsetof(distance_options, csv),
     .help = "a header and one row per frame"},
    {.name = "plot",
     .kind = OPTION_TEXT,
     .offset = offsetof(distance_options, plot),
     .value = "OUT.svg|OUT.png",
     .help = "also the curve of the distance over the frames, as a picture (.png needs gnuplot)"},
    {.name = "list",
     .kind = OPTION_FLAG,
     .offset = offsetof(distance_options, list),
     .help = "with --margin: also the pairs themselves, with their distances, sorted by triangle"},
    {.name = "fail-if-closer",
     .kind = OPTION_FLAG,
     .offset = offsetof(distance_options, fail_if_closer),
     .help = "with --closer: exit code 1 if the bodies are closer in any frame"},
};

static const option query_table[] = {
    {.name = "closer",
     .kind = OPTION_REAL,
     .offset = offsetof(distance_options, closer),
     .value = "D",
     .low = 0,
     .high = 1e300,
     .help = "only ask whether they are at most D apart, which is much faster than to measure"},
    {.name = "margin",
     .kind = OPTION_REAL,
     .offset = offsetof(distance_options, margin),
     .value = "M",
     .low = 0,
     .high = 1e300,
     .help = "also count all pairs of triangles that are at most M apart"},
    {.name = "relative",
     .kind = OPTION_REAL,
     .offset = offsetof(distance_options, relative),
     .value = "R",
     .low = 0,
     .high = 1e6,
     .help = "the answer may be larger than the distance by this factor, 0.01 for 1 %; 0, if not given: exact"},
    {.name = "absolute",
     .kind = OPTION_REAL,
     .offset = offsetof(distance_options, absolute),
     .value = "L",
     .low = 0,
     .high = 1e300,
     .help = "the answer may be larger than the distance by this length; 0, if not given: exact"},
    {.name = "budget-ms",
     .kind = OPTION_REAL,
     .offset = offsetof(distance_options, budget_ms),
     .value = "MS",
     .low = 0,
     .high = 1e9,
     .help = "end each frame's search after about so many milliseconds; its answer is then marked partial, and `lower` "
             "tells what the distance cannot be below; 0 is no limit"},
    {.name = "threads",
     .kind = OPTION_WHOLE,
     .offset = offsetof(distance_options, threads),
     .value = "N",
     .low = 0,
     .high = 256,
     .help = "threads to use, 1 if not given; 0 is all cores. The answer is the same"},
    {.name = "float",
     .kind = OPTION_FLAG,
     .offset = offsetof(distance_options, rounded),
     .help = "round positions to float first, as a simulator in single precision would see them"},
    {.name = "check",
     .kind = OPTION_FLAG,
     .offset = offsetof(distance_options, check),
     .help = "compare every frame with the reference, which measures every triangle against every other (slow); exit "
             "code 2 if they differ"},
};

static const option scene_table[] = {
    {.name = "fps",
     .kind = OPTION_REAL,
     .offset = offsetof(distance_options, fps),
     .value = "N",
     .low = 1e-6,
     .high = 1e6,
     .help = "frames per second of the animation, 30 if not given"},
    {.name = "animation",
     .kind = OPTION_TEXT,
     .offset = offsetof(distance_options, animation),
     .value = "NAME|N|all|rest",
     .help = "which animation, by name or number from 0, all of them at once, or none; the first if not given"},
    {.name = "scene",
     .kind = OPTION_TEXT,
     .offset = offsetof(distance_options, scene),
     .value = "NAME|N",
     .help = "which scene of the file, by name or number from 0; the file's default one if not given"},
};

static const command_text text = {
    .name = "distance",
    .usage = "pliant distance [OPTIONS] A B\npliant distance [OPTIONS] A... -- B...\npliant distance [OPTIONS] SCENE",
    .about =
        "The least distance between the triangles of A and those of B in every frame, with the two points where it is "
        "and the two triangles they are on (indices from 0). Right to a few units in the last place; 0 exactly if "
        "they touch.\n\n"
        "A and B are each a mesh file (OBJ, PLY, STL, OFF and more) or a numbered sequence of files with the same "
        "topology: a directory, a pattern in quotes ('cloth_*.obj', 'cloth_%04d.obj'), or all files by name, those "
        "of A before a -- and those of B after it. A single file stands still against a sequence; two sequences end "
        "with the shorter.\n\n"
        "SCENE is a glTF file (.glb, .gltf): every node with triangles is a body, and the answer is that of the two "
        "nearest bodies in every frame of an animation.",
    .examples = "  pliant distance cable.obj frame.obj\n"
                "  pliant distance 'frames/cable_*.obj' frame.obj --plot clearance.svg\n"
                "  pliant distance frames/cable_*.obj -- frame.obj --csv > clearance.csv\n"
                "  pliant distance left/ right/ --closer 0.005 --fail-if-closer && echo clearance kept\n"
                "  pliant distance a.ply b.ply --json --margin 0.01 --list\n"
                "  pliant distance 'a_%04d.obj' b.stl --relative 0.01 --check\n"
                "  pliant distance scene.glb --fps 30\n",
};

typedef struct distance_job {
  distance_options options;
  frames side[2];
  size_t frame_count;
  bool shortened;
  pl_body_def def;
  duo duo;
  distance_totals totals;
  distance_curve curve;
} distance_job;

/* ------------------------------------------------------------------------------------------------------- frames -- */

static bool move_bodies(distance_job *job, size_t index, double *ms)
{
  *ms = 0;
  for (int i = 0; i < 2 && index > 0; ++i) {
    if (frames_still(&job->side[i])) continue;
    io_error error;
    if (!frames_read(&job->side[i], index, &error)) {
      output_complain("%s", error.text);
      return false;
    }
    double begin = progress_clock();
    if (pl_body_set_positions(job->duo.body[i], frames_positions(&job->side[i])) != PL_OK) {
      output_complain("%s: %s", frames_path(&job->side[i], index), pl_context_message(job->duo.context));
      return false;
    }
    *ms += progress_clock() - begin;
  }
  return true;
}

static bool complain(const distance_job *job, size_t index)
{
  output_complain("frame %zu: %s", index, pl_context_message(job->duo.context));
  return false;
}

static bool check_frame(const distance_job *job, const distance_frame *frame)
{
  pl_distance truth;
  char difference[DISTANCE_TEXT];
  if (pl_reference_distance(job->duo.body[0], job->duo.body[1], NULL, &truth) != PL_OK)
    return complain(job, frame->index);
  if (distance_agrees(&job->options, frame, &truth, difference)) return true;
  output_complain("frame %zu: %s", frame->index, difference);
  return false;
}

static bool answer_frame(distance_job *job, size_t index, distance_frame *frame)
{
  const distance_options *o = &job->options;
  *frame = (distance_frame){
      .index = index, .time = -1, .a = frames_path(&job->side[0], index), .b = frames_path(&job->side[1], index)};
  if (!move_bodies(job, index, &frame->ms_set)) return false;
  pl_distance_def def = distance_def(o);
  pl_body *a = job->duo.body[0], *b = job->duo.body[1];
  if (pl_body_distance(a, b, &def, &frame->answer) != PL_OK) return complain(job, index);
  frame->closer = frame->answer.distance <= o->closer;
  if (o->check && !check_frame(job, frame)) return false;
  if (o->margin < 0) return true;
  const pl_near_pairs *near;
  pl_near_def near_def = pl_near_def_default();
  near_def.sorted = true;
  if (pl_body_near(a, b, o->margin, &near_def, &near) != PL_OK) return complain(job, index);
  frame->near = near->pairs;
  frame->near_count = near->count;
  frame->answer.counters.ms_query += near->counters.ms_query;
  return true;
}

static bool run_frames(distance_job *job)
{
  const distance_options *o = &job->options;
  bool lines = o->json || o->csv || o->list, good = true;
  progress bar = progress_begin("frames", job->frame_count, lines && isatty(1));
  distance_write_head(o, false);
  for (size_t i = 0; i < job->frame_count && good; ++i) {
    distance_frame frame;
    good = answer_frame(job, i, &frame);
    if (!good) break;
    distance_write_frame(o, &frame);
    distance_totals_add(&job->totals, o, &frame);
    if (o->plot) distance_curve_add(&job->curve, frame.answer.distance);
    progress_step(&bar, i + 1);
    good = !ferror(stdout);
  }
  progress_end(&bar);
  return good;
}

/* ------------------------------------------------------------------------------------------------------ summary -- */

static void write_side(const distance_job *job, int i)
{
  const frames *f = &job->side[i];
  char triangles[OUTPUT_NUMBER_SIZE], vertices[OUTPUT_NUMBER_SIZE];
  printf("%-10s%s", i ? "B" : "A", f->files.paths[0]);
  if (frames_still(f))
    printf(", still");
  else
    printf(" to %s, %zu frames", f->files.paths[f->files.count - 1], f->files.count);
  printf("\n          %s triangle%s, %s vertices, %s positions\n", output_count(f->triangle_count, triangles),
         f->triangle_count == 1 ? "" : "s", output_count(f->vertex_count, vertices),
         f->now.is_double ? "double" : "float");
}

static void write_end(const distance_job *job)
{
  const distance_options *o = &job->options;
  if (o->json || o->csv) return;
  char tree[TREE_TEXT];
  write_side(job, 0);
  write_side(job, 1);
  printf("tree      %s\n", tree_options_text(&job->def, tree));
  printf("strategy  %s%s, %s\n", pl_strategy_text(pl_body_strategy(job->duo.body[0])),
         job->def.strategy == PL_STRATEGY_AUTO ? " (chosen by auto)" : "", pl_context_simd(job->duo.context));
  printf("frames    %zu\n", job->totals.frames);
  if (job->shortened)
    printf("          A has %zu frames, B has %zu: only the first %zu were looked at\n", job->side[0].files.count,
           job->side[1].files.count, job->frame_count);
  distance_write_totals(o, &job->totals);
}

/* ---------------------------------------------------------------------------------------------------------- all -- */

static bool make_bodies(distance_job *job)
{
  pl_mesh_def meshes[2] = {frames_mesh(&job->side[0]), frames_mesh(&job->side[1])};
  job->def = tree_options_def(&job->options.tree);
  if (duo_create(&job->duo, job->options.threads, meshes, &job->def)) return true;
  int bad = job->duo.body[0] ? 1 : 0;
  output_complain("%s: %s", frames_path(&job->side[bad], 0), job->duo.message);
  return false;
}

static int run(distance_job *job, const file_lists *lists)
{
  const distance_options *o = &job->options;
  bool good = sides_open(job->side, lists, o->rounded, &job->frame_count, &job->shortened) && make_bodies(job) &&
              run_frames(job);
  if (good && o->plot) good = distance_plot(o->plot, &job->curve, "distance of A and B");
  if (!good) {
    fflush(stdout);
    return EXIT_ERROR;
  }
  write_end(job);
  if (!output_finish()) return EXIT_ERROR;
  return o->fail_if_closer && job->totals.closer_frames > 0 ? EXIT_CONTACT : EXIT_DONE;
}

/* Options that do not go together. */
static int check_options(const distance_options *o)
{
  if (o->json && o->csv) return options_refuse("distance", "--json or --csv, not both");
  if (o->closer >= 0 && o->margin >= 0) return options_refuse("distance", "--closer or --margin, not both");
  if (o->closer >= 0 && o->plot) return options_refuse("distance", "--closer measures nothing that --plot could show");
  if (o->closer >= 0 && (o->relative > 0 || o->absolute > 0))
    return options_refuse("distance", "--closer is answered exactly: leave --relative and --absolute out");
  if (o->fail_if_closer && o->closer < 0) return options_refuse("distance", "--fail-if-closer wants --closer D");
  if (o->list && o->margin < 0) return options_refuse("distance", "--list wants --margin M");
  if (o->plot && !distance_plot_fits(o->plot))
    return options_refuse("distance", "--plot %s: the name must end in .svg or .png", o->plot);
  return OPTIONS_GO_ON;
}

/* One glTF scene and options that fit it, or no glTF at all; *scene is then NULL. */
static int divide_scene(const arguments *files, const distance_options *o, const char **scene)
{
  *scene = NULL;
  for (int i = 0; i < files->count && !*scene; ++i)
    if (gltf_is_name(files->values[i])) *scene = files->values[i];
  if (!*scene && (o->fps > 0 || o->animation || o->scene))
    return options_refuse("distance", "--%s is for a glTF scene (.glb, .gltf), and none was given",
                          o->fps > 0 ? "fps"
                          : o->scene ? "scene"
                                     : "animation");
  if (!*scene) return OPTIONS_GO_ON;
  if (files->count > 1)
    return options_refuse("distance",
                          "%s is a whole scene: it is given alone, and its own bodies are measured against each other; "
                          "put other meshes into it as nodes",
                          *scene);
  if (o->margin >= 0) return options_refuse("distance", "--margin is for mesh files, not for a glTF scene");
  if (o->tree.strategy != PL_STRATEGY_AUTO)
    return options_refuse("distance", "--strategy is for mesh files: bodies of a glTF scene want auto");
  if (o->rounded) return options_refuse("distance", "--float is for mesh files: a glTF scene is moved in double");
  return OPTIONS_GO_ON;
}

int cmd_distance(int argc, char **argv)
{
  distance_job job = {.options = {.closer = -1, .margin = -1, .threads = 1, .tree = tree_options_default()}};
  distance_options *o = &job.options;
  option_group groups[] = {
      {"Output", output_table, sizeof output_table / sizeof output_table[0], o},
      {"Query", query_table, sizeof query_table / sizeof query_table[0], o},
      {"glTF scenes", scene_table, sizeof scene_table / sizeof scene_table[0], o},
      tree_options_group(&o->tree),
  };
  arguments files;
  file_lists lists;
  const char *scene = NULL;
  int code = tree_options_settings(&o->tree, argc, argv);
  if (code == OPTIONS_GO_ON) code = options_parse(&text, groups, 4, argc, argv, &files);
  if (code == OPTIONS_GO_ON) code = check_options(o);
  if (code == OPTIONS_GO_ON) code = divide_scene(&files, o, &scene);
  if (code == OPTIONS_GO_ON && !scene) code = sides_divide("distance", &files, &lists);
  if (code != OPTIONS_GO_ON) return code;
  if (scene) return distance_gltf(o, scene);
  code = run(&job, &lists);
  duo_destroy(&job.duo);
  frames_close(&job.side[0]);
  frames_close(&job.side[1]);
  free(job.curve.values);
  return code;
}
