/* The builder `matching`: level sizes, connected patches, meshes in parts, and memory that runs
 * out. */
#include "build/matching.h"
#include "io/io.h"

#include "build/build_support.h"
#include "support/worlds.h"

#include <string.h>

/* ------------------------------------------------------------------------------------ levels -- */

/* Builds, checks the tree, and tells how it went. */
static matching_facts build_facts(const build_input *in, tree_facts *tree, size_t *disconnected)
{
  build_result r;
  matching_facts facts;
  assert_int_equal(build_matching_facts(in, &r, &facts), PL_OK);
  tree_facts made = check_tree(in, &r);
  if (tree) *tree = made;
  if (disconnected) *disconnected = count_disconnected(in, &r);
  build_free(in->context, &r);
  return facts;
}

/* A connected mesh: level h has ceil(n / 2^h) nodes, at most one is single, and leaves are full. */
static void expect_halves(pl_context *context, const shape *s, double most_apart)
{
  uint32_t apart = 0;
  for (int arity = 2; arity <= 8; arity *= 2)
    for (int leaf = 1; leaf <= 8; leaf *= 2) {
      build_input in = make_input(context, s, PL_CUT_MEDIAN, arity, leaf);
      tree_facts tree;
      size_t disconnected;
      matching_facts facts = build_facts(&in, &tree, &disconnected);
      size_t nodes = s->count;
      assert_int_equal(facts.parts, 1);
      assert_int_equal(facts.levels, build_full_levels(s->count, 2));
      apart = 0;
      for (int h = 0; h < facts.levels; ++h, nodes = (nodes + 1) / 2) {
        assert_int_equal(facts.nodes[h], nodes);
        assert_int_equal(facts.single[h], nodes % 2);
        apart += facts.apart[h];
      }
      size_t leaves = (s->count + (size_t)leaf - 1) / (size_t)leaf;
      assert_int_equal(tree.leaves, leaves);
      assert_int_equal(tree.depth, build_full_levels(leaves, arity));
      if (apart == 0) assert_int_equal(disconnected, 0);
      assert_true((double)disconnected <= 2 * most_apart * (double)s->count);
    }
  assert_true(apart <= most_apart * (double)s->count);
}

static void levels_are_halves(void **state)
{
  (void)state;
  pl_context *context = make_context();
  shape shapes[] = {make_sphere(16),           make_sphere(5),          make_grid(31, 23, false),
                    make_grid(400, 2, true),   make_grid(999, 1, true), make_grid(1, 1, false),
                    make_grid(128, 80, false), make_star(1, 77),        make_star(2, 33)};
  for (size_t i = 0; i < sizeof shapes / sizeof *shapes; ++i) {
    expect_halves(context, &shapes[i], 0);
    shape_free(&shapes[i]);
  }
  pl_context_destroy(context);
}

/* Arms that meet in one edge, and a sphere with holes and frayed edges: not every pair can be of
 * neighbours, but level sizes are the same. */
static void levels_are_halves_where_pairs_must_be_apart(void **state)
{
  (void)state;
  pl_context *context = make_context();
  for (uint32_t arms = 3; arms <= 300; arms *= 10) {
    shape s = make_star(arms, 31);
    expect_halves(context, &s, 0.1);
    shape_free(&s);
  }
  /* A triangle on every edge of a triangle, and again: a tree of degree 3. */
  shape s = shape_make(3 + 3 * 255, 1 + 3 * 255);
  for (int v = 0; v < 3; ++v) add_vertex(&s, v == 1, v == 2, 0);
  add_triangle(&s, 0, 1, 2);
  for (size_t t = 0; s.count < 1 + 3 * 255; ++t)
    for (int e = t == 0 ? 0 : 1; e < 3; ++e) {
      uint32_t a = s.triangles[3 * t + (size_t)e], b = s.triangles[3 * t + (size_t)(e + 1) % 3];
      add_triangle(&s, b, a, add_vertex(&s, (double)s.count, (double)t, 1));
    }
  expect_halves(context, &s, 1);
  shape_free(&s);
  pl_context_destroy(context);
}

