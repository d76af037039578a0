/* Depths within one body, of open bodies and in scenes: against two bodies that are the same
 * surfaces, dense samples, and for any number of threads. test_contact.c has two closed bodies. */
#include "scenes/ask.h"
#include "support/distances.h"
#include "support/probes.h"
#include "support/shapes.h"

#include <stdio.h>

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
enum { FREQUENCY = 5, POSES = 2, ALONG = 40, AROUND = 8, DENSE = 2 };
#else
enum { FREQUENCY = 5, POSES = 12, ALONG = 90, AROUND = 16, DENSE = 8 };
#endif

enum { MOST = 200, MEMBERS = 5 };

typedef struct surface {
  float *xyz;
  uint32_t *tri;
  size_t vertices, triangles;
} surface;

static void surface_add(surface *s, const float *xyz, size_t vertices, const uint32_t *tri, size_t triangles)
{
  s->xyz = realloc(s->xyz, 3 * (s->vertices + vertices) * sizeof *s->xyz);
  s->tri = realloc(s->tri, 3 * (s->triangles + triangles) * sizeof *s->tri);
  assert_true(s->xyz && s->tri);
  memcpy(s->xyz + 3 * s->vertices, xyz, 3 * vertices * sizeof *xyz);
  for (size_t i = 0; i < 3 * triangles; ++i) s->tri[3 * s->triangles + i] = tri[i] + (uint32_t)s->vertices;
  s->vertices += vertices;
  s->triangles += triangles;
}

static pl_body *surface_body(pl_context *context, const surface *s)
{
  return body_of(context, s->xyz, s->vertices, s->tri, s->triangles, NULL);
}

static void surface_free(surface *s)
{
  free(s->xyz);
  free(s->tri);
  *s = (surface){0};
}

static size_t copy_rows(const pl_result *found, pl_penetration *rows)
{
  assert_true(found->count < MOST);
  if (found->count) memcpy(rows, found->penetrations, found->count * sizeof *rows);
  return found->count;
}

static bool alike(double x, double y) { return fabs(x - y) <= 0.0101 * fmax(x, y); }

static bool is_cut(const pair_list *pairs, uint32_t triangle)
{
  for (size_t i = 0; i < pairs->count; ++i)
    if (pairs->pairs[i].a == triangle || pairs->pairs[i].b == triangle) return true;
  return false;
}

/* How many parts of two bodies are those of the body that is both of them, as deep and as far from
 * the other one; triangles of b follow those of a. Within one body, triangles that are cut count
 * as a whole: where those of the same surface are nearer, they are what is found. */
static void compare_parts(pl_body *a, pl_body *b, pl_body *both, size_t *total, size_t *same)
{
  static pl_penetration two[MOST];
  const pl_result *found;
  const size_t of_a = pl_body_triangle_count(a);
  assert_int_equal(pl_penetrations(pl_two(a, b), NULL, &found), PL_OK);
  const size_t count = copy_rows(found, two);
  assert_int_equal(pl_touching(pl_self(both), NULL, &found), PL_OK);
  pair_list pairs = copy_pairs(found);
  assert_int_equal(pl_penetrations(pl_self(both), NULL, &found), PL_OK);
  if (found->count != count) fail_msg("%zu parts within one body instead of %zu", found->count, count);
  *total += count;
  for (size_t k = 0; k < count; ++k) {
    const pl_penetration *p = &found->penetrations[k];
    const bool second = p->triangle >= of_a, across = (p->other_triangle >= of_a) != second;
    bool seen = false;
    assert_true(p->body == both && p->other == both && p->bound >= p->depth && p->bound <= p->depth * 1.0101);
    assert_true(across || is_cut(&pairs, p->other_triangle));
    for (size_t i = 0; i < count; ++i)
      seen =
          seen || (second == (two[i].body == b) && (across ? alike(p->depth, two[i].depth) : p->depth < two[i].bound));
    if (!seen) fail_msg("part %zu, %g deep, is not of two bodies", k, p->depth);
    *same += across;
  }
  free(pairs.pairs);
}

