/* Patches that are proven to keep clear of themselves by a margin (theorem 3 of
 * docs/self-collision.md), in exact arithmetic: every direction of a cone leaves each triangle
 * the altitude that was asked for, and no two features of a proven patch that are so many rings
 * apart are within the margin; of random fans, bent strips, slit and uneven sheets, at rest and
 * at moments of a step. Errors are planted: limits that forget a part of the margin, which must
 * be found out. And whole questions against the reference, on sheets that come near themselves. */
#include "body/body.h"
#include "body/sweep.h"
#include "bounds/cone.h"
#include "exact/feature_distance.h"
#include "scenes/ask.h"
#include "update/patches.h"

#include "support/impacts.h"
#include "support/nears.h"
#include "support/selves.h"

#include <stdio.h>

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
enum { ROUNDS = 400, MOVING_ROUNDS = 120, LARGE = 12, EVERY = 4 };
#else
enum { ROUNDS = 1500, MOVING_ROUNDS = 300, LARGE = 14, EVERY = 2 };
#endif

#ifdef PLIANT_HAVE_GMP
#include "exact/distance_oracle.h"

enum { MOST_VERTICES = 128, MOST_TRIANGLES = 160, MOST_EDGES = 320 };

/* A small surface, its edges, and how many edges apart vertices are. */
typedef struct sample {
  double xyz[MOST_VERTICES][3];
  uint32_t vertices, triangles, edges;
  uint32_t tri[MOST_TRIANGLES][3], edge[MOST_EDGES][2];
  uint8_t apart[MOST_VERTICES][MOST_VERTICES]; /* up to 4 */
} sample;

static uint64_t seed = 1;

static double uniform(void)
{
  seed ^= seed << 13;
  seed ^= seed >> 7;
  seed ^= seed << 17;
  return (double)(seed >> 11) * 0x1p-53;
}

static void make_grid(sample *s, uint32_t nu, uint32_t nv)
{
  s->vertices = (nu + 1) * (nv + 1);
  s->triangles = 0;
  for (uint32_t j = 0; j < nv; ++j)
    for (uint32_t i = 0; i < nu; ++i) {
      const uint32_t a = j * (nu + 1) + i, b = a + 1, c = a + nu + 1, d = c + 1;
      const uint32_t two[2][3] = {{a, b, c}, {b, d, c}};
      memcpy(s->tri[s->triangles], two, sizeof two);
      s->triangles += 2;
    }
}

/* Triangles around a vertex, not quite a full turn. */
static void fan(sample *s)
{
  const uint32_t n = 4 + (uint32_t)(uniform() * 12);
  const double angle = 3.5 + uniform() * 2.75;
  s->vertices = n + 2;
  s->triangles = n;
  memset(s->xyz, 0, sizeof s->xyz);
  for (uint32_t i = 0; i <= n; ++i) {
    const double at = angle * i / n, r = 1 + 0.4 * uniform();
    s->xyz[i + 1][0] = r * cos(at);
    s->xyz[i + 1][1] = r * sin(at);
    if (i < n) memcpy(s->tri[i], (const uint32_t[]){0, i + 1, i + 2}, sizeof s->tri[i]);
  }
}

/* A strip that bends until its ends nearly meet. */
static void strip(sample *s)
{
  const uint32_t n = 8 + (uint32_t)(uniform() * 16), rows = 1 + (uint32_t)(uniform() * 2);
  const double angle = 3 + uniform() * 3.2;
  make_grid(s, n, rows);
  for (uint32_t v = 0; v < s->vertices; ++v) {
    const double at = angle * (v % (n + 1)) / n, r = 2.5 - 0.6 * (v / (n + 1)) + 0.1 * uniform();
    s->xyz[v][0] = r * cos(at);
    s->xyz[v][1] = r * sin(at);
  }
}

