/* Patches of governed bodies, whose boxes and cones come from the governors. In exact
 * arithmetic: every triangle faces every direction of the cones of all patches that it is in,
 * and their boxes contain its corners, for turned, sheared, mirrored, flat and nearly flat
 * transforms, for control points and for particles, far from the origin and of mixed sizes. And
 * the pairs that are found with them are the reference's. */
#include "body/body.h"
#include "bounds/cone.h"
#include "motion/governed.h"
#include "scenes/ask.h"
#include "scenes/governed.h"

#include "support/sheets.h"
#include "support/skins.h" /* after our headers: cmocka has a macro named fail */

#include <stdio.h>

#ifdef __SANITIZE_ADDRESS__
enum { FREQUENCY = 6, ROUNDS = 14, SANITIZED = 1 };
#else
enum { FREQUENCY = 9, ROUNDS = 35, SANITIZED = 0 };
#endif

static void check_pairs(pl_body *body, const char *what, size_t *in_all)
{
  const pl_result *found;
  pl_question def = pl_question_default();
  def.sorted = true;
  def.self_method = PL_SELF_METHOD_CONES;
  assert_int_equal(refer_touching(pl_self(body), &def, &found), PL_OK);
  pair_list wanted = copy_pairs(found);
  if (pl_touching(pl_self(body), &def, &found) != PL_OK) fail_msg("%s: %s", what, pl_context_message(body->context));
  assert_same_pairs(found->pairs, found->count, wanted.pairs, wanted.count, what);
  *in_all += found->count;
  free(wanted.pairs);
}

/* -------------------------------------------------------------------------- exact arithmetic -- */

#ifdef PLIANT_HAVE_GMP
#include <gmp.h>

typedef struct counted {
  /* inner patches with a cone from governors; of them those of more than 64 triangles */
  size_t sets, wide;
} counted;

/* n . d > 0 for all directions of a set; n in rationals. */
static bool faces(mpq_t n[3], uint32_t set)
{
  static const int axes[CONE_AXES][3] = {{1, 0, 0},  {0, 1, 0},  {0, 0, 1}, {1, 1, 0},  {1, -1, 0},
                                         {1, 0, 1},  {1, 0, -1}, {0, 1, 1}, {0, 1, -1}, {1, 1, 1},
                                         {1, 1, -1}, {1, -1, 1}, {-1, 1, 1}};
  mpq_t sum;
  bool all = true;
  mpq_init(sum);
  for (int k = 0; k < 2 * CONE_AXES && all; ++k) {
    if (!(set >> k & 1)) continue;
    mpq_set_ui(sum, 0, 1);
    for (int i = 0; i < 3; ++i) {
      int along = axes[k % CONE_AXES][i] * (k < CONE_AXES ? 1 : -1);
      if (along > 0) mpq_add(sum, sum, n[i]);
      if (along < 0) mpq_sub(sum, sum, n[i]);
    }
    all = mpq_sgn(sum) > 0;
  }
  mpq_clear(sum);
  return all;
}

/* The exact normal of a triangle at the positions that queries use. */
static void exact_normal(double at[3][3], mpq_t n[3])
{
  mpq_t e[2][3], x, y;
  mpq_inits(x, y, NULL);
  for (int i = 0; i < 6; ++i) {
    mpq_init(e[i / 3][i % 3]);
    mpq_set_d(x, at[i / 3 + 1][i % 3]);
    mpq_set_d(y, at[0][i % 3]);
    mpq_sub(e[i / 3][i % 3], x, y);
  }
  for (int i = 0; i < 3; ++i) {
    mpq_mul(x, e[0][(i + 1) % 3], e[1][(i + 2) % 3]);
    mpq_mul(y, e[0][(i + 2) % 3], e[1][(i + 1) % 3]);
    mpq_sub(n[i], x, y);
  }
  for (int i = 0; i < 6; ++i) mpq_clear(e[i / 3][i % 3]);
  mpq_clears(x, y, NULL);
}

