/* What scenes report beyond contacts, beside the same scenes of twins: near triangles and
 * features, first contacts; and pairs of bodies that are left out. */
#include "../../../extras/scenes/ask.h"
#include "world.h"

/* Two members are left out or let in again; a body that is no member is refused. */
void call_exclude(world *w)
{
  fuzz_scene *s = scene_of(w);
  fuzz_body *a, *b;
  if (!s || !two_bodies(w, &a, &b)) return;
  bool include = chance(w, 3);
  pl_status (*change)(pl_scene *, pl_body *, pl_body *) = include ? pl_scene_include : pl_scene_exclude;
  trace(w, "  pl_scene_%s(scene[%d], body[%d], body[%d]);\n", include ? "include" : "exclude", scene_number(w, s),
        number_of(w, a), number_of(w, b));
  pl_status status = CALL(w, change(s->scene, a->body, b->body));
  bool members = find_member(s, number_of(w, a)) >= 0 && find_member(s, number_of(w, b)) >= 0;
  if (status == PL_ERROR_MEMORY) return;
  if (!members) {
    refused(w, status, "a body that is not in the scene");
    return;
  }
  require(w, status == PL_OK, "exclude: %s", pl_context_message(w->context));
  require(w, change(s->twin, a->twin, b->twin) == PL_OK, "the reference: %s", pl_context_message(w->oracle));
}

/* Groups cover the pairs, and are of the same members. False: a loose box does not hold, and
 * nothing is promised. */
static bool check_groups(world *w, const fuzz_scene *s, const pl_group *got, size_t got_count, size_t pairs,
                         const pl_group *wanted, size_t wanted_count)
{
  size_t at = 0;
  for (size_t i = 0; i < got_count; at = got[i++].end)
    require(w, got[i].begin == at && got[i].end > at, "group %zu is from %zu to %zu", i, got[i].begin, got[i].end);
  require(w, at == pairs, "groups hold %zu of %zu pairs", at, pairs);
  if (!boxes_hold(w, s)) return false;
  require(w, got_count == wanted_count, "near in a scene: %zu groups instead of %zu", got_count, wanted_count);
  for (size_t i = 0; i < got_count; ++i)
    require(w,
            slot_of_body(w, got[i].a, false) == slot_of_body(w, wanted[i].a, true) &&
                slot_of_body(w, got[i].b, false) == slot_of_body(w, wanted[i].b, true) &&
                got[i].begin == wanted[i].begin && got[i].end == wanted[i].end,
            "near in a scene: group %zu is of bodies %d %d instead of %d %d, or of other pairs", i,
            slot_of_body(w, got[i].a, false), slot_of_body(w, got[i].b, false), slot_of_body(w, wanted[i].a, true),
            slot_of_body(w, wanted[i].b, true));
  return true;
}

/* Zero, the least distance, or a little more: all pairs would take too long. */
static double scene_margin(world *w, fuzz_scene *s)
{
  least_row least;
  twins_ready(w, s);
  require(w, refer_least(pl_all(s->twin), NULL, &least) == PL_OK, "the reference");
  double x = least.a ? least.distance : 0, margins[] = {0, x, x * 1.01, x * 1.5};
  return margins[pick(w, 4)];
}

static int compare_near(const void *a, const void *b)
{
  const pl_near_pair *x = a, *y = b;
  return x->a != y->a ? (x->a > y->a) - (x->a < y->a) : (x->b > y->b) - (x->b < y->b);
}

