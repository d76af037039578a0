#include "bench/larsson_b_variants.h"

#include <math.h>

typedef struct variant {
  /* headline: NULL for the one that the others are compared with */
  const char *key, *title, *headline;
  pl_volume volume;
  int inbetweens;
  int arity; /* 0: the default, 8 */
} variant;

static const variant variants[] = {
    {"aabb", "boxes", NULL, PL_VOLUME_AABB, 0, 0},
    {"sphere", "spheres", "volume_sphere", PL_VOLUME_SPHERE, 0, 0},
    {"kdop14", "14-DOPs", "volume_kdop14", PL_VOLUME_KDOP14, 0, 0},
    {"kdop18", "18-DOPs", "volume_kdop18", PL_VOLUME_KDOP18, 0, 0},
    {"kdop26", "26-DOPs", "volume_kdop26", PL_VOLUME_KDOP26, 0, 0},
    {"aabb-1", "boxes, 1 between", "inbetweens_1", PL_VOLUME_AABB, 1, 0},
    {"aabb-3", "boxes, 3 between", "inbetweens_3", PL_VOLUME_AABB, 3, 0},
    {"sphere-3", "spheres, 3 between", "sphere_inbetweens_3", PL_VOLUME_SPHERE, 3, 0},
    {"kdop26-3", "26-DOPs, 3 between", "kdop26_inbetweens_3", PL_VOLUME_KDOP26, 3, 0},
    {"arity-4", "boxes, arity 4", "arity_4", PL_VOLUME_AABB, 0, 4},
    {"arity-2", "boxes, arity 2", "arity_2", PL_VOLUME_AABB, 0, 2},
};
enum { BASE, VARIANTS = sizeof variants / sizeof variants[0], THINNING = 8 };

static const bench_column columns[] = {{"query", "", 0},
                                       {"variant", NULL, 0},
                                       {"name", "variant", 0},
                                       {"volume", NULL, 0},
                                       {"inbetweens", NULL, 0},
                                       {"bytes_per_triangle", "bytes/tri", 0},
                                       {"step_ms", "step ms", 4},
                                       {"n_v", "n_v", 0},
                                       {"n_p", "n_p", 0},
                                       {"n_u", "n_u", 0},
                                       {"faster", "faster", 2},
                                       {"faster_most", "in a step", 2},
                                       {"faster_least", "at least", 2}};

/* Greatest and least gain over the base in one step. */
static void extremes(const bench_play *play, int player, bench_mode mode, double *most, double *least)
{
  *most = 0;
  *least = INFINITY;
  for (int f = 0; f < play->poses->frames; ++f) {
    const bench_frame *base = &play->players[BASE].frames[mode][f], *x = &play->players[player].frames[mode][f];
    double faster = (base->ms_update + base->ms_query) / (x->ms_update + x->ms_query);
    *most = fmax(*most, faster);
    *least = fmin(*least, faster);
  }
}

static bool append_row(const bench_play *play, int i, bench_mode mode)
{
  bench_table *t = &play->report->variants;
  bench_mean m = bench_mean_over(play, i, mode, 0, play->poses->frames),
             base = bench_mean_over(play, BASE, mode, 0, play->poses->frames);
  pl_body_info info;
  double most, least;
  if (pl_body_get_info(play->players[i].bodies[0], true, &info) != PL_OK)
    return bench_fail(play->report, "%s: %s", variants[i].title, pl_context_message(play->context));
  extremes(play, i, mode, &most, &least);
  bench_text(t, bench_mode_text(mode));
  bench_text(t, variants[i].key);
  bench_text(t, variants[i].title);
  bench_text(t, pl_word(PL_WORDS_VOLUME, variants[i].volume));
  const double numbers[] = {variants[i].inbetweens,
                            info.bytes_per_triangle,
                            m.ms_step,
                            m.n_v,
                            m.n_p,
                            m.n_u,
                            base.ms_step / m.ms_step,
                            most,
                            least};
  for (size_t k = 0; k < sizeof numbers / sizeof *numbers; ++k) bench_number(t, numbers[k]);
  if (mode == BENCH_ALL && variants[i].headline)
    bench_headline_add(play->report, variants[i].headline, base.ms_step / m.ms_step, NAN);
  return true;
}

/* ------------------------------------------------------------------------------------ stamps -- */

/* All pairs of bodies of one step, one after the other. */
typedef struct pass {
  double ms; /* of the queries */
  double n_v, n_p, n_u, pairs;
} pass;

/* Stamps cannot be turned off, but new weights make them old: with `renew` every body is blended
 * anew for every other. What they save within one pair of bodies stays. */
static bool ask_bodies(bench_play *play, int frame, bool renew, pass *out)
{
  const bench_player *player = &play->players[BASE];
  const int bodies = play->poses->bodies;
  *out = (pass){0};
  if (!bench_play_set(play, BASE, frame)) return false;
  for (int a = 0; a < bodies; ++a)
    for (int b = a + 1; b < bodies; ++b) {
      const pl_result *found;
      /* the other one: for equal caches */
      if (!bench_play_set(play, renew ? BASE : BASE + 1, frame)) return false;
      double start = bench_clock_ms(play);
      if (pl_touching(pl_two(player->bodies[a], player->bodies[b]), NULL, &found) != PL_OK)
        return bench_fail(play->report, "%s", pl_context_message(play->context));
      out->ms += bench_clock_ms(play) - start;
      out->n_v += (double)found->counters.n_v;
      out->n_p += (double)found->counters.n_p;
      out->n_u += (double)found->counters.n_u;
      out->pairs += (double)found->count;
    }
  return true;
}

