/* Queries on bodies, each beside the reference on their twins. Whole answers must be the same;
 * partial ones must be a part of it and say so. */
#include "../../../extras/scenes/ask.h"
#include "world.h"

#include <float.h>

static uint32_t mix(uint32_t x)
{
  x ^= x >> 16;
  x *= 0x7feb352du;
  x ^= x >> 15;
  x *= 0x846ca68bu;
  return x ^ x >> 16;
}

bool filter_pair(void *user, pl_body *a, pl_body *b, pl_pair pair)
{
  const filter *f = user;
  if (f->one) return pair.a == f->a && pair.b == f->b;
  return !f->salt || mix(mix(pair.a + f->salt) + pair.b) % 4 != 0;
}

uint32_t salt_of(world *w) { return chance(w, 4) ? 1 + (uint32_t)pick(w, 255) : 0; }

/* ----------------------------------------------------------------------------------- collide -- */

static int compare_keys(const void *a, const void *b)
{
  uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
  return (x > y) - (x < y);
}

uint64_t key_of(pl_pair p) { return (uint64_t)p.a << 32 | p.b; }

typedef struct listener {
  filter f; /* first: filters get the same pointer */
  world *w;
  size_t count, stop;
} listener;

static bool listen(void *user, pl_body *a, pl_body *b, pl_pair pair)
{
  listener *l = user;
  if (l->count < MOST_PAIRS) l->w->found[l->count] = key_of(pair);
  return ++l->count != l->stop;
}

/* w->found, in any order, is w->wanted or a part of it. */
void check_pairs(world *w, size_t found, size_t wanted, bool whole, bool sorted, const char *what)
{
  require(w, found <= wanted && (!whole || found == wanted), "%s: %zu pairs instead of %zu%s", what, found, wanted,
          whole ? "" : " at most");
  if (!sorted) qsort(w->found, found, sizeof *w->found, compare_keys);
  for (size_t i = 0, k = 0; i < found; ++i, ++k) {
    while (!whole && k < wanted && w->wanted[k] < w->found[i]) ++k;
    require(w, k < wanted && w->wanted[k] == w->found[i], "%s: pair (%u, %u) instead of (%u, %u)", what,
            (unsigned)(w->found[i] >> 32), (unsigned)w->found[i], k < wanted ? (unsigned)(w->wanted[k] >> 32) : 0,
            k < wanted ? (unsigned)w->wanted[k] : 0);
  }
}

static size_t wanted_pairs(world *w, fuzz_body *a, fuzz_body *b, filter *f)
{
  pl_question def = pl_question_default();
  const pl_result *pairs;
  def.filter = f ? filter_pair : NULL;
  def.user = f;
  require(w, refer_touching(pl_two(twin_of(w, a), twin_of(w, b)), &def, &pairs) == PL_OK, "the reference: %s",
          pl_context_message(w->oracle));
  for (size_t i = 0; i < pairs->count; ++i) w->wanted[i] = key_of(pairs->pairs[i]);
  return pairs->count;
}

