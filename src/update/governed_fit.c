/* Fitting the patches of kernels/governed.h, once per tree. For each inner node: its governors,
 * the frame of its vertices at rest, a least-squares fit of every weight, and then how far the
 * weights of its vertices are from that fit. What is stored is rounded by round_near(), because
 * it is measured as it is stored. Cost: O(vertices x governors) for each level, for nodes of few
 * governors; O(vertices) for the others. */
#include "bounds/principal.h"
#include "update/governed_patch.h"

#include <string.h>

/* Governors of a patch; with more, its children bound it better. From some governors on this
 * also holds for large patches: merging their children costs little beside the walk that a loose
 * box begins. */
enum { MOST_POINTS = 26, MOST_TRANSFORMS = 26, SOME_TRANSFORMS = 10, LARGE = 32 /* triangles for each governor */ };

typedef struct fitting {
  const pl_allocator *allocator;
  const tree *tree;
  const governed *g;
  double scale;       /* of d */
  uint32_t *place;    /* of each governor: 1 + its place in the patch, or 0 */
  uint32_t *governor; /* of the patch */
  uint32_t *vertex;   /* of the patch */
  uint32_t *seen;     /* by vertex: the last patch with it; NULL where lists name each once */
  double (*rest)[3];  /* of each: d */
  size_t vertex_count;
  uint32_t count; /* governors */
  ARRAY(patch_term) terms;
} fitting;

/* ---------------------------------------------------------------------------- a patch's data -- */

static void collect_vertices(fitting *f, uint32_t node)
{
  const node_vertices from = tree_vertices(f->tree, node);
  f->vertex_count = 0;
  for (int i = 0; i < 2; ++i)
    for (uint32_t k = 0; k < from.count[i]; ++k) {
      const uint32_t v = from.list[i][k];
      if (f->seen && f->seen[v] == node) continue;
      if (f->seen) f->seen[v] = node;
      f->vertex[f->vertex_count++] = v;
    }
}

/* The governors of the patch, up to one more than `most`. */
static void collect_governors(fitting *f, uint32_t most)
{
  const governed *g = f->g;
  f->count = 0;
  for (size_t i = 0; i < f->vertex_count && f->count <= most; ++i)
    for (uint32_t e = g->first[f->vertex[i]]; e < g->end[f->vertex[i]] && f->count <= most; ++e) {
      if (f->place[g->governor[e]]) continue;
      f->governor[f->count++] = g->governor[e];
      f->place[g->governor[e]] = f->count;
    }
}

static uint32_t count_triangles(const tree *t, uint32_t node)
{
  int32_t first = (int32_t)node, last = (int32_t)node;
  while (first >= 0) first = tree_children(t, (uint32_t)first)[0];
  while (last >= 0) last = tree_children(t, (uint32_t)last)[t->nodes.children[last] - 1];
  return t->prims.tri_end[~last] - t->prims.tri_first[~first]; /* at most, where leaves have room */
}

/* Has the patch few enough governors to be bounded by them? */
static bool is_fitted(const fitting *f, uint32_t node, uint32_t most)
{
  if (f->count > most) return false;
  if (!f->g->transforms || f->count <= SOME_TRANSFORMS) return true;
  return count_triangles(f->tree, node) < LARGE * f->count;
}

static void forget_governors(fitting *f)
{
  for (uint32_t k = 0; k < f->count; ++k) f->place[f->governor[k]] = 0;
}

/* At least x, in float; 0 stays 0. */
static float above(double x) { return x > 0 ? round_up(x * (1 + 0x1p-40)) : 0; }

/* How far a box reaches from a place of an axis. */
static double farther(const extent3 *e, int k, double from) { return fmax(e->high[k] - from, from - e->low[k]); }

static void find_frame(fitting *f, governed_patch *p)
{
  double m[3][3] = {{0}}, axis[3][3];
  extent3 e = extent_none();
  for (size_t i = 0; i < f->vertex_count; ++i) {
    governed_rest(f->g, f->vertex[i], f->rest[i]);
    extent_add(&e, f->rest[i]);
  }
  for (int k = 0; k < 3; ++k) p->middle[k] = extent_middle(&e, k);
  for (int k = 0; k < 3; ++k) p->half[k] = above(farther(&e, k, p->middle[k]) * f->scale);
  double size = fmax(p->half[0], fmax(p->half[1], p->half[2])), unit = size > 0 ? 1 / size : 0;
  if (!isfinite(unit)) unit = 0; /* denormal patches: any axes do */
  for (size_t i = 0; i < f->vertex_count; ++i)
    for (int k = 0; k < 3; ++k) {
      f->rest[i][k] = (f->rest[i][k] - p->middle[k]) * f->scale;
      for (int l = 0; l <= k; ++l) m[k][l] += f->rest[i][k] * unit * (f->rest[i][l] * unit);
    }
  for (int k = 0; k < 3; ++k)
    for (int l = k + 1; l < 3; ++l) m[k][l] = m[l][k];
  jacobi3(m, axis);
  for (int k = 0; k < 9; ++k) p->axis[k / 3][k % 3] = round_near(axis[k / 3][k % 3]);
}

