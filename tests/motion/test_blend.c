/* Every blended volume of every kind contains the blended vertices, in exact arithmetic: convex
 * and additive weights, extremes, in-betweens, references that cancel or differ by orders of
 * magnitude. And how little is blended. */
#include "body/body.h"
#include "bounds/kdop.h"
#include "motion/morph.h"
#include "scenes/scenes.h"
#include "support/worlds.h"

#ifdef PLIANT_HAVE_GMP
#include "exact/fixed.h"
#endif

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#ifdef __SANITIZE_ADDRESS__
enum { FREQUENCY = 1, WEIGHTS = 12 };
#else
enum { FREQUENCY = 2 };
#define WEIGHTS (test_soaks() ? 16 : 12)
#endif

enum { REFERENCES = 3, MOST_VERTICES = 64 };

/* How the references relate. */
enum { PLAIN, AWAY, TINY, CANCEL, UNEQUAL, WORLDS };
static const char *const world_names[WORLDS] = {"plain", "far away", "tiny", "cancelling", "unequal"};

typedef struct references {
  scene_mesh mesh;
  double xyz[REFERENCES][3 * MOST_VERTICES];
  float xyz_f32[REFERENCES][3 * MOST_VERTICES];
} references;

static void references_create(references *s, int relation, int frequency)
{
  assert_true(scene_geosphere(frequency, &s->mesh));
  assert_true(s->mesh.vertex_count <= MOST_VERTICES);
  for (int r = 0; r < REFERENCES; ++r)
    for (size_t i = 0; i < 3 * s->mesh.vertex_count; ++i) {
      double x = (double)s->mesh.rest[i], wave = sin((double)(i / 3) * (r + 1));
      double y = x * (1 + 0.4 * wave) + 0.3 * r;
      if (relation == AWAY) y += 1e5 * (i % 3 == 0);
      if (relation == TINY) y *= 1e-30;
      if (relation == CANCEL) y = (r == 1 ? -1 : 1) * x * 1e9 + wave * 1e-6;
      if (relation == UNEQUAL) y *= pow(1e7, r);
      float f = (float)y;
      s->xyz[r][i] = y;
      s->xyz_f32[r][i] = f;
    }
}

typedef struct setting {
  int world;
  pl_morph_kind kind;
  pl_volume volume;
  bool doubles;
  int inbetweens;
  const double *parameters;
  const int *pairs;
  int pair_count;
  int arity, leaf;
  const char *simd;
} setting;

static pl_body *make(pl_context *context, const references *s, const setting *set)
{
  pl_positions list[REFERENCES];
  for (int r = 0; r < REFERENCES; ++r)
    list[r] = set->doubles ? pl_positions_f64(s->xyz[r], s->mesh.vertex_count)
                           : pl_positions_f32(s->xyz_f32[r], s->mesh.vertex_count);
  pl_morph_def def = pl_morph_def_default();
  def.kind = set->kind;
  def.references = list;
  def.reference_count = REFERENCES;
  def.weight_low = -0.75;
  def.weight_high = 2;
  def.inbetweens = set->inbetweens;
  def.inbetween_parameters = set->parameters;
  def.inbetween_pairs = set->pairs;
  def.inbetween_pair_count = set->pair_count;
  pl_body_def body_def = pl_body_def_default();
  body_def.volume = set->volume;
  body_def.arity = set->arity;
  body_def.leaf_size = set->leaf;
  pl_mesh_def mesh = pl_mesh_def_default();
  mesh.positions = list[0];
  mesh.triangles = s->mesh.triangles;
  mesh.triangle_count = s->mesh.triangle_count;
  pl_body *body = NULL;
  if (pl_body_create_morph(context, &mesh, &def, &body_def, &body) != PL_OK)
    fail_msg("%s", pl_context_message(context));
  return body;
}

#ifdef PLIANT_HAVE_GMP

