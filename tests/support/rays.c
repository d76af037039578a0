#include "support/rays.h"
#include "support/probes.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ------------------------------------------------------------------------------------ making -- */

typedef struct maker {
  test_rng rng;
  const ray_aim *aim;
  double low[3], high[3];
} maker;

static const double *corner(maker *m, size_t triangle, int c)
{
  return m->aim->xyz + 3 * (size_t)m->aim->triangles[3 * triangle + (size_t)c];
}

static void from_around(maker *m, double out[3])
{
  double far = test_below(&m->rng, 8) ? 1 : pow(10, test_uniform(&m->rng, 0, 9));
  for (int k = 0; k < 3; ++k) {
    double size = m->high[k] - m->low[k] + 1e-3;
    out[k] = test_uniform(&m->rng, m->low[k] - size * far, m->high[k] + size * far);
    if (fabs(out[k]) < 1e30 && test_below(&m->rng, 2)) out[k] = (double)(float)out[k];
  }
}

/* A point of a triangle: a corner, on an edge, or within. */
static void into_triangle(maker *m, size_t t, double out[3])
{
  int kind = test_below(&m->rng, 4);
  double u = kind == 0 ? 0 : test_uniform(&m->rng, 0, 1), v = kind < 2 ? 0 : test_uniform(&m->rng, 0, 1 - u);
  for (int k = 0; k < 3; ++k)
    out[k] = kind == 0 ? corner(m, t, 0)[k]
                       : corner(m, t, 0)[k] + u * (corner(m, t, 1)[k] - corner(m, t, 0)[k]) +
                             v * (corner(m, t, 2)[k] - corner(m, t, 0)[k]);
}

static void between(const double from[3], const double to[3], double out[3])
{
  for (int k = 0; k < 3; ++k) out[k] = to[k] - from[k];
}

static void make_direction(maker *m, pl_ray *ray, int kind)
{
  size_t t = (size_t)test_below(&m->rng, (int)m->aim->triangle_count),
         s = (size_t)test_below(&m->rng, (int)m->aim->triangle_count);
  double to[3];
  into_triangle(m, t, to);
  from_around(m, ray->origin);
  if (kind == 1) into_triangle(m, s, ray->origin); /* from the surface */
  if (kind == 2)                                   /* from the middle of it all */
    for (int k = 0; k < 3; ++k) ray->origin[k] = 0.5 * m->low[k] + 0.5 * m->high[k];
  between(ray->origin, to, ray->direction);
  if (kind == 3) /* anywhere */
    for (int k = 0; k < 3; ++k) ray->direction[k] = test_uniform(&m->rng, -1, 1);
  if (kind == 4) { /* along an axis, through a corner or near it */
    int axis = test_below(&m->rng, 3);
    for (int k = 0; k < 3; ++k) {
      ray->direction[k] = k == axis ? (test_below(&m->rng, 2) ? 1 : -1) : test_below(&m->rng, 2) ? 0.0 : -0.0;
      if (k != axis) ray->origin[k] = to[k];
    }
  }
  if (kind == 5) { /* in the triangle's plane, as well as doubles can */
    into_triangle(m, t, ray->origin);
    between(ray->origin, to, ray->direction);
    for (int k = 0; k < 3; ++k) ray->origin[k] -= 4 * ray->direction[k];
  }
  if (kind == 6) { /* along an edge */
    between(corner(m, t, 0), corner(m, t, 1), ray->direction);
    for (int k = 0; k < 3; ++k) ray->origin[k] = corner(m, t, 0)[k] - test_below(&m->rng, 3) * ray->direction[k];
  }
  if (kind == 7) ray->direction[test_below(&m->rng, 3)] = 0;
}

