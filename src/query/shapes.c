/* Which volumes a job tests, and what their tests need of the map between two model spaces. Bodies with the same kind of shapes test
 * them; all others, and those that a flat transform leaves without a way back, meet as boxes. */
#include "query/query.h"

/* At least the greatest stretch of a matrix, A = M^T M. Where A is near a multiple s of the unit matrix (rotations, mirrors, even scales), it is
 * at most s + |A - s|. Otherwise the norm of A^n is taken, n = 2^12: its root is within a factor of 3^(1/4n) of the stretch, and never
 * below. */
static double stretch_of(const float m[3][3])
{
  double a[3][3] = {{0}}, log_norm = 0, power = 1, even = 0, off = 0;
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j)
      for (int k = 0; k < 3; ++k) a[i][j] += (double)m[k][i] * (double)m[k][j];
  even = (a[0][0] + a[1][1] + a[2][2]) / 3;
  for (int i = 0; i < 9; ++i) {
    double x = a[i / 3][i % 3] - (i % 4 ? 0 : even);
    off += x * x;
  }
  if (off < 1e-10 * even * even && even < 1e100) return sqrt(even + sqrt(off)) * (1 + 1e-6);
  for (int round = 0; round <= 12; ++round, power *= 0.5) {
    double norm = 0, square[3][3] = {{0}};
    for (int i = 0; i < 9; ++i) norm += a[i / 3][i % 3] * a[i / 3][i % 3];
    norm = sqrt(norm);
    if (!(norm > 1e-200 && norm < 1e200))
      return norm > 1 ? INFINITY : norm < 1 ? 1e-75 : norm; /* out of the squares' range */
    log_norm += power * log(norm);
    for (int i = 0; i < 9; ++i) a[i / 3][i % 3] /= norm;
    for (int i = 0; i < 3; ++i)
      for (int j = 0; j < 3; ++j)
        for (int k = 0; k < 3; ++k) square[i][j] += a[i][k] * a[k][j];
    for (int i = 0; i < 9; ++i) a[i / 3][i % 3] = square[i / 3][i % 3];
  }
  return exp(0.5 * log_norm) * (1 + 1e-6); /* covers the rounding of m to float, and of all of this */
}

void job_choose_shapes(job *j)
{
  pl_volume volume = j->a->def.volume;
  const kernels *k = kernels_of(j->a->context->isa);
  j->volume = PL_VOLUME_AABB;
  if (volume == PL_VOLUME_AABB || volume != j->b->def.volume || !k->pairs->walk[volume][j->oriented]) return;
  if (j->oriented && !(j->to_a.margin < INFINITY && j->to_b.margin < INFINITY)) return;
  j->volume = volume;
  if (!j->oriented || !shape_kind_of(volume)->stretches) return;
  j->to_a.stretch = round_up(stretch_of(j->to_a.m));
  j->to_b.stretch = round_up(stretch_of(j->to_b.m));
}

static double box_size(aabb box)
{
  double size = 0;
  for (int k = 0; k < 3; ++k) size += fmax(fabs((double)box.lower[k]), fabs((double)box.upper[k]));
  return size;
}

void walk_prepare_shapes(walk *w, const job *j)
{
  w->volume = j->volume;
  w->side[0].layer = w->side[1].layer = j->volume != PL_VOLUME_AABB ? LAYER_SHAPES : LAYER_BOXES;
  if (j->volume == PL_VOLUME_AABB || !j->oriented) return;
  double size_a = box_size(body_volumes_box(j->a)), size_b = box_size(body_volumes_box(j->b));
  w->map[0] = (volume_map){.f = &w->to_b, .own = size_b, .other = size_a};
  w->map[1] = (volume_map){.f = &w->to_a, .own = size_a, .other = size_b};
}
