/* Scenes beside the same scenes of twins. */
#include "../../../extras/scenes/ask.h"
#include "world.h"

/* A loose box that no longer holds its body promises nothing. */
bool boxes_hold(const world *w, const fuzz_scene *s)
{
  for (int i = 0; i < s->count; ++i) {
    const fuzz_member *m = &s->members[i];
    if (m->loose && !used_within(&w->bodies[m->slot], m->lower, m->upper)) return false;
  }
  return true;
}

fuzz_scene *scene_of(world *w)
{
  fuzz_scene *s = &w->scenes[pick(w, SCENES)];
  if (!s->scene) s = s == w->scenes ? w->scenes + 1 : w->scenes;
  return s->scene ? s : NULL;
}

int scene_number(const world *w, const fuzz_scene *s) { return (int)(s - w->scenes); }

void twins_ready(world *w, fuzz_scene *s)
{
  for (int i = 0; i < s->count; ++i) twin_of(w, &w->bodies[s->members[i].slot]);
}

static void add_all(world *w, fuzz_scene *s);

void call_scene(world *w)
{
  fuzz_scene *s = &w->scenes[pick(w, SCENES)];
  int number = scene_number(w, s);
  if (s->scene) {
    if (!chance(w, 3)) return;
    trace(w, "  pl_scene_destroy(scene[%d]);\n", number);
    pl_scene_destroy(s->scene);
    pl_scene_destroy(s->twin);
    memset(s, 0, sizeof *s);
    return;
  }
  pl_scene_def def = pl_scene_def_default();
  def.broad = (pl_broad)pick(w, PL_BROAD_COUNT);
  trace(w, "  { pl_scene_def d = pl_scene_def_default(); d.broad = %d; pl_scene_create(context, &d, &scene[%d]); }\n",
        (int)def.broad, number);
  pl_status status = CALL(w, pl_scene_create(w->context, &def, &s->scene));
  require(w, status == PL_OK ? s->scene != NULL : status == PL_ERROR_MEMORY && !s->scene, "scene_create: status %d",
          (int)status);
  if (status == PL_OK) require(w, pl_scene_create(w->oracle, NULL, &s->twin) == PL_OK, "no twin of a scene");
  if (status == PL_OK && chance(w, 2)) add_all(w, s);
}

/* ----------------------------------------------------------------------------------- members -- */

int find_member(const fuzz_scene *s, int slot)
{
  for (int i = 0; i < s->count; ++i)
    if (s->members[i].slot == slot) return i;
  return -1;
}

static void loose_box(world *w, const fuzz_body *b, pl_member_def *def)
{
  bool wide = chance(w, 2);
  for (int k = 0; k < 3; ++k) {
    double low = INFINITY, high = -INFINITY;
    for (size_t v = 0; v < b->vertex_count; ++v) {
      low = fmin(low, b->at[3 * v + (size_t)k]);
      high = fmax(high, b->at[3 * v + (size_t)k]);
    }
    if (wide) low -= 4 + fabs(low) / 2;
    if (wide) high += 4 + fabs(high) / 2;
    def->lower[k] = low < -(double)FLT_MAX  ? -FLT_MAX
                    : low > (double)FLT_MAX ? FLT_MAX
                                            : nextafterf((float)low, -FLT_MAX);
    def->upper[k] = high > (double)FLT_MAX    ? FLT_MAX
                    : high < -(double)FLT_MAX ? -FLT_MAX
                                              : nextafterf((float)high, FLT_MAX);
  }
}

