/* Is the border of a patch, whose triangles all face one direction v, a simple polygon when it
 * is projected along v? Then no two triangles of the patch meet but in common vertices and
 * edges: docs/self-collision.md has the proof. Three sufficient tests:
 *   star      seen from some point every edge turns counter-clockwise, and all of them together
 *             once around
 *   monotone  along some direction the corners rise once and fall once
 *   apart     no two edges meet but neighbours in their common corner: blocks of eight edges
 *             that all rise along one of eight directions, or that a line along one of them
 *             divides; then boxes of edges, then lines through edges
 * Invariant: true is always right; false may be wrong.
 *
 * Error. The axis v and a, b with v . a = v . b = 0 are small integers, hence exact. A corner is
 * x = a . (p - o), y = s b . (p - o), o the first corner and s about 1 / |v|. With L the sum of
 * the magnitudes of a's and s b's components, R bounding all |p - o|, u = 2^-24 and delta the
 * error of a coordinate, x and y are right to e = L (16 u R + 2 delta) (8 roundings, and two
 * coordinates). The cross product of two rays from a centre within the corners' box, of at most
 * 2 L R each, is right to 8 L R e + 12 u L L R R, and 16 L R e is asked for; if each is greater,
 * it stays positive while the corners move to their exact places, and the number of turns stays
 * what it is. A difference of two corners along a unit direction is right to 4 e, and 6 e is
 * asked for. The cross product of two differences of at most M is right to 8 e M + 8 e e + 4 u M
 * M, and 16 e M + 16 e e is asked for.
 *
 * With a margin (clearance in walk.h) the border must also keep its distance from itself: no
 * segment of up to `margin` between two of its points may cut across the outside unless the
 * border between them is about as long (docs/self-collision.md, theorem 3). The plane is scaled
 * by |a|; `step` and `gap` are tau |a| and margin |a|, both rounded up by more than 2^-19, which
 * covers the rounding of the directions and of the sums below.
 *   star      cross products must exceed tau times the greater ray as well; a computed ray is
 *             right to 2 e
 *   monotone  steps must exceed 6 e + step
 *   apart     two edges are further apart than the margin; or the border from one to the other
 *             rises along one direction by more than 6 e + step with every edge; or one of them
 *             has the other on its left, where the patch is: then nothing leads from one to the
 *             other outside. */
#ifndef KERNELS_CONTOUR_INL
#define KERNELS_CONTOUR_INL

#include "bounds/cone.h"
#include "kernels/walk.h"
#include "math/simd.h"

enum {
  STAR_MOST = 16,      /* corners: longer borders are hardly ever stars */
  MONOTONE_SHORT = 40, /* jagged borders of more corners are hardly ever monotone */
  MONOTONE_LONG = 512, /* where comparing all blocks costs far more than looking */
};

typedef struct contour {
  float *x, *y;      /* count corners, then the first two again, with room for 8 after them */
  float *side[4];    /* lower x, y, upper x, y of the edges' boxes */
  float *low, *high; /* of blocks of 8 edges: their extent along each of 8 directions */
  /* of blocks: along which directions all edges rise (bits 0 to 7) or all fall (8 to 15) */
  uint16_t *way;
  uint32_t count;  /* at least 3 */
  float reach;     /* L R */
  float error;     /* e */
  float step, gap; /* of the margin; 0: there is none */
} contour;

/* Unit vectors but for rounding, a sixteenth of a turn apart. */
static const float contour_x[8] = {1, 0.92387953f,  0.70710678f,  0.38268343f,
                                   0, -0.38268343f, -0.70710678f, -0.92387953f};
static const float contour_y[8] = {0, 0.38268343f, 0.70710678f, 0.92387953f, 1, 0.92387953f, 0.70710678f, 0.38268343f};

