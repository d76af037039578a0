/* `pliant render`: pictures of meshes, sequences, glTF animations and the built-in scenes, ray
 * traced through the library's own ray queries. Frames are posed, traced and written one at a
 * time. */
#include "common/command.h"
#include "common/frame_range.h"
#include "common/options.h"
#include "common/output.h"
#include "common/progress.h"
#include "common/shard.h"
#include "render/render.h"
#include "render/render_builtin.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define WORD(name, word) word,
static const char *const sky_words[] = {TRACE_MOOD_LIST(WORD) NULL};
#undef WORD
static const char *const ground_words[] = {"none", "plain", "checker", NULL};
static const char *const gaps_words[] = {"skip", "stop", "refuse", NULL};
static const char *const up_words[] = {"y", "z", NULL};

#define AT(member) .offset = offsetof(render_options, member)

static const option output_table[] = {
    {.name = "output", .kind = OPTION_TEXT, AT(output), .value = "NAME.png"},
    {.name = "out",
     .letter = 'o',
     .kind = OPTION_TEXT,
     AT(output),
     .value = "NAME.png",
     .help =
         "where the picture goes; for several frames a pattern with a number in it, as frame%04d.png; render.png or "
         "render%04d.png if not given"},
    {.name = "video",
     .kind = OPTION_TEXT,
     AT(video),
     .value = "OUT.mp4",
     .help =
         "a video of all frames, by ffmpeg, which must be installed; pictures are then written only if --out is given"},
    {.name = "size", .kind = OPTION_TEXT, AT(size), .value = "WxH", .help = "width and height, 640x480 if not given"},
    {.name = "frames",
     .letter = 'f',
     .kind = OPTION_TEXT,
     AT(frames),
     .value = "A..B",
     .help = "only frames A to B, counted from 0; A alone is one frame, A.. goes to the end"},
    {.name = "fps",
     .kind = OPTION_REAL,
     AT(fps),
     .value = "N",
     .low = 1e-3,
     .high = 1e4,
     .help = "frames per second of a glTF animation and of a video, 30 if not given"},
    {.name = "json", .letter = 'j', .kind = OPTION_FLAG, AT(json), .help = "one JSON object per frame, a line each"},
};

static const option scene_table[] = {
    {.name = "scene",
     .kind = OPTION_TEXT,
     AT(scene),
     .value = "NAME",
     .help =
         "a built-in scene instead of files: s4 (nine bodies in a ring), s1 (two sink into each other), s2 (27 close "
         "in), cloth (falls on a ball), dolphins (twelve, morphing), museum (a triangle soup); with a glTF file: which "
         "of its scenes"},
    {.name = "animation",
     .letter = 'a',
     .kind = OPTION_LIST,
     AT(animation),
     .value = "NAME|N|all|rest",
     .help = "which animation of a glTF file, by name or number from 0, all, or none (rest); may be repeated; several "
             "are played one after the other; the first if not given"},
    {.name = "allow-outside",
     .kind = OPTION_FLAG,
     AT(allow_outside),
     .help = "also read files that a .gltf names outside its folder; only for scenes that you trust"},
    {.name = "hide",
     .kind = OPTION_LIST,
     AT(hide),
     .value = "NAME",
     .help = "leave out a body, by the name that pliant info prints; * and ? match anything; may be repeated"},
    {.name = "contacts",
     .kind = OPTION_FLAG,
     AT(contacts),
     .help = "paint triangles red that touch another one, of another body or their own, and count their pairs"},
    {.name = "gaps",
     .kind = OPTION_WORD,
     AT(gaps),
     .words = gaps_words,
     .help = "how to treat a missing frame number, as for collide"},
    {.name = "split-groups",
     .kind = OPTION_FLAG,
     AT(split),
     .help = "every group (g, o) of an OBJ file is a body, with a colour and a name"},
    {.name = "triangles",
     .kind = OPTION_WHOLE,
     AT(triangles),
     .value = "N",
     .low = 20,
     .high = 5000000,
     .help = "about N triangles per body of a built-in scene"},
};

