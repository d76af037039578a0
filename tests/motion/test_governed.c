/* Embedded, subdivided and point-based bodies: positions against an evaluation of the test's
 * own, every strategy against the reference, and what is refused. */
#include "body/body.h"
#include "motion/governed.h"
#include "scenes/ask.h"

#include "support/distances.h" /* after our headers: cmocka has a macro named fail */
#include "support/rays.h"
#include "support/skins.h"

#include <stdio.h>

#ifdef __SANITIZE_ADDRESS__
enum { STEPS = 2, RAYS = 40 };
#else
enum { STEPS = 3, RAYS = 80 };
#endif

typedef long double real;

static void positions_of(const pl_body *body, double *xyz)
{
  for (uint32_t v = 0; v < body->motion.vertex_count; ++v) points_world(&body->motion.now, v, xyz + 3 * v);
}

static void assert_close(const double *got, const real *want, size_t n, real tolerance, const char *what)
{
  real size = 0;
  for (size_t i = 0; i < n; ++i) size = fmaxl(size, fabsl(want[i]));
  for (size_t i = 0; i < n; ++i)
    if (!(fabsl((real)got[i] - want[i]) <= tolerance * size))
      fail_msg("%s: coordinate %zu is %.17g instead of %.17Lg", what, i, got[i], want[i]);
}

/* ---------------------------------------------------------------------------- control meshes -- */

/* A sheet of n x n squares with a crease of three triangles at one edge, or a closed body. */
typedef struct control {
  size_t vertex_count, triangle_count;
  double xyz[3 * 256];
  uint32_t triangles[3 * 512];
} control;

static void add_triangle(control *c, uint32_t x, uint32_t y, uint32_t z)
{
  uint32_t *t = c->triangles + 3 * c->triangle_count++;
  t[0] = x, t[1] = y, t[2] = z;
}

static control sheet_of(uint32_t n, bool fin)
{
  control c = {.vertex_count = (size_t)(n + 1) * (n + 1)};
  for (uint32_t v = 0; v < c.vertex_count; ++v) {
    c.xyz[3 * v] = v % (n + 1) / (double)n;
    c.xyz[3 * v + 1] = v / (n + 1) / (double)n;
    c.xyz[3 * v + 2] = 0;
  }
  for (uint32_t y = 0; y < n; ++y)
    for (uint32_t x = 0; x < n; ++x) {
      uint32_t a = y * (n + 1) + x, b = a + 1, d = a + n + 1, e = d + 1;
      add_triangle(&c, a, b, (x + y) % 2 ? d : e);
      add_triangle(&c, (x + y) % 2 ? b : a, e, d);
    }
  if (fin) { /* a third triangle at an edge in the middle */
    uint32_t a = (n / 2) * (n + 1) + n / 2, v = (uint32_t)c.vertex_count++;
    c.xyz[3 * v] = 0.5, c.xyz[3 * v + 1] = 0.5, c.xyz[3 * v + 2] = 1;
    add_triangle(&c, a, a + 1, v);
  }
  return c;
}

static pl_mesh_def mesh_of_control(const control *c)
{
  pl_mesh_def m = pl_mesh_def_default();
  m.positions = pl_positions_f64(c->xyz, c->vertex_count);
  m.triangles = c->triangles;
  m.triangle_count = c->triangle_count;
  return m;
}

static void move_control(control *c, test_rng *rng, int step, double x)
{
  for (size_t v = 0; v < c->vertex_count; ++v) {
    double *p = c->xyz + 3 * v, u = p[0], w = p[1];
    p[2] += 0.15 * sin(5 * u + step) + 0.1 * cos(4 * w - step) + test_uniform(rng, -0.02, 0.02);
    p[0] += x + test_uniform(rng, -0.02, 0.02);
  }
}

/* --------------------------------------------------------------------------- own subdivision -- */

/* Positions and triangles of one more level, by looking through all triangles for each vertex
 * and each edge. */
typedef struct fine {
  size_t vertex_count, triangle_count;
  real *xyz;
  uint32_t *triangles;
} fine;

static bool has(const uint32_t *t, uint32_t v) { return t[0] == v || t[1] == v || t[2] == v; }

