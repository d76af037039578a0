/* Building a sphere tree at rest: points are halved along the longest side of their box, so that
 * all nodes of a level have as many points (+- 1); each node gets the smallest ball around its
 * points, what eq. 13 and 14 of the paper need, and the greatest ball inside of the body that is
 * tangent at its middle point (J. Ma, S. W. Bae, S. Choi, 3D Medial Axis Point Approximation
 * Using Nearest Neighbors and the Normal Field, 2012). Cost: O(n log n), with some 10 passes
 * over the points for each level. */
#include "update/spheres.h"

#include "bounds/ball.h"
#include "math/round.h"

#include <string.h>

void spheres_free(pl_context *context, spheres *s)
{
  const pl_allocator *allocator = &context->def.allocator;
  for (int l = 0; l < s->levels; ++l) {
    mem_free(allocator, s->level[l].rest);
    mem_free(allocator, s->level[l].inner);
    mem_free(allocator, s->level[l].surface);
  }
  tree_free(context, &s->tree);
  mem_free(allocator, s->order);
  mem_free(allocator, s->branch_from);
  mem_free(allocator, s->maps);
  memset(s, 0, sizeof *s);
}

static bool create_level(const pl_allocator *allocator, spheres *s)
{
  const int level = s->levels++;
  sphere_level *l = &s->level[level];
  l->nodes = 1u << level;
  l->stride = l->nodes < 8 ? 8 : l->nodes;
  l->blocks = l->stride / 8 * (uint32_t)s->branches;
  l->first = s->tree.nodes.inner_count;
  s->tree.nodes.inner_count += l->blocks;
  l->rest = mem_new(allocator, l->blocks, BALL_LANES * sizeof *l->rest);
  l->inner = mem_new(allocator, l->blocks, BALL_INNER * sizeof *l->inner);
  l->surface = mem_new(allocator, l->blocks, 8 * sizeof *l->surface);
  return l->rest && l->inner && l->surface;
}

/* The layers of all levels, and their update on demand. */
static bool create_layers(pl_context *context, spheres *s, const motion *m)
{
  s->tree.nodes.width = 8;
  s->tree.layers[LAYER_SHAPES].floats = BALL_NOW / 8;
  s->tree.layers[LAYER_TANGENTS].floats = BALL_TANGENT / 8;
  s->update = (update){.context = context,
                       .tree = &s->tree,
                       .points = &m->now,
                       .kernels = kernels_of(context->isa),
                       .schedule = &schedule_none,
                       .source = &source_balls,
                       .state = s,
                       .lazy_levels = 1};
  if (!tree_make_layers(&context->def.allocator, &s->tree)) return false;
  for (int i = 0; i < s->levels; ++i) {
    sphere_level *l = &s->level[i];
    l->now = s->tree.layers[LAYER_SHAPES].data + (size_t)l->first * BALL_NOW;
    l->tangent = s->tree.layers[LAYER_TANGENTS].data + (size_t)l->first * BALL_TANGENT;
  }
  return true;
}

/* ----------------------------------------------------------------------------------- halving -- */

static bool before(const double *rest, int axis, uint32_t a, uint32_t b)
{
  double x = rest[3 * (size_t)a + (size_t)axis], y = rest[3 * (size_t)b + (size_t)axis];
  return x < y || (x == y && a < b);
}

/* The `left` least of [begin, end) along an axis come first: C. A. R. Hoare's selection. */
static void select_least(const double *rest, uint32_t *list, int64_t count, int64_t left, int axis)
{
  int64_t low = 0, high = count - 1;
  while (low < high) {
    uint32_t pivot = list[low + (high - low) / 2];
    int64_t i = low, j = high;
    while (i <= j) {
      while (before(rest, axis, list[i], pivot)) ++i;
      while (before(rest, axis, pivot, list[j])) --j;
      if (i > j) break;
      uint32_t keep = list[i];
      list[i++] = list[j];
      list[j--] = keep;
    }
    if (left <= j)
      high = j;
    else if (left >= i)
      low = i;
    else
      return;
  }
}

static int longest_side(const double *rest, const uint32_t *list, uint32_t count)
{
  extent3 e = extent_none();
  for (uint32_t i = 0; i < count; ++i) extent_add(&e, rest + 3 * (size_t)list[i]);
  int axis = 0;
  for (int k = 1; k < 3; ++k)
    if (e.high[k] - e.low[k] > e.high[axis] - e.low[axis]) axis = k;
  return axis;
}

