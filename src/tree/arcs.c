#include "tree/arcs.h"

#include "math/round.h"
#include "math/vec3.h"

/* Beyond the roundings of a direction in double (2^-50), and in float where it is stored. */
#define DIRECTION_ERROR 0x1p-22

static const arc whole = {{-INFINITY, -INFINITY, -INFINITY}, {INFINITY, INFINITY, INFINITY}, 0};
static const arc nothing = {{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}, INFINITY};

/* A difference of two positions: its direction, a unit vector right to 2^-50, and its length.
 * false: there is none, or it is out of range. */
static bool direction(const double from[3], const double to[3], double out[3], double *length)
{
  double most = 0;
  for (int k = 0; k < 3; ++k) {
    out[k] = to[k] - from[k];
    most = fmax(most, fabs(out[k]));
  }
  if (!(most > 0x1p-900 && most < 0x1p1000)) return false;
  for (int k = 0; k < 3; ++k) out[k] /= most;
  double size = sqrt(dot3(out, out));
  for (int k = 0; k < 3; ++k) out[k] /= size;
  *length = size * most;
  return true;
}

/* A lower bound of how far the segment from u to v is from the origin, given as unit vectors and
 * lengths. In units of the longer. */
static double least_of_segment(const double u[3], double length_u, const double v[3], double length_v)
{
  double unit = fmax(length_u, length_v), p[3], e[3];
  for (int k = 0; k < 3; ++k) {
    p[k] = u[k] * (length_u / unit);
    e[k] = v[k] * (length_v / unit) - p[k];
  }
  double square = dot3(e, e), at = square > 0 ? fmin(fmax(-dot3(p, e) / square, 0), 1) : 0;
  for (int k = 0; k < 3; ++k) p[k] += at * e[k];
  return fmax(sqrt(dot3(p, p)) * (1 - 0x1p-20) - 0x1p-40, 0) * unit;
}

/* Around directions that are `grow` from u and v at most. */
static arc arc_around(const double u[3], const double v[3], double grow, double least)
{
  arc out;
  for (int k = 0; k < 3; ++k) {
    out.lower[k] = round_down(fmin(u[k], v[k]) - grow);
    out.upper[k] = round_up(fmax(u[k], v[k]) + grow);
  }
  out.least = least > 0x1p-900 ? least : 0;
  return out;
}

/* The chord c of an arc is at most c^2 / 4 from it: the rise is 1 - sqrt(1 - c^2 / 4). */
static arc arc_about_vertex(const double p[3], const double a[3], const double b[3])
{
  double u[3], v[3], length[2];
  if (!direction(p, a, u, &length[0]) || !direction(p, b, v, &length[1])) return whole;
  const double chord[3] = {v[0] - u[0], v[1] - u[1], v[2] - u[2]};
  return arc_around(u, v, dot3(chord, chord) / 4 + DIRECTION_ERROR, least_of_segment(u, length[0], v, length[1]));
}

/* Page a of the book whose spine is pq. */
static arc arc_about_edge(const double p[3], const double q[3], const double a[3])
{
  double e[3], u[3], v[3], spine, length[2];
  if (!direction(p, q, e, &spine) || !direction(p, a, u, &length[0]) || !direction(q, a, v, &length[1])) return whole;
  double along = dot3(u, e);
  for (int k = 0; k < 3; ++k) u[k] -= along * e[k];
  double sine = sqrt(dot3(u, u));      /* of the angle at p */
  if (!(sine > 0x1p-20)) return whole; /* the direction would not be right to 2^-28 */
  for (int k = 0; k < 3; ++k) u[k] /= sine;
  double off = sine * length[0], other = off / length[1];
  return arc_around(u, u, DIRECTION_ERROR, fmin(off, spine / 4 * fmin(sine, other)) * (1 - 0x1p-20));
}

static void add(arc *to, const arc *more)
{
  for (int k = 0; k < 3; ++k) {
    to->lower[k] = more->lower[k] < to->lower[k] ? more->lower[k] : to->lower[k];
    to->upper[k] = more->upper[k] > to->upper[k] ? more->upper[k] : to->upper[k];
  }
  to->least = more->least < to->least ? more->least : to->least;
}

/* Which corner of a triangle is this vertex? It is one. */
static int corner_of(const uint32_t corner[3], uint32_t vertex)
{
  return corner[0] == vertex ? 0 : corner[1] == vertex ? 1 : 2;
}