enum { SHIFT = 300 }; /* of positions and of weights; products have twice that */

/* ----------------------------------------------------------------------------------- weights -- */

/* Number n of a list of weights: ends, near ends, two active (at, beside and between stored
 * parameters), three active, and sums that are a little off. */
static int convex_weights(test_rng *rng, int n, double w[3])
{
  w[0] = w[1] = w[2] = 0;
  int i = n % 3, j = (i + 1) % 3;
  double t = test_uniform(rng, 0, 1);
  if (n < 3) t = 0;
  if (n == 3) t = 1e-12;
  if (n == 4) t = 1 - 1e-9;
  if (n == 5) t = 0.5;
  if (n == 6) t = 0.25 + 1e-16;
  if (n == 7) t = 0.5 - 1e-15;
  w[i] = 1 - t;
  w[j] = t;
  if (n > 7 && n % 4 == 3) {
    double u = test_uniform(rng, 0, 1);
    for (int k = 0; k < 3; ++k) w[k] *= 1 - u;
    w[3 - i - j] = 1 - w[i] - w[j];
  }
  if (n > 7 && n % 5 == 4) w[j] += w[j] <= 1 - 1e-7 ? 9e-7 * w[j] : 0;
  return 3;
}

static int additive_weights(test_rng *rng, int n, double w[3])
{
  for (int k = 0; k < 2; ++k) w[k] = n % 3 == 2 || n % 2 == k ? test_uniform(rng, -0.75, 2) : 0;
  if (n < 6) w[n % 2] = (const double[]){0, 2, -0.75, 1e-14, 1, -1e-13}[n];
  if (n % 4 == 1) w[!(n % 2)] = 0;
  return 2;
}

/* ------------------------------------------------------------------------------- containment -- */

static void exact_vertex(const morph *m, uint32_t v, fixed_point *out)
{
  mpz_t c, x;
  mpz_inits(c, x, NULL);
  for (int a = 0; a < 3; ++a) mpz_set_si(out->x[a], 0);
  for (int r = 0; r < m->count; ++r) {
    pl_positions reference = morph_reference(m, r);
    const char *at = (const char *)reference.data + reference.stride * v;
    fixed_set(c, m->coefficient[r], SHIFT);
    for (int a = 0; a < 3; ++a) {
      double q =
          m->type == PL_F32 ? (double)((const float *)(const void *)at)[a] : ((const double *)(const void *)at)[a];
      fixed_set(x, q, SHIFT);
      mpz_addmul(out->x[a], c, x);
    }
  }
  mpz_clears(c, x, NULL);
}

static bool lane_contains(const pl_body *body, uint32_t slot, const fixed_point *q)
{
  const tree *t = body->tree;
  const int width = t->nodes.width;
  const float *box = tree_block(t, slot >> 3) + (slot & 7),
              *shape = t->layers[LAYER_SHAPES].data ? tree_shapes(t, slot >> 3) + (slot & 7) : NULL;
  for (int k = 0; k < 3; ++k)
    if (!fixed_in_slab(q, 2 * SHIFT, kdop_normals[k], box[k * width], box[(k + 3) * width])) return false;
  if (body->def.volume == PL_VOLUME_SPHERE)
    return fixed_in_sphere(q, 2 * SHIFT, (const float[]){shape[0], shape[width], shape[2 * width]}, shape[3 * width]);
  int slabs = t->layers[LAYER_SHAPES].floats / 2;
  for (int k = 0; shape && k < slabs; ++k)
    if (!fixed_in_slab(q, 2 * SHIFT, kdop_normal(slabs, k + KDOP_AXES), shape[k * width], shape[(k + slabs) * width]))
      return false;
  return true;
}

/* Every volume above every leaf, against its vertices as real numbers and as double arithmetic
 * gives them. */