static void halve_all(spheres *s)
{
  for (int level = 0; level + 1 < s->levels; ++level)
    for (uint32_t branch = 0; branch < (uint32_t)s->branches; ++branch)
      for (uint32_t i = 0; i < s->level[level].nodes; ++i) {
        uint32_t begin, end, middle, unused;
        spheres_range(s, level, branch, i, &begin, &end);
        spheres_range(s, level + 1, branch, 2 * i, &unused, &middle);
        if (end - begin < 2 || middle == begin || middle == end) continue;
        int axis = longest_side(s->match->rest, s->order + begin, end - begin);
        select_least(s->match->rest, s->order + begin, (int64_t)(end - begin), (int64_t)(middle - begin), axis);
      }
}

/* ------------------------------------------------------------------------------------- balls -- */

static bool is_mixed(const match *m, uint32_t point)
{
  return m->of_first && m->of_first[point + 1] - m->of_first[point] > 1;
}

static uint32_t middle_point(const match *m, const uint32_t *list, uint32_t count)
{
  double mean[3] = {0}, least = INFINITY;
  uint32_t best = list[0];
  for (uint32_t i = 0; i < count; ++i)
    for (int k = 0; k < 3; ++k) mean[k] += m->rest[3 * (size_t)list[i] + (size_t)k] / count;
  for (uint32_t i = 0; i < count; ++i) {
    double d = ball_distance2(mean, m->rest + 3 * (size_t)list[i]);
    if (d < least) {
      least = d;
      best = list[i];
    }
  }
  return best;
}

/* The rest of a node: its centre in float, then all bounds from there. */
static void fit_node(spheres *s, int level, uint32_t branch, uint32_t index)
{
  const match *m = s->match;
  const match_cluster *c = &m->clusters[branch];
  sphere_level *l = &s->level[level];
  uint32_t begin, end, lane = spheres_lane(s, level, branch, index);
  float *to = l->rest + (size_t)(lane / 8) * BALL_LANES + lane % 8;
  spheres_range(s, level, branch, index, &begin, &end);
  l->surface[lane] = begin < end ? middle_point(m, s->order + begin, end - begin) : UINT32_MAX;
  to[24] = -INFINITY;
  if (begin == end) return;
  ball b = ball_fit(m->rest, s->order + begin, end - begin);
  double at[3], square = 0, squares = 0, products = 0, off = 0;
  for (int k = 0; k < 3; ++k) {
    to[8 * k] = round_near(b.centre[k] - c->about.rest_centre[k]);
    at[k] = (double)to[8 * k];
    off += 1e-15 * c->reach[k];
  }
  for (uint32_t i = begin; i < end; ++i) {
    double q[3], x[3], y[3];
    for (int k = 0; k < 3; ++k) q[k] = m->rest[3 * (size_t)s->order[i] + (size_t)k] - c->about.rest_centre[k];
    for (int k = 0; k < 3; ++k) {
      int next = (k + 1) % 3;
      x[k] = q[k] * q[k] - at[k] * at[k];
      y[k] = q[k] * q[next] - at[k] * at[next];
    }
    square = fmax(square, ball_distance2(at, q));
    squares = fmax(squares, x[0] * x[0] + x[1] * x[1] + x[2] * x[2]);
    products = fmax(products, y[0] * y[0] + y[1] * y[1] + y[2] * y[2]);
    if (is_mixed(m, s->order[i])) to[48] = 1;
  }
  double reach = c->reach[0] + c->reach[1] + c->reach[2];
  to[24] = round_up(sqrt(square) * (1 + 1e-14) + off + 1e-150);
  to[32] = round_up(sqrt(squares) * (1 + 1e-14) + 1e-14 * reach * reach);
  to[40] = round_up(sqrt(products) * (1 + 1e-14) + 1e-14 * reach * reach);
}

/* ----------------------------------------------------------------------------- inner spheres -- */

/* The search for the point nearest to a place. */
typedef struct nearest {
  const spheres *spheres;
  double at[3], square;
  uint32_t point;
} nearest;

