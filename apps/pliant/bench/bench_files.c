/* All frames are in memory, strategies take turns in every round, and the median counts. Answers
 * are compared with the reference in as many frames as it can do in a moment; all strategies
 * must agree in all frames. */
#include "bench/bench_files.h"
#include "scenes/ask.h"

#include "common/command.h"
#include "common/folders.h"
#include "common/output.h"
#include "common/progress.h"
#include "common/stage.h"
#include "io/output.h"
#include "io/show.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_ROUNDS = 1000 };
/* Pairs of triangles that the reference tests in all frames; if one frame has more, in this one;
 * above that it is left out. */
static const double reference_tests = 4e7, reference_most = 2e9;

typedef struct way {
  pl_strategy strategy;
  pl_body *body[2];
  double *rounds; /* ms of all frames */
  double median, least;
  pl_counters sum;
} way;

typedef struct files_bench {
  const bench_files_options *options;
  stage stage;
  void **xyz[2]; /* positions of every frame, of a side that moves */
  bool is_double[2];
  way ways[PL_STRATEGY_COUNT];
  size_t way_count, frames, checked;
  double *answers; /* of the first way: pairs, or the distance */
  int rounds;
} files_bench;

static bool complain(const files_bench *b)
{
  output_complain("%s", pl_context_message(b->stage.context));
  return false;
}

static bool complain_memory(const files_bench *b)
{
  output_complain("%s: out of memory for %zu frames at once, which a measurement needs; choose fewer with --frames",
                  b->stage.inputs[0].def.names[0], b->frames);
  return false;
}

/* ------------------------------------------------------------------------------------ frames -- */

static bool load(files_bench *b)
{
  stage *s = &b->stage;
  b->frames = s->end - s->begin;
  b->answers = calloc(b->frames, sizeof *b->answers);
  for (int i = 0; i < 2; ++i) b->xyz[i] = calloc(b->frames, sizeof **b->xyz);
  if (!b->answers || !b->xyz[0] || !b->xyz[1]) return complain_memory(b);
  for (size_t f = 0; f < b->frames; ++f) {
    double ms;
    if (!stage_move(s, s->begin + f, &ms)) return false;
    for (int i = 0; i < 2; ++i) {
      if (f > 0 && frames_still(&s->inputs[i].files)) continue;
      size_t bytes = 3 * s->bodies[i].vertex_count * sizeof(double);
      b->xyz[i][f] = malloc(bytes);
      if (!b->xyz[i][f]) return complain_memory(b);
      if (!stage_positions(s, (size_t)i, b->xyz[i][f])) return false;
    }
  }
  return true;
}

/* Doubles that are floats become float again, as the file had them. */
static pl_positions positions_of(const files_bench *b, int side, size_t frame)
{
  const stage_body *body = &b->stage.bodies[side];
  size_t f = frames_still(&b->stage.inputs[side].files) ? 0 : frame;
  return b->is_double[side] ? pl_positions_f64(b->xyz[side][f], body->vertex_count)
                            : pl_positions_f32(b->xyz[side][f], body->vertex_count);
}

static void narrow(files_bench *b)
{
  for (int i = 0; i < 2; ++i) {
    b->is_double[i] = false;
    for (size_t f = 0; f < b->frames && b->xyz[i][f]; ++f)
      for (size_t k = 0; k < 3 * b->stage.bodies[i].vertex_count; ++k) {
        double x = ((double *)b->xyz[i][f])[k];
        if (!(fabs(x) <= 3e38) || (double)(float)x != x) b->is_double[i] = true;
      }
    for (size_t f = 0; !b->is_double[i] && f < b->frames && b->xyz[i][f]; ++f) {
      const double *from = b->xyz[i][f];
      float *to = b->xyz[i][f];
      for (size_t k = 0; k < 3 * b->stage.bodies[i].vertex_count; ++k) {
        float x = (float)from[k];
        memcpy(to + k, &x, sizeof x);
      }
    }
  }
}

/* -------------------------------------------------------------------------------------- ways -- */

