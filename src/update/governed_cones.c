/* Normals, slopes and gradients of triangles at rest, once per tree; all bounds are rounded up. */
#include "update/governed_cones.h"

#include <string.h>

/* --------------------------------------------------------------------------------- measuring -- */

typedef struct measuring {
  const patches *p;
  const governed *g;
  double scale;      /* of d */
  double blur;       /* of a coordinate at rest, in units of d */
  double (*rest)[3]; /* of each vertex, in units of d, not relative to a patch */
  uint32_t *place;   /* of each governor: 1 + its term in the patch, or 0 */
} measuring;

/* A triangle at rest: edges, normal, and what makes gradients of differences along the edges. */
typedef struct rest_triangle {
  double e[2][3], normal[3];
  double sliver;        /* (|e1| + |e2|) / |e1 x e2| */
  double g11, g12, g22; /* |gradient|^2 = g11 x1^2 + 2 g12 x1 x2 + g22 x2^2 */
} rest_triangle;

/* At least x, in float; 0 stays 0. */
static float above(double x) { return x > 0 ? round_up(x * (1 + 0x1p-18)) : 0; }

/* false: too thin for its normal to be known. */
static bool take_triangle(const measuring *m, uint32_t t, rest_triangle *out)
{
  const uint32_t *v = m->p->tree.prims.tri + 3 * (size_t)t;
  double n[3];
  for (int i = 0; i < 2; ++i)
    for (int k = 0; k < 3; ++k) out->e[i][k] = m->rest[v[i + 1]][k] - m->rest[v[0]][k];
  cross3(out->e[0], out->e[1], n);
  double s1 = dot3(out->e[0], out->e[0]), s2 = dot3(out->e[1], out->e[1]), area = sqrt(dot3(n, n));
  double sum = sqrt(s1) + sqrt(s2);
  if (!(area > 0x1p-900) || !isfinite(area) || !(area > 0x1p-26 * sum * sum)) return false;
  out->sliver = sum / area;
  if (!(out->sliver * m->blur < 0x1p-24)) return false;
  for (int k = 0; k < 3; ++k) out->normal[k] = n[k] / area;
  double square = 1 / area / area;
  out->g11 = s2 * square;
  out->g22 = s1 * square;
  out->g12 = -dot3(out->e[0], out->e[1]) * square;
  return true;
}

/* The cone of the normals. false: there is none. */
static bool measure_normals(const measuring *m, const patch *q, patch_normals *out)
{
  double axis[3] = {0, 0, 0}, least = 1, sliver = 0;
  rest_triangle r;
  for (uint32_t t = q->begin; t < q->end; ++t) {
    if (!take_triangle(m, t, &r)) return false;
    for (int k = 0; k < 3; ++k) axis[k] += r.normal[k];
    sliver = fmax(sliver, r.sliver);
  }
  double length = sqrt(dot3(axis, axis));
  if (!(length > 1e-3 * (q->end - q->begin))) return false;
  for (int k = 0; k < 3; ++k) {
    out->axis[k] = round_near(axis[k] / length);
    axis[k] = (double)out->axis[k];
  }
  for (uint32_t t = q->begin; t < q->end; ++t) {
    take_triangle(m, t, &r);
    least = fmin(least, dot3(axis, r.normal));
  }
  least = fmin(least, 1) - 0x1p-17; /* the normals are right to 2^-20, the axis to 2^-23 */
  if (!(least > 1e-3)) return false;
  out->cosine = round_down(least);
  out->sine = above(sqrt(1 - (double)out->cosine * (double)out->cosine));
  out->chord = above(sqrt(2 - 2 * (double)out->cosine));
  out->sliver = above(sliver);
  return isfinite(out->sliver);
}

/* How far the gradients of a patch's weights on one triangle are from their slopes: the greatest
 * so far. */
typedef struct edge_change {
  double x[2][4]; /* along both edges, of the three moments and of the weight */
} edge_change;

/* Adds the weights of a vertex, and their moments, times `sign` to both edges. */
static void add_vertex(const measuring *m, const governed_patch *own, uint32_t v, const double sign[2],
                       edge_change *change)
{
  const governed *g = m->g;
  double d[4];
  for (int l = 0; l < 3; ++l) d[l] = m->rest[v][l] - own->middle[l] * m->scale;
  d[3] = 1;
  for (uint32_t e = g->first[v]; e < g->end[v]; ++e) {
    edge_change *c = &change[m->place[g->governor[e]] - 1];
    for (int l = 0; l < 4; ++l) {
      double x = g->weight[e] * d[l];
      c->x[0][l] += sign[0] * x;
      c->x[1][l] += sign[1] * x;
    }
  }
}

static double gradient_error(const rest_triangle *r, const patch_weight *w, double x1, double x2, double size)
{
  const double c[3] = {(double)w->c[0], (double)w->c[1], (double)w->c[2]};
  x1 -= dot3(c, r->e[0]);
  x2 -= dot3(c, r->e[1]);
  double parts = r->g11 * x1 * x1 + r->g22 * x2 * x2, cross = 2 * r->g12 * x1 * x2;
  double square = parts + cross + 0x1p-44 * (parts + fabs(cross));
  return (square > 0 ? sqrt(square) : 0) + 0x1p-46 * size * r->sliver;
}

