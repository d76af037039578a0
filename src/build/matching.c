/* Structure by connectivity, leaves first: neighbours are paired level by level. After F. Bitar,
 * Adaptive Bounding Volume Hierarchies for Deformable Surface Models, 2011 (appendix). Nodes
 * that share edges are neighbours; the weight of a pair is the total length of the edges that
 * its two nodes share, which leaves patches about as wide as long and does not depend on how the
 * surface is folded. A node that stays single at one level chooses first at the next. Beyond the
 * thesis: an edge of more than two triangles links each to the next; the connected parts of a
 * mesh are joined at the end, by their positions; and the binary tree is turned into one of the
 * requested arity and leaf size by leaving levels out, counted from the leaves: only the root
 * may then have too few children, not the many nodes above the leaves. Invariants: a node of
 * height h holds at most 2^h triangles; of a connected mesh of n triangles, level h has ceil(n /
 * 2^h) nodes. Cost: O(n) for the pairs, O(n log n) to sort edges and to join parts. */
#include "build/matching.h"

#include "build/cells.h"
#include "build/links.h"
#include "build/median.h"

#include <assert.h>
#include <string.h>

/* more than any height: a walk of a binary tree keeps one waiting node per level */
enum { STACK = 128 };

typedef struct matcher {
  const build_input *in;
  const pl_allocator *allocator;
  matching_facts *facts;

  /* The binary tree: nodes 0 .. n - 1 are the triangles. */
  uint32_t *child; /* 2 for each node from n on */
  uint32_t *size;  /* triangles */
  uint8_t *height;
  uint32_t count; /* nodes so far */

  /* The current level. */
  link_graph graph, coarse;
  uint32_t *node; /* by node of the graph: its node of the tree */
  uint32_t *of;   /* by node of the graph: its node of the coarse graph */
  uint32_t *slot; /* scratch: by node of the coarse graph */
  bool *favoured; /* by node of the graph: was single at the last level */
  pairing pairing;

  uint32_t *parts; /* roots of the connected parts */
  uint32_t part_count;
  build_item *groups; /* the parts, to be joined */

  uint32_t *at; /* for the cuts: by place in the order, the node that begins there */
} matcher;

static const uint32_t none = UINT32_MAX;

/* -------------------------------------------------------------------------- level upon level -- */

/* Size and height of node i from its children's. */
static void measure(matcher *m, uint32_t i)
{
  const uint32_t *child = m->child + 2 * (size_t)(i - m->in->triangle_count);
  uint8_t a = m->height[child[0]], b = m->height[child[1]];
  m->size[i] = m->size[child[0]] + m->size[child[1]];
  m->height[i] = (uint8_t)(1 + (a > b ? a : b));
}

static uint32_t add_node(matcher *m, uint32_t a, uint32_t b)
{
  uint32_t i = m->count++;
  uint32_t *child = m->child + 2 * (size_t)(i - m->in->triangle_count);
  child[0] = a;
  child[1] = b;
  measure(m, i);
  return i;
}

/* Numbers the nodes of the coarse graph in the order of the first of each pair, and creates
 * their nodes of the tree. Nodes without neighbours are whole connected parts and are removed.
 * The first of each goes to slot[]. */
static void number_pairs(matcher *m)
{
  const link_graph *g = &m->graph;
  uint32_t count = 0;
  for (uint32_t u = 0; u < g->count; ++u) {
    uint32_t mate = m->pairing.mate[u];
    if (g->first[u] == g->first[u + 1]) {
      m->parts[m->part_count++] = m->node[u];
      m->of[u] = none;
    } else if (mate == NO_MATE || u < mate) {
      m->of[u] = count;
      if (mate != NO_MATE) m->of[mate] = count;
      /* Written at or before u, so nothing is lost. */
      m->node[count] = mate == NO_MATE ? m->node[u] : add_node(m, m->node[u], m->node[mate]);
      m->favoured[count] = mate == NO_MATE;
      m->slot[count++] = u;
    }
  }
  m->coarse.count = count;
}

/* Adds the links of u to those of the coarse node i, which begin at `begin`. */
static uint32_t add_links(matcher *m, uint32_t i, uint32_t u, uint32_t begin, uint32_t end, uint32_t *place)
{
  const link_graph *g = &m->graph;
  link_graph *c = &m->coarse;
  for (uint32_t k = g->first[u]; k < g->first[u + 1]; ++k) {
    uint32_t to = m->of[g->to[k]];
    if (to == i) continue;
    if (place[to] == none || place[to] < begin) {
      place[to] = end;
      c->to[end] = to;
      c->weight[end++] = 0;
    }
    c->weight[place[to]] += g->weight[k];
  }
  return end;
}

