/* Volumes of governed bodies in exact arithmetic: every box of the tree contains the real
 * positions of its vertices (rationals, from the weights and governors as they are) and the
 * rounded ones that queries use; leaves in float lanes are as near to them as they state. For
 * random convex weights and turned, sheared, mirrored, flat and nearly flat transforms, far from
 * the origin and of mixed sizes. And boxes are not much larger than they need be. */
#include "body/body.h"
#include "kernels/kernels.h"
#include "motion/governed.h"

#include "support/skins.h" /* after our headers: cmocka has a macro named fail */

#include <stdio.h>

#ifdef PLIANT_HAVE_GMP
#include <gmp.h>

#ifdef __SANITIZE_ADDRESS__
enum { FREQUENCY = 3, ROUNDS = 14 };
#else
enum { FREQUENCY = 4, ROUNDS = 35 };
#endif

/* --------------------------------------------------------------------------------- rationals -- */

typedef struct exact {
  mpq_t sum, term, factor;
} exact;

static void exact_init(exact *e) { mpq_inits(e->sum, e->term, e->factor, NULL); }

static void exact_clear(exact *e) { mpq_clears(e->sum, e->term, e->factor, NULL); }

/* sum += a * b * c */
static void exact_add(exact *e, double a, double b, double c)
{
  const double factors[2] = {b, c};
  mpq_set_d(e->term, a);
  for (int i = 0; i < 2; ++i) {
    mpq_set_d(e->factor, factors[i]);
    mpq_mul(e->term, e->term, e->factor);
  }
  mpq_add(e->sum, e->sum, e->term);
}

/* Coordinate i of a vertex, in real numbers. */
static void exact_position(exact *e, const governed *g, uint32_t v, int i)
{
  mpq_set_ui(e->sum, 0, 1);
  for (uint32_t k = g->first[v]; k < g->first[v + 1]; ++k) {
    const pl_transform *t = &g->now[g->governor[k]];
    for (int j = 0; g->transforms && j < 3; ++j)
      exact_add(e, g->weight[k], t->m[i][j], g->rest[3 * (size_t)v + (size_t)j]);
    exact_add(e, g->weight[k], t->t[i], 1);
  }
}

/* Is the sum within [low, high]? Infinite bounds always are. */
static bool exact_within(exact *e, double low, double high)
{
  if (isfinite(low)) {
    mpq_set_d(e->factor, low);
    if (mpq_cmp(e->sum, e->factor) < 0) return false;
  }
  if (isfinite(high)) {
    mpq_set_d(e->factor, high);
    if (mpq_cmp(e->sum, e->factor) > 0) return false;
  }
  return true;
}

/* ------------------------------------------------------------------------------------- boxes -- */

typedef struct sums {
  size_t boxes, finite;
  double area, least; /* of finite boxes of inner nodes; and those of their vertices */
} sums;

static aabb child_box(const tree *t, uint32_t node, int lane)
{
  return aabb_lane(tree_block(t, node), t->nodes.width, lane);
}

/* All leaves below a child. */
static void leaf_range(const tree *t, int32_t child, uint32_t *begin, uint32_t *end)
{
  if (child < 0) {
    *begin = (uint32_t)~child, *end = *begin + 1;
    return;
  }
  const int32_t *below = tree_children(t, (uint32_t)child);
  uint32_t spare;
  leaf_range(t, below[0], begin, &spare);
  leaf_range(t, below[t->nodes.children[child] - 1], &spare, end);
}

