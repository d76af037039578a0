/* One answer, whether two bodies were asked or a scene. */
#ifndef BENCH_ANSWER_H
#define BENCH_ANSWER_H

#include "bench/play.h"

typedef struct bench_answer {
  const pl_result *pairs;
} bench_answer;

/* Valid until the thread's next such question. */
pl_status bench_ask(bench_player *player, bench_mode mode, bool sorted, bench_answer *out);

size_t bench_answer_count(const bench_answer *answer);
size_t bench_answer_touching(const bench_answer *answer); /* body pairs with a contact */
const pl_counters *bench_answer_counters(const bench_answer *answer);

#endif