static void check_triangle(const pl_body *body, uint32_t t, uint32_t set, const char *what)
{
  double at[3][3];
  mpq_t n[3];
  for (int c = 0; c < 3; ++c)
    points_world(&body->motion.now, body->patches->tree.prims.tri[3 * (size_t)t + (size_t)c], at[c]);
  mpq_inits(n[0], n[1], n[2], NULL);
  exact_normal(at, n);
  if (!faces(n, set)) fail_msg("%s: triangle %u does not face all of %x", what, t, set);
  mpq_clears(n[0], n[1], n[2], NULL);
}

/* The corners of a triangle in a box, in the space of the patches: exact up to 2^-50 of its
 * size, and boxes are wider by much more. */
static void check_box(const pl_body *body, uint32_t t, const aabb *box, const char *what)
{
  const patches *p = body->patches;
  for (int c = 0; c < 3; ++c) {
    double q[3];
    points_world(&body->motion.now, p->tree.prims.tri[3 * (size_t)t + (size_t)c], q);
    for (int k = 0; k < 3; ++k) {
      double x = (0.5 * q[k] - p->origin[k]) * p->twice;
      if (!((double)box->lower[k] <= x && x <= (double)box->upper[k]))
        fail_msg("%s: triangle %u is out of a box: %.17g not in [%.9g, %.9g]", what, t, x, (double)box->lower[k],
                 (double)box->upper[k]);
    }
  }
}

/* Every patch of a body that has been queried. */
static void check_cones(pl_body *body, counted *n, const char *what)
{
  patches *p = body->patches;
  tree *t = &p->tree;
  if (!p->demand) return; /* out of the range of float: bottom-up */
  uint32_t *set = calloc(t->prims.triangle_count, sizeof *set);
  for (uint32_t node = 0; node < t->nodes.inner_count; ++node) {
    update_ensure(p->update, LAYER_CONES, node);
    for (int lane = 0; lane < t->nodes.children[node]; ++lane) {
      int32_t child = tree_children(t, node)[lane];
      const patch *q = patch_of(p, child);
      uint32_t cone = tree_cones(t, node)[lane];
      aabb box = aabb_lane(tree_block(t, node), t->nodes.width, lane);
      for (uint32_t k = q->begin; k < q->end; ++k) {
        set[k] |= cone;
        check_box(body, k, &box, what);
      }
      n->sets += child >= 0 && cone;
      n->wide += child >= 0 && cone && q->end - q->begin > 64;
    }
  }
  for (uint32_t k = 0; k < t->prims.triangle_count; ++k) check_triangle(body, k, set[k], what);
  free(set);
}
#else
typedef struct counted {
  size_t sets, wide;
} counted;
static void check_cones(pl_body *body, counted *n, const char *what)
{
  (void)body, (void)what;
  n->sets = n->wide = 1000000;
}
#endif

/* ------------------------------------------------------------------------------------- skins -- */

enum { NEAR, FAR, LARGE, TINY, MIXED, PLACES };

static void place_bones(pl_transform *bones, size_t count, int place, test_rng *rng)
{
  for (size_t k = 0; k < count; ++k) {
    double scale = place == LARGE   ? 1e20
                   : place == TINY  ? 1e-20
                   : place == MIXED ? pow(10, test_uniform(rng, -6, 6))
                                    : 1;
    for (int i = 0; i < 3; ++i) {
      bones[k].t[i] = bones[k].t[i] * scale + (place == FAR ? 1e5 * (i + 1) : 0);
      for (int j = 0; j < 3; ++j) bones[k].m[i][j] *= scale;
    }
  }
}

