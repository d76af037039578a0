#include "motion/between.h"

#include "mesh/mesh.h"

#include <math.h>
#include <string.h>

/* between parameters: nearer ones would lose bits in the weights */
static const double least_step = 1.0 / 1024;

pl_status between_check(pl_context *context, const pl_morph_def *d)
{
  if (d->inbetweens < 0 || d->inbetweens > BETWEEN_MOST)
    return fail(context, PL_ERROR_ARGUMENT, "%d in-betweens: there must be 0 to %d", d->inbetweens, BETWEEN_MOST);
  double last = 0;
  for (int k = 0; d->inbetween_parameters && k < d->inbetweens; ++k) {
    double s = d->inbetween_parameters[k];
    if (!(s - last >= least_step && 1 - s >= least_step))
      return fail(context, PL_ERROR_ARGUMENT,
                  "in-between parameter %d is %g: they must ascend from 0 to 1 by steps of at least 1/1024", k, s);
    last = s;
  }
  if (d->inbetween_pair_count < 0 || (d->inbetween_pair_count && !d->inbetween_pairs))
    return fail(context, PL_ERROR_ARGUMENT, "the pairs of in-betweens are missing");
  for (int k = 0; k < d->inbetween_pair_count; ++k) {
    int i = d->inbetween_pairs[2 * k], j = d->inbetween_pairs[2 * k + 1];
    if (i < 0 || j < 0 || i >= d->reference_count || j >= d->reference_count || i == j)
      return fail(context, PL_ERROR_ARGUMENT, "in-between pair %d names references %d and %d of %d", k, i, j,
                  d->reference_count);
    if (d->kind == PL_MORPH_ADDITIVE && i != 0 && j != 0)
      return fail(context, PL_ERROR_ARGUMENT,
                  "in-between pair %d must hold the base, reference 0, of an additive morph", k);
  }
  return PL_OK;
}

static double parameter(const pl_morph_def *d, int k)
{
  return d->inbetween_parameters ? d->inbetween_parameters[k] : (k + 1.0) / (d->inbetweens + 1);
}

static void add_knot(knot_list *b, const morph *m, double alpha, double beta, int reference)
{
  b->knots[b->knot_count++] = (knot){alpha, beta, reference >= 0 ? reference : m->count + b->extra++};
}

static void add_pair(knot_list *b, const morph *m, const pl_morph_def *d, int i, int j)
{
  knot_pair *p = &b->pairs[b->pair_count++];
  *p = (knot_pair){i < j ? i : j, i < j ? j : i, b->knot_count, 0};
  if (m->kind == PL_MORPH_CONVEX) {
    add_knot(b, m, 1, 0, p->i);
    for (int k = 0; k < d->inbetweens; ++k) {
      double s = i < j ? parameter(d, k) : 1 - parameter(d, d->inbetweens - 1 - k);
      add_knot(b, m, 1 - s, s, -1);
    }
    add_knot(b, m, 0, 1, p->j);
  } else { /* up to a weight of 1, or up to the end of the range if that is nearer: that end is no reference */
    double end = m->high > 0 && m->high < 1 ? m->high : 1;
    add_knot(b, m, 1, 0, 0);
    for (int k = 0; k < d->inbetweens; ++k) add_knot(b, m, 1, end * parameter(d, k), -1);
    add_knot(b, m, 1, end, -1);
  }
  p->count = b->knot_count - p->first;
}

pl_status between_create(pl_context *context, const pl_morph_def *def, const morph *m, knot_list *out)
{
  *out = (knot_list){0};
  if (!def->inbetweens) return PL_OK;
  size_t pairs = def->inbetween_pair_count ? (size_t)def->inbetween_pair_count : (size_t)m->count;
  size_t knots = pairs * ((size_t)def->inbetweens + 2);
  out->pairs = mem_raw(&context->def.allocator, pairs, sizeof *out->pairs);
  out->knots = mem_raw(&context->def.allocator, knots, sizeof *out->knots);
  if (!out->pairs || !out->knots) {
    between_free(context, out);
    return fail(context, PL_ERROR_MEMORY, "no memory for %d shapes between references", def->inbetweens);
  }
  for (int k = 0; k < def->inbetween_pair_count; ++k)
    add_pair(out, m, def, def->inbetween_pairs[2 * k], def->inbetween_pairs[2 * k + 1]);
  for (int k = 1; !def->inbetween_pair_count && k < m->count; ++k)
    add_pair(out, m, def, m->kind == PL_MORPH_CONVEX ? k - 1 : 0, k);
  return PL_OK;
}

void between_free(pl_context *context, knot_list *b)
{
  mem_free_all(&context->def.allocator, b->pairs, b->knots);
  memset(b, 0, sizeof *b);
}

static const knot_pair *find_pair(const knot_list *b, int i, int j)
{
  for (int k = 0; k < b->pair_count; ++k)
    if (b->pairs[k].i == i && b->pairs[k].j == j) return &b->pairs[k];
  return NULL;
}

/* The weights as a combination of two knots. Where one of them is a reference, only its part of
 * the other's shape is divided out, so that the other's weight is right to a few 2^-53 of
 * itself; between two knots, to 2^-41 of the whole. A weight that rounding takes below 0 becomes
 * 0. */
static void put_two(const knot *k, double ci, double cj, recipe *out)
{
  double determinant = k[0].alpha * k[1].beta - k[1].alpha * k[0].beta;
  double weight[2] = {(ci * k[1].beta - cj * k[1].alpha) / determinant,
                      (k[0].alpha * cj - k[0].beta * ci) / determinant};
  for (int e = 0; e < 2; ++e) {
    if (!(weight[e] > 0)) continue;
    out->stored[out->count] = k[e].stored;
    out->weight[out->count++] = weight[e];
  }
}

/* Additive weights may be outside of the knots. */
static bool in_range(const knot_list *b, const knot_pair *pair, double cj)
{
  return cj >= 0 &&
         (b->knots[pair->first + pair->count - 1].alpha == 0 || cj <= b->knots[pair->first + pair->count - 1].beta);
}

void between_choose(const morph *m, recipe *out)
{
  const knot_list *b = &m->knots;
  out->count = 0;
  const knot_pair *pair = m->active_count == 2 ? find_pair(b, m->active[0], m->active[1]) : NULL;
  if (!pair || !in_range(b, pair, m->coefficient[pair->j])) {
    for (int k = 0; k < m->active_count; ++k) {
      out->stored[out->count] = m->active[k];
      out->weight[out->count++] = m->coefficient[m->active[k]];
    }
    return;
  }
  double ci = m->coefficient[pair->i], cj = m->coefficient[pair->j];
  const knot *k = b->knots + pair->first, *last = k + pair->count - 2;
  while (k < last && cj * k[1].alpha > ci * k[1].beta) ++k; /* beyond the next knot */
  put_two(k, ci, cj, out);
}

void between_point(const morph *m, const knot_pair *pair, const knot *k, size_t vertex, double out[3])
{
  double p[3], q[3];
  positions_get(morph_reference(m, pair->i), vertex, p);
  positions_get(morph_reference(m, pair->j), vertex, q);
  for (int a = 0; a < 3; ++a) out[a] = k->alpha * p[a] + k->beta * q[a];
}
