/* The table of `pliant demo`, and the same as JSON. */
#include "common/output.h"
#include "demo/demo.h"
#include "io/show.h"

#include <stdio.h>

void demo_write_columns(void)
{
  printf("\n  step  touching pairs    ours ms   refit all ms  times faster   classic ms  times faster\n");
}

void demo_write_row(const demo_step *d)
{
  char pairs[OUTPUT_NUMBER_SIZE];
  printf("%6d  %14s  %9.3f  %13.3f  %12.1f  %11.3f  %12.1f\n", d->step, output_count(d->pairs, pairs), d->ms[DEMO_OURS],
         d->ms[DEMO_REFIT], d->ms[DEMO_REFIT] / d->ms[DEMO_OURS], d->ms[DEMO_CLASSIC],
         d->ms[DEMO_CLASSIC] / d->ms[DEMO_OURS]);
  fflush(stdout);
}

void demo_write_head(const demo_result *r)
{
  char triangles[OUTPUT_NUMBER_SIZE];
  printf(
      "Two bumpy spheres of %s triangles each sink into each other; every vertex moves at every step.\n"
      "  ours        upper levels of both trees are refitted, the rest only where the bodies come near (hybrid)\n"
      "  refit all   every bounding volume of the same trees is refitted at every step, then the same question "
      "(bottom-up)\n"
      "  classic     the same with the usual trees: binary, one triangle per leaf\n"
      "%d thread%s, %s; the best of a few runs of each step, from new positions to the list of all touching pairs.\n",
      output_count(r->triangles, triangles), r->threads, r->threads == 1 ? "" : "s", r->simd);
}

void demo_write_end(const demo_result *r, const char *page)
{
  uint64_t updated[DEMO_WAYS] = {0};
  char ours[OUTPUT_NUMBER_SIZE], all[OUTPUT_NUMBER_SIZE];
  for (size_t i = 0; i < r->step_count; ++i)
    for (int w = 0; w < DEMO_WAYS; ++w) updated[w] += r->steps[i].updated[w];
  printf("\nAll %zu steps: ours %.1f ms; refit all %.1f ms, ours is %.1f times faster; classic %.1f ms, ours is %.1f "
         "times faster.\n"
         "%s volumes refitted instead of %s.\n\n",
         r->step_count, r->total[DEMO_OURS], r->total[DEMO_REFIT], r->total[DEMO_REFIT] / r->total[DEMO_OURS],
         r->total[DEMO_CLASSIC], r->total[DEMO_CLASSIC] / r->total[DEMO_OURS], output_count(updated[DEMO_OURS], ours),
         output_count(updated[DEMO_REFIT], all));
  for (size_t i = 0; i < r->picture_count; ++i) printf("%s\n", io_show(r->pictures[i].path).text);
  printf("%s   (open it in a browser)\n", io_show(page).text);
}

void demo_write_json(const demo_result *r, const char *page)
{
  json j = {.file = stdout};
  json_open(&j, '{');
  json_put_whole(&j, "triangles", r->triangles);
  json_put_whole(&j, "threads", (uint64_t)r->threads);
  json_put_text(&j, "simd", r->simd);
  json_put_whole(&j, "checked_steps", (uint64_t)r->checked);
  json_put_real(&j, "ms_hybrid", output_ms(r->total[DEMO_OURS]));
  json_put_real(&j, "ms_bottom_up", output_ms(r->total[DEMO_REFIT]));
  json_put_real(&j, "ms_classic", output_ms(r->total[DEMO_CLASSIC]));
  json_put_real(&j, "times_faster", r->total[DEMO_REFIT] / r->total[DEMO_OURS]);
  json_put_real(&j, "times_faster_than_classic", r->total[DEMO_CLASSIC] / r->total[DEMO_OURS]);
  json_put_open(&j, "steps", '[');
  for (size_t i = 0; i < r->step_count; ++i) {
    const demo_step *d = &r->steps[i];
    json_open(&j, '{');
    json_put_whole(&j, "step", (uint64_t)d->step);
    json_put_whole(&j, "pairs", d->pairs);
    json_put_real(&j, "ms_hybrid", output_ms(d->ms[DEMO_OURS]));
    json_put_real(&j, "ms_bottom_up", output_ms(d->ms[DEMO_REFIT]));
    json_put_real(&j, "ms_classic", output_ms(d->ms[DEMO_CLASSIC]));
    json_put_whole(&j, "n_u_hybrid", d->updated[DEMO_OURS]);
    json_put_whole(&j, "n_u_bottom_up", d->updated[DEMO_REFIT]);
    json_close(&j, '}');
  }
  json_close(&j, ']');
  json_put_open(&j, "files", '[');
  for (size_t i = 0; i < r->picture_count; ++i) json_text(&j, r->pictures[i].path);
  json_text(&j, page);
  json_close(&j, ']');
  json_close(&j, '}');
  putchar('\n');
}