static void look_below(nearest *n, int level, uint32_t branch, uint32_t index)
{
  const spheres *s = n->spheres;
  const sphere_level *l = &s->level[level];
  uint32_t lane = spheres_lane(s, level, branch, index);
  const float *rest = l->rest + (size_t)(lane / 8) * BALL_LANES + lane % 8;
  if (rest[24] < 0) return;
  double centre[3], gap;
  for (int k = 0; k < 3; ++k) centre[k] = (double)rest[8 * k] + s->match->clusters[branch].about.rest_centre[k];
  gap = sqrt(ball_distance2(centre, n->at)) - (double)rest[24];
  if (gap > 0 && gap * gap > n->square) return;
  if (level + 1 == s->levels) {
    uint32_t begin, end;
    spheres_range(s, level, branch, index, &begin, &end);
    for (uint32_t i = begin; i < end; ++i) {
      double d = ball_distance2(n->at, s->match->rest + 3 * (size_t)s->order[i]);
      if (d < n->square) {
        n->square = d;
        n->point = s->order[i];
      }
    }
    return;
  }
  uint32_t first = 2 * index; /* the nearer child first */
  const sphere_level *below = &s->level[level + 1];
  double d[2];
  for (uint32_t c = 0; c < 2; ++c) {
    uint32_t at = spheres_lane(s, level + 1, branch, 2 * index + c);
    const float *r = below->rest + (size_t)(at / 8) * BALL_LANES + at % 8;
    for (int k = 0; k < 3; ++k) centre[k] = (double)r[8 * k] + s->match->clusters[branch].about.rest_centre[k];
    d[c] = ball_distance2(centre, n->at);
  }
  if (d[1] < d[0]) first ^= 1;
  look_below(n, level + 1, branch, first);
  look_below(n, level + 1, branch, first ^ 1);
}

enum {
  INNER_LEVELS = 9
}; /* nodes below take the radius of their parents' inner spheres: a search costs more there than it gains */

/* The ball that is tangent at a point shrinks until no other point is inside it by more than 1 %
 * of its radius. (With an exact limit the search of a round body would visit all points, because
 * they are all equally far from the centre.) With rough normals the limit is 3 %, and points
 * that are seen from the centre at less than 20 degrees from the first one count as noise: the
 * ball stays as it is. */
static void inner_centre(const spheres *s, uint32_t point, const double inward[3], bool rough, double radius,
                         double out[3])
{
  const double *p = s->match->rest + 3 * (size_t)point;
  for (int round = 0; round < 30; ++round) {
    nearest n = {.spheres = s, .square = radius * radius * (rough ? 0.94 : 0.98), .point = UINT32_MAX};
    for (int k = 0; k < 3; ++k) n.at[k] = out[k] = p[k] + radius * inward[k];
    for (uint32_t branch = 0; branch < (uint32_t)s->branches; ++branch) look_below(&n, 0, branch, 0);
    if (n.point == UINT32_MAX || n.point == point) return;
    const double *q = s->match->rest + 3 * (size_t)n.point;
    double along = 0, cosine = 0, square = ball_distance2(p, q), distance = sqrt(n.square);
    for (int k = 0; k < 3; ++k) {
      along += (q[k] - p[k]) * inward[k];
      cosine += (p[k] - n.at[k]) * (q[k] - n.at[k]);
    }
    if (!(along > 0) || (rough && cosine > 0.94 * radius * distance)) return;
    double next = square / (2 * along);
    if (!(next < radius)) return;
    radius = next;
  }
}

/* The radius of the inner sphere of a node's parent. */
static double parent_radius(const spheres *s, int level, uint32_t branch, uint32_t index)
{
  uint32_t lane = spheres_lane(s, level - 1, branch, index / 2);
  const float *at = s->level[level - 1].inner + (size_t)(lane / 8) * BALL_INNER + lane % 8;
  const double in[3] = {(double)at[0], (double)at[8], (double)at[16]},
               on[3] = {(double)at[24], (double)at[32], (double)at[40]};
  return sqrt(ball_distance2(in, on));
}