static void check_child(const pl_body *body, exact *e, uint32_t node, int lane, sums *s, const char *what)
{
  const tree *t = body->tree;
  const governed *g = body->motion.controls;
  const double scale = ldexp(1, body->motion.now.exponent);
  int32_t child = tree_children(t, node)[lane];
  aabb box = child_box(t, node, lane), tight = aabb_empty();
  uint32_t begin, end;
  leaf_range(t, child, &begin, &end);
  for (uint32_t k = t->prims.list_first[begin]; k < t->prims.list_first[end]; ++k) {
    uint32_t v = t->prims.list[k];
    double q[3];
    points_position(&body->motion.now, v, q);
    for (int i = 0; i < 3; ++i) {
      /* exact: powers of two */
      double low = (double)box.lower[i] * scale, high = (double)box.upper[i] * scale;
      exact_position(e, g, v, i);
      if (!exact_within(e, low, high) || !(low <= q[i] && q[i] <= high))
        fail_msg("%s: vertex %u is at %.17g along %c, out of [%.17g, %.17g] of node %u, lane %d (child %d)", what, v,
                 q[i], "xyz"[i], low, high, node, lane, child);
      tight.lower[i] = fminf(tight.lower[i], (float)q[i]);
      tight.upper[i] = fmaxf(tight.upper[i], (float)q[i]);
    }
  }
  ++s->boxes;
  if (!isfinite(aabb_area(&box)) || child < 0) return;
  ++s->finite;
  s->area += aabb_area(&box);
  s->least += aabb_area(&tight);
}

/* The box from the governors alone: around every vertex, computed or real, and for weights of 0
 * or more within the governors' reach. */
static void check_hull(const pl_body *body, exact *e, const char *what)
{
  const governed *g = body->motion.controls;
  const extent3 hull = governed_hull(g);
  const double *lower = hull.low, *upper = hull.high;
  for (uint32_t v = 0; v < g->vertex_count; ++v) {
    double q[3];
    points_position(&body->motion.now, v, q);
    for (int i = 0; i < 3; ++i) {
      exact_position(e, g, v, i);
      if (!exact_within(e, lower[i], upper[i]) || !(lower[i] <= q[i] && q[i] <= upper[i]))
        fail_msg("%s: vertex %u is at %.17g along %c, out of [%.17g, %.17g] of the hull", what, v, q[i], "xyz"[i],
                 lower[i], upper[i]);
    }
  }
  for (int i = 0; i < 3 && g->sum < 1.0001; ++i)
    if (!(fmax(-lower[i], upper[i]) <= 1.01 * g->most_size))
      fail_msg("%s: the hull reaches to %g and %g, governors to %g", what, lower[i], upper[i], g->most_size);
}

static void check_body(pl_body *body, sums *s, const char *what)
{
  exact e;
  exact_init(&e);
  check_hull(body, &e, what);
  pl_body_info info; /* makes every block */
  assert_int_equal(pl_body_get_info(body, true, &info), PL_OK);
  for (uint32_t node = 0; node < body->tree->nodes.inner_count; ++node)
    for (int lane = 0; lane < body->tree->nodes.children[node]; ++lane) check_child(body, &e, node, lane, s, what);
  exact_clear(&e);
}

/* ------------------------------------------------------------------------------------- lanes -- */

/* |lane + origin - position| <= error + roundings 2^-24 |lane|, in rationals. */
static void check_lanes(const pl_body *body, isa set, const double origin[3], size_t *ready, const char *what)
{
  const tree *t = body->tree;
  lanes_function lanes = kernels_of(set)->pairs->lanes[body->motion.name];
  const float_transform identity = {
      .column = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, .m = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, .norm = 1};
  exact e;
  exact_init(&e);
  for (uint32_t leaf = 0; leaf < t->nodes.leaf_count; ++leaf) {
    uint32_t first = t->prims.list_first[leaf], n = t->prims.list_first[leaf + 1] - first;
    leaf_points at;
    if (!lanes(origin, &body->motion.now, &identity, leaf, n, &at)) continue;
    ++*ready;
    for (uint32_t k = 0; k < n; ++k) {
      double q[3];
      points_position(&body->motion.now, t->prims.list[first + k], q);
      for (int i = 0; i < 3; ++i) {
        double x = (double)at.at[i][k],
               allowed = (double)at.error + (double)at.roundings * 0x1p-24 * (1 + 0x1p-10) * fabs(x);
        mpq_set_d(e.sum, x);
        exact_add(&e, origin[i], 1, 1);
        exact_add(&e, -1, q[i], 1);
        if (!exact_within(&e, -allowed, allowed))
          fail_msg("%s: leaf %u, vertex %u: %.9g + %.17g instead of %.17g, with an error of %g", what, leaf, k, x,
                   origin[i], q[i], allowed);
      }
    }
  }
  exact_clear(&e);
}

/* ------------------------------------------------------------------------------------ worlds -- */

enum { NEAR, FAR, LARGE, SMALL, MIXED, PLACES };