static void levels_of_real_meshes_are_halves(void **state)
{
  (void)state;
  data_needed();
  const char *const paths[] = {"static/cow.obj", "static/spot.obj", "static/stanford-bunny.obj"};
  pl_context *context = make_context();
  for (size_t i = 0; i < sizeof paths / sizeof *paths; ++i) {
    io_mesh file;
    io_error error;
    if (!io_mesh_read(data_path(paths[i]), &file, &error)) fail_msg("%s", error.text);
    shape s = {file.xyz, file.triangles, file.vertex_count, file.triangle_count};
    if (s.count < 30000) expect_halves(context, &s, 0.0005);
    build_input in = make_input(context, &s, PL_CUT_MEDIAN, 8, 8);
    matching_facts facts = build_facts(&in, NULL, NULL);
    for (int h = 0; h < facts.levels; ++h) assert_true(facts.single[h] <= 1);
    io_mesh_free(&file);
  }
  pl_context_destroy(context);
}

/* ------------------------------------------------------------------------------------- cells -- */

/* A square of n x n quads of two triangles each, every one of which is subdivided `levels`
 * times; its triangles stand together. */
static shape make_cells(uint32_t n, int levels)
{
  uint32_t parts = 1u << levels, side = n * parts + 1;
  shape s = {.vertices = (size_t)side * side, .count = (size_t)2 * n * n * parts * parts};
  s.xyz = malloc(3 * s.vertices * sizeof *s.xyz);
  s.triangles = malloc(3 * s.count * sizeof *s.triangles);
  for (uint32_t v = 0; v < s.vertices; ++v) {
    s.xyz[3 * v] = v % side;
    s.xyz[3 * v + 1] = v / side;
    s.xyz[3 * v + 2] = 0;
  }
  uint32_t *to = s.triangles;
  for (uint32_t cell = 0; cell < 2 * n * n; ++cell) {
    uint32_t origin = (cell / 2 % n + cell / 2 / n * side) * parts, far = origin + parts * (side + 1);
    for (uint32_t i = 0; i < parts; ++i)
      for (uint32_t j = 0; i + j < parts; ++j) { /* the second triangle is the first one turned around */
        uint32_t up[3] = {i + j * side, i + 1 + j * side, i + (j + 1) * side};
        uint32_t down[3] = {i + 1 + j * side, i + 1 + (j + 1) * side, i + (j + 1) * side};
        for (int k = 0; k < 3; ++k) *to++ = cell % 2 ? far - up[k] : origin + up[k];
        for (int k = 0; k < 3 && i + j + 1 < parts; ++k) *to++ = cell % 2 ? far - down[k] : origin + down[k];
      }
  }
  return s;
}

/* Nodes of at most two cells' triangles that have triangles of more than two. */
static size_t count_mixed(const build_input *in, size_t together)
{
  build_result r;
  matching_facts facts;
  size_t mixed = 0;
  assert_int_equal(build_matching_facts(in, &r, &facts), PL_OK);
  check_tree(in, &r);
  for (size_t i = 0; i < r.nodes.count; ++i) {
    const build_node *node = &r.nodes.data[i];
    size_t seen[2] = {SIZE_MAX, SIZE_MAX}, cells = 0;
    if (node->end - node->begin > 2 * together) continue;
    for (uint32_t k = node->begin; k < node->end; ++k) {
      size_t cell = r.order[k] / together;
      if (cell == seen[0] || cell == seen[1]) continue;
      if (cells < 2) seen[cells] = cell;
      ++cells;
    }
    mixed += cells > 2;
  }
  build_free(in->context, &r);
  return mixed;
}

/* Patches of control triangles keep their borders; without, about a third of the nodes do not. */
static void cells_keep_their_borders(void **state)
{
  (void)state;
  pl_context *context = make_context();
  for (int levels = 1; levels <= 4; ++levels) {
    shape s = make_cells(8, levels);
    size_t together = (size_t)1 << 2 * levels;
    build_input in = make_input(context, &s, PL_CUT_MEDIAN, 8, 8);
    size_t without = count_mixed(&in, together);
    in.together = together;
    size_t with = count_mixed(&in, together);
    print_message("%d levels: %zu nodes with triangles of three cells, %zu without\n", levels, with, without);
    assert_int_equal(with, 0);
    assert_true(levels == 1 || without > 0);
    shape_free(&s);
  }
  pl_context_destroy(context);
}