/* The plane of a contour. false: the set has no axis. */
static KERNEL_INLINE bool contour_axes(uint32_t set, float a[3], float b[3], float *s)
{
  int v[3], m[3];
  cone_axis(set, v);
  for (int k = 0; k < 3; ++k) m[k] = v[k] < 0 ? -v[k] : v[k];
  int least = m[0] <= m[1] && m[0] <= m[2] ? 0 : m[1] <= m[2] ? 1 : 2, j = (least + 1) % 3, k = (least + 2) % 3;
  int ia[3];
  ia[least] = 0;
  ia[j] = -v[k]; /* v x e: seen from the tip of v, x, y are counter-clockwise with b = v x a */
  ia[k] = v[j];
  for (int i = 0; i < 3; ++i) {
    int n = (i + 1) % 3, l = (i + 2) % 3;
    a[i] = (float)ia[i];
    b[i] = (float)(v[n] * ia[l] - v[l] * ia[n]);
  }
  int square = v[0] * v[0] + v[1] * v[1] + v[2] * v[2];
  *s = 1 / sqrtf((float)square);
  return square > 0;
}

static KERNEL_INLINE float sum3(const float a[3]) { return fabsf(a[0]) + fabsf(a[1]) + fabsf(a[2]); }

/* The margin in the plane. */
static KERNEL_INLINE void contour_thicken(contour *c, const float a[3], clearance thick)
{
  const float scale = sqrtf(a[0] * a[0] + a[1] * a[1] + a[2] * a[2]) * FLOAT_MORE;
  c->step = thick.tau * scale;
  c->gap = thick.margin * scale;
}

/* Projects the corners. */
static KERNEL_INLINE bool contour_project(contour *c, const patches *p, const uint32_t *vertex, uint32_t set,
                                          clearance thick)
{
  float a[3], b[3], s, o[4], far[4];
  if (!contour_axes(set, a, b, &s)) return false;
  v4_store(o, v4_load(p->positions + 4 * (size_t)vertex[0]));
  v8 ox = v8_set(o[0]), oy = v8_set(o[1]), oz = v8_set(o[2]), most = v8_set(0);
  for (uint32_t i = 0; i < c->count; i += 8) {
    v4 q[8];
    v8 x, y, z;
    if (i + 8 <= c->count)
      for (uint32_t k = 0; k < 8; ++k) q[k] = v4_load(p->positions + 4 * (size_t)vertex[i + k]);
    else
      for (uint32_t k = 0; k < 8; ++k) q[k] = v4_load(p->positions + 4 * (size_t)vertex[i + k < c->count ? i + k : 0]);
    v8_transpose(q, &x, &y, &z);
    x = v8_sub(x, ox);
    y = v8_sub(y, oy);
    z = v8_sub(z, oz);
    most = v8_max(most, v8_max(v8_abs(x), v8_max(v8_abs(y), v8_abs(z))));
    v8_store(c->x + i, v8_dot(v8_set(a[0]), x, v8_set(a[1]), y, v8_set(a[2]), z));
    v8_store(c->y + i, v8_mul(v8_dot(v8_set(b[0]), x, v8_set(b[1]), y, v8_set(b[2]), z), v8_set(s)));
  }
  for (uint32_t i = 0; i < 2; ++i) { /* the edge of the last corner, and the one after it; lanes beyond are masked */
    c->x[c->count + i] = c->x[i];
    c->y[c->count + i] = c->y[i];
  }
  v4_store(far, v8_greatest3(most, most, most));
  float length = (sum3(a) + s * sum3(b)) * FLOAT_MORE, size = far[0] * (2 + 0x1p-20f);
  c->reach = length * size;
  c->error = length * (size * (16 * 0x1p-24f) + 2 * p->error) + 0x1p-80f;
  if (thick.margin > 0) contour_thicken(c, a, thick);
  return c->reach < 0x1p50f && c->gap < 0x1p50f;
}

static KERNEL_INLINE v8 square_of(v8 x, v8 y) { return v8_add(v8_mul(x, x), v8_mul(y, y)); }

