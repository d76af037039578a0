/* The uniform grid: every triangle is in the cells that its box touches and in no others, on any
 * box and distribution, within the promised memory, the same for any number of threads. */
#include "support/loose.h"

#ifdef __SANITIZE_ADDRESS__
enum { SMALL = 120, LARGE = 20000, RAYS = 160 };
#else
enum { SMALL = 300, LARGE = 40000 };
#define RAYS test_rounds(600)
#endif

/* --------------------------------------------------------------------------------- structure -- */

/* Each triangle is in all cells between those of its least and greatest coordinates, once in
 * each, ascending. */
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
  pl_context *context = loose_context(1, NULL);
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
        snprintf(what, sizeof what, "%s, %zu, %d", spread_word(s), sizes[i], doubles);
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
      pl_context *context = loose_context(1 + i, NULL);
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

/* ------------------------------------------------------------------------------------ memory -- */

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
  for (int i = 0; i < RAYS; ++i) loose_aim(&rng, &l, &rays[i]);
  ledger book = {0};
  pl_context_def def = pl_context_def_default();
  def.allocator = (pl_allocator){&book, ledger_allocate, ledger_release};
  def.threads = 1;
  pl_context *context;
  assert_int_equal(pl_context_create(&def, &context), PL_OK);
  pl_body *body = loose_body(context, &l, false, PL_SOUP_GRID, NULL);
  const pl_result *found;
  pl_body_info before, after;
  assert_int_equal(pl_body_get_info(body, true, &before), PL_OK);
  int failures = 0;
  for (size_t at = 1; at < 40; ++at) { /* whichever allocation fails, the next call succeeds */
    book.fail_at = book.calls + at;
    pl_status status = pl_cast(pl_one(body), rays, RAYS, NULL, &found);
    book.fail_at = 0;
    if (status == PL_OK) break;
    assert_int_equal(status, PL_ERROR_MEMORY);
    assert_non_null(strstr(pl_context_message(context), "no memory"));
    ++failures;
  }
  assert_true(failures > 4);
  assert_int_equal(pl_cast(pl_one(body), rays, RAYS, NULL, &found), PL_OK);
  assert_int_equal(pl_body_get_info(body, true, &after), PL_OK);
  assert_true(after.bytes > before.bytes + 8 * SMALL);
  assert_true(after.bytes < before.bytes + SMALL * (8 + 6 * GRID_DENSITY + 6 * GRID_MOST_REFERENCES) + 2000);
  for (int pass = 0; pass < 2; ++pass) {
    size_t calls = book.calls;
    for (int frame = 0; frame < 12; ++frame) {
      assert_int_equal(pl_body_set_positions(body, loose_positions(frame % 2 ? &l : &m, false)), PL_OK);
      assert_int_equal(pl_cast(pl_one(body), rays, RAYS, NULL, &found), PL_OK);
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
      cmocka_unit_test(cells_of_any_spread),
      cmocka_unit_test(cells_by_threads),
      cmocka_unit_test(memory_of_frames),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
