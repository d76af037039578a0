/* Fans and books on their way: triangles that share a vertex or an edge. Contacts and candidates
 * are those of the reference, and the work grows with the number of triangles and results, not
 * with its square. */
#include "support/impacts.h"

typedef struct moving_mesh {
  double *start, *end;
  uint32_t *corners;
  size_t vertices, triangles;
} moving_mesh;

static moving_mesh mesh_of(size_t triangles)
{
  return (moving_mesh){.start = calloc(9 * triangles + 9, sizeof(double)),
                       .end = calloc(9 * triangles + 9, sizeof(double)),
                       .corners = calloc(3 * triangles, sizeof(uint32_t))};
}

static void mesh_free(moving_mesh *m)
{
  free(m->start);
  free(m->end);
  free(m->corners);
}

static uint32_t add_vertex(moving_mesh *m, double x, double y, double z)
{
  const double at[3] = {x, y, z};
  memcpy(m->start + 3 * m->vertices, at, sizeof at);
  memcpy(m->end + 3 * m->vertices, at, sizeof at);
  return (uint32_t)m->vertices++;
}

static void add_triangle(moving_mesh *m, uint32_t a, uint32_t b, uint32_t c)
{
  const uint32_t corner[3] = {a, b, c};
  memcpy(m->corners + 3 * m->triangles++, corner, sizeof corner);
}

/* Blades around a tip, with a gap between each two. */
static moving_mesh fan(size_t n)
{
  moving_mesh m = mesh_of(n);
  const uint32_t tip = add_vertex(&m, 0, 0, 0);
  for (size_t i = 0; i < n; ++i) {
    const double from = 6.28 * (double)i / (double)n, to = 6.28 * ((double)i + 0.5) / (double)n,
                 z = 0.3 * sin(5 * from);
    const uint32_t a = add_vertex(&m, cos(from), sin(from), z), b = add_vertex(&m, cos(to), sin(to), z);
    add_triangle(&m, tip, a, b);
  }
  return m;
}

static moving_mesh book(size_t n)
{
  moving_mesh m = mesh_of(n);
  const uint32_t p = add_vertex(&m, 0, 0, 0), q = add_vertex(&m, 0, 0, 1);
  for (size_t i = 0; i < n; ++i) {
    const double at = 6.28 * (double)i / (double)n;
    add_triangle(&m, p, q, add_vertex(&m, cos(at), sin(at), 0.5));
  }
  return m;
}

/* A fan, a book that shares its tip, and triangles of their own. */
static moving_mesh mixture(size_t n)
{
  moving_mesh m = fan(n);
  const uint32_t q = add_vertex(&m, 0, 0, 1);
  m.corners = realloc(m.corners, 9 * n * sizeof *m.corners);
  m.start = realloc(m.start, 27 * n * sizeof *m.start);
  m.end = realloc(m.end, 27 * n * sizeof *m.end);
  for (size_t i = 0; i < n; ++i) {
    const double at = 6.28 * (double)i / (double)n;
    const uint32_t v = add_vertex(&m, 0.5 * cos(at), 0.5 * sin(at), 0.7);
    add_triangle(&m, 0, q, v);
    if (i % 4) continue;
    const uint32_t w = add_vertex(&m, cos(at), 0.2, sin(at)), u = add_vertex(&m, cos(at), 0.3, sin(at) + 0.1);
    add_triangle(&m, v, w, u);
  }
  return m;
}

static void shift(moving_mesh *m)
{
  for (size_t i = 0; i < 3 * m->vertices; ++i) m->end[i] += (double[]){0.001, 0, 0.0005}[i % 3];
}

/* Turns the end around the z axis: pages of a book all move the same way, farther than the gap
 * between two of them. */
static void turn(moving_mesh *m, double by)
{
  for (size_t v = 0; v < m->vertices; ++v) {
    double *at = m->end + 3 * v;
    const double x = at[0], y = at[1];
    at[0] = cos(by) * x - sin(by) * y;
    at[1] = sin(by) * x + cos(by) * y;
  }
}

static void shake(moving_mesh *m, test_rng *rng, double by)
{
  for (size_t i = 0; i < 3 * m->vertices; ++i) {
    m->start[i] += by * test_uniform(rng, -1, 1);
    m->end[i] = m->start[i] + by * test_uniform(rng, -1, 1);
  }
}

static pl_body *body_of(pl_context *context, const moving_mesh *m)
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

typedef moving_mesh (*mesh_maker)(size_t n);
static const mesh_maker makers[] = {fan, book, mixture};