static uint32_t triangles_at(const fine *f, uint32_t a, uint32_t b, uint32_t across[2])
{
  uint32_t n = 0;
  for (size_t t = 0; t < f->triangle_count; ++t) {
    const uint32_t *c = f->triangles + 3 * t;
    if (!has(c, a) || !has(c, b)) continue;
    for (int k = 0; k < 3; ++k)
      if (c[k] != a && c[k] != b && n < 2) across[n] = c[k];
    ++n;
  }
  return n;
}

static void mix(const fine *f, real *to, uint32_t v, real by)
{
  for (int k = 0; k < 3; ++k) to[k] += by * f->xyz[3 * v + (uint32_t)k];
}

static fine own_level(const fine *f)
{
  fine g = {.vertex_count = f->vertex_count, .triangle_count = 4 * f->triangle_count};
  g.xyz = calloc(3 * (f->vertex_count + 3 * f->triangle_count), sizeof *g.xyz);
  g.triangles = malloc(3 * g.triangle_count * sizeof *g.triangles);
  for (uint32_t v = 0; v < f->vertex_count; ++v) {
    uint32_t ring[64], creases[64], n = 0, sharp = 0, across[2];
    for (uint32_t w = 0; w < f->vertex_count; ++w) {
      uint32_t count = w == v ? 0 : triangles_at(f, v, w, across);
      if (count) ring[n++] = w;
      if (count && count != 2) creases[sharp++] = w;
    }
    real b = n ? (0.625L - powl(0.375L + 0.25L * cosl(2 * acosl(-1) / n), 2)) / n : 0;
    mix(f, g.xyz + 3 * v, v, sharp == 0 ? 1 - n * b : sharp == 2 ? 0.75L : 1);
    for (uint32_t k = 0; sharp == 0 && k < n; ++k) mix(f, g.xyz + 3 * v, ring[k], b);
    for (uint32_t k = 0; sharp == 2 && k < 2; ++k) mix(f, g.xyz + 3 * v, creases[k], 0.125L);
  }
  for (uint32_t a = 0; a < f->vertex_count; ++a) /* in the order of their ends */
    for (uint32_t b = a + 1; b < f->vertex_count; ++b) {
      uint32_t across[2], count = triangles_at(f, a, b, across), v = (uint32_t)g.vertex_count;
      if (!count) continue;
      mix(f, g.xyz + 3 * v, a, count == 2 ? 0.375L : 0.5L);
      mix(f, g.xyz + 3 * v, b, count == 2 ? 0.375L : 0.5L);
      for (uint32_t k = 0; count == 2 && k < 2; ++k) mix(f, g.xyz + 3 * v, across[k], 0.125L);
      for (size_t t = 0; t < f->triangle_count; ++t)
        for (uint32_t e = 0; e < 3; ++e) {
          uint32_t p = f->triangles[3 * t + e], q = f->triangles[3 * t + (e + 1) % 3], *to = g.triangles + 12 * t;
          if ((p != a || q != b) && (p != b || q != a)) continue;
          to[4 * e] = p;                 /* the corner of its own */
          to[3 * e + (e + 1) % 3] = v;   /* beside it on this edge: keeps the winding */
          to[3 * ((e + 1) % 3) + e] = v; /* the next corner's */
          to[9 + e] = v;                 /* the middle */
        }
      ++g.vertex_count;
    }
  return g;
}

static void fine_free(fine *f)
{
  free(f->xyz);
  free(f->triangles);
}

static fine own_levels(const control *c, int levels)
{
  fine f = {c->vertex_count, c->triangle_count, malloc(3 * c->vertex_count * sizeof *f.xyz),
            malloc(3 * c->triangle_count * sizeof *f.triangles)};
  for (size_t i = 0; i < 3 * c->vertex_count; ++i) f.xyz[i] = (real)c->xyz[i];
  memcpy(f.triangles, c->triangles, 3 * c->triangle_count * sizeof *f.triangles);
  for (int l = 0; l < levels; ++l) {
    fine next = own_level(&f);
    fine_free(&f);
    f = next;
  }
  return f;
}

