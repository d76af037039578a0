/* Regions: known shapes, the reference over worlds, settings and threads, options, scenes, and
 * lack of memory. test_regions_exact.c has an independent brute force. */
#include "scenes/scenes.h"
#include "support/distances.h"
#include "support/settings.h"
#include "support/shapes.h"
#include "support/two_balls.h"

#include <stdio.h>

static const double tau = 6.283185307179586;

static void assert_about(double got, double want, double by, const char *what)
{
  if (!(fabs(got - want) <= by)) fail_msg("%s: %.9g instead of %.9g", what, got, want);
}

static const pl_result *ask(pl_context *context, pl_who who, const pl_question *def)
{
  const pl_result *found;
  if (pl_regions(who, def, &found) != PL_OK) fail_msg("%s", pl_context_message(context));
  return found;
}

static pl_body *ball_at(pl_context *context, const scene_mesh *ball, double x, double y, double z, double radius,
                        bool inside_out)
{
  return balls_one(context, ball, (const double[]){x, y, z}, radius, inside_out);
}

static pl_body *box_in_doubles(pl_context *context, const double low[3], const double high[3], double unit)
{
  static const uint32_t tri[] = {0, 2, 1, 1, 2, 3, 0, 1, 4, 1, 5, 4, 0, 4, 2, 2, 4, 6,
                                 1, 3, 5, 3, 7, 5, 2, 6, 3, 3, 6, 7, 4, 5, 6, 5, 7, 6};
  double xyz[24];
  pl_body *body;
  for (int i = 0; i < 24; ++i) xyz[i] = (i / 3 >> i % 3 & 1 ? high : low)[i % 3] * unit;
  pl_mesh_def mesh = pl_mesh_def_default();
  mesh.positions = pl_positions_f64(xyz, 8);
  mesh.triangles = tri, mesh.triangle_count = 12;
  assert_int_equal(pl_body_create_free(context, &mesh, NULL, &body), PL_OK);
  return body;
}

static pl_body *box_of(pl_context *context, double x0, double y0, double z0, double x1, double y1, double z1)
{
  return box_in_doubles(context, (const double[]){x0, y0, z0}, (const double[]){x1, y1, z1}, 1);
}

/* A square of n x n quads in the plane z = 0, from -size to size. */
static pl_body *sheet_of(pl_context *context, int n, double size, double turn)
{
  scene_mesh mesh;
  assert_true(scene_cloth(n, &mesh));
  float *xyz = malloc(3 * mesh.vertex_count * sizeof *xyz);
  for (int i = 0; i <= n; ++i)
    for (int k = 0; k <= n; ++k) {
      double x = size * (2.0 * i / n - 1), y = size * (2.0 * k / n - 1);
      float *at = xyz + 3 * (i * (n + 1) + k);
      at[0] = (float)(x * cos(turn));
      at[1] = (float)y;
      at[2] = (float)(x * sin(turn));
    }
  pl_body *body = body_of(context, xyz, mesh.vertex_count, mesh.triangles, mesh.triangle_count, NULL);
  free(xyz);
  scene_mesh_free(&mesh);
  return body;
}

/* ------------------------------------------------------------------------------ known shapes -- */

/* Two balls: one closed contour, two caps, whichever way the triangles face. */
static void balls(void **state)
{
  (void)state;
  scene_mesh ball;
  assert_true(scene_geosphere(16, &ball));
  pl_context *context = context_of(NULL);
  pl_body *one = ball_at(context, &ball, 0, 0, 0, 1, false);
  for (int inside_out = 0; inside_out < 2; ++inside_out) {
    pl_body *two = ball_at(context, &ball, 1.2, 0.01, 0.02, 1, inside_out);
    const pl_result *found = ask(context, pl_two(one, two), NULL);
    const pl_region *row = &found->regions[0];
    assert_int_equal(found->count, 1);
    assert_int_equal(found->group_count, 1);
    assert_ptr_equal(found->groups[0].b, two);
    assert_true(row->ends == 0 && row->branches == 0 && row->areas == 0 && !row->folded);
    assert_int_equal(row->contour_end - row->contour_begin, 1);
    assert_true(found->parts->contours[0].closed);
    assert_about(row->length, tau * 0.8, 0.02, "length");
    assert_about(row->depth, 0.8, 0.01, "depth");
    assert_about(row->lower[0], 0.6, 0.03, "lower x");
    for (int s = 0; s < 2; ++s) {
      assert_true(row->side[s].cut_off && row->side[s].behind);
      assert_about(row->side[s].area, tau * 0.4, 0.03, "cap");
      assert_about(row->side[s].depth, 0.8, 0.01, "depth of a side");
      assert_int_equal(row->side[s].patch_end - row->side[s].patch_begin, 1);
    }
    pl_body_destroy(two);
  }
  pl_context_destroy(context);
  scene_mesh_free(&ball);
}

