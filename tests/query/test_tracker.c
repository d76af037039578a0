/* Regions over frames: ids stay, regions are born, merge, split and end, and those of a
 * reference pose are known. */
#include "support/distances.h"

#include <math.h>

static const uint32_t box_tri[] = {0, 2, 1, 1, 2, 3, 0, 1, 4, 1, 5, 4, 0, 4, 2, 2, 4, 6,
                                   1, 3, 5, 3, 7, 5, 2, 6, 3, 3, 6, 7, 4, 5, 6, 5, 7, 6};

static void set_box(float *xyz, double x, double y, double z, double sx, double sy, double sz)
{
  const double low[3] = {x, y, z}, size[3] = {sx, sy, sz};
  for (int v = 0; v < 8; ++v)
    for (int k = 0; k < 3; ++k) xyz[3 * v + k] = (float)(low[k] + (v >> k & 1 ? size[k] : 0));
}

/* Pegs of one body over the plate of another. */
enum { PEGS = 3 };

typedef struct stage {
  pl_context *context;
  pl_body *plate, *pegs;
  float xyz[24 * PEGS];
  pl_tracker *tracker;
} stage;

static void stage_open(stage *s)
{
  uint32_t tri[36 * PEGS];
  float plate[24];
  s->context = context_of(NULL);
  set_box(plate, -10, -10, -1, 30, 20, 1);
  for (uint32_t i = 0; i < 36 * PEGS; ++i) tri[i] = box_tri[i % 36] + 8 * (i / 36);
  for (int i = 0; i < PEGS; ++i) set_box(s->xyz + 24 * i, 4 * i + 0.1, 0.2, 1, 1, 1, 5);
  s->plate = body_of(s->context, plate, 8, box_tri, 12, NULL);
  s->pegs = body_of(s->context, s->xyz, 8 * PEGS, tri, 12 * PEGS, NULL);
  assert_int_equal(pl_tracker_create(s->context, &s->tracker), PL_OK);
}

/* Heights of the pegs' lower ends. */
static const pl_result *pose(stage *s, double a, double b, double c)
{
  const double z[PEGS] = {a, b, c};
  for (int i = 0; i < PEGS; ++i) set_box(s->xyz + 24 * i, 4 * i + 0.1, 0.2, z[i], 1, 1, 5);
  assert_int_equal(pl_body_set_positions(s->pegs, pl_positions_f32(s->xyz, 8 * PEGS)), PL_OK);
  const pl_result *found;
  assert_int_equal(pl_regions(pl_two(s->pegs, s->plate), NULL, &found), PL_OK);
  return found;
}

static const pl_result *follow(stage *s, double a, double b, double c)
{
  const pl_result *out;
  if (pl_tracker_follow(s->tracker, pose(s, a, b, c), &out) != PL_OK) fail_msg("%s", pl_context_message(s->context));
  return out;
}

static void ids_and_reference(void **state)
{
  (void)state;
  stage s;
  stage_open(&s);
  assert_int_equal(pl_tracker_set_reference(s.tracker, pose(&s, -0.25, 1, 1)), PL_OK);
  const pl_result *t = follow(&s, -0.25, 1, 1);
  assert_int_equal(t->count, 1);
  assert_true(t->tracks[0].born && t->tracks[0].known && t->tracks[0].known_depth == 0.25 && t->tracks[0].age == 0);
  uint32_t first = t->tracks[0].id;
  t = follow(&s, -0.5, 1, -0.125); /* the first goes deeper, another is born */
  assert_int_equal(t->count, 2);
  assert_true(t->tracks[0].id == first && !t->tracks[0].born && t->tracks[0].last_depth == 0.25 &&
              t->tracks[0].age == 1);
  assert_true(t->tracks[1].born && !t->tracks[1].known && t->tracks[1].id != first && t->ended_count == 0);
  uint32_t second = t->tracks[1].id;
  t = follow(&s, 1, 1, -0.25); /* the first ends */
  assert_true(t->count == 1 && t->tracks[0].id == second && t->ended_count == 1);
  assert_true(t->ended[0].id == first && t->ended[0].into == 0);
  t = follow(&s, -0.25, 1, -0.25); /* and comes back as another one */
  assert_true(t->count == 2 && t->tracks[0].born && t->tracks[0].known && t->tracks[0].id > second &&
              t->tracks[1].age == 2);
  const pl_result *none;
  assert_int_equal(pl_tracker_follow(NULL, NULL, &none), PL_ERROR_ARGUMENT);
  assert_refused(s.context, pl_tracker_follow(s.tracker, NULL, &none), PL_ERROR_ARGUMENT, "regions is NULL");
  assert_refused(s.context, pl_tracker_follow(s.tracker, t, &none), PL_ERROR_ARGUMENT, "no result of pl_regions");
  assert_refused(s.context, pl_tracker_set_reference(s.tracker, t), PL_ERROR_ARGUMENT, "no result of pl_regions");
  pl_tracker_destroy(s.tracker);
  pl_context_destroy(s.context);
}

