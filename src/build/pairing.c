/* Pairs in a graph: heavy links first, then partners for single nodes. After F. Bitar, Adaptive
 * Bounding Volume Hierarchies for Deformable Surface Models, 2011 (appendix), which follows R.
 * Preis, Linear Time 1/2-Approximation Algorithm for Maximum Weighted Matching in General
 * Graphs, 1999. 1. A node proposes to its best free neighbour; if that one has a better free
 * neighbour itself, it proposes there first,
 *    and so on up the weights; the last two are paired, and the one before proposes again.
 * 2. From all single nodes, trees grow breadth first along neighbour and partner in turn. Where
 * two trees meet, partners
 *    are exchanged along the path, and both single nodes get one. Paths through odd cycles are
 *    not searched.
 * 3. Pairs of neighbours can hardly help the nodes that are still single. Trees grow again and
 * may now also meet in a
 *    common neighbour, which makes one pair that is apart.
 * 4. If more than one single node remains, they are paired along a spanning tree: any connected
 * graph with an even number of nodes has pairs at most two links apart
 *    (G. Chartrand, A. D. Polimeni, M. J. Stewart, The Existence of 1-Factors in Line Graphs,
 *    Squares, and Total Graphs, 1973). Pairs that are not on the path of a single node do not
 *    change.
 * Invariant: mate[mate[u]] == u. Cost: 1. O(links) where degrees are bounded, 2. and 3. O(links)
 * per round, with few rounds, 4. O(links). */
#include "build/pairing.h"

#include <assert.h>
#include <string.h>

bool pairing_create(const pl_allocator *allocator, size_t most, pairing *out)
{
  *out = (pairing){0};
  if (mem_take(allocator, &out->mate, most) && mem_take(allocator, &out->root, most) &&
      mem_take(allocator, &out->from, most) && mem_take(allocator, &out->queue, most) &&
      mem_take(allocator, &out->next, 2 * most) && mem_take(allocator, &out->mark, most))
    return true;
  pairing_free(allocator, out);
  return false;
}

void pairing_free(const pl_allocator *allocator, pairing *p)
{
  mem_free_all(allocator, p->mate, p->root, p->from, p->queue, p->next, p->mark);
  *p = (pairing){0};
}

static void join(pairing *p, uint32_t a, uint32_t b)
{
  p->mate[a] = b;
  p->mate[b] = a;
}

static bool linked(const link_graph *g, uint32_t a, uint32_t b)
{
  for (uint32_t k = g->first[a]; k < g->first[a + 1]; ++k)
    if (g->to[k] == b) return true;
  return false;
}

static bool has_neighbours(const link_graph *g, uint32_t u) { return g->first[u] < g->first[u + 1]; }

/* --------------------------------------------------------------------------- better partners -- */

/* The heaviest link from u to a free node; of equal ones, the first. NO_MATE: there is none. */
static uint32_t best_link(const pairing *p, const link_graph *g, uint32_t u)
{
  uint32_t best = NO_MATE;
  for (uint32_t k = g->first[u]; k < g->first[u + 1]; ++k)
    if (p->mate[g->to[k]] == NO_MATE && (best == NO_MATE || g->weight[k] > g->weight[best])) best = k;
  return best;
}

/* Pairs until `start` has a partner or has no free neighbour. Weights grow strictly up the
 * stack, so no node is on it twice. */
static void ask_from(pairing *p, const link_graph *g, uint32_t start)
{
  uint32_t *stack = p->queue, depth = 0;
  stack[depth++] = start;
  while (depth > 0) {
    uint32_t u = stack[depth - 1], best = best_link(p, g, u);
    if (best == NO_MATE) { /* only the first can be: any other has the one below it */
      assert(depth == 1);
      return;
    }
    if (depth > 1 && !(g->weight[best] > g->weight[p->from[u]])) {
      join(p, u, stack[depth - 2]);
      depth -= 2;
      continue;
    }
    p->from[g->to[best]] = best;
    stack[depth++] = g->to[best];
  }
}

static void pair_neighbours(pairing *p, const link_graph *g, const bool *favoured)
{
  memset(p->mate, 0xff, g->count * sizeof *p->mate);
  for (uint32_t u = 0; u < g->count; ++u) {
    uint32_t best = favoured[u] ? best_link(p, g, u) : NO_MATE;
    if (best != NO_MATE) join(p, u, g->to[best]);
  }
  for (uint32_t u = 0; u < g->count; ++u)
    if (p->mate[u] == NO_MATE) ask_from(p, g, u);
}

/* ------------------------------------------------------------------------- alternating paths -- */

/* SPENT: of a single node that has found its partner, and so has its tree */
enum { UNSEEN, EVEN, ODD, SPENT };

/* u gets the partner x; the partner that it had takes the node it was reached from, and so on
 * down to the root. */
static void exchange(pairing *p, uint32_t u, uint32_t x)
{
  for (;;) {
    uint32_t old = p->mate[u];
    p->mate[u] = x;
    if (old == NO_MATE) return;
    x = old;
    u = p->from[old];
    p->mate[x] = u;
  }
}

/* Searches from the even node u; true if its tree met another, at an even node or, if pairs may
 * be `apart`, at an odd one. *end grows by the nodes that are reached. */