static void skins(void **state)
{
  (void)state;
  shapes s;
  counted n = {0, 0};
  size_t in_all = 0;
  shapes_create(&s, FREQUENCY);
  for (int round = 0; round < ROUNDS; ++round) {
    static const int bone_counts[] = {1, 3, 9, 40};
    test_rng rng = {(uint64_t)round + 77};
    int kind = round % BONES_KINDS, place = round / BONES_KINDS % PLACES, bones = bone_counts[round % 4];
    pl_context *context = context_of(NULL);
    skin_rows rows =
        skin_rows_make(s.xyz_f64[0], s.mesh.vertex_count, bones, 1 + round % 5, round / 3 % SKIN_KINDS, &rng);
    pl_body_def def = pl_body_def_default();
    def.strategy = PL_STRATEGY_GOVERNED;
    pl_mesh_def mesh = mesh_of(&s, 0, round % 2);
    pl_skin_def skin = pl_skin_def_default();
    skin.bone_count = (size_t)bones;
    skin.weights = skin_weights(&rows, round % 3);
    skin.weights.normalise = round % 5 != 0;
    pl_body *body = NULL;
    if (pl_body_create_skin(context, &mesh, &skin, &def, &body) != PL_OK) fail_msg("%s", pl_context_message(context));
    pl_transform *to = malloc((size_t)bones * sizeof *to);
    bones_make(to, (size_t)bones, kind, &rng);
    place_bones(to, (size_t)bones, place, &rng);
    if (pl_body_set_bones(body, to, (size_t)bones) != PL_OK) fail_msg("%s", pl_context_message(context));
    char what[80];
    snprintf(what, sizeof what, "round %d: %d bones of kind %d, place %d", round, bones, kind, place);
    check_pairs(body, what, &in_all);
    check_cones(body, &n, what);
    free(to);
    skin_rows_free(&rows);
    pl_context_destroy(context);
  }
  print_message("%zu cones from bones, %zu of more than 64 triangles, %zu pairs\n", n.sets, n.wide, in_all);
  assert_true(n.sets > 20 && in_all > 100);
  shapes_free(&s);
}

/* A body that takes a transform, or leaves the range of float, and comes back. */
static void transformed(void **state)
{
  (void)state;
  shapes s;
  size_t in_all = 0;
  test_rng rng = {9};
  shapes_create(&s, FREQUENCY);
  pl_context *context = context_of(NULL);
  skin_rows rows = skin_rows_make(s.xyz_f64[0], s.mesh.vertex_count, 5, 3, SKIN_SMOOTH, &rng);
  pl_mesh_def mesh = mesh_of(&s, 0, true);
  pl_skin_def skin = pl_skin_def_default();
  pl_body_def def = pl_body_def_default();
  def.strategy = PL_STRATEGY_GOVERNED;
  skin.bone_count = 5;
  skin.weights = skin_weights(&rows, true);
  skin.weights.normalise = true;
  pl_body *body = NULL;
  assert_int_equal(pl_body_create_skin(context, &mesh, &skin, &def, &body), PL_OK);
  for (int f = 0; f < 8; ++f) {
    pl_transform bones[5], turn = f % 3 == 1 ? turn_of(&rng, 2) : pl_transform_identity();
    bones_make(bones, 5, f % BONES_KINDS, &rng);
    for (int k = 0; k < 45; ++k) bones[k / 9].m[k % 9 / 3][k % 3] *= f == 5 ? 1e60 : 1;
    assert_int_equal(pl_body_set_bones(body, bones, 5), PL_OK);
    assert_int_equal(pl_body_set_transform(body, &turn), PL_OK);
    check_pairs(body, "transformed", &in_all);
  }
  skin_rows_free(&rows);
  pl_context_destroy(context);
  shapes_free(&s);
}

/* ---------------------------------------------------------------------------------- controls -- */

static pl_body *subdivided(pl_context *context, const world_mesh *m, int levels)
{
  pl_mesh_def mesh = pl_mesh_def_default();
  pl_subdivide_def how = pl_subdivide_def_default();
  pl_body_def def = pl_body_def_default();
  pl_body *body = NULL;
  mesh.positions = pl_positions_f64(m->xyz, m->vertex_count);
  mesh.triangles = m->triangles;
  mesh.triangle_count = m->triangle_count;
  how.levels = levels;
  def.strategy = PL_STRATEGY_GOVERNED;
  if (pl_body_create_subdivide(context, &mesh, &how, &def, &body) != PL_OK) fail_msg("%s", pl_context_message(context));
  return body;
}

