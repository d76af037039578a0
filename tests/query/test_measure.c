/* Kept features at new positions: against the search at the same positions, against integers, and
 * merged rows against a plain list; two bodies, one, and a scene; any number of threads. */
#define FOLDED_SIDE 11
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "support/folded.h"

/* A sheet that is folded onto itself, shaken; the bodies lie on each other. */
typedef struct sheets {
  pl_context *context;
  pl_scene *scene;
  pl_holder *kept;
  pl_body *body[BODIES];
  double at[BODIES][VERTICES][3];
  uint32_t triangles[TRIANGLES][3];
} sheets;

static void pose(sheets *s, double shake)
{
  for (int b = 0; b < BODIES; ++b)
    for (int v = 0; v < VERTICES; ++v) {
      double flat[3];
      folded_place(v, b, 0.4, flat);
      for (int k = 0; k < 3; ++k) s->at[b][v][k] = flat[k] + shake * (uniform() - 0.5);
    }
}

static void set(sheets *s)
{
  for (int b = 0; b < BODIES; ++b)
    assert_int_equal(pl_body_set_positions(s->body[b], pl_positions_f64(s->at[b][0], VERTICES)), PL_OK);
}

static sheets *sheets_open(int threads)
{
  sheets *s = calloc(1, sizeof *s);
  pl_context_def def = pl_context_def_default();
  def.threads = threads;
  seed = 88172645463325252u;
  assert_int_equal(pl_context_create(&def, &s->context), PL_OK);
  assert_int_equal(pl_scene_create(s->context, NULL, &s->scene), PL_OK);
  assert_int_equal(pl_holder_create(s->context, &s->kept), PL_OK);
  folded_triangles(s->triangles);
  pose(s, 0.1);
  for (int b = 0; b < BODIES; ++b)
    s->body[b] = folded_add(s->context, s->scene, pl_positions_f64(s->at[b][0], VERTICES), s->triangles, b != 1);
  return s;
}

static void sheets_close(sheets *s)
{
  pl_context_destroy(s->context);
  free(s);
}

static pl_who who_of(const sheets *s, int i) { return folded_who(s->scene, s->body, i); }

static const pl_result *keep(const sheets *s, pl_who who, double margin)
{
  pl_question def = pl_question_default();
  const pl_result *found;
  def.margin = margin;
  def.sorted = true;
  def.holder = s->kept;
  assert_int_equal(pl_near(who, &def, &found), PL_OK);
  return found;
}

static const pl_result *measure(pl_who who, const pl_result *kept, bool merged, bool reference)
{
  pl_question how = pl_question_default();
  const pl_result *found;
  how.given = kept;
  how.each = !merged;
  how.reference = reference;
  assert_int_equal(pl_measure(who, &how, &found), PL_OK);
  return found;
}

/* As usual. */
static pl_status measure_usual(pl_who who, const pl_result *kept, const pl_result **out)
{
  pl_question how = pl_question_default();
  how.given = kept;
  return pl_measure(who, &how, out);
}

/* ------------------------------------------------------------------------- at the same place -- */

static bool same_normal(const pl_feature_pair *x, const pl_feature_pair *y)
{
  for (int k = 0; k < 3; ++k)
    if (fabs(x->normal[k] - y->normal[k]) > 1e-14) return false;
  return true;
}

/* The weight of a vertex in a row. */
static double weight_of(const uint32_t vertex[3], const double weight[3], uint32_t v)
{
  double sum = 0;
  for (int i = 0; i < 3; ++i)
    if (vertex[i] == v) sum += weight[i];
  return sum;
}

static void check_row(const pl_feature_pair *kept, const pl_feature_pair *row, bool turned)
{
  pl_feature_pair x = *row;
  if (turned) {
    memcpy(x.vertex_a, row->vertex_b, sizeof x.vertex_a), memcpy(x.vertex_b, row->vertex_a, sizeof x.vertex_b);
    memcpy(x.weight_a, row->weight_b, sizeof x.weight_a), memcpy(x.weight_b, row->weight_a, sizeof x.weight_b);
    for (int k = 0; k < 3; ++k) x.normal[k] = -row->normal[k];
  }
  assert_true(row->distance == kept->distance);
  assert_true(same_normal(kept, &x));
  for (int i = 0; i < 3; ++i) {
    assert_true(fabs(weight_of(kept->vertex_a, kept->weight_a, kept->vertex_a[i]) -
                     weight_of(x.vertex_a, x.weight_a, kept->vertex_a[i])) < 1e-9);
    assert_true(fabs(weight_of(kept->vertex_b, kept->weight_b, kept->vertex_b[i]) -
                     weight_of(x.vertex_b, x.weight_b, kept->vertex_b[i])) < 1e-9);
  }
}

