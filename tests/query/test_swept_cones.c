/* A body against itself on its way: patches that cones leave out have no contact at any time.
 * Sheets that defeat normals at one moment, and motions that defeat them between two moments at
 * which all is well, against the reference; and that cones leave something out at all. */
#include "body/sweep.h"
#include "bounds/cone.h"
#include "support/impacts.h"
#include "support/sheets.h"

#include <stdio.h>

enum { SIDE = 12, WAVES = 40 }; /* quads along a side: enough triangles that bodies have cones */
#if defined(__SANITIZE_ADDRESS__)
enum { EVERY = 5 }; /* of the products of sheets and ways */
#else
enum { EVERY = 1 };
#endif

/* X(NAME, word): from the pose of a sheet to another one. */
#define WAY_LIST(X)                                                                                                    \
  X(SMALL, "a small step")                                                                                             \
  X(LARGE, "a large step")                                                                                             \
  X(TURN, "most of a half turn")     /* shrinks nearly to a line on the way */                                         \
  X(MIRROR, "through its own plane") /* flat in the middle of the way: every fold passes through the others */         \
  X(SHUFFLE, "noise")                /* each vertex on a way of its own, about as long as a quad */                    \
  X(BEND, "corners exchanged")       /* the ends of a border pass each other in the plane */

enum {
#define WAY_NAME(name, word) WAY_##name,
  WAY_LIST(WAY_NAME)
#undef WAY_NAME
      WAY_COUNT
};

static const char *const way_text[] = {
#define WAY_TEXT(name, word) word,
    WAY_LIST(WAY_TEXT)
#undef WAY_TEXT
};

static double noise(size_t i)
{
  uint64_t x = (i + 1) * 0x9e3779b97f4a7c15u;
  x ^= x >> 29;
  x *= 0xbf58476d1ce4e5b9u;
  return (double)(x >> 11) * 0x1p-53 - 0.5;
}

static double size_of(const world_mesh *m)
{
  double low = m->xyz[0], high = low;
  for (size_t i = 0; i < 3 * m->vertex_count; ++i) {
    low = fmin(low, m->xyz[i]);
    high = fmax(high, m->xyz[i]);
  }
  return high - low;
}

/* The end of a way, from the positions at its start. */
static void go(int kind, int way, world_mesh *m)
{
  const double size = size_of(m), angle = 2.9;
  if (way == WAY_SMALL || way == WAY_LARGE) {
    sheet_pose(kind, SIDE, way == WAY_SMALL ? 0.42 : 0.9, m);
    return;
  }
  for (size_t v = 0; v < m->vertex_count; ++v) {
    double *p = m->xyz + 3 * v, x = p[0], y = p[1], z = p[2];
    if (way == WAY_TURN) {
      p[0] = cos(angle) * x - sin(angle) * z;
      p[2] = sin(angle) * x + cos(angle) * z;
    } else if (way == WAY_MIRROR) {
      p[1] = -y;
    } else if (way == WAY_SHUFFLE) {
      for (int k = 0; k < 3; ++k) p[k] += size / SIDE * noise(3 * v + (size_t)k);
    } else {
      p[0] = x + 0.8 * z * (z > 0 ? 1 : -1) * (x > 0 ? -1 : 1);
    }
  }
}

