/* Spheres that touch, against a check of its own: every pair of nodes of every level in
 * rationals (GMP), from what pl_body_spheres() reports, with and without margins; contact
 * geometry from the nodes at rest and the maps, in double. Nothing of the query is used. */
#include "pliant/pliant.h"
#include "scenes/scenes.h"
#include "support/worlds.h"

#include <stdio.h>

#ifdef PLIANT_HAVE_GMP
#include <gmp.h>

#include <math.h>
#include <stdlib.h>

enum { MOST_NODES = 64 };

static pl_body *ball_of(pl_context *context, int detail, pl_match_kind kind)
{
  scene_mesh m;
  pl_body *body;
  assert_true(scene_geosphere(detail, &m));
  pl_mesh_def mesh = pl_mesh_def_default();
  mesh.positions = pl_positions_f32(m.rest, m.vertex_count);
  pl_match_def match = pl_match_def_default();
  match.kind = kind;
  match.normals = mesh.positions;
  assert_int_equal(pl_body_create_match(context, &mesh, &match, NULL, &body), PL_OK);
  scene_mesh_free(&m);
  return body;
}

static void place(pl_body *body, test_rng *rng, int terms, double x)
{
  pl_match_map map = {0};
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < terms; ++j) map.m[i][j] = (i == j) + 0.1 * test_uniform(rng, -1, 1);
  map.t[0] = x;
  assert_int_equal(pl_body_set_match(body, &map, 1), PL_OK);
}

/* |p - q| <= r + s in rationals. */
static bool touch_exactly(const pl_sphere *a, float radius, const pl_sphere *b)
{
  mpq_t sum, d, reach;
  mpq_inits(sum, d, reach, NULL);
  for (int k = 0; k < 3; ++k) {
    mpq_set_d(d, (double)a->centre[k]);
    mpq_set_d(reach, (double)b->centre[k]);
    mpq_sub(d, d, reach);
    mpq_mul(d, d, d);
    mpq_add(sum, sum, d);
  }
  mpq_set_d(reach, (double)radius);
  mpq_set_d(d, (double)b->radius);
  mpq_add(reach, reach, d);
  mpq_mul(reach, reach, reach);
  bool touches = radius >= 0 && b->radius >= 0 && mpq_cmp(sum, reach) <= 0;
  mpq_clears(sum, d, reach, NULL);
  return touches;
}

/* The radius of a that is tested: grown by both margins as a float, rounded up. */
static float grown(float radius, float margin) { return margin > 0 ? nextafterf(radius + margin, INFINITY) : radius; }

typedef struct inner {
  double centre[3], radius;
} inner;

static inner inner_of(pl_body *body, int level, size_t index)
{
  pl_sphere_node node;
  pl_match_state state;
  inner out = {.radius = 0};
  assert_int_equal(pl_body_sphere_node(body, level, index, &node), PL_OK);
  assert_int_equal(pl_body_match_state(body, 0, &state), PL_OK);
  double surface[3];
  for (int side = 0; side < 2; ++side) {
    const double *q = side ? node.surface : node.inner;
    const double u[9] = {q[0],        q[1],        q[2],        q[0] * q[0], q[1] * q[1],
                         q[2] * q[2], q[0] * q[1], q[1] * q[2], q[2] * q[0]};
    for (int i = 0; i < 3; ++i) {
      double x = state.map.t[i];
      for (int j = 0; j < 9; ++j) x += state.map.m[i][j] * u[j];
      (side ? surface : out.centre)[i] = x;
    }
  }
  for (int i = 0; i < 3; ++i) out.radius += pow(surface[i] - out.centre[i], 2);
  out.radius = sqrt(out.radius);
  return out;
}