/* The box along the principal axes, as they are in float. */
static void measure_frame(const fitting *f, governed_patch *p)
{
  double skew = 0, size = 0;
  extent3 e = extent_none();
  for (size_t i = 0; i < f->vertex_count; ++i) {
    double left[3] = {f->rest[i][0], f->rest[i][1], f->rest[i][2]}, at[3] = {0};
    for (int k = 0; k < 3; ++k) {
      for (int l = 0; l < 3; ++l) at[k] += (double)p->axis[k][l] * f->rest[i][l];
      for (int l = 0; l < 3; ++l) left[l] -= (double)p->axis[k][l] * at[k];
      size = fmax(size, fabs(at[k]));
    }
    extent_add(&e, at);
    for (int l = 0; l < 3; ++l) skew = fmax(skew, fabs(left[l]));
  }
  for (int k = 0; k < 3; ++k) {
    p->centre[k] = round_near(extent_middle(&e, k));
    p->reach[k] = above(farther(&e, k, (double)p->centre[k]) + 0x1p-48 * size);
  }
  p->skew = above(skew + 0x1p-46 * size);
}

/* ---------------------------------------------------------------------------------- the fits -- */

/* Solves the symmetric system of the sums of (1, d)(1, d)' for several right sides; regularised,
 * so that flat patches have a solution. */
typedef struct normal4 {
  double l[4][4]; /* Cholesky */
  double unit[4]; /* what each unknown is multiplied by */
} normal4;

static void normal_add(double m[4][4], const double row[4], double weight)
{
  for (int i = 0; i < 4; ++i)
    for (int j = 0; j <= i; ++j) m[i][j] += weight * row[i] * row[j];
}

static void normal_factor(double m[4][4], const double unit[4], normal4 *out)
{
  const double ridge = 1e-9;
  double trace = 0;
  memcpy(out->unit, unit, sizeof out->unit);
  for (int i = 0; i < 4; ++i) trace += m[i][i];
  if (!(trace > 0)) trace = 1;
  for (int i = 0; i < 4; ++i) m[i][i] += ridge * trace;
  for (int i = 0; i < 4; ++i)
    for (int j = 0; j <= i; ++j) {
      double x = m[i][j];
      for (int k = 0; k < j; ++k) x -= out->l[i][k] * out->l[j][k];
      out->l[i][j] = i == j ? sqrt(x > ridge * 1e-3 * trace ? x : ridge * 1e-3 * trace) : x / out->l[j][j];
    }
}

/* In place: the right side becomes the coefficients of 1 and d. */
static void normal_solve(const normal4 *n, double x[4])
{
  for (int i = 0; i < 4; ++i) {
    for (int k = 0; k < i; ++k) x[i] -= n->l[i][k] * x[k];
    x[i] /= n->l[i][i];
  }
  for (int i = 4; i-- > 0;) {
    for (int k = i + 1; k < 4; ++k) x[i] -= n->l[k][i] * x[k];
    x[i] /= n->l[i][i];
  }
  for (int i = 0; i < 4; ++i) x[i] *= n->unit[i];
}

static void units_of(const governed_patch *p, double unit[4])
{
  unit[0] = 1;
  for (int k = 0; k < 3; ++k)
    unit[k + 1] = p->half[k] > 0 && isfinite(1 / (double)p->half[k]) ? 1 / (double)p->half[k] : 0;
}

/* Weights of one vertex by place: w, and w d. */
typedef struct fit_sums {
  double w[4], moment[3][4]; /* right sides */
} fit_sums;

