/* Pairs of nodes in graphs, on which the builder `matching` stands: every pair is one of
 * neighbours or of nodes two links apart, and as few nodes as possible stay single. */
#include "build/pairing.h"

#include "build/build_support.h"

#include <string.h>

enum { MOST_NODES = 300, MOST_LINKS = 3 * MOST_NODES };

typedef struct test_graph {
  uint32_t count, links;
  uint32_t end[MOST_LINKS][2];
  uint64_t weight[MOST_LINKS];
  uint32_t first[MOST_NODES + 1], to[2 * MOST_LINKS];
  uint64_t weights[2 * MOST_LINKS];
} test_graph;

static bool has_link(const test_graph *t, uint32_t a, uint32_t b)
{
  for (uint32_t k = 0; k < t->links; ++k)
    if ((t->end[k][0] == a && t->end[k][1] == b) || (t->end[k][0] == b && t->end[k][1] == a)) return true;
  return false;
}

static void add_link(test_graph *t, uint32_t a, uint32_t b, uint64_t weight)
{
  if (a == b || has_link(t, a, b) || t->links == MOST_LINKS) return;
  t->end[t->links][0] = a;
  t->end[t->links][1] = b;
  t->weight[t->links++] = weight;
}

static link_graph finish(test_graph *t)
{
  uint32_t end = 0;
  for (uint32_t u = 0; u < t->count; ++u) {
    t->first[u] = end;
    for (uint32_t k = 0; k < t->links; ++k)
      for (int side = 0; side < 2; ++side)
        if (t->end[k][side] == u) {
          t->to[end] = t->end[k][1 - side];
          t->weights[end++] = t->weight[k];
        }
  }
  t->first[t->count] = end;
  return (link_graph){t->count, t->first, t->to, t->weights};
}

static bool share_neighbour(const test_graph *t, uint32_t a, uint32_t b)
{
  for (uint32_t u = 0; u < t->count; ++u)
    if (has_link(t, a, u) && has_link(t, u, b)) return true;
  return false;
}

/* All that pairing.h promises, for a graph whose nodes 0 .. count - 1 fall into `parts`
 * connected parts with links. */
static pairing_facts check_pairs(pl_context *context, test_graph *t, const bool *favoured)
{
  const bool nobody[MOST_NODES] = {false};
  favoured = favoured ? favoured : nobody;
  link_graph g = finish(t);
  pairing p;
  assert_true(pairing_create(&context->def.allocator, t->count, &p));
  pairing_facts facts = pairing_find(&p, &g, favoured);
  uint32_t parent[MOST_NODES], single[MOST_NODES] = {0}, all = 0, apart = 0;
  for (uint32_t u = 0; u < t->count; ++u) parent[u] = u;
  for (uint32_t k = 0; k < t->links; ++k) parent[root_of(parent, t->end[k][0])] = root_of(parent, t->end[k][1]);
  for (uint32_t u = 0; u < t->count; ++u) {
    uint32_t mate = p.mate[u];
    bool neighbours = t->first[u] < t->first[u + 1];
    if (mate == NO_MATE) {
      if (neighbours) ++single[root_of(parent, u)];
      assert_false(neighbours && favoured[u]);
      continue;
    }
    assert_true(mate < t->count && mate != u && p.mate[mate] == u);
    if (has_link(t, u, mate) || mate < u) continue;
    assert_true(share_neighbour(t, u, mate));
    ++apart;
  }
  for (uint32_t u = 0; u < t->count; ++u) {
    assert_true(single[u] <= 1);
    all += single[u];
  }
  assert_int_equal(facts.single, all);
  assert_int_equal(facts.apart, apart);
  pairing_free(&context->def.allocator, &p);
  return facts;
}

static void random_graphs_are_paired(void **state)
{
  (void)state;
  pl_context *context = make_context();
  test_rng rng = {11};
  static test_graph t;
  for (int round = 0; round < 600; ++round) {
    t.count = 1 + (uint32_t)test_below(&rng, round % 10 ? 40 : MOST_NODES);
    t.links = 0;
    int extra = test_below(&rng, (int)t.count + 1), kind = round % 4;
    for (uint32_t u = 1; u < t.count; ++u) { /* a random tree, a bush, a caterpillar, or a graph in parts */
      uint32_t to = kind == 0   ? (uint32_t)test_below(&rng, (int)u)
                    : kind == 1 ? u / 3
                    : kind == 2 ? (u > 1 && u % 2 ? u - 1 : (u > 2 ? u - 2 : 0))
                                : (uint32_t)test_below(&rng, (int)u);
      if (kind != 3 || test_below(&rng, 3)) add_link(&t, u, to, (uint64_t)test_below(&rng, 5));
    }
    for (int k = 0; k < extra; ++k)
      add_link(&t, (uint32_t)test_below(&rng, (int)t.count), (uint32_t)test_below(&rng, (int)t.count),
               (uint64_t)test_below(&rng, 5));
    bool favoured[MOST_NODES] = {false};
    favoured[test_below(&rng, (int)t.count)] = true;
    check_pairs(context, &t, round % 2 ? favoured : NULL);
  }
  pl_context_destroy(context);
}

/* A path whose middle links are heavy: asking for better partners pairs them, and the
 * alternating path from end to end then exchanges all. */
static void paths_are_exchanged(void **state)
{
  (void)state;
  pl_context *context = make_context();
  static test_graph t;
  for (uint32_t n = 2; n <= MOST_NODES; n += n < 20 ? 1 : 70) {
    t.count = n;
    t.links = 0;
    for (uint32_t u = 1; u < n; ++u) add_link(&t, u - 1, u, u % 2 ? 1 : 2);
    pairing_facts facts = check_pairs(context, &t, NULL);
    assert_int_equal(facts.apart, 0);
    assert_int_equal(facts.single, n % 2);
  }
  pl_context_destroy(context);
}

/* A node with three neighbours that have no others: two of them must be paired with each other,
 * or two stay single. */
static void claws_are_paired_apart(void **state)
{
  (void)state;
  pl_context *context = make_context();
  test_graph t = {.count = 4};
  for (uint32_t u = 1; u < 4; ++u) add_link(&t, 0, u, 1);
  pairing_facts facts = check_pairs(context, &t, NULL);
  assert_int_equal(facts.single, 0);
  assert_int_equal(facts.apart, 1);
  pl_context_destroy(context);
}

/* The heaviest link of all is always taken, and a chain of ever heavier ones is asked up to its
 * end, however long. */
static void better_partners_are_asked_first(void **state)
{
  (void)state;
  pl_context *context = make_context();
  static test_graph t;
  t.count = MOST_NODES - 1;
  t.links = 0;
  for (uint32_t u = 1; u < t.count; ++u) add_link(&t, u - 1, u, u);
  link_graph g = finish(&t);
  const bool nobody[MOST_NODES] = {false};
  pairing p;
  assert_true(pairing_create(&context->def.allocator, t.count, &p));
  pairing_find(&p, &g, nobody);
  for (uint32_t u = t.count - 1; u >= 2; u -= 2) assert_int_equal(p.mate[u], u - 1);
  assert_int_equal(p.mate[0], NO_MATE);
  pairing_free(&context->def.allocator, &p);
  pl_context_destroy(context);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(random_graphs_are_paired),
      cmocka_unit_test(paths_are_exchanged),
      cmocka_unit_test(claws_are_paired_apart),
      cmocka_unit_test(better_partners_are_asked_first),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
