/* Bodies of every motion and strategy whose coordinates are denormal, tiny, huge or mixed:
 * volumes contain their vertices, the box is that of the vertices, and pairs, self-contacts,
 * distances and rays are the reference's. */
#include "body/body.h"
#include "support/probes.h"

#include "support/distances.h" /* after our headers: cmocka has a macro named fail */
#include "support/selves.h"

#include <float.h>
#include <stdio.h>

enum { MOST_VERTICES = 9, MOST_TRIANGLES = 4, BONES = 4, POSES = 2 };

#ifdef __SANITIZE_ADDRESS__
enum { EVERY = 3 }; /* of the motions and strategies, others for each magnitude */
#else
enum { EVERY = 1 };
#endif

/* X(NAME, test). How large the coordinates of a body are. */
#define MAGNITUDE_LIST(X)                                                                                              \
  X(DENORMAL, denormal_coordinates) /* a few times the least double */                                                 \
  X(FEW_BITS, coordinates_of_few_bits)                                                                                 \
  X(TINY, tiny_coordinates)                                                                                            \
  X(SMALL_FLOATS, coordinates_below_floats)                                                                            \
  X(ORDINARY, ordinary_coordinates)                                                                                    \
  X(HUGE, huge_coordinates)                                                                                            \
  X(MIXED, mixed_coordinates) /* any of these for each number */                                                       \
  X(TURNS, other_magnitudes_in_each_pose)

enum {
#define MAGNITUDE_NAME(name, test) MAGNITUDE_##name,
  MAGNITUDE_LIST(MAGNITUDE_NAME)
#undef MAGNITUDE_NAME
      MAGNITUDE_COUNT
};

static double unit_of(int magnitude)
{
  const double units[] = {0x1p-1074, 0x1p-1060, 1e-300, 0x1p-148, 0.25, 1e299};
  return units[magnitude];
}

typedef struct maker {
  test_rng rng;
  int magnitude, pose_magnitude; /* of all, and of this pose */
  double most;                   /* units beyond it are not taken */
  size_t vertices, triangles;
  uint32_t corner[3 * MOST_TRIANGLES];
} maker;

/* Multiples of a quarter: halves and sums of weights meet ties. */
static double number(maker *m)
{
  int of = m->pose_magnitude;
  if (of == MAGNITUDE_MIXED) of = test_below(&m->rng, MAGNITUDE_MIXED);
  double unit = unit_of(of);
  if (unit > m->most) unit = 0.25;
  return (test_below(&m->rng, 13) - 6) * unit;
}

static void new_pose(maker *m)
{
  m->pose_magnitude = m->magnitude < MAGNITUDE_TURNS ? m->magnitude : test_below(&m->rng, MAGNITUDE_TURNS);
}

static pl_positions positions_like(maker *m, double *xyz, size_t count)
{
  for (size_t i = 0; i < 3 * count; ++i) xyz[i] = number(m);
  return pl_positions_f64(xyz, count);
}

static void new_mesh(maker *m)
{
  m->vertices = 3 + (size_t)test_below(&m->rng, MOST_VERTICES - 2);
  m->triangles = 1 + (size_t)test_below(&m->rng, MOST_TRIANGLES);
  for (size_t i = 0; i < 3 * m->triangles; i += 3) {
    uint32_t *c = m->corner + i;
    do
      for (int k = 0; k < 3; ++k) c[k] = (uint32_t)test_below(&m->rng, (int)m->vertices);
    while (c[0] == c[1] || c[1] == c[2] || c[2] == c[0]);
  }
}

static pl_mesh_def mesh_like(maker *m, double *xyz)
{
  pl_mesh_def mesh = pl_mesh_def_default();
  mesh.triangles = m->corner;
  mesh.triangle_count = m->triangles;
  mesh.positions = positions_like(m, xyz, m->vertices);
  return mesh;
}

/* ---------------------------------------------------------------------------------- governed -- */

typedef struct rows {
  uint32_t governor[3 * MOST_VERTICES];
  double weight[3 * MOST_VERTICES];
} rows;

