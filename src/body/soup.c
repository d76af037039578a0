/* Triangle soups: bodies with a tree for each of some key poses. How one of them is chosen is in
 * update/keys.c. */
#include "body/body.h"

#include "core/version.h"
#include "mesh/mesh.h"
#include "update/keys.h"

#include <stdio.h>

enum { MOST_KEY_POSES = 256 };

static pl_status check_soup(pl_context *context, const pl_soup_def *s, const pl_mesh_def *mesh, const pl_body_def *d)
{
  if ((unsigned)s->method >= PL_SOUP_COUNT) return fail(context, PL_ERROR_ARGUMENT, "unknown method");
  if (s->key_pose_count < 0 || s->key_pose_count > MOST_KEY_POSES || (s->key_pose_count && !s->key_poses))
    return fail(context, PL_ERROR_ARGUMENT, "%d key poses%s: 0 to %d", s->key_pose_count,
                s->key_poses ? "" : " and no array of them", MOST_KEY_POSES);
  if (s->method == PL_SOUP_GRID && strategy_row_of(d->strategy)->model_space)
    return fail(context, PL_ERROR_UNSUPPORTED, "a grid needs world positions: use keys");
  for (int i = 0; i < s->key_pose_count; ++i) {
    if (s->key_poses[i].count != mesh->positions.count)
      return fail(context, PL_ERROR_MISMATCH, "key pose %d has %zu vertices, the mesh has %zu", i,
                  s->key_poses[i].count, mesh->positions.count);
    pl_status status = positions_check(context, s->key_poses[i]);
    if (status == PL_OK) continue;
    char why[MESSAGE_SIZE];
    snprintf(why, sizeof why, "%s", message_now(context));
    return fail(context, status, "key pose %d: %.200s", i, why);
  }
  return PL_OK;
}

int pl_body_key_pose(const pl_body *body) { return body && keys_of(&body->trees) ? body->trees.active : -1; }

pl_soup_method pl_body_soup_method(const pl_body *body)
{
  return body && forest_grid(&body->trees) ? PL_SOUP_GRID : PL_SOUP_KEYS;
}

pl_status pl_body_set_key_pose(pl_body *body, int index)
{
  if (!body) return fail_null("body");
  soup_keys *s = keys_of(&body->trees);
  if (!s) return fail(body->context, PL_ERROR_UNSUPPORTED, "the body has no key poses: see pl_body_create_soup()");
  if (index < -1 || index >= body->trees.count)
    return fail(body->context, PL_ERROR_ARGUMENT, "key pose %d of %d: -1 leaves the choice to pliant", index,
                body->trees.count);
  pl_status status = body_change(body);
  if (status != PL_OK) return status;
  s->fixed = index;
  body_chosen(body);
  return body_changed(body, PL_OK);
}

/* Every key pose gets its tree. */
static pl_status build_all(pl_body *body, const pl_mesh_def *mesh, const pl_positions *poses)
{
  pl_mesh_def shape = *mesh;
  pl_status status = PL_OK;
  for (int i = 1; i < body->trees.count && status == PL_OK; ++i) {
    shape.positions = poses[i];
    status = body_build(body, &shape, i);
  }
  return status;
}

pl_status pl_body_create_soup(pl_context *context, const pl_mesh_def *mesh_def, const pl_soup_def *soup,
                              const pl_body_def *def, pl_body **out)
{
  pl_soup_def s;
  pl_body_def d;
  pl_mesh_def shape;
  const pl_mesh_def *mesh = &shape;
  pl_body *body = NULL;
  pl_status status = body_begin(context, PL_MOTION_FREE, def, &d, out);
  if (status == PL_OK) status = mesh_take(context, mesh_def, &shape);
  if (status == PL_OK) status = def_take(context, pl_soup_def, soup, &s);
  if (status == PL_OK) status = check_soup(context, &s, mesh, &d);
  if (status != PL_OK) return status;
  const pl_positions *poses = s.key_pose_count ? s.key_poses : &mesh->positions;
  pl_mesh_def first = *mesh;
  first.positions = poses[0];
  motion m;
  motion_init(&m, PL_MOTION_FREE, mesh->positions.count, &d);
  status = body_create(context, &first, &d, &m, s.key_pose_count ? s.key_pose_count : 1, &body);
  if (status == PL_OK) status = build_all(body, mesh, poses);
  if (status == PL_OK) status = keys_create(&body->trees, s.method, poses, body->motion.transforms);
  if (status == PL_OK) status = body_set_positions(body, mesh->positions);
  return body_created(status, body, def, out);
}
