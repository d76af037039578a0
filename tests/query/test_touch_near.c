/* Margins and filters of queries for touching spheres: scenes are those of the reference, and
 * those of a plain loop over all spheres in double. */
#include "pliant/pliant.h"
#include "scenes/scenes.h"
#include "support/probes.h"
#include "support/worlds.h"

#include <math.h>

static pl_body *ball_create(pl_context *context, pl_match_kind kind)
{
  scene_mesh m;
  pl_body *body;
  assert_true(scene_geosphere(3, &m));
  pl_mesh_def mesh = pl_mesh_def_default();
  mesh.positions = pl_positions_f32(m.rest, m.vertex_count);
  pl_match_def match = pl_match_def_default();
  match.kind = kind;
  assert_int_equal(pl_body_create_match(context, &mesh, &match, NULL, &body), PL_OK);
  scene_mesh_free(&m);
  return body;
}

/* Somewhere near (x, y, z), stretched a little. */
static void place(pl_body *body, test_rng *rng, double x, double y, double z)
{
  const double at[3] = {x, y, z};
  pl_match_map map = {0};
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j) map.m[i][j] = (i == j) + 0.15 * test_uniform(rng, -1, 1);
    map.t[i] = at[i] + 0.05 * test_uniform(rng, -1, 1);
  }
  assert_int_equal(pl_body_set_match(body, &map, 1), PL_OK);
}

static uint64_t hash_of(const pl_result *t)
{
  uint64_t hash = hash_bytes(HASH_START, t->spheres, t->count * sizeof *t->spheres);
  for (size_t i = 0; i < t->group_count; ++i) {
    const size_t range[2] = {t->groups[i].begin, t->groups[i].end};
    pl_body *const pair[2] = {t->groups[i].a, t->groups[i].b};
    hash = hash_bytes(hash, range, sizeof range);
    hash = hash_bytes(hash, pair, sizeof pair);
  }
  return hash;
}

enum { NEAR_BODIES = 6, NEAR_LEVEL = 3, NEAR_SPHERES = 8 };

typedef struct near_world {
  pl_context *context;
  pl_scene *scene;
  pl_body *bodies[NEAR_BODIES];
  double margins[NEAR_BODIES];
  pl_sphere spheres[NEAR_BODIES][NEAR_LEVEL + 1][NEAR_SPHERES];
  int calls; /* of the filter */
} near_world;

static int index_of(const near_world *w, const pl_body *body)
{
  int i = 0;
  while (w->bodies[i] != body) ++i;
  return i;
}

static bool wanted(int a, int b) { return (a + b) % 4 != 1; }

static bool filter(void *user, pl_body *a, pl_body *b)
{
  near_world *w = user;
  ++w->calls;
  return wanted(index_of(w, a), index_of(w, b));
}

static void near_create(near_world *w, int threads)
{
  pl_context_def def = pl_context_def_default();
  def.threads = threads;
  assert_int_equal(pl_context_create(&def, &w->context), PL_OK);
  assert_int_equal(pl_scene_create(w->context, NULL, &w->scene), PL_OK);
  for (int i = 0; i < NEAR_BODIES; ++i) {
    w->bodies[i] = ball_create(w->context, i % 2 ? PL_MATCH_LINEAR : PL_MATCH_QUADRATIC);
    w->margins[i] = 0.11 * (i % 4);
    assert_int_equal(pl_scene_add(w->scene, w->bodies[i], NULL), PL_OK);
  }
}

/* Whether the scene's result has the spheres i of body a and k of body b, in either order. */
static bool has_touch(const near_world *w, const pl_result *t, const int body[2], const uint32_t node[2])
{
  for (size_t g = 0; g < t->group_count; ++g) {
    int a = index_of(w, t->groups[g].a), b = index_of(w, t->groups[g].b), turned = a == body[1] && b == body[0];
    if (!turned && (a != body[0] || b != body[1])) continue;
    for (size_t i = t->groups[g].begin; i < t->groups[g].end; ++i)
      if (t->spheres[i].a == node[turned] && t->spheres[i].b == node[!turned]) return true;
  }
  return false;
}

/* How far two spheres of the last level are apart, or those above them if these are further
 * apart: a walk tests all of them. */
static double gap_of(const near_world *w, int a, int b, const uint32_t node[2], double margin)
{
  double most = -INFINITY;
  for (int level = 0; level <= NEAR_LEVEL; ++level) {
    const pl_sphere *p = &w->spheres[a][level][node[0] >> (NEAR_LEVEL - level)],
                    *q = &w->spheres[b][level][node[1] >> (NEAR_LEVEL - level)];
    double square = 0;
    for (int k = 0; k < 3; ++k) square += pow((double)p->centre[k] - q->centre[k], 2);
    most = fmax(most, sqrt(square) - p->radius - q->radius - margin);
  }
  return most;
}

/* Every two spheres of two wanted bodies, decided here in double: those nearer than both margins
 * are in `t`, those further are not. */
static size_t check_near(near_world *w, const pl_result *t, bool margins, bool filtered)
{
  size_t near = 0;
  for (int i = 0; i < NEAR_BODIES; ++i)
    for (int level = 0; level <= NEAR_LEVEL; ++level)
      assert_int_equal(pl_body_spheres(w->bodies[i], level, w->spheres[i][level], NEAR_SPHERES), PL_OK);
  for (int a = 0; a < NEAR_BODIES; ++a)
    for (int b = a + 1; b < NEAR_BODIES; ++b)
      for (uint32_t n = 0; n < NEAR_SPHERES * NEAR_SPHERES; ++n) {
        const uint32_t node[2] = {n / NEAR_SPHERES, n % NEAR_SPHERES};
        double gap = gap_of(w, a, b, node, margins ? w->margins[a] + w->margins[b] : 0);
        if (fabs(gap) < 1e-5) continue; /* margins are rounded */
        bool want = gap < 0 && (!filtered || wanted(a, b));
        assert_int_equal(has_touch(w, t, (const int[2]){a, b}, node), want);
        near += want;
      }
  return near;
}

static void margins_and_filters_choose_the_pairs(void **state)
{
  (void)state;
  for (int threads = 1; threads <= 2; ++threads) {
    near_world w = {0};
    test_rng rng = {.state = 19};
    size_t found[4] = {0};
    near_create(&w, threads);
    for (int step = 0; step < test_rounds(12); ++step) {
      for (int i = 0; i < NEAR_BODIES; ++i) place(w.bodies[i], &rng, 2.2 * (i % 3), 2.2 * (i / 3), 0.2 * step);
      for (int way = 0; way < 8; ++way) {
        pl_question def = pl_question_default();
        const pl_result *got;
        def.level = NEAR_LEVEL;
        def.contacts = way & 4;
        if (way & 1) def.margins = w.margins, def.margin_count = NEAR_BODIES;
        if (way & 2) def.body_filter = filter, def.user = &w;
        assert_int_equal(reference_spheres(pl_all(w.scene), &def, &got), PL_OK);
        uint64_t want = hash_of(got);
        assert_int_equal(pl_sphere_contacts(pl_all(w.scene), &def, &got), PL_OK);
        assert_true(hash_of(got) == want);
        if (!def.contacts) found[way & 3] += check_near(&w, got, way & 1, way & 2);
      }
    }
    assert_true(found[1] > 2 * found[0] && found[2] < found[0] && found[3] < found[1] && found[2] > 0);
    assert_true(w.calls > 0);
    pl_context_destroy(w.context);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(margins_and_filters_choose_the_pairs)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
