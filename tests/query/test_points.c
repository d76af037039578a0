/* Closest points, sides and signed distances of batches of points against the reference, byte for byte, over the product of settings and
 * worlds; and against what is known of them from elsewhere: solid angles, distances of pl_body_distance_point(), the distance data. */
#include "support/distances.h"
#include "support/settings.h"
#include "support/shapes.h"

#include "exact/point_tri.h"
#include "exact/tri_tri_distance.h"
#include "io/io.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#if defined(__SANITIZE_ADDRESS__)
enum { SIZE = 1, MOST_STEPS = 2, POINTS = 20 };
static const settings_wish wish = {.each_shape = false};
#else
enum { SIZE = 1, MOST_STEPS = 4, POINTS = 60 };
static const settings_wish wish = {.each_tree = true, .each_shape = true, .leaf_step = 7, .leaf_step_8 = 3};
#endif

typedef struct truth {
  double point[POINTS][3];
  pl_point_result closest[POINTS], side[POINTS], both[POINTS];
} truth;

/* Points around and in a mesh, on its vertices, edges and triangles, and far away. */
static void make_points(const world_mesh *m, test_rng *rng, double (*out)[3])
{
  double low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY};
  for (size_t i = 0; i < 3 * m->vertex_count; ++i) {
    low[i % 3] = fmin(low[i % 3], m->xyz[i]);
    high[i % 3] = fmax(high[i % 3], m->xyz[i]);
  }
  for (int i = 0; i < POINTS; ++i) {
    const uint32_t *t = m->triangles + 3 * (size_t)test_below(rng, (int)m->triangle_count);
    double u = test_uniform(rng, 0, 1), v = test_uniform(rng, 0, 1 - u);
    for (int k = 0; k < 3; ++k) {
      const double *a = m->xyz + 3 * t[0], *b = m->xyz + 3 * t[1], *c = m->xyz + 3 * t[2];
      double size = high[k] - low[k];
      switch (i % 6) {
      case 0:
        out[i][k] = a[k];
        break;
      case 1:
        out[i][k] = 0.5 * a[k] + 0.5 * b[k];
        break;
      case 2:
        out[i][k] = a[k] + u * (b[k] - a[k]) + v * (c[k] - a[k]);
        break;
      case 3:
        out[i][k] = (double)(float)test_uniform(rng, low[k] - size, high[k] + size + 1e-3);
        break;
      case 4:
        out[i][k] = i % 12 == 4 ? a[k] * 1e6 : a[k] + 1e-9 * size;
        break;
      default:
        out[i][k] = test_uniform(rng, low[k], high[k] + 1e-30);
      }
    }
  }
}

static int steps_of(const world *w) { return w->steps < MOST_STEPS ? w->steps : MOST_STEPS; }

static void copy_results(const pl_point_results *from, pl_point_result *to)
{
  memcpy(to, from->results, from->count * sizeof *to);
}

static truth *truths_of(world *w)
{
  pl_context *context = context_of(NULL);
  pl_body *bodies[2];
  w->pose(w, 0);
  world_bodies(w, context, NULL, true, bodies);
  truth *t = calloc((size_t)steps_of(w), sizeof *t);
  test_rng rng = {31};
  for (int s = 0; s < steps_of(w); ++s) {
    const pl_point_results *found;
    w->pose(w, s);
    world_set(w, true, bodies);
    make_points(&w->mesh[0], &rng, t[s].point);
    pl_positions at = pl_positions_f64(t[s].point[0], POINTS);
    assert_int_equal(pl_reference_closest(bodies[0], at, NULL, &found), PL_OK);
    copy_results(found, t[s].closest);
    assert_int_equal(pl_reference_inside(bodies[0], at, NULL, &found), PL_OK);
    copy_results(found, t[s].side);
    assert_int_equal(pl_reference_signed_distance(bodies[0], at, NULL, &found), PL_OK);
    copy_results(found, t[s].both);
  }
  pl_context_destroy(context);
  return t;
}