/* Where nothing has moved, each row is that of the search, but for its parts. */
static void test_measured_where_they_were_found(void **state)
{
  (void)state;
  sheets *s = sheets_open(2);
  for (int i = 0; i < 3; ++i) {
    const pl_result *kept = keep(s, who_of(s, i), 0.9), *got = measure(who_of(s, i), kept, false, false);
    assert_true(kept->count > 300);
    assert_int_equal(got->count, kept->count);
    assert_int_equal(got->group_count, kept->group_count);
    for (size_t j = 0; j < kept->count; ++j) {
      const bool turned = got->features[j].triangle_a != kept->features[j].triangle_a;
      assert_int_equal(got->features[j].multiplicity, 1);
      check_row(&kept->features[j], &got->features[j], turned);
    }
  }
  sheets_close(s);
}

/* ---------------------------------------------------------------------------- somewhere else -- */

/* Against the search at the new positions: every kept pair that it finds has the same distance. */
static void compare_with_search(pl_who who, const pl_result *kept)
{
  const pl_result *got = measure(who, kept, false, false);
  pl_feature_pair *rows = malloc((got->count + 1) * sizeof *rows);
  memcpy(rows, got->features, got->count * sizeof *rows);
  pl_question def = pl_question_default();
  const pl_result *now;
  size_t seen = 0;
  def.margin = 0.5;
  def.sorted = true;
  assert_int_equal(pl_near(who, &def, &now), PL_OK);
  for (size_t i = 0; i < now->count; ++i)
    for (size_t j = 0; j < kept->count; ++j) {
      const pl_feature_pair *x = &now->features[i], *y = &kept->features[j];
      if (x->kind != y->kind || memcmp(x->vertex_a, y->vertex_a, sizeof x->vertex_a) ||
          memcmp(x->vertex_b, y->vertex_b, sizeof x->vertex_b))
        continue;
      ++seen;
      check_row(x, &rows[j], rows[j].triangle_a != x->triangle_a);
    }
  assert_true(seen > 20);
  free(rows);
}

static void test_measured_where_they_are_now(void **state)
{
  (void)state;
  sheets *s = sheets_open(2);
  for (int i = 0; i < 2; ++i) { /* of a scene pairs of bodies have the same vertices */
    pose(s, 0.1);
    set(s);
    const pl_result *kept = keep(s, who_of(s, i), 0.9);
    pose(s, 0.3);
    set(s);
    compare_with_search(who_of(s, i), kept);
  }
  sheets_close(s);
}

/* The distance of one pair alone, with the gradient of its corners: of a, then of b. */
static double alone(const sheets *s, int a, int b, const pl_feature_pair *kept, double gradient[4][3])
{
  const int of_a = kept->kind == PL_FEATURE_VERTEX_FACE ? 1 : kept->kind == PL_FEATURE_FACE_VERTEX ? 3 : 2;
  double point[4][3], turned[4][3];
  for (int i = 0; i < 4; ++i)
    memcpy(point[i], i < of_a ? s->at[a][kept->vertex_a[i]] : s->at[b][kept->vertex_b[i - of_a]], sizeof point[i]);
  if (of_a == 2) return pl_edge_edge_distance((const double(*)[3])point, gradient);
  if (of_a == 1) return pl_vertex_face_distance((const double(*)[3])point, gradient);
  memcpy(turned[0], point[3], sizeof turned[0]);
  memcpy(turned[1], point[0], 3 * sizeof turned[0]);
  const double distance = pl_vertex_face_distance((const double(*)[3])turned, point);
  memcpy(gradient[3], point[0], sizeof turned[0]);
  memcpy(gradient[0], point[1], 3 * sizeof turned[0]);
  return distance;
}

