/* tri_tri_touch: against a linear program in GMP on a million pairs of every kind, against
 * itself under what must not change the answer, and on pairs of real files that are known to
 * touch. */
#include "exact/pair_kinds.h"
#include "exact/tri_tri.h"
#include "pliant/touching.h"

#include <stdio.h>
#ifdef PLIANT_HAVE_GMP
#include "exact/oracle.h"
#endif

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
enum { PER_SHARE = 500 };
#else
#define PER_SHARE test_rounds(6000)
#endif

static void print_pair(const char *what, const triangle a, const triangle b)
{
  print_message("%s\n", what);
  for (int i = 0; i < 6; ++i) {
    const double *p = i < 3 ? a[i] : b[i - 3];
    print_message("  %c%d: %a %a %a\n", i < 3 ? 'a' : 'b', i % 3, p[0], p[1], p[2]);
  }
}

static bool finite_pair(const triangle a, const triangle b)
{
  bool finite = true;
  for (int i = 0; i < 9; ++i) finite = finite && isfinite(a[i / 3][i % 3]) && isfinite(b[i / 3][i % 3]);
  return finite;
}

/* ----------------------------------------------------------------------------- known answers -- */

static const struct known {
  const char *what;
  triangle a, b;
  bool touch;
} known[] = {
    {"crossing", {{0, 0, 0}, {4, 0, 0}, {0, 4, 0}}, {{1, 1, -1}, {1, 1, 1}, {2, 2, 1}}, true},
    {"apart, boxes overlap", {{0, 0, 0}, {4, 0, 0}, {0, 4, 0}}, {{3, 3, -1}, {3, 3, 1}, {4, 4, 0}}, false},
    {"vertex in face", {{0, 0, 0}, {4, 0, 0}, {0, 4, 0}}, {{1, 1, 0}, {1, 1, 1}, {2, 2, 1}}, true},
    {"vertex on vertex", {{0, 0, 0}, {4, 0, 0}, {0, 4, 0}}, {{4, 0, 0}, {5, 0, 1}, {5, 1, 1}}, true},
    {"edge on edge", {{0, 0, 0}, {4, 0, 0}, {0, 4, 0}}, {{1, 0, -1}, {1, 0, 1}, {1, -3, 0}}, true},
    {"coplanar, inside", {{0, 0, 0}, {8, 0, 0}, {0, 8, 0}}, {{1, 1, 0}, {2, 1, 0}, {1, 2, 0}}, true},
    {"coplanar, corner on edge", {{0, 0, 0}, {4, 0, 0}, {0, 4, 0}}, {{2, 2, 0}, {4, 2, 0}, {4, 4, 0}}, true},
    {"coplanar, apart", {{0, 0, 0}, {4, 0, 0}, {0, 4, 0}}, {{3, 2, 0}, {4, 2, 0}, {4, 4, 0}}, false},
    {"parallel planes", {{0, 0, 0}, {4, 0, 0}, {0, 4, 0}}, {{0, 0, 0x1p-1074}, {4, 0, 1}, {0, 4, 1}}, false},
    {"segment through face", {{0, 0, 0}, {4, 0, 0}, {0, 4, 0}}, {{1, 1, -1}, {1, 1, 1}, {1, 1, 0}}, true},
    {"segment ends on edge", {{0, 0, 0}, {4, 0, 0}, {0, 4, 0}}, {{2, 2, 0}, {3, 3, 0}, {2, 2, 0}}, true},
    {"segment passes by", {{0, 0, 0}, {4, 0, 0}, {0, 4, 0}}, {{3, 2, -1}, {3, 2, 1}, {3, 2, 0}}, false},
    {"segments cross", {{0, 0, 0}, {2, 2, 2}, {1, 1, 1}}, {{2, 0, 1}, {0, 2, 1}, {2, 0, 1}}, true},
    {"segments on a line, apart", {{0, 0, 0}, {2, 2, 2}, {0, 0, 0}}, {{3, 3, 3}, {5, 5, 5}, {3, 3, 3}}, false},
    {"segments on a line, overlap", {{0, 0, 0}, {2, 2, 2}, {0, 0, 0}}, {{1, 1, 1}, {5, 5, 5}, {3, 3, 3}}, true},
    {"parallel segments", {{0, 0, 0}, {2, 2, 2}, {0, 0, 0}}, {{0, 0, 1}, {2, 2, 3}, {0, 0, 1}}, false},
    {"skew segments", {{0, 0, 0}, {2, 0, 0}, {0, 0, 0}}, {{1, 0, 0x1p-1074}, {1, 1, 0}, {1, 1, 0}}, false},
    {"point in face", {{0, 0, 0}, {4, 0, 0}, {0, 4, 0}}, {{1, 1, 0}, {1, 1, 0}, {1, 1, 0}}, true},
    {"point beside edge", {{0, 0, 0}, {4, 0, 0}, {0, 4, 0}}, {{3, 2, 0}, {3, 2, 0}, {3, 2, 0}}, false},
    {"point on segment", {{1, 1, 1}, {1, 1, 1}, {1, 1, 1}}, {{0, 0, 0}, {3, 3, 3}, {2, 2, 2}}, true},
    {"point beyond segment", {{4, 4, 4}, {4, 4, 4}, {4, 4, 4}}, {{0, 0, 0}, {3, 3, 3}, {2, 2, 2}}, false},
    {"equal points", {{1, 2, 3}, {1, 2, 3}, {1, 2, 3}}, {{1, 2, 3}, {1, 2, 3}, {1, 2, 3}}, true},
    {"zeros of both signs", {{0.0, 0, 0}, {0, -0.0, 0}, {0, 0, 0}}, {{-0.0, 0, 0}, {0, 0, -0.0}, {0, 0, 0}}, true},
    {"different points", {{1, 2, 3}, {1, 2, 3}, {1, 2, 3}}, {{1, 2, 4}, {1, 2, 4}, {1, 2, 4}}, false},
    {"greatest numbers",
     {{-0x1.fffffffffffffp1023, -0x1.fffffffffffffp1023, 0},
      {0x1.fffffffffffffp1023, 0x1.fffffffffffffp1023, 0},
      {0, 1, 0}},
     {{0, 0, -0x1.fffffffffffffp1023}, {0, 0, 0x1.fffffffffffffp1023}, {0x1.fffffffffffffp1023, 0, 0}},
     true},
    {"least above greatest",
     {{-0x1.fffffffffffffp1023, 0, 0x1p-1074}, {0x1.fffffffffffffp1023, 0, 0x1p-1074}, {0, 1, 0x1p-1074}},
     {{-0x1.fffffffffffffp1023, 0, 0}, {0x1.fffffffffffffp1023, 0, 0}, {0, 1, 0}},
     false},
};

