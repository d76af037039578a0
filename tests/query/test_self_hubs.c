/* Meshes with hubs, vertices of very many triangles: every question of a body against itself,
 * with any number of rings, is answered as the reference answers it, whether triangles share one
 * hub, two, or none. */
#include "scenes/ask.h"
#include "support/support.h"
#include "support/worlds.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { TRIANGLES = 150, NARROW = 72, VERTICES = 90, HUBS = 3 };

typedef struct hub_mesh {
  double xyz[3 * VERTICES];
  uint32_t triangles[3 * TRIANGLES];
} hub_mesh;

/* Triangles of hub 0, books of hubs 0 and 1, some of hub 2, others; a few name a vertex twice.
 * Two thirds of the other vertices are joined to no hub in the last kind. */
static void make(test_rng *rng, int kind, hub_mesh *m)
{
  for (size_t i = 0; i < 3 * VERTICES; ++i) m->xyz[i] = kind % 2 ? test_below(rng, 9) : test_uniform(rng, -1, 1);
  for (size_t t = 0; t < TRIANGLES; ++t) {
    uint32_t *corner = m->triangles + 3 * t;
    int draw = test_below(rng, 10);
    int from = kind >= 2 && draw >= 7 ? VERTICES / 2 : HUBS, to = kind >= 2 && draw < 7 ? VERTICES / 2 : VERTICES;
    for (int c = 0; c < 3; ++c) corner[c] = (uint32_t)(from + test_below(rng, to - from));
    if (draw < 4) corner[test_below(rng, 3)] = 0;
    if (draw == 4 || draw == 5) corner[0] = 0, corner[1] = 1;
    if (draw == 6) corner[2] = 2;
  }
}

static pl_body *body_of(pl_context *context, const hub_mesh *m, size_t triangles, bool rigid)
{
  pl_mesh_def mesh = pl_mesh_def_default();
  mesh.positions = pl_positions_f64(m->xyz, VERTICES);
  mesh.triangles = m->triangles;
  mesh.triangle_count = triangles;
  pl_body *body;
  pl_status status =
      rigid ? pl_body_create_rigid(context, &mesh, NULL, &body) : pl_body_create_free(context, &mesh, NULL, &body);
  if (status != PL_OK) fail_msg("%s", pl_context_message(context));
  return body;
}

static const uint32_t rings[] = {1, 2, 3, 5, VERTICES, UINT32_MAX};
enum { RINGS = sizeof rings / sizeof *rings };

static void check_self(pl_body *body)
{
  for (int neighbours = 0; neighbours < 2; ++neighbours) {
    pl_question def = pl_question_default();
    def.rings = (neighbours) ? 0 : 1;
    def.sorted = true;
    const pl_result *got, *want;
    assert_int_equal(refer_touching(pl_self(body), &def, &want), PL_OK);
    size_t count = want->count;
    pl_pair *pairs = malloc((count + 1) * sizeof *pairs);
    if (count) memcpy(pairs, want->pairs, count * sizeof *pairs);
    for (int method = 0; method < PL_SELF_METHOD_COUNT; ++method) {
      if (method == PL_SELF_METHOD_CONES_MAY_MISS) continue;
      def.self_method = (pl_self_method)method;
      assert_int_equal(pl_touching(pl_self(body), &def, &got), PL_OK);
      assert_int_equal(got->count, count);
      if (count) assert_memory_equal(got->pairs, pairs, count * sizeof *pairs);
    }
    free(pairs);
  }
}

static void check_near(pl_body *body, double margin, int most)
{
  for (int r = 0; r < most; ++r) {
    pl_question def = pl_question_default();
    pl_question features = pl_question_default();
    def.rings = features.rings = rings[r];
    def.sorted = features.sorted = true;
    const pl_result *got, *want;
    assert_int_equal(refer_near_triangles(pl_self(body), margin, &def, &want), PL_OK);
    size_t count = want->count;
    pl_near_pair *pairs = malloc((count + 1) * sizeof *pairs);
    if (count) memcpy(pairs, want->near_pairs, count * sizeof *pairs);
    assert_int_equal(ask_near_triangles(pl_self(body), margin, &def, &got), PL_OK);
    assert_int_equal(got->count, count);
    if (count) assert_memory_equal(got->near_pairs, pairs, count * sizeof *pairs);
    free(pairs);

    const pl_result *found, *wanted;
    assert_int_equal(refer_near(pl_self(body), margin, &features, &wanted), PL_OK);
    count = wanted->count;
    pl_feature_pair *list = malloc((count + 1) * sizeof *list);
    if (count) memcpy(list, wanted->features, count * sizeof *list);
    assert_int_equal(ask_near(pl_self(body), margin, &features, &found), PL_OK);
    assert_int_equal(found->count, count);
    if (count) assert_memory_equal(found->features, list, count * sizeof *list);
    free(list);
  }
}

