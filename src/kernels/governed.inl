/* The kernels of governed.h. Lanes are the three coordinates: a column times a number is one
 * product. Directions of cones stand in eight lanes. Cost: 27 lane operations per control point,
 * 95 per transform, and some 150 per patch. */
#ifndef KERNELS_GOVERNED_INL
#define KERNELS_GOVERNED_INL

#include "bounds/cone.h"
#include "kernels/governed.h"
#include "math/simd.h"

#include <float.h>

/* What the governors make of a patch now: p = centre + b d up to `error`. */
typedef struct patch_map {
  v4d centre, b[3], error;
  v4d low, high; /* of the images; empty without transforms */
  v4d spread;    /* of each row of a triangle's Jacobian: how far it is from b but for rounding */
  double size;   /* no number that took part is greater */
  double norm;   /* of the transforms: the greatest sum of a row's |components| */
} patch_map;

static KERNEL_INLINE v4d v4d_abs(v4d a) { return v4d_max(a, v4d_sub(v4d_set(0), a)); }
static KERNEL_INLINE v4d v4d_times(v4d a, double by) { return v4d_mul(a, v4d_set(by)); }
static KERNEL_INLINE v4d v4d_more(v4d sum, v4d a, double by) { return v4d_add(sum, v4d_times(a, by)); }
static KERNEL_INLINE double larger(double a, double b) { return a > b ? a : b; }

static KERNEL_INLINE double greatest3(v4d a)
{
  double x[4];
  v4d_store(x, a);
  return larger(x[0], larger(x[1], x[2]));
}

/* Adds weight * column. */
static KERNEL_INLINE void add_column(patch_map *m, v4d column, const double *numbers)
{
  v4d size = v4d_abs(column);
  m->centre = v4d_more(m->centre, column, numbers[0]);
  for (int l = 0; l < 3; ++l) m->b[l] = v4d_more(m->b[l], column, numbers[1 + l]);
  m->error = v4d_more(m->error, size, numbers[4]);
  m->spread = v4d_more(m->spread, size, numbers[5]);
}

/* The image of a term's box at rest, for `column` and `moved` of its transform, merged into
 * those of the others. */
static KERNEL_INLINE void add_image(patch_map *m, const v4d column[3], v4d moved, const double *numbers)
{
  v4d half = v4d_set(0);
  for (int l = 0; l < 3; ++l) {
    moved = v4d_more(moved, column[l], numbers[l]);
    half = v4d_more(half, v4d_abs(column[l]), numbers[3 + l]);
  }
  m->low = v4d_min(m->low, v4d_sub(moved, half));
  m->high = v4d_max(m->high, v4d_add(moved, half));
}

static KERNEL_INLINE void map_of_transforms(const governed *g, const governed_patch *p, const uint32_t *governor,
                                            const double *numbers, patch_map *m)
{
  const double unit = g->rest_exponent ? ldexp(1, g->rest_exponent) : 1;
  v4d a[3], shift = v4d_set(0);
  for (int l = 0; l < 3; ++l) a[l] = v4d_set(0);
  for (uint32_t k = 0; k < p->count; ++k) {
    const double *c = g->columns + 12 * (size_t)governor[k];
    const double part = numbers[TRANSFORM_NUMBERS * (size_t)k];
    v4d moved = v4d_load3(c + 9);
    for (int l = 0; l < 3; ++l) {
      v4d column = v4d_load3(c + 3 * l);
      moved = v4d_more(moved, column, p->middle[l]);
      a[l] = v4d_more(a[l], v4d_times(column, unit), part);
    }
    shift = v4d_more(shift, moved, part);
  }
  m->centre = shift;
  m->error = v4d_abs(shift);
  for (int l = 0; l < 3; ++l) {
    m->b[l] = a[l];
    m->error = v4d_more(m->error, v4d_abs(a[l]), (double)p->half[l]);
  }
  m->error = v4d_times(m->error, g->off);
  for (uint32_t k = 0; k < p->count; ++k) {
    const double *c = g->columns + 12 * (size_t)governor[k], *n = numbers + TRANSFORM_NUMBERS * (size_t)k;
    v4d moved = v4d_load3(c + 9), column[3];
    for (int l = 0; l < 3; ++l) {
      column[l] = v4d_load3(c + 3 * l);
      moved = v4d_more(moved, column[l], p->middle[l]);
      column[l] = v4d_times(column[l], unit);
      add_column(m, v4d_sub(column[l], a[l]), n + 1 + COLUMN_NUMBERS * l);
    }
    add_column(m, v4d_sub(moved, shift), n + 1 + COLUMN_NUMBERS * 3);
    add_image(m, column, moved, n + TRANSFORM_IMAGE);
  }
}

