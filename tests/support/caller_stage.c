#include "support/caller_stage.h"

#include "support/worlds.h"

#include <stdlib.h>

void caller_shape_at(caller_stage *s, int body, int frame, float *out)
{
  for (size_t v = 0; v < s->mesh.vertex_count; ++v) {
    double bump = 1 + 0.07 * (double)((v * 7 + (size_t)(frame * 3 + body)) % 5);
    for (size_t k = 0; k < 3; ++k)
      out[3 * v + k] = (float)(bump * (double)s->mesh.rest[3 * v + k] + 0.2 * (double)body * (k == (size_t)body % 3));
  }
}

void caller_stage_open(caller_stage *s, int threads)
{
  pl_context_def def = pl_context_def_default();
  def.threads = threads;
  assert_int_equal(pl_context_create(&def, &s->context), PL_OK);
  assert_int_equal(pl_scene_create(s->context, NULL, &s->scene), PL_OK);
  assert_true(scene_geosphere(STAGE_SIZE, &s->mesh));
  for (int i = 0; i < 2; ++i) s->pose[i] = malloc(3 * s->mesh.vertex_count * sizeof(float));
  for (int i = 0; i < STAGE_BODIES; ++i) {
    pl_body_def d = pl_body_def_default();
    static const pl_strategy strategies[STAGE_BODIES] = {PL_STRATEGY_HYBRID,  PL_STRATEGY_TOP_DOWN, PL_STRATEGY_HYBRID,
                                                         PL_STRATEGY_INFLATE, PL_STRATEGY_AUTO,     PL_STRATEGY_AUTO,
                                                         PL_STRATEGY_AUTO,    PL_STRATEGY_BOTTOM_UP};
    d.strategy = strategies[i];
    d.volume = i == 2 ? PL_VOLUME_KDOP14 : i == 3 ? PL_VOLUME_RSS : i == 1 ? PL_VOLUME_SPHERE : PL_VOLUME_AABB;
    d.lazy_levels = 1 + i % 3;
    d.leaf_size = 1 + i % 4;
    caller_shape_at(s, i, 0, s->pose[0]);
    caller_shape_at(s, i, 3, s->pose[1]);
    pl_positions poses[2] = {pl_positions_f32(s->pose[0], s->mesh.vertex_count),
                             pl_positions_f32(s->pose[1], s->mesh.vertex_count)};
    pl_mesh_def mesh = pl_mesh_def_default();
    mesh.positions = poses[0];
    mesh.triangles = s->mesh.triangles;
    mesh.triangle_count = s->mesh.triangle_count;
    pl_morph_def morph = pl_morph_def_default();
    pl_soup_def soup = pl_soup_def_default();
    morph.references = soup.key_poses = poses;
    morph.reference_count = soup.key_pose_count = 2;
    soup.method = PL_SOUP_GRID;
    pl_status status = i == 4   ? pl_body_create_morph(s->context, &mesh, &morph, &d, &s->bodies[i])
                       : i == 5 ? pl_body_create_rigid(s->context, &mesh, &d, &s->bodies[i])
                       : i == 6 ? pl_body_create_soup(s->context, &mesh, &soup, &d, &s->bodies[i])
                                : pl_body_create_free(s->context, &mesh, &d, &s->bodies[i]);
    assert_int_equal(status, PL_OK);
    pl_member_def member = pl_member_def_default();
    member.loose = i == 7;
    member.self = i == 2;
    for (int k = 0; k < 3; ++k) member.lower[k] = -9, member.upper[k] = 9;
    assert_int_equal(pl_scene_add(s->scene, s->bodies[i], &member), PL_OK);
    assert_int_equal(pl_body_keep_pose(s->bodies[i]), PL_OK); /* where all first contacts start */
  }
}

void caller_stage_close(caller_stage *s)
{
  pl_context_destroy(s->context);
  scene_mesh_free(&s->mesh);
  for (int i = 0; i < 2; ++i) free(s->pose[i]);
}

void caller_stage_move(caller_stage *s, int frame)
{
  for (int i = 0; i < STAGE_BODIES; ++i) {
    const double w = 0.1 * frame, weights[2] = {w, 1 - w};
    pl_transform t = pl_transform_identity();
    t.t[0] = 0.02 * frame;
    caller_shape_at(s, i, frame, s->pose[0]);
    pl_status status = i == 4 ? pl_body_set_weights(s->bodies[i], weights, 2)
                       : i == 5
                           ? pl_body_set_transform(s->bodies[i], &t)
                           : pl_body_set_positions(s->bodies[i], pl_positions_f32(s->pose[0], s->mesh.vertex_count));
    assert_int_equal(status, PL_OK);
  }
}
