/* How the work of queries grows with the mesh: n_v + n_p (and n_u) over sizes of 500 to 32 000
 * triangles must follow n and the size of the answer, for meshes that trees do not like too. The
 * slope of log(count / (n + answer)) over log n is fitted and must be near 0; a quadratic query
 * would have 1. What boxes cannot tell apart has its own limit in the table, with the reason. No
 * time is measured. */
#include "scenes/ask.h"
#include "scenes/scenes.h"
#include "support/product.h"
#include "support/worlds.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What is known to grow too fast, to be mended: played and asserted only with
 * PLIANT_UNSETTLED_GROWTH in the environment. */
static bool unsettled_too(void) { return getenv("PLIANT_UNSETTLED_GROWTH") != NULL; }

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
static const size_t sizes[] = {500, 2000, 8000};
#else
static const size_t sizes[] = {500, 2000, 8000, 32000};
#endif
enum { SIZES = sizeof sizes / sizeof *sizes, RAYS = 400 };

/* A log n in the count gives 0.12 over these sizes; n^1.5 gives 0.5. */
#define NEAR_ZERO 0.3
/* Triangles with a common corner have boxes that overlap each other along their whole length: a
 * small box among them meets a part of all, whatever the tree. */
#define LONG_BOXES 0.6

typedef struct mesh {
  double *xyz;
  uint32_t *triangles;
  size_t vertex_count, triangle_count;
} mesh;

static mesh mesh_new(size_t vertices, size_t triangles)
{
  mesh m = {calloc(3 * vertices, sizeof(double)), calloc(3 * triangles, sizeof(uint32_t)), vertices, triangles};
  assert_true(m.xyz && m.triangles);
  return m;
}

static void mesh_free(mesh *m)
{
  free(m->xyz);
  free(m->triangles);
}

static void set(mesh *m, size_t v, double x, double y, double z)
{
  m->xyz[3 * v] = x;
  m->xyz[3 * v + 1] = y;
  m->xyz[3 * v + 2] = z;
}

static void set_triangle(mesh *m, size_t t, size_t a, size_t b, size_t c)
{
  m->triangles[3 * t] = (uint32_t)a;
  m->triangles[3 * t + 1] = (uint32_t)b;
  m->triangles[3 * t + 2] = (uint32_t)c;
}

/* ------------------------------------------------------------------------------------ meshes -- */

/* A bumpy sphere about (x, 0, 0). */
static mesh sphere(size_t n, double radius, double x)
{
  scene_mesh s;
  assert_true(scene_geosphere(scene_geosphere_frequency((int)n), &s));
  mesh m = mesh_new(s.vertex_count, s.triangle_count);
  memcpy(m.triangles, s.triangles, 3 * s.triangle_count * sizeof *m.triangles);
  for (size_t v = 0; v < s.vertex_count; ++v) {
    const float *d = s.rest + 3 * v;
    double r = radius * (1 + 0.02 * sin(5 * (double)d[0]) * sin(7 * (double)d[1]));
    set(&m, v, x + r * (double)d[0], r * (double)d[1], r * (double)d[2]);
  }
  scene_mesh_free(&s);
  return m;
}

/* A square grid in the plane z. */
static mesh plate(size_t n, double z, double shift)
{
  size_t side = (size_t)sqrt((double)n / 2);
  mesh m = mesh_new((side + 1) * (side + 1), 2 * side * side);
  for (size_t i = 0; i <= side; ++i)
    for (size_t k = 0; k <= side; ++k)
      set(&m, i * (side + 1) + k, ((double)i + shift) / (double)side, ((double)k + shift) / (double)side, z);
  for (size_t i = 0; i < side; ++i)
    for (size_t k = 0; k < side; ++k) {
      size_t v = i * (side + 1) + k, t = 2 * (i * side + k);
      set_triangle(&m, t, v, v + 1, v + side + 1);
      set_triangle(&m, t + 1, v + 1, v + side + 2, v + side + 1);
    }
  return m;
}

