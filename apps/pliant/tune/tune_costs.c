/* What a test or a volume costs. Times of runs are noisy, counts are not: a few costs are
 * measured once, and all settings are compared by their counts.
 *
 * Settings alone do not tell the costs apart: whatever they are, a frame ends with the same
 * triangles, so that n_p hardly differs and its cost cannot be told from that of a frame. So
 * some runs ask for less (TUNE_SHORT) and test next to no triangles; and some make hardly any
 * volume anew, so that volume tests are nearly all they do (of these, as many frames as
 * MOST_TESTS allows). What was found is judged by settings that had no part in it. */
#include "tune/tune.h"

#include <math.h>
#include <string.h>

enum { COSTS = 4, REPEATS = 5, MOST_TESTS = 12 /* times those of the first run */ };

/* ------------------------------------------------------------------------------- fixed costs -- */

/* Tests: medians of what tune_costs_measure() found, for wide trees (8 children, 8 triangles a
 * leaf) on three pairs of the experiment bitar, two animations and two spheres that pass each
 * other; for narrow ones (2 children, 1 triangle, builder matching) on four pairs, with swept
 * rectangles: other narrow trees are taken to differ from wide ones by the same factors.
 * Volumes: one costs the more the more vertices it holds, and those that queries go into stand
 * high in the tree. So boxes, OBBs and RSSs have the median, over 15 scenes, of what they cost
 * in runs whose criterion has test B: up to 1.7 times what tune_costs_measure() found, whose
 * probes make all leaves anew as well. On large meshes it is more still. */
tune_costs tune_costs_default(const pl_body_def *def)
{
  static const tune_costs wide[PL_VOLUME_COUNT] = {
      [PL_VOLUME_AABB] = {16, 95, 120, 0},    [PL_VOLUME_SPHERE] = {17, 140, 400, 0},
      [PL_VOLUME_KDOP14] = {15, 147, 374, 0}, [PL_VOLUME_KDOP18] = {15, 147, 374, 0},
      [PL_VOLUME_KDOP26] = {15, 147, 374, 0}, [PL_VOLUME_OBB] = {30, 170, 2350, 0},
      [PL_VOLUME_RSS] = {25, 130, 2800, 0},
  };
  tune_costs c = wide[def->volume];
  if (def->arity * def->leaf_size >= 16) return c;
  return (tune_costs){2.2 * c.v, 3.6 * c.p, 0.39 * c.u, 0};
}

/* --------------------------------------------------------------------------------------- fit -- */

static void terms_of(const tune_equation *e, double term[COSTS])
{
  const double counts[COSTS] = {e->n_v, e->n_p, e->n_u, e->frames};
  /* relative: slow runs do not outweigh the others */
  for (int i = 0; i < COSTS; ++i) term[i] = counts[i] / e->ns;
}

static double miss_of(const tune_equation *e, const double c[COSTS])
{
  double term[COSTS], miss = -1;
  terms_of(e, term);
  for (int i = 0; i < COSTS; ++i) miss += c[i] * term[i];
  return miss;
}

/* Solves the normal equations for the costs in `subset`; false where they are no basis. */
static bool solve_subset(const tune_equation *e, int count, unsigned subset, double out[COSTS])
{
  double a[COSTS][COSTS + 1] = {{0}}, diagonal[COSTS];
  int index[COSTS] = {0}, n = 0;
  for (int i = 0; i < COSTS; ++i)
    if (subset >> i & 1) index[n++] = i;
  for (int r = 0; r < count; ++r) {
    double term[COSTS];
    terms_of(&e[r], term);
    for (int i = 0; i < n; ++i) {
      for (int k = 0; k < n; ++k) a[i][k] += term[index[i]] * term[index[k]];
      a[i][n] += term[index[i]];
    }
  }
  for (int i = 0; i < n; ++i) diagonal[i] = a[i][i];
  for (int i = 0; i < n; ++i) {
    /* positive definite otherwise: no pivots need be sought */
    if (!(a[i][i] > 1e-9 * diagonal[i])) return false;
    for (int r = 0; r < n; ++r) {
      double by = r == i ? 0 : a[r][i] / a[i][i];
      for (int k = i; k <= n; ++k) a[r][k] -= by * a[i][k];
    }
  }
  memset(out, 0, COSTS * sizeof *out);
  for (int i = 0; i < n; ++i) out[index[i]] = a[i][n] / a[i][i];
  return true;
}

bool tune_costs_solve(const tune_equation *e, int count, tune_costs *out)
{
  double least = INFINITY;
  for (unsigned subset = 1; subset < 1u << COSTS; ++subset) { /* there are 15 */
    double c[COSTS], error = 0;
    if (!solve_subset(e, count, subset, c) || c[0] < 0 || c[1] < 0 || c[2] < 0 || c[3] < 0) continue;
    for (int r = 0; r < count; ++r) error += miss_of(&e[r], c) * miss_of(&e[r], c);
    if (!(error < least)) continue;
    least = error;
    *out = (tune_costs){c[0], c[1], c[2], c[3]};
  }
  return isfinite(least);
}

tune_fit tune_costs_judge(const tune_equation *e, int count, const tune_costs *costs)
{
  const double c[COSTS] = {costs->v, costs->p, costs->u, costs->frame};
  tune_fit fit = {.runs = count};
  double mean = 0, rest = 0, spread = 0;
  for (int r = 0; r < count; ++r) mean += e[r].ns / count;
  for (int r = 0; r < count; ++r) {
    double miss = miss_of(&e[r], c);
    fit.mean += miss * miss / count;
    fit.most = fmax(fit.most, fabs(miss));
    rest += miss * e[r].ns * miss * e[r].ns;
    spread += (e[r].ns - mean) * (e[r].ns - mean);
  }
  fit.mean = sqrt(fit.mean);
  fit.r2 = spread > 0 ? 1 - rest / spread : 0;
  return fit;
}