void call_collide(world *w)
{
  fuzz_body *a, *b;
  if (!two_bodies(w, &a, &b)) return;
  pl_question def = pl_question_default();
  listener l = {.f = {.salt = salt_of(w)}, .w = w};
  int flags = pick(w, 16);
  def.first = flags % 4 == 1;
  def.sorted = flags % 4 >= 2;
  def.filter = l.f.salt ? filter_pair : NULL;
  def.user = &l;
  if (flags & 4 && chance(w, 2)) def.callback = listen;
  if (def.callback) l.stop = (size_t)pick(w, 8);
  if (flags & 8 && chance(w, 2)) def.budget_tests = 1 + (uint64_t)pick(w, 200);
  if (!def.callback && chance(w, 4)) {
    def.pairs = w->room;
    def.capacity = (size_t)pick(w, 256) * (chance(w, 4) ? MOST_PAIRS / 256 : 1);
  }
  trace(w,
        "  { pl_question d = pl_question_default(); d.first = %d; d.sorted = %d; d.budget_tests = %d;%s%s\n"
        "    static pl_pair room[%zu];%s d.capacity = %zu; pl_touching(pl_two(body[%d], body[%d]), &d, &pairs); }\n",
        def.first, def.sorted, (int)def.budget_tests, def.filter ? " d.filter = some_pairs;" : "",
        def.callback ? " d.callback = some_end;" : "", def.capacity + 1, def.pairs ? " d.pairs = room;" : "",
        def.capacity, number_of(w, a), number_of(w, b));
  const pl_result *pairs = NULL;
  pl_status status = CALL(w, (l.count = 0, pl_touching(pl_two(a->body, b->body), &def, &pairs)));
  if (status == PL_ERROR_MEMORY) {
    require(w, !pairs, "collide: out of memory with an answer");
    return;
  }
  bool small = status == PL_ERROR_BUFFER;
  require(w, small ? def.pairs && pairs && pairs->count > def.capacity : status == PL_OK, "collide: %s",
          pl_context_message(w->context));
  require(w, !def.pairs || pairs->pairs == w->room, "collide: pairs are not in the caller's array");
  size_t count = pairs->count, listed = small ? def.capacity : count;
  require(w, !def.pairs || small || count <= def.capacity, "collide: more pairs than the caller's array holds");
  bool partial = pairs->partial;
  if (def.callback) require(w, l.count == count && !pairs->pairs, "collide: %zu of %zu pairs called", l.count, count);
  if (!def.callback)
    for (size_t i = 0; i < listed && i < MOST_PAIRS; ++i) w->found[i] = key_of(pairs->pairs[i]);
  require(w, count <= MOST_PAIRS, "collide: %zu pairs", count);
  note(w, w->found, listed * sizeof *w->found);
  note(w, &count, sizeof count);
  note(w, &partial, sizeof partial);
  note_counters(w, &pairs->counters);
  bool stopped = l.stop && count == l.stop;
  if (stopped) require(w, partial, "collide: the callback ended the query, and it is not partial");
  if (!stopped && !def.budget_tests) require(w, !partial, "collide: partial, and nothing ended it");
  size_t wanted = wanted_pairs(w, a, b, l.f.salt ? &l.f : NULL);
  check_pairs(w, listed, wanted, !def.first && !partial && !small, def.sorted && !def.callback, "collide");
  if (small && !def.first && !partial) require(w, count == wanted, "collide: counts %zu pairs of %zu", count, wanted);
  if (def.first && !partial) require(w, count == (wanted > 0), "collide: %zu first pairs of %zu", count, wanted);
}

/* ---------------------------------------------------------------------------------- distance -- */

/* A number that is no larger than `least` but for what 4 units in the last place of either make. */
static void check_answer(world *w, const least_row *got, const least_row *least, const pl_question *def,
                         const char *what)
{
  bool found = got->triangle_a != UINT32_MAX, there = least->triangle_a != UINT32_MAX;
  bool within = there && least->distance <= def->margin,
       exact = def->relative == 0 && def->absolute == 0 && !def->first;
  require(w, found == isfinite(got->distance) || (found && there), "%s: distance %g without triangles", what,
          got->distance);
  require(w, !found || got->distance <= def->margin, "%s: %a is beyond the limit %a", what, got->distance, def->margin);
  require(w, !found || there, "%s: a pair of triangles that the filter refuses", what);
  require(w, !there || got->lower <= least->distance, "%s: at least %a, but it is %a", what, got->lower,
          least->distance);
  if (found)
    require(w, got->distance >= least->distance, "%s: %a, but the least is %a", what, got->distance, least->distance);
  if (got->partial) {
    require(w, def->budget_tests != 0, "%s: partial, and nothing ended it", what);
    return;
  }
  require(w, found == within, "%s: %s within %a, the least is %a", what, found ? "found" : "nothing", def->margin,
          least->distance);
  if (found && !def->first)
    require(w, got->distance <= ((1 + def->relative) * least->distance + def->absolute) * (1 + 0x1p-50),
            "%s: %a instead of %a", what, got->distance, least->distance);
  if (found && exact)
    require(w, got->triangle_a == least->triangle_a && got->triangle_b == least->triangle_b,
            "%s: triangles %u %u instead of %u %u, all %a apart", what, got->triangle_a, got->triangle_b,
            least->triangle_a, least->triangle_b, least->distance);
}