static void bodies_in_one(void **state)
{
  (void)state;
  shapes s;
  shapes_create(&s, FREQUENCY);
  const size_t n = s.mesh.vertex_count;
  size_t total = 0, same = 0;
  float *moved = malloc(3 * n * sizeof *moved);
  for (int pose = 0; pose < POSES; ++pose) {
    pl_context *context = context_of(NULL);
    surface one = {0}, two = {0}, both = {0};
    for (size_t i = 0; i < 3 * n; ++i)
      moved[i] = s.xyz[(pose + 1) % SHAPES][i] + (float)(0.2 * (pose % 4) + 0.3 * sin(pose + (double)(i % 3)));
    surface_add(&one, s.xyz[pose % SHAPES], n, s.mesh.triangles, s.mesh.triangle_count);
    surface_add(&two, moved, n, s.mesh.triangles, s.mesh.triangle_count);
    surface_add(&both, one.xyz, n, one.tri, one.triangles);
    surface_add(&both, two.xyz, n, two.tri, two.triangles);
    compare_parts(surface_body(context, &one), surface_body(context, &two), surface_body(context, &both), &total,
                  &same);
    pl_context_destroy(context);
    surface_free(&one);
    surface_free(&two);
    surface_free(&both);
  }
  print_message("%zu parts, %zu of them the same\n", total, same);
  assert_true(total >= POSES && 10 * same >= 9 * total);
  free(moved);
  shapes_free(&s);
}

/* The rings [begin, end) of a tube along a circle, whose ends meet beside each other; closed by
 * fans. */
static surface tube_of(int begin, int end)
{
  const double pi = 3.14159265358979323846;
  surface s = {0};
  const int rings = end - begin;
  float *xyz = malloc(3 * (size_t)(rings * AROUND + 2) * sizeof *xyz), *to = xyz;
  uint32_t *tri = malloc(6 * (size_t)(rings * AROUND) * sizeof *tri), *t = tri;
  for (int i = begin; i < end; ++i)
    for (int j = 0; j < AROUND; ++j, to += 3) {
      const double bend = 2.06 * pi * i / ALONG, turn = 2 * pi * j / AROUND, out = 1 + 0.2 * cos(turn);
      to[0] = (float)(out * cos(bend));
      to[1] = (float)(out * sin(bend));
      to[2] = (float)(0.2 * sin(turn) + 0.25 * i / ALONG);
    }
  for (int last = 0; last < 2; ++last, to += 3)
    for (int k = 0; k < 3; ++k) {
      double sum = 0;
      for (int j = 0; j < AROUND; ++j) sum += (double)xyz[3 * ((last ? (rings - 1) * AROUND : 0) + j) + k];
      to[k] = (float)(sum / AROUND);
    }
  for (int i = 0; i < rings; ++i)
    for (int j = 0; j < AROUND; ++j) {
      const uint32_t here = (uint32_t)(i * AROUND + j), next = (uint32_t)(i * AROUND + (j + 1) % AROUND);
      const uint32_t tip = (uint32_t)(rings * AROUND) + (i > 0);
      if (i == 0) *t++ = tip, *t++ = here, *t++ = next;
      if (i == rings - 1) *t++ = tip, *t++ = next, *t++ = here;
      if (i == rings - 1) continue;
      *t++ = here, *t++ = here + AROUND, *t++ = next;
      *t++ = next, *t++ = here + AROUND, *t++ = next + AROUND;
    }
  surface_add(&s, xyz, (size_t)(rings * AROUND + 2), tri, (size_t)(t - tri) / 3);
  free(xyz);
  free(tri);
  return s;
}

