/* Is a search worth it? All other strategies are played a few times, in turns, and beside them
 * what every inflate has to do: an update that grows all volumes or one that refits all of them,
 * whichever is less, and queries of volumes that are all new. */
#include "common/progress.h"
#include "tune/tune.h"

#include <math.h>

enum {
  LEAST_ROUNDS = 3,
  MOST_ROUNDS = 50,
  LONG_MS = 80
};                                 /* short scenes are played more often, so that a clock can tell */
static const double matters = 1.1; /* less is noise */

typedef struct floor_times {
  double update, query; /* the least so far; 0: none */
} floor_times;

static void keep_least(double *least, double ms)
{
  if (*least == 0 || ms < *least) *least = fmax(ms, 1e-9);
}

/* Strategies that need other bodies than free ones are left out, and those that are played
 * anyway. */
static bool is_rival(tune_scene *s, const pl_body_def *def)
{
  pl_body *body;
  if (def->strategy == PL_STRATEGY_AUTO || def->strategy == PL_STRATEGY_INFLATE) return false;
  bool possible = pl_body_create_free(s->context, &s->parts[0].side[0].mesh, def, &body) == PL_OK;
  pl_body_destroy(body);
  return possible;
}

static bool play_floor(tune_scene *s, const pl_body_def *base, floor_times *out)
{
  static const pl_criterion ends[] = {PL_CRITERION_REFIT_NONE, PL_CRITERION_REFIT_ALL};
  tune_counts counts;
  pl_body_def def = *base;
  for (int i = 0; i < 2; ++i) {
    def.inflate.criterion = ends[i];
    if (!tune_play(s, &def, TUNE_UPDATE, NULL, &counts)) return false;
    keep_least(&out->update, counts.ms);
  }
  def = *base;
  def.strategy = PL_STRATEGY_BOTTOM_UP; /* the same tree and volumes, all of them new */
  if (!tune_play(s, &def, TUNE_FULL, NULL, &counts)) return false;
  keep_least(&out->query, counts.ms_query);
  return true;
}

static bool play_rivals(tune_scene *s, const pl_body_def *base, tune_rivals *out)
{
  for (int i = 0; i < PL_STRATEGY_COUNT; ++i) {
    tune_counts counts;
    pl_body_def def = *base;
    def.strategy = (pl_strategy)i;
    def.volume = PL_VOLUME_AABB; /* fastest for all of them, see docs/notes/experiments.md */
    if (!is_rival(s, &def)) continue;
    if (!tune_play(s, &def, TUNE_FULL, NULL, &counts)) return false;
    keep_least(&out->ms[i], counts.ms);
  }
  return true;
}

bool tune_rivals_measure(tune_scene *s, const pl_body_def *base, tune_rivals *out)
{
  floor_times least = {0};
  *out = (tune_rivals){.best = PL_STRATEGY_AUTO};
  double begin = progress_clock();
  for (int k = 0; k < LEAST_ROUNDS || (k < MOST_ROUNDS && progress_clock() - begin < LONG_MS); ++k)
    if (!play_floor(s, base, &least) || !play_rivals(s, base, out)) return false;
  out->least = least.update + least.query;
  for (int i = 0; i < PL_STRATEGY_COUNT; ++i)
    if (out->ms[i] > 0 && (out->best == PL_STRATEGY_AUTO || out->ms[i] < out->ms[out->best]))
      out->best = (pl_strategy)i;
  return true;
}

bool tune_rivals_win(const tune_rivals *r) { return r->ms[r->best] > 0 && matters * r->ms[r->best] < r->least; }
