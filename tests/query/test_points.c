/* Closest points, sides and signed distances of batches of points against the reference, byte
 * for byte, over the product of settings and worlds; and against what is known of them from
 * elsewhere: solid angles, distances of pl_body_distance_point(), the distance data. */
#include "scenes/ask.h"
#include "support/distances.h"
#include "support/probes.h"
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
enum { SIZE = 1, POINTS = 60 };
#define MOST_STEPS (test_soaks() ? 4 : 2)
static const settings_wish wish = {.each_tree = true, .each_shape = true, .leaf_step = 7, .leaf_step_8 = 3};
#endif

typedef struct truth {
  double point[POINTS][3];
  pl_point closest[POINTS], side[POINTS], both[POINTS];
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

static void copy_results(const pl_result *from, pl_point *to) { memcpy(to, from->points, from->count * sizeof *to); }

static truth *truths_of(world *w)
{
  pl_context *context = context_of(NULL);
  pl_body *bodies[2];
  w->pose(w, 0);
  world_bodies(w, context, NULL, true, bodies);
  truth *t = calloc((size_t)steps_of(w), sizeof *t);
  test_rng rng = {31};
  for (int s = 0; s < steps_of(w); ++s) {
    const pl_result *found;
    w->pose(w, s);
    world_set(w, true, bodies);
    make_points(&w->mesh[0], &rng, t[s].point);
    pl_positions at = pl_positions_f64(t[s].point[0], POINTS);
    assert_int_equal(reference_closest(pl_one(bodies[0]), at, NULL, &found), PL_OK);
    copy_results(found, t[s].closest);
    assert_int_equal(reference_inside(pl_one(bodies[0]), at, NULL, &found), PL_OK);
    copy_results(found, t[s].side);
    assert_int_equal(reference_signed_distance(pl_one(bodies[0]), at, NULL, &found), PL_OK);
    copy_results(found, t[s].both);
  }
  pl_context_destroy(context);
  return t;
}

/* The sign is that of the side, which same_side() compares. */
static bool same_closest(const pl_point *a, const pl_point *b)
{
  return fabs(a->distance) == fabs(b->distance) && a->triangle == b->triangle && a->u == b->u && a->v == b->v &&
         !memcmp(a->point, b->point, sizeof a->point);
}

/* Winding numbers of open bodies are sums in double in another order; a side may differ only
 * where they are about 1/2. */
static bool same_side(const pl_point *a, const pl_point *b, pl_closure kind)
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
    const pl_result *found;
    w->pose(w, s);
    world_set(w, chosen->doubles, bodies);
    pl_positions at = pl_positions_f64(t->point[0], POINTS);
    if (s % 2) {
      assert_int_equal(pl_closest(pl_one(bodies[0]), at, NULL, &found), PL_OK);
      assert_int_equal(found->count, POINTS);
      for (int i = 0; i < POINTS; ++i)
        if (!same_closest(&found->points[i], &t->closest[i]))
          fail_msg("%s %s step %d point %d: %.17g of %u instead of %.17g of %u", w->name, what, s, i,
                   found->points[i].distance, found->points[i].triangle, t->closest[i].distance,
                   t->closest[i].triangle);
      assert_int_equal(pl_inside(pl_one(bodies[0]), at, NULL, &found), PL_OK);
      for (int i = 0; i < POINTS; ++i)
        if (!same_side(&found->points[i], &t->side[i], found->closure))
          fail_msg("%s %s step %d point %d: %s, %.17g instead of %s, %.17g", w->name, what, s, i,
                   pl_word(PL_WORDS_SIDE, found->points[i].side), found->points[i].winding,
                   pl_word(PL_WORDS_SIDE, t->side[i].side), t->side[i].winding);
    } else {
      assert_int_equal(pl_signed_distance(pl_one(bodies[0]), at, NULL, &found), PL_OK);
      for (int i = 0; i < POINTS; ++i)
        if (!same_closest(&found->points[i], &t->both[i]) || !same_side(&found->points[i], &t->both[i], found->closure))
          fail_msg("%s %s step %d point %d: signed %.17g instead of %.17g", w->name, what, s, i,
                   found->points[i].distance, t->both[i].distance);
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
        const pl_result *found;
        pl_point want[40];
        pl_body *body = b ? morphing : rigid;
        assert_int_equal(reference_signed_distance(pl_one(body), pl_positions_f64(at[0], 40), NULL, &found), PL_OK);
        copy_results(found, want);
        assert_int_equal(pl_signed_distance(pl_one(body), pl_positions_f64(at[0], 40), NULL, &found), PL_OK);
        for (int i = 0; i < 40; ++i) {
          if (memcmp(&found->points[i], &want[i], sizeof want[i]))
            fail_msg("step %d body %d point %d: %.17g %g instead of %.17g %g", step, b, i, found->points[i].distance,
                     found->points[i].winding, want[i].distance, want[i].winding);
          inside += want[i].side == PL_SIDE_INSIDE;
        }
      }
    }
    assert_true(inside > 20 && inside < 300);
    pl_context_destroy(context);
  }
  shapes_free(&s);
}

/* The same numbers as the other function of distances gives, to their errors; and all limits of
 * magnitude. */
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
    const pl_result *found;
    pl_point want[30];
    assert_int_equal(pl_body_create_free(context, &mesh, NULL, &body), PL_OK);
    assert_int_equal(reference_signed_distance(pl_one(body), pl_positions_f64(at[0], 30), NULL, &found), PL_OK);
    copy_results(found, want);
    assert_int_equal(pl_signed_distance(pl_one(body), pl_positions_f64(at[0], 30), NULL, &found), PL_OK);
    for (int i = 0; i < 30; ++i) {
      least_row d;
      if (memcmp(&found->points[i], &want[i], sizeof want[i]))
        fail_msg("scale %g point %d: %.17g instead of %.17g", scales[s], i, found->points[i].distance,
                 want[i].distance);
      assert_int_equal(ask_point(body, at[i], false, &d), PL_OK);
      double distance = fabs(want[i].distance);
      if (!(fabs(d.distance - distance) <= 8 * DISTANCE_ERROR * distance + 5e-324) && d.distance != distance)
        fail_msg("scale %g point %d: %.17g, but %.17g by distance_point", scales[s], i, distance, d.distance);
    }
    pl_body_destroy(body);
  }
  pl_context_destroy(context);
}

/* ---------------------------------------------------------------------------------- the data -- */

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
  const pl_result *found;
  pl_question options = pl_question_default();
  options.coherent = true;
  assert_int_equal(pl_signed_distance(pl_one(body), pl_positions_f64(at[0], n), &options, &found), PL_OK);
  double worst = 0;
  int in = 0;
  for (size_t i = 0; i < n; ++i) {
    in += inside[i] != 0;
    if (fabs(want[i]) < 1e-9) continue;
    worst = fmax(worst, fabs(found->points[i].distance - want[i]));
    if ((found->points[i].side == PL_SIDE_INSIDE) != (inside[i] != 0))
      fail_msg("%s node %zu: %s at %g, but %d", g->mesh, i, pl_word(PL_WORDS_SIDE, found->points[i].side), want[i],
               inside[i]);
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
                                     cmocka_unit_test(magnitudes), cmocka_unit_test(signed_distances_of_the_data)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
