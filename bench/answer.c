/* Asking two bodies or a scene, and reading the answer. */
#include "bench/answer.h"

pl_status bench_ask(bench_player *player, bench_mode mode, bool sorted, bench_answer *out)
{
  *out = (bench_answer){0};
  pl_question def = pl_question_default();
  def.first = mode == BENCH_FIRST;
  def.sorted = sorted;
  const pl_who who = player->scene ? pl_all(player->scene) : pl_two(player->bodies[0], player->bodies[1]);
  return pl_touching(who, &def, &out->pairs);
}

size_t bench_answer_count(const bench_answer *answer) { return answer->pairs->count; }

size_t bench_answer_touching(const bench_answer *answer) { return answer->pairs->group_count; }

const pl_counters *bench_answer_counters(const bench_answer *answer) { return &answer->pairs->counters; }
