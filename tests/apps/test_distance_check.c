/* The comparison behind `pliant distance --check`, which no right answer drives into its
 * corners. */
#include "apps/pliant/common/output.c"
#include "apps/pliant/distance/distance_write.c"
#include "scenes/ask.h"

#include "support/support.h"

/* No shards here: costs are written. */
bool shard_costs(void) { return true; }
bool shard_has_head(void) { return true; }

/* Only distances were compared: wrong triangles and points passed for right. */
static void check_finds_wrong_triangles_and_points(void **state)
{
  (void)state;
  const least_row truth = {.distance = 2, .lower = 2, .triangle_a = 3, .triangle_b = 4, .point_b = {0, 0, 2}};
  distance_options exact = {.closer = -1, .margin = -1}, about = exact;
  about.relative = 0.5;
  static const struct {
    uint32_t a, b;
    double distance, z;
    bool partial;
    const char *words; /* NULL: right */
  } cases[] = {
      {3, 4, 2, 2, false, NULL},
      {3, 4, 3, 2, false, "the distance is 3, the reference's is 2"},
      {5, 4, 2, 2, false, "it is between triangles 5 and 4, by the reference between 3 and 4"},
      {3, 5, 2, 2, false, "it is between triangles 3 and 5, by the reference between 3 and 4"},
      {3, 4, 2, 1, false, "the points on triangles 3 and 4 are not the reference's"},
      {5, 5, 3, 1, true, NULL},
  };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
    distance_frame frame = {.answer = truth};
    char difference[DISTANCE_TEXT] = "";
    frame.answer.triangle_a = cases[i].a;
    frame.answer.triangle_b = cases[i].b;
    frame.answer.distance = cases[i].distance;
    frame.answer.point_b[2] = cases[i].z;
    frame.answer.partial = cases[i].partial;
    assert_int_equal(distance_agrees(&exact, &frame, &truth, difference), cases[i].words == NULL);
    if (cases[i].words) assert_string_equal(difference, cases[i].words);
    /* any pair within the tolerance is right */
    assert_true(distance_agrees(&about, &frame, &truth, difference));
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(check_finds_wrong_triangles_and_points),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
