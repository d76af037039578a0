/* Frames of scenes whose bodies nearly all meet: 20 000 in one place are 200 million pairs of
 * bodies. A pl_scene stores each of them; here they are found by a sweep over the bodies' boxes,
 * asked one after the other and counted, so that memory stays as it is. */
#include "collide/collide_scene.h"
#include "common/output.h"
#include "common/progress.h"
#include "common/ranks.h"

#include <stdlib.h>
#include <string.h>

/* all pairs of so many fit into a pl_scene easily */
enum { FEW_BODIES = 1000 };
/* pairs of bodies that a pl_scene may hold: about 250 MB */
static const size_t most_kept = (size_t)1 << 19;

typedef struct box {
  float lower[3], upper[3];
  size_t body;
} box;

static int compare_boxes(const void *x, const void *y)
{
  const box *a = x, *b = y;
  if (a->lower[0] != b->lower[0]) return a->lower[0] < b->lower[0] ? -1 : 1;
  return (a->body > b->body) - (a->body < b->body);
}

/* Boxes bound the bodies, rounding included: bodies whose boxes are apart do not touch. */
static bool meet(const box *a, const box *b)
{
  return a->lower[1] <= b->upper[1] && b->lower[1] <= a->upper[1] && a->lower[2] <= b->upper[2] &&
         b->lower[2] <= a->upper[2];
}

static box *sorted_boxes(const collide_scene *s)
{
  box *boxes = calloc(s->job.stage.body_count, sizeof *boxes);
  for (size_t i = 0; boxes && i < s->job.stage.body_count; ++i) {
    boxes[i].body = i;
    if (pl_body_box(s->job.stage.bodies[i].body, boxes[i].lower, boxes[i].upper) == PL_OK) continue;
    free(boxes);
    return NULL;
  }
  if (boxes) qsort(boxes, s->job.stage.body_count, sizeof *boxes, compare_boxes);
  return boxes;
}

/* Returns whether there are more pairs of boxes than a pl_scene should hold. */
static bool are_many(const box *boxes, size_t count)
{
  size_t found = 0;
  for (size_t i = 0; i < count; ++i)
    for (size_t j = i + 1; j < count && boxes[j].lower[0] <= boxes[i].upper[0]; ++j)
      if (meet(&boxes[i], &boxes[j]) && ++found > most_kept) return true;
  return false;
}

/* The library counts; this only keeps it from storing. */
static bool go_on(void *user, pl_body *a, pl_body *b, pl_pair pair)
{
  (void)user, (void)pair;
  return true;
}

static bool count_pair(collide_scene *s, size_t x, size_t y, scene_frame *frame)
{
  size_t a = x < y ? x : y, b = x < y ? y : x;
  const pl_result *found;
  pl_question def = pl_question_default();
  def.first = s->options.first;
  if (!def.first) def.callback = go_on;
  if (pl_touching(pl_two(s->job.stage.bodies[a].body, s->job.stage.bodies[b].body), &def, &found) != PL_OK) {
    output_complain("frame %zu: %s", frame->index, pl_context_message(s->job.stage.context));
    return false;
  }
  pl_counters *sum = &frame->own.counters;
  sum->n_v += found->counters.n_v;
  sum->n_p += found->counters.n_p;
  sum->n_u += found->counters.n_u;
  if (!found->count) return true;
  frame->own.count += found->count;
  ++frame->own.group_count;
  return collide_scene_touch(s, frame, a, b, found->count);
}

bool collide_scene_counts(const collide_scene *s)
{
  const play_options *o = &s->options.common;
  if (s->job.choice.any || s->job.only_new || o->report || o->out || ranks_on()) return false;
  return s->job.stage.body_count > FEW_BODIES && !o->json && !o->list && !o->check && !(o->budget_ms > 0);
}

int collide_scene_count(collide_scene *s, scene_frame *frame)
{
  double begin = progress_clock();
  box *boxes = sorted_boxes(s);
  if (!boxes || !are_many(boxes, s->job.stage.body_count)) {
    free(boxes);
    return 0;
  }
  bool good = true;
  size_t n = s->job.stage.body_count;
  frame->own = (pl_result){0};
  for (size_t i = 0; i < n && good; ++i)
    for (size_t j = i + 1; j < n && good && boxes[j].lower[0] <= boxes[i].upper[0]; ++j)
      if (meet(&boxes[i], &boxes[j])) good = count_pair(s, boxes[i].body, boxes[j].body, frame);
  free(boxes);
  frame->own.counters.ms_query = progress_clock() - begin;
  frame->contacts = &frame->own;
  return good ? 1 : -1;
}
