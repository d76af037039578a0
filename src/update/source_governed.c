/* Volumes from governors: the box of an inner node in O(governors), as governed_patch.h has it; of a node with too many governors from its
 * children's, and of a leaf from its vertices, which are evaluated in float lanes.
 * Invariant: boxes are nested. A box is cut with its parent's, which contains the same vertices.
 * Cost: some 20 multiplications per governor and column for an inner child, O(vertices) for a leaf. */
#include "update/governed_patch.h"

#include <string.h>

/* ------------------------------------------------------------------------------------------------ boxes from governors -- */

/* Adds weight * column. sigma: NULL, or how far the weight's gradient on a triangle is from its slope. */
static inline void add_column(governed_affine *f, const double column[3], const patch_weight *w, const float *sigma)
{
  for (int i = 0; i < 3; ++i) {
    f->centre[i] += column[i] * (double)w->a;
    for (int m = 0; m < 3; ++m) f->b[i][m] += column[i] * (double)w->c[m];
    f->error[i] += fabs(column[i]) * (double)w->rho;
  }
  if (!sigma) return;
  double square = column[0] * column[0] + column[1] * column[1] + column[2] * column[2];
  f->spread += sqrt(square) * (double)*sigma;
}

static void affine_of_transforms(const governed *g, const governed_patch *p, const patch_term *terms,
                                 const float (*sigma)[4], governed_affine *f)
{
  const double unit = g->rest_exponent ? ldexp(1, g->rest_exponent) : 1;
  double a[3][3] = {{0}}, shift[3] = {0};
  for (uint32_t k = 0; k < p->count; ++k) {
    const pl_transform *t = &g->now[terms[k].governor];
    double part = (double)terms[k].part[0];
    for (int i = 0; i < 3; ++i) {
      shift[i] += part * (t->m[i][0] * p->middle[0] + t->m[i][1] * p->middle[1] + t->m[i][2] * p->middle[2] + t->t[i]);
      for (int l = 0; l < 3; ++l) a[i][l] += part * (t->m[i][l] * unit);
    }
    f->size = fmax(f->size, g->size[terms[k].governor]);
  }
  memcpy(f->b, a, sizeof a);
  memcpy(f->centre, shift, sizeof shift);
  for (int i = 0; i < 3; ++i) {
    f->error[i] = fabs(shift[i]);
    for (int l = 0; l < 3; ++l) f->error[i] += fabs(a[i][l]) * (double)p->half[l];
    f->error[i] *= g->off;
  }
  for (uint32_t k = 0; k < p->count; ++k) {
    const pl_transform *t = &g->now[terms[k].governor];
    double column[4][3];
    for (int i = 0; i < 3; ++i) {
      for (int l = 0; l < 3; ++l) column[l][i] = t->m[i][l] * unit - a[i][l];
      column[3][i] =
          t->m[i][0] * p->middle[0] + t->m[i][1] * p->middle[1] + t->m[i][2] * p->middle[2] + t->t[i] - shift[i];
    }
    for (int l = 0; l < 3; ++l) add_column(f, column[l], &terms[k].moments[l], sigma ? &sigma[k][l] : NULL);
    add_column(f, column[3], &terms[k].weight, sigma ? &sigma[k][3] : NULL);
  }
}