/* The same triangle, its corners in any cyclic order. */
static bool same_triangle(const uint32_t *a, const uint32_t *b)
{
  for (int k = 0; k < 3; ++k)
    if (a[0] == b[k] && a[1] == b[(k + 1) % 3] && a[2] == b[(k + 2) % 3]) return true;
  return false;
}

static void subdivided_bodies_are_where_loops_rules_put_them(void **state)
{
  (void)state;
  pl_context *context;
  assert_int_equal(pl_context_create(NULL, &context), PL_OK);
  for (int kind = 0; kind < 3; ++kind)
    for (int levels = 0; levels <= (kind == 1 ? 3 : 2); ++levels) {
      control c = sheet_of(kind == 0 ? 3 : 2, kind == 1);
      if (kind == 2) { /* a tetrahedron: closed, of valence 3 */
        c = (control){.vertex_count = 4};
        const double corner[12] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1};
        memcpy(c.xyz, corner, sizeof corner);
        add_triangle(&c, 0, 2, 1);
        add_triangle(&c, 0, 1, 3);
        add_triangle(&c, 1, 2, 3);
        add_triangle(&c, 2, 0, 3);
      }
      pl_mesh_def mesh = mesh_of_control(&c);
      pl_subdivide_def how = pl_subdivide_def_default();
      how.levels = levels;
      pl_body *body = NULL;
      if (pl_body_create_subdivide(context, &mesh, &how, NULL, &body) != PL_OK)
        fail_msg("%s", pl_context_message(context));
      test_rng rng = {(uint64_t)levels};
      for (int step = 0; step < 2; ++step) {
        fine f = own_levels(&c, levels);
        assert_int_equal(pl_body_vertex_count(body), f.vertex_count);
        assert_int_equal(pl_body_triangle_count(body), f.triangle_count);
        uint32_t *triangles = malloc(3 * f.triangle_count * sizeof *triangles);
        double *xyz = malloc(3 * f.vertex_count * sizeof *xyz);
        assert_int_equal(pl_body_triangles(body, triangles, f.triangle_count), PL_OK);
        for (size_t t = 0; t < f.triangle_count; ++t)
          if (!same_triangle(triangles + 3 * t, f.triangles + 3 * t))
            fail_msg("kind %d, %d levels: triangle %zu is %u %u %u instead of %u %u %u", kind, levels, t,
                     triangles[3 * t], triangles[3 * t + 1], triangles[3 * t + 2], f.triangles[3 * t],
                     f.triangles[3 * t + 1], f.triangles[3 * t + 2]);
        positions_of(body, xyz);
        assert_close(xyz, f.xyz, 3 * f.vertex_count, 1e-14L, "subdivided");
        assert_valid(body, context, "subdivided");
        free(triangles);
        free(xyz);
        fine_free(&f);
        move_control(&c, &rng, step, 0);
        assert_int_equal(pl_body_set_controls(body, pl_positions_f64(c.xyz, c.vertex_count)), PL_OK);
      }
      pl_body_destroy(body);
    }
  pl_context_destroy(context);
}

/* --------------------------------------------------------------------------------- particles -- */

enum { PARTICLES = 9 };

/* The field of each particle by Cramer's rule, the mean of the fields by the weights of the
 * header. */
