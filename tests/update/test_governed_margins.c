/* The rounding margins of the governed kernels, where nothing else hides a missing one. Sides of
 * boxes are looked at in a space that is as fine as the roundings of positions, so that rounding
 * a side to float adds nothing that counts; and transforms are such that vertices are on the
 * sides of the boxes in real numbers: every coordinate depends on one coordinate at rest, large
 * numbers cancel, and what is left is small. Cones: bodies so far from the origin that the
 * roundings of positions turn triangles over. In exact arithmetic: a box contains the real
 * positions of its vertices and the rounded ones, and the triangles of the rounded ones face
 * every direction of the cone. */
#include "body/body.h"
#include "bounds/cone.h"
#include "update/governed_cones.h"

#include "support/skins.h" /* after our headers: cmocka has a macro named fail */

#include <stdio.h>

#ifdef PLIANT_HAVE_GMP
#include <gmp.h>

#ifdef __SANITIZE_ADDRESS__
enum { FREQUENCY = 5, ROUNDS = 6 };
#else
enum { FREQUENCY = 5, ROUNDS = 12 };
#endif
enum { BONES = 4, CONTROLS = 8 };

/* A body, and the fits of its patches as the kernels read them. */
typedef struct fitted {
  pl_context *context;
  pl_body *body;
  const governed *g;
  governed_state fits;
  size_t boxes, cones; /* that were checked */
  /* directions that patches face; those of cones of which both kernels think differently */
  size_t faced, other;
} fitted;

static void fit(fitted *f)
{
  const pl_result *found;
  patch_term *terms = NULL;
  float(*sigma)[4] = NULL;
  pl_question def = pl_question_default();
  def.self_method = PL_SELF_METHOD_CONES;
  assert_int_equal(pl_touching(pl_self(f->body), &def, &found), PL_OK); /* makes the patches */
  patches *p = f->body->patches;
  f->g = f->body->motion.controls;
  assert_int_equal(governed_fit(f->context, &p->tree, f->g, &f->fits, &terms), PL_OK);
  assert_int_equal(governed_measure(f->context, p, f->g, &f->fits, terms, &f->fits.normals, &sigma), PL_OK);
  assert_int_equal(governed_pack(f->context, &p->tree, f->g, terms, (const float(*)[4])sigma, &f->fits), PL_OK);
  mem_free(&f->context->def.allocator, terms);
  mem_free(&f->context->def.allocator, sigma);
}

static void forget(fitted *f)
{
  governed_state_free(f->context, &f->fits);
  pl_context_destroy(f->context);
}

/* -------------------------------------------------------------------------- exact arithmetic -- */

typedef struct exact {
  mpq_t sum, term, factor;
} exact;

/* sum += a b c */
static void add(exact *e, double a, double b, double c)
{
  const double factors[2] = {b, c};
  mpq_set_d(e->term, a);
  for (int i = 0; i < 2; ++i) {
    mpq_set_d(e->factor, factors[i]);
    mpq_mul(e->term, e->term, e->factor);
  }
  mpq_add(e->sum, e->sum, e->term);
}

/* Coordinate i of a vertex in real numbers, or as it is rounded; then in the space of a box. */
static void place(exact *e, const governed *g, uint32_t v, int i, bool real, const governed_space *to)
{
  double q[3];
  mpq_set_ui(e->sum, 0, 1);
  governed_point(g, v, q);
  if (!real) add(e, q[i], 1, 1);
  for (uint32_t k = g->first[v]; real && k < g->first[v + 1]; ++k) {
    const pl_transform *t = &g->now[g->governor[k]];
    for (int j = 0; g->transforms && j < 3; ++j) add(e, g->weight[k], t->m[i][j], g->rest[3 * (size_t)v + (size_t)j]);
    add(e, g->weight[k], t->t[i], 1);
  }
  mpq_set_d(e->factor, to->half);
  mpq_mul(e->sum, e->sum, e->factor);
  add(e, -to->origin[i], 1, 1);
  mpq_set_d(e->factor, to->scale);
  mpq_mul(e->sum, e->sum, e->factor);
}

static bool within(exact *e, float low, float high)
{
  if (isfinite(low)) {
    mpq_set_d(e->factor, (double)low);
    if (mpq_cmp(e->sum, e->factor) < 0) return false;
  }
  mpq_set_d(e->factor, isfinite(high) ? (double)high : 0);
  return !isfinite(high) || mpq_cmp(e->sum, e->factor) <= 0;
}