/* A sheet with vertices off their places, or with a slit that opens a little. */
static void sheet(sample *s, bool slit)
{
  enum { N = 6 };
  const double off = 0.9 * uniform(), width = 0.05 + 0.3 * uniform();
  make_grid(s, N, N);
  for (uint32_t v = 0; v < s->vertices; ++v) {
    const double noise = slit ? 0.1 : off;
    s->xyz[v][0] = v % (N + 1) + noise * (uniform() - 0.5);
    s->xyz[v][1] = v / (N + 1) + noise * (uniform() - 0.5);
  }
  for (uint32_t j = 0; slit && j < 3; ++j) { /* below the middle row: the right half gets vertices of its own */
    const uint32_t old = j * (N + 1) + 3, fresh = s->vertices++;
    memcpy(s->xyz[fresh], s->xyz[old], sizeof s->xyz[old]);
    s->xyz[fresh][0] += width * (3 - j) / 3;
    for (uint32_t t = 0; t < s->triangles; ++t) {
      double middle = 0;
      for (int c = 0; c < 3; ++c) middle += s->tri[t][c] >= (N + 1) * (N + 1) ? 4 : s->tri[t][c] % (N + 1);
      for (int c = 0; c < 3; ++c)
        if (s->tri[t][c] == old && middle > 9) s->tri[t][c] = fresh;
    }
  }
}

/* Edges, and ways of up to 4 edges. */
static void connect(sample *s)
{
  memset(s->apart, 4, sizeof s->apart);
  s->edges = 0;
  for (uint32_t v = 0; v < s->vertices; ++v) s->apart[v][v] = 0;
  for (uint32_t t = 0; t < s->triangles; ++t)
    for (int c = 0; c < 3; ++c) {
      const uint32_t a = s->tri[t][c], b = s->tri[t][(c + 1) % 3];
      if (s->apart[a][b] != 1) memcpy(s->edge[s->edges++], (const uint32_t[]){a, b}, sizeof s->edge[0]);
      s->apart[a][b] = s->apart[b][a] = 1;
    }
  for (int step = 0; step < 2; ++step)
    for (uint32_t e = 0; e < s->edges; ++e)
      for (uint32_t v = 0; v < s->vertices; ++v)
        for (int k = 0; k < 2; ++k) {
          const uint8_t by = (uint8_t)(s->apart[v][s->edge[e][k]] + 1);
          if (by < s->apart[v][s->edge[e][!k]]) s->apart[v][s->edge[e][!k]] = s->apart[s->edge[e][!k]][v] = by;
        }
}

static void make(sample *s, int kind)
{
  if (kind == 0) fan(s);
  if (kind == 1) strip(s);
  if (kind >= 2) sheet(s, kind == 3);
  const double steep = 0.6 * uniform() * uniform(), turn = uniform() * 6.3;
  for (uint32_t v = 0; v < s->vertices; ++v) {
    double *p = s->xyz[v];
    p[2] = steep * (sin(2 * p[0]) + uniform() - 0.5);
    const double x = p[1], y = p[2];
    p[1] = cos(turn) * x - sin(turn) * y;
    p[2] = sin(turn) * x + cos(turn) * y;
    for (int k = 0; k < 3; ++k) p[k] = (double)(float)p[k];
  }
  connect(s);
}

static unsigned apart(const sample *s, const uint32_t *a, int n, const uint32_t *b, int m)
{
  unsigned least = 4;
  for (int i = 0; i < n; ++i)
    for (int k = 0; k < m; ++k) least = s->apart[a[i]][b[k]] < least ? s->apart[a[i]][b[k]] : least;
  return least;
}

static void corners(const double (*xyz)[3], const uint32_t *v, int n, double out[3][3])
{
  for (int c = 0; c < 3; ++c) memcpy(out[c], xyz[v[c < n ? c : n - 1]], sizeof out[c]);
}