static void own_point(const double (*rest)[3], const double (*now)[3], double radius, const double x[3], real out[3])
{
  real sum = 0, near = INFINITY;
  int nearest = 0;
  for (int k = 0; k < 3; ++k) out[k] = 0;
  for (int pass = 0; pass < 2; ++pass)
    for (int i = 0; i < PARTICLES; ++i) {
      real d[3], r = 0, w, m[3][3] = {{0}}, b[3][3] = {{0}}, f[3][3];
      for (int k = 0; k < 3; ++k) d[k] = (real)x[k] - (real)rest[i][k], r += d[k] * d[k];
      r = sqrtl(r);
      if (r < near) near = r, nearest = i;
      w = r < (real)radius ? powl(1 - r * r / ((real)radius * (real)radius), 3) : 0;
      if (!pass) {
        sum += w;
        continue;
      }
      if (!(sum > 0)) w = i == nearest, r = 0;
      for (int j = 0; j < PARTICLES; ++j) {
        real e[3], u[3], s = 0, v;
        for (int k = 0; k < 3; ++k) e[k] = (real)rest[j][k] - (real)rest[i][k], s += e[k] * e[k];
        if (j == i || sqrtl(s) >= (real)radius) continue;
        v = powl(1 - s / ((real)radius * (real)radius), 3);
        for (int k = 0; k < 3; ++k) u[k] = (real)now[j][k] - (real)now[i][k];
        for (int k = 0; k < 9; ++k) {
          m[k / 3][k % 3] += v * e[k / 3] * e[k % 3];
          b[k / 3][k % 3] += v * u[k / 3] * e[k % 3];
        }
      }
      real det = 0, inverse[3][3];
      for (int k = 0; k < 3; ++k)
        for (int l = 0; l < 3; ++l)
          inverse[l][k] = m[(k + 1) % 3][(l + 1) % 3] * m[(k + 2) % 3][(l + 2) % 3] -
                          m[(k + 1) % 3][(l + 2) % 3] * m[(k + 2) % 3][(l + 1) % 3];
      for (int k = 0; k < 3; ++k) det += m[0][k] * inverse[k][0];
      for (int k = 0; k < 9; ++k) {
        f[k / 3][k % 3] = 0;
        for (int l = 0; l < 3; ++l) f[k / 3][k % 3] += b[k / 3][l] * inverse[l][k % 3] / det;
      }
      for (int k = 0; k < 3; ++k)
        out[k] += w / (sum > 0 ? sum : 1) * ((real)now[i][k] + f[k][0] * d[0] + f[k][1] * d[1] + f[k][2] * d[2]);
    }
}

static void particle_places(double (*rest)[3], double (*now)[3], test_rng *rng)
{
  for (int i = 0; i < PARTICLES; ++i)
    for (int k = 0; k < 3; ++k) {
      rest[i][k] = i == 8 ? 0.1 * k : (i >> k & 1) ? 0.7 : -0.7;
      now[i][k] = rest[i][k] * 1.1 + test_uniform(rng, -0.2, 0.2);
    }
}

static void point_based_bodies_follow_their_particles(void **state)
{
  (void)state;
  pl_context *context;
  assert_int_equal(pl_context_create(NULL, &context), PL_OK);
  shapes s;
  shapes_create(&s, 3);
  test_rng rng = {6};
  double rest[PARTICLES][3], now[PARTICLES][3];
  particle_places(rest, now, &rng);
  size_t n = s.mesh.vertex_count;
  double *xyz = malloc(3 * n * sizeof *xyz);
  real *want = malloc(3 * n * sizeof *want);
  /* with the last, vertices follow the nearest particle */
  static const double radii[] = {2.5, 1.5, 0.4};
  for (int r = 0; r < 2; ++r) {
    pl_mesh_def mesh = mesh_of(&s, 0, true);
    pl_particles_def def = pl_particles_def_default();
    def.particles = pl_positions_f64(rest[0], PARTICLES);
    def.radius = radii[r];
    pl_body *body = NULL;
    if (pl_body_create_points(context, &mesh, &def, NULL, &body) != PL_OK) fail_msg("%s", pl_context_message(context));
    assert_int_equal(pl_body_set_controls(body, pl_positions_f64(now[0], PARTICLES)), PL_OK);
    for (size_t v = 0; v < n; ++v)
      own_point((const double(*)[3])rest, (const double(*)[3])now, radii[r], s.xyz_f64[0] + 3 * v, want + 3 * v);
    positions_of(body, xyz);
    assert_close(xyz, want, 3 * n, 1e-11L, "particles");
    assert_valid(body, context, "particles");
    pl_body_destroy(body);
  }
  for (int r = 0; r < 3;
       ++r) { /* an affine map of the particles maps the body, whatever the radius; alone in their radius they shift */
    pl_mesh_def mesh = mesh_of(&s, 0, true);
    pl_particles_def def = pl_particles_def_default();
    def.particles = pl_positions_f64(rest[0], PARTICLES);
    def.radius = r == 2 ? 0 : radii[2 * r];
    pl_transform t;
    bones_make(&t, 1, BONES_SHEARED, &rng);
    if (r == 1) t = pl_transform_identity(), t.t[1] = 3;
    for (int i = 0; i < PARTICLES; ++i)
      for (int k = 0; k < 3; ++k)
        now[i][k] = t.m[k][0] * rest[i][0] + t.m[k][1] * rest[i][1] + t.m[k][2] * rest[i][2] + t.t[k];
    for (size_t i = 0; i < 3 * n; ++i) {
      const double *p = s.xyz_f64[0] + i / 3 * 3;
      size_t k = i % 3;
      want[i] = (real)t.m[k][0] * p[0] + (real)t.m[k][1] * p[1] + (real)t.m[k][2] * p[2] + (real)t.t[k];
    }
    pl_body *body = NULL;
    assert_int_equal(pl_body_create_points(context, &mesh, &def, NULL, &body), PL_OK);
    assert_int_equal(pl_body_set_controls(body, pl_positions_f64(now[0], PARTICLES)), PL_OK);
    positions_of(body, xyz);
    assert_close(xyz, want, 3 * n, 1e-12L, "an affine map");
    pl_body_destroy(body);
  }
  pl_context_destroy(context);
  free(xyz);
  free(want);
  shapes_free(&s);
}