/* The sign is that of the side, which same_side() compares. */
static bool same_closest(const pl_point_result *a, const pl_point_result *b)
{
  return fabs(a->distance) == fabs(b->distance) && a->triangle == b->triangle && a->u == b->u && a->v == b->v &&
         !memcmp(a->point, b->point, sizeof a->point);
}

/* Winding numbers of open bodies are sums in double in another order; a side may differ only where they are about 1/2. */
static bool same_side(const pl_point_result *a, const pl_point_result *b, pl_closure kind)
{
  if ((a->distance < 0) != (a->side == PL_SIDE_INSIDE && a->triangle != PL_NONE)) return false;
  if (kind != PL_CLOSURE_OPEN) return a->side == b->side && a->winding == b->winding;
  if (!(fabs(a->winding - b->winding) <= 1e-9)) return false;
  return a->side == b->side || fabs(fabs(a->winding) - 0.5) <= 1e-9;
}

static void play(world *w, const truth *truths, const setting *chosen, const char *what)
{
  pl_context *context;
  pl_body *bodies[2];
  assert_int_equal(pl_context_create(&chosen->context, &context), PL_OK);
  w->pose(w, 0);
  world_bodies(w, context, &chosen->body, chosen->doubles, bodies);
  for (int s = 0; s < steps_of(w); ++s) {
    const truth *t = &truths[s];
    const pl_point_results *found;
    w->pose(w, s);
    world_set(w, chosen->doubles, bodies);
    pl_positions at = pl_positions_f64(t->point[0], POINTS);
    if (s % 2) {
      assert_int_equal(pl_body_closest(bodies[0], at, NULL, &found), PL_OK);
      assert_int_equal(found->count, POINTS);
      for (int i = 0; i < POINTS; ++i)
        if (!same_closest(&found->results[i], &t->closest[i]))
          fail_msg("%s %s step %d point %d: %.17g of %u instead of %.17g of %u", w->name, what, s, i,
                   found->results[i].distance, found->results[i].triangle, t->closest[i].distance,
                   t->closest[i].triangle);
      assert_int_equal(pl_body_inside(bodies[0], at, NULL, &found), PL_OK);
      for (int i = 0; i < POINTS; ++i)
        if (!same_side(&found->results[i], &t->side[i], found->closure))
          fail_msg("%s %s step %d point %d: %s, %.17g instead of %s, %.17g", w->name, what, s, i,
                   pl_side_text(found->results[i].side), found->results[i].winding, pl_side_text(t->side[i].side),
                   t->side[i].winding);
    } else {
      assert_int_equal(pl_body_signed_distance(bodies[0], at, NULL, &found), PL_OK);
      for (int i = 0; i < POINTS; ++i)
        if (!same_closest(&found->results[i], &t->both[i]) ||
            !same_side(&found->results[i], &t->both[i], found->closure))
          fail_msg("%s %s step %d point %d: signed %.17g instead of %.17g", w->name, what, s, i,
                   found->results[i].distance, t->both[i].distance);
    }
    assert_valid(bodies[0], context, what);
  }
  pl_context_destroy(context);
}

static void run_world(int kind)
{
  world w;
  world_create(kind, SIZE, &w);
  truth *truths = truths_of(&w);
  product p;
  settings_open(&p, &wish);
  for (size_t i = 0; i < p.row_count; ++i) {
    setting s = setting_of(&p, i);
    char what[SETTING_TEXT];
    play(&w, truths, &s, setting_text(&s, what));
    product_saw(&p, p.rows[i]);
  }
  print_message("%s: %zu settings, %d steps\n", w.name, p.row_count, steps_of(&w));
  settings_close(&p);
  free(truths);
  world_free(&w);
}

WORLD_LIST(WORLD_TEST)

