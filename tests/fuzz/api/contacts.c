/* What contact response asks of bodies, each beside the reference on their twins: pairs within
 * one body, features that are near, triangles in regions, points, common segments, depths and
 * first contacts. */
#include "../../../extras/scenes/ask.h"
#include "support/probes.h"
#include "world.h"

#define REFERENCE(w, call) require(w, (call) == PL_OK, "the reference: %s", pl_context_message((w)->oracle))

/* The call has an answer; otherwise it ran out of memory, and left none. */
static bool answered(world *w, pl_status status, const void *out, const char *what)
{
  require(w, status == PL_OK || status == PL_ERROR_MEMORY, "%s: %s", what, pl_context_message(w->context));
  if (status != PL_OK) require(w, !out, "%s: out of memory with an answer", what);
  return status == PL_OK;
}

#define SAME(x, y, member) (memcmp(&(x)->member, &(y)->member, sizeof(x)->member) == 0)

/* -------------------------------------------------------------------------------------- self -- */

void call_self(world *w)
{
  fuzz_body *b = body_of(w);
  if (!b) return;
  static const pl_self_method methods[] = {PL_SELF_METHOD_AUTO, PL_SELF_METHOD_CONES, PL_SELF_METHOD_BOXES};
  pl_question def = pl_question_default(), all = def;
  filter f = {.salt = salt_of(w)};
  int flags = pick(w, 8);
  def.self_method = methods[pick(w, 3)];
  def.rings = all.rings = flags & 4 ? 0 : 1;
  def.first = flags % 4 == 1;
  def.sorted = flags % 4 >= 2;
  def.filter = all.filter = f.salt ? filter_pair : NULL;
  def.user = all.user = &f;
  if (chance(w, 6)) def.budget_tests = 1 + (uint64_t)pick(w, 200);
  trace(w,
        "  { pl_question d = pl_question_default(); d.self_method = %d; /* %s */ d.rings = %u; d.first = %d; "
        "d.sorted = "
        "%d;\n    d.budget_tests = %d;%s pl_touching(pl_self(body[%d]), &d, &pairs); }\n",
        (int)def.self_method, pl_word(PL_WORDS_SELF, def.self_method), def.rings, def.first, def.sorted,
        (int)def.budget_tests, def.filter ? " d.filter = some_pairs;" : "", number_of(w, b));
  const pl_result *pairs = NULL, *wanted;
  if (!answered(w, CALL(w, pl_touching(pl_self(b->body), &def, &pairs)), pairs, "self")) return;
  size_t count = pairs->count;
  require(w, count <= MOST_PAIRS, "self: %zu pairs", count);
  for (size_t i = 0; i < count; ++i) w->found[i] = key_of(pairs->pairs[i]);
  note(w, w->found, count * sizeof *w->found);
  note(w, &pairs->partial, sizeof pairs->partial);
  note_counters(w, &pairs->counters);
  require(w, !pairs->partial || def.budget_tests, "self: partial, and nothing ended it");
  REFERENCE(w, refer_touching(pl_self(twin_of(w, b)), &all, &wanted));
  for (size_t i = 0; i < wanted->count; ++i) w->wanted[i] = key_of(wanted->pairs[i]);
  check_pairs(w, count, wanted->count, !def.first && !pairs->partial, def.sorted, "self");
  if (def.first && !pairs->partial)
    require(w, count == (wanted->count > 0), "self: %zu first pairs of %zu", count, wanted->count);
}

/* ---------------------------------------------------------------------------------- features -- */

typedef struct placed_feature {
  pl_feature_pair pair;
  size_t place; /* pairs of two triangles keep their order */
} placed_feature;

static int compare_features(const void *p, const void *q)
{
  const placed_feature *x = p, *y = q;
  if (x->pair.triangle_a != y->pair.triangle_a) return x->pair.triangle_a < y->pair.triangle_a ? -1 : 1;
  if (x->pair.triangle_b != y->pair.triangle_b) return x->pair.triangle_b < y->pair.triangle_b ? -1 : 1;
  return (x->place > y->place) - (x->place < y->place);
}