static void make_ends(maker *m, pl_ray *ray)
{
  static const double ends[][2] = {{0, INFINITY}, {0, INFINITY},  {0, INFINITY},    {0, 1},
                                   {1, 1},        {0, 0.999},     {1e-3, INFINITY}, {-INFINITY, INFINITY},
                                   {-1, 2},       {-INFINITY, 0}, {2, 1},           {0.5, 1e300}};
  int i = test_below(&m->rng, sizeof ends / sizeof *ends);
  ray->t_min = ends[i][0];
  ray->t_max = ends[i][1];
}

/* A neighbour of a ray: what may be traced together. */
static void stay_near(maker *m, const pl_ray *first, pl_ray *ray)
{
  double apart = test_below(&m->rng, 3) ? 0 : 1e-2, spread = test_below(&m->rng, 3) ? 1e-3 : 0;
  bool ends = test_below(&m->rng, 4) == 0;
  for (int k = 0; k < 3; ++k) {
    double size = m->high[k] - m->low[k];
    ray->origin[k] = first->origin[k] + apart * test_uniform(&m->rng, -size, size);
    ray->direction[k] = first->direction[k] * (1 + spread * test_uniform(&m->rng, -1, 1));
  }
  if (ends) return;
  ray->t_min = first->t_min;
  ray->t_max = first->t_max;
}

void rays_make(uint64_t seed, const ray_aim *aim, pl_ray *rays, size_t count)
{
  maker m = {
      .rng = {seed}, .aim = aim, .low = {INFINITY, INFINITY, INFINITY}, .high = {-INFINITY, -INFINITY, -INFINITY}};
  for (size_t i = 0; i < 3 * aim->vertex_count; ++i) {
    m.low[i % 3] = fmin(m.low[i % 3], aim->xyz[i]);
    m.high[i % 3] = fmax(m.high[i % 3], aim->xyz[i]);
  }
  for (size_t i = 0; i < count; ++i) {
    make_direction(&m, &rays[i], (int)(i % 9));
    make_ends(&m, &rays[i]);
    double scale = test_below(&m.rng, 5) ? 1 : pow(10, test_uniform(&m.rng, -12, 12));
    bool length = false;
    for (int k = 0; k < 3; ++k) {
      rays[i].direction[k] *= scale;
      length = length || rays[i].direction[k] != 0;
    }
    if (!length) rays[i].direction[0] = 1;
    if (i % 16 > 8) stay_near(&m, &rays[i - i % 8], &rays[i]);
  }
}

/* --------------------------------------------------------------------------------- comparing -- */

static void *copy(const void *data, size_t size)
{
  void *own = malloc(size + 1);
  if (size) memcpy(own, data, size);
  return own;
}

ray_answer reference_rays(pl_body *body, pl_scene *scene, const pl_ray *rays, size_t count)
{
  ray_answer a = {.count = count};
  const pl_result *hits;
  pl_question def = pl_question_default();
  pl_status status = body ? reference_cast(pl_one(body), rays, count, &def, &hits)
                          : reference_cast(pl_all(scene), rays, count, &def, &hits);
  assert_int_equal(status, PL_OK);
  a.closest = copy(hits->hits, count * sizeof *a.closest);
  def.ray_mode = PL_RAY_MODE_ALL;
  status = body ? reference_cast(pl_one(body), rays, count, &def, &hits)
                : reference_cast(pl_all(scene), rays, count, &def, &hits);
  assert_int_equal(status, PL_OK);
  a.first = copy(hits->offsets, (count + 1) * sizeof *a.first);
  a.all = copy(hits->hits, a.first[count] * sizeof *a.all);
  return a;
}

void ray_answer_free(ray_answer *a)
{
  free(a->closest);
  free(a->first);
  free(a->all);
  *a = (ray_answer){0};
}

static void assert_same_hit(const pl_hit *got, const pl_hit *wanted, size_t ray, const char *what)
{
  /* the handle may be of another context */
  if (memcmp(got, wanted, offsetof(pl_hit, body)) == 0) return;
  fail_msg("%s: ray %zu hit triangle %u of body %u at %.17g (%.17g %.17g), not %u of %u at %.17g (%.17g %.17g)", what,
           ray, got->triangle, got->member, got->t, got->u, got->v, wanted->triangle, wanted->member, wanted->t,
           wanted->u, wanted->v);
}