static KERNEL_INLINE void map_of_points(const governed *g, const governed_patch *p, const uint32_t *governor,
                                        const double *numbers, patch_map *m)
{
  const double scale = g->rest_exponent ? ldexp(1, -g->rest_exponent) : 1;
  v4d a[3], shift = v4d_set(0), most, all;
  for (int l = 0; l < 3; ++l) a[l] = v4d_set(0);
  for (uint32_t k = 0; k < p->count; ++k) {
    const double *part = numbers + POINT_NUMBERS * (size_t)k;
    v4d q = v4d_load3(g->columns + 3 * (size_t)governor[k]);
    shift = v4d_more(shift, q, part[0]);
    for (int l = 0; l < 3; ++l) a[l] = v4d_more(a[l], q, part[1 + l]);
  }
  m->centre = shift;
  m->error = most = v4d_abs(shift);
  all = v4d_set(0);
  for (int l = 0; l < 3; ++l) {
    m->b[l] = a[l];
    m->error = v4d_more(m->error, v4d_abs(a[l]), fabs(p->middle[l] * scale));
    /* the map, at any of the control points */
    most = v4d_more(most, v4d_abs(a[l]), (double)p->far[l]);
    all = v4d_add(all, v4d_abs(a[l]));
  }
  m->error = v4d_times(m->error, g->off);
  for (uint32_t k = 0; k < p->count; ++k) {
    const double *n = numbers + POINT_NUMBERS * (size_t)k, *d = n + 4;
    v4d q = v4d_load3(g->columns + 3 * (size_t)governor[k]);
    v4d x = v4d_times(a[0], d[0]), y = v4d_times(a[1], d[1]), z = v4d_times(a[2], d[2]);
    add_column(m, v4d_sub(q, v4d_add(shift, v4d_add(v4d_add(x, y), z))), n + POINT_PARTS);
  }
  /* The rest position of a vertex, computed or real, times a. */
  most = v4d_max(most, v4d_times(all, larger(g->rest_size, DBL_MIN) * scale * g->sum));
  m->size = larger(m->size, greatest3(most));
}

/* A result below DBL_MIN is off by up to 2^-53 of DBL_MIN, however small it is; that of a column
 * by as much times d. So no size counts for less. */
static KERNEL_INLINE double least_size(const governed *g)
{
  const double scale = g->rest_exponent ? ldexp(1, -g->rest_exponent) : 1;
  return DBL_MIN * (1 + 4 * g->rest_size * scale * (1 + g->sum));
}

static KERNEL_INLINE void map_patch(const governed *g, const governed_state *s, const governed_patch *p, patch_map *m)
{
  const uint32_t *governor = s->governor + p->first;
  m->spread = v4d_set(0);
  m->low = v4d_set(INFINITY);
  m->high = v4d_set(-INFINITY);
  m->size = larger(g->most_size, least_size(g));
  m->norm = (double)g->most_norm;
  if (g->transforms)
    map_of_transforms(g, p, governor, s->numbers + TRANSFORM_NUMBERS * (size_t)p->first, m);
  else
    map_of_points(g, p, governor, s->numbers + POINT_NUMBERS * (size_t)p->first, m);
}