/* The corner of a box in another: exact numbers; and edges that cross without a vertex in
 * either. */
static void boxes(void **state)
{
  (void)state;
  pl_context *context = context_of(NULL);
  pl_body *big = box_of(context, 0, 0, 0, 8, 8, 8), *corner = box_of(context, 7, 6.5, 5, 12, 12, 12),
          *bar = box_of(context, -2, 3, 3.25, 10, 4, 4.5);
  const pl_result *found = ask(context, pl_two(big, corner), NULL);
  const pl_region *row = &found->regions[0];
  assert_int_equal(found->count, 1);
  assert_about(row->length, 2 * (1 + 1.5 + 3), 1e-9, "length");
  assert_about(row->depth, 1, 1e-9, "depth");
  for (int s = 0; s < 2; ++s)
    assert_about(row->side[s].area, 1 * 1.5 + 1.5 * 3 + 1 * 3, 1e-9, "area of three rectangles");
  assert_true(row->lower[0] == 7 && row->upper[0] == 8 && row->lower[2] == 5);

  found = ask(context, pl_two(big, bar), NULL);
  /* one on each side; the bar's middle is one part between both */
  assert_int_equal(found->count, 2);
  for (size_t i = 0; i < 2; ++i) {
    row = &found->regions[i];
    assert_about(row->length, 2 * (1 + 1.25), 1e-9, "around the bar");
    assert_about(row->side[0].area, 1.25, 1e-9, "window");
    assert_true(row->side[0].cut_off && row->side[1].cut_off);
  }
  assert_about(found->regions[0].side[1].area + found->regions[1].side[1].area, 2 * 8 * 2 * (1 + 1.25), 1e-6, "bar");
  pl_context_destroy(context);
}

/* Areas of extreme lengths were no numbers. */
static void boxes_of_any_size(void **state)
{
  (void)state;
  const double low[3][3] = {{0, 0, 0}, {7, 6.5, 5}, {8, 1, 1}}, high[3][3] = {{8, 8, 8}, {12, 12, 12}, {9, 3, 4}};
  for (int exponent = -480; exponent <= 480; exponent += 160) {
    pl_context *context = context_of(NULL);
    const double unit = ldexp(1, exponent);
    pl_body *box[3];
    for (int b = 0; b < 3; ++b) box[b] = box_in_doubles(context, low[b], high[b], unit);
    const pl_region *row = ask(context, pl_two(box[0], box[1]), NULL)->regions;
    for (int s = 0; s < 2; ++s) assert_about(ldexp(row->side[s].area, -2 * exponent), 9, 1e-9, "three rectangles");
    assert_about(ldexp(ask(context, pl_two(box[0], box[2]), NULL)->regions->flat, -2 * exponent), 6, 1e-9, "flat");
    pl_context_destroy(context);
  }
}

/* Two wedges that cross at their edges: no vertex of one is in the other. */
static void wedges(void **state)
{
  (void)state;
  static const uint32_t tri[] = {0, 1, 2, 3, 5, 4, 0, 3, 4, 0, 4, 1, 1, 4, 5, 1, 5, 2, 2, 5, 3, 2, 3, 0};
  const float a[] = {-1, -9, -1, 0, -9, 1, 1, -9, -1, -1, 9, -1, 0, 9, 1, 1, 9, -1};
  float b[18];
  for (int v = 0; v < 6; ++v) { /* turned by a quarter and upside down */
    b[3 * v] = -a[3 * v + 1];
    b[3 * v + 1] = -a[3 * v];
    b[3 * v + 2] = 1.5f - a[3 * v + 2];
  }
  pl_context *context = context_of(NULL);
  pl_body *one = body_of(context, a, 6, tri, 8, NULL), *two = body_of(context, b, 6, tri, 8, NULL);
  const pl_result *found = ask(context, pl_two(one, two), NULL);
  assert_int_equal(found->count, 1);
  const pl_region *row = &found->regions[0];
  assert_int_equal(row->ends, 0);
  assert_int_equal(found->parts->patch_count, 0);
  assert_true(row->side[0].cut_off && row->side[1].cut_off);
  /* The ridge of each is 0.5 deep under the other's; the way out is at right angles to a slope
   * of 2. */
  assert_about(row->depth, 0.5 / sqrt(5), 1e-6, "depth");
  pl_context_destroy(context);
}

