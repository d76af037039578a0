/* Boxes, cones and positions of governed patches are the same on every instruction set, to the
 * bit, for cloth, skins and particles; also where the transforms are mirrored, sheared, nearly
 * singular, singular or of very different sizes. */
#include "body/body.h"
#include "scenes/governed.h"
#include "update/patches.h"

#include "support/worlds.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SETS = 4, KINDS = 3, FRAMES = 6 };
static const char *const sets[SETS] = {"scalar", "sse2", "avx2", "neon"};

typedef struct actor {
  scene_mesh mesh;
  scene_animal animal;
  float particles[SCENE_BEAR_PARTICLES][3];
} actor;

static pl_mesh_def mesh_of_scene(const scene_mesh *m)
{
  pl_mesh_def def = pl_mesh_def_default();
  def.positions = pl_positions_f32(m->rest, m->vertex_count);
  def.triangles = m->triangles;
  def.triangle_count = m->triangle_count;
  return def;
}

static pl_body *make_body(pl_context *context, int kind, actor *a)
{
  pl_body_def def = pl_body_def_default();
  pl_mesh_def mesh = mesh_of_scene(kind == 1 ? &a->animal.mesh : &a->mesh);
  pl_body *body = NULL;
  pl_status status;
  def.strategy = PL_STRATEGY_GOVERNED;
  if (kind == 0) {
    pl_subdivide_def how = pl_subdivide_def_default();
    how.levels = 1;
    status = pl_body_create_subdivide(context, &mesh, &how, &def, &body);
  } else if (kind == 1) {
    pl_skin_def skin = pl_skin_def_default();
    skin.bone_count = SCENE_ANIMAL_BONES;
    skin.weights.vertex_count = a->animal.mesh.vertex_count;
    skin.weights.per_vertex = SCENE_ANIMAL_WEIGHTS;
    skin.weights.governors = a->animal.bones;
    skin.weights.values = a->animal.weights;
    skin.weights.type = PL_F32;
    skin.weights.normalise = true;
    status = pl_body_create_skin(context, &mesh, &skin, &def, &body);
  } else {
    pl_particles_def particles = pl_particles_def_default();
    scene_bear_rest(a->particles);
    particles.particles = pl_positions_f32(a->particles[0], SCENE_BEAR_PARTICLES);
    status = pl_body_create_points(context, &mesh, &particles, &def, &body);
  }
  if (status != PL_OK) fail_msg("%s", pl_context_message(context));
  return body;
}

/* What makes transforms hard: one column mirrored, sheared, nearly or exactly lost, or very
 * large. */
static void spoil(pl_transform *bone, int frame)
{
  static const double factor[6] = {1, -1, 1e-9, 0, 1e12, 1};
  for (int i = 0; i < 3; ++i) {
    bone->m[i][0] *= factor[frame % 6];
    if (frame % 6 == 5) bone->m[i][1] += 3 * bone->m[i][2];
  }
}

static void pose(int kind, actor *a, pl_body *body, int frame)
{
  pl_transform bones[SCENE_ANIMAL_BONES];
  double matrix[SCENE_ANIMAL_BONES][9], shift[SCENE_ANIMAL_BONES][3];
  pl_status status;
  if (kind == 0) {
    (frame % 2 ? scene_control_wrinkle : scene_control_fold)(&a->mesh, 8 * frame);
    status = pl_body_set_controls(body, pl_positions_f32(a->mesh.xyz, a->mesh.vertex_count));
  } else if (kind == 1) {
    scene_animal_run(7 * frame, matrix, shift);
    for (int k = 0; k < SCENE_ANIMAL_BONES; ++k) {
      memcpy(bones[k].m, matrix[k], sizeof bones[k].m);
      memcpy(bones[k].t, shift[k], sizeof bones[k].t);
      if (k % 3 == 0) spoil(&bones[k], frame);
    }
    status = pl_body_set_bones(body, bones, SCENE_ANIMAL_BONES);
  } else {
    scene_bear_pose(8 * frame, a->particles);
    status = pl_body_set_controls(body, pl_positions_f32(a->particles[0], SCENE_BEAR_PARTICLES));
  }
  if (status != PL_OK) fail_msg("%s", pl_context_message(body->context));
}

static void make_all(pl_body *body)
{
  const pl_result *found;
  pl_question def = pl_question_default();
  def.self_method = PL_SELF_METHOD_CONES;
  assert_int_equal(pl_touching(pl_self(body), &def, &found), PL_OK);
  patches *p = body->patches;
  for (uint32_t node = 0; p->demand && node < p->tree.nodes.inner_count; ++node)
    update_ensure(p->update, LAYER_CONES, node);
}

static void compare(const pl_body *a, const pl_body *b, const char *what)
{
  const patches *p = a->patches, *q = b->patches;
  const tree *t = &p->tree;
  assert_int_equal(p->demand, q->demand);
  for (uint32_t node = 0; node < t->nodes.inner_count; ++node) {
    if (memcmp(tree_block(t, node), tree_block(&q->tree, node), 6 * 8 * sizeof(float)) != 0)
      fail_msg("%s: other boxes below node %u", what, node);
    if (memcmp(tree_cones(t, node), tree_cones(&q->tree, node), 8 * sizeof(uint32_t)) != 0)
      fail_msg("%s: other cones below node %u", what, node);
  }
  for (uint32_t k = 0; k < t->prims.vertex_count; ++k) {
    bool here = !p->demand || p->evaluated[k] == t->frame;
    assert_int_equal(here, !q->demand || q->evaluated[k] == q->tree.frame);
    if (here && memcmp(p->positions + 4 * (size_t)k, q->positions + 4 * (size_t)k, 4 * sizeof(float)) != 0)
      fail_msg("%s: place %u is elsewhere", what, k);
  }
}

/* One frame of new bodies, whose first frame is on demand. Returns how many were compared on
 * demand. */
static int compare_frame(int kind, int frame, actor *a)
{
  pl_context *context[SETS];
  pl_body *body[SETS];
  int seen = 0;
  for (int k = 0; k < SETS; ++k) {
    char what[80];
    context[k] = context_of(sets[k]);
    body[k] = context[k] ? make_body(context[k], kind, a) : NULL;
    if (!body[k]) continue;
    snprintf(what, sizeof what, "%s, kind %d, frame %d", sets[k], kind, frame);
    pose(kind, a, body[k], frame);
    make_all(body[k]);
    if (k) compare(body[0], body[k], what);
    seen += k > 0 && body[k]->patches->demand;
  }
  for (int k = 0; k < SETS; ++k) pl_context_destroy(context[k]);
  return seen;
}

static void sets_agree(void **state)
{
  (void)state;
  int seen = 0;
  for (int kind = 0; kind < KINDS; ++kind) {
    actor a;
    memset(&a, 0, sizeof a);
    if (kind == 1)
      assert_true(scene_animal_make(2000, &a.animal));
    else
      assert_true(kind == 0 ? scene_control_cloth(&a.mesh) : scene_bear(10, &a.mesh));
    for (int frame = 0; frame < FRAMES; ++frame) seen += compare_frame(kind, frame, &a);
    scene_animal_free(&a.animal);
    if (kind != 1) scene_mesh_free(&a.mesh);
  }
  print_message("%d frames on demand compared\n", seen);
#if defined(__x86_64__) || defined(__aarch64__)
  assert_true(seen >= KINDS * FRAMES);
#endif
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(sets_agree)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
