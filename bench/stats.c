/* What is said about a play: methods by name, means over steps, the steps as a table. */
#include "bench/play.h"

#include <math.h>

const char *bench_mode_text(bench_mode mode)
{
  static const char *const texts[] = {"all pairs", "first pair"};
  return texts[mode];
}

/* ----------------------------------------------------------------------------------- methods -- */

bool bench_method_is_model(const bench_method *method)
{
  return method->body.strategy == PL_STRATEGY_BERGEN || bench_method_morphs(method);
}

bool bench_method_morphs(const bench_method *method) { return method->body.strategy == PL_STRATEGY_BLEND; }

pl_body_def bench_body_bergen(int arity)
{
  pl_body_def def = bench_body_larsson(PL_STRATEGY_BERGEN);
  def.arity = arity;
  return def;
}

pl_body_def bench_body_larsson(pl_strategy strategy)
{
  pl_body_def def = pl_body_def_default();
  def.builder = PL_BUILDER_SPLIT;
  def.cut = PL_CUT_CENTRE;
  def.arity = 8;
  def.leaf_size = 1;
  def.strategy = strategy;
  return def;
}

pl_body_def bench_body_larsson_of(int arity)
{
  pl_body_def def = bench_body_larsson(PL_STRATEGY_HYBRID);
  def.arity = arity;
  return def;
}

pl_body_def bench_body_ours(pl_strategy strategy)
{
  pl_body_def def = pl_body_def_default();
  def.strategy = strategy;
  return def;
}

/* ------------------------------------------------------------------------------------- steps -- */

int bench_first_contact(const bench_play *play, int player)
{
  int f = 0;
  while (f < play->poses->frames && play->players[player].frames[BENCH_ALL][f].pairs == 0) ++f;
  return f;
}

static double total(const bench_frame *frame) { return frame->ms_update + frame->ms_query; }

int bench_worst_frame(const bench_play *play, int player, bench_mode mode)
{
  const bench_frame *frames = play->players[player].frames[mode];
  int worst = 0;
  for (int f = 1; f < play->poses->frames; ++f)
    if (total(&frames[f]) > total(&frames[worst])) worst = f;
  return worst;
}

bench_mean bench_mean_over(const bench_play *play, int player, bench_mode mode, int begin, int end)
{
  bench_mean m = {0};
  double n = end > begin ? end - begin : NAN;
  for (int f = begin; f < end; ++f) {
    const bench_frame *x = &play->players[player].frames[mode][f];
    m.ms_blend += x->ms_blend;
    m.ms_update += x->ms_update;
    m.ms_query += x->ms_query;
    m.n_v += (double)x->n_v;
    m.n_p += (double)x->n_p;
    m.n_u += (double)x->n_u;
    m.pairs += (double)x->pairs;
  }
  m.ms_total = m.ms_update + m.ms_query;
  m.ms_step = m.ms_total + m.ms_blend;
  return (bench_mean){.ms_blend = m.ms_blend / n,
                      .ms_update = m.ms_update / n,
                      .ms_query = m.ms_query / n,
                      .ms_total = m.ms_total / n,
                      .ms_step = m.ms_step / n,
                      .n_v = m.n_v / n,
                      .n_p = m.n_p / n,
                      .n_u = m.n_u / n,
                      .pairs = m.pairs / n};
}

double bench_exponent(const double *x, const double *y, int count)
{
  double sx = 0, sy = 0, sxx = 0, sxy = 0, n = count;
  for (int i = 0; i < count; ++i) {
    double u = log(x[i]), v = log(y[i]);
    sx += u;
    sy += v;
    sxx += u * u;
    sxy += u * v;
  }
  return (n * sxy - sx * sy) / (n * sxx - sx * sx);
}

/* ------------------------------------------------------------------------------------ report -- */

void bench_setting(const bench_play *play, const char *scene, int reps)
{
  int threads = pl_context_threads(play->context);
  snprintf(play->report->setting, BENCH_LINE, "%s; %d thread%s, %s, %s; smallest of %d repeat%s per step", scene,
           threads, threads == 1 ? "" : "s", pl_context_simd(play->context),
           threads == 1 ? "processor time" : "wall time", reps, reps == 1 ? "" : "s");
}

const bench_column bench_step_columns[] = {
    {"group", "", 0},     {"method", "", 0},   {"query", "", 0},    {"step", "", 0}, {"pairs", "", 0},
    {"update_ms", "", 0}, {"query_ms", "", 0}, {"total_ms", "", 0}, {"n_v", "", 0},  {"n_p", "", 0},
    {"n_u", "", 0},       {"blend_ms", "", 0}, {"step_ms", "", 0}};
const size_t bench_step_column_count = sizeof bench_step_columns / sizeof *bench_step_columns;

void bench_steps_append(const bench_play *play, const char *group, bench_mode mode)
{
  bench_table *t = &play->report->steps;
  for (int i = 0; i < play->count; ++i)
    for (int f = 0; f < play->poses->frames; ++f) {
      const bench_frame *x = &play->players[i].frames[mode][f];
      bench_text(t, group);
      bench_text(t, play->players[i].method->key);
      bench_text(t, mode == BENCH_ALL ? "all" : "first");
      bench_number(t, play->poses->steps[f]);
      bench_number(t, (double)x->pairs);
      bench_number(t, x->ms_update);
      bench_number(t, x->ms_query);
      bench_number(t, total(x));
      bench_number(t, (double)x->n_v);
      bench_number(t, (double)x->n_p);
      bench_number(t, (double)x->n_u);
      bench_number(t, x->ms_blend);
      bench_number(t, total(x) + x->ms_blend);
    }
}
