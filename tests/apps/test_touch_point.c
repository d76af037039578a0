/* A point of contact is on both triangles, whatever they are like: crossing, in one plane,
 * thin, far from the origin. */
#include "apps/pliant/common/touch_point.c"

#include "pliant/touching.h"
#include "support/support.h"

static double least(double x, double low, double high) { return x < low ? low : x > high ? high : x; }

/* The distance of a point from a triangle, by its edges and its face; in the triangle's own
 * scale. */
static double distance_from(const double t[3][3], const double p[3])
{
  double best = INFINITY, u[3], v[3], normal[3];
  for (int i = 0; i < 3; ++i) {
    double edge[3], to[3], gap = 0;
    minus(t[(i + 1) % 3], t[i], edge);
    minus(p, t[i], to);
    double at = dot(edge, edge) > 0 ? least(dot(to, edge) / dot(edge, edge), 0, 1) : 0;
    for (int k = 0; k < 3; ++k) gap += (to[k] - at * edge[k]) * (to[k] - at * edge[k]);
    best = fmin(best, sqrt(gap));
  }
  minus(t[1], t[0], u);
  minus(t[2], t[0], v);
  cross(u, v, normal);
  double area = sqrt(dot(normal, normal)), to[3];
  minus(p, t[0], to);
  if (area > 0 && is_inside(t, normal, p, 0)) best = fmin(best, fabs(dot(to, normal)) / area);
  return best;
}

static double number(uint64_t *seed)
{
  *seed = *seed * 6364136223846793005u + 1442695040888963407u;
  return (double)(*seed >> 40) / (double)(1 << 24);
}

static void make(uint64_t *seed, int kind, double t[3][3])
{
  for (int i = 0; i < 9; ++i) t[i / 3][i % 3] = number(seed);
  if (kind == 1)
    for (int i = 0; i < 3; ++i) t[i][2] = 0.5; /* one plane */
  if (kind == 2)                               /* corners and edges that meet */
    for (int i = 0; i < 9; ++i) t[i / 3][i % 3] = floor(4 * t[i / 3][i % 3]);
  if (kind == 3) /* nearly a segment */
    for (int k = 0; k < 3; ++k) t[2][k] = (t[0][k] + t[1][k]) / 2 + 1e-9 * t[2][k];
}

static void points_lie_on_both(void **state)
{
  (void)state;
  static const double scales[] = {1, 1e-30, 1e30, 1e-200, 1e200};
  uint64_t seed = 1;
  size_t touching = 0;
  for (int round = 0; round < 40000; ++round) {
    double a[3][3], b[3][3], p[3], scale = scales[round % 5], shift = round % 3 == 2 ? 1024 : 0;
    make(&seed, round % 4, a);
    make(&seed, round % 4, b);
    for (int i = 0; i < 9; ++i) {
      a[i / 3][i % 3] = scale * (a[i / 3][i % 3] + shift);
      b[i / 3][i % 3] = scale * (b[i / 3][i % 3] + shift);
    }
    if (!pl_triangles_touch(a, b)) continue;
    ++touching;
    touch_point(a, b, p);
    for (int k = 0; k < 3; ++k) p[k] /= scale;
    for (int i = 0; i < 9; ++i) {
      a[i / 3][i % 3] /= scale;
      b[i / 3][i % 3] /= scale;
    }
    double off = fmax(distance_from(a, p), distance_from(b, p));
    if (!(off < 1e-6)) fail_msg("round %d: %g beside the triangles", round, off);
  }
  assert_true(touching > 5000);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(points_lie_on_both)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
