/* What `pliant tune` found: sentences and a table, or one JSON object. */
#include "tune/tune_write.h"

#include "common/output.h"
#include "io/show.h"

static double score_ratio(const tune_outcome *o) { return o->result.start.score / o->result.best.score; }
bool tune_is_better(const tune_outcome *o) { return o->clock.verdict == TUNE_VERDICT_BETTER; }

static void print_row(const tune_scene *s, const char *name, const tune_outcome *o, tune_way way, double score)
{
  double per = s->weighted;
  const tune_counts *c = &o->counts[way];
  char v[OUTPUT_NUMBER_SIZE], p[OUTPUT_NUMBER_SIZE], u[OUTPUT_NUMBER_SIZE];
  printf("  %-10s%12s%12s%12s%12.4f", name, output_count((uint64_t)(c->n_v / per + 0.5), v),
         output_count((uint64_t)(c->n_p / per + 0.5), p), output_count((uint64_t)(c->n_u / per + 0.5), u),
         o->clock.ms[way] / per);
  if (score > 0) printf("%12.4f", score / per * 1e-6);
  printf("\n");
}

static void print_costs(const tune_outcome *o)
{
  printf("a volume test counts %.1f ns, a triangle test %.1f ns, a volume made %.1f ns\n", o->costs.v, o->costs.p,
         o->costs.u);
  if (!o->fit.runs) return;
  printf("measured here; %d other runs take what that predicts to within %.0f %% (root mean square), %.0f %% at most; "
         "R2 %.3f\n",
         o->fit.runs, 100 * o->fit.mean, 100 * o->fit.most, o->fit.r2);
  if (!tune_fit_is_good(&o->fit))
    printf("That is too much to go by: on this scene counts do not tell the time. Better search with --by-time.\n");
}

static void print_verdict(const tune_line *l, const tune_outcome *o)
{
  const tune_confirmed *c = &o->clock;
  char settings[1024];
  pl_body_def_print(&o->def[TUNE_TUNED], settings, sizeof settings);
  printf("\n");
  if (c->verdict == TUNE_VERDICT_NOTHING) {
    printf("Nothing was found that scores better than the defaults on this scene; nothing was saved. They are:\n%s\n",
           settings);
    return;
  }
  printf("The settings found score %.2f times better than the defaults. By the clock they are %.2f times as fast "
         "(%d rounds side by side; between %.2f and %.2f with a confidence of " TUNE_CONFIDENCE ").\n",
         score_ratio(o), c->ratio, TUNE_ROUNDS, c->low, c->high);
  if (c->verdict == TUNE_VERDICT_BETTER)
    printf("They beat the defaults; saved in %s:\n%s\n", io_show(l->search.out).text, settings);
  else
    printf("%s; nothing was saved. What was found:\n%s\n",
           c->verdict == TUNE_VERDICT_SAME ? "That is within noise: the defaults are as good on this scene"
                                           : "They are slower: the defaults are better on this scene",
           settings);
  if (c->verdict == TUNE_VERDICT_WORSE && !l->search.by_time)
    printf("Counts mislead here; %s--by-time goes by the clock.\n",
           l->measure ? "" : "--measure finds what they cost on this scene, and ");
}

/* Of a list. */
static void print_scenes(const tune_scene *s, const tune_outcome *o)
{
  if (s->part_count < 2) return;
  printf("\nThe %zu scenes count the same: figures above are weighted. Score of the defaults over that of the settings "
         "found:\n",
         s->part_count);
  for (size_t k = 0; k < s->part_count; ++k)
    printf("  %8.3f  %s and %s, %zu frames\n", o->by_scene[k], io_show(frames_path(&s->parts[k].files[0], 0)).text,
           io_show(frames_path(&s->parts[k].files[1], 0)).text, s->parts[k].frame_count);
}

/* Before the search. */
void tune_write_rivals(const tune_scene *s, const tune_rivals *r)
{
  if (!tune_rivals_win(r)) return;
  printf(
      "The strategy %s takes %.4f ms a frame here, and every setting of inflate at least about %.4f: an update of its "
      "volumes, and a query of new ones. The search goes on; Ctrl-C ends it.\n",
      pl_word(PL_WORDS_STRATEGY, r->best), r->ms[r->best] / s->weighted, r->least / s->weighted);
  fflush(stdout);
}

void tune_write_text(const tune_scene *s, const tune_line *l, const tune_outcome *o)
{
  const tune_result *r = &o->result;
  printf("%zu of %zu runs of %zu frames%s; %zu different settings with the defaults", r->tried, r->planned,
         s->frame_count, r->stopped ? ", stopped before the end" : "", r->runs);
  if (r->resumed) printf(", %zu of them from %s", r->resumed, io_show(l->search.resume).text);
  printf("; ");
  print_costs(o);
  printf("\n  %-10s%12s%12s%12s%12s%12s\n", "a frame", "n_v", "n_p", "n_u", "ms", "score ms");
  print_row(s, "defaults", o, TUNE_DEFAULTS, r->start.score);
  if (o->clock.verdict != TUNE_VERDICT_NOTHING) print_row(s, "tuned", o, TUNE_TUNED, r->best.score);
  print_row(s, "auto", o, TUNE_AUTO, 0);
  print_scenes(s, o);
  print_verdict(l, o);
  double best = o->clock.ms[tune_is_better(o) ? TUNE_TUNED : TUNE_DEFAULTS];
  if (o->clock.ms[TUNE_AUTO] < best)
    printf("The strategy auto is faster than these here: %.2f times.\n", best / o->clock.ms[TUNE_AUTO]);
}