void call_scene_near(world *w)
{
  fuzz_scene *s = scene_of(w);
  if (!s) return;
  pl_question def = pl_question_default();
  def.sorted = chance(w, 2);
  double margin = scene_margin(w, s);
  trace(w,
        "  { pl_question d = pl_question_default(); d.sorted = %d; const pl_result *all;\n"
        "    ask_near_triangles(pl_all(scene[%d]), %a, &d, &all); }\n",
        def.sorted, scene_number(w, s), margin);
  const pl_result *got = NULL, *wanted;
  pl_status status = CALL(w, ask_near_triangles(pl_all(s->scene), margin, &def, &got));
  require(w, status == PL_OK || (status == PL_ERROR_MEMORY && !got), "scene_near: %s", pl_context_message(w->context));
  if (status != PL_OK) return;
  note_counters(w, &got->counters);
  require(w, refer_near_triangles(pl_all(s->twin), margin, &def, &wanted) == PL_OK, "the reference: %s",
          pl_context_message(w->oracle));
  if (!check_groups(w, s, got->groups, got->group_count, got->count, wanted->groups, wanted->group_count)) return;
  pl_near_pair *pairs = malloc((got->count + 1) * sizeof *pairs);
  if (got->count) memcpy(pairs, got->near_pairs, got->count * sizeof *pairs);
  note(w, pairs, got->count * sizeof *pairs);
  for (size_t i = 0; i < got->group_count && !def.sorted; ++i)
    qsort(pairs + got->groups[i].begin, got->groups[i].end - got->groups[i].begin, sizeof *pairs, compare_near);
  for (size_t i = 0; i < got->count; ++i)
    require(w, !memcmp(&pairs[i], &wanted->near_pairs[i], sizeof *pairs),
            "scene_near: (%u, %u) at %a instead of (%u, %u) at %a", pairs[i].a, pairs[i].b, pairs[i].distance,
            wanted->near_pairs[i].a, wanted->near_pairs[i].b, wanted->near_pairs[i].distance);
  free(pairs);
}

void call_scene_features(world *w)
{
  fuzz_scene *s = scene_of(w);
  if (!s) return;
  pl_question def = pl_question_default();
  def.sorted = chance(w, 2);
  double margin = scene_margin(w, s);
  trace(w,
        "  { pl_question d = pl_question_default(); d.sorted = %d; const pl_result *all;\n"
        "    ask_near(pl_all(scene[%d]), %a, &d, &all); }\n",
        def.sorted, scene_number(w, s), margin);
  const pl_result *got = NULL, *wanted;
  pl_status status = CALL(w, ask_near(pl_all(s->scene), margin, &def, &got));
  require(w, status == PL_OK || (status == PL_ERROR_MEMORY && !got), "scene_features: %s",
          pl_context_message(w->context));
  if (status != PL_OK) return;
  note_counters(w, &got->counters);
  require(w, refer_near(pl_all(s->twin), margin, &def, &wanted) == PL_OK, "the reference: %s",
          pl_context_message(w->oracle));
  if (!check_groups(w, s, got->groups, got->group_count, got->count, wanted->groups, wanted->group_count)) return;
  for (size_t i = 0; i < got->group_count; ++i) {
    const pl_group *g = &got->groups[i];
    check_features(w, got->features + g->begin, wanted->features + g->begin, g->end - g->begin, def.sorted);
  }
}

void call_scene_impacts(world *w)
{
  fuzz_scene *s = scene_of(w);
  if (!s) return;
  size_t total = 0;
  for (int i = 0; i < s->count; ++i) total += w->bodies[s->members[i].slot].triangle_count;
  if (total > (w->profile == PROFILE_MIXED ? 20 : 60)) return; /* takes too long */
  pl_question def = pl_question_default(), every;
  def.all = chance(w, 2);
  def.rings = chance(w, 3) ? 2 : 1;
  def.margin = separation_of(w);
  if (def.margin > 0 && w->profile == PROFILE_MIXED && total > 4) return; /* takes too long, too */
  every = def;
  every.all = true;
  trace(w,
        "  { pl_question d = pl_question_default(); d.all = %d; d.rings = %u; d.margin = %a;\n"
        "    const pl_result *impacts; pl_impacts(pl_all(scene[%d]), &d, &impacts); }\n",
        def.all, def.rings, def.margin, scene_number(w, s));
  const pl_result *got = NULL, *wanted;
  pl_status status = CALL(w, pl_impacts(pl_all(s->scene), &def, &got));
  require(w, status == PL_OK || (status == PL_ERROR_MEMORY && !got), "scene_impacts: %s",
          pl_context_message(w->context));
  if (status != PL_OK) return;
  twins_ready(w, s);
  require(w, impacts_reference(pl_all(s->twin), &every, &wanted) == PL_OK, "the reference: %s",
          pl_context_message(w->oracle));
  if (boxes_hold(w, s)) check_impacts(w, got, wanted, def.all);
  note_counters(w, &got->counters);
}