/* n times the same triangle, a needle along x, each with its own vertices. */
static mesh copies(size_t n, double x)
{
  mesh m = mesh_new(3 * n, n);
  for (size_t t = 0; t < n; ++t) {
    set(&m, 3 * t, x - 0.1, 0.003, 0.002);
    set(&m, 3 * t + 1, x + 0.1, 0.004, 0.002);
    set(&m, 3 * t + 2, x + 0.1, 0.003, 0.003);
    set_triangle(&m, t, 3 * t, 3 * t + 1, 3 * t + 2);
  }
  return m;
}

/* A disc in the plane z = 0 whose triangles all have its middle as a corner. */
static mesh fan(size_t n)
{
  mesh m = mesh_new(n + 1, n);
  for (size_t i = 0; i < n; ++i) {
    double a = 6.283185307179586 * (double)i / (double)n;
    set(&m, i + 1, cos(a), sin(a), 0);
    set_triangle(&m, i, 0, 1 + i, 1 + (i + 1) % n);
  }
  return m;
}

typedef struct pair_of_meshes {
  mesh a, b;
  double margin; /* of near pairs */
} pair_of_meshes;

static pair_of_meshes ordinary(size_t n) { return (pair_of_meshes){sphere(n, 1, 0), sphere(n, 0.9, 1.7), 0.001}; }
static pair_of_meshes coincident(size_t n) { return (pair_of_meshes){copies(n, 1), sphere(n, 1, 0), 0.0}; }
/* A quarter of the triangles: each has some ten partners, and every one is decided in integers. */
static pair_of_meshes coplanar(size_t n) { return (pair_of_meshes){plate(n / 4, 0.5, 0), plate(n / 4, 0.5, 0.37), 0}; }

static pair_of_meshes plates(size_t n) { return (pair_of_meshes){plate(n, 0.5, 0), plate(n, 0.6, 0.25), 0.05}; }
static pair_of_meshes shells(size_t n) { return (pair_of_meshes){sphere(n, 1, 0), sphere(n, 0.9, 0), 0.02}; }
static pair_of_meshes fans(size_t n) { return (pair_of_meshes){fan(n), sphere(n, 0.2, 1), 0}; }

/* All within 1e-3 of one point, far from the origin: a few thousand steps of float. */
static pair_of_meshes point_like(size_t n)
{
  pair_of_meshes p = ordinary(n);
  for (int b = 0; b < 2; ++b) {
    mesh *m = b ? &p.b : &p.a;
    for (size_t i = 0; i < 3 * m->vertex_count; ++i) m->xyz[i] = 1 + 1e-3 * m->xyz[i];
  }
  p.margin *= 1e-3;
  return p;
}

/* ----------------------------------------------------------------------------------- queries -- */

typedef enum question { COLLIDE, NEAR, DISTANCE, CAST, QUESTIONS } question;
static const char *const question_text[] = {"collide", "near", "distance", "rays"};

/* What a query did, and what its answer and the mesh explain. */
typedef struct measured {
  double count, base;
} measured;

static measured ask_rays(pl_body *body, const mesh *m, double scale)
{
  pl_ray rays[RAYS];
  test_rng rng = {3};
  for (int i = 0; i < RAYS; ++i) { /* from far at points of the mesh and beside them, askew */
    const double *at = m->xyz + 3 * (size_t)test_below(&rng, (int)m->vertex_count);
    double o[3], d[3];
    for (int k = 0; k < 3; ++k) {
      d[k] = test_uniform(&rng, -1, 1);
      o[k] = (at[k] + 0.01 * test_uniform(&rng, -1, 1) - 5 * d[k]) * scale;
    }
    if (d[2] == 0) d[2] = 1;
    for (int k = 0; k < 3; ++k) d[k] *= scale;
    rays[i] = pl_ray_from(o, d);
  }
  pl_question def = pl_question_default();
  def.ray_mode = PL_RAY_MODE_ALL;
  const pl_result *hits;
  assert_int_equal(pl_cast(pl_one(body), rays, RAYS, &def, &hits), PL_OK);
  return (measured){(double)(hits->counters.n_v + hits->counters.n_p), (double)(RAYS + hits->offsets[RAYS])};
}

