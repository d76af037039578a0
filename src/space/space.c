/* The margins, each with its proof. u = 2^-24 is the rounding of a float, 2^-53 that of a
 * double. */
#include "space/space.h"

#include <float.h>
#include <limits.h>
#include <string.h>

/* A map between two spaces in float. m, t and a box's centre and half sides are rounded to float
 * once each, and a coordinate of the image is a sum of four products: about 12 roundings of 6e-8
 * of the lengths that take part, which are sums of absolute values. Boxes of the image are
 * compared with others: twice that, and a reserve of 2. */
#define FLOAT_MARGIN 4e-6

/* Beyond this, sums of such lengths or entries of the matrix in float may overflow: better no map
 * than a wrong one. */
#define MOST_LENGTH 0x1p120

/* Floats below 2^-126 are rounded by up to 2^-150: entries of a matrix (times a model's
 * coordinate) and a model's coordinates (times an entry), half of each and their sums. */
#define UNDERFLOW_MARGIN 0x1p-146

/* A box transformed to the world in double: three products and their sums, 8 roundings of 2^-53
 * = 1.1e-16 of the lengths that take part; and world positions are rounded as often themselves. */
#define DOUBLE_MARGIN 1e-14

/* The determinant of a matrix whose greatest entry is 1 is right to about 1e-15. Less than this,
 * and an inverse has lost 9 of its 15 digits. */
#define FLAT 1e-6

/* Rays, in double: the error of the map (inverse * matrix is not quite 1), the rounding of world
 * positions and that of the ray are each at most 32 roundings of 2^-53 of the lengths that take
 * part. */
#define RAY_MARGIN 0x1p-48

/* Doubles below 2^-1022 are rounded by up to 2^-1075, however small they are: three products of
 * a world position, and two terms of a ray's own error. */
#define DENORMAL_MARGIN 0x1p-1072

/* Products of three differences of coordinates stay within float, and their error terms too. */
#define SAFE_REACH 0x1p40

/* Squares of three differences stay within float up to 2^62; and what bounds of squares lose,
 * 2^-120, is little down to lengths of 2^-50. */
enum { UNIT_LEAST = -50, UNIT_MOST = 60 };
#define SAFE_SQUARES 0x1p60

/* Factors beyond these may take squares out of the range of float. */
#define LEAST_FACTOR 0x1p-60
#define MOST_FACTOR 0x1p60

/* ------------------------------------------------------------------------------------ making -- */

/* b if it is greater, and a number. */
static double greater(double a, double b) { return b > a ? b : a; }

/* A power of two as a factor. Both ways of multiplying by it are exact, or round a denormal product
 * in the same way. */
typedef struct two_power {
  int exponent;
  double factor; /* 0: no double has this value */
} two_power;

static two_power power_of(int exponent)
{
  return (two_power){exponent, exponent > -1000 && exponent < 1000 ? ldexp(1, exponent) : 0};
}

static inline double times(double x, two_power p) { return p.factor > 0 ? x * p.factor : ldexp(x, p.exponent); }

static void set_reach(space *s)
{
  for (int k = 0; k < 3; ++k) s->reach[k] = fabs((double)s->volumes.lower[k]) + fabs((double)s->volumes.upper[k]);
}

void space_make(space *s, const motion *m, const aabb *box, float loose)
{
  const pl_transform *there = motion_space(m);
  s->there = s->back = pl_transform_identity();
  s->moved = there != NULL;
  s->has_back = true;
  if (there) {
    s->there = *there;
    s->has_back = space_invert(there, &s->back);
  }
  s->plain = !m->now.transform;
  s->exponent = m->now.exponent;
  s->box = s->volumes = *box;
  for (int k = 0; k < 3 && loose != 0; ++k) { /* most trees are not loose: then it is a copy */
    s->volumes.lower[k] -= loose;
    s->volumes.upper[k] += loose;
  }
  set_reach(s);
  s->world = space_box_to_world(there, box);
}