static const option look_table[] = {
    {.name = "camera", .kind = OPTION_TEXT, AT(camera), .value = "X,Y,Z", .help = "position of the camera"},
    {.name = "look-at",
     .kind = OPTION_TEXT,
     AT(look_at),
     .value = "X,Y,Z",
     .help = "the point in the middle of the picture"},
    {.name = "azimuth",
     .kind = OPTION_REAL,
     AT(azimuth),
     .value = "DEG",
     .low = -3600,
     .high = 3600,
     .help = "instead of --camera: direction of view in degrees around the bodies; all of them are in view"},
    {.name = "elevation",
     .kind = OPTION_REAL,
     AT(elevation),
     .value = "DEG",
     .low = -89,
     .high = 89,
     .help = "and in degrees above the horizon"},
    {.name = "zoom",
     .kind = OPTION_REAL,
     AT(zoom),
     .value = "F",
     .low = 0.01,
     .high = 100,
     .help = "F times nearer than needed to have everything in view"},
    {.name = "orbit",
     .kind = OPTION_REAL,
     AT(orbit),
     .value = "DEG",
     .low = -36000,
     .high = 36000,
     .help = "rotate the camera by this angle over all frames"},
    {.name = "fov",
     .kind = OPTION_REAL,
     AT(fov),
     .value = "DEG",
     .low = 1,
     .high = 150,
     .help = "angle of view from bottom to top, 36 if not given"},
    {.name = "up", .kind = OPTION_WORD, AT(up), .words = up_words, .help = "the axis that points up, y if not given"},
    {.name = "sky",
     .kind = OPTION_WORD,
     AT(sky),
     .words = sky_words,
     .help = "sky, light and colours; day if not given, sea for dolphins"},
    {.name = "ground", .kind = OPTION_WORD, AT(ground), .words = ground_words, .help = "the ground below the bodies"},
    {.name = "lights",
     .kind = OPTION_TEXT,
     AT(lights),
     .value = "N|X,Y,Z:...",
     .help = "number of lights, 0 to 3, or their positions; 2 if not given"},
    {.name = "mirror",
     .kind = OPTION_REAL,
     AT(mirror),
     .value = "F",
     .low = 0,
     .high = 1,
     .help = "how much bodies reflect, 0 to 1"},
    {.name = "flat", .kind = OPTION_FLAG, AT(flat), .help = "flat triangles, without smooth normals"},
    {.name = "crease",
     .kind = OPTION_REAL,
     AT(crease),
     .value = "DEG",
     .low = 0,
     .high = 89,
     .help = "edges sharper than this stay sharp, 50 if not given"},
};

static const option trace_table[] = {
    {.name = "samples",
     .kind = OPTION_WHOLE,
     AT(samples),
     .value = "N",
     .low = 1,
     .high = 4096,
     .help = "rays per pixel: 4 make smooth edges, 16 and more soft shadows; 1 if not given"},
    {.name = "subsample",
     .kind = OPTION_WHOLE,
     AT(subsample),
     .value = "S",
     .low = 1,
     .high = 64,
     .help = "trace every S-th pixel across and down, and interpolate between"},
    {.name = "budget", .kind = OPTION_REAL, AT(budget_ms), .value = "MS", .low = 0, .high = 1e9},
    {.name = "budget-ms",
     .kind = OPTION_REAL,
     AT(budget_ms),
     .value = "MS",
     .low = 0,
     .high = 1e9,
     .help = "time per frame: when it is over, mirror images and shadows are left out, the next frames are sampled "
             "coarser, and skipped work is reported; 0: no limit"},
    {.name = "no-shadows", .kind = OPTION_FLAG, AT(no_shadows), .help = "no shadow rays"},
    {.name = "no-reflections", .kind = OPTION_FLAG, AT(no_reflections), .help = "no mirrored rays"},
    {.name = "threads",
     .letter = 't',
     .kind = OPTION_WHOLE,
     AT(threads),
     .value = "N",
     .low = 0,
     .high = 256,
     .help = "threads to use; 0, or not given: all cores. The picture does not depend on it"},
};

static const command_text text = {
    .name = "render",
    .usage = "pliant render [OPTIONS] FILE...\npliant render [OPTIONS] --scene NAME",
    .about =
        "Ray traced pictures of meshes that move: primary rays, shadows and mirror images, with volumes that are "
        "refitted only where rays go.\n\n"
        "FILE is a mesh (OBJ, PLY, STL, OFF and more), a numbered sequence of files with the same topology (a "
        "directory, or a pattern in quotes), or a glTF scene (.glb, .gltf) with its animation. Several files are "
        "several bodies, but files whose names differ in numbers only are the frames of one; put -- between bodies "
        "otherwise. By default the camera sees everything in all frames, also if only some are "
        "rendered.\n\n"
        "The picture is the same, byte by byte, for every strategy and any number of threads.",
    .examples = "  pliant render bunny.obj\n"
                "  pliant render bunny.obj --size 1280x960 --samples 16 --sky dusk --out bunny.png\n"
                "  pliant render 'cloth_*.obj' ball.obj --orbit 90 --out frame%04d.png\n"
                "  pliant render scene.glb --fps 25 --video scene.mp4\n"
                "  pliant render scene.glb table.obj --translate 0,-1,0 --contacts --hide 'sky*'\n"
                "  pliant render --scene s4 --frames 29 --mirror 0.4 --samples 4\n"
                "  pliant render --scene dolphins --budget-ms 50 --json\n",
};

/* ----------------------------------------------------------------------------------- options -- */

