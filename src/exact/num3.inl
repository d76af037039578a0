/* Vectors of `num`: one number (exact/number.h) or lanes of doubles (math/number_lanes.h), the same
 * bits from both. Included where `num` is defined. */
#ifndef EXACT_NUM3_INL
#define EXACT_NUM3_INL

typedef struct num3 {
  num x, y, z;
} num3;

static inline num3 num3_sub(num3 a, num3 b) { return (num3){num_sub(a.x, b.x), num_sub(a.y, b.y), num_sub(a.z, b.z)}; }

static inline num num3_dot(num3 a, num3 b)
{
  return num_add(num_add(num_mul(a.x, b.x), num_mul(a.y, b.y)), num_mul(a.z, b.z));
}

static inline num3 num3_cross(num3 a, num3 b)
{
  return (num3){num_sub(num_mul(a.y, b.z), num_mul(a.z, b.y)), num_sub(num_mul(a.z, b.x), num_mul(a.x, b.z)),
                num_sub(num_mul(a.x, b.y), num_mul(a.y, b.x))};
}

static inline num3 num3_select(num_mask m, num3 yes, num3 no)
{
  return (num3){num_select(m, yes.x, no.x), num_select(m, yes.y, no.y), num_select(m, yes.z, no.z)};
}

#endif