/* Are a vertex and a face, or two edges, within the margin? Doubles decide where they are sure. */
static bool within(distance_oracle *o, double a[3][3], double b[3][3], bool edges, double margin)
{
  const double(*x)[3] = (const double(*)[3])a, (*y)[3] = (const double(*)[3])b;
  double distance = INFINITY;
  nearest_detail unused;
  if (edges ? !edge_edge_distance(x, y, 2 * margin, &distance, &unused)
            : !vertex_face_distance(x[0], y, 2 * margin, &distance, &unused))
    return false;
  if (fabs(distance - margin) > 1e-9 * margin) return distance < margin;
  mpq_t square;
  oracle_distance(o, x, y);
  mpq_init(square);
  mpq_set_d(square, margin);
  mpq_mul(square, square, square);
  const bool near = mpq_cmp(o->best, square) <= 0;
  mpq_clear(square);
  return near;
}

/* Features of the surface that are `rings` rings apart or more and within the margin. */
static size_t near_features(distance_oracle *o, const sample *s, const double (*xyz)[3], double margin, unsigned rings)
{
  double a[3][3], b[3][3];
  size_t found = 0;
  for (uint32_t v = 0; v < s->vertices && !found; ++v)
    for (uint32_t t = 0; t < s->triangles; ++t) {
      if (apart(s, &v, 1, s->tri[t], 3) < rings) continue;
      corners(xyz, &v, 1, a);
      corners(xyz, s->tri[t], 3, b);
      found += within(o, a, b, false, margin);
    }
  for (uint32_t e = 0; e < s->edges && !found; ++e)
    for (uint32_t f = 0; f < e; ++f) {
      if (apart(s, s->edge[e], 2, s->edge[f], 2) < rings) continue;
      corners(xyz, s->edge[e], 2, a);
      corners(xyz, s->edge[f], 2, b);
      found += within(o, a, b, true, margin);
    }
  return found;
}

/* What is forgotten of a margin. */
enum { FORGET_NOTHING, FORGET_CONES, FORGET_STEPS, FORGET_GAPS, FORGET_COUNT };

static const char *const forgotten[] = {"nothing", "altitudes", "steps of the border", "gaps of the border"};

typedef struct tally {
  size_t proven[FORGET_COUNT], wrong[FORGET_COUNT], kinds[4];
} tally;

static clearance border_of(clearance by, int forget)
{
  const float none = 0x1p-60f;
  if (forget == FORGET_STEPS) by.tau = none;
  if (forget == FORGET_GAPS) by.margin = none;
  return by;
}

static pl_body *body_of(pl_context *context, const sample *s)
{
  pl_mesh_def mesh = pl_mesh_def_default();
  pl_body *body;
  mesh.positions = pl_positions_f64(s->xyz[0], s->vertices);
  mesh.triangles = s->tri[0];
  mesh.triangle_count = s->triangles;
  assert_int_equal(pl_body_create_free(context, &mesh, NULL, &body), PL_OK);
  return body;
}

static uint32_t set_of_root(const tree *t, const uint32_t *cone)
{
  uint32_t set = CONE_ALL;
  for (int k = 0; k < t->nodes.children[TREE_ROOT]; ++k) set &= cone[8 * TREE_ROOT + k];
  return set;
}

