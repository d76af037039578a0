/* A vertex and a face, two edges: distances against rationals of GMP, weights and normals
 * against what they say. */
#include "exact/feature_distance.h"
#include "exact/pair_kinds.h"
#include "exact/tri_tri.h"

#include <float.h>
#ifdef PLIANT_HAVE_GMP
#include "exact/distance_oracle.h"
#endif

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
enum { PER_SHARE = 10 };
#else
#define PER_SHARE test_rounds(60)
#endif

typedef struct answer {
  double distance;
  nearest_detail detail;
} answer;

/* A triangle pair of any kind gives a vertex and a face, or two edges; the others as triangles
 * without area. */
static answer answer_of(bool is_face, triangle a, triangle b)
{
  answer r;
  if (is_face) {
    assert_true(vertex_face_distance(a[0], b, INFINITY, &r.distance, &r.detail));
    point_copy(a[1], a[0]);
    point_copy(a[2], a[0]);
    return r;
  }
  assert_true(edge_edge_distance(a, b, INFINITY, &r.distance, &r.detail));
  point_copy(a[2], a[1]);
  point_copy(b[2], b[1]);
  return r;
}

static void make_pair(test_rng *rng, int kind, triangle a, triangle b)
{
  double most;
  do {
    pair_kinds[kind].make(rng, a, b);
    most = 0;
    for (int i = 0; i < 9; ++i) most = fmax(most, fmax(fabs(a[i / 3][i % 3]), fabs(b[i / 3][i % 3])));
  } while (!(most < DBL_MAX / 4));
}

static double size_of(triangle a, triangle b)
{
  double most = 0;
  for (int i = 0; i < 9; ++i) most = fmax(most, fmax(fabs(a[i / 3][i % 3]), fabs(b[i / 3][i % 3])));
  return most;
}

static void assert_weights(const double w[3], int corners)
{
  double sum = 0;
  for (int i = 0; i < 3; ++i) {
    assert_true(w[i] >= 0 && w[i] <= 1);
    assert_true(i < corners || w[i] == 0);
    sum += w[i];
  }
  assert_true(fabs(sum - 1) <= 0x1p-50);
}

/* The points that the weights give are as far apart as is said, and the normal goes from one to
 * the other. */
static void assert_detail(const answer *r, bool is_face, triangle a, triangle b)
{
  const nearest_detail *d = &r->detail;
  double size = size_of(a, b), apart[3], square = 0, length = 0, along = 0;
  assert_weights(d->weight_a, is_face ? 1 : 2);
  assert_weights(d->weight_b, is_face ? 3 : 2);
  for (int k = 0; k < 3; ++k) {
    apart[k] = 0;
    for (int i = 0; i < 3; ++i) apart[k] += d->weight_a[i] * (a[i][k] / size) - d->weight_b[i] * (b[i][k] / size);
    square += apart[k] * apart[k];
    length += d->normal[k] * d->normal[k];
    along += apart[k] * d->normal[k];
  }
  double distance = r->distance / size;
  assert_true(fabs(sqrt(square) - distance) <= 0x1p-20 * distance + 0x1p-40);
  if (r->distance > 0) {
    assert_true(fabs(sqrt(length) - 1) <= 0x1p-50);
    assert_true(fabs(along - distance) <= 0x1p-20 * distance + 0x1p-40);
  } else
    assert_true(length == 0 || fabs(sqrt(length) - 1) <= 0x1p-50);
}

static void play(bool is_face)
{
#ifdef PLIANT_HAVE_GMP
  static distance_oracle o;
  oracle_all(&o, oracle_mpq_init);
#endif
  test_rng rng = {2029};
  int touching = 0;
  for (int kind = 0; kind < PAIR_KINDS; ++kind)
    for (int n = 0; n < pair_kinds[kind].share * PER_SHARE; ++n) {
      triangle a, b;
      make_pair(&rng, kind, a, b);
      answer r = answer_of(is_face, a, b);
      assert_int_equal(r.distance == 0, tri_tri_touch(a, b));
      touching += r.distance == 0;
      double size = size_of(a, b);
      if (size > 0x1p-900 && size < 0x1p1000) assert_detail(&r, is_face, a, b);
#ifdef PLIANT_HAVE_GMP
      oracle_distance(&o, a, b);
      bool tiny = r.distance < 0x1p-1020 && mpq_sgn(o.best);
      assert_true(tiny ? r.distance > 0 : oracle_agrees(&o, r.distance, DISTANCE_ERROR));
#endif
      nearest_detail d;
      double again;
      assert_true(is_face ? vertex_face_distance(a[0], b, r.distance, &again, &d)
                          : edge_edge_distance(a, b, r.distance, &again, &d));
      assert_true(again == r.distance);
    }
  assert_true(touching > 100);
#ifdef PLIANT_HAVE_GMP
  oracle_all(&o, oracle_mpq_clear);
#endif
}

static void vertices_and_faces(void **state)
{
  (void)state;
  play(true);
}

static void edges_and_edges(void **state)
{
  (void)state;
  play(false);
}

static void known_answers(void **state)
{
  (void)state;
  const double face[3][3] = {{0, 0, 0}, {4, 0, 0}, {0, 4, 0}};
  nearest_detail d;
  double distance;
  assert_true(vertex_face_distance((const double[]){1, 2, -3}, face, INFINITY, &distance, &d));
  assert_true(distance == 3 && d.normal[2] == -1 && d.weight_b[0] == 0.25 && d.weight_b[1] == 0.25);
  assert_true(vertex_face_distance((const double[]){1, 2, 0}, face, 0, &distance, &d));
  assert_true(distance == 0 && d.normal[0] == 0 && d.normal[1] == 0 && d.normal[2] == 1 && d.weight_b[2] == 0.5);
  assert_true(!vertex_face_distance((const double[]){1, 2, -3}, face, 2.9, &distance, &d));
  const double u[2][3] = {{-1, 0, 0}, {1, 0, 0}}, v[2][3] = {{0, -1, 2}, {0, 1, 2}}, w[2][3] = {{0, -1, 0}, {0, 3, 0}};
  assert_true(edge_edge_distance(u, v, INFINITY, &distance, &d));
  assert_true(distance == 2 && d.normal[2] == -1 && d.weight_a[0] == 0.5 && d.weight_b[1] == 0.5);
  assert_true(edge_edge_distance(u, w, INFINITY, &distance, &d));
  assert_true(distance == 0 && d.normal[2] == 1 && d.weight_b[0] == 0.75);
  assert_true(edge_edge_distance(u, u, INFINITY, &distance, &d));
  assert_true(distance == 0 && d.normal[0] == 0 && d.normal[1] == 0 && d.normal[2] == 0);
  const double far[2][3] = {{-1, 0, 0x1p-1074}, {1, 0, 0x1p-1074}};
  assert_true(edge_edge_distance(u, far, INFINITY, &distance, &d));
  assert_true(distance == 0x1p-1074 && d.normal[2] == -1);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(known_answers), cmocka_unit_test(vertices_and_faces),
                                     cmocka_unit_test(edges_and_edges)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