static void measure_sigmas(const measuring *m, const patch *q, const governed_patch *own, const patch_term *terms,
                           edge_change *change, float (*sigma)[4])
{
  static const double sign[3][2] = {{-1, -1}, {1, 0}, {0, 1}};
  rest_triangle r;
  /* what 2^-46 of it bounds: roundings of d, and of positions at rest */
  double half = 0x1p50 * m->blur;
  for (int k = 0; k < 3; ++k) half += (double)own->half[k];
  for (uint32_t t = q->begin; t < q->end; ++t) {
    const uint32_t *v = m->p->tree.prims.tri + 3 * (size_t)t;
    take_triangle(m, t, &r);
    memset(change, 0, own->count * sizeof *change);
    for (int c = 0; c < 3; ++c) add_vertex(m, own, v[c], sign[c], change);
    for (uint32_t k = 0; k < own->count; ++k)
      for (int l = m->g->transforms ? 0 : 3; l < 4; ++l) {
        const patch_weight *w = l < 3 ? &terms[k].moments[l] : &terms[k].weight;
        double slope = fabs((double)w->c[0]) + fabs((double)w->c[1]) + fabs((double)w->c[2]);
        double size = m->g->sum * (l < 3 ? half : 1) + slope * half;
        float x = above(gradient_error(&r, w, change[k].x[0][l], change[k].x[1][l], size));
        sigma[k][l] = x > sigma[k][l] ? x : sigma[k][l];
      }
  }
}

/* What bounds the rounding of the Jacobian. */
static void sum_magnitudes(const governed_patch *own, const patch_term *terms, const float (*sigma)[4],
                           patch_normals *normals)
{
  double slopes[2] = {0, 0}, parts = 0;
  for (uint32_t k = 0; k < own->count; ++k)
    for (int l = 0; l < 4; ++l) {
      const patch_weight *w = l < 3 ? &terms[k].moments[l] : &terms[k].weight;
      slopes[l == 3] += fabs((double)w->c[0]) + fabs((double)w->c[1]) + fabs((double)w->c[2]) + (double)sigma[k][l];
      parts += fabs((double)terms[k].part[l]);
    }
  for (int i = 0; i < 2; ++i) normals->slopes[i] = above(slopes[i]);
  normals->parts = above(parts);
}

static void measure_patch(const measuring *m, uint32_t node, const governed_patch *own, const patch_term *terms,
                          edge_change *change, patch_normals *normals, float (*sigma)[4])
{
  if (!measure_normals(m, &m->p->patch[node], normals)) {
    normals->cosine = -1;
    return;
  }
  for (uint32_t k = 0; k < own->count; ++k) m->place[terms[k].governor] = k + 1;
  measure_sigmas(m, &m->p->patch[node], own, terms, change, sigma + own->first);
  sum_magnitudes(own, terms, (const float(*)[4])sigma + own->first, normals);
}

pl_status governed_measure(pl_context *context, const patches *p, const governed *g, const governed_state *fits,
                           const patch_term *all, patch_normals **normals, float (**sigma)[4])
{
  const pl_allocator *allocator = &context->def.allocator;
  const uint32_t inner = p->tree.nodes.inner_count;
  measuring m = {.p = p, .g = g, .scale = ldexp(1, -g->rest_exponent)};
  size_t terms = 0, most = 0;
  for (uint32_t i = 0; i < inner; ++i) {
    terms += fits->patches[i].count;
    most = fits->patches[i].count > most ? fits->patches[i].count : most;
  }
  m.blur = g->rest_size * m.scale * (g->transforms ? 1 : g->sum * (double)(g->longest + 2)) * 0x1p-51;
  m.rest = mem_raw(allocator, g->vertex_count, sizeof *m.rest);
  m.place = mem_new(allocator, g->governor_count, sizeof *m.place);
  edge_change *change = mem_raw(allocator, most + 1, sizeof *change);
  *normals = mem_new(allocator, inner, sizeof **normals);
  *sigma = mem_new(allocator, terms + 1, sizeof **sigma);
  bool memory = m.rest && m.place && change && *normals && *sigma;
  for (size_t v = 0; memory && v < g->vertex_count; ++v) {
    governed_rest(g, (uint32_t)v, m.rest[v]);
    for (int k = 0; k < 3; ++k) m.rest[v][k] *= m.scale;
  }
  for (uint32_t i = 0; memory && i < inner; ++i)
    if (fits->patches[i].count)
      measure_patch(&m, i, &fits->patches[i], all + fits->patches[i].first, change, &(*normals)[i], *sigma);
  mem_free(allocator, m.rest);
  mem_free(allocator, m.place);
  mem_free(allocator, change);
  return memory ? PL_OK : fail(context, PL_ERROR_MEMORY, "no memory for the normals of %u patches", inner);
}