static void known_answers(void **state)
{
  for (size_t i = 0; i < sizeof known / sizeof known[0]; ++i) {
    bool touch = tri_tri_touch(known[i].a, known[i].b), again = pl_triangles_touch(known[i].b, known[i].a);
    if (touch != known[i].touch || again != known[i].touch) print_pair(known[i].what, known[i].a, known[i].b);
    assert_int_equal(touch, known[i].touch);
    assert_int_equal(again, known[i].touch);
  }
}

/* ------------------------------------------------------------------------------------ oracle -- */

#ifdef PLIANT_HAVE_GMP
static void the_oracle_knows_too(void **state)
{
  static oracle o;
  oracle_init(&o);
  for (size_t i = 0; i < sizeof known / sizeof known[0]; ++i) {
    if (oracle_touch(&o, known[i].a, known[i].b) != known[i].touch) print_pair(known[i].what, known[i].a, known[i].b);
    assert_int_equal(oracle_touch(&o, known[i].a, known[i].b), known[i].touch);
  }
  oracle_clear(&o);
}

static void agrees_with_oracle(void **state)
{
  static oracle o;
  oracle_init(&o);
  test_rng rng = {2003};
  int total = 0;
  for (int kind = 0; kind < PAIR_KINDS; ++kind) {
    int count = pair_kinds[kind].share * PER_SHARE, touching_ones = 0;
    for (int n = 0; n < count; ++n) {
      triangle a, b;
      do pair_kinds[kind].make(&rng, a, b);
      while (!finite_pair(a, b));
      bool touch = oracle_touch(&o, a, b);
      if (tri_tri_touch(a, b) != touch) print_pair(pair_kinds[kind].name, a, b);
      assert_int_equal(tri_tri_touch(a, b), touch);
      touching_ones += touch;
    }
    print_message("%-18s %7d pairs, %5.1f %% touch\n", pair_kinds[kind].name, count, 100.0 * touching_ones / count);
    assert_in_range(touching_ones, 1, count - 1);
    total += count;
  }
  print_message("%-18s %7d pairs decided in GMP\n", "all", total);
  oracle_clear(&o);
}
#endif

/* -------------------------------------------------------------------------------- properties -- */

static void permute(triangle to, const triangle from, int which)
{
  static const int order[6][3] = {{0, 1, 2}, {1, 2, 0}, {2, 0, 1}, {0, 2, 1}, {2, 1, 0}, {1, 0, 2}};
  for (int i = 0; i < 3; ++i) point_copy(to[i], from[order[which][i]]);
}

/* Axes exchanged and reflected: one of 48. */
static void exchange_axes(triangle to, const triangle from, int which)
{
  triangle columns, rows;
  for (int i = 0; i < 9; ++i) columns[i % 3][i / 3] = from[i / 3][i % 3];
  permute(rows, columns, which % 6);
  for (int i = 0; i < 9; ++i) to[i / 3][i % 3] = (which / 6 >> i % 3 & 1) ? -rows[i % 3][i / 3] : rows[i % 3][i / 3];
}