static pl_weights weights_like(maker *m, rows *r, int governors)
{
  for (size_t v = 0; v < m->vertices; ++v) {
    double x = test_uniform(&m->rng, 0, 1), y = (1 - x) * test_uniform(&m->rng, 0, 1);
    const double w[3] = {x, y, 1 - x - y};
    for (size_t k = 0; k < 3; ++k) {
      r->governor[3 * v + k] = (uint32_t)test_below(&m->rng, governors);
      r->weight[3 * v + k] = w[k];
    }
  }
  return (pl_weights){m->vertices, NULL, 3, r->governor, r->weight, PL_F64, false};
}

static void bones_like(maker *m, pl_transform bones[BONES])
{
  for (int k = 0; k < BONES; ++k) {
    bones[k] = pl_transform_identity();
    double by = test_below(&m->rng, 3) ? 1 : ldexp(1, test_below(&m->rng, 200) - 120);
    for (int i = 0; i < 9; ++i) bones[k].m[i / 3][i % 3] = by * test_uniform(&m->rng, -1, 1);
    for (int i = 0; i < 3; ++i) bones[k].t[i] = number(m);
  }
}

static pl_status create_skin(maker *m, pl_context *context, const pl_body_def *def, pl_body **out)
{
  double xyz[3 * MOST_VERTICES];
  rows r;
  pl_mesh_def mesh = mesh_like(m, xyz);
  pl_skin_def skin = pl_skin_def_default();
  skin.bone_count = BONES;
  skin.weights = weights_like(m, &r, BONES);
  return pl_body_create_skin(context, &mesh, &skin, def, out);
}

static pl_status create_embed(maker *m, pl_context *context, const pl_body_def *def, pl_body **out)
{
  double xyz[3 * MOST_VERTICES], controls[3 * BONES];
  rows r;
  pl_mesh_def mesh = mesh_like(m, xyz);
  pl_embed_def embed = pl_embed_def_default();
  embed.controls = positions_like(m, controls, BONES);
  embed.weights = weights_like(m, &r, BONES);
  return pl_body_create_embed(context, &mesh, &embed, def, out);
}

static pl_status create_subdivide(maker *m, pl_context *context, const pl_body_def *def, pl_body **out)
{
  double xyz[3 * MOST_VERTICES];
  pl_mesh_def mesh = mesh_like(m, xyz);
  pl_subdivide_def how = pl_subdivide_def_default();
  how.levels = test_below(&m->rng, m->triangles < 3 ? 3 : 2);
  return pl_body_create_subdivide(context, &mesh, &how, def, out);
}

static pl_status create_points(maker *m, pl_context *context, const pl_body_def *def, pl_body **out)
{
  double xyz[3 * MOST_VERTICES], particles[3 * BONES];
  pl_mesh_def mesh = mesh_like(m, xyz);
  pl_particles_def how = pl_particles_def_default();
  how.particles = positions_like(m, particles, BONES);
  return pl_body_create_points(context, &mesh, &how, def, out);
}

/* ------------------------------------------------------------------------------------ others -- */

static pl_status create_morph(maker *m, pl_context *context, const pl_body_def *def, pl_body **out)
{
  double xyz[3][3 * MOST_VERTICES];
  pl_positions references[3];
  pl_mesh_def mesh = mesh_like(m, xyz[0]);
  for (int i = 0; i < 3; ++i) references[i] = positions_like(m, xyz[i], m->vertices);
  pl_morph_def how = pl_morph_def_default();
  how.kind = PL_MORPH_ADDITIVE;
  how.references = references;
  how.reference_count = 3;
  how.weight_low = -1;
  how.inbetweens = test_below(&m->rng, 3);
  return pl_body_create_morph(context, &mesh, &how, def, out);
}

static pl_status create_flight(maker *m, pl_context *context, const pl_body_def *def, pl_body **out)
{
  static const double times[] = {0, 1};
  double xyz[3][3 * MOST_VERTICES];
  pl_positions poses[3];
  pl_mesh_def mesh = mesh_like(m, xyz[0]);
  for (int i = 0; i < 3; ++i) poses[i] = positions_like(m, xyz[i], m->vertices);
  pl_flight_def how = pl_flight_def_default();
  how.path = (pl_path)test_below(&m->rng, PL_PATH_COUNT);
  how.times = times;
  how.key_count = 2;
  how.poses = poses;
  how.pose_count = how.path == PL_PATH_LINEAR ? 2 : 3;
  return pl_body_create_flight(context, &mesh, &how, def, out);
}