void check_features(world *w, const pl_feature_pair *got, const pl_feature_pair *wanted, size_t count, bool sorted)
{
  placed_feature *list = malloc((count + 1) * sizeof *list);
  for (size_t i = 0; i < count; ++i) list[i] = (placed_feature){got[i], i};
  if (!sorted) qsort(list, count, sizeof *list, compare_features);
  for (size_t i = 0; i < count; ++i) {
    const pl_feature_pair *x = &list[i].pair, *y = &wanted[i];
    note(w, &x->triangle_a, offsetof(pl_feature_pair, vertex_b) - offsetof(pl_feature_pair, triangle_a));
    note(w, &x->distance, sizeof *x - offsetof(pl_feature_pair, distance));
    require(w, x->kind == y->kind && x->triangle_a == y->triangle_a && x->triangle_b == y->triangle_b,
            "features: %s of triangles %u %u instead of %s of %u %u", pl_word(PL_WORDS_FEATURE, x->kind), x->triangle_a,
            x->triangle_b, pl_word(PL_WORDS_FEATURE, y->kind), y->triangle_a, y->triangle_b);
    require(w, SAME(x, y, vertex_a) && SAME(x, y, vertex_b), "features: other vertices of triangles %u %u",
            x->triangle_a, x->triangle_b);
    require(w, SAME(x, y, distance) && SAME(x, y, weight_a) && SAME(x, y, weight_b) && SAME(x, y, normal),
            "features: triangles %u %u, %s: %a apart instead of %a, or other weights or normals", x->triangle_a,
            x->triangle_b, pl_word(PL_WORDS_FEATURE, x->kind), x->distance, y->distance);
  }
  free(list);
}

void call_features(world *w)
{
  fuzz_body *a, *b;
  if (!two_bodies(w, &a, &b)) return;
  filter f = {.salt = salt_of(w)};
  pl_question def = pl_question_default();
  int flags = pick(w, 6);
  def.vertex_face = flags != 1;
  def.edge_edge = flags != 2;
  def.sorted = chance(w, 2);
  def.filter = f.salt ? filter_pair : NULL;
  def.user = &f;
  double margin = margin_of(w, a, b);
  trace(w,
        "  { pl_question d = pl_question_default(); d.vertex_face = %d; d.edge_edge = %d; d.sorted = %d;%s\n"
        "    const pl_result *features; ask_near(pl_two(body[%d], body[%d]), %a, &d, &features); }\n",
        def.vertex_face, def.edge_edge, def.sorted, def.filter ? " d.filter = some_pairs;" : "", number_of(w, a),
        number_of(w, b), margin);
  const pl_result *got = NULL, *wanted;
  if (!answered(w, CALL(w, ask_near(pl_two(a->body, b->body), margin, &def, &got)), got, "features")) return;
  note_counters(w, &got->counters);
  REFERENCE(w, refer_near(pl_two(twin_of(w, a), twin_of(w, b)), margin, &def, &wanted));
  require(w, got->count == wanted->count, "features within %a: %zu instead of %zu", margin, got->count, wanted->count);
  check_features(w, got->features, wanted->features, got->count, def.sorted);
}

/* ----------------------------------------------------------------------------------- regions -- */

/* Anywhere, or a vertex, the middle of an edge, a point of a face. */
static void point_make(world *w, const fuzz_body *b, double point[3])
{
  const uint32_t *t = b->triangles + 3 * (size_t)below(w, (int)b->triangle_count);
  int way = below(w, 6);
  for (int k = 0; k < 3; ++k) {
    const double x[3] = {b->at[3 * t[0] + (size_t)k], b->at[3 * t[1] + (size_t)k], b->at[3 * t[2] + (size_t)k]};
    point[k] = way == 0   ? x[0]
               : way == 1 ? x[0] / 2 + x[1] / 2
               : way == 2 ? x[0] / 2 + x[1] / 4 + x[2] / 4
                          : sized(w, ordinary(w));
  }
  if (way == 3) point[below(w, 3)] = b->at[3 * t[1]];
}