static void check_distance(pl_body *body)
{
  for (int r = 0; r < 2 * RINGS; ++r) { /* the second time from the last result */
    pl_question def = pl_question_default();
    def.rings = rings[r / 2];
    least_row got, want;
    assert_int_equal(refer_least(pl_self(body), &def, &want), PL_OK);
    assert_int_equal(ask_least(pl_self(body), &def, &got), PL_OK);
    assert_true(got.distance == want.distance);
    assert_int_equal(got.triangle_a, want.triangle_a);
    assert_int_equal(got.triangle_b, want.triangle_b);
  }
}

static void hubs_change_no_answer(void **state)
{
  (void)state;
  test_rng rng = {21};
  pl_context *context = context_of(NULL);
  for (int round = 0; round < 4; ++round) {
    static hub_mesh m;
    make(&rng, round % 4, &m);
    pl_body *body = body_of(context, &m, TRIANGLES, false);
    check_self(body);
    check_near(body, round % 2 ? 0.5 : 0.02, RINGS);
    check_distance(body);
    pl_body_destroy(body);
  }
  pl_context_destroy(context);
}

/* --------------------------------------- narrow triangles around hubs, which arcs tell apart -- */

/* A vertex around a hub or a spine: a direction that some others have too, at any distance.
 * Whole numbers: pages and blades may be coplanar. */
static void place_around(test_rng *rng, const double *hub, bool whole, double *out)
{
  static const double far[] = {1, 2, 7, 100};
  const double by = far[test_below(rng, 4)];
  for (int k = 0; k < 3; ++k)
    out[k] = hub[k] + by * (whole    ? test_below(rng, 7) - 3
                            : k == 2 ? test_uniform(rng, -0.1, 0.1)
                                     : test_uniform(rng, -1, 1));
}

/* Blades around vertex 0, pages of the spine 0 1, and some blades around vertex 2 that reach the
 * others. */
static void place(test_rng *rng, int kind, double scale, hub_mesh *m)
{
  static const double hub[HUBS][3] = {{0, 0, 0}, {0, 0, 2}, {5, 0, 1}};
  memcpy(m->xyz, hub, sizeof hub);
  for (size_t v = HUBS; v < VERTICES; ++v) {
    double *at = m->xyz + 3 * v;
    place_around(rng, hub[v % 9 ? 0 : 2], kind % 2, at);
    if (v % 2 && v > HUBS + 1) /* a narrow blade with the vertex before */
      for (int k = 0; k < 3; ++k) at[k] = at[k - 3] + (kind % 2 ? test_below(rng, 2) : test_uniform(rng, 0, 0.05));
  }
  for (size_t i = 0; i < 3 * VERTICES; ++i) m->xyz[i] *= scale;
}

/* Blades of one hub, pages of one spine, or all of them. */
static void join(test_rng *rng, int kind, hub_mesh *m)
{
  for (size_t t = 0; t < NARROW; ++t) {
    uint32_t *corner = m->triangles + 3 * t, v = (uint32_t)(HUBS + 1 + 2 * test_below(rng, (VERTICES - HUBS - 2) / 2));
    int draw = kind == 0 ? 0 : kind == 1 ? 10 : test_below(rng, 20);
    corner[0] = draw > 16 ? 2 : 0;
    corner[1] = draw > 8 && draw <= 16 ? 1 : v;
    corner[2] = v + 1;
    if (draw == 8) corner[1] = corner[2];
  }
}

/* To other places, or as a whole. */
static void move(test_rng *rng, int round, double scale, hub_mesh *m, pl_body *body)
{
  const pl_transform turn = {{{0.6, -0.8, 0}, {0.8, 0.6, 0}, {0, 0, 1}}, {scale, 0, 0}};
  place(rng, round + 1, scale, m);
  pl_status status =
      round == 3 ? pl_body_set_transform(body, &turn) : pl_body_set_positions(body, pl_positions_f64(m->xyz, VERTICES));
  assert_int_equal(status, PL_OK);
}

