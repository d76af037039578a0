/* The product of settings: what it holds, and that it is noticed when something is left out. */
#include "support/product.h"

#include "support/support.h"

#include <string.h>

static product four_axes(void)
{
  product p = {0};
  static const int kinds[] = {3, 5, 2, 4};
  for (int a = 0; a < 4; ++a) product_axis(&p, "axis", kinds[a]);
  return p;
}

static void see_all_but(product *p, size_t left_out)
{
  p->seen_count = 0;
  for (size_t i = 0; i < p->row_count; ++i)
    if (i != left_out) product_saw(p, p->rows[i]);
}

static void every_pair_is_there(void **state)
{
  (void)state;
  product p = four_axes();
  product_make(&p);
  assert_true(p.row_count >= 20 && p.row_count <= 26); /* 5 x 4 at least; all would be 120 */
  see_all_but(&p, SIZE_MAX);
  assert_int_equal(product_missing(&p, NULL), 0);
  for (int x = 0; x < 3; ++x)
    for (int y = 0; y < 5; ++y) {
      bool there = false;
      for (size_t i = 0; i < p.row_count; ++i) there = there || (p.rows[i].kind[0] == x && p.rows[i].kind[1] == y);
      assert_true(there);
    }
  product_free(&p);
}

/* Axes 1 and 3 meet in 20 pairs, so that in the first 20 rows each is there once: without any of
 * them one is missing. */
static void a_missing_pair_is_found(void **state)
{
  (void)state;
  product p = four_axes();
  product_make(&p);
  size_t found = 0;
  for (size_t i = 0; i < p.row_count; ++i) {
    char what[PRODUCT_TEXT] = "";
    see_all_but(&p, i);
    size_t missing = product_missing(&p, what);
    assert_true((missing > 0) == (what[0] != 0));
    found += missing > 0;
  }
  assert_true(found >= 10);
  /* One kind of one axis is never played. */
  p.seen_count = 0;
  for (size_t i = 0; i < p.row_count; ++i)
    if (p.rows[i].kind[1] != 4) product_saw(&p, p.rows[i]);
  char what[PRODUCT_TEXT] = "";
  assert_int_equal(product_missing(&p, what), 3 + 2 + 4);
  assert_string_equal(what, "axis 0, axis 4");
  product_free(&p);
}

static void a_missing_combination_of_a_group_is_found(void **state)
{
  (void)state;
  product p = four_axes();
  product_group(&p, 1u << 0 | 1u << 1 | 1u << 3);
  product_make(&p);
  assert_int_equal(p.row_count, 60);
  see_all_but(&p, SIZE_MAX);
  assert_int_equal(product_missing(&p, NULL), 0);
  see_all_but(&p, 17);
  assert_true(product_missing(&p, NULL) > 0);
  product_free(&p);
  p = four_axes();
  product_group(&p, 0xf);
  product_make(&p);
  assert_int_equal(p.row_count, 120); /* whole */
  product_free(&p);
}

/* Kind 0 of the first axis goes with the odd kinds of the second only, kind 4 of the second is
 * not there, and kind 1 of the third wants kind 2 of the first. */
static bool some_go(const void *user, int a, int x, int b, int y)
{
  (void)user;
  if (a == 1 && b == 1) return x != 4;
  if (a == 0 && b == 1) return x != 0 || y % 2 == 1;
  if (a == 0 && b == 2) return y != 1 || x == 2;
  return true;
}

static void what_is_not_supported_is_neither_made_nor_missed(void **state)
{
  (void)state;
  product p = four_axes();
  p.supported = some_go;
  product_make(&p);
  for (size_t i = 0; i < p.row_count; ++i) {
    const int8_t *k = p.rows[i].kind;
    assert_true(k[1] != 4 && (k[0] != 0 || k[1] % 2) && (k[2] != 1 || k[0] == 2));
  }
  see_all_but(&p, SIZE_MAX);
  assert_int_equal(product_missing(&p, NULL), 0);
  product_free(&p);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(every_pair_is_there), cmocka_unit_test(a_missing_pair_is_found),
                                     cmocka_unit_test(a_missing_combination_of_a_group_is_found),
                                     cmocka_unit_test(what_is_not_supported_is_neither_made_nor_missed)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