static bool look_around(pairing *p, const link_graph *g, uint32_t u, bool apart, uint32_t *end)
{
  for (uint32_t k = g->first[u]; k < g->first[u + 1]; ++k) {
    uint32_t v = g->to[k];
    if (p->mark[v] == UNSEEN) { /* has a partner, or it would be a root */
      uint32_t w = p->mate[v];
      p->mark[v] = ODD;
      p->mark[w] = EVEN;
      p->from[v] = u;
      p->root[v] = p->root[w] = p->root[u];
      p->queue[(*end)++] = w;
      continue;
    }
    uint32_t one = p->root[u], two = p->root[v];
    if (one == two || p->mark[two] == SPENT || (p->mark[v] == ODD && !apart)) continue;
    uint32_t other = p->mark[v] == ODD ? p->from[v] : v;
    exchange(p, u, other);
    exchange(p, other, u);
    p->mark[one] = p->mark[two] = SPENT;
    return true;
  }
  return false;
}

/* Grows trees from all single nodes at once; returns how many pairs of single nodes got
 * partners. */
static uint32_t grow_trees(pairing *p, const link_graph *g, bool apart)
{
  uint32_t end = 0, helped = 0;
  memset(p->mark, UNSEEN, g->count * sizeof *p->mark);
  for (uint32_t u = 0; u < g->count; ++u)
    if (p->mate[u] == NO_MATE && has_neighbours(g, u)) {
      p->mark[u] = EVEN;
      p->root[u] = u;
      p->queue[end++] = u;
    }
  if (end < 2) return 0;
  for (uint32_t at = 0; at < end; ++at) {
    uint32_t u = p->queue[at];
    if (p->mark[p->root[u]] != SPENT) helped += look_around(p, g, u, apart, &end);
  }
  return helped;
}

/* ------------------------------------------------------------------------- the spanning tree -- */

/* The partner of u, if it is a neighbour. */
static uint32_t near_mate(const pairing *p, const link_graph *g, uint32_t u)
{
  return p->mate[u] != NO_MATE && linked(g, u, p->mate[u]) ? p->mate[u] : NO_MATE;
}

static void span_to(pairing *p, uint32_t u, uint32_t from, uint32_t *end)
{
  p->mark[u] = 1;
  p->from[u] = from;
  p->queue[(*end)++] = u;
}

/* Orders the connected part of `start` into queue[0, end): every node after its parent (from[]),
 * and partners that are neighbours one below the other. */
static uint32_t span(pairing *p, const link_graph *g, uint32_t start)
{
  uint32_t end = 0;
  span_to(p, start, NO_MATE, &end);
  for (uint32_t at = 0; at < end; ++at) {
    uint32_t u = p->queue[at], mate = near_mate(p, g, u);
    if (mate != NO_MATE && !p->mark[mate]) span_to(p, mate, u, &end);
    for (uint32_t k = g->first[u]; k < g->first[u + 1]; ++k) {
      uint32_t v = g->to[k];
      if (p->mark[v]) continue;
      mate = near_mate(p, g, v);
      /* or else below its partner, when that is taken */
      if (mate == NO_MATE || !p->mark[mate]) span_to(p, v, u, &end);
    }
  }
  return end;
}

/* Chooses the partner of u among the nodes that wait at u: its former partner, or else the
 * first. Removes it from the list. */
static uint32_t take_waiting(uint32_t *head, uint32_t *after, uint32_t had)
{
  uint32_t *place = head;
  for (uint32_t *at = head; *at != NO_MATE; at = &after[*at])
    if (*at == had) place = at;
  uint32_t taken = *place;
  *place = after[taken];
  return taken;
}

/* Pairs the nodes that wait at u, all its children, and u itself if their number is odd;
 * otherwise u waits at its parent. */
static void settle(pairing *p, const link_graph *g, uint32_t u, uint32_t had)
{
  uint32_t *head = p->next, *after = p->next + g->count, waiting = 0;
  for (uint32_t v = head[u]; v != NO_MATE; v = after[v]) ++waiting;
  if (waiting % 2)
    join(p, u, take_waiting(&head[u], after, had));
  else
    p->mate[u] = NO_MATE;
  for (uint32_t v = head[u]; v != NO_MATE;) {
    uint32_t w = after[v], rest = after[w];
    join(p, v, w);
    v = rest;
  }
  if (waiting % 2 == 0 && p->from[u] != NO_MATE) {
    after[u] = head[p->from[u]];
    head[p->from[u]] = u;
  }
}

/* The last resort, for connected parts with more than one single node. */
static void pair_over_trees(pairing *p, const link_graph *g)
{
  memset(p->mark, 0, g->count * sizeof *p->mark);
  for (uint32_t u = 0; u < g->count; ++u) {
    if (p->mark[u] || p->mate[u] != NO_MATE) continue;
    uint32_t end = span(p, g, u), single = 0;
    for (uint32_t k = 0; k < end; ++k) {
      single += p->mate[p->queue[k]] == NO_MATE;
      p->next[p->queue[k]] = NO_MATE;
    }
    if (single < 2) continue;
    for (uint32_t k = end; k-- > 0;) settle(p, g, p->queue[k], p->mate[p->queue[k]]);
  }
}

static pairing_facts count_facts(const pairing *p, const link_graph *g)
{
  pairing_facts facts = {0};
  for (uint32_t u = 0; u < g->count; ++u) {
    uint32_t mate = p->mate[u];
    if (mate == NO_MATE)
      facts.single += has_neighbours(g, u);
    else if (u < mate)
      facts.apart += !linked(g, u, mate);
  }
  return facts;
}

pairing_facts pairing_find(pairing *p, const link_graph *g, const bool *favoured)
{
  pair_neighbours(p, g, favoured);
  for (int apart = 0; apart < 2; ++apart)
    while (grow_trees(p, g, apart)) continue;
  pair_over_trees(p, g);
  return count_facts(p, g);
}