/* An open sheet through a ball: a disc of it is cut off. The ball is cut in two; either part
 * would do, the smaller one is taken. A sheet that ends in the ball only slits it. */
static void sheets(void **state)
{
  (void)state;
  scene_mesh ball;
  assert_true(scene_geosphere(12, &ball));
  pl_context *context = context_of(NULL);
  pl_body *sheet = sheet_of(context, 23, 2, 0.01), *whole = ball_at(context, &ball, 0.01, 0.02, 0.6, 1, false),
          *edge = ball_at(context, &ball, 2.01, 0.02, 0.013, 1, false);
  const pl_result *found = ask(context, pl_two(sheet, whole), NULL);
  const pl_region *row = &found->regions[0];
  assert_int_equal(found->count, 1);
  assert_true(row->ends == 0 && row->side[0].cut_off && row->side[0].behind && row->side[1].cut_off);
  assert_about(row->side[0].area, tau / 2 * 0.64, 0.05, "disc");
  assert_about(row->side[1].area, tau * 0.4, 0.05, "cap");
  assert_about(row->side[0].depth, 0.4, 0.02, "depth of the disc");

  found = ask(context, pl_two(sheet, edge), NULL);
  row = &found->regions[0];
  assert_int_equal(found->count, 1);
  assert_int_equal(row->ends, 2);
  assert_true(row->side[0].cut_off && !row->side[1].cut_off);
  assert_about(row->side[0].area, tau / 4, 0.05, "half a disc");
  assert_true(row->depth > 0.85 && row->deepest_side == 0);
  pl_context_destroy(context);
  scene_mesh_free(&ball);
}

/* Contacts that only touch. */
static void touching(void **state)
{
  (void)state;
  pl_context *context = context_of(NULL);
  pl_body *table = box_of(context, -4, -4, -1, 4, 4, 0), *cup = box_of(context, -1, -1, 0, 1, 2, 2),
          *beside = box_of(context, 4, 4, -1, 5, 5, 0), *at_corner = box_of(context, 4, 4, 0, 5, 5, 1),
          *away = box_of(context, 9, 9, 9, 10, 10, 10);
  const pl_result *found = ask(context, pl_two(table, cup), NULL);
  assert_int_equal(found->count, 1);
  assert_about(found->regions[0].flat, 6, 1e-12, "area of contact");
  assert_about(found->regions[0].length, 10, 1e-12, "its border"); /* the sides of the cup end there */
  assert_true(found->regions[0].areas >= 2 && found->regions[0].depth == 0);
  found = ask(context, pl_two(table, beside), NULL);
  assert_int_equal(found->count, 1);
  assert_true(found->regions[0].flat == 0 && found->regions[0].areas == 0);
  assert_about(found->regions[0].length, 1, 1e-12, "an edge");
  found = ask(context, pl_two(table, at_corner), NULL);
  assert_int_equal(found->count, 1);
  assert_true(found->regions[0].length == 0 && found->parts->contour_count == 0);
  assert_true(found->regions[0].at[0] == 4 && found->regions[0].at[2] == 0 && found->regions[0].lower[1] == 4);
  found = ask(context, pl_two(table, away), NULL);
  assert_true(found->count == 0 && found->group_count == 0);
  pl_context_destroy(context);
}

