/* The uniform grid: every triangle is in the cells that its box touches and in no others, on any box and distribution, within the
 * promised memory, the same for any number of threads; and what rays hit through it equals brute force, closest, any and all. */
#include "body/body.h"
#include "pliant/rays.h"
#include "pliant/reference.h"
#include "update/keys.h"

#include "support/worlds.h" /* after our headers: cmocka has a macro named fail */

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef __SANITIZE_ADDRESS__
enum { SMALL = 120, LARGE = 20000, RAYS = 160 };
#else
enum { SMALL = 300, LARGE = 40000 };
#define RAYS test_rounds(600)
#endif

/* ------------------------------------------------------------------------------------------------------- soups -- */

/* X(NAME, word): how triangles are spread. */
#define SPREAD_LIST(X)                                                                                                 \
  X(EVEN, "even")                                                                                                      \
  X(SURFACE, "surface")   /* on a sphere */                                                                            \
  X(FLAT, "flat")         /* in the plane z = 1 */                                                                     \
  X(LINE, "line")         /* along x, no extent in y and z */                                                          \
  X(POINT, "point")       /* all corners at one place */                                                               \
  X(SKEWED, "skewed")     /* nearly all in a corner, a few far away */                                                 \
  X(SLIVERS, "slivers")   /* long diagonal ones, through many cells */                                                 \
  X(LATTICE, "lattice")   /* corners on whole numbers: on the borders of cells, with many ties */                      \
  X(HUGE_BOX, "huge")     /* coordinates of 1e30 */                                                                    \
  X(TINY_BOX, "tiny")     /* coordinates of 1e-30 */                                                                   \
  X(ENDLESS, "endless")   /* doubles beyond the range of float */                                                      \
  X(FAR_AWAY, "far away") /* a small box around a far place */                                                         \
  X(SAME, "same")         /* copies of few triangles: equal t */

typedef enum spread {
#define SPREAD_NAME(name, word) SPREAD_##name,
  SPREAD_LIST(SPREAD_NAME)
#undef SPREAD_NAME
      SPREAD_COUNT
} spread;
#define SPREAD_WORD(name, word) word,
static const char *const spread_words[] = {SPREAD_LIST(SPREAD_WORD)};

typedef struct loose {
  size_t count;
  double *xyz;
  float *xyz_f32; /* the same numbers, but for ENDLESS */
  uint32_t *triangles;
  double middle[3], size; /* where rays should go */
} loose;

static void place(test_rng *rng, spread s, size_t i, size_t n, double corner[9])
{
  double at[3], edge = 1.5 / cbrt((double)n);
  for (int k = 0; k < 3; ++k) at[k] = test_uniform(rng, -1, 1);
  if (s == SPREAD_SURFACE) {
    double length = sqrt(at[0] * at[0] + at[1] * at[1] + at[2] * at[2]) + 1e-9;
    for (int k = 0; k < 3; ++k) at[k] /= length;
  }
  if (s == SPREAD_SKEWED && i % 97) edge = 1e-4;
  if (s == SPREAD_SKEWED && i % 97)
    for (int k = 0; k < 3; ++k) at[k] = 0.9 + 1e-3 * at[k];
  if (s == SPREAD_SLIVERS) edge = 0.01;
  for (int c = 0; c < 9; ++c) {
    double x = at[c % 3] + test_uniform(rng, -edge, edge);
    if (s == SPREAD_SLIVERS && c >= 6) x = -at[c % 3];
    if (s == SPREAD_FLAT && c % 3 == 2) x = 1;
    if (s == SPREAD_LINE && c % 3) x = 0.25;
    if (s == SPREAD_POINT) x = 0.5;
    if (s == SPREAD_LATTICE) x = (double)(test_below(rng, 3) + (int)floor(4 * at[c % 3]));
    if (s == SPREAD_HUGE_BOX) x *= 1e30;
    if (s == SPREAD_TINY_BOX) x *= 1e-30;
    if (s == SPREAD_FAR_AWAY) x = 1e6 + x;
    corner[c] = s == SPREAD_ENDLESS && i % 50 == 0 ? x * 1e300 : (float)x;
  }
}