/* With a margin: what the cross product of two rays must exceed beside its error; `square`: of
 * the greater ray. */
static KERNEL_INLINE v8 thick_ray(const contour *c, v8 square)
{
  return v8_mul(v8_set(c->step), v8_add(v8_sqrt(square), v8_set(4 * c->error)));
}

/* Seen from (px, py). If not, *wrong is an edge that does not turn counter-clockwise, or the
 * number of edges. */
static KERNEL_INLINE bool contour_star(const contour *c, float px, float py, uint32_t *wrong)
{
  v8 cx = v8_set(px), cy = v8_set(py), limit = v8_set(16 * c->reach * c->error), zero = v8_set(0);
  unsigned crossings = 0;
  for (uint32_t i = 0; i < c->count; i += 8) {
    unsigned valid = c->count - i < 8 ? (1u << (c->count - i)) - 1 : 255;
    v8 x = v8_sub(v8_load(c->x + i), cx), y = v8_sub(v8_load(c->y + i), cy);
    v8 nx = v8_sub(v8_load(c->x + i + 1), cx), ny = v8_sub(v8_load(c->y + i + 1), cy);
    v8 least = limit;
    if (c->gap > 0) least = v8_add(limit, thick_ray(c, v8_max(square_of(x, y), square_of(nx, ny))));
    unsigned clear = v8m_bits(v8_lt(least, v8_cross(x, ny, y, nx)));
    if (~clear & valid) {
      *wrong = i + (uint32_t)__builtin_ctz(~clear & valid);
      return false;
    }
    crossings += (unsigned)__builtin_popcount(v8m_bits(v8m_and(v8_lt(y, zero), v8_le(zero, ny))) & valid);
  }
  *wrong = c->count;
  return crossings == 1;
}

/* From the mean of the corners, and then from points that are moved to the inner side of an edge
 * that was wrong. */
static KERNEL_INLINE bool contour_star_search(const contour *c, float px, float py)
{
  enum { TRIES = 4 };
  uint32_t i;
  for (int k = 0; k < TRIES; ++k) {
    if (contour_star(c, px, py, &i)) return true;
    if (i == c->count) return false;
    float ex = c->x[i + 1] - c->x[i], ey = c->y[i + 1] - c->y[i], square = ex * ex + ey * ey;
    float cross = ex * (py - c->y[i]) - ey * (px - c->x[i]), by = (0.3f * square - cross) / square;
    /* further than eight edges: it would not help */
    if (!(square > 0 && fabsf(by) < 8)) return false;
    px -= by * ey;
    py += by * ex;
    if (!(fabsf(px) <= c->reach && fabsf(py) <= c->reach)) return false;
  }
  return false;
}

/* Eight directions at once: a corner along each of them. */
static KERNEL_INLINE v8 contour_along(const contour *c, uint32_t i, v8 ux, v8 uy)
{
  return v8_add(v8_mul(ux, v8_set(c->x[i])), v8_mul(uy, v8_set(c->y[i])));
}

/* One pass around: extents and steps of all blocks; counts: looks for monotone directions. true:
 * along some direction the corners rise once and fall once. */
