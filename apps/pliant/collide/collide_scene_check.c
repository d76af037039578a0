/* `pliant collide --check` with many bodies: a frame's contacts beside those of the reference, which has the same bodies in a
 * scene of its own, so that neither answer ends the other. */
#include "collide/collide_scene.h"
#include "common/output.h"

static int compare_bodies(const pl_contact *x, const pl_contact *y, const collide_scene *s)
{
  size_t xa = stage_number(&s->job.stage, x->a, 0), ya = stage_number(&s->job.stage, y->a, 0);
  if (xa != ya) return xa < ya ? -1 : 1;
  size_t xb = stage_number(&s->job.stage, x->b, 0), yb = stage_number(&s->job.stage, y->b, 0);
  return (xb > yb) - (xb < yb);
}

static int compare_contacts(const pl_contact *x, const pl_contact *y, const collide_scene *s)
{
  if (x->a != y->a || x->b != y->b) return compare_bodies(x, y, s);
  if (x->triangle_a != y->triangle_a) return x->triangle_a < y->triangle_a ? -1 : 1;
  return (x->triangle_b > y->triangle_b) - (x->triangle_b < y->triangle_b);
}

static bool is_left_out(const collide_scene *s, const pl_contact *c)
{
  if (!s->job.choice.any) return false;
  size_t a = stage_number(&s->job.stage, c->a, 0), b = stage_number(&s->job.stage, c->b, a);
  return choice_leaves_out(&s->job.choice, a, b);
}

/* One walk through both lists, which are sorted. With --first every two bodies that touch must have one true pair. */
static const pl_contact *find_difference(const collide_scene *s, const pl_contacts *ours, const pl_contacts *truth,
                                         bool *missing)
{
  size_t i = 0, j = 0;
  bool all = !ours->partial, met = false; /* met: the bodies of truth's contact j have a pair in ours */
  while (i < ours->count || j < truth->count) {
    const pl_contact *x = i < ours->count ? &ours->contacts[i] : NULL;
    const pl_contact *y = j < truth->count ? &truth->contacts[j] : NULL;
    if (y && is_left_out(s, y)) {
      ++j;
      continue;
    }
    int order = !x ? 1 : !y ? -1 : compare_contacts(x, y, s);
    *missing = order > 0;
    if (order < 0) return x;
    met = order == 0 || (met && j > 0 && y->a == y[-1].a && y->b == y[-1].b);
    bool last = j + 1 == truth->count || y[1].a != y->a || y[1].b != y->b;
    bool wrong = s->options.first ? last && !met : order > 0;
    if (wrong && all) return y;
    i += order == 0;
    ++j;
  }
  return NULL;
}

bool collide_scene_check(collide_scene *s, const scene_frame *frame)
{
  const pl_contacts *truth = NULL;
  if (pl_reference_scene_collide(s->job.truth, NULL, &truth) != PL_OK) {
    output_complain("frame %zu: the reference could not answer: %s", frame->index,
                    pl_context_message(s->job.stage.context));
    return false;
  }
  bool missing;
  const pl_contact *odd = find_difference(s, frame->contacts, truth, &missing);
  if (!odd) return true;
  output_complain("frame %zu: %zu pairs where the reference has %zu; triangle %u of %s and %u of %s are %s",
                  frame->index, frame->contacts->count, truth->count, odd->triangle_a,
                  scene_name(s, stage_number(&s->job.stage, odd->a, 0)), odd->triangle_b,
                  scene_name(s, stage_number(&s->job.stage, odd->b, 0)), missing ? "missing" : "no contact");
  return false;
}