/* ------------------------------------------------------------------------------------- parts -- */

/* Two spheres, one in the other: no node but the root has triangles of both. */
static void parts_are_joined_at_the_end(void **state)
{
  (void)state;
  pl_context *context = make_context();
  shape s = make_two_spheres(16);
  for (int arity = 2; arity <= 8; arity *= 2) {
    build_input in = make_input(context, &s, PL_CUT_MEDIAN, arity, 8);
    size_t disconnected;
    matching_facts facts = build_facts(&in, NULL, &disconnected);
    assert_int_equal(facts.parts, 2);
    assert_int_equal(disconnected, 1);
  }
  shape_free(&s);
  pl_context_destroy(context);
}

/* A soup is nothing but parts: they are joined by place into full leaves and no deeper than need
 * be. */
static void soups_fill_the_tree(void **state)
{
  (void)state;
  pl_context *context = make_context();
  for (int kind = 0; kind < SOUP_KINDS; ++kind) {
    if (kind == SOUP_COPIES) continue; /* these are connected */
    shape s = make_soup((soup)kind, 3001);
    for (int arity = 2; arity <= 8; arity *= 2)
      for (int leaf = 1; leaf <= 8; leaf *= 2) {
        build_input in = make_input(context, &s, PL_CUT_MEDIAN, arity, leaf);
        tree_facts tree;
        matching_facts facts = build_facts(&in, &tree, NULL);
        size_t leaves = (s.count + (size_t)leaf - 1) / (size_t)leaf;
        assert_int_equal(facts.levels, 0);
        assert_int_equal(facts.parts, s.count);
        assert_int_equal(tree.leaves, leaves);
        assert_int_equal(tree.depth, build_full_levels(leaves, arity));
      }
    shape_free(&s);
  }
  pl_context_destroy(context);
}

/* Strips of 1, 2, 4, .. triangles at exponentially growing places, and very many small parts
 * beside a large one: dividing by weight is uneven there, and the depth must stay within its
 * limit. */
static void uneven_parts_stay_within_the_limit(void **state)
{
  (void)state;
  pl_context *context = make_context();
  for (int kind = 0; kind < 3; ++kind) {
    uint32_t strips = kind == 0 ? 12 : 900;
    shape s = shape_make(40000, 20000);
    for (uint32_t p = 0; p < strips; ++p) {
      uint32_t length = kind == 0 ? 1u << p : kind == 1 ? (p == 450 ? 4096 : 1) : 1 + p % 7;
      double x = kind == 0 ? ldexp(1, (int)p) : (double)p, y = kind == 2 ? (double)(p * p % 31) : 0;
      for (uint32_t k = 0; k < length + 2; ++k) {
        uint32_t v = add_vertex(&s, x + 0.01 * (k % 2), y + 0.01 * k, 0);
        if (k >= 2) add_triangle(&s, v - 2, v - 1, v);
      }
    }
    for (int arity = 2; arity <= 8; arity *= 2)
      for (int leaf = 1; leaf <= 8; ++leaf) {
        build_input in = make_input(context, &s, PL_CUT_MEDIAN, arity, leaf);
        matching_facts facts = build_facts(&in, NULL, NULL); /* checks the limit */
        assert_int_equal(facts.parts, strips);
      }
    shape_free(&s);
  }
  pl_context_destroy(context);
}

/* Triangles of one vertex, of two, and copies of one triangle: no edges, edges that a triangle
 * has twice, links of three edges. */
static void degenerate_triangles_are_paired(void **state)
{
  (void)state;
  pl_context *context = make_context();
  for (int kind = 0; kind < 4; ++kind) {
    shape s = shape_make(40, 60);
    for (int v = 0; v < 40; ++v) add_vertex(&s, kind == 3 ? 0 : v, kind == 3 ? 0 : v % 7, 0);
    for (uint32_t t = 0; t < 37; ++t) add_triangle(&s, t, kind == 0 ? t : t + 1, kind == 0 ? t : kind == 1 ? t : t + 2);
    for (uint32_t t = 0; t < 20; ++t) add_triangle(&s, 3, 4, 5);
    for (int arity = 2; arity <= 8; arity *= 2)
      for (int leaf = 1; leaf <= 8; ++leaf) {
        build_input in = make_input(context, &s, PL_CUT_MEDIAN, arity, leaf);
        matching_facts facts = build_facts(&in, NULL, NULL);
        for (int h = 0; h < facts.levels; ++h) assert_true(facts.single[h] <= facts.parts);
      }
    shape_free(&s);
  }
  pl_context_destroy(context);
}