static KERNEL_INLINE bool contour_sweep(const contour *c, bool counts)
{
  v8 ux = v8_load(contour_x), uy = v8_load(contour_y), limit = v8_set(6 * c->error + c->step), zero = v8_set(0);
  v8 apart = v8_set(6 * c->error + c->gap), one = v8_set(1);
  v8 here = contour_along(c, 0, ux, uy), minus = v8_sub(zero, limit), turns = zero, least = v8_set(INFINITY);
  v8m before = v8_lt(contour_along(c, c->count - 1, ux, uy), here);
  for (uint32_t i = 0; i < c->count;) {
    uint32_t end = i + 8 < c->count ? i + 8 : c->count, block = i / 8;
    v8 low = here, high = here, slow = v8_set(INFINITY), fast = v8_set(-INFINITY);
    for (; i < end; ++i) {
      v8 next = contour_along(c, i + 1, ux, uy), step = v8_sub(next, here);
      if (counts) {
        v8m rises = v8_lt(zero, step);
        turns = v8_add(turns, v8_select(v8m_xor(rises, before), one, zero));
        before = rises;
        least = v8_min(least, v8_abs(step));
      }
      low = v8_min(low, next);
      high = v8_max(high, next);
      slow = v8_min(slow, step);
      fast = v8_max(fast, step);
      here = next;
    }
    v8_store(c->low + 8 * block, v8_sub(low, apart));
    v8_store(c->high + 8 * block, high);
    c->way[block] = (uint16_t)(v8m_bits(v8_lt(limit, slow)) | v8m_bits(v8_lt(fast, minus)) << 8);
  }
  return counts && v8m_bits(v8m_and(v8_lt(limit, least), v8_lt(turns, v8_set(2.5f))));
}

/* ------------------------------------------------------------------------------- edges apart -- */

static KERNEL_INLINE v8 larger2(v8 x, v8 y) { return v8_max(v8_abs(x), v8_abs(y)); }

/* How large a cross product of differences of up to `most` must be to have a certain sign. */
static KERNEL_INLINE v8 cross_limit(const contour *c, v8 most)
{
  v8 e = v8_set(16 * c->error);
  return v8_mul(e, v8_add(most, v8_set(c->error)));
}

/* Boxes of edges. false: an edge may fold back on the one before; with a margin that is left to
 * blocks_apart_thick(). */
static KERNEL_INLINE bool contour_boxes(const contour *c)
{
  v8 error = v8_set(c->error + 0.5f * c->gap), plus = v8_set(INFINITY), minus = v8_set(-INFINITY);
  for (uint32_t i = 0; i < c->count; i += 8) {
    unsigned n = c->count - i < 8 ? c->count - i : 8, valid = (1u << n) - 1;
    v8m in = v8_lt(v8_numbers(), v8_set((float)n));
    v8 x0 = v8_load(c->x + i), x1 = v8_load(c->x + i + 1), x2 = v8_load(c->x + i + 2);
    v8 y0 = v8_load(c->y + i), y1 = v8_load(c->y + i + 1), y2 = v8_load(c->y + i + 2);
    v8 dx = v8_sub(x1, x0), dy = v8_sub(y1, y0), ex = v8_sub(x2, x1), ey = v8_sub(y2, y1);
    v8 limit = cross_limit(c, v8_add(larger2(dx, dy), larger2(ex, ey)));
    v8 turn = v8_abs(v8_cross(dx, ey, dy, ex)), on = v8_add(v8_mul(dx, ex), v8_mul(dy, ey));
    if (c->gap == 0 && ~v8m_bits(v8m_or(v8_lt(limit, turn), v8_lt(limit, on))) & valid) return false;
    v8 side[4] = {v8_sub(v8_min(x0, x1), error), v8_sub(v8_min(y0, y1), error), v8_add(v8_max(x0, x1), error),
                  v8_add(v8_max(y0, y1), error)};
    for (int k = 0; k < 4; ++k) {
      side[k] = v8_select(in, side[k], k < 2 ? plus : minus);
      v8_store(c->side[k] + i, side[k]);
    }
  }
  return true;
}

/* Which of 8 boxes meet one. */
static KERNEL_INLINE unsigned flat_hits(float *const side[4], uint32_t at, const float box[4])
{
  v8m x = v8m_and(v8_le(v8_load(side[0] + at), v8_set(box[2])), v8_le(v8_set(box[0]), v8_load(side[2] + at)));
  v8m y = v8m_and(v8_le(v8_load(side[1] + at), v8_set(box[3])), v8_le(v8_set(box[1]), v8_load(side[3] + at)));
  return v8m_bits(v8m_and(x, y));
}

