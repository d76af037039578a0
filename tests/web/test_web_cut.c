/* Scenes whose mesh is edited while they play: frames in any order have the contacts that a look at
 * all triangles finds, the same ones each time, and show the triangles that the body has. */
#include "web/src/stage.h"

#include "support/support.h"

#include <stdlib.h>
#include <string.h>

web_stage *web_stage_cut(pl_context *context, const char *name, int detail);

enum { FRAMES = 540, VISITS = 60 };

static size_t contacts_of(web_stage *stage)
{
  pl_question how = pl_question_default();
  how.reference = true;
  const pl_result *all;
  assert_int_equal(web_stage_touching(stage, 0), 1);
  const size_t found = (size_t)web_out_numbers[0];
  assert_int_equal(pl_touching(pl_self(stage->parts[0].body), &how, &all), PL_OK);
  assert_int_equal(found, all->count);
  return found;
}

/* What is drawn is what the body has; a triangle that it does not have is drawn as a point. */
static void check_shown(const web_stage *stage)
{
  const web_part *part = &stage->parts[0];
  const size_t count = pl_body_triangle_count(part->body);
  uint32_t *has = malloc(3 * count * sizeof *has);
  assert_non_null(has);
  assert_int_equal(pl_body_triangles(part->body, has, count), PL_OK);
  for (size_t i = 0; i < 3 * count; ++i) assert_int_equal(part->triangles[i], has[i] == PL_NONE ? 0 : has[i]);
  for (size_t i = 3 * count; i < 3 * part->triangle_count; ++i) assert_int_equal(part->triangles[i], 0);
  free(has);
}

static void play(const char *name, int detail, const int *order, int visits)
{
  pl_context *context;
  size_t seen[FRAMES], most = 0;
  for (int i = 0; i < FRAMES; ++i) seen[i] = SIZE_MAX;
  assert_int_equal(pl_context_create(NULL, &context), PL_OK);
  web_stage *stage = web_stage_cut(context, name, detail);
  assert_non_null(stage);
  assert_int_equal(web_stage_settle(stage, ""), 1);
  for (int i = 0; i < visits; ++i) {
    const int frame = order[i] % stage->frames;
    assert_int_equal(web_stage_pose(stage, frame), 1);
    const size_t found = contacts_of(stage);
    check_shown(stage);
    if (seen[frame] != SIZE_MAX) assert_int_equal(found, seen[frame]);
    seen[frame] = found;
    if (found > most) most = found;
    if (i == visits / 2) assert_int_equal(web_stage_settle(stage, "{\"strategy\": \"bottom-up\"}"), 1);
    if (i == visits / 3) assert_int_equal(web_stage_settle(stage, "{\"strategy\": \"inflate\"}"), 1);
    if (i == visits / 3) assert_true(stage->fallback);
  }
  assert_true(most > 20);
  assert_true(stage->edits > 4);
  web_stage_destroy(stage);
  pl_context_destroy(context);
}

static void scenes_that_are_cut_play_in_any_order(void **state)
{
  (void)state;
  int order[VISITS];
  uint32_t draw = 7;
  for (int i = 0; i < VISITS; ++i) {
    draw = draw * 1664525u + 1013904223u;
    order[i] = i % 3 == 2 ? order[i / 2] : (int)(draw >> 8) % FRAMES;
  }
  play("tear", 6, order, VISITS);
  play("carve", 9, order, VISITS);
}

static void every_frame_in_turn(void **state)
{
  (void)state;
  int order[FRAMES / 3];
  for (int i = 0; i < FRAMES / 3; ++i) order[i] = 3 * i;
  play("tear", 5, order, FRAMES / 3);
  play("carve", 8, order, 500 / 3);
}

static void wrong_scenes_are_refused(void **state)
{
  (void)state;
  pl_context *context;
  assert_int_equal(pl_context_create(NULL, &context), PL_OK);
  assert_null(web_stage_cut(context, "soft", 0));
  assert_null(web_stage_cut(context, "tear", 1));
  assert_null(web_stage_cut(context, "carve", -1));
  pl_context_destroy(context);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(scenes_that_are_cut_play_in_any_order),
      cmocka_unit_test(every_frame_in_turn),
      cmocka_unit_test(wrong_scenes_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