/* An edge with very many triangles must not cost their square, nor must as many parts. */
static void crowds_cost_no_more(void **state)
{
  (void)state;
  pl_context *context = make_context();
  shape shapes[] = {make_star(40000, 1), make_soup(SOUP_RANDOM, 40000), make_soup(SOUP_COPIES, 40000)};
  for (size_t i = 0; i < sizeof shapes / sizeof *shapes; ++i) {
    build_input in = make_input(context, &shapes[i], PL_CUT_MEDIAN, 8, 8);
    build_facts(&in, NULL, NULL);
    shape_free(&shapes[i]);
  }
  pl_context_destroy(context);
}

/* ------------------------------------------------------------------------------------ bodies -- */

/* The same tree answers for poses far from the one it was made in. */
static void answers_are_the_references(void **state)
{
  (void)state;
  pl_context *context = make_context();
  size_t pairs = 0;
  for (int kind = 0; kind < WORLD_COUNT; ++kind) {
    world w;
    world_create(kind, 1, &w);
    pl_body_def def = pl_body_def_default();
    def.builder = PL_BUILDER_MATCHING;
    pl_body *bodies[2];
    w.pose(&w, 0);
    world_bodies(&w, context, &def, true, bodies);
    for (int step = 0; step < w.steps; ++step) {
      w.pose(&w, step);
      world_set(&w, true, bodies);
      pairs += assert_like_reference(bodies[0], bodies[1], w.name);
      for (int b = 0; b < 2; ++b) assert_valid(bodies[b], context, w.name);
    }
    for (int b = 0; b < 2; ++b) pl_body_destroy(bodies[b]);
    world_free(&w);
  }
  assert_true(pairs > 0);
  assert_string_equal(pl_word(PL_WORDS_BUILDER, PL_BUILDER_MATCHING), "matching");
  pl_context_destroy(context);
}

/* Every allocation fails once, for a connected mesh and for one in parts. */
static void survives_any_failing_allocation(void **state)
{
  (void)state;
  failing f = {.until = -1};
  pl_context_def def = pl_context_def_default();
  def.allocator = (pl_allocator){&f, failing_allocate, failing_release};
  pl_context *context;
  assert_int_equal(pl_context_create(&def, &context), PL_OK);
  shape shapes[] = {make_sphere(8), make_soup(SOUP_RANDOM, 100)};
  long before = f.live;
  for (int i = 0; i < 2; ++i) {
    build_input in = make_input(context, &shapes[i], PL_CUT_MEDIAN, 4, 1);
    pl_status status = PL_ERROR_MEMORY;
    long n = 0;
    for (; status != PL_OK; ++n) {
      f.until = n;
      build_result r;
      status = build_matching(&in, &r);
      assert_true(status == PL_OK || status == PL_ERROR_MEMORY);
      if (status != PL_OK) assert_true(!r.order && !r.nodes.data && r.nodes.count == 0);
      build_free(context, &r);
      assert_int_equal(f.live, before);
    }
    assert_true(n > 20);
    f.until = -1;
    shape_free(&shapes[i]);
  }
  pl_context_destroy(context);
  assert_int_equal(f.live, 0);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(levels_are_halves),
      cmocka_unit_test(levels_are_halves_where_pairs_must_be_apart),
      cmocka_unit_test(levels_of_real_meshes_are_halves),
      cmocka_unit_test(cells_keep_their_borders),
      cmocka_unit_test(parts_are_joined_at_the_end),
      cmocka_unit_test(soups_fill_the_tree),
      cmocka_unit_test(uneven_parts_stay_within_the_limit),
      cmocka_unit_test(degenerate_triangles_are_paired),
      cmocka_unit_test(crowds_cost_no_more),
      cmocka_unit_test(answers_are_the_references),
      cmocka_unit_test(survives_any_failing_allocation),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