/* The transforms of rigid and morphing bodies: rotated, scaled, mirrored, flat, and large. */
static void bodies_that_take_transforms(void **state)
{
  (void)state;
  shapes s;
  shapes_create(&s, 4);
  test_rng rng = {5};
  for (int simd = 0; simd < 3; ++simd) {
    pl_context *context = context_of((const char *[]){SIMD_WORDS}[simd]);
    if (!context) continue;
    pl_mesh_def mesh = mesh_of(&s, 0, simd == 1);
    pl_body *rigid, *morphing;
    assert_int_equal(pl_body_create_rigid(context, &mesh, NULL, &rigid), PL_OK);
    pl_positions references[SHAPES];
    for (int r = 0; r < SHAPES; ++r) references[r] = shape(&s, r, false);
    pl_morph_def def = pl_morph_def_default();
    def.references = references;
    def.reference_count = SHAPES;
    mesh = mesh_of(&s, 0, false);
    if (pl_body_create_morph(context, &mesh, &def, NULL, &morphing) != PL_OK)
      fail_msg("%s", pl_context_message(context));
    int inside = 0;
    for (int step = 0; step < 8; ++step) {
      pl_transform t = pl_transform_identity();
      double a = test_uniform(&rng, 0, 6), scale = step % 4 == 3 ? 1e7 : step % 4 == 2 ? 1e-3 : 1;
      t.m[0][0] = t.m[1][1] = scale * cos(a);
      t.m[0][1] = -(t.m[1][0] = scale * sin(a));
      t.m[2][2] = step == 5 ? 0 : step % 2 ? -scale : scale;
      for (int k = 0; k < 3; ++k) t.t[k] = test_uniform(&rng, -2, 2);
      double weights[SHAPES] = {test_uniform(&rng, 0, 0.5), test_uniform(&rng, 0, 0.5)};
      weights[2] = 1 - weights[0] - weights[1];
      assert_int_equal(pl_body_set_weights(morphing, weights, SHAPES), PL_OK);
      assert_int_equal(pl_body_set_transform(rigid, &t), PL_OK);
      assert_int_equal(pl_body_set_transform(morphing, &t), PL_OK);
      double at[40][3];
      for (int i = 0; i < 120; ++i)
        at[i / 3][i % 3] = (i < 12 ? 1e3 : 1) * test_uniform(&rng, -1.5, 1.5) * scale + t.t[i % 3];
      for (int b = 0; b < 2; ++b) {
        const pl_point_results *found;
        pl_point_result want[40];
        pl_body *body = b ? morphing : rigid;
        assert_int_equal(pl_reference_signed_distance(body, pl_positions_f64(at[0], 40), NULL, &found), PL_OK);
        copy_results(found, want);
        assert_int_equal(pl_body_signed_distance(body, pl_positions_f64(at[0], 40), NULL, &found), PL_OK);
        for (int i = 0; i < 40; ++i) {
          if (memcmp(&found->results[i], &want[i], sizeof want[i]))
            fail_msg("step %d body %d point %d: %.17g %g instead of %.17g %g", step, b, i, found->results[i].distance,
                     found->results[i].winding, want[i].distance, want[i].winding);
          inside += want[i].side == PL_SIDE_INSIDE;
        }
      }
    }
    assert_true(inside > 20 && inside < 300);
    pl_context_destroy(context);
  }
  shapes_free(&s);
}

