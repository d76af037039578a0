/* Two claims of paper C without a table there. Section 7.5: the hybrid update is far ahead where
 * few rays go into much geometry, as in picking: one ray, ten, a hundred, a thousand, cast
 * through random pixels after an update. Section 7.1: with c processors for the rays a frame
 * takes T(c) = t_rc + t_rt / c, the reconstruction being serial: the prediction for 2 threads
 * beside the measurement. */
#include "bench/larsson_c1_few.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_RAYS = 1000, FRAMES = 5, AMDAHL_SAMPLING = 1, THREADS = 2 };
static const int counts[] = {1, 10, 100, MOST_RAYS};
enum { COUNTS = sizeof counts / sizeof *counts };

static const bench_column columns[] = {{"what", "", 0},
                                       {"method", NULL, 0},
                                       {"name", "method", 0},
                                       {"rays", "rays", 0},
                                       {"update_ms", "up", 3},
                                       {"trace_ms", "rt", 3},
                                       {"total_ms", "tot", 3},
                                       {"faster", "faster", 2},
                                       {"predicted_ms", "2 threads: predicted", 2},
                                       {"measured_ms", "measured", 2},
                                       {"measured_over_predicted", "ratio", 2}};

typedef struct part {
  double up, rt;
} part;

static void append(bench_report *r, const char *what, const bench_method *m, const double numbers[8])
{
  bench_text(&r->variants, what);
  bench_text(&r->variants, m->key);
  bench_text(&r->variants, m->title);
  for (int i = 0; i < 8; ++i) bench_number(&r->variants, numbers[i]);
}

/* ---------------------------------------------------------------------------------- few rays -- */

/* The same rays for every player: through pixels all over the picture, in an order without one. */
static void make_rays(const shots *p, int step, pl_ray rays[MOST_RAYS])
{
  trace_camera camera = shots_camera(p, step);
  for (int i = 0; i < MOST_RAYS; ++i) {
    const double x = 2 * fmod(0.5 + 0.7548776662 * (i + 1), 1) - 1, y = 2 * fmod(0.5 + 0.5698402910 * (i + 1), 1) - 1;
    double direction[3];
    for (int k = 0; k < 3; ++k) direction[k] = camera.forward[k] + x * camera.right[k] + y * camera.up[k];
    rays[i] = pl_ray_from(camera.eye, direction);
  }
}

static bool same_hits(const pl_hit *a, const pl_hit *b, int count)
{
  for (int i = 0; i < count; ++i)
    if (a[i].triangle != b[i].triangle || a[i].t != b[i].t || a[i].member != b[i].member) return false;
  return true;
}

/* One player, one frame: an update, then so many rays. Hits are those of the first player, and
 * ten of them the reference's. */
static bool cast_some(shots *p, int player, int step, const pl_ray *rays, int count, pl_hit *first, part *sum)
{
  shots_player *who = &p->players[player];
  const pl_result *hits;
  double up;
  if (!shots_update(p, who, &up)) return false;
  double begin = studio_clock(&p->studio);
  if (pl_cast(pl_all(who->scene), rays, (size_t)count, NULL, &hits) != PL_OK)
    return studio_refused(&p->studio, who->method.title);
  sum->rt += studio_clock(&p->studio) - begin;
  sum->up += up;
  if (player == 0) {
    memcpy(first, hits->hits, (size_t)count * sizeof *first);
    if (count != 10) return true;
    pl_question slow = pl_question_default();
    slow.reference = true;
    if (pl_cast(pl_all(who->scene), rays, (size_t)count, &slow, &hits) != PL_OK)
      return studio_refused(&p->studio, "the reference");
  }
  if (!same_hits(hits->hits, first, count))
    return bench_fail(p->report, "frame %d: %s hits something else; please report this", step, who->method.title);
  bench_compared(&p->report->compared, "few rays: nearest hits", player ? "the first method's" : BENCH_REFERENCE, step,
                 (size_t)count);
  return true;
}

static int frame_of(const shots *p, int i)
{
  return p->frames > FRAMES ? i * (p->frames - 1) / (FRAMES - 1) : i % p->frames;
}