/* Subdivided sheets that defeat normals, which are flat at rest or not. */
static void sheets(void **state)
{
  (void)state;
  counted n = {0, 0};
  size_t in_all = 0;
  for (int kind = 0; kind < SHEET_COUNT; ++kind)
    for (int threads = 1; threads < (SANITIZED ? 2 : 4); threads += 2) {
      world_mesh m;
      char what[80];
      sheet_create(kind, kind == SHEET_FAN ? 6 : 9, &m);
      pl_context_def shared = pl_context_def_default();
      shared.threads = threads;
      pl_context *context;
      assert_int_equal(pl_context_create(&shared, &context), PL_OK);
      pl_body *body = subdivided(context, &m, 2);
      for (int f = 0; f < 3; ++f) {
        sheet_pose(kind, kind == SHEET_FAN ? 6 : 9, 0.5 * f, &m);
        assert_int_equal(pl_body_set_controls(body, pl_positions_f64(m.xyz, m.vertex_count)), PL_OK);
        snprintf(what, sizeof what, "%s, subdivided, frame %d, %d threads", sheet_text(kind), f, threads);
        check_pairs(body, what, &in_all);
        if (threads == 1) check_cones(body, &n, what);
      }
      pl_context_destroy(context);
      sheet_free(&m);
    }
  print_message("%zu cones from control points, %zu of more than 64 triangles, %zu pairs\n", n.sets, n.wide, in_all);
  assert_true(n.sets > 100 && n.wide > 20 && in_all > 1000);
}

/* Flat sheets across each axis whose control points leave their places along one axis only, by
 * up to more than their spacing: then one row of the triangles' Jacobians differs from that of
 * their patch, and triangles turn over. */
static void single_rows(void **state)
{
  (void)state;
  counted n = {0, 0};
  size_t in_all = 0;
  test_rng rng = {21};
  for (int round = 0; round < 9 * (SANITIZED ? 2 : 6); ++round) {
    const size_t across = (size_t)(round % 3), along = (size_t)(round / 3 % 3);
    world_mesh m;
    char what[80];
    sheet_create(SHEET_FLAT, 6, &m);
    pl_context *context = context_of(NULL);
    for (size_t v = 0; v < m.vertex_count; ++v) {
      double at[3] = {m.xyz[3 * v], m.xyz[3 * v + 1], m.xyz[3 * v + 2]};
      for (size_t k = 0; k < 3; ++k)
        m.xyz[3 * v + (across + 1 + k) % 3] = at[k]; /* the sheet is flat along the third */
    }
    pl_body *body = subdivided(context, &m, 3);
    double spacing = fabs(m.xyz[3 + (across + 1) % 3] - m.xyz[(across + 1) % 3]) +
                     fabs(m.xyz[3 + (across + 2) % 3] - m.xyz[(across + 2) % 3]);
    double far = spacing * test_uniform(&rng, 0.3, 1.3);
    for (size_t v = 0; v < m.vertex_count; ++v) m.xyz[3 * v + along] += test_uniform(&rng, -far, far);
    assert_int_equal(pl_body_set_controls(body, pl_positions_f64(m.xyz, m.vertex_count)), PL_OK);
    snprintf(what, sizeof what, "round %d: across %c, moved along %c", round, "xyz"[across], "xyz"[along]);
    check_pairs(body, what, &in_all);
    check_cones(body, &n, what);
    pl_context_destroy(context);
    sheet_free(&m);
  }
  print_message("%zu cones, %zu of more than 64 triangles, %zu pairs\n", n.sets, n.wide, in_all);
  assert_true(n.wide > 50 && in_all > 50);
}

