/* New positions and transforms for a body: checked whole, then taken over; volumes are refitted
 * later. */
#include "body/body.h"

#include <string.h>

/* The functions that set positions are for bodies whose vertices move in any way. */
static pl_status check_free(const pl_body *body)
{
  const char *instead = body->motion.kind->instead;
  if (!instead) return PL_OK;
  return fail(body->context, PL_ERROR_UNSUPPORTED, "a %s body keeps its shape: set %s instead",
              pl_word(PL_WORDS_MOTION, body->motion.name), instead);
}

pl_status body_set_positions(pl_body *body, pl_positions positions)
{
  pl_status status = motion_set_positions(body->context, &body->motion, positions);
  if (status == PL_OK) body_moved(body);
  return status;
}

static pl_status set_positions(pl_body *body, pl_positions positions)
{
  const pl_status status = check_free(body);
  if (status != PL_OK) return status;
  return body->motion.kind->traits & MOTION_MATCHED ? body_match_positions(body, positions)
                                                    : body_set_positions(body, positions);
}

pl_status pl_body_set_positions(pl_body *body, pl_positions positions)
{
  const pl_status status = body_change(body);
  return status == PL_OK ? body_changed(body, set_positions(body, positions)) : status;
}

static pl_status set_vertices(pl_body *body, const uint32_t *vertices, size_t count, pl_positions positions)
{
  pl_context *context = body->context;
  pl_status status = check_free(body);
  if (status == PL_OK && body->motion.kind->traits & MOTION_MATCHED)
    status = fail(context, PL_ERROR_UNSUPPORTED, "a body that matches shapes is fitted as a whole: set all positions");
  if (status == PL_OK) status = motion_check_vertices(context, &body->motion, vertices, count, positions);
  if (status == PL_OK) status = forest_make_fans(&body->trees);
  bool rescaled = false;
  if (status == PL_OK) status = motion_set_vertices(context, &body->motion, vertices, count, positions, &rescaled);
  if (status != PL_OK) return status;
  if (rescaled) {
    body_moved(body);
    return PL_OK;
  }
  if (count) {
    ++body->moves;
    forest_moved(&body->trees);
  }
  update_vertices(body->update, vertices, count);
  return PL_OK;
}

pl_status pl_body_set_vertices(pl_body *body, const uint32_t *vertices, size_t count, pl_positions positions)
{
  const pl_status status = body_change(body);
  return status == PL_OK ? body_changed(body, set_vertices(body, vertices, count, positions)) : status;
}

pl_status pl_body_set_transform(pl_body *body, const pl_transform *transform)
{
  if (!body) return fail_null("body");
  if (!transform) return fail(body->context, PL_ERROR_ARGUMENT, "transform is NULL");
  if (!body->motion.transforms)
    return fail(body->context, PL_ERROR_UNSUPPORTED,
                "a %s body takes no transform, as its positions are in the world: rigid and morphing bodies do",
                pl_word(PL_WORDS_MOTION, body->motion.name));
  pl_status status = body_change(body);
  if (status != PL_OK) return status;
  const pl_transform *now = body->motion.now.transform;
  /* the same transform again moves nothing */
  if (!now || memcmp(now, transform, sizeof *now)) ++body->moves;
  return body_changed(body, motion_set_transform(body->context, &body->motion, transform));
}
