/* Boxes of two model spaces: the separating-axis test on the six face normals only ("SAT lite", van den Bergen 1997). It may
 * call two boxes overlapping that are not, never the other way round; `margin` covers the rounding of all that is computed. */

static inline unsigned oriented_hits(const frame_change *f, const float *block, int width, const aabb *q)
{
  float centre[3], half[3], c[3], e[3]; /* of q, in its own frame and in the block's */
  for (int k = 0; k < 3; ++k) {
    centre[k] = 0.5f * q->lower[k] + 0.5f * q->upper[k];
    half[k] = 0.5f * q->upper[k] - 0.5f * q->lower[k];
  }
  for (int k = 0; k < 3; ++k) {
    c[k] = f->m[k][0] * centre[0] + f->m[k][1] * centre[1] + f->m[k][2] * centre[2] + f->t[k];
    e[k] = f->abs[k][0] * half[0] + f->abs[k][1] * half[1] + f->abs[k][2] * half[2] + f->margin;
  }
  v8 d[3], h[3], halves = v8_set(0.5f);
  v8m apart = v8_lt(v8_set(0), v8_set(0));
  for (int k = 0; k < 3; ++k) {
    v8 lower = v8_mul(v8_load_lanes(block + k * width, width), halves);
    v8 upper = v8_mul(v8_load_lanes(block + (k + 3) * width, width), halves);
    d[k] = v8_sub(v8_add(lower, upper), v8_set(c[k]));
    h[k] = v8_sub(upper, lower);
    apart = v8m_or(apart, v8_lt(v8_add(h[k], v8_set(e[k])), v8_abs(d[k]))); /* not a number: not apart */
  }
  if (v8m_bits(apart) == 0xff) return 0;
  for (int k = 0; k < 3; ++k) { /* q's own axes are the columns of m */
    v8 along = v8_dot(d[0], v8_set(f->m[0][k]), d[1], v8_set(f->m[1][k]), d[2], v8_set(f->m[2][k]));
    v8 reach = v8_dot(h[0], v8_set(f->abs[0][k]), h[1], v8_set(f->abs[1][k]), h[2], v8_set(f->abs[2][k]));
    apart = v8m_or(apart, v8_lt(v8_add(reach, v8_set(half[k] + f->margin)), v8_abs(along)));
  }
  return ~v8m_bits(apart) & 0xff;
}