static void add_triangle(const points *now, const uint32_t corner[3], const uint32_t hubs[2], node_arcs *out)
{
  double at[3][3];
  int place[2] = {0, 0}, count = hubs[1] == HUB_NONE ? 1 : 2;
  for (int c = 0; c < 3; ++c) points_world(now, corner[c], at[c]);
  for (int h = 0; h < count; ++h) {
    int i = place[h] = corner_of(corner, hubs[h]);
    arc one = arc_about_vertex(at[i], at[(i + 1) % 3], at[(i + 2) % 3]);
    add(&out->of[h], &one);
  }
  if (count < 2) return;
  arc one = arc_about_edge(at[place[0]], at[place[1]], at[3 - place[0] - place[1]]);
  add(&out->of[ARC_EDGE], &one);
}

/* The arcs of a child about the hubs of its parent, which are hubs of the child too. */
static void add_child(const tree *t, uint32_t child, const uint32_t hubs[2], node_arcs *out)
{
  for (int h = 0; h < 2 && hubs[h] != HUB_NONE; ++h)
    add(&out->of[h], &t->arcs[child].of[t->hubs[child][0] == hubs[h] ? 0 : 1]);
  if (hubs[1] != HUB_NONE) add(&out->of[ARC_EDGE], &t->arcs[child].of[ARC_EDGE]);
}

static void fill(const tree *t, const points *now)
{
  for (uint32_t leaf = 0; leaf < t->nodes.leaf_count; ++leaf) {
    uint32_t i = hubs_place(t, ~(int32_t)leaf);
    if (t->hubs[i][0] == HUB_NONE) continue;
    t->arcs[i] = (node_arcs){{nothing, nothing, nothing}};
    for (uint32_t k = t->prims.tri_first[leaf]; k < t->prims.tri_end[leaf]; ++k)
      add_triangle(now, t->prims.tri + 3 * (size_t)k, t->hubs[i], &t->arcs[i]);
  }
  for (uint32_t i = t->nodes.inner_count; i-- > 0;) {
    if (t->hubs[i][0] == HUB_NONE) continue;
    const int32_t *child = tree_children(t, i);
    t->arcs[i] = (node_arcs){{nothing, nothing, nothing}};
    for (int k = 0; k < t->nodes.children[i]; ++k) add_child(t, hubs_place(t, child[k]), t->hubs[i], &t->arcs[i]);
  }
}

bool arcs_update(pl_context *context, tree *t, const points *now, uint64_t moves)
{
  size_t nodes = (size_t)t->nodes.inner_count + t->nodes.leaf_count;
  if (t->arcs && t->arcs_moves == moves) return true;
  if (!t->arcs) t->arcs = mem_raw(&context->locked, nodes, sizeof *t->arcs);
  if (!t->arcs) {
    fail(context, PL_ERROR_MEMORY, "no memory for the arcs of %zu nodes", nodes);
    return false;
  }
  fill(t, now);
  t->arcs_moves = moves;
  return true;
}

/* The arcs of two nodes about what they have in common; false: no hub. */
static bool common_arcs(const tree *t, int32_t a, int32_t b, const arc *out[2])
{
  const uint32_t i = hubs_place(t, a), j = hubs_place(t, b), *x = t->hubs[i], *y = t->hubs[j];
  int common = 0, of_a = 0, of_b = 0;
  for (int k = 0; k < 4; ++k) {
    if (x[k / 2] == HUB_NONE || x[k / 2] != y[k % 2]) continue;
    of_a = k / 2;
    of_b = k % 2;
    ++common;
  }
  if (!common) return false;
  out[0] = &t->arcs[i].of[common == 2 ? ARC_EDGE : of_a];
  out[1] = &t->arcs[j].of[common == 2 ? ARC_EDGE : of_b];
  return true;
}

bool arcs_apart(const tree *t, int32_t a, int32_t b)
{
  const arc *of[2];
  if (!common_arcs(t, a, b, of)) return false;
  for (int k = 0; k < 3; ++k)
    if (of[0]->lower[k] > of[1]->upper[k] || of[1]->lower[k] > of[0]->upper[k]) return true;
  return false;
}

bool arcs_beyond(const tree *t, int32_t a, int32_t b, double margin)
{
  const arc *of[2];
  if (!common_arcs(t, a, b, of)) return false;
  double square = 0;
  for (int k = 0; k < 3; ++k) {
    double above = (double)of[0]->lower[k] - (double)of[1]->upper[k],
           below = (double)of[1]->lower[k] - (double)of[0]->upper[k];
    double gap = above > below ? above : below;
    if (gap > 0) square += gap * gap;
  }
  if (square == 0) return false;
  double least = of[0]->least < of[1]->least ? of[0]->least : of[1]->least;
  double sine = square < 2 ? sqrt(square * (1 - square / 4)) : 1;
  return least * sine * (1 - 0x1p-20) > margin;
}