static pl_status create_match(maker *m, pl_context *context, const pl_body_def *def, pl_body **out)
{
  double xyz[3 * MOST_VERTICES];
  maker rest = *m; /* points at rest are ordinary */
  rest.pose_magnitude = MAGNITUDE_ORDINARY;
  pl_mesh_def mesh = mesh_like(&rest, xyz);
  pl_match_def how = pl_match_def_default();
  how.kind = (pl_match_kind)test_below(&m->rng, PL_MATCH_COUNT);
  how.cluster_count = 1 + test_below(&m->rng, 2);
  return pl_body_create_match(context, &mesh, &how, def, out);
}

static pl_status create_stored(maker *m, pl_context *context, pl_motion kind, const pl_body_def *def, pl_body **out)
{
  double xyz[3 * MOST_VERTICES];
  pl_mesh_def mesh = mesh_like(m, xyz);
  return kind == PL_MOTION_RIGID ? pl_body_create_rigid(context, &mesh, def, out)
                                 : pl_body_create_free(context, &mesh, def, out);
}

static pl_status create(maker *m, pl_context *context, pl_motion kind, const pl_body_def *def, pl_body **out)
{
  switch (kind) {
  case PL_MOTION_SKIN:
    return create_skin(m, context, def, out);
  case PL_MOTION_EMBED:
    return create_embed(m, context, def, out);
  case PL_MOTION_SUBDIVIDE:
    return create_subdivide(m, context, def, out);
  case PL_MOTION_POINTS:
    return create_points(m, context, def, out);
  case PL_MOTION_MORPH:
    return create_morph(m, context, def, out);
  case PL_MOTION_FLIGHT:
    return create_flight(m, context, def, out);
  case PL_MOTION_MATCH:
    return create_match(m, context, def, out);
  default:
    return create_stored(m, context, kind, def, out);
  }
}

/* Moves the body; a refused move leaves it where it was. */
static pl_status move(maker *m, pl_body *body)
{
  double xyz[3 * MOST_VERTICES], weights[2] = {test_uniform(&m->rng, -1, 1), test_uniform(&m->rng, 0, 1)};
  pl_transform bones[BONES];
  switch (pl_body_motion(body)) {
  case PL_MOTION_SKIN:
    bones_like(m, bones);
    return pl_body_set_bones(body, bones, BONES);
  case PL_MOTION_EMBED:
  case PL_MOTION_POINTS:
    return pl_body_set_controls(body, positions_like(m, xyz, BONES));
  case PL_MOTION_SUBDIVIDE:
    return pl_body_set_controls(body, positions_like(m, xyz, m->vertices));
  case PL_MOTION_MORPH:
    return pl_body_set_weights(body, weights, 2);
  case PL_MOTION_FLIGHT:
    return pl_body_set_time(body, test_uniform(&m->rng, 0, 1));
  case PL_MOTION_RIGID:
    bones_like(m, bones);
    return pl_body_set_transform(body, bones);
  default:
    return pl_body_set_positions(body, positions_like(m, xyz, m->vertices));
  }
}

/* ------------------------------------------------------------------------------------ checks -- */

/* The box is the least of floats around the vertices of triangles. */
static void assert_true_box(pl_body *body, const char *what)
{
  float lower[3], upper[3];
  aabb box = aabb_empty();
  assert_int_equal(pl_body_box(body, lower, upper), PL_OK);
  for (size_t i = 0; i < 3 * pl_body_triangle_count(body); ++i) {
    double q[3];
    points_world(&body->motion.now, body->tree->prims.tri[i], q);
    for (int k = 0; k < 3; ++k) {
      box.lower[k] = fminf(box.lower[k], round_down(q[k]));
      box.upper[k] = fmaxf(box.upper[k], round_up(q[k]));
    }
  }
  for (int k = 0; k < 3; ++k)
    if (lower[k] != box.lower[k] || upper[k] != box.upper[k])
      fail_msg("%s: the box is %.9g .. %.9g along %c, the vertices are in %.9g .. %.9g", what, (double)lower[k],
               (double)upper[k], "xyz"[k], (double)box.lower[k], (double)box.upper[k]);
}