static pl_zone region_make(world *w, const fuzz_body *b)
{
  double x[3], y[3], planes[PL_ZONE_PLANES][4];
  int kind = below(w, PL_ZONE_COUNT), count = 1 + below(w, PL_ZONE_PLANES);
  point_make(w, b, x);
  point_make(w, b, y);
  bool empty = below(w, 8) == 0; /* perhaps */
  for (int k = 0; k < 3 && kind == PL_ZONE_BOX && !empty; ++k) {
    double low = fmin(x[k], y[k]), high = fmax(x[k], y[k]);
    x[k] = low;
    y[k] = high;
  }
  if (kind == PL_ZONE_BOX) return pl_zone_box(x, y);
  if (kind == PL_ZONE_SPHERE) return pl_zone_sphere(x, below(w, 4) ? fabs(y[0]) : fabs(y[0] - x[0]) / 2);
  for (int i = 0; i < count; ++i) { /* each through a point of the body or near it */
    double *n = planes[i];
    point_make(w, b, x);
    for (int k = 0; k < 3; ++k) n[k] = ordinary(w);
    if (n[0] == 0 && n[1] == 0 && n[2] == 0) n[below(w, 3)] = 1;
    n[3] = -(n[0] * x[0] + n[1] * x[1] + n[2] * x[2]);
    if (!isfinite(n[3])) n[3] = 0;
  }
  return pl_zone_frustum((const double(*)[4])planes, count);
}

static void trace_region(world *w, const pl_zone *r)
{
  trace(w, "  { pl_zone r = {.kind = %d, .plane_count = %d, .lower = {%a, %a, %a}, .upper = {%a, %a, %a},\n",
        (int)r->kind, r->plane_count, r->lower[0], r->lower[1], r->lower[2], r->upper[0], r->upper[1], r->upper[2]);
  trace(w, "      .centre = {%a, %a, %a}, .radius = %a, .planes = {", r->centre[0], r->centre[1], r->centre[2],
        r->radius);
  for (int i = 0; i < r->plane_count; ++i)
    trace(w, "{%a, %a, %a, %a}, ", r->planes[i][0], r->planes[i][1], r->planes[i][2], r->planes[i][3]);
  trace(w, "{0}}};\n");
}

static int compare_indices(const void *a, const void *b)
{
  uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
  return (x > y) - (x < y);
}

void call_region(world *w)
{
  fuzz_body *b = body_of(w);
  if (!b) return;
  pl_question def = pl_question_default();
  uint32_t room[MOST_TRIANGLES], list[MOST_TRIANGLES];
  def.sorted = chance(w, 2);
  if (chance(w, 3)) {
    def.triangles = room;
    def.capacity = (size_t)pick(w, MOST_TRIANGLES);
  }
  seed_of(w);
  pl_zone region = region_make(w, b);
  trace_region(w, &region);
  trace(w,
        "    pl_question d = pl_question_default(); d.sorted = %d; d.capacity = %zu; uint32_t room[%d];%s\n"
        "    const pl_result *found; pl_overlap(pl_one(body[%d]), &r, &d, &found); }\n",
        def.sorted, def.capacity, MOST_TRIANGLES, def.triangles ? " d.triangles = room;" : "", number_of(w, b));
  const pl_result *got = NULL, *wanted;
  pl_status status = CALL(w, pl_overlap(pl_one(b->body), &region, &def, &got));
  bool small = status == PL_ERROR_BUFFER;
  if (small)
    require(w, got && def.triangles && got->count > def.capacity, "region: a buffer that is too small");
  else if (!answered(w, status, got, "region"))
    return;
  REFERENCE(w, reference_overlap(pl_one(twin_of(w, b)), &region, NULL, &wanted));
  require(w, got->count == wanted->count, "region: %zu triangles instead of %zu", got->count, wanted->count);
  require(w, !def.triangles || got->triangles == room, "region: triangles are not in the caller's array");
  note_counters(w, &got->counters);
  size_t count = small ? def.capacity : got->count;
  if (count) memcpy(list, got->triangles, count * sizeof *list);
  note(w, list, count * sizeof *list);
  if (!def.sorted) qsort(list, count, sizeof *list, compare_indices);
  for (size_t i = 0, k = 0; i < count; ++i, ++k) {
    while (small && k < wanted->count && wanted->triangles[k] < list[i]) ++k;
    require(w, k < wanted->count && list[i] == wanted->triangles[k], "region: triangle %u instead of %u", list[i],
            k < wanted->count ? wanted->triangles[k] : 0);
  }
}