/* The scenes of the experiments: cloth, animal and bear. */
static void experiments(void **state)
{
  (void)state;
  counted n = {0, 0};
  size_t in_all = 0;
  scene_animal animal;
  scene_mesh bear;
  pl_context *context = context_of(NULL);
  pl_body_def def = pl_body_def_default();
  def.strategy = PL_STRATEGY_GOVERNED;
  assert_true(scene_animal_make(SANITIZED ? 1500 : 5120, &animal));
  pl_mesh_def mesh = pl_mesh_def_default();
  mesh.positions = pl_positions_f32(animal.mesh.rest, animal.mesh.vertex_count);
  mesh.triangles = animal.mesh.triangles;
  mesh.triangle_count = animal.mesh.triangle_count;
  pl_skin_def skin = pl_skin_def_default();
  skin.bone_count = SCENE_ANIMAL_BONES;
  skin.weights = (pl_weights){.vertex_count = animal.mesh.vertex_count,
                              .per_vertex = SCENE_ANIMAL_WEIGHTS,
                              .governors = animal.bones,
                              .values = animal.weights,
                              .type = PL_F32,
                              .normalise = true};
  pl_body *body[2] = {NULL, NULL};
  assert_int_equal(pl_body_create_skin(context, &mesh, &skin, &def, &body[0]), PL_OK);
  assert_true(scene_bear(SANITIZED ? 10 : 25, &bear));
  float particles[SCENE_BEAR_PARTICLES][3];
  scene_bear_rest(particles);
  mesh.positions = pl_positions_f32(bear.rest, bear.vertex_count);
  mesh.triangles = bear.triangles;
  mesh.triangle_count = bear.triangle_count;
  pl_particles_def how = pl_particles_def_default();
  how.particles = pl_positions_f32(particles[0], SCENE_BEAR_PARTICLES);
  assert_int_equal(pl_body_create_points(context, &mesh, &how, &def, &body[1]), PL_OK);
  for (int step = 10; step < SCENE_GOVERNED_STEPS; step += 40) {
    double matrix[SCENE_ANIMAL_BONES][9], shift[SCENE_ANIMAL_BONES][3];
    pl_transform bones[SCENE_ANIMAL_BONES];
    (step == 50 ? scene_animal_run : scene_animal_walk)(step, matrix, shift);
    for (int k = 0; k < SCENE_ANIMAL_BONES; ++k) {
      memcpy(bones[k].m, matrix[k], sizeof bones[k].m);
      memcpy(bones[k].t, shift[k], sizeof bones[k].t);
    }
    scene_bear_pose(step, particles);
    assert_int_equal(pl_body_set_bones(body[0], bones, SCENE_ANIMAL_BONES), PL_OK);
    assert_int_equal(pl_body_set_controls(body[1], pl_positions_f32(particles[0], SCENE_BEAR_PARTICLES)), PL_OK);
    for (int k = 0; k < 2; ++k) {
      check_pairs(body[k], k ? "bear" : "animal", &in_all);
      check_cones(body[k], &n, k ? "bear" : "animal");
    }
  }
  pl_context_destroy(context);
  scene_animal_free(&animal);
  scene_mesh_free(&bear);
  print_message("%zu cones, %zu of more than 64 triangles, %zu pairs\n", n.sets, n.wide, in_all);
  assert_true(n.sets > 50);
}

/* A flat sheet: neither the tests nor the volumes that are computed grow with the number of
 * triangles. */