/* Four at a time they have the bits of each alone. */
static void test_many_are_measured_as_each_alone(void **state)
{
  (void)state;
  sheets *s = sheets_open(2);
  for (int i = 0; i < 2; ++i) {
    const pl_result *kept = keep(s, who_of(s, i), 0.9);
    const pl_who who = who_of(s, i);
    const int a = who.a != s->body[0], b = who.b != s->body[0]; /* of the first two bodies */
    pose(s, 0.3);
    set(s);
    const pl_result *got = measure(who_of(s, i), kept, false, false);
    assert_int_equal(got->count, kept->count);
    for (size_t j = 0; j < got->count; ++j) {
      const pl_feature_pair *row = &got->features[j], *of = &kept->features[j];
      double gradient[4][3];
      const double distance = alone(s, a, b, of, gradient);
      assert_memory_equal(&row->distance, &distance, sizeof distance);
      const int of_a = of->kind == PL_FEATURE_VERTEX_FACE ? 1 : of->kind == PL_FEATURE_FACE_VERTEX ? 3 : 2;
      const bool swapped = row->triangle_a != of->triangle_a;
      for (int c = 0; c < 4; ++c) {
        const uint32_t v = c < of_a ? of->vertex_a[c] : of->vertex_b[c - of_a];
        const bool of_side_a = (c < of_a) != swapped;
        const double weight =
            of_side_a ? weight_of(row->vertex_a, row->weight_a, v) : -weight_of(row->vertex_b, row->weight_b, v);
        for (int k = 0; k < 3; ++k) assert_true(weight * row->normal[k] == gradient[c][k]);
      }
    }
  }
  sheets_close(s);
}

/* Rows beyond the margin are not proven; all others are as without one, also at the margin. */
static void test_a_margin_leaves_out_what_is_beyond(void **state)
{
  (void)state;
  sheets *s = sheets_open(2);
  const pl_result *kept = keep(s, pl_all(s->scene), 0.9);
  pose(s, 0.2);
  set(s);
  const pl_result *got = measure(pl_all(s->scene), kept, false, false);
  const size_t count = got->count;
  pl_feature_pair *rows = malloc((count + 1) * sizeof *rows);
  memcpy(rows, got->features, count * sizeof *rows);
  for (size_t i = 0; i < count; i += count / 20 + 1) {
    pl_question how = pl_question_default();
    size_t within = 0;
    how.given = kept;
    how.each = true;
    how.margin = rows[i].distance;
    assert_int_equal(pl_measure(pl_all(s->scene), &how, &got), PL_OK);
    for (size_t j = 0; j < count; ++j) {
      if (!(rows[j].distance <= how.margin)) continue;
      assert_true(within < got->count);
      assert_memory_equal(&got->features[within++], &rows[j], sizeof *rows);
    }
    assert_int_equal(got->count, within);
  }
  free(rows);
  sheets_close(s);
}

/* Integers know nothing of filters, proofs and double-double. */
static void test_measured_in_integers(void **state)
{
  (void)state;
  sheets *s = sheets_open(2);
  for (int i = 0; i < 3; ++i) {
    const pl_result *kept = keep(s, who_of(s, i), 0.6);
    pose(s, 0.25);
    set(s);
    const pl_result *got = measure(who_of(s, i), kept, false, false);
    pl_feature_pair *rows = malloc((got->count + 1) * sizeof *rows);
    const size_t count = got->count;
    memcpy(rows, got->features, count * sizeof *rows);
    const pl_result *big = measure(who_of(s, i), kept, false, true);
    assert_int_equal(big->count, count);
    for (size_t j = 0; j < count; ++j) {
      assert_true(fabs(rows[j].distance - big->features[j].distance) <= 8 * 0x1p-53 * rows[j].distance);
      for (int k = 0; k < 3; ++k) assert_true(fabs(rows[j].normal[k] - big->features[j].normal[k]) < 1e-14);
      assert_int_equal(rows[j].kind, big->features[j].kind);
    }
    free(rows);
  }
  sheets_close(s);
}

/* ------------------------------------------------------------------------------------ merged -- */

static void sorted_part(const uint32_t vertex[3], const double weight[3], uint32_t out[3])
{
  int n = 0;
  for (int i = 0; i < 3; ++i) out[i] = UINT32_MAX;
  for (int i = 0; i < 3; ++i)
    if (weight[i] > 0) out[n++] = vertex[i];
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 2; ++j)
      if (out[j] > out[j + 1]) {
        const uint32_t x = out[j];
        out[j] = out[j + 1], out[j + 1] = x;
      }
}

