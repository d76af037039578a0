/* A stack of cloth layers falls on the floor and settles: the solver of
 * docs/examples/cloth_solver.c, the same file, in float. After every step exact arithmetic looks
 * for triangles that touch. */
#include "bench/experiment.h"
#include "scenes/ask.h"

#define CLOTH_SOLVER_ONLY
#include "docs/examples/cloth_solver.c" // NOLINT: the example is what is measured

/* Triangles that touch; with the reference: those that it finds, which must be as many. */
static bool count_touching(bench_report *report, solver *s, bool reference, size_t *out)
{
  const pl_result *found;
  *out = intersections(s);
  if (!reference) return true;
  if (refer_touching(pl_all(s->scene), NULL, &found) != PL_OK)
    return bench_fail(report, "%s", pl_context_message(s->context));
  if (found->count != *out)
    return bench_fail(report, "%zu intersections where the reference finds %zu", *out, found->count);
  bench_compared(&report->compared, "touching triangles after a step", BENCH_REFERENCE, -1, found->count);
  return true;
}

static const bench_column columns[] = {{"layers", "layers", 0},
                                       {"triangles", "triangles", 0},
                                       {"steps", "steps", 0},
                                       {"intersections", "steps with intersections", 0},
                                       {"contact_share", "share of contact", 3},
                                       {"searches", "searches per step", 2},
                                       {"checks", "checks of certificates per step", 2},
                                       {"step_ms", "ms per step", 2}};

bool layers_run(const bench_options *options, bench_report *report)
{
  const uint32_t layers = options->quick  ? 3
                          : options->full ? 50
                                          : 10,
                 side = options->quick  ? 9
                        : options->full ? 33
                                        : 21;
  const int steps = options->quick ? 10 : options->full ? 1000 : 100;
  solver s;
  size_t bad = 0;
  bench_table_init(&report->summary, columns, sizeof columns / sizeof *columns);
  solver_open(&s, layers, side, 1, 0.008f, 0.006f);
  renew(&s);
  for (int step = 0; step < steps; ++step) {
    solver_step(&s);
    const bool checks = step % (steps / 10) == 0 && (s.count < 10000 || step == 0);
    size_t touching;
    if (!count_touching(report, &s, checks, &touching)) return false;
    bad += touching > 0;
    bench_progress(report, "%s: step %d of %d, %zu searches", report->experiment, step, steps, s.searches);
  }
  const double share = s.contact_s / s.all_s;
  bench_number(&report->summary, layers);
  bench_number(&report->summary, (double)layers * 2 * (side - 1) * (side - 1));
  bench_number(&report->summary, steps);
  bench_number(&report->summary, (double)bad);
  bench_number(&report->summary, share);
  bench_number(&report->summary, (double)s.searches / steps);
  bench_number(&report->summary, (double)s.checks / steps);
  bench_number(&report->summary, 1e3 * s.all_s / steps);
  bench_headline_add(report, "intersections", (double)bad, NAN);
  bench_headline_add(report, "contact_share", share, NAN);
  snprintf(report->setting, sizeof report->setting,
           "%u layers of 1 m, 6 mm apart, fall on a floor; steps of 5 ms, float", layers);
  bench_note(report, "A search is a near question or a free step; without certificates every check would be one.");
  solver_close(&s);
  return true;
}
