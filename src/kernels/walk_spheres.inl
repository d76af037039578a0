/* Walks of spheres: eq. 6.7 of the thesis gives them, and their own test is four subtractions and products. Between two spaces the centre
 * is carried over, and the radius grows by the map's greatest stretch.
 *
 * Rounding. With u = 2^-24, the squared distance and the squared sum of radii are right to 8 u of themselves; the radii are taken
 * 2^-18 larger. What the map loses is in its margin, once per axis, so less than 2 margins of a distance. Squares that are
 * too small for float lose at most 2^-145. */

typedef struct sphere_lane {
  float c[3], r;
} sphere_lane;

static KERNEL_INLINE sphere_lane sphere_of(const tree *t, uint32_t node, int lane)
{
  const float *s = tree_shapes(t, node) + lane;
  const int width = t->width;
  return (sphere_lane){{s[0], s[width], s[2 * width]}, s[3 * width]};
}

/* Spheres of a block that come within r of c. */
static KERNEL_INLINE unsigned ball_hits_of(const float *s, const int width, const float c[3], float r)
{
  v8 x = v8_sub(v8_load_lanes(s, width), v8_set(c[0])), y = v8_sub(v8_load_lanes(s + width, width), v8_set(c[1])),
     z = v8_sub(v8_load_lanes(s + 2 * width, width), v8_set(c[2]));
  v8 reach = v8_mul(v8_add(v8_load_lanes(s + 3 * width, width), v8_set(r)), v8_set(1 + 0x1p-18f));
  v8m apart =
      v8_lt(v8_add(v8_mul(reach, reach), v8_set(0x1p-126f)), v8_dot(x, x, y, y, z, z)); /* not a number: not apart */
  return ~v8m_bits(apart) & 0xff;
}
static KERNEL_INLINE unsigned ball_hits(const float *s, int width, const float c[3], float r)
{
  return width == 8 ? ball_hits_of(s, 8, c, r) : width == 4 ? ball_hits_of(s, 4, c, r) : ball_hits_of(s, 2, c, r);
}

#define WALK walk_spheres
#define VOLUME sphere_lane
#define VOLUME_OF sphere_of
#define HITS(w, side, t, node, q) ball_hits(tree_shapes(t, node), (t)->width, (q)->c, (q)->r)
#include "kernels/walk.inl"

/* Where a space is flat, it has no way back: all of it is near then. */
static inline unsigned placed_ball_hits(const frame_change *f, const float *s, int width, const sphere_lane *q)
{
  float c[3];
  for (int k = 0; k < 3; ++k) c[k] = f->m[k][0] * q->c[0] + f->m[k][1] * q->c[1] + f->m[k][2] * q->c[2] + f->t[k];
  return ball_hits(s, width, c, f->stretch * q->r + 2 * f->margin);
}

#define WALK walk_placed_spheres
#define VOLUME sphere_lane
#define VOLUME_OF sphere_of
#define HITS(w, side, t, node, q) placed_ball_hits(TO_BLOCK(w, side), tree_shapes(t, node), (t)->width, q)
#include "kernels/walk.inl"