/* Of a coordinate: all roundings, the stored position's too. */
static KERNEL_INLINE double map_margin(const governed *g, const governed_patch *p, double size)
{
  return 0x1p-52 * ((4 * p->count + 64) * 32 * (double)p->gain + (g->longest + 8) * (1 + g->sum)) * size;
}

/* ------------------------------------------------------------------------------------- boxes -- */

/* The least and the greatest of b d over the rest patch: d is in both of its boxes. */
static KERNEL_INLINE void support(const governed_patch *p, const patch_map *m, v4d *low, v4d *high)
{
  v4d plain = v4d_set(0), centre = v4d_set(0), reach = v4d_set(0), size = v4d_set(0), rows = v4d_set(0);
  for (int l = 0; l < 3; ++l) {
    v4d along = v4d_set(0), sum = v4d_set(0), row = v4d_abs(m->b[l]);
    for (int k = 0; k < 3; ++k) {
      v4d x = v4d_times(m->b[k], (double)p->axis[l][k]);
      along = v4d_add(along, x);
      sum = v4d_add(sum, v4d_abs(x));
    }
    centre = v4d_more(centre, along, (double)p->centre[l]);
    reach = v4d_more(reach, v4d_abs(along), (double)p->reach[l]);
    size = v4d_more(size, sum, fabs((double)p->centre[l]) + (double)p->reach[l]);
    plain = v4d_more(plain, row, (double)p->half[l]);
    rows = v4d_add(rows, row);
  }
  reach = v4d_more(reach, rows, (double)p->skew);
  reach =
      v4d_more(reach, v4d_add(size, reach), 0x1p-48); /* its rounding: a flat patch may have long rows that cancel */
  *low = v4d_max(v4d_sub(v4d_set(0), plain), v4d_sub(centre, reach));
  *high = v4d_min(plain, v4d_add(centre, reach));
}

/* Cuts a box with that of the images. */
static KERNEL_INLINE void cut_with_images(const governed *g, const patch_map *m, double margin, v4d *low, v4d *high)
{
  v4d middle = v4d_add(v4d_times(m->low, 0.5), v4d_times(m->high, 0.5));
  v4d half = v4d_sub(v4d_times(m->high, 0.5), v4d_times(m->low, 0.5));
  half = v4d_add(v4d_more(v4d_times(half, g->sum), v4d_abs(middle), g->off), v4d_set(margin));
  *low = v4d_max(*low, v4d_sub(middle, half));
  *high = v4d_min(*high, v4d_add(middle, half));
}

static KERNEL_INLINE void map_box(const governed *g, const governed_patch *p, const patch_map *m, double margin,
                                  const governed_space *to, aabb *box)
{
  v4d low, high, error = v4d_add(v4d_times(m->error, 1 + 0x1p-40), v4d_set(margin));
  v4d origin = v4d_load3(to->origin), more = v4d_set(to->more);
  float lower[4], upper[4];
  support(p, m, &low, &high);
  low = v4d_sub(v4d_add(m->centre, low), error);
  high = v4d_add(v4d_add(m->centre, high), error);
  if (g->transforms) cut_with_images(g, m, margin, &low, &high);
  low = v4d_sub(v4d_times(v4d_sub(v4d_times(low, to->half), origin), to->scale), more);
  high = v4d_add(v4d_times(v4d_sub(v4d_times(high, to->half), origin), to->scale), more);
  v4_store(lower, v4d_round_down(low));
  v4_store(upper, v4d_round_up(high));
  for (int k = 0; k < 3; ++k) {
    /* Otherwise all of space. Not a number: at rest the patch is so flat, beside the body, that the
     * map of the control points has left the range of double. */
    bool finite = m->size < 1e290 && lower[k] <= upper[k];
    box->lower[k] = finite ? lower[k] : -INFINITY;
    box->upper[k] = finite ? upper[k] : INFINITY;
  }
}

