/* `pliant impact`: when moving triangles first meet. */
#include "common/command.h"
#include "common/options.h"
#include "common/output.h"
#include "common/ranks.h"
#include "common/shard.h"
#include "impact/impact.h"

static const char *const kinds[] = {"by-name", "vertex-face", "edge-edge", NULL};

static const option queries_table[] = {
    {.name = "queries",
     .kind = OPTION_TEXT,
     .offset = offsetof(impact_options, queries.path),
     .value = "FILE.csv",
     .help =
         "decide the single queries of a file: four points a query, 8 rows (at the start, at the end), coordinates "
         "as numerator and denominator, and a label; prints how many agree with their labels, and the time of a query"},
    {.name = "kind",
     .kind = OPTION_WORD,
     .offset = offsetof(impact_options, queries.kind),
     .words = kinds,
     .help =
         "what the four points of a query are; by-name: as the file's path says (edge-edge or ...ee.csv, vertex-face "
         "or ...vf.csv)"},
    {.name = "labels",
     .kind = OPTION_TEXT,
     .offset = offsetof(impact_options, queries.labels),
     .value = "FILE.json",
     .help = "labels from a JSON array of true and false, one for each query"},
};

static const option output_table[] = {
    {.name = "json",
     .letter = 'j',
     .kind = OPTION_FLAG,
     .offset = offsetof(impact_options, json),
     .help = "one JSON object per interval, a line each: interval, time (null: no contact), safe_step, vertex_face, "
             "edge_edge, features and more; with --queries one object"},
    {.name = "list",
     .kind = OPTION_FLAG,
     .offset = offsetof(impact_options, list),
     .help = "all contacts of an interval, in the order of time"},
    {.name = "report",
     .letter = 'r',
     .kind = OPTION_TEXT,
     .offset = offsetof(impact_options, report),
     .value = "OUT.html",
     .help = "also a page with a curve, pictures of the intervals with the most contacts and a table of the intervals"},
    {.name = "fail-on-contact",
     .kind = OPTION_FLAG,
     .offset = offsetof(impact_options, fail_on_contact),
     .help = "exit code 1 if there is a contact in any interval"},
};

static const option query_table[] = {
    {.name = "self",
     .kind = OPTION_FLAG,
     .offset = offsetof(impact_options, self),
     .help = "each body against itself instead of against the others"},
    {.name = "no-weld",
     .kind = OPTION_FLAG,
     .offset = offsetof(impact_options, no_weld),
     .help = "with --self: do not join vertices at the same position; seams are then in contact"},
    {.name = "first",
     .kind = OPTION_FLAG,
     .offset = offsetof(impact_options, first),
     .help = "report and count only the first contact of each interval, which is faster"},
    {.name = "turning",
     .kind = OPTION_FLAG,
     .offset = offsetof(impact_options, turning),
     .help = "bodies turn on screws from frame to frame, not straight: by their transforms or bones in a glTF scene, "
             "otherwise by the rotation, of up to half a turn, that fits their vertices best"},
    {.name = "margin",
     .kind = OPTION_REAL,
     .offset = offsetof(impact_options, margin),
     .value = "M",
     .low = 0,
     .high = 1e300,
     .help = "features that come within M of each other are in contact"},
    {.name = "separation",
     .kind = OPTION_REAL,
     .offset = offsetof(impact_options, margin),
     .value = "M",
     .low = 0,
     .high = 1e300},
    {.name = "budget-ms",
     .kind = OPTION_REAL,
     .offset = offsetof(impact_options, budget_ms),
     .value = "MS",
     .low = 0,
     .high = 1e9,
     .help = "end each interval's search after about this many milliseconds; its result is then marked partial, and "
             "there is no contact before safe_step; 0: no limit"},
    {.name = "threads",
     .letter = 't',
     .kind = OPTION_WHOLE,
     .offset = offsetof(impact_options, threads),
     .value = "N",
     .low = 0,
     .high = 256,
     .help = "threads to use; 0, or not given: all cores. The result is the same"},
    {.name = "float",
     .kind = OPTION_FLAG,
     .offset = offsetof(impact_options, stage.rounded),
     .help = "round positions to float first"},
    {.name = "check",
     .kind = OPTION_FLAG,
     .offset = offsetof(impact_options, check),
     .help = "compare every interval with the reference, which tries every feature against every other (slow); exit "
             "code 2 if they differ"},
};