/* The answer is what its two triangles give. `point`: instead of a. */
void check_measured(world *w, const least_row *got, const least_row *least, pl_body *a, pl_body *b, const double *point,
                    const pl_question *def, const char *what)
{
  check_answer(w, got, least, def, what);
  if (got->triangle_a == UINT32_MAX) return;
  filter one = {.one = true, .a = got->triangle_a, .b = got->triangle_b};
  pl_question d = pl_question_default();
  least_row measured;
  d.filter = filter_pair;
  d.user = &one;
  pl_status status = point ? ask_point(b, point, true, &measured) : refer_least(pl_two(a, b), &d, &measured);
  require(w, status == PL_OK && measured.triangle_a != UINT32_MAX, "%s: no triangles %u %u", what, got->triangle_a,
          got->triangle_b);
  require(w, measured.distance == got->distance, "%s: %a, but triangles %u %u are %a apart", what, got->distance,
          got->triangle_a, got->triangle_b, measured.distance);
  bool same = !memcmp(got->point_a, measured.point_a, sizeof got->point_a) &&
              !memcmp(got->point_b, measured.point_b, sizeof got->point_b);
  if (got->distance == 0) same = same && !memcmp(got->point_a, got->point_b, sizeof got->point_a);
  require(w, same, "%s: other points (%a %a %a) (%a %a %a)", what, got->point_a[0], got->point_a[1], got->point_a[2],
          got->point_b[0], got->point_b[1], got->point_b[2]);
}

static void distance_options(world *w, pl_question *def, double least, filter *f)
{
  int flags = pick(w, 8);
  def->user = f;
  if (f->salt) def->filter = filter_pair;
  if (flags == 1) def->relative = chance(w, 2) ? 1e-6 : 0.5;
  if (flags == 2) def->absolute = least * 0.25;
  if (flags == 3) def->margin = least * (pick(w, 3) * 0.5 + 0.5);
  if (flags == 4) {
    def->first = true;
    const int way = pick(w, 3);
    def->margin = way == 2 ? DBL_MAX : least * (way + 1);
  }
  if (flags == 5) def->budget_tests = 1 + (uint64_t)pick(w, 100);
  if (flags == 6) def->margin = least;
  if (!(def->absolute >= 0)) def->absolute = 0;
  if (!(def->margin >= 0)) def->margin = INFINITY;
  if (!(def->relative >= 0)) def->relative = 0; /* numbers are computed with it */
  trace(w,
        "  { pl_question d = pl_question_default(); d.relative = %a; d.absolute = %a; d.margin = %a; d.first = %d;\n"
        "    d.budget_tests = %d;%s\n",
        def->relative, def->absolute, def->margin, def->first, (int)def->budget_tests,
        def->filter ? " d.filter = some_pairs;" : "");
}

static void note_distance(world *w, const least_row *d)
{
  note(w, &d->distance, sizeof d->distance);
  note(w, &d->lower, sizeof d->lower);
  note(w, d->point_a, sizeof d->point_a);
  note(w, d->point_b, sizeof d->point_b);
  note(w, &d->triangle_a, 2 * sizeof d->triangle_a);
  note_counters(w, &d->counters);
}

void call_distance(world *w)
{
  fuzz_body *a, *b;
  if (!two_bodies(w, &a, &b)) return;
  filter f = {.salt = salt_of(w)};
  pl_question all = pl_question_default(), def = all;
  least_row least, got;
  if (f.salt) all.filter = filter_pair;
  all.user = &f;
  require(w, refer_least(pl_two(twin_of(w, a), twin_of(w, b)), &all, &least) == PL_OK, "the reference: %s",
          pl_context_message(w->oracle));
  distance_options(w, &def, least.distance, &f);
  trace(w, "    ask_least(pl_two(body[%d], body[%d]), &d, &distance); }\n", number_of(w, a), number_of(w, b));
  pl_status status = CALL(w, ask_least(pl_two(a->body, b->body), &def, &got));
  if (status == PL_ERROR_MEMORY) return;
  require(w, status == PL_OK, "distance: %s", pl_context_message(w->context));
  note_distance(w, &got);
  check_measured(w, &got, &least, a->twin, b->twin, NULL, &def, "distance");
}

