/* The pairs are copied out, because the context's answer ends with its next query, and the
 * reference is a query too. */
#include "common/two_bodies.h"

#include "common/ranks.h"
#include "scenes/ask.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_STORED = 1 << 20 }; /* pairs, where only their number is asked for */

static bool fail(two_bodies *d, pl_status status)
{
  d->message = d->context ? ranks_message(d->context) : pl_status_text(status);
  if (d->message[0] == '\0') d->message = pl_status_text(status);
  return false;
}

bool two_bodies_create(two_bodies *d, int threads, const pl_mesh_def meshes[2], const pl_body_def *def)
{
  *d = (two_bodies){.message = "", .last_count = SIZE_MAX};
  pl_context_def context = pl_context_def_default();
  context.threads = threads;
  pl_status status = pl_context_create(&context, &d->context);
  for (int i = 0; i < 2 && status == PL_OK; ++i) status = pl_body_create_free(d->context, &meshes[i], def, &d->body[i]);
  return status == PL_OK || fail(d, status);
}

void two_bodies_use(two_bodies *d, pl_context *context, pl_body *a, pl_body *b)
{
  *d = (two_bodies){.message = "", .context = context, .borrowed = true, .body = {a, b}, .last_count = SIZE_MAX};
}

void two_bodies_destroy(two_bodies *d)
{
  if (!d->borrowed) pl_context_destroy(d->context);
  free(d->pairs);
  *d = (two_bodies){.message = ""};
}

static bool reserve(two_bodies *d, size_t count)
{
  if (count <= d->capacity) return true;
  size_t capacity = count + count / 2;
  pl_pair *pairs = realloc(d->pairs, capacity * sizeof *pairs);
  if (!pairs) {
    d->message = pl_status_text(PL_ERROR_MEMORY);
    return false;
  }
  d->pairs = pairs;
  d->capacity = capacity;
  return true;
}

/* The library counts; this only keeps it from storing. */
static bool go_on(void *user, pl_body *a, pl_body *b, pl_pair pair)
{
  (void)user, (void)pair;
  return true;
}

bool two_bodies_collide(two_bodies *d, const pl_question *def, bool keep, two_bodies_answer *out)
{
  *out = (two_bodies_answer){0};
  const pl_result *found = NULL;
  pl_question own = *def;
  /* A callback sees pairs one by one, from one thread; storing some of them lets all threads
   * work. */
  bool few = d->last_count < MOST_STORED && pl_context_threads(d->context) > 1;
  if (!keep && !def->first && !few) own.callback = go_on;
  pl_status status = ranks_ask_two(RANKS_TOUCHING, d->body[0], d->body[1], &own, &found);
  if (status != PL_OK) return fail(d, status);
  d->last_count = found->count;
  *out = (two_bodies_answer){NULL, found->count, found->partial, found->level, found->counters};
  if (!keep) return true;
  if (!reserve(d, found->count)) return false;
  if (found->count > 0) memcpy(d->pairs, found->pairs, found->count * sizeof *d->pairs);
  out->pairs = d->pairs;
  return true;
}

static int compare_pairs(pl_pair x, pl_pair y)
{
  if (x.a != y.a) return x.a < y.a ? -1 : 1;
  return (x.b > y.b) - (x.b < y.b);
}

int two_bodies_check(two_bodies *d, const two_bodies_answer *answer, bool first, char difference[DUO_TEXT])
{
  const pl_result *truth = NULL;
  pl_status status = refer_touching(pl_two(d->body[0], d->body[1]), NULL, &truth);
  if (status != PL_OK) {
    fail(d, status);
    return -1;
  }
  bool whole = !first && !answer->partial;
  size_t i = 0, j = 0; /* one walk through both lists */
  while (i < answer->count || (whole && j < truth->count)) {
    int order = i == answer->count ? 1 : j == truth->count ? -1 : compare_pairs(answer->pairs[i], truth->pairs[j]);
    if (order < 0 || (order > 0 && whole)) {
      pl_pair odd = order < 0 ? answer->pairs[i] : truth->pairs[j];
      snprintf(difference, DUO_TEXT, "%zu pairs where the reference has %zu; the pair %u %u is %s", answer->count,
               truth->count, odd.a, odd.b, order < 0 ? "no contact" : "missing");
      return 0;
    }
    i += order == 0;
    ++j;
  }
  if (first && !answer->partial && answer->count == 0 && truth->count > 0) {
    snprintf(difference, DUO_TEXT, "no pair where the reference has %zu", truth->count);
    return 0;
  }
  return 1;
}