/* A body of two balls, and a tube that is bent into itself: regions within one body. */
static void within_one_body(void **state)
{
  (void)state;
  scene_mesh ball;
  assert_true(scene_geosphere(10, &ball));
  size_t n = ball.vertex_count, m = ball.triangle_count;
  float *xyz = malloc(6 * n * sizeof *xyz);
  uint32_t *tri = malloc(6 * m * sizeof *tri);
  for (size_t i = 0; i < 6 * n; ++i)
    xyz[i] = ball.rest[i % (3 * n)] + (i < 3 * n ? 0 : i % 3 == 0 ? 1.6f : i % 3 == 1 ? 0.01f : 0.02f);
  for (size_t i = 0; i < 6 * m; ++i) tri[i] = ball.triangles[i % (3 * m)] + (uint32_t)(i / (3 * m) * n);
  pl_context *context = context_of(NULL);
  pl_body *body = body_of(context, xyz, 2 * n, tri, 2 * m, NULL);
  const pl_result *found = ask(context, pl_self(body), NULL);
  const pl_region *row = &found->regions[0];
  assert_int_equal(found->count, 1);
  assert_ptr_equal(found->groups[0].a, found->groups[0].b);
  assert_about(row->length, tau * 0.6, 0.03, "length");
  assert_about(row->depth, 0.4, 0.02, "depth");
  for (int s = 0; s < 2; ++s) assert_about(row->side[s].area, tau * 0.2, 0.03, "cap");
  for (size_t i = row->pair_begin; i < row->pair_end; ++i)
    assert_true((found->parts->pairs[i].a < m) != (found->parts->pairs[i].b < m) &&
                (found->parts->pairs[i].a < m) == (found->parts->pairs[0].a < m));
  pl_context_destroy(context);
  free(xyz);
  free(tri);
  scene_mesh_free(&ball);
}

/* --------------------------------------------------------------------- against the reference -- */

static uint64_t hash_result(const pl_result *r)
{
  uint64_t hash = hash_bytes(HASH_START, r->regions, r->count * sizeof *r->regions);
  hash = hash_bytes(hash, r->parts->pairs, r->parts->pair_count * sizeof *r->parts->pairs);
  hash = hash_bytes(hash, r->parts->contours, r->parts->contour_count * sizeof *r->parts->contours);
  hash = hash_bytes(hash, r->parts->points, r->parts->point_count * sizeof *r->parts->points);
  hash = hash_bytes(hash, r->parts->triangles, r->parts->triangle_count * sizeof *r->parts->triangles);
  hash = hash_bytes(hash, r->parts->patches, r->parts->patch_count * sizeof *r->parts->patches);
  hash = hash_bytes(hash, r->parts->patch_ids, r->parts->patch_id_count * sizeof *r->parts->patch_ids);
  return hash_bytes(hash, r->parts->patch_triangles,
                    r->parts->patch_triangle_count * sizeof *r->parts->patch_triangles);
}

/* What every result must have. */
static void check_shape(const pl_result *r)
{
  size_t pairs = 0, contours = 0;
  for (size_t i = 0; i < r->count; ++i) {
    const pl_region *row = &r->regions[i];
    assert_true(row->pair_begin == pairs && row->pair_end > pairs);
    assert_true(row->contour_begin == contours && row->contour_end >= contours);
    pairs = row->pair_end;
    contours = row->contour_end;
    assert_true(row->depth == fmax(row->side[0].depth, row->side[1].depth));
    for (int k = 0; k < 3; ++k) assert_true(row->lower[k] <= row->at[k] && row->at[k] <= row->upper[k]);
    double length = 0;
    for (size_t c = row->contour_begin; c < row->contour_end; ++c) {
      const pl_contour *contour = &r->parts->contours[c];
      size_t n = contour->end - contour->begin;
      assert_true(n >= 2);
      for (size_t k = 0; k + !contour->closed < n; ++k) {
        const double *p = r->parts->points[contour->begin + k], *q = r->parts->points[contour->begin + (k + 1) % n];
        length += sqrt((p[0] - q[0]) * (p[0] - q[0]) + (p[1] - q[1]) * (p[1] - q[1]) + (p[2] - q[2]) * (p[2] - q[2]));
      }
    }
    assert_about(length, row->length, 1e-9 * (1 + row->length), "length of the contours");
  }
  assert_int_equal(pairs, r->parts->pair_count);
  assert_int_equal(contours, r->parts->contour_count);
}