/* A tube whose ends are in each other, and the same one cut into two where nothing is. */
static void tube_in_itself(void **state)
{
  (void)state;
  pl_context *context = context_of(NULL);
  surface whole = tube_of(0, ALONG), first = tube_of(0, ALONG / 2 + 1), second = tube_of(ALONG / 2, ALONG);
  pl_body *body = surface_body(context, &whole), *a = surface_body(context, &first),
          *b = surface_body(context, &second);
  static pl_penetration two[MOST];
  const pl_result *found;
  double deepest = 0, within = 0;
  assert_int_equal(pl_penetrations(pl_two(a, b), NULL, &found), PL_OK);
  const size_t count = copy_rows(found, two);
  for (size_t i = 0; i < count; ++i) deepest = fmax(deepest, two[i].depth);
  assert_int_equal(pl_penetrations(pl_self(body), NULL, &found), PL_OK);
  for (size_t i = 0; i < found->count; ++i) {
    const pl_penetration *p = &found->penetrations[i];
    double length = 0;
    within = fmax(within, p->depth);
    for (int k = 0; k < 3; ++k) length += p->direction[k] * (p->surface[k] - p->point[k]);
    assert_true(fabs(length - p->depth) <= 1e-12);
  }
  assert_true(deepest > 0.03 && found->count >= 2);
  /* where the halves were closed nothing is inside */
  size_t there = 0;
  for (size_t i = 0; i < count; ++i) {
    bool seen = false;
    for (size_t k = 0; k < found->count; ++k) seen = seen || alike(found->penetrations[k].depth, two[i].depth);
    there += seen && two[i].depth > 0.01;
  }
  print_message("%zu parts, %g deep; of halves %zu, %g; %zu alike\n", found->count, within, count, deepest, there);
  assert_true(alike(within, deepest) && there >= 2);
  pl_context_destroy(context);
  surface_free(&whole);
  surface_free(&first);
  surface_free(&second);
}

/* No dense sample of a that signed distance finds inside of b is deeper than what was found. */
static void assert_deepest(pl_body *a, pl_body *b, const surface *of_a)
{
  const pl_result *found, *there;
  double depth = 0, deepest = 0;
  assert_int_equal(pl_penetrations(pl_two(a, b), NULL, &found), PL_OK);
  for (size_t i = 0; i < found->count; ++i) {
    const pl_penetration p = found->penetrations[i];
    if (p.body != a) continue;
    assert_int_equal(reference_signed_distance(pl_one(b), pl_positions_f64(p.point, 1), NULL, &there), PL_OK);
    assert_true(there->points[0].distance == -p.depth && there->points[0].triangle == p.other_triangle);
    depth = fmax(depth, p.depth);
  }
  for (size_t i = 0; i < of_a->triangles; ++i)
    for (int u = 0; u <= DENSE; ++u) {
      double at[DENSE + 1][3];
      for (int v = 0; v <= DENSE; ++v)
        for (int k = 0; k < 3; ++k) {
          const double x = u / (double)DENSE, y = v / (double)DENSE, w[3] = {1 - x, x * (1 - y), x * y};
          at[v][k] = 0;
          for (int c = 0; c < 3; ++c)
            at[v][k] += w[c] * (double)of_a->xyz[3 * of_a->tri[3 * i + (size_t)c] + (uint32_t)k];
        }
      assert_int_equal(pl_signed_distance(pl_one(b), pl_positions_f64(at[0], DENSE + 1), NULL, &there), PL_OK);
      for (int v = 0; v <= DENSE; ++v) deepest = fmax(deepest, -there->points[v].distance);
    }
  if (!(deepest <= depth * 1.0101)) fail_msg("a sample is %g deep, found %g", deepest, depth);
  assert_true(depth > 0);
}

/* A ball with a hole has an inside by its winding number: near the hole less of it than a closed
 * one, and elsewhere the same. */