/* Every strategy that free bodies can have. */
static bool make_ways(files_bench *b)
{
  for (int s = 0; s < PL_STRATEGY_COUNT; ++s) {
    way *w = &b->ways[b->way_count];
    *w = (way){.strategy = (pl_strategy)s};
    bool good = true, fits = true;
    for (int i = 0; i < 2 && good; ++i) {
      pl_mesh_def mesh = pl_mesh_def_default();
      pl_body_def def = pl_body_def_default();
      def.strategy = (pl_strategy)s;
      mesh.positions = positions_of(b, i, 0);
      mesh.triangles = b->stage.bodies[i].triangles;
      mesh.triangle_count = b->stage.bodies[i].triangle_count;
      pl_status status = pl_body_create_free(b->stage.context, &mesh, &def, &w->body[i]);
      good = status == PL_OK;
      fits = good || status == PL_ERROR_MEMORY;
    }
    if (!good && fits) return complain(b);
    if (!good) { /* one for other motions */
      for (int i = 0; i < 2; ++i) pl_body_destroy(w->body[i]);
      continue;
    }
    w->rounds = calloc((size_t)b->rounds, sizeof *w->rounds);
    if (!w->rounds) return complain_memory(b);
    ++b->way_count;
  }
  return true;
}

static bool ask(files_bench *b, way *w, size_t frame, double *answer, pl_counters *counters)
{
  for (int i = 0; i < 2; ++i)
    if (!frames_still(&b->stage.inputs[i].files) &&
        pl_body_set_positions(w->body[i], positions_of(b, i, frame)) != PL_OK)
      return complain(b);
  if (b->options->query == 1) {
    least_row found;
    if (ask_least(pl_two(w->body[0], w->body[1]), NULL, &found) != PL_OK) return complain(b);
    *answer = found.distance;
    *counters = found.counters;
    return true;
  }
  const pl_result *found;
  if (pl_touching(pl_two(w->body[0], w->body[1]), NULL, &found) != PL_OK) return complain(b);
  *answer = (double)found->count;
  *counters = found->counters;
  return true;
}

/* ------------------------------------------------------------------------------------- check -- */

static bool ask_reference(files_bench *b, double *answer)
{
  pl_body *x = b->ways[0].body[0], *y = b->ways[0].body[1];
  if (b->options->query == 1) {
    least_row found;
    if (refer_least(pl_two(x, y), NULL, &found) != PL_OK) return complain(b);
    *answer = found.distance;
    return true;
  }
  const pl_result *found;
  if (refer_touching(pl_two(x, y), NULL, &found) != PL_OK) return complain(b);
  *answer = (double)found->count;
  return true;
}

static bool check(files_bench *b)
{
  double tests = (double)b->stage.bodies[0].triangle_count * (double)b->stage.bodies[1].triangle_count;
  size_t some = tests > 0 ? (size_t)fmin((double)b->frames, reference_tests / tests) : b->frames;
  if (some == 0 && tests <= reference_most) some = 1;
  size_t stride = some > 0 ? (b->frames + some - 1) / some : 0;
  pl_counters unused;
  for (size_t w = 0; w < b->way_count; ++w)
    for (size_t f = 0; f < b->frames; ++f) {
      double answer, truth;
      if (!ask(b, &b->ways[w], f, &answer, &unused)) return false;
      if (w == 0) b->answers[f] = answer;
      if (answer != b->answers[f]) {
        output_complain("frame %zu: %s finds %.17g, %s finds %.17g", b->stage.begin + f,
                        pl_word(PL_WORDS_STRATEGY, b->ways[w].strategy), answer,
                        pl_word(PL_WORDS_STRATEGY, b->ways[0].strategy), b->answers[f]);
        return false;
      }
      if (w > 0 || stride == 0 || f % stride != 0) continue;
      if (!ask_reference(b, &truth)) return false;
      ++b->checked;
      if (truth == answer) continue;
      output_complain("frame %zu: %.17g where the reference has %.17g", b->stage.begin + f, answer, truth);
      return false;
    }
  return true;
}

/* -------------------------------------------------------------------------------------- time -- */

static int by_size(const void *x, const void *y)
{
  double a = *(const double *)x, b = *(const double *)y;
  return (a > b) - (a < b);
}