static bool equal_parts(const pl_feature_pair *x, const pl_feature_pair *y, bool is_one)
{
  uint32_t p[2][3], q[2][3];
  sorted_part(x->vertex_a, x->weight_a, p[0]), sorted_part(x->vertex_b, x->weight_b, p[1]);
  sorted_part(y->vertex_a, y->weight_a, q[0]), sorted_part(y->vertex_b, y->weight_b, q[1]);
  if (!memcmp(p, q, sizeof p)) return true;
  return is_one && !memcmp(p[0], q[1], sizeof p[0]) && !memcmp(p[1], q[0], sizeof p[0]);
}

/* Every pair of parts once, in the order of its first row, as often as it is in the plain list. */
static void test_equal_parts_are_merged(void **state)
{
  (void)state;
  sheets *s = sheets_open(2);
  for (int i = 0; i < 3; ++i) {
    const pl_result *kept = keep(s, who_of(s, i), 0.7);
    pose(s, 0.2);
    set(s);
    const pl_result *got = measure(who_of(s, i), kept, false, false);
    const size_t count = got->count;
    pl_feature_pair *rows = malloc((count + 1) * sizeof *rows);
    memcpy(rows, got->features, count * sizeof *rows);
    got = measure(who_of(s, i), kept, true, false);
    size_t group = 0, next = 0, merged = 0;
    for (size_t j = 0; j < count; ++j) {
      while (j >= kept->groups[group].end) ++group;
      const bool is_one = kept->groups[group].a == kept->groups[group].b;
      uint32_t same = 0;
      bool first = true;
      for (size_t k = kept->groups[group].begin; k < kept->groups[group].end; ++k) {
        if (!equal_parts(&rows[j], &rows[k], is_one)) continue;
        if (k < j) first = false;
        same += rows[k].multiplicity;
      }
      if (!first) continue;
      assert_true(next < got->count);
      assert_int_equal(got->features[next].multiplicity, same);
      assert_true(got->features[next].distance == rows[j].distance &&
                  equal_parts(&got->features[next], &rows[j], false));
      merged += same > 1;
      ++next;
    }
    assert_int_equal(next, got->count);
    assert_true(merged > 10);
    free(rows);
  }
  sheets_close(s);
}

/* A vertex above the edge that two faces share: one vertex and edge, twice. */
static void test_a_vertex_above_a_shared_edge_is_one_contact(void **state)
{
  (void)state;
  const double below[4][3] = {{0, -1, 0}, {0, 1, 0}, {1, 0, -0.2}, {-1, 0, -0.2}};
  const double above[3][3] = {{0, 0, 0.1}, {3, 1, 4}, {3, -1, 4}};
  const uint32_t two[6] = {0, 1, 3, 1, 0, 2}, one[3] = {0, 1, 2};
  pl_context *context;
  pl_body *a, *b;
  assert_int_equal(pl_context_create(NULL, &context), PL_OK);
  pl_mesh_def mesh = pl_mesh_def_default();
  mesh.positions = pl_positions_f64(above[0], 3), mesh.triangles = one, mesh.triangle_count = 1;
  assert_int_equal(pl_body_create_free(context, &mesh, NULL, &a), PL_OK);
  mesh.positions = pl_positions_f64(below[0], 4), mesh.triangles = two, mesh.triangle_count = 2;
  assert_int_equal(pl_body_create_free(context, &mesh, NULL, &b), PL_OK);
  pl_question def = pl_question_default();
  const pl_result *kept, *got;
  def.margin = 0.15;
  assert_int_equal(pl_near(pl_two(a, b), &def, &kept), PL_OK);
  assert_int_equal(measure_usual(pl_two(a, b), kept, &got), PL_OK);
  assert_int_equal(got->count, 1); /* both faces, and two edges of the vertex with the shared one */
  assert_int_equal(got->features[0].multiplicity, kept->count);
  assert_int_equal(kept->count, 4);
  assert_int_equal(got->features[0].kind, PL_FEATURE_VERTEX_EDGE);
  assert_true(fabs(got->features[0].distance - 0.1) < 1e-16 && got->features[0].normal[2] == 1);
  assert_true(got->features[0].weight_b[0] == 0.5 && got->features[0].weight_b[1] == 0.5 &&
              got->features[0].weight_b[2] == 0);
  /* Measured again from the merged row: the same. */
  const pl_feature_pair row = got->features[0];
  const pl_result own = {.features = &row, .count = 1};
  assert_int_equal(measure_usual(pl_two(a, b), &own, &got), PL_OK);
  assert_int_equal(got->count, 1);
  assert_memory_equal(&got->features[0], &row, sizeof row);
  pl_context_destroy(context);
}