static void check_all(pl_body *body, const char *what)
{
  const tree *t = body->tree;
  fixed_point *exact = malloc(2 * t->prims.vertex_count * sizeof *exact);
  for (uint32_t v = 0; v < t->prims.vertex_count; ++v) {
    double q[3];
    fixed_point_init(&exact[2 * v]);
    fixed_point_init(&exact[2 * v + 1]);
    exact_vertex(body->motion.controls, v, &exact[2 * v]);
    /* of the model's space, in which volumes stand */
    const int exponent = body->motion.now.exponent;
    assert_true(exponent <= 0);
    for (int k = 0; k < 3; ++k) mpz_mul_2exp(exact[2 * v].x[k], exact[2 * v].x[k], (mp_bitcnt_t)-exponent);
    points_model(&body->motion.now, v, q);
    fixed_point_set(&exact[2 * v + 1], q, 2 * SHIFT);
  }
  for (uint32_t i = 0; i < t->nodes.inner_count; ++i)
    update_ensure(body->update, body->update->shape ? LAYER_SHAPES : LAYER_BOXES, i);
  for (uint32_t leaf = 0; leaf < t->nodes.leaf_count; ++leaf)
    for (uint32_t k = t->prims.list_first[leaf]; k < t->prims.list_first[leaf + 1]; ++k) {
      /* padding */
      if (k > t->prims.list_first[leaf] && t->prims.list[k] == t->prims.list[k - 1]) break;
      for (uint32_t slot = t->nodes.leaf_slot[leaf];; slot = t->nodes.slot[slot >> 3]) {
        for (int e = 0; e < 2; ++e)
          if (!lane_contains(body, slot, &exact[2 * t->prims.list[k] + (uint32_t)e]))
            fail_msg("%s: node %u, lane %u does not contain vertex %u (%s)", what, slot >> 3, slot & 7,
                     t->prims.list[k], e ? "in double" : "exact");
        if (slot >> 3 == TREE_ROOT) break;
      }
    }
  for (uint32_t v = 0; v < 2 * t->prims.vertex_count; ++v) fixed_point_clear(&exact[v]);
  free(exact);
}

static void check_setting(const setting *set)
{
  references s;
  references_create(&s, set->world, FREQUENCY);
  pl_context *context = context_of(set->simd);
  if (!context) {
    scene_mesh_free(&s.mesh);
    return;
  }
  pl_body *body = make(context, &s, set);
  test_rng rng = {.state = (uint64_t)set->world * 100 + (uint64_t)set->inbetweens};
  for (int n = 0; n < WEIGHTS; ++n) {
    double w[3];
    int count = set->kind == PL_MORPH_CONVEX ? convex_weights(&rng, n, w) : additive_weights(&rng, n, w);
    char what[200];
    snprintf(what, sizeof what, "%s %s %s %s, %d in-betweens, arity %d, weights %g %g %g", world_names[set->world],
             set->kind == PL_MORPH_CONVEX ? "convex" : "additive", pl_word(PL_WORDS_VOLUME, set->volume),
             set->doubles ? "double" : "float", set->inbetweens, set->arity, w[0], w[1], count == 3 ? w[2] : 0);
    if (pl_body_set_weights(body, w, count) != PL_OK) fail_msg("%s: %s", what, pl_context_message(context));
    check_all(body, what);
    if (pl_body_validate(body) != PL_OK) fail_msg("%s: %s", what, pl_context_message(context));
  }
  pl_context_destroy(context);
  scene_mesh_free(&s.mesh);
}

