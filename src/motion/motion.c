/* The table of motions, and what all of them share: the transform, and the reach of world
 * coordinates. */
#include "motion/motion.h"

#include "core/kinds.h"
#include "core/parts.h"

#include <math.h>
#include <string.h>

#define MOTION_ROW(name, word) extern const motion_kind pl_inside_motion_##name LEFT_OUT;
MOTION_LIST(MOTION_ROW)
#undef MOTION_ROW

const motion_kind *motion_kind_of(pl_motion name)
{
  static const motion_kind *const rows[] = {
#define MOTION_ROW(name, word) [PL_MOTION_##name] = &pl_inside_motion_##name,
      MOTION_LIST(MOTION_ROW)
#undef MOTION_ROW
  };
  return rows[name];
}

void motion_init(motion *m, pl_motion name, size_t vertex_count, const pl_body_def *def)
{
  const motion_kind *kind = motion_kind_of(name);
  *m = (motion){.kind = kind,
                .name = name,
                .vertex_count = vertex_count,
                .now = {.evaluate = kind->evaluate},
                .transforms = kind->traits & MOTION_TRANSFORMS,
                .transform = pl_transform_identity(),
                .borrow = def->borrow};
}

void motion_free(pl_context *context, motion *m)
{
  if (m->controls && m->kind->destroy) m->kind->destroy(context, m->controls);
  mem_free(&context->def.allocator, m->copy);
  memset(m, 0, sizeof *m);
}

/* The bound is the sum of sizes, so that no partial sum of points_world() overflows either; it
 * refuses valid input only within a factor of 3 of the end of double's range. */
pl_status motion_check_reach(pl_context *context, const motion *m, double reach, const pl_transform *transform)
{
  for (int i = 0; transform && i < 3; ++i) {
    const double *row = transform->m[i];
    if (!isfinite(fabs(row[0]) * reach + fabs(row[1]) * reach + fabs(row[2]) * reach + fabs(transform->t[i])))
      return fail(context, PL_ERROR_POSITIONS,
                  "positions of up to %g leave the range of double along %c under the body's transform", reach,
                  "xyz"[i]);
  }
  return PL_OK;
}

void motion_place(motion *m)
{
  m->moved_space = m->now.transform || m->now.exponent;
  m->to_world = m->transform;
  for (int i = 0; m->now.exponent && i < 9; ++i)
    m->to_world.m[i / 3][i % 3] = ldexp(m->to_world.m[i / 3][i % 3], m->now.exponent);
}

/* Boxes are compared, squared and transformed in float. The largest exponent keeps the scale
 * itself finite. */
int motion_exponent(double size)
{
  const double least = 0x1p-80, most = 0x1p100;
  if (!(size > 0) || (size >= least && size < most)) return 0;
  int exponent = ilogb(size);
  return exponent < -1000 ? -1000 : exponent;
}

void motion_set_reach(motion *m, double reach)
{
  m->reach = reach;
  m->now.exponent = motion_exponent(reach);
  motion_place(m);
}

pl_status motion_set_transform(pl_context *context, motion *m, const pl_transform *transform)
{
  for (int i = 0; i < 3; ++i) {
    if (!isfinite(transform->t[i]))
      return fail(context, PL_ERROR_ARGUMENT, "the transform's shift is not finite along %c", "xyz"[i]);
    for (int j = 0; j < 3; ++j)
      if (!(fabs(transform->m[i][j]) <= 1e100)) /* so that floats need no further check */
        return fail(context, PL_ERROR_ARGUMENT, "the transform's matrix is %s in row %d, column %d",
                    isfinite(transform->m[i][j]) ? "too large" : "not finite", i, j);
  }
  pl_status status = motion_check_reach(context, m, m->reach, transform);
  if (status != PL_OK) return status;
  m->transform = *transform;
  m->now.transform = &m->transform;
  motion_place(m);
  return PL_OK;
}