/* ------------------------------------------------------------------------------------ points -- */

static bool filter_point(void *user, size_t point, pl_body *body, uint32_t triangle)
{
  return filter_pair(user, NULL, NULL, (pl_pair){(uint32_t)point, triangle});
}

/* Whether the sum of all solid angles is exact to 1e-6: not near the surface, where angles of
 * almost half a sphere are sums of rounded terms, and not for mixed magnitudes. */
static bool seen_well(world *w, fuzz_body *b, const double point[3])
{
  least_row least;
  double most = 0;
  if (w->profile == PROFILE_MIXED) return false;
  require(w, ask_point(twin_of(w, b), point, true, &least) == PL_OK, "the reference");
  for (size_t i = 0; i < 3 * b->vertex_count; ++i) most = fmax(most, fabs(b->at[i] - point[i % 3]));
  return least.distance >= 1e-4 * most;
}

static void check_side(world *w, fuzz_body *b, const double point[3], const pl_point *x, const pl_point *y,
                       pl_closure closure)
{
  bool same = x->side == y->side, on = x->side == PL_SIDE_ON || y->side == PL_SIDE_ON;
  if (closure != PL_CLOSURE_OPEN || on)
    same = same && x->winding == y->winding;
  else if (!seen_well(w, b, point))
    same = true;
  else
    same = (same || fabs(fabs(y->winding) - 0.5) <= 1e-6) && fabs(x->winding - y->winding) <= 1e-6;
  require(w, same, "point (%a, %a, %a) of a body that is %s: %s, winding number %.17g, instead of %s, %.17g", point[0],
          point[1], point[2], pl_word(PL_WORDS_CLOSURE, closure), pl_word(PL_WORDS_SIDE, x->side), x->winding,
          pl_word(PL_WORDS_SIDE, y->side), y->winding);
}

typedef pl_status (*point_query)(pl_who, pl_positions, const pl_question *, const pl_result **);

