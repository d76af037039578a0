/* What rays hit through the uniform grid equals brute force, closest, any and all, for soups
 * spread in many ways. */
#include "support/loose.h"
#include "support/probes.h"

#ifdef __SANITIZE_ADDRESS__
enum { SMALL = 120, LARGE = 20000, RAYS = 160 };
#else
enum { SMALL = 300, LARGE = 40000 };
#define RAYS test_rounds(600)
#endif

/* The hits of the reference, kept while others are asked for. */
typedef struct answer {
  pl_hit *hits;
  size_t *first;
  size_t count, total;
} answer;

static answer keep(const pl_result *h, size_t count)
{
  answer a = {.count = count, .total = h->offsets ? h->offsets[count] : count};
  a.hits = malloc((a.total + 1) * sizeof *a.hits);
  a.first = malloc((count + 1) * sizeof *a.first);
  if (a.total) memcpy(a.hits, h->hits, a.total * sizeof *a.hits);
  for (size_t i = 0; i <= count; ++i) a.first[i] = h->offsets ? h->offsets[i] : i;
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

static void assert_same_hits(const answer *want, const pl_result *got, pl_ray_mode mode, const char *what)
{
  assert_int_equal(got->done, want->count);
  for (size_t i = 0; i < want->count; ++i) {
    size_t first = got->offsets ? got->offsets[i] : i, n = want->first[i + 1] - want->first[i];
    if (got->offsets && got->offsets[i + 1] - first != n)
      fail_msg("%s: ray %zu has %zu hits, not %zu", what, i, got->offsets[i + 1] - first, n);
    for (size_t k = 0; k < n; ++k) {
      const pl_hit *a = &want->hits[want->first[i] + k], *b = &got->hits[first + k];
      if (mode == PL_RAY_MODE_ANY ? (a->triangle == PL_NONE) != (b->triangle == PL_NONE) : !same_hit(a, b))
        fail_msg("%s: %s ray %zu: triangle %u at %.17g, not %u at %.17g", what, pl_word(PL_WORDS_RAY, mode), i,
                 b->triangle, b->t, a->triangle, a->t);
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
      pl_context *context = loose_context(1, sets[s % 3]);
      if (!context) continue;
      loose l = loose_make((spread)s, SMALL, 77 + (uint64_t)s);
      pl_body *trees = loose_body(context, &l, doubles, PL_SOUP_KEYS, NULL);
      pl_body *cells = loose_body(context, &l, doubles, PL_SOUP_GRID, NULL);
      test_rng rng = {.state = 1000 + (uint64_t)s};
      for (int i = 0; i < RAYS; ++i) loose_aim(&rng, &l, &rays[i]);
      for (int mode = 0; mode < PL_RAY_MODE_COUNT; ++mode) {
        const pl_result *found;
        pl_question def = pl_question_default();
        def.ray_mode = (pl_ray_mode)mode;
        assert_int_equal(reference_cast(pl_one(cells), rays, RAYS, &def, &found), PL_OK);
        answer want = keep(found, RAYS);
        if (s != SPREAD_POINT && s != SPREAD_ENDLESS && hits_in(&want) < (size_t)RAYS / 20)
          fail_msg("%s: only %zu hits", spread_word(s), hits_in(&want));
        assert_int_equal(pl_cast(pl_one(cells), rays, RAYS, &def, &found), PL_OK);
        assert_same_hits(&want, found, def.ray_mode, spread_word(s));
        assert_int_equal(pl_body_soup_method(cells), PL_SOUP_GRID);
        assert_int_equal(pl_cast(pl_one(trees), rays, RAYS, &def, &found), PL_OK);
        assert_same_hits(&want, found, def.ray_mode, spread_word(s));
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
  pl_context *context = loose_context(1, NULL);
  pl_ray *rays = malloc(RAYS * sizeof *rays);
  const spread kinds[] = {SPREAD_EVEN, SPREAD_SLIVERS, SPREAD_LATTICE};
  for (int s = 0; s < 3; ++s) {
    loose l = loose_make(kinds[s], SMALL, 3);
    pl_body *cells = loose_body(context, &l, false, PL_SOUP_GRID, NULL);
    test_rng rng = {.state = 4};
    for (int i = 0; i < RAYS; ++i) loose_aim(&rng, &l, &rays[i]);
    for (int mode = 0; mode < PL_RAY_MODE_COUNT; ++mode) {
      seen counts = {.last = calloc(SMALL, sizeof *counts.last)};
      pl_question def = pl_question_default();
      def.ray_mode = (pl_ray_mode)mode;
      def.hit_filter = only_odd;
      def.user = &counts;
      const pl_result *found;
      assert_int_equal(reference_cast(pl_one(cells), rays, RAYS, &def, &found), PL_OK);
      answer want = keep(found, RAYS);
      memset(counts.last, 0, SMALL * sizeof *counts.last);
      counts.twice = false;
      assert_int_equal(pl_cast(pl_one(cells), rays, RAYS, &def, &found), PL_OK);
      assert_same_hits(&want, found, def.ray_mode, "filter");
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

/* Moving: positions, single vertices, key poses; the grid is never stale. Threads and auto give
 * the same bytes. */
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
    contexts[b] = loose_context(b == 3 ? 3 : 1, NULL);
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
    for (int i = 0; i < RAYS; ++i) loose_aim(&rng, &l, &rays[i]);
    answer want = {0};
    for (int b = 0; b < BODIES; ++b) {
      const pl_result *found;
      float moved[3] = {0.1f * (float)frame, 0, 0};
      pl_question def = pl_question_default();
      def.ray_mode = frame % 2 ? PL_RAY_MODE_ALL : PL_RAY_MODE_CLOSEST;
      assert_int_equal(pl_body_set_positions(bodies[b], pl_positions_f32(xyz, 3 * SMALL)), PL_OK);
      if (frame % 3 == 1) assert_int_equal(pl_cast(pl_one(bodies[b]), rays, RAYS / 2, &def, &found), PL_OK);
      if (frame % 3) assert_int_equal(pl_body_set_vertices(bodies[b], &vertex, 1, pl_positions_f32(moved, 1)), PL_OK);
      if (frame % 5 == 4) assert_int_equal(pl_cast(pl_one(bodies[b]), rays, RAYS / 2, &def, &found), PL_OK);
      if (frame % 5 == 4) assert_int_equal(pl_body_set_key_pose(bodies[b], frame % 2), PL_OK);
      if (frame % 5 == 0) assert_int_equal(pl_body_set_key_pose(bodies[b], -1), PL_OK);
      if (b == 0) {
        assert_int_equal(reference_cast(pl_one(bodies[b]), rays, RAYS, &def, &found), PL_OK);
        want = keep(found, RAYS);
      }
      assert_int_equal(pl_cast(pl_one(bodies[b]), rays, RAYS, &def, &found), PL_OK);
      assert_same_hits(&want, found, def.ray_mode, "moving");
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
  pl_context *context = loose_context(2, NULL);
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
    for (int i = 0; i < RAYS; ++i) loose_aim(&rng, &l, &rays[i]);
    for (size_t i = 0; i < 9 * l.count; ++i) l.xyz_f32[i] *= 0.9f;
    assert_int_equal(pl_body_set_positions(cells, loose_positions(&l, false)), PL_OK);
    for (int mode = 0; mode < PL_RAY_MODE_COUNT; ++mode) {
      const pl_result *found;
      pl_question def = pl_question_default();
      def.ray_mode = (pl_ray_mode)mode;
      assert_int_equal(reference_cast(pl_all(scene), rays, RAYS, &def, &found), PL_OK);
      answer want = keep(found, RAYS);
      assert_int_equal(pl_cast(pl_all(scene), rays, RAYS, &def, &found), PL_OK);
      assert_same_hits(&want, found, def.ray_mode, "scene");
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

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(rays_of_any_spread),
      cmocka_unit_test(filters),
      cmocka_unit_test(moving_rays),
      cmocka_unit_test(in_scenes),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