static loose loose_make(spread s, size_t n, uint64_t seed)
{
  test_rng rng = {.state = seed};
  loose l = {.count = n, .size = 1};
  l.xyz = malloc(9 * n * sizeof *l.xyz);
  l.xyz_f32 = malloc((9 * n + 1) * sizeof *l.xyz_f32);
  l.triangles = malloc(3 * n * sizeof *l.triangles);
  for (size_t i = 0; i < n; ++i) {
    place(&rng, s, i, n, l.xyz + 9 * i);
    if (s == SPREAD_SAME && i >= n / 5) memcpy(l.xyz + 9 * i, l.xyz + 9 * (i % (n / 5)), 9 * sizeof *l.xyz);
  }
  for (size_t i = 0; i < 9 * n; ++i) l.xyz_f32[i] = (float)l.xyz[i];
  for (size_t i = 0; i < 3 * n; ++i) l.triangles[i] = (uint32_t)i;
  l.size = s == SPREAD_HUGE_BOX ? 1e30 : s == SPREAD_TINY_BOX ? 1e-30 : s == SPREAD_LATTICE ? 4 : 1;
  for (int k = 0; k < 3; ++k)
    l.middle[k] = s == SPREAD_FAR_AWAY ? 1e6 : s == SPREAD_FLAT && k == 2 ? 1 : s == SPREAD_SKEWED ? 0.9 : 0;
  if (s == SPREAD_SKEWED) l.size = 2e-3;
  return l;
}

static void loose_free(loose *l)
{
  free(l->xyz);
  free(l->xyz_f32);
  free(l->triangles);
}

static pl_positions loose_positions(const loose *l, bool doubles)
{
  return doubles ? pl_positions_f64(l->xyz, 3 * l->count) : pl_positions_f32(l->xyz_f32, 3 * l->count);
}

static pl_body *loose_body(pl_context *context, const loose *l, bool doubles, pl_soup_method method,
                           const pl_body_def *def)
{
  pl_mesh_def mesh = pl_mesh_def_default();
  mesh.positions = loose_positions(l, doubles);
  mesh.triangles = l->triangles;
  mesh.triangle_count = l->count;
  pl_soup_def soup = pl_soup_def_default();
  soup.method = method;
  pl_body *body;
  if (pl_body_create_soup(context, &mesh, &soup, def, &body) != PL_OK) fail_msg("%s", pl_context_message(context));
  return body;
}

static pl_context *context_with(int threads, const char *simd)
{
  pl_context_def def = pl_context_def_default();
  def.threads = threads;
  def.simd = simd;
  pl_context *context;
  return pl_context_create(&def, &context) == PL_OK ? context : NULL;
}

/* --------------------------------------------------------------------------------------------------- structure -- */

/* Each triangle is in all cells between those of its least and greatest coordinates, once in each, ascending. */
static void check_cells(const pl_body *body, const grid *g, const char *what)
{
  const tree *t = body->tree;
  uint64_t references = 0, n = t->prims.triangle_count;
  assert_int_equal(g->cell_count, g->cells[0] * g->cells[1] * g->cells[2]);
  for (uint32_t i = 0; i < n; ++i) {
    int low[3], high[3];
    for (int k = 0; k < 3; ++k) {
      low[k] = INT32_MAX;
      high[k] = 0;
      for (int c = 0; c < 3; ++c) {
        double q[3];
        points_position(&body->motion.now, t->prims.tri[3 * (size_t)i + (size_t)c], q);
        int cell = body->motion.now.type == PL_F32 ? grid_cell_f32(g, k, (float)q[k]) : grid_cell(g, k, q[k]);
        assert_true(cell >= 0 && cell < g->cells[k]);
        low[k] = cell < low[k] ? cell : low[k];
        high[k] = cell > high[k] ? cell : high[k];
      }
      if (grid_range(g->range[i], k) != low[k] || grid_range(g->range[i], k + 3) != high[k])
        fail_msg("%s: the range of triangle %u", what, i);
    }
    references +=
        (uint64_t)(high[0] - low[0] + 1) * (uint64_t)(high[1] - low[1] + 1) * (uint64_t)(high[2] - low[2] + 1);
  }
  assert_int_equal(g->first[0], 0);
  assert_int_equal(g->first[g->cell_count], references);
  for (uint32_t cell = 0; cell < g->cell_count; ++cell) {
    int at[3] = {(int)cell % g->cells[0], (int)cell / g->cells[0] % g->cells[1], (int)cell / g->cells[0] / g->cells[1]};
    assert_true(g->first[cell] <= g->first[cell + 1]);
    assert_true(grid_is_full(g, cell) == (g->first[cell] < g->first[cell + 1]));
    for (uint32_t r = g->first[cell]; r < g->first[cell + 1]; ++r) {
      uint64_t range = g->range[g->refs[r]];
      if (r > g->first[cell]) assert_true(g->refs[r - 1] < g->refs[r]);
      for (int k = 0; k < 3; ++k) assert_true(grid_range(range, k) <= at[k] && at[k] <= grid_range(range, k + 3));
    }
  }
  assert_true(references <= GRID_MOST_REFERENCES * n + 64);
  assert_true(g->cell_count <= 2 * GRID_DENSITY * n + 64); /* rounding of cells along the axes */
}