static void blended_volumes_contain_blended_vertices(void **state)
{
  (void)state;
  static const double parameters[4] = {0.001, 0.25, 0.5, 0.998};
  static const int convex_pairs[] = {2, 0, 0, 1}, additive_pairs[] = {0, 2};
  static const char *const simds[] = {"scalar", "sse2", NULL};
  int settings = 0;
  for (int relation = 0; relation < WORLDS; ++relation)
    for (int kind = 0; kind < PL_MORPH_COUNT; ++kind)
      for (int volume = 0; volume < PL_VOLUME_COUNT; ++volume) {
        const shape_kind *shape = shape_kind_of((pl_volume)volume);
        if (volume != PL_VOLUME_AABB && (!shape || !shape->blends)) continue;
        for (int form = 0; form < 4; ++form, ++settings) { /* none, one, three, chosen */
          setting set = {.world = relation,
                         .kind = (pl_morph_kind)kind,
                         .volume = (pl_volume)volume,
                         .doubles = (settings + relation) % 2,
                         .inbetweens = (const int[]){0, 1, 3, 4}[form],
                         .arity = 2 << settings % 3,
                         .leaf = 1 + settings % 4,
                         .simd = simds[settings % 3]};
          if (form == 3) {
            set.parameters = parameters;
            set.pairs = kind == PL_MORPH_CONVEX ? convex_pairs : additive_pairs;
            set.pair_count = kind == PL_MORPH_CONVEX ? 2 : 1;
          }
          check_setting(&set);
        }
      }
}
#endif

/* ------------------------------------------------------------------------------- in-betweens -- */

static double blended_area(pl_body *body)
{
  pl_body_info info;
  assert_int_equal(pl_body_get_info(body, true, &info), PL_OK);
  double sum = 0;
  for (uint32_t i = 0; i < body->tree->nodes.inner_count; ++i)
    for (int lane = 0; lane < body->tree->nodes.children[i]; ++lane) {
      aabb b = aabb_lane(tree_block(body->tree, i), body->tree->nodes.width, lane);
      sum += aabb_area(&b);
    }
  return sum;
}

/* With two active references volumes get tighter, with one or three they stay as they were; the
 * memory is shown. */
static void inbetweens_tighten_and_take_memory(void **state)
{
  (void)state;
  references s;
  references_create(&s, PLAIN, 2);
  pl_context *context = context_of(NULL);
  for (int kind = 0; kind < PL_MORPH_COUNT; ++kind) {
    double area[3][3];
    size_t bytes[3];
    for (int form = 0; form < 3; ++form) {
      setting set = {.kind = (pl_morph_kind)kind,
                     .volume = PL_VOLUME_KDOP14,
                     .inbetweens = (const int[]){0, 1, 3}[form],
                     .arity = 4,
                     .leaf = 4};
      pl_body *body = make(context, &s, &set);
      const double convex[3][3] = {{0, 1, 0}, {0.5, 0.5, 0}, {0.3, 0.3, 0.4}}, additive[3][3] = {{0}, {1}, {0.5, 0.5}};
      for (int n = 0; n < 3; ++n) {
        assert_int_equal(pl_body_set_weights(body, kind ? additive[n] : convex[n], kind ? 2 : 3), PL_OK);
        area[form][n] = blended_area(body);
      }
      pl_body_info info;
      assert_int_equal(pl_body_get_info(body, true, &info), PL_OK);
      bytes[form] = info.bytes;
    }
    assert_true(area[1][0] == area[0][0] && area[2][0] == area[0][0]);
    assert_true(area[1][2] == area[0][2] && area[2][2] == area[0][2]);
    assert_true(area[1][1] < 0.95 * area[0][1]);
    assert_true(area[2][1] < 1.02 * area[1][1]);
    assert_true(bytes[0] < bytes[1] && bytes[1] < bytes[2]);
  }
  pl_context_destroy(context);
  scene_mesh_free(&s.mesh);
}