/* Exact answers for blades of every length, at every magnitude, and again after they have moved. */
static void narrow_triangles_around_hubs_are_told_apart(void **state)
{
  (void)state;
  static const double scales[] = {1, 0x1p-20, 0x1p1000, 0x1p-1000};
  test_rng rng = {5};
  pl_context *context = context_of(NULL);
  for (int round = 0; round < 4; ++round) {
    static hub_mesh m;
    const double scale = scales[round];
    join(&rng, round % 3, &m);
    place(&rng, round, scale, &m);
    pl_body *body = body_of(context, &m, NARROW, round == 3);
    for (int pose = 0; pose < 2; ++pose) {
      if (pose == 1) move(&rng, round, scale, &m, body);
      check_self(body);
      check_near(body, scale * (pose == 1 ? 0.02 : 0.3), 2);
    }
    pl_body_destroy(body);
  }
  pl_context_destroy(context);
}

/* A wave of quads, the middle of which is a fan of 32 triangles; folded if there is a gap between
 * both halves. */
enum { SIDE = 16, HOLE = 8, FAN = (SIDE + 1) * (SIDE + 1), FANNED = 2 * (SIDE * SIDE - HOLE * HOLE) + 4 * HOLE };

static void pose_fan(double gap, double xyz[FAN + 1][3])
{
  for (int v = 0; v <= FAN; ++v) {
    const double x = v < FAN ? v % (SIDE + 1) : SIDE / 2.0, z = v < FAN ? v / (SIDE + 1) : SIDE / 2.0;
    const bool over = gap > 0 && x > SIDE / 2.0;
    xyz[v][0] = over ? SIDE - x - 0.3 : x, xyz[v][2] = z + (over ? 0.2 : 0);
    xyz[v][1] = 0.2 * sin(0.5 * xyz[v][0]) * cos(0.4 * z) + (over ? gap : 0);
  }
}

static uint32_t edge_of_hole(int i) /* around, from one corner on */
{
  const int low = (SIDE - HOLE) / 2, high = low + HOLE, side = i / HOLE % 4, k = i % HOLE;
  const int x = side == 0 ? low + k : side == 1 ? high : side == 2 ? high - k : low;
  const int z = side == 0 ? low : side == 1 ? low + k : side == 2 ? high : high - k;
  return (uint32_t)(z * (SIDE + 1) + x);
}

static void join_fan(uint32_t triangles[FANNED][3])
{
  uint32_t n = 0;
  for (uint32_t q = 0; q < SIDE * SIDE; ++q) {
    const uint32_t x = q % SIDE, z = q / SIDE, a = z * (SIDE + 1) + x;
    const uint32_t two[2][3] = {{a, a + SIDE + 1, a + 1}, {a + 1, a + SIDE + 1, a + SIDE + 2}};
    const uint32_t low = (SIDE - HOLE) / 2, high = low + HOLE;
    if (x >= low && x < high && z >= low && z < high) continue;
    memcpy(triangles[n], two, sizeof two), n += 2;
  }
  for (int i = 0; i < 4 * HOLE; ++i) {
    const uint32_t one[3] = {FAN, edge_of_hole(i + 1), edge_of_hole(i)};
    memcpy(triangles[n++], one, sizeof one);
  }
  assert_int_equal(n, FANNED);
}

/* One hub in a large mesh: cones prove what keeps clear of itself, as without it. */
static void a_hub_in_a_sheet_leaves_cones_alone(void **state)
{
  (void)state;
  static double xyz[FAN + 1][3];
  static uint32_t triangles[FANNED][3];
  pl_context *context = context_of(NULL);
  pl_mesh_def mesh = pl_mesh_def_default();
  pl_body *body;
  join_fan(triangles);
  pose_fan(0, xyz);
  mesh.positions = pl_positions_f64(xyz[0], FAN + 1);
  mesh.triangles = triangles[0], mesh.triangle_count = FANNED;
  assert_int_equal(pl_body_create_free(context, &mesh, NULL, &body), PL_OK);
  pl_question def = pl_question_default();
  const pl_result *found;
  for (def.rings = 1; def.rings <= 2; ++def.rings) {
    assert_int_equal(ask_near(pl_self(body), 0.1 * def.rings, &def, &found), PL_OK);
    assert_true(found->count == 0 && found->counters.n_p == 0);
  }
  for (int pose = 0; pose < 3; ++pose) {
    pose_fan(0.05 + 0.1 * pose, xyz);
    assert_int_equal(pl_body_set_positions(body, pl_positions_f64(xyz[0], FAN + 1)), PL_OK);
    check_near(body, 0.2, 3);
  }
  pl_context_destroy(context);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(hubs_change_no_answer),
                                     cmocka_unit_test(a_hub_in_a_sheet_leaves_cones_alone),
                                     cmocka_unit_test(narrow_triangles_around_hubs_are_told_apart)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