static void check_box(const fitted *f, const patch *q, const governed_space *to, const aabb *box, const char *what)
{
  const uint32_t *tri = f->body->patches->tree.prims.tri;
  exact e;
  mpq_inits(e.sum, e.term, e.factor, NULL);
  for (uint32_t c = 3 * q->begin; c < 3 * q->end; ++c)
    for (int k = 0; k < 6; ++k) {
      place(&e, f->g, tri[c], k % 3, k < 3, to);
      if (!within(&e, box->lower[k % 3], box->upper[k % 3]))
        fail_msg("%s: the %s vertex %u is out of a box: %g not in [%.9g, %.9g]", what, k < 3 ? "real" : "rounded",
                 tri[c], mpq_get_d(e.sum), (double)box->lower[k % 3], (double)box->upper[k % 3]);
    }
  mpq_clears(e.sum, e.term, e.factor, NULL);
}

/* n . d of a triangle's exact normal at its rounded positions. */
static int facing(const fitted *f, uint32_t t, const int d[3])
{
  const uint32_t *v = f->body->patches->tree.prims.tri + 3 * (size_t)t;
  double at[3][3];
  mpq_t edge[2][3], x, y, sum;
  mpq_inits(x, y, sum, NULL);
  for (int c = 0; c < 3; ++c) governed_point(f->g, v[c], at[c]);
  for (int k = 0; k < 6; ++k) {
    mpq_init(edge[k / 3][k % 3]);
    mpq_set_d(x, at[k / 3 + 1][k % 3]);
    mpq_set_d(y, at[0][k % 3]);
    mpq_sub(edge[k / 3][k % 3], x, y);
  }
  for (int k = 0; k < 3; ++k) {
    mpq_mul(x, edge[0][(k + 1) % 3], edge[1][(k + 2) % 3]);
    mpq_mul(y, edge[0][(k + 2) % 3], edge[1][(k + 1) % 3]);
    mpq_sub(x, x, y);
    mpq_set_si(y, d[k], 1);
    mpq_mul(x, x, y);
    mpq_add(sum, sum, x);
  }
  int sign = mpq_sgn(sum);
  for (int k = 0; k < 6; ++k) mpq_clear(edge[k / 3][k % 3]);
  mpq_clears(x, y, sum, NULL);
  return sign;
}

static void check_cone(const fitted *f, const patch *q, uint32_t set, const char *what)
{
  for (int k = 0; k < 2 * CONE_AXES; ++k) {
    int d[3];
    if (!(set >> k & 1)) continue;
    cone_axis(1u << k, d);
    for (uint32_t t = q->begin; t < q->end; ++t)
      if (facing(f, t, d) <= 0) fail_msg("%s: triangle %u does not face %d %d %d", what, t, d[0], d[1], d[2]);
  }
}

static void check_direction(fitted *f, uint32_t node, const int d[3], const char *what)
{
  const governed_kernels *inner = kernels_of(f->context->isa)->governed;
  const patch *q = &f->body->patches->patch[node];
  if (!inner->faces(f->g, &f->fits, node, d)) return;
  ++f->faced;
  for (uint32_t t = q->begin; t < q->end; ++t)
    if (facing(f, t, d) <= 0) fail_msg("%s: triangle %u does not face %d %d %d", what, t, d[0], d[1], d[2]);
}

/* Single directions as the front asks for them: those of cones, the axis of the cone, and others
 * around it. */
static void check_directions(fitted *f, uint32_t node, uint32_t set, const char *what)
{
  const governed_kernels *inner = kernels_of(f->context->isa)->governed;
  int axis[3];
  for (int k = 0; k < 2 * CONE_AXES; ++k) {
    cone_axis(1u << k, axis);
    f->other += inner->faces(f->g, &f->fits, node, axis) != (set >> k & 1);
  }
  if (!set) return;
  cone_axis(set, axis);
  check_direction(f, node, axis, what);
  for (int k = 0; k < 6; ++k) {
    int d[3] = {2 * axis[0], 2 * axis[1], 2 * axis[2]};
    d[k % 3] += k < 3 ? 9 : -9;
    check_direction(f, node, d, what);
  }
}