static void wrong_inbetweens_are_refused(void **state)
{
  (void)state;
  references s;
  references_create(&s, PLAIN, 2);
  pl_context *context = context_of(NULL);
  pl_positions list[REFERENCES];
  for (int r = 0; r < REFERENCES; ++r) list[r] = pl_positions_f32(s.xyz_f32[r], s.mesh.vertex_count);
  pl_mesh_def mesh = pl_mesh_def_default();
  mesh.positions = list[0];
  mesh.triangles = s.mesh.triangles;
  mesh.triangle_count = s.mesh.triangle_count;
  static const double falling[] = {0.5, 0.25}, outside[] = {0.5, 1}, narrow[] = {0.5, 0.5001}, nan[] = {0.1, NAN};
  static const int same[] = {1, 1}, high[] = {0, 3}, low[] = {-1, 0}, without_base[] = {1, 2};
  const struct {
    int count;
    const double *parameters;
    const int *pairs;
    int pair_count;
    pl_morph_kind kind;
    const char *sentence;
  } wrong[] = {
      {-1, NULL, NULL, 0, PL_MORPH_CONVEX, "in-betweens"},   {64, NULL, NULL, 0, PL_MORPH_CONVEX, "in-betweens"},
      {2, falling, NULL, 0, PL_MORPH_CONVEX, "parameter 1"}, {2, outside, NULL, 0, PL_MORPH_CONVEX, "parameter 1"},
      {2, narrow, NULL, 0, PL_MORPH_CONVEX, "parameter 1"},  {2, nan, NULL, 0, PL_MORPH_CONVEX, "parameter 1"},
      {1, NULL, NULL, 1, PL_MORPH_CONVEX, "missing"},        {1, NULL, same, 1, PL_MORPH_CONVEX, "pair 0"},
      {1, NULL, high, 1, PL_MORPH_CONVEX, "pair 0"},         {1, NULL, low, 1, PL_MORPH_CONVEX, "pair 0"},
      {1, NULL, without_base, 1, PL_MORPH_ADDITIVE, "base"}};
  for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; ++i) {
    pl_morph_def def = pl_morph_def_default();
    def.kind = wrong[i].kind;
    def.references = list;
    def.reference_count = REFERENCES;
    def.inbetweens = wrong[i].count;
    def.inbetween_parameters = wrong[i].parameters;
    def.inbetween_pairs = wrong[i].pairs;
    def.inbetween_pair_count = wrong[i].pair_count;
    pl_body *body = NULL;
    assert_refused(context, pl_body_create_morph(context, &mesh, &def, NULL, &body), PL_ERROR_ARGUMENT,
                   wrong[i].sentence);
    assert_null(body);
  }
  pl_context_destroy(context);
  scene_mesh_free(&s.mesh);
}

/* Shapes that blend are blended where a walk goes and nowhere else, and no vertex is evaluated
 * for them. */