/* The same numbers as the other function of distances gives, to their errors; and all limits of magnitude. */
static void magnitudes(void **state)
{
  (void)state;
  static const double scales[] = {1, 1e15, 1e25, 1e60, 1e200, 1e300, 1e-20, 1e-60, 1e-200, 1e-300};
  pl_context *context = context_of(NULL);
  test_rng rng = {8};
  double xyz[4][3], at[30][3];
  static const uint32_t tetrahedra[] = {0, 2, 1, 0, 1, 3, 1, 2, 3, 2, 0, 3};
  for (size_t s = 0; s < sizeof scales / sizeof *scales; ++s) {
    for (int i = 0; i < 12; ++i) xyz[i / 3][i % 3] = test_uniform(&rng, -1, 1) * scales[s];
    for (int i = 0; i < 90; ++i) {
      double mixed = i >= 60 ? scales[test_below(&rng, 10)] : scales[s];
      at[i / 3][i % 3] = i < 15 ? xyz[i / 9][i % 3] : test_uniform(&rng, -1, 1) * mixed;
    }
    pl_mesh_def mesh = pl_mesh_def_default();
    mesh.positions = pl_positions_f64(xyz[0], 4);
    mesh.triangles = tetrahedra;
    mesh.triangle_count = 4;
    pl_body *body;
    const pl_point_results *found;
    pl_point_result want[30];
    assert_int_equal(pl_body_create_free(context, &mesh, NULL, &body), PL_OK);
    assert_int_equal(pl_reference_signed_distance(body, pl_positions_f64(at[0], 30), NULL, &found), PL_OK);
    copy_results(found, want);
    assert_int_equal(pl_body_signed_distance(body, pl_positions_f64(at[0], 30), NULL, &found), PL_OK);
    for (int i = 0; i < 30; ++i) {
      pl_distance d;
      if (memcmp(&found->results[i], &want[i], sizeof want[i]))
        fail_msg("scale %g point %d: %.17g instead of %.17g", scales[s], i, found->results[i].distance,
                 want[i].distance);
      assert_int_equal(pl_body_distance_point(body, at[i], NULL, &d), PL_OK);
      double distance = fabs(want[i].distance);
      if (!(fabs(d.distance - distance) <= 8 * DISTANCE_ERROR * distance + 5e-324) && d.distance != distance)
        fail_msg("scale %g point %d: %.17g, but %.17g by distance_point", scales[s], i, distance, d.distance);
    }
    pl_body_destroy(body);
  }
  pl_context_destroy(context);
}

/* ------------------------------------------------------------------------------------------------- policies -- */

static pl_body *cube_of(pl_context *context, bool open, bool turned, bool flipped_one)
{
  static const float xyz[] = {0, 0, 0, 4, 0, 0, 0, 4, 0, 4, 4, 0, 0, 0, 4, 4, 0, 4, 0, 4, 4, 4, 4, 4};
  uint32_t tri[] = {0, 2, 1, 1, 2, 3, 0, 1, 4, 1, 5, 4, 0, 4, 2, 2, 4, 6,
                    1, 3, 5, 3, 7, 5, 2, 6, 3, 3, 6, 7, 4, 5, 6, 5, 7, 6};
  for (int i = 0; i < 12; ++i)
    if (turned || (flipped_one && i == 3)) {
      uint32_t kept = tri[3 * i];
      tri[3 * i] = tri[3 * i + 1];
      tri[3 * i + 1] = kept;
    }
  return body_of(context, xyz, 8, tri, open ? 10 : 12, NULL);
}

static pl_point_result at_point(pl_body *body, double x, double y, double z)
{
  const pl_point_results *found;
  double p[3] = {x, y, z};
  assert_int_equal(pl_body_signed_distance(body, pl_positions_f64(p, 1), NULL, &found), PL_OK);
  return found->results[0];
}

