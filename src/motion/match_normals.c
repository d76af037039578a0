/* Normals of points at rest. From triangles: the sum of the normals of a point's triangles by
 * area, turned such that the volume is positive. From points alone, after H. Hoppe, T. DeRose,
 * T. Duchamp, J. McDonald, W. Stuetzle, Surface Reconstruction from Unorganized Points, 1992:
 * the direction in which neighbours spread least, turned like that of the neighbour it was
 * reached from, along the flattest way first. Cost: O(n log n) for points that are spread evenly
 * over a surface. */
#include "motion/match_normals.h"

#include "math/jacobi.h"
#include "math/vec3.h"

#include "core/heap.h"
#include "mesh/mesh.h"

#include <string.h>

static void normalise_all(double *v, size_t count, double sign)
{
  for (size_t i = 0; i < count; ++i) {
    double scale = 0;
    for (int k = 0; k < 3; ++k) scale = fmax(scale, fabs(v[3 * i + (size_t)k]));
    for (int k = 0; k < 3; ++k) v[3 * i + (size_t)k] = scale > 0 ? v[3 * i + (size_t)k] / scale : 0;
    double length = sqrt(dot3(v + 3 * i, v + 3 * i));
    for (int k = 0; k < 3; ++k) v[3 * i + (size_t)k] = length > 0 ? sign * v[3 * i + (size_t)k] / length : 0;
  }
}

static void from_triangles(const match *m, const pl_mesh_def *mesh, double *inward)
{
  double volume = 0;
  const double *middle = m->clusters[0].about.rest_centre;
  for (size_t t = 0; t < mesh->triangle_count; ++t) {
    const double *p[3];
    double e[2][3], n[3], from[3];
    for (int c = 0; c < 3; ++c) p[c] = m->rest + 3 * (size_t)mesh->triangles[3 * t + (size_t)c];
    for (int k = 0; k < 3; ++k) {
      e[0][k] = p[1][k] - p[0][k];
      e[1][k] = p[2][k] - p[0][k];
      from[k] = p[0][k] - middle[k];
    }
    cross3(e[0], e[1], n);
    volume += dot3(from, n);
    for (int c = 0; c < 3; ++c)
      for (int k = 0; k < 3; ++k) inward[3 * (size_t)mesh->triangles[3 * t + (size_t)c] + (size_t)k] += n[k];
  }
  normalise_all(inward, m->point_count, volume < 0 ? 1 : -1);
}

/* ------------------------------------------------------------------------------------ points -- */

enum { NEIGHBOURS = 10 };

/* A grid of cells with about 4 points each; points by cell. */
typedef struct cells {
  extent3 box;
  double size;
  int64_t count[3];
  uint32_t *first, *points;
  size_t cell_count;
} cells;

static int64_t cell_along(const cells *c, double x, int axis)
{
  double at = (x - c->box.low[axis]) / c->size;
  int64_t i = at > 0 ? (at < (double)c->count[axis] ? (int64_t)at : c->count[axis] - 1) : 0;
  return i < c->count[axis] ? i : c->count[axis] - 1;
}

static size_t cell_of(const cells *c, const double *x)
{
  int64_t i = cell_along(c, x[0], 0), j = cell_along(c, x[1], 1), k = cell_along(c, x[2], 2);
  return (size_t)((k * c->count[1] + j) * c->count[0] + i);
}

/* Cells as long as surfaces of two dimensions need; at most 4 for each point. */
static bool make_cells(const pl_allocator *allocator, const match *m, cells *c)
{
  double longest = 0;
  c->box = extent_none();
  for (size_t i = 0; i < m->point_count; ++i) extent_add(&c->box, m->rest + 3 * i);
  for (int k = 0; k < 3; ++k) longest = fmax(longest, c->box.high[k] - c->box.low[k]);
  c->size = longest > 0 ? longest / sqrt((double)m->point_count / 4 + 1) : 1;
  for (;; c->size *= 1.25) {
    double all = 1;
    for (int k = 0; k < 3; ++k) {
      c->count[k] = 1 + (int64_t)((c->box.high[k] - c->box.low[k]) / c->size);
      all *= (double)c->count[k];
    }
    c->cell_count = (size_t)all;
    if (all <= 4 * (double)m->point_count + 8) break;
  }
  if (!(mem_take_new(allocator, &c->first, c->cell_count + 1) && mem_take(allocator, &c->points, m->point_count)))
    return false;
  for (size_t i = 0; i < m->point_count; ++i) ++c->first[cell_of(c, m->rest + 3 * i) + 1];
  for (size_t i = 0; i < c->cell_count; ++i) c->first[i + 1] += c->first[i];
  for (size_t i = 0; i < m->point_count; ++i) c->points[c->first[cell_of(c, m->rest + 3 * i)]++] = (uint32_t)i;
  for (size_t i = c->cell_count; i > 0; --i) c->first[i] = c->first[i - 1];
  c->first[0] = 0;
  return true;
}