static void gather_sums(const fitting *f, const governed_patch *p, const double unit[4], fit_sums *sums, normal4 *out)
{
  double m[4][4] = {{0}};
  const governed *g = f->g;
  (void)p;
  for (size_t i = 0; i < f->vertex_count; ++i) {
    const double *d = f->rest[i];
    double row[4] = {1, d[0] * unit[1], d[1] * unit[2], d[2] * unit[3]};
    normal_add(m, row, 1);
    for (uint32_t e = g->first[f->vertex[i]]; e < g->end[f->vertex[i]]; ++e) {
      fit_sums *s = &sums[f->place[g->governor[e]] - 1];
      for (int r = 0; r < 4; ++r) {
        double x = g->weight[e] * row[r];
        s->w[r] += x;
        for (int k = 0; k < 3; ++k) s->moment[k][r] += x * d[k];
      }
    }
  }
  normal_factor(m, unit, out);
}

static void set_fit(const normal4 *n, double right[4], patch_weight *w)
{
  normal_solve(n, right);
  *w = (patch_weight){.a = round_near(right[0]),
                      .c = {round_near(right[1]), round_near(right[2]), round_near(right[3])}};
  for (int k = 0; k < 3; ++k)
    if (!isfinite(w->c[k])) w->c[k] = 0; /* any fit is sound */
  if (!isfinite(w->a)) w->a = 0;
}

/* What is left of a weight after its fit: least and greatest. */
typedef struct range {
  double low, high, size;
} range;

static void range_add(range *r, const patch_weight *w, const double d[3], double value)
{
  double x = value - (double)w->a - ((double)w->c[0] * d[0] + (double)w->c[1] * d[1] + (double)w->c[2] * d[2]);
  r->low = fmin(r->low, x);
  r->high = fmax(r->high, x);
  r->size = fmax(r->size, fabs(value));
}

/* Moves the fit to the middle of what is left. Returns a bound of the weight, fitted or not. */
static double finish_fit(const range *r, const governed_patch *p, patch_weight *w)
{
  double old = (double)w->a, slope = 0;
  for (int k = 0; k < 3; ++k) slope += fabs((double)w->c[k]) * (double)p->half[k];
  w->a = round_near(old + 0.5 * r->low + 0.5 * r->high);
  double shift = (double)w->a - old; /* exact to 2^-53 */
  double rho = fmax(r->high - shift, shift - r->low), all = fabs(old) + fabs((double)w->a) + slope + r->size;
  w->rho = above(rho + 0x1p-48 * all);
  return all + (double)w->rho;
}

/* The fits of one governor against all vertices. `w` is scratch: its weight at each. */
static double measure_term(const fitting *f, const governed_patch *p, patch_term *t, const double *w)
{
  const bool moments = f->g->transforms;
  const range none = {INFINITY, -INFINITY, 0};
  range left[4] = {none, none, none, none};
  for (size_t i = 0; i < f->vertex_count; ++i) {
    const double *d = f->rest[i];
    range_add(&left[3], &t->weight, d, w[i]);
    for (int k = 0; moments && k < 3; ++k) range_add(&left[k], &t->moments[k], d, w[i] * d[k]);
  }
  double gain = finish_fit(&left[3], p, &t->weight), size = f->g->rest_size * f->scale;
  for (int k = 0; moments && k < 3; ++k) {
    double moment = finish_fit(&left[k], p, &t->moments[k]);
    if (size > 0) gain = fmax(gain, moment / size);
  }
  return gain;
}

/* The box of the vertices that follow the governor. */
static void measure_image(const fitting *f, patch_term *t, const double *w)
{
  extent3 e = extent_none();
  for (size_t i = 0; i < f->vertex_count; ++i)
    if (w[i] != 0) extent_add(&e, f->rest[i]);
  for (int k = 0; k < 3; ++k) {
    t->middle[k] = extent_middle(&e, k);
    t->half[k] = above(farther(&e, k, t->middle[k]));
  }
}

/* ----------------------------------------------------------------- the map that is taken off -- */

/* Transforms: by the mean weights. */
static void mean_parts(const fitting *f, const fit_sums *sums, patch_term *terms)
{
  double all = 0;
  for (uint32_t k = 0; k < f->count; ++k) all += sums[k].w[0];
  for (uint32_t k = 0; k < f->count; ++k) terms[k].part[0] = all > 0 ? round_near(sums[k].w[0] / all) : 0;
}

/* Control points: the least-squares fit of the control points at rest, each with the square of
 * how much its weight changes over the patch, as those errors count most; and a little of its
 * mean weight. */