/* --------------------------------------------------------------------------------- reference -- */

static size_t check_contacts(pl_body *body, double separation)
{
  pl_question def = pl_question_default();
  const pl_result *got;
  def.all = true;
  def.margin = separation;
  assert_int_equal(impacts_reference(pl_self(body), &def, &got), PL_OK);
  impact_list wanted = copy_impacts(got);
  assert_int_equal(pl_impacts(pl_self(body), &def, &got), PL_OK);
  assert_all_impacts(got, &wanted, "all");
  def.all = false;
  assert_int_equal(pl_impacts(pl_self(body), &def, &got), PL_OK);
  assert_first_impact(got, &wanted, "the first");
  free(wanted.impacts);
  return wanted.count;
}

static void check_candidates(pl_context *context, pl_body *body)
{
  pl_question def = pl_question_default();
  def.sorted = true;
  assert_same_candidates(context, pl_self(body), &def);
}

static void contacts_of_fans_and_books(void **state)
{
  (void)state;
  test_rng rng = {3};
  size_t count = 0, none = 0;
  pl_context *context = context_of(NULL);
  for (int round = 0; round < 18; ++round) {
    moving_mesh m = makers[round % 3](70);
    shake(&m, &rng, (double[]){1e-4, 0.02, 0.2}[round / 3 % 3]);
    if (round % 2) turn(&m, 0.2 * round);
    pl_body *body = body_of(context, &m);
    size_t found = check_contacts(body, round % 5 == 4 ? 0.001 : 0);
    check_candidates(context, body);
    count += found;
    none += found == 0;
    pl_body_destroy(body);
    mesh_free(&m);
  }
  assert_true(count > 100 && none > 2);
  pl_context_destroy(context);
}

/* ------------------------------------------------------------------------------------ growth -- */

/* A book that turns by hundredths: two pages that are nearer than that pass over the same
 * places. */
static uint64_t tests_of_turning(pl_context *context, size_t n)
{
  moving_mesh m = book(n);
  turn(&m, 0.02);
  pl_body *body = body_of(context, &m);
  const pl_result *got;
  assert_int_equal(pl_impacts(pl_self(body), NULL, &got), PL_OK);
  assert_int_equal(got->count, 0);
  const uint64_t tests = got->counters.n_v;
  pl_body_destroy(body);
  mesh_free(&m);
  return tests;
}

static void a_turning_book_is_not_quadratic(void **state)
{
  (void)state;
  pl_context *context = context_of(NULL);
  const uint64_t small = tests_of_turning(context, 2000), large = tests_of_turning(context, 16000);
  if (large > 12 * small)
    fail_msg("%llu tests at 2 000 pages, %llu at 16 000", (unsigned long long)small, (unsigned long long)large);
  pl_context_destroy(context);
}

/* The tests of one question. *results: how many results it has. */
static uint64_t tests_of(pl_context *context, mesh_maker make, size_t n, bool candidates, size_t *results)
{
  moving_mesh m = make(n);
  shift(&m);
  pl_body *body = body_of(context, &m);
  uint64_t tests;
  if (candidates) {
    const pl_result *got;
    assert_int_equal(pl_candidates(pl_self(body), NULL, &got), PL_OK);
    *results = got->count;
    tests = got->counters.n_v;
  } else {
    const pl_result *got;
    assert_int_equal(pl_impacts(pl_self(body), NULL, &got), PL_OK);
    assert_int_equal(got->count, 0);
    *results = 0;
    tests = got->counters.n_v;
  }
  pl_body_destroy(body);
  mesh_free(&m);
  return tests;
}

static void work_grows_with_the_triangles(void **state)
{
  (void)state;
  pl_context *context = context_of(NULL);
  for (int kind = 0; kind < 3; ++kind) {
    const bool candidates = kind == 2; /* those of a book are n^2 by themselves */
    const mesh_maker make = makers[kind % 2];
    size_t few, many;
    const uint64_t small = tests_of(context, make, 1000, candidates, &few),
                   large = tests_of(context, make, 4000, candidates, &many);
    if (large > 8 * small + 16 * (many - few))
      fail_msg("%s of %s: %llu tests at 1 000 triangles, %llu at 4 000", candidates ? "candidates" : "first contact",
               kind % 2 ? "a book" : "a fan", (unsigned long long)small, (unsigned long long)large);
  }
  pl_context_destroy(context);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(contacts_of_fans_and_books),
      cmocka_unit_test(work_grows_with_the_triangles),
      cmocka_unit_test(a_turning_book_is_not_quadratic),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
