/* Meshes for the tests of builders, and all that build.h promises of what is made from them. */
#ifndef TESTS_BUILD_SUPPORT_H
#define TESTS_BUILD_SUPPORT_H

#include "build/build.h"
#include "pliant/pliant.h"

#include "support/support.h" /* after our headers: cmocka has a macro named fail */

#include <float.h>
#include <math.h>
#include <stdlib.h>

/* ------------------------------------------------------------------------------------ meshes -- */

typedef struct shape {
  double *xyz;
  uint32_t *triangles;
  size_t vertices, count;
} shape;

static inline shape shape_make(size_t vertices, size_t count)
{
  shape s = {calloc(3 * vertices, sizeof(double)), calloc(3 * count, sizeof(uint32_t)), 0, 0};
  assert_non_null(s.xyz);
  assert_non_null(s.triangles);
  return s;
}

static inline void shape_free(shape *s)
{
  free(s->xyz);
  free(s->triangles);
}

static inline uint32_t add_vertex(shape *s, double x, double y, double z)
{
  double *v = s->xyz + 3 * s->vertices;
  v[0] = x, v[1] = y, v[2] = z;
  return (uint32_t)s->vertices++;
}

static inline void add_triangle(shape *s, uint32_t a, uint32_t b, uint32_t c)
{
  uint32_t *t = s->triangles + 3 * s->count++;
  t[0] = a, t[1] = b, t[2] = c;
}

/* A rectangle of w x h quads; rolled up into a spiral if `roll`. */
static inline shape make_grid(int w, int h, bool roll)
{
  shape s = shape_make((size_t)(w + 1) * (size_t)(h + 1), 2 * (size_t)w * (size_t)h);
  for (int y = 0; y <= h; ++y)
    for (int x = 0; x <= w; ++x) {
      double turn = 0.1 * x;
      if (roll)
        add_vertex(&s, cos(turn) * (1 + 0.05 * turn), sin(turn) * (1 + 0.05 * turn), 0.1 * y);
      else
        add_vertex(&s, x, y, 0.3 * sin(0.4 * x) * cos(0.3 * y));
    }
  for (int y = 0; y < h; ++y)
    for (int x = 0; x < w; ++x) {
      uint32_t a = (uint32_t)(y * (w + 1) + x), b = a + 1, c = a + (uint32_t)w + 1, d = c + 1;
      add_triangle(&s, a, b, d);
      add_triangle(&s, a, d, c);
    }
  return s;
}

/* Rings of 2 n vertices between two poles: closed. */
static inline shape make_sphere(int n)
{
  const double pi = 3.14159265358979;
  uint32_t around = 2 * (uint32_t)n;
  shape s = shape_make((size_t)(n - 1) * around + 2, 2 * (size_t)(n - 1) * around);
  for (int i = 1; i < n; ++i)
    for (uint32_t j = 0; j < around; ++j)
      add_vertex(&s, sin(pi * i / n) * cos(pi * j / n), sin(pi * i / n) * sin(pi * j / n), cos(pi * i / n));
  uint32_t north = add_vertex(&s, 0, 0, 1), south = add_vertex(&s, 0, 0, -1);
  for (uint32_t j = 0; j < around; ++j) {
    uint32_t k = (j + 1) % around, last = (uint32_t)(n - 2) * around;
    add_triangle(&s, north, j, k);
    for (uint32_t i = 0; i + 2 < (uint32_t)n; ++i) {
      add_triangle(&s, i * around + j, (i + 1) * around + j, i * around + k);
      add_triangle(&s, i * around + k, (i + 1) * around + j, (i + 1) * around + k);
    }
    add_triangle(&s, south, last + k, last + j);
  }
  return s;
}

typedef enum soup { SOUP_RANDOM, SOUP_POINT, SOUP_EXPONENTIAL, SOUP_HUGE, SOUP_LINE, SOUP_COPIES, SOUP_KINDS } soup;

/* Triangles of three vertices of their own. */
static inline shape make_soup(soup kind, size_t count)
{
  shape s = shape_make(3 * count, count);
  test_rng rng = {kind + 1};
  for (size_t t = 0; t < count; ++t) {
    for (int c = 0; c < 3; ++c) {
      double x[3];
      for (int i = 0; i < 3; ++i) {
        double u = test_uniform(&rng, -1, 1);
        x[i] = kind == SOUP_RANDOM        ? u
               : kind == SOUP_EXPONENTIAL ? ldexp(1 + 0.1 * u, (int)(t % 2000) - 1000)
               : kind == SOUP_HUGE        ? (u > 0 ? DBL_MAX : -DBL_MAX)
               : kind == SOUP_LINE        ? (i == 0 ? (double)t : 0)
                                          : 0.25;
      }
      add_vertex(&s, x[0], x[1], x[2]);
    }
    uint32_t v = kind == SOUP_COPIES ? 0 : 3 * (uint32_t)t;
    add_triangle(&s, v, v + 1, v + 2);
  }
  return s;
}

/* Strips of `length` triangles that meet in one edge (0, 1): a book of arms. */
static inline shape make_star(uint32_t arms, uint32_t length)
{
  shape s = shape_make(2 + (size_t)arms * length, (size_t)arms * length);
  add_vertex(&s, 0, 0, -0.01);
  add_vertex(&s, 0, 0, 0.01);
  for (uint32_t a = 0; a < arms; ++a) {
    uint32_t last[2] = {0, 1};
    for (uint32_t k = 0; k < length; ++k) {
      double angle = 6.283185307 * a / arms, r = 0.1 * (k + 1);
      uint32_t v = add_vertex(&s, r * cos(angle), r * sin(angle), k % 2 ? 0.02 : -0.02);
      add_triangle(&s, last[0], last[1], v);
      last[0] = last[1];
      last[1] = v;
    }
  }
  return s;
}