/* N . d > tau L |d| for every direction of each leaf's cone, in rationals. */
static void check_altitudes(const patches *p, const uint32_t *cone, double tau)
{
  static const int axes[CONE_AXES][3] = {{1, 0, 0},  {0, 1, 0},  {0, 0, 1}, {1, 1, 0},  {1, -1, 0},
                                         {1, 0, 1},  {1, 0, -1}, {0, 1, 1}, {0, 1, -1}, {1, 1, 1},
                                         {1, 1, -1}, {1, -1, 1}, {-1, 1, 1}};
  const tree *t = &p->tree;
  mpq_t x[3][3], e[3][3], n, along, length, most, product;
  for (int i = 0; i < 9; ++i) mpq_inits(x[i / 3][i % 3], e[i / 3][i % 3], NULL);
  mpq_inits(n, along, length, most, product, NULL);
  for (uint32_t leaf = 0; leaf < t->nodes.leaf_count; ++leaf) {
    const uint32_t slot = t->nodes.leaf_slot[leaf], set = cone[8 * (size_t)(slot >> 3) + (slot & 7)];
    for (uint32_t i = t->prims.tri_first[leaf]; set && i < t->prims.tri_first[leaf + 1]; ++i) {
      for (int c = 0; c < 9; ++c)
        mpq_set_d(x[c / 3][c % 3],
                  (double)p->positions[4 * (size_t)p->tri[3 * (size_t)i + (size_t)c / 3] + (size_t)c % 3]);
      mpq_set_ui(most, 0, 1);
      for (int c = 0; c < 3; ++c) {
        mpq_set_ui(length, 0, 1);
        for (int k = 0; k < 3; ++k) {
          mpq_sub(e[c][k], x[(c + 1) % 3][k], x[c][k]);
          mpq_mul(product, e[c][k], e[c][k]);
          mpq_add(length, length, product);
        }
        if (mpq_cmp(length, most) > 0) mpq_set(most, length);
      }
      for (int bit = 0; bit < 2 * CONE_AXES; ++bit) {
        int square = 0;
        if (!(set >> bit & 1)) continue;
        mpq_set_ui(along, 0, 1);
        for (int k = 0; k < 3; ++k) {
          const int d = axes[bit % CONE_AXES][k] * (bit < CONE_AXES ? 1 : -1);
          mpq_mul(n, e[0][(k + 1) % 3], e[1][(k + 2) % 3]);
          mpq_mul(product, e[0][(k + 2) % 3], e[1][(k + 1) % 3]);
          mpq_sub(n, n, product);
          if (d > 0) mpq_add(along, along, n);
          if (d < 0) mpq_sub(along, along, n);
          square += d * d;
        }
        assert_true(mpq_sgn(along) > 0);
        mpq_mul(along, along, along);
        mpq_set_d(length, tau);
        mpq_mul(length, length, length);
        mpq_mul(length, length, most);
        mpq_set_si(product, square, 1);
        mpq_mul(length, length, product);
        assert_true(mpq_cmp(along, length) > 0);
      }
    }
  }
  for (int i = 0; i < 9; ++i) mpq_clears(x[i / 3][i % 3], e[i / 3][i % 3], NULL);
  mpq_clears(n, along, length, most, product, NULL);
}

/* One surface at rest, with each part of the margin forgotten in turn. */
static void check_at_rest(pl_context *context, distance_oracle *o, const sample *s, int kind, tally *sum)
{
  const self_kernels *k = kernels_of(context->isa)->self;
  const unsigned rings = 1 + (unsigned)(uniform() * 3);
  const float margin = (float)(rings * (0.02 + 0.4 * uniform()));
  pl_body *body = body_of(context, s);
  patches *p;
  assert_int_equal(patches_create(context, body->tree, &body->motion, &p), PL_OK);
  patches_move(p, body->moves);
  const double scale = p->tree.tight ? 1 : 0.5 * p->twice, here = (double)margin * scale;
  const clearance by = {(float)(here * (1 + 0x1p-16)), (float)(here / rings * (1 + 0x1p-16))};
  uint32_t *cone = calloc(p->tree.nodes.inner_count, 8 * sizeof *cone);
  float *room = malloc(contour_room(2 * (size_t)p->longest) * sizeof *room);
  for (int forget = 0; forget < FORGET_COUNT; ++forget) {
    k->thick_refit(p, forget == FORGET_CONES ? 0x1p-60f : by.tau, cone, 0, p->tree.nodes.inner_count);
    if (forget == FORGET_NOTHING) check_altitudes(p, cone, here / rings);
    const uint32_t set = set_of_root(&p->tree, cone);
    if (!set || !k->front_is_simple(p, room, set, border_of(by, forget))) continue;
    const size_t near = near_features(o, s, s->xyz, (double)margin, rings);
    ++sum->proven[forget];
    sum->wrong[forget] += near > 0;
    sum->kinds[kind] += forget == FORGET_NOTHING;
    if (forget == FORGET_NOTHING && near)
      fail_msg("kind %d, margin %g, %u rings: near after all", kind, (double)margin, rings);
  }
  free(cone);
  free(room);
  patches_destroy(p);
  pl_body_destroy(body);
}

