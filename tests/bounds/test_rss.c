/* Rectangle swept spheres: fits contain their points, and bounds of distances are below them,
 * all by brute force. */
#include "bounds/swept_support.h"

#if defined(__SANITIZE_ADDRESS__)
enum { CLOUDS = 60, PAIRS = 1500 };
#else
enum { CLOUDS = 400, PAIRS = 20000 };
#endif

static void fits_contain_their_points(void **state)
{
  (void)state;
  check_fits(PL_VOLUME_RSS, 2, 1, CLOUDS);
}

static void bounds_are_below_distances(void **state)
{
  (void)state;
  check_bounds(PL_VOLUME_RSS, 2, 2, PAIRS);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(fits_contain_their_points),
      cmocka_unit_test(bounds_are_below_distances),
  };
  return cmocka_run_group_tests_name("rss", tests, NULL, NULL);
}
