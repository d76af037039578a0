/* Builders: the invariants of build.h on every kind of mesh, full trees of the median, connected
 * patches of the partition. */
#include "build/median.h"
#include "io/io.h"
#include "mesh/mesh.h"

#include "build/build_support.h"

#include <stdio.h>
#include <string.h>

/* ------------------------------------------------------------------------------- all of them -- */

/* Every builder, cut, arity and leaf size. */
static void check_all_options(pl_context *context, const shape *s)
{
  for (int cut = 0; cut < PL_CUT_COUNT; ++cut)
    for (int arity = 2; arity <= 8; arity *= 2)
      for (int leaf = 1; leaf <= 8; ++leaf)
        for (int b = 0; b < PL_BUILDER_COUNT; ++b) {
          if (b != PL_BUILDER_SPLIT && cut != PL_CUT_MEDIAN) continue; /* knows no cut */
          build_input in = make_input(context, s, (pl_cut)cut, arity, leaf);
          build_and_check(&in, (pl_builder)b);
        }
}

static void invariants_on_surfaces(void **state)
{
  (void)state;
  pl_context *context = make_context();
  shape shapes[] = {make_sphere(9), make_grid(17, 11, false), make_grid(200, 1, true), make_star(20, 9),
                    make_grid(1, 1, false)};
  for (size_t i = 0; i < sizeof shapes / sizeof *shapes; ++i) {
    check_all_options(context, &shapes[i]);
    shape_free(&shapes[i]);
  }
  pl_context_destroy(context);
}

static void invariants_on_soups(void **state)
{
  (void)state;
  pl_context *context = make_context();
  for (int kind = 0; kind < SOUP_KINDS; ++kind) {
    shape s = make_soup((soup)kind, 777);
    check_all_options(context, &s);
    shape_free(&s);
  }
  pl_context_destroy(context);
}

static void invariants_on_few_triangles(void **state)
{
  (void)state;
  pl_context *context = make_context();
  for (size_t count = 1; count <= 20; ++count) {
    shape s = make_soup(count % 2 ? SOUP_RANDOM : SOUP_COPIES, count);
    check_all_options(context, &s);
    shape_free(&s);
  }
  pl_context_destroy(context);
}

/* Exponentially spaced triangles make centre and mean cuts peel one after the other: the limit
 * must hold all the same. */
static void depth_stays_within_the_limit(void **state)
{
  (void)state;
  pl_context *context = make_context();
  shape s = make_soup(SOUP_EXPONENTIAL, 6000);
  int deepest = 0;
  for (int cut = 0; cut < PL_CUT_COUNT; ++cut)
    for (int arity = 2; arity <= 8; arity *= 2) {
      build_input in = make_input(context, &s, (pl_cut)cut, arity, 1);
      tree_facts facts = build_and_check(&in, PL_BUILDER_SPLIT);
      if (facts.depth == build_depth_limit(s.count, arity)) ++deepest;
    }
  assert_true(deepest > 0); /* the limit was in the way */
  shape_free(&s);
  for (size_t n = 1; n <= (size_t)1 << 30; n = 2 * n + 1)
    for (int arity = 2; arity <= 8; arity *= 2) {
      assert_true(build_depth_limit(n, arity) <= 64);
      assert_true(build_depth_limit(n, arity) >= build_full_levels(n, arity));
    }
  assert_int_equal(build_full_levels(1, 2), 0);
  assert_int_equal(build_full_levels(8, 8), 1);
  assert_int_equal(build_full_levels(9, 8), 2);
  pl_context_destroy(context);
}

/* -------------------------------------------------------------------------------- the median -- */

/* As few leaves as can be, and no level more than a full tree has. */
static void median_fills_the_tree(void **state)
{
  (void)state;
  pl_context *context = make_context();
  test_rng rng = {3};
  for (int round = 0; round < 60; ++round) {
    size_t count = 1 + (size_t)test_below(&rng, 3000);
    shape s = make_soup(round % 2 ? SOUP_RANDOM : SOUP_LINE, count);
    int arity = 2 << test_below(&rng, 3), leaf = 1 + test_below(&rng, 8);
    build_input in = make_input(context, &s, PL_CUT_MEDIAN, arity, leaf);
    tree_facts facts = build_and_check(&in, PL_BUILDER_SPLIT);
    size_t leaves = (count + (size_t)leaf - 1) / (size_t)leaf, inner = 0;
    assert_int_equal(facts.leaves, leaves);
    assert_int_equal(facts.depth, build_full_levels(leaves, arity));
    for (size_t nodes = leaves; nodes > 1;) inner += nodes = (nodes + (size_t)arity - 1) / (size_t)arity;
    assert_true(facts.inner <= inner); /* of a tree filled level by level */
    shape_free(&s);
  }
  pl_context_destroy(context);
}