static void check_geometry(pl_body *a, pl_body *b, int level, const pl_sphere_contact *t, double margin)
{
  inner in[2] = {inner_of(a, level, t->a), inner_of(b, level, t->b)};
  const pl_sphere *bound[2] = {&t->sphere_a, &t->sphere_b};
  double d[3], length = 0, point[3], room = 1;
  for (int k = 0; k < 3; ++k) d[k] = in[0].centre[k] - in[1].centre[k], length += d[k] * d[k];
  length = sqrt(length);
  if (length < 1e-3) return; /* no direction to compare */
  double depth = in[0].radius + in[1].radius - length;
  assert_true(fabs(depth - (double)t->depth) < 1e-4);
  for (int k = 0; k < 3; ++k) {
    assert_true(fabs(d[k] / length - (double)t->normal[k]) < 1e-2);
    point[k] = in[1].centre[k] + (in[1].radius - depth / 2) * d[k] / length;
    assert_true(fabs(point[k] - (double)t->point[k]) < 1e-2);
  }
  room = fmin(room, depth + margin);
  for (int side = 0; side < 2; ++side) {
    double far = 0;
    for (int k = 0; k < 3; ++k) far += pow(point[k] - (double)bound[side]->centre[k], 2);
    room = fmin(room, 1.25 * (double)bound[side]->radius + fabs(depth) - sqrt(far));
  }
  if (fabs(room) > 2e-2) assert_int_equal(t->contact, room > 0);
}

static size_t check_level(pl_body *a, pl_body *b, int level, const double *margins, bool contacts)
{
  static pl_sphere spheres[2][8][MOST_NODES];
  const pl_result *found;
  pl_question def = pl_question_default();
  float margin = margins ? (float)margins[0] + (float)margins[1] : 0;
  size_t count = (size_t)1 << level, at = 0;
  for (int l = 0; l <= level; ++l) {
    assert_int_equal(pl_body_spheres(a, l, spheres[0][l], MOST_NODES), PL_OK);
    assert_int_equal(pl_body_spheres(b, l, spheres[1][l], MOST_NODES), PL_OK);
  }
  def.level = level;
  def.contacts = contacts;
  def.margins = margins;
  def.margin_count = 2;
  assert_int_equal(pl_sphere_contacts(pl_two(a, b), &def, &found), PL_OK);
  for (size_t i = 0; i < count; ++i)
    for (size_t j = 0; j < count; ++j) {
      bool touches = true;
      for (int l = level; l >= 0 && touches; --l) {
        const pl_sphere *p = &spheres[0][l][i >> (level - l)];
        touches = touch_exactly(p, grown(p->radius, margin), &spheres[1][l][j >> (level - l)]);
      }
      bool reported = at < found->count && found->spheres[at].a == i && found->spheres[at].b == j;
      if (contacts ? reported && !touches : reported != touches) fail_msg("level %d: nodes %zu and %zu", level, i, j);
      if (!reported) continue;
      check_geometry(a, b, level, &found->spheres[at], (double)margin);
      assert_true(!contacts || found->spheres[at].contact);
      ++at;
    }
  assert_int_equal(at, found->count);
  return found->count;
}

static void touches_are_those_of_rationals(void **state)
{
  (void)state;
  test_rng rng = {.state = 9};
  size_t found = 0, more = 0, contacts = 0;
  for (int kind = PL_MATCH_LINEAR; kind <= PL_MATCH_QUADRATIC; ++kind) {
    pl_context *context = context_of(NULL);
    pl_body *a = ball_of(context, 6, (pl_match_kind)kind), *b = ball_of(context, 6, (pl_match_kind)kind);
    for (int step = 0; step < 4; ++step) {
      const double margins[2] = {0.03 * step, 0.05};
      place(a, &rng, kind == PL_MATCH_LINEAR ? 3 : 9, 0);
      place(b, &rng, kind == PL_MATCH_LINEAR ? 3 : 9, 2.2 - 0.1 * step);
      for (int level = 0; level <= 5; ++level) {
        found += check_level(a, b, level, NULL, false);
        more += check_level(a, b, level, margins, false);
        contacts += check_level(a, b, level, margins, true);
      }
    }
    pl_context_destroy(context);
  }
  assert_true(found > 100 && more > found && contacts > 20 && contacts < more);
}