static measured ask(question q, pl_body *const body[2], const pair_of_meshes *p, double n, double scale)
{
  const pl_result *pairs;
  const pl_result *near;
  least_row d;
  pl_counters c = {0};
  double answer = 1;
  if (q == CAST) return ask_rays(body[0], &p->a, scale);
  if (q == COLLIDE) {
    assert_int_equal(pl_touching(pl_two(body[0], body[1]), NULL, &pairs), PL_OK);
    c = pairs->counters;
    answer = (double)pairs->count;
  } else if (q == NEAR) {
    assert_int_equal(ask_near_triangles(pl_two(body[0], body[1]), p->margin * scale, NULL, &near), PL_OK);
    c = near->counters;
    answer = (double)near->count;
  } else {
    assert_int_equal(ask_least(pl_two(body[0], body[1]), NULL, &d), PL_OK);
    c = d.counters;
  }
  return (measured){(double)(c.n_v + c.n_p + c.n_u), n + answer};
}

/* ------------------------------------------------------------------------------------- cases -- */

typedef struct growth_case {
  const char *name;
  pair_of_meshes (*make)(size_t n);
  double scale;
  double most[QUESTIONS]; /* the slope */
  unsigned unsettled;     /* bit i: question i */
} growth_case;

#define ALL_FLAT                                                                                                       \
  {                                                                                                                    \
    NEAR_ZERO, NEAR_ZERO, NEAR_ZERO, NEAR_ZERO                                                                         \
  }

/* A fan that touches a sphere: node pairs at bound 0 are far more than those that collide opens. */
enum { TOUCHING = 1u << DISTANCE };

static const growth_case cases[] = {
    {"ordinary", ordinary, 1, ALL_FLAT, 0},
    {"coincident", coincident, 1, ALL_FLAT, 0},
    {"coplanar", coplanar, 1, ALL_FLAT, 0},
    {"parallel plates", plates, 1, ALL_FLAT, 0},
    {"nested shells", shells, 1, ALL_FLAT, 0},
    {"point-like", point_like, 1, ALL_FLAT, 0},
    {"fan", fans, 1, {LONG_BOXES, LONG_BOXES, NEAR_ZERO, LONG_BOXES}, TOUCHING},
    {"ordinary at 1e30", ordinary, 1e30, ALL_FLAT, 0},
    {"parallel plates at 1e30", plates, 1e30, ALL_FLAT, 0},
    {"ordinary at 1e-30", ordinary, 1e-30, ALL_FLAT, 0},
    {"ordinary at 1e300", ordinary, 1e300, ALL_FLAT, 0},
    {"parallel plates at 1e300", plates, 1e300, ALL_FLAT, 0},
    {"ordinary at 1e-310", ordinary, 1e-310, ALL_FLAT, 0},
    {"parallel plates at 1e-310", plates, 1e-310, ALL_FLAT, 0},
};
enum { CASES = sizeof cases / sizeof *cases };

static pl_body *body_of(pl_context *context, mesh *m, double scale, const pl_body_def *def)
{
  double *xyz = malloc(3 * m->vertex_count * sizeof *xyz);
  for (size_t i = 0; i < 3 * m->vertex_count; ++i) xyz[i] = scale * m->xyz[i];
  pl_mesh_def d = pl_mesh_def_default();
  d.positions = pl_positions_f64(xyz, m->vertex_count);
  d.triangles = m->triangles;
  d.triangle_count = m->triangle_count;
  pl_body *body;
  if (pl_body_create_free(context, &d, def, &body) != PL_OK) fail_msg("%s", pl_context_message(context));
  free(xyz);
  return body;
}

/* Least squares through log(count / base) over log(n). */
static double slope(const double *n, const measured *m, int count)
{
  double x = 0, y = 0, xx = 0, xy = 0;
  for (int i = 0; i < count; ++i) {
    double u = log(n[i]), v = log(m[i].count / m[i].base);
    x += u;
    y += v;
    xx += u * u;
    xy += u * v;
  }
  return (count * xy - x * y) / (count * xx - x * x);
}

static void fail_case(const growth_case *c, const pl_body_def *def, question q, const double *n, const measured *m,
                      int count)
{
  for (int i = 0; i < count; ++i) print_error("%g triangles: %g tests, %g explained\n", n[i], m[i].count, m[i].base);
  fail_msg("%s, %s, %s, %s: grows faster than the answer", c->name, question_text[q],
           pl_word(PL_WORDS_BUILDER, def->builder), pl_word(PL_WORDS_VOLUME, def->volume));
}