static void median_of_20480_is_full(void **state)
{
  (void)state;
  pl_context *context = make_context();
  shape s = make_grid(128, 80, false);
  assert_int_equal(s.count, 20480);
  build_input in = make_input(context, &s, PL_CUT_MEDIAN, 8, 8);
  build_result r;
  assert_int_equal(build_split(&in, &r), PL_OK);
  assert_int_equal(r.nodes.data[0].children, 5);
  for (size_t i = 1; i < r.nodes.count; ++i) {
    build_node n = r.nodes.data[i];
    if (n.children) assert_int_equal(n.children, 8);
    if (!n.children) assert_int_equal(n.end - n.begin, 8);
  }
  build_free(context, &r);
  in = make_input(context, &s, PL_CUT_MEDIAN, 2, 1);
  assert_int_equal(build_split(&in, &r), PL_OK);
  assert_int_equal(r.nodes.data[1].end, 10240); /* two children: half each */
  build_free(context, &r);
  shape_free(&s);
  pl_context_destroy(context);
}

/* The first `left` are the least, whatever the order before. */
static void selection_selects(void **state)
{
  (void)state;
  test_rng rng = {5};
  for (int round = 0; round < 3000; ++round) {
    build_item items[40];
    size_t count = 1 + (size_t)test_below(&rng, 40), left = (size_t)test_below(&rng, (int)count + 1);
    int values = 1 + test_below(&rng, 40);
    for (size_t i = 0; i < count; ++i)
      items[i] = (build_item){{0, test_below(&rng, values), 0}, (uint32_t)((i * 17) % 41)};
    items_select(items, count, left, 1);
    for (size_t i = 0; i < left; ++i)
      for (size_t k = left; k < count; ++k) {
        bool ordered = items[i].mid[1] < items[k].mid[1] ||
                       (items[i].mid[1] == items[k].mid[1] && items[i].triangle < items[k].triangle);
        assert_true(ordered);
      }
  }
}

/* Boxes are cut at the place that was asked for. */
static void centre_and_mean_cut_where_they_say(void **state)
{
  (void)state;
  pl_context *context = make_context();
  shape s = shape_make(3 * 10, 10);
  const double last[] = {49, 51, 100};
  for (int t = 0; t < 10; ++t) { /* seven near 0: the centre is 50, the mean about 20 */
    double x = t < 7 ? 0.1 * t : last[t - 7];
    uint32_t a = add_vertex(&s, x, 0, 0), b = add_vertex(&s, x, 1, 0), c = add_vertex(&s, x, 0, 1);
    add_triangle(&s, a, b, c);
  }
  build_result r;
  build_input in = make_input(context, &s, PL_CUT_CENTRE, 2, 1);
  assert_int_equal(build_split(&in, &r), PL_OK);
  assert_int_equal(r.nodes.data[1].end, 8);
  build_free(context, &r);
  in.cut = PL_CUT_MEAN;
  assert_int_equal(build_split(&in, &r), PL_OK);
  assert_int_equal(r.nodes.data[1].end, 7);
  build_free(context, &r);
  shape_free(&s);
  pl_context_destroy(context);
}

/* Corners at the greatest double: midpoints and extents are numbers, and in the right place. */
static void midpoints_do_not_overflow(void **state)
{
  (void)state;
  pl_context *context = make_context();
  shape s = shape_make(6, 2);
  for (int v = 0; v < 6; ++v) add_vertex(&s, v < 3 ? DBL_MAX : -DBL_MAX, DBL_MAX, v);
  add_triangle(&s, 0, 1, 2);
  add_triangle(&s, 3, 4, 5);
  build_input in = make_input(context, &s, PL_CUT_MEDIAN, 2, 1);
  build_item *items = items_create(&in);
  assert_non_null(items);
  for (int t = 0; t < 2; ++t)
    for (int i = 0; i < 3; ++i) assert_true(isfinite(items[t].mid[i]));
  assert_true(fabs(items[1].mid[2] - 4) < 1e-9);
  double half[3];
  items_half_extent(items, 2, half);
  assert_true(isfinite(half[0]) && half[0] > DBL_MAX / 2 && half[1] == 0 && longest_axis(half) == 0);
  mem_free(&context->def.allocator, items);
  shape_free(&s);
  pl_context_destroy(context);
}