/* The graph of the next level becomes the current one. */
static void coarsen(matcher *m)
{
  number_pairs(m);
  link_graph *c = &m->coarse;
  uint32_t *place = m->pairing.root; /* free until the next pairing */
  memset(place, 0xff, c->count * sizeof *place);
  uint32_t end = 0;
  for (uint32_t i = 0; i < c->count; ++i) {
    uint32_t u = m->slot[i], mate = m->pairing.mate[u], begin = end;
    c->first[i] = begin;
    end = add_links(m, i, u, begin, end, place);
    if (mate != NO_MATE) end = add_links(m, i, mate, begin, end, place);
  }
  c->first[c->count] = end;
  link_graph swap = m->graph;
  m->graph = m->coarse;
  m->coarse = swap;
}

static void pair_levels(matcher *m)
{
  uint32_t n = (uint32_t)m->in->triangle_count;
  for (uint32_t t = 0; t < n; ++t) {
    m->node[t] = t;
    m->size[t] = 1;
    m->height[t] = 0;
    m->favoured[t] = false;
  }
  m->count = n;
  while (m->graph.count > 0) {
    matching_facts *f = m->facts;
    pairing_facts found = pairing_find(&m->pairing, &m->graph, m->favoured);
    for (uint32_t u = 0; u < m->graph.count; ++u) f->nodes[f->levels] += m->graph.first[u] < m->graph.first[u + 1];
    f->single[f->levels] = found.single;
    f->apart[f->levels] = found.apart;
    if (f->nodes[f->levels] > 0) ++f->levels;
    coarsen(m);
  }
  m->facts->parts = m->part_count;
}

/* ------------------------------------------------------------------ connected parts into one -- */

/* The triangles below a node, in order, to out[]; returns their number. */
static uint32_t list_triangles(const matcher *m, uint32_t root, uint32_t *out)
{
  uint32_t stack[STACK], open = 0, done = 0, n = (uint32_t)m->in->triangle_count;
  stack[open++] = root;
  while (open > 0) {
    uint32_t i = stack[--open];
    if (i < n) {
      out[done++] = i;
      continue;
    }
    const uint32_t *child = m->child + 2 * (size_t)(i - n);
    assert(open + 2 <= STACK);
    stack[open++] = child[1];
    stack[open++] = child[0];
  }
  return done;
}

/* The centres of the parts, as half means that cannot overflow. list: scratch for all triangles. */
static void set_groups(matcher *m, const build_item *items, uint32_t *list)
{
  for (uint32_t p = 0; p < m->part_count; ++p) {
    uint32_t count = list_triangles(m, m->parts[p], list);
    m->groups[p] = (build_item){.triangle = m->parts[p]};
    for (uint32_t k = 0; k < count; ++k)
      for (int i = 0; i < 3; ++i) m->groups[p].mid[i] += 0.5 * items[list[k]].mid[i] / (double)count;
  }
}

typedef struct open_groups {
  uint32_t begin, end;
  uint32_t *place; /* where the node's number goes */
  int level;       /* levels still allowed below it */
} open_groups;

static int log2_floor(int x) { return x >= 8 ? 3 : x >= 4 ? 2 : x >= 2 ? 1 : 0; }

/* Height of a binary tree that still gives one of the depth limit. */
static int most_height(const build_input *in)
{
  int most = build_depth_limit(in->triangle_count, in->arity) * log2_floor(in->arity) + log2_floor(in->leaf_size);
  return most < STACK - 2 ? most : STACK - 2;
}

/* Divides groups along their longest axis, evenly by triangles, or by their number if the
 * remaining height requires it. Returns how many are in front. */
static uint32_t divide_groups(const matcher *m, build_item *groups, uint32_t count, int height)
{
  double half[3];
  items_half_extent(groups, count, half);
  int axis = longest_axis(half);
  if (build_full_levels(count - 1, 2) < height) {
    size_t sum = 0;
    for (uint32_t k = 0; k < count; ++k) sum += m->size[groups[k].triangle];
    size_t target = sum <= (size_t)m->in->leaf_size ? sum / 2 : median_target(sum, 2, m->in->leaf_size, 0);
    return groups_select(groups, m->size, count, target, axis);
  }
  items_select(groups, count, count / 2, axis);
  return count / 2;
}

