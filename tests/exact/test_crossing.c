/* Vertex-face and edge-edge contact under linear motion: against an oracle of 512 bits on small
 * integers (which are degenerate more often than not), against labels of others, filter against
 * integers on all kinds of doubles, and what must not change the result. */
#include "exact/crossing.h"
#include "exact/crossing_flat.h"
#include "exact/predicates.h"
#include "io/queries.h"
#include "pliant/impacts.h"

#include "support/support.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#ifdef PLIANT_HAVE_GMP
#include "exact/crossing_oracle.h"
#endif

#ifdef __SANITIZE_ADDRESS__
enum { ROUNDS = 1000 };
#else
#define ROUNDS test_rounds(12000)
#endif

typedef struct query {
  double start[4][3], end[4][3];
} query;

/* Small integers: the fewer there are, the more degenerate. */
static void small_integers(test_rng *rng, query *q)
{
  int range = 1 + test_below(rng, 4), flat = test_below(rng, 6), still = test_below(rng, 8);
  for (int i = 0; i < 4; ++i)
    for (int k = 0; k < 3; ++k) {
      q->start[i][k] = test_below(rng, 2 * range + 1) - range;
      q->end[i][k] = test_below(rng, 2 * range + 1) - range;
      if (flat == k) q->start[i][k] = q->end[i][k] = 1; /* always in a plane */
      if (still == i) q->end[i][k] = q->start[i][k];
    }
}

#ifdef PLIANT_HAVE_GMP
static void like_oracle(void **state)
{
  (void)state;
  test_rng rng = {11};
  mpz_t truth;
  mpz_init(truth);
  int contacts = 0, inside = 0;
  for (int round = 0; round < ROUNDS / 20; ++round) {
    query q;
    small_integers(&rng, &q);
    for (int kind = 0; kind < 2; ++kind) {
      double time = -1, by_integers = -1;
      bool expected = oracle_first(kind, q.start, q.end, truth);
      bool found = crossing_first(kind, q.start, q.end, 1, &time);
      assert_int_equal(found, expected);
      assert_int_equal(crossing_exact(kind, q.start, q.end, &by_integers), expected);
      if (!expected) continue;
      assert_true(time == by_integers);
      assert_true(oracle_is_floor(time, truth));
      ++contacts;
      inside += time > 0 && time < 1;
    }
  }
  assert_true(contacts > ROUNDS / 100 && inside > ROUNDS / 200);
  mpz_clear(truth);
}
#else
static void like_oracle(void **state) { (void)state, skip(); }
#endif

/* ------------------------------------------------------------------- filter against integers -- */

static double any_magnitude(test_rng *rng)
{
  double x = test_uniform(rng, -1, 1);
  return test_below(rng, 4) ? ldexp(x, test_below(rng, 2040) - 1020) : x;
}

/* Doubles of several kinds: ordinary; on a grid; a contact made at some time, and moved by an
 * ulp; all magnitudes; the extremes. */
static void some_query(test_rng *rng, int kind, query *q)
{
  int sort = test_below(rng, 50);
  sort = sort < 48 ? sort % 4 : sort - 44; /* extremes cost a hundred times as much */
  double scale = ldexp(1, test_below(rng, 3) ? 0 : test_below(rng, 400) - 200);
  for (int i = 0; i < 24; ++i) {
    double *x = i < 12 ? &q->start[0][0] + i : &q->end[0][0] + (i - 12);
    *x = sort == 4   ? any_magnitude(rng)
         : sort == 5 ? (test_below(rng, 2) ? 1 : -1) * (test_below(rng, 2) ? DBL_MAX : test_below(rng, 3) * 0x1p-1074)
         : sort == 1 ? scale * (test_below(rng, 33) - 16) / 16
                     : scale * test_uniform(rng, -1, 1);
  }
  if (sort != 2 && sort != 3) return;
  /* Point 0 goes through a point of the feature at time t, up to roundings: in the face, or on
   * an edge or corner of it. */
  double t = test_below(rng, 3) ? test_uniform(rng, 0, 1) : test_below(rng, 5) / 4.0, w[3], sum = 0;
  for (int i = 0; i < 3; ++i)
    sum += w[i] = kind && i == 0 ? 0 : test_below(rng, 3) ? test_uniform(rng, 0, 1) : test_below(rng, 2);
  if (sum == 0) w[2] = sum = 1;
  for (int k = 0; k < 3; ++k) {
    double there = 0;
    for (int i = 0; i < 3; ++i) there += w[i] / sum * ((1 - t) * q->start[i + 1][k] + t * q->end[i + 1][k]);
    if (t < 0.5)
      q->start[0][k] = (there - t * q->end[0][k]) / (1 - t);
    else
      q->end[0][k] = (there - (1 - t) * q->start[0][k]) / t;
  }
}