static void add(world *w, fuzz_scene *s, int slot)
{
  fuzz_body *b = &w->bodies[slot];
  pl_member_def def = pl_member_def_default(), plain;
  if (chance(w, 4)) def.group = 1u << pick(w, 3);
  if (chance(w, 4)) def.mask = (uint32_t)pick(w, 8);
  def.self = chance(w, 5);
  plain = def;
  if (chance(w, 5)) {
    def.loose = true;
    loose_box(w, b, &def);
  }
  trace(w,
        "  { pl_member_def d = pl_member_def_default(); d.group = %u; d.mask = %uu; d.self = %d; "
        "d.loose = %d;\n"
        "    const float low[] = {%a, %a, %a}, high[] = {%a, %a, %a}; memcpy(d.lower, low, sizeof low);\n"
        "    memcpy(d.upper, high, sizeof high); pl_scene_add(scene[%d], body[%d], &d); }\n",
        def.group, def.mask, def.self, def.loose, (double)def.lower[0], (double)def.lower[1], (double)def.lower[2],
        (double)def.upper[0], (double)def.upper[1], (double)def.upper[2], scene_number(w, s), slot);
  pl_status status = CALL(w, pl_scene_add(s->scene, b->body, &def));
  bool there = find_member(s, slot) >= 0;
  if (status != PL_OK) {
    refused(w, status, "scene_add");
    require(w, there || status == PL_ERROR_MEMORY, "scene_add: %s", pl_context_message(w->context));
    return;
  }
  require(w, !there, "a body is in a scene twice");
  require(w, pl_scene_add(s->twin, b->twin, &plain) == PL_OK, "no twin of a member");
  fuzz_member *m = &s->members[s->count++];
  *m = (fuzz_member){.slot = slot, .loose = def.loose};
  memcpy(m->lower, def.lower, sizeof m->lower);
  memcpy(m->upper, def.upper, sizeof m->upper);
}

static void add_all(world *w, fuzz_scene *s)
{
  for (int i = 0; i < SLOTS; ++i)
    if (w->bodies[i].body && find_member(s, i) < 0) add(w, s, i);
}

static void take_out(world *w, fuzz_scene *s, int slot)
{
  int at = find_member(s, slot);
  trace(w, "  pl_scene_remove(scene[%d], body[%d]);\n", scene_number(w, s), slot);
  pl_status status = pl_scene_remove(s->scene, w->bodies[slot].body);
  require(w, (status == PL_OK) == (at >= 0), "scene_remove: status %d", (int)status);
  if (at < 0) return;
  require(w, pl_scene_remove(s->twin, w->bodies[slot].twin) == PL_OK, "a twin is not in its scene");
  memmove(&s->members[at], &s->members[at + 1], (size_t)(s->count - at - 1) * sizeof *s->members);
  --s->count;
}

/* Bodies come and go. */
void call_member(world *w)
{
  fuzz_scene *s = scene_of(w);
  fuzz_body *b = body_of(w);
  if (!s || !b) return;
  int slot = number_of(w, b), way = pick(w, 16);
  if (way < 11)
    add(w, s, slot);
  else if (way < 14)
    take_out(w, s, slot);
  else if (way == 14)
    add_all(w, s);
  else if (chance(w, 8)) { /* a hundred changes, so that places in the scene are numbered again */
    for (int i = 0; i < 70; ++i) {
      if (find_member(s, slot) >= 0) take_out(w, s, slot);
      add(w, s, slot);
    }
  } else if (chance(w, 8)) {
    create_crowd(w, s);
    for (int i = SLOTS; i < SLOTS + CROWD; ++i)
      if (w->bodies[i].body && find_member(s, i) < 0) add(w, s, i);
  }
  require(w, pl_scene_body_count(s->scene) == (size_t)s->count, "%zu bodies in a scene of %d",
          pl_scene_body_count(s->scene), s->count);
}

/* ----------------------------------------------------------------------------------- collide -- */

int slot_of_body(const world *w, const pl_body *body, bool twin)
{
  for (int i = 0; i < SLOTS + CROWD; ++i)
    if (body && (twin ? w->bodies[i].twin : w->bodies[i].body) == body) return i;
  return -1;
}

/* Contacts as numbers that sort as they are promised: places in the scene, then triangles. */
typedef struct contact {
  int a, b;
  uint32_t ta, tb;
} contact;

static int compare_contacts(const void *p, const void *q)
{
  const contact *x = p, *y = q;
  if (x->a != y->a) return x->a < y->a ? -1 : 1;
  if (x->b != y->b) return x->b < y->b ? -1 : 1;
  if (x->ta != y->ta) return x->ta < y->ta ? -1 : 1;
  return (x->tb > y->tb) - (x->tb < y->tb);
}

