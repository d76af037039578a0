/* Time over triangles, as the slides have it beside time over in-betweens: two bodies that
 * approach and touch, 30 000 to 90 000 triangles in all. */
#include "bench/zachmann_stage.h"

#include <math.h>

enum { IN_BETWEENS = 16 };

/* As a chart of the slides was read; whether they count the triangles of one body or of both
 * they do not say. */
static const struct size {
  int triangles; /* of both */
  double slides_list_ms, slides_swept_ms;
} sizes[] = {{30000, 50, 550}, {50000, 50, 750}, {70000, 50, 950}, {90000, 50, 1150}},
  small[] = {{640, NAN, NAN}, {2560, NAN, NAN}};
enum { SIZES = sizeof sizes / sizeof *sizes, SMALL_SIZES = sizeof small / sizeof *small };

static const bench_column columns[] = {{"triangles", "triangles of both", 0},
                                       {"in_betweens", "in-betw.", 0},
                                       {"list_ms", "list ms", 3},
                                       {"linear_ms", "linear ms", 3},
                                       {"exact_ms", "exact ms", 3},
                                       {"swept_leaves_ms", "swept leaves", 3},
                                       {"swept_ms", "swept ms", 3},
                                       {"swept_plain_ms", "plain ms", 3},
                                       {"swept_exact_ms", "swept exact", 2},
                                       {"internal_events", "internal ev.", 0},
                                       {"external_events", "external", 0},
                                       {"internal_per_external", "ratio", 2},
                                       {"contacts", "contacts", 0},
                                       {"slides_list_ms", "slides: list", 0},
                                       {"slides_swept_ms", "swept", 0}};

typedef struct cost {
  double triangles, list, linear, swept;
} cost;

static bool measure(stage *s, const struct size *size, cost *out)
{
  size_t none;
  bool same = true;
  double swept[BASELINES], exact, list;
  bool good = zachmann_check(s);
  for (int which = 0; which < BASELINES && good; ++which)
    good = zachmann_play_swept(s, which, IN_BETWEENS, &swept[which]);
  good = good && zachmann_play_swept_exact(s, IN_BETWEENS, &exact) &&
         zachmann_play_list(s, IN_BETWEENS, true, &list, &none, &same);
  if (!good) return s->report->error[0] ? false : bench_fail(s->report, "%s", pl_context_message(s->context));
  const double internal = zachmann_internal_events(&s->info), external = zachmann_external_events(&s->info);
  const double triangles = (double)(s->flight[0].mesh.triangle_count + s->flight[1].mesh.triangle_count);
  const double numbers[] = {triangles,
                            IN_BETWEENS,
                            list,
                            s->linear_ms,
                            s->exact_ms,
                            swept[LEAVES],
                            swept[CAREFUL],
                            swept[PLAIN],
                            exact,
                            internal,
                            external,
                            internal / external,
                            (double)s->contacts,
                            size->slides_list_ms,
                            size->slides_swept_ms};
  for (size_t k = 0; k < sizeof numbers / sizeof *numbers; ++k) bench_number(&s->report->variants, numbers[k]);
  *out = (cost){triangles, list, s->linear_ms, swept[CAREFUL]};
  return true;
}

static bool run_size(const bench_options *options, bench_report *report, const struct size *size, cost *out)
{
  stage s;
  bool good = zachmann_open(options, report, &s);
  s.key = "near, sizes";
  s.bodies = 2;
  bench_progress(report, "%s: %d triangles of both bodies", report->experiment, size->triangles);
  for (int b = 0; b < 2 && good; ++b)
    good =
        bench_flight_sphere(FLIGHT_NEAR, b, size->triangles / 2, &s.flight[b]) || bench_fail(report, "out of memory");
  good = good && measure(&s, size, out);
  zachmann_close(&s);
  return good;
}

bool zachmann_sizes(const bench_options *options, bench_report *report)
{
  const struct size *list = options->quick ? small : sizes;
  const int count = options->quick ? SMALL_SIZES : SIZES;
  cost all[SIZES] = {{.list = 0}};
  bench_table_init(&report->variants, columns, sizeof columns / sizeof *columns);
  for (int i = 0; i < count; ++i)
    if (!run_size(options, report, &list[i], &all[i])) return false;
  const cost *last = &all[count - 1];
  bench_headline_add(report, "growth_list", last->list / all[0].list, options->quick ? NAN : 1);
  bench_headline_add(report, "growth_linear", last->linear / all[0].linear, NAN);
  bench_headline_add(report, "growth_swept", last->swept / all[0].swept, options->quick ? NAN : 1150.0 / 550);
  bench_note(report,
             "Below: time over triangles at %d in-betweens (slides: as a chart was read; in milliseconds of 2008). "
             "growth: from %.0f to "
             "%.0f triangles.",
             IN_BETWEENS, all[0].triangles, last->triangles);
  bench_note(report, "Events: internal ones change a realizing vertex in the trees or renew the gap of a pair; "
                     "external ones change the "
                     "list, because a pair begins or ceases to overlap. The slides call a list efficient if the ratio "
                     "is about 1 or less.");
  return true;
}