static void fit_inner(spheres *s, int level, uint32_t branch, uint32_t index, const sphere_normals *normals)
{
  const match *m = s->match;
  const match_cluster *c = &m->clusters[branch];
  const sphere_level *l = &s->level[level];
  uint32_t lane = spheres_lane(s, level, branch, index), point = l->surface[lane];
  float *to = l->inner + (size_t)(lane / 8) * BALL_INNER + lane % 8;
  if (point == UINT32_MAX) return;
  const double *p = m->rest + 3 * (size_t)point;
  double normal[3], length = 0, centre[3], widest = 0;
  for (int b = 0; b < s->branches; ++b) {
    uint32_t root = spheres_lane(s, 0, (uint32_t)b, 0);
    widest = fmax(widest, (double)s->level[0].rest[(size_t)(root / 8) * BALL_LANES + 24]);
  }
  for (int k = 0; k < 3; ++k) {
    normal[k] = normals->inward[3 * (size_t)point + (size_t)k];
    length += normal[k] * normal[k];
  }
  if (!(length > 0)) { /* not known: towards the middle of the cluster */
    length = 0;
    for (int k = 0; k < 3; ++k) {
      normal[k] = c->about.rest_centre[k] - p[k];
      length += normal[k] * normal[k];
    }
  }
  memcpy(centre, p, sizeof centre);
  if (length > 0) {
    for (int k = 0; k < 3; ++k) normal[k] /= sqrt(length);
    double radius = level > INNER_LEVELS ? parent_radius(s, level, branch, index) : 0;
    for (int k = 0; k < 3; ++k) centre[k] += radius * normal[k];
    if (level <= INNER_LEVELS) inner_centre(s, point, normal, normals->rough, widest, centre);
  }
  for (int k = 0; k < 3; ++k) {
    to[8 * k] = (float)(centre[k] - c->about.rest_centre[k]);
    to[24 + 8 * k] = (float)(p[k] - c->about.rest_centre[k]);
  }
}

/* ------------------------------------------------------------------------------------ create -- */

static bool list_branches(pl_context *context, spheres *s)
{
  const pl_allocator *allocator = &context->def.allocator;
  const match *m = s->match;
  s->order = mem_raw(allocator, m->point_count, sizeof *s->order);
  s->branch_from = mem_new(allocator, (size_t)s->branches + 1, sizeof *s->branch_from);
  s->maps = mem_new(allocator, (size_t)s->branches, sizeof *s->maps);
  if (!s->order || !s->branch_from || !s->maps) return false;
  for (size_t p = 0; p < m->point_count; ++p) ++s->branch_from[m->home[p] + 1];
  for (int b = 0; b < s->branches; ++b) s->branch_from[b + 1] += s->branch_from[b];
  for (size_t p = 0; p < m->point_count; ++p) s->order[s->branch_from[m->home[p]]++] = (uint32_t)p;
  for (int b = s->branches; b > 0; --b) s->branch_from[b] = s->branch_from[b - 1];
  s->branch_from[0] = 0;
  return true;
}

static int levels_of(const spheres *s, int most_points)
{
  uint64_t most = 0;
  for (int b = 0; b < s->branches; ++b) {
    uint64_t n = s->branch_from[b + 1] - s->branch_from[b];
    most = n > most ? n : most;
  }
  int levels = 1;
  while ((most + ((uint64_t)1 << (levels - 1)) - 1) >> (levels - 1) > (uint64_t)most_points) ++levels;
  return levels;
}

pl_status spheres_create(pl_context *context, const motion *m, int most_points, const sphere_normals *normals,
                         spheres *out)
{
  memset(out, 0, sizeof *out);
  spheres *s = out;
  s->match = m->controls;
  s->branches = s->match->cluster_count;
  s->most_points = most_points;
  bool good = list_branches(context, s);
  int levels = good ? levels_of(s, most_points) : 0;
  while (good && s->levels < levels) good = create_level(&context->def.allocator, s);
  if (!good || !create_layers(context, s, m)) {
    size_t count = s->match->point_count;
    spheres_free(context, s);
    return fail(context, PL_ERROR_MEMORY, "no memory for the spheres of %zu points", count);
  }
  halve_all(s);
  for (int level = 0; level < s->levels; ++level) {
    sphere_level *l = &s->level[level];
    for (size_t block = 0; block < l->blocks; ++block)
      for (int lane = 0; lane < 8; ++lane) l->rest[block * BALL_LANES + 24 + (size_t)lane] = -INFINITY;
    for (uint32_t branch = 0; branch < (uint32_t)s->branches; ++branch)
      for (uint32_t i = 0; i < l->nodes; ++i) fit_node(s, level, branch, i);
  }
  for (int level = 0; level < s->levels; ++level)
    for (uint32_t branch = 0; branch < (uint32_t)s->branches; ++branch)
      for (uint32_t i = 0; i < s->level[level].nodes; ++i) fit_inner(s, level, branch, i, normals);
  spheres_map(s);
  return PL_OK;
}