/* Which of the 8 edges from j on are certain not to meet edge i: one's line has the other on one
 * side. With a margin on the left, or beyond the margin on the right. */
static KERNEL_INLINE unsigned edges_apart(const contour *c, uint32_t i, uint32_t j)
{
  v8 px = v8_set(c->x[i]), py = v8_set(c->y[i]), dx = v8_set(c->x[i + 1] - c->x[i]), dy = v8_set(c->y[i + 1] - c->y[i]);
  v8 qx = v8_load(c->x + j), qy = v8_load(c->y + j), rx = v8_load(c->x + j + 1), ry = v8_load(c->y + j + 1);
  v8 ex = v8_sub(rx, qx), ey = v8_sub(ry, qy), gx = v8_sub(qx, px), gy = v8_sub(qy, py);
  v8 hx = v8_sub(rx, px), hy = v8_sub(ry, py), fx = v8_sub(dx, gx), fy = v8_sub(dy, gy);
  v8 limit = cross_limit(c, v8_add(v8_add(larger2(dx, dy), larger2(ex, ey)), larger2(gx, gy)));
  v8 low_a = v8_sub(v8_set(0), limit), low_b = low_a;
  if (c->gap > 0) {
    low_a = v8_sub(low_a, v8_mul(v8_set(c->gap), v8_add(v8_sqrt(square_of(dx, dy)), v8_set(4 * c->error))));
    low_b = v8_sub(low_b, v8_mul(v8_set(c->gap), v8_add(v8_sqrt(square_of(ex, ey)), v8_set(4 * c->error))));
  }
  v8 a0 = v8_cross(dx, gy, dy, gx), a1 = v8_cross(dx, hy, dy, hx);
  /* e x (p - q), and e x (p + d - q) */
  v8 b0 = v8_cross(gx, ey, gy, ex), b1 = v8_cross(ey, fx, ex, fy);
  v8m above = v8m_or(v8m_and(v8_lt(limit, a0), v8_lt(limit, a1)), v8m_and(v8_lt(a0, low_a), v8_lt(a1, low_a)));
  b1 = v8_sub(v8_set(0), b1);
  return v8m_bits(
      v8m_or(above, v8m_or(v8m_and(v8_lt(limit, b0), v8_lt(limit, b1)), v8m_and(v8_lt(b0, low_b), v8_lt(b1, low_b)))));
}

/* All edges of block a against those of block b, at or after it. */
static bool blocks_apart(const contour *c, uint32_t a, uint32_t b)
{
  uint32_t end = 8 * a + 8 < c->count ? 8 * a + 8 : c->count;
  for (uint32_t i = 8 * a; i < end; ++i) {
    const float box[4] = {c->side[0][i], c->side[1][i], c->side[2][i], c->side[3][i]};
    unsigned m = flat_hits(c->side, 8 * b, box);
    /* itself and the next */
    if (i + 2 > 8 * b) m &= i + 2 - 8 * b < 8 ? 255u << (i + 2 - 8 * b) : 0;
    if (i == 0 && c->count - 1 - 8 * b < 8) m &= ~(1u << (c->count - 1 - 8 * b));
    m &= 255;
    if (m && (m & ~edges_apart(c, i, 8 * b))) return false;
  }
  return true;
}

/* Along which directions an edge rises (bits 0 to 7) or falls (8 to 15) by more than the margin
 * asks for. */
static KERNEL_INLINE unsigned edge_ways(const contour *c, uint32_t i)
{
  v8 limit = v8_set(6 * c->error + c->step), ux = v8_load(contour_x), uy = v8_load(contour_y);
  v8 step = v8_sub(contour_along(c, i + 1, ux, uy), contour_along(c, i, ux, uy));
  return v8m_bits(v8_lt(limit, step)) | v8m_bits(v8_lt(step, v8_sub(v8_set(0), limit))) << 8;
}

/* Which of the 8 edges of block b are joined to edge i by a piece of the border that rises along
 * one direction, ends included. */