/* Do these sizes leave a doubt that a question grows slowly enough? */
static bool in_doubt(const growth_case *c, unsigned left_out, const double n[], measured m[QUESTIONS][SIZES], int count)
{
  for (int q = 0; q < QUESTIONS; ++q)
    if (!(left_out >> q & 1) && slope(n, m[q], count) > c->most[q]) return true;
  return false;
}

/* Ends early where the growth is beyond doubt, before a quadratic query takes hours. The
 * greatest size is played if `largest` is set, or if the others leave a doubt. */
static void run_case(pl_context *context, const growth_case *c, const pl_body_def *def, bool largest,
                     double worst[QUESTIONS])
{
  double n[SIZES];
  measured m[QUESTIONS][SIZES];
  const unsigned left_out = unsettled_too() ? 0 : c->unsettled;
  int count = 0;
  for (int i = 0; i < SIZES; count = ++i) {
    if (i == SIZES - 1 && !largest && !in_doubt(c, left_out, n, m, i)) break;
    pair_of_meshes p = c->make(sizes[i]);
    pl_body *body[2] = {body_of(context, &p.a, c->scale, def), body_of(context, &p.b, c->scale, def)};
    n[i] = (double)(p.a.triangle_count + p.b.triangle_count);
    for (int q = 0; q < QUESTIONS; ++q) {
      if (left_out >> q & 1) continue;
      measured *now = m[q];
      now[i] = ask((question)q, body, &p, n[i], c->scale);
      double grown = now[i].count / now[i].base / (now[0].count / now[0].base);
      if (grown > 4 * pow(n[i] / n[0], c->most[q])) fail_case(c, def, (question)q, n, now, i + 1);
    }
    for (int b = 0; b < 2; ++b) pl_body_destroy(body[b]);
    mesh_free(&p.a);
    mesh_free(&p.b);
  }
  for (int q = 0; q < QUESTIONS; ++q) {
    if (left_out >> q & 1) continue;
    double s = slope(n, m[q], count);
    worst[q] = fmax(worst[q], s);
    if (s > c->most[q]) fail_case(c, def, (question)q, n, m[q], count);
  }
}

/* Every builder with every volume, strategies in turn; where integers decide, which takes long,
 * a third of them but in a long run. The greatest size is played by all in a long run, otherwise
 * by every fourth of the meshes that are not scaled. */
static void run(void **state)
{
  const growth_case *c = *state;
  /* so it stays: not asked */
  double worst[QUESTIONS] = {-INFINITY, -INFINITY, -INFINITY, -INFINITY};
  pl_context *context = context_of(NULL);
  product p = {0};
  product_axis(&p, "builder", PL_BUILDER_COUNT);
  product_axis(&p, "volume", PL_VOLUME_COUNT);
  product_axis(&p, "strategy", 2);
  product_make(&p);
  const bool some = (c->scale > 1e200 || c->scale < 1e-200) && !test_soaks();
  for (size_t r = 0; r < p.row_count; r += some ? 5 : 1) {
    const int8_t *kind = p.rows[r].kind;
    pl_body_def def = pl_body_def_default();
    def.builder = (pl_builder)kind[0];
    def.volume = (pl_volume)kind[1];
    def.strategy = kind[2] ? PL_STRATEGY_BOTTOM_UP : PL_STRATEGY_HYBRID;
    run_case(context, c, &def, test_soaks() || (c->scale == 1 && r % 6 == 0), worst);
    product_saw(&p, p.rows[r]);
  }
  if (!some) product_assert_seen(&p);
  product_free(&p);
  for (int q = 0; q < QUESTIONS; ++q) print_message("%s n^%.2f  ", question_text[q], worst[q]);
  print_message("\n");
  pl_context_destroy(context);
}

/* ----------------------------------------------------------------------- one body, with hubs -- */