static int parse_size(render_job *job)
{
  const char *s = job->options.size;
  char *end = NULL;
  if (!s) return OPTIONS_GO_ON;
  long width = strtol(s, &end, 10), height = 0;
  bool good = end != s && *end == 'x' && end[1] >= '0' && end[1] <= '9' && s[0] >= '0' && s[0] <= '9';
  if (good) {
    const char *second = end + 1;
    height = strtol(second, &end, 10);
    good = *end == '\0' && width >= 1 && height >= 1 && width <= 16384 && height <= 16384;
  }
  if (!good) return options_refuse("render", "--size %s: give a width and a height up to 16384, as in 640x480", s);
  job->settings.width = (int)width;
  job->settings.height = (int)height;
  return OPTIONS_GO_ON;
}

static int choose_source(render_job *job, const arguments *files)
{
  const render_options *o = &job->options;
  int found = inputs_find_runs("render", files, &job->inputs);
  if (found != OPTIONS_GO_ON) return found;
  bool gltf = inputs_have_gltf(&job->inputs), given = files->count > 0;
  bool blend = o->tree.strategy == PL_STRATEGY_AUTO || o->tree.strategy == PL_STRATEGY_BLEND;
  job->source = given ? &render_inputs : &render_builtin;
  if (given) job->ground = TRACE_GROUND_PLAIN; /* squares at one sample would draw the eye away */
  if (given && !gltf && o->scene) return options_refuse("render", "files, or --scene %s, not both", o->scene);
  if (!given && !o->scene) return options_refuse("render", "name a file, or a built-in scene with --scene");
  if (!gltf && o->animation.count)
    return options_refuse("render", "--animation is for a glTF scene (.glb, .gltf), and none was given");
  if (given && o->triangles > 0) return options_refuse("render", "--triangles is for built-in scenes, not for files");
  if (gltf && o->tree.strategy != PL_STRATEGY_AUTO)
    return options_refuse("render", "--strategy is for mesh files: bodies of a glTF scene need auto");
  if (given) return OPTIONS_GO_ON;
  int code = render_builtin_refuse(o->scene);
  if (code != OPTIONS_GO_ON) return code;
  if (render_builtin_morphs(o->scene) ? !blend : o->tree.strategy == PL_STRATEGY_BLEND)
    return options_refuse("render",
                          "--strategy %s does not go with --scene %s: morphing bodies need auto or blend, "
                          "others have no references to blend",
                          pl_word(PL_WORDS_STRATEGY, o->tree.strategy), o->scene);
  return OPTIONS_GO_ON;
}

static void settle(render_job *job)
{
  const render_options *o = &job->options;
  trace_settings *s = &job->settings;
  s->subsample = o->subsample;
  s->samples = o->samples;
  s->bounces = o->no_reflections ? 0 : 1;
  s->shadows = !o->no_shadows;
  s->crease = o->crease;
  s->budget_ms = o->budget_ms;
}

/* ------------------------------------------------------------------------------------ frames -- */

static bool choose_frames(render_job *job)
{
  bool good = frame_range_choose(job->options.frames, job->frame_count, &job->begin, &job->end);
  job->whole = job->end - job->begin;
  return good;
}

static void add_totals(render_job *job, const render_frame *f)
{
  render_totals *t = &job->totals;
  const trace_stats *s = &f->stats;
  double ms = f->ms_set + s->ms_update + s->ms_cast + s->ms_shade + s->ms_paint;
  ++t->frames;
  t->rays += (double)(s->primary + s->shadow + s->reflected);
  t->ms_set += f->ms_set;
  t->ms_update += s->ms_update;
  t->ms_cast += s->ms_cast;
  t->ms_shade += s->ms_shade + s->ms_paint;
  if (ms > t->ms_longest) t->ms_longest = ms;
  t->left_frames += s->left_shadow + s->left_reflected > 0 || s->samples < f->settings.samples;
  t->coarse_frames += f->settings.subsample > job->options.subsample;
}

static bool mark_contacts(render_job *job, render_frame *frame)
{
  if (!render_mark_contacts(job, frame->index, &frame->pairs)) return false;
  if (!render_mark_self(job, frame->index, &frame->self_pairs)) return false;
  frame->pairs += frame->self_pairs;
  return true;
}