static unsigned edges_rising(const contour *c, uint32_t i, uint32_t b)
{
  enum { FAR = 15 }; /* edges: from the first of one block to the last of the next */
  unsigned found = 0;
  for (int back = 0; back < 2; ++back) {
    unsigned ways = edge_ways(c, i);
    uint32_t j = i;
    for (int k = 0; k < FAR && ways; ++k) {
      if (back)
        j = j ? j - 1 : c->count - 1;
      else
        j = j + 1 < c->count ? j + 1 : 0;
      ways &= edge_ways(c, j);
      if (ways && j / 8 == b) found |= 1u << j % 8;
    }
  }
  return found;
}

/* With a margin: edge i and the next either turn to the left, or both rise along the line
 * between their ends. */
static bool turn_is_clear(const contour *c, uint32_t i)
{
  float dx = c->x[i + 1] - c->x[i], dy = c->y[i + 1] - c->y[i], ex = c->x[i + 2] - c->x[i + 1];
  float ey = c->y[i + 2] - c->y[i + 1], wx = c->x[i + 2] - c->x[i], wy = c->y[i + 2] - c->y[i];
  float most = fmaxf(fabsf(dx), fabsf(dy)) + fmaxf(fabsf(ex), fabsf(ey));
  if (dx * ey - dy * ex > 16 * c->error * (most + c->error)) return true;
  float rise = (6 * c->error + c->step) * sqrtf(wx * wx + wy * wy);
  return dx * wx + dy * wy > rise && ex * wx + ey * wy > rise;
}

/* The same as blocks_apart() with a margin; near: the blocks are one, or successive. */
static bool blocks_apart_thick(const contour *c, uint32_t a, uint32_t b, bool near)
{
  uint32_t end = 8 * a + 8 < c->count ? 8 * a + 8 : c->count;
  for (uint32_t i = 8 * a; i < end; ++i) {
    const float box[4] = {c->side[0][i], c->side[1][i], c->side[2][i], c->side[3][i]};
    unsigned m = flat_hits(c->side, 8 * b, box), next = 0, last = 0;
    if (a == b) m &= ~0u << (i - 8 * a) << 1; /* each two once */
    if ((i + 1) / 8 == b && i + 1 < c->count) next = 1u << (i + 1) % 8;
    if (i == 0 && (c->count - 1) / 8 == b) last = 1u << (c->count - 1) % 8;
    m &= 255;
    if (m & ~(next | last)) m &= ~edges_apart(c, i, 8 * b) | next | last;
    if (m & next && turn_is_clear(c, i)) m &= ~next;
    if (m & last && turn_is_clear(c, c->count - 1)) m &= ~last;
    if (m && near) m &= ~edges_rising(c, i, b);
    if (m) return false;
  }
  return true;
}

/* Is there a line between two blocks, or runs of blocks, along one of the eight directions? */
static KERNEL_INLINE bool runs_divided(const float *low_a, const float *high_a, const float *low_b, const float *high_b)
{
  v8m over = v8_lt(v8_load(high_a), v8_load(low_b));
  return v8m_bits(v8m_or(over, v8_lt(v8_load(high_b), v8_load(low_a))));
}

/* The extents of runs of eight blocks; `runs`: low and high of each. */
static KERNEL_INLINE void contour_runs(const contour *c, uint32_t blocks, float *runs)
{
  for (uint32_t first = 0; first < blocks; first += 8, runs += 16) {
    v8 low = v8_load(c->low + 8 * first), high = v8_load(c->high + 8 * first);
    for (uint32_t b = first + 1; b < first + 8 && b < blocks; ++b) {
      low = v8_min(low, v8_load(c->low + 8 * b));
      high = v8_max(high, v8_load(c->high + 8 * b));
    }
    v8_store(runs, low);
    v8_store(runs + 8, high);
  }
}