static void nothing_near_in_proven_patches(void **state)
{
  (void)state;
  pl_context *context = context_of(NULL);
  distance_oracle o;
  tally sum = {0};
  static sample s;
  oracle_all(&o, oracle_mpq_init);
  for (int i = 0; i < ROUNDS; ++i) {
    make(&s, i % 4);
    check_at_rest(context, &o, &s, i % 4, &sum);
  }
  for (int f = 0; f < FORGET_COUNT; ++f) {
    print_message("forgotten: %s: %zu proven, %zu wrong\n", forgotten[f], sum.proven[f], sum.wrong[f]);
    if (f) assert_true(sum.wrong[f] > 0);
  }
  for (int kind = 0; kind < 3; ++kind)
    assert_true(sum.kinds[kind] > 0); /* the tip of a slit is hardly ever wide enough */
  oracle_all(&o, oracle_mpq_clear);
  pl_context_destroy(context);
}

/* ---------------------------------------------------------------------------------------------  --
 * steps -- */

static size_t near_on_the_way(distance_oracle *o, const sample *s, const double (*end)[3], double margin)
{
  enum { MOMENTS = 8 };
  static double at[MOST_VERTICES][3];
  size_t found = 0;
  for (int m = 0; m <= MOMENTS && !found; ++m) {
    for (uint32_t v = 0; v < s->vertices; ++v)
      for (int k = 0; k < 3; ++k) /* exact: floats, and eighths */
        at[v][k] = s->xyz[v][k] + (end[v][k] - s->xyz[v][k]) * m / MOMENTS;
    found = near_features(o, s, (const double(*)[3])at, margin, 1);
  }
  return found;
}

static void check_moving(pl_context *context, distance_oracle *o, const sample *s, tally *sum)
{
  static double end[MOST_VERTICES][3];
  const self_kernels *k = kernels_of(context->isa)->self;
  const double margin = (double)(float)(0.02 + 0.3 * uniform()), move = uniform();
  pl_body *body = body_of(context, s);
  uint64_t made = 0;
  for (uint32_t v = 0; v < s->vertices; ++v)
    for (int c = 0; c < 3; ++c) end[v][c] = (double)(float)(s->xyz[v][c] * (1 - 0.5 * move) + move * (uniform() - 0.5));
  assert_int_equal(pl_body_keep_pose(body), PL_OK);
  assert_int_equal(pl_body_set_positions(body, pl_positions_f64(end[0], s->vertices)), PL_OK);
  assert_int_equal(sweep_update_patches(body, &made), PL_OK);
  const sweep *way = body->sweep;
  const patches *p = body->patches;
  const patch *root = patch_of(p, TREE_ROOT);
  const float here = (float)(ldexp(margin, -way->exponent) * (double)way->cone_scale * (1 + 0x1p-16));
  float *room = malloc(swept_room(2 * (size_t)p->longest) * sizeof *room);
  swept_patches c = way->cones;
  c.cone = calloc(p->tree.nodes.inner_count, 8 * sizeof *c.cone);
  for (int forget = 0; forget < 3; ++forget) {
    const clearance by = {here, here}, none = {0x1p-60f, 0x1p-60f};
    c.by = forget == FORGET_CONES ? none : by;
    assert_int_equal(sweep_refit_cones(&c), PL_OK);
    c.by = forget == FORGET_STEPS ? none : by;
    const swept_border border = {p->corners.vertex + root->first, root->count, set_of_root(&p->tree, c.cone), 4};
    if (!border.set || root->count < 3 || !k->swept_simple(&c, &border, room)) continue;
    const size_t near = near_on_the_way(o, s, (const double(*)[3])end, margin);
    ++sum->proven[forget];
    sum->wrong[forget] += near > 0;
    if (!forget && near) fail_msg("separation %g: near on the way after all", margin);
  }
  free(c.cone);
  free(room);
  pl_body_destroy(body);
}