/* Triangles that share vertex 0 and no other, in all directions: none of them overlap. */
static mesh spikes(size_t n)
{
  mesh m = mesh_new(2 * n + 1, n);
  double width = 0.3 / sqrt((double)n);
  for (size_t i = 0; i < n; ++i) {
    double z = 1 - (2 * (double)i + 1) / (double)n, r = sqrt(1 - z * z), a = 2.399963229728653 * (double)i;
    set(&m, 2 * i + 1, r * cos(a), r * sin(a), z);
    set(&m, 2 * i + 2, r * cos(a) - width * sin(a), r * sin(a) + width * cos(a), z);
    set_triangle(&m, i, 0, 2 * i + 1, 2 * i + 2);
  }
  return m;
}

/* Triangles that share the edge 0 1. */
static mesh book(size_t n)
{
  mesh m = mesh_new(n + 2, n);
  set(&m, 1, 0, 0, 1);
  for (size_t i = 0; i < n; ++i) {
    double a = 6.283185307179586 * (double)i / (double)n;
    set(&m, i + 2, cos(a), sin(a), 0.5);
    set_triangle(&m, i, 0, 1, i + 2);
  }
  return m;
}

static mesh sheet(size_t n) { return plate(n, 0, 0); }

/* The corner of a sheet is millions of edges away. */
static mesh outlier(size_t n)
{
  mesh m = plate(n, 0, 0);
  set(&m, 0, 1e6, 2e6, 3e6);
  return m;
}

/* Blades or pages of all lengths from 1 to 100: boxes of the long ones hold all the others. */
static mesh uneven(size_t n, mesh (*even)(size_t n), size_t first)
{
  mesh m = even(n);
  for (size_t v = first; v < m.vertex_count; ++v)
    for (size_t k = 0; k < 3; ++k) m.xyz[3 * v + k] *= pow(100, (double)(v * 7919 % 1024) / 1024);
  return m;
}
static mesh uneven_spikes(size_t n) { return uneven(n, spikes, 1); }
static mesh uneven_book(size_t n) { return uneven(n, book, 2); }

typedef enum self_question {
  SELF_CONES,
  SELF_BOXES,
  SELF_HASH,
  SELF_AUTO,
  SELF_NEIGHBOURS,
  SELF_NEIGHBOURS_BOXES,
  SELF_FEATURES,
  SELF_FEATURES_2,
  SELF_FEATURES_3,
  SELF_NEAR,
  SELF_NEAR_3,
  SELF_DISTANCE,
  SELF_DISTANCE_3,
  SELF_DISTANCE_ALL,
  SELF_QUESTIONS
} self_question;

static const char *const self_text[] = {"self, cones",      "self, boxes",
                                        "self, hash",       "self, auto",
                                        "self, neighbours", "self, neighbours, boxes",
                                        "self features",    "self features, 2",
                                        "self features, 3", "self near",
                                        "self near, 3",     "self distance",
                                        "self distance, 3", "self distance, all rings"};

static measured measure_self(pl_body *body, double n, pl_self_method method, bool neighbours)
{
  const pl_result *pairs;
  pl_question def = pl_question_default();
  def.self_method = method;
  def.rings = (neighbours) ? 0 : 1;
  assert_int_equal(pl_touching(pl_self(body), &def, &pairs), PL_OK);
  pl_counters c = pairs->counters;
  return (measured){1 + (double)(c.n_v + c.n_p + c.n_u), n + (double)pairs->count};
}

static measured measure_self_near(pl_body *body, double n, uint32_t rings)
{
  const pl_result *pairs;
  pl_question def = pl_question_default();
  def.rings = rings;
  assert_int_equal(ask_near_triangles(pl_self(body), 1e-3, &def, &pairs), PL_OK);
  pl_counters c = pairs->counters;
  return (measured){1 + (double)(c.n_v + c.n_p + c.n_u), n + (double)pairs->count};
}

static measured measure_self_features(pl_body *body, double n, uint32_t rings)
{
  const pl_result *pairs;
  pl_question def = pl_question_default();
  def.rings = rings;
  assert_int_equal(ask_near(pl_self(body), 1e-5, &def, &pairs), PL_OK);
  pl_counters c = pairs->counters;
  return (measured){1 + (double)(c.n_v + c.n_p + c.n_u), n + (double)pairs->count};
}

static measured measure_self_distance(pl_body *body, double n, uint32_t rings)
{
  least_row d;
  pl_question def = pl_question_default();
  def.rings = rings;
  assert_int_equal(ask_least(pl_self(body), &def, &d), PL_OK);
  return (measured){1 + (double)(d.counters.n_v + d.counters.n_p + d.counters.n_u), n};
}