static void affine_of_points(const governed *g, const governed_patch *p, const patch_term *terms,
                             const float (*sigma)[4], governed_affine *f)
{
  const double scale = g->rest_exponent ? ldexp(1, -g->rest_exponent) : 1;
  double a[3][3] = {{0}}, shift[3] = {0};
  for (uint32_t k = 0; k < p->count; ++k) {
    const double *q = g->now[terms[k].governor].t;
    const float *part = terms[k].part;
    for (int i = 0; i < 3; ++i) {
      shift[i] += q[i] * (double)part[0];
      for (int l = 0; l < 3; ++l) a[i][l] += q[i] * (double)part[l + 1];
    }
    f->size = fmax(f->size, g->size[terms[k].governor]);
  }
  memcpy(f->b, a, sizeof a);
  memcpy(f->centre, shift, sizeof shift);
  for (int i = 0; i < 3; ++i) {
    f->error[i] = fabs(shift[i]);
    for (int l = 0; l < 3; ++l) f->error[i] += fabs(a[i][l]) * fabs(p->middle[l] * scale);
    f->error[i] *= g->off;
  }
  for (uint32_t k = 0; k < p->count; ++k) {
    const double *q = g->now[terms[k].governor].t, *x = g->controls + 3 * (size_t)terms[k].governor;
    double d[3], column[3];
    for (int l = 0; l < 3; ++l) d[l] = (x[l] - p->middle[l]) * scale;
    for (int i = 0; i < 3; ++i) {
      double at = shift[i] + (a[i][0] * d[0] + a[i][1] * d[1] + a[i][2] * d[2]);
      f->size = fmax(f->size, fabs(shift[i]) + fabs(a[i][0] * d[0]) + fabs(a[i][1] * d[1]) + fabs(a[i][2] * d[2]));
      column[i] = q[i] - at;
    }
    add_column(f, column, &terms[k].weight, sigma ? &sigma[k][3] : NULL);
  }
  /* The rest position of a vertex, computed or real, times a. */
  for (int i = 0; i < 3; ++i)
    f->size = fmax(f->size, (fabs(a[i][0]) + fabs(a[i][1]) + fabs(a[i][2])) * (g->rest_size * scale) * g->sum);
}

/* The least and the greatest of row . d over the rest patch: d is in both of its boxes. */
static void support(const governed_patch *p, const double row[3], double *low, double *high)
{
  double plain = 0, centre = 0, reach = 0, size = 0;
  for (int l = 0; l < 3; ++l) {
    double along = 0, sum = 0;
    for (int m = 0; m < 3; ++m) {
      double x = row[m] * (double)p->axis[l][m];
      along += x;
      sum += fabs(x);
    }
    centre += along * (double)p->centre[l];
    reach += fabs(along) * (double)p->reach[l];
    size += sum * (fabs((double)p->centre[l]) + (double)p->reach[l]);
    plain += fabs(row[l]) * (double)p->half[l];
  }
  reach += (fabs(row[0]) + fabs(row[1]) + fabs(row[2])) * (double)p->skew;
  reach += 0x1p-48 * (size + reach); /* its rounding: a flat patch may have long rows that cancel */
  *low = fmax(-plain, centre - reach);
  *high = fmin(plain, centre + reach);
}

void governed_map(const governed *g, const governed_patch *p, const patch_term *terms, const float (*sigma)[4],
                  governed_affine *f)
{
  *f = (governed_affine){.size = 0};
  if (g->transforms)
    affine_of_transforms(g, p, terms, sigma, f);
  else
    affine_of_points(g, p, terms, sigma, f);
  f->margin = 0x1p-52 * ((4 * p->count + 64) * 32 * (double)p->gain + (g->longest + 8) * (1 + g->sum)) * f->size;
}

aabb governed_box(const governed_patch *p, const governed_affine *f, const points *at)
{
  const double scale = points_scale(at), least = at->exponent ? 0x1p-1074 : 0;
  aabb box;
  for (int i = 0; i < 3; ++i) {
    double low, high, error = f->error[i] * (1 + 0x1p-40) + f->margin;
    support(p, f->b[i], &low, &high);
    low = f->centre[i] + low - error;
    high = f->centre[i] + high + error;
    bool finite = isfinite(low) && isfinite(high); /* otherwise all of space */
    box.lower[i] = finite ? round_down(low * scale - least) : -INFINITY;
    box.upper[i] = finite ? round_up(high * scale + least) : INFINITY;
  }
  return box;
}

/* -------------------------------------------------------------------------------------------------------------- leaves -- */

static aabb box_of_doubles(const update *u, const uint32_t *list, uint32_t n)
{
  const double scale = points_scale(u->points), least = u->points->exponent ? 0x1p-1074 : 0;
  aabb box = aabb_empty();
  for (uint32_t k = 0; k < n; ++k) {
    double q[3];
    points_position(u->points, list[k], q);
    for (int i = 0; i < 3; ++i) {
      float low = round_down(q[i] * scale - least), high = round_up(q[i] * scale + least);
      box.lower[i] = low < box.lower[i] ? low : box.lower[i];
      box.upper[i] = high > box.upper[i] ? high : box.upper[i];
    }
  }
  return box;
}