static void cells_of_any_spread(void **state)
{
  (void)state;
  pl_context *context = context_with(1, NULL);
  const size_t sizes[] = {1, 2, 37, SMALL, LARGE / 8};
  for (int s = 0; s < SPREAD_COUNT; ++s)
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; ++i)
      for (int doubles = s == SPREAD_ENDLESS; doubles < 2; ++doubles) {
        if (s == SPREAD_SAME && sizes[i] < 5) continue;
        loose l = loose_make((spread)s, sizes[i], 10 * (uint64_t)s + i);
        pl_body *body = loose_body(context, &l, doubles, PL_SOUP_GRID, NULL);
        grid *g = &keys_of(&body->trees)->grid;
        if (grid_make(context, g, body->tree, &body->motion.now) != PL_OK) fail_msg("%s", pl_context_message(context));
        char what[64];
        snprintf(what, sizeof what, "%s, %zu, %d", spread_words[s], sizes[i], doubles);
        check_cells(body, g, what);
        if (s == SPREAD_EVEN && sizes[i] == LARGE / 8) assert_true(g->cell_count > g->triangle_count);
        pl_body_destroy(body);
        loose_free(&l);
      }
  pl_context_destroy(context);
}

static void cells_by_threads(void **state)
{
  (void)state;
  for (int s = 0; s < SPREAD_SLIVERS + 1; s += SPREAD_SLIVERS / 2) {
    loose l = loose_make((spread)s, LARGE, 5);
    uint64_t hash[4];
    for (int i = 0; i < 4; ++i) {
      pl_context *context = context_with(1 + i, NULL);
      pl_body *body = loose_body(context, &l, false, PL_SOUP_GRID, NULL);
      grid *g = &keys_of(&body->trees)->grid;
      assert_int_equal(grid_make(context, g, body->tree, &body->motion.now), PL_OK);
      hash[i] = hash_bytes(HASH_START, g->first, ((size_t)g->cell_count + 1) * sizeof *g->first);
      hash[i] = hash_bytes(hash[i], g->refs, g->first[g->cell_count] * sizeof *g->refs);
      assert_true(hash[i] == hash[0]);
      pl_context_destroy(context);
    }
    loose_free(&l);
  }
}

/* -------------------------------------------------------------------------------------------------------- rays -- */

static void aim(test_rng *rng, const loose *l, pl_ray *ray)
{
  double from[3], to[3];
  double far = test_below(rng, 8) ? 3 : test_below(rng, 2) ? 300 : 1e7;
  const double *corner = l->xyz + 9 * (size_t)test_below(rng, (int)l->count);
  int kind = test_below(rng, 5);
  for (int k = 0; k < 3; ++k) {
    from[k] = l->middle[k] + test_uniform(rng, -far, far) * l->size;
    to[k] = l->middle[k] + test_uniform(rng, -1, 1) * l->size;
    if (kind == 0) to[k] = corner[k];                         /* a corner */
    if (kind == 1) to[k] = 0.5 * (corner[k] + corner[k + 3]); /* an edge */
    if (kind == 2) to[k] = 0.4 * corner[k] + 0.3 * corner[k + 3] + 0.3 * corner[k + 6];
    if (kind == 3) from[k] = to[k] + (k == 1 ? -2 : 0) * l->size; /* along an axis */
    if (test_below(rng, 12) == 0) from[k] = to[k];
    ray->origin[k] = from[k];
    ray->direction[k] = (to[k] - from[k]) * (test_below(rng, 4) ? 1 : test_below(rng, 2) ? 100 : 0.01);
  }
  if (ray->direction[0] == 0 && ray->direction[1] == 0 && ray->direction[2] == 0) ray->direction[2] = -l->size;
  ray->t_min = test_below(rng, 4) ? 0 : test_below(rng, 3) ? 0.4 : -INFINITY;
  ray->t_max = test_below(rng, 4) ? INFINITY : test_below(rng, 2) ? 1.1 : 0.5;
}