/* --------------------------------------------------------------------- against the reference -- */

enum { EMBEDDED, SUBDIVIDED, POINTS, KINDS };

/* A body of the kind, and its controls. */
typedef struct actor {
  pl_body *body;
  shapes s;
  control c;
  skin_rows rows;
} actor;

static pl_status make_actor(actor *a, pl_context *context, int kind, const pl_body_def *def, test_rng *rng)
{
  a->c = sheet_of(3, kind == SUBDIVIDED);
  pl_mesh_def control_mesh = mesh_of_control(&a->c);
  if (kind == SUBDIVIDED) {
    pl_subdivide_def how = pl_subdivide_def_default();
    return pl_body_create_subdivide(context, &control_mesh, &how, def, &a->body);
  }
  pl_mesh_def mesh = mesh_of(&a->s, 0, true);
  if (kind == POINTS) {
    pl_particles_def particles = pl_particles_def_default();
    particles.particles = control_mesh.positions;
    return pl_body_create_points(context, &mesh, &particles, def, &a->body);
  }
  a->rows = skin_rows_make(a->s.xyz_f64[0], a->s.mesh.vertex_count, (int)a->c.vertex_count, 4, SKIN_RANDOM, rng);
  for (uint32_t v = 0; v < a->rows.vertex_count; ++v) { /* some extrapolate */
    uint32_t e = a->rows.first[v];
    if (v % 3 || a->rows.first[v + 1] - e < 2) continue;
    a->rows.weight[e] += 0.25;
    a->rows.weight[e + 1] -= 0.25;
  }
  pl_embed_def embed = pl_embed_def_default();
  embed.controls = control_mesh.positions;
  embed.weights = skin_weights(&a->rows, true);
  mesh.positions = pl_positions_f64(NULL, 0);
  return pl_body_create_embed(context, &mesh, &embed, def, &a->body);
}

/* The test's own sum, to the bit. */
static void assert_embedded(const actor *a, const char *what)
{
  for (uint32_t v = 0; a->rows.first && v < a->rows.vertex_count; ++v) {
    double q[3], p[3] = {0, 0, 0};
    points_world(&a->body->motion.now, v, q);
    for (uint32_t e = a->rows.first[v]; e < a->rows.first[v + 1]; ++e)
      for (int k = 0; k < 3; ++k) p[k] += a->rows.weight[e] * a->c.xyz[3 * a->rows.bone[e] + (uint32_t)k];
    if (memcmp(p, q, sizeof p)) fail_msg("%s: vertex %u is at %g %g %g", what, v, q[0], q[1], q[2]);
  }
}

static size_t self_pairs; /* of all that were played */