static bool scalable(double x, int exponent) { return ldexp(ldexp(x, exponent), -exponent) == x; }

/* Scaled by 2^exponent; the pair itself where that would round or overflow. */
static void scale_pair(triangle a, triangle b, int exponent)
{
  for (int i = 0; i < 9; ++i)
    if (!scalable(a[i / 3][i % 3], exponent) || !scalable(b[i / 3][i % 3], exponent)) return;
  scale_axes(a, b, (int[3]){exponent, exponent, exponent});
}

static void same_answer_however_given(void **state)
{
  test_rng rng = {1997};
  for (int kind = 0; kind < PAIR_KINDS; ++kind)
    for (int n = 0; n < PER_SHARE; ++n) {
      triangle a, b, c, d, e, f;
      do pair_kinds[kind].make(&rng, a, b);
      while (!finite_pair(a, b));
      bool touch = tri_tri_touch(a, b);
      permute(c, a, test_below(&rng, 6));
      permute(d, b, test_below(&rng, 6));
      int axes = test_below(&rng, 48);
      exchange_axes(e, c, axes);
      exchange_axes(f, d, axes);
      scale_pair(e, f, test_below(&rng, 2100) - 1050);
      if (tri_tri_touch(c, d) != touch || tri_tri_touch(d, c) != touch || tri_tri_touch(e, f) != touch)
        print_pair(pair_kinds[kind].name, a, b);
      assert_int_equal(tri_tri_touch(b, a), touch);
      assert_int_equal(tri_tri_touch(c, d), touch);
      assert_int_equal(tri_tri_touch(d, c), touch);
      assert_int_equal(tri_tri_touch(e, f), touch);
      assert_int_equal(tri_tri_touch(f, e), touch);
    }
}

/* All pairs of a grid of segments and points would be many; all orders of a few pairs are not. */
static void all_orders(void **state)
{
  for (size_t i = 0; i < sizeof known / sizeof known[0]; ++i)
    for (int n = 0; n < 36 * 48; ++n) {
      triangle a, b, c, d;
      permute(a, known[i].a, n % 6);
      permute(b, known[i].b, n / 6 % 6);
      exchange_axes(c, a, n / 36);
      exchange_axes(d, b, n / 36);
      assert_int_equal(tri_tri_touch(c, d), known[i].touch);
    }
}

/* -------------------------------------------------------------------------------- real files -- */

enum { OFF_MAX = 64 };

/* A small OFF file of triangles. */
static int read_off(const char *path, triangle *out)
{
  double vertex[OFF_MAX][3];
  int vertices, faces, edges, corner[3];
  FILE *file = fopen(path, "r");
  assert_non_null(file);
  assert_int_equal(fscanf(file, "OFF %d %d %d", &vertices, &faces, &edges), 3);
  assert_true(vertices <= OFF_MAX && faces <= OFF_MAX);
  for (int i = 0; i < vertices; ++i)
    assert_int_equal(fscanf(file, "%lf %lf %lf", &vertex[i][0], &vertex[i][1], &vertex[i][2]), 3);
  for (int i = 0; i < faces; ++i) {
    assert_int_equal(fscanf(file, " 3 %d %d %d", &corner[0], &corner[1], &corner[2]), 3);
    for (int j = 0; j < 3; ++j) {
      assert_in_range(corner[j], 0, vertices - 1);
      point_copy(out[i][j], vertex[corner[j]]);
    }
  }
  fclose(file);
  return faces;
}

static bool files_touch(const char *folder, int number)
{
  triangle mesh[2][OFF_MAX];
  int count[2];
  for (int i = 0; i < 2; ++i) {
    char name[128];
    snprintf(name, sizeof name, "nasty/cgal/%s/tr%d-%d.off", folder, number, i + 1);
    count[i] = read_off(data_path(name), mesh[i]);
  }
  for (int i = 0; i < count[0]; ++i)
    for (int j = 0; j < count[1]; ++j)
      if (tri_tri_touch(mesh[0][i], mesh[1][j])) return true;
  return false;
}

static void coplanar_files_touch(void **state)
{
  static const struct {
    const char *folder;
    int pairs;
  } sets[] = {{"coplanar_triangles", 12}, {"coplanar_triangles/simple", 8}, {"coplanar_segments", 6}};
  for (int s = 0; s < 3; ++s)
    for (int number = 1; number <= sets[s].pairs; ++number)
      if (!files_touch(sets[s].folder, number)) fail_msg("%s, pair %d", sets[s].folder, number);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(known_answers),
      cmocka_unit_test(all_orders),
      cmocka_unit_test(same_answer_however_given),
      cmocka_unit_test(coplanar_files_touch),
#ifdef PLIANT_HAVE_GMP
      cmocka_unit_test(the_oracle_knows_too),
      cmocka_unit_test(agrees_with_oracle),
#endif
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