/* The bones of a kind, moved and scaled. */
static void place_bones(pl_transform *bones, size_t count, int place, test_rng *rng)
{
  for (size_t k = 0; k < count; ++k) {
    double scale = place == LARGE   ? 1e30
                   : place == SMALL ? 1e-30
                   : place == MIXED ? pow(10, test_uniform(rng, -12, 12))
                                    : 1;
    for (int i = 0; i < 3; ++i) {
      bones[k].t[i] = bones[k].t[i] * scale + (place == FAR ? 1e5 * (i + 1) : 0);
      for (int j = 0; j < 3; ++j) bones[k].m[i][j] *= scale;
    }
  }
}

static void skins_are_bounded(void **state)
{
  (void)state;
  shapes s;
  shapes_create(&s, FREQUENCY);
  sums all = {0};
  size_t ready = 0;
  for (int round = 0; round < ROUNDS; ++round) {
    static const int bone_counts[] = {1, 3, 9, 40, 90};
    static const double rest_sizes[] = {1, 1e200, 1e-200};
    test_rng rng = {(uint64_t)round + 77};
    int kind = round % BONES_KINDS, place = round / BONES_KINDS % PLACES,
        bones = bone_counts[round % 10 == 4 ? 4 : round % 4];
    double rest_size = place == NEAR ? rest_sizes[round % 3] : 1;
    size_t finite = all.finite;
    pl_context *context = context_of(NULL);
    skin_rows rows = skin_rows_make(s.xyz_f64[0], s.mesh.vertex_count, bones, bones == 90 ? 80 : 1 + round % 5,
                                    round / 3 % SKIN_KINDS, &rng);
    pl_body_def def = pl_body_def_default();
    def.strategy = PL_STRATEGY_GOVERNED;
    def.arity = 2 << round % 3;
    def.leaf_size = 1 + round % 8;
    double *rest = malloc(3 * s.mesh.vertex_count * sizeof *rest);
    for (size_t i = 0; i < 3 * s.mesh.vertex_count; ++i) rest[i] = rest_size * s.xyz_f64[0][i];
    pl_mesh_def mesh = mesh_of(&s, 0, round % 2);
    if (rest_size != 1) mesh.positions = pl_positions_f64(rest, s.mesh.vertex_count);
    pl_skin_def skin = pl_skin_def_default();
    skin.bone_count = (size_t)bones;
    skin.weights = skin_weights(&rows, round % 3);
    skin.weights.normalise = round % 5 == 0;
    pl_body *body = NULL;
    if (pl_body_create_skin(context, &mesh, &skin, &def, &body) != PL_OK) fail_msg("%s", pl_context_message(context));
    pl_transform *to = malloc((size_t)bones * sizeof *to);
    bones_make(to, (size_t)bones, kind, &rng);
    place_bones(to, (size_t)bones, place, &rng);
    for (int k = 0; k < 3 * bones; ++k) to[k / 3].t[k % 3] *= rest_size;
    if (pl_body_set_bones(body, to, (size_t)bones) != PL_OK) fail_msg("%s", pl_context_message(context));
    char what[80];
    snprintf(what, sizeof what, "round %d: %d bones of kind %d, place %d", round, bones, kind, place);
    check_body(body, &all, what);
    /* boxes of any scale prune */
    if (rest_size != 1 && bones <= 9) assert_true(all.finite > finite);
    const double origin[3] = {0.25, place == FAR ? 2e5 : 0.5, -0.125};
    check_lanes(body, context->isa, origin, &ready, what);
    free(to);
    free(rest);
    skin_rows_free(&rows);
    pl_context_destroy(context);
  }
  assert_true(all.finite > 100 && ready > 100);
  shapes_free(&s);
}

/* Bones that leave a sphere of floats where it is: sides of boxes are floats as well, and no
 * rounding to float hides what double loses. */
