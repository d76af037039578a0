/* Bodies that shrink to a point, at the end of a step or in its middle: the first contact is
 * that of the reference, though n^2 contacts are at one time, and the work grows with the number
 * of triangles. */
#include "support/impacts.h"

typedef enum course { TO_POINT, THROUGH_POINT, NOWHERE, COURSES } course;

typedef struct sheet {
  double *start, *end;
  uint32_t *corners;
  size_t vertices, triangles;
} sheet;

static void sheet_free(sheet *m)
{
  free(m->start);
  free(m->end);
  free(m->corners);
}

/* A wavy sheet of side x side squares, whose vertices have any order. */
static sheet sheet_of(size_t side, double height, test_rng *rng)
{
  const size_t row = side + 1;
  sheet m = {calloc(3 * row * row, sizeof(double)), calloc(3 * row * row, sizeof(double)),
             calloc(6 * side * side, sizeof(uint32_t)), row * row, 2 * side * side};
  for (size_t v = 0; v < m.vertices; ++v) {
    const double x = (double)(v / row) / (double)side, y = (double)(v % row) / (double)side;
    const double at[3] = {x - 0.5, y - 0.5, height + 0.2 * sin(7 * x) * cos(5 * y) + 1e-3 * test_uniform(rng, 0, 1)};
    memcpy(m.start + 3 * v, at, sizeof at);
  }
  for (size_t k = 0; k < side * side; ++k) {
    const uint32_t v = (uint32_t)(k / side * row + k % side), r = (uint32_t)row;
    const uint32_t corners[6] = {v, v + 1, v + r, v + 1, v + r + 1, v + r};
    memcpy(m.corners + 6 * k, corners, sizeof corners);
  }
  return m;
}

static void go(sheet *m, course c, const double point[3])
{
  for (size_t i = 0; i < 3 * m->vertices; ++i)
    m->end[i] = c == TO_POINT ? point[i % 3] : c == THROUGH_POINT ? -m->start[i] : m->start[i] + 1e-3 * (double)(i % 3);
}

static pl_body *body_of(pl_context *context, const sheet *m)
{
  pl_mesh_def mesh = pl_mesh_def_default();
  pl_body *body;
  mesh.positions = pl_positions_f64(m->start, m->vertices);
  mesh.triangles = m->corners;
  mesh.triangle_count = m->triangles;
  assert_int_equal(pl_body_create_free(context, &mesh, NULL, &body), PL_OK);
  assert_int_equal(pl_body_keep_pose(body), PL_OK);
  assert_int_equal(pl_body_set_positions(body, pl_positions_f64(m->end, m->vertices)), PL_OK);
  return body;
}

/* --------------------------------------------------------------------------------- reference -- */

/* Refuses the first features, or all faces and vertices. */
static bool some(void *user, const pl_impact *f)
{
  const int way = *(const int *)user;
  return way == 0 || (way == 1 ? f->feature_a[0] > 2 && f->feature_b[0] != 1 : f->kind == PL_FEATURE_EDGE_EDGE);
}

static double check(pl_body *a, pl_body *b, int filter)
{
  pl_question def = pl_question_default();
  const pl_result *got;
  def.feature_filter = filter ? some : NULL;
  def.user = &filter;
  def.all = true;
  assert_int_equal(impacts_reference(pl_two(a, b), &def, &got), PL_OK);
  impact_list wanted = copy_impacts(got);
  assert_int_equal(pl_impacts(pl_two(a, b), &def, &got), PL_OK);
  assert_all_impacts(got, &wanted, "all");
  def.all = false;
  assert_int_equal(pl_impacts(pl_two(a, b), &def, &got), PL_OK);
  assert_first_impact(got, &wanted, "the first");
  free(wanted.impacts);
  return got->time;
}

/* Within one body and between two; a fold lets some touch themselves at the start. */
static void contacts_are_those_of_the_reference(void **state)
{
  (void)state;
  static const double points[3][3] = {{0, 0, 0}, {0.1, 0.2, 0.3}, {1e3, 0, 1}};
  test_rng rng = {8};
  int at_start = 0, in_middle = 0, at_end = 0;
  pl_context *context = context_of(NULL);
  for (int round = 0; round < 24; ++round) {
    sheet m[2] = {sheet_of(3, 0, &rng), sheet_of(3, 0.3 * (round % 4), &rng)};
    for (size_t v = 0; v < m[0].vertices && round % 8 == 7; ++v) m[0].start[3 * v] = fabs(m[0].start[3 * v]);
    for (int b = 0; b < 2; ++b) go(&m[b], (course)((round / (b ? 3 : 1)) % COURSES), points[round / (b ? 2 : 1) % 3]);
    pl_body *body[2] = {body_of(context, &m[0]), body_of(context, &m[1])};
    for (int pair = 0; pair < 3; ++pair) {
      const double time = check(body[pair == 2], body[pair > 0], round / 2 % 3);
      at_start += time == 0;
      in_middle += time == 0.5;
      at_end += time == 1;
    }
    for (int b = 0; b < 2; ++b) {
      pl_body_destroy(body[b]);
      sheet_free(&m[b]);
    }
  }
  print_message("%d at the start, %d in the middle, %d at the end\n", at_start, in_middle, at_end);
  assert_true(at_start > 1 && in_middle > 5 && at_end > 5);
  pl_context_destroy(context);
}

/* ------------------------------------------------------------------------------------ growth -- */

static uint64_t tests_of(pl_context *context, course c, size_t side)
{
  static const double point[3] = {0.1, 0.2, 0.3};
  test_rng rng = {9};
  sheet m = sheet_of(side, 0, &rng);
  const pl_result *got;
  go(&m, c, point);
  pl_body *body = body_of(context, &m);
  assert_int_equal(pl_impacts(pl_self(body), NULL, &got), PL_OK);
  assert_int_equal(got->count, 1);
  assert_true(got->time == (c == TO_POINT ? 1 : 0.5));
  /* of all contacts the one with the least indices */
  assert_int_equal(got->impacts[0].kind, PL_FEATURE_VERTEX_FACE);
  assert_int_equal(got->impacts[0].feature_a[0], 0);
  assert_int_equal(got->impacts[0].feature_b[0], 1);
  const uint64_t tests = got->counters.n_v + got->counters.n_p;
  pl_body_destroy(body);
  sheet_free(&m);
  return tests;
}

static void work_grows_with_the_triangles(void **state)
{
  (void)state;
  pl_context *context = context_of(NULL);
  for (int c = 0; c < NOWHERE; ++c) {
    const uint64_t small = tests_of(context, (course)c, 12), large = tests_of(context, (course)c, 48);
    if (large > 24 * small) /* 16 times the triangles */
      fail_msg("course %d: %llu tests, then %llu", c, (unsigned long long)small, (unsigned long long)large);
  }
  pl_context_destroy(context);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(contacts_are_those_of_the_reference),
      cmocka_unit_test(work_grows_with_the_triangles),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
