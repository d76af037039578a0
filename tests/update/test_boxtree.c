/* Kinetic box trees: one plane per volume, where a refit would put it. */
#include "motion/flight.h"
#include "update/kinetic.h"

#include "support/plans.h" /* after our headers: cmocka has a macro named fail */

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Box trees: every volume contains its vertices, and its plane is where a refit would put it. */
static void assert_planes(pl_body *body)
{
  uint64_t made = 0;
  const tree *t = body->tree;
  const kinetic *k = body->update->state;
  assert_int_equal(body_update(body, &made), PL_OK);
  assert_int_equal(pl_body_validate(body), PL_OK);
  double *xyz = plan_positions(body);
  for (uint32_t node = 0; node < t->nodes.inner_count; ++node)
    for (int lane = 0; lane < t->nodes.children[node]; ++lane) {
      uint32_t slot = 1 + node * (uint32_t)t->nodes.width + (uint32_t)lane, extent = kinetic_extent(k, slot),
               c = kinetic_component(k, extent), first, end;
      int32_t child = tree_children(t, node)[lane];
      uint32_t leaf = child < 0 ? (uint32_t)~child : 0, last = leaf;
      if (child >=
          0) { /* the leaves below: those of the first and of the last inner node of the subtree, and between */
        int32_t at = child;
        while (at >= 0) at = tree_children(t, (uint32_t)at)[0];
        leaf = (uint32_t)~at;
        for (at = child; at >= 0;) at = tree_children(t, (uint32_t)at)[t->nodes.children[at] - 1];
        last = (uint32_t)~at;
      }
      first = 3 * t->prims.tri_first[leaf];
      end = 3 * t->prims.tri_first[last + 1];
      double want = xyz[3 * t->prims.tri[first] + c % 3];
      for (uint32_t i = first; i < end; ++i) {
        double x = xyz[3 * t->prims.tri[i] + c % 3];
        want = c < 3 ? fmin(want, x) : fmax(want, x);
      }
      assert_true(want == xyz[3 * k->who[extent] + c % 3]);
    }
  free(xyz);
}

static void box_trees_have_one_plane_per_volume(void **state)
{
  (void)state;
  test_rng rng = {8};
  size_t found = 0;
  for (int turn = 0; turn < 2 * MOTIONS; ++turn) {
    if (turn == 2 * TINY + 1) continue; /* as above */
    pl_context *context = context_of(NULL);
    plan p = plan_of(&rng, turn / 2 < TINY ? 2 : 1, turn / 2, false);
    pl_path path = turn % 2 ? PL_PATH_QUADRATIC : PL_PATH_LINEAR;
    pl_body_def def = body_def_of(PL_STRATEGY_BOXTREE, 2 << turn % 3, 1 + turn % 8, false);
    pl_body *body = plan_body(context, &p, path, 4, &def);
    def.strategy = PL_STRATEGY_KINETIC;
    pl_body *other = plan_body(context, &p, path, 4, &def);
    for (int i = 0; i < 8; ++i) {
      assert_int_equal(pl_body_set_time(body, plan_time(&rng, body, i != 2)), PL_OK);
      assert_int_equal(pl_body_set_time(other, plan_time(&rng, other, true)), PL_OK);
      assert_planes(body);
      if (i == 3 && turn / 2 < TINY && ((flight *)body->motion.controls)->s < 1) plan_change(&rng, body, &p, 5);
      assert_planes(body);
      if (i % 3 == 0) found += assert_like_reference(body, other, "a box tree");
    }
    pl_body_info planes, boxes;
    assert_int_equal(pl_body_get_info(body, false, &planes), PL_OK);
    assert_int_equal(pl_body_get_info(other, false, &boxes), PL_OK);
    assert_true(3 * planes.kinetic_bytes < boxes.kinetic_bytes);
    pl_context_destroy(context);
    plan_free(&p);
  }
  assert_true(found > 0);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(box_trees_have_one_plane_per_volume),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