static void flat_sheet(void **state)
{
  (void)state;
  uint64_t tests[2], made[2];
  for (int large = 0; large < 2; ++large) {
    scene_mesh m;
    assert_true(scene_control_cloth(&m));
    pl_context *context = context_of(NULL);
    pl_mesh_def mesh = pl_mesh_def_default();
    mesh.positions = pl_positions_f32(m.rest, m.vertex_count);
    mesh.triangles = m.triangles;
    mesh.triangle_count = m.triangle_count;
    pl_subdivide_def how = pl_subdivide_def_default();
    /* 6: more than a million triangles */
    how.levels = large ? (SANITIZED ? 4 : test_soaks() ? 6 : 5) : 3;
    pl_body_def def = pl_body_def_default();
    def.strategy = PL_STRATEGY_GOVERNED;
    pl_body *body = NULL;
    const pl_result *found;
    assert_int_equal(pl_body_create_subdivide(context, &mesh, &how, &def, &body), PL_OK);
    tests[large] = made[large] = 0;
    for (int f = 0; f < 2; ++f) { /* the second begins at the front */
      for (size_t v = 0; v < m.vertex_count; ++v) m.xyz[3 * v + 1] = 0.25f * m.xyz[3 * v] + (float)f;
      assert_int_equal(pl_body_set_controls(body, pl_positions_f32(m.xyz, m.vertex_count)), PL_OK);
      assert_int_equal(pl_touching(pl_self(body), NULL, &found), PL_OK);
      assert_int_equal(found->count, 0);
      tests[large] += found->counters.n_v + found->counters.n_p;
      made[large] += found->counters.n_u;
      assert_true(f ? found->counters.n_u == 0 : found->counters.n_u > 0);
    }
    print_message("%zu triangles: %d tests, %d volumes\n", pl_body_triangle_count(body), (int)tests[large],
                  (int)made[large]);
    pl_context_destroy(context);
    scene_mesh_free(&m);
  }
  assert_int_equal(tests[0], tests[1]);
  assert_true(made[1] <= 2 * made[0] && made[1] < 3000);
}

/* Memory that runs out at the n-th request is a status, leaks nothing, and the next query is
 * right; frames that repeat allocate nothing, also where a body changes between governors and
 * vertices because it is crumpled. */
static void memory(void **state)
{
  (void)state;
  scene_mesh m;
  assert_true(scene_control_cloth(&m));
  failing room = {.until = -1};
  pl_context_def shared = pl_context_def_default();
  shared.threads = 1;
  shared.allocator = (pl_allocator){&room, failing_allocate, failing_release};
  pl_context *context;
  assert_int_equal(pl_context_create(&shared, &context), PL_OK);
  pl_mesh_def mesh = pl_mesh_def_default();
  mesh.positions = pl_positions_f32(m.rest, m.vertex_count);
  mesh.triangles = m.triangles;
  mesh.triangle_count = m.triangle_count;
  pl_subdivide_def how = pl_subdivide_def_default();
  how.levels = 1;
  pl_body_def def = pl_body_def_default();
  def.strategy = PL_STRATEGY_GOVERNED;
  pl_body *body = NULL;
  const pl_result *found;
  size_t in_all = 0;
  assert_int_equal(pl_body_create_subdivide(context, &mesh, &how, &def, &body), PL_OK);
  long failures = 0;
  for (long n = 0;; ++n) {
    room.until = n;
    pl_status status = pl_touching(pl_self(body), NULL, &found);
    room.until = -1;
    if (status == PL_OK) break;
    assert_int_equal(status, PL_ERROR_MEMORY);
    ++failures;
  }
  assert_true(failures > 10);
  bool whole = false;
  for (int f = 0; f < 26; ++f) {
    scene_control_fold(&m, f % 13 * 8);
    for (size_t v = 0; v < m.vertex_count; ++v) m.xyz[3 * v + 1] += 0.2f * (float)(v * 7 % 5);
    assert_int_equal(pl_body_set_controls(body, pl_positions_f32(m.xyz, m.vertex_count)), PL_OK);
    if (f % 13 == 12) check_pairs(body, "crumpled", &in_all);
    if (f > 13) room.until = 0;
    assert_int_equal(pl_touching(pl_self(body), NULL, &found), PL_OK);
    room.until = -1;
    whole |= !body->patches->demand;
  }
  print_message("%zu pairs, %s\n", in_all, whole ? "also bottom-up" : "always on demand");
  assert_true(whole && in_all > 10);
  pl_context_destroy(context);
  assert_int_equal(room.live, 0);
  scene_mesh_free(&m);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(memory),      cmocka_unit_test(skins),
                                     cmocka_unit_test(transformed), cmocka_unit_test(sheets),
                                     cmocka_unit_test(single_rows), cmocka_unit_test(experiments),
                                     cmocka_unit_test(flat_sheet)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