static void still_skins_are_bounded(void **state)
{
  (void)state;
  shapes s;
  shapes_create(&s, FREQUENCY);
  sums all = {0};
  for (int round = 0; round < ROUNDS; ++round) {
    enum { BONES = 7 };
    test_rng rng = {(uint64_t)round + 300};
    pl_context *context = context_of(NULL);
    skin_rows rows = skin_rows_make(s.xyz_f64[0], s.mesh.vertex_count, BONES, 2 + round % 4,
                                    round % 2 ? SKIN_SMOOTH : SKIN_RANDOM, &rng);
    pl_body_def def = pl_body_def_default();
    def.strategy = PL_STRATEGY_GOVERNED;
    def.arity = 2 << round % 3;
    def.leaf_size = 1 + round % 8;
    pl_mesh_def mesh = mesh_of(&s, 0, false);
    pl_skin_def skin = pl_skin_def_default();
    skin.bone_count = BONES;
    skin.weights = skin_weights(&rows, true);
    skin.weights.normalise = true;
    pl_transform bones[BONES];
    for (int k = 0; k < BONES; ++k) {
      bones[k] = pl_transform_identity();
      for (int i = 0; i < 3; ++i) bones[k].m[i][i] = ldexp(1, round % 5);
    }
    pl_body *body = NULL;
    assert_int_equal(pl_body_create_skin(context, &mesh, &skin, &def, &body), PL_OK);
    assert_int_equal(pl_body_set_bones(body, bones, BONES), PL_OK);
    check_body(body, &all, "bones that stand still");
    skin_rows_free(&rows);
    pl_context_destroy(context);
  }
  assert_true(all.finite > 50);
  shapes_free(&s);
}

/* Control points: cages with negative weights, and subdivision of a sheet that is flat at rest. */
static void controls_are_bounded(void **state)
{
  (void)state;
  shapes s;
  shapes_create(&s, FREQUENCY);
  sums all = {0};
  size_t ready = 0;
  for (int round = 0; round < ROUNDS; ++round) {
    test_rng rng = {(uint64_t)round + 5};
    enum { SIDE = 9, CONTROLS = SIDE * SIDE };
    double rest[CONTROLS][3], now[CONTROLS][3];
    uint32_t triangles[6 * (SIDE - 1) * (SIDE - 1)], *to = triangles;
    int place = round % PLACES;
    double scale = place == LARGE ? 1e30 : place == SMALL ? 1e-30 : 1;
    for (uint32_t v = 0; v < CONTROLS; ++v) {
      uint32_t x = v % SIDE, y = v / SIDE;
      double own = place == MIXED ? pow(10, test_uniform(&rng, -12, 12)) : scale;
      const double flat[3] = {x, y, round % 3 ? 0 : sin(x) * cos(y)};
      for (int i = 0; i < 3; ++i) {
        rest[v][i] = flat[i] + (round % 4 == 1 ? 1000 : 0);
        now[v][i] = own * (flat[i] + test_uniform(&rng, -1, 1) * (round % 2 ? 0.1 : 2)) + (place == FAR ? 1e5 : 0);
      }
      if (x + 1 == SIDE || y + 1 == SIDE) continue;
      const uint32_t two[6] = {v, v + 1, v + SIDE, v + 1, v + SIDE + 1, v + SIDE};
      memcpy(to, two, sizeof two);
      to += 6;
    }
    pl_context *context = context_of(NULL);
    pl_body_def def = pl_body_def_default();
    def.strategy = PL_STRATEGY_GOVERNED;
    def.arity = 2 << round % 3;
    def.leaf_size = 1 + round % 8;
    pl_body *body = NULL;
    pl_status status;
    skin_rows rows = {0};
    if (round % 2) {
      pl_mesh_def mesh = pl_mesh_def_default();
      mesh.positions = pl_positions_f64(rest[0], CONTROLS);
      mesh.triangles = triangles;
      mesh.triangle_count = 2 * (SIDE - 1) * (SIDE - 1);
      status = pl_body_create_subdivide(context, &mesh, NULL, &def, &body);
    } else {
      rows =
          skin_rows_make(s.xyz_f64[0], s.mesh.vertex_count, round % 4 ? 6 : CONTROLS, 1 + round % 7, SKIN_SMOOTH, &rng);
      for (uint32_t v = 0; v < rows.vertex_count; ++v)
        for (uint32_t e = rows.first[v]; e + 1 < rows.first[v + 1]; e += 2)
          rows.weight[e] += 0.5, rows.weight[e + 1] -= 0.5;
      pl_mesh_def mesh = mesh_of(&s, 0, true);
      pl_embed_def embed = pl_embed_def_default();
      embed.controls = pl_positions_f64(rest[0], CONTROLS);
      embed.weights = skin_weights(&rows, true);
      status = pl_body_create_embed(context, &mesh, &embed, &def, &body);
    }
    if (status != PL_OK) fail_msg("%s", pl_context_message(context));
    assert_int_equal(pl_body_set_controls(body, pl_positions_f64(now[0], CONTROLS)), PL_OK);
    char what[80];
    snprintf(what, sizeof what, "round %d of control points, place %d", round, place);
    check_body(body, &all, what);
    check_lanes(body, context->isa, (const double[3]){1, 2, 3}, &ready, what);
    skin_rows_free(&rows);
    pl_context_destroy(context);
  }
  assert_true(all.finite > 50 && ready > 100);
  shapes_free(&s);
}

