/* What a test or a volume costs. Times of runs are noisy, counts are not: a few costs are measured once, by runs that do very
 * different numbers of each, and all settings are compared by their counts. */
#include "tune.h"

#include <math.h>
#include <string.h>

enum { COSTS = 4, RUNS = PL_CRITERION_COUNT, REPEATS = 3 };

tune_costs tune_costs_default(void) { return (tune_costs){.v = 104, .p = 1730, .u = 529, .frame = 0}; }

double tune_score(const tune_scene *s, const tune_costs *costs, const tune_counts *counts)
{
  return costs->v * counts->n_v + costs->p * counts->n_p + costs->u * counts->n_u +
         costs->frame * (double)s->frame_count;
}

/* One run: counts, weighted so that every run's time is 1 and slow ones do not outweigh the others. */
typedef struct equation {
  double term[COSTS];
} equation;

/* Solves the normal equations for the costs in `subset`; false where they are no basis. */
static bool solve_subset(const equation *e, unsigned subset, double out[COSTS])
{
  double a[COSTS][COSTS + 1] = {{0}};
  int index[COSTS], n = 0;
  for (int i = 0; i < COSTS; ++i)
    if (subset >> i & 1) index[n++] = i;
  for (int r = 0; r < RUNS; ++r)
    for (int i = 0; i < n; ++i) {
      for (int k = 0; k < n; ++k) a[i][k] += e[r].term[index[i]] * e[r].term[index[k]];
      a[i][n] += e[r].term[index[i]];
    }
  for (int i = 0; i < n; ++i) {
    if (!(a[i][i] > 1e-30)) return false; /* positive definite otherwise: no pivots need be sought */
    for (int r = 0; r < n; ++r) {
      double by = r == i ? 0 : a[r][i] / a[i][i];
      for (int k = i; k <= n; ++k) a[r][k] -= by * a[i][k];
    }
  }
  memset(out, 0, COSTS * sizeof *out);
  for (int i = 0; i < n; ++i) out[index[i]] = a[i][n] / a[i][i];
  return true;
}

/* The least sum of squared relative errors over all subsets whose costs are not negative: there are 15. */
static bool fit(const equation *e, tune_costs *out)
{
  double least = INFINITY;
  for (unsigned subset = 1; subset < 1u << COSTS; ++subset) {
    double c[COSTS], error = 0;
    if (!solve_subset(e, subset, c) || c[0] < 0 || c[1] < 0 || c[2] < 0 || c[3] < 0) continue;
    for (int r = 0; r < RUNS; ++r) {
      double miss = -1;
      for (int i = 0; i < COSTS; ++i) miss += c[i] * e[r].term[i];
      error += miss * miss;
    }
    if (!(error < least)) continue;
    least = error;
    *out = (tune_costs){c[0], c[1], c[2], c[3]};
  }
  return isfinite(least);
}

bool tune_costs_measure(tune_scene *s, const pl_body_def *base, tune_costs *out)
{
  equation equations[RUNS];
  for (int c = 0; c < RUNS; ++c) {
    pl_body_def def = *base;
    def.inflate.criterion = (pl_criterion)c;
    tune_counts counts;
    double ns = INFINITY;
    for (int k = 0; k < REPEATS; ++k) {
      if (!tune_play(s, &def, &counts)) return false;
      ns = fmin(ns, 1e6 * counts.ms);
    }
    ns = fmax(ns, 1);
    equations[c] = (equation){{counts.n_v / ns, counts.n_p / ns, counts.n_u / ns, (double)s->frame_count / ns}};
  }
  if (!fit(equations, out)) *out = tune_costs_default();
  return true;
}
