/* What a caller can read of a body's spheres. */
#include "query/spheres/contacts.h"

int pl_body_sphere_levels(const pl_body *body) { return body && body->spheres ? body->spheres->levels : 0; }

size_t pl_body_sphere_count(const pl_body *body, int level)
{
  if (!body || !body->spheres || level < 0 || level >= body->spheres->levels) return 0;
  return (size_t)body->spheres->branches << level;
}

static pl_status check_level(const pl_body *body, int level)
{
  pl_status status = contact_check_body(body);
  if (status == PL_OK && (level < 0 || level >= body->spheres->levels))
    status = fail(body->context, PL_ERROR_ARGUMENT, "level %d of %d", level, body->spheres->levels);
  return status;
}

pl_status pl_body_spheres(pl_body *body, int level, pl_sphere *out, size_t capacity)
{
  if (!body) return fail_null("body");
  pl_status status = check_level(body, level);
  if (status == PL_OK && !out) status = query_refuse_null(body->context, "spheres");
  size_t count = pl_body_sphere_count(body, level);
  if (status == PL_OK && capacity < count)
    status = fail(body->context, PL_ERROR_BUFFER, "room for %zu spheres, %zu are needed", capacity, count);
  call c;
  if (status == PL_OK) status = body_query(&c, body);
  if (status != PL_OK) return status;
  const contact_body b = {.body = body, .spheres = body->spheres};
  uint64_t refitted = 0;
  for (size_t i = 0; i < count; ++i) {
    float at[4];
    contact_sphere(&b, level, (uint32_t)i, &refitted, at);
    out[i] = (pl_sphere){{at[0], at[1], at[2]}, at[3]};
  }
  call_query_end(&c);
  return PL_OK;
}

pl_status pl_body_sphere_node(pl_body *body, int level, size_t node, pl_sphere_node *out)
{
  if (!body) return fail_null("body");
  pl_status status = check_level(body, level);
  if (status == PL_OK && !out) status = query_refuse_null(body->context, "out");
  if (status == PL_OK && node >= pl_body_sphere_count(body, level))
    status = fail(body->context, PL_ERROR_ARGUMENT, "sphere %zu of %zu", node, pl_body_sphere_count(body, level));
  if (status != PL_OK) return status;
  const spheres *s = body->spheres;
  uint32_t lane = contact_lane(s, level, (uint32_t)node), branch = (uint32_t)(node >> level), begin, end;
  const float *ball = s->level[level].rest + (size_t)(lane / 8) * BALL_LANES + lane % 8;
  const float *inner = s->level[level].inner + (size_t)(lane / 8) * BALL_INNER + lane % 8;
  spheres_range(s, level, branch, (uint32_t)(node & (((size_t)1 << level) - 1)), &begin, &end);
  *out = (pl_sphere_node){
      .points = s->order + begin, .count = end - begin, .cluster = branch, .rest_radius = (double)ball[24]};
  for (uint32_t i = begin; i < end; ++i) out->mass += s->match->mass[s->order[i]];
  for (int k = 0; k < 3; ++k) {
    out->rest_centre[k] = (double)ball[8 * k];
    out->inner[k] = (double)inner[8 * k];
    out->surface[k] = (double)inner[24 + 8 * k];
  }
  return PL_OK;
}