static void assert_rays_from_corners(maker *m, pl_body *body, const char *what)
{
  pl_ray rays[8];
  pl_question def = pl_question_default();
  for (int i = 0; i < 8; ++i) {
    double from[3], to[3];
    points_world(&body->motion.now, body->tree->prims.tri[0], to);
    for (int k = 0; k < 3; ++k) {
      from[k] = 0.5 * number(m);
      to[k] -= from[k];
    }
    if (to[0] == 0 && to[1] == 0 && to[2] == 0) to[2] = 1;
    for (int k = 0; k < 3; ++k) to[k] = isfinite(to[k]) ? to[k] : 1;
    rays[i] = pl_ray_from(from, to);
  }
  const pl_result *out;
  pl_hit got[8];
  if (pl_cast(pl_one(body), rays, 8, &def, &out) != PL_OK) fail_msg("%s: %s", what, pl_context_message(body->context));
  memcpy(got, out->hits, sizeof got);
  assert_int_equal(reference_cast(pl_one(body), rays, 8, &def, &out), PL_OK);
  for (int i = 0; i < 8; ++i)
    if (got[i].triangle != out->hits[i].triangle)
      fail_msg("%s: ray %d meets triangle %u, not %u", what, i, got[i].triangle, out->hits[i].triangle);
}

static void check(maker *m, pl_context *context, pl_body *body, pl_body *other, const char *what)
{
  assert_valid(body, context, what);
  assert_true_box(body, what);
  assert_self(body, context, false, what);
  assert_like_reference(body, other, what);
  assert_distances_like_reference(body, other, what);
  assert_rays_from_corners(m, body, what);
  assert_valid(body, context, what);
}

static void run(maker *m, pl_context *context, pl_motion kind, pl_strategy strategy)
{
  char what[200];
  pl_body *bodies[2] = {NULL, NULL};
  pl_body_def def = body_def_of(strategy, 2 << test_below(&m->rng, 3), 1 + test_below(&m->rng, 3), false);
  def.builder = (pl_builder)test_below(&m->rng, PL_BUILDER_COUNT);
  def.volume = test_below(&m->rng, 2) ? PL_VOLUME_AABB : (pl_volume)test_below(&m->rng, PL_VOLUME_COUNT);
  m->most = kind == PL_MOTION_MATCH ? 1e20 : kind == PL_MOTION_POINTS ? 1e100 : INFINITY;
  new_pose(m);
  new_mesh(m);
  pl_status status = PL_OK;
  for (int i = 0; i < 2 && status == PL_OK; ++i) status = create(m, context, kind, &def, &bodies[i]);
  for (int pose = 0; pose < POSES && status == PL_OK; ++pose) {
    snprintf(what, sizeof what, "%s, %s, %s, magnitude %d, pose %d, state %llx", pl_word(PL_WORDS_MOTION, kind),
             pl_word(PL_WORDS_STRATEGY, strategy), pl_word(PL_WORDS_VOLUME, def.volume), m->magnitude, pose,
             (unsigned long long)m->rng.state);
    check(m, context, bodies[0], bodies[1], what);
    new_pose(m);
    for (int i = 0; i < 2; ++i) move(m, bodies[i]);
  }
  for (int i = 0; i < 2; ++i) pl_body_destroy(bodies[i]);
}

/* Floats, and doubles around them with vertices that are much further away, which a triangle
 * uses or not: volumes of the second body are divided by their power of two, and the map between
 * both spaces leaves the range of float. */