static void fit_parts(const fitting *f, const governed_patch *p, const fit_sums *sums, patch_term *terms)
{
  double m[4][4] = {{0}}, unit[4], far = 0;
  for (uint32_t k = 0; k < f->count; ++k)
    for (int i = 0; i < 3; ++i)
      far = fmax(far, fabs(f->g->controls[3 * (size_t)f->governor[k] + (size_t)i] - p->middle[i]) * f->scale);
  for (int i = 0; i < 4; ++i) unit[i] = i == 0 ? 1 : far > 0 && isfinite(1 / far) ? 1 / far : 0;
  normal4 n;
  for (int pass = 0; pass < 2; ++pass)
    for (uint32_t k = 0; k < f->count; ++k) {
      const double *x = f->g->controls + 3 * (size_t)f->governor[k];
      const patch_weight *w = &terms[k].weight;
      double spread = (double)w->rho, mean = sums[k].w[0] / (double)f->vertex_count;
      for (int i = 0; i < 3; ++i) spread += fabs((double)w->c[i]) * (double)p->half[i];
      double row[4] = {1};
      for (int i = 0; i < 3; ++i) row[i + 1] = (x[i] - p->middle[i]) * f->scale * unit[i + 1];
      double weight = spread * spread + 1e-4 * mean * mean;
      if (!pass) {
        normal_add(m, row, weight);
        if (k + 1 == f->count) normal_factor(m, unit, &n);
        continue;
      }
      double right[4] = {weight * row[0], weight * row[1], weight * row[2], weight * row[3]};
      normal_solve(&n, right);
      for (int i = 0; i < 4; ++i) terms[k].part[i] = isfinite(right[i]) ? round_near(right[i]) : 0;
    }
}

/* --------------------------------------------------------------------------------- one patch -- */

static pl_status fit_patch(fitting *f, uint32_t node, governed_patch *p)
{
  const pl_allocator *allocator = f->allocator;
  const governed *g = f->g;
  fit_sums *sums = mem_new(allocator, f->count, sizeof *sums);
  double *w = mem_new(allocator, f->vertex_count, sizeof *w), unit[4], gain = 1;
  (void)node;
  bool memory = sums && w && array_reserve(allocator, &f->terms, f->terms.count + f->count);
  if (memory) {
    patch_term *terms = f->terms.data + f->terms.count;
    memset(terms, 0, f->count * sizeof *terms);
    find_frame(f, p);
    measure_frame(f, p);
    units_of(p, unit);
    normal4 n;
    gather_sums(f, p, unit, sums, &n);
    for (uint32_t k = 0; k < f->count; ++k) {
      double mean = sums[k].w[0];
      terms[k].governor = f->governor[k];
      set_fit(&n, sums[k].w, &terms[k].weight);
      sums[k].w[0] = mean;
      for (int i = 0; g->transforms && i < 3; ++i) set_fit(&n, sums[k].moment[i], &terms[k].moments[i]);
    }
    for (uint32_t k = 0; k < f->count; ++k) {
      for (size_t i = 0; i < f->vertex_count; ++i) {
        w[i] = 0;
        for (uint32_t e = g->first[f->vertex[i]]; e < g->end[f->vertex[i]]; ++e)
          if (g->governor[e] == f->governor[k]) w[i] += g->weight[e];
      }
      gain += measure_term(f, p, &terms[k], w);
      if (g->transforms) measure_image(f, &terms[k], w);
    }
    if (g->transforms)
      mean_parts(f, sums, terms);
    else
      fit_parts(f, p, sums, terms);
    p->gain = above(gain);
    p->first = (uint32_t)f->terms.count;
    p->count = f->count;
    f->terms.count += f->count;
  }
  mem_free(allocator, sums);
  mem_free(allocator, w);
  return memory ? PL_OK : PL_ERROR_MEMORY;
}