/* The hits of the reference, kept while others are asked for. */
typedef struct answer {
  pl_hit *hits;
  size_t *first;
  size_t count, total;
} answer;

static answer keep(const pl_hits *h, size_t count)
{
  answer a = {.count = count, .total = h->first ? h->first[count] : count};
  a.hits = malloc((a.total + 1) * sizeof *a.hits);
  a.first = malloc((count + 1) * sizeof *a.first);
  if (a.total) memcpy(a.hits, h->hits, a.total * sizeof *a.hits);
  for (size_t i = 0; i <= count; ++i) a.first[i] = h->first ? h->first[i] : i;
  return a;
}

static void answer_free(answer *a)
{
  free(a->hits);
  free(a->first);
}

static bool same_hit(const pl_hit *a, const pl_hit *b)
{
  return a->triangle == b->triangle && a->member == b->member && memcmp(&a->t, &b->t, sizeof a->t) == 0 &&
         memcmp(&a->u, &b->u, sizeof a->u) == 0 && memcmp(&a->v, &b->v, sizeof a->v) == 0 &&
         memcmp(a->normal, b->normal, sizeof a->normal) == 0;
}

static void assert_same_hits(const answer *want, const pl_hits *got, pl_ray_mode mode, const char *what)
{
  assert_int_equal(got->count, want->count);
  for (size_t i = 0; i < want->count; ++i) {
    size_t first = got->first ? got->first[i] : i, n = want->first[i + 1] - want->first[i];
    if (got->first && got->first[i + 1] - first != n)
      fail_msg("%s: ray %zu has %zu hits, not %zu", what, i, got->first[i + 1] - first, n);
    for (size_t k = 0; k < n; ++k) {
      const pl_hit *a = &want->hits[want->first[i] + k], *b = &got->hits[first + k];
      if (mode == PL_RAY_MODE_ANY ? (a->triangle == PL_NONE) != (b->triangle == PL_NONE) : !same_hit(a, b))
        fail_msg("%s: %s ray %zu: triangle %u at %.17g, not %u at %.17g", what, pl_ray_mode_text(mode), i, b->triangle,
                 b->t, a->triangle, a->t);
    }
  }
}

static size_t hits_in(const answer *a)
{
  size_t n = 0;
  for (size_t i = 0; i < a->total; ++i) n += a->hits[i].triangle != PL_NONE;
  return n;
}

static void rays_of_any_spread(void **state)
{
  (void)state;
  static const char *const sets[] = {SIMD_WORDS};
  pl_ray *rays = malloc(RAYS * sizeof *rays);
  for (int s = 0; s < SPREAD_COUNT; ++s)
    for (int doubles = s == SPREAD_ENDLESS; doubles < 2; ++doubles) {
      pl_context *context = context_with(1, sets[s % 3]);
      if (!context) continue;
      loose l = loose_make((spread)s, SMALL, 77 + (uint64_t)s);
      pl_body *trees = loose_body(context, &l, doubles, PL_SOUP_KEYS, NULL);
      pl_body *cells = loose_body(context, &l, doubles, PL_SOUP_GRID, NULL);
      test_rng rng = {.state = 1000 + (uint64_t)s};
      for (int i = 0; i < RAYS; ++i) aim(&rng, &l, &rays[i]);
      for (int mode = 0; mode < PL_RAY_MODE_COUNT; ++mode) {
        const pl_hits *found;
        pl_ray_def def = pl_ray_def_default();
        def.mode = (pl_ray_mode)mode;
        assert_int_equal(pl_reference_cast(cells, rays, RAYS, &def, &found), PL_OK);
        answer want = keep(found, RAYS);
        if (s != SPREAD_POINT && s != SPREAD_ENDLESS && hits_in(&want) < (size_t)RAYS / 20)
          fail_msg("%s: only %zu hits", spread_words[s], hits_in(&want));
        assert_int_equal(pl_body_cast(cells, rays, RAYS, &def, &found), PL_OK);
        assert_same_hits(&want, found, def.mode, spread_words[s]);
        assert_int_equal(pl_body_soup_method(cells), PL_SOUP_GRID);
        assert_int_equal(pl_body_cast(trees, rays, RAYS, &def, &found), PL_OK);
        assert_same_hits(&want, found, def.mode, spread_words[s]);
        assert_int_equal(pl_body_soup_method(trees), PL_SOUP_KEYS);
        answer_free(&want);
      }
      loose_free(&l);
      pl_context_destroy(context);
    }
  free(rays);
}