/* A sheet with two dents sinks into a block and comes back: the regions of the dents merge and
 * split. */
static void merges_and_splits(void **state)
{
  (void)state;
  enum { N = 24, VERTICES = (N + 1) * (N + 1) };
  static const double height[] = {1.5, 0.5, 0.05, 0.5, 1.5};
  float block[24], xyz[3 * VERTICES] = {0};
  uint32_t tri[6 * N * N], ids[2] = {0, 0}, together = 0;
  pl_context *context = context_of(NULL);
  for (uint32_t i = 0; i < N * N; ++i) {
    uint32_t v = i / N * (N + 1) + i % N;
    const uint32_t quad[6] = {v, v + N + 1, v + 1, v + 1, v + N + 1, v + N + 2};
    for (uint32_t k = 0; k < 6; ++k) tri[6 * i + k] = quad[k];
  }
  set_box(block, -9, -10, -5, 20, 20, 5);
  pl_body *below = body_of(context, block, 8, box_tri, 12, NULL),
          *sheet = body_of(context, xyz, VERTICES, tri, 2 * N * N, NULL);
  pl_tracker *tracker;
  assert_int_equal(pl_tracker_create(context, &tracker), PL_OK);
  for (int step = 0; step < 5; ++step) {
    for (int v = 0; v < VERTICES; ++v) {
      double x = 4.0 * (v / (N + 1)) / N - 2.01, y = 4.0 * (v % (N + 1)) / N - 2.02;
      double dents = exp(-4 * ((x - 0.8) * (x - 0.8) + y * y)) + 0.9 * exp(-4 * ((x + 0.8) * (x + 0.8) + y * y));
      xyz[3 * v] = (float)x;
      xyz[3 * v + 1] = (float)y;
      xyz[3 * v + 2] = (float)(height[step] - dents);
    }
    const pl_result *found;
    const pl_result *t;
    assert_int_equal(pl_body_set_positions(sheet, pl_positions_f32(xyz, VERTICES)), PL_OK);
    assert_int_equal(pl_regions(pl_two(sheet, below), NULL, &found), PL_OK);
    assert_int_equal(pl_tracker_follow(tracker, found, &t), PL_OK);
    assert_int_equal(t->count, step == 0 || step == 4 ? 0 : step == 2 ? 1 : 2);
    if (step == 1) {
      assert_true(t->tracks[0].born && t->tracks[1].born);
      ids[0] = t->tracks[0].id;
      ids[1] = t->tracks[1].id;
    } else if (step == 2) {
      together = t->tracks[0].id;
      assert_true((together == ids[0] || together == ids[1]) && t->tracks[0].merged == 1 && !t->tracks[0].born);
      assert_true(t->ended_count == 1 && t->ended[0].into == together && t->ended[0].id == ids[0] + ids[1] - together);
    } else if (step == 3) {
      int heir = t->tracks[0].id == together ? 0 : 1;
      assert_true(t->tracks[heir].id == together && t->tracks[heir].age == 2 && t->tracks[heir].parent == 0);
      assert_true(t->tracks[!heir].parent == together && !t->tracks[!heir].born && t->tracks[!heir].id > ids[1]);
    } else if (step == 4) {
      assert_true(t->ended_count == 2 && t->ended[0].into == 0 && t->ended[0].id < t->ended[1].id);
    }
  }
  pl_context_destroy(context);
}

static void out_of_memory(void **state)
{
  (void)state;
  float a[24], b[24];
  set_box(a, 0, 0, 0, 2, 2, 2);
  set_box(b, 1.1, 1.2, 1.3, 2, 2, 2);
  for (long until = 0;; ++until) {
    failing memory = {.until = -1};
    pl_context_def c = pl_context_def_default();
    c.allocator = (pl_allocator){&memory, failing_allocate, failing_release};
    c.threads = 1;
    pl_context *context;
    pl_tracker *tracker = NULL;
    const pl_result *found;
    const pl_result *t = NULL;
    assert_int_equal(pl_context_create(&c, &context), PL_OK);
    pl_body *x = body_of(context, a, 8, box_tri, 12, NULL), *y = body_of(context, b, 8, box_tri, 12, NULL);
    assert_int_equal(pl_regions(pl_two(x, y), NULL, &found), PL_OK);
    memory.until = until;
    pl_status status = pl_tracker_create(context, &tracker);
    for (int i = 0; i < 2 && status == PL_OK; ++i) status = pl_tracker_follow(tracker, found, &t);
    assert_true(status == PL_OK || status == PL_ERROR_MEMORY);
    if (status == PL_OK) {
      memory.until = 0;
      assert_int_equal(pl_tracker_follow(tracker, found, &t), PL_OK);
      assert_true(t->count == 1 && t->tracks[0].age == 2);
    }
    pl_context_destroy(context); /* and the tracker */
    assert_int_equal(memory.live, 0);
    if (status == PL_OK) break;
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(ids_and_reference), cmocka_unit_test(merges_and_splits),
                                     cmocka_unit_test(out_of_memory)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
