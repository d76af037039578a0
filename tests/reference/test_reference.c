/* The reference itself, on cases whose answers are known by hand: closed triangles that touch at a
 * point, along an edge, in a plane, and that miss each other by one unit of the last place. */
#include "scenes/ask.h"
#include "support/worlds.h"

#include <math.h>
#include <stdlib.h>

typedef struct two_triangles {
  double a[3][3], b[3][3];
  bool touch;
  double distance;
} two_triangles;

#define UNIT                                                                                                           \
  {                                                                                                                    \
    {0, 0, 0}, {1, 0, 0}, { 0, 1, 0 }                                                                                  \
  }

static const two_triangles cases[] = {
    {UNIT, {{0, 0, 0}, {0, 0, 1}, {-1, 0, 1}}, true, 0},                       /* a vertex in common */
    {UNIT, {{0.25, 0.25, 0}, {0.25, 0.25, 1}, {0, 0, 1}}, true, 0},            /* a vertex in a face */
    {UNIT, {{0, 0, 0}, {1, 0, 0}, {0, 0, 1}}, true, 0},                        /* an edge in common */
    {UNIT, {{0.5, -1, 0}, {0.5, 1, 0}, {3, 0, 0}}, true, 0},                   /* in one plane */
    {UNIT, {{0.5, 0.5, 0}, {1, 1, 0}, {1, 2, 0}}, true, 0},                    /* at a point of an edge */
    {UNIT, {{0.25, 0.25, -1}, {0.25, 0.25, 1}, {5, 5, 0}}, true, 0},           /* pierced */
    {UNIT, {{0.25, 0.25, 0x1p-1074}, {0, 0, 1}, {1, 0, 1}}, false, 0x1p-1074}, /* the least distance there is */
    {UNIT, {{0, 0, 2}, {1, 0, 2}, {0, 1, 2}}, false, 2},                       /* parallel */
    {UNIT, {{3, 0, 0}, {4, 0, 0}, {3, 1, 0}}, false, 2},                       /* beside it */
    {UNIT, {{1, 1, 0}, {2, 1, 0}, {2, 2, 0}}, false, 0.70710678118654757},     /* from an edge */
    {UNIT, {{2, 2, 2}, {2, 2, 2}, {2, 2, 2}}, false, 2.9154759474226504},      /* a point: (1.5, 1.5, 2) away */
    {UNIT, {{0.5, 0.5, 0}, {0.5, 0.5, 0}, {0.5, 0.5, 0}}, true, 0},            /* a point on an edge */
};
enum { CASES = sizeof cases / sizeof *cases };

static pl_body *body_of(pl_context *context, const double xyz[3][3])
{
  static const uint32_t triangle[3] = {0, 1, 2};
  pl_mesh_def mesh = pl_mesh_def_default();
  mesh.positions = pl_positions_f64(xyz[0], 3);
  mesh.triangles = triangle;
  mesh.triangle_count = 1;
  pl_body *body;
  assert_int_equal(pl_body_create_free(context, &mesh, NULL, &body), PL_OK);
  return body;
}

static void two_triangles_by_hand(void **state)
{
  (void)state;
  pl_context *context = context_of(NULL);
  for (int i = 0; i < CASES; ++i)
    for (int swap = 0; swap < 2; ++swap) {
      pl_body *a = body_of(context, swap ? cases[i].b : cases[i].a),
              *b = body_of(context, swap ? cases[i].a : cases[i].b);
      const pl_result *pairs;
      least_row least;
      assert_int_equal(refer_touching(pl_two(a, b), NULL, &pairs), PL_OK);
      if (pairs->count != cases[i].touch) fail_msg("case %d: %zu pairs", i, pairs->count);
      assert_int_equal(refer_least(pl_two(a, b), NULL, &least), PL_OK);
      if (fabs(least.distance - cases[i].distance) > 4e-16 * cases[i].distance)
        fail_msg("case %d: distance %.17g", i, least.distance);
      pl_body_destroy(a);
      pl_body_destroy(b);
    }
  pl_context_destroy(context);
}

/* Three triangles around a vertex, and one that pierces the first: within one body. */
static void one_body_by_hand(void **state)
{
  (void)state;
  static const double xyz[9][3] = {{0, 0, 0},    {1, 0, 0},   {0, 1, 0}, {-1, 0, 0}, {0, -1, 0},
                                   {.3, .3, -1}, {.3, .3, 1}, {5, 5, 0}, {9, 9, 9}};
  static const uint32_t triangles[] = {0, 1, 2, 0, 2, 3, 0, 3, 4, 5, 6, 7};
  pl_context *context = context_of(NULL);
  pl_mesh_def mesh = pl_mesh_def_default();
  mesh.positions = pl_positions_f64(xyz[0], 9);
  mesh.triangles = triangles;
  mesh.triangle_count = 4;
  pl_body *body;
  assert_int_equal(pl_body_create_free(context, &mesh, NULL, &body), PL_OK);
  const pl_result *pairs;
  pl_question def = pl_question_default();
  assert_int_equal(refer_touching(pl_self(body), &def, &pairs), PL_OK);
  assert_int_equal(pairs->count, 1); /* neighbours share a vertex */
  assert_true(pairs->pairs[0].a == 0 && pairs->pairs[0].b == 3);
  def.rings = 0; /* neighbours are pairs where they overlap beyond what they share: nowhere */
  assert_int_equal(refer_touching(pl_self(body), &def, &pairs), PL_OK);
  assert_int_equal(pairs->count, 1);
  pl_context_destroy(context);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(two_triangles_by_hand), cmocka_unit_test(one_body_by_hand)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