bool space_invert(const pl_transform *f, pl_transform *out)
{
  double size = 0, determinant = 0, m[3][3];
  for (int i = 0; i < 9; ++i) size = greater(size, fabs(f->m[i / 3][i % 3]));
  if (!(size > 0 && size < INFINITY)) return false;
  /* the products of three stay within range, and powers of two round nothing */
  const two_power p = power_of(-ilogb(size));
  for (int i = 0; i < 9; ++i) m[i / 3][i % 3] = times(f->m[i / 3][i % 3], p);
  size = times(size, p);
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) {
      int a = (j + 1) % 3, b = (j + 2) % 3, c = (i + 1) % 3, d = (i + 2) % 3;
      out->m[i][j] = m[a][c] * m[b][d] - m[a][d] * m[b][c]; /* cofactors, transposed */
    }
  for (int k = 0; k < 3; ++k) determinant += m[0][k] * out->m[k][0];
  if (!(fabs(determinant) > FLAT * size * size * size)) return false;
  double inverse = 1 / determinant;
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j) out->m[i][j] = times(out->m[i][j] * inverse, p);
    out->t[i] = -(out->m[i][0] * f->t[0] + out->m[i][1] * f->t[1] + out->m[i][2] * f->t[2]);
  }
  return true;
}

/* ------------------------------------------------------------------------------------- boxes -- */

aabb space_box_to_world(const pl_transform *there, const aabb *box)
{
  if (!there) return *box;
  aabb world;
  for (int k = 0; k < 3; ++k) {
    double centre = there->t[k], reach = 0, size = fabs(centre);
    for (int c = 0; c < 3; ++c) {
      double low = box->lower[c], high = box->upper[c], m = there->m[k][c];
      centre += m * (0.5 * low + 0.5 * high);
      reach += fabs(m) * (0.5 * high - 0.5 * low);
      size += fabs(m) * (fabs(low) + fabs(high));
    }
    bool finite = size <= DBL_MAX; /* and not NaN from 0 times infinity */
    double margin = size > 0 ? DOUBLE_MARGIN * size + 2 * DENORMAL_MARGIN : 0;
    world.lower[k] = finite ? round_down(centre - reach - margin) : -INFINITY;
    world.upper[k] = finite ? round_up(centre + reach + margin) : INFINITY;
  }
  return world;
}

frame_change space_change(const space *from, const space *to)
{
  frame_change f = {0};
  const frame_change none = {.margin = INFINITY};
  if (!to->has_back) return none;
  double size = 0, rounding = 0, model = 0, entries = 0;
  bool safe = true;
  for (int i = 0; i < 3; ++i) {
    const double *back = to->back.m[i];
    model = greater(model, from->reach[i]);
    rounding =
        greater(rounding, (fabs(back[0]) + fabs(back[1]) + fabs(back[2])) * 2 * DENORMAL_MARGIN); /* both bodies' */
    double t = to->back.t[i], length = fabs(t) + to->reach[i];
    for (int j = 0; j < 3; ++j) {
      double m = back[0] * from->there.m[0][j] + back[1] * from->there.m[1][j] + back[2] * from->there.m[2][j];
      double shift = back[j] * from->there.t[j];
      t += shift;
      length += fabs(shift) + fabs(m) * from->reach[j];
      entries = greater(entries, fabs(m));
      f.m[i][j] = (float)m;
      f.abs[i][j] = (float)fabs(m);
    }
    f.t[i] = (float)t;
    safe = safe && length < MOST_LENGTH;
    size = greater(size, length);
  }
  if (!(safe && entries < MOST_LENGTH)) return none;
  f.margin = round_up(FLOAT_MARGIN * size + rounding + UNDERFLOW_MARGIN * (1 + model + 3 * entries));
  return f;
}

double space_size(const aabb *box)
{
  double size = 0;
  for (int k = 0; k < 3; ++k) size += fmax(fabs((double)box->lower[k]), fabs((double)box->upper[k]));
  return size;
}

/* A = M^T M. Where A is near a multiple s of the unit matrix (rotations, mirrors, even scales),
 * the stretch squared is at most s + |A - s|. Otherwise the norm of A^n is taken, n = 2^12: its
 * root is within a factor of 3^(1/4n) of the stretch, and never below. It is the product of the
 * norms of all squares on the way, each to a power: roots of roots, which are the same on every
 * machine, as logarithms are not. 1e-6 covers the rounding of m to float, and of all of this. */