bool tune_fit_is_good(const tune_fit *fit) { return fit->mean <= TUNE_FIT_MEAN && fit->most <= TUNE_FIT_MOST; }

/* ----------------------------------------------------------------------------------- measure -- */

typedef struct probe {
  tune_mode mode;
  bool judges; /* has no part in the fit */
  pl_inflate_def inflate;
} probe;

static const probe probes[] = {
    {TUNE_FULL, false, {PL_CRITERION_A, 0.05, 0, 0, PL_GROWTH_FOLLOW}},
    {TUNE_FULL, false, {PL_CRITERION_A, 0.5, 0, 0, PL_GROWTH_FOLLOW}},
    {TUNE_FULL, false, {PL_CRITERION_A, 3, 0, 0, PL_GROWTH_FOLLOW}},
    {TUNE_FULL, false, {PL_CRITERION_B, 0, 0, 0, PL_GROWTH_FOLLOW}},
    {TUNE_FULL, false, {PL_CRITERION_A_AND_B, 0.2, 0, 0, PL_GROWTH_FOLLOW}},
    {TUNE_FULL, false, {PL_CRITERION_A_AND_B, 1, 0, 0, PL_GROWTH_FOLLOW}},
    {TUNE_FULL, false, {PL_CRITERION_A_AND_B, 4, 0, 0, PL_GROWTH_FOLLOW}},
    {TUNE_FULL, false, {PL_CRITERION_AB_OR_BC, 1.5, 0.8, 0.5, PL_GROWTH_FOLLOW}},
    {TUNE_FULL, false, {PL_CRITERION_A_OR_BC, 3, 0.1, 0.1, PL_GROWTH_FOLLOW}},
    {TUNE_FULL, false, {PL_CRITERION_REFIT_NONE, 0, 0, 0, PL_GROWTH_FOLLOW}},
    {TUNE_FULL, false, {PL_CRITERION_B_AND_C, 0, 0.3, 0.3, PL_GROWTH_FOLLOW}},
    {TUNE_SHORT, false, {PL_CRITERION_A, 0.05, 0, 0, PL_GROWTH_FOLLOW}},
    {TUNE_SHORT, false, {PL_CRITERION_A, 1, 0, 0, PL_GROWTH_FOLLOW}},
    {TUNE_SHORT, false, {PL_CRITERION_B, 0, 0, 0, PL_GROWTH_FOLLOW}},
    {TUNE_SHORT, false, {PL_CRITERION_A_AND_B, 1, 0, 0, PL_GROWTH_FOLLOW}},
    {TUNE_FULL, true, {PL_CRITERION_A, 0.15, 0, 0, PL_GROWTH_FOLLOW}},
    {TUNE_FULL, true, {PL_CRITERION_A, 1.5, 0, 0, PL_GROWTH_FOLLOW}},
    {TUNE_FULL, true, {PL_CRITERION_A_AND_B, 0.4, 0, 0, PL_GROWTH_FOLLOW}},
    {TUNE_FULL, true, {PL_CRITERION_A_AND_B, 2, 0, 0, PL_GROWTH_FOLLOW}},
    {TUNE_FULL, true, {PL_CRITERION_AB_OR_BC, 0.7, 0.3, 0.3, PL_GROWTH_FOLLOW}},
    {TUNE_FULL, true, {PL_CRITERION_AB_OR_BC, 5, 0.1, 0.1, PL_GROWTH_FOLLOW}},
    {TUNE_FULL, true, {PL_CRITERION_A_OR_BC, 1, 0.5, 0.3, PL_GROWTH_FOLLOW}},
    {TUNE_FULL, true, {PL_CRITERION_A_AND_B_AND_C, 1, 0.2, 0.1, PL_GROWTH_FOLLOW}},
};
enum { PROBES = sizeof probes / sizeof probes[0] };

/* Plays a probe; *out gets its counts, and its time if that is less than what stands there. */
static bool run_probe(tune_scene *s, const pl_body_def *base, const probe *p, const tune_limit *limit,
                      tune_equation *out)
{
  pl_body_def def = *base;
  def.inflate = p->inflate;
  def.inflate.growth = base->inflate.growth;
  tune_counts counts;
  if (!tune_play(s, &def, p->mode, limit, &counts)) return false;
  double ns = fmax(1e6 * counts.ms, 1);
  *out = (tune_equation){counts.n_v, counts.n_p, counts.n_u, counts.frames, out->ns > 0 ? fmin(out->ns, ns) : ns};
  return true;
}

/* All probes in turn, several times over: noise only ever adds, and what lasts for a while does
 * not hit one probe alone. */
bool tune_costs_measure(tune_scene *s, const pl_body_def *base, tune_costs *out, tune_fit *fit)
{
  tune_equation equations[PROBES] = {{0}};
  tune_limit limit = {.costs = {.v = 1}, .most = INFINITY};
  int fitted = 0;
  for (int k = 0; k < REPEATS * PROBES; ++k) {
    if (!run_probe(s, base, &probes[k % PROBES], &limit, &equations[k % PROBES])) return false;
    if (k == 0) limit.most = MOST_TESTS * equations[0].n_v;
  }
  while (!probes[fitted].judges) ++fitted; /* those that judge stand last */
  if (!tune_costs_solve(equations, fitted, out)) *out = tune_costs_default(base);
  *fit = tune_costs_judge(equations + fitted, PROBES - fitted, out);
  return true;
}
