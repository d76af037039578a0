/* Are the answers right? Every player against the reference, on its own numbers: methods with boxes in model space place their
 * vertices by themselves and round on the way, so they have a reference of their own. */
#include "bench/answer.h"

#include <stdlib.h>
#include <string.h>

/* A pair that means the same to every player. */
typedef struct known_pair {
  int body_a, body_b;
  uint32_t a, b;
} known_pair;

typedef struct known_pairs {
  known_pair *data; /* NULL: not known yet */
  size_t count;
} known_pairs;

static int body_index(const bench_play *play, const bench_player *player, const pl_body *body)
{
  for (int b = 0; b < play->poses->bodies; ++b)
    if (player->bodies[b] == body) return b;
  return -1;
}

static known_pair get(const bench_play *play, const bench_player *player, const bench_answer *answer, size_t i)
{
  if (answer->pairs) return (known_pair){0, 1, answer->pairs->pairs[i].a, answer->pairs->pairs[i].b};
  const pl_contact *c = &answer->contacts->contacts[i];
  return (known_pair){body_index(play, player, c->a), body_index(play, player, c->b), c->triangle_a, c->triangle_b};
}

static bool equal(known_pair a, known_pair b)
{
  return a.body_a == b.body_a && a.body_b == b.body_b && a.a == b.a && a.b == b.b;
}

static bool wrong(const bench_play *play, const bench_player *player, int frame, const char *what)
{
  return bench_fail(play->report, "step %d: %s %s; please report this", play->poses->steps[frame],
                    player->method->title, what);
}

static bool failed(const bench_play *play, const bench_player *player)
{
  return bench_fail(play->report, "%s: %s", player->method->title, pl_context_message(play->context));
}

static bool learn(bench_play *play, bench_player *player, bench_check_by by, known_pairs *out)
{
  bench_answer answer;
  pl_status s =
      by == BENCH_BY_REFERENCE ? bench_ask_reference(player, &answer) : bench_ask(player, BENCH_ALL, true, &answer);
  if (s != PL_OK) return failed(play, player);
  out->count = bench_answer_count(&answer);
  out->data = malloc((out->count + 1) * sizeof *out->data);
  if (!out->data) return bench_fail(play->report, "out of memory");
  for (size_t i = 0; i < out->count; ++i) out->data[i] = get(play, player, &answer, i);
  return true;
}

static bool is_known(const known_pairs *known, known_pair pair)
{
  for (size_t i = 0; i < known->count; ++i)
    if (equal(known->data[i], pair)) return true;
  return false;
}

static bool check_player(bench_play *play, bench_player *player, int frame, const known_pairs *known)
{
  bench_answer answer;
  if (bench_ask(player, BENCH_ALL, true, &answer) != PL_OK) return failed(play, player);
  size_t count = bench_answer_count(&answer), touching = bench_answer_touching(&answer);
  if (count != known->count) return wrong(play, player, frame, "finds a different number of pairs than the reference");
  for (size_t i = 0; i < count; ++i)
    if (!equal(get(play, player, &answer, i), known->data[i]))
      return wrong(play, player, frame, "finds other pairs than the reference");

  if (bench_ask(player, BENCH_FIRST, false, &answer) != PL_OK) return failed(play, player);
  if (bench_answer_count(&answer) != touching)
    return wrong(play, player, frame, "does not find one first pair where there are pairs");
  for (size_t i = 0; i < bench_answer_count(&answer); ++i)
    if (!is_known(known, get(play, player, &answer, i)))
      return wrong(play, player, frame, "finds a first pair that does not touch");
  return true;
}

/* From the last to the first: the last player may be the one to go by. */
bool bench_play_check(bench_play *play, int frame, bench_check_by by)
{
  known_pairs known[2] = {{0}};
  bool ok = true;
  for (int i = play->count - 1; ok && i >= 0; --i) {
    bench_player *player = &play->players[i];
    known_pairs *right = &known[bench_method_is_model(player->method)];
    bench_progress(play->report, "%s: checking step %d: %s", play->report->experiment, play->poses->steps[frame],
                   player->method->title);
    ok = bench_play_set(play, i, frame) && (right->data || learn(play, player, by, right)) &&
         check_player(play, player, frame, right);
  }
  free(known[0].data);
  free(known[1].data);
  return ok;
}

int bench_check_frames(const bench_play *play, int player, int frames[4])
{
  int last = play->poses->frames - 1, contact = bench_first_contact(play, player);
  const int wanted[4] = {0, contact <= last ? contact : last,
                         (contact + last) / 2 <= last ? (contact + last) / 2 : last, last};
  int n = 0;
  for (int i = 0; i < 4; ++i)
    if (n == 0 || wanted[i] > frames[n - 1]) frames[n++] = wanted[i];
  return n;
}