static const command_text text = {
    .name = "impact",
    .usage = "pliant impact [OPTIONS] A B\npliant impact [OPTIONS] A... -- B...\npliant impact [OPTIONS] --self A\n"
             "pliant impact [OPTIONS] SCENE\npliant impact [OPTIONS] --queries FILE.csv",
    .about =
        "When moving triangles first meet: from frame to frame every vertex goes straight from its old to its new "
        "position, and vertices meet faces or edges meet edges. Exact; times are fractions of the interval, rounded "
        "down, so they are never late.\n\n"
        "A and B are sequences of mesh files with the same topology (a directory, a pattern in quotes, or all "
        "files by name, "
        "those of A before a -- and those of B after it); a single file does not move. SCENE is a glTF file (.glb, "
        ".gltf): all "
        "bodies against all. With --self the files are the frames of one mesh.",
    .examples = "  pliant impact 'cloth_*.obj' table.obj\n"
                "  pliant impact --self 'cloth_*.obj' --json --list\n"
                "  pliant impact --self step_0.ply step_1.ply --fail-on-contact\n"
                "  pliant impact scene.glb --fps 30 --report impact.html\n"
                "  pliant impact --queries edge-edge/data_0_0.csv --json\n"
                "  pliant impact --queries 227vf.csv --labels 227vf_mma_bool.json\n",
};

static int run_queries(impact_options *o, const arguments *files)
{
  if (files->count) return options_refuse("impact", "%s is one file too many: --queries reads one", files->values[0]);
  o->queries.json = o->json;
  return impact_queries_run(&o->queries);
}

/* With --self all files, unless they are divided or glTF, are the frames of one mesh. */
static int find_inputs(const impact_options *o, const arguments *files, input_list *out)
{
  if (o->self) return inputs_find_mesh("impact", "a sequence or a glTF scene", files, out);
  return inputs_find("impact", "two meshes or a glTF scene", 2, files, out);
}

static int check_ranks(const impact_options *o)
{
  int code = ranks_check("impact");
  if (code == OPTIONS_GO_ON) code = ranks_refuse("impact", o->queries.path, "--queries", "they have no meshes");
  if (code == OPTIONS_GO_ON) code = ranks_refuse("impact", o->budget_ms > 0, "--budget-ms", RANKS_WHY_BUDGET);
  if (code == OPTIONS_GO_ON)
    code = ranks_refuse("impact", o->first, "--first", "which of several at one time is first depends on the trees");
  if (code == OPTIONS_GO_ON)
    code = ranks_refuse("impact", o->turning, "--turning", "ranks know the kept poses of bodies alone");
  return code;
}

int cmd_impact(int argc, char **argv)
{
  impact_options o = {.tree = tree_options_default()};
  const option_group groups[] = {
      {"Output", output_table, OPTION_COUNT(output_table), &o},
      {"Query", query_table, OPTION_COUNT(query_table), &o},
      {"Selection", stage_files_table, STAGE_FILES_OPTIONS, &o.stage},
      inputs_group(),
      {"glTF scenes", stage_scene_table, STAGE_SCENE_OPTIONS, &o.stage},
      {"Single queries", queries_table, OPTION_COUNT(queries_table), &o},
      shard_group(),
      ranks_group(),
      tree_options_group(&o.tree),
  };
  arguments files;
  input_list inputs = {.count = 0};
  int code = tree_options_settings(&o.tree, argc, argv);
  if (code == OPTIONS_GO_ON) code = options_parse(&text, groups, OPTION_COUNT(groups), argc, argv, &files);
  if (code != OPTIONS_GO_ON) return code;
  code = shard_check("impact", o.json);
  if (code == OPTIONS_GO_ON) code = shard_refuse("impact", o.queries.path, "--queries", "they have no frames");
  if (code == OPTIONS_GO_ON) code = shard_refuse("impact", o.budget_ms > 0, "--budget-ms", SHARD_WHY_BUDGET);
  if (code == OPTIONS_GO_ON) code = check_ranks(&o);
  if (code != OPTIONS_GO_ON) return code;
  if (o.queries.path) return run_queries(&o, &files);
  if (o.turning && o.check)
    return options_refuse("impact", "--check is for straight ways: the reference does not turn; leave out --turning");
  code = report_check("impact", o.report);
  if (code == OPTIONS_GO_ON) code = find_inputs(&o, &files, &inputs);
  if (code == OPTIONS_GO_ON && inputs_have_gltf(&inputs) && o.tree.strategy != PL_STRATEGY_AUTO)
    code = options_refuse("impact", "--strategy is for mesh files: bodies of a glTF scene need auto");
  if (code == OPTIONS_GO_ON) code = stage_options_check(&o.stage, "impact", &inputs);
  if (code == OPTIONS_GO_ON) code = impact_run(&o, &inputs);
  inputs_free(&inputs);
  return code;
}