float space_stretch(const frame_change *f)
{
  enum { SQUARES = 13 };
  const double reserve = 1 + 1e-6;
  double a[3][3] = {{0}}, norms[SQUARES], even = 0, off = 0;
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j)
      for (int k = 0; k < 3; ++k) a[i][j] += (double)f->m[k][i] * (double)f->m[k][j];
  even = (a[0][0] + a[1][1] + a[2][2]) / 3;
  for (int i = 0; i < 9; ++i) {
    double x = a[i / 3][i % 3] - (i % 4 ? 0 : even);
    off += x * x;
  }
  if (off < 1e-10 * even * even && even < 1e100) return round_up(sqrt(even + sqrt(off)) * reserve);
  for (int round = 0; round < SQUARES; ++round) {
    double norm = 0, square[3][3] = {{0}};
    for (int i = 0; i < 9; ++i) norm += a[i / 3][i % 3] * a[i / 3][i % 3];
    norm = sqrt(norm);
    if (!(norm > 1e-200 && norm < 1e200)) /* out of the squares' range */
      return round_up(norm > 1 ? INFINITY : norm < 1 ? 1e-75 : norm);
    norms[round] = norm; /* after the first one from 1/3 to 1 */
    for (int i = 0; i < 9; ++i) a[i / 3][i % 3] /= norm;
    for (int i = 0; i < 3; ++i)
      for (int j = 0; j < 3; ++j)
        for (int k = 0; k < 3; ++k) square[i][j] += a[i][k] * a[k][j];
    memcpy(a, square, sizeof a);
  }
  double root = 1;
  for (int round = SQUARES - 1; round >= 0; --round) root = sqrt(norms[round] * root);
  return round_up(root * reserve);
}

/* ----------------------------------------------------------------------------------- lengths -- */

/* A power of two that all world coordinates of the volumes are below, by the sizes of all
 * products; INT_MIN if they are 0. */
static int world_power(const space *s)
{
  int power = INT_MIN;
  for (int i = 0; i < 3; ++i) {
    if (s->there.t[i] != 0) power = ilogb(s->there.t[i]) > power ? ilogb(s->there.t[i]) : power;
    for (int j = 0; j < 3; ++j) {
      if (s->there.m[i][j] == 0 || s->reach[j] == 0) continue;
      int product = ilogb(s->there.m[i][j]) + ilogb(s->reach[j]);
      power = product > power ? product : power;
    }
  }
  return power == INT_MIN ? INT_MIN : power + 3;
}

int spaces_unit(const space *a, const space *b)
{
  enum {
    FLOATS_LEAST = -100,
    LEAST = -1000
  }; /* 2^-unit is a float where a model's own coordinates are, and a double */
  if (spaces_are_shared(a, b) && a->exponent) return a->exponent;
  for (int k = 0; k < 3; ++k)
    if (!(a->reach[k] < INFINITY && b->reach[k] < INFINITY)) return 0;
  int power_a = world_power(a), power_b = world_power(b), power = power_a > power_b ? power_a : power_b;
  if (power == INT_MIN || (power >= UNIT_LEAST && power < UNIT_MOST)) return 0;
  int least = a->exponent && b->exponent ? LEAST : FLOATS_LEAST;
  return power > least ? power : least;
}

static pl_transform in_units(const space *s, int unit)
{
  pl_transform t = s->there;
  for (int i = 0; unit && i < 3; ++i) {
    t.t[i] = ldexp(t.t[i], -unit);
    for (int j = 0; j < 3; ++j) t.m[i][j] = ldexp(t.m[i][j], -unit);
  }
  return t;
}

/* At most the square of the least singular value of m, and not less than a quarter of the mean
 * square. With G = m' m, g its mean diagonal element and E = G - g I, the eigenvalues of G
 * differ from g by at most the norm of E. */
float space_least_scale(const space *s, int unit)
{
  if (!s->moved && !unit) return 1;
  const pl_transform t = in_units(s, unit);
  double g[3][3], mean = 0, off = 0;
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) g[i][j] = t.m[0][i] * t.m[0][j] + t.m[1][i] * t.m[1][j] + t.m[2][i] * t.m[2][j];
  for (int i = 0; i < 3; ++i) mean += g[i][i] / 3;
  for (int i = 0; i < 9; ++i) {
    double e = g[i / 3][i % 3] - (i / 3 == i % 3 ? mean : 0);
    off += e * e;
  }
  double least = mean - sqrt(off);
  if (!(least > 0.25 * mean && least > LEAST_FACTOR && mean < MOST_FACTOR)) return 0;
  return round_down(least * (1 - 1e-9)); /* rounding in double is far below */
}

/* At least the world coordinates along axis i, in units; `t` is in_units(). */
static double world_reach(const space *s, const pl_transform *t, int unit, int i)
{
  if (!s->moved && !unit) return s->reach[i];
  double reach = fabs(t->t[i]);
  for (int j = 0; j < 3; ++j) reach += fabs(t->m[i][j]) * s->reach[j];
  return reach;
}

