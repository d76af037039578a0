/* Which volumes a job tests, and what their tests need of the map between two model spaces. Bodies with the same kind of shapes test
 * them; all others, and those that a flat transform leaves without a way back, meet as boxes. */
#include "query/query.h"

/* At least the greatest stretch of a matrix: the root of the norm of (M^T M)^n, for n = 2^12, is within a factor of 3^(1/4n) of it and
 * never below. */
static double stretch_of(const float m[3][3])
{
  double a[3][3] = {{0}}, log_norm = 0, power = 1;
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j)
      for (int k = 0; k < 3; ++k) a[i][j] += (double)m[k][i] * (double)m[k][j];
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
  if (volume != j->b->def.volume || !k->walk_shapes[volume][j->oriented]) return;
  if (j->oriented && !(j->to_a.margin < INFINITY && j->to_b.margin < INFINITY)) return;
  j->volume = volume;
  if (!j->oriented || volume != PL_VOLUME_SPHERE) return;
  j->to_a.stretch = round_up(stretch_of(j->to_a.m));
  j->to_b.stretch = round_up(stretch_of(j->to_b.m));
}

static double box_size(aabb box)
{
  double size = 0;
  for (int k = 0; k < 3; ++k) size += fmax(fabs((double)box.lower[k]), fabs((double)box.upper[k]));
  return size;
}

/* The slabs of a body's k-DOPs for volumes of another space, which f carries into its own. The map is right to its margin along each
 * axis, so to 3 along a normal; 2^-18 of all terms covers the roundings that follow. */
static void change_kdops(int slabs, const frame_change *f, double own_size, double other_size, kdop_change *out)
{
  for (int s = 0; s < KDOP_AXES + slabs; ++s) {
    const signed char *n = kdop_normal(slabs, s);
    kdop_direction *d = &out->direction[s];
    double along[3], shift = 0, length = own_size;
    for (int c = 0; c < 3; ++c)
      along[c] = n[0] * (double)f->m[0][c] + n[1] * (double)f->m[1][c] + n[2] * (double)f->m[2][c];
    for (int c = 0; c < 3; ++c) {
      shift += n[c] * (double)f->t[c];
      length += fabs((double)f->t[c]);
    }
    length += kdop_cone(slabs, along, d) * other_size;
    d->shift = (float)shift;
    d->margin = round_up(3 * (double)f->margin + 0x1p-18 * length);
  }
}

void walk_prepare_shapes(walk *w, const job *j)
{
  w->volume = j->volume;
  int slabs = j->volume == PL_VOLUME_KDOP14   ? KDOP14_SLABS
              : j->volume == PL_VOLUME_KDOP18 ? KDOP18_SLABS
              : j->volume == PL_VOLUME_KDOP26 ? KDOP26_SLABS
                                              : 0;
  if (!j->oriented || !slabs) return;
  double size_a = box_size(body_model_box(j->a)), size_b = box_size(body_model_box(j->b));
  change_kdops(slabs, &j->to_a, size_a, size_b, &w->kdops_a);
  change_kdops(slabs, &j->to_b, size_b, size_a, &w->kdops_b);
}