static void kinds_of_surfaces(void **state)
{
  (void)state;
  pl_context *context = context_of(NULL);
  pl_closure closure_kind;
  size_t edges;
  pl_body *closed = cube_of(context, false, false, false), *turned = cube_of(context, false, true, false),
          *mixed = cube_of(context, false, false, true), *open = cube_of(context, true, false, false);
  assert_int_equal(pl_body_closure(closed, &closure_kind, &edges), PL_OK);
  assert_int_equal(closure_kind, PL_CLOSURE_CLOSED);
  assert_int_equal(edges, 0);
  assert_int_equal(pl_body_closure(mixed, &closure_kind, &edges), PL_OK);
  assert_int_equal(closure_kind, PL_CLOSURE_UNORIENTED);
  assert_int_equal(edges, 3);
  assert_int_equal(pl_body_closure(open, &closure_kind, &edges), PL_OK);
  assert_int_equal(closure_kind, PL_CLOSURE_OPEN);
  assert_int_equal(edges, 4);
  assert_string_equal(pl_closure_text(closure_kind), "open");

  pl_point_result r = at_point(closed, 1, 2, 2);
  assert_true(r.distance == -1 && r.winding == 1 && r.side == PL_SIDE_INSIDE && r.point[0] == 0);
  r = at_point(turned, 1, 2, 2);
  assert_true(r.distance == -1 && r.winding == -1 && r.side == PL_SIDE_INSIDE);
  r = at_point(mixed, 1, 2, 2);
  assert_true(r.distance == -1 && r.winding == 1 && r.side == PL_SIDE_INSIDE);
  r = at_point(closed, 2, 2, 5);
  assert_true(r.distance == 1 && r.winding == 0 && r.side == PL_SIDE_OUTSIDE);
  for (int i = 0; i < 27; ++i) { /* corners, edges and faces, and above diagonals and edges of every face */
    double p[3] = {2.0 * (i % 3), 2.0 * (i / 3 % 3), 2.0 * (i / 9)};
    r = at_point(closed, p[0], p[1], p[2]);
    bool inside = i == 13;
    assert_true(r.side == (inside ? PL_SIDE_INSIDE : PL_SIDE_ON) && r.distance == (inside ? -2 : 0));
    r = at_point(closed, 2 * p[0] - 2, 2 * p[1] - 2, 2 * p[2] - 2); /* -2, 2, 6 */
    assert_true(r.side == (inside ? PL_SIDE_INSIDE : PL_SIDE_OUTSIDE));
  }

  /* The open cube lacks its top: from its middle five sixths of the sphere are covered, above the rim less than a half. */
  r = at_point(open, 2, 2, 2);
  assert_true(fabs(r.winding - 5 / 6.0) < 1e-12 && r.side == PL_SIDE_INSIDE);
  r = at_point(open, 2, 2, 4.5);
  assert_true(r.winding < 0.5 && r.side == PL_SIDE_OUTSIDE);
  r = at_point(open, 2, 2, 3.5);
  assert_true(r.winding > 0.5 && r.winding < 5 / 6.0 && r.side == PL_SIDE_INSIDE && r.distance == -2);
  r = at_point(open, 2, 2, 4); /* in the plane of the rim: half of the sphere, seen from both sides */
  assert_true(fabs(r.winding - 0.5) < 1e-12);
  r = at_point(open, 0, 0, 5); /* straight above a corner of the rim, which the border cannot be seen well from */
  assert_true(r.side == PL_SIDE_OUTSIDE && fabs(r.winding) < 0.25);
  pl_context_destroy(context);
}

/* Two spheres as one body: where they overlap the winding number is 2, and it is inside; a sphere in a sphere that faces inwards is hollow. */
static void overlaps_and_hollows(void **state)
{
  (void)state;
  pl_context *context = context_of(NULL);
  scene_mesh ball;
  assert_true(scene_geosphere(4, &ball));
  size_t n = ball.vertex_count, m = ball.triangle_count;
  float *xyz = malloc(6 * n * sizeof *xyz);
  uint32_t *tri = malloc(6 * m * sizeof *tri);
  for (int hollow = 0; hollow < 2; ++hollow) {
    for (size_t i = 0; i < 3 * n; ++i) {
      xyz[i] = ball.rest[i];
      xyz[3 * n + i] = hollow ? 0.5f * ball.rest[i] : ball.rest[i] + (i % 3 == 0 ? 1.0f : 0.0f);
    }
    for (size_t i = 0; i < 3 * m; ++i) {
      tri[i] = ball.triangles[i];
      tri[3 * m + i] = (uint32_t)n + ball.triangles[hollow ? i / 3 * 3 + 2 - i % 3 : i];
    }
    pl_body *body = body_of(context, xyz, 2 * n, tri, 2 * m, NULL);
    pl_point_result r = at_point(body, hollow ? 0.25 : 0.5, 0, 0);
    assert_true(hollow ? r.winding == 0 && r.side == PL_SIDE_OUTSIDE : r.winding == 2 && r.side == PL_SIDE_INSIDE);
    assert_true((r.distance > 0) == (hollow == 1));
    r = at_point(body, -0.75, 0, 0);
    assert_true(r.winding == 1 && r.side == PL_SIDE_INSIDE);
    pl_body_destroy(body);
  }
  free(xyz);
  free(tri);
  scene_mesh_free(&ball);
  pl_context_destroy(context);
}