/* Each triangle is tested at most once per ray, and looked at by the filter at most once. */
typedef struct seen {
  size_t calls;
  uint32_t *last; /* per triangle: the last ray it was offered to, and one more */
  bool twice;
} seen;

static bool only_odd(void *user, size_t ray, const pl_hit *hit)
{
  seen *s = user;
  ++s->calls;
  if (s->last[hit->triangle] == (uint32_t)ray + 1) s->twice = true;
  s->last[hit->triangle] = (uint32_t)ray + 1;
  return hit->triangle % 2;
}

static void filters(void **state)
{
  (void)state;
  pl_context *context = context_with(1, NULL);
  pl_ray *rays = malloc(RAYS * sizeof *rays);
  const spread kinds[] = {SPREAD_EVEN, SPREAD_SLIVERS, SPREAD_LATTICE};
  for (int s = 0; s < 3; ++s) {
    loose l = loose_make(kinds[s], SMALL, 3);
    pl_body *cells = loose_body(context, &l, false, PL_SOUP_GRID, NULL);
    test_rng rng = {.state = 4};
    for (int i = 0; i < RAYS; ++i) aim(&rng, &l, &rays[i]);
    for (int mode = 0; mode < PL_RAY_MODE_COUNT; ++mode) {
      seen counts = {.last = calloc(SMALL, sizeof *counts.last)};
      pl_ray_def def = pl_ray_def_default();
      def.mode = (pl_ray_mode)mode;
      def.filter = only_odd;
      def.user = &counts;
      const pl_hits *found;
      assert_int_equal(pl_reference_cast(cells, rays, RAYS, &def, &found), PL_OK);
      answer want = keep(found, RAYS);
      memset(counts.last, 0, SMALL * sizeof *counts.last);
      counts.twice = false;
      assert_int_equal(pl_body_cast(cells, rays, RAYS, &def, &found), PL_OK);
      assert_same_hits(&want, found, def.mode, "filter");
      assert_false(counts.twice);
      assert_true(found->counters.n_p <= (uint64_t)RAYS * SMALL);
      free(counts.last);
      answer_free(&want);
    }
    pl_body_destroy(cells);
    loose_free(&l);
  }
  free(rays);
  pl_context_destroy(context);
}