void call_distance_point(world *w)
{
  fuzz_body *b = body_of(w);
  if (!b) return;
  filter f = {.salt = salt_of(w)};
  pl_question all = pl_question_default(), def = all;
  least_row least, got;
  seed_of(w);
  double point[3];
  for (int k = 0; k < 3; ++k) point[k] = sized(w, ordinary(w));
  if (f.salt) all.filter = filter_pair;
  all.user = &f;
  require(w, ask_point(twin_of(w, b), point, true, &least) == PL_OK, "the reference: %s",
          pl_context_message(w->oracle));
  distance_options(w, &def, least.distance, &f);
  trace_doubles(w, "point", point, 3);
  trace(w, "    ask_point(body[%d], point, false, &distance); }\n", number_of(w, b));
  pl_status status = CALL(w, ask_point(b->body, point, false, &got));
  if (status == PL_ERROR_MEMORY) return;
  require(w, status == PL_OK, "distance of a point: %s", pl_context_message(w->context));
  note_distance(w, &got);
  require(w, got.distance == least.distance && got.triangle_b == least.triangle_b,
          "distance of a point: %a to %u instead of %a to %u", got.distance, got.triangle_b, least.distance,
          least.triangle_b);
}

void call_closer(world *w)
{
  fuzz_body *a, *b;
  if (!two_bodies(w, &a, &b)) return;
  least_row least;
  bool closer;
  require(w, refer_least(pl_two(twin_of(w, a), twin_of(w, b)), NULL, &least) == PL_OK, "the reference");
  double limits[] = {least.distance, nextafter(least.distance, 0), 2 * least.distance, least.distance / 2, 0, INFINITY};
  double limit = limits[pick(w, 6)];
  trace(w, "  are_closer(body[%d], body[%d], %a, &closer, NULL);\n", number_of(w, a), number_of(w, b), limit);
  pl_status status = CALL(w, are_closer(a->body, b->body, limit, &closer, NULL));
  if (status == PL_ERROR_MEMORY) return;
  require(w, status == PL_OK, "closer: %s", pl_context_message(w->context));
  require(w, closer == (least.distance <= limit), "closer than %a: %d, the distance is %a", limit, closer,
          least.distance);
}

/* -------------------------------------------------------------------------------------- near -- */

static int compare_near(const void *a, const void *b)
{
  const pl_near_pair *x = a, *y = b;
  return x->a != y->a ? (x->a > y->a) - (x->a < y->a) : (x->b > y->b) - (x->b < y->b);
}

double margin_of(world *w, fuzz_body *a, fuzz_body *b)
{
  least_row least;
  require(w, refer_least(pl_two(twin_of(w, a), twin_of(w, b)), NULL, &least) == PL_OK, "the reference");
  bool few = a->triangle_count * b->triangle_count <= 200; /* all of more take too long */
  double margins[] = {0, least.distance, least.distance * 1.01, least.distance * 1.5, few ? INFINITY : 0};
  return margins[pick(w, 5)];
}

