#include "play_options.h"

#include "io/gltf.h"

static const option query_table[] = {
    {.name = "threads",
     .kind = OPTION_WHOLE,
     .offset = offsetof(play_options, threads),
     .value = "N",
     .low = 0,
     .high = 256,
     .help = "threads to use, 1 if not given; 0 is all cores. The answer is the same"},
    {.name = "float",
     .kind = OPTION_FLAG,
     .offset = offsetof(play_options, rounded),
     .help = "round positions to float first, as a simulator in single precision would see them"},
    {.name = "check",
     .kind = OPTION_FLAG,
     .offset = offsetof(play_options, check),
     .help =
         "compare every frame with the reference, which tries every triangle against every other (slow); exit code 2 "
         "if they differ"},
};

static const option scene_table[] = {
    {.name = "fps",
     .kind = OPTION_REAL,
     .offset = offsetof(play_options, fps),
     .value = "N",
     .low = 1e-6,
     .high = 1e6,
     .help = "frames per second of the animation, 30 if not given"},
    {.name = "animation",
     .kind = OPTION_TEXT,
     .offset = offsetof(play_options, animation),
     .value = "NAME|N|all|rest",
     .help = "which animation, by name or number from 0, all of them at once, or none; the first if not given"},
    {.name = "scene",
     .kind = OPTION_TEXT,
     .offset = offsetof(play_options, scene),
     .value = "NAME|N",
     .help = "which scene of the file, by name or number from 0; the file's default one if not given"},
    {.name = "allow-outside",
     .kind = OPTION_FLAG,
     .offset = offsetof(play_options, allow_outside),
     .help = "also read files that a .gltf names outside its folder; only for scenes that you trust"},
};

play_options play_options_default(void) { return (play_options){.threads = 1, .tree = tree_options_default()}; }

int play_options_parse(play_options *o, const command_text *text, const play_tables *own, int argc, char **argv,
                       arguments *files)
{
  const option_group groups[] = {
      {"Output", own->output, own->output_count, own->target},
      {"Query", own->query, own->query_count, own->target},
      {NULL, query_table, OPTION_COUNT(query_table), o},
      {"glTF scenes", scene_table, OPTION_COUNT(scene_table), o},
      {NULL, own->scene, own->scene_count, own->target},
      tree_options_group(&o->tree),
  };
  int code = tree_options_settings(&o->tree, argc, argv);
  if (code == OPTIONS_GO_ON) code = options_parse(text, groups, OPTION_COUNT(groups), argc, argv, files);
  if (code == OPTIONS_GO_ON && o->json && o->csv) code = options_refuse(text->name, "--json or --csv, not both");
  return code;
}

int play_refuse_files(const char *command, const char *name)
{
  return options_refuse(command, "--%s is for a glTF scene (.glb, .gltf), and none was given", name);
}

int play_refuse_scene(const char *command, const char *name, const char *why)
{
  return options_refuse(command, "--%s is for mesh files: %s", name, why);
}

static int check_scene(const play_options *o, const char *command, const char *path, int count)
{
  if (count > 1)
    return options_refuse(
        command,
        "%s is a whole scene: it is given alone, and its own bodies are tested against each other; put "
        "other meshes into it as nodes",
        path);
  if (o->tree.strategy != PL_STRATEGY_AUTO)
    return play_refuse_scene(command, "strategy", "bodies of a glTF scene want auto");
  if (o->rounded) return play_refuse_scene(command, "float", "a glTF scene is moved in double");
  return OPTIONS_GO_ON;
}

int play_options_source(const play_options *o, const char *command, const arguments *files, play_source *out)
{
  *out = (play_source){0};
  for (int i = 0; i < files->count && !out->scene; ++i)
    if (gltf_is_name(files->values[i])) out->scene = files->values[i];
  if (out->scene) return check_scene(o, command, out->scene, files->count);
  if (o->fps > 0) return play_refuse_files(command, "fps");
  if (o->scene) return play_refuse_files(command, "scene");
  if (o->animation) return play_refuse_files(command, "animation");
  if (o->allow_outside) return play_refuse_files(command, "allow-outside");
  return sides_divide(command, "two meshes or a glTF scene", files, &out->lists);
}
