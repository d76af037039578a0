#include "bench/variants.h"

/* key and title; arity of the tree. Add a column for what else may vary. */
static const struct {
  const char *key, *title;
  int arity;
} variants[] = {
    {"morph-k8", "morphing, arity 8", 8},
    {"morph-k4", "morphing, arity 4", 4},
    {"morph-k2", "morphing, arity 2", 2},
};

int bench_variants(bench_method out[BENCH_VARIANTS_MOST])
{
  int count = 0;
  out[count++] = (bench_method){"hybrid-thin", "free, hybrid", bench_body_ours(PL_STRATEGY_HYBRID)};
  for (size_t i = 0; i < sizeof variants / sizeof *variants && count < BENCH_VARIANTS_MOST; ++i) {
    bench_method *m = &out[count++];
    *m = (bench_method){variants[i].key, variants[i].title, bench_body_ours(PL_STRATEGY_BLEND)};
    m->body.arity = variants[i].arity;
  }
  return count;
}