/* Every patch that has a fit, on an instruction set. */
static void check(fitted *f, double fine, const char *what)
{
  const patches *p = f->body->patches;
  const governed_kernels *inner = kernels_of(f->context->isa)->governed;
  for (uint32_t node = 0; node < p->tree.nodes.inner_count; ++node) {
    governed_space to = {.half = 0.5, .scale = fine};
    double at[3];
    aabb box;
    uint32_t set;
    if (!f->fits.patches[node].count) continue;
    governed_point(f->g, p->tree.prims.tri[3 * (size_t)p->patch[node].begin], at);
    for (int k = 0; k < 3; ++k) to.origin[k] = 0.5 * at[k];
    inner->patch(f->g, &f->fits, node, &to, &box, &set);
    check_box(f, &p->patch[node], &to, &box, what);
    check_cone(f, &p->patch[node], set, what);
    check_directions(f, node, set, what);
    ++f->boxes;
    f->cones += set != 0;
  }
}

/* ------------------------------------------------------------------------------------ bodies -- */

/* The same weights for all vertices, in sixty-fourths, so that they add up to 1 without
 * rounding. */
static skin_rows equal_rows(size_t vertices, test_rng *rng)
{
  skin_rows r = {.vertex_count = vertices, .bone_count = BONES};
  r.first = malloc((vertices + 1) * sizeof *r.first);
  r.bone = malloc(vertices * BONES * sizeof *r.bone);
  r.weight = malloc(vertices * BONES * sizeof *r.weight);
  int share[BONES], left = 64;
  for (int k = 0; k < BONES; ++k) {
    share[k] = k + 1 < BONES ? 1 + test_below(rng, left / 2) : left;
    left -= share[k];
  }
  for (size_t v = 0; v <= vertices; ++v) r.first[v] = (uint32_t)(BONES * v);
  for (size_t e = 0; e < BONES * vertices; ++e) {
    r.bone[e] = e % BONES;
    r.weight[e] = share[e % BONES] / 64.0;
  }
  return r;
}

/* The bodies of this file follow `bones`, all of them the same transform. */
static fitted make_skin(const shapes *s, const double *rest, const skin_rows *rows)
{
  fitted f = {.context = context_of(NULL)};
  pl_mesh_def mesh = mesh_of(s, 0, true);
  pl_body_def def = pl_body_def_default();
  pl_skin_def skin = pl_skin_def_default();
  def.strategy = PL_STRATEGY_GOVERNED;
  mesh.positions = pl_positions_f64(rest, s->mesh.vertex_count);
  skin.bone_count = BONES;
  skin.weights = skin_weights(rows, true);
  assert_int_equal(pl_body_create_skin(f.context, &mesh, &skin, &def, &f.body), PL_OK);
  fit(&f);
  return f;
}

static void set_bones(fitted *f, const pl_transform *to)
{
  pl_transform bones[BONES];
  for (int k = 0; k < BONES; ++k) bones[k] = *to;
  assert_int_equal(pl_body_set_bones(f->body, bones, BONES), PL_OK);
}

/* A body of 2^-40 about a point near 1, and transforms of 10^6 that take this point to about 0. */
static void skins_have_margins(void **state)
{
  (void)state;
  shapes s;
  shapes_create(&s, FREQUENCY);
  size_t boxes = 0;
  double *rest = malloc(3 * s.mesh.vertex_count * sizeof *rest);
  for (int round = 0; round < ROUNDS; ++round) {
    test_rng rng = {(uint64_t)round + 900};
    char what[60];
    double about[3];
    pl_transform to = pl_transform_identity();
    for (int i = 0; i < 3; ++i) about[i] = test_uniform(&rng, 0.5, 1);
    for (size_t k = 0; k < 3 * s.mesh.vertex_count; ++k) rest[k] = about[k % 3] + 0x1p-40 * s.xyz_f64[0][k];
    for (int i = 0; i < 3; ++i) {
      int j = (i + round) % 3; /* also axes exchanged */
      to.m[i][i] = 0;
      to.m[i][j] = test_uniform(&rng, -1e6, 1e6);
      to.t[i] = -to.m[i][j] * about[j];
    }
    skin_rows rows = equal_rows(s.mesh.vertex_count, &rng);
    fitted f = make_skin(&s, rest, &rows);
    set_bones(&f, &to);
    snprintf(what, sizeof what, "skin, round %d", round);
    check(&f, 0x1p33, what);
    boxes += f.boxes;
    forget(&f);
    skin_rows_free(&rows);
  }
  assert_true(boxes > 4 * ROUNDS);
  free(rest);
  shapes_free(&s);
}