/* The bytes of a world's regions with some settings; 0: the reference, on one thread. */
static uint64_t hash_world(const world *w, int settings, bool self, uint32_t rings, size_t *count)
{
  pl_context_def c = pl_context_def_default();
  pl_context *context;
  pl_body *body[2];
  c.threads = settings > 1 ? settings : 1;
  assert_int_equal(pl_context_create(&c, &context), PL_OK);
  pl_strategy strategy = (pl_strategy)(1 + settings % (FREE_STRATEGIES - 1));
  pl_body_def def = body_def_of(strategy, settings % 2 ? 8 : 2, 1 + 2 * settings, false);
  world_bodies(w, context, settings ? &def : NULL, settings != 1, body);
  pl_question d = pl_question_default();
  d.reference = settings == 0;
  d.rings = rings;
  const pl_result *found = ask(context, self ? pl_self(body[0]) : pl_two(body[0], body[1]), &d);
  uint64_t hash = hash_result(found);
  check_shape(found);
  *count = found->count;
  pl_context_destroy(context);
  return hash;
}

static void run_world(int kind)
{
  world w;
  world_create(kind, 1, &w);
  size_t total = 0, count, again;
  for (int step = 0; step < w.steps; ++step) {
    w.pose(&w, step);
    for (int self = 0; self < 2; ++self) {
      uint64_t want = hash_world(&w, 0, self, (uint32_t)step % 3, &count);
      for (int settings = 1; settings < 4; ++settings)
        if (hash_world(&w, settings, self, (uint32_t)step % 3, &again) != want || again != count)
          fail_msg("%s, step %d, self %d, settings %d: %zu regions, not %zu", w.name, step, self, settings, again,
                   count);
      total += count;
    }
  }
  world_free(&w);
  print_message("%zu regions\n", total);
  assert_true(total > 0);
}

WORLD_LIST(WORLD_TEST)

/* Bodies that are transformed, and that blend shapes. */
static void motions(void **state)
{
  (void)state;
  shapes s;
  shapes_create(&s, 4);
  pl_context *context = context_of(NULL);
  pl_body *body[2];
  pl_mesh_def mesh = mesh_of(&s, 0, true);
  pl_positions references[SHAPES];
  for (int r = 0; r < SHAPES; ++r) references[r] = shape(&s, r, true);
  assert_int_equal(pl_body_create_rigid(context, &mesh, NULL, &body[0]), PL_OK);
  pl_morph_def blended = pl_morph_def_default();
  blended.references = references;
  blended.reference_count = SHAPES;
  assert_int_equal(pl_body_create_morph(context, &mesh, &blended, NULL, &body[1]), PL_OK);
  for (int step = 0; step < 6; ++step) {
    const double weights[SHAPES] = {1 - 0.15 * step, 0.1 * step, 0.05 * step}, c = cos(0.3 * step), v = sin(0.3 * step);
    const pl_transform at = {{{c, -v, 0}, {v, c, 0}, {0, 0, 1}}, {1.1 - 0.1 * step, 0.2, 0.1}};
    assert_int_equal(pl_body_set_transform(body[0], &at), PL_OK);
    assert_int_equal(pl_body_set_weights(body[1], weights, SHAPES), PL_OK);
    pl_question def = pl_question_default();
    const pl_result *found = ask(context, pl_two(body[0], body[1]), &def);
    uint64_t hash = hash_result(found);
    size_t count = found->count;
    assert_true(count > 0);
    def.reference = true;
    found = ask(context, pl_two(body[0], body[1]), &def);
    assert_true(found->count == count && hash_result(found) == hash);
  }
  pl_context_destroy(context);
  shapes_free(&s);
}

/* ----------------------------------------------------------------------------------- options -- */

static bool not_low(void *user, pl_body *a, pl_body *b, pl_pair pair)
{
  (void)b;
  return a == user && pair.a % 7 != 0;
}