static void filter_is_right(void **state)
{
  (void)state;
  test_rng rng = {5};
  int sure[2] = {0, 0}, unsure = 0;
  for (int round = 0; round < 4 * ROUNDS; ++round) {
    int kind = round & 1;
    query q;
    some_query(&rng, kind, &q);
    double time = -1, exact = -1;
    int found = crossing_filter(kind, q.start, q.end, (crossing_times){0, 1}, &time);
    bool expected = crossing_exact(kind, q.start, q.end, &exact);
    if (found == SIGN_UNSURE) {
      ++unsure;
      continue;
    }
    ++sure[found];
    assert_int_equal(found, expected);
    if (found) assert_true(time == exact);
  }
  assert_true(sure[0] > ROUNDS && sure[1] > ROUNDS / 4 && unsure > ROUNDS / 4);
}

/* Features of sheets that are slid over themselves: on a grid of decimals, turned, of any
 * doubles, or so that points meet. All are in one plane, which may move. */
static void slid_query(test_rng *rng, int sort, query *q)
{
  const int axis = test_below(rng, 3), i = (axis + 1) % 3, j = (axis + 2) % 3;
  const double by = test_below(rng, 3) / 50.0, turn = sort == 1 ? test_uniform(rng, -1, 1) : 0,
               z = test_uniform(rng, -1, 1), scale = sort == 3 ? ldexp(1, test_below(rng, 600) - 300) : 1;
  for (int p = 0; p < 4; ++p) {
    const bool moves = test_below(rng, 3) > 0;
    double x = (test_below(rng, 6) + 20) / 50.0, y = (test_below(rng, 6) + 30) / 50.0, dx = by, dy = 0;
    if (sort >= 2) x = test_uniform(rng, -1, 1), y = test_uniform(rng, -1, 1), dx = test_uniform(rng, -1, 1), dy = dx;
    if (!moves) dx = dy = 0;
    q->start[p][i] = scale * x;
    q->start[p][j] = scale * y;
    q->end[p][i] = scale * ((x + dx) * cos(turn) - (y + dy) * sin(turn));
    q->end[p][j] = scale * ((x + dx) * sin(turn) + (y + dy) * cos(turn));
    q->start[p][axis] = z;
    q->end[p][axis] = by;
  }
  if (test_below(rng, 3) == 0) /* two points meet at the end, or always did */
    for (int k = 0; k < 3; ++k) {
      q->end[0][k] = q->end[2][k];
      if (sort == 0 && by == 0) q->start[0][k] = q->start[2][k];
    }
}

static void features_in_a_plane(void **state)
{
  (void)state;
  test_rng rng = {31};
  int later = 0, unsure = 0;
  for (int round = 0; round < 4 * ROUNDS; ++round) {
    const int kind = round & 1;
    query q;
    slid_query(&rng, round / 2 % 4, &q);
    const int axis = crossing_flat_axis(q.start, q.end);
    assert_true(axis >= 0);
    double time = -1, exact = -1;
    const int found = crossing_flat(kind, axis, q.start, q.end, 1, &time);
    const bool expected = crossing_exact(kind, q.start, q.end, &exact);
    unsure += found == SIGN_UNSURE;
    if (found == SIGN_UNSURE) continue;
    assert_int_equal(found, expected);
    if (found) assert_true(time == exact);
    later += found && time > 0;
    const double most = test_below(&rng, 2) ? exact : test_uniform(&rng, 0, 1);
    double limited = -1;
    if (found && crossing_flat(kind, axis, q.start, q.end, most, &limited) == 1) assert_true(limited == exact);
  }
  print_message("%d contacts after the start, %d of %d unsure\n", later, unsure, 4 * ROUNDS);
  assert_true(later > ROUNDS / 4 && unsure < ROUNDS / 25);
}

/* ---------------------------------------------------------------------------------- symmetry -- */

/* The same features in another order, with axes exchanged and mirrored. */
static query turned(const query *q, int kind, int axis, int order)
{
  static const int faces[6][4] = {{0, 1, 2, 3}, {0, 2, 3, 1}, {0, 3, 1, 2}, {0, 1, 3, 2}, {0, 3, 2, 1}, {0, 2, 1, 3}};
  static const int edges[6][4] = {{0, 1, 2, 3}, {1, 0, 2, 3}, {0, 1, 3, 2}, {2, 3, 0, 1}, {3, 2, 0, 1}, {3, 2, 1, 0}};
  query r;
  for (int i = 0; i < 4; ++i)
    for (int k = 0; k < 3; ++k) {
      int from = kind ? edges[order][i] : faces[order][i], at = (k + axis) % 3;
      r.start[i][k] = (k ? 1 : -1) * q->start[from][at];
      r.end[i][k] = (k ? 1 : -1) * q->end[from][at];
    }
  return r;
}

