/* Are the answers right? Every player against the reference, on its own numbers: methods with
 * boxes in model space place their vertices by themselves and round on the way, so they have a
 * reference of their own. */
#include "bench/answer.h"
#include "scenes/ask.h"

#include <math.h>
#include <stdlib.h>

/* A pair that means the same to every player. */
typedef struct known_pair {
  int body_a, body_b;
  uint32_t a, b;
} known_pair;

typedef struct known_pairs {
  known_pair *data;
  size_t count;
  bool known;  /* already; there may be none */
  int last[2]; /* complete up to these two bodies, in the order of answers */
} known_pairs;

static int body_index(const bench_play *play, const bench_player *player, const pl_body *body)
{
  for (int b = 0; b < play->poses->bodies; ++b)
    if (player->bodies[b] == body) return b;
  return -1;
}

static known_pair get(const bench_play *play, const bench_player *player, const bench_answer *answer, size_t i)
{
  const contact_row c = contact_of(answer->pairs, i);
  return (known_pair){body_index(play, player, c.a), body_index(play, player, c.b), c.triangle_a, c.triangle_b};
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

static void compared(const bench_play *play, int frame, const char *what, const char *with, size_t values)
{
  bench_compared(&play->report->compared, what, with, play->poses->steps[frame], values);
}

static bool append(known_pairs *known, size_t *capacity, known_pair pair)
{
  if (known->count == *capacity) {
    size_t more = *capacity ? 2 * *capacity : 256;
    known_pair *data = realloc(known->data, more * sizeof *data);
    if (!data) return false;
    known->data = data;
    *capacity = more;
  }
  known->data[known->count++] = pair;
  return true;
}

/* Least and greatest coordinates of a body's vertices where they are placed. Morphing bodies
 * have no array of their own, so the player's spare one takes their vertices. */
static void world_box(const bench_play *play, const bench_player *player, int frame, int body, double box[2][3])
{
  const bench_poses *p = play->poses;
  const pl_transform identity = pl_transform_identity();
  bool morphs = bench_method_morphs(player->method);
  if (morphs) morph_blend(&play->cast->shape, &p->morphs[frame * p->bodies + body], player->xyz[body]);
  const pl_transform *at =
      bench_method_is_model(player->method) && !morphs ? &p->placements[frame * p->bodies + body] : &identity;
  for (int k = 0; k < 3; ++k) {
    box[0][k] = INFINITY;
    box[1][k] = -INFINITY;
  }
  const float *end = player->xyz[body] + (p->begin[body + 1] - p->begin[body]);
  for (const float *x = player->xyz[body]; x < end; x += 3)
    for (int k = 0; k < 3; ++k) {
      double w = at->m[k][0] * x[0] + at->m[k][1] * x[1] + at->m[k][2] * x[2] + at->t[k];
      box[0][k] = fmin(box[0][k], w);
      box[1][k] = fmax(box[1][k], w);
    }
}

/* Clearly: these coordinates are rounded, which is far below the margin. */
static bool apart(double a[2][3], double b[2][3])
{
  const double margin = 1e-4;
  for (int k = 0; k < 3; ++k)
    if (a[0][k] > b[1][k] + margin || b[0][k] > a[1][k] + margin) return true;
  return false;
}

/* The reference for every two bodies whose boxes are not apart: 351 pairs of bodies without this
 * would take minutes. Where also that would take long, it ends after the second pair of bodies
 * that touch. */
static bool learn_reference(bench_play *play, bench_player *player, int frame, bool some, known_pairs *out)
{
  size_t capacity = 0;
  int touching = 0;
  for (int a = 0; a < play->poses->bodies; ++a)
    for (int b = a + 1; b < play->poses->bodies; ++b) {
      double box_a[2][3], box_b[2][3];
      world_box(play, player, frame, a, box_a);
      world_box(play, player, frame, b, box_b);
      if (apart(box_a, box_b)) continue;
      const pl_result *pairs;
      if (refer_touching(pl_two(player->bodies[a], player->bodies[b]), NULL, &pairs) != PL_OK)
        return failed(play, player);
      for (size_t i = 0; i < pairs->count; ++i)
        if (!append(out, &capacity, (known_pair){a, b, pairs->pairs[i].a, pairs->pairs[i].b}))
          return bench_fail(play->report, "out of memory");
      touching += pairs->count > 0;
      if (some && touching == 2) {
        out->last[0] = a;
        out->last[1] = b;
        return true;
      }
    }
  return true;
}

/* Goes by this player's own answer. */
static bool learn_player(bench_play *play, bench_player *player, known_pairs *out)
{
  bench_answer answer;
  size_t capacity = 0;
  if (bench_ask(player, BENCH_ALL, true, &answer) != PL_OK) return failed(play, player);
  for (size_t i = 0; i < bench_answer_count(&answer); ++i)
    if (!append(out, &capacity, get(play, player, &answer, i))) return bench_fail(play->report, "out of memory");
  return true;
}

static bool learn(bench_play *play, bench_player *player, int frame, bench_check_by by, known_pairs *out)
{
  *out = (known_pairs){.known = true, .last = {play->poses->bodies, 0}};
  if (by == BENCH_BY_LAST_PLAYER) return learn_player(play, player, out);
  return learn_reference(play, player, frame, by == BENCH_BY_SOME_REFERENCE, out);
}

static bool is_covered(const known_pairs *known, known_pair pair)
{
  return pair.body_a < known->last[0] || (pair.body_a == known->last[0] && pair.body_b <= known->last[1]);
}

static bool is_known(const known_pairs *known, known_pair pair)
{
  for (size_t i = 0; i < known->count; ++i)
    if (equal(known->data[i], pair)) return true;
  return false;
}

static const char *const with_whom[] = {
    [BENCH_BY_REFERENCE] = BENCH_REFERENCE,
    [BENCH_BY_SOME_REFERENCE] = BENCH_REFERENCE ", two pairs of bodies",
    [BENCH_BY_LAST_PLAYER] = "the last method's tree",
};

static bool check_player(bench_play *play, bench_player *player, int frame, bench_check_by by, const known_pairs *known)
{
  bench_answer answer;
  if (bench_ask(player, BENCH_ALL, true, &answer) != PL_OK) return failed(play, player);
  size_t count = bench_answer_count(&answer), touching = bench_answer_touching(&answer);
  while (count > 0 && !is_covered(known, get(play, player, &answer, count - 1))) --count;
  if (count != known->count) return wrong(play, player, frame, "finds a different number of pairs than the reference");
  for (size_t i = 0; i < count; ++i)
    if (!equal(get(play, player, &answer, i), known->data[i]))
      return wrong(play, player, frame, "finds other pairs than the reference");
  compared(play, frame, "all pairs", with_whom[by], count);

  if (bench_ask(player, BENCH_FIRST, false, &answer) != PL_OK) return failed(play, player);
  if (bench_answer_count(&answer) != touching)
    return wrong(play, player, frame, "does not find one first pair where there are pairs");
  for (size_t i = 0; i < bench_answer_count(&answer); ++i)
    if (is_covered(known, get(play, player, &answer, i)) && !is_known(known, get(play, player, &answer, i)))
      return wrong(play, player, frame, "finds a first pair that does not touch");
  compared(play, frame, "the first pair is one of them", with_whom[by], bench_answer_count(&answer));
  return true;
}

/* Free bodies of a morphing scene must stand where morphing ones do, up to the rounding: the
 * reference, which goes by a player's own numbers, would not see it. */
static bool check_blend(const bench_play *play, const bench_player *player, int frame)
{
  const double most = 1e-5; /* coordinates are up to ten */
  const bench_poses *p = play->poses;
  if (!p->morphs || bench_method_morphs(player->method)) return true;
  float *right = malloc((3 * play->cast->shape.vertex_count + 1) * sizeof *right);
  if (!right) return bench_fail(play->report, "out of memory");
  bool same = true;
  for (int b = 0; b < p->bodies; ++b) {
    morph_blend(&play->cast->shape, &p->morphs[frame * p->bodies + b], right);
    for (size_t i = 0; i < 3 * play->cast->shape.vertex_count; ++i)
      same = same && fabs((double)player->xyz[b][i] - right[i]) <= most;
  }
  free(right);
  if (!same) return wrong(play, player, frame, "has vertices in wrong places");
  compared(play, frame, "vertices, within 1e-5", "the morphing body's",
           (size_t)p->bodies * play->cast->shape.vertex_count);
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
    ok = bench_play_set(play, i, frame) && check_blend(play, player, frame) &&
         (right->known || learn(play, player, frame, by, right)) && check_player(play, player, frame, by, right);
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

bool bench_play_check_some(bench_play *play, int player, bench_check_by by)
{
  int frames[4];
  if (!bench_play_scout(play, player)) return false;
  const int count = bench_check_frames(play, player, frames);
  for (int i = 0; i < count; ++i)
    if (!bench_play_check(play, frames[i], by)) return false;
  return true;
}