/* Moving: positions, single vertices, key poses; the grid is never stale. Threads and auto give the same bytes. */
static void moving_rays(void **state)
{
  (void)state;
  enum { FRAMES = 24, BODIES = 4 };
  pl_ray *rays = malloc(RAYS * sizeof *rays);
  loose l = loose_make(SPREAD_EVEN, SMALL, 21), other = loose_make(SPREAD_SURFACE, SMALL, 22);
  const pl_positions keys[2] = {loose_positions(&l, false), loose_positions(&other, false)};
  pl_context *contexts[BODIES];
  pl_body *bodies[BODIES]; /* trees; grid; auto; auto with threads */
  float *xyz = malloc((9 * SMALL + 1) * sizeof *xyz);
  int by_grid = 0;
  for (int b = 0; b < BODIES; ++b) {
    const pl_soup_method methods[BODIES] = {PL_SOUP_KEYS, PL_SOUP_GRID, PL_SOUP_AUTO, PL_SOUP_AUTO};
    contexts[b] = context_with(b == 3 ? 3 : 1, NULL);
    pl_mesh_def mesh = pl_mesh_def_default();
    mesh.positions = keys[0];
    mesh.triangles = l.triangles;
    mesh.triangle_count = SMALL;
    pl_soup_def soup = pl_soup_def_default();
    soup.method = methods[b];
    soup.key_poses = keys;
    soup.key_pose_count = 2;
    assert_int_equal(pl_body_create_soup(contexts[b], &mesh, &soup, NULL, &bodies[b]), PL_OK);
  }
  test_rng rng = {.state = 8};
  for (int frame = 0; frame < FRAMES; ++frame) {
    float t = (float)(frame % 8) / 7;
    uint32_t vertex = (uint32_t)test_below(&rng, 3 * SMALL);
    for (int i = 0; i < 9 * SMALL; ++i) xyz[i] = (1 - t) * l.xyz_f32[i] + t * other.xyz_f32[i];
    for (int i = 0; i < RAYS; ++i) aim(&rng, &l, &rays[i]);
    answer want = {0};
    for (int b = 0; b < BODIES; ++b) {
      const pl_hits *found;
      float moved[3] = {0.1f * (float)frame, 0, 0};
      pl_ray_def def = pl_ray_def_default();
      def.mode = frame % 2 ? PL_RAY_MODE_ALL : PL_RAY_MODE_CLOSEST;
      assert_int_equal(pl_body_set_positions(bodies[b], pl_positions_f32(xyz, 3 * SMALL)), PL_OK);
      if (frame % 3 == 1) assert_int_equal(pl_body_cast(bodies[b], rays, RAYS / 2, &def, &found), PL_OK);
      if (frame % 3) assert_int_equal(pl_body_set_vertices(bodies[b], &vertex, 1, pl_positions_f32(moved, 1)), PL_OK);
      if (frame % 5 == 4) assert_int_equal(pl_body_cast(bodies[b], rays, RAYS / 2, &def, &found), PL_OK);
      if (frame % 5 == 4) assert_int_equal(pl_body_set_key_pose(bodies[b], frame % 2), PL_OK);
      if (frame % 5 == 0) assert_int_equal(pl_body_set_key_pose(bodies[b], -1), PL_OK);
      if (b == 0) {
        assert_int_equal(pl_reference_cast(bodies[b], rays, RAYS, &def, &found), PL_OK);
        want = keep(found, RAYS);
      }
      assert_int_equal(pl_body_cast(bodies[b], rays, RAYS, &def, &found), PL_OK);
      assert_same_hits(&want, found, def.mode, "moving");
      by_grid += b == 2 && pl_body_soup_method(bodies[b]) == PL_SOUP_GRID;
    }
    answer_free(&want);
  }
  assert_true(by_grid > 0 && by_grid < FRAMES); /* both are tried */
  for (int b = 0; b < BODIES; ++b) pl_context_destroy(contexts[b]);
  loose_free(&l);
  loose_free(&other);
  free(rays);
  free(xyz);
}

/* In a scene with a body that has a tree; collisions between, which use the tree of the soup. */
static void in_scenes(void **state)
{
  (void)state;
  pl_context *context = context_with(2, NULL);
  pl_ray *rays = malloc(RAYS * sizeof *rays);
  loose l = loose_make(SPREAD_EVEN, SMALL, 31), m = loose_make(SPREAD_SURFACE, SMALL / 2, 32);
  pl_body *cells = loose_body(context, &l, false, PL_SOUP_GRID, NULL);
  pl_body *trees = loose_body(context, &m, true, PL_SOUP_KEYS, NULL);
  pl_scene *scene;
  assert_int_equal(pl_scene_create(context, NULL, &scene), PL_OK);
  assert_int_equal(pl_scene_add(scene, trees, NULL), PL_OK);
  assert_int_equal(pl_scene_add(scene, cells, NULL), PL_OK);
  test_rng rng = {.state = 6};
  for (int frame = 0; frame < 4; ++frame) {
    for (int i = 0; i < RAYS; ++i) aim(&rng, &l, &rays[i]);
    for (size_t i = 0; i < 9 * l.count; ++i) l.xyz_f32[i] *= 0.9f;
    assert_int_equal(pl_body_set_positions(cells, loose_positions(&l, false)), PL_OK);
    for (int mode = 0; mode < PL_RAY_MODE_COUNT; ++mode) {
      const pl_hits *found;
      pl_ray_def def = pl_ray_def_default();
      def.mode = (pl_ray_mode)mode;
      assert_int_equal(pl_reference_scene_cast(scene, rays, RAYS, &def, &found), PL_OK);
      answer want = keep(found, RAYS);
      assert_int_equal(pl_scene_cast(scene, rays, RAYS, &def, &found), PL_OK);
      assert_same_hits(&want, found, def.mode, "scene");
      answer_free(&want);
    }
    assert_true(cells->update->pending); /* the tree was not needed */
    if (frame % 2) assert_scene_like_reference(scene, "contacts");
  }
  free(rays);
  loose_free(&l);
  loose_free(&m);
  pl_context_destroy(context);
}