pl_status governed_fit(pl_context *context, tree *t, const governed *g, governed_state *out, patch_term **terms)
{
  const pl_allocator *allocator = &context->def.allocator;
  fitting f = {.allocator = allocator, .tree = t, .g = g};
  f.scale = ldexp(1, -g->rest_exponent);
  size_t most = (size_t)t->prims.vertex_count + 3 * (size_t)LIST_PAD + 24;
  const uint32_t few = g->transforms ? MOST_TRANSFORMS : MOST_POINTS;
  out->patches = mem_new(allocator, t->nodes.inner_count, sizeof *out->patches);
  f.place = mem_new(allocator, g->governor_count, sizeof *f.place);
  f.governor = mem_raw(allocator, (size_t)few + 1, sizeof *f.governor);
  f.vertex = mem_raw(allocator, most, sizeof *f.vertex);
  f.rest = mem_raw(allocator, most, sizeof *f.rest);
  f.seen = t->prims.order ? NULL : mem_new(allocator, (size_t)t->prims.vertex_count + 1, sizeof *f.seen);
  bool memory = out->patches && f.place && f.governor && f.vertex && f.rest && (f.seen || t->prims.order);
  for (uint32_t node = 1; memory && node < t->nodes.inner_count; ++node) { /* the root's box is nobody's child */
    collect_vertices(&f, node);
    collect_governors(&f, few);
    if (is_fitted(&f, node, few)) memory = fit_patch(&f, node, &out->patches[node]) == PL_OK;
    forget_governors(&f);
  }
  mem_free(allocator, f.place);
  mem_free(allocator, f.governor);
  mem_free(allocator, f.vertex);
  mem_free(allocator, f.rest);
  mem_free(allocator, f.seen);
  *terms = f.terms.data;
  if (memory) return PL_OK;
  mem_free(allocator, f.terms.data);
  *terms = NULL;
  return fail(context, PL_ERROR_MEMORY, "no memory for the patches of a governed body");
}

/* ----------------------------------------------------------------------------------- packing -- */

static double *pack_column(const patch_weight *w, const float *sigma, double *to)
{
  *to++ = (double)w->a;
  for (int l = 0; l < 3; ++l) *to++ = (double)w->c[l];
  *to++ = (double)w->rho;
  *to++ = sigma ? (double)*sigma : 0;
  return to;
}

/* The numbers of a patch's terms. */
static void pack_patch(const governed *g, const patch_term *terms, const float (*sigma)[4], governed_patch *p,
                       governed_state *out)
{
  const size_t numbers = g->transforms ? TRANSFORM_NUMBERS : POINT_NUMBERS;
  const double scale = ldexp(1, -g->rest_exponent);
  for (size_t k = p->first; k < (size_t)p->first + p->count; ++k) {
    double *to = out->numbers + numbers * k;
    out->governor[k] = terms[k].governor;
    for (int l = 0; l < (g->transforms ? 1 : 4); ++l) *to++ = (double)terms[k].part[l];
    for (int l = 0; !g->transforms && l < 3; ++l) {
      double d = (g->controls[3 * (size_t)terms[k].governor + (size_t)l] - p->middle[l]) * scale;
      p->far[l] = fmaxf(p->far[l], above(fabs(d)));
      *to++ = d;
    }
    for (int l = 0; g->transforms && l < 3; ++l)
      to = pack_column(&terms[k].moments[l], sigma ? &sigma[k][l] : NULL, to);
    to = pack_column(&terms[k].weight, sigma ? &sigma[k][3] : NULL, to);
    for (int l = 0; g->transforms && l < 3; ++l) to[l] = terms[k].middle[l], to[3 + l] = (double)terms[k].half[l];
  }
}

pl_status governed_pack(pl_context *context, tree *t, const governed *g, const patch_term *terms,
                        const float (*sigma)[4], governed_state *out)
{
  const pl_allocator *allocator = &context->def.allocator;
  const size_t numbers = g->transforms ? TRANSFORM_NUMBERS : POINT_NUMBERS;
  size_t count = 0;
  for (uint32_t i = 0; i < t->nodes.inner_count; ++i) count += out->patches[i].count;
  out->governor = mem_raw(allocator, count + 1, sizeof *out->governor);
  out->numbers = mem_raw(allocator, count + 1, numbers * sizeof *out->numbers);
  if (!out->governor || !out->numbers)
    return fail(context, PL_ERROR_MEMORY, "no memory for the patches of a governed body");
  for (uint32_t i = 0; i < t->nodes.inner_count; ++i)
    if (out->patches[i].count) pack_patch(g, terms, sigma, &out->patches[i], out);
  t->bytes +=
      t->nodes.inner_count * sizeof *out->patches + count * (sizeof *out->governor + numbers * sizeof *out->numbers);
  return PL_OK;
}

void governed_state_free(pl_context *context, governed_state *s)
{
  const pl_allocator *allocator = &context->def.allocator;
  mem_free(allocator, s->patches);
  mem_free(allocator, s->governor);
  mem_free(allocator, s->numbers);
  mem_free(allocator, s->normals);
  *s = (governed_state){0};
}