/* The pairs within one body are the reference's. Returns how many there are. */
static size_t assert_self(pl_body *body, const char *what)
{
  const pl_result *found;
  assert_int_equal(refer_touching(pl_self(body), NULL, &found), PL_OK);
  pair_list wanted = copy_pairs(found);
  assert_int_equal(pl_touching(pl_self(body), NULL, &found), PL_OK);
  assert_same_pairs(found->pairs, found->count, wanted.pairs, wanted.count, what);
  free(wanted.pairs);
  return wanted.count;
}

static void play(int kind, pl_strategy strategy, int turn)
{
  static const char *const simds[] = {SIMD_WORDS};
  test_rng rng = {(uint64_t)turn};
  pl_context *context = context_of(simds[turn % 3]);
  if (!context) return;
  pl_body_def def = pl_body_def_default();
  def.strategy = strategy;
  def.arity = 2 << turn % 3;
  def.leaf_size = 1 + turn * 3 % 8;
  def.builder = (pl_builder)(turn % PL_BUILDER_COUNT);
  def.volume = (pl_volume)(turn % PL_VOLUME_COUNT);
  if (strategy == PL_STRATEGY_INFLATE && def.volume != PL_VOLUME_AABB && !shape_kind_of(def.volume)->grow)
    def.volume = PL_VOLUME_AABB;
  actor a[2];
  memset(a, 0, sizeof a);
  for (int i = 0; i < 2; ++i) {
    shapes_create(&a[i].s, 3);
    if (make_actor(&a[i], context, kind, &def, &rng) != PL_OK) fail_msg("%s", pl_context_message(context));
  }
  for (int step = 0; step < STEPS; ++step) {
    char what[120];
    snprintf(what, sizeof what, "%s, %s, %s, turn %d, step %d", pl_word(PL_WORDS_MOTION, pl_body_motion(a[0].body)),
             pl_word(PL_WORDS_STRATEGY, pl_body_strategy(a[0].body)), pl_word(PL_WORDS_VOLUME, def.volume), turn, step);
    for (int i = 0; i < 2; ++i) {
      move_control(&a[i].c, &rng, step, step == 1 ? i * 3.0 : step == 2 ? -i * 2.9 : 0);
      assert_int_equal(pl_body_set_controls(a[i].body, pl_positions_f64(a[i].c.xyz, a[i].c.vertex_count)), PL_OK);
      assert_embedded(&a[i], what);
    }
    assert_like_reference(a[0].body, a[1].body, what);
    assert_distances_like_reference(a[0].body, a[1].body, what);
    self_pairs += assert_self(a[0].body, what);
    size_t n = pl_body_vertex_count(a[0].body), triangles = pl_body_triangle_count(a[0].body);
    double *xyz = malloc(3 * n * sizeof *xyz);
    uint32_t *index = malloc(3 * triangles * sizeof *index);
    positions_of(a[0].body, xyz);
    assert_int_equal(pl_body_triangles(a[0].body, index, triangles), PL_OK);
    pl_ray rays[RAYS];
    rays_make((uint64_t)turn + 1, &(ray_aim){xyz, index, n, triangles}, rays, RAYS);
    ray_answer wanted = reference_rays(a[0].body, NULL, rays, RAYS);
    assert_rays(a[0].body, NULL, rays, &wanted, what);
    ray_answer_free(&wanted);
    for (int i = 0; i < 2; ++i) assert_valid(a[i].body, context, what);
    free(xyz);
    free(index);
  }
  pl_context_destroy(context);
  for (int i = 0; i < 2; ++i) {
    shapes_free(&a[i].s);
    skin_rows_free(&a[i].rows);
  }
}

static void every_strategy_answers_like_the_reference(void **state)
{
  (void)state;
  int turn = 0;
  for (int kind = 0; kind < KINDS; ++kind)
    for (int strategy = 0; strategy < PL_STRATEGY_COUNT; ++strategy)
      for (int more = 0; more < (strategy == PL_STRATEGY_GOVERNED ? PL_VOLUME_COUNT : 2); ++more, ++turn)
        if (skins_take((pl_strategy)strategy)) play(kind, (pl_strategy)strategy, turn);
  assert_true(self_pairs > 100);
}

/* ---------------------------------------------------------------------------------- refusals -- */

