#include "support/loose.h"

const char *spread_word(spread s)
{
#define SPREAD_WORD(name, word) word,
  static const char *const words[] = {SPREAD_LIST(SPREAD_WORD)};
#undef SPREAD_WORD
  return words[s];
}

static void place(test_rng *rng, spread s, size_t i, size_t n, double corner[9])
{
  double at[3], edge = 1.5 / cbrt((double)n);
  for (int k = 0; k < 3; ++k) at[k] = test_uniform(rng, -1, 1);
  if (s == SPREAD_SURFACE) {
    double length = sqrt(at[0] * at[0] + at[1] * at[1] + at[2] * at[2]) + 1e-9;
    for (int k = 0; k < 3; ++k) at[k] /= length;
  }
  if (s == SPREAD_SKEWED && i % 97) edge = 1e-4;
  if (s == SPREAD_SKEWED && i % 97)
    for (int k = 0; k < 3; ++k) at[k] = 0.9 + 1e-3 * at[k];
  if (s == SPREAD_SLIVERS) edge = 0.01;
  for (int c = 0; c < 9; ++c) {
    double x = at[c % 3] + test_uniform(rng, -edge, edge);
    if (s == SPREAD_SLIVERS && c >= 6) x = -at[c % 3];
    if (s == SPREAD_FLAT && c % 3 == 2) x = 1;
    if (s == SPREAD_LINE && c % 3) x = 0.25;
    if (s == SPREAD_POINT) x = 0.5;
    if (s == SPREAD_LATTICE) x = (double)(test_below(rng, 3) + (int)floor(4 * at[c % 3]));
    if (s == SPREAD_HUGE_BOX) x *= 1e30;
    if (s == SPREAD_TINY_BOX) x *= 1e-30;
    if (s == SPREAD_FAR_AWAY) x = 1e6 + x;
    corner[c] = s == SPREAD_ENDLESS && i % 50 == 0 ? x * 1e300 : (float)x;
  }
}

loose loose_make(spread s, size_t n, uint64_t seed)
{
  test_rng rng = {.state = seed};
  loose l = {.count = n, .size = 1};
  l.xyz = malloc(9 * n * sizeof *l.xyz);
  l.xyz_f32 = malloc((9 * n + 1) * sizeof *l.xyz_f32);
  l.triangles = malloc(3 * n * sizeof *l.triangles);
  for (size_t i = 0; i < n; ++i) {
    place(&rng, s, i, n, l.xyz + 9 * i);
    if (s == SPREAD_SAME && i >= n / 5) memcpy(l.xyz + 9 * i, l.xyz + 9 * (i % (n / 5)), 9 * sizeof *l.xyz);
  }
  for (size_t i = 0; i < 9 * n; ++i) l.xyz_f32[i] = (float)l.xyz[i];
  for (size_t i = 0; i < 3 * n; ++i) l.triangles[i] = (uint32_t)i;
  l.size = s == SPREAD_HUGE_BOX ? 1e30 : s == SPREAD_TINY_BOX ? 1e-30 : s == SPREAD_LATTICE ? 4 : 1;
  for (int k = 0; k < 3; ++k)
    l.middle[k] = s == SPREAD_FAR_AWAY ? 1e6 : s == SPREAD_FLAT && k == 2 ? 1 : s == SPREAD_SKEWED ? 0.9 : 0;
  if (s == SPREAD_SKEWED) l.size = 2e-3;
  return l;
}

void loose_free(loose *l)
{
  free(l->xyz);
  free(l->xyz_f32);
  free(l->triangles);
}

pl_positions loose_positions(const loose *l, bool doubles)
{
  return doubles ? pl_positions_f64(l->xyz, 3 * l->count) : pl_positions_f32(l->xyz_f32, 3 * l->count);
}

pl_body *loose_body(pl_context *context, const loose *l, bool doubles, pl_soup_method method, const pl_body_def *def)
{
  pl_mesh_def mesh = pl_mesh_def_default();
  mesh.positions = loose_positions(l, doubles);
  mesh.triangles = l->triangles;
  mesh.triangle_count = l->count;
  pl_soup_def soup = pl_soup_def_default();
  soup.method = method;
  pl_body *body;
  if (pl_body_create_soup(context, &mesh, &soup, def, &body) != PL_OK) fail_msg("%s", pl_context_message(context));
  return body;
}

pl_context *loose_context(int threads, const char *simd)
{
  pl_context_def def = pl_context_def_default();
  def.threads = threads;
  def.simd = simd;
  pl_context *context;
  return pl_context_create(&def, &context) == PL_OK ? context : NULL;
}

void loose_aim(test_rng *rng, const loose *l, pl_ray *ray)
{
  double from[3], to[3];
  double far = test_below(rng, 8) ? 3 : test_below(rng, 2) ? 300 : 1e7;
  const double *corner = l->xyz + 9 * (size_t)test_below(rng, (int)l->count);
  int kind = test_below(rng, 5);
  for (int k = 0; k < 3; ++k) {
    from[k] = l->middle[k] + test_uniform(rng, -far, far) * l->size;
    to[k] = l->middle[k] + test_uniform(rng, -1, 1) * l->size;
    if (kind == 0) to[k] = corner[k];                         /* a corner */
    if (kind == 1) to[k] = 0.5 * (corner[k] + corner[k + 3]); /* an edge */
    if (kind == 2) to[k] = 0.4 * corner[k] + 0.3 * corner[k + 3] + 0.3 * corner[k + 6];
    if (kind == 3) from[k] = to[k] + (k == 1 ? -2 : 0) * l->size; /* along an axis */
    if (test_below(rng, 12) == 0) from[k] = to[k];
    ray->origin[k] = from[k];
    ray->direction[k] = (to[k] - from[k]) * (test_below(rng, 4) ? 1 : test_below(rng, 2) ? 100 : 0.01);
  }
  if (ray->direction[0] == 0 && ray->direction[1] == 0 && ray->direction[2] == 0) ray->direction[2] = -l->size;
  ray->t_min = test_below(rng, 4) ? 0 : test_below(rng, 3) ? 0.4 : -INFINITY;
  ray->t_max = test_below(rng, 4) ? INFINITY : test_below(rng, 2) ? 1.1 : 0.5;
}