static void same_input_same_tree(void **state)
{
  (void)state;
  pl_context *context = make_context();
  shape s = make_sphere(20);
  for (int b = 0; b < PL_BUILDER_COUNT; ++b)
    for (int cut = 0; cut < PL_CUT_COUNT; ++cut) {
      build_input in = make_input(context, &s, (pl_cut)cut, 8, 4);
      build_result one, two;
      assert_int_equal(build_structure((pl_builder)b, &in, &one), PL_OK);
      assert_int_equal(build_structure((pl_builder)b, &in, &two), PL_OK);
      assert_int_equal(one.nodes.count, two.nodes.count);
      assert_memory_equal(one.order, two.order, s.count * sizeof *one.order);
      for (size_t i = 0; i < one.nodes.count; ++i) assert_int_equal(one.nodes.data[i].next, two.nodes.data[i].next);
      build_free(context, &one);
      build_free(context, &two);
    }
  shape_free(&s);
  pl_context_destroy(context);
}

/* ----------------------------------------------------------------------------- the partition -- */

/* A connected mesh: no node falls apart, and little room is wasted. Small leaves cannot all be
 * full: a triangle with its three neighbours does not come apart into connected pairs. waste:
 * leaves beyond the least, 0: not asked. */
static void expect_connected(pl_context *context, const shape *s, int arity, int leaf, double waste)
{
  build_input in = make_input(context, s, PL_CUT_MEDIAN, arity, leaf);
  build_result r;
  assert_int_equal(build_partition(&in, &r), PL_OK);
  tree_facts facts = check_tree(&in, &r);
  assert_int_equal(count_disconnected(&in, &r), 0);
  if (waste > 0) {
    size_t leaves = (s->count + (size_t)leaf - 1) / (size_t)leaf;
    assert_true((double)facts.leaves <= (1 + waste) * (double)leaves + 2);
    assert_true(facts.depth <= build_full_levels(leaves, arity) + 4);
  }
  build_free(context, &r);
}

static void patches_are_connected(void **state)
{
  (void)state;
  pl_context *context = make_context();
  shape shapes[] = {make_sphere(16), make_grid(31, 23, false), make_grid(400, 2, true), make_grid(2000, 1, false)};
  for (size_t i = 0; i < sizeof shapes / sizeof *shapes; ++i) {
    for (int arity = 2; arity <= 8; arity *= 2)
      for (int leaf = 1; leaf <= 8; ++leaf) expect_connected(context, &shapes[i], arity, leaf, leaf == 8 ? 0.1 : 0.35);
    shape_free(&shapes[i]);
  }
  pl_context_destroy(context);
}

/* Arms that meet in one edge stay in one piece as long as they touch it. */
static void patches_of_a_star_are_connected(void **state)
{
  (void)state;
  pl_context *context = make_context();
  for (uint32_t arms = 3; arms <= 300; arms *= 10) {
    shape s = make_star(arms, 30);
    for (int arity = 2; arity <= 8; arity *= 2) expect_connected(context, &s, arity, 8, 0);
    shape_free(&s);
  }
  pl_context_destroy(context);
}

/* Two spheres that overlap in space: the root's descendants hold one or the other as soon as
 * they are a part's size. */
static void parts_are_kept_apart(void **state)
{
  (void)state;
  pl_context *context = make_context();
  shape s = make_two_spheres(12);
  for (int arity = 2; arity <= 8; arity *= 2) {
    build_input in = make_input(context, &s, PL_CUT_MEDIAN, arity, 8);
    build_result r;
    assert_int_equal(build_partition(&in, &r), PL_OK);
    check_tree(&in, &r);
    assert_int_equal(count_disconnected(&in, &r), 1); /* the root, which must be */
    build_free(context, &r);
  }
  shape_free(&s);
  pl_context_destroy(context);
}