/* All contacts, the first, and by one and three threads. Returns how many there are. */
static size_t check(int kind, int way, bool doubles)
{
  impact_list wanted = {0};
  for (int threads = 1; threads < 4; threads += 2) {
    world_mesh m;
    pl_context *context;
    pl_body *body;
    pl_context_def def = pl_context_def_default();
    pl_mesh_def mesh = pl_mesh_def_default();
    pl_question all = pl_question_default();
    const pl_result *found;
    char what[128];
    snprintf(what, sizeof what, "%s, %s, %d threads", sheet_text(kind), way_text[way], threads);
    def.threads = threads;
    all.all = true;
    sheet_create(kind, SIDE, &m);
    sheet_pose(kind, SIDE, 0.4, &m);
    if (!doubles)
      for (size_t i = 0; i < 3 * m.vertex_count; ++i) m.xyz[i] = (double)(float)m.xyz[i];
    mesh.positions = pl_positions_f64(m.xyz, m.vertex_count);
    mesh.triangles = m.triangles;
    mesh.triangle_count = m.triangle_count;
    assert_int_equal(pl_context_create(&def, &context), PL_OK);
    assert_int_equal(pl_body_create_free(context, &mesh, NULL, &body), PL_OK);
    assert_int_equal(pl_body_keep_pose(body), PL_OK);
    go(kind, way, &m);
    assert_int_equal(pl_body_set_positions(body, pl_positions_f64(m.xyz, m.vertex_count)), PL_OK);
    if (threads == 1) {
      assert_int_equal(impacts_reference(pl_self(body), &all, &found), PL_OK);
      wanted = copy_impacts(found);
    }
    assert_int_equal(pl_impacts(pl_self(body), &all, &found), PL_OK);
    assert_all_impacts(found, &wanted, what);
    assert_int_equal(pl_impacts(pl_self(body), NULL, &found), PL_OK);
    assert_first_impact(found, &wanted, what);
    pl_context_destroy(context);
    sheet_free(&m);
  }
  free(wanted.impacts);
  return wanted.count;
}

static void nothing_is_lost(void **state)
{
  (void)state;
  size_t contacts[WAY_COUNT] = {0};
  for (int kind = 0; kind < SHEET_COUNT; ++kind)
    for (int way = kind % EVERY; way < WAY_COUNT; way += EVERY) contacts[way] += check(kind, way, kind % 2 == 0);
  for (int way = 0; way < WAY_COUNT; ++way) {
    print_message("%s: %zu contacts\n", way_text[way], contacts[way]);
    assert_true(contacts[way] > 0);
  }
}

/* The normal of a triangle at a time, along a direction. */
static double facing(const sweep *s, const uint32_t *tri, double t, const int d[3])
{
  double e[2][3], sum = 0;
  for (int i = 0; i < 2; ++i)
    for (int k = 0; k < 3; ++k)
      e[i][k] =
          (1 - t) * (s->start[tri[i + 1]][k] - s->start[tri[0]][k]) + t * (s->end[tri[i + 1]][k] - s->end[tri[0]][k]);
  for (int k = 0; k < 3; ++k)
    sum += d[k] * (e[0][(k + 1) % 3] * e[1][(k + 2) % 3] - e[0][(k + 2) % 3] * e[1][(k + 1) % 3]);
  return sum;
}

/* Every triangle faces every direction of its leaf's cone at all times. Returns the number of
 * directions. */
static size_t check_cones(const pl_body *body, const char *what)
{
  static const int axes[CONE_AXES][3] = {{1, 0, 0},  {0, 1, 0},  {0, 0, 1}, {1, 1, 0},  {1, -1, 0},
                                         {1, 0, 1},  {1, 0, -1}, {0, 1, 1}, {0, 1, -1}, {1, 1, 1},
                                         {1, 1, -1}, {1, -1, 1}, {-1, 1, 1}};
  const sweep *s = body->sweep;
  const tree *t = &s->cones.of->tree;
  size_t count = 0;
  for (uint32_t leaf = 0; leaf < t->nodes.leaf_count; ++leaf) {
    const uint32_t slot = t->nodes.leaf_slot[leaf], set = s->cones.cone[8 * (size_t)(slot >> 3) + (slot & 7)];
    for (int bit = 0; bit < 2 * CONE_AXES; ++bit) {
      int d[3];
      if (!(set >> bit & 1)) continue;
      ++count;
      for (int k = 0; k < 3; ++k) d[k] = bit < CONE_AXES ? axes[bit][k] : -axes[bit - CONE_AXES][k];
      for (uint32_t i = t->prims.tri_first[leaf]; i < t->prims.tri_first[leaf + 1]; ++i)
        for (int at = 0; at <= 32; ++at)
          if (!(facing(s, t->prims.tri + 3 * (size_t)i, at / 32.0, d) > 0))
            fail_msg("%s: a triangle of leaf %u faces away from direction %d at %d/32", what, leaf, bit, at);
    }
  }
  return count;
}

