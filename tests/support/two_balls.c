#include "support/two_balls.h"

pl_body *balls_one(pl_context *context, const scene_mesh *ball, const double at[3], double radius, bool inside_out)
{
  float *xyz = malloc(3 * ball->vertex_count * sizeof *xyz);
  uint32_t *tri = malloc(3 * ball->triangle_count * sizeof *tri);
  for (size_t i = 0; i < 3 * ball->vertex_count; ++i) xyz[i] = (float)(radius * (double)ball->rest[i] + at[i % 3]);
  for (size_t i = 0; i < 3 * ball->triangle_count; ++i)
    tri[i] = ball->triangles[inside_out ? i / 3 * 3 + 2 - i % 3 : i];
  pl_body *body = body_of(context, xyz, ball->vertex_count, tri, ball->triangle_count, NULL);
  free(xyz);
  free(tri);
  return body;
}

/* Returns whether no memory was missing. */
static bool ask_until(balls_question ask, const scene_mesh *ball, double apart, size_t count, long until)
{
  failing memory = {.until = -1};
  pl_context_def c = pl_context_def_default();
  c.allocator = (pl_allocator){&memory, failing_allocate, failing_release};
  c.threads = 1;
  pl_context *context;
  assert_int_equal(pl_context_create(&c, &context), PL_OK);
  pl_body *a = balls_one(context, ball, (double[]){0, 0, 0}, 1, false);
  pl_body *b = balls_one(context, ball, (double[]){apart, 0.1, 0.2}, 1, false);
  const pl_result *found;
  memory.until = until;
  const pl_status status = ask(pl_two(a, b), NULL, &found);
  assert_true(status == PL_OK || (status == PL_ERROR_MEMORY && !found));
  if (status != PL_OK) assert_true(*pl_context_message(context));
  if (status == PL_OK) {
    memory.until = 0;
    assert_int_equal(ask(pl_two(a, b), NULL, &found), PL_OK);
    assert_int_equal(found->count, count);
  }
  pl_context_destroy(context);
  assert_int_equal(memory.live, 0);
  return status == PL_OK;
}

void balls_out_of_memory(balls_question ask, double apart, size_t count)
{
  scene_mesh ball;
  assert_true(scene_geosphere(2, &ball));
  long until = 0;
  while (!ask_until(ask, &ball, apart, count, until)) ++until;
  scene_mesh_free(&ball);
}