static void nothing_near_on_proven_ways(void **state)
{
  (void)state;
  pl_context *context = context_of(NULL);
  distance_oracle o;
  tally sum = {0};
  static sample s;
  oracle_all(&o, oracle_mpq_init);
  for (int i = 0; i < MOVING_ROUNDS; ++i) {
    make(&s, i % 4);
    check_moving(context, &o, &s, &sum);
  }
  for (int f = 0; f < 3; ++f) {
    print_message("on the way, forgotten: %s: %zu proven, %zu wrong\n", forgotten[f], sum.proven[f], sum.wrong[f]);
    assert_true(sum.proven[f] > 0);
  }
  assert_true(sum.wrong[FORGET_CONES] + sum.wrong[FORGET_STEPS] > 0);
  oracle_all(&o, oracle_mpq_clear);
  pl_context_destroy(context);
}
#endif

/* ---------------------------------------------------------------------------------------- whole --
 * questions -- */

/* Margins up to the length of an edge, where cones prove much, little and nothing. */
static void sheets_near_themselves(void **state)
{
  (void)state;
  static const double margins[] = {1e-6, 0.1, 0.6, 2};
  for (int kind = 0; kind < SHEET_COUNT; kind += EVERY) {
    const int n = kind == SHEET_FAN ? LARGE / 4 : LARGE;
    world_mesh m;
    sheet_create(kind, n, &m);
    pl_context *context = context_of(NULL);
    pl_body *body = sheet_body(context, &m, NULL, kind % 2);
    for (uint32_t f = 0; f < 4; ++f) {
      sheet_pose(kind, n, f / 4.0, &m);
      assert_int_equal(pl_body_set_positions(body, positions_of(&m, kind % 2)), PL_OK);
      assert_features(body, margins[f] * sheet_margin(&m), 1 + f % 3, sheet_text(kind));
      assert_pairs(body, margins[3 - f] * sheet_margin(&m), 1 + f % 2, sheet_text(kind));
    }
    pl_context_destroy(context);
    sheet_free(&m);
  }
}

/* A smooth sheet is proven as a whole, without boxes from the second frame on; and it may ask
 * for touching pairs and other margins in between. */
static void smooth_sheets_cost_one_proof(void **state)
{
  (void)state;
  enum { SIDE = 30 };
  world_mesh m;
  sheet_create(SHEET_WAVE, SIDE, &m);
  for (int doubles = 0; doubles < 2; ++doubles) {
    pl_context *context = context_of(NULL);
    pl_body *body = sheet_body(context, &m, NULL, doubles);
    pl_question def = pl_question_default();
    for (int f = 0; f < 6; ++f) {
      const pl_result *found;
      const pl_result *touching;
      sheet_pose(SHEET_WAVE, SIDE, f / 6.0, &m);
      assert_int_equal(pl_body_set_positions(body, positions_of(&m, doubles)), PL_OK);
      if (f % 2) assert_int_equal(pl_touching(pl_self(body), NULL, &touching), PL_OK);
      assert_int_equal(ask_near(pl_self(body), 0.05 * sheet_margin(&m), &def, &found), PL_OK);
      assert_int_equal(found->count, 0);
      assert_int_equal(found->counters.n_v, 1);
      if (f) assert_int_equal(found->counters.n_u, 0);
      assert_int_equal(pl_touching(pl_self(body), NULL, &touching), PL_OK);
      assert_int_equal(touching->count, 0);
    }
    pl_context_destroy(context);
  }
  sheet_free(&m);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
#ifdef PLIANT_HAVE_GMP
      cmocka_unit_test(nothing_near_in_proven_patches),
      cmocka_unit_test(nothing_near_on_proven_ways),
#endif
      cmocka_unit_test(sheets_near_themselves),
      cmocka_unit_test(smooth_sheets_cost_one_proof),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
