/* `pliant impact`: when moving triangles first meet. */
#include "command.h"
#include "impact_queries.h"
#include "options.h"
#include "output.h"

static const char *const kinds[] = {"by-name", "vertex-face", "edge-edge", NULL};

static const option queries_table[] = {
    {.name = "queries",
     .kind = OPTION_TEXT,
     .offset = offsetof(impact_queries, path),
     .value = "FILE.csv",
     .help =
         "decide the single queries of a file: four points a query, 8 rows (at the start, at the end), coordinates "
         "as numerator and denominator, and a label; prints how many agree with their labels, and the time of a query"},
    {.name = "kind",
     .kind = OPTION_WORD,
     .offset = offsetof(impact_queries, kind),
     .words = kinds,
     .help =
         "what the four points of a query are; by-name: as the file's path says (edge-edge or ...ee.csv, vertex-face "
         "or ...vf.csv)"},
    {.name = "labels",
     .kind = OPTION_TEXT,
     .offset = offsetof(impact_queries, labels),
     .value = "FILE.json",
     .help = "labels from a JSON array of true and false, one for each query"},
    {.name = "json", .kind = OPTION_FLAG, .offset = offsetof(impact_queries, json), .help = "one JSON object"},
};

static const command_text text = {
    .name = "impact",
    .usage = "pliant impact [OPTIONS] --queries FILE.csv",
    .about = "When moving triangles first meet: every vertex goes straight from its old to its new position. Decided "
             "exactly; times "
             "are rounded down, so that they are never late.",
    .examples = "  pliant impact --queries edge-edge/data_0_0.csv --json\n"
                "  pliant impact --queries 227vf.csv --labels 227vf_mma_bool.json\n",
};

int cmd_impact(int argc, char **argv)
{
  impact_queries queries = {0};
  option_group groups[] = {{"Options", queries_table, OPTION_COUNT(queries_table), &queries}};
  arguments files;
  int code = options_parse(&text, groups, 1, argc, argv, &files);
  if (code != OPTIONS_GO_ON) return code;
  if (!queries.path) return options_refuse("impact", "--queries FILE.csv is wanted");
  if (files.count) return options_refuse("impact", "%s is one file too many: --queries reads one", files.values[0]);
  return impact_queries_run(&queries);
}