/* --------------------------------------------------------------------------------------------------- options -- */

static bool even_only(void *user, size_t point, uint32_t triangle)
{
  (void)user;
  (void)point;
  return triangle % 2 == 0;
}

static void options(void **state)
{
  (void)state;
  enum { MANY = 3000 };
  scene_mesh ball;
  assert_true(scene_geosphere(12, &ball));
  float(*at)[4] = malloc(MANY * sizeof *at);
  test_rng rng = {3};
  for (int i = 0; i < MANY; ++i)
    for (int k = 0; k < 4; ++k) at[i][k] = (float)test_uniform(&rng, -2, 2);
  pl_positions batch = pl_positions_strided(PL_F32, at, MANY, sizeof *at);
  pl_point_result *first = malloc(MANY * sizeof *first), *own = malloc(MANY * sizeof *own);
  pl_counters counters = {0};
  for (int threads = 1; threads <= 4; threads += 3) {
    pl_context_def c = pl_context_def_default();
    c.threads = threads;
    pl_context *context;
    assert_int_equal(pl_context_create(&c, &context), PL_OK);
    pl_body *body = body_of(context, ball.rest, ball.vertex_count, ball.triangles, ball.triangle_count, NULL);
    const pl_point_results *found;
    assert_int_equal(pl_body_signed_distance(body, batch, NULL, &found), PL_OK);
    if (threads == 1) {
      copy_results(found, first);
      counters = found->counters;
    }
    assert_memory_equal(found->results, first, MANY * sizeof *first);
    assert_true(found->counters.n_v == counters.n_v && found->counters.n_p == counters.n_p);

    pl_point_def def = pl_point_def_default();
    def.coherent = true;
    def.results = own;
    assert_int_equal(pl_body_signed_distance(body, batch, &def, &found), PL_OK);
    assert_ptr_equal(found->results, own);
    assert_memory_equal(own, first, MANY * sizeof *first);

    def.limit = 0.5;
    assert_int_equal(pl_body_closest(body, batch, &def, &found), PL_OK);
    for (int i = 0; i < MANY; ++i) {
      bool in = fabs(first[i].distance) <= 0.5;
      assert_true(in ? own[i].distance == fabs(first[i].distance) && own[i].triangle == first[i].triangle
                     : own[i].distance == INFINITY && own[i].triangle == PL_NONE);
    }
    def = pl_point_def_default();
    def.filter = even_only;
    batch.count = 200;
    assert_int_equal(pl_reference_closest(body, batch, &def, &found), PL_OK);
    copy_results(found, own);
    assert_int_equal(pl_body_closest(body, batch, &def, &found), PL_OK);
    assert_memory_equal(found->results, own, 200 * sizeof *own);
    batch.count = MANY;

    def = pl_point_def_default();
    def.budget_ms = 1e-6;
    assert_int_equal(pl_body_closest(body, batch, &def, &found), PL_OK);
    assert_true(found->partial && found->count < MANY);
    assert_int_equal(pl_body_closest(body, pl_positions_f64(NULL, 0), NULL, &found), PL_OK);
    assert_true(found->count == 0 && !found->partial);

    /* A definition from before the last members were there. */
    def = pl_point_def_default();
    def.struct_size = offsetof(pl_point_def, filter);
    def.limit = 0.25;
    def.filter = (pl_point_filter)0x1; /* beyond its end */
    assert_int_equal(pl_body_closest(body, batch, &def, &found), PL_OK);
    assert_true(found->results[0].distance <= 0.25 || found->results[0].distance == INFINITY);
    pl_context_destroy(context);
  }
  free(first);
  free(own);
  free(at);
  scene_mesh_free(&ball);
}