/* A body of 2^-36 in the middle of a cube whose corners are its control points: weights near 1/8
 * that are linear in space, and corners at 10^6. */
static void controls_have_margins(void **state)
{
  (void)state;
  shapes s;
  shapes_create(&s, FREQUENCY);
  const size_t vertices = s.mesh.vertex_count;
  size_t boxes = 0;
  skin_rows rows = {.vertex_count = vertices, .bone_count = CONTROLS};
  rows.first = malloc((vertices + 1) * sizeof *rows.first);
  rows.bone = malloc(vertices * CONTROLS * sizeof *rows.bone);
  rows.weight = malloc(vertices * CONTROLS * sizeof *rows.weight);
  double corner[CONTROLS][3], now[CONTROLS][3];
  for (int k = 0; k < CONTROLS; ++k)
    for (int i = 0; i < 3; ++i) corner[k][i] = k >> i & 1 ? 1 : -1;
  for (size_t v = 0; v <= vertices; ++v) rows.first[v] = (uint32_t)(CONTROLS * v);
  for (size_t e = 0; e < CONTROLS * vertices; ++e) {
    const double *p = s.xyz_f64[0] + 3 * (e / CONTROLS), *at = corner[e % CONTROLS];
    rows.bone[e] = e % CONTROLS;
    rows.weight[e] = 0.125 + 0x1p-39 * (p[0] * at[0] + p[1] * at[1] + p[2] * at[2]);
  }
  for (int round = 0; round < ROUNDS; ++round) {
    test_rng rng = {(uint64_t)round + 1900};
    char what[60];
    fitted f = {.context = context_of(NULL)};
    pl_mesh_def mesh = mesh_of(&s, 0, true);
    pl_body_def def = pl_body_def_default();
    pl_embed_def embed = pl_embed_def_default();
    def.strategy = PL_STRATEGY_GOVERNED;
    embed.controls = pl_positions_f64(corner[0], CONTROLS);
    embed.weights = skin_weights(&rows, true);
    assert_int_equal(pl_body_create_embed(f.context, &mesh, &embed, &def, &f.body), PL_OK);
    fit(&f);
    for (int i = 0; i < 3; ++i) {
      double by = test_uniform(&rng, -1e6, 1e6);
      for (int k = 0; k < CONTROLS; ++k) now[k][i] = by * corner[k][(i + round) % 3];
    }
    assert_int_equal(pl_body_set_controls(f.body, pl_positions_f64(now[0], CONTROLS)), PL_OK);
    snprintf(what, sizeof what, "controls, round %d", round);
    check(&f, 0x1p33, what);
    boxes += f.boxes;
    forget(&f);
  }
  assert_true(boxes > 4 * ROUNDS);
  skin_rows_free(&rows);
  shapes_free(&s);
}

/* A body 10^6 away whose size goes from much more than a rounding there to about one. */
static void far_cones_have_margins(void **state)
{
  (void)state;
  shapes s;
  shapes_create(&s, FREQUENCY);
  size_t cones = 0, none = 0;
  test_rng rng = {77};
  skin_rows rows = equal_rows(s.mesh.vertex_count, &rng);
  fitted f = make_skin(&s, s.xyz_f64[0], &rows);
  for (int round = 0; round < ROUNDS; ++round) {
    char what[60];
    size_t before = f.cones;
    pl_transform to = turn_of(&rng, 3);
    double size = ldexp(1, -8 - 24 * round / ROUNDS); /* a rounding: 2^-33 */
    for (int i = 0; i < 3; ++i) {
      to.t[i] = test_uniform(&rng, -1e6, 1e6);
      for (int j = 0; j < 3; ++j) to.m[i][j] *= size;
    }
    set_bones(&f, &to);
    snprintf(what, sizeof what, "far, round %d", round);
    check(&f, 0x1p33, what);
    cones += f.cones - before;
    none += f.cones == before;
  }
  assert_true(cones > 0 && none > 0);
  print_message("%zu cones, %zu directions faced, %zu of a cone decided differently\n", f.cones, f.faced, f.other);
  assert_true(f.faced > f.cones && f.other * 100 < f.boxes * 26);
  forget(&f);
  skin_rows_free(&rows);
  shapes_free(&s);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(skins_have_margins), cmocka_unit_test(controls_have_margins),
                                     cmocka_unit_test(far_cones_have_margins)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
#else
int main(void)
{
  puts("skipped: built without GMP");
  return 0;
}
#endif