static bool measure(files_bench *b)
{
  progress bar = progress_begin("rounds", (size_t)b->rounds * b->way_count, false);
  size_t done = 0;
  for (int r = 0; r < b->rounds; ++r)
    for (size_t k = 0; k < b->way_count; ++k) {
      way *w = &b->ways[(k + (size_t)r) % b->way_count];
      w->sum = (pl_counters){0};
      double begin = progress_clock();
      for (size_t f = 0; f < b->frames; ++f) {
        double answer;
        pl_counters c;
        if (!ask(b, w, f, &answer, &c)) return false;
        w->sum.n_v += c.n_v;
        w->sum.n_p += c.n_p;
        w->sum.n_u += c.n_u;
      }
      w->rounds[r] = progress_clock() - begin;
      progress_step(&bar, ++done);
    }
  progress_end(&bar);
  for (size_t k = 0; k < b->way_count; ++k) {
    way *w = &b->ways[k];
    qsort(w->rounds, (size_t)b->rounds, sizeof *w->rounds, by_size);
    w->median = w->rounds[b->rounds / 2] / (double)b->frames;
    w->least = w->rounds[0] / (double)b->frames;
  }
  return true;
}

/* ------------------------------------------------------------------------------------- write -- */

static void print_table(const files_bench *b)
{
  const stage *s = &b->stage;
  double n = (double)b->frames;
  printf("%s and %s: %zu and %zu triangles, %zu frame%s, %s, %d thread%s\n\n", io_show(s->bodies[0].name).text,
         io_show(s->bodies[1].name).text, s->bodies[0].triangle_count, s->bodies[1].triangle_count, b->frames,
         b->frames == 1 ? "" : "s", b->options->query ? "distance" : "collide", pl_context_threads(s->context),
         pl_context_threads(s->context) == 1 ? "" : "s");
  printf("  %-12s%14s%14s%10s%12s%12s%12s\n", "strategy", "ms per frame", "least", "auto = 1", "n_v", "n_p", "n_u");
  for (size_t k = 0; k < b->way_count; ++k) {
    const way *w = &b->ways[k];
    printf("  %-12s%14.4f%14.4f%10.2f%12.0f%12.0f%12.0f\n", pl_word(PL_WORDS_STRATEGY, w->strategy), w->median,
           w->least, w->median / b->ways[0].median, (double)w->sum.n_v / n, (double)w->sum.n_p / n,
           (double)w->sum.n_u / n);
  }
  printf("\nmedian of %d round%s; all strategies agree in all frames, and with the reference in %zu of %zu\n",
         b->rounds, b->rounds == 1 ? "" : "s", b->checked, b->frames);
  if (b->options->quick) printf("quick: the times mean nothing\n");
}

static void put_json(const files_bench *b, FILE *file)
{
  double n = (double)b->frames;
  fputs("{\n", file);
  bench_json_machine(file);
  json j = {.file = file};
  json_put_text(&j, "a", b->stage.bodies[0].name);
  json_put_text(&j, "b", b->stage.bodies[1].name);
  json_put_text(&j, "query", b->options->query ? "distance" : "collide");
  json_put_whole(&j, "triangles_a", b->stage.bodies[0].triangle_count);
  json_put_whole(&j, "triangles_b", b->stage.bodies[1].triangle_count);
  json_put_whole(&j, "frames", b->frames);
  json_put_whole(&j, "checked_frames", b->checked);
  json_put_whole(&j, "rounds", (uint64_t)b->rounds);
  json_put_whole(&j, "threads", (uint64_t)pl_context_threads(b->stage.context));
  json_put_text(&j, "simd", pl_context_simd(b->stage.context));
  json_put_bool(&j, "quick", b->options->quick);
  json_put_open(&j, "strategies", '[');
  for (size_t k = 0; k < b->way_count; ++k) {
    const way *w = &b->ways[k];
    json_open(&j, '{');
    json_put_text(&j, "strategy", pl_word(PL_WORDS_STRATEGY, w->strategy));
    json_put_real(&j, "ms", output_ms(w->median));
    json_put_real(&j, "ms_least", output_ms(w->least));
    json_put_real(&j, "n_v", (double)w->sum.n_v / n);
    json_put_real(&j, "n_p", (double)w->sum.n_p / n);
    json_put_real(&j, "n_u", (double)w->sum.n_u / n);
    json_close(&j, '}');
  }
  json_close(&j, ']');
  fputs("\n}\n", file);
}