static void order_does_not_matter(void **state)
{
  (void)state;
  test_rng rng = {17};
  for (int round = 0; round < ROUNDS; ++round) {
    int kind = round & 1;
    query q;
    if (round & 2)
      small_integers(&rng, &q);
    else
      some_query(&rng, kind, &q);
    query other = turned(&q, kind, test_below(&rng, 3), test_below(&rng, 6));
    double time = -1, again = -1, reverse = -1;
    bool found = crossing_first(kind, q.start, q.end, 1, &time);
    assert_int_equal(crossing_first(kind, other.start, other.end, 1, &again), found);
    assert_true(!found || again == time);
    assert_int_equal(crossing_first(kind, q.end, q.start, 1, &reverse), found);
    if (found) assert_true(time + reverse <= 1); /* the last contact is not before the first */
    double before = -1;
    bool limited = crossing_first(kind, q.start, q.end, time / 2, &before);
    assert_true(!limited || before == time);
    assert_true(limited || !found || time > 0);
  }
}

/* Contacts from a moment on: as of the rest of the way alone, which is exact in integers at
 * eighths. */
static void later_contacts(void **state)
{
  (void)state;
  test_rng rng = {23};
  int second = 0;
  for (int round = 0; round < ROUNDS; ++round) {
    int kind = round & 1, eighths = test_below(&rng, 9);
    double from = eighths / 8.0, time = -1, by_integers = -1, alone = -1, first = -1;
    query q, rest;
    small_integers(&rng, &q);
    for (int i = 0; i < 12; ++i) {
      const double *x = &q.start[0][0] + i, *y = &q.end[0][0] + i;
      *(&rest.start[0][0] + i) = (8 - eighths) * *x + eighths * *y;
      *(&rest.end[0][0] + i) = 8 * *y;
    }
    bool found = crossing_since(kind, q.start, q.end, from, &time);
    assert_int_equal(crossing_exact_since(kind, q.start, q.end, from, &by_integers), found);
    assert_int_equal(crossing_exact(kind, rest.start, rest.end, &alone), found);
    if (!found) continue;
    assert_true(time == by_integers && time >= from && time <= 1);
    assert_true(fabs(time - (from + alone * (1 - from))) <= 0x1p-52);
    assert_true(crossing_first(kind, q.start, q.end, 1, &first) && first <= time);
    second += first < from;
    if (first >= from) assert_true(first == time);
  }
  assert_true(second > ROUNDS / 200);
}

/* On all kinds of doubles both stages agree. */
static void later_contacts_by_both_stages(void **state)
{
  (void)state;
  test_rng rng = {29};
  int found = 0;
  for (int round = 0; round < ROUNDS; ++round) {
    int kind = round & 1;
    query q;
    some_query(&rng, kind, &q);
    double time = -1, exact = -1, from = test_below(&rng, 8) ? test_uniform(&rng, 0, 1) : nextafter(1, 0);
    bool expected = crossing_exact_since(kind, q.start, q.end, from, &exact);
    assert_int_equal(crossing_since(kind, q.start, q.end, from, &time), expected);
    assert_true(!expected || (time == exact && time >= from));
    found += expected;
  }
  assert_true(found > ROUNDS / 20);
}

/* Contact at the very start costs no motion, and the functions for users say what the inside
 * says. */
static void public_functions(void **state)
{
  (void)state;
  const double start[4][3] = {{0.25, 0.25, 1}, {0, 0, 0}, {1, 0, 0}, {0, 1, 0}};
  const double end[4][3] = {{0.25, 0.25, -1}, {0, 0, 0}, {1, 0, 0}, {0, 1, 0}};
  double time = -1;
  assert_true(pl_vertex_face_time(start, end, &time));
  assert_true(time == 0.5);
  assert_true(pl_vertex_face_time(start, end, NULL));
  time = -1;
  assert_false(pl_vertex_face_time(start, start, &time));
  assert_true(time == -1);
  const double from[4][3] = {{-1, 0, 3}, {1, 0, 3}, {0, -1, 0}, {0, 1, 0}},
               to[4][3] = {{-1, 0, 0}, {1, 0, 0}, {0, -1, 2}, {0, 1, 2}};
  assert_true(pl_edge_edge_time(from, to, &time));
  assert_true(time == 0.6 || nextafter(time, 1) == 0.6); /* 3/5 rounded down */
  assert_true(time <= 0.6);
}

