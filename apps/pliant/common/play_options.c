#include "common/play_options.h"

#include "common/ranks.h"
#include "common/results_out.h"
#include "common/shard.h"

static const option query_table[] = {
    {.name = "threads",
     .letter = 't',
     .kind = OPTION_WHOLE,
     .offset = offsetof(play_options, threads),
     .value = "N",
     .low = 0,
     .high = 256,
     .help = "threads to use; 0, or not given: all cores. The result is the same"},
    {.name = "float",
     .kind = OPTION_FLAG,
     .offset = offsetof(play_options, stage.rounded),
     .help = "round positions to float first, as a simulator in single precision would see them"},
    {.name = "check",
     .kind = OPTION_FLAG,
     .offset = offsetof(play_options, check),
     .help =
         "compare every frame with the reference, which tests every triangle against every other (slow); exit code 2 "
         "if they differ"},
};

static const option see_table[] = {
    {.name = "report",
     .letter = 'r',
     .kind = OPTION_TEXT,
     .offset = offsetof(play_options, report),
     .value = "OUT.html",
     .help = "one page to look at: the curve over the frames, pictures of the worst ones, a table of the bodies"},
    {.name = "out",
     .letter = 'o',
     .kind = OPTION_TEXT,
     .offset = offsetof(play_options, out),
     .value = "OUT.ply|OUT.glb",
     .help = "the triangles that were found, of all frames, each with its frame and body; with a number in the name "
             "(found_%04d.ply) a file for each frame that has any"},
};

static const option new_table[] = {
    {.name = "only-new",
     .letter = 'n',
     .kind = OPTION_FLAG,
     .offset = offsetof(pair_choice_options, only_new),
     .help = "for scenes whose parts touch at rest: pairs of bodies that touch in the first frame are listed once and "
             "then left out"},
};

play_options play_options_default(void) { return (play_options){.threads = 0, .tree = tree_options_default()}; }

static int check_tree(const play_options *o, const char *command, const input_list *inputs)
{
  if (inputs_have_gltf(inputs) && o->tree.strategy != PL_STRATEGY_AUTO)
    return play_refuse_scene(command, "strategy", "bodies of a glTF scene need auto");
  return OPTIONS_GO_ON;
}

int play_options_parse(play_options *o, const command_text *text, const play_tables *own, int argc, char **argv,
                       input_list *inputs)
{
  const option_group groups[] = {
      {"Output", own->output, own->output_count, own->target},
      {NULL, see_table, OPTION_COUNT(see_table), o},
      {"Query", own->query, own->query_count, own->target},
      {NULL, query_table, OPTION_COUNT(query_table), o},
      {"Selection", pair_choice_table, PAIR_CHOICE_OPTIONS, &o->choice},
      {NULL, new_table, OPTION_COUNT(new_table), &o->choice},
      {NULL, stage_files_table, STAGE_FILES_OPTIONS, &o->stage},
      inputs_group(),
      {"glTF scenes", stage_scene_table, STAGE_SCENE_OPTIONS, &o->stage},
      {NULL, own->scene, own->scene_count, own->target},
      shard_group(),
      ranks_group(),
      tree_options_group(&o->tree),
  };
  arguments files;
  inputs->count = 0;
  inputs->names = (io_sequence){0};
  int code = tree_options_settings(&o->tree, argc, argv);
  if (code == OPTIONS_GO_ON) code = options_parse(text, groups, OPTION_COUNT(groups), argc, argv, &files);
  if (code == OPTIONS_GO_ON) code = shard_check(text->name, o->json || o->csv);
  if (code == OPTIONS_GO_ON) code = shard_refuse(text->name, o->budget_ms > 0, "--budget-ms", SHARD_WHY_BUDGET);
  if (code == OPTIONS_GO_ON) code = ranks_check(text->name);
  if (code == OPTIONS_GO_ON) code = ranks_refuse(text->name, o->budget_ms > 0, "--budget-ms", RANKS_WHY_BUDGET);
  if (code == OPTIONS_GO_ON)
    code = ranks_refuse(text->name, o->choice.body.count || o->choice.ignore.count || o->choice.only_new,
                        "--body, --ignore or --only-new", "ranks ask all bodies");
  if (code == OPTIONS_GO_ON) code = results_out_check(o, text->name);
  if (code == OPTIONS_GO_ON && o->json && o->csv) code = options_refuse(text->name, "--json or --csv, not both");
  int least = o->stage.split ? 1 : 2;
  if (code == OPTIONS_GO_ON) code = inputs_find(text->name, "two meshes or a glTF scene", least, &files, inputs);
  if (code == OPTIONS_GO_ON) code = check_tree(o, text->name, inputs);
  if (code == OPTIONS_GO_ON) code = stage_options_check(&o->stage, text->name, inputs);
  if (code != OPTIONS_GO_ON) inputs_free(inputs);
  return code;
}

bool play_is_scene(const play_options *o, const input_list *inputs)
{
  const pair_choice_options *c = &o->choice;
  return inputs->count != 2 || inputs_have_gltf(inputs) || o->stage.split || c->body.count || c->ignore.count ||
         c->only_new;
}

stage_def play_stage_def(const play_options *o)
{
  return (stage_def){.options = o->stage, .body = tree_options_def(&o->tree), .threads = o->threads};
}

int play_refuse_files(const char *command, const char *name)
{
  return options_refuse(command, "--%s is for a glTF scene (.glb, .gltf), and none was given", name);
}

int play_refuse_scene(const char *command, const char *name, const char *why)
{
  return options_refuse(command, "--%s is for mesh files: %s", name, why);
}