/* ------------------------------------------------------------------------------------------------------ memory -- */

typedef struct ledger {
  size_t calls, bytes, returned, fail_at;
} ledger;

static void *ledger_allocate(void *user, size_t size)
{
  ledger *l = user;
  if (++l->calls == l->fail_at) return NULL;
  l->bytes += size;
  return malloc(size);
}

static void ledger_release(void *user, void *memory, size_t size)
{
  ((ledger *)user)->returned += size;
  free(memory);
}

static void memory_of_frames(void **state)
{
  (void)state;
  pl_ray *rays = malloc(RAYS * sizeof *rays);
  loose l = loose_make(SPREAD_EVEN, SMALL, 41), m = loose_make(SPREAD_SURFACE, SMALL, 42);
  test_rng rng = {.state = 9};
  for (int i = 0; i < RAYS; ++i) aim(&rng, &l, &rays[i]);
  ledger book = {0};
  pl_context_def def = pl_context_def_default();
  def.allocator = (pl_allocator){&book, ledger_allocate, ledger_release};
  def.threads = 1;
  pl_context *context;
  assert_int_equal(pl_context_create(&def, &context), PL_OK);
  pl_body *body = loose_body(context, &l, false, PL_SOUP_GRID, NULL);
  const pl_hits *found;
  pl_tree_info before, after;
  assert_int_equal(pl_body_tree_info(body, &before), PL_OK);
  int failures = 0;
  for (size_t at = 1; at < 40; ++at) { /* whichever allocation fails, the next call succeeds */
    book.fail_at = book.calls + at;
    pl_status status = pl_body_cast(body, rays, RAYS, NULL, &found);
    book.fail_at = 0;
    if (status == PL_OK) break;
    assert_int_equal(status, PL_ERROR_MEMORY);
    assert_non_null(strstr(pl_context_message(context), "no memory"));
    ++failures;
  }
  assert_true(failures > 4);
  assert_int_equal(pl_body_cast(body, rays, RAYS, NULL, &found), PL_OK);
  assert_int_equal(pl_body_tree_info(body, &after), PL_OK);
  assert_true(after.bytes > before.bytes + 8 * SMALL);
  assert_true(after.bytes < before.bytes + SMALL * (8 + 6 * GRID_DENSITY + 6 * GRID_MOST_REFERENCES) + 2000);
  for (int pass = 0; pass < 2; ++pass) {
    size_t calls = book.calls;
    for (int frame = 0; frame < 12; ++frame) {
      assert_int_equal(pl_body_set_positions(body, loose_positions(frame % 2 ? &l : &m, false)), PL_OK);
      assert_int_equal(pl_body_cast(body, rays, RAYS, NULL, &found), PL_OK);
    }
    if (pass) assert_int_equal(book.calls, calls);
  }
  pl_context_destroy(context);
  assert_int_equal(book.bytes, book.returned);
  loose_free(&l);
  loose_free(&m);
  free(rays);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(cells_of_any_spread), cmocka_unit_test(cells_by_threads),
      cmocka_unit_test(rays_of_any_spread),  cmocka_unit_test(filters),
      cmocka_unit_test(moving_rays),         cmocka_unit_test(in_scenes),
      cmocka_unit_test(memory_of_frames),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