/* Joins the parts into one tree; a new node comes before those below it. Returns the root. */
static uint32_t join_parts(matcher *m)
{
  open_groups stack[STACK];
  uint32_t root = none, open = 0, first = m->count, n = (uint32_t)m->in->triangle_count;
  int height = most_height(m->in);
  for (uint32_t p = 0; p < m->part_count; ++p) {
    int left = most_height(m->in) - m->height[m->parts[p]];
    height = left < height ? left : height;
  }
  stack[open++] = (open_groups){0, m->part_count, &root, height};
  while (open > 0) {
    open_groups g = stack[--open];
    uint32_t count = g.end - g.begin;
    /* log(parts) + log(largest) is at most 2 log(n) */
    assert(build_full_levels(count, 2) <= g.level);
    if (count == 1) {
      *g.place = m->groups[g.begin].triangle;
      continue;
    }
    uint32_t front = divide_groups(m, m->groups + g.begin, count, g.level);
    uint32_t *child = m->child + 2 * (size_t)(m->count - n);
    *g.place = m->count++;
    assert(open + 2 <= STACK);
    stack[open++] = (open_groups){g.begin + front, g.end, &child[1], g.level - 1};
    stack[open++] = (open_groups){g.begin, g.begin + front, &child[0], g.level - 1};
  }
  for (uint32_t i = m->count; i-- > first;) measure(m, i);
  return root;
}

/* -------------------------------------------------------------------- to arity and leaf size -- */

/* The nodes that the tree has below node i: those at most as high as the next lower height that
 * is kept. */
static int cut_matching(void *user, uint32_t *order, uint32_t begin, uint32_t end, int level, uint32_t cuts[8])
{
  matcher *m = user;
  uint32_t stack[16], open = 0, n = (uint32_t)m->in->triangle_count, root = m->at[begin];
  int step = log2_floor(m->in->arity), leaf = log2_floor(m->in->leaf_size), parts = 0;
  int keep = leaf + (m->height[root] - leaf - 1) / step * step;
  assert(m->size[root] == end - begin && m->height[root] > leaf);
  stack[open++] = root;
  while (open > 0) {
    uint32_t i = stack[--open];
    if (m->height[i] > keep && m->size[i] > (uint32_t)m->in->leaf_size) {
      const uint32_t *child = m->child + 2 * (size_t)(i - n);
      stack[open++] = child[1];
      stack[open++] = child[0];
      continue;
    }
    m->at[begin] = i;
    begin += m->size[i];
    cuts[parts++] = begin;
  }
  return parts;
}

static bool matcher_create(matcher *m)
{
  const pl_allocator *a = m->allocator;
  size_t n = m->in->triangle_count;
  return mem_take(a, &m->child, 2 * n) && mem_take(a, &m->size, 2 * n) && mem_take(a, &m->height, 2 * n) &&
         mem_take(a, &m->node, n) && mem_take(a, &m->of, n) && mem_take(a, &m->slot, n) &&
         mem_take(a, &m->favoured, n) && mem_take(a, &m->parts, n) && pairing_create(a, n, &m->pairing);
}

static void matcher_free(matcher *m)
{
  mem_free_all(m->allocator, m->child, m->size, m->height, m->node, m->of, m->slot, m->favoured, m->parts, m->groups);
  pairing_free(m->allocator, &m->pairing);
  link_graph_free(m->allocator, &m->graph);
  link_graph_free(m->allocator, &m->coarse);
}

/* The root of the binary tree over all triangles; `none`: out of memory. */
static uint32_t make_binary(matcher *m, const mesh_edges *edges)
{
  if (!matcher_create(m) || !links_create(m->in, edges, &m->graph) ||
      !link_graph_create(m->allocator, m->in->triangle_count, 6 * m->in->triangle_count, &m->coarse))
    return none;
  if (!cells_favour(m->allocator, m->in->together, &m->graph)) return none;
  pair_levels(m);
  if (m->part_count == 1) return m->parts[0];
  build_item *items = items_create(m->in);
  m->groups = mem_raw(m->allocator, m->part_count, sizeof *m->groups);
  bool ok = items && m->groups;
  if (ok) set_groups(m, items, m->of);
  mem_free(m->allocator, items);
  return ok ? join_parts(m) : none;
}

pl_status build_matching_facts(const build_input *in, build_result *out, matching_facts *facts)
{
  *out = (build_result){0};
  *facts = (matching_facts){0};
  mesh_edges edges;
  pl_status status = mesh_edges_create(in->context, in->triangles, in->triangle_count, in->vertex_count, &edges);
  if (status != PL_OK) return status;
  matcher m = {.in = in, .allocator = &in->context->def.allocator, .facts = facts};
  uint32_t root = make_binary(&m, &edges);
  mesh_edges_free(in->context, &edges);
  if (root != none) {
    m.at = m.of;
    m.at[0] = root;
    status = build_top_down(in, cut_matching, &m, out);
    if (status == PL_OK) list_triangles(&m, root, out->order);
  } else {
    status = fail(in->context, PL_ERROR_MEMORY, "no memory to pair %zu triangles", in->triangle_count);
  }
  matcher_free(&m);
  return status;
}

pl_status build_matching(const build_input *in, build_result *out)
{
  matching_facts facts;
  return build_matching_facts(in, out, &facts);
}