/* Two spheres that overlap in space and have no vertex in common. */
static inline shape make_two_spheres(int n)
{
  shape one = make_sphere(n), s = shape_make(2 * one.vertices, 2 * one.count);
  for (int copy = 0; copy < 2; ++copy) {
    for (size_t v = 0; v < one.vertices; ++v)
      add_vertex(&s, one.xyz[3 * v] + 0.1 * copy, one.xyz[3 * v + 1], one.xyz[3 * v + 2]);
    for (size_t t = 0; t < one.count; ++t) {
      const uint32_t *v = one.triangles + 3 * t, by = copy ? (uint32_t)one.vertices : 0;
      add_triangle(&s, v[0] + by, v[1] + by, v[2] + by);
    }
  }
  shape_free(&one);
  return s;
}

/* ------------------------------------------------------------------------------------ checks -- */

static inline pl_context *make_context(void)
{
  pl_context_def def = pl_context_def_default();
  def.threads = 1;
  pl_context *context;
  assert_int_equal(pl_context_create(&def, &context), PL_OK);
  return context;
}

static inline build_input make_input(pl_context *context, const shape *s, pl_cut cut, int arity, int leaf_size)
{
  return (build_input){context, s->xyz, s->vertices, s->triangles, s->count, cut, arity, leaf_size, 0};
}

typedef struct tree_facts {
  int depth;
  size_t leaves, inner, children;
} tree_facts;

static inline void check_order(const build_input *in, const build_result *r)
{
  bool *seen = calloc(in->triangle_count, sizeof *seen);
  for (size_t i = 0; i < in->triangle_count; ++i) {
    assert_true(r->order[i] < in->triangle_count);
    assert_false(seen[r->order[i]]);
    seen[r->order[i]] = true;
  }
  free(seen);
}

/* All that build.h promises. */
static inline tree_facts check_tree(const build_input *in, const build_result *r)
{
  check_order(in, r);
  size_t count = r->nodes.count;
  const build_node *nodes = r->nodes.data;
  assert_true(count >= 1);
  assert_true(nodes[0].begin == 0 && nodes[0].end == in->triangle_count && nodes[0].next == count);
  int *level = calloc(count, sizeof *level);
  tree_facts facts = {0};
  for (size_t i = 0; i < count; ++i) {
    const build_node *n = &nodes[i];
    assert_true(n->begin < n->end);
    if (level[i] > facts.depth) facts.depth = level[i];
    if (n->children == 0) {
      assert_true(n->end - n->begin <= (uint32_t)in->leaf_size);
      assert_int_equal(n->next, i + 1);
      ++facts.leaves;
      continue;
    }
    assert_true(n->end - n->begin > (uint32_t)in->leaf_size);
    assert_in_range(n->children, 2, in->arity);
    ++facts.inner;
    facts.children += n->children;
    uint32_t at = (uint32_t)i + 1, begin = n->begin;
    for (int c = 0; c < n->children; ++c) {
      assert_true(at < count);
      assert_int_equal(nodes[at].begin, begin);
      level[at] = level[i] + 1;
      begin = nodes[at].end;
      at = nodes[at].next;
    }
    assert_int_equal(begin, n->end);
    assert_int_equal(at, n->next);
  }
  free(level);
  assert_true(facts.depth <= build_depth_limit(in->triangle_count, in->arity));
  assert_true(facts.depth <= 64);
  return facts;
}

static inline tree_facts build_and_check(const build_input *in, pl_builder builder)
{
  build_result r;
  assert_int_equal(build_structure(builder, in, &r), PL_OK);
  tree_facts facts = check_tree(in, &r);
  build_free(in->context, &r);
  return facts;
}

static inline uint32_t root_of(uint32_t *parent, uint32_t t)
{
  while (parent[t] != t) t = parent[t] = parent[parent[t]];
  return t;
}

/* Nodes whose triangles are not connected by edges that two of them share. */
static inline size_t count_disconnected(const build_input *in, const build_result *r)
{
  pl_mesh_def def = pl_mesh_def_default();
  def.positions = pl_positions_f64(in->xyz, in->vertex_count);
  def.triangles = in->triangles;
  def.triangle_count = in->triangle_count;
  pl_mesh *mesh;
  assert_int_equal(pl_mesh_create(in->context, &def, &mesh), PL_OK);
  uint32_t *parent = malloc(in->triangle_count * sizeof *parent);
  size_t *node_of = calloc(in->triangle_count, sizeof *node_of);
  size_t disconnected = 0;
  for (size_t i = 0; i < r->nodes.count; ++i) {
    build_node n = r->nodes.data[i];
    uint32_t parts = n.end - n.begin;
    for (uint32_t k = n.begin; k < n.end; ++k) {
      parent[r->order[k]] = r->order[k];
      node_of[r->order[k]] = i + 1;
    }
    for (uint32_t k = n.begin; k < n.end; ++k)
      for (int e = 0; e < 3; ++e) {
        const uint32_t *others;
        size_t count = pl_mesh_edge_triangles(mesh, r->order[k], e, &others);
        for (size_t o = 0; o < count; ++o) {
          if (node_of[others[o]] != i + 1) continue;
          uint32_t a = root_of(parent, r->order[k]), b = root_of(parent, others[o]);
          if (a == b) continue;
          parent[a] = b;
          --parts;
        }
      }
    disconnected += parts > 1;
  }
  free(parent);
  free(node_of);
  pl_mesh_destroy(mesh);
  return disconnected;
}

#endif
