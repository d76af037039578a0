/* World coordinates are finite doubles: whatever would take them further is refused by the call that asks for it. The bound is the sum of
 * sizes, so that no partial sum of points_world() overflows either; it refuses too much only within a factor of 3 of the end. */
#include "body/body.h"

#include "mesh/mesh.h"

#include <float.h>

bool body_takes_transform(const pl_body *body)
{
  return body->motion != PL_MOTION_FREE || body->def.strategy == PL_STRATEGY_BERGEN;
}

double body_reach_of(pl_positions positions)
{
  if (positions.type == PL_F32) return FLT_MAX; /* no transform takes it out of the range of double: no need to look */
  return positions_size(positions);
}

pl_status body_check_reach(const pl_body *body, double reach, const pl_transform *transform)
{
  for (int i = 0; transform && i < 3; ++i) {
    const double *m = transform->m[i];
    if (!isfinite(fabs(m[0]) * reach + fabs(m[1]) * reach + fabs(m[2]) * reach + fabs(transform->t[i])))
      return fail(body->context, PL_ERROR_POSITIONS,
                  "positions of up to %g leave the range of double along %c under the body's transform", reach,
                  "xyz"[i]);
  }
  return PL_OK;
}