/* A soup has no edges to go by: the partition is then the median cut. */
static void soup_is_cut_at_the_median(void **state)
{
  (void)state;
  pl_context *context = make_context();
  shape s = make_soup(SOUP_RANDOM, 3000);
  for (int arity = 2; arity <= 8; arity *= 2) {
    build_input in = make_input(context, &s, PL_CUT_MEDIAN, arity, 8);
    tree_facts facts = build_and_check(&in, PL_BUILDER_PARTITION), full = build_and_check(&in, PL_BUILDER_SPLIT);
    assert_int_equal(facts.leaves, full.leaves);
    assert_int_equal(facts.inner, full.inner);
    assert_int_equal(facts.depth, full.depth);
  }
  shape_free(&s);
  pl_context_destroy(context);
}

static void patches_of_real_meshes_are_connected(void **state)
{
  (void)state;
  const char *const paths[] = {"static/cow.obj", "static/spot.obj", "static/rocker-arm.obj",
                               "static/stanford-bunny.obj", "static/armadillo.obj"};
  data_needed();
  pl_context *context = make_context();
  for (size_t i = 0; i < sizeof paths / sizeof *paths; ++i) {
    io_mesh file;
    io_error error;
    if (!io_mesh_read(data_path(paths[i]), &file, &error)) fail_msg("%s", error.text);
    shape s = {file.xyz, file.triangles, file.vertex_count, file.triangle_count};
    for (int arity = 2; arity <= 8; arity *= 2) {
      if (s.count > 30000 && arity != 8) continue; /* time */
      expect_connected(context, &s, arity, 8, 0.1);
      if (s.count < 10000) expect_connected(context, &s, arity, 1, 0.01);
    }
    io_mesh_free(&file);
  }
  pl_context_destroy(context);
}

/* A book of very many pages on one edge: an edge with k triangles must not cost k^2. */
static void crowded_edges_cost_no_more(void **state)
{
  (void)state;
  pl_context *context = make_context();
  shape s = make_star(40000, 1);
  build_input in = make_input(context, &s, PL_CUT_MEDIAN, 8, 8);
  build_and_check(&in, PL_BUILDER_PARTITION);
  shape_free(&s);
  pl_context_destroy(context);
}

/* ------------------------------------------------------------------------------------ memory -- */

static void survives_any_failing_allocation(void **state)
{
  (void)state;
  failing f = {.until = -1};
  pl_context_def def = pl_context_def_default();
  def.allocator = (pl_allocator){&f, failing_allocate, failing_release};
  pl_context *context;
  assert_int_equal(pl_context_create(&def, &context), PL_OK);
  shape s = make_sphere(8);
  long before = f.live;
  for (int b = 0; b < PL_BUILDER_COUNT; ++b)
    for (int cut = 0; cut < PL_CUT_COUNT; ++cut) {
      build_input in = make_input(context, &s, (pl_cut)cut, 4, 1);
      pl_status status = PL_ERROR_MEMORY;
      long n = 0;
      for (; status != PL_OK; ++n) {
        f.until = n;
        build_result r;
        status = build_structure((pl_builder)b, &in, &r);
        assert_true(status == PL_OK || status == PL_ERROR_MEMORY);
        if (status != PL_OK) assert_true(!r.order && !r.nodes.data && r.nodes.count == 0);
        build_free(context, &r);
        assert_int_equal(f.live, before);
      }
      assert_true(n > 3);
    }
  f.until = -1;
  build_input in = make_input(context, &s, PL_CUT_MEDIAN, 4, 1);
  build_result r;
  assert_int_equal(build_structure(PL_BUILDER_COUNT, &in, &r), PL_ERROR_ARGUMENT);
  assert_null(r.order);
  shape_free(&s);
  pl_context_destroy(context);
  assert_int_equal(f.live, 0);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(invariants_on_surfaces),
      cmocka_unit_test(invariants_on_soups),
      cmocka_unit_test(invariants_on_few_triangles),
      cmocka_unit_test(depth_stays_within_the_limit),
      cmocka_unit_test(median_fills_the_tree),
      cmocka_unit_test(median_of_20480_is_full),
      cmocka_unit_test(selection_selects),
      cmocka_unit_test(centre_and_mean_cut_where_they_say),
      cmocka_unit_test(midpoints_do_not_overflow),
      cmocka_unit_test(same_input_same_tree),
      cmocka_unit_test(patches_are_connected),
      cmocka_unit_test(patches_of_a_star_are_connected),
      cmocka_unit_test(parts_are_kept_apart),
      cmocka_unit_test(soup_is_cut_at_the_median),
      cmocka_unit_test(patches_of_real_meshes_are_connected),
      cmocka_unit_test(crowded_edges_cost_no_more),
      cmocka_unit_test(survives_any_failing_allocation),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