/* The nearest other points, UINT32_MAX where there are fewer. Searches rings of cells until no
 * nearer point can follow. */
static void neighbours_of(const match *m, const cells *c, uint32_t point, uint32_t list[NEIGHBOURS])
{
  double square[NEIGHBOURS];
  const double *x = m->rest + 3 * (size_t)point;
  int64_t at[3];
  for (int i = 0; i < NEIGHBOURS; ++i) {
    square[i] = INFINITY;
    list[i] = UINT32_MAX;
  }
  for (int k = 0; k < 3; ++k) at[k] = cell_along(c, x[k], k);
  int64_t most = c->count[0] + c->count[1] + c->count[2];
  for (int64_t ring = 0; ring <= most; ++ring) {
    double reach = (double)(ring - 1) * c->size;
    if (ring && reach > 0 && reach * reach > square[NEIGHBOURS - 1]) return;
    bool any = false;
    for (int64_t k = at[2] - ring; k <= at[2] + ring; ++k)
      for (int64_t j = at[1] - ring; j <= at[1] + ring; ++j) {
        bool face = k == at[2] - ring || k == at[2] + ring || j == at[1] - ring || j == at[1] + ring;
        if (k < 0 || j < 0 || k >= c->count[2] || j >= c->count[1]) continue;
        for (int64_t i = at[0] - ring; i <= at[0] + ring; i += face || ring == 0 ? 1 : 2 * ring) {
          if (i < 0 || i >= c->count[0]) continue;
          size_t cell = (size_t)((k * c->count[1] + j) * c->count[0] + i);
          any = true;
          for (uint32_t e = c->first[cell]; e < c->first[cell + 1]; ++e) {
            uint32_t p = c->points[e];
            double d[3], s;
            for (int a = 0; a < 3; ++a) d[a] = m->rest[3 * (size_t)p + (size_t)a] - x[a];
            s = dot3(d, d);
            if (p == point || !(s < square[NEIGHBOURS - 1])) continue;
            int to = NEIGHBOURS - 1;
            for (; to > 0 && square[to - 1] > s; --to) {
              square[to] = square[to - 1];
              list[to] = list[to - 1];
            }
            square[to] = s;
            list[to] = p;
          }
        }
      }
    if (!any) return;
  }
}

