/* The page of `pliant demo`: what happened, pictures, four curves, and a slider through the
 * steps. */
#include "common/output.h"
#include "common/page.h"
#include "demo/demo.h"
#include "io/output.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* What the curves show, step by step. */
typedef struct series {
  double *step, *pairs, *ms[DEMO_WAYS], *faster[DEMO_WAYS], *updated[DEMO_WAYS];
  double *all; /* owns all above */
} series;

static bool series_create(series *s, const demo_result *r)
{
  size_t n = r->step_count;
  double *next = s->all = malloc((2 + 3 * DEMO_WAYS) * n * sizeof *s->all);
  if (!s->all) return false;
  s->step = next;
  s->pairs = next + n;
  for (int w = 0; w < DEMO_WAYS; ++w) {
    next += 3 * n - (w == 0 ? n : 0);
    s->ms[w] = next;
    s->faster[w] = next + n;
    s->updated[w] = next + 2 * n;
  }
  for (size_t i = 0; i < n; ++i) {
    const demo_step *d = &r->steps[i];
    s->step[i] = d->step;
    s->pairs[i] = (double)d->pairs;
    for (int w = 0; w < DEMO_WAYS; ++w) {
      s->ms[w][i] = d->ms[w];
      s->faster[w][i] = d->ms[w] / d->ms[DEMO_OURS];
      s->updated[w][i] = (double)d->updated[w];
    }
  }
  return true;
}

static void write_head(FILE *file, const demo_result *r)
{
  char triangles[OUTPUT_NUMBER_SIZE];
  fprintf(
      file,
      "<h1>Two bodies sink into each other</h1>\n"
      "<p>Two bumpy spheres of %s triangles each. At every step every vertex moves, and the question is always the "
      "same: "
      "<em>which triangles touch?</em> pliant brings up to date only the bounding volumes that the question needs. "
      "Refitting all of them first is the usual way: shown for the same trees, and for the classic binary trees with "
      "one triangle per leaf. All give the same pairs",
      output_count(r->triangles, triangles));
  if (r->checked > 0) fprintf(file, "; %d steps were checked by testing every triangle with every other", r->checked);
  fprintf(file, ".</p>\n");
}

static void write_card(FILE *file, const char *value, const char *meaning)
{
  fprintf(file, "<div class=\"card\"><b>%s</b><span>%s</span></div>\n", value, meaning);
}

static void write_cards(FILE *file, const demo_result *r)
{
  char value[64], count[OUTPUT_NUMBER_SIZE];
  size_t most = 0;
  for (size_t i = 0; i < r->step_count; ++i) most = r->steps[i].pairs > most ? r->steps[i].pairs : most;
  fprintf(file, "<div class=\"cards\">\n");
  snprintf(value, sizeof value, "%.1f&times;", r->total[DEMO_CLASSIC] / r->total[DEMO_OURS]);
  write_card(file, value, "faster than classic trees, all refitted");
  snprintf(value, sizeof value, "%.1f&times;", r->total[DEMO_REFIT] / r->total[DEMO_OURS]);
  write_card(file, value, "faster than our own trees, all refitted");
  snprintf(value, sizeof value, "%.2f ms", r->total[DEMO_OURS] / (double)r->step_count);
  write_card(file, value, "per step with pliant");
  write_card(file, output_count(most, count), "touching pairs at most");
  fprintf(file, "</div>\n");
}

static bool write_pictures(FILE *file, const demo_result *r)
{
  if (r->picture_count == 0) return true;
  fprintf(file, "<h2>What it looks like</h2>\n<div class=\"grid shots\">\n");
  for (size_t i = 0; i < r->picture_count; ++i) {
    const demo_picture *p = &r->pictures[i];
    char pairs[OUTPUT_NUMBER_SIZE];
    fprintf(file, "<figure><img width=\"%d\" height=\"%d\" alt=\"Both bodies at step %d\" src=\"", DEMO_WIDTH,
            DEMO_HEIGHT, p->step);
    if (!page_embed(file, p->path)) {
      output_complain("%s: cannot be read back: %s", p->path, strerror(errno));
      return false;
    }
    fprintf(file, "\"><figcaption>step %d: %s touching pairs</figcaption></figure>\n", p->step,
            output_count(p->pairs, pairs));
  }
  fprintf(file, "</div>\n<p>Triangles that touch are red. The second body is painted as glass, so that the ring can be "
                "seen.</p>\n");
  return true;
}

