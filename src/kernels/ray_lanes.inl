/* Eight rays, or eight packets, side by side in lanes, and a fat ray around them: its two
 * origins and two inverse directions bound those of all eight. */
#include "kernels/rays.inl"

enum { PACKET = 8 };

typedef struct ray_bundle {
  /* Slabs in lanes, as in ray_slabs. */
  float near_origin[3][PACKET], far_origin[3][PACKET], near_inverse[3][PACKET], far_inverse[3][PACKET];
  /* of a lane that is done: infinite and -1, so that it meets nothing */
  float low[PACKET], high[PACKET];
  ray_slabs fat;
  float least_low, most_high; /* bounds of all low and high */
  float apart, spread;        /* of the origins, and of the directions in a time of 1 */
} ray_bundle;

static KERNEL_INLINE float lanes_greatest(const float *f)
{
  float m[4];
  v4_store(m, v4_max(v4_load(f), v4_load(f + 4)));
  return greatest(m);
}
static KERNEL_INLINE float lanes_least(const float *f)
{
  float m[4];
  v4_store(m, v4_min(v4_load(f), v4_load(f + 4)));
  return least(m);
}

/* The least and the greatest lane of each of three rows. */
static KERNEL_INLINE void rows_bounds(float row[3][PACKET], float low[4], float high[4])
{
  v8 x = v8_load(row[0]), y = v8_load(row[1]), z = v8_load(row[2]);
  v4_store(low, v8_least3(x, y, z));
  v4_store(high, v8_greatest3(x, y, z));
}

/* The part of a fat ray along an axis on which its rays go both ways. */
static void fatten_mixed(ray_bundle *b, int k)
{
  v8 near = v8_load(b->near_origin[k]), far = v8_load(b->far_origin[k]), inverse = v8_load(b->near_inverse[k]);
  v8m back = v8_lt(inverse, v8_set(0));
  float f[4][PACKET];
  v8_store(f[0], v8_max(near, far));
  v8_store(f[1], v8_min(near, far));
  v8_store(f[2], v8_select(back, v8_set(INFINITY), inverse));
  v8_store(f[3], v8_select(back, inverse, v8_set(-INFINITY)));
  b->fat.near_origin[k] = lanes_greatest(f[0]);
  b->fat.far_origin[k] = lanes_least(f[1]);
  b->fat.near_inverse[k] = lanes_least(f[2]);
  b->fat.far_inverse[k] = lanes_greatest(f[3]);
}

/* The fat ray around the lanes; `back`: the axes along which all go backward. */
static void make_fat(ray_bundle *b, unsigned back, unsigned mixed, double length)
{
  float near_low[4], near_high[4], far_low[4], far_high[4], slow_low[4], slow_high[4], fast_low[4], fast_high[4];
  rows_bounds(b->near_origin, near_low, near_high);
  rows_bounds(b->far_origin, far_low, far_high);
  rows_bounds(b->near_inverse, slow_low, slow_high);
  rows_bounds(b->far_inverse, fast_low, fast_high);
  b->fat.length = length;
  b->fat.mixed = mixed;
  b->apart = b->spread = 0;
  for (int k = 0; k < 3; ++k) {
    bool turned = back >> k & 1;
    b->fat.near_at[k] = turned ? k + 3 : k;
    b->fat.far_at[k] = turned ? k : k + 3;
    b->fat.near_origin[k] = turned ? near_low[k] : near_high[k];
    b->fat.far_origin[k] = turned ? far_high[k] : far_low[k];
    b->fat.near_inverse[k] = turned ? slow_high[k] : slow_low[k];
    b->fat.far_inverse[k] = turned ? fast_low[k] : fast_high[k];
    if (mixed >> k & 1) fatten_mixed(b, k);
    float apart = fabsf(b->fat.near_origin[k] - b->fat.far_origin[k]);
    float spread = fabsf(1 / b->fat.near_inverse[k] - 1 / b->fat.far_inverse[k]);
    b->apart = apart > b->apart ? apart : b->apart;
    b->spread = spread > b->spread ? spread : b->spread;
  }
}

/* The lanes that meet a box. */
static KERNEL_INLINE unsigned bundle_hits(const ray_bundle *b, const float *block, int width, int lane)
{
  v8 enter = v8_load(b->low), leave = v8_load(b->high);
  for (int k = 0; k < 3; ++k) {
    v8 near = v8_set(block[b->fat.near_at[k] * width + lane]), far = v8_set(block[b->fat.far_at[k] * width + lane]);
    v8 slow = v8_load(b->near_inverse[k]);
    if (b->fat.mixed >> k & 1) { /* each lane has its own near plane */
      v8m back = v8_lt(slow, v8_set(0));
      v8 lower = near;
      near = v8_select(back, far, near);
      far = v8_select(back, lower, far);
    }
    near = v8_mul(v8_sub(near, v8_load(b->near_origin[k])), slow);
    far = v8_mul(v8_sub(far, v8_load(b->far_origin[k])), v8_load(b->far_inverse[k]));
    enter = v8_max(near, enter);
    leave = v8_min(far, leave);
  }
  return v8m_bits(v8_le(enter, leave));
}

/* The lanes that have not ended before a time. */
static KERNEL_INLINE unsigned bundle_reaches(const ray_bundle *b, float t)
{
  return v8m_bits(v8_le(v8_set(t), v8_load(b->high)));
}