static bool few_rays(shots *p)
{
  part(*sum)[SHOTS_MOST] = calloc(COUNTS, sizeof *sum);
  pl_ray *rays = malloc(MOST_RAYS * sizeof *rays);
  pl_hit *first = malloc(MOST_RAYS * sizeof *first);
  bool good = (sum && rays && first) || studio_out_of_memory(&p->studio);
  for (int f = 0; f < FRAMES && good; ++f) {
    const int step = p->steps[frame_of(p, f)];
    bench_progress(p->report, "%s: few rays, frame %d", p->report->experiment, step);
    shots_pose(p, step);
    make_rays(p, step, rays);
    for (int c = 0; c < COUNTS && good; ++c)
      for (int i = 0; i < p->count && good; ++i) good = cast_some(p, i, step, rays, counts[c], first, &sum[c][i]);
  }
  for (int c = 0; c < COUNTS && good; ++c)
    for (int i = 0; i < p->count; ++i) {
      const part *x = &sum[c][i], *up = &sum[c][i & ~1];
      const double faster = (up->up + up->rt) / (x->up + x->rt);
      const double numbers[8] = {counts[c], x->up / FRAMES, x->rt / FRAMES, (x->up + x->rt) / FRAMES, faster, NAN, NAN,
                                 NAN};
      append(p->report, counts[c] == 1 ? "picking" : "few rays", &p->players[i].method, numbers);
      if (counts[c] == 1 && i % 2) bench_headline_add(p->report, i == 1 ? "picking" : "picking_ours", faster, NAN);
      if (counts[c] == 100 && i == 1) bench_headline_add(p->report, "rays_100", faster, NAN);
    }
  free(sum);
  free(rays);
  free(first);
  return good;
}

/* ------------------------------------------------------------------------------------ Amdahl -- */

/* The mean of some frames, each the least of three. */
static bool mean_frame(shots *p, int player, part *out, double *rays)
{
  *out = (part){0};
  *rays = 0;
  for (int f = 0; f < FRAMES; ++f) {
    const int step = p->steps[frame_of(p, f)];
    part best = {INFINITY, INFINITY};
    trace_stats stats;
    shots_pose(p, step);
    for (int r = 0; r < 3; ++r) {
      part now;
      if (!shots_update(p, &p->players[player], &now.up) ||
          !shots_trace(p, &p->players[player], step, AMDAHL_SAMPLING, &now.rt, &stats))
        return false;
      best = (part){fmin(best.up, now.up), fmin(best.rt, now.rt)};
    }
    *rays += (double)(stats.primary + stats.shadow + stats.reflected) / FRAMES;
    out->up += best.up / FRAMES;
    out->rt += best.rt / FRAMES;
  }
  return true;
}

static bool amdahl(shots *p, const bench_method *methods)
{
  shots two;
  bench_options options = *p->options;
  options.threads = THREADS;
  bool good = shots_open(&two, &options, p->report, methods, p->count);
  for (int i = 0; i < p->count && good; ++i) {
    part one, both;
    double rays, same;
    bench_progress(p->report, "%s: two threads, %s", p->report->experiment, methods[i].title);
    good = mean_frame(p, i, &one, &rays) && mean_frame(&two, i, &both, &same);
    if (good && rays != same) good = bench_fail(p->report, "two threads trace other rays than one; please report this");
    if (!good) break;
    const double predicted = one.up + one.rt / THREADS, measured = both.up + both.rt;
    const double numbers[8] = {rays, one.up, one.rt, one.up + one.rt, NAN, predicted, measured, measured / predicted};
    append(p->report, "Amdahl, 5x5", &p->players[i].method, numbers);
    bench_compared(&p->report->compared, "number of rays, two threads", "one thread's", -1, FRAMES);
    if (i == 0) bench_headline_add(p->report, "amdahl_bottom_up", measured / predicted, NAN);
    if (i == 1) bench_headline_add(p->report, "amdahl_hybrid", measured / predicted, NAN);
  }
  shots_close(&two);
  return good;
}

bool larsson_c1_few(shots *p, const bench_method *methods)
{
  bench_table_init(&p->report->variants, columns, sizeof columns / sizeof *columns);
  if (!few_rays(p) || (pl_context_threads(p->studio.context) == 1 && !amdahl(p, methods))) return false;
  bench_note(p->report,
             "Few rays: an update, then so many rays through pixels all over the picture; faster: hybrid than "
             "bottom-up. Amdahl: update "
             "and rays of one thread, T(2) = up + rt / 2 as paper C predicts for 2 processors with a serial update, "
             "beside the wall time "
             "of 2 threads, whose update is shared as well; %d frames.",
             FRAMES);
  return true;
}