static void open_bodies(void **state)
{
  (void)state;
  scene_mesh ball;
  assert_true(scene_geosphere(FREQUENCY, &ball));
  pl_context *context = context_of(NULL);
  surface whole = {0}, open = {0}, one = {0};
  surface_add(&whole, ball.rest, ball.vertex_count, ball.triangles, ball.triangle_count);
  surface_add(&open, ball.rest, ball.vertex_count, ball.triangles, ball.triangle_count);
  open.triangles = 0;
  for (size_t i = 0; i < ball.triangle_count; ++i) { /* without what is far to the left */
    float most = -1;
    for (size_t c = 0; c < 3; ++c) most = fmaxf(most, ball.rest[3 * (size_t)ball.triangles[3 * i + c]]);
    if (most > -0.6f) memcpy(open.tri + 3 * open.triangles++, ball.triangles + 3 * i, 3 * sizeof *open.tri);
  }
  pl_body *closed = surface_body(context, &whole), *cup = surface_body(context, &open);
  pl_closure kind;
  assert_int_equal(pl_body_closure(cup, &kind, NULL), PL_OK);
  assert_int_equal(kind, PL_CLOSURE_OPEN);
  for (int left = 0; left < 2; ++left) {
    surface_add(&one, ball.rest, ball.vertex_count, ball.triangles, ball.triangle_count);
    for (size_t i = 0; i < 3 * one.vertices; ++i)
      one.xyz[i] = 0.5f * one.xyz[i] + (i % 3 == 0 ? (left ? -1.0f : 1.25f) : i % 3 == 1 ? 0.1f : 0.0f);
    pl_body *small = surface_body(context, &one);
    const pl_result *found;
    assert_int_equal(pl_penetrations(pl_two(small, closed), NULL, &found), PL_OK);
    const double depth = found->penetrations[0].depth;
    assert_int_equal(pl_penetrations(pl_two(small, cup), NULL, &found), PL_OK);
    assert_int_equal(found->count, left ? 1 : 2); /* small in the cup; and, not in its hole, the cup in small */
    assert_ptr_equal(found->penetrations[0].body, small);
    if (!left) assert_ptr_equal(found->penetrations[1].body, cup);
    if (!left) assert_true(alike(found->penetrations[0].depth, depth));
    assert_deepest(small, cup, &one);
    if (!left) assert_deepest(cup, small, &open);
    surface_free(&one);
  }
  pl_context_destroy(context);
  scene_mesh_free(&ball);
  surface_free(&whole);
  surface_free(&open);
}

/* A scene of bodies that are in each other and in themselves, on one and on three threads; what a
 * second frame asks for. */
static size_t scene_rows(const surface *shape, int threads, pl_penetration *rows, pl_counters *counters)
{
  failing memory = {.until = -1};
  pl_context_def c = pl_context_def_default();
  pl_context *context;
  pl_scene *scene;
  pl_body *bodies[MEMBERS];
  const pl_result *found;
  c.allocator = (pl_allocator){&memory, failing_allocate, failing_release};
  c.threads = threads;
  memory.until = -1;
  assert_int_equal(pl_context_create(&c, &context), PL_OK);
  assert_int_equal(pl_scene_create(context, NULL, &scene), PL_OK);
  for (int i = 0; i < MEMBERS; ++i) {
    surface own = {0};
    surface_add(&own, shape->xyz, shape->vertices, shape->tri, shape->triangles);
    for (size_t k = 0; k < 3 * own.vertices; ++k) own.xyz[k] += k % 3 == 2 ? 0.37f * (float)i : 0.01f * (float)i;
    bodies[i] = surface_body(context, &own);
    pl_member_def member = pl_member_def_default();
    member.self = i % 2 == 0;
    assert_int_equal(pl_scene_add(scene, bodies[i], &member), PL_OK);
    surface_free(&own);
  }
  assert_int_equal(pl_penetrations(pl_all(scene), NULL, &found), PL_OK);
  memory.until = 0;
  assert_int_equal(pl_penetrations(pl_all(scene), NULL, &found), PL_OK);
  memory.until = -1;
  const size_t count = copy_rows(found, rows);
  assert_true(found->group_count >= MEMBERS);
  *counters = found->counters;
  for (size_t i = 0; i < count; ++i)
    for (int k = 0; k < MEMBERS; ++k) {
      if (rows[i].body == bodies[k]) rows[i].body = (pl_body *)(uintptr_t)(k + 1);
      if (rows[i].other == bodies[k]) rows[i].other = (pl_body *)(uintptr_t)(k + 1);
    }
  pl_context_destroy(context);
  assert_int_equal(memory.live, 0);
  return count;
}

static void scenes_and_threads(void **state)
{
  (void)state;
  static pl_penetration one[MOST], three[MOST];
  pl_counters of_one, of_three;
  surface shape = tube_of(0, ALONG);
  const size_t count = scene_rows(&shape, 1, one, &of_one);
  print_message("%zu parts\n", count);
  assert_true(count > MEMBERS);
  assert_int_equal(scene_rows(&shape, 3, three, &of_three), count);
  assert_memory_equal(one, three, count * sizeof *one);
  assert_true(of_one.n_v == of_three.n_v && of_one.n_p == of_three.n_p && of_one.n_u == of_three.n_u);
  surface_free(&shape);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(bodies_in_one), cmocka_unit_test(tube_in_itself),
                                     cmocka_unit_test(open_bodies), cmocka_unit_test(scenes_and_threads)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
