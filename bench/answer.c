/* Asking two bodies or a scene, and reading the answer. */
#include "bench/answer.h"

pl_status bench_ask(bench_player *player, bench_mode mode, bool sorted, bench_answer *out)
{
  *out = (bench_answer){0};
  pl_collide_def def = pl_collide_def_default();
  def.first = mode == BENCH_FIRST;
  def.sorted = sorted;
  if (player->scene) return pl_scene_collide(player->scene, &def, &out->contacts);
  return pl_body_collide(player->bodies[0], player->bodies[1], &def, &out->pairs);
}

size_t bench_answer_count(const bench_answer *answer)
{
  return answer->pairs ? answer->pairs->count : answer->contacts->count;
}

size_t bench_answer_touching(const bench_answer *answer)
{
  return answer->pairs ? answer->pairs->count > 0 : answer->contacts->group_count;
}

const pl_counters *bench_answer_counters(const bench_answer *answer)
{
  return answer->pairs ? &answer->pairs->counters : &answer->contacts->counters;
}
