/* Lines of comparisons, added up. */
#include "bench/compared.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void bench_compared_scene(bench_comparisons *all, int played, const char *format, ...)
{
  va_list list;
  va_start(list, format);
  vsnprintf(all->scene, sizeof all->scene, format, list);
  va_end(list);
  all->played = played;
}

static bench_comparison *line_of(bench_comparisons *all, const char *what, const char *with)
{
  for (size_t i = 0; i < all->count; ++i) {
    bench_comparison *c = &all->list[i];
    if (!strcmp(c->what, what) && !strcmp(c->with, with) && !strcmp(c->scene, all->scene)) return c;
  }
  if (all->count == BENCH_MOST_COMPARISONS) return NULL;
  bench_comparison *c = &all->list[all->count++];
  *c = (bench_comparison){.what = what, .with = with};
  memcpy(c->scene, all->scene, sizeof c->scene);
  return c;
}

void bench_compared(bench_comparisons *all, const char *what, const char *with, int step, size_t values)
{
  bench_comparison *c = line_of(all, what, with);
  if (!c) {
    ++all->left_out;
    return;
  }
  c->played = all->played;
  ++c->answers;
  c->values += (double)values;
  if (step < 0 || step >= BENCH_MOST_STEPS) return;
  uint64_t bit = (uint64_t)1 << step % 64, *word = &c->step_set[step / 64];
  c->steps += !(*word & bit);
  *word |= bit;
}
