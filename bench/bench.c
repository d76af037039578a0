/* The list of experiments, and what happens to a report. */
#include "bench/bench.h"

#include "bench/plot.h"

#include <unistd.h>

const bench_experiment bench_experiments[] = {
    {"larsson-a1", "Larsson, paper A, figure 5.3", "two bumpy spheres sink into each other", larsson_a1_run,
     larsson_a1_plot, 900},
    {"larsson-a2", "Larsson, paper A, table 5.1", "the same at many sizes: how the cost of a step grows",
     larsson_a2_run, larsson_a2_plot, 700},
    {"larsson-a3", "Larsson, paper A, figure 5.4", "27 bodies close in on each other: bumpy spheres, bodies with arms",
     larsson_a3_run, larsson_a3_plot, 900},
    {"larsson-b1", "Larsson, paper B, figure 6.5", "two morphing bodies pass through each other", larsson_b1_run,
     larsson_b1_plot, 900},
    {"larsson-b2", "Larsson, paper B, figure 6.8", "twelve morphing dolphins at four sizes", larsson_b2_run,
     larsson_b2_plot, 700},
    {"larsson-c1", "Larsson, paper C, table 7.1", "nine reflective bodies, ray traced at three resolutions",
     larsson_c1_run, larsson_c1_plot, 1100},
    {"larsson-c2", "Larsson, paper C, table 7.2", "a museum with a triangle soup, ray traced: trees and a grid",
     larsson_c2_run, larsson_c2_plot, 900},
    {"spillmann-1", "Spillmann, figures 6 and 7",
     "spheres moved in constant time against smallest ones, 8k to 160k points", spillmann_1_run, NULL, 0},
    {"bitar", "Bitar, table 2", "the distance of five pairs of flexible parts, with volumes that grow or are made anew",
     bitar_run, bitar_plot, 900},
    {"schwartzman-1", "Schwartzman, Gascon, Otaduy, figure 2",
     "a subdivided cloth against itself: cones from governors", schwartzman_1_run, schwartzman_1_plot, 900},
    {"schwartzman-2", "Schwartzman, Gascon, Otaduy, figure 3", "a skinned animal against itself, walking and running",
     schwartzman_2_run, schwartzman_2_plot, 900},
    {"schwartzman-3", "Schwartzman, Gascon, Otaduy, figure 4", "a body that follows particles against itself",
     schwartzman_3_run, schwartzman_3_plot, 700},
    {"zachmann-1", "Zachmann, kinetic trees",
     "events and updates of kinetic trees beside refitting, 5 120 to 81 920 triangles", zachmann_1_run, NULL, 0},
    {"zachmann-2", "Zachmann, separation lists",
     "all contacts of two bodies between two keys, with 2 to 160 in-betweens", zachmann_2_run, NULL, 0},
    {"zachmann-3", "Zachmann, separation lists", "the same within one body: a cloth", zachmann_3_run, NULL, 0},
    {"zachmann-4", "Zachmann, kinetic ray casting", "an image kept by events beside casting every ray per in-between",
     zachmann_4_run, NULL, 0},
    {"spillmann-2", "Spillmann, table 1", "300 soft bodies fall and pile up: contacts at levels 2 to 6",
     spillmann_2_run, NULL, 0},
    {"spillmann-3", "Spillmann, figure 9", "three soft bodies with 19k points", spillmann_3_run, NULL, 0},
    {"callers", "pliant", "27 bodies asked by two of the caller's threads at once", callers_run, NULL, 0},
    {"impact", "pliant", "first contacts, all contacts and candidates of whole steps of one mesh", steps_run, NULL, 0},
    {"regions", "pliant", "connected intersections beside the pairs that they are made of", regions_run, NULL, 0},
    {"growth", "pliant", "every question on fans, books, coincident triangles and other hostile inputs: how time grows",
     growth_run, NULL, 0},
    {"thick", "pliant", "near features and separations within one body beside its touching triangles", thick_run, NULL,
     0},
    {"fronts", "pliant", "what fronts of walks between two bodies could save, in tests of eight boxes", fronts_run,
     NULL, 0},
    {"auto", "pliant", "the strategy auto beside every fixed one, on our scenes and on characters", auto_run, NULL, 0},
    {"rot", "pliant", "old trees beside new ones: soups in turbulence, crumpled and stirred sheets", rot_run, NULL, 0},
    {"edits", "pliant", "a sheet that is cut, torn and mended: what an edit costs over its triangles", edits_run, NULL,
     0},
    {"steps", "pliant", "steps that are free after rounding, checked in exact arithmetic", free_steps_run, NULL, 0},
    {"arcs", "pliant", "bars that turn past posts beside interval arithmetic: what is missed, and what arcs cost",
     arcs_run, NULL, 0},
    {"layers", "pliant", "a stack of cloth settles with certificates: never an intersection, and what contact costs",
     layers_run, NULL, 0},
    {0},
};

bool bench_play_experiment(const bench_experiment *e, const bench_options *options, const char *out,
                           bench_report *report)
{
  report->experiment = e->name;
  report->paper = e->paper;
  report->what = e->what;
  report->out = out;
  report->quick = options->quick;
  report->progress = isatty(STDERR_FILENO);
  bool good = e->run(options, report);
  bench_report_tabulate(report);
  good = good && bench_report_write_tables(report) && bench_plot(e, report) && bench_report_write_json(report);
  bench_progress(report, "%s", "");
  return good;
}
