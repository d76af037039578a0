/* Long lives: bodies of every motion play frame after frame, with questions of all kinds. The
 * memory of the context stays what it was after the first frames, to the byte, and so does the
 * work per frame, by counters. 2 000 frames; 100 000 of them, and the times, where PLIANT_SOAK
 * is set. */
#include "core/context.h"

#include "support/cast.h"
#include "support/support.h"
#include "support/worlds.h" /* after our headers: cmocka has a macro named fail */

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { WARM = 200, RAYS = 64 };

static void *take(void *user, size_t size)
{
  size_t *bytes = user;
  void *block = malloc(size);
  if (block) *bytes += size;
  return block;
}

static void give(void *user, void *block, size_t size)
{
  size_t *bytes = user;
  *bytes -= size;
  free(block);
}

static double now_ms(void)
{
  struct timespec t;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return (double)t.tv_sec * 1e3 + (double)t.tv_nsec * 1e-6;
}

static double cost_of(const pl_result *r)
{
  return (double)r->counters.n_v + (double)r->counters.n_p + (double)r->counters.n_u;
}

static double play_frame(cast_kind kind, pl_body *const body[2], const pl_ray *rays, const double (*points)[3])
{
  const pl_result *r;
  double cost = 0;
  for (int i = 0; i < 2; ++i) cast_move(kind, i, body[i]);
  assert_int_equal(pl_touching(pl_two(body[0], body[1]), NULL, &r), PL_OK);
  cost += cost_of(r);
  assert_int_equal(pl_touching(pl_self(body[0]), NULL, &r), PL_OK);
  cost += cost_of(r);
  assert_int_equal(pl_nearest(pl_two(body[0], body[1]), NULL, &r), PL_OK);
  cost += cost_of(r);
  assert_int_equal(pl_cast(pl_one(body[0]), rays, RAYS, NULL, &r), PL_OK);
  cost += cost_of(r);
  assert_int_equal(pl_closest(pl_one(body[1]), pl_positions_f64(points[0], RAYS), NULL, &r), PL_OK);
  return cost + cost_of(r);
}

static void aim(pl_ray *rays, double (*points)[3])
{
  uint32_t draw = 3;
  for (int i = 0; i < RAYS; ++i) {
    double at[3];
    for (int k = 0; k < 3; ++k) {
      draw = draw * 1664525u + 1013904223u;
      at[k] = points[i][k] = 3.0 * (double)(draw >> 8) / (1 << 24) - 1;
    }
    const double from[3] = {at[0], at[1], 6}, along[3] = {0.1 * at[1], 0.1 * at[0], -1};
    rays[i] = pl_ray_from(from, along);
  }
}

static void run_motion(cast_kind kind, int frames)
{
  size_t live = 0, bytes = 0;
  pl_context_def how = pl_context_def_default();
  how.threads = 1;
  how.allocator = (pl_allocator){&live, take, give};
  pl_context *context;
  pl_body *body[2];
  pl_ray rays[RAYS];
  double points[RAYS][3], cost[2] = {0, 0}, ms[2] = {0, 0};
  aim(rays, points);
  assert_int_equal(pl_context_create(&how, &context), PL_OK);
  for (int i = 0; i < 2; ++i) assert_int_equal(cast_create(context, kind, i, NULL, &body[i]), PL_OK);
  for (int f = 0; f < frames; ++f) {
    const double start = now_ms(), work = play_frame(kind, body, rays, (const double(*)[3])points);
    const int part = f < 2 * WARM ? 0 : 1; /* the second hundreds, and the last */
    if (f == WARM) bytes = live;
    if ((f >= WARM && f < 2 * WARM) || f >= frames - WARM) {
      cost[part] += work;
      ms[part] += now_ms() - start;
    }
  }
  if (test_soaks())
    printf("%-10s %d frames, %zu bytes, %.4f and %.4f ms a frame, %.0f and %.0f tests\n", cast_names[kind], frames,
           live, ms[0] / WARM, ms[1] / WARM, cost[0] / WARM, cost[1] / WARM);
  assert_int_equal(live, bytes);
  assert_true(cost[1] <= 1.02 * cost[0]);
  pl_context_destroy(context);
  assert_int_equal(live, 0);
}

static void memory_and_work_stay_flat(void **state)
{
  (void)state;
  for (int kind = 0; kind < CAST_COUNT; ++kind) run_motion((cast_kind)kind, test_soaks() ? 100000 : 2000);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(memory_and_work_stay_flat)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