static void write_charts(FILE *file, const demo_result *r, const series *s)
{
  page_chart charts[] = {
      {"Touching pairs", "pairs", s->step, r->step_count, {{"pairs", "count", s->pairs}}, 1},
      {"Time of a step",
       "milliseconds",
       s->step,
       r->step_count,
       {{"pliant", "ours", s->ms[DEMO_OURS]},
        {"all refitted", "other", s->ms[DEMO_REFIT]},
        {"classic", "third", s->ms[DEMO_CLASSIC]}},
       3},
      {"Times faster",
       "than the other ways",
       s->step,
       r->step_count,
       {{"all refitted", "other", s->faster[DEMO_REFIT]}, {"classic", "third", s->faster[DEMO_CLASSIC]}},
       2},
      {"Volumes updated",
       "volumes",
       s->step,
       r->step_count,
       {{"pliant", "ours", s->updated[DEMO_OURS]}, {"all refitted", "other", s->updated[DEMO_REFIT]}},
       2},
  };
  fprintf(file, "<section><h2>Step by step</h2>\n<div class=\"grid\">\n");
  for (size_t i = 0; i < sizeof charts / sizeof charts[0]; ++i) page_chart_write(file, &charts[i]);
  fprintf(file, "</div>\n");
}

/* Without scripts the page loses only the slider, which is hidden then. */
static void write_slider(FILE *file, const demo_result *r)
{
  fprintf(file,
          "<div class=\"pick\" hidden><label>Look at a step <input type=\"range\" min=\"0\" max=\"%zu\" "
          "value=\"%zu\"></label>"
          "<output></output></div>\n<script>\nconst rows=[",
          r->step_count - 1, (r->step_count - 1) * 3 / 4);
  for (size_t i = 0; i < r->step_count; ++i) {
    const demo_step *d = &r->steps[i];
    fprintf(file, "%s[%d,%zu,%.4f,%.4f,%.4f,%" PRIu64 ",%" PRIu64 "]", i ? "," : "", d->step, d->pairs,
            d->ms[DEMO_OURS], d->ms[DEMO_REFIT], d->ms[DEMO_CLASSIC], d->updated[DEMO_OURS], d->updated[DEMO_REFIT]);
  }
  fprintf(file,
          "];\nconst "
          "box=document.querySelector('.pick'),slider=box.querySelector('input'),out=box.querySelector('output');\n"
          "const n=x=>x.toLocaleString('en').replaceAll(',',' ');\n"
          "function show(){const r=rows[slider.value],u=slider.value/(rows.length-1);\n"
          "out.textContent=`step ${r[0]}: ${n(r[1])} pairs, ${r[2].toFixed(3)} ms with pliant (${n(r[5])} volumes), "
          "${r[3].toFixed(3)} ms with all refitted (${n(r[6])}), ${r[4].toFixed(3)} ms classic: "
          "${(r[3]/r[2]).toFixed(1)} and ${(r[4]/r[2]).toFixed(1)} times faster`;\n"
          "for(const l of document.querySelectorAll('.now')){const a=+l.dataset.left,b=+l.dataset.right,x=a+(b-a)*u;"
          "l.setAttribute('x1',x);l.setAttribute('x2',x)}}\n"
          "box.hidden=false;slider.addEventListener('input',show);show();\n</script></section>\n");
}

static void write_foot(FILE *file, const demo_result *r)
{
  fprintf(file,
          "<footer><p>Times are from new positions to the list of all pairs, the best of a few runs of each step, "
          "positions "
          "written anew before each run; %d thread%s, %s. "
          "The scene is the first experiment of T. Larsson, <cite>Adaptive Algorithms for Collision Detection and "
          "Ray Tracing of Deformable Meshes</cite>, 2003.</p></footer>\n",
          r->threads, r->threads == 1 ? "" : "s", r->simd);
}

static bool write_page(FILE *file, const demo_result *r, const series *s)
{
  page_begin(file, "pliant: two bodies sink into each other");
  write_head(file, r);
  write_cards(file, r);
  if (!write_pictures(file, r)) return false;
  write_charts(file, r, s);
  write_slider(file, r);
  write_foot(file, r);
  page_end(file);
  return true;
}

bool demo_page_write(const demo_result *result, const char *path)
{
  series s;
  if (!series_create(&s, result)) {
    output_complain("%s: out of memory", path);
    return false;
  }
  io_output out;
  io_error error = {""};
  bool good = io_output_open(&out, path, &error), told = false;
  if (good) {
    told = !write_page(out.file, result, &s);
    good = io_output_close(&out, !told, &error);
  }
  if (!good && !told) output_complain("%s", error.text);
  free(s.all);
  return good;
}
