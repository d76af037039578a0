/* Boxes of two model spaces: the separating-axis test on the six face normals only ("SAT lite", van den Bergen 1997). Each box is
 * carried into the other's space and bounded there, which is right for any invertible map, scales and mirrors included. Two boxes
 * may be called overlapping that are not, never the other way round; the margins cover the rounding of all that is computed. */

/* to_block carries q's space into the block's, to_q back. Where a map is missing (a flat model), its test is left out. */
static inline unsigned oriented_hits(const frame_change *to_block, const frame_change *to_q, const float *block,
                                     int width, const aabb *q)
{
  float centre[3], half[3];
  for (int k = 0; k < 3; ++k) {
    centre[k] = 0.5f * q->lower[k] + 0.5f * q->upper[k];
    half[k] = 0.5f * q->upper[k] - 0.5f * q->lower[k];
  }
  v8 c[3], h[3], halves = v8_set(0.5f);
  v8m apart = v8_lt(v8_set(0), v8_set(0));
  for (int k = 0; k < 3; ++k) {
    const float *m = to_block->m[k], *a = to_block->abs[k];
    float at = m[0] * centre[0] + m[1] * centre[1] + m[2] * centre[2] + to_block->t[k];
    float reach = a[0] * half[0] + a[1] * half[1] + a[2] * half[2] + to_block->margin;
    v8 lower = v8_mul(v8_load_lanes(block + k * width, width), halves);
    v8 upper = v8_mul(v8_load_lanes(block + (k + 3) * width, width), halves);
    c[k] = v8_add(lower, upper);
    h[k] = v8_sub(upper, lower);
    apart = v8m_or(apart,
                   v8_lt(v8_add(h[k], v8_set(reach)), v8_abs(v8_sub(c[k], v8_set(at))))); /* not a number: not apart */
  }
  if (v8m_bits(apart) == 0xff) return 0;
  for (int k = 0; k < 3; ++k) {
    const float *m = to_q->m[k], *a = to_q->abs[k];
    v8 at = v8_sub(v8_dot(c[0], v8_set(m[0]), c[1], v8_set(m[1]), c[2], v8_set(m[2])), v8_set(centre[k] - to_q->t[k]));
    v8 reach = v8_dot(h[0], v8_set(a[0]), h[1], v8_set(a[1]), h[2], v8_set(a[2]));
    apart = v8m_or(apart, v8_lt(v8_add(reach, v8_set(half[k] + to_q->margin)), v8_abs(at)));
  }
  return ~v8m_bits(apart) & 0xff;
}