static void options(void **state)
{
  (void)state;
  scene_mesh ball;
  assert_true(scene_geosphere(6, &ball));
  pl_context *context = context_of(NULL), *other = context_of(NULL);
  pl_body *one = ball_at(context, &ball, 0, 0, 0, 1, false), *two = ball_at(context, &ball, 1.2, 0.1, 0.2, 1, false),
          *far = ball_at(other, &ball, 0, 0, 0, 1, false);
  pl_question def = pl_question_default();
  def.filter = not_low;
  def.user = one;
  const pl_result *found = ask(context, pl_two(one, two), &def);
  size_t torn = found->count;
  assert_true(torn > 1 && found->regions[0].ends == 2);
  def.reference = true;
  assert_int_equal(ask(context, pl_two(one, two), &def)->count, torn);
  def = pl_question_default();
  def.depth = false;
  found = ask(context, pl_two(one, two), &def);
  assert_true(found->regions[0].depth == 0 && found->regions[0].side[0].area > 0 && found->parts->patch_count == 2);
  def.patches = false;
  def.depth = true;
  found = ask(context, pl_two(one, two), &def);
  assert_true(found->regions[0].depth == 0 && found->regions[0].side[0].area == 0 && found->parts->patch_count == 0);
  def.budget_tests = 1;
  assert_true(ask(context, pl_two(one, two), &def)->partial);

  pl_holder *holder, *theirs;
  assert_int_equal(pl_holder_create(context, &holder), PL_OK);
  assert_int_equal(pl_holder_create(other, &theirs), PL_OK);
  def = pl_question_default();
  def.holder = holder;
  found = ask(context, pl_two(one, two), &def);
  uint64_t hash = hash_result(found);
  ask(context, pl_self(one), NULL);
  assert_true(hash_result(found) == hash);
  def.holder = theirs;
  assert_refused(context, pl_regions(pl_two(one, two), &def, &found), PL_ERROR_MISMATCH, "holder");
  assert_refused(context, pl_regions(pl_two(one, far), NULL, &found), PL_ERROR_MISMATCH, "different contexts");
  assert_refused(context, pl_regions(pl_two(one, two), NULL, NULL), PL_ERROR_ARGUMENT, "out is NULL");
  assert_int_equal(pl_regions(pl_two(NULL, NULL), NULL, &found), PL_ERROR_ARGUMENT);
  assert_null(found);
  def = pl_question_default();
  def.budget_ms = -1;
  assert_refused(context, pl_regions(pl_two(one, two), &def, &found), PL_ERROR_ARGUMENT, "budget");
  def.struct_size = 3;
  assert_refused(context, pl_regions(pl_two(one, two), &def, &found), PL_ERROR_ARGUMENT, "pl_question");
  pl_context_destroy(context);
  pl_context_destroy(other);
  scene_mesh_free(&ball);
}

/* All groups of a scene in order, with and without trees. */
static void scenes(void **state)
{
  (void)state;
  scene_mesh ball;
  assert_true(scene_geosphere(5, &ball));
  pl_context *context = context_of(NULL);
  pl_scene *scene;
  pl_body *body[4];
  assert_int_equal(pl_scene_create(context, NULL, &scene), PL_OK);
  for (int i = 0; i < 4; ++i) {
    body[i] = ball_at(context, &ball, 0.9 * i, 0.03 * i, 0.1 * i, 0.8, false);
    pl_member_def member = pl_member_def_default();
    member.self = i % 2;
    assert_int_equal(pl_scene_add(scene, body[i], &member), PL_OK);
  }
  for (uint32_t rings = 0; rings < 3; ++rings) {
    pl_question def = pl_question_default();
    def.rings = rings;
    const pl_result *found = ask(context, pl_all(scene), &def);
    assert_int_equal(found->group_count, 3);
    for (size_t g = 0; g < 3; ++g) {
      assert_true(found->groups[g].a == body[g] && found->groups[g].b == body[g + 1]);
      assert_true(found->groups[g].begin == g && found->groups[g].end == g + 1);
      assert_about(found->regions[g].depth, 0.7, 0.1, "depth");
    }
    uint64_t hash = hash_result(found);
    def.reference = true;
    assert_true(hash_result(ask(context, pl_all(scene), &def)) == hash);
  }
  pl_context_destroy(context);
  scene_mesh_free(&ball);
}

static void out_of_memory(void **state)
{
  (void)state;
  balls_out_of_memory(pl_regions, 1.2, 1);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(balls),
                                     cmocka_unit_test(boxes),
                                     cmocka_unit_test(boxes_of_any_size),
                                     cmocka_unit_test(wedges),
                                     cmocka_unit_test(sheets),
                                     cmocka_unit_test(touching),
                                     cmocka_unit_test(within_one_body),
                                     WORLD_LIST(WORLD_ENTRY) cmocka_unit_test(motions),
                                     cmocka_unit_test(options),
                                     cmocka_unit_test(scenes),
                                     cmocka_unit_test(out_of_memory)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
