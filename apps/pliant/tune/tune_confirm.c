/* Are the settings found faster, or do they only score better? Defaults, settings and auto are
 * played side by side, round by round, each round in another order, so that what slows the
 * machine for a while slows all of them. Each round gives a ratio.
 *
 * The verdict asks nothing of the noise but that rounds are independent: the true median of the
 * ratios is below the fifth smallest of 21 with a chance of (1 + 21 + 210 + 1330 + 5985) / 2^21
 * = 0.36 %, and above the fifth largest as well. Settings are better if that interval is above 1
 * and the median by at least MATTERS: less is not worth a file. */
#include "tune/tune.h"

#include <stdlib.h>

#define MATTERS 1.02
enum { RANK = 4 }; /* from each end, counted from 0 */

const char *tune_verdict_text(tune_verdict verdict)
{
#define WORD(name, word) word,
  static const char *const words[] = {TUNE_VERDICT_LIST(WORD)};
#undef WORD
  return (unsigned)verdict < TUNE_VERDICTS ? words[verdict] : NULL;
}

static int by_size(const void *a, const void *b)
{
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static double median_of(const double values[TUNE_ROUNDS])
{
  double sorted[TUNE_ROUNDS];
  for (int i = 0; i < TUNE_ROUNDS; ++i) sorted[i] = values[i];
  qsort(sorted, TUNE_ROUNDS, sizeof *sorted, by_size);
  return sorted[TUNE_ROUNDS / 2];
}

static void judge(const double defaults[TUNE_ROUNDS], const double tuned[TUNE_ROUNDS], tune_confirmed *out)
{
  double ratio[TUNE_ROUNDS];
  for (int i = 0; i < TUNE_ROUNDS; ++i) ratio[i] = tuned[i] > 0 ? defaults[i] / tuned[i] : 1;
  qsort(ratio, TUNE_ROUNDS, sizeof *ratio, by_size);
  out->ratio = ratio[TUNE_ROUNDS / 2];
  out->low = ratio[RANK];
  out->high = ratio[TUNE_ROUNDS - 1 - RANK];
  out->verdict = TUNE_VERDICT_SAME;
  if (out->low > 1 && out->ratio >= MATTERS) out->verdict = TUNE_VERDICT_BETTER;
  if (out->high < 1 && out->ratio <= 1 / MATTERS) out->verdict = TUNE_VERDICT_WORSE;
}

bool tune_confirm(tune_player play, void *user, bool has_tuned, tune_confirmed *out)
{
  double ms[TUNE_WAYS][TUNE_ROUNDS] = {{0}};
  *out = (tune_confirmed){.verdict = TUNE_VERDICT_NOTHING, .ratio = 1, .low = 1, .high = 1};
  for (int round = 0; round < TUNE_ROUNDS; ++round)
    for (int i = 0; i < TUNE_WAYS; ++i) {
      int way = (i + round) % TUNE_WAYS;
      if (way == TUNE_TUNED && !has_tuned) continue;
      if (!play(user, (tune_way)way, &ms[way][round])) return false;
    }
  for (int way = 0; way < TUNE_WAYS; ++way) out->ms[way] = median_of(ms[way]);
  if (has_tuned) judge(ms[TUNE_DEFAULTS], ms[TUNE_TUNED], out);
  return true;
}