/* `size` bounds all coordinates of both bodies in the world, in units. */
static frame_change to_world(const space *s, const pl_transform *t, int unit, double size)
{
  double model = 0, entries = 0;
  frame_change f = {0};
  for (int i = 0; i < 3; ++i) {
    model = fmax(model, s->reach[i]);
    f.t[i] = (float)t->t[i];
    for (int j = 0; j < 3; ++j) {
      entries = fmax(entries, fabs(t->m[i][j]));
      f.m[i][j] = (float)t->m[i][j];
      f.abs[i][j] = fabsf(f.m[i][j]);
    }
  }
  double underflow = UNDERFLOW_MARGIN * (1 + model + 3 * entries) + ldexp(DENORMAL_MARGIN, -unit);
  f.margin = size < MOST_LENGTH && entries < MOST_LENGTH ? round_up(FLOAT_MARGIN * size + underflow) : INFINITY;
  return f;
}

void spaces_to_world(const space *a, const space *b, int unit, frame_change out[2])
{
  const pl_transform there_a = in_units(a, unit), there_b = in_units(b, unit);
  double size = 0;
  for (int i = 0; i < 3; ++i)
    size = fmax(size, fmax(world_reach(a, &there_a, unit, i), world_reach(b, &there_b, unit, i)));
  out[0] = to_world(a, &there_a, unit, size);
  out[1] = to_world(b, &there_b, unit, size);
}

bool space_has_squares(const space *s)
{
  for (int k = 0; k < 3; ++k)
    if (!(fabs((double)s->box.lower[k]) + fabs((double)s->box.upper[k]) < SAFE_SQUARES)) return false;
  return true;
}

/* ------------------------------------------------------------------------ triangles and rays -- */

bool space_origin(const aabb *a, const aabb *b, bool floats, double origin[3], double *furthest)
{
  bool safe = true;
  double most = 0;
  for (int k = 0; k < 3; ++k) {
    double lower = a->lower[k] > b->lower[k] ? a->lower[k] : b->lower[k];
    double upper = a->upper[k] < b->upper[k] ? a->upper[k] : b->upper[k];
    origin[k] = floats ? 0 : 0.5 * lower + 0.5 * upper;
    double ends[4] = {a->lower[k], a->upper[k], b->lower[k], b->upper[k]};
    for (int c = 0; c < 4; ++c) {
      double away = fabs(ends[c] - origin[k]);
      /* NaN: a box that is infinite on both sides has no middle */
      safe = safe && away <= SAFE_REACH;
      most = greater(most, away);
    }
  }
  *furthest = most;
  return safe;
}

bool space_ray_map(const space *s, double inverse[3][3], double shift[3], double slack[3])
{
  const pl_transform *f = &s->there, *back = &s->back;
  if (!s->has_back) return false;
  double most[3], lengths[3];
  for (int k = 0; k < 3; ++k) most[k] = fmax(fabs((double)s->box.lower[k]), fabs((double)s->box.upper[k]));
  for (int k = 0; k < 3; ++k) {
    lengths[k] = fabs(f->t[k]);
    for (int j = 0; j < 3; ++j) lengths[k] += fabs(f->m[k][j]) * most[j];
  }
  for (int k = 0; k < 3; ++k) {
    shift[k] = f->t[k];
    slack[k] = 0;
    for (int j = 0; j < 3; ++j) {
      double product = 0, size = 0;
      for (int i = 0; i < 3; ++i) {
        product += back->m[k][i] * f->m[i][j];
        size += fabs(back->m[k][i] * f->m[i][j]);
      }
      inverse[k][j] = back->m[k][j];
      slack[k] += (fabs(product - (k == j)) + RAY_MARGIN * size) * most[j] +
                  fabs(back->m[k][j]) * (RAY_MARGIN * lengths[j] + DENORMAL_MARGIN);
    }
  }
  return true;
}

space space_of_world(const aabb *box)
{
  space at = {.there = pl_transform_identity(), .back = pl_transform_identity(), .has_back = true, .plain = true};
  at.box = at.volumes = at.world = *box;
  for (int k = 0; k < 3; ++k) at.reach[k] = fabs((double)box->lower[k]) + fabs((double)box->upper[k]);
  return at;
}