static const pl_result *ask(pl_body *body, pl_scene *scene, const pl_ray *rays, size_t count, pl_ray_mode mode,
                            bool coherent)
{
  const pl_result *hits;
  pl_question def = pl_question_default();
  def.ray_mode = mode;
  def.coherent = coherent;
  pl_status status =
      body ? pl_cast(pl_one(body), rays, count, &def, &hits) : pl_cast(pl_all(scene), rays, count, &def, &hits);
  assert_int_equal(status, PL_OK);
  assert_int_equal(hits->done, count);
  assert_int_equal(hits->count, hits->offsets ? hits->offsets[count] : count);
  size_t total = hits->offsets ? hits->offsets[count] : count;
  for (size_t i = 0; i < total; ++i) {
    const pl_hit *hit = &hits->hits[i];
    pl_body *right = body && hit->member == 0 ? body : scene ? pl_scene_member_body(scene, hit->member) : NULL;
    assert_ptr_equal(hit->body, hit->triangle == PL_NONE ? NULL : right);
  }
  assert_false(hits->partial);
  return hits;
}

static uint64_t hash_answer(uint64_t hash, const pl_result *hits, size_t count)
{
  const uint64_t n[3] = {hits->counters.n_v, hits->counters.n_p, hits->counters.n_u};
  hash = hash_bytes(hash, n, sizeof n);
  if (hits->offsets) hash = hash_bytes(hash, hits->offsets, (count + 1) * sizeof *hits->offsets);
  size_t total = hits->offsets ? hits->offsets[count] : count;
  return hash_hits(hash, hits->hits, total);
}

uint64_t assert_rays(pl_body *body, pl_scene *scene, const pl_ray *rays, const ray_answer *wanted, const char *what)
{
  uint64_t hash = HASH_START;
  for (int coherent = 0; coherent < 2; ++coherent) {
    const pl_result *hits = ask(body, scene, rays, wanted->count, PL_RAY_MODE_CLOSEST, coherent);
    for (size_t i = 0; i < wanted->count; ++i) assert_same_hit(&hits->hits[i], &wanted->closest[i], i, what);
    hash = hash_answer(hash, hits, wanted->count);
    hits = ask(body, scene, rays, wanted->count, PL_RAY_MODE_ANY, coherent);
    for (size_t i = 0; i < wanted->count; ++i) {
      size_t k = wanted->first[i];
      bool missed = hits->hits[i].triangle == PL_NONE;
      if (missed != (k == wanted->first[i + 1]))
        fail_msg("%s: ray %zu %s", what, i, missed ? "found nothing" : "found something");
      if (missed) {
        assert_same_hit(&hits->hits[i], &wanted->closest[i], i, what);
        continue;
      }
      while (k < wanted->first[i + 1] && memcmp(&hits->hits[i], &wanted->all[k], offsetof(pl_hit, body)) != 0) ++k;
      if (k == wanted->first[i + 1]) fail_msg("%s: ray %zu: any is no hit", what, i);
    }
    hash = hash_answer(hash, hits, wanted->count);
  }
  const pl_result *hits = ask(body, scene, rays, wanted->count, PL_RAY_MODE_ALL, false);
  for (size_t i = 0; i <= wanted->count; ++i)
    if (hits->offsets[i] != wanted->first[i]) fail_msg("%s: ray %zu has another number of hits", what, i - 1);
  for (size_t i = 0; i < wanted->count; ++i)
    for (size_t k = wanted->first[i]; k < wanted->first[i + 1]; ++k)
      assert_same_hit(&hits->hits[k], &wanted->all[k], i, what);
  return hash_answer(hash, hits, wanted->count);
}