/* ------------------------------------------------------------------------------------- cones -- */

/* The directions of bounds/cone.h by component, their lengths, and the products of their
 * components. Axes 13 to 15 are none. */
static const float cone_x[16] = {1, 0, 0, 1, 1, 1, 1, 0, 0, 1, 1, 1, -1},
                   cone_y[16] = {0, 1, 0, 1, -1, 0, 0, 1, 1, 1, 1, -1, 1},
                   cone_z[16] = {0, 0, 1, 0, 0, 1, -1, 1, -1, 1, -1, 1, 1};

/* In double: what a cone needs of B, whose components are at most 1. */
typedef struct cone_matrix {
  float along[3];   /* cof(B) times the axis */
  float gram[3][3]; /* cof(B) cof(B)' */
  float size;       /* at least the Frobenius norm of cof(B) */
  float rows[3][3]; /* B B': the products of B's rows */
  /* at least 2^-17 of the square of B's Frobenius norm: more than the roundings of sums of rows */
  float blur;
  float spread[3]; /* at least the length of each row of E */
  float first;     /* of a normal of unit area: what E changes at most, without its square */
  float second;    /* what its square changes at most */
} cone_matrix;

/* column[l]: of B; spread: how far the rows of a triangle's Jacobian are from those of B. */
static KERNEL_INLINE void take_cofactors(double column[3][4], const double spread[3], const patch_normals *normals,
                                         cone_matrix *out)
{
  double cof[3][3], square = 0, norm = 0, across = 0, axis[3], eta = sqrt(dot3(spread, spread)) * (1 + 0x1p-30);
  for (int l = 0; l < 3; ++l) {
    const double *a = column[(l + 1) % 3], *b = column[(l + 2) % 3];
    axis[l] = (double)normals->axis[l];
    square += dot3(column[l], column[l]);
    for (int i = 0; i < 3; ++i) cof[i][l] = a[(i + 1) % 3] * b[(i + 2) % 3] - a[(i + 2) % 3] * b[(i + 1) % 3];
  }
  /* Out of the plane: |B n| is at least |B a| less what the chord makes of it. */
  for (int i = 0; i < 3; ++i) {
    double x = column[0][i] * axis[0] + column[1][i] * axis[1] + column[2][i] * axis[2];
    across += x * x;
    out->along[i] = (float)dot3(cof[i], axis);
    for (int j = 0; j <= i; ++j) {
      out->gram[i][j] = (float)dot3(cof[i], cof[j]);
      out->rows[i][j] =
          (float)(column[0][i] * column[0][j] + column[1][i] * column[1][j] + column[2][i] * column[2][j]);
    }
    out->spread[i] = (float)(spread[i] * (1 + 0x1p-20));
    norm += dot3(cof[i], cof[i]);
  }
  double flat = square * (1 + 0x1p-40);
  across = sqrt(across) * (1 - 0x1p-20) - sqrt(square) * ((double)normals->chord + 0x1p-20);
  if (across > 0) flat -= across * across;
  out->size = (float)(sqrt(norm) * (1 + 0x1p-20));
  out->blur = (float)(0x1p-16 * square);
  out->first = (float)(sqrt(flat) * eta * (1 + 0x1p-20));
  out->second = (float)((0.5 * eta * eta + 0x1p-40 * square) * (1 + 0x1p-20));
}

/* The length of (d x B)'s row i, its square rounded; j and k follow i. */
static KERNEL_INLINE v8 turned_row(const cone_matrix *q, v8 dj, v8 dk, int j, int k)
{
  const float both = j > k ? q->rows[j][k] : q->rows[k][j];
  v8 square = v8_add(v8_mul(v8_mul(dj, dj), v8_set(q->rows[k][k])), v8_mul(v8_mul(dk, dk), v8_set(q->rows[j][j])));
  v8 mixed = v8_mul(v8_mul(dj, dk), v8_set(both));
  square = v8_sub(square, v8_add(mixed, mixed));
  return v8_sqrt(v8_add(v8_max(square, v8_set(0)), v8_set(q->blur)));
}