/* ------------------------------------------------------------------------- threads, refusals -- */

static void test_any_number_of_threads_gives_the_same_bytes(void **state)
{
  (void)state;
  pl_feature_pair *wanted = NULL;
  size_t count = 0;
  for (int threads = 1; threads <= 5; threads += 2) {
    sheets *s = sheets_open(threads);
    const pl_result *kept = keep(s, pl_all(s->scene), 0.9);
    pose(s, 0.2);
    set(s);
    const pl_result *got = measure(pl_all(s->scene), kept, true, false);
    if (!wanted) {
      count = got->count;
      wanted = malloc(count * sizeof *wanted);
      memcpy(wanted, got->features, count * sizeof *wanted);
    }
    assert_int_equal(got->count, count);
    assert_memory_equal(got->features, wanted, count * sizeof *wanted);
    sheets_close(s);
  }
  free(wanted);
}

static void test_bad_sets_are_refused(void **state)
{
  (void)state;
  sheets *s = sheets_open(1);
  pl_feature_pair row = {.kind = PL_FEATURE_VERTEX_FACE, .vertex_a = {1, 1, 1}, .vertex_b = {2, 3, VERTICES}};
  pl_result own = {.features = &row, .count = 1};
  const pl_result *got;
  const pl_who two = pl_two(s->body[0], s->body[1]);
  assert_int_equal(measure_usual(two, &own, &got), PL_ERROR_ARGUMENT);
  assert_string_equal(pl_context_message(s->context), "row 0 of the given features names vertex 121 of 121");
  assert_null(got);
  row.vertex_b[2] = 4;
  row.kind = PL_FEATURE_COUNT;
  assert_int_equal(measure_usual(two, &own, &got), PL_ERROR_ARGUMENT);
  row.kind = PL_FEATURE_VERTEX_FACE;
  assert_int_equal(measure_usual(pl_all(s->scene), &own, &got), PL_ERROR_ARGUMENT);
  pl_group group = {s->body[0], s->body[2], 0, 1};
  own.groups = &group, own.group_count = 1;
  assert_int_equal(measure_usual(two, &own, &got), PL_ERROR_ARGUMENT);
  assert_int_equal(measure_usual(pl_all(s->scene), &own, &got), PL_OK);
  assert_int_equal(got->count, 1);
  assert_int_equal(measure_usual(pl_all(s->scene), got, &got), PL_ERROR_ARGUMENT); /* itself */
  group.end = 2;
  assert_int_equal(measure_usual(pl_all(s->scene), &own, &got), PL_ERROR_ARGUMENT);
  assert_int_equal(measure_usual(two, NULL, &got), PL_ERROR_ARGUMENT);
  pl_question def = pl_question_default();
  def.given = &own;
  def.margin = NAN;
  assert_int_equal(pl_measure(two, &def, &got), PL_ERROR_ARGUMENT);
  def.margin = 1e-3; /* leaves out what is farther */
  group = (pl_group){s->body[0], s->body[1], 0, 1};
  assert_int_equal(pl_measure(two, &def, &got), PL_OK);
  assert_int_equal(got->count, 0);
  assert_int_equal(got->group_count, 0);
  sheets_close(s);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_measured_where_they_were_found),
      cmocka_unit_test(test_measured_where_they_are_now),
      cmocka_unit_test(test_many_are_measured_as_each_alone),
      cmocka_unit_test(test_a_margin_leaves_out_what_is_beyond),
      cmocka_unit_test(test_measured_in_integers),
      cmocka_unit_test(test_equal_parts_are_merged),
      cmocka_unit_test(test_a_vertex_above_a_shared_edge_is_one_contact),
      cmocka_unit_test(test_any_number_of_threads_gives_the_same_bytes),
      cmocka_unit_test(test_bad_sets_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
