/* `pliant collide --check` with many bodies: a frame's contacts beside those of the reference,
 * which has the same bodies in a scene of its own, so that neither answer ends the other. */
#include "collide/collide_scene.h"
#include "common/output.h"
#include "scenes/ask.h"

static int compare_bodies(const contact_row *x, const contact_row *y, const collide_scene *s)
{
  size_t xa = stage_number(&s->job.stage, x->a, 0), ya = stage_number(&s->job.stage, y->a, 0);
  if (xa != ya) return xa < ya ? -1 : 1;
  size_t xb = stage_number(&s->job.stage, x->b, 0), yb = stage_number(&s->job.stage, y->b, 0);
  return (xb > yb) - (xb < yb);
}

static int compare_contacts(const contact_row *x, const contact_row *y, const collide_scene *s)
{
  if (x->a != y->a || x->b != y->b) return compare_bodies(x, y, s);
  if (x->triangle_a != y->triangle_a) return x->triangle_a < y->triangle_a ? -1 : 1;
  return (x->triangle_b > y->triangle_b) - (x->triangle_b < y->triangle_b);
}

static bool is_left_out(const collide_scene *s, const contact_row *c)
{
  if (!s->job.choice.any) return false;
  size_t a = stage_number(&s->job.stage, c->a, 0), b = stage_number(&s->job.stage, c->b, a);
  return pair_choice_leaves_out(&s->job.choice, a, b);
}

/* One walk through both lists, which are sorted. With --first every two bodies that touch must
 * have one true pair. */
static bool find_difference(const collide_scene *s, const pl_result *ours, const pl_result *truth, bool *missing,
                            contact_row *odd)
{
  size_t i = 0, j = 0;
  /* met: the bodies of truth's contact j have a pair in ours */
  bool all = !ours->partial, met = false;
  while (i < ours->count || j < truth->count) {
    const bool has_x = i < ours->count, has_y = j < truth->count;
    const contact_row x = contact_of(ours, i), y = contact_of(truth, j), next = contact_of(truth, j + 1);
    if (has_y && is_left_out(s, &y)) {
      ++j;
      continue;
    }
    const contact_row before = j ? contact_of(truth, j - 1) : (contact_row){0};
    int order = !has_x ? 1 : !has_y ? -1 : compare_contacts(&x, &y, s);
    *missing = order > 0;
    *odd = order < 0 ? x : y;
    if (order < 0) return true;
    met = order == 0 || (met && j > 0 && y.a == before.a && y.b == before.b);
    bool last = j + 1 == truth->count || next.a != y.a || next.b != y.b;
    bool wrong = s->options.first ? last && !met : order > 0;
    if (wrong && all) return true;
    i += order == 0;
    ++j;
  }
  return false;
}

bool collide_scene_check(collide_scene *s, const scene_frame *frame)
{
  const pl_result *truth = NULL;
  if (refer_touching(pl_all(s->job.truth), NULL, &truth) != PL_OK) {
    output_complain("frame %zu: the reference failed: %s", frame->index, pl_context_message(s->job.stage.context));
    return false;
  }
  bool missing;
  contact_row odd;
  if (!find_difference(s, frame->contacts, truth, &missing, &odd)) return true;
  output_complain("frame %zu: %zu pairs where the reference has %zu; triangle %u of %s and %u of %s are %s",
                  frame->index, frame->contacts->count, truth->count, odd.triangle_a,
                  scene_name(s, stage_number(&s->job.stage, odd.a, 0)), odd.triangle_b,
                  scene_name(s, stage_number(&s->job.stage, odd.b, 0)), missing ? "missing" : "no contact");
  return false;
}