static measured ask_self(self_question q, pl_body *body, double n)
{
  static const pl_self_method method[] = {PL_SELF_METHOD_CONES, PL_SELF_METHOD_BOXES, PL_SELF_METHOD_HASH,
                                          PL_SELF_METHOD_AUTO,  PL_SELF_METHOD_CONES, PL_SELF_METHOD_BOXES};
  if (q < SELF_FEATURES) return measure_self(body, n, method[q], q >= SELF_NEIGHBOURS);
  if (q <= SELF_FEATURES_3) return measure_self_features(body, n, 1 + (uint32_t)(q - SELF_FEATURES));
  if (q == SELF_NEAR || q == SELF_NEAR_3) return measure_self_near(body, n, q == SELF_NEAR ? 1 : 3);
  return measure_self_distance(body, n, q == SELF_DISTANCE ? 1 : q == SELF_DISTANCE_3 ? 3 : UINT32_MAX);
}

typedef struct self_case {
  const char *name;
  mesh (*make)(size_t n);
  double most;       /* the slope */
  unsigned left_out; /* bit i: question i, for a reason that docs/self-collision.md has */
} self_case;

/* Nodes are made by place and not by direction: a long blade passes as many of them as a line
 * through the tree. */
#define BY_PLACE 0.6

/* One vertex far out makes all cells of a grid great, and positions of patches coarse. */
enum { FAR_OUT = 1u << SELF_CONES | 1u << SELF_NEIGHBOURS | 1u << SELF_HASH };

static const self_case self_cases[] = {
    {"triangles that share a vertex, against themselves", spikes, NEAR_ZERO, 0},
    {"a fan against itself", fan, NEAR_ZERO, 0},
    {"long and short triangles that share a vertex, against themselves", uneven_spikes, BY_PLACE, 0},
    {"a book of long and short pages against itself", uneven_book, BY_PLACE, 0},
    {"a sheet with one vertex far out against itself", outlier, NEAR_ZERO, FAR_OUT},
    {"triangles that share an edge, against themselves", book, NEAR_ZERO, 0},
    {"a flat sheet against itself", sheet, NEAR_ZERO, 0}};
enum { SELF_CASES = sizeof self_cases / sizeof *self_cases };

/* Up to 8 000 triangles: a question that is cubic in time shows in its counts already. Ends
 * before one takes long. */
static void run_self(void **state)
{
  const self_case *c = *state;
  pl_context *context = context_of(NULL);
  for (int builder = 0; builder < PL_BUILDER_COUNT; ++builder) {
    double n[SIZES];
    measured m[SELF_QUESTIONS][SIZES];
    pl_body_def def = pl_body_def_default();
    def.builder = (pl_builder)builder;
    for (int i = 0; i < 3; ++i) {
      mesh one = c->make(sizes[i]);
      pl_body *body = body_of(context, &one, 1, &def);
      n[i] = (double)one.triangle_count;
      for (int q = 0; q < SELF_QUESTIONS; ++q) {
        if (c->left_out >> q & 1) continue;
        m[q][i] = ask_self((self_question)q, body, n[i]);
        if (i == 0 || slope(n, m[q], i + 1) <= c->most) continue;
        for (int k = 0; k <= i; ++k) print_error("%g triangles: %g tests\n", n[k], m[q][k].count);
        fail_msg("%s, %s, %s: grows faster than the answer", c->name, self_text[q],
                 pl_word(PL_WORDS_BUILDER, def.builder));
      }
      pl_body_destroy(body);
      mesh_free(&one);
    }
  }
  pl_context_destroy(context);
}

int main(void)
{
  struct CMUnitTest tests[CASES + SELF_CASES];
  for (int i = 0; i < CASES; ++i)
    tests[i] = (struct CMUnitTest){.name = cases[i].name, .test_func = run, .initial_state = (void *)&cases[i]};
  for (int i = 0; i < SELF_CASES; ++i)
    tests[CASES + i] =
        (struct CMUnitTest){.name = self_cases[i].name, .test_func = run_self, .initial_state = (void *)&self_cases[i]};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
