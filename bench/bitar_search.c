/* A search that gives every criterion and both ways of growth the same chance. Rounds of points
 * that fill a box of the logarithms of the parameters evenly (additive recurrence: M. Roberts,
 * The Unreasonable Effectiveness of Quasirandom Sequences, 2018); each round's box is a third as
 * wide as the last one's, in the middle of which is the best point so far. No chance is involved
 * but that of the clock. A run ends as soon as it has taken as long as the best one: it cannot
 * win any more. */
#include "bench/bitar_search.h"

#include <math.h>
#include <stdlib.h>

enum { ROUNDS = 3, RUNS = 24, QUICK_RUNS = 2, REPEATS = 2 };

/* Wide enough for volumes that stand and for those that follow: what both were found to like is
 * well inside. */
static const double LEAST[3] = {0.01, 0.005, 0.002}, GREATEST[3] = {10, 1, 1}; /* p_max, k, gamma */

int bitar_search_runs(bool quick) { return 1 + ROUNDS * (quick ? QUICK_RUNS : RUNS); }

/* The time of all pairs, each frame by its smaller of two repeats; INFINITY where it is over
 * `most`. */
static bool score(const stage *s, match *pairs, const pl_body_def *def, const char *name, double most, double *out)
{
  *out = 0;
  for (int p = 0; p < BITAR_SCENARIOS && *out < most; ++p) {
    frame_cost *costs = calloc((size_t)pairs[p].frames, sizeof *costs);
    if (!costs) return bench_fail(s->report, "out of memory");
    bool ok = match_play(s, &pairs[p], def, name, costs);
    for (int f = 0; ok && f < pairs[p].frames; ++f) *out += costs[f].ms_update + costs[f].ms_query;
    free(costs);
    if (!ok) return false;
  }
  if (*out >= most) *out = INFINITY;
  return true;
}

/* Point `index` of a box that is `width` of the whole, around the best, and nowhere outside of
 * the whole. */
static parameters point(const search_space *space, const parameters *best, double width, int index)
{
  static const double steps[3] = {0.8191725133961645, 0.6710436067037893, 0.5497004779019703};
  const double middle[3] = {best->p_max, best->k, best->gamma};
  const bool searched[3] = {space->p_max, space->k_gamma, space->k_gamma};
  double x[3] = {0};
  for (int i = 0; i < 3; ++i) {
    if (!searched[i]) continue;
    double least = log(LEAST[i]), greatest = log(GREATEST[i]), whole = greatest - least, part = width * whole;
    double from = fmin(fmax(log(middle[i]) - part / 2, least), greatest - part);
    x[i] = exp(from + part * fmod(0.5 + steps[i] * (index + 1), 1));
  }
  return (parameters){x[0], x[1], x[2]};
}

bool bitar_search(const stage *s, match *pairs, const pl_body_def *base, const search_space *space, const char *name,
                  bool quick, parameters *best)
{
  stage now = *s;
  now.reps = quick ? 1 : REPEATS;
  *best = space->start;
  if (!space->p_max && !space->k_gamma) return true;
  double least = INFINITY, width = 1;
  for (int round = 0, runs = quick ? QUICK_RUNS : RUNS; round < ROUNDS; ++round, width /= 3) {
    parameters centre = *best;
    for (int i = round == 0 ? -1 : 0; i < runs; ++i) {
      parameters p = i < 0 ? space->start : point(space, &centre, width, round * runs + i);
      pl_body_def def = *base;
      def.inflate.p_max = p.p_max;
      def.inflate.k = p.k;
      def.inflate.gamma = p.gamma;
      double ms;
      bench_progress(s->report, "%s: searching the parameters of %s, %s, round %d of %d", s->report->experiment, name,
                     pl_word(PL_WORDS_GROWTH, base->inflate.growth), round + 1, ROUNDS);
      if (!score(&now, pairs, &def, name, least, &ms)) return false;
      if (ms >= least) continue;
      least = ms;
      *best = p;
    }
  }
  return true;
}
