/* `pliant collide`: which triangles of A and B touch, in every frame. Frames are read one at a time and answered one
 * at a time: memory does not grow with the length of a sequence, and lines of --json and --csv come out as soon as
 * they are known. */
#include "collide.h"
#include "collide_gltf.h"
#include "command.h"
#include "duo.h"
#include "frames.h"
#include "options.h"
#include "output.h"
#include "progress.h"
#include "sides.h"
#include "tree_options.h"

#include <limits.h>
#include <unistd.h>

static const option output_table[] = {
    {.name = "json",
     .kind = OPTION_FLAG,
     .offset = offsetof(collide_options, json),
     .help = "one JSON object per frame, a line each"},
    {.name = "csv",
     .kind = OPTION_FLAG,
     .offset = offsetof(collide_options, csv),
     .help = "a header and one row per frame"},
    {.name = "list",
     .kind = OPTION_FLAG,
     .offset = offsetof(collide_options, list),
     .help = "also the pairs themselves: indices of triangles in A and B from 0, sorted"},
    {.name = "limit",
     .kind = OPTION_WHOLE,
     .offset = offsetof(collide_options, limit),
     .value = "N",
     .low = 0,
     .high = INT_MAX,
     .help = "list at most N pairs of each frame (implies --list); the number of pairs told is still the true one"},
    {.name = "fail-on-contact",
     .kind = OPTION_FLAG,
     .offset = offsetof(collide_options, fail_on_contact),
     .help = "exit code 1 if any frame has contact"},
};

static const option query_table[] = {
    {.name = "first",
     .kind = OPTION_FLAG,
     .offset = offsetof(collide_options, first),
     .help = "stop at the first pair of each frame: is there contact at all?"},
    {.name = "budget-ms",
     .kind = OPTION_REAL,
     .offset = offsetof(collide_options, budget_ms),
     .value = "MS",
     .low = 0,
     .high = 1e9,
     .help = "end each frame's query after about so many milliseconds; its answer is then marked partial; 0 is no "
             "limit"},
    {.name = "threads",
     .kind = OPTION_WHOLE,
     .offset = offsetof(collide_options, threads),
     .value = "N",
     .low = 0,
     .high = 256,
     .help = "threads to use, 1 if not given; 0 is all cores. The answer is the same"},
    {.name = "float",
     .kind = OPTION_FLAG,
     .offset = offsetof(collide_options, rounded),
     .help = "round positions to float first, as a simulator in single precision would see them"},
    {.name = "check",
     .kind = OPTION_FLAG,
     .offset = offsetof(collide_options, check),
     .help = "compare every frame with the reference, which tests every triangle against every other (slow); exit "
             "code 2 if they differ"},
};

static const option scene_table[] = {
    {.name = "fps",
     .kind = OPTION_REAL,
     .offset = offsetof(collide_options, fps),
     .value = "N",
     .low = 1e-6,
     .high = 1e6,
     .help = "frames per second of the animation, 30 if not given"},
    {.name = "animation",
     .kind = OPTION_TEXT,
     .offset = offsetof(collide_options, animation),
     .value = "NAME|N|all|rest",
     .help = "which animation, by name or number from 0, all of them at once, or none; the first if not given"},
    {.name = "scene",
     .kind = OPTION_TEXT,
     .offset = offsetof(collide_options, scene),
     .value = "NAME|N",
     .help = "which scene of the file, by name or number from 0; the file's default one if not given"},
    {.name = "inbetweens",
     .kind = OPTION_WHOLE,
     .offset = offsetof(collide_options, inbetweens),
     .value = "N",
     .low = 0,
     .high = 63,
     .help = "store volumes of N shapes between a body and each of its morph targets: tighter where one target is "
             "active, for more memory; 0 if not given"},
};

static const command_text text = {
    .name = "collide",
    .usage = "pliant collide [OPTIONS] A B\npliant collide [OPTIONS] A... -- B...\npliant collide [OPTIONS] SCENE",
    .about = "Which triangles of A touch which triangles of B, in every frame. The answer is exact for the positions "
             "in the files; touching counts.\n\n"
             "A and B are each a mesh file (OBJ, PLY, STL, OFF and more) or a numbered sequence of files with the "
             "same topology: a directory, a pattern in quotes ('cloth_*.obj', 'cloth_%04d.obj'), or all files by "
             "name, those of A before a -- and those of B after it. A single file stands still against a sequence; "
             "two sequences end with the shorter.\n\n"
             "SCENE is a glTF file (.glb, .gltf): every node with triangles is a body that moves with its node and "
             "morphs with its weights, and all bodies are tested against all others in every frame of an animation.",
    .examples = "  pliant collide cloth.obj table.obj\n"
                "  pliant collide 'frames/cloth_*.obj' table.obj --csv > contacts.csv\n"
                "  pliant collide frames/cloth_*.obj -- table.obj\n"
                "  pliant collide left/ right/ --first --fail-on-contact && echo no contact\n"
                "  pliant collide a.ply b.ply --json --list --limit 10\n"
                "  pliant collide 'a_%04d.obj' b.stl --strategy bottom-up --threads 2 --check\n"
                "  pliant collide scene.glb --fps 30\n",
};

