/* Bodies that follow particles: how their memory grows, and what counts where many particles are
 * near. */
#include "body/body.h"
#include "motion/governed.h"
#include "support/support.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ------------------------------------------------------------------------------------ memory -- */

typedef struct meter {
  size_t bytes, most;
} meter;

static void *metered_allocate(void *user, size_t size)
{
  meter *m = user;
  m->bytes += size;
  if (m->bytes > m->most) m->most = m->bytes;
  return aligned_alloc(64, (size + 63) / 64 * 64);
}

static void metered_release(void *user, void *memory, size_t size)
{
  ((meter *)user)->bytes -= size;
  free(memory);
}

/* A flat grid whose vertices are the particles, too: as it is, with one particle far out, or all
 * at one place. */
typedef enum places { GRID, OUTLIER, COINCIDENT, PLACES } places;
static const char *const places_text[] = {"a grid", "an outlier", "coincident particles"};

typedef struct particles_of {
  double *xyz;
  uint32_t *triangles;
  size_t vertex_count, triangle_count;
} particles_of;

static particles_of make_particles(places kind, size_t side)
{
  particles_of p = {.vertex_count = (side + 1) * (side + 1), .triangle_count = side * side};
  p.xyz = calloc(3 * p.vertex_count, sizeof *p.xyz);
  p.triangles = calloc(3 * p.triangle_count, sizeof *p.triangles);
  for (size_t v = 0; v < p.vertex_count; ++v) {
    p.xyz[3 * v] = kind == COINCIDENT ? 1 : (double)(v / (side + 1));
    p.xyz[3 * v + 1] = kind == COINCIDENT ? 1 : (double)(v % (side + 1));
  }
  if (kind == OUTLIER) p.xyz[2] = 1e6;
  for (size_t t = 0; t < p.triangle_count; ++t) {
    uint32_t v = (uint32_t)(t / side * (side + 1) + t % side);
    const uint32_t corners[3] = {v, v + 1, v + (uint32_t)side + 1};
    memcpy(p.triangles + 3 * t, corners, sizeof corners);
  }
  return p;
}

static void free_particles(particles_of *p)
{
  free(p->xyz);
  free(p->triangles);
}

static pl_body *create(pl_context *context, const particles_of *p, double radius)
{
  pl_mesh_def mesh = pl_mesh_def_default();
  mesh.positions = pl_positions_f64(p->xyz, p->vertex_count);
  mesh.triangles = p->triangles;
  mesh.triangle_count = p->triangle_count;
  pl_particles_def def = pl_particles_def_default();
  def.particles = mesh.positions;
  def.radius = radius;
  pl_body *body;
  if (pl_body_create_points(context, &mesh, &def, NULL, &body) != PL_OK) fail_msg("%s", pl_context_message(context));
  return body;
}

static size_t memory_of(places kind, size_t side)
{
  meter m = {0};
  pl_context_def def = pl_context_def_default();
  def.allocator = (pl_allocator){&m, metered_allocate, metered_release};
  def.threads = 1;
  pl_context *context;
  assert_int_equal(pl_context_create(&def, &context), PL_OK);
  particles_of p = make_particles(kind, side);
  pl_body_destroy(create(context, &p, 0));
  free_particles(&p);
  pl_context_destroy(context);
  assert_int_equal(m.bytes, 0);
  return m.most;
}

static void one_outlier_or_coincident_particles_take_no_quadratic_memory(void **state)
{
  (void)state;
  for (places kind = 0; kind < PLACES; ++kind) {
    size_t few = memory_of(kind, 20), many = memory_of(kind, 40);
    if (many > 5 * few) fail_msg("%s: %zu bytes become %zu with four times as many", places_text[kind], few, many);
  }
}

/* -------------------------------------------------------------------------------- definition -- */

enum { COUNT = 128 }; /* of pl_particles_def */

typedef struct ranked {
  double distance;
  uint32_t index;
} ranked;

static int by_distance(const void *a, const void *b)
{
  const ranked *x = a, *y = b;
  if (x->distance != y->distance) return x->distance < y->distance ? -1 : 1;
  return x->index < y->index ? -1 : 1;
}

/* The particles near a vertex, as the header has it. */
static size_t row_of(const particles_of *p, const double *at, double radius, ranked *all, double *support)
{
  size_t n = 0;
  for (size_t i = 0; i < p->vertex_count; ++i) {
    double x = at[0] - p->xyz[3 * i], y = at[1] - p->xyz[3 * i + 1], z = at[2] - p->xyz[3 * i + 2];
    ranked r = {sqrt(x * x + y * y + z * z), (uint32_t)i};
    if (r.distance < radius) all[n++] = r;
  }
  qsort(all, n, sizeof *all, by_distance);
  *support = radius;
  if (n <= COUNT) return n;
  if (all[0].distance < all[COUNT].distance) *support = all[COUNT].distance;
  n = COUNT;
  while (!(all[n - 1].distance < *support)) --n;
  return n;
}

static void check_rows(const pl_body *body, const particles_of *p, double radius)
{
  const governed *g = body->motion.controls;
  ranked *all = malloc(p->vertex_count * sizeof *all);
  for (size_t v = 0; v < p->vertex_count; ++v) {
    double support, sum = 0;
    size_t n = row_of(p, p->xyz + 3 * v, radius, all, &support);
    assert_int_equal(g->first[v + 1] - g->first[v], n);
    for (size_t i = 0; i < n; ++i) sum += pow(1 - pow(all[i].distance / support, 2), 3);
    for (size_t i = 0; i < n; ++i) {
      uint32_t e = g->first[v];
      while (e < g->first[v + 1] && g->governor[e] != all[i].index) ++e;
      assert_true(e < g->first[v + 1]);
      assert_true(fabs(g->weight[e] - pow(1 - pow(all[i].distance / support, 2), 3) / sum) < 1e-12);
    }
  }
  free(all);
}

static void the_nearest_128_particles_count_where_more_are_near(void **state)
{
  (void)state;
  static const double radii[] = {3.5, 9, 200, 2e6};
  pl_context *context;
  assert_int_equal(pl_context_create(NULL, &context), PL_OK);
  for (places kind = 0; kind < PLACES; ++kind)
    for (size_t r = 0; r < sizeof radii / sizeof *radii; ++r) {
      particles_of p = make_particles(kind, 14);
      pl_body *body = create(context, &p, radii[r]);
      check_rows(body, &p, radii[r]);
      pl_body_destroy(body);
      free_particles(&p);
    }
  pl_context_destroy(context);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(one_outlier_or_coincident_particles_take_no_quadratic_memory),
      cmocka_unit_test(the_nearest_128_particles_count_where_more_are_near),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