static void put_csv(const files_bench *b, FILE *file)
{
  double n = (double)b->frames;
  fputs("strategy,ms,ms_least,n_v,n_p,n_u\n", file);
  for (size_t k = 0; k < b->way_count; ++k) {
    const way *w = &b->ways[k];
    fprintf(file, "%s,%.6f,%.6f,%.3f,%.3f,%.3f\n", pl_word(PL_WORDS_STRATEGY, w->strategy), w->median, w->least,
            (double)w->sum.n_v / n, (double)w->sum.n_p / n, (double)w->sum.n_u / n);
  }
}

/* Bars: the median, and a mark at the least. */
static void put_plot(const files_bench *b, FILE *file)
{
  enum { LEFT = 110, WIDTH = 700, ROW = 34, TOP = 44 };
  double most = 0;
  for (size_t k = 0; k < b->way_count; ++k) most = fmax(most, b->ways[k].median);
  if (!(most > 0)) most = 1;
  int height = TOP + ROW * (int)b->way_count + 16;
  fprintf(
      file,
      "<svg xmlns='http://www.w3.org/2000/svg' width='960' height='%d' viewBox='0 0 960 %d' font-family='sans-serif' "
      "font-size='14' fill='#333'>\n<rect width='100%%' height='100%%' fill='#fff'/>\n"
      "<text x='16' y='26' font-size='16'>ms per frame%s</text>\n",
      height, height, b->options->quick ? " (quick: the times mean nothing)" : "");
  for (size_t k = 0; k < b->way_count; ++k) {
    const way *w = &b->ways[k];
    int y = TOP + ROW * (int)k;
    fprintf(file,
            "<text x='%d' y='%d' text-anchor='end'>%s</text><rect x='%d' y='%d' width='%.1f' height='22' fill='%s'/>"
            "<path d='M%.1f %dv22' stroke='#000'/><text x='%.1f' y='%d'>%.4f</text>\n",
            LEFT - 8, y + 16, pl_word(PL_WORDS_STRATEGY, w->strategy), LEFT, y, WIDTH * w->median / most,
            k ? "#9bb7d4" : "#0050b0", LEFT + WIDTH * w->least / most, y, LEFT + WIDTH * w->median / most + 8, y + 16,
            w->median);
  }
  fputs("</svg>\n", file);
}

typedef void (*writer)(const files_bench *b, FILE *file);

static bool write_file(const files_bench *b, const char *folder, const char *name, writer write)
{
  char path[4300];
  io_error error = {""};
  snprintf(path, sizeof path, "%s/%s", folder, name);
  io_output out;
  bool good = io_output_open(&out, path, &error);
  if (good) {
    write(b, out.file);
    good = io_output_close(&out, true, &error);
  }
  if (!good) output_complain("%s", error.text);
  return good;
}

static bool write_all(const files_bench *b)
{
  const char *folder = b->options->out     ? b->options->out
                       : b->options->quick ? "out/bench-quick/files"
                                           : "out/bench/files";
  if (!make_directories(folder)) return false;
  if (!write_file(b, folder, "files.json", put_json) || !write_file(b, folder, "files.csv", put_csv) ||
      !write_file(b, folder, "files.svg", put_plot))
    return false;
  if (b->options->json)
    put_json(b, stdout);
  else {
    print_table(b);
    printf("\n%s/files.json, files.csv, files.svg\n", io_show(folder).text);
  }
  return true;
}

static bool run(files_bench *b, const input_list *inputs)
{
  stage_def def = {.body = pl_body_def_default(), .threads = b->options->threads};
  def.options.frames = b->options->frames;
  if (!stage_open(&b->stage, &def, inputs) || !load(b)) return false;
  narrow(b);
  return make_ways(b) && check(b) && measure(b) && write_all(b);
}

int bench_files(const bench_files_options *o, const input_list *inputs)
{
  files_bench b = {.options = o, .rounds = o->reps ? o->reps : o->quick ? 1 : 7};
  bool good = run(&b, inputs);
  for (size_t k = 0; k < b.way_count; ++k) free(b.ways[k].rounds);
  for (int i = 0; i < 2; ++i) {
    for (size_t f = 0; b.xyz[i] && f < b.frames; ++f) free(b.xyz[i][f]);
    free(b.xyz[i]);
  }
  free(b.answers);
  stage_close(&b.stage);
  return good && output_finish() ? EXIT_DONE : output_give_up();
}