/* What E changes along 8 directions d with these lengths: d . (Bx x Ey + Ex x By) = sum over i
 * of Ey_i (d x Bx)_i - Ex_i (d x By)_i, and (Ex_i, Ey_i) is no longer than row i of E, ((d x
 * Bx)_i, (d x By)_i) than row i of d x B. */
static KERNEL_INLINE v8 cone_errors(const cone_matrix *q, v8 x, v8 y, v8 z, v8 length)
{
  v8 rows = v8_add(v8_add(v8_mul(turned_row(q, y, z, 1, 2), v8_set(q->spread[0])),
                          v8_mul(turned_row(q, z, x, 2, 0), v8_set(q->spread[1]))),
                   v8_mul(turned_row(q, x, y, 0, 1), v8_set(q->spread[2])));
  return v8_add(v8_min(rows, v8_mul(length, v8_set(q->first))), v8_mul(length, v8_set(q->second)));
}

/* Rounding, with c the norm of cof(B) and u = 2^-24: d . (cof(B) axis) is right to 4 u |d| c,
 * the square of |cof(B)' d| to 10 u |d|^2 c^2, and so is the square of its part across the axis
 * to 2^-17 c^2, as |d|^2 <= 3. Normals at rest and their axis are right to 2^-20. 2^-11 c is
 * more than the first, and leaves out patches that are nearly edge-on, for which a contour could
 * prove nothing. */
typedef struct faced {
  unsigned plus, minus; /* lanes whose direction is faced, or the opposite one */
} faced;

static KERNEL_INLINE faced cone_faces(const cone_matrix *q, const patch_normals *normals, v8 x, v8 y, v8 z, v8 length)
{
  const v8 zero = v8_set(0), blur = v8_set(0x1p-17f * q->size * q->size), least = v8_set(0x1p-11f * q->size + 0x1p-60f);
  v8 along = v8_dot(x, v8_set(q->along[0]), y, v8_set(q->along[1]), z, v8_set(q->along[2]));
  v8 all = v8_dot(v8_mul(x, x), v8_set(q->gram[0][0]), v8_mul(y, y), v8_set(q->gram[1][1]), v8_mul(z, z),
                  v8_set(q->gram[2][2]));
  v8 cross = v8_dot(v8_mul(x, y), v8_set(q->gram[1][0]), v8_mul(x, z), v8_set(q->gram[2][0]), v8_mul(y, z),
                    v8_set(q->gram[2][1]));
  v8 side = v8_sub(v8_add(all, v8_add(cross, cross)), v8_mul(along, along));
  side = v8_mul(v8_sqrt(v8_add(v8_max(side, zero), blur)), v8_set(normals->sine));
  v8 need = v8_add(v8_add(cone_errors(q, x, y, z, length), side), least);
  need = v8_mul(need, v8_set(1 + 0x1p-19f));
  along = v8_mul(along, v8_set(normals->cosine));
  return (faced){v8m_bits(v8_lt(need, along)), v8m_bits(v8_lt(need, v8_sub(zero, along)))};
}

static KERNEL_INLINE uint32_t cone_of(const cone_matrix *q, const patch_normals *normals)
{
  static const float lengths[16] = {1,           1,           1,           1.41421366f, 1.41421366f,
                                    1.41421366f, 1.41421366f, 1.41421366f, 1.41421366f, 1.73205090f,
                                    1.73205090f, 1.73205090f, 1.73205090f};
  uint32_t set = 0;
  for (int k = 0; k < 16; k += 8) {
    faced f =
        cone_faces(q, normals, v8_load(cone_x + k), v8_load(cone_y + k), v8_load(cone_z + k), v8_load(lengths + k));
    uint32_t valid = k ? 0x1f : 0xff;
    set |= (f.plus & valid) << k;
    set |= (f.minus & valid) << (k + CONE_AXES);
  }
  return set;
}