/* In float lanes where the motion can, with the error that they state. */
static aabb leaf_box(const update *u, uint32_t leaf)
{
  static const double origin[3] = {0, 0, 0};
  static const float_transform identity = {
      .column = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, .m = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, .norm = 1};
  const primitives *p = &u->tree->prims;
  const uint32_t *list = p->list + p->list_first[leaf], n = p->list_first[leaf + 1] - p->list_first[leaf];
  points model = *u->points;
  leaf_points at;
  model.transform = NULL;
  if (model.exponent || !u->lanes || !u->lanes(origin, &model, &identity, leaf, n, &at))
    return box_of_doubles(u, list, n);
  aabb box = aabb_empty();
  for (int i = 0; i < 3; ++i) {
    for (uint32_t k = 0; k < n; ++k) {
      box.lower[i] = at.at[i][k] < box.lower[i] ? at.at[i][k] : box.lower[i];
      box.upper[i] = at.at[i][k] > box.upper[i] ? at.at[i][k] : box.upper[i];
    }
    double far = fmax(fabs((double)box.lower[i]), fabs((double)box.upper[i]));
    double error = (double)at.error + (double)at.roundings * 0x1p-24 * (1 + 0x1p-10) * (far + (double)at.error);
    box.lower[i] = round_down((double)box.lower[i] - error);
    box.upper[i] = round_up((double)box.upper[i] + error);
  }
  return box;
}

/* -------------------------------------------------------------------------------------------------------------- blocks -- */

static aabb cut(const aabb *a, const aabb *by)
{
  aabb box = *a;
  for (int i = 0; i < 3; ++i) {
    box.lower[i] = by->lower[i] > box.lower[i] ? by->lower[i] : box.lower[i];
    box.upper[i] = by->upper[i] < box.upper[i] ? by->upper[i] : box.upper[i];
  }
  return box;
}

/* Is the node's own box one of governors, and there? Nodes above one that is merged are merged as well. */
static bool own_box(const update *u, uint32_t node, aabb *out)
{
  const governed_state *state = u->state;
  if (node == TREE_ROOT || state->patches[node].count == 0) return false;
  uint32_t slot = u->tree->nodes.slot[node];
  *out = aabb_lane(tree_block(u->tree, slot >> 3), u->tree->nodes.width, (int)(slot & 7));
  return true;
}

static uint64_t boxes(update *u, uint32_t node)
{
  const governed_state *state = u->state;
  tree *t = u->tree;
  const int width = t->nodes.width, count = t->nodes.children[node];
  uint64_t made = (uint64_t)count;
  float *block = tree_block(t, node);
  aabb own;
  const bool has_own = own_box(u, node, &own);
  for (int lane = 0; lane < width; ++lane) {
    int32_t child = lane < count ? tree_children(t, node)[lane] : 0;
    aabb box = aabb_empty();
    if (lane < count && child < 0) {
      box = leaf_box(u, (uint32_t)~child);
    } else if (lane < count && state->patches[child].count) {
      const governed_patch *p = &state->patches[child];
      governed_affine map;
      governed_map(u->controls, p, state->terms + p->first, NULL, &map);
      box = governed_box(p, &map, u->points);
    } else if (lane < count) { /* nobody else is below a stale node */
      made += boxes(u, (uint32_t)child);
      tree_stamp(t, LAYER_BOXES, (uint32_t)child);
      box = aabb_merge_block(tree_block(t, (uint32_t)child), width);
    }
    if (has_own && lane < count) box = cut(&box, &own);
    aabb_set_lane(block, width, lane, &box);
  }
  return made;
}

static uint64_t block(update *u, int in, uint32_t node)
{
  if (in == LAYER_BOXES) return boxes(u, node);
  shapes_fit(u->tree, u->shape, u->points, node, node + 1);
  return 0;
}

static pl_status create(update *u, const pl_body_def *def)
{
  (void)def;
  return governed_fit(u);
}

static void destroy(update *u)
{
  governed_state *state = u->state;
  mem_free(&u->context->def.allocator, state->patches);
  mem_free(&u->context->def.allocator, state->terms);
}

const source_kind source_governed = {.reads = MOTION_GOVERNED,
                                     .from_vertices = true,
                                     .state_size = sizeof(governed_state),
                                     .create = create,
                                     .destroy = destroy,
                                     .block = block};