static void only_visited_shapes_are_blended(void **state)
{
  (void)state;
  references s;
  references_create(&s, PLAIN, 2);
  pl_context *context = context_of(NULL);
  for (int volume = PL_VOLUME_AABB; volume < PL_VOLUME_COUNT; ++volume) {
    const shape_kind *shape = shape_kind_of((pl_volume)volume);
    if (volume != PL_VOLUME_AABB && (!shape || !shape->blends)) continue;
    setting set = {.kind = PL_MORPH_CONVEX, .volume = (pl_volume)volume, .arity = 2, .leaf = 1, .inbetweens = 1};
    pl_body *a = make(context, &s, &set), *b = make(context, &s, &set);
    pl_transform apart = pl_transform_identity(), near = apart;
    apart.t[0] = 100;
    near.t[0] = 2;
    const double w[3] = {0.25, 0.75, 0};
    const pl_result *found;
    assert_int_equal(pl_body_set_weights(a, w, 3), PL_OK);
    assert_int_equal(pl_body_set_weights(b, w, 3), PL_OK);
    assert_int_equal(pl_body_set_transform(b, &apart), PL_OK);
    assert_int_equal(pl_touching(pl_two(a, b), NULL, &found), PL_OK);
    assert_int_equal(found->counters.n_u, 4); /* the two root blocks */
    assert_int_equal(pl_body_set_transform(b, &near), PL_OK);
    assert_int_equal(pl_touching(pl_two(a, b), NULL, &found), PL_OK);
    uint64_t all = a->tree->nodes.inner_count - 1 + a->tree->nodes.leaf_count, stamped = 0;
    const int layer_of_walk = volume == PL_VOLUME_AABB ? LAYER_BOXES : LAYER_SHAPES;
    for (uint32_t i = 0; i < a->tree->nodes.inner_count; ++i) {
      assert_int_equal(tree_is_true(a->tree, LAYER_BOXES, i), tree_is_true(a->tree, layer_of_walk, i));
      if (tree_is_true(a->tree, layer_of_walk, i)) stamped += a->tree->nodes.children[i];
      if (tree_is_true(b->tree, layer_of_walk, i)) stamped += b->tree->nodes.children[i];
    }
    /* the boxes of the roots are known from before */
    assert_int_equal(found->counters.n_u + 4, stamped);
    assert_true(stamped < 2 * all);
    assert_int_equal(pl_touching(pl_two(a, b), NULL, &found), PL_OK);
    assert_int_equal(found->counters.n_u, 0);
    assert_int_equal(pl_body_set_weights(a, w, 3), PL_OK); /* a new frame of one body */
    assert_int_equal(pl_touching(pl_two(a, b), NULL, &found), PL_OK);
    assert_true(found->counters.n_u > 0 && found->counters.n_u < all);
    pl_body_destroy(a);
    pl_body_destroy(b);
  }
  pl_context_destroy(context);
  scene_mesh_free(&s.mesh);
}

/* A morphing body with shapes and in-betweens fails whole at every allocation that fails, and
 * nothing is lost. */
static void out_of_memory_is_a_status(void **state)
{
  (void)state;
  references s;
  references_create(&s, PLAIN, 2);
  pl_positions list[REFERENCES];
  for (int r = 0; r < REFERENCES; ++r) list[r] = pl_positions_f32(s.xyz_f32[r], s.mesh.vertex_count);
  pl_morph_def def = pl_morph_def_default();
  def.references = list;
  def.reference_count = REFERENCES;
  def.inbetweens = 2;
  pl_mesh_def mesh = pl_mesh_def_default();
  mesh.triangles = s.mesh.triangles;
  mesh.triangle_count = s.mesh.triangle_count;
  pl_body_def body_def = pl_body_def_default();
  for (int volume = PL_VOLUME_SPHERE; volume <= PL_VOLUME_KDOP14; ++volume) {
    body_def.volume = (pl_volume)volume;
    failing memory = {.until = -1};
    pl_context_def context_def = pl_context_def_default();
    context_def.threads = 1;
    context_def.allocator = (pl_allocator){&memory, failing_allocate, failing_release};
    pl_context *context;
    assert_int_equal(pl_context_create(&context_def, &context), PL_OK);
    long failures = 0;
    for (pl_status status = PL_ERROR_MEMORY; status != PL_OK; ++failures) {
      pl_body *body;
      memory.until = failures;
      status = pl_body_create_morph(context, &mesh, &def, &body_def, &body);
      memory.until = -1;
      assert_int_equal(status == PL_OK ? PL_ERROR_MEMORY : status, PL_ERROR_MEMORY);
      assert_int_equal(status == PL_OK, body != NULL);
      if (body) assert_valid(body, context, pl_word(PL_WORDS_VOLUME, volume));
    }
    assert_true(failures > 20);
    pl_context_destroy(context);
    assert_int_equal(memory.live, 0);
  }
  scene_mesh_free(&s.mesh);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
#ifdef PLIANT_HAVE_GMP
      cmocka_unit_test(blended_volumes_contain_blended_vertices),
#endif
      cmocka_unit_test(inbetweens_tighten_and_take_memory), cmocka_unit_test(wrong_inbetweens_are_refused),
      cmocka_unit_test(only_visited_shapes_are_blended), cmocka_unit_test(out_of_memory_is_a_status)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