void call_near(world *w)
{
  fuzz_body *a, *b;
  if (!two_bodies(w, &a, &b)) return;
  filter f = {.salt = salt_of(w)};
  pl_question def = pl_question_default();
  def.filter = f.salt ? filter_pair : NULL;
  def.user = &f;
  def.sorted = chance(w, 2);
  double margin = margin_of(w, a, b);
  trace(w,
        "  { pl_question d = pl_question_default(); d.sorted = %d;%s\n    ask_near_triangles(pl_two(body[%d], "
        "body[%d]), %a, &d, "
        "&near); }\n",
        def.sorted, def.filter ? " d.filter = some_pairs;" : "", number_of(w, a), number_of(w, b), margin);
  const pl_result *got = NULL, *wanted;
  pl_status status = CALL(w, ask_near_triangles(pl_two(a->body, b->body), margin, &def, &got));
  if (status == PL_ERROR_MEMORY) {
    require(w, !got, "near: out of memory with an answer");
    return;
  }
  require(w, status == PL_OK, "near: %s", pl_context_message(w->context));
  note_counters(w, &got->counters);
  require(w, refer_near_triangles(pl_two(twin_of(w, a), twin_of(w, b)), margin, &def, &wanted) == PL_OK,
          "the reference: %s", pl_context_message(w->oracle));
  require(w, got->count == wanted->count, "near %a: %zu pairs instead of %zu", margin, got->count, wanted->count);
  if (!got->count) return;
  pl_near_pair *pairs = malloc(got->count * sizeof *pairs);
  memcpy(pairs, got->near_pairs, got->count * sizeof *pairs);
  note(w, pairs, got->count * sizeof *pairs);
  if (!def.sorted) qsort(pairs, got->count, sizeof *pairs, compare_near);
  for (size_t i = 0; i < got->count; ++i) {
    const pl_near_pair *x = &pairs[i], *y = &wanted->near_pairs[i];
    require(w, x->a == y->a && x->b == y->b, "near: pair (%u, %u) instead of (%u, %u)", x->a, x->b, y->a, y->b);
    require(w, !memcmp(x, y, sizeof *x), "near: pair (%u, %u) at %a instead of %a, or other points", x->a, x->b,
            x->distance, y->distance);
  }
  free(pairs);
}

/* ------------------------------------------------------------------------------------- wrong -- */

/* Calls that no state makes right. */
void call_wrong(world *w)
{
  fuzz_body *a = body_of(w);
  if (!a) return;
  const pl_result *pairs = (const pl_result *)(const void *)w;
  const pl_result *hits = (const pl_result *)(const void *)w;
  const pl_result *near = (const pl_result *)(const void *)w;
  least_row distance;
  pl_question collide = pl_question_default();
  pl_question d = pl_question_default();
  pl_ray ray = {{0, 0, 0}, {0, 0, 0}, 0, 1};
  pl_question rays = pl_question_default();
  int way = pick(w, 12);
  trace(w, "  /* wrong call %d on body[%d] */\n", way, number_of(w, a));
  pl_status status = PL_OK;
  switch (way) {
  case 0:
    collide.budget_ms = -1;
    status = pl_touching(pl_self(a->body), &collide, &pairs);
    break;
  case 1:
    status = pl_touching(pl_two(a->body, twin_of(w, a)), NULL, &pairs);
    break;
  case 2:
    collide.struct_size = 7;
    status = pl_touching(pl_two(a->body, a->twin), &collide, &pairs);
    break;
  case 3:
    d.rings = 0;
    status = ask_least(pl_self(a->body), &d, &distance);
    break;
  case 4:
    d.margin = NAN;
    status = ask_least(pl_self(a->body), &d, &distance);
    break;
  case 5:
    ray.origin[1] = NAN;
    status = ask_point(a->body, ray.origin, false, &distance);
    break;
  case 6:
    status = pl_cast(pl_one(a->body), &ray, 1, NULL, &hits);
    break;
  case 7:
    ray.direction[0] = INFINITY;
    status = pl_cast(pl_one(a->body), &ray, 1, NULL, &hits);
    break;
  case 8:
    rays.ray_mode = PL_RAY_MODE_COUNT;
    status = pl_cast(pl_one(a->body), NULL, 0, &rays, &hits);
    break;
  case 9:
    status = ask_near_triangles(pl_two(a->body, a->twin), 1, NULL, &near);
    break;
  case 10:
    status = ask_near_triangles(pl_two(a->body, a->body), -1, NULL, &near);
    break;
  default:
    status = pl_touching(pl_two(a->body, NULL), NULL, &pairs);
    break;
  }
  refused(w, status, "a wrong call");
  bool null = way <= 2 || way == 11 ? !pairs : way >= 6 && way <= 8 ? !hits : way == 9 || way == 10 ? !near : true;
  require(w, null, "wrong call %d left an answer", way);
}