static void bad_definitions_and_controls_are_refused(void **state)
{
  (void)state;
  pl_context *context;
  assert_int_equal(pl_context_create(NULL, &context), PL_OK);
  control c = sheet_of(2, false);
  pl_mesh_def mesh = mesh_of_control(&c);
  pl_subdivide_def how = pl_subdivide_def_default();
  pl_body *body;
  how.levels = 9;
  assert_refused(context, pl_body_create_subdivide(context, &mesh, &how, NULL, &body), PL_ERROR_ARGUMENT, "0 to 8");
  how.levels = -1;
  assert_refused(context, pl_body_create_subdivide(context, &mesh, &how, NULL, &body), PL_ERROR_ARGUMENT, "0 to 8");
  how.levels = 1;
  c.triangles[5] = c.triangles[4];
  assert_refused(context, pl_body_create_subdivide(context, &mesh, &how, NULL, &body), PL_ERROR_MESH, "triangle 1");
  assert_null(body);
  c = sheet_of(2, false);
  assert_int_equal(pl_body_create_subdivide(context, &mesh, NULL, NULL, &body), PL_OK);
  assert_int_equal(pl_body_triangle_count(body), 16 * 8);
  assert_refused(context, pl_body_set_controls(body, pl_positions_f64(c.xyz, 8)), PL_ERROR_MISMATCH,
                 "8 control points");
  c.xyz[4] = NAN;
  assert_refused(context, pl_body_set_controls(body, pl_positions_f64(c.xyz, 9)), PL_ERROR_POSITIONS, "finite");
  c.xyz[4] = 0;
  uint32_t few[3];
  assert_refused(context, pl_body_triangles(body, few, 1), PL_ERROR_BUFFER, "room for 1");
  assert_refused(context, pl_body_triangles(body, NULL, 128), PL_ERROR_ARGUMENT, "NULL");
  assert_refused(context, pl_body_set_bones(body, NULL, 0), PL_ERROR_UNSUPPORTED, "bones");
  assert_valid(body, context, "after refusals");
  pl_particles_def p = pl_particles_def_default();
  assert_refused(context, pl_body_create_points(context, &mesh, &p, NULL, &body), PL_ERROR_ARGUMENT, "0 particles");
  p.particles = mesh.positions;
  p.radius = -1;
  assert_refused(context, pl_body_create_points(context, &mesh, &p, NULL, &body), PL_ERROR_ARGUMENT, "radius of -1");
  assert_refused(context, pl_body_create_points(context, &mesh, NULL, NULL, &body), PL_ERROR_ARGUMENT, "NULL");
  assert_refused(context, pl_body_create_embed(context, &mesh, NULL, NULL, &body), PL_ERROR_ARGUMENT, "NULL");
  control small = c; /* its particles are moved to ordinary distances */
  for (size_t i = 0; i < 3 * small.vertex_count; ++i) small.xyz[i] *= 1e-110;
  const pl_mesh_def tiny = mesh_of_control(&small);
  p.particles = tiny.positions;
  p.radius = 0;
  assert_int_equal(pl_body_create_points(context, &tiny, &p, NULL, &body), PL_OK);
  assert_refused(context, pl_body_set_controls(body, mesh.positions), PL_ERROR_POSITIONS, "stretched");
  pl_embed_def e = pl_embed_def_default();
  e.controls = mesh.positions;
  assert_refused(context, pl_body_create_embed(context, &mesh, &e, NULL, &body), PL_ERROR_ARGUMENT, "0 vertices");
  pl_mesh_def still = mesh;
  assert_int_equal(pl_body_create_rigid(context, &still, NULL, &body), PL_OK);
  assert_refused(context, pl_body_set_controls(body, mesh.positions), PL_ERROR_UNSUPPORTED,
                 "a rigid body has no control");
  pl_context_destroy(context);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(subdivided_bodies_are_where_loops_rules_put_them),
                                     cmocka_unit_test(point_based_bodies_follow_their_particles),
                                     cmocka_unit_test(every_strategy_answers_like_the_reference),
                                     cmocka_unit_test(bad_definitions_and_controls_are_refused)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