/* Half a turn about an axis with a little shear. */
static void turn_over(int axis, world_mesh *m)
{
  const size_t a = (size_t)(axis + 1) % 3, b = (size_t)(axis + 2) % 3;
  for (size_t v = 0; v < m->vertex_count; ++v) {
    double *p = m->xyz + 3 * v, x = p[a], y = p[b];
    p[a] = 0.2 * y - x;
    p[b] = 0.2 * x - y;
  }
}

/* Cones by themselves, also of a sheet that faces up at both ends of its way and down in the
 * middle. */
static void cones_hold_at_all_times(void **state)
{
  (void)state;
  size_t directions = 0;
  for (int kind = 0; kind < SHEET_COUNT; ++kind)
    for (int way = kind % EVERY; way <= WAY_COUNT; way += EVERY) {
      world_mesh m;
      pl_context *context = context_of(NULL);
      pl_body *body;
      pl_mesh_def mesh = pl_mesh_def_default();
      const pl_result *found;
      sheet_create(kind, SIDE, &m);
      sheet_pose(kind, SIDE, 0.4, &m);
      mesh.positions = pl_positions_f64(m.xyz, m.vertex_count);
      mesh.triangles = m.triangles;
      mesh.triangle_count = m.triangle_count;
      assert_int_equal(pl_body_create_free(context, &mesh, NULL, &body), PL_OK);
      assert_int_equal(pl_body_keep_pose(body), PL_OK);
      if (way < WAY_COUNT) go(kind, way, &m);
      if (way == WAY_COUNT) turn_over(kind % 3, &m);
      assert_int_equal(pl_body_set_positions(body, pl_positions_f64(m.xyz, m.vertex_count)), PL_OK);
      assert_int_equal(pl_impacts(pl_self(body), NULL, &found), PL_OK);
      directions += check_cones(body, sheet_text(kind));
      pl_context_destroy(context);
      sheet_free(&m);
    }
  print_message("%zu directions\n", directions);
  assert_true(directions > 1000);
}

/* A wave that moves a little touches nowhere: most of it is never opened. */
static void most_is_left_out(void **state)
{
  (void)state;
  world_mesh m;
  pl_context *context = context_of(NULL);
  pl_body *body;
  pl_mesh_def mesh = pl_mesh_def_default();
  const pl_result *found;
  const pl_result *near;
  sheet_create(SHEET_WAVE, WAVES, &m);
  sheet_pose(SHEET_WAVE, WAVES, 0.4, &m);
  mesh.positions = pl_positions_f64(m.xyz, m.vertex_count);
  mesh.triangles = m.triangles;
  mesh.triangle_count = m.triangle_count;
  assert_int_equal(pl_body_create_free(context, &mesh, NULL, &body), PL_OK);
  assert_int_equal(pl_body_keep_pose(body), PL_OK);
  sheet_pose(SHEET_WAVE, WAVES, 0.41, &m);
  assert_int_equal(pl_body_set_positions(body, pl_positions_f64(m.xyz, m.vertex_count)), PL_OK);
  assert_int_equal(pl_impacts(pl_self(body), NULL, &found), PL_OK);
  assert_int_equal(found->count, 0);
  const uint64_t tests = found->counters.n_v;
  assert_int_equal(pl_candidates(pl_self(body), NULL, &near), PL_OK);
  print_message("%llu tests instead of %llu\n", (unsigned long long)tests, (unsigned long long)near->counters.n_v);
  assert_true(8 * tests < near->counters.n_v);
  pl_context_destroy(context);
  sheet_free(&m);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(nothing_is_lost), cmocka_unit_test(cones_hold_at_all_times),
                                     cmocka_unit_test(most_is_left_out)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