void call_points(world *w)
{
  static const point_query ours[] = {pl_closest, pl_inside, pl_signed_distance};
  static const point_query theirs[] = {reference_closest, reference_inside, reference_signed_distance};
  static const char *const names[] = {"closest", "inside", "signed_distance"};
  enum { MOST_POINTS = 40 };
  fuzz_body *b = body_of(w);
  if (!b) return;
  int way = pick(w, 3);
  size_t count = (size_t)pick(w, MOST_POINTS);
  filter f = {.salt = way == 0 ? salt_of(w) : 0};
  pl_question def = pl_question_default();
  pl_point room[MOST_POINTS];
  def.coherent = chance(w, 2);
  def.point_filter = f.salt ? filter_point : NULL;
  def.user = &f;
  double xyz[3 * MOST_POINTS];
  seed_of(w);
  for (size_t i = 0; i < count; ++i) point_make(w, b, xyz + 3 * i);
  if (way != 1 && chance(w, 4)) def.margin = fabs(sized(w, ordinary(w)));
  pl_positions points;
  void *block = positions_make(w, xyz, count, PL_F64, &points);
  trace(w, "  {");
  trace_positions(w, "points", points);
  trace(w, "    pl_question d = pl_question_default(); d.coherent = %d;%s\n", def.coherent,
        def.point_filter ? " d.point_filter = some_points;" : "");
  if (def.margin >= 0) trace(w, "    d.margin = %a;\n", def.margin);
  trace(w, "    const pl_result *results; pl_%s(pl_one(body[%d]), points, &d, &results); }\n", names[way],
        number_of(w, b));
  const pl_result *got = NULL, *wanted;
  pl_question plain = def;
  if (chance(w, 3)) def.points = room;
  bool found = answered(w, CALL(w, ours[way](pl_one(b->body), points, &def, &got)), got, names[way]);
  if (found) {
    require(w, got->count == count && !got->partial, "%s: %zu of %zu points", names[way], got->count, count);
    require(w, !def.points || got->points == room, "%s: results are not in the caller's array", names[way]);
    REFERENCE(w, theirs[way](pl_one(twin_of(w, b)), points, &plain, &wanted));
    require(w, way == 0 || got->closure == wanted->closure, "%s: a body is %s instead of %s", names[way],
            pl_word(PL_WORDS_CLOSURE, got->closure), pl_word(PL_WORDS_CLOSURE, wanted->closure));
    note_counters(w, &got->counters);
  }
  for (size_t i = 0; found && i < count; ++i) {
    const pl_point *x = &got->points[i], *y = &wanted->points[i];
    note(w, x, offsetof(pl_point, triangle));
    note(w, &x->side, sizeof x->side);
    note(w, &x->winding, sizeof x->winding);
    require(w, fabs(x->distance) == fabs(y->distance) && x->triangle == y->triangle,
            "%s: point %zu is %a from triangle %d instead of %a from %d", names[way], i, x->distance, (int)x->triangle,
            y->distance, (int)y->triangle);
    require(w, SAME(x, y, point) && SAME(x, y, u) && SAME(x, y, v), "%s: another closest point of point %zu",
            names[way], i);
    if (way) check_side(w, b, xyz + 3 * i, x, y, got->closure);
    if (way == 2)
      require(w, signbit(x->distance) == (x->side == PL_SIDE_INSIDE), "signed_distance: point %zu is %s at %a", i,
              pl_word(PL_WORDS_SIDE, x->side), x->distance);
  }
  free(block);
}

/* ----------------------------------------------------------------------- segments and depths -- */

static void corners_of(const fuzz_body *b, uint32_t triangle, double out[3][3])
{
  for (size_t i = 0; i < 9; ++i) out[i / 3][i % 3] = b->at[3 * b->triangles[3 * triangle + i / 3] + i % 3];
}

/* The pairs that touch, and some others. */
void call_segments(world *w)
{
  enum { MOST = 96 };
  fuzz_body *a, *b;
  if (!two_bodies(w, &a, &b)) return;
  pl_pair list[MOST];
  pl_segment wanted;
  const pl_result *touching;
  REFERENCE(w, refer_touching(pl_two(twin_of(w, a), twin_of(w, b)), NULL, &touching));
  size_t count = 0;
  for (; count < touching->count && count < MOST - 8; ++count) list[count] = touching->pairs[count];
  seed_of(w);
  for (int i = 0; i < 8; ++i)
    list[count++] = (pl_pair){(uint32_t)below(w, (int)a->triangle_count), (uint32_t)below(w, (int)b->triangle_count)};
  bool wrong = chance(w, 8);
  if (wrong) list[below(w, (int)count)].b = (uint32_t)b->triangle_count;
  trace(w, "  { const pl_result *segments; const pl_pair list[] = {");
  for (size_t i = 0; i < count; ++i) trace(w, "{%u, %u}, ", list[i].a, list[i].b);
  trace(w,
        "};\n    pl_group group = {body[%d], body[%d], 0, %zu}; pl_result given = {.pairs = list, .count = %zu, "
        ".groups = &group, .group_count = 1};\n"
        "    pl_question d = pl_question_default(); d.given = &given; pl_segments(pl_two(group.a, group.b), &d, "
        "&segments); }\n",
        number_of(w, a), number_of(w, b), count, count);
  const pl_group group = {a->body, b->body, 0, count};
  const pl_result given = {.pairs = list, .count = count, .groups = &group, .group_count = 1};
  pl_question def = pl_question_default();
  const pl_result *cut = NULL;
  def.given = &given;
  pl_status status = CALL(w, pl_segments(pl_two(a->body, b->body), &def, &cut));
  const pl_segment *got = cut ? cut->segments : NULL;
  if (status == PL_ERROR_MEMORY) return;
  if (wrong) {
    refused(w, status, "a pair that does not exist");
    return;
  }
  require(w, status == PL_OK, "segments: %s", pl_context_message(w->context));
  for (size_t i = 0; i < count; ++i) {
    double x[3][3], y[3][3];
    corners_of(a, list[i].a, x);
    corners_of(b, list[i].b, y);
    bool touch = pl_triangles_segment((const double(*)[3])x, (const double(*)[3])y, &wanted);
    require(w, touch == pl_triangles_touch((const double(*)[3])x, (const double(*)[3])y),
            "segments: triangles %u %u touch, or not", list[i].a, list[i].b);
    require(w,
            got[i].touches == touch && got[i].coplanar == wanted.coplanar && SAME(&got[i], &wanted, from) &&
                SAME(&got[i], &wanted, to),
            "segments: another segment of triangles %u %u", list[i].a, list[i].b);
    note(w, &got[i], offsetof(pl_segment, touches));
  }
}

