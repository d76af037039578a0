/* The two nearest bodies where some pairs are left out: pairs are measured in the order of the
 * distances of their boxes, each with the least distance so far as its limit, until the boxes
 * are farther apart than that. Ties go to the bodies that come first, as in a scene. */
#include "distance/distance.h"
#include "scenes/ask.h"

#include "common/progress.h"

#include <math.h>
#include <stdlib.h>

typedef struct candidate {
  double lower; /* of the distance of two boxes, rounded down */
  size_t a, b;
} candidate;

static int compare(const void *x, const void *y)
{
  const candidate *p = x, *q = y;
  if (p->lower != q->lower) return p->lower < q->lower ? -1 : 1;
  if (p->a != q->a) return p->a < q->a ? -1 : 1;
  return (p->b > q->b) - (p->b < q->b);
}

typedef struct box {
  float lower[3], upper[3];
} box;

/* Boxes bound their bodies; the margin makes up for rounding here. */
static double box_distance(const box *a, const box *b)
{
  double sum = 0;
  for (int k = 0; k < 3; ++k) {
    double gap = fmax((double)a->lower[k] - b->upper[k], (double)b->lower[k] - a->upper[k]);
    if (gap > 0) sum += gap * gap;
  }
  return sqrt(sum) * (1 - 1e-12);
}

static bool find_candidates(const scene_job *job, candidate **out, size_t *count)
{
  const stage *s = &job->stage;
  size_t n = s->body_count, room = 0;
  box *boxes = calloc(n ? n : 1, sizeof *boxes);
  *out = NULL;
  *count = 0;
  bool good = boxes != NULL;
  for (size_t i = 0; good && i < n; ++i) good = pl_body_box(s->bodies[i].body, boxes[i].lower, boxes[i].upper) == PL_OK;
  for (size_t i = 0; good && i < n; ++i)
    for (size_t k = i + 1; good && k < n; ++k) {
      if (pair_choice_leaves_out(&job->choice, i, k)) continue;
      if (*count == room) {
        room = 2 * room + 64;
        candidate *moved = realloc(*out, room * sizeof *moved);
        good = moved != NULL;
        if (!good) break;
        *out = moved;
      }
      (*out)[(*count)++] = (candidate){box_distance(&boxes[i], &boxes[k]), i, k};
    }
  free(boxes);
  if (good && *count) qsort(*out, *count, sizeof **out, compare);
  return good;
}

static void add_counters(pl_counters *sum, const pl_counters *more)
{
  sum->n_v += more->n_v;
  sum->n_p += more->n_p;
  sum->n_u += more->n_u;
  sum->ms_update += more->ms_update;
  sum->ms_query += more->ms_query;
}

static bool comes_first(const candidate *x, const candidate *y) { return x->a != y->a ? x->a < y->a : x->b < y->b; }

/* What is left of a frame's budget goes to the next pair. false: nothing is left. */
static bool spend(pl_question *def, double budget, double begin)
{
  double rest = budget - (progress_clock() - begin);
  def->budget_ms = rest > 1e-6 ? rest : 1e-6;
  return rest > 0;
}

bool distance_pairs(const scene_job *job, const pl_question *def, bool reference, least_row *out)
{
  const stage *s = &job->stage;
  candidate *list, best = {0};
  size_t count;
  pl_counters sum = {0};
  pl_question own = def ? *def : pl_question_default();
  if (own.margin == PL_USUAL) own.margin = INFINITY;
  *out = (least_row){.distance = INFINITY, .lower = INFINITY, .triangle_a = UINT32_MAX, .triangle_b = UINT32_MAX};
  bool good = find_candidates(job, &list, &count), partial = false;
  double lower = INFINITY, begin = progress_clock(), budget = reference ? 0 : own.budget_ms;
  for (size_t i = 0; good && i < count; ++i) {
    const candidate *c = &list[i];
    if (c->lower > own.margin && !reference) break;
    if (budget > 0 && !spend(&own, budget, begin) && i > 0) {
      partial = true;
      if (c->lower < lower) lower = c->lower; /* the others are farther apart */
      break;
    }
    least_row found;
    pl_body *a = s->bodies[c->a].body, *b = s->bodies[c->b].body;
    good = (reference ? refer_least(pl_two(a, b), NULL, &found) : ask_least(pl_two(a, b), &own, &found)) == PL_OK;
    if (!good) break;
    add_counters(&sum, &found.counters);
    partial = partial || found.partial;
    if (found.lower < lower) lower = found.lower;
    if (!(found.distance < INFINITY)) continue;
    bool nearer = found.distance < out->distance;
    bool tie = out->a && found.distance == out->distance && comes_first(c, &best);
    if (!nearer && !tie) continue;
    *out = found;
    best = *c;
    own.margin = found.distance; /* as far away is far enough for a tie */
    if (own.first && !reference) break;
  }
  free(list);
  out->counters = sum;
  out->partial = partial;
  if (lower < out->lower) out->lower = lower;
  return good;
}