static bool render_one(render_job *job, size_t index)
{
  render_frame frame = {.index = index, .settings = job->settings};
  if (!job->source->pose(job, index) || !render_hand_on(job, index, &frame.ms_set)) return false;
  frame.ms_set += job->ms_moved;
  if (job->options.contacts && !mark_contacts(job, &frame)) return false;
  trace_camera camera = render_camera_at(job, index);
  trace_shot shot = {job->scene, job->traced, job->actor_count, &job->world, &camera, job->settings};
  pl_status status = trace_frame(job->tracer, &shot, job->rgb, &frame.stats);
  if (status != PL_OK) {
    bool memory = status == PL_ERROR_MEMORY; /* the tracer's own has no sentence in the context */
    output_complain("frame %zu: %s", index, memory ? pl_status_text(status) : pl_context_message(job->context));
    return false;
  }
  job->settings.subsample = trace_next_subsample(&job->settings, &frame.stats, job->options.subsample);
  add_totals(job, &frame);
  if (!render_write_picture(job, &frame)) return false;
  render_write_frame(job, &frame);
  return shard_frame(index, 0, NULL);
}

static bool run_frames(render_job *job)
{
  progress bar = progress_begin("frames", job->end - job->begin, isatty(1));
  bool good = true;
  for (size_t i = job->begin; i < job->end && good; ++i) {
    good = render_one(job, i) && !ferror(stdout);
    progress_step(&bar, i + 1 - job->begin);
  }
  progress_end(&bar);
  return good;
}

static bool prepare(render_job *job)
{
  job->rgb = malloc(3 * (size_t)job->settings.width * (size_t)job->settings.height);
  return job->rgb || render_complain_memory("render");
}

/* Of the bodies, for --shard. */
static uint64_t key_of(const render_job *job)
{
  uint64_t key = shard_hash(SHARD_HASH_BEGIN, &job->frame_count, sizeof job->frame_count);
  for (size_t i = 0; i < job->actor_count; ++i) {
    size_t triangles = pl_body_triangle_count(job->actors[i].body);
    key = shard_hash(key, job->actors[i].name, strlen(job->actors[i].name) + 1);
    key = shard_hash(key, &triangles, sizeof triangles);
  }
  return key;
}

static int run(render_job *job)
{
  if (!render_stage_open(job) || !job->source->open(job) || !choose_frames(job)) return EXIT_ERROR;
  if (!render_output_check(job)) return EXIT_USAGE;
  const render_options *o = &job->options;
  if (!prepare(job) || !render_camera_frame(job)) return EXIT_ERROR;
  if (o->video && !video_open(o->video, job->settings.width, job->settings.height, o->fps, &job->video))
    return EXIT_ERROR;
  bool good = shard_begin("render", key_of(job), &job->begin, &job->end) && run_frames(job);
  good = video_close(job->video, good) && good;
  if (!good) return output_give_up();
  render_write_end(job);
  return shard_end(output_finish() ? EXIT_DONE : EXIT_ERROR);
}

int cmd_render(int argc, char **argv)
{
  render_job job = {.settings = trace_settings_default(),
                    .azimuth = 30,
                    .elevation = 16,
                    .up_axis = 1,
                    .ground = TRACE_GROUND_CHECKER,
                    .options = {.subsample = 1,
                                .samples = 1,
                                .up = -1,
                                .sky = -1,
                                .ground = -1,
                                .fps = 30,
                                .azimuth = NAN,
                                .elevation = NAN,
                                .zoom = 1,
                                .fov = 36,
                                .mirror = -1,
                                .crease = 50,
                                .tree = tree_options_default()}};
  render_options *o = &job.options;
  option_group groups[] = {
      {"Output", output_table, OPTION_COUNT(output_table), o},
      {"Scene", scene_table, OPTION_COUNT(scene_table), o},
      inputs_group(),
      {"Look", look_table, OPTION_COUNT(look_table), o},
      {"Rays", trace_table, OPTION_COUNT(trace_table), o},
      shard_group(),
      tree_options_group(&o->tree),
  };
  arguments files;
  int code = tree_options_settings(&o->tree, argc, argv);
  if (code == OPTIONS_GO_ON) code = options_parse(&text, groups, OPTION_COUNT(groups), argc, argv, &files);
  if (code == OPTIONS_GO_ON) code = shard_check("render", o->json);
  if (code == OPTIONS_GO_ON) code = shard_refuse("render", o->video, "--video", "make it of the pictures");
  if (code == OPTIONS_GO_ON) code = shard_refuse("render", o->budget_ms > 0, "--budget-ms", SHARD_WHY_BUDGET);
  if (code == OPTIONS_GO_ON) code = choose_source(&job, &files);
  if (code == OPTIONS_GO_ON) code = parse_size(&job);
  frame_range range;
  if (code == OPTIONS_GO_ON) code = frame_range_parse("render", o->frames, &range);
  if (code == OPTIONS_GO_ON) code = render_output_parse(&job);
  if (code == OPTIONS_GO_ON) code = render_camera_parse(&job);
  if (code == OPTIONS_GO_ON) {
    settle(&job);
    code = run(&job);
    if (job.source->close) job.source->close(&job);
    render_stage_close(&job);
  }
  inputs_free(&job.inputs);
  return code;
}