/* The next body that is not open, if there is one besides `other`. */
static fuzz_body *closed_after(world *w, fuzz_body *b, const fuzz_body *other)
{
  for (int i = 0; i < SLOTS; ++i) {
    fuzz_body *next = &w->bodies[(number_of(w, b) + i) % SLOTS];
    pl_closure closure;
    if (!next->body || next == other) continue;
    require(w, pl_body_closure(twin_of(w, next), &closure, NULL) == PL_OK, "the reference");
    if (closure != PL_CLOSURE_OPEN) return next;
  }
  return b;
}

void call_depths(world *w)
{
  fuzz_body *a, *b;
  if (!two_bodies(w, &a, &b)) return;
  if (!chance(w, 8)) {
    a = closed_after(w, a, b);
    b = closed_after(w, b, a);
  }
  if (a->triangle_count * b->triangle_count > 900) return;
  pl_question def = pl_question_default();
  def.samples = (size_t)pick(w, 40);
  trace(w,
        "  { pl_question d = pl_question_default(); d.samples = %zu; const pl_result *depths;\n"
        "    pl_penetrations(pl_two(body[%d], body[%d]), &d, &depths); }\n",
        def.samples, number_of(w, a), number_of(w, b));
  const pl_result *got = NULL, *wanted = NULL;
  pl_closure closure[2];
  require(w, pl_body_closure(twin_of(w, a), &closure[0], NULL) == PL_OK, "the reference");
  require(w, pl_body_closure(twin_of(w, b), &closure[1], NULL) == PL_OK, "the reference");
  pl_status status = CALL(w, pl_penetrations(pl_two(a->body, b->body), &def, &got));
  if (!answered(w, status, got, "depths")) return;
  for (size_t i = 0; i < got->count; ++i) {
    const pl_penetration *x = &got->penetrations[i];
    require(w, x->bound >= x->depth && x->depth >= 0, "depths: region %zu is %a deep, at most %a", i, x->depth,
            x->bound);
  }
  /* winding numbers of open bodies may be 1/2, where the last bit decides */
  if (closure[0] == PL_CLOSURE_OPEN || closure[1] == PL_CLOSURE_OPEN) return;
  REFERENCE(w, refer_penetrations(pl_two(a->twin, b->twin), &def, &wanted));
  require(w, got->count == wanted->count, "depths: %zu regions instead of %zu", got->count, wanted->count);
  for (size_t i = 0; i < got->count; ++i) {
    const pl_penetration *x = &got->penetrations[i], *y = &wanted->penetrations[i];
    note(w, &x->depth, offsetof(pl_penetration, triangle) - offsetof(pl_penetration, depth));
    require(w, (x->body == a->body) == (y->body == a->twin) && x->triangle == y->triangle,
            "depths: region %zu is at triangle %u instead of %u", i, x->triangle, y->triangle);
    require(w, SAME(x, y, depth) && SAME(x, y, bound) && SAME(x, y, point) && SAME(x, y, surface),
            "depths: region %zu is %a deep instead of %a", i, x->depth, y->depth);
  }
}