static contact *contacts_of(world *w, const fuzz_scene *s, const pl_result *found, bool twin)
{
  contact *list = malloc((found->count + 1) * sizeof *list);
  for (size_t i = 0; i < found->count; ++i) {
    const contact_row c = contact_of(found, i);
    list[i] = (contact){find_member(s, slot_of_body(w, c.a, twin)), find_member(s, slot_of_body(w, c.b, twin)),
                        c.triangle_a, c.triangle_b};
    require(w, list[i].a >= 0 && list[i].a <= list[i].b, "a contact names bodies in another order");
  }
  return list;
}

/* Groups cover the contacts, each with one pair of bodies. */
static void check_groups(world *w, const pl_result *found)
{
  size_t at = 0;
  for (size_t i = 0; i < found->group_count; ++i) {
    const pl_group *g = &found->groups[i];
    require(w, g->begin == at && g->end > at && g->end <= found->count, "group %zu of contacts is from %zu to %zu", i,
            g->begin, g->end);
    at = g->end;
  }
  require(w, at == found->count, "groups hold %zu of %zu contacts", at, found->count);
}

static void check_contacts(world *w, contact *got, size_t count, const contact *wanted, size_t wanted_count, bool whole,
                           bool first)
{
  size_t pairs_of_bodies = 0, k = 0;
  for (size_t i = 1; i < count; ++i)
    require(w, got[i - 1].a < got[i].a || (got[i - 1].a == got[i].a && got[i - 1].b <= got[i].b),
            "contacts %zu and %zu stand in another order of bodies", i - 1, i);
  qsort(got, count, sizeof *got, compare_contacts);
  for (size_t i = 0; i < count; ++i, ++k) {
    while (k < wanted_count && compare_contacts(&wanted[k], &got[i]) < 0) ++k;
    require(w, k < wanted_count && !compare_contacts(&wanted[k], &got[i]),
            "scene: contact of members %d %d, triangles %u %u does not exist", got[i].a, got[i].b, got[i].ta,
            got[i].tb);
    if (first && i) require(w, got[i].a != got[i - 1].a || got[i].b != got[i - 1].b, "two contacts of a body pair");
  }
  for (size_t i = 0; i < wanted_count; ++i)
    pairs_of_bodies += i == 0 || wanted[i].a != wanted[i - 1].a || wanted[i].b != wanted[i - 1].b;
  if (whole)
    require(w, count == (first ? pairs_of_bodies : wanted_count), "scene: %zu contacts instead of %zu", count,
            first ? pairs_of_bodies : wanted_count);
}

/* By the bodies' numbers, which both contexts share. */
typedef struct contact_filter {
  filter f;
  const world *w;
  bool twin;
} contact_filter;

static bool filter_contact(void *user, pl_body *a, pl_body *b, pl_pair pair)
{
  contact_filter *c = user;
  uint32_t slots = (uint32_t)(slot_of_body(c->w, a, c->twin) * 128 + slot_of_body(c->w, b, c->twin));
  return filter_pair(&c->f, a, b, (pl_pair){pair.a + slots * 64, pair.b});
}

