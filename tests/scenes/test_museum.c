/* The museum: its sizes, its key poses exactly where they are promised, neighbours that part, a
 * closed room around all of it. */
#include "support/support.h"

#include "scenes/museum.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static double away(const float *a, const float *b)
{
  return sqrt(pow((double)a[0] - b[0], 2) + pow((double)a[1] - b[1], 2) + pow((double)a[2] - b[2], 2));
}

static void key_poses(void **state)
{
  (void)state;
  museum_art art;
  assert_true(museum_art_make(MUSEUM_TRIANGLES, &art));
  assert_int_equal(art.triangle_count, MUSEUM_TRIANGLES);
  assert_int_equal(art.vertex_count, 3 * MUSEUM_TRIANGLES);
  for (uint32_t i = 0; i < art.vertex_count; ++i) assert_int_equal(art.triangles[i], i);
  size_t bytes = 3 * art.vertex_count * sizeof *art.xyz;
  museum_art_pose(&art, 0);
  assert_memory_equal(art.xyz, art.key[0], bytes);
  museum_art_pose(&art, MUSEUM_FRAMES - 1);
  assert_memory_equal(art.xyz, art.key[MUSEUM_KEYS - 1], bytes);
  assert_true(museum_time(0) == 0 && museum_time(MUSEUM_FRAMES - 1) == 4);
  for (int frame = 0; frame < MUSEUM_FRAMES; frame += 23) {
    museum_art_pose(&art, frame);
    for (size_t v = 0; v < art.vertex_count; ++v) {
      const float *p = art.xyz + 3 * v, middle[3] = {0, 2, 0};
      assert_true(isfinite(p[0]) && isfinite(p[1]) && isfinite(p[2]));
      assert_true(away(p, middle) < 1.9 && p[1] > 0.5f); /* above the plinth */
    }
  }
  museum_art_free(&art);
  museum_art_free(&art);
  museum_art_free(NULL);
}

/* Triangles of two shards side by side in one key pose are far from each other in the next, and
 * no two poses are alike. */
static void neighbours_part(void **state)
{
  (void)state;
  museum_art art;
  assert_true(museum_art_make(4096, &art));
  size_t shard = art.triangle_count / MUSEUM_SHARDS;
  for (int key = 0; key + 1 < MUSEUM_KEYS; ++key) {
    size_t near = 0, still = 0;
    for (size_t i = 0; i < art.triangle_count; i += 7) {
      size_t best = i;
      double least = INFINITY;
      for (size_t j = 0; j < art.triangle_count; ++j) {
        double d = away(art.key[key] + 9 * i, art.key[key] + 9 * j);
        if (j / shard == i / shard || d >= least) continue;
        least = d;
        best = j;
      }
      ++near;
      still += away(art.key[key + 1] + 9 * i, art.key[key + 1] + 9 * best) < 0.3;
    }
    assert_true(still * 5 < near); /* by chance, one in ten or so */
  }
  museum_art_free(&art);
}

static void the_same_every_time(void **state)
{
  (void)state;
  museum_art a, b;
  assert_true(museum_art_make(1000, &a));
  assert_true(museum_art_make(1100, &b));
  assert_int_equal(a.triangle_count, 1024);
  assert_int_equal(b.triangle_count, 1024);
  for (int k = 0; k < MUSEUM_KEYS; ++k) assert_memory_equal(a.key[k], b.key[k], 3 * a.vertex_count * sizeof(float));
  museum_art_free(&a);
  museum_art_free(&b);
  assert_false(museum_art_make(999, &a));
  assert_false(museum_art_make(-1, &a));
  assert_null(a.xyz);
}

static void the_room(void **state)
{
  (void)state;
  float low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY};
  for (int part = 0; part < MUSEUM_PARTS; ++part) {
    scene_mesh m;
    assert_true(museum_room((museum_part)part, &m));
    assert_true(m.triangle_count > 0 && m.vertex_count == 2 * m.triangle_count);
    for (size_t i = 0; i < 3 * m.triangle_count; ++i) assert_true(m.triangles[i] < m.vertex_count);
    for (size_t i = 0; i < 3 * m.vertex_count; ++i) {
      low[i % 3] = fminf(low[i % 3], m.xyz[i]);
      high[i % 3] = fmaxf(high[i % 3], m.xyz[i]);
    }
    museum_look look = museum_room_look((museum_part)part);
    assert_non_null(look.name);
    assert_true(look.mirror >= 0 && look.mirror <= 1);
    scene_mesh_free(&m);
  }
  assert_true(museum_art_look().mirror > 0.3f);
  for (int i = 0; i < MUSEUM_LIGHTS; ++i)
    for (int k = 0; k < 3; ++k) assert_true(museum_light_at(i).at[k] > low[k] && museum_light_at(i).at[k] < high[k]);
  for (int frame = 0; frame < MUSEUM_FRAMES; ++frame) {
    museum_view v = museum_camera(frame);
    assert_true(away(v.eye, v.at) > 1);
    for (int k = 0; k < 3; ++k) assert_true(v.eye[k] > low[k] && v.eye[k] < high[k]);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(key_poses), cmocka_unit_test(neighbours_part),
                                     cmocka_unit_test(the_same_every_time), cmocka_unit_test(the_room)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