/* --------------------------------------------------------------------------------- tightness -- */

/* The areas of inner boxes beside those of their vertices: walking bones, a waving sheet. */
static void boxes_are_not_much_larger_than_they_need_be(void **state)
{
  (void)state;
  pl_context *context = context_of(NULL);
  test_rng rng = {3};
  shapes s;
  shapes_create(&s, 16);
  skin_rows rows = skin_rows_make(s.xyz_f64[0], s.mesh.vertex_count, 6, 4, SKIN_SMOOTH, &rng);
  pl_body_def def = pl_body_def_default();
  def.strategy = PL_STRATEGY_GOVERNED;
  pl_mesh_def mesh = mesh_of(&s, 0, true);
  pl_skin_def skin = pl_skin_def_default();
  skin.bone_count = 6;
  skin.weights = skin_weights(&rows, true);
  pl_body *body = NULL;
  assert_int_equal(pl_body_create_skin(context, &mesh, &skin, &def, &body), PL_OK);
  pl_transform bones[6];
  bones_make(bones, 6, BONES_GENTLE, &rng);
  assert_int_equal(pl_body_set_bones(body, bones, 6), PL_OK);
  sums skinned = {0}, sheet = {0};
  check_body(body, &skinned, "gentle bones");
  enum { SIDE = 12 };
  double at[SIDE * SIDE][3];
  uint32_t triangles[6 * (SIDE - 1) * (SIDE - 1)], *to = triangles;
  for (uint32_t v = 0; v < SIDE * SIDE; ++v) {
    at[v][0] = v % SIDE, at[v][1] = v / SIDE, at[v][2] = 0;
    if (v % SIDE + 1 == SIDE || v / SIDE + 1 == SIDE) continue;
    const uint32_t two[6] = {v, v + 1, v + SIDE, v + 1, v + SIDE + 1, v + SIDE};
    memcpy(to, two, sizeof two);
    to += 6;
  }
  mesh.positions = pl_positions_f64(at[0], SIDE * SIDE);
  mesh.triangles = triangles;
  mesh.triangle_count = 2 * (SIDE - 1) * (SIDE - 1);
  pl_subdivide_def how = pl_subdivide_def_default();
  how.levels = 3;
  pl_body *cloth = NULL;
  assert_int_equal(pl_body_create_subdivide(context, &mesh, &how, &def, &cloth), PL_OK);
  for (uint32_t v = 0; v < SIDE * SIDE; ++v) at[v][2] = sin(0.5 * at[v][0]) + cos(0.4 * at[v][1]);
  assert_int_equal(pl_body_set_controls(cloth, mesh.positions), PL_OK);
  check_body(cloth, &sheet, "a waving sheet");
  printf("half-areas of inner boxes: %.3f of the least for gentle bones, %.3f for a waving sheet\n",
         skinned.area / skinned.least, sheet.area / sheet.least);
  assert_true(skinned.area < 1.5 * skinned.least && sheet.area < 1.5 * sheet.least);
  skin_rows_free(&rows);
  shapes_free(&s);
  pl_context_destroy(context);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(skins_are_bounded), cmocka_unit_test(still_skins_are_bounded),
                                     cmocka_unit_test(controls_are_bounded),
                                     cmocka_unit_test(boxes_are_not_much_larger_than_they_need_be)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
#else
int main(void)
{
  puts("skipped: built without GMP");
  return 0;
}
#endif