static void refused(void **state)
{
  (void)state;
  pl_context *context = context_of(NULL);
  pl_body *body = cube_of(context, false, false, false);
  const pl_point_results *found;
  double p[6] = {0, 0, 0, 1, NAN, 0};
  pl_positions two = pl_positions_f64(p, 2), one = pl_positions_f64(p, 1);
  assert_int_equal(pl_body_closest(NULL, one, NULL, &found), PL_ERROR_ARGUMENT);
  assert_refused(context, pl_body_closest(body, one, NULL, NULL), PL_ERROR_ARGUMENT, "out is NULL");
  assert_refused(context, pl_body_closest(body, two, NULL, &found), PL_ERROR_POSITIONS, "1");
  assert_null(found);
  pl_point_def def = pl_point_def_default();
  def.limit = -1;
  assert_refused(context, pl_body_closest(body, one, &def, &found), PL_ERROR_ARGUMENT, "the limit");
  def = pl_point_def_default();
  def.filter = even_only;
  assert_refused(context, pl_body_signed_distance(body, one, &def, &found), PL_ERROR_UNSUPPORTED, "filter");
  def = pl_point_def_default();
  def.limit = 1;
  assert_refused(context, pl_reference_inside(body, one, &def, &found), PL_ERROR_UNSUPPORTED, "limit");
  def = pl_point_def_default();
  def.struct_size = 3;
  assert_refused(context, pl_body_closest(body, one, &def, &found), PL_ERROR_ARGUMENT, "struct_size");
  pl_closure closure_kind;
  size_t edges;
  assert_int_equal(pl_body_closure(NULL, &closure_kind, &edges), PL_ERROR_ARGUMENT);
  assert_refused(context, pl_body_closure(body, NULL, NULL), PL_ERROR_ARGUMENT, "out is NULL");
  pl_context_destroy(context);
}

static void out_of_memory(void **state)
{
  (void)state;
  double p[3 * 600];
  for (int i = 0; i < 1800; ++i) p[i] = i * 0.01;
  for (long until = 0;; ++until) {
    failing memory = {-1, 0};
    pl_context_def c = pl_context_def_default();
    c.allocator = (pl_allocator){&memory, failing_allocate, failing_release};
    c.threads = 1;
    pl_context *context;
    assert_int_equal(pl_context_create(&c, &context), PL_OK);
    pl_body *body = cube_of(context, true, false, false);
    const pl_point_results *found;
    memory.until = until;
    pl_status status = pl_body_signed_distance(body, pl_positions_f64(p, 600), NULL, &found);
    assert_true(status == PL_OK || status == PL_ERROR_MEMORY);
    if (status == PL_OK) { /* a second frame asks for nothing */
      memory.until = 0;
      assert_int_equal(pl_body_signed_distance(body, pl_positions_f64(p, 600), NULL, &found), PL_OK);
    }
    pl_context_destroy(context);
    assert_int_equal(memory.live, 0);
    if (status == PL_OK) return;
  }
}

/* -------------------------------------------------------------------------------------------------- the data -- */

typedef struct grid_file {
  const char *mesh, *values;
  double low[3], high[3];
  int nodes;
  long inside_at, distance_at;
  int inside;
} grid_file;