/* ------------------------------------------------------------------------------------ labels -- */

static void check_file(const char *path, const char *labels, bool edges, size_t expected)
{
  io_queries q;
  io_error error;
  assert_true(io_queries_read(data_path(path), &q, &error));
  if (labels) assert_true(io_queries_read_labels(data_path(labels), &q, &error));
  size_t contacts = 0;
  for (size_t i = 0; i < q.count; ++i) {
    double time = -1, exact = -1;
    bool found = (edges ? pl_edge_edge_time : pl_vertex_face_time)(q.queries[i].start, q.queries[i].end, &time);
    assert_int_equal(found, q.labels[i]);
    assert_int_equal(crossing_exact(edges, q.queries[i].start, q.queries[i].end, &exact), q.labels[i]);
    if (found) assert_true(time == exact && time >= 0 && time <= 1);
    contacts += found;
  }
  assert_int_equal(contacts, expected);
  io_queries_free(&q);
}

static void labelled(void **state)
{
  (void)state;
  data_needed();
  static const struct {
    const char *scene;
    size_t edges[2], faces[2]; /* contacts */
  } scenes[] = {{"erleben-cube-cliff-edges", {18, 20}, {15, 7}},
                {"erleben-cube-internal-edges", {17, 18}, {16, 5}},
                {"erleben-spike-wedge", {14, 22}, {7, 7}},
                {"erleben-spikes", {12, 4}, {11, 11}},
                {"unit-tests", {21, 0}, {35, 0}}};
  for (size_t s = 0; s < sizeof scenes / sizeof *scenes; ++s)
    for (int file = 0; file < (s == 4 ? 1 : 2); ++file) {
      char path[256];
      snprintf(path, sizeof path, "ccd-queries/%s/edge-edge/data_0_%d.csv", scenes[s].scene, file);
      check_file(path, NULL, true, scenes[s].edges[file]);
      snprintf(path, sizeof path, "ccd-queries/%s/vertex-face/data_0_%d.csv", scenes[s].scene, file);
      check_file(path, NULL, false, scenes[s].faces[file]);
    }
  const char *funnel = "ccd-scenes/cloth-funnel";
  char path[256], labels[256];
  snprintf(path, sizeof path, "%s/queries/227ee.csv", funnel);
  snprintf(labels, sizeof labels, "%s/mma_bool/227ee_mma_bool.json", funnel);
  check_file(path, labels, true, 107);
  snprintf(path, sizeof path, "%s/queries/227vf.csv", funnel);
  snprintf(labels, sizeof labels, "%s/mma_bool/227vf_mma_bool.json", funnel);
  check_file(path, labels, false, 27);
}

/* All points are one at the end or in the middle: they touch at the start or there, by the
 * shortcut as by the integers. */
static void features_that_shrink_to_a_point(void **state)
{
  (void)state;
  test_rng rng = {8};
  int at_start = 0, found[2] = {0, 0};
  for (int round = 0; round < 400; ++round) {
    const bool middle = round / 2 % 2;
    double start[4][3], end[4][3], time = 2, wanted = 2, to[3];
    for (int k = 0; k < 3; ++k) to[k] = test_below(&rng, 3) - 1;
    for (int i = 0; i < 12; ++i) {
      start[i / 3][i % 3] = round % 3 ? test_below(&rng, 3) - 1 : test_uniform(&rng, -1, 1);
      end[i / 3][i % 3] = middle ? (round % 3 ? 2 * to[i % 3] : 0) - start[i / 3][i % 3] : to[i % 3];
    }
    const crossing_kind kind = round % 2 ? CROSSING_EDGE_EDGE : CROSSING_VERTEX_FACE;
    const double(*from)[3] = (const double(*)[3])start, (*one)[3] = (const double(*)[3])end;
    assert_true(crossing_first(kind, from, one, 1, &time) && crossing_exact(kind, from, one, &wanted));
    assert_true(time == wanted && (time == 0 || time == (middle ? 0.5 : 1)));
    at_start += time == 0;
    found[middle] += time > 0;
  }
  assert_true(at_start > 5 && found[0] > 50 && found[1] > 50);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(like_oracle),
                                     cmocka_unit_test(filter_is_right),
                                     cmocka_unit_test(features_in_a_plane),
                                     cmocka_unit_test(order_does_not_matter),
                                     cmocka_unit_test(later_contacts),
                                     cmocka_unit_test(later_contacts_by_both_stages),
                                     cmocka_unit_test(public_functions),
                                     cmocka_unit_test(features_that_shrink_to_a_point),
                                     cmocka_unit_test(labelled)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