static void far_vertices_scale_one_of_two_bodies(void **state)
{
  (void)state;
  pl_context *context = context_of(NULL);
  test_rng rng = {17};
  const uint32_t corner[] = {0, 1, 2, 3, 4, 5};
  for (int round = 0; round < test_rounds(2000); ++round) {
    char what[80];
    float near[9];
    double far[18];
    const int power = test_below(&rng, 262) - 140, more = power + test_below(&rng, 1000 - power);
    const int least = test_below(&rng, 2) ? 1 : -6; /* from 1 on, no volume contains 0 */
    for (int i = 0; i < 9; ++i) near[i] = ldexpf((float)(test_below(&rng, 13) + least), power);
    for (int i = 0; i < 18; ++i) far[i] = ldexp(test_below(&rng, 13) + least, i < 9 ? power : more);
    pl_mesh_def mesh = pl_mesh_def_default();
    mesh.triangles = corner;
    mesh.triangle_count = 1 + (size_t)test_below(&rng, 2);
    mesh.positions = pl_positions_f64(far, 6);
    pl_body *a = body_of(context, near, 3, corner, 1, NULL), *b = NULL;
    assert_int_equal(pl_body_create_free(context, &mesh, NULL, &b), PL_OK);
    snprintf(what, sizeof what, "round %d: 2^%d and 2^%d", round, power, more);
    assert_like_reference(a, b, what);
    assert_like_reference(b, a, what);
    assert_distances_like_reference(a, b, what);
    pl_body_destroy(a);
    pl_body_destroy(b);
  }
  pl_context_destroy(context);
}

/* Patches that are 2^150 times flatter at rest than the body is long: the map of their control
 * points overflows. */
static void flat_patches_of_huge_bodies(void **state)
{
  (void)state;
  pl_context *context = context_of(NULL);
  static const uint32_t corner[] = {7, 0, 2, 4, 2, 0, 1, 5, 6, 0, 2, 3, 1, 7, 5, 0, 7, 2, 1, 2, 0};
  static const double controls[][3] = {{-0x1.8p924, -0x1.4ap774, -0x0.4ep-1022},
                                       {-0x1p923, -0x1.4p773, 0x0.2p-1022},
                                       {-0x1p775, -0x1p924, 0},
                                       {-0x1p926, -0x1p775, -0x0.8p-1022},
                                       {-0x1.cp924, 0x1.8p-1022, -0x1p925},
                                       {0x1.8p-1022, 0x1.0f8p924, 0x1.34p774},
                                       {0x1.8p774, 0x1.e9p772, 0x1p775},
                                       {0x1.ea8p770, 0x1p924, -0x1p-1021}};
  pl_mesh_def mesh = pl_mesh_def_default();
  mesh.triangles = corner;
  mesh.triangle_count = 7;
  mesh.positions = pl_positions_f64(controls[0], 8);
  pl_subdivide_def how = pl_subdivide_def_default();
  how.levels = 1;
  for (int builder = 0; builder < PL_BUILDER_COUNT; ++builder)
    for (int leaf = 1; leaf <= 8; ++leaf) {
      pl_body *body = NULL;
      pl_body_def def = body_def_of(PL_STRATEGY_GOVERNED, 2, leaf, false);
      def.builder = (pl_builder)builder;
      assert_int_equal(pl_body_create_subdivide(context, &mesh, &how, &def, &body), PL_OK);
      assert_valid(body, context, "flat patches");
      assert_self(body, context, false, "flat patches");
      pl_body_destroy(body);
    }
  pl_context_destroy(context);
}

static void run_magnitude(int magnitude)
{
  pl_context *context = context_of(NULL);
  maker m = {.rng = {(uint64_t)magnitude + 1}, .magnitude = magnitude};
  for (int round = 0; round < test_rounds(4); ++round)
    for (int kind = 0; kind < PL_MOTION_COUNT; ++kind)
      for (int strategy = 1; strategy < PL_STRATEGY_COUNT; ++strategy)
        if ((kind + strategy + magnitude) % EVERY == 0) run(&m, context, (pl_motion)kind, (pl_strategy)strategy);
  pl_context_destroy(context);
}

#define MAGNITUDE_TEST(name, test)                                                                                     \
  static void test(void **state)                                                                                       \
  {                                                                                                                    \
    (void)state;                                                                                                       \
    run_magnitude(MAGNITUDE_##name);                                                                                   \
  }
MAGNITUDE_LIST(MAGNITUDE_TEST)
#define MAGNITUDE_ENTRY(name, test) cmocka_unit_test(test),

int main(void)
{
  const struct CMUnitTest tests[] = {MAGNITUDE_LIST(MAGNITUDE_ENTRY)
                                         cmocka_unit_test(far_vertices_scale_one_of_two_bodies),
                                     cmocka_unit_test(flat_patches_of_huge_bodies)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