static void check_grid(const grid_file *g)
{
  io_mesh mesh;
  io_error error;
  if (!io_mesh_read(data_path(g->mesh), &mesh, &error)) fail_msg("%s", error.text);
  pl_context *context = context_of(NULL);
  pl_mesh_def def = pl_mesh_def_default();
  def.positions = pl_positions_f64(mesh.xyz, mesh.vertex_count);
  def.triangles = mesh.triangles;
  def.triangle_count = mesh.triangle_count;
  pl_body *body;
  assert_int_equal(pl_body_create_free(context, &def, NULL, &body), PL_OK);
  pl_closure closure_kind;
  size_t edges;
  assert_int_equal(pl_body_closure(body, &closure_kind, &edges), PL_OK);
  assert_int_equal(closure_kind, PL_CLOSURE_CLOSED);

  size_t n = (size_t)g->nodes * (size_t)g->nodes * (size_t)g->nodes;
  double(*at)[3] = malloc(n * sizeof *at), *want = malloc(n * sizeof *want);
  int32_t *inside = malloc(n * sizeof *inside);
  FILE *file = fopen(data_path(g->values), "rb");
  assert_non_null(file);
  assert_int_equal(fseek(file, g->inside_at, SEEK_SET), 0);
  assert_int_equal(fread(inside, sizeof *inside, n, file), n);
  assert_int_equal(fseek(file, g->distance_at, SEEK_SET), 0);
  assert_int_equal(fread(want, sizeof *want, n, file), n);
  fclose(file);
  for (size_t i = 0; i < n; ++i) {
    size_t node[3] = {i % (size_t)g->nodes, i / (size_t)g->nodes % (size_t)g->nodes,
                      i / (size_t)g->nodes / (size_t)g->nodes};
    for (int k = 0; k < 3; ++k)
      at[i][k] = g->low[k] + (g->high[k] - g->low[k]) * (double)node[k] / (double)(g->nodes - 1);
  }
  const pl_point_results *found;
  pl_point_def options = pl_point_def_default();
  options.coherent = true;
  assert_int_equal(pl_body_signed_distance(body, pl_positions_f64(at[0], n), &options, &found), PL_OK);
  double worst = 0;
  int in = 0;
  for (size_t i = 0; i < n; ++i) {
    in += inside[i] != 0;
    if (fabs(want[i]) < 1e-9) continue;
    worst = fmax(worst, fabs(found->results[i].distance - want[i]));
    if ((found->results[i].side == PL_SIDE_INSIDE) != (inside[i] != 0))
      fail_msg("%s node %zu: %s at %g, but %d", g->mesh, i, pl_side_text(found->results[i].side), want[i], inside[i]);
  }
  print_message("%s: %zu nodes, largest difference %.2g\n", g->mesh, n, worst);
  assert_int_equal(in, g->inside);
  assert_true(worst < 1e-13);
  free(at);
  free(want);
  free(inside);
  pl_context_destroy(context);
  io_mesh_free(&mesh);
}

static void signed_distances_of_the_data(void **state)
{
  (void)state;
  data_needed();
  static const grid_file files[] = {
      {"distance/cap.stl", "distance/cap_16_baseline_0000000.hdf5", {-2, -4, -4}, {2, 4, 4}, 17, 34498, 56198, 109},
      {"distance/fin0.stl",
       "distance/fin0_32_baseline_0000000.hdf5",
       {-10, -20, 5},
       {10, 0, 25},
       33,
       158631,
       304427,
       69},
      {"distance/tetrahedron.stl",
       "distance/tetrahedron_31_baseline_0000000.hdf5",
       {-5, -5, -5},
       {5, 5, 5},
       32,
       145962,
       279082,
       76},
  };
  for (size_t i = 0; i < sizeof files / sizeof *files; ++i) check_grid(&files[i]);
}

int main(void)
{
  const struct CMUnitTest tests[] = {WORLD_LIST(WORLD_ENTRY) cmocka_unit_test(bodies_that_take_transforms),
                                     cmocka_unit_test(magnitudes),
                                     cmocka_unit_test(kinds_of_surfaces),
                                     cmocka_unit_test(overlaps_and_hollows),
                                     cmocka_unit_test(options),
                                     cmocka_unit_test(refused),
                                     cmocka_unit_test(out_of_memory),
                                     cmocka_unit_test(signed_distances_of_the_data)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