/* ------------------------------------------------------------------------------------------------------- frames -- */

/* Frame 0 stands in the bodies since they were made; a still body is never set again. */
static bool move_bodies(collide_job *job, size_t index, double *ms)
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

static bool check_frame(collide_job *job, const collide_frame *frame)
{
  char difference[DUO_TEXT] = "";
  int same = duo_check(&job->duo, &frame->answer, job->options.first, difference);
  if (same < 0) output_complain("frame %zu: the reference could not answer: %s", frame->index, job->duo.message);
  if (same == 0) output_complain("frame %zu: %s", frame->index, difference);
  return same == 1;
}

static bool answer_frame(collide_job *job, size_t index, collide_frame *frame)
{
  const collide_options *o = &job->options;
  *frame = (collide_frame){.index = index};
  if (!move_bodies(job, index, &frame->ms_set)) return false;
  pl_collide_def def = pl_collide_def_default();
  def.first = o->first;
  def.sorted = o->list || o->check;
  def.budget_ms = o->budget_ms;
  if (!duo_collide(&job->duo, &def, &frame->answer)) {
    output_complain("frame %zu: %s", index, job->duo.message);
    return false;
  }
  return !o->check || check_frame(job, frame);
}

static bool run_frames(collide_job *job)
{
  bool lines = job->options.json || job->options.csv || job->options.list;
  progress bar = progress_begin("frames", job->frame_count, lines && isatty(1));
  bool good = true;
  collide_write_head(job);
  for (size_t i = 0; i < job->frame_count && good; ++i) {
    collide_frame frame;
    good = answer_frame(job, i, &frame);
    if (!good) break;
    collide_write_frame(job, &frame);
    collide_totals_add(&job->totals, &frame);
    progress_step(&bar, i + 1);
    good = !ferror(stdout);
  }
  progress_end(&bar);
  return good;
}

/* ---------------------------------------------------------------------------------------------------------- all -- */

static bool make_bodies(collide_job *job)
{
  pl_mesh_def meshes[2] = {frames_mesh(&job->side[0]), frames_mesh(&job->side[1])};
  job->def = tree_options_def(&job->options.tree);
  if (duo_create(&job->duo, job->options.threads, meshes, &job->def)) return true;
  int bad = job->duo.body[0] ? 1 : 0;
  output_complain("%s: %s", frames_path(&job->side[bad], 0), job->duo.message);
  return false;
}

static int run(collide_job *job, const file_lists *lists)
{
  if (!sides_open(job->side, lists, job->options.rounded, &job->frame_count, &job->shortened) || !make_bodies(job) ||
      !run_frames(job)) {
    fflush(stdout);
    return EXIT_ERROR;
  }
  collide_write_end(job);
  if (!output_finish()) return EXIT_ERROR;
  return job->options.fail_on_contact && job->totals.contact_frames > 0 ? EXIT_CONTACT : EXIT_DONE;
}

/* One glTF scene and options that fit it, or no glTF at all; *scene is then NULL. */
static int divide_scene(const arguments *files, const collide_options *o, const char **scene)
{
  *scene = NULL;
  for (int i = 0; i < files->count && !*scene; ++i)
    if (gltf_is_name(files->values[i])) *scene = files->values[i];
  if (!*scene && (o->fps > 0 || o->animation || o->scene || o->inbetweens))
    return options_refuse("collide", "--%s is for a glTF scene (.glb, .gltf), and none was given",
                          o->fps > 0      ? "fps"
                          : o->scene      ? "scene"
                          : o->inbetweens ? "inbetweens"
                                          : "animation");
  if (!*scene) return OPTIONS_GO_ON;
  if (files->count > 1)
    return options_refuse("collide",
                          "%s is a whole scene: it is given alone, and its own bodies are tested against each other; "
                          "put other meshes into it as nodes",
                          *scene);
  if (o->tree.strategy != PL_STRATEGY_AUTO)
    return options_refuse("collide", "--strategy is for mesh files: bodies of a glTF scene want auto");
  if (o->rounded) return options_refuse("collide", "--float is for mesh files: a glTF scene is moved in double");
  return OPTIONS_GO_ON;
}

int cmd_collide(int argc, char **argv)
{
  collide_job job = {.options = {.limit = -1, .threads = 1, .tree = tree_options_default()}};
  collide_options *o = &job.options;
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
  if (code == OPTIONS_GO_ON && o->json && o->csv) code = options_refuse("collide", "--json or --csv, not both");
  if (code == OPTIONS_GO_ON) code = divide_scene(&files, o, &scene);
  if (code == OPTIONS_GO_ON && !scene) code = sides_divide("collide", &files, &lists);
  if (code != OPTIONS_GO_ON) return code;
  if (o->limit >= 0) o->list = true;
  if (scene) return collide_gltf(o, scene);
  code = run(&job, &lists);
  duo_destroy(&job.duo);
  frames_close(&job.side[0]);
  frames_close(&job.side[1]);
  return code;
}