/* Moves b so that one node of each touch up to the rounding of floats. */
static void bring_together(pl_body *a, pl_body *b, int level, size_t node_a, size_t node_b)
{
  pl_sphere of_a[MOST_NODES], of_b[MOST_NODES];
  pl_match_state state;
  double d[3], length = 0;
  assert_int_equal(pl_body_spheres(a, level, of_a, MOST_NODES), PL_OK);
  assert_int_equal(pl_body_spheres(b, level, of_b, MOST_NODES), PL_OK);
  assert_int_equal(pl_body_match_state(b, 0, &state), PL_OK);
  for (int k = 0; k < 3; ++k) {
    d[k] = (double)of_b[node_b].centre[k] - (double)of_a[node_a].centre[k];
    length += d[k] * d[k];
  }
  length = sqrt(length);
  double move = (double)of_a[node_a].radius + (double)of_b[node_b].radius - length;
  for (int k = 0; k < 3; ++k) state.map.t[k] += move * d[k] / length;
  assert_int_equal(pl_body_set_match(b, &state.map, 1), PL_OK);
}

/* Where lanes of floats leave it open. */
static void spheres_that_barely_touch_are_decided(void **state)
{
  (void)state;
  test_rng rng = {.state = 21};
  size_t found = 0;
  for (int kind = PL_MATCH_LINEAR; kind <= PL_MATCH_QUADRATIC; ++kind) {
    pl_context *context = context_of(NULL);
    pl_body *a = ball_of(context, 4, (pl_match_kind)kind), *b = ball_of(context, 4, (pl_match_kind)kind);
    for (int step = 0; step < 80; ++step) {
      int level = step % 5;
      place(a, &rng, kind == PL_MATCH_LINEAR ? 3 : 9, 0);
      place(b, &rng, kind == PL_MATCH_LINEAR ? 3 : 9, 1.9);
      size_t node_a = (size_t)test_uniform(&rng, 0, 1 << level), node_b = (size_t)test_uniform(&rng, 0, 1 << level);
      bring_together(a, b, level, node_a, node_b);
      found += check_level(a, b, level, NULL, false);
    }
    pl_context_destroy(context);
  }
  assert_true(found > 100);
}

/* With `contacts` exactly those that are in contact without it. */
static void contacts_are_a_part_of_touches(void **state)
{
  (void)state;
  test_rng rng = {.state = 4};
  pl_context *context = context_of(NULL);
  pl_body *a = ball_of(context, 8, PL_MATCH_LINEAR), *b = ball_of(context, 8, PL_MATCH_LINEAR);
  for (int step = 0; step < 20; ++step) {
    const double margins[2] = {0.02 * (step % 4), 0.01};
    const pl_result *found;
    pl_question def = pl_question_default();
    place(a, &rng, 3, 0);
    place(b, &rng, 3, 2.1 - 0.05 * step);
    def.level = 1 + step % 6;
    def.margins = margins;
    def.margin_count = 2;
    assert_int_equal(pl_sphere_contacts(pl_two(a, b), &def, &found), PL_OK);
    size_t count = 0;
    uint64_t sum = 0;
    for (size_t i = 0; i < found->count; ++i)
      if (found->spheres[i].contact) ++count, sum += (uint64_t)found->spheres[i].a * 977 + found->spheres[i].b;
    def.contacts = true;
    assert_int_equal(pl_sphere_contacts(pl_two(a, b), &def, &found), PL_OK);
    assert_int_equal(found->count, count);
    for (size_t i = 0; i < found->count; ++i) sum -= (uint64_t)found->spheres[i].a * 977 + found->spheres[i].b;
    assert_true(sum == 0);
  }
  const double wrong[2] = {NAN, 0};
  const pl_result *found;
  pl_question def = pl_question_default();
  def.margins = wrong;
  def.margin_count = 2;
  assert_refused(context, pl_sphere_contacts(pl_two(a, b), &def, &found), PL_ERROR_ARGUMENT, "margin");
  def.margin_count = 0;
  assert_refused(context, pl_sphere_contacts(pl_two(a, b), &def, &found), PL_ERROR_ARGUMENT, "margins");
  pl_context_destroy(context);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(touches_are_those_of_rationals),
                                     cmocka_unit_test(spheres_that_barely_touch_are_decided),
                                     cmocka_unit_test(contacts_are_a_part_of_touches)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}

#else
int main(void)
{
  puts("skipped: built without GMP");
  return 0;
}
#endif