/* Both ways in turn; means over the steps of the least times. */
static bool measure_stamps(bench_play *play, int reps, pass mean[2])
{
  const int frames = play->poses->frames;
  for (int f = 0; f < frames; ++f) {
    pass best[2] = {{.ms = INFINITY}, {.ms = INFINITY}}, now;
    for (int i = 0; i < 2 * reps; ++i) {
      if (!ask_bodies(play, f, i % 2, &now)) return false;
      if (now.ms < best[i % 2].ms) best[i % 2] = now;
    }
    if (best[0].pairs != best[1].pairs)
      return bench_fail(play->report, "step %d: stamps change what is found; please report this",
                        play->poses->steps[f]);
    bench_compared(&play->report->compared, "number of pairs, without stamps", "with stamps", play->poses->steps[f], 1);
    for (int i = 0; i < 2; ++i) {
      mean[i].ms += best[i].ms / frames;
      mean[i].n_v += best[i].n_v / frames;
      mean[i].n_p += best[i].n_p / frames;
      mean[i].n_u += best[i].n_u / frames;
    }
  }
  return true;
}

/* The gain from stamps between bodies, as two rows. */
static bool report_stamps(bench_play *play, int reps)
{
  static const char *const keys[2] = {"stamps", "stamps-none"}, *const titles[2] = {"boxes, body by body",
                                                                                    "the same, stamps made old"};
  bench_table *t = &play->report->variants;
  pass mean[2] = {{.ms = 0}, {.ms = 0}};
  if (!measure_stamps(play, reps, mean)) return false;
  for (int i = 0; i < 2; ++i) {
    bench_text(t, bench_mode_text(BENCH_ALL));
    bench_text(t, keys[i]);
    bench_text(t, titles[i]);
    bench_text(t, pl_word(PL_WORDS_VOLUME, PL_VOLUME_AABB));
    const double numbers[] = {0,   NAN, mean[i].ms, mean[i].n_v, mean[i].n_p, mean[i].n_u, mean[0].ms / mean[i].ms,
                              NAN, NAN};
    for (size_t k = 0; k < sizeof numbers / sizeof *numbers; ++k) bench_number(t, numbers[k]);
  }
  bench_headline_add(play->report, "stamps", mean[1].ms / mean[0].ms, 1.1);
  bench_note(play->report,
             "Stamps: the queries of all pairs of bodies, one after the other, blend %.0f volumes a step; with new "
             "weights before each, so "
             "that no stamp of another pair holds, %.0f, and take %.2f times as long (the paper, stamps within a pair "
             "of bodies included: "
             "1.15 and 1.10 times).",
             mean[0].n_u, mean[1].n_u, mean[1].ms / mean[0].ms);
  return true;
}

/* ------------------------------------------------------------------------------------- check -- */

/* The first frame, the first with contact, one in the middle of the contact, the last. All
 * variants evaluate the same vertices in the same way, so one answer of the reference serves
 * them all. */
static bool report_all(bench_play *play, int reps)
{
  bench_report *r = play->report;
  for (int mode = 0; mode < BENCH_MODE_COUNT; ++mode)
    for (int i = 0; i < VARIANTS; ++i)
      if (!append_row(play, i, (bench_mode)mode)) return false;
  bench_note(r,
             "Variants: every %dth of the steps, %d in all; faster: times faster than boxes without in-betweens, over "
             "all steps, in the best and in the worst. The paper: in-betweens 1.05 overall, up to 1.4 in a step.",
             THINNING, play->poses->frames);
  return play->poses->bodies == 2 || report_stamps(play, reps);
}

bool bench_b_variants(const bench_options *options, bench_report *report, bench_cast *cast, int stride, bool use_scene,
                      bench_check_by by)
{
  bench_method methods[VARIANTS];
  int inbetweens[VARIANTS];
  for (int i = 0; i < VARIANTS; ++i) {
    methods[i] = (bench_method){variants[i].key, variants[i].title, bench_body_ours(PL_STRATEGY_BLEND)};
    methods[i].body.volume = variants[i].volume;
    if (variants[i].arity) methods[i].body.arity = variants[i].arity;
    inbetweens[i] = variants[i].inbetweens;
  }
  bench_play play = {0};
  bench_poses poses = {0};
  int reps = options->reps ? options->reps : options->quick ? 1 : 5;
  bench_table_init(&report->variants, columns, sizeof columns / sizeof *columns);
  if (!bench_poses_make(cast, stride * (options->quick ? 1 : THINNING), false, false, &poses))
    return bench_fail(report, "out of memory for the poses of variants");
  bench_compared_scene(&report->compared, 0, "variants");
  cast->inbetweens = inbetweens;
  bool ok = bench_play_open(&play, options, report, cast, &poses, methods, VARIANTS, use_scene) &&
            bench_play_check_some(&play, BASE, by) && bench_play_run(&play, BENCH_ALL, reps) &&
            bench_play_run(&play, BENCH_FIRST, reps) && report_all(&play, reps);
  cast->inbetweens = NULL;
  bench_play_close(&play);
  bench_poses_free(&poses);
  return ok;
}