/* The same block, or successive ones. */
static KERNEL_INLINE bool blocks_are_near(uint32_t a, uint32_t b, uint32_t blocks)
{
  return b <= a + 1 || (a == 0 && b == blocks - 1);
}

/* One block against a later one, which is in question or not. */
static KERNEL_INLINE bool blocks_clear(const contour *c, uint32_t a, uint32_t b, uint32_t blocks)
{
  if (blocks_are_near(a, b, blocks)) return c->way[a] & c->way[b];
  return runs_divided(c->low + 8 * a, c->high + 8 * a, c->low + 8 * b, c->high + 8 * b);
}

/* After a sweep. A block whose edges all rise along one direction, or two successive ones,
 * cannot meet themselves. Long borders: a block is compared with whole runs of eight first. */
static bool contour_apart(const contour *c)
{
  const uint32_t blocks = (c->count + 7) / 8;
  float *runs = (float *)(void *)(c->way + (blocks + 1) / 2 * 2); /* room: contour_room() */
  const bool long_one = blocks >= 24;
  bool boxes = false;
  if (long_one) contour_runs(c, blocks, runs);
  for (uint32_t a = 0; a < blocks; ++a)
    for (uint32_t b = a; b < blocks; ++b) {
      if (long_one && b % 8 == 0 && b > a + 1 && (a || b + 8 < blocks) &&
          runs_divided(c->low + 8 * a, c->high + 8 * a, runs + 2 * b, runs + 2 * b + 8)) {
        b += 7;
        continue;
      }
      if (blocks_clear(c, a, b, blocks)) continue;
      if (!boxes && !contour_boxes(c)) return false;
      boxes = true;
      bool apart = c->gap > 0 ? blocks_apart_thick(c, a, b, blocks_are_near(a, b, blocks)) : blocks_apart(c, a, b);
      if (!apart) return false;
    }
  return true;
}

/* ---------------------------------------------------------------------------------- together -- */

static KERNEL_INLINE void contour_middle(const contour *c, float *px, float *py)
{
  v8 sx = v8_set(0), sy = sx;
  uint32_t i = 0;
  float x[8], y[8], ax = 0, ay = 0;
  for (; i + 8 <= c->count; i += 8) {
    sx = v8_add(sx, v8_load(c->x + i));
    sy = v8_add(sy, v8_load(c->y + i));
  }
  v8_store(x, sx);
  v8_store(y, sy);
  for (int k = 0; k < 8; ++k) ax += x[k], ay += y[k];
  for (; i < c->count; ++i) ax += c->x[i], ay += c->y[i];
  *px = ax / (float)c->count;
  *py = ay / (float)c->count;
}

/* Scratch for a contour of so many corners. */
static KERNEL_INLINE contour contour_in(float *scratch, uint32_t count)
{
  contour c = {.x = scratch, .count = count};
  size_t room = count + CONTOUR_MORE; /* of an array; the vertices have the third */
  c.y = c.x + room;
  for (size_t k = 0; k < 4; ++k) c.side[k] = c.x + (3 + k) * room;
  c.low = c.x + 7 * room;
  c.high = c.x + 8 * room;
  c.way = (uint16_t *)(void *)(c.x + 9 * room);
  return c;
}

/* vertex: count corners; they may be in the third array of the scratch, which has
 * contour_room(count) floats. */
static bool contour_is_simple(const patches *p, float *scratch, const uint32_t *vertex, uint32_t count, uint32_t set,
                              clearance thick)
{
  contour c = contour_in(scratch, count);
  if (count < 3 || !contour_project(&c, p, vertex, set, thick)) return false;
  if (count <= STAR_MOST) {
    float px, py;
    contour_middle(&c, &px, &py);
    if (contour_star_search(&c, px, py)) return true;
  }
  bool counts = count <= MONOTONE_SHORT || count >= MONOTONE_LONG;
  return (counts ? contour_sweep(&c, true) : contour_sweep(&c, false)) || contour_apart(&c);
}

#endif
