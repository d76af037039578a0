/* Patches of edited leaves: the bounds of each patch above are extended by the leaf's vertices,
 * with the fit that it has. What governed_fit.c measures of a vertex is measured here of those
 * alone, so that bounds hold for what they held for, and for these. They do not shrink until the
 * tree is built again. A patch with a vertex of a governor that it does not have is merged from its
 * children's. Cost: O(vertices of the leaf x governors) for each patch. */
#include "update/governed_patch.h"

#include <string.h>

/* A patch, its terms as they are packed, and one vertex. */
typedef struct extension {
  const governed *g;
  governed_patch *patch;
  const uint32_t *governor;
  double *numbers; /* of the first term */
  double d[3];     /* of the vertex */
} extension;

static float above(double x) { return x > 0 ? round_up(x * (1 + 0x1p-40)) : 0; }

static void extend(float *bound, double x)
{
  const float more = above(x);
  if (!(*bound >= more)) *bound = more;
}

static void extend_frame(extension *e)
{
  governed_patch *p = e->patch;
  double left[3], at[3] = {0}, size = 0;
  memcpy(left, e->d, sizeof left);
  for (int k = 0; k < 3; ++k) {
    extend(&p->half[k], fabs(e->d[k]));
    for (int l = 0; l < 3; ++l) at[k] += (double)p->axis[k][l] * e->d[l];
    for (int l = 0; l < 3; ++l) left[l] -= (double)p->axis[k][l] * at[k];
    size = fmax(size, fabs(at[k]) + fabs((double)p->centre[k]));
  }
  for (int k = 0; k < 3; ++k) extend(&p->reach[k], fabs(at[k] - (double)p->centre[k]) + 0x1p-46 * size);
  for (int k = 0; k < 3; ++k) extend(&p->skew, fabs(left[k]) + 0x1p-46 * size);
}

/* A column: a, C, rho. Returns a bound of the weight, fitted or not, anywhere on the patch. */
static double extend_column(const extension *e, double *column, double weight)
{
  double fit = column[0], all = fabs(column[0]), slope = 0;
  for (int k = 0; k < 3; ++k) {
    fit += column[1 + k] * e->d[k];
    slope += fabs(column[1 + k]) * (double)e->patch->half[k];
  }
  all += slope;
  float rho = above(column[4]);
  extend(&rho, fabs(weight - fit) + 0x1p-47 * (all + fabs(weight)));
  column[4] = (double)rho;
  return all + (double)rho;
}

/* The place of the box of a term's vertices at rest. */
static void extend_image(const extension *e, double *image)
{
  for (int k = 0; k < 3; ++k) {
    float half = above(image[3 + k]);
    extend(&half, fabs(e->d[k] - image[k]));
    image[3 + k] = (double)half;
  }
}

static double weight_of(const governed *g, uint32_t v, uint32_t governor)
{
  double w = 0;
  for (uint32_t e = g->first[v]; e < g->end[v]; ++e)
    if (g->governor[e] == governor) w += g->weight[e];
  return w;
}

/* Returns the sum over the terms of bounds of their weights. */
static double extend_terms(extension *e, uint32_t v)
{
  const governed *g = e->g;
  const double size = g->rest_size * ldexp(1, -g->rest_exponent);
  double gain = 1;
  for (uint32_t k = 0; k < e->patch->count; ++k) {
    double *n = e->numbers + (g->transforms ? TRANSFORM_NUMBERS : POINT_NUMBERS) * (size_t)k;
    const double w = weight_of(g, v, e->governor[k]);
    if (!g->transforms) {
      gain += extend_column(e, n + POINT_PARTS, w);
      continue;
    }
    double most = extend_column(e, n + 1 + 3 * COLUMN_NUMBERS, w);
    for (int l = 0; l < 3; ++l) {
      const double moment = extend_column(e, n + 1 + COLUMN_NUMBERS * l, w * e->d[l]);
      if (size > 0) most = fmax(most, moment / size);
    }
    if (w != 0) extend_image(e, n + TRANSFORM_IMAGE);
    gain += most;
  }
  return gain;
}

/* Are all governors of a vertex among those of the patch? */
static bool has_governors(const extension *e, uint32_t v)
{
  for (uint32_t i = e->g->first[v]; i < e->g->end[v]; ++i) {
    uint32_t k = 0;
    while (k < e->patch->count && e->governor[k] != e->g->governor[i]) ++k;
    if (k == e->patch->count) return false;
  }
  return true;
}

static void extend_patch(const governed *g, governed_state *s, uint32_t node, const uint32_t *list, uint32_t count)
{
  extension e = {.g = g, .patch = &s->patches[node]};
  const double scale = ldexp(1, -g->rest_exponent);
  e.governor = s->governor + e.patch->first;
  e.numbers = s->numbers + (g->transforms ? TRANSFORM_NUMBERS : POINT_NUMBERS) * (size_t)e.patch->first;
  for (uint32_t i = 0; i < count && e.patch->count; ++i) {
    if (i && list[i] == list[i - 1]) continue; /* padding */
    if (!has_governors(&e, list[i])) {
      e.patch->count = 0;
      return;
    }
    governed_rest(g, list[i], e.d);
    for (int k = 0; k < 3; ++k) e.d[k] = (e.d[k] - e.patch->middle[k]) * scale;
    extend_frame(&e);
    extend(&e.patch->gain, extend_terms(&e, list[i]));
  }
}

void governed_extend(const tree *t, const governed *g, governed_state *s, uint32_t leaf)
{
  const uint32_t *list = t->prims.list + t->prims.list_first[leaf];
  const uint32_t count = t->prims.list_first[leaf + 1] - t->prims.list_first[leaf];
  for (uint32_t node = t->nodes.leaf_slot[leaf] >> 3; node != TREE_ROOT; node = t->nodes.slot[node] >> 3)
    extend_patch(g, s, node, list, count);
}