/* A bound of the magnitudes that were added up in the Jacobian. */
static KERNEL_INLINE double magnitude(const governed *g, const patch_normals *normals, const patch_map *m)
{
  if (!g->transforms) return m->size * (2 * (double)normals->slopes[1] + (double)normals->parts);
  double matrix = g->rest_exponent ? ldexp(m->norm, g->rest_exponent) : m->norm;
  return matrix * (2 * (double)normals->slopes[0] + (double)normals->parts) + 2 * m->size * (double)normals->slopes[1];
}

/* What a cone needs of the map. false: no normal is known. */
static KERNEL_INLINE bool map_cofactors(const governed *g, const governed_patch *p, const patch_normals *normals,
                                        const patch_map *m, double margin, cone_matrix *out)
{
  double column[3][4], spread[4],
      most = greatest3(v4d_max(v4d_abs(m->b[0]), v4d_max(v4d_abs(m->b[1]), v4d_abs(m->b[2]))));
  if (!(normals->cosine > 0) || !(most > 0x1p-500) || !(most < 0x1p500) || !(m->size < 1e290)) return false;
  v4d_store(spread, m->spread);
  /* Roundings of B and of positions: of each row, too. */
  double more = 0x1p-42 * magnitude(g, normals, m);
  more += 4 * (margin + 4 * g->off * (double)p->gain * m->size) * (double)normals->sliver;
  int exponent;
  frexp(most, &exponent);
  const double scale = ldexp(1, -exponent); /* a cone does not change with the size */
  for (int l = 0; l < 3; ++l) {
    v4d_store(column[l], v4d_times(m->b[l], scale));
    spread[l] = (spread[l] * (1 + 0x1p-30) + more) * scale;
    if (!(spread[l] < 4)) return false;
  }
  take_cofactors(column, spread, normals, out);
  return true;
}

/* One direction d as cone_of() tests 13, in all lanes. d is taken as a unit vector: rounding it
 * moves d . n by less than 2^-22 of |n|, and that is in `least`. */
static KERNEL_INLINE bool cone_has(const cone_matrix *q, const patch_normals *normals, const int direction[3])
{
  const float square = (float)(direction[0] * direction[0] + direction[1] * direction[1] + direction[2] * direction[2]);
  const float by = 1 / sqrtf(square);
  return cone_faces(q, normals, v8_set((float)direction[0] * by), v8_set((float)direction[1] * by),
                    v8_set((float)direction[2] * by), v8_set(FLOAT_MORE))
             .plus &
         1;
}

/* ----------------------------------------------------------------------------------- kernels -- */

static void governed_box_kernel(const governed *g, const governed_state *s, uint32_t node, const governed_space *to,
                                aabb *box)
{
  const governed_patch *p = &s->patches[node];
  patch_map m;
  map_patch(g, s, p, &m);
  map_box(g, p, &m, map_margin(g, p, m.size), to, box);
}

static void governed_patch_kernel(const governed *g, const governed_state *s, uint32_t node, const governed_space *to,
                                  aabb *box, uint32_t *cone)
{
  const governed_patch *p = &s->patches[node];
  patch_map m;
  map_patch(g, s, p, &m);
  double margin = map_margin(g, p, m.size);
  map_box(g, p, &m, margin, to, box);
  cone_matrix q;
  *cone = map_cofactors(g, p, &s->normals[node], &m, margin, &q) ? cone_of(&q, &s->normals[node]) : 0;
}