static void put_row(json *j, const char *key, const tune_scene *s, const tune_outcome *o, tune_way way, double score)
{
  double per = s->weighted;
  json_put_open(j, key, '{');
  json_put_real(j, "n_v", o->counts[way].n_v / per);
  json_put_real(j, "n_p", o->counts[way].n_p / per);
  json_put_real(j, "n_u", o->counts[way].n_u / per);
  json_put_real(j, "ms", output_ms(o->clock.ms[way] / per));
  if (score > 0) json_put_real(j, "score_ms", score / per * 1e-6);
  json_close(j, '}');
}

static void put_costs(json *j, const tune_outcome *o)
{
  json_put_open(j, "costs_ns", '{');
  json_put_real(j, "v", o->costs.v);
  json_put_real(j, "p", o->costs.p);
  json_put_real(j, "u", o->costs.u);
  json_put_real(j, "frame", o->costs.frame);
  json_close(j, '}');
  if (!o->fit.runs) return;
  json_put_open(j, "prediction", '{');
  json_put_whole(j, "runs", (uint64_t)o->fit.runs);
  json_put_real(j, "error", o->fit.mean);
  json_put_real(j, "greatest_error", o->fit.most);
  json_put_real(j, "r2", o->fit.r2);
  json_put_bool(j, "good", tune_fit_is_good(&o->fit));
  json_close(j, '}');
}

static void put_rivals(json *j, const tune_scene *s, const tune_rivals *r)
{
  json_put_open(j, "strategies_ms", '{');
  for (int i = 0; i < PL_STRATEGY_COUNT; ++i)
    if (r->ms[i] > 0) json_put_real(j, pl_word(PL_WORDS_STRATEGY, i), output_ms(r->ms[i] / s->weighted));
  json_close(j, '}');
  json_put_real(j, "inflate_least_ms", output_ms(r->least / s->weighted));
  if (tune_rivals_win(r)) json_put_text(j, "faster", pl_word(PL_WORDS_STRATEGY, r->best));
}

static void put_scenes(json *j, const tune_scene *s, const tune_outcome *o)
{
  json_put_open(j, "scenes", '[');
  for (size_t k = 0; k < s->part_count; ++k) {
    const tune_part *p = &s->parts[k];
    json_open(j, '{');
    json_put_text(j, "a", frames_path(&p->files[0], p->begin));
    json_put_text(j, "b", frames_path(&p->files[1], p->begin));
    json_put_whole(j, "frames", p->frame_count);
    json_put_real(j, "ratio", o->by_scene[k]);
    json_close(j, '}');
  }
  json_close(j, ']');
}

void tune_write_json(const tune_scene *s, const tune_outcome *o)
{
  const tune_result *r = &o->result;
  const pl_inflate_def *d = &o->def[TUNE_TUNED].inflate;
  json j = {.file = stdout};
  json_open(&j, '{');
  json_put_bool(&j, "better", tune_is_better(o));
  json_put_text(&j, "verdict", tune_verdict_text(o->clock.verdict));
  json_put_real(&j, "ratio", score_ratio(o));
  json_put_real(&j, "time_ratio", o->clock.ratio);
  json_put_real(&j, "time_ratio_low", o->clock.low);
  json_put_real(&j, "time_ratio_high", o->clock.high);
  json_put_open(&j, "settings", '{');
  json_put_text(&j, "criterion", pl_word(PL_WORDS_CRITERION, d->criterion));
  json_put_real(&j, "p_max", d->p_max);
  json_put_real(&j, "k", d->k);
  json_put_real(&j, "gamma", d->gamma);
  json_put_text(&j, "growth", pl_word(PL_WORDS_GROWTH, d->growth));
  json_close(&j, '}');
  put_row(&j, "defaults", s, o, TUNE_DEFAULTS, r->start.score);
  if (o->clock.verdict != TUNE_VERDICT_NOTHING) put_row(&j, "tuned", s, o, TUNE_TUNED, r->best.score);
  put_row(&j, "auto", s, o, TUNE_AUTO, 0);
  put_costs(&j, o);
  json_put_whole(&j, "frames", s->frame_count);
  json_put_whole(&j, "runs", r->runs);
  json_put_whole(&j, "resumed", r->resumed);
  json_put_bool(&j, "stopped", r->stopped);
  json_put_whole(&j, "tried", r->tried);
  json_put_whole(&j, "planned", r->planned);
  put_rivals(&j, s, &o->rivals);
  put_scenes(&j, s, o);
  json_close(&j, '}');
  printf("\n");
}