/* ---------------------------------------------------------------------------- first contacts -- */

void call_keep(world *w)
{
  fuzz_body *b = body_of(w);
  if (!b) return;
  bool drop = chance(w, 4);
  trace(w, "  pl_body_%s_pose(body[%d]);\n", drop ? "drop" : "keep", number_of(w, b));
  pl_status status = CALL(w, drop ? pl_body_drop_pose(b->body) : pl_body_keep_pose(b->body));
  if (status == PL_ERROR_MEMORY) return;
  require(w, status == PL_OK, "keep_pose: %s", pl_context_message(w->context));
  REFERENCE(w, drop ? pl_body_drop_pose(twin_of(w, b)) : pl_body_keep_pose(twin_of(w, b)));
}

static bool same_impact(const pl_impact *x, const pl_impact *y)
{
  return x->time == y->time && x->kind == y->kind && SAME(x, y, feature_a) && SAME(x, y, feature_b) &&
         SAME(x, y, normal) && SAME(x, y, point);
}

/* All, or the first; of several at the very start any one. */
void check_impacts(world *w, const pl_result *got, const pl_result *wanted, bool all)
{
  require(w, got->time == wanted->time && got->safe_step == wanted->safe_step,
          "impacts: at %a, safe to %a, instead of %a and %a", got->time, got->safe_step, wanted->time,
          wanted->safe_step);
  size_t count = all ? wanted->count : wanted->count > 0;
  require(w, got->count == count && got->vertex_face + got->edge_edge == count, "impacts: %zu instead of %zu",
          got->count, count);
  note(w, &got->time, sizeof got->time);
  for (size_t i = 0; i < count; ++i) {
    const pl_impact *x = &got->impacts[i];
    size_t k = i;
    while (!all && x->time == 0 && k < wanted->count && !same_impact(x, &wanted->impacts[k])) ++k;
    require(w, k < wanted->count && same_impact(x, &wanted->impacts[k]),
            "impacts: contact %zu, %s %u %u and %u %u at %a, differs", i, pl_word(PL_WORDS_FEATURE, x->kind),
            x->feature_a[0], x->feature_a[1], x->feature_b[0], x->feature_b[1], x->time);
    if (all) note(w, x->feature_a, sizeof x->feature_a);
    if (all) note(w, x->feature_b, sizeof x->feature_b);
  }
}

void call_impacts(world *w)
{
  fuzz_body *a = body_of(w), *b = a;
  if (!a || (!chance(w, 4) && !two_bodies(w, &a, &b))) return;
  /* takes too long */
  if (a->triangle_count * b->triangle_count > (w->profile == PROFILE_MIXED ? 60 : 600)) return;
  pl_question def = pl_question_default(), every;
  def.all = chance(w, 2);
  def.margin = separation_of(w);
  if (def.margin > 0 && w->profile == PROFILE_MIXED && a->triangle_count * b->triangle_count > 4)
    return; /* too long, too */
  every = def;
  every.all = true;
  trace(w,
        "  { pl_question d = pl_question_default(); d.all = %d; d.margin = %a; const pl_result *impacts;\n"
        "    pl_impacts(pl_two(body[%d], body[%d]), &d, &impacts); }\n",
        def.all, def.margin, number_of(w, a), number_of(w, b));
  const pl_result *got = NULL, *wanted;
  if (!answered(w, CALL(w, pl_impacts(pl_two(a->body, b->body), &def, &got)), got, "impacts")) return;
  REFERENCE(w, impacts_reference(pl_two(twin_of(w, a), twin_of(w, b)), &every, &wanted));
  check_impacts(w, got, wanted, def.all);
  note_counters(w, &got->counters);
}