/* The eigenvector of the least eigenvalue of a symmetric matrix, by Jacobi rotations. */
static void least_axis(double s[3][3], double out[3])
{
  double v[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
  for (int sweep = 0; sweep < 12; ++sweep)
    for (int p = 0; p < 2; ++p)
      for (int q = p + 1; q < 3; ++q)
        if (fabs(s[p][q]) > 1e-18 * (fabs(s[p][p]) + fabs(s[q][q]))) jacobi_turn(3, s[0], v[0], p, q);
  int least = 0;
  for (int k = 1; k < 3; ++k)
    if (s[k][k] < s[least][least]) least = k;
  for (int k = 0; k < 3; ++k) out[k] = v[least][k];
}

/* The plane of a point and its neighbours, the far ones with less weight: a ring that is not
 * complete would tilt it. */
static void plane_of(const match *m, uint32_t point, const uint32_t list[NEIGHBOURS], double out[3])
{
  double s[3][3] = {{0}}, weight[NEIGHBOURS] = {0}, mean[3] = {0}, all = 1, most = 0;
  const double *x = m->rest + 3 * (size_t)point;
  int n = 0;
  for (; n < NEIGHBOURS && list[n] != UINT32_MAX; ++n) {
    double d[3];
    for (int a = 0; a < 3; ++a) d[a] = m->rest[3 * (size_t)list[n] + (size_t)a] - x[a];
    weight[n] = dot3(d, d);
    most = fmax(most, weight[n]);
  }
  for (int i = 0; i < n; ++i) {
    double part = most > 0 ? 1.1 - weight[i] / most : 1;
    weight[i] = part * part;
    all += weight[i];
    for (int a = 0; a < 3; ++a) mean[a] += weight[i] * (m->rest[3 * (size_t)list[i] + (size_t)a] - x[a]);
  }
  for (int i = -1; i < n; ++i) { /* the point itself first, with a weight of 1 */
    double d[3];
    for (int a = 0; a < 3; ++a) d[a] = (i < 0 ? 0 : m->rest[3 * (size_t)list[i] + (size_t)a] - x[a]) - mean[a] / all;
    for (int k = 0; k < 9; ++k) s[k / 3][k % 3] += (i < 0 ? 1 : weight[i]) * d[k / 3] * d[k % 3];
  }
  least_axis(s, out);
}

/* A step of the search. */
typedef struct heap_step {
  double flat; /* |cosine| of the two normals */
  uint32_t from, to;
} heap_step;

typedef ARRAY(heap_step) step_heap;

#define FLATTER(o, x, y) ((void)(o), (x).flat > (y).flat)
HEAP(steps, heap_step, void, FLATTER, HEAP_PUT)

/* Turns the normals of everything that can be reached from `start`, whose normal is right. */
static bool turn_from(const pl_allocator *allocator, const match *m, const uint32_t (*near)[NEIGHBOURS], uint32_t start,
                      bool *done, step_heap *h, double *inward)
{
  uint32_t at = start;
  done[start] = true;
  for (;;) {
    for (int i = 0; i < NEIGHBOURS && near[at][i] != UINT32_MAX; ++i) {
      uint32_t to = near[at][i];
      heap_step s = {fabs(dot3(inward + 3 * (size_t)at, inward + 3 * (size_t)to)), at, to};
      if (done[to]) continue;
      if (!array_reserve(allocator, h, h->count + 1)) return false;
      steps_push(NULL, h->data, &h->count, s);
    }
    heap_step next;
    do {
      if (!h->count) return true;
      next = steps_pop(NULL, h->data, &h->count);
    } while (done[next.to]);
    at = next.to;
    done[at] = true;
    if (dot3(inward + 3 * (size_t)next.from, inward + 3 * (size_t)at) < 0)
      for (int k = 0; k < 3; ++k) inward[3 * (size_t)at + (size_t)k] *= -1;
  }
}

/* Each connected part starts at its point that is farthest from the middle of all points; its
 * normal points away from the middle. */
static bool turn_all(const pl_allocator *allocator, const match *m, const uint32_t (*near)[NEIGHBOURS], bool *done,
                     step_heap *h, double *inward)
{
  double middle[3] = {0};
  for (size_t i = 0; i < 3 * m->point_count; ++i) middle[i % 3] += m->rest[i] / (double)m->point_count;
  for (;;) {
    double most = -1, in[3];
    uint32_t start = UINT32_MAX;
    for (uint32_t p = 0; p < m->point_count; ++p) {
      double d[3];
      for (int k = 0; k < 3; ++k) d[k] = middle[k] - m->rest[3 * (size_t)p + (size_t)k];
      if (done[p] || !(dot3(d, d) > most)) continue;
      most = dot3(d, d);
      start = p;
    }
    if (start == UINT32_MAX) return true;
    for (int k = 0; k < 3; ++k) in[k] = middle[k] - m->rest[3 * (size_t)start + (size_t)k];
    if (dot3(in, inward + 3 * (size_t)start) < 0)
      for (int k = 0; k < 3; ++k) inward[3 * (size_t)start + (size_t)k] *= -1;
    if (!turn_from(allocator, m, near, start, done, h, inward)) return false;
  }
}

static pl_status from_points(pl_context *context, const match *m, double *inward)
{
  const pl_allocator *allocator = &context->def.allocator;
  cells c = {.size = 1};
  step_heap h = {0};
  uint32_t(*near)[NEIGHBOURS] = mem_raw(allocator, m->point_count, sizeof *near);
  bool *done = mem_new(allocator, m->point_count, sizeof *done);
  bool good = near && done && make_cells(allocator, m, &c);
  for (uint32_t p = 0; good && p < m->point_count; ++p) {
    neighbours_of(m, &c, p, near[p]);
    plane_of(m, p, (const uint32_t *)near[p], inward + 3 * (size_t)p);
  }
  if (good) good = turn_all(allocator, m, (const uint32_t(*)[NEIGHBOURS])near, done, &h, inward);
  mem_free_all(allocator, near, done, c.first, c.points);
  array_free(allocator, &h);
  if (good) return PL_OK;
  return fail(context, PL_ERROR_MEMORY, "no memory for the normals of %zu points", m->point_count);
}

pl_status match_normals(pl_context *context, const match *m, pl_positions outward, const pl_mesh_def *mesh,
                        double *inward)
{
  if (outward.data) {
    for (size_t i = 0; i < m->point_count; ++i) positions_get(outward, i, inward + 3 * i);
    normalise_all(inward, m->point_count, -1);
    return PL_OK;
  }
  if (!mesh) return from_points(context, m, inward);
  from_triangles(m, mesh, inward);
  return PL_OK;
}