void call_scene_collide(world *w)
{
  fuzz_scene *s = scene_of(w);
  if (!s) return;
  pl_question def = pl_question_default();
  int flags = pick(w, 6);
  def.first = flags == 1;
  def.sorted = flags == 2 || flags == 3;
  if (flags == 4) def.budget_tests = 1 + (uint64_t)pick(w, 256);
  contact_filter ours = {{.salt = salt_of(w)}, w, false}, theirs = {ours.f, w, true};
  def.filter = ours.f.salt ? filter_contact : NULL;
  def.user = &ours;
  trace(w,
        "  { pl_question d = pl_question_default(); d.first = %d; d.sorted = %d; d.budget_tests = %d;%s\n"
        "    pl_touching(pl_all(scene[%d]), &d, &contacts); }\n",
        def.first, def.sorted, (int)def.budget_tests, def.filter ? " d.filter = some_contacts;" : "",
        scene_number(w, s));
  const pl_result *found = NULL, *reference;
  pl_status status = CALL(w, pl_touching(pl_all(s->scene), &def, &found));
  if (status == PL_ERROR_MEMORY) {
    require(w, !found, "scene_collide: out of memory with an answer");
    return;
  }
  require(w, status == PL_OK, "scene_collide: %s", pl_context_message(w->context));
  check_groups(w, found);
  contact *got = contacts_of(w, s, found, false);
  note(w, got, found->count * sizeof *got);
  note_counters(w, &found->counters);
  twins_ready(w, s);
  pl_question all = pl_question_default();
  all.filter = def.filter;
  all.user = &theirs;
  require(w, refer_touching(pl_all(s->twin), &all, &reference) == PL_OK, "the reference: %s",
          pl_context_message(w->oracle));
  contact *wanted = contacts_of(w, s, reference, true);
  require(w, !found->partial || def.budget_tests, "scene_collide: partial, and nothing ended it");
  if (def.sorted)
    for (size_t i = 1; i < found->count; ++i)
      require(w, compare_contacts(&got[i - 1], &got[i]) < 0, "scene_collide: contact %zu is not sorted", i);
  check_contacts(w, got, found->count, wanted, reference->count, !found->partial && boxes_hold(w, s), def.first);
  free(got);
  free(wanted);
}

/* ---------------------------------------------------------------------------------- distance -- */

void call_scene_distance(world *w)
{
  fuzz_scene *s = scene_of(w);
  if (!s) return;
  pl_question def = pl_question_default();
  least_row least, got;
  def.relative = 0; /* numbers are computed with both */
  def.margin = INFINITY;
  twins_ready(w, s);
  require(w, refer_least(pl_all(s->twin), NULL, &least) == PL_OK, "the reference");
  int flags = pick(w, 6);
  if (flags == 1) def.relative = 0.25;
  if (flags == 2) def.budget_tests = 1 + (uint64_t)pick(w, 256);
  if (flags == 3) def.margin = least.distance * (0.5 + 0.5 * pick(w, 3));
  if (flags == 4) def.first = true;
  trace(w,
        "  { pl_question d = pl_question_default(); d.relative = %a; d.margin = %a; d.first = %d; d.budget_tests "
        "= %d;\n"
        "    ask_least(pl_all(scene[%d]), &d, &nearest); }\n",
        def.relative, def.margin, def.first, (int)def.budget_tests, scene_number(w, s));
  pl_status status = CALL(w, ask_least(pl_all(s->scene), &def, &got));
  if (status == PL_ERROR_MEMORY) return;
  require(w, status == PL_OK, "scene_distance: %s", pl_context_message(w->context));
  note(w, &got.distance, sizeof got.distance);
  note(w, &got.triangle_a, 2 * sizeof got.triangle_a);
  note_counters(w, &got.counters);
  if (!boxes_hold(w, s)) return;
  int a = find_member(s, slot_of_body(w, got.a, false)), b = find_member(s, slot_of_body(w, got.b, false));
  require(w, !got.a == !got.b && (!got.a || (a >= 0 && b >= a)), "scene_distance: bodies %d and %d", a, b);
  require(w, (got.triangle_a == UINT32_MAX) == !got.a, "scene_distance: triangles without bodies");
  bool exact = !got.partial && def.relative == 0 && !def.first;
  if (exact && got.a && least.a)
    require(w,
            slot_of_body(w, got.a, false) == slot_of_body(w, least.a, true) &&
                slot_of_body(w, got.b, false) == slot_of_body(w, least.b, true),
            "scene_distance: members %d %d, %a apart, instead of bodies %d %d", a, b, got.distance,
            slot_of_body(w, least.a, true), slot_of_body(w, least.b, true));
  pl_body *twin_a = got.a ? w->bodies[s->members[a].slot].twin : NULL;
  pl_body *twin_b = got.b ? w->bodies[s->members[b].slot].twin : NULL;
  check_measured(w, &got, &least, twin_a, twin_b, NULL, &def, "scene_distance");
}