/* The least and the greatest of a coordinate's lanes. */
static KERNEL_INLINE void lane_extent(float *x, uint32_t n, float *least, float *greatest)
{
  float low[8], high[8];
  for (uint32_t k = n; k % 8; ++k) x[k] = x[n - 1];
  v8 lower = v8_load(x), upper = lower;
  for (uint32_t k = 8; k < n; k += 8) {
    lower = v8_min(lower, v8_load(x + k));
    upper = v8_max(upper, v8_load(x + k));
  }
  v8_store(low, lower);
  v8_store(high, upper);
  for (int step = 4; step; step /= 2)
    for (int i = 0; i < step; ++i) {
      low[i] = low[i + step] < low[i] ? low[i + step] : low[i];
      high[i] = high[i + step] > high[i] ? high[i + step] : high[i];
    }
  *least = low[0];
  *greatest = high[0];
}

static void governed_leaf_kernel(leaf_points *at, uint32_t n, aabb *box)
{
  float lower[4] = {0}, upper[4] = {0};
  for (int i = 0; i < 3; ++i) lane_extent(at->at[i], n, &lower[i], &upper[i]);
  v4d low = v4d_widen(v4_load(lower)), high = v4d_widen(v4_load(upper)), error = v4d_set((double)at->error);
  v4d far = v4d_add(v4d_max(v4d_abs(low), v4d_abs(high)), error);
  error = v4d_more(error, far, (double)at->roundings * 0x1p-24 * (1 + 0x1p-10));
  v4_store(lower, v4d_round_down(v4d_sub(low, error)));
  v4_store(upper, v4d_round_up(v4d_add(high, error)));
  for (int i = 0; i < 3; ++i) box->lower[i] = lower[i], box->upper[i] = upper[i];
}

static bool governed_faces_kernel(const governed *g, const governed_state *s, uint32_t node, const int direction[3])
{
  const governed_patch *p = &s->patches[node];
  patch_map m;
  cone_matrix q;
  map_patch(g, s, p, &m);
  return map_cofactors(g, p, &s->normals[node], &m, map_margin(g, p, m.size), &q) &&
         cone_has(&q, &s->normals[node], direction);
}

static KERNEL_INLINE v4d point_of_transforms(const governed *g, const double *piece, uint32_t size)
{
  const double *weight = piece + REST_NUMBERS;
  const uint32_t n = governed_row_length(size - REST_NUMBERS), *governor = (const uint32_t *)(const void *)(weight + n);
  v4d q = v4d_set(0), x0 = v4d_set(piece[0]), y0 = v4d_set(piece[1]), z0 = v4d_set(piece[2]);
  for (uint32_t e = 0; e < n; ++e) {
    const double *c = g->columns + 12 * (size_t)governor[e];
    v4d x = v4d_add(v4d_mul(v4d_load3(c), x0), v4d_mul(v4d_load3(c + 3), y0));
    x = v4d_add(v4d_add(x, v4d_mul(v4d_load3(c + 6), z0)), v4d_load3(c + 9));
    q = v4d_more(q, x, weight[e]);
  }
  return q;
}

static KERNEL_INLINE v4d point_of_points(const governed *g, const double *weight, uint32_t size)
{
  const uint32_t n = governed_row_length(size), *governor = (const uint32_t *)(const void *)(weight + n);
  v4d q = v4d_set(0);
  for (uint32_t e = 0; e < n; ++e) q = v4d_more(q, v4d_load3(g->columns + 3 * (size_t)governor[e]), weight[e]);
  return q;
}

static void governed_positions_kernel(const governed *g, const governed_rows *rows, const uint32_t *places,
                                      uint32_t begin, uint32_t count, const governed_space *to, float *out)
{
  const v4d origin = v4d_load3(to->origin);
  for (uint32_t i = 0; i < count; ++i) {
    uint32_t place = places ? places[i] : begin + i;
    const uint32_t first = rows->first[place], size = rows->first[place + 1] - first;
    v4d q = g->transforms ? point_of_transforms(g, rows->pieces + first, size)
                          : point_of_points(g, rows->pieces + first, size);
    q = v4d_times(v4d_sub(v4d_times(q, to->half), origin), to->scale);
    v4_store(out + 4 * (size_t)place, v4d_round(q));
  }
}

#endif
