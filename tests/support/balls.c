#include "support/balls.h"

void balls_open(balls *s, int frequency, int threads, pl_broad broad)
{
  pl_context_def context = pl_context_def_default();
  context.threads = threads;
  balls_open_in(s, frequency, &context, broad);
}

void balls_open_in(balls *s, int frequency, const pl_context_def *context, pl_broad broad)
{
  memset(s, 0, sizeof *s);
  assert_int_equal(pl_context_create(context, &s->context), PL_OK);
  pl_scene_def d = pl_scene_def_default();
  d.broad = broad;
  assert_int_equal(pl_scene_create(s->context, &d, &s->scene), PL_OK);
  assert_true(scene_geosphere(frequency, &s->ball));
  s->xyz = malloc(3 * s->ball.vertex_count * sizeof *s->xyz);
  assert_non_null(s->xyz);
}

static pl_positions positions_of(balls *s, int i)
{
  for (size_t k = 0; k < 3 * s->ball.vertex_count; ++k) s->xyz[k] = s->ball.rest[k] + (float)s->place[i][k % 3];
  return pl_positions_f32(s->xyz, s->ball.vertex_count);
}

void balls_add(balls *s, double x, double y, bool rigid)
{
  int i = s->count++;
  assert_true(i < MOST_BALLS);
  s->place[i][0] = x;
  s->place[i][1] = y;
  pl_mesh_def mesh = pl_mesh_def_default();
  mesh.positions = positions_of(s, i);
  mesh.triangles = s->ball.triangles;
  mesh.triangle_count = s->ball.triangle_count;
  assert_int_equal(rigid ? pl_body_create_rigid(s->context, &mesh, NULL, &s->body[i])
                         : pl_body_create_free(s->context, &mesh, NULL, &s->body[i]),
                   PL_OK);
  assert_int_equal(pl_scene_add(s->scene, s->body[i], NULL), PL_OK);
}

void balls_move(balls *s, int i) { assert_int_equal(pl_body_set_positions(s->body[i], positions_of(s, i)), PL_OK); }

void balls_close(balls *s)
{
  free(s->xyz);
  scene_mesh_free(&s->ball);
  pl_context_destroy(s->context);
}

bool balls_odd_only(void *user, pl_body *a, pl_body *b, pl_pair pair)
{
  (void)user, (void)a, (void)b;
  return (pair.a + pair.b) % 2;
}
